#include "compare/vlm/vlm_stream.h"

#include "config/files/json_value.h"
#include "config/files/text.h"
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

static bool has_mark(const char *body, size_t len)
{
    return len >= 3 && memcmp(body, "\xef\xbb\xbf", 3) == 0;
}

bool pov_vlm_stream_is(const char *body, size_t len)
{
    static const char *const starts[] = {"data:", "event:", "id:", "retry:", ":"};
    size_t i = has_mark(body, len) ? 3 : 0;
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

/* ---- lines ---- */

/* Cuts a line off. Its end is LF, CR LF, or CR. */
static const char *cut_line(size_t *line_len, const char **at, const char *end)
{
    const char *line = *at, *stop = line;
    while (stop < end && *stop != '\n' && *stop != '\r')
        stop++;
    *line_len = (size_t)(stop - line);
    *at = stop + (stop < end) + (end - stop > 1 && stop[0] == '\r' && stop[1] == '\n');
    return line;
}

/* The data of a line "data: ..."; NULL: it is another one. */
static const char *find_data(size_t *data_len, const char *line, size_t len)
{
    if (len < 5 || memcmp(line, "data:", 5) != 0)
        return NULL;
    const size_t head = len > 5 && line[5] == ' ' ? 6 : 5;
    *data_len = len - head;
    return line + head;
}

static bool is_done(const char *data, size_t len)
{
    while (len > 0 && data[len - 1] == ' ')
        len--;
    return len == 6 && memcmp(data, "[DONE]", 6) == 0;
}

static bool take_json(joining *j, const char *json, size_t len)
{
    cJSON *event = pov_json_parse(json, len);
    const bool is_object = cJSON_IsObject(event);
    if (is_object)
        take_event(j, event);
    cJSON_Delete(event);
    return is_object;
}

/* An event of several lines of data is all of them, each on a line of its own. */
static bool take_lines(joining *j, const char *body, size_t len)
{
    const char *at = body + (has_mark(body, len) ? 3 : 0), *end = body + len;
    pov_text event = {0};
    bool done = false;
    while (at < end && !done) {
        size_t line_len, data_len = 0;
        const char *line = cut_line(&line_len, &at, end), *data = find_data(&data_len, line, line_len);
        if (line_len == 0)
            pov_text_clear(&event);
        if (!data)
            continue;
        done = is_done(data, data_len);
        if (event.len == 0 && take_json(j, data, data_len))
            continue;
        pov_text_add_bytes(&event, data, data_len);
        pov_text_add_bytes(&event, "\n", 1);
        if (take_json(j, pov_text_of(&event), event.len))
            pov_text_clear(&event);
    }
    pov_text_free(&event);
    return done;
}

/* ---- what is under way ---- */

static bool event_speaks(const cJSON *event)
{
    const cJSON *choice = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(event, "choices"), 0);
    const cJSON *delta = cJSON_GetObjectItemCaseSensitive(choice, "delta");
    for (int i = 0; i < PIECES; i++)
        if (*pov_json_text_of(delta, piece_keys[i]))
            return true;
    return false;
}

bool pov_vlm_stream_speaks(size_t *scanned, const char *body, size_t len)
{
    bool speaks = false;
    while (*scanned < len && !speaks) {
        const char *line = body + *scanned, *end = memchr(line, '\n', len - *scanned);
        size_t data_len = 0;
        if (!end)
            return false;
        const char *data = find_data(&data_len, line, (size_t)(end - line));
        cJSON *event = data ? pov_json_parse(data, data_len) : NULL;
        speaks = event_speaks(event);
        cJSON_Delete(event);
        *scanned = (size_t)(end + 1 - body);
    }
    return speaks;
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
    const bool done = take_lines(&j, body, len);
    for (int i = 0; i < PIECES; i++)
        POV_REQUIRE_MEMORY(fclose(j.pieces[i].stream) == 0);
    if (j.error) {
        root = cJSON_CreateObject();
        cJSON_AddItemToObject(root, "error", j.error);
    } else if (j.events > 0 && (done || j.finish_reason)) {
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
