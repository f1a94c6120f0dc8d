#include "compare/scoring/agreement.h"

#include "compare/statistics/name_set.h"
#include "compare/statistics/tally.h"
#include "config/files/grow.h"
#include "config/files/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATION, TRUTH, GOLDS };

/* The scored answers of one label about one scene. */
typedef struct {
    int label, scene; /* scene: of `scenes`; -1: "", one answer alone */
    int answers;
    double score_sum;
} sum;

struct pov_agreement {
    pov_name_set *labels; /* "model<TAB>questions<TAB>of" */
    pov_name_set *scenes;
    struct {
        int answers[GOLDS][POV_ANSWER_KINDS];
    } * of_label;
    int labels_capacity;
    struct {
        pov_name_set *keys; /* label and scene */
        sum *sums;          /* in the order in which they came */
        int *of_key;        /* its sum */
        int len, capacity, keys_capacity;
    } of[GOLDS];
    pov_text label, model;
};

pov_agreement *pov_agreement_new(void)
{
    pov_agreement *a = pov_allocate(1, sizeof *a);
    a->labels = pov_name_set_new();
    a->scenes = pov_name_set_new();
    for (int g = 0; g < GOLDS; g++)
        a->of[g].keys = pov_name_set_new();
    return a;
}

void pov_agreement_destroy(pov_agreement **agreement)
{
    pov_agreement *a = *agreement;
    if (!a)
        return;
    for (int g = 0; g < GOLDS; g++) {
        pov_name_set_destroy(&a->of[g].keys);
        free(a->of[g].sums);
        free(a->of[g].of_key);
    }
    pov_name_set_destroy(&a->labels);
    pov_name_set_destroy(&a->scenes);
    free(a->of_label);
    pov_text_free(&a->label);
    pov_text_free(&a->model);
    free(a);
    *agreement = NULL;
}

/* ---- counting ---- */

static int need_label(pov_agreement *a, const char *label, size_t length)
{
    const int len = pov_name_set_len(a->labels), number = pov_name_set_add(a->labels, label, length);
    POV_REQUIRE_MEMORY(pov_grow(&a->of_label, &a->labels_capacity, number, sizeof *a->of_label));
    if (number == len)
        memset(&a->of_label[number], 0, sizeof a->of_label[number]);
    return number;
}

static sum *add_sum(pov_agreement *a, int gold, int label, int scene)
{
    POV_REQUIRE_MEMORY(pov_grow(&a->of[gold].sums, &a->of[gold].capacity, a->of[gold].len, sizeof(sum)));
    sum *added = &a->of[gold].sums[a->of[gold].len++];
    *added = (sum){.label = label, .scene = scene};
    return added;
}

static sum *need_sum(pov_agreement *a, int gold, int label, const char *scene)
{
    if (*scene == '\0')
        return add_sum(a, gold, label, -1);
    const int pair[] = {label, pov_name_set_add(a->scenes, scene, strlen(scene))};
    const int len = pov_name_set_len(a->of[gold].keys),
              number = pov_name_set_add(a->of[gold].keys, pair, sizeof pair);
    if (number < len)
        return &a->of[gold].sums[a->of[gold].of_key[number]];
    POV_REQUIRE_MEMORY(pov_grow(&a->of[gold].of_key, &a->of[gold].keys_capacity, number, sizeof(int)));
    a->of[gold].of_key[number] = a->of[gold].len;
    return add_sum(a, gold, label, pair[1]);
}

static pov_answer_kind grade(double *score, const pov_log_result *result, const char *gold)
{
    *score = 0;
    if (!gold)
        return POV_ANSWER_MISSING;
    if (isnan(result->p))
        return pov_answer_kind_said(result->kind);
    const bool yes = strcmp(gold, "yes") == 0 || strcmp(gold, "true") == 0;
    *score = (result->p > 0.5) == yes;
    return POV_ANSWER_GIVEN;
}

static void add_to(pov_agreement *a, const pov_answer_row *row, const char *scene, const char *of)
{
    const char *const golds[GOLDS] = {row->question.gold, row->question.truth};
    pov_text_clear(&a->label);
    a->label.parts = 0;
    pov_text_add_part(&a->label, pov_text_of(&a->model));
    pov_text_add_part(&a->label, row->question.paper);
    pov_text_add_part(&a->label, of);
    const int label = need_label(a, pov_text_of(&a->label), a->label.len);
    for (int g = 0; g < GOLDS; g++) {
        double score;
        const pov_answer_kind kind = grade(&score, &row->result, golds[g]);
        a->of_label[label].answers[g][kind]++;
        if (pov_answer_is_absent(kind))
            continue;
        sum *s = need_sum(a, g, label, scene);
        s->answers++;
        s->score_sum += score;
    }
}

void pov_agreement_add(pov_agreement *agreement, const pov_answer_row *row, const char *scene, const char *of)
{
    const char *form = row->question.form,
               *condition = strchr(row->question.language, '+'); /* "en+facts+cot" */
    if (!row->has_result || (strcmp(form, "yes_no") != 0 && strcmp(form, "true_false") != 0))
        return;
    pov_text_clear(&agreement->model);
    pov_text_add_bytes(&agreement->model, row->model, strlen(row->model));
    if (condition) {
        pov_text_add_bytes(&agreement->model, " ", 1);
        pov_text_add_bytes(&agreement->model, condition, strlen(condition));
    }
    add_to(agreement, row, scene, "all");
    add_to(agreement, row, scene, of ? of : "-");
}

void pov_agreement_join(pov_agreement *to, const pov_agreement *from)
{
    const int len = pov_name_set_len(from->labels);
    int *label = pov_allocate((size_t)len + 1, sizeof *label);
    for (int i = 0; i < len; i++) {
        const char *name = pov_name_set_at(from->labels, i);
        label[i] = need_label(to, name, strlen(name));
        for (int g = 0; g < GOLDS; g++)
            for (int k = 0; k < POV_ANSWER_KINDS; k++)
                to->of_label[label[i]].answers[g][k] += from->of_label[i].answers[g][k];
    }
    for (int g = 0; g < GOLDS; g++)
        for (int i = 0; i < from->of[g].len; i++) {
            const sum *one = &from->of[g].sums[i];
            sum *s = need_sum(to, g, label[one->label],
                              one->scene < 0 ? "" : pov_name_set_at(from->scenes, one->scene));
            s->answers += one->answers;
            s->score_sum += one->score_sum;
        }
    free(label);
}

/* ---- printing ---- */

/* Both have the same labels, so the same groups. */
static pov_tally *tally_gold(const pov_agreement *a, int gold)
{
    static const pov_bootstrap_options usual = POV_BOOTSTRAP_DEFAULT;
    const int labels = pov_name_set_len(a->labels), units = a->of[gold].len;
    pov_tally *tally = pov_tally_new(units > labels ? units : labels, &usual);
    for (int i = 0; i < labels; i++)
        pov_tally_add_counts(tally, pov_name_set_at(a->labels, i), a->of_label[i].answers[gold]);
    for (int i = 0; i < units; i++) {
        const sum *s = &a->of[gold].sums[i];
        pov_tally_add_scored(tally, pov_name_set_at(a->labels, s->label),
                             s->scene < 0 ? "" : pov_name_set_at(a->scenes, s->scene), s->answers,
                             s->score_sum);
    }
    return tally;
}

static void print_label(pov_sheet *sheet, const char *label)
{
    static const char *const keys[] = {"model", "questions", "of"};
    char *copy = pov_text_new("%s", label), *at = copy;
    for (int i = 0; i < 3; i++)
        pov_sheet_add_text(sheet, keys[i], strsep(&at, "\t"));
    free(copy);
}

void pov_agreement_print(const pov_agreement *agreement, pov_sheet *sheet)
{
    if (pov_name_set_len(agreement->labels) == 0)
        return;
    pov_tally *tallies[GOLDS] = {tally_gold(agreement, STATION), tally_gold(agreement, TRUTH)};
    pov_sheet_add_table(sheet, "agreement",
                        "Yes or no as the station judges, and in a simulation as is true (x100).\n"
                        "missing: no answer, or the station abstains; scenes: a rotation is one");
    for (int g = 0; g < pov_tally_len(tallies[STATION]); g++) {
        pov_tally_row station, truth;
        pov_tally_at(tallies[STATION], &station, g);
        pov_tally_at(tallies[TRUTH], &truth, g);
        pov_sheet_add_row(sheet);
        print_label(sheet, station.label);
        pov_sheet_add_estimate(sheet, "station", &station.score);
        pov_sheet_add_estimate(sheet, "truth", &truth.score);
        pov_sheet_add_count(sheet, "scenes", station.score.n);
        for (int k = 0; k < POV_ANSWER_KINDS; k++)
            pov_sheet_add_count(sheet, pov_answer_kind_name((pov_answer_kind)k), station.answers[k]);
    }
    for (int g = 0; g < GOLDS; g++)
        pov_tally_destroy(&tallies[g]);
}
