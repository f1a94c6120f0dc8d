/* Answers are read back by the client's own reader and scored: what the simulated model means is what is scored. */
#include "compare/vlm/yes_no.h"
#include "sim/vlm/vlm_chat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

/* Frames in disagreement: each bias shows which it took. */
static const char truth_text[] =
    "{\"image\":\"0000000000000001\",\"prompt\":\"left?\",\"relation\":\"left_of\",\"asked\":\"egocentric/"
    "reflected\","
    "\"golds\":{\"egocentric/reflected\":0.9,\"egocentric/rotated\":0.1,\"addressee/"
    "reflected\":0.3,\"intrinsic\":0.2}}\n"
    "{\"image\":\"0000000000000001\",\"prompt\":\"her "
    "left?\",\"relation\":\"left_of\",\"asked\":\"addressee/reflected\","
    "\"golds\":{\"egocentric/rotated\":0.1,\"egocentric/reflected\":0.9,\"addressee/reflected\":0.3}}\n"
    "{\"image\":\"0000000000000001\",\"prompt\":\"its "
    "front?\",\"relation\":\"in_front_of\",\"asked\":\"intrinsic\","
    "\"golds\":{\"egocentric/reflected\":0.6,\"intrinsic\":0.2}}\n"
    "{\"image\":\"0000000000000001\",\"prompt\":\"links?\",\"golds\":{\"intrinsic\":1},\"yes\":\"Ja\",\"no\":"
    "\"Nein\"}\n"
    "{\"image\":\"0000000000000001\",\"prompt\":\"where?\",\"golds\":{\"intrinsic\":\"north east\"}}\n";

static pov_vlm_truths *truths;

static int set_up(void **state)
{
    (void)state;
    return pov_vlm_truths_parse(&truths, "t", truth_text, sizeof truth_text - 1).code;
}

static int tear_down(void **state)
{
    (void)state;
    pov_vlm_truths_destroy(&truths);
    return 0;
}

static pov_vlm_sim_answer ask(const pov_vlm_sim_config *config, uint64_t image, const char *prompt)
{
    pov_vlm_sim_answer answer;
    static pov_vlm_chat_request request;
    request.image = image;
    snprintf(request.prompt, sizeof request.prompt, "%s", prompt);
    pov_vlm_sim_answer_find(&answer, config, truths, &request);
    return answer;
}

static void each_bias_answers_in_its_own_frame(void **state)
{
    (void)state;
    static const struct {
        pov_vlm_bias bias;
        double left, her_left, its_front;
    } cases[] = {
        {POV_VLM_BIAS_NONE, 0.9, 0.3, 0.2},
        {POV_VLM_BIAS_EGOCENTRIC, 0.9, 0.9, 0.6},
        {POV_VLM_BIAS_ADDRESSEE_BLIND, 0.9, 0.9, 0.2},
        {POV_VLM_BIAS_LEFT_RIGHT, 0.1, 0.7, 0.2},
        {POV_VLM_BIAS_ALWAYS_YES, 0.97, 0.97, 0.97},
        {POV_VLM_BIAS_ALWAYS_NO, 0.03, 0.03, 0.03},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pov_vlm_sim_config config = {.bias = cases[i].bias};
        assert_near(ask(&config, 1, "left?").yes, cases[i].left, 1e-12);
        assert_near(ask(&config, 1, "her left?").yes, cases[i].her_left, 1e-12);
        assert_near(ask(&config, 1, "its front?").yes, cases[i].its_front, 1e-12);
    }
}

static void what_is_unknown_it_cannot_tell_unless_it_ignores_the_image(void **state)
{
    (void)state;
    pov_vlm_sim_config config = POV_VLM_SIM_CONFIG_DEFAULT;
    assert_true(ask(&config, 2, "left?").refused);
    assert_true(ask(&config, 1, "right?").refused);
    config.ignore_image = true;
    assert_near(ask(&config, 2, "left?").yes, 0.9, 0);
    assert_near(ask(&config, 0, "left?").yes, 0.9, 0);
    assert_true(ask(&config, 1, "right?").refused);
}

static void noise_and_refusals_come_by_lot_and_the_same_for_the_same_question(void **state)
{
    (void)state;
    enum { SEEDS = 4000 };
    double sum = 0, squares = 0;
    int refused = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        const pov_vlm_sim_config noisy = {.bias = POV_VLM_BIAS_NOISY, .noise = 0.05, .seed = (uint64_t)seed};
        const pov_vlm_sim_config shy = {.refuse = 0.25, .seed = (uint64_t)seed};
        const double yes = ask(&noisy, 1, "her left?").yes;
        assert_near(ask(&noisy, 1, "her left?").yes, yes, 0);
        sum += yes;
        squares += (yes - 0.3) * (yes - 0.3);
        refused += ask(&shy, 1, "left?").refused;
    }
    assert_near(sum / SEEDS, 0.3, 0.004);
    assert_near(sqrt(squares / SEEDS), 0.05, 0.003);
    assert_near((double)refused / SEEDS, 0.25, 0.03);
}

static void what_it_says_is_scored_as_it_means_it(void **state)
{
    (void)state;
    static const char *const german_yes[] = {"ja", NULL}, *const german_no[] = {"nein", NULL};
    const pov_yes_no_words german = {german_yes, german_no};
    for (int i = 0; i <= 100; i++)
        for (int likely = 0; likely <= 20; likely += 20) {
            const pov_vlm_sim_answer meant = {
                .yes = i / 100.0, .text = i > 50 ? "Ja" : "Nein", .yes_word = "Ja", .no_word = "Nein"};
            const pov_vlm_chat_request request = {.likely_wanted = likely};
            pov_vlm_answer answer;
            pov_yes_no score;
            char *json = pov_vlm_chat_write(&request, &meant);
            assert_non_null(strstr(json, "\"simulated\":true"));
            assert_int_equal(pov_vlm_answer_read(&answer, json, strlen(json)).code, POV_OK);
            assert_string_equal(answer.model, "pov-vlm-sim (simulated)");
            pov_yes_no_read(&score, &answer, &(pov_yes_no_rule){&german, &german, 0.5});
            assert_int_equal(score.kind, likely ? POV_YES_NO_TOKENS : POV_YES_NO_TEXT);
            assert_near(score.p, likely ? i / 100.0 : i > 50, 1e-12);
            pov_vlm_answer_free(&answer);
            free(json);
        }
}

static void a_refusal_is_scored_as_one_and_other_answers_are_texts(void **state)
{
    (void)state;
    const pov_vlm_sim_config config = POV_VLM_SIM_CONFIG_DEFAULT;
    for (int likely = 0; likely <= 20; likely += 20) {
        const pov_vlm_chat_request request = {.likely_wanted = likely};
        pov_vlm_sim_answer meant = ask(&config, 7, "left?");
        pov_vlm_answer answer;
        pov_yes_no score;
        char *json = pov_vlm_chat_write(&request, &meant);
        assert_int_equal(pov_vlm_answer_read(&answer, json, strlen(json)).code, POV_OK);
        pov_yes_no_read(&score, &answer, &POV_YES_NO_RULE_ENGLISH);
        assert_int_equal(score.kind, POV_YES_NO_REFUSED);
        pov_vlm_answer_free(&answer);
        free(json);
    }
    const pov_vlm_sim_answer where = ask(&config, 1, "where?");
    assert_true(isnan(where.yes) && !where.refused);
    assert_string_equal(where.text, "north east");
}

static void a_request_as_the_client_writes_it_is_understood(void **state)
{
    (void)state;
    uint8_t bytes[100];
    for (size_t len = 1; len <= sizeof bytes; len++) {
        for (size_t i = 0; i < len; i++)
            bytes[i] = (uint8_t)(i * 91 + len);
        const pov_vlm_question question = {.prompt = "left?",
                                           .system = "Say yes or no.",
                                           .image = {bytes, len, "image/png", NULL},
                                           .token_max = 5,
                                           .likely_wanted = 20};
        pov_vlm_chat_request request;
        char *json;
        size_t json_len;
        assert_int_equal(
            pov_vlm_request_write(&json, &json_len, &question, &(pov_vlm_manner){.model = "m", .extra = ""})
                .code,
            POV_OK);
        assert_int_equal(pov_vlm_chat_read(&request, json, json_len).code, POV_OK);
        assert_string_equal(request.prompt, "left?");
        assert_int_equal(request.image_len, len);
        assert_true(request.image == pov_vlm_truth_hash(bytes, len));
        assert_int_equal(request.likely_wanted, 20);
        free(json);
    }
}

static void a_request_that_is_none_is_told_why(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "not JSON"},
        {"{}", "messages"},
        {"{\"messages\":[{\"role\":\"system\",\"content\":\"x\"}]}", "messages"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":1}]}", "content"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"audio\"}]}]}", "unknown type"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
         "\"http://a\"}}]}]}",
         "data URI"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":"
         "{\"url\":\"data:image/png;base64,?\"}}]}]}",
         "base64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_vlm_chat_request request;
        const pov_status status = pov_vlm_chat_read(&request, cases[i][0], strlen(cases[i][0]));
        if (status.code != POV_ERROR || !strstr(status.message, cases[i][1]))
            fail_msg("%s: '%s'", cases[i][0], status.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bias_answers_in_its_own_frame),
        cmocka_unit_test(what_is_unknown_it_cannot_tell_unless_it_ignores_the_image),
        cmocka_unit_test(noise_and_refusals_come_by_lot_and_the_same_for_the_same_question),
        cmocka_unit_test(what_it_says_is_scored_as_it_means_it),
        cmocka_unit_test(a_refusal_is_scored_as_one_and_other_answers_are_texts),
        cmocka_unit_test(a_request_as_the_client_writes_it_is_understood),
        cmocka_unit_test(a_request_that_is_none_is_told_why),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
