/* Models and languages against each other, on the questions that they share: ranks, paired tests. Answers of several files are
 * compared, too. */
#include "compare/report/report_internal.h"

#include "compare/statistics/rank.h"
#include "config/files/grow.h"
#include "config/files/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEASURES_MAX = 2, ALL_PAIRS_MAX = 8 };

/* A unit's score: of a curve, or of a question; runs and repetitions are one unit. */
typedef struct {
    int family, contestant, unit, scene; /* numbers of the names below */
    double value[MEASURES_MAX];
} record;

typedef struct {
    pov_name_set *families;    /* "set<TAB>prompt": what may be compared */
    pov_name_set *contestants; /* "model<TAB>language" */
    pov_name_set *units;
    pov_name_set *scenes;        /* what is independent: units of one scene are drawn and flipped together */
    pov_name_set *coverage_keys; /* family and contestant */
    pov_coverage *coverage;      /* [of them] */
    int coverage_capacity;
    record *records;
    int len, capacity;
    bool is_comfort;
    const pov_bootstrap_options *bootstrap;
    pov_text contestant, unit, scene; /* the last ones named */
} collection;

static void name_contestant(collection *c, const char *model, const char *language)
{
    pov_text_clear(&c->contestant);
    pov_text_add_part(&c->contestant, model);
    pov_text_add_part(&c->contestant, language);
}

/* The coverage of the contestant that was named last. */
static pov_coverage *need_coverage(collection *c, const char *family)
{
    const int key[] = {pov_name_set_add(c->families, family, strlen(family)),
                       pov_name_set_add(c->contestants, pov_text_of(&c->contestant), c->contestant.len)},
              len = pov_name_set_len(c->coverage_keys),
              number = pov_name_set_add(c->coverage_keys, key, sizeof key);
    POV_REQUIRE_MEMORY(pov_grow(&c->coverage, &c->coverage_capacity, number, sizeof *c->coverage));
    if (number == len)
        c->coverage[number] = (pov_coverage){0, 0};
    return &c->coverage[number];
}

static pov_coverage coverage_of(const collection *c, int family, int contestant)
{
    const int key[] = {family, contestant};
    return c->coverage[pov_name_set_find(c->coverage_keys, key, sizeof key)];
}

/* Adds the values of the contestant and the unit that were named last. */
static void add_record(collection *c, const char *family, const double value[MEASURES_MAX])
{
    for (int m = 0; m < (c->is_comfort ? 2 : 1); m++)
        if (isnan(value[m]))
            return;
    POV_REQUIRE_MEMORY(pov_grow(&c->records, &c->capacity, c->len, sizeof *c->records));
    c->records[c->len++] =
        (record){pov_name_set_add(c->families, family, strlen(family)),
                 pov_name_set_add(c->contestants, pov_text_of(&c->contestant), c->contestant.len),
                 pov_name_set_add(c->units, pov_text_of(&c->unit), c->unit.len),
                 pov_name_set_add(c->scenes, pov_text_of(&c->scene), c->scene.len),
                 {value[0], value[1]}};
}

/* ---- COMFORT: a unit is a curve ---- */

static int first_row(const pov_answers *answers, int curve)
{
    int row = -1;
    for (int i = 0; i < POV_CURVE_SAMPLES && row < 0; i++)
        row = pov_comfort_data_row(answers->comfort, curve, i);
    return row;
}

static void name_family(char family[80], const pov_comfort_group *group)
{
    snprintf(family, 80, "%s\t%s", group->has_front ? "CAR" : "BALL", pov_prompt_name(group->prompt));
}

static void collect_curve(collection *c, const pov_answers *answers, const pov_comfort_group *group,
                          int number)
{
    const pov_comfort_curve *curve = &pov_comfort_data_curves(answers->comfort)[number];
    const pov_reading reading = pov_comfort_group_reading(group);
    const double direction = pov_curve_direction_deg(curve->relation, reading, curve->facings);
    const int row = first_row(answers, number);
    char family[80];
    double measures[POV_CURVE_MEASURES];
    pov_curve_measure_all(measures, &curve->curve, direction, direction, pov_reading_bit(reading),
                          answers->options.comfort.formulas);
    name_family(family, group);
    name_contestant(c, group->model, group->language);
    if (row >= 0)
        pov_text_set(&c->scene, "%s\t%s\t%g\t%g", pov_report_cell(answers, row, "scene"),
                     pov_report_cell(answers, row, "variant"),
                     pov_comfort_facing_deg(curve->facings.addressee_deg),
                     pov_comfort_facing_deg(curve->facings.relatum_deg));
    else
        pov_text_set(&c->scene, "#%d\t#%d", curve->scene, curve->variant);
    pov_text_set(&c->unit, "%s\t%d", pov_text_of(&c->scene), (int)curve->relation);
    add_record(c, family, (const double[]){measures[POV_ACCURACY_TOLD], measures[POV_EPS_COSINE]});
}

static void collect_comfort(collection *c, const pov_answers *answers)
{
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        const pov_coverage mine = pov_coverage_of(group->answers);
        char family[80];
        name_family(family, group);
        name_contestant(c, group->model, group->language);
        pov_coverage *coverage = need_coverage(c, family);
        coverage->answered += mine.answered;
        coverage->asked += mine.asked;
        for (int i = group->first; i < group->first + group->len; i++)
            collect_curve(c, answers, group, i);
    }
}

/* ---- the others: a unit is a question; its scene, if the file names none, its own ---- */

static void collect_rows(collection *c, const pov_answers *answers)
{
    static const char *const keys[] = {"image_path", "image",    "text",    "question",
                                       "task",       "relation", "relatum", "asked",
                                       "frame",      "gold",     "options", "gold_relative"};
    for (int row = 0; row < pov_table_len(answers->table); row++) {
        const pov_grade *grade = &answers->scores.grades[row];
        const char *id = pov_report_cell(answers, row, "id");
        name_contestant(c, pov_report_cell(answers, row, "model"), pov_report_cell(answers, row, "language"));
        pov_coverage *coverage = need_coverage(c, "");
        coverage->asked++;
        coverage->answered += grade->kind == POV_ANSWER_GIVEN;
        if (pov_answer_is_absent(grade->kind) || isnan(grade->score))
            continue;
        pov_text_clear(&c->unit);
        for (size_t k = 0; *id == '\0' && k < sizeof keys / sizeof *keys; k++)
            pov_text_add_part(&c->unit, pov_report_cell(answers, row, keys[k]));
        if (*id)
            pov_text_add(&c->unit, "%s\t%s", id, pov_report_cell(answers, row, "task"));
        pov_text_set(&c->scene, "%s\t%s", pov_report_cell(answers, row, "scene"),
                     pov_report_cell(answers, row, "variant"));
        if (c->scene.len == 1)
            pov_text_set(&c->scene, "%s", pov_text_of(&c->unit));
        add_record(c, "", (const double[]){grade->kind == POV_ANSWER_GIVEN ? grade->score : 0, NAN});
    }
}

/* ---- what is shared ---- */

/* A family's means by contestant and unit; NaN: it has none. */
typedef struct {
    int *contestant, *unit; /* [number in the collection] here, plus 1; 0: not in the family */
    int *names;             /* [contestant here] its number in the collection */
    int *scene;             /* [unit here] its number in the collection */
    int contestants, units;
    double *values; /* [contestant][unit] */
} matrix;

static matrix matrix_of(const collection *c, int family, int measure)
{
    matrix m = {.contestant =
                    pov_allocate((size_t)pov_name_set_len(c->contestants) + 1, sizeof *m.contestant),
                .unit = pov_allocate((size_t)pov_name_set_len(c->units) + 1, sizeof *m.unit),
                .names = pov_allocate((size_t)pov_name_set_len(c->contestants) + 1, sizeof *m.names),
                .scene = pov_allocate((size_t)pov_name_set_len(c->units) + 1, sizeof *m.scene)};
    for (int i = 0; i < c->len; i++) {
        const record *r = &c->records[i];
        if (r->family != family)
            continue;
        if (m.contestant[r->contestant] == 0) {
            m.names[m.contestants] = r->contestant;
            m.contestant[r->contestant] = ++m.contestants;
        }
        if (m.unit[r->unit] == 0) {
            m.scene[m.units] = r->scene;
            m.unit[r->unit] = ++m.units;
        }
    }
    for (int i = 0; i < pov_name_set_len(c->coverage_keys); i++) { /* also who answered nothing */
        int key[2];
        memcpy(key, pov_name_set_at(c->coverage_keys, i), sizeof key);
        if (key[0] == family && m.contestant[key[1]] == 0) {
            m.names[m.contestants] = key[1];
            m.contestant[key[1]] = ++m.contestants;
        }
    }
    const size_t cells = (size_t)m.contestants * (size_t)m.units;
    double *count = pov_allocate(cells + 1, sizeof *count);
    m.values = pov_allocate(cells + 1, sizeof *m.values);
    for (int i = 0; i < c->len; i++) {
        const record *r = &c->records[i];
        if (r->family != family)
            continue;
        const size_t cell =
            (size_t)(m.contestant[r->contestant] - 1) * (size_t)m.units + (size_t)(m.unit[r->unit] - 1);
        m.values[cell] += r->value[measure];
        count[cell]++;
    }
    for (size_t i = 0; i < cells; i++)
        m.values[i] = count[i] > 0 ? m.values[i] / count[i] : NAN;
    free(count);
    return m;
}

static void matrix_free(matrix *m)
{
    free(m->contestant);
    free(m->unit);
    free(m->names);
    free(m->scene);
    free(m->values);
}

/* Means by scene over the units that all those contestants have: [place in which][scene]. Returns: how many scenes. */
static int take_shared(double *shared, const collection *c, const matrix *m, const int *which, int len)
{
    int *place = pov_allocate((size_t)pov_name_set_len(c->scenes) + 1, sizeof *place), /* plus 1; 0: none */
        *count = pov_allocate((size_t)m->units + 1, sizeof *count), scenes = 0;
    bool *all = pov_allocate((size_t)m->units + 1, sizeof *all);
    for (int u = 0; u < m->units; u++) {
        all[u] = true;
        for (int i = 0; i < len && all[u]; i++)
            all[u] = !isnan(m->values[(size_t)which[i] * (size_t)m->units + (size_t)u]);
        if (all[u] && place[m->scene[u]] == 0)
            place[m->scene[u]] = ++scenes;
        if (all[u])
            count[place[m->scene[u]] - 1]++;
    }
    for (int i = 0; i < len; i++) {
        double *mine = shared + (size_t)i * (size_t)scenes;
        memset(mine, 0, (size_t)scenes * sizeof *mine);
        for (int u = 0; u < m->units; u++)
            if (all[u])
                mine[place[m->scene[u]] - 1] += m->values[(size_t)which[i] * (size_t)m->units + (size_t)u] /
                                                count[place[m->scene[u]] - 1];
    }
    free(place);
    free(count);
    free(all);
    return scenes;
}

/* ---- tables ---- */

/* Those of a family's contestants that are compared, with what they share. */
typedef struct {
    const collection *c;
    int number;
    const char *family;
    const matrix *m;
    bool high_is_best;
    const char *measure;
    int *which; /* contestants that answered enough, in order; then the others, which have no rank */
    int len;    /* of the former */
    double *shared;
    int units;
    pov_rank *ranks;
} contest;

static void add_family(pov_sheet *sheet, const contest *k)
{
    char set[80];
    if (!k->c->is_comfort)
        return;
    const size_t length = strcspn(k->family, "\t");
    snprintf(set, sizeof set, "%.*s", (int)length, k->family);
    pov_sheet_add_text(sheet, "set", set);
    pov_sheet_add_text(sheet, "prompt", k->family + length + 1);
}

static void add_contestant(pov_sheet *sheet, const contest *k, int contestant, const char *prefix)
{
    const int number = k->m->names[contestant];
    const pov_coverage coverage = coverage_of(k->c, k->number, number);
    const char *name = pov_name_set_at(k->c->contestants, number);
    const size_t length = strcspn(name, "\t");
    char key[POV_SHEET_KEY];
    char *model = length > 0 ? pov_text_new("%.*s", (int)length, name) : pov_text_new("the model");
    snprintf(key, sizeof key, "%smodel", prefix);
    pov_sheet_add_text(sheet, key, model);
    free(model);
    snprintf(key, sizeof key, "%slanguage", prefix);
    pov_sheet_add_text(sheet, key, name + length + (name[length] == '\t'));
    char *answered = pov_text_new("%d of %d", coverage.answered, coverage.asked);
    snprintf(key, sizeof key, "%sanswered", prefix);
    pov_sheet_add_text(sheet, key, answered);
    free(answered);
}

/* `rank` NULL: none. */
static void add_ranked(pov_sheet *sheet, const contest *k, int contestant, const double *values, int scenes,
                       const pov_rank *rank)
{
    const pov_sample sample = {
        .values = values, .columns = 1, .stride = scenes, .units = scenes, .strata = 1};
    pov_bootstrap *bootstrap = pov_bootstrap_new(scenes, k->c->bootstrap);
    pov_estimate mean;
    pov_bootstrap_means(bootstrap, &mean, NULL, &sample);
    pov_bootstrap_destroy(&bootstrap);
    pov_sheet_add_row(sheet);
    add_family(sheet, k);
    pov_sheet_add_text(sheet, "measure", k->measure);
    add_contestant(sheet, k, contestant, "");
    pov_sheet_add_count(sheet, "scenes", scenes);
    pov_sheet_add_estimate(sheet, "mean", &mean);
    pov_sheet_add_number(sheet, "rank", rank ? rank->rank : NAN);
    pov_sheet_add_number(sheet, "rank_low", rank ? rank->low : NAN);
    pov_sheet_add_number(sheet, "rank_high", rank ? rank->high : NAN);
}

static void add_ranks(pov_sheet *sheet, const contest *k)
{
    for (int i = 0; i < k->len; i++)
        add_ranked(sheet, k, k->which[i], k->shared + (size_t)i * (size_t)k->units, k->units,
                   k->units > 1 ? &k->ranks[i] : NULL);
    double *own = pov_allocate((size_t)k->m->units + 1, sizeof *own);
    for (int i = k->len; i < k->m->contestants; i++)
        add_ranked(sheet, k, k->which[i], own, take_shared(own, k->c, k->m, &k->which[i], 1), NULL);
    free(own);
}

typedef struct {
    int better, other, units;
    pov_paired_test test;
} duel;

static void write_p(char text[16], double p)
{
    if (isnan(p))
        snprintf(text, 16, "-");
    else
        snprintf(text, 16, p < 0.0001 ? "<0.0001" : "%.4f", p);
}

static void add_duel(pov_sheet *sheet, const contest *k, const duel *d, double adjusted)
{
    char p[16], holm[16];
    write_p(p, d->test.p);
    write_p(holm, adjusted);
    pov_sheet_add_row(sheet);
    add_family(sheet, k);
    pov_sheet_add_text(sheet, "measure", k->measure);
    add_contestant(sheet, k, k->which[d->better], "");
    add_contestant(sheet, k, k->which[d->other], "other_");
    pov_sheet_add_count(sheet, "scenes", d->units);
    pov_sheet_add_estimate(sheet, "difference", &d->test.difference);
    pov_sheet_add_text(sheet, "p", p);
    pov_sheet_add_text(sheet, "p_holm", holm);
}

static duel fight(const contest *k, int a, int b)
{
    const int which[2] = {k->which[a], k->which[b]};
    double *shared = pov_allocate(2 * (size_t)k->m->units + 1, sizeof *shared);
    duel d = {.better = a, .other = b, .units = take_shared(shared, k->c, k->m, which, 2)};
    d.test = pov_paired_permutation(shared, shared + d.units, d.units, k->c->bootstrap);
    free(shared);
    return d;
}

/* The better first. With many contestants only the best one is tested against each other one. */
static void add_pairs(pov_sheet *sheet, const contest *k)
{
    const int n = k->len;
    duel *duels = pov_allocate((size_t)n * (size_t)n + 1, sizeof *duels);
    double *p = pov_allocate((size_t)n * (size_t)n + 1, sizeof *p);
    int len = 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            const bool is_better =
                k->ranks[a].rank < k->ranks[b].rank || (k->ranks[a].rank == k->ranks[b].rank && a < b);
            if (!is_better || (n > ALL_PAIRS_MAX && k->ranks[a].rank > 1))
                continue;
            duels[len] = fight(k, a, b);
            p[len] = duels[len].test.p;
            len++;
        }
    pov_holm_adjust(p, len); /* tests that could not be made are none */
    for (int i = 0; i < len; i++)
        add_duel(sheet, k, &duels[i], p[i]);
    free(duels);
    free(p);
}

/* Calls `add` for each family and measure in which several share units. Returns: whether there was one. */
static bool visit_contests(pov_sheet *sheet, const collection *c,
                           void (*add)(pov_sheet *sheet, const contest *k))
{
    const char *const measures[] = {c->is_comfort ? "accuracy_told" : "accuracy", "eps_cos"};
    bool any = false;
    for (int f = 0; f < pov_name_set_len(c->families); f++)
        for (int measure = 0; measure < (c->is_comfort ? 2 : 1); measure++) {
            matrix m = matrix_of(c, f, measure);
            contest k = {.c = c,
                         .number = f,
                         .family = pov_name_set_at(c->families, f),
                         .m = &m,
                         .high_is_best = measure == 0,
                         .measure = measures[measure],
                         .which = pov_allocate((size_t)m.contestants + 1, sizeof *k.which),
                         .shared =
                             pov_allocate((size_t)m.contestants * (size_t)m.units + 1, sizeof *k.shared),
                         .ranks = pov_allocate((size_t)m.contestants + 1, sizeof *k.ranks)};
            for (int pass = 0, at = 0; pass < 2; pass++)
                for (int i = 0; i < m.contestants; i++)
                    if (pov_coverage_suffices(coverage_of(c, f, m.names[i])) == (pass == 0)) {
                        k.which[at++] = i;
                        k.len += pass == 0;
                    }
            k.units = k.len > 0 ? take_shared(k.shared, c, &m, k.which, k.len) : 0;
            if (m.contestants > 1 && add) {
                if (k.units > 0)
                    pov_rank_contestants(k.ranks, k.shared, k.len, k.units, k.high_is_best, c->bootstrap);
                add(sheet, &k);
            }
            any |= m.contestants > 1;
            free(k.which);
            free(k.shared);
            free(k.ranks);
            matrix_free(&m);
        }
    return any;
}

void pov_report_add_comparison(pov_sheet *sheet, const pov_report_part *parts, int len)
{
    const pov_answers *first = parts[0].answers;
    collection c = {.families = pov_name_set_new(),
                    .contestants = pov_name_set_new(),
                    .units = pov_name_set_new(),
                    .scenes = pov_name_set_new(),
                    .coverage_keys = pov_name_set_new(),
                    .is_comfort = first->comfort != NULL,
                    .bootstrap =
                        first->comfort ? &first->options.comfort.bootstrap : &first->options.bootstrap};
    for (int i = 0; i < len && !first->visor; i++) {
        if (parts[i].answers->paper != first->paper)
            continue;
        if (c.is_comfort)
            collect_comfort(&c, parts[i].answers);
        else
            collect_rows(&c, parts[i].answers);
    }
    if (visit_contests(sheet, &c, NULL)) {
        pov_sheet_add_table(
            sheet, "ranks",
            c.is_comfort
                ? "Ranks of models and languages on the curves that all of them have; from, to: 95 % of "
                  "the bootstrap's resamples of whole scenes; no rank: of one scene, or below 90 % answered"
                : "Ranks of models on the questions that all of them answered; from, to: 95 % of the "
                  "bootstrap's resamples of scenes (of questions, where none are named); no rank: of one, or "
                  "below 90 % answered");
        visit_contests(sheet, &c, add_ranks);
        pov_sheet_add_table(
            sheet, "pairs",
            "Paired tests: the better, the other, the mean difference x100 on what both have, p of a "
            "permutation test (signs of whole scenes' differences, two-sided), p by Holm for all tests of a "
            "kind; of fewer than six scenes there is no test");
        visit_contests(sheet, &c, add_pairs);
    }
    pov_name_set_destroy(&c.families);
    pov_name_set_destroy(&c.contestants);
    pov_name_set_destroy(&c.units);
    pov_name_set_destroy(&c.scenes);
    pov_name_set_destroy(&c.coverage_keys);
    free(c.coverage);
    pov_text_free(&c.contestant);
    pov_text_free(&c.unit);
    pov_text_free(&c.scene);
    free(c.records);
}
