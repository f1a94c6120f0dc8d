/** Serial lines of this machine. */
#pragma once

#include "protocol/turntable/serial_line.h"

/** A device such as /dev/ttyUSB0 or a pseudo-terminal: raw, 8N1, for this process alone. Not open yet. The line's DTR is
 *  left as it is on closing, so that an Arduino restarts on the first opening only, and not on every one. */
POV_MUST_USE pov_status pov_serial_line_new_device(pov_serial_line **line, const char *path, int baud);
