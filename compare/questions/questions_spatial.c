/* The kinds of questions of VSI-Bench (Yang et al. 2025), SPAR-Bench (Zhang et al. 2025), Spatial457 (Wang et al. 2025), OmniSpatial (Jia et al.
 * 2025), RoboSpatial (Song et al. 2025) and EmbSpatial-Bench (Du et al. 2024), a row each. Wordings are pov's own, after the kinds' facts: their
 * licences do not cover all of their texts. */
#include "compare/questions/lettered.h"
#include "perception/papers/vpt.h"

#include <math.h>
#include <string.h>

static const pov_lettered_frame of_camera = {POV_EGOCENTRIC, POV_REFLECTED},
                                of_person = {POV_ADDRESSEE, POV_NO_CONVENTION},
                                of_thing = {POV_INTRINSIC, POV_NO_CONVENTION},
                                of_any = {POV_PERSPECTIVE_COUNT, POV_NO_CONVENTION};

/* How directions about a front are told apart. */
typedef struct {
    const char *const *words;
    int len;
    bool draws;                                    /* four of the words are offered */
    int (*class_of)(double forward, double right); /* -1: on an edge */
} division;

typedef struct kind {
    pov_choice_benchmark_id benchmark;
    const char *task, *form;
    int things; /* that it is about */
    void (*ask)(pov_questions *q, const struct kind *k, const pov_id things[3]);
    const division *by;
    int side;       /* of the division: the one that is asked for */
    bool symmetric; /* A and B are the same as B and A */
} kind;

/* ---- divisions of a circle ---- */

static const double edge = 1e-9; /* of a unit vector's components */

static int class_half(double forward, double right)
{
    return fabs(right) <= edge * fabs(forward) ? -1 : right > 0;
}

/* The back is a quarter of the circle. */
static int class_third(double forward, double right)
{
    const int quarter = pov_sector_of(forward, right, POV_QUARTERS);
    return quarter < 0 ? -1 : quarter == 2 ? 2 : class_half(forward, right);
}

static int class_quadrant(double forward, double right)
{
    const int half = class_half(forward, right);
    return half < 0 || fabs(forward) <= edge * fabs(right) ? -1 : half + 2 * (forward < 0);
}

static int class_quarter(double forward, double right)
{
    return pov_sector_of(forward, right, POV_QUARTERS);
}

static int class_eighth(double forward, double right)
{
    return pov_sector_of(forward, right, POV_EIGHTHS);
}

static const char *const half_words[] = {"left", "right"}, *const third_words[] = {"left", "right", "back"},
                         *const quadrant_words[] = {"front-left", "front-right", "back-left", "back-right"},
                         *const seen_words[] = {"farther away", "farther away and to the right",
                                                "to the right", "nearer and to the right",
                                                "nearer",       "nearer and to the left",
                                                "to the left",  "farther away and to the left"},
                         *const seen_quarters[] = {"farther away", "to the right", "nearer", "to the left"},
                         *const yes_no[] = {"yes", "no"};
static const division halves = {half_words, 2, false, class_half},
                      thirds = {third_words, 3, false, class_third},
                      quadrants = {quadrant_words, 4, false, class_quadrant},
                      quarters = {POV_QUARTER_WORDS, POV_QUARTERS, false, class_quarter},
                      eighths = {POV_EIGHTH_WORDS, POV_EIGHTHS, true, class_eighth},
                      seen = {seen_words, POV_EIGHTHS, true, class_eighth},
                      seen_sides = {seen_quarters, POV_QUARTERS, false, class_quarter};

static bool has_front(const pov_questions *q, pov_id id)
{
    return id != POV_ID_NONE && q->scene->entities[id].heading.len > 0;
}

static bool has_body(const pov_questions *q, pov_id id)
{
    return pov_entity_has_body(&q->scene->entities[id]);
}

static void offer(pov_lettered_ask *ask, const division *by)
{
    ask->words = by->words;
    ask->len = by->len;
    ask->draws = by->draws;
}

/* ---- directions ---- */

/* Worlds hold whose heading counts, from where, to where. */
static int direction_in_world(const pov_world *world, const void *context)
{
    const division *by = context;
    const pov_seen_vector v =
        pov_see_vector(pov_vec3_sub(world->box[2].centre_m, world->box[1].centre_m), world->yaw_rad[0]);
    return isnan(v.forward) ? -1 : by->class_of(v.forward, v.right);
}

/* Worlds hold where one stands, what one faces, from where, to where. */
static int standing_in_world(const pov_world *world, const void *context)
{
    const division *by = context;
    const pov_vec3 ahead = pov_vec3_sub(world->box[1].centre_m, world->box[0].centre_m);
    if (hypot(ahead.x, ahead.y) < 1e-9)
        return -1;
    const pov_seen_vector v =
        pov_see_vector(pov_vec3_sub(world->box[3].centre_m, world->box[2].centre_m), atan2(ahead.y, ahead.x));
    return by->class_of(v.forward, v.right);
}

static bool find_direction(double p[], const pov_questions *q, const division *by, pov_id whose, pov_id from,
                           pov_id to)
{
    const pov_id ids[] = {whose, from, to};
    return has_front(q, whose) &&
           pov_class_shares(p, by->len, q->scene, &(pov_class_query){ids, 3, direction_in_world, by}) ==
               POV_OK;
}

static pov_lettered_frame frame_of(const pov_questions *q, pov_id owner)
{
    return pov_vpt_is_figure(q->scene, owner) ? of_person : of_thing;
}

/* A about B along the camera's heading; beside it by a person's, else by B's own. */
static void ask_for_camera(pov_questions *q, const kind *k, const pov_id things[3])
{
    double p[POV_LETTERED_WORDS_MAX];
    pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    const pov_id person = pov_lettered_person(q, (pov_id[3]){things[0], things[1], POV_ID_NONE});
    ask.viewer = q->scene->camera;
    offer(&ask, k->by);
    if (!find_direction(p, q, k->by, q->scene->camera, things[1], things[0]))
        return;
    if (k->benchmark == POV_CHOICE_EMBSPATIAL) /* names its kinds by what is right */
        ask.task = k->by->words[pov_questions_likeliest(p, k->by->len)];
    if (!pov_lettered_ask_one(q, &ask, of_camera, p))
        return;
    if (find_direction(p, q, k->by, person, things[1], things[0]))
        pov_lettered_add_frame(q, &ask, of_person, p);
    if (find_direction(p, q, k->by, things[1], things[1], things[0]))
        pov_lettered_add_frame(q, &ask, frame_of(q, things[1]), p);
}

/* A from B's place, along B's front. */
static void ask_for_owner(pov_questions *q, const kind *k, const pov_id things[3])
{
    double p[POV_LETTERED_WORDS_MAX];
    pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    ask.viewer = things[1];
    offer(&ask, k->by);
    if (find_direction(p, q, k->by, things[1], things[1], things[0]) &&
        pov_lettered_ask_one(q, &ask, frame_of(q, things[1]), p) &&
        find_direction(p, q, k->by, q->scene->camera, things[1], things[0]))
        pov_lettered_add_frame(q, &ask, of_camera, p);
}

/* C for one who stands at A and faces B; `from`: the thing that it is told about. */
static void ask_standing_about(pov_questions *q, const kind *k, const pov_id things[3], pov_id from)
{
    const pov_id at = things[0], facing = things[1], to = things[2], ids[] = {at, facing, from, to};
    double p[POV_LETTERED_WORDS_MAX];
    if (pov_lettered_is_carried(q, at, facing) || pov_lettered_is_carried(q, at, to))
        return;
    pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    ask.referent = to;
    ask.relatum = at;
    ask.part = pov_questions_text(q, "facing_%s", pov_questions_name(q, facing));
    offer(&ask, k->by);
    if (pov_class_shares(p, k->by->len, q->scene, &(pov_class_query){ids, 4, standing_in_world, k->by}) ==
            POV_OK &&
        pov_lettered_ask_one(q, &ask, of_person, p) &&
        find_direction(p, q, k->by, q->scene->camera, from, to))
        pov_lettered_add_frame(q, &ask, of_camera, p);
}

static void ask_standing(pov_questions *q, const kind *k, const pov_id things[3])
{
    ask_standing_about(q, k, things, things[0]);
}

static void ask_standing_relation(pov_questions *q, const kind *k, const pov_id things[3])
{
    ask_standing_about(q, k, things, things[1]);
}

/* Worlds hold the camera and what faces somewhere; facing the camera is its front. */
static int facing_in_world(const pov_world *world, const void *context)
{
    (void)context;
    const double turn_rad = world->yaw_rad[1] - world->yaw_rad[0];
    return isnan(turn_rad) ? -1 : pov_sector_of(-cos(turn_rad), -sin(turn_rad), POV_QUARTERS);
}

static void ask_facing(pov_questions *q, const kind *k, const pov_id things[3])
{
    const pov_id ids[] = {q->scene->camera, things[0]};
    const double front[POV_QUARTERS] = {1};
    double p[POV_QUARTERS];
    pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    ask.viewer = q->scene->camera;
    offer(&ask, k->by);
    if (has_front(q, q->scene->camera) && has_front(q, things[0]) &&
        pov_class_shares(p, POV_QUARTERS, q->scene, &(pov_class_query){ids, 2, facing_in_world, NULL}) ==
            POV_OK &&
        pov_lettered_ask_one(q, &ask, of_camera, p))
        pov_lettered_add_frame(q, &ask, frame_of(q, things[0]), front); /* it faces its own front */
}

/* ---- yes or no ---- */

/* P(yes), P(no) of one side. */
static void split_side(double p[2], const double shares[], const kind *k)
{
    double sum = 0;
    for (int i = 0; i < k->by->len; i++)
        sum += shares[i];
    p[0] = shares[k->side];
    p[1] = sum - shares[k->side];
}

/* Is A on this side of B, by the camera, or by a front? */
static void ask_side(pov_questions *q, const kind *k, const pov_id things[3], bool by_owner)
{
    static const int mirrored[] = {0, 3, 2, 1};
    double shares[POV_QUARTERS], p[2];
    const kind other = {.by = k->by, .side = mirrored[k->side]};
    const pov_id whose = by_owner ? things[1] : q->scene->camera,
                 else_whose = by_owner ? q->scene->camera : things[1];
    const pov_lettered_frame frame = by_owner ? frame_of(q, things[1]) : of_camera,
                             else_frame = by_owner ? of_camera : frame_of(q, things[1]);
    pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    ask.part = pov_questions_text(q, "%s_side_%d", by_owner ? "own" : "seen", k->side);
    ask.words = yes_no;
    ask.len = 2;
    ask.names = true;
    ask.viewer = whose;
    if (!find_direction(shares, q, k->by, whose, things[1], things[0]))
        return;
    split_side(p, shares, k);
    if (!pov_lettered_ask_one(q, &ask, frame, p))
        return;
    split_side(p, shares, &other);
    pov_lettered_add_mirrored(q, &ask, frame, p);
    if (find_direction(shares, q, k->by, else_whose, things[1], things[0])) {
        split_side(p, shares, k);
        pov_lettered_add_frame(q, &ask, else_frame, p);
    }
}

static void ask_seen_side(pov_questions *q, const kind *k, const pov_id things[3])
{
    ask_side(q, k, things, false);
}

static void ask_own_side(pov_questions *q, const kind *k, const pov_id things[3])
{
    ask_side(q, k, things, true);
}

static double reach_m(const pov_box *box, double yaw_rad)
{
    return pov_box_half_extent_m(box, (pov_vec3){cos(yaw_rad), sin(yaw_rad), 0});
}

/* Worlds hold the one that moves along its front, and the one in its way: 0 hit, 1 missed; -1: their corners decide. */
static int collision_in_world(const pov_world *world, const void *context)
{
    (void)context;
    const pov_seen_vector v =
        pov_see_vector(pov_vec3_sub(world->box[1].centre_m, world->box[0].centre_m), world->yaw_rad[0]);
    const double across_rad = world->yaw_rad[0] + POV_PI / 2;
    const double width_m = reach_m(&world->box[0], across_rad) + reach_m(&world->box[1], across_rad);
    if (isnan(v.forward))
        return -1;
    return v.forward <= 0 || fabs(v.right) > width_m ? 1 : fabs(v.right) < 0.8 * width_m ? 0 : -1;
}

static void ask_collision(pov_questions *q, const kind *k, const pov_id things[3])
{
    const pov_id ids[] = {things[0], things[1]};
    double p[2];
    pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    ask.words = yes_no;
    ask.len = 2;
    ask.names = true;
    if (has_front(q, things[0]) && has_body(q, things[0]) && has_body(q, things[1]) &&
        !pov_lettered_is_carried(q, things[0], things[1]) &&
        pov_class_shares(p, 2, q->scene, &(pov_class_query){ids, 2, collision_in_world, NULL}) == POV_OK)
        (void)pov_lettered_ask_one(q, &ask, of_any, p);
}

/* A place beside a thing, for another of known size. */
typedef struct {
    double yaw_rad; /* from the thing to the place */
    int len;        /* of the world's entities */
} beside;

/* Worlds hold what is moved, what it is moved beside, and all else: 0 it has room, 1 it has not. */
static int room_in_world(const pov_world *world, const void *context)
{
    const beside *of = context;
    pov_box moved = world->box[0];
    const double far_m = reach_m(&world->box[0], of->yaw_rad) + reach_m(&world->box[1], of->yaw_rad);
    moved.centre_m = world->box[1].centre_m;
    moved.centre_m.x += 1.01 * far_m * cos(of->yaw_rad);
    moved.centre_m.y += 1.01 * far_m * sin(of->yaw_rad);
    moved.centre_m.z = world->box[0].centre_m.z;
    for (int i = 2; i < of->len; i++)
        if (pov_box_gap_m(&moved, &world->box[i]) < 0)
            return 1;
    return 0;
}

/* Beside: as the camera sees it, by the kind's side. */
static void ask_room(pov_questions *q, const kind *k, const pov_id things[3])
{
    pov_id ids[POV_ENTITY_MAX] = {things[0], things[1]};
    beside of = {.len = 2};
    double p[2];
    if (!has_front(q, q->scene->camera) || !has_body(q, things[0]) || !has_body(q, things[1]) ||
        pov_lettered_is_carried(q, things[0], things[1]))
        return;
    for (pov_id id = 0; id < q->scene->len; id++)
        if (id != things[0] && id != things[1] && pov_questions_is_thing(q, id) && has_body(q, id) &&
            !pov_lettered_is_carried(q, id, things[0]) && !pov_lettered_is_carried(q, id, things[1]))
            ids[of.len++] = id;
    of.yaw_rad =
        pov_heading_heaviest(&q->scene->entities[q->scene->camera].heading)->yaw_rad - k->side * POV_PI / 2;
    pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    ask.part = pov_questions_text(q, "side_%d", k->side);
    ask.words = yes_no;
    ask.len = 2;
    ask.names = true;
    if (pov_class_shares(p, 2, q->scene, &(pov_class_query){ids, of.len, room_in_world, &of}) == POV_OK)
        (void)pov_lettered_ask_one(q, &ask, of_any, p);
}

/* ---- the nearest of several ---- */

typedef struct {
    int len;
    bool by_centres, farthest;
} nearest;

/* Worlds hold from where, and the things. */
static int nearest_in_world(const pov_world *world, const void *context)
{
    const nearest *of = context;
    double best_m = INFINITY, next_m = INFINITY;
    int found = -1;
    for (int i = 0; i < of->len; i++) {
        const double apart_m =
            of->by_centres ? pov_vec3_norm(pov_vec3_sub(world->box[i + 1].centre_m, world->box[0].centre_m))
                           : pov_box_gap_m(&world->box[0], &world->box[i + 1]);
        const double key_m = of->farthest ? -apart_m : apart_m;
        next_m = fmin(next_m, fmax(key_m, best_m));
        found = key_m < best_m ? i : found;
        best_m = fmin(best_m, key_m);
    }
    return next_m - best_m < 1e-9 ? -1 : found;
}

static void ask_nearest_to(pov_questions *q, const kind *k, pov_id from, nearest of, const pov_id things[3])
{
    pov_id ids[1 + POV_LETTERED_OFFERED] = {from};
    const char *words[POV_LETTERED_OFFERED];
    double p[POV_LETTERED_OFFERED];
    for (pov_id id = 0; id < q->scene->len && of.len < POV_LETTERED_OFFERED; id++)
        if (id != from && pov_questions_is_thing(q, id) && (from == q->scene->camera || has_body(q, id)) &&
            !pov_lettered_is_carried(q, id, from)) {
            words[of.len] = pov_questions_bare(q, id);
            ids[++of.len] = id;
        }
    pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    ask.words = words;
    ask.len = of.len;
    ask.names = true;
    if (of.len > 1 && pov_class_shares(p, of.len, q->scene,
                                       &(pov_class_query){ids, of.len + 1, nearest_in_world, &of}) == POV_OK)
        (void)pov_lettered_ask_one(q, &ask, of_any, p);
}

static void ask_nearest(pov_questions *q, const kind *k, const pov_id things[3])
{
    ask_nearest_to(q, k, things[0], (nearest){.by_centres = k->benchmark == POV_CHOICE_SPAR}, things);
}

static void ask_nearest_to_camera(pov_questions *q, const kind *k, const pov_id things[3])
{
    if (q->scene->camera != POV_ID_NONE)
        ask_nearest_to(q, k, q->scene->camera, (nearest){.by_centres = true, .farthest = k->side == 1},
                       things);
}

/* ---- numbers ---- */

/* A length of one world, and what it is compared with. */
typedef struct {
    double (*length_m)(const pov_world *world);
    double right_m;
} measured;

/* The narrowest band of the mean relative accuracy. */
static const double within = 0.05;

static int near_in_world(const pov_world *world, const void *context)
{
    const measured *of = context;
    return fabs(of->length_m(world) - of->right_m) <= within * of->right_m ? 0 : -1;
}

static double gap_m(const pov_world *world)
{
    return pov_box_gap_m(&world->box[0], &world->box[1]);
}

static double apart_m(const pov_world *world)
{
    return pov_vec3_norm(pov_vec3_sub(world->box[0].centre_m, world->box[1].centre_m));
}

/* Along the optical axis, which is a camera's z. */
static double depth_m(const pov_world *world)
{
    const pov_vec3 v = pov_vec3_sub(world->box[0].centre_m, world->box[1].centre_m);
    const pov_rot R = world->box[1].R_table_box;
    return v.x * R.m[0][2] + v.y * R.m[1][2] + v.z * R.m[2][2];
}

/* To three digits, as a person would read them off. */
static double round_digits(double number)
{
    const double unit = pow(10, floor(log10(number)) - 2);
    return round(number / unit) * unit;
}

static void ask_length(pov_questions *q, const kind *k, const pov_id things[3], pov_id other,
                       double (*length_m)(const pov_world *))
{
    const pov_id ids[] = {things[0], other};
    pov_world means;
    double p[1];
    if (other == POV_ID_NONE || !q->scene->entities[other].placed)
        return;
    for (int i = 0; i < 2; i++)
        means.box[i] = pov_entity_box(&q->scene->entities[ids[i]]);
    const measured of = {length_m, length_m(&means)};
    pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    if (of.right_m > 1e-3 &&
        pov_class_shares(p, 1, q->scene, &(pov_class_query){ids, 2, near_in_world, &of}) == POV_OK)
        (void)pov_lettered_ask_number(q, &ask, round_digits(of.right_m), p[0]);
}

static void ask_gap(pov_questions *q, const kind *k, const pov_id things[3])
{
    if (has_body(q, things[0]) && has_body(q, things[1]))
        ask_length(q, k, things, things[1], gap_m);
}

static void ask_apart(pov_questions *q, const kind *k, const pov_id things[3])
{
    ask_length(q, k, things, things[1], apart_m);
}

static void ask_from_camera(pov_questions *q, const kind *k, const pov_id things[3])
{
    ask_length(q, k, things, q->scene->camera, apart_m);
}

static void ask_depth(pov_questions *q, const kind *k, const pov_id things[3])
{
    ask_length(q, k, things, q->scene->camera, depth_m);
}

/* Its longest side, in centimetres. Sizes are taken as known. */
static void ask_size(pov_questions *q, const kind *k, const pov_id things[3])
{
    const pov_vec3 size_m = q->scene->entities[things[0]].size_m;
    const pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    if (has_body(q, things[0]))
        (void)pov_lettered_ask_number(q, &ask, round_digits(100 * fmax(fmax(size_m.x, size_m.y), size_m.z)),
                                      1);
}

/* The first of at least two of a class asks for all of them, once. */
static void ask_count(pov_questions *q, const kind *k, const pov_id things[3])
{
    const char *class_name = q->scene->entities[things[0]].class_name;
    int number = 0;
    for (pov_id id = 0; id < q->scene->len && *class_name; id++) {
        if (!pov_questions_is_thing(q, id) || !pov_questions_is_alike(q, id, things[0]))
            continue;
        if (id < things[0])
            return;
        number++;
    }
    if (number < 2)
        return;
    pov_lettered_ask ask = pov_lettered_begin(q, k->task, k->form, things);
    ask.text = pov_questions_text(q, "How many %s are in the scene?",
                                  pov_questions_plural(q, pov_questions_class(q, things[0])));
    (void)pov_lettered_ask_number(q, &ask, number, 1);
}

/* ---- the kinds ---- */

static const kind kinds[] = {
    {POV_CHOICE_VSI, "object_rel_direction_easy",
     "If I stand at {A} and face {B}, on which side of me is {C}?", 3, ask_standing, .by = &halves},
    {POV_CHOICE_VSI, "object_rel_direction_medium",
     "If I stand at {A} and face {B}, is {C} to my left, to my right, or at my back (I would have to turn by "
     "135 degrees "
     "or more)?",
     3, ask_standing, .by = &thirds},
    {POV_CHOICE_VSI, "object_rel_direction_hard",
     "If I stand at {A} and face {B}, in which quarter of the circle about me, counted from straight ahead, "
     "is {C}?",
     3, ask_standing, .by = &quadrants},
    {POV_CHOICE_VSI, "object_rel_distance",
     "Measured between the nearest points, which of these is nearest to {A}?", 1, ask_nearest, .by = NULL},
    {POV_CHOICE_VSI, "object_abs_distance",
     "Measured between the nearest points, how far is {A} from {B}, in metres?", 2, ask_gap,
     .symmetric = true},
    {POV_CHOICE_VSI, "object_size_estimation", "How long is the longest side of {A}, in centimetres?", 1,
     ask_size, .by = NULL},
    {POV_CHOICE_VSI, "object_counting", "", 1, ask_count, .by = NULL},

    {POV_CHOICE_SPAR, "obj_spatial_relation_oo", "For the observer, where is {A} compared with {B}?", 2,
     ask_for_camera, .by = &seen},
    {POV_CHOICE_SPAR, "spatial_imagination_oc",
     "The observer goes to {A} and turns to {B}. In which direction is {C} for the observer then?", 3,
     ask_standing, .by = &eighths},
    {POV_CHOICE_SPAR, "spatial_imagination_oo",
     "The observer goes to {A} and turns to {B}. Where is {C} for the observer then, compared with {B}?", 3,
     ask_standing_relation, .by = &seen},
    {POV_CHOICE_SPAR, "distance_infer_center_oo",
     "Measured between the centres, which of these is nearest to {A}?", 1, ask_nearest, .by = NULL},
    {POV_CHOICE_SPAR, "depth_prediction_oc",
     "How deep in the image is the centre of {A}: how far along the camera's line of sight, in metres?", 1,
     ask_depth, .by = NULL},
    {POV_CHOICE_SPAR, "distance_prediction_oc", "How far is the centre of {A} from the camera, in metres?", 1,
     ask_from_camera, .by = NULL},
    {POV_CHOICE_SPAR, "distance_prediction_oo",
     "How far is the centre of {A} from the centre of {B}, in metres?", 2, ask_apart, .symmetric = true},

    {POV_CHOICE_SPATIAL457, "L3_2d_spatial", "In the image, is {A} to the left or to the right of {B}?", 2,
     ask_for_camera, .by = &halves},
    {POV_CHOICE_SPATIAL457, "L4_pose",
     "Which way does {A} face as the image shows it: front (toward the camera), back (away from it), left or "
     "right?",
     1, ask_facing, .by = &quarters},
    {POV_CHOICE_SPATIAL457, "L5_6d_spatial", "For {B} itself, by the way it faces, on which side is {A}?", 2,
     ask_for_owner, .by = &quarters},
    {POV_CHOICE_SPATIAL457, "L5_collision", "If {A} moves straight on, the way it faces, does it hit {B}?", 2,
     ask_collision, .by = NULL},

    {POV_CHOICE_OMNISPATIAL, "Egocentric", "For you who look at the image, where is {A} compared with {B}?",
     2, ask_for_camera, .by = &seen_sides},
    {POV_CHOICE_OMNISPATIAL, "Allocentric", "In {B}'s place, looking where {B} faces: on which side is {A}?",
     2, ask_for_owner, .by = &quarters},
    {POV_CHOICE_OMNISPATIAL, "Hypothetical",
     "Suppose you stood at {A}, looking at {B}: on which side of you would {C} be?", 3, ask_standing,
     .by = &quarters},

    {POV_CHOICE_ROBOSPATIAL, "configuration", "As the camera sees them, is {A} behind {B}?", 2, ask_seen_side,
     .by = &quarters, .side = 0},
    {POV_CHOICE_ROBOSPATIAL, "configuration", "As the camera sees them, is {A} to the right of {B}?", 2,
     ask_seen_side, .by = &quarters, .side = 1},
    {POV_CHOICE_ROBOSPATIAL, "configuration", "As the camera sees them, is {A} in front of {B}?", 2,
     ask_seen_side, .by = &quarters, .side = 2},
    {POV_CHOICE_ROBOSPATIAL, "configuration", "As the camera sees them, is {A} to the left of {B}?", 2,
     ask_seen_side, .by = &quarters, .side = 3},
    {POV_CHOICE_ROBOSPATIAL, "configuration", "By the way {B} faces, is {A} in front of {B}?", 2,
     ask_own_side, .by = &quarters, .side = 0},
    {POV_CHOICE_ROBOSPATIAL, "configuration", "By the way {B} faces, is {A} to the right of {B}?", 2,
     ask_own_side, .by = &quarters, .side = 1},
    {POV_CHOICE_ROBOSPATIAL, "configuration", "By the way {B} faces, is {A} behind {B}?", 2, ask_own_side,
     .by = &quarters, .side = 2},
    {POV_CHOICE_ROBOSPATIAL, "configuration", "By the way {B} faces, is {A} to the left of {B}?", 2,
     ask_own_side, .by = &quarters, .side = 3},
    {POV_CHOICE_ROBOSPATIAL, "compatibility",
     "As the camera sees it, is there room for {A} right behind {B}?", 2, ask_room, .side = 0},
    {POV_CHOICE_ROBOSPATIAL, "compatibility",
     "As the camera sees it, is there room for {A} right beside {B}, on the right?", 2, ask_room, .side = 1},
    {POV_CHOICE_ROBOSPATIAL, "compatibility",
     "As the camera sees it, is there room for {A} right in front of {B}?", 2, ask_room, .side = 2},
    {POV_CHOICE_ROBOSPATIAL, "compatibility",
     "As the camera sees it, is there room for {A} right beside {B}, on the left?", 2, ask_room, .side = 3},

    {POV_CHOICE_EMBSPATIAL, "side", "In the image, on which side of {B} is {A}?", 2, ask_for_camera,
     .by = &halves},
    {POV_CHOICE_EMBSPATIAL, "close", "Which of these is nearest to the camera?", 0, ask_nearest_to_camera,
     .side = 0},
    {POV_CHOICE_EMBSPATIAL, "far", "Which of these is farthest from the camera?", 0, ask_nearest_to_camera,
     .side = 1},
};

static void ask_about_third(pov_questions *q, const kind *k, pov_id at, pov_id facing)
{
    for (pov_id to = 0; to < q->scene->len; to++)
        if (to != at && to != facing && pov_questions_wants(q, to, at))
            k->ask(q, k, (pov_id[3]){at, facing, to});
}

static void ask_kind(pov_questions *q, const kind *k)
{
    const pov_id none = POV_ID_NONE;
    const bool of_all = q->asking->referent == none && q->asking->relatum == none;
    if (k->things == 0 && of_all)
        k->ask(q, k, (pov_id[3]){none, none, none});
    for (pov_id a = 0; a < q->scene->len; a++) {
        if (k->things == 1 && pov_questions_is_thing(q, a) && q->asking->relatum == none &&
            (q->asking->referent == none || q->asking->referent == a))
            k->ask(q, k, (pov_id[3]){a, none, none});
        for (pov_id b = 0; b < q->scene->len; b++) {
            if (k->things == 2 && pov_questions_wants(q, a, b) && !(k->symmetric && of_all && a > b))
                k->ask(q, k, (pov_id[3]){a, b, none});
            if (k->things == 3 && a != b && pov_questions_is_thing(q, a) && pov_questions_is_thing(q, b))
                ask_about_third(q, k, a, b);
        }
    }
}

void pov_questions_ask_spatial(pov_questions *q)
{
    pov_questions_find_nouns(q, q->asking->language);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (POV_BENCHMARK_CHOICES + kinds[i].benchmark == q->asking->benchmark)
            ask_kind(q, &kinds[i]);
}
