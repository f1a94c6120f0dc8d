/** Least squares of a camera's pose to the corners of mapped tags: what the estimators of poses and maps are made of. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/geometry/tag.h"

/** A tag as seen and as mapped. */
typedef struct {
    const pov_tag *tag;
    const pov_tag_map_entry *entry;
    bool used; /* in the fit */
} pov_tag_sighting;

enum { POV_TAG_ROWS = 8 };

/** Predicted corners of a tag: two rows for each corner. */
typedef struct {
    double residual_px[POV_TAG_ROWS];   /* seen minus predicted */
    double per_camera[POV_TAG_ROWS][6]; /* d(predicted) / d(error state of T_table_camera) */
    double per_tag[POV_TAG_ROWS][6];    /* d(predicted) / d(error state of T_table_tag) */
} pov_tag_prediction;

/** Returns false if the lens does not see a corner, or the tag is seen from behind. */
bool pov_tag_predict(pov_tag_prediction *out, const pov_camera *camera, pov_transform T_table_camera,
                     const pov_tag_sighting *sighting);

/** Bound of Huber's weight for a tag: the square root of the 99 % point of chi-square with 8 degrees of freedom. */
#define POV_TAG_HUBER_DISTANCE 4.48
/** Gate of a tag that fits: the 1 - 1e-4 point of the same. */
#define POV_TAG_DISTANCE2_MAX 31.83
/** Corners of an outlier are anywhere within this many pixels, each way; chosen. */
#define POV_TAG_STRAY_PX 200.0

/** Squared distance of two poses in the sum of their covariances; infinite if that is none. */
double pov_pose_distance2(const pov_pose *a, const pov_pose *b);

/** Distance of a tag's corners from their prediction by a camera pose, whitened by corner noise and the map's covariance. */
typedef struct {
    double distance2; /* chi-square of 8 when all is well; infinite if the tag cannot be seen from there */
    double log_determinant; /* of the 8x8 covariance */
    double squared_px2;     /* sum over the four corners */
} pov_tag_misfit;

/** The misfit, the covariance including the camera pose's own where `with_pose`: for tags that the pose does
 * not rest on. */
pov_tag_misfit pov_tag_misfit_of(const pov_camera *camera, const pov_tag_sighting *sighting,
                                 const pov_pose *T_table_camera, bool with_pose);

/** RMS distance of the corners from their prediction; NaN if the tag cannot be seen from there. */
double pov_tag_residual_px(const pov_camera *camera, const pov_tag_sighting *sighting,
                           pov_transform T_table_camera);

/** Levenberg-Marquardt with Huber's weights from T_table_camera->T over the used ones of at most POV_TAG_MAX
 *  sightings. Out: the pose and its covariance, in which
 *  the errors of tags on one panel are the same. Returns false, pose unchanged, if they determine none.
 *  No allocation; 128 KiB of stack. */
bool pov_tag_fit(pov_pose *T_table_camera, const pov_camera *camera, const pov_tag_sighting *sightings,
                 int len);
