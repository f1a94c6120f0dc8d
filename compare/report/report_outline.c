/* The order of a report, the same on the page, on paper and in Markdown: what was found, what stands behind it, what is looked up. */
#include "compare/report/report_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const pov_report *report;
    const pov_report_writer *writer;
    void *context;
    int part;
    char section[80]; /* of the figures that are being written */
    int sections;     /* of the part, so far */
} walk;

static void begin_chapter(const walk *w, const char *id, const char *name)
{
    if (w->writer->chapter)
        w->writer->chapter(w->context, id, name);
}

static void begin_section(walk *w, const char *name, bool is_folded)
{
    char id[40];
    snprintf(id, sizeof id, "file%d-%d", w->part + 1, ++w->sections);
    if (w->writer->section)
        w->writer->section(w->context, id, name, is_folded);
}

static void walk_sheet(const walk *w, const pov_answers *answers, const pov_sheet *sheet,
                       pov_report_table_role role)
{
    for (int i = 0; w->writer->table && i < pov_sheet_len(sheet); i++)
        w->writer->table(w->context, answers, pov_sheet_at(sheet, i), role);
}

/* ---- a part ---- */

static void visit_figure(void *context, const pov_figure *figure, const pov_report_place *place)
{
    walk *w = context;
    if (place->is_summary)
        return; /* the part has begun with it */
    if (strcmp(w->section, place->section) != 0) {
        snprintf(w->section, sizeof w->section, "%s", place->section);
        begin_section(w, place->section, w->report->len > 1);
    }
    if (w->writer->figure)
        w->writer->figure(w->context, figure, place);
}

static bool has_tables(const pov_report_part *part)
{
    const pov_sheet *const sheets[] = {part->pivots, part->answers->sheet, part->compared};
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++)
        for (int k = 0; k < pov_sheet_len(sheets[i]); k++)
            if (pov_sheet_at(sheets[i], k)->len > 0)
                return true;
    return false;
}

static void walk_part(walk *w, int number)
{
    const pov_report_part *part = &w->report->parts[number];
    const bool has_others = pov_report_has_others(w->report, number);
    char id[20];
    snprintf(id, sizeof id, "file%d", number + 1);
    char *name = pov_text_new("%s%s%s", pov_report_paper_title(part->answers), has_others ? ": " : "",
                              has_others ? pov_report_part_name(w->report, number) : "");
    begin_chapter(w, id, name);
    free(name);
    w->part = number;
    w->sections = 0;
    w->section[0] = '\0';
    if (number > 0 && w->writer->summary)
        w->writer->summary(w->context, number);
    if (w->writer->cases) {
        begin_section(w, "Disagreements", w->report->len > 1);
        w->writer->cases(w->context, number);
    }
    pov_report_figures(w->report, number, visit_figure, w);
    if (w->writer->figures_end)
        w->writer->figures_end(w->context);
    if (has_tables(part))
        begin_section(w, "Tables", false);
    walk_sheet(w, part->answers, part->forms, POV_REPORT_FORM);
    walk_sheet(w, part->answers, part->pivots, POV_REPORT_TABLE);
    walk_sheet(w, part->answers, part->compared, POV_REPORT_TABLE);
    walk_sheet(w, part->answers, part->answers->sheet, POV_REPORT_TABLE);
    if (w->writer->images) {
        begin_section(w, "Images", true);
        w->writer->images(w->context, number);
    }
}

/* ---- the whole ---- */

void pov_report_walk(const pov_report *report, const pov_report_writer *writer, void *context)
{
    walk w = {.report = report, .writer = writer, .context = context};
    if (report->len > 0 && writer->summary)
        writer->summary(context, 0);
    if (writer->findings) {
        begin_chapter(&w, "findings", "Findings");
        writer->findings(context);
    }
    for (int i = 0; i < report->len; i++)
        walk_part(&w, i);
    if (report->source.extra) {
        begin_chapter(&w, "extra", "All answers together");
        walk_sheet(&w, report->parts[0].answers, report->source.extra, POV_REPORT_TOGETHER);
    }
    if (writer->methods) {
        begin_chapter(&w, "methods", "Methods");
        writer->methods(context);
    }
    if (writer->reading) {
        begin_chapter(&w, "reading", "How to read it");
        writer->reading(context);
    }
    if (writer->references) {
        begin_chapter(&w, "references", "To cite");
        writer->references(context);
    }
}
