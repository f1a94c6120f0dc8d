/** Camera files that are no YAML, as YAML. Each line stays on its line, so that complaints name the right one. */
#pragma once

#include "perception/status.h"

#include <stddef.h>

/** Text of its own; free it with free(). */
typedef struct {
    char *text; /* ends in '\0' */
    size_t length;
} pov_foreign_text;

/** Turns OpenCV's FileStorage in XML, ROS's .ini of camera_calibration_parsers, and mrcal's .cameramodel into YAML, and takes the
 *  first message of what `ros2 topic echo` prints. Any other text is copied as it is.
 *  In: name: stands for the file in messages. */
POV_MUST_USE pov_status pov_foreign_text_convert(pov_foreign_text *converted, const char *name,
                                                 const char *text, size_t length);
