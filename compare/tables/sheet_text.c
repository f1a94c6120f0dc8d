#include "compare/tables/sheet.h"

#include <string.h>

typedef struct {
    int width[POV_SHEET_COLUMNS_MAX]; /* 0: nothing stands in it */
    bool left[POV_SHEET_COLUMNS_MAX];
} layout;

static int larger(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static layout lay_out(const pov_sheet_table *table)
{
    layout l = {{0}, {false}};
    for (int c = 0; c < table->columns_len; c++) {
        for (int row = 0; row < table->len; row++) {
            const pov_sheet_words words = pov_sheet_words_of(table, row, c);
            l.width[c] = larger(larger(l.width[c], words.text), words.interval);
        }
        l.left[c] = table->columns[c].kind == POV_SHEET_TEXT;
        if (l.width[c] > 0)
            l.width[c] = larger(l.width[c], table->columns[c].key);
    }
    return l;
}

/* Pads before a text, not after it: lines end where their text does. */
static void write_padded(FILE *stream, int *gap, const char *text, const layout *l, int column)
{
    int length = (int)strlen(text), before = l->left[column] ? 0 : l->width[column] - length;
    if (l->width[column] == 0)
        return;
    if (length > 0)
        fprintf(stream, "%*s%s", *gap + before, "", text);
    *gap = (length > 0 ? 0 : *gap + before) + (l->left[column] ? l->width[column] - length : 0) + 2;
}

static void write_row(FILE *stream, const pov_sheet_table *table, int row, const layout *l)
{
    bool has_interval = false;
    int gap = 0, gap_below = 0;
    for (int c = 0; c < table->columns_len; c++) {
        const pov_sheet_words words = pov_sheet_words_of(table, row, c);
        write_padded(stream, &gap, words.text, l, c);
        has_interval |= words.interval[0] != '\0';
    }
    fputc('\n', stream);
    for (int c = 0; has_interval && c < table->columns_len; c++) {
        const pov_sheet_words words = pov_sheet_words_of(table, row, c);
        write_padded(stream, &gap_below, words.interval, l, c);
    }
    if (has_interval)
        fputc('\n', stream);
}

static void write_table(FILE *stream, const pov_sheet_table *table)
{
    const layout l = lay_out(table);
    int gap = 0;
    fprintf(stream, "\n%s%s\n", table->title, pov_sheet_title_end(table));
    for (int c = 0; table->len > 0 && c < table->columns_len; c++)
        write_padded(stream, &gap, table->columns[c].key, &l, c);
    if (table->len > 0)
        fputc('\n', stream);
    for (int row = 0; row < table->len; row++)
        write_row(stream, table, row, &l);
}

void pov_sheet_write_text(const pov_sheet *sheet, FILE *stream)
{
    for (int i = 0; i < pov_sheet_len(sheet); i++)
        write_table(stream, pov_sheet_at(sheet, i));
}

void pov_sheet_write(const pov_sheet *sheet, FILE *stream, bool json)
{
    if (json)
        pov_sheet_write_json(sheet, stream);
    else
        pov_sheet_write_text(sheet, stream);
}
