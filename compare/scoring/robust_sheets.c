#include "compare/scoring/robust_sheets.h"

#include "compare/questions/prompt_condition.h"
#include "compare/scoring/answer_unit.h"
#include "config/files/grow.h"
#include "config/files/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS_OF_ROW_MAX = 3 };

/* ---- robust accuracy ---- */

typedef enum { PLAIN, FLIP, CIRCULAR, ROBUST, SETTINGS } setting;
static const char *const setting_keys[SETTINGS] = {"plain", "flip", "circular", "robust"};

/* A question, with all ways in which it was asked. */
typedef struct {
    int row; /* of its plain form; -1: it has none */
    int options;
    bool has[2][POV_ROTATIONS], is_absent;
    pov_grade grades[2][POV_ROTATIONS];
} asked_question;

typedef struct {
    const pov_answers *answers;
    pov_name_set *names; /* model, condition, scene, id */
    asked_question *questions;
    int capacity;
    bool has_flips, has_rotations;
} question_list;

static void collect_row(question_list *list, const pov_answer_unit *unit, int row, pov_text *name)
{
    if (unit->order > 0 || (isnan(unit->grade.score) && !pov_answer_is_absent(unit->grade.kind)))
        return;
    pov_text_clear(name);
    pov_text_add_part(name, unit->model);
    pov_text_add_part(name, pov_text_of(&unit->condition));
    pov_text_add(name, "\t%s\t%s", pov_text_of(&unit->scene), pov_text_of(&unit->base));
    const int known = pov_name_set_len(list->names),
              number = pov_name_set_add(list->names, pov_text_of(name), name->len);
    POV_REQUIRE_MEMORY(pov_grow(&list->questions, &list->capacity, number, sizeof *list->questions));
    asked_question *q = &list->questions[number];
    if (number == known)
        *q = (asked_question){.row = -1};
    const int flip = unit->way.is_flipped, rotation = unit->way.rotation;
    const bool is_worse = !q->has[flip][rotation] || unit->grade.score < q->grades[flip][rotation].score;
    q->options = unit->options;
    q->is_absent |= pov_answer_is_absent(unit->grade.kind);
    if (is_worse) /* of one that was asked several times the worst counts */
        q->grades[flip][rotation] = unit->grade;
    q->has[flip][rotation] = true;
    if (!flip && rotation == 0)
        q->row = row;
    list->has_flips |= flip;
    list->has_rotations |= rotation > 0;
}

/* Whether all ways that go with it were asked and answered. */
static bool is_complete(const asked_question *q)
{
    bool rotates = false, flips = false, all = !q->is_absent && q->row >= 0;
    for (int f = 0; f < 2; f++)
        for (int r = 0; r < POV_ROTATIONS; r++) {
            rotates |= r > 0 && q->has[f][r];
            flips |= f > 0 && q->has[f][r];
        }
    for (int f = 0; f <= flips; f++)
        for (int r = 0; r < POV_ROTATIONS; r++)
            all = all && (q->has[f][r] || r >= (!rotates ? 1 : q->options));
    return all;
}

/* Right in all ways of a setting; by drawing, each way is drawn. */
static pov_grade grade_setting(const asked_question *q, setting which)
{
    pov_grade grade = {POV_ANSWER_GIVEN, 1, 1};
    for (int f = 0; f < 2; f++)
        for (int r = 0; r < POV_ROTATIONS; r++) {
            const bool is_of = (f == 0 || which == FLIP || which == ROBUST) && (r == 0 || which >= CIRCULAR);
            if (!is_of || !q->has[f][r])
                continue;
            grade.score = fmin(grade.score, q->grades[f][r].score);
            grade.chance *= q->grades[f][r].chance;
        }
    return grade;
}

typedef struct {
    pov_name_set *labels; /* "model, condition, by, value"; a tally's labels are these with a setting */
    int *incomplete;      /* [label] */
    int capacity;
    pov_tally *tally;
    pov_name_set *tallied; /* its labels, by their numbers */
} robust_groups;

static void add_to_group(robust_groups *g, const question_list *list, int number, const char *by,
                         const char *value)
{
    const asked_question *q = &list->questions[number];
    const char *name = pov_name_set_at(list->names, number), *end = strchr(strchr(name, '\t') + 1, '\t');
    const char *scene = end + 1;
    pov_text label = {0};
    pov_text_add(&label, "%.*s\t%s\t%s", (int)(end - name), name, by, value);
    const int known = pov_name_set_len(g->labels),
              group = pov_name_set_add(g->labels, pov_text_of(&label), label.len);
    POV_REQUIRE_MEMORY(pov_grow(&g->incomplete, &g->capacity, group, sizeof *g->incomplete));
    if (group == known)
        g->incomplete[group] = 0;
    const char *question = strrchr(scene, '\t'); /* the id; before it scene and variant, or nothing */
    char *of_scene = pov_text_new("%.*s", (int)(question - scene), scene);
    for (int s = 0; s < SETTINGS; s++) {
        const pov_grade grade = grade_setting(q, (setting)s);
        pov_text_set(&label, "%d\t%s", group, setting_keys[s]);
        if (is_complete(q)) {
            pov_name_set_add(g->tallied, pov_text_of(&label), label.len);
            pov_tally_add(g->tally, pov_text_of(&label), scene, of_scene, &grade);
        }
    }
    g->incomplete[group] += !is_complete(q);
    free(of_scene);
    pov_text_free(&label);
}

static bool read_setting(pov_tally_row *row, const robust_groups *g, int group, setting which)
{
    pov_text label = {0};
    pov_text_set(&label, "%d\t%s", group, setting_keys[which]);
    const int at = pov_name_set_find(g->tallied, pov_text_of(&label), label.len);
    pov_text_free(&label);
    *row = (pov_tally_row){.score = {NAN, NAN, NAN, 0}, .adjusted = {NAN, NAN, NAN, 0}, .chance = NAN};
    if (at >= 0)
        pov_tally_at(g->tally, row, at);
    return at >= 0;
}

static void print_group(pov_sheet *sheet, const question_list *list, const robust_groups *g, int group)
{
    static const char *const keys[] = {"model", "language", "by", "value"};
    static const pov_estimate none = {NAN, NAN, NAN, 0};
    const char *label = pov_name_set_at(g->labels, group);
    pov_tally_row rows[SETTINGS];
    pov_text part = {0};
    for (int s = 0; s < SETTINGS; s++)
        (void)read_setting(&rows[s], g, group, (setting)s);
    pov_sheet_add_row(sheet);
    pov_sheet_add_text(sheet, "paper", pov_answers_paper_name(list->answers));
    for (int i = 0; i < 4; i++) {
        const size_t len = strcspn(label, "\t");
        pov_text_set(&part, "%.*s", (int)len, label);
        pov_sheet_add_text(sheet, keys[i], pov_text_of(&part));
        label += len + (label[len] == '\t');
    }
    pov_text_free(&part);
    pov_sheet_add_count(sheet, "questions", rows[PLAIN].questions);
    pov_sheet_add_count(sheet, "incomplete", g->incomplete[group]);
    pov_sheet_add_estimate(sheet, "plain", &rows[PLAIN].score);
    pov_sheet_add_estimate(sheet, "flip", list->has_flips ? &rows[FLIP].score : &none);
    pov_sheet_add_estimate(sheet, "circular", list->has_rotations ? &rows[CIRCULAR].score : &none);
    pov_sheet_add_estimate(sheet, "robust", &rows[ROBUST].score);
    pov_sheet_add_share(sheet, "chance", rows[PLAIN].chance);
    pov_sheet_add_share(sheet, "chance_robust", rows[ROBUST].chance);
    pov_sheet_add_estimate(sheet, "caa", &rows[PLAIN].adjusted);
    pov_sheet_add_estimate(sheet, "caa_robust", &rows[ROBUST].adjusted);
}

/* Models in the order in which they came, all of a model's groups of a kind together. */
static void print_robust(pov_sheet *sheet, const question_list *list, int all)
{
    robust_groups g = {
        .labels = pov_name_set_new(),
        .tallied = pov_name_set_new(),
        .tally = pov_tally_new(all * GROUPS_OF_ROW_MAX * SETTINGS, &list->answers->options.bootstrap)};
    const char *by, *value;
    for (int kind = 0; kind < GROUPS_OF_ROW_MAX; kind++)
        for (int i = 0; i < all; i++) {
            const int row = list->questions[i].row;
            value = row >= 0 ? pov_answer_group(&by, list->answers, row, kind) : NULL;
            if (value && (kind == 0 || *value))
                add_to_group(&g, list, i, by, value);
        }
    pov_sheet_add_table(
        sheet, "robust",
        "Robust accuracy (x100), on the same questions: plain; flip: right about the image and about its "
        "mirror image; circular: right in all\nrotations of the options; robust: right in all of these; caa: "
        "adjusted for chance; incomplete: questions left out, as an answer is missing");
    for (int i = 0; i < pov_name_set_len(g.labels); i++)
        print_group(sheet, list, &g, i);
    pov_tally_destroy(&g.tally);
    pov_name_set_destroy(&g.labels);
    pov_name_set_destroy(&g.tallied);
    free(g.incomplete);
}

void pov_sheet_add_robust(pov_sheet *sheet, const pov_answers *answers)
{
    question_list list = {.answers = answers, .names = pov_name_set_new()};
    pov_answer_unit unit = {.model = NULL};
    pov_text name = {0};
    const int rows = answers->table && !answers->visor ? pov_table_len(answers->table) : 0;
    for (int row = 0; row < rows && !list.has_flips && !list.has_rotations; row++) {
        pov_answer_unit_read(&unit, answers, row);
        list.has_flips = unit.way.is_flipped;
        list.has_rotations = unit.way.rotation > 0;
    }
    const bool is_asked = list.has_flips || list.has_rotations;
    for (int row = 0; row < rows && is_asked; row++) {
        pov_answer_unit_read(&unit, answers, row);
        collect_row(&list, &unit, row, &name);
    }
    if (is_asked)
        print_robust(sheet, &list, pov_name_set_len(list.names));
    pov_answer_unit_free(&unit);
    pov_text_free(&name);
    pov_name_set_destroy(&list.names);
    free(list.questions);
}
