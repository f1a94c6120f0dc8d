/** Puts a judged image into a log: the image to its file, what was judged of it, and the questions about it. */
#pragma once

#include "firmware/comparison/image_questions.h"
#include "perception/observation/observation.h"

typedef struct {
    const pov_log_folder *folder;
    pov_answer_log *log; /* of the folder */
    pov_image_questions *questions;
    pov_picture_maker *maker;
    const pov_camera *
        camera; /* by which images are judged; borrowed; NULL, as after begin: questions do not tell where things are seen */
    pov_seen_boxes boxes;     /* of the last image */
    pov_observation *truth;   /* room */
    pov_log_question *chosen; /* of the last image, if not all were wanted */
} pov_image_record;

/** Opens the folder's log. Start from {0}; arguments are borrowed. End it also after an error. */
POV_MUST_USE pov_status pov_image_record_begin(pov_image_record *record, const pov_log_folder *folder,
                                               const pov_question_choice *choice, const pov_judging *judging);
void pov_image_record_end(pov_image_record *record);

typedef struct {
    const pov_image *image;
    const pov_observation *observation;
    const pov_scene *truth; /* NULL: unknown */
    bool judged_as_truth;   /* without a truth, a simulated VLM answers from what was judged */
    bool (*wants)(const void *context, const pov_log_question *question); /* NULL: all questions are asked */
    const void *context;
} pov_recorded_shot;

/** In:  entry: its run, stop, angles, name and time; file: its name in images/, without .png.
 *  Out: entry: its id and digest; its texts but `name` are gone. asked: the questions about it,
 *       borrowed until the next image. */
POV_MUST_USE pov_status pov_image_record_add(pov_image_record *record, pov_log_image *entry,
                                             pov_image_asked *asked, const pov_recorded_shot *shot,
                                             const char *file);

/** An observation as `pov run --json` prints it; the caller's to free(). */
POV_MUST_USE pov_status pov_image_record_text(char **text, const pov_observation *observation);
