/* Places before a camera, and claims of its pixels: against projection by the camera, and by hand. */
#include "tests/support/painted_view.h"

#include "tests/support/near.h"

static const double deg = POV_PI / 180;
static const object_place truth = {.x_m = 0.03, .y_m = -0.05, .yaw_rad = 0.7};

static void a_places_azimuth_and_elevation_are_those_of_the_eye(void **state)
{
    const painted_view *v = *state;
    const object_place at_origin = {.yaw_rad = 0};
    const object_place turned = {.yaw_rad = 30 * deg};
    assert_near(pov_object_view_azimuth(&v->view, &at_origin), 0, 1e-12); /* the eye is at y = 0, x > 0 */
    assert_near(pov_object_view_azimuth(&v->view, &turned), -30 * deg, 1e-12);
    assert_near(pov_object_view_elevation_off(&v->view, v->model, &at_origin), 0, 1e-9);
}

static void a_place_is_in_view_within_the_image_and_near_the_portraits_elevation(void **state)
{
    const painted_view *v = *state;
    const object_place aside = {.y_m = 0.5}, beneath = {.x_m = 0.6};
    assert_true(pov_object_place_in_view(&v->view, v->model, &truth));
    assert_false(pov_object_place_in_view(&v->view, v->model, &aside));
    assert_false(pov_object_place_in_view(&v->view, v->model, &beneath));
}

static void a_sight_is_the_projection_to_a_fifth_of_a_pixel(void **state)
{
    const painted_view *v = *state;
    object_sight s;
    assert_true(pov_object_sight_at(&s, &v->view, v->model, &truth));
    for (int i = 0; i < 8; i++) {
        const float place_m[3] = {i % 2 ? 0.05F : -0.05F, i / 2 % 2 ? 0.03F : -0.03F, i / 4 ? 0.07F : 0};
        const double c = cos(truth.yaw_rad), sn = sin(truth.yaw_rad), x = (double)place_m[0],
                     y = (double)place_m[1];
        const pov_vec3 on_table_m = {truth.x_m + c * x - sn * y, truth.y_m + sn * x + c * y,
                                     (double)place_m[2]};
        const pov_vec3 in_camera_m = pov_transform_apply(v->view.T_camera_table, on_table_m);
        pov_vec2 exact;
        float right, below, depth_m, at_m[3] = {place_m[0], place_m[1], place_m[2]};
        assert_int_equal(pov_camera_project(&v->camera, &exact, NULL, in_camera_m), POV_OK);
        pov_object_sight_pixels(&s, &right, &below, &depth_m, (float *const[3]){&at_m[0], &at_m[1], &at_m[2]},
                                1);
        const double scale = 1 << s.level; /* a level's pixel is the mean of scale * scale of the image's */
        assert_near(scale * ((double)right + 0.5) - 0.5, exact.x, 0.2);
        assert_near(scale * ((double)below + 0.5) - 0.5, exact.y, 0.2);
        assert_near((double)depth_m, in_camera_m.z, 1e-6);
    }
}

static object_claim claim_at(const object_view *view, const object_model *model, pov_vec2 pixel,
                             double depth_m)
{
    const object_sight sight = {.level = 0};
    const float x = (float)pixel.x, y = (float)pixel.y,
                depth = (float)depth_m, *const at[3] = {&x, &y, &depth};
    uint8_t claim;
    (void)pov_object_view_claims(&claim, view, model, &sight, at, 1);
    return (object_claim)claim;
}

static void a_claimed_square_is_claimed_inside_and_free_outside(void **state)
{
    painted_view *v = *state;
    const pov_vec2 corner_px[4] = {{100, 100}, {200, 100}, {200, 200}, {100, 200}};
    pov_object_claims_add_other(&v->claims, corner_px, 0.5);
    assert_int_equal(claim_at(&v->view, v->model, (pov_vec2){150, 150}, 0.8), OBJECT_CLAIMED_BEFORE);
    assert_int_equal(claim_at(&v->view, v->model, (pov_vec2){150, 150}, 0.3), OBJECT_CLAIMED_BEHIND);
    assert_int_equal(claim_at(&v->view, v->model, (pov_vec2){90, 150}, 0.8), OBJECT_UNCLAIMED);
    assert_int_equal(claim_at(&v->view, v->model, (pov_vec2){-5, 150}, 0.8), OBJECT_UNCLAIMED);
    int claimed = 0;
    for (int i = 0; i < v->claims.width * v->claims.height; i++)
        claimed += v->claims.by[i] == OBJECT_CLAIM_OF_OTHERS;
    assert_near(claimed, 25 * 25, 51); /* of 4 x 4 pixels, a border's width off at most */
    pov_object_claims_clear(&v->claims);
    assert_int_equal(claim_at(&v->view, v->model, (pov_vec2){150, 150}, 0.8), OBJECT_UNCLAIMED);
}

static void an_object_claims_its_pixels_from_others_but_not_from_itself(void **state)
{
    painted_view *v = *state;
    const object_cover shown = {{false}};
    const object_model other = *v->model;
    object_sight s;
    assert_true(pov_object_sight_at(&s, &v->view, v->model, &truth));
    pov_object_claims_add(&v->claims, &v->view, v->model, &truth, &shown);
    assert_int_equal(claim_at(&v->view, &other, s.middle_px, 2), OBJECT_CLAIMED_BEFORE);
    assert_int_equal(claim_at(&v->view, v->model, s.middle_px, 2), OBJECT_UNCLAIMED);
    object_view without = v->view;
    without.set_aside = v->model;
    assert_int_equal(claim_at(&without, &other, s.middle_px, 2), OBJECT_UNCLAIMED);
    pov_object_claims_clear(&v->claims);
}

/* Two claimants of one pixel: the nearer one keeps it, in any order. */
static void the_nearer_claimant_keeps_the_pixel(void **state)
{
    painted_view *v = *state;
    const pov_vec2 corner_px[4] = {{100, 100}, {200, 100}, {200, 200}, {100, 200}};
    for (int order = 0; order < 2; order++) {
        pov_object_claims_add_other(&v->claims, corner_px, order ? 0.5 : 0.9);
        pov_object_claims_add_other(&v->claims, corner_px, order ? 0.9 : 0.5);
        assert_int_equal(claim_at(&v->view, v->model, (pov_vec2){150, 150}, 0.7), OBJECT_CLAIMED_BEFORE);
        pov_object_claims_clear(&v->claims);
    }
}

static int set_up(void **state)
{
    *state = painted_view_new(&truth, (painted_scene){.gain = 1});
    return 0;
}

static int tear_down(void **state)
{
    painted_view_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_places_azimuth_and_elevation_are_those_of_the_eye),
        cmocka_unit_test(a_place_is_in_view_within_the_image_and_near_the_portraits_elevation),
        cmocka_unit_test(a_sight_is_the_projection_to_a_fifth_of_a_pixel),
        cmocka_unit_test(a_claimed_square_is_claimed_inside_and_free_outside),
        cmocka_unit_test(an_object_claims_its_pixels_from_others_but_not_from_itself),
        cmocka_unit_test(the_nearer_claimant_keeps_the_pixel),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
