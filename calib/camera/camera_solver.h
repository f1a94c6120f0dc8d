/** A camera's intrinsics from views of a board, with the covariance of every parameter, and how far off a projected point
 *  may be. */
#pragma once

#include "calib/boards/opencv_calib_shim.h"

enum { POV_CAMERA_PARAMETER_MAX = 4 + POV_DISTORTION_MAX, POV_BOARD_BEND_TERMS = 3 };

/** How a board differs from a plane: z = sag . (u^2, v^2, u v), where u and v are x and y about its middle over half its longer
 *  side; the same in all images (mrcal's "calobject-warp", Kogan 2021). All 0: flat. */
typedef struct {
    pov_vec2 middle_m;
    double half_m;
    double sag_m[POV_BOARD_BEND_TERMS];
} pov_board_bend;

/** Where a point of the flat board is on the bent one. */
pov_vec3 pov_board_bent(const pov_board_bend *bend, pov_vec3 board_m);

/** Parameters in this order: fx, fy, cx, cy, then the distortion's. */
typedef struct {
    pov_camera camera;
    int coefficient_len; /* of the distortion, in use: the others stay 0 */
    pov_board_bend bend;
    int point_len;
    double rms_px;   /* sqrt of the mean squared distance of points */
    double noise_px; /* standard deviation of one coordinate of a point, from the residuals */
    double covariance[POV_CAMERA_PARAMETER_MAX][POV_CAMERA_PARAMETER_MAX];
} pov_camera_fit;

double pov_camera_parameter(const pov_camera *camera, int i);
/** "fx", ..., "k1", ... as the lens calls them. */
const char *pov_camera_parameter_name(pov_lens lens, int i);

typedef struct pov_camera_solver pov_camera_solver;

pov_camera_solver *pov_camera_solver_new(int view_max);
void pov_camera_solver_destroy(pov_camera_solver **solver);

/** Calibrates from scratch. In: fit's lens, size and coefficient_len. Out: all of fit, the poses, and in the solver what
 *  pov_camera_solver_spread needs.
 *  Returns: POV_OK; POV_UNDEFINED if the views do not determine the parameters; POV_ERROR if OpenCV fails.
 *  Method:  from OpenCV's start, Levenberg-Marquardt on the reprojection error, poses eliminated by the Schur complement
 *           (Triggs et al. 2000, section 6.1); boards that fit better turned the other way are, and again. The board's
 *           bend is estimated too, with a prior of 0 +- 2 % of half its side. Covariance: from the residuals, and from
 *           the scatter of images (sandwich), since errors in one image are not independent. The rational model's k4, k5, k6 have a prior of 0 +- 0.3: alone,
 *           most lenses leave a valley of them that fit alike. No allocation of our own. */
POV_MUST_USE pov_status pov_camera_solver_run(pov_camera_solver *solver, pov_camera_fit *fit,
                                              pov_transform *T_camera_board, const pov_point_view *views,
                                              int view_count);

/** The same, from a camera and poses that already fit nearly. */
POV_MUST_USE pov_status pov_camera_solver_refine(pov_camera_solver *solver, pov_camera_fit *fit,
                                                 pov_transform *T_camera_board, const pov_point_view *views,
                                                 int view_count);

/** The error of the projection of a point that appears at `pixel`, distance_m from the camera, when the point is
 *  known relative to the boards' places: 2x2 covariance, px^2. A camera that turned a little and boards that turned with
 *  it fit as well; that is not an error (mrcal's "mean-pcam" uncertainty, Kogan 2021). Needs: the fit and poses of the last run.
 *  Returns POV_UNDEFINED, NaN, where the model sees nothing. */
pov_code pov_camera_solver_spread(const pov_camera_solver *solver, double covariance_px2[2][2],
                                  const pov_camera_fit *fit, const pov_transform *T_camera_board,
                                  pov_vec2 pixel, double distance_m);

/** A board's pose by a known camera and bend, and the RMS that remains.
 *  Returns: POV_OK; POV_UNDEFINED if the camera cannot have seen this. */
pov_code pov_camera_resect(pov_transform *T_camera_board, double *rms_px, const pov_camera_fit *fit,
                           const pov_point_view *view);
