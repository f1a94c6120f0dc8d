/** A camera that is a topic of ROS 2: sensor_msgs/Image, or CompressedImage under a name that ends in "/compressed" (docs/ROS2.md). */
#pragma once

#include "firmware/ros2/ros2_settings.h"
#include "perception/geometry/camera.h"
#include "perception/image/image_source.h"

typedef struct {
    char image[POV_ROS2_NAME_CAPACITY];       /* full names: "/camera/color/image_raw" */
    char camera_info[POV_ROS2_NAME_CAPACITY]; /* "": the camera's lens is from a file */
    bool is_reliable; /* lost images are asked for again; only of a driver that offers it */
    bool lacks_lens;  /* the lens is from camera_info, and has not been asked for yet */
    pov_ros2_settings settings;
} pov_ros2_source_config;

/** Keys of `camera.ros2`. */
void pov_ros2_source_read(pov_ros2_source_config *config, pov_yaml_node node);

/** Opens it; its first image has come when this returns. It is lost and found again as by pov_plugged_source_new, when its driver ends
 *  and comes back. The newest two images wait. mid_exposure_ns is the message's stamp. */
POV_MUST_USE pov_status pov_ros2_source_open(pov_image_source **source, const pov_ros2_source_config *config);

/** Waits for the camera's lens, as its driver tells it: of the images after region and binning. */
POV_MUST_USE pov_status pov_ros2_source_ask_lens(pov_camera *camera, const pov_ros2_source_config *config);
/** The lens that a message tells. POV_ERROR: not calibrated, a model that is not known, damaged. */
POV_MUST_USE pov_status pov_ros2_lens_of(pov_camera *camera, const uint8_t *bytes, size_t len);
