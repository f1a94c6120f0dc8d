#include "firmware/comparison/live_page.h"

#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/utf8.h"
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
    double p, gold_p, moved_on_s, turned_on_rad;
} live_answer;

typedef struct {
    pov_asked_model asked; /* without hosts if it is not asked now */
    int agreed, compared;  /* in the frame that was asked for */
} live_model;

struct pov_live_page {
    pov_codec *codec;
    bool is_new;
    bool has_log; /* questions are counted when they get into it, not when they are asked */
    int64_t others;
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

static void note_latest(live_answer *latest, const pov_comparison *comparison, const char *scene)
{
    if (comparison->answered_ns < latest->answered_ns)
        return;
    *latest = (live_answer){.has = true,
                            .answered_ns = comparison->answered_ns,
                            .p = comparison->p,
                            .gold_p = pov_comparison_gold_p(comparison),
                            .moved_on_s = comparison->moved_on_s,
                            .turned_on_rad = comparison->turned_on_rad};
    pov_utf8_shorten(latest->model, sizeof latest->model, comparison->model);
    pov_utf8_copy(latest->scene, sizeof latest->scene, scene);
    pov_utf8_shorten(latest->prompt, sizeof latest->prompt, comparison->prompt);
    pov_utf8_shorten(latest->text, sizeof latest->text,
                     comparison->status == POV_COMPARISON_FAILED ? comparison->cause : comparison->answer);
}

/* is_new: it is not known yet that the question was asked. */
static void take_comparison(pov_live_page *page, const pov_comparison *comparison, bool is_new)
{
    const pov_answer_curve *curve = pov_answer_curves_take(&page->curves, comparison);
    page->is_new = true;
    page->others += is_new && !curve;
    if (comparison->status == POV_COMPARISON_ASKED)
        return;
    live_model *model = find_model(page, comparison->model);
    model->compared += comparison->agreement != POV_AGREEMENT_UNKNOWN;
    model->agreed += comparison->agreement == POV_AGREES;
    if (curve)
        note_latest(&page->latest, comparison, curve->scene);
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
    for (int i = 0; i < len; i++)
        find_model(page, models[i].model)->asked = models[i];
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
                                 .language = question->language ? question->language : "",
                                 .answer = result && result->text ? result->text : "",
                                 .cause = result ? result->cause : "",
                                 .angle_rad = pov_angle_wrap(phi_deg * POV_DEG),
                                 .p = result ? result->p : NAN,
                                 .answered_ns = result ? result->answered_ns : 0,
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

const pov_answer_curves *pov_live_page_curves(const pov_live_page *page)
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

static cJSON *curve_object(const pov_answer_curve *curve)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "model", curve->model);
    pov_json_add_text(object, "scene", curve->scene);
    pov_json_add_text(object, "prompt", curve->prompt);
    pov_json_add_text(object, "language", curve->language);
    pov_json_add_text(object, "relation", curve->relation);
    add_samples(object, "p", curve->p);
    add_samples(object, "gold", curve->gold);
    return object;
}

static cJSON *latest_object(const live_answer *latest)
{
    if (!latest->has)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "model", latest->model);
    pov_json_add_text(object, "scene", latest->scene);
    pov_json_add_text(object, "prompt", latest->prompt);
    pov_json_add_text(object, "text", latest->text);
    cJSON_AddItemToObject(object, "p", pov_json_rounded(latest->p, 3));
    cJSON_AddItemToObject(object, "gold_p", pov_json_rounded(latest->gold_p, 3));
    cJSON_AddItemToObject(object, "late_s", pov_json_rounded(latest->moved_on_s, 2));
    cJSON_AddItemToObject(object, "turned_deg", pov_json_rounded(latest->turned_on_rad / POV_DEG, 1));
    return object;
}

static cJSON *model_object(const live_model *model)
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
        cJSON_AddItemToArray(models, model_object(&page->models[i]));
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
