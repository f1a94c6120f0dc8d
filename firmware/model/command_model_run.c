#include "config/files/json_value.h"
#include "config/files/write_file.h"
#include "config/models/model_file.h"
#include "firmware/commands.h"
#include "firmware/model/model_picture.h"
#include "firmware/model/model_trial.h"
#include "firmware/picture/annotated_files.h"
#include "firmware/sources/folder_source.h"

#include <cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *annotate;
    double score_min;
    bool json;
    pov_engine engine;
} run_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_PATH(run_options, annotate, "annotate", "DIR",
             "images with the boxes drawn in, under the same names, as PNG"),
    POV_NUMBER(run_options, score_min, "score", "P", 0, 1,
               "show only detections with a score of P or more; the contract's own limit comes first"),
    POV_FLAG(run_options, json, "json", "one JSON object a line for each image"),
    POV_ENGINE_OPTIONS(run_options),
    POV_OPTIONS_END,
};

const pov_command pov_command_model_run = {
    .name = "model run",
    .summary = "print a model's detections in images",
    .run = run,
    .usage = "CONTRACT.yaml IMAGE... [--annotate DIR] [--score P] [--json]\n"
             "    [--backend NAME] [--provider NAME]",
    .about =
        "Prints a detector's detections in images, folders of images or recordings: class, score, box in "
        "pixels ((0, "
        "0) is the centre of the "
        "top-left one), and its heading if the model tells it: degrees against the ray to the thing (or "
        "the camera's axis), 0 facing away, counter-clockwise from above. A network of headings or points is "
        "shown the "
        "whole image. For a depth network: how near each ninth of the image is, larger for nearer.",
    .options = option_table,
    .words = {.min = 2, .max = INT_MAX, .wanted = "name a contract and at least one image"},
    .examples = "pov model run yolox_tiny.yaml table.jpg\n"
                "pov model run yolox_tiny.yaml photos/*.jpg --annotate out/ --json",
    .exits = "0 done; 1 a file is invalid",
};

/* ---- text ---- */

static void print_heading(const pov_seen_heading *seen)
{
    if (seen->against == POV_HEADING_UNSEEN)
        return;
    printf(seen->heading.len ? "  heading" : "  no front");
    for (int i = 0; i < seen->heading.len; i++) {
        const pov_heading_mode *mode = &seen->heading.mode[i];
        if (mode->kappa > 0)
            printf("%s %.0f deg +-%.0f", i ? " or" : "", mode->yaw_rad / POV_DEG,
                   sqrt(1 / mode->kappa) / POV_DEG);
        else
            printf("%s any", i ? " or" : "");
        if (seen->heading.len > 1)
            printf(" (%.0f %%)", 100 * mode->weight);
    }
}

static void print_text(const pov_model_contract *contract, const pov_detections *found, const char *name)
{
    printf("%s: %d found%s", name, found->len, found->truncated ? ", and more" : "");
    if (found->empty_len > 0)
        printf("; left out: %d boxes without area in the image", found->empty_len);
    puts("");
    for (int i = 0; i < found->len; i++) {
        const pov_detection *d = &found->detections[i];
        printf("  %-16s %.3f  x %.1f to %.1f, y %.1f to %.1f", contract->classes[d->class_index], d->score,
               d->box.left_px, d->box.right_px, d->box.top_px, d->box.bottom_px);
        print_heading(&d->seen);
        for (int k = 0; k < d->keypoint_len; k++)
            printf(k ? " (%.0f, %.0f)" : "  points (%.0f, %.0f)", (double)d->keypoints[k].x_px,
                   (double)d->keypoints[k].y_px);
        puts("");
    }
}

/* ---- JSON ---- */

static void add_number(cJSON *object, const char *key, double value, double unit)
{
    cJSON_AddNumberToObject(object, key, round(value / unit) * unit);
}

static void add_heading(cJSON *object, const pov_seen_heading *seen)
{
    if (seen->against == POV_HEADING_UNSEEN)
        return;
    cJSON_AddStringToObject(object, "heading_against", seen->against == POV_HEADING_OF_RAY ? "ray" : "axis");
    cJSON *modes = cJSON_AddArrayToObject(object, "heading");
    for (int i = 0; i < seen->heading.len; i++) {
        cJSON *mode = cJSON_CreateObject();
        add_number(mode, "weight", seen->heading.mode[i].weight, 1e-6);
        add_number(mode, "deg", seen->heading.mode[i].yaw_rad / POV_DEG, 1e-6);
        add_number(mode, "kappa", seen->heading.mode[i].kappa, 1e-6);
        cJSON_AddItemToArray(modes, mode);
    }
}

/* Each [x, y, probability]. */
static void add_keypoints(cJSON *object, const pov_detection *d)
{
    if (d->keypoint_len == 0)
        return;
    cJSON *list = cJSON_AddArrayToObject(object, "points_px");
    for (int k = 0; k < d->keypoint_len; k++) {
        const float numbers[3] = {d->keypoints[k].x_px, d->keypoints[k].y_px, d->keypoints[k].score};
        cJSON_AddItemToArray(list, cJSON_CreateFloatArray(numbers, 3));
    }
}

static void print_json(const pov_model_contract *contract, const pov_detections *found, const char *name)
{
    cJSON *root = cJSON_CreateObject(), *list;
    cJSON_AddStringToObject(root, "image", name);
    list = cJSON_AddArrayToObject(root, "detections");
    for (int i = 0; i < found->len; i++) {
        const pov_detection *d = &found->detections[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "class", contract->classes[d->class_index]);
        add_number(object, "score", d->score, 1e-6);
        const double edges[4] = {d->box.left_px, d->box.top_px, d->box.right_px, d->box.bottom_px};
        cJSON_AddItemToObject(object, "box_px", cJSON_CreateDoubleArray(edges, 4));
        add_heading(object, &d->seen);
        add_keypoints(object, d);
        cJSON_AddItemToArray(list, object);
    }
    cJSON_AddBoolToObject(root, "truncated", found->truncated);
    cJSON_AddNumberToObject(root, "without_area", found->empty_len);
    pov_json_print_line(stdout, root);
}

/* ---- */

/* The answer of a network that is shown crops as the one detection, of the whole image. */
static pov_status find_all(pov_detector *detector, pov_detections *found, const pov_image *image)
{
    if (!pov_model_sees_crops(pov_detector_contract(detector)->layout))
        return pov_detector_run(detector, found, image);
    const pov_pixel_box whole = {-0.5, -0.5, image->width_px - 0.5, image->height_px - 0.5};
    *found = (pov_detections){.len = 1, .detections = {{.score = 1, .box = whole}}};
    return pov_detector_run_crop(detector, &found->detections[0], image);
}

typedef struct {
    const run_options *options;
    pov_detector *detector;
    pov_annotated_files *annotated; /* NULL without --annotate */
    const char *path;               /* of the image, or of what it is in */
} runner;

static pov_status write_annotated(runner *r, const pov_detections *found, const pov_image *image)
{
    char file[POV_ANNOTATED_FILE_CAPACITY], out[POV_MODEL_PATH_CAPACITY],
        key[POV_MODEL_PATH_CAPACITY + POV_IMAGE_NAME_CAPACITY];
    if (!r->annotated)
        return pov_ok();
    snprintf(key, sizeof key, "%s/%s", r->path, image->name);
    pov_annotated_files_name(r->annotated, file, key, image->name);
    snprintf(out, sizeof out, "%s/%s", r->options->annotate, file);
    return pov_model_picture_write(out, pov_detector_contract(r->detector), found, image);
}

/* Ninths of the image, as its lines are read. */
static pov_status show_depth(runner *r, const pov_image *image)
{
    double nearness[9];
    POV_TRY(pov_detector_run_depth(r->detector, image));
    for (int i = 0; i < 9; i++) {
        const double across = image->width_px / 3.0, down = image->height_px / 3.0;
        const pov_pixel_box part = {i % 3 * across - 0.5, i / 3 * down - 0.5, (i % 3 + 1) * across - 0.5,
                                    (i / 3 + 1) * down - 0.5};
        nearness[i] = pov_detector_nearness(r->detector, &part);
    }
    if (!r->options->json) {
        printf("%s: how near, from above\n", image->name);
        for (int i = 0; i < 9; i += 3)
            printf("  %10.4g %10.4g %10.4g\n", nearness[i], nearness[i + 1], nearness[i + 2]);
        return pov_ok();
    }
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "image", image->name);
    cJSON_AddItemToObject(root, "nearness", cJSON_CreateDoubleArray(nearness, 9));
    pov_json_print_line(stdout, root);
    return pov_ok();
}

static pov_status show_detections(void *context, const pov_image *image)
{
    runner *r = context;
    pov_detections found;
    const pov_model_contract *contract = pov_detector_contract(r->detector);
    if (contract->layout == POV_LAYOUT_DEPTH)
        return show_depth(r, image);
    POV_TRY(find_all(r->detector, &found, image));
    int len = 0;
    while (len < found.len && found.detections[len].score >= r->options->score_min)
        len++;
    found.len = len;
    if (r->options->json)
        print_json(contract, &found, image->name);
    else
        print_text(contract, &found, image->name);
    return write_annotated(r, &found, image);
}

static pov_status open_detector(pov_detector **detector, const char *path, pov_engine engine)
{
    POV_TRY(pov_model_try(path, engine));
    POV_TRY(pov_model_open_unproven(detector, path, engine));
    pov_model_tell_engine(*detector, path);
    const pov_golden *golden = &pov_detector_contract(*detector)->golden;
    pov_status status = pov_ok();
    if (golden->len == 0)
        pov_cli_warn("%s: has no golden numbers yet; once it finds what it should: pov model seal %s", path,
                     path);
    else
        status = pov_detector_check_golden(*detector, golden);
    if (status.code == POV_OK)
        return status;
    pov_detector_destroy(detector);
    return pov_error("%s: %s", path, status.message);
}

static pov_status open_runner(runner *r, const char *contract)
{
    POV_TRY(open_detector(&r->detector, contract, r->options->engine));
    if (!r->options->annotate)
        return pov_ok();
    if (pov_detector_contract(r->detector)->layout == POV_LAYOUT_DEPTH)
        return pov_error("%s: a depth network finds no boxes to draw (--annotate)", contract);
    r->annotated = pov_annotated_files_new();
    return pov_write_folder(r->options->annotate);
}

static pov_status show_all(char **paths, int len, const run_options *options)
{
    runner r = {.options = options};
    pov_status status = open_runner(&r, paths[0]);
    for (int i = 1; i < len && status.code == POV_OK; i++) {
        r.path = paths[i];
        status = pov_folder_source_visit(r.path, show_detections, &r);
    }
    pov_annotated_files_destroy(&r.annotated);
    pov_detector_destroy(&r.detector);
    return status;
}

static int run(int argc, char **argv)
{
    run_options options = {0};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_model_run, argc, argv));
    return pov_cli_exit(show_all(words.word, words.len, &options));
}
