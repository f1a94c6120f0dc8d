#include "perception/papers/vsr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

/* VSR's Figure 1: a bench seen from its front, a potted plant at the viewer's left, which is the bench's right. */
enum { BENCH, PLANT, CAMERA };

static const pov_judging judging = POV_JUDGING_DEFAULT;

static void figure_1(pov_scene *scene, double bench_faces_rad, bool has_front)
{
    pov_scene_clear(scene);
    pov_entity bench = pov_entity_named("bench", "bench"), plant = pov_entity_named("plant", "plant");
    bench.placed = plant.placed = true;
    bench.position.mean_m = (pov_vec3){0, 0, 0.4};
    bench.size_m = (pov_vec3){0.5, 1.5, 0.8};
    if (has_front)
        bench.heading = pov_heading_single(bench_faces_rad, 1e12);
    plant.position.mean_m = (pov_vec3){0, -1.5, 0.4};
    plant.size_m = (pov_vec3){0.4, 0.4, 0.8};
    assert_int_equal(pov_scene_add(scene, &(pov_id){0}, &bench).code, POV_OK);
    assert_int_equal(pov_scene_add(scene, &(pov_id){0}, &plant).code, POV_OK);
    pov_pose camera = pov_pose_exact(
        pov_transform_look_at((pov_vec3){6, 0, 1.5}, (pov_vec3){0, 0, 0.4}, (pov_vec3){0, 0, 1}));
    assert_int_equal(pov_scene_add_camera(scene, &camera).code, POV_OK);
}

static pov_vsr_frames frames(const pov_scene *scene, const char *relation)
{
    pov_vsr_judgment judgment;
    pov_query caption = {.relation = pov_relation_lookup(relation),
                         .referent = PLANT,
                         .relatum_len = 1,
                         .relatum = {BENCH},
                         .viewer = POV_ID_NONE};
    (void)pov_vsr_judge(&judgment, scene, &caption, &judging);
    return judgment.frames;
}

static void the_plant_of_figure_1_is_left_for_the_viewer_and_right_for_the_bench(void **state)
{
    (void)state;
    pov_scene scene;
    figure_1(&scene, 0, true);
    assert_int_equal(frames(&scene, "at the left side of"), POV_VSR_RELATIVE_ONLY);
    assert_int_equal(frames(&scene, "left of"), POV_VSR_RELATIVE_ONLY);
    assert_int_equal(frames(&scene, "right of"), POV_VSR_INTRINSIC_ONLY);
    assert_int_equal(frames(&scene, "at the right side of"), POV_VSR_INTRINSIC_ONLY);
    assert_int_equal(frames(&scene, "under"), POV_VSR_NEITHER);
    assert_int_equal(frames(&scene, "at the back of"), POV_VSR_NEITHER);
    assert_int_equal(frames(&scene, "beside"), POV_VSR_BOTH);
    assert_int_equal(frames(&scene, "part of"), POV_VSR_UNDEFINED);
}

static void seen_from_behind_the_frames_agree(void **state)
{
    (void)state;
    pov_scene scene;
    figure_1(&scene, POV_PI, true);
    assert_int_equal(frames(&scene, "left of"), POV_VSR_BOTH);
    assert_int_equal(frames(&scene, "right of"), POV_VSR_NEITHER);
}

static void without_a_front_only_the_viewer_counts(void **state)
{
    (void)state;
    pov_scene scene;
    figure_1(&scene, 0, false);
    assert_int_equal(frames(&scene, "left of"), POV_VSR_RELATIVE_ONLY);
    assert_int_equal(frames(&scene, "right of"), POV_VSR_NEITHER);
    scene.camera = POV_ID_NONE;
    assert_int_equal(frames(&scene, "left of"), POV_VSR_UNDEFINED);
    assert_int_equal(frames(&scene, "near"), POV_VSR_BOTH);
}

static void the_truth_is_the_larger_of_the_frames(void **state)
{
    (void)state;
    pov_scene scene;
    pov_vsr_judgment judgment;
    figure_1(&scene, 0, true);
    scene.entities[BENCH].heading.mode[0].kappa = 1; /* hardly known which way it faces */
    pov_query caption = {.relation = pov_relation_lookup("left of"),
                         .referent = PLANT,
                         .relatum_len = 1,
                         .relatum = {BENCH},
                         .viewer = CAMERA};
    assert_int_equal(pov_vsr_judge(&judgment, &scene, &caption, &judging), POV_OK);
    assert_near(judgment.relative.p, 1, 1e-9);
    assert_true(judgment.intrinsic.p > 0.05 && judgment.intrinsic.p < 0.5);
    assert_int_equal(judgment.intrinsic.verdict, POV_ABSTAIN);
    assert_near(judgment.p_true, 1, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plant_of_figure_1_is_left_for_the_viewer_and_right_for_the_bench),
        cmocka_unit_test(seen_from_behind_the_frames_agree),
        cmocka_unit_test(without_a_front_only_the_viewer_counts),
        cmocka_unit_test(the_truth_is_the_larger_of_the_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
