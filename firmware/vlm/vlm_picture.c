#include "firmware/vlm/vlm_picture.h"

#include "draw/canvas.h"
#include "firmware/picture/image_file.h"
#include "firmware/picture/jpeg_encoder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pov_vlm_picture {
    pov_vlm_image_options options;
    pov_image_file *file;
    pov_jpeg_encoder *jpeg; /* NULL: PNG */
    pov_canvas canvas;      /* of the smaller image */
    size_t canvas_capacity;
    pov_bytes png;
};

static bool converts(const pov_vlm_image_options *options)
{
    return options->max_px > 0 || options->format != POV_VLM_FORMAT_STORED;
}

pov_status pov_vlm_picture_new(pov_vlm_picture **picture, const pov_vlm_image_options *options)
{
    pov_vlm_picture *p = *picture = pov_allocate(1, sizeof *p);
    p->options = *options;
    p->canvas.unit_px = 1;
    pov_status status = pov_image_file_new(&p->file);
    if (options->format == POV_VLM_FORMAT_JPEG)
        POV_THEN(status, pov_jpeg_encoder_new(&p->jpeg, options->quality));
    if (status.code != POV_OK)
        pov_vlm_picture_destroy(picture);
    return status;
}

void pov_vlm_picture_destroy(pov_vlm_picture **picture)
{
    pov_vlm_picture *p = *picture;
    if (!p)
        return;
    pov_image_file_destroy(&p->file);
    pov_jpeg_encoder_destroy(&p->jpeg);
    pov_bytes_free(&p->png);
    free(p->canvas.pixels);
    free(p);
    *picture = NULL;
}

/* Makes an image no larger than is wanted: its pixels are means over those of the larger one. */
static void shrink_image(pov_vlm_picture *p, pov_image *image)
{
    const int longest_px = image->width_px > image->height_px ? image->width_px : image->height_px;
    if (p->options.max_px == 0 || longest_px <= p->options.max_px)
        return;
    const double scale = (double)p->options.max_px / longest_px;
    p->canvas.width_px = (int)fmax(1, round(scale * image->width_px));
    p->canvas.height_px = (int)fmax(1, round(scale * image->height_px));
    p->canvas.stride_bytes = 3 * p->canvas.width_px;
    const size_t needed = (size_t)p->canvas.stride_bytes * (size_t)p->canvas.height_px;
    if (needed > p->canvas_capacity) {
        free(p->canvas.pixels);
        p->canvas.pixels = pov_allocate(needed, 1);
        p->canvas_capacity = needed;
    }
    pov_canvas_image(&p->canvas, (pov_rectangle){0, 0, p->canvas.width_px, p->canvas.height_px}, image);
    image->pixels = p->canvas.pixels;
    image->width_px = p->canvas.width_px;
    image->height_px = p->canvas.height_px;
    image->stride_bytes = p->canvas.stride_bytes;
}

static pov_status convert_image(pov_vlm_picture *p, pov_vlm_sent *sent, const uint8_t *bytes, size_t len)
{
    pov_image image;
    POV_TRY(pov_image_file_decode(p->file, &image, "the image to send", bytes, len));
    shrink_image(p, &image);
    sent->width_px = image.width_px;
    sent->height_px = image.height_px;
    if (p->jpeg) {
        sent->image.media_type = "image/jpeg";
        sent->quality = p->options.quality;
        return pov_jpeg_encoder_run(p->jpeg, &sent->image.bytes, &sent->image.len, &image);
    }
    POV_TRY(pov_image_file_encode_png(&p->png, &image));
    sent->image.bytes = p->png.data;
    sent->image.len = p->png.length;
    return pov_ok();
}

/* A PNG's first chunk has its size, after 16 bytes. */
static void read_size(pov_vlm_sent *sent, const uint8_t *bytes, size_t len)
{
    if (len < 24 || memcmp(bytes, "\x89PNG", 4) != 0)
        return;
    sent->width_px = bytes[16] << 24 | bytes[17] << 16 | bytes[18] << 8 | bytes[19];
    sent->height_px = bytes[20] << 24 | bytes[21] << 16 | bytes[22] << 8 | bytes[23];
}

pov_status pov_vlm_picture_make(pov_vlm_picture *p, pov_vlm_sent *sent, const uint8_t *bytes, size_t len)
{
    const bool is_jpeg = len >= 2 && bytes[0] == 0xff && bytes[1] == 0xd8;
    *sent = (pov_vlm_sent){
        .image = {.bytes = bytes, .len = len, .media_type = is_jpeg ? "image/jpeg" : "image/png"}};
    if (converts(&p->options))
        POV_TRY(convert_image(p, sent, bytes, len));
    else
        read_size(sent, bytes, len);
    sent->image.detail = p->options.detail[0] ? p->options.detail : NULL;
    pov_digest(sent->sha256, sent->image.bytes, sent->image.len);
    return pov_ok();
}
