#include "firmware/picture/image_thumbnail.h"

#include "config/files/base64.h"
#include "draw/canvas.h"
#include "firmware/picture/image_file.h"
#include "firmware/picture/picture_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

enum { QUALITY = 72 };

struct pov_image_thumbnail {
    int side_px;
    pov_image_file *file;
    tjhandle compressor;
    pov_canvas canvas;
    unsigned char *jpeg;
    unsigned long jpeg_capacity;
    char *uri;
};

static pov_status start_decoding(pov_image_thumbnail *t, int side_px)
{
    size_t area = (size_t)side_px * (size_t)side_px;
    t->side_px = side_px;
    t->jpeg_capacity = tjBufSize(side_px, side_px, TJSAMP_420);
    t->compressor = tjInitCompress();
    t->canvas.unit_px = 1;
    t->canvas.pixels = pov_allocate(area, 3);
    t->jpeg = pov_allocate(t->jpeg_capacity, 1);
    t->uri = pov_allocate(t->jpeg_capacity * 4 / 3 + 64, 1);
    POV_REQUIRE_MEMORY(t->compressor);
    return pov_image_file_new(&t->file);
}

pov_status pov_image_thumbnail_new(pov_image_thumbnail **thumbnail, int side_px)
{
    POV_REQUIRE(side_px > 0 && side_px <= 4096);
    *thumbnail = pov_allocate(1, sizeof **thumbnail);
    pov_status status = start_decoding(*thumbnail, side_px);
    if (status.code != POV_OK)
        pov_image_thumbnail_destroy(thumbnail);
    return status;
}

void pov_image_thumbnail_destroy(pov_image_thumbnail **thumbnail)
{
    pov_image_thumbnail *t = *thumbnail;
    if (!t)
        return;
    pov_image_file_destroy(&t->file);
    if (t->compressor)
        tjDestroy(t->compressor);
    free(t->canvas.pixels);
    free(t->jpeg);
    free(t->uri);
    free(t);
    *thumbnail = NULL;
}

static void shrink_rows(pov_image_thumbnail *t, const pov_image *image)
{
    double scale = fmin(1, (double)t->side_px / fmax(image->width_px, image->height_px));
    t->canvas.width_px = (int)fmax(1, scale * image->width_px);
    t->canvas.height_px = (int)fmax(1, scale * image->height_px);
    t->canvas.stride_bytes = 3 * t->canvas.width_px;
    pov_canvas_image(&t->canvas, (pov_rectangle){0, 0, t->canvas.width_px, t->canvas.height_px}, image);
}

/* The data URI of what the canvas shows: RFC 4648. */
static pov_status compress_canvas(pov_image_thumbnail *t, const char **uri, const char *name)
{
    static const char head[] = "data:image/jpeg;base64,";
    unsigned long length = t->jpeg_capacity;
    if (tjCompress2(t->compressor, t->canvas.pixels, t->canvas.width_px, 0, t->canvas.height_px, TJPF_RGB,
                    &t->jpeg, &length, TJSAMP_420, QUALITY, TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT) != 0)
        return pov_error("%s: no thumbnail: %s", name, tjGetErrorStr2(t->compressor));
    memcpy(t->uri, head, sizeof head);
    pov_base64_write(t->uri + sizeof head - 1, t->jpeg, length);
    *uri = t->uri;
    return pov_ok();
}

pov_status pov_image_thumbnail_make(pov_image_thumbnail *t, const char **uri, const char *path,
                                    const char *marks)
{
    pov_image image;
    pov_picture_mark of_question[POV_PICTURE_MARK_MAX];
    *uri = NULL;
    POV_TRY(pov_image_file_read(t->file, &image, path));
    shrink_rows(t, &image);
    pov_picture_marks_draw(&t->canvas, of_question, pov_picture_marks_read(of_question, marks));
    return compress_canvas(t, uri, path);
}

pov_status pov_image_thumbnail_of(pov_image_thumbnail *t, const char **uri, const pov_image *image,
                                  const char *name)
{
    *uri = NULL;
    shrink_rows(t, image);
    return compress_canvas(t, uri, name);
}
