#include "compare/answers.h"

#include "compare/sheet_scores.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 29 };

void pov_answers_options_default(pov_answers_options *options)
{
    const pov_bootstrap_options usual = POV_BOOTSTRAP_DEFAULT;
    *options = (pov_answers_options){.paper = POV_ANSWERS_BY_COLUMNS,
                                     .comfort = POV_COMFORT_OPTIONS_DEFAULT,
                                     .convention = POV_REFLECTED,
                                     .bootstrap = usual};
    for (int i = 0; POV_YES_NO_ENGLISH.yes[i]; i++)
        options->yes[i] = POV_YES_NO_ENGLISH.yes[i];
    for (int i = 0; POV_YES_NO_ENGLISH.no[i]; i++)
        options->no[i] = POV_YES_NO_ENGLISH.no[i];
}

static bool has(const pov_table *table, const char *column)
{
    return pov_table_column(table, column) >= 0;
}

static bool asks_by_number(const pov_table *table)
{
    const char *question = pov_table_cell(table, 0, pov_table_column(table, "question"));
    return (question[0] == 'Q' || question[0] == 'q') && question[1] >= '1' && question[1] <= '7' &&
           !question[2];
}

/* COMFORT where nothing tells: its reader says what is missing. */
static int paper_of(const pov_table *table)
{
    if (has(table, "phi_deg") || has(table, "prompt"))
        return POV_ANSWERS_COMFORT;
    if (has(table, "gold_relative") || has(table, "gold_frame"))
        return POV_PAPER_FOREST;
    if (has(table, "gold") && asks_by_number(table))
        return POV_PAPER_VPT;
    if (has(table, "gold") && has(table, "relation"))
        return POV_PAPER_VSR;
    return has(table, "gold") ? POV_PAPER_SPHERE : POV_ANSWERS_COMFORT;
}

static pov_status fill_tables(pov_answers *answers, const pov_answers_options *options)
{
    int groups = pov_comfort_data_groups(answers->comfort);
    if (groups == 0)
        return pov_error("%s: holds no answer to a question about a relation", answers->path);
    answers->tables = calloc((size_t)groups, sizeof *answers->tables);
    if (!answers->tables)
        return pov_error("out of memory for %d groups", groups);
    return pov_comfort_tables_fill(answers->tables, answers->comfort, &options->comfort, options->convention);
}

static pov_status read_layout(pov_answers *answers, const pov_answers_options *options)
{
    answers->paper = POV_ANSWERS_COMFORT;
    POV_TRY(pov_comfort_data_parse(&answers->comfort, answers->path, (const char *)answers->bytes.data,
                                   answers->bytes.length));
    return fill_tables(answers, options);
}

static pov_status read_table(pov_answers *answers, const pov_answers_options *options)
{
    const pov_yes_no_words words = {options->yes, options->no};
    POV_TRY(pov_table_parse(&answers->table, answers->path, (const char *)answers->bytes.data,
                            answers->bytes.length));
    if (pov_table_len(answers->table) == 0)
        return pov_error("%s: has no answers", answers->path);
    answers->paper = options->paper == POV_ANSWERS_BY_COLUMNS ? paper_of(answers->table) : options->paper;
    if (answers->paper != POV_ANSWERS_COMFORT && options->comfort.formulas == POV_FORMULAS_RELEASED)
        return pov_error("%s: --released is about COMFORT's formulas; these are answers of '%s'",
                         answers->path, pov_paper_name((pov_paper)answers->paper));
    if (answers->paper != POV_ANSWERS_COMFORT)
        return pov_paper_scores_new(&answers->scores, (pov_paper)answers->paper, answers->table, &words,
                                    &options->bootstrap);
    POV_TRY(pov_comfort_data_new(&answers->comfort, answers->table, &words));
    return fill_tables(answers, options);
}

const char *pov_answers_paper_name(const pov_answers *answers)
{
    return answers->paper == POV_ANSWERS_COMFORT ? "comfort" : pov_paper_name((pov_paper)answers->paper);
}

static pov_status read_bytes(pov_answers *answers, const pov_answers_options *options)
{
    const char *text = (const char *)answers->bytes.data;
    bool may_be_layout = options->paper >= POV_ANSWERS_COMFORT;
    if (may_be_layout && pov_comfort_data_is_layout(text, answers->bytes.length))
        return read_layout(answers, options);
    return read_table(answers, options);
}

static void fill_sheet(pov_answers *answers)
{
    if (answers->paper == POV_ANSWERS_COMFORT)
        pov_sheet_add_comfort(answers->sheet, answers->comfort, answers->tables);
    else
        pov_sheet_add_paper(answers->sheet, (pov_paper)answers->paper, &answers->scores);
}

pov_status pov_answers_read(pov_answers *answers, const char *path, const pov_answers_options *options)
{
    *answers = (pov_answers){.path = path, .options = *options};
    pov_status status = pov_read_file(&answers->bytes, path, BYTES_MAX, "a file of answers");
    if (status.code == POV_OK)
        status = read_bytes(answers, options);
    if (status.code == POV_OK)
        status = pov_sheet_new(&answers->sheet);
    if (status.code == POV_OK)
        fill_sheet(answers);
    else
        pov_answers_free(answers);
    return status;
}

void pov_answers_free(pov_answers *answers)
{
    pov_sheet_destroy(&answers->sheet);
    pov_comfort_data_destroy(&answers->comfort);
    free(answers->tables);
    pov_paper_scores_free(&answers->scores);
    pov_table_destroy(&answers->table);
    pov_bytes_free(&answers->bytes);
    *answers = (pov_answers){.path = NULL};
}
