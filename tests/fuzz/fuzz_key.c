#include "protocol/links/keys.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *text = malloc(length + 1);
    if (!text)
        return 0;
    memcpy(text, bytes, length);
    text[length] = '\0';
    pov_key key;
    pov_status status = pov_key_parse(&key, "a.key", text);
    if (status.code == POV_OK && (strlen(key.public_key) != POV_KEY_CAPACITY - 1 || strchr(key.name, '/')))
        abort();
    free(text);
    return 0;
}
