#include "compare/log/study_log.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    STUDY_ADD,
    STUDY_DESIGN,
    STUDY_ADD_PARTICIPANT,
    STUDY_FIND_PARTICIPANT,
    STUDY_CONSENT,
    STUDY_START,
    STUDY_ATTEMPT,
    STUDY_END,
    STUDY_INTERRUPT,
    STUDY_DONE,
    STUDY_ADD_IMAGE,
    STUDY_ADD_EVENT,
    STUDY_RATE,
    STUDY_TRIAL,
    STUDY_EVENT,
    STUDY_IMAGE,
    STUDY_RATING,
    STUDY_COUNT,
    STUDY_OWN_WORDS,
    STUDY_WITHDRAW,
    STUDY_STATEMENTS
} study_statement;

struct pov_study_log {
    pov_log_file file;
};

/* docs/STUDY.md explains each column. */
static const char schema[] =
    "CREATE TABLE studies (id INTEGER PRIMARY KEY, started_ns INTEGER NOT NULL, version TEXT NOT NULL,"
    "  design TEXT NOT NULL, simulated INTEGER NOT NULL);"
    "CREATE TABLE participants (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, number INTEGER NOT NULL,"
    "  consent_ns INTEGER, consent TEXT);"
    "CREATE TABLE trials (id INTEGER PRIMARY KEY, participant INTEGER NOT NULL REFERENCES participants(id),"
    "  position INTEGER NOT NULL, attempt INTEGER NOT NULL, condition TEXT NOT NULL, trial TEXT NOT NULL,"
    "  scene TEXT NOT NULL, say TEXT NOT NULL, show TEXT NOT NULL, target TEXT NOT NULL,"
    "  started_ns INTEGER NOT NULL, ended_ns INTEGER, outcome TEXT, scene_right INTEGER NOT NULL,"
    "  UNIQUE (participant, position, attempt));"
    "CREATE UNIQUE INDEX done_once ON trials (participant, position) WHERE outcome = 'done';"
    "CREATE TABLE images (id INTEGER PRIMARY KEY, trial INTEGER NOT NULL REFERENCES trials(id),"
    "  path TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL, name TEXT NOT NULL, capture_ns INTEGER NOT NULL,"
    "  calibration_hash TEXT NOT NULL, faces INTEGER NOT NULL, evidence TEXT NOT NULL);"
    "CREATE TABLE events (id INTEGER PRIMARY KEY, trial INTEGER NOT NULL REFERENCES trials(id),"
    "  at_ns INTEGER NOT NULL, kind TEXT NOT NULL, by TEXT NOT NULL, text TEXT NOT NULL,"
    "  image INTEGER REFERENCES images(id), reading TEXT);"
    "CREATE TABLE ratings (id INTEGER PRIMARY KEY, trial INTEGER NOT NULL REFERENCES trials(id), rater TEXT "
    "NOT NULL,"
    "  label TEXT NOT NULL, at_ns INTEGER NOT NULL, UNIQUE (trial, rater));"
    "CREATE TABLE withdrawals (id INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL);"
    "CREATE INDEX events_of_trial ON events (trial);"
    "CREATE INDEX images_of_trial ON images (trial);";

#define V          POV_LOG_VALUE
#define OWN_TRIALS "(SELECT t.id FROM trials t JOIN participants p ON p.id = t.participant WHERE p.name = ?1)"

static const char *const sql[STUDY_STATEMENTS] = {
    [STUDY_ADD] = "INSERT INTO studies (started_ns, version, design, simulated) VALUES (?1, ?2, ?3, ?4)",
    [STUDY_DESIGN] = "SELECT design, version, simulated FROM studies ORDER BY id LIMIT 1",
    [STUDY_ADD_PARTICIPANT] =
        "INSERT INTO participants (name, number) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
    [STUDY_FIND_PARTICIPANT] = "SELECT id, coalesce(consent_ns, 0) FROM participants WHERE name = ?1",
    [STUDY_CONSENT] = "UPDATE participants SET consent_ns = ?2, consent = ?3 WHERE id = ?1",
    [STUDY_START] =
        "INSERT INTO trials (participant, position, attempt, condition, trial, scene, say, show, target,"
        " started_ns, scene_right) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [STUDY_ATTEMPT] = "SELECT count(*) + 1 FROM trials WHERE participant = ?1 AND position = ?2",
    [STUDY_END] = "UPDATE trials SET ended_ns = ?2, outcome = ?3 WHERE id = ?1 AND outcome IS NULL",
    /* Its end is taken to be its last event. */
    [STUDY_INTERRUPT] =
        "UPDATE trials SET outcome = 'interrupted', ended_ns ="
        " coalesce((SELECT max(at_ns) FROM events WHERE events.trial = trials.id), started_ns)"
        " WHERE participant = ?1 AND outcome IS NULL",
    [STUDY_DONE] =
        "SELECT position FROM trials WHERE participant = ?1 AND outcome = 'done' ORDER BY position",
    [STUDY_ADD_IMAGE] =
        "INSERT INTO images (trial, path, sha256, name, capture_ns, calibration_hash, faces, evidence)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [STUDY_ADD_EVENT] = "INSERT INTO events (trial, at_ns, kind, by, text, image, reading)"
                        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [STUDY_RATE] = "INSERT INTO ratings (trial, rater, label, at_ns) VALUES (?1, ?2, ?3, ?4)"
                   " ON CONFLICT (trial, rater) DO UPDATE SET label = excluded.label, at_ns = excluded.at_ns",
    [STUDY_TRIAL] =
        "SELECT t.id, t.participant, p.name, p.number, t.position, t.attempt, t.condition, t.trial, t.scene,"
        " t.say, t.show, t.target, t.started_ns, coalesce(t.ended_ns, 0), t.outcome, t.scene_right"
        " FROM trials t JOIN participants p ON p.id = t.participant WHERE t.id > ?1 ORDER BY t.id LIMIT 1",
    [STUDY_EVENT] = "SELECT id, trial, at_ns, kind, by, text, coalesce(image, 0), reading FROM events"
                    " WHERE trial = ?1 AND id > ?2 ORDER BY id LIMIT 1",
    [STUDY_IMAGE] =
        "SELECT id, trial, path, sha256, name, capture_ns, calibration_hash, faces, evidence FROM images"
        " WHERE trial = ?1 AND id > ?2 ORDER BY id LIMIT 1",
    [STUDY_RATING] =
        "SELECT trial, rater, label, at_ns FROM ratings WHERE trial = ?1 ORDER BY rater LIMIT 1 OFFSET ?2",
    [STUDY_COUNT] = "SELECT (SELECT count(*) FROM participants), (SELECT count(*) FROM withdrawals),"
                    " (SELECT count(*) FROM participants WHERE consent_ns), count(*),"
                    " coalesce(sum(outcome = 'done'), 0), coalesce(sum(outcome = 'interrupted'), 0),"
                    " coalesce(sum(outcome = 'abandoned'), 0), (SELECT count(*) FROM events),"
                    " (SELECT count(*) FROM images), (SELECT count(*) FROM ratings) FROM trials",
    /* A word is the participant's own if no event of others holds it, nor the protocol. */
    [STUDY_OWN_WORDS] =
        "WITH own AS (SELECT DISTINCT text AS word FROM events WHERE trial IN " OWN_TRIALS
        " AND length(text) > 3"
        "  UNION SELECT sha256 FROM images WHERE trial IN " OWN_TRIALS
        "  UNION SELECT path FROM images WHERE trial IN " OWN_TRIALS "  UNION SELECT ?1)"
        " SELECT word, EXISTS (SELECT 1 FROM events e WHERE e.trial NOT IN " OWN_TRIALS
        "  AND (instr(e.text, word) OR instr(coalesce(e.reading, ''), word)))"
        "  OR EXISTS (SELECT 1 FROM images i WHERE i.trial NOT IN " OWN_TRIALS
        " AND (i.sha256 = word OR instr(i.evidence, word)))"
        "  OR EXISTS (SELECT 1 FROM trials t WHERE t.id NOT IN " OWN_TRIALS
        "   AND (instr(t.say, word) OR instr(t.show, word) OR t.target = word))"
        "  OR EXISTS (SELECT 1 FROM participants p WHERE p.name <> ?1 AND instr(p.name, word))"
        "  OR EXISTS (SELECT 1 FROM ratings r WHERE r.trial NOT IN " OWN_TRIALS " AND instr(r.label, word))"
        "  OR EXISTS (SELECT 1 FROM studies s WHERE instr(s.design, word)) FROM own ORDER BY word",
    [STUDY_WITHDRAW] = "INSERT INTO withdrawals (at_ns) VALUES (?1)",
};

/* "povS", in the file's header. secure_delete: what is deleted is overwritten with zeros. */
static const pov_log_kind kind = {.application_id = 0x706f7653,
                                  .version = 1,
                                  .maker = "'pov study run'",
                                  .schema = schema,
                                  .settings = "PRAGMA secure_delete = ON;",
                                  .sql = sql,
                                  .statement_len = STUDY_STATEMENTS};

pov_status pov_study_log_new(pov_study_log **log, const char *path, pov_log_opening opening)
{
    *log = calloc(1, sizeof **log);
    if (!*log)
        return pov_error("%s: out of memory", path);
    const pov_status status = pov_log_file_open(&(*log)->file, path, opening, &kind);
    if (status.code != POV_OK)
        pov_study_log_destroy(log);
    return status;
}

void pov_study_log_destroy(pov_study_log **log)
{
    if (!*log)
        return;
    pov_log_file_close(&(*log)->file);
    free(*log);
    *log = NULL;
}

const pov_log_damage *pov_study_log_damage(const pov_study_log *log)
{
    return &log->file.damage;
}

/* SQLite's header has the application's id at byte 68, big-endian (sqlite.org/fileformat2.html, 1.3). */
bool pov_study_log_is(const char *path)
{
    unsigned char head[72];
    FILE *file = fopen(path, "rb");
    const bool whole = file && fread(head, 1, sizeof head, file) == sizeof head;
    if (file)
        fclose(file);
    return whole && memcmp(head, "SQLite format 3", 16) == 0 && memcmp(head + 68, "povS", 4) == 0;
}

/* ---- the study and its participants ---- */

pov_status pov_study_log_design(pov_study_log *log, const char **design, const char **version,
                                bool *simulated)
{
    sqlite3_stmt *row;
    POV_TRY(pov_log_fetch(&log->file, &row, STUDY_DESIGN, NULL, 0));
    *design = pov_log_text_at(row, 0);
    *version = pov_log_text_at(row, 1);
    *simulated = sqlite3_column_int(row, 2) != 0;
    return pov_ok();
}

pov_status pov_study_log_begin(pov_study_log *log, const char *design, const char *version, int64_t now_ns,
                               bool simulated)
{
    const char *then, *then_version;
    bool was_simulated;
    const pov_status status = pov_study_log_design(log, &then, &then_version, &was_simulated);
    if (status.code == POV_ERROR)
        return status;
    if (status.code == POV_OK && strcmp(then, design) != 0)
        return pov_error(
            "%s: holds a study of another protocol; only its list of participants may change. Name "
            "another folder, or go on with the protocol as it was",
            log->file.path);
    if (status.code == POV_OK && was_simulated != simulated)
        return pov_error("%s: holds a study %s; name another folder", log->file.path,
                         was_simulated ? "with simulated images" : "with a camera's images");
    if (status.code == POV_OK)
        return pov_ok();
    return POV_LOG_WRITE(&log->file, STUDY_ADD, V(now_ns), V(version), V(design), V(simulated));
}

pov_status pov_study_log_participant(pov_study_log *log, int64_t *id, int64_t *consent_ns, const char *name,
                                     int number)
{
    POV_TRY(POV_LOG_WRITE(&log->file, STUDY_ADD_PARTICIPANT, V(name), V(number)));
    sqlite3_stmt *row;
    POV_TRY(POV_LOG_FETCH(&log->file, &row, STUDY_FIND_PARTICIPANT, V(name)));
    *id = sqlite3_column_int64(row, 0);
    *consent_ns = sqlite3_column_int64(row, 1);
    sqlite3_reset(row);
    return pov_ok();
}

pov_status pov_study_log_consent(pov_study_log *log, int64_t participant, int64_t now_ns, const char *text)
{
    return POV_LOG_WRITE(&log->file, STUDY_CONSENT, V(participant), V(now_ns), V(text));
}

/* ---- trials ---- */

pov_status pov_study_log_start_trial(pov_study_log *log, pov_log_trial *trial)
{
    sqlite3_stmt *row;
    POV_TRY(POV_LOG_FETCH(&log->file, &row, STUDY_ATTEMPT, V(trial->participant), V(trial->position)));
    trial->attempt = sqlite3_column_int(row, 0);
    POV_TRY(POV_LOG_WRITE(&log->file, STUDY_START, V(trial->participant), V(trial->position),
                          V(trial->attempt), V(trial->condition), V(trial->trial), V(trial->scene),
                          V(trial->say), V(trial->show), V(trial->target), V(trial->started_ns),
                          V(trial->scene_right)));
    trial->id = sqlite3_last_insert_rowid(log->file.db);
    return pov_ok();
}

pov_status pov_study_log_end_trial(pov_study_log *log, int64_t trial, int64_t now_ns, const char *outcome)
{
    return POV_LOG_WRITE(&log->file, STUDY_END, V(trial), V(now_ns), V(outcome));
}

pov_status pov_study_log_interrupt(pov_study_log *log, int64_t participant, int *len)
{
    POV_TRY(POV_LOG_WRITE(&log->file, STUDY_INTERRUPT, V(participant)));
    *len = sqlite3_changes(log->file.db);
    return pov_ok();
}

pov_status pov_study_log_done(pov_study_log *log, int64_t participant, bool *done, int max)
{
    sqlite3_stmt *row;
    pov_status status = POV_LOG_FETCH(&log->file, &row, STUDY_DONE, V(participant));
    for (; status.code == POV_OK; status = pov_log_next(&log->file, row)) {
        const int position = sqlite3_column_int(row, 0);
        if (position >= 1 && position <= max)
            done[position] = true;
    }
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status insert_image(pov_study_log *log, pov_log_study_image *image)
{
    POV_TRY(POV_LOG_WRITE(&log->file, STUDY_ADD_IMAGE, V(image->trial), V(image->path), V(image->sha256),
                          V(image->name), V(image->capture_ns), V(image->calibration_hash), V(image->faces),
                          V(image->evidence)));
    image->id = sqlite3_last_insert_rowid(log->file.db);
    return pov_ok();
}

static pov_status insert_event(pov_study_log *log, pov_log_event *event)
{
    POV_TRY(POV_LOG_WRITE(&log->file, STUDY_ADD_EVENT, V(event->trial), V(event->at_ns), V(event->kind),
                          V(event->by), V(event->text),
                          event->image ? V(event->image) : V((const char *)NULL), V(event->reading)));
    event->id = sqlite3_last_insert_rowid(log->file.db);
    return pov_ok();
}

pov_status pov_study_log_add_event(pov_study_log *log, pov_log_event *event, pov_log_study_image *image)
{
    POV_TRY(pov_log_begin(&log->file));
    pov_status status = image ? insert_image(log, image) : pov_ok();
    if (status.code == POV_OK && image)
        event->image = image->id;
    POV_THEN(status, insert_event(log, event));
    return pov_log_finish(&log->file, status);
}

pov_status pov_study_log_rate(pov_study_log *log, const pov_log_rating *rating)
{
    return POV_LOG_WRITE(&log->file, STUDY_RATE, V(rating->trial), V(rating->rater), V(rating->label),
                         V(rating->at_ns));
}

/* ---- reading ---- */

/* Other iterators' rows stay: only this statement begins again. */
static pov_status fetch_after(pov_study_log *log, sqlite3_stmt **statement, study_statement which,
                              int64_t first, int64_t second)
{
    sqlite3_stmt *s = *statement = pov_log_statement(&log->file, which);
    sqlite3_reset(s);
    sqlite3_bind_int64(s, 1, first);
    sqlite3_bind_int64(s, 2, second); /* out of range, and no harm, where there is one only */
    return pov_log_next(&log->file, s);
}

pov_status pov_study_log_next_trial(pov_study_log *log, pov_log_trial *trial, int64_t after)
{
    sqlite3_stmt *s;
    POV_TRY(fetch_after(log, &s, STUDY_TRIAL, after, 0));
    *trial = (pov_log_trial){.id = sqlite3_column_int64(s, 0),
                             .participant = sqlite3_column_int64(s, 1),
                             .participant_name = pov_log_text_at(s, 2),
                             .number = sqlite3_column_int(s, 3),
                             .position = sqlite3_column_int(s, 4),
                             .attempt = sqlite3_column_int(s, 5),
                             .condition = pov_log_text_at(s, 6),
                             .trial = pov_log_text_at(s, 7),
                             .scene = pov_log_text_at(s, 8),
                             .say = pov_log_text_at(s, 9),
                             .show = pov_log_text_at(s, 10),
                             .target = pov_log_text_at(s, 11),
                             .started_ns = sqlite3_column_int64(s, 12),
                             .ended_ns = sqlite3_column_int64(s, 13),
                             .outcome = pov_log_text_at(s, 14),
                             .scene_right = sqlite3_column_int(s, 15) != 0};
    return pov_ok();
}

pov_status pov_study_log_next_event(pov_study_log *log, pov_log_event *event, int64_t trial, int64_t after)
{
    sqlite3_stmt *s;
    POV_TRY(fetch_after(log, &s, STUDY_EVENT, trial, after));
    *event = (pov_log_event){.id = sqlite3_column_int64(s, 0),
                             .trial = sqlite3_column_int64(s, 1),
                             .at_ns = sqlite3_column_int64(s, 2),
                             .kind = pov_log_text_at(s, 3),
                             .by = pov_log_text_at(s, 4),
                             .text = pov_log_text_at(s, 5),
                             .image = sqlite3_column_int64(s, 6),
                             .reading = pov_log_text_at(s, 7)};
    return pov_ok();
}

pov_status pov_study_log_next_image(pov_study_log *log, pov_log_study_image *image, int64_t trial,
                                    int64_t after)
{
    sqlite3_stmt *s;
    POV_TRY(fetch_after(log, &s, STUDY_IMAGE, trial, after));
    *image = (pov_log_study_image){.id = sqlite3_column_int64(s, 0),
                                   .trial = sqlite3_column_int64(s, 1),
                                   .path = pov_log_text_at(s, 2),
                                   .name = pov_log_text_at(s, 4),
                                   .capture_ns = sqlite3_column_int64(s, 5),
                                   .calibration_hash = pov_log_text_at(s, 6),
                                   .faces = sqlite3_column_int(s, 7),
                                   .evidence = pov_log_text_at(s, 8)};
    snprintf(image->sha256, sizeof image->sha256, "%s", pov_log_text_at(s, 3));
    return pov_ok();
}

pov_status pov_study_log_next_rating(pov_study_log *log, pov_log_rating *rating, int64_t trial, int64_t after)
{
    sqlite3_stmt *s;
    POV_TRY(fetch_after(log, &s, STUDY_RATING, trial, after));
    *rating = (pov_log_rating){.trial = sqlite3_column_int64(s, 0),
                               .rater = pov_log_text_at(s, 1),
                               .label = pov_log_text_at(s, 2),
                               .at_ns = sqlite3_column_int64(s, 3)};
    return pov_ok();
}

pov_status pov_study_log_count(pov_study_log *log, pov_study_counts *counts)
{
    sqlite3_stmt *row;
    POV_TRY(pov_log_fetch(&log->file, &row, STUDY_COUNT, NULL, 0));
    int *const fields[] = {&counts->participants, &counts->withdrawn,   &counts->consenting, &counts->trials,
                           &counts->done,         &counts->interrupted, &counts->abandoned,  &counts->events,
                           &counts->images,       &counts->ratings};
    for (int i = 0; i < (int)(sizeof fields / sizeof *fields); i++)
        *fields[i] = sqlite3_column_int(row, i);
    sqlite3_reset(row);
    return pov_ok();
}

/* ---- withdrawal ---- */

static pov_status collect_words(pov_study_log *log, pov_forgotten *forgotten, const char *name)
{
    FILE *stream = open_memstream(&forgotten->words, &forgotten->words_len);
    if (!stream)
        return pov_error("%s: out of memory", log->file.path);
    sqlite3_stmt *row;
    pov_status status = POV_LOG_FETCH(&log->file, &row, STUDY_OWN_WORDS, V(name));
    for (; status.code == POV_OK; status = pov_log_next(&log->file, row)) {
        const char *word = pov_log_text_at(row, 0);
        if (sqlite3_column_int(row, 1))
            forgotten->shared_words++;
        else
            fwrite(word, 1, strlen(word) + 1, stream);
    }
    fputc('\0', stream);
    if (fclose(stream) != 0)
        return pov_error("%s: out of memory", log->file.path);
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status delete_rows(pov_study_log *log, pov_forgotten *forgotten, int64_t participant,
                              int64_t now_ns)
{
    char text[512];
    static const char *const tables[] = {"ratings", "events", "images"};
    int *const counts[] = {NULL, &forgotten->events, &forgotten->images};
    POV_TRY(pov_log_begin(&log->file));
    pov_status status = pov_ok();
    for (int i = 0; i < 3 && status.code == POV_OK; i++) {
        snprintf(text, sizeof text,
                 "DELETE FROM %s WHERE trial IN (SELECT id FROM trials WHERE participant = %lld)", tables[i],
                 (long long)participant);
        status = pov_log_execute(&log->file, text);
        if (counts[i])
            *counts[i] = sqlite3_changes(log->file.db);
    }
    snprintf(text, sizeof text, "DELETE FROM trials WHERE participant = %lld", (long long)participant);
    POV_THEN(status, pov_log_execute(&log->file, text));
    forgotten->trials = sqlite3_changes(log->file.db);
    snprintf(text, sizeof text, "DELETE FROM participants WHERE id = %lld", (long long)participant);
    POV_THEN(status, pov_log_execute(&log->file, text));
    POV_THEN(status, POV_LOG_WRITE(&log->file, STUDY_WITHDRAW, V(now_ns)));
    return pov_log_finish(&log->file, status);
}

pov_status pov_study_log_forget(pov_study_log *log, pov_forgotten *forgotten, const char *name,
                                int64_t now_ns)
{
    *forgotten = (pov_forgotten){.trials = 0};
    sqlite3_stmt *row;
    const pov_status status = POV_LOG_FETCH(&log->file, &row, STUDY_FIND_PARTICIPANT, V(name));
    if (status.code != POV_OK && status.code != POV_END)
        return status;
    const int64_t id = status.code == POV_OK ? sqlite3_column_int64(row, 0) : 0;
    if (id) {
        POV_TRY(collect_words(log, forgotten, name));
        POV_TRY(delete_rows(log, forgotten, id, now_ns));
    }
    POV_TRY(pov_log_shrink(&log->file));
    return id ? pov_ok() : pov_status_of(POV_UNDEFINED);
}
