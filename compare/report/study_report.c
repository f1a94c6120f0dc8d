#include "compare/report/study_report.h"

#include "compare/report/report_internal.h"
#include "draw/page.h"

#include <math.h>

static void write_fact(FILE *stream, const char *name, const char *text)
{
    pov_page_element(stream, "dt", "%s", name);
    pov_page_element(stream, "dd", "%s", text);
}

static void write_facts(const pov_study_report *report, FILE *stream)
{
    const pov_study_counts *n = &report->counts;
    char text[200];
    fputs("<dl class=\"facts\">\n", stream);
    if (*report->about)
        write_fact(stream, "about", report->about);
    snprintf(text, sizeof text, "%d with consent, %d withdrawn (all they left was removed)", n->consenting,
             n->withdrawn);
    write_fact(stream, "participants", text);
    snprintf(text, sizeof text, "%d done, %d abandoned, %d interrupted; %d images, %d events", n->done,
             n->abandoned, n->interrupted, n->images, n->events);
    write_fact(stream, "trials", text);
    snprintf(text, sizeof text, "%d labels", n->ratings);
    write_fact(stream, "raters", text);
    write_fact(stream, "consent to", report->consent);
    snprintf(text, sizeof text, "pov %.100s", report->version);
    write_fact(stream, "written by", text);
    fputs("</dl>\n", stream);
}

static void write_findings(const pov_study_report *report, FILE *stream)
{
    const pov_study_results *r = report->results;
    pov_estimate best;
    fputs("<h2>Findings</h2>\n<ul>\n", stream);
    for (int c = 0; c < pov_study_condition_len(r); c++) {
        int which = -1;
        best = (pov_estimate){NAN, NAN, NAN, 0};
        for (int f = 0; f < pov_study_frame_len(r); f++) {
            const pov_estimate share = pov_study_frame_share(r, c, f);
            if (!(share.mean <= best.mean) && !isnan(share.mean)) {
                best = share;
                which = f;
            }
        }
        if (which >= 0)
            pov_page_element(
                stream, "li",
                "%s: most often meant was %s, in %.0f %% of trials (95 %%: %.0f to %.0f; %d participants).",
                pov_study_condition(r, c), pov_study_frame(r, which), 100 * best.mean, 100 * best.low,
                100 * best.high, best.n);
    }
    fputs("</ul>\n", stream);
}

bool pov_study_report_figure(pov_figure *figure, const pov_study_results *r)
{
    pov_figure_clear(figure);
    figure->kind = POV_FIGURE_INTERVALS;
    figure->axis = "% of trials";
    figure->columns_len = pov_study_frame_len(r);
    for (int f = 0; f < figure->columns_len; f++)
        figure->columns[f] = pov_study_frame(r, f);
    for (int c = 0; c < pov_study_condition_len(r) && c < POV_FIGURE_ROWS_MAX; c++) {
        pov_figure_row *row = &figure->rows[figure->len++];
        row->name = pov_text_new("%s", pov_study_condition(r, c));
        row->chance = NAN;
        for (int f = 0; f < figure->columns_len; f++)
            row->at[f] = pov_study_frame_share(r, c, f);
    }
    snprintf(figure->name, sizeof figure->name, "study_frames_meant");
    pov_text_set(&figure->title, "Frame of reference meant, by condition");
    pov_text_set(&figure->caption, "Frame of reference meant: mean over participants.");
    return figure->len > 0;
}

static void write_frames(const pov_study_results *results, FILE *stream)
{
    pov_figure *figure = pov_figure_new();
    if (pov_study_report_figure(figure, results))
        pov_report_write_figure(stream, figure, true);
    pov_figure_destroy(&figure);
}

static void write_foot(FILE *stream)
{
    fputs("<section>\n<h2>How to read it</h2>\n<dl>\n"
          "<dt>Numbers</dt><dd>times 100: means over participants, each of whom counts alike; below them the "
          "95 % bootstrap interval over participants.</dd>\n"
          "<dt>Frame meant</dt><dd>the frame of reference in which the words mean the thing that was picked, "
          "or else the trial's target. \"several\": in more than one; \"none\": in none. Trials in which the "
          "robot read no thing at all are left out.</dd>\n"
          "<dt>asked back, refused, right</dt><dd>what the robot would have done with the last utterance "
          "that it understood. \"right\": of the trials in which it did not ask back, those in which it "
          "picked the thing meant. \"right or asked\": of all trials, those in which it would not have "
          "handed over the wrong thing.</dd>\n"
          "<dt>κ</dt><dd>Cohen's kappa: agreement of two raters beyond chance; from and to: 1.96 standard "
          "errors.</dd>\n"
          "</dl>\n</section>\n</main>\n",
          stream);
}

void pov_study_report_write_html(const pov_study_report *report, FILE *stream)
{
    pov_page_begin(stream, report->title);
    fputs("<header>\n", stream);
    pov_page_element(stream, "h1", "%s", report->title);
    if (report->simulated)
        pov_page_element(stream, "p class=\"simulated\"",
                         "SIMULATED, no finding about people: the images are drawn");
    write_facts(report, stream);
    fputs("</header>\n<main>\n", stream);
    write_findings(report, stream);
    write_frames(report->results, stream);
    for (int i = 0; i < pov_sheet_len(report->scores); i++)
        pov_report_write_table(stream, pov_sheet_at(report->scores, i));
    write_foot(stream);
    pov_page_end(stream);
}
