#include "firmware/calib/calib_camera.h"

#include "firmware/cli.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_MS = 1000, FIRST_RUN = 10 };

/* Corners that move by less than this from one image to the next, of an image 1280 wide, stand still. */
static const double STILL_PX = 1.0;
/* A new view's corners lie at least so far from every old one's, as a share of the image's width, in the mean. */
static const double NEW_OF_WIDTH = 0.03;
/* Good enough: most points of the image are known to so many pixels. */
static const double GOOD_MEDIAN_PX = 0.15, GOOD_MAX_PX = 1.0;

typedef struct {
    int shots;
    pov_board_view last;
    const char *told;
} live;

/* Mean distance of the corners that both views show; infinite if they share less than half of them. */
static double mean_motion_px(const pov_board_view *a, const pov_board_view *b)
{
    double sum = 0;
    int shared = 0;
    for (int i = 0, k = 0; i < a->len; i++) {
        for (k = 0; k < b->len && (a->board_m[i].x != b->board_m[k].x || a->board_m[i].y != b->board_m[k].y);)
            k++;
        if (k == b->len)
            continue;
        sum += hypot(a->pixel[i].x - b->pixel[k].x, a->pixel[i].y - b->pixel[k].y);
        shared++;
    }
    return shared * 2 > a->len ? sum / shared : INFINITY;
}

static bool is_new(const pov_calib_session *session, int width_px)
{
    const pov_calibration_report *report = pov_camera_calibration_report(session->calibration);
    for (int i = 0; i < report->view_len; i++)
        if (mean_motion_px(&session->seen, &report->views[i].seen) < NEW_OF_WIDTH * width_px)
            return false;
    return true;
}

static void tell(live *state, const char *what)
{
    if (state->told && strcmp(state->told, what) == 0)
        return;
    state->told = what;
    fprintf(stderr, isatty(STDERR_FILENO) ? "\r\033[K%d taken; %s" : "%d taken; %s\n", state->shots, what);
}

static void tell_missing(const live *state, const pov_calibration_report *report)
{
    fprintf(stderr, isatty(STDERR_FILENO) ? "\r\033[K" : "");
    fprintf(stderr, "%d taken", state->shots);
    if (state->shots >= FIRST_RUN && isfinite(report->map_median_px))
        fprintf(stderr, ", a point is known to %.2f px, at worst %.2f", report->map_median_px,
                report->map_max_px);
    fputs(report->advice_len ? ". Still missing:\n" : ".\n", stderr);
    for (int i = 0; i < report->advice_len; i++)
        fprintf(stderr, "  %s\n", report->advice[i]);
}

static bool is_good(const pov_calibration_report *report)
{
    return report->map_median_px < GOOD_MEDIAN_PX && report->map_max_px < GOOD_MAX_PX &&
           report->advice_len == 0;
}

/* Takes the image; true when there is no need of more. */
static pov_status take(pov_calib_session *session, live *state, const pov_image *image, bool *enough)
{
    const pov_calib_options *options = session->options;
    if (options->camera)
        pov_calib_device_of(session->device, image->name);
    POV_TRY(pov_camera_calibration_add(session->calibration, image, &session->seen, ""));
    state->shots++;
    state->told = NULL;
    pov_status status = pov_camera_calibration_run(session->calibration, &options->config);
    const pov_calibration_report *report = pov_camera_calibration_report(session->calibration);
    tell_missing(state, report);
    *enough = state->shots >= options->view_max ||
              (status.code == POV_OK && state->shots >= FIRST_RUN && is_good(report));
    return status.code == POV_ERROR ? status : pov_ok();
}

static pov_status look(pov_calib_session *session, live *state, const pov_image *image, bool *enough)
{
    pov_status status = pov_board_finder_run(session->finder, &session->seen, image);
    if (status.code == POV_ERROR)
        return status;
    double motion_px = mean_motion_px(&session->seen, &state->last);
    state->last = session->seen;
    if (status.code != POV_OK)
        tell(state, "show the board");
    else if (motion_px > STILL_PX * image->width_px / 1280)
        tell(state, "hold it still");
    else if (!is_new(session, image->width_px))
        tell(state, "show it elsewhere, tilted otherwise");
    else
        return take(session, state, image, enough);
    return pov_ok();
}

pov_status pov_calib_gather_live(pov_calib_session *session, pov_image_source *source)
{
    live *state = &(live){0};
    bool enough = false;
    pov_status status = pov_ok();
    while (status.code == POV_OK && !enough && !pov_cli_stop_requested()) {
        pov_image image;
        status = pov_image_source_next(source, &image, TIMEOUT_MS);
        if (status.code == POV_OK) {
            status = look(session, state, &image, &enough);
        } else if (status.code == POV_SKIPPED || status.code == POV_TIMEOUT) {
            tell(state,
                 status.code == POV_TIMEOUT ? "no image comes from the camera" : "an image was skipped");
            status = pov_ok();
        }
    }
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    return status.code == POV_END ? pov_ok() : status;
}
