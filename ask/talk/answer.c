/* Answers of all kinds, and those about relations, which each frame of reference has its own of. */
#include "ask/talk/answer.h"

#include "ask/print/judge_print.h"
#include "ask/print/judge_sight.h"
#include "config/files/json_value.h"
#include "config/files/text.h"

#include <assert.h>
#include <cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* -------- parts of answers -------- */

const char *pov_answer_name(const pov_answer *a, pov_id id)
{
    return a->scene->entities[id].name;
}

void pov_answer_say(pov_answer *a, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(a->says, sizeof a->says, format, arguments);
    va_end(arguments);
}

void pov_answer_agree(pov_answer *a, const char *more)
{
    if (a->says[0] == '\0' || strcmp(a->says, "undefined") == 0)
        pov_answer_say(a, "%s", more);
    else if (strcmp(more, "undefined") != 0 && strcmp(more, a->says) != 0)
        pov_answer_say(a, "depends");
}

const char *pov_answer_word(pov_verdict verdict)
{
    static const char *const words[POV_VERDICT_COUNT] = {[POV_FALSE] = "no",
                                                         [POV_TRUE] = "yes",
                                                         [POV_ABSTAIN] = "abstain",
                                                         [POV_VERDICT_UNDEFINED] = "undefined"};
    return words[verdict];
}

pov_verdict pov_verdict_and(pov_verdict a, pov_verdict b)
{
    if (a == POV_FALSE || b == POV_FALSE)
        return POV_FALSE;
    if (a == POV_VERDICT_UNDEFINED || b == POV_VERDICT_UNDEFINED)
        return POV_VERDICT_UNDEFINED;
    return a == POV_TRUE ? b : a;
}

pov_verdict pov_verdict_not(pov_verdict verdict)
{
    return verdict == POV_TRUE ? POV_FALSE : verdict == POV_FALSE ? POV_TRUE : verdict;
}

const char *pov_answer_sum(const int count[POV_VERDICT_COUNT])
{
    if (count[POV_TRUE] && count[POV_FALSE])
        return "depends";
    return pov_answer_word(count[POV_ABSTAIN] ? POV_ABSTAIN
                           : count[POV_TRUE]  ? POV_TRUE
                           : count[POV_FALSE] ? POV_FALSE
                                              : POV_VERDICT_UNDEFINED);
}

void pov_answer_line(pov_answer *a, const char *head, const char *format, ...)
{
    va_list arguments;
    if (!a->lines)
        return;
    fprintf(a->lines, "  %-36.60s  ", head);
    va_start(arguments, format);
    vfprintf(a->lines, format, arguments);
    va_end(arguments);
    fputc('\n', a->lines);
}

const char *pov_answer_bearing(char text[40], double bearing_rad)
{
    const double deg = pov_degrees(bearing_rad);
    if (fabs(deg) < 0.5)
        strcpy(text, "straight ahead");
    else
        snprintf(text, 40, "%.0f deg to the %s", fabs(deg), deg < 0 ? "right" : "left");
    return text;
}

cJSON *pov_answer_add(const pov_answer *a, cJSON *list, pov_id id, double p)
{
    cJSON *item = cJSON_CreateObject();
    pov_json_add_text(item, "id", pov_answer_name(a, id));
    pov_json_add_number(item, "p", p);
    cJSON_AddItemToArray(list, item);
    return item;
}

static cJSON *frame_object(const pov_answer *a, const pov_query *frame)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "perspective",
                      frame->perspective < POV_PERSPECTIVE_COUNT ? pov_perspective_name(frame->perspective)
                                                                 : NULL);
    pov_json_add_text(object, "viewer",
                      frame->viewer == POV_ID_NONE ? NULL : pov_answer_name(a, frame->viewer));
    pov_json_add_text(object, "convention", pov_convention_name(frame->convention));
    pov_json_add_text(object, "axis", frame->axis < POV_AXIS_COUNT ? pov_axis_name(frame->axis) : NULL);
    return object;
}

void pov_answer_note_frame(pov_answer *a, const pov_query *frame, const char *key, const char *says, double p)
{
    cJSON *list = cJSON_GetObjectItem(a->json, "frames"), *object = frame_object(a, frame);
    if (!list)
        list = cJSON_AddArrayToObject(a->json, "frames");
    if (strcmp(key, "verdict") != 0)
        pov_json_add_text(object, key, says);
    pov_json_add_text(object, "verdict", says);
    pov_json_add_number(object, "p", p);
    cJSON_AddItemToArray(list, object);
}

const pov_visibility *pov_answer_look(pov_answer *a, pov_id viewer, pov_id target)
{
    const int last = (int)(sizeof a->look / sizeof *a->look) - 1;
    pov_visibility *look = &a->look[a->look_len < last ? a->look_len++ : last];
    (void)pov_moment_look(a->moment, look, viewer, target);
    return look;
}

void pov_answer_tell_looks(pov_answer *a)
{
    cJSON *list = cJSON_AddArrayToObject(a->json, "visibility");
    for (int i = 0; i < a->look_len; i++) {
        char head[2 * POV_NAME_CAPACITY + 8];
        cJSON_AddItemToArray(list, pov_judge_sight_object(a->scene, &a->look[i]));
        if (!a->lines)
            continue;
        snprintf(head, sizeof head, "%s sees %s", pov_answer_name(a, a->look[i].viewer),
                 pov_answer_name(a, a->look[i].target));
        fprintf(a->lines, "  %-36.60s  ", head);
        pov_judge_describe_sight(a->lines, a->scene, &a->look[i]);
        fputc('\n', a->lines);
    }
}

/* -------- a relation, in one frame of reference -------- */

/* NOLINTNEXTLINE(readability-non-const-parameter): of one type with the others */
static const char *judge_relation(pov_answer *a, char says[80], const pov_query *frame)
{
    (void)says;
    a->pick.len = 1;
    pov_request_judge(&a->pick.judgments[0], a->moment, a->question, frame);
    return pov_verdict_name(a->pick.judgments[0].belief.verdict);
}

/* A pick must be likelier than not. */
/* NOLINTNEXTLINE(readability-non-const-parameter): of one type with the others */
static const char *judge_which(pov_answer *a, char says[80], const pov_query *frame)
{
    (void)says;
    pov_request_pick(&a->pick, a->moment, a->question, frame);
    if (a->pick.len > 0 && a->pick.judgments[0].belief.p > 0.5)
        return pov_answer_name(a, a->pick.judgments[0].query.referent);
    return a->pick.candidate_len > a->pick.undefined_len ? "none" : "undefined";
}

/* So likely, it counts: as for the most of several, and for seeing. */
static const double sure_p = 0.95;

/* "2", "1 to 2" if one is too close to say; of "is there any": yes, no, abstain. */
static const char *judge_count(pov_answer *a, char says[80], const pov_query *frame)
{
    const pov_pick *pick = &a->pick;
    int sure = 0;
    pov_request_pick(&a->pick, a->moment, a->question, frame);
    for (int i = 0; i < pick->len; i++)
        sure += pick->judgments[i].belief.verdict == POV_TRUE || pick->judgments[i].belief.p >= sure_p;
    if (pick->candidate_len > 0 && pick->undefined_len == pick->candidate_len)
        return "undefined";
    if (a->question->way == POV_WAY_ANY)
        return sure ? "yes" : pick->len ? "abstain" : "no";
    snprintf(says, 80, sure < pick->len ? "%d to %d" : "%d", sure, pick->len);
    return says;
}

/* A thing on no side of another is in, on, under or around it: a thing that stands on another has no direction from it. */
static const char *place_without_direction(const pov_answer *a)
{
    static const struct {
        const char *relation, *text;
    } places[] = {{"in", "in it"}, {"on", "on it"}, {"supports", "under it"}, {"contains", "around it"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const pov_query query = pov_query_of_pair(pov_relation_lookup(places[i].relation),
                                                  a->question->referent, a->question->relatum[0]);
        pov_judgment judgment;
        if (pov_moment_relation(a->moment, &judgment, &query) == POV_OK &&
            judgment.belief.verdict == POV_TRUE)
            return places[i].text;
    }
    return "none";
}

/* The directions that hold, the best example first: "right and behind". */
static const char *judge_place(pov_answer *a, char says[80], const pov_query *frame)
{
    static const char *const names[] = {"left",  "right", "in front", "behind",
                                        "north", "east",  "south",    "west"};
    static_assert(sizeof names / sizeof *names == POV_RELATION_COUNT, "one name a relation");
    pov_pick *place = &a->pick;
    bool undefined = true;
    size_t length = 0;
    place->len = 0;
    for (int i = 0; i < POV_RELATION_COUNT; i++) {
        pov_query query = *frame;
        pov_judgment judgment;
        if (!a->question->directions[i])
            continue;
        query.relation = pov_relation_info_of((pov_relation)i);
        (void)pov_moment_relation(a->moment, &judgment, &query);
        undefined = undefined && judgment.belief.verdict == POV_VERDICT_UNDEFINED;
        if (judgment.belief.verdict != POV_TRUE && judgment.belief.verdict != POV_ABSTAIN)
            continue;
        int at = place->len++;
        for (; at > 0 && fabs(judgment.theta_rad) < fabs(place->judgments[at - 1].theta_rad); at--)
            place->judgments[at] = place->judgments[at - 1];
        place->judgments[at] = judgment;
    }
    if (place->len == 0)
        return undefined ? "undefined" : place_without_direction(a);
    for (int i = 0; i < place->len; i++)
        if (place->judgments[i].belief.verdict == POV_TRUE)
            length += (size_t)snprintf(says + length, 80 - length, "%s%s", length ? " and " : "",
                                       names[place->judgments[i].query.relation->projective]);
    return length > 0 ? says : "abstain";
}

/* -------- in every frame -------- */

static const struct {
    const char *list, *key, *(*judge)(pov_answer *a, char says[80], const pov_query *frame);
} kinds_by_frame[POV_REQUEST_KIND_COUNT] = {[POV_REQUEST_RELATION] = {"judgments", "verdict", judge_relation},
                                            [POV_REQUEST_WHICH] = {"picks", "pick", judge_which},
                                            [POV_REQUEST_COUNT] = {"counts", "count", judge_count},
                                            [POV_REQUEST_PLACE] = {"places", "place", judge_place}};

static void tell_relation(pov_answer *a, cJSON *list, const char *frame)
{
    const pov_judgment *j = &a->pick.judgments[0];
    char reason[POV_MESSAGE_CAPACITY], theta[120] = "";
    cJSON *item = pov_judge_object(a->scene, j, true);
    pov_judgment_explain(reason, sizeof reason, a->scene, j);
    pov_json_add_text(item, "undefined_because", *reason ? reason : NULL);
    cJSON_AddItemToArray(list, item);
    if (!isnan(j->theta_rad) && isfinite(j->flip_distance_m))
        snprintf(theta, sizeof theta, "; theta %.1f +- %.1f deg; flips in %.1f deg or %.3f m",
                 pov_degrees(j->theta_rad), pov_degrees(j->theta_std_rad),
                 fabs(pov_degrees(pov_judgment_flip_angle_rad(j))), j->flip_distance_m);
    if (*reason)
        pov_answer_line(a, frame, "undefined: %s", reason);
    else
        pov_answer_line(a, frame, "%-7s P = %.4f%s", pov_answer_word(j->belief.verdict), j->belief.p, theta);
}

static void tell_pick(pov_answer *a, cJSON *list, const char *frame, const pov_frame_answer *told)
{
    const bool place = a->question->kind == POV_REQUEST_PLACE;
    cJSON *item = frame_object(a, &told->frame);
    pov_text text = {0};
    pov_text_set(&text, "%s", told->says);
    pov_json_add_text(item, kinds_by_frame[a->question->kind].key, told->says);
    if (a->question->kind == POV_REQUEST_WHICH)
        pov_json_add_number(item, "p", told->p);
    cJSON *holds = cJSON_AddArrayToObject(item, place ? "holds" : "holds_of");
    for (int i = 0; i < a->pick.len; i++) {
        const pov_judgment *j = &a->pick.judgments[i];
        const char *name = place ? j->query.relation->phrases[0] : pov_answer_name(a, j->query.referent);
        cJSON *held = cJSON_CreateObject();
        pov_json_add_text(held, place ? "relation" : "id", place ? j->query.relation->name : name);
        pov_json_add_number(held, "p", j->belief.p);
        if (place)
            pov_json_add_number(held, "theta_deg", pov_degrees(j->theta_rad));
        pov_json_add_text(held, "verdict", pov_verdict_name(j->belief.verdict));
        cJSON_AddItemToArray(holds, held);
        pov_text_add(&text, "%s %s P = %.3f", i ? "," : ":", name, j->belief.p);
    }
    cJSON_AddItemToArray(list, item);
    pov_answer_line(a, frame, "%s", pov_text_of(&text));
    pov_text_free(&text);
}

static bool is_sure(const char *says)
{
    return strcmp(says, "abstain") != 0 && strcmp(says, "undefined") != 0 && !strstr(says, " to ");
}

/* Does the viewer's heading, in place of its sight line, give another sure answer? */
static void compare_by_heading(pov_answer *a, cJSON *differing, const pov_frame_answer *usual)
{
    const char *key = kinds_by_frame[a->question->kind].key;
    pov_query frame = usual->frame;
    char text[80];
    frame.axis = POV_HEADING;
    if (frame.viewer == POV_ID_NONE || !is_sure(usual->says))
        return;
    const char *says = kinds_by_frame[a->question->kind].judge(a, text, &frame);
    if (!is_sure(says) || strcmp(says, usual->says) == 0)
        return;
    cJSON *difference = cJSON_CreateObject();
    pov_json_add_text(difference, "viewer", pov_answer_name(a, frame.viewer));
    pov_json_add_text(difference, key, says);
    cJSON_AddItemToArray(differing, difference);
    if (a->lines)
        fprintf(a->lines, "  by %s's heading, not the sight line: %s\n", pov_answer_name(a, frame.viewer),
                strcmp(says, "true") == 0    ? "yes"
                : strcmp(says, "false") == 0 ? "no"
                                             : says);
}

static void judge_frame(pov_answer *a, cJSON *list, const pov_query *frame)
{
    const pov_request *q = a->question;
    const pov_pick *pick = &a->pick;
    pov_frame_answer *told = &a->frame[a->frame_len++];
    char text[80] = "", label[120];
    *told = (pov_frame_answer){.frame = *frame, .first.theta_rad = NAN, .p = NAN};
    snprintf(told->says, sizeof told->says, "%s", kinds_by_frame[q->kind].judge(a, text, frame));
    if (pick->len > 0 && (q->kind != POV_REQUEST_WHICH || pick->judgments[0].belief.p > 0.5)) {
        told->first = pick->judgments[0];
        told->p = told->first.belief.p;
    }
    for (int i = 0; i < pick->len && a->frame_len == 1 && q->kind != POV_REQUEST_PLACE; i++)
        if (pick->judgments[i].belief.p > 0.5)
            a->held[a->held_len++] = pick->judgments[i].query.referent;
    pov_judge_describe_frame(label, sizeof label, a->scene,
                             &(pov_query){.relation = q->relation,
                                          .relatum[0] = q->relatum[0],
                                          .perspective = frame->perspective,
                                          .viewer = frame->viewer,
                                          .convention = frame->convention,
                                          .axis = frame->axis});
    if (q->kind == POV_REQUEST_RELATION)
        tell_relation(a, list, label);
    else
        tell_pick(a, list, label, told);
    pov_answer_note_frame(a, frame, kinds_by_frame[q->kind].key, told->says,
                          q->kind == POV_REQUEST_RELATION || q->kind == POV_REQUEST_WHICH ? told->p : NAN);
    pov_answer_agree(a, told->says);
    if (isnan(a->shown.theta_rad))
        a->shown = told->first;
}

static void answer_in_frames(pov_answer *a)
{
    const pov_request *q = a->question;
    pov_query frames[POV_REPLY_MAX];
    int len = pov_request_frames(frames, a->scene, q), count[POV_VERDICT_COUNT] = {0};
    cJSON *list = cJSON_AddArrayToObject(a->json, kinds_by_frame[q->kind].list);
    for (int i = 0; i < len; i++) {
        judge_frame(a, list, &frames[i]);
        count[a->frame[i].first.belief.verdict] += q->kind == POV_REQUEST_RELATION;
    }
    if (q->kind == POV_REQUEST_RELATION)
        pov_answer_say(a, "%s", pov_answer_sum(count));
    if (len == 1 && (q->kind == POV_REQUEST_RELATION || q->kind == POV_REQUEST_PLACE))
        a->p = a->frame[0].p;
    if (q->relation->frame == POV_FRAME_AXES && !q->says_axis && q->perspective != POV_INTRINSIC) {
        cJSON *differing = cJSON_AddArrayToObject(a->json, "by_heading");
        for (int i = 0; i < len; i++)
            compare_by_heading(a, differing, &a->frame[i]);
    }
    if (q->kind == POV_REQUEST_RELATION && a->lines)
        fprintf(a->lines, "  %s: %s\n", q->relation->phrases[0], q->relation->definition);
}

/* With who sees the things that were picked. */
static void answer_which(pov_answer *a)
{
    answer_in_frames(a);
    for (pov_id target = 0; target < a->scene->len; target++) {
        bool picked = false;
        for (int i = 0; i < a->frame_len; i++)
            picked = picked || strcmp(a->frame[i].says, pov_answer_name(a, target)) == 0;
        for (pov_id viewer = 0; viewer < a->scene->len && picked; viewer++)
            if (viewer != target && a->scene->entities[viewer].can_see)
                (void)pov_answer_look(a, viewer, target);
    }
    pov_answer_tell_looks(a);
}

static void answer_count(pov_answer *a)
{
    if (a->question->relation) {
        answer_in_frames(a);
        return;
    }
    cJSON *list = cJSON_AddArrayToObject(a->json, "holds_of");
    for (pov_id id = 0; id < a->scene->len; id++)
        if (a->question->candidate[id] && id != a->scene->camera) {
            a->held[a->held_len++] = id;
            cJSON_AddItemToArray(list, cJSON_CreateString(pov_answer_name(a, id)));
        }
    if (a->question->way == POV_WAY_ANY)
        pov_answer_say(a, a->held_len ? "yes" : "no");
    else
        pov_answer_say(a, "%d", a->held_len);
}

/* -------- of any kind -------- */

void pov_answer_make(pov_answer *a, pov_moment *moment, const pov_request *question, FILE *lines)
{
    static void (*const makers[POV_REQUEST_KIND_COUNT])(pov_answer *) = {
        [POV_REQUEST_RELATION] = answer_in_frames,    [POV_REQUEST_SEES] = pov_answer_sees,
        [POV_REQUEST_HIDES] = pov_answer_hides,       [POV_REQUEST_WHERE] = pov_answer_where,
        [POV_REQUEST_ORDER] = pov_answer_order,       [POV_REQUEST_WHICH] = answer_which,
        [POV_REQUEST_COUNT] = answer_count,           [POV_REQUEST_PLACE] = answer_in_frames,
        [POV_REQUEST_EXTREME] = pov_answer_extreme,   [POV_REQUEST_SEEN] = pov_answer_seen,
        [POV_REQUEST_DISTANCE] = pov_answer_distance, [POV_REQUEST_FACING] = pov_answer_facing};
    a->moment = moment;
    a->scene = pov_moment_scene(moment);
    a->question = question;
    a->lines = lines;
    a->says[0] = '\0';
    a->p = a->shown.theta_rad = NAN;
    a->frame_len = a->side_len = a->look_len = a->held_len = 0;
    a->json = cJSON_CreateObject();
    pov_json_add_text(a->json, "kind", pov_request_kind_name(question->kind));
    makers[question->kind](a);
    if (a->says[0] == '\0')
        pov_answer_say(a, "undefined");
    pov_json_add_text(a->json, "answer", a->says);
    pov_json_add_number(a->json, "p", a->p);
}
