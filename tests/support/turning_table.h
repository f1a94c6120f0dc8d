/** A turntable with a ring of tags, tags on the table around it, and a camera: corners by projection, with noise. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/geometry/tag.h"
#include "tests/support/random.h"

#include <string.h>

enum { TEST_RING_FIRST = 20, TEST_RING_TAGS = 12, TEST_FIXED_TAGS = 6 };

typedef struct {
    pov_camera camera;
    pov_transform T_table_camera, T_table_disc; /* the disc's zero is anywhere */
    pov_tag_map map;                            /* of the tags on the table */
    pov_tag_map ring;                           /* of those on the disc, in its frame */
} test_turning_table;

static inline pov_transform test_lying(double x_m, double y_m, double z_m, double yaw_rad)
{
    return (pov_transform){pov_rot_yaw(yaw_rad), {x_m, y_m, z_m}};
}

static inline void test_add_tag(pov_tag_map *map, int id, double edge_m, pov_transform T)
{
    map->tags[map->len++] = (pov_tag_map_entry){
        .family = POV_TAG36H11, .id = id, .edge_m = edge_m, .T_table_tag = pov_pose_exact(T)};
}

/** A table like the station's of the simulator, off its place by chance; its tags glued by hand. */
static inline void test_turning_table_make(test_turning_table *table, test_random *random)
{
    static const double fixed_m[TEST_FIXED_TAGS][2] = {{0.38, -0.42}, {0.38, 0.42}, {-0.46, 0.5},
                                                       {-0.46, -0.5}, {-0.6, 0},    {0, 0.58}};
    memset(table, 0, sizeof *table);
    table->camera = (pov_camera){.lens = POV_LENS_BROWN_CONRADY,
                                 .width_px = 1280,
                                 .height_px = 720,
                                 .fx_px = 1100,
                                 .fy_px = 1102,
                                 .cx_px = 641,
                                 .cy_px = 357,
                                 .distortion = {-0.1, 0.05, 0.0004, -0.0003}};
    table->T_table_camera =
        pov_transform_look_at((pov_vec3){1.05, test_random_between(random, -0.2, 0.2), 1.2},
                              (pov_vec3){0, 0, 0.02}, (pov_vec3){0, 0, 1});
    const pov_vec3 lean = {test_random_between(random, -0.02, 0.02), test_random_between(random, -0.02, 0.02),
                           0};
    const pov_rot zero = pov_rot_yaw(test_random_between(random, -3, 3));
    table->T_table_disc = (pov_transform){
        pov_rot_mul(pov_rot_exp(lean), zero),
        {test_random_between(random, -0.03, 0.03), test_random_between(random, -0.03, 0.03), 0.025}};
    for (int i = 0; i < TEST_FIXED_TAGS; i++)
        test_add_tag(&table->map, i, 0.08, test_lying(fixed_m[i][0], fixed_m[i][1], 0, 0));
    for (int i = 0; i < TEST_RING_TAGS; i++) {
        const double azimuth = 2 * POV_PI * i / TEST_RING_TAGS + test_random_between(random, -0.05, 0.05);
        const double radius_m = 0.36 + test_random_between(random, -0.01, 0.01);
        pov_transform T = test_lying(radius_m * cos(azimuth), radius_m * sin(azimuth),
                                     test_random_between(random, -0.002, 0.002),
                                     azimuth + POV_PI / 2 + test_random_between(random, -0.1, 0.1));
        test_add_tag(&table->ring, TEST_RING_FIRST + i, 0.06, T);
    }
}

static inline void test_see_tag(pov_tags *tags, const test_turning_table *table,
                                const pov_tag_map_entry *entry, pov_transform base)
{
    const pov_transform T_camera_tag = pov_transform_mul(pov_transform_inverse(table->T_table_camera),
                                                         pov_transform_mul(base, entry->T_table_tag.T));
    pov_tag tag = {.family = entry->family, .id = entry->id, .decision_margin = 80};
    for (int i = 0; i < 4; i++) {
        const pov_vec3 at_m = pov_transform_apply(T_camera_tag, pov_tag_corner(entry->edge_m, i));
        if (pov_camera_project(&table->camera, &tag.corner_px[i], NULL, at_m) != POV_OK ||
            tag.corner_px[i].x < 0 || tag.corner_px[i].x > table->camera.width_px || tag.corner_px[i].y < 0 ||
            tag.corner_px[i].y > table->camera.height_px)
            return;
    }
    tags->tags[tags->len++] = tag;
}

/** The image with the table at an angle. */
static inline void test_turning_table_see(pov_tags *tags, const test_turning_table *table, double angle_rad,
                                          test_random *random, double noise_px)
{
    const pov_transform disc = {pov_rot_mul(table->T_table_disc.R, pov_rot_yaw(angle_rad)),
                                table->T_table_disc.t_m};
    memset(tags, 0, sizeof *tags);
    for (int i = 0; i < table->map.len; i++)
        test_see_tag(tags, table, &table->map.tags[i], pov_transform_identity());
    for (int i = 0; i < table->ring.len; i++)
        test_see_tag(tags, table, &table->ring.tags[i], disc);
    for (int t = 0; t < tags->len; t++) {
        tags->tags[t].corner_std_px = noise_px > 0 ? noise_px : 0.1;
        for (int i = 0; i < 4; i++) {
            tags->tags[t].corner_px[i].x += noise_px * test_random_normal(random);
            tags->tags[t].corner_px[i].y += noise_px * test_random_normal(random);
        }
    }
}
