/** COMFORT's scene, as the perspectives' tests use it. Include after cmocka.h. */
#pragma once

#include "perception/relations/relation.h"

#include <math.h>

/* COMFORT's layout: relatum at the origin, camera on +x looking at it, addressee camera-left facing
 * camera-right, referent at azimuth phi about the relatum: 0 toward the camera, 90 camera-right. */
enum { REFERENT, RELATUM, WOMAN, CAMERA };

static const double deg = POV_PI / 180;

static inline void place(pov_entity *entity, double x, double y)
{
    entity->placed = true;
    entity->position.mean_m = (pov_vec3){x, y, 0};
}

static inline void comfort_scene(pov_scene *scene, double phi_deg, double relatum_faces_deg)
{
    pov_scene_clear(scene);
    pov_entity referent = pov_entity_named("ball", "ball"), relatum = pov_entity_named("car", "car"),
               woman = pov_entity_named("woman", "person");
    place(&referent, 3 * cos(phi_deg * deg), 3 * sin(phi_deg * deg));
    place(&relatum, 0, 0);
    relatum.heading = pov_heading_single(relatum_faces_deg * deg, pov_kappa_from_std(0));
    place(&woman, 0, -5);
    woman.heading = pov_heading_single(90 * deg, pov_kappa_from_std(0));
    woman.addressee = true;
    pov_id id;
    assert_int_equal(pov_scene_add(scene, &id, &referent).code, POV_OK);
    assert_int_equal(pov_scene_add(scene, &id, &relatum).code, POV_OK);
    assert_int_equal(pov_scene_add(scene, &id, &woman).code, POV_OK);
    pov_pose camera =
        pov_pose_exact(pov_transform_look_at((pov_vec3){8, 0, 4}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    assert_int_equal(pov_scene_add_camera(scene, &camera).code, POV_OK);
}

static inline pov_query comfort_query(pov_relation relation, pov_perspective perspective,
                                      pov_convention convention)
{
    return (pov_query){.referent = REFERENT,
                       .relatum = {RELATUM},
                       .relatum_len = 1,
                       .relation = pov_relation_info_of(relation),
                       .perspective = perspective,
                       .viewer = perspective == POV_EGOCENTRIC  ? CAMERA
                                 : perspective == POV_ADDRESSEE ? WOMAN
                                                                : POV_ID_NONE,
                       .convention = convention,
                       .axis = POV_HEADING,
                       .acceptance = POV_HEMISPHERE};
}
