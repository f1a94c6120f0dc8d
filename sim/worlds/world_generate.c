#include "sim/worlds/world_generate.h"

#include "sim/render/sensor.h"

#include "perception/geometry/box.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seeded random numbers, the same on every machine. */
typedef struct {
    uint64_t stream, index;
} seeded_dice;

/* In [low, high). */
static double dice_between(seeded_dice *dice, double low, double high)
{
    return low + (high - low) * ((double)(pov_noise_bits(dice->stream, dice->index++) >> 11) * 0x1p-53);
}

/* In 0 .. len - 1. */
static int dice_pick(seeded_dice *dice, int len)
{
    return (int)dice_between(dice, 0, len);
}

static bool is_named(const pov_world *world, const char *name)
{
    for (int i = 0; i < world->thing_len; i++)
        if (strcmp(world->things[i].entity.name, name) == 0)
            return true;
    return false;
}

static void name_thing(pov_world *world, pov_world_thing *thing)
{
    char name[POV_NAME_CAPACITY];
    snprintf(name, sizeof name, "%s", thing->entity.class_name);
    for (int k = 2; is_named(world, name); k++)
        snprintf(name, sizeof name, "%.20s %d", thing->entity.class_name, k);
    memcpy(thing->entity.name, name, sizeof name);
}

/* Appends a plain thing of a class, named after it: "mug", "mug 2". */
static pov_world_thing *add_thing(pov_world *world, const char *class_name)
{
    POV_REQUIRE(world->thing_len < POV_WORLD_THING_MAX);
    pov_world_thing *thing = &world->things[world->thing_len++];
    *thing = (pov_world_thing){.entity = pov_entity_named("", class_name)};
    POV_REQUIRE(pov_world_thing_become(thing, class_name).code == POV_OK);
    name_thing(world, thing);
    return thing;
}

/* ---- the "vpt" world ---- */

/* Section 2.1. Sizes are those of bricks' own: the longest side. */
static const struct {
    const char *class_name;
    double longest_m;
} objects[POV_VPT_PAIRS] = {{"plant", 0.05}, {"wardrobe", 0.062}, {"cat", 0.034},
                            {"dog", 0.038},  {"goblet", 0.024},   {"chair", 0.036},
                            {"desk", 0.052}, {"bat", 0.045},      {"computer monitor", 0.036}};

/* Nothing stands or faces exactly by the compass: of the gold answers of table 2, 17.3 % of those to Q5 (facing) and
 * 28.5 % of those to Q7 (where the object is for the figure) have two parts. So has an angle that is uniform within these
 * bounds, when two parts begin at 22.5 degrees. */
static const double facing_off_rad = 27.2 * POV_PI / 180, object_off_rad = 31.5 * POV_PI / 180;

pov_vpt_task pov_vpt_task_of(int index)
{
    const int task = index % POV_VPT_TASKS;
    return (pov_vpt_task){.view = task % POV_VPT_VIEWS,
                          .orientation = task / POV_VPT_VIEWS % POV_VPT_ORIENTATIONS,
                          .position = task / (POV_VPT_VIEWS * POV_VPT_ORIENTATIONS) % POV_VPT_POSITIONS,
                          .pair = task / (POV_VPT_VIEWS * POV_VPT_ORIENTATIONS * POV_VPT_POSITIONS)};
}

/* North is the top of the image: the table's +y. */
static void place_vpt_camera(pov_world *world, bool from_above)
{
    const double reach_m = 3.4 * world->generator.distance_m;
    pov_world_camera *camera = &world->camera;
    camera->look_at_m = from_above ? (pov_vec3){0, 0, 0} : (pov_vec3){0, 0, 0.016};
    camera->position_m =
        from_above ? (pov_vec3){0, 0, reach_m} : (pov_vec3){0, -reach_m * 0.95, reach_m * 0.35};
    camera->has_rotation = false;
}

static void put_thing(pov_world_thing *thing, double x_m, double y_m, double yaw_rad, double longest_m)
{
    const pov_vec3 size_m = thing->entity.size_m;
    thing->entity.size_m = pov_vec3_scale(size_m, longest_m / fmax(size_m.x, fmax(size_m.y, size_m.z)));
    thing->entity.position.mean_m = (pov_vec3){x_m, y_m, 0};
    pov_world_thing_face(thing, yaw_rad);
}

static void generate_vpt(pov_world *world, int index)
{
    const pov_vpt_task task = pov_vpt_task_of(index);
    /* both views show one scene */
    seeded_dice dice = {.stream = world->seed + 0x76707400, .index = (uint64_t)(index / POV_VPT_VIEWS) * 8};
    const double cardinal_rad = task.position * POV_PI / 2, half_m = world->generator.distance_m / 2;
    const double facing_rad = cardinal_rad + dice_between(&dice, -facing_off_rad, facing_off_rad);
    const double toward_rad = facing_rad + dice_between(&dice, -object_off_rad, object_off_rad);
    /* the figure faces the object, or away from it: as many see it as do not */
    const double bearing_rad = toward_rad + (task.orientation == 0 ? 0 : POV_PI);
    const double x_m = half_m * cos(bearing_rad), y_m = half_m * sin(bearing_rad);

    world->has_north = true;
    world->north_yaw_rad = POV_PI / 2;
    place_vpt_camera(world, task.view == 0);
    pov_world_thing *figure = add_thing(world, "minifigure");
    put_thing(figure, -x_m, -y_m, facing_rad, 0.048);
    figure->look.variant = (uint64_t)task.pair;
    figure->entity.addressee = true;
    pov_world_thing_open_eyes(figure);
    if (world->generator.is_zoomed) { /* carried, not turned: north stays the top of the image */
        const pov_vec3 shift_m = {-x_m, -y_m, 0};
        world->camera.position_m = pov_vec3_add(world->camera.position_m, shift_m);
        world->camera.look_at_m = pov_vec3_add(world->camera.look_at_m, shift_m);
    }
    if (world->generator.is_absent)
        return;
    pov_world_thing *object = add_thing(world, objects[task.pair].class_name);
    put_thing(object, x_m, y_m, dice_between(&dice, -POV_PI, POV_PI), objects[task.pair].longest_m);
}

/* ---- the "tabletop" world ---- */

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

enum { TRIES = 60 };                /* to find a free place; then the thing is left out: chosen */
static const double room_m = 2.1;   /* half the room's side; chosen */
static const double apart_m = 0.04; /* smallest gap between things; chosen */

typedef struct {
    pov_world *world;
    seeded_dice dice;
} room;

/* Is the last thing clear of all others, but for `below`, which it stands on or in? */
static bool is_clear(const room *r, int below)
{
    const int last = r->world->thing_len - 1;
    const pov_box box = pov_entity_box(&r->world->things[last].entity);
    for (int i = 0; i < last; i++) {
        const pov_box other = pov_entity_box(&r->world->things[i].entity);
        if (i != below && pov_box_gap_m(&box, &other) < apart_m / 4)
            return false;
    }
    return true;
}

static bool is_within(const pov_entity *thing, const pov_entity *surface)
{
    const pov_box box = pov_entity_box(thing), top = pov_entity_box(surface);
    const pov_footprint a = pov_box_footprint(&box), b = pov_box_footprint(&top);
    return pov_footprint_share_inside(&a, &b) > 1 - 1e-9;
}

/* Tries places until one is free. Returns the thing's index, or -1: there was no room, and it is not there. */
static int place_on_floor(room *r, const char *class_name)
{
    pov_world_thing *thing = add_thing(r->world, class_name);
    thing->look.variant = (uint64_t)dice_pick(&r->dice, 1000);
    for (int i = 0; i < TRIES; i++) {
        const double reach_m = room_m - hypot(thing->entity.size_m.x, thing->entity.size_m.y) / 2;
        thing->entity.position.mean_m =
            (pov_vec3){dice_between(&r->dice, -reach_m, reach_m), dice_between(&r->dice, -reach_m, reach_m),
                       thing->entity.size_m.z / 2};
        pov_world_thing_face(thing, dice_between(&r->dice, -POV_PI, POV_PI));
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
    pov_world_thing *thing = add_thing(r->world, class_name);
    const pov_world_thing *base = &r->world->things[below];
    const pov_vec3 base_m = base->entity.position.mean_m, size_m = base->entity.size_m;
    memcpy(thing->on, base->entity.name, sizeof thing->on);
    thing->look.variant = (uint64_t)dice_pick(&r->dice, 1000);
    for (int i = 0; i < TRIES; i++) {
        const pov_vec3 off = {dice_between(&r->dice, -size_m.x / 2, size_m.x / 2),
                              dice_between(&r->dice, -size_m.y / 2, size_m.y / 2), 0};
        thing->entity.position.mean_m = pov_vec3_add(base_m, pov_rot_apply(base->entity.R_table_box, off));
        thing->entity.position.mean_m.z = base_m.z + size_m.z / 2 + thing->entity.size_m.z / 2;
        pov_world_thing_face(thing, dice_between(&r->dice, -POV_PI, POV_PI));
        if (is_within(&thing->entity, &base->entity) && is_clear(r, below))
            return r->world->thing_len - 1;
    }
    r->world->thing_len--;
    return -1;
}

/* In an open container, on its floor; its walls are 3 % of it. */
static void fill_container(room *r, int container)
{
    pov_world_thing *thing = add_thing(r->world, contents[dice_pick(&r->dice, LEN(contents))]);
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
    pov_world_thing_face(thing, dice_between(&r->dice, -POV_PI, POV_PI));
    if (inner->size_m.z > 0.9 * outer->size_m.z)
        r->world->thing_len--;
}

static void place_people(room *r)
{
    const int len = dice_pick(&r->dice, r->world->generator.people + 1);
    for (int i = 0; i < len; i++) {
        const int index = place_on_floor(r, people[dice_pick(&r->dice, LEN(people))]);
        if (index < 0)
            continue;
        pov_world_thing *person = &r->world->things[index];
        const pov_vec3 pos_m = person->entity.position.mean_m;
        /* most people look at something */
        pov_world_thing_face(person, atan2(-pos_m.y, -pos_m.x) + dice_between(&r->dice, -1, 1));
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
        const int index = place_on(r, table, small_things[dice_pick(&r->dice, LEN(small_things))]);
        if (index < 0)
            continue;
        const char *class_name = r->world->things[index].entity.class_name;
        if (is_one_of(class_name, flat, 2) && dice_between(&r->dice, 0, 1) < 0.6)
            (void)place_on(r, index, stackable[dice_pick(&r->dice, LEN(stackable))]);
    }
}

/* From outside the room, at a standing or sitting person's height. */
static void place_tabletop_camera(room *r)
{
    const double azimuth_rad = dice_between(&r->dice, -POV_PI, POV_PI),
                 distance_m = dice_between(&r->dice, 3.9, 4.8);
    pov_world_camera *camera = &r->world->camera;
    camera->position_m = (pov_vec3){distance_m * cos(azimuth_rad), distance_m * sin(azimuth_rad),
                                    dice_between(&r->dice, 1.6, 2.7)};
    camera->look_at_m = (pov_vec3){0, 0, 0.4};
    camera->has_rotation = false;
}

static void generate_tabletop(pov_world *world, int index)
{
    const pov_world_generator *wanted = &world->generator;
    room r = {world, {.stream = world->seed + 0x7461626c, .index = (uint64_t)index << 20}};
    place_tabletop_camera(&r);
    const int table = place_on_floor(&r, tables[dice_pick(&r.dice, LEN(tables))]);
    place_people(&r);
    const int len = wanted->least_things + dice_pick(&r.dice, wanted->most_things - wanted->least_things + 1);
    place_on_table(&r, table, (len + 1) / 2);
    for (int i = 0; i < len / 2; i++) {
        const int piece = place_on_floor(&r, furniture[dice_pick(&r.dice, LEN(furniture))]);
        if (piece >= 0 &&
            is_one_of(world->things[piece].entity.class_name, (const char *const[]){"box", "container"}, 2))
            fill_container(&r, piece);
    }
}

/* ---- both ---- */

pov_status pov_world_generate(pov_world *world, int index)
{
    int culprit;
    world->thing_len = 0;
    POV_REQUIRE(world->generator.kind != POV_GENERATOR_NONE);
    if (world->generator.kind == POV_GENERATOR_VPT)
        generate_vpt(world, index);
    else
        generate_tabletop(world, index);
    return pov_world_settle(world, &culprit);
}
