/* Answers about seeing, and about places for who looks. */
#include "ask/meaning/lexicon.h"
#include "ask/meaning/measure.h"
#include "ask/talk/answer.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

/* -------- does she see it? -------- */

static bool looks(const pov_answer *a, pov_id viewer)
{
    const pov_request *q = a->question;
    if (q->viewer != POV_ID_NONE)
        return viewer == q->viewer || (q->way == POV_WAY_BOTH && viewer == q->other);
    return a->scene->entities[viewer].can_see && viewer != q->referent;
}

static void look_all(pov_answer *a)
{
    const pov_request *q = a->question;
    if (q->way == POV_WAY_EACH_OTHER) {
        (void)pov_answer_look(a, q->viewer, q->other);
        (void)pov_answer_look(a, q->other, q->viewer);
        return;
    }
    for (pov_id viewer = 0; viewer < a->scene->len; viewer++)
        if (looks(a, viewer))
            (void)pov_answer_look(a, viewer, q->referent);
}

/* Hidden, and mostly by the one that was named. */
static pov_verdict is_hidden_by(const pov_answer *a)
{
    const pov_visibility *look = &a->look[0];
    const bool by = look->cause == POV_CAUSE_HIDDEN && look->occluder_len > 0 &&
                    look->occluders[0].id == a->question->other;
    return pov_verdict_and(pov_verdict_not(look->sees.verdict),
                           look->sees.verdict != POV_FALSE || by ? POV_TRUE : POV_FALSE);
}

/* The face is seen from its side of the thing, by who sees the thing. */
static void answer_side(pov_answer *a)
{
    const pov_request *q = a->question;
    const double p_side = pov_measure_side(a->scene, q->referent, q->side, q->viewer);
    const pov_verdict side = isnan(p_side)    ? POV_VERDICT_UNDEFINED
                             : p_side <= 0.05 ? POV_FALSE
                             : p_side < 0.95  ? POV_ABSTAIN
                                              : POV_TRUE;
    pov_answer_say(a, "%s", pov_answer_word(pov_verdict_and(side, a->look[0].sees.verdict)));
    a->p = a->look_len == 1 ? a->look[0].sees.p * p_side : NAN;
    pov_json_add_text(a->json, "side", pov_relation_name(q->side));
    pov_json_add_number(a->json, "p_on_side", p_side);
}

void pov_answer_sees(pov_answer *a)
{
    const pov_request *q = a->question;
    const bool all = q->way == POV_WAY_BOTH || q->way == POV_WAY_EACH_OTHER;
    int count[POV_VERDICT_COUNT] = {0};
    pov_verdict every = POV_TRUE;
    look_all(a);
    for (int i = 0; i < a->look_len; i++) {
        const pov_verdict sees = a->look[i].sees.verdict;
        every = pov_verdict_and(every, sees);
        count[q->negated ? pov_verdict_not(sees) : sees]++;
    }
    if (a->look_len == 1)
        a->p = q->negated ? 1 - a->look[0].sees.p : a->look[0].sees.p;
    if (q->way == POV_WAY_SIDE)
        answer_side(a);
    else
        pov_answer_say(a, "%s",
                       all                                        ? pov_answer_word(every)
                       : q->way == POV_WAY_BY && a->look_len == 1 ? pov_answer_word(is_hidden_by(a))
                                                                  : pov_answer_sum(count));
    pov_answer_tell_looks(a);
}

/* The first in the way. */
void pov_answer_hides(pov_answer *a)
{
    look_all(a);
    for (int i = 0; i < a->look_len; i++)
        pov_answer_agree(a, a->look[i].sees.verdict == POV_VERDICT_UNDEFINED ? "undefined"
                            : a->look[i].occluder_len ? pov_answer_name(a, a->look[i].occluders[0].id)
                                                      : "nothing");
    pov_answer_tell_looks(a);
}

/* -------- which things are seen? by whom? -------- */

/* The question compares two viewers: it wants the things that the one sees and the other does not, or that only one sees. */
static pov_verdict differs(const pov_request *q, pov_verdict sees, pov_verdict other)
{
    const pov_verdict only = pov_verdict_and(sees, pov_verdict_not(other)),
                      only_other = pov_verdict_and(pov_verdict_not(sees), other);
    return q->way == POV_WAY_EXCEPT
               ? only
               : pov_verdict_not(pov_verdict_and(pov_verdict_not(only), pov_verdict_not(only_other)));
}

static pov_verdict look_for(pov_answer *a, pov_id id, bool who)
{
    const pov_request *q = a->question;
    pov_verdict sees = pov_answer_look(a, who ? id : q->viewer, who ? q->referent : id)->sees.verdict;
    if (!who && q->other != POV_ID_NONE)
        sees = differs(q, sees, pov_answer_look(a, q->other, id)->sees.verdict);
    return q->negated ? pov_verdict_not(sees) : sees;
}

static bool is_asked_about(const pov_answer *a, pov_id id, bool who)
{
    const pov_request *q = a->question;
    if (who)
        return id != q->referent && a->scene->entities[id].can_see &&
               !a->scene->entities[id].is_hypothetical && (q->way != POV_WAY_WHO_COUNTED || q->candidate[id]);
    return q->candidate[id] && id != q->viewer && id != q->other;
}

/* Of "nobody sees it": nothing is known about who sees at all, or about a person. */
static bool may_be_seen_by_others(const pov_answer *a, int asked_len)
{
    const pov_request *q = a->question;
    bool may = asked_len == 0 && q->way != POV_WAY_WHO_COUNTED;
    for (pov_id id = 0; id < a->scene->len; id++)
        may = may || (id != q->referent && pov_is_person(a->scene, id) && !a->scene->entities[id].can_see &&
                      !a->scene->entities[id].is_hypothetical &&
                      (q->way != POV_WAY_WHO_COUNTED || q->candidate[id]));
    return may;
}

static void list_ids(const pov_answer *a, char text[POV_SAYS_CAPACITY], const char *key, const pov_id *ids,
                     int len)
{
    cJSON *list = cJSON_AddArrayToObject(a->json, key);
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < len; i++) {
        cJSON_AddItemToArray(list, cJSON_CreateString(pov_answer_name(a, ids[i])));
        if (length < POV_SAYS_CAPACITY)
            length += (size_t)snprintf(text + length, POV_SAYS_CAPACITY - length, "%s%s", length ? ", " : "",
                                       pov_answer_name(a, ids[i]));
    }
}

void pov_answer_seen(pov_answer *a)
{
    const pov_way way = a->question->way;
    const bool who = way == POV_WAY_WHO || way == POV_WAY_WHO_COUNTED,
               counted = way == POV_WAY_COUNTED || way == POV_WAY_WHO_COUNTED;
    pov_id perhaps[POV_ENTITY_MAX] = {0};
    int perhaps_len = 0, undefined_len = 0, asked_len = 0;
    char sure[POV_SAYS_CAPACITY], doubtful[POV_SAYS_CAPACITY];
    for (pov_id id = 0; id < a->scene->len; id++) {
        if (!is_asked_about(a, id, who))
            continue;
        const pov_verdict verdict = look_for(a, id, who);
        asked_len++;
        undefined_len += verdict == POV_VERDICT_UNDEFINED;
        if (verdict == POV_TRUE)
            a->held[a->held_len++] = id;
        else if (verdict == POV_ABSTAIN)
            perhaps[perhaps_len++] = id;
    }
    list_ids(a, sure, "holds_of", a->held, a->held_len);
    list_ids(a, doubtful, "perhaps_of", perhaps, perhaps_len);
    const bool none = a->held_len + perhaps_len == 0;
    if ((undefined_len > 0 && undefined_len == asked_len) ||
        (who && none && may_be_seen_by_others(a, asked_len)))
        pov_answer_say(a, "undefined");
    else if (way == POV_WAY_SAME)
        pov_answer_say(a, "%s",
                       pov_answer_word(a->held_len                   ? POV_FALSE
                                       : perhaps_len                 ? POV_ABSTAIN
                                       : undefined_len || !asked_len ? POV_VERDICT_UNDEFINED
                                                                     : POV_TRUE));
    else if (counted)
        pov_answer_say(a, perhaps_len ? "%d to %d" : "%d", a->held_len, a->held_len + perhaps_len);
    else
        pov_answer_say(a, "%s", a->held_len ? sure : perhaps_len ? "abstain" : "none");
    if (perhaps_len > 0)
        pov_answer_line(a, "perhaps", "%s", doubtful);
    pov_answer_tell_looks(a);
}

/* -------- where it is -------- */

/* 12 is straight ahead, 3 to the right. */
static int oclock(double bearing_rad)
{
    const int hour = (12 - (int)lround(bearing_rad / (POV_PI / 6))) % 12;
    return hour == 0 ? 12 : hour;
}

static void tell_side(pov_answer *a, cJSON *list, pov_id viewer, const pov_side_judgment *side)
{
    const bool undefined = side->verdict == POV_VERDICT_UNDEFINED;
    const char *name = undefined ? NULL : pov_side_name(side->side);
    cJSON *object = cJSON_CreateObject();
    char bearing[40], reason[128];
    pov_json_add_text(object, "viewer", pov_answer_name(a, viewer));
    pov_json_add_text(object, "side", name);
    pov_json_add_number(object, "p", undefined ? NAN : side->p[side->side]);
    pov_json_add_text(object, "quarter", undefined ? NULL : pov_side_name(side->quarter));
    pov_json_add_number(object, "p_quarter", undefined ? NAN : side->p_quarter[side->quarter / 2]);
    pov_json_add_number(object, "bearing_deg", pov_degrees(side->bearing_rad));
    pov_json_add_number(object, "clock", undefined ? NAN : oclock(side->bearing_rad));
    pov_json_add_text(object, "verdict", pov_verdict_name(side->verdict));
    cJSON_AddItemToArray(list, object);
    if (undefined) {
        pov_side_explain(reason, sizeof reason, a->scene, viewer, a->question->referent);
        pov_answer_line(a, pov_answer_name(a, viewer), "undefined: %s", reason);
    } else
        pov_answer_line(
            a, pov_answer_name(a, viewer), "%-11s P = %.4f; %s, %d o'clock; of four sides: %s, P = %.4f",
            name, side->p[side->side], pov_answer_bearing(bearing, side->bearing_rad),
            oclock(side->bearing_rad), pov_side_name(side->quarter), side->p_quarter[side->quarter / 2]);
}

/* With nobody named: for everybody who has a point of view. */
static bool has_view(const pov_answer *a, pov_id viewer)
{
    const pov_entity *entity = &a->scene->entities[viewer];
    if (a->question->viewer != POV_ID_NONE)
        return viewer == a->question->viewer;
    return viewer != a->question->referent &&
           (entity->can_see || entity->addressee || viewer == a->scene->camera);
}

void pov_answer_where(pov_answer *a)
{
    const pov_layout usual = POV_LAYOUT_DEFAULT;
    cJSON *list = cJSON_AddArrayToObject(a->json, "sides");
    bool agreed = true;
    for (pov_id viewer = 0; viewer < a->scene->len; viewer++) {
        pov_side_judgment *side = &a->side[a->side_len].side;
        char told[24];
        if (!has_view(a, viewer))
            continue;
        (void)pov_layout_side(side, a->scene, viewer, a->question->referent, usual.abstain_margin);
        a->side[a->side_len++].viewer = viewer;
        if (side->verdict == POV_VERDICT_UNDEFINED)
            strcpy(told, "undefined");
        else if (a->question->way == POV_WAY_CLOCK)
            snprintf(told, sizeof told, "%d o'clock", oclock(side->bearing_rad));
        else
            snprintf(told, sizeof told, "%s", pov_side_name(side->side));
        agreed = agreed && (a->side_len == 1 || strcmp(a->says, told) == 0);
        pov_answer_say(a, "%s", told);
        tell_side(a, list, viewer, side);
    }
    const pov_side_judgment *only = &a->side[0].side;
    if (a->side_len == 1 && only->verdict != POV_VERDICT_UNDEFINED && a->question->way != POV_WAY_CLOCK)
        a->p = only->p[only->side];
    if (!agreed)
        pov_answer_say(a, "depends");
}

/* -------- in what order -------- */

void pov_answer_order(pov_answer *a)
{
    const pov_id viewer = a->question->viewer;
    bool shown[POV_ENTITY_MAX] = {false};
    pov_layout layout = POV_LAYOUT_DEFAULT;
    pov_order order;
    layout.half_angle_rad = POV_PI;
    layout.shown = shown;
    for (pov_id id = 0; id < a->scene->len; id++) {
        pov_visibility look;
        shown[id] = id != viewer && pov_moment_look(a->moment, &look, viewer, id) == POV_OK &&
                    look.sees.verdict != POV_FALSE;
    }
    const pov_code code = a->question->by_distance
                              ? pov_layout_near_to_far(&order, a->scene, viewer, &layout)
                              : pov_layout_left_to_right(&order, a->scene, viewer, &layout);
    cJSON *list = cJSON_AddArrayToObject(a->json, "places");
    if (code == POV_UNDEFINED || !a->scene->entities[viewer].can_see)
        return;
    pov_answer_say(a, a->question->by_distance ? "near_to_far" : "left_to_right");
    for (int i = 0; i < order.len; i++) {
        const pov_place *place = &order.places[i];
        cJSON *object = cJSON_CreateObject();
        char bearing[40];
        pov_json_add_text(object, "id", pov_answer_name(a, place->id));
        pov_json_add_number(object, "bearing_deg", pov_degrees(place->bearing_rad));
        pov_json_add_number(object, "distance_m", place->distance_m);
        pov_json_add_number(object, "p_swapped", place->p_swapped);
        cJSON_AddItemToArray(list, object);
        a->held[a->held_len++] = place->id;
        pov_answer_line(a, pov_answer_name(a, place->id), "%s, %.2f m",
                        pov_answer_bearing(bearing, place->bearing_rad), place->distance_m);
    }
}
