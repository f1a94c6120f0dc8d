/** What `pov demo` shows instead of a rotation and a comparison: other uses, each in a minute, in `folder`. Each prints what it does and
 *  finds, and the files to look at. All are simulated, and say so. Errors name the command that failed; its own words are on stderr. */
#pragma once

#include "perception/status.h"
#include "protocol/links/subscriber.h"

#include <sys/types.h>

typedef struct {
    const char *folder;
    const char *dashboard; /* "[HOST:]PORT" for the page; NULL: none */
    double pace_s;         /* from line to line of who is led through it */
} pov_demo_use;

/** Someone who watches at a terminal reads `what`, and goes on by Enter or Ctrl-C. */
void pov_demo_stay(const char *what);

/** A station's next message. POV_ERROR: it ends before one comes, or is silent for 20 s. */
POV_MUST_USE pov_status pov_demo_next_message(pov_subscriber *subscriber, const uint8_t **bytes,
                                              size_t *length, pid_t station);

/** Draws a world as several cameras see it, runs their station over the images, leaves a contact sheet with a row for each of up to six instants and a
 *  column for each camera, and prints what the one scene has that a camera does not see. image_len 0: twelve, in which a ball goes half round a screen. */
POV_MUST_USE pov_status pov_demo_cameras(const char *folder, int camera_len, int image_len);

/** A plan of four small sweeps, done, and their one report. What an earlier demo did stays done. */
POV_MUST_USE pov_status pov_demo_experiment(const char *folder);

/** An instruction study with two participants, who mean different lefts; its tables and report. */
POV_MUST_USE pov_status pov_demo_study(const pov_demo_use *use);

/** A robot's camera as a node of ROS 2, and a station that joins: it takes the image and the camera's pose from the robot's topics, answers
 *  a question and sends a goal, which the robot hears. POV_ERROR: also without the part ROS 2. */
POV_MUST_USE pov_status pov_demo_robot(const pov_demo_use *use);
