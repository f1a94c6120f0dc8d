/* SPHERE's reasoning: what could be hidden behind a thing, whether a thing can be moved, and where there is room for it. */
#include "perception/papers/sphere_tasks.h"

#include "perception/scene/possible_world.h"
#include "perception/scene/support.h"

#include <math.h>
#include <stddef.h>

static bool has_box(const pov_entity *entity)
{
    return entity->placed && entity->size_m.x > 0 && entity->size_m.y > 0 && entity->size_m.z > 0;
}

static pov_choice undefined_choice(void)
{
    return (pov_choice){.len = 2, .p = {NAN, NAN, 0}};
}

/* All of the first worlds said yes, or none. */
static bool is_settled(int yes, int asked)
{
    return asked == POV_WORLDS_THAT_SETTLE && (yes == 0 || yes == asked);
}

/* -------- geometry -------- */

/* Does the segment meet the box? Slabs: Kay & Kajiya 1986. */
static bool segment_meets(const pov_box *box, pov_vec3 from_m, pov_vec3 to_m)
{
    pov_vec3 a = pov_box_local(box, from_m), b = pov_box_local(box, to_m);
    const double start[] = {a.x, a.y, a.z}, end[] = {b.x, b.y, b.z};
    const double half[] = {box->half_m.x, box->half_m.y, box->half_m.z};
    double enter = 0, leave = 1;
    for (int i = 0; i < 3; i++) {
        double step = end[i] - start[i];
        if (fabs(step) < 1e-15) {
            if (fabs(start[i]) > half[i])
                return false;
            continue;
        }
        double t0 = (-half[i] - start[i]) / step, t1 = (half[i] - start[i]) / step;
        enter = fmax(enter, fmin(t0, t1));
        leave = fmin(leave, fmax(t0, t1));
    }
    return enter <= leave;
}

static pov_box shrunk_box(const pov_box *box, double by_m)
{
    pov_box smaller = *box;
    smaller.half_m = (pov_vec3){fmax(0, box->half_m.x - by_m), fmax(0, box->half_m.y - by_m),
                                fmax(0, box->half_m.z - by_m)};
    return smaller;
}

static pov_vec3 direction_of(pov_move move, pov_vec3 sight)
{
    const pov_vec3 directions[] = {
        [POV_MOVE_LEFT] = {-sight.y, sight.x, 0},
        [POV_MOVE_RIGHT] = {sight.y, -sight.x, 0},
        [POV_MOVE_AWAY] = {sight.x, sight.y, 0},
        [POV_MOVE_CLOSER] = {-sight.x, -sight.y, 0},
    };
    return directions[move];
}

static bool is_hidden(const pov_box *thing, const pov_box *hider, pov_vec3 eye_m)
{
    bool hidden = true;
    for (int corner = 0; hidden && corner < 8; corner++)
        hidden = segment_meets(hider, eye_m, pov_box_corner(thing, corner));
    return hidden;
}

/* Rules out every place at once: the thing at its slimmest, as far behind as it may be, is wider
 * than the shadow there, or stands out above. */
static bool is_too_large(const pov_box *hider, pov_vec3 eye_m, pov_vec3 size_m, pov_vec3 sight,
                         double reach_m)
{
    pov_vec3 up = {0, 0, 1}, across = {-sight.y, sight.x, 0};
    double centre_m = pov_vec3_dot(pov_vec3_sub(hider->centre_m, eye_m), sight);
    double near_m = centre_m - pov_box_half_extent_m(hider, sight);
    double far_m = centre_m + pov_box_half_extent_m(hider, sight) + reach_m + pov_vec3_norm(size_m);
    double half_height_m = pov_box_half_extent_m(hider, up);
    double hider_top_m = hider->centre_m.z + half_height_m - eye_m.z; /* over the eye */
    double thing_top_m = hider->centre_m.z - half_height_m + size_m.z - eye_m.z;
    if (near_m <= 0)
        return false;
    double widening = far_m / near_m;
    return fmin(size_m.x, size_m.y) > 2 * pov_box_half_extent_m(hider, across) * widening ||
           thing_top_m > fmax(hider_top_m, hider_top_m * widening);
}

/* -------- who else is there -------- */

/* Some that a question is about, what the thing rests on or would, then all that it could hit. */
typedef struct {
    pov_id ids[POV_ENTITY_MAX];
    int len, surface, obstacles; /* where in ids; surface -1: the ground */
} cast;

static double spread_m(const pov_entity *entity)
{
    const double deviations = 5;
    double variance = 0;
    for (int i = 0; i < 3; i++)
        variance += entity->position.own_cov_m2[i][i];
    return deviations * sqrt(variance);
}

/* Within reach of `about`, whatever their errors. */
static bool is_in_reach(const pov_scene *scene, pov_id about, pov_id other, double reach_m)
{
    const pov_entity *a = &scene->entities[about], *b = &scene->entities[other];
    double apart_m = pov_vec3_norm(pov_vec3_sub(a->position.mean_m, b->position.mean_m));
    return apart_m <=
           reach_m + (pov_vec3_norm(a->size_m) + pov_vec3_norm(b->size_m)) / 2 + spread_m(a) + spread_m(b);
}

/* moved: the thing that moves, with all that it carries, or POV_ID_NONE. The others are obstacles within a reach of the
 * first of `fixed`, beyond their own sizes. */
static cast cast_of(const pov_scene *scene, const pov_id *fixed, int len, pov_id moved, double reach_m)
{
    cast all = {.len = 0, .surface = -1};
    pov_id surface = pov_support_likeliest(scene, fixed[0]);
    for (int i = 0; i < len; i++) {
        surface = fixed[i] == surface ? POV_ID_NONE : surface;
        all.ids[all.len++] = fixed[i];
    }
    if (surface != POV_ID_NONE) {
        all.surface = all.len;
        all.ids[all.len++] = surface;
    }
    all.obstacles = all.len;
    for (pov_id other = 0; other < scene->len; other++) {
        bool gives_way =
            other == moved || (moved != POV_ID_NONE && pov_support_likeliest(scene, other) == moved);
        if (!gives_way && other != surface && other != scene->camera && has_box(&scene->entities[other]) &&
            all.len < POV_ENTITY_MAX && is_in_reach(scene, fixed[0], other, reach_m))
            all.ids[all.len++] = other;
    }
    return all;
}

/* -------- a place for a thing -------- */

/* A place to try: beside a body, in a direction on the ground. */
typedef struct {
    pov_vec3 size_m, direction;
    double reach_m; /* of the gap between the two */
    const pov_box *beside;
    const pov_vec3 *hidden_from_m; /* by what it is beside; NULL: anywhere */
} wanted_place;

enum { GAPS = 6, ASIDES = 9, TURNS = 4, PLACES = GAPS * ASIDES * TURNS };

/* Nearest first: touching, then with a gap up to the reach; aside by up to half the wider one's width; along the direction and across it, or
 * as the body that it is beside. On the level of that body's bottom. */
static pov_box place_of(const wanted_place *wanted, int index)
{
    static const double touching_m = 1e-4;
    int turn = index % TURNS, aside = index / TURNS % ASIDES, gap = index / TURNS / ASIDES;
    const pov_box *beside = wanted->beside;
    double along_yaw = atan2(wanted->direction.y, wanted->direction.x);
    double own_yaw = atan2(beside->R_table_box.m[1][0], beside->R_table_box.m[0][0]);
    pov_box thing = {.half_m = pov_vec3_scale(wanted->size_m, 0.5),
                     .R_table_box = pov_rot_yaw((turn < 2 ? along_yaw : own_yaw) + turn % 2 * POV_PI / 2)};
    pov_vec3 across = {-wanted->direction.y, wanted->direction.x, 0}, up = {0, 0, 1};
    double away_m = pov_box_half_extent_m(beside, wanted->direction) +
                    pov_box_half_extent_m(&thing, wanted->direction) + touching_m +
                    wanted->reach_m * gap / (GAPS - 1);
    double aside_m = (aside - ASIDES / 2) / (double)(ASIDES / 2) *
                     fmax(pov_box_half_extent_m(beside, across), pov_box_half_extent_m(&thing, across));
    thing.centre_m = pov_vec3_add(beside->centre_m, pov_vec3_add(pov_vec3_scale(wanted->direction, away_m),
                                                                 pov_vec3_scale(across, aside_m)));
    thing.centre_m.z = beside->centre_m.z - pov_box_half_extent_m(beside, up) + thing.half_m.z;
    return thing;
}

/* On its surface but for an overhang, and in no other body. */
static bool has_room(const pov_box *thing, const pov_world *world, const cast *all)
{
    const pov_moving moving = POV_MOVING_DEFAULT;
    const pov_box slim = shrunk_box(thing, moving.clearance_m);
    if (all->surface >= 0) {
        pov_footprint own = pov_box_footprint(thing), ground = pov_box_footprint(&world->box[all->surface]);
        if (pov_footprint_share_inside(&own, &ground) < 1 - moving.overhang_share - 1e-9)
            return false;
    }
    for (int i = all->obstacles; i < all->len; i++) {
        const pov_box *other = &world->box[i];
        double apart_m = pov_vec3_norm(pov_vec3_sub(slim.centre_m, other->centre_m));
        if (apart_m < pov_vec3_norm(slim.half_m) + pov_vec3_norm(other->half_m) &&
            pov_box_gap_m(&slim, other) < 0)
            return false;
    }
    return true;
}

/* Nothing stands between it and what it is beside, the first of the cast. */
static bool is_next_to(const pov_box *thing, const pov_world *world, const cast *all)
{
    bool next = true;
    for (int i = all->obstacles; i < all->len && next; i++)
        next = world->id[i] == world->id[0] ||
               !segment_meets(&world->box[i], thing->centre_m, world->box[0].centre_m);
    return next;
}

static bool is_good(const wanted_place *wanted, const pov_world *world, const cast *all, int index)
{
    pov_box thing = place_of(wanted, index);
    return (!wanted->hidden_from_m || is_hidden(&thing, wanted->beside, *wanted->hidden_from_m)) &&
           has_room(&thing, world, all) && (wanted->hidden_from_m || is_next_to(&thing, world, all));
}

/* hint: the place that was good before, tried first. */
static bool find_place(int *hint, const wanted_place *wanted, const pov_world *world, const cast *all)
{
    if (is_good(wanted, world, all, *hint))
        return true;
    for (int i = 0; i < PLACES; i++)
        if (is_good(wanted, world, all, i)) {
            *hint = i;
            return true;
        }
    return false;
}

static double diagonal_m(const pov_entity *entity)
{
    return pov_vec3_norm(entity->size_m);
}

static double pair_size_m(const pov_scene *scene, pov_id beside, pov_vec3 size_m)
{
    return (diagonal_m(&scene->entities[beside]) + pov_vec3_norm(size_m)) / 2;
}

static pov_vec3 eye_of(const pov_entity *viewer, const pov_box *box)
{
    return viewer->can_see ? pov_vec3_add(box->centre_m, pov_rot_apply(box->R_table_box, viewer->field.eye_m))
                           : box->centre_m;
}

static pov_vec3 ground_direction(pov_vec3 from_m, pov_vec3 to_m)
{
    pov_vec3 direction = pov_vec3_sub(to_m, from_m);
    direction.z = 0;
    return pov_vec3_norm(direction) < 1e-9 ? (pov_vec3){NAN, NAN, NAN} : pov_vec3_unit(direction);
}

/* -------- occlusion -------- */

pov_code pov_sphere_could_hide(pov_choice *choice, const pov_scene *scene, pov_id viewer, pov_id hider,
                               pov_vec3 size_m)
{
    const pov_id ids[] = {hider, viewer};
    *choice = undefined_choice();
    if (viewer == POV_ID_NONE || viewer == hider || !scene->entities[viewer].placed ||
        !has_box(&scene->entities[hider]))
        return POV_UNDEFINED;
    pov_world world;
    double reach_m = POV_BEHIND_REACH * pair_size_m(scene, hider, size_m);
    cast all = cast_of(scene, ids, 2, POV_ID_NONE, reach_m + pov_vec3_norm(size_m));
    int worlds = pov_world_count(scene, all.ids, all.len), hidden = 0, hint = 0;
    for (int i = 0; i < worlds; i++) {
        pov_world_sample(&world, scene, all.ids, all.len, i);
        pov_vec3 eye_m = eye_of(&scene->entities[viewer], &world.box[1]);
        pov_vec3 sight = ground_direction(eye_m, world.box[0].centre_m);
        const wanted_place wanted = {size_m, sight, reach_m, &world.box[0], &eye_m};
        hidden += !isnan(sight.x) && /* from right above, nothing is behind */
                  !is_too_large(&world.box[0], eye_m, size_m, sight, reach_m) &&
                  find_place(&hint, &wanted, &world, &all);
        worlds = is_settled(hidden, i + 1) ? i + 1 : worlds;
    }
    choice->p[0] = (double)hidden / worlds;
    choice->p[1] = 1 - choice->p[0];
    return POV_OK;
}

/* -------- room -------- */

/* One's own left is by one's front. */
static pov_vec3 side_direction(const pov_world *world, pov_move side, bool own)
{
    pov_vec3 sight = own ? (pov_vec3){cos(world->yaw_rad[0]), sin(world->yaw_rad[0]), 0}
                         : ground_direction(world->box[1].centre_m, world->box[0].centre_m);
    return direction_of(side, sight);
}

pov_code pov_sphere_could_stand(pov_choice *choice, const pov_scene *scene, pov_id viewer, pov_move side,
                                pov_id id, pov_id relatum)
{
    const pov_id ids[] = {relatum, viewer};
    const bool own = viewer == relatum;
    *choice = undefined_choice();
    if (viewer == POV_ID_NONE || id == relatum || id == viewer || !scene->entities[viewer].placed ||
        !has_box(&scene->entities[id]) || !has_box(&scene->entities[relatum]) ||
        (own && scene->entities[relatum].heading.len == 0))
        return POV_UNDEFINED;
    pov_world world;
    pov_vec3 size_m = scene->entities[id].size_m;
    double reach_m = POV_BESIDE_REACH * pair_size_m(scene, relatum, size_m);
    cast all = cast_of(scene, ids, own ? 1 : 2, id, reach_m + pov_vec3_norm(size_m));
    int worlds = pov_world_count(scene, all.ids, all.len), free_ones = 0, hint = 0;
    for (int i = 0; i < worlds; i++) {
        pov_world_sample(&world, scene, all.ids, all.len, i);
        const wanted_place wanted = {size_m, side_direction(&world, side, own), reach_m, &world.box[0], NULL};
        if (isnan(wanted.direction.x))
            return POV_UNDEFINED;
        free_ones += find_place(&hint, &wanted, &world, &all);
        worlds = is_settled(free_ones, i + 1) ? i + 1 : worlds;
    }
    choice->p[0] = (double)free_ones / worlds;
    choice->p[1] = 1 - choice->p[0];
    return POV_OK;
}

pov_code pov_sphere_could_stand_between(pov_choice *choice, const pov_scene *scene, pov_id id, pov_id a,
                                        pov_id b)
{
    const pov_id ids[] = {a, b};
    *choice = undefined_choice();
    if (id == a || id == b || a == b || !has_box(&scene->entities[id]) || !has_box(&scene->entities[a]) ||
        !has_box(&scene->entities[b]))
        return POV_UNDEFINED;
    pov_world world;
    pov_vec3 size_m = scene->entities[id].size_m;
    double apart_m =
        pov_vec3_norm(pov_vec3_sub(scene->entities[b].position.mean_m, scene->entities[a].position.mean_m));
    cast all = cast_of(scene, ids, 2, id, apart_m + pov_vec3_norm(size_m));
    int worlds = pov_world_count(scene, all.ids, all.len), free_ones = 0, hint = 0;
    for (int i = 0; i < worlds; i++) {
        pov_world_sample(&world, scene, all.ids, all.len, i);
        const pov_box *one = &world.box[0], *other = &world.box[1];
        pov_vec3 direction = ground_direction(one->centre_m, other->centre_m);
        if (isnan(direction.x))
            return POV_UNDEFINED;
        double gap_m = pov_vec3_dot(pov_vec3_sub(other->centre_m, one->centre_m), direction) -
                       pov_box_half_extent_m(one, direction) - pov_box_half_extent_m(other, direction);
        /* as far as a thing without any depth could go: farther on, it would be in the other */
        const wanted_place wanted = {size_m, direction, fmax(0, gap_m), one, NULL};
        free_ones += find_place(&hint, &wanted, &world, &all);
        worlds = is_settled(free_ones, i + 1) ? i + 1 : worlds;
    }
    choice->p[0] = (double)free_ones / worlds;
    choice->p[1] = 1 - choice->p[0];
    return POV_OK;
}

/* -------- manipulation -------- */

static pov_box moved_box(const pov_box *box, pov_vec3 direction, double distance_m)
{
    pov_box there = *box;
    there.centre_m = pov_vec3_add(box->centre_m, pov_vec3_scale(direction, distance_m));
    return there;
}

/* The way until it hits the other; INFINITY: never. Conservative advancement (Mirtich 1996): a box moved by t comes
 * nearer by t at most. Boxes that touch at the start collide only if the move goes deeper. */
static double way_to_hit_m(const pov_box *box, const pov_box *other, pov_vec3 direction, double distance_m)
{
    const double step_min_m = fmax(1e-4, distance_m / 256);
    double reach_m = pov_vec3_norm(box->half_m) + pov_vec3_norm(other->half_m) + distance_m;
    if (pov_vec3_norm(pov_vec3_sub(box->centre_m, other->centre_m)) > reach_m)
        return INFINITY;
    double start_m = pov_box_gap_m(box, other), travelled_m = 0;
    double allowed_m = fmin(0, start_m) - 1e-9;
    while (travelled_m < distance_m) {
        pov_box there = moved_box(box, direction, travelled_m);
        double gap_m = pov_box_gap_m(&there, other);
        if (gap_m < allowed_m)
            return travelled_m;
        travelled_m += fmax(gap_m, step_min_m);
    }
    pov_box there = moved_box(box, direction, distance_m);
    return pov_box_gap_m(&there, other) < allowed_m ? distance_m : INFINITY;
}

static bool falls(const pov_box *box, const pov_box *surface, pov_vec3 direction, double distance_m,
                  double overhang)
{
    pov_box there = moved_box(box, direction, distance_m);
    pov_footprint before = pov_box_footprint(box), after = pov_box_footprint(&there);
    pov_footprint ground = pov_box_footprint(surface);
    double least = fmin(1 - overhang, pov_footprint_share_inside(&before, &ground));
    return pov_footprint_share_inside(&after, &ground) < least - 1e-9;
}

/* The index in the cast of the first obstacle that it hits, or -1. */
static int first_hit(const pov_world *world, const cast *all, pov_vec3 direction, double distance_m,
                     double clearance_m)
{
    pov_box thing = shrunk_box(&world->box[0], clearance_m);
    double shortest_m = INFINITY;
    int first = -1;
    for (int i = all->obstacles; i < all->len; i++) {
        double way_m = way_to_hit_m(&thing, &world->box[i], direction, distance_m);
        if (way_m < shortest_m) {
            shortest_m = way_m;
            first = i;
        }
    }
    return first;
}

static int most_frequent(const int counts[POV_ENTITY_MAX], int len)
{
    int best = 0;
    for (int i = 1; i < len; i++)
        best = counts[i] > counts[best] ? i : best;
    return counts[best] > 0 ? best : -1;
}

pov_code pov_sphere_can_move(pov_move_answer *answer, const pov_scene *scene, pov_id id, pov_id viewer,
                             pov_move move, double widths, const pov_moving *moving)
{
    *answer = (pov_move_answer){.possible = undefined_choice(),
                                .p_hits = NAN,
                                .p_falls = NAN,
                                .obstacle = POV_ID_NONE,
                                .distance_m = NAN};
    if (viewer == POV_ID_NONE || viewer == id || !scene->entities[viewer].placed ||
        !has_box(&scene->entities[id]))
        return POV_UNDEFINED;
    pov_world world;
    const pov_id ids[] = {id, viewer};
    cast all = cast_of(scene, ids, 2, id, widths * diagonal_m(&scene->entities[id]));
    int worlds = pov_world_count(scene, all.ids, all.len), hit = 0, fallen = 0, free_ones = 0;
    int hit_counts[POV_ENTITY_MAX] = {0};
    for (int i = 0; i < worlds; i++) {
        pov_world_sample(&world, scene, all.ids, all.len, i);
        pov_vec3 direction =
            direction_of(move, ground_direction(world.box[1].centre_m, world.box[0].centre_m));
        if (isnan(direction.x))
            return POV_UNDEFINED;
        double distance_m = 2 * widths * pov_box_half_extent_m(&world.box[0], direction);
        int obstacle = first_hit(&world, &all, direction, distance_m, moving->clearance_m);
        bool out = all.surface >= 0 && falls(&world.box[0], &world.box[all.surface], direction, distance_m,
                                             moving->overhang_share);
        hit += obstacle >= 0;
        fallen += out;
        free_ones += obstacle < 0 && !out;
        if (obstacle >= 0)
            hit_counts[obstacle]++;
        worlds = is_settled(hit, i + 1) && is_settled(fallen, i + 1) ? i + 1 : worlds;
        answer->distance_m = i == 0 ? distance_m : answer->distance_m;
    }
    int obstacle = most_frequent(hit_counts, all.len);
    answer->obstacle = obstacle >= 0 ? all.ids[obstacle] : POV_ID_NONE;
    answer->p_hits = (double)hit / worlds;
    answer->p_falls = (double)fallen / worlds;
    answer->possible.p[0] = (double)free_ones / worlds;
    answer->possible.p[1] = 1 - answer->possible.p[0];
    return POV_OK;
}
