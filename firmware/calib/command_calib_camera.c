#include "calib/camera/intrinsics_file.h"
#include "config/files/write_file.h"
#include "firmware/calib/calib_camera.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/sources/folder_source.h"
#include "firmware/sources/libcamera_source.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static pov_option_take take_model;
static int run(int argc, char **argv);

POV_NAMES(models_and_auto, "auto", "5", "8", "fisheye")

static const pov_option option_table[] = {
    POV_PATH(pov_calib_options, images, "images", "DIR",
             "PNG and JPEG files, all of one camera at one size and focus"),
    POV_TEXT(pov_calib_options, camera, "camera", "ID",
             "live: takes an image whenever the board is still and shown in a new way"),
    POV_FLAG(pov_calib_options, live, "live",
             "the same from the images of --images, as if they came from a camera"),
    POV_TEXT(pov_calib_options, board_text, "board", "BOARD",
             "charuco:7x9:25mm:18.75mm:4X4_1000: squares, side of a square, of a marker, dictionary; "
             "chessboard:10x7:25mm: squares, not inner corners; aprilgrid:6x6:88mm:26.4mm[:tag36h11]: tags, "
             "edge, gap; or a .yaml file of Kalibr's. Without it what 'pov tags board' prints:"),
    POV_TAKEN(pov_calib_options, config, "model", "MODEL", take_model,
              "5 or 8 (coefficients of a pinhole), fisheye, or auto: by hold-out error (auto)",
              .names = models_and_auto),
    POV_NUMBER(pov_calib_options, config.distance_m, "distance", "M", 0.01, 1000,
               "of the points whose uncertainty is told; else as far as the boards"),
    POV_BUFFER(pov_calib_options, name, "name", "NAME",
               "the camera's, in the file; else the folder's or the camera's own"),
    POV_WHOLE(pov_calib_options, view_max, "views", "N", POV_CALIBRATION_VIEW_MIN, POV_CALIBRATION_VIEW_MAX,
              "live: stop after N images at the latest"),
    POV_PATH(pov_calib_options, out, "out", "FILE", "for pov, OpenCV and ROS; 'none': do not write"),
    POV_PATH(pov_calib_options, html, "html", "FILE",
             "a page with residuals, coverage and the map of uncertainty"),
    POV_FLAG(pov_calib_options, json, "json", "one JSON object instead of tables"),
    POV_OPTIONS_END,
};

const pov_command pov_command_calib_camera = {
    .name = "calib camera",
    .summary = "a camera's lens, from images of a printed board",
    .run = run,
    .usage = "--images DIR [--board BOARD] [OPTIONS]\n"
             "--camera ID [--board BOARD] [OPTIONS]",
    .about =
        "Measures a camera's focal length, centre and distortion from images of a printed, flat board, and "
        "how far off a projected point may be. Take 20 images or more: the board large, in every part of "
        "the image, beyond its edges, too, and tilted by 20 to 50 degrees, this way and that. "
        "docs/CALIBRATION.md",
    .options = option_table,
    .examples = "pov calib camera --images photos/ --board chessboard:10x7:25mm\n"
                "pov calib camera --camera any --board aprilgrid:6x6:88mm:26.4mm --out left.yaml",
    .exits = "0 done; 1 no calibration, and nothing written (the message says why)",
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
    const int code = pov_command_read(options, &words, &pov_command_calib_camera, argc, argv);
    if (code != POV_GO_ON)
        return code;
    if (!options->images == !options->camera)
        return pov_cli_usage("calib camera", "give either --images DIR or --camera ID");
    options->live = options->live || options->camera;
    if (strcmp(options->out, "none") == 0)
        options->out = NULL;
    if (!options->name[0])
        take_name(options, options->camera ? options->camera : options->images);
    const pov_status status = pov_board_read(&options->board, options->board_text);
    return status.code == POV_OK ? POV_GO_ON : pov_cli_fail(status);
}

/* ---- what it does ---- */

static pov_status open_source(pov_image_source **source, const pov_calib_options *options)
{
    if (options->images) {
        pov_folder_source_config folder = POV_FOLDER_SOURCE_CONFIG_DEFAULT;
        folder.path = options->images;
        return pov_folder_source_new(source, &folder);
    }
    pov_libcamera_source_config camera = POV_LIBCAMERA_SOURCE_CONFIG_DEFAULT;
    snprintf(camera.camera, sizeof camera.camera, "%s", options->camera);
    return pov_libcamera_source_open(source, &camera);
}

static bool is_same_size(const pov_board *a, const pov_board *b)
{
    return (a->columns == b->columns && a->rows == b->rows) ||
           (a->columns == b->rows && a->rows == b->columns);
}

/* What board one of the first few images shows, where that can be told; false: none of them does. */
static bool find_shown(pov_board *shown, const pov_calib_session *session)
{
    enum { LOOKED_AT_MAX = 3 };
    pov_image_source *source;
    pov_image image;
    bool found = false;
    if (!session->options->images || open_source(&source, session->options).code != POV_OK)
        return false;
    for (int i = 0; i < LOOKED_AT_MAX && !found; i++)
        found = pov_image_source_next(source, &image, 0).code == POV_OK &&
                pov_board_finder_suggest(session->finder, shown, &image).code == POV_OK;
    pov_image_source_destroy(&source);
    return found;
}

/* Adds to a complaint what board the images show. */
static pov_status suggest_board(const pov_calib_session *session, pov_status complaint)
{
    pov_board shown;
    char text[POV_BOARD_TEXT_CAPACITY], stated[POV_BOARD_TEXT_CAPACITY];
    if (!find_shown(&shown, session))
        return complaint;
    pov_board_format(text, &shown);
    pov_board_format(stated, &session->options->board);
    return strcmp(text, stated) == 0 ? complaint
                                     : pov_error("%.250s; it looks like --board %s", complaint.message, text);
}

/* Searching every image for a chessboard of a wrong size takes long, and of one that is too small parts are found. So the first
 * images are measured before: if two show the same other size, one that could be the stated one cut short three, and none the
 * stated one, it is wrong. */
static pov_status check_size(const pov_calib_session *session)
{
    enum { LOOKED_AT_MAX = 5, AGREED = 2, AGREED_SMALLER = 3 };
    const pov_board *stated = &session->options->board;
    pov_image_source *source;
    pov_image image;
    pov_board shown, before = *stated;
    char text[POV_BOARD_TEXT_CAPACITY];
    int agreed = 0;
    if (!session->options->images || stated->kind != POV_BOARD_CHESSBOARD)
        return pov_ok();
    POV_TRY(open_source(&source, session->options));
    for (int i = 0; i < LOOKED_AT_MAX; i++) {
        if (pov_image_source_next(source, &image, 0).code != POV_OK ||
            pov_board_finder_suggest(session->finder, &shown, &image).code != POV_OK)
            continue;
        if (is_same_size(&shown, stated))
            break;
        agreed = is_same_size(&shown, &before) ? agreed + 1 : 1;
        before = shown;
        const bool is_smaller = shown.columns <= stated->columns && shown.rows <= stated->rows;
        if (agreed < (is_smaller ? AGREED_SMALLER : AGREED))
            continue;
        pov_image_source_destroy(&source);
        pov_board_format(text, &shown);
        return pov_error("%s: the first images show no chessboard of %dx%d squares; it looks like --board %s",
                         session->options->images, stated->columns, stated->rows, text);
    }
    pov_image_source_destroy(&source);
    return pov_ok();
}

static bool no_board_in_most(const pov_calibration_report *report)
{
    int without = 0;
    for (int i = 0; i < report->view_len; i++)
        without += report->views[i].fate == POV_VIEW_NO_BOARD;
    return without * 2 > report->view_len;
}

static pov_status calibrate(pov_calib_session *session)
{
    pov_image_source *source;
    const pov_calib_options *options = session->options;
    POV_TRY(check_size(session));
    POV_TRY(open_source(&source, options));
    pov_status status =
        options->live ? pov_calib_gather_live(session, source) : pov_calib_gather(session, source);
    pov_image_source_destroy(&source);
    if (status.code != POV_OK)
        return status;
    status = pov_camera_calibration_run(session->calibration, &options->config);
    if (status.code != POV_OK && no_board_in_most(pov_camera_calibration_report(session->calibration)))
        return suggest_board(session, status);
    return status;
}

/* Both files, or neither. */
static pov_status write_files(const pov_calib_session *session, const pov_calibration_report *report)
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
    if (!options->html)
        return options->out ? pov_intrinsics_write(options->out, &fit->camera, &origin) : pov_ok();
    pov_write_file page;
    POV_TRY(pov_write_file_begin(&page, options->html));
    pov_calib_print_html(page.stream, report, options, date);
    return pov_write_file_end(&page, options->out ? pov_intrinsics_write(options->out, &fit->camera, &origin)
                                                  : pov_ok());
}

static pov_status measure(pov_calib_session *session)
{
    const pov_calib_options *options = session->options;
    POV_TRY(pov_board_finder_new(&session->finder, &options->board));
    POV_TRY(pov_camera_calibration_new(&session->calibration));
    POV_TRY(calibrate(session));
    const pov_calibration_report *report = pov_camera_calibration_report(session->calibration);
    POV_TRY(write_files(session, report));
    if (options->json) {
        pov_calib_print_json(stdout, report, options);
        return pov_ok();
    }
    pov_calib_print_text(stdout, report);
    if (options->out)
        printf("Wrote %s%s%s.\n", options->out, options->html ? " and " : "",
               options->html ? options->html : "");
    return pov_ok();
}

static int run(int argc, char **argv)
{
    pov_calib_options options = {.board_text = "charuco:7x9:25mm:18.75mm:4X4_1000",
                                 .out = "camera.yaml",
                                 .view_max = 40,
                                 .config = POV_CALIBRATION_CONFIG_DEFAULT};
    const int code = read_options(&options, argc, argv);
    if (code != POV_GO_ON)
        return code;
    pov_cli_catch_signals();
    pov_calib_session *session = calloc(1, sizeof *session);
    if (!session)
        return pov_cli_fail(pov_error("out of memory"));
    session->options = &options;
    pov_status status = measure(session);
    pov_board_finder_destroy(&session->finder);
    pov_camera_calibration_destroy(&session->calibration);
    free(session);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
