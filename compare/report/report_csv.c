/* CSV as RFC 4180 has it, numbers with all digits. An estimate is four columns: its mean under its own name, then low, high, n. */
#include "compare/report/report_internal.h"

#include "config/files/markup.h"

#include <math.h>
#include <string.h>

static void write_number(FILE *stream, double number)
{
    if (isfinite(number))
        fprintf(stream, "%.15g", number);
}

static void write_name(FILE *stream, const pov_sheet_column *column)
{
    pov_markup_csv(stream, column->key);
    if (column->kind == POV_SHEET_ESTIMATE)
        for (int i = 0; i < 3; i++) {
            char name[POV_SHEET_KEY + 8];
            snprintf(name, sizeof name, "%s_%s", column->key, (const char *const[]){"low", "high", "n"}[i]);
            fputc(',', stream);
            pov_markup_csv(stream, name);
        }
}

static void write_cell(FILE *stream, const pov_sheet_cell *cell, pov_sheet_kind kind)
{
    const pov_estimate *e = &cell->estimate;
    if (kind == POV_SHEET_TEXT) {
        pov_markup_csv(stream, cell->text);
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

static void write_table(FILE *stream, const pov_sheet_table *table)
{
    for (int c = 0; c < table->columns_len; c++) {
        fputs(c > 0 ? "," : "", stream);
        write_name(stream, &table->columns[c]);
    }
    fputs("\r\n", stream);
    for (int row = 0; row < table->len; row++) {
        for (int c = 0; c < table->columns_len; c++) {
            fputs(c > 0 ? "," : "", stream);
            write_cell(stream, &table->rows[row][c], table->columns[c].kind);
        }
        fputs("\r\n", stream);
    }
}

static void write_disagreements(FILE *stream, const pov_report_part *part)
{
    fputs("model,image,question,answer,p,gold,p_geometry,error,right_in\r\n", stream);
    for (int i = 0; i < part->cases.worst_len; i++) {
        const pov_report_case *one = &part->cases.all[part->cases.worst[i]];
        pov_report_words words;
        pov_report_case_describe(&words, part->answers, one);
        const char *const before[] = {pov_report_cell(part->answers, one->row, "model"), words.image,
                                      words.question, words.answer};
        for (int k = 0; k < 4; k++) {
            pov_markup_csv(stream, before[k]);
            fputc(',', stream);
        }
        write_number(stream, one->p);
        fputc(',', stream);
        pov_markup_csv(stream, words.gold);
        fputc(',', stream);
        write_number(stream, one->p_geometry);
        fputc(',', stream);
        write_number(stream, one->error);
        fputc(',', stream);
        pov_markup_csv(stream, words.right_in);
        fputs("\r\n", stream);
    }
}

int pov_report_csv_len(const pov_report *report, int file)
{
    return pov_sheet_len(report->parts[file].answers->sheet) + 1;
}

const char *pov_report_csv_name(const pov_report *report, int file, int table)
{
    const pov_sheet *sheet = report->parts[file].answers->sheet;
    return table < pov_sheet_len(sheet) ? pov_sheet_at(sheet, table)->key : "disagreements";
}

void pov_report_write_csv(const pov_report *report, int file, int table, FILE *stream)
{
    const pov_report_part *part = &report->parts[file];
    if (table < pov_sheet_len(part->answers->sheet))
        write_table(stream, pov_sheet_at(part->answers->sheet, table));
    else
        write_disagreements(stream, part);
}
