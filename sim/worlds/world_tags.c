/* The tags of a world file. */
#include "sim/worlds/world_reader.h"

#include "calib/tags/tag_map_file.h"

#include <math.h>

static void read_family(int *family, pov_yaml_node node)
{
    const char *names[POV_TAG_FAMILY_COUNT];
    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++)
        names[i] = pov_tag_family_name((pov_tag_family)i);
    pov_yaml_choice(family, node, names, POV_TAG_FAMILY_COUNT);
}

static void add_tag(pov_tag_map *map, const pov_tag_map_entry *tag, const pov_world *world,
                    pov_yaml_node node)
{
    if (pov_yaml_failed(node.file))
        return;
    if (pov_tag_map_find(&world->tags, tag->family, tag->id) ||
        pov_tag_map_find(&world->disc_tags, tag->family, tag->id))
        pov_yaml_complain(node, "%s %d is there already; each printed tag has a number of its own",
                          pov_tag_family_name(tag->family), tag->id);
    else if (map->len == POV_TAG_MAP_MAX)
        pov_yaml_complain(node, "at most %d tags", POV_TAG_MAP_MAX);
    else
        map->tags[map->len++] = *tag;
}

/* Lies face up; read with its top away from -y at yaw 0. */
static pov_tag_map_entry lying_tag(int family, int id, double edge_m, pov_vec3 place_m, double yaw_rad)
{
    return (pov_tag_map_entry){.family = (pov_tag_family)family,
                               .id = id,
                               .edge_m = edge_m,
                               .T_table_tag = pov_pose_exact((pov_transform){pov_rot_yaw(yaw_rad), place_m})};
}

static void read_lying(pov_world *world, pov_yaml_node list, int family, double edge_m)
{
    for (int i = 0; i < pov_yaml_length(list) && !pov_yaml_failed(list.file); i++) {
        pov_yaml_node node = pov_yaml_at(list, i);
        int id = 0;
        double own_edge_m = edge_m, yaw_deg = 0;
        pov_vec3 place_m = {0};
        pov_yaml_integer(&id, pov_yaml_need(node, "id", "the tag's number in its family"), 0, 1 << 16);
        (void)pov_world_read_place(&place_m, pov_yaml_need(node, "position_m", "the tag's centre: [x, y]"));
        pov_yaml_number(&yaw_deg, pov_yaml_get(node, "yaw_deg"), -360, 360);
        pov_yaml_number(&own_edge_m, pov_yaml_get(node, "edge_m"), 1e-3, 100);
        const pov_tag_map_entry tag = lying_tag(family, id, own_edge_m, place_m, yaw_deg * POV_WORLD_DEG);
        add_tag(&world->tags, &tag, world, node);
    }
}

/* A ring on the turntable's disc, each read from outside. */
static void read_ring(pov_world *world, pov_yaml_node node, int family, double edge_m)
{
    const pov_world_turntable *disc = &world->turntable;
    int first = 0, count = 8;
    if (!pov_yaml_exists(node))
        return;
    if (!disc->present) {
        pov_yaml_complain(node, "lies on the turntable, but the world has none; add turntable: {...}");
        return;
    }
    pov_yaml_integer(&first, pov_yaml_get(node, "first_id"), 0, 1 << 16);
    pov_yaml_integer(&count, pov_yaml_get(node, "count"), 1, POV_TAG_MAP_MAX);
    pov_yaml_number(&edge_m, pov_yaml_get(node, "edge_m"), 1e-3, 100);
    double radius_m = disc->radius_m - edge_m;
    pov_yaml_number(&radius_m, pov_yaml_get(node, "radius_m"), 0, disc->radius_m);
    for (int i = 0; i < count; i++) {
        const double angle_rad = 2 * POV_PI * i / count;
        const pov_vec3 place_m = {disc->centre_m.x + radius_m * cos(angle_rad),
                                  disc->centre_m.y + radius_m * sin(angle_rad), disc->height_m};
        const pov_tag_map_entry tag = lying_tag(family, first + i, edge_m, place_m, angle_rad + POV_PI / 2);
        add_tag(&world->disc_tags, &tag, world, node);
    }
}

void pov_world_read_tags(pov_world *world, pov_yaml_node node)
{
    int family = POV_TAG36H11;
    double edge_m = 0.06;
    char path[1024] = "";
    if (!pov_yaml_exists(node))
        return;
    read_family(&family, pov_yaml_get(node, "family"));
    pov_yaml_number(&edge_m, pov_yaml_get(node, "edge_m"), 1e-3, 100);
    pov_yaml_node map = pov_yaml_get(node, "map"), lying = pov_yaml_get(node, "lying");
    pov_yaml_relative_path(path, sizeof path, map);
    if (pov_yaml_exists(map) && !pov_yaml_failed(node.file)) {
        const pov_status status = pov_tag_map_read(&world->tags, path);
        if (status.code != POV_OK)
            pov_yaml_complain(map, "%s", status.message);
    } else if (pov_yaml_exists(lying)) {
        world->tags.len = 0;
    }
    read_lying(world, lying, family, edge_m);
    if (pov_yaml_exists(pov_yaml_get(node, "ring")))
        world->disc_tags.len = 0;
    read_ring(world, pov_yaml_get(node, "ring"), family, edge_m);
}
