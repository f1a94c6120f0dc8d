#include "firmware/picture/annotated_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static pov_annotated_files *files;

static int begin(void **state)
{
    (void)state;
    files = pov_annotated_files_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    pov_annotated_files_destroy(&files);
    return 0;
}

static void assert_named_by(const char *key, const char *name, const char *expected)
{
    char file[POV_ANNOTATED_FILE_CAPACITY];
    pov_annotated_files_name(files, file, key, name);
    assert_string_equal(file, expected);
}

static void assert_named(const char *name, const char *expected)
{
    assert_named_by(name, name, expected);
}

static void an_image_is_named_as_it_is_but_png(void **state)
{
    (void)state;
    assert_named("shot.jpg", "shot.png");
    assert_named("id/12", "id_12.png");
    assert_named("cam 1.5 of two", "cam 1.5 of two.png");
    assert_named(".jpg", ".jpg.png");
    assert_named("a\nb.png", "a_b.png");
}

static void another_image_of_that_name_keeps_its_extension(void **state)
{
    (void)state;
    assert_named("a.jpg", "a.png");
    assert_named("a.png", "a.png.png");
    assert_named("a.png.jpg", "a.png.jpg.png");
    assert_named("a.jpeg", "a.jpeg.png");
    assert_named("id_12", "id_12.png");
    assert_named("id/12", "id_12-2.png");
    assert_named("id\t12", "id_12-3.png");
}

static void an_image_that_comes_again_is_the_same_file(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        assert_named("a.jpg", "a.png");
        assert_named("a.png", "a.png.png");
        assert_named("b.png", "b.png");
    }
}

static void images_of_one_name_from_two_folders_stay_apart(void **state)
{
    (void)state;
    assert_named_by("x/a.jpg", "a.jpg", "a.png");
    assert_named_by("y/a.jpg", "a.jpg", "a.jpg.png");
    assert_named_by("z/a.jpg", "a.jpg", "a.jpg-2.png");
    assert_named_by("x/a.jpg", "a.jpg", "a.png");
}

static void the_longest_names_stay_apart(void **state)
{
    (void)state;
    char image[POV_IMAGE_NAME_CAPACITY], expected[POV_ANNOTATED_FILE_CAPACITY];
    memset(image, 'x', sizeof image);
    image[sizeof image - 1] = '\0';
    snprintf(expected, sizeof expected, "%s.png", image);
    assert_named(image, expected);
    image[3] = '/';
    expected[3] = '_';
    assert_named(image, expected);
    image[3] = '\t';
    snprintf(expected, sizeof expected, "%.3s_%s-2.png", image, image + 4);
    assert_named(image, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_image_is_named_as_it_is_but_png, begin, end),
        cmocka_unit_test_setup_teardown(another_image_of_that_name_keeps_its_extension, begin, end),
        cmocka_unit_test_setup_teardown(an_image_that_comes_again_is_the_same_file, begin, end),
        cmocka_unit_test_setup_teardown(images_of_one_name_from_two_folders_stay_apart, begin, end),
        cmocka_unit_test_setup_teardown(the_longest_names_stay_apart, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
