/* Portraits of a painted box, made ready: against the box. */
#include "tests/support/painted_view.h"

#include "tests/support/near.h"

static const double deg = POV_PI / 180;

static void the_box_about_the_points_is_the_painted_box(void **state)
{
    const object_model *model = *state;
    const double pixel_m = 2 * model->radius_m / (POV_PORTRAIT_SIDE - 4);
    assert_near(model->size_m.x, painted_box_m.x, pixel_m);
    assert_near(model->size_m.y, painted_box_m.y, pixel_m);
    assert_near(model->size_m.z, painted_box_m.z, 1e-12);
    assert_near(model->middle_m.x, 0, pixel_m);
    assert_near(model->middle_m.y, 0, pixel_m);
    assert_near(model->elevation_rad, painted_elevation_rad, 1e-9);
}

static void every_point_is_on_the_box_and_has_its_colour(void **state)
{
    const object_model *model = *state;
    const double pixel_m = 2 * model->radius_m / (POV_PORTRAIT_SIDE - 4);
    for (int k = 0; k < model->len; k++)
        for (int i = 0; i < model->portraits[k].point_len; i++) {
            const object_point *point = &model->portraits[k].points[i];
            const pov_vec3 p = {(double)point->place_m[0], (double)point->place_m[1],
                                (double)point->place_m[2]};
            const double out_m = fmax(fmax(fabs(p.x) - painted_box_m.x / 2, fabs(p.y) - painted_box_m.y / 2),
                                      fabs(p.z - painted_box_m.z / 2) - painted_box_m.z / 2);
            assert_near(out_m, 0, pixel_m);
            double rgb[3];
            painted_colour(rgb, p);
            if (fabs(p.x) > pixel_m && fabs(p.y) > pixel_m && fabs(p.z - painted_box_m.z / 2) > pixel_m)
                for (int c = 0; c < 3; c++)
                    assert_near((double)point->colour[c], rgb[c], 1);
        }
}

static void the_eye_is_between_two_portraits_by_its_share_of_their_angle(void **state)
{
    const object_model *model = *state;
    for (double azimuth = -179; azimuth < 180; azimuth += 7) {
        const object_pair pair = pov_object_model_between(model, azimuth * deg);
        assert_near(pair.share[0] + pair.share[1], 1, 1e-12);
        const double left = pair.portrait[0]->azimuth_rad, step = 2 * POV_PI / PAINTED_PORTRAITS;
        assert_near(remainder(pair.portrait[1]->azimuth_rad - left - step, 2 * POV_PI), 0, 1e-9);
        assert_near(remainder(left + pair.share[1] * step - azimuth * deg, 2 * POV_PI), 0, 1e-9);
        assert_true(
            fabs(remainder(pov_object_model_nearest(model, azimuth * deg)->azimuth_rad - azimuth * deg,
                           2 * POV_PI)) < step / 2 + 1e-9);
    }
}

static void a_portrait_left_out_is_never_used(void **state)
{
    object_model *model = *state;
    model->left_out = 5;
    for (double azimuth = -179; azimuth < 180; azimuth += 3) {
        const object_pair pair = pov_object_model_between(model, azimuth * deg);
        assert_ptr_not_equal(pair.portrait[0], &model->portraits[5]);
        assert_ptr_not_equal(pair.portrait[1], &model->portraits[5]);
    }
    model->left_out = -1;
}

static int set_up(void **state)
{
    object_model *model;
    pov_portraits *portraits = painted_portraits();
    const pov_status status = pov_object_model_new(&model, portraits);
    free(portraits);
    *state = model;
    return status.code;
}

static int tear_down(void **state)
{
    object_model *model = *state;
    pov_object_model_destroy(&model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_box_about_the_points_is_the_painted_box),
        cmocka_unit_test(every_point_is_on_the_box_and_has_its_colour),
        cmocka_unit_test(the_eye_is_between_two_portraits_by_its_share_of_their_angle),
        cmocka_unit_test(a_portrait_left_out_is_never_used),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
