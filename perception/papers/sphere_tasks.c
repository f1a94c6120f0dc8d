/* Position, counting, distance, size: see sphere_scene.c for occlusion and manipulation. */
#include "perception/papers/sphere_tasks.h"

#include "perception/scene/possible_world.h"
#include "perception/scene/support.h"

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

/* Lengths that differ by no more are equal: a tie, which counts half for each of the two. */
static const double rounding_m = 1e-9;

/* How far the first of two answers holds in one world: 1, 0, or 0.5 of a tie. */
typedef double (*ask_world)(const pov_world *world, const void *question);

static double first_share(double first_m, double second_m)
{
    return fabs(first_m - second_m) <= rounding_m ? 0.5 : first_m > second_m;
}

static pov_code choose_answer(pov_choice *choice, const pov_scene *scene, const pov_id *ids, int len,
                              ask_world ask, const void *question)
{
    set_undefined(choice, 2);
    if (!are_placed(scene, ids, len))
        return POV_UNDEFINED;
    pov_world world;
    int count = pov_world_count(scene, ids, len);
    double first = 0;
    for (int i = 0; i < count; i++) {
        pov_world_sample(&world, scene, ids, len, i);
        first += ask(&world, question);
        if (i + 1 == POV_WORLDS_THAT_SETTLE && (first == 0 || first == i + 1))
            count = i + 1;
    }
    choice->p[0] = first / count;
    choice->p[1] = 1 - choice->p[0];
    return POV_OK;
}

/* -------- position -------- */

/* Is v on the first side (left, front) of a direction? */
static double first_side(pov_position_kind kind, pov_vec3 v, double axis_yaw_rad)
{
    double x = cos(axis_yaw_rad), y = sin(axis_yaw_rad);
    return first_share(kind == POV_LEFT_OR_RIGHT ? x * v.y - y * v.x : x * v.x + y * v.y, 0);
}

static pov_vec3 from_to(const pov_world *world, int from, int to)
{
    return pov_vec3_sub(world->box[to].centre_m, world->box[from].centre_m);
}

/* Worlds hold the viewer, then the referent. */
static double egocentric_side(const pov_world *world, const void *question)
{
    const pov_position_kind *kind = question;
    return first_side(*kind, from_to(world, 0, 1), world->yaw_rad[0]);
}

/* In the viewer's axes reflected at the relatum, the front is toward the viewer, or, from right above, against its heading.
 * Worlds hold the viewer, the relatum, the referent. */
static double reflected_first_side(const pov_world *world, pov_position_kind kind, int referent)
{
    pov_vec3 sight = from_to(world, 0, 1), v = from_to(world, 1, referent);
    bool is_above = hypot(sight.x, sight.y) < 1e-9;
    const double first = first_side(kind, v, is_above ? world->yaw_rad[0] : atan2(sight.y, sight.x));
    return kind == POV_FRONT_OR_BEHIND ? 1 - first : first;
}

static double allocentric_side(const pov_world *world, const void *question)
{
    const pov_position_kind *kind = question;
    return reflected_first_side(world, *kind, 2);
}

/* A cup on a table is at no side of it, nor is an apple of its basket: seen from above, more of the smaller of the two lies over
 * the larger than beside it. */
static bool is_over(const pov_scene *scene, pov_id a, pov_id b)
{
    pov_footprint outline[2];
    const pov_id ids[] = {a, b};
    for (int i = 0; i < 2; i++) {
        const pov_entity *entity = &scene->entities[ids[i]];
        const pov_box box = pov_entity_box(entity);
        outline[i] = pov_box_footprint(&box);
    }
    int smaller = pov_footprint_area_m2(&outline[0]) > pov_footprint_area_m2(&outline[1]);
    return pov_footprint_share_inside(&outline[smaller], &outline[!smaller]) > 0.5;
}

/* Rests on it, or begins where the other ends: a tall thing beside a low one is not above it. */
static bool is_wholly_higher(const pov_scene *scene, pov_id a, pov_id b)
{
    const pov_box upper = pov_entity_box(&scene->entities[a]), lower = pov_entity_box(&scene->entities[b]);
    const pov_vec3 up = {0, 0, 1};
    return upper.centre_m.z - pov_box_half_extent_m(&upper, up) >=
               lower.centre_m.z + pov_box_half_extent_m(&lower, up) - POV_SUPPORT_SLACK_M ||
           pov_support_likeliest(scene, a) == b;
}

/* As the registry's "above": over its top, in a cone about its outline; and wholly. */
static double p_above(const pov_scene *scene, pov_id a, pov_id b)
{
    if (!is_wholly_higher(scene, a, b))
        return 0;
    const pov_judging usual = POV_JUDGING_DEFAULT;
    const pov_query query = pov_query_of_pair(pov_relation_lookup("above"), a, b);
    pov_judgment above;
    return pov_relation_evaluate(&above, scene, &query, &usual) == POV_OK ? above.belief.p : 0;
}

/* Things side by side: neither is above the other. */
static pov_code choose_height(pov_choice *choice, const pov_scene *scene, pov_id referent, pov_id relatum)
{
    double above = p_above(scene, referent, relatum), below = p_above(scene, relatum, referent);
    set_undefined(choice, 2);
    if (above + below < 0.5)
        return POV_UNDEFINED;
    choice->p[0] = above / (above + below);
    choice->p[1] = 1 - choice->p[0];
    return POV_OK;
}

pov_code pov_sphere_position_egocentric(pov_choice *choice, const pov_scene *scene, pov_position_kind kind,
                                        pov_id viewer, pov_id referent)
{
    const pov_id ids[] = {viewer, referent};
    set_undefined(choice, 2);
    if (!are_placed(scene, ids, 2))
        return POV_UNDEFINED;
    if (kind == POV_ABOVE_OR_BELOW)
        return choose_height(choice, scene, referent, viewer);
    if (scene->entities[viewer].heading.len == 0 || is_over(scene, viewer, referent))
        return POV_UNDEFINED;
    return choose_answer(choice, scene, ids, 2, egocentric_side, &kind);
}

pov_code pov_sphere_position_allocentric(pov_choice *choice, const pov_scene *scene, pov_position_kind kind,
                                         pov_id referent, pov_id relatum)
{
    const pov_id ids[] = {scene->camera, relatum, referent};
    set_undefined(choice, 2);
    if (!are_placed(scene, ids, 3))
        return POV_UNDEFINED;
    if (kind == POV_ABOVE_OR_BELOW)
        return choose_height(choice, scene, referent, relatum);
    if (is_over(scene, relatum, referent))
        return POV_UNDEFINED;
    return choose_answer(choice, scene, ids, 3, allocentric_side, &kind);
}

/* -------- distance -------- */

static double is_nearer(const pov_world *world, int a, int b, int from)
{
    return first_share(pov_box_gap_m(&world->box[from], &world->box[b]),
                       pov_box_gap_m(&world->box[from], &world->box[a]));
}

static double nearer_of_two(const pov_world *world, const void *question)
{
    (void)question;
    return is_nearer(world, 1, 2, 0);
}

pov_code pov_sphere_nearer(pov_choice *choice, const pov_scene *scene, pov_id a, pov_id b, pov_id from)
{
    const pov_id ids[] = {from, a, b};
    return choose_answer(choice, scene, ids, 3, nearer_of_two, NULL);
}

/* -------- groups -------- */

/* The camera, whom distances are from (if it is not the camera), then the things, the leftmost first. */
typedef struct {
    pov_id ids[POV_ENTITY_MAX];
    int len, from, first,
        right; /* `from`: where it stands; where things begin, and those of the right group */
} groups;

static double bearing_rad(pov_vec3 camera_m, pov_vec3 ahead, pov_vec3 at_m)
{
    const pov_vec3 v = pov_vec3_sub(at_m, camera_m);
    return atan2(ahead.x * v.y - ahead.y * v.x, ahead.x * v.x + ahead.y * v.y);
}

/* Sorts the things by their bearings about their middle, and parts them where the gap is widest. */
static void find_groups(groups *g, const pov_scene *scene)
{
    const pov_vec3 camera_m = scene->entities[g->ids[0]].position.mean_m;
    double bearing[POV_ENTITY_MAX], widest = -1;
    pov_vec3 ahead = {0};
    for (int i = g->first; i < g->len; i++)
        ahead = pov_vec3_add(ahead, pov_vec3_sub(scene->entities[g->ids[i]].position.mean_m, camera_m));
    for (int i = g->first; i < g->len; i++) {
        const pov_id id = g->ids[i];
        const double its = bearing_rad(camera_m, ahead, scene->entities[id].position.mean_m);
        int at = i;
        for (; at > g->first && bearing[at - 1] < its; at--) {
            bearing[at] = bearing[at - 1];
            g->ids[at] = g->ids[at - 1];
        }
        bearing[at] = its;
        g->ids[at] = id;
    }
    for (int i = g->first + 2; i + 2 <= g->len; i++)
        if (bearing[i - 1] - bearing[i] > widest) {
            widest = bearing[i - 1] - bearing[i];
            g->right = i;
        }
}

static double widest_gap(double *bearings, int len)
{
    double widest = 0;
    for (int i = 1; i < len; i++)
        for (int k = i; k > 0 && bearings[k - 1] < bearings[k]; k--) {
            const double other = bearings[k];
            bearings[k] = bearings[k - 1];
            bearings[k - 1] = other;
        }
    for (int i = 1; i < len; i++)
        widest = fmax(widest, bearings[i - 1] - bearings[i]);
    return widest;
}

static bool are_apart(const pov_world *world, const groups *g)
{
    double bearing[POV_ENTITY_MAX];
    pov_vec3 ahead = {0};
    for (int i = g->first; i < g->len; i++)
        ahead = pov_vec3_add(ahead, from_to(world, 0, i));
    for (int i = g->first; i < g->len; i++)
        bearing[i] = bearing_rad(world->box[0].centre_m, ahead, world->box[i].centre_m);
    const double within = fmax(widest_gap(bearing + g->first, g->right - g->first),
                               widest_gap(bearing + g->right, g->len - g->right)),
                 between = bearing[g->right - 1] - bearing[g->right];
    return between > 0 && between >= POV_GROUPS_APART * within;
}

/* The farthest of one is nearer than the nearest of the other. */
static bool are_all_nearer(const double *gap_m, int begin, int end, int other_begin, int other_end)
{
    double farthest_m = -INFINITY, nearest_m = INFINITY;
    for (int i = begin; i < end; i++)
        farthest_m = fmax(farthest_m, gap_m[i]);
    for (int i = other_begin; i < other_end; i++)
        nearest_m = fmin(nearest_m, gap_m[i]);
    return farthest_m < nearest_m - rounding_m;
}

pov_code pov_sphere_nearer_group(pov_choice *choice, const pov_scene *scene, const char *class_name,
                                 pov_id from)
{
    const int first = from == scene->camera ? 1 : 2;
    groups g = {.ids = {scene->camera, from}, .len = first, .from = first - 1, .first = first};
    pov_world world;
    int held[3] = {0};
    set_undefined(choice, 3);
    if (!are_placed(scene, g.ids, first))
        return POV_UNDEFINED;
    for (pov_id id = 0; id < scene->len; id++)
        if (id != from && id != scene->camera && scene->entities[id].placed &&
            strcmp(scene->entities[id].class_name, class_name) == 0)
            g.ids[g.len++] = id;
    find_groups(&g, scene);
    if (g.right == 0)
        return POV_UNDEFINED;
    int worlds = pov_world_count(scene, g.ids, g.len);
    for (int i = 0; i < worlds; i++) {
        double gap_m[POV_ENTITY_MAX];
        pov_world_sample(&world, scene, g.ids, g.len, i);
        for (int at = g.first; at < g.len; at++)
            gap_m[at] = pov_box_gap_m(&world.box[g.from], &world.box[at]);
        const bool apart = are_apart(&world, &g);
        held[!apart                                                    ? 2
             : are_all_nearer(gap_m, g.first, g.right, g.right, g.len) ? 0
             : are_all_nearer(gap_m, g.right, g.len, g.first, g.right) ? 1
                                                                       : 2]++;
        if (i + 1 == POV_WORLDS_THAT_SETTLE && (held[0] == i + 1 || held[1] == i + 1 || held[2] == i + 1))
            worlds = i + 1;
    }
    for (int i = 0; i < 3; i++)
        choice->p[i] = (double)held[i] / worlds;
    return POV_OK;
}

/* -------- size -------- */

static bool has_size(const pov_entity *entity)
{
    return entity->size_m.x > 0 && entity->size_m.y > 0 && entity->size_m.z > 0;
}

/* A length for each: the edge of the cube of its volume; from bottom to top; across the line from the camera. NaN: unknown. */
static double extent_m(const pov_scene *scene, pov_extent extent, pov_id id)
{
    const pov_entity *entity = &scene->entities[id];
    const pov_box box = pov_entity_box(entity);
    const pov_id ids[] = {id, scene->camera};
    if (!has_size(entity))
        return NAN;
    if (extent == POV_EXTENT_SIZE)
        return cbrt(pov_box_volume_m3(&box));
    if (extent == POV_EXTENT_HEIGHT)
        return 2 * pov_box_half_extent_m(&box, (pov_vec3){0, 0, 1});
    if (!are_placed(scene, ids, 2))
        return NAN;
    pov_vec3 sight = pov_vec3_sub(box.centre_m, scene->entities[scene->camera].position.mean_m);
    double yaw = atan2(sight.y, sight.x);
    return 2 * pov_box_half_extent_m(&box, (pov_vec3){-sin(yaw), cos(yaw), 0});
}

static bool looks_alike(double a_m, double b_m)
{
    return fabs(a_m - b_m) < POV_SIMILAR_LENGTH * (a_m + b_m) / 2;
}

pov_code pov_sphere_compare(pov_choice *choice, const pov_scene *scene, pov_extent extent, pov_id a, pov_id b)
{
    double a_m = extent_m(scene, extent, a), b_m = extent_m(scene, extent, b);
    set_undefined(choice, 3);
    if (isnan(a_m) || isnan(b_m))
        return POV_UNDEFINED;
    bool similar = looks_alike(a_m, b_m);
    *choice = (pov_choice){.len = 3, .p = {!similar && a_m > b_m, !similar && b_m > a_m, similar}};
    return POV_OK;
}

pov_code pov_sphere_compare_by_distance(pov_choice *choice, const pov_scene *scene, pov_extent extent,
                                        pov_id a, pov_id b)
{
    pov_choice more, nearer;
    set_undefined(choice, 3);
    if (pov_sphere_compare(&more, scene, extent, a, b) != POV_OK ||
        pov_sphere_nearer(&nearer, scene, a, b, scene->camera) != POV_OK)
        return POV_UNDEFINED;
    choice->p[0] = more.p[0] * nearer.p[0] + more.p[1] * nearer.p[1];
    choice->p[1] = more.p[0] * nearer.p[1] + more.p[1] * nearer.p[0];
    choice->p[2] = more.p[2];
    return POV_OK;
}

bool pov_sphere_are_equidistant(const pov_scene *scene, pov_id a, pov_id b)
{
    const pov_id ids[] = {scene->camera, a, b};
    if (!are_placed(scene, ids, 3))
        return true;
    pov_vec3 from_m = scene->entities[scene->camera].position.mean_m;
    return looks_alike(pov_vec3_norm(pov_vec3_sub(scene->entities[a].position.mean_m, from_m)),
                       pov_vec3_norm(pov_vec3_sub(scene->entities[b].position.mean_m, from_m)));
}

/* -------- counting -------- */

/* Places of a class behind the two entities that a question is about. */
static int gather_counted(pov_id ids[POV_ENTITY_MAX], const pov_scene *scene, const char *class_name, int len)
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

static void clear_count(pov_count *count)
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
    clear_count(count);
    const int len = gather_counted(ids, scene, counted->class_name, 0);
    count->len = len + 1;
    count->p[0] = 1;
    for (int i = 0; i < len; i++)
        add_one(count->p, i, p_counted(counted, ids[i]));
    find_likeliest(count);
}

/* Does the thing at `at` of the world count? 0.5: it is on the border. */
typedef double (*counts_in_world)(const pov_world *world, int at, const void *question);

static pov_code count_worlds(pov_count *count, const pov_scene *scene, pov_id *ids, int fixed,
                             const pov_counted *counted, counts_in_world counts, const void *question)
{
    clear_count(count);
    if (!are_placed(scene, ids, fixed))
        return POV_UNDEFINED;
    pov_world world;
    int len = gather_counted(ids, scene, counted->class_name, fixed),
        worlds = pov_world_count(scene, ids, len);
    count->len = len - fixed + 1;
    double first[POV_ENTITY_MAX] = {0};
    bool differs = false;
    for (int i = 0; i < worlds; i++) {
        int found = 0;
        double p[POV_ENTITY_MAX + 1] = {1};
        pov_world_sample(&world, scene, ids, len, i);
        for (int at = fixed; at < len; at++) {
            const double one = counts(&world, at, question);
            differs = differs || (i > 0 && one != first[at]);
            first[at] = one;
            if (one > 0)
                add_one(p, found++, one * p_counted(counted, ids[at]));
        }
        for (int k = 0; k <= found; k++)
            count->p[k] += p[k];
        worlds = !differs && i + 1 == POV_WORLDS_THAT_SETTLE ? i + 1 : worlds;
    }
    for (int k = 0; k < count->len; k++)
        count->p[k] /= worlds;
    find_likeliest(count);
    return POV_OK;
}

typedef struct {
    pov_position_kind kind;
    bool first, own;
    bool over[POV_ENTITY_MAX]; /* at no side */
} positioned;

static double is_positioned(const pov_world *world, int at, const void *question)
{
    const positioned *asked = question;
    if (asked->over[world->id[at]])
        return 0;
    const double first = asked->own ? first_side(asked->kind, from_to(world, 1, at), world->yaw_rad[1])
                                    : reflected_first_side(world, asked->kind, at);
    return asked->first ? first : 1 - first;
}

/* Independent of one another. */
static pov_code count_heights(pov_count *count, const pov_scene *scene, const pov_counted *counted,
                              bool above, pov_id relatum)
{
    pov_id ids[POV_ENTITY_MAX] = {relatum};
    clear_count(count);
    if (!are_placed(scene, ids, 1))
        return POV_UNDEFINED;
    int len = gather_counted(ids, scene, counted->class_name, 1);
    count->len = len;
    count->p[0] = 1;
    for (int i = 1; i < len; i++)
        add_one(count->p, i - 1,
                p_counted(counted, ids[i]) *
                    (above ? p_above(scene, ids[i], relatum) : p_above(scene, relatum, ids[i])));
    find_likeliest(count);
    return POV_OK;
}

pov_code pov_sphere_count_positioned(pov_count *count, const pov_scene *scene, const pov_counted *counted,
                                     pov_position_kind kind, bool first, pov_id viewer, pov_id relatum)
{
    pov_id ids[POV_ENTITY_MAX] = {viewer, relatum};
    positioned question = {.kind = kind, .first = first, .own = viewer == relatum};
    clear_count(count);
    if (kind == POV_ABOVE_OR_BELOW)
        return count_heights(count, scene, counted, first, relatum);
    if (!are_placed(scene, ids, 2) || (question.own && scene->entities[relatum].heading.len == 0))
        return POV_UNDEFINED;
    for (pov_id id = 0; id < scene->len; id++)
        question.over[id] = id != relatum && scene->entities[id].placed && is_over(scene, id, relatum);
    pov_code code = count_worlds(count, scene, ids, 2, counted, is_positioned, &question);
    for (pov_id id = 0; id < scene->len && code == POV_OK; id++)
        count->len -= id != viewer && question.over[id] &&
                      strcmp(scene->entities[id].class_name, counted->class_name) == 0;
    return code;
}

static double is_distant(const pov_world *world, int at, const void *question)
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

pov_code pov_sphere_count_carried(pov_count *count, const pov_scene *scene, const pov_counted *counted,
                                  pov_id from, const pov_id carriers[2], bool farther)
{
    pov_id ids[POV_ENTITY_MAX] = {carriers[0], carriers[1]};
    pov_choice nearer;
    clear_count(count);
    if (pov_sphere_nearer(&nearer, scene, carriers[0], carriers[1], from) != POV_OK)
        return POV_UNDEFINED;
    const int len = gather_counted(ids, scene, counted->class_name, 2);
    count->len = len - 1;
    for (int which = 0; which < 2; which++) {
        double p[POV_ENTITY_MAX + 1] = {1}, rests[POV_ENTITY_MAX + 1];
        for (int i = 2; i < len; i++) {
            const bool is_known = ids[i] != from && pov_support_of(rests, scene, ids[i]) == POV_OK;
            add_one(p, i - 2, is_known ? rests[carriers[which]] * p_counted(counted, ids[i]) : 0);
        }
        for (int k = 0; k < count->len; k++)
            count->p[k] += nearer.p[farther ? !which : which] * p[k];
    }
    find_likeliest(count);
    return POV_OK;
}
