#include "compare/log/log_merge.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

/* The other log is attached as `shard`. Its schema is that of every log: it was checked when it was opened. */

#define PART "(SELECT id FROM shard.images ORDER BY stop LIMIT ?2 OFFSET ?1)"

static const char run_sql[] =
    "INSERT INTO main.runs (started_ns, version, config, config_hash, seed, simulated)"
    " SELECT started_ns, version, config, config_hash, seed, simulated FROM shard.runs"
    " WHERE NOT EXISTS (SELECT 1 FROM main.runs) ORDER BY id DESC LIMIT 1";

/* Rows say in their first column why the two logs do not belong together. */
static const char mismatch_sql[] =
    "SELECT 'was made by pov ' || s.version || ', not ' || m.version FROM main.runs m, shard.runs s"
    " WHERE s.id = (SELECT max(id) FROM shard.runs) AND s.version <> m.version"
    " UNION ALL SELECT 'holds another sweep: other images or questions' FROM main.runs m, shard.runs s"
    " WHERE s.id = (SELECT max(id) FROM shard.runs)"
    " AND (s.config_hash <> m.config_hash OR s.seed <> m.seed OR s.simulated <> m.simulated)"
    " UNION ALL SELECT 'holds several sweeps' FROM shard.images"
    " WHERE run <> (SELECT max(id) FROM shard.runs)"
    " UNION ALL SELECT 'has another image at stop ' || s.stop || ' than a log before it' FROM shard.images s"
    " JOIN main.images m ON m.run = 1 AND m.stop = s.stop WHERE s.id IN " PART
    " AND (s.sha256 <> m.sha256 OR s.name <> m.name OR s.capture_ns <> m.capture_ns"
    " OR s.turn_deg IS NOT m.turn_deg OR s.phi_deg IS NOT m.phi_deg OR s.evidence IS NOT m.evidence"
    " OR s.truth IS NOT m.truth OR s.calibration_hash IS NOT m.calibration_hash)"
    " UNION ALL SELECT 'asks another question as ' || s.key || ' at stop ' || si.stop FROM shard.questions s"
    " JOIN shard.images si ON si.id = s.image JOIN main.images mi ON mi.run = 1 AND mi.stop = si.stop"
    " JOIN main.questions m ON m.image = mi.id AND m.key = s.key WHERE s.image IN " PART
    " AND (s.prompt <> m.prompt OR s.system IS NOT m.system OR s.form <> m.form OR s.gold IS NOT m.gold"
    " OR s.gold_p IS NOT m.gold_p OR s.golds IS NOT m.golds OR s.columns IS NOT m.columns) LIMIT 1";

static const char images_sql[] =
    "INSERT INTO main.images (run, stop, turn_deg, phi_deg, curve_deg, sha256, name, path, capture_ns,"
    " calibration_hash, evidence, truth) SELECT 1, s.stop, s.turn_deg, s.phi_deg, s.curve_deg,"
    " s.sha256, s.name, s.path, s.capture_ns, s.calibration_hash, s.evidence, s.truth FROM shard.images s"
    " WHERE s.id IN " PART
    " AND NOT EXISTS (SELECT 1 FROM main.images m WHERE m.run = 1 AND m.stop = s.stop) ORDER BY s.stop";

static const char questions_sql[] =
    "INSERT INTO main.questions (image, key, paper, prompt, system, language, form, gold, gold_p, truth,"
    " golds, columns, token_max) SELECT mi.id, s.key, s.paper, s.prompt, s.system, s.language, s.form,"
    " s.gold, s.gold_p, s.truth, s.golds, s.columns, s.token_max FROM shard.questions s"
    " JOIN shard.images si ON si.id = s.image JOIN main.images mi ON mi.run = 1 AND mi.stop = si.stop"
    " WHERE s.image IN " PART " ORDER BY si.stop, s.id ON CONFLICT (image, key) DO NOTHING";

static const char models_sql[] =
    "INSERT INTO main.models (name, settings) SELECT name, settings FROM shard.models WHERE true"
    " ORDER BY name, settings ON CONFLICT (name, settings) DO NOTHING";

static const char results_sql[] =
    "INSERT INTO main.results (question, model, counted, answered_ns, outcome, kind, cause, p, mass, text,"
    " body, endpoint, attempts, http_status, latency_ns, prompt_tokens, answer_tokens, cost)"
    " SELECT mq.id, mm.id, s.counted AND NOT EXISTS (SELECT 1 FROM main.results r WHERE r.question = mq.id"
    " AND r.model = mm.id AND r.counted), s.answered_ns, s.outcome, s.kind, s.cause, s.p, s.mass, s.text,"
    " s.body, s.endpoint, s.attempts, s.http_status, s.latency_ns, s.prompt_tokens, s.answer_tokens, s.cost"
    " FROM shard.results s JOIN shard.questions sq ON sq.id = s.question"
    " JOIN shard.images si ON si.id = sq.image JOIN shard.models sm ON sm.id = s.model"
    " JOIN main.images mi ON mi.run = 1 AND mi.stop = si.stop"
    " JOIN main.questions mq ON mq.image = mi.id AND mq.key = sq.key"
    " JOIN main.models mm ON mm.name = sm.name AND mm.settings = sm.settings"
    " WHERE sq.image IN " PART " AND NOT EXISTS (SELECT 1 FROM main.results r WHERE r.question = mq.id"
    " AND r.model = mm.id AND r.answered_ns = s.answered_ns AND r.latency_ns = s.latency_ns"
    " AND r.outcome = s.outcome AND r.text IS s.text) ORDER BY si.stop, sq.id, s.id";

/* Runs a statement; its first row's text, up to a limit, is a complaint. `changed`: rows that it wrote; may be NULL. */
static pov_status run_sql_on(const pov_log_file *file, const char *sql, const char *path, pov_log_part part,
                             int64_t *changed)
{
    sqlite3_stmt *statement = NULL;
    const int64_t before = sqlite3_total_changes64(file->db);
    int code = sqlite3_prepare_v2(file->db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK && sqlite3_bind_parameter_count(statement) == 2) {
        sqlite3_bind_int64(statement, 1, part.first);
        sqlite3_bind_int64(statement, 2, part.len);
    }
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    pov_status status = pov_ok();
    if (code == SQLITE_ROW)
        status =
            pov_error("%s: %.200s; only shards of one sweep are joined", path, pov_log_text_at(statement, 0));
    else if (code != SQLITE_DONE)
        status = pov_log_complain(file, "cannot be merged");
    sqlite3_finalize(statement);
    if (changed) /* each row has a checksum, which is a row, too */
        *changed = (sqlite3_total_changes64(file->db) - before) / 2;
    return status;
}

static pov_status join_rows(const pov_log_file *file, pov_log_merged *merged, const char *path,
                            pov_log_part part)
{
    int64_t wanted;
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT id FROM shard.images LIMIT %lld OFFSET %lld)",
             (long long)part.len, (long long)part.first);
    POV_TRY(run_sql_on(file, run_sql, path, part, NULL));
    POV_TRY(run_sql_on(file, mismatch_sql, path, part, NULL));
    POV_TRY(pov_log_read_number(file, &wanted, sql));
    POV_TRY(run_sql_on(file, images_sql, path, part, &merged->images));
    POV_TRY(run_sql_on(file, questions_sql, path, part, &merged->questions));
    POV_TRY(run_sql_on(file, models_sql, path, part, NULL));
    POV_TRY(run_sql_on(file, results_sql, path, part, &merged->results));
    merged->doubled = wanted - merged->images;
    return pov_ok();
}

static pov_status attach_log(const pov_log_file *file, const char *path)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(file->db, "ATTACH ?1 AS shard", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? pov_ok() : pov_error("%s: %s", path, sqlite3_errmsg(file->db));
}

/* A log whose rows are all as they were written. */
static pov_status open_sound(pov_answer_log **log, const char *path)
{
    char text[POV_LOG_DAMAGE_CAPACITY + 60];
    POV_TRY(pov_answer_log_new(log, path, POV_LOG_READ));
    const pov_log_damage *damage = pov_answer_log_damage(*log);
    if (damage->rows == 0)
        return pov_ok();
    pov_log_damage_describe(text, damage);
    pov_answer_log_destroy(log);
    return pov_error("%s: %.200s; it is not joined with others: run its shard again", path, text);
}

pov_status pov_answer_log_merge(pov_answer_log *log, pov_log_merged *merged, const char *path,
                                pov_log_part part)
{
    pov_answer_log *other;
    pov_log_file *file = pov_answer_log_file(log);
    *merged = (pov_log_merged){.images = 0};
    POV_TRY(open_sound(&other, path));
    pov_answer_log_destroy(&other);
    pov_log_let_go(file);
    POV_TRY(attach_log(file, path));
    pov_status status = pov_log_begin(file);
    POV_THEN(status, pov_log_finish(file, join_rows(file, merged, path, part)));
    const pov_status detached = pov_log_execute(file, "DETACH shard");
    return status.code == POV_OK ? detached : status;
}

static pov_status digest_rows(char digest[POV_DIGEST_CAPACITY], const pov_log_file *file)
{
    sqlite3_stmt *statement = NULL;
    char chain[POV_DIGEST_CAPACITY + 32] = "";
    int code = sqlite3_prepare_v2(file->db, "SELECT checksum FROM row_checks ORDER BY \"of\", \"row\"", -1,
                                  &statement, NULL);
    memset(digest, 0, POV_DIGEST_CAPACITY);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code != SQLITE_ROW)
            break;
        snprintf(chain, sizeof chain, "%s%.16s", digest, pov_log_text_at(statement, 0));
        pov_digest(digest, chain, strlen(chain));
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? pov_ok() : pov_log_complain(file, "cannot be read");
}

pov_status pov_answer_log_survey(pov_log_survey *survey, const char *path)
{
    pov_answer_log *log;
    pov_log_run run;
    POV_TRY(open_sound(&log, path));
    const pov_log_file *file = pov_answer_log_file(log);
    pov_status status = pov_answer_log_last_run(log, &run);
    if (status.code == POV_OK)
        memcpy(survey->config_hash, run.config_hash, sizeof survey->config_hash);
    if (status.code == POV_UNDEFINED)
        status = pov_error("%s: holds no sweep", path);
    POV_THEN(status,
             pov_log_read_number(file, &survey->first_stop, "SELECT coalesce(min(stop), -1) FROM images"));
    POV_THEN(status, pov_log_read_number(file, &survey->images, "SELECT count(*) FROM images"));
    POV_THEN(status, digest_rows(survey->digest, file));
    pov_answer_log_destroy(&log);
    return status;
}
