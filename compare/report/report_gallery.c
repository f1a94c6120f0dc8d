/* Cases one by one: the worst disagreements, and a sheet of images. */
#include "compare/report/report_internal.h"

#include "config/files/markup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether there is a picture to show. */
static bool write_picture(FILE *stream, const pov_report *report, const pov_report_part *part,
                          const char *image)
{
    const pov_report_source *source = &report->source;
    const char *uri =
        *image && source->thumbnail ? source->thumbnail(source->context, part->answers->path, image) : NULL;
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

static void write_disagreement(FILE *stream, const pov_report *report, const pov_report_part *part, int rank)
{
    const pov_report_case *one = &part->cases.all[part->cases.worst[rank]];
    const char *model = pov_report_cell(part->answers, one->row, "model");
    pov_report_words words;
    pov_report_case_describe(&words, part->answers, one);
    fprintf(stream, "<li class=\"case\"><b>%d. ", rank + 1);
    pov_markup_text(stream, model);
    fprintf(stream, "%soff by %.3f</b>", *model ? ", " : "", one->error);
    if (!write_picture(stream, report, part, words.image))
        fputs("<br>", stream);
    fputs("<dl>\n", stream);
    write_term(stream, "Image", words.image, "", NAN);
    write_term(stream, "Question", words.question, "", NAN);
    write_term(stream, "Answer", *words.answer ? words.answer : pov_answer_kind_name(one->kind), "P of yes",
               one->p);
    write_term(stream, "Right is", words.gold, "geometry's P of yes", one->p_geometry);
    write_term(stream, "Answer fits", words.right_in, "", NAN);
    fputs("</dl></li>\n", stream);
}

void pov_report_html_disagreements(FILE *stream, const pov_report *report, const pov_report_part *part)
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
    const char *image;
    int number;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *one = a, *other = b;
    int order = strcmp(one->image, other->image);
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
    pov_markup_text(stream, words.question);
    fputs(" <i>", stream);
    pov_markup_text(stream, *words.answer ? words.answer : pov_answer_kind_name(one->kind));
    fputs("</i>", stream);
    if (!isnan(one->p))
        fprintf(stream, " (P %.2f)", one->p);
    if (one->is_wrong && *words.gold) {
        fputs("; right is <i>", stream);
        pov_markup_text(stream, words.gold);
        fputs("</i>", stream);
    }
    fputs("</li>\n", stream);
}

static void write_image(FILE *stream, const pov_report *report, const pov_report_part *part,
                        const entry *entries, int len)
{
    enum { LINES_MAX = 6 };
    fputs("<figure class=\"contact\">", stream);
    write_picture(stream, report, part, entries[0].image);
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

static int count_same(const entry *entries, int len)
{
    int same = 1;
    while (same < len && strcmp(entries[same].image, entries[0].image) == 0)
        same++;
    return same;
}

/* Evenly spaced among all images. */
static void write_images(FILE *stream, const pov_report *report, const pov_report_part *part,
                         const entry *entries, int len)
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

void pov_report_html_images(FILE *stream, const pov_report *report, const pov_report_part *part)
{
    int len = 0;
    entry *entries = malloc(((size_t)part->cases.len + 1) * sizeof *entries);
    if (!entries)
        return;
    for (int i = 0; i < part->cases.len; i++) {
        entries[len] = (entry){pov_report_image(part->answers, part->cases.all[i].row), i};
        len += *entries[len].image != '\0';
    }
    qsort(entries, (size_t)len, sizeof *entries, compare_entries);
    write_images(stream, report, part, entries, len);
    free(entries);
}
