#include "perception/geometry/tag.h"

#include "perception/status.h"

#include <assert.h>
#include <string.h>

static const char *const family_names[] = {
    [POV_TAG36H11] = "tag36h11",
    [POV_TAG36H10] = "tag36h10",
    [POV_TAG25H9] = "tag25h9",
    [POV_TAG16H5] = "tag16h5",
    [POV_TAG_CIRCLE21H7] = "tagCircle21h7",
    [POV_TAG_CIRCLE49H12] = "tagCircle49h12",
    [POV_TAG_CUSTOM48H12] = "tagCustom48h12",
    [POV_TAG_STANDARD41H12] = "tagStandard41h12",
    [POV_TAG_STANDARD52H13] = "tagStandard52h13",
};
static_assert(sizeof family_names / sizeof *family_names == POV_TAG_FAMILY_COUNT, "every family has a name");

const char *pov_tag_family_name(pov_tag_family family)
{
    return family_names[family];
}

POV_ENUM_NAMES(pov_tag_fate_name, pov_tag_fate, POV_TAG_FATE_COUNT, "used", "not_in_map", "rejected", "seen",
               "turns")

bool pov_tag_family_from_name(pov_tag_family *family, const char *name)
{
    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++) {
        if (strcmp(name, family_names[i]) == 0) {
            *family = (pov_tag_family)i;
            return true;
        }
    }
    return false;
}

const pov_tag_map_entry *pov_tag_map_find(const pov_tag_map *map, pov_tag_family family, int id)
{
    for (int i = 0; i < map->len; i++) {
        if (map->tags[i].family == family && map->tags[i].id == id)
            return &map->tags[i];
    }
    return NULL;
}

pov_vec3 pov_tag_corner(double edge_m, int i)
{
    static const double sign[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};

    return (pov_vec3){sign[i][0] * edge_m, sign[i][1] * edge_m, 0};
}

pov_vec2 pov_tag_middle(const pov_vec2 corner_px[4])
{
    pov_vec2 sum = {0, 0};
    for (int i = 0; i < 4; i++)
        sum = (pov_vec2){sum.x + 0.25 * corner_px[i].x, sum.y + 0.25 * corner_px[i].y};
    return sum;
}
