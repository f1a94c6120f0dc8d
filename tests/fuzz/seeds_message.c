/* Writes seeds for fuzz_message into the folder given: seeds_message tests/fuzz/corpus/message */
#include "protocol/message.h"
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

static int write_observation(pov_codec *codec, const char *folder, uint64_t seed, int entities)
{
    test_random random = {seed};
    uint8_t bytes[1 << 16];
    char name[40];
    const uint8_t *encoded;
    size_t length;
    test_random_observation(&random, &observation, entities, 2 * entities);
    if (pov_codec_encode_observation(codec, &encoded, &length, &observation, true).code != POV_OK)
        return 1;
    memcpy(bytes, encoded, length);
    length += pov_message_encode_lost(bytes + length, seed);
    snprintf(name, sizeof name, "observation_%d", entities);
    return write_seed(folder, name, bytes, length);
}

static int write_health(pov_codec *codec, const char *folder)
{
    test_random random = {5};
    pov_health health = test_random_health(&random);
    const uint8_t *bytes;
    size_t length;
    if (pov_codec_encode_health(codec, &bytes, &length, &health).code != POV_OK)
        return 1;
    return write_seed(folder, "health", bytes, length);
}

int main(int argc, char **argv)
{
    pov_codec *codec;
    if (argc != 2 || pov_codec_new(&codec).code != POV_OK)
        return 2;
    int failed = write_health(codec, argv[1]);
    for (int entities = 0; entities <= 4; entities++)
        failed |= write_observation(codec, argv[1], (uint64_t)entities, entities);
    pov_codec_destroy(&codec);
    return failed;
}
