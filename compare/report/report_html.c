/* The report as a page. */
#include "compare/report/report_internal.h"

#include "config/files/markup.h"
#include "draw/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is looked up: shown when it is asked for, and in print ---- */

static void begin_fold(FILE *stream, const char *name, const char *end)
{
    fputs("<details><summary>", stream);
    pov_markup_text(stream, name);
    fprintf(stream, "%s</summary>\n", end);
}

static void end_fold(FILE *stream)
{
    fputs("</details>\n", stream);
}

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

static void write_sheet_table(FILE *stream, const pov_answers *answers, const pov_sheet_table *table,
                              bool is_folded)
{
    table_writer w = {.stream = stream, .table = table};
    for (int c = 0; c < table->columns_len; c++)
        if (pov_report_column_shows(table, c))
            w.shown[w.len++] = c;
    if (table->len == 0 || w.len == 0)
        return;
    if (is_folded)
        begin_fold(stream, table->title, pov_sheet_title_end(table));
    fprintf(stream,
            "<div class=\"wide\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table "
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
    if (is_folded)
        end_fold(stream);
}

void pov_report_write_table(FILE *stream, const pov_sheet_table *table)
{
    write_sheet_table(stream, NULL, table, false);
}

/* ---- figures ---- */

typedef struct {
    const pov_report *report;
    FILE *stream;
    FILE *contents; /* links to chapters and sections */
    bool is_in_chapter, is_in_section, is_folded;
    bool is_in_list;            /* of the chapter's sections, in the contents */
    char group[160];            /* of the figures that are being written */
    bool is_in_row, is_in_fold; /* a row of half figures; a fold of figures */
    int shown, left_out;
} page_writer;

static void end_row(page_writer *w)
{
    if (w->is_in_row)
        fputs("</div>\n", w->stream);
    w->is_in_row = false;
}

static void end_figures(void *context)
{
    page_writer *w = context;
    end_row(w);
    if (w->is_in_fold)
        end_fold(w->stream);
    w->is_in_fold = false;
    if (w->left_out > 0)
        fprintf(w->stream,
                "<p class=\"note\">%d more figures are left out here; --figures writes them all.</p>\n",
                w->left_out);
    w->shown = w->left_out = 0;
    w->group[0] = '\0';
}

/* The figures of a group are folded; of others all but the first. */
static void begin_place(page_writer *w, const pov_report_place *place)
{
    const bool is_new = strcmp(w->group, place->group) != 0;
    if (w->is_in_fold && is_new) {
        end_row(w);
        end_fold(w->stream);
        w->is_in_fold = false;
    }
    snprintf(w->group, sizeof w->group, "%s", place->group);
    if (!w->is_in_fold && (*place->group || w->shown > 0)) {
        begin_fold(w->stream, *place->group ? place->group : "More of these figures", "");
        w->is_in_fold = true;
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
    page_writer *w = context;
    const bool is_group = *place->group != '\0';
    if (is_group ? place->number >= POV_REPORT_CURVES_MAX : w->shown >= POV_REPORT_CURVES_MAX) {
        w->left_out++;
        return;
    }
    begin_place(w, place);
    w->shown += !is_group;
    pov_report_write_figure(w->stream, figure, place->is_wide);
}

/* ---- cases one by one: the worst disagreements ---- */

/* marks: of a row's question; "": the picture is about several. False: there is no picture to show. */
static bool write_picture(FILE *stream, const pov_report *report, const pov_report_part *part, int row,
                          const char *marks)
{
    const pov_report_source *source = &report->source;
    const char *image = pov_report_image(part->answers, row),
               *uri = *image && source->thumbnail
                          ? source->thumbnail(source->context, pov_report_image_base(part->answers), image,
                                              pov_report_cell(part->answers, row, "sha256"), marks)
                          : NULL;
    if (!uri)
        return false;
    fprintf(stream, "<img src=\"%s\" alt=\"", uri);
    pov_markup_text(stream, image);
    fputs("\">", stream);
    return true;
}

static const char *answer_of(const pov_report_words *words, const pov_report_case *one)
{
    return words->answer.len > 0 ? pov_text_of(&words->answer) : pov_answer_kind_name(one->kind);
}

/* Wrong answers of one kind, with the worst of their images. */
static void write_kind(FILE *stream, const pov_report *report, const pov_report_part *part,
                       const pov_report_kind *kind)
{
    const pov_report_case *worst = &part->cases.all[kind->shown[0]];
    pov_report_words words;
    pov_report_case_describe(&words, part->answers, worst);
    fputs("<li class=\"case\"><p><b>", stream);
    pov_markup_text(stream, pov_text_of(&kind->asked));
    fputs("</b> ", stream);
    pov_markup_text(stream, pov_text_of(&kind->model));
    fputs(": <b class=\"wrong\">", stream);
    pov_markup_text(stream, answer_of(&words, worst));
    fputs("</b>", stream);
    if (!isnan(worst->p))
        fprintf(stream, " (%s%.0f\u00a0%%)", kind->len > 1 ? "up to " : "",
                100 * fmax(worst->p, 1 - worst->p));
    fputs(". Right: <b>", stream);
    pov_markup_text(stream, pov_text_of(&words.gold));
    fprintf(stream, "</b>. <small>%d answer%s like this", kind->len, kind->len == 1 ? "" : "s");
    if (words.right_in.len > 0) {
        fputs("; the worst fits: ", stream);
        pov_markup_text(stream, pov_text_of(&words.right_in));
    }
    fputs("</small></p>\n<div class=\"like\">", stream);
    pov_report_words_free(&words);
    for (int i = 0; i < kind->shown_len; i++) {
        const pov_report_case *one = &part->cases.all[kind->shown[i]];
        fputs("<figure>", stream);
        write_picture(stream, report, part, one->row, pov_report_cell(part->answers, one->row, "marks"));
        fputs("<figcaption>", stream);
        pov_report_case_describe(&words, part->answers, one);
        char *line = pov_report_case_line(&words, part->answers, one);
        pov_markup_text(stream, line);
        free(line);
        pov_report_words_free(&words);
        fputs("</figcaption></figure>\n", stream);
    }
    fputs("</div></li>\n", stream);
}

static bool has_marks(const pov_report *report, const pov_report_part *part)
{
    return report->source.thumbnail && part->answers->table &&
           pov_table_column(part->answers->table, "marks") >= 0;
}

static void write_cases(void *context, int number)
{
    page_writer *w = context;
    const pov_report_part *part = &w->report->parts[number];
    const pov_report_cases *cases = &part->cases;
    FILE *stream = w->stream;
    fprintf(stream, "<p>%d of %d scored answers are wrong.", cases->wrong, cases->scored);
    if (cases->untold > 0)
        fprintf(stream, " %d more are not scored: geometry cannot tell.", cases->untold);
    if (cases->wrong == 0) {
        fputs("</p>\n", stream);
        return;
    }
    pov_report_kinds kinds;
    pov_report_kinds_new(&kinds, cases, part->answers);
    if (kinds.all > kinds.len)
        fprintf(stream, " They are of %d kinds; these are the %d most frequent.", kinds.all, kinds.len);
    if (has_marks(w->report, part))
        fputs(" <span class=\"case-marks\">In the pictures: <b class=\"referent\"></b> the thing asked about "
              "(referent), <b "
              "class=\"relatum\"></b> the one it is related to (relatum), <b class=\"viewer\"></b> the "
              "viewer.</span>",
              stream);
    fputs("</p>\n<ol class=\"cases\">\n", stream);
    for (int i = 0; i < kinds.len; i++)
        write_kind(stream, w->report, part, &kinds.at[i]);
    fputs("</ol>\n", stream);
    pov_report_kinds_free(&kinds);
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
    write_picture(stream, report, part, part->cases.all[entries[0].number].row, "");
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
            "<p>%d of %d images, with what geometry and the model say.</p>\n<div "
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

static void write_images(void *context, int number)
{
    const page_writer *w = context;
    const pov_report_part *part = &w->report->parts[number];
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
    write_contact_sheet(w->stream, w->report, part, entries, len);
    free(entries);
}

/* ---- the page ---- */

/* What a part is about: one sentence, one figure, how much was answered. */
static void write_summary(void *context, int number)
{
    page_writer *w = context;
    const pov_report_part *part = &w->report->parts[number];
    pov_figure *figure = pov_figure_new();
    fputs("<p class=\"lead\">", w->stream);
    pov_markup_text(w->stream, part->sentence);
    fputs("</p>\n", w->stream);
    if (pov_report_summary_figure(figure, w->report, number)) {
        pov_page_figure_begin(w->stream, "curves summary");
        pov_figure_draw(figure, w->stream, POV_FIGURE_ON_PAGE);
        pov_page_figure_end(w->stream, pov_text_of(&figure->caption));
    }
    fputs("<p class=\"coverage\">", w->stream);
    pov_markup_text(w->stream, part->coverage);
    fputs("</p>\n", w->stream);
    pov_figure_destroy(&figure);
}

static void write_finding_list(const pov_report *report, FILE *stream, int from, int to)
{
    fputs("<ul>\n", stream);
    for (int i = from; i < to; i++) {
        fputs("<li>", stream);
        pov_markup_text(stream, report->findings[i]);
        fputs("</li>\n", stream);
    }
    fputs("</ul>\n", stream);
}

static void write_findings(void *context)
{
    enum { SHOWN = 6 };
    const page_writer *w = context;
    const int len = w->report->findings_len, shown = len > SHOWN + 1 ? SHOWN : len;
    write_finding_list(w->report, w->stream, 0, shown);
    if (shown == len)
        return;
    char *more = pov_text_new("%d more findings", len - shown);
    begin_fold(w->stream, more, "");
    write_finding_list(w->report, w->stream, shown, len);
    end_fold(w->stream);
    free(more);
}

/* ---- chapters, sections and the list of them ---- */

static void end_page_section(page_writer *w)
{
    if (!w->is_in_section)
        return;
    end_figures(w);
    if (w->is_folded)
        end_fold(w->stream);
    w->is_in_section = w->is_folded = false;
}

static void add_link(page_writer *w, const char *id, const char *name)
{
    fprintf(w->contents, "<li><a href=\"#%s\">", id);
    pov_markup_text(w->contents, name);
    fputs("</a>", w->contents);
}

static void end_chapter(page_writer *w)
{
    end_page_section(w);
    if (w->is_in_chapter)
        fprintf(w->contents, "%s</li>\n", w->is_in_list ? "</ul>" : "");
    w->is_in_chapter = w->is_in_list = false;
}

static void begin_chapter(void *context, const char *id, const char *name)
{
    page_writer *w = context;
    end_chapter(w);
    w->is_in_chapter = true;
    add_link(w, id, name);
    fprintf(w->stream, "<h2 id=\"%s\">", id);
    pov_markup_text(w->stream, name);
    fputs("</h2>\n", w->stream);
}

static void begin_page_section(void *context, const char *id, const char *name, bool is_folded)
{
    page_writer *w = context;
    end_page_section(w);
    if (!w->is_in_list)
        fputs("<ul>", w->contents);
    w->is_in_list = true;
    add_link(w, id, name);
    fputs("</li>", w->contents);
    fprintf(w->stream, "<h3 id=\"%s\">", id);
    pov_markup_text(w->stream, name);
    fputs("</h3>\n", w->stream);
    w->is_in_section = true;
    w->is_folded = is_folded;
    if (is_folded)
        begin_fold(w->stream, "Show", "");
}

/* Of the papers' own forms those that tell more than ours. */
static void write_table_of(void *context, const pov_answers *answers, const pov_sheet_table *table,
                           pov_report_table_role role)
{
    const page_writer *w = context;
    if (role != POV_REPORT_FORM || strcmp(table->key, "choices") == 0)
        write_sheet_table(w->stream, answers, table, !pov_report_is_of_conditions(table));
}

/* ---- the page ---- */

static void write_facts(void *context)
{
    const page_writer *w = context;
    begin_fold(w->stream, "Models, dates, calibration, cost, the command that makes this report again", "");
    fputs("<dl class=\"facts\">\n", w->stream);
    for (int i = 0; i < w->report->facts_len; i++) {
        fputs("<dt>", w->stream);
        pov_markup_text(w->stream, w->report->facts[i].name);
        fputs("</dt>\n<dd>", w->stream);
        pov_markup_text(w->stream, w->report->facts[i].text);
        fputs("</dd>\n", w->stream);
    }
    fputs("</dl>\n", w->stream);
    end_fold(w->stream);
}

static void write_simulated(const pov_report *report, FILE *stream)
{
    if (report->simulated.len == 0)
        return;
    pov_page_element(stream, "p class=\"simulated\"",
                     "SIMULATED, no finding about a real model or camera: %s",
                     pov_text_of(&report->simulated));
}

static void write_reading(void *context)
{
    const page_writer *w = context;
    begin_fold(w->stream, "Numbers, words and signs", "");
    fputs(
        "<dl>\n"
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
        "</dl>\n",
        w->stream);
    end_fold(w->stream);
}

static FILE *open_memory(char **text, size_t *length)
{
    FILE *memory = open_memstream(text, length);
    POV_REQUIRE_MEMORY(memory);
    return memory;
}

void pov_report_write_html(const pov_report *report, FILE *stream)
{
    static const pov_report_writer writer = {.chapter = begin_chapter,
                                             .section = begin_page_section,
                                             .summary = write_summary,
                                             .findings = write_findings,
                                             .table = write_table_of,
                                             .figure = write_figure,
                                             .figures_end = end_figures,
                                             .cases = write_cases,
                                             .images = write_images,
                                             .methods = write_facts,
                                             .reading = write_reading};
    char *body = NULL, *contents = NULL;
    size_t body_len, contents_len;
    page_writer w = {.report = report,
                     .stream = open_memory(&body, &body_len),
                     .contents = open_memory(&contents, &contents_len)};
    pov_report_walk(report, &writer, &w);
    end_chapter(&w);
    POV_REQUIRE_MEMORY(fclose(w.stream) == 0 && fclose(w.contents) == 0);
    pov_page_begin(stream, report->title);
    fprintf(stream, "<div class=\"report\">\n<nav aria-label=\"Contents\"><ul>%s</ul></nav>\n<main>\n",
            contents);
    fputs("<h1>", stream);
    pov_markup_text(stream, report->title);
    fputs("</h1>\n", stream);
    write_simulated(report, stream);
    fprintf(stream, "%s</main>\n</div>\n", body);
    pov_page_end(stream);
    free(body);
    free(contents);
}
