/* Measures the effect of a prompt condition, paired by image. */
#include "compare/questions/prompt_condition.h"
#include "compare/scoring/answer_unit.h"
#include "compare/scoring/robust_sheets.h"
#include "config/files/grow.h"
#include "config/files/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS_OF_ROW_MAX = 3,
    KINDS = POV_PROMPT_CONDITION_SYSTEM + 1 /* those that change what a model is told */
};

/* A question under one condition: the mean over the orders of its options. */
typedef struct {
    int row, len;
    double sum;
} asked_question;

/* The questions of a group about one image. */
typedef struct {
    int next; /* of its group; -1 */
    int questions;
    double with, without; /* sums */
} image_pair;

typedef struct {
    int first, last, images, questions; /* -1: none */
} effect_group;

typedef struct {
    const pov_answers *answers;
    pov_name_set *names; /* model, condition, image, id */
    asked_question *questions;
    int question_capacity;
    pov_name_set *labels; /* model, condition, "guided facts", by, value */
    effect_group *groups; /* [label] */
    int group_capacity;
    pov_name_set *places; /* group, image */
    image_pair *pairs;    /* [place] */
    int pair_capacity;
} effect_list;

static void name_question(pov_text *name, const pov_answer_unit *unit, const pov_text *condition,
                          const pov_text *base)
{
    pov_text_clear(name);
    pov_text_add_part(name, unit->model);
    pov_text_add_part(name, pov_text_of(condition));
    pov_text_add(name, "\t%s\t%s\t%s", pov_text_of(&unit->scene), unit->image, pov_text_of(base));
}

/* Only the image as it was taken, with the options in their own order: table "robust" has the others. */
static bool is_compared(const pov_answer_unit *unit)
{
    return !unit->way.is_flipped && unit->way.rotation == 0 && !isnan(unit->grade.score) &&
           !pov_answer_is_absent(unit->grade.kind);
}

static void collect_row(effect_list *list, const pov_answer_unit *unit, int row, pov_text *name)
{
    name_question(name, unit, &unit->condition, &unit->base);
    const int known = pov_name_set_len(list->names),
              number = pov_name_set_add(list->names, pov_text_of(name), name->len);
    POV_REQUIRE_MEMORY(pov_grow(&list->questions, &list->question_capacity, number, sizeof *list->questions));
    if (number == known)
        list->questions[number] = (asked_question){.row = row};
    list->questions[number].len++;
    list->questions[number].sum += unit->grade.score;
}

static effect_group *need_group(effect_list *list, int *number, const pov_text *label)
{
    const int known = pov_name_set_len(list->labels);
    *number = pov_name_set_add(list->labels, pov_text_of(label), label->len);
    POV_REQUIRE_MEMORY(pov_grow(&list->groups, &list->group_capacity, *number, sizeof *list->groups));
    if (*number == known)
        list->groups[*number] = (effect_group){.first = -1, .last = -1};
    return &list->groups[*number];
}

static void add_pair(effect_list *list, const pov_text *label, const pov_answer_unit *unit, double with,
                     double without)
{
    int number;
    pov_text place = {0};
    effect_group *group = need_group(list, &number, label);
    pov_text_set(&place, "%d\t%s\t%s", number, pov_text_of(&unit->scene), unit->image);
    const int known = pov_name_set_len(list->places),
              at = pov_name_set_add(list->places, pov_text_of(&place), place.len);
    pov_text_free(&place);
    POV_REQUIRE_MEMORY(pov_grow(&list->pairs, &list->pair_capacity, at, sizeof *list->pairs));
    if (at == known) {
        list->pairs[at] = (image_pair){.next = -1};
        if (group->last >= 0)
            list->pairs[group->last].next = at;
        else
            group->first = at;
        group->last = at;
        group->images++;
    }
    list->pairs[at].questions++;
    list->pairs[at].with += with;
    list->pairs[at].without += without;
    group->questions++;
}

/* The same question without a condition; NULL: it was not asked, or not answered. */
static const asked_question *find_without(const effect_list *list, const pov_prompt_condition **with,
                                          const pov_answer_unit *unit, pov_prompt_condition_kind kind)
{
    pov_text condition = {0}, base = {0}, name = {0};
    pov_text_set(&condition, "%s", pov_text_of(&unit->condition));
    pov_text_set(&base, "%s", pov_text_of(&unit->base));
    const int value = pov_answer_cut_condition(&condition, kind);
    (void)pov_answer_cut_condition(&base, kind);
    *with = pov_prompt_condition_at(kind, value);
    name_question(&name, unit, &condition, &base);
    const int number = value ? pov_name_set_find(list->names, pov_text_of(&name), name.len) : -1;
    pov_text_free(&condition);
    pov_text_free(&base);
    pov_text_free(&name);
    return number >= 0 ? &list->questions[number] : NULL;
}

static void compare_question(effect_list *list, const pov_answer_unit *unit, const asked_question *question,
                             pov_prompt_condition_kind kind, int group)
{
    const char *by, *value = pov_answer_group(&by, list->answers, question->row, group);
    const pov_prompt_condition *with;
    const asked_question *without =
        value && (group == 0 || *value) ? find_without(list, &with, unit, kind) : NULL;
    if (!without)
        return;
    pov_text label = {0};
    pov_text_add_part(&label, unit->model);
    pov_text_add_part(&label, pov_text_of(&unit->condition));
    pov_text_add(&label, "\t%s %s\t%s\t%s", pov_prompt_condition_kind_name(kind), with->name, by, value);
    add_pair(list, &label, unit, question->sum / question->len, without->sum / without->len);
    pov_text_free(&label);
}

static void print_effect(pov_sheet *sheet, const effect_list *list, int number)
{
    static const char *const keys[] = {"model", "language", "condition", "by", "value"};
    const effect_group *group = &list->groups[number];
    const char *label = pov_name_set_at(list->labels, number);
    const size_t images = (size_t)group->images;
    double *values = pov_allocate(2 * images, sizeof *values);
    int len = 0;
    for (int at = group->first; at >= 0; at = list->pairs[at].next, len++) {
        values[len] = list->pairs[at].with / list->pairs[at].questions;
        values[images + (size_t)len] = list->pairs[at].without / list->pairs[at].questions;
    }
    const pov_sample sample = {.values = values, .columns = 2, .stride = len, .units = len, .strata = 1};
    pov_bootstrap *bootstrap = pov_bootstrap_new(len, &list->answers->options.bootstrap);
    pov_estimate means[2];
    pov_bootstrap_means(bootstrap, means, NULL, &sample);
    const pov_estimate effect = pov_bootstrap_difference(bootstrap, means, 0, 1);
    pov_text part = {0};
    pov_sheet_add_row(sheet);
    pov_sheet_add_text(sheet, "paper", pov_answers_paper_name(list->answers));
    for (int i = 0; i < 5; i++) {
        const size_t length = strcspn(label, "\t");
        pov_text_set(&part, "%.*s", (int)length, label);
        pov_sheet_add_text(sheet, keys[i], pov_text_of(&part));
        label += length + (label[length] == '\t');
    }
    pov_sheet_add_count(sheet, "images", len);
    pov_sheet_add_count(sheet, "questions", group->questions);
    pov_sheet_add_estimate(sheet, "without", &means[1]);
    pov_sheet_add_estimate(sheet, "with", &means[0]);
    pov_sheet_add_estimate(sheet, "effect", &effect);
    pov_text_free(&part);
    pov_bootstrap_destroy(&bootstrap);
    free(values);
}

static void print_effects(pov_sheet *sheet, const effect_list *list)
{
    if (pov_name_set_len(list->labels) == 0)
        return;
    pov_sheet_add_table(
        sheet, "effects",
        "Effects of prompt conditions (x100): accuracy with a condition less that without it, on the "
        "questions that have both, means over images;\nthe interval is over images, each drawn with its "
        "answers under both");
    for (int i = 0; i < pov_name_set_len(list->labels); i++)
        print_effect(sheet, list, i);
}

static void compare_all(effect_list *list)
{
    pov_answer_unit unit = {.model = NULL};
    for (int group = 0; group < GROUPS_OF_ROW_MAX; group++)
        for (int i = 0; i < pov_name_set_len(list->names); i++) {
            pov_answer_unit_read(&unit, list->answers, list->questions[i].row);
            for (int kind = 0; kind < KINDS && strchr(pov_text_of(&unit.condition), '+'); kind++)
                compare_question(list, &unit, &list->questions[i], (pov_prompt_condition_kind)kind, group);
        }
    pov_answer_unit_free(&unit);
}

void pov_sheet_add_effects(pov_sheet *sheet, const pov_answers *answers)
{
    effect_list list = {.answers = answers,
                        .names = pov_name_set_new(),
                        .labels = pov_name_set_new(),
                        .places = pov_name_set_new()};
    pov_answer_unit unit = {.model = NULL};
    pov_text name = {0};
    const int rows = answers->table && !answers->visor ? pov_table_len(answers->table) : 0;
    const int language = rows ? pov_table_column(answers->table, "language") : -1;
    bool has_conditions = false;
    for (int row = 0; row < rows && !has_conditions; row++)
        has_conditions = strchr(pov_table_cell(answers->table, row, language), '+') != NULL;
    for (int row = 0; row < rows && has_conditions; row++) {
        pov_answer_unit_read(&unit, answers, row);
        if (is_compared(&unit))
            collect_row(&list, &unit, row, &name);
    }
    compare_all(&list);
    print_effects(sheet, &list);
    pov_answer_unit_free(&unit);
    pov_text_free(&name);
    pov_name_set_destroy(&list.names);
    pov_name_set_destroy(&list.labels);
    pov_name_set_destroy(&list.places);
    free(list.questions);
    free(list.groups);
    free(list.pairs);
}
