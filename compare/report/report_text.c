/* The report as Markdown, and its tables as CSV. */
#include "compare/report/report_internal.h"

#include "config/files/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Markdown ---- */

/* Text that Markdown and the HTML within it leave alone, on one line. */
static void write_markdown_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<' || *text == '>' || *text == '&')
            fputs(*text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;", stream);
        else if ((unsigned char)*text < ' ' || *text == 0x7f)
            fputc(' ', stream);
        else {
            if (strchr("\\`*_[]|#", *text))
                fputc('\\', stream);
            fputc(*text, stream);
        }
    }
}

static void write_cell(FILE *stream, const char *text)
{
    fputs("| ", stream);
    write_markdown_text(stream, text);
    fputc(' ', stream);
}

static void write_published(FILE *stream, const pov_sheet_table *table, const pov_published *published,
                            const char *note)
{
    char text[80];
    for (int i = 0; published->rows[i]; i++) {
        if (!pov_report_published_fits(published, published->rows[i], table))
            continue;
        for (int c = 0; c < table->columns_len; c++) {
            if (!pov_report_column_shows(table, c))
                continue;
            pov_report_published_cell(text, published, published->rows[i], table->columns[c].key);
            write_cell(stream, text);
        }
        char *source = pov_text_new("%s%s", published->source, note);
        write_cell(stream, source);
        free(source);
        fputs("|\n", stream);
    }
}

static void write_row(FILE *stream, const pov_sheet_table *table, int row, bool has_published)
{
    for (int c = 0; c < table->columns_len; c++) {
        pov_sheet_words words;
        if (!pov_report_column_shows(table, c))
            continue;
        fputs("| ", stream);
        write_markdown_text(stream, pov_report_text_of(&words, table, row, c));
        if (words.interval[0] != '\0')
            fprintf(stream, " (%s)", words.interval);
        fputc(' ', stream);
    }
    fputs(has_published ? "| ours |\n" : "|\n", stream);
}

static void write_heads(FILE *stream, const pov_sheet_table *table, bool has_published)
{
    for (int c = 0; c < table->columns_len; c++)
        if (pov_report_column_shows(table, c))
            write_cell(stream, pov_report_column_words(table->columns[c].key));
    fputs(has_published ? "| source |\n" : "|\n", stream);
    for (int c = 0; c < table->columns_len; c++)
        if (pov_report_column_shows(table, c))
            fputs(table->columns[c].kind == POV_SHEET_TEXT ? "|---" : "|---:", stream);
    fputs(has_published ? "|---|\n" : "|\n", stream);
}

static void write_sheet_table(FILE *stream, const pov_answers *answers, const pov_sheet_table *table)
{
    bool has_published = false;
    if (table->len == 0)
        return;
    char *note = pov_report_published_note(answers);
    for (const pov_published *p = POV_PUBLISHED; p->paper; p++)
        has_published |= pov_report_published_is_for(p, answers, table);
    fputs("\n**", stream);
    write_markdown_text(stream, table->title);
    fprintf(stream, "%s**\n\n", pov_sheet_title_end(table));
    write_heads(stream, table, has_published);
    for (int row = 0; row < table->len && row < POV_REPORT_ROWS_MAX; row++)
        write_row(stream, table, row, has_published);
    for (const pov_published *p = POV_PUBLISHED; p->paper; p++)
        if (pov_report_published_is_for(p, answers, table))
            write_published(stream, table, p, note);
    free(note);
    if (table->len > POV_REPORT_ROWS_MAX)
        fprintf(stream, "\n%d more rows are left out here; the CSV has them all.\n",
                table->len - POV_REPORT_ROWS_MAX);
}

static void write_p(FILE *stream, double p)
{
    if (isnan(p))
        fputs("| ", stream);
    else
        fprintf(stream, "| %.3f ", p);
}

static void write_disagreements(FILE *stream, const pov_report_part *part)
{
    fprintf(stream, "\n**Disagreements, worst first** (%d of %d scored answers; %d shown)\n\n",
            part->cases.wrong, part->cases.scored, part->cases.worst_len);
    if (part->cases.untold > 0)
        fprintf(stream, "%d more answers are not scored: geometry cannot tell.\n\n", part->cases.untold);
    fputs("| image | question | answer | P(yes) | right is | geometry's P | right in "
          "|\n|---|---|---|---:|---|---:|---|\n",
          stream);
    for (int i = 0; i < part->cases.worst_len; i++) {
        const pov_report_case *one = &part->cases.all[part->cases.worst[i]];
        pov_report_words words;
        pov_report_case_describe(&words, part->answers, one);
        write_cell(stream, words.image);
        write_cell(stream, pov_text_of(&words.question));
        write_cell(stream, pov_text_of(&words.answer));
        write_p(stream, one->p);
        write_cell(stream, pov_text_of(&words.gold));
        write_p(stream, one->p_geometry);
        write_cell(stream, pov_text_of(&words.right_in));
        fputs("|\n", stream);
        pov_report_words_free(&words);
    }
}

static void write_paragraph(FILE *stream, const char *text)
{
    fputc('\n', stream);
    write_markdown_text(stream, text);
    fputc('\n', stream);
}

/* The numbers of a figure of intervals. */
static void write_rows_of(FILE *stream, const pov_figure *figure)
{
    fputs("\n| right, % ", stream);
    for (int c = 0; c < figure->columns_len; c++)
        write_cell(stream, figure->columns[c]);
    fputs("|\n|---", stream);
    for (int c = 0; c < figure->columns_len; c++)
        fputs("|---:", stream);
    fputs("|\n", stream);
    for (int i = 0; i < figure->len; i++) {
        write_cell(stream, figure->rows[i].name);
        for (int c = 0; c < figure->columns_len; c++) {
            const pov_estimate *e = &figure->rows[i].at[c];
            if (isnan(e->mean))
                fputs("| - ", stream);
            else
                fprintf(stream, "| %.1f ", 100 * e->mean);
            if (!isnan(e->low))
                fprintf(stream, "(%.1f to %.1f) ", 100 * e->low, 100 * e->high);
        }
        fputs("|\n", stream);
    }
    write_paragraph(stream, pov_text_of(&figure->caption));
}

typedef struct {
    const pov_report *report;
    FILE *stream;
} text_writer;

static void write_chapter(void *context, const char *id, const char *name)
{
    const text_writer *w = context;
    (void)id;
    fputs("\n## ", w->stream);
    write_markdown_text(w->stream, name);
    fputs("\n\n", w->stream);
}

static void write_summary(void *context, int number)
{
    const text_writer *w = context;
    const pov_report_part *part = &w->report->parts[number];
    pov_figure *figure = pov_figure_new();
    fputs("\n**", w->stream);
    write_markdown_text(w->stream, part->sentence);
    fputs("**\n", w->stream);
    if (pov_report_summary_figure(figure, w->report, number))
        write_rows_of(w->stream, figure);
    write_paragraph(w->stream, part->coverage);
    pov_figure_destroy(&figure);
}

static void write_findings(void *context)
{
    const text_writer *w = context;
    for (int i = 0; i < w->report->findings_len; i++) {
        fputs("- ", w->stream);
        write_markdown_text(w->stream, w->report->findings[i]);
        fputc('\n', w->stream);
    }
}

static void write_table(void *context, const pov_answers *answers, const pov_sheet_table *table,
                        pov_report_table_role role)
{
    const text_writer *w = context;
    if (role != POV_REPORT_FORM)
        write_sheet_table(w->stream, answers, table);
}

static void write_cases(void *context, int number)
{
    const text_writer *w = context;
    write_disagreements(w->stream, &w->report->parts[number]);
}

static void write_facts(void *context)
{
    const text_writer *w = context;
    for (int i = 0; i < w->report->facts_len; i++) {
        fprintf(w->stream, "- %s: ", w->report->facts[i].name);
        write_markdown_text(w->stream, w->report->facts[i].text);
        fputc('\n', w->stream);
    }
}

void pov_report_write_markdown(const pov_report *report, FILE *stream)
{
    static const pov_report_writer writer = {.chapter = write_chapter,
                                             .summary = write_summary,
                                             .findings = write_findings,
                                             .table = write_table,
                                             .cases = write_cases,
                                             .methods = write_facts};
    text_writer w = {report, stream};
    fputs("# ", stream);
    write_markdown_text(stream, report->title);
    fputs("\n", stream);
    if (report->simulated.len > 0) {
        fputs("\n**SIMULATED, no finding about a real model or camera:** ", stream);
        write_markdown_text(stream, pov_text_of(&report->simulated));
        fputs("\n", stream);
    }
    pov_report_walk(report, &writer, &w);
}

/* ---- CSV (RFC 4180): numbers with all digits; an estimate is four columns: its mean under its own name, low, high, n ---- */

static void write_number(FILE *stream, double number)
{
    if (isfinite(number))
        fprintf(stream, "%.15g", number);
}

static void write_csv_name(FILE *stream, const pov_sheet_column *column)
{
    pov_csv_write(stream, column->key);
    if (column->kind == POV_SHEET_ESTIMATE)
        for (int i = 0; i < 3; i++) {
            char name[POV_SHEET_KEY + 8];
            snprintf(name, sizeof name, "%s_%s", column->key, (const char *const[]){"low", "high", "n"}[i]);
            fputc(',', stream);
            pov_csv_write(stream, name);
        }
}

static void write_csv_cell(FILE *stream, const pov_sheet_cell *cell, pov_sheet_kind kind)
{
    const pov_estimate *e = &cell->estimate;
    if (kind == POV_SHEET_TEXT) {
        pov_csv_write(stream, cell->text);
    } else if (kind == POV_SHEET_NUMBERS) {
        for (int i = 0; i < cell->numbers_len; i++) {
            fputs(i > 0 ? "|" : "", stream);
            write_number(stream, cell->numbers[i]);
        }
    } else {
        write_number(stream, e->mean);
    }
    if (kind != POV_SHEET_ESTIMATE)
        return;
    fputc(',', stream);
    write_number(stream, e->low);
    fputc(',', stream);
    write_number(stream, e->high);
    fprintf(stream, ",%d", e->n);
}

void pov_report_write_csv_table(FILE *stream, const pov_sheet_table *table)
{
    for (int c = 0; c < table->columns_len; c++) {
        fputs(c > 0 ? "," : "", stream);
        write_csv_name(stream, &table->columns[c]);
    }
    fputs("\r\n", stream);
    for (int row = 0; row < table->len; row++) {
        for (int c = 0; c < table->columns_len; c++) {
            fputs(c > 0 ? "," : "", stream);
            write_csv_cell(stream, &table->rows[row][c], table->columns[c].kind);
        }
        fputs("\r\n", stream);
    }
}

static void write_csv_disagreements(FILE *stream, const pov_report_part *part)
{
    fputs("model,image,question,answer,p,gold,p_geometry,error,right_in\r\n", stream);
    for (int i = 0; i < part->cases.worst_len; i++) {
        const pov_report_case *one = &part->cases.all[part->cases.worst[i]];
        pov_report_words words;
        pov_report_case_describe(&words, part->answers, one);
        const char *const before[] = {pov_report_cell(part->answers, one->row, "model"), words.image,
                                      pov_text_of(&words.question), pov_text_of(&words.answer)};
        for (int k = 0; k < 4; k++) {
            pov_csv_write(stream, before[k]);
            fputc(',', stream);
        }
        write_number(stream, one->p);
        fputc(',', stream);
        pov_csv_write(stream, pov_text_of(&words.gold));
        fputc(',', stream);
        write_number(stream, one->p_geometry);
        fputc(',', stream);
        write_number(stream, one->error);
        fputc(',', stream);
        pov_csv_write(stream, pov_text_of(&words.right_in));
        pov_report_words_free(&words);
        fputs("\r\n", stream);
    }
}

/* NULL: the disagreements. */
static const pov_sheet_table *table_at(const pov_report *report, int file, int table)
{
    const pov_report_part *part = &report->parts[file];
    const pov_sheet *const sheets[] = {part->forms, part->pivots, part->compared, part->answers->sheet};
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        if (table < pov_sheet_len(sheets[i]))
            return pov_sheet_at(sheets[i], table);
        table -= pov_sheet_len(sheets[i]);
    }
    return NULL;
}

int pov_report_table_len(const pov_report *report, int file)
{
    int len = 0;
    while (table_at(report, file, len))
        len++;
    return len + 1;
}

const char *pov_report_table_name(const pov_report *report, int file, int table)
{
    const pov_sheet_table *found = table_at(report, file, table);
    return found ? found->key : "disagreements";
}

void pov_report_write_csv(const pov_report *report, int file, int table, FILE *stream)
{
    const pov_sheet_table *found = table_at(report, file, table);
    if (found)
        pov_report_write_csv_table(stream, found);
    else
        write_csv_disagreements(stream, &report->parts[file]);
}

bool pov_report_has_tex(const pov_report *report, int file, int table)
{
    const pov_sheet_table *found = table_at(report, file, table);
    return found && found->len > 0;
}

void pov_report_write_tex(const pov_report *report, int file, int table, FILE *stream)
{
    const pov_sheet_table *found = table_at(report, file, table);
    pov_report_write_tex_table(stream, report->parts[file].answers, found, found->key);
}

int pov_report_file_len(const pov_report *report)
{
    return report->len;
}

const char *pov_report_file_paper(const pov_report *report, int file)
{
    return pov_answers_paper_name(report->parts[file].answers);
}
