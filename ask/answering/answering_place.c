/* Answers about places. */
#include "ask/answering/answering_internal.h"

#include "config/files/json_value.h"
#include "perception/visibility/layout.h"

#include <assert.h>
#include <cJSON.h>
#include <math.h>
#include <string.h>

/* -------- where it is -------- */

/* 12 is straight ahead, 3 to the right. */
static int oclock(double bearing_rad)
{
    int hour = (12 - (int)lround(bearing_rad / (POV_PI / 6))) % 12;
    return hour == 0 ? 12 : hour;
}

static cJSON *side_object(const pov_answering *a, pov_id viewer, const pov_side_judgment *side)
{
    bool undefined = side->verdict == POV_VERDICT_UNDEFINED;
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "viewer", pov_answering_name(a, viewer));
    pov_json_add_text(object, "side", undefined ? NULL : pov_side_name(side->side));
    pov_json_add_number(object, "p", undefined ? NAN : side->p[side->side]);
    pov_json_add_text(object, "quarter", undefined ? NULL : pov_side_name(side->quarter));
    pov_json_add_number(object, "p_quarter", undefined ? NAN : side->p_quarter[side->quarter / 2]);
    pov_json_add_number(object, "bearing_deg", pov_degrees(side->bearing_rad));
    pov_json_add_number(object, "clock", undefined ? NAN : oclock(side->bearing_rad));
    pov_json_add_text(object, "verdict", pov_verdict_name(side->verdict));
    return object;
}

/* "front-left", or "11 o'clock" where that was asked. */
static void describe_side(char *text, size_t capacity, const pov_request *question,
                          const pov_side_judgment *side)
{
    if (side->verdict == POV_VERDICT_UNDEFINED)
        snprintf(text, capacity, "undefined");
    else if (question->way == POV_WAY_CLOCK)
        snprintf(text, capacity, "%d o'clock", oclock(side->bearing_rad));
    else
        snprintf(text, capacity, "%s", pov_side_name(side->side));
}

/* With nobody named: for everybody who has a point of view. */
static bool has_view(const pov_scene *scene, const pov_request *question, pov_id viewer)
{
    const pov_entity *entity = &scene->entities[viewer];
    if (question->viewer != POV_ID_NONE)
        return viewer == question->viewer;
    return viewer != question->referent && (entity->can_see || entity->addressee || viewer == scene->camera);
}

cJSON *pov_answering_where(const pov_answering *a)
{
    const pov_layout usual = POV_LAYOUT_DEFAULT;
    char answer[POV_ANSWER_CAPACITY] = "";
    pov_side_judgment side;
    cJSON *list = cJSON_CreateArray();
    double p = NAN;
    int len = 0;
    bool agreed = true;
    for (pov_id viewer = 0; viewer < a->scene->len; viewer++) {
        char told[24];
        if (!has_view(a->scene, a->question, viewer))
            continue;
        (void)pov_layout_side(&side, a->scene, viewer, a->question->referent, usual.abstain_margin);
        describe_side(told, sizeof told, a->question, &side);
        agreed = agreed && (!*answer || strcmp(answer, told) == 0);
        strcpy(answer, told);
        cJSON_AddItemToArray(list, side_object(a, viewer, &side));
        len++;
    }
    if (len == 1 && side.verdict != POV_VERDICT_UNDEFINED && a->question->way != POV_WAY_CLOCK)
        p = side.p[side.side];
    cJSON *object = pov_answering_begin(a, agreed ? answer : "depends", p);
    cJSON_AddItemToObject(object, "sides", list);
    return object;
}

/* -------- where it is relative to something -------- */

/* The directions that hold in one frame of reference, the best example first. */
typedef struct {
    int len; /* of those that hold or may */
    pov_judgment judgments[POV_RELATION_COUNT];
    bool undefined;
    char text[80]; /* those that surely hold: "right and behind" */
} placement;

static const char *short_name(pov_relation relation)
{
    static const char *const names[] = {"left",  "right", "in front", "behind",
                                        "north", "east",  "south",    "west"};
    static_assert(sizeof names / sizeof *names == POV_RELATION_COUNT, "one name a relation");
    return names[relation];
}

static void insert_by_angle(placement *place, const pov_judgment *judgment)
{
    int at = place->len++;
    for (; at > 0 && fabs(judgment->theta_rad) < fabs(place->judgments[at - 1].theta_rad); at--)
        place->judgments[at] = place->judgments[at - 1];
    place->judgments[at] = *judgment;
}

/* A thing on no side of another is in, on, under or around it: a thing that stands on another has no direction from it. */
static const char *place_without_direction(const pov_answering *a, const pov_request *question)
{
    static const struct {
        const char *relation, *text;
    } places[] = {{"in", "in it"}, {"on", "on it"}, {"supports", "under it"}, {"contains", "around it"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const pov_query query = pov_query_of_pair(pov_relation_lookup(places[i].relation), question->referent,
                                                  question->relatum[0]);
        pov_judgment judgment;
        if (pov_moment_relation(a->moment, &judgment, &query) == POV_OK &&
            judgment.belief.verdict == POV_TRUE)
            return places[i].text;
    }
    return "none";
}

static void describe_place(placement *place, const char *without_direction)
{
    size_t length = 0;
    snprintf(place->text, sizeof place->text, "%s", place->undefined ? "undefined" : without_direction);
    for (int i = 0; i < place->len; i++)
        if (place->judgments[i].belief.verdict == POV_TRUE)
            length += (size_t)snprintf(place->text + length, sizeof place->text - length, "%s%s",
                                       length ? " and " : "",
                                       short_name(place->judgments[i].query.relation->projective));
    if (length == 0 && place->len > 0)
        snprintf(place->text, sizeof place->text, "abstain");
}

static void judge_place(placement *place, const pov_answering *a, const pov_request *question,
                        const pov_query *frame)
{
    *place = (placement){.undefined = true};
    for (int i = 0; i < POV_RELATION_COUNT; i++) {
        pov_query query = *frame;
        pov_judgment judgment;
        if (!question->directions[i])
            continue;
        query.relation = pov_relation_info_of((pov_relation)i);
        (void)pov_moment_relation(a->moment, &judgment, &query);
        place->undefined = place->undefined && judgment.belief.verdict == POV_VERDICT_UNDEFINED;
        if (judgment.belief.verdict == POV_TRUE || judgment.belief.verdict == POV_ABSTAIN)
            insert_by_angle(place, &judgment);
    }
    bool is_on_no_side = place->len == 0 && !place->undefined;
    describe_place(place, is_on_no_side ? place_without_direction(a, question) : "none");
}

static cJSON *place_in_object(const pov_answering *a, const pov_query *frame, const placement *place)
{
    cJSON *object = pov_answering_frame(a, frame);
    pov_json_add_text(object, "place", place->text);
    cJSON *list = cJSON_AddArrayToObject(object, "holds");
    for (int i = 0; i < place->len; i++) {
        cJSON *item = cJSON_CreateObject();
        pov_json_add_text(item, "relation", place->judgments[i].query.relation->name);
        pov_json_add_number(item, "p", place->judgments[i].belief.p);
        pov_json_add_number(item, "theta_deg", pov_degrees(place->judgments[i].theta_rad));
        pov_json_add_text(item, "verdict", pov_verdict_name(place->judgments[i].belief.verdict));
        cJSON_AddItemToArray(list, item);
    }
    return object;
}

cJSON *pov_answering_place(const pov_answering *a)
{
    pov_query frames[POV_REPLY_MAX];
    placement place;
    char answer[POV_ANSWER_CAPACITY] = "";
    cJSON *list = cJSON_CreateArray();
    int len = pov_request_frames(frames, a->scene, a->question);
    for (int i = 0; i < len; i++) {
        judge_place(&place, a, a->question, &frames[i]);
        pov_answering_agree(answer, place.text);
        cJSON_AddItemToArray(list, place_in_object(a, &frames[i], &place));
        if (place.len > 0 && isnan(a->shown->theta_rad))
            *a->shown = place.judgments[0];
    }
    cJSON *object =
        pov_answering_begin(a, answer, len == 1 && place.len > 0 ? place.judgments[0].belief.p : NAN);
    cJSON_AddItemToObject(object, "places", list);
    return object;
}

/* -------- in what order -------- */

static cJSON *place_object(const pov_answering *a, const pov_place *place)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "id", pov_answering_name(a, place->id));
    pov_json_add_number(object, "bearing_deg", pov_degrees(place->bearing_rad));
    pov_json_add_number(object, "distance_m", place->distance_m);
    pov_json_add_number(object, "p_swapped", place->p_swapped);
    return object;
}

cJSON *pov_answering_order(const pov_answering *a)
{
    const pov_id viewer = a->question->viewer;
    bool shown[POV_ENTITY_MAX] = {false};
    pov_layout layout = POV_LAYOUT_DEFAULT;
    pov_order order;
    layout.half_angle_rad = POV_PI;
    layout.shown = shown;
    for (pov_id id = 0; id < a->scene->len; id++) {
        pov_visibility looked;
        if (id != viewer && pov_moment_look(a->moment, &looked, viewer, id) == POV_OK)
            shown[id] = looked.sees.verdict != POV_FALSE;
    }
    pov_code code = a->question->by_distance ? pov_layout_near_to_far(&order, a->scene, viewer, &layout)
                                             : pov_layout_left_to_right(&order, a->scene, viewer, &layout);
    const bool undefined = code == POV_UNDEFINED || !a->scene->entities[viewer].can_see;
    cJSON *object = pov_answering_begin(a,
                                        undefined                  ? "undefined"
                                        : a->question->by_distance ? "near_to_far"
                                                                   : "left_to_right",
                                        NAN),
          *list = cJSON_AddArrayToObject(object, "places");
    for (int i = 0; i < order.len && !undefined; i++)
        cJSON_AddItemToArray(list, place_object(a, &order.places[i]));
    return object;
}
