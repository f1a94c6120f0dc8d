/** What a domain of ROS 2 holds, for `pov doctor`. */
#pragma once

#include "firmware/ros2/ros2_settings.h"
#include "protocol/ros2/ros2_node.h"

enum { POV_ROS2_LINE_CAPACITY = 480 };

typedef struct {
    char nodes[POV_ROS2_LINE_CAPACITY], topics[POV_ROS2_LINE_CAPACITY]; /* how many, and the first of them */
    char interfaces[POV_ROS2_LINE_CAPACITY]; /* the network's, and what the environment says of them */
    int mismatch_len, mismatches_left_out;
    char mismatches
        [8][POV_ROS2_LINE_CAPACITY]; /* a topic, whose reader wants what its publisher does not offer */
} pov_ros2_look;

/** Why a subscription hears nothing, by what the node has discovered so far: whether anybody publishes the topic, of which type, and which
 *  topics of the wanted type are there. *is_hopeless: it has another type, which waiting does not change. Returns POV_ERROR. */
pov_status pov_ros2_look_for(bool *is_hopeless, pov_ros2_node *node, const pov_ros2_endpoint *wanted);

/** Listens for three seconds. POV_ERROR: as pov_ros2_settings_join. */
POV_MUST_USE pov_status pov_ros2_look_around(pov_ros2_look *look, const pov_ros2_settings *settings);
