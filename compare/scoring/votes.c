#include "compare/scoring/votes.h"

#include "compare/statistics/kappa.h"
#include "compare/statistics/name_set.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"

#include <cJSON.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FALSE, TRUE, LABELS, NO_LABEL = LABELS };

/* A caption about an image. */
typedef struct {
    int set, relation; /* names */
    int label;         /* the annotator's; of own scenes what geometry says */
    int votes[LABELS];
} caption;

struct pov_votes {
    pov_name_set *names;
    caption *list;
    int len, capacity;
};

pov_votes *pov_votes_new(void)
{
    pov_votes *votes = pov_allocate(1, sizeof *votes);
    votes->names = pov_name_set_new();
    return votes;
}

void pov_votes_destroy(pov_votes **votes)
{
    if (!*votes)
        return;
    pov_name_set_destroy(&(*votes)->names);
    free((*votes)->list);
    free(*votes);
    *votes = NULL;
}

/* ---- taking ---- */

int pov_votes_count(const char *list)
{
    int count = 0;
    bool is_within = false, is_quoted = false;
    for (const char *at = list; *at; at++) {
        is_quoted ^= *at == '\'';
        const bool separates = !is_quoted && strchr("[], |", *at) != NULL;
        count += !separates && !is_within;
        is_within = !separates;
    }
    return count;
}

static int number_of(pov_votes *votes, const char *name)
{
    return pov_name_set_add(votes->names, name, strlen(name));
}

static void add_caption(pov_votes *votes, const caption *one)
{
    POV_REQUIRE_MEMORY(pov_grow(&votes->list, &votes->capacity, votes->len, sizeof *votes->list));
    votes->list[votes->len++] = *one;
}

static void begin_caption(pov_votes *votes, const pov_log_question *question)
{
    cJSON *columns = question->columns ? pov_json_parse_text(question->columns) : NULL;
    const char *set = pov_json_text_of(columns, "set"), *gold = question->gold;
    caption one = {.set = number_of(votes, *set ? set : "own scenes"),
                   .relation = number_of(votes, pov_json_text_of(columns, "relation")),
                   .label = !gold || !*gold             ? NO_LABEL
                            : strcmp(gold, "true") == 0 ? TRUE
                                                        : FALSE};
    one.votes[TRUE] = pov_votes_count(pov_json_text_of(columns, "vote_true_validator_id"));
    one.votes[FALSE] = pov_votes_count(pov_json_text_of(columns, "vote_false_validator_id"));
    cJSON_Delete(columns);
    add_caption(votes, &one);
}

static bool is_persons(const pov_answer_row *row)
{
    return row->has_result && strncmp(row->model, POV_PERSON_PREFIX, strlen(POV_PERSON_PREFIX)) == 0 &&
           !isnan(row->result.p);
}

void pov_votes_add(pov_votes *votes, const pov_answer_row *row)
{
    if (strcmp(row->question.paper, "vsr") != 0 || strchr(row->question.language, '+'))
        return;
    if (!row->is_again)
        begin_caption(votes, &row->question);
    if (is_persons(row))
        votes->list[votes->len - 1].votes[row->result.p > 0.5 ? TRUE : FALSE]++;
}

void pov_votes_join(pov_votes *to, const pov_votes *from)
{
    for (int i = 0; i < from->len; i++) {
        caption one = from->list[i];
        one.set = number_of(to, pov_name_set_at(from->names, one.set));
        one.relation = number_of(to, pov_name_set_at(from->names, one.relation));
        add_caption(to, &one);
    }
}

static int count_votes(const caption *one)
{
    return one->votes[FALSE] + one->votes[TRUE];
}

int pov_votes_len(const pov_votes *votes)
{
    int len = 0;
    for (int i = 0; i < votes->len; i++)
        len += count_votes(&votes->list[i]) > 0;
    return len;
}

/* ---- the tables ---- */

typedef struct {
    int captions, votes, labelled, agreed, validated, unanimous;
    int *counts, *labelled_counts; /* [caption][label]: of votes; of votes and the label */
} summary;

static void add_to_summary(summary *sum, const caption *one)
{
    const int n = count_votes(one);
    int *counts = sum->counts + (size_t)sum->captions * LABELS;
    memcpy(counts, one->votes, sizeof one->votes);
    sum->captions++;
    sum->votes += n;
    if (one->label == NO_LABEL)
        return;
    int *with_label = sum->labelled_counts + (size_t)sum->labelled * LABELS;
    memcpy(with_label, one->votes, sizeof one->votes);
    with_label[one->label]++;
    sum->labelled++;
    sum->agreed += one->votes[one->label];
    sum->validated += 3 * one->votes[one->label] >= 2 * n;
    sum->unanimous += one->votes[one->label] == n;
}

static double share(int part, int of)
{
    return of > 0 ? (double)part / of : NAN;
}

/* Votes on captions with a label alone tell how right people are. */
static void add_row(pov_sheet *sheet, const pov_votes *votes, const char *set, const char *relation)
{
    summary sum = {.counts = pov_allocate((size_t)votes->len * LABELS + 1, sizeof(int)),
                   .labelled_counts = pov_allocate((size_t)votes->len * LABELS + 1, sizeof(int))};
    int judged = 0;
    for (int i = 0; i < votes->len; i++) {
        const caption *one = &votes->list[i];
        if (count_votes(one) == 0 || (set && strcmp(set, pov_name_set_at(votes->names, one->set)) != 0) ||
            (relation && strcmp(relation, pov_name_set_at(votes->names, one->relation)) != 0))
            continue;
        add_to_summary(&sum, one);
        judged += one->label == NO_LABEL ? 0 : count_votes(one);
    }
    const pov_fleiss of_votes = pov_fleiss_kappa(sum.counts, sum.captions, LABELS),
                     with_label = pov_fleiss_kappa(sum.labelled_counts, sum.labelled, LABELS);
    pov_sheet_add_row(sheet);
    if (set)
        pov_sheet_add_text(sheet, "set", set);
    if (relation)
        pov_sheet_add_text(sheet, "relation", relation);
    pov_sheet_add_count(sheet, "captions", sum.captions);
    pov_sheet_add_count(sheet, "votes", sum.votes);
    pov_sheet_add_share(sheet, "ceiling", share(sum.agreed, judged));
    pov_sheet_add_share(sheet, "validated", share(sum.validated, sum.labelled));
    pov_sheet_add_share(sheet, "unanimous", share(sum.unanimous, sum.labelled));
    pov_sheet_add_share(sheet, "disagree", 1 - of_votes.observed);
    pov_sheet_add_share(sheet, "kappa", of_votes.kappa);
    pov_sheet_add_share(sheet, "kappa_with_label", with_label.kappa);
    free(sum.counts);
    free(sum.labelled_counts);
}

/* Each name of the captions' sets or relations that have votes, in order. */
static void add_rows(pov_sheet *sheet, const pov_votes *votes, bool by_set)
{
    pov_name_set *seen = pov_name_set_new();
    for (int i = 0; i < votes->len; i++) {
        const caption *one = &votes->list[i];
        const char *name = pov_name_set_at(votes->names, by_set ? one->set : one->relation);
        const int known = pov_name_set_len(seen);
        if (count_votes(one) > 0 && pov_name_set_add(seen, name, strlen(name)) == known)
            add_row(sheet, votes, by_set ? name : NULL, by_set ? NULL : name);
    }
    pov_name_set_destroy(&seen);
}

void pov_votes_print(const pov_votes *votes, pov_sheet *sheet)
{
    if (pov_votes_len(votes) == 0)
        return;
    pov_sheet_add_table(sheet, "validation",
                        "VSR: validators' votes on captions (x100; the paper's sections 3.2 and 3.5).\n"
                        "ceiling: votes that are the label; validated, unanimous: captions on which two "
                        "thirds, or all, of the votes are; disagree: two votes of a caption differ; kappa: "
                        "Fleiss', of votes, and with the label as one more");
    add_rows(sheet, votes, true);
    pov_sheet_add_table(sheet, "validation_by_relation",
                        "VSR: the same by relation (x100; disagree: the paper's Figure 7)");
    add_rows(sheet, votes, false);
}
