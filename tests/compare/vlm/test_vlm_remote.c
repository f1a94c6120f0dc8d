#include "compare/vlm/vlm_result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define BODY "{\"choices\":[{\"message\":{\"content\":\"Yes\"}}]}"

static pov_task_answer answer_with(const char *outcome, const char *body)
{
    return (pov_task_answer){.ticket = 9,
                             .outcome = outcome,
                             .cause = "as it was",
                             .attempts = 3,
                             .http_status = 200,
                             .latency_ns = 5,
                             .cost = 0.25,
                             .body = body,
                             .body_len = strlen(body)};
}

static void a_question_goes_over_the_wire_whole(void **state)
{
    (void)state;
    const pov_vlm_question question = {.prompt = "Is it?",
                                       .system = "Say yes.",
                                       .image = {(const uint8_t *)"a\0b", 3, "image/png"},
                                       .token_max = 7,
                                       .likely_wanted = 20};
    const pov_task_message message = {.kind = POV_TASK_MESSAGE_TASK,
                                      .task = pov_vlm_remote_task(9, &question)};
    pov_task_message read;
    size_t len;
    uint8_t *bytes = pov_task_message_encode(&len, &message);
    assert_int_equal(pov_task_message_decode(&read, bytes, len, false).code, POV_OK);
    assert_int_equal(read.task.ticket, 9);
    assert_string_equal(read.task.prompt, "Is it?");
    assert_string_equal(read.task.system, "Say yes.");
    assert_string_equal(read.task.media_type, "image/png");
    assert_int_equal(read.task.image_len, 3);
    assert_memory_equal(read.task.image, "a\0b", 3);
    assert_int_equal(read.task.token_max * 100 + read.task.likely_wanted, 720);
    pov_task_message_free(&read);
    for (size_t cut = 0; cut < len; cut++) /* what is cut is refused, or lacks what it must have */
        if (pov_task_message_decode(&read, bytes, cut, false).code == POV_OK)
            pov_task_message_free(&read);
    free(bytes);
}

static void an_answer_is_read_as_the_client_reads_it(void **state)
{
    (void)state;
    pov_vlm_result result;
    pov_task_answer answer = answer_with("answered", BODY);
    pov_vlm_remote_result(&result, &answer);
    assert_int_equal(result.outcome, POV_VLM_ANSWERED);
    assert_string_equal(result.answer.text, "Yes");
    assert_string_equal(result.body, BODY);
    assert_int_equal(result.attempts * 1000 + result.http_status, 3200);
    assert_near(result.cost, 0.25, 0);
    answer = answer_with("too_slow", "");
    pov_vlm_remote_result(&result, &answer);
    assert_int_equal(result.outcome, POV_VLM_TOO_SLOW);
    assert_string_equal(result.cause, "as it was");
}

static void a_workers_word_is_not_relied_on(void **state)
{
    (void)state;
    pov_vlm_result result;
    pov_task_answer answer = answer_with("answered", "garbage");
    pov_vlm_remote_result(&result, &answer);
    assert_int_equal(result.outcome, POV_VLM_MALFORMED);
    assert_non_null(strstr(result.cause, "not JSON"));
    answer = answer_with("splendid", BODY);
    pov_vlm_remote_result(&result, &answer);
    assert_int_equal(result.outcome, POV_VLM_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_goes_over_the_wire_whole),
        cmocka_unit_test(an_answer_is_read_as_the_client_reads_it),
        cmocka_unit_test(a_workers_word_is_not_relied_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
