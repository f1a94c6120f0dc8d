/* Balls of many surfaces under varied light, and other bodies of their colour at many tilts, drawn by the renderer: which of
 * them the detector takes for balls. */
#include "perception/balls/ball_detector.h"
#include "sim/bodies/shapes.h"
#include "sim/render/renderer.h"
#include "sim/render/sensor.h"
#include "tests/support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/shapes.h"

enum { WIDTH = 160, HEIGHT = 120, SIDES = 64, TEXTURE_WIDTH = 128, TEXTURE_HEIGHT = 64 };
static const double radius_m = 0.05, focal_px = 200;

/* What is drawn: each with a background, light, camera, sensor and colour by chance. */
typedef enum {
    BALL_MATTE,
    BALL_SHINY,
    BALL_MOTTLED,
    BALL_SEAMED,
    BALL_PRINTED,
    BALL_HALF_SHADOWED,
    BALL_IN_SOFT_LIGHT,
    BALLS_TOUCHING,
    ROLL_TILTED,
    ROLL_LYING,
    ROLL_STANDING,
    ROLL_FACING,
    RING,
    DISC,
    CUBE,
    BALL_IN_NOISE, /* with a seam, by a sensor that saturates at few electrons */
    BODY_COUNT
} body_kind;

/* Of the images of each kind, the share in which something may be taken for a ball: at least for balls, at most for others. */
static const struct {
    const char *name;
    bool is_ball;
    double share;
} EXPECTED[BODY_COUNT] = {
    [BALL_MATTE] = {"matte ball", true, 0.9},
    [BALL_SHINY] = {"shiny ball", true, 0.9},
    [BALL_MOTTLED] = {"mottled ball", true, 0.9},
    [BALL_SEAMED] = {"ball with a seam", true, 0.9},
    [BALL_PRINTED] = {"ball with a print", true, 0.9},
    [BALL_HALF_SHADOWED] = {"ball half in shadow", true, 0.8},
    [BALL_IN_SOFT_LIGHT] = {"ball in soft light", true, 0.9},
    [BALLS_TOUCHING] = {"balls that touch", true, 0.85},
    [ROLL_TILTED] = {"tilted roll", false, 0.15},
    [ROLL_LYING] = {"lying roll", false, 0.15},
    [ROLL_STANDING] = {"standing roll", false, 0.2},
    [ROLL_FACING] = {"roll that faces the camera", false, 0.1},
    [RING] = {"ring", false, 0.15},
    [DISC] = {"disc", false, 0.3},
    [CUBE] = {"cube", false, 0.25},
    [BALL_IN_NOISE] = {"ball in noise", true, 0.75},
};

typedef struct {
    test_random random;
    pov_camera camera;
    pov_transform T_table_camera;
    pov_lighting light;
    const char *colour;
    uint32_t rgb;
    pov_model *ground, *body, *other;
    pov_transform T_table_body, T_table_other;
} scene;

static double between(scene *s, double low, double high)
{
    return test_random_between(&s->random, low, high);
}

static int one_of(scene *s, int count)
{
    return (int)between(s, 0, count);
}

static void must(pov_status status)
{
    if (status.code != POV_OK)
        print_error("%s\n", status.message);
    assert_int_equal(status.code, POV_OK);
}

static uint32_t mixed(uint32_t a, uint32_t b, double share_of_b)
{
    uint32_t rgb = 0;
    for (int shift = 0; shift < 24; shift += 8)
        rgb |= (uint32_t)((1 - share_of_b) * (a >> shift & 255) + share_of_b * (b >> shift & 255)) << shift;
    return rgb;
}

/* --- bodies --- */

static void add_ball(scene *s, pov_model *model, double gloss)
{
    pov_brush brush = pov_brush_new(model, s->rgb, gloss);
    brush.sides = SIDES;
    pov_shape_ellipsoid(brush, (pov_vec3){radius_m, radius_m, radius_m});
}

static void add_ring(pov_model *model, uint32_t rgb, double inner_m, double outer_m, double half_m)
{
    const pov_vec2 profile[] = {
        {inner_m, -half_m}, {outer_m, -half_m}, {outer_m, half_m}, {inner_m, half_m}, {inner_m, -half_m}};
    pov_shape_lathe(pov_brush_new(model, rgb, 0.3), profile, 5, SIDES);
}

static void paint_texel(uint8_t *pixels, int x, int y, uint32_t rgb)
{
    uint8_t *texel = pixels + 3 * (y * TEXTURE_WIDTH + x % TEXTURE_WIDTH);
    texel[0] = (uint8_t)(rgb >> 16);
    texel[1] = (uint8_t)(rgb >> 8);
    texel[2] = (uint8_t)rgb;
}

static void add_textured_ball(scene *s, body_kind kind)
{
    static uint8_t pixels[3 * TEXTURE_WIDTH * TEXTURE_HEIGHT];
    const uint32_t ink = one_of(s, 2) ? 0xe8e8e0 : 0x202020;
    const int left = one_of(s, 100), top = 18 + one_of(s, 16);
    const double swing = between(s, 6, 14);
    for (int i = 0; i < TEXTURE_WIDTH * TEXTURE_HEIGHT; i++) {
        const double mottle = kind == BALL_MOTTLED ? between(s, 0, 0.3) : 0;
        paint_texel(pixels, i % TEXTURE_WIDTH, i / TEXTURE_WIDTH, mixed(s->rgb, 0, mottle));
    }
    for (int x = 0; kind == BALL_SEAMED && x < TEXTURE_WIDTH; x++)
        for (int y = 0; y < 2; y++)
            paint_texel(pixels, x, y + (int)(32 + swing * sin(4 * POV_PI * x / TEXTURE_WIDTH)), ink);
    for (int x = left; kind == BALL_PRINTED && x < left + 15; x++)
        for (int y = top; y < top + 8; y++)
            paint_texel(pixels, x, y, ink);
    const pov_texture texture = {TEXTURE_WIDTH, TEXTURE_HEIGHT, pixels, false};
    pov_brush brush = pov_brush_textured(s->body, &texture, 0xffffff, 0.1);
    brush.sides = SIDES;
    pov_shape_ellipsoid(brush, (pov_vec3){radius_m, radius_m, radius_m});
}

static pov_rot any_rotation(scene *s)
{
    return pov_rot_exp((pov_vec3){between(s, -3, 3), between(s, -3, 3), between(s, -3, 3)});
}

/* Turns z to a direction. */
static pov_rot facing(pov_vec3 direction)
{
    const pov_vec3 x = pov_vec3_unit(pov_vec3_cross((pov_vec3){0.1, 0.2, 1}, direction));
    const pov_vec3 y = pov_vec3_cross(direction, x);
    return (pov_rot){{{x.x, y.x, direction.x}, {x.y, y.y, direction.y}, {x.z, y.z, direction.z}}};
}

/* A plate whose edge's shadow runs across the ball. */
static void cast_shadow(scene *s)
{
    const pov_vec3 away = pov_vec3_unit(pov_vec3_sub(s->light.lamp_m, s->T_table_body.t_m));
    const pov_rot R = pov_rot_mul(facing(away), pov_rot_yaw(between(s, 0, 6.28)));
    const pov_vec3 centre_m = {0.06 + between(s, -0.015, 0.015), 0, 0.2};
    s->other = pov_model_new();
    pov_shape_box(pov_brush_new(s->other, 0x606060, 0), (pov_vec3){0.12, 0.12, 0.004}, 0);
    s->T_table_other = (pov_transform){R, pov_vec3_add(s->T_table_body.t_m, pov_rot_apply(R, centre_m))};
    s->light.lamp_radius_m = between(s, 0.05, 0.5);
}

static void add_second_ball(scene *s)
{
    const double yaw = between(s, 0, 6.28), away_m = radius_m * between(s, 2, 2.3);
    s->other = pov_model_new();
    add_ball(s, s->other, 0.1);
    s->T_table_other = (pov_transform){pov_rot_identity(), {away_m * cos(yaw), away_m * sin(yaw), radius_m}};
}

/* Tape about a core of cardboard, white or black plastic, or its own colour; the core is a 25th of the radius thick. */
static void add_roll(scene *s, body_kind kind)
{
    const uint32_t cores[] = {0xc8a878, 0xe8e8e0, 0x303030, s->rgb};
    const double hole_m = radius_m * between(s, 0.45, 0.85), half_m = radius_m * between(s, 0.2, 0.6);
    const pov_vec3 to_eye = pov_vec3_unit(pov_vec3_sub(s->T_table_camera.t_m, s->T_table_body.t_m));
    add_ring(s->body, cores[one_of(s, 4)], hole_m, hole_m + 0.04 * radius_m, half_m);
    add_ring(s->body, s->rgb, hole_m + 0.04 * radius_m, radius_m, half_m);
    if (kind == ROLL_LYING)
        s->T_table_body.t_m.z = half_m;
    else if (kind == ROLL_STANDING)
        s->T_table_body.R = facing(pov_rot_apply(pov_rot_yaw(between(s, 0, 6.28)), (pov_vec3){1, 0, 0}));
    else if (kind == ROLL_FACING)
        s->T_table_body.R = pov_rot_mul(
            facing(to_eye), pov_rot_exp((pov_vec3){between(s, -0.5, 0.5), between(s, -0.5, 0.5), 0}));
    else
        s->T_table_body.R = any_rotation(s);
}

static void add_body(scene *s, body_kind kind)
{
    s->body = pov_model_new();
    s->T_table_body = (pov_transform){pov_rot_identity(), {0, 0, radius_m}};
    if (kind == BALL_MOTTLED || kind == BALL_SEAMED || kind == BALL_PRINTED || kind == BALL_IN_NOISE) {
        s->T_table_body.R = any_rotation(s);
        add_textured_ball(s, kind == BALL_IN_NOISE ? BALL_SEAMED : kind);
    } else if (EXPECTED[kind].is_ball) {
        add_ball(s, s->body, kind == BALL_SHINY ? between(s, 0.4, 1) : between(s, 0, 0.25));
    } else if (kind == ROLL_TILTED || kind == ROLL_LYING || kind == ROLL_STANDING || kind == ROLL_FACING) {
        add_roll(s, kind);
    } else {
        const double thin_m = radius_m * between(s, 0.03, 0.15), hole_m = radius_m * between(s, 0.6, 0.9);
        const pov_vec3 sides_m = {radius_m * between(s, 1, 1.8), radius_m * between(s, 1, 1.8),
                                  radius_m * between(s, 1, 1.8)};
        s->T_table_body.R = any_rotation(s);
        if (kind == RING)
            add_ring(s->body, s->rgb, hole_m, radius_m, (radius_m - hole_m) / 2);
        else if (kind == DISC)
            add_ring(s->body, s->rgb, 0, radius_m, thin_m);
        else
            pov_shape_box(pov_brush_new(s->body, s->rgb, 0.1), sides_m, radius_m * between(s, 0, 0.3));
    }
    if (kind == BALL_HALF_SHADOWED)
        cast_shadow(s);
    if (kind == BALLS_TOUCHING)
        add_second_ball(s);
}

/* --- scenes --- */

static void choose_light(scene *s, body_kind kind)
{
    const double up = between(s, 0.35, 1.5), about = between(s, 0, 6.28), away_m = 3;
    const bool is_soft = kind == BALL_IN_SOFT_LIGHT;
    s->light = POV_LIGHTING_DEFAULT;
    s->light.lamp_m =
        (pov_vec3){away_m * cos(up) * cos(about), away_m * cos(up) * sin(about), away_m * sin(up)};
    s->light.lamp_radius_m = is_soft ? 1.2 : exp(between(s, log(0.05), log(1.2)));
    s->light.ambient = is_soft ? between(s, 0.6, 0.8) : between(s, 0.2, 0.6);
    s->light.lamp_strength = is_soft ? between(s, 0.15, 0.3) : between(s, 1, 1.15) - s->light.ambient;
}

static void choose_view(scene *s)
{
    const double size_px = exp(between(s, log(9), log(34))), away_m = focal_px * radius_m / size_px;
    const double up = between(s, 0.25, 1.2), about = between(s, 0, 6.28);
    const pov_vec3 eye_m = {away_m * cos(up) * cos(about), away_m * cos(up) * sin(about),
                            radius_m + away_m * sin(up)};
    const pov_vec3 target_m = {between(s, -0.05, 0.05) * away_m, between(s, -0.05, 0.05) * away_m, 0.03};
    s->camera = (pov_camera){POV_LENS_BROWN_CONRADY, WIDTH, HEIGHT, focal_px, focal_px, (WIDTH - 1) / 2.0,
                             (HEIGHT - 1) / 2.0,     {0}};
    s->T_table_camera = pov_transform_look_at(eye_m, target_m, (pov_vec3){0, 0, 1});
}

static void scene_make(scene *s, body_kind kind, int index)
{
    static const struct {
        const char *name;
        uint32_t rgb;
    } colours[] = {{"yellow", 0xe8c818}, {"yellow", 0xf0d820}, {"red", 0xc8231e},
                   {"blue", 0x2d5ab4},   {"green", 0x1e9632},  {"orange", 0xf08214}};
    static const uint32_t grounds[] = {0xa8a5a0, 0x8a6a48, 0x505a66, 0xd8d4cc, 0x3c3c40, 0x7a9088};
    *s = (scene){.random = {(uint64_t)(1000 * kind + index)}};
    const int colour = one_of(s, 6);
    s->colour = colours[colour].name;
    s->rgb = mixed(colours[colour].rgb, 0, between(s, 0, 0.12));
    s->ground = test_square_new(20, mixed(grounds[one_of(s, 6)], 0, between(s, 0, 0.1)));
    choose_view(s);
    choose_light(s, kind);
    add_body(s, kind);
}

static void scene_free(scene *s)
{
    pov_model_destroy(&s->ground);
    pov_model_destroy(&s->body);
    pov_model_destroy(&s->other);
}

static pov_image photograph(scene *s, body_kind kind, pov_renderer *renderer)
{
    static float light[WIDTH * HEIGHT][3];
    static uint8_t rgb[WIDTH * HEIGHT * 3];
    const pov_instance instances[] = {{s->ground, pov_transform_identity(), 0},
                                      {s->body, s->T_table_body, 1},
                                      {s->other, s->T_table_other, 2}};
    pov_rendering rendering = {light, NULL, NULL};
    pov_sensor_config config = POV_SENSOR_DEFAULT;
    pov_sensor *sensor;
    config.defocus_px = between(s, 0, 0.8);
    config.shot_noise = true;
    config.full_well_e = exp(between(s, log(3000), log(20000)));
    if (kind == BALL_IN_NOISE)
        config.full_well_e = exp(between(s, log(100), log(250)));
    config.exposure = between(s, 0.6, 1);
    config.jpeg_quality = one_of(s, 2) ? 0 : 80 + one_of(s, 16);
    must(pov_renderer_set(renderer, instances, s->other ? 3 : 2, &s->light));
    must(pov_renderer_look(renderer, &s->camera, s->T_table_camera));
    pov_renderer_draw(renderer, &rendering, 0, HEIGHT);
    must(pov_sensor_new(&sensor, &config, WIDTH, HEIGHT));
    must(pov_sensor_expose(sensor, rgb, (const float(*)[3])light, NULL, 0));
    pov_sensor_destroy(&sensor);
    return (pov_image){.pixels = rgb, .width_px = WIDTH, .height_px = HEIGHT, .stride_bytes = 3 * WIDTH};
}

/* --- what is found --- */

/* Whether a ball is found: for balls, each where it is; for others, anywhere. */
static bool is_taken_for_ball(const scene *s, const pov_balls *balls, bool is_ball)
{
    const pov_transform T_camera_table = pov_transform_inverse(s->T_table_camera);
    const pov_vec3 places_m[] = {s->T_table_body.t_m, s->T_table_other.t_m};
    const bool has_two = s->other && s->T_table_other.t_m.z <= radius_m;
    if (!is_ball)
        return balls->len > 0;
    for (int place = 0; place < (has_two ? 2 : 1); place++) {
        bool is_near = false;
        const pov_vec3 at_m = pov_transform_apply(T_camera_table, places_m[place]);
        for (int i = 0; i < balls->len; i++) {
            const pov_vec3 seen_m = balls->balls[i].pos_camera_m;
            is_near |= hypot(seen_m.x / seen_m.z - at_m.x / at_m.z, seen_m.y / seen_m.z - at_m.y / at_m.z) *
                           focal_px <
                       1 + 0.1 * focal_px * radius_m / at_m.z;
        }
        if (!is_near)
            return false;
    }
    return true;
}

typedef struct {
    int posed, unposed;
} tally;

static void look(tally *found, scene *s, body_kind kind, pov_renderer *renderer)
{
    static pov_balls balls;
    pov_ball_detector *detector;
    pov_ball_detector_config config = {.kind_len = 1,
                                       .kinds = {{.radius_m = radius_m,
                                                  .max_count = 4,
                                                  .has_height = true,
                                                  .height_m = radius_m,
                                                  .height_std_m = 0.002}}};
    const pov_image image = photograph(s, kind, renderer);
    const pov_pose T_table_camera = pov_pose_exact(s->T_table_camera);
    assert_true(pov_colour_from_name(&config.kinds[0].colour, s->colour));
    must(pov_ball_detector_new(&detector, &config, &s->camera));
    must(pov_ball_detector_run(detector, &balls, &image, &T_table_camera, NULL));
    found->posed += is_taken_for_ball(s, &balls, EXPECTED[kind].is_ball);
    must(pov_ball_detector_run(detector, &balls, &image, NULL, NULL));
    found->unposed += is_taken_for_ball(s, &balls, EXPECTED[kind].is_ball);
    pov_ball_detector_destroy(&detector);
}

static void check_kinds(bool balls)
{
    const int images = getenv("POV_SANITIZED") ? 6 : 12;
    int failures = 0;
    pov_renderer *renderer;
    must(pov_renderer_new(&renderer));
    for (body_kind kind = 0; kind < BODY_COUNT; kind++) {
        tally found = {0, 0};
        const double limit = EXPECTED[kind].share * images;
        for (int i = 0; i < images && EXPECTED[kind].is_ball == balls; i++) {
            scene s;
            scene_make(&s, kind, i);
            look(&found, &s, kind, renderer);
            scene_free(&s);
        }
        if (EXPECTED[kind].is_ball != balls)
            continue;
        print_message("%s: of %d, %d with the camera's pose, %d without\n", EXPECTED[kind].name, images,
                      found.posed, found.unposed);
        failures += balls ? found.posed < floor(limit) || found.unposed < floor(limit)
                          : found.posed > ceil(limit) || found.unposed > ceil(limit);
    }
    pov_renderer_destroy(&renderer);
    assert_int_equal(failures, 0);
}

static void balls_of_many_surfaces_are_found(void **state)
{
    (void)state;
    check_kinds(true);
}

static void rolls_of_tape_and_other_bodies_are_no_balls(void **state)
{
    (void)state;
    check_kinds(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_of_many_surfaces_are_found),
        cmocka_unit_test(rolls_of_tape_and_other_bodies_are_no_balls),
    };
    return cmocka_run_group_tests_name("ball_surface", tests, NULL, NULL);
}
