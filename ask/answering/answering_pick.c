/* Answers that choose among several things, or count them. */
#include "ask/answering/answering_internal.h"

#include "ask/meaning/measure.h"
#include "ask/print/judge_sight.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

/* -------- which one -------- */

/* A pick must be likelier than not. */
static bool has_pick(const pov_pick *pick)
{
    return pick->len > 0 && pick->judgments[0].belief.p > 0.5;
}

static const char *describe_pick(const pov_answering *a, const pov_pick *pick)
{
    if (has_pick(pick))
        return pov_answering_name(a, pick->judgments[0].query.referent);
    return pick->candidate_len > pick->undefined_len ? "none" : "undefined";
}

/* `count`: of how many; NULL: which. */
static cJSON *pick_object(const pov_answering *a, const pov_query *query, const pov_pick *pick,
                          const char *count)
{
    cJSON *object = pov_answering_frame(a, query);
    if (count)
        pov_json_add_text(object, "count", count);
    else {
        pov_json_add_text(object, "pick", describe_pick(a, pick));
        pov_json_add_number(object, "p", has_pick(pick) ? pick->judgments[0].belief.p : NAN);
    }
    cJSON *holding = cJSON_AddArrayToObject(object, "holds_of");
    for (int i = 0; i < pick->len; i++) {
        const pov_judgment *judgment = &pick->judgments[i];
        cJSON *item = pov_answering_add(a, holding, judgment->query.referent, judgment->belief.p);
        pov_json_add_text(item, "verdict", pov_verdict_name(judgment->belief.verdict));
    }
    return object;
}

/* For each viewer: does it see the things that were picked? */
static void add_sight_of_picks(const pov_answering *a, cJSON *object, const bool picked[POV_ENTITY_MAX])
{
    cJSON *list = cJSON_AddArrayToObject(object, "visibility");
    for (pov_id target = 0; target < a->scene->len; target++)
        for (pov_id viewer = 0; viewer < a->scene->len && picked[target]; viewer++) {
            pov_visibility looked;
            if (viewer == target || !a->scene->entities[viewer].can_see)
                continue;
            (void)pov_moment_look(a->moment, &looked, viewer, target);
            cJSON_AddItemToArray(list, pov_judge_sight_object(a->scene, &looked));
        }
}

cJSON *pov_answering_which(const pov_answering *a)
{
    pov_query frames[POV_REPLY_MAX];
    pov_pick pick;
    bool picked[POV_ENTITY_MAX] = {false};
    char answer[POV_ANSWER_CAPACITY] = "";
    cJSON *list = cJSON_CreateArray();
    int len = pov_request_frames(frames, a->scene, a->question);
    for (int i = 0; i < len; i++) {
        pov_request_pick(&pick, a->moment, a->question, &frames[i]);
        pov_answering_agree(answer, describe_pick(a, &pick));
        cJSON_AddItemToArray(list, pick_object(a, &frames[i], &pick, NULL));
        if (!has_pick(&pick))
            continue;
        picked[pick.judgments[0].query.referent] = true;
        if (isnan(a->shown->theta_rad))
            *a->shown = pick.judgments[0];
    }
    cJSON *object = pov_answering_begin(a, answer, NAN);
    cJSON_AddItemToObject(object, "picks", list);
    add_sight_of_picks(a, object, picked);
    return object;
}

/* -------- how many -------- */

/* So likely, it counts: as for the most of several, and for seeing. */
static const double sure_p = 0.95;

/* "2", "1 to 2" if one is too close to say; of "is there any": yes, no, abstain. */
static void describe_count(char text[32], const pov_request *question, const pov_pick *pick)
{
    int sure = 0;
    for (int i = 0; i < pick->len; i++)
        sure += pick->judgments[i].belief.verdict == POV_TRUE || pick->judgments[i].belief.p >= sure_p;
    bool undefined = pick->candidate_len > 0 && pick->undefined_len == pick->candidate_len;
    if (undefined)
        snprintf(text, 32, "undefined");
    else if (question->way == POV_WAY_ANY)
        snprintf(text, 32, "%s", sure ? "yes" : pick->len ? "abstain" : "no");
    else if (sure < pick->len)
        snprintf(text, 32, "%d to %d", sure, pick->len);
    else
        snprintf(text, 32, "%d", sure);
}

static cJSON *count_all_of_kind(const pov_answering *a)
{
    pov_names names = {.len = 0};
    char number[32];
    for (pov_id id = 0; id < a->scene->len; id++)
        if (a->question->candidate[id] && id != a->scene->camera)
            pov_answering_list(a, &names, id);
    snprintf(number, sizeof number, "%d", names.len);
    cJSON *object = pov_answering_begin(a,
                                        a->question->way != POV_WAY_ANY ? number
                                        : names.len                     ? "yes"
                                                                        : "no",
                                        NAN);
    pov_answering_ids(a, object, "holds_of", &names);
    return object;
}

cJSON *pov_answering_count(const pov_answering *a)
{
    pov_query frames[POV_REPLY_MAX];
    pov_pick pick;
    char answer[POV_ANSWER_CAPACITY] = "", count[32];
    if (!a->question->relation)
        return count_all_of_kind(a);
    cJSON *list = cJSON_CreateArray();
    int len = pov_request_frames(frames, a->scene, a->question);
    for (int i = 0; i < len; i++) {
        pov_request_pick(&pick, a->moment, a->question, &frames[i]);
        describe_count(count, a->question, &pick);
        pov_answering_agree(answer, count);
        cJSON_AddItemToArray(list, pick_object(a, &frames[i], &pick, count));
    }
    cJSON *object = pov_answering_begin(a, answer, NAN);
    cJSON_AddItemToObject(object, "counts", list);
    return object;
}

/* -------- the most -------- */

/* The viewer that was named, or everybody whose perspective is judged. */
static int extreme_viewers(pov_id viewers[POV_ENTITY_MAX], const pov_answering *a,
                           const pov_request *question)
{
    int len = 0;
    if (!pov_measure_needs_viewer(question) || question->viewer != POV_ID_NONE) {
        viewers[0] = pov_measure_needs_viewer(question) ? question->viewer : POV_ID_NONE;
        return 1;
    }
    for (pov_id id = 0; id < a->scene->len; id++)
        if (id == a->scene->camera || a->scene->entities[id].addressee)
            viewers[len++] = id;
    return len;
}

/* "is the ball the nearest?" */
static const char *describe_named(const pov_most *most, pov_id named)
{
    double p = 0;
    for (int i = 0; i < most->len; i++)
        p += most->id[i] == named ? most->p[i] : 0;
    return most->verdict == POV_TRUE && most->id[0] == named ? "yes" : p <= 0.05 ? "no" : "abstain";
}

static const char *describe_most(const pov_answering *a, const pov_request *question, const pov_most *most)
{
    if (most->verdict == POV_VERDICT_UNDEFINED)
        return "undefined";
    if (question->referent != POV_ID_NONE)
        return describe_named(most, question->referent);
    return most->verdict == POV_TRUE ? pov_answering_name(a, most->id[0]) : "abstain";
}

static cJSON *most_object(const pov_answering *a, const pov_request *question, pov_id viewer,
                          const pov_most *most)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "viewer", viewer == POV_ID_NONE ? NULL : pov_answering_name(a, viewer));
    pov_json_add_text(object, "pick", describe_most(a, question, most));
    pov_json_add_number(object, "left_out", most->left_out);
    cJSON *list = cJSON_AddArrayToObject(object, "holds_of");
    for (int i = 0; i < most->len; i++)
        pov_answering_add(a, list, most->id[i], most->p[i]);
    return object;
}

cJSON *pov_answering_extreme(const pov_answering *a)
{
    pov_id viewers[POV_ENTITY_MAX];
    pov_most most;
    char answer[POV_ANSWER_CAPACITY] = "";
    cJSON *list = cJSON_CreateArray();
    int len = extreme_viewers(viewers, a, a->question);
    for (int i = 0; i < len; i++) {
        pov_measure_most(&most, a->scene, a->question, viewers[i]);
        pov_answering_agree(answer, describe_most(a, a->question, &most));
        cJSON_AddItemToArray(list, most_object(a, a->question, viewers[i], &most));
    }
    cJSON *object = pov_answering_begin(a, answer, len == 1 && most.len > 0 ? most.p[0] : NAN);
    cJSON_AddItemToObject(object, "picks", list);
    return object;
}
