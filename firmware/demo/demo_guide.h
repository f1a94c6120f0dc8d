/** Leads a visitor through the demo: says what happens and where to look, in the terminal and on the dashboard. */
#ifndef POV_FIRMWARE_DEMO_DEMO_GUIDE_H
#define POV_FIRMWARE_DEMO_DEMO_GUIDE_H

#include "firmware/dashboard/dashboard.h"

typedef struct {
    pov_dashboard_place place; /* without one port 8080 of this machine, or a free one if that is taken */
    bool no_browser;
    double pace_s; /* from stop to stop; NAN: a second where someone watches */
} pov_demo_guide_options;

typedef struct {
    pov_dashboard *dashboard;
    bool is_watched; /* someone sits at the terminal */
    double pace_s;
} pov_demo_guide;

/** Opens the dashboard, prints its address, and shows it in a browser where there is a desktop and someone at the terminal. */
POV_MUST_USE pov_status pov_demo_guide_start(pov_demo_guide *guide, const pov_demo_guide_options *options);
/** One step, a line. */
void pov_demo_guide_say(const pov_demo_guide *guide, const char *step);
/** Keeps the dashboard until someone at the terminal presses Enter or Ctrl-C; else closes it at once. */
void pov_demo_guide_end(pov_demo_guide *guide);

#endif
