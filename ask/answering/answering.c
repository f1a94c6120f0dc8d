#include "ask/answering/answering.h"

#include "ask/answering/answering_internal.h"
#include "ask/print/judge_print.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *pov_answering_name(const pov_answering *a, pov_id id)
{
    return a->scene->entities[id].name;
}

/* "hand me the cup": what does not ask. */
static bool is_instruction(const pov_request *question)
{
    static const char *const askers[] = {"wh", "is ", "are ", "do", "can ", "how ", "in wh", "at wh", "from"};
    bool asks = question->kind != POV_REQUEST_WHICH && question->kind != POV_REQUEST_EXTREME;
    for (size_t i = 0; i < sizeof askers / sizeof *askers; i++)
        asks = asks || strncasecmp(question->text, askers[i], strlen(askers[i])) == 0;
    return !asks;
}

FILE *pov_answering_asked(const pov_answering *a, const pov_request *question)
{
    size_t length = strlen(question->text);
    while (length > 0 && strchr("?!. ", question->text[length - 1]))
        length--;
    fprintf(a->stream, "%.*s%s ", (int)length, question->text, is_instruction(question) ? ":" : "?");
    return a->stream;
}

cJSON *pov_answering_begin(const pov_answering *a, const pov_request *question, const char *answer, double p)
{
    if (!a->json)
        return NULL;
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "question", question->text);
    pov_json_add_text(object, "kind", pov_request_kind_name(question->kind));
    pov_json_add_text(object, "answer", answer);
    pov_json_add_number(object, "p", p);
    return object;
}

void pov_answering_end(const pov_answering *a, cJSON *object)
{
    bool first = true;
    if (!object)
        return;
    pov_json_print_element(a->stream, object, &first);
    fputc('\n', a->stream);
}

const char *pov_answering_agree(const char *so_far, const char *more)
{
    if (!so_far || strcmp(so_far, "undefined") == 0)
        return more;
    return strcmp(more, "undefined") == 0 || strcmp(more, so_far) == 0 ? so_far : "depends";
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

void pov_answering_frame(const pov_answering *a, cJSON *object, const pov_query *query)
{
    pov_json_add_text(object, "perspective", pov_perspective_name(query->perspective));
    pov_json_add_text(object, "viewer",
                      query->viewer == POV_ID_NONE ? NULL : pov_answering_name(a, query->viewer));
    pov_json_add_text(object, "convention", pov_convention_name(query->convention));
    pov_json_add_text(object, "axis", pov_axis_name(query->axis));
}

static void tell_relation(pov_answering *a, const pov_request *question)
{
    pov_reply answer;
    pov_request_answer(&answer, a->moment, question);
    for (int i = 0; i < answer.len && isnan(a->shown.theta_rad); i++)
        a->shown = answer.judgments[i];
    if (a->json)
        pov_judge_print_answer_json(a->stream, a->scene, &answer);
    else {
        pov_judge_print_answer(a->stream, a->scene, &answer);
        if (question->looks && a->scene->entities[question->referent].can_see) {
            pov_visibility looked;
            (void)pov_moment_look(a->moment, &looked, question->referent, question->relatum[0]);
            pov_answering_tell_look(a, NULL, &looked);
        }
    }
}

static void tell_sight(const pov_answering *a, const pov_request *question)
{
    if (question->kind == POV_REQUEST_SEES)
        pov_answering_sees(a, question);
    else if (question->kind == POV_REQUEST_HIDES)
        pov_answering_hides(a, question);
    else if (question->kind == POV_REQUEST_SEEN)
        pov_answering_seen(a, question);
    else
        pov_answering_order(a, question);
}

static void tell(pov_answering *a, const pov_request *question)
{
    switch (question->kind) {
    case POV_REQUEST_WHERE:
        pov_answering_where(a, question);
        break;
    case POV_REQUEST_PLACE:
        pov_answering_place(a, question);
        break;
    case POV_REQUEST_WHICH:
        pov_answering_which(a, question);
        break;
    case POV_REQUEST_COUNT:
        pov_answering_count(a, question);
        break;
    case POV_REQUEST_EXTREME:
        pov_answering_extreme(a, question);
        break;
    case POV_REQUEST_DISTANCE:
        pov_answering_distance(a, question);
        break;
    case POV_REQUEST_FACING:
        pov_answering_facing(a, question);
        break;
    case POV_REQUEST_RELATION:
        tell_relation(a, question);
        break;
    default:
        tell_sight(a, question);
    }
}

/* -------- by heading -------- */

static cJSON *tell_to_memory(pov_answering *a, const pov_request *question)
{
    char *text = NULL;
    size_t size;
    pov_answering quiet = *a;
    quiet.json = true;
    quiet.stream = open_memstream(&text, &size);
    if (!quiet.stream)
        return NULL;
    tell(&quiet, question);
    fclose(quiet.stream);
    a->shown = quiet.shown;
    cJSON *object = cJSON_Parse(text);
    free(text);
    return object;
}

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

static void print_differences(const pov_answering *a, const cJSON *differences)
{
    const cJSON *difference;
    cJSON_ArrayForEach(difference, differences)
    {
        const cJSON *viewer = difference->child;
        const char *says = cJSON_GetStringValue(viewer->next);
        says = strcmp(says, "true") == 0 ? "yes" : strcmp(says, "false") == 0 ? "no" : says;
        fprintf(a->stream, "  by %s's heading, not the sight line: %s\n", cJSON_GetStringValue(viewer), says);
    }
}

static void tell_by_both_axes(pov_answering *a, const pov_request *question)
{
    pov_request other = *question;
    other.axis = POV_HEADING;
    cJSON *by_heading = tell_to_memory(a, &other), *told = tell_to_memory(a, question),
          *differences = find_differences(told, by_heading);
    if (!a->json) {
        tell(a, question);
        print_differences(a, differences);
        cJSON_Delete(told);
        cJSON_Delete(differences);
    } else {
        cJSON_AddItemToObject(told, "by_heading", differences);
        pov_answering_end(a, told);
    }
    cJSON_Delete(by_heading);
}

void pov_answering_tell(pov_answering *a, const pov_request *question)
{
    bool depends_on_axis = question->relation && question->relation->frame == POV_FRAME_AXES &&
                           !question->says_axis && question->perspective != POV_INTRINSIC;
    a->shown.theta_rad = NAN;
    if (depends_on_axis)
        tell_by_both_axes(a, question);
    else
        tell(a, question);
}
