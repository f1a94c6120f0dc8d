#include "firmware/doctor/checks.h"

#include "compare/log/answer_log.h"
#include "compare/log/study_log.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "firmware/comparison/log_folder.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds up both kinds of logs. */
typedef struct {
    pov_checks *checks;
    const char *folder;
    int len, bad, elsewhere; /* elsewhere: of a log that was heard, whose images are at the station */
    int without;             /* items whose text is complete */
    pov_status first;        /* the first that is not as it was stored */
} log_images;

static void check_log_image(log_images *images, const char *path, const char *sha256)
{
    pov_bytes bytes = {0};
    if (pov_log_image_is_none(path, sha256)) {
        images->without++;
        return;
    }
    if (!*path) {
        images->elsewhere++;
        return;
    }
    const pov_status read = pov_log_folder_load(&bytes, images->folder, path, sha256);
    pov_bytes_free(&bytes);
    images->len++;
    if (read.code != POV_OK && images->bad++ == 0)
        images->first = read;
}

static void tell_log_images(const log_images *images, const pov_status *end)
{
    if (end->code == POV_ERROR)
        pov_check_add(images->checks, "images", POV_CHECK_WRONG, "%s", end->message);
    else if (images->bad > 0)
        pov_check_add(images->checks, "images", POV_CHECK_WRONG,
                      "%d of %d are not as they were stored; the first: %s", images->bad, images->len,
                      images->first.message);
    else if (images->elsewhere > 0)
        pov_check_add(
            images->checks, "images", POV_CHECK_NOTE,
            "%d are at the station: this log was heard ('pov listen --log'), and images do not come "
            "with messages",
            images->elsewhere);
    else if (images->without > 0)
        pov_check_add(images->checks, "images", POV_CHECK_OK,
                      "%d items have none: their text is complete, or they were imported without --images%s",
                      images->without,
                      images->len > 0 ? "; those of the others are as they were stored" : "");
    else
        pov_check_add(images->checks, "images", POV_CHECK_OK, "%d, all as they were stored", images->len);
}

static void tell_log_damage(pov_checks *checks, const pov_log_damage *damage)
{
    char text[POV_LOG_DAMAGE_CAPACITY + 60];
    pov_log_damage_describe(text, damage);
    if (damage->rows > 0)
        pov_check_add(checks, "log", POV_CHECK_WRONG, "%s. 'pov report' leaves them out", text);
    else
        pov_check_add(checks, "log", POV_CHECK_OK, "every row is as it was written");
}

/* Says what a log is of, by its last run's configuration. */
static void tell_log_kind(pov_checks *checks, pov_answer_log *log)
{
    pov_log_run run;
    int64_t questions = 0, models = 0;
    if (pov_answer_log_last_run(log, &run).code != POV_OK ||
        pov_log_read_number(pov_answer_log_file(log), &questions, "SELECT count(*) FROM questions").code !=
            POV_OK ||
        pov_log_read_number(pov_answer_log_file(log), &models, "SELECT count(*) FROM models").code != POV_OK)
        return;
    cJSON *config = pov_json_parse_text(run.config);
    const char *set = pov_json_text_of(config, "released"), *paper = pov_json_text_of(config, "paper"),
               *world = pov_json_text_of(config, "world");
    char *kind = *set     ? pov_text_new("questions of %s's released set %s ('pov import')", paper, set)
                 : *world ? pov_text_new("questions about images of the world %s", world)
                 : cJSON_HasObjectItem(config, "recording")
                     ? pov_text_new("questions about a recording")
                     : pov_text_new("questions of a sweep or a station");
    pov_check_add(checks, "kind", POV_CHECK_NOTE, "%s: %lld, of %lld models and people", kind,
                  (long long)questions, (long long)models);
    free(kind);
    cJSON_Delete(config);
}

static pov_status check_sweep_log(log_images *images, const char *path)
{
    pov_answer_log *log;
    pov_log_image image = {0};
    pov_status status;
    POV_TRY(pov_answer_log_new(&log, path, POV_LOG_READ));
    tell_log_damage(images->checks, pov_answer_log_damage(log));
    tell_log_kind(images->checks, log);
    while ((status = pov_answer_log_image(log, &image, image.id)).code == POV_OK)
        check_log_image(images, image.path, image.sha256);
    tell_log_images(images, &status);
    pov_answer_log_destroy(&log);
    return pov_ok();
}

static pov_status check_study_log(log_images *images, const char *path)
{
    pov_study_log *log;
    pov_log_trial trial = {.id = 0};
    pov_status status;
    POV_TRY(pov_study_log_new(&log, path, POV_LOG_READ));
    tell_log_damage(images->checks, pov_study_log_damage(log));
    while ((status = pov_study_log_next_trial(log, &trial, trial.id)).code == POV_OK) {
        pov_log_study_image image = {.id = 0};
        while (pov_study_log_next_image(log, &image, trial.id, image.id).code == POV_OK)
            check_log_image(images, image.path, image.sha256);
    }
    tell_log_images(images, &status);
    pov_study_log_destroy(&log);
    return pov_ok();
}

bool pov_check_log(pov_checks *checks, const char *path)
{
    char folder[POV_LOG_PATH_CAPACITY], log_path[POV_LOG_PATH_CAPACITY + 16];
    pov_log_folder_path(log_path, path);
    if (!pov_log_folder_is_log(log_path))
        return false;
    snprintf(folder, sizeof folder, "%.*s", (int)sizeof folder - 1, log_path);
    char *slash = strrchr(folder, '/');
    snprintf(slash ? slash : folder, 2, "%s", slash ? "" : ".");
    log_images images = {.checks = checks, .folder = folder};
    const pov_status status =
        pov_study_log_is(log_path) ? check_study_log(&images, log_path) : check_sweep_log(&images, log_path);
    if (status.code != POV_OK)
        pov_check_add(checks, "log", POV_CHECK_WRONG, "%s", status.message);
    return true;
}
