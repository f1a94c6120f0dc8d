#include "sim/worlds/world.h"

#include "perception/visibility/body_doubt.h"
#include "sim/bodies/furniture_package.h"

#include <math.h>
#include <string.h>

void pov_world_clear(pov_world *world)
{
    memset(world, 0, sizeof *world);
    world->camera =
        (pov_world_camera){.lens = {.lens = POV_LENS_BROWN_CONRADY, .width_px = 640, .height_px = 480},
                           .field_of_view_rad = 60 * POV_DEG,
                           .position_m = {2, 0, 1.2}};
    world->lighting = POV_LIGHTING_DEFAULT;
    world->surface = (pov_world_surface){.size_m = {60, 60}, .colour = 0x9A9894};
    world->motion.period_s = 12;
    world->sensor = POV_SENSOR_DEFAULT;
    strcpy(world->sensor_preset, "clean");
    world->image_len = 1;
}

/* ---- things ---- */

pov_status pov_world_thing_become(pov_world_thing *thing, const char *class_name)
{
    pov_entity *entity = &thing->entity;
    const pov_catalogue_entry *entry = pov_catalogue_find(class_name);
    if (!entry)
        return pov_catalogue_unknown(class_name);
    memmove(entity->class_name, entry->class_name, strlen(entry->class_name) + 1);
    entity->size_m = entry->size_m;
    entity->shape = strstr(entry->class_name, "ball") ? POV_SHAPE_SPHERE : POV_SHAPE_BOX;
    entity->shape_doubt = entity->shape == POV_SHAPE_BOX ? POV_SHAPE_DOUBT : 0;
    entity->heading.len = entry->has_front;
    pov_world_thing_face(thing, atan2(entity->R_table_box.m[1][0], entity->R_table_box.m[0][0]));
    return pov_ok();
}

pov_vec3 pov_world_thing_eye_m(const pov_world_thing *thing)
{
    return pov_catalogue_eye_m(pov_catalogue_find(thing->entity.class_name), thing->entity.size_m);
}

void pov_world_thing_face(pov_world_thing *thing, double yaw_rad)
{
    pov_entity *entity = &thing->entity;
    entity->R_table_box = pov_rot_yaw(yaw_rad);
    if (entity->heading.len > 0)
        entity->heading = pov_heading_single(pov_angle_wrap(yaw_rad), pov_kappa_from_std(0));
}

void pov_world_thing_open_eyes(pov_world_thing *thing)
{
    thing->entity.can_see = true;
    thing->entity.field = (pov_field_of_view){.shape = POV_FIELD_CONE,
                                              .half_horizontal_rad = 90 * POV_DEG,
                                              .half_vertical_rad = 60 * POV_DEG,
                                              .far_m = INFINITY,
                                              .eye_m = pov_world_thing_eye_m(thing)};
}

/* ---- settling ---- */

int pov_world_find(const pov_world *world, const char *id)
{
    for (int i = 0; i < world->thing_len; i++)
        if (strcmp(world->things[i].entity.name, id) == 0)
            return i;
    return -1;
}

static double top_m(const pov_world_thing *thing)
{
    return thing->entity.position.mean_m.z + thing->entity.size_m.z / 2;
}

static bool is_on_turntable(const pov_world_thing *thing)
{
    return strcmp(thing->on, "turntable") == 0;
}

static void settle_path(pov_world *world, const pov_world_thing *thing, double resting_z_m)
{
    for (int i = thing->path_first; i < thing->path_first + thing->path_len; i++)
        if (isnan(world->waypoints[i].pos_m.z))
            world->waypoints[i].pos_m.z = resting_z_m;
}

/* `depth` counts what lies below: more than there are things is a circle. */
static pov_status settle_thing(pov_world *world, int index, int *culprit, int depth)
{
    pov_world_thing *thing = &world->things[index];
    double ground_m = 0;
    *culprit = index;
    thing->turns = world->motion.is_orbit && strcmp(thing->entity.name, world->motion.orbiting) == 0;
    if (is_on_turntable(thing)) {
        if (!world->turntable.present)
            return pov_error("'%s' stands on the turntable, but the world has none; add turntable: {...}",
                             thing->entity.name);
        ground_m = world->turntable.height_m;
        thing->turns = thing->turns || !world->motion.is_orbit;
    } else if (*thing->on) {
        const int below = pov_world_find(world, thing->on);
        if (below < 0)
            return pov_error("'%s' is on '%s', which is not there; name a thing's id, or turntable",
                             thing->entity.name, thing->on);
        if (depth >= world->thing_len)
            return pov_error("'%s' rests on itself by way of '%s'; something must stand on the ground",
                             thing->entity.name, thing->on);
        POV_TRY(settle_thing(world, below, culprit, depth + 1));
        *culprit = index;
        if (world->things[below].path_len > 0)
            return pov_error("'%s' is on '%s', which follows a path; give it a path of its own instead",
                             thing->entity.name, thing->on);
        ground_m = top_m(&world->things[below]);
        thing->turns = thing->turns || world->things[below].turns;
    }
    if (!thing->has_height)
        thing->entity.position.mean_m.z = ground_m + thing->entity.size_m.z / 2;
    settle_path(world, thing, ground_m + thing->entity.size_m.z / 2);
    return pov_ok();
}

static pov_status settle_motion(pov_world *world)
{
    pov_world_motion *motion = &world->motion;
    if (motion->steps == 0)
        return pov_ok();
    if (!motion->is_orbit) {
        motion->centre_m = world->turntable.centre_m;
        return world->turntable.present
                   ? pov_ok()
                   : pov_error("nothing can turn: give motion.orbit {thing, about}, or a turntable");
    }
    const int about = pov_world_find(world, motion->about),
              orbiting = pov_world_find(world, motion->orbiting);
    if (about < 0 || orbiting < 0 || about == orbiting)
        return pov_error("motion.orbit: '%s' about '%s': both must be things, and not the same",
                         motion->orbiting, motion->about);
    const pov_vec3 centre_m = world->things[about].entity.position.mean_m;
    motion->centre_m = (pov_vec2){centre_m.x, centre_m.y};
    return pov_ok();
}

static void fit_lens(pov_world_camera *camera)
{
    pov_camera *lens = &camera->lens;
    if (camera->field_of_view_rad <= 0)
        return;
    const double half_rad = camera->field_of_view_rad / 2;
    lens->fx_px = lens->width_px / 2.0 / (lens->lens == POV_LENS_EQUIDISTANT ? half_rad : tan(half_rad));
    lens->fy_px = lens->fx_px;
    lens->cx_px = (lens->width_px - 1) / 2.0;
    lens->cy_px = (lens->height_px - 1) / 2.0;
}

/* The arm is the body's: it turns with it. */
static void point_arm(pov_entity *entity, const pov_world_thing *thing)
{
    if (!thing->look.points)
        return;
    const pov_vec3 ray =
        pov_rot_apply(entity->R_table_box, pov_vec3_sub(thing->look.target_m, pov_world_thing_eye_m(thing)));
    entity->arms_seen = true;
    entity->pointing = pov_heading_single(atan2(ray.y, ray.x), pov_kappa_from_std(0));
}

/* An arm reaches 0.43 of the height from the shoulder: 0.6 from the eye is farther. */
static const double least_far_share = 0.6;

static pov_status settle_pointing(pov_world *world, int index)
{
    pov_world_thing *thing = &world->things[index];
    const pov_catalogue_entry *entry = pov_catalogue_find(thing->entity.class_name);
    const int target = pov_world_find(world, thing->points_at);
    pov_vec3 at_m = thing->points_at_m;
    if (!entry || !entry->can_point)
        return pov_error("points_at: a %s has no arm to point with; a man, a woman and a child have",
                         thing->entity.class_name);
    if (*thing->points_at && target < 0)
        return pov_error(
            "'%s' points at '%s', which is not there; name a thing's id, or give a place [x, y, z]",
            thing->entity.name, thing->points_at);
    if (target == index)
        return pov_error("'%s' points at itself; name another thing's id", thing->entity.name);
    if (target >= 0)
        at_m = world->things[target].entity.position.mean_m;
    const pov_transform T = {thing->entity.R_table_box, thing->entity.position.mean_m};
    thing->look.points = true;
    thing->look.target_m = pov_transform_apply(pov_transform_inverse(T), at_m);
    const double far_m = pov_vec3_norm(pov_vec3_sub(thing->look.target_m, pov_world_thing_eye_m(thing)));
    if (far_m < least_far_share * thing->entity.size_m.z)
        return pov_error("'%s' points at what is %.2f m from the eyes, within an arm's reach; take something "
                         "farther away",
                         thing->entity.name, far_m);
    point_arm(&thing->entity, thing);
    return pov_ok();
}

pov_status pov_world_settle(pov_world *world, int *culprit)
{
    *culprit = -1;
    fit_lens(&world->camera);
    POV_TRY(pov_camera_check(&world->camera.lens));
    for (int i = 0; i < world->thing_len; i++)
        POV_TRY(settle_thing(world, i, culprit, 0));
    for (*culprit = 0; *culprit < world->thing_len; ++*culprit)
        if (world->things[*culprit].points)
            POV_TRY(settle_pointing(world, *culprit));
    *culprit = -1;
    return settle_motion(world);
}

void pov_world_resize(pov_world *world, int width_px, int height_px)
{
    pov_camera *lens = &world->camera.lens;
    const double scale = (double)width_px / lens->width_px;
    lens->fx_px *= scale;
    lens->fy_px *= scale;
    lens->cx_px = (lens->cx_px + 0.5) * scale - 0.5;
    lens->cy_px = (lens->cy_px - (lens->height_px - 1) / 2.0) * scale + (height_px - 1) / 2.0;
    lens->width_px = width_px;
    lens->height_px = height_px;
}

/* ---- where all is ---- */

double pov_world_turn_rad(const pov_world *world, int index)
{
    const pov_world_motion *motion = &world->motion;
    if (motion->steps == 0)
        return 0;
    if (world->rate_hz > 0)
        return pov_world_turn_at_rad(world, llround(1e9 * pov_world_time_s(world, index)));
    return motion->start_rad + 2 * POV_PI * (index % motion->steps) / motion->steps;
}

double pov_world_turn_at_rad(const pov_world *world, int64_t time_ns)
{
    const pov_world_motion *motion = &world->motion;
    if (motion->steps == 0)
        return 0;
    return motion->start_rad + 2 * POV_PI * fmod((double)time_ns * 1e-9 / motion->period_s, 1);
}

static pov_transform turned_about(pov_vec2 centre_m, double turn_rad)
{
    const pov_rot R = pov_rot_yaw(turn_rad);
    const pov_vec3 centre = {centre_m.x, centre_m.y, 0};
    return (pov_transform){.R = R, .t_m = pov_vec3_sub(centre, pov_rot_apply(R, centre))};
}

pov_transform pov_world_disc_at(const pov_world *world, double turn_rad)
{
    return turned_about(world->turntable.centre_m, world->motion.is_orbit ? 0 : turn_rad);
}

pov_transform pov_world_thing_at(const pov_world *world, int thing, double turn_rad)
{
    const pov_world_thing *t = &world->things[thing];
    const pov_transform rest = {t->entity.R_table_box, t->entity.position.mean_m};
    if (!t->turns)
        return rest;
    pov_transform there = pov_transform_mul(turned_about(world->motion.centre_m, turn_rad), rest);
    if (world->motion.is_orbit)
        there.R = rest.R;
    return there;
}

pov_transform pov_world_T_table_camera(const pov_world *world)
{
    const pov_world_camera *camera = &world->camera;
    if (camera->has_rotation)
        return (pov_transform){camera->R_table_camera, camera->position_m};
    const pov_vec3 axis = pov_vec3_sub(camera->look_at_m, camera->position_m);
    pov_vec3 up = {0, 0, 1};
    if (hypot(axis.x, axis.y) < 1e-6 * fabs(axis.z)) /* straight down: the image's top is north, else +y */
        up = world->has_north ? (pov_vec3){cos(world->north_yaw_rad), sin(world->north_yaw_rad), 0}
                              : (pov_vec3){0, 1, 0};
    return pov_transform_look_at(camera->position_m, camera->look_at_m, up);
}

/* Where the camera looks at the ground. */
static pov_vec2 find_sight_on_ground(const pov_world_camera *camera)
{
    const pov_vec3 at_m = camera->position_m,
                   axis = {camera->R_table_camera.m[0][2], camera->R_table_camera.m[1][2],
                           camera->R_table_camera.m[2][2]};
    if (!camera->has_rotation)
        return (pov_vec2){camera->look_at_m.x, camera->look_at_m.y};
    if (axis.z > -0.05 || at_m.z <= 0)
        return (pov_vec2){0, 0};
    const double far = -at_m.z / axis.z;
    return (pov_vec2){at_m.x + far * axis.x, at_m.y + far * axis.y};
}

void pov_world_carry_camera(pov_world *world, double angle_rad)
{
    pov_world_camera *camera = &world->camera;
    if (angle_rad == 0)
        return;
    const pov_transform T = turned_about(find_sight_on_ground(camera), angle_rad);
    camera->R_table_camera = pov_rot_mul(T.R, pov_world_T_table_camera(world).R);
    camera->position_m = pov_transform_apply(T, camera->position_m);
    camera->look_at_m = pov_transform_apply(T, camera->look_at_m);
    camera->has_rotation = true;
}

static void add_camera(pov_scene *scene, const pov_world *world)
{
    const pov_pose pose = pov_pose_exact(pov_world_T_table_camera(world));
    const pov_camera *lens = &world->camera.lens;
    const bool wide = lens->lens == POV_LENS_EQUIDISTANT;
    const double x = lens->width_px / 2.0 / lens->fx_px, y = lens->height_px / 2.0 / lens->fy_px;
    POV_REQUIRE(pov_scene_add_camera(scene, &pose).code == POV_OK);
    pov_entity *camera = &scene->entities[scene->camera];
    camera->can_see = true;
    camera->field = (pov_field_of_view){.shape = wide ? POV_FIELD_CONE : POV_FIELD_FRUSTUM,
                                        .half_horizontal_rad = wide ? fmin(x, POV_PI) : atan(x),
                                        .half_vertical_rad = wide ? fmin(y, POV_PI) : atan(y),
                                        .far_m = INFINITY};
}

void pov_world_scene(pov_scene *scene, const pov_world *world, double turn_rad)
{
    pov_scene_clear(scene);
    scene->has_north = world->has_north;
    scene->north_yaw_rad = world->has_north ? world->north_yaw_rad : NAN;
    add_camera(scene, world);
    for (int i = 0; i < world->thing_len; i++) {
        pov_entity entity = world->things[i].entity;
        const pov_transform T = pov_world_thing_at(world, i, turn_rad);
        entity.placed = true;
        entity.position.mean_m = T.t_m;
        entity.R_table_box = T.R;
        if (entity.heading.len > 0)
            entity.heading = pov_heading_single(atan2(T.R.m[1][0], T.R.m[0][0]), pov_kappa_from_std(0));
        point_arm(&entity, &world->things[i]);
        pov_id id;
        POV_REQUIRE(pov_scene_add(scene, &id, &entity).code == POV_OK);
    }
}

/* ---- bodies of sweethome3d-furniture ---- */

/* The largest ratio of stretches along two sides; a body that needs more keeps our own shape. Chosen. */
static const double STRETCH_MAX = 1.35;

static pov_vec3 place_over(pov_vec3 a, pov_vec3 b)
{
    return (pov_vec3){a.x / b.x, a.y / b.y, a.z / b.z};
}

static bool is_like(pov_vec3 size_m, pov_vec3 other_m)
{
    const pov_vec3 scale = place_over(size_m, other_m);
    return fmax(scale.x, fmax(scale.y, scale.z)) <= STRETCH_MAX * fmin(scale.x, fmin(scale.y, scale.z));
}

static bool is_plain(const pov_look *look)
{
    return !look->has_colour && look->variant == 0 && !look->points;
}

static void move_eye(pov_world_thing *thing, const pov_furniture *body)
{
    const pov_vec3 own_m = pov_world_thing_eye_m(thing),
                   scale = place_over(thing->entity.size_m, body->size_m);
    pov_vec3 *eye_m = &thing->entity.field.eye_m;
    if (thing->entity.can_see &&
        pov_vec3_norm(pov_vec3_sub(*eye_m, own_m)) < 1e-9) /* else the file says where */
        *eye_m = (pov_vec3){scale.x * body->eye_m.x, scale.y * body->eye_m.y, scale.z * body->eye_m.z};
}

void pov_world_take_package(pov_world *world, const char *folder)
{
    for (int i = 0; i < world->thing_len; i++) {
        pov_world_thing *thing = &world->things[i];
        const pov_furniture *body = pov_furniture_find(thing->entity.class_name);
        if (!body || thing->entity.shape == POV_SHAPE_SPHERE || thing->from_package ||
            !is_plain(&thing->look) || !is_like(thing->entity.size_m, body->size_m) ||
            !pov_furniture_is_here(body->class_name, folder))
            continue;
        thing->from_package = true;
        move_eye(thing, body);
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

/* The share of the time from one to the next that has passed. */
static double share_between(double from_s, double to_s, double time_s)
{
    return fmin(fmax((time_s - from_s) / (to_s - from_s), 0), 1);
}

static double mix_values(double a, double b, double share)
{
    return a + share * (b - a);
}

static pov_vec3 mix_places(pov_vec3 a, pov_vec3 b, double share)
{
    return (pov_vec3){mix_values(a.x, b.x, share), mix_values(a.y, b.y, share), mix_values(a.z, b.z, share)};
}

static void move_thing(pov_world_thing *thing, const pov_world_waypoint *path, double time_s)
{
    int i = 0;
    while (i + 2 < thing->path_len && path[i + 1].at_s <= time_s)
        i++;
    const pov_world_waypoint *a = &path[i], *b = &path[i + 1];
    const double share = share_between(a->at_s, b->at_s, time_s);
    thing->entity.position.mean_m = mix_places(a->pos_m, b->pos_m, share);
    pov_world_thing_face(thing, mix_values(a->yaw_rad, b->yaw_rad, share));
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
    now->lamp_radius_m = mix_values(now->lamp_radius_m, next->lamp_radius_m, share);
    now->lamp_strength = mix_values(now->lamp_strength, next->lamp_strength, share);
    now->ambient = mix_values(now->ambient, next->ambient, share);
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
