#include "config/files/json_value.h"
#include "config/models/model_file.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/model/model_trial.h"
#include "firmware/sources/folder_source.h"

#include <cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pov_engine engine;
    bool json;
} compare_options;

static int run_compare(int argc, char **argv);

static const pov_option option_table[] = {
    POV_ENGINE_OPTIONS(compare_options),
    POV_FLAG(compare_options, json, "json", "one JSON object"),
    POV_OPTIONS_END,
};

const pov_command pov_command_model_compare = {
    .name = "model compare",
    .summary = "two detectors side by side: detections and speed",
    .run = run_compare,
    .usage = "FIRST.yaml SECOND.yaml IMAGE... [--backend NAME] [--provider NAME] [--json]",
    .about =
        "Shows the same images, folders of images or recordings to two detectors in turn: a network and "
        "its quantised form, say, or one network on two libraries (the options are for the second). Tells "
        "the time that each takes for an image, how many things each finds, and how many both find: a "
        "pair is of one class, and its boxes overlap by half or more (intersection over union).",
    .options = option_table,
    .words = {.min = 3, .max = INT_MAX, .wanted = "name two contracts and at least one image"},
    .examples = "pov model compare coco.yaml coco_int8.yaml photos/\n"
                "pov model compare coco.yaml coco.yaml --backend onnxruntime photos/*.jpg",
    .exits = "0 done; 1 a file is invalid",
};

/* ---- numbers that grow ---- */

typedef struct {
    int len, capacity;
    double *list;
} numbers;

static void add_value(numbers *n, double value)
{
    if (n->len == n->capacity) {
        n->capacity = 2 * n->capacity + 64;
        n->list = realloc(n->list, (size_t)n->capacity * sizeof *n->list);
        POV_REQUIRE_MEMORY(n->list);
    }
    n->list[n->len++] = value;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which that share of them lies; 0 of none. Sorts them. */
static double value_at(numbers *n, double share)
{
    if (n->len == 0)
        return 0;
    qsort(n->list, (size_t)n->len, sizeof *n->list, compare_doubles);
    return n->list[(int)(share * (n->len - 1))];
}

/* ---- the comparison ---- */

typedef struct {
    const char *contract;
    pov_detector *detector;
    numbers look_ms;
    int found;
} side;

typedef struct {
    side sides[2];
    int images, both;
    double overlap_sum;
    numbers score_differences;
} comparison;

/* Each of the first's, best first, takes the second's that overlaps most and is left. */
static void pair_detections(comparison *c, const pov_detections *first, const pov_detections *second)
{
    const pov_model_contract *contracts[2] = {pov_detector_contract(c->sides[0].detector),
                                              pov_detector_contract(c->sides[1].detector)};
    bool taken[POV_DETECTION_MAX] = {false};
    for (int i = 0; i < first->len; i++) {
        const pov_detection *one = &first->detections[i];
        int nearest = -1;
        double most = 0.5; /* the usual bound for "the same box": Everingham 2010 (PASCAL VOC), section 4.2 */
        for (int k = 0; k < second->len; k++) {
            const pov_detection *other = &second->detections[k];
            const double overlap = taken[k] ? 0 : pov_box_overlap(one->box, other->box);
            if (overlap >= most && strcmp(contracts[0]->classes[one->class_index],
                                          contracts[1]->classes[other->class_index]) == 0) {
                most = overlap;
                nearest = k;
            }
        }
        if (nearest < 0)
            continue;
        taken[nearest] = true;
        c->both++;
        c->overlap_sum += most;
        add_value(&c->score_differences, fabs(one->score - second->detections[nearest].score));
    }
}

static pov_status look_with(side *s, pov_detections *found, const pov_image *image)
{
    const int64_t start_ns = pov_clock_monotonic_ns();
    POV_TRY(pov_detector_run(s->detector, found, image));
    add_value(&s->look_ms, (double)(pov_clock_monotonic_ns() - start_ns) * 1e-6);
    s->found += found->len;
    return pov_ok();
}

static pov_status look_with_both(void *context, const pov_image *image)
{
    comparison *c = context;
    pov_detections found[2];
    if (c->images == 0) /* the first look of each prepares memory, and does not count */
        for (int i = 0; i < 2; i++)
            POV_TRY(pov_detector_run(c->sides[i].detector, &found[i], image));
    for (int i = 0; i < 2; i++) { /* in turn, so that neither always finds the image in the cache */
        const int at = (i + c->images) % 2;
        POV_TRY(look_with(&c->sides[at], &found[at], image));
    }
    c->images++;
    pair_detections(c, &found[0], &found[1]);
    return pov_ok();
}

static pov_status open_side(side *s, const char *contract, pov_engine engine)
{
    s->contract = contract;
    POV_TRY(pov_model_try(contract, engine));
    POV_TRY(pov_model_open_unproven(&s->detector, contract, engine));
    const pov_model_layout layout = pov_detector_contract(s->detector)->layout;
    if (!pov_model_finds(layout))
        return pov_error("%s: layout %s finds nothing by itself; name a detector", contract,
                         pov_model_layout_name(layout));
    return pov_ok();
}

/* ---- telling ---- */

static void print_text(comparison *c)
{
    const side *first = &c->sides[0], *second = &c->sides[1];
    const pov_engine_report *on[2] = {pov_detector_engine(first->detector),
                                      pov_detector_engine(second->detector)};
    printf("%-18s %-32s %s\n", "", first->contract, second->contract);
    printf("%-18s %-32s %s\n", "runs on", on[0]->on, on[1]->on);
    for (int i = 0; i < 2; i++)
        if (*on[i]->instead_of)
            printf("%-18s %s\n", "", on[i]->instead_of);
    char look[32];
    snprintf(look, sizeof look, "%.1f ms", value_at(&c->sides[0].look_ms, 0.5));
    printf("%-18s %-32s %.1f ms\n", "a look (median)", look, value_at(&c->sides[1].look_ms, 0.5));
    printf("%-18s %-32d %d\n", "found", first->found, second->found);
    if (c->both == 0) {
        printf("%-18s 0, of %d images: no thing of one class, so there are no scores to compare\n",
               "found by both", c->images);
        return;
    }
    printf("%-18s %d, of %d images; their boxes overlap by %.3f on average\n", "found by both", c->both,
           c->images, c->overlap_sum / c->both);
    printf("%-18s %.4f (median), %.4f (95 %% of them less)\n", "scores differ by",
           value_at(&c->score_differences, 0.5), value_at(&c->score_differences, 0.95));
}

static void print_json(comparison *c)
{
    cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "detectors");
    for (int i = 0; i < 2; i++) {
        side *s = &c->sides[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "contract", s->contract);
        cJSON_AddStringToObject(object, "runs_on", pov_detector_engine(s->detector)->on);
        cJSON_AddStringToObject(object, "instead_of", pov_detector_engine(s->detector)->instead_of);
        cJSON_AddNumberToObject(object, "look_ms", value_at(&s->look_ms, 0.5));
        cJSON_AddNumberToObject(object, "found", s->found);
        cJSON_AddItemToArray(list, object);
    }
    cJSON_AddNumberToObject(root, "images", c->images);
    cJSON_AddNumberToObject(root, "found_by_both", c->both);
    const double none = NAN; /* is null in JSON */
    cJSON_AddNumberToObject(root, "mean_overlap", c->both ? c->overlap_sum / c->both : none);
    cJSON_AddNumberToObject(root, "score_difference_median",
                            c->both ? value_at(&c->score_differences, 0.5) : none);
    cJSON_AddNumberToObject(root, "score_difference_95",
                            c->both ? value_at(&c->score_differences, 0.95) : none);
    pov_json_print_line(stdout, root);
}

static pov_status compare_all(char **paths, int len, const compare_options *options)
{
    comparison c = {0};
    pov_status status = open_side(&c.sides[0], paths[0], (pov_engine){0});
    POV_THEN(status, open_side(&c.sides[1], paths[1], options->engine));
    for (int i = 2; i < len && status.code == POV_OK; i++)
        status = pov_folder_source_visit(paths[i], look_with_both, &c);
    if (status.code == POV_OK)
        (options->json ? print_json : print_text)(&c);
    for (int i = 0; i < 2; i++) {
        pov_detector_destroy(&c.sides[i].detector);
        free(c.sides[i].look_ms.list);
    }
    free(c.score_differences.list);
    return status;
}

static int run_compare(int argc, char **argv)
{
    compare_options options = {0};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_model_compare, argc, argv));
    return pov_cli_exit(compare_all(words.word, words.len, &options));
}
