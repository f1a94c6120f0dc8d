/** Text that came from outside (file names, cameras), made fit for protobuf and JSON, which want valid UTF-8.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Length in bytes, 1 to 4, of the character that starts at `text`; 0 if it is not valid UTF-8 (RFC 3629: no
 * overlong forms, no surrogates, nothing beyond U+10FFFF). "" gives 0. */
size_t pov_utf8_character_length(const char *text);
/** Is the character of so many bytes, 1 to 4, one of Unicode's 66 noncharacters (section 23.7)? XML forbids some, cairo stops at all. */
bool pov_utf8_is_noncharacter(const char *character, size_t length);
bool pov_utf8_is_valid(const char *text);
/** Valid, and without control characters, which could move a terminal's cursor or turn its line round: U+0000 to U+001F, U+007F to U+009F,
 *  U+202A to U+202E, U+2066 to U+2069. */
bool pov_utf8_is_plain(const char *text);
/** The characters in so many bytes of valid UTF-8. */
size_t pov_utf8_count(const char *text, size_t length);
/** The small letter of the character at `text`, or the capital: of Latin, Greek and Cyrillic; another character is itself.
 *  Returns the bytes written, never more than are read. `text` is valid UTF-8. */
size_t pov_utf8_small(char out[4], const char *text);
size_t pov_utf8_capital(char out[4], const char *text);
/** Prints for a terminal: each control character but the line feed and the tab becomes '?', each invalid byte too. */
void pov_utf8_print(FILE *stream, const char *text);
/** Copies at most capacity - 1 bytes, whole characters only; every byte that is not valid UTF-8 becomes '?'.
 */
void pov_utf8_copy(char *out, size_t capacity, const char *text);
/** The same to show a text in little room: one too long loses its middle, where " … " then stands. */
void pov_utf8_shorten(char *out, size_t capacity, const char *text);
