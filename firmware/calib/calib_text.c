#include "firmware/calib/calib_camera.h"

#include <math.h>

static void print_parameters(FILE *stream, const pov_camera_fit *fit)
{
    for (int i = 0; i < 4 + fit->coefficient_len; i++)
        fprintf(stream, "%-4s %12.*f +- %.*f%s\n", pov_camera_parameter_name(fit->camera.lens, i),
                i < 4 ? 3 : 6, pov_camera_parameter(&fit->camera, i), i < 4 ? 3 : 6,
                sqrt(fit->covariance[i][i]), i < 4 ? " px" : "");
}

static void print_models(FILE *stream, const pov_calibration_report *r)
{
    fputs("\nmodel     fitted px   held out px\n", stream);
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++) {
        const char *name = pov_camera_model_name((pov_camera_model)m);
        if (r->models[m].fitted)
            fprintf(stream, "%-9s %9.4f   %11.4f%s\n", name, r->models[m].rms_px, r->models[m].holdout_px,
                    m == (int)r->model ? "  <- chosen" : "");
        else
            fprintf(stream, "%-9s %s\n", name, r->models[m].why);
    }
}

static void print_views(FILE *stream, const pov_calibration_report *r)
{
    fputs("\nimage                             corners  off px  tilt deg\n", stream);
    for (int i = 0; i < r->view_len; i++) {
        const pov_calibration_view *view = &r->views[i];
        fprintf(stream, "%-32.32s %8d", view->name, view->seen.len);
        if (view->fate == POV_VIEW_USED)
            fprintf(stream, "  %6.3f  %8.0f\n", view->rms_px, pov_degrees(view->tilt_rad));
        else
            fprintf(stream, "  dropped: %s\n", view->why);
    }
}

static void print_zones(FILE *stream, const pov_calibration_report *r)
{
    fputs("\ncorners seen, by part of the image\n", stream);
    for (int row = 0; row < POV_CALIBRATION_ZONES; row++)
        fprintf(stream, "  %6d %6d %6d\n", r->zone_points[row][0], r->zone_points[row][1],
                r->zone_points[row][2]);
}

void pov_calib_print_text(FILE *stream, const pov_calibration_report *r)
{
    print_views(stream, r);
    print_models(stream, r);
    print_zones(stream, r);
    fputc('\n', stream);
    print_parameters(stream, &r->fit);
    fprintf(stream, "\n%d of %d images, %d corners; RMS %.3f px, held out %.3f px\n", r->used_len,
            r->view_len, r->fit.point_len, r->fit.rms_px, r->models[r->model].holdout_px);
    fprintf(
        stream,
        "A point %.2f m away is projected to %.3f px (1 sigma, median over the image), %.3f px at worst.\n",
        r->distance_m, r->map_median_px, r->map_max_px);
    for (int i = 0; i < r->advice_len; i++)
        fprintf(stream, "Advice: %s.\n", r->advice[i]);
}
