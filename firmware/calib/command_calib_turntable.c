#include "calib/tags/disc_file.h"
#include "calib/tags/tag_map_file.h"
#include "config/files/write_file.h"
#include "firmware/calib/calib_turntable.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/run/station_runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_OPTIONS_HEADING(
        "What turns it: the station's turntable, if it has one and a camera (or simulator), once "
        "round and back; or"),
    POV_FLAG(pov_calib_turntable_options, by_hand, "by-hand",
             "you: turn it on by 10 degrees or so, let go, and so on; Ctrl-C ends"),
    POV_PATH(pov_calib_turntable_options, images, "images", "DIR",
             "nothing now: images that were taken while it turned"),
    POV_OPTIONS_HEADING("Which tags are on it; without either, those that the station's cast carries:"),
    POV_PATH(pov_calib_turntable_options, ring, "ring", "FILE",
             "the map that 'pov tags ring' wrote. Its x axis is the zero, unless angles are known"),
    POV_NUMBER(
        pov_calib_turntable_options, edge_m, "edge", "MM", 1, 10000,
        "edge of their black squares, in millimetres; on the disc are then all that are not in the map",
        .unit = 1e-3),
    POV_OPTIONS_HEADING("And:"),
    POV_TEXT(pov_calib_turntable_options, camera, "camera", "ID",
             "takes images from this camera instead of the station's source"),
    POV_PATH(
        pov_calib_turntable_options, angles, "angles", "FILE.csv",
        "where it was told to stand in --images: NAME,DEGREES or NAME,DEGREES,up (or down: the way it came "
        "there). 'names': the last number in each file's name"),
    POV_WHOLE(pov_calib_turntable_options, stops, "stops", "N", 4, POV_TURN_IMAGE_MAX / 2,
              "by motor or hand: stops of a whole turn"),
    POV_PATH(pov_calib_turntable_options, out, "out", "FILE",
             "for the station file: turntable: {calibration: FILE}; 'none': do not write"),
    POV_PATH(pov_calib_turntable_options, html, "html", "FILE", "a page with plots"),
    POV_FLAG(pov_calib_turntable_options, json, "json", "one JSON object instead of tables"),
    POV_OPTIONS_END,
};

const pov_command pov_command_calib_turntable = {
    .name = "calib turntable",
    .summary = "a turntable's axis, zero, slip and play, from the tags on it",
    .run = run,
    .usage = "STATION.yaml [--ring RING.yaml | --edge MM] [OPTIONS]",
    .about =
        "Measures a turntable from the tags on it while it turns: its axis, where its tags are, its zero and "
        "direction; and how truly it follows what it is told: play of its gear, slip. The tags of the "
        "station's map, or the camera's pose, say where the table is. docs/CALIBRATION.md",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "which station file?"},
    .examples = "pov calib turntable my_table.yaml --ring ring.yaml\n"
                "pov calib turntable my_table.yaml --images turned/ --angles turned.csv --edge 60",
    .exits = "0 done; 1 no calibration, and nothing written (the message says why)",
};

static int check_options(const pov_calib_turntable_options *options)
{
    if (options->images && options->camera)
        return pov_cli_usage("calib turntable", "--images and --camera exclude each other");
    if (options->ring && options->edge_m > 0)
        return pov_cli_usage("calib turntable", "--ring says how large its tags are; leave --edge out");
    if (options->angles && !options->images)
        return pov_cli_usage("calib turntable", "--angles are those of --images");
    return POV_GO_ON;
}

static int read_options(pov_calib_turntable_options *options, int argc, char **argv)
{
    pov_words words;
    const int code = pov_command_read(options, &words, &pov_command_calib_turntable, argc, argv);
    if (code != POV_GO_ON)
        return code;
    options->station = words.word[0];
    if (strcmp(options->out, "none") == 0)
        options->out = NULL;
    return check_options(options);
}

/* ---- what is known beforehand ---- */

/* Tags that things carry stand on the disc as likely as not; those that do not turn will be left out. */
static void take_carried_tags(pov_calib_turntable_session *session)
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

static pov_status know_ring(pov_calib_turntable_session *session)
{
    const pov_calib_turntable_options *options = session->options;
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

static pov_status read_station(pov_calib_turntable_session *session)
{
    const pov_calib_turntable_options *options = session->options;
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

static pov_status read_angles(pov_calib_turntable_session *session)
{
    const char *angles = session->options->angles;
    return angles && strcmp(angles, "names") != 0 ? pov_turn_angles_read(&session->angles, angles) : pov_ok();
}

/* ---- the result ---- */

static pov_status write_disc(const pov_calib_turntable_session *session, const pov_turntable_report *report,
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

/* Both files, or neither. */
static pov_status write_files(const pov_calib_turntable_session *session, const pov_turntable_report *report)
{
    const pov_calib_turntable_options *options = session->options;
    char date[32];
    pov_clock_date(date);
    if (!options->html)
        return options->out ? write_disc(session, report, date) : pov_ok();
    pov_write_file page;
    POV_TRY(pov_write_file_begin(&page, options->html));
    pov_calib_turntable_print_html(page.stream, report, options, date);
    return pov_write_file_end(&page, options->out ? write_disc(session, report, date) : pov_ok());
}

static pov_status calibrate(pov_calib_turntable_session *session)
{
    const pov_station *station = &session->station;
    const pov_turntable_setup setup = {
        .camera = &station->camera,
        .map = station->finders.tags.map.len > 0 ? &station->finders.tags.map : NULL,
        .T_table_camera = station->place.is_given ? &station->place.T_table_camera : NULL,
        .ring = session->ring.len > 0 ? &session->ring : NULL,
        .edge_m = session->options->edge_m};
    POV_TRY(pov_tag_detector_new(&session->detector, &station->finders.tags.detector));
    POV_TRY(pov_turntable_calibration_new(&session->calibration, &setup));
    POV_TRY(pov_calib_turntable_gather(session));
    return pov_turntable_calibration_run(session->calibration);
}

/* From one place a disc with smaller tags looks just like a nearer one. Only how far apart they are tells. */
static void warn_of_scale(const pov_calib_turntable_session *session, const pov_turntable_report *report)
{
    const double tolerated = 0.01, scale = pov_turntable_ring_scale(&report->disc, &session->ring);
    if (fabs(scale - 1) > tolerated)
        pov_cli_warn(
            "the tags on the disc are %.1f %% %s than %s has them, and the axis is off by as much of "
            "its distance from the camera: measure the edge of one, and say so there (edge_m)",
            100 * fabs(scale - 1), scale > 1 ? "farther apart" : "nearer together", session->options->ring);
}

static pov_status measure(pov_calib_turntable_session *session)
{
    const pov_calib_turntable_options *options = session->options;
    POV_TRY(read_station(session));
    POV_TRY(read_angles(session));
    POV_TRY(calibrate(session));
    const pov_turntable_report *report = pov_turntable_calibration_report(session->calibration);
    POV_TRY(write_files(session, report));
    warn_of_scale(session, report);
    if (options->json) {
        pov_calib_turntable_print_json(stdout, report);
        return pov_ok();
    }
    pov_calib_turntable_print_text(stdout, report);
    if (options->out)
        printf("Wrote %s%s%s.\n", options->out, options->html ? " and " : "",
               options->html ? options->html : "");
    return pov_ok();
}

static int run(int argc, char **argv)
{
    pov_calib_turntable_options options = {.out = "turntable.yaml", .stops = 24};
    const int code = read_options(&options, argc, argv);
    if (code != POV_GO_ON)
        return code;
    pov_cli_catch_signals();
    pov_calib_turntable_session *session = calloc(1, sizeof *session);
    if (!session)
        return pov_cli_fail(pov_error("out of memory"));
    session->options = &options;
    const pov_status status = measure(session);
    pov_tag_detector_destroy(&session->detector);
    pov_turntable_calibration_destroy(&session->calibration);
    free(session);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
