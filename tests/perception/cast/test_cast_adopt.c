#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/cast/cast.h"

#include <math.h>
#include <string.h>

/* This station has a cup of 10 cm and a ball of 7 cm; the other one's camera has seen what a test makes of them. */
typedef struct {
    pov_cast cast;
    pov_scene theirs, scene;
    pov_pose pose;
    pov_cast_difference difference;
} meeting;

static pov_entity *their(meeting *m, const char *name)
{
    return &m->theirs.entities[pov_scene_find(&m->theirs, name)];
}

static const pov_entity *own(const meeting *m, const char *name)
{
    return &m->scene.entities[pov_scene_find(&m->scene, name)];
}

static void add_thing(meeting *m, const char *name, const char *class_name, double size_m, double x_m)
{
    pov_entity entity = pov_entity_named(name, class_name);
    pov_id added;
    entity.size_m = (pov_vec3){size_m, size_m, size_m};
    m->cast.members[m->cast.len++] = (pov_cast_member){.entity = entity, .found_by = &pov_found_by_tag};
    entity.placed = entity.seen = true;
    entity.position.mean_m = (pov_vec3){x_m, 0, size_m / 2};
    for (int i = 0; i < 3; i++)
        entity.position.own_cov_m2[i][i] = 1e-6;
    assert_int_equal(pov_scene_add(&m->theirs, &added, &entity).code, POV_OK);
}

static void set_up(meeting *m)
{
    memset(m, 0, sizeof *m);
    pov_scene_clear(&m->theirs);
    m->pose = pov_pose_exact(
        pov_transform_look_at((pov_vec3){1.2, 0, 1}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    assert_int_equal(pov_scene_add_camera(&m->theirs, &m->pose).code, POV_OK);
    add_thing(m, "cup", "cup", 0.1, 0.2);
    add_thing(m, "ball", "ball", 0.07, -0.1);
}

static void adopt(meeting *m)
{
    assert_int_equal(pov_cast_adopt(&m->cast, &m->scene, &m->difference, &m->theirs, &m->pose).code, POV_OK);
}

static void what_it_saw_is_taken_over(void **state)
{
    static meeting m;
    (void)state;
    set_up(&m);
    adopt(&m);
    assert_string_equal(m.difference.name, "");
    assert_true(own(&m, "cup")->placed && own(&m, "cup")->seen);
    assert_true(own(&m, "cup")->position.mean_m.x == 0.2 && own(&m, "ball")->position.mean_m.x == -0.1);
    assert_int_not_equal(m.scene.camera, POV_ID_NONE);
}

/* Bodies that two stations measured are one within 5 %. */
static void a_thing_of_another_size_or_class_is_left_out_and_named(void **state)
{
    static meeting m;
    (void)state;
    set_up(&m);
    their(&m, "cup")->size_m.x = 0.104;
    adopt(&m);
    assert_true(own(&m, "cup")->placed && own(&m, "cup")->size_m.x == 0.1);
    their(&m, "cup")->size_m.x = 0.11;
    adopt(&m);
    assert_string_equal(m.difference.name, "cup");
    assert_true(m.difference.their_size_m.x == 0.11 && m.difference.own_size_m.x == 0.1);
    assert_false(own(&m, "cup")->placed || own(&m, "cup")->seen || m.difference.is_unknown);
    assert_true(own(&m, "ball")->placed);
    set_up(&m);
    strcpy(their(&m, "ball")->class_name, "apple");
    adopt(&m);
    assert_string_equal(m.difference.name, "ball");
    assert_string_equal(m.difference.their_class, "apple");
    assert_false(own(&m, "ball")->placed);
}

static void a_thing_that_only_the_other_knows_is_named(void **state)
{
    static meeting m;
    (void)state;
    set_up(&m);
    m.cast.len = 1;
    adopt(&m);
    assert_string_equal(m.difference.name, "ball");
    assert_true(m.difference.is_unknown);
    assert_int_equal(pov_scene_find(&m.scene, "ball"), POV_ID_NONE);
}

/* A finite number may have a square that is not. */
static void numbers_beyond_any_table_are_not_taken(void **state)
{
    static const double beyond[] = {1e200, -1e200, NAN, INFINITY};
    static meeting m;
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int what = 0; what < 5; what++) {
            set_up(&m);
            pov_entity *cup = their(&m, "cup");
            cup->has_velocity = what == 3;
            cup->has_turn_rate = what == 4;
            *(double *[]){&cup->position.mean_m.y, &cup->position.own_cov_m2[1][1],
                          &cup->position.per_camera_pose[2][1], &cup->velocity_m_s.z,
                          &cup->turn_rate_rad_s}[what] = beyond[i];
            adopt(&m);
            assert_false(own(&m, "cup")->placed);
            assert_true(own(&m, "cup")->seen && own(&m, "ball")->placed);
        }
    set_up(&m);
    m.pose.T.t_m.x = 1e200;
    adopt(&m);
    assert_int_equal(m.scene.camera, POV_ID_NONE);
    assert_false(own(&m, "cup")->placed);
}

static void without_a_pose_things_are_seen_and_nowhere(void **state)
{
    static meeting m;
    (void)state;
    set_up(&m);
    assert_int_equal(pov_cast_adopt(&m.cast, &m.scene, &m.difference, &m.theirs, NULL).code, POV_OK);
    assert_true(own(&m, "cup")->seen && !own(&m, "cup")->placed);
    assert_int_equal(m.scene.camera, POV_ID_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_saw_is_taken_over),
        cmocka_unit_test(a_thing_of_another_size_or_class_is_left_out_and_named),
        cmocka_unit_test(a_thing_that_only_the_other_knows_is_named),
        cmocka_unit_test(numbers_beyond_any_table_are_not_taken),
        cmocka_unit_test(without_a_pose_things_are_seen_and_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
