/** Shared by the parts of image_questions.h. */
#pragma once

#include "compare/log/answer_log.h"
#include "firmware/comparison/image_questions.h"

#include <stdio.h>

/* An image before the one at hand, for questions about several. */
typedef struct {
    pov_scene scene, truth;
    bool has_truth;
    uint64_t hash;
    char *path, *sha256;
} pov_earlier_view;

enum { POV_EARLIER_VIEWS_MAX = 72, POV_SHOWN_VIEWS_MAX = 3 /* before the newest: quarters of a turn */ };

struct pov_image_questions {
    pov_earlier_view *views[POV_EARLIER_VIEWS_MAX]; /* no two of them from nearly the same side */
    int view_len;
    const pov_earlier_view *shown[POV_SHOWN_VIEWS_MAX]; /* with the image at hand, in order */
    const pov_scene *shown_scenes[POV_SHOWN_VIEWS_MAX], *shown_truths[POV_SHOWN_VIEWS_MAX];
    int shown_len;
    const pov_judged_world *world;
    pov_question_choice asking;
    pov_asking options;
    pov_languages *languages;
    pov_questions *seen, *true_ones; /* of the judged scene, and of the truth */
    int len;
    pov_log_question *list;
    char **owned; /* texts of the list */
    int owned_len, owned_capacity;
    char *truth_lines;
    size_t truth_len;
    FILE *truth_stream;                    /* into truth_lines; NULL: closed */
    uint64_t image_hash;                   /* of the stored file */
    const pov_question_pictures *pictures; /* of the image at hand */
    bool judged_as_truth;                  /* of the image at hand */
    int images, made[POV_BENCHMARK_COUNT];
};

/** Takes over a text for as long as the list lives. Aborts without memory. */
const char *pov_image_questions_own(pov_image_questions *q, char *text);
/** NULL: the question has no second image. */
const pov_question_picture *pov_image_questions_second(const pov_image_questions *q,
                                                       const pov_question *question);
/** Writes what a simulated model answers from. `prompt`: as it is asked, which may tell what was measured. */
pov_status pov_image_questions_write_truth(pov_image_questions *q, const char *prompt,
                                           const pov_question *question);
/** Likewise for guidance, which a simulated model writes without looking. */
pov_status pov_image_questions_write_guidance_truth(pov_image_questions *q, const pov_question *question);
