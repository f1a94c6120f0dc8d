/* The layout of COMFORT's authors' scripts: p_yes[relation][variant] with theta from -180 degrees. */
#include "compare/scores/comfort_data_internal.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *key;
    pov_relation relation;
} relations[] = {{"totheleft", POV_LEFT_OF},
                 {"totheright", POV_RIGHT_OF},
                 {"infrontof", POV_IN_FRONT_OF},
                 {"behind", POV_BEHIND}};

typedef struct {
    const char *name;
    pov_comfort_data *data;
    int model, language, scene; /* numbers of names */
    int row;
} reader;

static pov_status complain(const reader *r, const cJSON *where, const char *message)
{
    return pov_error("%s: cases[%d]: %.60s: %s", r->name, r->row, where->string ? where->string : "case",
                     message);
}

static pov_status read_p(double *p, const reader *r, const cJSON *list, const cJSON *item)
{
    *p = cJSON_IsNull(item) ? NAN : item->valuedouble;
    if (!cJSON_IsNull(item) && (!cJSON_IsNumber(item) || !(*p >= 0 && *p <= 1)))
        return complain(r, list, "expected numbers within 0 to 1, or null");
    return pov_ok();
}

/* theta is counted from the direction by the translated convention. */
static pov_status read_curve(reader *r, const cJSON *list, pov_relation relation)
{
    const pov_reading translated = {POV_EGOCENTRIC, POV_TRANSLATED};
    const pov_facings facings = POV_FACINGS_DEFAULT;
    pov_curve_key key = {.model = r->model,
                         .language = r->language,
                         .scene = r->scene,
                         .prompt = POV_PROMPT_CAMERA,
                         .relation = (int)relation};
    int number, i = (int)pov_curve_direction_deg(relation, translated, facings) / POV_CURVE_STEP_DEG +
                    POV_CURVE_SAMPLES / 2;
    int len = cJSON_GetArraySize(list);
    if (!cJSON_IsArray(list) || (len != POV_CURVE_SAMPLES && len != POV_CURVE_SAMPLES + 1))
        return complain(r, list, "expected 36 or 37 numbers, P(yes) at theta = -180, -170, ... degrees");
    POV_TRY(pov_comfort_data_name(r->data, &key.variant, list->string));
    POV_TRY(pov_comfort_data_curve(r->data, &number, &key, facings));
    pov_comfort_curve *curve = &r->data->curves[number];
    const cJSON *item = list->child;
    for (int k = 0; k < POV_CURVE_SAMPLES; k++, item = item->next) {
        POV_TRY(read_p(&curve->curve.p[(i + k) % POV_CURVE_SAMPLES], r, list, item));
        bool missing = isnan(curve->curve.p[(i + k) % POV_CURVE_SAMPLES]);
        r->data->groups[r->data->group_of[number]].answers[missing ? POV_ANSWER_MISSING : POV_ANSWER_GIVEN]++;
    }
    return item ? read_p(&curve->curve.repeat, r, list, item) : pov_ok();
}

static pov_status read_presences(reader *r, const cJSON *inputs, const char *key, bool present)
{
    const cJSON *list = cJSON_GetObjectItem(inputs, key);
    pov_presence_group *group;
    POV_TRY(pov_comfort_data_presence_of(r->data, &group, r->model, r->language, false));
    if (!cJSON_IsArray(list))
        return complain(r, inputs, "expected lists pos_yes and neg_yes");
    for (const cJSON *item = list->child; item; item = item->next) {
        double p;
        POV_TRY(read_p(&p, r, list, item));
        pov_presence_add(&group->presence, p, present);
        group->answers[isnan(p) ? POV_ANSWER_MISSING : POV_ANSWER_GIVEN]++;
    }
    return pov_ok();
}

static pov_status read_case(reader *r, const cJSON *one)
{
    const cJSON *p_yes = cJSON_GetObjectItem(one, "p_yes"), *model = cJSON_GetObjectItem(one, "model");
    const cJSON *presence = cJSON_GetObjectItem(one, "hallucination_inputs");
    char number[40];
    model = cJSON_IsString(model) ? model : cJSON_GetObjectItem(one, "kind");
    snprintf(number, sizeof number, "case %d", r->row);
    POV_TRY(pov_comfort_data_name(r->data, &r->model, cJSON_IsString(model) ? model->valuestring : number));
    POV_TRY(pov_comfort_data_name(r->data, &r->language, "en"));
    snprintf(number, sizeof number, " %d", r->row);
    POV_TRY(pov_comfort_data_name(r->data, &r->scene, number));
    if (!cJSON_IsObject(p_yes))
        return complain(r, one, "no p_yes: {relation: {variant: [numbers]}}");
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        const cJSON *variants = cJSON_GetObjectItem(p_yes, relations[i].key), *curve;
        cJSON_ArrayForEach(curve, variants) POV_TRY(read_curve(r, curve, relations[i].relation));
        const cJSON *inputs, *of_relation = cJSON_GetObjectItem(presence, relations[i].key);
        cJSON_ArrayForEach(inputs, of_relation)
        {
            POV_TRY(read_presences(r, inputs, "pos_yes", true));
            POV_TRY(read_presences(r, inputs, "neg_yes", false));
        }
    }
    return pov_ok();
}

static pov_status read_root(reader *r, const cJSON *root)
{
    const cJSON *cases = cJSON_GetObjectItem(root, "cases");
    if (!cJSON_IsArray(cases))
        return read_case(r, root);
    for (const cJSON *one = cases->child; one; one = one->next, r->row++)
        POV_TRY(read_case(r, one));
    return pov_ok();
}

pov_status pov_comfort_data_parse(pov_comfort_data **data, const char *name, const char *text, size_t length)
{
    *data = NULL;
    cJSON *root = cJSON_ParseWithLength(text, length);
    if (!root)
        return pov_error("%s: is not JSON, near byte %td", name,
                         cJSON_GetErrorPtr() ? cJSON_GetErrorPtr() - text : (ptrdiff_t)0);
    pov_status status = pov_comfort_data_start(data);
    if (status.code == POV_OK) {
        reader r = {.name = name, .data = *data};
        status = read_root(&r, root);
    }
    if (status.code == POV_OK)
        status = pov_comfort_data_finish(*data);
    cJSON_Delete(root);
    if (status.code != POV_OK)
        pov_comfort_data_destroy(data);
    return status;
}

bool pov_comfort_data_is_layout(const char *text, size_t length)
{
    cJSON *root = cJSON_ParseWithLength(text, length);
    bool is_layout = cJSON_IsArray(cJSON_GetObjectItem(root, "cases")) ||
                     cJSON_IsObject(cJSON_GetObjectItem(root, "p_yes"));
    cJSON_Delete(root);
    return is_layout;
}
