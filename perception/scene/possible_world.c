#include "perception/scene/possible_world.h"

#include "perception/geometry/linalg.h"
#include "perception/geometry/random.h"

#include <math.h>
#include <stdint.h>

/* Depends on nothing but its arguments. */
static double uniform(int pair, pov_id id, int axis)
{
    uint64_t key = pov_random_mix((uint64_t)pair * POV_RANDOM_STEP +
                                  pov_random_mix((uint64_t)(id + 2) * 64 + (uint64_t)axis + 1));
    return ((double)(key >> 11) + 0.5) * 0x1p-53;
}

/* Box & Muller 1958; the mirrored world takes the negative. */
static double normal(int index, pov_id id, int axis)
{
    double radius = sqrt(-2 * log(uniform(index / 2, id, 2 * axis)));
    double value = radius * cos(2 * POV_PI * uniform(index / 2, id, 2 * axis + 1));
    return index % 2 ? -value : value;
}

enum { SHARED = POV_ID_NONE, HEADING_AXIS = 20, MODE_AXIS = 25 };

static bool is_exact(const double *cov, int n)
{
    for (int i = 0; i < n; i++)
        if (cov[i * n + i] > 0)
            return false;
    return true;
}

static bool is_sure(const pov_heading *heading)
{
    return heading->len == 0 || (heading->len == 1 && heading->mode[0].kappa >= 1e10);
}

int pov_world_count(const pov_scene *scene, const pov_id *ids, int len)
{
    bool exact = is_exact(&scene->camera_pose_cov[0][0], 6);
    for (int i = 0; i < len && exact; i++) {
        const pov_entity *entity = &scene->entities[ids[i]];
        exact = is_exact(&entity->position.own_cov_m2[0][0], 3) && is_sure(&entity->heading);
    }
    return exact ? 1 : POV_WORLDS;
}

/* A sample of a Gaussian by its covariance's eigenvectors, which semi-definite ones have too. */
static void sample_gaussian(double *error, const double *cov, int n, int index, pov_id id)
{
    double values[6], vectors[36];
    for (int i = 0; i < n; i++)
        error[i] = 0;
    if (is_exact(cov, n))
        return;
    pov_symmetric_eigen(values, vectors, cov, n);
    for (int k = 0; k < n; k++) {
        double along = sqrt(fmax(0, values[k])) * normal(index, id, k);
        for (int i = 0; i < n; i++)
            error[i] += vectors[i * n + k] * along;
    }
}

/* I1(kappa) / I0(kappa) within 0.02: an interpolation, and the series for large kappa (Mardia & Jupp 2000, A.13). */
static double mean_resultant(double kappa)
{
    if (kappa < 1.5)
        return kappa / (0.5 + sqrt(kappa * kappa + 2));
    return 1 - 1 / (2 * kappa) - 1 / (8 * kappa * kappa) - 1 / (8 * kappa * kappa * kappa);
}

/* The von Mises by its wrapped normal of equal spread, which differs by less than the sampling; flat where kappa is 0. */
static double sample_yaw(const pov_heading *heading, int index, pov_id id)
{
    double choice = uniform(index / 2, id, MODE_AXIS);
    int mode = 0;
    for (; mode + 1 < heading->len && choice >= heading->mode[mode].weight; mode++)
        choice -= heading->mode[mode].weight;
    double kappa = heading->mode[mode].kappa;
    if (kappa < 0.05)
        return heading->mode[mode].yaw_rad + 2 * POV_PI * uniform(index, id, MODE_AXIS + 1);
    double resultant = mean_resultant(kappa);
    double std_rad = isinf(kappa) ? 0 : sqrt(-2 * log(resultant));
    return heading->mode[mode].yaw_rad + std_rad * normal(index, id, HEADING_AXIS / 2);
}

static void sample_entity(pov_world *world, int at, const pov_scene *scene, const double camera_error[6],
                          int index)
{
    pov_id id = world->id[at];
    const pov_entity *entity = &scene->entities[id];
    double own[3], moved[3];
    sample_gaussian(own, &entity->position.own_cov_m2[0][0], 3, index, id);
    for (int i = 0; i < 3; i++) {
        moved[i] = own[i];
        for (int k = 0; k < 6; k++)
            moved[i] += entity->position.per_camera_pose[i][k] * camera_error[k];
    }
    pov_box *box = &world->box[at];
    box->centre_m = pov_vec3_add(entity->position.mean_m, (pov_vec3){moved[0], moved[1], moved[2]});
    box->half_m = pov_vec3_scale(entity->size_m, 0.5);
    box->R_table_box = entity->R_table_box;
    world->yaw_rad[at] = NAN;
    if (entity->heading.len == 0)
        return;
    const pov_heading own_heading = pov_heading_apart_from_camera(scene, id);
    world->yaw_rad[at] = sample_yaw(&own_heading, index, id);
    for (int k = 0; k < 6; k++)
        world->yaw_rad[at] += entity->heading_ties.per_camera_pose[k] * camera_error[k];
    double turn = world->yaw_rad[at] - pov_heading_heaviest(&entity->heading)->yaw_rad;
    box->R_table_box = pov_rot_mul(pov_rot_yaw(turn), entity->R_table_box);
}

void pov_world_sample(pov_world *world, const pov_scene *scene, const pov_id *ids, int len, int index)
{
    double camera_error[6];
    POV_REQUIRE(len <= POV_ENTITY_MAX);
    sample_gaussian(camera_error, &scene->camera_pose_cov[0][0], 6, index, SHARED);
    world->len = len;
    for (int i = 0; i < len; i++) {
        POV_REQUIRE(scene->entities[ids[i]].placed);
        world->id[i] = ids[i];
        sample_entity(world, i, scene, camera_error, index);
    }
}
