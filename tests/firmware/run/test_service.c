#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firmware/run/station_runner.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A station runs on a source that hangs when it is told to, and notes what the service manager has heard by then. */
enum { STEPS_MAX = 16, WIDTH_PX = 320, HEIGHT_PX = 240 };

typedef struct {
    const char *steps; /* what each call gives: i an image, s a skipped one, t a timeout, then the end */
    int step;
    char heard[STEPS_MAX][1000]; /* before call number i */
} script;

static test_path folder;
static int manager = -1;
static uint8_t pixels[3 * WIDTH_PX * HEIGHT_PX];
static script played;

static void hear(char heard[1000])
{
    size_t len = 0;
    for (ssize_t got; (got = recv(manager, heard + len, 999 - len, MSG_DONTWAIT)) > 0;) {
        len += (size_t)got;
        heard[len++] = '\n';
    }
    heard[len] = '\0';
}

static pov_status script_next(void *impl, pov_image *image, int timeout_ms)
{
    (void)timeout_ms;
    script *play = impl;
    assert_true(play->step < STEPS_MAX);
    hear(play->heard[play->step]);
    const char what = play->steps[play->step++];
    *image = (pov_image){.pixels = pixels,
                         .width_px = WIDTH_PX,
                         .height_px = HEIGHT_PX,
                         .stride_bytes = 3 * WIDTH_PX,
                         .name = "image"};
    return what == 'i'   ? pov_ok()
           : what == 's' ? (pov_status){.code = POV_SKIPPED}
           : what == 't' ? (pov_status){.code = POV_TIMEOUT}
                         : (pov_status){.code = POV_END};
}

static pov_image_source_statistics script_statistics(const void *impl)
{
    (void)impl;
    return (pov_image_source_statistics){.expected = -1};
}

static void script_destroy(void *impl)
{
    (void)impl;
}

/* Messages after the end stand behind the last call. */
static void play(const char *steps)
{
    static const pov_image_source_backend backend = {
        .name = "script", .next = script_next, .statistics = script_statistics, .destroy = script_destroy};
    const char text[] = "camera: {field_of_view_deg: 60}\ntags: {families: [tag36h11]}\n";
    static pov_station station;
    pov_image_source *source;
    pov_station_summary summary;
    const pov_station_run_config config = {.outputs.station = &station};
    played = (script){.steps = steps};
    test_path path = test_file_new(&folder, "station.yaml", text, strlen(text));
    assert_int_equal(pov_station_read(&station, path.path).code, POV_OK);
    assert_int_equal(pov_image_source_new(&source, &backend, &played).code, POV_OK);
    assert_int_equal(pov_station_run(&summary, &station, &source, &config).code, POV_OK);
    hear(played.heard[played.step]);
}

static bool heard(int step, const char *word)
{
    return strstr(played.heard[step], word) != NULL;
}

static int set_up(void **state)
{
    (void)state;
    folder = test_folder_new();
    test_path path = test_path_in(&folder, "notify");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_in_range(strlen(path.path), 1, sizeof address.sun_path - 1);
    memcpy(address.sun_path, path.path, strlen(path.path));
    manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(manager >= 0);
    assert_int_equal(bind(manager, (struct sockaddr *)&address, sizeof address), 0);
    setenv("NOTIFY_SOCKET", path.path, 1);
    setenv("WATCHDOG_USEC", "1", 1); /* so short that each image is worth telling */
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    close(manager);
    test_folder_remove(&folder);
    return 0;
}

static void it_is_ready_once_the_first_image_was_judged(void **state)
{
    (void)state;
    play("ttsii");
    for (int i = 0; i <= 3; i++)
        assert_false(heard(i, "READY=1"));
    assert_true(heard(0, "STATUS=waiting for the first image"));
    assert_true(heard(4, "READY=1"));
    assert_false(heard(5, "READY=1"));
}

static void its_watchdog_hears_of_images_and_of_nothing_else(void **state)
{
    (void)state;
    play("iittssti");
    for (int i = 0; i <= 8; i++)
        assert_int_equal(heard(i, "WATCHDOG=1"), i > 0 && played.steps[i - 1] == 'i');
    assert_false(heard(8, "STOPPING=1"));
    assert_true(heard(9, "STOPPING=1"));
}

static void a_patient_watchdog_is_not_told_of_every_image(void **state)
{
    (void)state;
    setenv("WATCHDOG_USEC", "3600000000", 1);
    play("iii");
    for (int i = 0; i <= 4; i++)
        assert_false(heard(i, "WATCHDOG=1"));
}

static void without_a_watchdog_or_a_manager_nothing_is_said(void **state)
{
    (void)state;
    unsetenv("WATCHDOG_USEC");
    play("iii");
    assert_true(heard(1, "READY=1"));
    for (int i = 0; i <= 4; i++)
        assert_false(heard(i, "WATCHDOG=1"));
    unsetenv("NOTIFY_SOCKET");
    play("ii");
    for (int i = 0; i <= 3; i++)
        assert_string_equal(played.heard[i], "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_ready_once_the_first_image_was_judged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(its_watchdog_hears_of_images_and_of_nothing_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_patient_watchdog_is_not_told_of_every_image, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_watchdog_or_a_manager_nothing_is_said, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
