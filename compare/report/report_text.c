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

static void write_table(FILE *stream, const pov_answers *answers, const pov_sheet_table *table)
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

void pov_report_write_markdown(const pov_report *report, FILE *stream)
{
    fputs("# ", stream);
    write_markdown_text(stream, report->source.title);
    fputs("\n\n", stream);
    if (report->simulated.len > 0) {
        fputs("**SIMULATED, no finding about a real model or camera:** ", stream);
        write_markdown_text(stream, pov_text_of(&report->simulated));
        fputs("\n\n", stream);
    }
    for (int i = 0; i < report->facts_len; i++) {
        fprintf(stream, "- %s: ", report->facts[i].name);
        write_markdown_text(stream, report->facts[i].text);
        fputc('\n', stream);
    }
    fputs("\n## Findings\n\n", stream);
    for (int i = 0; i < report->findings_len; i++) {
        fputs("- ", stream);
        write_markdown_text(stream, report->findings[i]);
        fputc('\n', stream);
    }
    for (int i = 0; report->source.extra && i < pov_sheet_len(report->source.extra); i++)
        write_table(stream, report->parts[0].answers, pov_sheet_at(report->source.extra, i));
    for (int p = 0; p < report->len; p++) {
        const pov_report_part *part = &report->parts[p];
        const bool has_others = pov_report_has_others(report, p);
        fprintf(stream, "\n## %s%s", pov_report_paper_title(part->answers), has_others ? ": " : "");
        write_markdown_text(stream, has_others ? pov_report_part_name(report, p) : "");
        fputc('\n', stream);
        for (int i = 0; i < pov_sheet_len(part->pivots); i++)
            write_table(stream, part->answers, pov_sheet_at(part->pivots, i));
        for (int i = 0; i < pov_sheet_len(part->compared); i++)
            write_table(stream, part->answers, pov_sheet_at(part->compared, i));
        for (int i = 0; i < pov_sheet_len(part->answers->sheet); i++)
            write_table(stream, part->answers, pov_sheet_at(part->answers->sheet, i));
        write_disagreements(stream, part);
    }
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
