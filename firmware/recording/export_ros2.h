/** A recording as a bag of ROS 2. */
#pragma once

#include "protocol/recording/recording.h"

/** Writes the file at `to`, whole or not at all. from: the recording's path.
 *  Returns: POV_ERROR also if something of the recording is damaged: the file is then written without it. */
POV_MUST_USE pov_status pov_export_ros2(const char *from, const char *to);
