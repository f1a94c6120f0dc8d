#include "perception/scene/imagined_viewer.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

static pov_status check_stand(const pov_scene *scene, pov_id viewer, pov_id at, pov_id facing)
{
    const pov_entity *e = scene->entities;
    if (at == facing)
        return pov_error("%s: nobody can stand there and face it; name another thing to face", e[at].name);
    if (viewer == at || viewer == facing)
        return pov_error("%s: the viewer cannot stand at itself, nor face itself", e[viewer].name);
    if (!e[at].placed || !e[facing].placed)
        return pov_error("%s has no position", e[e[at].placed ? facing : at].name);
    const pov_vec3 to_m = pov_vec3_sub(e[facing].position.mean_m, e[at].position.mean_m);
    return hypot(to_m.x, to_m.y) > 1e-6
               ? pov_ok()
               : pov_error("%s and %s are at one place, seen from above: that gives no direction to face",
                           e[at].name, e[facing].name);
}

/* The yaw from one position to another moves by `across` / distance for each metre between them. */
static void turn_toward(pov_entity *viewer, const pov_scene *scene, const pov_entity *from,
                        const pov_entity *to)
{
    const pov_vec3 d = pov_vec3_sub(to->position.mean_m, from->position.mean_m);
    const double distance_m = hypot(d.x, d.y);
    const double per_m[3] = {-d.y / (distance_m * distance_m), d.x / (distance_m * distance_m), 0};
    double own = 0, shared, cov[6][6], *by_camera = viewer->heading_ties.per_camera_pose;
    memcpy(cov, scene->camera_pose_cov, sizeof cov);
    viewer->heading_ties = (pov_heading_ties){{0}, {0}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 6; k++)
            by_camera[k] +=
                per_m[i] * (to->position.per_camera_pose[i][k] - from->position.per_camera_pose[i][k]);
        for (int j = 0; j < 3; j++) {
            own += per_m[i] * per_m[j] * (from->position.own_cov_m2[i][j] + to->position.own_cov_m2[i][j]);
            viewer->heading_ties.with_position_m[j] -= per_m[i] * from->position.own_cov_m2[i][j];
        }
    }
    pov_sandwich(&shared, by_camera, &cov[0][0], 1, 6);
    const double kappa = pov_kappa_from_std(sqrt(fmax(0, own + shared)));
    viewer->heading = pov_heading_single(atan2(d.y, d.x), kappa);
    viewer->head_heading = (pov_heading){0};
    if (kappa < POV_HEADING_TIED_KAPPA) /* too wide to go with others linearly */
        viewer->heading_ties = (pov_heading_ties){{0}, {0}};
}

pov_status pov_scene_imagine(pov_scene *scene, pov_id viewer, pov_id at, pov_id facing)
{
    POV_TRY(check_stand(scene, viewer, at, facing));
    pov_entity *v = &scene->entities[viewer];
    const pov_entity *from = &scene->entities[at];
    const double z_m = v->placed ? v->position.mean_m.z : from->position.mean_m.z;
    v->placed = true;
    v->position = from->position;
    v->position.mean_m.z = z_m;
    v->has_velocity = v->has_turn_rate = false;
    v->is_imagined = true;
    v->imagined_at = at;
    v->imagined_facing = facing;
    turn_toward(v, scene, from, &scene->entities[facing]);
    const double yaw_rad = v->heading.mode[0].yaw_rad;
    v->R_table_box = pov_rot_yaw(yaw_rad);
    if (viewer == scene->camera) { /* its box has the camera's axes */
        const pov_vec3 ahead_m = {cos(yaw_rad), sin(yaw_rad), 0}, eye_m = v->position.mean_m;
        v->R_table_box = pov_transform_look_at(eye_m, pov_vec3_add(eye_m, ahead_m), (pov_vec3){0, 0, 1}).R;
    }
    return pov_ok();
}

pov_status pov_scene_imagine_observer(pov_scene *scene, pov_id *observer, const char *name, pov_id at,
                                      pov_id facing)
{
    pov_entity entity = pov_entity_named(name, "person");
    entity.addressee = entity.is_hypothetical = true;
    for (pov_id id = 0; id < scene->len && !entity.can_see; id++) {
        const pov_entity *person = &scene->entities[id];
        if (id == scene->camera || !person->can_see || !person->placed)
            continue;
        entity.can_see = true;
        entity.field = person->field;
        entity.placed = true;
        entity.position.mean_m.z = person->position.mean_m.z;
    }
    POV_TRY(pov_scene_add(scene, observer, &entity));
    const pov_status status = pov_scene_imagine(scene, *observer, at, facing);
    if (status.code != POV_OK)
        scene->len--;
    return status;
}
