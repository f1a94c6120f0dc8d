#include "calib/tags/tag_map_file.h"
#include "calib/tags/tag_survey_report.h"
#include "config/files/read_file.h"
#include "config/files/write_file.h"
#include "config/yaml/yaml_edit.h"
#include "firmware/calib/name_list.h"
#include "firmware/calib/tag_options.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/run/station_runner.h"
#include "firmware/sources/ahead_source.h"
#include "firmware/sources/cameras_source.h"
#include "firmware/sources/each_image.h"
#include "firmware/sources/recording_source.h"
#include "firmware/station/station.h"
#include "perception/tags/tag_detector.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIVE_IMAGES = 40, FOLDER_IMAGES = 1000, STATION_BYTES_MAX = 1 << 20 };

/* Those whose images this process reads: others are refused. */
_Static_assert((int)POV_OWN_CAMERA_MAX <= (int)POV_SURVEY_CAMERA_MAX,
               "all cameras of a station are placed together");

typedef struct {
    const char *images, *board, *out, *map, *html;
    int count; /* images of each camera; 0: not given */
    pov_name_list without;
    pov_carried_list carried;
    bool json;
    pov_survey_config survey;
} cameras_options;

typedef struct {
    cameras_options options;
    const char *path; /* of the station file */
    pov_station *station;
    const char *names[POV_CAMERA_MAX];
    pov_shared_start start;
    pov_image_source *source; /* of all cameras */
    pov_tag_detector *detector;
    pov_camera_views *views;
    pov_tag_survey *survey;
    pov_tags tags;
    int taken[POV_CAMERA_MAX];
    char notes[POV_CAMERA_VIEWS_NOTE_MAX][POV_CAMERA_VIEWS_TEXT];
    pov_tag_map made;
} cameras_session;

/* ---- options ---- */

static int run(int argc, char **argv);

POV_NAMES_OF(families, pov_tag_family, POV_TAG_FAMILY_COUNT, pov_tag_family_name)

static const pov_option option_table[] = {
    POV_PATH(cameras_options, images, "images", "FILE",
             "a recording of the station (.mcap), in place of the images that it names"),
    POV_WHOLE(cameras_options, count, "count", "N", 1, FOLDER_IMAGES,
              "images of each camera (40 of one that is live, else all)"),
    POV_TAKEN(cameras_options, survey, "fix", "ID", pov_tag_fix_take,
              "the tag that the table frame is about, as of 'pov calib tags'; not needed with the station's "
              "tags.map"),
    POV_TAKEN(
        cameras_options, survey, "size", "M", pov_tag_size_take,
        "edge of the tags' black square that no map tells, in metres (or 30mm); --size 12=0.05 and --size "
        "20-31=0.05 for those of another size"),
    POV_PATH(cameras_options, board, "board", "FILE",
             "a tag map, as 'pov tags' prints with a sheet: its tags are carried together through the views"),
    POV_TAKEN(cameras_options, carried, "carried", "ID", pov_carried_take,
              "a tag that is carried, or turns, by itself, or a range of them (100-111); may be given more "
              "than once"),
    POV_CHOICE(cameras_options, survey.family, "family", "NAME", families, "of tags that are in no map"),
    POV_TAKEN(cameras_options, without, "without", "FILE", pov_name_list_take,
              "an image that is not to be used; may be given more than once"),
    POV_PATH(cameras_options, out, "out", "FILE",
             "the station file with the poses (the one that was read); 'none': do not write"),
    POV_PATH(cameras_options, map, "map", "FILE",
             "the tag map (tags.yaml beside the station, if it names none; else its own stays)"),
    POV_PATH(cameras_options, html, "html", "FILE", "a page with plots"),
    POV_FLAG(cameras_options, json, "json", "one JSON object instead of tables"),
    POV_OPTIONS_END,
};

const pov_command pov_command_calib_cameras = {
    .name = "calib cameras",
    .summary = "where a station's cameras are, and its tags, from images of all",
    .run = run,
    .usage = "STATION [OPTIONS]",
    .about = "Measures the poses of all cameras of a station, which stay, and where the tags are, in one "
             "adjustment. "
             "Lay tags where two cameras see them, or carry a board of tags through all views, and hold it "
             "still for a "
             "second in each place. Each camera's pose goes into the station file, with what it may be off "
             "by; all else "
             "in the file stays as it is written. docs/CALIBRATION.md",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "which station? Give its file"},
    .examples = "pov calib cameras station.yaml                     # the station has a tag map\n"
                "pov calib cameras station.yaml --size 60mm --fix 0 # tags that lie anywhere\n"
                "pov calib cameras station.yaml --board sheet.yaml --html cameras.html",
    .exits = "0 done, a camera that has no place is named; 1 no poses (the message says why); --html and "
             "--json tell "
             "what was seen, nothing else is written",
};

/* ---- images ---- */

static pov_status read_station(cameras_session *session)
{
    pov_station *station = session->station;
    POV_TRY(pov_station_parse(station, session->path, NULL, 0));
    if (station->camera_len < 2)
        return pov_error("%s has one camera; 'pov calib tags' measures its tags, and they its pose: name the "
                         "others under cameras: (docs/CAMERAS.md)",
                         session->path);
    for (int c = 0; c < station->camera_len; c++) {
        session->names[c] = station->cameras[c].id;
        if (station->cameras[c].source.kind == POV_SOURCE_STATION)
            return pov_error(
                "%s: camera '%s' is another process's, which sends no images: name its own source "
                "here, or calibrate it with that station's file",
                session->path, session->names[c]);
    }
    if (!session->options.images)
        return pov_ok();
    if (!pov_recording_is_one(session->options.images))
        return pov_error(
            "--images takes a recording of the station, which tells its cameras apart; for folders, "
            "name each in %s under cameras[].folder.path",
            session->path);
    for (int c = 0; c < station->camera_len; c++)
        pov_station_source_replace(&station->cameras[c].source, session->options.images, NULL);
    return pov_ok();
}

/* Folders' images come as fast as instants can be told apart, all cameras' alike; a simulated world keeps its clock. */
static void hurry(pov_station *station)
{
    static const double fast_hz = 25; /* a period is twice what counts as one instant; chosen */
    double most_hz = 0;
    for (int c = 0; c < station->camera_len; c++) {
        if (station->cameras[c].source.kind != POV_SOURCE_FOLDER)
            return;
        most_hz = fmax(most_hz, station->cameras[c].source.rate_hz);
    }
    for (int c = 0; c < station->camera_len && most_hz > 0 && most_hz < fast_hz; c++)
        station->cameras[c].source.rate_hz *= fast_hz / most_hz;
}

/* Each camera is read on a thread of its own, as when the station runs. */
static pov_status open_images(cameras_session *session)
{
    pov_image_source *sources[POV_CAMERA_MAX];
    pov_camera_feed feeds[POV_CAMERA_MAX];
    pov_cameras *cameras;
    bool is_live = false;
    pov_status status = pov_ok();
    const int len = session->station->camera_len;
    for (int c = 0; c < len; c++) { /* all images count, however late */
        is_live |= pov_source_is_camera(session->station->cameras[c].source.kind);
        session->station->cameras[c].source.live = session->station->cameras[c].source.loop = false;
    }
    hurry(session->station);
    POV_TRY(pov_station_open_sources(sources, session->station, &session->start));
    for (int c = 0; c < len; c++) {
        pov_image_source *wrapped = sources[c];
        sources[c] = NULL;
        if (status.code == POV_OK)
            status = pov_ahead_source_new(&sources[c], wrapped, is_live, NULL);
        else
            pov_image_source_destroy(&wrapped);
        feeds[c] = (pov_camera_feed){session->names[c], sources[c], false};
    }
    if (status.code == POV_OK)
        return pov_cameras_source_new(&session->source, &cameras, feeds, len, is_live);
    for (int c = 0; c < len; c++)
        pov_image_source_destroy(&sources[c]);
    return status;
}

static int count_wanted(const cameras_session *session, int camera)
{
    if (session->options.count > 0)
        return session->options.count;
    return pov_source_is_camera(session->station->cameras[camera].source.kind) ? LIVE_IMAGES : FOLDER_IMAGES;
}

/* Its lens; one that is guessed for images of any size becomes that of the first. */
static pov_status fit_camera(cameras_session *session, const pov_image *image)
{
    pov_station *station = session->station;
    pov_camera *camera = &session->options.survey.cameras[image->camera];
    pov_station_look_through(station, image->camera);
    if (session->taken[image->camera] == 0)
        *camera = station->calibration.size_from_images
                      ? pov_station_guess_camera(station, image->width_px, image->height_px)
                      : station->camera;
    session->options.survey.lenses[image->camera] = station->calibration.trust.covariance;
    if (session->taken[image->camera] == 0 && !*station->calibration.path)
        pov_cli_warn(
            "camera %s has no calibration, its lens is guessed: what the pose is off by for that is not "
            "in its deviations; 'pov calib camera' measures it",
            session->names[image->camera]);
    if (image->width_px == camera->width_px && image->height_px == camera->height_px)
        return pov_ok();
    return pov_error(
        "camera %s: %s has %d x %d pixels, but its lens is for %d x %d; use images of that size, or "
        "calibrate at this one",
        session->names[image->camera], image->name, image->width_px, image->height_px, camera->width_px,
        camera->height_px);
}

static pov_status add_image(void *context, const pov_image *image)
{
    cameras_session *session = context;
    const int c = image->camera;
    if (pov_name_list_has(&session->options.without, image->name))
        return pov_ok();
    if (session->taken[c] < count_wanted(session, c)) {
        POV_TRY(fit_camera(session, image));
        POV_TRY(pov_tag_detector_run(session->detector, &session->tags, image));
        POV_TRY(pov_camera_views_add(session->views, image, &session->tags));
        session->taken[c]++;
    }
    for (int i = 0; i < session->station->camera_len; i++)
        if (session->taken[i] < count_wanted(session, i))
            return pov_ok();
    return pov_status_of(POV_END);
}

/* ---- the adjustment ---- */

static pov_status set_up(cameras_session *session)
{
    cameras_options *options = &session->options;
    const pov_tag_map *map = &session->station->finders.tags.map;
    pov_tag_detector_config detector = session->station->finders.tags.detector;
    pov_camera_views_config views = {.camera_len = session->station->camera_len,
                                     .survey = &options->survey,
                                     .carried_len = options->carried.len};
    if (!options->survey.has_fixed && map->len == 0)
        return pov_error(
            "%s has no tag map: give --fix ID, the tag that the table frame is about, and --size M",
            session->path);
    options->survey.camera_len = session->station->camera_len;
    options->survey.known = *map;
    if (options->board)
        POV_TRY(pov_tag_map_read(&options->survey.board, options->board));
    for (int c = 0; c < views.camera_len; c++)
        views.names[c] = session->names[c];
    memcpy(views.carried, options->carried.carried, sizeof views.carried);
    detector.family[options->survey.family] = true;
    for (int i = 0; i < options->survey.board.len; i++)
        detector.family[options->survey.board.tags[i].family] = true;
    session->views = pov_camera_views_new(&views);
    return pov_tag_detector_new(&session->detector, &detector);
}

static pov_status adjust(cameras_session *session)
{
    session->survey = pov_tag_survey_new(&session->options.survey);
    pov_status status = pov_camera_views_survey(session->views, session->survey);
    if (status.code != POV_OK)
        pov_tag_survey_refuse(session->survey, status.message);
    POV_THEN(status, pov_tag_survey_run(session->survey));
    if (status.code == POV_OK)
        pov_camera_views_judge(session->views, pov_tag_survey_report(session->survey),
                               session->options.survey.cameras);
    return status;
}

/* ---- what is written ---- */

__attribute__((format(printf, 4, 5))) static pov_status set(char **text, const char *camera, const char *key,
                                                            const char *format, ...)
{
    char path[96], value[400];
    va_list rest;
    va_start(rest, format);
    vsnprintf(value, sizeof value, format, rest);
    va_end(rest);
    snprintf(path, sizeof path, "cameras.%.40s.pose.%s", camera, key);
    return pov_yaml_edit(text, path, value);
}

/* Key by key, so that what stands beside them stays. */
static pov_status edit_pose(char **text, const char *camera, const pov_pose *pose)
{
    const pov_vec3 at = pose->T.t_m;
    const double(*R)[3] = pose->T.R.m;
    char path[96];
    POV_TRY(set(text, camera, "position_m", "[%.6f, %.6f, %.6f]", at.x, at.y, at.z));
    POV_TRY(set(text, camera, "rotation",
                "[[%.12f, %.12f, %.12f], [%.12f, %.12f, %.12f], [%.12f, %.12f, %.12f]]", R[0][0], R[0][1],
                R[0][2], R[1][0], R[1][1], R[1][2], R[2][0], R[2][1], R[2][2]));
    snprintf(path, sizeof path, "cameras.%.40s.pose.look_at_m", camera);
    POV_TRY(pov_yaml_edit(text, path, NULL));
    POV_TRY(set(text, camera, "position_std_m", "%.3g", pov_survey_position_std_m(pose)));
    return set(text, camera, "rotation_std_deg", "%.3g", pov_degrees(pov_survey_rotation_std_rad(pose)));
}

static pov_status edit_station(char **text, const cameras_session *session, const char *map)
{
    char why[POV_SURVEY_WHY_CAPACITY];
    const pov_survey_report *report = pov_tag_survey_report(session->survey);
    for (int c = 0; c < session->station->camera_len; c++)
        if (!pov_camera_survey_why(why, report, c))
            POV_TRY(edit_pose(text, session->names[c], &report->views[c].T_table_camera));
    if (!map || session->station->finders.tags.map.len > 0)
        return pov_ok();
    char *quoted = pov_yaml_quote(map);
    POV_REQUIRE_MEMORY(quoted);
    const pov_status status = pov_yaml_edit(text, "tags.map", quoted);
    free(quoted);
    return status;
}

/* Beside the station file. */
static pov_status find_map_path(char path[POV_PATH_CAPACITY], const cameras_session *session, const char *out)
{
    const char *slash = strrchr(out, '/');
    char folder[POV_PATH_CAPACITY] = ".";
    if (session->options.map) {
        if (strlen(session->options.map) >= POV_PATH_CAPACITY)
            return pov_error("--map: the path is too long");
        snprintf(path, POV_PATH_CAPACITY, "%s", session->options.map);
        return pov_ok();
    }
    if (slash && (size_t)(slash - out) < sizeof folder)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - out) + (slash == out), out);
    return pov_path_join(path, folder, "tags.yaml");
}

static pov_status write_map(cameras_session *session, const char *path)
{
    char about[160];
    pov_write_file file;
    const pov_survey_report *report = pov_tag_survey_report(session->survey);
    snprintf(about, sizeof about, "Measured by %d cameras, RMS %.3f px, by 'pov calib cameras'.",
             report->used_view_len, report->rms_px);
    pov_tag_survey_map(session->survey, &session->made);
    POV_TRY(pov_write_file_begin(&file, path));
    pov_tag_map_write(file.stream, &session->made, about);
    return pov_write_file_end(&file, pov_ok());
}

/* The file must be good with the poses, before it takes the old one's place. */
static pov_status write_text(const char *out, const char *text)
{
    pov_write_file file;
    pov_station *edited = pov_allocate(1, sizeof *edited);
    pov_status status = pov_station_parse(edited, out, text, strlen(text));
    free(edited);
    POV_THEN(status, pov_write_file_begin(&file, out));
    if (status.code != POV_OK)
        return status;
    return pov_write_file_end(&file, pov_write_file_bytes(&file, text, strlen(text)));
}

static pov_status write_station(cameras_session *session)
{
    const char *out = session->options.out ? session->options.out : session->path;
    const bool needs_map = session->options.map || session->station->finders.tags.map.len == 0;
    char path[POV_PATH_CAPACITY];
    pov_bytes read = {0};
    if (strcmp(out, "none") == 0)
        return pov_ok();
    POV_TRY(find_map_path(path, session, out));
    POV_TRY(pov_read_file(&read, session->path, STATION_BYTES_MAX, "a station file"));
    char *text = strdup((const char *)read.data);
    pov_bytes_free(&read);
    POV_REQUIRE_MEMORY(text);
    pov_status status = needs_map ? write_map(session, path) : pov_ok();
    POV_THEN(status,
             edit_station(&text, session, needs_map ? session->options.map ? path : "tags.yaml" : NULL));
    POV_THEN(status, write_text(out, text));
    free(text);
    if (status.code == POV_OK && !session->options.json)
        printf("Wrote the poses into %s%s%s.\n", out, needs_map ? ", and the map of tags " : "",
               needs_map ? path : "");
    return status;
}

static pov_camera_survey report_of(cameras_session *session)
{
    pov_camera_survey survey = {.survey = pov_tag_survey_report(session->survey),
                                .camera_len = session->station->camera_len,
                                .names = session->names,
                                .cameras = session->options.survey.cameras,
                                .notes = (const char(*)[POV_CAMERA_VIEWS_TEXT])session->notes};
    survey.images = pov_camera_views_images(session->views, &survey.image_len);
    survey.note_len = pov_camera_views_notes(session->views, session->notes);
    return survey;
}

static pov_status report(cameras_session *session)
{
    const pov_camera_survey survey = report_of(session);
    pov_write_file page;
    char date[32];
    if (session->options.json)
        pov_camera_survey_json(stdout, &survey);
    else
        pov_camera_survey_text(stdout, &survey);
    if (!session->options.html)
        return pov_ok();
    pov_clock_date(date);
    POV_TRY(pov_write_file_begin(&page, session->options.html));
    pov_camera_survey_page(page.stream, &survey, date);
    return pov_write_file_end(&page, pov_ok());
}

static bool any_placed(const cameras_session *session)
{
    char why[POV_SURVEY_WHY_CAPACITY];
    for (int c = 0; c < session->station->camera_len; c++)
        if (!pov_camera_survey_why(why, pov_tag_survey_report(session->survey), c))
            return true;
    return false;
}

static pov_status calibrate(cameras_session *session)
{
    POV_TRY(read_station(session));
    POV_TRY(set_up(session));
    POV_TRY(open_images(session));
    const pov_status read = pov_each_image(session->source, add_image, session);
    if (read.code != POV_OK)
        return read;
    POV_TRY(pov_name_list_check(&session->options.without, "--without", "the station's images"));
    if (pov_cli_stop_requested())
        return pov_error("stopped; nothing was written");
    pov_status status = adjust(session);
    POV_TRY(report(session));
    if (status.code == POV_OK && !any_placed(session))
        status = pov_status_with(POV_UNDEFINED, "no camera could be placed");
    POV_THEN(status, write_station(session));
    return status;
}

static int run(int argc, char **argv)
{
    pov_words words;
    cameras_session *session = pov_allocate(1, sizeof *session);
    session->station = pov_allocate(1, sizeof *session->station);
    session->options.survey = (pov_survey_config){.family = POV_TAG36H11, .edge_m = NAN};
    int code = pov_command_read(&session->options, &words, &pov_command_calib_cameras, argc, argv);
    if (code == POV_GO_ON) {
        session->path = words.word[0];
        pov_cli_catch_signals();
        code = pov_cli_exit(calibrate(session));
    }
    pov_image_source_destroy(&session->source);
    pov_tag_detector_destroy(&session->detector);
    pov_camera_views_destroy(&session->views);
    pov_tag_survey_destroy(&session->survey);
    free(session->station);
    free(session);
    return code;
}
