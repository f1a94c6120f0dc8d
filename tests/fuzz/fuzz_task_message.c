#include "protocol/tasks/task_message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(const pov_task_message *message)
{
    const pov_task *task = &message->task;
    const pov_task_answer *answer = &message->answer;
    const pov_task_presence *presence = &message->presence;
    if (message->kind == POV_TASK_MESSAGE_TASK &&
        (!task->prompt || task->token_max < 1 || task->likely_wanted > POV_TASK_LIKELY_MAX ||
         (task->image_len > 0) != (task->image != NULL)))
        abort();
    if (message->kind == POV_TASK_MESSAGE_ANSWER &&
        (!answer->outcome || answer->body[answer->body_len] != '\0' || !(answer->cost >= 0) ||
         answer->latency_ns < 0))
        abort();
    if (message->kind == POV_TASK_MESSAGE_PRESENCE &&
        (presence->capacity < 0 || presence->held_len > POV_TASK_CAPACITY_MAX))
        abort();
}

/* The first byte says whose message it is; what was decoded is encoded and decoded to the same bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_task_message message, again;
    const bool from_worker = length > 0 && bytes[0] % 2 == 1;
    if (length == 0 || pov_task_message_decode(&message, bytes + 1, length - 1, from_worker).code != POV_OK)
        return 0;
    check(&message);
    size_t len, len_again;
    uint8_t *encoded = pov_task_message_encode(&len, &message);
    if (pov_task_message_decode(&again, encoded, len, from_worker).code != POV_OK)
        abort();
    uint8_t *encoded_again = pov_task_message_encode(&len_again, &again);
    if (len != len_again || memcmp(encoded, encoded_again, len) != 0)
        abort();
    free(encoded);
    free(encoded_again);
    pov_task_message_free(&message);
    pov_task_message_free(&again);
    return 0;
}
