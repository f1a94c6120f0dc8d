#include "firmware/enrol/command_enrol.h"

#include "config/objects/appearance_file.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/picture/contact_sheet.h"
#include "firmware/picture/image_file.h"
#include "firmware/sources/each_image.h"
#include "firmware/sources/folder_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pov_option_take take_axis, take_angles, take_top;
static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_OPTIONS_HEADING("At a station:"),
    POV_PATH(enrol_options, station, "station", "FILE", "its camera, tags and turntable"),
    POV_PATH(enrol_options, turn.empty, "empty", "IMAGE",
             "the table with nothing on the turntable; else it is asked for and taken"),
    POV_TAKEN(enrol_options, turn, "angles", "N", take_angles,
              "portraits, 8 to 72 (36); as many images between them are taken to try it out"),
    POV_FLAG(enrol_options, turn.by_hand, "by-hand", "you turn; each image is taken when all stands still"),
    POV_TAKEN(enrol_options, turn, "axis", "X,Y,Z", take_axis,
              "where the turntable's axis meets its top, in metres of the table frame; else tags on it tell"),
    POV_TAKEN(enrol_options, turn, "top", "Z", take_top,
              "how high the turntable's top is, in metres above the table frame's plane; or:"),
    POV_NUMBER(enrol_options, turn.ring_edge_m, "ring-edge", "M", 1e-4, 10, "the edge of the tags on it"),
    POV_NUMBER(enrol_options, turn.room_m, "room", "M", 0.005, 20,
               "the object is no wider nor higher than this"),
    POV_OPTIONS_HEADING("From a folder:"),
    POV_PATH(enrol_options, images, "images", "DIR",
             "of images from a camera that stood still, PNG or JPEG; nothing but the object moves"),
    POV_FLAG(enrol_options, angle_from_name, "angle-from-name",
             "the angle in degrees is each name's last number: 000.png, 010.png, duck__20.png"),
    POV_OPTIONS_HEADING("Both:"),
    POV_NUMBER(
        enrol_options, front_rad, "front", "DEG", -360, 360,
        "the angle of the view in which its front looks at the camera (see the contact sheet): headings are "
        "then told from there, 0 being toward the camera",
        .unit = POV_DEG),
    POV_PATH(enrol_options, out, "out", "FILE", "in place of NAME.pov; plot and sheet are put beside it"),
    POV_FLAG(enrol_options, check, "check",
             "measure; NAME may be the path of a .pov file. Draws NAME_check.svg"),
    POV_FLAG(enrol_options, json, "json", "one JSON object instead of text"),
    POV_OPTIONS_END,
};

const pov_command pov_command_enrol = {
    .name = "enrol",
    .summary = "learn how an object looks from all around, from views of it",
    .run = run,
    .usage = "NAME --station FILE [OPTIONS]\n"
             "NAME --images DIR --angle-from-name [OPTIONS]\n"
             "--check NAME --station FILE | --images DIR [--json]",
    .about =
        "Learns how an object looks from all around, as it turns once. At a station, whose camera's place is "
        "known, it learns its size too, and 'found_by: enrolled' finds it anywhere on the table "
        "(docs/ENROL.md): the object stands alone on the middle of the turntable, which a motor turns, or "
        "you "
        "do, tags on it telling the angle. From a folder, it learns the angle alone.\n"
        "\n"
        "Writes NAME.pov; says how well the object's angle will be measured, which angles look alike and how "
        "to improve it; draws the errors over the angle (NAME_error.svg) and a contact sheet of the views "
        "(NAME_views.png). --check asks an enrolled object about other images of it, and measures.",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "expected: one NAME"},
    .examples = "pov enrol duck --station my_table.yaml --front 90\n"
                "pov enrol duck --images turn/ --angle-from-name --front 90\n"
                "pov enrol --check duck --images another_turn/ --json",
    .exits = "0 done; 1 the images or the file are not as they should be",
};

enum { SHEET_VIEWS = 36, SHEET_SIDE_PX = 128 };

/* -------- where things go -------- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* NAME.pov, and beside it the drawings. */
static void name_files(enrol_options *options)
{
    const char *out = options->out, *path = out ? out : options->name;
    const int stem = (int)strlen(path) - (ends_with(path, ".pov") ? 4 : 0);
    snprintf(options->model, sizeof options->model, "%.*s%s", stem, path, out ? path + stem : ".pov");
    snprintf(options->plot, sizeof options->plot, "%.*s%s", stem, path,
             options->check ? "_check.svg" : "_error.svg");
    snprintf(options->sheet, sizeof options->sheet, "%.*s_views.png", stem, path);
}

/* -------- learning -------- */

typedef struct {
    const pov_enrol_images *images;
    pov_contact_sheet *sheet;
} sheet_drawing;

/* Draws a few of the views, at even steps of their angle. */
static pov_status draw_view(void *context, const pov_image *image)
{
    const sheet_drawing *drawing = context;
    const int every = (drawing->images->len + SHEET_VIEWS - 1) / SHEET_VIEWS;
    for (int i = 0; i < drawing->images->len; i += every)
        if (strcmp(drawing->images->images[i].name, image->name) == 0)
            pov_contact_sheet_add(drawing->sheet, image);
    return pov_ok();
}

static pov_status write_sheet(const enrol_options *options, const pov_enrol_images *images)
{
    sheet_drawing drawing = {images, pov_contact_sheet_new(SHEET_VIEWS, SHEET_SIDE_PX, SHEET_SIDE_PX)};
    pov_image_source *source = NULL;
    const pov_folder_source_config config = {.path = options->images};
    pov_status status = pov_folder_source_new(&source, &config);
    POV_THEN(status, pov_each_image(source, draw_view, &drawing));
    if (status.code == POV_OK) {
        const pov_image image = pov_contact_sheet_image(drawing.sheet);
        status = pov_image_file_write_png(options->sheet, &image);
    }
    pov_image_source_destroy(&source);
    pov_contact_sheet_destroy(&drawing.sheet);
    return status;
}

pov_status pov_enrol_write_plot(const enrol_options *options, const pov_trial *trial)
{
    pov_enrol_point points[POV_VIEW_MAX];
    char title[ENROL_PATH_CAPACITY + 64];
    for (int i = 0; i < trial->len; i++) {
        const pov_trial_view *view = &trial->views[i];
        points[i] = (pov_enrol_point){view->angle_rad, view->error_rad, view->std_rad, view->alike_rad};
    }
    snprintf(title, sizeof title, "%s: error of its angle, each half of the views by the other",
             options->name);
    return pov_enrol_plot_write(options->plot, points, trial->len, title,
                                "across: the angle at which it stands; dots: errors; bars: twice the "
                                "standard deviation said; arcs: angles that look alike");
}

void pov_enrol_set_front(pov_appearance_data *data, const enrol_options *options)
{
    data->has_front = isfinite(options->front_rad) && data->symmetry == 1;
    data->front_rad = isfinite(options->front_rad) ? options->front_rad : 0;
    if (isfinite(options->front_rad) && data->symmetry != 1)
        pov_cli_warn("%s: looks the same from several sides: --front is left aside", options->name);
}

static pov_status learn_views(const enrol_options *options, pov_appearance_data *data, pov_trial *trial,
                              const pov_enrol_images *images)
{
    pov_view *views;
    POV_TRY(pov_enrol_images_views(images, &views));
    pov_status status = pov_appearance_learn(data, views, images->len);
    POV_THEN(status, pov_appearance_try(data, trial, views));
    free(views);
    if (status.code != POV_OK)
        return pov_error("%s: %s", options->images, status.message);
    data->square = images->square;
    data->image_width_px = images->width_px;
    data->image_height_px = images->height_px;
    pov_enrol_set_front(data, options);
    return pov_ok();
}

static pov_status enrol_object(const enrol_options *options, pov_appearance_data *data)
{
    pov_trial trial;
    pov_enrol_images images;
    size_t bytes = 0;
    pov_status status = pov_enrol_images_read(&images, options->images, NULL);
    POV_THEN(status, learn_views(options, data, &trial, &images));
    POV_THEN(status, pov_enrol_write_plot(options, &trial));
    POV_THEN(status, write_sheet(options, &images));
    POV_THEN(status, pov_enrolled_write(options->model, data, NULL, &bytes));
    if (status.code == POV_OK)
        pov_enrol_report_print(options, &(enrol_result){data, NULL, &trial, bytes});
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

/* True if a mode's error is at most twice the standard deviation said of it. */
static bool is_within(const pov_heading *heading, double angle_rad)
{
    for (int i = 0; i < heading->len; i++)
        if (fabs(remainder(heading->mode[i].yaw_rad - angle_rad, 2 * POV_PI)) <=
            2 / sqrt(heading->mode[i].kappa))
            return true;
    return false;
}

static void check_view(enrol_check *check, const pov_appearance_data *data, pov_appearance *appearance,
                       const pov_enrol_images *images)
{
    const int64_t start_ns = pov_clock_monotonic_ns();
    for (int i = 0; i < images->len; i++)
        pov_appearance_match(appearance, &check->answers[i].likeness, &images->images[i].view.patch);
    check->query_s = 1e-9 * (double)(pov_clock_monotonic_ns() - start_ns) / images->len;
    check->len = images->len;
    check->mean_rad = check->worst_rad = 0;
    int headed = 0, within = 0;
    for (int i = 0; i < check->len; i++) {
        enrol_answer *answer = &check->answers[i];
        answer->image = images->images[i].name;
        answer->angle_rad = images->images[i].view.angle_rad;
        answer->error_rad = error_of(data, &answer->likeness, answer->angle_rad);
        check->mean_rad += fabs(answer->error_rad) / check->len;
        check->worst_rad = fmax(check->worst_rad, fabs(answer->error_rad));
        headed += answer->likeness.view.len > 0;
        within += is_within(&answer->likeness.view, answer->angle_rad);
    }
    check->within_two_std = headed > 0 ? within / (double)headed : NAN;
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
    return pov_enrol_plot_write(options->plot, points, len, title,
                                "across: the angle at which it stands; dots: errors; bars: twice the "
                                "standard deviation said; arcs: angles that look alike");
}

static pov_status read_enrolled_from_images(pov_appearance_data *data, const char *path)
{
    pov_portraits *portraits = pov_allocate(1, sizeof *portraits);
    pov_status status = pov_enrolled_read(data, portraits, path);
    if (status.code == POV_OK && portraits->len > 0)
        status = pov_error(
            "%s: was enrolled at a station, whose images show it elsewhere and in another size: check it "
            "there, with --station",
            path);
    free(portraits);
    return status;
}

static pov_status measure_headings(const enrol_options *options, pov_appearance_data *data)
{
    enrol_check check;
    pov_enrol_images images = {0};
    pov_appearance *appearance = NULL;
    POV_TRY(read_enrolled_from_images(data, options->model));
    pov_status status = pov_enrol_images_read(&images, options->images, data);
    if (status.code == POV_OK) {
        appearance = pov_appearance_new(data);
        check_view(&check, data, appearance, &images);
        status = write_check_plot(options, &check);
    }
    if (status.code == POV_OK)
        pov_enrol_check_print(options, data, &check);
    pov_appearance_destroy(&appearance);
    pov_enrol_images_free(&images);
    return status;
}

/* -------- the command -------- */

static pov_status do_it(const enrol_options *options, pov_appearance_data *data)
{
    if (options->station)
        return options->check ? pov_enrol_check_at_station(options) : pov_enrol_at_station(options, data);
    return options->check ? measure_headings(options, data) : enrol_object(options, data);
}

static pov_status take_axis(void *value, const char *text)
{
    pov_enrol_turn_options *turn = value;
    char end;
    turn->has_axis =
        sscanf(text, "%lf,%lf,%lf%c", &turn->axis_m.x, &turn->axis_m.y, &turn->axis_m.z, &end) == 3 &&
        isfinite(turn->axis_m.x + turn->axis_m.y + turn->axis_m.z);
    return turn->has_axis ? pov_ok() : pov_error("takes X,Y,Z in metres, such as 0.1,0,0.02, not '%s'", text);
}

static pov_status take_angles(void *value, const char *text)
{
    static const pov_option bounds = {
        .kind = POV_OPTION_WHOLE, .low = POV_PORTRAIT_MIN, .high = POV_PORTRAIT_MAX};
    pov_enrol_turn_options *turn = value;
    int angles;
    POV_TRY(pov_option_take_text(&angles, &bounds, text));
    turn->stops = 2 * angles;
    return pov_ok();
}

static pov_status take_top(void *value, const char *text)
{
    static const pov_option bounds = {.kind = POV_OPTION_NUMBER, .low = -10, .high = 10};
    pov_enrol_turn_options *turn = value;
    turn->has_top = true;
    return pov_option_take_text(&turn->top_m, &bounds, text);
}

static int read_options(enrol_options *options, int argc, char **argv)
{
    pov_words words;
    POV_OR_EXIT(pov_command_read(options, &words, &pov_command_enrol, argc, argv));
    options->name = words.word[0];
    if (!options->images == !options->station)
        return pov_cli_usage("enrol",
                             "expected one of: --station FILE, where it turns, or --images DIR, the folder "
                             "with the views");
    if (options->images && !options->check && !options->angle_from_name)
        return pov_cli_usage("enrol", "how is the angle told? --angle-from-name: by each image's name");
    if (options->check && (options->out || isfinite(options->front_rad)))
        return pov_cli_usage("enrol", "--check changes nothing: it takes neither --out nor --front");
    if (strlen(options->out ? options->out : options->name) > ENROL_PATH_CAPACITY - 16)
        return pov_cli_usage("enrol", "this name is too long");
    name_files(options);
    return POV_GO_ON;
}

static int run(int argc, char **argv)
{
    enrol_options options = {.turn = {.stops = 72, .room_m = 0.3}, .front_rad = NAN};
    POV_OR_EXIT(read_options(&options, argc, argv));
    pov_appearance_data *data = pov_allocate(1, sizeof *data);
    const pov_status status = do_it(&options, data);
    free(data);
    return pov_cli_exit(status);
}
