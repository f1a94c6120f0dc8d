#include "perception/scene/scene_mirror.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* M = 1 - 2 n n^T about a point, n level. */
typedef struct {
    double m[3][3];
    pov_vec3 through_m;
    double line_yaw_rad; /* of the plane, seen from above */
} mirror;

static mirror place_mirror(const pov_scene *scene)
{
    pov_vec3 normal = {0, 1, 0}, through_m = {0, 0, 0};
    if (scene->camera != POV_ID_NONE) {
        const pov_entity *camera = &scene->entities[scene->camera];
        const pov_vec3 right = pov_rot_column(&camera->R_table_box, 0),
                       forward = pov_rot_column(&camera->R_table_box, 2);
        through_m = camera->position.mean_m;
        /* A camera that lies on its side has its right above or below it: its line of sight tells the plane. */
        normal = hypot(right.x, right.y) > 0.1 ? (pov_vec3){right.x, right.y, 0}
                                               : (pov_vec3){forward.y, -forward.x, 0};
        normal = pov_vec3_unit(normal);
    }
    const double n[3] = {normal.x, normal.y, normal.z};
    mirror by = {.through_m = through_m, .line_yaw_rad = atan2(normal.y, normal.x) + POV_PI / 2};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            by.m[i][j] = (i == j) - 2 * n[i] * n[j];
    return by;
}

static pov_vec3 reflect_direction(const mirror *by, pov_vec3 v)
{
    return (pov_vec3){by->m[0][0] * v.x + by->m[0][1] * v.y + by->m[0][2] * v.z,
                      by->m[1][0] * v.x + by->m[1][1] * v.y + by->m[1][2] * v.z,
                      by->m[2][0] * v.x + by->m[2][1] * v.y + by->m[2][2] * v.z};
}

static pov_vec3 reflect_point(const mirror *by, pov_vec3 p)
{
    return pov_vec3_add(by->through_m, reflect_direction(by, pov_vec3_sub(p, by->through_m)));
}

static double reflect_yaw(const mirror *by, double yaw_rad)
{
    return pov_angle_wrap(2 * by->line_yaw_rad - yaw_rad);
}

static void reflect_heading(const mirror *by, pov_heading *heading)
{
    for (int i = 0; i < heading->len; i++)
        heading->mode[i].yaw_rad = reflect_yaw(by, heading->mode[i].yaw_rad);
}

/* The box keeps its front: it is reflected along one of its own axes, so that its rotation stays one. */
static pov_rot reflect_rotation(const mirror *by, pov_rot R, int axis)
{
    pov_rot mirrored;
    for (int k = 0; k < 3; k++) {
        const pov_vec3 column =
            pov_vec3_scale(reflect_direction(by, pov_rot_column(&R, k)), k == axis ? -1 : 1);
        mirrored.m[0][k] = column.x;
        mirrored.m[1][k] = column.y;
        mirrored.m[2][k] = column.z;
    }
    return mirrored;
}

/* M C M^T of a covariance of vectors. */
static void reflect_covariance(const mirror *by, double cov[3][3])
{
    double half[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                half[i][j] += by->m[i][k] * cov[k][j];
    memset(cov, 0, sizeof(double[3][3]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                cov[i][j] += half[i][k] * by->m[j][k];
}

/* A row of derivatives by the camera pose's error. A rotation's vector turns the other way than a reflected place does. */
static void reflect_row(const mirror *by, double row[6], double sign)
{
    double reflected[6] = {0};
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) {
            reflected[k] -= sign * row[l] * by->m[l][k];
            reflected[3 + k] += sign * row[3 + l] * by->m[l][k];
        }
    memcpy(row, reflected, sizeof reflected);
}

static void reflect_pose_covariance(const mirror *by, double cov[6][6])
{
    for (int half = 0; half < 2; half++) { /* rows, then columns: it is symmetric */
        for (int i = 0; i < 6; i++)
            reflect_row(by, cov[i], 1);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < i; j++) {
                const double swapped = cov[i][j];
                cov[i][j] = cov[j][i];
                cov[j][i] = swapped;
            }
    }
}

static void reflect_position(const mirror *by, pov_position *position)
{
    double per[3][6];
    position->mean_m = reflect_point(by, position->mean_m);
    reflect_covariance(by, position->own_cov_m2);
    memcpy(per, position->per_camera_pose, sizeof per);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            position->per_camera_pose[i][k] =
                by->m[i][0] * per[0][k] + by->m[i][1] * per[1][k] + by->m[i][2] * per[2][k];
    for (int i = 0; i < 3; i++)
        reflect_row(by, position->per_camera_pose[i], 1);
}

static void reflect_ties(const mirror *by, pov_heading_ties *ties)
{
    const pov_vec3 with = reflect_direction(
        by, (pov_vec3){ties->with_position_m[0], ties->with_position_m[1], ties->with_position_m[2]});
    ties->with_position_m[0] = -with.x;
    ties->with_position_m[1] = -with.y;
    ties->with_position_m[2] = -with.z;
    reflect_row(by, ties->per_camera_pose, -1);
}

/* Its vertices change sides, and its triangles are turned over. */
static pov_mesh reflect_mesh(const pov_mesh *mesh, int axis)
{
    float(*vertices)[3] = pov_allocate((size_t)mesh->vertex_len + 1, sizeof *vertices);
    uint32_t(*triangles)[3] = pov_allocate((size_t)mesh->triangle_len + 1, sizeof *triangles);
    for (int i = 0; i < mesh->vertex_len; i++)
        for (int k = 0; k < 3; k++)
            vertices[i][k] = k == axis ? -mesh->vertices_m[i][k] : mesh->vertices_m[i][k];
    for (int i = 0; i < mesh->triangle_len; i++)
        for (int k = 0; k < 3; k++)
            triangles[i][k] = mesh->triangles[i][2 - k];
    return (pov_mesh){mesh->vertex_len, mesh->triangle_len, (const float(*)[3])vertices,
                      (const uint32_t(*)[3])triangles};
}

/* A camera's axes are right, down, forward; a box's front, left, up. */
static void reflect_entity(const mirror *by, pov_entity *entity, pov_mesh *mesh, int axis)
{
    const pov_vec3 eye_m = entity->field.eye_m;
    reflect_position(by, &entity->position);
    entity->R_table_box = reflect_rotation(by, entity->R_table_box, axis);
    reflect_heading(by, &entity->heading);
    reflect_heading(by, &entity->head_heading);
    reflect_heading(by, &entity->pointing);
    reflect_ties(by, &entity->heading_ties);
    entity->velocity_m_s = reflect_direction(by, entity->velocity_m_s);
    reflect_covariance(by, entity->velocity_cov_m2_s2);
    entity->turn_rate_rad_s = -entity->turn_rate_rad_s;
    entity->field.eye_m =
        axis == 0 ? (pov_vec3){-eye_m.x, eye_m.y, eye_m.z} : (pov_vec3){eye_m.x, -eye_m.y, eye_m.z};
    entity->has_image_box = false;
    if (!entity->mesh)
        return;
    *mesh = reflect_mesh(entity->mesh, axis);
    entity->mesh = mesh;
}

void pov_scene_mirror(pov_mirrored_scene *mirrored, const pov_scene *scene)
{
    const mirror by = place_mirror(scene);
    pov_scene *s = &mirrored->scene;
    *s = *scene;
    mirrored->meshes = pov_allocate((size_t)scene->len + 1, sizeof *mirrored->meshes);
    for (pov_id id = 0; id < s->len; id++)
        reflect_entity(&by, &s->entities[id], &mirrored->meshes[id], id == s->camera ? 0 : 1);
    reflect_pose_covariance(&by, s->camera_pose_cov);
    s->north_yaw_rad = reflect_yaw(&by, s->north_yaw_rad);
}

void pov_mirrored_scene_free(pov_mirrored_scene *mirrored)
{
    for (pov_id id = 0; mirrored->meshes && id < mirrored->scene.len; id++) {
        free((void *)mirrored->meshes[id].vertices_m);
        free((void *)mirrored->meshes[id].triangles);
    }
    free(mirrored->meshes);
    mirrored->meshes = NULL;
}
