#include "calib/camera/camera_calibration_internal.h"

#include "perception/geometry/linalg.h"
#include "perception/geometry/ranked.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    ZONES = POV_CALIBRATION_ZONES,
    COLUMNS = POV_CALIBRATION_MAP_COLUMNS,
    ROWS = POV_CALIBRATION_MAP_ROWS
};

static const double TILT_WANTED_RAD = 20 * POV_PI / 180;

static void count_zones(pov_camera_calibration *c)
{
    pov_calibration_report *r = &c->report;
    memset(r->zone_points, 0, sizeof r->zone_points);
    for (int v = 0; v < r->view_len; v++) {
        const pov_board_view *seen = &c->views[v].seen;
        for (int i = 0; c->views[v].fate == POV_VIEW_USED && i < seen->len; i++) {
            int column = (int)(seen->pixel[i].x * ZONES / c->width_px),
                row = (int)(seen->pixel[i].y * ZONES / c->height_px);
            if (column >= 0 && row >= 0 && column < ZONES && row < ZONES)
                r->zone_points[row][column]++;
        }
    }
}

static double median_distance_m(const pov_view_set *used)
{
    double distances_m[POV_CALIBRATION_VIEW_MAX];
    for (int i = 0; i < used->len; i++)
        distances_m[i] = pov_vec3_norm(used->T_camera_board[i].t_m);
    return pov_ranked(distances_m, used->len, used->len / 2);
}

static double worst_std_px(const pov_camera_calibration *c, pov_vec2 pixel)
{
    double C[2][2], values[2], first[2];
    if (pov_camera_solver_spread(c->solver, C, &c->report.fit, c->used.T_camera_board, pixel,
                                 c->report.distance_m) != POV_OK)
        return NAN;
    pov_symmetric2_eigen(values, first, C[0][0], C[0][1], C[1][1]);
    return sqrt(values[0]);
}

static void make_map(pov_camera_calibration *c)
{
    pov_calibration_report *r = &c->report;
    double known[ROWS * COLUMNS];
    int len = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        int column = i % COLUMNS, row = i / COLUMNS;
        pov_vec2 pixel = {(column + 0.5) * c->width_px / COLUMNS - 0.5,
                          (row + 0.5) * c->height_px / ROWS - 0.5};
        double std_px = r->map_px[row][column] = worst_std_px(c, pixel);
        if (!isnan(std_px))
            known[len++] = std_px;
    }
    r->map_median_px = pov_ranked(known, len, len / 2);
    r->map_max_px = pov_ranked(known, len, len - 1);
}

/* ---- advice --------------------------------------------------------------------------------------------------------- */

static void advise(pov_calibration_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void advise(pov_calibration_report *r, const char *format, ...)
{
    va_list arguments;
    char text[POV_CALIBRATION_TEXT_CAPACITY];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->advice_len < POV_CALIBRATION_ADVICE_MAX)
        memcpy(r->advice[r->advice_len++], text, sizeof text);
}

static void advise_on_zones(pov_calibration_report *r)
{
    static const char *const names[ZONES * ZONES] = {
        "upper left corner", "top edge",          "upper right corner", "left side",         "middle",
        "right side",        "lower left corner", "bottom edge",        "lower right corner"};
    char list[160] = "";
    int total = 0, missing = 0;
    for (int i = 0; i < ZONES * ZONES; i++)
        total += r->zone_points[i / ZONES][i % ZONES];
    for (int i = 0; i < ZONES * ZONES; i++)
        if (r->zone_points[i / ZONES][i % ZONES] * 3 * ZONES * ZONES < total) { /* a third of a fair share */
            size_t length = strlen(list);
            snprintf(list + length, sizeof list - length, "%s%s", missing++ ? ", " : "", names[i]);
        }
    if (missing)
        advise(r, "hardly any views in the %s: move the board there, close enough to reach beyond the edge",
               list);
}

/* How many views the board leans to each side: its normal's direction in the image, in four quarters. */
static void advise_on_tilt(pov_calibration_report *r, const pov_camera_calibration *c)
{
    int tilted = 0, side[4] = {0}; /* left, right, up, down */
    int posed = 0;                 /* before there is a camera, nobody knows how boards are tilted */
    r->tilt_max_rad = 0;
    for (int i = 0; i < r->view_len; i++) {
        const pov_calibration_view *view = &c->views[i];
        if (view->fate != POV_VIEW_USED || isnan(view->tilt_rad))
            continue;
        const double *normal[] = {view->T_camera_board.R.m[0], view->T_camera_board.R.m[1]};
        posed++;
        r->tilt_max_rad = fmax(r->tilt_max_rad, view->tilt_rad);
        if (view->tilt_rad < TILT_WANTED_RAD)
            continue;
        tilted++;
        bool across = fabs(normal[0][2]) > fabs(normal[1][2]);
        side[across ? (normal[0][2] > 0) : 2 + (normal[1][2] > 0)]++;
    }
    if (posed > 0 && tilted * 3 < r->used_len)
        advise(r, "%d of %d views are tilted by 20 degrees or more: tilt the board more, up to 50", tilted,
               r->used_len);
    else if (posed > 0 && (!(side[0] + side[1]) || !(side[2] + side[3])))
        advise(r, "the board leans only %s: tilt it the other way, too",
               side[0] + side[1] ? "sideways" : "up and down");
}

static void advise_on_fit(pov_calibration_report *r)
{
    double focal = sqrt(r->fit.covariance[0][0]) / r->fit.camera.fx_px;
    if (focal > 0.003)
        advise(r, "the focal length is known to %.1f %%: more views, tilted, and the board close",
               focal * 100);
    if (r->models[r->model].holdout_px > 1.3 * r->fit.rms_px)
        advise(r, "images not fitted to are off by %.2f px, those fitted to by %.2f: more images are needed",
               r->models[r->model].holdout_px, r->fit.rms_px);
    if (r->used_len < 15)
        advise(r, "%d views are few; 20 varied ones are better", r->used_len);
}

void pov_calibration_survey(pov_camera_calibration *c, const pov_calibration_config *config, bool fitted)
{
    pov_calibration_report *r = &c->report;
    r->advice_len = 0;
    count_zones(c);
    if (fitted) {
        r->distance_m = config->distance_m > 0 ? config->distance_m : median_distance_m(&c->used);
        make_map(c);
    }
    advise_on_zones(r);
    advise_on_tilt(r, c);
    if (fitted)
        advise_on_fit(r);
}
