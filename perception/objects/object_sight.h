/** Where an object's points appear, fast: near its middle the lens is linear. Private to object_*.c. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_SIGHT_H
#define POV_PERCEPTION_OBJECTS_OBJECT_SIGHT_H

#include "perception/objects/object_scan.h"

typedef struct {
    pov_transform T_camera_object;
    double middle[2], by[2][2]; /* of the image plane at distance 1; pixels by its units */
    pov_vec2 middle_px;
    int level; /* of the pyramid */
} object_sight;

/* False if its middle cannot be seen. */
bool object_sight_at(object_sight *sight, const object_view *view, const object_model *model,
                     const object_place *place);

/* Out: how far away along the camera's axis. */
static inline pov_vec2 object_sight_pixel(const object_sight *s, double *depth_m, const float place_m[3])
{
    const pov_vec3 p = pov_transform_apply(
        s->T_camera_object, (pov_vec3){(double)place_m[0], (double)place_m[1], (double)place_m[2]});
    const double u = p.x / p.z - s->middle[0], v = p.y / p.z - s->middle[1];
    *depth_m = p.z;
    return (pov_vec2){s->middle_px.x + s->by[0][0] * u + s->by[0][1] * v,
                      s->middle_px.y + s->by[1][0] * u + s->by[1][1] * v};
}

#endif
