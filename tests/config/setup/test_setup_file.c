#include "config/setup/setup_file.h"
#include "firmware/station/station.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const pov_setup_click click = {.has_place = true,
                                      .has_front = true,
                                      .position_m = {0.1, -0.2, 0.025},
                                      .position_std_m = 0.004,
                                      .front_rad = -POV_PI / 2,
                                      .front_std_rad = 2 * POV_DEG,
                                      .color = "#aa5320"};

static pov_setup_answers answers_of(pov_setup_step_id step, const char *words)
{
    pov_setup_answers answers = {.len = 0};
    assert_int_equal(pov_setup_answers_parse(&answers, step, words).code, POV_OK);
    return answers;
}

static void edit(char **text, pov_setup_step_id step, const char *words)
{
    const pov_setup_answers answers = answers_of(step, words);
    pov_status status = pov_ok();
    if (step == POV_SETUP_CAMERA)
        status = pov_setup_edit_camera(text, &answers);
    else if (step == POV_SETUP_LENS)
        status = pov_setup_edit_lens(text, &answers, NULL);
    else if (step == POV_SETUP_TURNTABLE)
        status = pov_setup_edit_turntable(text, &answers);
    else if (step == POV_SETUP_THINGS)
        status = pov_setup_edit_thing(text, &answers, &click);
    else if (step == POV_SETUP_PERSON)
        status = pov_setup_edit_person(text, &answers, &click);
    else
        status = pov_setup_edit_vlm(text, &answers, "vlm.key");
    assert_string_equal(status.message, "");
}

static pov_station *read_station(const char *text)
{
    pov_station *station = calloc(1, sizeof *station);
    assert_non_null(station);
    const pov_status status = pov_station_parse(station, "made.yaml", text, strlen(text));
    assert_string_equal(status.message, "");
    return station;
}

static void answers_become_a_station_that_is_read_back(void **state)
{
    (void)state;
    char *text = pov_setup_text_new();
    edit(&text, POV_SETUP_CAMERA, "source=libcamera,id=front,size=1280x720,exposure_ms=8,gain=2");
    edit(&text, POV_SETUP_LENS, "field_of_view_deg=70");
    edit(&text, POV_SETUP_TURNTABLE, "how=motor,device=/dev/ttyUSB3");
    edit(&text, POV_SETUP_THINGS, "id=car,size_mm=160x70x50");
    edit(&text, POV_SETUP_THINGS, "id=ball,found_by=ball,diameter_mm=70");
    edit(&text, POV_SETUP_THINGS, "id=cup,found_by=tag,tag=12,edge_mm=30,size_mm=80");
    edit(&text, POV_SETUP_PERSON, "id=anna,found_by=tag,tag=5");
    edit(&text, POV_SETUP_VLM, "how=server,url=http://127.0.0.1:1/v1,model=m");
    pov_station *station = read_station(text);
    assert_int_equal(station->source.kind, POV_SOURCE_LIBCAMERA);
    assert_string_equal(station->source.libcamera_id, "front");
    assert_int_equal(station->source.width_px, 1280);
    assert_true(fabs(station->source.exposure_s - 0.008) < 1e-12 && station->source.gain == 2);
    assert_true(fabs(station->calibration.field_of_view_rad - 70 * POV_DEG) < 1e-12);
    assert_string_equal(station->turntable.device, "/dev/ttyUSB3");
    assert_int_equal(station->cast.len, 4);
    const pov_entity *car = &station->cast.members[0].entity, *anna = &station->cast.members[3].entity;
    assert_string_equal(car->name, "car");
    assert_true(fabs(car->position.mean_m.x - 0.1) < 1e-9 && fabs(car->position.mean_m.y + 0.2) < 1e-9);
    assert_true(fabs(car->size_m.y - 0.07) < 1e-9 && fabs(car->position.mean_m.z - 0.025) < 1e-9);
    assert_int_equal(car->heading.len, 1);
    assert_true(anna->addressee && anna->can_see);
    assert_non_null(strstr(text, "color: \"#aa5320\""));
    assert_non_null(strstr(text, "key_file: \"vlm.key\""));
    free(station);
    free(text);
}

static const char by_hand[] =
    "# The lab's own.\n"
    "about: by hand   # keep\n"
    "camera:\n"
    "  source: folder # for now\n"
    "  folder: {path: images}\n"
    "  field_of_view_deg: 60 # guessed\n"
    "  pose: {position_m: [1, 0, 1], look_at_m: [0, 0, 0]}\n"
    "\n"
    "# What there is\n"
    "cast:\n"
    "  # the red one\n"
    "  - {id: ball, found_by: ball, ball: {color: red, radius_m: 0.05}} # bought in May\n"
    "judge: {pairs: [[ball, car]]} # as in the paper\n";

static void a_file_written_by_hand_keeps_its_comments(void **state)
{
    (void)state;
    static const char *const kept[] = {"# The lab's own.\n",
                                       "about: by hand   # keep\n",
                                       "source: libcamera # for now\n",
                                       "  # the red one\n",
                                       "# What there is\n",
                                       "# bought in May\n",
                                       "radius_m: 0.03",
                                       "judge: {pairs: [[ball, car]]} # as in the paper\n"};
    char *text = strdup(by_hand);
    edit(&text, POV_SETUP_CAMERA, "source=libcamera");
    edit(&text, POV_SETUP_THINGS, "id=ball,found_by=ball,diameter_mm=60,color=blue");
    edit(&text, POV_SETUP_THINGS, "id=car");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_non_null(strstr(text, kept[i]));
    assert_null(strstr(text, "color: red"));
    free(read_station(text));
    free(text);
}

static void a_map_of_tags_replaces_a_pose_by_hand(void **state)
{
    (void)state;
    char *text = strdup(by_hand);
    assert_int_equal(pov_setup_edit_tags(&text, "tags.yaml").code, POV_OK);
    assert_null(strstr(text, "pose"));
    assert_non_null(strstr(text, "map: \"tags.yaml\""));
    assert_int_equal(pov_setup_edit_tags(&text, NULL).code, POV_OK);
    assert_null(strstr(text, "tags"));
    free(text);
}

static void a_thing_goes_as_it_came(void **state)
{
    (void)state;
    char *text = strdup(by_hand);
    edit(&text, POV_SETUP_THINGS, "id=cup");
    assert_int_equal(pov_setup_edit_remove(&text, "cup").code, POV_OK);
    assert_string_equal(text, by_hand);
    free(text);
}

static void a_wrong_thing_is_refused_in_words(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"id=", "id: a name"},
                                           {"id=camera", "id: a name"},
                                           {"id=a.b", "id: a name"},
                                           {"id=a: b", "id: a name"},
                                           {"id=cup,size_mm=big", "size_mm takes length x width x height"},
                                           {"id=cup,found_by=enrolled", "file: which file"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *text = strdup(by_hand);
        const pov_setup_answers answers = answers_of(POV_SETUP_THINGS, wrong[i][0]);
        const pov_status status = pov_setup_edit_thing(&text, &answers, &click);
        assert_int_equal(status.code, POV_ERROR);
        assert_non_null(strstr(status.message, wrong[i][1]));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_become_a_station_that_is_read_back),
        cmocka_unit_test(a_file_written_by_hand_keeps_its_comments),
        cmocka_unit_test(a_map_of_tags_replaces_a_pose_by_hand),
        cmocka_unit_test(a_thing_goes_as_it_came),
        cmocka_unit_test(a_wrong_thing_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
