#include "config/files/digest.h"

#include "perception/status.h"

#include <openssl/evp.h>
#include <stdio.h>

void pov_digest(char hex[POV_DIGEST_CAPACITY], const void *bytes, size_t length)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_len = 0;
    POV_REQUIRE(EVP_Digest(bytes, length, digest, &digest_len, EVP_sha256(), NULL) == 1);
    POV_REQUIRE(2 * digest_len + 1 == POV_DIGEST_CAPACITY);
    for (unsigned i = 0; i < digest_len; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
