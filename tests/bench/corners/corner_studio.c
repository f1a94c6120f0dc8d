#include "tests/bench/corners/corner_studio.h"

#include "perception/geometry/camera.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX_PX = CORNER_STUDIO_SIDE_MAX_PX, RAYS = 6 };

static const double EDGE_M = 0.1, AROUND_EDGES = 3.6, AROUND_PX = 40; /* in view, of edges and beyond */
static const float GROUND = 0.25F, WHITE = 0.8F, BLACK = 0.04F;

struct corner_studio {
    pov_camera camera;
    pov_transform T_camera_tag;
    int x_px, y_px, side_px; /* of the camera's image, what is taken */
    uint32_t sequence;
    float light[SIDE_MAX_PX * SIDE_MAX_PX][3];
    uint8_t rgb[SIDE_MAX_PX * SIDE_MAX_PX * 3], soft[SIDE_MAX_PX * SIDE_MAX_PX * 3];
};

corner_studio *corner_studio_new(void)
{
    corner_studio *studio = calloc(1, sizeof *studio);
    POV_REQUIRE(studio);
    return studio;
}

void corner_studio_destroy(corner_studio **studio)
{
    free(*studio);
    *studio = NULL;
}

/* ---- light ---- */

static float look_at(const pov_tag_print *print, double x_m, double y_m)
{
    const double cell_m = EDGE_M / print->edge_cells;
    const int column = (int)floor(x_m / cell_m + 0.5 * print->side_cells);
    const int row = (int)floor(0.5 * print->side_cells - y_m / cell_m);
    if (column < 0 || row < 0 || column >= print->side_cells || row >= print->side_cells)
        return GROUND;
    return print->grey[row][column] == 255 ? WHITE : print->grey[row][column] == 0 ? BLACK : GROUND;
}

/** The mean of rays through a pixel, moved this way and that while the shutter is open. */
static float light_of(const corner_studio *s, const pov_tag_print *print, pov_vec2 pixel, double motion_px)
{
    const pov_transform T_tag_camera = pov_transform_inverse(s->T_camera_tag);
    pov_vec3 ray;
    double per_px[3][2];
    float sum = 0;
    POV_REQUIRE(pov_camera_unproject(&s->camera, &ray, per_px, pixel) == POV_OK);
    for (int k = 0; k < RAYS * RAYS; k++) {
        const int i = k % RAYS, j = k / RAYS;
        const double y = (j + 0.5) / RAYS - 0.5,
                     moved = motion_px * ((i * RAYS + (j * 5 + i) % RAYS + 0.5) / (RAYS * RAYS) - 0.5);
        const double x = (i + 0.5) / RAYS - 0.5 + moved;
        const pov_vec3 here = {ray.x + per_px[0][0] * x + per_px[0][1] * y,
                               ray.y + per_px[1][0] * x + per_px[1][1] * y,
                               ray.z + per_px[2][0] * x + per_px[2][1] * y};
        const pov_vec3 way = pov_rot_apply(T_tag_camera.R, here);
        const double far = -T_tag_camera.t_m.z / way.z;
        sum += look_at(print, T_tag_camera.t_m.x + far * way.x, T_tag_camera.t_m.y + far * way.y);
    }
    return sum / (RAYS * RAYS);
}

static void illuminate(corner_studio *s, const pov_tag_print *print, double motion_px)
{
    for (int y = 0; y < s->side_px; y++)
        for (int x = 0; x < s->side_px; x++) {
            const float light = light_of(s, print, (pov_vec2){s->x_px + x, s->y_px + y}, motion_px);
            for (int c = 0; c < 3; c++)
                s->light[y * s->side_px + x][c] = light;
        }
}

/* ---- the tag ---- */

/** Turned any way in its plane, and tilted about any axis of the image. */
static pov_rot turned(const corner_look *look, test_random *random)
{
    const double tilt_rad =
        test_random_between(random, look->tilt_min_deg, look->tilt_max_deg) * POV_PI / 180;
    const double about_rad = test_random_between(random, 0, 2 * POV_PI);
    const pov_rot tilt = pov_rot_exp((pov_vec3){tilt_rad * cos(about_rad), tilt_rad * sin(about_rad), 0});
    return pov_rot_mul(pov_rot_mul(tilt, pov_rot_exp((pov_vec3){POV_PI, 0, 0})),
                       pov_rot_yaw(test_random_between(random, 0, 2 * POV_PI)));
}

void corner_studio_hang(corner_studio *s, pov_vec2 truth_px[4], const pov_tag_print *print,
                        const corner_look *look, double edge_px, test_random *random)
{
    pov_vec3 ray;
    s->camera = (pov_camera){POV_LENS_BROWN_CONRADY, 1280, 960, 900, 900, 639.5, 479.5, {look->k1, look->k2}};
    s->side_px = (int)(AROUND_EDGES * edge_px + AROUND_PX);
    POV_REQUIRE(s->side_px <= SIDE_MAX_PX);
    s->x_px = (int)test_random_between(random, 0, s->camera.width_px - s->side_px);
    s->y_px = (int)test_random_between(random, 0, s->camera.height_px - s->side_px);
    const pov_vec2 middle = {s->x_px + 0.5 * s->side_px + test_random_between(random, -1, 1),
                             s->y_px + 0.5 * s->side_px + test_random_between(random, -1, 1)};
    POV_REQUIRE(pov_camera_unproject(&s->camera, &ray, NULL, middle) == POV_OK);
    s->T_camera_tag = (pov_transform){turned(look, random),
                                      pov_vec3_scale(ray, s->camera.fx_px * EDGE_M / (edge_px * ray.z))};
    for (int i = 0; i < 4; i++) {
        POV_REQUIRE(pov_camera_project(&s->camera, &truth_px[i], NULL,
                                       pov_transform_apply(s->T_camera_tag, pov_tag_corner(EDGE_M, i))) ==
                    POV_OK);
        truth_px[i] = (pov_vec2){truth_px[i].x - s->x_px, truth_px[i].y - s->y_px};
    }
    illuminate(s, print, look->motion_px);
}

/* ---- the image ---- */

/** Unsharp masking with a 3 x 3 binomial, in encoded values, as cameras and photograph sites do. */
static void sharpen(corner_studio *s, double amount)
{
    const int row = 3 * s->side_px, len = row * s->side_px;
    memcpy(s->soft, s->rgb, (size_t)len);
    for (int k = row + 3; k < len - row - 3; k++) {
        const uint8_t *p = &s->soft[k];
        const int mean16 = 4 * p[0] + 2 * (p[-3] + p[3] + p[-row] + p[row]) + p[-row - 3] + p[-row + 3] +
                           p[row - 3] + p[row + 3];
        s->rgb[k] = (uint8_t)fmin(fmax(p[0] + amount * (p[0] - mean16 / 16.0) + 0.5, 0), 255);
    }
}

pov_image corner_studio_shoot(corner_studio *s, const corner_look *look, test_random *random)
{
    pov_sensor_config config = {.seed = test_random_u64(random)};
    pov_sensor *sensor;
    POV_REQUIRE(pov_sensor_preset(&config, look->preset).code == POV_OK);
    config.defocus_px = look->defocus_px > 0 ? look->defocus_px : config.defocus_px;
    config.jpeg_quality = look->jpeg_quality > 0 ? look->jpeg_quality : config.jpeg_quality;
    POV_REQUIRE(pov_sensor_new(&sensor, &config, s->side_px, s->side_px).code == POV_OK);
    POV_REQUIRE(pov_sensor_expose(sensor, s->rgb, (const float(*)[3])s->light, NULL, 1).code == POV_OK);
    pov_sensor_destroy(&sensor);
    if (look->sharpened > 0)
        sharpen(s, look->sharpened);
    s->sequence++;
    return (pov_image){.pixels = s->rgb,
                       .width_px = s->side_px,
                       .height_px = s->side_px,
                       .stride_bytes = 3 * s->side_px,
                       .mid_exposure_ns = s->sequence * INT64_C(33333333),
                       .sequence = s->sequence};
}
