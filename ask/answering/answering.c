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

/* -------- as text -------- */

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
}

static void print_value(FILE *stream, const cJSON *value)
{
    const cJSON *item;
    int len = 0;
    if (cJSON_IsString(value))
        fputs(value->valuestring, stream);
    else if (cJSON_IsNumber(value))
        fprintf(stream, "%.4g", value->valuedouble);
    cJSON_ArrayForEach(item, value)
    {
        const cJSON *p = cJSON_GetObjectItem(item, "p"), *share = cJSON_GetObjectItem(item, "share");
        fputs(len++ ? ", " : "", stream);
        print_value(stream, cJSON_IsObject(item) ? item->child : item);
        if (cJSON_IsNumber(p ? p : share))
            fprintf(stream, " %.4f", (p ? p : share)->valuedouble);
    }
}

/* "camera, reflected": of whom or what a line tells. */
static void print_head(FILE *stream, const cJSON *item)
{
    static const char *const keys[] = {"viewer", "target", "referent", "id", NULL};
    char head[120] = "";
    size_t length = 0;
    const bool frame = text_of(item, "perspective");
    for (int i = 0; keys[i] && length < sizeof head; i++)
        if (text_of(item, keys[i]) && !(frame && strcmp(keys[i], "referent") == 0))
            length += (size_t)snprintf(head + length, sizeof head - length, "%s%s",
                                       length == 0                      ? ""
                                       : strcmp(keys[i], "target") == 0 ? " sees "
                                                                        : ", ",
                                       text_of(item, keys[i]));
    if (frame && length < sizeof head)
        snprintf(head + length, sizeof head - length, "%s%s", length ? ", " : "",
                 text_of(item, "convention")                              ? text_of(item, "convention")
                 : strcmp(text_of(item, "perspective"), "intrinsic") == 0 ? "by its own front"
                                                                          : "everybody");
    fprintf(stream, "  %-36.60s ", *head ? head : "everybody");
}

static void print_item(FILE *stream, const cJSON *item)
{
    static const char *const in_head[] = {"viewer",         "target",     "referent",    "id",
                                          "perspective",    "convention", "axis",        "relatum",
                                          "relation",       "acceptance", "containment", "p_internal",
                                          "flip_angle_deg", "p_std",      NULL};
    const cJSON *member;
    if (!cJSON_IsObject(item)) {
        fputs("  ", stream);
        print_value(stream, item);
        fputc('\n', stream);
        return;
    }
    print_head(stream, item);
    cJSON_ArrayForEach(member, item)
    {
        bool told = cJSON_IsNull(member) || (cJSON_IsArray(member) && !member->child);
        for (int i = 0; in_head[i]; i++)
            told = told || strcmp(member->string, in_head[i]) == 0;
        if (told)
            continue;
        fprintf(stream, " %s ", member->string);
        print_value(stream, member);
        fputc(member->next ? ';' : ' ', stream);
    }
    fputc('\n', stream);
}

/* "hand me the cup": what does not ask. */
static bool is_instruction(const char *text, const char *kind)
{
    static const char *const askers[] = {"wh", "is ", "are ", "do", "can ", "how ", "in wh", "at wh", "from"};
    bool asks = strcmp(kind, "which") != 0 && strcmp(kind, "extreme") != 0;
    for (size_t i = 0; i < sizeof askers / sizeof *askers; i++)
        asks = asks || strncasecmp(text, askers[i], strlen(askers[i])) == 0;
    return !asks;
}

/* "is the ball left of the car? yes, P = 0.9987" */
static void print_first_line(FILE *stream, const cJSON *answer)
{
    const char *question = text_of(answer, "question"), *says = text_of(answer, "answer"), *key;
    const cJSON *p = cJSON_GetObjectItem(answer, "p"),
                *first = cJSON_GetArrayItem(frames_of(answer, &key), 0);
    size_t length = strlen(question);
    while (length > 0 && strchr("?!. ", question[length - 1]))
        length--;
    fprintf(stream, "%.*s%s %s", (int)length, question,
            is_instruction(question, text_of(answer, "kind")) ? ":" : "?", says);
    if (strcmp(says, "depends") == 0)
        fputs(text_of(first, "perspective") ? " on the frame of reference" : " on who looks", stream);
    if (cJSON_IsNumber(p))
        fprintf(stream, ", P = %.4f", p->valuedouble);
    fputc('\n', stream);
}

void pov_answer_print(FILE *stream, const cJSON *answer)
{
    const cJSON *member, *item;
    const char *relation =
        text_of(cJSON_GetArrayItem(cJSON_GetObjectItem(answer, "judgments"), 0), "relation");
    print_first_line(stream, answer);
    cJSON_ArrayForEach(member, answer)
    {
        if (cJSON_IsNumber(member) && strcmp(member->string, "p") != 0)
            fprintf(stream, " %s %.4g\n", member->string, member->valuedouble);
        if (!cJSON_IsArray(member) || !member->child)
            continue;
        fprintf(stream, " %s:\n", member->string);
        cJSON_ArrayForEach(item, member) print_item(stream, item);
    }
    if (relation)
        fprintf(stream, " %s: %s\n", relation, pov_relation_lookup(relation)->definition);
}
