#include "perception/relations/containment.h"

#include <math.h>

static bool is_exact(const pov_scene *scene, const pov_position *a, const pov_position *b)
{
    double variance = 0;
    for (int i = 0; i < 3; i++)
        variance += a->own_cov_m2[i][i] + b->own_cov_m2[i][i];
    for (int k = 0; k < 6; k++)
        variance += scene->camera_pose_cov[k][k];
    return variance == 0;
}

/* Variance along `dir` of the difference of two positions. */
static double variance_along(const pov_scene *scene, const pov_position *a, const pov_position *b,
                             pov_vec3 dir)
{
    const double d[3] = {dir.x, dir.y, dir.z};
    double J[6] = {0}, variance = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            variance += d[i] * (a->own_cov_m2[i][j] + b->own_cov_m2[i][j]) * d[j];
        for (int k = 0; k < 6; k++)
            J[k] += d[i] * (a->per_camera_pose[i][k] - b->per_camera_pose[i][k]);
    }
    for (int k = 0; k < 6; k++)
        for (int l = 0; l < 6; l++)
            variance += J[k] * scene->camera_pose_cov[k][l] * J[l];
    return variance;
}

static double within(double mean, double half, double variance)
{
    if (variance <= 0)
        return fabs(mean) < half;
    double scale = 1 / sqrt(2 * variance);
    return 0.5 * (erf((half - mean) * scale) + erf((half + mean) * scale));
}

double pov_containment_probability(const pov_scene *scene, pov_id referent, pov_id relatum)
{
    const pov_entity *box = &scene->entities[relatum];
    const pov_position *a = &scene->entities[referent].position, *b = &box->position;
    const double size_m[3] = {box->size_m.x, box->size_m.y, box->size_m.z};
    const pov_vec3 d = pov_vec3_sub(a->mean_m, b->mean_m);
    const bool exact = is_exact(scene, a, b);
    double p = 1;
    if (!(size_m[0] > 0 && size_m[1] > 0 && size_m[2] > 0))
        return 0;
    for (int axis = 0; axis < 3 && p > 0; axis++) {
        const double(*m)[3] = box->R_table_box.m;
        const pov_vec3 dir = {m[0][axis], m[1][axis], m[2][axis]};
        p *= within(pov_vec3_dot(d, dir), size_m[axis] / 2, exact ? 0 : variance_along(scene, a, b, dir));
    }
    return fmin(1, fmax(0, p));
}
