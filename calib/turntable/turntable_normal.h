/** The turntable's normal equations: what its least squares works with, one step to the next. */
#ifndef POV_CALIB_TURNTABLE_TURNTABLE_NORMAL_H
#define POV_CALIB_TURNTABLE_TURNTABLE_NORMAL_H

#include "calib/turntable/turntable_solver_internal.h"

/** Unknowns of all views: the disc's lean and place across its axis, then six for each tag that is not known exactly. */
enum { POV_TURN_N_MAX = POV_TURN_DISC + 6 * POV_TURN_TAG_MAX };

/** One view's share: its own unknowns (camera, angle) by themselves and by all others. */
typedef struct {
    double own[POV_TURN_OWN * POV_TURN_OWN], gradient[POV_TURN_OWN], factor[POV_TURN_OWN * POV_TURN_OWN];
    int active_len;
    int active[POV_TURN_N_MAX]; /* unknowns of all that the view has to do with */
    double (*cross)[POV_TURN_OWN], (*cross_solved)[POV_TURN_OWN];
} pov_turn_block;

struct pov_turntable_solver {
    int n, own;                  /* unknowns of all views; of a view: seven, or the angle only */
    int first[POV_TURN_TAG_MAX]; /* a tag's first unknown; -1: it is known */
    double *A, *S, *inverse;     /* n x n */
    double gradient[POV_TURN_N_MAX], step[POV_TURN_N_MAX], gauge[POV_TURN_N_MAX];
    double prior[POV_TURN_TAG_MAX][36]; /* information of fixed tags' places */
    pov_turn_block *blocks;
    double (*cross)[POV_TURN_OWN]; /* of all blocks */
    pov_transform *trial_camera;
    double *trial_angle;
};

/** Numbers the unknowns, and keeps what the fixed tags' map knows of their places. False if that is no covariance. */
bool pov_turn_number(pov_turntable_solver *solver, pov_turn_problem *problem);

/** The sum that is made least. */
double pov_turn_cost(const pov_turntable_solver *solver, const pov_turn_problem *problem);

/** The normal equations about where the problem is. */
void pov_turn_build(pov_turntable_solver *solver, const pov_turn_problem *problem);

/** S: the Schur complement, damped, the free turn held, as its Cholesky factor. `right`: in, the gradient; out, less what the
 *  views' own unknowns take of it. False if the equations are singular. */
bool pov_turn_reduce(pov_turntable_solver *solver, const pov_turn_problem *problem, double *right,
                     double damping);

/** The covariances, at the end, of all that the problem has. False if the views do not determine it. */
bool pov_turn_spread(pov_turntable_solver *solver, pov_turn_problem *problem);

#endif
