/* Any bytes as a recording of pov: the protobuf of each topic, whatever schema and descriptors the file gives it. */
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"
#include "tests/fuzz/formats/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t walk_text(const char *text)
{
    size_t len = 0;
    while (text && text[len])
        len++;
    return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    return fuzz_mutate_mcap(bytes, length, capacity, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static pov_codec *codec;
    static pov_observation *observation;
    char path[32];
    const int file = memfd_create("recording", 0);
    if (!codec && pov_codec_new(&codec).code == POV_OK)
        observation = calloc(1, sizeof *observation);
    if (file < 0 || !observation || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    pov_recording *recording;
    volatile uint8_t sum = 0;
    if (pov_recording_is_one(path) && pov_recording_open(&recording, path).code == POV_OK) {
        pov_recorded_event event;
        pov_status status;
        while ((status = pov_recording_next(recording, &event)).code == POV_OK ||
               status.code == POV_SKIPPED) {
            pov_message message = {.observation = observation};
            if (status.code != POV_OK)
                continue;
            for (size_t i = 0; i < event.image.len; i++)
                sum = (uint8_t)(sum + event.image.bytes[i]);
            sum = (uint8_t)(sum + walk_text(event.text) + walk_text(event.severity) +
                            walk_text(event.image.name));
            if (event.topic <= POV_RECORDED_ASK)
                (void)pov_codec_decode(codec, &message, event.message.bytes, event.message.len).code;
        }
        pov_recording_close(&recording);
    }
    close(file);
    return 0;
}
