#include "perception/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Length in bytes of the UTF-8 character that begins so; 1 for a byte that begins none. */
static int character_length(unsigned char first)
{
    return first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Replaces a character that a precision such as %.40s cut, or that never was UTF-8, by "?"; removes a character that the
 * capacity cut. */
static void mend_cut_characters(char *text)
{
    char *kept = text;
    while (*text) {
        const int wanted = character_length((unsigned char)*text);
        int len = 1;
        while (len < wanted && is_continuation(text[len]))
            len++;
        for (int i = 0; i < len && len == wanted; i++)
            *kept++ = text[i];
        if (len < wanted && text[len])
            *kept++ = '?';
        text += len;
    }
    *kept = '\0';
}

static pov_status status_from(pov_code code, const char *format, va_list arguments)
{
    pov_status status = pov_status_of(code);
    vsnprintf(status.message, sizeof status.message, format, arguments);
    mend_cut_characters(status.message);
    return status;
}

pov_status pov_status_with(pov_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pov_status status = status_from(code, format, arguments);
    va_end(arguments);
    return status;
}

pov_status pov_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pov_status status = status_from(POV_ERROR, format, arguments);
    va_end(arguments);
    return status;
}

void pov_end_without_memory(void)
{
    fflush(stdout);
    fputs("pov: out of memory; close other programs, or give this one more\n", stderr);
    _Exit(1);
}

void pov_abort(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: broken contract: %s\n", file, line, condition);
    abort();
}

void *pov_allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    POV_REQUIRE_MEMORY(memory);
    return memory;
}
