#include "firmware/picture/jpeg_encoder.h"

#include <stdlib.h>
#include <turbojpeg.h>

struct pov_jpeg_encoder {
    tjhandle compressor;
    int quality;
    unsigned char *bytes;
    unsigned long capacity;
};

pov_status pov_jpeg_encoder_new(pov_jpeg_encoder **encoder, int quality)
{
    pov_jpeg_encoder *e = *encoder = pov_allocate(1, sizeof *e);
    e->quality = quality;
    e->compressor = tjInitCompress();
    if (e->compressor)
        return pov_ok();
    pov_jpeg_encoder_destroy(encoder);
    return pov_error("out of memory for a JPEG encoder");
}

void pov_jpeg_encoder_destroy(pov_jpeg_encoder **encoder)
{
    if (!*encoder)
        return;
    if ((*encoder)->compressor)
        tjDestroy((*encoder)->compressor);
    tjFree((*encoder)->bytes);
    free(*encoder);
    *encoder = NULL;
}

static pov_status make_room(pov_jpeg_encoder *encoder, const pov_image *image)
{
    const unsigned long needed = tjBufSize(image->width_px, image->height_px, TJSAMP_420);
    if (needed <= encoder->capacity)
        return pov_ok();
    tjFree(encoder->bytes);
    encoder->capacity = 0;
    encoder->bytes = tjAlloc((int)needed);
    if (!encoder->bytes)
        return pov_error("out of memory for a JPEG of %d x %d px", image->width_px, image->height_px);
    encoder->capacity = needed;
    return pov_ok();
}

pov_status pov_jpeg_encoder_run(pov_jpeg_encoder *encoder, const unsigned char **bytes, size_t *len,
                                const pov_image *image)
{
    *bytes = NULL;
    *len = 0;
    POV_TRY(make_room(encoder, image));
    unsigned long size = encoder->capacity;
    if (tjCompress2(encoder->compressor, image->pixels, image->width_px, image->stride_bytes,
                    image->height_px, TJPF_RGB, &encoder->bytes, &size, TJSAMP_420, encoder->quality,
                    TJFLAG_NOREALLOC | TJFLAG_FASTDCT) != 0)
        return pov_error("JPEG: %s", tjGetErrorStr2(encoder->compressor));
    *bytes = encoder->bytes;
    *len = size;
    return pov_ok();
}
