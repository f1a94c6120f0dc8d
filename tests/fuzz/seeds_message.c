/* Writes seeds for fuzz_message into the folder given: seeds_message tests/fuzz/corpus/message */
#include "protocol/observation/message.h"
#include "tests/support/random_health.h"
#include "tests/support/random_observation.h"

#include <stdio.h>
#include <string.h>

static pov_observation observation;

static int write_seed(const char *folder, const char *name, const uint8_t *bytes, size_t length)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        perror(path);
        return 1;
    }
    return 0;
}

enum { LENGTH_MAX = 4096 }; /* the fuzzer's own: longer seeds would be cut */

static int write_observation(pov_codec *codec, const char *folder, uint64_t seed)
{
    test_random random = {seed};
    uint8_t bytes[1 << 16];
    char name[40];
    const uint8_t *encoded;
    size_t length;
    test_random_observation(&random, &observation, (int)seed % 4, (int)seed % 4);
    if (pov_codec_encode_observation(codec, &encoded, &length, &observation).code != POV_OK)
        return 1;
    memcpy(bytes, encoded, length);
    length += pov_message_encode_lost(bytes + length, seed);
    snprintf(name, sizeof name, "observation_%d", (int)seed);
    return length > LENGTH_MAX ? 0 : write_seed(folder, name, bytes, length);
}

static int write_health(pov_codec *codec, const char *folder, uint64_t seed)
{
    char name[40];
    test_random random = {seed};
    pov_health health = test_random_health(&random);
    const uint8_t *bytes;
    size_t length;
    if (pov_codec_encode_health(codec, &bytes, &length, &health).code != POV_OK)
        return 1;
    snprintf(name, sizeof name, "health_%d", (int)seed);
    return write_seed(folder, name, bytes, length);
}

int main(int argc, char **argv)
{
    pov_codec *codec;
    if (argc != 2 || pov_codec_new(&codec).code != POV_OK)
        return 2;
    int failed = 0;
    for (uint64_t seed = 0; seed < 3; seed++)
        failed |= write_health(codec, argv[1], seed);
    for (uint64_t seed = 0; seed < 12; seed++)
        failed |= write_observation(codec, argv[1], seed);
    pov_codec_destroy(&codec);
    return failed;
}
