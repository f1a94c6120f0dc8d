#include "firmware/station/station.h"

#include "calib/tags/tag_map_file.h"
#include "config/scene/template_file.h"
#include "config/yaml/yaml_file.h"
#include "firmware/station/station_camera.h"
#include "firmware/station/station_cast.h"
#include "protocol/links/publisher.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double deg = POV_PI / 180;

static void read_flags(bool flags[], pov_yaml_node node, const char *(*name)(int), int count)
{
    const char *names[16];
    for (int i = 0; i < count; i++)
        names[i] = name(i);
    if (!pov_yaml_exists(node))
        return;
    memset(flags, 0, (size_t)count * sizeof *flags);
    for (int i = 0; i < pov_yaml_length(node); i++) {
        int value = 0;
        pov_yaml_choice(&value, pov_yaml_at(node, i), names, count);
        flags[value] = true;
    }
}

/* ---- tags ---- */

static const char *family_name(int i)
{
    return pov_tag_family_name((pov_tag_family)i);
}

/* Only families that someone asks for are looked for: each costs time and false alarms. */
static void look_for(pov_station *station, pov_tag_family family)
{
    station->uses_tags = true;
    station->tags.family[family] = true;
}

static void read_families(pov_station *station, pov_yaml_node families)
{
    bool *wanted = station->tags.family;
    memset(wanted, 0, POV_TAG_FAMILY_COUNT * sizeof *wanted);
    read_flags(wanted, families, family_name, POV_TAG_FAMILY_COUNT);
    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++)
        station->uses_tags |= wanted[i];
}

static void read_tags(pov_station *station, pov_yaml_node tags)
{
    pov_tag_detector_config *config = &station->tags;
    *config = (pov_tag_detector_config)POV_TAG_DETECTOR_DEFAULT;
    read_families(station, pov_yaml_get(tags, "families"));
    pov_yaml_number(&config->decimate, pov_yaml_get(tags, "decimate"), 1, 8);
    pov_yaml_number(&config->corner_std_px, pov_yaml_get(tags, "corner_std_px"), 0.01, 10);
    pov_yaml_node follow = pov_yaml_get(tags, "follow");
    bool follows = true;
    pov_yaml_bool(&follows, follow);
    if (pov_yaml_exists(follow))
        station->follow_tags = follows ? POV_FOLLOW_TAGS : POV_SEARCH_TAGS;
    pov_yaml_node map = pov_yaml_get(tags, "map");
    if (!pov_yaml_exists(map) || pov_yaml_failed(tags.file))
        return;
    char path[POV_STATION_PATH_CAPACITY] = "";
    pov_yaml_relative_path(path, sizeof path, map);
    pov_status status = pov_tag_map_read(&station->tag_map, path);
    if (status.code != POV_OK)
        pov_yaml_complain(map, "%s", status.message);
    for (int i = 0; i < station->tag_map.len; i++)
        look_for(station, station->tag_map.tags[i].family);
}

static void look_for_carried_tags(pov_station *station, pov_yaml_node cast)
{
    for (int i = 0; i < station->cast.len; i++) {
        const pov_cast_member *member = &station->cast.members[i];
        if (member->found_by != POV_FOUND_BY_TAG)
            continue;
        look_for(station, member->tag_family);
        if (pov_tag_map_find(&station->tag_map, member->tag_family, member->tag_id))
            pov_yaml_complain(
                cast,
                "'%s' carries %s id %d, which is also in the tag map as fixed to the table; give it "
                "another tag",
                member->entity.name, pov_tag_family_name(member->tag_family), member->tag_id);
    }
}

/* A station that looks for tags says what it sees of them also without a cast. */
static void read_cast(pov_station *station, pov_yaml_node root)
{
    pov_yaml_node cast = station->uses_tags ? pov_yaml_get(root, "cast")
                                            : pov_yaml_need(root, "cast", "the entities to find and judge");
    if (!station->uses_tags && pov_yaml_exists(cast) && pov_yaml_length(cast) == 0)
        pov_yaml_complain(cast, "at least one entity is needed, or tags.families or tags.map");
    pov_station_cast_read(&station->cast, &station->balls, &station->objects, &station->people,
                          &station->bodies, cast);
    for (int i = 0; i < station->cast.len; i++)
        station->uses_people |= station->cast.members[i].found_by == POV_FOUND_BY_PERSON;
    station->people.mask_len = station->balls.mask_len;
    memcpy(station->people.masks, station->balls.masks, sizeof station->people.masks);
    look_for_carried_tags(station, cast);
    pov_station_models_check_cast(&station->models, &station->cast, cast);
    if (station->uses_people)
        pov_station_models_find_people(&station->models, &station->people, cast);
}

/* ---- judging and publishing ---- */

static const char *axis_name(int i)
{
    return pov_axis_name(i);
}

static const char *acceptance_name(int i)
{
    return pov_acceptance_name(i);
}

static void read_pair(char pair[2][POV_NAME_CAPACITY], const pov_cast *cast, pov_yaml_node node)
{
    if (pov_yaml_length(node) != 2) {
        pov_yaml_complain(node, "expected [referent, relatum]");
        return;
    }
    for (int i = 0; i < 2; i++) {
        pov_yaml_copy_string(pair[i], POV_NAME_CAPACITY, pov_yaml_at(node, i));
        if (!pov_yaml_failed(node.file) && !pov_station_cast_has(cast, pair[i]))
            pov_yaml_complain(pov_yaml_at(node, i), "no entity '%s' in the cast", pair[i]);
    }
}

static void read_template(pov_station *station, pov_yaml_node node)
{
    char path[POV_STATION_PATH_CAPACITY];
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_relative_path(path, sizeof path, node);
    if (pov_yaml_failed(node.file))
        return;
    pov_status status = pov_template_read(&station->judging.regions, path);
    if (status.code != POV_OK)
        pov_yaml_complain(node, "%s", status.message);
}

/* relation.h's eight, and what else the registry calls so, are judged along directions; the others by predicates. */
static void judge_by(pov_station *station, const pov_relation_info *relation)
{
    if (relation->projective != POV_RELATION_COUNT) {
        station->judging.relation[relation->projective] = true;
        return;
    }
    station->panel.relation[pov_relation_registry_index(relation)] = true;
    station->uses_panel = true;
}

static void read_relation(pov_station *station, pov_yaml_node node)
{
    const char *name = NULL;
    pov_yaml_string(&name, node);
    if (name == NULL || pov_yaml_failed(node.file))
        return;
    const pov_relation_info *relation = pov_relation_lookup(name);
    if (relation != NULL)
        judge_by(station, relation);
    for (int i = 0; strcmp(name, "all") == 0 && i < pov_relation_registry_len(); i++)
        judge_by(station, pov_relation_registry_at(i));
    if (relation == NULL && strcmp(name, "all") != 0)
        pov_yaml_complain(node, "unknown relation '%s'; the nearest is '%s' (pov relations lists all)", name,
                          pov_relation_most_like(name)->name);
}

static void read_relations(pov_station *station, pov_yaml_node node)
{
    if (!pov_yaml_exists(node))
        return;
    memset(station->judging.relation, 0, sizeof station->judging.relation);
    if (!pov_yaml_is_list(node))
        read_relation(station, node);
    for (int i = 0; pov_yaml_is_list(node) && i < pov_yaml_length(node); i++)
        read_relation(station, pov_yaml_at(node, i));
}

static void read_viewer(char name[POV_NAME_CAPACITY], const pov_cast *cast, pov_yaml_node node)
{
    pov_yaml_copy_string(name, POV_NAME_CAPACITY, node);
    if (!pov_yaml_failed(node.file) && strcmp(name, "camera") != 0 && !pov_station_cast_has(cast, name))
        pov_yaml_complain(node, "no viewer '%s': give camera, or the id of an entity of the cast", name);
}

/* true, false, or a list of viewers. */
static void read_viewers(pov_station_viewers *viewers, const pov_cast *cast, pov_yaml_node node)
{
    viewers->all = true;
    if (!pov_yaml_is_list(node)) {
        pov_yaml_bool(&viewers->all, node);
        return;
    }
    viewers->all = false;
    if (pov_yaml_length(node) > POV_STATION_VIEWER_MAX) {
        pov_yaml_complain(node, "at most %d viewers", POV_STATION_VIEWER_MAX);
        return;
    }
    viewers->len = pov_yaml_length(node);
    for (int i = 0; i < viewers->len; i++)
        read_viewer(viewers->names[i], cast, pov_yaml_at(node, i));
}

static void read_judging(pov_station *station, pov_yaml_node node)
{
    station->judging = (pov_judging)POV_JUDGING_DEFAULT;
    station->panel = (pov_panel_config)POV_PANEL_DEFAULT;
    read_relations(station, pov_yaml_get(node, "relations"));
    read_viewers(&station->visibility, &station->cast, pov_yaml_get(node, "visibility"));
    read_viewers(&station->directions, &station->cast, pov_yaml_get(node, "directions"));
    read_flags(station->judging.axis, pov_yaml_get(node, "axes"), axis_name, POV_AXIS_COUNT);
    read_flags(station->judging.acceptance, pov_yaml_get(node, "acceptance"), acceptance_name,
               POV_ACCEPTANCE_COUNT);
    read_template(station, pov_yaml_get(node, "template"));
    pov_yaml_number(&station->judging.abstain_margin, pov_yaml_get(node, "abstain_margin"), 0, 0.4999999);
    station->panel.judging.abstain_margin = station->judging.abstain_margin;
    pov_yaml_node pairs = pov_yaml_get(node, "pairs");
    station->pair_len = pov_yaml_length(pairs);
    if (station->pair_len > POV_STATION_PAIR_MAX) {
        pov_yaml_complain(pairs, "at most %d pairs", POV_STATION_PAIR_MAX);
        station->pair_len = 0;
    }
    for (int i = 0; i < station->pair_len; i++)
        read_pair(station->pairs[i], &station->cast, pov_yaml_at(pairs, i));
}

static void read_publish(pov_station *station, pov_yaml_node node)
{
    const pov_publisher_config preset = POV_PUBLISHER_DEFAULT;
    snprintf(station->endpoint, sizeof station->endpoint, "%s", preset.endpoint);
    station->queue_capacity = preset.queue_capacity;
    pov_yaml_copy_string(station->endpoint, sizeof station->endpoint, pov_yaml_get(node, "endpoint"));
    pov_yaml_integer(&station->queue_capacity, pov_yaml_get(node, "queue"), 1, 4096);
}

/* A folder read as fast as possible says nothing about when its images were taken. */
static void read_track(pov_station *station, pov_yaml_node node)
{
    bool tracks = true;
    pov_yaml_bool(&tracks, node);
    if (pov_yaml_exists(node))
        station->track = tracks ? POV_TRACK_ALWAYS : POV_TRACK_NEVER;
}

static void read_north(pov_station *station, pov_yaml_node node)
{
    double north_deg = NAN;
    pov_yaml_number(&north_deg, node, -360, 360);
    station->has_north = !isnan(north_deg);
    station->north_yaw_rad = pov_angle_wrap(north_deg * deg);
}

static void check_pose_source(const pov_station *station, pov_yaml_node camera)
{
    if (station->pose_given && station->tag_map.len > 0)
        pov_yaml_complain(
            pov_yaml_get(camera, "pose"),
            "the camera's pose comes either from here or from tags.map; leave out one of the two");
}

static void read_turntable(pov_station *station, pov_yaml_node node)
{
    pov_station_turntable_read(&station->turntable, node);
    const pov_tag_map *turning = &station->turntable.disc.tags;
    for (int i = 0; i < turning->len && station->turntable.measured; i++) {
        const pov_tag_map_entry *tag = &turning->tags[i];
        look_for(station, tag->family);
        if (pov_tag_map_find(&station->tag_map, tag->family, tag->id))
            pov_yaml_complain(
                pov_yaml_get(node, "calibration"),
                "%s %d is on the turntable, and in tags.map as fixed to the table; take it out of one",
                pov_tag_family_name(tag->family), tag->id);
    }
}

static void check_prior(const pov_station *station, pov_yaml_node camera)
{
    pov_yaml_node prior = pov_yaml_get(camera, "prior");
    if (pov_yaml_exists(prior) && station->tag_map.len == 0)
        pov_yaml_complain(
            prior, "weighs camera poses by tags, but there is no tags.map; add one, or leave this out");
}

/* Where enrolled objects are looked for. */
static void read_table(pov_station_objects *objects, pov_yaml_node node)
{
    double m[4] = {0};
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_numbers(m, node, 4, -1e5, 1e5);
    if (!pov_yaml_failed(node.file) && (m[0] >= m[2] || m[1] >= m[3]))
        pov_yaml_complain(
            node, "the part of the table on which objects stand: [x, y, x, y] of its least and its greatest "
                  "corner");
    objects->has_area = true;
    objects->area = (pov_object_area){{m[0], m[1]}, {m[2], m[3]}};
}

static pov_status read_all(pov_station *station, pov_yaml_file *file)
{
    pov_yaml_node root = pov_yaml_root(file);
    const char *about = NULL;
    pov_yaml_string(&about, pov_yaml_get(root, "about")); /* for people */
    pov_yaml_node camera =
        pov_yaml_need(root, "camera", "where images come from, and the camera's calibration");
    pov_station_camera_read(station, camera);
    read_tags(station, pov_yaml_get(root, "tags"));
    check_pose_source(station, camera);
    check_prior(station, camera);
    pov_station_models_read(&station->models, pov_yaml_get(root, "models"));
    read_cast(station, root);
    read_table(&station->objects, pov_yaml_get(root, "table_m"));
    read_north(station, pov_yaml_get(root, "north_deg"));
    read_track(station, pov_yaml_get(root, "track"));
    read_judging(station, pov_yaml_get(root, "judge"));
    read_publish(station, pov_yaml_get(root, "publish"));
    read_turntable(station, pov_yaml_get(root, "turntable"));
    pov_vlm_config_read(&station->vlm, pov_yaml_get(root, "vlm"));
    return pov_yaml_finish(file);
}

pov_status pov_station_read(pov_station *station, const char *path)
{
    memset(station, 0, sizeof *station);
    pov_yaml_file *file;
    POV_TRY(pov_yaml_open(&file, path));
    pov_status status = read_all(station, file);
    pov_yaml_close(&file);
    return status;
}

pov_status pov_station_parse(pov_station *station, const char *name, const char *text, size_t length)
{
    memset(station, 0, sizeof *station);
    pov_yaml_file *file;
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    pov_status status = read_all(station, file);
    pov_yaml_close(&file);
    return status;
}
