/** A folder of its own for a test that needs files. Include after cmocka.h. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEST_PATH_CAPACITY = 300 };

typedef struct {
    char path[TEST_PATH_CAPACITY];
} test_path;

/** Makes a new empty folder under TMPDIR or /tmp. */
static inline test_path test_folder_new(void)
{
    test_path folder;
    const char *parent = getenv("TMPDIR");
    snprintf(folder.path, sizeof folder.path, "%s/pov_test_XXXXXX", parent && *parent ? parent : "/tmp");
    assert_non_null(mkdtemp(folder.path));
    return folder;
}

/** folder/name */
static inline test_path test_path_in(const test_path *folder, const char *name)
{
    test_path path;
    int length = snprintf(path.path, sizeof path.path, "%s/%s", folder->path, name);
    assert_in_range(length, 0, TEST_PATH_CAPACITY - 1);
    return path;
}

/** Writes a file folder/name; returns its path. */
static inline test_path test_file_new(const test_path *folder, const char *name, const void *bytes,
                                      size_t length)
{
    test_path path = test_path_in(folder, name);
    FILE *file = fopen(path.path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    return path;
}

/** Removes the folder with the files and empty folders in it. */
static inline void test_folder_remove(const test_path *folder)
{
    DIR *directory = opendir(folder->path);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove(test_path_in(folder, entry->d_name).path);
    closedir(directory);
    assert_int_equal(rmdir(folder->path), 0);
}
