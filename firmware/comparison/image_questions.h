/** The questions that a sweep asks about an image, as its log keeps them: from what the station judged, with the truth
 *  beside it where that is known. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/questions/question.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/comparison/question_marks.h"
#include "firmware/comparison/question_pictures.h"
#include "firmware/station/question_choice.h"
#include "firmware/station/station.h"

typedef struct pov_image_questions pov_image_questions;

POV_MUST_USE pov_status pov_image_questions_new(pov_image_questions **questions,
                                                const pov_question_choice *asking,
                                                const pov_judging *judging);
void pov_image_questions_destroy(pov_image_questions **questions);

/** The scenes of an image. */
typedef struct {
    const pov_scene *scene; /* as judged */
    const pov_scene *truth; /* NULL: unknown */
    bool judged_as_truth;   /* a simulated VLM answers from what was judged, if no truth is known */
    uint64_t hash;          /* pov_vlm_truth_hash of the stored file; looked at only with one of the two */
    const char *path,
        *sha256; /* of the stored file: for questions about several images. NULL: there are none */
    const pov_question_pictures
        *pictures; /* that questions are about in place of the stored file, or beside it */
    const pov_seen_boxes *boxes; /* of the scene's things; NULL: not known */
} pov_judged_world;

typedef struct {
    int len;
    const pov_log_question *questions;
    const char
        *truth_lines; /* what a simulated VLM answers from (compare/vlm/vlm_truth.h); "" without a truth */
} pov_image_asked;

/** Out: asked: borrowed until the next call. A benchmark that has no question about the scene adds none. */
POV_MUST_USE pov_status pov_image_questions_make(pov_image_questions *questions, pov_image_asked *asked,
                                                 const pov_judged_world *world);

/** Warns of each paper that had no question about any of the images so far. */
void pov_image_questions_warn(const pov_image_questions *questions);

/** Adds questions to the log's images, which were judged before; an image keeps the questions that it has. */
POV_MUST_USE pov_status pov_image_questions_add(int *added, const pov_log_folder *folder, pov_answer_log *log,
                                                const pov_question_choice *asking);

/** The referent's azimuth about the relatum of the first pair, counter-clockwise from above, 0 toward the camera, in
 *  [0, 2 pi); NaN if one of the three is not placed. */
double pov_choice_phi_rad(const pov_scene *scene, const pov_question_choice *asking);
/** Its standard deviation, to first order in the errors of the three positions, which share the camera pose's; NaN where phi is. */
double pov_choice_phi_std_rad(const pov_scene *scene, const pov_question_choice *asking);
