#include "config/files/digest.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

static void write_hex(char hex[POV_DIGEST_CAPACITY], const unsigned char *digest, unsigned len)
{
    static const char digits[] = "0123456789abcdef";
    POV_REQUIRE(2 * len + 1 == POV_DIGEST_CAPACITY);
    for (unsigned i = 0; i < 2 * len; i++)
        hex[i] = digits[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
    hex[2 * len] = '\0';
}

void pov_digest(char hex[POV_DIGEST_CAPACITY], const void *bytes, size_t length)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    POV_REQUIRE(EVP_Digest(bytes, length, digest, &len, EVP_sha256(), NULL) == 1);
    write_hex(hex, digest, len);
}

pov_status pov_digest_file(char hex[POV_DIGEST_CAPACITY], const char *path)
{
    unsigned char block[1 << 16], digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return pov_error("%s: %s", path, strerror(errno));
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    while (good && (got = fread(block, 1, sizeof block, file)) > 0)
        good = EVP_DigestUpdate(context, block, got) == 1;
    good = good && !ferror(file) && EVP_DigestFinal_ex(context, digest, &len) == 1;
    EVP_MD_CTX_free(context);
    fclose(file);
    if (!good)
        return pov_error("%s: cannot be read", path);
    write_hex(hex, digest, len);
    return pov_ok();
}
