#include "firmware/comparison/live_page.h"

#include "compare/statistics/curve.h"
#include "config/files/json_value.h"
#include "config/files/utf8.h"
#include "perception/geometry/geom.h"
#include "protocol/observation/message.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_MAX = 128 }; /* eight models, four viewpoints, four relations */

typedef struct {
    char model[POV_MODEL_NAME_CAPACITY], prompt[16], language[16], relation[16];
    double p[POV_CURVE_SAMPLES], gold[POV_CURVE_SAMPLES]; /* of yes; NaN: none */
} live_curve;

typedef struct {
    bool has;
    char model[POV_MODEL_NAME_CAPACITY], scene[80], prompt[512], text[256];
    double p, gold_p, moved_on_s, turned_on_rad;
} live_answer;

struct pov_live_page {
    pov_codec *codec;
    bool is_new;
    live_answer latest;
    int curve_len;
    live_curve curves[CURVE_MAX];
    int model_len;
    pov_asked_model models[POV_ASKED_MODEL_MAX];
    int tally_len;
    pov_running_agreement tallies[POV_ASKED_MODEL_MAX]; /* of each model, in the frame that was asked for */
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
    free(*page);
    *page = NULL;
}

/* ---- taking ---- */

/* Geometry's P(yes) in the frame that was asked for; NaN: none. */
static double asked_gold_p(const pov_comparison *comparison)
{
    for (int i = 0; i < comparison->gold_len; i++) {
        const pov_compared_gold *gold = &comparison->golds[i];
        if (gold->asked && (strcmp(gold->answer, "yes") == 0 || strcmp(gold->answer, "true") == 0))
            return gold->p;
        if (gold->asked && (strcmp(gold->answer, "no") == 0 || strcmp(gold->answer, "false") == 0))
            return 1 - gold->p;
    }
    return NAN;
}

static live_curve *find_curve(pov_live_page *page, const live_curve *of)
{
    int i = 0;
    while (i < page->curve_len && (strcmp(page->curves[i].model, of->model) != 0 ||
                                   strcmp(page->curves[i].prompt, of->prompt) != 0 ||
                                   strcmp(page->curves[i].language, of->language) != 0 ||
                                   strcmp(page->curves[i].relation, of->relation) != 0))
        i++;
    if (i == CURVE_MAX)
        return NULL;
    if (i == page->curve_len) {
        page->curves[page->curve_len++] = *of;
        for (int k = 0; k < POV_CURVE_SAMPLES; k++)
            page->curves[i].p[k] = page->curves[i].gold[k] = NAN;
    }
    return &page->curves[i];
}

static void add_to_curve(pov_live_page *page, const pov_comparison *comparison, const cJSON *columns)
{
    const char *prompt = cJSON_GetStringValue(cJSON_GetObjectItem(columns, "prompt")),
               *relation = cJSON_GetStringValue(cJSON_GetObjectItem(columns, "relation"));
    live_curve of = {.model = ""};
    if (!prompt || !relation || isnan(comparison->angle_rad))
        return;
    pov_utf8_shorten(of.model, sizeof of.model, comparison->model);
    pov_utf8_copy(of.prompt, sizeof of.prompt, prompt);
    pov_utf8_copy(of.relation, sizeof of.relation, relation);
    pov_utf8_copy(of.language, sizeof of.language, comparison->language);
    live_curve *curve = find_curve(page, &of);
    const long step = lround(comparison->angle_rad / POV_DEG / POV_CURVE_STEP_DEG);
    const int place = (int)((step + POV_CURVE_SAMPLES) % POV_CURVE_SAMPLES);
    if (!curve)
        return;
    curve->p[place] = comparison->p;
    curve->gold[place] = asked_gold_p(comparison);
}

static pov_running_agreement *find_tally(pov_live_page *page, const char *model)
{
    for (int i = 0; i < page->tally_len; i++)
        if (strcmp(page->tallies[i].model, model) == 0)
            return &page->tallies[i];
    return NULL;
}

static void count_agreement(pov_live_page *page, const pov_comparison *comparison)
{
    char model[POV_MODEL_NAME_CAPACITY];
    pov_utf8_shorten(model, sizeof model, comparison->model);
    pov_running_agreement *tally = find_tally(page, model);
    if (!tally && page->tally_len < POV_ASKED_MODEL_MAX) {
        tally = &page->tallies[page->tally_len++];
        memcpy(tally->model, model, sizeof model);
    }
    if (!tally)
        return;
    tally->compared += comparison->agreement != POV_AGREEMENT_UNKNOWN;
    tally->agreed += comparison->agreement == POV_AGREES;
}

void pov_live_page_take(pov_live_page *page, const uint8_t *bytes, size_t len)
{
    pov_message message = {.observation = NULL};
    if (pov_codec_decode(page->codec, &message, bytes, len).code != POV_OK ||
        message.kind != POV_MESSAGE_COMPARISON || message.comparison.status == POV_COMPARISON_ASKED)
        return;
    const pov_comparison *comparison = &message.comparison;
    cJSON *columns = pov_json_parse_text(comparison->columns);
    const char *scene = cJSON_GetStringValue(cJSON_GetObjectItem(columns, "scene"));
    live_answer *latest = &page->latest;
    page->is_new = true;
    count_agreement(page, comparison);
    add_to_curve(page, comparison, columns);
    if (scene) { /* a question about a pair, which the page shows */
        *latest = (live_answer){.has = true,
                                .p = comparison->p,
                                .gold_p = asked_gold_p(comparison),
                                .moved_on_s = comparison->moved_on_s,
                                .turned_on_rad = comparison->turned_on_rad};
        pov_utf8_shorten(latest->model, sizeof latest->model, comparison->model);
        pov_utf8_copy(latest->scene, sizeof latest->scene, scene);
        pov_utf8_shorten(latest->prompt, sizeof latest->prompt, comparison->prompt);
        pov_utf8_shorten(latest->text, sizeof latest->text,
                         comparison->status == POV_COMPARISON_FAILED ? comparison->cause
                                                                     : comparison->answer);
    }
    cJSON_Delete(columns);
}

void pov_live_page_note(pov_live_page *page, const pov_health *health)
{
    page->is_new = true;
    page->model_len = health->model_len;
    memcpy(page->models, health->models, sizeof page->models);
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

static cJSON *curve_object(const pov_live_page *page, const live_curve *curve)
{
    char group[160];
    const bool is_english = strcmp(curve->language, "en") == 0, several = page->model_len > 1;
    snprintf(group, sizeof group, "%s%s%s%s%s", curve->prompt, several ? " " : "",
             several ? curve->model : "", is_english ? "" : " ", is_english ? "" : curve->language);
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "group", group);
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

static cJSON *model_object(pov_live_page *page, int i)
{
    const pov_running_agreement *tally = find_tally(page, page->models[i].model);
    const pov_asked_model *model = &page->models[i];
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "model", model->model);
    pov_json_add_text(object, "hosts", model->hosts);
    cJSON_AddBoolToObject(object, "leaves", model->leaves);
    pov_json_add_number(object, "agreed", tally ? (double)tally->agreed : 0);
    pov_json_add_number(object, "compared", tally ? (double)tally->compared : 0);
    pov_json_add_number(object, "failed", (double)model->failed);
    pov_json_add_number(object, "unasked", (double)(model->unasked + model->stale));
    pov_json_add_text(object, "ended", model->ended);
    return object;
}

char *pov_live_page_write(pov_live_page *page)
{
    double asked = 0, answered = 0, unscored = 0;
    cJSON *object = cJSON_CreateObject(), *live = cJSON_AddArrayToObject(object, "live");
    for (int i = 0; i < page->model_len; i++) {
        asked += (double)page->models[i].asked;
        answered += (double)page->models[i].answered;
        unscored += (double)page->models[i].unscored;
        cJSON_AddItemToArray(live, model_object(page, i));
    }
    pov_json_add_number(object, "asked", asked);
    pov_json_add_number(object, "answered", answered);
    pov_json_add_number(object, "unscored", unscored);
    pov_json_add_text(object, "model", page->latest.has ? page->latest.model : "");
    pov_json_add_text(object, "forecast", "");
    cJSON_AddItemToObject(object, "question", latest_object(&page->latest));
    cJSON *curves = cJSON_AddArrayToObject(object, "curves");
    for (int i = 0; i < page->curve_len; i++)
        cJSON_AddItemToArray(curves, curve_object(page, &page->curves[i]));
    char *json = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    page->is_new = false;
    return json;
}
