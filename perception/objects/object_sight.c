#include "perception/objects/object_sight.h"

bool object_sight_at(object_sight *s, const object_view *view, const object_model *model,
                     const object_place *place)
{
    double J[2][3];
    const pov_transform T = {pov_rot_yaw(place->yaw_rad), {place->x_m, place->y_m, place->z_m}};
    s->T_camera_object = pov_transform_mul(view->T_camera_table, T);
    s->level = object_view_level(view, model, place);
    const pov_vec3 middle_m =
        pov_transform_apply(s->T_camera_object, (pov_vec3){0, 0, 0.5 * model->height_m});
    if (pov_camera_project(view->camera, &s->middle_px, J, middle_m) != POV_OK)
        return false;
    s->middle[0] = middle_m.x / middle_m.z;
    s->middle[1] = middle_m.y / middle_m.z;
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < 2; k++)
            s->by[r][k] = J[r][k] * middle_m.z;
    return true;
}
