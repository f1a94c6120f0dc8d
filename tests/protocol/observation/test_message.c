#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/observation/message.h"
#include "tests/support/random_health.h"
#include "tests/support/random_observation.h"
#include "tests/support/same_observation.h"

#include <stdlib.h>
#include <string.h>

static pov_codec *codec;
static pov_observation sent, received;

static int open_codec(void **state)
{
    (void)state;
    return pov_codec_new(&codec).code == POV_OK ? 0 : -1;
}

static int close_codec(void **state)
{
    (void)state;
    pov_codec_destroy(&codec);
    return 0;
}

static void assert_ok(pov_status status)
{
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
}

static pov_message round_trip(bool with_judgments)
{
    const uint8_t *bytes;
    size_t length;
    pov_message message = {.observation = &received};
    assert_ok(pov_codec_encode_observation(codec, &bytes, &length, &sent));
    if (!with_judgments)
        pov_codec_encode_scene(codec, &bytes, &length);
    assert_ok(pov_codec_decode(codec, &message, bytes, length));
    return message;
}

static void random_observations_come_back_equal(void **state)
{
    (void)state;
    test_random random = {1};
    for (int i = 0; i < 200; i++) {
        test_random_observation(&random, &sent, test_random_index(&random, POV_ENTITY_MAX + 1),
                                test_random_index(&random, 100));
        pov_message message = round_trip(true);
        assert_int_equal(message.kind, POV_MESSAGE_OBSERVATION);
        assert_int_equal(message.lost, 0);
        assert_same_observation(&sent, &received);
    }
}

static void the_largest_observation_comes_back_equal(void **state)
{
    (void)state;
    test_random random = {2};
    test_random_observation(&random, &sent, POV_ENTITY_MAX, POV_DIRECTED_MAX);
    for (sent.tag_len = 0; sent.tag_len < POV_TAG_MAX; sent.tag_len++)
        sent.tags[sent.tag_len] = test_random_tag(&random);
    for (sent.sight_len = 0; sent.sight_len < POV_SIGHT_MAX; sent.sight_len++) {
        sent.sights[sent.sight_len] = test_random_sight(&random, POV_ENTITY_MAX);
        pov_visibility *sight = &sent.sights[sent.sight_len];
        for (sight->occluder_len = 0; sight->occluder_len < POV_OCCLUDERS_MAX; sight->occluder_len++)
            sight->occluders[sight->occluder_len] = (pov_occluder){POV_ENTITY_MAX - 1, 0.1};
    }
    for (; sent.judgment_len < POV_JUDGMENT_MAX; sent.judgment_len++)
        sent.judgments[sent.judgment_len] = test_random_other_judgment(&random, POV_ENTITY_MAX);
    for (sent.direction_len = 0; sent.direction_len < POV_DIRECTION_MAX; sent.direction_len++)
        sent.directions[sent.direction_len] = test_random_direction(&random, POV_ENTITY_MAX);
    for (sent.view_len = 0; sent.view_len < POV_VIEW_MAX; sent.view_len++)
        test_random_view(&random, &sent.views[sent.view_len], POV_ENTITY_MAX, POV_ENTITY_MAX);
    round_trip(true);
    assert_same_observation(&sent, &received);
}

static void a_scene_message_has_no_judgments(void **state)
{
    (void)state;
    test_random random = {3};
    test_random_observation(&random, &sent, 5, 20);
    round_trip(false);
    assert_int_equal(received.judgment_len + received.sight_len, 0);
    assert_int_equal(received.direction_len + received.view_len, 0);
    assert_same_tags(&sent, &received);
    assert_same_scene(&sent.scene, &received.scene);
}

static void random_health_comes_back_equal(void **state)
{
    (void)state;
    test_random random = {4};
    for (int i = 0; i < 100; i++) {
        pov_health health = test_random_health(&random);
        const uint8_t *bytes;
        size_t length;
        pov_message message = {.observation = &received};
        assert_ok(pov_codec_encode_health(codec, &bytes, &length, &health));
        assert_ok(pov_codec_decode(codec, &message, bytes, length));
        assert_int_equal(message.kind, POV_MESSAGE_HEALTH);
        assert_int_equal(message.health.moved_tag_len, health.moved_tag_len);
        for (int k = 0; k < health.moved_tag_len; k++) {
            assert_int_equal(message.health.moved_tags[k].id, health.moved_tags[k].id);
            assert_int_equal(message.health.moved_tags[k].family, health.moved_tags[k].family);
            assert_int_equal(message.health.moved_tags[k].images, health.moved_tags[k].images);
            ASSERT_SAME_NUMBERS(message.health.moved_tags[k].moved_m, health.moved_tags[k].moved_m);
            ASSERT_SAME_NUMBERS(message.health.moved_tags[k].turned_std_rad,
                                health.moved_tags[k].turned_std_rad);
        }
        assert_int_equal(message.health.stage_len, health.stage_len);
        for (int k = 0; k < health.stage_len; k++) {
            assert_string_equal(message.health.stages[k].name, health.stages[k].name);
            ASSERT_SAME_NUMBERS(message.health.stages[k].mean_s, health.stages[k].mean_s);
            ASSERT_SAME_NUMBERS(message.health.stages[k].max_s, health.stages[k].max_s);
        }
        assert_int_equal(message.health.images_waiting, health.images_waiting);
        assert_int_equal(message.health.messages_waiting, health.messages_waiting);
        ASSERT_SAME_NUMBERS(message.health.rate_hz, health.rate_hz);
        ASSERT_SAME_NUMBERS(message.health.latency_p50_s, health.latency_p50_s);
        ASSERT_SAME_NUMBERS(message.health.latency_p99_s, health.latency_p99_s);
        assert_true(message.health.now_ns == health.now_ns &&
                    message.health.images_processed == health.images_processed &&
                    message.health.images_skipped == health.images_skipped &&
                    message.health.images_lost == health.images_lost &&
                    message.health.camera_reconnects == health.camera_reconnects &&
                    message.health.subscribers == health.subscribers &&
                    message.health.messages_sent == health.messages_sent &&
                    message.health.messages_lost == health.messages_lost &&
                    message.health.refused == health.refused);
    }
}

static void lost_is_appended_to_a_finished_message(void **state)
{
    (void)state;
    test_random random = {5};
    test_random_observation(&random, &sent, 3, 10);
    const uint8_t *bytes;
    size_t length;
    assert_ok(pov_codec_encode_observation(codec, &bytes, &length, &sent));
    for (int bits = 0; bits <= 64; bits += 8) {
        uint64_t lost = bits == 64 ? UINT64_MAX : UINT64_C(1) << bits;
        uint8_t *longer = malloc(length + POV_LOST_BYTES_MAX);
        memcpy(longer, bytes, length);
        size_t more = pov_message_encode_lost(longer + length, lost);
        pov_message message = {.observation = &received};
        assert_ok(pov_codec_decode(codec, &message, longer, length + more));
        assert_true(message.lost == lost);
        assert_same_observation(&sent, &received);
        free(longer);
    }
}

static void every_cut_of_a_message_is_refused_or_lacks_something(void **state)
{
    (void)state;
    test_random random = {6};
    test_random_observation(&random, &sent, 2, 3);
    const uint8_t *bytes;
    size_t length;
    assert_ok(pov_codec_encode_observation(codec, &bytes, &length, &sent));
    for (size_t cut = 0; cut < length; cut++) {
        uint8_t *part = malloc(cut + 1); /* its own block, so that reading past the end is seen */
        memcpy(part, bytes, cut);
        pov_message message = {.observation = &received};
        assert_int_equal(pov_codec_decode(codec, &message, part, cut).code, POV_ERROR);
        assert_int_equal(received.scene.len, 0);
        free(part);
    }
}

/* The encoder refuses what the decoder would: each case breaks one thing. */
static void break_name(void)
{
    strcpy(sent.scene.entities[1].name, sent.scene.entities[0].name);
}
static void break_empty_name(void)
{
    sent.scene.entities[0].name[0] = '\0';
}
static void break_utf8(void)
{
    strcpy(sent.scene.entities[0].name, "\xc0\x80");
}
static void break_position(void)
{
    sent.scene.entities[0].placed = true;
    sent.scene.entities[0].position.mean_m.y = NAN;
}
static void break_marginal_cov(void)
{
    sent.scene.entities[0].placed = true;
    sent.scene.entities[0].position = (pov_position){.per_camera_pose = {{1e200}}};
}
static void break_cov(void)
{
    sent.scene.entities[0].placed = true;
    sent.scene.entities[0].position.mean_m = (pov_vec3){0, 0, 0};
    sent.scene.entities[0].position.own_cov_m2[1][1] = -1;
}
static void break_correlation(void)
{
    sent.scene.camera_pose_cov[0][1] = sent.scene.camera_pose_cov[1][0] = 1e6;
}
static void break_rotation(void)
{
    sent.scene.entities[2].R_table_box.m[0][0] += 0.1;
}
static void break_weights(void)
{
    sent.scene.entities[0].heading = (pov_heading){.len = 2, .mode = {{0.5, 0, 1}, {0.4, 0, 1}}};
}
static void break_ties(void)
{
    sent.scene.entities[0].heading = pov_heading_single(0, 1);
    sent.scene.entities[0].heading_ties.with_position_m[1] = NAN;
}
static void break_kappa(void)
{
    sent.scene.entities[0].heading = (pov_heading){.len = 1, .mode = {{1, 0, INFINITY}}};
}
static void break_camera(void)
{
    sent.scene.camera = sent.scene.len;
}
static void break_referent(void)
{
    sent.judgments[1].query.referent = POV_ID_NONE;
}
static void break_viewer(void)
{
    sent.judgments[1].query.viewer = 99;
}
static void break_p(void)
{
    sent.judgments[1].belief = (pov_belief){.p = NAN, .p_std = 0, .verdict = POV_TRUE};
}
static void break_theta(void)
{
    sent.judgments[1].theta_rad = 4;
}
static void break_size(void)
{
    sent.image.width_px = 0;
}

static void break_corner(void)
{
    sent.tags[1].tag.corner_px[3].y = NAN;
}
static void break_tag_id(void)
{
    sent.tags[0].tag.id = -1;
}
static void break_corner_std(void)
{
    sent.tags[1].tag.corner_std_px = 0;
}
static void break_margin(void)
{
    sent.tags[1].tag.decision_margin = INFINITY;
}

static void break_residual(void)
{
    sent.tags[1].residual_px = -1;
}

static void break_target(void)
{
    sent.sights[1].target = 3;
}
static void break_occluder(void)
{
    sent.sights[0].occluders[0] = (pov_occluder){3, 0.5};
    sent.sights[0].occluder_len = 1;
}
static void break_fraction(void)
{
    sent.sights[1].sees.verdict = POV_TRUE;
    sent.sights[1].fraction_hidden = NAN;
}

static void break_relatum(void)
{
    sent.judgments[5].query.relatum[0] = 3;
}
static void break_relatum_len(void)
{
    sent.judgments[4].query.relation = pov_relation_lookup("between");
    sent.judgments[4].query.relatum_len = 1;
}
static void break_order_of_kinds(void)
{
    sent.judgments[5] = sent.judgments[0]; /* a direction, after another relation */
}
static void break_other_p(void)
{
    sent.judgments[5].belief = (pov_belief){.p = NAN, .p_std = 0, .verdict = POV_FALSE};
}
static void break_bearing(void)
{
    sent.directions[0].side.bearing_rad = 4;
}
static void break_side_p(void)
{
    sent.directions[1].side.verdict = POV_TRUE;
    sent.directions[1].side.bearing_rad = 0;
    sent.directions[1].side.side = sent.directions[1].side.quarter = (pov_side)0;
    for (int i = 0; i < (int)(sizeof sent.directions[1].side.p / sizeof *sent.directions[1].side.p); i++)
        sent.directions[1].side.p[i] = 0.1;
    sent.directions[1].side.p_quarter[3] = NAN;
}
static void break_velocity(void)
{
    sent.scene.entities[1].has_velocity = true;
    sent.scene.entities[1].velocity_cov_m2_s2[2][2] = -1;
}
static void break_turn_rate(void)
{
    sent.scene.entities[2].has_velocity = sent.scene.entities[2].has_turn_rate = true;
    sent.scene.entities[2].turn_rate_std_rad_s = NAN;
}
static void break_track(void)
{
    sent.scene.entities[0].track = (pov_entity_track){.tracked = true, .hidden_s = -1};
}
static void break_order(void)
{
    sent.views[0].near_to_far.places[1].id = 3;
}
static void break_distance(void)
{
    sent.views[0].left_to_right.places[0].distance_m = -1;
}

static void what_is_not_well_formed_is_refused_and_named(void **state)
{
    (void)state;
    static const struct {
        void (*break_it)(void);
        const char *named;
    } cases[] = {
        {break_name, "scene: two entities have the same name"},
        {break_empty_name, "scene.entities[0]: name is empty"},
        {break_position, "scene.entities[0].position.mean_m: nan is not finite"},
        {break_utf8, "scene.entities[0].name: is not valid UTF-8"},
        {break_cov, "scene.entities[0].position.own_cov_m2: is not a covariance"},
        {break_marginal_cov, "scene.entities[0].position.cov_m2"},
        {break_correlation, "scene.camera_pose_cov: is not a covariance"},
        {break_rotation, "scene.entities[2].R_table_box: is not a rotation"},
        {break_weights, "scene.entities[0]: heading: the weights do not sum to 1"},
        {break_ties, "scene.entities[0].heading_"},
        {break_kappa, "scene.entities[0].heading[0].kappa"},
        {break_camera, "scene.camera: 3 is not one of"},
        {break_referent, "judgments[1].referent"},
        {break_viewer, "judgments[1].viewer: 99 is not one of the scene's 3 entities"},
        {break_p, "judgments[1].p: nan"},
        {break_theta, "judgments[1].theta_rad: 4 is not within -3.14159 to 3.14159"},
        {break_size, "image.width_px: 0 is not within 1 to 16384"},
        {break_corner, "tags[1].corner_px: nan is not finite"},
        {break_tag_id, "tags[0].id: -1 is not within 0"},
        {break_corner_std, "tags[1].corner_std_px: 0 is not above 0"},
        {break_margin, "tags[1].decision_margin: inf is not finite"},
        {break_residual, "tags[1].residual_px: -1 is not at least 0"},
        {break_target, "visibility[1].target: 3 is not one of"},
        {break_occluder, "visibility[0].occluders[0].entity: 3 is not one of"},
        {break_fraction, "visibility[1]."},
        {break_relatum, "judgments[5].relata: 3 is not one of"},
        {break_relatum_len, "judgments[4]: relata: too few"},
        {break_order_of_kinds, "judgments: directions must come before"},
        {break_other_p, "judgments[5].p: nan"},
        {break_bearing, "directions[0].bearing_rad: 4"},
        {break_side_p, "directions[1].p_quarters: nan"},
        {break_order, "views[0].near_to_far[1].entity: 3"},
        {break_velocity, "scene.entities[1].velocity.linear_cov: is not a covariance"},
        {break_turn_rate, "scene.entities[2].velocity.turn_rate_std_rad_s: nan"},
        {break_track, "scene.entities[0].track.hidden_s: -1 is not at least 0"},
        {break_distance, "views[0].left_to_right[0].distance_m: -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_random random = {7};
        test_random_observation(&random, &sent, 3, 4);
        sent.tag_len = 2;
        sent.tags[0] = test_random_tag(&random);
        sent.tags[1] = test_random_tag(&random);
        sent.sight_len = 2;
        sent.sights[0] = test_random_sight(&random, 3);
        sent.sights[1] = test_random_sight(&random, 3);
        sent.judgment_len = 6;
        sent.direction_len = 2;
        sent.view_len = 1;
        for (int k = 0; k < 2; k++) {
            sent.judgments[4 + k] = test_random_other_judgment(&random, 3);
            sent.directions[k] = test_random_direction(&random, 3);
        }
        test_random_view(&random, &sent.views[0], 3, 2);
        cases[i].break_it();
        const uint8_t *bytes;
        size_t length;
        pov_status status = pov_codec_encode_observation(codec, &bytes, &length, &sent);
        assert_int_equal(status.code, POV_ERROR);
        if (strstr(status.message, cases[i].named) == NULL)
            fail_msg("'%s' is not in '%s'", cases[i].named, status.message);
        assert_null(bytes);
    }
}

/* Written by hand: schema version 2; health (5) with a moved tag (12) whose family (1) is -1. */
static void a_moved_tag_of_a_family_below_the_first_is_refused(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x08, 2,    0x2A, 13,   0x62, 11,   0x08, 0xFF, 0xFF,
                                    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
    pov_message message = {.observation = &received};
    const pov_status status = pov_codec_decode(codec, &message, bytes, sizeof bytes);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "moved_tags[0].family: is -1, which this version does not know"));
}

static void an_image_name_that_is_not_utf8_is_mended(void **state)
{
    (void)state;
    test_random random = {8};
    test_random_observation(&random, &sent, 1, 0);
    strcpy(sent.image.name, "a\xff\xc3-\xe2\x82\xac\xed\xa0\x80\xf4\x90.png");
    round_trip(true);
    assert_string_equal(received.image.name, "a\x3f\x3f-\xe2\x82\xac\x3f\x3f\x3f\x3f\x3f.png");
}

static pov_status decode_bytes(const char *bytes, size_t length)
{
    pov_message message = {.observation = &received};
    return pov_codec_decode(codec, &message, (const uint8_t *)bytes, length);
}

/* Written by hand from the protobuf encoding: tag = field << 3 | type, then a varint or a length and bytes.
 */
static void other_versions_and_other_bytes_are_named(void **state)
{
    (void)state;
    static const char newer[] = "\x08\x03\x12\x05"
                                "9.9.9"
                                "\x2a\x00";
    pov_status status = decode_bytes(newer, sizeof newer - 1);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "schema version 3"));
    assert_non_null(strstr(status.message, "use its publisher's version, pov 9.9.9"));
    static const char older[] = "\x08\x01\x12\x05"
                                "0.1.0"
                                "\x2a\x00";
    status = decode_bytes(older, sizeof older - 1);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "schema version 1"));
    assert_non_null(strstr(status.message, "reads version 2: update its publisher, which is pov 0.1.0"));
    static const char nothing[] = "\x08\x02";
    assert_non_null(strstr(decode_bytes(nothing, 2).message, "neither"));
    assert_non_null(strstr(decode_bytes("", 0).message, "no schema version"));
    assert_non_null(strstr(decode_bytes("\xff\xff", 2).message, "not a protobuf"));
    static const char no_image[] = "\x08\x02\x22\x00";
    assert_non_null(strstr(decode_bytes(no_image, 4).message, "image: is missing"));
    static const char health_and_unknown_field[] = "\x08\x02\x2a\x00\xa0\x06\x07";
    assert_int_equal(decode_bytes(health_and_unknown_field, 7).code, POV_OK);
}

static void a_message_that_asks_for_too_much_memory_is_refused(void **state)
{
    (void)state;
    /* Half a million empty judgments: two bytes each on the wire, more than a hundred in memory. */
    size_t count = 500000, length = 2 * count;
    uint8_t *bytes = malloc(length + 16);
    uint8_t *end = bytes;
    *end++ = 0x08, *end++ = POV_SCHEMA_VERSION, *end++ = 0x22;
    for (size_t rest = length; rest > 0; rest >>= 7)
        *end++ = (uint8_t)((rest & 0x7f) | (rest >> 7 > 0 ? 0x80 : 0));
    for (size_t i = 0; i < count; i++)
        *end++ = 0x1a, *end++ = 0;
    assert_int_equal(decode_bytes((char *)bytes, (size_t)(end - bytes)).code, POV_ERROR);
    free(bytes);
    static const char huge[(2 << 20) + 1];
    assert_non_null(strstr(decode_bytes(huge, sizeof huge).message, "none of pov has more"));
}

static void flipped_bits_never_deliver_a_broken_observation(void **state)
{
    (void)state;
    test_random random = {9};
    test_random_observation(&random, &sent, 4, 12);
    const uint8_t *bytes;
    size_t length;
    assert_ok(pov_codec_encode_observation(codec, &bytes, &length, &sent));
    uint8_t *flipped = malloc(length);
    memcpy(flipped, bytes, length);
    for (int i = 0; i < 3000; i++) {
        size_t at = (size_t)test_random_index(&random, (int)length);
        uint8_t bit = (uint8_t)(1 << test_random_index(&random, 8));
        flipped[at] ^= bit;
        pov_message message = {.observation = &received};
        if (pov_codec_decode(codec, &message, flipped, length).code == POV_OK &&
            message.kind == POV_MESSAGE_OBSERVATION)
            for (int j = 0; j < received.judgment_len; j++)
                assert_in_range(received.judgments[j].query.referent, 0, received.scene.len - 1);
        flipped[at] ^= bit;
    }
    free(flipped);
}

/* How many lines of a document hold a word. */
static int count_lines(const char *document, const char *word)
{
    char path[1000], *line = NULL;
    size_t capacity = 0;
    int count = 0;
    snprintf(path, sizeof path, "%s/docs/%s", getenv("POV_SOURCE"), document);
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    while (getline(&line, &capacity, stream) >= 0)
        count += strstr(line, word) != NULL;
    fclose(stream);
    free(line);
    return count;
}

static void the_documents_tell_how_many_judgments_a_message_may_have(void **state)
{
    (void)state;
    char words[160];
    if (!getenv("POV_SOURCE"))
        skip();
    snprintf(words, sizeof words,
             "of the eight directions, at most %d; on the wire then those of other relations, at most %d",
             POV_DIRECTED_MAX, POV_JUDGMENT_MAX - POV_DIRECTED_MAX);
    assert_int_equal(count_lines("WIRE.md", words), 1);
    assert_int_equal(count_lines("JSON.md", words), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_observations_come_back_equal),
        cmocka_unit_test(the_largest_observation_comes_back_equal),
        cmocka_unit_test(a_scene_message_has_no_judgments),
        cmocka_unit_test(random_health_comes_back_equal),
        cmocka_unit_test(lost_is_appended_to_a_finished_message),
        cmocka_unit_test(every_cut_of_a_message_is_refused_or_lacks_something),
        cmocka_unit_test(what_is_not_well_formed_is_refused_and_named),
        cmocka_unit_test(a_moved_tag_of_a_family_below_the_first_is_refused),
        cmocka_unit_test(an_image_name_that_is_not_utf8_is_mended),
        cmocka_unit_test(other_versions_and_other_bytes_are_named),
        cmocka_unit_test(a_message_that_asks_for_too_much_memory_is_refused),
        cmocka_unit_test(flipped_bits_never_deliver_a_broken_observation),
        cmocka_unit_test(the_documents_tell_how_many_judgments_a_message_may_have),
    };
    return cmocka_run_group_tests(tests, open_codec, close_codec);
}
