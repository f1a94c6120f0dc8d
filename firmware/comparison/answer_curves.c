#include "firmware/comparison/answer_curves.h"

#include "compare/log/log_pictures.h"
#include "compare/vlm/yes_no.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/utf8.h"
#include "perception/geometry/geom.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pov_answer_curves_free(pov_answer_curves *curves)
{
    for (int i = 0; i < curves->len; i++)
        pov_flip_destroy(&curves->curves[i].flip);
    free(curves->curves);
    pov_flip_grid_destroy(&curves->grid);
    *curves = (pov_answer_curves){.len = 0};
}

double pov_comparison_gold_p(const pov_comparison *comparison)
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

bool pov_answer_curve_asks_same(const pov_answer_curve *a, const pov_answer_curve *b)
{
    return strcmp(a->prompt, b->prompt) == 0 && strcmp(a->relation, b->relation) == 0 &&
           strcmp(a->scene, b->scene) == 0 && strcmp(a->language, b->language) == 0;
}

static pov_answer_curve *find_curve(pov_answer_curves *curves, const pov_answer_curve *of)
{
    for (int i = 0; i < curves->len; i++)
        if (strcmp(curves->curves[i].model, of->model) == 0 &&
            pov_answer_curve_asks_same(&curves->curves[i], of))
            return &curves->curves[i];
    POV_REQUIRE_MEMORY(pov_grow(&curves->curves, &curves->capacity, curves->len, sizeof *curves->curves));
    pov_answer_curve *curve = &curves->curves[curves->len++];
    *curve = *of;
    curve->flip = pov_flip_new();
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        curve->p[i] = curve->gold[i] = NAN;
    return curve;
}

bool pov_answer_curve_describe(pov_answer_curve *curve, const char *text, const char *language)
{
    cJSON *columns = pov_json_parse_text(text);
    memset(curve, 0, sizeof *curve);
    pov_utf8_shorten(curve->prompt, sizeof curve->prompt, pov_json_text_of(columns, "prompt"));
    pov_utf8_shorten(curve->relation, sizeof curve->relation, pov_json_text_of(columns, "relation"));
    pov_utf8_shorten(curve->scene, sizeof curve->scene, pov_json_text_of(columns, "scene"));
    pov_utf8_shorten(curve->language, sizeof curve->language, language);
    cJSON_Delete(columns);
    return *curve->prompt && *curve->relation;
}

static void note_flip(pov_answer_curves *curves, pov_answer_curve *curve, const pov_comparison *comparison,
                      double angle_deg)
{
    if (!curves->grid)
        curves->grid = pov_flip_grid_new();
    if (!isnan(comparison->p))
        pov_flip_add(curve->flip, curves->grid, angle_deg, comparison->p,
                     strcmp(comparison->reading, pov_yes_no_kind_name(POV_YES_NO_TOKENS)) != 0);
    curve->is_new = true;
    curve->answer_len++;
    const long place = lround(angle_deg / 360 * POV_CURVE_PLACES);
    curve->was_asked[(place + POV_CURVE_PLACES) % POV_CURVE_PLACES] = true;
}

const pov_flips *pov_answer_curve_flips(pov_answer_curve *curve)
{
    if (curve->is_new)
        curve->has_flips = pov_flip_find(&curve->flips, curve->flip);
    curve->is_new = false;
    return curve->has_flips ? &curve->flips : NULL;
}

const pov_answer_curve *pov_answer_curves_take(pov_answer_curves *curves, const pov_comparison *comparison)
{
    pov_answer_curve of;
    if (isnan(comparison->angle_rad) ||
        !pov_answer_curve_describe(&of, comparison->columns, comparison->language))
        return NULL;
    pov_utf8_shorten(of.model, sizeof of.model, comparison->model);
    pov_answer_curve *curve = find_curve(curves, &of);
    const double angle_deg = pov_log_seen_deg(comparison->angle_rad / POV_DEG, comparison->key);
    const long step = lround(angle_deg / POV_CURVE_STEP_DEG);
    const int i = (int)((step + POV_CURVE_SAMPLES) % POV_CURVE_SAMPLES);
    curve->gold[i] = pov_comparison_gold_p(comparison);
    if (comparison->status != POV_COMPARISON_ASKED) {
        curve->state[i] = POV_CURVE_ANSWERED;
        curve->p[i] = comparison->p;
        note_flip(curves, curve, comparison, angle_deg);
    } else if (curve->state[i] == POV_CURVE_NOT_ASKED) {
        curve->state[i] = POV_CURVE_ASKED;
    }
    return curve;
}
