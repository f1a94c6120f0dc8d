#include "perception/papers/class_shares.h"

#include <assert.h>
#include <math.h>

const char *const POV_EIGHTH_WORDS[POV_EIGHTHS] = {"front", "front-right", "right", "back-right",
                                                   "back",  "back-left",   "left",  "front-left"};
const char *const POV_QUARTER_WORDS[POV_QUARTERS] = {"front", "right", "back", "left"};

/* Angles and shares that differ by no more are equal: rounding. */
static const double EDGE = 1e-9;

pov_code pov_class_shares(double p[], int len, const pov_scene *scene, const pov_class_query *query)
{
    pov_world world;
    const pov_id *ids = query->ids;
    const int id_len = query->id_len;
    for (int i = 0; i < len; i++)
        p[i] = 0;
    for (int i = 0; i < id_len; i++)
        if (ids[i] < 0 || ids[i] >= scene->len || !scene->entities[ids[i]].placed) {
            for (int k = 0; k < len; k++)
                p[k] = NAN;
            return POV_UNDEFINED;
        }
    int worlds = pov_world_count(scene, ids, id_len);
    for (int i = 0; i < worlds; i++) {
        pov_world_sample(&world, scene, ids, id_len, i);
        const int found = query->class_of(&world, query->context);
        POV_REQUIRE(found < len);
        if (found >= 0)
            p[found]++;
        if (i + 1 == POV_WORLDS_THAT_SETTLE && found >= 0 && p[found] == i + 1)
            worlds = i + 1;
    }
    for (int i = 0; i < len; i++)
        p[i] /= worlds;
    return POV_OK;
}

int pov_sector_of(double forward, double right, int len)
{
    if (hypot(forward, right) < EDGE)
        return -1;
    const double sectors = atan2(right, forward) / (2 * POV_PI / len), middle = round(sectors);
    if (fabs(fabs(sectors - middle) - 0.5) * (2 * POV_PI / len) <= EDGE)
        return -1;
    return ((int)middle % len + len) % len;
}

pov_seen_vector pov_see_vector(pov_vec3 v, double yaw_rad)
{
    const double x = cos(yaw_rad), y = sin(yaw_rad);
    return (pov_seen_vector){v.x * x + v.y * y, v.x * y - v.y * x, v.z};
}

/* ---- directions in space ---- */

enum { BACK, FRONT, LEFT, RIGHT, DOWN, UP, PARTS };

/* The two parts of each; the second PARTS: it has one. */
static const struct {
    const char *word;
    int parts[2];
} space[] = {{"left", {LEFT, PARTS}},       {"right", {RIGHT, PARTS}},       {"front", {FRONT, PARTS}},
             {"back", {BACK, PARTS}},       {"above", {UP, PARTS}},          {"down", {DOWN, PARTS}},
             {"front-left", {FRONT, LEFT}}, {"front-right", {FRONT, RIGHT}}, {"back-left", {BACK, LEFT}},
             {"back-right", {BACK, RIGHT}}, {"front-up", {FRONT, UP}},       {"back-up", {BACK, UP}},
             {"front-down", {FRONT, DOWN}}, {"back-down", {BACK, DOWN}},     {"above-left", {LEFT, UP}},
             {"above-right", {RIGHT, UP}},  {"down-left", {LEFT, DOWN}},     {"down-right", {RIGHT, DOWN}}};
static_assert(sizeof space / sizeof *space == POV_SPACE_DIRECTIONS, "each has its parts");

const char *const POV_SPACE_WORDS[POV_SPACE_DIRECTIONS] = {
    "left",       "right",       "front",      "back",        "above",     "down",
    "front-left", "front-right", "back-left",  "back-right",  "front-up",  "back-up",
    "front-down", "back-down",   "above-left", "above-right", "down-left", "down-right"};

static int find_direction(int first, int second)
{
    for (int i = 0; i < POV_SPACE_DIRECTIONS; i++)
        if (space[i].parts[0] == first && space[i].parts[1] == second)
            return i;
    return -1;
}

int pov_space_direction_of(pov_seen_vector v)
{
    const double component[3] = {v.forward, v.right, v.up},
                 length = sqrt(v.forward * v.forward + v.right * v.right + v.up * v.up);
    const double least = sin(POV_PI / 8) * length;
    int part[3], len = 0, smallest = 0;
    if (length < EDGE)
        return -1;
    for (int axis = 0; axis < 3; axis++) {
        const double size = fabs(component[axis]);
        if (fabs(size - least) <= EDGE * length)
            return -1;
        if (size < least)
            continue;
        part[len++] = 2 * axis + (component[axis] > 0);
        smallest = size < fabs(component[part[smallest] / 2]) ? len - 1 : smallest;
    }
    if (len == 3) {
        for (int i = smallest; i < 2; i++)
            part[i] = part[i + 1];
    }
    return find_direction(part[0], len > 1 ? part[1] : PARTS);
}
