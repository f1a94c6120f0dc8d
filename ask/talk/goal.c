#include "ask/talk/goal.h"

#include "ask/meaning/measure.h"
#include "perception/scene/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places tried along each side of the support. Chosen: 3 cm on a table of 80 cm; the bench tells the time. */
enum { PLACES = 26 };
/* Beside nothing known to stand on: a square of this half side about the relatum. Chosen: an arm's length. */
static const double ground_half_m = 0.6;
/* Room between it and other things. Chosen: a finger. */
static const double clearance_m = 0.01;
/* Moved without an amount: by twice its width. Tolerance of a step, and of one in centimetres, as shares of it. Chosen. */
static const double usual_step_widths = 2, step_share = 0.4, exact_share = 0.1;
/* A thing stands on another that is at least so large in both directions, and lies in one that is larger. Chosen. */
static const double standing_share = 0.4, holding_share = 0.95;
/* Places so much worse than the best do not count to the region. Chosen. */
static const double region_share = 0.25;

typedef struct {
    double x, y, weight;
} goal_place;

typedef struct {
    const pov_context *context;
    const pov_goal_asked *asked;
    const pov_hypothesis *frame;
    pov_scene *imagined;
    pov_id anchor; /* the relatum, or the ghost of the object where it is now */
    pov_id support;
    double z_m, radius_m, reach_m;
    double low[2], high[2];
    int len;
    goal_place places[PLACES * PLACES];
} goal_search;

/* The nearer to the anchor, the better, in whichever direction. */
static bool is_by_place(const pov_goal_asked *asked)
{
    return (asked->middle || asked->onto || asked->into || asked->on_ground) &&
           asked->area.part == POV_PART_NONE;
}

static double width_of(const pov_entity *entity)
{
    return fmax(entity->size_m.x, entity->size_m.y);
}

/* Half its extent along the table's axes. */
static void half_footprint(double half_m[2], const pov_entity *entity)
{
    for (int i = 0; i < 2; i++)
        half_m[i] = (fabs(entity->R_table_box.m[i][0]) * entity->size_m.x +
                     fabs(entity->R_table_box.m[i][1]) * entity->size_m.y +
                     fabs(entity->R_table_box.m[i][2]) * entity->size_m.z) /
                    2;
}

static double top_of(const pov_entity *entity)
{
    return entity->position.mean_m.z + entity->size_m.z / 2;
}

static double bottom_of(const pov_entity *entity)
{
    return entity->position.mean_m.z - entity->size_m.z / 2;
}

/* Everything where it most likely is: places are compared, and judged with the errors only at the end. */
static void forget_errors(pov_scene *scene)
{
    memset(scene->camera_pose_cov, 0, sizeof scene->camera_pose_cov);
    for (pov_id id = 0; id < scene->len; id++) {
        pov_entity *entity = &scene->entities[id];
        memset(entity->position.own_cov_m2, 0, sizeof entity->position.own_cov_m2);
        memset(entity->position.per_camera_pose, 0, sizeof entity->position.per_camera_pose);
        memset(&entity->heading_ties, 0, sizeof entity->heading_ties);
        const pov_heading_mode *mode = pov_heading_heaviest(&entity->heading);
        if (mode)
            entity->heading = pov_heading_single(mode->yaw_rad, 1e12);
    }
}

static void place_object(pov_scene *scene, pov_id object, double x_m, double y_m, double z_m)
{
    pov_position *position = &scene->entities[object].position;
    *position = (pov_position){.mean_m = {x_m, y_m, z_m}};
    scene->entities[object].placed = true;
}

/* The place that it leaves: "to the left" is left of that. */
static pov_id add_ghost(pov_scene *scene, pov_id object)
{
    if (scene->len == POV_ENTITY_MAX)
        return object;
    scene->entities[scene->len] = scene->entities[object];
    strcpy(scene->entities[scene->len].name, "?");
    return scene->len++;
}

pov_id pov_goal_lowest_support(const pov_scene *scene, pov_id id)
{
    pov_id support = pov_support_likeliest(scene, id), next = support;
    for (int i = 0; i < scene->len && next != POV_ID_NONE; i++) {
        support = next;
        next = pov_support_likeliest(scene, support);
    }
    return support;
}

/* Beside another thing: on that thing's support. A person stands on none; then on the table, not on a book that lies there. */
static void find_support(goal_search *s)
{
    const pov_scene *scene = s->imagined;
    const pov_entity *object = &scene->entities[s->asked->object];
    pov_id relatum = s->asked->relatum_len > 0 ? s->anchor : s->asked->object;
    const bool beside = relatum < s->context->scene->len && relatum != s->asked->object;
    const bool by_thing = beside && relatum != s->context->scene->camera && !pov_is_person(scene, relatum);
    s->support = s->asked->onto || s->asked->into || s->asked->on_edge ? relatum
                 : beside ? pov_support_likeliest(s->context->scene, relatum)
                          : pov_support_likeliest(s->context->scene, s->asked->object);
    const pov_id lowest = pov_goal_lowest_support(s->context->scene, s->asked->object);
    if (s->support == POV_ID_NONE && !by_thing)
        s->support = lowest;
    if (s->asked->middle)
        s->support = s->anchor;
    double half_m[2] = {ground_half_m, ground_half_m}, own_m[2];
    pov_vec3 centre_m = scene->entities[relatum].position.mean_m;
    half_footprint(own_m, object);
    if (s->asked->on_ground)
        s->support = POV_ID_NONE;
    if (s->support != POV_ID_NONE) {
        centre_m = scene->entities[s->support].position.mean_m;
        half_footprint(half_m, &scene->entities[s->support]);
        s->z_m = (s->asked->into ? bottom_of(&scene->entities[s->support])
                                 : top_of(&scene->entities[s->support])) +
                 object->size_m.z / 2;
    } else /* on what carries the thing beside which it goes, which is no entity */
        s->z_m = by_thing              ? bottom_of(&scene->entities[relatum]) + object->size_m.z / 2
                 : s->asked->on_ground ? bottom_of(&scene->entities[lowest]) + object->size_m.z / 2
                                       : object->position.mean_m.z;
    const bool moved = s->asked->relatum_len > 0 && s->asked->relatum[0] == s->asked->object;
    for (int i = 0; i < 2; i++) {
        double reach_m = fmax(0, half_m[i] - (s->asked->onto ? 0 : own_m[i]));
        double centre = i == 0 ? centre_m.x : centre_m.y;
        s->low[i] = centre - reach_m;
        s->high[i] = centre + reach_m;
        if (!moved)
            continue;
        const double from = i == 0 ? object->position.mean_m.x : object->position.mean_m.y;
        s->low[i] = fmax(s->low[i], from - (1 + step_share) * s->reach_m);
        s->high[i] = fmin(s->high[i], from + (1 + step_share) * s->reach_m);
    }
}

static bool is_free(const goal_search *s, double x_m, double y_m)
{
    const pov_entity *object = &s->imagined->entities[s->asked->object];
    double own_m[2];
    half_footprint(own_m, object);
    for (pov_id id = 0; id < s->context->scene->len; id++) {
        const pov_entity *other = &s->imagined->entities[id];
        double half_m[2];
        if (id == s->asked->object || id == s->support || id == s->context->scene->camera || !other->placed ||
            top_of(other) < s->z_m - object->size_m.z / 2 + 1e-3 ||
            other->position.mean_m.z - other->size_m.z / 2 > s->z_m + object->size_m.z / 2)
            continue;
        half_footprint(half_m, other);
        if (fabs(x_m - other->position.mean_m.x) < half_m[0] + own_m[0] + clearance_m &&
            fabs(y_m - other->position.mean_m.y) < half_m[1] + own_m[1] + clearance_m)
            return false;
    }
    return true;
}

static pov_query query_of(const goal_search *s)
{
    pov_query query = pov_query_of_pair(s->asked->relation, s->asked->object, s->anchor);
    query.relatum_len = s->asked->relatum_len;
    for (int i = 0; i < s->asked->relatum_len; i++)
        query.relatum[i] = s->asked->relatum[i] == s->asked->object ? s->anchor : s->asked->relatum[i];
    if (query.relation->frame == POV_FRAME_AXES || query.relation->frame == POV_FRAME_VIEWER) {
        bool own = s->asked->by_own_front || s->frame->viewer == POV_ID_NONE || s->frame->viewer == s->anchor;
        query.perspective = own ? POV_INTRINSIC : s->frame->perspective;
        query.viewer = own ? POV_ID_NONE : s->frame->viewer;
        if (!own) {
            query.convention = s->context->convention;
            query.axis = s->context->axis;
        }
    }
    return query;
}

/* Does the relation hold where the object is imagined now, and how good an example is it? */
static pov_code judge_place(pov_judgment *judgment, double *goodness, const goal_search *s,
                            const pov_query *query)
{
    if (s->asked->area.part != POV_PART_NONE)
        return pov_area_place(judgment, goodness, s->imagined, query, s->context->judging, &s->asked->area);
    const pov_code code = pov_relation_evaluate(judgment, s->imagined, query, s->context->judging);
    *goodness = isnan(judgment->theta_rad) ? 1 : pow(fmax(0, cos(judgment->theta_rad)), 2);
    return code;
}

/* The weight of a place: P that the relation holds, times how good an example it is, times nearness. */
static double weigh_place(const goal_search *s, const pov_query *query, double x_m, double y_m)
{
    const pov_vec3 anchor_m = s->imagined->entities[s->anchor].position.mean_m;
    double distance_m = hypot(x_m - anchor_m.x, y_m - anchor_m.y), weight = 1;
    if (!is_free(s, x_m, y_m))
        return 0;
    if (is_by_place(s->asked))
        return exp(-distance_m * distance_m / (2 * s->radius_m * s->radius_m));
    if (s->asked->area.part == POV_PART_NONE && s->asked->relation->relata_min == 1) {
        bool moved = s->asked->relatum[0] == s->asked->object;
        weight = moved ? exp(-pow((distance_m - s->reach_m) / (step_share * s->reach_m), 2) / 2)
                       : exp(-fmax(0, distance_m - s->reach_m) / s->reach_m);
    }
    pov_judgment judgment;
    double goodness;
    place_object(s->imagined, s->asked->object, x_m, y_m, s->z_m);
    if (weight < 1e-4 || judge_place(&judgment, &goodness, s, query) != POV_OK)
        return 0;
    return judgment.belief.p > 0.5 ? weight * judgment.belief.p * goodness : 0;
}

static void try_places(goal_search *s)
{
    const pov_query query = query_of(s);
    for (int i = 0; i < PLACES; i++)
        for (int k = 0; k < PLACES; k++) {
            double x_m = s->low[0] + (s->high[0] - s->low[0]) * (i + 0.5) / PLACES,
                   y_m = s->low[1] + (s->high[1] - s->low[1]) * (k + 0.5) / PLACES;
            double weight = weigh_place(s, &query, x_m, y_m);
            if (weight > 0)
                s->places[s->len++] = (goal_place){x_m, y_m, weight};
        }
}

/* In: theta_rad: the middle of the directions that are tried, `half_rad` to each side. Out: the one in which the relation holds best; false: in none. */
static bool find_direction(double *theta_rad, const goal_search *s, const pov_query *query, double half_rad)
{
    enum { STEPS = 180 };
    const pov_vec3 from_m = s->imagined->entities[s->anchor].position.mean_m;
    const double middle_rad = *theta_rad;
    const double far_m = /* clear of the anchor */
        s->reach_m + width_of(&s->imagined->entities[s->anchor]) + s->radius_m;
    double least_rad = INFINITY;
    for (int i = -STEPS; i <= STEPS; i++) {
        const double rad = middle_rad + half_rad * i / STEPS;
        pov_judgment judgment;
        place_object(s->imagined, s->asked->object, from_m.x + far_m * cos(rad), from_m.y + far_m * sin(rad),
                     s->z_m);
        if (pov_relation_evaluate(&judgment, s->imagined, query, s->context->judging) != POV_OK ||
            judgment.belief.p <= 0.5 || !(fabs(judgment.theta_rad) < least_rad))
            continue;
        least_rad = fabs(judgment.theta_rad);
        *theta_rad = rad;
    }
    return least_rad < INFINITY;
}

/* On the ground: between the outlines where both have a size, as "how far is it from the cup" is answered; of a step between the middles. */
static double distance_from_anchor_m(const goal_search *s, double x_m, double y_m)
{
    const pov_vec3 from_m = s->imagined->entities[s->anchor].position.mean_m;
    pov_measure centre_m, gap_m;
    place_object(s->imagined, s->asked->object, x_m, y_m, from_m.z);
    const bool is_step = s->asked->relatum[0] == s->asked->object;
    if (is_step || !pov_measure_distance(&centre_m, &gap_m, s->imagined, s->asked->object, s->anchor) ||
        isnan(gap_m.mean))
        return hypot(x_m - from_m.x, y_m - from_m.y);
    return gap_m.mean;
}

/* The place in a direction that is as far from the anchor as was said. */
static goal_place place_towards(const goal_search *s, double rad)
{
    enum { HALVINGS = 24 };
    const pov_entity *anchor = &s->imagined->entities[s->anchor];
    const pov_vec3 from_m = anchor->position.mean_m;
    double least_m = 0, most_m = s->reach_m + 2 * (width_of(anchor) + s->radius_m) + clearance_m;
    for (int i = 0; i < HALVINGS; i++) {
        const double m = (least_m + most_m) / 2;
        if (distance_from_anchor_m(s, from_m.x + m * cos(rad), from_m.y + m * sin(rad)) < s->reach_m)
            least_m = m;
        else
            most_m = m;
    }
    return (goal_place){from_m.x + most_m * cos(rad), from_m.y + most_m * sin(rad), 1};
}

static bool is_reached(const goal_search *s, double x_m, double y_m)
{
    return s->support == POV_ID_NONE ||
           (x_m >= s->low[0] && x_m <= s->high[0] && y_m >= s->low[1] && y_m <= s->high[1]);
}

/* The direction of the free place at that distance that is nearest to where the object is. */
static bool find_free_direction(double *theta_rad, const goal_search *s)
{
    enum { STEPS = 72 };
    const pov_vec3 now_m = s->context->scene->entities[s->asked->object].position.mean_m;
    double nearest_m = INFINITY;
    for (int i = 0; i < STEPS; i++) {
        const double rad = 2 * POV_PI * i / STEPS;
        const goal_place at = place_towards(s, rad);
        const double off_m = hypot(at.x - now_m.x, at.y - now_m.y);
        if (!is_free(s, at.x, at.y) || !is_reached(s, at.x, at.y) || off_m >= nearest_m)
            continue;
        nearest_m = off_m;
        *theta_rad = rad;
    }
    return nearest_m < INFINITY;
}

/* "50 cm left of the cup": the place so far from it, in the very direction, with what lies a finger about it. */
static void try_exact_place(goal_search *s)
{
    const pov_query query = query_of(s);
    double rad = 0;
    if (s->asked->relation->frame == POV_FRAME_NONE
            ? !find_free_direction(&rad, s)
            : !find_direction(&rad, s, &query, POV_PI) || !find_direction(&rad, s, &query, POV_PI / 90))
        return;
    const goal_place at = place_towards(s, rad);
    const double x_m = at.x, y_m = at.y, about_m = fmin(clearance_m, exact_share * s->reach_m);
    if (!is_free(s, x_m, y_m) || !is_reached(s, x_m, y_m))
        return;
    s->places[s->len++] = (goal_place){x_m, y_m, 1};
    for (int i = -1; i <= 1; i++)
        for (int k = -1; k <= 1; k++)
            if ((i != 0 || k != 0) && is_free(s, x_m + i * about_m, y_m + k * about_m) &&
                is_reached(s, x_m + i * about_m, y_m + k * about_m))
                s->places[s->len++] = (goal_place){x_m + i * about_m, y_m + k * about_m, 0.5};
}

/* -------- the region of the places -------- */

static double turn(const goal_place *a, const goal_place *b, const goal_place *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static int compare_places(const void *a, const void *b)
{
    const goal_place *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

/* Andrew's monotone chain (1979); of more corners than there is room for some are left out. */
static void find_hull(pov_goal_region *region, goal_place *places, int len)
{
    goal_place hull[2 * PLACES * PLACES + 2];
    int count = 0;
    qsort(places, (size_t)len, sizeof *places, compare_places);
    for (int pass = 0, least = 0; pass < 2 && len > 0; pass++) {
        for (int i = 0; i < len; i++) {
            const goal_place *p = &places[pass ? len - 1 - i : i];
            while (count >= least + 2 && turn(&hull[count - 2], &hull[count - 1], p) <= 0)
                count--;
            hull[count++] = *p;
        }
        least = --count;
    }
    int kept = count < POV_HULL_MAX ? count : POV_HULL_MAX;
    for (int i = 0; i < kept; i++) {
        const goal_place *p = &hull[i * count / kept];
        region->hull_m[i][0] = p->x;
        region->hull_m[i][1] = p->y;
    }
    region->hull_len = kept;
}

static void describe_region(pov_goal_region *region, goal_search *s)
{
    double best = 0, sum = 0, mean[2] = {0, 0};
    int kept = 0;
    for (int i = 0; i < s->len; i++)
        best = fmax(best, s->places[i].weight);
    for (int i = 0; i < s->len; i++)
        if (s->places[i].weight >= region_share * best)
            s->places[kept++] = s->places[i];
    for (int i = 0; i < kept; i++) {
        sum += s->places[i].weight;
        mean[0] += s->places[i].weight * s->places[i].x;
        mean[1] += s->places[i].weight * s->places[i].y;
    }
    region->possible = kept > 0;
    if (!region->possible)
        return;
    mean[0] /= sum;
    mean[1] /= sum;
    const goal_place *nearest = &s->places[0];
    for (int i = 0; i < kept; i++) {
        const double off[2] = {s->places[i].x - mean[0], s->places[i].y - mean[1]};
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                region->covariance_m2[a][b] += s->places[i].weight / sum * off[a] * off[b];
        if (hypot(off[0], off[1]) < hypot(nearest->x - mean[0], nearest->y - mean[1]) - 1e-12)
            nearest = &s->places[i];
    }
    region->position_m = (pov_vec3){nearest->x, nearest->y, s->z_m};
    find_hull(region, s->places, kept);
}

static void sort_sides(double side_m[2], const pov_entity *entity)
{
    side_m[0] = fmin(entity->size_m.x, entity->size_m.y);
    side_m[1] = width_of(entity);
}

bool pov_goal_fits(const pov_scene *scene, const pov_goal_asked *asked)
{
    const pov_entity *object = &scene->entities[asked->object];
    double own_m[2], other_m[2];
    if (asked->relatum_len == 0 || (!asked->onto && !asked->into))
        return true;
    const pov_entity *other = &scene->entities[asked->relatum[0]];
    sort_sides(own_m, object);
    sort_sides(other_m, other);
    if (own_m[1] <= 0 || other_m[1] <= 0) /* sizes are not known */
        return true;
    if (asked->into) { /* what is long stands upright in it */
        const double least_m = fmin(own_m[0], object->size_m.z);
        const double middle_m = object->size_m.z < own_m[0]   ? own_m[0]
                                : object->size_m.z > own_m[1] ? own_m[1]
                                                              : object->size_m.z;
        return least_m <= holding_share * other_m[0] && middle_m <= holding_share * other_m[1];
    }
    return other->shape != POV_SHAPE_SPHERE && standing_share * own_m[0] <= other_m[0] &&
           standing_share * own_m[1] <= other_m[1];
}

void pov_goal_find(pov_goal_region *region, const pov_context *c, const pov_goal_asked *asked,
                   const pov_hypothesis *frame, pov_scene *imagined)
{
    goal_search s = {
        .context = c, .asked = asked, .frame = frame, .imagined = imagined, .support = POV_ID_NONE};
    *region = (pov_goal_region){.frame = *frame, .p = NAN};
    *imagined = *c->scene;
    const pov_entity *object = &imagined->entities[asked->object];
    const bool moved = asked->relatum_len > 0 && asked->relatum[0] == asked->object;
    if (!object->placed)
        return;
    s.anchor = moved || asked->on_ground ? add_ghost(imagined, asked->object)
               : asked->relatum_len > 0  ? asked->relatum[0]
                                         : asked->object;
    if (!imagined->entities[s.anchor].placed)
        return;
    s.radius_m = fmax(0.02, width_of(object) / 2);
    s.reach_m = fmax(
        0.005, asked->is_exact ? asked->step_m
               : moved ? (asked->step_m > 0 ? asked->step_m : usual_step_widths * width_of(object) + 0.03)
                       : 0.75 * (width_of(object) + width_of(&imagined->entities[s.anchor])) + 0.02);
    forget_errors(imagined);
    find_support(&s);
    const pov_query whether = query_of(&s);
    pov_judgment defined;
    place_object(imagined, asked->object, s.low[0], s.low[1], s.z_m);
    region->is_defined = is_by_place(asked) || judge_place(&defined, &(double){0}, &s, &whether) == POV_OK;
    if (asked->is_exact)
        try_exact_place(&s);
    else
        try_places(&s);
    const goal_place exact = s.places[0];
    describe_region(region, &s);
    if (!region->possible)
        return;
    if (asked->is_exact)
        region->position_m = (pov_vec3){exact.x, exact.y, s.z_m};
    pov_id ghost = s.anchor;
    *imagined = *c->scene;
    if (moved)
        (void)add_ghost(imagined, asked->object);
    place_object(imagined, asked->object, region->position_m.x, region->position_m.y, region->position_m.z);
    s.anchor = ghost;
    pov_query query = query_of(&s);
    pov_judgment judgment;
    const bool is_bare = asked->is_exact && asked->relation->frame == POV_FRAME_NONE; /* "30 cm from" */
    if (!asked->middle && !asked->on_ground && !is_bare &&
        judge_place(&judgment, &(double){0}, &s, &query) == POV_OK)
        region->p = judgment.belief.p;
}
