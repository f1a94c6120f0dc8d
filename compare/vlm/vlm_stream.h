/** Event streams (server-sent events) of chat completions, asked for or not. Pure but for allocating.
 *
 *  Source: the HTML standard, server-sent events. Servers that end an event by one line break instead of two are understood, too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

/** Whether a response's body is an event stream. */
bool pov_vlm_stream_is(const char *body, size_t len);
/** Joins a whole stream's pieces to the response that the server would have sent at once; an error in the stream is the response. The
 *  caller deletes it.
 *  Returns: NULL: the stream holds no event in JSON, or breaks off before the answer's end. */
struct cJSON *pov_vlm_stream_join(const char *body, size_t len);
/** Whether a stream that is under way has brought a word yet, of an answer or of thoughts.
 *  In: scanned: bytes that earlier calls have looked at, 0 at first; updated. Only whole lines are looked at. */
bool pov_vlm_stream_speaks(size_t *scanned, const char *body, size_t len);
