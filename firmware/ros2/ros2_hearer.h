/** What other nodes of ROS 2 tell of a station's camera and things: transforms of /tf and /tf_static, poses, detections (docs/ROS2.md). */
#pragma once

#include "firmware/ros2/ros2_settings.h"
#include "perception/cast/cast.h"

/** Keys of `camera.tf`: the camera's pose is the robot's transform. */
typedef struct {
    bool is_wanted;
    char frame[POV_ROS2_NAME_CAPACITY]; /* of the camera: x right, y down, z forward */
    double position_std_m, rotation_std_rad, stamp_std_s;
    double wait_s;    /* for the transform after an image */
    double gap_max_s; /* between two transforms that are interpolated */
} pov_ros2_camera_tf;
void pov_ros2_camera_tf_read(pov_ros2_camera_tf *tf, pov_yaml_node node);

typedef enum { POV_ROS2_THING_FRAME, POV_ROS2_THING_POSE, POV_ROS2_THING_DETECTION } pov_ros2_thing_kind;

/** The topic or frame that tells of one or several members of the cast. */
typedef struct {
    pov_ros2_thing_kind kind;
    char name[POV_ROS2_NAME_CAPACITY];       /* of the frame, or of the topic */
    char class_id[POV_ROS2_NAME_CAPACITY];   /* of detections; "": any */
    char id[POV_ROS2_NAME_CAPACITY];         /* of detections; "": any */
    int count;                               /* at most so many at once */
    double position_std_m, rotation_std_rad; /* where the message tells no covariance */
    double stale_after_s;                    /* before the image: it has left */
    pov_vec3 center_m;                       /* of the box in the frame that is told */
} pov_ros2_thing;
typedef struct {
    int len;
    pov_ros2_thing things[POV_HEARD_MAX];
} pov_ros2_things;

typedef struct {
    const pov_ros2_settings *settings;
    const pov_ros2_camera_tf *camera;
    const pov_ros2_things *things;
} pov_ros2_hearer_config; /* borrowed */

/** Whether there is anything to hear. */
bool pov_ros2_hears(const pov_ros2_hearer_config *config);

typedef struct pov_ros2_hearer pov_ros2_hearer;

/** Joins the domain as NAME_tf. POV_ERROR: see pov_ros2_settings_join. Belongs to one thread. */
POV_MUST_USE pov_status pov_ros2_hearer_new(pov_ros2_hearer **hearer, const pov_ros2_hearer_config *config);
void pov_ros2_hearer_destroy(pov_ros2_hearer **hearer);

/** Takes what was told of the time of an image. Waits for the camera's next transform, camera.tf.wait_s at most, and only while transforms come. */
void pov_ros2_hearer_tell(pov_ros2_hearer *hearer, pov_heard *heard, int64_t stamp_ns);

/** A line about what does not fit, each time something new is wrong; false: nothing is. */
bool pov_ros2_hearer_news(pov_ros2_hearer *hearer, char text[POV_MESSAGE_CAPACITY]);
/** Frames that transforms named so far. */
int pov_ros2_hearer_frames(const pov_ros2_hearer *hearer);
