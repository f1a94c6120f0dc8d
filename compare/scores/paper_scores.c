#include "compare/scores/paper_scores_internal.h"

#include "compare/scores/number_score.h"
#include "compare/scores/paper_measures.h"
#include "compare/tables/table.h"
#include "config/files/grow.h"
#include "perception/papers/forest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DIMENSIONS_MAX = 9, COLUMNS_MAX = 5 };

typedef pov_paper_reader reader;

const char *pov_reader_cell(const reader *r, int column)
{
    return pov_table_cell(r->table, r->row, column);
}

static const char *cell(const reader *r, int column)
{
    return pov_reader_cell(r, column);
}

/* The model, and the conditions that its language tells: "llava +facts+cot" of "en+facts+cot". */
static char *name_model(const reader *r)
{
    const char *condition = r->language < 0 ? NULL : strchr(cell(r, r->language), '+');
    return pov_text_new("%s%s%s", cell(r, r->model), condition ? " " : "", condition ? condition : "");
}

const char *pov_reader_label(const reader *r, const char *dimension, const char *value)
{
    char *model = name_model(r);
    pov_text_clear(r->label);
    pov_text_add_part(r->label, model);
    free(model);
    pov_text_add_part(r->label, dimension);
    pov_text_add_part(r->label, value);
    return pov_text_of(r->label);
}

void pov_reader_add_grade(const reader *r, const char *dimension, const char *value, const pov_grade *grade)
{
    pov_grade told = *grade;
    if (told.kind == POV_ANSWER_MISSING) { /* an export tells why */
        const pov_answer_kind said = pov_answer_kind_said(cell(r, r->kind));
        told.kind = pov_answer_is_absent(said) ? said : told.kind;
    }
    r->scores->grades[r->row] = told;
    pov_tally_add(r->scores->tally, pov_reader_label(r, dimension, value), cell(r, r->id),
                  pov_text_of(r->scene), &told);
    if (strcmp(dimension, "all") == 0 && r->set >= 0)
        pov_tally_add(r->scores->tally,
                      pov_reader_label(r, "set", *cell(r, r->set) ? cell(r, r->set) : "own scenes"),
                      cell(r, r->id), pov_text_of(r->scene), &told);
}

pov_paper_extra *pov_reader_need_extra(const reader *r, const char *dimension, const char *value)
{
    pov_paper_scores *s = r->scores;
    const char *label = pov_reader_label(r, dimension, value);
    const int len = pov_name_set_len(s->labels), number = pov_name_set_add(s->labels, label, strlen(label));
    POV_REQUIRE_MEMORY(pov_grow(&s->extras, &s->extras_capacity, number, sizeof *s->extras));
    if (number == len)
        s->extras[number] = (pov_paper_extra){0};
    return &s->extras[number];
}

/* The column of a name, if any row has a value there. */
static int find_used(const pov_table *table, const char *name)
{
    const int column = pov_table_column(table, name);
    for (int row = 0; row < pov_table_len(table); row++)
        if (*pov_table_cell(table, row, column))
            return column;
    return -1;
}

/* ---- FoREST: relatum, asked, gold_relative, gold_intrinsic, or gold_frame ---- */

enum { FOREST_RELATUM, FOREST_ASKED, FOREST_RELATIVE, FOREST_INTRINSIC, FOREST_FRAME };

static const pov_word asked_words[] = {{"camera", POV_ASK_CAMERA}, {"relatum", POV_ASK_RELATUM}, {NULL, 0}};

static pov_status find_forest(reader *r)
{
    static const char *const names[] = {"relatum", "asked", "gold_relative", "gold_intrinsic", "gold_frame"};
    for (int i = 0; i < COLUMNS_MAX; i++)
        r->column[i] = pov_table_column(r->table, names[i]);
    return r->column[FOREST_FRAME] >= 0 || r->layout >= 0 || r->captions
               ? pov_ok()
               : pov_cell_need_column(&r->column[FOREST_RELATIVE], r->table, names[FOREST_RELATIVE],
                                      "the answer if a relative frame is meant: left, right, front, back");
}

static pov_status add_forest_frame(const reader *r)
{
    unsigned gold;
    POV_TRY(pov_cell_words(&gold, r->table, r->row, r->column[FOREST_FRAME], POV_WORDS_FRAME));
    pov_grade grade = pov_forest_frame_grade(cell(r, r->answer), gold, r->aids->released);
    pov_reader_add_grade(r, "frame identification", cell(r, r->column[FOREST_RELATUM]), &grade);
    return pov_ok();
}

static bool is_layout(const reader *r)
{
    return *cell(r, r->layout) || strcmp(cell(r, r->task), "layout") == 0;
}

/* Boxes show left and right for the camera, and only for captions with one reading (appendix J). */
static pov_grade grade_layout(const pov_box_layout *layout, pov_answer_kind kind, const pov_caption *caption)
{
    const pov_caption_readings readings = pov_caption_read(caption);
    const unsigned right = readings.relative | readings.intrinsic, left_bit = 1u << POV_LEFT_OF,
                   right_bit = 1u << POV_RIGHT_OF;
    pov_grade grade = {kind, NAN, NAN};
    if (caption->split != POV_SPLIT_C || (right != left_bit && right != right_bit))
        return grade;
    grade.score = right == left_bit ? pov_box_layout_is_left(layout) : pov_box_layout_is_right(layout);
    grade.chance = 0.5;
    return grade;
}

static pov_status add_layout(const reader *r)
{
    pov_box_layout layout;
    pov_paper_extra *extra;
    const int number = r->captions ? pov_captions_find(r->captions, cell(r, r->id)) : -1;
    if (number < 0)
        return pov_cell_complain(r->table, r->row, r->id,
                                 r->captions
                                     ? "'%.60s' is not among the captions"
                                     : "'%.60s': a layout needs its caption: --captions FILE, or columns "
                                       "obj1, obj2, relation, frames",
                                 cell(r, r->id));
    const pov_caption *caption = pov_captions_at(r->captions, number);
    const char *answer = *cell(r, r->layout) ? cell(r, r->layout) : cell(r, r->answer);
    const pov_answer_kind kind = pov_box_layout_read(&layout, answer, caption->locatum, caption->relatum);
    const pov_grade grade = grade_layout(&layout, kind, caption);
    extra = pov_reader_need_extra(r, "layout", "");
    extra->layouts.len++;
    extra->layouts.undecided += isnan(grade.score);
    for (int i = 0; i < POV_LAYOUT_REMARKS; i++)
        extra->layouts.remarks[i] += kind == POV_ANSWER_GIVEN && layout.remarks[i];
    r->scores->grades[r->row] = grade;
    if (isnan(grade.score))
        return pov_ok();
    pov_reader_add_grade(r, "layout", "Layout", &grade);
    if (r->aids->pictured && r->aids->pictured[number])
        pov_reader_add_grade(r, "layout", "Layout_cond", &grade);
    return pov_ok();
}

static pov_status add_forest(const reader *r)
{
    pov_text value = {0};
    int asked = POV_ASK_CAMERA;
    pov_forest_gold gold;
    pov_paper_extra *extra;
    if (is_layout(r))
        return add_layout(r);
    if (*cell(r, r->column[FOREST_FRAME]))
        return add_forest_frame(r);
    if (*cell(r, r->column[FOREST_ASKED]))
        POV_TRY(pov_cell_word(&asked, r->table, r->row, r->column[FOREST_ASKED], asked_words));
    POV_TRY(pov_cell_words(&gold.relative, r->table, r->row, r->column[FOREST_RELATIVE], POV_WORDS_RELATION));
    POV_TRY(
        pov_cell_words(&gold.intrinsic, r->table, r->row, r->column[FOREST_INTRINSIC], POV_WORDS_RELATION));
    if (!(gold.relative | gold.intrinsic))
        return pov_cell_complain(r->table, r->row, r->column[FOREST_RELATIVE],
                                 "is empty, and so is gold_intrinsic");
    pov_text_set(&value, "%s perspective, %s", asked == POV_ASK_CAMERA ? "camera" : "relatum",
                 *cell(r, r->column[FOREST_RELATUM]) ? cell(r, r->column[FOREST_RELATUM]) : "any");
    extra = pov_reader_need_extra(r, "question", pov_text_of(&value));
    pov_grade grade = pov_forest_grade(&extra->bias, cell(r, r->answer), gold, r->aids->released);
    pov_reader_add_grade(r, "all", "", &grade);
    pov_reader_add_grade(r, "question", pov_text_of(&value), &grade);
    pov_text_free(&value);
    return pov_ok();
}

/* ---- VSR: relation, gold, frame, p_true ---- */

enum { VSR_RELATION, VSR_GOLD, VSR_FRAME, VSR_P_TRUE };

static pov_status find_vsr(reader *r)
{
    r->column[VSR_FRAME] = pov_table_column(r->table, "frame");
    r->column[VSR_P_TRUE] = pov_table_column(r->table, "p_true");
    POV_TRY(pov_cell_need_column(&r->column[VSR_RELATION], r->table, "relation", "e.g. at the left side of"));
    return pov_cell_need_column(&r->column[VSR_GOLD], r->table, "gold", "true or false");
}

static pov_status add_vsr(const reader *r)
{
    int gold;
    double p;
    pov_paper_extra *extra;
    const char *category = pov_vsr_category(cell(r, r->column[VSR_RELATION]));
    POV_TRY(pov_cell_word(&gold, r->table, r->row, r->column[VSR_GOLD], POV_WORDS_TRUTH));
    POV_TRY(pov_cell_number(&p, r->table, r->row, r->column[VSR_P_TRUE], 0, 1));
    const bool released = r->aids->released, by_words = isnan(p) && (released || *cell(r, r->answer));
    const pov_grade grade = by_words
                                ? pov_vsr_grade(cell(r, r->answer), gold, released ? NULL : r->aids->words)
                                : pov_vsr_grade_p(p, gold);
    extra = pov_reader_need_extra(r, "all", "");
    if (!by_words)
        pov_calibration_add(&extra->calibration, p, gold);
    pov_reader_add_grade(r, "all", "", &grade);
    pov_reader_add_grade(r, "category", category ? category : "not in VSR's table", &grade);
    if (*cell(r, r->column[VSR_FRAME]))
        pov_reader_add_grade(r, "frame", cell(r, r->column[VSR_FRAME]), &grade);
    pov_reader_add_grade(r, "relation", cell(r, r->column[VSR_RELATION]), &grade);
    return pov_ok();
}

/* ---- Isle-Brick: question, gold ---- */

enum { VPT_QUESTION, VPT_GOLD, VPT_P_NORTH /* then east, south, west */ };

static const pov_word question_words[] = {{"Q1", POV_VPT_Q1}, {"Q2", POV_VPT_Q2}, {"Q3", POV_VPT_Q3},
                                          {"Q4", POV_VPT_Q4}, {"Q5", POV_VPT_Q5}, {"Q6", POV_VPT_Q6},
                                          {"Q7", POV_VPT_Q7}, {NULL, 0}};
static const char *const skill_names[POV_VPT_QUESTIONS] = {
    "scene understanding", "scene understanding",       "scene understanding",      "spatial reasoning",
    "spatial reasoning",   "visual perspective taking", "visual perspective taking"};
static const pov_word cardinal_words[] = {{"north", 0}, {"east", 1}, {"south", 2}, {"west", 3}, {NULL, 0}};
static const pov_word side_words[] = {{"front", 0}, {"right", 1}, {"back", 2}, {"left", 3}, {NULL, 0}};

static pov_status find_vpt(reader *r)
{
    static const char *const likely[4] = {"p_north", "p_east", "p_south", "p_west"};
    for (int i = 0; i < 4; i++)
        r->column[VPT_P_NORTH + i] = pov_table_column(r->table, likely[i]);
    POV_TRY(pov_cell_need_column(&r->column[VPT_QUESTION], r->table, "question", "Q1 ... Q7"));
    return pov_cell_need_column(&r->column[VPT_GOLD], r->table, "gold",
                                "a number, yes or no, or directions like north|east");
}

static pov_status read_vpt_gold(pov_vpt_reply *gold, const reader *r, pov_vpt_question question)
{
    int yes;
    unsigned parts;
    *gold = (pov_vpt_reply){.number = NAN};
    if (question == POV_VPT_Q1 || question == POV_VPT_Q2) {
        POV_TRY(pov_cell_number(&gold->number, r->table, r->row, r->column[VPT_GOLD], 0, 1e6));
        return isnan(gold->number) ? pov_cell_complain(r->table, r->row, r->column[VPT_GOLD], "is empty")
                                   : pov_ok();
    }
    if (!pov_vpt_has_directions(question)) {
        POV_TRY(pov_cell_word(&yes, r->table, r->row, r->column[VPT_GOLD], POV_WORDS_TRUTH));
        gold->number = yes;
        return pov_ok();
    }
    POV_TRY(pov_cell_words(&parts, r->table, r->row, r->column[VPT_GOLD],
                           question == POV_VPT_Q7 ? side_words : cardinal_words));
    if (!parts)
        return pov_cell_complain(r->table, r->row, r->column[VPT_GOLD], "is empty");
    for (int i = 0; i < 4; i++)
        gold->directions[i] = parts >> i & 1;
    return pov_ok();
}

/* Adds the probabilities of a row that has all four. */
static pov_status add_p_directions(const reader *r, pov_paper_extra *extra)
{
    double p[4];
    bool are_known = true;
    for (int i = 0; i < 4; i++) {
        p[i] = NAN;
        if (r->column[VPT_P_NORTH + i] >= 0)
            POV_TRY(pov_cell_number(&p[i], r->table, r->row, r->column[VPT_P_NORTH + i], 0, 1.01));
        are_known = are_known && !isnan(p[i]);
    }
    for (int i = 0; i < 4 && are_known; i++)
        extra->p_directions[i] += p[i];
    extra->p_directions_len += are_known;
    return pov_ok();
}

static pov_status add_vpt(const reader *r)
{
    int word;
    pov_vpt_reply gold, reply;
    pov_paper_extra *extra;
    POV_TRY(pov_cell_word(&word, r->table, r->row, r->column[VPT_QUESTION], question_words));
    pov_vpt_question question = (pov_vpt_question)word;
    POV_TRY(read_vpt_gold(&gold, r, question));
    pov_answer_kind kind = pov_vpt_read(&reply, cell(r, r->answer), question);
    pov_grade grade = pov_vpt_grade(&reply, kind, &gold, question);
    if (pov_vpt_has_directions(question)) {
        extra = pov_reader_need_extra(r, "question", question_words[question].word);
        pov_vpt_count_reply(&extra->matrix, &reply, kind, &gold);
    }
    if (question == POV_VPT_Q5 && r->intervention >= 0) {
        const char *intervention = *cell(r, r->intervention) ? cell(r, r->intervention) : "none";
        extra = pov_reader_need_extra(r, POV_BY_INTERVENTION, intervention);
        pov_vpt_count_reply(&extra->matrix, &reply, kind, &gold);
        POV_TRY(add_p_directions(r, extra));
        pov_reader_add_grade(r, POV_BY_INTERVENTION, intervention, &grade);
    }
    pov_reader_add_grade(r, "question", question_words[question].word, &grade);
    pov_reader_add_grade(r, "skill", skill_names[question], &grade);
    return pov_ok();
}

/* ---- SPHERE: task, options, gold ---- */

enum {
    SPHERE_TASK,
    SPHERE_GOLD,
    SPHERE_OPTIONS,
    SPHERE_UNIT,
    SPHERE_SKILL,
    SPHERE_VIEWPOINT,
    SKILLS_MAX = 8
};

static pov_status find_sphere(reader *r)
{
    r->column[SPHERE_TASK] = pov_table_column(r->table, "task");
    r->column[SPHERE_OPTIONS] = pov_table_column(r->table, "options");
    r->column[SPHERE_SKILL] = find_used(r->table, "skill");
    r->column[SPHERE_VIEWPOINT] = find_used(r->table, "viewpoint");
    r->column[SPHERE_UNIT] = pov_table_column(r->table, "unit");
    return pov_cell_need_column(&r->column[SPHERE_GOLD], r->table, "gold", "the right option, or a number");
}

/* Splits "left|right" in place. Returns how many there are, also beyond those that fit. */
static int split_options(const char *options[POV_SPHERE_OPTIONS_MAX], char *text)
{
    int len = 0;
    for (char *option; (option = strsep(&text, "|")); len++) {
        if (len >= POV_SPHERE_OPTIONS_MAX)
            continue;
        option += strspn(option, " ");
        for (size_t length = strlen(option); length > 0 && option[length - 1] == ' '; length--)
            option[length - 1] = '\0';
        options[len] = option;
    }
    return len;
}

/* The answer's grade among options, whose text is split. */
static pov_status grade_option(pov_grade *grade, const reader *r, char *text)
{
    const char *options[POV_SPHERE_OPTIONS_MAX], *gold = cell(r, r->column[SPHERE_GOLD]);
    const int len = split_options(options, text);
    if (len > POV_SPHERE_OPTIONS_MAX)
        return pov_cell_complain(r->table, r->row, r->column[SPHERE_OPTIONS],
                                 "has %d options; at most %d are scored, one for each letter", len,
                                 POV_SPHERE_OPTIONS_MAX);
    for (int i = 0; i < len; i++)
        if (strcasecmp(options[i], gold) == 0) {
            *grade = pov_sphere_grade(cell(r, r->answer), options, len, i, r->aids->released);
            return pov_ok();
        }
    return pov_cell_complain(r->table, r->row, r->column[SPHERE_GOLD],
                             "'%.60s' is not one of the options '%.200s'", gold,
                             cell(r, r->column[SPHERE_OPTIONS]));
}

/* By mean relative accuracy, which a column of units asks for. */
static pov_status grade_number(pov_grade *grade, const reader *r, double gold)
{
    const pov_status status =
        pov_number_grade(grade, cell(r, r->answer), gold, cell(r, r->column[SPHERE_UNIT]));
    return status.code == POV_OK
               ? status
               : pov_cell_complain(r->table, r->row, r->column[SPHERE_UNIT], "%s", status.message);
}

static pov_status grade_sphere(pov_grade *grade, const reader *r)
{
    const char *given = cell(r, r->column[SPHERE_OPTIONS]);
    if (*given == '\0') {
        double number;
        POV_TRY(pov_cell_number(&number, r->table, r->row, r->column[SPHERE_GOLD], 0, 1e9));
        if (isnan(number))
            return pov_cell_complain(r->table, r->row, r->column[SPHERE_GOLD], "is empty");
        if (r->column[SPHERE_UNIT] >= 0)
            return grade_number(grade, r, number);
        *grade = pov_sphere_grade_count(cell(r, r->answer), number, r->aids->released);
        return pov_ok();
    }
    char *text = strdup(given);
    POV_REQUIRE_MEMORY(text);
    const pov_status status = grade_option(grade, r, text);
    free(text);
    return status;
}

/* Under each of the tags that an item came with, "pos|size". */
static pov_status add_skills(const reader *r, const pov_grade *grade)
{
    char *tags = pov_text_new("%s", cell(r, r->column[SPHERE_SKILL])), *rest = tags;
    int len = 0;
    for (char *tag; (tag = strsep(&rest, "|")) && len <= SKILLS_MAX; len++)
        if (*tag && len < SKILLS_MAX)
            pov_reader_add_grade(r, "skill", tag, grade);
    free(tags);
    return len <= SKILLS_MAX ? pov_ok()
                             : pov_cell_complain(r->table, r->row, r->column[SPHERE_SKILL],
                                                 "has more than %d skills", SKILLS_MAX);
}

static pov_status add_sphere(const reader *r)
{
    pov_grade grade;
    POV_TRY(grade_sphere(&grade, r));
    pov_reader_add_grade(r, "all", "", &grade);
    if (*cell(r, r->column[SPHERE_TASK]))
        pov_reader_add_grade(r, "task", cell(r, r->column[SPHERE_TASK]), &grade);
    if (*cell(r, r->column[SPHERE_VIEWPOINT]))
        pov_reader_add_grade(r, "viewpoint", cell(r, r->column[SPHERE_VIEWPOINT]), &grade);
    return r->column[SPHERE_SKILL] >= 0 ? add_skills(r, &grade) : pov_ok();
}

/* ---- any ---- */

static const struct {
    const char *name;
    pov_status (*find_columns)(reader *r);
    pov_status (*add_row)(const reader *r);
    void (*finish)(reader *r); /* NULL: each row counts by itself */
} papers[] = {{"forest", find_forest, add_forest, NULL},
              {"vsr", find_vsr, add_vsr, NULL},
              {"vpt", find_vpt, add_vpt, NULL},
              {"sphere", find_sphere, add_sphere, NULL},
              {"choices", pov_choice_find_columns, pov_choice_add_row, pov_choice_finish}};
_Static_assert(sizeof papers / sizeof *papers == POV_PAPER_CHOICES + 1, "a reader for each paper");

static int reader_of(pov_paper paper)
{
    return paper < POV_PAPER_CHOICES ? (int)paper : POV_PAPER_CHOICES;
}

const pov_choice_benchmark *pov_paper_choice(pov_paper paper)
{
    return paper >= POV_PAPER_CHOICES && paper < POV_PAPER_COUNT
               ? pov_choice_benchmark_at((pov_choice_benchmark_id)(paper - POV_PAPER_CHOICES))
               : NULL;
}

const char *pov_paper_name(pov_paper paper)
{
    POV_REQUIRE(paper >= 0 && paper < POV_PAPER_COUNT);
    return pov_paper_choice(paper) ? pov_paper_choice(paper)->name : papers[paper].name;
}

static pov_status read_rows(reader *r, pov_paper paper)
{
    const bool by_letters = pov_paper_choice(paper) != NULL; /* finds its answers' column itself */
    pov_status status = pov_ok();
    r->paper = paper;
    r->set = find_used(r->table, "set");
    r->intervention = find_used(r->table, "intervention");
    r->model = pov_table_column(r->table, "model");
    r->language = pov_table_column(r->table, "language");
    r->id = pov_table_column(r->table, "id");
    r->answer = pov_table_column(r->table, "answer");
    r->layout = paper == POV_PAPER_FOREST ? pov_table_column(r->table, "layout") : -1;
    r->task = pov_table_column(r->table, "task");
    r->scene_column = pov_table_column(r->table, "scene");
    r->variant = pov_table_column(r->table, "variant");
    r->kind = pov_table_column(r->table, "kind");
    if (r->aids->released && paper == POV_PAPER_VPT)
        return pov_error("%s: people read Isle-Brick's answers, no script: score them without --released",
                         pov_table_name(r->table));
    if (!by_letters && r->answer < 0 && r->layout < 0 && pov_table_column(r->table, "p_true") < 0)
        return pov_error("%s:1: no column 'answer' (what the model said); see docs/SCORES.md",
                         pov_table_name(r->table));
    POV_TRY(papers[reader_of(paper)].find_columns(r));
    for (r->row = 0; r->row < pov_table_len(r->table) && status.code == POV_OK; r->row++) {
        pov_text_clear(r->scene);
        if (*cell(r, r->scene_column))
            pov_text_set(r->scene, "%s\t%s", cell(r, r->scene_column), cell(r, r->variant));
        status = papers[reader_of(paper)].add_row(r);
    }
    if (papers[reader_of(paper)].finish)
        papers[reader_of(paper)].finish(r);
    return status;
}

pov_status pov_paper_scores_new(pov_paper_scores *scores, pov_paper paper, const pov_table *table,
                                const pov_paper_aids *aids, const pov_bootstrap_options *options)
{
    pov_captions *own = NULL;
    *scores = (pov_paper_scores){.tally = NULL};
    pov_status status = pov_ok();
    const int dimensions = DIMENSIONS_MAX + (paper == POV_PAPER_SPHERE ? SKILLS_MAX : 0);
    scores->tally = pov_tally_new(dimensions * pov_table_len(table), options);
    scores->labels = pov_name_set_new();
    scores->grades = pov_allocate((size_t)pov_table_len(table) + 1, sizeof *scores->grades);
    if (paper == POV_PAPER_FOREST && !aids->captions && pov_captions_are_in(table))
        status = pov_captions_of_table(&own, table);
    if (status.code == POV_OK) {
        pov_text label = {0}, scene = {0};
        reader r = {.table = table,
                    .aids = aids,
                    .captions = own ? own : aids->captions,
                    .scores = scores,
                    .label = &label,
                    .scene = &scene};
        status = read_rows(&r, paper);
        pov_text_free(&label);
        pov_text_free(&scene);
    }
    pov_captions_destroy(&own);
    if (status.code != POV_OK)
        pov_paper_scores_free(scores);
    return status;
}

void pov_paper_scores_free(pov_paper_scores *scores)
{
    pov_tally_destroy(&scores->tally);
    pov_name_set_destroy(&scores->labels);
    free(scores->extras);
    free(scores->grades);
    *scores = (pov_paper_scores){.tally = NULL};
}
