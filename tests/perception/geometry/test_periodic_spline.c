/* Splines round the circle against the curve they are taken from, and against finite differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perception/geometry/geom.h"
#include "perception/geometry/periodic_spline.h"
#include "tests/support/near.h"

enum { KNOTS = 40, COLUMNS = 2 };

typedef struct {
    double angle_rad[KNOTS];
    float value[KNOTS][COLUMNS], bend[KNOTS][COLUMNS];
} curve;

static double wave(double angle_rad, int column)
{
    return column == 0 ? cos(angle_rad) + 0.3 * sin(2 * angle_rad + 1) : sin(3 * angle_rad);
}

static curve uneven(void)
{
    curve c;
    for (int i = 0; i < KNOTS; i++) {
        c.angle_rad[i] = -0.4 + (i + 0.3 * sin(5.0 * i)) * 2 * POV_PI / KNOTS;
        for (int k = 0; k < COLUMNS; k++)
            c.value[i][k] = (float)wave(c.angle_rad[i], k);
    }
    pov_spline_bend(c.bend[0], c.value[0], c.angle_rad, KNOTS, COLUMNS);
    return c;
}

static double value_at(const curve *c, double angle_rad, int column, double *slope)
{
    const pov_spline_place p = pov_spline_find(c->angle_rad, KNOTS, angle_rad);
    const double left = (double)c->value[p.left][column], right = (double)c->value[p.right][column];
    const double left_bend = (double)c->bend[p.left][column], right_bend = (double)c->bend[p.right][column];
    *slope = p.slope_value[0] * left + p.slope_value[1] * right + p.slope_bend[0] * left_bend +
             p.slope_bend[1] * right_bend;
    return p.value[0] * left + p.value[1] * right + p.bend[0] * left_bend + p.bend[1] * right_bend;
}

static void a_smooth_curve_is_met_between_its_knots_and_over_the_seam(void **state)
{
    (void)state;
    const curve c = uneven();
    for (double angle = -8; angle < 8; angle += 0.0137)
        for (int k = 0; k < COLUMNS; k++) {
            double slope;
            assert_near(value_at(&c, angle, k, &slope), wave(angle, k), 2e-3);
        }
}

static void slopes_are_those_of_finite_differences(void **state)
{
    (void)state;
    const curve c = uneven();
    for (double angle = 0; angle < 2 * POV_PI; angle += 0.0731)
        for (int k = 0; k < COLUMNS; k++) {
            double slope, unused;
            value_at(&c, angle, k, &slope);
            const double ahead = value_at(&c, angle + 1e-4, k, &unused),
                         behind = value_at(&c, angle - 1e-4, k, &unused);
            assert_near(slope, (ahead - behind) / 2e-4, 2e-3);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smooth_curve_is_met_between_its_knots_and_over_the_seam),
        cmocka_unit_test(slopes_are_those_of_finite_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
