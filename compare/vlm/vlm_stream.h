/** Event streams (server-sent events) of chat completions, which some servers send though none was asked for. Pure but for allocating. */
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
