#include "firmware/sources/folder_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "tests/support/image_maker.h"

static test_path folder;

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_new();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    test_folder_remove(&folder);
    return 0;
}

static test_path write_encoded(const char *name, const test_encoded *encoded)
{
    return test_file_new(&folder, name, encoded->bytes, encoded->length);
}

static test_path write_png(const char *name)
{
    const test_picture picture = test_picture_ramp(24, 16);
    const test_encoded encoded = test_picture_png(&picture);
    return write_encoded(name, &encoded);
}

static pov_image_source *open_source(pov_folder_source_config config)
{
    pov_image_source *source = NULL;
    pov_status status = pov_folder_source_new(&source, &config);
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
    return source;
}

static void assert_not_opened(pov_folder_source_config config, const char *message)
{
    pov_image_source *source = NULL;
    pov_status status = pov_folder_source_new(&source, &config);
    assert_int_equal(status.code, POV_ERROR);
    assert_string_equal(status.message, message);
    assert_null(source);
}

static pov_image expect_image(pov_image_source *source, const char *name, uint32_t sequence)
{
    pov_image image;
    pov_status status = pov_image_source_next(source, &image, 120000);
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
    assert_string_equal(image.name, name);
    assert_int_equal(image.sequence, sequence);
    assert_int_equal(image.width_px, 24);
    return image;
}

static void expect_skipped(pov_image_source *source, const char *name, const char *problem)
{
    pov_image image;
    pov_status status = pov_image_source_next(source, &image, 0);
    char expected[POV_MESSAGE_CAPACITY + TEST_PATH_CAPACITY];
    snprintf(expected, sizeof expected, "%s/%s: %s", folder.path, name, problem);
    assert_int_equal(status.code, POV_SKIPPED);
    assert_string_equal(status.message, expected);
    assert_null(image.pixels);
}

static void expect_end(pov_image_source *source)
{
    pov_image image;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pov_image_source_next(source, &image, 0).code, POV_END);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

static void images_come_in_natural_order(void **state)
{
    (void)state;
    static const char *const names[] = {"IMG.png",
                                        "a.PNG",
                                        "a0.png",
                                        "a1.JPEG",
                                        "a01b.png",
                                        "a2.png",
                                        "a10.jpg",
                                        "a10b2.png",
                                        "a10b10.png",
                                        "a010c.png",
                                        "a99999999999999999998.png",
                                        "a99999999999999999999.png",
                                        "b-1.png"};
    enum { COUNT = sizeof names / sizeof *names };
    for (int i = 0; i < COUNT; i++) /* written in another order */
        write_png(names[i * 5 % COUNT]);
    pov_image_source *source = open_source((pov_folder_source_config){.path = folder.path});
    assert_int_equal(pov_image_source_statistics_of(source).expected, COUNT);
    for (int i = 0; i < COUNT; i++)
        expect_image(source, names[i], (uint32_t)i);
    expect_end(source);
    assert_int_equal(pov_image_source_statistics_of(source).delivered, COUNT);
    pov_image_source_destroy(&source);
    assert_null(source);
}

static void names_that_differ_in_leading_zeros_have_an_order(void **state)
{
    (void)state;
    static const char *const names[] = {"a001.png", "a01.png", "a1.png", "a2.png"};
    for (int i = 3; i >= 0; i--)
        write_png(names[i]);
    pov_image_source *source = open_source((pov_folder_source_config){.path = folder.path});
    for (uint32_t i = 0; i < 4; i++)
        expect_image(source, names[i], i);
    pov_image_source_destroy(&source);
}

static void other_files_are_passed_over(void **state)
{
    (void)state;
    test_file_new(&folder, "truth.json", "{}", 2);
    test_file_new(&folder, "._a.png", "resource fork", 13);
    test_file_new(&folder, ".png", "hidden", 6);
    test_file_new(&folder, "png", "no extension", 12);
    write_png("a.png");
    pov_image_source *source = open_source((pov_folder_source_config){.path = folder.path});
    expect_image(source, "a.png", 0);
    expect_end(source);
    pov_image_source_destroy(&source);
}

static void bad_files_are_each_named_and_the_rest_delivered(void **state)
{
    (void)state;
    const test_picture picture = test_picture_ramp(24, 16);
    static const uint8_t dark[24 * 16 * 3 * 2] = {0};
    test_encoded truncated = test_picture_png(&picture), cut_jpeg = test_picture_jpeg(&picture);
    truncated.length -= 40;
    cut_jpeg.length -= 40;
    const test_encoded tiny = test_png(dark, 1, 1, PNG_FORMAT_RGB, NULL, 0);
    const test_encoded deep = test_png(dark, 24, 16, PNG_FORMAT_LINEAR_RGB, NULL, 0);
    const test_encoded jpeg = test_picture_jpeg(&picture);
    write_png("0.png");
    write_encoded("1.png", &truncated);
    test_file_new(&folder, "2.jpg", "this is a text", 14);
    write_encoded("3.png", &tiny);
    write_encoded("4.png", &deep);
    test_file_new(&folder, "5.png", "", 0);
    write_encoded("6.jpg", &cut_jpeg);
    assert_int_equal(mkdir(test_path_in(&folder, "7.png").path, 0700), 0);
    write_encoded("8.jpg", &jpeg);
    write_png("9.png");
    pov_image_source *source = open_source((pov_folder_source_config){.path = folder.path});
    expect_image(source, "0.png", 0);
    expect_skipped(source, "1.png", "is a truncated PNG (its end is missing); copy or take it again");
    expect_skipped(source, "2.jpg",
                   "is neither PNG nor JPEG but text: \"this is a te...\"; remove or convert it");
    expect_skipped(source, "3.png", "is 1x1 px; an image needs at least 16 px a side");
    expect_skipped(source, "4.png", "is a 16-bit PNG; convert it to 8 bits a channel");
    expect_skipped(source, "5.png", "is empty; expected a PNG or JPEG image");
    expect_skipped(source, "6.jpg",
                   "is a truncated JPEG (Premature end of JPEG file); copy or take it again");
    expect_skipped(source, "7.png", "is a folder; name a PNG or JPEG image on the disk");
    expect_image(source, "8.jpg", 8);
    remove(test_path_in(&folder, "9.png").path); /* gone after it was listed */
    expect_skipped(source, "9.png", "no such file; expected a PNG or JPEG image");
    expect_end(source);
    const pov_image_source_statistics statistics = pov_image_source_statistics_of(source);
    assert_int_equal(statistics.delivered, 2);
    assert_int_equal(statistics.skipped, 8);
    assert_int_equal(statistics.lost, 0);
    assert_int_equal(statistics.expected, 10);
    pov_image_source_destroy(&source);
}

static void a_single_file_is_a_source_too(void **state)
{
    (void)state;
    write_png("a.png");
    const test_path path = write_png("only.png");
    pov_image_source *source = open_source((pov_folder_source_config){.path = path.path});
    assert_int_equal(pov_image_source_statistics_of(source).expected, 1);
    expect_image(source, "only.png", 0);
    expect_end(source);
    pov_image_source_destroy(&source);
}

static void a_loop_goes_on_counting(void **state)
{
    (void)state;
    write_png("a.png");
    test_file_new(&folder, "b.png", "text", 4);
    write_png("c.png");
    pov_image_source *source = open_source((pov_folder_source_config){.path = folder.path, .loop = true});
    assert_int_equal(pov_image_source_statistics_of(source).expected, -1);
    for (uint32_t round = 0; round < 3; round++) {
        expect_image(source, "a.png", 3 * round);
        expect_skipped(source, "b.png",
                       "is neither PNG nor JPEG but text: \"text...\"; remove or convert it");
        expect_image(source, "c.png", 3 * round + 2);
    }
    assert_int_equal(pov_image_source_statistics_of(source).delivered, 6);
    assert_int_equal(pov_image_source_statistics_of(source).skipped, 3);
    pov_image_source_destroy(&source);
}

static void a_loop_without_a_usable_image_ends_with_an_error(void **state)
{
    (void)state;
    test_file_new(&folder, "b.png", "text", 4);
    pov_image_source *source = open_source((pov_folder_source_config){.path = folder.path, .loop = true});
    expect_skipped(source, "b.png", "is neither PNG nor JPEG but text: \"text...\"; remove or convert it");
    pov_image image;
    pov_status status = pov_image_source_next(source, &image, 0);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, ": none of its 1 images can be used"));
    pov_image_source_destroy(&source);
}

static void without_a_rate_the_capture_time_is_the_reading_time(void **state)
{
    (void)state;
    write_png("a.png");
    pov_image_source *source = open_source((pov_folder_source_config){.path = folder.path});
    const int64_t before_ns = now_ns();
    const pov_image image = expect_image(source, "a.png", 0);
    assert_in_range(image.mid_exposure_ns, before_ns, now_ns());
    pov_image_source_destroy(&source);
}

static void with_a_rate_capture_times_are_evenly_spaced_and_not_in_the_future(void **state)
{
    (void)state;
    static const char *const names[] = {"a1.png", "a2.png", "a3.png", "a4.png"};
    for (int i = 0; i < 4; i++)
        write_png(names[i]);
    pov_image_source *source = open_source((pov_folder_source_config){.path = folder.path, .rate_hz = 400});
    int64_t first_ns = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const pov_image image = expect_image(source, names[i], i);
        first_ns = i == 0 ? image.mid_exposure_ns : first_ns;
        assert_int_equal(image.mid_exposure_ns - first_ns, i * 2500000);
        assert_true(now_ns() >= image.mid_exposure_ns - 1000000); /* the clocks may slew apart by little */
    }
    pov_image_source_destroy(&source);
}

static void a_live_folder_s_reader_that_is_late_gets_the_newest_image(void **state)
{
    (void)state;
    static const char *const names[] = {"a1.png", "a2.png", "a3.png", "a4.png"};
    for (int i = 0; i < 4; i++)
        write_png(names[i]);
    pov_image_source *source =
        open_source((pov_folder_source_config){.path = folder.path, .rate_hz = 50, .live = true});
    const pov_image first = expect_image(source, names[0], 0);
    nanosleep(&(struct timespec){.tv_nsec = 45000000}, NULL); /* images 1 and 2 are due by now */
    pov_image image;
    assert_int_equal(pov_image_source_next(source, &image, 1000).code, POV_OK);
    assert_in_range(image.sequence, 2, 3);
    assert_string_equal(image.name, names[image.sequence]);
    assert_int_equal(image.mid_exposure_ns - first.mid_exposure_ns, image.sequence * INT64_C(20000000));
    assert_int_equal(pov_image_source_statistics_of(source).lost, image.sequence - 1);
    pov_image_source_destroy(&source);
}

static void an_image_that_is_not_due_times_out_and_is_not_lost(void **state)
{
    (void)state;
    write_png("a.png");
    write_png("b.png");
    pov_image_source *source = open_source((pov_folder_source_config){.path = folder.path, .rate_hz = 0.001});
    expect_image(source, "a.png", 0);
    pov_image image;
    for (int timeout_ms = -1; timeout_ms <= 2; timeout_ms++) /* the next is due in 1000 s */
        assert_int_equal(pov_image_source_next(source, &image, timeout_ms).code, POV_TIMEOUT);
    assert_int_equal(pov_image_source_statistics_of(source).delivered, 1);
    pov_image_source_destroy(&source);
}

static void folders_without_images_are_errors(void **state)
{
    (void)state;
    char message[POV_MESSAGE_CAPACITY + TEST_PATH_CAPACITY];
    snprintf(message, sizeof message, "%s: holds no image; expected files that end in .png, .jpg or .jpeg",
             folder.path);
    assert_not_opened((pov_folder_source_config){.path = folder.path}, message);
    test_file_new(&folder, "notes.txt", "text", 4);
    assert_not_opened((pov_folder_source_config){.path = folder.path}, message);
    assert_not_opened((pov_folder_source_config){.path = "/nowhere"},
                      "/nowhere: no such folder or file; name a folder of PNG or JPEG images, or one image");
    assert_not_opened((pov_folder_source_config){.path = "/dev/null"},
                      "/dev/null: is a device or pipe; name a folder of PNG or JPEG images, or one image");
    assert_not_opened((pov_folder_source_config){.path = ".", .rate_hz = -1},
                      ".: rate_hz is -1; give 0 (as fast as possible) or more");
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(images_come_in_natural_order),
        IN_A_FOLDER(names_that_differ_in_leading_zeros_have_an_order),
        IN_A_FOLDER(other_files_are_passed_over),
        IN_A_FOLDER(bad_files_are_each_named_and_the_rest_delivered),
        IN_A_FOLDER(a_single_file_is_a_source_too),
        IN_A_FOLDER(a_loop_goes_on_counting),
        IN_A_FOLDER(a_loop_without_a_usable_image_ends_with_an_error),
        IN_A_FOLDER(without_a_rate_the_capture_time_is_the_reading_time),
        IN_A_FOLDER(with_a_rate_capture_times_are_evenly_spaced_and_not_in_the_future),
        IN_A_FOLDER(a_live_folder_s_reader_that_is_late_gets_the_newest_image),
        IN_A_FOLDER(an_image_that_is_not_due_times_out_and_is_not_lost),
        IN_A_FOLDER(folders_without_images_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
