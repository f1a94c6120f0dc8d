/* SPHERE's reasoning about hollows: what could lie in a container or under a cover, and what one vessel holds of another's. */
#include "perception/papers/sphere_tasks.h"

#include "perception/relations/predicates/affordance.h"
#include "perception/relations/predicates/containment.h"
#include "perception/scene/possible_world.h"

#include <math.h>

static bool has_box(const pov_entity *entity)
{
    return entity->placed && entity->size_m.x > 0 && entity->size_m.y > 0 && entity->size_m.z > 0;
}

/* -------- inside, and under -------- */

/* What is also lain on, or looked through, is not a place to hide in. */
static bool is_container(unsigned affords)
{
    return (affords & (POV_AFFORDS_HOLDING | POV_AFFORDS_BEARING | POV_AFFORDS_SHELTER |
                       POV_AFFORDS_FLOATING | POV_AFFORDS_STOWING)) == POV_AFFORDS_HOLDING;
}

/* Something that may be in it leaves less room. Chosen, as a sure "no" is elsewhere. */
static bool may_be_taken(const pov_scene *scene, pov_id place)
{
    const double p_empty = 0.95;
    bool taken = false;
    for (pov_id other = 0; other < scene->len && !taken; other++)
        taken = other != place && scene->entities[other].placed &&
                pov_containment_probability(scene, other, place) > 1 - p_empty;
    return taken;
}

/* A thing whose sides lie along the place's: along its x, its y, and up. */
typedef struct {
    double along_m[3];
} laid;

static laid turn_thing(pov_vec3 size_m, int turn)
{
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const double sides[] = {size_m.x, size_m.y, size_m.z};
    return (laid){{sides[order[turn][0]], sides[order[turn][1]], sides[order[turn][2]]}};
}

static bool fits(const laid *thing, const pov_box *place, double share)
{
    return thing->along_m[0] < 2 * share * place->half_m.x &&
           thing->along_m[1] < 2 * share * place->half_m.y && thing->along_m[2] < 2 * share * place->half_m.z;
}

/* Pushed against a wall that the eye is before: below the plane through the eye and that wall's upper edge. From below the rim all walls hide. */
static bool is_out_of_sight(const laid *thing, const pov_box *place, pov_vec3 eye_m)
{
    const pov_vec3 eye = pov_box_local(place, eye_m);
    const double over_m = eye.z - place->half_m.z, low_m = 2 * place->half_m.z - thing->along_m[2];
    const double before_m[] = {fabs(eye.x) - place->half_m.x, fabs(eye.y) - place->half_m.y};
    bool hidden = over_m <= 0;
    for (int side = 0; side < 2 && !hidden; side++)
        hidden = before_m[side] > 0 && low_m >= over_m / before_m[side] * thing->along_m[side];
    return hidden;
}

pov_code pov_sphere_could_be_inside(pov_choice *choice, const pov_scene *scene, pov_id viewer, pov_id place,
                                    pov_vec3 size_m)
{
    const pov_id ids[] = {place, viewer};
    *choice = (pov_choice){.len = 3, .p = {NAN, NAN, NAN}};
    if (viewer == POV_ID_NONE || viewer == place || !scene->entities[viewer].placed ||
        !has_box(&scene->entities[place]) || !(size_m.x > 0 && size_m.y > 0 && size_m.z > 0))
        return POV_UNDEFINED;
    const unsigned affords = pov_affordances_of(scene->entities[place].class_name);
    const bool covers = (affords & POV_AFFORDS_COVERING) != 0;
    const pov_box box = pov_entity_box(&scene->entities[place]);
    if ((!covers && !is_container(affords)) || box.R_table_box.m[2][2] < 1 - 1e-6 ||
        may_be_taken(scene, place))
        return POV_UNDEFINED;
    pov_world world;
    const int worlds = pov_world_count(scene, ids, 2);
    int hidden = 0;
    bool fits_whole = false;
    for (int turn = 0; turn < 6; turn++) {
        const laid thing = turn_thing(size_m, turn);
        fits_whole = fits_whole || fits(&thing, &box, 1);
    }
    for (int i = 0; i < worlds && fits_whole; i++) {
        bool found = false;
        pov_world_sample(&world, scene, ids, 2, i);
        for (int turn = 0; turn < 6 && !found; turn++) {
            const laid thing = turn_thing(size_m, turn);
            found = fits(&thing, &world.box[0], POV_HOLLOW_SHARE) &&
                    (covers || is_out_of_sight(&thing, &world.box[0], world.box[1].centre_m));
        }
        hidden += found;
    }
    const double p_yes = (double)hidden / worlds;
    *choice = (pov_choice){.len = 3, .p = {p_yes, !fits_whole, fits_whole ? 1 - p_yes : 0}};
    return POV_OK;
}

/* -------- pouring -------- */

static double vessel_volume_m3(const pov_entity *entity)
{
    const pov_box box = pov_entity_box(entity);
    const bool is_vessel = (pov_affordances_of(entity->class_name) & POV_AFFORDS_POURING) != 0;
    return is_vessel && has_box(entity) ? pov_box_volume_m3(&box) : NAN;
}

pov_code pov_sphere_could_pour(pov_choice *choice, const pov_scene *scene, pov_id a, pov_id b, pov_id from)
{
    const double a_m3 = vessel_volume_m3(&scene->entities[a]), b_m3 = vessel_volume_m3(&scene->entities[b]);
    pov_choice nearer;
    *choice = (pov_choice){.len = 2, .p = {NAN, NAN, 0}};
    if (!(fmin(a_m3, b_m3) <= POV_HOLLOW_SHARE * fmax(a_m3, b_m3)) ||
        pov_sphere_nearer(&nearer, scene, a, b, from) != POV_OK)
        return POV_UNDEFINED;
    choice->p[0] = a_m3 < b_m3 ? nearer.p[0] : nearer.p[1];
    choice->p[1] = 1 - choice->p[0];
    return POV_OK;
}
