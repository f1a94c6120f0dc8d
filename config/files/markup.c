#include "config/files/markup.h"

#include "config/files/utf8.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes of the character that starts here; 0: it is not UTF-8, or a noncharacter. */
static size_t character_length(const char *text)
{
    const size_t length = pov_utf8_character_length(text);
    return pov_utf8_is_noncharacter(text, length) ? 0 : length;
}

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void pov_markup_text(FILE *stream, const char *text)
{
    while (*text != '\0') {
        size_t length = character_length(text);
        const char *entity = entity_of(*text);
        if (entity)
            fputs(entity, stream);
        else if (length == 1)
            fputc(strchr("\t\n\r", *text)                       ? ' '
                  : (unsigned char)*text < ' ' || *text == 0x7f ? '?'
                                                                : *text,
                  stream);
        else if (length == 0)
            fputs("\xef\xbf\xbd", stream);
        else
            fwrite(text, 1, length, stream);
        text += length > 0 ? length : 1;
    }
}
