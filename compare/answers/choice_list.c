#include "compare/answers/choice_list.h"

#include "config/files/json_value.h"
#include "perception/status.h"

#include <cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- pieces of text ---- */

typedef struct {
    const char *from;
    size_t length;
} piece;

static piece trim(piece text)
{
    while (text.length > 0 && isspace((unsigned char)*text.from))
        text.from++, text.length--;
    while (text.length > 0 && isspace((unsigned char)text.from[text.length - 1]))
        text.length--;
    return text;
}

/* Full-width signs stand for the ASCII ones in files from China. Returns the sign's length; 0: it is none of `signs`. */
static size_t sign_at(const char *at, const char *signs)
{
    static const struct {
        const char *wide, plain;
    } wide[] = {{"\uff0e", '.'}, {"\uff1a", ':'}, {"\uff09", ')'}, {"\uff08", '('}, {"\u3001", '.'}};
    if (*at && strchr(signs, *at))
        return 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strchr(signs, wide[i].plain) && strncmp(at, wide[i].wide, strlen(wide[i].wide)) == 0)
            return strlen(wide[i].wide);
    return 0;
}

/* "B. ", "B) ", "(B) ", "B: ", "B" alone: its letter's number, and where the text begins. -1: it has no letter. */
static int letter_before(piece text, size_t *begin)
{
    const size_t open = text.length > 0 ? sign_at(text.from, "(") : 0;
    const char *end = text.from + text.length, *at = text.from + open;
    const int letter = at < end && isalpha((unsigned char)*at) ? toupper((unsigned char)*at) - 'A' : -1;
    *begin = 0;
    if (letter < 0)
        return -1;
    at++;
    const size_t close = at < end ? sign_at(at, open ? ")" : ".):") : 0;
    if (at < end && !close)
        return -1;
    at += close;
    while (close && at < end && (*at == '.' || *at == ':')) /* "(B)." */
        at++;
    *begin = (size_t)(at - text.from);
    return open && !close ? -1 : letter;
}

/* ---- lists ---- */

bool pov_choice_list_add(pov_choice_list *list, const char *text, size_t length)
{
    const piece part = trim((piece){text, length});
    if (list->len == POV_ANSWER_OPTIONS_MAX)
        return false;
    list->text[list->len] = strndup(part.from, part.length);
    POV_REQUIRE_MEMORY(list->text[list->len]);
    list->len++;
    return true;
}

void pov_choice_list_free(pov_choice_list *list)
{
    for (int i = 0; i < list->len; i++)
        free(list->text[i]);
    *list = (pov_choice_list){.len = 0};
}

/* Only if all have one, and they count. */
static void drop_letters(pov_choice_list *list)
{
    size_t begin[POV_ANSWER_OPTIONS_MAX];
    for (int i = 0; i < list->len; i++)
        if (letter_before((piece){list->text[i], strlen(list->text[i])}, &begin[i]) != i ||
            !list->text[i][begin[i]])
            return;
    for (int i = 0; i < list->len; i++) {
        const piece rest = trim((piece){list->text[i] + begin[i], strlen(list->text[i] + begin[i])});
        memmove(list->text[i], rest.from, rest.length + 1);
        list->text[i][rest.length] = '\0';
    }
}

static bool add_parts(pov_choice_list *list, const char *text, char separator)
{
    const char separators[] = {separator, '\0'};
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, separators);
        const piece part = trim((piece){at, length});
        if (part.length > 0 && !pov_choice_list_add(list, part.from, part.length))
            return false;
        at += length;
        if (!*at)
            return true;
    }
}

/* ---- JSON, and Python's lists ---- */

static bool is_missing(const char *text)
{
    return !*text || strcasecmp(text, "nan") == 0 || strcasecmp(text, "none") == 0 ||
           strcasecmp(text, "null") == 0;
}

static bool add_json(pov_choice_list *list, const cJSON *items)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, items)
    {
        char *number = cJSON_IsNumber(item) ? cJSON_PrintUnformatted(item) : NULL;
        const char *text = cJSON_IsString(item) ? item->valuestring : number;
        const bool wanted = text && !is_missing(text);
        const bool added = !wanted || pov_choice_list_add(list, text, strlen(text));
        cJSON_free(number);
        if (!added || (!text && !cJSON_IsNull(item)))
            return false;
    }
    return true;
}

/* A string in either kind of quotes, with backslashes. NULL: it does not end. */
static const char *read_python_string(char *to, const char *at)
{
    const char quote = *at++;
    for (; *at && *at != quote; at++) {
        if (*at == '\\' && at[1])
            at++;
        *to++ = *at;
    }
    *to = '\0';
    return *at ? at + 1 : NULL;
}

/* "['left', \"the car's\"]"; of an object, "{'A': 'left'}", the values. */
static bool add_python(pov_choice_list *list, const char *text)
{
    const bool is_object = *text == '{';
    char *word = pov_allocate(strlen(text) + 1, 1);
    bool sound = true, is_key = is_object;
    const char *at = text + 1;
    while (sound) {
        at += strspn(at, " \t\r\n,:");
        if (*at == ']' || *at == '}')
            break;
        if (*at == '\'' || *at == '"') {
            at = read_python_string(word, at);
        } else {
            const size_t length = strcspn(at, ",:]}");
            memcpy(word, at, length);
            word[length] = '\0';
            at = *at ? at + length : NULL;
        }
        sound = at != NULL;
        if (sound && !is_key && !is_missing(word))
            sound = pov_choice_list_add(list, word, strlen(word));
        is_key = is_object && !is_key;
    }
    free(word);
    return sound && at && strspn(at + 1, " \t\r\n") == strlen(at + 1);
}

static bool add_brackets(pov_choice_list *list, const char *text)
{
    const char *stopped;
    cJSON *root = pov_json_parse_begin(text, strlen(text), &stopped);
    const bool is_json = root && stopped[strspn(stopped, " \t\r\n")] == '\0';
    const bool added = is_json && add_json(list, root);
    cJSON_Delete(root);
    if (added)
        return true;
    pov_choice_list_free(list);
    return !is_json && add_python(list, text);
}

/* ---- reading ---- */

/* " B. ", " B) ", "(B) " in the middle of a text; NULL: it is not there. */
static const char *find_letter(const char *text, char letter, size_t *length)
{
    for (const char *at = text; (at = strchr(at, letter)); at++) {
        const bool open = at > text && at[-1] == '(';
        const char *first = open ? at - 1 : at;
        const size_t close = sign_at(at + 1, open ? ")" : ".):");
        if (close &&
            (first == text || isspace((unsigned char)first[-1]) || (unsigned char)first[-1] >= 0x80) &&
            (isspace((unsigned char)at[1 + close]) || close > 1)) {
            *length = (size_t)(at + 1 + close - first);
            return first;
        }
    }
    return NULL;
}

/* Text from A on, each option up to the next letter. */
static bool add_lettered(pov_choice_list *list, const char *text)
{
    size_t length, next_length;
    const char *at = find_letter(text, 'A', &length), *next;
    for (char letter = 'B'; at; at = next, length = next_length, letter++) {
        next = letter <= 'Z' ? find_letter(at + length, letter, &next_length) : NULL;
        if (!pov_choice_list_add(list, at + length,
                                 next ? (size_t)(next - at) - length : strlen(at + length)))
            return false;
    }
    return list->len > 1;
}

bool pov_choice_list_read(pov_choice_list *list, const char *text)
{
    *list = (pov_choice_list){.len = 0};
    text += strspn(text, " \t\r\n");
    bool read = *text != '\0';
    if (*text == '[' || *text == '{')
        read = add_brackets(list, text);
    else if (strchr(text, '|'))
        read = add_parts(list, text, '|');
    else if (strchr(text, '\n'))
        read = add_parts(list, text, '\n');
    else if (read && !add_lettered(list, text)) {
        pov_choice_list_free(list);
        read = add_parts(list, text, strchr(text, ';') ? ';' : ',');
    }
    if (read)
        drop_letters(list);
    for (int i = 0; i < list->len && read; i++)
        read = *list->text[i] != '\0';
    if (!read || list->len == 0)
        pov_choice_list_free(list);
    return list->len > 0;
}

bool pov_choice_list_read_names(pov_choice_list *list, const char *text)
{
    *list = (pov_choice_list){.len = 0};
    if ((*text != '[' && *text != '{') || !add_brackets(list, text))
        pov_choice_list_free(list);
    return list->len > 0;
}

bool pov_choice_list_read_end(pov_choice_list *list, size_t *stem_length, const char *question)
{
    size_t length = 0;
    const char *at = NULL, *next = question;
    *list = (pov_choice_list){.len = 0};
    *stem_length = strlen(question);
    while ((next = find_letter(next, 'A', &length))) { /* the last A that has a B behind it */
        size_t second;
        if (!find_letter(next + length, 'B', &second))
            break;
        at = next;
        next += length;
    }
    if (!at || !add_lettered(list, at)) {
        pov_choice_list_free(list);
        return false;
    }
    *stem_length = trim((piece){question, (size_t)(at - question)}).length + strspn(question, " \t\r\n");
    return true;
}

int pov_choice_list_double(const pov_choice_list *list)
{
    for (int i = 1; i < list->len; i++)
        for (int k = 0; k < i; k++)
            if (strcasecmp(list->text[i], list->text[k]) == 0)
                return i;
    return -1;
}

/* ---- golds ---- */

int pov_choice_list_find(const pov_choice_list *list, const char *text)
{
    piece wanted = trim((piece){text, strlen(text)});
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < list->len; i++)
            if (strlen(list->text[i]) == wanted.length &&
                strncasecmp(list->text[i], wanted.from, wanted.length) == 0)
                return i;
        if (wanted.length == 0 || wanted.from[wanted.length - 1] != '.')
            break;
        wanted.length--;
    }
    return -1;
}

int pov_choice_list_gold(const pov_choice_list *list, const char *gold)
{
    size_t begin;
    const int by_text = pov_choice_list_find(list, gold);
    const piece text = trim((piece){gold, strlen(gold)});
    const int letter = letter_before(text, &begin);
    if (by_text >= 0)
        return by_text;
    if (letter < 0 || (list->len > 0 && letter >= list->len))
        return -1;
    const piece rest = trim((piece){text.from + begin, text.length - begin});
    if (list->len == 0 || rest.length == 0)
        return letter;
    char *words = strndup(rest.from, rest.length); /* "B. right": letter and words must agree */
    POV_REQUIRE_MEMORY(words);
    const int named = pov_choice_list_find(list, words);
    free(words);
    return named == letter ? letter : -1;
}
