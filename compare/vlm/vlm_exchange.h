/** Chat completions as servers compatible with OpenAI's speak them: a question as a request's JSON, and a response's JSON
 *  as an answer with the probabilities of its tokens. Pure but for allocating the request.
 *
 *  Source: the chat completions API reference, as served by OpenAI, llama.cpp and vLLM. */
#pragma once

#include "compare/vlm/vlm_doors.h"
#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
    POV_VLM_TOKEN_CAPACITY = 48,
    POV_VLM_NAME_CAPACITY = 96,
    POV_VLM_CAUSE_CAPACITY = 160,
    POV_VLM_POSITION_MAX = 8, /* generated tokens whose probabilities are kept */
    POV_VLM_LIKELY_MAX = 20,  /* that servers give for each */
    POV_VLM_MORE_IMAGES = 7   /* of a question about several, after the first */
};

/** An encoded image, as it goes into a data URI. Borrowed. */
typedef struct {
    const uint8_t *bytes; /* NULL: no image */
    size_t len;
    const char *media_type; /* "image/jpeg", "image/png" */
    const char *detail;     /* "low", "high", "auto": how finely the server looks at it; NULL: it decides */
} pov_vlm_image;

typedef struct {
    const char *prompt;
    const char *system; /* NULL: none */
    pov_vlm_image image;
    pov_vlm_image more[POV_VLM_MORE_IMAGES]; /* sent after it, in order */
    int more_len;
    uint64_t group; /* the same for questions about one image, which servers keep in their caches; 0: none */
    int token_max;  /* of the answer, >= 1 */
    int likely_wanted; /* 0..POV_VLM_LIKELY_MAX tokens with probabilities at each position; 0: do not ask */
} pov_vlm_question;

enum { POV_VLM_EFFORT_CAPACITY = 12 };

/** The manner in which a server wants to be asked. It starts as zeros and is learnt. */
typedef struct {
    pov_vlm_api api;
    const char *model;
    const char *extra;                    /* see pov_vlm_extra_check; "": nothing */
    bool counts_completion_tokens;        /* it wants max_completion_tokens for max_tokens */
    bool has_temperature;                 /* it has its own, and takes no other */
    char effort[POV_VLM_EFFORT_CAPACITY]; /* reasoning_effort; "": none is sent */
    bool streams;                         /* it is asked for an event stream */
    bool has_no_stream_options;           /* it takes none: its streams may not tell their tokens */
    bool knows_stream;                    /* streams was learnt */
} pov_vlm_manner;

/** The body of a request, of POST /v1/chat/completions or what the API has instead, at temperature 0. `json` is the caller's to free(). */
POV_MUST_USE pov_status pov_vlm_request_write(char **json, size_t *len, const pov_vlm_question *question,
                                              const pov_vlm_manner *manner);
/** Learns from a refusal's own words how the server wants to be asked instead. Each thing is learnt once.
 *  Returns: what was learnt, for people to read; NULL: nothing. */
const char *pov_vlm_manner_learn(pov_vlm_manner *manner, const char *refusal);
/** A server's own settings: a JSON object that is merged into the request's (RFC 7396): its members replace those there, or with null remove
 *  them, as in {"max_tokens": null, "max_completion_tokens": 16}; objects are merged likewise. "": nothing.
 *  Returns: POV_ERROR unless it is one, and leaves model, messages, stream and n alone. */
POV_MUST_USE pov_status pov_vlm_extra_check(const char *extra);

/** A token and the natural logarithm of its probability, <= 0. Only the beginning of a very long token is kept. */
typedef struct {
    char text[POV_VLM_TOKEN_CAPACITY]; /* its bytes, perhaps a part of a character */
    double logprob;
} pov_vlm_token;

/** One generated token, and those that were likely in its place. */
typedef struct {
    pov_vlm_token chosen;
    int likely_len;
    pov_vlm_token likely[POV_VLM_LIKELY_MAX];
} pov_vlm_position;

typedef struct {
    const char *text;                          /* UTF-8, whole */
    bool refused;                              /* by the server itself, or its filter; the text says why */
    char finish_reason[POV_VLM_NAME_CAPACITY]; /* "length": cut at the limit of tokens */
    int token_max;                             /* the limit; 0: not known */
    char model[POV_VLM_NAME_CAPACITY];         /* as the server calls it */
    int position_len; /* tokens from the first of the text on, after its thoughts; 0: their probabilities are not known */
    char tokens_cause[POV_VLM_CAUSE_CAPACITY]; /* why not, if the server gave some; else "" */
    pov_vlm_position positions[POV_VLM_POSITION_MAX];
    bool
        is_error; /* with POV_ERROR: the body is the server's own error; code: the HTTP status that it names, or 0 */
    int error_code;
    bool is_broken_off; /* with POV_ERROR: an event stream that ends before its answer does */
    bool has_usage;
    int64_t prompt_tokens, answer_tokens; /* valid if has_usage */
} pov_vlm_answer;

/** Reads a response's body, JSON or a whole event stream. Probabilities that are not probabilities (above 1, NaN, not numbers) make it unusable.
 *  Returns: POV_OK: pov_vlm_answer_free frees the text. POV_ERROR that names the key, or quotes the server's own error; nothing is left to
 *           free. */
POV_MUST_USE pov_status pov_vlm_answer_read(pov_vlm_answer *answer, const char *json, size_t len);
/** The same, but visits all of its answer's tokens that the server lists, and keeps none. */
POV_MUST_USE pov_status pov_vlm_answer_visit(pov_vlm_answer *answer, const char *json, size_t len,
                                             bool (*visit)(void *context, const pov_vlm_position *position),
                                             void *context);
void pov_vlm_answer_free(pov_vlm_answer *answer);
