#include "compare/vlm/vlm_doors.h"

#include "config/files/json_value.h"
#include "perception/status.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

POV_ENUM_NAMES(pov_vlm_api_name, pov_vlm_api, POV_VLM_API_COUNT, "chat", "azure", "anthropic", "google",
               "responses")

/* ---- addresses and headers ---- */

bool pov_vlm_api_url(char *url, size_t capacity, const pov_vlm_address *to)
{
    int len = 0;
    switch (to->api) {
    case POV_VLM_API_ANTHROPIC:
        len = snprintf(url, capacity, "%s/messages", to->base);
        break;
    case POV_VLM_API_GOOGLE:
        len = snprintf(url, capacity, "%s/models/%s:%s", to->base, to->model,
                       to->streams ? "streamGenerateContent?alt=sse" : "generateContent");
        break;
    case POV_VLM_API_RESPONSES:
        len = snprintf(url, capacity, "%s/responses", to->base);
        break;
    default:
        len = snprintf(url, capacity, "%s/chat/completions%s%s", to->base,
                       *to->version ? "?api-version=" : "", to->version);
    }
    return len < (int)capacity;
}

const char *pov_vlm_api_key_header(pov_vlm_api api)
{
    return api == POV_VLM_API_AZURE       ? "api-key: "
           : api == POV_VLM_API_ANTHROPIC ? "x-api-key: "
           : api == POV_VLM_API_GOOGLE    ? "x-goog-api-key: "
                                          : "Authorization: Bearer ";
}

const char *pov_vlm_api_header(pov_vlm_api api)
{
    return api == POV_VLM_API_ANTHROPIC ? "anthropic-version: 2023-06-01" : NULL;
}

/* ---- requests ---- */

static const cJSON *member_of(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* Moves a member to another object, under another name, if it is there. */
static void move_member(cJSON *to, const char *as, cJSON *from, const char *key)
{
    cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(from, key);
    if (item)
        cJSON_AddItemToObject(to, as, item);
}

static cJSON *add_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

/* The text of the system's or the user's message; "": none. */
static const char *text_of(const cJSON *chat, const char *role)
{
    const cJSON *message, *part;
    cJSON_ArrayForEach(message, member_of(chat, "messages"))
    {
        if (strcmp(pov_json_text_of(message, "role"), role) != 0)
            continue;
        const cJSON *content = member_of(message, "content");
        if (cJSON_IsString(content))
            return content->valuestring;
        cJSON_ArrayForEach(part, content)
        {
            if (strcmp(pov_json_text_of(part, "type"), "text") == 0)
                return pov_json_text_of(part, "text");
        }
    }
    return "";
}

/* The user's image after another (NULL: the first), {"url": "data:TYPE;base64,DATA", "detail"}; NULL: none. */
static const cJSON *image_after(const cJSON *chat, const cJSON *image)
{
    const cJSON *message, *part;
    bool passed = !image;
    cJSON_ArrayForEach(message, member_of(chat, "messages"))
    {
        cJSON_ArrayForEach(part, member_of(message, "content"))
        {
            const cJSON *found = member_of(part, "image_url");
            if (found && passed)
                return found;
            passed |= found == image;
        }
    }
    return NULL;
}

/* Adds type and data of an image under the names that an API has for them. */
static void add_image_data(cJSON *object, const cJSON *image, const char *type_key, const char *data_key)
{
    char type[40];
    const char *uri = pov_json_text_of(image, "url"), *data = strstr(uri, ";base64,");
    POV_REQUIRE(data && strncmp(uri, "data:", 5) == 0);
    snprintf(type, sizeof type, "%.*s", (int)(data - uri - 5), uri + 5);
    cJSON_AddStringToObject(object, type_key, type);
    cJSON_AddStringToObject(object, data_key, data + strlen(";base64,"));
}

static cJSON *ask_anthropic(cJSON *chat)
{
    cJSON *root = cJSON_CreateObject();
    move_member(root, "model", chat, "model");
    move_member(root, "max_tokens", chat, "max_tokens");
    move_member(root, "temperature", chat, "temperature");
    move_member(root, "stream", chat, "stream");
    if (*text_of(chat, "system"))
        cJSON_AddStringToObject(root, "system", text_of(chat, "system"));
    cJSON *message = add_object(cJSON_AddArrayToObject(root, "messages"));
    cJSON_AddStringToObject(message, "role", "user");
    cJSON *content = cJSON_AddArrayToObject(message, "content");
    for (const cJSON *image = image_after(chat, NULL); image; image = image_after(chat, image)) {
        cJSON *part = add_object(content);
        cJSON_AddStringToObject(part, "type", "image");
        cJSON *source = cJSON_AddObjectToObject(part, "source");
        cJSON_AddStringToObject(source, "type", "base64");
        add_image_data(source, image, "media_type", "data");
    }
    cJSON *part = add_object(content);
    cJSON_AddStringToObject(part, "type", "text");
    cJSON_AddStringToObject(part, "text", text_of(chat, "user"));
    return root;
}

static cJSON *ask_google(cJSON *chat)
{
    cJSON *root = cJSON_CreateObject();
    if (*text_of(chat, "system"))
        cJSON_AddStringToObject(
            add_object(cJSON_AddArrayToObject(cJSON_AddObjectToObject(root, "systemInstruction"), "parts")),
            "text", text_of(chat, "system"));
    cJSON *content = add_object(cJSON_AddArrayToObject(root, "contents"));
    cJSON_AddStringToObject(content, "role", "user");
    cJSON *parts = cJSON_AddArrayToObject(content, "parts");
    for (const cJSON *image = image_after(chat, NULL); image; image = image_after(chat, image))
        add_image_data(cJSON_AddObjectToObject(add_object(parts), "inlineData"), image, "mimeType", "data");
    cJSON_AddStringToObject(add_object(parts), "text", text_of(chat, "user"));
    cJSON *config = cJSON_AddObjectToObject(root, "generationConfig");
    move_member(config, "temperature", chat, "temperature");
    move_member(config, "maxOutputTokens", chat, "max_tokens");
    move_member(config, "responseLogprobs", chat, "logprobs");
    move_member(config, "logprobs", chat, "top_logprobs");
    return root;
}

static cJSON *ask_responses(cJSON *chat)
{
    cJSON *root = cJSON_CreateObject();
    move_member(root, "model", chat, "model");
    if (*text_of(chat, "system"))
        cJSON_AddStringToObject(root, "instructions", text_of(chat, "system"));
    cJSON *message = add_object(cJSON_AddArrayToObject(root, "input"));
    cJSON_AddStringToObject(message, "role", "user");
    cJSON *content = cJSON_AddArrayToObject(message, "content");
    for (const cJSON *image = image_after(chat, NULL); image; image = image_after(chat, image)) {
        cJSON *part = add_object(content);
        cJSON_AddStringToObject(part, "type", "input_image");
        cJSON_AddStringToObject(part, "image_url", pov_json_text_of(image, "url"));
        if (member_of(image, "detail"))
            cJSON_AddStringToObject(part, "detail", pov_json_text_of(image, "detail"));
    }
    cJSON *part = add_object(content);
    cJSON_AddStringToObject(part, "type", "input_text");
    cJSON_AddStringToObject(part, "text", text_of(chat, "user"));
    move_member(root, "temperature", chat, "temperature");
    move_member(root, "max_output_tokens", chat,
                member_of(chat, "max_tokens") ? "max_tokens" : "max_completion_tokens");
    if (member_of(chat, "reasoning_effort"))
        move_member(cJSON_AddObjectToObject(root, "reasoning"), "effort", chat, "reasoning_effort");
    if (member_of(chat, "top_logprobs")) {
        move_member(root, "top_logprobs", chat, "top_logprobs");
        cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "include"),
                             cJSON_CreateString("message.output_text.logprobs"));
    }
    cJSON_AddBoolToObject(root, "store", false);
    move_member(root, "stream", chat, "stream");
    return root;
}

cJSON *pov_vlm_api_request(cJSON *chat, pov_vlm_api api)
{
    if (api == POV_VLM_API_CHAT || api == POV_VLM_API_AZURE)
        return chat;
    cJSON *root = api == POV_VLM_API_ANTHROPIC ? ask_anthropic(chat)
                  : api == POV_VLM_API_GOOGLE  ? ask_google(chat)
                                               : ask_responses(chat);
    cJSON_Delete(chat);
    return root;
}

/* ---- responses ---- */

/* A response under way to chat completions. */
typedef struct {
    cJSON *root, *choice, *message, *tokens, *calls;
    char *text[2]; /* of the answer, of the thoughts */
    size_t len[2];
    FILE *stream[2];
} reply;

enum { ANSWER, THOUGHTS };

/* The streams hold the reply's address. */
static void begin_reply(reply *r)
{
    *r = (reply){.root = cJSON_CreateObject(), .tokens = cJSON_CreateArray(), .calls = cJSON_CreateArray()};
    r->choice = add_object(cJSON_AddArrayToObject(r->root, "choices"));
    r->message = cJSON_AddObjectToObject(r->choice, "message");
    for (int i = 0; i < 2; i++) {
        r->stream[i] = open_memstream(&r->text[i], &r->len[i]);
        POV_REQUIRE_MEMORY(r->stream[i]);
    }
}

static void add_call(reply *r, const char *name)
{
    cJSON_AddStringToObject(cJSON_AddObjectToObject(add_object(r->calls), "function"), "name", name);
}

/* NaN: not told. */
static void add_usage(reply *r, double prompt, double answer)
{
    cJSON *usage = cJSON_AddObjectToObject(r->root, "usage");
    if (!isnan(prompt))
        cJSON_AddNumberToObject(usage, "prompt_tokens", prompt);
    if (!isnan(answer))
        cJSON_AddNumberToObject(usage, "completion_tokens", answer);
}

/* Deletes what was read. `reason`: as chat completions name it; "": none was given. */
static cJSON *end_reply(reply *r, cJSON *read, const char *reason, const char *model)
{
    for (int i = 0; i < 2; i++)
        POV_REQUIRE_MEMORY(fclose(r->stream[i]) == 0);
    if (*r->text[ANSWER])
        cJSON_AddStringToObject(r->message, "content", r->text[ANSWER]);
    if (*r->text[THOUGHTS])
        cJSON_AddStringToObject(r->message, "reasoning_content", r->text[THOUGHTS]);
    cJSON_AddItemToObject(r->message, "tool_calls", r->calls);
    cJSON_AddItemToObject(cJSON_AddObjectToObject(r->choice, "logprobs"), "content", r->tokens);
    cJSON_AddStringToObject(r->choice, "finish_reason", reason);
    cJSON_AddStringToObject(r->root, "model", model);
    for (int i = 0; i < 2; i++)
        free(r->text[i]);
    cJSON_Delete(read);
    return r->root;
}

static const char *anthropic_reason(const char *stop)
{
    return strcmp(stop, "max_tokens") == 0 || strcmp(stop, "model_context_window_exceeded") == 0 ? "length"
           : strcmp(stop, "refusal") == 0 ? "content_filter"
           : *stop                        ? "stop"
                                          : "";
}

static cJSON *read_anthropic(cJSON *root)
{
    const char *reason = anthropic_reason(pov_json_text_of(root, "stop_reason"));
    const cJSON *part, *usage = member_of(root, "usage");
    reply r;
    begin_reply(&r);
    cJSON_ArrayForEach(part, member_of(root, "content"))
    {
        const char *type = pov_json_text_of(part, "type");
        if (strcmp(type, "text") == 0)
            fputs(pov_json_text_of(part, "text"), r.stream[ANSWER]);
        else if (strcmp(type, "thinking") == 0)
            fputs(pov_json_text_of(part, "thinking"), r.stream[THOUGHTS]);
        else if (strcmp(type, "tool_use") == 0)
            add_call(&r, pov_json_text_of(part, "name"));
    }
    if (strcmp(reason, "content_filter") == 0)
        cJSON_AddStringToObject(r.message, "refusal", "the server stopped the answer (stop_reason: refusal)");
    add_usage(&r, pov_json_number_of(usage, "input_tokens"), pov_json_number_of(usage, "output_tokens"));
    return end_reply(&r, root, reason, pov_json_text_of(root, "model"));
}

static cJSON *google_token(const cJSON *candidate)
{
    cJSON *token = cJSON_CreateObject();
    cJSON_AddStringToObject(token, "token", pov_json_text_of(candidate, "token"));
    pov_json_add_number(token, "logprob", pov_json_number_of(candidate, "logProbability"));
    return token;
}

static void read_google_tokens(reply *r, const cJSON *candidate)
{
    const cJSON *result = member_of(candidate, "logprobsResult"), *chosen, *likely;
    const cJSON *top = cJSON_GetArrayItem(member_of(result, "topCandidates"), 0);
    cJSON_ArrayForEach(chosen, member_of(result, "chosenCandidates"))
    {
        cJSON *token = google_token(chosen), *list = cJSON_AddArrayToObject(token, "top_logprobs");
        cJSON_ArrayForEach(likely, member_of(top, "candidates"))
        {
            cJSON_AddItemToArray(list, google_token(likely));
        }
        cJSON_AddItemToArray(r->tokens, token);
        top = top ? top->next : NULL;
    }
}

static const char *google_reason(const char *reason)
{
    return strcmp(reason, "MAX_TOKENS") == 0 ? "length"
           : strcmp(reason, "STOP") == 0     ? "stop"
           : *reason                         ? "content_filter"
                                             : "";
}

static cJSON *read_google(cJSON *root)
{
    const cJSON *candidate = cJSON_GetArrayItem(member_of(root, "candidates"), 0), *part;
    const char *blocked = pov_json_text_of(member_of(root, "promptFeedback"), "blockReason");
    const cJSON *usage = member_of(root, "usageMetadata");
    const double thoughts = pov_json_number_of(usage, "thoughtsTokenCount");
    const double answer = pov_json_number_of(usage, "candidatesTokenCount");
    const char *reason =
        *blocked ? "content_filter" : google_reason(pov_json_text_of(candidate, "finishReason"));
    char text[120];
    reply r;
    begin_reply(&r);
    cJSON_ArrayForEach(part, member_of(member_of(candidate, "content"), "parts"))
    {
        fputs(pov_json_text_of(part, "text"),
              r.stream[cJSON_IsTrue(member_of(part, "thought")) ? THOUGHTS : ANSWER]);
        if (member_of(part, "functionCall"))
            add_call(&r, pov_json_text_of(member_of(part, "functionCall"), "name"));
    }
    read_google_tokens(&r, candidate);
    if (*blocked || strcmp(reason, "content_filter") == 0) {
        snprintf(text, sizeof text, "the server blocks it: %.80s",
                 *blocked ? blocked : pov_json_text_of(candidate, "finishReason"));
        cJSON_AddStringToObject(r.message, "refusal", text);
    }
    add_usage(&r, pov_json_number_of(usage, "promptTokenCount"),
              usage ? (answer >= 0 ? answer : 0) + (thoughts >= 0 ? thoughts : 0) : NAN);
    return end_reply(&r, root, reason, pov_json_text_of(root, "modelVersion"));
}

static void read_output(reply *r, cJSON *output)
{
    cJSON *part;
    if (strcmp(pov_json_text_of(output, "type"), "function_call") == 0)
        add_call(r, pov_json_text_of(output, "name"));
    cJSON_ArrayForEach(part, member_of(output, "summary"))
    {
        fputs(pov_json_text_of(part, "text"), r->stream[THOUGHTS]);
    }
    if (strcmp(pov_json_text_of(output, "type"), "message") != 0)
        return;
    cJSON_ArrayForEach(part, member_of(output, "content"))
    {
        fputs(pov_json_text_of(part, "text"), r->stream[ANSWER]);
        if (*pov_json_text_of(part, "refusal"))
            cJSON_AddStringToObject(r->message, "refusal", pov_json_text_of(part, "refusal"));
        cJSON *tokens = cJSON_GetObjectItemCaseSensitive(part, "logprobs");
        while (cJSON_IsArray(tokens) && tokens->child)
            cJSON_AddItemToArray(r->tokens, cJSON_DetachItemViaPointer(tokens, tokens->child));
    }
}

/* "failed" or "cancelled", and no error that says why. */
static bool has_failed(const cJSON *response)
{
    const char *status = pov_json_text_of(response, "status");
    return strcmp(status, "failed") == 0 || strcmp(status, "cancelled") == 0;
}

static cJSON *tell_failure(cJSON *response)
{
    char text[60];
    cJSON *root = cJSON_CreateObject();
    snprintf(text, sizeof text, "the response's status is '%.20s'", pov_json_text_of(response, "status"));
    cJSON_AddStringToObject(cJSON_AddObjectToObject(root, "error"), "message", text);
    cJSON_Delete(response);
    return root;
}

static cJSON *read_responses(cJSON *root)
{
    if (has_failed(root))
        return tell_failure(root);
    const char *why = pov_json_text_of(member_of(root, "incomplete_details"), "reason");
    const cJSON *usage = member_of(root, "usage");
    cJSON *output;
    reply r;
    begin_reply(&r);
    cJSON_ArrayForEach(output, member_of(root, "output"))
    {
        read_output(&r, output);
    }
    add_usage(&r, pov_json_number_of(usage, "input_tokens"), pov_json_number_of(usage, "output_tokens"));
    return end_reply(&r, root,
                     strcmp(why, "max_output_tokens") == 0 ? "length"
                     : *why                                ? "content_filter"
                                                           : "stop",
                     pov_json_text_of(root, "model"));
}

cJSON *pov_vlm_api_response(cJSON *root)
{
    const cJSON *error = member_of(root, "error");
    if (!cJSON_IsObject(root) || (error && !cJSON_IsNull(error)) || member_of(root, "choices"))
        return root;
    if (strcmp(pov_json_text_of(root, "type"), "message") == 0 && cJSON_IsArray(member_of(root, "content")))
        return read_anthropic(root);
    if (member_of(root, "candidates") || member_of(root, "promptFeedback"))
        return read_google(root);
    if (strcmp(pov_json_text_of(root, "object"), "response") == 0)
        return read_responses(root);
    return root;
}

/* ---- events of a stream ---- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* A piece of text, under the name that chat completions have for it. */
static cJSON *chat_event(const char *key, const char *text)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *choice = add_object(cJSON_AddArrayToObject(root, "choices"));
    cJSON_AddStringToObject(cJSON_AddObjectToObject(choice, "delta"), key, text);
    return root;
}

static cJSON *anthropic_event(cJSON *event, const char *type)
{
    cJSON *delta = cJSON_GetObjectItemCaseSensitive(event, "delta");
    const char *kind = pov_json_text_of(delta, "type");
    if (strcmp(type, "content_block_delta") == 0)
        return strcmp(kind, "text_delta") == 0 ? chat_event("content", pov_json_text_of(delta, "text"))
               : strcmp(kind, "thinking_delta") == 0
                   ? chat_event("reasoning_content", pov_json_text_of(delta, "thinking"))
                   : cJSON_CreateObject();
    if (strcmp(type, "message_start") == 0 && cJSON_IsObject(member_of(event, "message")))
        return read_anthropic(cJSON_DetachItemFromObjectCaseSensitive(event, "message"));
    cJSON *message = cJSON_CreateObject(), *content = cJSON_AddArrayToObject(message, "content");
    cJSON *block = strcmp(type, "content_block_start") == 0
                       ? cJSON_DetachItemFromObjectCaseSensitive(event, "content_block")
                       : NULL;
    if (block)
        cJSON_AddItemToArray(content, block);
    if (strcmp(type, "message_delta") == 0) {
        move_member(message, "stop_reason", delta, "stop_reason");
        move_member(message, "usage", event, "usage");
    }
    return read_anthropic(message);
}

static cJSON *responses_event(bool *is_whole, cJSON *event, const char *type)
{
    static const struct {
        const char *type, *key;
    } deltas[] = {{"response.output_text.delta", "content"},
                  {"response.refusal.delta", "refusal"},
                  {"response.reasoning_text.delta", "reasoning_content"},
                  {"response.reasoning_summary_text.delta", "reasoning_content"}};
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        if (strcmp(type, deltas[i].type) != 0)
            continue;
        cJSON *root = chat_event(deltas[i].key, pov_json_text_of(event, "delta"));
        move_member(cJSON_AddObjectToObject(cJSON_GetArrayItem(member_of(root, "choices"), 0), "logprobs"),
                    "content", event, "logprobs");
        return root;
    }
    const bool is_last = strcmp(type, "response.completed") == 0 ||
                         strcmp(type, "response.incomplete") == 0 || strcmp(type, "response.failed") == 0;
    cJSON *response =
        is_last ? cJSON_DetachItemFromObjectCaseSensitive(event, "response") : cJSON_CreateObject();
    if (!is_last || !cJSON_IsObject(response) || cJSON_IsObject(member_of(response, "error")))
        return response;
    *is_whole = cJSON_GetArraySize(member_of(response, "output")) > 0;
    return read_responses(response);
}

/* {"type": "error", "code", "message"}: OpenAI's. Anthropic's holds an object "error", as that of chat completions does. */
static cJSON *read_error_event(cJSON *event)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddItemToObject(root, "error", event);
    return root;
}

cJSON *pov_vlm_api_event(bool *is_whole, cJSON *event)
{
    const char *type = pov_json_text_of(event, "type");
    const bool is_anthropic = begins(type, "message_") || begins(type, "content_block_");
    *is_whole = false;
    if (strcmp(type, "error") == 0 && !cJSON_IsObject(member_of(event, "error")))
        return read_error_event(event);
    if (!is_anthropic && !begins(type, "response."))
        return pov_vlm_api_response(event);
    cJSON *root = is_anthropic ? anthropic_event(event, type) : responses_event(is_whole, event, type);
    cJSON_Delete(event);
    return root ? root : cJSON_CreateObject();
}
