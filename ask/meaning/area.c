#include "ask/meaning/area.h"

#include "ask/meaning/lexicon.h"
#include "perception/geometry/box.h"
#include "perception/scene/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A thing is at an edge if its outline reaches this share of the way from the middle to the border; in a corner, in both directions. Chosen. */
static const double edge_share = 0.8, corner_share = 0.7;
/* A belief outside these is sure. Chosen, as for the most of several. */
static const double sure_p = 0.95;
/* The best place: half way to the border, or at it; so far from it a place is 0.6 as good. Shares. Chosen. */
static const double half_aim = 0.5, border_aim = 0.95, aim_width = 0.25, across_width = 0.6;
/* How far a table that is no entity goes beyond the things on it. Chosen: a hand. */
static const double table_margin_m = 0.1;
/* A taller thing stands on the floor, as a refrigerator does. Chosen. */
static const double tabletop_thing_m = 0.6;

/* "on the left side of": a phrase of a relation, for things that carry nothing. */
static const pov_relation_info *direction_of_side(const pov_relation_info *relation)
{
    static const char *const sides[][2] = {{"at_the_left_side_of", "left_of"},
                                           {"at_the_right_side_of", "right_of"},
                                           {"at_the_back_of", "behind"}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (relation && strcmp(relation->name, sides[i][0]) == 0)
            return pov_relation_lookup(sides[i][1]);
    return NULL;
}

void pov_area_settle(pov_area *area, const pov_relation_info **relation, const pov_scene *scene,
                     pov_id relatum)
{
    const bool is_surface = pov_is_surface(&scene->entities[relatum]);
    if (!is_surface && area->is_side) {
        if (area->by_viewer && (*relation)->projective == POV_BEHIND)
            *relation = pov_relation_lookup("beyond");
        area->part = POV_PART_NONE;
    }
    if (area->part != POV_PART_NONE || !is_surface || !direction_of_side(*relation))
        return;
    *relation = direction_of_side(*relation);
    *area = (pov_area){.part = POV_PART_HALF, .is_side = true};
}

/* -------- judging -------- */

static pov_box box_of(const pov_entity *e)
{
    return (pov_box){e->position.mean_m, pov_vec3_scale(e->size_m, 0.5), e->R_table_box};
}

/* Where a thing is along a direction, in shares of the way from the middle of the top to its border. */
typedef struct {
    double centre, outline, across, std;
} area_shares;

/* The direction is what theta is measured from. False: sizes or places are not known. */
static bool measure_shares(area_shares *shares, const pov_scene *scene, const pov_judgment *judgment)
{
    const pov_entity *thing = &scene->entities[judgment->query.referent],
                     *top = &scene->entities[judgment->query.relatum[0]];
    const pov_vec3 v_m = pov_vec3_sub(thing->position.mean_m, top->position.mean_m);
    const double rad = atan2(v_m.y, v_m.x) - judgment->theta_rad;
    const pov_vec3 along = {cos(rad), sin(rad), 0}, across = {-sin(rad), cos(rad), 0};
    const pov_box whole = box_of(top), own = box_of(thing);
    const double half_m = pov_box_half_extent_m(&whole, along),
                 width_m = pov_box_half_extent_m(&whole, across),
                 own_m = fmax(0, pov_box_half_extent_m(&own, along));
    if (!(half_m > 0) || !(width_m > 0) || isnan(rad))
        return false;
    double variance_m2 = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            variance_m2 +=
                (i ? along.y : along.x) * (k ? along.y : along.x) * thing->position.own_cov_m2[i][k];
    *shares = (area_shares){.centre = pov_vec3_dot(v_m, along) / half_m,
                            .outline = (pov_vec3_dot(v_m, along) + (isfinite(own_m) ? own_m : 0)) / half_m,
                            .across = pov_vec3_dot(v_m, across) / width_m,
                            .std = sqrt(fmax(0, variance_m2)) / half_m};
    return true;
}

static void set_belief(pov_judgment *judgment, double p)
{
    judgment->belief.p = p;
    judgment->belief.verdict = p >= sure_p ? POV_TRUE : p <= 1 - sure_p ? POV_FALSE : POV_ABSTAIN;
}

static void and_belief(pov_judgment *judgment, double p)
{
    if (p < judgment->belief.p) /* "and", as the predicates have it */
        set_belief(judgment, p);
}

static void leave_undefined(pov_judgment *judgment)
{
    judgment->belief.p = NAN;
    judgment->belief.verdict = POV_VERDICT_UNDEFINED;
}

/* Does its outline reach so far to the border? */
static void limit_to_border(pov_judgment *judgment, const pov_scene *scene, const pov_judgment *direction,
                            double least_share)
{
    area_shares shares;
    if (!measure_shares(&shares, scene, direction)) {
        leave_undefined(judgment);
        return;
    }
    const double off = shares.outline - least_share;
    and_belief(judgment, shares.std > 0 ? erfc(-off / (shares.std * sqrt(2))) / 2 : off > 0);
}

/* A thing that stands on another is on no side of it; the direction from its middle tells the part of its top. */
static double p_of_direction(const pov_judgment *judgment)
{
    const double off_rad = POV_PI / 2 - fabs(judgment->theta_rad);
    return judgment->theta_std_rad > 0 ? erfc(-off_rad / (judgment->theta_std_rad * sqrt(2))) / 2
                                       : off_rad > 0;
}

/* The second direction's judgment, or the first again. */
static void limit_to_part(pov_judgment *judgment, const pov_judgment *across, const pov_scene *scene,
                          const pov_area *area)
{
    const pov_judgment along = *judgment;
    if (judgment->belief.verdict == POV_VERDICT_UNDEFINED ||
        across->belief.verdict == POV_VERDICT_UNDEFINED ||
        (area->by_viewer && judgment->query.perspective == POV_INTRINSIC)) {
        leave_undefined(judgment);
        return;
    }
    set_belief(judgment, fmin(p_of_direction(&along), p_of_direction(across)));
    if (area->part == POV_PART_HALF)
        return;
    limit_to_border(judgment, scene, &along, area->across ? corner_share : edge_share);
    if (area->across)
        limit_to_border(judgment, scene, across, corner_share);
}

/* Near is where the viewer is, in every convention. */
static pov_query query_along(const pov_query *query, const pov_area *area)
{
    pov_query along = *query;
    if (area->by_viewer && along.viewer != POV_ID_NONE)
        along.convention = POV_REFLECTED;
    return along;
}

static pov_query query_across(const pov_query *query, const pov_area *area)
{
    pov_query across = *query;
    if (area->across)
        across.relation = area->across;
    return area->across ? across : query_along(query, area);
}

static bool stands_on(const pov_scene *scene, pov_id thing, pov_id top)
{
    pov_id support = pov_support_likeliest(scene, thing);
    for (int i = 0; i < scene->len && support != POV_ID_NONE && support != top; i++)
        support = pov_support_likeliest(scene, support);
    return support == top;
}

pov_code pov_area_relation(pov_judgment *judgment, pov_moment *moment, const pov_query *query,
                           const pov_area *area)
{
    const pov_scene *scene = pov_moment_scene(moment);
    const pov_query first = query_along(query, area), second = query_across(query, area);
    pov_judgment across;
    const pov_code code = pov_moment_relation(moment, judgment, &first);
    if (area->part == POV_PART_NONE || code != POV_OK || pov_is_person(scene, query->referent))
        return code;
    (void)pov_moment_relation(moment, &across, &second);
    limit_to_part(judgment, &across, scene, area);
    if (!stands_on(scene, query->referent, query->relatum[0]))
        and_belief(judgment, 0);
    return judgment->belief.verdict == POV_VERDICT_UNDEFINED ? POV_UNDEFINED : POV_OK;
}

static double goodness_of(const area_shares *shares, pov_part part)
{
    const double off = part == POV_PART_HALF ? shares->centre - half_aim : shares->outline - border_aim;
    return exp(-pow(off / aim_width, 2) / 2);
}

pov_code pov_area_place(pov_judgment *judgment, double *goodness, const pov_scene *scene,
                        const pov_query *query, const pov_judging *judging, const pov_area *area)
{
    const pov_query first = query_along(query, area), second = query_across(query, area);
    pov_judgment across;
    area_shares along, sideways;
    *goodness = 0;
    const pov_code code = pov_relation_evaluate(judgment, scene, &first, judging);
    if (code != POV_OK)
        return code;
    (void)pov_relation_evaluate(&across, scene, &second, judging);
    const bool measured =
        measure_shares(&along, scene, judgment) && measure_shares(&sideways, scene, &across);
    limit_to_part(judgment, &across, scene, area);
    if (judgment->belief.verdict == POV_VERDICT_UNDEFINED)
        return POV_UNDEFINED;
    if (measured)
        *goodness =
            goodness_of(&along, area->part) * (area->across ? goodness_of(&sideways, area->part)
                                                            : exp(-pow(along.across / across_width, 2) / 2));
    return POV_OK;
}

/* -------- words -------- */

static const char *word_of(const pov_relation_info *relation, bool by_viewer)
{
    switch (relation->projective) {
    case POV_LEFT_OF:
        return "left";
    case POV_RIGHT_OF:
        return "right";
    case POV_IN_FRONT_OF:
        return by_viewer ? "near" : "front";
    case POV_BEHIND:
        return by_viewer ? "far" : "back";
    default:
        return relation->phrases[0];
    }
}

const char *pov_area_phrase(char text[64], const pov_area *area, const pov_relation_info *relation)
{
    const char *along = word_of(relation, area->by_viewer);
    if (area->part == POV_PART_NONE)
        snprintf(text, 64, "%s", relation->phrases[0]);
    else if (area->across)
        snprintf(text, 64, "in the %s %s corner of", along, word_of(area->across, false));
    else if (area->part == POV_PART_CORNER)
        snprintf(text, 64, "in the %s corner of", along);
    else
        snprintf(text, 64, area->part == POV_PART_EDGE ? "at the %s edge of" : "on the %s side of", along);
    return text;
}

/* -------- the table -------- */

pov_id pov_area_table(const pov_scene *scene)
{
    int carried[POV_ENTITY_MAX] = {0};
    pov_id most = POV_ID_NONE;
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_id support = pov_support_likeliest(scene, id);
        if (support != POV_ID_NONE)
            carried[support]++;
    }
    for (pov_id id = 0; id < scene->len; id++)
        if (pov_is_surface(&scene->entities[id]) && scene->entities[id].placed &&
            (most == POV_ID_NONE || carried[id] > carried[most]))
            most = id;
    return most;
}

/* May it stand on a table that is no entity? */
static bool is_carried_by_none(const pov_scene *scene, pov_id id)
{
    return id != scene->camera && scene->entities[id].placed && !pov_is_person(scene, id) &&
           scene->entities[id].size_m.z <= tabletop_thing_m &&
           pov_support_likeliest(scene, id) == POV_ID_NONE;
}

static double bottom_m(const pov_entity *e)
{
    const pov_box box = box_of(e);
    const double half_m = pov_box_half_extent_m(&box, (pov_vec3){0, 0, 1});
    return e->position.mean_m.z - (isfinite(half_m) ? half_m : 0);
}

static bool is_level(double a_m, double b_m)
{
    return fabs(a_m - b_m) <= 2 * POV_SUPPORT_SLACK_M;
}

/* Returns the height on which most of them stand, NAN if there are none. A thing that stands lower stands on the floor. */
static double table_height_m(const pov_scene *scene)
{
    double height_m = NAN;
    int most = 0;
    for (pov_id id = 0; id < scene->len; id++) {
        int level = 0;
        for (pov_id other = 0; other < scene->len && is_carried_by_none(scene, id); other++)
            level += is_carried_by_none(scene, other) &&
                     is_level(bottom_m(&scene->entities[id]), bottom_m(&scene->entities[other]));
        if (level > most) {
            most = level;
            height_m = bottom_m(&scene->entities[id]);
        }
    }
    return height_m;
}

pov_status pov_area_imagine_table(pov_scene *scene)
{
    const double thickness_m = 0.02, height_m = table_height_m(scene);
    const pov_vec3 axes[2] = {{1, 0, 0}, {0, 1, 0}};
    double low_m[2] = {INFINITY, INFINITY}, high_m[2] = {-INFINITY, -INFINITY};
    pov_entity table = pov_entity_named("table", "table");
    pov_id id;
    if (isnan(height_m))
        return pov_error("there is no table here that I know of, and nothing that stands on one");
    for (pov_id i = 0; i < scene->len; i++) {
        const pov_box box = box_of(&scene->entities[i]);
        if (!is_carried_by_none(scene, i) || !is_level(bottom_m(&scene->entities[i]), height_m))
            continue;
        for (int axis = 0; axis < 2; axis++) {
            const double half_m = fmax(0, pov_box_half_extent_m(&box, axes[axis])),
                         at_m = pov_vec3_dot(box.centre_m, axes[axis]);
            low_m[axis] = fmin(low_m[axis], at_m - half_m);
            high_m[axis] = fmax(high_m[axis], at_m + half_m);
        }
    }
    table.placed = table.is_hypothetical = true;
    table.R_table_box = pov_rot_yaw(0);
    table.size_m = (pov_vec3){high_m[0] - low_m[0] + 2 * table_margin_m,
                              high_m[1] - low_m[1] + 2 * table_margin_m, thickness_m};
    table.position.mean_m =
        (pov_vec3){(low_m[0] + high_m[0]) / 2, (low_m[1] + high_m[1]) / 2, height_m - thickness_m / 2};
    return pov_scene_add(scene, &id, &table);
}
