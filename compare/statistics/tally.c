#include "compare/statistics/tally.h"

#include "compare/statistics/name_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int answers[POV_ANSWER_KINDS], chances;
    double chance_sum;
    int first, last, len; /* of its units, a list */
} tally_group;

typedef struct {
    int next; /* of its group */
    int runs;
    double score_sum;
} unit;

struct pov_tally {
    pov_name_set *labels, *questions;
    tally_group *groups; /* [label] */
    unit *units;
    int *unit_of_question; /* [question] */
    double *values;        /* of one group */
    int units_max, len;
    pov_bootstrap *bootstrap;
};

pov_status pov_tally_new(pov_tally **tally, int units_max, const pov_bootstrap_options *options)
{
    pov_tally *made = calloc(1, sizeof *made);
    size_t units = (size_t)units_max + 1;
    pov_status status = pov_error("out of memory for %d cases", units_max);
    if (made) {
        made->units_max = units_max;
        made->groups = calloc(units, sizeof *made->groups);
        made->units = calloc(units, sizeof *made->units);
        made->unit_of_question = calloc(units, sizeof *made->unit_of_question);
        made->values = calloc(units, sizeof *made->values);
        if (made->groups && made->units && made->unit_of_question && made->values)
            status = pov_name_set_new(&made->labels);
        if (status.code == POV_OK)
            status = pov_name_set_new(&made->questions);
        if (status.code == POV_OK)
            status = pov_bootstrap_new(&made->bootstrap, units_max, options);
    }
    *tally = made;
    if (status.code != POV_OK)
        pov_tally_destroy(tally);
    return status;
}

void pov_tally_destroy(pov_tally **tally)
{
    if (!*tally)
        return;
    pov_name_set_destroy(&(*tally)->labels);
    pov_name_set_destroy(&(*tally)->questions);
    pov_bootstrap_destroy(&(*tally)->bootstrap);
    free((*tally)->groups);
    free((*tally)->units);
    free((*tally)->unit_of_question);
    free((*tally)->values);
    free(*tally);
    *tally = NULL;
}

/* The unit of a group's question; a new one if the question has no name. */
static pov_status need_unit(pov_tally *tally, unit **found, int in_group, const char *question)
{
    char key[400];
    int number, questions = pov_name_set_len(tally->questions);
    POV_REQUIRE(tally->len < tally->units_max);
    if (*question) {
        int length = snprintf(key, sizeof key, "%d:%.380s", in_group, question);
        POV_TRY(pov_name_set_add(tally->questions, &number, key, (size_t)length));
        if (number < questions) {
            *found = &tally->units[tally->unit_of_question[number]];
            return pov_ok();
        }
        tally->unit_of_question[number] = tally->len;
    }
    tally_group *group = &tally->groups[in_group];
    if (group->len++ == 0)
        group->first = tally->len;
    else
        tally->units[group->last].next = tally->len;
    group->last = tally->len;
    *found = &tally->units[tally->len++];
    return pov_ok();
}

pov_status pov_tally_add(pov_tally *tally, const char *label, const char *question, const pov_grade *grade)
{
    int number;
    unit *of_question;
    POV_TRY(pov_name_set_add(tally->labels, &number, label, strlen(label)));
    tally_group *g = &tally->groups[number];
    g->answers[grade->kind]++;
    if (!isnan(grade->chance)) {
        g->chances++;
        g->chance_sum += grade->chance;
    }
    if (grade->kind == POV_ANSWER_MISSING)
        return pov_ok();
    POV_TRY(need_unit(tally, &of_question, number, question));
    of_question->runs++;
    of_question->score_sum += grade->kind == POV_ANSWER_GIVEN ? grade->score : 0;
    return pov_ok();
}

int pov_tally_len(const pov_tally *tally)
{
    return pov_name_set_len(tally->labels);
}

const char *pov_tally_label(const pov_tally *tally, int group)
{
    return pov_name_set_at(tally->labels, group);
}

void pov_tally_at(pov_tally *tally, pov_tally_row *row, int group)
{
    const tally_group *g = &tally->groups[group];
    for (int i = 0, at = g->first; i < g->len; i++, at = tally->units[at].next)
        tally->values[i] = tally->units[at].score_sum / tally->units[at].runs;
    pov_sample sample = {
        .values = tally->values, .columns = 1, .stride = g->len, .end = {g->len}, .strata = 1};
    *row = (pov_tally_row){.label = pov_name_set_at(tally->labels, group),
                           .chance = g->chances ? g->chance_sum / g->chances : NAN};
    memcpy(row->answers, g->answers, sizeof g->answers);
    pov_bootstrap_means(tally->bootstrap, &row->score, NULL, &sample);
}

/* ---- calibration ---- */

void pov_calibration_add(pov_calibration *calibration, double p, bool truth)
{
    if (isnan(p)) {
        calibration->unscored++;
        return;
    }
    int i = (int)(fmin(fmax(p, 0), 1) * POV_CALIBRATION_BINS);
    if (i == POV_CALIBRATION_BINS)
        i--;
    calibration->n++;
    calibration->square_sum += (p - truth) * (p - truth);
    calibration->bin[i].n++;
    calibration->bin[i].yes += truth;
    calibration->bin[i].p_sum += p;
}

double pov_calibration_brier(const pov_calibration *calibration)
{
    return calibration->n ? calibration->square_sum / calibration->n : NAN;
}

double pov_calibration_error(const pov_calibration *calibration)
{
    double sum = 0;
    for (int i = 0; i < POV_CALIBRATION_BINS; i++)
        sum += fabs(calibration->bin[i].yes - calibration->bin[i].p_sum);
    return calibration->n ? sum / calibration->n : NAN;
}
