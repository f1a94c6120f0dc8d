#include "config/scene/obj_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char BLANKS[] = " \t\r\v\f", BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";

void pov_obj_text_start(pov_obj_text *text, const char *path, char *bytes)
{
    if (strncmp(bytes, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
        memset(bytes, ' ', strlen(BYTE_ORDER_MARK));
    *text = (pov_obj_text){.path = path, .next_line = bytes};
}

/** Ends the line at its newline; joined lines become one, with blanks where they met. */
static void cut_line(pov_obj_text *text)
{
    char *end = text->next_line;
    text->at = end;
    text->line++;
    while ((end = strchr(end, '\n')) != NULL) {
        char *last = end > text->at && end[-1] == '\r' ? end - 1 : end;
        if (last == text->at || last[-1] != '\\')
            break;
        memset(last - 1, ' ', (size_t)(end - last + 2));
        text->line++;
    }
    if (end)
        *end = '\0';
    text->next_line = end ? end + 1 : NULL;
}

char *pov_obj_next_line(pov_obj_text *text)
{
    while (text->next_line) {
        cut_line(text);
        char *word = pov_obj_next_word(text);
        if (word && word[0] != '#')
            return word;
    }
    return NULL;
}

char *pov_obj_next_word(pov_obj_text *text)
{
    char *word = text->at + strspn(text->at, BLANKS);
    if (!*word)
        return NULL;
    text->at = word + strcspn(word, BLANKS);
    if (*text->at)
        *text->at++ = '\0';
    return word;
}

char *pov_obj_rest(pov_obj_text *text)
{
    char *rest = text->at + strspn(text->at, BLANKS);
    size_t len = strlen(rest);
    while (len > 0 && strchr(BLANKS, rest[len - 1]))
        rest[--len] = '\0';
    text->at = rest + len;
    return rest;
}

pov_status pov_obj_complaint(const pov_obj_text *text, const char *what, const char *word)
{
    return pov_error("%.150s:%d: %s, not '%.60s'", text->path, text->line, what, word);
}

pov_status pov_obj_numbers(pov_obj_text *text, float numbers[], int len, const char *what)
{
    for (int i = 0; i < len; i++) {
        const char *word = pov_obj_next_word(text);
        if (!word)
            return pov_error("%.150s:%d: %s: %d numbers are needed, %d are there", text->path, text->line,
                             what, len, i);
        char *end;
        const double number = strtod(word, &end);
        if (end == word || *end || !(fabs(number) < 1e6))
            return pov_obj_complaint(text, "a number under 1000000 is needed", word);
        numbers[i] = (float)number;
    }
    return pov_ok();
}

bool pov_obj_index(int *index, const char **at, int len)
{
    char *end;
    const long number = strtol(*at, &end, 10);
    if (end == *at)
        return false;
    *at = end;
    const long from_zero = number < 0 ? len + number : number - 1;
    if (number == 0 || from_zero < 0 || from_zero >= len)
        return false;
    *index = (int)from_zero;
    return true;
}

void pov_obj_beside(char beside[POV_OBJ_PATH_CAPACITY], const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const int folder_len = slash ? (int)(slash - path + 1) : 0;
    snprintf(beside, POV_OBJ_PATH_CAPACITY, "%.*s%s", folder_len > 300 ? 300 : folder_len, path, name);
}
