/** A running station as a node of ROS 2 (docs/ROS2.md). The pipeline copies what somebody reads, and returns at once; a thread of the
 *  node codes and sends it. A peer that is slow, floods or is gone costs no judgment. */
#pragma once

#include "firmware/ros2/ros2_settings.h"
#include "perception/geometry/camera.h"
#include "perception/image/image.h"
#include "protocol/recording/recording.h"

typedef struct pov_ros2_station pov_ros2_station;

typedef struct {
    uint64_t sent, lost; /* messages; lost: left out because a reader, or this machine, was too slow */
    int mismatches;      /* peers whose QoS does not match ours */
    char mismatched[POV_ROS2_NAME_CAPACITY]; /* the first topic of those */
} pov_ros2_statistics;

/** Joins the domain, and starts the thread. cameras: of several (len > 1), each with topics and a frame of its own; their ids are
 *  borrowed. POV_ERROR: see pov_ros2_settings_join. */
POV_MUST_USE pov_status pov_ros2_station_new(pov_ros2_station **station, const pov_ros2_settings *settings,
                                             const pov_recorded_camera *cameras, int len);
void pov_ros2_station_destroy(pov_ros2_station **station);
/** Prints to stderr which node it is, in which domain. */
void pov_ros2_station_print(const pov_ros2_station *station);
pov_ros2_statistics pov_ros2_station_statistics(pov_ros2_station *station);

/** Whether a message of the wire is worth encoding: somebody reads a topic that is made of it. */
bool pov_ros2_station_wants(const pov_ros2_station *station, pov_recorded wire);

/** These copy what is wanted, and return at once. From one thread. capture_ns: of the image that it is about. */
void pov_ros2_station_image(pov_ros2_station *station, const pov_image *image);
void pov_ros2_station_message(pov_ros2_station *station, pov_recorded wire, const uint8_t *bytes, size_t len,
                              int64_t capture_ns);
/** index: of the station's camera, from 0. */
void pov_ros2_station_camera(pov_ros2_station *station, const pov_camera *camera, int index);

/** Whether somebody publishes questions. Any thread. */
bool pov_ros2_station_is_asked(const pov_ros2_station *station);
/** The next question, which the caller frees; waits so long. NULL: there is none. From one thread, which may be another. */
char *pov_ros2_station_hear(pov_ros2_station *station, int timeout_ms);
