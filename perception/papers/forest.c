#include "perception/papers/forest.h"

#include "perception/relations/expectation/bearing.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/* The camera stands this far from a relatum of 1 m; outside and inside of its sides. */
static const double camera_distance_m = 5, outside_m = 1.5, inside_m = 0.25;

enum { REFERENT, RELATUM }; /* as added to a placed scene, before the camera */

static bool is_intrinsic(pov_forest_frame frame)
{
    return frame == POV_EXTERNAL_INTRINSIC || frame == POV_INTERNAL_INTRINSIC;
}

static bool is_internal(pov_forest_frame frame)
{
    return frame == POV_INTERNAL_INTRINSIC || frame == POV_INTERNAL_RELATIVE;
}

bool pov_forest_frame_applies(pov_forest_frame frame, pov_relatum_case relatum)
{
    return (relatum.has_front || !is_intrinsic(frame)) && (relatum.is_container || !is_internal(frame));
}

/* -------- a scene that shows it -------- */

static void add_placed(pov_scene *scene, const char *name, pov_vec3 position_m, const pov_heading *heading)
{
    pov_id id;
    pov_entity entity = pov_entity_named(name, name);
    entity.placed = true;
    entity.position.mean_m = position_m;
    entity.size_m = (pov_vec3){1, 1, 1};
    if (heading)
        entity.heading = *heading;
    pov_status status = pov_scene_add(scene, &id, &entity);
    POV_REQUIRE(status.code == POV_OK);
}

/* The relatum at the origin; the camera at -y, looking to +y, so that "toward" is -y. */
static void place_referent(pov_scene *scene, double referent_yaw_rad, bool internal, const pov_facing *facing)
{
    double distance_m = internal ? inside_m : outside_m;
    pov_heading front = {.len = 0};
    if (facing)
        front = pov_heading_single(-POV_PI / 2 - (double)*facing * POV_PI / 2, INFINITY);
    pov_scene_clear(scene);
    add_placed(scene, "referent",
               (pov_vec3){distance_m * cos(referent_yaw_rad), distance_m * sin(referent_yaw_rad), 0}, NULL);
    add_placed(scene, "relatum", (pov_vec3){0, 0, 0}, &front);
    pov_pose pose = pov_pose_exact(pov_transform_look_at((pov_vec3){0, -camera_distance_m, 0},
                                                         (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    pov_status status = pov_scene_add_camera(scene, &pose);
    POV_REQUIRE(status.code == POV_OK);
}

/* Distance of the referent from the best example of a relation; NaN where it is undefined. */
static double angle_off(const pov_scene *scene, pov_relation relation, pov_asked asked)
{
    const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_judgment judgment;
    bool by_camera = asked == POV_ASK_CAMERA;
    pov_query query = {.referent = REFERENT,
                       .relatum = {RELATUM},
                       .relatum_len = 1,
                       .relation = pov_relation_info_of(relation),
                       .perspective = by_camera ? POV_EGOCENTRIC : POV_INTRINSIC,
                       .viewer = by_camera ? scene->camera : POV_ID_NONE,
                       .convention = by_camera ? POV_REFLECTED : POV_NO_CONVENTION,
                       .axis = by_camera ? POV_SIGHT_LINE : POV_HEADING,
                       .acceptance = POV_HEMISPHERE};
    (void)pov_relation_evaluate(&judgment, scene, &query, &judging);
    return fabs(judgment.theta_rad);
}

/* Turns the referent about the relatum until it is the best example of what was said. */
static pov_code place_as_said(pov_scene *scene, pov_relation relation, pov_forest_frame frame,
                              const pov_facing *facing)
{
    pov_asked said_by = is_intrinsic(frame) ? POV_ASK_RELATUM : POV_ASK_CAMERA;
    for (int quarter = 0; quarter < 4; quarter++) {
        place_referent(scene, quarter * POV_PI / 2, is_internal(frame), facing);
        if (angle_off(scene, relation, said_by) < POV_PI / 8)
            return POV_OK;
    }
    return POV_UNDEFINED;
}

pov_code pov_forest_convert(pov_relation *answer, pov_relation relation, pov_forest_frame frame,
                            pov_asked asked, const pov_facing *facing)
{
    pov_scene scene;
    POV_REQUIRE(relation <= POV_BEHIND && frame < POV_FOREST_FRAME_COUNT && asked < POV_ASK_COUNT);
    *answer = POV_RELATION_COUNT;
    pov_code code = place_as_said(&scene, relation, frame, facing);
    for (int candidate = POV_LEFT_OF; code == POV_OK && candidate <= POV_BEHIND; candidate++)
        if (angle_off(&scene, (pov_relation)candidate, asked) < POV_PI / 8)
            *answer = (pov_relation)candidate;
    return *answer == POV_RELATION_COUNT ? POV_UNDEFINED : POV_OK;
}

/* -------- facing -------- */

static const double facing_edges_rad[] = {-40 * POV_PI / 180, 40 * POV_PI / 180, 140 * POV_PI / 180,
                                          220 * POV_PI / 180};
static_assert(sizeof facing_edges_rad / sizeof *facing_edges_rad == POV_FACING_COUNT, "one edge a facing");

/* The bearing of the camera from the relatum's heading, counter-clockwise, is the heading's from the camera,
 * clockwise. */
pov_code pov_facing_in_scene(double p[POV_FACING_COUNT], const pov_scene *scene, pov_id relatum)
{
    pov_bearing bearing;
    for (int i = 0; i < POV_FACING_COUNT; i++)
        p[i] = NAN;
    if (scene->camera == POV_ID_NONE || relatum == scene->camera ||
        pov_bearing_about_front(&bearing, scene, relatum, scene->camera) != POV_OK)
        return POV_UNDEFINED;
    pov_bearing_sectors(p, &bearing, facing_edges_rad, POV_FACING_COUNT);
    return POV_OK;
}

/* -------- names -------- */

POV_ENUM_NAMES(pov_facing_name, pov_facing, POV_FACING_COUNT, "toward", "left", "away", "right")

POV_ENUM_NAMES(pov_forest_frame_name, pov_forest_frame, POV_FOREST_FRAME_COUNT, "external_relative",
               "external_intrinsic", "internal_intrinsic", "internal_relative")

const char *pov_relatum_case_name(pov_relatum_case relatum)
{
    if (relatum.has_front)
        return relatum.is_container ? "car" : "cow";
    return relatum.is_container ? "box" : "pen";
}
