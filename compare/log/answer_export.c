#include "compare/log/answer_export.h"

#include "compare/log/answer_columns.h"
#include "compare/log/answer_tables.h"
#include "compare/log/released_export.h"
#include "compare/scores/comfort_data.h"
#include "compare/tables/table.h"
#include "config/files/csv.h"
#include "config/files/json_value.h"
#include "config/files/text.h"

#include <assert.h>
#include <cJSON.h>
#include <math.h>
#include <string.h>

static const char *const names[] = {"csv", "jsonl", "comfort", "vsr", "forest", "sphere", "forest-answers"};
static_assert(sizeof names / sizeof *names == POV_EXPORT_CHOICES, "one name a format");

/* CSV's columns, in order: a row's own, then those that papers' questions bring along. */
/* clang-format off */
static const char *const columns[] = {
    "model", "simulated", "run", "asked_at", "version", "calibration", "paper", "set", "id", "image", "image_path",
    "sha256", "stop", "turn_deg", "key", "text", "question", "language", "convention", "guided", "prompting", "system", "order", "circular", "flip", "options_order", "second_path", "second_sha256", "gold", "gold_p",
    "p_yes", "p_true", "p_north", "p_east", "p_south", "p_west", "answer", "explanation", "outcome", "kind", "cause", "mass",
    "scene", "variant", "intervention", "prompt", "relation", "phi_deg", "phi_exact_deg", "phi_exact_std_deg", "present", "relatum_facing",
    "addressee_facing", "task", "options", "offered", "gold_unit", "gold_camera", "gold_person",
    "gold_own", "gold_mirrored", "qid", "grounded_cogmap", "gold_relative", "gold_intrinsic", "relatum", "asked",
    "gold_frame", "frame", "viewpoint", "skill", "annotator_id", "vote_true_validator_id", "vote_false_validator_id", "latency_s", "prompt_tokens", "answer_tokens", "cost",
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };
static_assert((int)COLUMNS <= (int)POV_TABLE_COLUMNS_MAX, "what is written can be read");

const char *pov_export_name(pov_export_format format)
{
    if (format >= POV_EXPORT_CHOICES && format < POV_EXPORT_COUNT)
        return pov_choice_benchmark_at((pov_choice_benchmark_id)(format - POV_EXPORT_CHOICES))->name;
    return format >= 0 && format < POV_EXPORT_CHOICES ? names[format] : "?";
}

/* ---- writing ---- */

static void write_csv_cell(FILE *stream, const cJSON *item)
{
    const bool is_empty = !item || cJSON_IsNull(item);
    char *text = is_empty || cJSON_IsString(item) ? NULL : cJSON_PrintUnformatted(item);
    pov_csv_write(stream, is_empty ? "" : text ? text : item->valuestring);
    cJSON_free(text);
}

static void write_csv_head(FILE *stream)
{
    for (int i = 0; i < COLUMNS; i++)
        fprintf(stream, "%s%c", columns[i], i + 1 < COLUMNS ? ',' : '\n');
}

static cJSON *item_of(const pov_answer_cell *cell)
{
    switch (cell->kind) {
    case POV_COLUMN_TEXT:
        return cJSON_CreateStringReference(cell->text);
    case POV_COLUMN_NUMBER:
        return cJSON_CreateNumber(cell->number);
    case POV_COLUMN_EMPTY:
        return cJSON_CreateNull();
    default:
        return cJSON_Duplicate(cell->item, true);
    }
}

static void write_row(FILE *stream, const pov_answer_cell *cells, int len, pov_export_format format)
{
    cJSON *row = cJSON_CreateObject();
    for (int i = 0; i < len; i++)
        cJSON_AddItemToObject(row, cells[i].name, item_of(&cells[i]));
    if (format == POV_EXPORT_CSV) {
        for (int i = 0; i < COLUMNS; i++) {
            write_csv_cell(stream, cJSON_GetObjectItem(row, columns[i]));
            fputc(i + 1 < COLUMNS ? ',' : '\n', stream);
        }
        cJSON_Delete(row);
    } else {
        pov_json_print_line(stream, row);
    }
}

typedef struct {
    FILE *stream;
    pov_answer_columns *columns;
    pov_export_format format;
} row_writer;

static pov_status put_row(void *context, pov_answer_row *row)
{
    const row_writer *w = context;
    const pov_answer_cell *cells;
    const int len = pov_answer_columns_fill(w->columns, &cells, row);
    if (len > 0)
        write_row(w->stream, cells, len, w->format);
    return pov_ok();
}

static pov_status write_rows(pov_answer_log *log, pov_export_beside *beside, FILE *stream,
                             const pov_export_options *options)
{
    row_writer writer = {.stream = stream, .format = options->format};
    POV_TRY(pov_answer_columns_new(&writer.columns, log, options));
    if (options->format == POV_EXPORT_CSV)
        write_csv_head(stream);
    const pov_status status = pov_answer_log_each(log, put_row, &writer);
    *beside = *pov_answer_columns_beside(writer.columns);
    pov_answer_columns_destroy(&writer.columns);
    return status;
}

/* ---- the layout of COMFORT's authors ---- */

static cJSON *curve_in_their_order(const pov_comfort_curve *curve)
{
    static const pov_reading translated = {POV_EGOCENTRIC, POV_TRANSLATED};
    const int first =
        (int)pov_curve_direction_deg(curve->relation, translated, curve->facings) / POV_CURVE_STEP_DEG +
        POV_CURVE_SAMPLES / 2;
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i <= POV_CURVE_SAMPLES; i++) { /* the last repeats the first */
        const double p = curve->curve.p[(first + i) % POV_CURVE_SAMPLES];
        cJSON_AddItemToArray(list, isnan(p) ? cJSON_CreateNull() : cJSON_CreateNumber(p));
    }
    return list;
}

/* How parties face, of each variant: their scripts have no such thing, and leave it. */
static void add_case_facing(cJSON *one, const char *key, const char *variant, double facing_deg)
{
    cJSON *facing = cJSON_GetObjectItem(one, key);
    if (!isnan(facing_deg) && !cJSON_GetObjectItem(facing, variant))
        cJSON_AddNumberToObject(facing ? facing : cJSON_AddObjectToObject(one, key), variant, facing_deg);
}

static cJSON *case_of(const pov_comfort_data *data, const pov_comfort_group *group)
{
    static const char *const keys[] = {"totheleft", "totheright", "infrontof", "behind"};
    cJSON *one = cJSON_CreateObject(), *p_yes = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "model", group->model);
    cJSON_AddStringToObject(one, "language", group->language);
    cJSON_AddStringToObject(one, "prompt", pov_prompt_name(group->prompt));
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
        cJSON_AddObjectToObject(p_yes, keys[r]);
    for (int i = group->first; i < group->first + group->len; i++) {
        const pov_comfort_curve *curve = &pov_comfort_data_curves(data)[i];
        char variant[48];
        snprintf(variant, sizeof variant, "scene_%d_variant_%d", curve->scene, curve->variant);
        cJSON_AddItemToObject(cJSON_GetObjectItem(p_yes, keys[curve->relation]), variant,
                              curve_in_their_order(curve));
        add_case_facing(one, "relatum_facing_deg", variant, curve->facings.relatum_deg);
        add_case_facing(one, "addressee_facing_deg", variant, curve->facings.addressee_deg);
    }
    cJSON_AddItemToObject(one, "p_yes", p_yes);
    return one;
}

static void write_cases(FILE *stream, const pov_comfort_data *data, bool station, bool model)
{
    cJSON *root = cJSON_CreateObject();
    if (station || model)
        cJSON_AddStringToObject(root, "simulated",
                                !station ? "the models"
                                : model  ? "the station; the models"
                                         : "the station");
    cJSON *cases = cJSON_AddArrayToObject(root, "cases");
    for (int g = 0; g < pov_comfort_data_groups(data); g++)
        cJSON_AddItemToArray(cases, case_of(data, pov_comfort_data_group(data, g)));
    char *text = cJSON_Print(root);
    fprintf(stream, "%s\n", text ? text : "");
    cJSON_free(text);
    cJSON_Delete(root);
}

static bool has_simulated(const pov_table *table, const char *what)
{
    const int column = pov_table_column(table, "simulated");
    bool found = false;
    for (int row = 0; row < pov_table_len(table) && !found; row++)
        found = strstr(pov_table_cell(table, row, column), what) != NULL;
    return found;
}

static pov_status write_comfort(pov_answer_log *log, pov_export_beside *beside, FILE *stream)
{
    pov_answer_tables *tables;
    pov_comfort_data *data = NULL;
    POV_TRY(pov_answer_tables_read(&tables, log, "the log", &(pov_export_options){.paper = "comfort"}));
    pov_table *table = pov_answer_tables_take(tables, "comfort");
    *beside = *pov_answer_tables_beside(tables);
    pov_status status = table ? pov_comfort_data_new(&data, table, &POV_YES_NO_ENGLISH)
                              : pov_error("the log holds no answer of COMFORT's");
    if (status.code == POV_OK)
        write_cases(stream, data, has_simulated(table, "station"), has_simulated(table, "model"));
    pov_comfort_data_destroy(&data);
    pov_table_destroy(&table);
    pov_answer_tables_destroy(&tables);
    return status;
}

static pov_status write_export(pov_answer_log *log, pov_export_beside *beside, FILE *stream,
                               const pov_export_options *options)
{
    int left_out;
    int *told = options->left_out ? options->left_out : &left_out;
    switch (options->format) {
    case POV_EXPORT_COMFORT:
        return write_comfort(log, beside, stream);
    case POV_EXPORT_VSR:
        return pov_released_export(told, log, stream, POV_RELEASED_VSR);
    case POV_EXPORT_FOREST:
        return pov_released_export(told, log, stream, POV_RELEASED_FOREST);
    case POV_EXPORT_SPHERE:
        return pov_released_export(told, log, stream, POV_RELEASED_SPHERE);
    case POV_EXPORT_FOREST_ANSWERS:
        return pov_released_export_answers(log, stream);
    case POV_EXPORT_CSV:
    case POV_EXPORT_JSONL:
        return write_rows(log, beside, stream, options);
    default:
        return pov_released_export_choice(
            told, log, stream,
            (pov_released_form)(POV_RELEASED_CHOICES + (int)options->format - POV_EXPORT_CHOICES));
    }
}

pov_status pov_answer_export(pov_answer_log *log, pov_export_beside *beside, FILE *stream,
                             const pov_export_options *options)
{
    pov_export_beside unwanted;
    POV_TRY(write_export(log, beside ? beside : &unwanted, stream, options));
    return fflush(stream) == 0 && !ferror(stream) ? pov_ok() : pov_error("the export cannot be written");
}

char *pov_export_beside_words(const pov_export_beside *beside)
{
    pov_text text = {0};
    if (beside->farther > 0)
        pov_text_add(&text, "%lld answer%s at angles for which another image is nearer",
                     (long long)beside->farther, beside->farther == 1 ? "" : "s");
    if (beside->unplaced > 0)
        pov_text_add(&text, "%s%lld answer%s about images at none of the curves' angles",
                     text.len > 0 ? ", and " : "", (long long)beside->unplaced,
                     beside->unplaced == 1 ? "" : "s");
    return pov_text_take(&text);
}
