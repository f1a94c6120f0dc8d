#include "firmware/sweep/sweep_record.h"

#include "compare/vlm/vlm_truth.h"
#include "firmware/clock.h"
#include "firmware/sweep/sweep.h"
#include "firmware/sweep/sweep_look.h"
#include "perception/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

pov_status pov_sweep_record_begin(pov_sweep_record *record, const pov_log_folder *folder,
                                  const pov_sweep_asking *asking, const pov_judging *judging, int stop_max)
{
    record->folder = folder;
    record->asking = asking;
    record->stop_max = stop_max;
    record->truth = calloc(1, sizeof *record->truth);
    record->taken = calloc((size_t)stop_max, sizeof *record->taken);
    if (!record->truth || !record->taken)
        return pov_error("%s: out of memory", folder->path);
    POV_TRY(pov_sweep_questions_new(&record->questions, asking, judging));
    return pov_answer_log_new(&record->log, folder->log_path, POV_LOG_MAY_CREATE);
}

void pov_sweep_record_end(pov_sweep_record *record)
{
    pov_answer_log_destroy(&record->log);
    pov_sweep_questions_destroy(&record->questions);
    free(record->truth);
    free(record->taken);
    *record = (pov_sweep_record){.log = NULL};
}

/* ---- its run ---- */

static void remember_stop(pov_sweep_record *record, const pov_log_image *image)
{
    if (image->stop < 0 || image->stop >= record->stop_max)
        return;
    record->taken[image->stop] = true;
    record->taken_len++;
    pov_sweep_places_remember(&record->places, image->turn_deg, image->curve_deg);
}

static pov_status remember_stops(pov_sweep_record *record)
{
    pov_log_image image = {0};
    pov_status status;
    while ((status = pov_answer_log_image(record->log, &image, image.id)).code == POV_OK)
        remember_stop(record, &image);
    return status.code == POV_END ? pov_ok() : status;
}

pov_status pov_sweep_record_take_up(pov_sweep_record *record, const pov_sweep_kind *kind)
{
    pov_log_run last, run;
    char hash[POV_DIGEST_CAPACITY];
    pov_log_image first;
    pov_status status = pov_answer_log_image(record->log, &first, 0);
    POV_THEN(status, pov_answer_log_last_run(record->log, &last));
    pov_digest(hash, kind->config, strlen(kind->config));
    if (status.code == POV_ERROR)
        return status;
    if (status.code == POV_OK && !kind->resume)
        return pov_error("%s: holds a sweep already; go on with it by --resume, or name another folder",
                         record->folder->path);
    if (status.code == POV_OK && strcmp(last.config_hash, hash) != 0)
        return pov_sweep_config_differs(record->folder->path, last.config, kind->config);
    if (status.code == POV_OK) {
        record->run = last.id;
        return remember_stops(record);
    }
    run = (pov_log_run){.started_ns = pov_clock_unix_ns(),
                        .version = POV_VERSION,
                        .config = kind->config,
                        .seed = record->asking->seed,
                        .simulated = kind->simulated};
    POV_TRY(pov_answer_log_add_run(record->log, &run));
    record->run = run.id;
    return pov_ok();
}

/* ---- its images ---- */

static pov_status write_texts(pov_sweep_record *record, char **evidence, char **truth,
                              const pov_sweep_shot *shot)
{
    POV_TRY(pov_sweep_write_observation(evidence, shot->observation));
    if (!shot->truth)
        return pov_ok();
    record->truth->image = shot->observation->image;
    record->truth->scene = *shot->truth;
    return pov_sweep_write_observation(truth, record->truth);
}

static pov_status record_stored(pov_sweep_record *record, pov_log_image *entry, int *question_len,
                                const pov_sweep_shot *shot, const pov_stored_image *stored)
{
    char *evidence = NULL, *truth = NULL, hash[32];
    pov_sweep_asked asked;
    const pov_sweep_world world = {
        .scene = &shot->observation->scene,
        .truth = shot->truth,
        .hash = shot->truth ? pov_vlm_truth_hash(stored->bytes.data, stored->bytes.length) : 0};
    snprintf(hash, sizeof hash, "%016" PRIx64, shot->observation->image.calibration_hash);
    POV_TRY(pov_sweep_questions_make(record->questions, &asked, &world));
    pov_status status = write_texts(record, &evidence, &truth, shot);
    entry->path = stored->path;
    entry->calibration_hash = hash;
    entry->evidence = evidence;
    entry->truth = truth;
    memcpy(entry->sha256, stored->sha256, sizeof entry->sha256);
    if (status.code ==
        POV_OK) /* before the log has the questions: a simulated VLM knows what it will be asked */
        status = pov_log_folder_append_truth(record->folder, asked.truth_lines);
    POV_THEN(status, pov_answer_log_add_image(record->log, entry, asked.questions, asked.len));
    *question_len = asked.len;
    entry->path = entry->calibration_hash = entry->evidence = entry->truth = NULL;
    free(evidence);
    free(truth);
    return status;
}

pov_status pov_sweep_record_image(pov_sweep_record *record, pov_log_image *entry, int *question_len,
                                  const pov_sweep_shot *shot)
{
    const double phi_deg = pov_sweep_phi_rad(&shot->observation->scene, record->asking) / POV_DEG;
    pov_stored_image stored = {.bytes = {0}};
    *entry = (pov_log_image){.run = record->run,
                             .stop = shot->stop,
                             .turn_deg = shot->turn_deg,
                             .phi_deg = phi_deg,
                             .curve_deg = pov_sweep_places_take(&record->places, shot->turn_deg, phi_deg),
                             .name = shot->image->name,
                             .capture_ns = shot->image->mid_exposure_ns};
    char name[32];
    snprintf(name, sizeof name, "stop_%04d", shot->stop);
    pov_status status = pov_log_folder_store(record->folder, &stored, shot->image, name);
    POV_THEN(status, record_stored(record, entry, question_len, shot, &stored));
    pov_bytes_free(&stored.bytes);
    if (status.code == POV_OK) {
        record->taken[shot->stop] = true;
        record->taken_len++;
    }
    return status;
}
