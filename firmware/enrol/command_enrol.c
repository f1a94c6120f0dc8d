#include "firmware/enrol/command_enrol.h"

#include "calib/appearance_file.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/picture/contact_sheet.h"
#include "firmware/picture/image_file.h"
#include "firmware/sources/folder_source.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pov enrol NAME --station FILE [--empty IMAGE] [--front DEG] [--out FILE.pov] [--json]\n"
    "       pov enrol NAME --images DIR --angle-from-name [--front DEG] [--out FILE.pov] [--json]\n"
    "       pov enrol --check NAME --station FILE | --images DIR [--json]\n"
    "Learns how an object looks from all around, as it turns once. At a station, whose camera's place is "
    "known, it\n"
    "learns its size too, and 'found_by: enrolled' finds it anywhere on the table (docs/ENROL.md): the "
    "object stands\n"
    "alone on the middle of the turntable, which a motor turns, or you do, tags on it telling the angle. "
    "From a\n"
    "folder, it learns the angle alone.\n"
    "\n"
    "Writes NAME.pov; says how well the object's angle will be told, which angles look alike and what would\n"
    "help; draws the errors over the angle (NAME_error.svg) and a contact sheet of the views "
    "(NAME_views.png).\n"
    "--check asks an enrolled object about other images of it, and measures.\n"
    "\n"
    "  --station FILE     the station: its camera, tags and turntable\n"
    "  --empty IMAGE      the table with nothing on the turntable; else it is asked for and taken\n"
    "  --angles N         portraits, 8 to 72 (36); as many images between them are taken to try it out\n"
    "  --by-hand          you turn; each image is taken when all stands still\n"
    "  --axis X,Y,Z       where the turntable's axis meets its top, in metres of the table frame; else tags "
    "on it tell\n"
    "  --top Z            how high the turntable's top is, in metres above the table frame's plane; or:\n"
    "  --ring-edge M      the edge of the tags on it\n"
    "  --room M           the object is no wider nor higher than this (0.3)\n"
    "  --images DIR       a folder of images from a camera that stood still, PNG or JPEG; nothing but the "
    "object moves\n"
    "  --angle-from-name  the angle in degrees is each name's last number: 000.png, 010.png, duck__20.png\n"
    "  --front DEG        the angle of the view in which its front looks at the camera (see the contact "
    "sheet):\n"
    "                     headings are then told from there, 0 being toward the camera\n"
    "  --out FILE         in place of NAME.pov; plot and sheet are put beside it\n"
    "  --check            measure; NAME may be the path of a .pov file. Draws NAME_check.svg\n"
    "  --json             one JSON object instead of text\n"
    "  --help             this text\n"
    "\n"
    "Examples:\n"
    "  pov enrol duck --station my_table.yaml --front 90\n"
    "  pov enrol duck --images turn/ --angle-from-name --front 90\n"
    "  pov enrol --check duck --images another_turn/ --json\n"
    "\n"
    "Exit codes: 0 done, 1 the images or the file are not as they should be, 2 wrong usage.\n";

static const double deg = POV_PI / 180;
enum { SHEET_VIEWS = 36, SHEET_SIDE_PX = 128 };

/* -------- where things go -------- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* NAME.pov, and beside it the drawings. */
static void name_files(enrol_options *options, const char *out)
{
    const char *path = out ? out : options->name;
    const int stem = (int)strlen(path) - (ends_with(path, ".pov") ? 4 : 0);
    snprintf(options->model, sizeof options->model, "%.*s%s", stem, path, out ? path + stem : ".pov");
    snprintf(options->plot, sizeof options->plot, "%.*s%s", stem, path,
             options->check ? "_check.svg" : "_error.svg");
    snprintf(options->sheet, sizeof options->sheet, "%.*s_views.png", stem, path);
}

/* -------- learning -------- */

static pov_status write_sheet(const enrol_options *options, const pov_enrol_images *images)
{
    const int every = (images->len + SHEET_VIEWS - 1) / SHEET_VIEWS;
    pov_contact_sheet *sheet;
    pov_image_file *file;
    pov_image image;
    char path[ENROL_PATH_CAPACITY + POV_IMAGE_NAME_CAPACITY];
    POV_TRY(pov_contact_sheet_new(&sheet, SHEET_VIEWS, SHEET_SIDE_PX, SHEET_SIDE_PX));
    pov_status status = pov_image_file_new(&file);
    for (int i = 0; i < images->len && status.code == POV_OK; i += every) {
        snprintf(path, sizeof path, "%s/%s", options->images, images->images[i].name);
        status = pov_image_file_read(file, &image, path);
        if (status.code == POV_OK)
            pov_contact_sheet_add(sheet, &image);
    }
    if (status.code == POV_OK) {
        image = pov_contact_sheet_image(sheet);
        status = pov_image_file_write_png(options->sheet, &image);
    }
    pov_image_file_destroy(&file);
    pov_contact_sheet_destroy(&sheet);
    return status;
}

pov_status enrol_write_plot(const enrol_options *options, const pov_trial *trial)
{
    pov_enrol_point points[POV_VIEW_MAX];
    char title[ENROL_PATH_CAPACITY + 64];
    for (int i = 0; i < trial->len; i++) {
        const pov_trial_view *view = &trial->views[i];
        points[i] = (pov_enrol_point){view->angle_rad, view->error_rad, view->std_rad, view->alike_rad};
    }
    snprintf(title, sizeof title, "%s: error of its angle, each half of the views by the other",
             options->name);
    return pov_enrol_plot_write(
        options->plot, points, trial->len, title,
        "dots: errors; bars: twice the standard deviation said; arcs: angles that look alike");
}

void enrol_set_front(pov_appearance_data *data, const enrol_options *options)
{
    data->has_front = options->has_front && data->symmetry == 1;
    data->front_rad = options->has_front ? options->front_rad : 0;
    if (options->has_front && data->symmetry != 1)
        pov_cli_warn("%s: looks the same from several sides: --front is left aside", options->name);
}

static pov_status learn(const enrol_options *options, pov_appearance_data *data, pov_trial *trial,
                        const pov_enrol_images *images)
{
    pov_view *views;
    POV_TRY(pov_enrol_images_views(images, &views));
    pov_status status = pov_appearance_learn(data, views, images->len);
    if (status.code == POV_OK)
        status = pov_appearance_try(data, trial, views);
    free(views);
    if (status.code != POV_OK)
        return pov_error("%s: %s", options->images, status.message);
    data->square = images->square;
    data->image_width_px = images->width_px;
    data->image_height_px = images->height_px;
    enrol_set_front(data, options);
    return pov_ok();
}

static pov_status enrol(const enrol_options *options, pov_appearance_data *data)
{
    pov_trial trial;
    pov_enrol_images images;
    size_t bytes = 0;
    pov_status status = pov_enrol_images_read(&images, options->images, NULL);
    if (status.code == POV_OK)
        status = learn(options, data, &trial, &images);
    if (status.code == POV_OK)
        status = enrol_write_plot(options, &trial);
    if (status.code == POV_OK)
        status = write_sheet(options, &images);
    if (status.code == POV_OK)
        status = pov_enrolled_write(options->model, data, NULL, &bytes);
    if (status.code == POV_OK)
        enrol_report_print(options, &(enrol_result){data, NULL, &trial, bytes});
    pov_enrol_images_free(&images);
    return status;
}

/* -------- checking -------- */

static double error_of(const pov_appearance_data *data, const pov_likeness *likeness, double angle_rad)
{
    if (data->symmetry == POV_SYMMETRY_ALL || likeness->view.len == 0)
        return NAN;
    return remainder(likeness->view.mode[0].yaw_rad - angle_rad, 2 * POV_PI / data->symmetry);
}

/* Whether a mode's error is at most twice the standard deviation said of it. */
static bool is_within(const pov_heading *heading, double angle_rad)
{
    for (int i = 0; i < heading->len; i++)
        if (fabs(remainder(heading->mode[i].yaw_rad - angle_rad, 2 * POV_PI)) <=
            2 / sqrt(heading->mode[i].kappa))
            return true;
    return false;
}

static void ask(enrol_check *check, const pov_appearance_data *data, pov_appearance *appearance,
                const pov_enrol_images *images)
{
    const int64_t start_ns = pov_clock_monotonic_ns();
    for (int i = 0; i < images->len; i++)
        pov_appearance_match(appearance, &check->answers[i].likeness, &images->images[i].view.patch);
    check->query_s = 1e-9 * (double)(pov_clock_monotonic_ns() - start_ns) / images->len;
    check->len = images->len;
    check->mean_rad = check->worst_rad = check->within_two_std = 0;
    for (int i = 0; i < check->len; i++) {
        enrol_answer *answer = &check->answers[i];
        answer->image = images->images[i].name;
        answer->angle_rad = images->images[i].view.angle_rad;
        answer->error_rad = error_of(data, &answer->likeness, answer->angle_rad);
        check->mean_rad += fabs(answer->error_rad) / check->len;
        check->worst_rad = fmax(check->worst_rad, fabs(answer->error_rad));
        check->within_two_std += is_within(&answer->likeness.view, answer->angle_rad) / (double)check->len;
    }
}

static pov_status write_check_plot(const enrol_options *options, const enrol_check *check)
{
    pov_enrol_point points[POV_VIEW_MAX];
    char title[ENROL_PATH_CAPACITY + 64];
    int len = 0;
    for (int i = 0; i < check->len; i++) {
        const pov_heading *view = &check->answers[i].likeness.view;
        if (view->len > 0)
            points[len++] = (pov_enrol_point){
                check->answers[i].angle_rad, check->answers[i].error_rad, 1 / sqrt(view->mode[0].kappa),
                view->len > 1 && view->mode[1].weight > 0.1 ? view->mode[1].yaw_rad : NAN};
    }
    snprintf(title, sizeof title, "%s: error of its angle, measured", options->name);
    return pov_enrol_plot_write(
        options->plot, points, len, title,
        "dots: errors; bars: twice the standard deviation said; arcs: angles that look alike");
}

static pov_status read_enrolled_from_images(pov_appearance_data *data, const char *path)
{
    pov_portraits *portraits = malloc(sizeof *portraits);
    if (!portraits)
        return pov_error("out of memory");
    pov_status status = pov_enrolled_read(data, portraits, path);
    if (status.code == POV_OK && portraits->len > 0)
        status = pov_error(
            "%s: was enrolled at a station, whose images show it elsewhere and in another size: check it "
            "there, with --station",
            path);
    free(portraits);
    return status;
}

static pov_status measure(const enrol_options *options, pov_appearance_data *data)
{
    enrol_check check;
    pov_enrol_images images = {0};
    pov_appearance *appearance = NULL;
    POV_TRY(read_enrolled_from_images(data, options->model));
    pov_status status = pov_enrol_images_read(&images, options->images, data);
    if (status.code == POV_OK)
        status = pov_appearance_new(&appearance, data);
    if (status.code == POV_OK) {
        ask(&check, data, appearance, &images);
        status = write_check_plot(options, &check);
    }
    if (status.code == POV_OK)
        enrol_check_print(options, data, &check);
    pov_appearance_destroy(&appearance);
    pov_enrol_images_free(&images);
    return status;
}

/* -------- the command -------- */

static bool parse_front(enrol_options *options, const char *text)
{
    char end;
    double front_deg;
    options->has_front = sscanf(text, "%lf%c", &front_deg, &end) == 1 && fabs(front_deg) <= 360;
    options->front_rad = options->has_front ? front_deg * deg : 0;
    return options->has_front;
}

static pov_status do_it(const enrol_options *options, pov_appearance_data *data)
{
    if (options->station)
        return options->check ? enrol_check_at_station(options) : enrol_at_station(options, data);
    return options->check ? measure(options, data) : enrol(options, data);
}

static int run(const enrol_options *options)
{
    pov_appearance_data *data = malloc(sizeof *data);
    const pov_status status = data ? do_it(options, data) : pov_error("out of memory");
    free(data);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

static bool parse_axis(pov_enrol_turn_options *turn, const char *text)
{
    char end;
    turn->has_axis =
        sscanf(text, "%lf,%lf,%lf%c", &turn->axis_m.x, &turn->axis_m.y, &turn->axis_m.z, &end) == 3 &&
        isfinite(turn->axis_m.x + turn->axis_m.y + turn->axis_m.z);
    return turn->has_axis;
}

static bool parse_angles(pov_enrol_turn_options *turn, const char *text)
{
    char end;
    int angles;
    if (sscanf(text, "%d%c", &angles, &end) != 1 || angles < POV_PORTRAIT_MIN || angles > POV_PORTRAIT_MAX)
        return false;
    turn->stops = 2 * angles;
    return true;
}

static bool parse_metres(double *metres, const char *text, double low, double high)
{
    char end;
    return sscanf(text, "%lf%c", metres, &end) == 1 && *metres > low && *metres < high;
}

/* What each option is; false: it is not one of these, or not as it should be. */
static bool take_station_option(enrol_options *options, int option, const char *value)
{
    if (option == 's')
        options->station = value;
    else if (option == 'e')
        options->turn.empty = value;
    else if (option == 'b')
        options->turn.by_hand = true;
    else
        return option == 'n'   ? parse_angles(&options->turn, value)
               : option == 'x' ? parse_axis(&options->turn, value)
               : option == 'r' ? parse_metres(&options->turn.room_m, value, 0.005, 20)
               : option == 'g' ? parse_metres(&options->turn.ring_edge_m, value, 1e-4, 10)
               : option == 't' ? (options->turn.has_top = parse_metres(&options->turn.top_m, value, -10, 10))
                               : false;
    return true;
}

int pov_command_enrol(int argc, char **argv)
{
    static const struct option known[] = {
        {"images", required_argument, NULL, 'i'},  {"angle-from-name", no_argument, NULL, 'a'},
        {"front", required_argument, NULL, 'f'},   {"out", required_argument, NULL, 'o'},
        {"check", no_argument, NULL, 'c'},         {"json", no_argument, NULL, 'j'},
        {"station", required_argument, NULL, 's'}, {"empty", required_argument, NULL, 'e'},
        {"angles", required_argument, NULL, 'n'},  {"by-hand", no_argument, NULL, 'b'},
        {"axis", required_argument, NULL, 'x'},    {"room", required_argument, NULL, 'r'},
        {"top", required_argument, NULL, 't'},     {"ring-edge", required_argument, NULL, 'g'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    enrol_options options = {.turn = {.stops = 72, .room_m = 0.3}};
    const char *out = NULL;
    bool angle_from_name = false;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return POV_EXIT_OK;
        } else if (option == 'i') {
            options.images = optarg;
        } else if (option == 'a') {
            angle_from_name = true;
        } else if (option == 'o') {
            out = optarg;
        } else if (option == 'c') {
            options.check = true;
        } else if (option == 'j') {
            options.json = true;
        } else if (strchr("senbxrtg", option)) {
            if (!take_station_option(&options, option, optarg))
                return pov_cli_usage(argv[0], "%s: not what this option takes; see --help", optarg);
        } else if (option != 'f') {
            return pov_cli_usage(argv[0], "unknown option or missing value: \"%s\"", argv[optind - 1]);
        } else if (!parse_front(&options, optarg)) {
            return pov_cli_usage(argv[0], "--front %s: expected degrees, -360 to 360", optarg);
        }
    }
    if (argc - optind != 1)
        return pov_cli_usage(argv[0], "expected: one NAME");
    options.name = argv[optind];
    if (!options.images == !options.station)
        return pov_cli_usage(
            argv[0], "expected one of: --station FILE, where it turns, or --images DIR, the folder with "
                     "the views");
    if (options.images && !options.check && !angle_from_name)
        return pov_cli_usage(argv[0], "how is the angle told? --angle-from-name: by each image's name");
    if (options.check && (out || options.has_front))
        return pov_cli_usage(argv[0], "--check changes nothing: it takes neither --out nor --front");
    if (strlen(out ? out : options.name) > ENROL_PATH_CAPACITY - 16)
        return pov_cli_usage(argv[0], "this name is too long");
    name_files(&options, out);
    return run(&options);
}
