/* Which things get bodies of sweethome3d-furniture: the folder only has to hold archives of the right names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/bodies/furniture_package.h"
#include "sim/worlds/world.h"
#include "sim/worlds/world_file.h"
#include "tests/support/near.h"

static char folder[] = "/tmp/pov_bodies_XXXXXX";
static const char *const archives[] = {"Reallusion", "KatorLegaz", "BlendSwap-CC-0", "BlendSwap-CC-BY"};
enum { ARCHIVES = sizeof archives / sizeof *archives };

static void archive_path(char path[200], int i)
{
    snprintf(path, 200, "%s/%s.sh3f", folder, archives[i]);
}

static int set_up(void **state)
{
    char path[200];
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < ARCHIVES; i++) {
        archive_path(path, i);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fclose(file), 0);
    }
    return 0;
}

static int tear_down(void **state)
{
    char path[200];
    (void)state;
    for (int i = 0; i < ARCHIVES; i++) {
        archive_path(path, i);
        unlink(path);
    }
    return rmdir(folder);
}

static pov_world *read_world(const char *things)
{
    static pov_world world;
    char text[1000];
    snprintf(text, sizeof text, "about: a test\nthings:\n%s", things);
    const pov_status status = pov_world_file_parse(&world, "test.yaml", text, strlen(text), NULL);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
    return &world;
}

static void plain_things_of_like_proportions_get_them_and_keep_their_boxes(void **state)
{
    (void)state;
    pov_world *world = read_world("  - {id: car, position_m: [0, 0], size_m: 0.4, front_deg: 30}\n"
                                  "  - {id: red, class: car, position_m: [1, 0], color: red}\n"
                                  "  - {id: other, class: car, position_m: [2, 0], look: 2}\n"
                                  "  - {id: cube, class: car, position_m: [3, 0], size_m: [1, 1, 1]}\n"
                                  "  - {id: ball, class: basketball, position_m: [4, 0]}\n"
                                  "  - {id: duck, class: rubber duck, position_m: [5, 0]}\n");
    static pov_world before;
    before = *world;
    pov_world_take_package(world, folder);
    for (int i = 0; i < world->thing_len; i++) {
        assert_int_equal(world->things[i].from_package, i == 0);
        assert_memory_equal(&world->things[i].entity, &before.things[i].entity, sizeof(pov_entity));
    }
}

static void nobody_gets_them_without_the_package(void **state)
{
    (void)state;
    pov_world *world = read_world("  - {id: car, position_m: [0, 0]}\n");
    pov_world_take_package(world, "/nowhere");
    assert_false(world->things[0].from_package);
}

static void eyes_move_to_the_body_unless_the_file_says_where_they_are(void **state)
{
    (void)state;
    pov_world *world = read_world("  - {id: eve, class: woman, position_m: [0, 0], addressee: true}\n"
                                  "  - {id: amy, class: woman, position_m: [2, 0], addressee: true, sees: "
                                  "{horizontal_deg: 90, vertical_deg: 60, eye_m: [0.1, 0, 0.5]}}\n");
    pov_world_take_package(world, folder);
    const pov_furniture *woman = pov_furniture_find("woman");
    const pov_entity *eve = &world->things[0].entity, *amy = &world->things[1].entity;
    assert_near(eve->field.eye_m.z / eve->size_m.z, woman->eye_m.z / woman->size_m.z, 1e-12);
    assert_near(eve->field.eye_m.x / eve->size_m.x, woman->eye_m.x / woman->size_m.x, 1e-12);
    assert_near(amy->field.eye_m.z, 0.5, 1e-12);
    assert_true(world->things[1].from_package);
    pov_world_take_package(world, folder);
    assert_near(eve->field.eye_m.z / eve->size_m.z, woman->eye_m.z / woman->size_m.z, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_things_of_like_proportions_get_them_and_keep_their_boxes),
        cmocka_unit_test(nobody_gets_them_without_the_package),
        cmocka_unit_test(eyes_move_to_the_body_unless_the_file_says_where_they_are),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
