/* Vectors between entities, and what their errors share. */
#include "perception/relations/predicates/containment.h"
#include "perception/relations/relation_internal.h"

#include <math.h>

static bool camera_is_sure(const pov_scene *scene)
{
    double variance = 0;
    for (int k = 0; k < 6; k++)
        variance += scene->camera_pose_cov[k][k];
    return variance == 0;
}

static void find_difference(pov_difference *d, const pov_scene *scene, pov_id to, pov_id from)
{
    const pov_position *a = &scene->entities[to].position, *b = &scene->entities[from].position;
    d->mean_m = (pov_vec2){a->mean_m.x - b->mean_m.x, a->mean_m.y - b->mean_m.y};
    d->camera_is_sure = camera_is_sure(scene);
    for (int i = 0; i < 2 && !d->camera_is_sure; i++) {
        for (int k = 0; k < 6; k++)
            d->J[i][k] = a->per_camera_pose[i][k] - b->per_camera_pose[i][k];
        for (int k = 0; k < 6; k++) {
            d->JC[i][k] = 0;
            for (int l = 0; l < 6; l++)
                d->JC[i][k] += d->J[i][l] * scene->camera_pose_cov[l][k];
        }
    }
}

/* Adds `sign` times an entity's own covariance to a block of the joint one. */
static void add_own(pov_sight *sight, int row, int column, const pov_scene *scene, pov_id id, int sign)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            sight->cov_m2[row + i][column + j] += sign * scene->entities[id].position.own_cov_m2[i][j];
}

static void add_shared(pov_sight *sight, int row, int column, const pov_difference *a,
                       const pov_difference *b)
{
    for (int i = 0; i < 2 && !a->camera_is_sure; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 6; k++)
                sight->cov_m2[row + i][column + j] += a->JC[i][k] * b->J[j][k];
}

/* The block at `row` and the vector it belongs to: closer than their noise, nothing can be said of the direction. */
static bool are_coincident(const pov_sight *sight, pov_vec2 difference_m, int row)
{
    double xx = sight->cov_m2[row][row], xy = sight->cov_m2[row][row + 1],
           yy = sight->cov_m2[row + 1][row + 1];
    double largest = 0.5 * (xx + yy + sqrt((xx - yy) * (xx - yy) + 4 * xy * xy));
    return difference_m.x * difference_m.x + difference_m.y * difference_m.y <= fmax(1e-18, largest);
}

void pov_pair_find(pov_pair *pair, const pov_scene *scene, pov_id referent, pov_id relatum)
{
    const pov_entity *e = scene->entities;
    pair->scene = scene;
    pair->referent = referent;
    pair->relatum = relatum;
    pair->containment = POV_EXTERNAL;
    pair->p_internal = NAN;
    pair->p_carried = 0;
    pair->has_direction = e[referent].placed && e[relatum].placed && referent != relatum;
    if (!pair->has_direction)
        return;
    pair->p_internal = pov_containment_probability(scene, referent, relatum);
    pair->containment = pair->p_internal > 0.5 ? POV_INTERNAL : POV_EXTERNAL;
    pair->p_carried = pov_carried_probability(scene, referent, relatum);
    find_difference(&pair->v, scene, referent, relatum);
    pair->v_rad = atan2(pair->v.mean_m.y, pair->v.mean_m.x);
    pair->sight = (pov_sight){.v_m = pair->v.mean_m};
    add_own(&pair->sight, 2, 2, scene, referent, 1);
    add_own(&pair->sight, 2, 2, scene, relatum, 1);
    add_shared(&pair->sight, 2, 2, &pair->v, &pair->v);
    pair->is_exact = pair->sight.cov_m2[2][2] + pair->sight.cov_m2[3][3] == 0;
    pair->has_direction = !are_coincident(&pair->sight, pair->v.mean_m, 2);
}

bool pov_sight_line(pov_sight *sight, pov_difference *line, const pov_scene *scene, pov_id relatum,
                    pov_id viewer)
{
    find_difference(line, scene, relatum, viewer);
    sight->axis_m = line->mean_m;
    add_own(sight, 0, 0, scene, relatum, 1);
    add_own(sight, 0, 0, scene, viewer, 1);
    add_shared(sight, 0, 0, line, line);
    return !are_coincident(sight, line->mean_m, 0);
}

void pov_pair_look_from(pov_sight *sight, const pov_pair *pair, pov_id viewer)
{
    pov_difference line;
    *sight = pair->sight;
    (void)pov_sight_line(sight, &line, pair->scene, pair->relatum, viewer);
    add_own(sight, 0, 2, pair->scene, pair->relatum, -1);
    if (viewer == pair->referent)
        add_own(sight, 0, 2, pair->scene, viewer, -1);
    add_shared(sight, 0, 2, &line, &pair->v);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            sight->cov_m2[2 + j][i] = sight->cov_m2[i][2 + j];
}
