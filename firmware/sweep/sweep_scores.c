#include "firmware/sweep/sweep_scores.h"

#include "compare/log/answer_log.h"
#include "compare/scoring/agreement.h"
#include "compare/scoring/answers.h"
#include "compare/scoring/flip_sheets.h"
#include "compare/scoring/people.h"
#include "compare/scoring/votes.h"
#include "config/files/json_value.h"
#include "firmware/cli.h"

#include <cJSON.h>

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

typedef struct {
    pov_agreement *agreement;
    pov_flip_sheets *flips;
    pov_people_agreement *people; /* NULL: nobody has answered */
    pov_votes *votes;
    pov_log_scene scene;
} agreement_reader;

static pov_status add_row(void *context, pov_answer_row *row)
{
    agreement_reader *r = context;
    cJSON *columns = row->question.columns ? pov_json_parse_text(row->question.columns) : NULL;
    const char *prompt = cJSON_GetStringValue(cJSON_GetObjectItem(columns, "prompt")),
               *task = cJSON_GetStringValue(cJSON_GetObjectItem(columns, "task"));
    pov_agreement_add(r->agreement, row, pov_log_scene_of(&r->scene, &row->image), prompt ? prompt : task);
    cJSON_Delete(columns);
    pov_flip_sheets_take(r->flips, row, NULL);
    pov_votes_add(r->votes, row);
    if (r->people)
        pov_people_agreement_add(r->people, row);
    return pov_ok();
}

static pov_status print_flips_and_agreement(pov_answer_log *log, pov_sheet *sheet)
{
    agreement_reader r = {.agreement = NULL};
    bool has_people;
    POV_TRY(pov_answer_log_scene(log, &r.scene));
    POV_TRY(pov_people_have_answered(&has_people, log));
    r.people = has_people ? pov_people_agreement_new() : NULL;
    r.agreement = pov_agreement_new();
    r.flips = pov_flip_sheets_new();
    r.votes = pov_votes_new();
    const pov_status status = pov_answer_log_each(log, add_row, &r);
    if (status.code == POV_OK) {
        pov_flip_sheets_print(r.flips, sheet, true, NULL);
        pov_agreement_print(r.agreement, sheet);
        if (r.people)
            pov_people_agreement_print(r.people, sheet);
        pov_votes_print(r.votes, sheet);
    }
    pov_people_agreement_destroy(&r.people);
    pov_votes_destroy(&r.votes);
    pov_agreement_destroy(&r.agreement);
    pov_flip_sheets_destroy(&r.flips);
    return status;
}

static pov_status add_scores(pov_answer_log *log, pov_sheet *sheet)
{
    POV_TRY(print_paper(log, sheet, POV_ANSWERS_COMFORT));
    for (int paper = 0; paper < POV_PAPER_COUNT; paper++)
        POV_TRY(print_paper(log, sheet, paper));
    return print_flips_and_agreement(log, sheet);
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
