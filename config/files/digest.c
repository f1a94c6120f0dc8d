#include "config/files/digest.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
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

/* OpenSSL looks an algorithm up by its name each time that it is not given as fetched. */
struct pov_digest_maker {
    EVP_MD *algorithm;
    EVP_MD_CTX *context;
};

pov_digest_maker *pov_digest_maker_new(void)
{
    pov_digest_maker *maker = malloc(sizeof *maker);
    POV_REQUIRE_MEMORY(maker);
    *maker = (pov_digest_maker){EVP_MD_fetch(NULL, "SHA256", NULL), EVP_MD_CTX_new()};
    POV_REQUIRE(maker->algorithm && maker->context);
    return maker;
}

void pov_digest_maker_destroy(pov_digest_maker **maker)
{
    if (!*maker)
        return;
    EVP_MD_CTX_free((*maker)->context);
    EVP_MD_free((*maker)->algorithm);
    free(*maker);
    *maker = NULL;
}

void pov_digest_make(pov_digest_maker *maker, char hex[POV_DIGEST_CAPACITY], const void *bytes, size_t length)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    POV_REQUIRE(EVP_DigestInit_ex(maker->context, maker->algorithm, NULL) == 1 &&
                EVP_DigestUpdate(maker->context, bytes, length) == 1 &&
                EVP_DigestFinal_ex(maker->context, digest, &len) == 1);
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
