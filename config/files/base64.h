/** Base64 (RFC 4648, section 4), for data URIs. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** Characters that `len` bytes become, without the final NUL. */
static inline size_t pov_base64_len(size_t len)
{
    return (len + 2) / 3 * 4;
}

/** Writes pov_base64_len(len) characters and a NUL. */
void pov_base64_write(char *out, const unsigned char *bytes, size_t len);
/** Reads text, padded to whole groups of four, into `out`, which has room for as many bytes as the text. Returns: bytes; SIZE_MAX: it
 *  is no base64. */
size_t pov_base64_read(unsigned char *out, const char *text);
