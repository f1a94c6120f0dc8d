#include "perception/scene/scene.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Beyond this a von Mises is a point for every purpose here (1 microradian), and stays finite. */
static const double kappa_max = 1e12;

void pov_scene_clear(pov_scene *scene)
{
    scene->len = 0;
    scene->camera = POV_ID_NONE;
    memset(scene->camera_pose_cov, 0, sizeof scene->camera_pose_cov);
    scene->has_north = false;
    scene->north_yaw_rad = NAN;
}

pov_entity pov_entity_named(const char *name, const char *class_name)
{
    pov_entity entity = {.position.mean_m = {NAN, NAN, NAN}, .R_table_box = pov_rot_identity()};
    snprintf(entity.name, sizeof entity.name, "%s", name);
    snprintf(entity.class_name, sizeof entity.class_name, "%s", class_name);
    return entity;
}

static double double_middle_px(const pov_entity *entity)
{
    return entity->image_box.left_px + entity->image_box.right_px;
}

pov_box pov_entity_box(const pov_entity *entity)
{
    return (pov_box){entity->position.mean_m, pov_vec3_scale(entity->size_m, 0.5), entity->R_table_box};
}

void pov_entities_insert(pov_entity *entities, int len, const pov_entity *entity)
{
    for (; len > 0 && double_middle_px(&entities[len - 1]) > double_middle_px(entity); len--)
        entities[len] = entities[len - 1];
    entities[len] = *entity;
}

const pov_heading *pov_entity_aim(const pov_entity *entity, pov_aim aim)
{
    if (aim == POV_AIM_HAND)
        return &entity->pointing;
    return aim == POV_AIM_GAZE && entity->head_heading.len > 0 ? &entity->head_heading : &entity->heading;
}

pov_heading pov_heading_single(double yaw_rad, double kappa)
{
    return (pov_heading){.len = 1,
                         .mode = {{.weight = 1, .yaw_rad = pov_angle_wrap(yaw_rad), .kappa = kappa}}};
}

const pov_heading_mode *pov_heading_heaviest(const pov_heading *heading)
{
    const pov_heading_mode *best = heading->len > 0 ? &heading->mode[0] : NULL;
    for (int i = 1; i < heading->len; i++)
        if (heading->mode[i].weight > best->weight)
            best = &heading->mode[i];
    return best;
}

/* Mean resultant length A(kappa) = I1/I0, inverted piecewise: Best & Fisher 1981, eq. 3.2. */
static double kappa_from_resultant(double r)
{
    if (r < 0.53)
        return 2 * r + r * r * r + 5 * pow(r, 5) / 6;
    if (r < 0.85)
        return -0.4 + 1.39 * r + 0.43 / (1 - r);
    return 1 / (r * r * r - 4 * r * r + 3 * r);
}

double pov_kappa_from_std(double std_rad)
{
    if (!(std_rad >= 0))
        return NAN;
    if (std_rad < 0.1) /* 1/std^2 + 1/2 to third order; the inversion above cancels badly here */
        return fmin(kappa_max, 1 / (std_rad * std_rad) + 0.5);
    return kappa_from_resultant(exp(-std_rad * std_rad / 2));
}

pov_id pov_scene_find(const pov_scene *scene, const char *name)
{
    for (int i = 0; i < scene->len; i++)
        if (strcmp(scene->entities[i].name, name) == 0)
            return i;
    return POV_ID_NONE;
}

pov_status pov_scene_add(pov_scene *scene, pov_id *id, const pov_entity *entity)
{
    *id = POV_ID_NONE;
    if (scene->len == POV_ENTITY_MAX)
        return pov_error("scene: no room for '%s': at most %d entities", entity->name, POV_ENTITY_MAX);
    if (pov_scene_find(scene, entity->name) != POV_ID_NONE)
        return pov_error("scene: duplicate id '%s': ids must be unique", entity->name);
    *id = scene->len++;
    scene->entities[*id] = *entity;
    return pov_ok();
}

/* A camera this near to straight up or down is mounted to look so: where its axis still leans is by chance. */
static const double upright_rad = 10 * POV_PI / 180;

static pov_vec3 forward_of_camera(pov_rot R_table_camera)
{
    pov_vec3 axis = pov_rot_apply(R_table_camera, (pov_vec3){0, 0, 1});
    if (hypot(axis.x, axis.y) >= sin(upright_rad))
        return axis;
    pov_vec3 up = pov_rot_apply(R_table_camera, (pov_vec3){0, -1, 0});
    return axis.z < 0 ? up : pov_vec3_scale(up, -1);
}

/* It moves by rot x direction. */
void pov_yaw_gradient(double gradient[3], pov_vec3 direction)
{
    const double length2 = direction.x * direction.x + direction.y * direction.y;
    gradient[0] = -direction.x * direction.z / length2;
    gradient[1] = -direction.y * direction.z / length2;
    gradient[2] = 1;
}

double pov_camera_yaw(double gradient[3], pov_rot R_table_camera)
{
    const pov_vec3 forward = forward_of_camera(R_table_camera);
    pov_yaw_gradient(gradient, forward);
    return atan2(forward.y, forward.x);
}

/* The variance for a kappa so large that the distribution is normal: pov_kappa_from_std, inverted. */
static double narrow_variance(double kappa)
{
    return kappa >= kappa_max ? 0 : 1 / (kappa - 0.5);
}

static void change_variance(pov_heading *heading, double by_rad2)
{
    for (int i = 0; i < heading->len && by_rad2 != 0; i++) {
        double *kappa = &heading->mode[i].kappa;
        if (*kappa >= POV_HEADING_TIED_KAPPA)
            *kappa = pov_kappa_from_std(sqrt(fmax(0, narrow_variance(*kappa) + by_rad2)));
    }
}

/* The part of the yaw's variance that the camera pose's error causes. */
static double camera_share(const double per_camera_pose[6], double cov[6][6])
{
    double variance = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            variance += per_camera_pose[i] * cov[i][j] * per_camera_pose[j];
    return variance;
}

static double shared_variance(const pov_scene *scene, pov_id id)
{
    double cov[6][6];
    memcpy(cov, scene->camera_pose_cov, sizeof cov);
    return camera_share(scene->entities[id].heading_ties.per_camera_pose, cov);
}

double pov_heading_own_variance(const pov_scene *scene, pov_id id)
{
    const double all = narrow_variance(pov_heading_heaviest(&scene->entities[id].heading)->kappa);
    return fmax(0, all - shared_variance(scene, id));
}

pov_heading pov_heading_apart_from_camera(const pov_scene *scene, pov_id id)
{
    pov_heading heading = scene->entities[id].heading;
    if (id == scene->camera && heading.len == 1)
        heading.mode[0].kappa = kappa_max;
    else
        change_variance(&heading, -shared_variance(scene, id));
    return heading;
}

void pov_heading_tie_to_camera(pov_entity *entity, const double gradient[3], const pov_pose *T_table_camera)
{
    double *ties = entity->heading_ties.per_camera_pose, cov[6][6];
    memcpy(cov, T_table_camera->cov, sizeof cov);
    memset(ties, 0, sizeof entity->heading_ties.per_camera_pose);
    memcpy(ties, gradient, 3 * sizeof *ties);
    change_variance(&entity->heading, camera_share(ties, cov));
}

pov_status pov_scene_add_camera(pov_scene *scene, const pov_pose *T_table_camera)
{
    pov_entity camera = pov_entity_named("camera", "camera");
    camera.placed = true;
    camera.position.mean_m = T_table_camera->T.t_m;
    for (int i = 0; i < 3; i++)
        camera.position.per_camera_pose[i][3 + i] = 1;
    camera.R_table_box = T_table_camera->T.R;
    double gradient[3];
    camera.heading = pov_heading_single(pov_camera_yaw(gradient, T_table_camera->T.R), pov_kappa_from_std(0));
    pov_heading_tie_to_camera(&camera, gradient, T_table_camera);
    POV_TRY(pov_scene_add(scene, &scene->camera, &camera));
    memcpy(scene->camera_pose_cov, T_table_camera->cov, sizeof scene->camera_pose_cov);
    return pov_ok();
}

void pov_scene_position_cov(const pov_scene *scene, double cov_m2[3][3], const pov_position *position)
{
    pov_sandwich(&cov_m2[0][0], &position->per_camera_pose[0][0], &scene->camera_pose_cov[0][0], 3, 6);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            cov_m2[i][j] += position->own_cov_m2[i][j];
}

POV_ENUM_NAMES(pov_field_shape_name, pov_field_shape, POV_FIELD_COUNT, "cone", "frustum")
POV_ENUM_NAMES(pov_motion_model_name, pov_motion_model, POV_MOTION_COUNT, "at_rest", "with_table",
               "by_itself")
