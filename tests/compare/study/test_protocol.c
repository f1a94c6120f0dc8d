#include "compare/study/protocol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "participants: 12\nconsent: yes\n"
#define SCENE                                                                                                \
    "scenes: [{id: row, alone: true, things: [{id: mug, at_m: [0.2, 0.1], within_m: 0.03, front_deg: 90, "   \
    "within_deg: 10}, {id: car}]}]\n"

static pov_protocol *protocol_of(const char *text)
{
    pov_protocol *protocol = NULL;
    const pov_status status = pov_protocol_parse(&protocol, "s.yaml", text, strlen(text));
    assert_string_equal(status.message, "");
    return protocol;
}

static void assert_complaint(const char *text, const char *message)
{
    pov_protocol *protocol = NULL;
    const pov_status status = pov_protocol_parse(&protocol, "s.yaml", text, strlen(text));
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, message) ? status.message : NULL);
    assert_null(protocol);
}

static void errors_name_line_and_key(void **state)
{
    (void)state;
    assert_complaint("consent: yes\nconditions: [{id: a}]\ntrials: [{id: t}]\n", "participants");
    assert_complaint(HEAD "conditions: [{id: a}, {id: a}]\ntrials: [{id: t}]\n",
                     "s.yaml:3: conditions[1].id: duplicate id 'a'");
    assert_complaint(HEAD "conditions: [{id: a}]\ntrials:\n- {id: t, scene: rwo}\n" SCENE,
                     "s.yaml:5: trials[0].scene");
    assert_complaint(HEAD "conditions: [{id: a}]\ntrials: [{id: t, conditions: [b]}]\n",
                     "trials[0].conditions[0]");
    assert_complaint(HEAD "conditions: [{id: a}]\ntrials: [{id: t}]\norder: {trials: latin}\n",
                     "s.yaml:5: order.trials");
    assert_complaint(HEAD "conditions: [{id: two words}]\ntrials: [{id: t}]\n", "is not an id");
    assert_complaint(HEAD "conditions: [{id: a}]\ntrials: [{id: t}]\nbreak: 1\n", "unknown key \"break\"");
    assert_complaint(HEAD "conditions: []\ntrials: [{id: t}]\n", "s.yaml:3: conditions");
    assert_complaint("participants: [P1, P1]\nconsent: y\nconditions: [{id: a}]\ntrials: [{id: t}]\n",
                     "duplicate id 'P1'");
}

/* Williams' property, counted: within the rows of a whole square each condition stands at each place equally often, and
 * follows each other one equally often. */
static void latin_squares_are_balanced(void **state)
{
    (void)state;
    for (int n = 2; n <= 7; n++) {
        char text[512];
        const int rows = n % 2 ? 2 * n : n;
        snprintf(text, sizeof text,
                 "participants: %d\nconsent: y\norder: {trials: as_written}\nconditions: [", rows);
        for (int i = 0; i < n; i++)
            snprintf(strchr(text, '\0'), 16, "%s{id: c%d}", i ? ", " : "", i);
        strcat(text, "]\ntrials: [{id: t}]\n");
        pov_protocol *protocol = protocol_of(text);
        pov_plan *plan = malloc(sizeof *plan);
        int at[7][7] = {{0}}, after[7][7] = {{0}};
        for (int p = 0; p < rows; p++) {
            pov_protocol_plan(plan, protocol, p);
            assert_int_equal(plan->len, n);
            for (int i = 0; i < n; i++) {
                at[i][plan->list[i].condition]++;
                if (i)
                    after[plan->list[i - 1].condition][plan->list[i].condition]++;
            }
        }
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                assert_int_equal(at[i][k], rows / n);
                assert_int_equal(after[i][k], i == k ? 0 : rows / n);
            }
        free(plan);
        pov_protocol_destroy(&protocol);
    }
}

static void every_participant_has_every_trial_once(void **state)
{
    (void)state;
    pov_protocol *protocol =
        protocol_of(HEAD "conditions: [{id: a}, {id: b}, {id: c}]\nbreaks: {every: 4}\n"
                         "trials: [{id: s}, {id: t}, {id: u}, {id: v, conditions: [b]}]\n");
    pov_plan *plan = malloc(sizeof *plan), *again = malloc(sizeof *again);
    int different = 0;
    for (int p = 0; p < 12; p++) {
        int count[3][4] = {{0}};
        pov_protocol_plan(plan, protocol, p);
        assert_int_equal(plan->len, 10);
        for (int i = 0; i < plan->len; i++) {
            count[plan->list[i].condition][plan->list[i].trial]++;
            assert_int_equal(plan->list[i].after_break, i == 4 || i == 8);
        }
        for (int c = 0; c < 3; c++)
            for (int t = 0; t < 4; t++)
                assert_int_equal(count[c][t], t < 3 || c == 1);
        pov_protocol_plan(again, protocol, (p + 6) % 12); /* the same row of the square of three */
        different += memcmp(plan->list, again->list, (size_t)plan->len * sizeof *plan->list) != 0;
    }
    assert_true(different > 6); /* shuffled for each */
    free(plan);
    free(again);
    pov_protocol_destroy(&protocol);
}

static void between_participants_each_has_one_condition(void **state)
{
    (void)state;
    pov_protocol *protocol =
        protocol_of(HEAD "design: between\nconditions: [{id: a}, {id: b}]\ntrials: [{id: s}, {id: t}]\n");
    pov_plan *plan = malloc(sizeof *plan);
    for (int p = 0; p < 12; p++) {
        pov_protocol_plan(plan, protocol, p);
        assert_int_equal(plan->len, 2);
        assert_int_equal(plan->list[0].condition, p % 2);
        assert_int_equal(plan->list[1].condition, p % 2);
    }
    free(plan);
    pov_protocol_destroy(&protocol);
}

/* ---- scenes ---- */

static pov_scene scene_of(double x_m, double y_m, double front_deg)
{
    pov_scene scene;
    pov_id id;
    pov_scene_clear(&scene);
    pov_entity mug = pov_entity_named("mug", "mug"), car = pov_entity_named("car", "car");
    mug.placed = mug.seen = car.placed = car.seen = true;
    mug.position.mean_m = (pov_vec3){x_m, y_m, 0.05};
    mug.heading = pov_heading_single(front_deg * POV_DEG, 100);
    assert_int_equal(pov_scene_add(&scene, &id, &mug).code, POV_OK);
    assert_int_equal(pov_scene_add(&scene, &id, &car).code, POV_OK);
    return scene;
}

static void check(pov_scene_check *out, const pov_scene *scene)
{
    pov_protocol *protocol = protocol_of(HEAD "conditions: [{id: a}]\ntrials: [{id: t, scene: row}]\n" SCENE);
    pov_wanted_scene_check(out, &protocol->scenes[0], scene);
    pov_protocol_destroy(&protocol);
}

static void a_scene_is_checked_thing_by_thing(void **state)
{
    (void)state;
    pov_scene_check found;
    pov_scene scene = scene_of(0.22, 0.12, 95); /* 2.8 cm off */
    check(&found, &scene);
    assert_true(found.right);
    assert_int_equal(found.len, 2);

    scene = scene_of(0.226, 0.126, 95); /* 3.7 cm off */
    check(&found, &scene);
    assert_false(found.right);
    assert_false(found.things[0].right);
    assert_true(found.things[1].right);
    assert_string_equal(found.things[0].text, "move it by [-0.03, -0.03] m in the table frame");

    scene = scene_of(0.2, 0.1, 60);
    check(&found, &scene);
    assert_string_equal(found.things[0].text, "turn it by 30 degrees counter-clockwise, seen from above");

    scene = scene_of(0.2, 0.1, 90);
    pov_entity cup = pov_entity_named("cup", "cup");
    pov_id id;
    cup.placed = cup.seen = true;
    assert_int_equal(pov_scene_add(&scene, &id, &cup).code, POV_OK);
    scene.entities[1].placed = false;
    check(&found, &scene);
    assert_int_equal(found.len, 3);
    assert_true(found.things[0].right);
    assert_string_equal(found.things[1].text, "missing: the camera does not find it");
    assert_string_equal(found.things[2].id, "cup");
    assert_false(found.things[2].right);
}

/* The camera stands in the south and looks north: its left is -x, away is +y. */
static void the_camera_tells_where_to(void **state)
{
    (void)state;
    pov_scene_check found;
    pov_scene scene = scene_of(0.3, 0.05, 90);
    pov_entity camera = pov_entity_named("camera", "camera");
    camera.placed = true;
    camera.heading = pov_heading_single(90 * POV_DEG, 1e6);
    assert_int_equal(pov_scene_add(&scene, &scene.camera, &camera).code, POV_OK);
    check(&found, &scene);
    assert_string_equal(found.things[0].text,
                        "move it 10 cm to the left and 5 cm away from the camera, as the camera sees it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_line_and_key),
        cmocka_unit_test(latin_squares_are_balanced),
        cmocka_unit_test(every_participant_has_every_trial_once),
        cmocka_unit_test(between_participants_each_has_one_condition),
        cmocka_unit_test(a_scene_is_checked_thing_by_thing),
        cmocka_unit_test(the_camera_tells_where_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
