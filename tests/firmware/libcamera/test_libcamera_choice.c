#include "firmware/libcamera/libcamera_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void add_camera(pov_libcamera_list *list, const char *id, const char *model)
{
    pov_libcamera_camera *camera = &list->cameras[list->len++];
    snprintf(camera->id, sizeof camera->id, "%s", id);
    snprintf(camera->model, sizeof camera->model, "%s", model);
}

static void add_mode(pov_libcamera_camera *camera, const char *format, int width_px, int height_px)
{
    pov_libcamera_mode *mode = &camera->modes[camera->mode_len++];
    snprintf(mode->pixel_format, sizeof mode->pixel_format, "%s", format);
    mode->width_px = width_px;
    mode->height_px = height_px;
}

static pov_libcamera_list two_cameras(void)
{
    pov_libcamera_list list = {0};
    add_camera(&list, "\\_SB_.PCI0.XHC-1:1.0-046d:0825", "Webcam C270");
    add_camera(&list, "\\_SB_.PCI0.XHC-1:1.0-046d:0825.2", "Webcam C920");
    return list;
}

static const char *selected(const pov_libcamera_list *list, const char *selector)
{
    const pov_libcamera_camera *camera = NULL;
    pov_status status = pov_libcamera_source_select(&camera, list, selector);
    assert_true((status.code == POV_OK) == (camera != NULL));
    return camera ? camera->model : "";
}

static void a_camera_is_meant_by_its_id_or_by_what_only_it_has(void **state)
{
    (void)state;
    pov_libcamera_list list = two_cameras();
    assert_string_equal(selected(&list, "any"), "Webcam C270");
    assert_string_equal(selected(&list, list.cameras[0].id),
                        "Webcam C270"); /* though it begins the other's id, too */
    assert_string_equal(selected(&list, ":0825.2"), "Webcam C920");
    assert_string_equal(selected(&list, "C920"), "Webcam C920");
}

static void an_unclear_choice_names_the_cameras_there_are(void **state)
{
    (void)state;
    static const char *const unclear[] = {"0825", "Webcam", "Kinect"};
    pov_libcamera_list list = two_cameras();
    for (int i = 0; i < 3; i++) {
        const pov_libcamera_camera *camera = NULL;
        pov_status status = pov_libcamera_source_select(&camera, &list, unclear[i]);
        assert_int_equal(status.code, POV_ERROR);
        assert_non_null(strstr(status.message, unclear[i]));
        assert_non_null(strstr(status.message, list.cameras[1].id));
    }
}

static pov_libcamera_camera webcam(void)
{
    pov_libcamera_camera camera = {.id = "webcam"};
    add_mode(&camera, "SRGGB10", 1280, 720);
    add_mode(&camera, "MJPEG", 640, 480);
    add_mode(&camera, "MJPEG", 1280, 720);
    add_mode(&camera, "MJPEG", 1920, 1080);
    add_mode(&camera, "YUYV", 640, 480);
    add_mode(&camera, "YUYV", 1280, 720);
    return camera;
}

static pov_libcamera_mode chosen(pov_code expected, int width_px, int height_px, const char *format)
{
    pov_libcamera_camera camera = webcam();
    pov_libcamera_source_config config = POV_LIBCAMERA_SOURCE_CONFIG_DEFAULT;
    config.width_px = width_px;
    config.height_px = height_px;
    snprintf(config.pixel_format, sizeof config.pixel_format, "%s", format);
    pov_libcamera_mode mode;
    pov_status status = pov_libcamera_source_choose_mode(&mode, &camera, &config);
    assert_int_equal(status.code, expected);
    assert_true(expected == POV_OK || strstr(status.message, "webcam"));
    return mode;
}

static void assert_mode(pov_libcamera_mode mode, const char *format, int width_px, int height_px)
{
    assert_string_equal(mode.pixel_format, format);
    assert_int_equal(mode.width_px, width_px);
    assert_int_equal(mode.height_px, height_px);
}

static void small_images_come_raw_and_large_ones_as_jpeg(void **state)
{
    (void)state;
    assert_mode(chosen(POV_OK, 640, 480, "auto"), "YUYV", 640, 480);
    assert_mode(chosen(POV_OK, 1280, 720, "auto"), "MJPEG", 1280, 720);
    assert_mode(chosen(POV_OK, 1920, 1080, "auto"), "MJPEG", 1920, 1080);
}

static void without_a_size_the_largest_up_to_720_lines_is_taken(void **state)
{
    (void)state;
    assert_mode(chosen(POV_OK, 0, 0, "auto"), "MJPEG", 1280, 720);
    assert_mode(chosen(POV_OK, 0, 0, "YUYV"), "YUYV", 1280, 720);
}

static void what_is_asked_for_in_full_is_left_to_libcamera(void **state)
{
    (void)state;
    assert_mode(chosen(POV_OK, 800, 600, "NV12"), "NV12", 800, 600);
}

static void what_cannot_be_had_is_an_error(void **state)
{
    (void)state;
    chosen(POV_ERROR, 320, 240, "auto");
    chosen(POV_ERROR, 0, 0, "NV12");
    chosen(POV_ERROR, 1280, 720, "SRGGB10");
    chosen(POV_ERROR, 640, 480, "yuyv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_camera_is_meant_by_its_id_or_by_what_only_it_has),
        cmocka_unit_test(an_unclear_choice_names_the_cameras_there_are),
        cmocka_unit_test(small_images_come_raw_and_large_ones_as_jpeg),
        cmocka_unit_test(without_a_size_the_largest_up_to_720_lines_is_taken),
        cmocka_unit_test(what_is_asked_for_in_full_is_left_to_libcamera),
        cmocka_unit_test(what_cannot_be_had_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
