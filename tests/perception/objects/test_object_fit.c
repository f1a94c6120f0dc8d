/* A painted box is fitted: against where it was painted. */
#include "tests/support/painted_view.h"

#include "perception/objects/object_fit.h"
#include "tests/support/near.h"

static const double deg = POV_PI / 180;
static const painted_scene plain = {.gain = 1};
static const object_place truth = {.x_m = 0.03, .y_m = -0.05, .yaw_rad = 0.7};

static object_fit fit_beside(const painted_view *v, double x_m, double y_m, double turn_rad)
{
    object_fitter *fitter;
    object_fit fit = {.place = truth, .light = {1, 1, 1, 0, 0, 0}};
    fit.place.x_m += x_m;
    fit.place.y_m += y_m;
    fit.place.yaw_rad += turn_rad;
    assert_int_equal(pov_object_fitter_new(&fitter).code, POV_OK);
    pov_object_fit_run(fitter, &fit, &v->view, v->model, true);
    pov_object_fitter_destroy(&fitter);
    return fit;
}

static void expect_truth(const object_fit *fit)
{
    assert_near(fit->place.x_m, truth.x_m, 1e-3);
    assert_near(fit->place.y_m, truth.y_m, 1e-3);
    assert_near(remainder(fit->place.yaw_rad - truth.yaw_rad, 2 * POV_PI), 0, 1 * deg);
}

static void a_fit_from_nearby_ends_at_the_truth(void **state)
{
    (void)state;
    painted_view *v = painted_view_new(&truth, plain);
    static const double start[4][3] = {{0.006, 0, 3}, {-0.004, 0.005, -4}, {0, -0.007, 2}, {0.003, 0.003, 5}};
    for (int i = 0; i < 4; i++) {
        const object_fit fit = fit_beside(v, start[i][0], start[i][1], start[i][2] * deg);
        expect_truth(&fit);
        assert_true(fit.cov[0][0] > 0 && fit.cov[2][2] > 0);
    }
    painted_view_destroy(v);
}

static void light_is_fitted_along(void **state)
{
    (void)state;
    painted_view *v = painted_view_new(&truth, (painted_scene){.gain = 0.8, .offset = 10});
    const object_fit fit = fit_beside(v, 0.004, -0.004, 3 * deg);
    expect_truth(&fit);
    for (int c = 0; c < 3; c++) /* at the box's usual level of 120 */
        assert_near(fit.light[c] * 120 + fit.light[3 + c], 0.8 * 120 + 10, 8);
    painted_view_destroy(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_from_nearby_ends_at_the_truth),
        cmocka_unit_test(light_is_fitted_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
