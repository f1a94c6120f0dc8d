/** A recording's contents as messages of ROS 2, in CDR: an MCAP file of them is a bag that `ros2 bag` and Foxglove read
 *  (docs/RECORDING.md has the topics and frames). */
#pragma once

#include "perception/observation/observation.h"
#include "protocol/recording/mcap_writer.h"
#include "protocol/recording/recording.h"

typedef enum {
    POV_ROS2_IMAGE,
    POV_ROS2_CAMERA,
    POV_ROS2_TRANSFORMS,
    POV_ROS2_CAMERA_POSE,
    POV_ROS2_DETECTIONS,
    POV_ROS2_JUDGMENTS, /* these are lines of JSON (docs/JSON.md) */
    POV_ROS2_HEALTH,
    POV_ROS2_EXCHANGES,
    POV_ROS2_COUNT
} pov_ros2_topic;

/** Writes all schemas and channels; a channel's id is its topic + 1. The file's profile is "ros2". */
POV_MUST_USE pov_status pov_ros2_begin(pov_mcap_writer *writer);

/** Room for a message. */
typedef struct pov_ros2_packer pov_ros2_packer;
POV_MUST_USE pov_status pov_ros2_packer_new(pov_ros2_packer **packer);
void pov_ros2_packer_destroy(pov_ros2_packer **packer);

/** Each packs one message; bytes are borrowed until the next call. Stamps are capture times. POV_ERROR: out of memory. */
POV_MUST_USE pov_status pov_ros2_image(pov_ros2_packer *packer, pov_mcap_message *message,
                                       const pov_recorded_image *image);
/** calibration: a foxglove.CameraCalibration. POV_SKIPPED: it is none. */
POV_MUST_USE pov_status pov_ros2_camera(pov_ros2_packer *packer, pov_mcap_message *message,
                                        const uint8_t *calibration, size_t len, int64_t capture_ns);
POV_MUST_USE pov_status pov_ros2_transforms(pov_ros2_packer *packer, pov_mcap_message *message,
                                            const pov_observation *observation);
/** POV_SKIPPED: the pose is not known. */
POV_MUST_USE pov_status pov_ros2_camera_pose(pov_ros2_packer *packer, pov_mcap_message *message,
                                             const pov_observation *observation);
POV_MUST_USE pov_status pov_ros2_detections(pov_ros2_packer *packer, pov_mcap_message *message,
                                            const pov_observation *observation);
POV_MUST_USE pov_status pov_ros2_text(pov_ros2_packer *packer, pov_mcap_message *message,
                                      pov_ros2_topic topic, const char *json, size_t len);
