#include "firmware/calib/calib_camera.h"

#include "config/files/markup.h"
#include "firmware/calib/calib_plots.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    "<style>\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:#1a1a1a;max-width:1080px;margin:2em auto;padding:0 "
    "1.5em}\n"
    "h1{font-size:1.5em;margin-bottom:0}h2{font-size:1.1em;margin:2em 0 .4em}\n"
    "p.about{color:#555;margin-top:.2em}table{border-collapse:collapse}\n"
    "td,th{padding:.15em .9em .15em 0;text-align:left;font-variant-numeric:tabular-nums;font-weight:normal}\n"
    "th{color:#555}td.number{text-align:right}\n"
    ".pair{display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start}.pair>div{flex:1 1 300px}\n"
    "svg{width:100%;height:auto;display:block}svg.small{max-width:340px}\n"
    "svg text{font:12px system-ui,sans-serif;fill:#333}svg .middle{text-anchor:middle}svg "
    ".end{text-anchor:end}\n"
    ".frame{fill:none;stroke:#bbb}.dot{fill:#3b528b;fill-opacity:.6}.miss{stroke:#c2410c}.bar{fill:#3b528b}\n"
    "svg text.dropped{fill:#c2410c}.advice{background:#fff7ed;border-left:4px solid #c2410c;padding:.4em "
    "1em}\n"
    ".big{font-size:1.15em}svg .halo{fill:#fff;stroke:#3b528b;stroke-width:3px;paint-order:stroke}\n"
    "pre{white-space:pre-wrap}\n"
    "</style>\n";

void pov_calib_print_style(FILE *stream)
{
    fputs(style, stream);
}

void pov_calib_print_preformatted(FILE *stream, void (*print)(FILE *stream, const void *report),
                                  const void *report)
{
    fputs("<pre>", stream);
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (memory) {
        print(memory, report);
        fclose(memory);
        for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
            pov_markup_text(stream, line);
            fputc('\n', stream);
        }
    }
    free(text);
    fputs("</pre>\n", stream);
}

static void print_head(FILE *stream, const pov_calibration_report *r, const pov_calib_options *options,
                       const char *date)
{
    char board[POV_BOARD_TEXT_CAPACITY];
    pov_board_format(board, &options->board);
    fputs("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>Calibration of ", stream);
    pov_markup_text(stream, options->name);
    fputs("</title>\n", stream);
    pov_calib_print_style(stream);
    fputs("</head><body>\n<h1>Calibration of ", stream);
    pov_markup_text(stream, options->name);
    fprintf(stream,
            "</h1>\n<p class='about'>%s · %d × %d px · board %s · calibration %016" PRIx64
            "</p>\n<p class='big'>",
            date, r->fit.camera.width_px, r->fit.camera.height_px, board, pov_camera_hash(&r->fit.camera));
    fprintf(stream,
            "%d of %d images, %d corners. RMS %.3f px; images that were not fitted to: %.3f px.<br>\nA point "
            "%.2f m away "
            "is projected to within %.2g px (1 σ) in most of the image, %.2g px at worst.</p>\n",
            r->used_len, r->view_len, r->fit.point_len, r->fit.rms_px, r->models[r->model].holdout_px,
            r->distance_m, r->map_median_px, r->map_max_px);
}

static void print_advice(FILE *stream, const pov_calibration_report *r)
{
    if (r->advice_len == 0)
        return;
    fputs("<div class='advice'>", stream);
    for (int i = 0; i < r->advice_len; i++) {
        fputs("<p>", stream);
        pov_markup_text(stream, r->advice[i]);
        fputs(".</p>", stream);
    }
    fputs("</div>\n", stream);
}

static void print_parameters(FILE *stream, const pov_camera_fit *fit)
{
    fputs("<div><h2>Parameters</h2><table><tr><th></th><th>value</th><th>1 σ</th></tr>\n", stream);
    for (int i = 0; i < 4 + fit->coefficient_len; i++)
        fprintf(stream,
                "<tr><td>%s</td><td class='number'>%.*f</td><td class='number'>%.*f</td><td>%s</td></tr>\n",
                pov_camera_parameter_name(fit->camera.lens, i), i < 4 ? 2 : 5,
                pov_camera_parameter(&fit->camera, i), i < 4 ? 2 : 5, sqrt(fit->covariance[i][i]),
                i < 4 ? "px" : "");
    fputs("</table></div>\n", stream);
}

static void print_models(FILE *stream, const pov_calibration_report *r)
{
    fputs("<div><h2>Models</h2><table><tr><th></th><th>fitted</th><th>held out</th></tr>\n", stream);
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++) {
        fprintf(stream, "<tr><td>%s%s</td>", pov_camera_model_name((pov_camera_model)m),
                m == POV_CAMERA_MODEL_FISHEYE ? "" : " coefficients");
        if (r->models[m].fitted)
            fprintf(stream, "<td>%.4f px</td><td>%.4f px</td><td>%s</td></tr>\n", r->models[m].rms_px,
                    r->models[m].holdout_px, m == (int)r->model ? "chosen" : "");
        else
            fprintf(stream, "<td colspan='3'>%s</td></tr>\n", r->models[m].why);
    }
    fputs("</table><p class='about'>Held out: every image is judged by a camera fitted to the others. More "
          "coefficients are "
          "taken only if they earn more than one standard error and one percent.</p></div>\n",
          stream);
}

static void print_dropped(FILE *stream, const pov_calibration_report *r)
{
    if (r->used_len == r->view_len)
        return;
    fputs("<h2>Images not used</h2><table>\n", stream);
    for (int i = 0; i < r->view_len; i++)
        if (r->views[i].fate != POV_VIEW_USED) {
            fputs("<tr><td>", stream);
            pov_markup_text(stream, r->views[i].name);
            fputs("</td><td>", stream);
            pov_markup_text(stream, r->views[i].why);
            fputs("</td></tr>\n", stream);
        }
    fputs("</table>\n", stream);
}

void pov_calib_print_html(FILE *stream, const pov_calibration_report *r, const pov_calib_options *options,
                          const char *date)
{
    print_head(stream, r, options, date);
    print_advice(stream, r);
    fputs("<div class='pair'>", stream);
    print_parameters(stream, &r->fit);
    print_models(stream, r);
    fprintf(stream,
            "</div>\n<h2>How far off a projected point may be</h2><p class='about'>Standard deviation in the "
            "worst "
            "direction, px, of a point %.2f m away; colours are logarithmic.</p>\n",
            r->distance_m);
    pov_calib_plot_map(stream, r);
    fputs("<h2>Corners, and what remains of them</h2><p class='about'>Empty parts of the image are guessed "
          "at by the "
          "lens model only; lines that lean alike are something the model cannot explain.</p>\n",
          stream);
    pov_calib_plot_residuals(stream, r);
    fputs("<div class='pair'><div><h2>Residuals</h2>\n", stream);
    pov_calib_plot_cloud(stream, r);
    fputs("</div><div><h2>Tilt of the boards</h2>\n", stream);
    pov_calib_plot_tilt(stream, r);
    fputs("</div></div>\n<h2>RMS of each image, px</h2>\n", stream);
    pov_calib_plot_images(stream, r);
    print_dropped(stream, r);
    fputs("</body></html>\n", stream);
}
