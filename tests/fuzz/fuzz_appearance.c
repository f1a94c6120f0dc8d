/* A file of an enrolled object. Its checksum is made to fit, so that the fields are reached; what is read must be usable. */
#include "calib/appearance_file.h"

#include <zlib.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { HEADER = 20 };

/* A short input stands for a file whose rest is 0x3e: numbers that may be, 0.19 as floats. */
static size_t make_file(uint8_t *file, size_t capacity, const uint8_t *bytes, size_t length)
{
    memset(file, 0x3e, capacity);
    memcpy(file, bytes, length < capacity ? length : capacity);
    uint32_t payload;
    memcpy(&payload, file + 12, sizeof payload);
    const size_t rest = payload % (capacity - HEADER);
    payload = (uint32_t)rest;
    memcpy(file + 12, &payload, sizeof payload);
    const uint32_t checksum = (uint32_t)crc32(0, file + HEADER, (uInt)rest);
    memcpy(file + 16, &checksum, sizeof checksum);
    return HEADER + rest;
}

static void use(const pov_appearance_data *data)
{
    static pov_patch patch;
    pov_appearance *appearance;
    pov_likeness likeness;
    if (pov_appearance_new(&appearance, data).code != POV_OK)
        abort();
    pov_appearance_match(appearance, &likeness, &patch);
    for (int i = 0; i < likeness.view.len; i++)
        if (!isfinite(likeness.view.mode[i].yaw_rad) || !(likeness.view.mode[i].weight >= 0))
            abort();
    pov_appearance_destroy(&appearance);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    enum { CAPACITY = 1 << 16 };
    static uint8_t file[CAPACITY];
    pov_appearance_data *data = malloc(sizeof *data);
    if (!data)
        abort();
    pov_status status = pov_appearance_parse(data, "thing.pov", bytes, length);
    if (status.code != POV_OK)
        status = pov_appearance_parse(data, "thing.pov", file, make_file(file, CAPACITY, bytes, length));
    if (status.code == POV_OK && crc32(0, bytes, (uInt)length) % 256 == 0)
        use(data); /* it takes its time */
    else if (status.code != POV_OK && (data->view_len != 0 || status.message[0] == '\0'))
        abort();
    free(data);
    return 0;
}
