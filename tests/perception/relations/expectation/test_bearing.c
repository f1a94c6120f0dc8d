#include "perception/relations/expectation/bearing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perception/geometry/linalg.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

enum { SECTORS = 8, SAMPLES = 200000 };

static void edges_of_eight(double edges_rad[SECTORS])
{
    for (int i = 0; i < SECTORS; i++)
        edges_rad[i] = (i * 45 - 22.5) * POV_PI / 180;
}

/* Best & Fisher 1979's sampler of the von Mises. */
static double von_mises(test_random *random, double mean_rad, double kappa)
{
    if (isinf(kappa))
        return mean_rad;
    double tau = 1 + sqrt(1 + 4 * kappa * kappa), rho = (tau - sqrt(2 * tau)) / (2 * kappa);
    double r = (1 + rho * rho) / (2 * rho);
    for (;;) {
        double z = cos(POV_PI * test_random_between(random, 0, 1)), f = (1 + r * z) / (r + z),
               c = kappa * (r - f);
        double u = test_random_between(random, 0x1p-50, 1);
        if (c * (2 - c) > u || log(c / u) + 1 - c >= 0)
            return mean_rad + (test_random_between(random, -1, 1) > 0 ? 1 : -1) * acos(fmax(-1, fmin(1, f)));
    }
}

static void sample(double p[SECTORS], const pov_bearing *bearing, test_random *random)
{
    double L[2][2] = {{sqrt(bearing->cov_m2[0][0]), 0}, {0, 0}};
    L[1][0] = L[0][0] > 0 ? bearing->cov_m2[0][1] / L[0][0] : 0;
    L[1][1] = sqrt(fmax(0, bearing->cov_m2[1][1] - L[1][0] * L[1][0]));
    memset(p, 0, SECTORS * sizeof *p);
    for (int i = 0; i < SAMPLES; i++) {
        double u = test_random_normal(random), w = test_random_normal(random);
        double choice = test_random_between(random, 0, 1);
        int mode = 0;
        while (mode + 1 < bearing->heading.len && choice > bearing->heading.mode[mode].weight)
            choice -= bearing->heading.mode[mode++].weight;
        double yaw =
            von_mises(random, bearing->heading.mode[mode].yaw_rad, bearing->heading.mode[mode].kappa);
        double angle = atan2(bearing->v_m.y + L[1][0] * u + L[1][1] * w, bearing->v_m.x + L[0][0] * u) - yaw;
        double turned = fmod(angle + POV_PI / 8 + 8 * POV_PI, 2 * POV_PI);
        p[(int)(turned / (POV_PI / 4)) % SECTORS] += 1.0 / SAMPLES;
    }
}

static pov_bearing random_bearing(test_random *random)
{
    double scale = pow(10, test_random_between(random, -2, 1)), c = test_random_between(random, -0.9, 0.9);
    double sx = scale * test_random_between(random, 0.2, 1), sy = scale * test_random_between(random, 0.2, 1);
    pov_bearing bearing = {.v_m = {test_random_normal(random), test_random_normal(random)},
                           .cov_m2 = {{sx * sx, c * sx * sy}, {c * sx * sy, sy * sy}},
                           .heading = {.len = 2}};
    bearing.heading.mode[0] = (pov_heading_mode){0.7, test_random_between(random, -3, 3),
                                                 pow(10, test_random_between(random, -1, 4))};
    bearing.heading.mode[1] = (pov_heading_mode){0.3, test_random_between(random, -3, 3), INFINITY};
    return bearing;
}

static void sectors_agree_with_monte_carlo(void **state)
{
    (void)state;
    test_random random = {1};
    double edges_rad[SECTORS], p[SECTORS], sampled[SECTORS];
    edges_of_eight(edges_rad);
    for (int trial = 0; trial < 20; trial++) {
        pov_bearing bearing = random_bearing(&random);
        pov_bearing_sectors(p, &bearing, edges_rad, SECTORS);
        sample(sampled, &bearing, &random);
        double sum = 0;
        for (int i = 0; i < SECTORS; i++) {
            assert_near(p[i], sampled[i], 0.006); /* 5 deviations of the samples, and 1e-3 */
            sum += p[i];
        }
        assert_near(sum, 1, 1e-9);
    }
}

static void without_noise_one_sector_has_it_all(void **state)
{
    (void)state;
    double edges_rad[SECTORS], p[SECTORS];
    edges_of_eight(edges_rad);
    for (int degrees = 1; degrees < 360; degrees += 2) {
        pov_bearing bearing = {.v_m = {cos(degrees * POV_PI / 180 + 1), sin(degrees * POV_PI / 180 + 1)},
                               .heading = pov_heading_single(1, INFINITY)};
        pov_bearing_sectors(p, &bearing, edges_rad, SECTORS);
        assert_near(p[(int)((degrees + 22.5) / 45) % SECTORS], 1, 1e-9);
        assert_near(pov_angle_wrap(pov_bearing_mean_rad(&bearing) - degrees * POV_PI / 180), 0, 1e-9);
    }
}

/* However small it is against the distance. */
static void next_to_no_noise_is_as_none(void **state)
{
    (void)state;
    double edges_rad[SECTORS], p[SECTORS], without[SECTORS];
    edges_of_eight(edges_rad);
    for (int power = -10; power <= -5; power++)
        for (int eighth = 0; eighth < SECTORS; eighth++) {
            const double std_m = pow(10, power), yaw_rad = eighth * POV_PI / 4;
            pov_bearing bearing = {.v_m = {0.5 * round(1.4 * cos(yaw_rad)), 0.5 * round(1.4 * sin(yaw_rad))},
                                   .heading = pov_heading_single(0.2, 20)};
            pov_bearing_sectors(without, &bearing, edges_rad, SECTORS);
            bearing.cov_m2[0][0] = std_m * std_m;
            pov_bearing_sectors(p, &bearing, edges_rad, SECTORS);
            for (int i = 0; i < SECTORS; i++)
                assert_near(p[i], without[i], 1e-3);
        }
}

/* The error that two positions share through the camera does not blur the direction between them. */
static void shared_errors_cancel(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_bearing bearing;
    pov_scene_clear(&scene);
    for (int i = 0; i < 6; i++)
        scene.camera_pose_cov[i][i] = 0.25;
    for (int i = 0; i < 2; i++) {
        pov_id id;
        pov_entity entity = pov_entity_named(i ? "b" : "a", "thing");
        entity.placed = true;
        entity.position.mean_m = (pov_vec3){i, 0, 0};
        entity.position.own_cov_m2[1][1] = 1e-4;
        for (int k = 0; k < 3; k++)
            entity.position.per_camera_pose[k][3 + k] = 1;
        assert_int_equal(pov_scene_add(&scene, &id, &entity).code, POV_OK);
    }
    assert_int_equal(pov_bearing_between(&bearing, &scene, 0, 1), POV_OK);
    assert_near(bearing.cov_m2[0][0], 0, 1e-15);
    assert_near(bearing.cov_m2[1][1], 2e-4, 1e-15);
    assert_near(bearing.v_m.x, 1, 0);
    scene.entities[1].position.own_cov_m2[0][0] = 2; /* as far apart as unsure */
    assert_int_equal(pov_bearing_between(&bearing, &scene, 0, 1), POV_UNDEFINED);
    scene.entities[1].placed = false;
    assert_int_equal(pov_bearing_between(&bearing, &scene, 0, 1), POV_UNDEFINED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_agree_with_monte_carlo),
        cmocka_unit_test(without_noise_one_sector_has_it_all),
        cmocka_unit_test(next_to_no_noise_is_as_none),
        cmocka_unit_test(shared_errors_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
