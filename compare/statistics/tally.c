#include "compare/statistics/tally.h"

#include "compare/statistics/name_set.h"
#include "config/files/text.h"

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
    int next;                     /* of its group */
    int scene;                    /* number; -1: its own */
    int runs, questions;          /* questions: 0: it is one, asked `runs` times; else so many together */
    double score_sum, chance_sum; /* chance: NaN: a run has none */
} unit;

struct pov_tally {
    pov_name_set *labels, *questions, *scenes;
    tally_group *groups; /* [label] */
    unit *units;
    int *unit_of_question; /* [question] */
    double *values;        /* of one group: [sum, questions][scene] */
    int *place_of_scene;   /* [scene] among those of one group, plus 1; 0: none */
    int units_max, len;
    pov_bootstrap *bootstrap;
    pov_text key; /* of a question, as it is looked up */
};

pov_tally *pov_tally_new(int units_max, const pov_bootstrap_options *options)
{
    const size_t units = (size_t)units_max + 1;
    pov_tally *made = pov_allocate(1, sizeof *made);
    *made = (pov_tally){.units_max = units_max,
                        .groups = pov_allocate(units, sizeof *made->groups),
                        .units = pov_allocate(units, sizeof *made->units),
                        .unit_of_question = pov_allocate(units, sizeof *made->unit_of_question),
                        .values = pov_allocate(2 * units, sizeof *made->values),
                        .place_of_scene = pov_allocate(units, sizeof *made->place_of_scene),
                        .labels = pov_name_set_new(),
                        .questions = pov_name_set_new(),
                        .scenes = pov_name_set_new(),
                        .bootstrap = pov_bootstrap_new(units_max, options)};
    return made;
}

void pov_tally_destroy(pov_tally **tally)
{
    if (!*tally)
        return;
    pov_name_set_destroy(&(*tally)->labels);
    pov_name_set_destroy(&(*tally)->questions);
    pov_name_set_destroy(&(*tally)->scenes);
    pov_bootstrap_destroy(&(*tally)->bootstrap);
    pov_text_free(&(*tally)->key);
    free((*tally)->groups);
    free((*tally)->units);
    free((*tally)->unit_of_question);
    free((*tally)->values);
    free((*tally)->place_of_scene);
    free(*tally);
    *tally = NULL;
}

/* The unit of a group's question about a scene; a new one if the question has no name. */
static unit *need_unit(pov_tally *tally, int in_group, const char *question, const char *scene)
{
    const int questions = pov_name_set_len(tally->questions);
    POV_REQUIRE(tally->len < tally->units_max);
    if (*question) {
        pov_text_set(&tally->key, "%d:%s\t%s", in_group, scene, question);
        const int number = pov_name_set_add(tally->questions, pov_text_of(&tally->key), tally->key.len);
        if (number < questions)
            return &tally->units[tally->unit_of_question[number]];
        tally->unit_of_question[number] = tally->len;
    }
    tally_group *group = &tally->groups[in_group];
    if (group->len++ == 0)
        group->first = tally->len;
    else
        tally->units[group->last].next = tally->len;
    group->last = tally->len;
    tally->units[tally->len].scene = *scene ? pov_name_set_add(tally->scenes, scene, strlen(scene)) : -1;
    return &tally->units[tally->len++];
}

void pov_tally_add(pov_tally *tally, const char *label, const char *question, const char *scene,
                   const pov_grade *grade)
{
    const int number = pov_name_set_add(tally->labels, label, strlen(label));
    tally_group *g = &tally->groups[number];
    g->answers[grade->kind]++;
    if (!isnan(grade->chance)) {
        g->chances++;
        g->chance_sum += grade->chance;
    }
    if (pov_answer_is_absent(grade->kind))
        return;
    unit *of_question = need_unit(tally, number, question, scene);
    of_question->runs++;
    of_question->score_sum += grade->kind == POV_ANSWER_GIVEN ? grade->score : 0;
    of_question->chance_sum += grade->chance;
}

void pov_tally_add_counts(pov_tally *tally, const char *label, const int answers[POV_ANSWER_KINDS])
{
    tally_group *g = &tally->groups[pov_name_set_add(tally->labels, label, strlen(label))];
    for (int k = 0; k < POV_ANSWER_KINDS; k++)
        g->answers[k] += answers[k];
}

void pov_tally_add_scored(pov_tally *tally, const char *label, const char *scene, int questions,
                          double score_sum)
{
    const int number = pov_name_set_add(tally->labels, label, strlen(label));
    unit *together = need_unit(tally, number, "", scene);
    together->questions = questions;
    together->score_sum = score_sum;
    together->chance_sum = NAN;
}

int pov_tally_len(const pov_tally *tally)
{
    return pov_name_set_len(tally->labels);
}

const char *pov_tally_label(const pov_tally *tally, int group)
{
    return pov_name_set_at(tally->labels, group);
}

/* Adds up a group's questions by scene: scores and numbers, or what both are beyond chance. Returns: how many scenes. */
static int sum_scenes(pov_tally *tally, const tally_group *g, bool beyond_chance)
{
    double *sums = tally->values, *questions = tally->values + tally->units_max;
    int scenes = 0;
    for (int i = 0, at = g->first; i < g->len; i++, at = tally->units[at].next) {
        const unit *u = &tally->units[at];
        const double chance = beyond_chance ? u->chance_sum / u->runs : 0;
        if (isnan(chance))
            continue;
        int place = u->scene < 0 ? 0 : tally->place_of_scene[u->scene];
        if (place == 0) {
            place = ++scenes;
            sums[place - 1] = questions[place - 1] = 0;
            if (u->scene >= 0)
                tally->place_of_scene[u->scene] = place;
        }
        sums[place - 1] += u->questions > 0 ? u->score_sum : u->score_sum / u->runs - chance;
        questions[place - 1] += u->questions > 0 ? u->questions : 1 - chance;
    }
    for (int i = 0, at = g->first; i < g->len; i++, at = tally->units[at].next)
        if (tally->units[at].scene >= 0)
            tally->place_of_scene[tally->units[at].scene] = 0;
    return scenes;
}

static int count_questions(const pov_tally *tally, const tally_group *g)
{
    int questions = 0;
    for (int i = 0, at = g->first; i < g->len; i++, at = tally->units[at].next)
        questions += tally->units[at].questions > 0 ? tally->units[at].questions : 1;
    return questions;
}

static pov_estimate estimate_ratio(const pov_tally *tally, const pov_sample *sample)
{
    pov_estimate unused[2];
    pov_bootstrap_means(tally->bootstrap, unused, NULL, sample);
    return pov_bootstrap_ratio(tally->bootstrap, sample, 0, 1);
}

void pov_tally_at(pov_tally *tally, pov_tally_row *row, int group)
{
    const tally_group *g = &tally->groups[group];
    pov_sample sample = {.values = tally->values,
                         .columns = 2,
                         .stride = tally->units_max,
                         .units = sum_scenes(tally, g, false),
                         .strata = 1};
    *row = (pov_tally_row){.label = pov_name_set_at(tally->labels, group),
                           .questions = count_questions(tally, g),
                           .chance = g->chances ? g->chance_sum / g->chances : NAN,
                           .adjusted = {NAN, NAN, NAN, 0}};
    memcpy(row->answers, g->answers, sizeof g->answers);
    row->score = estimate_ratio(tally, &sample);
    if (isnan(row->chance))
        return;
    sample.units = sum_scenes(tally, g, true);
    row->adjusted = estimate_ratio(tally, &sample);
}

pov_coverage pov_coverage_of(const int answers[POV_ANSWER_KINDS])
{
    pov_coverage coverage = {.answered = answers[POV_ANSWER_GIVEN]};
    for (int k = 0; k < POV_ANSWER_KINDS; k++)
        coverage.asked += answers[k];
    return coverage;
}

bool pov_coverage_suffices(pov_coverage coverage)
{
    return 10L * coverage.answered >= 9L * coverage.asked;
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
