/** Shared by the solver's parts: a projected point with all its derivatives. */
#ifndef POV_CALIB_CAMERA_CAMERA_SOLVER_INTERNAL_H
#define POV_CALIB_CAMERA_CAMERA_SOLVER_INTERNAL_H

#include "calib/camera/camera_solver.h"

typedef struct {
    pov_vec2 pixel;
    double by_intrinsics[2][POV_CAMERA_PARAMETER_MAX];
    double by_pose[2][6]; /* error state of pov_pose: rotation, then position, both in the camera frame */
} pov_projection;

/** False for a point the lens cannot see. */
bool pov_projection_of(pov_projection *projection, const pov_camera *camera, int coefficient_len,
                       const pov_transform *T_camera_board, pov_vec3 board_m);

/** Sum of squared distances; infinite if a point cannot be seen. */
double pov_reprojection_cost(const pov_camera *camera, const pov_transform *T_camera_board,
                             const pov_point_view *view);

/** A start from scratch. In: fit's lens, size, coefficient_len. Out: the rest of fit->camera, T_camera_board.
 *  Method:  Brown-Conrady: cv::calibrateCamera. Equidistant: of focal lengths that see the image's width under 40 to 240
 *           degrees, that which fits best, since cv::fisheye::calibrate's own start fails on many wide lenses. */
POV_MUST_USE pov_status pov_camera_start(pov_camera_fit *fit, pov_transform *T_camera_board,
                                         const pov_point_view *views, int view_count);

#endif
