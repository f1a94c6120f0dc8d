#include "perception/visibility/visibility_field.h"

#include <math.h>

static pov_rot rot_of_columns(pov_vec3 x, pov_vec3 y, pov_vec3 z)
{
    return (pov_rot){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

/* A camera's axes are right, down, forward. */
static pov_rot gaze_of_camera(pov_rot R_table_camera)
{
    pov_vec3 right = pov_rot_apply(R_table_camera, (pov_vec3){1, 0, 0});
    pov_vec3 down = pov_rot_apply(R_table_camera, (pov_vec3){0, 1, 0});
    pov_vec3 forward = pov_rot_apply(R_table_camera, (pov_vec3){0, 0, 1});
    return rot_of_columns(forward, pov_vec3_scale(right, -1), pov_vec3_scale(down, -1));
}

pov_gaze pov_gaze_of(const pov_scene *scene, pov_id viewer, double yaw_rad)
{
    const pov_entity *entity = &scene->entities[viewer];
    pov_vec3 eye = pov_rot_apply(entity->R_table_box, entity->field.eye_m);
    pov_gaze gaze = {.eye_m = pov_vec3_add(entity->position.mean_m, eye)};
    gaze.R_table_gaze = viewer == scene->camera ? gaze_of_camera(entity->R_table_box) : pov_rot_yaw(yaw_rad);
    return gaze;
}

static bool cone_contains(const pov_field_of_view *field, pov_vec3 d)
{
    const double h = field->half_horizontal_rad, v = field->half_vertical_rad;
    const double off_axis = hypot(d.y, d.z), eccentricity = atan2(off_axis, d.x);
    if (eccentricity <= fmin(h, v) || eccentricity > fmax(h, v))
        return eccentricity <= fmin(h, v);
    if (off_axis == 0) /* straight behind lies on every meridian */
        return false;
    const double across = eccentricity * d.y / off_axis / h, up = eccentricity * d.z / off_axis / v;
    return across * across + up * up <= 1;
}

static bool frustum_contains(const pov_field_of_view *field, pov_vec3 d)
{
    return d.x > 0 && fabs(d.y) <= d.x * tan(field->half_horizontal_rad) &&
           fabs(d.z) <= d.x * tan(field->half_vertical_rad);
}

bool pov_field_contains(const pov_field_of_view *field, pov_vec3 direction_gaze)
{
    POV_REQUIRE(field->shape < POV_FIELD_COUNT);
    return field->shape == POV_FIELD_CONE ? cone_contains(field, direction_gaze)
                                          : frustum_contains(field, direction_gaze);
}

bool pov_field_is_everything(const pov_field_of_view *field)
{
    return field->shape == POV_FIELD_CONE && field->half_horizontal_rad >= POV_PI - 1e-9 &&
           field->half_vertical_rad >= POV_PI - 1e-9;
}

static const double overlap_margin = 1e-6; /* rad; covers rounding */

/* By the angles between the centre and the planes of the nearer two faces. */
static pov_field_overlap overlap_of_frustum(const pov_field_of_view *field, pov_vec3 centre_gaze,
                                            double radius_rad)
{
    const double h = field->half_horizontal_rad, v = field->half_vertical_rad;
    const pov_vec3 c = pov_vec3_unit(centre_gaze);
    const double within = fmin(sin(h) * c.x - cos(h) * fabs(c.y), sin(v) * c.x - cos(v) * fabs(c.z));
    const double reach = sin(radius_rad + overlap_margin);
    return (pov_field_overlap){.all = within > reach, .none = within < -reach};
}

/* By the largest circle that fits into the cone and the smallest that it fits into. */
static pov_field_overlap overlap_of_cone(const pov_field_of_view *field, pov_vec3 centre_gaze,
                                         double radius_rad)
{
    const double h = field->half_horizontal_rad, v = field->half_vertical_rad;
    const double eccentricity = atan2(hypot(centre_gaze.y, centre_gaze.z), centre_gaze.x);
    const double reach_rad = radius_rad + overlap_margin;
    return (pov_field_overlap){.all = pov_field_is_everything(field) ||
                                      eccentricity +
                                          reach_rad<fmin(h, v), .none = eccentricity - reach_rad> fmax(h, v)};
}

pov_field_overlap pov_field_overlap_of(const pov_field_of_view *field, pov_vec3 centre_gaze,
                                       double radius_rad)
{
    if (field->shape == POV_FIELD_CONE)
        return overlap_of_cone(field, centre_gaze, radius_rad);
    if (!(radius_rad < POV_PI / 2 - overlap_margin))
        return (pov_field_overlap){false, false};
    return overlap_of_frustum(field, centre_gaze, radius_rad);
}
