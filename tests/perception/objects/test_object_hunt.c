/* Enrolled objects in one image after another: moved, covered, followed; against the simulator's truth. */
#include "tests/support/object_bench.h"

#include <math.h>

static const double deg = POV_PI / 180;

#ifdef POV_SANITIZED
enum { TURNED = 1 };
#else
enum { TURNED = 2 };
#endif

static const int64_t period_ns = 33000000;
enum {
    SWEEP =
        2 * 8 /* images of a sweep that lists the table and tries its best places, for each kind in turn */
};

static int set_up_video(void **state)
{
    const int failed = object_bench_set_up(state);
    object_bench *b = *state;
    assert_int_equal(pov_memory_new(&b->memory, &pov_object_memory).code, POV_OK);
    return failed;
}

static int tear_down_video(void **state)
{
    pov_memory_destroy(&((object_bench *)*state)->memory);
    return object_bench_tear_down(state);
}

/* Shows the same things in several images; out: findings in the last, and the truth. */
static pov_object_findings show(object_bench *b, pov_simulator **simulator, const char *things, int images)
{
    b->now_ns += period_ns;
    pov_object_findings findings = object_bench_look(b, simulator, things);
    for (int i = 1; i < images; i++) {
        b->now_ns += period_ns;
        findings = object_bench_look_again(b, *simulator);
    }
    return findings;
}

static pov_object_findings show_briefly(object_bench *b, const char *things, int images)
{
    pov_simulator *simulator;
    const pov_object_findings findings = show(b, &simulator, things, images);
    pov_simulator_destroy(&simulator);
    return findings;
}

static void what_has_moved_is_found_again_and_what_is_gone_is_not(void **state)
{
    pov_simulator *simulator;
    (void)show_briefly(*state, BOTH, SWEEP);
    const pov_object_findings findings =
        show(*state, &simulator,
             "things:\n  - {id: duck, " DUCK_IS ", position_m: [-0.05, -0.1], front_deg: 20}\n"
             "  - {id: ball, class: red ball, position_m: [0.1, -0.14], size_m: 0.07}\n",
             2 * SWEEP);
    object_bench_expect(&findings.findings[DUCK], simulator, "duck");
    assert_false(findings.findings[CAR].found);
    assert_true(findings.findings[CAR].p_none > 0.5);
    pov_simulator_destroy(&simulator);
}

/* It is set down by something that hides half of it, and goes away then. */
static void what_was_moved_faces_the_right_way_once_it_shows(void **state)
{
    enum { HIDDEN_IMAGES = SWEEP, SWEEPS = 6 };
    static const char *const hand =
        "  - {id: hand, class: box, position_m: [0.06, -0.07], size_m: [0.02, 0.11, 0.1]}\n";
    object_bench *b = *state;
    int right = 0;
    for (int turn = 0; turn < TURNED; turn++) {
        const int turn_deg = 20 + 85 * turn;
        pov_simulator *simulator;
        char world[2000];
        pov_memory_clear(b->memory);
        (void)show_briefly(b, BOTH, SWEEP);
        for (int is_clear = 0; is_clear < 2; is_clear++) {
            snprintf(world, sizeof world,
                     "things:\n  - {id: duck, " DUCK_IS ", position_m: [0, -0.07], front_deg: %d}\n%s",
                     turn_deg, is_clear ? "" : hand);
            pov_object_findings findings = show(b, &simulator, world, HIDDEN_IMAGES);
            const pov_scene *scene = pov_simulator_truth_of(simulator).scene;
            bool is_right = false;
            for (int sweep = 0; is_clear && !is_right && sweep < SWEEPS; sweep++) {
                for (int i = 0; i < SWEEP; i++) {
                    b->now_ns += period_ns;
                    findings = object_bench_look_again(b, simulator);
                }
                is_right =
                    findings.findings[DUCK].found &&
                    object_bench_heading_error(
                        &findings.findings[DUCK].heading,
                        scene->entities[pov_scene_find(scene, "duck")].heading.mode[0].yaw_rad) < 4 * deg;
            }
            right += is_right;
            pov_simulator_destroy(&simulator);
        }
    }
    assert_int_equal(right, TURNED);
}

#define DUCK_UNDER_LID                                                                                       \
    "things:\n"                                                                                              \
    "  - {id: duck, " DUCK_IS ", position_m: [-0.05, -0.12], front_deg: 200}\n"                              \
    "  - {id: lid, class: box, position_m: [0.037, -0.096], yaw_deg: 15.4, size_m: [0.02, 0.2, 0.2]}\n"
#define HINT_OF_A_DUCK                                                                                       \
    "  - {id: other, " DUCK_IS ", position_m: [0.02, 0.1], front_deg: 200}\n"                                \
    "  - {id: before, class: box, position_m: [0.1, 0.116], size_m: [0.02, 0.12, 0.15], color: "             \
    "\"#305080\"}\n"

/* A thing that was in full view a moment ago is under the lid that is there now, rather than where a little of its like shows. */
static void what_is_covered_is_not_where_something_looks_a_little_like_it(void **state)
{
    static const char *const in_view =
        "things:\n  - {id: duck, " DUCK_IS ", position_m: [-0.05, -0.12], front_deg: 200}\n";
    static const char *const elsewhere =
        "things:\n  - {id: duck, " DUCK_IS ", position_m: [0.02, 0.1], front_deg: 200}\n";
    object_bench *b = *state, still = *b;
    still.memory = NULL;
    assert_true(show_briefly(&still, DUCK_UNDER_LID HINT_OF_A_DUCK, 1).findings[DUCK].found);
    pov_memory_clear(b->memory);
    assert_true(show_briefly(b, in_view, SWEEP).findings[DUCK].found);
    assert_false(show_briefly(b, DUCK_UNDER_LID, 3).findings[DUCK].found);
    assert_false(show_briefly(b, DUCK_UNDER_LID HINT_OF_A_DUCK, SWEEP).findings[DUCK].found);
    assert_true(show_briefly(b, elsewhere, 2 * SWEEP).findings[DUCK].found);
}

/* A box is pushed before it, and on. */
static void what_was_found_is_followed_while_more_of_it_is_hidden(void **state)
{
    enum { STEPS = 7 };
    object_bench *b = *state, still = *b;
    int found[2] = {0, 0};
    still.memory = NULL;
    pov_memory_clear(b->memory);
    for (int i = 0; i < STEPS; i++) {
        char world[1000];
        snprintf(world, sizeof world,
                 "things:\n  - {id: duck, " DUCK_IS ", position_m: [0.02, 0.1], front_deg: 200}\n"
                 "  - {id: box, class: box, position_m: [0.1, %.3f], size_m: [0.02, 0.12, 0.15], color: "
                 "\"#305080\"}\n",
                 0.132 - 0.008 * i);
        found[false] += show_briefly(&still, world, 1).findings[DUCK].found;
        found[true] += show_briefly(b, world, i == 0 ? SWEEP : 6).findings[DUCK].found;
    }
    assert_true(found[true] > found[false]);
    assert_in_range(found[true], STEPS - 2, STEPS);
}

static const pov_scene *truth_of(pov_simulator *simulator)
{
    return pov_simulator_truth_of(simulator).scene;
}

/* Both go round on a table that turns by 5 degrees an image; then the duck is set down elsewhere. */
static void in_video_both_are_found_by_a_sweep_and_followed_and_found_again(void **state)
{
    enum { TURNING = 12, IMAGES = 2 * (SWEEP + TURNING) };
    object_bench *b = *state;
    int found_at[KINDS] = {-1, -1}, duck_again = -1;
    pov_memory_clear(b->memory);
    for (int i = 0; i < IMAGES; i++) {
        char world[1000];
        pov_simulator *simulator;
        const bool is_moved = i >= IMAGES / 2;
        const double turn = 5 * deg * i,
                     duck_m[2] = {is_moved ? -0.12 : 0.12 * cos(turn), is_moved ? -0.14 : 0.12 * sin(turn)};
        snprintf(world, sizeof world,
                 "things:\n  - {id: duck, " DUCK_IS ", position_m: [%.4f, %.4f], front_deg: %d}\n"
                 "  - {id: car, " CAR_IS ", position_m: [%.4f, %.4f], front_deg: %d}\n",
                 duck_m[0], duck_m[1], is_moved ? 200 : 5 * i, -0.08 * cos(turn), -0.08 * sin(turn),
                 70 + 5 * i);
        b->now_ns += period_ns;
        const pov_object_findings findings = object_bench_look(b, &simulator, world);
        for (int kind = 0; kind < KINDS; kind++) {
            const pov_object_finding *finding = &findings.findings[kind];
            if (found_at[kind] < 0 && finding->found)
                found_at[kind] = i;
            if (is_moved && kind == DUCK)
                continue;
            if (found_at[kind] >= 0)
                object_bench_expect(finding, simulator, kind == DUCK ? "duck" : "car");
        }
        const pov_vec3 *at_m =
            &truth_of(simulator)->entities[pov_scene_find(truth_of(simulator), "duck")].position.mean_m;
        const pov_object_finding *duck = &findings.findings[DUCK];
        if (is_moved && duck_again < 0 && duck->found &&
            hypot(duck->position.mean_m.x - at_m->x, duck->position.mean_m.y - at_m->y) < 0.004)
            duck_again = i - IMAGES / 2;
        pov_simulator_destroy(&simulator);
    }
    assert_in_range(found_at[DUCK], 0, SWEEP);
    assert_in_range(found_at[CAR], 0, SWEEP);
    assert_in_range(duck_again, 0, SWEEP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_moved_is_found_again_and_what_is_gone_is_not),
        cmocka_unit_test(what_was_moved_faces_the_right_way_once_it_shows),
        cmocka_unit_test(what_is_covered_is_not_where_something_looks_a_little_like_it),
        cmocka_unit_test(what_was_found_is_followed_while_more_of_it_is_hidden),
        cmocka_unit_test(in_video_both_are_found_by_a_sweep_and_followed_and_found_again),
    };
    return cmocka_run_group_tests(tests, set_up_video, tear_down_video);
}
