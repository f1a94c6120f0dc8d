#include "compare/scoring/answers.h"

#include "compare/log/answer_log.h"
#include "compare/scoring/paper_sheets.h"
#include "compare/scoring/robust_sheets.h"
#include "compare/statistics/name_set.h"
#include "compare/vlm/direction_tokens.h"
#include "config/files/text.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 29 };

void pov_answers_options_default(pov_answers_options *options)
{
    const pov_bootstrap_options usual = POV_BOOTSTRAP_DEFAULT;
    *options = (pov_answers_options){.paper = POV_ANSWERS_BY_COLUMNS,
                                     .comfort = POV_COMFORT_OPTIONS_DEFAULT,
                                     .convention = POV_NO_CONVENTION,
                                     .bootstrap = usual};
    for (int i = 0; POV_YES_NO_ENGLISH.yes[i]; i++)
        options->yes[i] = POV_YES_NO_ENGLISH.yes[i];
    for (int i = 0; POV_YES_NO_ENGLISH.no[i]; i++)
        options->no[i] = POV_YES_NO_ENGLISH.no[i];
}

static bool has_column(const pov_table *table, const char *column)
{
    return pov_table_column(table, column) >= 0;
}

static bool asks_by_number(const pov_table *table)
{
    const char *question = pov_table_cell(table, 0, pov_table_column(table, "question"));
    return (question[0] == 'Q' || question[0] == 'q') && question[1] >= '1' && question[1] <= '7' &&
           !question[2];
}

/* The paper that the rows themselves name, as pov's exports do; POV_ANSWERS_BY_COLUMNS: they name none, or one that is not scored. */
static pov_status read_named_paper(int *paper, const pov_table *table, const char *path)
{
    const int column = pov_table_column(table, "paper");
    *paper = POV_ANSWERS_BY_COLUMNS;
    if (column < 0)
        return pov_ok();
    const char *name = pov_table_cell(table, 0, column);
    for (int row = 1; row < pov_table_len(table); row++)
        if (strcmp(pov_table_cell(table, row, column), name) != 0)
            return pov_error(
                "%s: has answers to questions of '%s' and of '%s': write a file for each, by 'pov compare "
                "RUN --export csv --paper NAME', or give the log's folder",
                path, name, pov_table_cell(table, row, column));
    if (strcmp(name, "comfort") == 0)
        *paper = POV_ANSWERS_COMFORT;
    for (int i = 0; i < POV_PAPER_COUNT; i++)
        if (strcmp(name, pov_paper_name((pov_paper)i)) == 0)
            *paper = i;
    return pov_ok();
}

/* COMFORT where nothing tells: its reader says what is missing. */
static int paper_of(const pov_table *table)
{
    pov_paper choices;
    if (pov_paper_of_choices(&choices, table))
        return choices;
    if (has_column(table, "phi_deg") || has_column(table, "prompt"))
        return POV_ANSWERS_COMFORT;
    if (has_column(table, "x1") || has_column(table, "box") || has_column(table, "box_px"))
        return POV_ANSWERS_VISOR;
    if (has_column(table, "layout"))
        return POV_PAPER_FOREST;
    if (has_column(table, "gold_relative") || has_column(table, "gold_frame"))
        return POV_PAPER_FOREST;
    if (asks_by_number(table))
        return POV_PAPER_VPT;
    if (has_column(table, "gold") && has_column(table, "relation"))
        return POV_PAPER_VSR;
    return has_column(table, "gold") ? POV_PAPER_SPHERE : POV_ANSWERS_COMFORT;
}

/* POV_UNDEFINED: there is nothing to score. */
static pov_status fill_tables(pov_answers *answers)
{
    int groups = pov_comfort_data_groups(answers->comfort);
    if (groups == 0)
        return pov_status_of(POV_UNDEFINED);
    answers->tables = pov_allocate((size_t)groups, sizeof *answers->tables);
    if (answers->options.convention != POV_NO_CONVENTION)
        pov_comfort_data_judge_by(answers->comfort, answers->options.convention);
    pov_comfort_tables_fill(answers->tables, answers->comfort, &answers->options.comfort);
    return pov_ok();
}

static pov_status score_pictures(pov_answers *answers)
{
    const pov_answers_options *options = &answers->options;
    POV_TRY(pov_visor_new(&answers->visor, answers->table, answers->captions, options->comfort.formulas));
    const int models = pov_visor_models(answers->visor);
    answers->visor_scores = pov_allocate((size_t)models + 1, sizeof *answers->visor_scores);
    for (int m = 0; m < models; m++)
        pov_visor_score_all(&answers->visor_scores[m], answers->visor, m, &options->bootstrap);
    return pov_ok();
}

/* Captions of which a picture shows both things. NULL: no pictures are known. */
static pov_status find_pictured(bool **pictured, const pov_answers *answers)
{
    const char *path = answers->options.pictures;
    pov_bytes bytes = {0};
    pov_table *table = NULL;
    pov_visor *visor = NULL;
    if (!path || answers->paper != POV_PAPER_FOREST)
        return pov_ok();
    if (!answers->captions)
        return pov_error("%s: detections need the captions' own file: --captions FILE", path);
    pov_status status = pov_read_file(&bytes, path, BYTES_MAX, "a file of detections");
    POV_THEN(status, pov_table_parse(&table, path, (const char *)bytes.data, bytes.length));
    POV_THEN(status, pov_visor_new(&visor, table, answers->captions, POV_FORMULAS_PAPER));
    *pictured = pov_allocate((size_t)pov_captions_len(answers->captions) + 1, sizeof **pictured);
    for (int i = 0; status.code == POV_OK && i < pov_visor_pictures(visor); i++) {
        const pov_picture *picture = pov_visor_picture(visor, i);
        (*pictured)[picture->caption] |= picture->shows.has_locatum && picture->shows.has_relatum;
    }
    pov_visor_destroy(&visor);
    pov_table_destroy(&table);
    pov_bytes_free(&bytes);
    if (status.code == POV_OK)
        return status;
    free(*pictured);
    *pictured = NULL;
    return status;
}

static pov_status score_table(pov_answers *answers)
{
    const pov_answers_options *options = &answers->options;
    const pov_yes_no_words words = {options->yes, options->no};
    bool *pictured = NULL;
    if (answers->paper == POV_ANSWERS_VISOR)
        return score_pictures(answers);
    if (answers->paper != POV_ANSWERS_COMFORT) {
        POV_TRY(find_pictured(&pictured, answers));
        const pov_paper_aids aids = {&words, answers->captions, pictured,
                                     options->comfort.formulas == POV_FORMULAS_RELEASED};
        const pov_status status = pov_paper_scores_new(&answers->scores, (pov_paper)answers->paper,
                                                       answers->table, &aids, &options->bootstrap);
        free(pictured);
        return status;
    }
    POV_TRY(pov_comfort_data_new(&answers->comfort, answers->table, &words));
    return fill_tables(answers);
}

/* Reads the bytes; in the authors' layout they are scored, too. */
static pov_status parse_bytes(pov_answers *answers)
{
    const char *text = (const char *)answers->bytes.data;
    size_t length = answers->bytes.length;
    const int paper = answers->options.paper;
    if (answers->options.captions)
        POV_TRY(pov_captions_read(&answers->captions, answers->options.captions));
    if ((paper == POV_ANSWERS_COMFORT || paper == POV_ANSWERS_BY_COLUMNS) &&
        pov_comfort_data_is_layout(text, length)) {
        answers->paper = POV_ANSWERS_COMFORT;
        POV_TRY(pov_comfort_data_parse(&answers->comfort, answers->path, text, length));
        return fill_tables(answers);
    }
    POV_TRY(pov_table_parse(&answers->table, answers->path, text, length));
    if (pov_table_len(answers->table) == 0)
        return pov_error(
            "%s: has no answers; 'pov sweep' makes a folder of them, and docs/SCORES.md lists the "
            "columns of a file of one's own",
            answers->path);
    answers->paper = paper;
    if (paper == POV_ANSWERS_BY_COLUMNS)
        POV_TRY(read_named_paper(&answers->paper, answers->table, answers->path));
    if (answers->paper == POV_ANSWERS_BY_COLUMNS)
        answers->paper = paper_of(answers->table);
    pov_bytes_free(&answers->bytes); /* the table has its own texts */
    return pov_ok();
}

const char *pov_answers_paper_name(const pov_answers *answers)
{
    return answers->paper == POV_ANSWERS_COMFORT ? "comfort"
           : answers->paper == POV_ANSWERS_VISOR ? "visor"
                                                 : pov_paper_name((pov_paper)answers->paper);
}

/* ---- what is simulated ---- */

typedef struct {
    bool station;
    pov_name_set *models, *others; /* others: what else the column says */
} simulated_parts;

static void note_name(pov_name_set *names, const char *name)
{
    (void)pov_name_set_add(names, name, strlen(name));
}

static void note_simulated(simulated_parts *parts, const char *said, const char *model)
{
    static const char *const nothing[] = {"", "no", "false", "0"};
    const bool both = strcmp(said, "station and model") == 0;
    if (strstr(model, "vlm-sim") || strstr(model, "simulated"))
        note_name(parts->models, model);
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        if (strcmp(said, nothing[i]) == 0)
            return;
    parts->station |= both || strcmp(said, "station") == 0;
    if (both || (strcmp(said, "model") == 0 && *model))
        note_name(parts->models, *model ? model : "the model");
    else if (strcmp(said, "station") != 0)
        note_name(parts->others, said);
}

static void note_file(simulated_parts *parts, const pov_answers *answers)
{
    const pov_table *t = answers->table;
    const int said = t ? pov_table_column(t, "simulated") : -1, model = t ? pov_table_column(t, "model") : -1;
    for (int row = 0; t && row < pov_table_len(t); row++)
        note_simulated(parts, pov_table_cell(t, row, said), pov_table_cell(t, row, model));
    for (int g = 0; !t && answers->comfort && g < pov_comfort_data_groups(answers->comfort); g++)
        note_simulated(parts, "", pov_comfort_data_group(answers->comfort, g)->model);
    if (answers->comfort && *pov_comfort_data_simulated(answers->comfort))
        note_name(parts->others, pov_comfort_data_simulated(answers->comfort));
}

static void append_names(pov_text *text, const pov_name_set *names)
{
    for (int i = 0; i < pov_name_set_len(names); i++)
        pov_text_add(text, "%s%s", text->len == 0 ? "" : i == 0 ? "; " : ", ", pov_name_set_at(names, i));
}

char *pov_answers_simulated(const pov_answers *answers, int len)
{
    simulated_parts parts = {.models = pov_name_set_new(), .others = pov_name_set_new()};
    pov_text text = {0};
    for (int i = 0; i < len; i++)
        note_file(&parts, &answers[i]);
    if (parts.station)
        pov_text_set(&text, "the station");
    append_names(&text, parts.models);
    append_names(&text, parts.others);
    pov_name_set_destroy(&parts.models);
    pov_name_set_destroy(&parts.others);
    return pov_text_take(&text);
}

void pov_answers_add_tables(pov_sheet *sheet, const pov_answers *answers)
{
    if (answers->paper == POV_ANSWERS_COMFORT)
        pov_sheet_add_comfort(sheet, answers->comfort, answers->tables);
    else if (answers->paper == POV_ANSWERS_VISOR)
        pov_sheet_add_visor(sheet, answers->visor, answers->visor_scores, answers->options.comfort.formulas);
    else
        pov_sheet_add_paper(sheet, (pov_paper)answers->paper, &answers->scores,
                            answers->options.comfort.formulas);
    pov_sheet_add_robust(sheet, answers);
    pov_sheet_add_effects(sheet, answers);
}

/* On error nothing is left. POV_UNDEFINED gets its words. */
static pov_status finish_loading(pov_answers *answers, pov_status status)
{
    if (status.code == POV_UNDEFINED) {
        status = pov_error("%s: holds no answer to a question about a relation", answers->path);
        status.code = POV_UNDEFINED;
    }
    if (status.code != POV_OK)
        pov_answers_free(answers);
    return status;
}

pov_status pov_answers_load(pov_answers *answers, const char *path, const pov_answers_options *options)
{
    *answers = (pov_answers){.path = path, .options = *options};
    pov_status status = pov_read_file(&answers->bytes, path, BYTES_MAX, "a file of answers");
    POV_THEN(status, parse_bytes(answers));
    return finish_loading(answers, status);
}

bool pov_answers_may_join(const pov_answers *to, const pov_answers *from)
{
    return to->paper == from->paper && to->table && from->table && to->paper != POV_ANSWERS_VISOR &&
           to->options.geometry == from->options.geometry;
}

pov_status pov_answers_join(pov_answers *to, const pov_answers *from)
{
    static const char *const paths[] = {"image_path", "image", NULL};
    static const char *const stored[] = {"image_path", NULL};
    POV_REQUIRE(pov_answers_may_join(to, from));
    to->beside.farther += from->beside.farther;
    to->beside.unplaced += from->beside.unplaced;
    const bool has_paths = pov_table_column(to->table, "image_path") >= 0; /* `image` is then a name */
    return pov_table_append(to->table, from->table, has_paths ? stored : paths);
}

static pov_status finish_scoring(pov_answers *answers)
{
    char *simulated = pov_answers_simulated(answers, 1);
    answers->sheet = pov_sheet_new();
    if (*simulated)
        pov_sheet_add_note(answers->sheet, "simulated", POV_SIMULATED_WORDS, simulated);
    free(simulated);
    pov_answers_add_tables(answers->sheet, answers);
    return pov_ok();
}

pov_status pov_answers_score(pov_answers *answers)
{
    pov_status status = answers->table ? score_table(answers) : pov_ok();
    POV_TRY(finish_loading(answers, status));
    return finish_scoring(answers);
}

pov_status pov_answers_read(pov_answers *answers, const char *path, const pov_answers_options *options)
{
    POV_TRY(pov_answers_load(answers, path, options));
    return pov_answers_score(answers);
}

pov_status pov_answers_read_detections(pov_answers *answers, const char *path, pov_bytes *bytes,
                                       const pov_answers_options *options)
{
    *answers = (pov_answers){.path = path, .options = *options, .bytes = *bytes};
    answers->options.paper = POV_ANSWERS_VISOR;
    *bytes = (pov_bytes){0};
    POV_TRY(finish_loading(answers, parse_bytes(answers)));
    return pov_answers_score(answers);
}

pov_status pov_answers_take_log(pov_answers *answers, const char *path, pov_answer_tables *tables,
                                const pov_answers_options *options)
{
    POV_REQUIRE(options->paper <= POV_ANSWERS_COMFORT);
    *answers = (pov_answers){.path = path, .paper = options->paper, .options = *options};
    answers->table = pov_answer_tables_take(tables, pov_answers_paper_name(answers));
    if (answers->paper == POV_ANSWERS_COMFORT)
        answers->beside = *pov_answer_tables_beside(tables);
    pov_status status = answers->table ? pov_ok() : pov_status_of(POV_UNDEFINED);
    if (status.code == POV_OK && options->captions)
        status = pov_captions_read(&answers->captions, options->captions);
    if (status.code != POV_OK)
        pov_answers_free(answers);
    return status;
}

pov_status pov_answers_load_log(pov_answers *answers, const char *path, pov_answer_log *log,
                                const pov_answers_options *options)
{
    const pov_answers of_paper = {.paper = options->paper};
    pov_answer_tables *tables;
    *answers = (pov_answers){.path = NULL};
    const pov_export_options columns = {.paper = pov_answers_paper_name(&of_paper),
                                        .geometry = options->geometry,
                                        .directions = pov_direction_tokens_read};
    POV_TRY(pov_answer_tables_read(&tables, log, path, &columns));
    const pov_status status = pov_answers_take_log(answers, path, tables, options);
    pov_answer_tables_destroy(&tables);
    return status;
}

pov_status pov_answers_read_log(pov_answers *answers, const char *path, pov_answer_log *log,
                                const pov_answers_options *options)
{
    POV_TRY(pov_answers_load_log(answers, path, log, options));
    const pov_status status = answers->table ? score_table(answers) : pov_ok();
    if (status.code == POV_UNDEFINED) {
        pov_answers_free(answers);
        return status;
    }
    POV_TRY(finish_loading(answers, status));
    return finish_scoring(answers);
}

void pov_answers_free(pov_answers *answers)
{
    pov_sheet_destroy(&answers->sheet);
    pov_comfort_data_destroy(&answers->comfort);
    free(answers->tables);
    pov_paper_scores_free(&answers->scores);
    pov_visor_destroy(&answers->visor);
    free(answers->visor_scores);
    pov_captions_destroy(&answers->captions);
    pov_table_destroy(&answers->table);
    pov_bytes_free(&answers->bytes);
    *answers = (pov_answers){.path = NULL};
}
