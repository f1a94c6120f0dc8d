/** Base64 (RFC 4648, section 4), for data URIs. */
#ifndef POV_CONFIG_FILES_BASE64_H
#define POV_CONFIG_FILES_BASE64_H

#include <stddef.h>

/** Characters that `len` bytes become, without the final NUL. */
static inline size_t pov_base64_len(size_t len)
{
    return (len + 2) / 3 * 4;
}

/** Writes pov_base64_len(len) characters and a NUL. */
void pov_base64_write(char *out, const unsigned char *bytes, size_t len);

#endif
