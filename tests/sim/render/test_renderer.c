#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/render/renderer.h"
#include "tests/support/near.h"
#include "tests/support/shapes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_PX = 240, HEIGHT_PX = 180, PIXELS = WIDTH_PX * HEIGHT_PX, INSTANCE_MAX = 16 };

static const pov_camera CAMERA = {
    POV_LENS_BROWN_CONRADY, WIDTH_PX, HEIGHT_PX, 260, 250, 117, 92, {-0.2, 0.05}};

typedef struct {
    float light[PIXELS][3];
    int16_t label[PIXELS];
    float depth_m[PIXELS];
} picture;

static pov_rendering into(picture *p)
{
    return (pov_rendering){p->light, p->label, p->depth_m};
}

static pov_renderer *renderer;
static pov_model *floor_model, *ball, *crate;

static int set_up(void **state)
{
    (void)state;
    floor_model = test_square_new(8, 0xb0a8a0);
    ball = test_sphere_new(0.2, 128, 96, 0xd03020);
    crate = test_box_new((pov_vec3){0.3, 0.2, 0.4}, 0x3060c0);
    return pov_renderer_new(&renderer).code == POV_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pov_renderer_destroy(&renderer);
    pov_model_destroy(&floor_model);
    pov_model_destroy(&ball);
    pov_model_destroy(&crate);
    return 0;
}

static pov_transform at(double x_m, double y_m, double z_m)
{
    return (pov_transform){pov_rot_identity(), {x_m, y_m, z_m}};
}

static pov_transform eye(void)
{
    return pov_transform_look_at((pov_vec3){1.6, 0.3, 1.1}, (pov_vec3){0, 0, 0.1}, (pov_vec3){0, 0, 1});
}

static void draw(picture *drawn, const pov_instance *instances, int len, const pov_lighting *lighting)
{
    pov_rendering rendering = into(drawn);
    assert_int_equal(pov_renderer_set(renderer, instances, len, lighting).code, POV_OK);
    assert_int_equal(pov_renderer_look(renderer, &CAMERA, eye()).code, POV_OK);
    pov_renderer_draw(renderer, &rendering, 0, HEIGHT_PX);
}

/** A ball and a crate on a floor. */
static int still_life(pov_instance instances[INSTANCE_MAX])
{
    instances[0] = (pov_instance){floor_model, at(0, 0, 0), 5};
    instances[1] = (pov_instance){ball, at(0.2, 0.3, 0.2), 7};
    instances[2] = (pov_instance){crate, {pov_rot_yaw(0.5), {-0.1, -0.3, 0.2}}, 9};
    return 3;
}

static void rows_drawn_one_by_one_make_the_same_picture(void **state)
{
    (void)state;
    static picture whole, pieces;
    static const int CUTS[] = {0, 1, 2, 7, 29, 30, 31, 32, 33, 60, 100, 119, 120, 121, 179, HEIGHT_PX};
    pov_instance instances[INSTANCE_MAX];
    const pov_lighting lighting = POV_LIGHTING_DEFAULT;
    draw(&whole, instances, still_life(instances), &lighting);
    memset(&pieces, 0x5a, sizeof pieces);
    for (size_t i = sizeof CUTS / sizeof CUTS[0] - 1; i > 0; i--) {
        pov_rendering rendering = into(&pieces);
        pov_renderer_draw(renderer, &rendering, CUTS[i - 1], CUTS[i]);
    }
    assert_memory_equal(&whole, &pieces, sizeof whole);
}

typedef struct {
    pov_rendering rendering;
    int part;
} share;

enum { SHARES = 4 };

static void *draw_share(void *argument)
{
    share *s = argument;
    pov_renderer_draw(renderer, &s->rendering, s->part * HEIGHT_PX / SHARES,
                      (s->part + 1) * HEIGHT_PX / SHARES);
    return NULL;
}

static void threads_that_share_the_rows_make_the_same_picture(void **state)
{
    (void)state;
    static picture alone, shared;
    pov_instance instances[INSTANCE_MAX];
    const pov_lighting lighting = POV_LIGHTING_DEFAULT;
    pthread_t threads[SHARES];
    share shares[SHARES];
    draw(&alone, instances, still_life(instances), &lighting);
    for (int i = 0; i < SHARES; i++) {
        shares[i] = (share){into(&shared), i};
        assert_int_equal(pthread_create(&threads[i], NULL, draw_share, &shares[i]), 0);
    }
    for (int i = 0; i < SHARES; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_memory_equal(&alone, &shared, sizeof alone);
}

static void truth_alone_is_the_truth_of_the_picture(void **state)
{
    (void)state;
    static picture whole, truth;
    pov_instance instances[INSTANCE_MAX];
    const pov_lighting lighting = POV_LIGHTING_DEFAULT;
    draw(&whole, instances, still_life(instances), &lighting);
    pov_rendering rendering = {NULL, truth.label, truth.depth_m};
    pov_renderer_draw(renderer, &rendering, 0, HEIGHT_PX);
    assert_memory_equal(whole.label, truth.label, sizeof whole.label);
    assert_memory_equal(whole.depth_m, truth.depth_m, sizeof whole.depth_m);
}

/** Distance along a ray to a sphere, or INFINITY: the textbook's quadratic. */
static double to_sphere(pov_vec3 from, pov_vec3 dir, pov_vec3 centre, double radius_m)
{
    const pov_vec3 o = pov_vec3_sub(from, centre);
    const double b = pov_vec3_dot(o, dir), c = pov_vec3_dot(o, o) - radius_m * radius_m;
    return b * b < c ? INFINITY : -b - sqrt(b * b - c);
}

static void labels_and_depths_are_those_of_balls_over_a_floor(void **state)
{
    (void)state;
    static picture drawn;
    const pov_lighting lighting = POV_LIGHTING_DEFAULT;
    const pov_vec3 centres[2] = {{0.2, 0.3, 0.2}, {-0.1, -0.2, 0.3}};
    const pov_instance instances[] = {{floor_model, at(0, 0, 0), 0},
                                      {ball, at(0.2, 0.3, 0.2), 1},
                                      {ball, {pov_rot_exp((pov_vec3){1, 2, 3}), {-0.1, -0.2, 0.3}}, 2}};
    draw(&drawn, instances, 3, &lighting);
    int wrong_labels = 0, seen[3] = {0};
    for (int i = 0; i < PIXELS; i++) {
        pov_vec3 camera_dir;
        assert_int_equal(
            pov_camera_unproject(&CAMERA, &camera_dir, NULL, (pov_vec2){i % WIDTH_PX, i / WIDTH_PX}), POV_OK);
        const pov_vec3 dir = pov_rot_apply(eye().R, camera_dir), from = eye().t_m;
        double nearest_m = dir.z < 0 ? -from.z / dir.z : INFINITY;
        if (fabs(from.x + nearest_m * dir.x) > 4 || fabs(from.y + nearest_m * dir.y) > 4)
            nearest_m = INFINITY;
        int label = isfinite(nearest_m) ? 0 : POV_LABEL_NOTHING;
        for (int k = 0; k < 2; k++) {
            const double distance_m = to_sphere(from, dir, centres[k], 0.2);
            label = distance_m < nearest_m ? k + 1 : label;
            nearest_m = fmin(nearest_m, distance_m);
        }
        if (drawn.label[i] != label)
            wrong_labels++; /* facets lie a little inside the sphere */
        else if (label == POV_LABEL_NOTHING)
            assert_true(isinf(drawn.depth_m[i]));
        else
            assert_near(drawn.depth_m[i], nearest_m * camera_dir.z, label ? 5e-3 : 1e-5);
        if (label >= 0)
            seen[label]++;
    }
    assert_in_range(wrong_labels, 0, 12);
    assert_true(seen[0] > 10000 && seen[1] > 1000 && seen[2] > 1000);
}

/** A ball's outline through a pinhole is the conic u^T (c c^T - (|c|^2 - r^2) I) u = 0, u = (x/z, y/z, 1): Hartley &
 *  Zisserman 2004, section 8.3. Its width along a row. */
static double outline_width_px(const pov_camera *camera, pov_vec3 c, double radius_m, double y_px)
{
    const double v = (y_px - camera->cy_px) / camera->fy_px;
    const double q = pov_vec3_dot(c, c) - radius_m * radius_m, k = c.y * v + c.z;
    const double a = c.x * c.x - q, b = c.x * k, discriminant = b * b - a * (k * k - q * (v * v + 1));
    return discriminant > 0 ? 2 * camera->fx_px * sqrt(discriminant) / fabs(a) : 0;
}

/** A black ball before a white sky: what is missing of a row's light is the ball's width there. */
static void a_ball_covers_what_its_ellipse_covers(void **state)
{
    (void)state;
    enum { CUTS = 64 };
    static picture drawn;
    pov_camera pinhole = CAMERA;
    memset(pinhole.distortion, 0, sizeof pinhole.distortion);
    pov_lighting lighting = POV_LIGHTING_DEFAULT;
    lighting.sky[0] = lighting.sky[1] = lighting.sky[2] = 1;
    lighting.ambient = lighting.lamp_strength = 0;
    for (int round = 0; round < 8; round++) {
        const pov_vec3 centre = {0.03 * round - 0.1, 0.08 - 0.02 * round, 1 + 0.1 * round};
        const pov_instance instance = {ball, {pov_rot_exp((pov_vec3){round, 2, 1}), centre}, 1};
        pov_rendering rendering = into(&drawn);
        double sum = 0, squares = 0;
        int rows = 0;
        assert_int_equal(pov_renderer_set(renderer, &instance, 1, &lighting).code, POV_OK);
        assert_int_equal(pov_renderer_look(renderer, &pinhole, pov_transform_identity()).code, POV_OK);
        pov_renderer_draw(renderer, &rendering, 0, HEIGHT_PX);
        for (int y = 0; y < HEIGHT_PX; y++) {
            double width_px = 0, drawn_px = 0;
            for (int cut = 0; cut < CUTS; cut++)
                width_px += outline_width_px(&pinhole, centre, 0.2, y - 0.5 + (cut + 0.5) / CUTS) / CUTS;
            for (int x = 0; x < WIDTH_PX; x++)
                drawn_px += 1 - (double)drawn.light[y * WIDTH_PX + x][0];
            assert_near(drawn_px, width_px, 0.5);
            sum += drawn_px - width_px;
            squares += (drawn_px - width_px) * (drawn_px - width_px);
            rows += width_px > 0;
        }
        assert_in_range(rows, 40, HEIGHT_PX);
        assert_near(sum / rows, 0, 0.03);
        assert_true(sqrt(squares / rows) < 0.12); /* of two edges */
    }
}

/** A square of small squares: `cells` along an edge. */
static pov_model *grid_new(double edge_m, int cells, uint32_t rgb)
{
    pov_model *model = test_shape_new(rgb, 0);
    const float step = (float)(edge_m / cells), low = (float)(-edge_m / 2);
    for (int i = 0; i < cells * cells; i++) {
        const float x = low + step * (float)(i % cells), y = low + step * (float)(i / cells);
        const float corners[4][3] = {{x, y, 0}, {x + step, y, 0}, {x + step, y + step, 0}, {x, y + step, 0}};
        test_shape_add_quad(model, corners);
    }
    return model;
}

/** Pixels within one triangle are drawn without a search; among triangles smaller than pixels there are none such. */
static void a_floor_of_two_triangles_is_lit_as_one_of_many(void **state)
{
    (void)state;
    static picture few, many;
    pov_model *plain = test_square_new(2, 0xb0a8a0), *grid = grid_new(2, 400, 0xb0a8a0);
    pov_instance instances[] = {{plain, at(0, 0, 0), 5}, {ball, at(0.2, 0.3, 0.25), 7}};
    const pov_lighting lighting = POV_LIGHTING_DEFAULT;
    double sum = 0;
    int shaded = 0;
    draw(&few, instances, 2, &lighting);
    instances[0].model = grid;
    draw(&many, instances, 2, &lighting);
    for (int i = 0; i < PIXELS; i++) {
        const double difference = fabs((double)few.light[i][1] - (double)many.light[i][1]);
        assert_int_equal(few.label[i], many.label[i]);
        assert_true(difference < 0.05); /* a few rays that graze */
        sum += difference;
        shaded += few.label[i] == 5 && few.light[i][1] < 0.4F;
    }
    assert_true(shaded > 1000 && sum / PIXELS < 1e-5);
    pov_model_destroy(&plain);
    pov_model_destroy(&grid);
}

static void moving_an_instance_is_as_good_as_setting_it_there(void **state)
{
    (void)state;
    static picture set, moved;
    pov_instance instances[INSTANCE_MAX];
    pov_transform places[INSTANCE_MAX];
    const pov_lighting lighting = POV_LIGHTING_DEFAULT;
    const int len = still_life(instances);
    draw(&moved, instances, len, &lighting);
    instances[1].T_table_model = (pov_transform){pov_rot_exp((pov_vec3){0.3, 1, -2}), {-0.3, 0.5, 0.4}};
    for (int i = 0; i < len; i++)
        places[i] = instances[i].T_table_model;
    assert_int_equal(pov_renderer_move(renderer, places, len).code, POV_OK);
    pov_rendering rendering = into(&moved);
    pov_renderer_draw(renderer, &rendering, 0, HEIGHT_PX);
    draw(&set, instances, len, &lighting);
    assert_memory_equal(&set, &moved, sizeof set);
}

static void a_lens_that_sees_nothing_in_its_corners_leaves_them_black(void **state)
{
    (void)state;
    static picture drawn;
    pov_rendering rendering = into(&drawn);
    pov_instance instances[INSTANCE_MAX];
    const pov_lighting lighting = POV_LIGHTING_DEFAULT;
    pov_camera fisheye = CAMERA;
    fisheye.lens = POV_LENS_EQUIDISTANT;
    fisheye.fx_px = fisheye.fy_px = 30; /* 180 degrees off axis are 94 px */
    memset(fisheye.distortion, 0, sizeof fisheye.distortion);
    assert_int_equal(pov_renderer_set(renderer, instances, still_life(instances), &lighting).code, POV_OK);
    assert_int_equal(pov_renderer_look(renderer, &fisheye, eye()).code, POV_OK);
    pov_renderer_draw(renderer, &rendering, 0, HEIGHT_PX);
    for (int i = 0; i < PIXELS; i++) {
        const double off_px = hypot(i % WIDTH_PX - fisheye.cx_px, i / WIDTH_PX - fisheye.cy_px);
        if (off_px > 30 * POV_PI + 1) {
            assert_int_equal(drawn.label[i], POV_LABEL_NOTHING);
            assert_true(drawn.light[i][0] == 0 && drawn.light[i][1] == 0 && drawn.light[i][2] == 0);
        } else if (off_px < 30 * POV_PI - 2) {
            assert_true(drawn.light[i][0] > 0);
        }
    }
}

static void a_bad_camera_is_named(void **state)
{
    (void)state;
    pov_camera bad = CAMERA;
    bad.fy_px = -1;
    const pov_status status = pov_renderer_look(renderer, &bad, eye());
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "fy_px"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_drawn_one_by_one_make_the_same_picture, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_that_share_the_rows_make_the_same_picture, set_up, tear_down),
        cmocka_unit_test_setup_teardown(truth_alone_is_the_truth_of_the_picture, set_up, tear_down),
        cmocka_unit_test_setup_teardown(labels_and_depths_are_those_of_balls_over_a_floor, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_ball_covers_what_its_ellipse_covers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_floor_of_two_triangles_is_lit_as_one_of_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(moving_an_instance_is_as_good_as_setting_it_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lens_that_sees_nothing_in_its_corners_leaves_them_black, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_bad_camera_is_named, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
