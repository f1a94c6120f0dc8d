#include "firmware/calib/calib_turntable.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/progress.h"
#include "firmware/sweep/sweep_rig.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Corners that move by less from one image to the next, of an image 1280 wide, stand still. */
static const double STILL_PX = 1.0;
/* The tags on the disc have moved on when they did so by this share of the image's width, in the mean. */
static const double NEW_OF_WIDTH = 0.015;

typedef struct {
    pov_calib_turntable_session *session;
    pov_sweep_rig *rig;
    pov_progress progress;
    int64_t done;
} gatherer;

static pov_status find_tags(gatherer *g, const pov_image *image)
{
    const pov_camera *camera = &g->session->station.camera;
    if (image->width_px != camera->width_px || image->height_px != camera->height_px)
        return pov_error(
            "%s: %d x %d pixels, but the calibration is for %d x %d; use images of that size, or calibrate "
            "the camera at this one",
            image->name, image->width_px, image->height_px, camera->width_px, camera->height_px);
    return pov_tag_detector_run(g->session->detector, &g->session->tags, image);
}

static pov_status add(gatherer *g, const pov_image *image, const pov_turntable_told *told)
{
    POV_TRY(pov_turntable_calibration_add(g->session->calibration, image->name, &g->session->tags, told));
    pov_progress_update(&g->progress, ++g->done, pov_clock_monotonic_ns());
    return pov_ok();
}

/* ---- a folder ---- */

static const pov_turntable_told *told_of(pov_turntable_told *told, const pov_calib_turntable_session *session,
                                         const char *name)
{
    const char *from = session->options->angles;
    *told = (pov_turntable_told){0};
    if (!from)
        return NULL;
    if (strcmp(from, "names") == 0)
        return pov_turn_angle_in_name(&told->told_rad, name) ? told : NULL;
    const pov_turn_angle *angle = pov_turn_angles_find(&session->angles, name);
    if (!angle)
        return NULL;
    *told = (pov_turntable_told){angle->angle_rad, angle->way};
    return told;
}

static pov_status gather_folder(gatherer *g)
{
    pov_image image;
    pov_status status = pov_ok();
    for (int i = 0; status.code == POV_OK && !pov_cli_stop_requested(); i++) {
        pov_turntable_told told;
        status = pov_sweep_rig_shoot(g->rig, &image, i);
        if (status.code == POV_OK)
            status = find_tags(g, &image);
        if (status.code == POV_OK)
            status = add(g, &image, told_of(&told, g->session, image.name));
        if (status.code == POV_SKIPPED) {
            pov_progress_clear(&g->progress);
            pov_cli_warn("%s", status.message);
            status = pov_ok();
        }
    }
    return status.code == POV_END ? pov_ok() : status;
}

/* ---- a motor, or a simulator ---- */

static pov_status shoot_at(gatherer *g, double angle_rad, int stop)
{
    pov_image image;
    const pov_turntable_told told = {.told_rad = angle_rad};
    POV_TRY(pov_sweep_rig_turn(g->rig, angle_rad));
    POV_TRY(pov_sweep_rig_shoot(g->rig, &image, stop));
    POV_TRY(find_tags(g, &image));
    return add(g, &image, &told);
}

/* Up, and down again between those stops, so that a gear's play shows; with a take-up it never does. */
static pov_status gather_turning(gatherer *g)
{
    const int stops = g->session->options->stops;
    const bool back = g->session->station.turntable.config.take_up_rad == 0;
    const double step_rad = 2 * POV_PI / stops;
    pov_status status = pov_sweep_rig_home(g->rig);
    for (int i = 0; i < stops && status.code == POV_OK && !pov_cli_stop_requested(); i++)
        status = shoot_at(g, i * step_rad, i);
    for (int i = stops - 2; back && i >= 0 && status.code == POV_OK && !pov_cli_stop_requested(); i--)
        status = shoot_at(g, (i + 0.5) * step_rad, 2 * stops - 2 - i);
    return status.code == POV_END ? pov_ok() : status;
}

/* ---- a hand ---- */

/* Mean motion of the corners of tags that are not fixed; infinite if none is in both. */
static double motion_px(const pov_calib_turntable_session *session, const pov_tags *a, const pov_tags *b)
{
    double sum = 0;
    int len = 0;
    for (int i = 0; i < a->len; i++)
        for (int k = 0; k < b->len; k++) {
            const pov_tag *p = &a->tags[i], *q = &b->tags[k];
            if (p->family != q->family || p->id != q->id ||
                pov_tag_map_find(&session->station.finders.tags.map, p->family, p->id))
                continue;
            for (int c = 0; c < 4; c++, len++)
                sum += hypot(p->corner_px[c].x - q->corner_px[c].x, p->corner_px[c].y - q->corner_px[c].y);
        }
    return len > 0 ? sum / len : INFINITY;
}

static void tell(const char **told, int64_t taken, const char *what)
{
    if (*told == what)
        return;
    *told = what;
    fprintf(stderr, isatty(STDERR_FILENO) ? "\r\033[K%d taken; %s" : "%d taken; %s\n", (int)taken, what);
}

static pov_status gather_by_hand(gatherer *g)
{
    static pov_tags last, taken; /* large; one command runs at a time */
    const char *told = NULL;
    const double width_px = g->session->station.camera.width_px;
    pov_status status = pov_ok();
    last.len = taken.len = 0;
    while (g->done < g->session->options->stops && !pov_cli_stop_requested()) {
        pov_image image;
        status = pov_sweep_rig_shoot(g->rig, &image, 0);
        if (status.code == POV_OK)
            status = find_tags(g, &image);
        if (status.code == POV_SKIPPED || status.code == POV_TIMEOUT) {
            tell(&told, g->done, "no image comes from the camera");
            continue;
        }
        if (status.code != POV_OK)
            break;
        const pov_tags *seen = &g->session->tags;
        const double moved_px = motion_px(g->session, seen, &last);
        if (isinf(motion_px(g->session, seen, seen)))
            tell(&told, g->done, "no tag on the disc is in view");
        else if (moved_px > STILL_PX * width_px / 1280)
            tell(&told, g->done, "hold it still");
        else if (g->done > 0 && motion_px(g->session, seen, &taken) < NEW_OF_WIDTH * width_px)
            tell(&told, g->done, "turn it on by some degrees, and let go");
        else {
            POV_TRY(add(g, &image, NULL));
            taken = *seen;
        }
        last = *seen;
    }
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    return status.code == POV_END || status.code == POV_OK ? pov_ok() : status;
}

pov_status pov_calib_turntable_gather(pov_calib_turntable_session *session)
{
    gatherer g = {.session = session};
    POV_TRY(pov_sweep_rig_new(&g.rig, &session->station, session->options->by_hand));
    const pov_rig_kind kind = pov_sweep_rig_kind(g.rig);
    const int64_t expected = kind == POV_RIG_FOLDER ? pov_sweep_rig_stops(g.rig)
                             : kind == POV_RIG_HAND ? -1
                                                    : 2 * session->options->stops - 1;
    g.progress = pov_progress_start(kind == POV_RIG_HAND ? NULL : stderr, "images", expected,
                                    pov_clock_monotonic_ns());
    const pov_status status = kind == POV_RIG_FOLDER ? gather_folder(&g)
                              : kind == POV_RIG_HAND ? gather_by_hand(&g)
                                                     : gather_turning(&g);
    pov_progress_clear(&g.progress);
    pov_sweep_rig_destroy(&g.rig);
    return status;
}
