/* A followed object moves as on a turntable: when are its other turns tried? */
#include "tests/support/painted_view.h"

#include "perception/objects/object_finder.h"
#include "perception/objects/object_hunt.h"

#include <math.h>

static const double deg = POV_PI / 180;
static const object_place truth = {.x_m = 0.03, .y_m = -0.05, .yaw_rad = 0.7};
static const int64_t period_ns = 33000000, now_ns = 100000000000;
enum { IMAGES = 3000 }; /* before this one */

/* Its memory of the images before. */
typedef struct {
    double step_m, step_rad; /* an image */
    double off_m, off_rad;   /* the expected place, from where it is */
    int64_t checked_s;       /* since its turns were tried */
    double checked_rad;      /* its turn then, from that now */
    bool was_astray;         /* since then */
    double evidence_before;  /* in the last image and then, over that now */
} past;

typedef struct {
    bool is_looked_about, is_astray;
} present;

static present follow(past p)
{
    painted_view *v = painted_view_new(&truth, (painted_scene){.gain = 1});
    object_hunter hunter = {.area = {{-1, -1}, {1, 1}}, .now_ns = now_ns};
    object_kind kind = {.model = v->model};
    object_fit fit, last;
    assert_int_equal(pov_object_hunter_new(&hunter).code, POV_OK);
    assert_int_equal(pov_memory_new(&hunter.images, &pov_object_memory).code, POV_OK);
    pov_object_hunt_fit(&hunter, &fit, &v->view, v->model, &truth);
    last = fit;
    last.place.x_m -= p.step_m;
    last.place.yaw_rad -= p.step_rad;
    last.evidence *= p.evidence_before;

    pov_memory_begin(hunter.images, now_ns - period_ns, IMAGES - 1);
    kind.expected = pov_memory_expect(hunter.images);
    kind.memory = kind.expected->note;
    hunter.images->images = IMAGES;
    *kind.expected = (pov_expected){.seen_ns = now_ns - period_ns,
                                    .at = {last.place.x_m, last.place.y_m, last.place.yaw_rad},
                                    .note = kind.memory};
    kind.expected->per_ns[0] = (p.step_m + p.off_m) / (double)period_ns;
    kind.expected->per_ns[2] = (p.step_rad + p.off_rad) / (double)period_ns;
    pov_object_memory_found(kind.memory, v->model, &last, now_ns - period_ns);
    kind.memory->checked = last;
    kind.memory->checked.place.yaw_rad = truth.yaw_rad - p.checked_rad;
    kind.memory->checked_ns = now_ns - 1000000000 * p.checked_s;
    kind.memory->checked_image = IMAGES - (unsigned)(30 * p.checked_s);
    kind.memory->was_astray = p.was_astray;

    pov_memory_begin(hunter.images, now_ns, IMAGES);
    pov_object_hunt(&hunter, &kind, &v->view);
    const present is = {kind.memory->is_looked_about, kind.memory->was_astray};
    assert_int_equal(kind.expected->wants_turn, is.is_looked_about);
    assert_true(fabs(remainder(kind.fits[0].place.yaw_rad - truth.yaw_rad, 2 * POV_PI)) < 2 * deg);
    pov_memory_destroy(&hunter.images);
    pov_object_hunter_free(&hunter);
    painted_view_destroy(v);
    return is;
}

static const past table = {
    .step_m = 0.006, .step_rad = 4 * POV_PI / 180, .checked_s = 5, .evidence_before = 1};

static void a_turntable_s_motion_is_no_reason_to_try_other_turns(void **state)
{
    (void)state;
    past p = table;
    p.checked_rad = 40 * deg;
    const present is = follow(p);
    assert_false(is.is_looked_about);
    assert_false(is.is_astray);
}

static void every_six_seconds_they_are_tried_if_it_moved(void **state)
{
    (void)state;
    past p = table;
    p.checked_s = 7;
    p.checked_rad = 40 * deg;
    assert_true(follow(p).is_looked_about);
    p.checked_rad = 4 * deg;
    assert_false(follow(p).is_looked_about);
}

static void or_if_its_evidence_changed(void **state)
{
    (void)state;
    past p = table;
    p.evidence_before = 1.3;
    assert_false(follow(p).is_looked_about);
    p.checked_s = 7;
    assert_true(follow(p).is_looked_about);
}

static void at_once_if_most_of_its_evidence_is_gone(void **state)
{
    (void)state;
    past p = table;
    p.evidence_before = 2;
    assert_true(follow(p).is_looked_about);
}

/* Neither where it would be if it went on, nor where it was. */
static void after_a_surprise_they_are_tried_once_it_is_where_it_is_expected(void **state)
{
    (void)state;
    past moved = table, turned = table, later = table;
    moved.step_rad = 0;
    moved.off_m = 0.012;
    turned.step_m = 0;
    turned.step_rad = 8 * deg;
    turned.off_rad = 9 * deg;
    later.was_astray = true;
    moved.checked_rad = turned.checked_rad = later.checked_rad = 40 * deg;
    const present is_moved = follow(moved), is_turned = follow(turned);
    assert_true(is_moved.is_astray && is_turned.is_astray);
    assert_false(is_moved.is_looked_about || is_turned.is_looked_about);
    assert_true(follow(later).is_looked_about);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turntable_s_motion_is_no_reason_to_try_other_turns),
        cmocka_unit_test(every_six_seconds_they_are_tried_if_it_moved),
        cmocka_unit_test(or_if_its_evidence_changed),
        cmocka_unit_test(at_once_if_most_of_its_evidence_is_gone),
        cmocka_unit_test(after_a_surprise_they_are_tried_once_it_is_where_it_is_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
