/** A station's cameras as recordings, Foxglove and ROS 2 name them, and their lenses as they are known by now. */
#pragma once

#include "perception/geometry/camera.h"
#include "protocol/recording/recording.h"

#include <pthread.h>

typedef struct {
    int len;                                   /* 1: the station has one camera */
    pov_recorded_camera names[POV_CAMERA_MAX]; /* of several */
    pthread_mutex_t lock;                      /* of the rest */
    bool is_known[POV_CAMERA_MAX];
    pov_camera cameras[POV_CAMERA_MAX];
} pov_known_cameras;

/** names: of several (len > 1); their ids are borrowed. */
void pov_known_cameras_begin(pov_known_cameras *known, const pov_recorded_camera *names, int len);
void pov_known_cameras_end(pov_known_cameras *known);

const pov_recorded_camera *pov_known_cameras_name(const pov_known_cameras *known, int index);
/** Which camera has the id; of an unknown id, the first. */
int pov_known_cameras_find(const pov_known_cameras *known, const char *id);

/** Any thread. Returns: whether the lens is new, or another one. */
bool pov_known_cameras_tell(pov_known_cameras *known, const pov_camera *camera, int index);
/** Any thread. False: its lens is not known yet. */
bool pov_known_cameras_take(pov_camera *camera, pov_known_cameras *known, int index);
