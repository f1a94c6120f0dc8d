#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/linalg.h"
#include "perception/tracking/pose_hold.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>
#include <string.h>

static const int64_t interval_ns = 33333333;
static const double std[6] = {0.002, 0.002, 0.001, 0.003, 0.003, 0.005};

static void draw(test_random *random, double error[6], double share)
{
    for (int i = 0; i < 6; i++)
        error[i] = sqrt(share) * std[i] * test_random_normal(random);
}

static pov_pose seen(pov_transform truth, const double lasting[6], test_random *random, double share)
{
    double error[6];
    draw(random, error, share);
    for (int i = 0; i < 6; i++)
        error[i] += lasting[i];
    pov_pose pose = {.T = pov_transform_plus(truth, error)};
    for (int i = 0; i < 6; i++)
        pose.cov[i][i] = std[i] * std[i];
    return pose;
}

static pov_transform somewhere(void)
{
    return pov_transform_look_at((pov_vec3){0.4, -1, 0.7}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1});
}

static double nees(const pov_pose *pose, pov_transform truth)
{
    double L[36], error[6], solved[6], sum = 0;
    pov_transform_minus(error, pose->T, truth);
    assert_true(pov_cholesky(L, &pose->cov[0][0], 6));
    pov_cholesky_solve(solved, L, error, 6);
    for (int i = 0; i < 6; i++)
        sum += error[i] * solved[i] / 6;
    return sum;
}

static void a_camera_that_stands_still_jitters_less_and_says_honestly_how_sure_it_is(void **state)
{
    (void)state;
    enum { RUNS = 60 };
    double mean = 0, moved = 0, jitter = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        test_random random = {run};
        pov_pose_hold hold = {0};
        double lasting[6];
        pov_vec3 last = {0};
        draw(&random, lasting, 0.5);
        for (int image = 0; image < 150; image++) {
            pov_pose pose = seen(somewhere(), lasting, &random, 0.5);
            bool still = pov_pose_hold_update(&hold, &pose, image * interval_ns);
            assert_int_equal(still, image >= 4);
            if (image > 100)
                jitter += pov_vec3_norm(pov_vec3_sub(pose.T.t_m, last));
            last = pose.T.t_m;
            if (image == 149)
                mean += nees(&pose, somewhere()) / RUNS;
        }
        moved += 49 * sqrt(2 * 0.5 * (0.003 * 0.003 + 0.003 * 0.003 + 0.005 * 0.005));
    }
    assert_true(jitter < 0.05 * moved);
    assert_true(mean > 0.6 && mean < 1 + 2.576 * sqrt(2.0 / (6 * RUNS)));
}

static void a_camera_that_moves_is_where_each_image_says(void **state)
{
    (void)state;
    test_random random = {5};
    pov_pose_hold hold = {0};
    const double nothing[6] = {0};
    int still = 0;
    for (int image = 0; image < 120; image++) {
        pov_transform truth = somewhere();
        if (image >= 60)
            truth.t_m.x += 0.3 * (image - 60) / 30.0;
        pov_pose pose = seen(truth, nothing, &random, 0.3), before = pose;
        bool stands = pov_pose_hold_update(&hold, &pose, image * interval_ns);
        if (image >= 65) {
            still += stands;
            assert_true(stands || memcmp(&pose, &before, sizeof pose) == 0);
        }
    }
    assert_true(still <= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_camera_that_stands_still_jitters_less_and_says_honestly_how_sure_it_is),
        cmocka_unit_test(a_camera_that_moves_is_where_each_image_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
