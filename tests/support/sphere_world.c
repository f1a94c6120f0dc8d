#include "tests/support/sphere_world.h"

#include "perception/geometry/random.h"
#include "perception/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* The shading is a simple one: the outlines are what must be exact. */
static const double GLOSS_STRENGTH = 0.1;
static const double GLOSS_EXPONENT = 40;
static const double MIRROR_BLUR = 4;  /* per sphere's radius of distance */
static const double RAY_START = 1e-9; /* of a sphere's radius: a ray that leaves it does not meet it again */

/** Linear light: x red, y green, z blue. */
typedef pov_vec3 rgb;

enum { NOTHING = -1, FLOOR = -2, FLOOR_MIRROR = 1000 }; /* what a ray met; others are a sphere's index */

typedef struct {
    rgb light;
    int met; /* a sphere, FLOOR, NOTHING, or FLOOR_MIRROR + the sphere that the floor reflects */
} ray_sample;

/** A world with its colours decoded. */
typedef struct {
    const pov_sphere_world *world;
    rgb albedo[POV_SPHERE_WORLD_MAX];
    rgb floor;
} lit_world;

typedef struct {
    const lit_world *lit;
    const pov_camera *camera;
    pov_transform T_table_camera;
} world_view;

pov_sphere_world pov_sphere_world_default(void)
{
    return (pov_sphere_world){
        .floor_red = 172,
        .floor_green = 168,
        .floor_blue = 163,
        .floor_reflection = 0.7,
        .light_m = {0.5, -0.5, 6},
        .light_radius_m = 1.2,
        .ambient = 0.4,
        .noise_std = 1.0,
        .samples_per_side = 4,
    };
}

static double decode_srgb(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static double encode_srgb(double linear)
{
    return linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static rgb rgb_decode(uint8_t red, uint8_t green, uint8_t blue)
{
    return (rgb){decode_srgb(red / 255.0), decode_srgb(green / 255.0), decode_srgb(blue / 255.0)};
}

static rgb rgb_mul(rgb a, rgb b)
{
    return (rgb){a.x * b.x, a.y * b.y, a.z * b.z};
}

static rgb grey(double value)
{
    return (rgb){value, value, value};
}

static double clamp01(double value)
{
    return fmin(fmax(value, 0), 1);
}

/** Distance along the unit direction to the sphere, or infinity. */
static double distance_to_sphere(const pov_sphere *sphere, pov_vec3 from, pov_vec3 dir)
{
    const pov_vec3 to_center = pov_vec3_sub(sphere->center_m, from);
    const double along = pov_vec3_dot(to_center, dir);
    const pov_vec3 off_axis = pov_vec3_sub(to_center, pov_vec3_scale(dir, along));
    const double half_chord2 = sphere->radius_m * sphere->radius_m - pov_vec3_dot(off_axis, off_axis);
    if (half_chord2 < 0)
        return INFINITY;
    const double distance = along - sqrt(half_chord2);
    return distance > RAY_START * sphere->radius_m ? distance : INFINITY;
}

static int nearest_sphere(const pov_sphere_world *world, double *distance, pov_vec3 from, pov_vec3 dir)
{
    int nearest = NOTHING;
    *distance = INFINITY;
    for (int i = 0; i < world->sphere_len; i++) {
        const double d = distance_to_sphere(&world->spheres[i], from, dir);
        if (d < *distance) {
            *distance = d;
            nearest = i;
        }
    }
    return nearest;
}

/** Share of a disc of radius `a` that a disc of radius `b` covers, their centres `c` apart. */
static double disc_overlap(double a, double b, double c)
{
    if (c >= a + b)
        return 0;
    if (c <= fabs(a - b))
        return b >= a ? 1 : b * b / (a * a);
    const double angle_a = acos((c * c + a * a - b * b) / (2 * c * a));
    const double angle_b = acos((c * c + b * b - a * a) / (2 * c * b));
    const double area = a * a * (angle_a - sin(2 * angle_a) / 2) + b * b * (angle_b - sin(2 * angle_b) / 2);
    return area / (POV_PI * a * a);
}

/** Share of the lamp that is seen from a point: lamp and spheres as discs in the point's sky, shares
 * multiplied. */
static double lamp_seen(const pov_sphere_world *world, pov_vec3 pos, pov_vec3 to_lamp, double lamp_m,
                        int itself)
{
    const double lamp_rad = asin(fmin(1, fmax(world->light_radius_m, 1e-9) / lamp_m));
    double seen = 1;
    for (int i = 0; i < world->sphere_len; i++) {
        const pov_vec3 to_sphere = pov_vec3_sub(world->spheres[i].center_m, pos);
        const double sphere_m = pov_vec3_norm(to_sphere);
        if (i == itself || sphere_m > lamp_m)
            continue;
        const double sphere_rad = asin(fmin(1, world->spheres[i].radius_m / sphere_m));
        const double cosine = pov_vec3_dot(to_sphere, to_lamp) / sphere_m;
        seen *= 1 - disc_overlap(lamp_rad, sphere_rad, acos(fmin(1, fmax(-1, cosine))));
    }
    return seen;
}

/** Light from the lamp on a surface element, 1 on the floor right under it; falls with the squared distance.
 */
static double lamp_light(const pov_sphere_world *world, pov_vec3 pos, pov_vec3 normal, int itself)
{
    const pov_vec3 to_lamp = pov_vec3_sub(world->light_m, pos);
    const double lamp_m = pov_vec3_norm(to_lamp);
    const pov_vec3 dir = pov_vec3_scale(to_lamp, 1 / lamp_m);
    const double cosine = pov_vec3_dot(normal, dir);
    if (cosine <= 0)
        return 0;
    const double falloff = world->light_m.z / lamp_m;
    return (1 - world->ambient) * cosine * falloff * falloff * lamp_seen(world, pos, dir, lamp_m, itself);
}

/** A narrow white gleam: Blinn 1977. */
static double gloss(const pov_sphere_world *world, pov_vec3 pos, pov_vec3 normal, pov_vec3 view_dir)
{
    const pov_vec3 to_lamp = pov_vec3_unit(pov_vec3_sub(world->light_m, pos));
    const pov_vec3 half_way = pov_vec3_unit(pov_vec3_sub(to_lamp, view_dir));
    return GLOSS_STRENGTH * pow(fmax(0, pov_vec3_dot(normal, half_way)), GLOSS_EXPONENT);
}

/** Lamp, sky above, and the floor's light from below, which the sphere's own shadow keeps from its foot. */
static rgb sphere_light(const lit_world *lit, int index, pov_vec3 pos)
{
    const pov_sphere *sphere = &lit->world->spheres[index];
    const pov_vec3 normal = pov_vec3_scale(pov_vec3_sub(pos, sphere->center_m), 1 / sphere->radius_m);
    const double sky = lit->world->ambient * (1 + normal.z) / 2;
    const double foot = clamp01(pos.z / sphere->radius_m);
    const rgb light = pov_vec3_add(grey(lamp_light(lit->world, pos, normal, index) + sky),
                                   pov_vec3_scale(lit->floor, foot * (1 - normal.z) / 2));
    return rgb_mul(lit->albedo[index], light);
}

/** The floor's diffuse light. Of its sky a sphere takes the share cos * (r/d)^2 (a sphere's view factor from
 * a small plane, Howell B-42) and gives its own colour instead. */
static rgb floor_diffuse(const lit_world *lit, pov_vec3 pos)
{
    const pov_sphere_world *world = lit->world;
    const pov_vec3 up = {0, 0, 1};
    rgb light = grey(lamp_light(world, pos, up, FLOOR) + world->ambient);
    for (int i = 0; i < world->sphere_len; i++) {
        const pov_sphere *sphere = &world->spheres[i];
        const pov_vec3 away = pov_vec3_sub(pos, sphere->center_m);
        const double distance_m = fmax(pov_vec3_norm(away), sphere->radius_m);
        const double share = -away.z * sphere->radius_m * sphere->radius_m / pow(distance_m, 3);
        if (!(share > 1e-3))
            continue;
        const double scale = sphere->radius_m / distance_m;
        const pov_vec3 facing = pov_vec3_add(sphere->center_m, pov_vec3_scale(away, scale));
        light = pov_vec3_sub(light, grey(share * world->ambient));
        light = pov_vec3_add(light, pov_vec3_scale(sphere_light(lit, i, facing), share));
    }
    return rgb_mul(lit->floor, (rgb){fmax(0, light.x), fmax(0, light.y), fmax(0, light.z)});
}

/** Diffuse floor with the spheres' mirror image, which a rough floor blurs, and so dims, with the distance.
 */
static ray_sample floor_sample(const lit_world *lit, pov_vec3 pos, pov_vec3 dir)
{
    ray_sample sample = {floor_diffuse(lit, pos), FLOOR};
    double distance_m;
    const pov_vec3 mirrored = {dir.x, dir.y, -dir.z};
    const int index = nearest_sphere(lit->world, &distance_m, pos, mirrored);
    if (index == NOTHING || lit->world->floor_reflection <= 0)
        return sample;
    const double blur = MIRROR_BLUR * distance_m / lit->world->spheres[index].radius_m;
    const double share = lit->world->floor_reflection / (1 + blur * blur);
    const pov_vec3 met = pov_vec3_add(pos, pov_vec3_scale(mirrored, distance_m));
    sample.light = pov_vec3_add(pov_vec3_scale(sample.light, 1 - share),
                                pov_vec3_scale(sphere_light(lit, index, met), share));
    sample.met = FLOOR_MIRROR + index;
    return sample;
}

static ray_sample cast(const world_view *view, pov_vec2 pixel)
{
    const pov_sphere_world *world = view->lit->world;
    const pov_vec3 eye = view->T_table_camera.t_m;
    pov_vec3 dir_camera;
    if (pov_camera_unproject(view->camera, &dir_camera, NULL, pixel) != POV_OK)
        return (ray_sample){{0, 0, 0}, NOTHING};
    const pov_vec3 dir = pov_rot_apply(view->T_table_camera.R, dir_camera);
    double sphere_m;
    const int index = nearest_sphere(world, &sphere_m, eye, dir);
    const double floor_m = eye.z > 0 && dir.z < 0 ? -eye.z / dir.z : INFINITY;
    if (index != NOTHING && sphere_m <= floor_m) {
        const pov_vec3 pos = pov_vec3_add(eye, pov_vec3_scale(dir, sphere_m));
        const pov_vec3 normal = pov_vec3_unit(pov_vec3_sub(pos, world->spheres[index].center_m));
        const rgb gleam = grey(gloss(world, pos, normal, dir));
        return (ray_sample){pov_vec3_add(sphere_light(view->lit, index, pos), gleam), index};
    }
    if (isfinite(floor_m))
        return floor_sample(view->lit, pov_vec3_add(eye, pov_vec3_scale(dir, floor_m)), dir);
    return (ray_sample){pov_vec3_scale(view->lit->floor, world->ambient / 4), NOTHING};
}

/** Nearly normal, unit variance: four uniforms of 16 bits (Irwin & Hall). Depends on nothing but its
 * arguments. */
static double noise(uint64_t seed, uint64_t index)
{
    const uint64_t bits = pov_random_mix(pov_random_mix(seed + POV_RANDOM_STEP) ^ (index * POV_RANDOM_STEP));
    double sum = 0;
    for (int part = 0; part < 4; part++)
        sum += (double)(bits >> (16 * part) & 0xffff) / 65536;
    return (sum - 2) * sqrt(3);
}

static uint8_t quantise(double linear, double noise_steps)
{
    return (uint8_t)lrint(fmin(fmax(255 * encode_srgb(clamp01(linear)) + noise_steps, 0), 255));
}

static void write_pixel(uint8_t *pixel, const pov_sphere_world *world, rgb light, uint64_t pixel_index)
{
    const double channels[3] = {light.x, light.y, light.z};
    for (int channel = 0; channel < 3; channel++) {
        const double steps = world->noise_std > 0
                                 ? world->noise_std * noise(world->seed, 3 * pixel_index + (uint64_t)channel)
                                 : 0;
        pixel[channel] = quantise(channels[channel], steps);
    }
}

static rgb mean_of_rays(const world_view *view, int x, int y)
{
    const int n = view->lit->world->samples_per_side;
    rgb sum = {0, 0, 0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const pov_vec2 at = {x - 0.5 + (j + 0.5) / n, y - 0.5 + (i + 0.5) / n};
            sum = pov_vec3_add(sum, cast(view, at).light);
        }
    return pov_vec3_scale(sum, 1.0 / (n * n));
}

/** Whether two samples could have an edge between them; light is compared about as an eye would. */
static bool differs(const ray_sample *a, const ray_sample *b)
{
    const double CONTRAST = 0.02;
    return a->met != b->met || fabs(sqrt(a->light.x) - sqrt(b->light.x)) > CONTRAST ||
           fabs(sqrt(a->light.y) - sqrt(b->light.y)) > CONTRAST ||
           fabs(sqrt(a->light.z) - sqrt(b->light.z)) > CONTRAST;
}

enum { TILE_PX = 32 };

/** Rays at the pixels' corners, shared by neighbours. */
typedef struct {
    int x, y, width_px, height_px;
    ray_sample corners[TILE_PX + 1][TILE_PX + 1];
} image_tile;

static void tile_cast(image_tile *tile, const world_view *view)
{
    for (int i = 0; i <= tile->height_px; i++)
        for (int j = 0; j <= tile->width_px; j++)
            tile->corners[i][j] = cast(view, (pov_vec2){tile->x + j - 0.5, tile->y + i - 0.5});
}

/** Where the four corners agree their mean will do; elsewhere the pixel gets all its rays. */
static rgb tile_pixel(const image_tile *tile, const world_view *view, int i, int j)
{
    const ray_sample *a = &tile->corners[i][j], *b = a + 1;
    const ray_sample *c = &tile->corners[i + 1][j], *d = c + 1;
    if (differs(a, b) || differs(a, c) || differs(a, d))
        return mean_of_rays(view, tile->x + j, tile->y + i);
    const rgb sum = pov_vec3_add(pov_vec3_add(a->light, b->light), pov_vec3_add(c->light, d->light));
    return pov_vec3_scale(sum, 0.25);
}

static void tile_draw(image_tile *tile, uint8_t *pixels, const world_view *view)
{
    tile_cast(tile, view);
    for (int i = 0; i < tile->height_px; i++)
        for (int j = 0; j < tile->width_px; j++) {
            const size_t index =
                (size_t)(tile->y + i) * (size_t)view->camera->width_px + (size_t)(tile->x + j);
            write_pixel(&pixels[3 * index], view->lit->world, tile_pixel(tile, view, i, j), index);
        }
}

void pov_sphere_world_draw(uint8_t *pixels, const pov_sphere_world *world, const pov_camera *camera,
                           pov_transform T_table_camera)
{
    POV_REQUIRE(world->sphere_len >= 0 && world->sphere_len <= POV_SPHERE_WORLD_MAX);
    POV_REQUIRE(world->samples_per_side >= 1);
    lit_world lit = {.world = world,
                     .floor = rgb_decode(world->floor_red, world->floor_green, world->floor_blue)};
    for (int i = 0; i < world->sphere_len; i++) {
        const pov_sphere *sphere = &world->spheres[i];
        lit.albedo[i] = rgb_decode(sphere->red, sphere->green, sphere->blue);
    }
    const world_view view = {&lit, camera, T_table_camera};
    image_tile tile;
    for (tile.y = 0; tile.y < camera->height_px; tile.y += TILE_PX)
        for (tile.x = 0; tile.x < camera->width_px; tile.x += TILE_PX) {
            tile.width_px = camera->width_px - tile.x < TILE_PX ? camera->width_px - tile.x : TILE_PX;
            tile.height_px = camera->height_px - tile.y < TILE_PX ? camera->height_px - tile.y : TILE_PX;
            tile_draw(&tile, pixels, &view);
        }
}

pov_sphere_world pov_sphere_world_turned(const pov_sphere_world *world, int moving, int centre,
                                         double phi_rad)
{
    POV_REQUIRE(moving >= 0 && moving < world->sphere_len && centre >= 0 && centre < world->sphere_len);
    pov_sphere_world turned = *world;
    const pov_vec3 center_m = world->spheres[centre].center_m;
    pov_vec3 *pos_m = &turned.spheres[moving].center_m;
    const double distance_m = hypot(pos_m->x - center_m.x, pos_m->y - center_m.y);
    pos_m->x = center_m.x + distance_m * cos(phi_rad);
    pos_m->y = center_m.y + distance_m * sin(phi_rad);
    return turned;
}
