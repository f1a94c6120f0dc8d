#include "compare/log/engine_results.h"

#include "compare/answers/answer_parse.h"
#include "compare/tables/table.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"

#include <cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pov_engine_answers {
    const char *name;
    pov_engine engine;
    pov_table *table; /* VLMEvalKit: texts are in it */
    pov_engine_answer *list;
    int len, capacity;
    char **owned; /* the others' texts */
    int owned_len, owned_capacity;
};

const char *pov_engine_name(pov_engine engine)
{
    static const char *const names[] = {"vlmevalkit", "lmms-eval", "jsonl"};
    return names[engine];
}

static pov_status add_answer(pov_engine_answers *a, pov_engine_answer answer)
{
    if (answer.text && strlen(answer.text) > POV_ANSWER_BYTES_MAX)
        return pov_error(
            "%s:%d: the answer to '%.100s' is longer than 1 MiB: %zu bytes. Nothing of this file was taken",
            a->name, answer.line, answer.id, strlen(answer.text));
    if (!pov_grow(&a->list, &a->capacity, a->len, sizeof *a->list))
        return pov_error("%s: out of memory", a->name);
    a->list[a->len++] = answer;
    return pov_ok();
}

static const char *own_text(pov_engine_answers *a, const char *text)
{
    char *copy = strdup(text);
    POV_REQUIRE_MEMORY(copy && pov_grow(&a->owned, &a->owned_capacity, a->owned_len, sizeof *a->owned));
    return a->owned[a->owned_len++] = copy;
}

/* ---- VLMEvalKit ---- */

static pov_status read_table(pov_engine_answers *a, const char *text, size_t length)
{
    POV_TRY(pov_table_parse(&a->table, a->name, text, length));
    const int id = pov_table_column(a->table, "pov_id"),
              prediction = pov_table_column(a->table, "prediction");
    if (id < 0 || prediction < 0)
        return pov_error("%s: is not a result of VLMEvalKit about a dataset of pov: it has no column '%s'",
                         a->name, id < 0 ? "pov_id" : "prediction");
    for (int i = 0; i < pov_table_len(a->table); i++) {
        const char *answer = pov_table_cell(a->table, i, prediction);
        POV_TRY(add_answer(a, (pov_engine_answer){.id = pov_table_cell(a->table, i, id),
                                                  .text = answer,
                                                  .p = NAN,
                                                  .failed = pov_answer_is_failure(answer),
                                                  .line = pov_table_line(a->table, i)}));
    }
    return pov_ok();
}

/* ---- JSON lines ---- */

static pov_status complain(const pov_engine_answers *a, int line, const char *what)
{
    return pov_error("%s:%d: %s", a->name, line, what);
}

/* The question's name is in what process_results returned for some metric. */
static const char *find_id(const cJSON *object)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, object)
    {
        const cJSON *id = cJSON_IsObject(member) ? cJSON_GetObjectItemCaseSensitive(member, "id") : NULL;
        if (cJSON_IsString(id))
            return id->valuestring;
    }
    return NULL;
}

/* Numbers may be numbers or text. */
static bool read_loss(double *loss, const cJSON *pair)
{
    const cJSON *item = cJSON_IsArray(pair) ? cJSON_GetArrayItem(pair, 0) : NULL;
    char *end = NULL;
    *loss = NAN;
    if (cJSON_IsNumber(item))
        *loss = item->valuedouble;
    else if (cJSON_IsString(item) && *item->valuestring)
        *loss = strtod(item->valuestring, &end);
    return isfinite(*loss) && (!end || !*end);
}

/* The first choice's share of the likelihood of both. */
static bool read_likelihoods(double *p, const cJSON *choices)
{
    double first, second;
    if (cJSON_GetArraySize(choices) != 2 || !read_loss(&first, cJSON_GetArrayItem(choices, 0)) ||
        !read_loss(&second, cJSON_GetArrayItem(choices, 1)))
        return false;
    *p = 1 / (1 + exp(first - second));
    return true;
}

static pov_status read_sample(pov_engine_answers *a, const cJSON *object, int line)
{
    const cJSON *answer = cJSON_GetObjectItemCaseSensitive(object, "filtered_resps");
    const char *id = find_id(object);
    pov_engine_answer found = {.p = NAN, .line = line};
    if (!id)
        return complain(a, line, "names no question of pov's: was this the task that 'pov export' wrote?");
    found.id = own_text(a, id);
    while (cJSON_GetArraySize(answer) == 1 && cJSON_IsArray(answer))
        answer = cJSON_GetArrayItem(answer, 0);
    if (cJSON_IsString(answer))
        found.text = own_text(a, answer->valuestring);
    else if (!cJSON_IsArray(answer) || !read_likelihoods(&found.p, answer))
        return complain(a, line, "'filtered_resps' holds neither an answer nor the likelihoods of two");
    return add_answer(a, found);
}

/* One of our keys that stands twice: one of the two would be ignored. NULL: none does. */
static const char *find_double(const cJSON *object)
{
    static const char *const keys[] = {"id", "answer", "p_yes", "filtered_resps"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        int count = 0;
        for (const cJSON *member = object->child; member; member = member->next)
            count += strcmp(member->string, keys[k]) == 0;
        if (count > 1)
            return keys[k];
    }
    return NULL;
}

static pov_status read_plain(pov_engine_answers *a, const cJSON *object, int line)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(object, "id"),
                *answer = cJSON_GetObjectItemCaseSensitive(object, "answer"),
                *p_yes = cJSON_GetObjectItemCaseSensitive(object, "p_yes");
    pov_engine_answer found = {.p = NAN, .line = line};
    const bool has_p = p_yes && !cJSON_IsNull(p_yes);
    if (!cJSON_IsString(id))
        return complain(a, line, "has no text 'id', which names the question");
    if (has_p && answer && !cJSON_IsNull(answer))
        return complain(a, line, "has both 'answer' and 'p_yes': keep the one to be scored");
    if (has_p) {
        if (!cJSON_IsNumber(p_yes) || !(p_yes->valuedouble >= 0 && p_yes->valuedouble <= 1))
            return complain(a, line, "'p_yes' is not a number from 0 to 1");
        found.p = p_yes->valuedouble;
    } else if (!cJSON_IsString(answer)) {
        return complain(a, line, "has neither a text 'answer' nor a number 'p_yes'");
    }
    found.id = own_text(a, id->valuestring);
    if (cJSON_IsString(answer))
        found.text = own_text(a, answer->valuestring);
    return add_answer(a, found);
}

static pov_status read_object(pov_engine_answers *a, const cJSON *object, int line)
{
    if (!cJSON_IsObject(object))
        return complain(a, line, "is no JSON object");
    const bool is_sample = cJSON_HasObjectItem(object, "filtered_resps");
    const pov_engine engine = is_sample ? POV_ENGINE_LMMS_EVAL : POV_ENGINE_PLAIN;
    const char *twice = find_double(object);
    if (twice)
        return pov_error("%s:%d: the key '%.60s' stands twice in one object", a->name, line, twice);
    if (a->len > 0 && engine != a->engine)
        return complain(a, line, "is of another kind than the answers before it");
    a->engine = engine;
    return is_sample ? read_sample(a, object, line) : read_plain(a, object, line);
}

static pov_status read_line(pov_engine_answers *a, const char *text, size_t length, int line)
{
    cJSON *object = pov_json_parse(text, length);
    const pov_status status = read_object(a, object, line);
    cJSON_Delete(object);
    return status;
}

/* One JSON array; items count from 1 in messages, as lines do. */
static pov_status read_array(pov_engine_answers *a, const char *text, size_t length)
{
    const char *stopped;
    cJSON *list = pov_json_parse_begin(text, length, &stopped);
    pov_status status = cJSON_IsArray(list)
                            ? pov_ok()
                            : pov_error("%s: is no JSON array: the text is wrong after %zu bytes", a->name,
                                        (size_t)(stopped - text));
    if (status.code == POV_OK && strspn(stopped, " \t\r\n") < (size_t)(text + length - stopped))
        status = pov_error("%s: holds more after its JSON array, from byte %zu on", a->name,
                           (size_t)(stopped - text));
    int number = 0;
    for (const cJSON *item = status.code == POV_OK ? list->child : NULL; item && status.code == POV_OK;
         item = item->next)
        status = read_object(a, item, ++number);
    cJSON_Delete(list);
    return status;
}

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r", text[i]) || !text[i])
            return false;
    return true;
}

static pov_status read_lines(pov_engine_answers *a, const char *text, size_t length)
{
    int line = 1;
    for (const char *at = text, *end = text + length; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t len = (size_t)((newline ? newline : end) - at);
        if (!is_blank(at, len))
            POV_TRY(read_line(a, at, len, line));
        at += len + 1;
    }
    return pov_ok();
}

/* ---- the whole ---- */

static pov_status read_text(pov_engine_answers *a, const char *text, size_t length)
{
    if (length >= 2 && text[0] == 'P' && text[1] == 'K')
        return pov_error("%s: is a spreadsheet; let VLMEvalKit write tables with PRED_FORMAT=tsv", a->name);
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    const size_t mark = length >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
    text += mark;
    length -= mark;
    const size_t blank = strspn(text, " \t\r\n");
    const char first = blank < length ? text[blank] : '\0';
    POV_TRY(first == '{'   ? read_lines(a, text, length)
            : first == '[' ? read_array(a, text, length)
                           : read_table(a, text, length));
    return a->len > 0 ? pov_ok() : pov_error("%s: holds no answer", a->name);
}

pov_status pov_engine_answers_parse(pov_engine_answers **answers, const char *name, const char *text,
                                    size_t length)
{
    *answers = calloc(1, sizeof **answers);
    if (!*answers)
        return pov_error("%s: out of memory", name);
    (*answers)->name = name;
    const pov_status status = read_text(*answers, text, length);
    if (status.code != POV_OK)
        pov_engine_answers_destroy(answers);
    return status;
}

void pov_engine_answers_destroy(pov_engine_answers **answers)
{
    pov_engine_answers *a = *answers;
    if (!a)
        return;
    for (int i = 0; i < a->owned_len; i++)
        free(a->owned[i]);
    free(a->owned);
    free(a->list);
    pov_table_destroy(&a->table);
    free(a);
    *answers = NULL;
}

pov_engine pov_engine_answers_of(const pov_engine_answers *answers)
{
    return answers->engine;
}

int pov_engine_answers_len(const pov_engine_answers *answers)
{
    return answers->len;
}

const pov_engine_answer *pov_engine_answers_at(const pov_engine_answers *answers, int i)
{
    return &answers->list[i];
}

/* ---- the model ---- */

bool pov_engine_model_of(char *model, size_t capacity, const char *path, pov_engine engine)
{
    const char *name = strrchr(path, '/');
    size_t len = 0;
    name = name ? name + 1 : path;
    if (engine == POV_ENGINE_VLMEVALKIT) {
        const char *dataset = strstr(name, "_pov_");
        len = dataset ? (size_t)(dataset - name) : 0;
    } else if (engine == POV_ENGINE_LMMS_EVAL && name > path) {
        const char *end = name - 1;
        for (name = end; name > path && name[-1] != '/'; name--)
            len++;
    }
    snprintf(model, capacity, "%.*s", (int)len, name);
    return len > 0 && len < capacity && strcmp(model, ".") != 0 && strcmp(model, "..") != 0;
}
