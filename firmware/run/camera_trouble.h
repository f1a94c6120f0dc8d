/** The trouble of one of several cameras, in words and in the messages of health. */
#pragma once

#include "perception/cast/scene_fusion.h"
#include "perception/observation/observation.h"
#include "perception/tags/pose_doubt.h"

/** Describes how the other cameras contradict one: "moved: 31 mm, 2.1 degrees ...". False: they agree. other: the id of report's `other`. */
bool pov_camera_trouble_text(char text[POV_TROUBLE_CAPACITY], const pov_fusion_report *report,
                             const char *other);

/** Of a camera whose given pose the tags contradict. */
void pov_camera_given_text(char text[POV_TROUBLE_CAPACITY], const pov_pose_offset *off);
/** Of one whose given pose is not used before a tag has confirmed it. */
extern const char *const pov_camera_unwitnessed;
