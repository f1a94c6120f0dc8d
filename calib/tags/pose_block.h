/** Least squares in which poses meet only through unknowns that they share: each pose is eliminated from the normal
 *  equations by the Schur complement (Triggs et al. 2000, section 6.1). */
#ifndef POV_CALIB_TAGS_POSE_BLOCK_H
#define POV_CALIB_TAGS_POSE_BLOCK_H

#include <stdbool.h>

/** One pose's share of the normal equations. */
typedef struct {
    double pose[36], gradient[6];
    double factor[36];  /* Cholesky of `pose`, damped */
    int len;            /* how many shared unknowns bear on this pose */
    const int *unknown; /* which */
    double *cross,
        *cross_solved; /* len x 6: those unknowns by the pose; the same times the inverse of `pose` */
} pov_pose_block;

/** Takes the pose out of the shared equations S x = right of n unknowns. Returns false if the pose is not determined.
 *  Out: factor, cross_solved. */
bool pov_pose_block_eliminate(pov_pose_block *block, double *S, double *right, int n, double damping);

/** The pose's step, given that of all shared unknowns. Needs: eliminated. */
void pov_pose_block_step(double step[6], const pov_pose_block *block, const double *shared_step);

#endif
