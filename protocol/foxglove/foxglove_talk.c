#include "protocol/foxglove/foxglove_talk.h"

#include "config/files/base64.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the server's ---- */

static char *print_and_delete(cJSON *message)
{
    char *text = message ? cJSON_PrintUnformatted(message) : NULL;
    cJSON_Delete(message);
    return text;
}

static cJSON *begin_message(const char *op)
{
    cJSON *message = cJSON_CreateObject();
    pov_json_add_text(message, "op", op);
    return message;
}

char *pov_foxglove_server_info(const char *name, const char *session)
{
    const char *const capabilities[] = {"time"};
    cJSON *message = begin_message("serverInfo");
    pov_json_add_text(message, "name", name);
    cJSON_AddItemToObject(message, "capabilities", cJSON_CreateStringArray(capabilities, 1));
    cJSON_AddItemToObject(message, "supportedEncodings", cJSON_CreateArray());
    cJSON_AddItemToObject(message, "metadata", cJSON_CreateObject());
    pov_json_add_text(message, "sessionId", session);
    return print_and_delete(message);
}

static cJSON *describe_channel(const pov_recorded_place *place)
{
    char name[POV_RECORDED_TOPIC_CAPACITY];
    pov_mcap_channel channel;
    pov_mcap_schema schema;
    pov_recorded_describe(&channel, &schema, name, place);
    char *coded = malloc(pov_base64_len(schema.len) + 1);
    if (!coded)
        return NULL;
    pov_base64_write(coded, schema.data, schema.len);
    cJSON *item = cJSON_CreateObject();
    pov_json_add_number(item, "id", channel.id);
    pov_json_add_text(item, "topic", channel.topic);
    pov_json_add_text(item, "encoding", channel.encoding);
    pov_json_add_text(item, "schemaName", schema.name);
    pov_json_add_text(item, "schemaEncoding", schema.encoding);
    pov_json_add_text(item, "schema", coded);
    free(coded);
    return item;
}

char *pov_foxglove_advertisement(const pov_recorded_camera *cameras, int camera_len)
{
    pov_recorded_place places[POV_RECORDED_CHANNEL_MAX];
    const int len = pov_recorded_places(places, cameras, camera_len);
    cJSON *message = begin_message("advertise");
    cJSON *channels = cJSON_AddArrayToObject(message, "channels");
    for (int i = 0; i < len; i++)
        cJSON_AddItemToArray(channels, describe_channel(&places[i]));
    return print_and_delete(message);
}

char *pov_foxglove_status(int level, const char *text)
{
    cJSON *message = begin_message("status");
    pov_json_add_number(message, "level", level);
    pov_json_add_text(message, "message", text);
    return print_and_delete(message);
}

/* ---- a client's ---- */

/* cJSON descends as deep as brackets do, on a thread of little stack. */
static bool is_shallow(const char *text, size_t len)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < len; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && (text[i] == '[' || text[i] == '{') && ++depth > POV_FOXGLOVE_DEPTH_MAX)
            return false;
        else if (!quoted && (text[i] == ']' || text[i] == '}'))
            depth--;
    }
    return true;
}

static bool take_id(uint32_t *id, const cJSON *item)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= UINT32_MAX) ||
        item->valuedouble != floor(item->valuedouble))
        return false;
    *id = (uint32_t)item->valuedouble;
    return true;
}

/* POV_RECORDED_CHANNEL_MAX: there is none. */
static int find_subscription(const pov_foxglove_subscriptions *subscriptions, uint32_t id)
{
    int at = 0;
    while (at < POV_RECORDED_CHANNEL_MAX && !(subscriptions->on[at] && subscriptions->id[at] == id))
        at++;
    return at;
}

/* A station of several cameras has no channel of "the camera", and of no more cameras than it has. */
static bool has_channel(const pov_foxglove_subscriptions *subscriptions, uint32_t channel)
{
    const int cameras = subscriptions->camera_len > 1 ? subscriptions->camera_len : 0;
    if (channel < 1 || channel > (uint32_t)(POV_RECORDED_COUNT * (1 + cameras)))
        return false;
    const pov_recorded topic = pov_recorded_of_channel((uint16_t)channel);
    const pov_recorded_camera camera = {(int)(channel - 1) / POV_RECORDED_COUNT, ""},
                              first = {cameras > 0, ""};
    return pov_recorded_channel(topic, &camera) == channel &&
           (camera.number > 0 || pov_recorded_channel(topic, &first) == channel);
}

static pov_status subscribe_one(pov_foxglove_subscriptions *subscriptions, const cJSON *wish)
{
    uint32_t id, channel;
    if (!take_id(&id, cJSON_GetObjectItemCaseSensitive(wish, "id")) ||
        !take_id(&channel, cJSON_GetObjectItemCaseSensitive(wish, "channelId")))
        return pov_status_with(POV_SKIPPED, "a subscription needs the numbers 'id' and 'channelId'");
    if (!has_channel(subscriptions, channel))
        return pov_status_with(POV_SKIPPED, "there is no channel %u", channel);
    const int other = find_subscription(subscriptions, id);
    if (subscriptions->on[channel - 1])
        return pov_status_with(POV_SKIPPED, "channel %u is subscribed to already", channel);
    if (other != POV_RECORDED_CHANNEL_MAX)
        return pov_status_with(POV_SKIPPED, "subscription %u is one of channel %d already", id, other + 1);
    subscriptions->on[channel - 1] = true;
    subscriptions->id[channel - 1] = id;
    return pov_ok();
}

static pov_status unsubscribe_one(pov_foxglove_subscriptions *subscriptions, const cJSON *item)
{
    uint32_t id = 0;
    const int at = take_id(&id, item) ? find_subscription(subscriptions, id) : POV_RECORDED_CHANNEL_MAX;
    if (at == POV_RECORDED_CHANNEL_MAX)
        return pov_status_with(POV_SKIPPED, "there is no subscription %u", id);
    subscriptions->on[at] = false;
    return pov_ok();
}

/* All that can be done of a list is; the last fault is told. */
static pov_status take_each(pov_foxglove_subscriptions *subscriptions, const cJSON *list, const char *name,
                            pov_status (*take)(pov_foxglove_subscriptions *, const cJSON *))
{
    pov_status all = pov_ok();
    const cJSON *item;
    if (!cJSON_IsArray(list))
        return pov_error("'%s' is to be a list", name);
    cJSON_ArrayForEach(item, list)
    {
        const pov_status status = take(subscriptions, item);
        if (status.code != POV_OK)
            all = status;
    }
    return all;
}

static pov_status take_message(pov_foxglove_subscriptions *subscriptions, const cJSON *message)
{
    const cJSON *op = cJSON_GetObjectItemCaseSensitive(message, "op");
    if (!cJSON_IsString(op))
        return pov_error("a message is a JSON object with the text 'op'");
    if (strcmp(op->valuestring, "subscribe") == 0)
        return take_each(subscriptions, cJSON_GetObjectItemCaseSensitive(message, "subscriptions"),
                         "subscriptions", subscribe_one);
    if (strcmp(op->valuestring, "unsubscribe") == 0)
        return take_each(subscriptions, cJSON_GetObjectItemCaseSensitive(message, "subscriptionIds"),
                         "subscriptionIds", unsubscribe_one);
    return pov_status_with(POV_SKIPPED, "this server only takes 'subscribe' and 'unsubscribe'");
}

pov_status pov_foxglove_hear(pov_foxglove_subscriptions *subscriptions, const char *text, size_t len)
{
    if (len > POV_FOXGLOVE_TEXT_BYTES_MAX || !is_shallow(text, len))
        return pov_error("a message has at most %d bytes, and brackets %d deep", POV_FOXGLOVE_TEXT_BYTES_MAX,
                         POV_FOXGLOVE_DEPTH_MAX);
    cJSON *message = pov_json_parse(text, len);
    const pov_status status = take_message(subscriptions, message);
    cJSON_Delete(message);
    return status;
}

/* ---- binary ---- */

static void write_little_endian(uint8_t *bytes, uint64_t value, int len)
{
    for (int i = 0; i < len; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

void pov_foxglove_write_message_head(uint8_t head[POV_FOXGLOVE_HEAD_BYTES], uint32_t subscription,
                                     int64_t log_ns)
{
    head[0] = 1;
    write_little_endian(head + 1, subscription, 4);
    write_little_endian(head + 5, (uint64_t)log_ns, 8);
}

void pov_foxglove_write_time(uint8_t bytes[POV_FOXGLOVE_TIME_BYTES], int64_t now_ns)
{
    bytes[0] = 2;
    write_little_endian(bytes + 1, (uint64_t)now_ns, 8);
}
