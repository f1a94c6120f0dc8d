#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/status.h"
#include "python/pov/native.h"

#include <math.h>
#include <string.h>

static const char scene_text[] =
    "north_deg: 90\n"
    "camera: {position_m: [0, -2, 1.2], look_at_m: [0, 0, 0.1]}\n"
    "entities:\n"
    "  - {id: ball, position_m: [0.4, 0.1, 0.1], size_m: 0.2}\n"
    "  - {id: car, position_m: [-0.1, 0, 0.15], size_m: [0.8, 0.4, 0.3], front_deg: 180}\n"
    "  - {id: woman, position_m: [-1.5, 0.4, 0.8], size_m: [0.3, 0.5, 1.6], front_deg: 0,\n"
    "     sees: {horizontal_deg: 180, vertical_deg: 120}}\n";
enum { CAMERA, BALL, CAR, WOMAN };

static char message[POV_MESSAGE_CAPACITY];

static pov_native_scene *made_scene(void)
{
    pov_native_scene *scene;
    assert_int_equal(pov_native_scene_new(&scene, "kitchen", scene_text, strlen(scene_text), message),
                     POV_OK);
    assert_string_equal(message, "");
    return scene;
}

static pov_native_judgment behind_by_own_front(void)
{
    return (pov_native_judgment){.relation = (int16_t)pov_native_relation_find("behind"),
                                 .referent = BALL,
                                 .viewer = -1,
                                 .relatum_len = 1,
                                 .relata = {CAR},
                                 .perspective = 2,
                                 .convention = 3,
                                 .axis = 1};
}

static void a_query_is_judged(void **state)
{
    (void)state;
    pov_native_scene *scene = made_scene();
    pov_native_judgment judgment = behind_by_own_front();
    assert_int_equal(pov_native_evaluate(scene, &judgment, 0.4), POV_OK);
    /* the car looks along -x; from it the ball lies 0.5 m along +x and 0.1 m along y */
    assert_float_equal(fabs(judgment.theta_rad), atan2(0.1, 0.5), 1e-9);
    assert_string_equal(pov_native_name(7, judgment.verdict), "true");
    judgment = behind_by_own_front();
    judgment.relata[0] = BALL;
    judgment.referent = CAR;
    assert_int_equal(pov_native_evaluate(scene, &judgment, 0.4), POV_UNDEFINED); /* a ball has no front */
    assert_true(isnan(judgment.p));
    pov_native_scene_destroy(scene);
}

static void numbers_out_of_range_are_errors(void **state)
{
    (void)state;
    pov_native_scene *scene = made_scene();
    pov_native_judgment judgment = behind_by_own_front();
    assert_int_equal(pov_native_evaluate(scene, &judgment, 0.5), POV_ERROR);
    assert_int_equal(pov_native_evaluate(scene, &judgment, NAN), POV_ERROR);
    for (int i = 0; i < 6; i++)
        for (int wrong = -1; wrong <= 127; wrong += 128) {
            judgment = behind_by_own_front();
            int8_t *fields[] = {&judgment.perspective, &judgment.convention, &judgment.axis,
                                &judgment.acceptance, &judgment.relatum_len};
            if (i < 5)
                *fields[i] = (int8_t)wrong;
            else
                judgment.relation = (int16_t)(wrong < 0 ? -1 : 1000);
            assert_int_equal(pov_native_evaluate(scene, &judgment, 0.4), POV_ERROR);
        }
    judgment = behind_by_own_front();
    judgment.referent = 1000;
    assert_int_equal(pov_native_evaluate(scene, &judgment, 0.4), POV_UNDEFINED);

    pov_native_choice choice;
    const pov_native_judgment *judgments;
    const pov_native_sight *sights;
    int len;
    pov_native_choice_usual(&choice);
    const pov_native_pair wrong_pairs[] = {{-1, 1, {CAR}},   {4, 1, {CAR}},     {BALL, 0, {0}},
                                           {BALL, 9, {CAR}}, {BALL, 1, {BALL}}, {BALL, 2, {CAR, CAR}},
                                           {BALL, 1, {77}}};
    for (size_t i = 0; i < sizeof wrong_pairs / sizeof *wrong_pairs; i++) {
        assert_int_equal(pov_native_judge(scene, &judgments, &len, &wrong_pairs[i], 1, &choice, message),
                         POV_ERROR);
        assert_int_equal(len, 0);
        assert_true(strlen(message) > 0);
    }
    assert_int_equal(pov_native_look(scene, &sights, &len, 77, -1, message), POV_ERROR);
    assert_int_equal(pov_native_look(scene, &sights, &len, WOMAN, 77, message), POV_ERROR);
    const int16_t nobody = 77, camera = CAMERA, ball = BALL;
    const double at_m[3] = {0, 0, 0}, yaw_rad = 0;
    assert_int_equal(pov_native_scene_move(scene, &nobody, 1, at_m, NULL, message), POV_ERROR);
    assert_int_equal(pov_native_scene_move(scene, &camera, 1, at_m, NULL, message), POV_ERROR);
    assert_int_equal(pov_native_scene_move(scene, &ball, 1, NULL, &yaw_rad, message), POV_ERROR);
    assert_string_equal(pov_native_scene_id(scene, 77), "");
    for (int kind = -1; kind < 12; kind++) {
        assert_null(pov_native_name(kind, -1));
        assert_null(pov_native_name(kind, 1000));
    }
    pov_native_scene_destroy(scene);
}

static void a_scene_that_is_wrong_makes_nothing_and_says_where(void **state)
{
    (void)state;
    pov_native_scene *scene;
    const char *text = "entities:\n - {id: a, colour: 3}\n";
    assert_int_equal(pov_native_scene_new(&scene, "wrong", text, strlen(text), message), POV_ERROR);
    assert_null(scene);
    assert_non_null(strstr(message, "wrong:2: unknown key"));
    pov_native_scene_destroy(NULL);
}

static void a_batch_leaves_the_scene_as_it_was_also_after_an_error(void **state)
{
    (void)state;
    pov_native_scene *scene = made_scene();
    pov_native_choice choice;
    pov_native_judgment judged[2 * 128], first;
    const pov_native_judgment *judgments;
    const pov_native_pair pair = {BALL, 1, {CAR}};
    const int16_t ball = BALL;
    double at_m[2][3] = {{-1, 0, 0.1}, {0, 1, 0.1}};
    int len;
    pov_native_choice_usual(&choice);
    assert_int_equal(pov_native_judge(scene, &judgments, &len, &pair, 1, &choice, message), POV_OK);
    assert_in_range(len, 8, 128);
    first = judgments[0];
    const pov_native_batch batch = {.len = 2, .ids = &ball, .id_len = 1, .positions_m = &at_m[0][0]};
    assert_int_equal(pov_native_judge_batch(scene, judged, len, &pair, 1, &choice, &batch, message), POV_OK);
    assert_true(judged[0].theta_rad != judged[len].theta_rad);
    assert_int_equal(pov_native_judge_batch(scene, judged, len - 1, &pair, 1, &choice, &batch, message),
                     POV_ERROR);
    at_m[1][2] = NAN;
    assert_int_equal(pov_native_judge_batch(scene, judged, len, &pair, 1, &choice, &batch, message),
                     POV_ERROR);
    assert_non_null(strstr(message, "scene 1 of the batch: positions_m: the place of 'ball' is not finite"));
    assert_int_equal(pov_native_judge(scene, &judgments, &len, &pair, 1, &choice, message), POV_OK);
    assert_memory_equal(&judgments[0], &first, sizeof first);
    pov_native_scene_destroy(scene);
}

static void bytes_of_others_are_no_message(void **state)
{
    (void)state;
    pov_native_decoder *decoder;
    pov_native_decoded decoded;
    assert_int_equal(pov_native_decoder_new(&decoder, message), POV_OK);
    assert_int_equal(pov_native_decode(decoder, &decoded, (const uint8_t *)"\xff\xff\xff", 3, message),
                     POV_ERROR);
    assert_int_equal(decoded.judgments, 0);
    assert_true(strlen(message) > 0);
    pov_native_decoder_destroy(decoder);
    pov_native_source *source;
    assert_int_equal(pov_native_recording_open(&source, "/nowhere/a.mcap", message), POV_ERROR);
    assert_null(source);
    pov_native_source_close(source);
}

static void what_hides_a_thing_is_told_and_asked_about(void **state)
{
    (void)state;
    pov_native_scene *scene = made_scene();
    pov_native_talk *talk;
    const pov_native_sight *sights;
    const char *reply;
    int len;
    assert_int_equal(pov_native_look(scene, &sights, &len, -1, BALL, message), POV_OK);
    assert_int_equal(len, 1); /* the camera of this scene has no field of view */
    assert_int_equal(sights[0].viewer, WOMAN);
    assert_int_equal(sights[0].occluder[0], CAR);
    assert_int_equal(pov_native_talk_new(&talk, message), POV_OK);
    assert_int_equal(
        pov_native_talk_ask(talk, &reply, scene, "", "what hides the ball from the woman?", message), POV_OK);
    assert_non_null(strstr(reply, "\"answer\":\"car\""));
    assert_int_equal(pov_native_talk_ask(talk, &reply, scene, "tom", "where is it?", message), POV_ERROR);
    pov_native_talk_destroy(talk);
    pov_native_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_is_judged),
        cmocka_unit_test(numbers_out_of_range_are_errors),
        cmocka_unit_test(a_scene_that_is_wrong_makes_nothing_and_says_where),
        cmocka_unit_test(a_batch_leaves_the_scene_as_it_was_also_after_an_error),
        cmocka_unit_test(bytes_of_others_are_no_message),
        cmocka_unit_test(what_hides_a_thing_is_told_and_asked_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
