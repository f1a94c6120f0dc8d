/* The package's bodies, where it is installed. */
#include "sim/bodies/catalogue.h"
#include "sim/bodies/furniture_package.h"
#include "tests/support/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/near.h"

static void skip_unless_installed(void)
{
    if (access(POV_FURNITURE_FOLDER, R_OK) == 0)
        return;
    print_message("skipped: sweethome3d-furniture is not installed\n");
    skip();
}

static void check_body(const pov_catalogue_entry *entry, const pov_furniture *furniture)
{
    pov_model *model;
    const pov_furniture_options options = POV_FURNITURE_OPTIONS_DEFAULT;
    const pov_status status = pov_furniture_build(&model, entry->class_name, &options);
    if (status.code != POV_OK)
        fail_msg("%s: %s", entry->class_name, status.message);
    pov_vec3 centre_m, size_m;
    pov_model_bounds(model, &centre_m, &size_m);
    assert_near(pov_vec3_norm(centre_m), 0, 1e-5);
    assert_near(pov_vec3_norm(pov_vec3_sub(size_m, furniture->size_m)), 0, 1e-5);
    assert_true(pov_model_read(model).triangle_len > 100);
    if (entry->can_see) {
        const solid_hit back = solid_ray(model, furniture->eye_m, (pov_vec3){-1, 0, 0});
        assert_true(back.distance_m < 0.1 * pov_vec3_norm(size_m));
        assert_true(isinf(solid_ray(model, furniture->eye_m, (pov_vec3){1, 0, 0}).distance_m));
    }
    pov_model_destroy(&model);
}

static void every_body_of_the_package_is_of_its_size_and_says_whose_it_is(void **state)
{
    (void)state;
    skip_unless_installed();
    int len, found = 0;
    const pov_catalogue_entry *entries = pov_catalogue_entries(&len);
    for (int i = 0; i < len; i++) {
        const pov_furniture *furniture = pov_furniture_find(entries[i].class_name);
        if (!furniture)
            continue;
        found++;
        check_body(&entries[i], furniture);
        assert_true(strstr(furniture->attribution, "CC BY 3.0") || strstr(furniture->attribution, "CC0 1.0"));
        assert_non_null(strstr(furniture->attribution, "\" by "));
    }
    assert_true(found >= 25);
}

static void the_horse_stands_on_four_legs_with_its_head_in_front(void **state)
{
    (void)state;
    skip_unless_installed();
    pov_model *model;
    const pov_furniture_options options = POV_FURNITURE_OPTIONS_DEFAULT;
    assert_int_equal(pov_furniture_build(&model, "horse", &options).code, POV_OK);
    const pov_vec3 size = pov_furniture_find("horse")->size_m;
    const pov_model_parts parts = pov_model_read(model);
    double highest_x = 0, highest_z = -INFINITY;
    for (int i = 0; i < parts.vertex_len; i++) {
        if (parts.positions_m[i][2] > highest_z) {
            highest_z = parts.positions_m[i][2];
            highest_x = parts.positions_m[i][0];
        }
    }
    assert_true(highest_x > 0.25 * size.x); /* the ears */
    const pov_vec3 below = {0, 0, -0.35 * size.z};
    assert_true(isinf(solid_ray(model, below, (pov_vec3){0, 0, -1}).distance_m));
    pov_model_destroy(&model);
}

static void without_the_package_and_for_what_it_lacks_there_is_no_answer(void **state)
{
    (void)state;
    pov_model *model;
    pov_furniture_options options = POV_FURNITURE_OPTIONS_DEFAULT;
    options.folder = "/nowhere";
    assert_false(pov_furniture_is_here("horse", options.folder));
    assert_int_equal(pov_furniture_build(&model, "horse", &options).code, POV_UNDEFINED);
    assert_null(model);
    assert_false(pov_furniture_is_here("rubber duck", POV_FURNITURE_FOLDER));
    assert_int_equal(pov_furniture_build(&model, "rubber duck", &options).code, POV_UNDEFINED);
    assert_null(pov_furniture_find("rubber duck"));
}

static void write_file(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void a_damaged_archive_is_named_with_what_mends_it(void **state)
{
    (void)state;
    char folder[] = "/tmp/pov_furniture_XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/Scopia.sh3f", folder);
    write_file(path, "no archive", 10);
    pov_furniture_options options = POV_FURNITURE_OPTIONS_DEFAULT;
    options.folder = folder;
    pov_model *model;
    const pov_status status = pov_furniture_build(&model, "dog", &options);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, path));
    assert_non_null(strstr(status.message, "reinstall sweethome3d-furniture"));
    assert_null(model);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_body_of_the_package_is_of_its_size_and_says_whose_it_is),
        cmocka_unit_test(the_horse_stands_on_four_legs_with_its_head_in_front),
        cmocka_unit_test(without_the_package_and_for_what_it_lacks_there_is_no_answer),
        cmocka_unit_test(a_damaged_archive_is_named_with_what_mends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
