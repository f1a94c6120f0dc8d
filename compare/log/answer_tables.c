#include "compare/log/answer_tables.h"

#include "compare/log/answer_columns.h"
#include "config/files/grow.h"
#include "config/files/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char *paper;
    pov_table *table;
    int *column; /* [cell] where the same cell of the row before went; -1: nowhere */
    int column_capacity, columns;
    bool is_answered;
} paper_table;

struct pov_answer_tables {
    const char *name;
    pov_export_options options;
    pov_answer_columns *columns;
    paper_table *papers;
    int len, capacity;
};

pov_status pov_answer_tables_new(pov_answer_tables **tables, pov_answer_log *log, const char *name,
                                 const pov_export_options *options)
{
    pov_answer_tables *t = *tables = pov_allocate(1, sizeof *t);
    *t = (pov_answer_tables){.name = name, .options = *options};
    t->options.curves = t->options.scored_only = true;
    const pov_status status = pov_answer_columns_new(&t->columns, log, &t->options);
    if (status.code != POV_OK)
        pov_answer_tables_destroy(tables);
    return status;
}

void pov_answer_tables_destroy(pov_answer_tables **tables)
{
    if (!*tables)
        return;
    for (int i = 0; i < (*tables)->len; i++) {
        free((*tables)->papers[i].paper);
        free((*tables)->papers[i].column);
        pov_table_destroy(&(*tables)->papers[i].table);
    }
    free((*tables)->papers);
    pov_answer_columns_destroy(&(*tables)->columns);
    free(*tables);
    *tables = NULL;
}

static paper_table *need_paper(pov_answer_tables *t, const char *paper)
{
    for (int i = 0; i < t->len; i++)
        if (strcmp(t->papers[i].paper, paper) == 0)
            return &t->papers[i];
    POV_REQUIRE_MEMORY(pov_grow(&t->papers, &t->capacity, t->len, sizeof *t->papers));
    t->papers[t->len] = (paper_table){.paper = pov_text_new("%s", paper), .table = pov_table_new(t->name)};
    return &t->papers[t->len++];
}

static pov_status put_cell(paper_table *p, int *column, const pov_answer_cell *cell)
{
    switch (cell->kind) {
    case POV_COLUMN_NUMBER:
        return pov_table_put_number(p->table, column, cell->name, cell->number);
    case POV_COLUMN_JSON:
        return pov_table_put_item(p->table, cell->item);
    default:
        return pov_table_put_text(p->table, column, cell->name,
                                  cell->kind == POV_COLUMN_TEXT ? cell->text : "");
    }
}

pov_status pov_answer_tables_add(pov_answer_tables *tables, pov_answer_row *row)
{
    const pov_answer_cell *cells;
    const int len = pov_answer_columns_fill(tables->columns, &cells, row);
    paper_table *p = need_paper(tables, row->question.paper);
    p->is_answered |= row->has_result && strcmp(row->result.outcome, "answered") == 0;
    if (len > 0)
        pov_table_add_row(p->table);
    for (int i = 0; i < len; i++) {
        POV_REQUIRE_MEMORY(pov_grow(&p->column, &p->column_capacity, i, sizeof *p->column));
        if (i == p->columns)
            p->column[p->columns++] = -1;
        POV_TRY(put_cell(p, &p->column[i], &cells[i]));
    }
    return pov_ok();
}

static pov_status add_row(void *context, pov_answer_row *row)
{
    return pov_answer_tables_add(context, row);
}

pov_status pov_answer_tables_read(pov_answer_tables **tables, pov_answer_log *log, const char *name,
                                  const pov_export_options *options)
{
    POV_TRY(pov_answer_tables_new(tables, log, name, options));
    const pov_status status = pov_answer_log_each(log, add_row, *tables);
    if (status.code != POV_OK)
        pov_answer_tables_destroy(tables);
    return status;
}

static bool has_answers(const paper_table *p)
{
    return p->is_answered && p->table && pov_table_len(p->table) > 0;
}

bool pov_answer_tables_has(const pov_answer_tables *tables)
{
    for (int i = 0; i < tables->len; i++)
        if (has_answers(&tables->papers[i]))
            return true;
    return false;
}

pov_table *pov_answer_tables_take(pov_answer_tables *tables, const char *paper)
{
    for (int i = 0; i < tables->len; i++) {
        paper_table *p = &tables->papers[i];
        if (strcmp(p->paper, paper) != 0 || !has_answers(p))
            continue;
        pov_table *table = p->table;
        p->table = NULL;
        return table;
    }
    return NULL;
}

const struct cJSON *pov_answer_tables_object(pov_answer_tables *tables, const pov_answer_row *row)
{
    return pov_answer_columns_object(tables->columns, row);
}

const pov_log_scene *pov_answer_tables_scene(const pov_answer_tables *tables)
{
    return pov_answer_columns_scene(tables->columns);
}

const pov_export_beside *pov_answer_tables_beside(const pov_answer_tables *tables)
{
    return pov_answer_columns_beside(tables->columns);
}
