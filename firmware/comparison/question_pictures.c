#include "firmware/comparison/question_pictures.h"

#include "compare/vlm/vlm_truth.h"
#include "draw/scene_view.h"
#include "firmware/picture/image_file.h"
#include "perception/scene/scene_mirror.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pov_picture_maker {
    const pov_log_folder *folder;
    bool flips, shows[POV_GUIDANCE_COUNT]; /* which second images */
    uint8_t *drawn;                        /* of a second image */
    pov_image_file *decoder;
    uint8_t *pixels; /* of the mirrored image */
    size_t capacity;
};

/* ---- making ---- */

pov_status pov_picture_maker_new(pov_picture_maker **maker, const pov_log_folder *folder,
                                 const pov_question_choice *asking)
{
    *maker = pov_allocate(1, sizeof **maker);
    **maker = (pov_picture_maker){
        .folder = folder,
        .flips = asking->flip,
        .drawn = pov_allocate((size_t)POV_SCENE_VIEW_WIDTH_PX * POV_SCENE_VIEW_HEIGHT_PX, 3)};
    for (int g = 0; g < POV_GUIDANCE_COUNT; g++)
        (*maker)->shows[g] = asking->guidance[g] && pov_guidance_shows((pov_guidance)g);
    return pov_image_file_new(&(*maker)->decoder);
}

void pov_picture_maker_destroy(pov_picture_maker **maker)
{
    if (!*maker)
        return;
    pov_image_file_destroy(&(*maker)->decoder);
    free((*maker)->pixels);
    free((*maker)->drawn);
    free(*maker);
    *maker = NULL;
}

static bool shows_any(const pov_picture_maker *maker)
{
    for (int g = 0; g < POV_GUIDANCE_COUNT; g++)
        if (maker->shows[g])
            return true;
    return false;
}

bool pov_picture_maker_is_needed(const pov_picture_maker *maker)
{
    return maker->flips || shows_any(maker);
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

/* A second image of a scene. POV_UNDEFINED: nobody's view is known. */
static pov_status draw_second(const pov_picture_maker *m, pov_image *drawn, const pov_scene *scene,
                              pov_guidance guidance)
{
    const pov_id viewer = pov_guidance_viewer(scene);
    if (guidance == POV_GUIDED_MAP) {
        pov_scene_map_draw(drawn, m->drawn, scene);
        return pov_ok();
    }
    if (viewer == POV_ID_NONE)
        return pov_status_of(POV_UNDEFINED);
    return guidance == POV_GUIDED_VIEW ? pov_scene_view_draw(drawn, m->drawn, scene, viewer)
                                       : pov_scene_spheres_draw(drawn, m->drawn, scene, viewer);
}

static pov_status draw_scene(const pov_picture_maker *m, pov_question_pictures *pictures,
                             const pov_scene *scene, const char *name, bool is_mirrored)
{
    for (int g = 0; g < POV_GUIDANCE_COUNT; g++) {
        pov_image drawn;
        char end[40];
        if (!m->shows[g])
            continue;
        const pov_status status = draw_second(m, &drawn, scene, (pov_guidance)g);
        if (status.code == POV_UNDEFINED)
            continue;
        POV_TRY(status);
        snprintf(end, sizeof end, "%s%s", is_mirrored ? "flip-" : "", pov_guidance_name((pov_guidance)g));
        POV_TRY(store_picture(m, &pictures->second[g][is_mirrored], &drawn, name, end));
    }
    return pov_ok();
}

static pov_status draw_mirrored(const pov_picture_maker *m, pov_question_pictures *pictures,
                                const pov_scene *scene, const char *name)
{
    pov_mirrored_scene *mirrored = pov_allocate(1, sizeof *mirrored);
    pov_scene_mirror(mirrored, scene);
    const pov_status status = draw_scene(m, pictures, &mirrored->scene, name, true);
    pov_mirrored_scene_free(mirrored);
    free(mirrored);
    return status;
}

pov_status pov_picture_maker_make(pov_picture_maker *m, pov_question_pictures *pictures,
                                  const pov_image *image, const pov_scene *scene, const char *name)
{
    *pictures = (pov_question_pictures){.mirrored = {.hash = 0}};
    POV_TRY(draw_scene(m, pictures, scene, name, false));
    if (!m->flips)
        return pov_ok();
    const pov_image mirrored = mirror_image(m, image);
    POV_TRY(store_picture(m, &pictures->mirrored, &mirrored, name, "flip"));
    return shows_any(m) ? draw_mirrored(m, pictures, scene, name) : pov_ok();
}

pov_status pov_picture_maker_make_of(pov_picture_maker *m, pov_question_pictures *pictures,
                                     const pov_bytes *bytes, const pov_scene *scene, const char *path)
{
    pov_image image;
    char name[128];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    POV_TRY(pov_image_file_decode(m->decoder, &image, path, bytes->data, bytes->length));
    return pov_picture_maker_make(m, pictures, &image, scene, name);
}

void pov_question_pictures_remove(const char *folder, const char *name)
{
    char path[POV_LOG_PATH_CAPACITY + 128];
    snprintf(path, sizeof path, "%s/images/%s-flip.png", folder, name);
    unlink(path);
    for (int g = 0; g < 2 * POV_GUIDANCE_COUNT; g++) {
        const pov_guidance guidance = (pov_guidance)(g / 2);
        snprintf(path, sizeof path, "%s/images/%s%s-%s.png", folder, name, g % 2 ? "-flip" : "",
                 pov_guidance_name(guidance));
        if (pov_guidance_shows(guidance))
            unlink(path);
    }
}
