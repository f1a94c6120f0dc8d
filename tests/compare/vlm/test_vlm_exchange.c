/* Requests are read back with cJSON, and images decoded here. */
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

static cJSON *write_for_api(const pov_vlm_question *question, pov_vlm_api api, const char *extra)
{
    char *json;
    size_t len;
    const pov_status status = pov_vlm_request_write(
        &json, &len, question, &(pov_vlm_manner){.api = api, .model = "some model", .extra = extra});
    assert_string_equal(status.message, "");
    assert_int_equal(len, strlen(json));
    cJSON *root = cJSON_Parse(json);
    assert_non_null(root);
    free(json);
    return root;
}

static cJSON *write_and_parse(const pov_vlm_question *question, const char *extra)
{
    return write_for_api(question, POV_VLM_API_CHAT, extra);
}

static const cJSON *at(const cJSON *item, const char *path)
{
    char copy[100], *rest = copy;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *key; (key = strsep(&rest, ".")) && item;)
        item = key[0] >= '0' && key[0] <= '9' ? cJSON_GetArrayItem(item, atoi(key))
                                              : cJSON_GetObjectItem(item, key);
    return item;
}

static size_t decode_base64(uint8_t *bytes, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = 0;
    unsigned bits = 0, held = 0;
    for (; *text && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        assert_non_null(digit);
        bits = bits << 6 | (unsigned)(digit - digits);
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[len++] = (uint8_t)(bits >> held);
        }
    }
    return len;
}

static void an_image_of_any_length_goes_as_a_data_uri_before_the_words(void **state)
{
    (void)state;
    uint8_t bytes[300], decoded[300];
    for (int i = 0; i < 300; i++)
        bytes[i] = (uint8_t)(i * 7 + 3);
    for (size_t len = 1; len <= 300; len++) {
        const pov_vlm_question question = {.prompt = "Is it?",
                                           .system = "Say yes or no.",
                                           .image = {bytes, len, "image/png", NULL},
                                           .token_max = 5,
                                           .likely_wanted = 20};
        cJSON *root = write_and_parse(&question, "");
        const char *uri = cJSON_GetStringValue(at(root, "messages.1.content.0.image_url.url"));
        assert_memory_equal(uri, "data:image/png;base64,", 22);
        assert_int_equal((strlen(uri) - 22) % 4, 0);
        assert_int_equal(decode_base64(decoded, uri + 22), len);
        assert_memory_equal(decoded, bytes, len);
        assert_string_equal(cJSON_GetStringValue(at(root, "messages.1.content.1.text")), "Is it?");
        assert_string_equal(cJSON_GetStringValue(at(root, "messages.0.content")), "Say yes or no.");
        cJSON_Delete(root);
    }
}

static void several_images_go_in_order_before_the_words_by_every_api(void **state)
{
    static const struct {
        const char *first, *second, *words; /* where each API has the data, behind a head of `skip` */
        size_t skip;
    } places[POV_VLM_API_COUNT] = {
        [POV_VLM_API_CHAT] = {"messages.0.content.0.image_url.url", "messages.0.content.2.image_url.url",
                              "messages.0.content.3.text", 22},
        [POV_VLM_API_AZURE] = {"messages.0.content.0.image_url.url", "messages.0.content.2.image_url.url",
                               "messages.0.content.3.text", 22},
        [POV_VLM_API_ANTHROPIC] = {"messages.0.content.0.source.data", "messages.0.content.2.source.data",
                                   "messages.0.content.3.text", 0},
        [POV_VLM_API_GOOGLE] = {"contents.0.parts.0.inlineData.data", "contents.0.parts.2.inlineData.data",
                                "contents.0.parts.3.text", 0},
        [POV_VLM_API_RESPONSES] = {"input.0.content.0.image_url", "input.0.content.2.image_url",
                                   "input.0.content.3.text", 22}};
    const uint8_t bytes[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    uint8_t decoded[2];
    (void)state;
    for (int api = 0; api < POV_VLM_API_COUNT; api++) {
        const pov_vlm_question question = {
            .prompt = "Is it?",
            .image = {bytes[0], 2, "image/png", NULL},
            .more = {{bytes[1], 2, "image/png", NULL}, {bytes[2], 2, "image/png", NULL}},
            .more_len = 2,
            .token_max = 5};
        char *json;
        size_t len;
        const pov_vlm_manner manner = {.api = (pov_vlm_api)api, .model = "m", .extra = ""};
        assert_int_equal(pov_vlm_request_write(&json, &len, &question, &manner).code, POV_OK);
        cJSON *root = cJSON_Parse(json);
        const char *first = cJSON_GetStringValue(at(root, places[api].first)),
                   *second = cJSON_GetStringValue(at(root, places[api].second));
        assert_non_null(first);
        assert_non_null(second);
        assert_int_equal(decode_base64(decoded, first + places[api].skip), 2);
        assert_memory_equal(decoded, bytes[0], 2);
        assert_int_equal(decode_base64(decoded, second + places[api].skip), 2);
        assert_memory_equal(decoded, bytes[2], 2);
        assert_string_equal(cJSON_GetStringValue(at(root, places[api].words)), "Is it?");
        cJSON_Delete(root);
        free(json);
    }
}

static void a_request_asks_at_temperature_0_and_for_probabilities_if_wanted(void **state)
{
    (void)state;
    for (int likely = 0; likely <= 20; likely += 20) {
        const pov_vlm_question question = {.prompt = "Is \"it\"?\n", .token_max = 5, .likely_wanted = likely};
        cJSON *root = write_and_parse(&question, "");
        assert_string_equal(cJSON_GetStringValue(at(root, "model")), "some model");
        assert_string_equal(cJSON_GetStringValue(at(root, "messages.0.role")), "user");
        assert_string_equal(cJSON_GetStringValue(at(root, "messages.0.content")), "Is \"it\"?\n");
        assert_near(cJSON_GetNumberValue(at(root, "temperature")), 0, 0);
        assert_near(cJSON_GetNumberValue(at(root, "max_tokens")), 5, 0);
        assert_true(likely ? cJSON_IsTrue(at(root, "logprobs")) : !at(root, "logprobs"));
        assert_true(likely ? cJSON_GetNumberValue(at(root, "top_logprobs")) == 20
                           : !at(root, "top_logprobs"));
        cJSON_Delete(root);
    }
}

static void extra_members_replace_and_remove(void **state)
{
    (void)state;
    const pov_vlm_question question = {.prompt = "?", .token_max = 5};
    cJSON *root =
        write_and_parse(&question, "{\"max_tokens\":null,\"max_completion_tokens\":16,\"temperature\":1}");
    assert_null(at(root, "max_tokens"));
    assert_near(cJSON_GetNumberValue(at(root, "max_completion_tokens")), 16, 0);
    assert_near(cJSON_GetNumberValue(at(root, "temperature")), 1, 0);
    cJSON_Delete(root);
    root = write_and_parse(&question, "{\"a\":{\"b\":1},\"temperature\":{\"c\":null}}");
    assert_near(cJSON_GetNumberValue(at(root, "a.b")), 1, 0);
    assert_true(cJSON_IsObject(at(root, "temperature")) && !at(root, "temperature")->child);
    cJSON_Delete(root);
    root = write_for_api(
        &question, POV_VLM_API_GOOGLE,
        "{\"generationConfig\":{\"thinkingConfig\":{\"thinkingBudget\":0},\"temperature\":null}}");
    assert_near(cJSON_GetNumberValue(at(root, "generationConfig.maxOutputTokens")), 5, 0);
    assert_near(cJSON_GetNumberValue(at(root, "generationConfig.thinkingConfig.thinkingBudget")), 0, 0);
    assert_null(at(root, "generationConfig.temperature"));
    cJSON_Delete(root);
    assert_int_equal(pov_vlm_extra_check("{\"a\":{}}").code, POV_OK);
    assert_int_equal(pov_vlm_extra_check("").code, POV_OK);
    assert_int_equal(pov_vlm_extra_check("[]").code, POV_ERROR);
    assert_int_equal(pov_vlm_extra_check("{").code, POV_ERROR);
    assert_int_equal(pov_vlm_extra_check("{\"messages\":[]}").code, POV_ERROR);
}

static const char openai[] =
    "{\"id\":\"x\",\"object\":\"chat.completion\",\"model\":\"gpt\",\"choices\":[{\"index\":0,\"message\":{"
    "\"role\":"
    "\"assistant\",\"content\":\"Yes.\",\"refusal\":null},\"logprobs\":{\"content\":[{\"token\":\"Yes\","
    "\"logprob\":"
    "-0.1,\"bytes\":[89,101,115],\"top_logprobs\":[{\"token\":\"Yes\",\"logprob\":-0.1,\"bytes\":null},{"
    "\"token\":"
    "\"No\","
    "\"logprob\":-2.5}]},{\"token\":\".\",\"logprob\":-9999.0,\"top_logprobs\":[]}],\"refusal\":null},"
    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1200,\"completion_tokens\":2,\"total_tokens\":"
    "1202}}";

static void an_answer_is_read_with_its_probabilities(void **state)
{
    (void)state;
    pov_vlm_answer answer;
    assert_int_equal(pov_vlm_answer_read(&answer, openai, sizeof openai - 1).code, POV_OK);
    assert_string_equal(answer.text, "Yes.");
    assert_string_equal(answer.model, "gpt");
    assert_string_equal(answer.finish_reason, "stop");
    assert_false(answer.refused);
    assert_int_equal(answer.position_len, 2);
    assert_int_equal(answer.positions[0].likely_len, 2);
    assert_string_equal(answer.positions[0].likely[1].text, "No");
    assert_near(answer.positions[0].likely[1].logprob, -2.5, 0);
    assert_near(answer.positions[1].chosen.logprob, -9999, 0);
    assert_true(answer.has_usage && answer.prompt_tokens == 1200 && answer.answer_tokens == 2);
    pov_vlm_answer_free(&answer);
}

static void an_answer_cut_anywhere_is_refused(void **state)
{
    (void)state;
    pov_vlm_answer answer;
    for (size_t len = 0; len < sizeof openai - 1; len++) {
        assert_int_equal(pov_vlm_answer_read(&answer, openai, len).code, POV_ERROR);
        assert_int_equal(answer.position_len, 0);
    }
}

static void complaints_name_the_key(void **state)
{
    (void)state;
    static const struct {
        const char *json, *words;
    } cases[] = {
        {"", "empty"},
        {"[]", "choices"},
        {"{}", "choices"},
        {"{\"choices\":[]}", "choices"},
        {"{\"choices\":[{}]}", "choices[0].message.content"},
        {"{\"choices\":[{\"message\":{\"content\":null}}]}", "choices[0].message.content"},
        {"{\"choices\":[{\"message\":{\"content\":null,\"reasoning\":\"Yes\"}}]}", "thoughts"},
        {"{\"choices\":[{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"zoom\"}}]}}]"
         "}",
         "calls a tool ('zoom')"},
        {"{\"detail\":[{\"msg\":\"too many\"}]}", "the server says: too many"},
        {"data: {\"choices\":[{\"delta\":{\"content\":\"Yes\"}}]}\n\n", "breaks off"},
        {"data: {\"error\":{\"message\":\"busy\"}}\n\n", "the server says: busy"},
        {"{\"error\":\"busy\"}", "busy"},
        {"{\"error\":{\"message\":\"busy\"}}", "busy"},
        {"{\"error\":{}}", "without a message"},
        {"{\"object\":\"error\",\"message\":\"busy\"}", "the server says: busy"},
        {"{\"detail\":\"busy\"}", "the server says: busy"},
        {"{\"choices\":[{\"message\":{\"content\":\"a\"},\"logprobs\":{\"content\":[{\"logprob\":0}]}}]}",
         "content[0].token"},
        {"{\"choices\":[{\"message\":{\"content\":\"a\"},\"logprobs\":{\"content\":[{\"token\":\"a\","
         "\"logprob\":0,"
         "\"top_logprobs\":[{\"token\":\"a\",\"logprob\":\"x\"}]}]}}]}",
         "content[0].top_logprobs[0].logprob"},
        {"{\"choices\":[{\"message\":{\"content\":\"a\"},\"logprobs\":{\"content\":[{\"token\":\"a\","
         "\"logprob\":1e999}]}}]}",
         "not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_vlm_answer answer;
        const pov_status status = pov_vlm_answer_read(&answer, cases[i].json, strlen(cases[i].json));
        if (status.code != POV_ERROR || !strstr(status.message, cases[i].words))
            fail_msg("%s: '%s'", cases[i].json, status.message);
    }
}

static void a_refusal_teaches_how_to_ask_and_nothing_twice(void **state)
{
    (void)state;
    static const struct {
        const char *refusal, *members, *absent;
    } cases[] = {{"Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                  "'max_completion_tokens' instead.",
                  "\"max_completion_tokens\":5", "\"max_tokens\""},
                 {"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) "
                  "value is supported.",
                  "\"max_completion_tokens\":5", "\"temperature\""},
                 {"logprobs is only supported with reasoning_effort 'none'.", "\"reasoning_effort\":\"none\"",
                  "\"temperature\""},
                 {"Unsupported value: 'reasoning_effort' does not support 'none'.", NULL, NULL},
                 {"messages: too long", NULL, NULL}};
    pov_vlm_manner manner = {.model = "m", .extra = ""};
    const pov_vlm_question question = {.prompt = "?", .token_max = 5};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *json;
        size_t len;
        assert_int_equal(pov_vlm_manner_learn(&manner, cases[i].refusal) != NULL, cases[i].members != NULL);
        assert_null(pov_vlm_manner_learn(&manner, cases[i].refusal));
        assert_int_equal(pov_vlm_request_write(&json, &len, &question, &manner).code, POV_OK);
        assert_true(!cases[i].members || strstr(json, cases[i].members));
        assert_true(!cases[i].absent || !strstr(json, cases[i].absent));
        free(json);
    }
}

static void a_refusal_of_the_server_is_one(void **state)
{
    (void)state;
    pov_vlm_answer answer;
    static const char json[] = "{\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"I can't.\"}}]}";
    assert_int_equal(pov_vlm_answer_read(&answer, json, sizeof json - 1).code, POV_OK);
    assert_true(answer.refused && strcmp(answer.text, "I can't.") == 0);
    pov_vlm_answer_free(&answer);
}

static void an_answer_is_read_whole_however_long(void **state)
{
    (void)state;
    enum { LENGTH = 3000000 };
    char *json = calloc(1, LENGTH + 200);
    pov_vlm_answer answer;
    strcpy(json, "{\"choices\":[{\"message\":{\"content\":\"<think>");
    memset(json + strlen(json), 'a', LENGTH);
    strcat(json, "</think>\\nAnswer: no\"}}]}");
    assert_int_equal(pov_vlm_answer_read(&answer, json, strlen(json)).code, POV_OK);
    assert_int_equal(strlen(answer.text), strlen("<think>") + LENGTH + strlen("</think>\nAnswer: no"));
    pov_vlm_answer_free(&answer);
    free(json);
}

static void a_zero_in_an_answer_does_not_hide_the_rest(void **state)
{
    (void)state;
    pov_vlm_answer answer;
    static const char json[] =
        "{\"choices\":[{\"message\":{\"content\":\"Answer: Yes\\u0000 no wait. Answer: No\"}}]}";
    assert_int_equal(pov_vlm_answer_read(&answer, json, sizeof json - 1).code, POV_OK);
    assert_string_equal(answer.text, "Answer: Yes\xef\xbf\xbd no wait. Answer: No");
    pov_vlm_answer_free(&answer);
}

static void of_a_list_of_parts_the_text_is_the_answer(void **state)
{
    (void)state;
    pov_vlm_answer answer;
    static const char json[] =
        "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":\"Yes?\"},"
        "{\"type\":\"text\",\"text\":\"No\"},7,{\"type\":\"text\",\"text\":\", it is "
        "not.\"},{\"type\":\"text\"}]}}]}";
    assert_int_equal(pov_vlm_answer_read(&answer, json, sizeof json - 1).code, POV_OK);
    assert_string_equal(answer.text, "No, it is not.");
    pov_vlm_answer_free(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_of_any_length_goes_as_a_data_uri_before_the_words),
        cmocka_unit_test(several_images_go_in_order_before_the_words_by_every_api),
        cmocka_unit_test(a_request_asks_at_temperature_0_and_for_probabilities_if_wanted),
        cmocka_unit_test(extra_members_replace_and_remove),
        cmocka_unit_test(an_answer_is_read_with_its_probabilities),
        cmocka_unit_test(an_answer_cut_anywhere_is_refused),
        cmocka_unit_test(complaints_name_the_key),
        cmocka_unit_test(a_refusal_teaches_how_to_ask_and_nothing_twice),
        cmocka_unit_test(a_refusal_of_the_server_is_one),
        cmocka_unit_test(an_answer_is_read_whole_however_long),
        cmocka_unit_test(a_zero_in_an_answer_does_not_hide_the_rest),
        cmocka_unit_test(of_a_list_of_parts_the_text_is_the_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
