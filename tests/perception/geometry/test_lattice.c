#include "perception/geometry/lattice.h"
#include "perception/relations/expectation/heading_quantile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

static void quantiles_invert_the_normal_distribution(void **state)
{
    (void)state;
    for (double p = 1e-12; p < 1; p = p < 0.01 ? p * 1.7 : p + 0.003) {
        assert_near(0.5 * erfc(-pov_normal_quantile(p) / sqrt(2)) / p, 1, 1e-9);
        if (p > 1e-6)
            assert_near(pov_normal_quantile(1 - p), -pov_normal_quantile(p), 1e-8);
    }
    assert_near(pov_normal_quantile(0.975), 1.959963984540054, 1e-12);
}

/* The integral of a product of functions of mean 1 is 1. */
static double product_mean(int points, int dimensions)
{
    double point[POV_LATTICE_DIMENSIONS_MAX], sum = 0;
    for (int i = 0; i < points; i++) {
        double product = 1;
        pov_lattice_point(point, dimensions, i);
        for (int k = 0; k < dimensions; k++)
            product *= 1 + (point[k] - 0.5) / (k + 1) / (k + 1);
        sum += product;
    }
    return sum / points;
}

static void means_of_smooth_functions_converge_faster_than_random_ones(void **state)
{
    (void)state;
    assert_near(product_mean(1024, 3), 1, 2e-4);
    assert_near(product_mean(1024, 9), 1, 5e-4);
    assert_near(product_mean(8192, 9), 1, 5e-5);
    assert_near(product_mean(8192, 36), 1, 1e-4);
}

static void coordinates_fill_every_interval_evenly(void **state)
{
    (void)state;
    enum { POINTS = 1024, BINS = 64 };
    int counts[POV_LATTICE_DIMENSIONS_MAX][BINS] = {{0}};
    double point[POV_LATTICE_DIMENSIONS_MAX];
    for (int i = 0; i < POINTS; i++) {
        pov_lattice_point(point, POV_LATTICE_DIMENSIONS_MAX, i);
        for (int k = 0; k < POV_LATTICE_DIMENSIONS_MAX; k++) {
            assert_true(point[k] > 0 && point[k] < 1);
            counts[k][(int)(point[k] * BINS)]++;
        }
    }
    for (int k = 0; k < POV_LATTICE_DIMENSIONS_MAX; k++)
        for (int bin = 0; bin < BINS; bin++)
            assert_in_range(counts[k][bin], POINTS / BINS - 1, POINTS / BINS + 1);
}

/* Balls of several sizes about a corner in three dimensions. */
static void regions_hold_their_share_of_points(void **state)
{
    (void)state;
    double point[3];
    for (double radius = 0.3; radius <= 1; radius += 0.1) {
        int inside = 0;
        for (int i = 0; i < 8192; i++) {
            pov_lattice_point(point, 3, i);
            inside += point[0] * point[0] + point[1] * point[1] + point[2] * point[2] < radius * radius;
        }
        assert_near(inside / 8192.0, POV_PI / 6 * radius * radius * radius, 0.004);
    }
}

/* Trigonometric moments of the von Mises by quadrature of its density. */
static double resultant(double kappa)
{
    double sum = 0, weight = 0;
    for (int i = 0; i < 100000; i++) {
        double angle_rad = 2 * POV_PI * i / 100000;
        double density = exp(kappa * (cos(angle_rad) - 1));
        sum += density * cos(angle_rad);
        weight += density;
    }
    return sum / weight;
}

static void headings_drawn_have_the_moments_of_their_mixture(void **state)
{
    (void)state;
    const double kappas[] = {0, 0.3, 2, 10, 49, 51, 400, 1e6};
    for (size_t i = 0; i < sizeof kappas / sizeof *kappas; i++) {
        pov_heading heading = pov_heading_single(0.7, kappas[i]);
        pov_heading_quantile quantile;
        heading.len = 2;
        heading.mode[0].weight = 0.75;
        heading.mode[1] = (pov_heading_mode){0.25, 0.7 + POV_PI / 2, 5};
        pov_heading_quantile_of(&quantile, &heading);
        double along = 0, across = 0;
        for (int k = 0; k < 20000; k++) {
            double off_rad = pov_heading_quantile_at(&quantile, (k + 0.5) / 20000) - 0.7;
            along += cos(off_rad) / 20000;
            across += sin(off_rad) / 20000;
        }
        assert_near(along, 0.75 * resultant(kappas[i]), 1e-3);
        assert_near(across, 0.25 * resultant(5), 1e-3);
        assert_false(pov_heading_quantile_is_exact(&quantile));
    }
}

static void sure_headings_are_exact(void **state)
{
    (void)state;
    pov_heading heading = pov_heading_single(-2, 1e12);
    pov_heading_quantile quantile;
    pov_heading_quantile_of(&quantile, &heading);
    assert_true(pov_heading_quantile_is_exact(&quantile));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_invert_the_normal_distribution),
        cmocka_unit_test(means_of_smooth_functions_converge_faster_than_random_ones),
        cmocka_unit_test(coordinates_fill_every_interval_evenly),
        cmocka_unit_test(regions_hold_their_share_of_points),
        cmocka_unit_test(headings_drawn_have_the_moments_of_their_mixture),
        cmocka_unit_test(sure_headings_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
