/** Whether text from a server shows the API key: servers may echo a request, and the key must not get into a log. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Whether bytes, which may hold NULs, show the key or half of it, at least twelve characters: as it is or in letters of another case, after
 *  JSON's and C's escapes, percent signs and HTML's character references (each up to three times one in the other); keys of
 *  eight characters or more also in base64, in hexadecimal digits or from back to front. A key below four characters is no
 *  secret. */
bool pov_vlm_shows_secret(const char *bytes, size_t len, const char *key);
/** Writes '*' over the key, and over such a part of it, where it stands as it is or in letters of another case. */
void pov_vlm_blank_secret(char *bytes, size_t len, const char *key);
