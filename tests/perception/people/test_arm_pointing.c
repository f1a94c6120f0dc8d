#include "perception/people/arm_pointing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

static const double deg = POV_PI / 180;

static uint64_t state = 17;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * POV_PI * uniform());
}

/* ---- people and a pinhole camera of this test's own: it looks along +y from 3 m away and 1.5 m high, level ---- */

static const double focal_px = 800, far_m = 3, camera_m = 1.5;

static pov_camera make_camera(void)
{
    return (pov_camera){
        .fx_px = focal_px, .fy_px = focal_px, .cx_px = 640, .cy_px = 360, .width_px = 1280, .height_px = 720};
}

static pov_pose camera_pose(void)
{
    return (pov_pose){.T = {.R = {{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}}, .t_m = {0, -far_m, camera_m}}};
}

static pov_keypoint see(pov_vec3 at_m, double noise_px)
{
    const double depth = at_m.y + far_m;
    return (pov_keypoint){(float)(640 + focal_px * at_m.x / depth + noise_px * normal()),
                          (float)(360 - focal_px * (at_m.z - camera_m) / depth + noise_px * normal()), 0.9f};
}

typedef struct {
    double height_m, front_rad;
    pov_vec3 shoulder[2], elbow[2], wrist[2], eyes; /* right, left */
} somebody;

static pov_vec3 between(pov_vec3 a, pov_vec3 b, double share)
{
    return pov_vec3_add(a, pov_vec3_scale(pov_vec3_sub(b, a), share));
}

/* Stands at the origin, arms hanging. */
static somebody stand(double height_m, double front_rad)
{
    somebody s = {.height_m = height_m, .front_rad = front_rad, .eyes = {0, 0, 0.936 * height_m}};
    for (int left = 0; left < 2; left++) {
        const double aside_m = 0.12 * height_m * (left ? 1 : -1);
        s.shoulder[left] = (pov_vec3){-sin(front_rad) * aside_m, cos(front_rad) * aside_m, 0.818 * height_m};
        s.wrist[left] = s.elbow[left] = s.shoulder[left];
        s.elbow[left].z -= 0.186 * height_m;
        s.wrist[left].z -= 0.332 * height_m;
    }
    return s;
}

/* The fingertip is on the line from the eyes to the target, as far from the shoulder as the arm, 0.96 straight, and the hand reach. */
static void point_at(somebody *s, int left, pov_vec3 target_m)
{
    const double reach_m = (0.96 * 0.332 + 0.108) * s->height_m;
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        const pov_vec3 tip_m = between(s->eyes, target_m, middle);
        *(pov_vec3_norm(pov_vec3_sub(tip_m, s->shoulder[left])) > reach_m ? &high : &low) = middle;
    }
    const pov_vec3 tip_m = between(s->eyes, target_m, low);
    s->wrist[left] = between(s->shoulder[left], tip_m, 0.96 * 0.332 * s->height_m / reach_m);
    s->elbow[left] = between(s->shoulder[left], s->wrist[left], 0.186 / 0.332);
}

static void look(pov_entity *entity, const somebody *s, double noise_px)
{
    const pov_camera camera = make_camera();
    const pov_pose pose = camera_pose();
    pov_keypoint joints[POV_JOINTS] = {{0}};
    for (int left = 0; left < 2; left++) {
        joints[POV_JOINT_LEFT_SHOULDER + !left] = see(s->shoulder[left], noise_px);
        joints[POV_JOINT_LEFT_ELBOW + !left] = see(s->elbow[left], noise_px);
        joints[POV_JOINT_LEFT_WRIST + !left] = see(s->wrist[left], noise_px);
    }
    *entity = pov_entity_named("anna", "person");
    entity->placed = true;
    entity->position.mean_m = (pov_vec3){0, 0, s->height_m / 2};
    entity->heading = pov_heading_single(s->front_rad, 1 / pow(25 * deg, 2));
    pov_arm_pointing(entity, joints, &(pov_stature){s->height_m, s->height_m}, &camera, &pose);
}

static double density_within(const pov_heading *heading, double at_rad, double sigmas)
{
    double sum = 0;
    for (int i = 0; i < heading->len; i++)
        if (heading->mode[i].kappa > 0 &&
            fabs(pov_angle_wrap(at_rad - heading->mode[i].yaw_rad)) < sigmas / sqrt(heading->mode[i].kappa))
            sum += heading->mode[i].weight;
    return sum;
}

/* ---- tests ---- */

static pov_vec3 target_at(double azimuth_rad)
{
    return (pov_vec3){1.5 * cos(azimuth_rad), 1.5 * sin(azimuth_rad), 0.8};
}

static void an_arm_points_where_the_eye_and_the_fingertip_do(void **unused)
{
    (void)unused;
    int trials = 0, within = 0, heaviest = 0;
    for (int front = -180; front < 180; front += 30)
        for (int aside = -40; aside <= 40; aside += 20)
            for (int k = 0; k < 4; k++) {
                somebody s = stand(1.55 + 0.1 * k, front * deg);
                const double azimuth_rad = (front + aside) * deg;
                pov_entity entity;
                point_at(&s, aside > 0, target_at(azimuth_rad));
                look(&entity, &s, 1);
                if (entity.pointing.len == 0) /* it comes straight toward the camera, or goes away from it */
                    continue;
                assert_true(entity.arms_seen);
                trials++;
                within += density_within(&entity.pointing, azimuth_rad, 2) > 0.1;
                heaviest +=
                    fabs(pov_angle_wrap(pov_heading_heaviest(&entity.pointing)->yaw_rad - azimuth_rad)) <
                    30 * deg;
            }
    print_message("pointing seen in %d of 240; truth within 2 deviations of a mode in %d, within 30 degrees "
                  "of the heaviest in %d\n",
                  trials, within, heaviest);
    assert_true(trials > 160);
    assert_true(within > 0.95 * trials);
    assert_true(heaviest > 0.85 * trials);
}

static void hanging_arms_do_not_point_and_bent_ones_neither(void **unused)
{
    (void)unused;
    for (int front = -180; front < 180; front += 15) {
        somebody s = stand(1.7, front * deg);
        pov_entity entity;
        look(&entity, &s, 0.5);
        assert_true(entity.arms_seen);
        assert_int_equal(entity.pointing.len, 0);
        s.elbow[0] = (pov_vec3){s.shoulder[0].x, s.shoulder[0].y, s.shoulder[0].z - 0.3};
        s.wrist[0] =
            (pov_vec3){s.elbow[0].x + 0.05, s.elbow[0].y, s.elbow[0].z + 0.24}; /* a hand at the chin */
        look(&entity, &s, 0.5);
        assert_int_equal(entity.pointing.len, 0);
    }
}

static void joints_that_are_not_seen_tell_nothing(void **unused)
{
    (void)unused;
    const pov_camera camera = make_camera();
    const pov_pose pose = camera_pose();
    const pov_keypoint joints[POV_JOINTS] = {{0}};
    pov_entity entity = pov_entity_named("anna", "person");
    pov_arm_pointing(&entity, joints, &(pov_stature){1.7, 1.7}, &camera, &pose);
    assert_false(entity.arms_seen);
    assert_int_equal(entity.pointing.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_points_where_the_eye_and_the_fingertip_do),
        cmocka_unit_test(hanging_arms_do_not_point_and_bent_ones_neither),
        cmocka_unit_test(joints_that_are_not_seen_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
