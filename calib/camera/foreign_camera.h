/** Cameras in other programs' files: Kalibr's camchain, mrcal's cameramodel, PhotonVision's JSON, ROS's CameraInfo message. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "perception/geometry/camera.h"

/** Returns: false, if the file is none of these. Else out: camera, unless there is a complaint, which names the format. Keys that
 *  do not concern the lens are passed over. */
bool pov_foreign_camera_read(pov_camera *camera, pov_yaml_node root);
