/* Rooms by chance: furniture, people, things on tables, on one another and in containers. No two bodies' boxes meet,
 * but for those inside a container. */
#include "sim/worlds/world_generate.h"

#include "perception/geometry/box.h"
#include "sim/worlds/dice.h"
#include "sim/worlds/world_internal.h"

#include <math.h>
#include <string.h>

#define LEN(list) ((int)(sizeof(list) / sizeof *(list)))

static const char *const tables[] = {"table", "table", "desk"};
static const char *const furniture[] = {
    "chair", "chair", "sofa",      "bench", "plant",     "wardrobe", "bicycle",    "dog",
    "cat",   "box",   "container", "box",   "container", "desk",     "teddy bear", "basketball"};
static const char *const small_things[] = {
    "laptop", "mug",      "cup",       "bowl",       "bottle",      "book",    "plate",
    "vase",   "apple",    "banana",    "teddy bear", "rubber duck", "lamp",    "computer monitor",
    "goblet", "red ball", "blue ball", "book",       "mug",         "keyboard"};
static const char *const people[] = {"woman", "man", "child"};
static const char *const stackable[] = {"mug", "cup", "apple", "rubber duck", "bottle", "vase", "teddy bear"};
static const char *const contents[] = {"rubber duck", "apple", "mug", "red ball", "bottle", "teddy bear"};

enum { TRIES = 60 };
static const double room_m = 2.1, apart_m = 0.04;

typedef struct {
    pov_world *world;
    pov_dice dice;
} room;

static pov_box box_of(const pov_entity *entity)
{
    return (pov_box){entity->position.mean_m, pov_vec3_scale(entity->size_m, 0.5), entity->R_table_box};
}

/* Is the last thing clear of all others, but for `below`, which it stands on or in? */
static bool is_clear(const room *r, int below)
{
    const int last = r->world->thing_len - 1;
    const pov_box box = box_of(&r->world->things[last].entity);
    for (int i = 0; i < last; i++) {
        const pov_box other = box_of(&r->world->things[i].entity);
        if (i != below && pov_box_gap_m(&box, &other) < apart_m / 4)
            return false;
    }
    return true;
}

static bool is_within(const pov_entity *thing, const pov_entity *surface)
{
    const pov_box box = box_of(thing), top = box_of(surface);
    const pov_footprint a = pov_box_footprint(&box), b = pov_box_footprint(&top);
    return pov_footprint_share_inside(&a, &b) > 1 - 1e-9;
}

/* Tries places until one is free. Returns the thing's index, or -1: there was no room, and it is not there. */
static int place_on_floor(room *r, const char *class_name)
{
    pov_world_thing *thing = pov_world_add(r->world, class_name);
    thing->look.variant = (uint64_t)pov_dice_pick(&r->dice, 1000);
    for (int i = 0; i < TRIES; i++) {
        const double reach_m = room_m - hypot(thing->entity.size_m.x, thing->entity.size_m.y) / 2;
        thing->entity.position.mean_m =
            (pov_vec3){pov_dice_between(&r->dice, -reach_m, reach_m),
                       pov_dice_between(&r->dice, -reach_m, reach_m), thing->entity.size_m.z / 2};
        pov_world_thing_face(thing, pov_dice_between(&r->dice, -POV_PI, POV_PI));
        if (is_clear(r, -1))
            return r->world->thing_len - 1;
    }
    r->world->thing_len--;
    return -1;
}

static double bottom_of(const pov_entity *entity)
{
    return entity->position.mean_m.z - entity->size_m.z / 2;
}

/* Somewhere on top of a thing. */
static int place_on(room *r, int below, const char *class_name)
{
    pov_world_thing *thing = pov_world_add(r->world, class_name);
    const pov_world_thing *base = &r->world->things[below];
    const pov_vec3 base_m = base->entity.position.mean_m, size_m = base->entity.size_m;
    memcpy(thing->on, base->entity.name, sizeof thing->on);
    thing->look.variant = (uint64_t)pov_dice_pick(&r->dice, 1000);
    for (int i = 0; i < TRIES; i++) {
        const pov_vec3 off = {pov_dice_between(&r->dice, -size_m.x / 2, size_m.x / 2),
                              pov_dice_between(&r->dice, -size_m.y / 2, size_m.y / 2), 0};
        thing->entity.position.mean_m = pov_vec3_add(base_m, pov_rot_apply(base->entity.R_table_box, off));
        thing->entity.position.mean_m.z = base_m.z + size_m.z / 2 + thing->entity.size_m.z / 2;
        pov_world_thing_face(thing, pov_dice_between(&r->dice, -POV_PI, POV_PI));
        if (is_within(&thing->entity, &base->entity) && is_clear(r, below))
            return r->world->thing_len - 1;
    }
    r->world->thing_len--;
    return -1;
}

/* In an open container, on its floor; its walls are 3 % of it. */
static void fill(room *r, int container)
{
    pov_world_thing *thing = pov_world_add(r->world, contents[pov_dice_pick(&r->dice, LEN(contents))]);
    const pov_entity *outer = &r->world->things[container].entity;
    pov_entity *inner = &thing->entity;
    const double across_m = hypot(inner->size_m.x, inner->size_m.y),
                 room_inside_m = 0.62 * fmin(outer->size_m.x, outer->size_m.y);
    if (across_m > room_inside_m)
        inner->size_m = pov_vec3_scale(inner->size_m, room_inside_m / across_m);
    memcpy(thing->on, outer->name, sizeof thing->on);
    thing->has_height = true;
    inner->position.mean_m = outer->position.mean_m;
    inner->position.mean_m.z = bottom_of(outer) + 0.06 * outer->size_m.z + inner->size_m.z / 2;
    pov_world_thing_face(thing, pov_dice_between(&r->dice, -POV_PI, POV_PI));
    if (inner->size_m.z > 0.9 * outer->size_m.z)
        r->world->thing_len--;
}

static void place_people(room *r)
{
    const int len = pov_dice_pick(&r->dice, r->world->generator.people + 1);
    for (int i = 0; i < len; i++) {
        const int index = place_on_floor(r, people[pov_dice_pick(&r->dice, LEN(people))]);
        if (index < 0)
            continue;
        pov_world_thing *person = &r->world->things[index];
        const pov_vec3 pos_m = person->entity.position.mean_m;
        /* most people look at something */
        pov_world_thing_face(person, atan2(-pos_m.y, -pos_m.x) + pov_dice_between(&r->dice, -1, 1));
        person->entity.addressee = i == 0;
        pov_world_thing_open_eyes(person);
        if (!is_clear(r, -1))
            r->world->thing_len--;
    }
}

static bool is_one_of(const char *class_name, const char *const list[], int len)
{
    for (int i = 0; i < len; i++)
        if (strcmp(class_name, list[i]) == 0)
            return true;
    return false;
}

static void place_on_table(room *r, int table, int wanted)
{
    static const char *const flat[] = {"book", "plate"};
    for (int i = 0; i < wanted; i++) {
        const int index = place_on(r, table, small_things[pov_dice_pick(&r->dice, LEN(small_things))]);
        if (index < 0)
            continue;
        const char *class_name = r->world->things[index].entity.class_name;
        if (is_one_of(class_name, flat, 2) && pov_dice_between(&r->dice, 0, 1) < 0.6)
            (void)place_on(r, index, stackable[pov_dice_pick(&r->dice, LEN(stackable))]);
    }
}

/* From outside the room, at a standing or sitting person's height. */
static void place_camera(room *r)
{
    const double azimuth_rad = pov_dice_between(&r->dice, -POV_PI, POV_PI),
                 distance_m = pov_dice_between(&r->dice, 3.9, 4.8);
    pov_world_camera *camera = &r->world->camera;
    camera->position_m = (pov_vec3){distance_m * cos(azimuth_rad), distance_m * sin(azimuth_rad),
                                    pov_dice_between(&r->dice, 1.6, 2.7)};
    camera->look_at_m = (pov_vec3){0, 0, 0.4};
    camera->has_rotation = false;
}

void pov_world_generate_tabletop(pov_world *world, int index)
{
    const pov_world_generator *wanted = &world->generator;
    room r = {world, {.stream = world->seed + 0x7461626c, .index = (uint64_t)index << 20}};
    place_camera(&r);
    const int table = place_on_floor(&r, tables[pov_dice_pick(&r.dice, LEN(tables))]);
    place_people(&r);
    const int len =
        wanted->least_things + pov_dice_pick(&r.dice, wanted->most_things - wanted->least_things + 1);
    place_on_table(&r, table, (len + 1) / 2);
    for (int i = 0; i < len / 2; i++) {
        const int piece = place_on_floor(&r, furniture[pov_dice_pick(&r.dice, LEN(furniture))]);
        if (piece >= 0 &&
            is_one_of(world->things[piece].entity.class_name, (const char *const[]){"box", "container"}, 2))
            fill(&r, piece);
    }
}
