#include "compare/log/answer_log.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "config/files/utf8.h"

#include <cJSON.h>

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Statements that are kept prepared. */
typedef enum {
    LOG_ADD_RUN,
    LOG_LAST_RUN,
    LOG_FIND_RUN,
    LOG_FIND_IMAGE,
    LOG_FIND_QUESTION,
    LOG_ADD_QUESTION_AS,
    LOG_ADD_IMAGE,
    LOG_ADD_QUESTION,
    LOG_ADD_MODEL,
    LOG_FIND_MODEL,
    LOG_ADAPT_MODEL,
    LOG_NAME_MODELS,
    LOG_DROP_RESULTS,
    LOG_DROP_MODEL,
    LOG_PENDING,
    LOG_IS_ANSWERED,
    LOG_ADD_RESULT,
    LOG_GUIDANCE,
    LOG_REOPEN,
    LOG_REOPEN_ONE,
    LOG_TAKE_BACK,
    LOG_COUNT,
    LOG_COUNT_COSTS,
    LOG_CAUSES,
    LOG_UNSCORED,
    LOG_IMAGE,
    LOG_HAS_PAPER,
    LOG_STATEMENTS
} log_statement;

struct pov_answer_log {
    pov_log_file file;
};

/* Columns of questions `q`, as read_question takes them. */
#define LOG_QUESTION_COLUMNS                                                                                 \
    "q.id, q.image, q.key, q.paper, q.prompt, q.system, q.language, q.form, q.gold, q.gold_p, q.truth,"      \
    " q.golds, q.columns, q.token_max"

/* ---- schema ---- */

enum { APPLICATION_ID = 0x706f7641 /* "povA" */, VERSION = 2 /* 1: rows had no checksums */ };

/* docs/LOG.md explains each column. */
static const char schema[] =
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, started_ns INTEGER NOT NULL, version TEXT NOT NULL,"
    "  config TEXT NOT NULL, config_hash TEXT NOT NULL, seed INTEGER NOT NULL, simulated INTEGER NOT NULL);"
    "CREATE TABLE images (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id),"
    "  stop INTEGER NOT NULL, turn_deg REAL, phi_deg REAL, curve_deg REAL, sha256 TEXT NOT NULL, name TEXT "
    "NOT NULL,"
    "  path TEXT NOT NULL, capture_ns INTEGER NOT NULL, calibration_hash TEXT, evidence TEXT, truth TEXT,"
    "  UNIQUE (run, stop));"
    "CREATE TABLE questions (id INTEGER PRIMARY KEY, image INTEGER NOT NULL REFERENCES images(id),"
    "  key TEXT NOT NULL, paper TEXT NOT NULL, prompt TEXT NOT NULL, system TEXT, language TEXT NOT NULL,"
    "  form TEXT NOT NULL, gold TEXT, gold_p REAL, truth TEXT, golds TEXT, columns TEXT,"
    "  token_max INTEGER NOT NULL, UNIQUE (image, key));"
    "CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL, settings TEXT NOT NULL,"
    "  UNIQUE (name, settings));"
    "CREATE TABLE results (id INTEGER PRIMARY KEY, question INTEGER NOT NULL REFERENCES questions(id),"
    "  model INTEGER NOT NULL REFERENCES models(id), counted INTEGER NOT NULL, answered_ns INTEGER NOT NULL,"
    "  outcome TEXT NOT NULL, kind TEXT NOT NULL, cause TEXT NOT NULL, p REAL, mass REAL, text TEXT,"
    "  body BLOB, endpoint TEXT, attempts INTEGER NOT NULL, http_status INTEGER NOT NULL,"
    "  latency_ns INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, answer_tokens INTEGER NOT NULL,"
    "  cost REAL NOT NULL);"
    "CREATE UNIQUE INDEX counted_results ON results (question, model) WHERE counted;"
    "CREATE VIEW answers AS SELECT models.name AS model, images.name AS image, images.turn_deg,"
    "  images.phi_deg, questions.key, questions.prompt, questions.gold, questions.truth, results.outcome,"
    "  results.kind, results.p, results.text, results.cause FROM results"
    "  JOIN questions ON questions.id = results.question JOIN images ON images.id = questions.image"
    "  JOIN models ON models.id = results.model WHERE counted;";

/* ---- rows ---- */

/* A model whose answers were imported beside others of that name, such as its words beside its likelihoods, is told apart by what they are. */
#define NAMED_MODELS_SQL                                                                                     \
    "SELECT n.id, n.settings, n.name || iif(n.settings LIKE 'imported: %'"                                   \
    "   AND EXISTS (SELECT 1 FROM models o WHERE o.name = n.name AND o.id <> n.id),"                         \
    "   ' (' || substr(n.settings, 11) || ')', '') AS name FROM models n"

/* The models that answered in a paper and language: all of them were asked its questions. */
static const char answering_sql[] = "SELECT q.paper, q.language, r.model FROM results r"
                                    " JOIN questions q ON q.id = r.question WHERE r.counted";
static const char models_sql[] = NAMED_MODELS_SQL " ORDER BY n.id";
static const char image_sql[] =
    "SELECT id, run, stop, turn_deg, phi_deg, curve_deg, sha256, name, path, capture_ns,"
    " calibration_hash FROM images WHERE id = ?1";

/* Questions and results are read side by side, each in the order of the questions. One statement for both would search for the results, the
 * image and the model of each row. */
#define LOG_RESULTS_SQL(columns)                                                                             \
    "SELECT r.question, r.model, " columns                                                                   \
    " FROM results r INDEXED BY counted_results WHERE r.counted ORDER BY r.question, r.model"

typedef struct {
    const char *questions, *results;
} rows_sql;

static const rows_sql all_rows = {
    "SELECT " LOG_QUESTION_COLUMNS " FROM questions q ORDER BY q.id",
    LOG_RESULTS_SQL("r.answered_ns, r.outcome, r.kind, r.cause, r.p, r.mass, r.text, r.body, r.endpoint,"
                    " r.attempts, r.http_status, r.latency_ns, r.prompt_tokens, r.answer_tokens, r.cost")};
static const rows_sql asked_rows = {
    "SELECT q.id, q.image, q.key, q.paper, NULL, NULL, q.language, q.form, NULL, NULL, NULL, NULL, q.columns,"
    " NULL FROM questions q ORDER BY q.id",
    LOG_RESULTS_SQL(
        "NULL, r.outcome, r.kind, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
        " NULL")};

static void read_image(pov_log_image *image, sqlite3_stmt *s, int c)
{
    *image = (pov_log_image){.id = sqlite3_column_int64(s, c),
                             .run = sqlite3_column_int64(s, c + 1),
                             .stop = sqlite3_column_int(s, c + 2),
                             .turn_deg = pov_log_number_at(s, c + 3),
                             .phi_deg = pov_log_number_at(s, c + 4),
                             .curve_deg = pov_log_number_at(s, c + 5),
                             .name = pov_log_text_at(s, c + 7),
                             .path = pov_log_text_at(s, c + 8),
                             .capture_ns = sqlite3_column_int64(s, c + 9),
                             .calibration_hash = pov_log_text_at(s, c + 10)};
    snprintf(image->sha256, sizeof image->sha256, "%s", pov_log_text_at(s, c + 6));
}

static void read_question(pov_log_question *question, sqlite3_stmt *s, int c)
{
    *question = (pov_log_question){.id = sqlite3_column_int64(s, c),
                                   .image = sqlite3_column_int64(s, c + 1),
                                   .key = pov_log_text_at(s, c + 2),
                                   .paper = pov_log_text_at(s, c + 3),
                                   .prompt = pov_log_text_at(s, c + 4),
                                   .system = pov_log_text_at(s, c + 5),
                                   .language = pov_log_text_at(s, c + 6),
                                   .form = pov_log_text_at(s, c + 7),
                                   .gold = pov_log_text_at(s, c + 8),
                                   .gold_p = pov_log_number_at(s, c + 9),
                                   .truth = pov_log_text_at(s, c + 10),
                                   .golds = pov_log_text_at(s, c + 11),
                                   .columns = pov_log_text_at(s, c + 12),
                                   .token_max = sqlite3_column_int(s, c + 13)};
}

static void read_result(pov_log_result *result, sqlite3_stmt *s, int c)
{
    *result = (pov_log_result){.question = sqlite3_column_int64(s, c),
                               .model = sqlite3_column_int64(s, c + 1),
                               .answered_ns = sqlite3_column_int64(s, c + 2),
                               .outcome = pov_log_text_at(s, c + 3),
                               .kind = pov_log_text_at(s, c + 4),
                               .cause = pov_log_text_at(s, c + 5),
                               .p = pov_log_number_at(s, c + 6),
                               .mass = pov_log_number_at(s, c + 7),
                               .text = pov_log_text_at(s, c + 8),
                               .body = sqlite3_column_blob(s, c + 9),
                               .body_len = (size_t)sqlite3_column_bytes(s, c + 9),
                               .endpoint = pov_log_text_at(s, c + 10),
                               .attempts = sqlite3_column_int(s, c + 11),
                               .http_status = sqlite3_column_int(s, c + 12),
                               .latency_ns = sqlite3_column_int64(s, c + 13),
                               .prompt_tokens = sqlite3_column_int64(s, c + 14),
                               .answer_tokens = sqlite3_column_int64(s, c + 15),
                               .cost = sqlite3_column_double(s, c + 16)};
}

typedef struct {
    int64_t id;
    char *name, *settings;
} named_model;

/* The models that were asked a paper's questions in a language. */
typedef struct {
    char *paper, *language;
    const named_model **models;
    int len, capacity;
} asked_models;

typedef struct {
    pov_answer_log *log;
    named_model *models; /* in their order */
    int models_len, models_capacity;
    asked_models *asked;
    int asked_len, asked_capacity;
    sqlite3_stmt *questions, *results, *image;
    int questions_code, results_code; /* SQLITE_ROW: they are at one */
    int64_t image_id;                 /* at which `image` is */
    bool has_image;
    asked_models *last; /* those of the question before; NULL: nobody was asked */
} row_reader;

static sqlite3_stmt *prepare(row_reader *r, const char *sql_text)
{
    sqlite3_stmt *s = NULL;
    return sqlite3_prepare_v2(r->log->file.db, sql_text, -1, &s, NULL) == SQLITE_OK ? s : NULL;
}

static void read_model(row_reader *r, sqlite3_stmt *s)
{
    POV_REQUIRE_MEMORY(pov_grow(&r->models, &r->models_capacity, r->models_len, sizeof *r->models));
    r->models[r->models_len++] = (named_model){.id = sqlite3_column_int64(s, 0),
                                               .name = pov_text_new("%s", pov_log_text_at(s, 2)),
                                               .settings = pov_text_new("%s", pov_log_text_at(s, 1))};
}

static const named_model *find_model(const row_reader *r, int64_t id)
{
    for (int i = 0; i < r->models_len; i++)
        if (r->models[i].id == id)
            return &r->models[i];
    return NULL;
}

static asked_models *find_asked(row_reader *r, const char *paper, const char *language)
{
    asked_models *a = r->last;
    if (a && strcmp(a->paper, paper) == 0 && strcmp(a->language, language) == 0)
        return a;
    r->last = NULL;
    for (int i = 0; i < r->asked_len && !r->last; i++)
        if (strcmp(r->asked[i].paper, paper) == 0 && strcmp(r->asked[i].language, language) == 0)
            r->last = &r->asked[i];
    return r->last;
}

static void read_asked(row_reader *r, sqlite3_stmt *s)
{
    const char *paper = pov_log_text_at(s, 0), *language = pov_log_text_at(s, 1);
    const named_model *model = find_model(r, sqlite3_column_int64(s, 2));
    asked_models *a = find_asked(r, paper, language);
    if (!a) {
        POV_REQUIRE_MEMORY(pov_grow(&r->asked, &r->asked_capacity, r->asked_len, sizeof *r->asked));
        a = r->last = &r->asked[r->asked_len++];
        *a = (asked_models){.paper = pov_text_new("%s", paper), .language = pov_text_new("%s", language)};
    }
    int place = 0; /* as their numbers are */
    while (place < a->len && a->models[place] < model)
        place++;
    if (!model || (place < a->len && a->models[place] == model))
        return;
    POV_REQUIRE_MEMORY(pov_grow(&a->models, &a->capacity, a->len, sizeof *a->models));
    memmove(&a->models[place + 1], &a->models[place], (size_t)(a->len - place) * sizeof *a->models);
    a->models[place] = model;
    a->len++;
}

/* False: SQLite complains. */
static bool read_list(row_reader *r, const char *sql_text, void (*read)(row_reader *r, sqlite3_stmt *s))
{
    sqlite3_stmt *s = prepare(r, sql_text);
    int code = s ? SQLITE_ROW : SQLITE_ERROR;
    while (code == SQLITE_ROW && (code = sqlite3_step(s)) == SQLITE_ROW)
        read(r, s);
    sqlite3_finalize(s);
    return code == SQLITE_DONE;
}

static bool begin_rows(row_reader *r, const rows_sql *sql_of)
{
    if (!read_list(r, models_sql, read_model) || !read_list(r, answering_sql, read_asked))
        return false;
    r->questions = prepare(r, sql_of->questions);
    r->results = prepare(r, sql_of->results);
    r->image = prepare(r, image_sql);
    if (!r->questions || !r->results || !r->image)
        return false;
    r->questions_code = sqlite3_step(r->questions);
    r->results_code = sqlite3_step(r->results);
    return true;
}

static void end_rows(row_reader *r)
{
    sqlite3_finalize(r->questions);
    sqlite3_finalize(r->results);
    sqlite3_finalize(r->image);
    for (int i = 0; i < r->models_len; i++) {
        free(r->models[i].name);
        free(r->models[i].settings);
    }
    for (int i = 0; i < r->asked_len; i++) {
        free(r->asked[i].paper);
        free(r->asked[i].language);
        free(r->asked[i].models);
    }
    free(r->models);
    free(r->asked);
}

/* The questions of an image come one after another. False: SQLite complains; *exists: there is such an image. */
static bool need_image(row_reader *r, pov_log_image *image, bool *exists, int64_t id)
{
    *exists = r->has_image;
    if (r->has_image && r->image_id == id)
        return true;
    sqlite3_reset(r->image);
    sqlite3_bind_int64(r->image, 1, id);
    const int code = sqlite3_step(r->image);
    *exists = r->has_image = code == SQLITE_ROW;
    r->image_id = id;
    if (r->has_image)
        read_image(image, r->image, 0);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

/* The results are at the first that is not before this one. Returns: whether it is this. */
static bool find_result(row_reader *r, int64_t question, int64_t model)
{
    for (; r->results_code == SQLITE_ROW; r->results_code = sqlite3_step(r->results)) {
        const int64_t of_question = sqlite3_column_int64(r->results, 0),
                      of_model = sqlite3_column_int64(r->results, 1);
        if (of_question > question || (of_question == question && of_model >= model))
            return of_question == question && of_model == model;
    }
    return false;
}

/* A question without models is one row. The visitor may change what it is given, and the next row is as it was read. */
static pov_status visit_question(row_reader *r, const pov_answer_row *from, pov_answer_visit *visit,
                                 void *context)
{
    const asked_models *a = find_asked(r, from->question.paper, from->question.language);
    const int len = a ? a->len : 0;
    pov_status status = pov_ok();
    for (int i = 0; status.code == POV_OK && i < (len > 0 ? len : 1); i++) {
        const named_model *model = i < len ? a->models[i] : NULL;
        pov_answer_row row = *from;
        row.is_again = i > 0;
        row.model = model ? model->name : NULL;
        row.settings = model ? model->settings : NULL;
        row.has_result = model && find_result(r, from->question.id, model->id);
        if (row.has_result)
            read_result(&row.result, r->results, 0);
        status = visit(context, &row);
    }
    return status;
}

static pov_status visit_all(row_reader *r, pov_answer_visit *visit, void *context)
{
    pov_answer_row row = {.has_result = false};
    pov_status status = pov_ok();
    bool worked = true;
    while (worked && status.code == POV_OK && r->questions_code == SQLITE_ROW) {
        bool has_image;
        read_question(&row.question, r->questions, 0);
        worked = need_image(r, &row.image, &has_image, row.question.image);
        if (worked && has_image)
            status = visit_question(r, &row, visit, context);
        worked &= r->results_code == SQLITE_ROW || r->results_code == SQLITE_DONE;
        if (worked && status.code == POV_OK)
            r->questions_code = sqlite3_step(r->questions);
    }
    worked &= r->questions_code == SQLITE_ROW || r->questions_code == SQLITE_DONE;
    return worked ? status : pov_log_complain(&r->log->file, "cannot be read");
}

static pov_status visit_rows(pov_answer_log *log, const rows_sql *sql_of, pov_answer_visit *visit,
                             void *context)
{
    row_reader r = {.log = log};
    const pov_status status = begin_rows(&r, sql_of) ? visit_all(&r, visit, context)
                                                     : pov_log_complain(&log->file, "cannot be read");
    end_rows(&r);
    return status.code == POV_END ? pov_ok() : status;
}

pov_status pov_answer_log_each(pov_answer_log *log, pov_answer_visit *visit, void *context)
{
    return visit_rows(log, &all_rows, visit, context);
}

pov_status pov_answer_log_each_asked(pov_answer_log *log, pov_answer_visit *visit, void *context)
{
    return visit_rows(log, &asked_rows, visit, context);
}

pov_status pov_answer_log_image(pov_answer_log *log, pov_log_image *image, int64_t after)
{
    sqlite3_stmt *s = pov_log_statement(&log->file, LOG_IMAGE);
    sqlite3_reset(s);
    sqlite3_bind_int64(s, 1, after);
    const int code = sqlite3_step(s);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? pov_status_of(POV_END) : pov_log_complain(&log->file, "cannot be read");
    read_image(image, s, 0);
    image->evidence = pov_log_text_at(s, 11);
    image->truth = pov_log_text_at(s, 12);
    return pov_ok();
}

/* ---- writing, counting ---- */

/* One counted result at most for a question and model: the index counted_results sees to it. */
static const char *const sql[LOG_STATEMENTS] = {
    [LOG_ADD_RUN] = "INSERT INTO runs (started_ns, version, config, config_hash, seed, simulated)"
                    " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [LOG_LAST_RUN] = "SELECT id, started_ns, version, config, config_hash, seed, simulated FROM runs"
                     " ORDER BY id DESC LIMIT 1",
    [LOG_HAS_PAPER] = "SELECT 1 FROM questions q JOIN results r ON r.question = q.id AND r.counted"
                      " WHERE q.paper = ?1 AND r.outcome = 'answered' LIMIT 1",
    [LOG_ADD_IMAGE] = "INSERT INTO images (run, stop, turn_deg, phi_deg, curve_deg, sha256, name, path,"
                      " capture_ns, calibration_hash, evidence, truth)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    [LOG_ADD_QUESTION] = "INSERT INTO questions (image, key, paper, prompt, system, language, form, gold, "
                         "gold_p, truth, golds,"
                         " columns, token_max) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
                         "?13) ON CONFLICT (image, key) DO NOTHING",
    [LOG_FIND_RUN] = "SELECT id FROM runs WHERE config_hash = ?1",
    [LOG_FIND_IMAGE] = "SELECT id FROM images WHERE run = ?1 AND stop = ?2",
    [LOG_FIND_QUESTION] = "SELECT id FROM questions WHERE image = ?1 AND key = ?2",
    [LOG_ADD_QUESTION_AS] =
        "INSERT INTO questions (id, image, key, paper, prompt, system, language, form, gold, gold_p, truth,"
        " golds, columns, token_max) VALUES (iif(EXISTS (SELECT 1 FROM questions WHERE id = ?1), NULL, ?1),"
        " ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    [LOG_ADD_MODEL] = "INSERT INTO models (name, settings) VALUES (?1, ?2)"
                      " ON CONFLICT (name, settings) DO NOTHING",
    [LOG_FIND_MODEL] =
        "SELECT id FROM models WHERE name = ?1 AND (settings = ?2"
        " OR substr(settings, 1, length(?2) + 10) = ?2 || char(10) || 'adapted: ') ORDER BY id",
    [LOG_ADAPT_MODEL] =
        "UPDATE models SET settings = substr(settings, 1, iif(instr(settings, char(10) || 'adapted: ') > 0,"
        " instr(settings, char(10) || 'adapted: ') - 1, length(settings))) || char(10) || 'adapted: ' || ?2"
        " WHERE id = ?1",
    [LOG_NAME_MODELS] =
        "SELECT group_concat(name, ', '), coalesce(max(name = ?1), 0) FROM (SELECT DISTINCT name FROM"
        " models ORDER BY name)",
    [LOG_DROP_RESULTS] = "DELETE FROM results WHERE model IN (SELECT id FROM models WHERE name = ?1)",
    [LOG_DROP_MODEL] = "DELETE FROM models WHERE name = ?1",
    [LOG_PENDING] =
        "SELECT " LOG_QUESTION_COLUMNS
        ", i.path, i.sha256, i.name, i.stop, i.capture_ns, i.phi_deg, i.curve_deg FROM questions q JOIN "
        "images i ON i.id = q.image"
        " WHERE q.image >= ?2 AND (q.image > ?2 OR q.id > ?3) AND NOT EXISTS (SELECT 1 FROM results r"
        " WHERE r.question = q.id AND r.model = ?1 AND r.counted)"
        " ORDER BY q.image, q.id LIMIT 1",
    [LOG_IS_ANSWERED] = "SELECT 1 FROM results WHERE question = ?1 AND model = ?2 AND counted",
    [LOG_ADD_RESULT] =
        "INSERT INTO results (question, model, counted, answered_ns, outcome, kind, cause, p, mass, text, "
        "body,"
        " endpoint, attempts, http_status, latency_ns, prompt_tokens, answer_tokens, cost)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    [LOG_GUIDANCE] = "SELECT text FROM results WHERE question = ?1 AND model = ?2 AND kind = 'guidance'"
                     " AND outcome = 'answered' ORDER BY id DESC LIMIT 1",
    [LOG_REOPEN] = "UPDATE results SET counted = 0 WHERE counted AND outcome != 'answered' AND model = ?1",
    [LOG_REOPEN_ONE] =
        "UPDATE results SET counted = 0 WHERE counted AND outcome != 'answered' AND question = ?1"
        " AND model = ?2",
    [LOG_TAKE_BACK] = "UPDATE results SET counted = 0 WHERE counted AND question = ?1 AND model = ?2",
    [LOG_COUNT] = "SELECT (SELECT count(*) FROM questions), count(*),"
                  " coalesce(sum(outcome != 'answered'), 0),"
                  " coalesce(sum(outcome = 'answered' AND kind IN ('low_mass', 'unclear', 'missing')), 0),"
                  " (SELECT count(*) FROM images)"
                  " FROM results WHERE counted AND model = ?1",
    [LOG_COUNT_COSTS] =
        "SELECT coalesce(sum(prompt_tokens + answer_tokens), 0), coalesce(sum(prompt_tokens > "
        "0), 0), coalesce(sum(cost), 0) FROM results WHERE model = ?1",
    [LOG_CAUSES] = "SELECT count(*), outcome, cause FROM results WHERE counted AND outcome != 'answered'"
                   " AND model = ?1 GROUP BY outcome, cause ORDER BY 1 DESC, 2, 3",
    [LOG_UNSCORED] =
        "SELECT count(*), kind, min(cause) FROM results WHERE counted AND outcome = 'answered'"
        " AND (kind IN ('low_mass', 'unclear', 'missing') OR (kind = 'text' AND cause != '')) AND model = ?1"
        " GROUP BY kind ORDER BY 1 DESC, 2",
    [LOG_IMAGE] = "SELECT id, run, stop, turn_deg, phi_deg, curve_deg, sha256, name, path, capture_ns,"
                  " calibration_hash, evidence, truth FROM images WHERE id > ?1 ORDER BY id LIMIT 1",
};

/* ---- statements ---- */

#define V POV_LOG_VALUE

/* A server may send any bytes; other programs expect UTF-8. The body is kept as it came. */
static char *clean_text(const char *text)
{
    const size_t capacity = text ? strlen(text) + 1 : 0;
    char *clean = text ? malloc(capacity) : NULL;
    POV_REQUIRE_MEMORY(clean || !text);
    if (text)
        pov_utf8_copy(clean, capacity, text);
    return clean;
}

/* ---- opening ---- */

bool pov_log_image_is_none(const char *path, const char *sha256)
{
    return !*path && !*sha256;
}

bool pov_answer_log_is_one(const char *path)
{
    return pov_log_file_is(path, APPLICATION_ID);
}

static const pov_log_kind kind = {.application_id = APPLICATION_ID,
                                  .version = VERSION,
                                  .maker = "'pov sweep'",
                                  .schema = schema,
                                  .settings = "",
                                  .sql = sql,
                                  .statement_len = LOG_STATEMENTS};

pov_status pov_answer_log_new(pov_answer_log **log, const char *path, pov_log_opening opening)
{
    *log = calloc(1, sizeof **log);
    if (!*log)
        return pov_error("%s: out of memory", path);
    const pov_status status = pov_log_file_open(&(*log)->file, path, opening, &kind);
    if (status.code != POV_OK)
        pov_answer_log_destroy(log);
    return status;
}

const pov_log_damage *pov_answer_log_damage(const pov_answer_log *log)
{
    return &log->file.damage;
}

pov_log_file *pov_answer_log_file(pov_answer_log *log)
{
    return &log->file;
}

void pov_answer_log_destroy(pov_answer_log **log)
{
    if (!*log)
        return;
    pov_log_file_close(&(*log)->file);
    free(*log);
    *log = NULL;
}

/* ---- runs ---- */

pov_status pov_answer_log_add_run(pov_answer_log *log, pov_log_run *run)
{
    pov_digest(run->config_hash, run->config, strlen(run->config));
    POV_TRY(POV_LOG_WRITE(&log->file, LOG_ADD_RUN, V(run->started_ns), V(run->version), V(run->config),
                          V(run->config_hash), V((int64_t)run->seed), V(run->simulated)));
    run->id = sqlite3_last_insert_rowid(log->file.db);
    return pov_ok();
}

pov_status pov_answer_log_last_run(pov_answer_log *log, pov_log_run *run)
{
    sqlite3_stmt *row;
    pov_status status = pov_log_fetch(&log->file, &row, LOG_LAST_RUN, NULL, 0);
    if (status.code != POV_OK)
        return status.code == POV_END ? pov_status_of(POV_UNDEFINED) : status;
    *run = (pov_log_run){.id = sqlite3_column_int64(row, 0),
                         .started_ns = sqlite3_column_int64(row, 1),
                         .version = pov_log_text_at(row, 2),
                         .config = pov_log_text_at(row, 3),
                         .seed = (uint64_t)sqlite3_column_int64(row, 5),
                         .simulated = sqlite3_column_int(row, 6) != 0};
    snprintf(run->config_hash, sizeof run->config_hash, "%s", pov_log_text_at(row, 4));
    return pov_ok();
}

/* The pairs and the variant tell scenes apart, as in COMFORT's tables; not a remark in the station file, nor what was asked. */
static void digest_scene(char hash[POV_DIGEST_CAPACITY], const cJSON *config, const char *config_hash)
{
    char *pairs = cJSON_PrintUnformatted(cJSON_GetObjectItem(config, "pairs"));
    const char *variant = pov_json_text_of(config, "variant");
    pov_text text = {0};
    if (pairs || *variant)
        pov_text_set(&text, "%s %s", pairs ? pairs : "", variant);
    else
        pov_text_set(&text, "%s", config_hash);
    pov_digest(hash, pov_text_of(&text), text.len);
    cJSON_free(pairs);
    pov_text_free(&text);
}

pov_status pov_answer_log_scene(pov_answer_log *log, pov_log_scene *scene)
{
    pov_log_run run;
    *scene = (pov_log_scene){.is_one = true, .name = "rotation"};
    const pov_status status = pov_answer_log_last_run(log, &run);
    if (status.code != POV_OK)
        return status.code == POV_UNDEFINED ? pov_ok() : status;
    cJSON *config = pov_json_parse_text(run.config);
    scene->is_one = !cJSON_HasObjectItem(config, "world") && !cJSON_HasObjectItem(config, "released");
    char hash[POV_DIGEST_CAPACITY];
    digest_scene(hash, config, run.config_hash);
    cJSON_Delete(config);
    snprintf(scene->name, sizeof scene->name, "%.12s", hash);
    return pov_ok();
}

bool pov_log_result_is_simulated(const pov_log_result *result)
{
    static const char sign[] = "pov-vlm-sim (simulated)";
    return result->body && memmem(result->body, result->body_len, sign, sizeof sign - 1);
}

const char *pov_log_scene_of(const pov_log_scene *scene, const pov_log_image *image)
{
    return scene->is_one ? scene->name : image->name;
}

/* ---- images and questions ---- */

static pov_status insert_image(pov_answer_log *log, pov_log_image *image)
{
    POV_TRY(POV_LOG_WRITE(&log->file, LOG_ADD_IMAGE, V(image->run), V(image->stop), V(image->turn_deg),
                          V(image->phi_deg), V(image->curve_deg), V(image->sha256), V(image->name),
                          V(image->path), V(image->capture_ns), V(image->calibration_hash),
                          V(image->evidence), V(image->truth)));
    image->id = sqlite3_last_insert_rowid(log->file.db);
    return pov_ok();
}

static pov_status insert_question(pov_answer_log *log, const pov_log_question *question, int64_t image)
{
    return POV_LOG_WRITE(&log->file, LOG_ADD_QUESTION, V(image), V(question->key), V(question->paper),
                         V(question->prompt), V(question->system), V(question->language), V(question->form),
                         V(question->gold), V(question->gold_p), V(question->truth), V(question->golds),
                         V(question->columns), V(question->token_max));
}

pov_status pov_answer_log_add_image(pov_answer_log *log, pov_log_image *image,
                                    const pov_log_question *questions, int len)
{
    POV_TRY(pov_log_begin(&log->file));
    pov_status status = insert_image(log, image);
    for (int i = 0; i < len && status.code == POV_OK; i++)
        status = insert_question(log, &questions[i], image->id);
    return pov_log_finish(&log->file, status);
}

pov_status pov_answer_log_add_questions(pov_answer_log *log, int *added, int64_t image,
                                        const pov_log_question *questions, int len)
{
    *added = 0;
    POV_TRY(pov_log_begin(&log->file));
    pov_status status = pov_ok();
    for (int i = 0; i < len && status.code == POV_OK; i++) {
        status = insert_question(log, &questions[i], image);
        *added += sqlite3_changes(log->file.db);
    }
    return pov_log_finish(&log->file, status);
}

/* ---- what is heard ---- */

/* POV_END: there is none. */
static pov_status fetch_id(int64_t *id, sqlite3_stmt *row, pov_status found)
{
    if (found.code == POV_OK) {
        *id = sqlite3_column_int64(row, 0);
        sqlite3_reset(row);
    }
    return found;
}

pov_status pov_answer_log_need_run(pov_answer_log *log, pov_log_run *run)
{
    sqlite3_stmt *row;
    pov_digest(run->config_hash, run->config, strlen(run->config));
    const pov_status found = POV_LOG_FETCH(&log->file, &row, LOG_FIND_RUN, V(run->config_hash));
    return found.code == POV_END ? pov_answer_log_add_run(log, run) : fetch_id(&run->id, row, found);
}

pov_status pov_answer_log_need_image(pov_answer_log *log, pov_log_image *image)
{
    sqlite3_stmt *row;
    const pov_status found = POV_LOG_FETCH(&log->file, &row, LOG_FIND_IMAGE, V(image->run), V(image->stop));
    return found.code == POV_END ? insert_image(log, image) : fetch_id(&image->id, row, found);
}

pov_status pov_answer_log_need_question(pov_answer_log *log, pov_log_question *question)
{
    sqlite3_stmt *row;
    const pov_log_question *q = question;
    const pov_status found = POV_LOG_FETCH(&log->file, &row, LOG_FIND_QUESTION, V(q->image), V(q->key));
    if (found.code != POV_END)
        return fetch_id(&question->id, row, found);
    const pov_log_value id = q->id > 0 ? V(q->id) : V((const char *)NULL); /* NULL: the next free one */
    POV_TRY(POV_LOG_WRITE(&log->file, LOG_ADD_QUESTION_AS, id, V(q->image), V(q->key), V(q->paper),
                          V(q->prompt), V(q->system), V(q->language), V(q->form), V(q->gold), V(q->gold_p),
                          V(q->truth), V(q->golds), V(q->columns), V(q->token_max)));
    question->id = sqlite3_last_insert_rowid(log->file.db);
    return pov_ok();
}

/* ---- asking ---- */

pov_status pov_answer_log_model(pov_answer_log *log, int64_t *model, const char *name, const char *settings)
{
    sqlite3_stmt *row;
    pov_status found = POV_LOG_FETCH(&log->file, &row, LOG_FIND_MODEL, V(name), V(settings));
    if (found.code == POV_END) {
        POV_TRY(POV_LOG_WRITE(&log->file, LOG_ADD_MODEL, V(name), V(settings)));
        found = POV_LOG_FETCH(&log->file, &row, LOG_FIND_MODEL, V(name), V(settings));
    }
    POV_TRY(found);
    *model = sqlite3_column_int64(row, 0);
    sqlite3_reset(row);
    return pov_ok();
}

pov_status pov_answer_log_adapt_model(pov_answer_log *log, int64_t model, const char *adaptations)
{
    return POV_LOG_WRITE(&log->file, LOG_ADAPT_MODEL, V(model), V(adaptations));
}

static pov_status check_model(pov_answer_log *log, const char *name)
{
    sqlite3_stmt *row;
    POV_TRY(POV_LOG_FETCH(&log->file, &row, LOG_NAME_MODELS, V(name)));
    const char *names = pov_log_text_at(row, 0);
    const pov_status status =
        sqlite3_column_int(row, 1)
            ? pov_ok()
            : pov_error("%s: holds no answers of a model '%.80s'; there %s %.150s", log->file.path, name,
                        names ? "are:" : "is", names ? names : "none");
    sqlite3_reset(row);
    return status;
}

pov_status pov_answer_log_drop_model(pov_answer_log *log, int64_t *results, const char *name)
{
    *results = 0;
    POV_TRY(check_model(log, name));
    POV_TRY(pov_log_begin(&log->file));
    pov_status status = POV_LOG_WRITE(&log->file, LOG_DROP_RESULTS, V(name));
    if (status.code == POV_OK)
        *results = sqlite3_changes64(log->file.db);
    POV_THEN(status, POV_LOG_WRITE(&log->file, LOG_DROP_MODEL, V(name)));
    POV_TRY(pov_log_finish(&log->file, status));
    return pov_log_shrink(&log->file);
}

pov_status pov_answer_log_pending(pov_answer_log *log, pov_log_question *question, pov_log_image_file *image,
                                  int64_t model, pov_log_place after)
{
    sqlite3_stmt *row;
    POV_TRY(POV_LOG_FETCH(&log->file, &row, LOG_PENDING, V(model), V(after.image), V(after.question)));
    read_question(question, row, 0);
    *image = (pov_log_image_file){pov_log_text_at(row, 14),      pov_log_text_at(row, 15),
                                  pov_log_text_at(row, 16),      sqlite3_column_int(row, 17),
                                  sqlite3_column_int64(row, 18), pov_log_number_at(row, 19),
                                  pov_log_number_at(row, 20)};
    return pov_ok();
}

static pov_status is_answered(pov_answer_log *log, bool *answered, const pov_log_result *result)
{
    sqlite3_stmt *row;
    const pov_status status =
        POV_LOG_FETCH(&log->file, &row, LOG_IS_ANSWERED, V(result->question), V(result->model));
    *answered = status.code == POV_OK;
    sqlite3_reset(row);
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status insert_result(pov_answer_log *log, const pov_log_result *result, bool counted)
{
    POV_REQUIRE(!result->text || strlen(result->text) <= POV_ANSWER_BYTES_MAX);
    char *cause = clean_text(result->cause), *text = clean_text(result->text);
    const pov_log_value body = {.kind = POV_LOG_BLOB, .bytes = result->body, .len = result->body_len};
    const pov_status status = POV_LOG_WRITE(
        &log->file, LOG_ADD_RESULT, V(result->question), V(result->model), V(counted), V(result->answered_ns),
        V(result->outcome), V(result->kind), V(cause), V(result->p), V(result->mass), V(text), body,
        V(result->endpoint), V(result->attempts), V(result->http_status), V(result->latency_ns),
        V(result->prompt_tokens), V(result->answer_tokens), V(result->cost));
    free(cause);
    free(text);
    return status;
}

pov_status pov_answer_log_add_result(pov_answer_log *log, bool *counted, const pov_log_result *result)
{
    bool answered;
    *counted = false;
    POV_TRY(pov_log_begin(&log->file));
    pov_status status = is_answered(log, &answered, result);
    POV_THEN(status, insert_result(log, result, !answered));
    status = pov_log_finish(&log->file, status);
    *counted = status.code == POV_OK && !answered;
    return status;
}

pov_status pov_answer_log_add_guidance(pov_answer_log *log, const pov_log_result *result)
{
    POV_TRY(pov_log_begin(&log->file));
    return pov_log_finish(&log->file, insert_result(log, result, false));
}

pov_status pov_answer_log_guidance(pov_answer_log *log, const char **text, int64_t question, int64_t model)
{
    sqlite3_stmt *row;
    POV_TRY(POV_LOG_FETCH(&log->file, &row, LOG_GUIDANCE, V(question), V(model)));
    *text = pov_log_text_at(row, 0);
    return *text ? pov_ok() : pov_status_of(POV_END);
}

pov_status pov_answer_log_add_first(pov_answer_log *log, bool *added, const pov_log_result *result)
{
    bool answered;
    *added = false;
    POV_TRY(is_answered(log, &answered, result));
    if (answered)
        return pov_ok();
    POV_TRY(insert_result(log, result, true));
    *added = true;
    return pov_ok();
}

pov_status pov_answer_log_begin(pov_answer_log *log)
{
    return pov_log_begin(&log->file);
}

pov_status pov_answer_log_finish(pov_answer_log *log, pov_status status)
{
    pov_log_let_go(&log->file);
    return pov_log_finish(&log->file, status);
}

pov_status pov_answer_log_reopen_failed(pov_answer_log *log, int64_t *reopened, int64_t model)
{
    POV_TRY(POV_LOG_WRITE(&log->file, LOG_REOPEN, V(model)));
    *reopened = sqlite3_changes64(log->file.db);
    return pov_ok();
}

pov_status pov_answer_log_reopen(pov_answer_log *log, int64_t question, int64_t model)
{
    return POV_LOG_WRITE(&log->file, LOG_REOPEN_ONE, V(question), V(model));
}

pov_status pov_answer_log_take_back(pov_answer_log *log, int64_t question, int64_t model)
{
    return POV_LOG_WRITE(&log->file, LOG_TAKE_BACK, V(question), V(model));
}

pov_status pov_answer_log_has(pov_answer_log *log, bool *has, const char *paper)
{
    sqlite3_stmt *row;
    const pov_status status = POV_LOG_FETCH(&log->file, &row, LOG_HAS_PAPER, V(paper));
    *has = status.code == POV_OK;
    sqlite3_reset(row);
    return status.code == POV_END ? pov_ok() : status;
}

pov_status pov_answer_log_results(pov_answer_log *log, int64_t *results)
{
    return pov_log_read_number(&log->file, results, "SELECT count(*) FROM results WHERE counted");
}

static pov_status delete_image(pov_answer_log *log, int64_t image)
{
    static const char *const rows[] = {"results WHERE question IN (SELECT id FROM questions WHERE image = ",
                                       "questions WHERE (image = ", "images WHERE (id = "};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[160];
        snprintf(text, sizeof text, "DELETE FROM %s%lld)", rows[i], (long long)image);
        POV_TRY(pov_log_execute(&log->file, text));
    }
    return pov_ok();
}

pov_status pov_answer_log_forget_image(pov_answer_log *log, int64_t image)
{
    POV_TRY(pov_answer_log_begin(log));
    return pov_answer_log_finish(log, delete_image(log, image));
}

pov_status pov_answer_log_count(pov_answer_log *log, pov_log_counts *counts, int64_t model)
{
    sqlite3_stmt *row;
    POV_TRY(POV_LOG_FETCH(&log->file, &row, LOG_COUNT, V(model)));
    *counts = (pov_log_counts){.questions = sqlite3_column_int64(row, 0),
                               .answered = sqlite3_column_int64(row, 1),
                               .failed = sqlite3_column_int64(row, 2),
                               .unscored = sqlite3_column_int64(row, 3),
                               .images = sqlite3_column_int64(row, 4)};
    POV_TRY(POV_LOG_FETCH(&log->file, &row, LOG_COUNT_COSTS, V(model)));
    counts->tokens = sqlite3_column_int64(row, 0);
    counts->with_usage = sqlite3_column_int64(row, 1);
    counts->cost = sqlite3_column_double(row, 2);
    sqlite3_reset(row);
    return pov_ok();
}

static pov_status fetch_causes(pov_answer_log *log, pov_log_causes *causes, log_statement which,
                               int64_t model)
{
    *causes = (pov_log_causes){.len = 0};
    sqlite3_stmt *row;
    pov_status status = POV_LOG_FETCH(&log->file, &row, (int)which, V(model));
    for (; status.code == POV_OK && causes->len < POV_LOG_CAUSES_MAX;
         status = pov_log_next(&log->file, row)) {
        pov_log_cause *cause = &causes->list[causes->len++];
        cause->count = sqlite3_column_int64(row, 0);
        pov_utf8_copy(cause->outcome, sizeof cause->outcome, pov_log_text_at(row, 1));
        pov_utf8_shorten(cause->text, sizeof cause->text, pov_log_text_at(row, 2));
    }
    sqlite3_reset(row);
    return status.code == POV_ERROR ? status : pov_ok();
}

pov_status pov_answer_log_causes(pov_answer_log *log, pov_log_causes *causes, int64_t model)
{
    return fetch_causes(log, causes, LOG_CAUSES, model);
}

pov_status pov_answer_log_unscored(pov_answer_log *log, pov_log_causes *causes, int64_t model)
{
    return fetch_causes(log, causes, LOG_UNSCORED, model);
}
