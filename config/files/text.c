#include "config/files/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

void pov_text_free(pov_text *text)
{
    free(text->data);
    *text = (pov_text){0};
}

void pov_text_clear(pov_text *text)
{
    text->len = 0;
    text->parts = 0;
    if (text->data)
        text->data[0] = '\0';
}

void pov_text_shorten(pov_text *text, size_t len)
{
    POV_REQUIRE(len <= text->len);
    text->len = len;
    if (text->data)
        text->data[len] = '\0';
}

const char *pov_text_of(const pov_text *text)
{
    return text->data ? text->data : "";
}

static void make_room(pov_text *text, size_t more)
{
    size_t capacity = text->capacity > 0 ? text->capacity : FIRST_CAPACITY;
    while (capacity <= text->len + more)
        capacity *= 2;
    if (capacity == text->capacity)
        return;
    char *data = realloc(text->data, capacity);
    POV_REQUIRE_MEMORY(data);
    text->data = data;
    text->capacity = capacity;
}

char *pov_text_take(pov_text *text)
{
    make_room(text, 0);
    text->data[text->len] = '\0';
    char *data = text->data;
    *text = (pov_text){0};
    return data;
}

void pov_text_add_bytes(pov_text *text, const char *bytes, size_t len)
{
    make_room(text, len);
    if (len > 0)
        memcpy(text->data + text->len, bytes, len);
    text->len += len;
    text->data[text->len] = '\0';
}

void pov_text_add_list(pov_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    /* A text as it is costs a copy: printf takes 8000 instructions for one of 1000 bytes where a library has registered formats of its
     * own, as libquadmath does. */
    const char *plain = strcmp(format, "%s") == 0 ? va_arg(again, const char *) : NULL;
    va_end(again);
    if (plain) {
        pov_text_add_bytes(text, plain, strlen(plain));
        return;
    }
    va_copy(again, arguments);
    make_room(text, 0);
    const size_t room = text->capacity - text->len;
    const int len = vsnprintf(text->data + text->len, room, format, arguments);
    POV_REQUIRE(len >= 0);
    if ((size_t)len >= room) {
        make_room(text, (size_t)len);
        vsnprintf(text->data + text->len, (size_t)len + 1, format, again);
    }
    text->len += (size_t)len;
    va_end(again);
}

void pov_text_add(pov_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pov_text_add_list(text, format, arguments);
    va_end(arguments);
}

void pov_text_set(pov_text *text, const char *format, ...)
{
    va_list arguments;
    pov_text_clear(text);
    va_start(arguments, format);
    pov_text_add_list(text, format, arguments);
    va_end(arguments);
}

void pov_text_add_part(pov_text *text, const char *part)
{
    if (text->parts++ > 0)
        pov_text_add_bytes(text, "\t", 1);
    const size_t first = text->len;
    pov_text_add_bytes(text, part, strlen(part));
    for (size_t i = first; i < text->len; i++)
        if (text->data[i] == '\t')
            text->data[i] = ' ';
}

char *pov_text_new(const char *format, ...)
{
    pov_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    pov_text_add_list(&text, format, arguments);
    va_end(arguments);
    return pov_text_take(&text);
}

static bool fits_list(char *place, size_t capacity, const char *format, va_list arguments)
{
    const int len = vsnprintf(place, capacity, format, arguments);
    const bool fits = len >= 0 && (size_t)len < capacity;
    if (!fits)
        place[0] = '\0';
    return fits;
}

bool pov_text_fits_as(char *place, size_t capacity, const char *format, ...)
{
    va_list arguments;
    POV_REQUIRE(capacity > 0);
    va_start(arguments, format);
    const bool fits = fits_list(place, capacity, format, arguments);
    va_end(arguments);
    return fits;
}

bool pov_text_fits(char *place, size_t capacity, const char *text)
{
    return pov_text_fits_as(place, capacity, "%s", text);
}
