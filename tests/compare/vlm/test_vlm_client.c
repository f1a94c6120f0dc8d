/* Real sockets; time is the test's own, so that pauses of minutes pass at once. */
#include "compare/vlm/vlm_client.h"
#include "tests/support/http_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define DEAD_PROXY "http://127.0.0.1:1"
#define KEY        "sk-verysecret-0123456789"
#define ANSWER                                                                                               \
    "{\"choices\":[{\"message\":{\"content\":\"Yes\"},\"finish_reason\":\"stop\"}],"                         \
    "\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":10}}"

static const int64_t SECOND = 1000000000;
enum { ROUNDS_MAX = 20000, TICKETS_MAX = 256 };

static const pov_vlm_question question = {.prompt = "Is it?", .token_max = 4, .likely_wanted = 20};
static const test_http_step good = {.body = ANSWER};

typedef struct {
    pov_vlm_client *client;
    int64_t now_ns;
    int results, seen[TICKETS_MAX];
    pov_vlm_result last;
    char text[200]; /* of its answer */
} session;

static pov_vlm_client_config config_for(const int *ports, int len)
{
    pov_vlm_client_config config = POV_VLM_CLIENT_CONFIG_DEFAULT;
    config.endpoint_len = len;
    for (int i = 0; i < len; i++) {
        config.endpoints[i] = (pov_vlm_endpoint){.model = "m", .key = KEY, .concurrency = 4};
        snprintf(config.endpoints[i].url, POV_VLM_URL_CAPACITY, "http://127.0.0.1:%d/v1", ports[i]);
    }
    return config;
}

static void start(session *s, const pov_vlm_client_config *config)
{
    memset(s, 0, sizeof *s);
    const pov_status status = pov_vlm_client_new(&s->client, config);
    assert_string_equal(status.message, "");
}

static void check_for_key(const pov_vlm_result *result)
{
    assert_null(strstr(result->cause, KEY));
    assert_null(strstr(result->answer.text, KEY));
    assert_null(strstr(result->body, KEY));
}

/** Fetches until a result comes; the test's clock goes a second at each look. False: nothing is under way. */
static bool fetch(session *s)
{
    for (int round = 0; round < ROUNDS_MAX; round++, s->now_ns += SECOND) {
        const pov_status status = pov_vlm_client_next(s->client, &s->last, s->now_ns, 5);
        if (status.code == POV_TIMEOUT)
            continue;
        if (status.code == POV_END)
            return false;
        assert_int_equal(status.code, POV_OK);
        s->seen[s->last.ticket]++;
        s->results++;
        check_for_key(&s->last);
        snprintf(s->text, sizeof s->text, "%s", s->last.answer.text);
        return true;
    }
    fail_msg("no result after %d rounds", ROUNDS_MAX);
    return false;
}

/** Asks tickets 0 .. count - 1 and fetches every result. */
static void ask_all(session *s, int count)
{
    for (int ticket = 0; ticket < count;) {
        const pov_status status = pov_vlm_client_ask(s->client, (uint64_t)ticket, &question);
        if (status.code == POV_OK)
            ticket++;
        else if (status.code == POV_END || !fetch(s))
            break;
    }
    while (fetch(s))
        continue;
}

/** One question to one server with these steps. */
static test_http_server *ask_one(session *s, const test_http_step *steps, int len,
                                 void (*change)(pov_vlm_client_config *config))
{
    test_http_server *server = test_http_server_new(steps, len);
    const int port = test_http_server_port(server);
    pov_vlm_client_config config = config_for(&port, 1);
    if (change)
        change(&config);
    start(s, &config);
    ask_all(s, 1);
    assert_int_equal(s->results, 1);
    pov_vlm_client_destroy(&s->client);
    return server;
}

/** One attempt that ends thus, with words in its cause. */
static void expect(const test_http_step *step, pov_vlm_outcome outcome, const char *words,
                   void (*change)(pov_vlm_client_config *config))
{
    static session s;
    test_http_server *server = ask_one(&s, step, 1, change);
    if (s.last.outcome != outcome || !strstr(s.last.cause, words))
        fail_msg("is '%s', not '%s' with '%s': %s", pov_vlm_outcome_name(s.last.outcome),
                 pov_vlm_outcome_name(outcome), words, s.last.cause);
    test_http_server_destroy(&server);
}

static void limit(pov_vlm_client_config *config)
{
    config->body_max = 1 << 20;
    config->attempt_max = 2;
}

static void limit_time(pov_vlm_client_config *config)
{
    limit(config);
    config->answer_ns = SECOND / 5;
}

static void require_likely(pov_vlm_client_config *config)
{
    config->likely_optional = false;
}

/* ---- one question ---- */

static void an_answer_comes_with_its_tokens_cost_and_time(void **state)
{
    (void)state;
    session s;
    test_http_server *server = test_http_server_new(&good, 1);
    const int port = test_http_server_port(server);
    pov_vlm_client_config config = config_for(&port, 1);
    config.endpoints[0].price_prompt = 2;
    config.endpoints[0].price_answer = 8;
    start(&s, &config);
    ask_all(&s, 1);
    assert_int_equal(s.last.outcome, POV_VLM_ANSWERED);
    assert_string_equal(s.text, "Yes");
    assert_string_equal(s.last.body, ANSWER);
    assert_int_equal(s.last.attempts, 1);
    assert_true(s.last.latency_ns > 0);
    assert_near(s.last.cost, (100 * 2 + 10 * 8) / 1e6, 1e-15);
    const pov_vlm_totals totals = pov_vlm_client_totals(s.client);
    assert_near(totals.cost, s.last.cost, 0);
    assert_int_equal(totals.asked + totals.answered * 10 + totals.retried * 100 + totals.failed * 1000, 11);
    assert_true(test_http_server_received(server, "POST /v1/chat/completions HTTP/1.1\r\n"));
    assert_true(test_http_server_received(server, "Authorization: Bearer " KEY "\r\n"));
    pov_vlm_client_destroy(&s.client);
    test_http_server_destroy(&server);
}

static void what_may_pass_is_tried_again_and_what_may_not_is_not(void **state)
{
    (void)state;
    static const struct {
        int status, requests;
    } cases[] = {{429, 2}, {500, 2}, {503, 2}, {408, 2}, {400, 1}, {401, 1}, {404, 1}, {413, 1}, {302, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        session s;
        const test_http_step steps[] = {
            {.status = cases[i].status, .body = "{\"error\":{\"message\":\"oh\"}}"}, good};
        test_http_server *server = ask_one(&s, steps, 2, NULL);
        assert_int_equal(test_http_server_requests(server), cases[i].requests);
        assert_int_equal(s.last.attempts, cases[i].requests);
        assert_int_equal(s.last.outcome, cases[i].requests == 2 ? POV_VLM_ANSWERED : POV_VLM_REJECTED);
        assert_true(cases[i].requests == 2 || strstr(s.last.cause, "oh"));
        test_http_server_destroy(&server);
    }
}

static void a_server_without_probabilities_is_asked_without(void **state)
{
    (void)state;
    session s;
    static const char complaint[] = "{\"error\":{\"message\":\"top_logprobs is not supported\"}}";
    const test_http_step steps[] = {
        {.status = 400, .body = complaint}, {.status = 422, .body = complaint}, good};
    test_http_server *server = ask_one(&s, steps, 3, NULL);
    assert_int_equal(s.last.outcome, POV_VLM_ANSWERED);
    assert_true(test_http_server_received(server, "\"top_logprobs\":20"));
    assert_true(test_http_server_received(server, "\"top_logprobs\":5"));
    test_http_server_destroy(&server);
    server = ask_one(&s, steps, 3, require_likely);
    assert_int_equal(s.last.outcome, POV_VLM_REJECTED);
    test_http_server_destroy(&server);
}

static void a_server_is_asked_as_it_wants_to_be_and_remembers(void **state)
{
    (void)state;
    session s;
    const test_http_step steps[] = {
        {.status = 400, .body = "{\"error\":{\"message\":\"Use 'max_completion_tokens' instead.\"}}"},
        {.status = 400, .body = "{\"error\":{\"message\":\"'temperature' does not support 0\"}}"},
        good};
    test_http_server *server = test_http_server_new(steps, 3);
    const int port = test_http_server_port(server);
    pov_vlm_client_config config = config_for(&port, 1);
    config.attempt_max = 1;
    start(&s, &config);
    ask_all(&s, 1);
    assert_int_equal(s.last.outcome, POV_VLM_ANSWERED);
    assert_true(test_http_server_received(server, "\"max_completion_tokens\":4"));
    assert_non_null(strstr(pov_vlm_client_notice(s.client), "at its own temperature"));
    assert_null(pov_vlm_client_notice(s.client));
    ask_all(&s, 5);
    assert_int_equal(s.results, 6);
    assert_int_equal(test_http_server_requests(server), 3 + 5);
    pov_vlm_client_destroy(&s.client);
    test_http_server_destroy(&server);
}

static bool is_short(void *user, uint64_t ticket, const pov_vlm_answer *answer)
{
    (void)user;
    (void)ticket;
    return strlen(answer->text) < 20;
}

static void an_answer_that_was_cut_is_asked_for_once_more_with_more_tokens(void **state)
{
    (void)state;
    session s;
    const test_http_step cut = {.body = "{\"choices\":[{\"message\":{\"content\":\"Let me\"},"
                                        "\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":100,"
                                        "\"completion_tokens\":10}}"};
    const test_http_step steps[] = {cut, good, cut, cut, good};
    test_http_server *server = test_http_server_new(steps, 5);
    const int port = test_http_server_port(server);
    pov_vlm_client_config config = config_for(&port, 1);
    config.attempt_max = 1;
    config.wants_more = is_short;
    config.endpoints[0].concurrency = 1;
    config.endpoints[0].price_prompt = 1e6;
    start(&s, &config);
    ask_all(&s, 1);
    assert_string_equal(s.text, "Yes");
    assert_true(s.last.answer.prompt_tokens == 200 && s.last.cost == 200);
    assert_true(test_http_server_received(server, "\"max_tokens\":256"));
    ask_all(&s, 1); /* cut twice: so it is */
    assert_string_equal(s.text, "Let me");
    assert_int_equal(s.last.answer.token_max, POV_VLM_MORE_TOKENS);
    ask_all(&s, 1); /* the third question has more at once */
    assert_int_equal(test_http_server_requests(server), 5);
    assert_non_null(strstr(pov_vlm_client_notice(s.client), "up to 256"));
    pov_vlm_client_destroy(&s.client);
    test_http_server_destroy(&server);
}

/* ---- servers without hope ---- */

static void a_server_that_closes_is_left_alone_while_another_answers(void **state)
{
    (void)state;
    session s;
    const test_http_step spent = {.status = 429, .body = "{\"error\":{\"code\":\"insufficient_quota\"}}"};
    test_http_server *servers[2] = {test_http_server_new(&spent, 1), test_http_server_new(&good, 1)};
    const int ports[2] = {test_http_server_port(servers[0]), test_http_server_port(servers[1])};
    const pov_vlm_client_config config = config_for(ports, 2);
    start(&s, &config);
    ask_all(&s, 40);
    assert_int_equal(pov_vlm_client_totals(s.client).answered, 40);
    assert_in_range(test_http_server_requests(servers[0]), 1, 4);
    pov_vlm_client_destroy(&s.client);
    for (int i = 0; i < 2; i++)
        test_http_server_destroy(&servers[i]);
}

static void results_say_when_there_is_no_hope(void **state)
{
    (void)state;
    session s;
    static const struct {
        test_http_step step;
        bool hopeless;
    } cases[] = {{{.status = 400}, false}, /* once */
                 {{.status = 401}, true},
                 {{.status = 402}, true},
                 {{.status = 403}, false},
                 {{.status = 404}, true},
                 {{.status = 429, .headers = "Retry-After: 43200\r\n"}, true},
                 {{.status = 429, .body = "{\"error\":{\"type\":\"insufficient_quota\"}}"}, true},
                 {{.status = 503}, true}, /* never answered, all attempts used */
                 {{.body = "{\"error\":{\"message\":\"no credit\",\"code\":402}}"}, true},
                 {{.act = TEST_HTTP_CLOSE}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_http_server *server = ask_one(&s, &cases[i].step, 1, limit);
        if (s.last.hopeless != cases[i].hopeless)
            fail_msg("case %zu: %s", i, s.last.cause);
        test_http_server_destroy(&server);
    }
}

static void retry_after_is_obeyed(void **state)
{
    (void)state;
    session s;
    const test_http_step steps[] = {{.status = 429, .headers = "Retry-After: 30\r\n"}, good};
    test_http_server *server = test_http_server_new(steps, 2);
    const int port = test_http_server_port(server);
    const pov_vlm_client_config config = config_for(&port, 1);
    start(&s, &config);
    assert_int_equal(pov_vlm_client_ask(s.client, 0, &question).code, POV_OK);
    while (test_http_server_requests(server) < 1)
        assert_int_equal(pov_vlm_client_next(s.client, &s.last, 0, 5).code, POV_TIMEOUT);
    while (pov_vlm_client_totals(s.client).retried < 1)
        assert_int_equal(pov_vlm_client_next(s.client, &s.last, 0, 5).code, POV_TIMEOUT);
    for (s.now_ns = 0; s.now_ns < 30 * SECOND; s.now_ns += SECOND)
        assert_int_equal(pov_vlm_client_next(s.client, &s.last, s.now_ns, 2).code, POV_TIMEOUT);
    assert_int_equal(test_http_server_requests(server), 1);
    assert_true(fetch(&s));
    assert_int_equal(s.last.outcome, POV_VLM_ANSWERED);
    pov_vlm_client_destroy(&s.client);
    test_http_server_destroy(&server);
}

static void attempts_end(void **state)
{
    (void)state;
    session s;
    const test_http_step bad = {.status = 500};
    test_http_server *server = ask_one(&s, &bad, 1, NULL);
    assert_int_equal(test_http_server_requests(server), 6);
    assert_int_equal(s.last.outcome, POV_VLM_REJECTED);
    test_http_server_destroy(&server);
}

static void every_misbehaviour_is_told_by_its_cause(void **state)
{
    (void)state;
    expect(&(test_http_step){.act = TEST_HTTP_HANG}, POV_VLM_TOO_SLOW, "within the time limit", limit_time);
    expect(&(test_http_step){.act = TEST_HTTP_CLOSE}, POV_VLM_UNREACHABLE, "127.0.0.1", limit);
    expect(&(test_http_step){.act = TEST_HTTP_CLOSE_EARLY, .body = ANSWER}, POV_VLM_UNREACHABLE, "127.0.0.1",
           limit);
    expect(&(test_http_step){.body = ANSWER, .headers = "Content-Type: text/html\r\n"}, POV_VLM_MALFORMED,
           "text/html", limit);
    expect(&(test_http_step){.body = "<html>"}, POV_VLM_MALFORMED, "not JSON", limit);
    expect(&(test_http_step){.body = "{\"choices\": ["}, POV_VLM_MALFORMED, "not JSON", limit);
    expect(&(test_http_step){.body = ""}, POV_VLM_MALFORMED, "empty", limit);
    expect(&(test_http_step){.body = "{\"error\":{\"message\":\"no such model\"}}"}, POV_VLM_REJECTED,
           "no such model", limit);
    expect(&(test_http_step){.body =
                                 "{\"choices\":[{\"message\":{\"content\":\"Yes\"},\"logprobs\":{\"content\":"
                                 "[{\"token\":\"Yes\",\"logprob\":0.5}]}}]}"},
           POV_VLM_MALFORMED, "0.5", limit);
    expect(&(test_http_step){.body =
                                 "{\"choices\":[{\"message\":{\"content\":\"Yes\"},\"logprobs\":{\"content\":"
                                 "[{\"token\":\"Yes\",\"logprob\":NaN}]}}]}"},
           POV_VLM_MALFORMED, "not JSON", limit);
    expect(&(test_http_step){.body =
                                 "{\"choices\":[{\"message\":{\"content\":\"Yes\"},\"logprobs\":{\"content\":"
                                 "[{\"token\":\"Yes\",\"logprob\":null}]}}]}"},
           POV_VLM_MALFORMED, "logprob", limit);
    expect(&(test_http_step){.status = 400, .body = "{\"object\":\"error\",\"message\":\"no images here\"}"},
           POV_VLM_REJECTED, "HTTP status 400: the server says: no images here", limit);
    expect(&(test_http_step){.status = 400,
                             .headers = "Content-Type: text/plain\r\n",
                             .body = "model is loading\r\nwait"},
           POV_VLM_REJECTED, "HTTP status 400: the server says: model is loading", limit);
    expect(&(test_http_step){.status = 400, .headers = "Content-Type: text/html\r\n", .body = "<html>"},
           POV_VLM_REJECTED, "HTTP status 400", limit);
}

static void a_flood_is_cut_off(void **state)
{
    (void)state;
    for (int headers = 0; headers < 2; headers++) {
        session s;
        const test_http_step flood = {.act = headers ? TEST_HTTP_FLOOD_HEADERS : TEST_HTTP_FLOOD};
        test_http_server *server = ask_one(&s, &flood, 1, limit);
        assert_int_equal(s.last.outcome, headers ? POV_VLM_UNREACHABLE : POV_VLM_TOO_LARGE);
        assert_true(test_http_server_bytes_sent(server) < 64 << 20); /* of 1 GB an attempt */
        test_http_server_destroy(&server);
    }
}

static void nobody_there_and_tls_to_a_plain_port_are_unreachable(void **state)
{
    (void)state;
    test_http_server *server = test_http_server_new(&good, 1);
    const int port = test_http_server_port(server);
    for (int tls = 0; tls < 2; tls++) {
        session s;
        pov_vlm_client_config config = config_for(&port, 1);
        limit_time(&config);
        if (tls)
            snprintf(config.endpoints[0].url, POV_VLM_URL_CAPACITY, "https://127.0.0.1:%d/v1", port);
        else
            snprintf(config.endpoints[0].url, POV_VLM_URL_CAPACITY, "http://127.0.0.1:1/v1");
        start(&s, &config);
        ask_all(&s, 1);
        assert_true(s.last.outcome == POV_VLM_UNREACHABLE || (tls && s.last.outcome == POV_VLM_TOO_SLOW));
        assert_int_equal(s.last.attempts, 2);
        pov_vlm_client_destroy(&s.client);
    }
    test_http_server_destroy(&server);
}

static void redirects_are_not_followed(void **state)
{
    (void)state;
    session s;
    char headers[100];
    test_http_server *elsewhere = test_http_server_new(&good, 1);
    snprintf(headers, sizeof headers, "Location: http://127.0.0.1:%d/\r\n", test_http_server_port(elsewhere));
    const test_http_step redirect = {.status = 307, .headers = headers};
    test_http_server *server = ask_one(&s, &redirect, 1, NULL);
    assert_int_equal(s.last.outcome, POV_VLM_REJECTED);
    assert_non_null(strstr(s.last.cause, "redirects"));
    assert_int_equal(test_http_server_requests(elsewhere), 0);
    test_http_server_destroy(&server);
    test_http_server_destroy(&elsewhere);
}

static void a_key_that_the_server_sends_back_goes_no_further(void **state)
{
    (void)state;
    static const test_http_step steps[] = {
        {.status = 401, .body = "{\"error\":{\"message\":\"bad key " KEY "\"}}"},
        {.body = "{\"error\":\"your key is " KEY " and " KEY "\"}"},
        {.body = "{\"choices\":[{\"message\":{\"content\":\"Yes " KEY "\"}}]}"},
        {.body = "{\"choices\":[{\"message\":{\"content\":\"Yes \\u0073k-verysecret-0123456789\"}}]}"},
        {.headers = "Content-Type: " KEY "\r\n", .body = ANSWER},
    };
    for (int i = 0; i < 5; i++) {
        session s;
        test_http_server *server = ask_one(&s, &steps[i], 1, NULL); /* each result is searched for it */
        assert_non_null(strstr(i == 2 || i == 3 ? s.text : s.last.cause, "****"));
        test_http_server_destroy(&server);
    }
}

/* ---- many questions ---- */

static void each_question_gets_exactly_one_result_whatever_happens(void **state)
{
    (void)state;
    session s;
    const test_http_step steps[] = {{.status = 500},
                                    {.act = TEST_HTTP_CLOSE},
                                    good,
                                    {.act = TEST_HTTP_HANG},
                                    {.body = "garbage"},
                                    {.act = TEST_HTTP_CLOSE_EARLY, .body = ANSWER},
                                    {.status = 429, .headers = "Retry-After: 2\r\n"},
                                    {.act = TEST_HTTP_FLOOD},
                                    good,
                                    {.status = 404},
                                    {.act = TEST_HTTP_HANG},
                                    {.status = 503},
                                    good};
    test_http_server *server = test_http_server_new(steps, sizeof steps / sizeof *steps);
    const int port = test_http_server_port(server);
    pov_vlm_client_config config = config_for(&port, 1);
    limit(&config);
    config.answer_ns = SECOND; /* of which two answers take all, and the others next to nothing */
    config.attempt_max = 6;
    start(&s, &config);
    ask_all(&s, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(s.seen[i], 1);
    const pov_vlm_totals totals = pov_vlm_client_totals(s.client);
    assert_int_equal(totals.asked, 100);
    assert_int_equal(totals.answered, 100 - 3); /* garbage, the flood, 404 */
    assert_int_equal(totals.failed, 3);
    /* libcurl itself asks again where a kept connection closes without a word: one step does */
    assert_in_range(test_http_server_requests(server), 100 + totals.retried, 101 + totals.retried);
    pov_vlm_client_destroy(&s.client);
    test_http_server_destroy(&server);
}

static void as_many_are_asked_at_a_time_as_may_be_and_no_more(void **state)
{
    (void)state;
    session s;
    const test_http_step together = {.act = TEST_HTTP_TOGETHER, .together = 4, .body = ANSWER};
    test_http_server *servers[2] = {test_http_server_new(&together, 1), test_http_server_new(&together, 1)};
    const int ports[2] = {test_http_server_port(servers[0]), test_http_server_port(servers[1])};
    const pov_vlm_client_config config = config_for(ports, 2);
    start(&s, &config);
    ask_all(&s, 40);
    assert_int_equal(pov_vlm_client_totals(s.client).answered, 40);
    assert_int_equal(test_http_server_most_together(servers[0]), 4);
    assert_int_equal(test_http_server_most_together(servers[1]), 4);
    pov_vlm_client_destroy(&s.client);
    for (int i = 0; i < 2; i++)
        test_http_server_destroy(&servers[i]);
}

static void a_dead_server_costs_no_question_while_another_lives(void **state)
{
    (void)state;
    session s;
    const test_http_step dead = {.act = TEST_HTTP_CLOSE};
    test_http_server *servers[2] = {test_http_server_new(&dead, 1), test_http_server_new(&good, 1)};
    const int ports[2] = {test_http_server_port(servers[0]), test_http_server_port(servers[1])};
    const pov_vlm_client_config config = config_for(ports, 2);
    start(&s, &config);
    ask_all(&s, 200);
    assert_int_equal(pov_vlm_client_totals(s.client).answered, 200);
    pov_vlm_client_destroy(&s.client);
    for (int i = 0; i < 2; i++)
        test_http_server_destroy(&servers[i]);
}

static int images_at(test_http_server *server, int images)
{
    int count = 0;
    for (int i = 0; i < images; i++) {
        char prompt[20];
        snprintf(prompt, sizeof prompt, "image %d?", i);
        count += test_http_server_received(server, prompt);
    }
    return count;
}

/* Each server then computes an image once for many questions. */
static void questions_about_one_image_go_to_one_server(void **state)
{
    (void)state;
    enum { IMAGES = 20, EACH = 12 };
    for (int kept_together = 0; kept_together < 2; kept_together++) {
        session s;
        const test_http_step steady = {.act = TEST_HTTP_TOGETHER, .together = 1, .body = ANSWER};
        test_http_server *servers[2] = {test_http_server_new(&steady, 1), test_http_server_new(&steady, 1)};
        const int ports[2] = {test_http_server_port(servers[0]), test_http_server_port(servers[1])};
        const pov_vlm_client_config config = config_for(ports, 2);
        start(&s, &config);
        for (int ticket = 0; ticket < IMAGES * EACH;) {
            char prompt[20];
            snprintf(prompt, sizeof prompt, "image %d?", ticket / EACH);
            const pov_vlm_question asked = {.prompt = prompt,
                                            .image = {(const uint8_t *)"PNG", 3, "image/png", NULL},
                                            .group = kept_together ? 1 + (uint64_t)(ticket / EACH) : 0,
                                            .token_max = 4};
            if (pov_vlm_client_ask(s.client, (uint64_t)ticket, &asked).code == POV_OK)
                ticket++;
            else
                assert_true(fetch(&s));
        }
        while (fetch(&s))
            continue;
        for (int i = 0; i < IMAGES * EACH; i++)
            assert_int_equal(s.seen[i], 1);
        const int at[2] = {images_at(servers[0], IMAGES), images_at(servers[1], IMAGES)};
        assert_true(kept_together ? at[0] + at[1] <= IMAGES + 3 : at[0] + at[1] > IMAGES + 10);
        assert_true(at[0] > IMAGES / 5 && at[1] > IMAGES / 5); /* neither is idle */
        pov_vlm_client_destroy(&s.client);
        for (int i = 0; i < 2; i++)
            test_http_server_destroy(&servers[i]);
    }
}

static void a_budget_stops_it(void **state)
{
    (void)state;
    for (int tokens = 0; tokens < 2; tokens++) {
        session s;
        test_http_server *server = test_http_server_new(&good, 1);
        const int port = test_http_server_port(server);
        pov_vlm_client_config config = config_for(&port, 1);
        config.endpoints[0].price_prompt = config.endpoints[0].price_answer = 1e6; /* 110 an answer */
        config.cost_max = tokens ? INFINITY : 1000;
        config.token_max = tokens ? 1000 : INT64_MAX;
        start(&s, &config);
        ask_all(&s, 200);
        assert_in_range(s.results, 10, 13); /* the tenth is the first beyond; three more may be under way */
        assert_int_equal(pov_vlm_client_ask(s.client, 0, &question).code, POV_END);
        assert_int_equal(test_http_server_requests(server), s.results);
        pov_vlm_client_destroy(&s.client);
        test_http_server_destroy(&server);
    }
}

static void a_budget_that_cannot_be_kept_stops_it_too(void **state)
{
    (void)state;
    session s;
    const test_http_step silent = {.body = "{\"choices\":[{\"message\":{\"content\":\"Yes\"}}]}"};
    test_http_server *server = test_http_server_new(&silent, 1);
    const int port = test_http_server_port(server);
    pov_vlm_client_config config = config_for(&port, 1);
    config.token_max = 1000;
    start(&s, &config);
    ask_all(&s, 200);
    assert_in_range(s.results, 1, 4);
    assert_non_null(strstr(pov_vlm_client_ask(s.client, 0, &question).message, "does not say"));
    pov_vlm_client_destroy(&s.client);
    test_http_server_destroy(&server);
}

static void it_can_be_broken_off(void **state)
{
    (void)state;
    session s;
    const test_http_step hang = {.act = TEST_HTTP_HANG};
    test_http_server *server = test_http_server_new(&hang, 1);
    const int port = test_http_server_port(server);
    const pov_vlm_client_config config = config_for(&port, 1);
    start(&s, &config);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pov_vlm_client_ask(s.client, 0, &question).code, POV_OK);
    assert_int_equal(pov_vlm_client_ask(s.client, 0, &question).code, POV_TIMEOUT);
    assert_int_equal(pov_vlm_client_next(s.client, &s.last, 0, 20).code, POV_TIMEOUT);
    pov_vlm_client_destroy(&s.client);
    pov_vlm_client_destroy(&s.client);
    test_http_server_destroy(&server);
}

/* The client asks no proxy for servers of this machine. */
static int have_a_dead_proxy(void **state)
{
    (void)state;
    unsetenv("no_proxy");
    unsetenv("NO_PROXY");
    return setenv("http_proxy", DEAD_PROXY, 1) | setenv("https_proxy", DEAD_PROXY, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_comes_with_its_tokens_cost_and_time),
        cmocka_unit_test(what_may_pass_is_tried_again_and_what_may_not_is_not),
        cmocka_unit_test(a_server_without_probabilities_is_asked_without),
        cmocka_unit_test(a_server_is_asked_as_it_wants_to_be_and_remembers),
        cmocka_unit_test(an_answer_that_was_cut_is_asked_for_once_more_with_more_tokens),
        cmocka_unit_test(a_server_that_closes_is_left_alone_while_another_answers),
        cmocka_unit_test(results_say_when_there_is_no_hope),
        cmocka_unit_test(retry_after_is_obeyed),
        cmocka_unit_test(attempts_end),
        cmocka_unit_test(every_misbehaviour_is_told_by_its_cause),
        cmocka_unit_test(a_flood_is_cut_off),
        cmocka_unit_test(nobody_there_and_tls_to_a_plain_port_are_unreachable),
        cmocka_unit_test(redirects_are_not_followed),
        cmocka_unit_test(a_key_that_the_server_sends_back_goes_no_further),
        cmocka_unit_test(each_question_gets_exactly_one_result_whatever_happens),
        cmocka_unit_test(as_many_are_asked_at_a_time_as_may_be_and_no_more),
        cmocka_unit_test(a_dead_server_costs_no_question_while_another_lives),
        cmocka_unit_test(questions_about_one_image_go_to_one_server),
        cmocka_unit_test(a_budget_stops_it),
        cmocka_unit_test(a_budget_that_cannot_be_kept_stops_it_too),
        cmocka_unit_test(it_can_be_broken_off),
    };
    return cmocka_run_group_tests(tests, have_a_dead_proxy, NULL);
}
