#include "calib/template_file.h"
#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/judge/ratings_file.h"
#include "perception/geom.h"

#include <cjson/cJSON.h>

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pov template fit RATINGS.csv [--scale LOW:HIGH] [--out FILE.yaml] [--json]\n"
    "       pov template show FILE.yaml [--json]\n"
    "How well people find that a relation holds, by the angle from its direction (and the distance): good,\n"
    "acceptable and bad regions (Logan & Sadler 1996), fitted to a lab's own ratings. 'pov judge "
    "SCENE.yaml\n"
    "--template FILE.yaml' uses the file, and a station by  judge: {acceptance: [template], template: "
    "FILE.yaml}.\n"
    "\n"
    "RATINGS.csv names its columns in the first line: angle_deg (from the relation's direction), rating, "
    "and,\n"
    "where distance matters, distance_m; one rating a line.\n"
    "\n"
    "  --scale LOW:HIGH   the ratings' scale; default 0:1\n"
    "  --out FILE         write the template there\n"
    "  --json             one JSON object instead of a table\n"
    "  --help             this text\n"
    "\n"
    "Example: pov template fit ratings.csv --scale 1:9 --out english.yaml && pov template show english.yaml\n"
    "Exit codes: 0 done, 1 the file is not as it should be, 2 wrong usage.\n";

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

static cJSON *number_or_null(double value)
{
    return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

static void print_json(const pov_template *regions, const pov_template_fit *fit, int len)
{
    double values[PARAMETERS];
    cJSON *object = cJSON_CreateObject(), *errors = fit ? cJSON_CreateObject() : NULL;
    values_of(values, regions);
    for (int i = 0; i < PARAMETERS; i++) {
        cJSON_AddItemToObject(object, parameters[i].name, number_or_null(values[i]));
        if (fit)
            cJSON_AddItemToObject(errors, parameters[i].name,
                                  number_or_null(fit->std[i] * parameters[i].factor));
    }
    if (fit) {
        cJSON_AddItemToObject(object, "standard_errors", errors);
        cJSON_AddNumberToObject(object, "ratings", len);
        cJSON_AddNumberToObject(object, "residual_rms", fit->residual_rms);
        cJSON_AddNumberToObject(object, "r_squared", fit->r_squared);
        cJSON_AddNumberToObject(object, "outliers", fit->outlier_len);
    }
    char *line = cJSON_PrintUnformatted(object);
    if (line)
        puts(line);
    cJSON_free(line);
    cJSON_Delete(object);
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
        double value = pov_template_evaluate(regions, angle_deg * (POV_PI / 180), 0);
        printf("%4d deg  %.3f  %.*s\n", angle_deg, value, (int)lround(value * 40), bar);
    }
}

static pov_status fit_file(const char *path, double low, double high, const char *out, bool json)
{
    pov_ratings ratings;
    pov_template_fit fit;
    POV_TRY(pov_ratings_read(&ratings, path, low, high));
    pov_status status = pov_template_fit_ratings(&fit, ratings.ratings, ratings.len, ratings.has_distance);
    int len = ratings.len;
    pov_ratings_free(&ratings);
    if (status.code != POV_OK)
        return pov_error("%s: %s", path, status.message);
    if (json) {
        print_json(&fit.regions, &fit, len);
    } else {
        print_parameters(&fit.regions, &fit);
        printf("%d ratings, residual %.4f rms (of 1), R^2 %.4f, %d outliers\n", len, fit.residual_rms,
               fit.r_squared, fit.outlier_len);
    }
    char comment[POV_MESSAGE_CAPACITY];
    snprintf(comment, sizeof comment,
             "Spatial template fitted to %d ratings on a scale from %g to %g.\nResidual %.4f rms.", len, low,
             high, fit.residual_rms);
    return out ? pov_template_write(out, &fit.regions, comment) : pov_ok();
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

static bool parse_scale(double *low, double *high, const char *text)
{
    char end;
    return sscanf(text, "%lf:%lf%c", low, high, &end) == 2 && isfinite(*low) && isfinite(*high) &&
           *low < *high;
}

int pov_command_template(int argc, char **argv)
{
    static const struct option options[] = {{"scale", required_argument, NULL, 's'},
                                            {"out", required_argument, NULL, 'o'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    double low = 0, high = 1;
    const char *out = NULL;
    bool json = false;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return POV_EXIT_OK;
        } else if (option == 'j') {
            json = true;
        } else if (option == 'o') {
            out = optarg;
        } else if (option != 's') {
            return pov_cli_usage(argv[0], "unknown option or missing value: \"%s\"", argv[optind - 1]);
        } else if (!parse_scale(&low, &high, optarg)) {
            return pov_cli_usage(argv[0], "--scale %s: expected LOW:HIGH, e.g. 1:9", optarg);
        }
    }
    if (argc - optind != 2)
        return pov_cli_usage(argv[0], "expected: fit RATINGS.csv, or show FILE.yaml");
    const char *verb = argv[optind], *path = argv[optind + 1];
    pov_status status;
    if (strcmp(verb, "fit") == 0)
        status = fit_file(path, low, high, out, json);
    else if (strcmp(verb, "show") == 0)
        status = show_file(path, json);
    else
        return pov_cli_usage(argv[0], "\"%s\" is neither fit nor show", verb);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
