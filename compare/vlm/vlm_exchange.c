#include "compare/vlm/vlm_exchange.h"

#include "compare/vlm/vlm_stream.h"
#include "compare/vlm/vlm_tokens.h"
#include "config/files/base64.h"
#include "config/files/json_value.h"
#include "config/files/utf8.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK_CAPACITY = 40 };

/* ---- request ------------------------------------------------------------------------------------------- */

/* What stands for the base64 of image i until the JSON is printed: megabytes are written once, where they belong. `series` tells it from the
 * question's own words. */
static void write_mark(char mark[MARK_CAPACITY], unsigned series, int i)
{
    snprintf(mark, MARK_CAPACITY, "@image %u.%d@", series, i);
}

static bool has_mark(const char *text, const char *mark)
{
    return text && strstr(text, mark);
}

/* A series whose marks are in none of the texts that a request is made of. */
static unsigned find_series(const pov_vlm_question *question, const pov_vlm_manner *manner)
{
    char mark[MARK_CAPACITY];
    unsigned series = 0;
    for (int i = 0; i <= question->more_len; i++) {
        write_mark(mark, series, i);
        if (has_mark(question->prompt, mark) || has_mark(question->system, mark) ||
            has_mark(manner->model, mark) || has_mark(manner->extra, mark)) {
            series++;
            i = -1;
        }
    }
    return series;
}

static void add_message(cJSON *messages, const char *role, cJSON *content)
{
    cJSON *message = cJSON_CreateObject();
    cJSON_AddStringToObject(message, "role", role);
    cJSON_AddItemToObject(message, "content", content);
    cJSON_AddItemToArray(messages, message);
}

static cJSON *new_part(const char *type)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "type", type);
    return item;
}

static void add_image(cJSON *content, const pov_vlm_image *image, const char *mark)
{
    cJSON *picture = new_part("image_url");
    cJSON *url = cJSON_AddObjectToObject(picture, "image_url");
    char *uri = pov_text_new("data:%s;base64,%s", image->media_type, mark);
    cJSON_AddStringToObject(url, "url", uri);
    free(uri);
    if (image->detail)
        cJSON_AddStringToObject(url, "detail", image->detail);
    cJSON_AddItemToArray(content, picture);
}

static const pov_vlm_image *image_at(const pov_vlm_question *question, int i)
{
    return i ? &question->more[i - 1] : &question->image;
}

/** The images, then the words: the papers' order. */
static cJSON *make_user_content(const pov_vlm_question *question, unsigned series)
{
    if (!question->image.bytes)
        return cJSON_CreateString(question->prompt);
    cJSON *content = cJSON_CreateArray();
    char mark[MARK_CAPACITY];
    for (int i = 0; i <= question->more_len; i++) {
        write_mark(mark, series, i);
        add_image(content, image_at(question, i), mark);
    }
    cJSON *words = new_part("text");
    cJSON_AddStringToObject(words, "text", question->prompt);
    cJSON_AddItemToArray(content, words);
    return content;
}

static cJSON *new_request(const pov_vlm_question *question, const pov_vlm_manner *manner, cJSON *content)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "model", manner->model);
    cJSON *messages = cJSON_AddArrayToObject(root, "messages");
    if (question->system)
        add_message(messages, "system", cJSON_CreateString(question->system));
    add_message(messages, "user", content);
    if (!manner->has_temperature)
        cJSON_AddNumberToObject(root, "temperature", 0);
    cJSON_AddNumberToObject(root, manner->counts_completion_tokens ? "max_completion_tokens" : "max_tokens",
                            question->token_max);
    if (manner->streams) {
        cJSON_AddBoolToObject(root, "stream", true);
        if (!manner->has_no_stream_options)
            cJSON_AddBoolToObject(cJSON_AddObjectToObject(root, "stream_options"), "include_usage", true);
    }
    if (manner->effort[0])
        cJSON_AddStringToObject(root, "reasoning_effort", manner->effort);
    if (question->likely_wanted > 0) {
        cJSON_AddBoolToObject(root, "logprobs", true);
        cJSON_AddNumberToObject(root, "top_logprobs", question->likely_wanted);
    }
    return root;
}

pov_status pov_vlm_extra_check(const char *extra)
{
    static const char *const ours[] = {"model", "messages", "stream", "n", "contents", "input"};
    cJSON *members = extra[0] ? pov_json_parse_text(extra) : cJSON_CreateObject();
    pov_status status =
        cJSON_IsObject(members)
            ? pov_ok()
            : pov_error("'%.100s' is not a JSON object such as {\"max_completion_tokens\": 16}", extra);
    for (size_t i = 0; i < sizeof ours / sizeof *ours && status.code == POV_OK; i++)
        if (cJSON_HasObjectItem(members, ours[i]))
            status = pov_error("'%.100s': %s is not to be changed", extra, ours[i]);
    cJSON_Delete(members);
    return status;
}

/* RFC 7396, JSON Merge Patch. Deletes the patch. */
static void merge_patch(cJSON *into, cJSON *patch)
{
    while (patch && patch->child) {
        cJSON *member = cJSON_DetachItemViaPointer(patch, patch->child);
        cJSON *old = cJSON_GetObjectItemCaseSensitive(into, member->string);
        if (cJSON_IsObject(member) && !cJSON_IsObject(old)) {
            cJSON_DeleteItemFromObjectCaseSensitive(into, member->string);
            old = cJSON_AddObjectToObject(into, member->string);
        }
        if (cJSON_IsObject(member)) {
            merge_patch(old, member);
            continue;
        }
        cJSON_DeleteItemFromObjectCaseSensitive(into, member->string);
        if (cJSON_IsNull(member))
            cJSON_Delete(member);
        else
            cJSON_AddItemToObject(into, member->string, member);
    }
    cJSON_Delete(patch);
}

/* The request's JSON with the images in the places of their marks. NULL: out of memory. */
static char *add_images(size_t *len, const char *json, const pov_vlm_question *question, unsigned series)
{
    char mark[MARK_CAPACITY];
    size_t room = strlen(json) + 1;
    for (int i = 0; question->image.bytes && i <= question->more_len; i++)
        room += pov_base64_len(image_at(question, i)->len);
    char *whole = malloc(room), *to = whole;
    for (int i = 0; whole && question->image.bytes && i <= question->more_len; i++) {
        const pov_vlm_image *image = image_at(question, i);
        write_mark(mark, series, i);
        const char *at = strstr(json, mark);
        POV_REQUIRE(at); /* every API has the images in their order */
        to = mempcpy(to, json, (size_t)(at - json));
        pov_base64_write(to, image->bytes, image->len);
        to += pov_base64_len(image->len);
        json = at + strlen(mark);
    }
    if (whole)
        *len = (size_t)(stpcpy(to, json) - whole);
    return whole;
}

pov_status pov_vlm_request_write(char **json, size_t *len, const pov_vlm_question *question,
                                 const pov_vlm_manner *manner)
{
    POV_REQUIRE(question->token_max >= 1 && question->more_len <= POV_VLM_MORE_IMAGES &&
                (question->image.bytes || question->more_len == 0));
    POV_REQUIRE(question->likely_wanted >= 0 && question->likely_wanted <= POV_VLM_LIKELY_MAX);
    *len = 0;
    const unsigned series = find_series(question, manner);
    cJSON *root =
        pov_vlm_api_request(new_request(question, manner, make_user_content(question, series)), manner->api);
    merge_patch(root, pov_json_parse_text(manner->extra));
    char *printed = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    *json = printed ? add_images(len, printed, question, series) : NULL;
    free(printed);
    return *json ? pov_ok() : pov_error("out of memory for a request");
}

/* ---- learning how to ask --- */

/* The least effort that a refusal names in quotes, as one that the server takes; "": none. */
static const char *find_effort(const char *refusal, const char *refused)
{
    static const char *const efforts[] = {"none", "minimal", "low", "medium"}; /* from the least */
    char quoted[2][POV_VLM_EFFORT_CAPACITY + 4];
    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        snprintf(quoted[0], sizeof quoted[0], "'%s'", efforts[i]);
        snprintf(quoted[1], sizeof quoted[1], "\\\"%s\\\"", efforts[i]); /* within a JSON string */
        if (strcmp(efforts[i], refused) != 0 && (strstr(refusal, quoted[0]) || strstr(refusal, quoted[1])))
            return efforts[i];
    }
    return "";
}

static bool names_effort(const char *refusal)
{
    return strcasestr(refusal, "reasoning_effort") || strcasestr(refusal, "reasoning.effort") ||
           strcasestr(refusal, "reasoning effort");
}

static const char *learn_stream(pov_vlm_manner *manner, const char *refusal)
{
    if (strstr(refusal, "stream_options") && manner->streams && !manner->has_no_stream_options) {
        manner->has_no_stream_options = true;
        return "is asked without stream_options";
    }
    if (!strcasestr(refusal, "stream") || manner->knows_stream)
        return NULL;
    manner->knows_stream = true;
    manner->streams = !manner->streams;
    return manner->streams ? "is asked for event streams, as it answers in no other way"
                           : "is asked without event streams";
}

const char *pov_vlm_manner_learn(pov_vlm_manner *manner, const char *refusal)
{
    if (names_effort(refusal) && !manner->effort[0] && *find_effort(refusal, "")) {
        snprintf(manner->effort, sizeof manner->effort, "%s", find_effort(refusal, ""));
        return "is asked with the least reasoning_effort that it names";
    }
    if (strstr(refusal, "max_completion_tokens") && !manner->counts_completion_tokens) {
        manner->counts_completion_tokens = true;
        return "is asked with max_completion_tokens instead of max_tokens";
    }
    if (strcasestr(refusal, "temperature") && !manner->has_temperature) {
        manner->has_temperature = true;
        return "is asked at its own temperature, as it takes no other: its answers are drawn by lot";
    }
    return learn_stream(manner, refusal);
}

/* ---- answer -------------------------------------------------------------------------------------------- */

static void copy_member(char *out, size_t capacity, const cJSON *object, const char *key)
{
    pov_utf8_copy(out, capacity, pov_json_text_of(object, key));
}

static void read_usage(pov_vlm_answer *answer, const cJSON *root)
{
    const cJSON *usage = cJSON_GetObjectItemCaseSensitive(root, "usage");
    const cJSON *prompt = cJSON_GetObjectItemCaseSensitive(usage, "prompt_tokens");
    const cJSON *completion = cJSON_GetObjectItemCaseSensitive(usage, "completion_tokens");
    const double limit = 1e12;
    if (!cJSON_IsNumber(prompt) || !cJSON_IsNumber(completion) || !(prompt->valuedouble >= 0) ||
        !(completion->valuedouble >= 0) || prompt->valuedouble > limit || completion->valuedouble > limit)
        return;
    answer->has_usage = true;
    answer->prompt_tokens = (int64_t)prompt->valuedouble;
    answer->answer_tokens = (int64_t)completion->valuedouble;
}

/* Reads the server's words about an error: {"error": {"message": ...}}, {"error": "..."}; vLLM's before 0.10 {"object": "error", "message":
 * ...}; FastAPI's {"detail": "..."} and {"detail": [{"msg": ...}]}. NULL: it is none. */
static const cJSON *find_error(const cJSON *root)
{
    const char *object = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "object"));
    const cJSON *error =
        object && strcmp(object, "error") == 0 ? root : cJSON_GetObjectItemCaseSensitive(root, "error");
    if (!error)
        error = cJSON_GetObjectItemCaseSensitive(root, "detail");
    return cJSON_IsNull(error) ? NULL : error;
}

static const char *message_of(const cJSON *error)
{
    const cJSON *object = cJSON_IsArray(error) ? error->child : error;
    const char *message = cJSON_GetStringValue(error);
    if (!message)
        message = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "message"));
    if (!message)
        message = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "msg"));
    return message ? message : "error, without a message";
}

/* The HTTP status that an error's number, or name, stands for; 0: none. In a stream Anthropic's and OpenAI's have names only. */
static int status_of_error(const cJSON *error)
{
    static const struct {
        const char *name;
        int status;
    } names[] = {{"invalid_request_error", 400}, {"authentication_error", 401}, {"billing_error", 402},
                 {"permission_error", 403},      {"not_found_error", 404},      {"request_too_large", 413},
                 {"rate_limit_error", 429},      {"rate_limit_exceeded", 429},  {"api_error", 500},
                 {"server_error", 500},          {"timeout_error", 504},        {"overloaded_error", 529}};
    const double code = pov_json_number_of(error, "code");
    if (code >= 400 && code < 600)
        return (int)code;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(pov_json_text_of(error, "type"), names[i].name) == 0 ||
            strcmp(pov_json_text_of(error, "code"), names[i].name) == 0)
            return names[i].status;
    return 0;
}

/* Some servers send it with HTTP 200, and the status that they mean in it. */
static pov_status servers_own_error(pov_vlm_answer *answer, const cJSON *root)
{
    const cJSON *error = find_error(root);
    if (!error)
        return pov_ok();
    answer->is_error = true;
    answer->error_code = status_of_error(error);
    return pov_error("the server says: %.300s", message_of(error));
}

static char *copy_text(const char *text)
{
    const size_t capacity = strlen(text) + 1;
    char *copy = malloc(capacity);
    POV_REQUIRE_MEMORY(copy);
    pov_utf8_copy(copy, capacity, text);
    return copy;
}

/* Servers of models that think send a list of parts: thoughts, and the text that is the answer. */
static char *join_text_parts(const cJSON *parts)
{
    const cJSON *item;
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    POV_REQUIRE_MEMORY(memory);
    cJSON_ArrayForEach(item, parts)
    {
        const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "type"));
        if (type && strcmp(type, "text") == 0)
            fputs(pov_json_text_of(item, "text"), memory);
    }
    POV_REQUIRE_MEMORY(fclose(memory) == 0);
    char *clean = copy_text(text);
    free(text);
    return clean;
}

/* Thoughts that a server gives apart from the answer: vLLM, SGLang, DeepSeek; OpenRouter, Ollama, newer vLLM. */
static const char *thoughts_of(const cJSON *message)
{
    const char *text = pov_json_text_of(message, "reasoning_content");
    return *text ? text : pov_json_text_of(message, "reasoning");
}

static pov_status no_content(const cJSON *choice)
{
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(choice, "message");
    const cJSON *call = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(message, "tool_calls"), 0);
    if (call)
        return pov_error("it calls a tool ('%.60s') instead of answering: take the tools out of the server's "
                         "settings, or forbid them by request: '{\"tool_choice\": \"none\"}'",
                         pov_json_text_of(cJSON_GetObjectItemCaseSensitive(call, "function"), "name"));
    if (*thoughts_of(message))
        return pov_error("it sent thoughts, and no answer after them: turn its thinking off (docs/VLM.md)");
    return pov_error("choices[0].message.content: missing, or neither a string nor a list of parts");
}

static bool is_empty(const cJSON *content)
{
    return !cJSON_IsString(content) || content->valuestring[0] == '\0';
}

static pov_status read_message(pov_vlm_answer *answer, const cJSON *choice)
{
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(choice, "message");
    const cJSON *refusal = cJSON_GetObjectItemCaseSensitive(message, "refusal");
    const cJSON *content = cJSON_GetObjectItemCaseSensitive(message, "content");
    const bool calls = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(message, "tool_calls")) > 0;
    const bool is_filtered = strcmp(pov_json_text_of(choice, "finish_reason"), "content_filter") == 0;
    const bool says_why = cJSON_IsString(refusal) && refusal->valuestring[0];
    answer->refused = says_why || is_filtered;
    if (says_why)
        answer->text = copy_text(refusal->valuestring);
    else if (is_filtered)
        answer->text = copy_text("the server's filter stopped the answer (content_filter)");
    else if (cJSON_IsArray(content))
        answer->text = join_text_parts(content);
    else if (cJSON_IsString(content) && !(calls && is_empty(content)))
        answer->text = copy_text(content->valuestring);
    else if (!calls && strcmp(pov_json_text_of(choice, "finish_reason"), "length") == 0)
        answer->text = copy_text(""); /* cut within its thoughts */
    else
        return no_content(choice);
    return pov_ok();
}

/* visit NULL: the first positions are kept. */
static pov_status read_tokens(pov_vlm_answer *answer, const cJSON *choice, pov_vlm_visit *visit,
                              void *context)
{
    const cJSON *logprobs = cJSON_GetObjectItemCaseSensitive(choice, "logprobs");
    static const char where[] = "choices[0].logprobs.content";
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(logprobs, "content");
    const char *thoughts = thoughts_of(cJSON_GetObjectItemCaseSensitive(choice, "message"));
    return visit ? pov_vlm_tokens_visit(answer, list, where, thoughts, visit, context)
                 : pov_vlm_tokens_read(answer, list, where, thoughts);
}

static pov_status read_root(pov_vlm_answer *answer, const cJSON *root, pov_vlm_visit *visit, void *context)
{
    POV_TRY(servers_own_error(answer, root));
    const cJSON *choice = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "choices"), 0);
    if (!choice)
        return pov_error("choices: missing or empty; is this a chat completions server?");
    POV_TRY(read_message(answer, choice));
    POV_TRY(read_tokens(answer, choice, visit, context));
    copy_member(answer->finish_reason, sizeof answer->finish_reason, choice, "finish_reason");
    copy_member(answer->model, sizeof answer->model, root, "model");
    read_usage(answer, root);
    return pov_ok();
}

pov_status pov_vlm_answer_read(pov_vlm_answer *answer, const char *json, size_t len)
{
    return pov_vlm_answer_visit(answer, json, len, NULL, NULL);
}

pov_status pov_vlm_answer_visit(pov_vlm_answer *answer, const char *json, size_t len,
                                bool (*visit)(void *context, const pov_vlm_position *position), void *context)
{
    memset(answer, 0, sizeof *answer);
    if (len == 0)
        return pov_error("the response is empty");
    const bool is_stream = pov_vlm_stream_is(json, len);
    cJSON *root = is_stream ? pov_vlm_stream_join(json, len) : pov_json_parse(json, len);
    answer->is_broken_off = is_stream && !root;
    if (!root)
        return pov_error(is_stream ? "the event stream breaks off, or holds no answer; it begins '%.*s'"
                                   : "the response is not JSON; it begins '%.*s'",
                         (int)(len < 60 ? len : 60), json);
    if (!is_stream)
        root = pov_vlm_api_response(root);
    pov_status status = read_root(answer, root, visit, context);
    cJSON_Delete(root);
    if (status.code != POV_OK) {
        free((char *)answer->text);
        *answer = (pov_vlm_answer){.is_error = answer->is_error, .error_code = answer->error_code};
    }
    return status;
}

void pov_vlm_answer_free(pov_vlm_answer *answer)
{
    free((char *)answer->text);
    memset(answer, 0, sizeof *answer);
}
