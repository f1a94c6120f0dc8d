#include "compare/log/answer_columns.h"

#include "compare/log/log_pictures.h"
#include "compare/questions/prompt_condition.h"
#include "compare/statistics/name_set.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "perception/geometry/geom.h"
#include "perception/hash.h"
#include "perception/relations/relation.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN = 4096 /* questions' columns that are kept parsed; chosen: more than a rotation has */ };
enum { RELATUM, ADDRESSEE, PARTIES };
static const char *const party_names[PARTIES] = {"relatum_facing", "addressee_facing"};

/* Columns of an export that neither scores nor reports read: tables for these are without them. */
static const char *const unread[] = {"guided", "prompting", "system",        "order",
                                     "stop",   "turn_deg",  "phi_exact_deg", "phi_exact_std_deg",
                                     "mass",   "outcome",   "explanation"};

/* How a party of a scene faces, over all its images. */
typedef struct {
    double sine, cosine, facing_deg;
    int len;
    bool is_settled, turned;
} facing;

/* The columns that a question brings along. Many questions bring the same. */
typedef struct {
    char *text, *paper; /* from which they were parsed; NULL: the place is free */
    cJSON *object;
    uint64_t unread;              /* a bit for each of the first members that is `unread` */
    int number[PARTIES];          /* of the party's facing; -1: it is none that is a number */
    const cJSON *facing[PARTIES]; /* of `object` */
    bool has_condition[POV_PROMPT_CONDITION_KINDS], has_scene, has_phi, has_present;
    const char *prompt, *picture_path;
} question_columns;

/* The image whose answer stands at each model's place for a question. */
typedef struct {
    int64_t image;
    double off_deg;
    bool has_answer;
} place_holder;

struct pov_answer_columns {
    const pov_export_options *options;
    pov_log_scene scene;
    char run[48], version[40];
    bool is_simulated; /* the station */
    pov_name_set *scenes;
    facing *facings; /* [of `scenes`] */
    int facings_capacity;
    question_columns known[KNOWN];
    pov_name_set *models;  /* with their settings */
    pov_name_set *places;  /* model, question, place */
    place_holder *holders; /* [of `places`] */
    int holders_capacity;
    pov_export_beside beside;
    pov_answer_cell *cells;
    int len, cells_capacity;
    char asked_at[24];
    int64_t asked_s;
    pov_text id, path, explanation, answer, key;
};

/* ---- the question's own ---- */

static void forget(question_columns *q)
{
    free(q->text);
    free(q->paper);
    cJSON_Delete(q->object);
    *q = (question_columns){0};
}

/* Scenes of papers that are scored are told apart: each is read by itself. */
static int facing_number(pov_answer_columns *c, const question_columns *q, int party)
{
    const cJSON *scene = cJSON_GetObjectItem(q->object, "scene");
    const char *flip = pov_json_text_of(
        q->object, pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_FLIP)); /* they face the other way */
    char *name = pov_text_new("%s;%s;%d;%s", c->options->curves ? q->paper : "",
                              cJSON_IsString(scene) ? scene->valuestring : "", party, flip);
    const int known = pov_name_set_len(c->scenes), number = pov_name_set_add(c->scenes, name, strlen(name));
    free(name);
    POV_REQUIRE_MEMORY(pov_grow(&c->facings, &c->facings_capacity, number, sizeof *c->facings));
    if (number == known)
        c->facings[number] = (facing){0};
    return number;
}

static bool is_unread(const char *name)
{
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (strcmp(unread[i], name) == 0)
            return true;
    return false;
}

static uint64_t find_unread(const cJSON *object)
{
    uint64_t bits = 0;
    const cJSON *item = object->child;
    for (int i = 0; item && i < 64; i++, item = item->next)
        bits |= (uint64_t)is_unread(item->string) << i;
    return bits;
}

static const question_columns *parse_columns(pov_answer_columns *c, const char *paper, const char *text)
{
    const char *words = text ? text : "";
    question_columns *q =
        &c->known[(pov_hash_block(words, strlen(words)) ^ pov_hash_block(paper, strlen(paper))) % KNOWN];
    if (q->text && strcmp(q->text, words) == 0 && strcmp(q->paper, paper) == 0)
        return q;
    forget(q);
    *q = (question_columns){.text = pov_text_new("%s", words),
                            .paper = pov_text_new("%s", paper),
                            .object = text ? pov_json_parse_text(text) : NULL};
    if (!cJSON_IsObject(q->object)) {
        cJSON_Delete(q->object);
        q->object = cJSON_CreateObject();
    }
    q->unread = c->options->scored_only ? find_unread(q->object) : 0;
    for (int i = 0; i < PARTIES; i++) {
        q->facing[i] = cJSON_GetObjectItem(q->object, party_names[i]);
        q->number[i] = cJSON_IsNumber(q->facing[i]) ? facing_number(c, q, i) : -1;
    }
    for (int kind = 0; kind < POV_PROMPT_CONDITION_KINDS; kind++)
        q->has_condition[kind] =
            cJSON_GetObjectItem(q->object, pov_prompt_condition_kind_name((pov_prompt_condition_kind)kind));
    q->has_scene = cJSON_GetObjectItem(q->object, "scene");
    q->has_phi = cJSON_GetObjectItem(q->object, "phi_deg");
    q->has_present = cJSON_GetObjectItem(q->object, "present");
    q->prompt = pov_json_text_of(q->object, "prompt");
    q->picture_path = pov_json_text_of(q->object, "picture_path");
    return q;
}

static bool has_column(const question_columns *q, const char *name)
{
    return cJSON_GetObjectItem(q->object, name) != NULL;
}

static bool is_wanted_paper(const pov_answer_columns *c, const char *paper)
{
    return !c->options->paper || strcmp(c->options->paper, paper) == 0;
}

static void gather_facing(pov_answer_columns *c, const pov_answer_row *row)
{
    const question_columns *q = parse_columns(c, row->question.paper, row->question.columns);
    for (int i = 0; i < PARTIES; i++) {
        if (q->number[i] < 0)
            continue;
        const double facing_rad = q->facing[i]->valuedouble * POV_DEG;
        facing *sum = &c->facings[q->number[i]];
        sum->sine += sin(facing_rad);
        sum->cosine += cos(facing_rad);
        sum->len++;
    }
}

/* One facing for the whole scene, or none if it turned. */
static const facing *settle_facing(pov_answer_columns *c, int number)
{
    static const double steady =
        0.985; /* length of the mean direction: a spread of about 10 degrees; chosen */
    facing *sum = &c->facings[number];
    if (sum->is_settled)
        return sum;
    sum->turned = hypot(sum->sine, sum->cosine) < steady * sum->len;
    sum->facing_deg = round(atan2(sum->sine, sum->cosine) / POV_DEG);
    if (sum->facing_deg < 0)
        sum->facing_deg += 360;
    sum->is_settled = true;
    return sum;
}

/* ---- places on curves ---- */

static place_holder *holder_of(pov_answer_columns *c, const pov_answer_row *row)
{
    const char *parts[] = {row->model ? row->model : "", row->settings ? row->settings : ""};
    pov_text_clear(&c->key);
    for (int i = 0; i < 2; i++)
        pov_text_add_bytes(&c->key, parts[i], strlen(parts[i]) + 1);
    const int who[] = {pov_name_set_add(c->models, pov_text_of(&c->key), c->key.len),
                       (int)lround(row->image.curve_deg)};
    pov_text_clear(&c->key);
    pov_text_add_bytes(&c->key, (const char *)who, sizeof who);
    pov_text_add_bytes(&c->key, row->question.key, strlen(row->question.key));
    const int known = pov_name_set_len(c->places),
              number = pov_name_set_add(c->places, pov_text_of(&c->key), c->key.len);
    POV_REQUIRE_MEMORY(pov_grow(&c->holders, &c->holders_capacity, number, sizeof *c->holders));
    if (number == known)
        c->holders[number] = (place_holder){.off_deg = INFINITY};
    return &c->holders[number];
}

static void apply_for_place(pov_answer_columns *c, const pov_answer_row *row)
{
    if (isnan(row->image.curve_deg))
        return;
    place_holder *holder = holder_of(c, row);
    const double off_deg = fabs(remainder(row->image.phi_deg - row->image.curve_deg, 360));
    const place_holder one = {.image = row->image.id,
                              .off_deg = isnan(off_deg) ? 180 : off_deg, /* only its turn is known */
                              .has_answer = row->has_result && strcmp(row->result.outcome, "answered") == 0};
    if (one.has_answer != holder->has_answer ? one.has_answer : one.off_deg < holder->off_deg)
        *holder = one;
}

/* ---- what all rows share ---- */

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

static pov_status read_run(pov_answer_columns *c, pov_answer_log *log)
{
    pov_log_run run;
    char started[24];
    POV_TRY(pov_answer_log_scene(log, &c->scene));
    const pov_status status = pov_answer_log_last_run(log, &run);
    if (status.code != POV_OK)
        return status.code == POV_UNDEFINED ? pov_ok() : status;
    write_time(started, "%04d%02d%02dT%02d%02d%02dZ", run.started_ns);
    snprintf(c->run, sizeof c->run, "%s%s%.8s", started, *started ? "_" : "", run.config_hash);
    snprintf(c->version, sizeof c->version, "pov %.30s", run.version);
    c->is_simulated = run.simulated;
    return pov_ok();
}

/* The station's own answer. */
static void answer_by_geometry(pov_answer_row *row)
{
    row->model = POV_GEOMETRY;
    row->has_result = true;
    row->result = (pov_log_result){
        .outcome = "answered", .kind = "tokens", .cause = "", .p = row->question.gold_p, .mass = NAN};
}

/* False: the row is not wanted. */
static bool take_answer(const pov_answer_columns *c, pov_answer_row *row)
{
    if (!is_wanted_paper(c, row->question.paper) || (c->options->geometry && row->is_again))
        return false;
    row->image.phi_deg = pov_log_seen_deg(row->image.phi_deg, row->question.key);
    row->image.curve_deg = pov_log_seen_deg(row->image.curve_deg, row->question.key);
    if (c->options->geometry)
        answer_by_geometry(row);
    else if (!row->has_result)
        row->result =
            (pov_log_result){.outcome = "pending", .kind = "not_asked", .cause = "", .p = NAN, .mass = NAN};
    return row->model != NULL;
}

/* How parties face, and which images are nearest, is known only after all rows. */
static pov_status gather_row(void *context, pov_answer_row *row)
{
    pov_answer_columns *c = context;
    if (!take_answer(c, row))
        return pov_ok();
    gather_facing(c, row);
    apply_for_place(c, row);
    return pov_ok();
}

pov_status pov_answer_columns_new(pov_answer_columns **columns, pov_answer_log *log,
                                  const pov_export_options *options)
{
    pov_answer_columns *c = *columns = pov_allocate(1, sizeof *c);
    c->options = options;
    c->scenes = pov_name_set_new();
    c->models = pov_name_set_new();
    c->places = pov_name_set_new();
    pov_status status = read_run(c, log);
    POV_THEN(status, pov_answer_log_each_asked(log, gather_row, c));
    if (status.code != POV_OK)
        pov_answer_columns_destroy(columns);
    return status;
}

void pov_answer_columns_destroy(pov_answer_columns **columns)
{
    pov_answer_columns *c = *columns;
    if (!c)
        return;
    for (int i = 0; i < KNOWN; i++)
        forget(&c->known[i]);
    pov_name_set_destroy(&c->scenes);
    pov_name_set_destroy(&c->models);
    pov_name_set_destroy(&c->places);
    free(c->holders);
    pov_text_free(&c->key);
    free(c->facings);
    free(c->cells);
    pov_text_free(&c->id);
    pov_text_free(&c->path);
    pov_text_free(&c->explanation);
    pov_text_free(&c->answer);
    free(c);
    *columns = NULL;
}

const pov_log_scene *pov_answer_columns_scene(const pov_answer_columns *columns)
{
    return &columns->scene;
}

const pov_export_beside *pov_answer_columns_beside(const pov_answer_columns *columns)
{
    return &columns->beside;
}

bool pov_answer_columns_simulated(const pov_answer_columns *columns)
{
    return columns->is_simulated;
}

const cJSON *pov_answer_columns_object(pov_answer_columns *columns, const pov_answer_row *row)
{
    return parse_columns(columns, row->question.paper, row->question.columns)->object;
}

/* ---- a row ---- */

static void add_cell(pov_answer_columns *c, pov_answer_cell cell)
{
    POV_REQUIRE_MEMORY(pov_grow(&c->cells, &c->cells_capacity, c->len, sizeof *c->cells));
    c->cells[c->len++] = cell;
}

static void add_text(pov_answer_columns *c, const char *name, const char *text)
{
    if (text && *text)
        add_cell(c, (pov_answer_cell){.name = name, .kind = POV_COLUMN_TEXT, .text = text});
}

static void add_number(pov_answer_columns *c, const char *name, double number)
{
    if (!isnan(number))
        add_cell(c, (pov_answer_cell){.name = name, .kind = POV_COLUMN_NUMBER, .number = number});
}

/* The facings of parties come later, one for all images of a scene. */
static void add_own(pov_answer_columns *c, const question_columns *q)
{
    const cJSON *item = q->object->child;
    for (int k = 0; item; k++, item = item->next) {
        bool is_left_out = k < 64 && (q->unread >> k & 1);
        for (int i = 0; i < PARTIES; i++)
            is_left_out |= q->number[i] >= 0 && item == q->facing[i];
        if (!is_left_out)
            add_cell(c, (pov_answer_cell){item->string,
                                          cJSON_IsString(item)   ? POV_COLUMN_TEXT
                                          : cJSON_IsNumber(item) ? POV_COLUMN_NUMBER
                                          : cJSON_IsNull(item)   ? POV_COLUMN_EMPTY
                                                                 : POV_COLUMN_JSON,
                                          item->valuestring, item->valuedouble, item});
    }
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
static void add_conditions(pov_answer_columns *c, const question_columns *q, const char *language)
{
    for (int kind = 0; kind < POV_PROMPT_CONDITION_KINDS; kind++) {
        const char *name = pov_prompt_condition_kind_name((pov_prompt_condition_kind)kind);
        if (!q->has_condition[kind] && !(c->options->scored_only && is_unread(name)))
            add_cell(c, (pov_answer_cell){
                            .name = name,
                            .kind = POV_COLUMN_TEXT,
                            .text = condition_of_language((pov_prompt_condition_kind)kind, language)->name});
    }
}

static void add_run(pov_answer_columns *c, const question_columns *q, const pov_answer_row *from)
{
    static const char *const simulated[] = {"no", "station", "model", "station and model"};
    const bool model = from->has_result && pov_log_result_is_simulated(&from->result);
    const int64_t asked_ns = from->has_result ? from->result.answered_ns : 0, asked_s = asked_ns / 1000000000;
    if (asked_s != c->asked_s || asked_ns <= 0)
        write_time(c->asked_at, "%04d-%02d-%02dT%02d:%02d:%02dZ", asked_ns);
    c->asked_s = asked_s;
    add_text(c, "simulated", simulated[c->is_simulated + 2 * model]);
    add_text(c, "run", c->run);
    add_text(c, "asked_at", c->asked_at);
    add_text(c, "version", c->version);
    add_text(c, "calibration", from->image.calibration_hash);
    if (strcmp(from->question.paper, "comfort") != 0 && !q->has_scene)
        add_text(c, "scene", pov_log_scene_of(&c->scene, &from->image));
}

/* Adds the columns of the image that is sent. */
static void add_image(pov_answer_columns *c, const question_columns *q, const pov_answer_row *from)
{
    const char *folder = c->options->image_folder, *other = q->picture_path;
    const char *path = *other ? other : from->image.path;
    add_text(c, "image", from->image.name);
    if (folder)
        pov_text_set(&c->path, "%s/%s", folder, path);
    add_text(c, "image_path", folder ? pov_text_of(&c->path) : path);
    add_text(c, "sha256", *other ? pov_json_text_of(q->object, "picture_sha256") : from->image.sha256);
    if (c->options->scored_only)
        return;
    add_number(c, "stop", from->image.stop);
    add_number(c, "turn_deg", from->image.turn_deg);
}

static const char *convention_in(const char *frame, size_t len)
{
    for (int k = 0; k < POV_CONVENTION_COUNT; k++) {
        const char *name = pov_convention_name((pov_convention)k);
        if (memmem(frame, len, name, strlen(name)))
            return name;
    }
    return NULL;
}

/* The convention of the first gold that the question asks for: it is named in its frame. As pov writes golds, they need not be parsed:
 * quotation marks within texts have a backslash before them. */
static const char *find_convention(const char *golds)
{
    static const char start[] = "[{\"frame\":\"", asked[] = "\"asked\":true";
    if (strncmp(golds, start, sizeof start - 1) != 0)
        return NULL;
    for (const char *at = golds; (at = strstr(at, asked)); at++) {
        const char *frame = memrchr(golds, '{', (size_t)(at - golds));
        frame = frame ? frame + sizeof start - 2 : at; /* behind {"frame":" */
        const char *found = frame < at ? convention_in(frame, strcspn(frame, "\"")) : NULL;
        if (found)
            return found;
    }
    return "";
}

static const char *parse_convention(const char *golds)
{
    cJSON *list = pov_json_parse_text(golds);
    const char *found = NULL;
    const cJSON *gold;
    cJSON_ArrayForEach(gold, list)
    {
        const char *frame = cJSON_GetStringValue(cJSON_GetObjectItem(gold, "frame"));
        if (!found && frame && cJSON_IsTrue(cJSON_GetObjectItem(gold, "asked")))
            found = convention_in(frame, strlen(frame));
    }
    cJSON_Delete(list);
    return found;
}

static void add_question(pov_answer_columns *c, const pov_answer_row *from)
{
    const pov_log_question *question = &from->question;
    const char *words = c->options->gold == POV_GOLD_TRUTH ? question->truth : question->gold;
    const char *convention = question->golds ? find_convention(question->golds) : "";
    add_text(c, "key", question->key);
    add_text(c, "text", question->prompt);
    add_text(c, "language", question->language);
    add_text(c, "convention", convention ? convention : parse_convention(question->golds));
    if (words && *words)
        add_text(c, "gold", words);
    else
        add_cell(c, (pov_answer_cell){.name = "gold",
                                      .kind = POV_COLUMN_EMPTY}); /* the station abstains, or there is none */
    if (c->options->gold == POV_GOLD_STATION)
        add_number(c, "gold_p", question->gold_p);
}

/* Words stand in for a probability only where they were what was scored, or are a refusal: leftovers of an answer that
 * was too unsure to be scored must not be scored after all. */
static bool words_count(const pov_log_result *result)
{
    return isnan(result->p) && strcmp(result->kind, "low_mass") != 0 &&
           strcmp(result->outcome, "answered") == 0;
}

static const char *prompting_of(const question_columns *q, const char *language)
{
    const char *name = pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_PROMPTING);
    return q->has_condition[POV_PROMPT_CONDITION_PROMPTING]
               ? pov_json_text_of(q->object, name)
               : condition_of_language(POV_PROMPT_CONDITION_PROMPTING, language)->name;
}

/* A chain of thought is divided into its explanation and, at its end, the answer. */
static void add_words(pov_answer_columns *c, const question_columns *q, const pov_answer_row *from)
{
    size_t begin, length;
    bool marked;
    const char *text = from->result.text;
    if (!text || !pov_prompting_explains(pov_prompting_named(prompting_of(q, from->question.language)))) {
        add_text(c, "answer", text);
        return;
    }
    pov_answer_concluded(&begin, &length, &marked, text);
    pov_text_set(&c->explanation, "%.*s", (int)begin, text);
    pov_text_set(&c->answer, "%.*s", (int)length, text + begin);
    add_text(c, "answer", pov_text_of(&c->answer));
    if (!c->options->scored_only)
        add_text(c, "explanation", pov_text_of(&c->explanation));
}

static void add_directions(pov_answer_columns *c, const pov_answer_row *from)
{
    static const char *const names[4] = {"p_north", "p_east", "p_south", "p_west"};
    double p[4];
    const bool are_known = c->options->directions && from->has_result &&
                           strcmp(from->question.form, "cardinals") == 0 &&
                           c->options->directions(p, &from->result);
    for (int i = 0; i < 4 && are_known; i++)
        add_number(c, names[i], p[i]);
}

static void add_result(pov_answer_columns *c, const question_columns *q, const pov_answer_row *from)
{
    const pov_log_result *result = &from->result;
    add_number(c, strcmp(from->question.form, "true_false") == 0 ? "p_true" : "p_yes", result->p);
    if (words_count(result) || !isnan(result->p))
        add_words(c, q, from);
    add_directions(c, from);
    if (!c->options->scored_only)
        add_text(c, "outcome", result->outcome);
    add_text(c, "kind", result->kind);
    add_text(c, "cause", result->cause);
    if (!c->options->scored_only)
        add_number(c, "mass", result->mass);
    if (!from->has_result)
        return;
    add_number(c, "latency_s", (double)result->latency_ns * 1e-9);
    add_number(c, "prompt_tokens", (double)result->prompt_tokens);
    add_number(c, "answer_tokens", (double)result->answer_tokens);
    add_number(c, "cost", result->cost);
}

static void add_facings(pov_answer_columns *c, const question_columns *q, bool turned[PARTIES])
{
    for (int i = 0; i < PARTIES; i++) {
        turned[i] = false;
        if (q->number[i] < 0)
            continue;
        const facing *settled = settle_facing(c, q->number[i]);
        turned[i] = settled->turned;
        if (!settled->turned)
            add_number(c, party_names[i], settled->facing_deg);
    }
}

/* A question about a relation is on a curve if its image has a place there, and no other image is nearer to it. Returns: whether it is. */
static bool place_on_curve(pov_answer_columns *c, const question_columns *q, const pov_answer_row *from,
                           const bool turned[PARTIES])
{
    const pov_log_image *image = &from->image;
    const char *whose = q->prompt;
    const bool turns =
        (strcmp(whose, "rel") == 0 && turned[RELATUM]) || (strcmp(whose, "add") == 0 && turned[ADDRESSEE]);
    if (*whose == '\0')
        return q->has_phi;
    if (!c->options->scored_only)
        add_number(c, "phi_exact_deg", image->phi_deg);
    if (isnan(image->curve_deg) || turns) {
        c->beside.unplaced += from->has_result;
        return q->has_phi;
    }
    if (holder_of(c, from)->image != image->id) {
        c->beside.farther += from->has_result;
        return q->has_phi;
    }
    add_number(c, "phi_deg", image->curve_deg);
    return true;
}

/* The columns are there even if no image of a log, such as a shard's, has a place on a curve. */
static void leave_place_empty(pov_answer_columns *c, const question_columns *q, bool is_placed)
{
    static const char *const place[] = {"prompt", "relation", "phi_deg"};
    for (int i = 0; i < 3; i++)
        if (!has_column(q, place[i]) && !(i == 2 && is_placed))
            add_cell(c, (pov_answer_cell){.name = place[i], .kind = POV_COLUMN_TEXT, .text = ""});
}

/* SPHERE's questions with options are asked in several orders of them, which their keys tell: ".../ball:car/3+cot/3". They are one
 * question: the orders' numbers are left out. */
static void add_measure_key(pov_text *id, const pov_log_question *question)
{
    const bool has_order = strcmp(question->paper, "sphere") == 0 && strcmp(question->form, "option") == 0;
    for (const char *at = question->key; *at;) {
        const size_t digits = has_order && *at == '/' ? strspn(at + 1, "0123456789") : 0;
        const bool is_order = digits > 0 && strchr("/+", at[1 + digits]); /* also at the end */
        if (is_order)
            at += 1 + digits;
        else
            pov_text_add_bytes(id, at++, 1);
    }
}

/* "17/KEY". Printing it would cost as much as half of all other cells. */
static void compose_id(pov_text *id, const pov_answer_row *row)
{
    char digits[24], *at = digits + sizeof digits;
    for (int64_t left = llabs((long long)row->image.stop); at == digits + sizeof digits || left > 0;
         left /= 10)
        *--at = (char)('0' + left % 10);
    if (row->image.stop < 0)
        *--at = '-';
    pov_text_clear(id);
    pov_text_add_bytes(id, at, (size_t)(digits + sizeof digits - at));
    pov_text_add_bytes(id, "/", 1);
    add_measure_key(id, &row->question);
}

int pov_answer_columns_fill(pov_answer_columns *columns, const pov_answer_cell **cells, pov_answer_row *row)
{
    pov_answer_columns *c = columns;
    bool turned[PARTIES];
    if (!take_answer(c, row))
        return 0;
    const bool curves = c->options->curves && strcmp(row->question.paper, "comfort") == 0;
    const question_columns *q = parse_columns(c, row->question.paper, row->question.columns);
    c->len = 0;
    add_own(c, q);
    add_conditions(c, q, row->question.language);
    compose_id(&c->id, row);
    add_text(c, "model", row->model);
    add_run(c, q, row);
    add_text(c, "paper", row->question.paper);
    add_text(c, "id", pov_text_of(&c->id));
    add_image(c, q, row);
    add_question(c, row);
    add_result(c, q, row);
    add_facings(c, q, turned);
    const bool is_placed = place_on_curve(c, q, row, turned);
    if (curves && q->has_present)
        leave_place_empty(c, q, is_placed);
    *cells = c->cells;
    return !curves || is_placed || q->has_present ? c->len : 0;
}
