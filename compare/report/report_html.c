#include "compare/report/report_internal.h"

#include "config/files/markup.h"

#include <string.h>

static void write_element(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, "<%s>", name);
    pov_markup_text(stream, text);
    fprintf(stream, "</%s>\n", name);
}

static void write_head(const pov_report *report, FILE *stream)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          stream);
    write_element(stream, "title", report->source.title);
    fputs("<style>\n", stream);
    for (int i = 0; POV_REPORT_STYLE[i]; i++)
        fprintf(stream, "%s\n", POV_REPORT_STYLE[i]);
    fputs("</style>\n</head>\n<body>\n", stream);
}

static void write_facts(const pov_report *report, FILE *stream)
{
    fputs("<dl class=\"facts\">\n", stream);
    for (int i = 0; i < report->facts_len; i++) {
        write_element(stream, "dt", report->facts[i].name);
        write_element(stream, "dd", report->facts[i].text);
    }
    fputs("</dl>\n", stream);
}

static void write_simulated(const pov_report *report, FILE *stream)
{
    if (report->simulated[0] == '\0')
        return;
    fputs("<p class=\"simulated\">SIMULATED, no finding about a real model or camera: ", stream);
    pov_markup_text(stream, report->simulated);
    fputs("</p>\n", stream);
}

static void write_findings(const pov_report *report, FILE *stream)
{
    fputs("<h2 id=\"findings\">Findings</h2>\n<ul>\n", stream);
    for (int i = 0; i < report->findings_len; i++)
        write_element(stream, "li", report->findings[i]);
    fputs("</ul>\n", stream);
    if (report->findings_left_out > 0)
        fprintf(stream, "<p class=\"note\">%d more are left out; the tables have them.</p>\n",
                report->findings_left_out);
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
        fputs("<li><a href=\"#extra\">Agreement</a></li>\n", stream);
    for (int i = 0; i < report->len; i++) {
        fprintf(stream, "<li><a href=\"#file%d\">", i + 1);
        write_part_name(report, stream, i);
        fputs("</a></li>\n", stream);
    }
    fputs("<li><a href=\"#reading\">How to read it</a></li></ul></nav>\n", stream);
}

/* Those that papers print, and first in a document. */
static bool is_main(const pov_sheet_table *table)
{
    static const char *const keys[] = {"performance", "convention", "perspective", "reading",
                                       "bias",        "visor_cond", "visor_uncond"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(table->key, keys[i]) == 0)
            return true;
    return false;
}

static void write_tables(FILE *stream, const pov_answers *answers, bool main_ones)
{
    for (int i = 0; i < pov_sheet_len(answers->sheet); i++)
        if (is_main(pov_sheet_at(answers->sheet, i)) == main_ones)
            pov_report_html_table(stream, answers, pov_sheet_at(answers->sheet, i));
}

static void write_part(const pov_report *report, FILE *stream, int number)
{
    const pov_report_part *part = &report->parts[number];
    fprintf(stream, "<section>\n<h2 id=\"file%d\">", number + 1);
    write_part_name(report, stream, number);
    fputs("</h2>\n<h3>Tables</h3>\n", stream);
    for (int i = 0; i < pov_sheet_len(part->pivots); i++)
        pov_report_html_table(stream, part->answers, pov_sheet_at(part->pivots, i));
    write_tables(stream, part->answers, true);
    pov_report_html_figures(stream, part);
    pov_report_html_disagreements(stream, report, part);
    pov_report_html_images(stream, report, part);
    fputs("<h3>Further tables</h3>\n", stream);
    write_tables(stream, part->answers, false);
    fputs("</section>\n", stream);
}

static void write_extra(const pov_report *report, FILE *stream)
{
    if (!report->source.extra || report->len == 0)
        return;
    fputs("<section>\n<h2 id=\"extra\">Agreement</h2>\n", stream);
    for (int i = 0; i < pov_sheet_len(report->source.extra); i++)
        pov_report_html_table(stream, report->parts[0].answers, pov_sheet_at(report->source.extra, i));
    fputs("</section>\n", stream);
}

static void write_foot(FILE *stream)
{
    fputs(
        "<section>\n<h2 id=\"reading\">How to read it</h2>\n<dl>\n"
        "<dt>Numbers</dt><dd>times 100; below them, where it has one, the 95 % bootstrap interval. \"-\": "
        "nothing to tell.</dd>\n"
        "<dt>Refused, unclear, missing</dt><dd>answers that say nothing; where a paper scores words, the "
        "first two "
        "are wrong. Missing ones, and in COMFORT's curves all three, are unscored: counted, and left out of "
        "every "
        "mean.</dd>\n"
        "<dt>ε cos, ε hemi</dt><dd>how far a curve, stretched to 0..1, is from (cos θ + 1)/2 and from the "
        "half-plane; smaller is nearer.</dd>\n"
        "<dt>σ, η, c sym, c opp</dt><dd>spread over a scene's variants; noise; difference of mirrored "
        "places; "
        "contradiction of opposite relations.</dd>\n"
        "<dt>Preferred</dt><dd>smallest ε cos, if it beats every other in 95 % of paired bootstraps over "
        "curves and fits better than the same curves turned at random; else \"-\". With \"?\": one curve a "
        "relation has no interval.</dd>\n"
        "<dt>Geometry cannot tell</dt><dd>the station abstains: an answer is neither right nor wrong.</dd>\n"
        "<dt>R, I</dt><dd>of the answers that fit one frame only, the share that fits the relative, the "
        "intrinsic "
        "one.</dd>\n"
        "<dt>VISOR cond, uncond, 1 to 4</dt><dd>generated pictures that show what their caption says: of "
        "those "
        "with both things; of all; captions with at least so many of four.</dd>\n"
        "<dt>Answer fits</dt><dd>the frames of reference in which a wrong answer would have been "
        "right.</dd>\n"
        "<dt>Published</dt><dd>rows in italics are copied from the papers: other images, other models, other "
        "intervals. They are for orientation, not for a test.</dd>\n"
        "</dl>\n</section>\n</main>\n</body>\n</html>\n",
        stream);
}

void pov_report_write_html(const pov_report *report, FILE *stream)
{
    write_head(report, stream);
    fputs("<header>\n", stream);
    write_element(stream, "h1", report->source.title);
    write_simulated(report, stream);
    write_facts(report, stream);
    write_contents(report, stream);
    fputs("</header>\n<main>\n", stream);
    write_findings(report, stream);
    write_extra(report, stream);
    for (int i = 0; i < report->len; i++)
        write_part(report, stream, i);
    write_foot(stream);
}
