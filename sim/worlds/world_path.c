/* What follows a path over time: how a world's file tells it, and where all is at a moment. */
#include "sim/worlds/world_path.h"

#include "sim/worlds/world_reader.h"

#include <math.h>

static const double time_max_s = 1e6, turn_max_deg = 3.6e5;

/* ---- reading ---- */

/* Later than the one before it. */
static void read_time(double *at_s, double before_s, pov_yaml_node node)
{
    pov_yaml_node time = pov_yaml_need(node, "at_s", "seconds after the start");
    pov_yaml_number(at_s, time, 0, time_max_s);
    if (!pov_yaml_failed(node.file) && !(*at_s > before_s))
        pov_yaml_complain(time, "is not after the one before it, at %g s", before_s);
}

static void read_turn(double *yaw_rad, pov_yaml_node node)
{
    double yaw_deg = *yaw_rad / POV_WORLD_DEG;
    pov_yaml_node front = pov_yaml_get(node, "front_deg"), yaw = pov_yaml_get(node, "yaw_deg");
    if (pov_yaml_exists(front) && pov_yaml_exists(yaw))
        pov_yaml_complain(yaw, "excludes front_deg, with which the body turns; give one");
    pov_yaml_number(&yaw_deg, front, -turn_max_deg, turn_max_deg);
    pov_yaml_number(&yaw_deg, yaw, -turn_max_deg, turn_max_deg);
    *yaw_rad = yaw_deg * POV_WORLD_DEG;
}

/* What a waypoint leaves out is as in the one before. */
static void read_waypoint(pov_world_waypoint *point, pov_yaml_node node)
{
    read_time(&point->at_s, point->at_s, node);
    pov_yaml_node position = pov_yaml_get(node, "position_m");
    if (pov_yaml_exists(position) && !pov_world_read_place(&point->pos_m, position))
        point->pos_m.z = NAN;
    read_turn(&point->yaw_rad, node);
}

void pov_world_read_path(pov_world *world, pov_world_thing *thing, pov_yaml_node thing_node)
{
    pov_yaml_node node = pov_yaml_get(thing_node, "path");
    const pov_rot *R = &thing->entity.R_table_box;
    const pov_vec3 rest_m = thing->entity.position.mean_m;
    pov_world_waypoint point = {.pos_m = {rest_m.x, rest_m.y, thing->has_height ? rest_m.z : NAN},
                                .yaw_rad = atan2(R->m[1][0], R->m[0][0])};
    const int len = pov_yaml_length(node);
    if (len == 0)
        return;
    if (world->waypoint_len + len + 1 > POV_WORLD_WAYPOINT_MAX) {
        pov_yaml_complain(node, "a world has at most %d waypoints, each path's start counted",
                          POV_WORLD_WAYPOINT_MAX);
        return;
    }
    read_turn(&point.yaw_rad, thing_node); /* as far as its degrees say, not wrapped */
    thing->path_first = world->waypoint_len;
    thing->path_len = len + 1;
    world->waypoints[world->waypoint_len++] = point;
    for (int i = 0; i < len && !pov_yaml_failed(node.file); i++) {
        read_waypoint(&point, pov_yaml_at(node, i));
        world->waypoints[world->waypoint_len++] = point;
    }
}

void pov_world_read_lights(pov_world *world, pov_yaml_node node)
{
    pov_world_light light = {0, world->lighting};
    const int len = pov_yaml_length(node);
    if (len == 0)
        return;
    if (len + 1 > POV_WORLD_LIGHT_MAX) {
        pov_yaml_complain(node, "at most %d lights", POV_WORLD_LIGHT_MAX - 1);
        return;
    }
    world->lights[0] = light;
    world->light_len = 1;
    for (int i = 0; i < len && !pov_yaml_failed(node.file); i++) {
        pov_yaml_node next = pov_yaml_at(node, i);
        read_time(&light.at_s, light.at_s, next);
        pov_world_read_light(&light.lighting, next);
        world->lights[world->light_len++] = light;
    }
}

/* ---- moving ---- */

double pov_world_time_s(const pov_world *world, int index)
{
    const pov_world_motion *motion = &world->motion;
    if (world->rate_hz > 0)
        return index / world->rate_hz;
    return motion->steps > 0 ? index * motion->period_s / motion->steps : 0;
}

bool pov_world_has_paths(const pov_world *world)
{
    bool has = world->light_len > 0;
    for (int i = 0; i < world->thing_len; i++)
        has = has || world->things[i].path_len > 0;
    return has;
}

/* How much of the way from one time to the next has gone by. */
static double share_between(double from_s, double to_s, double time_s)
{
    return fmin(fmax((time_s - from_s) / (to_s - from_s), 0), 1);
}

static double mix(double a, double b, double share)
{
    return a + share * (b - a);
}

static pov_vec3 mix_places(pov_vec3 a, pov_vec3 b, double share)
{
    return (pov_vec3){mix(a.x, b.x, share), mix(a.y, b.y, share), mix(a.z, b.z, share)};
}

static void move_thing(pov_world_thing *thing, const pov_world_waypoint *path, double time_s)
{
    int i = 0;
    while (i + 2 < thing->path_len && path[i + 1].at_s <= time_s)
        i++;
    const pov_world_waypoint *a = &path[i], *b = &path[i + 1];
    const double share = share_between(a->at_s, b->at_s, time_s);
    thing->entity.position.mean_m = mix_places(a->pos_m, b->pos_m, share);
    pov_world_thing_face(thing, mix(a->yaw_rad, b->yaw_rad, share));
}

static void change_light(pov_lighting *now, const pov_world_light *lights, int len, double time_s)
{
    int i = 0;
    while (i + 2 < len && lights[i + 1].at_s <= time_s)
        i++;
    *now = lights[i].lighting;
    const pov_lighting *next = &lights[i + 1].lighting;
    const double share = share_between(lights[i].at_s, lights[i + 1].at_s, time_s);
    now->lamp_m = mix_places(now->lamp_m, next->lamp_m, share);
    now->lamp_radius_m = mix(now->lamp_radius_m, next->lamp_radius_m, share);
    now->lamp_strength = mix(now->lamp_strength, next->lamp_strength, share);
    now->ambient = mix(now->ambient, next->ambient, share);
    for (int k = 0; k < 3; k++) {
        now->lamp_colour[k] += (float)share * (next->lamp_colour[k] - now->lamp_colour[k]);
        now->sky[k] += (float)share * (next->sky[k] - now->sky[k]);
    }
}

void pov_world_move(pov_world *world, double time_s)
{
    for (int i = 0; i < world->thing_len; i++)
        if (world->things[i].path_len > 0)
            move_thing(&world->things[i], &world->waypoints[world->things[i].path_first], time_s);
    if (world->light_len > 0)
        change_light(&world->lighting, world->lights, world->light_len, time_s);
}
