#include "firmware/sweep/sweep_record.h"
#include "firmware/comparison/curve_places.h"

#include "firmware/clock.h"
#include "firmware/comparison/run_config.h"
#include "perception/version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pov_status pov_sweep_record_begin(pov_sweep_record *record, const pov_log_folder *folder,
                                  const pov_question_choice *asking, const pov_judging *judging, int stop_max)
{
    record->asking = asking;
    record->stop_max = stop_max;
    record->taken = pov_allocate((size_t)stop_max, sizeof *record->taken);
    return pov_image_record_begin(&record->kept, folder, asking, judging);
}

void pov_sweep_record_end(pov_sweep_record *record)
{
    pov_image_record_end(&record->kept);
    free(record->taken);
    *record = (pov_sweep_record){.taken = NULL};
}

/* ---- its run ---- */

static void remember_stop(pov_sweep_record *record, const pov_log_image *image)
{
    if (image->stop < 0 || image->stop >= record->stop_max)
        return;
    record->taken[image->stop] = true;
    record->taken_len++;
    pov_curve_places_remember(&record->places, image->turn_deg, image->curve_deg);
}

static pov_status remember_stops(pov_sweep_record *record)
{
    pov_log_image image = {0};
    pov_status status;
    while ((status = pov_answer_log_image(record->kept.log, &image, image.id)).code == POV_OK)
        remember_stop(record, &image);
    return status.code == POV_END ? pov_ok() : status;
}

pov_status pov_sweep_record_take_up(pov_sweep_record *record, const pov_sweep_kind *kind)
{
    pov_log_run last, run;
    char hash[POV_DIGEST_CAPACITY];
    pov_log_image first;
    pov_status status = pov_answer_log_image(record->kept.log, &first, 0);
    POV_THEN(status, pov_answer_log_last_run(record->kept.log, &last));
    pov_digest(hash, kind->config, strlen(kind->config));
    if (status.code == POV_ERROR)
        return status;
    if (status.code == POV_OK && !kind->resume)
        return pov_error("%s: holds a sweep already; go on with it by --resume, or name another folder",
                         record->kept.folder->path);
    if (status.code == POV_OK && strcmp(last.config_hash, hash) != 0)
        return pov_run_config_differs(record->kept.folder->path, last.config, kind->config);
    if (status.code == POV_OK) {
        record->run = last.id;
        return remember_stops(record);
    }
    run = (pov_log_run){.started_ns = pov_clock_unix_ns(),
                        .version = POV_VERSION,
                        .config = kind->config,
                        .seed = record->asking->seed,
                        .simulated = kind->simulated};
    POV_TRY(pov_answer_log_add_run(record->kept.log, &run));
    record->run = run.id;
    return pov_ok();
}

/* ---- its images ---- */

pov_status pov_sweep_record_image(pov_sweep_record *record, pov_log_image *entry, pov_image_asked *asked,
                                  const pov_sweep_shot *shot)
{
    const double phi_deg = pov_choice_phi_rad(&shot->observation->scene, record->asking) / POV_DEG;
    const pov_recorded_shot recorded = {.image = shot->image,
                                        .observation = shot->observation,
                                        .truth = shot->truth,
                                        .wants = shot->wants,
                                        .context = shot->context};
    *entry = (pov_log_image){
        .run = record->run,
        .stop = shot->stop,
        .turn_deg = shot->turn_deg,
        .phi_deg = phi_deg,
        .curve_deg =
            shot->off_curves ? NAN : pov_curve_places_find(&record->places, shot->wanted_deg, phi_deg),
        .name = shot->image->name,
        .capture_ns = shot->image->mid_exposure_ns};
    char name[32];
    snprintf(name, sizeof name, "stop_%04d", shot->stop);
    const pov_status status = pov_image_record_add(&record->kept, entry, asked, &recorded, name);
    if (status.code == POV_OK) {
        record->taken[shot->stop] = true;
        record->taken_len++;
    }
    return status;
}
