/* A sweep's log of which some values are anything: rows are read, left out or refused. The input is a list of changes: table, column,
 * kind and length of the value, its bytes. Its first byte says whether checksums are made again, as by someone who means harm. */
#include "compare/log/answer_export.h"
#include "config/files/read_file.h"
#include "tests/fuzz/formats/parts.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static char folder[64], path[80];
static pov_bytes sound;

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void remove_log(void)
{
    char other[96];
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (int i = 0; i < 4; i++) {
        snprintf(other, sizeof other, "%s%s", path, ends[i]);
        unlink(other);
    }
}

static void remove_folder(void)
{
    remove_log();
    rmdir(folder);
}

/* Two images of two questions each, one model, an answer and a refusal. */
static void make_sound_log(void)
{
    pov_answer_log *log;
    pov_log_run run = {.started_ns = 5, .version = "1", .config = "{}", .seed = 7, .simulated = true};
    const pov_log_question questions[2] = {{.key = "left",
                                            .paper = "comfort",
                                            .prompt = "Is it left?",
                                            .language = "en",
                                            .form = "yes_no",
                                            .gold = "yes",
                                            .gold_p = 0.875,
                                            .golds = "[\"yes\"]",
                                            .columns = "{\"relation\":\"left\",\"frame\":\"camera\"}",
                                            .token_max = 16},
                                           {.key = "where",
                                            .paper = "isle",
                                            .prompt = "Where?",
                                            .language = "en",
                                            .form = "option",
                                            .gold_p = 0.5,
                                            .columns = "{}",
                                            .token_max = 16}};
    int64_t model;
    bool counted;
    snprintf(folder, sizeof folder, "%s/fuzz_log_XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    require(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/log.sqlite", folder);
    atexit(remove_folder);
    require(pov_answer_log_new(&log, path, POV_LOG_MAY_CREATE).code == POV_OK);
    require(pov_answer_log_add_run(log, &run).code == POV_OK);
    require(pov_answer_log_model(log, &model, "model", "{\"temperature\":0}").code == POV_OK);
    for (int stop = 0; stop < 2; stop++) {
        pov_log_image image = {.run = run.id,
                               .stop = stop,
                               .turn_deg = 10,
                               .phi_deg = 20,
                               .curve_deg = 10.0 * stop,
                               .sha256 = "ab",
                               .name = "a.png",
                               .path = "images/a.png",
                               .evidence = "{}",
                               .truth = "{}"};
        require(pov_answer_log_add_image(log, &image, questions, 2).code == POV_OK);
    }
    for (int64_t question = 1; question < 3; question++) {
        const pov_log_result result = {.question = question,
                                       .model = model,
                                       .outcome = question == 1 ? "answered" : "refused",
                                       .kind = "tokens",
                                       .cause = "",
                                       .p = 0.5,
                                       .mass = 1,
                                       .text = "Yes",
                                       .body = "{}",
                                       .body_len = 2};
        require(pov_answer_log_add_result(log, &counted, &result).code == POV_OK);
    }
    pov_answer_log_destroy(&log);
    require(pov_read_file(&sound, path, 1 << 24, "a log").code == POV_OK);
}

/* ---- the mutator: a change is table, column, kind and length of the value, its bytes ---- */

enum { HEAD = 4, LENGTH_MAX = 255 };

static size_t take_change(fuzz_part *part, const uint8_t *bytes, size_t length)
{
    if (length < HEAD || bytes[3] > length - HEAD)
        return 0;
    *part = (fuzz_part){fuzz_get_little(bytes, 3), bytes + HEAD, bytes[3]};
    return HEAD + part->length;
}

static bool put_change(fuzz_text *text, const fuzz_part *part)
{
    uint8_t head[HEAD];
    const size_t length = part->length < LENGTH_MAX ? part->length : LENGTH_MAX;
    fuzz_put_little(head, part->tag, 3);
    head[3] = (uint8_t)length;
    return fuzz_append(text, head, HEAD) && fuzz_append(text, part->body, length);
}

static void change_change(fuzz_text *body, uint64_t tag, fuzz_random *random)
{
    (void)tag;
    (void)random;
    body->length = LLVMFuzzerMutate(body->bytes, body->length, body->capacity);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    static const fuzz_format changes = {1, take_change, put_change, change_change, NULL};
    fuzz_random random = {(uint64_t)seed << 8 | 1};
    const size_t mutated = fuzz_choose(&random, 8) > 0
                               ? fuzz_mutate_parts(&changes, (fuzz_text){bytes, length, capacity}, &random)
                               : 0;
    return mutated > 0 ? mutated : LLVMFuzzerMutate(bytes, length, capacity);
}

static void put_sound_log(void)
{
    remove_log();
    FILE *file = fopen(path, "wb");
    require(file && fwrite(sound.data, 1, sound.length, file) == sound.length && fclose(file) == 0);
}

static void bind_value(sqlite3_stmt *statement, int kind, const uint8_t *value, int len)
{
    int64_t integer = 0;
    double number;
    memcpy(&integer, value, (size_t)(len < 8 ? len : 8));
    memcpy(&number, &integer, sizeof number);
    if (kind == 0)
        sqlite3_bind_null(statement, 1);
    else if (kind == 1)
        sqlite3_bind_int64(statement, 1, integer);
    else if (kind == 2)
        sqlite3_bind_double(statement, 1, number);
    else if (kind == 3)
        sqlite3_bind_text(statement, 1, (const char *)value, len, SQLITE_TRANSIENT);
    else
        sqlite3_bind_blob(statement, 1, value, len, SQLITE_TRANSIENT);
}

/* A change that the schema does not allow is left out. */
static void change_value(sqlite3 *db, const uint8_t *change, const uint8_t *value, int len)
{
    static const char *const tables[] = {"runs", "images", "questions", "models", "results", "row_checks"};
    static const char *const columns[][19] = {
        {"id", "started_ns", "version", "config", "config_hash", "seed", "simulated"},
        {"id", "run", "stop", "turn_deg", "phi_deg", "curve_deg", "sha256", "name", "path", "capture_ns",
         "calibration_hash", "evidence", "truth"},
        {"id", "image", "key", "paper", "prompt", "system", "language", "form", "gold", "gold_p", "truth",
         "golds", "columns", "token_max"},
        {"id", "name", "settings"},
        {"id", "question", "model", "counted", "answered_ns", "outcome", "kind", "cause", "p", "mass", "text",
         "body", "endpoint", "attempts", "http_status", "latency_ns", "prompt_tokens", "answer_tokens",
         "cost"},
        {"of", "row", "checksum"}};
    static const int column_len[] = {7, 13, 14, 3, 19, 3};
    const int table = change[0] % 6;
    char sql[160];
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "UPDATE %s SET %s = ?%s", tables[table],
             columns[table][change[1] % column_len[table]],
             table < 5 && change[0] >= 128 ? " WHERE id = 1" : "");
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        return;
    bind_value(statement, change[2] % 5, value, len);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
}

static void change_log(const uint8_t *bytes, size_t length)
{
    sqlite3 *db;
    require(sqlite3_open(path, &db) == SQLITE_OK);
    sqlite3_exec(db, "PRAGMA synchronous=OFF; BEGIN", NULL, NULL, NULL);
    for (size_t at = 1; at + 4 <= length;) {
        const size_t len = bytes[at + 3] < length - at - 4 ? bytes[at + 3] : length - at - 4;
        change_value(db, bytes + at, bytes + at + 4, (int)len);
        at += 4 + len;
    }
    if (bytes[0] & 1) {
        sqlite3_exec(db, "DELETE FROM row_checks", NULL, NULL, NULL);
        require(pov_log_checks_define(db));
        (void)pov_log_checks_fill(db);
    }
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
}

static FILE *nowhere;

static pov_status read_row(void *rows, pov_answer_row *row)
{
    fprintf(nowhere, "%s %s %g", row->question.prompt, row->image.name, row->has_result ? row->result.p : 0);
    return pov_status_of(++*(int *)rows < 16 ? POV_OK : POV_END);
}

static void read_log(pov_log_opening opening)
{
    pov_answer_log *log;
    pov_log_run run;
    pov_log_image image;
    pov_log_question question;
    pov_log_image_file file;
    if (pov_answer_log_new(&log, path, opening).code != POV_OK)
        return;
    (void)pov_answer_log_last_run(log, &run).code;
    pov_log_place place = {0};
    for (int i = 0; i < 8 && pov_answer_log_pending(log, &question, &file, 1, place).code == POV_OK; i++)
        place = (pov_log_place){question.image, question.id};
    image.id = 0;
    for (int i = 0; i < 4 && pov_answer_log_image(log, &image, image.id).code == POV_OK; i++)
        continue;
    (void)pov_answer_log_each(log, read_row, &(int){0}).code;
    for (int format = 0; format < POV_EXPORT_COUNT; format++)
        (void)pov_answer_export(log, NULL, nowhere, &(pov_export_options){.format = (pov_export_format)format})
            .code;
    pov_answer_log_destroy(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (!nowhere) {
        nowhere = fopen("/dev/null", "w");
        require(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
                sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK);
        make_sound_log();
    }
    if (length == 0)
        return 0;
    put_sound_log();
    change_log(bytes, length);
    read_log(POV_LOG_READ);
    if (bytes[0] & 2)
        read_log(POV_LOG_MUST_EXIST);
    return 0;
}
