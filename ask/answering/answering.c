#include "ask/answering/answering.h"

#include "ask/answering/answering_internal.h"
#include "ask/print/judge_print.h"
#include "ask/print/judge_sight.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>
#include <strings.h>

const char *pov_answering_name(const pov_answering *a, pov_id id)
{
    return a->scene->entities[id].name;
}

cJSON *pov_answering_begin(const pov_answering *a, const char *answer, double p)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "question", a->question->text);
    pov_json_add_text(object, "kind", pov_request_kind_name(a->question->kind));
    pov_json_add_text(object, "answer", *answer ? answer : "undefined");
    pov_json_add_number(object, "p", p);
    return object;
}

cJSON *pov_answering_add(const pov_answering *a, cJSON *list, pov_id id, double p)
{
    cJSON *item = cJSON_CreateObject();
    pov_json_add_text(item, "id", pov_answering_name(a, id));
    pov_json_add_number(item, "p", p);
    cJSON_AddItemToArray(list, item);
    return item;
}

void pov_answering_agree(char so_far[POV_ANSWER_CAPACITY], const char *more)
{
    if (*so_far == '\0' || strcmp(so_far, "undefined") == 0)
        snprintf(so_far, POV_ANSWER_CAPACITY, "%s", more);
    else if (strcmp(more, "undefined") != 0 && strcmp(more, so_far) != 0)
        strcpy(so_far, "depends");
}

void pov_answering_list(const pov_answering *a, pov_names *names, pov_id id)
{
    size_t length = strlen(names->text);
    snprintf(names->text + length, sizeof names->text - length, "%s%s", names->len ? ", " : "",
             pov_answering_name(a, id));
    names->id[names->len++] = id;
}

void pov_answering_ids(const pov_answering *a, cJSON *object, const char *key, const pov_names *names)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (int i = 0; i < names->len; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(pov_answering_name(a, names->id[i])));
}

void pov_answering_looks(const pov_answering *a, cJSON *object, const pov_visibility *looked, int len)
{
    cJSON *list = cJSON_AddArrayToObject(object, "visibility");
    for (int i = 0; i < len; i++)
        cJSON_AddItemToArray(list, pov_judge_sight_object(a->scene, &looked[i]));
}

cJSON *pov_answering_frame(const pov_answering *a, const pov_query *query)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "perspective", pov_perspective_name(query->perspective));
    pov_json_add_text(object, "viewer",
                      query->viewer == POV_ID_NONE ? NULL : pov_answering_name(a, query->viewer));
    pov_json_add_text(object, "convention", pov_convention_name(query->convention));
    pov_json_add_text(object, "axis", pov_axis_name(query->axis));
    return object;
}

/* -------- a relation -------- */

static cJSON *answer_relation(const pov_answering *a)
{
    pov_reply answer;
    pov_request_answer(&answer, a->moment, a->question);
    cJSON *object = pov_answering_begin(a, pov_reply_name(answer.kind),
                                        answer.len == 1 ? answer.judgments->belief.p : NAN),
          *list = cJSON_AddArrayToObject(object, "judgments");
    for (int i = 0; i < answer.len; i++) {
        char reason[POV_MESSAGE_CAPACITY];
        cJSON *item = pov_judge_object(a->scene, &answer.judgments[i], true);
        pov_reply_explain(reason, sizeof reason, a->scene, &answer, i);
        pov_json_add_text(item, "undefined_because", reason[0] ? reason : NULL);
        cJSON_AddItemToArray(list, item);
        if (isnan(a->shown->theta_rad))
            *a->shown = answer.judgments[i];
    }
    return object;
}

static cJSON *answer_once(const pov_answering *a)
{
    static cJSON *(*const makers[POV_REQUEST_KIND_COUNT])(const pov_answering *) = {
        [POV_REQUEST_RELATION] = answer_relation,        [POV_REQUEST_SEES] = pov_answering_sees,
        [POV_REQUEST_HIDES] = pov_answering_hides,       [POV_REQUEST_WHERE] = pov_answering_where,
        [POV_REQUEST_ORDER] = pov_answering_order,       [POV_REQUEST_WHICH] = pov_answering_which,
        [POV_REQUEST_COUNT] = pov_answering_count,       [POV_REQUEST_PLACE] = pov_answering_place,
        [POV_REQUEST_EXTREME] = pov_answering_extreme,   [POV_REQUEST_SEEN] = pov_answering_seen,
        [POV_REQUEST_DISTANCE] = pov_answering_distance, [POV_REQUEST_FACING] = pov_answering_facing};
    return makers[a->question->kind](a);
}

/* -------- by heading -------- */

/* The answer in each frame of reference; NULL: the question needs no frame. */
static const cJSON *frames_of(const cJSON *told, const char **says)
{
    static const struct {
        const char *list, *says;
    } kinds[] = {{"judgments", "verdict"}, {"picks", "pick"}, {"places", "place"}, {"counts", "count"}};
    const cJSON *list = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !list; i++) {
        list = cJSON_GetObjectItem(told, kinds[i].list);
        *says = kinds[i].says;
    }
    return list;
}

static bool is_sure(const char *says)
{
    return says && strcmp(says, "abstain") != 0 && strcmp(says, "undefined") != 0 && !strstr(says, " to ");
}

/* Frames in which the viewer's heading, in place of its sight line, gives another sure answer. */
static cJSON *find_differences(const cJSON *told, const cJSON *by_heading)
{
    const char *key;
    const cJSON *usual = frames_of(told, &key), *other = frames_of(by_heading, &key);
    cJSON *differences = cJSON_CreateArray();
    for (int i = 0; i < cJSON_GetArraySize(usual) && i < cJSON_GetArraySize(other); i++) {
        const cJSON *frame = cJSON_GetArrayItem(other, i);
        const char *a = cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(usual, i), key)),
                   *b = cJSON_GetStringValue(cJSON_GetObjectItem(frame, key)),
                   *viewer = cJSON_GetStringValue(cJSON_GetObjectItem(frame, "viewer"));
        if (!viewer || !is_sure(a) || !is_sure(b) || strcmp(a, b) == 0)
            continue;
        cJSON *difference = cJSON_CreateObject();
        pov_json_add_text(difference, "viewer", viewer);
        pov_json_add_text(difference, key, b);
        cJSON_AddItemToArray(differences, difference);
    }
    return differences;
}

cJSON *pov_answer_make(pov_judgment *shown, pov_moment *moment, const pov_request *question)
{
    pov_request other = *question;
    const pov_answering a = {moment, pov_moment_scene(moment), question, shown};
    bool depends_on_axis = question->relation && question->relation->frame == POV_FRAME_AXES &&
                           !question->says_axis && question->perspective != POV_INTRINSIC;
    cJSON *by_heading = NULL;
    other.axis = POV_HEADING;
    shown->theta_rad = NAN;
    if (depends_on_axis)
        by_heading = answer_once(&(pov_answering){moment, a.scene, &other, shown});
    shown->theta_rad = NAN;
    cJSON *told = answer_once(&a);
    if (by_heading)
        cJSON_AddItemToObject(told, "by_heading", find_differences(told, by_heading));
    cJSON_Delete(by_heading);
    return told;
}
