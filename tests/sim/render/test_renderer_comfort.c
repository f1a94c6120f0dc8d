/* Our renders of COMFORT's scenes against the published ones: the balls' outlines, found in both by the same detector. */
#include "firmware/picture/image_file.h"
#include "perception/balls/ball_detector.h"
#include "perception/geometry/sphere_outline.h"
#include "sim/render/renderer.h"
#include "sim/render/sensor.h"
#include "tests/support/shapes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/comfort_truth.h"

enum { SIDE_PX = 284, OUTLINE_POINTS = 72, KINDS_MAX = 2 };

typedef struct {
    const char *set;
    int kind_len; /* the referent, and a relatum that is a ball */
    const char *colours[KINDS_MAX];
    uint32_t rgb[KINDS_MAX];
    double radius, orbit, height;
    double height_std; /* 0: the detector is not told the height */
} scene_set;

typedef struct {
    pov_renderer *renderer;
    pov_sensor *sensor;
    pov_ball_detector *detector;
    pov_image_file *file;
    pov_camera camera;
    pov_transform T_world_camera;
    pov_model *ground, *balls[KINDS_MAX];
} studio;

static void must(pov_status status)
{
    if (status.code != POV_OK)
        print_error("%s\n", status.message);
    assert_int_equal(status.code, POV_OK);
}

/** A large ball is found from the picture alone; of one ten pixels wide, the height above the floor is told, too. */
static pov_ball_detector_config detector_config(const scene_set *set)
{
    pov_ball_detector_config config = {.kind_len = set->kind_len, .mask_len = 1, .masks = {{0, 0, 100, 45}}};
    for (int i = 0; i < set->kind_len; i++) {
        config.kinds[i] = (pov_ball_kind){.radius_m = set->radius, .max_count = 1};
        if (set->height_std > 0) {
            config.kinds[i].has_height = true;
            config.kinds[i].height_m = set->height;
            config.kinds[i].height_std_m = set->height_std;
        }
        assert_true(pov_colour_from_name(&config.kinds[i].colour, set->colours[i]));
    }
    return config;
}

static studio studio_open(const scene_set *set, const cJSON *truth)
{
    studio s = {.camera = comfort_camera(truth), .T_world_camera = comfort_pose(truth).T};
    const pov_ball_detector_config config = detector_config(set);
    const pov_sensor_config sensor = POV_SENSOR_DEFAULT;
    must(pov_renderer_new(&s.renderer));
    must(pov_sensor_new(&s.sensor, &sensor, SIDE_PX, SIDE_PX));
    must(pov_ball_detector_new(&s.detector, &config, &s.camera));
    must(pov_image_file_new(&s.file));
    s.ground = test_square_new(60, 0xa8a5a0);
    for (int i = 0; i < set->kind_len; i++)
        s.balls[i] = test_sphere_new(set->radius, 128, 96, set->rgb[i]);
    return s;
}

static void studio_close(studio *s)
{
    pov_renderer_destroy(&s->renderer);
    pov_sensor_destroy(&s->sensor);
    pov_ball_detector_destroy(&s->detector);
    pov_image_file_destroy(&s->file);
    pov_model_destroy(&s->ground);
    for (int i = 0; i < KINDS_MAX; i++)
        pov_model_destroy(&s->balls[i]);
}

static pov_vec3 place_of(const scene_set *set, int kind, double phi_rad)
{
    if (kind == 1)
        return (pov_vec3){0, 0, set->radius};
    return (pov_vec3){set->orbit * cos(phi_rad), set->orbit * sin(phi_rad), set->height};
}

static pov_image draw(studio *s, const scene_set *set, double phi_rad)
{
    static float light[SIDE_PX * SIDE_PX][3];
    static uint8_t rgb[SIDE_PX * SIDE_PX][3];
    pov_instance instances[KINDS_MAX + 1] = {{s->ground, pov_transform_identity(), KINDS_MAX}};
    pov_lighting lighting = POV_LIGHTING_DEFAULT;
    pov_rendering rendering = {light, NULL, NULL};
    lighting.lamp_m = (pov_vec3){2, -1, 9};
    for (int i = 0; i < set->kind_len; i++)
        instances[i + 1] = (pov_instance){s->balls[i], {pov_rot_identity(), place_of(set, i, phi_rad)}, i};
    must(pov_renderer_set(s->renderer, instances, set->kind_len + 1, &lighting));
    must(pov_renderer_look(s->renderer, &s->camera, s->T_world_camera));
    pov_renderer_draw(s->renderer, &rendering, 0, SIDE_PX);
    must(pov_sensor_expose(s->sensor, &rgb[0][0], (const float(*)[3])light, NULL, 0));
    return (pov_image){
        .pixels = &rgb[0][0], .width_px = SIDE_PX, .height_px = SIDE_PX, .stride_bytes = 3 * SIDE_PX};
}

/** The outline of each kind's ball, if each is found once. */
static bool find_outlines(pov_vec2 outlines[KINDS_MAX][OUTLINE_POINTS], studio *s, const scene_set *set,
                          const pov_image *image)
{
    static pov_balls balls;
    const pov_pose T_world_camera = pov_pose_exact(s->T_world_camera);
    must(pov_ball_detector_run(s->detector, &balls, image, &T_world_camera, NULL));
    for (int i = 0; i < set->kind_len; i++) {
        if (balls.len != set->kind_len || balls.balls[i].kind != i)
            return false;
        for (int k = 0; k < OUTLINE_POINTS; k++)
            assert_int_equal(pov_sphere_outline_point(&s->camera, &outlines[i][k], NULL,
                                                      balls.balls[i].pos_camera_m, set->radius,
                                                      2 * POV_PI * k / OUTLINE_POINTS),
                             POV_OK);
    }
    return true;
}

/** Whether the cones that touch the balls, from the eye, overlap. */
static bool is_hidden(const studio *s, const scene_set *set, double phi_rad)
{
    if (set->kind_len < 2)
        return false;
    const pov_vec3 a = pov_vec3_sub(place_of(set, 0, phi_rad), s->T_world_camera.t_m);
    const pov_vec3 b = pov_vec3_sub(place_of(set, 1, phi_rad), s->T_world_camera.t_m);
    const double apart_rad = acos(pov_vec3_dot(pov_vec3_unit(a), pov_vec3_unit(b)));
    return apart_rad < asin(set->radius / pov_vec3_norm(a)) + asin(set->radius / pov_vec3_norm(b));
}

typedef struct {
    double squares_px2;
    int points, images;
} agreement;

static void compare(agreement *sum, studio *s, const scene_set *set, const cJSON *frame)
{
    const double phi_rad = json_number(frame, "phi_deg") * POV_PI / 180;
    pov_vec2 published[KINDS_MAX][OUTLINE_POINTS], ours[KINDS_MAX][OUTLINE_POINTS];
    char path[PATH_CAPACITY];
    pov_image image;
    snprintf(path, sizeof path, "%s/data/comfort/%s/%s", shared, set->set,
             json_member(frame, "file")->valuestring);
    must(pov_image_file_read(s->file, &image, path));
    if (is_hidden(s, set, phi_rad) || !find_outlines(published, s, set, &image))
        return;
    image = draw(s, set, phi_rad);
    assert_true(find_outlines(ours, s, set, &image));
    sum->images++;
    for (int i = 0; i < set->kind_len * OUTLINE_POINTS; i++, sum->points++) {
        const pov_vec2 a = (&published[0][0])[i], b = (&ours[0][0])[i];
        sum->squares_px2 += (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
    }
}

static void outlines_agree(const scene_set *set, int images_min)
{
    cJSON *truth = comfort_truth(set->set);
    studio s = studio_open(set, truth);
    agreement sum = {0};
    const cJSON *frame;
    cJSON_ArrayForEach(frame, json_member(truth, "frames"))
    {
        compare(&sum, &s, set, frame);
    }
    const double rms_px = sqrt(sum.squares_px2 / sum.points);
    print_message("%s: %d images, outlines %.2f px RMS apart\n", set->set, sum.images, rms_px);
    studio_close(&s);
    cJSON_Delete(truth);
    assert_in_range(sum.images, images_min, 36);
    assert_true(rms_px <= 0.7);
}

static void red_and_blue_balls_have_the_published_outlines(void **state)
{
    (void)state;
    outlines_agree(&(scene_set){"ball_default", 2, {"red", "blue"}, {0xd02818, 0x1418c0}, 0.6, 2.9, 0.6, 0},
                   28);
}

static void yellow_and_green_balls_have_the_published_outlines(void **state)
{
    (void)state;
    outlines_agree(&(scene_set){"ball_color", 2, {"yellow", "green"}, {0xd8c020, 0x18a030}, 0.6, 2.9, 0.6, 0},
                   28);
}

static void a_basketball_about_a_car_has_the_published_outline(void **state)
{
    (void)state;
    outlines_agree(&(scene_set){"car_default", 1, {"basketball"}, {0x703820}, 0.22, 3.2, 0.3, 0.02}, 33);
}

static void a_basketball_about_a_duck_has_the_published_outline(void **state)
{
    (void)state;
    outlines_agree(&(scene_set){"car_duck", 1, {"basketball"}, {0x703820}, 0.22, 3.0, 0.3, 0.02}, 33);
}

int main(void)
{
    if (!test_find_shared()) {
        printf("skipped: ../shared not found\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(red_and_blue_balls_have_the_published_outlines),
        cmocka_unit_test(yellow_and_green_balls_have_the_published_outlines),
        cmocka_unit_test(a_basketball_about_a_car_has_the_published_outline),
        cmocka_unit_test(a_basketball_about_a_duck_has_the_published_outline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
