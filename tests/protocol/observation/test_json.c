#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/scene/scene_file.h"
#include "protocol/observation/json.h"
#include "tests/support/random_health.h"
#include "tests/support/random_observation.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pov_observation observation;
static char line[32 << 20];

/* One line, its newline cut off. */
static const char *written(pov_status (*write)(FILE *, const void *), const void *value)
{
    FILE *stream = fmemopen(line, sizeof line, "w");
    pov_status status = write(stream, value);
    fclose(stream);
    assert_int_equal(status.code, POV_OK);
    char *end = strchr(line, '\n');
    assert_non_null(end);
    assert_int_equal(end[1], '\0');
    *end = '\0';
    return line;
}

static pov_status write_observation(FILE *stream, const void *value)
{
    return pov_json_write_observation(stream, value);
}

static pov_status write_health(FILE *stream, const void *value)
{
    return pov_json_write_health(stream, value);
}

static cJSON *member(const cJSON *object, const char *name)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (item == NULL)
        fail_msg("no '%s'", name);
    return item;
}

static void assert_number(const cJSON *item, double expected)
{
    if (isnan(expected)) {
        assert_true(cJSON_IsNull(item));
        return;
    }
    assert_true(cJSON_IsNumber(item));
    assert_true(item->valuedouble == expected);
}

static void assert_numbers(const cJSON *array, const double *expected, int count)
{
    assert_int_equal(cJSON_GetArraySize(array), count);
    for (int i = 0; i < count; i++)
        assert_number(cJSON_GetArrayItem(array, i), expected[i]);
}

static void assert_text(const cJSON *item, const char *expected)
{
    if (expected == NULL)
        assert_true(cJSON_IsNull(item));
    else
        assert_string_equal(cJSON_GetStringValue(item), expected);
}

static const char *name_of(pov_id id)
{
    return id == POV_ID_NONE ? NULL : observation.scene.entities[id].name;
}

static void assert_entity(const cJSON *object, const pov_entity *entity)
{
    assert_text(member(object, "id"), entity->name);
    assert_text(member(object, "class"), entity->class_name);
    assert_int_equal(cJSON_IsTrue(member(object, "seen")), entity->seen);
    assert_int_equal(cJSON_IsTrue(member(object, "addressee")), entity->addressee);
    assert_numbers(member(object, "size_m"), &entity->size_m.x, 3);
    assert_numbers(member(object, "R_table_box"), &entity->R_table_box.m[0][0], 9);
    if (entity->placed) {
        double cov_m2[3][3];
        pov_scene_position_cov(&observation.scene, cov_m2, &entity->position);
        assert_numbers(member(object, "pos_m"), &entity->position.mean_m.x, 3);
        assert_numbers(member(object, "pos_cov_m2"), &cov_m2[0][0], 9);
    } else {
        assert_true(cJSON_IsNull(member(object, "pos_m")) && cJSON_IsNull(member(object, "pos_cov_m2")));
    }
    assert_int_equal(cJSON_GetArraySize(member(object, "headings")), entity->heading.len);
    for (int i = 0; i < entity->heading.len; i++) {
        cJSON *mode = cJSON_GetArrayItem(member(object, "headings"), i);
        assert_number(member(mode, "weight"), entity->heading.mode[i].weight);
        assert_number(member(mode, "yaw_rad"), entity->heading.mode[i].yaw_rad);
        assert_number(member(mode, "kappa"), entity->heading.mode[i].kappa);
    }
}

static void assert_judgment(const cJSON *object, const pov_judgment *judgment)
{
    static const char *const relations[] = {"left_of",  "right_of", "in_front_of", "behind",
                                            "north_of", "east_of",  "south_of",    "west_of"};
    static const char *const perspectives[] = {"egocentric", "addressee", "intrinsic", "absolute"};
    static const char *const conventions[] = {"translated", "rotated", "reflected", NULL};
    static const char *const acceptances[] = {"hemisphere", "cosine", "template"};
    static const char *const verdicts[] = {"false", "true", "abstain", "undefined"};
    const pov_query *query = &judgment->query;
    assert_text(member(object, "referent"), name_of(query->referent));
    assert_text(member(object, "relatum"), name_of(query->relatum[0]));
    assert_text(member(object, "viewer"), name_of(query->viewer));
    assert_text(member(object, "relation"), relations[query->relation->projective]);
    assert_text(member(object, "perspective"), perspectives[query->perspective]);
    assert_text(member(object, "convention"), conventions[query->convention]);
    assert_text(member(object, "axis"), query->axis == POV_HEADING ? "heading" : "sight_line");
    assert_text(member(object, "acceptance"), acceptances[query->acceptance]);
    assert_text(member(object, "verdict"), verdicts[judgment->belief.verdict]);
    assert_number(member(object, "p"), judgment->belief.p);
    assert_number(member(object, "p_std"), judgment->belief.p_std);
    assert_number(member(object, "theta_deg"), judgment->theta_rad * (180 / POV_PI));
    assert_number(member(object, "theta_std_deg"), judgment->theta_std_rad * (180 / POV_PI));
    assert_number(member(object, "flip_angle_deg"), pov_judgment_flip_angle_rad(judgment) * (180 / POV_PI));
    assert_number(member(object, "flip_distance_m"), judgment->flip_distance_m);
    assert_text(member(object, "containment"),
                judgment->containment == POV_INTERNAL ? "internal" : "external");
    assert_number(member(object, "p_internal"), judgment->p_internal);
}

static void assert_pose(const cJSON *object, const pov_image_header *image)
{
    static const char *const sources[] = {"unknown", "given", "tags", "ambiguous", "tf"};
    const cJSON *candidates = member(object, "candidates");
    assert_int_equal(cJSON_GetArraySize(candidates), image->candidate_len);
    for (int i = 0; i < image->candidate_len; i++) {
        const cJSON *candidate = cJSON_GetArrayItem(candidates, i);
        assert_number(member(candidate, "probability"), image->candidates[i].probability);
        assert_numbers(member(candidate, "pos_m"), &image->candidates[i].T_table_camera.T.t_m.x, 3);
    }
    assert_text(member(object, "source"), sources[image->pose_source]);
    if (isnan(image->T_table_camera.T.t_m.x)) {
        assert_true(cJSON_IsNull(member(object, "pos_m")) && cJSON_IsNull(member(object, "R_table_camera")) &&
                    cJSON_IsNull(member(object, "cov")));
        return;
    }
    assert_numbers(member(object, "pos_m"), &image->T_table_camera.T.t_m.x, 3);
    assert_numbers(member(object, "R_table_camera"), &image->T_table_camera.T.R.m[0][0], 9);
    assert_numbers(member(object, "cov"), &image->T_table_camera.cov[0][0], 36);
}

static void assert_image(const cJSON *object, const pov_image_header *image)
{
    char calibration[17];
    snprintf(calibration, sizeof calibration, "%016llx", (unsigned long long)image->calibration_hash);
    assert_text(member(object, "name"), image->name);
    assert_number(member(object, "sequence"), image->sequence);
    assert_number(member(object, "width_px"), image->width_px);
    assert_number(member(object, "height_px"), image->height_px);
    assert_text(member(object, "calibration"), calibration);
    assert_pose(member(object, "pose"), image);
}

static void assert_tag(const cJSON *object, const pov_observed_tag *observed)
{
    static const char *const families[] = {"tag36h11",       "tag36h10",         "tag25h9",
                                           "tag16h5",        "tagCircle21h7",    "tagCircle49h12",
                                           "tagCustom48h12", "tagStandard41h12", "tagStandard52h13"};
    static const char *const outcomes[] = {"used", "not_in_map", "rejected", "seen", "turns"};
    const cJSON *corners = member(object, "corners_px");
    assert_text(member(object, "family"), families[observed->tag.family]);
    assert_number(member(object, "id"), observed->tag.id);
    assert_int_equal(cJSON_GetArraySize(corners), 4);
    for (int i = 0; i < 4; i++)
        assert_numbers(cJSON_GetArrayItem(corners, i), &observed->tag.corner_px[i].x, 2);
    assert_number(member(object, "corner_std_px"), observed->tag.corner_std_px);
    assert_number(member(object, "bits_corrected"), observed->tag.bits_corrected);
    assert_number(member(object, "decision_margin"), observed->tag.decision_margin);
    assert_text(member(object, "fate"), outcomes[observed->outcome]);
    assert_number(member(object, "residual_px"), observed->residual_px);
}

static void assert_tags(const cJSON *root)
{
    const cJSON *tags = member(root, "tags");
    assert_int_equal(cJSON_GetArraySize(tags), observation.tag_len);
    for (int i = 0; i < observation.tag_len; i++)
        assert_tag(cJSON_GetArrayItem(tags, i), &observation.tags[i]);
    assert_int_equal(cJSON_IsTrue(member(root, "tags_truncated")), observation.tags_truncated);
}

static void assert_sight(const cJSON *object, const pov_visibility *sight)
{
    static const char *const causes[] = {"none",       "out_of_view",  "behind",  "hidden",
                                         "too_small",  "too_near",     "too_far", "unknown_gaze",
                                         "not_placed", "not_a_viewer", "no_body"};
    static const char *const verdicts[] = {"false", "true", "abstain", "undefined"};
    assert_text(member(object, "viewer"), name_of(sight->viewer));
    assert_text(member(object, "target"), name_of(sight->target));
    assert_number(member(object, "p"), sight->sees.p);
    assert_number(member(object, "p_std"), sight->sees.p_std);
    assert_text(member(object, "verdict"), verdicts[sight->sees.verdict]);
    assert_number(member(object, "fraction_visible"), sight->fraction_visible);
    assert_number(member(object, "fraction_expected"), sight->fraction_expected);
    assert_number(member(object, "fraction_out_of_view"), sight->fraction_out_of_view);
    assert_number(member(object, "fraction_hidden"), sight->fraction_hidden);
    assert_number(member(object, "fraction_out_of_range"), sight->fraction_out_of_range);
    assert_number(member(object, "size_deg"), sight->size_rad * (180 / POV_PI));
    assert_text(member(object, "cause"), causes[sight->cause]);
    const cJSON *occluders = member(object, "occluders");
    assert_int_equal(cJSON_GetArraySize(occluders), sight->occluder_len);
    for (int i = 0; i < sight->occluder_len; i++) {
        const cJSON *occluder = cJSON_GetArrayItem(occluders, i);
        assert_text(member(occluder, "id"), name_of(sight->occluders[i].id));
        assert_number(member(occluder, "share"), sight->occluders[i].share);
    }
}

static void assert_sights(const cJSON *root)
{
    const cJSON *sights = member(root, "visibility");
    assert_int_equal(cJSON_GetArraySize(sights), observation.sight_len);
    for (int i = 0; i < observation.sight_len; i++)
        assert_sight(cJSON_GetArrayItem(sights, i), &observation.sights[i]);
    assert_int_equal(cJSON_IsTrue(member(root, "visibility_truncated")), observation.sights_truncated);
}

static void assert_other(const cJSON *object, const pov_judgment *answer)
{
    static const char *const perspectives[] = {"egocentric", "addressee", "intrinsic", "absolute"};
    static const char *const conventions[] = {"translated", "rotated", "reflected", NULL};
    static const char *const verdicts[] = {"false", "true", "abstain", "undefined"};
    const pov_query *query = &answer->query;
    bool any_frame = query->relation->frame == POV_FRAME_NONE;
    assert_text(member(object, "relation"), query->relation->name);
    assert_text(member(object, "referent"), name_of(query->referent));
    assert_int_equal(cJSON_GetArraySize(member(object, "relata")), query->relatum_len);
    for (int i = 0; i < query->relatum_len; i++)
        assert_text(cJSON_GetArrayItem(member(object, "relata"), i), name_of(query->relatum[i]));
    assert_text(member(object, "perspective"), any_frame ? NULL : perspectives[query->perspective]);
    assert_text(member(object, "viewer"), name_of(query->viewer));
    assert_text(member(object, "convention"), conventions[query->convention]);
    assert_number(member(object, "p"), answer->belief.p);
    assert_number(member(object, "p_std"), answer->belief.p_std);
    assert_text(member(object, "verdict"), verdicts[answer->belief.verdict]);
}

static void assert_direction(const cJSON *object, const pov_observed_direction *direction)
{
    static const char *const sides[] = {"front",      "front-left", "left",        "back-left", "back",
                                        "back-right", "right",      "front-right", NULL};
    static const char *const verdicts[] = {"false", "true", "abstain", "undefined"};
    assert_text(member(object, "viewer"), name_of(direction->viewer));
    assert_text(member(object, "target"), name_of(direction->target));
    assert_number(member(object, "bearing_deg"), direction->side.bearing_rad * (180 / POV_PI));
    assert_text(member(object, "side"), sides[direction->side.side]);
    assert_text(member(object, "quarter"), sides[direction->side.quarter]);
    assert_numbers(member(object, "p_sides"), direction->side.p, 8);
    assert_numbers(member(object, "p_quarters"), direction->side.p_quarter, 4);
    assert_text(member(object, "verdict"), verdicts[direction->side.verdict]);
}

static void assert_order(const cJSON *array, const pov_order *order)
{
    assert_int_equal(cJSON_GetArraySize(array), order->len);
    for (int i = 0; i < order->len; i++) {
        const cJSON *object = cJSON_GetArrayItem(array, i);
        assert_text(member(object, "id"), name_of(order->places[i].id));
        assert_number(member(object, "bearing_deg"), order->places[i].bearing_rad * (180 / POV_PI));
        assert_number(member(object, "distance_m"), order->places[i].distance_m);
        assert_number(member(object, "p_swapped"), order->places[i].p_swapped);
        assert_int_equal(cJSON_IsTrue(member(object, "uncertain")), order->places[i].is_uncertain);
    }
}

static void assert_answers(const cJSON *root)
{
    const cJSON *relations = member(root, "relations"), *directions = member(root, "directions"),
                *views = member(root, "views");
    assert_int_equal(cJSON_GetArraySize(relations), observation.judgment_len - observation.directed_len);
    for (int i = observation.directed_len; i < observation.judgment_len; i++)
        assert_other(cJSON_GetArrayItem(relations, i - observation.directed_len), &observation.judgments[i]);
    assert_int_equal(cJSON_GetArraySize(directions), observation.direction_len);
    for (int i = 0; i < observation.direction_len; i++)
        assert_direction(cJSON_GetArrayItem(directions, i), &observation.directions[i]);
    assert_int_equal(cJSON_GetArraySize(views), observation.view_len);
    for (int i = 0; i < observation.view_len; i++) {
        const cJSON *view = cJSON_GetArrayItem(views, i);
        assert_text(member(view, "viewer"), name_of(observation.views[i].viewer));
        assert_order(member(view, "left_to_right"), &observation.views[i].left_to_right);
        assert_order(member(view, "near_to_far"), &observation.views[i].near_to_far);
    }
    assert_int_equal(cJSON_IsTrue(member(root, "relations_truncated")), observation.others_truncated);
    assert_int_equal(cJSON_IsTrue(member(root, "directions_truncated")), observation.directions_truncated);
    assert_int_equal(cJSON_IsTrue(member(root, "views_truncated")), observation.views_truncated);
}

static void random_observations_read_back_equal(void **state)
{
    (void)state;
    test_random random = {11};
    for (int i = 0; i < 100; i++) {
        test_random_observation(&random, &observation, test_random_index(&random, 20), 50);
        cJSON *root = cJSON_Parse(written(write_observation, &observation));
        assert_non_null(root);
        assert_image(member(root, "image"), &observation.image);
        assert_tags(root);
        assert_sights(root);
        assert_answers(root);
        const cJSON *scene = member(root, "scene"), *entities = member(scene, "entities");
        assert_int_equal(cJSON_GetArraySize(entities), observation.scene.len);
        for (int j = 0; j < observation.scene.len; j++)
            assert_entity(cJSON_GetArrayItem(entities, j), &observation.scene.entities[j]);
        assert_text(member(scene, "camera"), name_of(observation.scene.camera));
        assert_number(member(scene, "north_yaw_rad"), observation.scene.north_yaw_rad);
        const cJSON *judgments = member(root, "judgments");
        assert_int_equal(cJSON_GetArraySize(judgments), observation.directed_len);
        for (int j = 0; j < observation.directed_len; j++)
            assert_judgment(cJSON_GetArrayItem(judgments, j), &observation.judgments[j]);
        assert_int_equal(cJSON_IsTrue(member(root, "judgments_truncated")), observation.directed_truncated);
        cJSON_Delete(root);
    }
}

static void the_heaviest_heading_stands_out(void **state)
{
    (void)state;
    test_random random = {12};
    test_random_observation(&random, &observation, 2, 0);
    observation.scene.entities[0].heading = (pov_heading){.len = 2, .mode = {{0.25, 1, 10}, {0.75, 2, 20}}};
    observation.scene.entities[1].heading.len = 0;
    cJSON *root = cJSON_Parse(written(write_observation, &observation));
    const cJSON *entities = member(member(root, "scene"), "entities");
    assert_number(member(cJSON_GetArrayItem(entities, 0), "heading_rad"), 2);
    assert_number(member(cJSON_GetArrayItem(entities, 0), "heading_kappa"), 20);
    assert_true(cJSON_IsNull(member(cJSON_GetArrayItem(entities, 1), "heading_rad")));
    assert_true(cJSON_IsNull(member(cJSON_GetArrayItem(entities, 1), "heading_kappa")));
    cJSON_Delete(root);
}

static void long_texts_are_whole(void **state)
{
    (void)state;
    static pov_health health;
    health = (pov_health){.rate_hz = NAN, .latency_p50_s = NAN, .latency_p99_s = NAN, .camera_len = 1};
    health.cameras[0] = (pov_camera_health){.camera = "b", .moved_m = NAN, .turned_rad = NAN};
    memset(health.cameras[0].trouble, 'x', sizeof health.cameras[0].trouble - 1);
    assert_non_null(strstr(written(write_health, &health), health.cameras[0].trouble));
}

static void integers_beyond_a_double_are_exact(void **state)
{
    (void)state;
    test_random random = {13};
    test_random_observation(&random, &observation, 0, 0);
    observation.image.capture_ns = INT64_C(1764000000123456789);
    observation.image.calibration_hash = 0xf;
    assert_non_null(strstr(written(write_observation, &observation), "\"capture_ns\":1764000000123456789,"));
    assert_non_null(strstr(line, "\"calibration\":\"000000000000000f\""));
    pov_health health = {.now_ns = INT64_MIN, .messages_sent = UINT64_MAX};
    assert_non_null(strstr(written(write_health, &health), "\"now_ns\":-9223372036854775808,"));
    assert_non_null(strstr(line, "\"messages_sent\":18446744073709551615,"));
}

static void names_are_escaped(void **state)
{
    (void)state;
    test_random random = {14};
    test_random_observation(&random, &observation, 0, 0);
    strcpy(observation.image.name, "a \"b\"\\\n\x01 \xc3\xa4 \xff.png");
    assert_non_null(strstr(written(write_observation, &observation),
                           "\"name\":\"a \\\"b\\\"\\\\\\n\\u0001 \xc3\xa4 ?.png\""));
}

static void health_reads_back_equal_and_unknown_is_null(void **state)
{
    (void)state;
    test_random random = {15};
    for (int i = 0; i < 50; i++) {
        pov_health health = test_random_health(&random);
        cJSON *root = cJSON_Parse(written(write_health, &health));
        const cJSON *object = member(root, "health");
        assert_number(member(object, "now_ns"), (double)health.now_ns);
        assert_number(member(object, "images_processed"), (double)health.images_processed);
        assert_number(member(object, "images_skipped"), (double)health.images_skipped);
        assert_number(member(object, "images_lost"), (double)health.images_lost);
        assert_number(member(object, "camera_reconnects"), (double)health.camera_reconnects);
        assert_number(member(object, "rate_hz"), health.rate_hz);
        assert_number(member(object, "latency_p50_s"), health.latency_p50_s);
        assert_number(member(object, "latency_p99_s"), health.latency_p99_s);
        assert_number(member(object, "subscribers"), health.subscribers);
        assert_number(member(object, "messages_sent"), (double)health.messages_sent);
        assert_number(member(object, "messages_lost"), (double)health.messages_lost);
        assert_number(member(object, "refused"), (double)health.refused);
        assert_number(member(object, "images_waiting"), health.images_waiting);
        assert_number(member(object, "messages_waiting"), health.messages_waiting);
        assert_int_equal(cJSON_GetArraySize(member(object, "stages")), health.stage_len);
        for (int k = 0; k < health.stage_len; k++) {
            const cJSON *stage = cJSON_GetArrayItem(member(object, "stages"), k);
            assert_text(member(stage, "name"), health.stages[k].name);
            assert_number(member(stage, "mean_s"), health.stages[k].mean_s);
            assert_number(member(stage, "max_s"), health.stages[k].max_s);
        }
        const cJSON *moved = member(object, "moved_tags");
        assert_int_equal(cJSON_GetArraySize(moved), health.moved_tag_len);
        for (int k = 0; k < health.moved_tag_len; k++) {
            assert_number(member(cJSON_GetArrayItem(moved, k), "id"), health.moved_tags[k].id);
            assert_number(member(cJSON_GetArrayItem(moved, k), "turned_deg"),
                          health.moved_tags[k].turned_rad * (180 / POV_PI));
        }
        cJSON_Delete(root);
    }
}

/* config/scene/scene_file.h takes such lines: whatever is written in them. */
static void a_line_is_a_scene_that_can_be_judged_again(void **state)
{
    (void)state;
    static pov_scene read;
    test_random random = {9};
    for (int round = 0; round < 30; round++) {
        test_random_observation(&random, &observation, 6, 3);
        for (int i = 0; i < 6; i++)
            snprintf(observation.scene.entities[i].class_name, POV_NAME_CAPACITY, "thing");
        observation.scene.entities[2].arms_seen = true;
        observation.scene.entities[2].pointing = pov_heading_single(1.25, 30);
        observation.scene.entities[2].head_heading =
            (pov_heading){.len = 2,
                          .mode = {{.yaw_rad = 0.5, .kappa = 40, .weight = 0.75},
                                   {.yaw_rad = -2, .kappa = 3, .weight = 0.25}}};
        const char *text = written(write_observation, &observation);
        const pov_status status = pov_scene_file_parse(&read, "line.json", text, strlen(text));
        if (status.code != POV_OK)
            fail_msg("%s", status.message);
        assert_int_equal(read.len, 6);
        assert_int_equal(read.camera, observation.scene.camera);
        for (int i = 0; i < 6; i++) {
            const pov_entity *was = &observation.scene.entities[i], *is = &read.entities[i];
            assert_string_equal(is->name, was->name);
            assert_true(is->placed == was->placed && is->heading.len == was->heading.len);
            assert_int_equal(is->head_heading.len, was->head_heading.len);
            assert_true(is->arms_seen == was->arms_seen && is->pointing.len == was->pointing.len &&
                        is->pointing.mode[0].yaw_rad == was->pointing.mode[0].yaw_rad);
            for (int k = 0; k < was->head_heading.len; k++)
                assert_true(is->head_heading.mode[k].yaw_rad == was->head_heading.mode[k].yaw_rad &&
                            is->head_heading.mode[k].kappa == was->head_heading.mode[k].kappa);
            assert_true(is->look_age_s == was->look_age_s && is->has_turn_rate == was->has_turn_rate);
        }
    }
}

/* Repeats what is there of a list until it is full. */
#define FILL(LIST, LEN)                                                                                      \
    do {                                                                                                     \
        for (int i = (LEN); i < (int)(sizeof(LIST) / sizeof *(LIST)); i++)                                   \
            (LIST)[i] = (LIST)[i % (LEN)];                                                                   \
        (LEN) = (int)(sizeof(LIST) / sizeof *(LIST));                                                        \
    } while (0)

static void the_longest_line_is_a_scene(void **state)
{
    (void)state;
    static pov_scene read;
    test_random random = {10};
    do
        test_random_observation(&random, &observation, POV_ENTITY_MAX, POV_DIRECTED_MAX);
    while (observation.judgment_len == observation.directed_len || observation.sight_len == 0 ||
           observation.tag_len == 0 || observation.direction_len == 0 || observation.view_len == 0);
    for (int first = observation.directed_len, len = observation.judgment_len - first;
         observation.judgment_len < POV_JUDGMENT_MAX; observation.judgment_len++)
        observation.judgments[observation.judgment_len] =
            observation.judgments[first + (observation.judgment_len - first) % len];
    FILL(observation.sights, observation.sight_len);
    FILL(observation.tags, observation.tag_len);
    FILL(observation.directions, observation.direction_len);
    FILL(observation.views, observation.view_len);
    for (int i = 0; i < POV_ENTITY_MAX; i++)
        snprintf(observation.scene.entities[i].class_name, POV_NAME_CAPACITY, "thing");
    const char *text = written(write_observation, &observation);
    const pov_status status = pov_scene_file_parse(&read, "line.json", text, strlen(text));
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
    assert_int_equal(read.len, POV_ENTITY_MAX);
}

static void a_stream_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    pov_health health = {.now_ns = 1};
    pov_status status = pov_json_write_health(full, &health);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "No space left"));
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_observations_read_back_equal),
        cmocka_unit_test(the_heaviest_heading_stands_out),
        cmocka_unit_test(long_texts_are_whole),
        cmocka_unit_test(integers_beyond_a_double_are_exact),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(health_reads_back_equal_and_unknown_is_null),
        cmocka_unit_test(a_line_is_a_scene_that_can_be_judged_again),
        cmocka_unit_test(the_longest_line_is_a_scene),
        cmocka_unit_test(a_stream_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
