#include "calib/turntable/ring_view.h"

#include <math.h>
#include <string.h>

void pov_ring_view_set(pov_ring_view *view, const pov_tags *tags, const pov_tag_map *map,
                       const pov_transform *T_table_camera)
{
    view->len = 0;
    view->T_table_camera = *T_table_camera;
    for (int i = 0; i < tags->len && view->len < POV_RING_VIEW_MAX; i++) {
        const pov_tag *tag = &tags->tags[i];
        if (pov_tag_map_find(map, tag->family, tag->id))
            continue;
        /* diagonals meet at the middle's image, which the corners' mean is not */
        const pov_vec2 a = tag->corner_px[0], b = tag->corner_px[1], c = tag->corner_px[2],
                       d = tag->corner_px[3];
        const double cross = (c.x - a.x) * (d.y - b.y) - (c.y - a.y) * (d.x - b.x);
        const double along = ((b.x - a.x) * (d.y - b.y) - (b.y - a.y) * (d.x - b.x)) / cross;
        view->tags[view->len].id = tag->id * POV_TAG_FAMILY_COUNT + (int)tag->family;
        memcpy(view->tags[view->len].corner_px, tag->corner_px, sizeof tag->corner_px);
        view->tags[view->len++].middle_px = (pov_vec2){a.x + along * (c.x - a.x), a.y + along * (c.y - a.y)};
    }
}

/* The point where a pixel's ray meets the plane of that height. */
static bool meet(pov_vec3 *on_m, const pov_camera *camera, const pov_transform *T_table_camera,
                 pov_vec2 pixel, double height_m)
{
    pov_vec3 ray;
    if (pov_camera_unproject(camera, &ray, NULL, pixel) != POV_OK)
        return false;
    const pov_vec3 along = pov_rot_apply(T_table_camera->R, ray), eye_m = T_table_camera->t_m;
    *on_m = pov_vec3_sub(eye_m, pov_vec3_scale(along, (eye_m.z - height_m) / along.z));
    return along.z < 0;
}

double pov_ring_edge(const pov_camera *camera, const pov_ring_view *views, int len, double height_m)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < len; i++)
        for (int k = 0; k < views[i].len; k++) {
            pov_vec3 corner_m[4];
            bool seen = true;
            for (int j = 0; j < 4; j++)
                seen = seen && meet(&corner_m[j], camera, &views[i].T_table_camera,
                                    views[i].tags[k].corner_px[j], height_m);
            for (int j = 0; j < 4 && seen; j++, n++)
                sum += pov_vec3_norm(pov_vec3_sub(corner_m[(j + 1) % 4], corner_m[j]));
        }
    return n > 0 ? sum / n : NAN;
}
