/** Small scenes for visibility: one call a body or viewer. Include after cmocka.h. */
#pragma once

#include "perception/visibility/visibility.h"

#include <math.h>

static inline pov_id test_add(pov_scene *scene, const pov_entity *entity)
{
    pov_id id;
    assert_int_equal(pov_scene_add(scene, &id, entity).code, POV_OK);
    return id;
}

static inline pov_entity test_body(const char *name, pov_shape shape, pov_vec3 at_m, pov_vec3 size_m)
{
    pov_entity entity = pov_entity_named(name, "thing");
    entity.placed = true;
    entity.position.mean_m = at_m;
    entity.size_m = size_m;
    entity.shape = shape;
    return entity;
}

static inline pov_id test_add_box(pov_scene *scene, const char *name, pov_vec3 at_m, pov_vec3 size_m)
{
    pov_entity entity = test_body(name, POV_SHAPE_BOX, at_m, size_m);
    return test_add(scene, &entity);
}

static inline pov_id test_add_sphere(pov_scene *scene, const char *name, pov_vec3 at_m, double radius_m)
{
    pov_entity entity =
        test_body(name, POV_SHAPE_SPHERE, at_m, (pov_vec3){2 * radius_m, 2 * radius_m, 2 * radius_m});
    return test_add(scene, &entity);
}

static inline pov_field_of_view test_all_around(void)
{
    return (pov_field_of_view){.shape = POV_FIELD_CONE,
                               .half_horizontal_rad = POV_PI,
                               .half_vertical_rad = POV_PI,
                               .far_m = INFINITY};
}

/** An eye without a body that looks along `yaw_rad`. */
static inline pov_id test_add_eye(pov_scene *scene, const char *name, pov_vec3 at_m, double yaw_rad,
                                  pov_field_of_view field)
{
    pov_entity entity = test_body(name, POV_SHAPE_BOX, at_m, (pov_vec3){0, 0, 0});
    entity.can_see = true;
    entity.field = field;
    entity.R_table_box = pov_rot_yaw(yaw_rad);
    entity.heading = pov_heading_single(yaw_rad, pov_kappa_from_std(0));
    return test_add(scene, &entity);
}

/** Judges one pair of a scene. */
static inline pov_visibility test_look(pov_occlusion *occlusion, const pov_scene *scene, pov_id viewer,
                                       pov_id target)
{
    const pov_seeing seeing = POV_SEEING_DEFAULT;
    pov_visibility visibility;
    assert_int_equal(pov_occlusion_update(occlusion, scene).code, POV_OK);
    (void)pov_visibility_evaluate(occlusion, &visibility, viewer, target, &seeing);
    return visibility;
}
