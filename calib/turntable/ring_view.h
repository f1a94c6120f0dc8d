/** Tags that lie on a turntable, as one image shows them. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/geometry/tag.h"

enum { POV_RING_VIEW_MAX = 64 };

/** Tags in one image that are not in the map of fixed tags. */
typedef struct {
    int len;
    struct {
        int id; /* family and number in one */
        pov_vec2 middle_px, corner_px[4];
    } tags[POV_RING_VIEW_MAX];
    pov_transform T_table_camera;
} pov_ring_view;

/** Tags that are not in `map`, by their middles. */
void pov_ring_view_set(pov_ring_view *view, const pov_tags *tags, const pov_tag_map *map,
                       const pov_transform *T_table_camera);

/** Mean edge of tags that lie in a level plane of known height; NAN if none is seen. */
double pov_ring_edge(const pov_camera *camera, const pov_ring_view *views, int len, double height_m);
