/** Frames of a station in ROS 2. */
#pragma once

#include "perception/geometry/geom.h"

enum { POV_ROS2_NAME_CAPACITY = 128 };

/** Names of frames, and where the table is. */
typedef struct {
    char table[POV_ROS2_NAME_CAPACITY], camera[POV_ROS2_NAME_CAPACITY];
    char root[POV_ROS2_NAME_CAPACITY]; /* the parent of the table's frame; "": it has none */
    pov_transform T_root_table;
} pov_ros2_frames;
/** Names of cameras' frames end as REP 103 has it: x right, y down, z forward. */
#define POV_ROS2_FRAMES_DEFAULT                                                                              \
    {                                                                                                        \
        .table = "table", .camera = "camera_optical_frame", .root = ""                                       \
    }
