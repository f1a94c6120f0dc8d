#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/random.h"
#include "tests/support/visible_scene.h"

#include <stdio.h>
#include <string.h>

/* P(sees) of random scenes, one to four bodies in the way, each with an error of its own, against drawn worlds. Each world is
 * looked at by this file's own rays: balls and turned boxes by the textbook, in double precision. */
enum { SCENES = 80, WORLDS = 700, RAYS = 600, TENTHS = 10, BODIES_MAX = 32, EYE = 0, TARGET = 1 };

static pov_occlusion *occlusion;
static test_random randoms, world_randoms; /* of scenes; of the worlds drawn */
static pov_vec2 net[RAYS];

static int set_up(void **state)
{
    (void)state;
    randoms.state = 20;
    world_randoms.state = 21;
    for (int i = 0; i < RAYS; i++) {
        const double turn = 2 * POV_PI * 0.6180339887498949 * i;
        net[i] = (pov_vec2){cos(turn), sin(turn)};
    }
    return pov_occlusion_new(&occlusion).code == POV_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pov_occlusion_destroy(&occlusion);
    return 0;
}

static double between(double low, double high)
{
    return test_random_between(&randoms, low, high);
}

/* ---- a ray caster ---- */

typedef struct {
    bool is_ball;
    pov_vec3 at_m, half_m;
    pov_rot back; /* from the table's axes to the box's */
} solid;

/* Distance along a unit ray to where it enters the solid; INFINITY where it misses. */
static double distance_to(const solid *s, pov_vec3 eye_m, pov_vec3 ray)
{
    const pov_vec3 to = pov_vec3_sub(s->at_m, eye_m);
    if (s->is_ball) {
        const double along = pov_vec3_dot(to, ray);
        const double rest = s->half_m.x * s->half_m.x - pov_vec3_dot(to, to) + along * along;
        return rest > 0 && along > 0 ? along - sqrt(rest) : INFINITY;
    }
    const pov_vec3 o = pov_rot_apply(s->back, pov_vec3_scale(to, -1)), d = pov_rot_apply(s->back, ray);
    const double origin[3] = {o.x, o.y, o.z}, direction[3] = {d.x, d.y, d.z};
    const double half[3] = {s->half_m.x, s->half_m.y, s->half_m.z};
    double enter = 0, leave = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double a = (-half[k] - origin[k]) / direction[k], b = (half[k] - origin[k]) / direction[k];
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    return enter < leave && enter > 0 ? enter : INFINITY;
}

static solid solid_of(const pov_entity *e)
{
    return (solid){.is_ball = e->shape == POV_SHAPE_SPHERE,
                   .at_m = e->position.mean_m,
                   .half_m = pov_vec3_scale(e->size_m, 0.5),
                   .back = pov_rot_transpose(e->R_table_box)};
}

/* True if a fifth of the target, or a disc 20 degrees wide, is unhidden: the defaults of pov_seeing. */
static bool is_seen(const solid *target, const solid *others, int other_len, pov_vec3 eye_m)
{
    const pov_vec3 to = pov_vec3_sub(target->at_m, eye_m);
    const pov_vec3 ahead = pov_vec3_unit(to),
                   aside = pov_vec3_unit(pov_vec3_cross((pov_vec3){0, 0, 1}, ahead));
    const pov_vec3 up = pov_vec3_cross(ahead, aside);
    const double reach = target->is_ball ? target->half_m.x : pov_vec3_norm(target->half_m);
    const double lowest = sqrt(1 - pow(reach / pov_vec3_norm(to), 2));
    int met = 0, free_rays = 0;
    for (int i = 0; i < RAYS; i++) { /* a Fibonacci net over the cap that surrounds the target */
        const double c = 1 - (1 - lowest) * (i + 0.5) / RAYS, s = sqrt(1 - c * c);
        const pov_vec3 across =
            pov_vec3_add(pov_vec3_scale(aside, s * net[i].x), pov_vec3_scale(up, s * net[i].y));
        const pov_vec3 ray = pov_vec3_add(pov_vec3_scale(ahead, c), across);
        const double far_m = distance_to(target, eye_m, ray);
        bool is_free = far_m < INFINITY;
        met += is_free;
        for (int k = 0; k < other_len && is_free; k++)
            is_free = distance_to(&others[k], eye_m, ray) >= far_m;
        free_rays += is_free;
    }
    const double ray_sr = 2 * POV_PI * (1 - lowest) / RAYS;
    const double ample_sr = 2 * POV_PI * (1 - cos(10 * POV_PI / 180)),
                 least_sr = POV_PI * pow(2.5 / 60 * POV_PI / 180, 2);
    return free_rays * ray_sr >= fmax(least_sr, fmin(ample_sr, 0.2 * met * ray_sr));
}

/* ---- scenes ---- */

/* Covariances of random axes: factor * factor^T. */
typedef struct {
    pov_scene scene;
    double factor[BODIES_MAX][3][3];
    double camera_std[6];
} noisy_scene;

static void give_error(noisy_scene *s, pov_id id, double std_m)
{
    pov_position *position = &s->scene.entities[id].position;
    const double flat = between(0.2, 1);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->factor[id][i][j] = std_m * (j ? flat : 1) * test_random_normal(&randoms) / sqrt(3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                position->own_cov_m2[i][j] += s->factor[id][i][k] * s->factor[id][j][k];
}

/* Positions seen through a camera 2 m aside turn and move with its pose's error. */
static void see_through_camera(noisy_scene *s)
{
    const pov_vec3 camera_m = {1, -2, 1};
    for (int k = 0; k < 6; k++) {
        s->camera_std[k] = between(0, k < 3 ? 0.02 : 0.04);
        s->scene.camera_pose_cov[k][k] = s->camera_std[k] * s->camera_std[k];
    }
    for (pov_id id = 0; id < s->scene.len; id++) {
        pov_position *position = &s->scene.entities[id].position;
        const pov_vec3 d = pov_vec3_sub(position->mean_m, camera_m);
        const double turn[3][3] = {{0, d.z, -d.y}, {-d.z, 0, d.x}, {d.y, -d.x, 0}};
        for (int k = 0; k < 3 && id != EYE; k++) {
            memcpy(position->per_camera_pose[k], turn[k], sizeof turn[k]);
            position->per_camera_pose[k][3 + k] = 1;
        }
    }
}

static pov_entity random_body(const char *name, pov_vec3 at_m, double radius_m)
{
    if (between(0, 1) < 0.5)
        return test_body(name, POV_SHAPE_SPHERE, at_m, (pov_vec3){2 * radius_m, 2 * radius_m, 2 * radius_m});
    pov_entity box =
        test_body(name, POV_SHAPE_BOX, at_m,
                  (pov_vec3){radius_m * between(0.5, 2), radius_m * between(1, 2), radius_m * between(1, 2)});
    box.R_table_box = pov_rot_yaw(between(0, 2 * POV_PI));
    return box;
}

static void random_scene(noisy_scene *s, int occluder_len)
{
    memset(s, 0, sizeof *s);
    pov_scene_clear(&s->scene);
    test_add_eye(&s->scene, "eye", (pov_vec3){0, 0, 0}, 0, test_all_around());
    const double far_m = between(2, 4), radius_m = between(0.1, 0.25);
    const pov_entity target = random_body("target", (pov_vec3){far_m, 0, 0}, radius_m);
    test_add(&s->scene, &target);
    for (int i = 0; i < occluder_len; i++) {
        char name[24];
        const double depth = between(0.25, 0.8), radius = depth * radius_m * between(0.6, 1.3);
        const double off = depth * radius_m * between(0, 1.1), turn = between(0, 2 * POV_PI);
        snprintf(name, sizeof name, "occluder %d", i);
        const pov_entity body =
            random_body(name, (pov_vec3){depth * far_m, off * cos(turn), off * sin(turn)}, radius);
        test_add(&s->scene, &body);
    }
    for (pov_id id = 0; id < s->scene.len; id++)
        give_error(s, id, 0.002 * pow(60, between(0, 1)) * (id < 2 ? 0.4 : 1));
    if (between(0, 1) < 0.5)
        see_through_camera(s);
}

static double drawn_p(const noisy_scene *s)
{
    int seen = 0;
    for (int world = 0; world < WORLDS; world++) {
        solid drawn[BODIES_MAX];
        double camera[6];
        for (int k = 0; k < 6; k++)
            camera[k] = s->camera_std[k] * test_random_normal(&world_randoms);
        for (pov_id id = 0; id < s->scene.len; id++) {
            const pov_entity *e = &s->scene.entities[id];
            double error[3] = {0}, own[3];
            for (int k = 0; k < 3; k++)
                own[k] = test_random_normal(&world_randoms);
            for (int i = 0; i < 3; i++) {
                for (int k = 0; k < 3; k++)
                    error[i] += s->factor[id][i][k] * own[k];
                for (int k = 0; k < 6; k++)
                    error[i] += e->position.per_camera_pose[i][k] * camera[k];
            }
            drawn[id] = solid_of(e);
            drawn[id].at_m = pov_vec3_add(drawn[id].at_m, (pov_vec3){error[0], error[1], error[2]});
        }
        seen += is_seen(&drawn[TARGET], drawn + TARGET + 1, s->scene.len - 2, drawn[EYE].at_m);
    }
    return seen / (double)WORLDS;
}

/* ---- tests ---- */

typedef struct {
    int len;
    double judged, drawn;
} tenth;

static void each_tenth_holds_as_often_as_it_says_behind_one_to_four_occluders(void **state)
{
    (void)state;
    static noisy_scene s;
    tenth tenths[TENTHS] = {{0}};
    double square = 0, worst = 0;
    int wrong = 0;
    for (int i = 0; i < SCENES; i++) {
        random_scene(&s, 1 + i % 4);
        const pov_visibility judged = test_look(occlusion, &s.scene, EYE, TARGET);
        const double p = judged.sees.p, drawn = drawn_p(&s);
        tenth *t = &tenths[(int)fmin(TENTHS - 1, p * TENTHS)];
        t->len++;
        t->judged += p;
        t->drawn += drawn;
        square += (p - drawn) * (p - drawn) / SCENES;
        worst = fmax(worst, fabs(p - drawn));
        wrong += (judged.sees.verdict == POV_TRUE && drawn < 0.9) ||
                 (judged.sees.verdict == POV_FALSE && drawn > 0.1);
    }
    for (int i = 0; i < TENTHS; i++)
        print_message("%.1f to %.1f: %3d scenes, judged %.3f, drawn %.3f\n", 0.1 * i, 0.1 * (i + 1),
                      tenths[i].len, tenths[i].judged / tenths[i].len, tenths[i].drawn / tenths[i].len);
    print_message("rms %.4f, worst %.3f, sure of what is not: %d\n", sqrt(square), worst, wrong);
    for (int i = 0; i < TENTHS; i++) {
        assert_true(tenths[i].len >= 2);
        assert_near(tenths[i].judged / tenths[i].len, tenths[i].drawn / tenths[i].len, 0.03);
    }
    assert_true(sqrt(square) < 0.025);
    assert_true(worst < 0.1);
    assert_int_equal(wrong, 0);
}

static void compare(const noisy_scene *s, double allowed)
{
    const pov_visibility judged = test_look(occlusion, &s->scene, EYE, TARGET);
    const double drawn = drawn_p(s);
    print_message("P %.3f, drawn %.3f\n", judged.sees.p, drawn);
    assert_near(judged.sees.p, drawn, allowed);
}

static void only_the_second_body_in_the_way_errs(void **state)
{
    (void)state;
    static noisy_scene s;
    for (int i = 0; i < 4; i++) {
        memset(&s, 0, sizeof s);
        pov_scene_clear(&s.scene);
        test_add_eye(&s.scene, "eye", (pov_vec3){0, 0, 0}, 0, test_all_around());
        test_add_sphere(&s.scene, "target", (pov_vec3){3, 0, 0}, 0.15);
        test_add_box(&s.scene, "exact", (pov_vec3){2, 0.13, 0}, (pov_vec3){0.1, 0.2, 0.6});
        const pov_id loose =
            test_add_box(&s.scene, "loose", (pov_vec3){1.5, -0.12 - 0.01 * i, 0}, (pov_vec3){0.1, 0.2, 0.6});
        give_error(&s, loose, 0.04);
        compare(&s, 0.04);
    }
}

static void crowd_before_a_box(noisy_scene *s)
{
    memset(s, 0, sizeof *s);
    pov_scene_clear(&s->scene);
    test_add_eye(&s->scene, "eye", (pov_vec3){0, 0, 0}, 0, test_all_around());
    test_add_box(&s->scene, "target", (pov_vec3){3, 0, 0}, (pov_vec3){0.2, 0.4, 0.4});
    for (int i = 0; i < 26; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball %d", i);
        const double depth = between(0.3, 0.8);
        test_add_sphere(&s->scene, name,
                        (pov_vec3){3 * depth, depth * between(-0.22, 0.22), depth * between(-0.22, 0.22)},
                        depth * 0.06);
    }
    for (pov_id id = TARGET + 1; id < s->scene.len; id++)
        give_error(s, id, between(0.01, 0.1));
}

/* More bodies than have components of the lattice, and more than Embree is asked about one by one. */
static void a_crowd_of_bodies_each_errs_by_itself(void **state)
{
    (void)state;
    static noisy_scene s;
    for (int i = 0; i < 4; i++) {
        crowd_before_a_box(&s);
        compare(&s, 0.05);
    }
}

/* A mesh is moved as the box that it is. */
static void a_mesh_in_the_way_errs_as_its_box_does(void **state)
{
    (void)state;
    static const float corners[8][3] = {{-0.05F, -0.1F, -0.3F}, {0.05F, -0.1F, -0.3F}, {0.05F, 0.1F, -0.3F},
                                        {-0.05F, 0.1F, -0.3F},  {-0.05F, -0.1F, 0.3F}, {0.05F, -0.1F, 0.3F},
                                        {0.05F, 0.1F, 0.3F},    {-0.05F, 0.1F, 0.3F}};
    static const uint32_t triangles[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                              {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                              {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    const pov_mesh mesh = {8, 12, corners, triangles};
    static noisy_scene s;
    memset(&s, 0, sizeof s);
    pov_scene_clear(&s.scene);
    test_add_eye(&s.scene, "eye", (pov_vec3){0, 0, 0}, 0, test_all_around());
    test_add_sphere(&s.scene, "target", (pov_vec3){3, 0, 0}, 0.15);
    for (int i = 0; i < 2; i++)
        test_add_box(&s.scene, i ? "right" : "left", (pov_vec3){2 - 0.5 * i, i ? -0.11 : 0.13, 0},
                     (pov_vec3){0.1, 0.2, 0.6});
    for (pov_id id = 0; id < s.scene.len; id++)
        give_error(&s, id, 0.03);
    const double of_boxes = test_look(occlusion, &s.scene, EYE, TARGET).sees.p;
    compare(&s, 0.04);
    for (pov_id id = TARGET + 1; id < s.scene.len; id++) {
        s.scene.entities[id].shape = POV_SHAPE_MESH;
        s.scene.entities[id].mesh = &mesh;
    }
    assert_near(test_look(occlusion, &s.scene, EYE, TARGET).sees.p, of_boxes, 0.005);
    assert_true(of_boxes > 0.1 && of_boxes < 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tenth_holds_as_often_as_it_says_behind_one_to_four_occluders),
        cmocka_unit_test(only_the_second_body_in_the_way_errs),
        cmocka_unit_test(a_crowd_of_bodies_each_errs_by_itself),
        cmocka_unit_test(a_mesh_in_the_way_errs_as_its_box_does),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
