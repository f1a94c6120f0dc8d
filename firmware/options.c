#include "firmware/options.h"
#include "config/files/nearest_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 64 };

static int name_len(pov_names *names)
{
    int len = 0;
    while (len < NAMES_MAX && names(len))
        len++;
    return len;
}

/* ---- a value ---- */

static pov_status out_of_bounds(const pov_option *option, const char *what, const char *text)
{
    return isfinite(option->high)
               ? pov_error("takes a %snumber from %.16g to %.16g, not '%s'", what, option->low, option->high,
                           text)
               : pov_error("takes a %snumber of at least %.16g, not '%s'", what, option->low, text);
}

static pov_status take_number(void *value, const pov_option *option, const char *text)
{
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end || !(number >= option->low && number <= option->high))
        return out_of_bounds(option, "", text);
    const double in_unit = number * (option->unit != 0 ? option->unit : 1);
    memcpy(value, &in_unit, sizeof in_unit);
    return pov_ok();
}

/* The bounds are small enough to be exact as doubles; what is between them and a text's number may not be. */
static pov_status take_whole(void *value, const pov_option *option, const char *text)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno != 0 || (double)number < option->low || (double)number > option->high)
        return out_of_bounds(option, "whole ", text);
    if (option->kind == POV_OPTION_COUNT)
        memcpy(value, &(uint64_t){(uint64_t)number}, sizeof(uint64_t));
    else
        memcpy(value, &(int){(int)number}, sizeof(int));
    return pov_ok();
}

static pov_status take_buffer(char *value, const pov_option *option, const char *text)
{
    const size_t length = strlen(text);
    if (length >= option->capacity)
        return pov_error("takes %zu characters at most, not '%.40s...'", option->capacity - 1, text);
    memcpy(value, text, length + 1);
    return pov_ok();
}

static void list_names(char *list, size_t capacity, pov_names *names, int len)
{
    size_t used = 0;
    for (int i = 0; i < len && used < capacity; i++)
        used += (size_t)snprintf(list + used, capacity - used, "%s%s",
                                 i == 0         ? ""
                                 : i == len - 1 ? " or "
                                                : ", ",
                                 names(i));
}

const char *pov_names_hint(char hint[POV_HINT_CAPACITY], const char *word, const char *before,
                           const char *const names[], int len)
{
    const char *nearest = pov_nearest_name(word, names, len);
    hint[0] = '\0';
    if (nearest)
        snprintf(hint, POV_HINT_CAPACITY, "; did you mean '%s%s'?", before, nearest);
    return hint;
}

pov_status pov_names_find(int *index, pov_names *names, const char *name)
{
    const char *all[NAMES_MAX];
    char list[POV_MESSAGE_CAPACITY / 2], hint[POV_HINT_CAPACITY];
    const int len = name_len(names);
    for (int i = 0; i < len; i++) {
        all[i] = names(i);
        if (strcmp(all[i], name) == 0) {
            *index = i;
            return pov_ok();
        }
    }
    list_names(list, sizeof list, names, len);
    return pov_error("takes %s, not '%s'%s", list, name, pov_names_hint(hint, name, "", all, len));
}

static pov_status take_choice(void *value, const pov_option *option, const char *text)
{
    int index;
    POV_TRY(pov_names_find(&index, option->names, text));
    memcpy(value, &index, sizeof index);
    return pov_ok();
}

/* Left out by mistake, as by a shell's variable that is not set. */
static bool is_blank(const char *text)
{
    return text[strspn(text, " \t")] == '\0';
}

pov_status pov_option_take_text(void *value, const pov_option *option, const char *text)
{
    const bool is_text = option->kind == POV_OPTION_TEXT || option->kind == POV_OPTION_PATH ||
                         option->kind == POV_OPTION_BUFFER;
    if (is_text && is_blank(text))
        return pov_error("takes %s, not '%s': leave the option out if it is not to be given", option->value,
                         text);
    switch (option->kind) {
    case POV_OPTION_FLAG:
        memcpy(value, &(bool){true}, sizeof(bool));
        return pov_ok();
    case POV_OPTION_NUMBER:
        return take_number(value, option, text);
    case POV_OPTION_WHOLE:
    case POV_OPTION_COUNT:
        return take_whole(value, option, text);
    case POV_OPTION_BUFFER:
        return take_buffer(value, option, text);
    case POV_OPTION_CHOICE:
        return take_choice(value, option, text);
    case POV_OPTION_TAKEN:
        return option->take(value, text);
    default:
        memcpy(value, &text, sizeof text);
        return pov_ok();
    }
}
