#include "ask/grammar/ask.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config/scene/scene_file.h"

/* Camera at -y; the car faces camera-left, the woman stands camera-left and faces camera-right. */
static const char kitchen[] =
    "north_deg: 90\n"
    "camera: {position_m: [0, -3, 1], look_at_m: [0, 0, 0]}\n"
    "entities:\n"
    "  - {id: red_ball, class: ball, position_m: [0.5, 0, 0]}\n"
    "  - {id: car, position_m: [0, 0, 0], front_deg: 180}\n"
    "  - {id: Ann, class: woman, position_m: [-2, 0, 0], front_deg: 0, addressee: true}\n"
    "  - {id: chair, position_m: [0, 1, 0]}\n"
    "  - {id: chair-2, class: chair, position_m: [0, 2, 0]}\n";

typedef struct {
    pov_scene scene;
    pov_request question;
    pov_reply answer;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    *state = &f;
    return pov_scene_file_parse(&f.scene, "kitchen", kitchen, sizeof kitchen - 1).code == POV_OK ? 0 : -1;
}

static pov_reply_kind answer(fixture *f, const char *text)
{
    const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_status status = pov_request_parse(&f->question, &f->scene, text);
    assert_string_equal(status.message, "");
    pov_request_answer(&f->answer, &f->scene, &f->question, &judging, NULL);
    return f->answer.kind;
}

static void assert_refused(fixture *f, const char *text, const char *message)
{
    pov_status status = pov_request_parse(&f->question, &f->scene, text);
    assert_int_equal(status.code, POV_ERROR);
    if (!strstr(status.message, message))
        fail_msg("\"%s\" lacks \"%s\"", status.message, message);
}

static void the_same_question_may_be_put_in_many_ways(void **state)
{
    fixture *f = *state;
    static const char *const ways[] = {
        "red_ball right-of car from camera",
        "Is the red ball to the right of the car from the camera's viewpoint?",
        "RED-BALL right_of Car, from camera, reflected",
        "ball right of car from camera reflected by sight line",
        "ball right car from camera",
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        assert_int_equal(answer(f, ways[i]), POV_REPLY_YES);
        assert_int_equal(f->answer.len, 1);
        assert_int_equal(f->question.perspective, POV_EGOCENTRIC);
        assert_string_equal(f->question.relation->name, "right_of");
        assert_string_equal(f->scene.entities[f->question.referent].name, "red_ball");
    }
}

/* COMFORT's table, phi = 90: the ball at camera-right. */
static void answers_are_those_of_the_published_table(void **state)
{
    fixture *f = *state;
    assert_int_equal(answer(f, "ball right-of car from camera rotated"), POV_REPLY_NO);
    assert_int_equal(answer(f, "ball left-of car from camera rotated"), POV_REPLY_YES);
    assert_int_equal(answer(f, "ball behind car from addressee"), POV_REPLY_YES);
    assert_int_equal(answer(f, "ball in front of car from Ann translated"), POV_REPLY_YES);
    assert_int_equal(answer(f, "ball behind car from the woman's perspective by heading"), POV_REPLY_YES);
    assert_int_equal(f->question.axis, POV_HEADING);
    assert_int_equal(answer(f, "ball behind car from the car's own side"), POV_REPLY_YES);
    assert_int_equal(f->question.perspective, POV_INTRINSIC);
    assert_int_equal(answer(f, "ball in front of car intrinsically"), POV_REPLY_NO);
    assert_int_equal(answer(f, "is the chair on Ann's left side?"),
                     POV_REPLY_YES); /* she faces +x, it is at +y */
    assert_int_equal(answer(f, "is the chair to my right"), POV_REPLY_NO);
    assert_int_equal(answer(f, "is the ball to your right"), POV_REPLY_YES);
    assert_int_equal(answer(f, "ball east of car"), POV_REPLY_YES);
    assert_int_equal(answer(f, "ball to the west of car"), POV_REPLY_NO);
}

static void without_a_frame_every_frame_is_asked(void **state)
{
    fixture *f = *state;
    assert_int_equal(answer(f, "ball behind car"), POV_REPLY_DEPENDS); /* not for the camera: beside */
    assert_int_equal(f->answer.len, 3);
    assert_int_equal(answer(f, "is the chair behind the car"), POV_REPLY_DEPENDS);
    assert_int_equal(answer(f, "chair-2 behind chair"),
                     POV_REPLY_YES); /* the chair has no front: two viewers */
    assert_int_equal(answer(f, "chair-2 behind chair from its own front"), POV_REPLY_UNDEFINED);
}

static void the_longest_name_is_meant(void **state)
{
    fixture *f = *state;
    (void)answer(f, "chair 2 left of car from camera");
    assert_string_equal(f->scene.entities[f->question.referent].name, "chair-2");
    (void)answer(f, "chair left of car from camera");
    assert_string_equal(f->scene.entities[f->question.referent].name, "chair");
}

static void what_is_not_understood_is_named_with_what_was_meant(void **state)
{
    fixture *f = *state;
    assert_refused(f, "bal left of car", "no entity \"bal\" in the scene");
    assert_refused(f, "ball left of cart", "did you mean \"car\"?");
    assert_refused(f, "ball lefft of car", "did you mean \"left of\"?");
    assert_refused(f, "ball left of car from Anna", "did you mean \"Ann\"?");
    assert_refused(f, "ball left of car from camera mirrored",
                   "no viewer, perspective or convention \"mirrored\"");
    assert_refused(f, "ball left of", "ends where the entity should be");
    assert_refused(f, "ball", "ends where the relation should be");
    assert_refused(f, "", "ends where the entity should be");
    assert_refused(f, "car left of car", "asked about itself");
    assert_refused(f, "ball north of car from camera", "the same from everywhere");
    assert_refused(
        f,
        "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
        "a a a a a a a a a a a a a a a a a a a a a a a a a a",
        "too long");
}

/* Every phrase of the registry is understood as its own relation. */
static void every_relation_of_the_registry_may_be_asked(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        for (int k = 0; k < POV_PHRASES_MAX && relation->phrases[k]; k++) {
            static const char *const relata[] = {"the car", "the car and the chair",
                                                 "the car and the chair and the chair-2"};
            char text[200];
            snprintf(text, sizeof text, "is the ball %s %s", relation->phrases[k],
                     relata[relation->relata_min - 1]);
            (void)answer(f, text);
            assert_string_equal(f->question.relation->name, relation->name);
            assert_int_equal(f->question.relatum_len, relation->relata_min);
        }
    }
}

/* The chair is 1 m from the car, chair-2 2 m, in one line; Ann faces the car, the car has its back to the ball. */
static void relations_without_a_direction_are_answered_too(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < f->scene.len; i++)
        if (i != f->scene.camera)
            f->scene.entities[i].size_m = (pov_vec3){0.2, 0.2, 0.2};
    assert_int_equal(answer(f, "chair between car and chair-2"), POV_REPLY_YES);
    assert_int_equal(answer(f, "chair-2 between car and chair"), POV_REPLY_NO);
    assert_int_equal(answer(f, "is Ann facing the car?"), POV_REPLY_YES);
    assert_int_equal(answer(f, "is the car facing the ball"), POV_REPLY_NO);
    assert_int_equal(answer(f, "chair inside car"), POV_REPLY_NO);
    assert_int_equal(f->answer.len, 1);
    assert_true(isnan(f->answer.judgments[0].theta_rad));
    assert_refused(f, "chair between car", "needs 2 entities");
    assert_refused(f, "chair left of car and camera", "asked of 1 at a time");
    assert_refused(f, "chair between car and car", "asked about itself");
}

static void undefined_answers_say_why(void **state)
{
    fixture *f = *state;
    char reason[200];
    assert_int_equal(answer(f, "car left of ball from ball's own side"), POV_REPLY_UNDEFINED);
    pov_reply_explain(reason, sizeof reason, &f->scene, &f->answer, 0);
    assert_string_equal(reason, "red_ball has no front");
    assert_int_equal(answer(f, "ball left of car from chair by heading"), POV_REPLY_UNDEFINED);
    pov_reply_explain(reason, sizeof reason, &f->scene, &f->answer, 0);
    assert_string_equal(reason, "chair has no heading");
    assert_int_equal(answer(f, "ball left of car from camera"), POV_REPLY_NO);
    pov_reply_explain(reason, sizeof reason, &f->scene, &f->answer, 0);
    assert_string_equal(reason, "");
}

static void assert_kind(fixture *f, const char *text, pov_request_kind kind, const char *viewer,
                        const char *thing)
{
    pov_status status = pov_request_parse(&f->question, &f->scene, text);
    assert_string_equal(status.message, "");
    assert_int_equal(f->question.kind, kind);
    assert_int_equal(f->question.viewer, viewer ? pov_scene_find(&f->scene, viewer) : POV_ID_NONE);
    assert_int_equal(f->question.referent, thing ? pov_scene_find(&f->scene, thing) : POV_ID_NONE);
}

static void seeing_may_be_asked_about(void **state)
{
    fixture *f = *state;
    assert_kind(f, "Does the woman see the ball?", POV_REQUEST_SEES, "Ann", "red_ball");
    assert_false(f->question.negated);
    assert_kind(f, "can you see the car", POV_REQUEST_SEES, "camera", "car");
    assert_kind(f, "could I see the car", POV_REQUEST_SEES, "Ann", "car");
    assert_kind(f, "is the car visible from the camera", POV_REQUEST_SEES, "camera", "car");
    assert_kind(f, "is the ball hidden from Ann?", POV_REQUEST_SEES, "Ann", "red_ball");
    assert_true(f->question.negated);
    assert_kind(f, "who sees the car", POV_REQUEST_SEEN, NULL, "car");
    assert_int_equal(f->question.way, POV_WAY_WHO);
    assert_false(f->question.negated);
    assert_kind(f, "who can see the car", POV_REQUEST_SEEN, NULL, "car");
    assert_kind(f, "who can't see the car", POV_REQUEST_SEEN, NULL, "car");
    assert_true(f->question.negated);
    assert_kind(f, "what hides the ball from Ann", POV_REQUEST_HIDES, "Ann", "red_ball");
    assert_kind(f, "Where is the ball for the addressee?", POV_REQUEST_WHERE, "Ann", "red_ball");
    assert_kind(f, "where is the ball", POV_REQUEST_WHERE, NULL, "red_ball");
    assert_kind(f, "what does Ann see from left to right?", POV_REQUEST_ORDER, "Ann", NULL);
    assert_false(f->question.by_distance);
    assert_kind(f, "what do I see, from near to far?", POV_REQUEST_ORDER, "Ann", NULL);
    assert_true(f->question.by_distance);
}

static int count_candidates(const pov_request *question, const pov_scene *scene)
{
    int count = 0;
    for (int i = 0; i < scene->len; i++)
        count += question->candidate[i];
    return count;
}

static void instructions_name_what_they_may_mean(void **state)
{
    fixture *f = *state;
    assert_kind(f, "hand me the chair behind the car", POV_REQUEST_WHICH, NULL, NULL);
    assert_int_equal(count_candidates(&f->question, &f->scene), 2);
    assert_string_equal(f->question.relation->name, "behind");
    assert_true(f->question.any_perspective);
    assert_kind(f, "Please give me the red ball that is to the left of the car, from Ann", POV_REQUEST_WHICH,
                "Ann", NULL);
    assert_int_equal(count_candidates(&f->question, &f->scene), 1);
    assert_int_equal(f->question.perspective, POV_ADDRESSEE);
    assert_kind(f, "which of the chairs is behind the car", POV_REQUEST_WHICH, NULL, NULL);
    assert_int_equal(count_candidates(&f->question, &f->scene), 2);
    assert_kind(f, "what is between the car and the ball", POV_REQUEST_WHICH, NULL, NULL);
    assert_int_equal(f->question.relatum_len, 2);
    assert_kind(f, "hand me the chair to my left", POV_REQUEST_WHICH, NULL, NULL);
    assert_int_equal(f->question.perspective, POV_INTRINSIC);
    assert_int_equal(f->question.relatum[0], pov_scene_find(&f->scene, "Ann"));
    assert_string_equal(f->question.relation->name, "left_of");
    assert_kind(f, "which chair is behind me", POV_REQUEST_WHICH, NULL, NULL);
    assert_int_equal(f->question.relatum[0], pov_scene_find(&f->scene, "Ann"));
    assert_kind(f, "take the thing left of the car", POV_REQUEST_WHICH, NULL, NULL);
    assert_int_equal(count_candidates(&f->question, &f->scene),
                     f->scene.len - 2); /* not the camera, not Ann */
    assert_kind(f, "which one is left of the car", POV_REQUEST_WHICH, NULL, NULL);
    assert_int_equal(count_candidates(&f->question, &f->scene), f->scene.len - 1);
    assert_kind(f, "which chair is behind the car from the robot's perspective", POV_REQUEST_WHICH, "camera",
                NULL);
    assert_kind(f, "which chair is behind the car from my side", POV_REQUEST_WHICH, "Ann", NULL);
}

/* The chairs are at y = 1 and 2, the car at 0 between the camera (y = -3) and them; Ann stands at x = -2 and the car's
 * front points to her, so that nothing is left or right of it for the camera. */
static void each_frame_picks_its_own(void **state)
{
    fixture *f = *state;
    const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_query frames[POV_REPLY_MAX];
    static const struct {
        const char *text, *picks[3]; /* camera, Ann, the car's front */
    } cases[] = {
        {"give me the chair behind the car", {"chair", "chair-2", NULL}},
        {"give me the thing behind the car", {"chair", "red_ball", "red_ball"}},
        {"give me the thing in front of the car", {NULL, NULL, NULL}}, /* Ann is no thing */
        {"give me the one in front of the car", {NULL, NULL, "Ann"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(pov_request_parse(&f->question, &f->scene, cases[i].text).code, POV_OK);
        assert_int_equal(pov_request_frames(frames, &f->scene, &f->question), 3);
        for (int frame = 0; frame < 3; frame++) {
            pov_pick pick;
            pov_request_pick(&pick, &f->scene, &f->question, &frames[frame], &judging, NULL);
            if (i == 0 && frame > 0)
                continue; /* the chairs are at right angles to these */
            assert_int_equal(pick.len > 0, cases[i].picks[frame] != NULL);
            if (pick.len > 0)
                assert_string_equal(f->scene.entities[pick.judgments[0].query.referent].name,
                                    cases[i].picks[frame]);
        }
    }
}

/* South of the chair at (0, 1): the car is at 0 degrees from that, the ball at atan(0.5), Ann at atan(2). */
static void of_several_the_best_example_is_picked(void **state)
{
    fixture *f = *state;
    const pov_judging judging = POV_JUDGING_DEFAULT;
    static const char *const best_first[] = {"car", "red_ball", "Ann"};
    pov_query frames[POV_REPLY_MAX];
    pov_pick pick;
    assert_int_equal(pov_request_parse(&f->question, &f->scene, "which is south of the first").code,
                     POV_ERROR);
    assert_int_equal(pov_request_parse(&f->question, &f->scene, "which is south of chair").code, POV_OK);
    assert_int_equal(pov_request_frames(frames, &f->scene, &f->question), 1);
    pov_request_pick(&pick, &f->scene, &f->question, &frames[0], &judging, NULL);
    assert_int_equal(pick.len, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(f->scene.entities[pick.judgments[i].query.referent].name, best_first[i]);
}

/* Whatever the complaint, and however a sentence is broken off. */
static void each_example_of_a_complaint_is_understood(void **state)
{
    fixture *f = *state;
    static const char *const sentences[] = {"is the car on Ann's left side",
                                            "is the car on the nowhere side of the chair-2",
                                            "which is nearest to Ann of all frogs",
                                            "where is the car relative to the frog",
                                            "how far is the car from the frog",
                                            "how many frogs are left of the car",
                                            "which way does the car frog",
                                            "can Ann see the frog",
                                            "does the camera see Ann's frog",
                                            "who sees the frog",
                                            "what does Ann see from frog",
                                            "what hides the frog from Ann",
                                            "hand me the frog left of the car",
                                            "at what o'clock is the frog for Ann",
                                            "is Ann facing the frog",
                                            "do we both see the frog",
                                            "put the car down",
                                            "is the car the nearest frog to Ann",
                                            "is there anything frog the car",
                                            "what do you see that frogs do not"};
    int examples = 0;
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        for (size_t end = 1; end <= strlen(sentences[i]); end++) {
            char broken[200], example[200];
            snprintf(broken, sizeof broken, "%.*s", (int)end, sentences[i]);
            pov_status status = pov_request_parse(&f->question, &f->scene, broken);
            const char *begin = status.code == POV_OK ? NULL : strstr(status.message, "ask e.g. \"");
            if (!begin)
                continue;
            snprintf(example, sizeof example, "%s", begin + strlen("ask e.g. \""));
            *strrchr(example, '"') = '\0';
            status = pov_request_parse(&f->question, &f->scene, example);
            if (status.code != POV_OK)
                fail_msg("\"%s\" teaches \"%s\": %s", broken, example, status.message);
            assert_true(example[0] != ' ' && example[strlen(example) - 1] != ' ');
            examples++;
        }
    assert_true(examples > 100);
}

static void slips_in_any_form_are_named(void **state)
{
    fixture *f = *state;
    assert_refused(f, "does Ann seee the ball", "\"seee\" is not understood: did you mean \"see\"?");
    assert_refused(f, "wich chair is behind the car", "did you mean \"which\"?");
    assert_refused(f, "is the ball hiden from Ann", "did you mean \"hidden\"?");
    assert_refused(f, "does Anna see the ball", "no viewer \"anna\" in the scene: did you mean \"Ann\"?");
    assert_refused(f, "where is the chiar-2", "did you mean \"chair-2\"?");
    assert_refused(f, "hand me the chair lefft of the car", "did you mean \"left of\"?");
    assert_refused(f, "hand me the spoon left of the car",
                   "no entity \"spoon\" in the scene; it has camera, red_ball");
    assert_refused(f, "is the car to my lef", "did you mean \"left\"?");
    assert_refused(f, "does Ann see the ball today", "\"today\" is not understood");
    assert_refused(f, "does Ann see", "ends where the entity should be");
    assert_refused(f, "does Ann see the ball behind the car", "\"behind\"");
    assert_refused(f, "is the ball left of it from Ann", "no entity \"it\"");
    assert_refused(f, "is the ball not left of the car", "what \"not\" asks for is not clear");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_question_may_be_put_in_many_ways),
        cmocka_unit_test(answers_are_those_of_the_published_table),
        cmocka_unit_test(without_a_frame_every_frame_is_asked),
        cmocka_unit_test(the_longest_name_is_meant),
        cmocka_unit_test(what_is_not_understood_is_named_with_what_was_meant),
        cmocka_unit_test(undefined_answers_say_why),
        cmocka_unit_test(every_relation_of_the_registry_may_be_asked),
        cmocka_unit_test(seeing_may_be_asked_about),
        cmocka_unit_test(instructions_name_what_they_may_mean),
        cmocka_unit_test(each_frame_picks_its_own),
        cmocka_unit_test(of_several_the_best_example_is_picked),
        cmocka_unit_test(each_example_of_a_complaint_is_understood),
        cmocka_unit_test(slips_in_any_form_are_named),
        cmocka_unit_test(relations_without_a_direction_are_answered_too), /* gives the scene sizes: last */
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
