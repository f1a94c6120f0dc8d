/* Files of enrolled objects: what is written is read, and what is wrong is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "config/objects/appearance_file.h"
#include "config/objects/portrait_file.h"
#include "tests/support/folder.h"
#include "tests/support/random.h"

#include <math.h>
#include <stdint.h>
#include <zlib.h>

enum { HEADER = 20, LOCAL_DOUBTS = 104 + POV_VIEW_MIN * 8 /* after the angles */ };

typedef struct {
    test_path folder, path;
    pov_appearance_data *data;
    pov_portraits *portraits;
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
    data->local_doubt[2] = 4;
    return data;
}

static pov_portraits *painted(void)
{
    pov_portraits *portraits = calloc(1, sizeof *portraits);
    assert_non_null(portraits);
    *portraits = (pov_portraits){.len = POV_PORTRAIT_MIN,
                                 .radius_m = 0.06,
                                 .height_m = 0.09,
                                 .scatter = 5,
                                 .widening_place = 1.5,
                                 .widening_yaw = 1.25,
                                 .error_m = 1e-3,
                                 .error_rad = 2e-3,
                                 .symmetry = 1,
                                 .has_front = true,
                                 .front_rad = 1.25};
    for (int i = 0; i < portraits->len; i++) {
        pov_portrait *portrait = &portraits->portraits[i];
        portrait->angle_rad = 0.7 * i;
        portrait->eye_m = (pov_vec3){cos(0.7 * i), -sin(0.7 * i), 0.8};
        for (int k = 0; k < POV_PORTRAIT_AREA; k++) {
            portrait->depth[k] = (uint8_t)(k % 3 * 100);
            portrait->colour[k][i % 3] = (uint8_t)(k + i);
        }
    }
    return portraits;
}

static kept keep_with(pov_portraits *portraits)
{
    kept k = {.folder = test_folder_new(), .data = learnt(), .portraits = portraits};
    k.path = test_path_in(&k.folder, "thing.pov");
    assert_int_equal(pov_enrolled_write(k.path.path, k.data, k.portraits, &k.length).code, POV_OK);
    k.bytes = malloc(k.length + 8);
    FILE *file = fopen(k.path.path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(k.bytes, 1, k.length + 8, file), k.length);
    fclose(file);
    return k;
}

static kept keep(void)
{
    return keep_with(painted());
}

static void release(kept *k)
{
    free(k->portraits);
    test_folder_remove(&k->folder);
    free(k->data);
    free(k->bytes);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    kept k = keep();
    pov_appearance_data *read = malloc(sizeof *read);
    pov_portraits *portraits = malloc(sizeof *portraits);
    assert_int_equal(pov_enrolled_read(read, portraits, k.path.path).code, POV_OK);
    assert_memory_equal(read, k.data, sizeof *read);
    assert_memory_equal(portraits, k.portraits, sizeof *portraits);
    memset(portraits, 1, sizeof *portraits);
    assert_int_equal(pov_portraits_read(portraits, k.path.path).code, POV_OK);
    assert_memory_equal(portraits, k.portraits, sizeof *portraits);
    free(read);
    free(portraits);
    release(&k);
}

static void complains(kept *k, size_t length, const char *of)
{
    pov_appearance_data *read = malloc(sizeof *read);
    pov_portraits *portraits = malloc(sizeof *portraits);
    const pov_status status = pov_enrolled_parse(read, portraits, "thing.pov", k->bytes, length);
    assert_int_equal(status.code, POV_ERROR);
    assert_int_equal(strncmp(status.message, "thing.pov: ", 11), 0);
    if (!strstr(status.message, of))
        fail_msg("expected '%s' in '%s'", of, status.message);
    assert_int_equal(read->view_len, 0);
    assert_int_equal(portraits->len, 0);
    free(read);
    free(portraits);
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
        complains(&k, length, length < 8 ? "is not an enrolled object" : "cut off");
    complains(&k, k.length + 1, "cut off or changed");
    release(&k);
}

static void fit_header(kept *k)
{
    const uint32_t length = (uint32_t)(k->length - HEADER),
                   checksum = (uint32_t)crc32(0, k->bytes + HEADER, (uInt)length);
    memcpy(k->bytes + 12, &length, sizeof length);
    memcpy(k->bytes + 16, &checksum, sizeof checksum);
}

/* A field changed, the checksum made to fit. */
static void complains_of_field(kept *k, size_t at, const void *value, size_t size, const char *of)
{
    unsigned char before[8];
    memcpy(before, k->bytes + HEADER + at, size);
    memcpy(k->bytes + HEADER + at, value, size);
    fit_header(k);
    complains(k, k->length, of);
    memcpy(k->bytes + HEADER + at, before, size);
}

/* Where the portraits' part begins: after what a file without any holds, but for their number. */
static size_t second_part(const kept *k)
{
    kept without = keep_with(NULL);
    const size_t at = without.length - HEADER - 4;
    assert_true(at < k->length);
    release(&without);
    return at;
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
    complains_of_field(&k, LOCAL_DOUBTS, &nan, sizeof nan, "scatter by angle");
    const size_t portraits = second_part(&k);
    complains_of_field(&k, portraits, &many, sizeof many, "portraits");
    complains_of_field(&k, portraits + 4, &nan, sizeof nan, "size");
    complains_of_field(&k, portraits + 20, &nan, sizeof nan, "scatter");
    complains_of_field(&k, portraits + 60, &none, sizeof none, "unpacked");
    complains_of_field(&k, portraits + 80, &nan, sizeof nan, "unpacked");
    release(&k);
}

/* Makes it a file as older programs wrote them: without local doubts, which are then 1. */
static void age(kept *k, uint32_t version)
{
    const size_t at = HEADER + LOCAL_DOUBTS, size = POV_VIEW_MIN * sizeof(double);
    k->length -= size;
    memmove(k->bytes + at, k->bytes + at + size, k->length - at);
    memcpy(k->bytes + 8, &version, sizeof version);
    k->data->local_doubt[2] = 1;
    fit_header(k);
}

static void a_file_of_the_second_version_has_the_same_doubt_all_around(void **state)
{
    (void)state;
    kept k = keep();
    pov_appearance_data *data = malloc(sizeof *data);
    pov_portraits *portraits = malloc(sizeof *portraits);
    age(&k, 2);
    assert_int_equal(pov_enrolled_parse(data, portraits, "thing.pov", k.bytes, k.length).code, POV_OK);
    assert_memory_equal(data, k.data, sizeof *data);
    assert_memory_equal(portraits, k.portraits, sizeof *portraits);
    free(data);
    free(portraits);
    release(&k);
}

static void a_file_of_the_first_version_has_no_portraits(void **state)
{
    (void)state;
    kept k = keep_with(NULL);
    pov_appearance_data *data = malloc(sizeof *data);
    k.portraits = malloc(sizeof *k.portraits);
    k.length -= 4; /* the number of portraits */
    age(&k, 1);
    assert_int_equal(pov_enrolled_parse(data, k.portraits, "thing.pov", k.bytes, k.length).code, POV_OK);
    assert_memory_equal(data, k.data, sizeof *data);
    assert_int_equal(k.portraits->len, 0);
    assert_true(k.portraits->has_front);
    k.bytes[8] = 4;
    free(data);
    complains(&k, k.length, "version 4, this pov reads 1 to 3");
    release(&k);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    pov_appearance_data *data = learnt();
    const pov_status status = pov_enrolled_write("/nowhere/thing.pov", data, NULL, NULL);
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
        cmocka_unit_test(a_file_of_the_second_version_has_the_same_doubt_all_around),
        cmocka_unit_test(a_file_of_the_first_version_has_no_portraits),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
