/** The uncertainty of a camera's intrinsics, and its effect on positions. */
#pragma once

#include "perception/balls/ball_detector.h"
#include "perception/scene/scene.h"

enum { POV_LENS_PARAMETER_MAX = 4 + POV_DISTORTION_MAX };

/** Covariance of fx, fy, cx, cy and the first of the distortion's coefficients, in units of the parameters. */
typedef struct {
    int len; /* 0: not known */
    double cov[POV_LENS_PARAMETER_MAX][POV_LENS_PARAMETER_MAX];
} pov_lens_covariance;

/** Cameras that differ by one standard deviation along each principal direction of the covariance: independent errors whose
 *  squares add up. */
typedef struct {
    int len;
    pov_camera cameras[POV_LENS_PARAMETER_MAX];
} pov_lens_spread;

/** Directions that move no pixel of the image by a hundredth are left out. */
void pov_lens_spread_make(pov_lens_spread *spread, const pov_camera *camera,
                          const pov_lens_covariance *covariance);

/** A ball as another camera would place it that sees the same outline. In: its radius; T_table_camera by that camera and the
 *  height of its centre, or NULL where either is unknown. */
void pov_lens_reseat_ball(pov_ball *ball, const pov_camera *from, const pov_camera *to, double radius_m,
                          const pov_transform *T_table_camera, double height_m);

/** Sums over the scenes by such cameras. Start from {0}. */
typedef struct {
    int len;
    double camera[6][POV_LENS_PARAMETER_MAX];
    double position_m[POV_ENTITY_MAX][3][POV_LENS_PARAMETER_MAX];
    double heading_rad[POV_ENTITY_MAX][POV_LENS_PARAMETER_MAX];
} pov_lens_effect;

/** In: the scene and camera pose by one of them, and by the camera itself; the same entities in the same order. */
void pov_lens_effect_add(pov_lens_effect *effect, const pov_scene *scene, pov_transform T_table_camera,
                         const pov_scene *other_scene, pov_transform other_T_table_camera);

/** Widens a scene's covariances, and its camera's, by what was gathered.
 *  Method:  a position stays tied to the camera pose's error as far as both follow from the same intrinsics (its regression
 *           on that error, in place of the derivative); what is left becomes its own. The marginal covariances, and those with
 *           the camera, are exact; what two things share beyond the camera's pose counts as independent. */
void pov_lens_effect_apply(const pov_lens_effect *effect, pov_scene *scene, pov_pose *T_table_camera);
