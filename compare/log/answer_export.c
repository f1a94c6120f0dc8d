#include "compare/log/answer_export.h"

#include "compare/log/released_export.h"
#include "compare/questions/prompt_condition.h"
#include "compare/scores/comfort_data.h"
#include "compare/statistics/name_set.h"
#include "config/files/csv.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"

#include <assert.h>
#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"csv", "jsonl", "comfort", "vsr", "forest", "sphere", "forest-answers"};
static_assert(sizeof names / sizeof *names == POV_EXPORT_COUNT, "one name a format");

/* CSV's columns, in order: a row's own, then those that papers' questions bring along. */
/* clang-format off */
static const char *const columns[] = {
    "model", "simulated", "run", "asked_at", "version", "calibration", "paper", "set", "id", "image", "image_path",
    "sha256", "stop", "turn_deg", "key", "text", "question", "language", "convention", "guided", "prompting", "system", "gold", "gold_p",
    "p_yes", "p_true", "answer", "explanation", "outcome", "kind", "cause", "mass",
    "scene", "variant", "prompt", "relation", "phi_deg", "phi_exact_deg", "phi_exact_std_deg", "present", "relatum_facing",
    "addressee_facing", "task", "options", "gold_relative", "gold_intrinsic", "relatum", "asked",
    "gold_frame", "frame", "viewpoint", "skill", "latency_s", "prompt_tokens", "answer_tokens", "cost",
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

const char *pov_export_name(pov_export_format format)
{
    return format >= 0 && format < POV_EXPORT_COUNT ? names[format] : "?";
}

/* ---- how a scene's parties face, over all its images ---- */

typedef struct {
    double sine, cosine;
    int len;
} facing_sum;

typedef struct {
    pov_name_set *scenes; /* by name, then ";relatum" or ";addressee" */
    facing_sum *sums;
    int capacity;
} facings;

static void facings_free(facings *f)
{
    pov_name_set_destroy(&f->scenes);
    free(f->sums);
}

static facing_sum *facing_of(facings *f, const cJSON *row, const char *party)
{
    const cJSON *scene = cJSON_GetObjectItem(row, "scene");
    char *name = pov_text_new("%s;%s", cJSON_IsString(scene) ? scene->valuestring : "", party);
    const int known = pov_name_set_len(f->scenes), number = pov_name_set_add(f->scenes, name, strlen(name));
    free(name);
    POV_REQUIRE_MEMORY(pov_grow(&f->sums, &f->capacity, number, sizeof *f->sums));
    if (number == known)
        f->sums[number] = (facing_sum){0};
    return &f->sums[number];
}

static pov_status add_facing(facings *f, const cJSON *row, const char *party)
{
    const cJSON *facing = cJSON_GetObjectItem(row, party);
    if (!cJSON_IsNumber(facing))
        return pov_ok();
    facing_sum *sum = facing_of(f, row, party);
    sum->sine += sin(facing->valuedouble * POV_DEG);
    sum->cosine += cos(facing->valuedouble * POV_DEG);
    sum->len++;
    return pov_ok();
}

/* One facing for the whole scene, or none if it turned. */
static pov_status settle_facing(facings *f, cJSON *row, const char *party, bool *turned)
{
    static const double steady =
        0.985; /* length of the mean direction: a spread of about 10 degrees; chosen */
    facing_sum *sum;
    *turned = false;
    if (!cJSON_IsNumber(cJSON_GetObjectItem(row, party)))
        return pov_ok();
    sum = facing_of(f, row, party);
    cJSON_DeleteItemFromObject(row, party);
    *turned = hypot(sum->sine, sum->cosine) < steady * sum->len;
    if (*turned)
        return pov_ok();
    const double facing_deg = round(atan2(sum->sine, sum->cosine) / POV_DEG);
    cJSON_AddNumberToObject(row, party, facing_deg < 0 ? facing_deg + 360 : facing_deg);
    return pov_ok();
}

/* ---- a row ---- */

static void add_text(cJSON *row, const char *key, const char *text)
{
    if (text && *text)
        cJSON_AddStringToObject(row, key, text);
}

static void add_number(cJSON *row, const char *key, double number)
{
    if (!isnan(number))
        cJSON_AddNumberToObject(row, key, number);
}

/* Words stand in for a probability only where they were what was scored, or are a refusal: leftovers of an answer that
 * was too unsure to be scored must not be scored after all. */
static bool words_count(const pov_log_result *result)
{
    return isnan(result->p) && strcmp(result->kind, "low_mass") != 0 &&
           strcmp(result->outcome, "answered") == 0;
}

/* A chain of thought is divided into its explanation and, at its end, the answer. */
static void add_words(cJSON *row, const char *text)
{
    size_t begin, length;
    bool marked;
    const char *prompting =
        pov_json_text_of(row, pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_PROMPTING));
    if (!pov_prompting_explains(pov_prompting_named(prompting)) || !text) {
        add_text(row, "answer", text);
        return;
    }
    pov_answer_concluded(&begin, &length, &marked, text);
    char *explanation = pov_text_new("%.*s", (int)begin, text),
         *answer = pov_text_new("%.*s", (int)length, text + begin);
    add_text(row, "answer", answer);
    add_text(row, "explanation", explanation);
    free(explanation);
    free(answer);
}

/* The one that a question's language ends in, or the usual one. */
static const pov_prompt_condition *condition_of_language(pov_prompt_condition_kind kind, const char *language)
{
    const pov_prompt_condition *one, *found = pov_prompt_condition_at(kind, 0);
    for (int i = 0; (one = pov_prompt_condition_at(kind, i)); i++)
        if (*one->suffix && strstr(language, one->suffix))
            found = one;
    return found;
}

/* Logs of before have no such columns. */
static void add_conditions(cJSON *row, const char *language)
{
    for (int kind = 0; kind < POV_PROMPT_CONDITION_KINDS; kind++) {
        const char *name = pov_prompt_condition_kind_name((pov_prompt_condition_kind)kind);
        if (!cJSON_GetObjectItem(row, name))
            cJSON_AddStringToObject(row, name,
                                    condition_of_language((pov_prompt_condition_kind)kind, language)->name);
    }
}

static void add_result(cJSON *row, const pov_answer_row *from)
{
    const pov_log_result *result = &from->result;
    add_number(row, strcmp(from->question.form, "true_false") == 0 ? "p_true" : "p_yes", result->p);
    if (words_count(result) || !isnan(result->p))
        add_words(row, result->text);
    add_text(row, "outcome", result->outcome);
    add_text(row, "kind", result->kind);
    add_text(row, "cause", result->cause);
    add_number(row, "mass", result->mass);
    if (!from->has_result)
        return;
    cJSON_AddNumberToObject(row, "latency_s", (double)result->latency_ns * 1e-9);
    cJSON_AddNumberToObject(row, "prompt_tokens", (double)result->prompt_tokens);
    cJSON_AddNumberToObject(row, "answer_tokens", (double)result->answer_tokens);
    cJSON_AddNumberToObject(row, "cost", result->cost);
}

/* Facts that all rows of a log share. */
typedef struct {
    pov_log_scene scene;
    char name[48], version[40]; /* of the run */
    bool is_simulated;          /* the station */
    const char *folder;         /* of the images, before their paths; NULL: none */
} run_facts;

/* UTC by ISO 8601; format: of year, month, day, hour, minute, second. "": not known.
 * Method: Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days. */
__attribute__((format(printf, 2, 0))) static void write_time(char text[24], const char *format,
                                                             int64_t epoch_ns)
{
    const int64_t seconds = epoch_ns / 1000000000, shifted = seconds / 86400 + 719468, era = shifted / 146097;
    const int of_day = (int)(seconds % 86400), of_era = (int)(shifted - era * 146097),
              year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365,
              of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100),
              march = (5 * of_year + 2) / 153, month = march < 10 ? march + 3 : march - 9;
    const int year = (int)(year_of_era + era * 400) + (month <= 2);
    text[0] = '\0';
    if (epoch_ns > 0)
        snprintf(text, 24, format, year, month, of_year - (153 * march + 2) / 5 + 1, of_day / 3600,
                 of_day / 60 % 60, of_day % 60);
}

static pov_status read_run(run_facts *facts, pov_answer_log *log)
{
    pov_log_run run;
    char started[24];
    POV_TRY(pov_answer_log_scene(log, &facts->scene));
    const pov_status status = pov_answer_log_last_run(log, &run);
    if (status.code != POV_OK)
        return status.code == POV_UNDEFINED ? pov_ok() : status;
    write_time(started, "%04d%02d%02dT%02d%02d%02dZ", run.started_ns);
    snprintf(facts->name, sizeof facts->name, "%s%s%.8s", started, *started ? "_" : "", run.config_hash);
    snprintf(facts->version, sizeof facts->version, "pov %.30s", run.version);
    facts->is_simulated = run.simulated;
    return pov_ok();
}

/* The convention of the first gold that the question asks for: it is named in its frame. */
static void add_convention(cJSON *row, const char *golds)
{
    cJSON *list = golds ? pov_json_parse_text(golds) : NULL;
    const char *found = "";
    const cJSON *gold;
    cJSON_ArrayForEach(gold, list)
    {
        const char *frame = cJSON_GetStringValue(cJSON_GetObjectItem(gold, "frame"));
        for (int k = 0; k < POV_CONVENTION_COUNT && cJSON_IsTrue(cJSON_GetObjectItem(gold, "asked")); k++)
            if (!*found && frame && strstr(frame, pov_convention_name((pov_convention)k)))
                found = pov_convention_name((pov_convention)k);
    }
    add_text(row, "convention", found);
    cJSON_Delete(list);
}

static void add_run(cJSON *row, const pov_answer_row *from, const run_facts *facts)
{
    static const char *const simulated[] = {"no", "station", "model", "station and model"};
    char asked_at[24];
    const bool model = from->has_result && pov_log_result_is_simulated(&from->result);
    write_time(asked_at, "%04d-%02d-%02dT%02d:%02d:%02dZ", from->has_result ? from->result.answered_ns : 0);
    add_text(row, "simulated", simulated[facts->is_simulated + 2 * model]);
    add_text(row, "run", facts->name);
    add_text(row, "asked_at", asked_at);
    add_text(row, "version", facts->version);
    add_text(row, "calibration", from->image.calibration_hash);
    if (strcmp(from->question.paper, "comfort") != 0 && !cJSON_GetObjectItem(row, "scene"))
        add_text(row, "scene", pov_log_scene_of(&facts->scene, &from->image));
}

/* The question's own columns come first, so that a row's cannot be replaced. */
static cJSON *make_row(const pov_answer_row *from, pov_gold_source gold, const run_facts *facts)
{
    const pov_log_question *question = &from->question;
    cJSON *row = question->columns ? pov_json_parse_text(question->columns) : NULL;
    if (!cJSON_IsObject(row)) {
        cJSON_Delete(row);
        row = cJSON_CreateObject();
    }
    add_conditions(row, question->language);
    const bool has_order = strcmp(question->paper, "sphere") == 0 && strcmp(question->form, "option") == 0;
    const char *order = has_order ? strrchr(question->key, '/') : NULL; /* of its options: one question */
    char *id =
        pov_text_new("%d/%.*s", from->image.stop,
                     (int)(order ? (size_t)(order - question->key) : strlen(question->key)), question->key);
    add_text(row, "model", from->model);
    add_run(row, from, facts);
    add_text(row, "paper", question->paper);
    add_text(row, "id", id);
    free(id);
    add_text(row, "image", from->image.name);
    char *path = facts->folder ? pov_text_new("%s/%s", facts->folder, from->image.path) : NULL;
    add_text(row, "image_path", path ? path : from->image.path);
    free(path);
    add_text(row, "sha256", from->image.sha256);
    cJSON_AddNumberToObject(row, "stop", from->image.stop);
    add_number(row, "turn_deg", from->image.turn_deg);
    add_text(row, "key", question->key);
    add_text(row, "text", question->prompt);
    add_text(row, "language", question->language);
    add_convention(row, question->golds);
    const char *words = gold == POV_GOLD_TRUTH ? question->truth : question->gold;
    if (words && *words)
        cJSON_AddStringToObject(row, "gold", words);
    else
        cJSON_AddNullToObject(row, "gold"); /* the station abstains, or there is none */
    if (gold == POV_GOLD_STATION)
        add_number(row, "gold_p", question->gold_p);
    add_result(row, from);
    return row;
}

static bool is_wanted(const pov_answer_row *row, const pov_export_options *options)
{
    return (row->model || options->geometry) &&
           (!options->paper || strcmp(options->paper, row->question.paper) == 0);
}

/* The station's own answer. */
static void answer_by_geometry(pov_answer_row *row)
{
    row->model = POV_GEOMETRY;
    row->has_result = true;
    row->result = (pov_log_result){
        .outcome = "answered", .kind = "tokens", .cause = "", .p = row->question.gold_p, .mass = NAN};
}

/* ---- places on curves ---- */

/* The image whose answer stands at each model's place for a question. */
typedef struct {
    int64_t image;
    double off_deg;
    bool has_answer;
} place_holder;

typedef struct {
    pov_name_set *keys; /* model, its settings, question, place */
    place_holder *holders;
    int capacity;
} curve_holders;

static void holders_free(curve_holders *h)
{
    pov_name_set_destroy(&h->keys);
    free(h->holders);
}

static place_holder *holder_of(curve_holders *h, const pov_answer_row *row)
{
    pov_text key = {0};
    pov_text_add_part(&key, row->model ? row->model : "");
    pov_text_add_part(&key, row->settings ? row->settings : "");
    pov_text_add_part(&key, row->question.key);
    pov_text_add(&key, "%.0f", row->image.curve_deg);
    const int known = pov_name_set_len(h->keys),
              number = pov_name_set_add(h->keys, pov_text_of(&key), key.len);
    pov_text_free(&key);
    POV_REQUIRE_MEMORY(pov_grow(&h->holders, &h->capacity, number, sizeof *h->holders));
    if (number == known)
        h->holders[number] = (place_holder){.off_deg = INFINITY};
    return &h->holders[number];
}

static void apply_for_place(curve_holders *h, const pov_answer_row *row)
{
    if (isnan(row->image.curve_deg))
        return;
    place_holder *holder = holder_of(h, row);
    const double off_deg = fabs(remainder(row->image.phi_deg - row->image.curve_deg, 360));
    const place_holder one = {.image = row->image.id,
                              .off_deg = isnan(off_deg) ? 180 : off_deg, /* only its turn is known */
                              .has_answer = row->has_result && strcmp(row->result.outcome, "answered") == 0};
    if (one.has_answer != holder->has_answer ? one.has_answer : one.off_deg < holder->off_deg)
        *holder = one;
}

/* A question about a relation is on a curve if its image has a place there, and no other image is nearer to it. */
static void place_on_curve(cJSON *row, curve_holders *h, pov_export_beside *beside,
                           const pov_answer_row *from, bool turned_relatum, bool turned_addressee)
{
    const pov_log_image *image = &from->image;
    const cJSON *prompt = cJSON_GetObjectItem(row, "prompt");
    const char *whose = cJSON_IsString(prompt) ? prompt->valuestring : "";
    const bool turned =
        (strcmp(whose, "rel") == 0 && turned_relatum) || (strcmp(whose, "add") == 0 && turned_addressee);
    if (!*whose)
        return;
    add_number(row, "phi_exact_deg", image->phi_deg);
    if (isnan(image->curve_deg) || turned)
        beside->unplaced += from->has_result;
    else if (holder_of(h, from)->image != image->id)
        beside->farther += from->has_result;
    else
        add_number(row, "phi_deg", image->curve_deg);
}

/* The columns are there even if no image of a log, such as a shard's, has a place on a curve. */
static void leave_place_empty(cJSON *row)
{
    static const char *const place[] = {"prompt", "relation", "phi_deg"};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        if (!cJSON_GetObjectItem(row, place[i]))
            cJSON_AddStringToObject(row, place[i], "");
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

static void write_row(FILE *stream, const cJSON *row, pov_export_format format)
{
    if (format == POV_EXPORT_CSV) {
        for (int i = 0; i < COLUMNS; i++) {
            write_csv_cell(stream, cJSON_GetObjectItem(row, columns[i]));
            fputc(i + 1 < COLUMNS ? ',' : '\n', stream);
        }
        return;
    }
    char *text = cJSON_PrintUnformatted(row);
    fprintf(stream, "%s\n", text ? text : "");
    cJSON_free(text);
}

/* Two passes: how parties face, and which images are nearest, is known only after the first. `stream` NULL: the first. */
typedef struct {
    FILE *stream;
    facings facings;
    curve_holders holders;
    run_facts facts;
    pov_export_beside beside;
    const pov_export_options *options;
} row_pass;

static pov_status put_row(row_pass *p, const pov_answer_row *from)
{
    const pov_export_options *options = p->options;
    cJSON *row = make_row(from, options->gold, &p->facts);
    bool turned_relatum, turned_addressee;
    pov_status status = settle_facing(&p->facings, row, "relatum_facing", &turned_relatum);
    POV_THEN(status, settle_facing(&p->facings, row, "addressee_facing", &turned_addressee));
    if (status.code == POV_OK) {
        place_on_curve(row, &p->holders, &p->beside, from, turned_relatum, turned_addressee);
        if (options->curves && cJSON_GetObjectItem(row, "present"))
            leave_place_empty(row);
        const bool on_curve = cJSON_GetObjectItem(row, "phi_deg") || cJSON_GetObjectItem(row, "present");
        if (!options->curves || on_curve)
            write_row(p->stream, row, options->format);
    }
    cJSON_Delete(row);
    return status;
}

static pov_status gather_row(row_pass *p, const pov_answer_row *from)
{
    cJSON *row = make_row(from, POV_GOLD_STATION, &p->facts);
    pov_status status = add_facing(&p->facings, row, "relatum_facing");
    POV_THEN(status, add_facing(&p->facings, row, "addressee_facing"));
    cJSON_Delete(row);
    apply_for_place(&p->holders, from);
    return status;
}

static pov_status pass_row(void *context, pov_answer_row *row)
{
    row_pass *p = context;
    if (p->options->geometry)
        answer_by_geometry(row);
    else if (!row->has_result)
        row->result =
            (pov_log_result){.outcome = "pending", .kind = "not_asked", .cause = "", .p = NAN, .mass = NAN};
    if (!is_wanted(row, p->options) || (p->options->geometry && row->is_again))
        return pov_ok();
    return p->stream ? put_row(p, row) : gather_row(p, row);
}

static pov_status write_rows(pov_answer_log *log, pov_export_beside *beside, FILE *stream,
                             const pov_export_options *options)
{
    row_pass pass = {.facings = {.scenes = pov_name_set_new()},
                     .holders = {.keys = pov_name_set_new()},
                     .facts = {.folder = options->image_folder},
                     .options = options};
    pov_status status = read_run(&pass.facts, log);
    POV_THEN(status, pov_answer_log_each(log, pass_row, &pass));
    pass.stream = stream;
    if (status.code == POV_OK && options->format == POV_EXPORT_CSV)
        write_csv_head(stream);
    POV_THEN(status, pov_answer_log_each(log, pass_row, &pass));
    *beside = pass.beside;
    facings_free(&pass.facings);
    holders_free(&pass.holders);
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

static void write_cases(FILE *stream, const pov_comfort_data *data, const run_facts *facts, bool model)
{
    cJSON *root = cJSON_CreateObject();
    if (facts->is_simulated || model)
        cJSON_AddStringToObject(root, "simulated",
                                !facts->is_simulated ? "the models"
                                : model              ? "the station; the models"
                                                     : "the station");
    cJSON *cases = cJSON_AddArrayToObject(root, "cases");
    for (int g = 0; g < pov_comfort_data_groups(data); g++)
        cJSON_AddItemToArray(cases, case_of(data, pov_comfort_data_group(data, g)));
    char *text = cJSON_Print(root);
    fprintf(stream, "%s\n", text ? text : "");
    cJSON_free(text);
    cJSON_Delete(root);
}

static bool has_simulated_model(const pov_table *table)
{
    const int column = pov_table_column(table, "simulated");
    bool found = false;
    for (int row = 0; row < pov_table_len(table) && !found; row++)
        found = strstr(pov_table_cell(table, row, column), "model") != NULL;
    return found;
}

static pov_status write_comfort(pov_answer_log *log, pov_export_beside *beside, FILE *stream)
{
    static const pov_export_options options = {
        .format = POV_EXPORT_JSONL, .paper = "comfort", .curves = true};
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return pov_error("out of memory for the answers");
    pov_status status = write_rows(log, beside, memory, &options);
    fclose(memory);
    pov_table *table = NULL;
    pov_comfort_data *data = NULL;
    if (status.code == POV_OK && length == 0)
        status = pov_error("the log holds no answer of COMFORT's");
    POV_THEN(status, pov_table_parse(&table, "the log", text, length));
    POV_THEN(status, pov_comfort_data_new(&data, table, &POV_YES_NO_ENGLISH));
    run_facts facts = {.folder = NULL};
    POV_THEN(status, read_run(&facts, log));
    if (status.code == POV_OK)
        write_cases(stream, data, &facts, has_simulated_model(table));
    pov_comfort_data_destroy(&data);
    pov_table_destroy(&table);
    free(text);
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
    default:
        return write_rows(log, beside, stream, options);
    }
}

pov_status pov_answer_export(pov_answer_log *log, pov_export_beside *beside, FILE *stream,
                             const pov_export_options *options)
{
    pov_export_beside unwanted;
    POV_TRY(write_export(log, beside ? beside : &unwanted, stream, options));
    return fflush(stream) == 0 && !ferror(stream) ? pov_ok() : pov_error("the export cannot be written");
}
