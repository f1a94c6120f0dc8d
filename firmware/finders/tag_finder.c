/* Tags: those of the map, of the turntable, and those that entities carry. */
#include "calib/tags/tag_map_file.h"
#include "firmware/finders/finders.h"
#include "perception/tags/tag_follower.h"

#include <stdlib.h>
#include <string.h>

static const double far_m = 1e5; /* bound for lengths in the station file; chosen */

/* ---- the station file ---- */

/* Only families that are wanted are looked for: each costs time and false alarms. */
static void add_family(pov_tag_settings *tags, pov_tag_family family)
{
    tags->is_wanted = true;
    tags->detector.family[family] = true;
}

static void read_families(pov_tag_settings *tags, pov_yaml_node node)
{
    const char *names[POV_TAG_FAMILY_COUNT];
    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++)
        names[i] = pov_tag_family_name((pov_tag_family)i);
    memset(tags->detector.family, 0, sizeof tags->detector.family);
    for (int i = 0; pov_yaml_exists(node) && i < pov_yaml_length(node); i++) {
        int family = -1;
        pov_yaml_choice(&family, pov_yaml_at(node, i), names, POV_TAG_FAMILY_COUNT);
        if (family >= 0)
            add_family(tags, (pov_tag_family)family);
    }
}

static void read_map(pov_tag_settings *tags, pov_yaml_node node)
{
    char path[POV_FINDER_PATH_CAPACITY] = "";
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return;
    pov_yaml_relative_path(path, sizeof path, node);
    pov_yaml_complain_of(node, pov_tag_map_read(&tags->map, path));
    for (int i = 0; i < tags->map.len; i++)
        add_family(tags, tags->map.tags[i].family);
}

static void read_tags(pov_finder_settings *settings, pov_yaml_node node)
{
    pov_tag_settings *tags = &settings->tags;
    pov_yaml_node follow = pov_yaml_get(node, "follow");
    bool follows = true;
    tags->detector = (pov_tag_detector_config)POV_TAG_DETECTOR_DEFAULT;
    read_families(tags, pov_yaml_get(node, "families"));
    pov_yaml_number(&tags->detector.decimate, pov_yaml_get(node, "decimate"), 1, 8);
    pov_yaml_number(&tags->detector.corner_std_px, pov_yaml_get(node, "corner_std_px"), 0.01, 10);
    pov_yaml_bool(&follows, follow);
    if (pov_yaml_exists(follow))
        tags->following = follows ? POV_FOLLOW_TAGS : POV_SEARCH_TAGS;
    read_map(tags, pov_yaml_get(node, "map"));
}

static void read_carried_tag(pov_cast_member *member, pov_finder_settings *settings, pov_yaml_node node)
{
    const char *family = "tag36h11";
    (void)settings; /* its family is added once the map is known */
    pov_yaml_string(&family, pov_yaml_get(node, "family"));
    if (!pov_tag_family_from_name(&member->tag_family, family))
        pov_yaml_complain(pov_yaml_get(node, "family"), "unknown tag family '%s'; tag36h11 is the usual one",
                          family);
    pov_yaml_integer(&member->tag_id, pov_yaml_need(node, "id", "the number of the tag it carries"), 0,
                     1 << 20);
    pov_yaml_number(&member->tag_edge_m,
                    pov_yaml_need(node, "edge_m", "the edge of the tag's black square, in metres"), 1e-4,
                    100);
    bool has_front = false;
    pov_yaml_bool(&has_front, pov_yaml_get(node, "has_front"));
    member->T_tag_entity = pov_pose_exact(pov_transform_identity());
    pov_yaml_vec3(&member->T_tag_entity.T.t_m, pov_yaml_get(node, "center_m"), -far_m, far_m);
    pov_yaml_rotation(&member->T_tag_entity.T.R, pov_yaml_get(node, "rotation"));
    if (has_front)
        member->entity.heading = pov_heading_single(0, 0);
}

static void check_carried_tags(pov_finder_settings *settings, const pov_cast *cast, pov_yaml_node node)
{
    for (int i = 0; i < cast->len; i++) {
        const pov_cast_member *member = &cast->members[i];
        if (member->found_by != &pov_found_by_tag)
            continue;
        add_family(&settings->tags, member->tag_family);
        if (pov_tag_map_find(&settings->tags.map, member->tag_family, member->tag_id))
            pov_yaml_complain(
                node,
                "'%s' carries %s id %d, which is also in the tag map as fixed to the table; give it "
                "another tag",
                member->entity.name, pov_tag_family_name(member->tag_family), member->tag_id);
    }
}

/* ---- at work ---- */

static bool wants_tags(const pov_finder_settings *settings)
{
    return settings->tags.is_wanted;
}

static bool follows_tags(const pov_finder_place *place)
{
    const pov_tag_following following = place->settings->tags.following;
    return following == POV_FOLLOW_TAGS || (following == POV_FOLLOW_TAGS_IN_VIDEO && place->is_video);
}

typedef struct {
    pov_tag_detector *detector; /* of images that stand alone, */
    pov_tag_follower *follower; /* and of a video; NULL: the other */
} tag_finder;

static void destroy_tag_finder(void *finder)
{
    tag_finder *f = finder;
    pov_tag_detector_destroy(&f->detector);
    pov_tag_follower_destroy(&f->follower);
    free(f);
}

static pov_status create_tag_finder(void **finder, const pov_finder_place *place)
{
    pov_tag_detector_config config = place->settings->tags.detector;
    config.workers = place->workers;
    tag_finder *f = *finder = pov_allocate(1, sizeof *f);
    return follows_tags(place) ? pov_tag_follower_new(&f->follower, &config)
                               : pov_tag_detector_new(&f->detector, &config);
}

static pov_status find_tags(void *finder, pov_findings *findings, const pov_finder_view *view)
{
    tag_finder *f = finder;
    return f->follower ? pov_tag_follower_run(f->follower, &findings->tags, view->image, view->memory)
                       : pov_tag_detector_run(f->detector, &findings->tags, view->image);
}

static pov_status remember_tags(void *finder, const pov_finder_view *view)
{
    return pov_tag_follower_remember(((tag_finder *)finder)->follower, view->image, view->memory);
}

const pov_finder pov_tag_finder = {
    .turn = POV_FINDS_FIRST,
    .readers = {{&pov_found_by_tag, "tag", "id and edge_m of the tag it carries", read_carried_tag}},
    .section = "tags",
    .read_section = read_tags,
    .check = check_carried_tags,
    .is_wanted = wants_tags,
    .create = create_tag_finder,
    .memory = &pov_tag_memory,
    .remembers = follows_tags,
    .run = find_tags,
    .remember = remember_tags,
    .destroy = destroy_tag_finder,
};
