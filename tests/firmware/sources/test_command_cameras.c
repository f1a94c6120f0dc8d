/* On a machine without cameras; where there are some, the tests that need none are skipped. */
#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/libcamera/libcamera_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static pov_libcamera_list list;

static void skip_if_there_are_cameras(void)
{
    assert_int_equal(pov_libcamera_source_list(&list).code, POV_OK);
    if (list.len > 0)
        skip();
}

static int run(const char *option)
{
    char name[] = "cameras", copy[32] = "";
    if (option)
        strncpy(copy, option, sizeof copy - 1);
    char *argv[] = {name, option ? copy : NULL, NULL};
    return pov_command_cameras.run(option ? 2 : 1, argv);
}

static void without_cameras_the_command_ends_with_1(void **state)
{
    (void)state;
    skip_if_there_are_cameras();
    assert_int_equal(run(NULL), POV_EXIT_WORLD);
}

static void without_cameras_opening_says_so_and_what_to_check(void **state)
{
    (void)state;
    skip_if_there_are_cameras();
    pov_image_source *source = NULL;
    pov_libcamera_source_config config = POV_LIBCAMERA_SOURCE_CONFIG_DEFAULT;
    pov_status status = pov_libcamera_source_open(&source, &config);
    assert_int_equal(status.code, POV_ERROR);
    assert_null(source);
    assert_non_null(strstr(status.message, "no cameras found"));
    assert_non_null(strstr(status.message, "/dev/video"));
}

static void libcamera_starts_again_after_it_was_stopped(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pov_libcamera_source_list(&list).code, POV_OK);
}

static void wrong_options_are_usage_errors_and_help_is_not(void **state)
{
    (void)state;
    assert_int_equal(run("--colour"), POV_EXIT_USAGE);
    assert_int_equal(run("Logitech"), POV_EXIT_USAGE);
    assert_int_equal(run("--help"), POV_EXIT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_cameras_the_command_ends_with_1),
        cmocka_unit_test(without_cameras_opening_says_so_and_what_to_check),
        cmocka_unit_test(libcamera_starts_again_after_it_was_stopped),
        cmocka_unit_test(wrong_options_are_usage_errors_and_help_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
