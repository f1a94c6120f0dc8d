#include "firmware/station/station_others.h"

#include <math.h>
#include <stddef.h>

static const double with_margin = 1.3; /* of the edge; most families want white around, sheets have it */

static pov_vec2 middle_of(const pov_tag *tag)
{
    pov_vec2 sum = {0, 0};
    for (int i = 0; i < 4; i++)
        sum = (pov_vec2){sum.x + tag->corner_px[i].x / 4, sum.y + tag->corner_px[i].y / 4};
    return sum;
}

/* False if it is elsewhere than the map has it: then how far away it is is not known. */
static bool take(pov_object_other *other, const pov_tag *tag, const pov_vec3 *middle_m,
                 const pov_camera *camera)
{
    pov_vec2 expected_px;
    const pov_vec2 middle_px = middle_of(tag), corner_px = tag->corner_px[0];
    if (pov_camera_project(camera, &expected_px, NULL, *middle_m) != POV_OK ||
        hypot(expected_px.x - middle_px.x, expected_px.y - middle_px.y) >
            0.5 * hypot(corner_px.x - middle_px.x, corner_px.y - middle_px.y))
        return false;
    other->depth_m = middle_m->z;
    for (int i = 0; i < 4; i++)
        other->corner_px[i] = (pov_vec2){middle_px.x + with_margin * (tag->corner_px[i].x - middle_px.x),
                                         middle_px.y + with_margin * (tag->corner_px[i].y - middle_px.y)};
    return true;
}

void pov_station_others_of(pov_object_others *others, const pov_tags *tags, const pov_station *station,
                           const pov_pose *T_table_camera)
{
    others->len = 0;
    if (!T_table_camera)
        return;
    const pov_transform T_camera_table = pov_transform_inverse(T_table_camera->T);
    for (int i = 0; i < tags->len && others->len < POV_OBJECT_OTHERS_MAX; i++) {
        const pov_tag *tag = &tags->tags[i];
        const pov_tag_map_entry *entry = pov_tag_map_find(&station->tag_map, tag->family, tag->id);
        if (!entry)
            continue;
        const pov_vec3 middle_m = pov_transform_apply(T_camera_table, entry->T_table_tag.T.t_m);
        others->len += take(&others->others[others->len], tag, &middle_m, &station->camera);
    }
}

pov_status pov_station_find_objects(pov_object_finder *finder, pov_findings *findings, const pov_image *image,
                                    const pov_station *station, const pov_pose *T_table_camera)
{
    pov_object_others others;
    pov_station_others_of(&others, &findings->tags, station, T_table_camera);
    return pov_object_finder_run(finder, &findings->objects, image, T_table_camera, &others);
}
