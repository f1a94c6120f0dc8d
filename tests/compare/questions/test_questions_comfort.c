/* COMFORT's golds against the table of its scenes, and its wording against the paper's. */
#include "compare/questions/question.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/comfort_scene.h"
#include "tests/support/near.h"

typedef struct {
    pov_languages *languages;
    pov_questions *questions;
    pov_scene scene;
    pov_asking asking;
} asked;

static int set_up(void **state)
{
    static asked a;
    const pov_asking asking = POV_ASKING_DEFAULT;
    a.asking = asking;
    assert_int_equal(pov_languages_new(&a.languages, NULL).code, POV_OK);
    assert_int_equal(pov_languages_find(&a.asking.language, a.languages, "en").code, POV_OK);
    assert_int_equal(pov_questions_new(&a.questions, 200).code, POV_OK);
    comfort_scene(&a.scene, 30, 270);
    *state = &a;
    return 0;
}

static int tear_down(void **state)
{
    asked *a = *state;
    pov_questions_destroy(&a->questions);
    pov_languages_destroy(&a->languages);
    return 0;
}

static void ask_pair(asked *a)
{
    a->asking.referent = REFERENT;
    a->asking.relatum = RELATUM;
    assert_int_equal(pov_questions_ask(a->questions, &a->scene, &a->asking).code, POV_OK);
}

static const pov_question *find(const asked *a, const char *id)
{
    for (int i = 0; i < pov_questions_len(a->questions); i++)
        if (strcmp(pov_questions_at(a->questions, i)->id, id) == 0)
            return pov_questions_at(a->questions, i);
    fail_msg("there is no question %s", id);
    return NULL;
}

static const pov_gold *gold_of(const pov_question *question, pov_perspective perspective,
                               pov_convention convention, pov_axis axis)
{
    for (int i = 0; i < question->gold_len; i++) {
        const pov_gold *gold = &question->golds[i];
        if (gold->perspective == perspective && gold->convention == convention && gold->axis == axis)
            return gold;
    }
    fail_msg("%s lacks a frame", question->id);
    return NULL;
}

/* -------- golds -------- */

/* At which phi each relation holds best in COMFORT's scenes, by heading; the relatum faces camera-left. */
static const struct {
    pov_perspective perspective;
    pov_convention convention;
    double prototype_deg[4]; /* left, right, front, behind */
} frames[] = {
    {POV_EGOCENTRIC, POV_REFLECTED, {270, 90, 0, 180}},
    {POV_EGOCENTRIC, POV_TRANSLATED, {270, 90, 180, 0}},
    {POV_EGOCENTRIC, POV_ROTATED, {90, 270, 0, 180}},
    {POV_ADDRESSEE, POV_REFLECTED, {180, 0, 270, 90}},
    {POV_ADDRESSEE, POV_TRANSLATED, {180, 0, 90, 270}},
    {POV_ADDRESSEE, POV_ROTATED, {0, 180, 270, 90}},
    {POV_INTRINSIC, POV_NO_CONVENTION, {0, 180, 270, 90}},
};

static void check_golds(const pov_question *question, int phi_deg, bool faces_right)
{
    for (size_t f = 0; f < sizeof frames / sizeof *frames; f++) {
        bool intrinsic = frames[f].perspective == POV_INTRINSIC;
        const pov_gold *gold = gold_of(question, frames[f].perspective, frames[f].convention,
                                       intrinsic ? POV_AXIS_COUNT : POV_HEADING);
        double theta =
            phi_deg - frames[f].prototype_deg[question->relation] + (intrinsic && faces_right ? 180 : 0);
        double cosine = cos(theta * deg);
        assert_true(gold->defined);
        assert_near(gold->cosine, (cosine + 1) / 2, 1e-9);
        if (fabs(cosine) > 1e-9) /* on the very edge rounding decides */
            assert_near(pov_gold_p_yes(gold), cosine > 0, 1e-9);
    }
}

static void golds_are_those_of_the_table_at_all_36_angles(void **state)
{
    asked *a = *state;
    for (int faces = 270; faces >= 90; faces -= 180)
        for (int phi_deg = 0; phi_deg < 360; phi_deg += 10) {
            comfort_scene(&a->scene, phi_deg, faces);
            ask_pair(a);
            int relations = 0;
            for (int i = 0; i < pov_questions_len(a->questions); i++) {
                const pov_question *question = pov_questions_at(a->questions, i);
                if (strcmp(question->task, "relation") != 0)
                    continue;
                relations++;
                check_golds(question, phi_deg, faces == 90);
                assert_near(cos(question->phi_rad - phi_deg * deg), 1, 1e-12);
                assert_near(question->facings.addressee_deg, 90, 1e-9);
                assert_near(question->facings.relatum_deg, faces, 1e-9);
            }
            assert_int_equal(relations, 16);
        }
}

static void each_prompt_asks_for_its_own_frame(void **state)
{
    asked *a = *state;
    ask_pair(a);
    static const struct {
        const char *id;
        pov_perspective perspective;
        pov_convention convention;
    } expected[] = {
        {"comfort/ball:car/behind/none/en", POV_EGOCENTRIC, POV_REFLECTED},
        {"comfort/ball:car/behind/camera/en", POV_EGOCENTRIC, POV_REFLECTED},
        {"comfort/ball:car/behind/addressee:woman/en", POV_ADDRESSEE, POV_REFLECTED},
        {"comfort/ball:car/behind/relatum/en", POV_INTRINSIC, POV_NO_CONVENTION},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const pov_question *question = find(a, expected[i].id);
        const pov_gold *gold = pov_question_asked(question);
        int marked = 0;
        for (int g = 0; g < question->gold_len; g++)
            marked += question->golds[g].asked;
        assert_int_equal(marked, 1);
        assert_int_equal(gold->perspective, expected[i].perspective);
        assert_int_equal(gold->convention, expected[i].convention);
    }
}

/* The camera looks 20 degrees past the car: phi still counts from the line to it, and so does what is asked for. */
static void gold_and_phi_agree_when_the_relatum_is_off_the_middle_of_the_image(void **state)
{
    asked *a = *state;
    static const double prototype_deg[] = {270, 90, 0, 180}; /* frames[0] */
    for (int phi_deg = 5; phi_deg < 360; phi_deg += 10) {
        comfort_scene(&a->scene, phi_deg, 270);
        a->scene.entities[a->scene.camera].heading.mode[0].yaw_rad += 20 * deg;
        ask_pair(a);
        for (int i = 0; i < pov_questions_len(a->questions); i++) {
            const pov_question *question = pov_questions_at(a->questions, i);
            if (strcmp(question->task, "relation") != 0 || question->prompt != POV_PROMPT_CAMERA)
                continue;
            double cosine = cos(question->phi_rad - prototype_deg[question->relation] * deg);
            assert_near(pov_gold_p_yes(pov_question_asked(question)), cosine > 0, 1e-9);
        }
    }
}

static void a_language_is_answered_by_its_own_convention(void **state)
{
    asked *a = *state;
    static const struct {
        const char *code;
        pov_convention convention;
    } expected[] = {{"ha", POV_TRANSLATED}, {"ta", POV_ROTATED}, {"de", POV_REFLECTED}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(pov_languages_find(&a->asking.language, a->languages, expected[i].code).code,
                         POV_OK);
        ask_pair(a);
        assert_int_equal(pov_question_asked(pov_questions_at(a->questions, 0))->convention,
                         expected[i].convention);
    }
}

static void a_ball_has_no_viewpoint_and_no_intrinsic_answer(void **state)
{
    asked *a = *state;
    a->scene.entities[RELATUM].heading.len = 0;
    ask_pair(a);
    for (int i = 0; i < pov_questions_len(a->questions); i++) {
        const pov_question *question = pov_questions_at(a->questions, i);
        if (strcmp(question->task, "relation") != 0)
            continue;
        assert_int_not_equal(question->prompt, POV_PROMPT_RELATUM);
        assert_false(gold_of(question, POV_INTRINSIC, POV_NO_CONVENTION, POV_AXIS_COUNT)->defined);
    }
}

static void noise_makes_an_answer_unsure_before_it_is_wrong(void **state)
{
    asked *a = *state;
    comfort_scene(&a->scene, 85, 270);
    for (int i = 0; i < 3; i++)
        a->scene.entities[REFERENT].position.own_cov_m2[i][i] = 0.3 * 0.3;
    ask_pair(a);
    const pov_gold *gold = pov_question_asked(find(a, "comfort/ball:car/in_front_of/camera/en"));
    assert_true(gold->defined);
    assert_false(gold->sure);
    assert_true(pov_gold_p_yes(gold) > 0.6 && pov_gold_p_yes(gold) < 0.95);
}

/* -------- wording -------- */

static void the_english_wording_is_the_papers(void **state)
{
    asked *a = *state;
    ask_pair(a);
    assert_string_equal(find(a, "comfort/ball:car/left_of/none/en")->text,
                        "Is the ball to the left of the car?");
    assert_string_equal(find(a, "comfort/ball:car/right_of/camera/en")->text,
                        "From the camera's viewpoint, is the ball to the right of the car?");
    assert_string_equal(find(a, "comfort/ball:car/in_front_of/addressee:woman/en")->text,
                        "From the woman's viewpoint, is the ball in front of the car?");
    assert_string_equal(find(a, "comfort/ball:car/behind/relatum/en")->text,
                        "From the car's viewpoint, is the ball behind the car?");
    assert_string_equal(find(a, "comfort/any/car/en")->text, "Is there any car?");
}

static void things_unlisted_are_called_by_class_or_name_in_english_only(void **state)
{
    asked *a = *state;
    pov_entity *relatum = &a->scene.entities[RELATUM];
    snprintf(relatum->name, sizeof relatum->name, "crate_7");
    snprintf(relatum->class_name, sizeof relatum->class_name, "wooden_crate");
    ask_pair(a);
    assert_string_equal(find(a, "comfort/ball:crate_7/behind/relatum/en")->text,
                        "From the wooden crate's viewpoint, is the ball behind the wooden crate?");
    snprintf(a->scene.entities[WOMAN].class_name, sizeof relatum->class_name, "wooden_crate");
    ask_pair(a);
    assert_string_equal(find(a, "comfort/ball:crate_7/behind/none/en")->text,
                        "Is the ball behind the crate 7?");
    assert_int_equal(pov_languages_find(&a->asking.language, a->languages, "de").code, POV_OK);
    pov_status status = pov_questions_ask(a->questions, &a->scene, &a->asking);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "German has no word for \"crate_7\""));
    assert_int_equal(pov_questions_len(a->questions), 0);
}

/* -------- presence -------- */

static void as_many_absent_things_are_asked_for_as_present_ones(void **state)
{
    asked *a = *state;
    for (a->asking.seed = 1; a->asking.seed < 30; a->asking.seed++) {
        ask_pair(a);
        int present = 0, absent = 0;
        for (int i = 0; i < pov_questions_len(a->questions); i++) {
            const pov_question *question = pov_questions_at(a->questions, i);
            if (strcmp(question->task, "presence") != 0)
                continue;
            bool yes = pov_gold_p_yes(&question->golds[0]) == 1;
            present += yes;
            assert_near(question->facings.relatum_deg, 270, 1e-9);
            absent += !yes;
            if (!yes) /* a basketball, a red ball are balls */
                assert_null(strstr(question->text, "ball"));
        }
        assert_int_equal(present, 3);
        assert_int_equal(absent, 3);
    }
}

static void too_many_questions_are_a_complaint(void **state)
{
    asked *a = *state;
    pov_questions *few;
    assert_int_equal(pov_questions_new(&few, 21).code, POV_OK);
    a->asking.referent = REFERENT;
    a->asking.relatum = RELATUM;
    pov_status status = pov_questions_ask(few, &a->scene, &a->asking);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "more than 21 questions"));
    pov_questions_destroy(&few);
    assert_int_equal(pov_questions_new(&few, 22).code, POV_OK);
    assert_int_equal(pov_questions_ask(few, &a->scene, &a->asking).code, POV_OK);
    assert_int_equal(pov_questions_len(few), 22);
    pov_questions_destroy(&few);
}

static void facts_say_what_the_golds_say(void **state)
{
    asked *a = *state;
    a->asking.guidance = POV_GUIDED_FACTS;
    comfort_scene(&a->scene, 270, 270); /* camera-left: in front of the car, and before the woman */
    ask_pair(a);
    const pov_question *question = find(a, "comfort/ball:car/left_of/camera/en+facts");
    assert_non_null(strstr(question->text, "Relative to the observer, the ball is to the left of the car."));
    assert_non_null(strstr(question->text, "Relative to the woman, the ball is in front of the car."));
    assert_non_null(strstr(question->text, "Relative to the car itself, the ball is in front of the car."));
    assert_non_null(strstr(question->text, "The ball is outside the car; their centres are 3 m apart"));
    assert_non_null(
        strstr(question->text, ". From the camera's viewpoint, is the ball to the left of the car?"));
    pov_entity *ball = &a->scene.entities[a->asking.referent], *car = &a->scene.entities[a->asking.relatum];
    const pov_position beside = ball->position;
    const pov_vec3 no_size = car->size_m;
    ball->size_m = (pov_vec3){0.2, 0.2, 0.2};
    car->size_m = (pov_vec3){4, 2, 1.5};
    ball->position.mean_m =
        pov_vec3_add(car->position.mean_m, (pov_vec3){0.3, 0.2, 0.85}); /* on its roof: on no side of it */
    ask_pair(a);
    question = find(a, "comfort/ball:car/left_of/camera/en+facts");
    assert_null(strstr(question->text, "Relative to"));
    assert_non_null(
        strstr(question->text, "The ball is on the car; their centres are 0.92 m apart, touching."));
    ball->position = beside;
    ball->size_m = car->size_m = no_size;
    a->scene.entities[a->asking.referent].position.mean_m.x += 150;
    ask_pair(a);
    question = find(a, "comfort/ball:car/left_of/camera/en+facts");
    assert_non_null(strstr(question->text, "their centres are 150 m apart, far"));
    a->asking.guidance = POV_GUIDED_STEP;
    assert_int_equal(pov_questions_ask(a->questions, &a->scene, &a->asking).code, POV_ERROR);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(golds_are_those_of_the_table_at_all_36_angles),
        TEST(each_prompt_asks_for_its_own_frame),
        TEST(gold_and_phi_agree_when_the_relatum_is_off_the_middle_of_the_image),
        TEST(a_language_is_answered_by_its_own_convention),
        TEST(a_ball_has_no_viewpoint_and_no_intrinsic_answer),
        TEST(noise_makes_an_answer_unsure_before_it_is_wrong),
        TEST(the_english_wording_is_the_papers),
        TEST(things_unlisted_are_called_by_class_or_name_in_english_only),
        TEST(as_many_absent_things_are_asked_for_as_present_ones),
        TEST(too_many_questions_are_a_complaint),
        TEST(facts_say_what_the_golds_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
