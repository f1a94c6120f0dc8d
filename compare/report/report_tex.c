/* Tables as LaTeX, with the rules of booktabs. */
#include "compare/report/report_internal.h"

#include "config/files/utf8.h"

#include <stdlib.h>
#include <string.h>

/* Letters that the tables' heads use and plain LaTeX lacks. */
static const struct {
    const char *utf8, *tex;
} letters[] = {{"ε", "$\\varepsilon$"}, {"Δ", "$\\Delta$"}, {"σ", "$\\sigma$"}, {"η", "$\\eta$"},
               {"θ", "$\\theta$"},      {"κ", "$\\kappa$"}, {"×", "$\\times$"}, {"°", "$^\\circ$"},
               {"±", "$\\pm$"},         {"…", "\\ldots{}"}};

static void write_tex_text(FILE *stream, const char *text)
{
    static const char special[] = "&%$#_{}", replaced[] = "\\~^<>|\"";
    static const char *const by[] = {"\\textbackslash{}",
                                     "\\textasciitilde{}",
                                     "\\textasciicircum{}",
                                     "\\textless{}",
                                     "\\textgreater{}",
                                     "\\textbar{}",
                                     "''"};
    while (*text != '\0') {
        const size_t step = pov_utf8_character_length(text);
        const char *at = step == 1 ? strchr(replaced, *text) : NULL;
        bool is_letter = false;
        for (size_t i = 0; i < sizeof letters / sizeof *letters && !is_letter; i++)
            if (step > 1 && strncmp(letters[i].utf8, text, step) == 0) {
                fputs(letters[i].tex, stream);
                is_letter = true;
            }
        if (at)
            fputs(by[at - replaced], stream);
        else if (step == 0 || (unsigned char)*text < ' ')
            fputc(step == 0 ? '?' : ' ', stream);
        else if (!is_letter)
            fprintf(stream, "%s%.*s", step == 1 && strchr(special, *text) ? "\\" : "", (int)step, text);
        text += step == 0 ? 1 : step;
    }
}

typedef struct {
    FILE *stream;
    const pov_sheet_table *table;
    int shown[POV_SHEET_COLUMNS_MAX], len;
} tex_writer;

static bool is_text(const tex_writer *w, int i)
{
    return w->table->columns[w->shown[i]].kind == POV_SHEET_TEXT;
}

static const char *key_of(const tex_writer *w, int i)
{
    return w->table->columns[w->shown[i]].key;
}

/* Columns of one group, such as "back", get a head in common with a rule below. Returns: whether any has a group. */
static bool write_groups(const tex_writer *w, bool rules)
{
    bool any = false;
    for (int i = 0, end; i < w->len; i = end) {
        const pov_report_head head = pov_report_head_of(key_of(w, i));
        for (end = i + 1; end < w->len && strcmp(pov_report_head_of(key_of(w, end)).group, head.group) == 0;
             end++)
            ;
        any |= head.group[0] != '\0';
        if (rules && head.group[0])
            fprintf(w->stream, "\\cmidrule(lr){%d-%d}", i + 1, end);
        if (rules)
            continue;
        fprintf(w->stream, "%s\\multicolumn{%d}{c}{", i > 0 ? " & " : "", end - i);
        write_tex_text(w->stream, head.group);
        fputs("}", w->stream);
    }
    fputs(rules ? "\n" : " \\\\\n", w->stream);
    return any;
}

static bool has_groups(const tex_writer *w)
{
    for (int i = 0; i < w->len; i++)
        if (pov_report_head_of(key_of(w, i)).group[0])
            return true;
    return false;
}

static void write_heads(const tex_writer *w)
{
    if (has_groups(w)) {
        write_groups(w, false);
        write_groups(w, true);
    }
    for (int i = 0; i < w->len; i++) {
        const pov_report_head head = pov_report_head_of(key_of(w, i));
        fputs(i > 0 ? " & " : "", w->stream);
        write_tex_text(w->stream, head.name);
    }
    fputs(" \\\\\n\\midrule\n", w->stream);
}

/* A row of ours stands out in bold where published ones are beside it. */
static void write_own_row(const tex_writer *w, int row, bool bold)
{
    for (int i = 0; i < w->len; i++) {
        pov_sheet_words words;
        const char *text = pov_report_text_of(&words, w->table, row, w->shown[i]);
        fputs(i > 0 ? " & " : "", w->stream);
        fputs(bold && *text ? "\\textbf{" : "", w->stream);
        write_tex_text(w->stream, text);
        fputs(bold && *text ? "}" : "", w->stream);
        if (words.interval[0] != '\0')
            fprintf(w->stream, " {\\tiny %s}", words.interval);
    }
    fputs(" \\\\\n", w->stream);
}

static void write_published(const tex_writer *w, const pov_published *published, const char *note)
{
    char text[80];
    fprintf(w->stream, "\\midrule\n\\multicolumn{%d}{l}{\\emph{", w->len);
    write_tex_text(w->stream, "Published: ");
    write_tex_text(w->stream, published->source);
    write_tex_text(w->stream, note);
    fputs("}} \\\\\n", w->stream);
    for (int r = 0; published->rows[r]; r++) {
        if (!pov_report_published_fits(published, published->rows[r], w->table))
            continue;
        for (int i = 0; i < w->len; i++) {
            pov_report_published_cell(text, published, published->rows[r], key_of(w, i));
            fputs(i > 0 ? " & " : "", w->stream);
            write_tex_text(w->stream, text);
        }
        fputs(" \\\\\n", w->stream);
    }
}

static bool has_published(const pov_answers *answers, const pov_sheet_table *table)
{
    for (const pov_published *p = POV_PUBLISHED; answers && p->paper; p++)
        if (pov_report_published_is_for(p, answers, table))
            return true;
    return false;
}

void pov_report_write_tex_table(FILE *stream, const pov_answers *answers, const pov_sheet_table *table,
                                const char *label)
{
    tex_writer w = {.stream = stream, .table = table};
    char *note = pov_report_published_note(answers);
    for (int c = 0; c < table->columns_len; c++)
        if (pov_report_column_shows(table, c))
            w.shown[w.len++] = c;
    const bool wide = w.len > 8;
    fprintf(stream,
            "%% Needs \\usepackage{booktabs}; utf8 input.\n\\begin{table%s}\n\\centering%s\n\\caption{",
            wide ? "*" : "", wide ? "\\scriptsize\\setlength{\\tabcolsep}{3pt}" : "\\small");
    write_tex_text(stream, table->title);
    fprintf(stream, "%s}\n\\label{tab:%s}\n\\begin{tabular}{", pov_sheet_title_end(table), label);
    for (int i = 0; i < w.len; i++)
        fputc(is_text(&w, i) ? 'l' : 'r', stream);
    fputs("}\n\\toprule\n", stream);
    write_heads(&w);
    for (int row = 0; row < table->len; row++)
        write_own_row(&w, row, has_published(answers, table));
    for (const pov_published *p = POV_PUBLISHED; answers && p->paper; p++)
        if (pov_report_published_is_for(p, answers, table))
            write_published(&w, p, note);
    free(note);
    fprintf(stream, "\\bottomrule\n\\end{tabular}\n\\end{table%s}\n", wide ? "*" : "");
}
