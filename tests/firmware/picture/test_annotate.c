#include "firmware/picture/annotate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 800, HEIGHT = 600, GREY = 120 };

static const double focal_px = 700, ball_radius_m = 0.1;

/* A grey picture by a pinhole 2 m in front of a ball, and room for all that may be found in it. */
typedef struct {
    uint8_t pixels[HEIGHT][WIDTH][3];
    pov_image image;
    pov_camera camera;
    pov_observation observation;
    pov_tags tags;
    pov_camera_pose camera_pose;
    pov_balls balls;
    pov_ball_kind kind;
    pov_id ball_entity[POV_BALL_MAX];
    pov_annotator *annotator;
    pov_annotation annotation;
    pov_image picture;
} setup;

/* The camera looks along the table's +x, from 2 m behind the origin and 0.5 m up. */
static const pov_rot R_table_camera = {{{0, 0, 1}, {-1, 0, 0}, {0, -1, 0}}};
static const pov_vec3 eye_m = {-2, 0, 0.5};

static int prepare(void **state)
{
    setup *s = calloc(1, sizeof *s);
    memset(s->pixels, GREY, sizeof s->pixels);
    s->image = (pov_image){.pixels = s->pixels[0][0],
                           .width_px = WIDTH,
                           .height_px = HEIGHT,
                           .stride_bytes = 3 * WIDTH,
                           .name = "0.png"};
    s->camera = (pov_camera){.width_px = WIDTH,
                             .height_px = HEIGHT,
                             .fx_px = focal_px,
                             .fy_px = focal_px,
                             .cx_px = 400,
                             .cy_px = 300};
    s->kind.radius_m = ball_radius_m;
    s->observation.scene.camera = POV_ID_NONE;
    s->annotation = (pov_annotation){.image = &s->image, .camera = &s->camera};
    s->annotator = pov_annotator_new(WIDTH, HEIGHT);
    *state = s;
    return 0;
}

static int clear(void **state)
{
    setup *s = *state;
    pov_annotator_destroy(&s->annotator);
    assert_null(s->annotator);
    free(s);
    return 0;
}

static void draw(setup *s)
{
    assert_int_equal(pov_annotator_draw(s->annotator, &s->picture, &s->annotation).code, POV_OK);
}

static void know_pose(setup *s)
{
    s->observation.image.pose_source = POV_POSE_GIVEN;
    s->observation.image.width_px = WIDTH;
    s->observation.image.height_px = HEIGHT;
    s->observation.image.T_table_camera = pov_pose_exact((pov_transform){R_table_camera, eye_m});
    s->annotation.observation = &s->observation;
}

/* The pinhole, by hand: where a point of the table frame falls. */
static pov_vec2 seen_at(pov_vec3 p)
{
    double depth_m = p.x - eye_m.x;
    return (pov_vec2){400 - focal_px * (p.y - eye_m.y) / depth_m, 300 - focal_px * (p.z - eye_m.z) / depth_m};
}

static const uint8_t *pixel_at(const setup *s, int x, int y)
{
    return s->picture.pixels + (ptrdiff_t)y * s->picture.stride_bytes + 3 * (ptrdiff_t)x;
}

static bool is_changed(const setup *s, int x, int y)
{
    const uint8_t *p = pixel_at(s, x, y);
    return p[0] != GREY || p[1] != GREY || p[2] != GREY;
}

static bool is_changed_near(const setup *s, pov_vec2 at)
{
    int x = (int)lrint(at.x), y = (int)lrint(at.y);
    for (int i = 0; i < 9; i++) {
        if (is_changed(s, x + i % 3 - 1, y + i / 3 - 1))
            return true;
    }
    return false;
}

static int changed_in(const setup *s, int left, int top, int right, int bottom)
{
    int count = 0;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++)
            count += is_changed(s, x, y);
    }
    return count;
}

/* Whether every point of a line drawn between two pixels is changed. */
static bool has_line(const setup *s, pov_vec2 from, pov_vec2 to)
{
    for (int i = 0; i <= 50; i++) {
        double t = i / 50.0;
        if (!is_changed_near(s, (pov_vec2){from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)}))
            return false;
    }
    return true;
}

static void without_findings_the_picture_is_the_image(void **state)
{
    setup *s = *state;
    draw(s);
    assert_int_equal(changed_in(s, 0, 0, WIDTH, HEIGHT), 0);
    assert_true(s->picture.width_px > WIDTH);
    assert_int_equal(s->picture.height_px, HEIGHT);
    assert_true(changed_in(s, WIDTH, 0, s->picture.width_px, HEIGHT) > 1000);
}

static void a_thumbnails_annotator_has_no_margin_and_larger_labels(void **state)
{
    setup *s = *state;
    know_pose(s);
    draw(s);
    const int usual = changed_in(s, 0, 0, WIDTH, HEIGHT);
    pov_annotator_destroy(&s->annotator);
    s->annotator = pov_annotator_new_for_thumbnails(WIDTH, HEIGHT, WIDTH / 4);
    draw(s);
    assert_int_equal(s->picture.width_px, WIDTH);
    assert_int_equal(s->picture.height_px, HEIGHT);
    assert_true(changed_in(s, 0, 0, WIDTH, HEIGHT) > 3 * usual);
}

static void the_image_itself_is_left_alone(void **state)
{
    setup *s = *state;
    know_pose(s);
    draw(s);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        for (int channel = 0; channel < 3; channel++)
            assert_int_equal(s->pixels[i / WIDTH][i % WIDTH][channel], GREY);
    }
}

static void add_tag(setup *s, pov_vec2 center, pov_tag_outcome outcome)
{
    pov_tag *tag = &s->tags.tags[s->tags.len];
    static const int corners[4][2] = {{-1, 1}, {1, 1}, {1, -1}, {-1, -1}};
    for (int i = 0; i < 4; i++)
        tag->corner_px[i] = (pov_vec2){center.x + 40 * corners[i][0], center.y + 40 * corners[i][1]};
    s->camera_pose.outcome[s->tags.len++] = outcome;
    s->annotation.tags = &s->tags;
    s->annotation.camera_pose = &s->camera_pose;
}

static void tags_are_outlined_and_nothing_else_changes(void **state)
{
    setup *s = *state;
    add_tag(s, (pov_vec2){200, 300}, POV_TAG_USED);
    draw(s);
    const pov_vec2 *corner = s->tags.tags[0].corner_px;
    for (int i = 0; i < 4; i++)
        assert_true(has_line(s, corner[i], corner[(i + 1) % 4]));
    assert_int_equal(changed_in(s, 0, 0, WIDTH, 256), 0);
    assert_int_equal(changed_in(s, 0, 344, WIDTH, HEIGHT), 0);
    assert_int_equal(changed_in(s, 244, 0, WIDTH, HEIGHT), 0);
}

static void a_tags_colour_tells_what_became_of_it(void **state)
{
    setup *s = *state;
    for (int outcome = 0; outcome < POV_TAG_OUTCOME_COUNT; outcome++)
        add_tag(s, (pov_vec2){150 + 200 * outcome, 300}, (pov_tag_outcome)outcome);
    draw(s);
    const uint8_t *used = pixel_at(s, 150, 340), *rejected = pixel_at(s, 550, 340),
                  *other = pixel_at(s, 350, 340);
    assert_true(used[1] > used[0] + 50 && used[1] > used[2] + 50);
    assert_true(rejected[0] > rejected[1] + 50 && rejected[0] > rejected[2] + 50);
    assert_true(other[2] > other[0] + 50);
}

static void add_ball(setup *s, pov_vec3 pos_camera_m)
{
    s->balls.balls[s->balls.len] = (pov_ball){.pos_camera_m = pos_camera_m};
    s->ball_entity[s->balls.len++] = POV_ID_NONE;
    s->annotation.balls = &s->balls;
    s->annotation.ball_kinds = &s->kind;
    s->annotation.ball_entity = s->ball_entity;
}

/* Distance from a sphere's centre to the ray of a pixel, over its radius: 1 on the outline. */
static double ray_distance(pov_vec3 center_m, double x, double y)
{
    pov_vec3 d = {(x - 400) / focal_px, (y - 300) / focal_px, 1};
    double along = (d.x * center_m.x + d.y * center_m.y + d.z * center_m.z) / (d.x * d.x + d.y * d.y + 1);
    double off2 =
        pow(center_m.x - along * d.x, 2) + pow(center_m.y - along * d.y, 2) + pow(center_m.z - along, 2);
    return sqrt(off2) / ball_radius_m;
}

static void a_balls_outline_lies_where_rays_touch_the_ball(void **state)
{
    setup *s = *state;
    pov_vec3 center_m = {0.5, 0.3, 1.2}; /* well off the axis: the outline is not a circle */
    add_ball(s, center_m);
    draw(s);
    int changed = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            double distance = ray_distance(center_m, x, y);
            bool label = x > 560 && y < 420; /* above the ball */
            changed += is_changed(s, x, y);
            if (fabs(distance - 1) < 0.005)
                assert_true(is_changed(s, x, y));
            if (fabs(distance - 1) > 0.08 && !label)
                assert_false(is_changed(s, x, y));
        }
    }
    assert_true(changed > 500);
}

static pov_id add_box(setup *s, pov_vec3 center_m, double yaw_rad)
{
    pov_entity entity = pov_entity_named("car", "car");
    entity.placed = true;
    entity.position.mean_m = center_m;
    entity.size_m = (pov_vec3){0.4, 0.2, 0.2};
    entity.R_table_box = pov_rot_yaw(yaw_rad);
    entity.heading = pov_heading_single(yaw_rad, 1000);
    pov_id id;
    assert_int_equal(pov_scene_add(&s->observation.scene, &id, &entity).code, POV_OK);
    return id;
}

static void a_surveyed_entity_is_a_box_with_twelve_edges(void **state)
{
    setup *s = *state;
    know_pose(s);
    add_box(s, (pov_vec3){0.5, -0.4, 0.6}, POV_PI / 2);
    draw(s);
    /* Turned by 90 degrees, 0.2 m along x and 0.4 m along y. */
    for (int i = 0; i < 8; i++) {
        for (int bit = 1; bit < 8; bit <<= 1) {
            int j = i | bit;
            pov_vec3 a = {0.5 + (i & 1 ? 0.1 : -0.1), -0.4 + (i & 2 ? 0.2 : -0.2),
                          0.6 + (i & 4 ? 0.1 : -0.1)};
            pov_vec3 b = {0.5 + (j & 1 ? 0.1 : -0.1), -0.4 + (j & 2 ? 0.2 : -0.2),
                          0.6 + (j & 4 ? 0.1 : -0.1)};
            assert_true(has_line(s, seen_at(a), seen_at(b)));
        }
    }
}

static void without_a_camera_pose_what_was_found_is_boxed(void **state)
{
    setup *s = *state;
    pov_entity entity = pov_entity_named("anna", "person");
    pov_id id;
    entity.seen = entity.has_image_box = true;
    entity.image_box = (pov_pixel_box){200, 150, 300, 450};
    s->annotation.observation = &s->observation;
    s->observation.image.pose_source = POV_POSE_UNKNOWN;
    assert_int_equal(pov_scene_add(&s->observation.scene, &id, &entity).code, POV_OK);
    snprintf(entity.name, sizeof entity.name, "bob");
    entity.seen = false; /* it was not found in this image */
    entity.image_box = (pov_pixel_box){500, 150, 600, 450};
    assert_int_equal(pov_scene_add(&s->observation.scene, &id, &entity).code, POV_OK);
    draw(s);
    const pov_vec2 corners[] = {{200, 150}, {300, 150}, {300, 450}, {200, 450}};
    for (int i = 0; i < 4; i++)
        assert_true(has_line(s, corners[i], corners[(i + 1) % 4]));
    assert_int_equal(changed_in(s, 205, 155, 295, 445), 0);
    assert_int_equal(changed_in(s, 350, 0, WIDTH, HEIGHT), 0);
}

static void an_entity_that_is_a_sphere_is_outlined_as_one(void **state)
{
    setup *s = *state;
    know_pose(s);
    const pov_id id = add_box(s, (pov_vec3){-0.8, -0.3, 0.8}, 0);
    pov_entity *ball = &s->observation.scene.entities[id];
    ball->shape = POV_SHAPE_SPHERE;
    ball->size_m = (pov_vec3){2 * ball_radius_m, 2 * ball_radius_m, 2 * ball_radius_m};
    ball->heading.len = 0;
    draw(s);
    int on_outline = 0, within = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const double distance = ray_distance((pov_vec3){0.3, -0.3, 1.2}, x, y);
            if (fabs(distance - 1) < 0.005) {
                assert_true(is_changed(s, x, y));
                on_outline++;
            }
            within += distance < 0.9 && is_changed(s, x, y);
        }
    assert_true(on_outline > 100);
    assert_int_equal(within, 0);
}

static void a_front_is_an_arrow_on_the_ground(void **state)
{
    setup *s = *state;
    know_pose(s);
    add_box(s, (pov_vec3){0.5, -0.4, 0.6}, POV_PI / 2);
    draw(s);
    pov_vec2 tail = seen_at((pov_vec3){0.5, -0.4, 0}), tip = seen_at((pov_vec3){0.5, -0.4 + 0.4, 0});
    assert_true(has_line(s, tail, tip));
    pov_vec2 behind = seen_at((pov_vec3){0.5, -0.5, 0});
    assert_false(is_changed_near(s, behind));
}

static void axes_are_drawn_when_the_pose_is_known(void **state)
{
    setup *s = *state;
    know_pose(s);
    s->observation.image.pose_source = POV_POSE_UNKNOWN;
    draw(s);
    assert_int_equal(changed_in(s, 0, 0, WIDTH, HEIGHT), 0);
    s->observation.image.pose_source = POV_POSE_GIVEN;
    draw(s);
    assert_int_equal(changed_in(s, WIDTH / 5, 0, WIDTH, HEIGHT),
                     0); /* in the lower left corner only */
    assert_int_equal(changed_in(s, 0, 0, WIDTH, HEIGHT - WIDTH / 5), 0);
    assert_true(changed_in(s, 0, HEIGHT - WIDTH / 5, WIDTH / 5, HEIGHT) > 100);
}

static void what_is_behind_the_camera_is_not_drawn(void **state)
{
    setup *s = *state;
    know_pose(s);
    draw(s);
    int axes_only = changed_in(s, 0, 0, WIDTH, HEIGHT);
    add_box(s, (pov_vec3){-4, 0, 0.5}, 0);
    draw(s);
    assert_int_equal(changed_in(s, 0, 0, WIDTH, HEIGHT), axes_only);
}

static int greenish_in_margin(const setup *s)
{
    int count = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = WIDTH; x < s->picture.width_px; x++)
            count += pixel_at(s, x, y)[1] > pixel_at(s, x, y)[0] + 30;
    }
    return count;
}

static void relations_that_hold_are_written_in_the_margin(void **state)
{
    setup *s = *state;
    know_pose(s);
    pov_id relatum = add_box(s, (pov_vec3){0.5, -0.4, 0.1}, POV_PI / 2);
    s->observation.scene.entities[relatum].size_m = (pov_vec3){0, 0, 0};
    pov_entity cup = pov_entity_named("cup", "cup");
    cup.placed = true;
    cup.position.mean_m = (pov_vec3){1, 0.4, 0.1};
    pov_id referent;
    assert_int_equal(pov_scene_add(&s->observation.scene, &referent, &cup).code, POV_OK);
    draw(s);
    int without = greenish_in_margin(s);
    pov_judging judging = POV_JUDGING_DEFAULT;
    s->observation.judgment_len = s->observation.directed_len = pov_relation_evaluate_pair(
        s->observation.judgments, POV_DIRECTED_MAX, &s->observation.scene, referent, relatum, &judging);
    assert_true(s->observation.judgment_len > 0);
    draw(s);
    assert_true(greenish_in_margin(s) > without + 30);
}

/* Pixels of the margin that one drawing has and the other has not. */
static int margin_apart(const setup *s, const uint8_t *other)
{
    int count = 0;
    for (int y = 0; y < s->picture.height_px; y++)
        for (int x = WIDTH; x < s->picture.width_px; x++)
            count +=
                memcmp(pixel_at(s, x, y), other + (ptrdiff_t)y * s->picture.stride_bytes + 3 * x, 3) != 0;
    return count;
}

static void a_relation_of_the_registry_is_written_if_it_holds(void **state)
{
    setup *s = *state;
    know_pose(s);
    pov_id box = add_box(s, (pov_vec3){0.5, -0.4, 0.1}, 0), other;
    pov_entity cup = pov_entity_named("cup", "cup");
    assert_int_equal(pov_scene_add(&s->observation.scene, &other, &cup).code, POV_OK);
    draw(s);
    const size_t bytes = (size_t)s->picture.height_px * (size_t)s->picture.stride_bytes;
    uint8_t *without = malloc(bytes);
    assert_non_null(without);
    memcpy(without, s->picture.pixels, bytes);
    s->observation.judgment_len = 1;
    s->observation.judgments[0] = (pov_judgment){.query = {.relation = pov_relation_lookup("facing"),
                                                           .referent = box,
                                                           .relatum_len = 1,
                                                           .relatum = {other},
                                                           .viewer = POV_ID_NONE},
                                                 .belief = {.verdict = POV_FALSE}};
    draw(s);
    assert_int_equal(margin_apart(s, without), 0);
    s->observation.judgments[0].belief.verdict = POV_TRUE;
    draw(s);
    assert_true(margin_apart(s, without) > 100);
    free(without);
}

static void another_size_is_skipped_by_name(void **state)
{
    setup *s = *state;
    s->image.height_px--;
    pov_status status = pov_annotator_draw(s->annotator, &s->picture, &s->annotation);
    assert_int_equal(status.code, POV_SKIPPED);
    assert_non_null(strstr(status.message, "0.png"));
    assert_null(s->picture.pixels);
}

static void numbers_that_are_not_finite_draw_nothing(void **state)
{
    setup *s = *state;
    know_pose(s);
    s->observation.image.T_table_camera.T.t_m.x = NAN;
    add_box(s, (pov_vec3){0.5, INFINITY, 0}, NAN);
    add_ball(s, (pov_vec3){NAN, 0, 1});
    add_tag(s, (pov_vec2){NAN, 10}, POV_TAG_REJECTED);
    draw(s);
    assert_int_equal(changed_in(s, 0, 0, WIDTH, HEIGHT), 0);
}

static void small_images_are_enlarged(void **state)
{
    (void)state;
    const int sizes[][2] = {{284, 284}, {1, 1}, {640, 3}, {719, 50}};
    static uint8_t pixels[284 * 284 * 3];
    for (int i = 0; i < 4; i++) {
        pov_annotator *annotator;
        annotator = pov_annotator_new(sizes[i][0], sizes[i][1]);
        pov_image image = {.pixels = pixels,
                           .width_px = sizes[i][0],
                           .height_px = sizes[i][1],
                           .stride_bytes = 3 * sizes[i][0]};
        pov_image picture;
        pov_annotation annotation = {.image = &image};
        assert_int_equal(pov_annotator_draw(annotator, &picture, &annotation).code, POV_OK);
        const int longest = sizes[i][0] > sizes[i][1] ? sizes[i][0] : sizes[i][1];
        const int enlargement = picture.height_px / sizes[i][1];
        assert_int_equal(enlargement * sizes[i][1], picture.height_px);
        assert_in_range(enlargement * longest, 720, 2 * 720);
        pov_annotator_destroy(&annotator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_findings_the_picture_is_the_image, prepare, clear),
        cmocka_unit_test_setup_teardown(a_thumbnails_annotator_has_no_margin_and_larger_labels, prepare,
                                        clear),
        cmocka_unit_test_setup_teardown(the_image_itself_is_left_alone, prepare, clear),
        cmocka_unit_test_setup_teardown(tags_are_outlined_and_nothing_else_changes, prepare, clear),
        cmocka_unit_test_setup_teardown(a_tags_colour_tells_what_became_of_it, prepare, clear),
        cmocka_unit_test_setup_teardown(a_balls_outline_lies_where_rays_touch_the_ball, prepare, clear),
        cmocka_unit_test_setup_teardown(a_surveyed_entity_is_a_box_with_twelve_edges, prepare, clear),
        cmocka_unit_test_setup_teardown(without_a_camera_pose_what_was_found_is_boxed, prepare, clear),
        cmocka_unit_test_setup_teardown(an_entity_that_is_a_sphere_is_outlined_as_one, prepare, clear),
        cmocka_unit_test_setup_teardown(a_front_is_an_arrow_on_the_ground, prepare, clear),
        cmocka_unit_test_setup_teardown(axes_are_drawn_when_the_pose_is_known, prepare, clear),
        cmocka_unit_test_setup_teardown(what_is_behind_the_camera_is_not_drawn, prepare, clear),
        cmocka_unit_test_setup_teardown(relations_that_hold_are_written_in_the_margin, prepare, clear),
        cmocka_unit_test_setup_teardown(a_relation_of_the_registry_is_written_if_it_holds, prepare, clear),
        cmocka_unit_test_setup_teardown(another_size_is_skipped_by_name, prepare, clear),
        cmocka_unit_test_setup_teardown(numbers_that_are_not_finite_draw_nothing, prepare, clear),
        cmocka_unit_test(small_images_are_enlarged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
