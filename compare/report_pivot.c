/* The papers' shape: a row for each model, a column for each task. */
#include "compare/report_internal.h"

#include <math.h>
#include <string.h>

typedef struct {
    const pov_sheet_table *scores;
    int model, by, value, measure; /* columns */
} source;

static const char *text_at(const source *s, int row, int column)
{
    return s->scores->rows[row][column].text;
}

static int row_of(const source *s, const char *model, const char *by, const char *value)
{
    for (int row = 0; row < s->scores->len; row++)
        if (strcmp(text_at(s, row, s->model), model) == 0 && strcmp(text_at(s, row, s->by), by) == 0 &&
            strcmp(text_at(s, row, s->value), value) == 0)
            return row;
    return -1;
}

static bool is_first_of_model(const source *s, int row)
{
    for (int i = 0; i < row; i++)
        if (strcmp(text_at(s, i, s->model), text_at(s, row, s->model)) == 0)
            return false;
    return true;
}

static bool is_first_of_value(const source *s, int row)
{
    for (int i = 0; i < row; i++)
        if (strcmp(text_at(s, i, s->by), text_at(s, row, s->by)) == 0 &&
            strcmp(text_at(s, i, s->value), text_at(s, row, s->value)) == 0)
            return false;
    return true;
}

static void add_cell(pov_sheet *pivots, const source *s, const char *model, const char *by, const char *value)
{
    const pov_estimate none = {NAN, NAN, NAN, 0};
    int row = row_of(s, model, by, value);
    pov_sheet_add_estimate(pivots, *value ? value : by,
                           row < 0 ? &none : &s->scores->rows[row][s->measure].estimate);
}

static void add_model(pov_sheet *pivots, const source *s, const char *model, const char *by)
{
    pov_sheet_add_row(pivots);
    pov_sheet_add_text(pivots, "model", *model ? model : "the model");
    if (row_of(s, model, "all", "") >= 0)
        add_cell(pivots, s, model, "all", "");
    for (int row = 0, columns = 2; row < s->scores->len && columns < POV_SHEET_COLUMNS_MAX; row++)
        if (strcmp(text_at(s, row, s->by), by) == 0 && is_first_of_value(s, row)) {
            add_cell(pivots, s, model, by, text_at(s, row, s->value));
            columns++;
        }
}

static bool has_dimension(const source *s, const char *by)
{
    for (int row = 0; row < s->scores->len; row++)
        if (strcmp(text_at(s, row, s->by), by) == 0)
            return true;
    return false;
}

void pov_report_pivot(pov_sheet *pivots, const pov_answers *answers)
{
    static const struct {
        int paper;
        const char *by, *key, *title;
    } shapes[] = {
        {POV_PAPER_FOREST, "question", "by_question", "Accuracy by question (FoREST's Table 2), %"},
        {POV_PAPER_FOREST, "frame identification", "by_frame",
         "Which frame an expression is in, by relatum, %"},
        {POV_PAPER_VSR, "category", "by_category", "Accuracy by category of relation (VSR's Table 1), %"},
        {POV_PAPER_VSR, "frame", "by_frame", "Accuracy by the frame that makes the caption true, %"},
        {POV_PAPER_VPT, "question", "by_question",
         "Prediction correctness by question (Isle-Brick's Table 3), %"},
        {POV_PAPER_VPT, "skill", "by_skill", "Prediction correctness by skill (Isle-Brick's Figure 1), %"},
        {POV_PAPER_SPHERE, "task", "by_task", "Accuracy by task (SPHERE's Table 3), %"}};
    if (answers->comfort)
        return;
    source s = {.scores = pov_sheet_find(answers->sheet, "scores")};
    s.model = pov_sheet_column_of(s.scores, "model");
    s.by = pov_sheet_column_of(s.scores, "by");
    s.value = pov_sheet_column_of(s.scores, "value");
    s.measure = s.value + 1;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].paper != answers->paper || !has_dimension(&s, shapes[i].by))
            continue;
        pov_sheet_add_table(pivots, shapes[i].key, shapes[i].title);
        for (int row = 0; row < s.scores->len; row++)
            if (is_first_of_model(&s, row))
                add_model(pivots, &s, text_at(&s, row, s.model), shapes[i].by);
    }
}
