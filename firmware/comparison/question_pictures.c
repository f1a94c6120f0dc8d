#include "firmware/comparison/question_pictures.h"

#include "compare/vlm/vlm_truth.h"
#include "firmware/picture/image_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pov_picture_maker {
    const pov_log_folder *folder;
    bool flips;
    pov_image_file *decoder;
    uint8_t *pixels; /* of the mirrored image */
    size_t capacity;
};

/* ---- making ---- */

pov_status pov_picture_maker_new(pov_picture_maker **maker, const pov_log_folder *folder,
                                 const pov_question_choice *asking)
{
    *maker = pov_allocate(1, sizeof **maker);
    **maker = (pov_picture_maker){.folder = folder, .flips = asking->flip};
    return pov_image_file_new(&(*maker)->decoder);
}

void pov_picture_maker_destroy(pov_picture_maker **maker)
{
    if (!*maker)
        return;
    pov_image_file_destroy(&(*maker)->decoder);
    free((*maker)->pixels);
    free(*maker);
    *maker = NULL;
}

bool pov_picture_maker_is_needed(const pov_picture_maker *maker)
{
    return maker->flips;
}

/* Its columns in reverse order. */
static pov_image mirror_image(pov_picture_maker *m, const pov_image *image)
{
    pov_image mirrored = *image;
    mirrored.stride_bytes = 3 * image->width_px;
    const size_t needed = (size_t)mirrored.stride_bytes * (size_t)image->height_px;
    if (needed > m->capacity) {
        free(m->pixels);
        m->pixels = pov_allocate(needed, 1);
        m->capacity = needed;
    }
    for (int y = 0; y < image->height_px; y++) {
        const uint8_t *from = image->pixels + (size_t)y * (size_t)image->stride_bytes;
        uint8_t *to = m->pixels + (size_t)y * (size_t)mirrored.stride_bytes;
        for (int x = 0; x < image->width_px; x++)
            memcpy(to + 3 * (image->width_px - 1 - x), from + 3 * x, 3);
    }
    mirrored.pixels = m->pixels;
    return mirrored;
}

static pov_status store_picture(const pov_picture_maker *m, pov_question_picture *picture,
                                const pov_image *image, const char *name, const char *end)
{
    pov_stored_image stored = {.bytes = {0}};
    char full[100];
    if (snprintf(full, sizeof full, "%s-%s", name, end) >= (int)sizeof full)
        return pov_error("%.60s...: this image's name is too long for a picture beside it", name);
    POV_TRY(pov_log_folder_store(m->folder, &stored, image, full));
    snprintf(picture->file.path, sizeof picture->file.path, "%s", stored.path);
    memcpy(picture->file.sha256, stored.sha256, sizeof picture->file.sha256);
    picture->hash = pov_vlm_truth_hash(stored.bytes.data, stored.bytes.length);
    pov_bytes_free(&stored.bytes);
    return pov_ok();
}

pov_status pov_picture_maker_make(pov_picture_maker *m, pov_question_pictures *pictures,
                                  const pov_image *image, const char *name)
{
    *pictures = (pov_question_pictures){.mirrored = {.hash = 0}};
    if (!m->flips)
        return pov_ok();
    const pov_image mirrored = mirror_image(m, image);
    return store_picture(m, &pictures->mirrored, &mirrored, name, "flip");
}

pov_status pov_picture_maker_make_of(pov_picture_maker *m, pov_question_pictures *pictures,
                                     const pov_bytes *bytes, const char *path)
{
    pov_image image;
    char name[128];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    POV_TRY(pov_image_file_decode(m->decoder, &image, path, bytes->data, bytes->length));
    return pov_picture_maker_make(m, pictures, &image, name);
}

void pov_question_pictures_remove(const char *folder, const char *name)
{
    char path[POV_LOG_PATH_CAPACITY + 128];
    snprintf(path, sizeof path, "%s/images/%s-flip.png", folder, name);
    unlink(path);
}
