/* The expected accuracy of an object's heading, as text and JSON. */
#include "config/files/json_value.h"
#include "firmware/enrol/command_enrol.h"
#include "perception/geometry/geom.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>

/* When advice is given: between views; error; over the mean; chosen. */
static const double gap_wide_deg = 15, hard_deg = 1.5, hard_ratio = 3;

enum { SIDE_SMALL_PX = 24, PAIRS_SHOWN = 4 };

static double positive_deg(double angle_rad)
{
    const double angle_deg = fmod(pov_degrees(angle_rad), 360);
    return angle_deg < -0.05 ? angle_deg + 360 : fabs(angle_deg);
}

/* -------- what would help -------- */

/* There are fewer kinds of help than room for them. */
static char *next_line(enrol_help *help)
{
    POV_REQUIRE(help->len < ENROL_HELP_MAX);
    return help->lines[help->len++];
}

static void help_with_gaps(enrol_help *help, const pov_trial *trial)
{
    for (int i = 0; i < trial->len; i++) {
        const double from = trial->views[i].angle_rad, to = trial->views[(i + 1) % trial->len].angle_rad;
        const double gap_deg = pov_degrees(i + 1 < trial->len ? to - from : to + 2 * POV_PI - from);
        if (gap_deg > gap_wide_deg && gap_deg > 0.999 * pov_degrees(trial->widest_gap_rad)) {
            snprintf(next_line(help), ENROL_HELP_CAPACITY,
                     "views every 10 deg: the widest gap is %.3g deg, from %.4g to %.4g", gap_deg,
                     positive_deg(from), positive_deg(to));
            return;
        }
    }
}

static void help_with_hard_views(enrol_help *help, const pov_appearance_data *data, const pov_trial *trial)
{
    int worst = 0;
    for (int i = 1; i < trial->len; i++)
        if (fabs(trial->views[i].error_rad) > fabs(trial->views[worst].error_rad))
            worst = i;
    const double error_deg = pov_degrees(fabs(trial->views[worst].error_rad));
    if (data->symmetry == 1 && error_deg > hard_deg &&
        error_deg > hard_ratio * pov_degrees(data->expected_error_rad))
        snprintf(next_line(help), ENROL_HELP_CAPACITY,
                 "more views about %.4g deg: estimated from its neighbours, that one is %.3g deg off",
                 positive_deg(trial->views[worst].angle_rad), error_deg);
}

static void find_help(enrol_help *help, const pov_appearance_data *data, const pov_trial *trial)
{
    help->len = 0;
    help_with_gaps(help, trial);
    help_with_hard_views(help, data, trial);
    if (data->square.side_px < SIDE_SMALL_PX)
        snprintf(next_line(help), ENROL_HELP_CAPACITY,
                 "a camera nearer by: the object is only %.0f pixels large", data->square.side_px);
    if (data->symmetry > 1)
        snprintf(next_line(help), ENROL_HELP_CAPACITY, "a mark on one side, to distinguish its sides");
    if (data->symmetry == 1 && !data->has_front)
        snprintf(next_line(help), ENROL_HELP_CAPACITY,
                 "--front DEG: the angle, on the contact sheet, at which its front looks at the camera");
}

/* -------- text -------- */

static void print_symmetry(const pov_appearance_data *data, const pov_trial *trial)
{
    int pairs = 0;
    if (data->symmetry == POV_SYMMETRY_ALL) {
        puts("looks alike     from everywhere: it has no front");
        return;
    }
    if (data->symmetry > 1) {
        printf("looks alike     after every %.4g deg: no front can be told among %d\n",
               360.0 / data->symmetry, data->symmetry);
        return;
    }
    for (int i = 0; i < trial->len; i++) {
        const pov_trial_view *view = &trial->views[i];
        if (isnan(view->alike_rad))
            continue;
        if (pairs < PAIRS_SHOWN)
            printf("%s %.4g and %.4g deg (weight of the second %.2f)\n",
                   pairs == 0 ? "looks alike    " : "               ", positive_deg(view->angle_rad),
                   positive_deg(view->alike_rad), view->alike_weight);
        pairs++;
    }
    if (pairs == 0)
        puts("looks alike     from no two sides");
    if (pairs > PAIRS_SHOWN)
        printf("                and %d more: see the plot\n", pairs - PAIRS_SHOWN);
}

static void print_errors(const pov_appearance_data *data, const pov_trial *trial)
{
    if (isnan(data->expected_error_rad)) {
        puts("expected error  none: there is no angle to tell");
        return;
    }
    printf("expected error  %.2f deg on average, %.2f at worst: of each half of the views by the other\n",
           pov_degrees(data->expected_error_rad), pov_degrees(data->worst_error_rad));
    if (trial->mixed_up > 0)
        printf("                %d of %d views were taken for quite another angle; the average is of the "
               "others\n",
               trial->mixed_up, trial->len);
}

static void print_portraits(const pov_portraits *portraits)
{
    printf("at the station  place within %.1f mm, turn within %.2f deg: medians, over images between the "
           "portraits\n",
           portraits->error_m * 1e3, pov_degrees(portraits->error_rad));
    printf("size            %.0f mm high, within %.0f mm of its middle\n", portraits->height_m * 1e3,
           portraits->radius_m * 1e3);
}

static void print_text(const enrol_options *options, const enrol_result *result)
{
    const pov_appearance_data *data = result->data;
    const pov_trial *trial = result->trial;
    const size_t bytes = result->bytes;
    enrol_help help;
    find_help(&help, data, trial);
    printf("%s: %d views in %d dimensions, %.0f kB\n", options->model, data->view_len, data->dimension,
           (double)bytes / 1000);
    print_errors(data, trial);
    print_symmetry(data, trial);
    if (result->portraits)
        print_portraits(result->portraits);
    if (data->has_front)
        printf("front           looks at the camera at %.4g deg; headings are told from there\n",
               positive_deg(data->front_rad));
    for (int i = 0; i < help.len; i++)
        printf("%s %s\n", i == 0 ? "would help     " : "               ", help.lines[i]);
    printf("drawn           %s, %s\n", options->plot, options->sheet);
}

/* -------- JSON -------- */

static void add_number(cJSON *object, const char *name, double value)
{
    cJSON_AddItemToObject(object, name, pov_json_rounded(value, 4));
}

static cJSON *trial_json(const pov_trial *trial)
{
    cJSON *views = cJSON_CreateArray();
    for (int i = 0; i < trial->len; i++) {
        const pov_trial_view *view = &trial->views[i];
        cJSON *item = cJSON_CreateObject();
        add_number(item, "angle_deg", positive_deg(view->angle_rad));
        add_number(item, "error_deg", pov_degrees(view->error_rad));
        add_number(item, "std_deg", pov_degrees(view->std_rad));
        add_number(item, "looks_like_deg", isnan(view->alike_rad) ? NAN : positive_deg(view->alike_rad));
        add_number(item, "looks_like_weight", view->alike_weight);
        cJSON_AddItemToArray(views, item);
    }
    return views;
}

static void add_symmetry(cJSON *object, const pov_appearance_data *data)
{
    if (data->symmetry == POV_SYMMETRY_ALL)
        cJSON_AddStringToObject(object, "symmetry", "all");
    else
        cJSON_AddNumberToObject(object, "symmetry", data->symmetry);
    add_number(object, "front_deg", data->has_front ? positive_deg(data->front_rad) : NAN);
}

static void print_json(const enrol_options *options, const enrol_result *result)
{
    const pov_appearance_data *data = result->data;
    const pov_trial *trial = result->trial;
    enrol_help help;
    cJSON *object = cJSON_CreateObject(), *helps = cJSON_CreateArray();
    find_help(&help, data, trial);
    cJSON_AddStringToObject(object, "model", options->model);
    cJSON_AddStringToObject(object, "plot", options->plot);
    cJSON_AddStringToObject(object, "contact_sheet", options->sheet);
    cJSON_AddNumberToObject(object, "views", data->view_len);
    cJSON_AddNumberToObject(object, "dimensions", data->dimension);
    cJSON_AddNumberToObject(object, "bytes", (double)result->bytes);
    add_number(object, "expected_error_deg", pov_degrees(data->expected_error_rad));
    add_number(object, "worst_error_deg", pov_degrees(data->worst_error_rad));
    cJSON_AddNumberToObject(object, "views_mixed_up", trial->mixed_up);
    add_symmetry(object, data);
    if (result->portraits) {
        cJSON_AddNumberToObject(object, "portraits", result->portraits->len);
        add_number(object, "height_m", result->portraits->height_m);
        add_number(object, "radius_m", result->portraits->radius_m);
        add_number(object, "station_place_error_m", result->portraits->error_m);
        add_number(object, "station_turn_error_deg", pov_degrees(result->portraits->error_rad));
    }
    for (int i = 0; i < help.len; i++)
        cJSON_AddItemToArray(helps, cJSON_CreateString(help.lines[i]));
    cJSON_AddItemToObject(object, "would_help", helps);
    cJSON_AddItemToObject(object, "trial", trial_json(trial));
    pov_json_print_line(stdout, object);
}

void pov_enrol_report_print(const enrol_options *options, const enrol_result *result)
{
    (options->json ? print_json : print_text)(options, result);
}

/* -------- the check -------- */

static cJSON *heading_json(const pov_appearance_data *data, const pov_heading *view)
{
    cJSON *modes = cJSON_CreateArray();
    for (int i = 0; i < view->len; i++) {
        cJSON *mode = cJSON_CreateObject();
        add_number(mode, "weight", view->mode[i].weight);
        add_number(mode, "angle_deg", positive_deg(view->mode[i].yaw_rad));
        if (data->has_front)
            add_number(mode, "heading_deg",
                       pov_degrees(remainder(view->mode[i].yaw_rad - data->front_rad, 2 * POV_PI)));
        add_number(mode, "std_deg", 180 / POV_PI / sqrt(view->mode[i].kappa));
        cJSON_AddItemToArray(modes, mode);
    }
    return modes;
}

static void print_check_json(const enrol_options *options, const pov_appearance_data *data,
                             const enrol_check *check)
{
    cJSON *object = cJSON_CreateObject(), *images = cJSON_CreateArray();
    cJSON_AddStringToObject(object, "model", options->model);
    cJSON_AddStringToObject(object, "plot", options->plot);
    cJSON_AddNumberToObject(object, "images", check->len);
    add_number(object, "mean_error_deg", pov_degrees(check->mean_rad));
    add_number(object, "worst_error_deg", pov_degrees(check->worst_rad));
    add_number(object, "within_two_std", check->within_two_std);
    add_number(object, "query_ms", check->query_s * 1e3);
    add_symmetry(object, data);
    for (int i = 0; i < check->len; i++) {
        const enrol_answer *answer = &check->answers[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "image", answer->image);
        add_number(item, "angle_deg", positive_deg(answer->angle_rad));
        add_number(item, "error_deg", pov_degrees(answer->error_rad));
        add_number(item, "p_object", answer->likeness.p_object);
        cJSON_AddItemToObject(item, "modes", heading_json(data, &answer->likeness.view));
        cJSON_AddItemToArray(images, item);
    }
    cJSON_AddItemToObject(object, "answers", images);
    pov_json_print_line(stdout, object);
}

static void print_check_text(const enrol_options *options, const pov_appearance_data *data,
                             const enrol_check *check)
{
    int strangers = 0;
    for (int i = 0; i < check->len; i++)
        strangers += check->answers[i].likeness.p_object < 0.5;
    printf("%s: %d images, %.1f ms each\n", options->model, check->len, check->query_s * 1e3);
    if (data->symmetry == POV_SYMMETRY_ALL)
        puts("error           none: it looks the same from everywhere");
    else
        printf(
            "error           %.2f deg on average, %.2f at worst; %.0f %% within twice the deviation said%s\n",
            pov_degrees(check->mean_rad), pov_degrees(check->worst_rad), 100 * check->within_two_std,
            data->symmetry > 1 ? " (turned by its symmetry counts as right)" : "");
    printf("taken for it    %d of %d\n", check->len - strangers, check->len);
    printf("drawn           %s\n", options->plot);
}

void pov_enrol_check_print(const enrol_options *options, const pov_appearance_data *data,
                           const enrol_check *check)
{
    (options->json ? print_check_json : print_check_text)(options, data, check);
}
