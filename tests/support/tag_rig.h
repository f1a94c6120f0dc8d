/** A table with tags lying, standing and on a turntable's rim, and a camera that goes around it. Include after near.h and
 *  random.h. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/geometry/tag.h"
#include "tests/support/random.h"

#include <math.h>
#include <stddef.h>

static const pov_camera rig_camera = {
    POV_LENS_BROWN_CONRADY, 1280, 720, 900, 905, 640, 355, {-0.28, 0.09, 0.001, -0.0005, -0.01}};

/** Tag 0 lies at the origin, the next 12 on a ring of 15 cm about (0.3, 0.1), tilted a little; the others lie on the table,
 *  every fourth stands. */
static inline void rig_make_map(pov_tag_map *map, int len, double edge_m, test_random *random)
{
    map->len = len;
    for (int k = 0; k < len; k++) {
        double around = 2 * POV_PI * k / 12;
        pov_vec3 place = {test_random_between(random, -0.25, 0.45), test_random_between(random, -0.25, 0.35),
                          0};
        pov_rot R = pov_rot_yaw(test_random_between(random, -3, 3));
        if (k == 0) {
            place = (pov_vec3){0, 0, 0};
            R = pov_rot_identity();
        } else if (k <= 12) {
            place = (pov_vec3){0.3 + 0.15 * cos(around), 0.1 + 0.15 * sin(around), 0.04};
            R = pov_rot_mul(pov_rot_exp((pov_vec3){0.02, -0.01, 0}), pov_rot_yaw(around - POV_PI / 2));
        } else if (k % 4 == 0) {
            R = pov_rot_mul(R, pov_rot_exp((pov_vec3){test_random_between(random, 0.5, 1.2), 0, 0}));
            place.z = edge_m;
        }
        map->tags[k] = (pov_tag_map_entry){.family = POV_TAG36H11, .id = 10 + k, .edge_m = edge_m};
        map->tags[k].T_table_tag = pov_pose_exact((pov_transform){R, place});
    }
}

/** From `reach_m` away, 25 to 80 degrees above the table, looking near its middle. */
static inline pov_transform rig_look(double reach_m, test_random *random)
{
    double azimuth = test_random_between(random, -POV_PI, POV_PI),
           above = test_random_between(random, 0.45, 1.4);
    pov_vec3 at = {test_random_between(random, -0.1, 0.4), test_random_between(random, -0.1, 0.2), 0};
    pov_vec3 eye = {at.x + reach_m * cos(above) * cos(azimuth), at.y + reach_m * cos(above) * sin(azimuth),
                    at.z + reach_m * sin(above)};
    return pov_transform_look_at(eye, at, (pov_vec3){0, 0, 1});
}

/** One tag as the camera sees it; false if it is not wholly in the image, or seen from behind or too flatly. */
static inline bool rig_see_tag(pov_tag *tag, const pov_camera *camera, pov_transform T_table_camera,
                               const pov_tag_map_entry *entry, double noise_px, test_random *random)
{
    pov_transform T = pov_transform_mul(pov_transform_inverse(T_table_camera), entry->T_table_tag.T);
    if (pov_vec3_dot(pov_rot_apply(T.R, (pov_vec3){0, 0, 1}), pov_vec3_unit(T.t_m)) > -0.25)
        return false;
    *tag = (pov_tag){.family = entry->family, .id = entry->id, .corner_std_px = 0.3, .decision_margin = 60};
    for (int i = 0; i < 4; i++) {
        pov_vec2 *p = &tag->corner_px[i];
        if (pov_camera_project(camera, p, NULL, pov_transform_apply(T, pov_tag_corner(entry->edge_m, i))) !=
                POV_OK ||
            p->x < 5 || p->y < 5 || p->x > camera->width_px - 6 || p->y > camera->height_px - 6)
            return false;
        p->x += noise_px * test_random_normal(random);
        p->y += noise_px * test_random_normal(random);
    }
    return true;
}

static inline void rig_photograph(pov_tags *tags, const pov_camera *camera, pov_transform T_table_camera,
                                  const pov_tag_map *map, double noise_px, test_random *random)
{
    tags->len = 0;
    tags->truncated = false;
    for (int k = 0; k < map->len; k++)
        tags->len +=
            rig_see_tag(&tags->tags[tags->len], camera, T_table_camera, &map->tags[k], noise_px, random);
}
