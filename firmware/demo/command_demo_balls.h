/** The demo's first half's world: a red ball that circles a blue one, drawn, and the station that judges the images. */
#ifndef POV_FIRMWARE_DEMO_COMMAND_DEMO_BALLS_H
#define POV_FIRMWARE_DEMO_COMMAND_DEMO_BALLS_H

#include "perception/geometry/camera.h"
#include "perception/status.h"

enum { POV_DEMO_BALLS_WIDTH_PX = 640, POV_DEMO_BALLS_HEIGHT_PX = 480 };

pov_camera pov_demo_balls_camera(void);
/** The red ball's azimuth about the blue one in image i of `len`. */
double pov_demo_balls_azimuth_deg(int i, int len);

/** Writes the world into a station's `folder`, and `len` images of it into its folder "images": simulated_000.png and so on. A bar
 *  shows the progress. */
POV_MUST_USE pov_status pov_demo_balls_draw(const char *folder, int len);
/** Writes the station's file into `folder`, whose images are in its folder "images", and its camera's. */
POV_MUST_USE pov_status pov_demo_balls_write_station(const char *folder);

#endif
