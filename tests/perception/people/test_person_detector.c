/* People in video: followed while their judgments are waited for, searched for afterwards. The simulator draws them: OpenCV's detectors
 * see enough of a person in them. */
#include "perception/people/person_detector.h"
#include "tests/support/object_bench.h"

#include <stdlib.h>
#include <string.h>

enum { SWEEP_IMAGES = 42 }; /* as person_detector.h has it */

#define ROOM                                                                                                 \
    "camera: {size_px: [640, 480], field_of_view_deg: 55, position_m: [2.6, 0.3, 1.2], look_at_m: [0, 0, "   \
    "0.9]}\n"                                                                                                \
    "surface: {size_m: [14, 14], color: \"#b39a7c\"}\n"                                                      \
    "lighting: {lamp_m: [3, -2, 5], lamp_radius_m: 0.5, lamp_strength: 0.7, ambient: 0.42, sky: "            \
    "\"#c3cad0\"}\n"                                                                                         \
    "things:\n  - {id: box, position_m: [0.9, 0.9]}\n"
#define ANNA "  - {id: anna, class: woman, position_m: [%g, %g], front_deg: %d}\n"

typedef struct {
    pov_person_detector *detector;
    pov_memory *memory;
    pov_image empty, with_anna, with_anna_aside, with_anna_turned;
    uint32_t images;
} video;

static pov_image draw(const char *world)
{
    test_path folder = test_folder_new();
    pov_simulator *simulator = object_bench_simulate(&folder, world);
    pov_image image;
    assert_int_equal(pov_simulator_take(simulator, &image, 0).code, POV_OK);
    const size_t bytes = (size_t)image.stride_bytes * (size_t)image.height_px;
    image.pixels = memcpy(malloc(bytes), image.pixels, bytes);
    image.grey = NULL;
    pov_simulator_destroy(&simulator);
    test_folder_remove(&folder);
    return image;
}

static int set_up(void **state)
{
    video *v = *state = calloc(1, sizeof *v);
    const pov_person_detector_config config = {.cascade_folder = ""};
    const char *folder;
    char world[1200];
    if (pov_person_find_cascades(&folder, "").code != POV_OK)
        return 0; /* each test is skipped */
    v->empty = draw(ROOM);
    snprintf(world, sizeof world, ROOM ANNA, 0.0, 0.0, 10);
    v->with_anna = draw(world);
    snprintf(world, sizeof world, ROOM ANNA, 0.0, 0.7, 10);
    v->with_anna_aside = draw(world);
    snprintf(world, sizeof world, ROOM ANNA, -0.6, 0.5, 35);
    v->with_anna_turned = draw(world);
    return pov_person_detector_new(&v->detector, &config, v->empty.width_px, v->empty.height_px).code;
}

static int tear_down(void **state)
{
    video *v = *state;
    pov_person_detector_destroy(&v->detector);
    free((void *)v->empty.pixels);
    free((void *)v->with_anna.pixels);
    free((void *)v->with_anna_aside.pixels);
    free((void *)v->with_anna_turned.pixels);
    free(v);
    return 0;
}

static int begin(void **state)
{
    video *v = *state;
    v->images = 0;
    return pov_memory_new(&v->memory, &pov_people_memory).code;
}

static int end(void **state)
{
    video *v = *state;
    pov_memory_destroy(&v->memory);
    return 0;
}

static pov_people see(video *v, pov_image image)
{
    pov_people people;
    image.sequence = v->images++;
    image.mid_exposure_ns = 1000000000 + 33333333 * (int64_t)image.sequence;
    assert_int_equal(pov_person_detector_run(v->detector, &people, &image, NULL, v->memory).code, POV_OK);
    return people;
}

static pov_people see_and_remember(video *v, pov_image image)
{
    const pov_people people = see(v, image);
    assert_int_equal(pov_person_detector_remember(v->detector, v->memory, false).code, POV_OK);
    return people;
}

static void skip_without_cascades(const video *v)
{
    if (!v->detector)
        skip();
}

static void the_first_image_is_searched_whole(void **state)
{
    video *v = *state;
    skip_without_cascades(v);
    const pov_people people = see_and_remember(v, v->with_anna);
    assert_int_equal(people.len, 1);
    assert_true(people.persons[0].has_body && people.persons[0].frontal);
    assert_int_equal(v->memory->len, 1);
}

static void somebody_new_is_found_after_an_image_and_reported_by_the_next(void **state)
{
    video *v = *state;
    skip_without_cascades(v);
    assert_int_equal(see_and_remember(v, v->empty).len, 0);
    for (int i = 0; v->memory->len == 0; i++) {
        assert_true(i < SWEEP_IMAGES);
        assert_int_equal(see_and_remember(v, v->with_anna).len, 0);
    }
    assert_int_equal(see_and_remember(v, v->with_anna).len, 1);
}

static void where_images_wait_a_fourth_of_them_is_searched(void **state)
{
    video *v = *state;
    skip_without_cascades(v);
    int images = 0;
    see_and_remember(v, v->empty);
    for (; see(v, v->with_anna).len == 0; images++) {
        assert_true(images < 4 * SWEEP_IMAGES + 4);
        assert_int_equal(pov_person_detector_remember(v->detector, v->memory, true).code, POV_OK);
    }
    assert_true(images >= 4); /* the first three are not searched */
}

static void without_the_search_nothing_is_remembered(void **state)
{
    video *v = *state;
    skip_without_cascades(v);
    assert_int_equal(see(v, v->with_anna).len, 1);
    assert_int_equal(v->memory->len, 0);
}

/* Each cascade has its turn, whatever the last image showed. */
static void within_three_images_a_followed_person_s_face_is_found_again(void **state)
{
    video *v = *state;
    skip_without_cascades(v);
    bool is_frontal = false;
    (void)see_and_remember(v, v->with_anna);
    for (int i = 0; i < 3; i++) {
        pov_person *note = v->memory->expected[0].note;
        note->has_face = note->frontal = note->looks_left = note->looks_right = false;
        is_frontal |= see_and_remember(v, v->with_anna).persons[0].frontal;
    }
    assert_true(is_frontal);
    assert_true(see_and_remember(v, v->with_anna).persons[0].frontal);
}

/* The cascade knows profiles to the left: others are searched for in a mirror. She stands to the right; no body is found. */
static void a_profile_to_the_right_is_found_where_it_is(void **state)
{
    video *v = *state;
    skip_without_cascades(v);
    (void)see_and_remember(v, v->empty);
    for (int i = 0; v->memory->len == 0; i++) {
        assert_true(i < SWEEP_IMAGES);
        (void)see_and_remember(v, v->with_anna_turned);
    }
    const pov_people people = see_and_remember(v, v->with_anna_turned);
    assert_int_equal(people.len, 1);
    assert_true(people.persons[0].looks_right && !people.persons[0].has_body);
    assert_true(people.persons[0].face.left_px > 0.5 * v->empty.width_px);
}

/* The face is not where it was: it is looked for all about the head. */
static void a_face_that_jumped_is_found_at_once(void **state)
{
    video *v = *state;
    skip_without_cascades(v);
    (void)see_and_remember(v, v->with_anna);
    const pov_person first = see_and_remember(v, v->with_anna).persons[0];
    assert_true(first.has_body && first.frontal);
    const double tall_px = first.face.bottom_px - first.face.top_px;
    pov_person *note = v->memory->expected[0].note;
    note->face.left_px += 3 * tall_px;
    note->face.right_px += 3 * tall_px;
    const pov_people people = see_and_remember(v, v->with_anna);
    assert_int_equal(people.len, 1);
    assert_true(people.persons[0].frontal);
    assert_true(people.persons[0].face.left_px < first.face.left_px + 0.3 * tall_px);
}

static void who_left_is_not_reported_where_she_was(void **state)
{
    video *v = *state;
    skip_without_cascades(v);
    const double was_px = see_and_remember(v, v->with_anna).persons[0].body.left_px;
    for (int i = 0; i < 2 * SWEEP_IMAGES; i++) {
        const pov_people people = see_and_remember(v, v->with_anna_aside);
        for (int k = 0; k < people.len; k++)
            assert_true(people.persons[k].body.left_px < was_px - 40 ||
                        people.persons[k].body.left_px > was_px + 40);
    }
    assert_int_equal(see_and_remember(v, v->with_anna_aside).len, 1);
}

/* A face 40 x 50 pixels large, whose points look into the camera. */
static pov_detection face_at(float x_px, float y_px, double score)
{
    static const float points[POV_FACE_POINTS][2] = {{-10, -10}, {10, -10}, {0, 3}, {-8, 12}, {8, 12}};
    pov_detection face = {
        .score = score,
        .keypoint_len = POV_FACE_POINTS,
        .box = {(double)x_px - 20, (double)y_px - 25, (double)x_px + 20, (double)y_px + 25}};
    for (int k = 0; k < POV_FACE_POINTS; k++)
        face.keypoints[k] =
            (pov_keypoint){.x_px = x_px + points[k][0], .y_px = y_px + points[k][1], .score = 1};
    return face;
}

static pov_people find_by_networks(pov_detection face, bool has_bodies)
{
    static pov_detections faces, none;
    const pov_person_detector_config config = {.faces_by_network = true};
    const pov_image image = {.width_px = 640, .height_px = 480};
    const pov_body_boxes boxes = {.found = has_bodies ? &none : NULL, .faces = &faces, .face_least_px = 10};
    pov_person_detector *detector;
    pov_people people;
    faces.len = 1;
    faces.detections[0] = face;
    assert_int_equal(pov_person_detector_new(&detector, &config, 640, 480).code, POV_OK);
    assert_int_equal(pov_person_detector_run(detector, &people, &image, &boxes, NULL).code, POV_OK);
    pov_person_detector_destroy(&detector);
    return people;
}

static void a_doubtful_face_where_no_body_is_makes_nobody(void **state)
{
    (void)state;
    assert_int_equal(find_by_networks(face_at(300, 200, 0.75), true).len, 0);
    assert_int_equal(find_by_networks(face_at(300, 200, 0.9), true).len, 1);
    assert_int_equal(find_by_networks(face_at(300, 200, 0.75), false).len, 1); /* nobody looked for bodies */
    assert_true(find_by_networks(face_at(300, 200, 0.75), false).persons[0].face_score == 0.75);
}

static void of_a_face_that_the_rim_may_cut_the_points_tell_nothing(void **state)
{
    (void)state;
    const float rims[][2] = {{22, 200}, {618, 200}, {300, 455}};
    assert_true(find_by_networks(face_at(300, 30, 0.9), true).persons[0].has_head); /* hair may be cut */
    for (int i = 0; i < 3; i++) {
        const pov_people people = find_by_networks(face_at(rims[i][0], rims[i][1], 0.9), true);
        assert_true(people.len == 1 && people.persons[0].has_face && !people.persons[0].has_head);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_image_is_searched_whole, begin, end),
        cmocka_unit_test_setup_teardown(somebody_new_is_found_after_an_image_and_reported_by_the_next, begin,
                                        end),
        cmocka_unit_test_setup_teardown(where_images_wait_a_fourth_of_them_is_searched, begin, end),
        cmocka_unit_test_setup_teardown(without_the_search_nothing_is_remembered, begin, end),
        cmocka_unit_test_setup_teardown(within_three_images_a_followed_person_s_face_is_found_again, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_profile_to_the_right_is_found_where_it_is, begin, end),
        cmocka_unit_test_setup_teardown(a_face_that_jumped_is_found_at_once, begin, end),
        cmocka_unit_test_setup_teardown(who_left_is_not_reported_where_she_was, begin, end),
        cmocka_unit_test(a_doubtful_face_where_no_body_is_makes_nobody),
        cmocka_unit_test(of_a_face_that_the_rim_may_cut_the_points_tell_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
