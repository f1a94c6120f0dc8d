/** The demo's second half: a sweep on the dashboard, a simulated model's answers held against geometry. */
#ifndef POV_FIRMWARE_DEMO_COMMAND_DEMO_COMPARISON_H
#define POV_FIRMWARE_DEMO_COMMAND_DEMO_COMPARISON_H

#include "firmware/demo/demo_guide.h"

/** Makes `folder` anew with a simulated world, a sweep's log, scores and a report, and prints what it does and finds.
 *  Errors say which command failed; its own words are on stderr. */
POV_MUST_USE pov_status pov_demo_compare(const char *folder, const pov_demo_guide *guide);

#endif
