#include "firmware/comparison/image_record.h"

#include "compare/vlm/vlm_truth.h"
#include "protocol/observation/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

pov_status pov_image_record_begin(pov_image_record *record, const pov_log_folder *folder,
                                  const pov_question_choice *choice, const pov_judging *judging)
{
    record->folder = folder;
    record->truth = pov_allocate(1, sizeof *record->truth);
    POV_TRY(pov_image_questions_new(&record->questions, choice, judging));
    POV_TRY(pov_picture_maker_new(&record->maker, folder, choice));
    return pov_answer_log_new(&record->log, folder->log_path, POV_LOG_MAY_CREATE);
}

void pov_image_record_end(pov_image_record *record)
{
    pov_answer_log_destroy(&record->log);
    if (record->questions)
        pov_image_questions_warn(record->questions);
    pov_image_questions_destroy(&record->questions);
    pov_picture_maker_destroy(&record->maker);
    free(record->truth);
    free(record->chosen);
    *record = (pov_image_record){.log = NULL};
}

pov_status pov_image_record_text(char **text, const pov_observation *observation)
{
    size_t length;
    FILE *memory = open_memstream(text, &length);
    if (!memory)
        return pov_error("out of memory");
    const pov_status status = pov_json_write_observation(memory, observation);
    fclose(memory);
    return status;
}

static pov_status write_texts(pov_image_record *record, char **evidence, char **truth,
                              const pov_recorded_shot *shot)
{
    POV_TRY(pov_image_record_text(evidence, shot->observation));
    if (!shot->truth)
        return pov_ok();
    record->truth->image = shot->observation->image;
    record->truth->scene = *shot->truth;
    return pov_image_record_text(truth, record->truth);
}

/* Only those that are wanted, in the same order. */
static void choose_questions(pov_image_record *record, pov_image_asked *asked, const pov_recorded_shot *shot)
{
    if (!shot->wants)
        return;
    free(record->chosen);
    record->chosen = pov_allocate((size_t)asked->len + 1, sizeof *record->chosen);
    int len = 0;
    for (int i = 0; i < asked->len; i++)
        if (shot->wants(shot->context, &asked->questions[i]))
            record->chosen[len++] = asked->questions[i];
    asked->questions = record->chosen;
    asked->len = len;
}

static pov_status add_stored(pov_image_record *record, pov_log_image *entry, pov_image_asked *asked,
                             const pov_recorded_shot *shot, const pov_stored_image *stored, const char *file)
{
    pov_question_pictures pictures;
    char *evidence = NULL, *truth = NULL, hash[32];
    const bool has_truth = shot->truth || shot->judged_as_truth;
    const pov_judged_world world = {
        .scene = &shot->observation->scene,
        .truth = shot->truth,
        .judged_as_truth = shot->judged_as_truth,
        .path = stored->path,
        .sha256 = stored->sha256,
        .pictures = &pictures,
        .boxes = &record->boxes,
        .hash = has_truth ? pov_vlm_truth_hash(stored->bytes.data, stored->bytes.length) : 0};
    snprintf(hash, sizeof hash, "%016" PRIx64, shot->observation->image.calibration_hash);
    POV_TRY(pov_picture_maker_make(record->maker, &pictures, shot->image, &shot->observation->scene, file));
    pov_seen_boxes_find(&record->boxes, shot->observation, record->camera);
    POV_TRY(pov_image_questions_make(record->questions, asked, &world));
    choose_questions(record, asked, shot);
    pov_status status = write_texts(record, &evidence, &truth, shot);
    entry->path = stored->path;
    entry->calibration_hash = hash;
    entry->evidence = evidence;
    entry->truth = truth;
    memcpy(entry->sha256, stored->sha256, sizeof entry->sha256);
    if (status.code ==
        POV_OK) /* before the log has the questions: a simulated VLM knows what it will be asked */
        status = pov_log_folder_append_truth(record->folder, asked->truth_lines);
    POV_THEN(status, pov_answer_log_add_image(record->log, entry, asked->questions, asked->len));
    entry->path = entry->calibration_hash = entry->evidence = entry->truth = NULL;
    free(evidence);
    free(truth);
    return status;
}

pov_status pov_image_record_add(pov_image_record *record, pov_log_image *entry, pov_image_asked *asked,
                                const pov_recorded_shot *shot, const char *file)
{
    pov_stored_image stored = {.bytes = {0}};
    pov_status status = pov_log_folder_store(record->folder, &stored, shot->image, file);
    POV_THEN(status, add_stored(record, entry, asked, shot, &stored, file));
    pov_bytes_free(&stored.bytes);
    return status;
}
