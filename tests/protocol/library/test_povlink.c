#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <povlink.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "north_deg: 90\n"
    "entities:\n"
    "  - {id: ball, position_m: [0.4, 0.1, 0.1], size_m: 0.2}\n"
    "  - {id: car, position_m: [-0.1, 0, 0.15], size_m: [0.8, 0.4, 0.3], front_deg: 180}\n"
    "  - {id: woman, position_m: [-1.5, 0.4, 0.8], size_m: [0.3, 0.5, 1.6], front_deg: 0,\n"
    "     sees: {horizontal_deg: 180, vertical_deg: 120}}\n";

static void assert_ok(pov_status status)
{
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
}

static void assert_refused(pov_status status, const char *words)
{
    assert_int_equal(status.code, POV_ERROR);
    if (!strstr(status.message, words))
        fail_msg("\"%s\" does not say \"%s\"", status.message, words);
}

static const char *kept_session(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/tests/firmware/recording/kept_session.mcap", getenv("POV_SOURCE"));
    return path;
}

static void a_scene_file_is_judged_by_libpov(void **state)
{
    (void)state;
    pov_scene *scene;
    pov_judgment judgment = {.relation = (int16_t)pov_relation_find("behind"),
                             .viewer = -1,
                             .relatum_len = 1,
                             .perspective = POV_INTRINSIC,
                             .convention = POV_NO_CONVENTION,
                             .axis = POV_HEADING};
    assert_ok(povlink_scene_read(&scene, "kitchen", text, strlen(text)));
    assert_int_equal(pov_scene_len(scene), 3);
    assert_float_equal(pov_scene_north(scene), 1.5707963, 1e-6);
    judgment.referent = (int16_t)pov_entity_find(scene, "ball");
    judgment.relata[0] = (int16_t)pov_entity_find(scene, "car");
    assert_ok(pov_judge_query(scene, &judgment, NULL));
    assert_float_equal(fabs(judgment.theta_rad), atan2(0.1, 0.5), 1e-9);
    pov_scene_destroy(&scene);
}

static void a_scene_that_is_wrong_makes_nothing_and_says_where(void **state)
{
    (void)state;
    const char *wrong = "entities:\n - {id: a, colour: 3}\n";
    pov_scene *scene = NULL;
    assert_refused(povlink_scene_read(&scene, "wrong", wrong, strlen(wrong)), "wrong:2: unknown key");
    assert_null(scene);
    assert_refused(povlink_scene_read(&scene, "/nowhere/a.yaml", NULL, 0), "/nowhere/a.yaml");
    assert_null(scene);
}

static void a_dialogue_remembers_and_tells_who_is_not_there(void **state)
{
    (void)state;
    pov_scene *scene;
    povlink_talk *talk;
    const char *reply;
    assert_ok(povlink_scene_read(&scene, "kitchen", text, strlen(text)));
    assert_ok(povlink_talk_new(&talk));
    assert_ok(povlink_talk_ask(talk, &reply, scene, NULL, "what hides the ball from the woman?"));
    assert_non_null(strstr(reply, "\"answer\":\"car\""));
    assert_ok(povlink_talk_ask(talk, &reply, scene, "", "does the woman see it?"));
    assert_non_null(strstr(reply, "\"outcome\":\"answered\""));
    assert_refused(povlink_talk_ask(talk, &reply, scene, "tom", "where is it?"), "tom");
    assert_string_equal(reply, "");
    assert_ok(povlink_talk_ask(talk, &reply, scene, NULL, "\xff\x01 xyzzy"));
    assert_non_null(strstr(reply, "\"say\""));
    povlink_talk_destroy(&talk);
    assert_null(talk);
    povlink_talk_destroy(&talk);
    pov_scene_destroy(&scene);
}

static void a_recording_is_read_unpacked_and_asked_about(void **state)
{
    (void)state;
    povlink_source *source;
    povlink_decoder *decoder;
    povlink_contents contents;
    povlink_event event;
    povlink_decoded decoded;
    uint64_t observations = 0, images = 0;
    pov_status status;
    assert_ok(povlink_recording_open(&source, kept_session()));
    assert_ok(povlink_decoder_new(&decoder));
    assert_ok(povlink_recording_contents(source, &contents));
    assert_true(contents.observations > 0 && contents.images > 0 && contents.last_ns > contents.first_ns);
    while ((status = povlink_source_next(source, &event, 1 << POVLINK_OBSERVATION | 1 << POVLINK_IMAGE, 0))
               .code == POV_OK) {
        observations += event.topic == POVLINK_OBSERVATION;
        images += event.topic == POVLINK_IMAGE;
        assert_in_range(event.log_ns, contents.first_ns, contents.last_ns);
        if (event.topic == POVLINK_IMAGE) {
            assert_true(strlen(event.name) > 0);
            continue;
        }
        assert_ok(povlink_decode(decoder, &decoded, event.bytes, event.len));
        assert_true(decoded.width_px > 0 && decoded.judgments > 0);
    }
    assert_int_equal(status.code, POV_END);
    assert_true(observations == contents.observations && images == contents.images);
    pov_judgment *list = malloc((size_t)decoded.judgments * sizeof *list);
    pov_judgments judgments = {list, decoded.judgments, 0}, one = {list, 1, 0};
    assert_ok(povlink_decoded_judgments(decoder, &judgments));
    assert_int_equal(judgments.len, decoded.judgments);
    assert_ok(povlink_decoded_judgments(decoder, &one));
    assert_int_equal(one.len, decoded.judgments);
    pov_scene *scene;
    povlink_talk *talk;
    const char *reply, *line;
    assert_ok(povlink_decoded_scene(decoder, &scene));
    for (int i = 0; i < judgments.len; i++)
        assert_true(strlen(pov_entity_name(scene, list[i].referent)) > 0 &&
                    pov_name(POV_RELATIONS, list[i].relation));
    assert_ok(povlink_talk_new(&talk));
    assert_ok(
        povlink_talk_ask(talk, &reply, scene, NULL, "where is the red ball relative to the blue ball?"));
    assert_non_null(strstr(reply, decoded.image)); /* the reply tells of which image */
    assert_ok(povlink_decoded_json(decoder, &line));
    assert_int_equal(line[0], '{');
    assert_int_equal(line[strlen(line) - 1], '\n');
    assert_ok(povlink_recording_seek(source, contents.first_ns));
    assert_ok(povlink_source_next(source, &event, ~0u, 0));
    free(list);
    povlink_talk_destroy(&talk);
    pov_scene_destroy(&scene);
    povlink_decoder_destroy(&decoder);
    povlink_source_destroy(&source);
    assert_null(source);
    assert_null(decoder);
}

static void bytes_of_others_are_no_message_and_nothing_is_held(void **state)
{
    (void)state;
    povlink_decoder *decoder;
    povlink_decoded decoded;
    povlink_source *source;
    pov_scene *scene;
    pov_judgments judgments = {NULL, 0, 7};
    pov_visibilities seen = {NULL, 0, 7};
    const char *line;
    assert_ok(povlink_decoder_new(&decoder));
    for (int i = 0; i < 2; i++) { /* before the first message, and after one that is none */
        assert_refused(povlink_decoded_json(decoder, &line), "holds no message");
        assert_string_equal(line, "");
        assert_refused(povlink_decoded_scene(decoder, &scene), "holds no observation");
        assert_null(scene);
        assert_refused(povlink_decoded_judgments(decoder, &judgments), "holds no observation");
        assert_refused(povlink_decoded_visibilities(decoder, &seen), "holds no observation");
        assert_int_equal(judgments.len + seen.len, 0);
        assert_int_equal(povlink_decode(decoder, &decoded, (const uint8_t *)"\xff\xff\xff", 3).code,
                         POV_ERROR);
        assert_int_equal(decoded.judgments, 0);
    }
    povlink_decoder_destroy(&decoder);
    assert_refused(povlink_recording_open(&source, "/nowhere/a.mcap"), "/nowhere/a.mcap");
    assert_null(source);
    povlink_source_destroy(&source);
}

static void a_station_that_is_not_there_times_out_and_is_no_recording(void **state)
{
    (void)state;
    povlink_source *source;
    povlink_asker *asker;
    povlink_contents contents;
    povlink_event event;
    const char *reply;
    const povlink_address nowhere = {.endpoint = "ipc:///tmp/pov test: nobody listens"},
                          wrong = {.endpoint = "robot"};
    const povlink_address keyless = {.endpoint = "tcp://127.0.0.1:1", .keys = "/nowhere/keys"};
    assert_ok(povlink_station_open(&source, &nowhere, "observation"));
    assert_int_equal(povlink_source_next(source, &event, 0, 1).code, POV_TIMEOUT);
    assert_null(event.bytes);
    assert_refused(povlink_source_next(source, &event, 0, -2), "timeout_ms");
    assert_refused(povlink_recording_contents(source, &contents), "is a station");
    assert_refused(povlink_recording_seek(source, 0), "is a station");
    povlink_source_destroy(&source);
    assert_ok(povlink_asker_new(&asker, &nowhere));
    assert_int_equal(povlink_asker_ask(asker, &reply, "{}", 1).code, POV_TIMEOUT);
    assert_string_equal(reply, "");
    assert_refused(povlink_asker_ask(asker, &reply, "{}", -2), "timeout_ms");
    povlink_asker_destroy(&asker);
    assert_refused(povlink_station_open(&source, &wrong, ""), "robot");
    assert_null(source);
    assert_refused(povlink_asker_new(&asker, &wrong), "robot");
    assert_null(asker);
    assert_refused(povlink_asker_new(&asker, &keyless), "/nowhere/keys");
    assert_null(asker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_file_is_judged_by_libpov),
        cmocka_unit_test(a_scene_that_is_wrong_makes_nothing_and_says_where),
        cmocka_unit_test(a_dialogue_remembers_and_tells_who_is_not_there),
        cmocka_unit_test(a_recording_is_read_unpacked_and_asked_about),
        cmocka_unit_test(bytes_of_others_are_no_message_and_nothing_is_held),
        cmocka_unit_test(a_station_that_is_not_there_times_out_and_is_no_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
