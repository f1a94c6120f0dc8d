#include "perception/carving/object_mask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int differs_least = 15;      /* levels */
static const double differs_share = 0.07; /* of the background's light */
enum {
    SPECK_PX = 12,
    HOLE_PX = 25
}; /* pixels that hang together: fewer are noise; more can be seen through */

/* Where the empty table shows what would be seen at a pixel: on the disc, where it has turned from; else the same place. */
static bool look_up(pov_vec2 *there, const pov_turn_shot *shot, const pov_turn_shot *empty,
                    const pov_turn_stage *stage, pov_vec2 pixel)
{
    pov_vec3 ray;
    if (pov_camera_unproject(&shot->camera, &ray, NULL, pixel) != POV_OK)
        return false;
    const pov_vec3 eye_m = shot->T_table_camera.t_m, along = pov_rot_apply(shot->T_table_camera.R, ray);
    const double far = (stage->axis_m.z - eye_m.z) / along.z;
    pov_vec3 on_m = pov_vec3_add(eye_m, pov_vec3_scale(along, far));
    if (!(far > 0) || !isfinite(far) || far > 1e3)
        on_m = pov_vec3_add(eye_m, pov_vec3_scale(along, 1e3));
    const pov_vec3 off_m = pov_vec3_sub(on_m, stage->axis_m);
    if (hypot(off_m.x, off_m.y) < stage->disc_m)
        on_m = pov_vec3_add(stage->axis_m, pov_rot_apply(pov_rot_yaw(empty->angle_rad - shot->angle_rad),
                                                         (pov_vec3){off_m.x, off_m.y, 0}));
    return pov_camera_project(&empty->camera, there, NULL,
                              pov_transform_apply(pov_transform_inverse(empty->T_table_camera), on_m)) ==
           POV_OK;
}

static const uint8_t *pixel_at(const pov_image *image, int x, int y)
{
    return image->pixels + (size_t)y * (size_t)image->stride_bytes + 3 * (size_t)x;
}

/* Against the nearest of the pixels around: edges in the background are not told to a pixel. */
static bool differs(const uint8_t *rgb, const pov_image *empty, pov_vec2 there)
{
    const int x0 = (int)lround(there.x), y0 = (int)lround(there.y);
    for (int y = y0 - 1; y <= y0 + 1; y++)
        for (int x = x0 - 1; x <= x0 + 1; x++) {
            if (x < 0 || y < 0 || x >= empty->width_px || y >= empty->height_px)
                return false;
            const uint8_t *other = pixel_at(empty, x, y);
            bool same = true;
            for (int c = 0; c < 3; c++)
                same = same && abs(rgb[c] - other[c]) <= differs_least + differs_share * other[c];
            if (same)
                return false;
        }
    return true;
}

/* Marks all that hangs together with `start` and equals it; returns how many. Those listed lie in `queue`. */
static int flood(uint8_t *mask, int *queue, int width, int height, int start, uint8_t mark)
{
    const uint8_t from = mask[start];
    int len = 1;
    queue[0] = start;
    mask[start] = mark;
    for (int i = 0; i < len; i++) {
        const int x = queue[i] % width, y = queue[i] / width;
        const int next[4] = {x > 0 ? queue[i] - 1 : -1, x < width - 1 ? queue[i] + 1 : -1,
                             y > 0 ? queue[i] - width : -1, y < height - 1 ? queue[i] + width : -1};
        for (int k = 0; k < 4; k++)
            if (next[k] >= 0 && mask[next[k]] == from) {
                mask[next[k]] = mark;
                queue[len++] = next[k];
            }
    }
    return len;
}

enum { BACKGROUND, FOREGROUND, OUTSIDE, KEPT };

static void clean(uint8_t *mask, int *queue, int width, int height)
{
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, y = i / width;
        const bool at_border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
        if (mask[i] == BACKGROUND && at_border)
            flood(mask, queue, width, height, i, OUTSIDE);
    }
    for (int i = 0; i < width * height; i++)
        if (mask[i] == BACKGROUND || mask[i] == FOREGROUND) {
            const bool is_hole = mask[i] == BACKGROUND;
            const int len = flood(mask, queue, width, height, i, KEPT);
            for (int k = 0; k < len && (is_hole ? len > HOLE_PX : len < SPECK_PX); k++)
                mask[queue[k]] = OUTSIDE;
        }
    for (int i = 0; i < width * height; i++)
        mask[i] = mask[i] != OUTSIDE;
}

void object_mask_find(uint8_t *mask, void *work, const pov_turn_shot *shot, const pov_turn_shot *empty,
                      const pov_turn_stage *stage)
{
    const int width = shot->image.width_px, height = shot->image.height_px;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            pov_vec2 there;
            mask[y * width + x] = look_up(&there, shot, empty, stage, (pov_vec2){x, y}) &&
                                  differs(pixel_at(&shot->image, x, y), &empty->image, there);
        }
    clean(mask, work, width, height);
}
