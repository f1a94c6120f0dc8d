/* SPHERE's reasoning: what could be hidden behind a thing, and whether a thing can be moved. */
#include "perception/papers/sphere_tasks.h"

#include "perception/scene/possible_world.h"
#include "perception/scene/support.h"

#include <math.h>

static bool has_box(const pov_entity *entity)
{
    return entity->placed && entity->size_m.x > 0 && entity->size_m.y > 0 && entity->size_m.z > 0;
}

static pov_choice undefined_choice(void)
{
    return (pov_choice){.len = 2, .p = {NAN, NAN, 0}};
}

/* -------- occlusion -------- */

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

static bool is_hidden(const pov_box *thing, const pov_box *hider, pov_vec3 eye_m)
{
    bool hidden = true;
    for (int corner = 0; hidden && corner < 8; corner++)
        hidden = segment_meets(hider, eye_m, pov_box_corner(thing, corner));
    return hidden;
}

/* On the level of the hider's bottom, touching it from behind along the sight line. */
static pov_box placed_behind(const pov_box *hider, pov_vec3 size_m, pov_vec3 sight, double yaw_rad,
                             double aside)
{
    static const double touching_m = 1e-4;
    pov_box thing = {.half_m = pov_vec3_scale(size_m, 0.5), .R_table_box = pov_rot_yaw(yaw_rad)};
    pov_vec3 across = {-sight.y, sight.x, 0}, up = {0, 0, 1};
    double depth_m = pov_box_half_extent_m(hider, sight) + pov_box_half_extent_m(&thing, sight) + touching_m;
    double aside_m = aside * pov_box_half_extent_m(hider, across);
    thing.centre_m = pov_vec3_add(
        hider->centre_m, pov_vec3_add(pov_vec3_scale(sight, depth_m), pov_vec3_scale(across, aside_m)));
    thing.centre_m.z = hider->centre_m.z - pov_box_half_extent_m(hider, up) + thing.half_m.z;
    return thing;
}

static bool could_hide(const pov_box *hider, pov_vec3 eye_m, pov_vec3 size_m)
{
    pov_vec3 sight = pov_vec3_sub(hider->centre_m, eye_m);
    sight.z = 0;
    if (pov_vec3_norm(sight) < 1e-9)
        return false; /* from right above, nothing is behind */
    sight = pov_vec3_unit(sight);
    double sight_yaw = atan2(sight.y, sight.x);
    double hider_yaw = atan2(hider->R_table_box.m[1][0], hider->R_table_box.m[0][0]);
    for (int turn = 0; turn < 4; turn++)
        for (int aside = -2; aside <= 2; aside++) {
            double yaw = (turn < 2 ? sight_yaw : hider_yaw) + turn % 2 * POV_PI / 2;
            pov_box thing = placed_behind(hider, size_m, sight, yaw, aside / 4.0);
            if (is_hidden(&thing, hider, eye_m))
                return true;
        }
    return false;
}

static pov_vec3 eye_of(const pov_entity *viewer, const pov_box *box)
{
    return viewer->can_see ? pov_vec3_add(box->centre_m, pov_rot_apply(box->R_table_box, viewer->field.eye_m))
                           : box->centre_m;
}

pov_code pov_sphere_could_hide(pov_choice *choice, const pov_scene *scene, pov_id viewer, pov_id hider,
                               pov_vec3 size_m)
{
    const pov_id ids[] = {viewer, hider};
    *choice = undefined_choice();
    if (viewer == POV_ID_NONE || viewer == hider || !scene->entities[viewer].placed ||
        !has_box(&scene->entities[hider]))
        return POV_UNDEFINED;
    pov_world world;
    int worlds = pov_world_count(scene, ids, 2), hidden = 0;
    for (int i = 0; i < worlds; i++) {
        pov_world_sample(&world, scene, ids, 2, i);
        hidden += could_hide(&world.box[1], eye_of(&scene->entities[viewer], &world.box[0]), size_m);
    }
    choice->p[0] = (double)hidden / worlds;
    choice->p[1] = 1 - choice->p[0];
    return POV_OK;
}

/* -------- manipulation -------- */

static pov_box moved(const pov_box *box, pov_vec3 direction, double distance_m)
{
    pov_box there = *box;
    there.centre_m = pov_vec3_add(box->centre_m, pov_vec3_scale(direction, distance_m));
    return there;
}

/* Conservative advancement (Mirtich 1996): a box moved by t comes nearer by t at most. What touches at the start hits
 * only if the move goes deeper. */
static bool hits(const pov_box *box, const pov_box *other, pov_vec3 direction, double distance_m)
{
    const double step_min_m = fmax(1e-4, distance_m / 256);
    double reach_m = pov_vec3_norm(box->half_m) + pov_vec3_norm(other->half_m) + distance_m;
    if (pov_vec3_norm(pov_vec3_sub(box->centre_m, other->centre_m)) > reach_m)
        return false;
    double start_m = pov_box_gap_m(box, other), travelled_m = 0;
    double allowed_m = fmin(0, start_m) - 1e-9;
    while (travelled_m < distance_m) {
        pov_box there = moved(box, direction, travelled_m);
        double gap_m = pov_box_gap_m(&there, other);
        if (gap_m < allowed_m)
            return true;
        travelled_m += fmax(gap_m, step_min_m);
    }
    pov_box there = moved(box, direction, distance_m);
    return pov_box_gap_m(&there, other) < allowed_m;
}

static bool falls(const pov_box *box, const pov_box *surface, pov_vec3 direction, double distance_m,
                  double overhang)
{
    pov_box there = moved(box, direction, distance_m);
    pov_footprint before = pov_box_footprint(box), after = pov_box_footprint(&there);
    pov_footprint ground = pov_box_footprint(surface);
    double least = fmin(1 - overhang, pov_footprint_share_inside(&before, &ground));
    return pov_footprint_share_inside(&after, &ground) < least - 1e-9;
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

/* The thing, the viewer, what it rests on, then all that it could hit. */
typedef struct {
    pov_id ids[POV_ENTITY_MAX];
    int len, obstacles; /* where obstacles begin */
    bool on_surface;
} cast;

static cast cast_of(const pov_scene *scene, pov_id id, pov_id viewer)
{
    pov_id surface = pov_support_likeliest(scene, id);
    cast all = {.ids = {id, viewer}, .len = 2, .on_surface = surface != POV_ID_NONE && surface != viewer};
    if (all.on_surface)
        all.ids[all.len++] = surface;
    all.obstacles = all.len;
    for (pov_id other = 0; other < scene->len; other++) {
        bool carried = other != id && pov_support_likeliest(scene, other) == id;
        if (other != id && other != surface && !carried && other != scene->camera &&
            has_box(&scene->entities[other]) && all.len < POV_ENTITY_MAX)
            all.ids[all.len++] = other;
    }
    return all;
}

static pov_box shrunk(const pov_box *box, double by_m)
{
    pov_box smaller = *box;
    smaller.half_m = (pov_vec3){fmax(0, box->half_m.x - by_m), fmax(0, box->half_m.y - by_m),
                                fmax(0, box->half_m.z - by_m)};
    return smaller;
}

/* Where in the cast the first obstacle that it hits stands, or -1. */
static int first_hit(const pov_world *world, const cast *all, pov_vec3 direction, double distance_m,
                     double clearance_m)
{
    pov_box thing = shrunk(&world->box[0], clearance_m);
    for (int i = all->obstacles; i < all->len; i++)
        if (hits(&thing, &world->box[i], direction, distance_m))
            return i;
    return -1;
}

static int most_frequent(const int counts[POV_ENTITY_MAX], int len)
{
    int best = 0;
    for (int i = 1; i < len; i++)
        best = counts[i] > counts[best] ? i : best;
    return counts[best] > 0 ? best : -1;
}

static pov_vec3 sight_in(const pov_world *world)
{
    pov_vec3 sight = pov_vec3_sub(world->box[0].centre_m, world->box[1].centre_m);
    sight.z = 0;
    return pov_vec3_unit(sight);
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
    cast all = cast_of(scene, id, viewer);
    int worlds = pov_world_count(scene, all.ids, all.len), hit = 0, fallen = 0, free_ones = 0;
    int hit_counts[POV_ENTITY_MAX] = {0};
    for (int i = 0; i < worlds; i++) {
        pov_world_sample(&world, scene, all.ids, all.len, i);
        pov_vec3 direction = direction_of(move, sight_in(&world));
        if (isnan(direction.x))
            return POV_UNDEFINED;
        double distance_m = 2 * widths * pov_box_half_extent_m(&world.box[0], direction);
        int obstacle = first_hit(&world, &all, direction, distance_m, moving->clearance_m);
        bool out = all.on_surface &&
                   falls(&world.box[0], &world.box[2], direction, distance_m, moving->overhang_share);
        hit += obstacle >= 0;
        fallen += out;
        free_ones += obstacle < 0 && !out;
        if (obstacle >= 0)
            hit_counts[obstacle]++;
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
