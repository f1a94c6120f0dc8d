/** Event streams (server-sent events) of every API that vlm_doors.h knows, asked for or not. Pure but for allocating.
 *
 *  Source: the HTML standard, server-sent events. Servers that end an event by one line break instead of two are understood, too. */
#pragma once

#include "config/files/text.h"

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

/** Whether a response's body is an event stream. */
bool pov_vlm_stream_is(const char *body, size_t len);
/** Joins a whole stream's pieces to the response that the server would have sent at once, as chat completions have it; an error in the stream is
 *  the response. The caller deletes it.
 *  Returns: NULL: the stream holds no event in JSON, or breaks off before the answer's end. */
struct cJSON *pov_vlm_stream_join(const char *body, size_t len);

/** A reader's place in a stream. All zero: at its beginning. */
typedef struct {
    size_t at;
    pov_text event; /* the lines of one that is under way */
    bool done;      /* [DONE] was read */
} pov_vlm_stream_place;

/** The words that a stream under way has brought so far. All zero: none yet. */
typedef struct {
    pov_text answer, thoughts;
    pov_vlm_stream_place place;
} pov_vlm_words;

/** Takes in the events that have come whole since the last call. body: the stream from its beginning.
 *  Returns: whether they brought words. */
bool pov_vlm_words_take(pov_vlm_words *words, const char *body, size_t len);
void pov_vlm_words_free(pov_vlm_words *words);
