#include "perception/geometry/tag.h"

#include "perception/status.h"

#include <assert.h>
#include <math.h>
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

POV_ENUM_NAMES(pov_tag_outcome_name, pov_tag_outcome, POV_TAG_OUTCOME_COUNT, "used", "not_in_map", "rejected",
               "seen", "turns")

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

void pov_tag_by_panel(double by_panel[6][6], const pov_tag_map_entry *entry)
{
    const pov_vec3 arm = pov_vec3_sub(entry->T_table_tag.T.t_m, entry->panel.middle_m);
    const double cross[3][3] = {{0, arm.z, -arm.y}, {-arm.z, 0, arm.x}, {arm.y, -arm.x, 0}}; /* tilt x arm */
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            by_panel[i][k] = i >= 3 && k < 3 ? cross[i - 3][k] : i == k;
}

void pov_tag_panel_share(double cov[6][6], const pov_tag_map_entry *entry)
{
    const pov_tag_panel *panel = &entry->panel;
    double by_panel[6][6];
    pov_tag_by_panel(by_panel, entry);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            cov[i][j] = 0;
            for (int k = 0; k < 6 && panel->name[0]; k++)
                cov[i][j] += by_panel[i][k] * by_panel[j][k] *
                             pow(k < 3 ? panel->rotation_std_rad : panel->position_std_m, 2);
        }
}
