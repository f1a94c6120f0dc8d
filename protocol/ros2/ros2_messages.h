/** What a station sends and a recording holds as messages of ROS 2, in CDR: the same bytes in a bag (an MCAP file that `ros2 bag` and
 *  Foxglove read) and on the network (docs/ROS2.md has the topics and frames). */
#pragma once

#include "perception/observation/observation.h"
#include "protocol/observation/message.h"
#include "protocol/recording/mcap_writer.h"
#include "protocol/recording/recording.h"
#include "protocol/ros2/ros2_frames.h"

typedef enum {
    POV_ROS2_IMAGE,
    POV_ROS2_CAMERA,
    POV_ROS2_TRANSFORMS,
    POV_ROS2_ROOT, /* where the root frame is */
    POV_ROS2_CAMERA_POSE,
    POV_ROS2_DETECTIONS,
    POV_ROS2_MARKERS,
    POV_ROS2_JUDGMENTS, /* lines of JSON (docs/JSON.md), as the next four */
    POV_ROS2_VISIBILITY,
    POV_ROS2_HEALTH,
    POV_ROS2_REPLY,
    POV_ROS2_VLM,
    POV_ROS2_GOAL,
    POV_ROS2_JUDGMENT_LIST, /* typed: pov_msgs */
    POV_ROS2_SIGHT_LIST,
    POV_ROS2_DIAGNOSTICS,
    POV_ROS2_COUNT
} pov_ros2_topic;

/** How much of a topic a publisher keeps. */
typedef struct {
    const char *name; /* "/pov/judgments" */
    const char *type; /* "std_msgs/String" */
    int depth;
    bool is_latched; /* transient local: who comes late gets the newest */
} pov_ros2_topic_info;
const pov_ros2_topic_info *pov_ros2_topic_at(pov_ros2_topic topic);
/** Whether each of several cameras has the topic for itself. */
bool pov_ros2_is_of_camera(pov_ros2_topic topic);
/** Whether messages of the topic are made of a message of that kind on the wire. */
bool pov_ros2_is_made_of(pov_ros2_topic topic, pov_recorded wire);

enum { POV_ROS2_SCHEMA_CAPACITY = 8192 };
/** The definition of a topic's type, with those of all types that it names, as rosbag2 writes it. name: "std_msgs/msg/String". */
void pov_ros2_schema(char name[POV_ROS2_NAME_CAPACITY], char text[POV_ROS2_SCHEMA_CAPACITY],
                     pov_ros2_topic topic);

/** Writes all schemas and channels; a channel's id is its topic + 1. The file's profile is "ros2". */
POV_MUST_USE pov_status pov_ros2_begin(pov_mcap_writer *writer);

/** Room for a message. */
typedef struct pov_ros2_packer pov_ros2_packer;
/** frames: copied; NULL: the preset. */
POV_MUST_USE pov_status pov_ros2_packer_new(pov_ros2_packer **packer, const pov_ros2_frames *frames);
void pov_ros2_packer_destroy(pov_ros2_packer **packer);
/** The camera of the messages from now on: one of several has a frame of its own, "ID_camera_optical_frame". id: "": there is one. */
void pov_ros2_packer_camera(pov_ros2_packer *packer, const char *id);

/** Each packs one message; bytes are borrowed until the next call. Stamps are capture times. POV_ERROR: out of memory. */
POV_MUST_USE pov_status pov_ros2_image(pov_ros2_packer *packer, pov_mcap_message *message,
                                       const pov_recorded_image *image);
/** calibration: a foxglove.CameraCalibration. POV_SKIPPED: it is none. */
POV_MUST_USE pov_status pov_ros2_camera(pov_ros2_packer *packer, pov_mcap_message *message,
                                        const uint8_t *calibration, size_t len, int64_t capture_ns);
/** The static transform from the root frame to the table's. POV_SKIPPED: there is no root frame. */
POV_MUST_USE pov_status pov_ros2_root(pov_ros2_packer *packer, pov_mcap_message *message, int64_t now_ns);
/** A message of any other topic. POV_SKIPPED: the topic is not made of such messages, or this one has nothing for it (the camera's
 *  pose is not known). */
POV_MUST_USE pov_status pov_ros2_pack(pov_ros2_packer *packer, pov_mcap_message *message,
                                      pov_ros2_topic topic, const pov_message *decoded);
