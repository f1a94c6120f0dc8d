/** Messages of the topic "vlm" on their way from the thread that asks to the one that publishes and records: one when a question is asked,
 *  one when its answer is there. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/vlm/vlm_result.h"
#include "protocol/observation/message.h"

typedef struct pov_comparison_queue pov_comparison_queue;

/** In: run: the log's last; copied. model: as it is asked for. */
POV_MUST_USE pov_status pov_comparison_queue_new(pov_comparison_queue **queue, const pov_log_run *run,
                                                 const char *model);
void pov_comparison_queue_destroy(pov_comparison_queue **queue);

/** A message, to be kept until the answer is there; the caller frees `bytes`. */
typedef struct {
    uint8_t *bytes;
    size_t len;
} pov_comparison_asked;

/** The thread that asks calls these two. Each waits while 16 MiB of messages wait to be taken, until that changes or `stop` is called.
 *  asked: what was asked; pov_comparison_queue_answered frees it. */
POV_MUST_USE pov_status pov_comparison_queue_ask(pov_comparison_queue *queue, pov_comparison_asked *asked,
                                                 const pov_log_question *question,
                                                 const pov_log_image_file *image,
                                                 const pov_vlm_question *sent);
/** server_model: as the server calls it; "": it said nothing. */
POV_MUST_USE pov_status pov_comparison_queue_answer(pov_comparison_queue *queue, pov_comparison_asked *asked,
                                                    const pov_log_result *result, const char *server_model);

/** Any thread: takes the oldest message, which the caller frees. False: there is none. */
bool pov_comparison_queue_take(pov_comparison_queue *queue, uint8_t **bytes, size_t *len);
/** Any thread: nobody takes any more. */
void pov_comparison_queue_stop(pov_comparison_queue *queue);
