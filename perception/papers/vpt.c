#include "perception/papers/vpt.h"

#include "perception/geometry/linalg.h"
#include "perception/papers/in_image.h"
#include "perception/relations/expectation/bearing.h"
#include "perception/scene/support.h"

#include <math.h>

bool pov_vpt_is_figure(const pov_scene *scene, pov_id id)
{
    return id != scene->camera && (scene->entities[id].addressee || scene->entities[id].can_see);
}

static bool carries_others(const pov_scene *scene, pov_id id)
{
    for (int i = 0; i < scene->len; i++)
        if (i != id && i != scene->camera && pov_support_likeliest(scene, i) == id)
            return true;
    return false;
}

static void add_chance(pov_vpt_count *count, double p)
{
    count->number += p >= 0.5;
    count->p *= fmax(p, 1 - p);
}

void pov_vpt_count_all(pov_vpt_count *objects, pov_vpt_count *figures, const pov_occlusion *occlusion,
                       const pov_seeing *seeing)
{
    const pov_scene *scene = pov_occlusion_scene(occlusion);
    *objects = *figures = (pov_vpt_count){.p = 1};
    for (pov_id id = 0; id < scene->len; id++) {
        if (id == scene->camera || !scene->entities[id].placed)
            continue;
        if (scene->entities[id].is_imagined)
            continue;
        if (pov_vpt_is_figure(scene, id))
            add_chance(figures, pov_in_image(occlusion, id, seeing, POV_IN_IMAGE_MIN_FRACTION));
        else if (!carries_others(scene, id))
            add_chance(objects, pov_in_image(occlusion, id, seeing, POV_IN_IMAGE_MIN_FRACTION));
    }
}

/* -------- directions -------- */

static pov_vpt_direction no_direction(void)
{
    pov_vpt_direction direction = {.p_gold = NAN};
    for (int i = 0; i < POV_VPT_PARTS; i++)
        direction.p[i] = NAN;
    return direction;
}

/* Bearings are counter-clockwise; the answers go clockwise. */
static pov_vpt_direction direction_of(const pov_bearing *bearing, double diagonal_half_rad)
{
    double edges[POV_VPT_PARTS], p[POV_VPT_PARTS];
    for (int i = 0; i < POV_VPT_DIRECTIONS; i++) {
        edges[2 * i] = i * POV_PI / 2 - (POV_PI / 4 - diagonal_half_rad);
        edges[2 * i + 1] = i * POV_PI / 2 + (POV_PI / 4 - diagonal_half_rad);
    }
    pov_bearing_sectors(p, bearing, edges, POV_VPT_PARTS);
    pov_vpt_direction direction = {.defined = true};
    int best = 0;
    for (int i = 0; i < POV_VPT_PARTS; i++) {
        direction.p[i] = p[(POV_VPT_PARTS - i) % POV_VPT_PARTS];
        best = direction.p[i] > direction.p[best] ? i : best;
    }
    direction.p_gold = direction.p[best];
    direction.gold[best / 2] = true;
    direction.gold[(best + 1) / 2 % POV_VPT_DIRECTIONS] = true;
    return direction;
}

/* North: the camera's heading, whose error goes with what the camera saw, or the scene's, which has none. */
typedef struct {
    bool exists;
    pov_id whose; /* POV_ID_NONE: the scene's */
    double yaw_rad;
} north_axis;

static north_axis north_of(const pov_scene *scene, pov_vpt_north rule)
{
    if (rule == POV_NORTH_OF_SCENE)
        return (north_axis){scene->has_north, POV_ID_NONE, scene->north_yaw_rad};
    const pov_heading_mode *mode =
        scene->camera == POV_ID_NONE ? NULL : pov_heading_heaviest(&scene->entities[scene->camera].heading);
    return (north_axis){mode != NULL, scene->camera, mode ? mode->yaw_rad : NAN};
}

static pov_vpt_direction find_where(const pov_scene *scene, pov_id figure, pov_id object,
                                    const north_axis *north, double diagonal_half_rad)
{
    pov_bearing bearing;
    if (!north->exists)
        return no_direction();
    const pov_code code = north->whose == POV_ID_NONE
                              ? pov_bearing_between(&bearing, scene, figure, object)
                              : pov_bearing_about_heading(&bearing, scene, figure, object, north->whose);
    if (code != POV_OK)
        return no_direction();
    if (north->whose == POV_ID_NONE)
        bearing.heading = pov_heading_single(north->yaw_rad, INFINITY);
    return direction_of(&bearing, diagonal_half_rad);
}

static pov_vpt_direction find_for_figure(const pov_scene *scene, pov_id figure, pov_id object,
                                         double diagonal_half_rad)
{
    pov_bearing bearing;
    if (pov_bearing_about_front(&bearing, scene, figure, object) != POV_OK)
        return no_direction();
    return direction_of(&bearing, diagonal_half_rad);
}

/* How far the camera pose's error turns the figure's front against north. */
static double shared_std(const pov_scene *scene, pov_id figure, const north_axis *north)
{
    double turn[6], variance;
    for (int k = 0; k < 6; k++) {
        turn[k] = scene->entities[figure].heading_ties.per_camera_pose[k];
        if (north->whose != POV_ID_NONE)
            turn[k] -= scene->entities[north->whose].heading_ties.per_camera_pose[k];
    }
    pov_sandwich(&variance, turn, &scene->camera_pose_cov[0][0], 1, 6);
    return fmin(sqrt(fmax(0, variance)), POV_EVEN_STD_RAD);
}

/* North's bearing about the figure's front is minus the front's about north. */
static pov_vpt_direction find_facing(const pov_scene *scene, pov_id figure, const north_axis *north,
                                     double diagonal_half_rad)
{
    if (!north->exists || scene->entities[figure].heading.len == 0)
        return no_direction();
    const pov_heading front = pov_heading_apart_from_camera(scene, figure);
    pov_bearing bearing = pov_bearing_to_direction(north->yaw_rad, shared_std(scene, figure, north), &front);
    pov_vpt_direction mirrored = direction_of(&bearing, diagonal_half_rad), direction = mirrored;
    for (int i = 0; i < POV_VPT_PARTS; i++)
        direction.p[i] = mirrored.p[(POV_VPT_PARTS - i) % POV_VPT_PARTS];
    for (int i = 0; i < POV_VPT_DIRECTIONS; i++)
        direction.gold[i] = mirrored.gold[(POV_VPT_DIRECTIONS - i) % POV_VPT_DIRECTIONS];
    return direction;
}

pov_vpt_direction pov_vpt_facing(const pov_scene *scene, pov_id figure, const pov_vpt_options *options)
{
    const north_axis north = north_of(scene, options->north);
    return find_facing(scene, figure, &north, options->diagonal_half_rad);
}

void pov_vpt_answer(pov_vpt_answers *answers, const pov_occlusion *occlusion, pov_id figure, pov_id object,
                    const pov_vpt_options *options)
{
    const pov_scene *scene = pov_occlusion_scene(occlusion);
    POV_REQUIRE(figure >= 0 && figure < scene->len && object >= 0 && object < scene->len && figure != object);
    POV_REQUIRE(options->diagonal_half_rad > 0 && options->diagonal_half_rad <= POV_PI / 4);
    const north_axis north = north_of(scene, options->north);
    *answers = (pov_vpt_answers){.p_same_surface = pov_support_shared(scene, figure, object)};
    answers->where = find_where(scene, figure, object, &north, options->diagonal_half_rad);
    answers->facing = find_facing(scene, figure, &north, options->diagonal_half_rad);
    answers->for_figure = find_for_figure(scene, figure, object, options->diagonal_half_rad);
    (void)pov_visibility_evaluate(occlusion, &answers->sees, figure, object, &options->seeing);
}
