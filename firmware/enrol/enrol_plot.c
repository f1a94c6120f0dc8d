#include "firmware/enrol/enrol_plot.h"

#include "config/files/write_file.h"
#include "draw/plot.h"
#include "draw/svg.h"
#include "perception/geometry/geom.h"

#include <math.h>

static double angle_deg(double angle_rad)
{
    const double turned_deg = fmod(pov_degrees(angle_rad), 360);
    return turned_deg < 0 ? turned_deg + 360 : turned_deg;
}

static void draw_point(const pov_axes *a, const pov_enrol_point *point)
{
    const double x = angle_deg(point->angle_rad), error_deg = pov_degrees(fabs(point->error_rad));
    pov_axes_bar(a, x, 0, fmin(2 * pov_degrees(point->std_rad), a->y_high), "spread");
    pov_svg_circle(a->stream, pov_axes_x_px(a, x), pov_axes_y_px(a, fmin(error_deg, a->y_high)),
                   error_deg > a->y_high ? 6 : 4, "sign s0", NULL);
    if (isnan(point->alike_rad))
        return;
    const double from = pov_axes_x_px(a, x), to = pov_axes_x_px(a, angle_deg(point->alike_rad)),
                 y = a->top_px + a->height_px + 30;
    fprintf(a->stream, "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" class=\"line s1\"/>\n", from, y,
            (from + to) / 2, y + 30, to, y);
}

/* The scale holds all errors but those of views mixed up, which stand at its top. */
static double top_of(const pov_enrol_point *points, int len)
{
    double top = 0.5;
    for (int i = 0; i < len; i++) {
        const double error_deg = pov_degrees(fabs(points[i].error_rad)),
                     said_deg = 2 * pov_degrees(points[i].std_rad);
        top = error_deg < 30 ? fmax(top, error_deg) : top;
        top = said_deg < 30 ? fmax(top, said_deg) : top;
    }
    return 1.1 * top;
}

pov_status pov_enrol_plot_write(const char *path, const pov_enrol_point *points, int len, const char *title,
                                const char *caption)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    const pov_axes a = {file.stream, 70, 60, 760, 270, 0, 360, 0, top_of(points, len)};
    const pov_ticks angles = {45, "%.0f°", NULL},
                    errors = {pov_svg_round_length(a.y_high / 3), "%.4g°", NULL};
    pov_svg_begin_file(file.stream, 860, 420, true);
    pov_axes_draw(&a, &angles, &errors);
    for (int i = 0; i < len; i++)
        draw_point(&a, &points[i]);
    pov_svg_text(file.stream, a.left_px, 36, "title", "%s", title);
    pov_svg_text(file.stream, a.left_px, 404, "tick start", "%s", caption);
    pov_svg_end(file.stream);
    return pov_write_file_end(&file, pov_ok());
}
