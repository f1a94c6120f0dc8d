/* The report as a paper: a PDF of A4 pages with numbered tables and figures, in COMFORT's order. */
#include "compare/report/report_internal.h"

#include "draw/print.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const pov_report *report;
    pov_print *paper;
    int tables, figures, left_out;
} composer;

/* ---- tables ---- */

enum {
    THEIRS_MAX = 40, /* published rows of a table */
    OURS_MAX = 60,
    SOURCES_MAX = 8, /* published tables beside one of ours */
    GROUPS_MAX = 6   /* of curves, with figures */
};

typedef struct {
    const pov_sheet_table *table;
    int shown[POV_SHEET_COLUMNS_MAX], len;
    pov_print_row *rows;
    int rows_len;
    pov_sheet_words *words;                    /* [row * columns + column] */
    char (*theirs)[POV_PRINT_COLUMNS_MAX][80]; /* [published row] */
    pov_report_head heads[POV_SHEET_COLUMNS_MAX];
    char *sources[SOURCES_MAX]; /* of published rows */
    int sources_len;
} table_plan;

static void add_heads(table_plan *t)
{
    bool has_groups = false;
    for (int i = 0; i < t->len; i++) {
        t->heads[i] = pov_report_head_of(t->table->columns[t->shown[i]].key);
        has_groups |= t->heads[i].group[0] != '\0';
    }
    if (has_groups) {
        pov_print_row *row = &t->rows[t->rows_len++];
        *row = (pov_print_row){.look = POV_PRINT_GROUPS};
        for (int i = 0; i < t->len; i++)
            row->cell[i] = t->heads[i].group[0] == '\0' ? NULL
                           : i > 0 && strcmp(t->heads[i - 1].group, t->heads[i].group) == 0
                               ? ""
                               : t->heads[i].group;
    }
    pov_print_row *row = &t->rows[t->rows_len++];
    *row = (pov_print_row){.look = POV_PRINT_HEAD};
    for (int i = 0; i < t->len; i++)
        row->cell[i] = t->heads[i].name;
}

static void add_own(table_plan *t, int len, bool beside_published)
{
    for (int r = 0; r < len; r++) {
        pov_print_row *row = &t->rows[t->rows_len++];
        *row = (pov_print_row){.look = beside_published ? POV_PRINT_OURS : POV_PRINT_PLAIN};
        for (int i = 0; i < t->len; i++) {
            pov_sheet_words *words = &t->words[r * t->len + i];
            row->cell[i] = pov_report_text_of(words, t->table, r, t->shown[i]);
            row->note[i] = words->interval;
        }
    }
}

static int add_published(table_plan *t, const pov_published *published, int used, const char *note)
{
    POV_REQUIRE(t->sources_len < SOURCES_MAX);
    t->sources[t->sources_len++] = pov_text_new("%s%s", published->source, note);
    pov_print_row *head = &t->rows[t->rows_len];
    int len = used;
    for (int r = 0; published->rows[r] && len < THEIRS_MAX; r++) {
        if (!pov_report_published_fits(published, published->rows[r], t->table))
            continue;
        if (len == used) {
            *head = (pov_print_row){.look = POV_PRINT_SPAN, .cell = {t->sources[t->sources_len - 1]}};
            t->rows_len++;
        }
        pov_print_row *row = &t->rows[t->rows_len++];
        *row = (pov_print_row){.look = POV_PRINT_THEIRS};
        for (int i = 0; i < t->len; i++) {
            pov_report_published_cell(t->theirs[len][i], published, published->rows[r],
                                      t->table->columns[t->shown[i]].key);
            row->cell[i] = t->theirs[len][i];
        }
        len++;
    }
    return len;
}

static void add_sheet_table(composer *c, const pov_answers *answers, const pov_sheet_table *table)
{
    table_plan t = {.table = table};
    bool has_published = false;
    const int own = table->len < OURS_MAX ? table->len : OURS_MAX;
    int used = 0;
    for (int k = 0; k < table->columns_len; k++)
        if (pov_report_column_shows(table, k))
            t.shown[t.len++] = k;
    if (table->len == 0 || t.len == 0)
        return;
    char *note = pov_report_published_note(answers);
    for (const pov_published *p = POV_PUBLISHED; p->paper; p++)
        has_published |= pov_report_published_is_for(p, answers, table);
    t.rows = pov_allocate((size_t)own + 2 * THEIRS_MAX + 4, sizeof *t.rows);
    t.words = pov_allocate((size_t)own * (size_t)t.len + 1, sizeof *t.words);
    t.theirs = pov_allocate(THEIRS_MAX, sizeof *t.theirs);
    add_heads(&t);
    add_own(&t, own, has_published);
    for (const pov_published *p = POV_PUBLISHED; p->paper; p++)
        if (pov_report_published_is_for(p, answers, table))
            used = add_published(&t, p, used, note);
    free(note);
    char *caption = pov_text_new("Table %d: %s%s.%s%s", ++c->tables, table->title, pov_sheet_title_end(table),
                                 has_published ? " Bold on blue: these answers; below: published." : "",
                                 own < table->len ? " More rows are in the CSV." : "");
    for (char *at = caption; (at = strchr(at, '\n'));)
        *at = ' ';
    pov_print_table printed = {.caption = caption, .columns = t.len, .len = t.rows_len, .rows = t.rows};
    for (int i = 0; i < t.len; i++)
        printed.is_number[i] = table->columns[t.shown[i]].kind != POV_SHEET_TEXT;
    pov_print_add_table(c->paper, &printed);
    free(caption);
    free(t.rows);
    free(t.words);
    free(t.theirs);
    for (int i = 0; i < t.sources_len; i++)
        free(t.sources[i]);
}

/* The figures have the ranks; the full tables are longer than a paper has room for: --figures and --csv write them. */
static bool is_in_paper(const pov_sheet_table *table)
{
    static const char *const left_out[] = {"ranks", "table7", "table8", "table9"};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(table->key, left_out[i]) == 0)
            return false;
    return true;
}

/* COMFORT's tables stand there in the paper's form. */
static void add_table(void *context, const pov_answers *answers, const pov_sheet_table *table,
                      pov_report_table_role role)
{
    composer *c = context;
    const bool is_ours = role == POV_REPORT_TABLE && pov_sheet_find(answers->sheet, table->key) == table;
    if (!is_in_paper(table) || (is_ours && !answers->visor && !pov_report_is_of_conditions(table)))
        return;
    add_sheet_table(c, answers, table);
}

/* ---- figures ---- */

static char *draw_on_paper(const pov_figure *figure)
{
    char *svg = NULL;
    size_t length;
    FILE *memory = open_memstream(&svg, &length);
    POV_REQUIRE_MEMORY(memory);
    pov_figure_draw(figure, memory, POV_FIGURE_ON_PAPER);
    POV_REQUIRE_MEMORY(fclose(memory) == 0);
    return svg;
}

static void add_numbered(composer *c, const pov_figure *figure)
{
    char *svg = draw_on_paper(figure),
         *caption = pov_text_new("Figure %d: %s", ++c->figures, pov_text_of(&figure->caption));
    pov_print_add_figure(c->paper, &(pov_print_figure){svg, caption});
    free(svg);
    free(caption);
}

static void add_figure(void *context, const pov_figure *figure, const pov_report_place *place)
{
    composer *c = context;
    if (place->number >= GROUPS_MAX)
        c->left_out++;
    else
        add_numbered(c, figure);
}

/* ---- the whole ---- */

static void add_lines(composer *c, pov_print_look look, void (*write)(const pov_report *report, FILE *stream))
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    POV_REQUIRE_MEMORY(memory);
    write(c->report, memory);
    POV_REQUIRE_MEMORY(fclose(memory) == 0);
    if (look == POV_PRINT_CODE)
        pov_print_text(c->paper, look, text);
    for (char *rest = text, *line; look != POV_PRINT_CODE && (line = strsep(&rest, "\n"));)
        if (*line)
            pov_print_text(c->paper, look, line);
    free(text);
}

static void add_chapter(void *context, const char *id, const char *name)
{
    const composer *c = context;
    (void)id;
    pov_print_text(c->paper, POV_PRINT_SECTION, name);
}

static void add_summary(void *context, int number)
{
    composer *c = context;
    const pov_report_part *part = &c->report->parts[number];
    pov_figure *figure = pov_figure_new();
    pov_print_text(c->paper, POV_PRINT_LEAD, part->sentence);
    if (pov_report_summary_figure(figure, c->report, number))
        add_numbered(c, figure);
    pov_print_text(c->paper, POV_PRINT_BODY, part->coverage);
    pov_figure_destroy(&figure);
}

static void add_findings(void *context)
{
    const composer *c = context;
    for (int i = 0; i < c->report->findings_len; i++)
        pov_print_text(c->paper, POV_PRINT_POINT, c->report->findings[i]);
}

static void end_figures(void *context)
{
    composer *c = context;
    if (c->left_out > 0) {
        char *text =
            pov_text_new("%d more figures are left out here; --figures writes them all.", c->left_out);
        pov_print_text(c->paper, POV_PRINT_BODY, text);
        free(text);
    }
    c->left_out = 0;
}

static void add_methods(void *context)
{
    add_lines(context, POV_PRINT_BODY, pov_report_write_methods);
}

static void add_references(void *context)
{
    add_lines(context, POV_PRINT_CODE, pov_report_write_bibtex);
}

pov_status pov_report_write_paper(const pov_report *report, FILE *stream)
{
    static const pov_report_writer writer = {.chapter = add_chapter,
                                             .summary = add_summary,
                                             .findings = add_findings,
                                             .table = add_table,
                                             .figure = add_figure,
                                             .figures_end = end_figures,
                                             .methods = add_methods,
                                             .references = add_references};
    composer c = {.report = report};
    POV_TRY(pov_print_new(&c.paper, stream, report->title));
    pov_print_text(c.paper, POV_PRINT_TITLE, report->title);
    if (report->simulated.len > 0) {
        char *line = pov_text_new("SIMULATED, no finding about a real model or camera: %s",
                                  pov_text_of(&report->simulated));
        pov_print_text(c.paper, POV_PRINT_WARNING, line);
        free(line);
    }
    pov_report_walk(report, &writer, &c);
    return pov_print_finish(&c.paper);
}
