#include "compare/report/report_files.h"

#include "compare/statistics/name_set.h"
#include "config/files/write_file.h"
#include "draw/print.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *folder, *name, *ending;
} place;

static pov_status begin_file(pov_write_file *file, place at)
{
    char path[POV_PATH_CAPACITY];
    if (snprintf(path, sizeof path, "%s/%s%s", at.folder, at.name, at.ending) >= (int)sizeof path)
        return pov_error("%s: this path is too long", at.folder);
    return pov_write_file_begin(file, path);
}

/* ---- figures ---- */

static pov_status write_print(const char *svg, place at, pov_print_form form)
{
    pov_write_file file;
    POV_TRY(begin_file(&file, at));
    return pov_write_file_end(&file, pov_print_drawing(file.stream, svg, POV_PRINT_COLUMN_MM, form));
}

static pov_status write_numbers(const pov_figure *figure, place at)
{
    pov_write_file file;
    POV_TRY(begin_file(&file, at));
    pov_figure_write_csv(figure, file.stream);
    return pov_write_file_end(&file, pov_ok());
}

/* `command` NULL: not known. */
static pov_status write_caption(const pov_figure *figure, place at, const char *command)
{
    pov_write_file file;
    POV_TRY(begin_file(&file, at));
    fprintf(file.stream, "%s\n", pov_text_of(&figure->caption));
    if (command && *command)
        fprintf(file.stream, "Made by: %s (file %s)\n", command, at.name);
    return pov_write_file_end(&file, pov_ok());
}

static pov_status write_forms(const pov_figure *figure, const char *svg, const char *folder, const char *name,
                              const char *command)
{
    POV_TRY(write_print(svg, (place){folder, name, ".svg"}, POV_PRINT_SVG));
    POV_TRY(write_print(svg, (place){folder, name, ".pdf"}, POV_PRINT_PDF));
    POV_TRY(write_numbers(figure, (place){folder, name, ".csv"}));
    return write_caption(figure, (place){folder, name, ".txt"}, command);
}

pov_status pov_report_files_figure(const pov_figure *figure, const char *folder, const char *name,
                                   const char *command)
{
    char *svg = NULL;
    size_t length;
    FILE *memory = open_memstream(&svg, &length);
    POV_REQUIRE_MEMORY(memory);
    pov_figure_draw(figure, memory, POV_FIGURE_ON_PAPER);
    POV_REQUIRE_MEMORY(fclose(memory) == 0);
    const pov_status status = write_forms(figure, svg, folder, name, command);
    free(svg);
    return status;
}

/* Figures come one by one; the first error stays. */
typedef struct {
    const char *folder, *command;
    pov_name_set *names;
    pov_status status;
} figure_files;

static void write_figure(void *context, const pov_figure *figure, const pov_report_place *where)
{
    figure_files *files = context;
    char name[POV_FIGURE_NAME + 16];
    (void)where;
    snprintf(name, sizeof name, "%s", figure->name);
    for (int k = 2; pov_name_set_find(files->names, name, strlen(name)) >= 0; k++)
        snprintf(name, sizeof name, "%s_%d", figure->name, k);
    pov_name_set_add(files->names, name, strlen(name));
    if (files->status.code == POV_OK)
        files->status = pov_report_files_figure(figure, files->folder, name, files->command);
}

/* ---- tables ---- */

static void name_table(char name[200], const pov_report *report, int file, int table)
{
    char number[16] = "";
    if (pov_report_file_len(report) > 1)
        snprintf(number, sizeof number, "%d_", file + 1);
    snprintf(name, 200, "%s%s_%s", number, pov_report_file_paper(report, file),
             pov_report_table_name(report, file, table));
}

static pov_status write_tables(const pov_report *report, const char *folder, const char *ending)
{
    pov_write_file file;
    char name[200];
    for (int i = 0; i < pov_report_file_len(report); i++)
        for (int t = 0; t < pov_report_table_len(report, i); t++) {
            const bool is_tex = strcmp(ending, ".tex") == 0;
            name_table(name, report, i, t);
            if (is_tex && !pov_report_has_tex(report, i, t))
                continue;
            POV_TRY(begin_file(&file, (place){folder, name, ending}));
            (is_tex ? pov_report_write_tex : pov_report_write_csv)(report, i, t, file.stream);
            POV_TRY(pov_write_file_end(&file, pov_ok()));
        }
    const pov_sheet *extra = pov_report_extra(report);
    for (int t = 0; extra && t < pov_sheet_len(extra); t++) {
        const pov_sheet_table *table = pov_sheet_at(extra, t);
        snprintf(name, sizeof name, "all_%s", table->key);
        POV_TRY(begin_file(&file, (place){folder, name, ending}));
        if (strcmp(ending, ".tex") == 0)
            pov_report_write_tex_table(file.stream, NULL, table, name);
        else
            pov_report_write_csv_table(file.stream, table);
        POV_TRY(pov_write_file_end(&file, pov_ok()));
    }
    return pov_ok();
}

pov_status pov_report_files_csv(const pov_report *report, const char *folder)
{
    POV_TRY(pov_write_folder(folder));
    return write_tables(report, folder, ".csv");
}

pov_status pov_report_files_table(const pov_sheet_table *table, const char *folder, const char *name)
{
    pov_write_file file;
    POV_TRY(begin_file(&file, (place){folder, name, ".tex"}));
    pov_report_write_tex_table(file.stream, NULL, table, name);
    POV_TRY(pov_write_file_end(&file, pov_ok()));
    POV_TRY(begin_file(&file, (place){folder, name, ".csv"}));
    pov_report_write_csv_table(file.stream, table);
    return pov_write_file_end(&file, pov_ok());
}

/* ---- all ---- */

static pov_status write_words(const pov_report *report, place at,
                              void (*write)(const pov_report *report, FILE *stream))
{
    pov_write_file file;
    POV_TRY(begin_file(&file, at));
    write(report, file.stream);
    return pov_write_file_end(&file, pov_ok());
}

pov_status pov_report_files_figures(const pov_report *report, const char *folder)
{
    figure_files files = {.folder = folder,
                          .command = pov_report_command(report),
                          .names = pov_name_set_new(),
                          .status = pov_write_folder(folder)};
    for (int i = 0; i < pov_report_file_len(report) && files.status.code == POV_OK; i++)
        pov_report_figures(report, i, write_figure, &files);
    pov_name_set_destroy(&files.names);
    POV_TRY(files.status);
    POV_TRY(write_tables(report, folder, ".csv"));
    POV_TRY(write_tables(report, folder, ".tex"));
    POV_TRY(write_words(report, (place){folder, "methods", ".txt"}, pov_report_write_methods));
    return write_words(report, (place){folder, "references", ".bib"}, pov_report_write_bibtex);
}
