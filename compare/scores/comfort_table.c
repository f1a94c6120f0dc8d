/* COMFORT's answers, one a row. */
#include "compare/languages/language.h"
#include "compare/scores/comfort_data_internal.h"
#include "compare/tables/cell.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct {
    const pov_table *table;
    const pov_yes_no_words *words;
    pov_languages *languages; /* NULL: no row names one */
    pov_comfort_data *data;
    int model, language, scene, variant, prompt, relation, relatum, addressee, phi, present, p_yes, p_no,
        answer, gold, gold_p;
    int row;
} reader;

static const pov_word prompt_words[] = {{"nop", POV_PROMPT_NONE},
                                        {"cam", POV_PROMPT_CAMERA},
                                        {"add", POV_PROMPT_ADDRESSEE},
                                        {"rel", POV_PROMPT_RELATUM},
                                        {"none", POV_PROMPT_NONE},
                                        {"camera", POV_PROMPT_CAMERA},
                                        {"addressee", POV_PROMPT_ADDRESSEE},
                                        {"relatum", POV_PROMPT_RELATUM},
                                        {NULL, 0}};

/* Azimuths of fronts, or words for the camera's left and right. */
static const pov_word facing_words[] = {
    {"toward", 0}, {"right", 90}, {"away", 180}, {"left", 270}, {NULL, 0}};

static pov_status find_columns(reader *r)
{
    const pov_table *t = r->table;
    r->model = pov_table_column(t, "model");
    r->language = pov_table_column(t, "language");
    r->scene = pov_table_column(t, "scene");
    r->variant = pov_table_column(t, "variant");
    r->relatum = pov_table_column(t, "relatum_facing");
    r->addressee = pov_table_column(t, "addressee_facing");
    r->present = pov_table_column(t, "present");
    r->p_yes = pov_table_column(t, "p_yes");
    r->p_no = pov_table_column(t, "p_no");
    r->answer = pov_table_column(t, "answer");
    r->gold = pov_table_column(t, "gold");
    r->gold_p = pov_table_column(t, "gold_p");
    POV_TRY(pov_cell_need_column(&r->prompt, t, "prompt", "nop, cam, add or rel"));
    POV_TRY(pov_cell_need_column(&r->relation, t, "relation", "left, right, front or behind"));
    POV_TRY(pov_cell_need_column(&r->phi, t, "phi_deg", "the referent's azimuth, 0 toward the camera"));
    if (r->p_yes < 0 && r->answer < 0)
        return pov_error("%s:1: neither a column 'p_yes' nor 'answer'; see docs/SCORES.md",
                         pov_table_name(t));
    return pov_ok();
}

static pov_status read_facing(double *facing_deg, const reader *r, int column, double missing)
{
    const char *text = pov_table_cell(r->table, r->row, column);
    int word;
    *facing_deg = missing;
    if (*text == '\0')
        return pov_ok();
    if (strchr("0123456789+-.", *text))
        return pov_cell_number(facing_deg, r->table, r->row, column, -360, 360);
    POV_TRY(pov_cell_word(&word, r->table, r->row, column, facing_words));
    *facing_deg = word;
    return pov_ok();
}

/* A row's own language, if it is known, else what the options say. */
static pov_yes_no_words words_of(const reader *r)
{
    const pov_language *language;
    const char *code = pov_table_cell(r->table, r->row, r->language);
    const bool other = *code && strcasecmp(code, "en") != 0;
    return other && pov_languages_find(&language, r->languages, code).code == POV_OK
               ? pov_language_words(language)
               : *r->words;
}

/* P(yes): of the first token's mass on yes and no, the share of yes; or what the words say. */
static pov_status read_p(double *p, pov_answer_kind *kind, const reader *r)
{
    double p_no;
    bool yes;
    *p = NAN;
    *kind = POV_ANSWER_MISSING;
    if (r->p_yes >= 0)
        POV_TRY(pov_cell_number(p, r->table, r->row, r->p_yes, 0, 1));
    POV_TRY(pov_cell_number(&p_no, r->table, r->row, r->p_no, 0, 1));
    if (!isnan(*p) && !isnan(p_no))
        *p = *p + p_no > 0 ? *p / (*p + p_no) : NAN;
    if (!isnan(*p)) {
        *kind = POV_ANSWER_GIVEN;
    } else if (r->answer >= 0) {
        const pov_yes_no_words words = words_of(r);
        *kind = pov_answer_yes_no(&yes, pov_table_cell(r->table, r->row, r->answer), &words);
        *p = *kind == POV_ANSWER_GIVEN ? yes : NAN;
    }
    return pov_ok();
}

static pov_status read_who(int *model, int *language, const reader *r)
{
    const char *code = pov_table_cell(r->table, r->row, r->language);
    POV_TRY(pov_comfort_data_name(r->data, model, pov_table_cell(r->table, r->row, r->model)));
    return pov_comfort_data_name(r->data, language, *code ? code : "en");
}

static pov_status read_presence(const reader *r, double p, pov_answer_kind kind)
{
    int model, language, present;
    double relatum_deg;
    pov_presence_group *group;
    POV_TRY(read_who(&model, &language, r));
    POV_TRY(read_facing(&relatum_deg, r, r->relatum, NAN));
    POV_TRY(pov_cell_word(&present, r->table, r->row, r->present, POV_WORDS_TRUTH));
    POV_TRY(pov_comfort_data_presence_of(r->data, &group, model, language, !isnan(relatum_deg)));
    pov_presence_add(&group->presence, p, present);
    group->answers[kind]++;
    return pov_ok();
}

static pov_status read_key(pov_curve_key *key, pov_facings *facings, const reader *r)
{
    const pov_table *t = r->table;
    POV_TRY(read_who(&key->model, &key->language, r));
    POV_TRY(read_facing(&facings->relatum_deg, r, r->relatum, NAN));
    POV_TRY(read_facing(&facings->addressee_deg, r, r->addressee, 90));
    POV_TRY(pov_comfort_data_scene(r->data, &key->scene, pov_table_cell(t, r->row, r->scene), *facings));
    POV_TRY(pov_comfort_data_name(r->data, &key->variant, pov_table_cell(t, r->row, r->variant)));
    POV_TRY(pov_cell_word(&key->prompt, t, r->row, r->prompt, prompt_words));
    POV_TRY(pov_cell_word(&key->relation, t, r->row, r->relation, POV_WORDS_RELATION));
    key->has_front = !isnan(facings->relatum_deg);
    return pov_ok();
}

static pov_status read_phi(int *phi_deg, const reader *r)
{
    double phi;
    *phi_deg = 0;
    POV_TRY(pov_cell_number(&phi, r->table, r->row, r->phi, -360, 360));
    if (isnan(phi) || fmod(phi, POV_CURVE_STEP_DEG) != 0)
        return pov_cell_complain(r->table, r->row, r->phi, "'%.40s': expected a multiple of %d degrees",
                                 pov_table_cell(r->table, r->row, r->phi), POV_CURVE_STEP_DEG);
    *phi_deg = (int)phi;
    return pov_ok();
}

/* A file with golds that has P(yes) is right, but no gold, comes from a station that abstained. */
static pov_status read_gold(uint8_t *gold, const reader *r)
{
    int yes;
    double p;
    *gold = POV_SAMPLE_BY_ANGLE;
    if (r->gold < 0)
        return pov_ok();
    if (*pov_table_cell(r->table, r->row, r->gold)) {
        POV_TRY(pov_cell_word(&yes, r->table, r->row, r->gold, POV_WORDS_TRUTH));
        *gold = yes ? POV_SAMPLE_YES : POV_SAMPLE_NO;
        return pov_ok();
    }
    POV_TRY(pov_cell_number(&p, r->table, r->row, r->gold_p, 0, 1));
    *gold = isnan(p) ? POV_SAMPLE_BY_ANGLE : POV_SAMPLE_UNTOLD;
    return pov_ok();
}

static pov_status read_sample(const reader *r, double p, pov_answer_kind kind)
{
    pov_curve_key key;
    pov_facings facings;
    int phi_deg, number;
    POV_TRY(read_key(&key, &facings, r));
    POV_TRY(read_phi(&phi_deg, r));
    POV_TRY(pov_comfort_data_curve(r->data, &number, &key, facings));
    pov_comfort_data *data = r->data;
    if (phi_deg == 360) {
        data->curves[number].curve.repeat = p;
        return pov_ok();
    }
    int i = (phi_deg + 360) / POV_CURVE_STEP_DEG % POV_CURVE_SAMPLES, *row = &data->row[number][i];
    if (*row)
        return pov_cell_complain(
            r->table, r->row, r->phi,
            "a second answer to the question of line %d; tell models, scenes or variants apart "
            "by columns model, scene, variant",
            pov_table_line(r->table, *row - 1));
    *row = r->row + 1;
    data->curves[number].curve.p[i] = p;
    POV_TRY(read_gold(&data->curves[number].curve.gold[i], r));
    data->groups[data->group_of[number]].answers[kind]++;
    return pov_ok();
}

static pov_status read_rows(reader *r)
{
    POV_TRY(find_columns(r));
    for (r->row = 0; r->row < pov_table_len(r->table); r->row++) {
        double p;
        pov_answer_kind kind;
        POV_TRY(read_p(&p, &kind, r));
        if (*pov_table_cell(r->table, r->row, r->present))
            POV_TRY(read_presence(r, p, kind));
        else
            POV_TRY(read_sample(r, p, kind));
    }
    return pov_comfort_data_finish(r->data);
}

pov_status pov_comfort_data_new(pov_comfort_data **data, const pov_table *table,
                                const pov_yes_no_words *words)
{
    POV_TRY(pov_comfort_data_start(data));
    reader r = {.table = table, .words = words, .data = *data};
    pov_status status =
        pov_table_column(table, "language") < 0 ? pov_ok() : pov_languages_new(&r.languages, NULL);
    if (status.code == POV_OK)
        status = read_rows(&r);
    pov_languages_destroy(&r.languages);
    if (status.code != POV_OK)
        pov_comfort_data_destroy(data);
    return status;
}
