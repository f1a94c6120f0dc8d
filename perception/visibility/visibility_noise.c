#include "perception/visibility/visibility_noise.h"

#include "perception/geometry/lattice.h"
#include "perception/geometry/linalg.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* the errors all others follow from */
enum { EYE = 0, TARGET = 3, OCCLUDER = 6, ROTATION = 9, CAMERA_POSE = 12, ERRORS = 18 };
enum {
    BODY_DIMENSIONS = POV_INSET_SLOTS * POV_INSET_DIMENSIONS,
    NET = 1 + POV_NOISE_FACTORS,
    BODY = NET + 2,
    LATER = BODY + BODY_DIMENSIONS,
    DIMENSIONS = LATER + POV_NOISE_NORMALS - POV_NOISE_FACTORS
};
static_assert((int)DIMENSIONS <= POV_LATTICE_DIMENSIONS_MAX, "the lattice has a component for each");

/* ---- joint covariance ---- */

/* Each error as its entity (or none) and how it follows from the camera pose's error. */
typedef struct {
    const pov_position *own[ERRORS / 3]; /* NULL: no error of its own */
    double per_camera_pose[ERRORS][6];
} error_sources;

static void set_source(error_sources *sources, int at, const pov_position *position)
{
    sources->own[at / 3] = position;
    memcpy(sources->per_camera_pose[at], position->per_camera_pose, sizeof position->per_camera_pose);
}

static error_sources sources_of(const pov_scene *scene, pov_id viewer, pov_id target, pov_id occluder)
{
    error_sources sources = {0};
    set_source(&sources, EYE, &scene->entities[viewer].position);
    set_source(&sources, TARGET, &scene->entities[target].position);
    if (occluder != POV_ID_NONE)
        set_source(&sources, OCCLUDER, &scene->entities[occluder].position);
    for (int k = 0; k < 6; k++)
        sources.per_camera_pose[CAMERA_POSE + k][k] = 1;
    const pov_entity *v = &scene->entities[viewer];
    if (viewer == scene->camera)
        for (int k = 0; k < 3; k++)
            sources.per_camera_pose[ROTATION + k][k] = 1;
    else if (pov_noise_has_gaze(scene, viewer))
        memcpy(sources.per_camera_pose[ROTATION + 2], v->heading_ties.per_camera_pose,
               sizeof v->heading_ties.per_camera_pose);
    return sources;
}

bool pov_noise_has_gaze(const pov_scene *scene, pov_id viewer)
{
    const pov_entity *v = &scene->entities[viewer];
    const pov_heading_mode *mode = pov_heading_heaviest(&v->heading);
    bool tied = false;
    for (int k = 0; k < 6; k++)
        tied |= v->heading_ties.per_camera_pose[k] != 0;
    for (int k = 0; k < 3; k++)
        tied |= v->heading_ties.with_position_m[k] != 0;
    return viewer == scene->camera || (tied && mode && mode->kappa >= POV_HEADING_TIED_KAPPA);
}

/* The error of a viewer's yaw that the camera does not cause, and its covariance with the viewer's place. */
static void add_gaze(double cov[ERRORS][ERRORS], const pov_scene *scene, pov_id viewer)
{
    const double *with_m = scene->entities[viewer].heading_ties.with_position_m;
    if (viewer == scene->camera || !pov_noise_has_gaze(scene, viewer))
        return;
    cov[ROTATION + 2][ROTATION + 2] += pov_heading_own_variance(scene, viewer);
    for (int i = 0; i < 3; i++) {
        cov[ROTATION + 2][EYE + i] += with_m[i];
        cov[EYE + i][ROTATION + 2] += with_m[i];
    }
}

static void covariance_of(double cov[ERRORS][ERRORS], const pov_scene *scene, const error_sources *sources)
{
    pov_sandwich(&cov[0][0], &sources->per_camera_pose[0][0], &scene->camera_pose_cov[0][0], ERRORS, 6);
    for (int block = 0; block < ERRORS / 3; block++)
        for (int i = 0; i < 3 && sources->own[block]; i++)
            for (int j = 0; j < 3; j++)
                cov[3 * block + i][3 * block + j] += sources->own[block]->own_cov_m2[i][j];
}

/* ---- what matters ---- */

/* The sight line and two directions across it. */
typedef struct {
    pov_vec3 along, across[2];
    double distance_m, depth;
} sight_axes;

static sight_axes sight_axes_of(const pov_scene *scene, pov_id viewer, pov_id target, double depth)
{
    const pov_entity *v = &scene->entities[viewer];
    const pov_vec3 eye = pov_vec3_add(v->position.mean_m, pov_rot_apply(v->R_table_box, v->field.eye_m));
    const pov_vec3 d = pov_vec3_sub(scene->entities[target].position.mean_m, eye);
    sight_axes axes = {.distance_m = pov_vec3_norm(d), .depth = depth};
    axes.along = axes.distance_m > 0 ? pov_vec3_unit(d) : (pov_vec3){1, 0, 0};
    const pov_vec3 up = fabs(axes.along.z) < 0.9 ? (pov_vec3){0, 0, 1} : (pov_vec3){1, 0, 0};
    axes.across[0] = pov_vec3_unit(pov_vec3_cross(up, axes.along));
    axes.across[1] = pov_vec3_cross(axes.along, axes.across[0]);
    return axes;
}

static void add_row(double row[ERRORS], int at, pov_vec3 direction, double factor)
{
    row[at] += factor * direction.x;
    row[at + 1] += factor * direction.y;
    row[at + 2] += factor * direction.z;
}

/* The sight line's shift against the occluder, in one direction. */
static void shift_row(double row[ERRORS], const sight_axes *axes, pov_vec3 direction)
{
    add_row(row, EYE, direction, 1 - axes->depth);
    add_row(row, TARGET, direction, axes->depth);
    add_row(row, OCCLUDER, direction, -1);
}

/* The target's shift in the viewer's field, the gaze's rotation taken off: direction . (rotation x along) =
 * rotation . (along x direction). */
static void field_row(double row[ERRORS], const sight_axes *axes, pov_vec3 direction)
{
    add_row(row, TARGET, direction, 1);
    add_row(row, EYE, direction, -1);
    add_row(row, ROTATION, pov_vec3_cross(axes->along, direction), -axes->distance_m);
}

enum {
    SHIFT_ACROSS = 0,
    FIELD_ACROSS = 2,
    FIELD_ALONG = 4,
    SHIFT_ALONG = 5,
    TURN = 6,
    POSE = POV_NOISE_FACTORS,
    MAIN = POSE + 6
};

static void rows_of(double rows[POV_NOISE_ALL][ERRORS], const sight_axes *axes)
{
    for (int k = 0; k < 2; k++) {
        shift_row(rows[SHIFT_ACROSS + k], axes, axes->across[k]);
        field_row(rows[FIELD_ACROSS + k], axes, axes->across[k]);
    }
    field_row(rows[FIELD_ALONG], axes, axes->along);
    shift_row(rows[SHIFT_ALONG], axes, axes->along);
    for (int k = 0; k < 3; k++)
        rows[TURN + k][ROTATION + k] = rows[MAIN + k][OCCLUDER + k] = 1;
    for (int k = 0; k < 6; k++)
        rows[POSE + k][CAMERA_POSE + k] = 1;
}

static pov_vec3 combine(const sight_axes *axes, double across0, double across1, double along)
{
    return pov_vec3_add(
        pov_vec3_scale(axes->along, along),
        pov_vec3_add(pov_vec3_scale(axes->across[0], across0), pov_vec3_scale(axes->across[1], across1)));
}

/* Back from what matters to the errors relative to the occluder: with m = (1 - depth) eye + depth target and
 * g = target - eye, eye = m - depth g, target = m + (1 - depth) g. */
static void column_back(pov_noise *noise, double L[POV_NOISE_ALL][POV_NOISE_ALL], int j,
                        const sight_axes *axes)
{
    const pov_vec3 turn = {L[TURN][j], L[TURN + 1][j], L[TURN + 2][j]};
    const pov_vec3 m = combine(axes, L[SHIFT_ACROSS][j], L[SHIFT_ACROSS + 1][j], L[SHIFT_ALONG][j]);
    pov_vec3 g = combine(axes, L[FIELD_ACROSS][j], L[FIELD_ACROSS + 1][j], L[FIELD_ALONG][j]);
    g = pov_vec3_add(g, pov_vec3_scale(pov_vec3_cross(turn, axes->along), axes->distance_m));
    const pov_vec3 eye = pov_vec3_sub(m, pov_vec3_scale(g, axes->depth));
    const pov_vec3 target = pov_vec3_add(m, pov_vec3_scale(g, 1 - axes->depth));
    const double column[POV_NOISE_FACTORS] = {eye.x,    eye.y,  eye.z,  target.x, target.y,
                                              target.z, turn.x, turn.y, turn.z};
    for (int i = 0; i < POV_NOISE_FACTORS; i++)
        noise->factor[i][j] = column[i];
}

pov_noise pov_noise_of(const pov_scene *scene, pov_id viewer, pov_id target, pov_id occluder, double depth)
{
    double cov[ERRORS][ERRORS], rows[POV_NOISE_ALL][ERRORS] = {{0}};
    double what_matters[POV_NOISE_ALL][POV_NOISE_ALL], L[POV_NOISE_ALL][POV_NOISE_ALL];
    const error_sources sources = sources_of(scene, viewer, target, occluder);
    const sight_axes axes = sight_axes_of(scene, viewer, target, depth);
    covariance_of(cov, scene, &sources);
    add_gaze(cov, scene, viewer);
    rows_of(rows, &axes);
    pov_sandwich(&what_matters[0][0], &rows[0][0], &cov[0][0], POV_NOISE_ALL, ERRORS);
    pov_cholesky_semidefinite(&L[0][0], &what_matters[0][0], POV_NOISE_ALL);
    pov_noise noise = {.is_exact = true};
    for (int j = 0; j < POV_NOISE_FACTORS; j++) {
        column_back(&noise, L, j, &axes);
        noise.is_exact &= L[j][j] <= 1e-9;
    }
    for (int j = 0; j < POV_NOISE_ALL; j++)
        noise.has_column[j] = L[j][j] > 0;
    memcpy(noise.common, L[POV_NOISE_FACTORS], sizeof noise.common);
    return noise;
}

/* ---- nodes ---------------------------------------------------------------------------------------------------- */

/* The lattice's first component, which is van der Corput's sequence, without the fold: for one uncertain yaw alone,
 * nodes should be equally spaced. */
static double first_component(int index)
{
    double u = 0.5 / POV_NOISE_NODES;
    for (double part = 0.5; index > 0; index >>= 1, part /= 2)
        u += part * (index & 1);
    return u;
}

void pov_noise_points_fill(pov_noise_points *points)
{
    for (int index = 0; index < POV_NOISE_NODES; index++) {
        double point[DIMENSIONS];
        pov_lattice_point(point, DIMENSIONS, index);
        for (int j = 0; j < POV_NOISE_FACTORS; j++)
            points->normals[index][j] = pov_normal_quantile(point[1 + j]);
        for (int j = POV_NOISE_FACTORS; j < POV_NOISE_NORMALS; j++)
            points->normals[index][j] = pov_normal_quantile(point[LATER + j - POV_NOISE_FACTORS]);
        points->net_shift[index] = (pov_vec2){point[NET], point[NET + 1]};
        memcpy(points->body[index], point + BODY, sizeof points->body[index]);
    }
}

pov_noise_node pov_noise_node_of(const pov_noise *noise, const pov_noise_points *points,
                                 const pov_heading_quantile *heading, int index)
{
    double x[POV_NOISE_FACTORS] = {0};
    for (int j = 0; j < POV_NOISE_FACTORS; j++)
        for (int i = 0; i < POV_NOISE_FACTORS && noise->has_column[j]; i++)
            x[i] += noise->factor[i][j] * points->normals[index][j];
    pov_noise_node node = {.eye_shift_m = {x[0], x[1], x[2]},
                           .target_shift_m = {x[3], x[4], x[5]},
                           .rotation_rad = {x[6], x[7], x[8]},
                           .yaw_rad = heading ? pov_heading_quantile_at(heading, first_component(index)) : 0,
                           .net_shift = points->net_shift[index]};
    memcpy(node.body, points->body[index], sizeof node.body);
    return node;
}
