#include "config/files/read_file.h"

#include "config/yaml/yaml_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "tests/support/yaml.h"

static void assert_not_opened(const test_path *path, const char *part)
{
    pov_yaml_file *file = NULL;
    pov_status status = pov_yaml_open(&file, path->path);
    char expected[POV_MESSAGE_CAPACITY];
    snprintf(expected, sizeof expected, "%s: ", path->path);
    strncat(expected, part, sizeof expected - strlen(expected) - 1);
    assert_string_equal(status.message, expected);
    assert_int_equal(status.code, POV_ERROR);
    assert_null(file);
}

static void a_file_is_read_whole_into_bytes_that_are_kept(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path longer = test_file_new(&folder, "longer", "abc\0def", 7);
    const test_path shorter = test_file_new(&folder, "shorter", "xy", 2);
    pov_bytes bytes = {0};
    assert_int_equal(pov_read_file(&bytes, longer.path, 7, "a file").code, POV_OK);
    assert_int_equal(bytes.length, 7);
    assert_memory_equal(bytes.data, "abc\0def", 8);
    const unsigned char *kept = bytes.data;
    assert_int_equal(pov_read_file(&bytes, shorter.path, 7, "a file").code, POV_OK);
    assert_int_equal(bytes.length, 2);
    assert_memory_equal(bytes.data, "xy", sizeof "xy");
    assert_ptr_equal(bytes.data, kept);
    assert_int_equal(pov_read_file(&bytes, longer.path, 6, "a file").code, POV_ERROR);
    assert_int_equal(bytes.length, 0);
    pov_bytes_free(&bytes);
    assert_null(bytes.data);
    test_folder_remove(&folder);
}

static void a_yaml_file_on_disk_is_read(void **state)
{
    (void)state;
    static const char text[] = "a: 1\nb: two\n";
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "good.yaml", text, sizeof text - 1);
    pov_yaml_file *file = NULL;
    assert_int_equal(pov_yaml_open(&file, path.path).code, POV_OK);
    assert_string_equal(pov_yaml_path(file), path.path);
    const char *b = NULL;
    pov_yaml_string(&b, pov_yaml_get(pov_yaml_root(file), "b"));
    assert_string_equal(b, "two");
    assert_true(pov_yaml_exists(pov_yaml_get(pov_yaml_root(file), "a")));
    assert_finishes(file, "");
    test_folder_remove(&folder);
}

/* 1 TB could not be read in any time: the size is judged first. */
static void a_file_too_large_is_refused_before_it_is_read(void **state)
{
    (void)state;
    static const off_t sizes[] = {100000000, (off_t)1 << 40};
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "large.yaml", "a: 1\n", 5);
    for (int i = 0; i < 2; i++) {
        char part[150];
        snprintf(part, sizeof part,
                 "has %jd bytes, more than the 16777216 that a YAML file may have; is it the right file?",
                 (intmax_t)sizes[i]);
        if (truncate(path.path, sizes[i]) == 0) /* not every file system has such files */
            assert_not_opened(&path, part);
    }
    pov_yaml_file *file = NULL;
    assert_string_equal(
        pov_yaml_parse(&file, "s.yaml", "", POV_YAML_BYTES_MAX + 1).message,
        "s.yaml: has 16777217 bytes, more than the 16777216 that a YAML file may have; is it the "
        "right file?");
    test_folder_remove(&folder);
}

static void what_is_no_file_is_refused_without_hanging(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path pipe = test_path_in(&folder, "pipe.yaml"), none = test_path_in(&folder, "a/b.yaml");
    assert_int_equal(mkfifo(pipe.path, 0600), 0);
    assert_not_opened(&(test_path){"/dev/zero"}, "is a device; name a YAML file on the disk");
    assert_not_opened(&folder, "is a folder; name a YAML file on the disk");
    assert_not_opened(&pipe, "is a pipe; name a YAML file on the disk");
    assert_not_opened(&none, "no such file; expected a YAML file");
    test_folder_remove(&folder);
}

static void empty_and_unreadable_files_are_named(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "empty.yaml", "", 0);
    assert_not_opened(&path, "is empty; expected a YAML file");
    assert_int_equal(chmod(path.path, 0), 0);
    if (geteuid() != 0) /* root reads everything */
        assert_not_opened(&path, "cannot be opened: Permission denied");
    test_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_whole_into_bytes_that_are_kept),
        cmocka_unit_test(a_yaml_file_on_disk_is_read),
        cmocka_unit_test(a_file_too_large_is_refused_before_it_is_read),
        cmocka_unit_test(what_is_no_file_is_refused_without_hanging),
        cmocka_unit_test(empty_and_unreadable_files_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
