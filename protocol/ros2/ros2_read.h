/** Messages of ROS 2 that come in: bytes of CDR from anybody. Every length is checked before it is used, nothing is allocated, and what
 *  is returned points into the bytes. POV_ERROR says what is wrong with a message. */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POV_ROS2_TEXT_CAPACITY = 128, POV_ROS2_COEFFICIENTS_MAX = 16 };

typedef struct {
    int64_t stamp_ns;
    char frame[POV_ROS2_TEXT_CAPACITY]; /* "" if it is longer than any name of a frame */
} pov_ros2_header;

/** A sensor_msgs/Image, of a side that images here may have. */
typedef struct {
    pov_ros2_header header;
    int width_px, height_px, format; /* format: of this module */
    size_t step_bytes;
    const uint8_t *data; /* step_bytes * height_px of them */
} pov_ros2_raw_image;
POV_MUST_USE pov_status pov_ros2_read_image(pov_ros2_raw_image *image, const uint8_t *bytes, size_t len);
/** Its pixels as RGB, 8 bits a channel, rows without gaps: 3 * width_px * height_px bytes. YUV is BT.601 in studio range, as cv_bridge takes
 *  it; Bayer is interpolated bilinearly. */
void pov_ros2_image_to_rgb(uint8_t *rgb, const pov_ros2_raw_image *image);

/** A sensor_msgs/CompressedImage: a file, of which nothing is known yet. */
typedef struct {
    pov_ros2_header header;
    const uint8_t *data;
    size_t len;
} pov_ros2_coded_image;
POV_MUST_USE pov_status pov_ros2_read_compressed(pov_ros2_coded_image *image, const uint8_t *bytes,
                                                 size_t len);

/** A sensor_msgs/CameraInfo. */
typedef struct {
    pov_ros2_header header;
    uint32_t width_px, height_px; /* of the sensor, without binning and region */
    char model[POV_ROS2_TEXT_CAPACITY];
    int coefficient_len;
    double coefficients[POV_ROS2_COEFFICIENTS_MAX], k[9];
    uint32_t binning_x, binning_y; /* at least 1 */
    uint32_t region_x_px, region_y_px, region_width_px, region_height_px;
} pov_ros2_camera_info;
POV_MUST_USE pov_status pov_ros2_read_camera_info(pov_ros2_camera_info *info, const uint8_t *bytes,
                                                  size_t len);

/** The first node that a rmw_dds_common/ParticipantEntitiesInfo tells of: its namespace and name in one, as "/robot1/camera". ids: 24 bytes long
 *  in Humble, 16 later: that which fits. POV_SKIPPED: it tells of none. */
POV_MUST_USE pov_status pov_ros2_read_node(char name[2 * POV_ROS2_TEXT_CAPACITY], const uint8_t *bytes,
                                           size_t len);

/** A std_msgs/String; text: not ended by a zero. */
POV_MUST_USE pov_status pov_ros2_read_string(const char **text, size_t *text_len, const uint8_t *bytes,
                                             size_t len);

/** One of a tf2_msgs/TFMessage. */
typedef struct {
    pov_ros2_header header; /* its frame is the parent */
    char child[POV_ROS2_TEXT_CAPACITY];
    pov_transform T_parent_child;
    bool is_valid; /* false: its numbers are not finite, or its quaternion does not have length 1 */
} pov_ros2_transform;
/** Calls `take` with each, once the whole message is known to be sound. */
POV_MUST_USE pov_status pov_ros2_read_transforms(void (*take)(void *context,
                                                              const pov_ros2_transform *transform),
                                                 void *context, const uint8_t *bytes, size_t len);

/** A geometry_msgs/PoseStamped. */
typedef struct {
    pov_ros2_header header;
    pov_transform T_frame_pose;
} pov_ros2_pose;
POV_MUST_USE pov_status pov_ros2_read_pose(pov_ros2_pose *pose, const uint8_t *bytes, size_t len);

/** One of a vision_msgs/Detection3DArray (version 4, as of Humble). */
typedef struct {
    pov_ros2_header header; /* the array's if its own names no frame */
    char class_id[POV_ROS2_TEXT_CAPACITY],
        id[POV_ROS2_TEXT_CAPACITY]; /* class_id: of the likeliest hypothesis */
    double score;
    pov_transform T_frame_box;
    pov_vec3 size_m;
    bool has_cov;     /* it tells a covariance, that is not all zero */
    double cov[6][6]; /* of (rotation, position) in the frame, as in pov_pose */
    bool is_valid;
} pov_ros2_detection;
/** As pov_ros2_read_transforms. */
POV_MUST_USE pov_status pov_ros2_read_detections(void (*take)(void *context, const pov_ros2_detection *found),
                                                 void *context, const uint8_t *bytes, size_t len);

/** A pov_msgs/Ask as the JSON of a request; the caller frees it. NULL: it is damaged, or memory ran out. */
char *pov_ros2_read_ask(const uint8_t *bytes, size_t len);
