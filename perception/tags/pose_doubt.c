#include "perception/tags/pose_doubt.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

enum {
    IMAGES_MIN = 10, /* chosen: a third of a second of video */
    MEMORY = 300     /* images that the mean remembers; chosen: ten seconds */
};
static const double chi2_max = 22.46; /* of 6 degrees of freedom: 0.1 % */

/* The covariance of an error state of the table, in the camera's axes. */
static void turn_covariance(double turned[6][6], const pov_pose *pose, const pov_rot *R_table_camera)
{
    double J[6][6] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[i][j] = J[3 + i][3 + j] = R_table_camera->m[j][i];
    pov_sandwich(turned[0], J[0], pose->cov[0], 6, 6);
}

void pov_pose_doubt_look(pov_pose_doubt *doubt, const pov_pose *by_tags, const pov_pose *told)
{
    double cov[6][6];
    const pov_transform off = pov_transform_mul(pov_transform_inverse(told->T), by_tags->T);
    const pov_vec3 turn = pov_rot_log(off.R);
    const double seen[6] = {turn.x, turn.y, turn.z, off.t_m.x, off.t_m.y, off.t_m.z};
    doubt->images++;
    const double share = 1.0 / (doubt->images < MEMORY ? doubt->images : MEMORY);
    for (int i = 0; i < 6; i++)
        doubt->mean[i] += share * (seen[i] - doubt->mean[i]);
    for (int of_tags = 0; of_tags < 2; of_tags++) {
        double(*mean)[6] = of_tags ? doubt->tags_cov : doubt->told_cov;
        turn_covariance(cov, of_tags ? by_tags : told, &told->T.R);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                mean[i][j] += share * (cov[i][j] - mean[i][j]);
    }
}

pov_pose_offset pov_pose_doubt_verdict(const pov_pose_doubt *doubt)
{
    const double *off = doubt->mean;
    double sum[36], information[36], chi2 = 0;
    pov_pose_offset verdict = {.is_known = doubt->images >= IMAGES_MIN,
                               .position_m = hypot(hypot(off[3], off[4]), off[5]),
                               .rotation_rad = hypot(hypot(off[0], off[1]), off[2])};
    for (int i = 0; i < 36; i++)
        sum[i] = doubt->tags_cov[i / 6][i % 6] + doubt->told_cov[i / 6][i % 6];
    verdict.is_known &= pov_symmetric_inverse(information, sum, 6);
    for (int i = 0; i < 36; i++)
        chi2 += information[i] * off[i / 6] * off[i % 6];
    verdict.exceeds_stated = verdict.disagrees = verdict.is_known && chi2 > chi2_max;
    return verdict;
}
