#include "tests/support/tag_image.h"

#include "tests/support/random.h"
#include "tests/support/srgb.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <math.h>
#include <string.h>

typedef struct {
    image_u8_t *print; /* a pixel a cell, white margin included */
    double cell_m;
    pov_transform T_tag_camera;
    int left_px, right_px, top_px, bottom_px; /* where it can be seen, both ends included */
} tag_print;

void test_tag_scene_twelve(test_tag_scene *scene)
{
    *scene = (test_tag_scene){
        .camera =
            {POV_LENS_BROWN_CONRADY, 1280, 720, 1000, 1000, 642.3, 355.8, {-0.15, 0.05, 5e-4, -4e-4, 0}},
        .T_table_camera =
            pov_transform_look_at((pov_vec3){0.05, -0.6, 0.7}, (pov_vec3){0, -0.02, 0}, (pov_vec3){0, 0, 1}),
    };
    for (int i = 0; i < 12; i++) {
        const pov_vec3 pos_m = {(i % 4 - 1.5) * 0.16, (i / 4 - 1) * 0.16, 0};
        const pov_transform T_table_tag = {pov_rot_yaw(0.1 * i), pos_m};
        scene->map.tags[scene->map.len++] = (pov_tag_map_entry){
            .family = POV_TAG36H11, .id = i, .edge_m = 0.08, .T_table_tag = pov_pose_exact(T_table_tag)};
    }
}

static pov_vec2 project(const test_tag_scene *scene, pov_vec3 pos_table_m)
{
    pov_vec2 pixel;
    const pov_transform T_camera_table = pov_transform_inverse(scene->T_table_camera);
    if (pov_camera_project(&scene->camera, &pixel, NULL, pov_transform_apply(T_camera_table, pos_table_m)) !=
        POV_OK)
        return (pov_vec2){NAN, NAN};
    return pixel;
}

pov_vec2 test_tag_corner_px(const test_tag_scene *scene, int index, int i)
{
    const pov_tag_map_entry *tag = &scene->map.tags[index];
    const double x = i == 1 || i == 2 ? 0.5 : -0.5, y = i >= 2 ? 0.5 : -0.5;
    return project(scene,
                   pov_transform_apply(tag->T_table_tag.T, (pov_vec3){x * tag->edge_m, y * tag->edge_m, 0}));
}

static int clamp_px(double value_px, int size_px)
{
    return (int)fmin(fmax(value_px, 0), size_px - 1);
}

/** The print's place in the image from points along its rim; all of the image if one of them cannot be seen.
 */
static void print_bound(tag_print *print, const test_tag_scene *scene, pov_transform T_table_tag)
{
    enum { RIM_POINTS = 64 };
    const pov_camera *camera = &scene->camera;
    const double half_m = print->cell_m * print->print->width / 2;
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (int i = 0; i < RIM_POINTS; i++) {
        const double along = i % 16 / 8.0 - 1;
        const double rim[4][2] = {{along, -1}, {1, along}, {-along, 1}, {-1, -along}};
        const pov_vec3 pos_m = {half_m * rim[i / 16][0], half_m * rim[i / 16][1], 0};
        const pov_vec2 pixel = project(scene, pov_transform_apply(T_table_tag, pos_m));
        const bool seen = !isnan(pixel.x);
        low_x = fmin(low_x, seen ? pixel.x : -INFINITY);
        high_x = fmax(high_x, seen ? pixel.x : INFINITY);
        low_y = fmin(low_y, seen ? pixel.y : -INFINITY);
        high_y = fmax(high_y, seen ? pixel.y : INFINITY);
    }
    print->left_px = clamp_px(low_x - 3, camera->width_px);
    print->right_px = clamp_px(high_x + 3, camera->width_px);
    print->top_px = clamp_px(low_y - 3, camera->height_px);
    print->bottom_px = clamp_px(high_y + 3, camera->height_px);
}

static bool is_within(const tag_print *print, int x, int y)
{
    return x >= print->left_px && x <= print->right_px && y >= print->top_px && y <= print->bottom_px;
}

/** Grey value where a ray meets the print, and how far away; false if it misses or comes from behind. */
static bool print_meet(const tag_print *print, double *grey, double *distance_m, const test_tag_look *look,
                       pov_vec3 dir_camera)
{
    const pov_vec3 eye = print->T_tag_camera.t_m, dir = pov_rot_apply(print->T_tag_camera.R, dir_camera);
    if (!(eye.z > 0 && dir.z < 0))
        return false;
    *distance_m = -eye.z / dir.z;
    const int cells = print->print->width;
    const double column = (eye.x + *distance_m * dir.x) / print->cell_m + cells / 2.0;
    const double row = cells / 2.0 - (eye.y + *distance_m * dir.y) / print->cell_m; /* first row on top, +y */
    if (!(column >= 0 && column < cells && row >= 0 && row < cells))
        return false;
    *grey = print->print->buf[(int)row * print->print->stride + (int)column] ? look->white : look->black;
    return true;
}

static double look_along(const tag_print *const *prints, int len, const test_tag_look *look,
                         pov_vec3 dir_camera)
{
    double nearest_grey = look->background, nearest_m = INFINITY;
    for (int i = 0; i < len; i++) {
        double grey, distance_m;
        if (print_meet(prints[i], &grey, &distance_m, look, dir_camera) && distance_m < nearest_m) {
            nearest_m = distance_m;
            nearest_grey = grey;
        }
    }
    return nearest_grey;
}

static double mean_of_rays(const tag_print *prints, int print_len, const pov_camera *camera,
                           const test_tag_look *look, pov_vec2 pixel)
{
    const tag_print *here[POV_TAG_MAP_MAX];
    int here_len = 0;
    for (int i = 0; i < print_len; i++)
        if (is_within(&prints[i], (int)pixel.x, (int)pixel.y))
            here[here_len++] = &prints[i];
    if (here_len == 0)
        return look->background;
    const int n = look->samples_per_side;
    double sum = 0;
    for (int ray = 0; ray < n * n; ray++) {
        const pov_vec2 at = {pixel.x - 0.5 + (ray % n + 0.5) / n, pixel.y - 0.5 + (ray / n + 0.5) / n};
        pov_vec3 dir_camera;
        const bool seen = pov_camera_unproject(camera, &dir_camera, NULL, at) == POV_OK;
        sum += seen ? test_light_of_grey(look_along(here, here_len, look, dir_camera)) : 0;
    }
    return test_grey_of_light(sum / (n * n));
}

static void draw_prints(uint8_t *rgb, const tag_print *prints, int print_len, const pov_camera *camera,
                        const test_tag_look *look)
{
    test_random random = {look->seed};
    for (int y = 0; y < camera->height_px; y++)
        for (int x = 0; x < camera->width_px; x++) {
            const double grey = mean_of_rays(prints, print_len, camera, look, (pov_vec2){x, y});
            const double noisy = grey + look->noise_std * test_random_normal(&random);
            const size_t index = (size_t)y * (size_t)camera->width_px + (size_t)x;
            memset(&rgb[3 * index], (int)lrint(fmin(fmax(noisy, 0), 255)), 3);
        }
}

void test_tag_image_draw(uint8_t *rgb, const test_tag_scene *scene, const test_tag_look *look)
{
    static const tag_print NONE;
    tag_print prints[POV_TAG_MAP_MAX] = {NONE};
    apriltag_family_t *family = tag36h11_create();
    for (int i = 0; i < scene->map.len; i++) {
        const pov_tag_map_entry *tag = &scene->map.tags[i];
        POV_REQUIRE(tag->family == POV_TAG36H11);
        const pov_transform T_tag_table = pov_transform_inverse(tag->T_table_tag.T);
        prints[i].print = apriltag_to_image(family, tag->id);
        prints[i].cell_m = tag->edge_m / family->width_at_border;
        prints[i].T_tag_camera = pov_transform_mul(T_tag_table, scene->T_table_camera);
        print_bound(&prints[i], scene, tag->T_table_tag.T);
    }
    draw_prints(rgb, prints, scene->map.len, &scene->camera, look);
    for (int i = 0; i < scene->map.len; i++) {
        free(prints[i].print->buf); /* image_u8_destroy is in a library of its own */
        free(prints[i].print);
    }
    tag36h11_destroy(family);
}
