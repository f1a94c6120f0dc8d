#include "firmware/picture/image_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static uint32_t get_big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void put_big_endian(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Right checksums in every chunk of a PNG: else hardly a mutation would come to libpng. */
static void mend_checksums(uint8_t *bytes, size_t length)
{
    if (length < 8 || memcmp(bytes, "\x89PNG", 4) != 0)
        return;
    for (size_t at = 8; length - at >= 12;) {
        size_t chunk = get_big_endian(bytes + at);
        if (chunk > length - at - 12)
            return;
        put_big_endian(bytes + at + 8 + chunk, (uint32_t)crc32(0, bytes + at + 4, (uInt)chunk + 4));
        at += chunk + 12;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    length = LLVMFuzzerMutate(bytes, length, capacity);
    if (seed % 8 != 0)
        mend_checksums(bytes, length);
    return length;
}

/* The sanitizers see one that is out of bounds. */
static void read_every_pixel(const pov_image *image)
{
    for (int y = 0; y < image->height_px; y++) {
        const volatile uint8_t *row = image->pixels + (size_t)y * (size_t)image->stride_bytes;
        for (int x = 0; x < 3 * image->width_px; x++)
            (void)row[x];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_image_file *decoder; /* kept, as in use: one image must not harm the next */
    if (!decoder && pov_image_file_new(&decoder).code != POV_OK)
        abort();
    pov_image image;
    pov_status status = pov_image_file_decode(decoder, &image, "a.img", bytes, length);
    if (status.code == POV_OK ? image.width_px < POV_IMAGE_FILE_SIDE_MIN_PX : image.pixels != NULL)
        abort();
    if (status.code == POV_OK)
        read_every_pixel(&image);
    return 0;
}
