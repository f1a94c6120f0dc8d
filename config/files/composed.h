/** Names that look the same are the same: what an id may not be made of. */
#pragma once

#include <stdbool.h>

/** Is each letter with its accents one character, as far as Unicode has one (the normal form NFC)? "é" can also be written as e and U+0301: the
 *  two look alike, and differ in their bytes. Marks that no character is composed with are not put in order. `text` is valid UTF-8. */
bool pov_utf8_is_composed(const char *text);
/** Has it no character that shows nothing or turns the direction of writing, such as U+200B and U+202E? The joiners U+200C and U+200D, which
 *  Persian and Hindi need, count as visible. `text` is valid UTF-8. */
bool pov_utf8_is_visible(const char *text);
