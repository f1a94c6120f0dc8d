#include "compare/report/report_cases.h"

#include "compare/report/report_internal.h"
#include "compare/tables/table.h"
#include "config/files/grow.h"
#include "config/files/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *pov_report_image_base(const pov_answers *answers)
{
    return answers->table && pov_table_sources(answers->table) > 1 ? "" : answers->path;
}

const char *pov_report_image(const pov_answers *answers, int row)
{
    const char *path = pov_report_cell(answers, row, "image_path");
    return *path ? path : pov_report_cell(answers, row, "image");
}

const char *pov_report_cell(const pov_answers *answers, int row, const char *column)
{
    if (!answers->table || row < 0)
        return "";
    return pov_table_cell(answers->table, row, pov_table_column(answers->table, column));
}

/* The station's probability, if the file has one and it does not contradict what is scored as right. */
static double geometry_of(const pov_answers *answers, int row, double right)
{
    double p;
    int column = answers->table ? pov_table_column(answers->table, "gold_p") : -1;
    if (row < 0 || pov_cell_number(&p, answers->table, row, column, 0, 1).code != POV_OK || isnan(p) ||
        (p > 0.5) != (right > 0.5))
        return right;
    return p;
}

static void judge_p(pov_report_case *one, double clearness)
{
    one->is_scored = !one->is_untold && !isnan(one->p) && !isnan(one->p_geometry);
    one->error = one->is_scored ? fabs(one->p - one->p_geometry) : 0;
    one->is_wrong = one->is_scored && (one->p > 0.5) != (one->p_geometry > 0.5);
    one->clearness = clearness;
}

/* ---- COMFORT ---- */

static const pov_comfort_group *group_of(const pov_answers *answers, int curve)
{
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        if (curve < group->first + group->len)
            return group;
    }
    return NULL;
}

static double theta_deg(const pov_answers *answers, const pov_report_case *one, pov_reading reading)
{
    const pov_comfort_curve *curve = &pov_comfort_data_curves(answers->comfort)[one->curve];
    return one->sample * POV_CURVE_STEP_DEG -
           pov_curve_direction_deg(curve->relation, reading, curve->facings);
}

static void take_sample(pov_report_case *one, const pov_answers *answers, const pov_comfort_group *group)
{
    const pov_reading reading = pov_comfort_group_reading(group);
    double theta = theta_deg(answers, one, reading);
    const pov_curve *curve = &pov_comfort_data_curves(answers->comfort)[one->curve].curve;
    one->row = pov_comfort_data_row(answers->comfort, one->curve, one->sample);
    one->p = curve->p[one->sample];
    one->kind = isnan(one->p) ? POV_ANSWER_MISSING : POV_ANSWER_GIVEN;
    one->p_geometry = isnan(theta) ? NAN : geometry_of(answers, one->row, pov_reference_hemisphere(theta));
    one->is_untold = !isnan(one->p) && !isnan(theta) &&
                     !pov_curve_is_told(curve, one->sample, pov_reference_cosine(theta),
                                        pov_reading_bit(reading), answers->options.comfort.formulas);
    judge_p(one, fabs(cos(theta * POV_PI / 180)));
}

static void take_samples(pov_report_cases *cases, const pov_answers *answers)
{
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        const int end = POV_CURVE_SAMPLES * (group->first + group->len);
        for (int i = POV_CURVE_SAMPLES * group->first; i < end; i++) {
            cases->all[i].curve = i / POV_CURVE_SAMPLES;
            cases->all[i].sample = i % POV_CURVE_SAMPLES;
            take_sample(&cases->all[i], answers, group);
        }
        for (int k = 0; k < POV_ANSWER_KINDS; k++)
            cases->answers[k] += group->answers[k];
    }
    for (int g = 0; g < pov_comfort_data_presences(answers->comfort); g++)
        for (int k = 0; k < POV_ANSWER_KINDS; k++)
            cases->answers[k] += pov_comfort_data_presence(answers->comfort, g)->answers[k];
}

/* ---- the others ---- */

static void take_row(pov_report_case *one, const pov_answers *answers)
{
    const pov_grade *grade = &answers->scores.grades[one->row];
    double p;
    int gold, column = pov_table_column(answers->table, "p_true");
    one->kind = grade->kind;
    if (answers->paper == POV_PAPER_VSR) {
        if (pov_cell_number(&p, answers->table, one->row, column, 0, 1).code == POV_OK)
            one->p = p;
        if (pov_cell_word(&gold, answers->table, one->row, pov_table_column(answers->table, "gold"),
                          POV_WORDS_TRUTH)
                .code == POV_OK)
            one->p_geometry = geometry_of(answers, one->row, gold);
    }
    if (!isnan(one->p)) {
        judge_p(one, 1);
        return;
    }
    one->is_untold = isnan(grade->score); /* a layout of front and back */
    if (one->is_untold)
        return;
    one->is_scored = !pov_answer_is_absent(grade->kind);
    one->error = grade->kind == POV_ANSWER_GIVEN ? 1 - grade->score : one->is_scored;
    one->is_wrong = one->error > 0;
    one->clearness = grade->kind == POV_ANSWER_GIVEN;
}

/* The column that tells a paper's kinds of questions. */
static const char *kind_column(const pov_answers *answers)
{
    static const char *const keys[] = {"relatum", "relation", "question"};
    return answers->paper < POV_PAPER_SPHERE ? keys[answers->paper] : "task";
}

/* Answers in words are right or wrong, and most errors are equal: the first of each model and task comes before the second
 * of any. */
static void order_equals(pov_report_cases *cases, const pov_answers *answers)
{
    pov_name_set *labels = pov_name_set_new();
    pov_text label = {0};
    int *count = pov_allocate((size_t)cases->len + 1, sizeof *count);
    for (int i = 0; i < cases->len; i++) {
        pov_report_case *one = &cases->all[i];
        if (!one->is_wrong || !isnan(one->p))
            continue;
        pov_text_set(&label, "%s\t%s", pov_report_cell(answers, i, "model"),
                     pov_report_cell(answers, i, kind_column(answers)));
        one->clearness /= 1 + count[pov_name_set_add(labels, pov_text_of(&label), label.len)]++;
    }
    pov_text_free(&label);
    pov_name_set_destroy(&labels);
    free(count);
}

static void take_rows(pov_report_cases *cases, const pov_answers *answers)
{
    for (int i = 0; i < cases->len; i++) {
        cases->all[i] = (pov_report_case){.row = i, .p = NAN, .p_geometry = NAN};
        take_row(&cases->all[i], answers);
        cases->answers[cases->all[i].kind]++;
    }
    order_equals(cases, answers);
}

/* ---- pictures ---- */

static void take_pictures(pov_report_cases *cases, const pov_answers *answers)
{
    for (int i = 0; i < cases->len; i++) {
        const pov_picture *picture = pov_visor_picture(answers->visor, i);
        const bool right = pov_visor_is_right(answers->visor, picture),
                   both = picture->shows.has_locatum && picture->shows.has_relatum;
        cases->all[i] = (pov_report_case){.row = picture->row,
                                          .picture = i,
                                          .kind = POV_ANSWER_GIVEN,
                                          .p = NAN,
                                          .p_geometry = NAN,
                                          .is_scored = true,
                                          .is_wrong = !right,
                                          .error = !right,
                                          .clearness = both ? 1 : 0.5};
    }
}

/* ---- the worst ---- */

static bool is_worse(const pov_report_cases *cases, int a, int b)
{
    const pov_report_case *one = &cases->all[a], *other = &cases->all[b];
    if (fabs(one->error - other->error) > 1e-9)
        return one->error > other->error;
    return fabs(one->clearness - other->clearness) > 1e-9 ? one->clearness > other->clearness : a < b;
}

/* Keeps the `max` worst, in order. */
static void find_worst(pov_report_cases *cases, int max)
{
    for (int i = 0; i < cases->len; i++) {
        cases->scored += cases->all[i].is_scored;
        cases->wrong += cases->all[i].is_wrong;
        cases->untold += cases->all[i].is_untold;
        if (!cases->all[i].is_wrong ||
            (cases->worst_len == max && !is_worse(cases, i, cases->worst[max - 1])))
            continue;
        int place = cases->worst_len < max ? cases->worst_len++ : max - 1;
        for (; place > 0 && is_worse(cases, i, cases->worst[place - 1]); place--)
            cases->worst[place] = cases->worst[place - 1];
        cases->worst[place] = i;
    }
}

void pov_report_cases_new(pov_report_cases *cases, const pov_answers *answers, int worst_max)
{
    POV_REQUIRE(worst_max > 0);
    *cases = (pov_report_cases){.len = answers->comfort
                                           ? POV_CURVE_SAMPLES * pov_comfort_data_len(answers->comfort)
                                       : answers->visor ? pov_visor_pictures(answers->visor)
                                                        : pov_table_len(answers->table)};
    cases->all = pov_allocate((size_t)cases->len + 1, sizeof *cases->all);
    cases->worst = pov_allocate((size_t)worst_max, sizeof *cases->worst);
    if (answers->comfort)
        take_samples(cases, answers);
    else if (answers->visor)
        take_pictures(cases, answers);
    else
        take_rows(cases, answers);
    find_worst(cases, worst_max);
}

void pov_report_cases_free(pov_report_cases *cases)
{
    free(cases->all);
    free(cases->worst);
    *cases = (pov_report_cases){.all = NULL};
}

/* ---- in words ---- */

static void append_text(pov_text *text, const char *separator, const char *more)
{
    if (*more != '\0')
        pov_text_add(text, "%s%s", text->len > 0 ? separator : "", more);
}

static void describe_readings(pov_report_words *words, const pov_answers *answers, const pov_report_case *one)
{
    const pov_preference *all = &answers->tables[0].preference[POV_PREFER_READING];
    for (int k = 0; k < all->len; k++) {
        double theta = theta_deg(answers, one, all->reading[k]);
        if (!isnan(theta) && (pov_reference_hemisphere(theta) > 0.5) == (one->p > 0.5))
            append_text(&words->right_in, "; ", pov_report_reading_words(k));
    }
}

static void compose_question(pov_text *question, const pov_answers *answers, const pov_report_case *one)
{
    static const char *const viewers[POV_PROMPT_COUNT] = {"", ", for the camera", ", for the addressee",
                                                          ", for the relatum"};
    static const char *const relations[POV_COMFORT_RELATIONS] = {"left of", "right of", "in front of",
                                                                 "behind"};
    const pov_comfort_curve *curve = &pov_comfort_data_curves(answers->comfort)[one->curve];
    const char *scene = pov_report_cell(answers, one->row, "scene"),
               *variant = pov_report_cell(answers, one->row, "variant");
    pov_text_set(question, "Referent %s relatum%s? (%s%s%s%s%d°)", relations[curve->relation],
                 viewers[group_of(answers, one->curve)->prompt], scene, *scene ? ", " : "", variant,
                 *variant ? ", " : "", one->sample * POV_CURVE_STEP_DEG);
}

static void describe_comfort(pov_report_words *words, const pov_answers *answers, const pov_report_case *one)
{
    if (words->question.len == 0)
        compose_question(&words->question, answers, one);
    pov_text_set(&words->gold, "%s",
                 one->is_untold          ? "geometry cannot tell"
                 : one->p_geometry > 0.5 ? "yes"
                                         : "no");
    if (one->is_scored)
        describe_readings(words, answers, one);
}

static void describe_caption(pov_report_words *words, const pov_caption *caption)
{
    static const char *const relations[] = {"left of", "right of", "in front of", "behind"};
    static const char *const places[] = {"left", "right", "in front", "behind"};
    const pov_caption_readings readings = pov_caption_read(caption);
    if (*caption->text)
        pov_text_set(&words->question, "%s", caption->text);
    else
        pov_text_set(&words->question, "The %s is %s the %s.", caption->locatum, relations[caption->relation],
                     caption->relatum);
    for (int i = POV_LEFT_OF; i <= POV_BEHIND; i++)
        if ((readings.relative | readings.intrinsic) >> i & 1)
            append_text(&words->gold, " or ", places[i]);
    append_text(&words->gold, ", ", "for the camera");
}

static void describe_layout(pov_report_words *words, const pov_answers *answers, const pov_report_case *one,
                            const pov_caption *caption)
{
    describe_caption(words, caption);
    if (words->answer.len == 0)
        pov_text_set(&words->answer, "%s", pov_report_cell(answers, one->row, "layout"));
}

static void describe_picture(pov_report_words *words, const pov_answers *answers, const pov_report_case *one)
{
    const pov_picture *picture = pov_visor_picture(answers->visor, one->picture);
    const pov_caption *caption = pov_captions_at(pov_visor_captions(answers->visor), picture->caption);
    const bool has[] = {picture->shows.has_locatum, picture->shows.has_relatum};
    const char *names[] = {caption->locatum, caption->relatum};
    describe_caption(words, caption);
    for (int i = 0; i < 2; i++)
        if (!has[i]) {
            append_text(&words->answer, ", ", "no");
            append_text(&words->answer, " ", names[i]);
        }
    if (words->answer.len == 0)
        pov_text_set(&words->answer, "both things, %s", one->is_wrong ? "elsewhere" : "so");
    if (*words->image == '\0')
        pov_text_add(&words->question, " (%s, picture %d)", caption->id, picture->number);
}

static void describe_row(pov_report_words *words, const pov_answers *answers, const pov_report_case *one)
{
    static const char *const papers[][2] = {
        {"relatum", "asked"}, {"relation", NULL}, {"question", NULL}, {"task", "options"}};
    const char *const *keys = papers[answers->paper < POV_PAPER_CHOICES ? answers->paper : POV_PAPER_SPHERE];
    const char *frame = pov_report_cell(answers, one->row, "frame"), *gold;
    for (int k = 0; words->question.len == 0 && k < 2; k++)
        if (keys[k])
            append_text(&words->question, ": ", pov_report_cell(answers, one->row, keys[k]));
    gold = pov_report_cell(answers, one->row, "gold");
    if (answers->paper == POV_PAPER_FOREST) {
        pov_text_set(&words->gold, "%s", pov_report_cell(answers, one->row, "gold_frame"));
        append_text(&words->gold, "", pov_report_cell(answers, one->row, "gold_relative"));
        append_text(&words->gold, " | ", pov_report_cell(answers, one->row, "gold_intrinsic"));
    } else {
        pov_text_set(&words->gold, "%s", gold);
    }
    if (answers->paper == POV_PAPER_VSR && one->is_wrong && strcmp(frame, "relative_only") == 0)
        pov_text_set(&words->right_in, "the relatum's own");
    if (answers->paper == POV_PAPER_VSR && one->is_wrong && strcmp(frame, "intrinsic_only") == 0)
        pov_text_set(&words->right_in, "the viewer's");
}

void pov_report_case_describe(pov_report_words *words, const pov_answers *answers, const pov_report_case *one)
{
    const char *asked = pov_report_cell(answers, one->row, "text");
    if (*asked == '\0' && answers->paper != POV_PAPER_VPT)
        asked = pov_report_cell(answers, one->row, "question");
    *words = (pov_report_words){.image = pov_report_image(answers, one->row)};
    pov_text_set(&words->question, "%s", asked);
    pov_text_set(&words->answer, "%s", pov_report_cell(answers, one->row, "answer"));
    if (words->answer.len == 0 && !isnan(one->p))
        pov_text_set(&words->answer, "%s", one->p > 0.5 ? "yes" : "no");
    const int caption = answers->captions && !answers->visor
                            ? pov_captions_find(answers->captions, pov_report_cell(answers, one->row, "id"))
                            : -1;
    if (answers->comfort)
        describe_comfort(words, answers, one);
    else if (answers->visor)
        describe_picture(words, answers, one);
    else if (caption >= 0)
        describe_layout(words, answers, one, pov_captions_at(answers->captions, caption));
    else
        describe_row(words, answers, one);
}

char *pov_report_case_line(const pov_report_words *words, const pov_answers *answers,
                           const pov_report_case *one)
{
    pov_text line = {0};
    if (answers->comfort)
        pov_text_add(&line, "%d°: ", one->sample * POV_CURVE_STEP_DEG);
    pov_text_add(&line, "%s",
                 words->answer.len > 0 ? pov_text_of(&words->answer) : pov_answer_kind_name(one->kind));
    if (!isnan(one->p))
        pov_text_add(&line, " (%.0f\u00a0%%)", 100 * fmax(one->p, 1 - one->p));
    return pov_text_take(&line);
}

/* ---- wrong answers of a kind ---- */

/* What they have in common: of yes-or-no answers about curves the question and the answer, of others the words, too. */
static void compose_kind(pov_text *key, const pov_answers *answers, const pov_report_case *one)
{
    pov_text_clear(key);
    if (answers->comfort) {
        const pov_comfort_curve *curve = &pov_comfort_data_curves(answers->comfort)[one->curve];
        const int common[] = {
            (int)(group_of(answers, one->curve) - pov_comfort_data_group(answers->comfort, 0)),
            curve->relation, one->p > 0.5};
        pov_text_add_bytes(key, (const char *)common, sizeof common);
        pov_text_add_part(key, pov_report_cell(answers, one->row, "viewer"));
        return;
    }
    pov_text_add_part(key, pov_report_cell(answers, one->row, "model"));
    if (answers->visor) {
        pov_report_words words;
        pov_report_case_describe(&words, answers, one);
        pov_text_add_part(key, pov_text_of(&words.answer));
        pov_report_words_free(&words);
        return;
    }
    pov_text_add_part(key, pov_report_cell(answers, one->row, kind_column(answers)));
    pov_text_add_part(key, pov_report_cell(answers, one->row, "answer"));
    pov_text_add_part(key, pov_report_cell(answers, one->row, "gold"));
}

static void name_kind(pov_report_kind *kind, const pov_answers *answers, const pov_report_case *one)
{
    static const char *const relations[POV_COMFORT_RELATIONS] = {"left", "right", "in front", "behind"};
    static const char *const viewers[POV_PROMPT_COUNT] = {"from no viewpoint", "from the camera",
                                                          "from the addressee", "from the relatum itself"};
    if (answers->comfort) {
        const pov_comfort_group *group = group_of(answers, one->curve);
        const pov_comfort_curve *curve = &pov_comfort_data_curves(answers->comfort)[one->curve];
        const char *viewer = pov_report_cell(answers, one->row, "viewer");
        pov_text_set(&kind->asked, "Asked: %s, %s%s.", relations[curve->relation],
                     *viewer ? "from the " : viewers[group->prompt], viewer);
        pov_text_set(&kind->model, "%s, %s", *group->model ? group->model : "Model", group->language);
        return;
    }
    pov_report_words words;
    const char *model = pov_report_cell(answers, one->row, "model");
    pov_report_case_describe(&words, answers, one);
    pov_text_set(&kind->asked, "Asked: %s", pov_text_of(&words.question));
    pov_text_set(&kind->model, "%s", *model ? model : "Model");
    pov_report_words_free(&words);
}

/* Keeps the worst of different images. */
static void show_case(pov_report_kind *kind, const pov_report_cases *cases, const pov_answers *answers,
                      int number)
{
    const char *image = pov_report_image(answers, cases->all[number].row);
    int place = kind->shown_len;
    for (int i = 0; i < kind->shown_len; i++)
        if (*image && strcmp(pov_report_image(answers, cases->all[kind->shown[i]].row), image) == 0)
            return;
    while (place > 0 && is_worse(cases, number, kind->shown[place - 1]))
        place--;
    if (place == POV_REPORT_ALIKE_MAX)
        return;
    kind->shown_len += kind->shown_len < POV_REPORT_ALIKE_MAX;
    memmove(kind->shown + place + 1, kind->shown + place,
            (size_t)(kind->shown_len - 1 - place) * sizeof *kind->shown);
    kind->shown[place] = number;
}

typedef struct {
    int len, first, number; /* number: of the kind */
} kind_count;

static int compare_counts(const void *a, const void *b)
{
    const kind_count *one = a, *other = b;
    return one->len != other->len ? (one->len < other->len ? 1 : -1)
                                  : (one->number > other->number) - (one->number < other->number);
}

void pov_report_kinds_new(pov_report_kinds *kinds, const pov_report_cases *cases, const pov_answers *answers)
{
    pov_name_set *names = pov_name_set_new();
    kind_count *counts = NULL;
    int capacity = 0, *kind_of = pov_allocate((size_t)cases->len + 1, sizeof *kind_of);
    pov_text key = {0};
    *kinds = (pov_report_kinds){.len = 0};
    for (int i = 0; i < cases->len; i++) {
        kind_of[i] = -1;
        if (!cases->all[i].is_wrong)
            continue;
        compose_kind(&key, answers, &cases->all[i]);
        const int len = pov_name_set_len(names), number = pov_name_set_add(names, pov_text_of(&key), key.len);
        POV_REQUIRE_MEMORY(pov_grow(&counts, &capacity, number, sizeof *counts));
        if (number == len)
            counts[number] = (kind_count){.first = i, .number = number};
        counts[number].len++;
        kind_of[i] = number;
    }
    kinds->all = pov_name_set_len(names);
    if (kinds->all > 0)
        qsort(counts, (size_t)kinds->all, sizeof *counts, compare_counts);
    for (; kinds->len < kinds->all && kinds->len < POV_REPORT_KINDS_MAX; kinds->len++) {
        pov_report_kind *kind = &kinds->at[kinds->len];
        kind->len = counts[kinds->len].len;
        for (int i = 0; i < cases->len; i++)
            if (kind_of[i] == counts[kinds->len].number)
                show_case(kind, cases, answers, i);
        name_kind(kind, answers, &cases->all[kind->shown[0]]);
    }
    free(counts);
    free(kind_of);
    pov_text_free(&key);
    pov_name_set_destroy(&names);
}

void pov_report_kinds_free(pov_report_kinds *kinds)
{
    for (int i = 0; i < kinds->len; i++) {
        pov_text_free(&kinds->at[i].asked);
        pov_text_free(&kinds->at[i].model);
    }
    kinds->len = 0;
}

void pov_report_words_free(pov_report_words *words)
{
    pov_text_free(&words->question);
    pov_text_free(&words->answer);
    pov_text_free(&words->gold);
    pov_text_free(&words->right_in);
}
