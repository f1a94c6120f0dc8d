/** Least squares in which views meet only through unknowns that they share: each view's own unknowns, its pose and perhaps more, are
 *  eliminated from the normal equations by the Schur complement (Triggs et al. 2000, section 6.1). */
#pragma once

#include <stdbool.h>

enum { POV_POSE_BLOCK_MAX = 7 };

/** One view's share of the normal equations: `size` unknowns of its own. */
typedef struct {
    int size;
    double own[POV_POSE_BLOCK_MAX * POV_POSE_BLOCK_MAX], gradient[POV_POSE_BLOCK_MAX]; /* own: size x size */
    double factor[POV_POSE_BLOCK_MAX * POV_POSE_BLOCK_MAX]; /* Cholesky of `own`, damped */
    int len;                                                /* how many shared unknowns bear on this view */
    const int *unknown;                                     /* which */
    double *cross,
        *cross_solved; /* len x size: those unknowns by the own ones; the same times the inverse of `own` */
} pov_pose_block;

/** Takes the view out of the shared equations S x = right of n unknowns. Returns false if it is not determined.
 *  Out: factor, cross_solved. */
bool pov_pose_block_eliminate(pov_pose_block *block, double *S, double *right, int n, double damping);

/** How hard a view pulls at the result, in units of its covariance: g^T S^-1 g, where g is the view's share of the gradient, its own
 *  unknowns eliminated. Were all residuals independent, of deviation 1, the sum over views would be about the number of
 *  unknowns: that over this is by how much the variances are larger (Liang & Zeger 1986, as one number).
 *  In: pull: the view's gradient of the shared unknowns in block->unknown; L: Cholesky factor of S; scratch: n numbers. */
double pov_pose_block_pull(const pov_pose_block *block, double *scratch, const double *pull, const double *L,
                           int n);

/** The view's own step, given that of all shared unknowns. Needs: eliminated. */
void pov_pose_block_step(double *step, const pov_pose_block *block, const double *shared_step);
