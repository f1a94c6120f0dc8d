#include "firmware/judge/judge_answer.h"

#include "firmware/judge/judge_json.h"
#include "firmware/judge/judge_print.h"
#include "firmware/judge/judge_sight.h"
#include "perception/visibility/layout.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>
#include <strings.h>

static const pov_seeing seeing = POV_SEEING_DEFAULT;

static double degrees(double angle_rad)
{
    return angle_rad * (180 / POV_PI);
}

static const char *name_of(const pov_answering *a, pov_id id)
{
    return a->scene->entities[id].name;
}

/* "hand me the cup": a question of this kind asks "which" or "what". */
static bool is_instruction(const pov_request *question)
{
    return question->kind == POV_REQUEST_WHICH && strncasecmp(question->text, "wh", 2) != 0;
}

/* Prints "does anna see the ball? "; returns where the answer goes. */
static FILE *asked(const pov_answering *a, const pov_request *question)
{
    size_t length = strlen(question->text);
    while (length > 0 && strchr("?!. ", question->text[length - 1]))
        length--;
    fprintf(a->stream, "%.*s%s ", (int)length, question->text, is_instruction(question) ? ":" : "?");
    return a->stream;
}

/* -------- the frame of every answer -------- */

/* {"question", "kind", "answer", "p"}; NULL where text is wanted. */
static cJSON *begin(const pov_answering *a, const pov_request *question, const char *answer, double p)
{
    if (!a->json)
        return NULL;
    cJSON *object = cJSON_CreateObject();
    pov_judge_json_text(object, "question", question->text);
    pov_judge_json_text(object, "kind", pov_request_kind_name(question->kind));
    pov_judge_json_text(object, "answer", answer);
    pov_judge_json_number(object, "p", p);
    return object;
}

static void end(const pov_answering *a, cJSON *object)
{
    bool first = true;
    if (!object)
        return;
    pov_judge_json_element(a->stream, object, &first);
    fputc('\n', a->stream);
}

/* -------- who sees it -------- */

static bool looks(const pov_scene *scene, const pov_request *question, pov_id viewer)
{
    if (question->viewer != POV_ID_NONE)
        return viewer == question->viewer;
    return scene->entities[viewer].can_see && viewer != question->referent;
}

static int look(pov_visibility looked[POV_ENTITY_MAX], const pov_occlusion *occlusion, const pov_scene *scene,
                const pov_request *question)
{
    int len = 0;
    for (pov_id viewer = 0; viewer < scene->len; viewer++)
        if (looks(scene, question, viewer))
            (void)pov_visibility_evaluate(occlusion, &looked[len++], viewer, question->referent, &seeing);
    return len;
}

static const char *sum_up(const pov_visibility *looked, int len, bool negated)
{
    int count[POV_VERDICT_COUNT] = {0};
    for (int i = 0; i < len; i++)
        count[looked[i].sees.verdict]++;
    if (count[POV_TRUE] && count[POV_FALSE])
        return "depends";
    if (count[POV_ABSTAIN])
        return "abstain";
    if (count[POV_TRUE] + count[POV_FALSE] == 0)
        return "undefined";
    return (count[POV_TRUE] > 0) != negated ? "yes" : "no";
}

/* list NULL: as text. */
static void tell_look(const pov_answering *a, cJSON *list, const pov_visibility *looked)
{
    char pair[2 * POV_NAME_CAPACITY + 8];
    if (list) {
        cJSON_AddItemToArray(list, pov_judge_sight_object(a->scene, looked));
        return;
    }
    snprintf(pair, sizeof pair, "%s sees %s", name_of(a, looked->viewer), name_of(a, looked->target));
    fprintf(a->stream, "  %-36.36s  ", pair);
    pov_judge_describe_sight(a->stream, a->scene, looked);
    fputc('\n', a->stream);
}

static void tell_looks(const pov_answering *a, cJSON *object, const pov_visibility *looked, int len)
{
    cJSON *list = object ? cJSON_AddArrayToObject(object, "visibility") : NULL;
    for (int i = 0; i < len; i++)
        tell_look(a, list, &looked[i]);
}

static void tell_sees(const pov_answering *a, const pov_request *question, const pov_occlusion *occlusion)
{
    pov_visibility looked[POV_ENTITY_MAX];
    int len = look(looked, occlusion, a->scene, question);
    const char *answer = sum_up(looked, len, question->negated);
    double p = len == 1 ? looked->sees.p : NAN;
    cJSON *object = begin(a, question, answer, question->negated ? 1 - p : p);
    if (!object)
        fprintf(asked(a, question), "%s%s\n", answer,
                strcmp(answer, "depends") == 0 ? " on who looks"
                : len                          ? ""
                                               : ": nobody in the scene has sees");
    tell_looks(a, object, looked, len);
    end(a, object);
}

/* What so far was said to be the answer, and one more. */
static const char *agree(const char *so_far, const char *more)
{
    if (!so_far || strcmp(so_far, "undefined") == 0)
        return more;
    return strcmp(more, "undefined") == 0 || strcmp(more, so_far) == 0 ? so_far : "depends";
}

static void tell_hides(const pov_answering *a, const pov_request *question, const pov_occlusion *occlusion)
{
    pov_visibility looked[POV_ENTITY_MAX];
    const char *answer = NULL;
    int len = look(looked, occlusion, a->scene, question);
    for (int i = 0; i < len; i++)
        answer = agree(answer, looked[i].sees.verdict == POV_VERDICT_UNDEFINED ? "undefined"
                               : looked[i].occluder_len ? name_of(a, looked[i].occluders[0].id)
                                                        : "nothing");
    answer = answer ? answer : "undefined";
    cJSON *object = begin(a, question, answer, NAN);
    if (!object)
        fprintf(asked(a, question), "%s%s\n", answer, strcmp(answer, "depends") == 0 ? " on who looks" : "");
    tell_looks(a, object, looked, len);
    end(a, object);
}

/* -------- where it is -------- */

static cJSON *side_object(const pov_answering *a, pov_id viewer, const pov_side_judgment *side)
{
    bool undefined = side->verdict == POV_VERDICT_UNDEFINED;
    cJSON *object = cJSON_CreateObject();
    pov_judge_json_text(object, "viewer", name_of(a, viewer));
    pov_judge_json_text(object, "side", undefined ? NULL : pov_side_name(side->side));
    pov_judge_json_number(object, "p", undefined ? NAN : side->p[side->side]);
    pov_judge_json_text(object, "quarter", undefined ? NULL : pov_side_name(side->quarter));
    pov_judge_json_number(object, "p_quarter", undefined ? NAN : side->p_quarter[side->quarter / 2]);
    pov_judge_json_number(object, "bearing_deg", degrees(side->bearing_rad));
    pov_judge_json_text(object, "verdict", pov_verdict_name(side->verdict));
    return object;
}

static void print_bearing(FILE *stream, double bearing_rad)
{
    if (fabs(degrees(bearing_rad)) < 0.5)
        fputs("straight ahead", stream);
    else
        fprintf(stream, "%.0f deg to the %s", fabs(degrees(bearing_rad)), bearing_rad < 0 ? "right" : "left");
}

static void print_side(const pov_answering *a, pov_id viewer, const pov_side_judgment *side)
{
    fprintf(a->stream, "  for %-32.32s  ", name_of(a, viewer));
    if (side->verdict == POV_VERDICT_UNDEFINED) {
        fputs("undefined: no position, no heading, or both at one place\n", a->stream);
        return;
    }
    fprintf(a->stream, "%-11s P = %.4f; ", pov_side_name(side->side), side->p[side->side]);
    print_bearing(a->stream, side->bearing_rad);
    fprintf(a->stream, "; in one word %s, P = %.4f\n", pov_side_name(side->quarter),
            side->p_quarter[side->quarter / 2]);
}

/* With nobody named: for everybody who has a point of view. */
static bool has_view(const pov_scene *scene, const pov_request *question, pov_id viewer)
{
    const pov_entity *entity = &scene->entities[viewer];
    if (question->viewer != POV_ID_NONE)
        return viewer == question->viewer;
    return viewer != question->referent && (entity->can_see || entity->addressee || viewer == scene->camera);
}

static void tell_where(const pov_answering *a, const pov_request *question)
{
    const pov_layout usual = POV_LAYOUT_DEFAULT;
    const char *answer = NULL;
    pov_side_judgment sides[POV_ENTITY_MAX];
    pov_id viewers[POV_ENTITY_MAX];
    int len = 0;
    bool agreed = true;
    for (pov_id viewer = 0; viewer < a->scene->len; viewer++) {
        if (!has_view(a->scene, question, viewer))
            continue;
        (void)pov_layout_side(&sides[len], a->scene, viewer, question->referent, usual.abstain_margin);
        const char *side =
            sides[len].verdict == POV_VERDICT_UNDEFINED ? "undefined" : pov_side_name(sides[len].side);
        agreed = agreed && (!answer || strcmp(answer, side) == 0);
        answer = side;
        viewers[len++] = viewer;
    }
    answer = !agreed ? "depends" : answer ? answer : "undefined";
    cJSON *object = begin(a, question, answer,
                          len == 1 && sides->verdict != POV_VERDICT_UNDEFINED ? sides->p[sides->side] : NAN);
    cJSON *list = object ? cJSON_AddArrayToObject(object, "sides") : NULL;
    if (!object)
        fprintf(asked(a, question), "%s%s\n", answer, agreed ? "" : " on who looks");
    for (int i = 0; i < len; i++) {
        if (list)
            cJSON_AddItemToArray(list, side_object(a, viewers[i], &sides[i]));
        else
            print_side(a, viewers[i], &sides[i]);
    }
    end(a, object);
}

/* -------- in what order -------- */

static void print_place(const pov_answering *a, const pov_place *place)
{
    fprintf(a->stream, "  %-36.36s  ", name_of(a, place->id));
    print_bearing(a->stream, place->bearing_rad);
    fprintf(a->stream, ", %.2f m%s\n", place->distance_m,
            place->is_uncertain ? "; it and the next may be the other way round" : "");
}

static cJSON *place_object(const pov_answering *a, const pov_place *place)
{
    cJSON *object = cJSON_CreateObject();
    pov_judge_json_text(object, "id", name_of(a, place->id));
    pov_judge_json_number(object, "bearing_deg", degrees(place->bearing_rad));
    pov_judge_json_number(object, "distance_m", place->distance_m);
    pov_judge_json_number(object, "p_swapped", place->p_swapped);
    return object;
}

static void tell_order(const pov_answering *a, const pov_request *question, const pov_occlusion *occlusion)
{
    bool shown[POV_ENTITY_MAX] = {false};
    pov_layout layout = POV_LAYOUT_DEFAULT;
    pov_order order;
    layout.half_angle_rad = POV_PI;
    layout.shown = shown;
    for (pov_id id = 0; id < a->scene->len; id++) {
        pov_visibility looked;
        if (id != question->viewer &&
            pov_visibility_evaluate(occlusion, &looked, question->viewer, id, &seeing) == POV_OK)
            shown[id] = looked.sees.verdict != POV_FALSE;
    }
    pov_code code = question->by_distance
                        ? pov_layout_near_to_far(&order, a->scene, question->viewer, &layout)
                        : pov_layout_left_to_right(&order, a->scene, question->viewer, &layout);
    bool undefined = code == POV_UNDEFINED || !a->scene->entities[question->viewer].can_see;
    const char *way = question->by_distance ? "near_to_far" : "left_to_right";
    cJSON *object = begin(a, question, undefined ? "undefined" : way, NAN);
    cJSON *list = object ? cJSON_AddArrayToObject(object, "places") : NULL;
    if (!object && undefined)
        fprintf(asked(a, question), "undefined: %s needs a position, a front and sees\n",
                name_of(a, question->viewer));
    else if (!object)
        fprintf(asked(a, question), "%d, from %s\n", order.len,
                question->by_distance ? "near to far" : "left to right");
    for (int i = 0; i < order.len && !undefined; i++) {
        if (list)
            cJSON_AddItemToArray(list, place_object(a, &order.places[i]));
        else
            print_place(a, &order.places[i]);
    }
    end(a, object);
}

/* -------- which one -------- */

/* What is not likelier than not is not picked. */
static bool has_pick(const pov_pick *pick)
{
    return pick->len > 0 && pick->judgments[0].belief.p > 0.5;
}

static const char *describe_pick(const pov_answering *a, const pov_pick *pick)
{
    if (has_pick(pick))
        return name_of(a, pick->judgments[0].query.referent);
    return pick->candidate_len > pick->undefined_len ? "none" : "undefined";
}

/* "red_cup 1.0000; also green_cup ?0.9800": "?": too close to say. */
static void print_pick(const pov_answering *a, const pov_request *question, const pov_query *query,
                       const pov_pick *pick)
{
    char frame[120] = "every frame of reference";
    if (question->relation->frame != POV_FRAME_NONE)
        pov_judge_describe_frame(frame, sizeof frame, a->scene, query);
    fprintf(a->stream, "  %-36.36s  %s", frame, has_pick(pick) ? "" : describe_pick(a, pick));
    for (int i = 0; i < pick->len; i++) {
        const pov_judgment *judgment = &pick->judgments[i];
        const char *before = has_pick(pick) ? "; also " : "; perhaps ";
        if (i == 0 && has_pick(pick))
            before = "";
        fprintf(a->stream, "%s%s %s%.4f", i > 1 || (i == 1 && !has_pick(pick)) ? ", " : before,
                name_of(a, judgment->query.referent), judgment->belief.verdict == POV_ABSTAIN ? "?" : "",
                judgment->belief.p);
    }
    fputc('\n', a->stream);
}

static cJSON *pick_object(const pov_answering *a, const pov_query *query, const pov_pick *pick)
{
    cJSON *object = cJSON_CreateObject();
    pov_judge_json_text(object, "perspective", pov_perspective_name(query->perspective));
    pov_judge_json_text(object, "viewer", query->viewer == POV_ID_NONE ? NULL : name_of(a, query->viewer));
    pov_judge_json_text(object, "convention", pov_convention_name(query->convention));
    pov_judge_json_text(object, "axis", pov_axis_name(query->axis));
    pov_judge_json_text(object, "pick", describe_pick(a, pick));
    pov_judge_json_number(object, "p", has_pick(pick) ? pick->judgments[0].belief.p : NAN);
    cJSON *holding = cJSON_AddArrayToObject(object, "holds_of");
    for (int i = 0; i < pick->len; i++) {
        cJSON *item = cJSON_CreateObject();
        pov_judge_json_text(item, "id", name_of(a, pick->judgments[i].query.referent));
        pov_judge_json_number(item, "p", pick->judgments[i].belief.p);
        pov_judge_json_text(item, "verdict", pov_verdict_name(pick->judgments[i].belief.verdict));
        cJSON_AddItemToArray(holding, item);
    }
    return object;
}

/* Who of all viewers sees what was picked. */
static void tell_sight_of_picks(const pov_answering *a, cJSON *object, const bool picked[POV_ENTITY_MAX],
                                const pov_occlusion *occlusion)
{
    cJSON *list = object ? cJSON_AddArrayToObject(object, "visibility") : NULL;
    for (pov_id target = 0; target < a->scene->len; target++)
        for (pov_id viewer = 0; viewer < a->scene->len && picked[target]; viewer++) {
            pov_visibility looked;
            if (viewer == target || !a->scene->entities[viewer].can_see)
                continue;
            (void)pov_visibility_evaluate(occlusion, &looked, viewer, target, &seeing);
            tell_look(a, list, &looked);
        }
}

static void tell_which(pov_answering *a, const pov_request *question, const pov_occlusion *occlusion)
{
    pov_query frames[POV_REPLY_MAX];
    pov_pick pick;
    bool picked[POV_ENTITY_MAX] = {false}, several = false;
    const char *answer = NULL;
    int len = pov_request_frames(frames, a->scene, question);
    for (int i = 0; i < len; i++) {
        pov_request_pick(&pick, a->scene, question, &frames[i], a->judging);
        answer = agree(answer, describe_pick(a, &pick));
        if (!has_pick(&pick))
            continue;
        several = several || (pick.len > 1 && pick.judgments[1].belief.verdict == POV_TRUE);
        picked[pick.judgments[0].query.referent] = true;
        a->shown = isnan(a->shown.theta_rad) ? pick.judgments[0] : a->shown;
    }
    answer = answer ? answer : "undefined";
    cJSON *object = begin(a, question, answer, NAN),
          *list = object ? cJSON_AddArrayToObject(object, "picks") : NULL;
    if (!object)
        fprintf(asked(a, question), "%s%s\n", answer,
                strcmp(answer, "depends") == 0 ? " on the frame of reference"
                : several                      ? ", the best of several"
                                               : "");
    for (int i = 0; i < len; i++) {
        pov_request_pick(&pick, a->scene, question, &frames[i], a->judging);
        if (list)
            cJSON_AddItemToArray(list, pick_object(a, &frames[i], &pick));
        else
            print_pick(a, question, &frames[i], &pick);
    }
    tell_sight_of_picks(a, object, picked, occlusion);
    end(a, object);
}

/* -------- all -------- */

static void tell_relation(pov_answering *a, const pov_request *question)
{
    pov_reply answer;
    pov_request_answer(&answer, a->scene, question, a->judging);
    for (int i = 0; i < answer.len && isnan(a->shown.theta_rad); i++)
        a->shown = answer.judgments[i];
    if (a->json)
        pov_judge_print_answer_json(a->stream, a->scene, &answer);
    else
        pov_judge_print_answer(a->stream, a->scene, &answer);
}

pov_status pov_answering_tell(pov_answering *a, const pov_request *question)
{
    pov_occlusion *occlusion;
    a->shown.theta_rad = NAN;
    POV_TRY(pov_occlusion_new(&occlusion));
    pov_status status = pov_occlusion_update(occlusion, a->scene);
    if (status.code == POV_OK) {
        switch (question->kind) {
        case POV_REQUEST_SEES:
            tell_sees(a, question, occlusion);
            break;
        case POV_REQUEST_HIDES:
            tell_hides(a, question, occlusion);
            break;
        case POV_REQUEST_WHERE:
            tell_where(a, question);
            break;
        case POV_REQUEST_ORDER:
            tell_order(a, question, occlusion);
            break;
        case POV_REQUEST_WHICH:
            tell_which(a, question, occlusion);
            break;
        default:
            tell_relation(a, question);
        }
    }
    pov_occlusion_destroy(&occlusion);
    return status;
}
