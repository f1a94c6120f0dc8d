#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/sphere_world.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { WIDTH_PX = 200, HEIGHT_PX = 160 };

static const pov_camera PINHOLE = {POV_LENS_BROWN_CONRADY, WIDTH_PX, HEIGHT_PX, 260, 240, 97, 82, {0}};
static const pov_vec3 EYE_M = {7.5, 0.4, 3.5};
static const double RADIUS_M = 0.35;
/* High above the floor, so that they hardly dim it; off the optical axis, so that they show as ellipses. */
static const pov_vec3 CENTERS_M[] = {{1.6, 0.2, 1.8}, {2.5, 1.3, 2.2}, {3.2, -0.7, 2.1}};
enum { CENTER_LEN = 3 };

typedef struct {
    uint8_t pixels[HEIGHT_PX][WIDTH_PX][3];
} picture;

/** One black ball before a white floor in even light, its gleam turned to the eye: a pixel's linear value is
 * the floor's share of it, but for the few per cent by which the ball dims the floor. */
static pov_sphere_world silhouette_world(pov_vec3 center_m)
{
    pov_sphere_world world = pov_sphere_world_default();
    world.floor_red = world.floor_green = world.floor_blue = 255;
    world.floor_reflection = 0;
    world.ambient = 1;
    world.light_m = EYE_M;
    world.noise_std = 0;
    world.samples_per_side = 16;
    world.sphere_len = 1;
    world.spheres[0] = (pov_sphere){center_m, RADIUS_M, 0, 0, 0};
    return world;
}

static pov_sphere_world two_balls(void)
{
    pov_sphere_world world = pov_sphere_world_default();
    world.sphere_len = 2;
    world.spheres[0] = (pov_sphere){{0, 0, 0.6}, 0.6, 30, 35, 200};
    world.spheres[1] = (pov_sphere){{0, 2.9, 0.6}, 0.6, 225, 50, 30};
    return world;
}

static pov_transform look_from_eye(void)
{
    return pov_transform_look_at(EYE_M, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1});
}

static void draw(picture *drawn, const pov_sphere_world *world, const pov_camera *camera)
{
    pov_sphere_world_draw(&drawn->pixels[0][0][0], world, camera, look_from_eye());
}

static double linear(uint8_t value)
{
    const double encoded = value / 255.0;
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

/** The floor's brightness just beside a pixel of the outline. */
static double floor_beside(const picture *drawn, int x, int y)
{
    double brightest = 0;
    for (int dy = -4; dy <= 4; dy++)
        for (int dx = -4; dx <= 4; dx++)
            brightest = fmax(brightest, linear(drawn->pixels[y + dy][x + dx][0]));
    return brightest;
}

/** A ball's outline through a pinhole is the conic u^T (c c^T - (|c|^2 - r^2) I) u = 0, u = (x/z, y/z, 1):
 * Hartley & Zisserman 2004, ch. 8.3. Along a row it is a quadratic, whose roots are where the outline cuts
 * the row. */
static bool outline_cuts_row(double cuts_px[2], pov_vec3 center, double y_px)
{
    const double v = (y_px - PINHOLE.cy_px) / PINHOLE.fy_px;
    const double q = pov_vec3_dot(center, center) - RADIUS_M * RADIUS_M, k = center.y * v + center.z;
    const double a = center.x * center.x - q, b = 2 * center.x * k, c = k * k - q * (v * v + 1);
    const double discriminant = b * b - 4 * a * c;
    if (discriminant <= 0)
        return false;
    const double middle = -b / (2 * a), half_width = sqrt(discriminant) / fabs(2 * a);
    cuts_px[0] = PINHOLE.cx_px + PINHOLE.fx_px * (middle - half_width);
    cuts_px[1] = PINHOLE.cx_px + PINHOLE.fx_px * (middle + half_width);
    return true;
}

typedef struct {
    double area_px2, x_px, y_px;
} blob;

enum { CUTS_PER_PX = 200 };

static blob exact_blob(pov_vec3 center)
{
    blob sum = {0};
    for (int row = 0; row < HEIGHT_PX * CUTS_PER_PX; row++) {
        const double y_px = -0.5 + (row + 0.5) / CUTS_PER_PX;
        double cuts_px[2];
        if (!outline_cuts_row(cuts_px, center, y_px))
            continue;
        const double area_px2 = (cuts_px[1] - cuts_px[0]) / CUTS_PER_PX;
        sum.area_px2 += area_px2;
        sum.x_px += area_px2 * (cuts_px[0] + cuts_px[1]) / 2;
        sum.y_px += area_px2 * y_px;
    }
    return (blob){sum.area_px2, sum.x_px / sum.area_px2, sum.y_px / sum.area_px2};
}

static double ball_share(const picture *drawn, int x, int y)
{
    return 1 - linear(drawn->pixels[y][x][0]) / floor_beside(drawn, x, y);
}

static bool is_near_ball(pov_vec3 center, int x, int y)
{
    for (int dy = -1; dy <= 1; dy++) {
        double cuts_px[2];
        if (outline_cuts_row(cuts_px, center, y + 0.5 * dy) && x > cuts_px[0] - 1 && x < cuts_px[1] + 1)
            return true;
    }
    return false;
}

/** Three pixels inside the outline all around: there the gleam would be taken for floor. */
static bool is_deep_inside(pov_vec3 center, int x, int y)
{
    for (int dy = -3; dy <= 3; dy++) {
        double cuts_px[2];
        if (!outline_cuts_row(cuts_px, center, y + dy) || x < cuts_px[0] + 3 || x > cuts_px[1] - 3)
            return false;
    }
    return true;
}

static double share_at(const picture *drawn, pov_vec3 center, int x, int y)
{
    if (is_deep_inside(center, x, y))
        return 1;
    return is_near_ball(center, x, y) ? ball_share(drawn, x, y) : 0;
}

static void a_ball_covers_the_area_of_its_projection_about_the_same_centroid(void **state)
{
    (void)state;
    static picture drawn;
    for (int i = 0; i < CENTER_LEN; i++) {
        const pov_sphere_world world = silhouette_world(CENTERS_M[i]);
        draw(&drawn, &world, &PINHOLE);
        const pov_vec3 center = pov_transform_apply(pov_transform_inverse(look_from_eye()), CENTERS_M[i]);
        const blob exact = exact_blob(center);
        blob sum = {0};
        for (int y = 4; y < HEIGHT_PX - 4; y++)
            for (int x = 4; x < WIDTH_PX - 4; x++) {
                const double share = share_at(&drawn, center, x, y);
                sum.area_px2 += share;
                sum.x_px += share * x;
                sum.y_px += share * y;
            }
        assert_near(sum.area_px2 / exact.area_px2, 1, 0.002);
        assert_near(sum.x_px / sum.area_px2, exact.x_px, 0.01);
        assert_near(sum.y_px / sum.area_px2, exact.y_px, 0.01);
    }
}

static void each_row_of_a_ball_begins_and_ends_where_the_outline_cuts_it(void **state)
{
    (void)state;
    static picture drawn;
    int rows = 0;
    for (int i = 0; i < CENTER_LEN; i++) {
        const pov_sphere_world world = silhouette_world(CENTERS_M[i]);
        draw(&drawn, &world, &PINHOLE);
        const pov_vec3 center = pov_transform_apply(pov_transform_inverse(look_from_eye()), CENTERS_M[i]);
        const blob exact = exact_blob(center);
        const int middle = (int)lrint(exact.x_px);
        const int reach = (int)(0.7 * sqrt(exact.area_px2 / POV_PI));
        for (int y = (int)exact.y_px - reach; y <= (int)exact.y_px + reach; y++, rows++) {
            double left_px = 0, right_px = 0, left_drawn_px = middle - 0.5, right_drawn_px = middle + 0.5;
            for (int cut = 0; cut < CUTS_PER_PX; cut++) {
                double cuts_px[2];
                assert_true(outline_cuts_row(cuts_px, center, y - 0.5 + (cut + 0.5) / CUTS_PER_PX));
                left_px += cuts_px[0] / CUTS_PER_PX;
                right_px += cuts_px[1] / CUTS_PER_PX;
            }
            for (int x = 4; x < middle; x++)
                left_drawn_px -= share_at(&drawn, center, x, y);
            for (int x = middle + 1; x < WIDTH_PX - 4; x++)
                right_drawn_px += share_at(&drawn, center, x, y);
            assert_near(left_drawn_px, left_px, 0.05);
            assert_near(right_drawn_px, right_px, 0.05);
        }
    }
    assert_in_range(rows, 40, 200);
}

/** Rays along the cone from the eye that touches the ball, a little inside and outside of it. */
static void a_distorted_ball_ends_where_its_cone_projects(void **state)
{
    (void)state;
    pov_camera camera = PINHOLE;
    camera.distortion[0] = -0.45;
    camera.distortion[2] = 0.01;
    static picture drawn;
    const pov_sphere_world world = silhouette_world(CENTERS_M[1]);
    draw(&drawn, &world, &camera);
    const pov_vec3 center = pov_transform_apply(pov_transform_inverse(look_from_eye()), CENTERS_M[1]);
    const double cone_rad = asin(RADIUS_M / pov_vec3_norm(center));
    const double margin_rad = 1.0 / PINHOLE.fy_px;
    const pov_vec3 axis = pov_vec3_unit(center), across = pov_vec3_unit(pov_vec3_cross(axis, EYE_M));
    for (int degrees = 0; degrees < 360; degrees++) {
        const pov_rot spin = pov_rot_exp(pov_vec3_scale(axis, degrees * POV_PI / 180));
        for (int side = -1; side <= 1; side += 2) {
            const pov_rot tilt = pov_rot_exp(pov_vec3_scale(across, cone_rad + side * margin_rad));
            const pov_vec3 ray = pov_rot_apply(spin, pov_rot_apply(tilt, axis));
            pov_vec2 pixel;
            assert_int_equal(pov_camera_project(&camera, &pixel, NULL, ray), POV_OK);
            const double value = linear(drawn.pixels[lrint(pixel.y)][lrint(pixel.x)][0]);
            assert_true(side < 0 ? value < 0.2 : value > 0.8);
        }
    }
}

static void the_same_world_gives_the_same_pixels_and_another_seed_other_noise(void **state)
{
    (void)state;
    static picture first, second, smooth;
    pov_sphere_world world = two_balls();
    world.noise_std = 3;
    draw(&first, &world, &PINHOLE);
    draw(&second, &world, &PINHOLE);
    assert_memory_equal(&first, &second, sizeof first);
    world.seed++;
    draw(&second, &world, &PINHOLE);
    assert_true(memcmp(&first, &second, sizeof first) != 0);
    world.noise_std = 0;
    draw(&smooth, &world, &PINHOLE);
    double squares = 0, products = 0;
    int n = 0;
    for (int y = 100; y < HEIGHT_PX; y++)
        for (int x = 0; x < 60; x++)
            for (int channel = 0; channel < 3; channel++, n++) {
                const double a = first.pixels[y][x][channel] - smooth.pixels[y][x][channel];
                const double b = second.pixels[y][x][channel] - smooth.pixels[y][x][channel];
                squares += a * a / 2 + b * b / 2;
                products += a * b;
            }
    assert_near(sqrt(squares / n), 3, 0.15); /* quantisation adds 1/6 squared */
    assert_near(products / squares, 0, 0.05);
}

static void few_rays_give_nearly_the_picture_of_many(void **state)
{
    (void)state;
    static picture few, many;
    pov_sphere_world world = two_balls();
    world.noise_std = 0;
    draw(&few, &world, &PINHOLE);
    world.samples_per_side = 16;
    draw(&many, &world, &PINHOLE);
    double squares = 0;
    for (size_t i = 0; i < sizeof few; i++) {
        const double difference = (&few.pixels[0][0][0])[i] - (&many.pixels[0][0][0])[i];
        squares += difference * difference;
    }
    assert_true(squares > 0);
    assert_true(sqrt(squares / sizeof few) < 1);
}

/** The pixel where a point of the table shows. */
static const uint8_t *pixel_at(const picture *drawn, pov_vec3 pos_m)
{
    pov_vec2 pixel = {0, 0};
    const pov_vec3 pos_camera = pov_transform_apply(pov_transform_inverse(look_from_eye()), pos_m);
    assert_int_equal(pov_camera_project(&PINHOLE, &pixel, NULL, pos_camera), POV_OK);
    return drawn->pixels[lrint(pixel.y)][lrint(pixel.x)];
}

static void a_ball_throws_its_shadow_away_from_the_lamp(void **state)
{
    (void)state;
    static picture drawn;
    pov_sphere_world world = two_balls();
    world.sphere_len = 1;
    world.noise_std = 0;
    for (int side = -1; side <= 1; side += 2) {
        world.light_m = (pov_vec3){0, 3.0 * side, 6};
        world.light_radius_m = 0.2;
        draw(&drawn, &world, &PINHOLE);
        /* The ball's centre, 0.6 high, is thrown to y = -0.6 * 3 / 5.4 on the lamp's far side. */
        const uint8_t *shadow = pixel_at(&drawn, (pov_vec3){0.3, -0.7 * side, 0});
        const uint8_t *lit = pixel_at(&drawn, (pov_vec3){0.3, 1.5 * side, 0});
        assert_true(linear(shadow[1]) < 0.6 * linear(lit[1]));
    }
}

static void reflection_changes_the_floor_and_not_the_ball(void **state)
{
    (void)state;
    static picture matt, glossy;
    pov_sphere_world world = two_balls();
    world.noise_std = 0;
    world.floor_reflection = 0;
    draw(&matt, &world, &PINHOLE);
    world.floor_reflection = 0.9;
    draw(&glossy, &world, &PINHOLE);
    const pov_vec3 on_ball = {0.6 * 0.9, 0, 0.6}, before_foot = {0.35, 0, 0};
    assert_memory_equal(pixel_at(&matt, on_ball), pixel_at(&glossy, on_ball), 3);
    const uint8_t *floor_matt = pixel_at(&matt, before_foot), *floor_glossy = pixel_at(&glossy, before_foot);
    assert_true(floor_glossy[2] - floor_glossy[0] > floor_matt[2] - floor_matt[0] + 10); /* bluer */
}

static void turning_keeps_the_distance_and_sets_the_azimuth(void **state)
{
    (void)state;
    pov_sphere_world world = two_balls();
    world.spheres[0].center_m = (pov_vec3){0.5, -0.25, 0.6};
    world.spheres[1].center_m = (pov_vec3){2, 1.5, 0.4};
    const pov_sphere_world before = world;
    const double distance_m = hypot(1.5, 1.75);
    for (int degrees = -180; degrees < 360; degrees += 10) {
        const double phi_rad = degrees * POV_PI / 180;
        const pov_sphere_world turned = pov_sphere_world_turned(&world, 1, 0, phi_rad);
        const pov_vec3 arm = pov_vec3_sub(turned.spheres[1].center_m, world.spheres[0].center_m);
        assert_near(arm.x, distance_m * cos(phi_rad), 1e-12);
        assert_near(arm.y, distance_m * sin(phi_rad), 1e-12);
        assert_near(turned.spheres[1].center_m.z, 0.4, 0);
        assert_memory_equal(&turned.spheres[0], &before.spheres[0], sizeof before.spheres[0]);
    }
    assert_memory_equal(&world, &before, sizeof world);
}

/** A camera on +x sees phi 90 on its right and phi 0 in front, lower in the image. */
static void a_camera_on_x_sees_a_ball_at_90_degrees_on_its_right(void **state)
{
    (void)state;
    static picture drawn;
    pov_sphere_world world = two_balls();
    world.noise_std = 0;
    const pov_sphere_world right = pov_sphere_world_turned(&world, 1, 0, POV_PI / 2);
    draw(&drawn, &right, &PINHOLE);
    double red_px = 0, blue_px = 0;
    int red_len = 0, blue_len = 0;
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++) {
            const uint8_t *pixel = drawn.pixels[y][x];
            const bool is_red = pixel[0] > 80 + pixel[2], is_blue = pixel[2] > 80 + pixel[0];
            red_px += is_red * x;
            blue_px += is_blue * x;
            red_len += is_red;
            blue_len += is_blue;
        }
    assert_true(red_len > 300 && blue_len > 300);
    assert_true(red_px / red_len > blue_px / blue_len + 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_covers_the_area_of_its_projection_about_the_same_centroid),
        cmocka_unit_test(each_row_of_a_ball_begins_and_ends_where_the_outline_cuts_it),
        cmocka_unit_test(a_distorted_ball_ends_where_its_cone_projects),
        cmocka_unit_test(the_same_world_gives_the_same_pixels_and_another_seed_other_noise),
        cmocka_unit_test(few_rays_give_nearly_the_picture_of_many),
        cmocka_unit_test(a_ball_throws_its_shadow_away_from_the_lamp),
        cmocka_unit_test(reflection_changes_the_floor_and_not_the_ball),
        cmocka_unit_test(turning_keeps_the_distance_and_sets_the_azimuth),
        cmocka_unit_test(a_camera_on_x_sees_a_ball_at_90_degrees_on_its_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
