/** Whether tags that contradict one another are noisier than their edges say, or one of them is elsewhere. Pure. */
#pragma once

#include "perception/tags/tag_pose.h"

/** If mapped tags were rejected, or the used ones are farther off than chance allows, tries corner errors of 0.15 to 2.4 px
 *  besides (another lens than the calibrated one, a map known less well than said), and takes the likeliest.
 *  One far-off tag of many stays a stray; three tags that each miss by a pixel are noisy.
 *  Returns: whether it did. In/out: pose, which pov_camera_pose_estimate gave or failed to; tags: corner_std_px of the mapped ones.
 *  Method:  likelihoods over all poses (Laplace): Gaussian corners, strays anywhere within 200 px.
 *           No allocation; 36 KiB of stack. */
bool pov_camera_pose_reconcile(pov_camera_pose *pose, pov_tags *tags, const pov_camera *camera,
                               const pov_tag_map *map);

/** Evidence for the accuracy of a map that calls its tags exact: the sum over views, for each pair of deviations. Images of a camera that
 *  stands still have the same errors of print, lens and sampling: together they count as one view. */
enum { POV_MAP_DOUBT_POSITIONS = 10, POV_MAP_DOUBT_ROTATIONS = 8, POV_MAP_DOUBT_LOOKS = 5 };
typedef struct {
    int fits;  /* images whose corners fit */
    int looks; /* images whose corners do not; after POV_MAP_DOUBT_LOOKS no more are asked */
    double gain[POV_MAP_DOUBT_POSITIONS][POV_MAP_DOUBT_ROTATIONS]; /* in log likelihood */
    int view_looks;                                                /* of `looks`, those of the newest view */
    pov_transform T_view;                                          /* its camera in the table frame */
    double view_gain[POV_MAP_DOUBT_POSITIONS][POV_MAP_DOUBT_ROTATIONS]; /* its mean */
} pov_map_doubt;

/** Deviations of every tag in the map, each coordinate's and each angle's. */
typedef struct {
    double position_std_m, rotation_std_rad;
} pov_map_spread;

/** Looks at one image's tags, as they were detected. estimated: what pov_camera_pose_estimate said of them; NULL: it is asked. Images that fit the map, or show fewer than two of its exact tags, say nothing.
 *  Method: the likelihood of the corners (as in pov_camera_pose_reconcile) with tags 0.5 to 128 mm and 0.1 to 6.4 degrees off, over
 *          that of an exact map with noisier corners or strays. No allocation; 140 KiB of stack; some 80 ms where corners do not fit. */
void pov_map_doubt_look(pov_map_doubt *doubt, const pov_camera *camera, const pov_tags *tags,
                        const pov_tag_map *map, const pov_camera_pose *estimated);

/** Returns: whether the map is not exact. Out: spread: the deviations that explain the corners best, to a factor of some 1.5. */
bool pov_map_doubt_verdict(pov_map_spread *spread, const pov_map_doubt *doubt);
