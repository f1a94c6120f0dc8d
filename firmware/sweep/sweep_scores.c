#include "firmware/sweep/sweep_scores.h"

#include "compare/log/answer_log.h"
#include "compare/scoring/answers.h"
#include "compare/scoring/flip_sheets.h"
#include "compare/scoring/people.h"
#include "compare/statistics/tally.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "firmware/cli.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const pov_bootstrap_options bootstrap = POV_BOOTSTRAP_DEFAULT;

/* ---- papers ---- */

static pov_status print_paper(pov_answer_log *log, pov_sheet *sheet, int paper)
{
    pov_answers_options options;
    pov_answers answers;
    pov_answers_options_default(&options);
    options.paper = paper;
    pov_status status = pov_answers_read_log(&answers, "the log", log, &options);
    if (status.code == POV_UNDEFINED)
        return pov_ok();
    if (status.code == POV_OK) {
        pov_answers_add_tables(sheet, &answers);
        pov_answers_free(&answers);
    }
    return status;
}

/* ---- agreement ---- */

/* Both tallies have the same labels, so the same groups: "model<TAB>questions<TAB>of". */
typedef struct {
    pov_tally *station, *truth;
    pov_log_scene scene; /* of the log that is read */
} agreement;

static bool is_yes_no(const pov_log_question *question)
{
    return strcmp(question->form, "yes_no") == 0 || strcmp(question->form, "true_false") == 0;
}

static pov_grade grade_of(const pov_log_result *result, const char *gold)
{
    pov_grade grade = {.kind = POV_ANSWER_MISSING, .chance = 0.5};
    if (!gold)
        return grade;
    if (isnan(result->p)) {
        grade.kind = pov_answer_kind_said(result->kind);
        return grade;
    }
    const bool yes = strcmp(gold, "yes") == 0 || strcmp(gold, "true") == 0;
    grade.kind = POV_ANSWER_GIVEN;
    grade.score = (result->p > 0.5) == yes;
    return grade;
}

static void add_to(agreement *a, const pov_answer_row *row, const char *of)
{
    const pov_grade station = grade_of(&row->result, row->question.gold);
    const pov_grade truth = grade_of(&row->result, row->question.truth);
    pov_text label = {0};
    const char *condition = strchr(row->question.language, '+'); /* "en+facts+cot" */
    char *model = pov_text_new("%s%s%s", row->model, condition ? " " : "", condition ? condition : "");
    pov_text_add_part(&label, model);
    free(model);
    pov_text_add_part(&label, row->question.paper);
    pov_text_add_part(&label, of);
    const char *scene = pov_log_scene_of(&a->scene, &row->image);
    pov_tally_add(a->station, pov_text_of(&label), "", scene, &station);
    pov_tally_add(a->truth, pov_text_of(&label), "", scene, &truth);
    pov_text_free(&label);
}

static pov_status add_row(void *context, pov_answer_row *row)
{
    agreement *a = context;
    if (!row->has_result || !is_yes_no(&row->question))
        return pov_ok();
    cJSON *columns = row->question.columns ? pov_json_parse_text(row->question.columns) : NULL;
    const cJSON *prompt = cJSON_GetObjectItem(columns, "prompt"),
                *task = cJSON_GetObjectItem(columns, "task");
    const cJSON *of = cJSON_IsString(prompt) ? prompt : task;
    add_to(a, row, "all");
    add_to(a, row, cJSON_IsString(of) ? of->valuestring : "-");
    cJSON_Delete(columns);
    return pov_ok();
}

static void print_label(pov_sheet *sheet, const char *label)
{
    static const char *const keys[] = {"model", "questions", "of"};
    char *copy = pov_text_new("%s", label), *at = copy;
    for (int i = 0; i < 3; i++)
        pov_sheet_add_text(sheet, keys[i], strsep(&at, "\t"));
    free(copy);
}

static void print_agreement(pov_sheet *sheet, const agreement *a)
{
    pov_sheet_add_table(sheet, "agreement",
                        "Yes or no as the station judges, and in a simulation as is true (x100).\n"
                        "missing: no answer, or the station abstains; scenes: a rotation is one");
    for (int g = 0; g < pov_tally_len(a->station); g++) {
        pov_tally_row station, truth;
        pov_tally_at(a->station, &station, g);
        pov_tally_at(a->truth, &truth, g);
        pov_sheet_add_row(sheet);
        print_label(sheet, station.label);
        pov_sheet_add_estimate(sheet, "station", &station.score);
        pov_sheet_add_estimate(sheet, "truth", &truth.score);
        pov_sheet_add_count(sheet, "scenes", station.score.n);
        for (int k = 0; k < POV_ANSWER_KINDS; k++)
            pov_sheet_add_count(sheet, pov_answer_kind_name((pov_answer_kind)k), station.answers[k]);
    }
}

static pov_status print_agreements(pov_answer_log *const *logs, int len, pov_sheet *sheet, int units_max)
{
    agreement a = {.station = pov_tally_new(units_max, &bootstrap),
                   .truth = pov_tally_new(units_max, &bootstrap)};
    pov_status status = pov_ok();
    for (int i = 0; i < len && status.code == POV_OK; i++) {
        status = pov_answer_log_scene(logs[i], &a.scene);
        POV_THEN(status, pov_answer_log_each(logs[i], add_row, &a));
    }
    if (status.code == POV_OK && pov_tally_len(a.station) > 0)
        print_agreement(sheet, &a);
    pov_tally_destroy(&a.station);
    pov_tally_destroy(&a.truth);
    return status;
}

pov_status pov_sweep_agreement_print(pov_answer_log *const *logs, int len, pov_sheet *sheet)
{
    int64_t rows = 0, of_log;
    for (int i = 0; i < len; i++) {
        POV_TRY(pov_answer_log_results(logs[i], &of_log));
        rows += of_log;
    }
    if (rows > INT32_MAX / 4)
        return pov_error("%lld answers are more than one report takes", (long long)rows);
    if (rows == 0)
        return pov_ok();
    POV_TRY(print_agreements(logs, len, sheet, (int)(2 * rows)));
    return pov_people_agreement(sheet, logs, len);
}

static pov_status add_scores(pov_answer_log *log, pov_sheet *sheet)
{
    POV_TRY(print_paper(log, sheet, POV_ANSWERS_COMFORT));
    for (int paper = 0; paper < POV_PAPER_COUNT; paper++)
        POV_TRY(print_paper(log, sheet, paper));
    POV_TRY(pov_flip_sheets_add(&log, 1, sheet, true));
    return pov_sweep_agreement_print(&log, 1, sheet);
}

pov_status pov_sweep_scores_print(pov_answer_log *log, FILE *stream, bool json)
{
    pov_sheet *sheet = pov_sheet_new();
    const pov_status status = add_scores(log, sheet);
    if (status.code == POV_OK)
        pov_sheet_write(sheet, stream, json);
    pov_sheet_destroy(&sheet);
    return status;
}
