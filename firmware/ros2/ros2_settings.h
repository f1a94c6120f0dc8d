/** What a station file says of ROS 2, and what the environment says to every program that speaks it. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "perception/status.h"
#include "protocol/ros2/ros2_frames.h"
#include "protocol/ros2/ros2_node.h"

enum { POV_ROS2_REMAP_MAX = 32, POV_ROS2_CONFIG_CAPACITY = 4096 };

typedef struct {
    bool is_wanted;
    int off_line;                       /* of `publish: false`; 0: it does not say that */
    int domain;                         /* -1: ROS_DOMAIN_ID, or 0 */
    char space[POV_ROS2_NAME_CAPACITY]; /* "/robot1"; "/" */
    char node[POV_ROS2_NAME_CAPACITY];
    int distribution; /* of POV_ROS2_DISTRIBUTIONS; -1: ROS_DISTRO's, or a newer one */
    bool are_images_best_effort;
    pov_ros2_frames frames;
    int remap_len;
    char remaps[POV_ROS2_REMAP_MAX][2][POV_ROS2_NAME_CAPACITY]; /* from, to: full names */
} pov_ros2_settings;

/** Without the section, not wanted; the rest is the preset. */
void pov_ros2_settings_read(pov_ros2_settings *settings, pov_yaml_node node);
/** A topic's full name, as /camera/image_raw. */
void pov_ros2_settings_read_topic(char name[POV_ROS2_NAME_CAPACITY], pov_yaml_node node);
/** A frame of tf2. */
void pov_ros2_settings_read_frame(char name[POV_ROS2_NAME_CAPACITY], pov_yaml_node node);
/** The domain in force. POV_ERROR: ROS_DOMAIN_ID is not a number from 0 to 232. */
POV_MUST_USE pov_status pov_ros2_settings_domain(int *domain, const pov_ros2_settings *settings);
/** Whether the environment keeps ROS 2 to this machine. */
bool pov_ros2_settings_is_local(void);
/** A node of these settings joins its domain. suffix: of the node's name, "" or "_camera". */
POV_MUST_USE pov_status pov_ros2_settings_join(pov_ros2_node **node, const pov_ros2_settings *settings,
                                               const char *suffix);
/** A topic's name in the node's namespace ("/robot1/pov/judgments"; "/tf" has none), remapped. */
void pov_ros2_settings_resolve(char name[2 * POV_ROS2_NAME_CAPACITY], const pov_ros2_settings *settings,
                               const char *topic);
/** That of one of several cameras: "/pov/ID/camera_info"; of a remapped one "/ID" and its name. */
void pov_ros2_settings_resolve_of_camera(char name[2 * POV_ROS2_NAME_CAPACITY],
                                         const pov_ros2_settings *settings, const char *topic,
                                         const char *id);
