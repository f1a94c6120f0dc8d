#include "compare/log/answer_rows.h"

#include "compare/log/answer_log_internal.h"

#include <stdio.h>
#include <stdlib.h>

struct pov_answer_rows {
    pov_answer_log *log;
    sqlite3_stmt *statement;
};

enum { IMAGE = 0, QUESTION = 11, MODEL = 25, RESULT = 27 }; /* first columns */

static const char sql[] =
    "SELECT i.id, i.run, i.stop, i.turn_deg, i.phi_deg, i.curve_deg, i.sha256, i.name, i.path, i.capture_ns,"
    " i.calibration_hash, " LOG_QUESTION_COLUMNS
    ", m.name, m.settings, r.question, r.model, r.answered_ns, r.outcome, r.kind, r.cause, r.p,"
    " r.mass, r.text, r.body, r.endpoint, r.attempts, r.http_status, r.latency_ns, r.prompt_tokens,"
    " r.answer_tokens, r.cost"
    " FROM questions q JOIN images i ON i.id = q.image LEFT JOIN results r ON r.question = q.id AND r.counted"
    " LEFT JOIN models m ON m.id = r.model ORDER BY q.id, r.model";

pov_status pov_answer_rows_new(pov_answer_rows **rows, pov_answer_log *log)
{
    *rows = calloc(1, sizeof **rows);
    if (!*rows)
        return pov_error("%s: out of memory", log->path);
    (*rows)->log = log;
    if (sqlite3_prepare_v2(log->db, sql, -1, &(*rows)->statement, NULL) == SQLITE_OK)
        return pov_ok();
    pov_answer_rows_destroy(rows);
    return pov_log_complaint(log, "cannot be read");
}

void pov_answer_rows_destroy(pov_answer_rows **rows)
{
    if (!*rows)
        return;
    sqlite3_finalize((*rows)->statement);
    free(*rows);
    *rows = NULL;
}

static void read_image(pov_log_image *image, sqlite3_stmt *s, int c)
{
    *image = (pov_log_image){.id = sqlite3_column_int64(s, c),
                             .run = sqlite3_column_int64(s, c + 1),
                             .stop = sqlite3_column_int(s, c + 2),
                             .turn_deg = pov_log_number(s, c + 3),
                             .phi_deg = pov_log_number(s, c + 4),
                             .curve_deg = pov_log_number(s, c + 5),
                             .name = pov_log_text(s, c + 7),
                             .path = pov_log_text(s, c + 8),
                             .capture_ns = sqlite3_column_int64(s, c + 9),
                             .calibration_hash = pov_log_text(s, c + 10)};
    snprintf(image->sha256, sizeof image->sha256, "%s", pov_log_text(s, c + 6));
}

void pov_log_read_question(pov_log_question *question, sqlite3_stmt *s, int c)
{
    *question = (pov_log_question){.id = sqlite3_column_int64(s, c),
                                   .image = sqlite3_column_int64(s, c + 1),
                                   .key = pov_log_text(s, c + 2),
                                   .paper = pov_log_text(s, c + 3),
                                   .prompt = pov_log_text(s, c + 4),
                                   .system = pov_log_text(s, c + 5),
                                   .language = pov_log_text(s, c + 6),
                                   .form = pov_log_text(s, c + 7),
                                   .gold = pov_log_text(s, c + 8),
                                   .gold_p = pov_log_number(s, c + 9),
                                   .truth = pov_log_text(s, c + 10),
                                   .golds = pov_log_text(s, c + 11),
                                   .columns = pov_log_text(s, c + 12),
                                   .token_max = sqlite3_column_int(s, c + 13)};
}

static void read_result(pov_log_result *result, sqlite3_stmt *s, int c)
{
    *result = (pov_log_result){.question = sqlite3_column_int64(s, c),
                               .model = sqlite3_column_int64(s, c + 1),
                               .answered_ns = sqlite3_column_int64(s, c + 2),
                               .outcome = pov_log_text(s, c + 3),
                               .kind = pov_log_text(s, c + 4),
                               .cause = pov_log_text(s, c + 5),
                               .p = pov_log_number(s, c + 6),
                               .mass = pov_log_number(s, c + 7),
                               .text = pov_log_text(s, c + 8),
                               .body = sqlite3_column_blob(s, c + 9),
                               .body_len = (size_t)sqlite3_column_bytes(s, c + 9),
                               .endpoint = pov_log_text(s, c + 10),
                               .attempts = sqlite3_column_int(s, c + 11),
                               .http_status = sqlite3_column_int(s, c + 12),
                               .latency_ns = sqlite3_column_int64(s, c + 13),
                               .prompt_tokens = sqlite3_column_int64(s, c + 14),
                               .answer_tokens = sqlite3_column_int64(s, c + 15),
                               .cost = sqlite3_column_double(s, c + 16)};
}

pov_status pov_answer_rows_next(pov_answer_rows *rows, pov_answer_row *row)
{
    sqlite3_stmt *s = rows->statement;
    const int code = sqlite3_step(s);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? pov_status_of(POV_END) : pov_log_complaint(rows->log, "cannot be read");
    read_image(&row->image, s, IMAGE);
    pov_log_read_question(&row->question, s, QUESTION);
    row->model = pov_log_text(s, MODEL);
    row->settings = pov_log_text(s, MODEL + 1);
    row->has_result = row->model != NULL;
    if (row->has_result)
        read_result(&row->result, s, RESULT);
    return pov_ok();
}

pov_status pov_answer_log_image(pov_answer_log *log, pov_log_image *image, int64_t after)
{
    sqlite3_stmt *s = log->statements[LOG_IMAGE];
    sqlite3_reset(s);
    sqlite3_bind_int64(s, 1, after);
    const int code = sqlite3_step(s);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? pov_status_of(POV_END) : pov_log_complaint(log, "cannot be read");
    read_image(image, s, 0);
    image->evidence = pov_log_text(s, 11);
    image->truth = pov_log_text(s, 12);
    return pov_ok();
}
