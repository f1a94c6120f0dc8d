/** Watches over images whether the tags of a map are where it has them, and names one that has moved. Pure. */
#pragma once

#include "perception/tags/tag_pose.h"

/** A tag's displacement from the map by the last hundred images or so. */
typedef struct {
    double information[36], gradient[6]; /* of its displacement */
    double sight[36];                    /* d(pixel) / d(displacement), squared */
    double images;
    bool named;
} pov_watched_tag;

/** All zero: nothing has been seen. */
typedef struct {
    pov_watched_tag tags[POV_TAG_MAP_MAX]; /* as in the map */
} pov_tag_watch;

/** Takes in an image.
 *  Returns: whether a tag is named for the first time. Out: moved: that tag.
 *  In:      pose: as estimated from these tags and this map; map: always the same.
 *  Method:  where each tag is seen against where the map and the camera's pose by all *other* tags have it (leave-one-out, first
 *           order), summed into its displacement; Huber's weights. It is named when that is beyond a chi-square of 6 of 54
 *           (1e-9) after five images, 150 at once, in the sum of its own, the map's and a covariance that does not average out: a
 *           tenth of a pixel in every corner, and half of its deviation, for what edges show is much the same while nothing moves.
 *           The most displaced is named first, others only by images without it.
 *           With fewer than three tags nobody can tell which has moved. No allocation; 320 KiB of stack. */
bool pov_tag_watch_update(pov_tag_watch *watch, pov_moved_tag *moved, const pov_camera *camera,
                          const pov_tags *tags, const pov_camera_pose *pose, const pov_tag_map *map);

/** Lists the named tags, at most `capacity`; returns how many. */
int pov_tag_watch_list(const pov_tag_watch *watch, pov_moved_tag *list, const pov_tag_map *map, int capacity);
