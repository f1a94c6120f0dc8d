/* The papers' shape: a row for each model, a column for each task. */
#include "compare/report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const pov_sheet_table *scores;
    int model, by, value, measure; /* columns */
    pov_name_set *cells;           /* [row] its model, dimension and value */
    int *models, models_len;       /* the first row of each model */
} source;

enum { KEY_CAPACITY = 400 };

static const char *text_at(const source *s, int row, int column)
{
    return s->scores->rows[row][column].text;
}

static size_t compose_key(char key[KEY_CAPACITY], const char *model, const char *by, const char *value)
{
    return (size_t)snprintf(key, KEY_CAPACITY, "%.120s\t%.60s\t%.200s", model, by, value);
}

static pov_status open_source(source *s, const pov_sheet_table *scores)
{
    char key[KEY_CAPACITY];
    pov_name_set *models = NULL;
    int number;
    *s = (source){.scores = scores,
                  .model = pov_sheet_column_of(scores, "model"),
                  .by = pov_sheet_column_of(scores, "by"),
                  .value = pov_sheet_column_of(scores, "value")};
    s->measure = s->value + 1;
    s->models = calloc((size_t)scores->len + 1, sizeof *s->models);
    pov_status status = s->models ? pov_name_set_new(&s->cells) : pov_error("out of memory for a report");
    if (status.code == POV_OK)
        status = pov_name_set_new(&models);
    for (int row = 0; status.code == POV_OK && row < scores->len; row++) {
        const char *model = text_at(s, row, s->model);
        const size_t length = compose_key(key, model, text_at(s, row, s->by), text_at(s, row, s->value));
        status = pov_name_set_add(s->cells, &number, key, length);
        if (status.code == POV_OK)
            status = pov_name_set_add(models, &number, model, strlen(model));
        if (status.code == POV_OK && number == s->models_len)
            s->models[s->models_len++] = row;
    }
    pov_name_set_destroy(&models);
    return status;
}

static void close_source(source *s)
{
    pov_name_set_destroy(&s->cells);
    free(s->models);
}

static int row_of(const source *s, const char *model, const char *by, const char *value)
{
    char key[KEY_CAPACITY];
    return pov_name_set_find(s->cells, key, compose_key(key, model, by, value));
}

/* The first row of each value of a dimension, as many as a table has columns for. */
static int gather_values(int first[POV_SHEET_COLUMNS_MAX], const source *s, const char *by)
{
    int len = 0;
    for (int row = 0; row < s->scores->len && len < POV_SHEET_COLUMNS_MAX - 2; row++) {
        bool is_new = strcmp(text_at(s, row, s->by), by) == 0;
        for (int i = 0; is_new && i < len; i++)
            is_new = strcmp(text_at(s, first[i], s->value), text_at(s, row, s->value)) != 0;
        if (is_new)
            first[len++] = row;
    }
    return len;
}

static void add_cell(pov_sheet *pivots, const source *s, const char *model, const char *by, const char *value)
{
    const pov_estimate none = {NAN, NAN, NAN, 0};
    int row = row_of(s, model, by, value);
    pov_sheet_add_estimate(pivots, *value ? value : by,
                           row < 0 ? &none : &s->scores->rows[row][s->measure].estimate);
}

static void add_table(pov_sheet *pivots, const source *s, const char *by)
{
    int values[POV_SHEET_COLUMNS_MAX], values_len = gather_values(values, s, by);
    bool has_all = false;
    for (int i = 0; i < s->models_len && !has_all; i++)
        has_all = row_of(s, text_at(s, s->models[i], s->model), "all", "") >= 0;
    for (int i = 0; i < s->models_len; i++) {
        const char *model = text_at(s, s->models[i], s->model);
        pov_sheet_add_row(pivots);
        pov_sheet_add_text(pivots, "model", *model ? model : "the model");
        if (has_all)
            add_cell(pivots, s, model, "all", "");
        for (int k = 0; k < values_len; k++)
            add_cell(pivots, s, model, by, text_at(s, values[k], s->value));
    }
}

static bool has_dimension(const source *s, const char *by)
{
    for (int row = 0; row < s->scores->len; row++)
        if (strcmp(text_at(s, row, s->by), by) == 0)
            return true;
    return false;
}

pov_status pov_report_pivot(pov_sheet *pivots, const pov_answers *answers)
{
    static const struct {
        int paper;
        const char *by, *key, *title;
    } shapes[] = {
        {POV_PAPER_FOREST, "question", "by_question", "Accuracy by question (FoREST's Table 2), %"},
        {POV_PAPER_FOREST, "frame identification", "by_frame",
         "Which frame an expression is in, by relatum, %"},
        {POV_PAPER_FOREST, "layout", "layout",
         "Layouts: left and right for the camera, C-split (FoREST's Table 17), %"},
        {POV_PAPER_VSR, "category", "by_category", "Accuracy by category of relation (VSR's Table 1), %"},
        {POV_PAPER_VSR, "frame", "by_frame", "Accuracy by the frame that makes the caption true, %"},
        {POV_PAPER_VPT, "question", "by_question",
         "Prediction correctness by question (Isle-Brick's Table 3), %"},
        {POV_PAPER_VPT, "skill", "by_skill", "Prediction correctness by skill (Isle-Brick's Figure 1), %"},
        {POV_PAPER_SPHERE, "task", "by_task", "Accuracy by task (SPHERE's Table 3), %"}};
    source s;
    if (answers->comfort || answers->visor)
        return pov_ok();
    pov_status status = open_source(&s, pov_sheet_find(answers->sheet, "scores"));
    for (size_t i = 0; status.code == POV_OK && i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].paper != answers->paper || !has_dimension(&s, shapes[i].by))
            continue;
        pov_sheet_add_table(pivots, shapes[i].key, shapes[i].title);
        add_table(pivots, &s, shapes[i].by);
    }
    close_source(&s);
    return status;
}
