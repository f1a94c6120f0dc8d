#include "config/files/base64.h"

#include "perception/status.h"

#include <limits.h>
#include <openssl/evp.h>
#include <string.h>

void pov_base64_write(char *out, const unsigned char *bytes, size_t len)
{
    POV_REQUIRE(len < INT_MAX / 2);
    *out = '\0';
    EVP_EncodeBlock((unsigned char *)out, bytes, (int)len);
}

size_t pov_base64_read(unsigned char *out, const char *text)
{
    const size_t len = strlen(text);
    const int read = len < INT_MAX ? EVP_DecodeBlock(out, (const unsigned char *)text, (int)len) : -1;
    if (read < 0)
        return SIZE_MAX;
    const size_t padding = len > 1 ? (text[len - 1] == '=') + (text[len - 2] == '=') : 0;
    return (size_t)read - padding; /* OpenSSL counts it */
}
