#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firmware/station/station.h"
#include "tests/support/near.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A station in a folder of its own, with a calibration and a tag map beside it. */
static char folder[64], station_path[96];
static pov_station station;

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char calibration[] =
    "image_width: 640\nimage_height: 480\ncamera_name: test\n"
    "camera_matrix: {rows: 3, cols: 3, data: [500, 0, 320, 0, 500, 240, 0, 0, 1]}\n"
    "distortion_model: plumb_bob\n"
    "distortion_coefficients: {rows: 1, cols: 5, data: [0.1, 0, 0, 0, 0]}\n";
static const char tag_map[] = "family: tag36h11\nedge_m: 0.08\ntags:\n"
                              "  - {id: 0, position_m: [0, 0, 0], yaw_deg: 0}\n"
                              "  - {id: 1, position_m: [0.2, 0, 0], yaw_deg: 0}\n";

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/pov-station-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(station_path, sizeof station_path, "%s/station.yaml", folder);
    write_file("camera.yaml", calibration);
    write_file("tags.yaml", tag_map);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static pov_status read_station(const char *text)
{
    write_file("station.yaml", text);
    return pov_station_read(&station, station_path);
}

/* The text is refused, with all of `words` (separated by |) in the message. */
static void assert_refused(const char *text, const char *words)
{
    pov_status status = read_station(text);
    assert_int_equal(status.code, POV_ERROR);
    char all[512];
    snprintf(all, sizeof all, "%s", words);
    for (char *word = strtok(all, "|"); word; word = strtok(NULL, "|"))
        if (!strstr(status.message, word))
            fail_msg("expected \"%s\" in: %s", word, status.message);
    assert_non_null(strstr(status.message, folder)); /* the file is named */
}

#define CAMERA                                                                                               \
    "camera:\n  source: folder\n  folder: {path: images, rate_hz: 5, loop: true}\n  calibration: "           \
    "camera.yaml\n"
#define POSE                                                                                                 \
    "  pose: {position_m: [1, 2, 3], look_at_m: [0, 0, 0], position_std_m: 0.01, rotation_std_deg: 1}\n"
#define BALL                                                                                                 \
    "cast:\n  - id: ball\n    found_by: ball\n    ball: {color: red, radius_m: 0.05, radius_std_m: 0, "      \
    "edge_std_share: 0.02}\n"

static void a_full_station_is_read_as_written(void **state)
{
    (void)state;
    pov_status status = read_station(
        "about: a test\n" CAMERA "  mask_px: [[1, 2, 3, 4]]\n"
        "tags: {map: tags.yaml, decimate: 2}\n" BALL
        "  - {id: cup, class: mug, found_by: survey, position_m: [1, 0, 0.5], position_std_m: 0.1, "
        "size_m: [1, 2, 3], front_deg: 90, front_std_deg: 5, addressee: true}\n"
        "  - {id: robot, found_by: tag, tag: {id: 7, edge_m: 0.05, has_front: true, center_m: [0, 0, "
        "-0.1]}}\n"
        "north_deg: 180\n"
        "judge: {relations: [left_of, behind], axes: [heading], acceptance: [cosine], abstain_margin: 0.1, "
        "pairs: [[ball, cup]]}\n"
        "publish: {endpoint: \"tcp://127.0.0.1:7777\", queue: 3}\n");
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
    char images[128];
    snprintf(images, sizeof images, "%s/images", folder);
    assert_string_equal(station.source.folder, images);
    assert_near(station.source.rate_hz, 5, 0);
    assert_true(station.source.loop && *station.calibration.path && !station.place.is_given);
    assert_int_equal(station.camera.width_px, 640);
    assert_near(station.camera.distortion[0], 0.1, 0);
    assert_int_equal(station.finders.balls.mask_len, 1);
    assert_int_equal(station.finders.balls.masks[0].height_px, 4);
    assert_int_equal(station.finders.tags.map.len, 2);
    assert_true(station.finders.tags.is_wanted && station.finders.tags.detector.family[POV_TAG36H11] &&
                !station.finders.tags.detector.family[POV_TAG16H5]);
    assert_near(station.finders.tags.detector.decimate, 2, 0);

    assert_int_equal(station.cast.len, 3);
    const pov_cast_member *ball = &station.cast.members[0], *cup = &station.cast.members[1],
                          *robot = &station.cast.members[2];
    assert_string_equal(ball->entity.class_name, "ball"); /* for want of a class, the id */
    assert_int_equal(station.finders.balls.kinds[ball->kind].colour.red > 128, 1);
    assert_near(station.finders.balls.kinds[0].height_m, 0.05, 1e-12); /* rests on the table */
    assert_near(station.finders.balls.kinds[0].edge_std_share, 0.02, 0);
    assert_true(station.finders.balls.kinds[0].radius_std_m > 0 &&
                station.finders.balls.kinds[0].radius_std_m < 1e-6);
    assert_true(cup->entity.placed && cup->entity.addressee);
    assert_string_equal(cup->entity.class_name, "mug");
    assert_near(cup->entity.heading.mode[0].yaw_rad, POV_PI / 2, 1e-12);
    assert_near(sqrt(1 / cup->entity.heading.mode[0].kappa), 5 * POV_PI / 180, 1e-3);
    assert_near(cup->entity.position.own_cov_m2[1][1], 0.01, 1e-12);
    assert_int_equal(robot->tag_id, 7);
    assert_near(robot->T_tag_entity.T.t_m.z, -0.1, 0);
    assert_int_equal(robot->entity.heading.len, 1);

    assert_true(station.has_north);
    assert_near(fabs(station.north_yaw_rad), POV_PI, 1e-12);
    assert_true(station.judge.judging.relation[POV_LEFT_OF] && station.judge.judging.relation[POV_BEHIND]);
    assert_false(station.judge.judging.relation[POV_RIGHT_OF] || station.judge.judging.axis[POV_SIGHT_LINE]);
    assert_true(station.judge.judging.acceptance[POV_COSINE] &&
                !station.judge.judging.acceptance[POV_HEMISPHERE]);
    assert_int_equal(station.judge.pair_len, 1);
    assert_string_equal(station.judge.pairs[0][1], "cup");
    assert_string_equal(station.publish.endpoint, "tcp://127.0.0.1:7777");
    assert_int_equal(station.publish.queue_capacity, 3);
}

static void what_was_surveyed_lies_as_in_a_scene_file(void **state)
{
    (void)state;
    const pov_status status = read_station(
        CAMERA POSE
        "cast:\n"
        "  - {id: shelf, found_by: survey, position_m: [0, 0, 1], size_m: [1, 0.2, 2], yaw_deg: 30, "
        "position_std_m: [0.1, 0.2, 0.3]}\n"
        "  - {id: cat, found_by: survey, position_m: [0, 1, 0], front_deg: [{deg: 90, weight: 3, "
        "std_deg: 20}, {deg: -90}]}\n");
    assert_string_equal(status.message, "");
    const pov_entity *shelf = &station.cast.members[0].entity, *cat = &station.cast.members[1].entity;
    assert_int_equal(shelf->heading.len, 0); /* it has no front, yet its box is turned */
    assert_near(shelf->R_table_box.m[1][0], 0.5, 1e-12);
    assert_near(shelf->position.own_cov_m2[2][2], 0.09, 1e-12);
    assert_int_equal(cat->heading.len, 2);
    assert_near(cat->heading.mode[0].weight, 0.75, 1e-12);
    assert_refused(CAMERA POSE
                   "cast:\n  - {id: a, found_by: survey, position_m: [0, 0, 1], front_std_deg: 5}\n",
                   "cast[0].front_std_deg|no front_deg");
}

static void several_cameras_have_ids_lenses_and_poses_of_their_own(void **state)
{
    (void)state;
    static const char text[] =
        "cameras:\n"
        "  - {id: head, field_of_view_deg: 60, size_px: [640, 480], folder: {path: a, rate_hz: 10}, mask_px: "
        "[[1, 2, 3, 4]],\n"
        "     pose: {position_m: [1, 0, 1], look_at_m: [0, 0, 0]}}\n"
        "  - {id: above, field_of_view_deg: 90, size_px: [320, 240], source: v4l2, device: /dev/video7}\n"
        "cast: [{id: cup, found_by: survey, position_m: [0, 0, 0], size_m: 0.1}]\n";
    assert_int_equal(pov_station_parse(&station, "two.yaml", text, sizeof text - 1).code, POV_OK);
    assert_int_equal(station.camera_len, 2);
    assert_string_equal(station.cameras[0].id, "head");
    assert_int_equal(station.camera.width_px, 640);
    assert_int_equal(station.finders.balls.mask_len, 1);
    assert_true(station.place.is_given);
    pov_station_look_through(&station, 1);
    assert_string_equal(station.cameras[station.camera_index].id, "above");
    assert_int_equal(station.camera.width_px, 320);
    assert_int_equal(station.source.kind, POV_SOURCE_V4L2);
    assert_int_equal(station.finders.balls.mask_len, 0);
    assert_false(station.place.is_given);
}

static void mistakes_of_several_cameras_are_named(void **state)
{
    (void)state;
#define EYE     "field_of_view_deg: 60, size_px: [640, 480], folder: {path: a}}\n"
#define ONE_CUP "cast: [{id: cup, found_by: survey, position_m: [0, 0, 0], size_m: 0.1}]\n"
    assert_refused("camera: {" EYE "cameras: [{id: a, " EYE "]\n" ONE_CUP, "'camera' and 'cameras'");
    assert_refused("cameras:\n - {id: a, " EYE " - {id: a, " EYE ONE_CUP, "duplicate id 'a'");
    assert_refused("cameras:\n - {id: a, " EYE " - {id: cup, " EYE ONE_CUP, "duplicate id 'cup'");
    assert_refused("cameras:\n - {id: a b, " EYE ONE_CUP, "'a b' is not a valid camera id");
    assert_refused("cameras:\n - {id: camera, " EYE ONE_CUP, "'camera' is not a valid camera id");
    assert_refused("cameras:\n - {" EYE ONE_CUP, "id");
    assert_refused("cameras: []\n" ONE_CUP, "expected a list of cameras");
    assert_refused("track: false\ncameras:\n - {id: a, " EYE " - {id: b, " EYE ONE_CUP, "needs tracks");
    assert_refused("cameras:\n - {id: a, " EYE " - {id: b, " EYE " - {id: c, " EYE " - {id: d, " EYE
                   " - {id: e, " EYE " - {id: f, " EYE " - {id: g, " EYE " - {id: h, " EYE
                   " - {id: i, " EYE ONE_CUP,
                   "at most 8 cameras");
#undef EYE
}

static pov_code parse_cameras(const char *text)
{
    return pov_station_parse(&station, "several.yaml", text, strlen(text)).code;
}

static void cameras_whose_cables_could_be_swapped_unnoticed_are_refused(void **state)
{
    (void)state;
#define AT(id, x, y, more)                                                                                   \
    " - {id: " id ", field_of_view_deg: 60, size_px: [640, 480], folder: {path: a, rate_hz: 9}" more         \
    ", pose: {position_m: [" x ", " y ", 1], look_at_m: [0, 0, 0]}}\n"
    const pov_status opposite =
        read_station("cameras:\n" AT("a", "1", "0", "") AT("b", "-1", "0", "") ONE_CUP);
    assert_int_equal(opposite.code, POV_ERROR);
    assert_non_null(strstr(opposite.message, "turned by 180 degrees"));
    assert_refused("cameras:\n" AT("a", "1", "0", "") AT("b", "-0.5", "0.866025", "")
                       AT("c", "-0.5", "-0.866025", "") ONE_CUP,
                   "turned by 120 degrees");
    assert_int_equal(parse_cameras("cameras:\n" AT("a", "1", "0", "") AT("b", "-0.8", "0.3", "") ONE_CUP),
                     POV_OK);
    assert_int_equal(
        parse_cameras("cameras:\n" AT("a", "1", "0", "") AT("b", "-1", "0", ", swappable: false") ONE_CUP),
        POV_OK);
    assert_int_equal(parse_cameras("cameras:\n" AT("a", "1", "0", "") AT("b", "-1", "0", "")
                                       AT("c", "0", "1", "") ONE_CUP),
                     POV_OK);
#undef AT
#undef ONE_CUP
}

static void a_given_pose_looks_where_it_says_and_is_as_sure_as_it_says(void **state)
{
    (void)state;
    assert_int_equal(read_station(CAMERA POSE BALL).code, POV_OK);
    assert_true(station.place.is_given);
    pov_vec3 origin_camera =
        pov_transform_apply(pov_transform_inverse(station.place.T_table_camera.T), (pov_vec3){0, 0, 0});
    assert_near(origin_camera.x, 0, 1e-12);
    assert_near(origin_camera.y, 0, 1e-12);
    assert_near(origin_camera.z, sqrt(14), 1e-12);
    assert_near(sqrt(station.place.T_table_camera.cov[0][0]), POV_PI / 180, 1e-12);
    assert_near(sqrt(station.place.T_table_camera.cov[5][5]), 0.01, 1e-12);
}

static void an_unknown_camera_can_be_guessed_from_its_field_of_view(void **state)
{
    (void)state;
    assert_int_equal(read_station("camera: {field_of_view_deg: 90, size_px: [200, 100]}\n" BALL).code,
                     POV_OK);
    assert_near(station.camera.fx_px, 100, 1e-9);
    assert_near(station.camera.cx_px, 99.5, 0);
    assert_false(*station.calibration.path || station.calibration.size_from_images);
}

static void a_guessed_camera_without_a_size_fits_any_image(void **state)
{
    (void)state;
    assert_int_equal(read_station("camera: {field_of_view_deg: 90}\n" BALL).code, POV_OK);
    assert_true(station.calibration.size_from_images);
    pov_camera camera = pov_station_guess_camera(&station, 300, 100);
    assert_int_equal(pov_camera_check(&camera).code, POV_OK);
    assert_near(camera.fx_px, 150, 1e-9);
    assert_near(camera.fy_px, 150, 1e-9);
    assert_near(camera.cy_px, 49.5, 0);
}

static void a_station_that_looks_for_tags_needs_no_cast(void **state)
{
    (void)state;
    pov_status status = read_station(CAMERA "tags: {families: [tag25h9, tagStandard41h12]}\n");
    assert_string_equal(status.message, "");
    assert_true(station.finders.tags.is_wanted && station.cast.len == 0);
    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++)
        assert_int_equal(station.finders.tags.detector.family[i],
                         i == POV_TAG25H9 || i == POV_TAG_STANDARD41H12);
    assert_int_equal(read_station(CAMERA "tags: {map: tags.yaml}\ncast: []\n").code, POV_OK);
    assert_refused(CAMERA "tags: {decimate: 2}\n", "cast");
    assert_refused(CAMERA "tags: {families: [tag36h12]}\n", "tags.families[0]|tag36h11");
}

static void every_mistake_is_named_with_file_line_key_and_cure(void **state)
{
    (void)state;
    assert_refused(CAMERA "  calibraton: x\n" BALL, "station.yaml:5|calibraton|did you mean \"calibration\"");
    assert_refused("camera:\n  source: folder\n" BALL,
                   "station.yaml:1|camera|\"calibration\" is missing|intrinsics file");
    assert_refused("camera: {calibration: nowhere.yaml}\n" BALL, "station.yaml:1|calibration|nowhere.yaml");
    assert_refused(CAMERA "  pose: {position_m: [.nan, 0, 1], look_at_m: [0, 0, 0]}\n" BALL,
                   "station.yaml:5|camera.pose.position_m");
    assert_refused(CAMERA "  pose: {position_m: [0, 0, 1]}\n" BALL, "station.yaml:5|rotation|look_at_m");
    assert_refused(CAMERA "  pose: {position_m: [0, 0, 1], look_at_m: [0, 0, 0]}\n" BALL, "rotation instead");
    assert_refused(CAMERA POSE "tags: {map: tags.yaml}\n" BALL, "pose|tags");
    assert_refused(CAMERA "  prior: {height_m: 0.7, height_std_m: 0.1}\n" BALL,
                   "camera.prior|there is no tags.map");
    assert_refused(CAMERA "  prior: {height_m: 0.7}\ntags: {map: tags.yaml}\n" BALL, "prior|height_std_m");
    assert_refused(CAMERA "  prior: {pitch_deg: 100, pitch_std_deg: 1}\ntags: {map: tags.yaml}\n" BALL,
                   "pitch_deg");
    assert_refused(CAMERA "  prior: {}\ntags: {map: tags.yaml}\n" BALL, "prior|holds no height");
    assert_refused(CAMERA "cast:\n  - {id: a, found_by: ball, ball: {color: rad, radius_m: 1}}\n",
                   "station.yaml:6|cast[0].ball.color|red");
    assert_refused(CAMERA "cast:\n  - {id: a, found_by: ball, ball: {color: white, radius_m: 1}}\n",
                   "station.yaml:6|cast[0].ball.color|with a colour");
    assert_refused(CAMERA "cast:\n  - {id: a, found_by: ball, ball: {color: red}}\n",
                   "cast[0].ball|radius_m");
    assert_refused(CAMERA "cast:\n  - {id: a, found_by: magic}\n", "cast[0].found_by|survey, ball, tag");
    assert_refused(CAMERA BALL "  - {id: ball, found_by: survey, position_m: [0, 0, 0]}\n",
                   "station.yaml:9|duplicate id 'ball'");
    assert_refused(CAMERA BALL "judge: {pairs: [[ball, bell]]}\n", "no entity 'bell'");
    assert_refused(CAMERA
                   "tags: {map: tags.yaml}\ncast:\n  - {id: r, found_by: tag, tag: {id: 1, edge_m: 0.1}}\n",
                   "'r' carries tag36h11 id 1|another tag");
    assert_refused(CAMERA "cast: []\n", "cast|at least one");
    assert_refused(CAMERA, "cast");
    assert_refused(BALL, "camera");
}

static void frames_and_remaps_of_ros_2_that_cannot_work_are_named(void **state)
{
    (void)state;
#define STATION CAMERA POSE BALL "ros2:\n"
    assert_refused(STATION "  root: {frame: table}\n", "ros2.root.frame|table's own frame");
    assert_refused(STATION "  root: {frame: camera_optical_frame}\n", "ros2.root.frame|camera's own frame");
    assert_refused(STATION "  table_frame: camera_optical_frame\n", "ros2.table_frame|its own parent");
    assert_refused(STATION "  camera_frame: table\n", "ros2.camera_frame|its own parent");
    assert_refused(STATION "  table_frame: ''\n", "ros2.table_frame|'' is not a frame's name");
    assert_refused(STATION "  camera_frame: my camera\n", "ros2.camera_frame|'my camera' is not a frame's");
    assert_refused(STATION "  root: {frame: /map}\n", "ros2.root.frame|'/map' is not a frame's name");
#define HEARD CAMERA "cast: [{id: cup, found_by: topic, size_m: 0.1, topic: {detections: /found, "
    assert_refused(HEARD "class: ''}}]\n", "cast[0].topic.class|is empty");
    assert_refused(HEARD "id: ''}}]\n", "cast[0].topic.id|is empty");
#define MARKERS "  remap:\n    - {from: /pov/markers, to: /a}\n"
    assert_refused(STATION "  remap: [{from: /pov/marker, to: /a}]\n", "remap[0].from|not a topic of pov");
    assert_refused(STATION MARKERS "    - {from: /pov/markers, to: /b}\n", "remap[1].from|duplicate topic");
    assert_refused(STATION MARKERS "    - {from: /pov/reply, to: /a}\n", "remap[0].to|/pov/reply, too");
    assert_refused(STATION "  remap: [{from: /pov/markers, to: /tf}]\n", "remap[0].to|/tf, too");
    assert_int_equal(read_station(STATION MARKERS "    - {from: /pov/ask, to: /pov/markers}\n"
                                                  "  root: {frame: map}\n  publish: false\n")
                         .code,
                     POV_OK);
    assert_true(station.ros2.off_line > 0);
#undef MARKERS
#undef STATION
}

static void a_tag_twice_in_the_map_is_named(void **state)
{
    (void)state;
    write_file("twice.yaml", "family: tag36h11\nedge_m: 0.08\ntags:\n"
                             "  - {id: 3, position_m: [0, 0, 0], yaw_deg: 0}\n"
                             "  - {id: 3, position_m: [1, 0, 0], yaw_deg: 0}\n");
    assert_refused(CAMERA "tags: {map: twice.yaml}\n" BALL, "twice.yaml:5|3|twice");
}

static void ten_megabytes_of_garbage_are_refused(void **state)
{
    (void)state;
    FILE *file = fopen(station_path, "w");
    assert_non_null(file);
    srand(1);
    for (int i = 0; i < 10 << 20; i++)
        putc(rand() & 0xff, file);
    assert_int_equal(fclose(file), 0);
    pov_status status = pov_station_read(&station, station_path);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "station.yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_station_is_read_as_written),
        cmocka_unit_test(what_was_surveyed_lies_as_in_a_scene_file),
        cmocka_unit_test(several_cameras_have_ids_lenses_and_poses_of_their_own),
        cmocka_unit_test(mistakes_of_several_cameras_are_named),
        cmocka_unit_test(cameras_whose_cables_could_be_swapped_unnoticed_are_refused),
        cmocka_unit_test(a_given_pose_looks_where_it_says_and_is_as_sure_as_it_says),
        cmocka_unit_test(an_unknown_camera_can_be_guessed_from_its_field_of_view),
        cmocka_unit_test(a_guessed_camera_without_a_size_fits_any_image),
        cmocka_unit_test(a_station_that_looks_for_tags_needs_no_cast),
        cmocka_unit_test(every_mistake_is_named_with_file_line_key_and_cure),
        cmocka_unit_test(frames_and_remaps_of_ros_2_that_cannot_work_are_named),
        cmocka_unit_test(a_tag_twice_in_the_map_is_named),
        cmocka_unit_test(ten_megabytes_of_garbage_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
