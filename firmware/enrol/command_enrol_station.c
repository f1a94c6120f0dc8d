/* Enrolling at a station: the object turns alone before a camera whose place is known. */
#include "config/files/json_value.h"
#include "config/objects/appearance_file.h"
#include "config/objects/portrait_file.h"
#include "firmware/enrol/command_enrol.h"
#include "firmware/picture/contact_sheet.h"
#include "firmware/picture/image_file.h"
#include "perception/geometry/ranked.h"
#include "perception/image/grey.h"
#include "perception/objects/object_finder.h"

#include <assert.h>
#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHEET_VIEWS = 36, SHEET_SIDE_PX = 128, LIGHT_OF_NOTHING = 0 };

/* ---- views for the curve ---- */

static pov_view *views_of(const pov_portraits *portraits)
{
    pov_view *views = calloc((size_t)portraits->len + 1, sizeof *views);
    for (int i = 0; views && i < portraits->len; i++) {
        const pov_portrait *from = &portraits->portraits[i];
        views[i].angle_rad = from->angle_rad;
        for (int k = 0; k < POV_PATCH_AREA; k++)
            views[i].patch.light[k] = from->depth[k] > 0 ? pov_grey_of(from->colour[k]) : LIGHT_OF_NOTHING;
        pov_patch_smooth(&views[i].patch);
    }
    return views;
}

static pov_status learn_curve(const enrol_options *options, pov_appearance_data *data, pov_trial *trial,
                              pov_portraits *portraits, const pov_enrol_turn *turn)
{
    static_assert((int)POV_PATCH_AREA == (int)POV_PORTRAIT_AREA, "a portrait is a patch");
    pov_view *views = views_of(portraits);
    if (!views)
        return pov_error("out of memory");
    pov_status status = pov_appearance_learn(data, views, portraits->len);
    POV_THEN(status, pov_appearance_try(data, trial, views));
    free(views);
    const pov_turn_shot *shot = &turn->shots[0];
    const double distance_m = pov_vec3_norm(pov_vec3_sub(shot->T_table_camera.t_m, turn->stage.axis_m));
    data->square =
        (pov_patch_square){0, 0, fmax(1, 2 * portraits->radius_m * shot->camera.fx_px / distance_m)};
    data->image_width_px = shot->image.width_px;
    data->image_height_px = shot->image.height_px;
    if (status.code == POV_OK)
        pov_enrol_set_front(data, options);
    return status;
}

/* ---- the contact sheet ---- */

/* The object and a little around it: the room is mostly empty. */
static pov_image close_up(const pov_turn_shot *shot, const pov_turn_stage *stage,
                          const pov_portraits *portraits)
{
    const pov_turn_stage near = {stage->axis_m, 0, fmin(stage->room_m, 2.6 * portraits->radius_m)};
    pov_image image = shot->image;
    int at[4];
    pov_turn_room(at, &shot->camera, &shot->T_table_camera, &near);
    if (at[2] == 0)
        return image;
    image.pixels += (size_t)at[1] * (size_t)image.stride_bytes + 3 * (size_t)at[0];
    image.width_px = at[2];
    image.height_px = at[3];
    return image;
}

static pov_status write_sheet(const enrol_options *options, const pov_enrol_turn *turn,
                              const pov_portraits *portraits)
{
    pov_contact_sheet *sheet;
    const int every = 2 * ((turn->len / 2 + SHEET_VIEWS - 1) / SHEET_VIEWS);
    sheet = pov_contact_sheet_new(SHEET_VIEWS, SHEET_SIDE_PX, SHEET_SIDE_PX);
    for (int i = 0; i < turn->len; i += every) {
        const pov_image image = close_up(&turn->shots[i], &turn->stage, portraits);
        pov_contact_sheet_add(sheet, &image);
    }
    const pov_image image = pov_contact_sheet_image(sheet);
    const pov_status status = pov_image_file_write_png(options->sheet, &image);
    pov_contact_sheet_destroy(&sheet);
    return status;
}

/* ---- learning ---- */

static pov_status learn_object(const enrol_options *options, pov_appearance_data *data,
                               pov_portraits *portraits, const pov_enrol_turn *turn)
{
    pov_trial trial;
    pov_object_stand stand;
    size_t bytes = 0;
    const pov_turn_shots shots = {turn->len, turn->shots, turn->empty};
    POV_TRY(pov_object_carve(portraits, &stand, &shots, &turn->stage));
    POV_TRY(pov_portraits_try(portraits, &shots, &stand));
    POV_TRY(learn_curve(options, data, &trial, portraits, turn));
    POV_TRY(pov_enrol_write_plot(options, &trial));
    POV_TRY(write_sheet(options, turn, portraits));
    POV_TRY(pov_enrolled_write(options->model, data, portraits, &bytes));
    pov_enrol_report_print(options, &(enrol_result){data, portraits, &trial, bytes});
    return pov_ok();
}

static pov_status turn_at(const enrol_options *options, pov_enrol_turn *turn)
{
    pov_station *station = pov_allocate(1, sizeof *station);
    *turn = (pov_enrol_turn){0};
    pov_status status = pov_station_read(station, options->station);
    POV_THEN(status, pov_enrol_turn_take(turn, station, &options->turn));
    free(station);
    return status;
}

pov_status pov_enrol_at_station(const enrol_options *options, pov_appearance_data *data)
{
    pov_enrol_turn turn;
    pov_portraits *portraits = malloc(sizeof *portraits);
    pov_status status = portraits ? turn_at(options, &turn) : pov_error("out of memory");
    POV_THEN(status, learn_object(options, data, portraits, &turn));
    if (portraits)
        pov_enrol_turn_free(&turn);
    free(portraits);
    return status;
}

/* ---- checking ---- */

typedef struct {
    int len, found, within;
    double turned[POV_ENROL_SHOT_MAX], angle[POV_ENROL_SHOT_MAX],
        std[POV_ENROL_SHOT_MAX];                             /* of those found, rad */
    double x_m[POV_ENROL_SHOT_MAX], y_m[POV_ENROL_SHOT_MAX]; /* on the turntable */
    double error[POV_ENROL_SHOT_MAX];
    double median_rad, median_m;
} checked;

static void note_view(checked *c, const pov_object_finding *finding, const pov_turn_shot *shot,
                      pov_vec3 axis_m)
{
    const pov_vec3 off_m =
        pov_rot_apply(pov_rot_yaw(-shot->angle_rad), pov_vec3_sub(finding->position.mean_m, axis_m));
    const int i = c->found++;
    const pov_rot R = finding->R_table_box;
    c->angle[i] = shot->angle_rad;
    c->turned[i] = remainder(atan2(R.m[1][0], R.m[0][0]) - shot->angle_rad, 2 * POV_PI);
    c->std[i] = finding->heading.len > 0 ? 1 / sqrt(finding->heading.mode[0].kappa) : NAN;
    c->x_m[i] = off_m.x;
    c->y_m[i] = off_m.y;
}

static pov_status look_at(checked *c, const pov_object_finder_config *config, const pov_turn_shot *shot,
                          pov_vec3 axis_m)
{
    pov_object_finder *finder;
    pov_object_findings findings;
    const pov_pose pose = pov_pose_exact(shot->T_table_camera);
    POV_TRY(pov_object_finder_new(&finder, config, &shot->camera));
    const pov_status status = pov_object_finder_run(finder, &findings, &shot->image, &pose, NULL, NULL);
    pov_object_finder_destroy(&finder);
    c->len++;
    if (status.code == POV_OK && findings.findings[0].found)
        note_view(c, &findings.findings[0], shot, axis_m);
    return status;
}

static double median_of(const double *values, int len)
{
    double copy[POV_ENROL_SHOT_MAX]; /* reordered */
    memcpy(copy, values, (size_t)len * sizeof *copy);
    return pov_median(copy, len);
}

/* It was set down again, so only how turn and place change with the table's angle can be held against it. */
static void conclude_enrolment(checked *c)
{
    double s = 0, cosine = 0, off_rad[POV_ENROL_SHOT_MAX] = {0}, off_m[POV_ENROL_SHOT_MAX] = {0};
    for (int i = 0; i < c->found; i++) {
        s += sin(c->turned[i]);
        cosine += cos(c->turned[i]);
    }
    const double mean = atan2(s, cosine), x_m = median_of(c->x_m, c->found),
                 y_m = median_of(c->y_m, c->found);
    for (int i = 0; i < c->found; i++) {
        c->error[i] = remainder(c->turned[i] - mean, 2 * POV_PI);
        off_rad[i] = fabs(c->error[i]);
        off_m[i] = hypot(c->x_m[i] - x_m, c->y_m[i] - y_m);
        c->within += off_rad[i] <= 2 * c->std[i];
    }
    c->median_rad = median_of(off_rad, c->found);
    c->median_m = median_of(off_m, c->found);
}

static void print_check(const enrol_options *options, const checked *c)
{
    if (options->json) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "model", options->model);
        cJSON_AddNumberToObject(object, "images", c->len);
        cJSON_AddNumberToObject(object, "found", c->found);
        pov_json_add_number(object, "median_turn_error_deg", pov_degrees(c->median_rad));
        pov_json_add_number(object, "median_place_error_m", c->median_m);
        pov_json_add_number(object, "within_two_std", c->found > 0 ? c->within / (double)c->found : 0);
        cJSON_AddStringToObject(object, "plot", options->plot);
        pov_json_print_line(stdout, object);
        return;
    }
    printf("%s: found in %d of %d images\n", options->model, c->found, c->len);
    printf("turn            %.2f deg median error; %.0f %% within twice the deviation said\n",
           c->median_rad / POV_DEG, c->found > 0 ? 100.0 * c->within / c->found : 0);
    printf("place           %.1f mm median, about where it stands on the turntable\n", c->median_m * 1e3);
    printf("drawn           %s\n", options->plot);
}

static pov_status plot_check(const enrol_options *options, const checked *c)
{
    pov_enrol_point points[POV_ENROL_SHOT_MAX];
    char title[ENROL_PATH_CAPACITY + 64];
    for (int i = 0; i < c->found; i++)
        points[i] = (pov_enrol_point){c->angle[i], c->error[i], isnan(c->std[i]) ? 0 : c->std[i], NAN};
    snprintf(title, sizeof title, "%s: error of its turn, measured at the station", options->name);
    return pov_enrol_plot_write(
        options->plot, points, c->found, title,
        "across: the angle at which it stands; dots: errors; bars: twice the standard deviation said");
}

static pov_status check_with(const enrol_options *options, const pov_portraits *portraits)
{
    pov_enrol_turn turn;
    checked *c = calloc(1, sizeof *c);
    pov_status status = c ? turn_at(options, &turn) : pov_error("out of memory");
    if (!c)
        return status;
    const pov_object_finder_config config = {
        .kind_len = 1,
        .kinds = {{.portraits = portraits, .stands_on_m = turn.stage.axis_m.z, .stands_on_std_m = 0.001}}};
    for (int i = 0; i < turn.len && status.code == POV_OK; i++)
        status = look_at(c, &config, &turn.shots[i], turn.stage.axis_m);
    if (status.code == POV_OK) {
        conclude_enrolment(c);
        status = plot_check(options, c);
    }
    if (status.code == POV_OK)
        print_check(options, c);
    pov_enrol_turn_free(&turn);
    free(c);
    return status;
}

pov_status pov_enrol_check_at_station(const enrol_options *options)
{
    pov_portraits *portraits = malloc(sizeof *portraits);
    pov_status status =
        portraits ? pov_portraits_read(portraits, options->model) : pov_error("out of memory");
    if (status.code == POV_OK && portraits->len == 0)
        status = pov_error("%s: was enrolled from images alone and has no size; enrol it at the station",
                           options->model);
    POV_THEN(status, check_with(options, portraits));
    free(portraits);
    return status;
}
