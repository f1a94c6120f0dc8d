#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/cast/scene_fusion.h"
#include "perception/geometry/linalg.h"
#include "tests/support/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { THINGS = 6, TRIALS = 300 };
static const double turned_std_rad = 0.004, placed_std_m = 0.003; /* of a camera's pose */
static const int64_t interval_ns = 33333333;

/* -------- a table with cameras round it: errors are drawn as the scenes claim them -------- */

typedef struct {
    test_random random;
    int cameras;
    pov_cast cast;
    pov_scene_fusion *fusion;
    pov_vec3 things_m[THINGS];
    pov_transform T_table_camera[POV_CAMERA_MAX]; /* true */
    double error[POV_CAMERA_MAX][6], claimed[POV_CAMERA_MAX][6][6];
    double moved[POV_CAMERA_MAX][6]; /* beside the claimed error */
    int64_t now_ns;
    pov_vec3 velocity_m_s;         /* of all things, of every second one the other way */
    double late_s[POV_CAMERA_MAX]; /* images are taken so long after they say */
    double longer[POV_CAMERA_MAX]; /* the lens, by a share of the calibration's focal length */
    int shows[POV_CAMERA_MAX];     /* what this camera sees */
    pov_scene scene;
    pov_pose pose;
    bool takes_part;
} table;

static pov_transform stand_at(int camera, int cameras)
{
    const double angle = 2 * POV_PI * camera / cameras;
    return pov_transform_look_at((pov_vec3){1.2 * cos(angle), 1.2 * sin(angle), 1.1}, (pov_vec3){0, 0, 0},
                                 (pov_vec3){0, 0, 1});
}

static void set_table(table *t, int cameras, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    t->random = (test_random){seed};
    t->cameras = cameras;
    for (int i = 0; i < THINGS; i++) {
        char name[8];
        snprintf(name, sizeof name, "t%d", i);
        t->cast.members[t->cast.len++] =
            (pov_cast_member){.entity = pov_entity_named(name, "thing"), .found_by = &pov_found_by_tag};
        t->things_m[i] = (pov_vec3){test_random_between(&t->random, -0.3, 0.3),
                                    test_random_between(&t->random, -0.3, 0.3), 0.05};
    }
    for (int c = 0; c < cameras; c++) {
        t->T_table_camera[c] = stand_at(c, cameras);
        t->shows[c] = c;
        for (int i = 0; i < 6; i++) {
            const double std = i < 3 ? turned_std_rad : placed_std_m;
            t->error[c][i] = std * test_random_normal(&t->random);
            t->claimed[c][i][i] = std * std;
        }
    }
    t->fusion = pov_scene_fusion_new(&t->cast, cameras);
}

/* Where a camera of another lens, or of another's cable, has a point: through a lens that is longer by 10 %, all seems nearer by that. */
static pov_vec3 distort(const table *t, int camera, pov_vec3 at_m)
{
    pov_vec3 p = pov_transform_apply(pov_transform_inverse(t->T_table_camera[t->shows[camera]]), at_m);
    p.z /= 1 + t->longer[camera];
    return pov_transform_apply(t->T_table_camera[camera], p);
}

/* A thing through a camera: an error along the line of sight four times as large as across it, and the pose's. */
static pov_entity see_thing(table *t, int camera, int thing)
{
    const pov_vec3 at_m = distort(t, camera, t->things_m[thing]),
                   p = pov_vec3_sub(at_m, t->T_table_camera[camera].t_m), sight = pov_vec3_unit(p);
    const double J[3][6] = {{0, p.z, -p.y, 1, 0, 0}, {-p.z, 0, p.x, 0, 1, 0}, {p.y, -p.x, 0, 0, 0, 1}},
                 s[3] = {sight.x, sight.y, sight.z};
    pov_entity entity = t->cast.members[thing].entity;
    double L[9], cov[9], off[3] = {0};
    for (int i = 0; i < 9; i++)
        cov[i] = 1e-6 * ((i % 4 == 0) + 15 * s[i / 3] * s[i % 3]);
    assert_true(pov_cholesky(L, cov, 3));
    for (int k = 0; k < 3; k++) {
        const double z = test_random_normal(&t->random);
        for (int i = 0; i < 3; i++)
            off[i] += L[3 * i + k] * z;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            off[i] += J[i][j] * (t->error[camera][j] + t->moved[camera][j]);
    const pov_vec3 v = pov_vec3_scale(t->velocity_m_s, thing % 2 ? 1 : -1);
    const pov_vec3 gone_m = pov_vec3_scale(v, 1e-9 * (double)t->now_ns + t->late_s[camera]);
    if (t->velocity_m_s.x != 0) {
        entity.has_velocity = true;
        entity.velocity_m_s = v;
        for (int i = 0; i < 3; i++)
            entity.velocity_cov_m2_s2[i][i] = 1e-6;
    }
    entity.placed = entity.seen = true;
    entity.track =
        (pov_entity_track){.tracked = true, .motion = entity.has_velocity ? POV_MOVING_FREELY : POV_AT_REST};
    entity.position.mean_m = pov_vec3_add(pov_vec3_add(at_m, gone_m), (pov_vec3){off[0], off[1], off[2]});
    memcpy(entity.position.own_cov_m2, cov, sizeof cov);
    memcpy(entity.position.per_camera_pose, J, sizeof J);
    return entity;
}

/* An image of one camera. hidden: a thing that it does not see; -1: none. */
static void take_image(table *t, int camera, int hidden)
{
    pov_id id, renamed[POV_ENTITY_MAX];
    double believed[6];
    for (int i = 0; i < 6; i++)
        believed[i] = t->error[camera][i];
    t->now_ns += interval_ns / t->cameras;
    t->pose.T = pov_transform_plus(t->T_table_camera[camera], believed);
    memcpy(t->pose.cov, t->claimed[camera], sizeof t->pose.cov);
    pov_scene_clear(&t->scene);
    assert_int_equal(pov_scene_add_camera(&t->scene, &t->pose).code, POV_OK);
    for (int i = 0; i < t->cast.len; i++) {
        const pov_entity entity = i == hidden ? t->cast.members[i].entity : see_thing(t, camera, i);
        assert_int_equal(pov_scene_add(&t->scene, &id, &entity).code, POV_OK);
    }
    t->takes_part = pov_scene_fusion_run(t->fusion, &t->scene, &t->pose, renamed, camera, t->now_ns);
}

static double off_of(const table *t, double *nees, int thing)
{
    const pov_entity *entity =
        &t->scene.entities[pov_scene_find(&t->scene, t->cast.members[thing].entity.name)];
    const pov_vec3 d = pov_vec3_sub(entity->position.mean_m, t->things_m[thing]);
    const double r[3] = {d.x, d.y, d.z};
    double cov[3][3], L[9], x[3];
    assert_true(entity->placed);
    pov_scene_position_cov(&t->scene, cov, &entity->position);
    assert_true(pov_cholesky(L, &cov[0][0], 3));
    pov_cholesky_solve(x, L, r, 3);
    *nees = r[0] * x[0] + r[1] * x[1] + r[2] * x[2];
    return pov_vec3_norm(d);
}

typedef struct {
    double rms_m, nees, covered; /* nees: mean per coordinate; covered: share within the claimed 95.45 % */
} score;

static score judge_tables(int cameras, int hidden_from_last)
{
    static const double within = 8.0249; /* chi-square 3: 95.45 % */
    score sum = {0};
    int len = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        table t;
        set_table(&t, cameras, (uint64_t)(1 + trial));
        for (int c = 0; c < cameras; c++)
            take_image(&t, c, c == cameras - 1 ? hidden_from_last : -1);
        assert_true(t.takes_part);
        for (int i = 0; i < THINGS; i++, len++) {
            double nees;
            const double off_m = off_of(&t, &nees, i);
            sum.rms_m += off_m * off_m;
            sum.nees += nees / 3;
            sum.covered += nees < within;
        }
        pov_scene_fusion_destroy(&t.fusion);
    }
    return (score){sqrt(sum.rms_m / len), sum.nees / len, sum.covered / len};
}

static void more_cameras_err_less_and_are_never_surer_than_true(void **state)
{
    (void)state;
    const score one = judge_tables(1, -1), two = judge_tables(2, -1), four = judge_tables(4, -1);
    assert_true(one.nees > 0.9 && one.nees < 1.1);
    assert_true(two.rms_m < 0.8 * one.rms_m);
    assert_true(four.rms_m < 0.8 * two.rms_m);
    assert_true(two.nees > 0.75 && two.nees < 1.08);
    assert_true(four.nees > 0.7 && four.nees < 1.08);
    assert_true(two.covered > 0.945 && four.covered > 0.945);
}

/* What the others teach of the last camera's pose: the same when that camera does not see one of the things. */
static void a_thing_hidden_from_one_camera_is_where_the_others_see_it(void **state)
{
    (void)state;
    const score two = judge_tables(2, 2);
    assert_true(two.nees > 0.75 && two.nees < 1.08);
    assert_true(two.covered > 0.945);
}

/* Relations rest on differences: their covariance, as the scene gives it, is not too small. It is too large where two cameras share
 * one error, for a scene ties its places to one camera only. */
static void differences_of_places_are_never_surer_than_true(void **state)
{
    (void)state;
    double nees = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        table t;
        set_table(&t, 2, (uint64_t)(1000 + trial));
        take_image(&t, 0, -1);
        take_image(&t, 1, -1);
        const pov_position *a = &t.scene.entities[pov_scene_find(&t.scene, "t0")].position,
                           *b = &t.scene.entities[pov_scene_find(&t.scene, "t1")].position;
        pov_position apart = {.mean_m = pov_vec3_sub(a->mean_m, b->mean_m)};
        double cov[3][3], L[9], x[3];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                apart.own_cov_m2[i][j] = a->own_cov_m2[i][j] + b->own_cov_m2[i][j];
            for (int j = 0; j < 6; j++)
                apart.per_camera_pose[i][j] = a->per_camera_pose[i][j] - b->per_camera_pose[i][j];
        }
        pov_scene_position_cov(&t.scene, cov, &apart);
        const pov_vec3 d = pov_vec3_sub(apart.mean_m, pov_vec3_sub(t.things_m[0], t.things_m[1]));
        const double r[3] = {d.x, d.y, d.z};
        assert_true(pov_cholesky(L, &cov[0][0], 3));
        pov_cholesky_solve(x, L, r, 3);
        nees += (r[0] * x[0] + r[1] * x[1] + r[2] * x[2]) / 3 / TRIALS;
        pov_scene_fusion_destroy(&t.fusion);
    }
    assert_true(nees > 0.4 && nees < 1.08);
}

/* -------- contradictions -------- */

static void run_for(table *t, double seconds)
{
    const int64_t until_ns = t->now_ns + (int64_t)(1e9 * seconds);
    while (t->now_ns < until_ns)
        for (int c = 0; c < t->cameras; c++)
            take_image(t, c, -1);
}

/* Turned by 2.1 degrees about the vertical, and moved by 31 mm. */
static void move_camera(table *t, int camera)
{
    const double move[6] = {0, 0, 2.1 * POV_DEG, 0.031, 0, 0};
    memcpy(t->moved[camera], move, sizeof move);
}

static void a_camera_that_moves_is_named_and_the_scene_stays_right_without_it(void **state)
{
    (void)state;
    for (int cameras = 2; cameras <= 3; cameras++) {
        table t;
        set_table(&t, cameras, 7);
        run_for(&t, 1);
        for (int c = 0; c < cameras; c++)
            assert_int_equal(pov_scene_fusion_report(t.fusion, c).verdict, POV_FUSION_AGREES);
        move_camera(&t, 1);
        run_for(&t, 1);
        const pov_fusion_report report = pov_scene_fusion_report(t.fusion, 1);
        assert_int_equal(report.verdict, POV_FUSION_MOVED);
        assert_true(report.left_out);
        assert_true(fabs(report.moved_m - 0.031) < 0.01);
        assert_true(fabs(report.turned_rad - 2.1 * POV_DEG) < 0.5 * POV_DEG);
        assert_int_equal(pov_scene_fusion_report(t.fusion, 0).verdict, POV_FUSION_AGREES);
        take_image(&t, 1, -1); /* the scene of its image is the others', without a camera */
        assert_false(t.takes_part);
        assert_int_equal(t.scene.camera, POV_ID_NONE);
        for (int i = 0; i < THINGS; i++) {
            double nees;
            assert_true(off_of(&t, &nees, i) < 0.03);
            assert_true(nees < 25);
        }
        memset(t.moved, 0, sizeof t.moved); /* put back */
        run_for(&t, 1);
        assert_int_equal(pov_scene_fusion_report(t.fusion, 1).verdict, POV_FUSION_AGREES);
        assert_true(t.takes_part);
        pov_scene_fusion_destroy(&t.fusion);
    }
}

/* Two cameras that never agreed: neither is believed, and both are as unsure as they are apart. */
static void two_that_contradict_each_other_from_the_start_are_both_doubted(void **state)
{
    (void)state;
    table t;
    set_table(&t, 2, 11);
    move_camera(&t, 1);
    t.moved[1][2] *= 2;
    run_for(&t, 1);
    for (int c = 0; c < 2; c++) {
        const pov_fusion_report report = pov_scene_fusion_report(t.fusion, c);
        assert_int_equal(report.verdict, POV_FUSION_UNDECIDED);
        assert_int_equal(report.other, 1 - c);
        take_image(&t, c, -1);
        assert_true(t.takes_part);
        for (int i = 0; i < THINGS; i++) {
            double nees;
            (void)off_of(&t, &nees, i);
            assert_true(nees < 16); /* chi-square 3: 1e-3 */
        }
    }
    pov_scene_fusion_destroy(&t.fusion);
}

static void a_clock_that_is_off_is_named_with_its_delay(void **state)
{
    (void)state;
    table t;
    set_table(&t, 2, 19);
    t.velocity_m_s = (pov_vec3){0.3, 0.1, 0};
    run_for(&t, 0.7);
    assert_int_equal(pov_scene_fusion_report(t.fusion, 1).verdict, POV_FUSION_AGREES);
    t.late_s[1] = 0.1;
    run_for(&t, 1);
    const pov_fusion_report report = pov_scene_fusion_report(t.fusion, 1);
    assert_int_equal(report.verdict, POV_FUSION_LATE);
    assert_true(fabs(report.late_s - 0.1) < 0.02);
    pov_scene_fusion_destroy(&t.fusion);
}

/* A tenth of a second at 0.15 m/s is five deviations of no image; seconds of them are sure. */
static void a_clock_that_each_image_could_excuse_is_named_by_seconds_of_them(void **state)
{
    (void)state;
    table t;
    set_table(&t, 3, 29);
    t.velocity_m_s = (pov_vec3){0.07, 0.03, 0};
    t.late_s[1] = 0.1;
    run_for(&t, 3);
    const pov_fusion_report report = pov_scene_fusion_report(t.fusion, 1);
    assert_int_equal(report.verdict, POV_FUSION_LATE);
    assert_true(fabs(report.late_s - 0.1) < 0.03);
    for (int c = 0; c < 3; c += 2)
        assert_int_equal(pov_scene_fusion_report(t.fusion, c).verdict, POV_FUSION_AGREES);
    pov_scene_fusion_destroy(&t.fusion);
}

/* Where a thing is by the world's clock, squared in deviations, a coordinate. Out: variance_m2: claimed, along x. */
static double nees_of_moving(const table *t, double *variance_m2, int thing)
{
    table now = *t;
    const double gone_s = (thing % 2 ? 1e-9 : -1e-9) * (double)t->now_ns;
    double nees, cov[3][3];
    now.things_m[thing] = pov_vec3_add(t->things_m[thing], pov_vec3_scale(t->velocity_m_s, gone_s));
    (void)off_of(&now, &nees, thing);
    const pov_id id = pov_scene_find(&t->scene, t->cast.members[thing].entity.name);
    pov_scene_position_cov(&t->scene, cov, &t->scene.entities[id].position);
    *variance_m2 = cov[0][0];
    return nees / 3;
}

/* Until it is named, what moves is as unsure as a driver may hold back images; once clocks are known to agree, that costs nothing. */
static void before_clocks_are_compared_what_moves_is_unsure(void **state)
{
    (void)state;
    const double x_m_s = 0.14, std_first_m = 0.3 * 0.1 * x_m_s;
    double at_rest_m2;
    table still;
    set_table(&still, 3, 31);
    run_for(&still, 0.1);
    (void)nees_of_moving(&still, &at_rest_m2, 0);
    pov_scene_fusion_destroy(&still.fusion);
    for (int is_late = 0; is_late < 2; is_late++) {
        table t;
        double variance_m2 = 0, nees = 0;
        int len = 0;
        set_table(&t, 3, 31);
        t.velocity_m_s = (pov_vec3){x_m_s, 0.02, 0};
        t.late_s[1] = is_late ? 0.1 : 0;
        for (int image = 0; image < 15; image++) {
            take_image(&t, image % 3, -1);
            for (int i = 0; i < THINGS && t.takes_part; i++, len++) {
                nees += nees_of_moving(&t, &variance_m2, i);
                assert_true(image > 2 || variance_m2 > std_first_m * std_first_m);
            }
        }
        run_for(&t, 3);
        take_image(&t, 0, -1);
        (void)nees_of_moving(&t, &variance_m2, 0);
        print_message("late %d: NEES %.3f; claimed at last %.2f mm, of things at rest %.2f mm\n", is_late,
                      nees / len, 1e3 * sqrt(variance_m2), 1e3 * sqrt(at_rest_m2));
        assert_true(nees / len < 1.1);
        assert_true(is_late || variance_m2 < 1.5 * at_rest_m2);
        pov_scene_fusion_destroy(&t.fusion);
    }
}

static void another_lens_is_told_from_a_move(void **state)
{
    (void)state;
    for (int trial = 0; trial < 4; trial++) {
        table t;
        set_table(&t, 3, (uint64_t)(31 + trial));
        t.longer[1] = trial % 2 ? 0.1 : -0.08;
        run_for(&t, 2);
        const pov_fusion_report report = pov_scene_fusion_report(t.fusion, 1);
        assert_int_equal(report.verdict, POV_FUSION_LENS);
        assert_true(fabs(report.zoom - 1 - t.longer[1]) < 0.02);
        assert_true(report.left_out);
        pov_scene_fusion_destroy(&t.fusion);
    }
}

/* Moved by eight deviations of its pose, of which the others, whose errors are drawn, show four to seven. */
static void a_small_move_is_named_or_nobody_is(void **state)
{
    (void)state;
    int named = 0;
    for (int trial = 0; trial < 8; trial++) {
        table t;
        set_table(&t, 3, (uint64_t)(61 + trial));
        const double move[6] = {0, 0, 8 * turned_std_rad, 8 * placed_std_m, 0, 0};
        memcpy(t.moved[2], move, sizeof move);
        run_for(&t, 2);
        const pov_fusion_report report = pov_scene_fusion_report(t.fusion, 2);
        named += report.verdict == POV_FUSION_MOVED && report.left_out;
        assert_true(report.verdict == POV_FUSION_MOVED || report.verdict == POV_FUSION_AGREES);
        for (int c = 0; c < 2; c++)
            assert_int_equal(pov_scene_fusion_report(t.fusion, c).verdict, POV_FUSION_AGREES);
        pov_scene_fusion_destroy(&t.fusion);
    }
    assert_true(named >= 4);
}

static void swapped_cables_are_named_and_neither_camera_is_used(void **state)
{
    (void)state;
    for (int cameras = 2; cameras <= 3; cameras++) {
        table t;
        set_table(&t, cameras, 41);
        for (int c = 0; c < cameras; c++)
            t.T_table_camera[c] = stand_at(c, 5); /* at 72 degrees: no other exchange fits */
        t.shows[0] = 1;
        t.shows[1] = 0;
        run_for(&t, 1);
        for (int c = 0; c < 2; c++) {
            const pov_fusion_report report = pov_scene_fusion_report(t.fusion, c);
            assert_int_equal(report.verdict, POV_FUSION_SWAPPED);
            assert_int_equal(report.other, 1 - c);
            take_image(&t, c, -1);
            assert_false(t.takes_part);
        }
        pov_scene_fusion_destroy(&t.fusion);
    }
}

static void a_stated_pose_does_not_count_before_another_camera_has_looked(void **state)
{
    (void)state;
    table t;
    set_table(&t, 2, 43);
    for (int c = 0; c < 2; c++)
        pov_scene_fusion_hold(t.fusion, c);
    take_image(&t, 0, -1);
    assert_false(t.takes_part);
    assert_false(t.scene.entities[pov_scene_find(&t.scene, "t0")].placed);
    take_image(&t, 1, -1);
    assert_true(t.takes_part);
    pov_scene_fusion_destroy(&t.fusion);
    set_table(&t, 2, 43);
    pov_scene_fusion_hold(t.fusion, 0);
    while (t.now_ns < 1200000000) /* the other is dead */
        take_image(&t, 0, -1);
    assert_true(t.takes_part);
    pov_scene_fusion_destroy(&t.fusion);
}

/* Of poses that are twice as far off as stated, the scene is not surer than true. */
static void poses_that_are_worse_than_stated_make_the_scene_unsure(void **state)
{
    (void)state;
    double nees = 0, covered = 0;
    for (int trial = 0; trial < TRIALS / 3; trial++) {
        table t;
        set_table(&t, 3, (uint64_t)(5000 + trial));
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 6; i++)
                t.error[c][i] *= 2;
        for (int c = 0; c < 3; c++)
            take_image(&t, c, -1);
        for (int i = 0; i < THINGS && t.takes_part; i++) {
            double of_thing;
            (void)off_of(&t, &of_thing, i);
            nees += of_thing / 3 / THINGS / (TRIALS / 3);
            covered += (of_thing < 8.0249) / (double)THINGS / (TRIALS / 3);
        }
        pov_scene_fusion_destroy(&t.fusion);
    }
    assert_true(nees < 2.2);
    assert_true(covered > 0.7);
}

static void a_camera_that_ends_costs_nothing(void **state)
{
    (void)state;
    table t;
    set_table(&t, 2, 13);
    run_for(&t, 0.5);
    for (int i = 0; i < 60; i++) {
        t.now_ns += interval_ns / 2;
        take_image(&t, 0, 3); /* the other has seen thing 3 last */
    }
    double nees;
    assert_true(off_of(&t, &nees, 3) < 0.02);
    assert_true(t.scene.entities[pov_scene_find(&t.scene, "t3")].track.hidden_s > 1);
    for (int i = 0; i < 400; i++) {
        t.now_ns += interval_ns / 2;
        take_image(&t, 0, 3);
    }
    assert_false(t.scene.entities[pov_scene_find(&t.scene, "t3")].placed);
    assert_int_equal(pov_scene_fusion_report(t.fusion, 0).verdict, POV_FUSION_AGREES);
    pov_scene_fusion_destroy(&t.fusion);
}

/* -------- ids -------- */

/* Each camera numbers two balls from left to right in its own image: opposite cameras do so the other way round. */
static void things_that_look_alike_have_one_number_in_all_views(void **state)
{
    (void)state;
    table t;
    set_table(&t, 2, 17);
    t.cast.len = 1;
    t.cast.members[0].entity = pov_entity_named("ball", "ball");
    t.cast.members[0].count = 2;
    pov_scene_fusion_destroy(&t.fusion);
    t.fusion = pov_scene_fusion_new(&t.cast, 2);
    t.things_m[0] = (pov_vec3){0.1, -0.1, 0.05};
    t.things_m[1] = (pov_vec3){-0.1, 0.1, 0.05};
    for (int image = 0; image < 6; image++) {
        const int camera = image % 2;
        pov_id id, renamed[POV_ENTITY_MAX];
        t.now_ns += interval_ns;
        t.pose.T = pov_transform_plus(t.T_table_camera[camera], t.error[camera]);
        memcpy(t.pose.cov, t.claimed[camera], sizeof t.pose.cov);
        pov_scene_clear(&t.scene);
        assert_int_equal(pov_scene_add_camera(&t.scene, &t.pose).code, POV_OK);
        for (int k = 0; k < 2; k++) {
            const int thing = camera == 0 ? k : 1 - k;
            t.cast.members[thing].entity = pov_entity_named(k == 0 ? "ball_1" : "ball_2", "ball");
            const pov_entity entity = see_thing(&t, camera, thing);
            assert_int_equal(pov_scene_add(&t.scene, &id, &entity).code, POV_OK);
        }
        assert_true(pov_scene_fusion_run(t.fusion, &t.scene, &t.pose, renamed, camera, t.now_ns));
        assert_int_equal(t.scene.len, 3);
        for (int k = 0; k < 2; k++) {
            const pov_id ball = pov_scene_find(&t.scene, k == 0 ? "ball_1" : "ball_2");
            assert_true(pov_vec3_norm(pov_vec3_sub(t.scene.entities[ball].position.mean_m, t.things_m[k])) <
                        0.03);
        }
    }
    pov_scene_fusion_destroy(&t.fusion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_cameras_err_less_and_are_never_surer_than_true),
        cmocka_unit_test(a_thing_hidden_from_one_camera_is_where_the_others_see_it),
        cmocka_unit_test(differences_of_places_are_never_surer_than_true),
        cmocka_unit_test(a_camera_that_moves_is_named_and_the_scene_stays_right_without_it),
        cmocka_unit_test(two_that_contradict_each_other_from_the_start_are_both_doubted),
        cmocka_unit_test(a_clock_that_is_off_is_named_with_its_delay),
        cmocka_unit_test(a_clock_that_each_image_could_excuse_is_named_by_seconds_of_them),
        cmocka_unit_test(before_clocks_are_compared_what_moves_is_unsure),
        cmocka_unit_test(another_lens_is_told_from_a_move),
        cmocka_unit_test(a_small_move_is_named_or_nobody_is),
        cmocka_unit_test(swapped_cables_are_named_and_neither_camera_is_used),
        cmocka_unit_test(a_stated_pose_does_not_count_before_another_camera_has_looked),
        cmocka_unit_test(poses_that_are_worse_than_stated_make_the_scene_unsure),
        cmocka_unit_test(a_camera_that_ends_costs_nothing),
        cmocka_unit_test(things_that_look_alike_have_one_number_in_all_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
