#include "calib/intrinsics_file.h"
#include "config/write_file.h"
#include "firmware/calib/calib_camera.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/sources/folder_source.h"
#include "firmware/sources/libcamera_source.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pov calib camera --images DIR [--board BOARD] [--out camera.yaml] [--html calib.html]\n"
    "       pov calib camera --camera ID  [--board BOARD] [--out camera.yaml] [--html calib.html]\n"
    "Measures a camera's focal length, centre and distortion from images of a printed, flat board, and how\n"
    "far off a projected point may be. Take 20 images or more: the board large, in every part of the image,\n"
    "beyond its edges, too, and tilted by 20 to 50 degrees, this way and that. docs/CALIBRATION.md\n"
    "\n"
    "  --images DIR       PNG and JPEG files, all of one camera at one size and focus\n"
    "  --camera ID        live: takes an image whenever the board is still and shown in a new way\n"
    "  --live             the same from the images of --images, as if they came from a camera\n"
    "  --board BOARD      charuco:7x9:25mm:18.75mm:4X4_1000 (what 'pov tags board' prints; the default):\n"
    "                     squares, side of a square, of a marker, dictionary; or\n"
    "                     chessboard:10x7:25mm: squares, not inner corners; or\n"
    "                     aprilgrid:6x6:88mm:26.4mm[:tag36h11]: tags, edge, gap; or a .yaml file of "
    "Kalibr's\n"
    "  --model MODEL      5 or 8 (coefficients of a pinhole), fisheye, or auto: by hold-out error (default)\n"
    "  --distance M       of the points whose uncertainty is told; default: as far as the boards\n"
    "  --name NAME        the camera's, in the file; default: the folder's or the camera's own\n"
    "  --views N          live: stop after N images at the latest (40)\n"
    "  --out FILE         for pov, OpenCV and ROS; default camera.yaml; 'none': do not write\n"
    "  --html FILE        a page with residuals, coverage and the map of uncertainty\n"
    "  --json             one JSON object instead of tables\n"
    "  --help             this text\n"
    "\n"
    "Examples: pov calib camera --images photos/ --board chessboard:10x7:25mm --html calib.html\n"
    "          pov calib camera --camera any --board aprilgrid:6x6:88mm:26.4mm --out left.yaml\n"
    "Exit codes: 0 done, 1 no calibration, and nothing written (the message says why), 2 wrong usage.\n";

/* ---- options ---- */

static int take_model(pov_calib_options *options)
{
    options->config.model_given = strcmp(optarg, "auto") != 0;
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++)
        if (strcmp(optarg, pov_camera_model_name((pov_camera_model)m)) == 0) {
            options->config.model = (pov_camera_model)m;
            return POV_EXIT_OK;
        }
    return options->config.model_given
               ? pov_cli_usage("calib camera", "--model '%s' is not auto, 5, 8 or fisheye", optarg)
               : POV_EXIT_OK;
}

static int take_board(pov_calib_options *options, const char *text)
{
    pov_status status = pov_board_read(&options->board, text);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
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

static int take_option(pov_calib_options *options, int option)
{
    int code = POV_EXIT_OK;
    switch (option) {
    case 'i':
        options->images = optarg;
        break;
    case 'c':
        options->camera = optarg;
        break;
    case 'l':
        options->live = true;
        break;
    case 'b':
        return take_board(options, optarg);
    case 'm':
        return take_model(options);
    case 'd':
        return pov_cli_number(&options->config.distance_m, "calib camera", "distance", optarg, 0.01, 1000);
    case 'n':
        snprintf(options->name, sizeof options->name, "%s", optarg);
        break;
    case 'v':
        return pov_cli_whole(&options->view_max, "calib camera", "views", optarg, POV_CALIBRATION_VIEW_MIN,
                             POV_CALIBRATION_VIEW_MAX);
    case 'o':
        options->out = strcmp(optarg, "none") ? optarg : NULL;
        break;
    case 'w':
        options->html = optarg;
        break;
    case 'j':
        options->json = true;
        break;
    case 'h':
        options->help = true;
        break;
    default:
        return pov_cli_usage("calib camera", "unknown option, or one that lacks its value");
    }
    return code;
}

static int parse_options(pov_calib_options *options, int argc, char **argv)
{
    static const struct option longs[] = {
        {"images", required_argument, NULL, 'i'},
        {"camera", required_argument, NULL, 'c'},
        {"live", no_argument, NULL, 'l'},
        {"board", required_argument, NULL, 'b'},
        {"model", required_argument, NULL, 'm'},
        {"distance", required_argument, NULL, 'd'},
        {"name", required_argument, NULL, 'n'},
        {"views", required_argument, NULL, 'v'},
        {"out", required_argument, NULL, 'o'},
        {"html", required_argument, NULL, 'w'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    *options =
        (pov_calib_options){.out = "camera.yaml", .view_max = 40, .config = POV_CALIBRATION_CONFIG_DEFAULT};
    int code = take_board(options, "charuco:7x9:25mm:18.75mm:4X4_1000"), option;
    opterr = 0;
    optind = 1;
    while (code == POV_EXIT_OK && (option = getopt_long(argc, argv, "h", longs, NULL)) != -1)
        code = take_option(options, option);
    if (code != POV_EXIT_OK || options->help)
        return code;
    if (optind < argc)
        return pov_cli_usage("calib camera", "unexpected '%s'", argv[optind]);
    if (!options->images == !options->camera)
        return pov_cli_usage("calib camera", "give either --images DIR or --camera ID");
    options->live = options->live || options->camera;
    if (!options->name[0])
        take_name(options, options->camera ? options->camera : options->images);
    return POV_EXIT_OK;
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

/* Adds to a complaint what board the images show, where that can be told from the first few. */
static pov_status suggest_board(pov_calib_session *session, pov_status complaint)
{
    enum { LOOKED_AT_MAX = 3 };
    pov_image_source *source;
    pov_image image;
    pov_board board;
    char text[POV_BOARD_TEXT_CAPACITY];
    if (!session->options->images || open_source(&source, session->options).code != POV_OK)
        return complaint;
    for (int i = 0; i < LOOKED_AT_MAX; i++) {
        if (pov_image_source_next(source, &image, 0).code != POV_OK ||
            pov_board_finder_suggest(session->finder, &board, &image).code != POV_OK)
            continue;
        pov_board_format(text, &board);
        complaint = pov_error("%.250s; it looks like --board %s", complaint.message, text);
        break;
    }
    pov_image_source_destroy(&source);
    return complaint;
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

static pov_status run(pov_calib_session *session)
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

int pov_command_calib_camera(int argc, char **argv)
{
    pov_calib_options options;
    int code = parse_options(&options, argc, argv);
    if (code != POV_EXIT_OK)
        return code;
    if (options.help) {
        fputs(help, stdout);
        return POV_EXIT_OK;
    }
    pov_cli_catch_signals();
    pov_calib_session *session = calloc(1, sizeof *session);
    if (!session)
        return pov_cli_fail(pov_error("out of memory"));
    session->options = &options;
    pov_status status = run(session);
    pov_board_finder_destroy(&session->finder);
    pov_camera_calibration_destroy(&session->calibration);
    free(session);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
