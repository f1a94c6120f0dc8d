/* Position, counting, distance, size: see sphere_scene.c for occlusion and manipulation. */
#include "perception/papers/sphere_tasks.h"

#include "perception/scene/possible_world.h"

#include <math.h>
#include <string.h>

static void set_undefined(pov_choice *choice, int len)
{
    choice->len = len;
    for (int i = 0; i < 3; i++)
        choice->p[i] = i < len ? NAN : 0;
}

static bool are_placed(const pov_scene *scene, const pov_id *ids, int len)
{
    bool placed = true;
    for (int i = 0; i < len; i++)
        placed = placed && ids[i] >= 0 && ids[i] < scene->len && scene->entities[ids[i]].placed;
    return placed;
}

/* What is asked of one world: which answer holds there. */
typedef int (*ask_world)(const pov_world *world, const void *question);

static pov_code choose(pov_choice *choice, int answers, const pov_scene *scene, const pov_id *ids, int len,
                       ask_world ask, const void *question)
{
    set_undefined(choice, answers);
    if (!are_placed(scene, ids, len))
        return POV_UNDEFINED;
    pov_world world;
    int count = pov_world_count(scene, ids, len), hits[3] = {0};
    for (int i = 0; i < count; i++) {
        pov_world_sample(&world, scene, ids, len, i);
        hits[ask(&world, question)]++;
    }
    for (int i = 0; i < answers; i++)
        choice->p[i] = (double)hits[i] / count;
    return POV_OK;
}

/* -------- position -------- */

/* Of v about a direction: is it on the first side (left, front)? */
static bool is_first_side(pov_position_kind kind, pov_vec3 v, double axis_yaw_rad)
{
    double x = cos(axis_yaw_rad), y = sin(axis_yaw_rad);
    if (kind == POV_ABOVE_OR_BELOW)
        return v.z > 0;
    return (kind == POV_LEFT_OR_RIGHT ? x * v.y - y * v.x : x * v.x + y * v.y) > 0;
}

static pov_vec3 from_to(const pov_world *world, int from, int to)
{
    return pov_vec3_sub(world->box[to].centre_m, world->box[from].centre_m);
}

/* Worlds hold the viewer, then the referent. */
static int egocentric_side(const pov_world *world, const void *question)
{
    const pov_position_kind *kind = question;
    return !is_first_side(*kind, from_to(world, 0, 1), world->yaw_rad[0]);
}

/* In the viewer's axes reflected at the relatum, the front is toward the viewer, or, from right above, against its heading.
 * Worlds hold the viewer, the relatum, the referent. */
static bool is_reflected_first_side(const pov_world *world, pov_position_kind kind, int referent)
{
    pov_vec3 sight = from_to(world, 0, 1), v = from_to(world, 1, referent);
    bool is_above = hypot(sight.x, sight.y) < 1e-9;
    bool first = is_first_side(kind, v, is_above ? world->yaw_rad[0] : atan2(sight.y, sight.x));
    return kind == POV_FRONT_OR_BEHIND ? !first : first;
}

static int allocentric_side(const pov_world *world, const void *question)
{
    const pov_position_kind *kind = question;
    return !is_reflected_first_side(world, *kind, 2);
}

pov_code pov_sphere_position_egocentric(pov_choice *choice, const pov_scene *scene, pov_position_kind kind,
                                        pov_id viewer, pov_id referent)
{
    const pov_id ids[] = {viewer, referent};
    set_undefined(choice, 2);
    if (!are_placed(scene, ids, 2) ||
        (kind != POV_ABOVE_OR_BELOW && scene->entities[viewer].heading.len == 0))
        return POV_UNDEFINED;
    return choose(choice, 2, scene, ids, 2, egocentric_side, &kind);
}

pov_code pov_sphere_position_allocentric(pov_choice *choice, const pov_scene *scene, pov_position_kind kind,
                                         pov_id referent, pov_id relatum)
{
    const pov_id ids[] = {scene->camera, relatum, referent};
    return choose(choice, 2, scene, ids, 3, allocentric_side, &kind);
}

/* -------- distance -------- */

static bool is_nearer(const pov_world *world, int a, int b, int from)
{
    return pov_box_gap_m(&world->box[from], &world->box[a]) <
           pov_box_gap_m(&world->box[from], &world->box[b]);
}

static int nearer_of_two(const pov_world *world, const void *question)
{
    (void)question;
    return !is_nearer(world, 1, 2, 0);
}

pov_code pov_sphere_nearer(pov_choice *choice, const pov_scene *scene, pov_id a, pov_id b, pov_id from)
{
    const pov_id ids[] = {from, a, b};
    return choose(choice, 2, scene, ids, 3, nearer_of_two, NULL);
}

/* -------- size -------- */

/* The edge of the cube of its volume. */
static double edge_m(const pov_entity *entity)
{
    return cbrt(entity->size_m.x * entity->size_m.y * entity->size_m.z);
}

pov_code pov_sphere_bigger(pov_choice *choice, const pov_scene *scene, pov_id a, pov_id b)
{
    double edge_a = edge_m(&scene->entities[a]), edge_b = edge_m(&scene->entities[b]);
    set_undefined(choice, 3);
    if (!(edge_a > 0 && edge_b > 0))
        return POV_UNDEFINED;
    bool similar = fabs(edge_a - edge_b) < POV_SIMILAR_LENGTH * (edge_a + edge_b) / 2;
    *choice =
        (pov_choice){.len = 3, .p = {!similar && edge_a > edge_b, !similar && edge_b > edge_a, similar}};
    return POV_OK;
}

pov_code pov_sphere_bigger_by_distance(pov_choice *choice, const pov_scene *scene, pov_id a, pov_id b)
{
    pov_choice bigger, nearer;
    set_undefined(choice, 3);
    if (pov_sphere_bigger(&bigger, scene, a, b) != POV_OK ||
        pov_sphere_nearer(&nearer, scene, a, b, scene->camera) != POV_OK)
        return POV_UNDEFINED;
    choice->p[0] = bigger.p[0] * nearer.p[0] + bigger.p[1] * nearer.p[1];
    choice->p[1] = bigger.p[0] * nearer.p[1] + bigger.p[1] * nearer.p[0];
    choice->p[2] = bigger.p[2];
    return POV_OK;
}

/* -------- counting -------- */

/* Places of a class behind the two entities that a question is about. */
static int gather(pov_id ids[POV_ENTITY_MAX], const pov_scene *scene, const char *class_name, int len)
{
    int fixed = len;
    for (pov_id id = 0; id < scene->len && len < POV_ENTITY_MAX; id++) {
        bool about = false;
        for (int i = 0; i < fixed; i++)
            about = about || ids[i] == id;
        if (!about && scene->entities[id].placed && strcmp(scene->entities[id].class_name, class_name) == 0)
            ids[len++] = id;
    }
    return len;
}

static void clear(pov_count *count)
{
    memset(count, 0, sizeof *count);
}

static void find_likeliest(pov_count *count)
{
    for (int i = 0; i < count->len; i++)
        if (count->p[i] > count->p[count->likeliest])
            count->likeliest = i;
}

/* One more thing that is in the image with probability p: of `found` that may be so far. */
static void add_one(double number_p[], int found, double p)
{
    number_p[found + 1] = number_p[found] * p;
    for (int k = found; k > 0; k--)
        number_p[k] = number_p[k] * (1 - p) + number_p[k - 1] * p;
    number_p[0] *= 1 - p;
}

static double p_counted(const pov_counted *counted, pov_id id)
{
    return counted->p_in_image ? counted->p_in_image[id] : 1;
}

void pov_sphere_count(pov_count *count, const pov_scene *scene, const pov_counted *counted)
{
    pov_id ids[POV_ENTITY_MAX];
    clear(count);
    const int len = gather(ids, scene, counted->class_name, 0);
    count->len = len + 1;
    count->p[0] = 1;
    for (int i = 0; i < len; i++)
        add_one(count->p, i, p_counted(counted, ids[i]));
    find_likeliest(count);
}

/* Does the thing at `at` of the world count? */
typedef bool (*counts_in_world)(const pov_world *world, int at, const void *question);

static pov_code count_worlds(pov_count *count, const pov_scene *scene, pov_id *ids, int fixed,
                             const pov_counted *counted, counts_in_world counts, const void *question)
{
    clear(count);
    if (!are_placed(scene, ids, fixed))
        return POV_UNDEFINED;
    pov_world world;
    int len = gather(ids, scene, counted->class_name, fixed), worlds = pov_world_count(scene, ids, len);
    count->len = len - fixed + 1;
    for (int i = 0; i < worlds; i++) {
        int found = 0;
        double p[POV_ENTITY_MAX + 1] = {1.0 / worlds};
        pov_world_sample(&world, scene, ids, len, i);
        for (int at = fixed; at < len; at++)
            if (counts(&world, at, question))
                add_one(p, found++, p_counted(counted, ids[at]));
        for (int k = 0; k <= found; k++)
            count->p[k] += p[k];
    }
    find_likeliest(count);
    return POV_OK;
}

typedef struct {
    pov_position_kind kind;
    bool first, own;
} positioned;

static bool is_positioned(const pov_world *world, int at, const void *question)
{
    const positioned *asked = question;
    bool first = asked->own ? is_first_side(asked->kind, from_to(world, 1, at), world->yaw_rad[1])
                            : is_reflected_first_side(world, asked->kind, at);
    return first == asked->first;
}

pov_code pov_sphere_count_positioned(pov_count *count, const pov_scene *scene, const pov_counted *counted,
                                     pov_position_kind kind, bool first, pov_id viewer, pov_id relatum)
{
    pov_id ids[POV_ENTITY_MAX] = {viewer, relatum};
    const positioned question = {.kind = kind, .first = first, .own = viewer == relatum};
    clear(count);
    if (question.own && kind != POV_ABOVE_OR_BELOW && scene->entities[relatum].heading.len == 0)
        return POV_UNDEFINED;
    return count_worlds(count, scene, ids, 2, counted, is_positioned, &question);
}

static bool is_distant(const pov_world *world, int at, const void *question)
{
    const bool *farther = question;
    return *farther ? is_nearer(world, 1, at, 0) : is_nearer(world, at, 1, 0);
}

pov_code pov_sphere_count_distant(pov_count *count, const pov_scene *scene, const pov_counted *counted,
                                  pov_id from, pov_id than, bool farther)
{
    pov_id ids[POV_ENTITY_MAX] = {from, than};
    return count_worlds(count, scene, ids, 2, counted, is_distant, &farther);
}
