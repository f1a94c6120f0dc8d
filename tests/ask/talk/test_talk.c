#include "ask/talk/language_contract.h"
#include "ask/talk/talk.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <cJSON.h>

#include "config/scene/scene_file.h"

/* Camera at -y; the car faces camera-left, Ann stands camera-left and faces camera-right. */
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
    pov_talk *talk;
    pov_talk_reply reply;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    *state = &f;
    return pov_scene_file_parse(&f.scene, "kitchen", kitchen, sizeof kitchen - 1).code == POV_OK &&
                   pov_talk_new(&f.talk).code == POV_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pov_talk_reply_clear(&f->reply);
    pov_talk_destroy(&f->talk);
    return 0;
}

static void hear(fixture *f, const char *text)
{
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    const pov_talk_about about = {.scene = &f->scene, .judging = &judging};
    pov_talk_reply_clear(&f->reply);
    pov_status status = pov_talk_hear(f->talk, &f->reply, &about, text);
    assert_string_equal(status.message, "");
}

static const char *member(const fixture *f, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(f->reply.json, key));
    return text ? text : "null";
}

static void expect(fixture *f, const char *text, const char *answer)
{
    pov_talk_forget(f->talk);
    hear(f, text);
    if (strcmp(member(f, "answer"), answer) != 0)
        fail_msg("\"%s\": %s, not %s: %s", text, member(f, "answer"), answer, pov_text_of(&f->reply.say));
}

static void expect_asked(fixture *f, const char *text, const char *says)
{
    pov_talk_forget(f->talk);
    hear(f, text);
    if (f->reply.outcome != POV_ASKED_BACK || !strstr(pov_text_of(&f->reply.say), says))
        fail_msg("\"%s\": %s: %s", text, pov_outcome_name(f->reply.outcome), pov_text_of(&f->reply.say));
}

static void expect_refused(fixture *f, const char *text, const char *says)
{
    pov_talk_forget(f->talk);
    hear(f, text);
    if (f->reply.outcome != POV_REFUSED || !strstr(pov_text_of(&f->reply.say), says))
        fail_msg("\"%s\": %s: %s", text, pov_outcome_name(f->reply.outcome), pov_text_of(&f->reply.say));
}

static const cJSON *judgment_at(const fixture *f, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(f->reply.json, "judgments"), index);
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
        expect(f, ways[i], "yes");
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(f->reply.json, "judgments")), 1);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(judgment_at(f, 0), "referent")),
                            "red_ball");
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(judgment_at(f, 0), "perspective")),
                            "egocentric");
    }
}

/* COMFORT's table, phi = 90: the ball at camera-right. */
static void answers_are_those_of_the_published_table(void **state)
{
    fixture *f = *state;
    expect(f, "ball right-of car from camera rotated", "no");
    expect(f, "ball left-of car from camera rotated", "yes");
    expect(f, "ball behind car from addressee", "yes");
    expect(f, "ball in front of car from Ann translated", "yes");
    expect(f, "ball behind car from the woman's perspective by heading", "yes");
    expect(f, "ball behind car from the car's own side", "yes");
    expect(f, "ball in front of car intrinsically", "no");
    expect(f, "is the chair on Ann's left side?", "yes"); /* she faces +x, it is at +y */
    expect(f, "is the chair to my right", "no");
    expect(f, "is the ball to your right", "yes");
    expect(f, "ball east of car", "yes");
    expect(f, "ball to the west of car", "no");
}

static void without_a_frame_every_frame_is_asked(void **state)
{
    fixture *f = *state;
    expect(f, "is the ball behind the car", "depends"); /* not for the camera: beside */
    assert_int_equal(f->reply.outcome, POV_ASKED_BACK);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(f->reply.json, "frames")), 3);
    expect(f, "is the chair behind the car", "depends");
    expect(f, "chair-2 behind chair", "yes"); /* the chair has no front: two viewers */
    expect(f, "chair-2 behind chair from its own front", "undefined");
}

static void the_longest_name_is_meant(void **state)
{
    fixture *f = *state;
    hear(f, "chair 2 left of car from camera");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(judgment_at(f, 0), "referent")), "chair-2");
    hear(f, "chair left of car from camera");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(judgment_at(f, 0), "referent")), "chair");
}

static void what_is_not_understood_is_named(void **state)
{
    fixture *f = *state;
    expect_refused(f, "is the spoon left of the car", "no \"spoon\" here");
    expect_refused(f, "car left of car", "asked about itself");
    expect_refused(f, "ball north of car from camera", "the same from everywhere");
    expect_refused(f, "does Ann see the ball flabbergasted", "flabbergasted");
    expect_asked(f, "is the ball left of it from Ann", "name the thing");
    expect_asked(f, "is she left of the car", "Who is meant?");
    expect_refused(f, "what colour is the ball", "colours");
    expect_refused(f, "", "as a whole");
    expect_refused(f, "ball \x01 car", "control character");
    expect_refused(f, "ball \xff car", "UTF-8");
    expect_refused(f, "is the chair between the car", "2 ");
}

/* Beyond stale_after_s nothing is fetched, and what is told is told of an old image. */
static void an_old_image_is_not_acted_on(void **state)
{
    fixture *f = *state;
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    static const char *const said[] = {"give me the red ball", "is the ball right of the car for you", "stop",
                                       "describe the scene"};
    for (int old = 0; old < 2; old++)
        for (int i = 0; i < 4; i++) {
            const pov_talk_about about = {.scene = &f->scene,
                                          .judging = &judging,
                                          .image = "1.png",
                                          .age_s = old ? 31 : 2,
                                          .stale_after_s = 10};
            pov_talk_forget(f->talk);
            pov_talk_reply_clear(&f->reply);
            assert_int_equal(pov_talk_hear(f->talk, &f->reply, &about, said[i]).code, POV_OK);
            const cJSON *image = cJSON_GetObjectItem(f->reply.json, "image");
            assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(image, "is_stale")), old);
            assert_int_equal(f->reply.outcome, i > 0 ? POV_ANSWERED : old ? POV_REFUSED : POV_PICKED);
            assert_int_equal(strstr(pov_text_of(&f->reply.say), "31 s old") != NULL,
                             old && i != 2); /* "I stop." */
        }
}

static void slips_are_mended_and_told(void **state)
{
    fixture *f = *state;
    static const char *const slips[][2] = {{"does Ann seee the ball", "see"},
                                           {"wich chair is behind the car for you", "which"},
                                           {"is the ball hiden from Ann", "hidden"},
                                           {"is the bal right of the car for you", "ball"},
                                           {"hand me teh ball", "the"}};
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        pov_talk_forget(f->talk);
        hear(f, slips[i][0]);
        const cJSON *mended = cJSON_GetArrayItem(cJSON_GetObjectItem(f->reply.json, "mended"), 0);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(mended, "as")), slips[i][1]);
        assert_non_null(strstr(pov_text_of(&f->reply.say), slips[i][1]));
    }
    expect_refused(f, "give me the cat", "\"cat\""); /* a word that exists: no slip of car */
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
            const char *phrase = relation->phrases[k];
            snprintf(text, sizeof text, "is the ball %s %s",
                     strncmp(phrase, "is ", 3) == 0 ? phrase + 3 : phrase, relata[relation->relata_min - 1]);
            hear(f, text);
            const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(judgment_at(f, 0), "relation"));
            const char *meant =
                relation->aim == POV_AIM_HAND ? "facing" : relation->name; /* a ball has no hands */
            if (!name || strcmp(name, meant) != 0)
                fail_msg("\"%s\": %s: %s", text, name ? name : "none", pov_text_of(&f->reply.say));
        }
    }
}

/* Ann is at (-2, 0) and faces +x, so that the ball is behind the car for her; the camera, in the south, has it at the right. */
static void a_frame_that_was_meant_is_learnt(void **state)
{
    fixture *f = *state;
    pov_talk_forget(f->talk);
    hear(f, "is the ball behind the car?");
    assert_int_equal(f->reply.outcome, POV_ASKED_BACK);
    hear(f, "as I see it");
    assert_int_equal(f->reply.outcome, POV_ANSWERED);
    assert_string_equal(member(f, "answer"), "yes");
    hear(f, "and from yours?");
    assert_string_equal(member(f, "answer"), "no");
    hear(f, "why?");
    assert_non_null(strstr(pov_text_of(&f->reply.say), "degrees"));
}

/* 10 kB, many utterances: refused or answered at once. Time: a second, as it is promised. */
static void long_and_many_utterances_are_bounded(void **state)
{
    fixture *f = *state;
    static char text[10001];
    static const char *const words[] = {"the ", "ball left of ", "and ", "a", "give me "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        text[0] = '\0';
        while (strlen(text) + strlen(words[i]) < sizeof text)
            strcat(text, words[i]);
        clock_t begin = clock();
        expect_refused(f, text, "too long");
        assert_true(clock() - begin < CLOCKS_PER_SEC);
    }
    static const char nested[] =
        "the ball left of the chair left of the chair left of the chair left of the chair left of the chair "
        "left of the "
        "chair left of the chair left of the chair left of the chair left of the car";
    clock_t begin = clock();
    hear(f, nested);
    assert_true(clock() - begin < CLOCKS_PER_SEC);
}

static void a_rule_without_what_the_code_reads_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"START = COMPARE ;\nCOMPARE = same size ;",
         "test.ebnf:2: an alternative of the rule COMPARE lacks @same"},
        {"START = COMPARE ; COMPARE = PART same @same ; PART = NPR ; NPR = %noun ;",
         "test.ebnf:1: an alternative of the rule COMPARE with @same lacks PART and PART2, or BOTHPARTS"},
        {"START = THING ; THING = %noun ;", "the rule THING must begin with a phrase"},
        {"START = GOALREL ; GOALREL = there @shift ;",
         "the rule GOALREL with @shift lacks SIDE, or @forward"},
        {"START = STRONGVIEW ; STRONGVIEW = from there ;", "STRONGVIEW lacks VIEWER_, or STANDAT"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_grammar *grammar;
        assert_int_equal(pov_grammar_new(&grammar, "test.ebnf", cases[i].text, strlen(cases[i].text)).code,
                         POV_OK);
        const pov_status status = pov_language_rules_check(grammar, "test.ebnf");
        assert_int_equal(status.code, POV_ERROR);
        if (!strstr(status.message, cases[i].says))
            fail_msg("%s", status.message);
        pov_grammar_destroy(&grammar);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_question_may_be_put_in_many_ways),
        cmocka_unit_test(answers_are_those_of_the_published_table),
        cmocka_unit_test(without_a_frame_every_frame_is_asked),
        cmocka_unit_test(the_longest_name_is_meant),
        cmocka_unit_test(what_is_not_understood_is_named),
        cmocka_unit_test(an_old_image_is_not_acted_on),
        cmocka_unit_test(slips_are_mended_and_told),
        cmocka_unit_test(every_relation_of_the_registry_may_be_asked),
        cmocka_unit_test(a_frame_that_was_meant_is_learnt),
        cmocka_unit_test(long_and_many_utterances_are_bounded),
        cmocka_unit_test(a_rule_without_what_the_code_reads_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
