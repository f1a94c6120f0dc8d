/** Parts that messages share. For ros2_read*.c only. */
#pragma once

#include "protocol/ros2/cdr_reader.h"
#include "protocol/ros2/ros2_read.h"

/** "": it is longer, or holds a zero. */
void pov_ros2_take_word(pov_cdr_reader *r, char word[POV_ROS2_TEXT_CAPACITY]);
void pov_ros2_take_header(pov_cdr_reader *r, pov_ros2_header *header);
pov_status pov_ros2_too_short(const char *what);
