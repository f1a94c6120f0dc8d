/** Where a table turns and how far, from tags on it that go round. */
#ifndef POV_CALIB_ENROL_AXIS_H
#define POV_CALIB_ENROL_AXIS_H

#include "perception/camera.h"
#include "perception/status.h"
#include "perception/tag.h"

enum { POV_ENROL_TRACK_MAX = 64, POV_ENROL_SHOT_MAX = 144 };

/** Tags in one image that are not in the map of what stands still. */
typedef struct {
    int len;
    struct {
        int id; /* family and number in one */
        pov_vec2 middle_px, corner_px[4];
    } tags[POV_ENROL_TRACK_MAX];
    pov_transform T_table_camera;
} pov_ring_view;

typedef struct {
    pov_vec3 axis_m;                      /* where it meets the plane in which the tags lie */
    double reach_m;                       /* how far from it the farthest tag's middle is */
    double rms_m;                         /* of the tags about where they ought to be */
    double angle_rad[POV_ENROL_SHOT_MAX]; /* since the first image, counter-clockwise from above */
} pov_enrol_axis;

/** Tags that are not in `map`, by their middles. */
void pov_ring_view_set(pov_ring_view *view, const pov_tags *tags, const pov_tag_map *map,
                       const pov_transform *T_table_camera);

/** Height of the plane, level with the table, in which tags of this edge lie; NAN if none is seen. */
double pov_ring_height(const pov_camera *camera, const pov_ring_view *views, int len, double edge_m);

/** Fits axis and angles; the tags lie in a plane of known height: from outlines alone, a higher one would look like a smaller.
 *  Tags that do not move are left aside.
 *  Returns: POV_UNDEFINED if too few tags go round too little of the way, or an image shows none of them. */
POV_MUST_USE pov_status pov_enrol_axis_find(pov_enrol_axis *axis, const pov_camera *camera,
                                            const pov_ring_view *views, int len, double height_m);

#endif
