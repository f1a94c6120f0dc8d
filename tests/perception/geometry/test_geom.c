#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/geom.h"
#include "perception/geometry/linalg.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 200000 };

static pov_vec3 random_vector(test_random *random, double scale)
{
    const double x = test_random_normal(random), y = test_random_normal(random);
    return pov_vec3_scale((pov_vec3){x, y, test_random_normal(random)}, scale);
}

static pov_transform random_transform(test_random *random)
{
    const pov_rot R = pov_rot_exp(random_vector(random, 1.2));
    return (pov_transform){R, random_vector(random, 0.8)};
}

/** A pose with a full covariance of about 2 mrad and 3 mm: small enough for first order to hold. */
static pov_pose random_pose(test_random *random)
{
    double G[36], identity[36] = {0};
    for (int i = 0; i < 36; i++) {
        G[i] = test_random_normal(random) * (i < 18 ? 1e-3 : 1.5e-3);
        identity[i] = i % 7 == 0;
    }
    pov_pose pose = {.T = random_transform(random)};
    pov_sandwich(pose.cov[0], G, identity, 6, 6);
    return pose;
}

/** One draw of the true transform, given the pose's covariance factor. */
static pov_transform draw(test_random *random, const pov_pose *pose, const double L[36])
{
    double unit[6], error[6] = {0};
    for (int i = 0; i < 6; i++)
        unit[i] = test_random_normal(random);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            error[i] += L[i * 6 + j] * unit[j];
    return pov_transform_plus(pose->T, error);
}

typedef struct {
    int n;
    double sum[6][6]; /* of outer products */
} moments;

static void moments_add(moments *m, const double *x, int n)
{
    m->n++;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m->sum[i][j] += x[i] * x[j];
}

/** Sampling error of a covariance entry is about sqrt((a_ii a_jj + a_ij^2) / n); five of them are allowed. */
static void assert_covariance(const moments *m, const double *expected, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double a = expected[i * n + j];
            const double error = sqrt((expected[i * n + i] * expected[j * n + j] + a * a) / m->n);
            assert_true(expected[i * n + i] > 0);
            assert_near(m->sum[i][j] / m->n, a, 5 * error);
        }
}

static void assert_transforms_equal(pov_transform a, pov_transform b, double tolerance)
{
    for (int i = 0; i < 9; i++)
        assert_near(a.R.m[i / 3][i % 3], b.R.m[i / 3][i % 3], tolerance);
    assert_true(pov_vec3_norm(pov_vec3_sub(a.t_m, b.t_m)) <= tolerance);
}

static void products_of_the_unit_vectors_are_right_handed(void **state)
{
    (void)state;
    const pov_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = pov_vec3_cross(x, y);
    assert_true(z.x == 0 && z.y == 0 && z.z == 1);
    assert_true(isnan(pov_vec3_unit((pov_vec3){0, 0, 0}).x));
    assert_near(pov_vec3_dot((pov_vec3){1, 2, 3}, (pov_vec3){4, 5, 6}), 32, 0);
    assert_near(pov_vec3_norm((pov_vec3){2, 3, 6}), 7, 1e-15);
}

static void a_rounded_vector_prints_no_minus_zero(void **state)
{
    (void)state;
    const pov_vec3 v = pov_vec3_rounded((pov_vec3){-0.0004, 0.0016, -1.2344}, 1e-3);
    char text[64];
    snprintf(text, sizeof text, "%.3f %.3f %.3f", v.x, v.y, v.z);
    assert_string_equal(text, "0.000 0.002 -1.234");
}

/** exp by its own power series, summed in the test. */
static pov_rot exp_by_series(pov_vec3 v)
{
    const pov_rot K = {{{0, -v.z, v.y}, {v.z, 0, -v.x}, {-v.y, v.x, 0}}};
    pov_rot sum = pov_rot_identity(), term = pov_rot_identity();
    for (int n = 1; n < 60; n++) {
        term = pov_rot_mul(term, K);
        for (int i = 0; i < 9; i++) {
            term.m[i / 3][i % 3] /= n;
            sum.m[i / 3][i % 3] += term.m[i / 3][i % 3];
        }
    }
    return sum;
}

static void exp_agrees_with_the_matrix_exponential(void **state)
{
    (void)state;
    test_random random = {1};
    for (double scale = 1e-12; scale < 5; scale *= 3) {
        const pov_vec3 v = random_vector(&random, scale);
        const pov_rot expected = exp_by_series(v), R = pov_rot_exp(v);
        for (int i = 0; i < 9; i++)
            assert_near(R.m[i / 3][i % 3], expected.m[i / 3][i % 3], 1e-13);
        assert_true(pov_rot_is_valid(R, 1e-14));
    }
}

static void log_undoes_exp_from_zero_to_pi(void **state)
{
    (void)state;
    test_random random = {2};
    const double angles[] = {0,   1e-300,        1e-12,         1e-9,   1e-8,          1e-5,          0.1,
                             1.5, POV_PI - 1e-3, POV_PI - 1e-6, 3.1415, POV_PI - 1e-9, POV_PI - 1e-12};
    for (size_t a = 0; a < sizeof angles / sizeof angles[0]; a++)
        for (int round = 0; round < 50; round++) {
            const pov_vec3 v = pov_vec3_scale(pov_vec3_unit(random_vector(&random, 1)), angles[a]);
            const pov_vec3 back = pov_rot_log(pov_rot_exp(v));
            assert_true(pov_vec3_norm(pov_vec3_sub(back, v)) <= 1e-15 + 4e-15 * angles[a]);
        }
}

static void log_of_a_half_turn_has_norm_pi(void **state)
{
    (void)state;
    const pov_rot turns[] = {{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}},
                             {{{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}},
                             {{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}},
                             {{{0, 1, 0}, {1, 0, 0}, {0, 0, -1}}}};
    for (int i = 0; i < 4; i++) {
        const pov_vec3 v = pov_rot_log(turns[i]);
        assert_near(pov_vec3_norm(v), POV_PI, 1e-14);
        const pov_rot back = pov_rot_exp(v);
        for (int j = 0; j < 9; j++)
            assert_near(back.m[j / 3][j % 3], turns[i].m[j / 3][j % 3], 1e-14);
    }
}

static void a_quarter_yaw_takes_x_to_y(void **state)
{
    (void)state;
    const pov_vec3 y = pov_rot_apply(pov_rot_yaw(POV_PI / 2), (pov_vec3){1, 0, 0});
    assert_true(pov_vec3_norm(pov_vec3_sub(y, (pov_vec3){0, 1, 0})) < 1e-15);
}

static void a_matrix_that_is_no_rotation_is_told(void **state)
{
    (void)state;
    pov_rot mirror = pov_rot_identity();
    mirror.m[2][2] = -1;
    assert_false(pov_rot_is_valid(mirror, 1e-3));
    assert_true(isnan(pov_rot_nearest(mirror).m[0][0]));
    pov_rot stretched = pov_rot_identity();
    stretched.m[0][0] = 1.01;
    assert_false(pov_rot_is_valid(stretched, 1e-3));
    assert_true(pov_rot_is_valid(stretched, 0.05));
    stretched.m[1][2] = NAN;
    assert_false(pov_rot_is_valid(stretched, 0.05));
}

static double squared_distance(pov_rot A, pov_rot B)
{
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += (A.m[i / 3][i % 3] - B.m[i / 3][i % 3]) * (A.m[i / 3][i % 3] - B.m[i / 3][i % 3]);
    return sum;
}

static void no_small_turn_brings_the_nearest_rotation_nearer(void **state)
{
    (void)state;
    test_random random = {3};
    for (int round = 0; round < 100; round++) {
        pov_rot almost = pov_rot_exp(random_vector(&random, 1));
        for (int i = 0; i < 9; i++)
            almost.m[i / 3][i % 3] += 0.02 * test_random_normal(&random);
        const pov_rot R = pov_rot_nearest(almost);
        assert_true(pov_rot_is_valid(R, 1e-13));
        for (int turn = 0; turn < 20; turn++) {
            const pov_rot other = pov_rot_mul(pov_rot_exp(random_vector(&random, 1e-3)), R);
            assert_true(squared_distance(almost, other) >= squared_distance(almost, R));
        }
    }
}

static void a_transform_times_its_inverse_is_the_identity(void **state)
{
    (void)state;
    test_random random = {4};
    for (int round = 0; round < 100; round++) {
        const pov_transform T = random_transform(&random), U = random_transform(&random);
        assert_transforms_equal(pov_transform_mul(T, pov_transform_inverse(T)), pov_transform_identity(),
                                1e-14);
        const pov_vec3 p = random_vector(&random, 2);
        const pov_vec3 once = pov_transform_apply(pov_transform_mul(T, U), p);
        const pov_vec3 twice = pov_transform_apply(T, pov_transform_apply(U, p));
        assert_true(pov_vec3_norm(pov_vec3_sub(once, twice)) < 1e-13);
    }
}

static void plus_undoes_minus(void **state)
{
    (void)state;
    test_random random = {5};
    for (int round = 0; round < 100; round++) {
        const pov_transform a = random_transform(&random), b = random_transform(&random);
        double difference[6];
        pov_transform_minus(difference, a, b);
        assert_transforms_equal(pov_transform_plus(b, difference), a, 1e-13);
    }
}

static void looking_at_a_target_puts_it_on_the_axis_with_up_upward(void **state)
{
    (void)state;
    const pov_vec3 up = {0, 0, 1};
    test_random random = {6};
    for (int round = 0; round < 100; round++) {
        const pov_vec3 eye = random_vector(&random, 3), target = random_vector(&random, 3);
        const pov_transform T_table_camera = pov_transform_look_at(eye, target, up);
        const pov_transform T_camera_table = pov_transform_inverse(T_table_camera);
        assert_true(pov_rot_is_valid(T_table_camera.R, 1e-12));
        const pov_vec3 seen = pov_transform_apply(T_camera_table, target);
        assert_true(fabs(seen.x) < 1e-12 && fabs(seen.y) < 1e-12 && seen.z > 0);
        const pov_vec3 up_seen = pov_rot_apply(T_camera_table.R, up);
        assert_true(fabs(up_seen.x) < 1e-12 && up_seen.y < 0);
    }
    assert_true(isnan(pov_transform_look_at(up, up, up).R.m[0][0]));
    assert_true(isnan(pov_transform_look_at((pov_vec3){0, 0, 2}, (pov_vec3){0, 0, 0}, up).R.m[0][0]));
}

static void composed_covariance_agrees_with_monte_carlo(void **state)
{
    (void)state;
    test_random random = {7};
    const pov_pose T_a_b = random_pose(&random), T_b_c = random_pose(&random);
    const pov_pose T_a_c = pov_pose_mul(&T_a_b, &T_b_c);
    double L_ab[36], L_bc[36];
    assert_true(pov_cholesky(L_ab, T_a_b.cov[0], 6) && pov_cholesky(L_bc, T_b_c.cov[0], 6));
    moments m = {0};
    for (int i = 0; i < SAMPLES; i++) {
        double error[6];
        const pov_transform T_ab = draw(&random, &T_a_b, L_ab);
        pov_transform_minus(error, pov_transform_mul(T_ab, draw(&random, &T_b_c, L_bc)), T_a_c.T);
        moments_add(&m, error, 6);
    }
    assert_covariance(&m, T_a_c.cov[0], 6);
}

static void inverted_covariance_agrees_with_monte_carlo(void **state)
{
    (void)state;
    test_random random = {8};
    const pov_pose T_a_b = random_pose(&random);
    const pov_pose T_b_a = pov_pose_inverse(&T_a_b);
    double L[36];
    assert_true(pov_cholesky(L, T_a_b.cov[0], 6));
    moments m = {0};
    for (int i = 0; i < SAMPLES; i++) {
        double error[6];
        pov_transform_minus(error, pov_transform_inverse(draw(&random, &T_a_b, L)), T_b_a.T);
        moments_add(&m, error, 6);
    }
    assert_covariance(&m, T_b_a.cov[0], 6);
}

static void applied_covariance_agrees_with_monte_carlo(void **state)
{
    (void)state;
    test_random random = {9};
    const pov_pose T_a_b = random_pose(&random);
    const pov_vec3 pos_b_m = {0.7, -1.1, 0.4};
    const double std_m[3] = {0.004, 0.001, 0.002};
    const double cov_b_m2[3][3] = {
        {std_m[0] * std_m[0], 0, 0}, {0, std_m[1] * std_m[1], 0}, {0, 0, std_m[2] * std_m[2]}};
    double L[36], cov_a_m2[3][3];
    const pov_vec3 pos_a_m = pov_pose_apply(&T_a_b, cov_a_m2, pos_b_m, cov_b_m2);
    assert_true(pov_cholesky(L, T_a_b.cov[0], 6));
    moments m = {0};
    for (int i = 0; i < SAMPLES; i++) {
        const pov_vec3 noise = {std_m[0] * test_random_normal(&random),
                                std_m[1] * test_random_normal(&random),
                                std_m[2] * test_random_normal(&random)};
        const pov_vec3 point = pov_transform_apply(draw(&random, &T_a_b, L), pov_vec3_add(pos_b_m, noise));
        const pov_vec3 error = pov_vec3_sub(point, pos_a_m);
        moments_add(&m, (double[]){error.x, error.y, error.z}, 3);
    }
    assert_covariance(&m, cov_a_m2[0], 3);
}

static void an_exact_point_adds_no_covariance(void **state)
{
    (void)state;
    test_random random = {10};
    const pov_pose exact = pov_pose_exact(random_transform(&random)), pose = random_pose(&random);
    const double none[3][3] = {{0}};
    double cov[3][3], with_none[3][3];
    pov_pose_apply(&exact, cov, (pov_vec3){1, 2, 3}, NULL);
    assert_memory_equal(cov, none, sizeof none);
    pov_pose_apply(&pose, cov, (pov_vec3){1, 2, 3}, NULL);
    pov_pose_apply(&pose, with_none, (pov_vec3){1, 2, 3}, none);
    for (int i = 0; i < 9; i++)
        assert_true(cov[i / 3][i % 3] == with_none[i / 3][i % 3]);
}

static void inverting_a_pose_twice_gives_its_covariance_back(void **state)
{
    (void)state;
    test_random random = {11};
    const pov_pose pose = random_pose(&random);
    const pov_pose once = pov_pose_inverse(&pose), twice = pov_pose_inverse(&once);
    for (int i = 0; i < 36; i++)
        assert_near(twice.cov[i / 6][i % 6], pose.cov[i / 6][i % 6], 1e-18);
}

static void angles_wrap_to_the_half_open_turn(void **state)
{
    (void)state;
    assert_true(pov_angle_wrap(POV_PI) == POV_PI);
    assert_true(pov_angle_wrap(-POV_PI) == POV_PI);
    for (int turns = -5; turns <= 5; turns++)
        for (int degrees = -179; degrees <= 180; degrees++) {
            const double angle_rad = degrees * POV_PI / 180;
            const double wrapped = pov_angle_wrap(angle_rad + turns * 2 * POV_PI);
            assert_true(wrapped > -POV_PI && wrapped <= POV_PI);
            assert_near(sin(wrapped), sin(angle_rad), 1e-14);
            assert_near(cos(wrapped), cos(angle_rad), 1e-14);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_the_unit_vectors_are_right_handed),
        cmocka_unit_test(a_rounded_vector_prints_no_minus_zero),
        cmocka_unit_test(exp_agrees_with_the_matrix_exponential),
        cmocka_unit_test(log_undoes_exp_from_zero_to_pi),
        cmocka_unit_test(log_of_a_half_turn_has_norm_pi),
        cmocka_unit_test(a_quarter_yaw_takes_x_to_y),
        cmocka_unit_test(a_matrix_that_is_no_rotation_is_told),
        cmocka_unit_test(no_small_turn_brings_the_nearest_rotation_nearer),
        cmocka_unit_test(a_transform_times_its_inverse_is_the_identity),
        cmocka_unit_test(plus_undoes_minus),
        cmocka_unit_test(looking_at_a_target_puts_it_on_the_axis_with_up_upward),
        cmocka_unit_test(composed_covariance_agrees_with_monte_carlo),
        cmocka_unit_test(inverted_covariance_agrees_with_monte_carlo),
        cmocka_unit_test(applied_covariance_agrees_with_monte_carlo),
        cmocka_unit_test(an_exact_point_adds_no_covariance),
        cmocka_unit_test(inverting_a_pose_twice_gives_its_covariance_back),
        cmocka_unit_test(angles_wrap_to_the_half_open_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
