/** Asks VLM servers over HTTP(S): several endpoints, many questions at a time, with retries after temporary failures, never over
 *  a budget. One thread owns a client; time is passed in.
 *
 *  A question ends in exactly one result, unless the budget ends before it is sent. Each server gets as many questions at a time as it
 *  copes with (compare/vlm/vlm_gate.h), and of an image all that it can: its cache then holds the image. Temporary failures (no connection, timeouts, HTTP 408, 425, 429, 5xx)
 *  are tried again after a pause (compare/vlm/vlm_gate.h), which a server's Retry-After may prolong. A server that refuses whatever it is
 *  asked (pov_vlm_result_closes) is asked nothing more; if it was the last, or where compare/vlm/vlm_outlook.h sees no hope, the result says so. Redirects are not
 *  followed: they would carry the key elsewhere. */
#pragma once

#include "compare/vlm/vlm_gate.h"
#include "compare/vlm/vlm_result.h"
#include "compare/vlm/vlm_stream.h"

#include <math.h>

enum {
    POV_VLM_ENDPOINT_MAX = 8,
    POV_VLM_CONCURRENCY_MAX = 64,
    POV_VLM_CONCURRENCY_DEFAULT = 16,
    POV_VLM_URL_CAPACITY = 512,
    POV_VLM_KEY_CAPACITY = 512,
    POV_VLM_EXTRA_CAPACITY = 512,
    POV_VLM_MORE_TOKENS = 256 /* of an answer that was cut: a few sentences cost less than an image; chosen */
};

typedef struct {
    char url[POV_VLM_URL_CAPACITY]; /* up to and with /v1 */
    char model[POV_VLM_NAME_CAPACITY];
    char key[POV_VLM_KEY_CAPACITY]; /* bearer token; "": none. Never printed. */
    pov_vlm_api api;
    char api_version[POV_VLM_NAME_CAPACITY]; /* of Azure; "": none */
    char extra[POV_VLM_EXTRA_CAPACITY];      /* see pov_vlm_extra_check; "": nothing */
    int concurrency; /* most requests under way here at a time, 1..POV_VLM_CONCURRENCY_MAX */
    double price_prompt, price_answer; /* per million tokens, in any currency */
} pov_vlm_endpoint;

/** Whether an answer that was cut at its limit of tokens says too little: it is then asked for once more, with more tokens. */
typedef bool pov_vlm_wants_more(void *user, uint64_t ticket, const pov_vlm_answer *answer);

/** An attempt's event stream has brought words, the first ones or more. words: all of the attempt so far, valid during the call. */
typedef void pov_vlm_heard(void *user, uint64_t ticket, const pov_vlm_words *words, bool is_first);

/** Whether the host is this machine: localhost, 127.0.0.0/8, [::1]. Such a server is asked without a proxy. */
bool pov_vlm_url_is_own(const char *url);

typedef struct {
    int endpoint_len;
    pov_vlm_endpoint endpoints[POV_VLM_ENDPOINT_MAX];
    int attempt_max;               /* of one question, >= 1 */
    int64_t connect_ns, answer_ns; /* time limits of one attempt: to connect, and in total */
    pov_vlm_pauses pauses;
    size_t body_max;   /* largest response, bytes */
    double cost_max;   /* money; INFINITY: no budget */
    int64_t token_max; /* in all, prompt and answer; INT64_MAX: no budget */
    bool
        likely_optional; /* if a server rejects a question for its likely_wanted, ask for fewer, then for none */
    pov_vlm_wants_more *wants_more; /* NULL: never */
    void *wants_more_user;
    bool streams;         /* asks for event streams where a server has them */
    pov_vlm_heard *heard; /* NULL: nobody wants to know */
    void *heard_user;
    bool waits;    /* for a first answer, however many attempts that takes */
    uint64_t seed; /* of the jitter */
} pov_vlm_client_config;
#define POV_VLM_CLIENT_CONFIG_DEFAULT                                                                        \
    ((pov_vlm_client_config){.attempt_max = 6,                                                               \
                             .connect_ns = 10 * INT64_C(1000000000),                                         \
                             .answer_ns = 120 * INT64_C(1000000000),                                         \
                             .pauses = {INT64_C(1000000000), 60 * INT64_C(1000000000)},                      \
                             .body_max = 4 << 20,                                                            \
                             .cost_max = INFINITY,                                                           \
                             .token_max = INT64_MAX,                                                         \
                             .likely_optional = true,                                                        \
                             .seed = 1})

typedef struct {
    int64_t asked, answered, failed, retried;
    int64_t without_usage; /* answers without a count of tokens */
    int64_t prompt_tokens, answer_tokens;
    double cost;
} pov_vlm_totals;

/** Returns: POV_ERROR naming the endpoint and field that is wrong (no endpoint, a URL that is not http or https, ...). */
POV_MUST_USE pov_status pov_vlm_client_config_check(const pov_vlm_client_config *config);

typedef struct pov_vlm_client pov_vlm_client;

/** Returns: POV_ERROR as pov_vlm_client_config_check. */
POV_MUST_USE pov_status pov_vlm_client_new(pov_vlm_client **client, const pov_vlm_client_config *config);
/** Cancels the questions under way. */
void pov_vlm_client_destroy(pov_vlm_client **client);

/** Accepts a question; its result has the same `ticket`. The question is copied.
 *  Returns: POV_TIMEOUT: all places are taken; fetch a result, then ask again.
 *           POV_END: the budget is spent, or cannot be kept (the message says why); requests under way still finish. */
POV_MUST_USE pov_status pov_vlm_client_ask(pov_vlm_client *client, uint64_t ticket,
                                           const pov_vlm_question *question);

/** Works until a result is there, or `wait_ms` passed, or a pause ended.
 *  Returns: POV_OK with a result; POV_TIMEOUT: none yet (call again with the new time); POV_END: nothing under way. */
POV_MUST_USE pov_status pov_vlm_client_next(pov_vlm_client *client, pov_vlm_result *result, int64_t now_ns,
                                            int wait_ms);

/** Forgets the questions that were not sent yet; they have no result. */
void pov_vlm_client_drop_waiting(pov_vlm_client *client);
/** Forgets those, too, that pause between two attempts. */
void pov_vlm_client_drop_pausing(pov_vlm_client *client);

/** News of a server for the user: it asks for a pause, or the client waits for it. NULL: nothing
 *  new. Valid until the client's next call. */
const char *pov_vlm_client_notice(pov_vlm_client *client);

/** How the servers are asked otherwise than the configuration says, as they refused that, where it may change answers: "the model's own temperature; no
 *  log-probabilities"; "": nothing. */
void pov_vlm_client_describe_adaptations(char text[POV_MESSAGE_CAPACITY], const pov_vlm_client *client);

/** Questions that it accepts at most before one has its result. */
int pov_vlm_client_places(const pov_vlm_client *client);
pov_vlm_totals pov_vlm_client_totals(const pov_vlm_client *client);
