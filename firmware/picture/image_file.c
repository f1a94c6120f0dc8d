#include "firmware/picture/image_file.h"

#include "config/files/read_file.h"
#include "config/files/write_file.h"

#include <ctype.h>
#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>
#include <zlib.h>

struct pov_image_file {
    pov_bytes source;
    uint8_t *pixels;
    size_t capacity;
    tjhandle jpeg;
};

/* An encoded image in memory. */
typedef struct {
    const char *name;
    const uint8_t *bytes;
    size_t length;
} encoded;

pov_status pov_image_file_new(pov_image_file **file)
{
    *file = calloc(1, sizeof **file);
    if (*file)
        (*file)->jpeg = tjInitDecompress();
    if (*file && (*file)->jpeg)
        return pov_ok();
    pov_image_file_destroy(file);
    return pov_error("image decoder: out of memory");
}

void pov_image_file_destroy(pov_image_file **file)
{
    if (!file || !*file)
        return;
    if ((*file)->jpeg)
        tjDestroy((*file)->jpeg);
    pov_bytes_free(&(*file)->source);
    free((*file)->pixels);
    free(*file);
    *file = NULL;
}

/* ---- what both kinds share ---- */

static pov_status check_size(const char *name, uint32_t width_px, uint32_t height_px)
{
    if (width_px < POV_IMAGE_FILE_SIDE_MIN_PX || height_px < POV_IMAGE_FILE_SIDE_MIN_PX)
        return pov_error("%s: is %ux%u px; an image needs at least %d px a side", name, width_px, height_px,
                         POV_IMAGE_FILE_SIDE_MIN_PX);
    if (width_px > POV_IMAGE_SIDE_MAX_PX || height_px > POV_IMAGE_SIDE_MAX_PX ||
        width_px * height_px > POV_IMAGE_FILE_AREA_MAX_PX)
        return pov_error(
            "%s: is %ux%u px; at most %d px a side and %d million in all are taken, scale it down", name,
            width_px, height_px, POV_IMAGE_SIDE_MAX_PX, POV_IMAGE_FILE_AREA_MAX_PX / 1000000);
    return pov_ok();
}

/* A header may promise pixels that would take a second to fill from nothing: not without the bytes to code
 * them. */
static pov_status check_density(const char *name, size_t coded_bytes, double bytes_needed)
{
    if ((double)coded_bytes >= bytes_needed)
        return pov_ok();
    return pov_error("%s: is truncated: %zu bytes cannot hold that many pixels; copy or take it again", name,
                     coded_bytes);
}

/* Room for the pixels, described by `image`. */
static pov_status prepare_image(pov_image_file *file, pov_image *image, const char *name, int width_px,
                                int height_px)
{
    size_t needed = (size_t)width_px * (size_t)height_px * 3;
    if (needed > file->capacity) {
        free(file->pixels);
        file->pixels = malloc(needed);
        file->capacity = file->pixels ? needed : 0;
    }
    if (!file->pixels)
        return pov_error("%s: no memory for %dx%d px", name, width_px, height_px);
    const char *slash = strrchr(name, '/');
    *image = (pov_image){
        .pixels = file->pixels, .width_px = width_px, .height_px = height_px, .stride_bytes = width_px * 3};
    snprintf(image->name, sizeof image->name, "%s", slash ? slash + 1 : name);
    return pov_ok();
}

/* ---- JPEG ---- */

static bool is_jpeg(const encoded *source)
{
    return source->length >= 3 && memcmp(source->bytes, "\xFF\xD8\xFF", 3) == 0;
}

/* libjpeg's message. The decoder is replaced, as tjDecompressHeader3 of libjpeg-turbo 2.1 leaves it within the
 * header that it could not read: the next image would be read as the rest of this one. */
static pov_status jpeg_error(pov_image_file *file, const char *name)
{
    const char *problem = tjGetErrorStr2(file->jpeg);
    const char *damage = strstr(problem, "Premature end") ? "truncated" : "damaged";
    pov_status status = pov_error("%s: is a %s JPEG (%s); copy or take it again", name, damage, problem);
    tjDestroy(file->jpeg);
    file->jpeg = tjInitDecompress();
    return status;
}

/* A progressive JPEG goes over the whole image once a scan (ITU-T T.81, annex B: 0xFF, 0xDA), which a few bytes each may ask for. */
static pov_status check_scans(const encoded *source, int width_px, int height_px)
{
    const uint8_t *at = source->bytes, *const last = at + source->length - 1;
    double scans = 0;
    while ((at = memchr(at, 0xFF, (size_t)(last - at))))
        scans += *++at == 0xDA;
    if (scans * width_px * height_px <= POV_IMAGE_FILE_SCANNED_MAX_PX || scans <= 1)
        return pov_ok();
    return pov_error("%s: is a progressive JPEG of %.0f scans, which %dx%d px take too long to decode from; "
                     "convert it to a baseline JPEG",
                     source->name, scans, width_px, height_px);
}

static pov_status decode_jpeg(pov_image_file *file, pov_image *image, const encoded *source)
{
    enum { PIXELS_PER_BIT = 64 }; /* Huffman codes have at least a bit, and cover a block of 8x8 */
    int width_px, height_px, subsampling, colorspace;
    if (!file->jpeg)
        return pov_error("%s: no memory to decode it", source->name);
    if (tjDecompressHeader3(file->jpeg, source->bytes, source->length, &width_px, &height_px, &subsampling,
                            &colorspace) != 0)
        return jpeg_error(file, source->name);
    if (colorspace == TJCS_CMYK || colorspace == TJCS_YCCK)
        return pov_error("%s: is a CMYK JPEG; convert it to RGB", source->name);
    POV_TRY(check_size(source->name, (uint32_t)width_px, (uint32_t)height_px));
    POV_TRY(check_scans(source, width_px, height_px));
    POV_TRY(check_density(source->name, source->length, (double)width_px * height_px / (8 * PIXELS_PER_BIT)));
    POV_TRY(prepare_image(file, image, source->name, width_px, height_px));
    if (tjDecompress2(file->jpeg, source->bytes, source->length, file->pixels, width_px, image->stride_bytes,
                      height_px, TJPF_RGB, TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS) != 0)
        return jpeg_error(file, source->name);
    return pov_ok();
}

/* ---- PNG ---- */

enum { PNG_SIGNATURE_BYTES = 8, PNG_CHUNK_OVERHEAD_BYTES = 12, PNG_HEADER_BYTES = 13 };

static const uint8_t png_signature[PNG_SIGNATURE_BYTES] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

typedef struct {
    uint32_t width_px, height_px;
    int bit_depth;
    size_t data_bytes; /* of all IDAT chunks */
} png_outline;

static bool is_png(const encoded *source)
{
    return source->length >= PNG_SIGNATURE_BYTES &&
           memcmp(source->bytes, png_signature, PNG_SIGNATURE_BYTES) == 0;
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Walks the chunks (PNG specification, sections 5.3 and 5.4), as libpng does not look at the last ones. */
static pov_status outline_png(png_outline *outline, const encoded *source)
{
    *outline = (png_outline){0};
    size_t at = PNG_SIGNATURE_BYTES;
    while (source->length - at >= PNG_CHUNK_OVERHEAD_BYTES) {
        const uint8_t *chunk = source->bytes + at, *data = chunk + 8;
        size_t length = big_endian(chunk);
        if (length > source->length - at - PNG_CHUNK_OVERHEAD_BYTES)
            break;
        if (crc32(0, chunk + 4, (uInt)length + 4) != big_endian(data + length))
            return pov_error("%s: is a damaged PNG (wrong checksum at byte %zu); copy or take it again",
                             source->name, at);
        if (memcmp(chunk + 4, "IEND", 4) == 0)
            return pov_ok();
        const bool is_header = memcmp(chunk + 4, "IHDR", 4) == 0; /* libpng goes by the first one */
        if (is_header != (at == PNG_SIGNATURE_BYTES))
            return pov_error("%s: is a damaged PNG (%s header at byte %zu); copy or take it again",
                             source->name, is_header ? "another" : "no", at);
        if (is_header && length == PNG_HEADER_BYTES)
            *outline = (png_outline){big_endian(data), big_endian(data + 4), data[8], 0};
        if (memcmp(chunk + 4, "IDAT", 4) == 0)
            outline->data_bytes += length;
        at += length + PNG_CHUNK_OVERHEAD_BYTES;
    }
    return pov_error("%s: is a truncated PNG (its end is missing); copy or take it again", source->name);
}

static pov_status check_png(const encoded *source)
{
    enum { DEFLATE_RATIO_MAX = 1032 }; /* zlib's technical details: the most that deflate can shrink */
    png_outline outline;
    POV_TRY(outline_png(&outline, source));
    if (outline.bit_depth == 16)
        return pov_error("%s: is a 16-bit PNG; convert it to 8 bits a channel", source->name);
    POV_TRY(check_size(source->name, outline.width_px, outline.height_px));
    double raw_bytes = (double)outline.width_px * outline.height_px * outline.bit_depth / 8;
    return check_density(source->name, outline.data_bytes, raw_bytes / DEFLATE_RATIO_MAX);
}

static pov_status decode_png(pov_image_file *file, pov_image *image, const encoded *source)
{
    static const png_color black = {0, 0, 0};
    POV_TRY(check_png(source));
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&png, source->bytes, source->length))
        return pov_error("%s: is a damaged PNG (%s); copy or take it again", source->name, png.message);
    png.format = PNG_FORMAT_RGB;
    pov_status status = prepare_image(file, image, source->name, (int)png.width, (int)png.height);
    if (status.code != POV_OK)
        png_image_free(&png);
    else if (!png_image_finish_read(&png, &black, file->pixels, image->stride_bytes, NULL))
        status = pov_error("%s: is a damaged PNG (%s); copy or take it again", source->name, png.message);
    return status;
}

/* ---- reading ---- */

static pov_status refuse_format(const encoded *source)
{
    enum { SHOWN = 12 };
    char text[SHOWN + 1] = "", hex[3 * SHOWN + 1] = "";
    bool is_text = true;
    for (size_t i = 0; i < SHOWN && i < source->length; i++) {
        uint8_t byte = source->bytes[i];
        is_text = is_text && (isprint(byte) || isspace(byte));
        text[i] = (char)(isprint(byte) ? byte : ' ');
        snprintf(hex + 3 * i, 4, " %02X", byte);
    }
    if (is_text)
        return pov_error("%s: is neither PNG nor JPEG but text: \"%s...\"; remove or convert it",
                         source->name, text);
    return pov_error("%s: is neither PNG nor JPEG, as it begins with the bytes%s; convert it", source->name,
                     hex);
}

static pov_status decode_image(pov_image_file *file, pov_image *image, const encoded *source)
{
    if (source->length == 0)
        return pov_error("%s: is empty; expected a PNG or JPEG image", source->name);
    if (is_png(source))
        return decode_png(file, image, source);
    if (is_jpeg(source))
        return decode_jpeg(file, image, source);
    return refuse_format(source);
}

pov_status pov_image_file_decode(pov_image_file *file, pov_image *image, const char *name, const void *bytes,
                                 size_t length)
{
    const encoded source = {name, bytes, length};
    pov_status status = decode_image(file, image, &source);
    if (status.code != POV_OK) {
        *image = (pov_image){0};
        return status;
    }
    image->coded = bytes;
    image->coded_len = length;
    return status;
}

pov_status pov_image_file_read(pov_image_file *file, pov_image *image, const char *path)
{
    *image = (pov_image){0};
    POV_TRY(pov_read_file(&file->source, path, POV_IMAGE_FILE_BYTES_MAX, "a PNG or JPEG image"));
    return pov_image_file_decode(file, image, path, file->source.data, file->source.length);
}

void pov_image_file_exchange(pov_image_file *file, uint8_t **pixels, size_t *capacity)
{
    uint8_t *const last = file->pixels;
    const size_t last_capacity = file->capacity;
    file->pixels = *pixels;
    file->capacity = *capacity;
    *pixels = last;
    *capacity = last_capacity;
}

/* ---- writing ---- */

/* Rows of pixels as libpng wants them. */
typedef struct {
    const void *pixels;
    int width_px, height_px;
    int stride; /* in components */
    png_uint_32 format;
} raster;

static pov_status write_png(FILE *stream, const char *path, const raster *image)
{
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)image->width_px,
                     .height = (png_uint_32)image->height_px,
                     .format = image->format,
                     .flags = PNG_IMAGE_FLAG_FAST};
    errno = 0;
    if (png_image_write_to_stdio(&png, stream, 0, image->pixels, image->stride, NULL))
        return pov_ok();
    return pov_error("%s: cannot be written: %s", path, errno ? strerror(errno) : png.message);
}

static pov_status write_raster(const char *path, const raster *image)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    return pov_write_file_end(&file, write_png(file.stream, path, image));
}

pov_status pov_image_file_write_png(const char *path, const pov_image *image)
{
    POV_REQUIRE(image->pixels && image->stride_bytes >= image->width_px * 3);
    const raster rows = {image->pixels, image->width_px, image->height_px, image->stride_bytes,
                         PNG_FORMAT_RGB};
    return write_raster(path, &rows);
}

pov_status pov_image_file_encode_png(pov_bytes *bytes, const pov_image *image)
{
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)image->width_px,
                     .height = (png_uint_32)image->height_px,
                     .format = PNG_FORMAT_RGB,
                     .flags = PNG_IMAGE_FLAG_FAST};
    png_alloc_size_t len = PNG_IMAGE_PNG_SIZE_MAX(png);
    bytes->length = 0;
    if (len > bytes->capacity) {
        unsigned char *grown = realloc(bytes->data, len);
        if (!grown)
            return pov_error("%s: no memory for its PNG", image->name);
        bytes->data = grown;
        bytes->capacity = len;
    }
    if (!png_image_write_to_memory(&png, bytes->data, &len, 0, image->pixels, image->stride_bytes, NULL))
        return pov_error("%s: PNG: %s", image->name, png.message);
    bytes->length = len;
    return pov_ok();
}

pov_status pov_image_file_write_png16(const char *path, const uint16_t *values, int width_px, int height_px)
{
    const raster rows = {values, width_px, height_px, width_px, PNG_FORMAT_LINEAR_Y};
    return write_raster(path, &rows);
}
