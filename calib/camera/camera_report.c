#include "calib/camera/camera_report.h"

#include "config/files/json_value.h"
#include "draw/page.h"
#include "draw/residual_plot.h"
#include "draw/svg.h"

#include <cJSON.h>
#include <inttypes.h>
#include <math.h>

/* ---- text ---- */

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
        if (view->outcome == POV_VIEW_USED)
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

void pov_calibration_report_text(FILE *stream, const pov_calibration_report *r)
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

/* ---- JSON ---- */

static cJSON *json_of_parameters(const pov_camera_fit *fit)
{
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < 4 + fit->coefficient_len; i++) {
        const double pair[] = {pov_camera_parameter(&fit->camera, i), sqrt(fit->covariance[i][i])};
        cJSON_AddItemToObject(object, pov_camera_parameter_name(fit->camera.lens, i),
                              cJSON_CreateDoubleArray(pair, 2));
    }
    return object;
}

static cJSON *json_of_covariance(const pov_camera_fit *fit)
{
    cJSON *rows = cJSON_CreateArray();
    for (int i = 0; i < 4 + fit->coefficient_len; i++)
        cJSON_AddItemToArray(rows, cJSON_CreateDoubleArray(fit->covariance[i], 4 + fit->coefficient_len));
    return rows;
}

static cJSON *json_of_models(const pov_calibration_report *r)
{
    cJSON *object = cJSON_CreateObject();
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++) {
        cJSON *model = cJSON_CreateObject();
        cJSON_AddItemToObject(object, pov_camera_model_name((pov_camera_model)m), model);
        if (!r->models[m].fitted) {
            cJSON_AddStringToObject(model, "why", r->models[m].why);
            continue;
        }
        pov_json_add_number(model, "rms_px", r->models[m].rms_px);
        pov_json_add_number(model, "holdout_px", r->models[m].holdout_px);
    }
    return object;
}

static cJSON *json_of_views(const pov_calibration_report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < r->view_len; i++) {
        const pov_calibration_view *view = &r->views[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "image", view->name);
        cJSON_AddStringToObject(item, "fate", pov_view_outcome_name(view->outcome));
        if (view->outcome != POV_VIEW_USED)
            cJSON_AddStringToObject(item, "why", view->why);
        cJSON_AddNumberToObject(item, "corners", view->seen.len);
        pov_json_add_number(item, "rms_px", view->rms_px);
        pov_json_add_number(item, "tilt_deg", pov_degrees(view->tilt_rad));
        pov_json_add_number(item, "edge_px", view->seen.edge_px);
    }
    return list;
}

static cJSON *json_of_map(const pov_calibration_report *r)
{
    cJSON *object = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(object, "std_px");
    cJSON_AddNumberToObject(object, "distance_m", r->distance_m);
    pov_json_add_number(object, "median_px", r->map_median_px);
    pov_json_add_number(object, "max_px", r->map_max_px);
    for (int row = 0; row < POV_CALIBRATION_MAP_ROWS; row++) {
        cJSON *cells = cJSON_CreateArray();
        for (int column = 0; column < POV_CALIBRATION_MAP_COLUMNS; column++)
            cJSON_AddItemToArray(cells, pov_json_number(r->map_px[row][column]));
        cJSON_AddItemToArray(rows, cells);
    }
    return object;
}

static void add_images(cJSON *object, const pov_calibration_report *r)
{
    cJSON_AddItemToObject(object, "images", json_of_views(r));
    cJSON *advice = cJSON_AddArrayToObject(object, "advice");
    for (int i = 0; i < r->advice_len; i++)
        cJSON_AddItemToArray(advice, cJSON_CreateString(r->advice[i]));
}

void pov_calibration_report_json(FILE *stream, const pov_calibration_report *r, const char *name,
                                 const pov_board *board)
{
    char text[POV_BOARD_TEXT_CAPACITY], hash[20];
    cJSON *object = cJSON_CreateObject();
    pov_board_format(text, board);
    snprintf(hash, sizeof hash, "%016" PRIx64, pov_camera_hash(&r->fit.camera));
    cJSON_AddStringToObject(object, "camera", name);
    cJSON_AddStringToObject(object, "board", text);
    cJSON_AddBoolToObject(object, "calibrated", r->is_calibrated);
    if (!r->is_calibrated) {
        cJSON_AddStringToObject(object, "why", r->why);
        add_images(object, r);
        pov_json_print_line(stream, object);
        return;
    }
    cJSON_AddStringToObject(object, "hash", hash);
    cJSON_AddStringToObject(object, "model", pov_camera_model_name(r->model));
    cJSON_AddNumberToObject(object, "width_px", r->fit.camera.width_px);
    cJSON_AddNumberToObject(object, "height_px", r->fit.camera.height_px);
    cJSON_AddItemToObject(object, "parameters", json_of_parameters(&r->fit));
    cJSON_AddItemToObject(object, "covariance", json_of_covariance(&r->fit));
    cJSON_AddNumberToObject(object, "images_used", r->used_len);
    cJSON_AddNumberToObject(object, "corners", r->fit.point_len);
    cJSON_AddNumberToObject(object, "rms_px", r->fit.rms_px);
    pov_json_add_number(object, "holdout_px", r->models[r->model].holdout_px);
    cJSON_AddItemToObject(object, "models", json_of_models(r));
    cJSON_AddItemToObject(object, "uncertainty", json_of_map(r));
    add_images(object, r);
    pov_json_print_line(stream, object);
}

/* ---- the page ---- */

enum { WIDTH_PX = 960, FOOT_PX = 34 /* for a caption below */ };

/* ---- drawings ---- */

static bool residual_of(pov_vec2 *residual, const pov_calibration_report *r, const pov_calibration_view *view,
                        int i)
{
    pov_vec2 pixel;
    pov_vec3 point = pov_transform_apply(view->T_camera_board, view->seen.board_m[i]);
    if (pov_camera_project(&r->fit.camera, &pixel, NULL, point) != POV_OK)
        return false;
    *residual = (pov_vec2){view->seen.pixel[i].x - pixel.x, view->seen.pixel[i].y - pixel.y};
    return true;
}

static void plot_residuals(FILE *stream, const pov_calibration_report *r)
{
    const pov_residual_plot plot = pov_residual_plot_begin(stream, &r->fit.camera, r->fit.rms_px);
    for (int v = 0; v < r->view_len; v++)
        for (int i = 0; i < r->views[v].seen.len && r->views[v].outcome == POV_VIEW_USED; i++) {
            const pov_vec2 seen = r->views[v].seen.pixel[i];
            pov_vec2 residual;
            if (residual_of(&residual, r, &r->views[v], i))
                pov_residual_plot_add(&plot, seen, (pov_vec2){seen.x - residual.x, seen.y - residual.y});
        }
    pov_residual_plot_end(&plot);
}

/* A round cloud about zero: the model explains everything but noise. */
static void plot_cloud(FILE *stream, const pov_calibration_report *r)
{
    const double half = 150, reach_px = 5 * r->fit.noise_px, scale = half / reach_px;
    pov_svg_begin(stream, 2 * half, 2 * half + FOOT_PX, "Residuals about zero");
    for (int ring = 1; ring <= 3; ring++)
        pov_svg_circle(stream, half, half, ring * r->fit.noise_px * scale, "ring", NULL);
    for (int v = 0; v < r->view_len; v++)
        for (int i = 0; i < r->views[v].seen.len && r->views[v].outcome == POV_VIEW_USED; i++) {
            pov_vec2 residual;
            if (residual_of(&residual, r, &r->views[v], i) && hypot(residual.x, residual.y) < reach_px)
                pov_svg_circle(stream, half + residual.x * scale, half + residual.y * scale, 1.5, "dot",
                               NULL);
        }
    pov_svg_text(stream, half, 2 * half + 22, "tick middle", "rings: 1, 2, 3 times %.2f px", r->fit.noise_px);
    pov_svg_end(stream);
}

/* Dark blue over green to yellow, evenly lighter: five stops of viridis. `look`: the fill. */
static void pick_colour(char look[40], double share)
{
    static const int stops[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    double x = fmin(fmax(share, 0), 1) * 4;
    int i = x < 3 ? (int)x : 3;
    unsigned c[3];
    for (int k = 0; k < 3; k++)
        c[k] = (unsigned)lround(stops[i][k] + (x - i) * (stops[i + 1][k] - stops[i][k]));
    snprintf(look, 40, "fill=\"#%02x%02x%02x\"", c[0] & 255, c[1] & 255, c[2] & 255);
}

static void plot_colour_scale(FILE *stream, double y_px, double low_px, double high_px)
{
    enum { STEPS = 32 };
    char look[40];
    for (int i = 0; i < STEPS; i++) {
        pick_colour(look, (double)i / (STEPS - 1));
        pov_svg_rectangle(stream, 80 + i * 6.0, y_px, 6.5, 12, look, NULL);
    }
    pov_svg_text(stream, 72, y_px + 10, "tick end", "%.2g px", low_px);
    pov_svg_text(stream, 88 + STEPS * 6.0, y_px + 10, "tick start", "%.2g px, 1 σ", high_px);
}

/* On a logarithmic scale: corners may be a hundred times worse than the middle. */
static void plot_map(FILE *stream, const pov_calibration_report *r)
{
    enum { COLUMNS = POV_CALIBRATION_MAP_COLUMNS, ROWS = POV_CALIBRATION_MAP_ROWS };
    const double height = (double)WIDTH_PX * r->fit.camera.height_px / r->fit.camera.width_px;
    const double cell_x = (double)WIDTH_PX / COLUMNS, cell_y = height / ROWS;
    double low_px = INFINITY;
    char look[40], hint[40];
    pov_svg_begin(stream, WIDTH_PX, height + FOOT_PX,
                  "Standard deviation of a projected point, over the image");
    pov_svg_rectangle(stream, 0.5, 0.5, WIDTH_PX - 1, height - 1, "frame", NULL);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        low_px = fmin(low_px, r->map_px[i / COLUMNS][i % COLUMNS]);
    double range = fmax(log(r->map_max_px / low_px), 0.1);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        int column = i % COLUMNS, row = i / COLUMNS;
        double std_px = r->map_px[row][column];
        if (isnan(std_px))
            continue;
        pick_colour(look, log(std_px / low_px) / range);
        snprintf(hint, sizeof hint, "%.3g px", std_px);
        pov_svg_rectangle(stream, column * cell_x, row * cell_y, cell_x + 0.3, cell_y + 0.3, look, hint);
    }
    for (int i = 0; i < 15; i++) { /* numbers, on a grid of five by three */
        int column = (i % 5 * 2 + 1) * COLUMNS / 10, row = (i / 5 * 2 + 1) * ROWS / 6;
        double std_px = r->map_px[row][column];
        bool dark = log(std_px / low_px) / range < 0.6;
        if (!isnan(std_px))
            pov_svg_text(stream, (column + 0.5) * cell_x, (row + 0.5) * cell_y + 5,
                         dark ? "on middle" : "ink middle", "%.2g", std_px);
    }
    plot_colour_scale(stream, height + 12, low_px, r->map_max_px);
    pov_svg_end(stream);
}

static void plot_images(FILE *stream, const pov_calibration_report *r)
{
    const double row = 18, left = 300, length = WIDTH_PX - left - 60;
    double most_px = 0;
    for (int i = 0; i < r->view_len; i++)
        if (r->views[i].outcome == POV_VIEW_USED)
            most_px = fmax(most_px, r->views[i].rms_px);
    pov_svg_begin(stream, WIDTH_PX, r->view_len * row + 8, "RMS of each image");
    for (int i = 0; i < r->view_len; i++) {
        const pov_calibration_view *view = &r->views[i];
        double y = i * row + 4, bar = fmin(view->rms_px / most_px, 1) * length;
        pov_svg_text(stream, left - 8, y + 12, "tick end", "%.35s", view->name);
        if (view->outcome == POV_VIEW_USED) {
            pov_svg_rectangle(stream, left, y, bar, 13, "bar", NULL);
            pov_svg_text(stream, left + bar + 5, y + 12, "tick start", "%.2f", view->rms_px);
        } else {
            pov_svg_text(stream, left, y + 12, "tick start warn", "dropped: %s",
                         pov_view_outcome_name(view->outcome));
        }
    }
    pov_svg_end(stream);
}

static void plot_tilt(FILE *stream, const pov_calibration_report *r)
{
    const double half = 150, scale = (half - 10) / sin(60 * POV_PI / 180);
    pov_svg_begin(stream, 2 * half, 2 * half + FOOT_PX, "Tilt of the boards");
    for (int tilt_deg = 20; tilt_deg <= 60; tilt_deg += 20) {
        double radius = sin(tilt_deg * POV_PI / 180) * scale;
        pov_svg_circle(stream, half, half, radius, "ring", NULL);
        pov_svg_text(stream, half, half - radius + 14, "tick middle", "%d°", tilt_deg);
    }
    for (int i = 0; i < r->view_len; i++) {
        const pov_rot *R = &r->views[i].T_camera_board.R;
        if (r->views[i].outcome == POV_VIEW_USED)
            pov_svg_circle(stream, half + R->m[0][2] * scale, half + R->m[1][2] * scale, 4, "bar", NULL);
    }
    pov_svg_text(stream, half, 2 * half + 22, "tick middle", "direction of each board's normal");
    pov_svg_end(stream);
}

/* ---- the page ---- */

static void print_advice(FILE *stream, const pov_calibration_report *r)
{
    if (r->advice_len == 0)
        return;
    fputs("<div class='advice'>", stream);
    for (int i = 0; i < r->advice_len; i++)
        pov_page_element(stream, "p", "%s.", r->advice[i]);
    fputs("</div>\n", stream);
}

/* Where corners were seen, before there is a camera. */
static void plot_coverage(FILE *stream, const pov_calibration_report *r)
{
    const double width_px = r->fit.camera.width_px, scale = WIDTH_PX / width_px,
                 height = scale * r->fit.camera.height_px;
    pov_svg_begin(stream, WIDTH_PX, height, "Corners seen, over the image");
    pov_svg_rectangle(stream, 0.5, 0.5, WIDTH_PX - 1, height - 1, "frame", NULL);
    for (int v = 0; v < r->view_len; v++)
        for (int i = 0; i < r->views[v].seen.len; i++)
            pov_svg_circle(stream, (r->views[v].seen.pixel[i].x + 0.5) * scale,
                           (r->views[v].seen.pixel[i].y + 0.5) * scale, 2,
                           r->views[v].outcome == POV_VIEW_USED ? "dot" : "ring", r->views[v].name);
    pov_svg_end(stream);
}

static void print_all_images(FILE *stream, const pov_calibration_report *r)
{
    fputs("<h2>Images</h2><table><tr><th>image</th><th>corners</th><th>off, px</th><th></th></tr>\n", stream);
    for (int i = 0; i < r->view_len; i++) {
        const pov_calibration_view *view = &r->views[i];
        char off[24] = "";
        if (isfinite(view->rms_px))
            snprintf(off, sizeof off, "%.2f", view->rms_px);
        fputs("<tr>", stream);
        pov_page_element(stream, "td", "%s", view->name);
        fprintf(stream, "<td class='number'>%d</td><td class='number'>%s</td>", view->seen.len, off);
        pov_page_element(stream, "td", "%s", view->outcome == POV_VIEW_USED ? "" : view->why);
        fputs("</tr>\n", stream);
    }
    fputs("</table>\n", stream);
}

/* The calibration was refused: why, and what was seen. */
static void print_refusal(FILE *stream, const pov_calibration_report *r, const pov_intrinsics_origin *origin)
{
    char title[200];
    snprintf(title, sizeof title, "No calibration of %.160s", origin->camera_name);
    pov_page_begin(stream, title);
    pov_page_element(stream, "h1", "%s", title);
    pov_page_element(stream, "p", "%s · board %s", origin->date, origin->board);
    pov_page_element(stream, "p", "%s.", r->why);
    print_advice(stream, r);
    if (r->fit.camera.width_px > 0 && r->view_len > 0) {
        fputs("<h2>Corners seen</h2><p class='about'>Rings: images that are not used.</p>\n", stream);
        plot_coverage(stream, r);
        print_all_images(stream, r);
    }
    pov_page_end(stream);
}

static void print_head(FILE *stream, const pov_calibration_report *r, const pov_intrinsics_origin *origin)
{
    char title[200];
    snprintf(title, sizeof title, "Calibration of %.180s", origin->camera_name);
    pov_page_begin(stream, title);
    pov_page_element(stream, "h1", "%s", title);
    fprintf(stream,
            "<p class='about'>%s · %d × %d px · board %s · calibration %016" PRIx64 "</p>\n<p class='big'>",
            origin->date, r->fit.camera.width_px, r->fit.camera.height_px, origin->board,
            pov_camera_hash(&r->fit.camera));
    fprintf(stream,
            "%d of %d images, %d corners. RMS %.3f px; images that were not fitted to: %.3f px.<br>\nA point "
            "%.2f m away "
            "is projected to within %.2g px (1 σ) in most of the image, %.2g px at worst.</p>\n",
            r->used_len, r->view_len, r->fit.point_len, r->fit.rms_px, r->models[r->model].holdout_px,
            r->distance_m, r->map_median_px, r->map_max_px);
}

static void write_parameters(FILE *stream, const pov_camera_fit *fit)
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

static void write_models(FILE *stream, const pov_calibration_report *r)
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
          "taken only if they earn it beyond doubt (Student's t, 95 %), and one percent.</p></div>\n",
          stream);
}

static void print_dropped(FILE *stream, const pov_calibration_report *r)
{
    if (r->used_len == r->view_len)
        return;
    fputs("<h2>Images not used</h2><table>\n", stream);
    for (int i = 0; i < r->view_len; i++)
        if (r->views[i].outcome != POV_VIEW_USED) {
            fputs("<tr>", stream);
            pov_page_element(stream, "td", "%s", r->views[i].name);
            pov_page_element(stream, "td", "%s", r->views[i].why);
            fputs("</tr>\n", stream);
        }
    fputs("</table>\n", stream);
}

void pov_calibration_report_page(FILE *stream, const pov_calibration_report *r,
                                 const pov_intrinsics_origin *origin)
{
    if (!r->is_calibrated) {
        print_refusal(stream, r, origin);
        return;
    }
    print_head(stream, r, origin);
    print_advice(stream, r);
    fputs("<div class='group'>", stream);
    write_parameters(stream, &r->fit);
    write_models(stream, r);
    fprintf(stream,
            "</div>\n<h2>How far off a projected point may be</h2><p class='about'>Standard deviation in the "
            "worst "
            "direction, px, of a point %.2f m away; colours are logarithmic.</p>\n",
            r->distance_m);
    plot_map(stream, r);
    fputs("<h2>Corners, and what remains of them</h2><p class='about'>Empty parts of the image are guessed "
          "at by the "
          "lens model only; lines that lean alike are something the model cannot explain.</p>\n",
          stream);
    plot_residuals(stream, r);
    fputs("<div class='group'><div><h2>Residuals</h2>\n", stream);
    plot_cloud(stream, r);
    fputs("</div><div><h2>Tilt of the boards</h2>\n", stream);
    plot_tilt(stream, r);
    fputs("</div></div>\n<h2>RMS of each image, px</h2>\n", stream);
    plot_images(stream, r);
    print_dropped(stream, r);
    pov_page_end(stream);
}
