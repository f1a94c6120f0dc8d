/* Answers about distances, superlatives and fronts. */
#include "ask/meaning/measure.h"
#include "ask/meaning/reference.h"
#include "ask/talk/answer.h"
#include "config/files/json_value.h"
#include "config/files/text.h"

#include <cJSON.h>
#include <math.h>

/* -------- how far -------- */

static void tell_measure(pov_answer *a, const char *name, const char *words, pov_measure m)
{
    char key[40];
    snprintf(key, sizeof key, "%s_m", name);
    pov_json_add_number(a->json, key, m.mean);
    snprintf(key, sizeof key, "%s_std_m", name);
    pov_json_add_number(a->json, key, m.std);
    if (!isnan(m.mean))
        pov_answer_line(a, words, "%.3f +- %.3f m", m.mean, m.std);
}

void pov_answer_distance(pov_answer *a)
{
    pov_measure centre_m, gap_m;
    if (pov_measure_distance(&centre_m, &gap_m, a->scene, a->question->referent, a->question->relatum[0]))
        pov_answer_say(a, "%.4g m", round(1e3 * (isnan(gap_m.mean) ? centre_m.mean : gap_m.mean)) / 1e3);
    tell_measure(a, "centre_distance", "between centres", centre_m);
    tell_measure(a, "gap", "between surfaces", gap_m);
}

/* -------- the most -------- */

/* "is the ball the nearest?" */
static const char *describe_named(const pov_most *most, pov_id named)
{
    double p = 0;
    for (int i = 0; i < most->len; i++)
        p += most->id[i] == named ? most->p[i] : 0;
    return most->verdict == POV_TRUE && most->id[0] == named ? "yes" : p <= 0.05 ? "no" : "abstain";
}

static void judge_most(pov_answer *a, cJSON *list, pov_id viewer)
{
    const pov_request *q = a->question;
    pov_most most;
    pov_text text = {0};
    const pov_query frame = {.perspective = POV_PERSPECTIVE_COUNT,
                             .viewer = viewer,
                             .convention = POV_NO_CONVENTION,
                             .axis = POV_AXIS_COUNT};
    cJSON *object = cJSON_CreateObject();
    pov_measure_most(&most, a->scene, q, viewer);
    a->is_tie = most.is_tie;
    const char *says = most.verdict == POV_VERDICT_UNDEFINED ? "undefined"
                       : q->referent != POV_ID_NONE          ? describe_named(&most, q->referent)
                       : most.verdict == POV_TRUE            ? pov_answer_name(a, most.id[0])
                                                             : "abstain";
    pov_json_add_text(object, "viewer", viewer == POV_ID_NONE ? NULL : pov_answer_name(a, viewer));
    pov_json_add_text(object, "pick", says);
    pov_json_add_number(object, "left_out", most.left_out);
    cJSON *holds = cJSON_AddArrayToObject(object, "holds_of");
    a->held_len = 0;
    for (int i = 0; i < most.len; i++) {
        pov_answer_add(a, holds, most.id[i], most.p[i]);
        a->held[a->held_len++] = most.id[i];
        pov_text_add(&text, "%s%s P = %.3f", i ? ", " : "", pov_answer_name(a, most.id[i]), most.p[i]);
    }
    cJSON_AddItemToArray(list, object);
    pov_answer_line(a, viewer == POV_ID_NONE ? "from everywhere" : pov_answer_name(a, viewer), "%s",
                    text.len > 0 ? pov_text_of(&text) : "none");
    pov_text_free(&text);
    pov_frame_answer *told = &a->frame[a->frame_len++];
    *told = (pov_frame_answer){.frame = frame, .first.theta_rad = NAN, .p = most.len ? most.p[0] : NAN};
    snprintf(told->says, sizeof told->says, "%s", says);
    pov_answer_note_frame(a, &frame, "pick", says, NAN);
    pov_answer_agree(a, says);
}

/* For the viewer that was named, or everybody whose perspective is judged. */
void pov_answer_extreme(pov_answer *a)
{
    const pov_request *q = a->question;
    cJSON *list = cJSON_AddArrayToObject(a->json, "picks");
    if (!pov_measure_needs_viewer(q) || q->viewer != POV_ID_NONE)
        judge_most(a, list, pov_measure_needs_viewer(q) ? q->viewer : POV_ID_NONE);
    else
        for (pov_id id = 0; id < a->scene->len; id++)
            if (id == a->scene->camera || a->scene->entities[id].addressee)
                judge_most(a, list, id);
    if (a->frame_len == 1)
        a->p = a->frame[0].p;
}

/* -------- what is ahead of it -------- */

typedef struct {
    pov_id id;
    double bearing_rad, share; /* of the directions in which it may look */
    pov_belief belief;
} ahead;

/* It faces the target; "looking at", not only "facing": what is hidden is not looked at. */
static pov_belief judge_facing(const pov_answer *a, pov_id id, pov_id target)
{
    pov_judgment judged;
    const pov_query facing = pov_query_of_pair(pov_request_facing(a->question->aim), id, target);
    (void)pov_moment_relation(a->moment, &judged, &facing);
    return a->question->looks ? pov_request_looking(judged.belief, a->moment, id, target) : judged.belief;
}

/* Off the heading that is meant, the bearing of a thing. */
static double bearing_of(const pov_answer *a, pov_id id, pov_id other)
{
    const pov_heading_mode *front =
        pov_heading_heaviest(pov_entity_aim(&a->scene->entities[id], a->question->aim));
    const pov_vec3 v =
        pov_vec3_sub(a->scene->entities[other].position.mean_m, a->scene->entities[id].position.mean_m);
    return front ? pov_angle_wrap(atan2(v.y, v.x) - front->yaw_rad) : 0;
}

/* The likeliest to be met by a look, then the straightest, first. */
static void sort_ahead(ahead *found, int len, const double share[POV_ENTITY_MAX])
{
    for (int i = 0; i < len; i++) {
        ahead one = found[i];
        int at = i;
        one.share = share[one.id];
        for (; at > 0 &&
               (one.share > found[at - 1].share || (one.share >= found[at - 1].share &&
                                                    fabs(one.bearing_rad) < fabs(found[at - 1].bearing_rad)));
             at--)
            found[at] = found[at - 1];
        found[at] = one;
    }
}

/* Things within the cone of the registry's "facing". */
static int find_ahead(ahead found[POV_ENTITY_MAX], const pov_answer *a)
{
    const pov_layout usual = POV_LAYOUT_DEFAULT;
    const pov_id id = a->question->referent;
    bool ahead_of_it[POV_ENTITY_MAX] = {false};
    double share[POV_ENTITY_MAX];
    int len = 0;
    for (pov_id other = 0; other < a->scene->len; other++) {
        pov_side_judgment side = {.bearing_rad = bearing_of(a, id, other)};
        if (other == id)
            continue;
        const pov_belief belief = judge_facing(a, id, other);
        if (belief.verdict == POV_VERDICT_UNDEFINED || !(belief.p > 0.5) ||
            (a->question->aim == POV_AIM_FRONT &&
             pov_layout_side(&side, a->scene, id, other, usual.abstain_margin) != POV_OK))
            continue;
        found[len++] = (ahead){.id = other, .bearing_rad = side.bearing_rad, .belief = belief};
        ahead_of_it[other] = true;
    }
    pov_measure_ahead(share, a->scene, id, a->question->aim, ahead_of_it);
    sort_ahead(found, len, share);
    return len;
}

/* Is it better than what was found before? Things rather than the camera; of what is looked at, what is surely seen. */
static bool is_better(const pov_answer *a, const ahead *one, const ahead *best)
{
    const bool camera = one->id == a->scene->camera, doubtful = one->belief.verdict == POV_ABSTAIN;
    if (!best || camera != (best->id == a->scene->camera))
        return !best || !camera;
    return a->question->looks && best->belief.verdict == POV_ABSTAIN && !doubtful;
}

/* The likeliest candidate ("who": people, and the camera); NULL: there is none. */
static const ahead *straightest(const pov_answer *a, const ahead *found, int len)
{
    const ahead *best = NULL;
    for (int i = 0; i < len; i++)
        if ((a->question->candidate[found[i].id] || found[i].id == a->scene->camera) &&
            is_better(a, &found[i], best))
            best = &found[i];
    return best;
}

static const char *name_what_is_faced(const pov_answer *a, const ahead *first)
{
    bool asks_who = true;
    if (first)
        return a->question->looks && first->belief.verdict == POV_ABSTAIN ? "abstain"
                                                                          : pov_answer_name(a, first->id);
    for (pov_id id = 0; id < a->scene->len; id++)
        asks_who = asks_who && (!a->question->candidate[id] || pov_is_person(a->scene, id));
    return asks_who ? "nobody" : "nothing";
}

/* -------- how it faces -------- */

static void say_facing(pov_answer *a, const pov_heading_mode *mode, const ahead *first)
{
    const pov_request *q = a->question;
    pov_faces faces;
    double p;
    if (q->way == POV_WAY_WHAT)
        pov_answer_say(a, "%s", name_what_is_faced(a, first));
    else if (a->scene->has_north)
        pov_answer_say(a, "%s", pov_measure_compass(a->scene, mode->yaw_rad));
    else if (q->viewer != POV_ID_NONE && pov_measure_faces(&faces, &p, a->scene, q->referent, q->viewer))
        pov_answer_say(a,
                       faces == POV_FACES_TOWARD ? "toward %s"
                       : faces == POV_FACES_AWAY ? "away from %s"
                       : faces == POV_FACES_LEFT ? "to the left of %s"
                                                 : "to the right of %s",
                       pov_answer_name(a, q->viewer));
    else if (first)
        pov_answer_say(a, "toward %s", pov_answer_name(a, first->id));
    else
        pov_answer_say(a, "nothing is ahead");
}

static void tell_heading(pov_answer *a, const pov_heading_mode *mode)
{
    const double yaw_deg = pov_degrees(pov_angle_wrap(mode->yaw_rad)),
                 heading_deg = yaw_deg + (yaw_deg < -0.5 ? 360 : 0), /* counter-clockwise from above */
        std_deg = pov_degrees(mode->kappa >= 1e10 ? 0 : fmin(1 / sqrt(mode->kappa), POV_EVEN_STD_RAD));
    const char *compass = pov_measure_compass(a->scene, mode->yaw_rad);
    pov_json_add_number(a->json, "heading_deg", heading_deg);
    pov_json_add_number(a->json, "heading_std_deg", std_deg);
    pov_json_add_text(a->json, "compass", compass);
    pov_answer_line(a, "heading", "%.1f +- %.1f deg%s%s", heading_deg, std_deg, compass ? ", " : "",
                    compass ? compass : "");
    cJSON *list = cJSON_AddArrayToObject(a->json, "for");
    for (pov_id viewer = 0; viewer < a->scene->len; viewer++) {
        const pov_id named = a->question->viewer;
        pov_faces faces;
        double p;
        if ((named != POV_ID_NONE
                 ? viewer != named
                 : viewer == a->question->referent ||
                       (viewer != a->scene->camera && !a->scene->entities[viewer].addressee)) ||
            !pov_measure_faces(&faces, &p, a->scene, a->question->referent, viewer))
            continue;
        cJSON *item = cJSON_CreateObject();
        pov_json_add_text(item, "viewer", pov_answer_name(a, viewer));
        pov_json_add_text(item, "faces", pov_faces_name(faces));
        pov_json_add_number(item, "p", p);
        cJSON_AddItemToArray(list, item);
        pov_answer_line(a, pov_answer_name(a, viewer), "%s, P = %.3f", pov_faces_name(faces), p);
    }
}

/* -------- one another -------- */

static void answer_each_other(pov_answer *a)
{
    const pov_id pair[] = {a->question->viewer, a->question->other};
    pov_verdict both = POV_TRUE;
    cJSON *list = cJSON_AddArrayToObject(a->json, "facing");
    a->p = 1;
    for (int i = 0; i < 2; i++) {
        const pov_belief belief = judge_facing(a, pair[i], pair[1 - i]);
        both = pov_verdict_and(both, belief.verdict);
        a->p *= belief.p;
        pov_json_add_text(pov_answer_add(a, list, pair[i], belief.p), "faces",
                          pov_answer_name(a, pair[1 - i]));
        pov_answer_line(a, pov_answer_name(a, pair[i]), "faces %s, P = %.3f", pov_answer_name(a, pair[1 - i]),
                        belief.p);
    }
    pov_answer_say(a, "%s", pov_answer_word(both));
}

/* Things that a hand points at, or a look meets, nearly as surely as the surest: told together. Chosen. */
static const double as_likely = 0.7;

/* A hand that may point two ways points at nothing surely, but not surely at nothing. A tenth: chosen. */
static bool may_point_at_something(const pov_answer *a)
{
    const double possible_p = 0.1;
    bool may = false;
    for (pov_id id = 0; id < a->scene->len && a->question->aim == POV_AIM_HAND; id++)
        may = may || (id != a->question->referent && a->question->candidate[id] &&
                      judge_facing(a, a->question->referent, id).p > possible_p);
    return may;
}

/* Holds the likeliest of what is pointed or looked at. */
static void hold_likeliest(pov_answer *a, const ahead *found, int len)
{
    const bool hand = a->question->aim == POV_AIM_HAND;
    double most = 0;
    a->held_len = 0;
    for (int i = 0; i < len; i++)
        if (hand || a->question->candidate[found[i].id])
            most = fmax(most, hand ? found[i].belief.p : found[i].share);
    for (int i = 0; i < len && (hand || a->question->looks); i++)
        if (a->question->candidate[found[i].id] &&
            (hand ? found[i].belief.p : found[i].share) > as_likely * most)
            a->held[a->held_len++] = found[i].id;
}

void pov_answer_facing(pov_answer *a)
{
    ahead found[POV_ENTITY_MAX];
    if (a->question->way == POV_WAY_EACH_OTHER) {
        answer_each_other(a);
        return;
    }
    const pov_heading_mode *mode =
        pov_heading_heaviest(pov_entity_aim(&a->scene->entities[a->question->referent], a->question->aim));
    const int len = mode ? find_ahead(found, a) : 0;
    if (!mode && a->question->aim == POV_AIM_HAND)
        pov_answer_say(a, "%s", name_what_is_faced(a, NULL));
    hold_likeliest(a, found, len);
    if (mode) {
        if (len == 0 && may_point_at_something(a))
            pov_answer_say(a, "abstain");
        else
            say_facing(a, mode, straightest(a, found, len));
        tell_heading(a, mode);
    }
    cJSON *list = cJSON_AddArrayToObject(a->json, "ahead");
    for (int i = 0; i < len; i++) {
        char bearing[40];
        pov_json_add_number(pov_answer_add(a, list, found[i].id, found[i].belief.p), "bearing_deg",
                            pov_degrees(found[i].bearing_rad));
        pov_answer_line(a, pov_answer_name(a, found[i].id), "ahead, %s, P = %.3f",
                        pov_answer_bearing(bearing, found[i].bearing_rad), found[i].belief.p);
    }
}
