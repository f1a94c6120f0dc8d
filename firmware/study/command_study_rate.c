/* pov study rate: shows a rater what was said in each trial, without its condition, its participant or the robot's reading, in an
 * order of the rater's own, and keeps the label. */
#include "firmware/study/command_study.h"

#include "compare/log/answer_log.h"
#include "compare/log/study_log.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/picture/image_thumbnail.h"
#include "firmware/study/study_voice.h"
#include "perception/hash.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    const pov_log_folder *folder;
    const char *rater;
    bool json;
    pov_dashboard *dashboard; /* NULL: lines of standard input only */
} pov_study_rate_options;

enum { PICTURE_PX = 640, WAIT_MS = 50 };

/* A trial as the rater sees it. */
typedef struct {
    int64_t trial;
    uint64_t rank; /* its place in the rater's order */
    cJSON *shown;
    char path[128], sha256[POV_DIGEST_CAPACITY]; /* of the image */
} item;

typedef struct {
    const pov_study_rate_options *options;
    pov_study_log *log;
    cJSON *labels;
    item *items;
    int len, capacity, at;
    pov_image_thumbnail *thumbnail;
} rating;

/* A number that depends on rater and trial alone. */
static uint64_t rank_of(const char *rater, int64_t trial)
{
    const uint64_t hash = pov_hash_value(pov_hash_text(POV_HASH_START, rater), (uint64_t)trial);
    return (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u;
}

static int compare_items(const void *a, const void *b)
{
    const item *one = a, *other = b;
    return (one->rank > other->rank) - (one->rank < other->rank);
}

static pov_status is_rated(rating *r, bool *rated, int64_t trial)
{
    pov_log_rating row;
    pov_status status;
    *rated = false;
    for (int i = 0; (status = pov_study_log_next_rating(r->log, &row, trial, i)).code == POV_OK; i++)
        *rated = *rated || strcmp(row.rater, r->options->rater) == 0;
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status show_trial(rating *r, const pov_log_trial *trial)
{
    pov_log_event event = {.id = 0};
    pov_log_study_image image = {.id = 0};
    if (!pov_grow(&r->items, &r->capacity, r->len, sizeof *r->items))
        return pov_error("out of memory");
    item *it = &r->items[r->len++];
    *it = (item){
        .trial = trial->id, .rank = rank_of(r->options->rater, trial->id), .shown = cJSON_CreateObject()};
    cJSON_AddStringToObject(it->shown, "state", "rating");
    cJSON_AddStringToObject(it->shown, "instruction", trial->say);
    cJSON_AddStringToObject(it->shown, "task", trial->show);
    cJSON_AddStringToObject(it->shown, "target", trial->target);
    cJSON *said = cJSON_AddArrayToObject(it->shown, "said"),
          *picked = cJSON_AddArrayToObject(it->shown, "picked");
    int64_t told = 0;
    pov_status status;
    while ((status = pov_study_log_next_event(r->log, &event, trial->id, event.id)).code == POV_OK) {
        if (strcmp(event.kind, "said") == 0 || strcmp(event.kind, "pick") == 0)
            cJSON_AddItemToArray(strcmp(event.kind, "said") == 0 ? said : picked,
                                 cJSON_CreateString(event.text));
        if (event.reading && !told)
            told = event.image;
    }
    if (status.code != POV_END)
        return status;
    while ((status = pov_study_log_next_image(r->log, &image, trial->id, image.id)).code == POV_OK)
        if (image.id == told || !it->path[0]) {
            snprintf(it->path, sizeof it->path, "%s", image.path);
            memcpy(it->sha256, image.sha256, sizeof it->sha256);
        }
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status collect_items(rating *r)
{
    pov_log_trial trial = {.id = 0};
    pov_status status;
    bool rated;
    while ((status = pov_study_log_next_trial(r->log, &trial, trial.id)).code == POV_OK) {
        if (!trial.outcome || strcmp(trial.outcome, "done") != 0)
            continue;
        POV_TRY(is_rated(r, &rated, trial.id));
        if (!rated)
            POV_TRY(show_trial(r, &trial));
    }
    if (r->len > 0)
        qsort(r->items, (size_t)r->len, sizeof *r->items, compare_items);
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status read_labels(rating *r)
{
    const char *design, *version;
    bool simulated;
    const pov_status status = pov_study_log_design(r->log, &design, &version, &simulated);
    if (status.code != POV_OK)
        return status.code == POV_END ? pov_error("%s: holds no study yet", r->options->folder->path)
                                      : status;
    cJSON *root = pov_json_parse_text(design);
    r->labels = cJSON_DetachItemFromObject(root, "labels");
    cJSON_Delete(root);
    return r->labels ? pov_ok() : pov_error("%s: its design has no labels", r->options->folder->path);
}

/* A small picture as a data URI, without the file's name, which tells the participant; "" if there is none. */
static const char *picture_of(rating *r, const item *it)
{
    char path[POV_LOG_PATH_CAPACITY + 160];
    const char *uri = "";
    pov_bytes bytes = {0};
    if (!it->path[0])
        return "";
    snprintf(path, sizeof path, "%s/%s", r->options->folder->path, it->path);
    pov_status status = pov_log_folder_load(&bytes, r->options->folder->path, it->path, it->sha256);
    pov_bytes_free(&bytes);
    POV_THEN(status, pov_image_thumbnail_make(r->thumbnail, &uri, path, ""));
    if (status.code != POV_OK) {
        pov_cli_warn("%s", status.message);
        pov_cli_note_damage(status.message);
    }
    return status.code == POV_OK ? uri : "";
}

static void show_page(rating *r)
{
    if (!r->options->dashboard)
        return;
    cJSON *state = r->at < r->len ? cJSON_Duplicate(r->items[r->at].shown, true) : cJSON_CreateObject();
    if (r->at >= r->len)
        cJSON_AddStringToObject(state, "state", "finished");
    cJSON_AddNumberToObject(state, "left", r->len - r->at);
    cJSON_AddItemToObject(state, "labels", cJSON_Duplicate(r->labels, true));
    cJSON_AddStringToObject(state, "picture", r->at < r->len ? picture_of(r, &r->items[r->at]) : "");
    char *text = cJSON_PrintUnformatted(state);
    if (text)
        pov_dashboard_show_study(r->options->dashboard, text, NULL);
    free(text);
    cJSON_Delete(state);
}

static void tell_item(const rating *r)
{
    char words[400];
    if (r->at >= r->len)
        return;
    cJSON *shown = cJSON_Duplicate(r->items[r->at].shown, true);
    if (r->options->json) {
        cJSON_AddNumberToObject(shown, "left", r->len - r->at);
        pov_json_print_line(stdout, shown);
    } else {
        char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(shown, "said"));
        snprintf(words, sizeof words, "%d left; instruction: %.100s; task: %.100s; said: %.100s",
                 r->len - r->at, cJSON_GetStringValue(cJSON_GetObjectItem(shown, "instruction")),
                 cJSON_GetStringValue(cJSON_GetObjectItem(shown, "task")), text ? text : "");
        puts(words);
        free(text);
        cJSON_Delete(shown);
    }
    fflush(stdout);
}

static bool is_label(const rating *r, const char *text)
{
    const cJSON *label;
    cJSON_ArrayForEach(label, r->labels) if (strcmp(label->valuestring, text) == 0) return true;
    return false;
}

static pov_status label_item(rating *r, const char *text)
{
    const pov_log_rating row = {.trial = r->items[r->at].trial,
                                .at_ns = pov_clock_unix_ns(),
                                .rater = r->options->rater,
                                .label = text};
    POV_TRY(pov_study_log_rate(r->log, &row));
    if (r->options->json) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "kept", text);
        pov_json_print_line(stdout, object);
    }
    r->at++;
    show_page(r);
    tell_item(r);
    return pov_ok();
}

static pov_status take_labels(rating *r, int *labelled, int *refused)
{
    pov_lines input = {.fd = STDIN_FILENO};
    char line[POV_LINE_CAPACITY];
    show_page(r);
    tell_item(r);
    while (r->at < r->len && !pov_cli_stop_requested()) {
        bool has = pov_lines_take(&input, line, WAIT_MS);
        if (!has && r->options->dashboard)
            has = pov_dashboard_take_line(r->options->dashboard, line, sizeof line);
        if (!has && input.ended && !r->options->dashboard)
            break;
        if (!has && input.ended)
            nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000}, NULL);
        if (!has || !*line)
            continue;
        if (is_label(r, line)) {
            POV_TRY(label_item(r, line));
            ++*labelled;
        } else {
            char *labels = cJSON_PrintUnformatted(r->labels);
            pov_cli_warn("'%.40s' is not a label; the protocol has %s", line, labels ? labels : "");
            free(labels);
            ++*refused;
        }
    }
    return pov_ok();
}

/* Runs until all trials have the rater's label, or the lines end. Out: how many this session labelled, how many are left,
 *  and how many lines were no label. */
static pov_status study_rate(int *labelled, int *left, int *refused, const pov_study_rate_options *options)
{
    rating r = {.options = options};
    *labelled = *left = *refused = 0;
    POV_TRY(pov_study_log_new(&r.log, options->folder->log_path, POV_LOG_MUST_EXIST));
    pov_status status = pov_image_thumbnail_new(&r.thumbnail, PICTURE_PX);
    POV_THEN(status, read_labels(&r));
    POV_THEN(status, collect_items(&r));
    POV_THEN(status, take_labels(&r, labelled, refused));
    *left = r.len - r.at;
    for (int i = 0; i < r.len; i++)
        cJSON_Delete(r.items[i].shown);
    free(r.items);
    cJSON_Delete(r.labels);
    pov_image_thumbnail_destroy(&r.thumbnail);
    pov_study_log_destroy(&r.log);
    return status;
}

/* ---- rate ---- */

typedef struct {
    const char *rater;
    bool json;
    pov_dashboard_place dashboard;
} rate_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_TEXT(rate_options, rater, "rater", "NAME", "the rater: a pseudonym", .required = true),
    POV_TAKEN(rate_options, dashboard.at, "dashboard", "[HOST:]PORT", pov_http_place_take,
              "a page with the image and a button for each label"),
    POV_FLAG(rate_options, json, "json", "a JSON object a line"),
    POV_OPTIONS_END,
};

const pov_command pov_command_study_rate = {
    .name = "study rate",
    .summary = "label trials, without knowing their condition",
    .run = run,
    .usage = "DIR --rater NAME [OPTIONS]",
    .about =
        "Shows the words and the pick of each trial that is done, in an order of the rater's own, and "
        "takes one of the protocol's labels for it, a line each. Condition, participant and the robot's "
        "reading are not shown. A label is kept before the next trial is shown.\n"
        "Of the folder of a sweep, a dataset or VSR's released set the captions are shown, each over its "
        "image, and taken as true or false, as VSR's validators did.",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "expected the study's folder, or one with captions"},
    .examples = "pov study rate mugs --rater anna --dashboard 8080",
    .exits = "0 ended as asked; 1 a file failed, or a line was no label",
};

static int run(int argc, char **argv)
{
    rate_options o = {.json = false};
    pov_words words;
    pov_log_folder folder;
    int labelled = 0, left = 0, refused = 0;
    POV_OR_EXIT(pov_command_read(&o, &words, &pov_command_study_rate, argc, argv));
    pov_cli_catch_signals();
    pov_study_rate_options options = {.folder = &folder, .rater = o.rater, .json = o.json};
    pov_status status = pov_log_folder_open(&folder, words.word[0], "pov study run", false);
    if (status.code == POV_OK && pov_answer_log_is_one(folder.log_path)) {
        pov_log_folder_close(&folder);
        return pov_study_validate(words.word[0], o.rater, o.json, &o.dashboard);
    }
    POV_THEN(status, pov_study_open_page(&options.dashboard, &o.dashboard));
    POV_THEN(status, study_rate(&labelled, &left, &refused, &options));
    pov_study_close_page(&options.dashboard);
    pov_log_folder_close(&folder);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (!o.json)
        fprintf(stderr, "%s: %d trials labelled, %d left\n", o.rater, labelled, left);
    return refused == 0 ? POV_EXIT_OK
                        : pov_cli_fail(pov_error("%d lines were no label; see the warnings", refused));
}
