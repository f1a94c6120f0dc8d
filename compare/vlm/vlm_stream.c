#include "compare/vlm/vlm_stream.h"

#include "config/files/json_value.h"
#include "perception/status.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts of a message that come in pieces. */
static const char *const piece_keys[] = {"content", "reasoning_content", "reasoning", "refusal"};
enum { PIECES = sizeof piece_keys / sizeof *piece_keys };

typedef struct {
    char *text;
    size_t len;
    FILE *stream;
    bool given;
} piece_text;

typedef struct {
    piece_text pieces[PIECES];
    cJSON *tokens, *calls, *usage, *error;
    char *model, *finish_reason;
    int events;
} joining;

bool pov_vlm_stream_is(const char *body, size_t len)
{
    static const char *const starts[] = {"data:", "event:", "id:", "retry:", ":"};
    size_t i = len >= 3 && memcmp(body, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < len && strchr("\r\n", body[i]) && body[i])
        i++;
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if (len - i >= strlen(starts[k]) && memcmp(body + i, starts[k], strlen(starts[k])) == 0)
            return true;
    return false;
}

static void keep_text(char **kept, const cJSON *item)
{
    if (!cJSON_IsString(item))
        return;
    free(*kept);
    *kept = strdup(item->valuestring);
    POV_REQUIRE_MEMORY(*kept);
}

static void keep_item(cJSON **kept, cJSON *object, const char *key)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!item || cJSON_IsNull(item))
        return;
    cJSON_Delete(*kept);
    *kept = cJSON_DetachItemViaPointer(object, item);
}

static void move_items(cJSON *to, cJSON *from)
{
    while (cJSON_IsArray(from) && from->child)
        cJSON_AddItemToArray(to, cJSON_DetachItemViaPointer(from, from->child));
}

static void take_pieces(joining *j, const cJSON *delta)
{
    for (int i = 0; i < PIECES; i++) {
        const cJSON *text = cJSON_GetObjectItemCaseSensitive(delta, piece_keys[i]);
        if (!cJSON_IsString(text))
            continue;
        fputs(text->valuestring, j->pieces[i].stream);
        j->pieces[i].given = true;
    }
    move_items(j->calls, cJSON_GetObjectItemCaseSensitive(delta, "tool_calls"));
}

static void take_event(joining *j, cJSON *event)
{
    cJSON *choices = cJSON_GetObjectItemCaseSensitive(event, "choices"),
          *choice = cJSON_GetArrayItem(choices, 0);
    const cJSON *delta = cJSON_GetObjectItemCaseSensitive(choice, "delta");
    j->events++;
    keep_item(&j->error, event, "error");
    keep_item(&j->usage, event, "usage");
    keep_text(&j->model, cJSON_GetObjectItemCaseSensitive(event, "model"));
    keep_text(&j->finish_reason, cJSON_GetObjectItemCaseSensitive(choice, "finish_reason"));
    take_pieces(j, delta ? delta : cJSON_GetObjectItemCaseSensitive(choice, "message"));
    move_items(j->tokens, cJSON_GetObjectItemCaseSensitive(
                              cJSON_GetObjectItemCaseSensitive(choice, "logprobs"), "content"));
}

/* Each line "data: JSON" is an event: these servers' events have one line of data. */
static bool take_lines(joining *j, const char *body, size_t len)
{
    for (const char *line = body, *end = body + len; line < end;) {
        const size_t left = (size_t)(end - line);
        const char *lf = memchr(line, '\n', left), *cr = memchr(line, '\r', left);
        const char *stop = lf && (!cr || lf < cr) ? lf : cr ? cr : end;
        if (stop - line > 5 && memcmp(line, "data:", 5) == 0) {
            const char *data = line + 5 + (line[5] == ' ');
            const size_t data_len = (size_t)(stop - data);
            if (data_len >= 6 && memcmp(data, "[DONE]", 6) == 0)
                return true;
            cJSON *event = pov_json_parse(data, data_len);
            if (cJSON_IsObject(event))
                take_event(j, event);
            cJSON_Delete(event);
        }
        line = stop + (stop < end);
    }
    return false;
}

static cJSON *make_response(joining *j)
{
    cJSON *root = cJSON_CreateObject(), *choice = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "choices"), choice);
    cJSON *message = cJSON_AddObjectToObject(choice, "message");
    for (int i = 0; i < PIECES; i++)
        if (j->pieces[i].given)
            cJSON_AddStringToObject(message, piece_keys[i], j->pieces[i].text);
    cJSON_AddItemToObject(message, "tool_calls", j->calls);
    cJSON_AddItemToObject(cJSON_AddObjectToObject(choice, "logprobs"), "content", j->tokens);
    j->calls = j->tokens = NULL;
    if (j->finish_reason)
        cJSON_AddStringToObject(choice, "finish_reason", j->finish_reason);
    if (j->model)
        cJSON_AddStringToObject(root, "model", j->model);
    if (j->usage)
        cJSON_AddItemToObject(root, "usage", j->usage);
    j->usage = NULL;
    return root;
}

cJSON *pov_vlm_stream_join(const char *body, size_t len)
{
    joining j = {.tokens = cJSON_CreateArray(), .calls = cJSON_CreateArray()};
    cJSON *root = NULL;
    for (int i = 0; i < PIECES; i++) {
        j.pieces[i].stream = open_memstream(&j.pieces[i].text, &j.pieces[i].len);
        POV_REQUIRE_MEMORY(j.pieces[i].stream);
    }
    const bool is_done = take_lines(&j, body, len);
    for (int i = 0; i < PIECES; i++)
        POV_REQUIRE_MEMORY(fclose(j.pieces[i].stream) == 0);
    if (j.error) {
        root = cJSON_CreateObject();
        cJSON_AddItemToObject(root, "error", j.error);
    } else if (j.events > 0 && (is_done || j.finish_reason)) {
        root = make_response(&j);
    }
    for (int i = 0; i < PIECES; i++)
        free(j.pieces[i].text);
    cJSON_Delete(j.tokens);
    cJSON_Delete(j.calls);
    cJSON_Delete(j.usage);
    free(j.model);
    free(j.finish_reason);
    return root;
}
