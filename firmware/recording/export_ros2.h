/** A recording as a bag of ROS 2. */
#pragma once

#include "protocol/recording/recording.h"

/** Writes the file at `to`, whole or not at all. Messages that are damaged are warned of and left out. from: the recording's path. */
POV_MUST_USE pov_status pov_export_ros2(const char *from, const char *to);
