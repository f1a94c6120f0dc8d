/* SPHERE's reasoning tasks: hidden things, possible moves, free room, and the intermediate questions about
 * the image (Zhang et al. 2025, section 3.2.1); "Given that for the question: ... The answer is: ..." is section 4.3's. */
#include "compare/questions/sphere_internal.h"
#include "perception/relations/predicates/affordance.h"

#include <math.h>

static const char *const yes_no[] = {"yes", "no"};

static const char *seen_from(pov_questions *q, pov_id viewer)
{
    return viewer == q->scene->camera
               ? "From the perspective of the viewer"
               : pov_questions_text(q, "From the perspective of %s", pov_questions_the(q, viewer));
}

/* -------- intermediate questions -------- */

typedef struct {
    const char *text;
    const char *words[3];
    pov_choice choice;
} first_step;

/* "" without guidance. */
static const char *give_step(pov_questions *q, const first_step *step)
{
    if (q->asking->guidance != POV_GUIDED_STEP)
        return "";
    return pov_questions_text(
        q, "Given that for the question: %s %s? The answer is: %s. ", step->text,
        pov_sphere_join_options(q, step->words, step->choice.len),
        pov_questions_capital(q, step->words[pov_questions_likeliest(step->choice.p, step->choice.len)]));
}

/* Without guidance it is a question of its own. */
static void ask_step(pov_questions *q, const pov_sphere_ask *final, const char *task, const first_step *step)
{
    pov_sphere_ask ask = *final;
    if (q->asking->guidance == POV_GUIDED_STEP)
        return;
    ask.task = task;
    ask.text = step->text;
    ask.words = step->words;
    ask.before = "";
    pov_sphere_ask_choice(q, &ask, &step->choice);
}

/* Compares two by an extent, which decides which of them hides more. False: they are alike. */
static bool compare_two(pov_questions *q, first_step *step, pov_extent extent, pov_id a, pov_id b)
{
    const pov_sphere_measure *measure = &POV_SPHERE_MEASURES[extent];
    *step = (first_step){.text = pov_questions_text(q, "Which object is %s?", measure->more[0]),
                         .words = {pov_questions_bare(q, a), pov_questions_bare(q, b),
                                   pov_questions_text(q, "they are %s", measure->alike)}};
    return pov_sphere_compare(&step->choice, q->scene, extent, a, b) == POV_OK && step->choice.p[2] < 0.5;
}

/* -------- occlusion -------- */

/* P that another one of these could be hidden there; NaN: it makes no sense. */
static double ask_hiding(pov_questions *q, pov_id viewer, pov_id hider, pov_id thing)
{
    pov_choice choice;
    first_step bigger;
    if (viewer == thing || viewer == hider || !(q->scene->entities[thing].size_m.x > 0) ||
        pov_sphere_could_hide(&choice, q->scene, viewer, hider, q->scene->entities[thing].size_m) != POV_OK)
        return NAN;
    compare_two(q, &bigger, POV_EXTENT_SIZE, hider, thing);
    const pov_sphere_ask ask = {
        .task = "occlusion",
        .part = pov_questions_name(q, viewer),
        .referent = thing,
        .relatum = hider,
        .viewer = viewer,
        .text = pov_questions_text(q, "%s, could another %s be hidden behind %s?", seen_from(q, viewer),
                                   pov_questions_class(q, thing), pov_questions_the(q, hider)),
        .words = yes_no,
        .before = give_step(q, &bigger)};
    pov_sphere_ask_choice(q, &ask, &choice);
    return choice.p[0];
}

/* Behind one that can hide it, or one that cannot; asked after which of the two is wider, or else taller or bigger. */
static void ask_where_hidden(pov_questions *q, pov_id viewer, pov_id thing, const pov_id hiders[2],
                             const double p[2])
{
    static const pov_extent decisive[] = {POV_EXTENT_WIDTH, POV_EXTENT_HEIGHT, POV_EXTENT_SIZE};
    const char *const words[] = {pov_questions_text(q, "behind %s", pov_questions_the(q, hiders[0])),
                                 pov_questions_text(q, "behind %s", pov_questions_the(q, hiders[1]))};
    double one = p[0] * (1 - p[1]), other = p[1] * (1 - p[0]);
    const pov_choice choice = {.len = 2, .p = {one / (one + other), other / (one + other)}};
    first_step wider;
    size_t measure = 0;
    while (measure < sizeof decisive / sizeof *decisive &&
           !compare_two(q, &wider, decisive[measure], hiders[0], hiders[1]))
        measure++;
    bool differ = measure < sizeof decisive / sizeof *decisive;
    wider.choice.len = 2;
    const pov_sphere_ask ask = {.task = "occlusion",
                                .part = pov_questions_text(q, "%s.where.%s", pov_questions_name(q, viewer),
                                                           pov_questions_name(q, hiders[1])),
                                .referent = thing,
                                .relatum = hiders[0],
                                .viewer = viewer,
                                .text =
                                    pov_questions_text(q, "%s, where might another %s be hidden?",
                                                       seen_from(q, viewer), pov_questions_class(q, thing)),
                                .words = words,
                                .before = differ ? give_step(q, &wider) : ""};
    pov_sphere_ask_choice(q, &ask, &choice);
    if (differ)
        ask_step(q, &ask, "occlusion_intermediate", &wider);
}

/* For each that can hide the thing one that cannot, by the seed. */
static void ask_all_hiding(pov_questions *q, pov_id viewer, pov_id thing)
{
    double p[POV_ENTITY_MAX];
    pov_id unable[POV_ENTITY_MAX];
    int unable_len = 0;
    for (pov_id hider = 0; hider < q->scene->len; hider++) {
        p[hider] = pov_questions_wants(q, thing, hider) ? ask_hiding(q, viewer, hider, thing) : NAN;
        if (p[hider] < 0.5)
            unable[unable_len++] = hider;
    }
    for (pov_id able = 0; able < q->scene->len && unable_len > 0; able++)
        if (p[able] > 0.5) {
            pov_id other = unable[pov_sphere_pick(q, "where", thing, able, unable_len)];
            ask_where_hidden(q, viewer, thing, (const pov_id[]){able, other},
                             (const double[]){p[able], p[other]});
        }
}

/* A place where another one may be found, if geometry tells: "inside the suitcase", "behind the box". */
typedef struct {
    pov_id id;
    const char *words;
    bool is_hollow; /* inside, or under */
    double p_yes, p_no;
} found_place;

/* Lists what it could lie in; and, if there is any, what it could hide behind. */
static int list_places(pov_questions *q, found_place *places, pov_id thing)
{
    const pov_vec3 size_m = q->scene->entities[thing].size_m;
    const pov_id viewer = q->scene->camera;
    pov_choice choice;
    int len = 0;
    for (pov_id id = 0; id < q->scene->len; id++)
        if (pov_questions_wants(q, thing, id) &&
            pov_sphere_could_be_inside(&choice, q->scene, viewer, id, size_m) == POV_OK) {
            const unsigned affords = pov_affordances_of(q->scene->entities[id].class_name);
            const char *where = affords & POV_AFFORDS_COVERING ? "under" : "inside";
            places[len++] = (found_place){id, pov_questions_text(q, "%s %s", where, pov_questions_the(q, id)),
                                          true, choice.p[0], choice.p[1]};
        }
    for (pov_id id = 0; id < q->scene->len && len > 0 && size_m.x > 0; id++)
        if (pov_questions_wants(q, thing, id) &&
            pov_sphere_could_hide(&choice, q->scene, viewer, id, size_m) == POV_OK)
            places[len++] = (found_place){id, pov_questions_text(q, "behind %s", pov_questions_the(q, id)),
                                          false, choice.p[0], choice.p[1]};
    return len;
}

/* "Where can another teddy bear be found? Inside the suitcase or Under the dress?" */
static void ask_where_found(pov_questions *q, pov_id thing, const found_place *able,
                            const found_place *unable)
{
    const char *const words[] = {able->words, unable->words};
    const double one = able->p_yes * unable->p_no, other = able->p_no * unable->p_yes;
    const pov_sphere_ask ask = {
        .task = "occlusion",
        .part = pov_questions_text(q, "found.%s.%s_%s", able->is_hollow ? "in" : "behind",
                                   unable->is_hollow ? "in" : "behind", pov_questions_name(q, unable->id)),
        .referent = thing,
        .relatum = able->id,
        .viewer = q->scene->camera,
        .text = pov_questions_text(q, "Where can another %s be found?", pov_questions_class(q, thing)),
        .words = words,
        .before = ""};
    pov_sphere_ask_choice(q, &ask,
                          &(pov_choice){.len = 2, .p = {one / (one + other), other / (one + other)}});
}

/* For each place that can have it one that cannot, by the seed; one of the two at least is inside or under something. */
static void ask_all_found(pov_questions *q, pov_id thing)
{
    found_place places[2 * POV_ENTITY_MAX];
    const int len = list_places(q, places, thing);
    for (int i = 0; i < len; i++) {
        int unable[2 * POV_ENTITY_MAX], unable_len = 0;
        for (int k = 0; k < len && places[i].p_yes > 0.5; k++)
            if (places[k].id != places[i].id && places[k].p_no > 0.5 &&
                (places[i].is_hollow || places[k].is_hollow))
                unable[unable_len++] = k;
        if (unable_len > 0)
            ask_where_found(q, thing, &places[i],
                            &places[unable[pov_sphere_pick(q, "found", thing, places[i].id, unable_len)]]);
    }
}

/* "Can we pour all the wine from the nearer glass into the one behind?" */
static void ask_pouring(pov_questions *q, pov_id a, pov_id b)
{
    pov_choice choice;
    if (!pov_questions_wants(q, a, b) || !pov_sphere_are_the_two(q, a, b) ||
        pov_sphere_could_pour(&choice, q->scene, a, b, q->scene->camera) != POV_OK)
        return;
    const char *vessel = pov_questions_class(q, a);
    const pov_sphere_ask ask = {
        .task = "manipulation",
        .part = "pour",
        .referent = a,
        .relatum = b,
        .viewer = q->scene->camera,
        .text = pov_questions_text(
            q, "%s, can all that the nearer %s holds when it is full be poured into the %s behind it?",
            seen_from(q, q->scene->camera), vessel, vessel),
        .words = yes_no,
        .before = ""};
    pov_sphere_ask_choice(q, &ask, &choice);
}

/* -------- moves -------- */

static const char *const ways[] = {"to the left", "to the right", "away", "closer"};

static const char *const parts[] = {"left", "right", "away", "closer"};

/* A thing that is elsewhere, by the seed. */
static pov_id pick_other(pov_questions *q, const char *about, pov_id viewer, pov_id id)
{
    pov_id others[POV_ENTITY_MAX];
    int len = 0;
    for (pov_id other = 0; other < q->scene->len; other++)
        if (other != id && other != viewer && pov_questions_is_thing(q, other))
            others[len++] = other;
    return len > 0 ? others[pov_sphere_pick(q, about, viewer, id, len)] : POV_ID_NONE;
}

static void ask_what_is_there(pov_questions *q, first_step *there, pov_id viewer, pov_id id, pov_move move,
                              const pov_move_answer *answer)
{
    static const char *const places[] = {"directly to the left of", "directly to the right of",
                                         "directly behind", "directly in front of"};
    pov_id named =
        answer->obstacle != POV_ID_NONE ? answer->obstacle : pick_other(q, places[move], viewer, id);
    *there = (first_step){
        .text = pov_questions_text(q, "%s, what is %s %s?", seen_from(q, viewer), places[move],
                                   pov_questions_the(q, id)),
        .words = {"empty space", named != POV_ID_NONE ? pov_questions_bare(q, named) : "an object"},
        .choice = {.len = 2, .p = {1 - answer->p_hits, answer->p_hits}}};
}

static void ask_way(pov_questions *q, pov_id viewer, pov_id id, pov_move move, const pov_move_answer *answer)
{
    first_step there;
    ask_what_is_there(q, &there, viewer, id, move, answer);
    const pov_sphere_ask ask = {
        .task = "manipulation",
        .part = pov_questions_text(q, "%s.%s", pov_questions_name(q, viewer), parts[move]),
        .referent = id,
        .relatum = POV_ID_NONE,
        .viewer = viewer,
        .text = pov_questions_text(
            q,
            "%s, can %s be moved %s by as much as its own extent without hitting anything or "
            "leaving what it stands on?",
            seen_from(q, viewer), pov_questions_the(q, id), ways[move]),
        .words = yes_no,
        .before = give_step(q, &there)};
    pov_sphere_ask_choice(q, &ask, &answer->possible);
    ask_step(q, &ask, "manipulation_intermediate", &there);
}

/* At most one of two opposite ways may be open. */
static void ask_which_way(pov_questions *q, pov_id viewer, pov_id id, pov_move first,
                          const pov_move_answer answers[2])
{
    double p[] = {answers[0].possible.p[0], answers[1].possible.p[0]};
    double one = p[0] * (1 - p[1]), other = p[1] * (1 - p[0]);
    first_step there;
    if ((p[0] > 0.5) == (p[1] > 0.5))
        return;
    ask_what_is_there(q, &there, viewer, id, first, &answers[0]);
    const pov_sphere_ask ask = {
        .task = "manipulation",
        .part = pov_questions_text(q, "%s.which_way_%s", pov_questions_name(q, viewer), parts[first]),
        .referent = id,
        .relatum = POV_ID_NONE,
        .viewer = viewer,
        .text = pov_questions_text(q,
                                   "%s, which way can %s be moved by as much as its own extent without "
                                   "hitting anything or leaving what it stands on?",
                                   seen_from(q, viewer), pov_questions_the(q, id)),
        .words = &ways[first],
        .before = give_step(q, &there)};
    pov_sphere_ask_choice(q, &ask,
                          &(pov_choice){.len = 2, .p = {one / (one + other), other / (one + other)}});
}

static void ask_moves(pov_questions *q, pov_id viewer, pov_id id)
{
    const pov_moving moving = POV_MOVING_DEFAULT;
    pov_move_answer answers[POV_MOVE_COUNT];
    bool defined[POV_MOVE_COUNT];
    for (int move = 0; move < POV_MOVE_COUNT; move++) {
        defined[move] =
            pov_sphere_can_move(&answers[move], q->scene, id, viewer, (pov_move)move, 1, &moving) == POV_OK;
        if (defined[move])
            ask_way(q, viewer, id, (pov_move)move, &answers[move]);
    }
    for (int move = 0; move < POV_MOVE_COUNT; move += 2)
        if (defined[move] && defined[move + 1])
            ask_which_way(q, viewer, id, (pov_move)move, &answers[move]);
}

/* -------- room -------- */

/* One that may be put beside `relatum`, by the seed: it rests on what that rests on, and carries nothing. */
static pov_id pick_guest(pov_questions *q, const char *about, pov_id relatum, pov_id other)
{
    pov_id guests[POV_ENTITY_MAX];
    int len = 0;
    for (pov_id id = 0; id < q->scene->len; id++) {
        bool carries = false;
        for (pov_id carried = 0; carried < q->scene->len; carried++)
            carries = carries || (carried != id && q->support[carried] == id);
        if (!carries && id != other && pov_questions_wants(q, id, relatum) &&
            q->support[id] == q->support[relatum])
            guests[len++] = id;
    }
    return len > 0 ? guests[pov_sphere_pick(q, about, relatum, relatum, len)] : POV_ID_NONE;
}

/* "Can the man stand on her left side?" */
static void ask_room_beside(pov_questions *q, pov_id viewer, pov_id relatum)
{
    bool own = viewer == relatum;
    for (int side = POV_MOVE_LEFT; side <= POV_MOVE_RIGHT; side++) {
        pov_choice choice;
        pov_id guest = pick_guest(q, parts[side], relatum, viewer);
        if (guest == POV_ID_NONE ||
            pov_sphere_could_stand(&choice, q->scene, viewer, (pov_move)side, guest, relatum) != POV_OK)
            continue;
        const char *the = pov_questions_the(q, guest);
        const pov_sphere_ask ask = {
            .task = "manipulation",
            .part = pov_questions_text(q, "%s.beside_%s", pov_questions_name(q, viewer), parts[side]),
            .referent = guest,
            .relatum = relatum,
            .viewer = viewer,
            .text =
                own ? pov_questions_text(
                          q, "If you are %s in the image, is there room for %s right beside you, on your %s?",
                          pov_questions_the(q, relatum), the, parts[side])
                    : pov_questions_text(q, "%s, is there room for %s right beside %s, to the %s?",
                                         seen_from(q, viewer), the, pov_questions_the(q, relatum),
                                         parts[side]),
            .words = yes_no,
            .before = ""};
        pov_sphere_ask_choice(q, &ask, &choice);
    }
}

/* "Can the dog lie between the two cats?" */
static void ask_room_between(pov_questions *q, pov_id a, pov_id b)
{
    pov_choice choice;
    pov_id guest =
        q->support[a] == q->support[b] ? pick_guest(q, pov_questions_name(q, b), a, b) : POV_ID_NONE;
    if (guest == POV_ID_NONE || pov_sphere_could_stand_between(&choice, q->scene, guest, a, b) != POV_OK)
        return;
    const pov_sphere_ask ask = {.task = "manipulation",
                                .part = pov_questions_text(q, "between.%s", pov_questions_name(q, b)),
                                .referent = guest,
                                .relatum = a,
                                .viewer = q->scene->camera,
                                .text = pov_questions_text(q, "Is there room for %s between %s and %s?",
                                                           pov_questions_the(q, guest),
                                                           pov_questions_the(q, a), pov_questions_the(q, b)),
                                .words = yes_no,
                                .before = ""};
    pov_sphere_ask_choice(q, &ask, &choice);
}

/* -------- all -------- */

void pov_sphere_ask_reasoning(pov_questions *q, pov_id viewer)
{
    const pov_asking *asking = q->asking;
    for (pov_id id = 0; id < q->scene->len; id++)
        if (pov_questions_is_thing(q, id))
            ask_all_hiding(q, viewer, id);
    for (pov_id id = 0; id < q->scene->len && asking->guidance != POV_GUIDED_FACTS; id++)
        if (id != viewer && pov_questions_is_thing(q, id) &&
            (asking->referent == POV_ID_NONE || asking->referent == id))
            ask_moves(q, viewer, id);
    if (asking->guidance != POV_GUIDED_NOT)
        return; /* these have no intermediate question */
    for (pov_id id = 0; id < q->scene->len; id++)
        if (pov_questions_is_thing(q, id) && (viewer == q->scene->camera || viewer == id))
            ask_room_beside(q, viewer, id);
    for (pov_id a = 0; a < q->scene->len && viewer == q->scene->camera; a++)
        for (pov_id b = a + 1; b < q->scene->len; b++)
            if (pov_questions_is_thing(q, a) && pov_questions_is_thing(q, b)) {
                ask_room_between(q, a, b);
                ask_pouring(q, a, b);
            }
    for (pov_id id = 0; id < q->scene->len && viewer == q->scene->camera; id++)
        if (pov_questions_is_thing(q, id))
            ask_all_found(q, id);
}
