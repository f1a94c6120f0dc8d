
#include "compare/scores/comfort_data_internal.h"

#include "compare/tables/table.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"

#include <cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

pov_comfort_data *pov_comfort_data_start(void)
{
    pov_comfort_data *data = pov_allocate(1, sizeof *data);
    data->names = pov_name_set_new();
    data->scene_keys = pov_name_set_new();
    data->curve_keys = pov_name_set_new();
    data->group_keys = pov_name_set_new();
    data->presence_keys = pov_name_set_new();
    data->stated_keys = pov_name_set_new();
    return data;
}

void pov_comfort_data_destroy(pov_comfort_data **data)
{
    if (!*data)
        return;
    pov_name_set_destroy(&(*data)->names);
    pov_name_set_destroy(&(*data)->scene_keys);
    pov_name_set_destroy(&(*data)->curve_keys);
    pov_name_set_destroy(&(*data)->group_keys);
    pov_name_set_destroy(&(*data)->presence_keys);
    pov_name_set_destroy(&(*data)->stated_keys);
    free((*data)->stated);
    free((*data)->simulated);
    free((*data)->curves);
    free((*data)->group_of);
    free((*data)->row);
    free((*data)->groups);
    free((*data)->presences);
    free(*data);
    *data = NULL;
}

/* ---- gathering ---- */

int pov_comfort_data_add_name(pov_comfort_data *data, const char *name)
{
    return pov_name_set_add(data->names, name, strlen(name));
}

double pov_comfort_facing_deg(double facing_deg)
{
    static const double step_deg =
        15; /* chosen: a hand puts a car to a few degrees, a study's facings differ by more */
    return isnan(facing_deg) ? NAN : fmod(step_deg * round(facing_deg / step_deg) + 720, 360);
}

/* A scene by name. Scenes whose parties face otherwise are other scenes. */
static int add_scene(pov_comfort_data *data, const char *name, pov_facings facings)
{
    const double key[3] = {pov_comfort_data_add_name(data, name),
                           pov_comfort_facing_deg(facings.addressee_deg),
                           pov_comfort_facing_deg(facings.relatum_deg)};
    return pov_name_set_add(data->scene_keys, key, sizeof key);
}

static bool grow_curves(pov_comfort_data *data, int len)
{
    int groups = data->curves_capacity, rows = data->curves_capacity;
    return pov_grow(&data->group_of, &groups, len, sizeof *data->group_of) &&
           pov_grow(&data->row, &rows, len, sizeof *data->row) &&
           pov_grow(&data->curves, &data->curves_capacity, len, sizeof *data->curves);
}

static int need_group(pov_comfort_data *data, const pov_curve_key *key)
{
    const int group_key[] = {key->model, key->language, key->has_front, key->prompt},
              len = pov_name_set_len(data->group_keys),
              group = pov_name_set_add(data->group_keys, group_key, sizeof group_key);
    if (group == len) {
        POV_REQUIRE_MEMORY(pov_grow(&data->groups, &data->groups_capacity, len, sizeof *data->groups));
        data->groups[len] =
            (pov_comfort_group){.has_front = key->has_front, .prompt = (pov_prompt)key->prompt};
    }
    return group;
}

int pov_comfort_data_need_curve(pov_comfort_data *data, const pov_curve_key *key, pov_facings facings)
{
    const int len = pov_name_set_len(data->curve_keys),
              curve = pov_name_set_add(data->curve_keys, key, sizeof *key);
    if (curve < len)
        return curve;
    POV_REQUIRE_MEMORY(grow_curves(data, len));
    data->group_of[len] = need_group(data, key);
    data->curves[len] = (pov_comfort_curve){.scene = key->scene,
                                            .variant = key->variant,
                                            .repetition = key->run,
                                            .relation = (pov_relation)key->relation,
                                            .facings = facings};
    data->curves[len].curve.repeat = NAN;
    for (int i = 0; i < POV_CURVE_SAMPLES; i++) {
        data->curves[len].curve.p[i] = NAN;
        data->curves[len].curve.unasked[i] = true;
    }
    memset(data->row[len], 0, sizeof data->row[len]);
    return curve;
}

pov_presence_group *pov_comfort_data_need_presence(pov_comfort_data *data, int model, int language,
                                                   bool has_front)
{
    const int key[] = {model, language, has_front}, len = pov_name_set_len(data->presence_keys),
              group = pov_name_set_add(data->presence_keys, key, sizeof key);
    if (group == len) {
        POV_REQUIRE_MEMORY(
            pov_grow(&data->presences, &data->presences_capacity, len, sizeof *data->presences));
        data->presences[len] = (pov_presence_group){.has_front = has_front};
    }
    return &data->presences[group];
}

pov_convention pov_comfort_data_state(pov_comfort_data *data, int language, pov_convention convention)
{
    const int len = pov_name_set_len(data->stated_keys),
              stated = pov_name_set_add(data->stated_keys, &language, sizeof language);
    POV_REQUIRE_MEMORY(pov_grow(&data->stated, &data->stated_capacity, stated, sizeof *data->stated));
    if (stated == len)
        data->stated[stated] = (int)convention;
    return (pov_convention)data->stated[stated];
}

/* ---- putting in order ---- */

static int part_of(const pov_name_set *keys, int key, int part)
{
    int parts[2];
    memcpy(parts, pov_name_set_at(keys, key), sizeof parts); /* model, language */
    return parts[part];
}

static const char *name_of(const pov_comfort_data *data, const pov_name_set *keys, int key, int part)
{
    return pov_name_set_at(data->names, part_of(keys, key, part));
}

/* Geometry is the same whoever is asked, in whatever words: what it cannot tell of an image in a frame is gathered from all answers
 *  about that image. */
static void share_untold(pov_comfort_data *data)
{
    const int len = pov_comfort_data_len(data);
    pov_name_set *views = pov_name_set_new();
    uint8_t(*untold)[POV_CURVE_SAMPLES] = pov_allocate((size_t)len + 1, sizeof *untold);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < len; i++) {
            pov_comfort_curve *curve = &data->curves[i];
            const int key[] = {curve->scene, curve->variant, curve->repetition, (int)curve->relation};
            const int view = pov_name_set_add(views, key, sizeof key);
            for (int k = 0; k < POV_CURVE_SAMPLES; k++)
                curve->curve.untold[k] = untold[view][k] |= curve->curve.untold[k];
        }
    pov_name_set_destroy(&views);
    free(untold);
}

/* A scene's variants are swept one after the other, in runs of their own: its first repetition is the first run of each variant. */
static void number_repetitions(pov_comfort_data *data)
{
    const int len = pov_comfort_data_len(data);
    pov_name_set *rotations = pov_name_set_new(), *variants = pov_name_set_new();
    int *repetition = pov_allocate((size_t)len + 1, sizeof *repetition), /* [rotation] */
        *runs = pov_allocate((size_t)len + 1, sizeof *runs);             /* [variant] */
    for (int i = 0; i < len; i++) {
        pov_comfort_curve *curve = &data->curves[i];
        const int key[] = {curve->scene, curve->variant, curve->repetition},
                  known = pov_name_set_len(rotations),
                  rotation = pov_name_set_add(rotations, key, sizeof key);
        if (rotation == known)
            repetition[rotation] = runs[pov_name_set_add(variants, key, 2 * sizeof *key)]++;
        curve->repetition = repetition[rotation];
    }
    pov_name_set_destroy(&rotations);
    pov_name_set_destroy(&variants);
    free(repetition);
    free(runs);
}

/* A language by its code; the conditions of a question stand behind a plus: "ta+facts". NULL: it is not known. */
static const pov_language *find_language(const pov_languages *languages, const char *code)
{
    const pov_language *language = NULL;
    char *plain = pov_text_new("%.*s", (int)strcspn(code, "+"), code);
    const bool is_known = languages && pov_languages_find(&language, languages, plain).code == POV_OK;
    free(plain);
    return is_known ? language : NULL;
}

/* As the file states it, or the literature for the language; else reflected, as the paper assumes (section 4.2). */
static pov_convention convention_of(const pov_comfort_data *data, const pov_languages *languages,
                                    int language)
{
    const int stated = pov_name_set_find(data->stated_keys, &language, sizeof language);
    const pov_language *known = find_language(languages, pov_name_set_at(data->names, language));
    if (stated >= 0)
        return (pov_convention)data->stated[stated];
    return known && known->convention != POV_NO_CONVENTION ? known->convention : POV_REFLECTED;
}

void pov_comfort_data_finish(pov_comfort_data *data, const pov_languages *languages)
{
    number_repetitions(data);
    share_untold(data);
    int len = pov_comfort_data_len(data), groups = pov_name_set_len(data->group_keys), first = 0;
    pov_comfort_curve *together = pov_allocate((size_t)len + 1, sizeof *together);
    int(*rows)[POV_CURVE_SAMPLES] = pov_allocate((size_t)len + 1, sizeof *rows);
    for (int i = 0; i < len; i++)
        data->groups[data->group_of[i]].len++;
    for (int g = 0; g < groups; g++) {
        pov_comfort_group *group = &data->groups[g];
        group->first = first;
        first += group->len;
        group->len = 0;
        group->model = name_of(data, data->group_keys, g, 0);
        group->language = name_of(data, data->group_keys, g, 1);
        group->convention = convention_of(data, languages, part_of(data->group_keys, g, 1));
    }
    for (int i = 0; i < len; i++) {
        pov_comfort_group *group = &data->groups[data->group_of[i]];
        int place = group->first + group->len++;
        together[place] = data->curves[i];
        memcpy(rows[place], data->row[i], sizeof rows[place]);
    }
    for (int g = 0; g < pov_name_set_len(data->presence_keys); g++) {
        data->presences[g].model = name_of(data, data->presence_keys, g, 0);
        data->presences[g].language = name_of(data, data->presence_keys, g, 1);
    }
    free(data->curves);
    free(data->row);
    data->curves = together;
    data->row = rows;
}

/* ---- looking ---- */

int pov_comfort_data_groups(const pov_comfort_data *data)
{
    return pov_name_set_len(data->group_keys);
}

const pov_comfort_group *pov_comfort_data_group(const pov_comfort_data *data, int group)
{
    POV_REQUIRE(group >= 0 && group < pov_comfort_data_groups(data));
    return &data->groups[group];
}

int pov_comfort_data_presences(const pov_comfort_data *data)
{
    return pov_name_set_len(data->presence_keys);
}

const pov_presence_group *pov_comfort_data_presence(const pov_comfort_data *data, int group)
{
    POV_REQUIRE(group >= 0 && group < pov_comfort_data_presences(data));
    return &data->presences[group];
}

const pov_presence_group *pov_comfort_data_presence_for(const pov_comfort_data *data, int group)
{
    /* The keys of both begin with model, language, has_front. */
    const int presence =
        pov_name_set_find(data->presence_keys, pov_name_set_at(data->group_keys, group), 3 * sizeof(int));
    return presence < 0 ? NULL : &data->presences[presence];
}

const pov_comfort_curve *pov_comfort_data_curves(const pov_comfort_data *data)
{
    return data->curves;
}

int pov_comfort_data_len(const pov_comfort_data *data)
{
    return pov_name_set_len(data->curve_keys);
}

int pov_comfort_data_row(const pov_comfort_data *data, int curve, int sample)
{
    POV_REQUIRE(curve >= 0 && curve < pov_comfort_data_len(data) && sample >= 0 &&
                sample < POV_CURVE_SAMPLES);
    return data->row[curve][sample] - 1;
}

/* ---- a table of answers ---- */

typedef struct {
    const pov_table *table;
    const pov_yes_no_words *words;
    pov_languages *languages; /* NULL: no row names one */
    pov_comfort_data *data;
    int model, language, scene, variant, prompt, relation, relatum, addressee, phi, present, p_yes, p_no,
        answer, gold, gold_p, kind, convention, run;
    int row;
} table_reader;

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

static pov_status find_columns(table_reader *r)
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
    r->kind = pov_table_column(t, "kind");
    r->run = pov_table_column(t, "run");
    r->convention = pov_table_column(t, "convention");
    POV_TRY(pov_cell_need_column(&r->prompt, t, "prompt", "nop, cam, add or rel"));
    POV_TRY(pov_cell_need_column(&r->relation, t, "relation", "left, right, front or behind"));
    POV_TRY(pov_cell_need_column(&r->phi, t, "phi_deg", "the referent's azimuth, 0 toward the camera"));
    if (r->p_yes < 0 && r->answer < 0)
        return pov_error("%s:1: neither a column 'p_yes' nor 'answer'; see docs/SCORES.md",
                         pov_table_name(t));
    return pov_ok();
}

static pov_status read_facing(double *facing_deg, const table_reader *r, int column, double missing)
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

/* The words of the row's language, if it is known, else the options'. */
static pov_yes_no_words words_of(const table_reader *r)
{
    const char *code = pov_table_cell(r->table, r->row, r->language);
    const bool other = *code && strcasecmp(code, "en") != 0 && strncasecmp(code, "en+", 3) != 0;
    const pov_language *language = other ? find_language(r->languages, code) : NULL;
    return language ? pov_language_words(language) : *r->words;
}

/* P(yes): the share of yes in the first token's mass on yes and no; or the words' answer. */
static pov_status read_p(double *p, pov_answer_kind *kind, const table_reader *r)
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
    if (*kind == POV_ANSWER_MISSING)
        *kind = pov_answer_kind_said(pov_table_cell(r->table, r->row, r->kind));
    return pov_ok();
}

static void read_who(int *model, int *language, const table_reader *r)
{
    const char *code = pov_table_cell(r->table, r->row, r->language);
    *model = pov_comfort_data_add_name(r->data, pov_table_cell(r->table, r->row, r->model));
    *language = pov_comfort_data_add_name(r->data, *code ? code : "en");
}

static pov_status read_presence(const table_reader *r, double p, pov_answer_kind kind)
{
    int model, language, present;
    double relatum_deg;
    pov_presence_group *group;
    read_who(&model, &language, r);
    POV_TRY(read_facing(&relatum_deg, r, r->relatum, NAN));
    POV_TRY(pov_cell_word(&present, r->table, r->row, r->present, POV_WORDS_TRUTH));
    group = pov_comfort_data_need_presence(r->data, model, language, !isnan(relatum_deg));
    pov_presence_add(&group->presence, p, present);
    group->answers[kind]++;
    return pov_ok();
}

/* A repetition: by the column `run`, else by the file. */
static int add_run(const table_reader *r)
{
    const char *run = pov_table_cell(r->table, r->row, r->run);
    const int source = pov_table_row_source(r->table, r->row);
    return pov_comfort_data_add_name(r->data, *run         ? run
                                              : source > 0 ? pov_table_source(r->table, source)
                                                           : "");
}

static pov_status read_key(pov_curve_key *key, pov_facings *facings, const table_reader *r)
{
    const pov_table *t = r->table;
    read_who(&key->model, &key->language, r);
    POV_TRY(read_facing(&facings->relatum_deg, r, r->relatum, NAN));
    POV_TRY(read_facing(&facings->addressee_deg, r, r->addressee, 90));
    key->scene = add_scene(r->data, pov_table_cell(t, r->row, r->scene), *facings);
    key->variant = pov_comfort_data_add_name(r->data, pov_table_cell(t, r->row, r->variant));
    key->run = add_run(r);
    POV_TRY(pov_cell_word(&key->prompt, t, r->row, r->prompt, prompt_words));
    POV_TRY(pov_cell_word(&key->relation, t, r->row, r->relation, POV_WORDS_RELATION));
    key->has_front = !isnan(facings->relatum_deg);
    return pov_ok();
}

static pov_status read_phi(int *phi_deg, const table_reader *r)
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

/* A row with gold_p but without gold comes from a station that abstained, in the frame that the prompt asks for. */
static pov_status read_gold(uint8_t *untold, const table_reader *r, const pov_curve_key *key)
{
    int yes;
    double p;
    *untold = 0;
    if (r->gold < 0)
        return pov_ok();
    if (*pov_table_cell(r->table, r->row, r->gold))
        return pov_cell_word(&yes, r->table, r->row, r->gold, POV_WORDS_TRUTH);
    POV_TRY(pov_cell_number(&p, r->table, r->row, r->gold_p, 0, 1));
    if (!isnan(p))
        *untold = (uint8_t)pov_reading_bit(
            pov_prompt_reading((pov_prompt)key->prompt, convention_of(r->data, r->languages, key->language)));
    return pov_ok();
}

static const pov_word convention_words[] = {
    {"translated", POV_TRANSLATED}, {"rotated", POV_ROTATED}, {"reflected", POV_REFLECTED}, {NULL, 0}};

static pov_status read_convention(const table_reader *r, const pov_curve_key *key)
{
    pov_comfort_data *data = r->data;
    int convention;
    if (*pov_table_cell(r->table, r->row, r->convention) == '\0')
        return pov_ok();
    POV_TRY(pov_cell_word(&convention, r->table, r->row, r->convention, convention_words));
    const pov_convention stated = pov_comfort_data_state(data, key->language, (pov_convention)convention);
    if ((int)stated != convention)
        return pov_cell_complain(r->table, r->row, r->convention,
                                 "%s, but %s before, for the same language: give them other codes",
                                 convention_words[convention].word, convention_words[stated].word);
    return pov_ok();
}

static pov_status read_sample(const table_reader *r, double p, pov_answer_kind kind)
{
    pov_curve_key key;
    pov_facings facings;
    int phi_deg, number;
    POV_TRY(read_key(&key, &facings, r));
    POV_TRY(read_convention(r, &key));
    POV_TRY(read_phi(&phi_deg, r));
    number = pov_comfort_data_need_curve(r->data, &key, facings);
    pov_comfort_data *data = r->data;
    if (phi_deg == 360) {
        data->curves[number].curve.repeat = p;
        return pov_ok();
    }
    int i = (phi_deg + 360) / POV_CURVE_STEP_DEG % POV_CURVE_SAMPLES, *row = &data->row[number][i];
    if (*row)
        return pov_cell_complain(r->table, r->row, r->phi,
                                 "a second answer to the question of %s%sline %d; tell models, scenes, "
                                 "variants or repetitions apart "
                                 "by columns model, scene, variant, run",
                                 pov_table_sources(r->table) > 1
                                     ? pov_table_source(r->table, pov_table_row_source(r->table, *row - 1))
                                     : "",
                                 pov_table_sources(r->table) > 1 ? ", " : "",
                                 pov_table_line(r->table, *row - 1));
    *row = r->row + 1;
    data->curves[number].curve.p[i] = p;
    data->curves[number].curve.unasked[i] = false;
    POV_TRY(read_gold(&data->curves[number].curve.untold[i], r, &key));
    data->groups[data->group_of[number]].answers[kind]++;
    return pov_ok();
}

static pov_status read_rows(table_reader *r)
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
    pov_comfort_data_finish(r->data, r->languages);
    return pov_ok();
}

pov_status pov_comfort_data_new(pov_comfort_data **data, const pov_table *table,
                                const pov_yes_no_words *words)
{
    *data = pov_comfort_data_start();
    table_reader r = {.table = table, .words = words, .data = *data};
    pov_status status =
        pov_table_column(table, "language") < 0 ? pov_ok() : pov_languages_new(&r.languages, NULL);
    POV_THEN(status, read_rows(&r));
    pov_languages_destroy(&r.languages);
    if (status.code != POV_OK)
        pov_comfort_data_destroy(data);
    return status;
}

/* ---- the layout of the authors' scripts ---- */

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
    int model, language; /* numbers of names */
    pov_prompt prompt;
    int nth; /* case of the same model, language and prompt: each has scenes of its own */
    const cJSON *relatum_deg, *addressee_deg; /* by variant; NULL: none has a front */
    int row;
} layout_reader;

static pov_status complain_of_layout(const layout_reader *r, const cJSON *where, const char *message)
{
    return pov_error("%s: cases[%d]: %.60s: %s", r->name, r->row, where->string ? where->string : "case",
                     message);
}

static pov_status read_layout_p(double *p, const layout_reader *r, const cJSON *list, const cJSON *item)
{
    *p = cJSON_IsNull(item) ? NAN : item->valuedouble;
    if (!cJSON_IsNull(item) && (!cJSON_IsNumber(item) || !(*p >= 0 && *p <= 1)))
        return complain_of_layout(r, list, "expected numbers within 0 to 1, or null");
    return pov_ok();
}

static pov_status read_layout_facing(double *facing_deg, const layout_reader *r, const cJSON *by_variant,
                                     const char *variant)
{
    const cJSON *facing = cJSON_GetObjectItem(by_variant, variant);
    if (!facing)
        return pov_ok();
    if (!cJSON_IsNumber(facing) || !(fabs(facing->valuedouble) <= 360))
        return complain_of_layout(r, facing, "expected a facing within -360 to 360 degrees");
    *facing_deg = facing->valuedouble;
    return pov_ok();
}

/* `pov compare --export comfort` names a scene in its variant's name. */
static void name_layout_scene(pov_curve_key *key, const layout_reader *r, const char *variant,
                              pov_facings facings)
{
    int scene = 0, length = 0;
    if (sscanf(variant, "scene_%9d_variant_%n", &scene, &length) < 1 || length == 0 ||
        variant[length] == '\0')
        length = scene = 0;
    char *name = pov_text_new(" %d %d", r->nth, scene);
    key->scene = add_scene(r->data, name, facings);
    key->variant = pov_comfort_data_add_name(r->data, variant + length);
    free(name);
}

/* theta is counted from the direction by the translated convention. */
static pov_status read_curve(layout_reader *r, const cJSON *list, pov_relation relation)
{
    const pov_reading translated = {POV_EGOCENTRIC, POV_TRANSLATED};
    pov_facings facings = POV_FACINGS_DEFAULT;
    POV_TRY(read_layout_facing(&facings.relatum_deg, r, r->relatum_deg, list->string));
    POV_TRY(read_layout_facing(&facings.addressee_deg, r, r->addressee_deg, list->string));
    pov_curve_key key = {.model = r->model,
                         .language = r->language,
                         .has_front = !isnan(facings.relatum_deg),
                         .prompt = (int)r->prompt,
                         .relation = (int)relation};
    name_layout_scene(&key, r, list->string, facings);
    int number, i = (int)pov_curve_direction_deg(relation, translated, facings) / POV_CURVE_STEP_DEG +
                    POV_CURVE_SAMPLES / 2;
    int len = cJSON_GetArraySize(list);
    if (!cJSON_IsArray(list) || (len != POV_CURVE_SAMPLES && len != POV_CURVE_SAMPLES + 1))
        return complain_of_layout(r, list,
                                  "expected 36 or 37 numbers, P(yes) at theta = -180, -170, ... degrees");
    number = pov_comfort_data_need_curve(r->data, &key, facings);
    pov_comfort_curve *curve = &r->data->curves[number];
    const cJSON *item = list->child;
    for (int k = 0; k < POV_CURVE_SAMPLES; k++, item = item->next) {
        POV_TRY(read_layout_p(&curve->curve.p[(i + k) % POV_CURVE_SAMPLES], r, list, item));
        curve->curve.unasked[(i + k) % POV_CURVE_SAMPLES] = false;
        bool missing = isnan(curve->curve.p[(i + k) % POV_CURVE_SAMPLES]);
        r->data->groups[r->data->group_of[number]].answers[missing ? POV_ANSWER_MISSING : POV_ANSWER_GIVEN]++;
    }
    return item ? read_layout_p(&curve->curve.repeat, r, list, item) : pov_ok();
}

static pov_status read_presences(layout_reader *r, const cJSON *inputs, const char *key, bool present)
{
    const cJSON *list = cJSON_GetObjectItem(inputs, key);
    pov_presence_group *group;
    group = pov_comfort_data_need_presence(r->data, r->model, r->language, false);
    if (!cJSON_IsArray(list))
        return complain_of_layout(r, inputs, "expected lists pos_yes and neg_yes");
    for (const cJSON *item = list->child; item; item = item->next) {
        double p;
        POV_TRY(read_layout_p(&p, r, list, item));
        pov_presence_add(&group->presence, p, present);
        group->answers[isnan(p) ? POV_ANSWER_MISSING : POV_ANSWER_GIVEN]++;
    }
    return pov_ok();
}

/* Which model's answers these are, in which language, to which prompt. */
static pov_status read_layout_who(layout_reader *r, const cJSON *one, pov_name_set *cases)
{
    const cJSON *model = cJSON_GetObjectItem(one, "model"), *prompt = cJSON_GetObjectItem(one, "prompt");
    const char *language = cJSON_GetStringValue(cJSON_GetObjectItem(one, "language"));
    char number[40];
    model = cJSON_IsString(model) ? model : cJSON_GetObjectItem(one, "kind");
    snprintf(number, sizeof number, "case %d", r->row);
    r->model = pov_comfort_data_add_name(r->data, cJSON_IsString(model) ? model->valuestring : number);
    r->language = pov_comfort_data_add_name(r->data, language && *language ? language : "en");
    r->prompt = POV_PROMPT_CAMERA;
    if (prompt) {
        const pov_word *word = prompt_words;
        while (word->word && (!cJSON_IsString(prompt) || strcmp(word->word, prompt->valuestring) != 0))
            word++;
        if (!word->word)
            return complain_of_layout(r, prompt, "expected nop, cam, add or rel");
        r->prompt = (pov_prompt)word->value;
    }
    r->relatum_deg = cJSON_GetObjectItem(one, "relatum_facing_deg");
    r->addressee_deg = cJSON_GetObjectItem(one, "addressee_facing_deg");
    for (r->nth = 0;; r->nth++) {
        const int key[] = {r->model, r->language, (int)r->prompt, r->nth}, known = pov_name_set_len(cases);
        if (pov_name_set_add(cases, key, sizeof key) == known)
            return pov_ok();
    }
}

static pov_status read_case(layout_reader *r, const cJSON *one, pov_name_set *cases)
{
    const cJSON *p_yes = cJSON_GetObjectItem(one, "p_yes");
    const cJSON *presence = cJSON_GetObjectItem(one, "hallucination_inputs");
    POV_TRY(read_layout_who(r, one, cases));
    if (!cJSON_IsObject(p_yes))
        return complain_of_layout(r, one, "no p_yes: {relation: {variant: [numbers]}}");
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

static pov_status read_layout(layout_reader *r, const cJSON *root)
{
    const cJSON *cases = cJSON_GetObjectItem(root, "cases");
    const char *simulated = cJSON_GetStringValue(cJSON_GetObjectItem(root, "simulated"));
    if (simulated && *simulated)
        r->data->simulated = pov_text_new("%s", simulated);
    pov_name_set *seen = pov_name_set_new();
    pov_status status = cJSON_IsArray(cases) ? pov_ok() : read_case(r, root, seen);
    for (const cJSON *one = cJSON_IsArray(cases) ? cases->child : NULL; one && status.code == POV_OK;
         one = one->next, r->row++)
        status = read_case(r, one, seen);
    pov_name_set_destroy(&seen);
    return status;
}

pov_status pov_comfort_data_parse(pov_comfort_data **data, const char *name, const char *text, size_t length)
{
    *data = NULL;
    cJSON *root = pov_json_parse(text, length);
    if (!root)
        return pov_error("%s: is not JSON, near byte %td", name,
                         cJSON_GetErrorPtr() ? cJSON_GetErrorPtr() - text : (ptrdiff_t)0);
    *data = pov_comfort_data_start();
    layout_reader r = {.name = name, .data = *data};
    pov_languages *languages = NULL;
    pov_status status = read_layout(&r, root);
    POV_THEN(status, pov_languages_new(&languages, NULL));
    if (status.code == POV_OK)
        pov_comfort_data_finish(*data, languages);
    pov_languages_destroy(&languages);
    cJSON_Delete(root);
    if (status.code != POV_OK)
        pov_comfort_data_destroy(data);
    return status;
}

bool pov_comfort_data_is_layout(const char *text, size_t length)
{
    cJSON *root = pov_json_parse(text, length);
    bool is_layout = cJSON_IsArray(cJSON_GetObjectItem(root, "cases")) ||
                     cJSON_IsObject(cJSON_GetObjectItem(root, "p_yes"));
    cJSON_Delete(root);
    return is_layout;
}

const char *pov_comfort_data_simulated(const pov_comfort_data *data)
{
    return data->simulated ? data->simulated : "";
}

void pov_comfort_data_judge_by(pov_comfort_data *data, pov_convention convention)
{
    for (int g = 0; g < pov_comfort_data_groups(data); g++)
        data->groups[g].convention = convention;
}
