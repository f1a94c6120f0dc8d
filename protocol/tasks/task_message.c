#include "protocol/tasks/task_message.h"

#include "vlm.pb-c.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- to bytes ---- */

static char *text_or_empty(const char *text)
{
    return (char *)(text ? text : "");
}

static ProtobufCBinaryData bytes_of(const void *data, size_t len)
{
    return (ProtobufCBinaryData){.len = len, .data = (uint8_t *)data};
}

static uint8_t *pack(size_t *len, const ProtobufCMessage *message)
{
    uint8_t *bytes = malloc(protobuf_c_message_get_packed_size(message) + 1);
    *len = bytes ? protobuf_c_message_pack(message, bytes) : 0;
    return bytes;
}

static uint8_t *encode_task(size_t *len, const pov_task *task)
{
    Pov__Vlm__FromDevice device = POV__VLM__FROM_DEVICE__INIT;
    Pov__Vlm__Task content = POV__VLM__TASK__INIT;
    content.session = task->session;
    content.ticket = task->ticket;
    content.prompt = text_or_empty(task->prompt);
    content.system = text_or_empty(task->system);
    content.image = bytes_of(task->image, task->image_len);
    content.media_type = text_or_empty(task->media_type);
    content.token_max = (uint32_t)task->token_max;
    content.likely_wanted = (uint32_t)task->likely_wanted;
    device.schema_version = POV_TASK_SCHEMA_VERSION;
    device.content_case = POV__VLM__FROM_DEVICE__CONTENT_TASK;
    device.task = &content;
    return pack(len, &device.base);
}

static uint8_t *encode_answer(size_t *len, const pov_task_answer *answer)
{
    Pov__Vlm__FromWorker worker = POV__VLM__FROM_WORKER__INIT;
    Pov__Vlm__Answer content = POV__VLM__ANSWER__INIT;
    content.session = answer->session;
    content.ticket = answer->ticket;
    content.outcome = text_or_empty(answer->outcome);
    content.cause = text_or_empty(answer->cause);
    content.server = text_or_empty(answer->server);
    content.model = text_or_empty(answer->model);
    content.attempts = (uint32_t)answer->attempts;
    content.http_status = (uint32_t)answer->http_status;
    content.latency_ns = (uint64_t)answer->latency_ns;
    content.cost = answer->cost;
    content.body = bytes_of(answer->body, answer->body_len);
    worker.schema_version = POV_TASK_SCHEMA_VERSION;
    worker.content_case = POV__VLM__FROM_WORKER__CONTENT_ANSWER;
    worker.answer = &content;
    return pack(len, &worker.base);
}

static uint8_t *encode_presence(size_t *len, const pov_task_presence *presence)
{
    Pov__Vlm__FromWorker worker = POV__VLM__FROM_WORKER__INIT;
    Pov__Vlm__Presence content = POV__VLM__PRESENCE__INIT;
    content.name = text_or_empty(presence->name);
    content.capacity = (uint32_t)presence->capacity;
    content.n_held = presence->held_len;
    content.held = (uint64_t *)presence->held;
    worker.schema_version = POV_TASK_SCHEMA_VERSION;
    worker.content_case = POV__VLM__FROM_WORKER__CONTENT_PRESENCE;
    worker.presence = &content;
    return pack(len, &worker.base);
}

uint8_t *pov_task_message_encode(size_t *len, const pov_task_message *message)
{
    switch (message->kind) {
    case POV_TASK_MESSAGE_TASK:
        return encode_task(len, &message->task);
    case POV_TASK_MESSAGE_ANSWER:
        return encode_answer(len, &message->answer);
    default:
        return encode_presence(len, &message->presence);
    }
}

/* ---- from bytes ---- */

static pov_status check_version(uint32_t version)
{
    if (version >= 1 && version <= POV_TASK_SCHEMA_VERSION)
        return pov_ok();
    return pov_error("schema version %u: this pov knows 1 to %d; update the older of the two", version,
                     POV_TASK_SCHEMA_VERSION);
}

static pov_status read_task(pov_task *task, const Pov__Vlm__Task *content)
{
    if (content->token_max < 1 || content->token_max > POV_TASK_TOKEN_MAX)
        return pov_error("token_max: %u is not in 1..%d", content->token_max, POV_TASK_TOKEN_MAX);
    if (content->likely_wanted > POV_TASK_LIKELY_MAX)
        return pov_error("likely_wanted: %u is above %d", content->likely_wanted, POV_TASK_LIKELY_MAX);
    if (content->image.len > 0 && content->media_type[0] == '\0')
        return pov_error("media_type: missing, though there is an image");
    *task = (pov_task){.session = content->session,
                       .ticket = content->ticket,
                       .prompt = content->prompt,
                       .system = content->system[0] ? content->system : NULL,
                       .image = content->image.len ? content->image.data : NULL,
                       .image_len = content->image.len,
                       .media_type = content->media_type,
                       .token_max = (int)content->token_max,
                       .likely_wanted = (int)content->likely_wanted};
    return pov_ok();
}

/** Readers of texts want the body to end in a NUL, which the wire does not carry. */
static pov_status end_body(ProtobufCBinaryData *body)
{
    uint8_t *longer = realloc(body->data, body->len + 1);
    if (!longer)
        return pov_error("out of memory for an answer");
    longer[body->len] = '\0';
    body->data = longer;
    return pov_ok();
}

static pov_status read_answer(pov_task_answer *answer, Pov__Vlm__Answer *content)
{
    if (!isfinite(content->cost) || content->cost < 0)
        return pov_error("cost: negative or not a number");
    if (content->attempts > INT32_MAX || content->http_status > 999 || content->latency_ns > INT64_MAX)
        return pov_error("attempts, http_status or latency_ns: out of range");
    POV_TRY(end_body(&content->body));
    *answer = (pov_task_answer){.session = content->session,
                                .ticket = content->ticket,
                                .outcome = content->outcome,
                                .cause = content->cause,
                                .server = content->server,
                                .model = content->model,
                                .attempts = (int)content->attempts,
                                .http_status = (int)content->http_status,
                                .latency_ns = (int64_t)content->latency_ns,
                                .cost = content->cost,
                                .body = (const char *)content->body.data,
                                .body_len = content->body.len};
    return pov_ok();
}

static pov_status read_presence(pov_task_presence *presence, const Pov__Vlm__Presence *content)
{
    if (content->capacity > POV_TASK_CAPACITY_MAX || content->n_held > POV_TASK_CAPACITY_MAX)
        return pov_error("capacity, held: more than %d", POV_TASK_CAPACITY_MAX);
    *presence = (pov_task_presence){.name = content->name,
                                    .capacity = (int)content->capacity,
                                    .held = content->held,
                                    .held_len = content->n_held};
    return pov_ok();
}

static pov_status read_from_worker(pov_task_message *message, Pov__Vlm__FromWorker *worker)
{
    POV_TRY(check_version(worker->schema_version));
    if (worker->content_case == POV__VLM__FROM_WORKER__CONTENT_ANSWER) {
        message->kind = POV_TASK_MESSAGE_ANSWER;
        return read_answer(&message->answer, worker->answer);
    }
    if (worker->content_case != POV__VLM__FROM_WORKER__CONTENT_PRESENCE)
        return pov_error("neither an answer nor a presence");
    message->kind = POV_TASK_MESSAGE_PRESENCE;
    return read_presence(&message->presence, worker->presence);
}

static pov_status read_from_device(pov_task_message *message, const Pov__Vlm__FromDevice *device)
{
    POV_TRY(check_version(device->schema_version));
    if (device->content_case != POV__VLM__FROM_DEVICE__CONTENT_TASK)
        return pov_error("not a task");
    message->kind = POV_TASK_MESSAGE_TASK;
    return read_task(&message->task, device->task);
}

/* What unpacking may still allocate. Fields of two bytes that nobody knows take fifty and more: a stranger's message must not
 * fill the memory. */
typedef struct {
    size_t left;
} allowance;

static void *allocate_counted(void *data, size_t size)
{
    allowance *allowed = data;
    if (size > allowed->left)
        return NULL;
    allowed->left -= size;
    return malloc(size);
}

static void free_counted(void *data, void *memory)
{
    (void)data;
    free(memory);
}

static ProtobufCMessage *unpack(const ProtobufCMessageDescriptor *kind, const uint8_t *bytes, size_t len)
{
    enum { OVERHEAD = 256 << 10 }; /* of POV_TASK_CAPACITY_MAX tickets, and more */
    allowance allowed = {2 * len + OVERHEAD};
    ProtobufCAllocator allocator = {allocate_counted, free_counted, &allowed};
    return protobuf_c_message_unpack(kind, &allocator, len, bytes);
}

pov_status pov_task_message_decode(pov_task_message *message, const uint8_t *bytes, size_t len,
                                   bool from_worker)
{
    const ProtobufCMessageDescriptor *kind =
        from_worker ? &pov__vlm__from_worker__descriptor : &pov__vlm__from_device__descriptor;
    *message = (pov_task_message){.kind = POV_TASK_MESSAGE_TASK};
    if (len > POV_TASK_BYTES_MAX)
        return pov_error("%zu bytes: more than %d", len, POV_TASK_BYTES_MAX);
    ProtobufCMessage *unpacked = unpack(kind, bytes, len);
    if (!unpacked)
        return pov_error("%zu bytes that are no message of protocol/vlm.proto", len);
    message->memory = unpacked;
    const pov_status status = from_worker ? read_from_worker(message, (Pov__Vlm__FromWorker *)unpacked)
                                          : read_from_device(message, (Pov__Vlm__FromDevice *)unpacked);
    if (status.code != POV_OK)
        pov_task_message_free(message);
    return status;
}

void pov_task_message_free(pov_task_message *message)
{
    if (message->memory)
        protobuf_c_message_free_unpacked(message->memory, NULL);
    *message = (pov_task_message){.kind = POV_TASK_MESSAGE_TASK};
}
