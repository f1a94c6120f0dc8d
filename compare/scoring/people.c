#include "compare/scoring/people.h"

#include "compare/statistics/kappa.h"
#include "compare/statistics/name_set.h"
#include "compare/study/study_results.h"
#include "compare/vlm/answer_form.h"
#include "config/files/grow.h"
#include "config/files/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one contestant answered to one question. */
typedef struct {
    int question, contestant, reading;
} entry;

typedef struct {
    const char *paper;
    pov_name_set *questions, *contestants, *readings; /* questions: number of the log, tab, id */
    entry *list;
    int len, capacity;
} gathering;

static const char *const papers[] = {"comfort", "forest", "vsr", "vpt", "sphere"};
enum { PAPERS = sizeof papers / sizeof *papers };

struct pov_people_agreement {
    gathering of[PAPERS];
    int logs; /* that were joined; rows that are added are of the next one */
};

static bool is_person(const char *name)
{
    return strncmp(name, POV_PERSON_PREFIX, strlen(POV_PERSON_PREFIX)) == 0;
}

static int number_of(pov_name_set *names, const char *name)
{
    return pov_name_set_add(names, name, strlen(name));
}

/* "yes", "left", "3"; the caller frees it. NULL: it cannot be read. */
static char *read_answer(const pov_answer_row *row)
{
    if (!isnan(row->result.p))
        return pov_text_new("%s", row->result.p > 0.5 ? "yes" : "no");
    return strcmp(row->result.kind, "text") == 0 && row->result.text
               ? pov_answer_form_reading(row->question.form, row->question.columns, row->result.text)
               : NULL;
}

static void add_entry(gathering *g, const char *question, const char *contestant, const char *reading)
{
    POV_REQUIRE_MEMORY(pov_grow(&g->list, &g->capacity, g->len, sizeof *g->list));
    g->list[g->len++] = (entry){number_of(g->questions, question), number_of(g->contestants, contestant),
                                number_of(g->readings, reading)};
}

void pov_people_agreement_add(pov_people_agreement *people, const pov_answer_row *row)
{
    int paper = 0;
    while (paper < PAPERS && strcmp(row->question.paper, papers[paper]) != 0)
        paper++;
    if (!row->has_result || paper == PAPERS || strchr(row->question.language, '+'))
        return;
    char *reading = read_answer(row);
    if (!reading)
        return;
    char *question = pov_text_new("%d\t%lld", people->logs, (long long)row->question.id);
    add_entry(&people->of[paper], question, row->model, reading);
    free(question);
    free(reading);
}

void pov_people_agreement_join(pov_people_agreement *to, const pov_people_agreement *from)
{
    for (int paper = 0; paper < PAPERS; paper++) {
        const gathering *g = &from->of[paper];
        for (int i = 0; i < g->len; i++) {
            char *id;
            const long log = strtol(pov_name_set_at(g->questions, g->list[i].question), &id, 10);
            char *question = pov_text_new("%ld%s", to->logs + log, id);
            add_entry(&to->of[paper], question, pov_name_set_at(g->contestants, g->list[i].contestant),
                      pov_name_set_at(g->readings, g->list[i].reading));
            free(question);
        }
    }
    to->logs += from->logs > 0 ? from->logs : 1;
}

/* ---- two ---- */

/* [reading][reading] of the questions that both answered. */
static int *count_pairs(const gathering *g, int one, int other)
{
    const int labels = pov_name_set_len(g->readings), questions = pov_name_set_len(g->questions);
    int *counts = pov_allocate((size_t)labels * (size_t)labels + 1, sizeof *counts);
    int *of_one = pov_allocate((size_t)questions + 1, sizeof *of_one); /* [question] reading + 1; 0: none */
    for (int i = 0; i < g->len; i++)
        if (g->list[i].contestant == one)
            of_one[g->list[i].question] = g->list[i].reading + 1;
    for (int i = 0; i < g->len; i++)
        if (g->list[i].contestant == other && of_one[g->list[i].question] > 0)
            counts[(of_one[g->list[i].question] - 1) * labels + g->list[i].reading]++;
    free(of_one);
    return counts;
}

static void begin_row(pov_sheet *sheet, const gathering *g, const char *model, const char *with,
                      int questions, double same, const pov_estimate *kappa)
{
    pov_sheet_add_row(sheet);
    pov_sheet_add_text(sheet, "model", model);
    pov_sheet_add_text(sheet, "with", with);
    pov_sheet_add_text(sheet, "paper", g->paper);
    pov_sheet_add_count(sheet, "questions", questions);
    pov_sheet_add_share(sheet, "same", same);
    pov_sheet_add_share(sheet, "kappa", kappa->mean); /* its interval is not a bootstrap's */
    pov_sheet_add_share(sheet, "kappa_low", kappa->low);
    pov_sheet_add_share(sheet, "kappa_high", kappa->high);
}

static void add_pair(pov_sheet *sheet, const gathering *g, int one, int other)
{
    const int labels = pov_name_set_len(g->readings);
    int *counts = count_pairs(g, one, other), both = 0, same = 0;
    for (int i = 0; i < labels * labels; i++)
        both += counts[i];
    for (int i = 0; i < labels; i++)
        same += counts[i * labels + i];
    const pov_estimate kappa = pov_cohen_kappa(counts, labels);
    if (both > 0)
        begin_row(sheet, g, pov_name_set_at(g->contestants, one), pov_name_set_at(g->contestants, other),
                  both, (double)same / both, &kappa);
    free(counts);
}

/* ---- all people ---- */

static void add_people(pov_sheet *sheet, const gathering *g)
{
    const int labels = pov_name_set_len(g->readings), questions = pov_name_set_len(g->questions);
    int *counts = pov_allocate((size_t)questions * (size_t)labels + 1, sizeof *counts);
    for (int i = 0; i < g->len; i++)
        if (is_person(pov_name_set_at(g->contestants, g->list[i].contestant)))
            counts[(size_t)g->list[i].question * (size_t)labels + (size_t)g->list[i].reading]++;
    const pov_fleiss all = pov_fleiss_kappa(counts, questions, labels);
    const pov_estimate kappa = {all.kappa, NAN, NAN, all.items};
    if (all.items > 0)
        begin_row(sheet, g, "all people", "each other (Fleiss)", all.items, all.observed, &kappa);
    free(counts);
}

/* ---- the table ---- */

static void add_paper(pov_sheet *sheet, const gathering *g)
{
    const int len = pov_name_set_len(g->contestants);
    add_people(sheet, g);
    for (int one = 0; one < len; one++)
        for (int other = 0; other < len; other++) {
            const bool both = is_person(pov_name_set_at(g->contestants, one));
            if (one != other && is_person(pov_name_set_at(g->contestants, other)) && (!both || one < other))
                add_pair(sheet, g, one, other);
        }
}

pov_people_agreement *pov_people_agreement_new(void)
{
    pov_people_agreement *people = pov_allocate(1, sizeof *people);
    for (int paper = 0; paper < PAPERS; paper++)
        people->of[paper] = (gathering){.paper = papers[paper],
                                        .questions = pov_name_set_new(),
                                        .contestants = pov_name_set_new(),
                                        .readings = pov_name_set_new()};
    return people;
}

void pov_people_agreement_destroy(pov_people_agreement **people)
{
    if (!*people)
        return;
    for (int paper = 0; paper < PAPERS; paper++) {
        gathering *g = &(*people)->of[paper];
        pov_name_set_destroy(&g->questions);
        pov_name_set_destroy(&g->contestants);
        pov_name_set_destroy(&g->readings);
        free(g->list);
    }
    free(*people);
    *people = NULL;
}

pov_status pov_people_have_answered(bool *answered, pov_answer_log *log)
{
    int64_t people = 0;
    POV_TRY(pov_log_read_number(pov_answer_log_file(log), &people,
                                "SELECT count(*) FROM models WHERE name LIKE '" POV_PERSON_PREFIX "%'"));
    *answered = people > 0;
    return pov_ok();
}

void pov_people_agreement_print(const pov_people_agreement *people, pov_sheet *sheet)
{
    int len = 0;
    for (int paper = 0; paper < PAPERS; paper++)
        len += people->of[paper].len;
    if (len == 0)
        return;
    pov_sheet_add_table(sheet, "people",
                        "People: agreement with models and with each other (x100).\n"
                        "same: share of the questions that both answered; kappa: Cohen's, with its 95 % "
                        "interval; of all people Fleiss'");
    for (int paper = 0; paper < PAPERS; paper++)
        add_paper(sheet, &people->of[paper]);
}
