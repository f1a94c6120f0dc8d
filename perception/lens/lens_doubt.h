/** The effect of the calibration's uncertainty on a scene, and the judgments that abstain only for it. */
#pragma once

#include "perception/cast/cast.h"
#include "perception/lens/lens_spread.h"
#include "perception/relations/relation.h"

typedef struct pov_lens_doubt pov_lens_doubt;

/** Keeps a copy of what it is given. */
pov_lens_doubt *pov_lens_doubt_new(const pov_camera *camera, const pov_lens_covariance *covariance);
void pov_lens_doubt_destroy(pov_lens_doubt **doubt);

/** An image's detections and its station. */
typedef struct {
    const pov_cast *cast;
    const pov_ball_detector_config *balls;
    const pov_tag_map *map; /* the camera's pose is by these tags; NULL: it is given */
    const pov_findings *findings;
    const pov_pose *T_table_camera; /* that the scene was built with */
} pov_lens_view;

/** Builds the scene of an image again through each camera that may be the true one: the camera's pose by the same tags, tags'
 *  poses, balls' outlines. In: the scene as pov_cast_build_scene made it. */
void pov_lens_doubt_look(pov_lens_doubt *doubt, const pov_scene *scene, const pov_lens_view *view);
/** Entity i of the last look is renamed[i] now; POV_ID_NONE: it is gone. */
void pov_lens_doubt_rename(pov_lens_doubt *doubt, const pov_id renamed[POV_ENTITY_MAX]);

/** Widens the scene, and the camera's pose, by the calibration's uncertainty; keeps the scene as it was. */
void pov_lens_doubt_widen(pov_lens_doubt *doubt, pov_scene *scene, pov_pose *T_table_camera);
/** Says of judgments that abstain whether they would with an exact calibration. */
void pov_lens_doubt_explain(const pov_lens_doubt *doubt, pov_judgment *judgments, int len,
                            const pov_judging *judging);
