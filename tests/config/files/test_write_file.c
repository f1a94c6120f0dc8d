#include "config/files/write_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/files/read_file.h"
#include "tests/support/folder.h"

static int files_in(const char *folder)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(listing));)
        count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

static void assert_holds(const char *path, const char *text)
{
    pov_bytes bytes = {0};
    assert_int_equal(pov_read_file(&bytes, path, 1 << 20, "a text").code, POV_OK);
    assert_string_equal((const char *)bytes.data, text);
    pov_bytes_free(&bytes);
}

static pov_status write_text(const char *path, const char *text)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    fputs(text, file.stream);
    return pov_write_file_end(&file, pov_ok());
}

/* In the C library's place: what was synced last, and whether a file was there by then. */
static bool synced_a_folder, was_there;
static const char *watched = "";

int fsync(int descriptor)
{
    struct stat facts;
    assert_int_equal(fstat(descriptor, &facts), 0);
    synced_a_folder = S_ISDIR(facts.st_mode);
    was_there = access(watched, R_OK) == 0;
    return (int)syscall(SYS_fsync, descriptor);
}

static void the_folder_is_synced_once_the_file_is_in_its_place(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path path = test_path_in(&folder, "text");
    watched = path.path;
    assert_int_equal(write_text(path.path, "new").code, POV_OK);
    assert_true(synced_a_folder && was_there);
    watched = "";
    test_folder_remove(&folder);
}

static void a_text_replaces_what_was_there_and_all_may_read_it(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "text", "old", 3);
    assert_int_equal(write_text(path.path, "new and longer").code, POV_OK);
    assert_holds(path.path, "new and longer");
    struct stat facts;
    assert_int_equal(stat(path.path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0644);
    assert_int_equal(files_in(folder.path), 1);
    test_folder_remove(&folder);
}

static void what_others_may_do_with_a_file_stays(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "text", "old", 3);
    assert_int_equal(chmod(path.path, 0600), 0);
    assert_int_equal(write_text(path.path, "new").code, POV_OK);
    struct stat facts;
    assert_int_equal(stat(path.path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    test_folder_remove(&folder);
}

static void a_link_stays_and_its_file_is_written(void **state)
{
    (void)state;
    const test_path folder = test_folder_new(), place = test_folder_new();
    const test_path path = test_file_new(&place, "text", "old", 3), linked = test_path_in(&folder, "link");
    assert_int_equal(symlink(path.path, linked.path), 0);
    assert_int_equal(write_text(linked.path, "new").code, POV_OK);
    assert_holds(path.path, "new");
    struct stat facts;
    assert_int_equal(lstat(linked.path, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(files_in(folder.path), 1);
    test_folder_remove(&folder);
    test_folder_remove(&place);
}

static void what_is_no_file_is_written_straight(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path path = test_path_in(&folder, "pipe");
    assert_int_equal(mkfifo(path.path, 0600), 0);
    const int reader = open(path.path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(write_text(path.path, "text").code, POV_OK);
    char text[8] = "";
    assert_int_equal(read(reader, text, sizeof text), 4);
    assert_string_equal(text, "text");
    close(reader);
    struct stat facts;
    assert_int_equal(stat(path.path, &facts), 0);
    assert_true(S_ISFIFO(facts.st_mode));
    assert_int_equal(files_in(folder.path), 1);
    const pov_status status = write_text(folder.path, "text");
    assert_non_null(strstr(status.message, "cannot be written: Is a directory"));
    test_folder_remove(&folder);
}

static void until_it_is_finished_the_old_file_stays(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "text", "old", 3);
    pov_write_file file;
    assert_int_equal(pov_write_file_begin(&file, path.path).code, POV_OK);
    fputs("new", file.stream);
    fflush(file.stream);
    assert_holds(path.path, "old");
    assert_int_equal(pov_write_file_end(&file, pov_ok()).code, POV_OK);
    assert_holds(path.path, "new");
    test_folder_remove(&folder);
}

static void what_its_writer_gave_up_leaves_nothing(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "text", "old", 3);
    pov_write_file file;
    assert_int_equal(pov_write_file_begin(&file, path.path).code, POV_OK);
    fputs("half", file.stream);
    pov_status status = pov_write_file_end(&file, pov_error("no more words"));
    assert_string_equal(status.message, "no more words");
    assert_holds(path.path, "old");
    assert_int_equal(files_in(folder.path), 1);
    test_folder_remove(&folder);
}

static void a_full_disk_is_told_and_leaves_the_old_file(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "text", "old", 3);
    static char large[1 << 16];
    memset(large, 'x', sizeof large - 1);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit small = before;
    small.rlim_cur = 4096; /* as if the disk ended here */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    pov_status status = write_text(path.path, large);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, path.path));
    assert_holds(path.path, "old");
    assert_int_equal(files_in(folder.path), 1);
    test_folder_remove(&folder);
}

static void a_place_that_cannot_be_is_named(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    char path[POV_PATH_CAPACITY];
    snprintf(path, sizeof path, "%s/none/text", folder.path);
    pov_status status = write_text(path, "x");
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "none/text: cannot be written: No such file or directory"));
    test_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_replaces_what_was_there_and_all_may_read_it),
        cmocka_unit_test(what_others_may_do_with_a_file_stays),
        cmocka_unit_test(a_link_stays_and_its_file_is_written),
        cmocka_unit_test(what_is_no_file_is_written_straight),
        cmocka_unit_test(the_folder_is_synced_once_the_file_is_in_its_place),
        cmocka_unit_test(until_it_is_finished_the_old_file_stays),
        cmocka_unit_test(what_its_writer_gave_up_leaves_nothing),
        cmocka_unit_test(a_full_disk_is_told_and_leaves_the_old_file),
        cmocka_unit_test(a_place_that_cannot_be_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
