#include "perception/tags/tag_diagnosis.h"

#include "perception/image/grey.h"

#include <stdlib.h>

static const double metres_per_mm = 1e-3;
static const double fitting_px = 2; /* a map without mistake fits tags to this, whatever the lens; chosen */

/* ---- images ---- */

static void mirror_rows(uint8_t *grey, int width_px, int height_px)
{
    for (int y = 0; y < height_px; y++, grey += width_px)
        for (int left = 0, right = width_px - 1; left < right; left++, right--) {
            const uint8_t kept = grey[left];
            grey[left] = grey[right];
            grey[right] = kept;
        }
}

static void invert_values(uint8_t *grey, size_t size)
{
    for (size_t i = 0; i < size; i++)
        grey[i] = (uint8_t)(255 - grey[i]);
}

static int count_expected(const pov_tags *tags, const pov_tag_map *map)
{
    int len = 0;
    for (int i = 0; i < tags->len; i++)
        len += map->len == 0 || pov_tag_map_find(map, tags->tags[i].family, tags->tags[i].id) != NULL;
    return len;
}

/* The most tags win; an image that is both is tried last. */
static pov_status try_troubles(pov_tag_diagnosis *diagnosis, pov_tag_detector *detector, pov_image *image,
                               const pov_tag_map *map)
{
    static const pov_tag_trouble by_turn[] = {POV_TAGS_MIRRORED, POV_TAGS_MIRRORED_AND_INVERTED,
                                              POV_TAGS_INVERTED};
    uint8_t *grey = (uint8_t *)image->grey;
    pov_tags *tags = pov_allocate(1, sizeof *tags);
    pov_status status = pov_ok();
    for (int turn = 0; turn < 3 && status.code == POV_OK; turn++) {
        if (turn == 1)
            invert_values(grey, (size_t)image->width_px * (size_t)image->height_px);
        else
            mirror_rows(grey, image->width_px, image->height_px);
        status = pov_tag_detector_run(detector, tags, image);
        const int len = status.code == POV_OK ? count_expected(tags, map) : 0;
        if (len > diagnosis->len)
            *diagnosis = (pov_tag_diagnosis){by_turn[turn], len};
    }
    free(tags);
    return status;
}

pov_status pov_tag_diagnose(pov_tag_diagnosis *diagnosis, const pov_tag_detector_config *config,
                            const pov_tag_map *map, const pov_image *image)
{
    pov_tag_detector *detector;
    pov_image changed = *image;
    uint8_t *grey = pov_allocate((size_t)image->width_px * (size_t)image->height_px, 1);
    *diagnosis = (pov_tag_diagnosis){POV_TAGS_UNEXPLAINED, 0};
    pov_grey_from_rgb(grey, image, (pov_rectangle){0, 0, image->width_px, image->height_px});
    changed.grey = grey;
    pov_status status = pov_tag_detector_new(&detector, config);
    POV_THEN(status, try_troubles(diagnosis, detector, &changed, map));
    pov_tag_detector_destroy(&detector);
    free(grey);
    return status;
}

/* ---- maps ---- */

static void undo_mistake(pov_tag_map *map, pov_map_mistake mistake)
{
    for (int i = 0; i < map->len; i++) {
        pov_tag_map_entry *entry = &map->tags[i];
        pov_transform *T = &entry->T_table_tag.T;
        if (mistake == POV_MAP_ROTATIONS_TRANSPOSED)
            T->R = pov_rot_transpose(T->R);
        else if (mistake == POV_MAP_POSITIONS_IN_MM)
            T->t_m = pov_vec3_scale(T->t_m, metres_per_mm);
        else if (mistake == POV_MAP_EDGES_IN_MM)
            entry->edge_m *= metres_per_mm;
    }
}

/* How many tags fit one pose well. */
static int count_fitting(const pov_tag_map *map, const pov_tags *tags, const pov_camera *camera)
{
    pov_camera_pose pose;
    return pov_camera_pose_estimate(&pose, camera, tags, map) == POV_OK && pose.rms_px < fitting_px
               ? pose.used_len
               : 0;
}

pov_map_mistake pov_tag_map_find_mistake(const pov_tag_map *map, const pov_tags *tags,
                                         const pov_camera *camera)
{
    const int mapped = count_expected(tags, map);
    int most = count_fitting(map, tags, camera);
    pov_map_mistake best = POV_MAP_UNEXPLAINED;
    pov_tag_map *changed = pov_allocate(1, sizeof *changed);
    for (pov_map_mistake mistake = POV_MAP_ROTATIONS_TRANSPOSED;
         map->len > 0 && mapped >= 2 && mistake < POV_MAP_MISTAKE_COUNT; mistake++) {
        *changed = *map;
        undo_mistake(changed, mistake);
        const int fitting = count_fitting(changed, tags, camera);
        if (fitting > most && fitting >= 2 && fitting >= mapped - 1) {
            most = fitting;
            best = mistake;
        }
    }
    free(changed);
    return best;
}
