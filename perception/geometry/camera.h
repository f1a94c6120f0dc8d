/** Camera models: where a point in the camera frame falls in the image, and back.
 *  Pixels: (0, 0) is the centre of the top-left pixel. */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/status.h"

#include <stdint.h>

typedef enum {
    POV_LENS_BROWN_CONRADY, /* k1 k2 p1 p2 k3 [k4 k5 k6]: Brown 1971, rational as in OpenCV; zeros: pinhole */
    POV_LENS_EQUIDISTANT,   /* k1 k2 k3 k4: Kannala & Brandt 2006, as OpenCV's fisheye */
    POV_LENS_COUNT
} pov_lens;

enum { POV_DISTORTION_MAX = 8 };

/** Intrinsics. K = [fx 0 cx; 0 fy cy; 0 0 1]. Distortion in OpenCV's order for that lens; unused are 0. */
typedef struct {
    pov_lens lens;
    int width_px, height_px;
    double fx_px, fy_px, cx_px, cy_px;
    double distortion[POV_DISTORTION_MAX];
} pov_camera;

/** POV_ERROR naming the field if sizes or focal lengths are not positive, or anything is not finite. */
POV_MUST_USE pov_status pov_camera_check(const pov_camera *camera);

/** Projects a point of the camera frame. Out: pixel; jacobian d(pixel)/d(pos), 2x3 per metre, unless NULL.
 *  Returns POV_UNDEFINED, outputs NaN, for a point the lens cannot see (behind a pinhole, beyond the radius
 *  where its distortion folds back, at the eye itself). The pixel may lie outside the image. */
pov_code pov_camera_project(const pov_camera *camera, pov_vec2 *pixel, double jacobian[2][3],
                            pov_vec3 pos_camera);

/** The same for many points, faster than one by one; POV_UNDEFINED if the lens cannot see one of them. */
pov_code pov_camera_project_all(const pov_camera *camera, pov_vec2 *pixels, double (*jacobians)[2][3],
                                const pov_vec3 *pos_camera, int len);

/** Fast, of many points, without Jacobians. In: columns x, y, z of their positions. Out: NaN for points that the lens cannot
 *  see. */
void pov_camera_project_points(const pov_camera *camera, double *x_px, double *y_px,
                               double *const pos_camera[3], int len);

/** Unit direction in the camera frame that falls on a pixel (Newton on the distortion, 1e-10 rad).
 *  Out: jacobian d(direction)/d(pixel), 3x2 per px, unless NULL.
 *  Returns POV_UNDEFINED, outputs NaN, where the model has no inverse. */
pov_code pov_camera_unproject(const pov_camera *camera, pov_vec3 *direction, double jacobian[3][2],
                              pov_vec2 pixel);

/** 64-bit FNV-1a over model, size and parameters: names a calibration in messages and recordings. */
uint64_t pov_camera_hash(const pov_camera *camera);
