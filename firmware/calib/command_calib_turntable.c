#include "calib/tags/disc_file.h"
#include "calib/tags/tag_map_file.h"
#include "calib/turntable/turn_angles.h"
#include "calib/turntable/turntable_report.h"
#include "config/files/write_file.h"
#include "firmware/calib/name_list.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/progress.h"
#include "firmware/run/station_runner.h"
#include "firmware/station/station.h"
#include "firmware/sweep/sweep_rig.h"
#include "perception/tags/tag_detector.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *station, *images, *camera; /* the latter two in place of the station's source */
    const char *angles, *ring;             /* files; angles "names": in the images' names */
    double edge_m;                         /* of the tags on the disc; 0: not given */
    pov_name_list without;                 /* images */
    bool by_hand, json;
    int stops;
    const char *out, *html;
} turntable_options;

typedef struct {
    turntable_options *options;
    pov_station station;
    pov_tag_map ring;
    pov_turn_angles angles;
    pov_tag_detector *detector;
    pov_tags tags; /* in the last image */
    pov_turntable_calibration *calibration;
} turntable_session;

/* ---- images ---- */

/* Corners that move by less from one image to the next, of an image 1280 wide, stand still. */
static const double STILL_PX = 1.0;
/* The tags on the disc have moved on when they did so by this share of the image's width, in the mean. */
static const double NEW_OF_WIDTH = 0.015;

typedef struct {
    turntable_session *session;
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

static pov_status add_image(gatherer *g, const pov_image *image, const pov_turntable_commanded *told)
{
    POV_TRY(pov_turntable_calibration_add(g->session->calibration, image->name, &g->session->tags, told));
    pov_progress_update(&g->progress, ++g->done, pov_clock_monotonic_ns());
    return pov_ok();
}

/* ---- a folder ---- */

static const pov_turntable_commanded *told_of(pov_turntable_commanded *told, const turntable_session *session,
                                              const char *name)
{
    const char *from = session->options->angles;
    *told = (pov_turntable_commanded){0};
    if (!from)
        return NULL;
    if (strcmp(from, "names") == 0)
        return pov_turn_angle_in_name(&told->commanded_rad, name) ? told : NULL;
    const pov_turn_angle *angle = pov_turn_angles_find(&session->angles, name);
    if (!angle)
        return NULL;
    *told = (pov_turntable_commanded){angle->angle_rad, angle->way};
    return told;
}

static pov_status gather_folder(gatherer *g)
{
    pov_image image;
    pov_status status = pov_ok();
    for (int i = 0; status.code == POV_OK && !pov_cli_stop_requested(); i++) {
        pov_turntable_commanded told;
        status = pov_sweep_rig_shoot(g->rig, &image, i);
        if (status.code == POV_OK && pov_name_list_has(&g->session->options->without, image.name)) {
            status = pov_turntable_calibration_leave_out(g->session->calibration, image.name);
            continue;
        }
        POV_THEN(status, find_tags(g, &image));
        POV_THEN(status, add_image(g, &image, told_of(&told, g->session, image.name)));
        if (status.code == POV_SKIPPED) {
            pov_progress_clear(&g->progress);
            pov_cli_warn("%s", status.message);
            status = pov_ok();
        }
    }
    if (status.code == POV_END)
        return pov_name_list_check(&g->session->options->without, "--without", "the images");
    return status;
}

/* ---- a motor, or a simulator ---- */

static pov_status shoot_at(gatherer *g, double angle_rad, int stop)
{
    pov_image image;
    const pov_turntable_commanded told = {.commanded_rad = angle_rad};
    POV_TRY(pov_sweep_rig_turn(g->rig, angle_rad));
    POV_TRY(pov_sweep_rig_shoot(g->rig, &image, stop));
    POV_TRY(find_tags(g, &image));
    return add_image(g, &image, &told);
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
static double motion_px(const turntable_session *session, const pov_tags *a, const pov_tags *b)
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

static void print_progress(const char **told, int64_t taken, const char *what)
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
        POV_THEN(status, find_tags(g, &image));
        if (status.code == POV_SKIPPED || status.code == POV_TIMEOUT) {
            print_progress(&told, g->done, "no image comes from the camera");
            continue;
        }
        if (status.code != POV_OK)
            break;
        const pov_tags *seen = &g->session->tags;
        const double moved_px = motion_px(g->session, seen, &last);
        if (isinf(motion_px(g->session, seen, seen)))
            print_progress(&told, g->done, "no tag on the disc is in view");
        else if (moved_px > STILL_PX * width_px / 1280)
            print_progress(&told, g->done, "hold it still");
        else if (g->done > 0 && motion_px(g->session, seen, &taken) < NEW_OF_WIDTH * width_px)
            print_progress(&told, g->done, "turn it on by some degrees, and let go");
        else {
            POV_TRY(add_image(g, &image, NULL));
            taken = *seen;
        }
        last = *seen;
    }
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    return status.code == POV_END || status.code == POV_OK ? pov_ok() : status;
}

/* Adds images: all of a folder; one at each stop of a motor or a simulator, once round and back; or whenever a hand holds
 * the table still. */
static pov_status gather_images(turntable_session *session)
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

/* ---- the command ---- */

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_OPTIONS_HEADING(
        "The table is turned by the station's turntable, if it has one and a camera (or simulator), once "
        "round and back; or"),
    POV_FLAG(turntable_options, by_hand, "by-hand",
             "you: turn it on by 10 degrees or so, let go, and so on; Ctrl-C ends"),
    POV_PATH(turntable_options, images, "images", "DIR",
             "nothing now: images that were taken while it turned"),
    POV_TAKEN(turntable_options, without, "without", "FILE", pov_name_list_take,
              "an image of --images that is not to be used; may be given more than once"),
    POV_OPTIONS_HEADING("Which tags are on it; without either, those that the station's cast carries:"),
    POV_PATH(turntable_options, ring, "ring", "FILE",
             "the map that 'pov tags ring' wrote. Its x axis is the zero, unless angles are known"),
    POV_NUMBER(
        turntable_options, edge_m, "edge", "MM", 1, 10000,
        "edge of their black squares, in millimetres; on the disc are then all that are not in the map",
        .unit = 1e-3),
    POV_OPTIONS_HEADING("And:"),
    POV_TEXT(turntable_options, camera, "camera", "ID",
             "takes images from this camera instead of the station's source"),
    POV_PATH(
        turntable_options, angles, "angles", "FILE.csv",
        "where it was told to stand in --images: NAME,DEGREES or NAME,DEGREES,up (or down: the way it came "
        "there). 'names': the last number in each file's name"),
    POV_WHOLE(turntable_options, stops, "stops", "N", 4, POV_TURN_IMAGE_MAX / 2,
              "by motor or hand: stops of a whole turn"),
    POV_PATH(turntable_options, out, "out", "FILE",
             "for the station file: turntable: {calibration: FILE}; 'none': do not write"),
    POV_PATH(turntable_options, html, "html", "FILE", "a page with plots"),
    POV_FLAG(turntable_options, json, "json", "one JSON object instead of tables"),
    POV_OPTIONS_END,
};

const pov_command pov_command_calib_turntable = {
    .name = "calib turntable",
    .summary = "a turntable's axis, zero, slip and play, from the tags on it",
    .run = run,
    .usage = "STATION.yaml [--ring RING.yaml | --edge MM] [OPTIONS]",
    .about =
        "Measures a turntable from the tags on it while it turns: its axis, where its tags are, its zero and "
        "direction; and how exactly it follows commands: backlash, slip. The tags of the "
        "station's map, or the camera's pose, say where the table is. docs/CALIBRATION.md",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "which station file?"},
    .examples = "pov calib turntable my_table.yaml --ring ring.yaml\n"
                "pov calib turntable my_table.yaml --images turned/ --angles turned.csv --edge 60",
    .exits = "0 done; 1 no calibration, and nothing written (the message says why)",
};

static int check_options(const turntable_options *options)
{
    if (options->images && options->camera)
        return pov_cli_usage("calib turntable", "--images and --camera exclude each other");
    if (options->ring && options->edge_m > 0)
        return pov_cli_usage("calib turntable", "--ring says how large its tags are; leave --edge out");
    if (options->without.len > 0 && !options->images)
        return pov_cli_usage("calib turntable", "--without names images of --images");
    if (options->angles && !options->images)
        return pov_cli_usage("calib turntable", "--angles are those of --images");
    return POV_GO_ON;
}

static int read_options(turntable_options *options, int argc, char **argv)
{
    pov_words words;
    POV_OR_EXIT(pov_command_read(options, &words, &pov_command_calib_turntable, argc, argv));
    options->station = words.word[0];
    if (strcmp(options->out, "none") == 0)
        options->out = NULL;
    return check_options(options);
}

/* ---- what is known beforehand ---- */

/* Tags that things carry stand on the disc as likely as not; those that do not turn will be left out. */
static void take_carried_tags(turntable_session *session)
{
    const pov_cast *cast = &session->station.cast;
    for (int i = 0; i < cast->len && session->ring.len < POV_TAG_MAP_MAX; i++)
        if (cast->members[i].found_by == &pov_found_by_tag)
            session->ring.tags[session->ring.len++] =
                (pov_tag_map_entry){.family = cast->members[i].tag_family,
                                    .id = cast->members[i].tag_id,
                                    .edge_m = cast->members[i].tag_edge_m,
                                    .T_table_tag = pov_pose_exact(pov_transform_identity())};
}

static pov_status know_ring(turntable_session *session)
{
    const turntable_options *options = session->options;
    if (options->ring) {
        POV_TRY(pov_tag_map_read(&session->ring, options->ring));
        for (int i = 0; i < session->ring.len; i++)
            session->station.finders.tags.detector.family[session->ring.tags[i].family] = true;
        return pov_ok();
    }
    if (options->edge_m == 0)
        take_carried_tags(session);
    if (options->edge_m == 0 && session->ring.len == 0)
        return pov_error(
            "which tags are on the disc, and how large are they? Say --ring RING.yaml (what 'pov tags ring' "
            "wrote) or --edge MM (the edge of their black squares)");
    return pov_ok();
}

static pov_status read_station(turntable_session *session)
{
    const turntable_options *options = session->options;
    pov_station *station = &session->station;
    POV_TRY(pov_station_read(station, options->station));
    pov_station_source_replace(&station->source, options->images, options->camera);
    if (!*station->calibration.path)
        return pov_error(
            "%s: the camera is not calibrated (it has a field_of_view_deg only); pov calib camera first",
            options->station);
    if (station->finders.tags.map.len == 0 && !station->place.is_given)
        return pov_error(
            "%s: nothing says where the table is: add tags.map (tags that are fixed to the table), or "
            "camera.pose of a camera that stands still",
            options->station);
    return know_ring(session);
}

static pov_status read_angles(turntable_session *session)
{
    const char *angles = session->options->angles;
    return angles && strcmp(angles, "names") != 0 ? pov_turn_angles_read(&session->angles, angles) : pov_ok();
}

/* ---- the result ---- */

static pov_status write_disc(const turntable_session *session, const pov_turntable_report *report,
                             const char *date)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, session->options->out));
    fprintf(file.stream, "# A turntable, measured by 'pov calib turntable'. In the station file: turntable: "
                         "{calibration: THIS FILE}\n");
    pov_disc_file_write(file.stream, &report->disc);
    fprintf(file.stream,
            "measured:\n  date: \"%s\"\n  camera_calibration: \"%016" PRIx64
            "\"\n  images: %d\n  arc_deg: %.1f\n  rms_px: %.4g\n  zero_by: %s\n",
            date, pov_camera_hash(&session->station.camera), report->used_len, report->arc_rad / POV_DEG,
            report->rms_px, pov_zero_source_name(report->zero));
    if (report->has_slip)
        fprintf(file.stream, "  direction: %s\n  slips: %d\n",
                report->slip.clockwise ? "clockwise" : "counterclockwise", report->slip.slip_len);
    if (report->has_slip && report->slip.has_backlash)
        fprintf(file.stream, "  backlash_deg: %.4g\n", report->slip.backlash_rad / POV_DEG);
    return pov_write_file_end(&file, pov_ok());
}

/* Both files, or neither; of a calibration that was refused the page only. */
static pov_status write_files(const turntable_session *session, const pov_turntable_report *report)
{
    const turntable_options *options = session->options;
    const bool has_disc = options->out && report->is_calibrated;
    char date[32];
    pov_clock_date(date);
    if (!options->html)
        return has_disc ? write_disc(session, report, date) : pov_ok();
    pov_write_file page;
    POV_TRY(pov_write_file_begin(&page, options->html));
    pov_turntable_report_page(page.stream, report, options->station, date);
    return pov_write_file_end(&page, has_disc ? write_disc(session, report, date) : pov_ok());
}

static pov_status calibrate_turntable(turntable_session *session)
{
    const pov_station *station = &session->station;
    const pov_turntable_setup setup = {
        .camera = &station->camera,
        .map = station->finders.tags.map.len > 0 ? &station->finders.tags.map : NULL,
        .T_table_camera = station->place.is_given ? &station->place.T_table_camera : NULL,
        .ring = session->ring.len > 0 ? &session->ring : NULL,
        .edge_m = session->options->edge_m};
    POV_TRY(pov_tag_detector_new(&session->detector, &station->finders.tags.detector));
    session->calibration = pov_turntable_calibration_new(&setup);
    POV_TRY(gather_images(session));
    return pov_turntable_calibration_run(session->calibration);
}

/* From one place a disc with smaller tags looks just like a nearer one. Only how far apart they are tells. */
static void warn_of_scale(const turntable_session *session, const pov_turntable_report *report)
{
    const double tolerated = 0.01, scale = pov_turntable_ring_scale(&report->disc, &session->ring);
    if (fabs(scale - 1) > tolerated)
        pov_cli_warn(
            "the tags on the disc are %.1f %% %s than %s has them, and the axis is off by as much of "
            "its distance from the camera: measure the edge of one, and say so there (edge_m)",
            100 * fabs(scale - 1), scale > 1 ? "farther apart" : "nearer together", session->options->ring);
}

static pov_status measure_turntable(turntable_session *session)
{
    const turntable_options *options = session->options;
    POV_TRY(read_station(session));
    POV_TRY(read_angles(session));
    const pov_status status = calibrate_turntable(session);
    if (status.code != POV_OK && status.code != POV_UNDEFINED) /* nothing was measured */
        return status;
    const pov_turntable_report *report = pov_turntable_calibration_report(session->calibration);
    POV_TRY(write_files(session, report));
    if (status.code == POV_OK)
        warn_of_scale(session, report);
    if (options->json)
        pov_turntable_report_json(stdout, report);
    else
        pov_turntable_report_text(stdout, report);
    if (status.code == POV_OK && options->out && !options->json)
        printf("Wrote %s%s%s.\n", options->out, options->html ? " and " : "",
               options->html ? options->html : "");
    return status;
}

static int run(int argc, char **argv)
{
    turntable_options options = {.out = "turntable.yaml", .stops = 24};
    POV_OR_EXIT(read_options(&options, argc, argv));
    pov_cli_catch_signals();
    turntable_session *session = pov_allocate(1, sizeof *session);
    session->options = &options;
    const pov_status status = measure_turntable(session);
    pov_tag_detector_destroy(&session->detector);
    pov_turntable_calibration_destroy(&session->calibration);
    free(session);
    return pov_cli_exit(status);
}
