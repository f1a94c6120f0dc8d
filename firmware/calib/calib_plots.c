#include "firmware/calib/calib_plots.h"

#include "config/files/markup.h"

#include <math.h>
#include <stdlib.h>

static const double WIDTH = 640;
static const double FOOT = 34; /* for a caption below */

typedef struct {
    FILE *stream;
    double scale; /* from image pixels to the drawing's */
    double width, height;
} plot;

static plot begin_image(FILE *stream, const pov_calibration_report *r)
{
    plot p = {stream, WIDTH / r->fit.camera.width_px, WIDTH,
              WIDTH * r->fit.camera.height_px / r->fit.camera.width_px};
    fprintf(stream,
            "<svg viewBox='0 0 %.0f %.0f' role='img'>\n<rect x='.5' y='.5' width='%.1f' height='%.1f' "
            "class='frame'/>\n",
            p.width, p.height + FOOT, p.width - 1, p.height - 1);
    return p;
}

static double at(const plot *p, double pixel)
{
    return (pixel + 0.5) * p->scale;
}

double pov_calib_round_down(double value)
{
    double power = pow(10, floor(log10(value))), digit = value / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

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

void pov_calib_plot_residuals(FILE *stream, const pov_calibration_report *r)
{
    plot p = begin_image(stream, r);
    double enlarged = 12 / fmax(r->fit.rms_px, 1e-3), ruler_px = pov_calib_round_down(2 * r->fit.rms_px);
    for (int v = 0; v < r->view_len; v++)
        for (int i = 0; i < r->views[v].seen.len && r->views[v].fate == POV_VIEW_USED; i++) {
            pov_vec2 residual, seen = r->views[v].seen.pixel[i];
            if (!residual_of(&residual, r, &r->views[v], i))
                continue;
            fprintf(stream,
                    "<circle cx='%.1f' cy='%.1f' r='1.3' class='dot'/><line x1='%.1f' y1='%.1f' x2='%.1f' "
                    "y2='%.1f' "
                    "class='miss'/>\n",
                    at(&p, seen.x), at(&p, seen.y), at(&p, seen.x), at(&p, seen.y),
                    at(&p, seen.x) + residual.x * enlarged, at(&p, seen.y) + residual.y * enlarged);
        }
    fprintf(stream,
            "<line x1='8' x2='%.1f' y1='%.1f' y2='%.1f' class='miss' stroke-width='2'/><text x='%.1f' "
            "y='%.1f'>%g px; dots: corners seen</text></svg>\n",
            8 + ruler_px * enlarged, p.height + 18, p.height + 18, 16 + ruler_px * enlarged, p.height + 22,
            ruler_px);
}

void pov_calib_plot_cloud(FILE *stream, const pov_calibration_report *r)
{
    const double half = 150, reach_px = 5 * r->fit.noise_px, scale = half / reach_px;
    fprintf(stream, "<svg viewBox='0 0 %.0f %.0f' role='img' class='small'>\n", 2 * half, 2 * half + FOOT);
    for (int ring = 1; ring <= 3; ring++)
        fprintf(stream, "<circle cx='%.0f' cy='%.0f' r='%.1f' class='frame'/>", half, half,
                ring * r->fit.noise_px * scale);
    for (int v = 0; v < r->view_len; v++)
        for (int i = 0; i < r->views[v].seen.len && r->views[v].fate == POV_VIEW_USED; i++) {
            pov_vec2 residual;
            if (residual_of(&residual, r, &r->views[v], i) && hypot(residual.x, residual.y) < reach_px)
                fprintf(stream, "<circle cx='%.1f' cy='%.1f' r='1.5' class='dot'/>\n",
                        half + residual.x * scale, half + residual.y * scale);
        }
    fprintf(stream, "<text x='%.0f' y='%.0f' class='middle'>rings: 1, 2, 3 times %.2f px</text></svg>\n",
            half, 2 * half + 22, r->fit.noise_px);
}

/* Dark blue over green to yellow, evenly lighter: five stops of viridis. */
static void print_colour(FILE *stream, double share)
{
    static const int stops[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    double x = fmin(fmax(share, 0), 1) * 4;
    int i = x < 3 ? (int)x : 3;
    fputs("#", stream);
    for (int k = 0; k < 3; k++)
        fprintf(stream, "%02x", (unsigned)lround(stops[i][k] + (x - i) * (stops[i + 1][k] - stops[i][k])));
}

static void print_scale(FILE *stream, const plot *p, double low_px, double high_px)
{
    enum { STEPS = 32 };
    for (int i = 0; i < STEPS; i++) {
        fprintf(stream, "<rect x='%.1f' y='%.1f' width='6.5' height='12' fill='", 80 + i * 6.0,
                p->height + 12);
        print_colour(stream, (double)i / (STEPS - 1));
        fputs("'/>", stream);
    }
    fprintf(stream,
            "<text x='72' y='%.1f' class='end'>%.2g px</text><text x='%.1f' y='%.1f'>%.2g px, 1 σ</text>\n",
            p->height + 22, low_px, 88 + STEPS * 6.0, p->height + 22, high_px);
}

/* On a logarithmic scale: corners may be a hundred times worse than the middle. */
void pov_calib_plot_map(FILE *stream, const pov_calibration_report *r)
{
    enum { COLUMNS = POV_CALIBRATION_MAP_COLUMNS, ROWS = POV_CALIBRATION_MAP_ROWS };
    plot p = begin_image(stream, r);
    double low_px = INFINITY, cell_x = p.width / COLUMNS, cell_y = p.height / ROWS;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        low_px = fmin(low_px, r->map_px[i / COLUMNS][i % COLUMNS]);
    double range = fmax(log(r->map_max_px / low_px), 0.1);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        int column = i % COLUMNS, row = i / COLUMNS;
        double std_px = r->map_px[row][column];
        if (isnan(std_px))
            continue;
        fprintf(stream, "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='", column * cell_x,
                row * cell_y, cell_x + 0.3, cell_y + 0.3);
        print_colour(stream, log(std_px / low_px) / range);
        fprintf(stream, "'><title>%.3g px</title></rect>\n", std_px);
    }
    for (int i = 0; i < 15; i++) { /* numbers, on a grid of five by three */
        int column = (i % 5 * 2 + 1) * COLUMNS / 10, row = (i / 5 * 2 + 1) * ROWS / 6;
        double std_px = r->map_px[row][column];
        bool dark = log(std_px / low_px) / range < 0.6;
        if (!isnan(std_px))
            fprintf(stream, "<text x='%.1f' y='%.1f' class='middle' style='fill:%s'>%.2g</text>\n",
                    (column + 0.5) * cell_x, (row + 0.5) * cell_y + 5, dark ? "#fff" : "#000", std_px);
    }
    print_scale(stream, &p, low_px, r->map_max_px);
    fputs("</svg>\n", stream);
}

void pov_calib_plot_images(FILE *stream, const pov_calibration_report *r)
{
    const double row = 17, left = 230, length = WIDTH - left - 60;
    double most_px = 0;
    for (int i = 0; i < r->view_len; i++)
        if (r->views[i].fate == POV_VIEW_USED)
            most_px = fmax(most_px, r->views[i].rms_px);
    fprintf(stream, "<svg viewBox='0 0 %.0f %.0f' role='img'>\n", WIDTH, r->view_len * row + 8);
    for (int i = 0; i < r->view_len; i++) {
        const pov_calibration_view *view = &r->views[i];
        double y = i * row + 4, bar = fmin(view->rms_px / most_px, 1) * length;
        fprintf(stream, "<text x='%.0f' y='%.1f' class='end'>", left - 8, y + 12);
        char name[36];
        snprintf(name, sizeof name, "%.35s", view->name);
        pov_markup_text(stream, name);
        fputs("</text>", stream);
        if (view->fate == POV_VIEW_USED)
            fprintf(stream,
                    "<rect x='%.0f' y='%.1f' width='%.1f' height='13' class='bar'/><text x='%.1f' "
                    "y='%.1f'>%.2f</text>\n",
                    left, y, bar, left + bar + 5, y + 12, view->rms_px);
        else
            fprintf(stream, "<text x='%.0f' y='%.1f' class='dropped'>dropped: %s</text>\n", left, y + 12,
                    pov_view_fate_name(view->fate));
    }
    fputs("</svg>\n", stream);
}

void pov_calib_plot_tilt(FILE *stream, const pov_calibration_report *r)
{
    const double half = 150, scale = (half - 10) / sin(60 * POV_PI / 180);
    fprintf(stream, "<svg viewBox='0 0 %.0f %.0f' role='img' class='small'>\n", 2 * half, 2 * half + FOOT);
    for (int tilt_deg = 20; tilt_deg <= 60; tilt_deg += 20) {
        double radius = sin(tilt_deg * POV_PI / 180) * scale;
        fprintf(stream,
                "<circle cx='%.0f' cy='%.0f' r='%.1f' class='frame'/><text x='%.0f' y='%.1f' "
                "class='middle'>%d°</text>",
                half, half, radius, half, half - radius + 14, tilt_deg);
    }
    for (int i = 0; i < r->view_len; i++) {
        const pov_rot *R = &r->views[i].T_camera_board.R;
        if (r->views[i].fate == POV_VIEW_USED)
            fprintf(stream, "<circle cx='%.1f' cy='%.1f' r='4' class='bar'/>\n", half + R->m[0][2] * scale,
                    half + R->m[1][2] * scale);
    }
    fprintf(stream, "<text x='%.0f' y='%.0f' class='middle'>direction of each board's normal</text></svg>\n",
            half, 2 * half + 22);
}
