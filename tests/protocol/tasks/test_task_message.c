#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/tasks/task_message.h"

#include <stdlib.h>
#include <string.h>

/* A presence, and after it fields of a newer version: number 15, value 0. */
static pov_status decode_with_unknown_fields(int fields)
{
    uint64_t held[POV_TASK_CAPACITY_MAX] = {1, 2, 3};
    pov_task_message message = {.kind = POV_TASK_MESSAGE_PRESENCE,
                                .presence = {"worker", 4, held, POV_TASK_CAPACITY_MAX}};
    size_t len;
    uint8_t *bytes = pov_task_message_encode(&len, &message);
    assert_non_null(bytes);
    bytes = realloc(bytes, len + 2 * (size_t)fields);
    assert_non_null(bytes);
    for (int i = 0; i < fields; i++)
        memcpy(bytes + len + 2 * i, (const uint8_t[]){15 << 3, 0}, 2);
    const pov_status status = pov_task_message_decode(&message, bytes, len + 2 * (size_t)fields, true);
    if (status.code == POV_OK)
        assert_int_equal(message.presence.held_len, POV_TASK_CAPACITY_MAX);
    pov_task_message_free(&message);
    free(bytes);
    return status;
}

static void fields_of_newer_versions_are_passed_over(void **state)
{
    (void)state;
    assert_int_equal(decode_with_unknown_fields(0).code, POV_OK);
    assert_int_equal(decode_with_unknown_fields(100).code, POV_OK);
}

/* A megabyte of them would take fifty. */
static void a_message_that_asks_for_too_much_memory_is_refused(void **state)
{
    (void)state;
    assert_int_equal(decode_with_unknown_fields(1 << 19).code, POV_ERROR);
}

static void an_image_as_large_as_may_be_is_taken(void **state)
{
    (void)state;
    const size_t image_len = (size_t)POV_TASK_BYTES_MAX - 1000;
    uint8_t *image = calloc(image_len, 1);
    assert_non_null(image);
    pov_task_message message = {.kind = POV_TASK_MESSAGE_TASK,
                                .task = {.prompt = "where?",
                                         .image = image,
                                         .image_len = image_len,
                                         .media_type = "image/png",
                                         .token_max = 1}};
    size_t len;
    uint8_t *bytes = pov_task_message_encode(&len, &message);
    free(image);
    assert_int_equal(pov_task_message_decode(&message, bytes, len, false).code, POV_OK);
    assert_int_equal(message.task.image_len, image_len);
    assert_string_equal(message.task.prompt, "where?");
    pov_task_message_free(&message);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_newer_versions_are_passed_over),
        cmocka_unit_test(a_message_that_asks_for_too_much_memory_is_refused),
        cmocka_unit_test(an_image_as_large_as_may_be_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
