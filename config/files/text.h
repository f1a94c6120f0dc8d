/** Text of any length, and text in a place of fixed size: neither is cut without its caller being told. */
#pragma once

#include "perception/status.h"

#include <stdarg.h>
#include <stddef.h>

/** A text that grows. All zero is an empty one; reading it before the first addition is allowed. Without memory the program ends. */
typedef struct {
    char *data; /* ends with '\0'; NULL: nothing was ever added. Read it by pov_text_of */
    size_t len; /* bytes before the '\0' */
    size_t capacity;
    int parts; /* of pov_text_add_part */
} pov_text;

void pov_text_free(pov_text *text);
/** Empties it, and keeps its memory for what comes next. */
void pov_text_clear(pov_text *text);
/** Keeps its first `len` bytes. */
void pov_text_shorten(pov_text *text, size_t len);
/** Never NULL; valid until the text changes. */
const char *pov_text_of(const pov_text *text);
/** The text as memory of its own, which the caller frees; `text` is empty afterwards. */
char *pov_text_take(pov_text *text);

void pov_text_add(pov_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pov_text_add_list(pov_text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void pov_text_add_bytes(pov_text *text, const char *bytes, size_t len);
/** As pov_text_add, in place of what was there. Arguments may not lie within `text`. */
void pov_text_set(pov_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Adds a part of a key whose parts stand between tabs: a tab of its own becomes a space. The first part has no tab before it. */
void pov_text_add_part(pov_text *text, const char *part);

/** A printf-style text in memory of its own, which the caller frees. */
char *pov_text_new(const char *format, ...) __attribute__((format(printf, 1, 2), malloc, returns_nonnull));

/** Copies a text into `place`, if it fits there with its '\0'.
 *  Returns: false: it does not fit; `place` holds "" then. */
POV_MUST_USE bool pov_text_fits(char *place, size_t capacity, const char *text);
/** The same with a printf-style text. */
POV_MUST_USE bool pov_text_fits_as(char *place, size_t capacity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
