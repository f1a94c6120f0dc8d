#include "firmware/report/report_log.h"

#include "compare/scoring/agreement.h"
#include "compare/scoring/flip_sheets.h"
#include "compare/scoring/people.h"
#include "compare/scoring/votes.h"
#include "compare/statistics/name_set.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "perception/hash.h"

#include <cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAMES_MAX = 16 };

/* Names with how often they came. */
typedef struct {
    pov_name_set *names;
    int count[NAMES_MAX];
} counted;

enum { RUNS, CALIBRATIONS, VERSIONS, UNSCORED, SIMULATED_MODELS, SERVERS, POSES, STATIONS, LISTS };

struct pov_report_sums {
    int64_t first_ns, last_ns; /* 0: none yet */
    int64_t pending, tokens;
    double cost;
    bool station_simulated, adaptive;
    counted lists[LISTS];
    uint64_t *answers; /* of one log: a hash of model, question, time */
    int answers_len, answers_capacity;
    pov_name_set *known;   /* the same of all logs that were joined */
    int logs, repeated;    /* repeated: the first log that has some of these again; 0: none */
    pov_name_set *manners; /* "m: system prompt comfort; images PNG, at most 512 px" */
    pov_name_set *noted;   /* from what these were composed */
    pov_agreement *agreement;
    pov_flip_sheets *flips;
    bool has_people; /* of one log: a person has answered some of its questions */
    pov_people_agreement *people;
    pov_votes *votes;
};
typedef struct pov_report_sums sums;

static void add_count(counted *c, const char *name, int times)
{
    const int number = pov_name_set_add(c->names, name, strlen(name));
    if (number < NAMES_MAX)
        c->count[number] += times;
}

static void note_cause(counted *c, const char *name)
{
    add_count(c, name, 1);
}

/* The value of a line "name: value" of a model's settings, "" if it has none. */
static void find_setting(char value[200], const char *settings, const char *name)
{
    char start[40];
    snprintf(start, sizeof start, "\n%s: ", name);
    const char *line = strstr(settings, start), *text = line ? line + strlen(start) : "";
    snprintf(value, 200, "%.*s", (int)strcspn(text, "\n"), text);
}

/* What a response calls the model: {"model": "..."}; "": nothing. */
static void find_version(char version[200], const pov_log_result *result)
{
    static const char key[] = "\"model\":";
    const char *at = result->body ? memmem(result->body, result->body_len, key, sizeof key - 1) : NULL,
               *end = result->body ? (const char *)result->body + result->body_len : NULL;
    version[0] = '\0';
    for (at = at ? at + sizeof key - 1 : NULL; at && at < end && (*at == ' ' || *at == '"'); at++)
        ;
    for (int len = 0; at && at < end && *at != '"' && (unsigned char)*at >= ' ' && len < 199; at++) {
        version[len++] = *at;
        version[len] = '\0';
    }
}

/* Of a model that pov asked; "": another program asked it, or its own settings ("extra") say so. */
static void find_temperature(char value[200], const char *settings)
{
    const bool is_ours = strncmp(settings, "logprobs: ", strlen("logprobs: ")) == 0;
    snprintf(value, 200, "%s",
             !is_ours || strstr(settings, "\"temperature\"")   ? ""
             : strstr(settings, "the model's own temperature") ? "the model's own"
                                                               : "0");
}

/* A setting as it was for this question, which may have a system prompt of its own, and need more tokens. */
static void find_setting_of(char value[200], const pov_answer_row *row, const char *name)
{
    const pov_log_question *question = &row->question;
    find_setting(value, row->settings, name);
    if (strcmp(name, "temperature") == 0)
        find_temperature(value, row->settings);
    if (strcmp(name, "answer_tokens_max") == 0 && *value && question->token_max > atoi(value))
        snprintf(value, 200, "%d", question->token_max);
    if (!question->system)
        return;
    if (strcmp(name, "system_name") == 0)
        value[0] = '\0';
    if (strcmp(name, "system") == 0)
        snprintf(value, 200, "%s%.150s%s", *question->system ? "\"" : "", question->system,
                 *question->system ? "\"" : "");
}

/* What decides about how a model was asked: all answers of a log but a few say the same. */
static bool is_noted(sums *s, const pov_answer_row *row, const char *condition, const char *version)
{
    const char *const parts[] = {row->model,
                                 row->settings,
                                 row->question.paper,
                                 condition ? condition : "",
                                 row->question.system ? row->question.system : "-",
                                 version,
                                 row->result.endpoint ? row->result.endpoint : ""};
    pov_text key = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        pov_text_add_bytes(&key, parts[i], strlen(parts[i]) + 1);
    pov_text_add_bytes(&key, (const char *)&row->question.token_max, sizeof row->question.token_max);
    const int len = pov_name_set_len(s->noted),
              number = pov_name_set_add(s->noted, pov_text_of(&key), key.len);
    pov_text_free(&key);
    return number < len;
}

/* How a model was asked a paper's questions in a prompt condition: server, version, prompts, sampling, the image as sent. */
static void note_manner(sums *s, const pov_answer_row *row)
{
    const char *settings = row->settings, *condition = strchr(row->question.language, '+');
    const pov_log_result *result = &row->result;
    static const struct {
        const char *name, *words, *usual; /* usual: without the setting */
    } known[] = {{"system_name", "system prompt", NULL},
                 {"system", "system prompt", "none"},
                 {"temperature", "temperature", NULL},
                 {"answer_tokens_max", "answers of at most", NULL},
                 {"image", "images", "as taken"},
                 {"prompting", "prompted", NULL},
                 {"adapted", "adapted to its server:", NULL},
                 {"extra", "with", NULL}};
    char value[200];
    pov_text text = {0};
    find_version(value, result);
    if (result->endpoint && *result->endpoint)
        note_cause(&s->lists[SERVERS], result->endpoint);
    if (is_noted(s, row, condition, value))
        return;
    pov_text_set(&text, "%.90s, %s%s%s:", row->model, row->question.paper, condition ? " " : "",
                 condition ? condition : "");
    if (*value)
        pov_text_add(&text, " says it is %s;", value);
    const size_t start = text.len;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        find_setting_of(value, row, known[i].name);
        if (strcmp(known[i].name, "system") == 0 && !row->question.system &&
            strstr(settings, "\nsystem_name: "))
            continue;
        if (*value || known[i].usual)
            pov_text_add(&text, "%s %s %.150s%s", text.len > start ? ";" : "", known[i].words,
                         *value ? value : known[i].usual,
                         strcmp(known[i].name, "answer_tokens_max") == 0 ? " tokens" : "");
    }
    pov_name_set_add(s->manners, pov_text_of(&text), text.len);
    pov_text_free(&text);
}

/* The camera's pose of a log's first image: where it comes from and how sure it is. */
static pov_status note_pose(sums *s, pov_answer_log *log)
{
    pov_log_image image;
    const pov_status status = pov_answer_log_image(log, &image, 0);
    if (status.code != POV_OK)
        return status.code == POV_END ? pov_ok() : status;
    cJSON *evidence = image.evidence ? pov_json_parse_text(image.evidence) : NULL;
    const cJSON *of = cJSON_GetObjectItem(evidence, "image"), *pose = cJSON_GetObjectItem(of, "pose"),
                *cov = cJSON_GetObjectItem(pose, "cov"), *source = cJSON_GetObjectItem(pose, "source");
    double variance = 0;
    for (int i = 3; i < 6; i++) {
        const cJSON *item = cJSON_GetArrayItem(cov, 7 * i);
        variance += cJSON_IsNumber(item) ? item->valuedouble : NAN;
    }
    pov_text words = {0};
    if (!cJSON_IsObject(of)) { /* a log that was heard has no images */
        cJSON_Delete(evidence);
        return pov_ok();
    }
    pov_text_set(&words, "images of %.0f x %.0f px; camera's pose: %s",
                 cJSON_GetNumberValue(cJSON_GetObjectItem(of, "width_px")),
                 cJSON_GetNumberValue(cJSON_GetObjectItem(of, "height_px")),
                 cJSON_IsString(source) ? source->valuestring : "unknown");
    if (!isnan(variance))
        pov_text_add(&words, ", standard deviation %.2g mm in place", 1000 * sqrt(variance));
    note_cause(&s->lists[POSES], pov_text_of(&words));
    pov_text_free(&words);
    cJSON_Delete(evidence);
    return pov_ok();
}

/* What the station file says of the tags. */
static void note_station(sums *s, const pov_log_run *run)
{
    cJSON *config = pov_json_parse_text(run->config);
    const char *station = cJSON_GetStringValue(cJSON_GetObjectItem(config, "station"));
    const char *map = station ? strstr(station, "map:") : NULL;
    pov_text words = {0};
    pov_text_set(&words, "configuration %.12s", run->config_hash);
    if (map)
        pov_text_add(&words, ", tag map %.*s", (int)strcspn(map + 4 + strspn(map + 4, " "), "\n}"),
                     map + 4 + strspn(map + 4, " "));
    else
        pov_text_add(&words, ", no tag map");
    note_cause(&s->lists[STATIONS], pov_text_of(&words));
    pov_text_free(&words);
    cJSON_Delete(config);
}

/* A copy of a log, such as 'pov listen --log' keeps, has the same answers about the same images at the same nanosecond. All
 * answers that were imported from one file have its time. */
static void note_answer(sums *s, const pov_answer_row *row)
{
    if (row->result.answered_ns == 0)
        return;
    const uint64_t of_model = pov_hash_text(POV_HASH_START, row->model),
                   of_image = pov_hash_text(pov_hash_value(of_model, 0), row->image.sha256),
                   of_key = pov_hash_text(pov_hash_value(of_image, 0), row->question.key);
    POV_REQUIRE_MEMORY(pov_grow(&s->answers, &s->answers_capacity, s->answers_len, sizeof *s->answers));
    s->answers[s->answers_len++] =
        pov_hash_bytes(of_key, &row->result.answered_ns, sizeof row->result.answered_ns);
}

/* Of some millions of answers, two have one hash by chance with a probability below 10^-6. */
static void join_answers(sums *to, const sums *from)
{
    const int of_others = pov_name_set_len(to->known);
    to->logs++;
    for (int i = 0; i < from->answers_len; i++)
        if (pov_name_set_add(to->known, &from->answers[i], sizeof *from->answers) < of_others &&
            to->repeated == 0)
            to->repeated = to->logs;
}

void pov_report_sums_add(pov_report_sums *s, const pov_answer_row *row, const char *scene,
                         const cJSON *columns)
{
    const pov_log_result *result = &row->result;
    const char *prompt = cJSON_GetStringValue(cJSON_GetObjectItem(columns, "prompt")),
               *of = prompt ? prompt : cJSON_GetStringValue(cJSON_GetObjectItem(columns, "task"));
    s->pending += !row->has_result;
    pov_votes_add(s->votes, row);
    if (row->image.calibration_hash)
        note_cause(&s->lists[CALIBRATIONS], row->image.calibration_hash);
    if (!row->has_result)
        return;
    note_answer(s, row);
    note_manner(s, row);
    if (s->first_ns == 0 || result->answered_ns < s->first_ns)
        s->first_ns = result->answered_ns;
    if (result->answered_ns > s->last_ns)
        s->last_ns = result->answered_ns;
    if (pov_log_result_is_simulated(result))
        note_cause(&s->lists[SIMULATED_MODELS], row->model);
    s->cost += result->cost;
    s->tokens += result->prompt_tokens + result->answer_tokens;
    const bool answered = strcmp(result->outcome, "answered") == 0;
    const bool scored = answered && (!isnan(result->p) || strcmp(result->kind, "text") == 0);
    if (!scored)
        note_cause(&s->lists[UNSCORED], answered ? result->kind : result->outcome);
    pov_agreement_add(s->agreement, row, scene, of);
    pov_flip_sheets_take(s->flips, row, columns);
    if (s->has_people)
        pov_people_agreement_add(s->people, row);
}

bool pov_report_sums_has_votes(const pov_report_sums *s)
{
    return pov_votes_len(s->votes) > 0;
}

pov_status pov_report_sums_add_run(pov_report_sums *s, pov_answer_log *log)
{
    pov_log_run run;
    POV_TRY(pov_people_have_answered(&s->has_people, log));
    const pov_status status = pov_answer_log_last_run(log, &run);
    if (status.code != POV_OK)
        return status.code == POV_UNDEFINED ? pov_ok() : status;
    s->station_simulated |= run.simulated;
    pov_text words = {0};
    pov_text_set(&words, "seed %" PRIu64 ", configuration %.12s", run.seed, run.config_hash);
    note_cause(&s->lists[RUNS], pov_text_of(&words));
    pov_text_set(&words, "pov %s", run.version);
    note_cause(&s->lists[VERSIONS], pov_text_of(&words));
    pov_text_free(&words);
    cJSON *config = pov_json_parse_text(run.config);
    s->adaptive |= cJSON_IsTrue(cJSON_GetObjectItem(config, "adaptive"));
    cJSON_Delete(config);
    note_station(s, &run);
    return note_pose(s, log);
}

/* ---- in words ---- */

static void add_fact(pov_report_log *told, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_fact(pov_report_log *told, const char *name, const char *format, ...)
{
    va_list arguments;
    POV_REQUIRE(told->facts_len < POV_REPORT_LOG_FACTS);
    pov_report_fact *fact = &told->facts[told->facts_len++];
    pov_text text = {0};
    va_start(arguments, format);
    pov_text_add_list(&text, format, arguments);
    va_end(arguments);
    *fact = (pov_report_fact){name, pov_text_take(&text)};
}

static void write_date(char text[32], int64_t epoch_ns)
{
    const time_t seconds = (time_t)(epoch_ns / 1000000000);
    struct tm utc;
    if (!gmtime_r(&seconds, &utc) || strftime(text, 32, "%Y-%m-%d %H:%M UTC", &utc) == 0)
        snprintf(text, 32, "?");
}

static pov_text join_texts(const counted *c, const char *between, bool with_counts)
{
    pov_text joined = {0};
    const int len = pov_name_set_len(c->names);
    for (int i = 0; i < len && i < NAMES_MAX; i++) {
        pov_text_add(&joined, "%s%s", i > 0 ? between : "", pov_name_set_at(c->names, i));
        if (with_counts)
            pov_text_add(&joined, " (%d)", c->count[i]);
    }
    if (len > NAMES_MAX)
        pov_text_add(&joined, "%sand %d others", between, len - NAMES_MAX);
    return joined;
}

static void add_counted(pov_report_log *told, const char *name, const counted *c, const char *between,
                        bool with_counts)
{
    pov_text line = join_texts(c, between, with_counts);
    if (line.len > 0)
        add_fact(told, name, "%s", pov_text_of(&line));
    pov_text_free(&line);
}

static void add_simulated(pov_report_log *told, const sums *s)
{
    pov_text models = join_texts(&s->lists[SIMULATED_MODELS], ", ", false);
    pov_text_set(&told->simulated, "%s%s%s", s->station_simulated ? "the station" : "",
                 s->station_simulated && models.len > 0 ? "; " : "", pov_text_of(&models));
    pov_text_free(&models);
}

static void add_sums(pov_report_log *told, const sums *s)
{
    char first[32], last[32];
    write_date(first, s->first_ns);
    write_date(last, s->last_ns);
    add_counted(told, "Run", &s->lists[RUNS], "; ", false);
    if (s->first_ns != 0)
        add_fact(told, "Dates", "%s to %s", first, last);
    add_counted(told, "Calibration", &s->lists[CALIBRATIONS], ", ", false);
    add_counted(told, "Recorded with", &s->lists[VERSIONS], ", ", false);
    add_counted(told, "Station", &s->lists[STATIONS], "; ", false);
    add_counted(told, "Lens and pose", &s->lists[POSES], "; ", false);
    for (int i = 0; i < pov_name_set_len(s->manners) && i < POV_REPORT_MODELS_MAX; i++)
        add_fact(told, "Asked with", "%s", pov_name_set_at(s->manners, i));
    if (pov_name_set_len(s->manners) > POV_REPORT_MODELS_MAX)
        add_fact(told, "Asked with", "%d more models or manners, which the logs tell",
                 pov_name_set_len(s->manners) - POV_REPORT_MODELS_MAX);
    add_counted(told, "Servers", &s->lists[SERVERS], ", ", false);
    if (s->pending > 0)
        add_fact(told, "Pending", "%" PRId64 " questions have no answer yet", s->pending);
    add_counted(told, "Unscored because", &s->lists[UNSCORED], ", ", true);
    if (s->cost > 0 || s->tokens > 0)
        add_fact(told, "Cost", "%.4g, for %" PRId64 " tokens", s->cost, s->tokens);
}

/* ---- all together ---- */

pov_report_sums *pov_report_sums_new(void)
{
    sums *s = pov_allocate(1, sizeof *s);
    for (int i = 0; i < LISTS; i++)
        s->lists[i].names = pov_name_set_new();
    s->known = pov_name_set_new();
    s->manners = pov_name_set_new();
    s->noted = pov_name_set_new();
    s->agreement = pov_agreement_new();
    s->flips = pov_flip_sheets_new();
    s->people = pov_people_agreement_new();
    s->votes = pov_votes_new();
    return s;
}

void pov_report_sums_destroy(pov_report_sums **s)
{
    if (!*s)
        return;
    for (int i = 0; i < LISTS; i++)
        pov_name_set_destroy(&(*s)->lists[i].names);
    pov_name_set_destroy(&(*s)->known);
    pov_name_set_destroy(&(*s)->manners);
    pov_name_set_destroy(&(*s)->noted);
    pov_agreement_destroy(&(*s)->agreement);
    pov_flip_sheets_destroy(&(*s)->flips);
    pov_people_agreement_destroy(&(*s)->people);
    pov_votes_destroy(&(*s)->votes);
    free((*s)->answers);
    free(*s);
    *s = NULL;
}

void pov_report_sums_join(pov_report_sums *to, const pov_report_sums *from)
{
    if (from->first_ns != 0 && (to->first_ns == 0 || from->first_ns < to->first_ns))
        to->first_ns = from->first_ns;
    if (from->last_ns > to->last_ns)
        to->last_ns = from->last_ns;
    to->pending += from->pending;
    to->tokens += from->tokens;
    to->cost += from->cost;
    to->station_simulated |= from->station_simulated;
    to->adaptive |= from->adaptive;
    for (int i = 0; i < LISTS; i++)
        for (int k = 0; k < pov_name_set_len(from->lists[i].names); k++)
            add_count(&to->lists[i], pov_name_set_at(from->lists[i].names, k),
                      k < NAMES_MAX ? from->lists[i].count[k] : 0);
    for (int k = 0; k < pov_name_set_len(from->manners); k++) {
        const char *manner = pov_name_set_at(from->manners, k);
        (void)pov_name_set_add(to->manners, manner, strlen(manner));
    }
    join_answers(to, from);
    pov_agreement_join(to->agreement, from->agreement);
    pov_flip_sheets_join(to->flips, from->flips);
    pov_people_agreement_join(to->people, from->people);
    pov_votes_join(to->votes, from->votes);
}

pov_status pov_report_sums_tell(const pov_report_sums *s, pov_report_log *told, const pov_workers *workers)
{
    *told = (pov_report_log){.adaptive = s->adaptive};
    if (s->logs > 1 && s->repeated > 0)
        return pov_error(
            "log %d holds answers that a log before it holds, too: it is a copy of it (as 'pov "
            "listen --log' or 'pov merge' make), and each answer would count twice; leave it out",
            s->repeated);
    told->sheet = pov_sheet_new();
    pov_flip_sheets_print(s->flips, told->sheet, false, workers);
    pov_agreement_print(s->agreement, told->sheet);
    pov_people_agreement_print(s->people, told->sheet);
    pov_votes_print(s->votes, told->sheet);
    add_sums(told, s);
    add_simulated(told, s);
    return pov_ok();
}

void pov_report_log_free(pov_report_log *told)
{
    for (int i = 0; i < told->facts_len; i++)
        free((char *)told->facts[i].text);
    told->facts_len = 0;
    pov_text_free(&told->simulated);
    pov_sheet_destroy(&told->sheet);
}
