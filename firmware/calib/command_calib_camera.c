#include "calib/boards/board_finder.h"
#include "calib/camera/camera_report.h"
#include "calib/camera/intrinsics_file.h"
#include "calib/camera/view_watch.h"
#include "config/files/write_file.h"
#include "firmware/calib/name_list.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/gstreamer/gstreamer_source.h"
#include "firmware/libcamera/libcamera_source.h"
#include "firmware/sources/each_image.h"
#include "firmware/sources/folder_source.h"
#include "perception/image/image_source.h"
#include "perception/lens/lens_sense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *images; /* a folder, or NULL: */
    const char *camera; /* a camera */
    const char *check;  /* only look at this file; NULL: measure */
    const char *out, *html;
    pov_name_list without; /* images */
    char name[128];        /* of the camera, in the file */
    const char *board_text;
    pov_board board;
    pov_calibration_config config;
    bool live, json;
    int view_max; /* live: stop after this many at the latest */
} pov_calib_options;

typedef struct {
    pov_calib_options *options;
    pov_board_finder *finder;
    pov_camera_calibration *calibration;
    pov_board_view seen;
    char device[POV_CAMERA_NAME_CAPACITY]; /* live: the camera's own id */
} calib_session;

/* ---- images ---- */

static pov_status add_image(void *context, const pov_image *image)
{
    calib_session *session = context;
    if (pov_name_list_has(&session->options->without, image->name))
        return pov_camera_calibration_leave_out(session->calibration, image);
    pov_status status = pov_board_finder_run(session->finder, &session->seen, image);
    if (status.code == POV_ERROR)
        return pov_error("%s: %.300s", image->name, status.message);
    return pov_camera_calibration_add(session->calibration, image,
                                      status.code == POV_OK ? &session->seen : NULL, status.message);
}

/* Adds every image of a source. */
static pov_status gather_images(calib_session *session, pov_image_source *source)
{
    return pov_each_image(source, add_image, session);
}

/* ---- live ---- */

enum { TIMEOUT_MS = 1000, FIRST_RUN = 10 };

/* Good enough: the uncertainty of most points of the image is below this many pixels. */
static const double GOOD_MEDIAN_PX = 0.15, GOOD_MAX_PX = 1.0;

typedef struct {
    int shots;
    pov_view_watch *watch;
    const char *told;
} live;

static void print_progress(live *state, const char *what)
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
static pov_status take_view(calib_session *session, live *state, const pov_image *image, bool *enough)
{
    const pov_calib_options *options = session->options;
    if (options->camera)
        pov_calib_device_of(session->device, image->name);
    POV_TRY(pov_camera_calibration_add(session->calibration, image, &session->seen, ""));
    pov_view_watch_take(state->watch);
    state->shots++;
    state->told = NULL;
    pov_status status = pov_camera_calibration_run(session->calibration, &options->config);
    const pov_calibration_report *report = pov_camera_calibration_report(session->calibration);
    tell_missing(state, report);
    *enough = state->shots >= options->view_max ||
              (status.code == POV_OK && state->shots >= FIRST_RUN && is_good(report));
    return status.code == POV_ERROR ? status : pov_ok();
}

static pov_status look_at_image(calib_session *session, live *state, const pov_image *image, bool *enough)
{
    pov_status status = pov_board_finder_run(session->finder, &session->seen, image);
    if (status.code == POV_ERROR)
        return status;
    const pov_view_news news = pov_view_watch_look(state->watch, &session->seen, image->width_px);
    if (news == POV_VIEW_EMPTY)
        print_progress(state, "show the board");
    else if (news == POV_VIEW_MOVES)
        print_progress(state, "hold it still");
    else if (news == POV_VIEW_KNOWN)
        print_progress(state, "show it elsewhere, tilted otherwise");
    else
        return take_view(session, state, image, enough);
    return pov_ok();
}

/* Adds images in which the board is still and shown in a new way, until the calibration is good, the source ends or
 * Ctrl-C; says on stderr what is missing. */
static pov_status gather_live(calib_session *session, pov_image_source *source)
{
    live *state = &(live){.watch = pov_view_watch_new()};
    bool enough = false;
    pov_status status = pov_ok();
    while (status.code == POV_OK && !enough && !pov_cli_stop_requested()) {
        pov_image image;
        status = pov_image_source_next(source, &image, TIMEOUT_MS);
        if (status.code == POV_OK) {
            status = look_at_image(session, state, &image, &enough);
        } else if (status.code == POV_SKIPPED || status.code == POV_TIMEOUT) {
            print_progress(state, status.code == POV_TIMEOUT ? "no image comes from the camera"
                                                             : "an image was skipped");
            status = pov_ok();
        }
    }
    pov_view_watch_destroy(&state->watch);
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    return status.code == POV_END ? pov_ok() : status;
}

/* ---- the command ---- */

/* ---- options ---- */

static pov_option_take take_model;

static int run(int argc, char **argv);

POV_NAMES(models_and_auto, "auto", "5", "8", "fisheye")

static const pov_option option_table[] = {
    POV_PATH(pov_calib_options, images, "images", "DIR",
             "PNG and JPEG files, all of one camera at one size and focus"),
    POV_TAKEN(pov_calib_options, without, "without", "FILE", pov_name_list_take,
              "an image of --images that is not to be used; may be given more than once"),
    POV_TEXT(pov_calib_options, camera, "camera", "ID",
             "live: takes an image whenever the board is still and shown in a new way"),
    POV_FLAG(pov_calib_options, live, "live",
             "the same from the images of --images, as if they came from a camera"),
    POV_TEXT(pov_calib_options, board_text, "board", "BOARD",
             "charuco:7x9:25mm:18.75mm:4X4_1000: squares, side of a square, of a marker, dictionary; "
             "chessboard:10x7:25mm: squares, not inner corners; aprilgrid:6x6:88mm:26.4mm[:tag36h11]: tags, "
             "edge, gap; or a .yaml file of Kalibr's. Default: the board that 'pov tags board' prints:"),
    POV_TAKEN(pov_calib_options, config, "model", "MODEL", take_model,
              "5 or 8 (coefficients of a pinhole), fisheye, or auto: by hold-out error (auto)",
              .names = models_and_auto),
    POV_NUMBER(pov_calib_options, config.distance_m, "distance", "M", 0.01, 1000,
               "of the points whose uncertainty is printed; else as far as the boards"),
    POV_BUFFER(pov_calib_options, name, "name", "NAME",
               "the camera's, in the file; else the folder's or the camera's own"),
    POV_WHOLE(pov_calib_options, view_max, "views", "N", POV_CALIBRATION_VIEW_MIN, POV_CALIBRATION_VIEW_MAX,
              "live: stop after N images at the latest"),
    POV_PATH(pov_calib_options, out, "out", "FILE", "for pov, OpenCV and ROS; 'none': do not write"),
    POV_PATH(pov_calib_options, html, "html", "FILE",
             "a page with residuals, coverage and the map of uncertainty"),
    POV_FLAG(pov_calib_options, json, "json", "one JSON object instead of tables"),
    POV_PATH(pov_calib_options, check, "check", "FILE",
             "only read a camera's file, of pov or another program, and say what it holds"),
    POV_OPTIONS_END,
};

const pov_command pov_command_calib_camera = {
    .name = "calib camera",
    .summary = "a camera's lens, from images of a printed board",
    .run = run,
    .usage = "--images DIR [--board BOARD] [OPTIONS]\n"
             "--camera ID [--board BOARD] [OPTIONS]\n"
             "--check FILE",
    .about =
        "Measures a camera's focal length, centre and distortion from images of a printed, flat board, and "
        "how far off a projected point may be. Take 20 images or more: the board large, in every part of "
        "the image, beyond its edges, too, and tilted by 20 to 50 degrees, this way and that. "
        "docs/CALIBRATION.md",
    .options = option_table,
    .examples = "pov calib camera --images photos/ --board chessboard:10x7:25mm\n"
                "pov calib camera --camera any --board aprilgrid:6x6:88mm:26.4mm --out left.yaml",
    .exits =
        "0 done; 1 no calibration (the message says why); --html and --json tell what was seen, --out is not "
        "written",
};

static pov_status take_model(void *value, const char *text)
{
    pov_calibration_config *config = value;
    config->model_given = strcmp(text, "auto") != 0;
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++)
        if (strcmp(text, pov_camera_model_name((pov_camera_model)m)) == 0) {
            config->model = (pov_camera_model)m;
            return pov_ok();
        }
    return config->model_given ? pov_error("takes auto, 5, 8 or fisheye, not '%s'", text) : pov_ok();
}

/* A folder's own name; a camera's id as it is. */
static void take_name(pov_calib_options *options, const char *path)
{
    size_t length = strlen(path), first;
    while (options->images && length > 1 && path[length - 1] == '/')
        length--;
    for (first = length; options->images && first > 0 && path[first - 1] != '/';)
        first--;
    first = options->images ? first : 0;
    snprintf(options->name, sizeof options->name, "%.*s", (int)(length - first), path + first);
}

static int read_options(pov_calib_options *options, int argc, char **argv)
{
    pov_words words;
    POV_OR_EXIT(pov_command_read(options, &words, &pov_command_calib_camera, argc, argv));
    if (options->check && !options->images && !options->camera)
        return POV_GO_ON;
    if (!options->images + !options->camera + !options->check != 2)
        return pov_cli_usage("calib camera",
                             "give either --images DIR or --camera ID (or --check FILE alone)");
    if (options->without.len > 0 && (options->camera || options->live))
        return pov_cli_usage("calib camera", "--without names images of --images, which are not live");
    options->live = options->live || options->camera;
    if (strcmp(options->out, "none") == 0)
        options->out = NULL;
    if (!options->name[0])
        take_name(options, options->camera ? options->camera : options->images);
    (void)pov_credentials_hide(options->name, strlen(options->name));
    const pov_status status = pov_board_read(&options->board, options->board_text);
    return status.code == POV_OK ? POV_GO_ON : pov_cli_fail(status);
}

/* ---- what it does ---- */

/* `is_known`: it was open before. */
static pov_status open_source(pov_image_source **source, const pov_calib_options *options, bool is_known)
{
    if (options->images) {
        pov_folder_source_config folder = POV_FOLDER_SOURCE_CONFIG_DEFAULT;
        folder.path = options->images;
        folder.is_known = is_known;
        return pov_folder_source_new(source, &folder);
    }
    pov_gstreamer_source_config streamed = {.to_s = 0};
    if (pov_gstreamer_words(&streamed, options->camera))
        return pov_gstreamer_source_open(source, &streamed);
    pov_libcamera_source_config camera = POV_LIBCAMERA_SOURCE_CONFIG_DEFAULT;
    snprintf(camera.camera, sizeof camera.camera, "%s", options->camera);
    return pov_libcamera_source_open(source, &camera);
}

static bool is_same_size(const pov_board *a, const pov_board *b)
{
    return (a->columns == b->columns && a->rows == b->rows) ||
           (a->columns == b->rows && a->rows == b->columns);
}

enum { LOOKED_AT_MAX = 5 };

/* The board that most of the first few images show, all the same one; false: they do not agree. `may_be_stated`: that of
 * --board counts too; else one image of it is enough to say false. */
static bool find_shown(pov_board *shown, const calib_session *session, bool may_be_stated)
{
    const pov_board *stated = &session->options->board;
    pov_board seen[LOOKED_AT_MAX];
    pov_image_source *source;
    pov_image image;
    int len = 0, looked_at = 0;
    bool is_stated = false, is_shown = false;
    if (!session->options->images || open_source(&source, session->options, true).code != POV_OK)
        return false;
    for (; looked_at < LOOKED_AT_MAX && !is_stated && pov_image_source_next(source, &image, 0).code == POV_OK;
         looked_at++) {
        if (pov_board_finder_suggest(session->finder, &seen[len], &image).code != POV_OK)
            continue;
        is_stated = !may_be_stated && is_same_size(&seen[len], stated);
        len++;
    }
    pov_image_source_destroy(&source);
    for (int i = 0; i < len && !is_stated && !is_shown; i++) {
        int agreed = 0;
        for (int k = 0; k < len; k++)
            agreed += is_same_size(&seen[i], &seen[k]);
        is_shown = agreed * 2 > looked_at;
        *shown = seen[i];
    }
    return is_shown;
}

/* Adds to a complaint what board the images show. */
static pov_status suggest_board(const calib_session *session, pov_status complaint)
{
    pov_board shown;
    char text[POV_BOARD_TEXT_CAPACITY], stated[POV_BOARD_TEXT_CAPACITY];
    if (!find_shown(&shown, session, true))
        return complaint;
    pov_board_format(text, &shown);
    pov_board_format(stated, &session->options->board);
    return strcmp(text, stated) == 0
               ? complaint
               : pov_status_with(POV_UNDEFINED, "%.250s; it looks like --board %s", complaint.message, text);
}

/* Searching every image for a chessboard of a wrong size takes long, and of one that is too small parts are found. So the first
 * images are measured before: if most show the same other size, and none the stated one, it is wrong. */
static pov_status check_size(const calib_session *session)
{
    const pov_board *stated = &session->options->board;
    pov_board shown;
    char text[POV_BOARD_TEXT_CAPACITY];
    if (stated->kind != POV_BOARD_CHESSBOARD || !find_shown(&shown, session, false))
        return pov_ok();
    pov_board_format(text, &shown);
    return pov_status_with(
        POV_UNDEFINED, "%s: the first images show no chessboard of %dx%d squares; it looks like --board %s",
        session->options->images, stated->columns, stated->rows, text);
}

static bool no_board_in_most(const pov_calibration_report *report)
{
    int without = 0;
    for (int i = 0; i < report->view_len; i++)
        without += report->views[i].outcome == POV_VIEW_NO_BOARD;
    return without * 2 > report->view_len;
}

static pov_status calibrate(calib_session *session)
{
    pov_image_source *source;
    const pov_calib_options *options = session->options;
    POV_TRY(open_source(&source, options, false));
    pov_status size = check_size(session);
    if (size.code != POV_OK) {
        pov_image_source_destroy(&source);
        return size;
    }
    pov_status status = options->live ? gather_live(session, source) : gather_images(session, source);
    pov_image_source_destroy(&source);
    if (status.code == POV_OK)
        status = pov_name_list_check(&options->without, "--without", options->images);
    if (status.code != POV_OK)
        return status;
    status = pov_camera_calibration_run(session->calibration, &options->config);
    if (status.code != POV_OK && no_board_in_most(pov_camera_calibration_report(session->calibration)))
        return suggest_board(session, status);
    return status;
}

/* Both files, or neither; of a calibration that was refused the page only. */
static pov_status write_files(const calib_session *session, const pov_calibration_report *report)
{
    const pov_calib_options *options = session->options;
    char date[32], board[POV_BOARD_TEXT_CAPACITY];
    const pov_camera_fit *fit = &report->fit;
    pov_clock_date(date);
    pov_board_format(board, &options->board);
    pov_intrinsics_origin origin = {.camera_name = options->name,
                                    .device = session->device,
                                    .date = date,
                                    .board = board,
                                    .image_len = report->used_len,
                                    .point_len = fit->point_len,
                                    .rms_px = fit->rms_px,
                                    .noise_px = fit->noise_px,
                                    .holdout_px = report->models[report->model].holdout_px,
                                    .parameter_len = 4 + fit->coefficient_len,
                                    .covariance = &fit->covariance[0][0],
                                    .covariance_stride = POV_CAMERA_PARAMETER_MAX};
    const char *out = report->is_calibrated ? options->out : NULL;
    if (!options->html)
        return out ? pov_intrinsics_write(out, &fit->camera, &origin) : pov_ok();
    pov_write_file page;
    POV_TRY(pov_write_file_begin(&page, options->html));
    pov_calibration_report_page(page.stream, report, &origin);
    return pov_write_file_end(&page, out ? pov_intrinsics_write(out, &fit->camera, &origin) : pov_ok());
}

static pov_status measure(calib_session *session)
{
    const pov_calib_options *options = session->options;
    POV_TRY(pov_board_finder_new(&session->finder, &options->board));
    session->calibration = pov_camera_calibration_new();
    const pov_status status = calibrate(session);
    const pov_calibration_report *report = pov_camera_calibration_report(session->calibration);
    if (status.code == POV_ERROR) /* nothing was measured */
        return status;
    if (status.code != POV_OK)
        pov_camera_calibration_refuse(session->calibration, status.message);
    POV_TRY(write_files(session, report));
    if (options->json)
        pov_calibration_report_json(stdout, report, options->name, &options->board);
    if (options->json || status.code != POV_OK)
        return status;
    pov_calibration_report_text(stdout, report);
    if (options->out)
        printf("Wrote %s%s%s.\n", options->out, options->html ? " and " : "",
               options->html ? options->html : "");
    return pov_ok();
}

/* Reads a camera's file as a station does. */
static pov_status check_file(const char *path)
{
    pov_camera camera;
    pov_intrinsics_trust trust;
    pov_lens_oddities oddities;
    POV_TRY(pov_intrinsics_read_trust(&camera, &trust, path));
    printf("%s: %d x %d pixels, %s, focal lengths %.2f and %.2f px, centre (%.2f, %.2f)\n", path,
           camera.width_px, camera.height_px,
           camera.lens == POV_LENS_EQUIDISTANT ? "a fisheye (equidistant)" : "a pinhole with distortion",
           camera.fx_px, camera.fy_px, camera.cx_px, camera.cy_px);
    pov_lens_find_oddities(&oddities, &camera, trust.is_cropped);
    for (int i = 0; i < oddities.len; i++)
        pov_cli_warn("%s: %s", path, oddities.text[i]);
    return pov_ok();
}

static int run(int argc, char **argv)
{
    pov_calib_options options = {.board_text = "charuco:7x9:25mm:18.75mm:4X4_1000",
                                 .out = "camera.yaml",
                                 .view_max = 40,
                                 .config = POV_CALIBRATION_CONFIG_DEFAULT};
    POV_OR_EXIT(read_options(&options, argc, argv));
    if (options.check)
        return pov_cli_exit(check_file(options.check));
    pov_cli_catch_signals();
    calib_session *session = pov_allocate(1, sizeof *session);
    session->options = &options;
    pov_status status = measure(session);
    pov_board_finder_destroy(&session->finder);
    pov_camera_calibration_destroy(&session->calibration);
    free(session);
    return pov_cli_exit(status);
}
