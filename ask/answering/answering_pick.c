/* Which of several. */
#include "ask/answering/answering_internal.h"

#include "ask/meaning/measure.h"
#include "ask/print/judge_print.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

/* -------- which one -------- */

/* What is not likelier than not is not picked. */
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
                pov_answering_name(a, judgment->query.referent),
                judgment->belief.verdict == POV_ABSTAIN ? "?" : "", judgment->belief.p);
    }
    fputc('\n', a->stream);
}

static void print_holding(const pov_answering *a, const pov_pick *pick)
{
    for (int i = 0; i < pick->len; i++)
        fprintf(a->stream, "%s%s %s%.4f", i ? ", " : ": ",
                pov_answering_name(a, pick->judgments[i].query.referent),
                pick->judgments[i].belief.verdict == POV_ABSTAIN ? "?" : "", pick->judgments[i].belief.p);
}

static void print_count(const pov_answering *a, const pov_request *question, const pov_query *query,
                        const pov_pick *pick, const char *count)
{
    char frame[120] = "every frame of reference";
    if (question->relation->frame != POV_FRAME_NONE)
        pov_judge_describe_frame(frame, sizeof frame, a->scene, query);
    fprintf(a->stream, "  %-36.36s  %s", frame, count);
    print_holding(a, pick);
    fputc('\n', a->stream);
}

static cJSON *pick_object(const pov_answering *a, const pov_query *query, const pov_pick *pick)
{
    cJSON *object = cJSON_CreateObject();
    pov_answering_frame(a, object, query);
    pov_json_add_text(object, "pick", describe_pick(a, pick));
    pov_json_add_number(object, "p", has_pick(pick) ? pick->judgments[0].belief.p : NAN);
    cJSON *holding = cJSON_AddArrayToObject(object, "holds_of");
    for (int i = 0; i < pick->len; i++) {
        cJSON *item = cJSON_CreateObject();
        pov_json_add_text(item, "id", pov_answering_name(a, pick->judgments[i].query.referent));
        pov_json_add_number(item, "p", pick->judgments[i].belief.p);
        pov_json_add_text(item, "verdict", pov_verdict_name(pick->judgments[i].belief.verdict));
        cJSON_AddItemToArray(holding, item);
    }
    return object;
}

/* Who of all viewers sees what was picked. */
static void tell_sight_of_picks(const pov_answering *a, cJSON *object, const bool picked[POV_ENTITY_MAX])
{
    cJSON *list = object ? cJSON_AddArrayToObject(object, "visibility") : NULL;
    for (pov_id target = 0; target < a->scene->len; target++)
        for (pov_id viewer = 0; viewer < a->scene->len && picked[target]; viewer++) {
            pov_visibility looked;
            if (viewer == target || !a->scene->entities[viewer].can_see)
                continue;
            (void)pov_moment_look(a->moment, &looked, viewer, target);
            pov_answering_tell_look(a, list, &looked);
        }
}

void pov_answering_which(pov_answering *a, const pov_request *question)
{
    pov_query frames[POV_REPLY_MAX];
    pov_pick pick;
    bool picked[POV_ENTITY_MAX] = {false}, several = false;
    const char *answer = NULL;
    int len = pov_request_frames(frames, a->scene, question);
    for (int i = 0; i < len; i++) {
        pov_request_pick(&pick, a->moment, question, &frames[i]);
        answer = pov_answering_agree(answer, describe_pick(a, &pick));
        if (!has_pick(&pick))
            continue;
        several = several || (pick.len > 1 && pick.judgments[1].belief.verdict == POV_TRUE);
        picked[pick.judgments[0].query.referent] = true;
        a->shown = isnan(a->shown.theta_rad) ? pick.judgments[0] : a->shown;
    }
    answer = answer ? answer : "undefined";
    cJSON *object = pov_answering_begin(a, question, answer, NAN),
          *list = object ? cJSON_AddArrayToObject(object, "picks") : NULL;
    if (!object)
        fprintf(pov_answering_asked(a, question), "%s%s\n", answer,
                strcmp(answer, "depends") == 0 ? " on the frame of reference"
                : several                      ? ", the best of several"
                                               : "");
    for (int i = 0; i < len; i++) {
        pov_request_pick(&pick, a->moment, question, &frames[i]);
        if (list)
            cJSON_AddItemToArray(list, pick_object(a, &frames[i], &pick));
        else
            print_pick(a, question, &frames[i], &pick);
    }
    tell_sight_of_picks(a, object, picked);
    pov_answering_end(a, object);
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

static void tell_all_of_kind(const pov_answering *a, const pov_request *question)
{
    pov_names names = {.len = 0};
    char number[32];
    for (pov_id id = 0; id < a->scene->len; id++)
        if (question->candidate[id] && id != a->scene->camera)
            pov_answering_list(a, &names, id);
    snprintf(number, sizeof number, "%d", names.len);
    const char *answer = question->way != POV_WAY_ANY ? number : names.len ? "yes" : "no";
    cJSON *object = pov_answering_begin(a, question, answer, NAN);
    if (object)
        pov_answering_ids(a, object, "holds_of", &names);
    else
        fprintf(pov_answering_asked(a, question), "%s%s%s\n", answer, names.len ? ": " : "", names.text);
    pov_answering_end(a, object);
}

void pov_answering_count(pov_answering *a, const pov_request *question)
{
    pov_query frames[POV_REPLY_MAX];
    pov_pick pick;
    char first[32] = "", text[32];
    const char *answer = NULL;
    if (!question->relation) {
        tell_all_of_kind(a, question);
        return;
    }
    int len = pov_request_frames(frames, a->scene, question);
    for (int i = 0; i < len; i++) {
        pov_request_pick(&pick, a->moment, question, &frames[i]);
        describe_count(text, question, &pick);
        if (!answer || strcmp(answer, "undefined") == 0)
            answer = strcpy(first, text);
        else
            answer = pov_answering_agree(answer, text);
    }
    answer = answer ? answer : "undefined";
    cJSON *object = pov_answering_begin(a, question, answer, NAN),
          *list = object ? cJSON_AddArrayToObject(object, "counts") : NULL;
    if (!object)
        fprintf(pov_answering_asked(a, question), "%s%s\n", answer,
                strcmp(answer, "depends") == 0 ? " on the frame of reference" : "");
    for (int i = 0; i < len; i++) {
        pov_request_pick(&pick, a->moment, question, &frames[i]);
        describe_count(text, question, &pick);
        if (!list) {
            print_count(a, question, &frames[i], &pick, text);
            continue;
        }
        cJSON *item = pick_object(a, &frames[i], &pick);
        cJSON_DeleteItemFromObject(item, "pick");
        cJSON_DeleteItemFromObject(item, "p");
        pov_json_add_text(item, "count", text);
        cJSON_AddItemToArray(list, item);
    }
    pov_answering_end(a, object);
}

/* -------- the most -------- */

/* Those whose answer is asked: the one named, or everybody whose perspective is judged. */
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

static void print_most(const pov_answering *a, pov_id viewer, const pov_most *most)
{
    fprintf(a->stream, "  %s%-*.32s  ", viewer == POV_ID_NONE ? "" : "for ", viewer == POV_ID_NONE ? 36 : 32,
            viewer == POV_ID_NONE ? "everybody" : pov_answering_name(a, viewer));
    if (most->len == 0)
        fputs(most->verdict == POV_VERDICT_UNDEFINED ? "undefined: none can be told"
                                                     : "abstain: they are equal",
              a->stream);
    for (int i = 0; i < most->len; i++)
        fprintf(a->stream, "%s%s P = %.4f", i ? ", " : "", pov_answering_name(a, most->id[i]), most->p[i]);
    if (most->left_out > 0)
        fprintf(a->stream, "; left out: %d without a size or position, or not ahead", most->left_out);
    fputc('\n', a->stream);
}

static cJSON *most_object(const pov_answering *a, const pov_request *question, pov_id viewer,
                          const pov_most *most)
{
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "viewer", viewer == POV_ID_NONE ? NULL : pov_answering_name(a, viewer));
    pov_json_add_text(object, "pick", describe_most(a, question, most));
    pov_json_add_number(object, "left_out", most->left_out);
    cJSON *list = cJSON_AddArrayToObject(object, "holds_of");
    for (int i = 0; i < most->len; i++) {
        cJSON *item = cJSON_CreateObject();
        pov_json_add_text(item, "id", pov_answering_name(a, most->id[i]));
        pov_json_add_number(item, "p", most->p[i]);
        cJSON_AddItemToArray(list, item);
    }
    return object;
}

void pov_answering_extreme(const pov_answering *a, const pov_request *question)
{
    pov_id viewers[POV_ENTITY_MAX];
    pov_most most;
    const char *answer = NULL;
    int len = extreme_viewers(viewers, a, question);
    for (int i = 0; i < len; i++) {
        pov_measure_most(&most, a->scene, question, viewers[i]);
        answer = pov_answering_agree(answer, describe_most(a, question, &most));
    }
    answer = answer ? answer : "undefined";
    double p = len == 1 && most.len > 0 ? most.p[0] : NAN;
    cJSON *object = pov_answering_begin(a, question, answer, p),
          *list = object ? cJSON_AddArrayToObject(object, "picks") : NULL;
    if (!object)
        fprintf(pov_answering_asked(a, question), "%s%s\n", answer,
                strcmp(answer, "depends") == 0 ? " on who looks" : "");
    for (int i = 0; i < len; i++) {
        pov_measure_most(&most, a->scene, question, viewers[i]);
        if (list)
            cJSON_AddItemToArray(list, most_object(a, question, viewers[i], &most));
        else
            print_most(a, viewers[i], &most);
    }
    pov_answering_end(a, object);
}
