/* 3DSRBench's twelve kinds of questions (Ma et al. 2025) in the benchmark's short patterns. Fronts are the things' own. */
#include "compare/questions/lettered.h"
#include "perception/papers/sphere_tasks.h"
#include "perception/relations/relation_registry.h"

#include <math.h>

static const pov_lettered_frame of_camera = {POV_EGOCENTRIC, POV_REFLECTED},
                                of_thing = {POV_INTRINSIC, POV_NO_CONVENTION},
                                of_any = {POV_PERSPECTIVE_COUNT, POV_NO_CONVENTION};

#define LOCATIONS    "Consider the real-world 3D locations of the objects. "
#define ORIENTATIONS "Consider the real-world 3D orientations of the objects. "
#define BOTH         "Consider the real-world 3D locations and orientations of the objects. "

static bool has_front(const pov_questions *q, pov_id id)
{
    return q->scene->entities[id].heading.len > 0;
}

static bool has_size(const pov_questions *q, pov_id id)
{
    const pov_vec3 size_m = q->scene->entities[id].size_m;
    return size_m.x > 0 && size_m.y > 0 && size_m.z > 0;
}

static void offer(pov_lettered_ask *ask, const char *const *words, int len)
{
    ask->words = words;
    ask->len = len;
}

/* ---- heights and places ---- */

/* Worlds hold the two. */
static int higher_in_world(const pov_world *world, const void *context)
{
    (void)context;
    const double by_m = world->box[0].centre_m.z - world->box[1].centre_m.z;
    return fabs(by_m) < 1e-9 ? -1 : by_m < 0;
}

static void ask_height(pov_questions *q, pov_id a, pov_id b)
{
    const pov_id ids[] = {a, b};
    const char *const words[] = {pov_questions_bare(q, a), pov_questions_bare(q, b)};
    pov_lettered_ask ask = pov_lettered_begin(
        q, "height_higher", LOCATIONS "Which object has a higher location?", (pov_id[3]){a, b, POV_ID_NONE});
    double p[2];
    offer(&ask, words, 2);
    if (has_size(q, a) && has_size(q, b) &&
        pov_class_shares(p, 2, q->scene, &(pov_class_query){ids, 2, higher_in_world, NULL}) == POV_OK)
        (void)pov_lettered_ask_one(q, &ask, of_any, p);
}

/* Yes or no (or two words that mean it) by a relation of the registry. */
static void ask_relation(pov_questions *q, pov_lettered_ask *ask, const char *const words[2],
                         const char *relation)
{
    const pov_query query = pov_query_of_pair(pov_relation_lookup(relation), ask->referent, ask->relatum);
    pov_judgment judgment;
    offer(ask, words, 2);
    if (pov_relation_evaluate(&judgment, q->scene, &query, &q->asking->relations) != POV_OK ||
        judgment.belief.verdict == POV_VERDICT_UNDEFINED)
        return;
    const double p[2] = {judgment.belief.p, 1 - judgment.belief.p};
    (void)pov_lettered_ask_one(q, ask, of_any, p);
}

static void ask_above(pov_questions *q, pov_id a, pov_id b)
{
    static const char *const words[] = {"yes", "no"};
    pov_lettered_ask ask = pov_lettered_begin(q, "location_above", LOCATIONS "Is {A} directly above {B}?",
                                              (pov_id[3]){a, b, POV_ID_NONE});
    if (has_size(q, a) && has_size(q, b))
        ask_relation(q, &ask, words, "over");
}

static void ask_next_to(pov_questions *q, pov_id a, pov_id b)
{
    static const char *const words[] = {"next to each other", "far away from each other"};
    pov_lettered_ask ask = pov_lettered_begin(
        q, "location_next_to", LOCATIONS "Are {A} and {B} next to each other or far away from each other?",
        (pov_id[3]){a, b, POV_ID_NONE});
    if (has_size(q, a) && has_size(q, b))
        ask_relation(q, &ask, words, "near");
}

static void ask_closer(pov_questions *q, pov_lettered_ask *ask, pov_id a, pov_id b, pov_id to)
{
    const char *const words[] = {pov_questions_bare(q, a), pov_questions_bare(q, b)};
    pov_choice nearer;
    offer(ask, words, 2);
    if (pov_sphere_nearer(&nearer, q->scene, a, b, to) == POV_OK)
        (void)pov_lettered_ask_one(q, ask, of_any, nearer.p);
}

static void ask_closer_to_camera(pov_questions *q, pov_id a, pov_id b)
{
    pov_lettered_ask ask =
        pov_lettered_begin(q, "location_closer_to_camera", LOCATIONS "Which object is closer to the camera?",
                           (pov_id[3]){a, b, POV_ID_NONE});
    ask.viewer = q->scene->camera;
    if (q->scene->camera != POV_ID_NONE)
        ask_closer(q, &ask, a, b, q->scene->camera);
}

/* ---- by a thing's own front ---- */

/* Halves of the circle about a front: ahead and behind, or left and right. */
typedef struct {
    bool lateral;
} halves;

/* Worlds hold whose front counts, from where, to where. */
static int half_in_world(const pov_world *world, const void *context)
{
    const halves *of = context;
    const pov_seen_vector v =
        pov_see_vector(pov_vec3_sub(world->box[2].centre_m, world->box[1].centre_m), world->yaw_rad[0]);
    const double along = of->lateral ? -v.right : v.forward;
    return !(fabs(along) > 1e-9) ? -1 : along < 0;
}

/* The camera's: nearer than the thing is in front of it (reflected), left is left in the image. */
static int camera_half_in_world(const pov_world *world, const void *context)
{
    const halves *of = context;
    const int half = half_in_world(world, context);
    return half < 0 || of->lateral ? half : !half;
}

static void ask_half(pov_questions *q, const char *task, const char *form, const char *const words[2],
                     bool lateral, pov_id owner, pov_id other)
{
    const halves of = {lateral};
    const pov_id own[] = {owner, owner, other}, cameras[] = {q->scene->camera, owner, other};
    pov_lettered_ask ask = pov_lettered_begin(q, task, form, (pov_id[3]){other, owner, POV_ID_NONE});
    double p[2];
    ask.viewer = owner;
    offer(&ask, words, 2);
    if (pov_class_shares(p, 2, q->scene, &(pov_class_query){own, 3, half_in_world, &of}) == POV_OK &&
        pov_lettered_ask_one(q, &ask, of_thing, p) && q->scene->camera != POV_ID_NONE &&
        pov_class_shares(p, 2, q->scene, &(pov_class_query){cameras, 3, camera_half_in_world, &of}) == POV_OK)
        pov_lettered_add_frame(q, &ask, of_camera, p);
}

static void ask_halves(pov_questions *q, pov_id owner, pov_id other)
{
    static const char *const ahead[] = {"in front of", "behind"}, *const sides[] = {"on the left",
                                                                                    "on the right"};
    ask_half(q, "orientation_in_front_of",
             BOTH
             "If I stand at {B}'s position facing where it is facing, is {A} in front of me or behind me?",
             ahead, false, owner, other);
    ask_half(q, "orientation_on_the_left",
             BOTH
             "If I stand at {B}'s position facing where it is facing, is {A} on the left or right of me?",
             sides, true, owner, other);
}

/* Asks which of a thing's four sides is toward another, or the camera. */
static void ask_side(pov_questions *q, const char *task, const char *form, pov_id owner, pov_id other,
                     bool camera)
{
    const pov_id things[3] = {owner, camera ? POV_ID_NONE : other, POV_ID_NONE};
    pov_lettered_ask ask = pov_lettered_begin(q, task, form, things);
    double p[POV_QUARTERS];
    ask.viewer = other;
    offer(&ask, POV_QUARTER_WORDS, POV_QUARTERS);
    if (pov_lettered_sectors(p, POV_QUARTERS, q, owner, owner, other) != POV_OK ||
        !pov_lettered_ask_one(q, &ask, of_thing, p) || camera || q->scene->camera == POV_ID_NONE)
        return;
    /* The image's own: the side that the other is on, the near one being the front. */
    double far[POV_QUARTERS];
    if (pov_lettered_sectors(far, POV_QUARTERS, q, q->scene->camera, owner, other) == POV_OK) {
        const double seen[POV_QUARTERS] = {far[2], far[1], far[0], far[3]};
        pov_lettered_add_frame(q, &ask, of_camera, seen);
    }
}

/* ---- two fronts ---- */

/* Worlds hold the two. The angle between their fronts, in [0, pi]. */
static double angle_between_rad(const pov_world *world)
{
    return fabs(remainder(world->yaw_rad[0] - world->yaw_rad[1], 2 * POV_PI));
}

static int edge_class(double angle_rad, double edge_rad)
{
    return !(fabs(angle_rad - edge_rad) > 1e-9) ? -1 : angle_rad > edge_rad;
}

static int perpendicular_in_world(const pov_world *world, const void *context)
{
    (void)context;
    const double angle_rad = angle_between_rad(world);
    return edge_class(fmin(angle_rad, POV_PI - angle_rad), POV_PI / 4);
}

static int different_in_world(const pov_world *world, const void *context)
{
    (void)context;
    return edge_class(angle_between_rad(world), POV_PI / 4);
}

static void ask_fronts(pov_questions *q, pov_id a, pov_id b)
{
    static const char *const parallel[] = {"parallel", "perpendicular"}, *const same[] = {
                                                                             "same or similar directions",
                                                                             "very different directions"};
    const pov_id ids[] = {a, b}, things[3] = {a, b, POV_ID_NONE};
    double p[2];
    pov_lettered_ask ask =
        pov_lettered_begin(q, "multi_object_parallel",
                           ORIENTATIONS "What is the relationship between the orientations of {A} "
                                        "and {B}, parallel or perpendicular to each other?",
                           things);
    offer(&ask, parallel, 2);
    if (pov_class_shares(p, 2, q->scene, &(pov_class_query){ids, 2, perpendicular_in_world, NULL}) == POV_OK)
        (void)pov_lettered_ask_one(q, &ask, of_any, p);
    ask = pov_lettered_begin(
        q, "multi_object_same_direction",
        ORIENTATIONS "Are {A} and {B} facing same or similar directions, or very different directions?",
        things);
    offer(&ask, same, 2);
    if (pov_class_shares(p, 2, q->scene, &(pov_class_query){ids, 2, different_in_world, NULL}) == POV_OK)
        (void)pov_lettered_ask_one(q, &ask, of_any, p);
}

/* ---- three things ---- */

/* Worlds hold who faces, and the two: the one at the smaller angle to the front. */
static int faced_in_world(const pov_world *world, const void *context)
{
    double angle_rad[2];
    (void)context;
    for (int i = 0; i < 2; i++) {
        const pov_vec3 v = pov_vec3_sub(world->box[i + 1].centre_m, world->box[0].centre_m);
        angle_rad[i] = fabs(remainder(atan2(v.y, v.x) - world->yaw_rad[0], 2 * POV_PI));
    }
    if (!(fmin(angle_rad[0], angle_rad[1]) < POV_PI / 2)) /* both are behind it */
        return -1;
    return edge_class(angle_rad[0] - angle_rad[1], 0);
}

static void ask_triple(pov_questions *q, pov_id of, pov_id a, pov_id b)
{
    const pov_id things[3] = {of, a, b}, ids[] = {of, a, b};
    const char *const words[] = {pov_questions_bare(q, a), pov_questions_bare(q, b)};
    double p[2];
    pov_lettered_ask ask = pov_lettered_begin(q, "multi_object_closer_to",
                                              LOCATIONS "Which is closer to {A}, {B} or {C}?", things);
    ask_closer(q, &ask, a, b, of);
    if (!has_front(q, of) || pov_lettered_is_carried(q, of, a) || pov_lettered_is_carried(q, of, b))
        return;
    ask = pov_lettered_begin(q, "multi_object_facing", BOTH "Which object is {A} facing towards, {B} or {C}?",
                             things);
    offer(&ask, words, 2);
    ask.names = true;
    if (pov_class_shares(p, 2, q->scene, &(pov_class_query){ids, 3, faced_in_world, NULL}) == POV_OK)
        (void)pov_lettered_ask_one(q, &ask, of_thing, p);
}

/* ---- all ---- */

static void ask_pair(pov_questions *q, pov_id a, pov_id b)
{
    const bool chosen = q->asking->referent != POV_ID_NONE || q->asking->relatum != POV_ID_NONE,
               once = a < b || chosen;
    ask_above(q, a, b);
    if (once) { /* what says the same about both is asked once */
        ask_height(q, a, b);
        ask_closer_to_camera(q, a, b);
        ask_next_to(q, a, b);
    }
    if (once && has_front(q, a) && has_front(q, b))
        ask_fronts(q, a, b);
    if (has_front(q, b) && !pov_lettered_is_carried(q, a, b)) {
        ask_halves(q, b, a);
        ask_side(q, "multi_object_viewpoint_towards_object", BOTH "Which side of {A} is facing {B}?", b, a,
                 false);
    }
    for (pov_id c = b + 1; c < q->scene->len; c++)
        if (c != a && pov_questions_is_thing(q, c))
            ask_triple(q, a, b, c);
}

void pov_questions_ask_3dsrbench(pov_questions *q)
{
    pov_questions_find_nouns(q, q->asking->language);
    for (pov_id a = 0; a < q->scene->len; a++) {
        if (pov_questions_is_thing(q, a) && has_front(q, a) && q->scene->camera != POV_ID_NONE &&
            q->asking->relatum == POV_ID_NONE &&
            (q->asking->referent == POV_ID_NONE || q->asking->referent == a))
            ask_side(q, "orientation_viewpoint", BOTH "Which side of {A} is facing the camera?", a,
                     q->scene->camera, true);
        for (pov_id b = 0; b < q->scene->len; b++)
            if (pov_questions_wants(q, a, b))
                ask_pair(q, a, b);
    }
}
