/** The first images of a station, judged as `pov run` would: what of the cast and the tag map they show, and if not, why. */
#pragma once

#include "firmware/station/station.h"
#include "perception/tags/pose_doubt.h"
#include "perception/tags/tag_diagnosis.h"
#include "perception/tags/tag_reconcile.h"

typedef struct {
    int images;                   /* looked at */
    int tagged;                   /* of these, those with a mapped tag; without a map, with any */
    pov_tag_diagnosis diagnosis;  /* of the first image without one, while there is none with one */
    pov_map_mistake mistake;      /* of the map, by the first image that shows it */
    pov_map_doubt doubt;          /* the accuracy of a map that calls itself exact */
    pov_pose_offset given;        /* of the tags from a pose that the file gives */
    uint64_t found[POV_CAST_MAX]; /* images that show each member of the cast */
    double disc_px[POV_CAST_MAX]; /* radius of a disc of a missing ball's colour; 0: there is none */
    double
        disc_radius_m[POV_CAST_MAX]; /* of a ball that would look so where it would stand; NaN: not known */
} pov_station_look;

/** Looks at up to image_max images of the station's source, read as fast as they are judged. Cameras are not asked.
 *  Returns: POV_TIMEOUT if the source has none to look at; POV_ERROR of a stage that failed. */
POV_MUST_USE pov_status pov_station_look_at(pov_station_look *look, const pov_station *station,
                                            int image_max);

/** Compares the camera's pose by the robot's transforms with that by the tags, in the next images. */
typedef struct {
    int images, told,
        frames;        /* looked at; of these, with the camera's pose told; frames that transforms name */
    pov_vec3 camera_m; /* in the table's frame, as told of the last of them */
    char why[POV_MESSAGE_CAPACITY]; /* it was not told of the last one that lacks it */
    pov_pose_offset offset;
} pov_told_look;
/** Looks at images of a camera for a few seconds. POV_ERROR: of the camera, ROS 2, or a stage. */
POV_MUST_USE pov_status pov_station_look_told(pov_told_look *look, const pov_station *station);
