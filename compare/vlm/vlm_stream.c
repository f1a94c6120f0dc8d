#include "compare/vlm/vlm_stream.h"

#include "compare/vlm/vlm_doors.h"
#include "config/files/json_value.h"
#include "perception/status.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

/* Texts of a message that come in pieces. */
static const char *const piece_keys[] = {"content", "reasoning_content", "reasoning", "refusal"};
enum { CONTENT, REASONING_CONTENT, REASONING, REFUSAL, PIECES };
_Static_assert(sizeof piece_keys / sizeof *piece_keys == PIECES, "a key for each");

typedef struct {
    pov_text texts[PIECES];
    bool given[PIECES];
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
    if (!cJSON_IsString(item) || !*item->valuestring)
        return;
    free(*kept);
    *kept = strdup(item->valuestring);
    POV_REQUIRE_MEMORY(*kept);
}

/* What an event says of the tokens adds to what others said, or corrects it. */
static void merge_usage(cJSON **kept, cJSON *usage)
{
    if (!cJSON_IsObject(usage))
        return;
    if (!*kept)
        *kept = cJSON_CreateObject();
    while (usage->child) {
        cJSON *item = cJSON_DetachItemViaPointer(usage, usage->child);
        cJSON_DeleteItemFromObjectCaseSensitive(*kept, item->string);
        cJSON_AddItemToObject(*kept, item->string, item);
    }
}

static void keep_error(cJSON **kept, cJSON *event)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(event, "error");
    if (!item || cJSON_IsNull(item))
        return;
    cJSON_Delete(*kept);
    *kept = cJSON_DetachItemViaPointer(event, item);
}

static void move_items(cJSON *to, cJSON *from)
{
    while (cJSON_IsArray(from) && from->child)
        cJSON_AddItemToArray(to, cJSON_DetachItemViaPointer(from, from->child));
}

static void empty_list(cJSON *list)
{
    while (list->child)
        cJSON_Delete(cJSON_DetachItemViaPointer(list, list->child));
}

/* The message of a chunk, or what it adds to one. NULL: none. */
static cJSON *delta_of(const cJSON *choice)
{
    cJSON *delta = cJSON_GetObjectItemCaseSensitive(choice, "delta");
    return delta ? delta : cJSON_GetObjectItemCaseSensitive(choice, "message");
}

static void take_pieces(joining *j, const cJSON *delta)
{
    for (int i = 0; i < PIECES; i++) {
        const cJSON *text = cJSON_GetObjectItemCaseSensitive(delta, piece_keys[i]);
        if (!cJSON_IsString(text))
            continue;
        pov_text_add_bytes(&j->texts[i], text->valuestring, strlen(text->valuestring));
        j->given[i] = true;
    }
    move_items(j->calls, cJSON_GetObjectItemCaseSensitive(delta, "tool_calls"));
}

/* They come again in the whole; the tokens' probabilities, of some servers, only in the pieces. */
static void forget_pieces(joining *j, const cJSON *tokens)
{
    for (int i = 0; i < PIECES; i++) {
        pov_text_clear(&j->texts[i]);
        j->given[i] = false;
    }
    empty_list(j->calls);
    if (cJSON_GetArraySize(tokens) > 0)
        empty_list(j->tokens);
}

/* Deletes the event. */
static void take_event(joining *j, cJSON *event)
{
    bool is_whole;
    event = pov_vlm_api_event(&is_whole, event);
    cJSON *choices = cJSON_GetObjectItemCaseSensitive(event, "choices"),
          *choice = cJSON_GetArrayItem(choices, 0),
          *tokens = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(choice, "logprobs"),
                                                     "content");
    if (is_whole)
        forget_pieces(j, tokens);
    j->events++;
    keep_error(&j->error, event);
    merge_usage(&j->usage, cJSON_GetObjectItemCaseSensitive(event, "usage"));
    keep_text(&j->model, cJSON_GetObjectItemCaseSensitive(event, "model"));
    keep_text(&j->finish_reason, cJSON_GetObjectItemCaseSensitive(choice, "finish_reason"));
    take_pieces(j, delta_of(choice));
    move_items(j->tokens, tokens);
    cJSON_Delete(event);
}

/* ---- lines ---- */

/* Cuts the line off that begins at *at. Its end is LF, CR LF, or CR. False: it may go on behind `len`. */
static bool cut_line(size_t *line_len, size_t *at, const char *body, size_t len, bool is_all)
{
    size_t stop = *at;
    while (stop < len && body[stop] != '\n' && body[stop] != '\r')
        stop++;
    const bool ends = stop < len && (body[stop] == '\n' || stop + 1 < len);
    *line_len = stop - *at;
    if (!ends && !is_all)
        return false;
    *at = stop + (stop < len) + (len - stop > 1 && body[stop] == '\r' && body[stop + 1] == '\n');
    return true;
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

/* NULL: not an object. */
static cJSON *parse_object(const char *json, size_t len)
{
    cJSON *item = pov_json_parse(json, len);
    if (cJSON_IsObject(item))
        return item;
    cJSON_Delete(item);
    return NULL;
}

/* The lines of data that were kept, each on a line of its own: an event of several. */
static cJSON *close_event(pov_vlm_stream_place *place)
{
    cJSON *event = place->event.len > 0 ? parse_object(pov_text_of(&place->event), place->event.len) : NULL;
    pov_text_clear(&place->event);
    return event;
}

/* Data that is an object by itself is an event; else the event ends with an empty line, or the stream. NULL: there is no more of it yet, or at all. */
static cJSON *next_event(pov_vlm_stream_place *place, const char *body, size_t len, bool is_all)
{
    cJSON *event = NULL;
    if (place->at == 0 && has_mark(body, len))
        place->at = 3;
    while (place->at < len && !place->done && !event) {
        const char *line = body + place->at;
        size_t line_len, data_len = 0;
        if (!cut_line(&line_len, &place->at, body, len, is_all))
            return NULL;
        const char *data = find_data(&data_len, line, line_len);
        if (line_len == 0)
            event = close_event(place);
        if (!data)
            continue;
        place->done = is_done(data, data_len);
        if (place->event.len == 0 && (event = parse_object(data, data_len)))
            continue;
        pov_text_add_bytes(&place->event, data, data_len);
        pov_text_add_bytes(&place->event, "\n", 1);
    }
    return event || !is_all ? event : close_event(place);
}

/* ---- words ---- */

static bool add_words(pov_text *text, const char *words)
{
    pov_text_add_bytes(text, words, strlen(words));
    return *words != '\0';
}

/* Deletes the event. */
static bool take_words(pov_vlm_words *words, cJSON *event)
{
    bool is_whole, speaks = false;
    event = pov_vlm_api_event(&is_whole, event);
    const cJSON *choice = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(event, "choices"), 0);
    const cJSON *delta = is_whole ? NULL : delta_of(choice);
    const char *thoughts = pov_json_text_of(delta, piece_keys[REASONING_CONTENT]);
    if (!*thoughts) /* some servers give both */
        thoughts = pov_json_text_of(delta, piece_keys[REASONING]);
    speaks |= add_words(&words->thoughts, thoughts);
    speaks |= add_words(&words->answer, pov_json_text_of(delta, piece_keys[CONTENT]));
    speaks |= add_words(&words->answer, pov_json_text_of(delta, piece_keys[REFUSAL]));
    cJSON_Delete(event);
    return speaks;
}

bool pov_vlm_words_take(pov_vlm_words *words, const char *body, size_t len)
{
    bool speaks = false;
    for (cJSON *event; (event = next_event(&words->place, body, len, false));)
        speaks |= take_words(words, event);
    return speaks;
}

void pov_vlm_words_free(pov_vlm_words *words)
{
    pov_text_free(&words->answer);
    pov_text_free(&words->thoughts);
    pov_text_free(&words->place.event);
    *words = (pov_vlm_words){.answer = {0}};
}

/* ---- the whole ---- */

static cJSON *make_response(joining *j)
{
    cJSON *root = cJSON_CreateObject(), *choice = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "choices"), choice);
    cJSON *message = cJSON_AddObjectToObject(choice, "message");
    for (int i = 0; i < PIECES; i++)
        if (j->given[i])
            cJSON_AddStringToObject(message, piece_keys[i], pov_text_of(&j->texts[i]));
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
    pov_vlm_stream_place place = {.at = 0};
    cJSON *root = NULL;
    for (cJSON *event; (event = next_event(&place, body, len, true));)
        take_event(&j, event);
    pov_text_free(&place.event);
    if (j.error) {
        root = cJSON_CreateObject();
        cJSON_AddItemToObject(root, "error", j.error);
    } else if (j.events > 0 && (place.done || j.finish_reason)) {
        root = make_response(&j);
    }
    for (int i = 0; i < PIECES; i++)
        pov_text_free(&j.texts[i]);
    cJSON_Delete(j.tokens);
    cJSON_Delete(j.calls);
    cJSON_Delete(j.usage);
    free(j.model);
    free(j.finish_reason);
    return root;
}
