/* The report as a page. */
#include "compare/report/report_internal.h"

#include "config/files/markup.h"
#include "draw/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

typedef struct {
    FILE *stream;
    const pov_sheet_table *table;
    int shown[POV_SHEET_COLUMNS_MAX], len; /* columns in which something stands */
    const char *note;                      /* to published rows */
} table_writer;

static const char *cell_class(const table_writer *w, int column)
{
    return w->table->columns[column].kind == POV_SHEET_TEXT ? "" : " class=\"number\"";
}

static void write_column_names(const table_writer *w)
{
    fputs("<thead><tr>", w->stream);
    for (int i = 0; i < w->len; i++) {
        fprintf(w->stream, "<th scope=\"col\"%s>", cell_class(w, w->shown[i]));
        pov_markup_text(w->stream, pov_report_column_words(w->table->columns[w->shown[i]].key));
        fputs("</th>", w->stream);
    }
    fputs("</tr></thead>\n", w->stream);
}

static void write_table_cell(const table_writer *w, int row, int column)
{
    pov_sheet_words words;
    const char *text = pov_report_text_of(&words, w->table, row, column);
    int best = pov_sheet_column_of(w->table, "best");
    bool is_best = best >= 0 && strcmp(w->table->rows[row][best].text, w->table->columns[column].key) == 0;
    fprintf(w->stream, "<td%s>%s", cell_class(w, column), is_best ? "<b>" : "");
    pov_markup_text(w->stream, text);
    if (is_best)
        fputs("</b>", w->stream);
    if (words.interval[0] != '\0')
        fprintf(w->stream, "<small>%s</small>", words.interval);
    fputs("</td>", w->stream);
}

static void write_published_row(const table_writer *w, const pov_published *published, const char *row)
{
    char text[80];
    fputs("<tr>", w->stream);
    for (int i = 0; i < w->len; i++) {
        fprintf(w->stream, "<td%s>", cell_class(w, w->shown[i]));
        pov_report_published_cell(text, published, row, w->table->columns[w->shown[i]].key);
        pov_markup_text(w->stream, text);
        fputs("</td>", w->stream);
    }
    fputs("</tr>\n", w->stream);
}

static void write_published(const table_writer *w, const pov_published *published)
{
    fprintf(
        w->stream,
        "<tbody class=\"theirs\"><tr><th colspan=\"%d\" scope=\"rowgroup\">Published, not ours: ", w->len);
    pov_markup_text(w->stream, published->source);
    pov_markup_text(w->stream, w->note);
    fputs("</th></tr>\n", w->stream);
    for (int i = 0; published->rows[i]; i++)
        if (pov_report_published_fits(published, published->rows[i], w->table))
            write_published_row(w, published, published->rows[i]);
    fputs("</tbody>\n", w->stream);
}

static void write_rows(const table_writer *w)
{
    int rows = w->table->len < POV_REPORT_ROWS_MAX ? w->table->len : POV_REPORT_ROWS_MAX;
    fputs("<tbody>\n", w->stream);
    for (int row = 0; row < rows; row++) {
        fputs("<tr>", w->stream);
        for (int i = 0; i < w->len; i++)
            write_table_cell(w, row, w->shown[i]);
        fputs("</tr>\n", w->stream);
    }
    fputs("</tbody>\n", w->stream);
}

static void write_sheet_table(FILE *stream, const pov_answers *answers, const pov_sheet_table *table)
{
    table_writer w = {.stream = stream, .table = table};
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
    write_column_names(&w);
    write_rows(&w);
    char *note = pov_report_published_note(answers);
    w.note = note;
    for (const pov_published *p = POV_PUBLISHED; answers && p->paper; p++)
        if (pov_report_published_is_for(p, answers, table))
            write_published(&w, p);
    free(note);
    fputs("</table></div>\n", stream);
    if (table->len > POV_REPORT_ROWS_MAX)
        fprintf(stream, "<p class=\"note\">%d more rows are left out here; the CSV has them all.</p>\n",
                table->len - POV_REPORT_ROWS_MAX);
}

void pov_report_write_table(FILE *stream, const pov_sheet_table *table)
{
    write_sheet_table(stream, NULL, table);
}

/* ---- figures ---- */

typedef struct {
    FILE *stream;
    char section[80], group[160];
    bool is_in_row; /* of half figures */
    int shown, left_out;
} figure_writer;

static void end_row(figure_writer *w)
{
    if (w->is_in_row)
        fputs("</div>\n", w->stream);
    w->is_in_row = false;
}

static void end_section(figure_writer *w)
{
    end_row(w);
    if (w->left_out > 0)
        fprintf(w->stream,
                "<p class=\"note\">%d more figures are left out here; --figures writes them all.</p>\n",
                w->left_out);
    w->shown = w->left_out = 0;
}

static void begin_place(figure_writer *w, const pov_report_place *place)
{
    if (strcmp(w->section, place->section) != 0) {
        end_section(w);
        pov_page_element(w->stream, "h3", "%s", place->section);
        snprintf(w->section, sizeof w->section, "%s", place->section);
        w->group[0] = '\0';
    }
    if (strcmp(w->group, place->group) != 0) {
        end_row(w);
        pov_page_element(w->stream, "h4", "%s", place->group);
        snprintf(w->group, sizeof w->group, "%s", place->group);
    }
    if (place->is_wide)
        end_row(w);
    else if (!w->is_in_row)
        fputs("<div class=\"group\">\n", w->stream);
    w->is_in_row = !place->is_wide;
}

void pov_report_write_figure(FILE *stream, const pov_figure *figure, bool is_wide)
{
    pov_page_figure_begin(stream, is_wide ? "curves" : "half");
    pov_figure_draw(figure, stream, POV_FIGURE_ON_PAGE);
    pov_page_figure_end(stream, pov_text_of(&figure->caption));
}

static void write_figure(void *context, const pov_figure *figure, const pov_report_place *place)
{
    figure_writer *w = context;
    const bool is_group = *place->group != '\0';
    if (is_group ? place->number >= POV_REPORT_CURVES_MAX : w->shown >= POV_REPORT_CURVES_MAX) {
        w->left_out++;
        return;
    }
    begin_place(w, place);
    w->shown += !is_group;
    pov_report_write_figure(w->stream, figure, place->is_wide);
}

static void write_figures(const pov_report *report, FILE *stream, int number)
{
    figure_writer w = {.stream = stream};
    pov_report_figures(report, number, write_figure, &w);
    end_section(&w);
}

/* ---- cases one by one: the worst disagreements ---- */

/* False: there is no picture to show. */
static bool write_picture(FILE *stream, const pov_report *report, const pov_report_part *part, int row)
{
    const pov_report_source *source = &report->source;
    const char *image = pov_report_image(part->answers, row),
               *uri = *image && source->thumbnail
                          ? source->thumbnail(source->context, pov_report_image_base(part->answers), image,
                                              pov_report_cell(part->answers, row, "sha256"))
                          : NULL;
    if (!uri)
        return false;
    fprintf(stream, "<img src=\"%s\" alt=\"", uri);
    pov_markup_text(stream, image);
    fputs("\">", stream);
    return true;
}

/* A term with its text, and a probability if it has one. */
static void write_term(FILE *stream, const char *name, const char *text, const char *p_name, double p)
{
    if (*text == '\0')
        return;
    fprintf(stream, "<dt>%s</dt><dd>", name);
    pov_markup_text(stream, text);
    if (!isnan(p))
        fprintf(stream, " (%s %.3f)", p_name, p);
    fputs("</dd>\n", stream);
}

static const char *answer_of(const pov_report_words *words, const pov_report_case *one)
{
    return words->answer.len > 0 ? pov_text_of(&words->answer) : pov_answer_kind_name(one->kind);
}

static void write_disagreement(FILE *stream, const pov_report *report, const pov_report_part *part, int rank)
{
    const pov_report_case *one = &part->cases.all[part->cases.worst[rank]];
    const char *model = pov_report_cell(part->answers, one->row, "model");
    pov_report_words words;
    pov_report_case_describe(&words, part->answers, one);
    fprintf(stream, "<li class=\"case\"><b>%d. ", rank + 1);
    pov_markup_text(stream, model);
    fprintf(stream, "%soff by %.3f</b>", *model ? ", " : "", one->error);
    if (!write_picture(stream, report, part, one->row))
        fputs("<br>", stream);
    fputs("<dl>\n", stream);
    write_term(stream, "Image", words.image, "", NAN);
    write_term(stream, "Question", pov_text_of(&words.question), "", NAN);
    write_term(stream, "Answer", answer_of(&words, one), "P of yes", one->p);
    write_term(stream, "Right is", pov_text_of(&words.gold), "geometry's P of yes", one->p_geometry);
    write_term(stream, "Answer fits", pov_text_of(&words.right_in), "", NAN);
    fputs("</dl></li>\n", stream);
    pov_report_words_free(&words);
}

static void write_disagreements(FILE *stream, const pov_report *report, const pov_report_part *part)
{
    const pov_report_cases *cases = &part->cases;
    fputs("<h3>Disagreements, worst first</h3>\n", stream);
    fprintf(stream, "<p>%d of %d scored answers are wrong.", cases->wrong, cases->scored);
    if (cases->wrong > cases->worst_len)
        fprintf(stream, " These are the worst %d.", cases->worst_len);
    if (cases->untold > 0)
        fprintf(stream, " %d more are not scored: geometry cannot tell.", cases->untold);
    fputs("</p>\n", stream);
    if (cases->worst_len == 0)
        return;
    fputs("<ol class=\"cases\">\n", stream);
    for (int i = 0; i < cases->worst_len; i++)
        write_disagreement(stream, report, part, i);
    fputs("</ol>\n", stream);
}

/* ---- the contact sheet ---- */

/* Numbers of cases, sorted by image; equal images in the file's order. */
typedef struct {
    const char *image, *sha256;
    int number;
} case_entry;

static int compare_entries(const void *a, const void *b)
{
    const case_entry *one = a, *other = b;
    int order = strcmp(one->image, other->image);
    order = order != 0 ? order : strcmp(one->sha256, other->sha256);
    return order != 0 ? order : (one->number > other->number) - (one->number < other->number);
}

static void write_line(FILE *stream, const pov_report_part *part, int number)
{
    const pov_report_case *one = &part->cases.all[number];
    pov_report_words words;
    pov_report_case_describe(&words, part->answers, one);
    fprintf(stream, "<li class=\"%s\"><span class=\"mark\">%s</span> ", one->is_wrong ? "wrong" : "right",
            one->is_untold    ? "not scored: geometry cannot tell"
            : !one->is_scored ? "unscored"
            : one->is_wrong   ? "✗ wrong"
                              : "✓ right");
    pov_markup_text(stream, pov_text_of(&words.question));
    fputs(" <i>", stream);
    pov_markup_text(stream, answer_of(&words, one));
    fputs("</i>", stream);
    if (!isnan(one->p))
        fprintf(stream, " (P %.2f)", one->p);
    if (one->is_wrong && words.gold.len > 0) {
        fputs("; right is <i>", stream);
        pov_markup_text(stream, pov_text_of(&words.gold));
        fputs("</i>", stream);
    }
    pov_report_words_free(&words);
    fputs("</li>\n", stream);
}

static void write_image(FILE *stream, const pov_report *report, const pov_report_part *part,
                        const case_entry *entries, int len)
{
    enum { LINES_MAX = 6 };
    fputs("<figure class=\"contact\">", stream);
    write_picture(stream, report, part, part->cases.all[entries[0].number].row);
    fputs("<figcaption><b>", stream);
    pov_markup_text(stream, entries[0].image);
    fputs("</b><ul>\n", stream);
    for (int i = 0; i < len && i < LINES_MAX; i++)
        write_line(stream, part, entries[i].number);
    fputs("</ul>", stream);
    if (len > LINES_MAX)
        fprintf(stream, "%d more answers", len - LINES_MAX);
    fputs("</figcaption></figure>\n", stream);
}

static int count_same(const case_entry *entries, int len)
{
    int same = 1;
    while (same < len && strcmp(entries[same].image, entries[0].image) == 0 &&
           strcmp(entries[same].sha256, entries[0].sha256) == 0)
        same++;
    return same;
}

/* Evenly spaced among all images. */
static void write_contact_sheet(FILE *stream, const pov_report *report, const pov_report_part *part,
                                const case_entry *entries, int len)
{
    int images = 0, image = 0;
    for (int i = 0; i < len; i += count_same(entries + i, len - i))
        images++;
    int shown = images < POV_REPORT_IMAGES_MAX ? images : POV_REPORT_IMAGES_MAX;
    if (images == 0)
        return;
    fprintf(stream,
            "<h3>Images</h3>\n<p>%d of %d images, with what geometry and the model say.</p>\n<div "
            "class=\"sheet\">\n",
            shown, images);
    for (int i = 0; i < len; image++) {
        int same = count_same(entries + i, len - i);
        if ((long)image * shown / images != (long)(image - 1) * shown / images || image == 0)
            write_image(stream, report, part, entries + i, same);
        i += same;
    }
    fputs("</div>\n", stream);
}

static void write_images(FILE *stream, const pov_report *report, const pov_report_part *part)
{
    int len = 0;
    case_entry *entries = malloc(((size_t)part->cases.len + 1) * sizeof *entries);
    if (!entries)
        return;
    for (int i = 0; i < part->cases.len; i++) {
        const int row = part->cases.all[i].row;
        entries[len] = (case_entry){pov_report_image(part->answers, row),
                                    pov_report_cell(part->answers, row, "sha256"), i};
        len += *entries[len].image != '\0';
    }
    qsort(entries, (size_t)len, sizeof *entries, compare_entries);
    write_contact_sheet(stream, report, part, entries, len);
    free(entries);
}

/* ---- the page ---- */

static void write_facts(const pov_report *report, FILE *stream)
{
    fputs("<dl class=\"facts\">\n", stream);
    for (int i = 0; i < report->facts_len; i++) {
        pov_page_element(stream, "dt", "%s", report->facts[i].name);
        pov_page_element(stream, "dd", "%s", report->facts[i].text);
    }
    fputs("</dl>\n", stream);
}

static void write_simulated(const pov_report *report, FILE *stream)
{
    if (report->simulated.len == 0)
        return;
    pov_page_element(stream, "p class=\"simulated\"",
                     "SIMULATED, no finding about a real model or camera: %s",
                     pov_text_of(&report->simulated));
}

static void write_findings(const pov_report *report, FILE *stream)
{
    fputs("<h2 id=\"findings\">Findings</h2>\n<ul>\n", stream);
    for (int i = 0; i < report->findings_len; i++)
        pov_page_element(stream, "li", "%s", report->findings[i]);
    fputs("</ul>\n", stream);
}

static void write_part_name(const pov_report *report, FILE *stream, int number)
{
    pov_markup_text(stream, pov_report_paper_title(report->parts[number].answers));
    if (pov_report_has_others(report, number)) {
        fputs(": ", stream);
        pov_markup_text(stream, pov_report_part_name(report, number));
    }
}

static void write_contents(const pov_report *report, FILE *stream)
{
    fputs("<nav aria-label=\"Contents\"><ul><li><a href=\"#findings\">Findings</a></li>\n", stream);
    if (report->source.extra)
        fputs("<li><a href=\"#extra\">All answers together</a></li>\n", stream);
    for (int i = 0; i < report->len; i++) {
        fprintf(stream, "<li><a href=\"#file%d\">", i + 1);
        write_part_name(report, stream, i);
        fputs("</a></li>\n", stream);
    }
    fputs("<li><a href=\"#reading\">How to read it</a></li></ul></nav>\n", stream);
}

/* Tables that the papers print; they come first. */
static bool is_main(const pov_sheet_table *table)
{
    static const char *const keys[] = {"performance", "convention",   "perspective", "reading", "bias",
                                       "visor_cond",  "visor_uncond", "robust",      "effects"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(table->key, keys[i]) == 0)
            return true;
    return false;
}

static void write_tables(FILE *stream, const pov_answers *answers, bool main_ones)
{
    for (int i = 0; i < pov_sheet_len(answers->sheet); i++)
        if (is_main(pov_sheet_at(answers->sheet, i)) == main_ones)
            write_sheet_table(stream, answers, pov_sheet_at(answers->sheet, i));
}

static void write_part(const pov_report *report, FILE *stream, int number)
{
    const pov_report_part *part = &report->parts[number];
    fprintf(stream, "<section>\n<h2 id=\"file%d\">", number + 1);
    write_part_name(report, stream, number);
    fputs("</h2>\n", stream);
    fputs("<h3>Tables</h3>\n", stream);
    for (int i = 0; i < pov_sheet_len(part->pivots); i++)
        write_sheet_table(stream, part->answers, pov_sheet_at(part->pivots, i));
    if (pov_sheet_find(part->forms, "choices"))
        write_sheet_table(stream, part->answers, pov_sheet_find(part->forms, "choices"));
    write_tables(stream, part->answers, true);
    write_figures(report, stream, number);
    write_disagreements(stream, report, part);
    write_images(stream, report, part);
    fputs("<h3>Further tables</h3>\n", stream);
    for (int i = 0; i < pov_sheet_len(part->compared); i++)
        write_sheet_table(stream, part->answers, pov_sheet_at(part->compared, i));
    write_tables(stream, part->answers, false);
    fputs("</section>\n", stream);
}

static void write_extra(const pov_report *report, FILE *stream)
{
    if (!report->source.extra)
        return;
    fputs("<section>\n<h2 id=\"extra\">All answers together</h2>\n", stream);
    for (int i = 0; i < pov_sheet_len(report->source.extra); i++)
        write_sheet_table(stream, report->parts[0].answers, pov_sheet_at(report->source.extra, i));
    fputs("</section>\n", stream);
}

static void write_foot(FILE *stream)
{
    fputs(
        "<section>\n<h2 id=\"reading\">How to read it</h2>\n<dl>\n"
        "<dt>Numbers</dt><dd>times 100; below them, where it has one, the 95 % bootstrap interval. \"-\": "
        "nothing to tell.</dd>\n"
        "<dt>Refused, unclear, missing</dt><dd>answers that say nothing; where a paper scores words, the "
        "first two are wrong. Missing ones, and in COMFORT's curves all three, are unscored: counted, and "
        "left out of every mean.</dd>\n"
        "<dt>ε cos, ε hemi</dt><dd>how far a curve, stretched to 0..1, is from (cos θ + 1)/2 and from the "
        "half-plane; smaller is nearer.</dd>\n"
        "<dt>Scenes, n</dt><dd>a scene in one variant and facing: its relations are the same images, so it "
        "is drawn and flipped "
        "whole, with all its repetitions. One scene has no interval and no rank; fewer than six have no "
        "test.</dd>\n"
        "<dt>Bands</dt><dd>95 % bootstrap intervals of the mean over scenes.</dd>\n"
        "<dt>σ, η, c sym, c opp</dt><dd>spread over a scene's variants; noise; difference of mirrored "
        "places; contradiction of opposite relations.</dd>\n"
        "<dt>Preferred</dt><dd>smallest ε cos, if it beats every other in 95 % of paired bootstraps over "
        "whole scenes and fits better than the same scenes turned at random; else \"-\". With \"?\": fewer "
        "than six scenes, not tested.</dd>\n"
        "<dt>Geometry cannot tell</dt><dd>the station abstains: an answer is neither right nor wrong.</dd>\n"
        "<dt>R, I</dt><dd>of the answers that fit one frame only, the share that fits the relative, the "
        "intrinsic one.</dd>\n"
        "<dt>VISOR cond, uncond, 1 to 4</dt><dd>generated pictures that show what their caption says: of "
        "those with both things; of all; captions with at least so many of four.</dd>\n"
        "<dt>Answer fits</dt><dd>the frames of reference in which a wrong answer would have been "
        "right.</dd>\n"
        "<dt>Published</dt><dd>rows in italics are copied from the papers: other images, other models, other "
        "intervals. They are for orientation, not for a test.</dd>\n"
        "</dl>\n</section>\n</main>\n",
        stream);
}

void pov_report_write_html(const pov_report *report, FILE *stream)
{
    pov_page_begin(stream, report->source.title);
    fputs("<header>\n", stream);
    pov_page_element(stream, "h1", "%s", report->source.title);
    write_simulated(report, stream);
    write_facts(report, stream);
    write_contents(report, stream);
    fputs("</header>\n<main>\n", stream);
    write_findings(report, stream);
    write_extra(report, stream);
    for (int i = 0; i < report->len; i++)
        write_part(report, stream, i);
    write_foot(stream);
    pov_page_end(stream);
}
