#include "sim/worlds/world_bodies.h"

#include "sim/bodies/furniture_package.h"

#include <math.h>
#include <string.h>

/* A body that would have to be stretched more than this along one side than along another is left. */
static const double STRETCH_MAX = 1.35;

static pov_vec3 over(pov_vec3 a, pov_vec3 b)
{
    return (pov_vec3){a.x / b.x, a.y / b.y, a.z / b.z};
}

static bool is_like(pov_vec3 size_m, pov_vec3 other_m)
{
    const pov_vec3 scale = over(size_m, other_m);
    return fmax(scale.x, fmax(scale.y, scale.z)) <= STRETCH_MAX * fmin(scale.x, fmin(scale.y, scale.z));
}

static bool is_plain(const pov_look *look)
{
    return !look->has_colour && look->variant == 0;
}

static void move_eye(pov_world_thing *thing, const pov_furniture *body)
{
    const pov_vec3 own_m = pov_world_thing_eye_m(thing), scale = over(thing->entity.size_m, body->size_m);
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
