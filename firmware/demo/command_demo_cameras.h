/** pov demo --cameras: one scene of several cameras. */
#pragma once

#include "perception/status.h"

/** Draws a world as several cameras see it, runs their station over the images, leaves a contact sheet with a row for each of up to six instants and a
 *  column for each camera, and prints what the one scene has that a camera does not see. image_len 0: twelve, in which a ball goes half round a screen. */
POV_MUST_USE pov_status pov_demo_cameras(const char *folder, int camera_len, int image_len);
