/* Files of enrolled objects: what is written is read, and what is wrong is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "calib/appearance_file.h"
#include "tests/support/folder.h"
#include "tests/support/random.h"

#include <stdint.h>
#include <zlib.h>

enum { HEADER = 20 };

typedef struct {
    test_path folder, path;
    pov_appearance_data *data;
    unsigned char *bytes;
    size_t length;
} kept;

static pov_appearance_data *learnt(void)
{
    test_random random = {3};
    pov_view *views = calloc(POV_VIEW_MIN, sizeof *views);
    pov_appearance_data *data = malloc(sizeof *data);
    assert_non_null(views);
    assert_non_null(data);
    for (int i = 0; i < POV_VIEW_MIN; i++) {
        views[i].angle_rad = 0.7 * i;
        for (int k = 0; k < POV_PATCH_AREA; k++)
            views[i].patch.light[k] = (float)test_random_between(&random, 0, 255);
    }
    assert_int_equal(pov_appearance_learn(data, views, POV_VIEW_MIN).code, POV_OK);
    free(views);
    data->square = (pov_patch_square){1.5, 2.5, 60};
    data->image_width_px = 64;
    data->image_height_px = 48;
    data->has_front = true;
    data->front_rad = 1.25;
    return data;
}

static kept keep(void)
{
    kept k = {.folder = test_folder_new(), .data = learnt()};
    k.path = test_path_in(&k.folder, "thing.pov");
    assert_int_equal(pov_appearance_write(k.path.path, k.data, &k.length).code, POV_OK);
    k.bytes = malloc(k.length + 8);
    FILE *file = fopen(k.path.path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(k.bytes, 1, k.length + 8, file), k.length);
    fclose(file);
    return k;
}

static void release(kept *k)
{
    test_folder_remove(&k->folder);
    free(k->data);
    free(k->bytes);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    kept k = keep();
    pov_appearance_data *read = malloc(sizeof *read);
    assert_int_equal(pov_appearance_read(read, k.path.path).code, POV_OK);
    assert_memory_equal(read, k.data, sizeof *read);
    free(read);
    release(&k);
}

static void complains(kept *k, size_t length, const char *of)
{
    pov_appearance_data *read = malloc(sizeof *read);
    const pov_status status = pov_appearance_parse(read, "thing.pov", k->bytes, length);
    assert_int_equal(status.code, POV_ERROR);
    assert_int_equal(strncmp(status.message, "thing.pov: ", 11), 0);
    if (!strstr(status.message, of))
        fail_msg("expected '%s' in '%s'", of, status.message);
    assert_int_equal(read->view_len, 0);
    free(read);
}

static void every_wrong_byte_and_every_cut_is_noticed(void **state)
{
    (void)state;
    kept k = keep();
    for (size_t i = 0; i < k.length; i += i < 200 ? 1 : 997) {
        k.bytes[i] ^= 0x10;
        complains(&k, k.length, "");
        k.bytes[i] ^= 0x10;
    }
    for (size_t length = 0; length < k.length; length += length < 100 ? 1 : 1999)
        complains(&k, length, length < 8 ? "is no enrolled object" : "cut off");
    complains(&k, k.length + 1, "cut off or changed");
    release(&k);
}

/* A field changed, the checksum made to fit. */
static void complains_of_field(kept *k, size_t at, const void *value, size_t size, const char *of)
{
    unsigned char before[8];
    memcpy(before, k->bytes + HEADER + at, size);
    memcpy(k->bytes + HEADER + at, value, size);
    const uint32_t checksum = (uint32_t)crc32(0, k->bytes + HEADER, (uInt)(k->length - HEADER));
    memcpy(k->bytes + 16, &checksum, sizeof checksum);
    complains(k, k->length, of);
    memcpy(k->bytes + HEADER + at, before, size);
}

static void fields_that_cannot_be_are_named(void **state)
{
    (void)state;
    kept k = keep();
    const int32_t none = 0, many = 1 << 20;
    const double nan = NAN;
    complains_of_field(&k, 0, &none, sizeof none, "has 0 views");
    complains_of_field(&k, 4, &many, sizeof many, "dimensions");
    complains_of_field(&k, 8, &many, sizeof many, "symmetry");
    complains_of_field(&k, 24, &nan, sizeof nan, "front");
    complains_of_field(&k, 32, &nan, sizeof nan, "scatter");
    complains_of_field(&k, 104, &nan, sizeof nan, "angles");
    release(&k);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    pov_appearance_data *data = learnt();
    const pov_status status = pov_appearance_write("/nowhere/thing.pov", data, NULL);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "/nowhere/thing.pov"));
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(every_wrong_byte_and_every_cut_is_noticed),
        cmocka_unit_test(fields_that_cannot_be_are_named),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
