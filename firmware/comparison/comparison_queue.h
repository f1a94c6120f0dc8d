/** Messages of the topic "vlm" on their way from the threads that ask to the one that publishes and records: one when a question is asked,
 *  one when its answer is there. And how often each model agreed so far. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/vlm/vlm_result.h"
#include "firmware/comparison/heard_words.h"
#include "firmware/vlm/vlm_picture.h"
#include "protocol/observation/message.h"

typedef struct pov_comparison_queue pov_comparison_queue;

POV_MUST_USE pov_status pov_comparison_queue_new(pov_comparison_queue **queue);
void pov_comparison_queue_destroy(pov_comparison_queue **queue);

/** Any thread: takes the oldest message, which the caller frees. False: there is none. */
bool pov_comparison_queue_take(pov_comparison_queue *queue, uint8_t **bytes, size_t *len);
/** Any thread: nobody takes any more. */
void pov_comparison_queue_stop(pov_comparison_queue *queue);

/** Any thread, of a live run: an image was judged. turned_rad: the turn of the scene about the camera since the start, whole turns
 *  included; NaN: unknown. Answers that come from now on tell how far the scene has moved on to here. */
void pov_comparison_queue_note_scene(pov_comparison_queue *queue, int64_t capture_ns, double turned_rad);
/** Any thread. Out: health: its running agreements. */
void pov_comparison_queue_agreements(pov_comparison_queue *queue, pov_health *health);

/** The words of answers under way, from streams. It lives as long as the queue. */
pov_heard_words *pov_comparison_queue_words(pov_comparison_queue *queue);

/** The log's list of golds, borrowed. POV_ERROR: there are more than fit. */
struct cJSON;
POV_MUST_USE pov_status pov_comparison_read_golds(pov_comparison *comparison, const struct cJSON *list);
pov_comparison_status pov_comparison_status_of(const pov_log_result *result);
/** With a gold that is yes or no, and sure. An exact tie is neither. */
pov_agreement pov_comparison_agrees(const pov_compared_gold *gold, double p);
/** With geometry's answer in the frame that was asked for. */
pov_agreement pov_comparison_agreement(const pov_comparison *comparison);

/** Of one model, in the thread that asks it. */
typedef struct pov_comparison_teller pov_comparison_teller;

/** In: queue: borrowed. run: the log's last; copied. model: as it is asked for. */
POV_MUST_USE pov_status pov_comparison_teller_new(pov_comparison_teller **teller, pov_comparison_queue *queue,
                                                  const pov_log_run *run, const char *model);
void pov_comparison_teller_destroy(pov_comparison_teller **teller);

/** A question's answer streams; words: all so far. Then it does so no longer. */
void pov_comparison_teller_speak(pov_comparison_teller *teller, int64_t question, const char *prompt,
                                 const pov_vlm_words *words);
void pov_comparison_teller_fall_silent(pov_comparison_teller *teller, int64_t question);

/** The image of a live run. */
typedef struct {
    const char *occasion;
    uint32_t sequence;            /* the image's */
    double angle_rad, turned_rad; /* NaN: unknown */
} pov_comparison_moment;

/** A message, to be kept until the answer is there; the caller frees `bytes`. */
typedef struct {
    uint8_t *bytes;
    size_t len;
    bool is_live;
    double turned_rad; /* when the image was judged */
} pov_comparison_asked;

/** What is asked of a model. All is borrowed. */
typedef struct {
    const pov_log_question *question;
    const pov_log_image_file *image;
    const char *system;                  /* the system prompt; NULL: none */
    const pov_vlm_sent *sent;            /* the image as the server gets it */
    const pov_comparison_moment *moment; /* NULL: no live run */
} pov_comparison_request;

/** Each waits while 16 MiB of messages wait to be taken, until that changes or the queue is stopped.
 *  asked: what was asked; pov_comparison_teller_answer frees it. */
POV_MUST_USE pov_status pov_comparison_teller_ask(pov_comparison_teller *teller, pov_comparison_asked *asked,
                                                  const pov_comparison_request *request);
/** server_model: as the server calls it; "": it said nothing. */
POV_MUST_USE pov_status pov_comparison_teller_answer(pov_comparison_teller *teller,
                                                     pov_comparison_asked *asked,
                                                     const pov_log_result *result, const char *server_model);
