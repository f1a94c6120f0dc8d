#include "config/markup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the character that starts here; 0: it is not UTF-8 (RFC 3629), or one that XML forbids. */
static int character_length(const unsigned char *text)
{
    int length = text[0] < 0x80   ? 1
                 : text[0] < 0xc2 ? 0
                 : text[0] < 0xe0 ? 2
                 : text[0] < 0xf0 ? 3
                 : text[0] < 0xf5 ? 4
                                  : 0;
    uint32_t code = length > 1 ? text[0] & (0x7fu >> length) : text[0];
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    bool overlong = (length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10ffff));
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return overlong || surrogate || (code & 0xfffe) == 0xfffe ? 0 : length;
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
        int length = character_length((const unsigned char *)text);
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
            fwrite(text, 1, (size_t)length, stream);
        text += length > 0 ? length : 1;
    }
}

/* Spreadsheets and our own reader take ; and tab for separators, too. */
void pov_markup_csv(FILE *stream, const char *text)
{
    const bool quoted = strpbrk(text, ",;\"\r\n\t") != NULL;
    if (quoted)
        fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    if (quoted)
        fputc('"', stream);
}
