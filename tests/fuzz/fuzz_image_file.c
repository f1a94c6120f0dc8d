#include "firmware/picture/image_file.h"
#include "tests/fuzz/formats/parts.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    return fuzz_mutate_picture(bytes, length, capacity, seed);
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
