/* Event streams of every API, as the public references have them, in every framing that the HTML standard allows; cut at every byte. */
#include "compare/vlm/vlm_stream.h"

#include "compare/vlm/vlm_exchange.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { EVENTS_MAX = 12 };

typedef struct {
    const char *name;
    const char *events[EVENTS_MAX];
    int enough;            /* so many events hold the whole answer */
    const char *text;      /* NULL: no answer, but an error */
    const char *reason;    /* finish_reason; or the error's words */
    const char *thoughts;  /* NULL: none */
    int prompt, completed; /* tokens; of an error: the HTTP status that it stands for */
    double logprob;        /* of the first token; 0: not told */
    bool refused;
} spoken;

#define ANTHROPIC_START                                                                                      \
    "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\","     \
    "\"content\":[],\"model\":\"c\",\"stop_reason\":null,\"usage\":{\"input_tokens\":25,"                    \
    "\"output_tokens\":1}}}",                                                                                \
        "{\"type\":\"ping\"}",                                                                               \
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}"
#define ANTHROPIC_DELTA(text)                                                                                \
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" text "\"" \
    "}}"
#define ANTHROPIC_END(reason)                                                                                \
    "{\"type\":\"content_block_stop\",\"index\":0}",                                                         \
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" reason                                   \
        "\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":7}}",                                       \
        "{\"type\":\"message_stop\"}"
#define GOOGLE(parts, more)                                                                                  \
    "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[" parts "]},\"index\":0" more              \
    "}],\"modelVersion\":\"g\",\"usageMetadata\":{\"promptTokenCount\":25,\"candidatesTokenCount\":3,"       \
    "\"thoughtsTokenCount\":4}}"
#define RESPONSES_START                                                                                      \
    "{\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"object\":\"response\",\"status\":" \
    "\"in_progress\",\"error\":null,\"output\":[]}}",                                                        \
        "{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\","        \
        "\"content\":[]}}"
#define RESPONSES_DELTA(text, logprobs)                                                                      \
    "{\"type\":\"response.output_text.delta\",\"item_id\":\"i\",\"output_index\":0,\"content_index\":0,"     \
    "\"delta\":\"" text "\",\"logprobs\":[" logprobs "]}"
#define RESPONSES_END(type, status, details, output)                                                         \
    "{\"type\":\"response." type "\",\"response\":{\"object\":\"response\",\"status\":\"" status             \
    "\",\"error\":null,\"incomplete_details\":" details ",\"model\":\"r\",\"output\":[" output               \
    "],\"usage\":{\"input_tokens\":25,\"output_tokens\":7}}}"
#define MESSAGE(text)                                                                                        \
    "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"" text "\",\"logprobs\":[]}]}"
#define CHUNK(delta, reason)                                                                                 \
    "{\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":" delta                       \
    ",\"finish_reason\":" reason "}]}"

static const spoken cases[] = {
    {.name = "anthropic, cut",
     .events = {ANTHROPIC_START, ANTHROPIC_DELTA("Yes, it"), ANTHROPIC_END("max_tokens")},
     .enough = 6,
     .text = "Yes, it",
     .reason = "length",
     .prompt = 25,
     .completed = 7},
    {.name = "anthropic, no more room",
     .events = {ANTHROPIC_START, ANTHROPIC_DELTA("N\u00e3o"), ANTHROPIC_END("model_context_window_exceeded")},
     .enough = 6,
     .text = "N\u00e3o",
     .reason = "length",
     .prompt = 25,
     .completed = 7},
    {.name = "anthropic, refused amid its answer",
     .events = {ANTHROPIC_START, ANTHROPIC_DELTA("Yes"), ANTHROPIC_END("refusal")},
     .enough = 6,
     .text = "the server stopped the answer (stop_reason: refusal)",
     .reason = "content_filter",
     .prompt = 25,
     .completed = 7,
     .refused = true},
    {.name = "anthropic, failed",
     .events = {ANTHROPIC_START, ANTHROPIC_DELTA("Yes"),
                "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"},
     .enough = 5,
     .reason = "Overloaded",
     .completed = 529},
    {.name = "anthropic, thoughts that are hidden in part",
     .events =
         {ANTHROPIC_START,
          "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"redacted_thinking\","
          "\"data\":\"Yes\"}}",
          "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":"
          "\"Yes\u2026\"}}",
          "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"signature_delta\","
          "\"signature\":"
          "\"Yes\"}}",
          ANTHROPIC_DELTA("\u65e0"), ANTHROPIC_END("end_turn")},
     .enough = 9,
     .text = "\u65e0",
     .reason = "stop",
     .thoughts = "Yes\u2026",
     .prompt = 25,
     .completed = 7},
    {.name = "google, cut within its thoughts",
     .events = {GOOGLE("{\"text\":\"Yes?\",\"thought\":true}", ""),
                GOOGLE("", ",\"finishReason\":\"MAX_TOKENS\"")},
     .enough = 2,
     .text = "",
     .reason = "length",
     .thoughts = "Yes?",
     .prompt = 25,
     .completed = 7},
    {.name = "google, stopped by its filter",
     .events = {GOOGLE("{\"text\":\"Yes\"}", ""), GOOGLE("", ",\"finishReason\":\"SAFETY\"")},
     .enough = 2,
     .text = "the server blocks it: SAFETY",
     .reason = "content_filter",
     .prompt = 25,
     .completed = 7,
     .refused = true},
    {.name = "google, failed",
     .events = {GOOGLE("{\"text\":\"Yes\"}", ""),
                "{\"error\":{\"code\":503,\"message\":\"Busy\",\"status\":\"UNAVAILABLE\"}}"},
     .enough = 2,
     .reason = "Busy",
     .completed = 503},
    {.name = "responses, probabilities in the pieces only",
     .events = {RESPONSES_START,
                RESPONSES_DELTA(
                    "N", "{\"token\":\"N\",\"logprob\":-0.5,\"top_logprobs\":[{\"token\":\"Y\",\"logprob\":"
                         "-2}]}"),
                RESPONSES_DELTA("o", "{\"token\":\"o\",\"logprob\":0,\"top_logprobs\":[]}"),
                RESPONSES_END("completed", "completed", "null", MESSAGE("No"))},
     .enough = 5,
     .text = "No",
     .reason = "stop",
     .prompt = 25,
     .completed = 7,
     .logprob = -0.5},
    {.name = "responses, text in the pieces only",
     .events = {RESPONSES_START, RESPONSES_DELTA("No", ""),
                RESPONSES_END("completed", "completed", "null", "")},
     .enough = 4,
     .text = "No",
     .reason = "stop",
     .prompt = 25,
     .completed = 7},
    {.name = "responses, cut",
     .events = {RESPONSES_START, RESPONSES_DELTA("Yes, ", ""),
                RESPONSES_END("incomplete", "incomplete", "{\"reason\":\"max_output_tokens\"}",
                              MESSAGE("Yes, "))},
     .enough = 4,
     .text = "Yes, ",
     .reason = "length",
     .prompt = 25,
     .completed = 7},
    {.name = "responses, stopped by its filter",
     .events = {RESPONSES_START, RESPONSES_DELTA("Yes", ""),
                RESPONSES_END("incomplete", "incomplete", "{\"reason\":\"content_filter\"}", MESSAGE("Yes"))},
     .enough = 4,
     .text = "the server's filter stopped the answer (content_filter)",
     .reason = "content_filter",
     .prompt = 25,
     .completed = 7,
     .refused = true},
    {.name = "responses, refused",
     .events =
         {RESPONSES_START,
          "{\"type\":\"response.refusal.delta\",\"item_id\":\"i\",\"output_index\":0,\"delta\":\"I can't\"}",
          RESPONSES_END(
              "completed", "completed", "null",
              "{\"type\":\"message\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"I can't\"}]}")},
     .enough = 4,
     .text = "I can't",
     .reason = "stop",
     .prompt = 25,
     .completed = 7,
     .refused = true},
    {.name = "responses, failed",
     .events = {RESPONSES_START, RESPONSES_DELTA("Yes", ""),
                "{\"type\":\"response.failed\",\"response\":{\"object\":\"response\",\"status\":\"failed\","
                "\"error\":{"
                "\"code\":\"rate_limit_exceeded\",\"message\":\"Slow down\"},\"output\":[]}}"},
     .enough = 4,
     .reason = "Slow down",
     .completed = 429},
    {.name = "responses, failed without a word",
     .events = {RESPONSES_START, RESPONSES_DELTA("Yes", ""),
                RESPONSES_END("failed", "failed", "null", MESSAGE("Yes"))},
     .enough = 4,
     .reason = "the response's status is 'failed'"},
    {.name = "responses, an error of its own",
     .events = {RESPONSES_START, RESPONSES_DELTA("Yes", ""),
                "{\"type\":\"error\",\"code\":\"server_error\",\"message\":\"Oops\",\"param\":null}"},
     .enough = 4,
     .reason = "Oops",
     .completed = 500},
    {.name = "azure, its filter's findings before and amid the answer",
     .events = {"{\"choices\":[],\"prompt_filter_results\":[{\"prompt_index\":0}]}",
                CHUNK("{\"role\":\"assistant\",\"content\":\"\"}", "null"),
                CHUNK("{\"content\":\"Yes\"}", "null"),
                "{\"choices\":[{\"index\":0,\"content_filter_offsets\":{\"check_offset\":3},"
                "\"content_filter_results\":{}}]}",
                CHUNK("{}", "\"stop\""),
                "{\"choices\":[],\"usage\":{\"prompt_tokens\":25,\"completion_tokens\":7}}", "[DONE]"},
     .enough = 5,
     .text = "Yes",
     .reason = "stop",
     .prompt = 25,
     .completed = 7},
    {.name = "azure, stopped by its filter",
     .events = {CHUNK("{\"content\":\"Yes\"}", "null"), CHUNK("{}", "\"content_filter\""), "[DONE]"},
     .enough = 2,
     .text = "the server's filter stopped the answer (content_filter)",
     .reason = "content_filter",
     .refused = true},
    {.name = "chat, cut within its thoughts",
     .events = {CHUNK("{\"reasoning_content\":\"Yes?\"}", "null"), CHUNK("{}", "\"length\""), "[DONE]"},
     .enough = 2,
     .text = "",
     .reason = "length",
     .thoughts = "Yes?"},
};
enum { CASES = sizeof cases / sizeof *cases };

/* -------- framings -------- */

typedef struct {
    const char *end, *before; /* of a line; in front of each event */
    bool spread;              /* the data over as many lines as it prints */
} framing;

static const framing framings[] = {{"\n", "", false},
                                   {"\r\n", ": ping\r\n\r\n", false},
                                   {"\r", "event: x\rid: 3\r", true},
                                   {"\n", "", true}};
enum { FRAMINGS = sizeof framings / sizeof *framings };

static size_t count_events(const spoken *said)
{
    size_t len = 0;
    while (len < EVENTS_MAX && said->events[len])
        len++;
    return len;
}

static void add_event(pov_text *body, const char *event, const framing *how)
{
    cJSON *parsed = how->spread ? cJSON_Parse(event) : NULL;
    char *printed = parsed && cJSON_IsObject(parsed) ? cJSON_Print(parsed) : strdup(event);
    pov_text_add(body, "%s", how->before);
    for (char *rest = printed, *line; (line = strsep(&rest, "\n"));)
        pov_text_add(body, "data: %s%s", line, how->end);
    pov_text_add(body, "%s", how->end);
    free(printed);
    cJSON_Delete(parsed);
}

static pov_text frame(const spoken *said, size_t event_len, const framing *how)
{
    pov_text body = {0};
    for (size_t i = 0; i < event_len; i++)
        add_event(&body, said->events[i], how);
    return body;
}

/* -------- tests -------- */

static void check_answer(const spoken *said, const pov_text *body)
{
    pov_vlm_answer answer;
    const pov_status status = pov_vlm_answer_read(&answer, pov_text_of(body), body->len);
    if (!said->text) {
        assert_int_equal(status.code, POV_ERROR);
        assert_true(answer.is_error);
        assert_non_null(strstr(status.message, said->reason));
        assert_int_equal(answer.error_code, said->completed);
        return;
    }
    assert_string_equal(status.message, "");
    assert_string_equal(answer.text, said->text);
    assert_string_equal(answer.finish_reason, said->reason);
    assert_int_equal(answer.refused, said->refused);
    assert_int_equal(answer.prompt_tokens, said->prompt);
    assert_int_equal(answer.answer_tokens, said->completed);
    assert_int_equal(answer.position_len > 0, said->logprob != 0);
    if (answer.position_len > 0)
        assert_near(answer.positions[0].chosen.logprob, said->logprob, 0);
    pov_vlm_answer_free(&answer);
}

static void streams_of_every_api_are_read_in_every_framing(void **state)
{
    (void)state;
    for (int i = 0; i < CASES * FRAMINGS; i++) {
        const spoken *said = &cases[i / FRAMINGS];
        pov_text body = frame(said, count_events(said), &framings[i % FRAMINGS]);
        if (i % FRAMINGS == 0)
            print_message("%s\n", said->name);
        check_answer(said, &body);
        pov_text_free(&body);
    }
}

static void a_stream_that_ends_before_its_answer_is_none(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int len = 1; len < cases[i].enough; len++) {
            pov_text body = frame(&cases[i], (size_t)len, &framings[0]);
            pov_vlm_answer answer;
            if (pov_vlm_answer_read(&answer, pov_text_of(&body), body.len).code != POV_ERROR)
                fail_msg("%s: %d events are taken for the whole", cases[i].name, len);
            assert_true(pov_vlm_stream_is(pov_text_of(&body), body.len));
            pov_text_free(&body);
        }
}

static void words_are_the_same_wherever_the_bytes_part(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int k = 0; k < FRAMINGS; k++) {
            pov_text body = frame(&cases[i], count_events(&cases[i]), &framings[k]);
            pov_vlm_words words = {.answer = {0}};
            for (size_t len = 0; len <= body.len; len++)
                (void)pov_vlm_words_take(&words, pov_text_of(&body), len);
            assert_string_equal(pov_text_of(&words.thoughts), cases[i].thoughts ? cases[i].thoughts : "");
            if (cases[i].text && !cases[i].refused)
                assert_string_equal(pov_text_of(&words.answer), cases[i].text);
            pov_vlm_words_free(&words);
            pov_text_free(&body);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_of_every_api_are_read_in_every_framing),
        cmocka_unit_test(a_stream_that_ends_before_its_answer_is_none),
        cmocka_unit_test(words_are_the_same_wherever_the_bytes_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
