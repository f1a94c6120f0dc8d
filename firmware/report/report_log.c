#include "firmware/report/report_log.h"

#include "compare/log/answer_log.h"
#include "compare/statistics/name_set.h"
#include "firmware/sweep/sweep_scores.h"

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

enum { RUNS, CALIBRATIONS, VERSIONS, UNSCORED, SIMULATED_MODELS, LISTS };

typedef struct {
    int64_t first_ns, last_ns; /* 0: none yet */
    int64_t pending, tokens;
    double cost;
    bool station_simulated;
    counted lists[LISTS];
} sums;

static pov_status note_cause(counted *c, const char *name)
{
    int number;
    POV_TRY(pov_name_set_add(c->names, &number, name, strlen(name)));
    if (number < NAMES_MAX)
        c->count[number]++;
    return pov_ok();
}

/* Whatever name it was asked by: `pov vlm-sim` says in each response what it is. */
static bool is_simulated(const pov_log_result *result)
{
    static const char sign[] = "pov-vlm-sim (simulated)";
    return result->body && memmem(result->body, result->body_len, sign, sizeof sign - 1);
}

static pov_status add_row(sums *s, const pov_answer_row *row)
{
    const pov_log_result *result = &row->result;
    s->pending += !row->has_result;
    if (row->image.calibration_hash)
        POV_TRY(note_cause(&s->lists[CALIBRATIONS], row->image.calibration_hash));
    if (!row->has_result)
        return pov_ok();
    if (s->first_ns == 0 || result->answered_ns < s->first_ns)
        s->first_ns = result->answered_ns;
    if (result->answered_ns > s->last_ns)
        s->last_ns = result->answered_ns;
    if (is_simulated(result))
        POV_TRY(note_cause(&s->lists[SIMULATED_MODELS], row->model));
    s->cost += result->cost;
    s->tokens += result->prompt_tokens + result->answer_tokens;
    const bool answered = strcmp(result->outcome, "answered") == 0;
    const bool scored = answered && (!isnan(result->p) || strcmp(result->kind, "text") == 0);
    return scored ? pov_ok() : note_cause(&s->lists[UNSCORED], answered ? result->kind : result->outcome);
}

static pov_status add_rows(sums *s, pov_answer_log *log)
{
    pov_answer_rows *rows;
    pov_answer_row row;
    pov_status status;
    POV_TRY(pov_answer_rows_new(&rows, log));
    while ((status = pov_answer_rows_next(rows, &row)).code == POV_OK) {
        status = add_row(s, &row);
        if (status.code != POV_OK)
            break;
    }
    pov_answer_rows_destroy(&rows);
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status add_run(sums *s, pov_answer_log *log)
{
    pov_log_run run;
    char words[50];
    const pov_status status = pov_answer_log_last_run(log, &run);
    if (status.code != POV_OK)
        return status.code == POV_UNDEFINED ? pov_ok() : status;
    s->station_simulated |= run.simulated;
    snprintf(words, sizeof words, "seed %" PRIu64 ", configuration %.12s", run.seed, run.config_hash);
    POV_TRY(note_cause(&s->lists[RUNS], words));
    snprintf(words, sizeof words, "pov %.45s", run.version);
    return note_cause(&s->lists[VERSIONS], words);
}

/* ---- in words ---- */

static void add_fact(pov_report_log *told, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_fact(pov_report_log *told, const char *name, const char *format, ...)
{
    va_list arguments;
    POV_REQUIRE(told->facts_len < POV_REPORT_LOG_FACTS);
    pov_report_fact *fact = &told->facts[told->facts_len++];
    snprintf(fact->name, sizeof fact->name, "%s", name);
    va_start(arguments, format);
    vsnprintf(fact->text, sizeof fact->text, format, arguments);
    va_end(arguments);
}

static void write_date(char text[32], int64_t epoch_ns)
{
    const time_t seconds = (time_t)(epoch_ns / 1000000000);
    struct tm utc;
    if (!gmtime_r(&seconds, &utc) || strftime(text, 32, "%Y-%m-%d %H:%M UTC", &utc) == 0)
        snprintf(text, 32, "?");
}

static void join_texts(char line[400], const counted *c, const char *between, bool with_counts)
{
    size_t length = 0;
    line[0] = '\0';
    for (int i = 0; i < pov_name_set_len(c->names) && i < NAMES_MAX && length < 320; i++) {
        length += (size_t)snprintf(line + length, 60, "%s%.50s", i > 0 ? between : "",
                                   pov_name_set_at(c->names, i));
        if (with_counts)
            length += (size_t)snprintf(line + length, 16, " (%d)", c->count[i]);
    }
}

static void add_counted(pov_report_log *told, const char *name, const counted *c, const char *between,
                        bool with_counts)
{
    char line[400];
    join_texts(line, c, between, with_counts);
    if (line[0] != '\0')
        add_fact(told, name, "%s", line);
}

static void add_simulated(pov_report_log *told, const sums *s)
{
    char models[400];
    join_texts(models, &s->lists[SIMULATED_MODELS], ", ", false);
    snprintf(told->simulated, sizeof told->simulated, "%s%s%.350s", s->station_simulated ? "the station" : "",
             s->station_simulated && models[0] ? "; " : "", models);
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
    if (s->pending > 0)
        add_fact(told, "Pending", "%" PRId64 " questions have no answer yet", s->pending);
    add_counted(told, "Unscored because", &s->lists[UNSCORED], ", ", true);
    if (s->cost > 0 || s->tokens > 0)
        add_fact(told, "Cost", "%.4g, for %" PRId64 " tokens", s->cost, s->tokens);
}

/* ---- reading ---- */

static pov_status read_log(pov_report_log *told, pov_answer_log *const *logs, int len, sums *s)
{
    for (int i = 0; i < LISTS; i++)
        POV_TRY(pov_name_set_new(&s->lists[i].names));
    POV_TRY(pov_sheet_new(&told->agreement));
    for (int i = 0; i < len; i++) {
        POV_TRY(add_run(s, logs[i]));
        POV_TRY(add_rows(s, logs[i]));
    }
    POV_TRY(pov_sweep_agreement_print(logs, len, told->agreement));
    add_sums(told, s);
    add_simulated(told, s);
    return pov_ok();
}

pov_status pov_report_log_read(pov_report_log *told, pov_answer_log *const *logs, int len)
{
    sums s = {0};
    *told = (pov_report_log){.facts_len = 0};
    pov_status status = read_log(told, logs, len, &s);
    for (int i = 0; i < LISTS; i++)
        pov_name_set_destroy(&s.lists[i].names);
    if (status.code != POV_OK)
        pov_report_log_free(told);
    return status;
}

void pov_report_log_free(pov_report_log *told)
{
    pov_sheet_destroy(&told->agreement);
}
