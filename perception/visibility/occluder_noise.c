#include "perception/visibility/occluder_noise.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

static const double reach_deviations = 4;
static const double exact_m = 1e-9; /* as for viewer and target */

/* ---- which bodies could come in the way ---- */

/* The sight line, as far as bodies may come to it. */
typedef struct {
    pov_vec3 eye_m, sight_m;
    double swing_m;     /* of the eye, when its body turns */
    double target_m;    /* the target's radius */
    double variance_m2; /* of the sight line's ends against the main occluder */
} sight;

static double row_variance(const pov_noise *noise, int first)
{
    double ends[2] = {0, 0};
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < POV_NOISE_FACTORS; j++)
                ends[end] += noise->factor[first + 3 * end + i][j] * noise->factor[first + 3 * end + i][j];
    return fmax(ends[0], ends[1]);
}

static sight sight_of(const pov_looker *who, const pov_noise *noise, pov_vec3 eye_m)
{
    const pov_vec3 to_m = pov_vec3_sub(who->scene->entities[who->target].position.mean_m, eye_m);
    return (sight){.eye_m = eye_m,
                   .sight_m = to_m,
                   .swing_m = 2 * hypot(who->field.eye_m.x, who->field.eye_m.y),
                   .target_m = pov_body_reach_m(who, who->target),
                   .variance_m2 = row_variance(noise, 0)};
}

/* How far the body's surrounding ball is from the cone of sight lines to the target's. */
static double clearance(const pov_looker *who, const sight *line, pov_id id)
{
    const pov_vec3 d = pov_vec3_sub(who->scene->entities[id].position.mean_m, line->eye_m);
    const double square = pov_vec3_dot(line->sight_m, line->sight_m);
    const double along = square > 0 ? fmin(1, fmax(0, pov_vec3_dot(d, line->sight_m) / square)) : 0;
    const double off_m = pov_vec3_norm(pov_vec3_sub(d, pov_vec3_scale(line->sight_m, along)));
    return off_m - pov_body_reach_m(who, id) - along * line->target_m - line->swing_m;
}

static bool has_shared_error(const pov_scene *scene)
{
    bool any = false;
    for (int k = 0; k < 6; k++)
        any |= scene->camera_pose_cov[k][k] > 0;
    return any;
}

/* Of the body's place against the main occluder's, the sum over the axes. */
static double relative_variance(const pov_scene *scene, pov_id id, pov_id main, bool is_shared)
{
    const pov_position *a = &scene->entities[id].position, *b = &scene->entities[main].position;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double per_pose[6];
        sum += a->own_cov_m2[i][i] + b->own_cov_m2[i][i];
        for (int k = 0; k < 6; k++)
            per_pose[k] = a->per_camera_pose[i][k] - b->per_camera_pose[i][k];
        for (int k = 0; k < 6 && is_shared; k++)
            for (int l = 0; l < 6; l++)
                sum += per_pose[k] * scene->camera_pose_cov[k][l] * per_pose[l];
    }
    return sum;
}

static bool is_before(const pov_scene *scene, double gap_a, pov_id a, double gap_b, pov_id b)
{
    if (gap_a != gap_b)
        return gap_a < gap_b;
    return strcmp(scene->entities[a].name, scene->entities[b].name) < 0;
}

static void insert_body(pov_occluder_noise *others, double gaps_m[POV_ENTITY_MAX], const pov_scene *scene,
                        pov_id id, double gap_m)
{
    int at = others->len++;
    for (; at > 0 && is_before(scene, gap_m, id, gaps_m[at - 1], others->ids[at - 1]); at--) {
        gaps_m[at] = gaps_m[at - 1];
        others->ids[at] = others->ids[at - 1];
    }
    gaps_m[at] = gap_m;
    others->ids[at] = id;
}

/* The first normals move the body across the sight line, which matters most. */
static void factor_own(double own_m[3][3], const pov_position *position, pov_vec3 sight_m)
{
    const pov_vec3 along = pov_vec3_norm(sight_m) > 0 ? pov_vec3_unit(sight_m) : (pov_vec3){1, 0, 0};
    const pov_vec3 up = fabs(along.z) < 0.9 ? (pov_vec3){0, 0, 1} : (pov_vec3){1, 0, 0};
    const pov_vec3 aside = pov_vec3_unit(pov_vec3_cross(up, along)), above = pov_vec3_cross(along, aside);
    const double axes[3][3] = {
        {aside.x, aside.y, aside.z}, {above.x, above.y, above.z}, {along.x, along.y, along.z}};
    double cov_m2[3][3], L[3][3];
    pov_sandwich(&cov_m2[0][0], &axes[0][0], &position->own_cov_m2[0][0], 3, 3);
    pov_cholesky_semidefinite(&L[0][0], &cov_m2[0][0], 3);
    memset(own_m, 0, sizeof L);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                own_m[i][j] += axes[k][i] * L[k][j];
}

static int next_normal(int *at, const pov_noise *noise)
{
    while (*at < POV_NOISE_FACTORS && noise->has_column[*at])
        ++*at;
    return (*at)++;
}

static bool has_weight(double own_m[3][3], int column)
{
    return own_m[0][column] != 0 || own_m[1][column] != 0 || own_m[2][column] != 0;
}

static void choose_normals(pov_occluder_noise *others, const pov_noise *noise)
{
    int at = 0;
    for (int k = 0; k < others->len && k < POV_NOISE_OWN_MAX; k++)
        for (int l = 0; l < 3; l++)
            others->own_normal[k][l] = has_weight(others->own_m[k], l) || others->len > POV_NOISE_OWN_MAX
                                           ? next_normal(&at, noise)
                                           : 0;
    for (int j = 0; j < POV_NOISE_COMMON; j++)
        others->common_normal[j] = noise->has_column[POV_NOISE_FACTORS + j] ? next_normal(&at, noise) : 0;
}

void pov_occluder_noise_of(pov_occluder_noise *others, const pov_looker *who, const pov_noise *noise,
                           pov_id main, pov_vec3 eye_m)
{
    const pov_scene *scene = who->scene;
    const sight line = sight_of(who, noise, eye_m);
    double gaps_m[POV_ENTITY_MAX];
    others->len = 0;
    others->is_shared = has_shared_error(scene);
    if (main == POV_ID_NONE)
        return;
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *e = &scene->entities[id];
        if (pov_looker_ignores(who, id) || id == main || !pov_entity_has_body(e))
            continue;
        const double variance_m2 = relative_variance(scene, id, main, others->is_shared);
        const double gap_m = clearance(who, &line, id);
        if (variance_m2 > exact_m * exact_m &&
            gap_m < reach_deviations * sqrt(variance_m2 + line.variance_m2))
            insert_body(others, gaps_m, scene, id, gap_m);
    }
    for (int i = 0; i < others->len; i++)
        factor_own(others->own_m[i], &scene->entities[others->ids[i]].position, line.sight_m);
    choose_normals(others, noise);
}

/* ---- where they are ---- */

/* Another node in place of this one among each 32, of which the first make a lattice. */
static int other_node(int index, int turn)
{
    return index ^ (11 * turn & 31);
}

void pov_occluder_noise_shift(pov_vec3 shifts_m[POV_ENTITY_MAX], const pov_occluder_noise *others,
                              const pov_looker *who, const pov_noise *noise, int index)
{
    const pov_noise_points *points = pov_occlusion_noise_points(who->occlusion);
    double common[POV_NOISE_COMMON] = {0};
    for (int j = 0; j < POV_NOISE_ALL; j++) {
        const int normal = j < POV_NOISE_FACTORS ? j : others->common_normal[j - POV_NOISE_FACTORS];
        for (int i = 0; i < POV_NOISE_COMMON && noise->has_column[j]; i++)
            common[i] += noise->common[i][j] * points->normals[index][normal];
    }
    for (int k = 0; k < others->len; k++) {
        const pov_position *position = &who->scene->entities[others->ids[k]].position;
        const double *normals = points->normals[other_node(index, k / POV_NOISE_OWN_MAX)];
        const int *own = others->own_normal[k % POV_NOISE_OWN_MAX];
        double shift[3];
        for (int i = 0; i < 3; i++) {
            shift[i] = -common[6 + i];
            for (int l = 0; l < 6 && others->is_shared; l++)
                shift[i] += position->per_camera_pose[i][l] * common[l];
            for (int l = 0; l < 3; l++)
                shift[i] += others->own_m[k][i][l] * normals[own[l]];
        }
        shifts_m[others->ids[k]] = (pov_vec3){shift[0], shift[1], shift[2]};
    }
}
