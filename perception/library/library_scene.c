/* Scenes of libpov: every number is checked here, so that nothing behind meets one that it was not made for. */
#include "perception/library/library.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(POV_ENTITY_MAX == 256 && POV_NAME_CAPACITY == 32 && POV_HEADING_MODES_MAX == 4,
               "as pov.h says");

/* Beyond these a unit is wrong; chosen, as for scene files. */
static const double position_max_m = 1e4, size_max_m = 1e4;
/* A rotation that was computed in single precision passes. */
static const double rotation_tolerance = 1e-3;
static const double kappa_max = 1e12; /* pov_kappa_from_std(0) */

pov_public_scene *pov_library_inside(pov_public_scene *scene)
{
    return scene;
}

pov_status pov_scene_new(pov_public_scene **scene)
{
    POV_REQUIRE(scene);
    *scene = calloc(1, sizeof **scene);
    if (!*scene)
        return pov_error("a scene needs %zu bytes, and memory is out", sizeof **scene);
    pov_scene_clear(&(*scene)->inside);
    return pov_ok();
}

void pov_scene_destroy(pov_public_scene **scene)
{
    POV_REQUIRE(scene);
    pov_public_scene *self = *scene;
    if (!self)
        return;
    while (self->meshes) {
        pov_library_mesh *mesh = self->meshes;
        self->meshes = mesh->next;
        free(mesh);
    }
    pov_occlusion_destroy(&self->occlusion);
    free(self->judging);
    free(self->seen);
    free(self);
    *scene = NULL;
}

/* -------- checks -------- */

static bool are_finite(const double *numbers, int len)
{
    bool finite = true;
    for (int i = 0; i < len; i++)
        finite = finite && isfinite(numbers[i]);
    return finite;
}

static bool are_within(const double *numbers, int len, double max)
{
    bool within = true;
    for (int i = 0; i < len; i++)
        within = within && fabs(numbers[i]) <= max;
    return within;
}

static pov_status check_covariance(const double *cov, int n, const char *what)
{
    double values[6], vectors[36], scale = 0;
    if (!are_finite(cov, n * n) || !are_within(cov, n * n, position_max_m * position_max_m))
        return pov_error("%s: a number is not finite, or above 1e8", what);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            scale = fmax(scale, fabs(cov[n * i + j]));
            if (fabs(cov[n * i + j] - cov[n * j + i]) >
                1e-6 * fmax(fabs(cov[n * i + i]), fabs(cov[n * j + j])))
                return pov_error("%s is not symmetric: row %d, column %d is %g, the other way round %g", what,
                                 i + 1, j + 1, cov[n * i + j], cov[n * j + i]);
        }
    pov_symmetric_eigen(values, vectors, cov, n);
    for (int i = 0; i < n; i++)
        if (!(values[i] >= -1e-6 * scale))
            return pov_error("%s is not a covariance: it has a direction of negative variance", what);
    return pov_ok();
}

static pov_status check_text(const char *text, const char *what)
{
    if (strlen(text) >= POV_NAME_CAPACITY)
        return pov_error("%s '%.40s' is longer than %d bytes", what, text, POV_NAME_CAPACITY - 1);
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return pov_error("%s '%.40s' has control characters", what, text);
    return pov_ok();
}

pov_entity *pov_library_entity(pov_public_scene *scene, pov_status *status, int id)
{
    const bool exists = id >= 0 && id < scene->inside.len;
    *status = exists ? pov_ok() : pov_error("the scene has no entity %d; it has %d", id, scene->inside.len);
    return exists ? &scene->inside.entities[id] : NULL;
}

static pov_status check_front(double yaw_rad, double kappa)
{
    if (!isfinite(yaw_rad))
        return pov_error("yaw_rad: %g is not finite", yaw_rad);
    if (!(kappa >= 0))
        return pov_error("kappa: %g is not 0 or more; pov_kappa_from_std gives it", kappa);
    return pov_ok();
}

static pov_status check_vector(const double *numbers, const double *cov, const char *what,
                               const char *what_cov)
{
    if (!are_within(numbers, 3, position_max_m))
        return pov_error("%s: %g, %g, %g: a number is not finite, or beyond %g", what, numbers[0], numbers[1],
                         numbers[2], position_max_m);
    return check_covariance(cov, 3, what_cov);
}

static pov_status check_entity(const pov_public_entity *e)
{
    if (e->placed)
        POV_TRY(check_vector(e->position_m, e->position_cov_m2, "position_m", "position_cov_m2"));
    if (e->has_front)
        POV_TRY(check_front(e->yaw_rad, e->kappa));
    if (e->has_velocity)
        POV_TRY(check_vector(e->velocity_m_s, e->velocity_cov_m2_s2, "velocity_m_s", "velocity_cov_m2_s2"));
    for (int i = 0; i < 3; i++)
        if (!(e->size_m[i] >= 0 && e->size_m[i] <= size_max_m))
            return pov_error("size_m: %g is not in 0 to %g m", e->size_m[i], size_max_m);
    if (!(e->shape_doubt >= 0 && e->shape_doubt < 0.5))
        return pov_error("shape_doubt: %g is not in 0 to 0.5", e->shape_doubt);
    if (e->shape != POV_SHAPE_BOX && e->shape != POV_SHAPE_SPHERE && e->shape != POV_SHAPE_CAPSULE)
        return pov_error("shape: %d is not a box, sphere or capsule; a mesh is given by pov_entity_set_mesh",
                         e->shape);
    return pov_ok();
}

/* -------- entities -------- */

/* Zeros: upright, turned to its front. POV_ERROR: not a rotation. */
static pov_status read_rotation(pov_rot *R, const pov_public_entity *from)
{
    bool is_zero = true;
    for (int i = 0; i < 9; i++)
        is_zero = is_zero && from->rotation[i] == 0;
    *R = from->has_front ? pov_rot_yaw(from->yaw_rad) : pov_rot_identity();
    if (is_zero)
        return pov_ok();
    pov_rot given;
    memcpy(given.m, from->rotation, sizeof given.m);
    if (!are_finite(from->rotation, 9) || !pov_rot_is_valid(given, rotation_tolerance))
        return pov_error("rotation: its columns are not three perpendicular unit vectors, right-handed");
    *R = pov_rot_nearest(given);
    return pov_ok();
}

static pov_vec3 vector_of(const double numbers[3])
{
    return (pov_vec3){numbers[0], numbers[1], numbers[2]};
}

static pov_status convert_entity(pov_entity *to, const pov_public_entity *from)
{
    POV_TRY(check_entity(from));
    POV_TRY(read_rotation(&to->R_table_box, from));
    to->placed = from->placed;
    if (to->placed) {
        to->position.mean_m = vector_of(from->position_m);
        memcpy(to->position.own_cov_m2, from->position_cov_m2, sizeof to->position.own_cov_m2);
    }
    to->size_m = vector_of(from->size_m);
    if (from->has_front)
        to->heading = pov_heading_single(pov_angle_wrap(from->yaw_rad), fmin(from->kappa, kappa_max));
    to->has_velocity = from->has_velocity;
    if (to->has_velocity) {
        to->velocity_m_s = vector_of(from->velocity_m_s);
        memcpy(to->velocity_cov_m2_s2, from->velocity_cov_m2_s2, sizeof to->velocity_cov_m2_s2);
    }
    to->shape = (pov_shape)from->shape;
    to->shape_doubt = from->shape_doubt;
    to->addressee = from->addressee;
    return pov_ok();
}

static pov_status named_entity(pov_entity *entity, const char *name, const char *class_name)
{
    POV_TRY(check_text(name, "name"));
    POV_TRY(check_text(class_name, "class"));
    if (!*name)
        return pov_error("name: it is empty; each entity needs one of its own");
    *entity = pov_entity_named(name, class_name);
    return pov_ok();
}

pov_status pov_entity_add(pov_public_scene *scene, int16_t *id, const char *name, const char *class_name,
                          const pov_public_entity *entity)
{
    POV_REQUIRE(scene && name && class_name && entity);
    pov_entity made;
    pov_id added = POV_ID_NONE;
    pov_status status = named_entity(&made, name, class_name);
    POV_THEN(status, convert_entity(&made, entity));
    POV_THEN(status, pov_scene_add(&scene->inside, &added, &made));
    if (id)
        *id = (int16_t)added;
    return status;
}

static bool is_within(double number, double more_than, double max)
{
    return number > more_than && number <= max;
}

pov_status pov_entity_set_field(pov_public_scene *scene, int id, const pov_field *field)
{
    POV_REQUIRE(scene);
    pov_status status;
    pov_entity *entity = pov_library_entity(scene, &status, id);
    if (!entity)
        return status;
    if (!field) {
        entity->can_see = false;
        return pov_ok();
    }
    if (field->shape != POV_FIELD_CONE && field->shape != POV_FIELD_FRUSTUM)
        return pov_error("shape: %d is not a cone or a frustum", field->shape);
    const double max_rad = field->shape == POV_FIELD_CONE ? POV_PI : nextafter(POV_PI / 2, 0);
    if (!is_within(field->half_horizontal_rad, 0, max_rad) ||
        !is_within(field->half_vertical_rad, 0, max_rad))
        return pov_error("half_horizontal_rad, half_vertical_rad: %g, %g: give half-angles above 0, up to %s",
                         field->half_horizontal_rad, field->half_vertical_rad,
                         field->shape == POV_FIELD_CONE ? "pi" : "less than pi/2");
    if (!(field->near_m >= 0 && field->far_m > field->near_m && isfinite(field->near_m)))
        return pov_error("near_m, far_m: %g to %g is not a range", field->near_m, field->far_m);
    if (!are_finite(field->eye_m, 3) || !are_within(field->eye_m, 3, size_max_m))
        return pov_error("eye_m: a number is not finite, or beyond %g m", size_max_m);
    entity->can_see = true;
    entity->field = (pov_field_of_view){.shape = (pov_field_shape)field->shape,
                                        .half_horizontal_rad = field->half_horizontal_rad,
                                        .half_vertical_rad = field->half_vertical_rad,
                                        .near_m = field->near_m,
                                        .far_m = field->far_m,
                                        .eye_m = vector_of(field->eye_m)};
    scene->seen_len = 0;
    return pov_ok();
}

/* An entity whose numbers the caller may set: not the camera. */
static pov_entity *find_settable(pov_public_scene *scene, pov_status *status, int id)
{
    pov_entity *entity = pov_library_entity(scene, status, id);
    if (entity && id == scene->inside.camera) {
        *status = pov_error("entity %d is the camera; pov_scene_set_camera sets its pose", id);
        return NULL;
    }
    return entity;
}

pov_status pov_entity_set_fronts(pov_public_scene *scene, int id, const pov_front *fronts, int len)
{
    POV_REQUIRE(scene && (fronts || len <= 0));
    pov_status status;
    double sum = 0;
    pov_entity *entity = find_settable(scene, &status, id);
    if (!entity)
        return status;
    if (len < 0 || len > POV_HEADING_MODES_MAX)
        return pov_error("fronts: %d are given, and 0 to %d are possible", len, POV_HEADING_MODES_MAX);
    for (int i = 0; i < len; i++) {
        POV_TRY(check_front(fronts[i].yaw_rad, fronts[i].kappa));
        if (!(fronts[i].weight >= 0 && fronts[i].weight <= 1e9))
            return pov_error("fronts: the weight %g is not in 0 to 1e9", fronts[i].weight);
        sum += fronts[i].weight;
    }
    if (len > 0 && !(sum >= 1e-9))
        return pov_error("fronts: all weights are 0");
    entity->heading.len = len;
    for (int i = 0; i < len; i++)
        entity->heading.mode[i] = (pov_heading_mode){.weight = fronts[i].weight / sum,
                                                     .yaw_rad = pov_angle_wrap(fronts[i].yaw_rad),
                                                     .kappa = fmin(fronts[i].kappa, kappa_max)};
    entity->heading_ties = (pov_heading_ties){0};
    scene->seen_len = 0;
    return pov_ok();
}

static pov_status check_triangles(const pov_triangles *triangles)
{
    if (triangles->vertex_len < 3 || triangles->triangle_len < 1 || triangles->triangle_len > 1 << 24 ||
        triangles->vertex_len > 1 << 24)
        return pov_error("triangles: %d vertices and %d triangles are not a body", triangles->vertex_len,
                         triangles->triangle_len);
    for (int i = 0; i < triangles->vertex_len; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabsf(triangles->vertices_m[i][k]) <= (float)size_max_m))
                return pov_error("triangles: vertex %d is not within %g m", i, size_max_m);
    for (int i = 0; i < triangles->triangle_len; i++)
        for (int k = 0; k < 3; k++)
            if (triangles->triangles[i][k] >= (uint32_t)triangles->vertex_len)
                return pov_error("triangles: triangle %d names vertex %u of %d", i,
                                 (unsigned)triangles->triangles[i][k], triangles->vertex_len);
    return pov_ok();
}

pov_status pov_entity_set_mesh(pov_public_scene *scene, int id, const pov_triangles *triangles)
{
    POV_REQUIRE(scene && triangles);
    pov_status status;
    pov_entity *entity = find_settable(scene, &status, id);
    if (!entity)
        return status;
    POV_REQUIRE(triangles->vertices_m && triangles->triangles);
    POV_TRY(check_triangles(triangles));
    const size_t vertex_bytes = (size_t)triangles->vertex_len * sizeof *triangles->vertices_m,
                 triangle_bytes = (size_t)triangles->triangle_len * sizeof *triangles->triangles;
    pov_library_mesh *made = malloc(sizeof *made + vertex_bytes + triangle_bytes);
    if (!made)
        return pov_error("a mesh needs %zu bytes, and memory is out", vertex_bytes + triangle_bytes);
    float(*vertices_m)[3] = (float(*)[3])(made + 1);
    uint32_t(*indices)[3] = (uint32_t(*)[3])(vertices_m + triangles->vertex_len);
    memcpy(vertices_m, triangles->vertices_m, vertex_bytes);
    memcpy(indices, triangles->triangles, triangle_bytes);
    *made = (pov_library_mesh){.mesh = {.vertex_len = triangles->vertex_len,
                                        .triangle_len = triangles->triangle_len,
                                        .vertices_m = (const float(*)[3])vertices_m,
                                        .triangles = (const uint32_t(*)[3])indices},
                               .next = scene->meshes};
    scene->meshes = made;
    entity->shape = POV_SHAPE_MESH;
    entity->shape_doubt = 0;
    entity->mesh = &made->mesh;
    scene->seen_len = 0;
    return pov_ok();
}

pov_status pov_entity_tie_to_camera(pov_public_scene *scene, int id, const double *per_camera_pose,
                                    const double *yaw_per_rotation)
{
    POV_REQUIRE(scene && per_camera_pose);
    pov_status status;
    pov_scene *inside = &scene->inside;
    pov_entity *entity = find_settable(scene, &status, id);
    if (!entity)
        return status;
    if (inside->camera == POV_ID_NONE)
        return pov_error("the scene has no camera; pov_scene_set_camera adds it");
    if (!are_within(per_camera_pose, 18, position_max_m) ||
        (yaw_per_rotation && !are_within(yaw_per_rotation, 3, 1e6)))
        return pov_error("per_camera_pose, yaw_per_rotation: a number is not finite, or too large");
    memcpy(entity->position.per_camera_pose, per_camera_pose, sizeof entity->position.per_camera_pose);
    if (yaw_per_rotation) {
        pov_pose camera = pov_pose_exact(pov_transform_identity());
        memcpy(camera.cov, inside->camera_pose_cov, sizeof camera.cov);
        pov_heading_tie_to_camera(entity, yaw_per_rotation, &camera);
    }
    return pov_ok();
}

int pov_entity_find(const pov_public_scene *scene, const char *name)
{
    POV_REQUIRE(scene && name);
    return pov_scene_find(&scene->inside, name);
}

static bool has_entity(const pov_public_scene *scene, int id)
{
    POV_REQUIRE(scene);
    return id >= 0 && id < scene->inside.len;
}

const char *pov_entity_name(const pov_public_scene *scene, int id)
{
    return has_entity(scene, id) ? scene->inside.entities[id].name : "";
}

const char *pov_entity_class(const pov_public_scene *scene, int id)
{
    return has_entity(scene, id) ? scene->inside.entities[id].class_name : "";
}

/* -------- scenes -------- */

int pov_scene_len(const pov_public_scene *scene)
{
    POV_REQUIRE(scene);
    return scene->inside.len;
}

static void put_vector(double numbers[3], pov_vec3 vector, bool is_known)
{
    numbers[0] = is_known ? vector.x : NAN;
    numbers[1] = is_known ? vector.y : NAN;
    numbers[2] = is_known ? vector.z : NAN;
}

static pov_public_entity public_entity(const pov_scene *scene, const pov_entity *from)
{
    const pov_heading_mode *front = pov_heading_heaviest(&from->heading);
    double cov_m2[3][3];
    pov_public_entity to = {.placed = from->placed,
                            .has_front = front != NULL,
                            .has_velocity = from->has_velocity,
                            .addressee = from->addressee,
                            .shape = (int8_t)from->shape,
                            .seen = from->seen,
                            .can_see = from->can_see,
                            .shape_doubt = from->shape_doubt,
                            .yaw_rad = front ? front->yaw_rad : NAN,
                            .kappa = front ? front->kappa : NAN};
    put_vector(to.position_m, from->position.mean_m, from->placed);
    put_vector(to.size_m, from->size_m, true);
    put_vector(to.velocity_m_s, from->velocity_m_s, from->has_velocity);
    pov_scene_position_cov(scene, cov_m2, &from->position);
    for (int k = 0; k < 9; k++) {
        to.position_cov_m2[k] = from->placed ? cov_m2[k / 3][k % 3] : NAN;
        to.rotation[k] = from->R_table_box.m[k / 3][k % 3];
        to.velocity_cov_m2_s2[k] = from->has_velocity ? from->velocity_cov_m2_s2[k / 3][k % 3] : NAN;
    }
    return to;
}

void pov_scene_entities(const pov_public_scene *scene, pov_public_entity *entities)
{
    POV_REQUIRE(scene && (entities || scene->inside.len == 0));
    for (int i = 0; i < scene->inside.len; i++)
        entities[i] = public_entity(&scene->inside, &scene->inside.entities[i]);
}

/* What a camera's pose sets of its entity; its field of view stays. */
static void place_camera(pov_scene *inside, const pov_scene *placed)
{
    pov_entity *camera = &inside->entities[inside->camera];
    const pov_entity *from = &placed->entities[placed->camera];
    camera->position = from->position;
    camera->R_table_box = from->R_table_box;
    camera->heading = from->heading;
    camera->heading_ties = from->heading_ties;
    camera->placed = true;
    memcpy(inside->camera_pose_cov, placed->camera_pose_cov, sizeof inside->camera_pose_cov);
}

pov_status pov_scene_set_camera(pov_public_scene *scene, const double *position_m, const double *look_at_m,
                                const double *cov)
{
    POV_REQUIRE(scene && position_m && look_at_m);
    if (!are_within(position_m, 3, position_max_m) || !are_within(look_at_m, 3, position_max_m))
        return pov_error("position_m, look_at_m: a number is not finite, or beyond %g m", position_max_m);
    if (cov)
        POV_TRY(check_covariance(cov, 6, "cov"));
    pov_pose pose = pov_pose_exact(
        pov_transform_look_at(vector_of(position_m), vector_of(look_at_m), (pov_vec3){0, 0, 1}));
    if (!pov_rot_is_valid(pose.T.R, rotation_tolerance))
        return pov_error(
            "look_at_m: it must be another point than position_m, and not straight above or below: the "
            "camera's roll would be undefined");
    if (cov)
        memcpy(pose.cov, cov, sizeof pose.cov);
    scene->seen_len = 0;
    if (scene->inside.camera == POV_ID_NONE)
        return pov_scene_add_camera(&scene->inside, &pose);
    pov_scene *placed = malloc(sizeof *placed); /* too large for a thread's stack */
    if (!placed)
        return pov_error("out of memory");
    pov_scene_clear(placed);
    const pov_status status = pov_scene_add_camera(placed, &pose);
    if (status.code == POV_OK)
        place_camera(&scene->inside, placed);
    free(placed);
    return status;
}

pov_status pov_scene_set_north(pov_public_scene *scene, double yaw_rad)
{
    POV_REQUIRE(scene);
    if (isinf(yaw_rad))
        return pov_error("yaw_rad: north is not finite; NaN if there is none");
    scene->inside.has_north = !isnan(yaw_rad);
    scene->inside.north_yaw_rad = isnan(yaw_rad) ? 0 : pov_angle_wrap(yaw_rad);
    return pov_ok();
}

double pov_scene_north(const pov_public_scene *scene)
{
    POV_REQUIRE(scene);
    return scene->inside.has_north ? scene->inside.north_yaw_rad : NAN;
}
