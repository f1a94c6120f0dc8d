#include "perception/scene/support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

static pov_id add(pov_scene *scene, const char *name, pov_vec3 centre_m, pov_vec3 size_m, double std_m)
{
    pov_id id;
    pov_entity entity = pov_entity_named(name, name);
    entity.placed = true;
    entity.position.mean_m = centre_m;
    entity.size_m = size_m;
    for (int i = 0; i < 3; i++)
        entity.position.own_cov_m2[i][i] = std_m * std_m;
    assert_int_equal(pov_scene_add(scene, &id, &entity).code, POV_OK);
    return id;
}

/* A table 0.7 m high with a cup on it, a book under it, a lamp that hangs in the air over the floor. */
static void things_rest_on_what_is_under_them(void **state)
{
    (void)state;
    static pov_scene scene;
    double p[POV_ENTITY_MAX + 1];
    pov_scene_clear(&scene);
    pov_id table = add(&scene, "table", (pov_vec3){0, 0, 0.35}, (pov_vec3){1, 1, 0.7}, 0);
    pov_id cup = add(&scene, "cup", (pov_vec3){0.3, 0.3, 0.75}, (pov_vec3){0.1, 0.1, 0.1}, 0);
    pov_id plate = add(&scene, "plate", (pov_vec3){-0.3, 0, 0.71}, (pov_vec3){0.2, 0.2, 0.02}, 0);
    pov_id book = add(&scene, "book", (pov_vec3){2, 0, 0.02}, (pov_vec3){0.2, 0.2, 0.04}, 0);
    assert_int_equal(pov_support_likeliest(&scene, cup), table);
    assert_int_equal(pov_support_likeliest(&scene, book), POV_ID_NONE);
    assert_int_equal(pov_support_of(p, &scene, cup), POV_OK);
    assert_near(p[table], 1, 1e-6);
    assert_near(pov_support_shared(&scene, cup, plate), 1, 1e-6);
    assert_near(pov_support_shared(&scene, cup, book), 0, 1e-6);
    assert_near(pov_support_shared(&scene, table, book), 1, 1e-6);
}

/* Midway between floor and table, with errors as large as the whole, either is as likely. */
static void an_uncertain_height_shares_between_surfaces(void **state)
{
    (void)state;
    static pov_scene scene;
    double p[POV_ENTITY_MAX + 1];
    pov_scene_clear(&scene);
    pov_id step = add(&scene, "step", (pov_vec3){0, 0, 0.05}, (pov_vec3){1, 1, 0.1}, 0);
    pov_id ball = add(&scene, "ball", (pov_vec3){0, 0, 0.1}, (pov_vec3){0.1, 0.1, 0.1}, 0.2);
    assert_int_equal(pov_support_of(p, &scene, ball), POV_OK);
    assert_near(p[step], 0.5, 1e-9);
    assert_near(p[scene.len], 0.5, 1e-9);
    assert_near(pov_support_shared(&scene, ball, step), 0.5, 1e-9);
}

static void what_has_no_size_rests_on_nothing_known(void **state)
{
    (void)state;
    static pov_scene scene;
    double p[POV_ENTITY_MAX + 1];
    pov_scene_clear(&scene);
    pov_id point = add(&scene, "point", (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 0}, 0);
    assert_int_equal(pov_support_of(p, &scene, point), POV_UNDEFINED);
    assert_true(isnan(p[0]));
    assert_true(isnan(pov_support_shared(&scene, point, point)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_rest_on_what_is_under_them),
        cmocka_unit_test(an_uncertain_height_shares_between_surfaces),
        cmocka_unit_test(what_has_no_size_rests_on_nothing_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
