#include "compare/vlm/vlm_client.h"

#include "compare/vlm/vlm_outlook.h"
#include "compare/vlm/vlm_secret.h"
#include "compare/vlm/vlm_stream.h"
#include "config/files/utf8.h"
#include "perception/version.h"

#include <curl/curl.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t NS_PER_MS = 1000000;
static const int64_t NS_PER_S = 1000000000;
static const curl_off_t RETRY_AFTER_LONGEST_S = 366 * 86400; /* what is longer means never */

enum {
    LIKELY_FEW = 5, /* tokens that every server with probabilities gives */
    WAITING_PER_SERVER =
        32, /* questions accepted ahead, so that each of several servers finds images of its own; chosen */
    NOTICE_S = 10,       /* a Retry-After that a user should hear of; chosen */
    CUTS_UNTIL_MORE = 2, /* answers that were cut, until all are given more tokens; chosen */
    LATE_SHARE = 2       /* an answer that took 1/2 of its time limit is late; chosen */
};

typedef enum { SLOT_FREE, SLOT_PAUSING, SLOT_RUNNING, SLOT_DONE } slot_state;

/** An image that several questions share. */
typedef struct {
    int users;
    size_t len;
    uint8_t bytes[];
} shared_image;

enum { IMAGES_MAX = 1 + POV_VLM_MORE_IMAGES /* of a question */ };

/** A question under way, with all that its attempts need. */
typedef struct {
    pov_vlm_client *client;
    slot_state state;
    uint64_t ticket, order;
    pov_vlm_question question;        /* its strings are copies, in `copies` */
    shared_image *images[IMAGES_MAX]; /* NULL: none */
    char *copies;
    CURL *easy;
    char *request;
    int endpoint, attempts, likely_asked;
    int learnt_then; /* what was known of the server at the last attempt */
    bool asked_for_more, has_streamed;
    pov_vlm_words words;                /* of its event stream */
    int64_t spent_prompt, spent_answer; /* tokens of an answer that was cut */
    int forgiven;          /* attempts that do not count: the server was busy with other questions */
    int round;             /* of the gate, at the last attempt */
    int64_t answered_then; /* answers to all questions when this one was last refused; -1: it was not */
    int64_t due_ns;        /* of the next attempt, while pausing */
    CURLcode curl_code;
    bool too_large;
    char *body; /* grows to the config's body_max at most */
    size_t body_len, body_capacity;
} slot;

typedef struct {
    char url[POV_VLM_URL_CAPACITY + 2 * POV_VLM_NAME_CAPACITY + 64];
    struct curl_slist *headers;
    int likely_max; /* likely tokens that it may be asked for */
    uint64_t group; /* of the last question, whose image is in its cache */
    pov_vlm_manner manner;
    int learnt;  /* things of it */
    bool closed; /* it refuses whatever it is asked */
} endpoint_state;

struct pov_vlm_client {
    pov_vlm_client_config config;
    CURLM *multi;
    endpoint_state endpoints[POV_VLM_ENDPOINT_MAX];
    pov_vlm_gate gates[POV_VLM_ENDPOINT_MAX];
    int slot_len;
    slot *slots;
    uint64_t random;
    pov_vlm_totals totals;
    pov_vlm_outlook outlook;
    int cuts; /* answers that were cut, and said too little */
    bool has_notice, told_waiting;
    int64_t told_failing; /* answers when it was last told that the server does not answer; -1: never */
    char notice[POV_MESSAGE_CAPACITY];
    char *text; /* of the last answer */
};

/* ---- making ---------------------------------------------------------------------------------------------- */

/* That of the API's event streams may be another one. */
static void find_url(endpoint_state *state, const pov_vlm_endpoint *endpoint)
{
    char base[POV_VLM_URL_CAPACITY];
    snprintf(base, sizeof base, "%s", endpoint->url);
    for (size_t len = strlen(base); len > 0 && base[len - 1] == '/'; len--)
        base[len - 1] = '\0';
    POV_REQUIRE(pov_vlm_api_url(state->url, sizeof state->url,
                                &(pov_vlm_address){endpoint->api, base, endpoint->model,
                                                   endpoint->api_version, state->manner.streams}));
}

static bool make_endpoint(endpoint_state *state, const pov_vlm_endpoint *endpoint, bool streams)
{
    state->likely_max = POV_VLM_LIKELY_MAX;
    state->manner = (pov_vlm_manner){
        .api = endpoint->api, .model = endpoint->model, .extra = endpoint->extra, .streams = streams};
    find_url(state, endpoint);
    char authorization[POV_VLM_KEY_CAPACITY + 32];
    snprintf(authorization, sizeof authorization, "%s%s", pov_vlm_api_key_header(endpoint->api),
             endpoint->key);
    const char *const lines[] = {
        "Content-Type: application/json", "Accept: application/json, text/event-stream",
        "Expect:", endpoint->key[0] ? authorization : NULL, pov_vlm_api_header(endpoint->api)};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i])
            continue;
        struct curl_slist *longer = curl_slist_append(state->headers, lines[i]);
        if (!longer)
            return false;
        state->headers = longer;
    }
    return true;
}

static int waiting_room(const pov_vlm_client *client)
{
    return client->config.endpoint_len > 1 ? WAITING_PER_SERVER : 0;
}

static bool make_slots(pov_vlm_client *client)
{
    for (int i = 0; i < client->config.endpoint_len; i++) {
        client->gates[i].places = client->config.endpoints[i].concurrency;
        client->slot_len += client->gates[i].places + waiting_room(client);
    }
    client->slots = calloc((size_t)client->slot_len, sizeof *client->slots);
    if (!client->slots)
        return false;
    for (int i = 0; i < client->slot_len; i++) {
        client->slots[i].client = client;
        if (!(client->slots[i].easy = curl_easy_init()))
            return false;
    }
    return true;
}

pov_status pov_vlm_client_new(pov_vlm_client **client, const pov_vlm_client_config *config)
{
    *client = NULL;
    POV_TRY(pov_vlm_client_config_check(config));
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return pov_error("libcurl does not start");
    pov_vlm_client *c = calloc(1, sizeof *c);
    if (!c)
        return pov_error("out of memory for the VLM client");
    c->config = *config;
    c->random = config->seed;
    c->told_failing = -1;
    c->multi = curl_multi_init();
    bool made = c->multi != NULL;
    for (int i = 0; i < config->endpoint_len && made; i++)
        made = make_endpoint(&c->endpoints[i], &c->config.endpoints[i], config->streams);
    if (!made || !make_slots(c)) {
        pov_vlm_client_destroy(&c);
        return pov_error("out of memory for the VLM client");
    }
    *client = c;
    return pov_ok();
}

static void slot_clear(slot *s)
{
    if (s->state == SLOT_RUNNING) {
        curl_multi_remove_handle(s->client->multi, s->easy);
        pov_vlm_gate_leave(&s->client->gates[s->endpoint]);
    }
    for (int i = 0; i < IMAGES_MAX; i++) {
        if (s->images[i] && --s->images[i]->users == 0)
            free(s->images[i]);
        s->images[i] = NULL;
    }
    free(s->request);
    free(s->copies);
    pov_vlm_words_free(&s->words);
    s->request = s->copies = NULL;
    s->state = SLOT_FREE;
}

void pov_vlm_client_destroy(pov_vlm_client **client)
{
    pov_vlm_client *c = *client;
    if (!c)
        return;
    for (int i = 0; c->slots && i < c->slot_len; i++) {
        slot_clear(&c->slots[i]);
        free(c->slots[i].body);
        if (c->slots[i].easy)
            curl_easy_cleanup(c->slots[i].easy);
    }
    free(c->slots);
    free(c->text);
    for (int i = 0; i < POV_VLM_ENDPOINT_MAX; i++)
        curl_slist_free_all(c->endpoints[i].headers);
    if (c->multi)
        curl_multi_cleanup(c->multi);
    curl_global_cleanup();
    free(c);
    *client = NULL;
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

static pov_status check_budget(const pov_vlm_client *client)
{
    const int64_t tokens = client->totals.prompt_tokens + client->totals.answer_tokens;
    const bool bounded = client->config.cost_max < INFINITY || client->config.token_max < INT64_MAX;
    if (bounded && client->totals.without_usage > 0)
        return pov_status_with(POV_END,
                               "a server does not say how many tokens it used: no budget can be kept");
    if (client->totals.cost >= client->config.cost_max)
        return pov_status_with(POV_END, "the budget of %g is spent: %g so far", client->config.cost_max,
                               client->totals.cost);
    if (tokens >= client->config.token_max)
        return pov_status_with(POV_END, "the budget of %lld tokens is spent: %lld so far",
                               (long long)client->config.token_max, (long long)tokens);
    return pov_ok();
}

static int image_len(const pov_vlm_question *question)
{
    return question->image.bytes ? 1 + question->more_len : 0;
}

static const pov_vlm_image *image_at(const pov_vlm_question *question, int i)
{
    return i ? &question->more[i - 1] : &question->image;
}

/** The same image of another question of the group, or a copy. NULL: out of memory. */
static shared_image *share_image(pov_vlm_client *client, uint64_t group, const pov_vlm_image *image)
{
    shared_image *shared = NULL;
    for (int i = 0; i < client->slot_len && group && !shared; i++) {
        const slot *s = &client->slots[i];
        for (int k = 0; k < IMAGES_MAX && s->question.group == group && !shared; k++)
            if (s->images[k] && s->images[k]->len == image->len &&
                memcmp(s->images[k]->bytes, image->bytes, image->len) == 0)
                shared = s->images[k];
    }
    if (!shared && (shared = malloc(sizeof *shared + image->len))) {
        *shared = (shared_image){.len = image->len};
        memcpy(shared->bytes, image->bytes, image->len);
    }
    if (shared)
        shared->users++;
    return shared;
}

/* The next copy of a text, in the slot's memory. */
static const char *copy_text(char **at, const char *text)
{
    if (!text)
        return NULL;
    char *copy = *at;
    *at += strlen(text) + 1;
    return strcpy(copy, text);
}

static size_t text_room(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/** Copies what a question borrows. */
static bool copy_question(slot *s, const pov_vlm_question *question)
{
    size_t room = text_room(question->prompt) + text_room(question->system);
    bool has_room = true;
    s->question = *question;
    for (int i = 0; i < image_len(question); i++) {
        const pov_vlm_image *image = image_at(question, i);
        s->images[i] = share_image(s->client, question->group, image);
        has_room = has_room && s->images[i];
        room += text_room(image->media_type) + text_room(image->detail);
    }
    char *at = malloc(room);
    s->copies = at;
    if (!at || !has_room) {
        slot_clear(s);
        return false;
    }
    s->question.prompt = copy_text(&at, question->prompt);
    s->question.system = copy_text(&at, question->system);
    for (int i = 0; i < image_len(question); i++) {
        const pov_vlm_image *image = image_at(question, i);
        const char *type = copy_text(&at, image->media_type);
        *(i ? &s->question.more[i - 1] : &s->question.image) =
            (pov_vlm_image){s->images[i]->bytes, image->len, type, copy_text(&at, image->detail)};
    }
    return true;
}

static slot *find_place(pov_vlm_client *client)
{
    slot *place = NULL;
    int taken = 0, places = 0;
    for (int i = 0; i < client->config.endpoint_len; i++)
        places += pov_vlm_gate_window(&client->gates[i]) + waiting_room(client);
    for (int i = 0; i < client->slot_len; i++)
        if (client->slots[i].state != SLOT_FREE)
            taken++;
        else if (!place)
            place = &client->slots[i];
    return taken < places ? place : NULL;
}

pov_status pov_vlm_client_ask(pov_vlm_client *client, uint64_t ticket, const pov_vlm_question *question)
{
    POV_TRY(check_budget(client));
    slot *s = find_place(client);
    if (!s)
        return pov_status_of(POV_TIMEOUT);
    if (!copy_question(s, question))
        return pov_error("out of memory for a question");
    s->ticket = ticket;
    s->order = (uint64_t)client->totals.asked++;
    s->attempts = s->forgiven = 0;
    s->asked_for_more = false;
    s->spent_prompt = s->spent_answer = 0;
    s->answered_then = -1;
    s->endpoint = -1;
    s->due_ns = INT64_MIN;
    s->state = SLOT_PAUSING;
    return pov_ok();
}

void pov_vlm_client_drop_waiting(pov_vlm_client *client)
{
    for (int i = 0; i < client->slot_len; i++)
        if (client->slots[i].state == SLOT_PAUSING && client->slots[i].attempts == 0)
            slot_clear(&client->slots[i]);
}

void pov_vlm_client_drop_pausing(pov_vlm_client *client)
{
    for (int i = 0; i < client->slot_len; i++)
        if (client->slots[i].state == SLOT_PAUSING)
            slot_clear(&client->slots[i]);
}

/* ---- one attempt ----------------------------------------------------------------------------------------- */

/* Tells of the words of a stream. */
static void listen_for_words(slot *s)
{
    const pov_vlm_client_config *config = &s->client->config;
    if (!config->heard || !pov_vlm_stream_is(s->body, s->body_len) ||
        !pov_vlm_words_take(&s->words, s->body, s->body_len))
        return;
    config->heard(config->heard_user, s->ticket, &s->words, !s->has_streamed);
    s->has_streamed = true;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *user)
{
    slot *s = user;
    const size_t len = size * count, needed = s->body_len + len + 1;
    if (needed > s->client->config.body_max) {
        s->too_large = true;
        return 0;
    }
    if (needed > s->body_capacity) {
        size_t capacity = needed < 4096 ? 4096 : 2 * needed;
        char *larger = realloc(s->body, capacity);
        if (!larger)
            return 0;
        s->body = larger;
        s->body_capacity = capacity;
    }
    memcpy(s->body + s->body_len, bytes, len);
    s->body_len += len;
    s->body[s->body_len] = '\0';
    listen_for_words(s);
    return len;
}

static void set_options(slot *s, size_t request_len)
{
    const pov_vlm_client_config *config = &s->client->config;
    const endpoint_state *endpoint = &s->client->endpoints[s->endpoint];
    curl_easy_reset(s->easy);
    curl_easy_setopt(s->easy, CURLOPT_URL, endpoint->url);
    if (pov_vlm_url_is_own(endpoint->url))
        curl_easy_setopt(s->easy, CURLOPT_PROXY, "");
#if LIBCURL_VERSION_NUM >= 0x075500 /* 7.85 */
    curl_easy_setopt(s->easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(s->easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(s->easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(s->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER, endpoint->headers);
    curl_easy_setopt(s->easy, CURLOPT_POSTFIELDS, s->request);
    curl_easy_setopt(s->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request_len);
    curl_easy_setopt(s->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(config->connect_ns / NS_PER_MS));
    curl_easy_setopt(s->easy, CURLOPT_TIMEOUT_MS, (long)(config->answer_ns / NS_PER_MS));
    curl_easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(s->easy, CURLOPT_WRITEDATA, s);
    curl_easy_setopt(s->easy, CURLOPT_PRIVATE, s);
    curl_easy_setopt(s->easy, CURLOPT_USERAGENT, "pov/" POV_VERSION);
}

static pov_status start_request(slot *s, int endpoint)
{
    const int likely_max = s->client->endpoints[endpoint].likely_max;
    pov_vlm_question question = s->question;
    size_t request_len;
    if (question.likely_wanted > likely_max)
        question.likely_wanted = likely_max;
    s->likely_asked = question.likely_wanted;
    if (s->client->cuts >= CUTS_UNTIL_MORE && question.token_max < POV_VLM_MORE_TOKENS)
        question.token_max = s->question.token_max = POV_VLM_MORE_TOKENS;
    s->learnt_then = s->client->endpoints[endpoint].learnt;
    free(s->request);
    s->endpoint = endpoint;
    POV_TRY(
        pov_vlm_request_write(&s->request, &request_len, &question, &s->client->endpoints[endpoint].manner));
    s->body_len = 0;
    pov_vlm_words_free(&s->words);
    s->too_large = s->has_streamed = false;
    set_options(s, request_len);
    if (curl_multi_add_handle(s->client->multi, s->easy) != CURLM_OK)
        return pov_error("libcurl does not take a request");
    s->attempts++;
    s->state = SLOT_RUNNING;
    s->round = pov_vlm_gate_enter(&s->client->gates[endpoint]);
    s->client->endpoints[endpoint].group = s->question.group;
    return pov_ok();
}

/** How well a question fits a server. 0: the image is in its cache; 1: in no server's; 2: in another's. */
static int misfit_of(const slot *s, int endpoint)
{
    const pov_vlm_client *client = s->client;
    int misfit = 1;
    for (int i = 0; i < client->config.endpoint_len && s->question.group; i++)
        if (client->endpoints[i].group == s->question.group)
            misfit = i == endpoint || misfit == 0 ? 0 : 2;
    return misfit;
}

/** The question that should start next and its server: of those that fit best, the oldest. NULL: none can start. */
static slot *choose_start(pov_vlm_client *client, int *endpoint, int64_t now_ns)
{
    slot *best = NULL;
    int best_misfit = 0;
    double best_share = 0;
    for (int i = 0; i < client->slot_len; i++) {
        slot *s = &client->slots[i];
        for (int e = 0; e < client->config.endpoint_len && s->state == SLOT_PAUSING && s->due_ns <= now_ns;
             e++) {
            const double share =
                pov_vlm_gate_share(client->gates, client->config.endpoint_len, e, s->endpoint, now_ns);
            const int misfit = share > 0 ? misfit_of(s, e) : 0;
            const bool is_better = !best || misfit < best_misfit ||
                                   (misfit == best_misfit && s->order < best->order) ||
                                   (misfit == best_misfit && s == best && share > best_share);
            if (share <= 0 || !is_better)
                continue;
            best = s;
            best_misfit = misfit;
            best_share = share;
            *endpoint = e;
        }
    }
    return best;
}

static pov_status start_those_due(pov_vlm_client *client, int64_t now_ns)
{
    int endpoint = -1;
    for (slot *s; (s = choose_start(client, &endpoint, now_ns));)
        POV_TRY(start_request(s, endpoint));
    return pov_ok();
}

/* ---- results ------------------------------------------------------------------------------------------- */

static const char withheld[] = "(withheld: it shows the API key, or is not text)";

/* A body is for the log, where people and programs read it as text. One that shows the key is withheld, as is what is not text:
 * something compressed may hold anything. */
static bool may_be_kept(const slot *s, const char *key)
{
    return memchr(s->body, '\0', s->body_len) == NULL && pov_utf8_is_valid(s->body) &&
           !pov_vlm_shows_secret(s->body, s->body_len, key);
}

static void withhold_secret(char *text, size_t capacity, const char *key)
{
    pov_vlm_blank_secret(text, strlen(text), key);
    if (pov_vlm_shows_secret(text, strlen(text), key))
        snprintf(text, capacity, "%s", withheld);
}

/* Curl's error and how to mend it; NULL: no error. */
static const char *explain_transport(char text[CURL_ERROR_SIZE], CURLcode code)
{
    const char *advice =
        code == CURLE_COULDNT_RESOLVE_HOST       ? " (is the host's name right?)"
        : code == CURLE_COULDNT_CONNECT          ? " (does the server run, and listen at this port?)"
        : code == CURLE_PEER_FAILED_VERIFICATION ? " (its certificate is not trusted here: add the one that "
                                                   "signed it to the system's)"
        : code == CURLE_SSL_CONNECT_ERROR        ? " (is it https, or http, that the server speaks there?)"
                                                 : "";
    if (code == CURLE_OK)
        return NULL;
    snprintf(text, CURL_ERROR_SIZE, "%s%s", curl_easy_strerror(code), advice);
    return text;
}

/* The client owns the answer's text, and blanks out the key in it. */
static void keep_text(pov_vlm_client *client, pov_vlm_result *result, const char *key)
{
    free(client->text);
    client->text = (char *)result->answer.text;
    if (client->text)
        pov_vlm_blank_secret(client->text, strlen(client->text), key);
    const bool shows = client->text && pov_vlm_shows_secret(client->text, strlen(client->text), key);
    result->answer.text = shows ? withheld : client->text ? client->text : "";
}

static void judge_attempt(pov_vlm_result *result, const slot *s)
{
    const char *key = s->client->config.endpoints[s->endpoint].key;
    long http_status = 0;
    char trouble[CURL_ERROR_SIZE];
    curl_off_t took_us = 0, retry_after_s = 0;
    const char *content_type = NULL;
    curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &http_status);
    curl_easy_getinfo(s->easy, CURLINFO_TOTAL_TIME_T, &took_us);
    curl_easy_getinfo(s->easy, CURLINFO_CONTENT_TYPE, &content_type);
    curl_easy_getinfo(s->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
    if (retry_after_s > RETRY_AFTER_LONGEST_S)
        retry_after_s = RETRY_AFTER_LONGEST_S;
    *result = (pov_vlm_result){.ticket = s->ticket,
                               .endpoint = s->endpoint,
                               .attempts = s->attempts,
                               .has_streamed = s->has_streamed,
                               .retry_after_ns = (int64_t)retry_after_s * NS_PER_S,
                               .latency_ns = (int64_t)took_us * 1000};
    if (s->body_len)
        pov_vlm_blank_secret(s->body, s->body_len, key);
    pov_vlm_result_judge(result, &(pov_vlm_reply){.url = s->client->endpoints[s->endpoint].url,
                                                  .timed_out = s->curl_code == CURLE_OPERATION_TIMEDOUT,
                                                  .too_large = s->too_large,
                                                  .transport_error = explain_transport(trouble, s->curl_code),
                                                  .http_status = (int)http_status,
                                                  .content_type = content_type,
                                                  .body = s->body_len ? s->body : "",
                                                  .body_len = s->body_len});
    withhold_secret(result->cause, sizeof result->cause, key);
    keep_text(s->client, result, key);
    result->answer.token_max = s->question.token_max;
    if (s->body_len && !may_be_kept(s, key)) {
        result->body = withheld;
        result->body_len = strlen(withheld);
    }
}

static void pause_slot(slot *s, int64_t now_ns)
{
    pov_vlm_client *client = s->client;
    s->due_ns = now_ns + pov_vlm_pause_ns(&client->config.pauses, s->attempts - s->forgiven, &client->random);
    s->state = SLOT_PAUSING;
    client->totals.retried++;
}

static void count_cost(pov_vlm_client *client, pov_vlm_result *result)
{
    const pov_vlm_endpoint *endpoint = &client->config.endpoints[result->endpoint];
    const bool answered = result->outcome == POV_VLM_ANSWERED;
    client->totals.failed += !answered;
    client->totals.answered += answered;
    if (!answered && !result->answer.has_usage)
        return;
    client->totals.without_usage += !result->answer.has_usage;
    client->totals.prompt_tokens += result->answer.prompt_tokens;
    client->totals.answer_tokens += result->answer.answer_tokens;
    result->cost = ((double)result->answer.prompt_tokens * endpoint->price_prompt +
                    (double)result->answer.answer_tokens * endpoint->price_answer) /
                   1e6;
    client->totals.cost += result->cost;
}

static void tell_gate(slot *s, const pov_vlm_result *result, int64_t now_ns)
{
    pov_vlm_gate *gate = &s->client->gates[s->endpoint];
    const bool overloaded = pov_vlm_result_is_overload(result);
    const bool is_late = result->latency_ns > s->client->config.answer_ns / LATE_SHARE;
    if (overloaded || result->outcome == POV_VLM_ANSWERED)
        pov_vlm_gate_adapt(gate, s->round, overloaded || is_late);
    pov_vlm_gate_leave(gate);
    if (pov_vlm_result_may_pass(result))
        pov_vlm_gate_failed(gate, &s->client->config.pauses,
                            pov_vlm_result_closes(result) ? 0 : result->retry_after_ns, now_ns);
    else
        pov_vlm_gate_succeeded(gate);
    if (overloaded && result->outcome == POV_VLM_REJECTED) {
        const int64_t answered = s->client->totals.answered;
        s->forgiven += s->answered_then >= 0 && answered > s->answered_then;
        s->answered_then = answered;
    }
}

static void note(pov_vlm_client *client, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(pov_vlm_client *client, const char *format, ...)
{
    va_list arguments;
    char text[sizeof client->notice];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pov_utf8_copy(client->notice, sizeof client->notice, text);
    client->has_notice = true;
}

/* This attempt does not count. */
static void ask_at_once(slot *s)
{
    s->forgiven++;
    s->due_ns = INT64_MIN;
    s->state = SLOT_PAUSING;
}

/** Servers without probabilities, or with fewer (five are common), reject the question and say so. */
static bool can_ask_for_less(slot *s, const pov_vlm_result *result)
{
    const bool about_likely = result->outcome == POV_VLM_REJECTED && result->http_status < 500 &&
                              s->body_len && strcasestr(s->body, "logprob");
    if (!s->client->config.likely_optional || !about_likely || s->likely_asked == 0)
        return false;
    int *likely_max = &s->client->endpoints[s->endpoint].likely_max;
    const int less = s->likely_asked > LIKELY_FEW ? LIKELY_FEW : 0;
    *likely_max = less < *likely_max ? less : *likely_max;
    ask_at_once(s);
    return true;
}

/* Google's streams have an address of their own, which others that speak its API may lack. `since`: the manner has changed since it was asked. */
static bool may_lack_streams(const pov_vlm_manner *manner, const pov_vlm_result *result, bool since)
{
    return manner->api == POV_VLM_API_GOOGLE && (since || (manner->streams && !manner->knows_stream)) &&
           (result->http_status == 404 || result->http_status == 405 || result->http_status == 501);
}

/** A server that refuses a member of the request says so, and is asked as it wants to be. */
static bool can_ask_otherwise(slot *s, const pov_vlm_result *result)
{
    endpoint_state *endpoint = &s->client->endpoints[s->endpoint];
    const bool learnt_since = s->learnt_then < endpoint->learnt; /* by another question */
    const bool lacks_streams = may_lack_streams(&endpoint->manner, result, learnt_since);
    const bool refuses_member = (result->http_status == 400 || result->http_status == 422) && s->body_len > 0;
    if (result->outcome != POV_VLM_REJECTED || (!refuses_member && !lacks_streams))
        return false;
    const char *learnt =
        learnt_since ? NULL : pov_vlm_manner_learn(&endpoint->manner, lacks_streams ? "stream" : s->body);
    if (!learnt && !learnt_since)
        return false;
    if (learnt) {
        endpoint->learnt++;
        find_url(endpoint, &s->client->config.endpoints[s->endpoint]);
        note(s->client, "%s %s", s->client->config.endpoints[s->endpoint].model, learnt);
    }
    ask_at_once(s);
    return true;
}

/** An answer that was cut at its limit of tokens, and says too little. */
static bool can_ask_for_more(slot *s, const pov_vlm_result *result)
{
    pov_vlm_client *client = s->client;
    if (result->outcome != POV_VLM_ANSWERED || strcmp(result->answer.finish_reason, "length") != 0 ||
        s->asked_for_more || s->question.token_max >= POV_VLM_MORE_TOKENS || !client->config.wants_more ||
        !client->config.wants_more(client->config.wants_more_user, s->ticket, &result->answer))
        return false;
    s->asked_for_more = true;
    s->spent_prompt = result->answer.prompt_tokens;
    s->spent_answer = result->answer.answer_tokens;
    if (++client->cuts == CUTS_UNTIL_MORE)
        note(client, "answers are cut at %d tokens: they are asked for with up to %d", s->question.token_max,
             POV_VLM_MORE_TOKENS);
    s->question.token_max = POV_VLM_MORE_TOKENS;
    ask_at_once(s);
    return true;
}

static void format_time(char text[40], int64_t ns)
{
    const int64_t s = ns / NS_PER_S;
    if (s < 120)
        snprintf(text, 40, "%lld s", (long long)s);
    else if (s < 7200)
        snprintf(text, 40, "%lld minutes", (long long)s / 60);
    else
        snprintf(text, 40, "%.1f hours", (double)s / 3600);
}

/* Says for how long the server wants no questions. */
static void tell_retry_after(pov_vlm_client *client, pov_vlm_result *result)
{
    char time[40], cause[sizeof result->cause];
    if (result->outcome != POV_VLM_REJECTED || result->retry_after_ns < NOTICE_S * NS_PER_S)
        return;
    format_time(time, result->retry_after_ns);
    if (result->retry_after_ns <= POV_VLM_RETRY_AFTER_MAX_NS) {
        note(client, "the server asks for a pause of %s: %.250s", time, result->cause);
        return;
    }
    snprintf(cause, sizeof cause, "the server wants no questions for %s (Retry-After): %.300s", time,
             result->cause);
    snprintf(result->cause, sizeof result->cause, "%s", cause);
}

/* A server refuses whatever it is asked. True: another can be asked instead, and it is left alone. */
static bool close_endpoint(slot *s)
{
    pov_vlm_client *client = s->client;
    bool has_other = false;
    for (int i = 0; i < client->config.endpoint_len; i++)
        has_other = has_other || (i != s->endpoint && !client->endpoints[i].closed);
    if (!has_other)
        return false;
    client->endpoints[s->endpoint].closed = true;
    client->gates[s->endpoint].closed_until_ns = INT64_MAX;
    ask_at_once(s);
    return true;
}

/* At its first attempt that fails, not only when all are used up: once, and again if the server has answered since. */
static void tell_failing(const slot *s, const pov_vlm_result *result)
{
    pov_vlm_client *client = s->client;
    const bool is_new = result->outcome == POV_VLM_UNREACHABLE || client->totals.answered == 0;
    if (!is_new || client->told_failing == client->totals.answered)
        return;
    client->told_failing = client->totals.answered;
    note(client, "no answer: %.300s. It is asked again, up to %d times", result->cause,
         client->config.attempt_max);
}

static bool may_try_again(slot *s, const pov_vlm_result *result)
{
    pov_vlm_client *client = s->client;
    if (!pov_vlm_result_may_pass(result))
        return false;
    if (s->attempts - s->forgiven < client->config.attempt_max) {
        tell_failing(s, result);
        return true;
    }
    if (!client->config.waits || client->outlook.has_answered)
        return false;
    if (!client->told_waiting)
        note(client, "waiting for the server: %.300s", result->cause);
    client->told_waiting = true;
    return true;
}

/** A finished attempt ends its question, or makes it pause. */
static bool finish_slot(slot *s, pov_vlm_result *result, int64_t now_ns)
{
    pov_vlm_client *client = s->client;
    judge_attempt(result, s);
    tell_gate(s, result, now_ns);
    tell_retry_after(client, result);
    const bool closes = pov_vlm_result_closes(result);
    if (can_ask_otherwise(s, result) || can_ask_for_less(s, result) || can_ask_for_more(s, result) ||
        (closes && close_endpoint(s)))
        return false;
    if (!closes && may_try_again(s, result)) {
        pause_slot(s, now_ns);
        return false;
    }
    s->state = SLOT_DONE;
    result->answer.prompt_tokens += s->spent_prompt;
    result->answer.answer_tokens += s->spent_answer;
    result->hopeless = pov_vlm_outlook_is_hopeless(&client->outlook, result) || closes;
    result->alike = client->outlook.alike;
    count_cost(client, result);
    slot_clear(s);
    return true;
}

static slot *next_finished(pov_vlm_client *client)
{
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(client->multi, &left));) {
        if (message->msg != CURLMSG_DONE)
            continue;
        slot *s;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &s);
        s->curl_code = message->data.result;
        curl_multi_remove_handle(client->multi, s->easy);
        return s;
    }
    return NULL;
}

/** Milliseconds until a pause ends, at most `wait_ms`. */
static int until_due_ms(const pov_vlm_client *client, int64_t now_ns, int wait_ms)
{
    for (int i = 0; i < client->slot_len; i++) {
        const slot *s = &client->slots[i];
        if (s->state != SLOT_PAUSING || s->due_ns <= now_ns)
            continue;
        const int64_t left_ms = (s->due_ns - now_ns) / NS_PER_MS + 1;
        wait_ms = left_ms < wait_ms ? (int)left_ms : wait_ms;
    }
    return wait_ms;
}

static bool is_idle(const pov_vlm_client *client)
{
    for (int i = 0; i < client->slot_len; i++)
        if (client->slots[i].state != SLOT_FREE)
            return false;
    return true;
}

pov_status pov_vlm_client_next(pov_vlm_client *client, pov_vlm_result *result, int64_t now_ns, int wait_ms)
{
    int running;
    if (check_budget(client).code != POV_OK)
        pov_vlm_client_drop_waiting(client);
    if (is_idle(client))
        return pov_status_of(POV_END);
    for (int turn = 0; turn < 2; turn++) {
        POV_TRY(start_those_due(client, now_ns));
        if (curl_multi_perform(client->multi, &running) != CURLM_OK)
            return pov_error("libcurl stopped working");
        for (slot *s; (s = next_finished(client));)
            if (finish_slot(s, result, now_ns))
                return pov_ok();
        if (turn == 0 &&
            curl_multi_poll(client->multi, NULL, 0, until_due_ms(client, now_ns, wait_ms), NULL) != CURLM_OK)
            return pov_error("libcurl stopped working");
    }
    return pov_status_of(POV_TIMEOUT);
}

const char *pov_vlm_client_notice(pov_vlm_client *client)
{
    const char *notice = client->has_notice ? client->notice : NULL;
    client->has_notice = false;
    return notice;
}

static void add_adaptation(char text[POV_MESSAGE_CAPACITY], const char *words)
{
    const size_t len = strlen(text);
    if (!strstr(text, words))
        snprintf(text + len, POV_MESSAGE_CAPACITY - len, "%s%s", len ? "; " : "", words);
}

void pov_vlm_client_describe_adaptations(char text[POV_MESSAGE_CAPACITY], const pov_vlm_client *client)
{
    char words[80];
    text[0] = '\0';
    for (int i = 0; i < client->config.endpoint_len; i++) {
        const endpoint_state *e = &client->endpoints[i];
        if (e->manner.has_temperature)
            add_adaptation(text, "the model's own temperature");
        if (e->manner.counts_completion_tokens)
            add_adaptation(text, "max_completion_tokens");
        snprintf(words, sizeof words, "reasoning_effort %s", e->manner.effort);
        if (e->manner.effort[0])
            add_adaptation(text, words);
        snprintf(words, sizeof words, "top_logprobs %d", e->likely_max);
        if (e->likely_max < POV_VLM_LIKELY_MAX)
            add_adaptation(text, e->likely_max > 0 ? words : "no log-probabilities");
    }
    snprintf(words, sizeof words, "answers of up to %d tokens", POV_VLM_MORE_TOKENS);
    if (client->cuts >= CUTS_UNTIL_MORE)
        add_adaptation(text, words);
}

int pov_vlm_client_places(const pov_vlm_client *client)
{
    return client->slot_len;
}

pov_vlm_totals pov_vlm_client_totals(const pov_vlm_client *client)
{
    return client->totals;
}
