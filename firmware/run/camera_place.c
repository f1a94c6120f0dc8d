#include "firmware/run/camera_place.h"

#include "perception/observation/observation.h"
#include "perception/tags/tag_reconcile.h"

#include <math.h>

/* Below this the mirrored pose of a single or flat set of tags may as well be the true one: both are judged by. */
static const double pose_probability_min = 0.95;

static pov_pose unknown_pose(void)
{
    pov_pose pose;
    double *number = (double *)&pose;
    for (size_t i = 0; i < sizeof pose / sizeof *number; i++)
        number[i] = NAN;
    return pose;
}

static bool estimate_pose(pov_findings *findings, const pov_station_place *place, const pov_camera *camera,
                          const pov_tag_map *map)
{
    pov_camera_pose *pose = &findings->camera_pose;
    findings->prior_is_refuted = false;
    if (map->len == 0)
        return false;
    const pov_code found = pov_camera_pose_estimate(pose, camera, &findings->tags, map);
    if (!pov_camera_pose_reconcile(pose, &findings->tags, camera, map) && found != POV_OK)
        return false;
    findings->prior_is_refuted = !pov_camera_prior_apply(pose, &place->prior);
    return true;
}

/* The mirrored pose rests on the same tags; where each pose rests on its own, tags contradict one another. */
static bool is_mirrored(const pov_findings *findings)
{
    const pov_camera_pose *pose = &findings->camera_pose;
    for (int i = 0; i < findings->tags.len; i++)
        if ((pose->fate[i] == POV_TAG_USED) != (pose->alternative_fate[i] == POV_TAG_USED))
            return false;
    return true;
}

static void list_candidates(pov_image_header *header, const pov_camera_pose *pose)
{
    header->candidates[0] = (pov_pose_candidate){pose->probability, pose->T_table_camera};
    header->candidates[1] = (pov_pose_candidate){1 - pose->probability, pose->alternative_T_table_camera};
    header->candidate_len = pose->has_alternative ? 2 : 0;
}

const pov_pose *pov_camera_place(pov_findings *findings, pov_image_header *header,
                                 const pov_station_place *place, const pov_camera *camera,
                                 const pov_tag_map *map)
{
    const pov_camera_pose *pose = &findings->camera_pose;
    findings->has_camera_pose = estimate_pose(findings, place, camera, map);
    header->pose_source = POV_POSE_UNKNOWN;
    header->T_table_camera = unknown_pose();
    if (findings->has_camera_pose)
        list_candidates(header, pose);
    if (place->is_given) {
        header->pose_source = POV_POSE_GIVEN;
        header->T_table_camera = place->T_table_camera;
    } else if (findings->has_camera_pose && pose->probability >= pose_probability_min) {
        header->pose_source = POV_POSE_FROM_TAGS;
        header->T_table_camera = pose->T_table_camera;
    } else if (findings->has_camera_pose && is_mirrored(findings)) {
        header->pose_source = POV_POSE_AMBIGUOUS;
        header->T_table_camera = pov_pose_reaching(header->candidates);
    }
    return header->pose_source == POV_POSE_UNKNOWN ? NULL : &header->T_table_camera;
}

/* Half the angle between the directions of two pixels. */
static double half_angle_rad(const pov_camera *camera, pov_vec2 from_px, pov_vec2 to_px)
{
    pov_vec3 from, to;
    if (pov_camera_unproject(camera, &from, NULL, from_px) != POV_OK ||
        pov_camera_unproject(camera, &to, NULL, to_px) != POV_OK)
        return POV_PI / 2;
    return 0.5 * atan2(pov_vec3_norm(pov_vec3_cross(from, to)), pov_vec3_dot(from, to));
}

pov_field_of_view pov_camera_field(const pov_camera *camera)
{
    static const double widest_frustum_rad = 85 * POV_PI / 180;
    double right_px = camera->width_px - 0.5, bottom_px = camera->height_px - 0.5;
    pov_field_of_view field = {.shape = POV_FIELD_FRUSTUM,
                               .half_horizontal_rad = half_angle_rad(camera, (pov_vec2){-0.5, camera->cy_px},
                                                                     (pov_vec2){right_px, camera->cy_px}),
                               .half_vertical_rad = half_angle_rad(camera, (pov_vec2){camera->cx_px, -0.5},
                                                                   (pov_vec2){camera->cx_px, bottom_px}),
                               .far_m = INFINITY};
    if (field.half_horizontal_rad > widest_frustum_rad || field.half_vertical_rad > widest_frustum_rad)
        field.shape = POV_FIELD_CONE;
    return field;
}
