/* Enrolled objects. */
#include "config/objects/portrait_file.h"
#include "firmware/finders/finders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double far_m = 1e5; /* bound for lengths in the station file; chosen */

/* ---- the station file ---- */

/* Read once to complain in time; they are read again when the station starts. */
static pov_status check_portraits(const char *path)
{
    pov_portraits *portraits = malloc(sizeof *portraits);
    pov_status status = portraits ? pov_portraits_read(portraits, path) : pov_error("out of memory");
    if (status.code == POV_OK && portraits->len == 0)
        status = pov_error(
            "%s: was enrolled from images alone, so its size is not known; enrol it at the station: "
            "'pov enrol NAME --station FILE'",
            path);
    free(portraits);
    return status;
}

/* Identical objects need one entry, which numbers them: two entries could not be told apart. */
static void check_make(const pov_enrolled_settings *enrolled, int first, pov_yaml_node model)
{
    for (int i = 0; i < first; i++)
        if (strcmp(enrolled->objects[i].model, enrolled->objects[first].model) == 0)
            pov_yaml_complain(model, "another entity is enrolled as that, too; give one of them count: 2");
}

static void read_enrolled(pov_cast_member *member, pov_finder_settings *settings, pov_yaml_node node)
{
    pov_enrolled_settings *enrolled = &settings->enrolled;
    const int first = enrolled->len;
    int count = 1;
    pov_yaml_node count_node = pov_yaml_get(node, "count");
    pov_yaml_integer(&count, count_node, 1, POV_OBJECT_MAX);
    if (first + count > POV_OBJECT_MAX) {
        pov_yaml_complain(node, "at most %d enrolled objects", POV_OBJECT_MAX);
        return;
    }
    member->kind = first;
    member->count = count;
    char *path = enrolled->objects[first].model;
    double *at_m = &enrolled->objects[first].stands_on_m, *std_m = &enrolled->objects[first].stands_on_std_m;
    const pov_yaml_node model = pov_yaml_need(node, "model", "the file that 'pov enrol' wrote");
    *path = '\0';
    *at_m = 0;
    *std_m = 0.001;
    pov_yaml_relative_path(path, POV_FINDER_PATH_CAPACITY, model);
    pov_yaml_number(at_m, pov_yaml_get(node, "stands_on_m"), -far_m, far_m);
    pov_yaml_number(std_m, pov_yaml_get(node, "stands_on_std_m"), 0, far_m);
    if (pov_yaml_failed(node.file))
        return;
    check_make(enrolled, first, model);
    for (int i = 1; i < count; i++) {
        enrolled->objects[first + i] = enrolled->objects[first];
        enrolled->objects[first + i].is_another = true;
    }
    enrolled->len += count;
    pov_yaml_complain_of(model, check_portraits(path));
}

/* The part of the table that is searched. */
static void read_table(pov_finder_settings *settings, pov_yaml_node node)
{
    double m[4] = {0};
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_numbers(m, node, 4, -1e5, 1e5);
    if (!pov_yaml_failed(node.file) && (m[0] >= m[2] || m[1] >= m[3]))
        pov_yaml_complain(
            node, "the part of the table on which objects stand: [x, y, x, y] of its least and its greatest "
                  "corner");
    settings->enrolled.has_area = true;
    settings->enrolled.area = (pov_object_area){{m[0], m[1]}, {m[2], m[3]}};
}

/* ---- tags that hide or resemble objects ---- */

static const double with_margin = 1.3; /* of a tag's edge: most families need white around; chosen */

/* False if the tag is not where the map has it: then its depth is not known. */
static bool take_tag(pov_object_other *other, const pov_tag *tag, const pov_vec3 *middle_m,
                     const pov_camera *camera)
{
    pov_vec2 expected_px;
    const pov_vec2 middle_px = pov_tag_middle(tag->corner_px), corner_px = tag->corner_px[0];
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

void pov_finder_others(pov_object_others *others, const pov_tags *tags, const pov_finder_place *place,
                       const pov_pose *T_table_camera)
{
    others->len = 0;
    if (!T_table_camera)
        return;
    const pov_transform T_camera_table = pov_transform_inverse(T_table_camera->T);
    for (int i = 0; i < tags->len && others->len < POV_OBJECT_OTHERS_MAX; i++) {
        const pov_tag *tag = &tags->tags[i];
        const pov_tag_map_entry *entry = pov_tag_map_find(&place->settings->tags.map, tag->family, tag->id);
        if (!entry)
            continue;
        const pov_vec3 middle_m = pov_transform_apply(T_camera_table, entry->T_table_tag.T.t_m);
        others->len += take_tag(&others->others[others->len], tag, &middle_m, place->camera);
    }
}

/* ---- at work ---- */

typedef struct {
    pov_finder_place place;
    pov_object_finder *objects;
} enrolled_finder;

static bool wants_enrolled(const pov_finder_settings *settings)
{
    return settings->enrolled.len > 0;
}

static void destroy_enrolled_finder(void *finder)
{
    pov_object_finder_destroy(&((enrolled_finder *)finder)->objects);
    free(finder);
}

static pov_status read_portraits(pov_object_finder_config *config, pov_portraits *portraits,
                                 const pov_enrolled_settings *enrolled)
{
    config->kind_len = enrolled->len;
    config->has_area = enrolled->has_area;
    config->area = enrolled->area;
    for (int i = 0; i < enrolled->len; i++) {
        POV_TRY(pov_portraits_read(&portraits[i], enrolled->objects[i].model));
        config->kinds[i] =
            (pov_object_kind){&portraits[i], enrolled->objects[i].stands_on_m,
                              enrolled->objects[i].stands_on_std_m, enrolled->objects[i].is_another};
    }
    return pov_ok();
}

static pov_status create_enrolled_finder(void **finder, const pov_finder_place *place)
{
    const pov_enrolled_settings *enrolled = &place->settings->enrolled;
    pov_object_finder_config config = {.workers = place->workers};
    enrolled_finder *f = *finder = calloc(1, sizeof *f);
    pov_portraits *portraits = calloc((size_t)enrolled->len, sizeof *portraits);
    pov_status status = f && portraits ? read_portraits(&config, portraits, enrolled)
                                       : pov_error("enrolled objects: out of memory");
    if (status.code == POV_OK) {
        f->place = *place;
        status = pov_object_finder_new(&f->objects, &config, place->camera);
    }
    free(portraits);
    return status;
}

static pov_status find_enrolled(void *finder, pov_findings *findings, const pov_finder_view *view)
{
    enrolled_finder *f = finder;
    pov_object_others others;
    pov_finder_others(&others, &findings->tags, &f->place, view->T_table_camera);
    return pov_object_finder_run(f->objects, &findings->objects, view->image, view->T_table_camera, &others,
                                 view->memory);
}

static pov_status remember_enrolled(void *finder, const pov_finder_view *view)
{
    pov_object_finder_remember(((enrolled_finder *)finder)->objects, view->image, view->memory);
    return pov_ok();
}

const pov_finder pov_enrolled_finder = {
    .turn = POV_FINDS_BY_POSE,
    .readers = {{&pov_found_by_enrolled, "enrolled", "model, the file that 'pov enrol' wrote",
                 read_enrolled}},
    .section = "table_m",
    .read_section = read_table,
    .is_wanted = wants_enrolled,
    .create = create_enrolled_finder,
    .memory = &pov_object_memory,
    .run = find_enrolled,
    .remember = remember_enrolled,
    .destroy = destroy_enrolled_finder,
};
