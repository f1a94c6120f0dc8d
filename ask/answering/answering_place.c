/* Where things are. */
#include "ask/answering/answering_internal.h"

#include "ask/print/judge_print.h"
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

static void print_bearing(FILE *stream, double bearing_rad)
{
    if (fabs(pov_degrees(bearing_rad)) < 0.5)
        fputs("straight ahead", stream);
    else
        fprintf(stream, "%.0f deg to the %s", fabs(pov_degrees(bearing_rad)),
                bearing_rad < 0 ? "right" : "left");
}

static void print_side(const pov_answering *a, pov_id viewer, const pov_side_judgment *side)
{
    fprintf(a->stream, "  for %-32.32s  ", pov_answering_name(a, viewer));
    if (side->verdict == POV_VERDICT_UNDEFINED) {
        fputs("undefined: no position, no heading, or both at one place\n", a->stream);
        return;
    }
    fprintf(a->stream, "%-11s P = %.4f; ", pov_side_name(side->side), side->p[side->side]);
    print_bearing(a->stream, side->bearing_rad);
    fprintf(a->stream, ", %d o'clock; in one word %s, P = %.4f\n", oclock(side->bearing_rad),
            pov_side_name(side->quarter), side->p_quarter[side->quarter / 2]);
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

void pov_answering_where(const pov_answering *a, const pov_request *question)
{
    const pov_layout usual = POV_LAYOUT_DEFAULT;
    const char *answer = NULL;
    char told[24] = "";
    pov_side_judgment sides[POV_ENTITY_MAX];
    pov_id viewers[POV_ENTITY_MAX];
    int len = 0;
    bool agreed = true;
    for (pov_id viewer = 0; viewer < a->scene->len; viewer++) {
        if (!has_view(a->scene, question, viewer))
            continue;
        (void)pov_layout_side(&sides[len], a->scene, viewer, question->referent, usual.abstain_margin);
        char side[sizeof told];
        describe_side(side, sizeof side, question, &sides[len]);
        agreed = agreed && (!answer || strcmp(answer, side) == 0);
        answer = strcpy(told, side);
        viewers[len++] = viewer;
    }
    answer = !agreed ? "depends" : answer ? answer : "undefined";
    cJSON *object = pov_answering_begin(a, question, answer,
                                        len == 1 && sides->verdict != POV_VERDICT_UNDEFINED &&
                                                question->way != POV_WAY_CLOCK
                                            ? sides->p[sides->side]
                                            : NAN);
    cJSON *list = object ? cJSON_AddArrayToObject(object, "sides") : NULL;
    if (!object)
        fprintf(pov_answering_asked(a, question), "%s%s\n", answer, agreed ? "" : " on who looks");
    for (int i = 0; i < len; i++) {
        if (list)
            cJSON_AddItemToArray(list, side_object(a, viewers[i], &sides[i]));
        else
            print_side(a, viewers[i], &sides[i]);
    }
    pov_answering_end(a, object);
}

/* -------- where it is relative to something -------- */

/* What holds in one frame of reference, the best example first. */
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

/* Where what is on no side of a thing may be: what stands on it has no direction from it. */
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

static void print_place_in(const pov_answering *a, const pov_query *frame, const placement *place)
{
    char text[120];
    pov_judge_describe_frame(text, sizeof text, a->scene, frame);
    fprintf(a->stream, "  %-36.36s  %s", text, place->text);
    for (int i = 0; i < place->len; i++)
        fprintf(a->stream, "%s%s P = %s%.4f (%.1f deg off)", i ? ", " : "; ",
                short_name(place->judgments[i].query.relation->projective),
                place->judgments[i].belief.verdict == POV_ABSTAIN ? "?" : "", place->judgments[i].belief.p,
                fabs(pov_degrees(place->judgments[i].theta_rad)));
    fputc('\n', a->stream);
}

static cJSON *place_in_object(const pov_answering *a, const pov_query *frame, const placement *place)
{
    cJSON *object = cJSON_CreateObject();
    pov_answering_frame(a, object, frame);
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

void pov_answering_place(pov_answering *a, const pov_request *question)
{
    pov_query frames[POV_REPLY_MAX];
    placement place;
    char first[sizeof place.text] = "";
    const char *answer = NULL;
    int len = pov_request_frames(frames, a->scene, question);
    for (int i = 0; i < len; i++) {
        judge_place(&place, a, question, &frames[i]);
        if (answer == NULL || strcmp(answer, "undefined") == 0) {
            snprintf(first, sizeof first, "%s", place.text);
            answer = first;
        } else
            answer = pov_answering_agree(answer, place.text);
        if (place.len > 0 && isnan(a->shown.theta_rad))
            a->shown = place.judgments[0];
    }
    answer = answer ? answer : "undefined";
    double p = len == 1 && place.len > 0 ? place.judgments[0].belief.p : NAN;
    cJSON *object = pov_answering_begin(a, question, answer, p),
          *list = object ? cJSON_AddArrayToObject(object, "places") : NULL;
    if (!object)
        fprintf(pov_answering_asked(a, question), "%s%s\n", answer,
                strcmp(answer, "depends") == 0 ? " on the frame of reference" : "");
    for (int i = 0; i < len; i++) {
        judge_place(&place, a, question, &frames[i]);
        if (list)
            cJSON_AddItemToArray(list, place_in_object(a, &frames[i], &place));
        else
            print_place_in(a, &frames[i], &place);
    }
    pov_answering_end(a, object);
}

/* -------- in what order -------- */

static void print_place(const pov_answering *a, const pov_place *place)
{
    fprintf(a->stream, "  %-36.36s  ", pov_answering_name(a, place->id));
    print_bearing(a->stream, place->bearing_rad);
    fprintf(a->stream, ", %.2f m%s\n", place->distance_m,
            place->is_uncertain ? "; it and the next may be the other way round" : "");
}

static cJSON *place_object(const pov_answering *a, const pov_place *place)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "id", pov_answering_name(a, place->id));
    pov_json_add_number(object, "bearing_deg", pov_degrees(place->bearing_rad));
    pov_json_add_number(object, "distance_m", place->distance_m);
    pov_json_add_number(object, "p_swapped", place->p_swapped);
    return object;
}

void pov_answering_order(const pov_answering *a, const pov_request *question)
{
    bool shown[POV_ENTITY_MAX] = {false};
    pov_layout layout = POV_LAYOUT_DEFAULT;
    pov_order order;
    layout.half_angle_rad = POV_PI;
    layout.shown = shown;
    for (pov_id id = 0; id < a->scene->len; id++) {
        pov_visibility looked;
        if (id != question->viewer && pov_moment_look(a->moment, &looked, question->viewer, id) == POV_OK)
            shown[id] = looked.sees.verdict != POV_FALSE;
    }
    pov_code code = question->by_distance
                        ? pov_layout_near_to_far(&order, a->scene, question->viewer, &layout)
                        : pov_layout_left_to_right(&order, a->scene, question->viewer, &layout);
    bool undefined = code == POV_UNDEFINED || !a->scene->entities[question->viewer].can_see;
    const char *way = question->by_distance ? "near_to_far" : "left_to_right";
    cJSON *object = pov_answering_begin(a, question, undefined ? "undefined" : way, NAN);
    cJSON *list = object ? cJSON_AddArrayToObject(object, "places") : NULL;
    if (!object && undefined)
        fprintf(pov_answering_asked(a, question), "undefined: %s needs a position, a front and sees\n",
                pov_answering_name(a, question->viewer));
    else if (!object)
        fprintf(pov_answering_asked(a, question), "%d, from %s\n", order.len,
                question->by_distance ? "near to far" : "left to right");
    for (int i = 0; i < order.len && !undefined; i++) {
        if (list)
            cJSON_AddItemToArray(list, place_object(a, &order.places[i]));
        else
            print_place(a, &order.places[i]);
    }
    pov_answering_end(a, object);
}
