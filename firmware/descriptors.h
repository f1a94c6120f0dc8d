/** How many file descriptors this program may have open, and how its listeners share them: what is left is for images, logs and
 *  cameras, so that connections alone never stop a station. */
#pragma once

#include "perception/status.h"

/** Opens /dev/null for standard input, output and error where they are closed: else the next file would get, say, what is printed. */
void pov_descriptors_fill(void);
/** Raises the limit as far as the system lets this user, and as connections need.
 *  Returns: POV_ERROR if it is too low for any command: ZeroMQ aborts without descriptors. */
POV_MUST_USE pov_status pov_descriptors_raise(void);
/** Connections that the wire may hold: one descriptor each. */
int pov_descriptors_for_wire(void);
/** Connections that the endpoint of questions may hold: one descriptor each. */
int pov_descriptors_for_questions(void);
/** Connections that a dashboard may hold, and Foxglove's server again as many: three descriptors each, the peer's and both ends of that to the server. */
int pov_descriptors_for_pages(void);
