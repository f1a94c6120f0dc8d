/** Estimates a turning disc's axis, the poses of the tags on it, and its angle in each image: one least squares over
 *  all corners. */
#pragma once

#include "perception/cast/disc.h"

enum { POV_TURN_VIEW_MAX = 400, POV_TURN_TAG_MAX = 96, POV_TURN_SIGHTING_MAX = 128 };

/** A tag on the disc, or one fixed to the table. */
typedef struct {
    bool on_disc;
    pov_tag_family family;
    int id;
    double edge_m;
    pov_transform T;   /* T_disc_tag or T_table_tag */
    double cov[6][6];  /* of T; in: of a tag fixed to the table, zero: known exactly. Out: of all */
    pov_transform was; /* where a fixed tag is by its map */
} pov_turn_tag;

typedef struct {
    int tag; /* index into the problem's tags */
    pov_tag seen;
    bool used;
    double distance2; /* of its corners from where they should be, in their own covariance; chi-square of 8 */
} pov_turn_sighting;

/** One image. */
typedef struct {
    pov_transform T_table_camera;
    double angle_rad, angle_std_rad;
    int len;
    pov_turn_sighting sightings[POV_TURN_SIGHTING_MAX];
} pov_turn_view;

/** In: a start that fits nearly. Out: what fits best. The disc's angles are free but for a turn of all: they are held where
 *  the tags on the disc do not turn in the mean, and their deviations are those about that. */
typedef struct {
    const pov_camera *camera;
    bool camera_fixed; /* each view's camera is where it is said to be */
    pov_pose T_table_disc;
    int tag_len, view_len;
    pov_turn_tag tags[POV_TURN_TAG_MAX];
    pov_turn_view *views; /* borrowed */
    double
        noise; /* out: of the corners, as a multiple of their stated deviation; the covariances include it */
} pov_turn_problem;

/** Squared distance of a sighting's corners from the predicted ones, in units of their stated deviation; infinite if
 *  they cannot be seen so. */
double pov_turn_distance2(const pov_turn_problem *problem, const pov_turn_view *view,
                          const pov_turn_sighting *sighting);

typedef struct pov_turntable_solver pov_turntable_solver;

pov_turntable_solver *pov_turntable_solver_new(void);
void pov_turntable_solver_destroy(pov_turntable_solver **solver);

/** Returns: POV_OK; POV_UNDEFINED if the views do not determine the disc.
 *  Method:  Levenberg-Marquardt with Huber's weights on tags; each view's camera and angle eliminated by the Schur complement
 *           (Triggs et al. 2000, section 6.1); covariance by the inverse of the normal matrix with the free turn held
 *           (their section 9.2), times the residuals' variance, and more where images scatter more than independent corners would. No allocation. */
POV_MUST_USE pov_status pov_turntable_solver_run(pov_turntable_solver *solver, pov_turn_problem *problem);
