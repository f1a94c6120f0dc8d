/** The result of a question to a VLM server: an answer, or why there is none. Pure. */
#pragma once

#include "compare/vlm/vlm_exchange.h"

/** Why there is no answer. */
typedef enum {
    POV_VLM_ANSWERED,
    POV_VLM_UNREACHABLE, /* no connection, TLS failed, closed too early */
    POV_VLM_TOO_SLOW,
    POV_VLM_TOO_LARGE, /* the response outgrew body_max, or the answer POV_ANSWER_BYTES_MAX */
    POV_VLM_REJECTED,  /* an HTTP status that is not 200 */
    POV_VLM_MALFORMED, /* not JSON, or not a chat completion */
    POV_VLM_OUTCOME_COUNT
} pov_vlm_outcome;
/** "answered", "unreachable", "too_slow", "too_large", "rejected", "malformed". */
const char *pov_vlm_outcome_name(pov_vlm_outcome value);

typedef struct {
    uint64_t ticket;
    pov_vlm_outcome outcome;
    char cause[POV_MESSAGE_CAPACITY]; /* "" if answered */
    pov_vlm_answer answer;     /* valid if answered; its text until the client's next call, "" if none came */
    int endpoint;              /* the last one that answered or failed */
    int attempts, http_status; /* of an error that came with 200, the status that it names; 0: none came */
    int64_t latency_ns;        /* of the last attempt */
    bool has_streamed;         /* words came in a stream, the first of them as pov_vlm_heard was told */
    double cost;               /* of this answer, by the endpoint's prices */
    int64_t retry_after_ns;    /* for so long the server wants no questions; 0: it does not say */
    bool hopeless;             /* another question would fare no better; the cause says why */
    int alike;        /* failures of this kind in a row, without an answer between them, this one included */
    const char *body; /* as received, NUL-terminated; valid until the client's next call */
    size_t body_len;
} pov_vlm_result;

/** The HTTP reply of one attempt. */
typedef struct {
    const char *url;
    bool timed_out, too_large;
    const char *transport_error; /* NULL: none */
    int http_status;             /* 0: none came */
    const char *content_type;    /* NULL: none given */
    const char *body;            /* NUL-terminated */
    size_t body_len;
} pov_vlm_reply;

/** Sets outcome, cause, http_status, body, and the answer, whose text is then the caller's to free; leaves the rest as it is. */
void pov_vlm_result_judge(pov_vlm_result *result, const pov_vlm_reply *reply);
/** A longer Retry-After closes a server: who sweeps should know, and come back. */
#define POV_VLM_RETRY_AFTER_MAX_NS (600 * INT64_C(1000000000))
/** A failure that closes the server to every question: HTTP 401, 402, 404, a spent quota, a Retry-After longer than
 *  POV_VLM_RETRY_AFTER_MAX_NS. */
bool pov_vlm_result_closes(const pov_vlm_result *result);
/** A failure that another attempt may not meet: no connection, too slow, HTTP 408, 425, 429, 5xx, an error that came with HTTP 200. */
bool pov_vlm_result_may_pass(const pov_vlm_result *result);
/** A failure that says that the server has too much to do: too slow, HTTP 429, 503, 504, 529. */
bool pov_vlm_result_is_overload(const pov_vlm_result *result);
