#include "firmware/report/report_reading.h"

#include "compare/log/answer_log.h"
#include "compare/vlm/direction_tokens.h"
#include "config/files/grow.h"
#include "config/files/write_file.h"
#include "firmware/cli.h"
#include "firmware/comparison/log_folder.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what to read ---- */

/* Into the section of its paper, or one of its own. */
static pov_status place_answers(pov_report_reading *f, pov_answers *one)
{
    for (int i = 0; i < f->len && !f->apart; i++)
        if (pov_answers_may_join(&f->answers[i], one)) {
            const pov_status status = pov_answers_join(&f->answers[i], one);
            pov_answers_free(one);
            return status;
        }
    POV_REQUIRE_MEMORY(pov_grow(&f->answers, &f->capacity, f->len, sizeof *f->answers));
    f->answers[f->len++] = *one;
    return pov_ok();
}

static const char *keep_path(pov_report_reading *f, const char *path)
{
    POV_REQUIRE_MEMORY(pov_grow(&f->paths, &f->paths_capacity, f->paths_len, sizeof *f->paths));
    return f->paths[f->paths_len++] = pov_text_new("%s", path);
}

static pov_status add_answers(pov_report_reading *f, const char *path, const pov_answers_options *scoring)
{
    pov_answers one;
    const pov_status status = pov_answers_load(&one, keep_path(f, path), scoring);
    return status.code == POV_OK ? place_answers(f, &one) : status;
}

/* ---- logs: several are read at once; each is put to those before it as soon as these are ---- */

typedef struct {
    const char *path;
    pov_status status;
    pov_log_damage damage;
    pov_answer_tables *tables;
    pov_report_sums *sums;
    bool has_results, geometry; /* geometry: the tables hold the station's own answers */
} log_reading;

typedef struct {
    pov_report_reading *reading;
    const pov_answers_options *scoring;
    log_reading *logs;
    int len;
    pthread_mutex_t lock;  /* of all below */
    pthread_cond_t joined; /* signalled when `next` changes */
    bool *is_read;         /* [log] */
    int next;              /* the first log that has not been put to those before it */
    bool is_joining;       /* a thread does that; the others go on reading */
    pov_status status;     /* of the first log that failed: those behind it are left out */
} reading_task;

static pov_status add_row(void *context, pov_answer_row *row)
{
    log_reading *r = context;
    r->has_results |= row->has_result;
    pov_report_sums_add(r->sums, row, pov_log_scene_of(pov_answer_tables_scene(r->tables), &row->image),
                        pov_answer_tables_object(r->tables, row));
    return pov_answer_tables_add(r->tables, row);
}

/* No model has answered: the report is of the station's own judgments. Answers that are on no curve have tables of their own. */
static pov_status read_geometry(log_reading *r, pov_answer_log *log)
{
    pov_answer_tables_destroy(&r->tables);
    r->geometry = true;
    return pov_answer_tables_read(&r->tables, log, r->path,
                                  &(pov_export_options){.paper = "comfort", .geometry = true});
}

static pov_status read_rows(log_reading *r, pov_answer_log *log, const pov_answers_options *scoring)
{
    const pov_answers wanted = {.paper = scoring->paper};
    const char *paper = scoring->paper == POV_ANSWERS_BY_COLUMNS ? NULL : pov_answers_paper_name(&wanted);
    POV_TRY(pov_report_sums_add_run(r->sums, log));
    const pov_export_options columns = {
        .paper = paper, .geometry = scoring->geometry, .directions = pov_direction_tokens_read};
    POV_TRY(pov_answer_tables_new(&r->tables, log, r->path, &columns));
    POV_TRY(pov_answer_log_each(log, add_row, r));
    return pov_answer_tables_has(r->tables) || r->has_results ? pov_ok() : read_geometry(r, log);
}

static void read_log(log_reading *r, const pov_answers_options *scoring)
{
    pov_answer_log *log = NULL;
    r->sums = pov_report_sums_new();
    r->status = pov_answer_log_new(&log, r->path, POV_LOG_READ);
    if (r->status.code == POV_OK) {
        r->damage = *pov_answer_log_damage(log);
        r->status = read_rows(r, log, scoring);
    }
    pov_answer_log_destroy(&log);
}

static pov_status take_papers(pov_report_reading *f, log_reading *r, const pov_answers_options *scoring)
{
    pov_answers_options one = *scoring;
    bool any = false;
    one.geometry |= r->geometry;
    for (int i = 0; i <= POV_PAPER_COUNT; i++) {
        pov_answers answers;
        one.paper = i == 0 ? POV_ANSWERS_COMFORT : i - 1;
        pov_status status = pov_answers_take_log(&answers, r->path, r->tables, &one);
        if (status.code == POV_UNDEFINED)
            continue;
        POV_THEN(status, place_answers(f, &answers));
        POV_TRY(status);
        any = true;
    }
    return any || r->has_results || pov_report_sums_has_votes(r->sums)
               ? pov_ok()
               : pov_error("%s: has neither answers that could be scored nor COMFORT's questions", r->path);
}

static pov_status take_log(pov_report_reading *f, log_reading *r, const pov_answers_options *scoring)
{
    POV_TRY(r->status);
    pov_log_folder_warn(r->path, &r->damage);
    POV_TRY(take_papers(f, r, scoring));
    pov_report_sums_join(f->sums, r->sums);
    f->logs++;
    return pov_ok();
}

static void forget_log(log_reading *r)
{
    pov_answer_tables_destroy(&r->tables);
    pov_report_sums_destroy(&r->sums);
}

/* Puts together what has been read, in order. The lock is held, but not while it works. */
static void join_logs(reading_task *task)
{
    if (task->is_joining)
        return;
    task->is_joining = true;
    while (task->next < task->len && task->is_read[task->next]) {
        log_reading *r = &task->logs[task->next];
        pov_status status = task->status;
        pthread_mutex_unlock(&task->lock);
        POV_THEN(status, take_log(task->reading, r, task->scoring));
        forget_log(r);
        pthread_mutex_lock(&task->lock);
        task->status = status;
        task->next++;
        pthread_cond_broadcast(&task->joined);
    }
    task->is_joining = false;
}

/* The rows of a log are in memory from its reading until it is put to the others: nobody reads far ahead. */
static void read_next(void *context, int index, int worker)
{
    reading_task *task = context;
    (void)worker;
    pthread_mutex_lock(&task->lock);
    while (index >= task->next + POV_REPORT_LOGS_AT_ONCE)
        pthread_cond_wait(&task->joined, &task->lock);
    const bool is_wanted = task->status.code == POV_OK;
    pthread_mutex_unlock(&task->lock);
    if (is_wanted)
        read_log(&task->logs[index], task->scoring);
    pthread_mutex_lock(&task->lock);
    task->is_read[index] = true;
    join_logs(task);
    pthread_mutex_unlock(&task->lock);
}

/* Reads the logs that wait. */
static pov_status read_logs(pov_report_reading *f, const pov_answers_options *scoring)
{
    reading_task task = {.reading = f,
                         .scoring = scoring,
                         .len = f->waiting_len,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .joined = PTHREAD_COND_INITIALIZER,
                         .status = pov_ok()};
    task.logs = pov_allocate((size_t)task.len + 1, sizeof *task.logs);
    task.is_read = pov_allocate((size_t)task.len + 1, sizeof *task.is_read);
    for (int i = 0; i < task.len; i++)
        task.logs[i].path = f->waiting[i];
    f->waiting_len = 0;
    pov_tasks_run(pov_thread_pool_workers(f->pool), read_next, &task, task.len);
    POV_REQUIRE(task.next == task.len);
    free(task.logs);
    free(task.is_read);
    return task.status;
}

static void add_log(pov_report_reading *f, const char *path)
{
    POV_REQUIRE_MEMORY(pov_grow(&f->waiting, &f->waiting_capacity, f->waiting_len, sizeof *f->waiting));
    f->waiting[f->waiting_len++] = keep_path(f, path);
}

static int holds_answers(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".jsonl") == 0);
}

static pov_status add_folder(pov_report_reading *f, const char *folder, const pov_answers_options *scoring)
{
    char path[POV_PATH_CAPACITY];
    struct dirent **entries;
    struct stat info;
    if (snprintf(path, sizeof path, "%s/" POV_LOG_NAME, folder) < (int)sizeof path &&
        stat(path, &info) == 0) {
        add_log(f, path);
        return pov_ok();
    }
    POV_TRY(read_logs(f, scoring)); /* those before come first */
    int len = scandir(folder, &entries, holds_answers, alphasort);
    if (len < 0)
        return pov_error("%s: %s; name a folder of 'pov sweep', or a file of answers", folder,
                         strerror(errno));
    pov_status status =
        len > 0
            ? pov_ok()
            : pov_error("%s: neither a sweep's " POV_LOG_NAME " nor *.csv or *.jsonl in this folder", folder);
    for (int i = 0; i < len; i++) {
        if (status.code == POV_OK &&
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) >= (int)sizeof path)
            status = pov_error("%s: this path is too long", folder);
        POV_THEN(status, add_answers(f, path, scoring));
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* Those of one paper may have nothing that it scores, as where no pair of things was seen: the others are reported. */
static pov_status score_all(pov_report_reading *f)
{
    int kept = 0;
    for (int i = 0; i < f->len; i++) {
        const pov_status status = pov_answers_score(&f->answers[i]);
        const bool others = kept > 0 || i + 1 < f->len || f->logs > 0;
        if (status.code == POV_OK)
            f->answers[kept++] = f->answers[i];
        else if (status.code == POV_UNDEFINED && others)
            pov_cli_warn("%s: it has no curve in the report", status.message);
        else {
            while (f->len > i + 1)
                pov_answers_free(&f->answers[--f->len]);
            f->len = kept; /* what cannot be scored is freed */
            return status;
        }
    }
    f->len = kept;
    return pov_ok();
}

/* ---- all together ---- */

enum { SCORES, TOLD, RESULTS }; /* neither needs the other */

typedef struct {
    pov_report_reading *reading;
    pov_status status[RESULTS];
} finishing;

static void finish_one(void *context, int index, int worker)
{
    finishing *of = context;
    pov_report_reading *f = of->reading;
    (void)worker;
    of->status[index] = index == SCORES ? score_all(f)
                        : f->logs > 0   ? pov_report_sums_tell(f->sums, &f->told, NULL)
                                        : pov_ok();
}

pov_status pov_report_reading_read(pov_report_reading *f, char **arguments, int len,
                                   const pov_answers_options *scoring)
{
    struct stat info;
    for (int i = 0; i < len; i++) {
        const bool exists = stat(arguments[i], &info) == 0, is_folder = exists && S_ISDIR(info.st_mode),
                   is_log = exists && S_ISREG(info.st_mode) && pov_log_folder_is_log(arguments[i]);
        if (is_log) {
            add_log(f, arguments[i]);
            continue;
        }
        if (!is_folder)
            POV_TRY(read_logs(f, scoring)); /* those before come first */
        POV_TRY(is_folder ? add_folder(f, arguments[i], scoring) : add_answers(f, arguments[i], scoring));
    }
    POV_TRY(read_logs(f, scoring));
    finishing of = {.reading = f};
    pov_tasks_run(pov_thread_pool_workers(f->pool), finish_one, &of, RESULTS);
    return of.status[SCORES].code == POV_OK ? of.status[TOLD] : of.status[SCORES];
}

pov_status pov_report_reading_new(pov_report_reading **reading, bool apart)
{
    pov_report_reading *f = *reading = pov_allocate(1, sizeof *f);
    f->apart = apart;
    f->sums = pov_report_sums_new();
    pov_log_file_prepare();
    return pov_thread_pool_new(&f->pool, 0);
}

void pov_report_reading_destroy(pov_report_reading **reading)
{
    pov_report_reading *f = *reading;
    for (int i = 0; i < f->len; i++)
        pov_answers_free(&f->answers[i]);
    for (int i = 0; i < f->paths_len; i++)
        free(f->paths[i]);
    pov_report_sums_destroy(&f->sums);
    pov_thread_pool_destroy(&f->pool);
    free(f->answers);
    free(f->waiting);
    free(f->paths);
    pov_report_log_free(&f->told);
    free(f);
    *reading = NULL;
}
