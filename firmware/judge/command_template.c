#include "config/files/json_value.h"
#include "config/scene/ratings_file.h"
#include "config/scene/template_file.h"
#include "firmware/commands.h"
#include "perception/geometry/geom.h"

#include <cJSON.h>

#include <stdio.h>

typedef struct {
    double scale[2]; /* of the ratings, from and to */
    const char *out;
    bool json;
} template_options;

static pov_option_take take_scale;
static int run(int argc, char **argv);

POV_NAMES(verbs, "fit", "show")

static const pov_option option_table[] = {
    POV_TAKEN(template_options, scale, "scale", "LOW:HIGH", take_scale, "the ratings' scale (0:1)"),
    POV_PATH(template_options, out, "out", "FILE", "write the template there"),
    POV_FLAG(template_options, json, "json", "one JSON object instead of a table"),
    POV_OPTIONS_END,
};

const pov_command pov_command_template = {
    .name = "template",
    .summary = "fit a spatial template to people's ratings",
    .run = run,
    .usage = "fit RATINGS.csv [--scale LOW:HIGH] [--out FILE.yaml] [--json]\n"
             "show FILE.yaml [--json]",
    .about =
        "How well people find that a relation holds, by the angle from its direction (and the distance): "
        "good, acceptable and bad regions (Logan & Sadler 1996), fitted to a lab's own ratings. 'pov judge "
        "SCENE.yaml --template FILE.yaml' uses the file, and a station by  judge: {acceptance: [template], "
        "template: FILE.yaml}.\n"
        "\n"
        "RATINGS.csv names its columns in the first line: angle_deg (from the relation's direction), "
        "rating, and, where distance matters, distance_m; one rating a line.",
    .options = option_table,
    .words = {.min = 2, .max = 2, .wanted = "expected: fit RATINGS.csv, or show FILE.yaml", .names = verbs},
    .examples = "pov template fit ratings.csv --scale 1:9 --out english.yaml\n"
                "pov template show english.yaml",
    .exits = "0 done; 1 the file is invalid",
};

enum { PARAMETERS = POV_TEMPLATE_PARAMETERS };

/* As a user sees them: degrees where the template has radians. */
typedef struct {
    const char *name, *unit;
    double factor;
} parameter;

static const parameter parameters[PARAMETERS] = {
    {"good_edge_deg", "deg", 180 / POV_PI},
    {"good_fall_deg", "deg", 180 / POV_PI},
    {"acceptable_edge_deg", "deg", 180 / POV_PI},
    {"acceptable_fall_deg", "deg", 180 / POV_PI},
    {"acceptable_level", "", 1},
    {"reach_m", "m", 1},
};

static void values_of(double values[PARAMETERS], const pov_template *t)
{
    const double in_order[PARAMETERS] = {t->good_edge_rad,       t->good_fall_rad,    t->acceptable_edge_rad,
                                         t->acceptable_fall_rad, t->acceptable_level, t->reach_m};
    for (int i = 0; i < PARAMETERS; i++)
        values[i] = in_order[i] * parameters[i].factor;
}

static void print_json(const pov_template *regions, const pov_template_fit *fit, int len)
{
    double values[PARAMETERS];
    cJSON *object = cJSON_CreateObject(), *errors = fit ? cJSON_CreateObject() : NULL;
    values_of(values, regions);
    for (int i = 0; i < PARAMETERS; i++) {
        cJSON_AddItemToObject(object, parameters[i].name, pov_json_number(values[i]));
        if (fit)
            cJSON_AddItemToObject(errors, parameters[i].name,
                                  pov_json_number(fit->std[i] * parameters[i].factor));
    }
    if (fit) {
        cJSON_AddItemToObject(object, "standard_errors", errors);
        cJSON_AddNumberToObject(object, "ratings", len);
        cJSON_AddNumberToObject(object, "residual_rms", fit->residual_rms);
        cJSON_AddNumberToObject(object, "r_squared", fit->r_squared);
        cJSON_AddNumberToObject(object, "outliers", fit->outlier_len);
    }
    pov_json_print_line(stdout, object);
}

static void print_parameters(const pov_template *regions, const pov_template_fit *fit)
{
    double values[PARAMETERS];
    values_of(values, regions);
    for (int i = 0; i < PARAMETERS; i++) {
        if (!isfinite(values[i]))
            continue;
        printf("%-20s %9.3f", parameters[i].name, values[i]);
        if (fit && isfinite(fit->std[i]))
            printf(" +- %.3f", fit->std[i] * parameters[i].factor);
        printf(" %s\n", parameters[i].unit);
    }
}

/* Acceptance against the angle, as a bar for each step. */
static void print_curve(const pov_template *regions)
{
    static const char bar[] = "########################################";
    for (int angle_deg = 0; angle_deg <= 180; angle_deg += 15) {
        double value = pov_template_evaluate(regions, angle_deg * POV_DEG, 0);
        printf("%4d deg  %.3f  %.*s\n", angle_deg, value, (int)lround(value * 40), bar);
    }
}

static pov_status fit_file(const char *path, const template_options *options)
{
    pov_ratings ratings;
    pov_template_fit fit;
    POV_TRY(pov_ratings_read(&ratings, path, options->scale[0], options->scale[1]));
    pov_status status = pov_template_fit_ratings(&fit, ratings.ratings, ratings.len, ratings.has_distance);
    int len = ratings.len;
    pov_ratings_free(&ratings);
    if (status.code != POV_OK)
        return pov_error("%s: %s", path, status.message);
    if (options->json) {
        print_json(&fit.regions, &fit, len);
    } else {
        print_parameters(&fit.regions, &fit);
        printf("%d ratings, residual %.4f rms (of 1), R^2 %.4f, %d outliers\n", len, fit.residual_rms,
               fit.r_squared, fit.outlier_len);
    }
    char comment[POV_MESSAGE_CAPACITY];
    snprintf(comment, sizeof comment,
             "Spatial template fitted to %d ratings on a scale from %g to %g.\nResidual %.4f rms.", len,
             options->scale[0], options->scale[1], fit.residual_rms);
    return options->out ? pov_template_write(options->out, &fit.regions, comment) : pov_ok();
}

static pov_status show_file(const char *path, bool json)
{
    pov_template regions;
    POV_TRY(pov_template_read(&regions, path));
    if (json) {
        print_json(&regions, NULL, 0);
        return pov_ok();
    }
    print_parameters(&regions, NULL);
    print_curve(&regions);
    return pov_ok();
}

static pov_status take_scale(void *value, const char *text)
{
    double *scale = value;
    char end;
    const bool good = sscanf(text, "%lf:%lf%c", &scale[0], &scale[1], &end) == 2 && isfinite(scale[0]) &&
                      isfinite(scale[1]) && scale[0] < scale[1];
    return good ? pov_ok() : pov_error("takes LOW:HIGH, such as 1:9, not '%s'", text);
}

static int run(int argc, char **argv)
{
    template_options options = {.scale = {0, 1}};
    pov_words words;
    int verb;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_template, argc, argv));
    pov_status status = pov_names_find(&verb, verbs, words.word[0]);
    if (status.code != POV_OK)
        return pov_cli_usage("template", "%s", status.message);
    status = verb == 0 ? fit_file(words.word[1], &options) : show_file(words.word[1], options.json);
    return pov_cli_exit(status);
}
