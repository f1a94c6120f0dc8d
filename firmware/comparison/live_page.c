#include "firmware/comparison/live_page.h"

#include "compare/statistics/bootstrap.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/utf8.h"
#include "firmware/clock.h"
#include "firmware/comparison/comparison_queue.h"
#include "perception/geometry/geom.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool has;
    int64_t answered_ns;
    char model[POV_MODEL_NAME_CAPACITY], scene[80], prompt[512], text[256];
    char condition[16], relation[16]; /* "cam", "left" */
    bool failed;
    double p, gold_p, moved_on_s, turned_on_rad;
    int64_t latency_ns;
} live_answer;

/** Of the questions that frames answer differently. */
typedef struct {
    char frame[POV_CONDITION_CAPACITY];
    int agreed, compared;
} frame_tally;

/** A question that waits for its answer. */
typedef struct {
    int64_t question, asked_ns;
} open_question;

typedef struct {
    pov_asked_model asked; /* without hosts if it is not asked now */
    int agreed, compared;  /* on curves, in the frame that was asked for */
    live_answer latest;
    int frame_len, frame_capacity;
    frame_tally *frames;
    int open_len, open_capacity;
    open_question *open;
} live_model;

struct pov_live_page {
    pov_codec *codec;
    bool is_new;
    bool has_log; /* questions are counted when they get into it, not when they are asked */
    int64_t others;
    pov_heard_words *words; /* NULL: nobody hears them */
    uint64_t words_version; /* of those last seen */
    live_answer latest;
    pov_answer_curves curves;
    int model_len, model_capacity;
    live_model *models;
};

pov_status pov_live_page_new(pov_live_page **page)
{
    *page = pov_allocate(1, sizeof **page);
    const pov_status status = pov_codec_new(&(*page)->codec);
    if (status.code != POV_OK)
        pov_live_page_destroy(page);
    return status;
}

void pov_live_page_destroy(pov_live_page **page)
{
    if (!*page)
        return;
    pov_codec_destroy(&(*page)->codec);
    pov_answer_curves_free(&(*page)->curves);
    for (int i = 0; i < (*page)->model_len; i++) {
        free((*page)->models[i].frames);
        free((*page)->models[i].open);
    }
    free((*page)->models);
    free(*page);
    *page = NULL;
}

/* ---- taking ---- */

static live_model *find_model(pov_live_page *page, const char *name)
{
    live_model new = {.agreed = 0};
    pov_utf8_shorten(new.asked.model, sizeof new.asked.model, name);
    for (int i = 0; i < page->model_len; i++)
        if (strcmp(page->models[i].asked.model, new.asked.model) == 0)
            return &page->models[i];
    POV_REQUIRE_MEMORY(pov_grow(&page->models, &page->model_capacity, page->model_len, sizeof new));
    page->models[page->model_len] = new;
    return &page->models[page->model_len++];
}

static void note_latest(live_answer *latest, const pov_comparison *comparison, const pov_answer_curve *curve)
{
    if (comparison->answered_ns < latest->answered_ns)
        return;
    *latest = (live_answer){.has = true,
                            .answered_ns = comparison->answered_ns,
                            .p = comparison->p,
                            .gold_p = pov_comparison_gold_p(comparison),
                            .moved_on_s = comparison->moved_on_s,
                            .turned_on_rad = comparison->turned_on_rad,
                            .latency_ns = comparison->latency_ns,
                            .failed = comparison->status == POV_COMPARISON_FAILED};
    pov_utf8_shorten(latest->model, sizeof latest->model, comparison->model);
    memcpy(latest->scene, curve->scene, sizeof latest->scene);
    memcpy(latest->condition, curve->prompt, sizeof latest->condition);
    memcpy(latest->relation, curve->relation, sizeof latest->relation);
    pov_utf8_shorten(latest->prompt, sizeof latest->prompt, comparison->prompt);
    pov_utf8_shorten(latest->text, sizeof latest->text,
                     comparison->status == POV_COMPARISON_FAILED ? comparison->cause : comparison->answer);
}

/* Only where sure frames disagree, an answer tells which of them was used. */
static void note_frames(live_model *model, const pov_comparison *comparison)
{
    bool agrees = false, disagrees = false;
    for (int i = 0; i < comparison->gold_len; i++) {
        const pov_agreement agreement = pov_comparison_agrees(&comparison->golds[i], comparison->p);
        agrees |= agreement == POV_AGREES;
        disagrees |= agreement == POV_DISAGREES;
    }
    for (int i = 0; i < comparison->gold_len && agrees && disagrees; i++) {
        const pov_agreement agreement = pov_comparison_agrees(&comparison->golds[i], comparison->p);
        frame_tally new = {.agreed = 0};
        int k = 0;
        pov_utf8_shorten(new.frame, sizeof new.frame, comparison->golds[i].frame);
        while (k < model->frame_len && strcmp(model->frames[k].frame, new.frame) != 0)
            k++;
        if (agreement == POV_AGREEMENT_UNKNOWN)
            continue;
        POV_REQUIRE_MEMORY(pov_grow(&model->frames, &model->frame_capacity, model->frame_len, sizeof new));
        if (k == model->frame_len)
            model->frames[model->frame_len++] = new;
        model->frames[k].compared++;
        model->frames[k].agreed += agreement == POV_AGREES;
    }
}

static void open_or_close(live_model *model, const pov_comparison *comparison)
{
    int i = 0;
    while (i < model->open_len && model->open[i].question != comparison->question)
        i++;
    if (i < model->open_len && comparison->status != POV_COMPARISON_ASKED)
        model->open[i] = model->open[--model->open_len];
    if (i < model->open_len || comparison->status != POV_COMPARISON_ASKED || comparison->asked_ns == 0)
        return;
    POV_REQUIRE_MEMORY(pov_grow(&model->open, &model->open_capacity, model->open_len, sizeof *model->open));
    model->open[model->open_len++] = (open_question){comparison->question, comparison->asked_ns};
}

/* is_new: it is not known yet that the question was asked. */
static void take_comparison(pov_live_page *page, const pov_comparison *comparison, bool is_new)
{
    const pov_answer_curve *curve = pov_answer_curves_take(&page->curves, comparison);
    page->is_new = true;
    page->others += is_new && !curve;
    if (!*comparison->model)
        return;
    live_model *model = find_model(page, comparison->model);
    open_or_close(model, comparison);
    if (comparison->status == POV_COMPARISON_ASKED)
        return;
    note_frames(model, comparison);
    if (curve) {
        model->compared += comparison->agreement != POV_AGREEMENT_UNKNOWN;
        model->agreed += comparison->agreement == POV_AGREES;
        note_latest(&page->latest, comparison, curve);
        note_latest(&model->latest, comparison, curve);
    }
}

void pov_live_page_take(pov_live_page *page, const uint8_t *bytes, size_t len)
{
    pov_message message = {.observation = NULL};
    if (pov_codec_decode(page->codec, &message, bytes, len).code == POV_OK &&
        message.kind == POV_MESSAGE_COMPARISON)
        take_comparison(page, &message.comparison,
                        !page->has_log && message.comparison.status == POV_COMPARISON_ASKED);
}

void pov_live_page_note(pov_live_page *page, const pov_asked_model *models, int len)
{
    page->is_new = true;
    for (int i = 0; i < len; i++) {
        live_model *model = find_model(page, models[i].model);
        model->asked = models[i];
        if (models[i].under_way == 0) /* what was broken off is told nobody */
            model->open_len = 0;
    }
}

void pov_live_page_hear(pov_live_page *page, pov_heard_words *words)
{
    const uint64_t version = pov_heard_words_version(words);
    page->is_new |= version != page->words_version;
    page->words = words;
    page->words_version = version;
}

/* ---- what a log holds ---- */

/* result NULL: it has none yet. */
static pov_status take_logged(pov_live_page *page, const pov_log_question *question, double phi_deg,
                              const char *model, const pov_log_result *result)
{
    pov_comparison comparison = {.key = question->key,
                                 .model = model,
                                 .prompt = question->prompt,
                                 .columns = question->columns ? question->columns : "",
                                 .form = question->form,
                                 .language = question->language ? question->language : "",
                                 .answer = result && result->text ? result->text : "",
                                 .cause = result ? result->cause : "",
                                 .reading = result && result->kind ? result->kind : "",
                                 .angle_rad = pov_angle_wrap(phi_deg * POV_DEG),
                                 .p = result ? result->p : NAN,
                                 .answered_ns = result ? result->answered_ns : 0,
                                 .latency_ns = result ? result->latency_ns : 0,
                                 .moved_on_s = NAN,
                                 .turned_on_rad = NAN,
                                 .status = result ? pov_comparison_status_of(result) : POV_COMPARISON_ASKED};
    cJSON *golds = question->golds ? pov_json_parse_text(question->golds) : NULL;
    const pov_status status = pov_comparison_read_golds(&comparison, golds);
    if (status.code == POV_OK) {
        comparison.agreement = pov_comparison_agreement(&comparison);
        take_comparison(page, &comparison, !result);
    }
    cJSON_Delete(golds);
    return status;
}

typedef struct {
    pov_live_page *page;
    const char *model;
} log_reading;

static pov_status take_row(void *context, pov_answer_row *row)
{
    const log_reading *reading = context;
    pov_live_page *page = reading->page;
    const double phi_deg = row->image.phi_deg;
    if (!row->is_again)
        POV_TRY(take_logged(page, &row->question, phi_deg, reading->model, NULL));
    return row->has_result ? take_logged(page, &row->question, phi_deg, row->model, &row->result) : pov_ok();
}

pov_status pov_live_page_read(pov_live_page *page, pov_answer_log *log, const char *model)
{
    page->has_log = true;
    return pov_answer_log_each(log, take_row, &(log_reading){page, model});
}

pov_status pov_live_page_expect(pov_live_page *page, const char *model, double phi_deg,
                                const pov_log_question *questions, int len)
{
    page->has_log = true;
    for (int i = 0; i < len; i++)
        POV_TRY(take_logged(page, &questions[i], phi_deg, model, NULL));
    return pov_ok();
}

pov_answer_curves *pov_live_page_curves(pov_live_page *page)
{
    return &page->curves;
}

int64_t pov_live_page_others(const pov_live_page *page)
{
    return page->others;
}

bool pov_live_page_is_new(const pov_live_page *page)
{
    return page->is_new;
}

/* ---- writing ---- */

static void add_samples(cJSON *object, const char *key, const double samples[POV_CURVE_SAMPLES])
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        cJSON_AddItemToArray(list, pov_json_rounded(samples[i], 3));
}

static void add_flip(cJSON *list, double at_deg, double std_deg, double gold_deg)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "at", pov_json_rounded(at_deg, 1));
    cJSON_AddItemToObject(object, "std", pov_json_rounded(std_deg, 1));
    cJSON_AddItemToObject(object, "gold", pov_json_rounded(gold_deg, 1));
    cJSON_AddItemToArray(list, object);
}

/* Where P(yes) crosses one half, up and down, beside geometry's boundary. */
static void add_flips(cJSON *object, pov_answer_curve *curve)
{
    const pov_flips *flips = pov_answer_curve_flips(curve);
    pov_flips gold;
    cJSON *list = cJSON_AddArrayToObject(object, "flips");
    const bool has_gold = pov_flip_cross(&gold, curve->gold, POV_CURVE_SAMPLES);
    if (!flips)
        return;
    add_flip(list, flips->to_yes_deg, flips->to_yes_std_deg, has_gold ? gold.to_yes_deg : NAN);
    add_flip(list, flips->to_no_deg, flips->to_no_std_deg, has_gold ? gold.to_no_deg : NAN);
}

static cJSON *curve_object(pov_answer_curve *curve)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "model", curve->model);
    pov_json_add_text(object, "scene", curve->scene);
    pov_json_add_text(object, "prompt", curve->prompt);
    pov_json_add_text(object, "language", curve->language);
    pov_json_add_text(object, "relation", curve->relation);
    add_samples(object, "p", curve->p);
    add_samples(object, "gold", curve->gold);
    add_flips(object, curve);
    return object;
}

static cJSON *latest_object(const live_answer *latest)
{
    if (!latest->has)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "model", latest->model);
    pov_json_add_text(object, "scene", latest->scene);
    pov_json_add_text(object, "condition", latest->condition);
    pov_json_add_text(object, "relation", latest->relation);
    pov_json_add_text(object, "prompt", latest->prompt);
    pov_json_add_text(object, "text", latest->text);
    cJSON_AddItemToObject(object, "p", pov_json_rounded(latest->p, 3));
    cJSON_AddItemToObject(object, "gold_p", pov_json_rounded(latest->gold_p, 3));
    cJSON_AddItemToObject(object, "late_s", pov_json_rounded(latest->moved_on_s, 2));
    cJSON_AddItemToObject(object, "turned_deg", pov_json_rounded(latest->turned_on_rad / POV_DEG, 1));
    cJSON_AddItemToObject(object, "took_s", pov_json_rounded(1e-9 * (double)latest->latency_ns, 2));
    cJSON_AddBoolToObject(object, "failed", latest->failed);
    return object;
}

static int compare_shares(const void *a, const void *b)
{
    const frame_tally *one = a, *other = b;
    const double difference = (double)other->agreed / other->compared - (double)one->agreed / one->compared;
    return difference > 0 ? 1 : difference < 0 ? -1 : strcmp(one->frame, other->frame);
}

/* The frames by their share of agreement, the highest first. */
static void add_frames(cJSON *object, live_model *model)
{
    cJSON *list = cJSON_AddArrayToObject(object, "frames");
    qsort(model->frames, (size_t)model->frame_len, sizeof *model->frames, compare_shares);
    for (int i = 0; i < model->frame_len; i++) {
        double low, high;
        cJSON *item = cJSON_CreateObject();
        pov_wilson_interval(&low, &high, model->frames[i].agreed, model->frames[i].compared);
        pov_json_add_text(item, "frame", model->frames[i].frame);
        pov_json_add_number(item, "agreed", model->frames[i].agreed);
        pov_json_add_number(item, "compared", model->frames[i].compared);
        cJSON_AddItemToObject(item, "low", pov_json_rounded(low, 3));
        cJSON_AddItemToObject(item, "high", pov_json_rounded(high, 3));
        cJSON_AddItemToArray(list, item);
    }
}

/* Questions under way, and for how long the oldest has waited. */
static void add_open(cJSON *object, const live_model *model)
{
    int64_t oldest_ns = INT64_MAX;
    for (int i = 0; i < model->open_len; i++)
        oldest_ns = model->open[i].asked_ns < oldest_ns ? model->open[i].asked_ns : oldest_ns;
    const double oldest_s = 1e-9 * (double)(pov_clock_unix_ns() - oldest_ns);
    pov_json_add_number(object, "under_way", model->open_len);
    cJSON_AddItemToObject(object, "oldest_s", pov_json_rounded(model->open_len ? oldest_s : NAN, 1));
}

static cJSON *model_object(live_model *model, pov_heard_words *words)
{
    const pov_asked_model *asked = &model->asked;
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "model", asked->model);
    pov_json_add_text(object, "hosts", asked->hosts);
    cJSON_AddBoolToObject(object, "leaves", asked->leaves);
    pov_json_add_number(object, "agreed", model->agreed);
    pov_json_add_number(object, "compared", model->compared);
    pov_json_add_number(object, "failed", (double)asked->failed);
    pov_json_add_number(object, "unasked", (double)(asked->unasked + asked->stale));
    pov_json_add_text(object, "ended", asked->ended);
    add_open(object, model);
    add_frames(object, model);
    cJSON_AddItemToObject(object, "latest", latest_object(&model->latest));
    if (words)
        cJSON_AddItemToObject(object, "says", pov_heard_words_write(words, asked->model));
    return object;
}

/* All models' that are asked live. */
static pov_log_counts count_live(const pov_live_page *page)
{
    pov_log_counts counts = {0};
    for (int i = 0; i < page->model_len; i++) {
        const pov_asked_model *asked = &page->models[i].asked;
        counts.questions += (int64_t)asked->asked;
        counts.answered += (int64_t)(asked->answered + asked->unscored);
        counts.unscored += (int64_t)asked->unscored;
    }
    return counts;
}

char *pov_live_page_write(pov_live_page *page, const pov_page_progress *progress)
{
    const pov_log_counts counts = progress ? progress->counts : count_live(page);
    cJSON *object = cJSON_CreateObject(), *models = cJSON_AddArrayToObject(object, "models");
    for (int i = 0; i < page->model_len; i++)
        cJSON_AddItemToArray(models, model_object(&page->models[i], page->words));
    if (progress) {
        pov_json_add_number(object, "taken", progress->taken);
        pov_json_add_number(object, "wanted", progress->wanted);
        pov_json_add_text(object, "forecast", progress->forecast);
    }
    pov_json_add_number(object, "asked", (double)counts.questions);
    pov_json_add_number(object, "answered", (double)counts.answered);
    pov_json_add_number(object, "unscored", (double)counts.unscored);
    pov_json_add_number(object, "others", (double)page->others);
    cJSON_AddItemToObject(object, "question", latest_object(&page->latest));
    cJSON *curves = cJSON_AddArrayToObject(object, "curves");
    for (int i = 0; i < page->curves.len; i++)
        cJSON_AddItemToArray(curves, curve_object(&page->curves.curves[i]));
    char *json = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    page->is_new = false;
    return json;
}
