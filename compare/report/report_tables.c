/* Tables in HTML. */
#include "compare/report/report_internal.h"

#include "config/files/markup.h"

#include <string.h>

typedef struct {
    FILE *stream;
    const pov_sheet_table *table;
    int shown[POV_SHEET_COLUMNS_MAX], len; /* columns in which something stands */
} writer;

static const char *style_of(const writer *w, int column)
{
    return w->table->columns[column].kind == POV_SHEET_TEXT ? "" : " class=\"number\"";
}

static void write_head(const writer *w)
{
    fputs("<thead><tr>", w->stream);
    for (int i = 0; i < w->len; i++) {
        fprintf(w->stream, "<th scope=\"col\"%s>", style_of(w, w->shown[i]));
        pov_markup_text(w->stream, pov_report_column_words(w->table->columns[w->shown[i]].key));
        fputs("</th>", w->stream);
    }
    fputs("</tr></thead>\n", w->stream);
}

static void write_cell(const writer *w, int row, int column)
{
    const pov_sheet_words words = pov_sheet_words_of(w->table, row, column);
    int best = pov_sheet_column_of(w->table, "best");
    bool is_best = best >= 0 && strcmp(w->table->rows[row][best].text, w->table->columns[column].key) == 0;
    fprintf(w->stream, "<td%s>%s", style_of(w, column), is_best ? "<b>" : "");
    if (w->table->columns[column].kind == POV_SHEET_TEXT)
        pov_markup_text(w->stream, w->table->rows[row][column].text);
    else
        pov_markup_text(w->stream, words.text);
    if (is_best)
        fputs("</b>", w->stream);
    if (words.interval[0] != '\0')
        fprintf(w->stream, "<small>%s</small>", words.interval);
    fputs("</td>", w->stream);
}

static void write_published_row(const writer *w, const pov_published *published, const char *row)
{
    char text[80];
    fputs("<tr>", w->stream);
    for (int i = 0; i < w->len; i++) {
        fprintf(w->stream, "<td%s>", style_of(w, w->shown[i]));
        pov_report_published_cell(text, published, row, w->table->columns[w->shown[i]].key);
        pov_markup_text(w->stream, text);
        fputs("</td>", w->stream);
    }
    fputs("</tr>\n", w->stream);
}

static void write_published(const writer *w, const pov_published *published)
{
    fprintf(
        w->stream,
        "<tbody class=\"theirs\"><tr><th colspan=\"%d\" scope=\"rowgroup\">Published, not ours: ", w->len);
    pov_markup_text(w->stream, published->source);
    fputs("</th></tr>\n", w->stream);
    for (int i = 0; published->rows[i]; i++)
        if (pov_report_published_fits(published, published->rows[i], w->table))
            write_published_row(w, published, published->rows[i]);
    fputs("</tbody>\n", w->stream);
}

static void write_rows(const writer *w)
{
    int rows = w->table->len < POV_REPORT_ROWS_MAX ? w->table->len : POV_REPORT_ROWS_MAX;
    fputs("<tbody>\n", w->stream);
    for (int row = 0; row < rows; row++) {
        fputs("<tr>", w->stream);
        for (int i = 0; i < w->len; i++)
            write_cell(w, row, w->shown[i]);
        fputs("</tr>\n", w->stream);
    }
    fputs("</tbody>\n", w->stream);
}

void pov_report_html_table(FILE *stream, const pov_answers *answers, const pov_sheet_table *table)
{
    writer w = {.stream = stream, .table = table};
    for (int c = 0; c < table->columns_len; c++)
        if (pov_report_column_shows(table, c))
            w.shown[w.len++] = c;
    if (table->len == 0 || w.len == 0)
        return;
    fprintf(stream,
            "<div class=\"wide\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table "
            "class=\"%s\"><caption>",
            w.len > 9 ? "many" : "few");
    pov_markup_text(stream, table->title);
    fprintf(stream, "%s</caption>\n", pov_sheet_title_end(table));
    write_head(&w);
    write_rows(&w);
    for (const pov_published *p = POV_PUBLISHED; p->paper; p++)
        if (pov_report_published_is_for(p, answers, table))
            write_published(&w, p);
    fputs("</table></div>\n", stream);
    if (table->len > POV_REPORT_ROWS_MAX)
        fprintf(stream, "<p class=\"note\">%d more rows are left out here; the CSV has them all.</p>\n",
                table->len - POV_REPORT_ROWS_MAX);
}
