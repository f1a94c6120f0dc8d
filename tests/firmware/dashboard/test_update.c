#include "firmware/dashboard/update.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static cJSON *parsed(char *text)
{
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    free(text);
    return json;
}

static cJSON *written(const pov_snapshot *snapshot, const pov_update_frame *frame)
{
    char *text;
    size_t len;
    FILE *stream = open_memstream(&text, &len);
    pov_update_write(stream, snapshot, frame);
    fclose(stream);
    return parsed(text);
}

static void before_the_first_image_there_is_only_the_frame(void **state)
{
    (void)state;
    pov_snapshot *snapshot;
    assert_int_equal(pov_snapshot_new(&snapshot).code, POV_OK);
    const pov_update_frame frame = {
        .sweeps = true, .simulated = true, .step = "a \"step\"", .sweep_version = 3};
    cJSON *json = written(snapshot, &frame);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "sweeps")));
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "simulated")));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "step")), frame.step);
    assert_int_equal(cJSON_GetObjectItem(json, "sweep")->valueint, 3);
    assert_null(cJSON_GetObjectItem(json, "image"));
    cJSON_Delete(json);
    pov_snapshot_destroy(&snapshot);
}

/* Nothing placed, nothing judged, no pose: all lists are there, and no number is NaN. */
static void an_image_in_which_nothing_was_found_is_json_too(void **state)
{
    (void)state;
    pov_snapshot *snapshot;
    assert_int_equal(pov_snapshot_new(&snapshot).code, POV_OK);
    snapshot->holds = snapshot->has_health = true;
    pov_scene_clear(&snapshot->observation->scene);
    pov_entity lost = pov_entity_named("a \"mug\"", "mug");
    pov_id id;
    assert_int_equal(pov_scene_add(&snapshot->observation->scene, &id, &lost).code, POV_OK);
    snapshot->health = (pov_health){.rate_hz = NAN};
    cJSON *json = written(snapshot, &(pov_update_frame){.step = ""});
    const cJSON *entities = cJSON_GetObjectItem(json, "entities");
    assert_int_equal(cJSON_GetArraySize(entities), 1);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(entities, 0), "name")),
                        "a \"mug\"");
    assert_null(cJSON_GetObjectItem(cJSON_GetArrayItem(entities, 0), "at"));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "acceptance")), 37);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "health"), "rate_hz")));
    static const char *const lists[] = {"rows", "sights"};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, lists[i])), 0);
    cJSON_Delete(json);
    pov_snapshot_destroy(&snapshot);
}

/* Oracle: the numbers put in. */
static void health_tells_stages_queues_tags_and_the_lens(void **state)
{
    (void)state;
    pov_snapshot *snapshot;
    assert_int_equal(pov_snapshot_new(&snapshot).code, POV_OK);
    snapshot->holds = snapshot->has_health = snapshot->uses_tags = true;
    pov_scene_clear(&snapshot->observation->scene);
    snapshot->health = (pov_health){.stage_len = 2,
                                    .stages = {{"tags", 0.0125, 0.25}, {"finding", 0, 0}},
                                    .images_waiting = 2,
                                    .messages_waiting = 7};
    snapshot->observation->tag_len = 2;
    snapshot->observation->tags[0] =
        (pov_observed_tag){.tag = {.id = 7}, .outcome = POV_TAG_REJECTED, .residual_px = 3.25};
    snapshot->observation->tags[1] =
        (pov_observed_tag){.tag = {.id = 9}, .outcome = POV_TAG_NOT_IN_MAP, .residual_px = NAN};
    strcpy(snapshot->calibration.path, "/home/a/lens.yaml");
    snapshot->calibration.trust.rms_px = 0.125;
    cJSON *json = written(snapshot, &(pov_update_frame){.step = ""});
    const cJSON *health = cJSON_GetObjectItem(json, "health");
    char *stages = cJSON_PrintUnformatted(cJSON_GetObjectItem(health, "stages"));
    char *each = cJSON_PrintUnformatted(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "tags"), "each"));
    char *lens = cJSON_PrintUnformatted(cJSON_GetObjectItem(json, "lens"));
    assert_string_equal(stages, "[[\"tags\",12.5,250],[\"finding\",0,0]]");
    assert_string_equal(each, "[[7,\"rejected\",3.25],[9,\"not_in_map\",null]]");
    assert_string_equal(lens, "{\"file\":\"lens.yaml\",\"device\":\"\",\"rms_px\":0.125}");
    assert_int_equal(cJSON_GetObjectItem(health, "images_waiting")->valueint, 2);
    assert_int_equal(cJSON_GetObjectItem(health, "messages_waiting")->valueint, 7);
    free(stages);
    free(each);
    free(lens);
    cJSON_Delete(json);
    pov_snapshot_destroy(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_first_image_there_is_only_the_frame),
        cmocka_unit_test(health_tells_stages_queues_tags_and_the_lens),
        cmocka_unit_test(an_image_in_which_nothing_was_found_is_json_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
