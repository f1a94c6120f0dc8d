/* Judgments and answers as JSON, with the names of docs/JSON.md. */
#include "ask/print/judge_json.h"

#include "ask/print/judge_print.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>

void pov_judge_json_text(cJSON *object, const char *name, const char *text)
{
    cJSON_AddItemToObject(object, name, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

void pov_judge_json_number(cJSON *object, const char *name, double value)
{
    cJSON_AddItemToObject(object, name, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

void pov_judge_json_element(FILE *stream, cJSON *object, bool *first)
{
    char *text = cJSON_PrintUnformatted(object);
    POV_REQUIRE(text);
    fprintf(stream, "%s%s", *first ? "" : ",", text);
    *first = false;
    free(text);
    cJSON_Delete(object);
}

static double degrees(double angle_rad)
{
    return angle_rad * (180 / POV_PI);
}

static cJSON *judgment_object(const pov_scene *scene, const pov_judgment *judgment)
{
    const pov_query *query = &judgment->query;
    cJSON *object = cJSON_CreateObject();
    pov_judge_json_text(object, "referent", scene->entities[query->referent].name);
    pov_judge_json_text(object, "relatum", scene->entities[query->relatum[0]].name);
    pov_judge_json_text(object, "relation", query->relation->name);
    pov_judge_json_text(object, "perspective", pov_perspective_name(query->perspective));
    pov_judge_json_text(object, "viewer",
                        query->viewer == POV_ID_NONE ? NULL : scene->entities[query->viewer].name);
    pov_judge_json_text(object, "convention", pov_convention_name(query->convention));
    pov_judge_json_text(object, "axis", pov_axis_name(query->axis));
    pov_judge_json_text(object, "acceptance", pov_acceptance_name(query->acceptance));
    pov_judge_json_number(object, "theta_deg", degrees(judgment->theta_rad));
    pov_judge_json_number(object, "theta_std_deg", degrees(judgment->theta_std_rad));
    pov_judge_json_number(object, "flip_angle_deg", degrees(pov_judgment_flip_angle_rad(judgment)));
    pov_judge_json_number(object, "flip_distance_m", judgment->flip_distance_m);
    pov_judge_json_text(object, "containment", pov_containment_name(judgment->containment));
    pov_judge_json_number(object, "p_internal", judgment->p_internal);
    pov_judge_json_number(object, "p", judgment->belief.p);
    pov_judge_json_number(object, "p_std", judgment->belief.p_std);
    pov_judge_json_text(object, "verdict", pov_verdict_name(judgment->belief.verdict));
    return object;
}

void pov_judge_print_json(FILE *stream, const pov_scene *scene, const pov_judgment *judgments, int len,
                          bool first)
{
    for (int i = 0; i < len; i++)
        pov_judge_json_element(stream, judgment_object(scene, &judgments[i]), &first);
}

void pov_judge_print_template_json(FILE *stream, const char *path, const pov_template *regions)
{
    bool first = true;
    cJSON *object = cJSON_CreateObject();
    pov_judge_json_text(object, "file", path);
    pov_judge_json_number(object, "good_edge_deg", degrees(regions->good_edge_rad));
    pov_judge_json_number(object, "good_fall_deg", degrees(regions->good_fall_rad));
    pov_judge_json_number(object, "acceptable_edge_deg", degrees(regions->acceptable_edge_rad));
    pov_judge_json_number(object, "acceptable_fall_deg", degrees(regions->acceptable_fall_rad));
    pov_judge_json_number(object, "acceptable_level", regions->acceptable_level);
    pov_judge_json_number(object, "reach_m", regions->reach_m);
    fputs("\"template\":", stream);
    pov_judge_json_element(stream, object, &first);
    fputc(',', stream);
}

void pov_judge_print_answer_json(FILE *stream, const pov_scene *scene, const pov_reply *answer)
{
    bool first = true;
    cJSON *object = cJSON_CreateObject(), *list = cJSON_CreateArray();
    pov_judge_json_text(object, "question", answer->question.text);
    pov_judge_json_text(object, "kind", pov_request_kind_name(answer->question.kind));
    pov_judge_json_text(object, "answer", pov_reply_name(answer->kind));
    pov_judge_json_number(object, "p", answer->len == 1 ? answer->judgments->belief.p : NAN);
    for (int i = 0; i < answer->len; i++) {
        char reason[POV_MESSAGE_CAPACITY];
        cJSON *item = judgment_object(scene, &answer->judgments[i]);
        pov_reply_explain(reason, sizeof reason, scene, answer, i);
        cJSON_ReplaceItemInObject(item, "relation", cJSON_CreateString(answer->question.relation->name));
        pov_judge_json_text(item, "undefined_because", reason[0] ? reason : NULL);
        cJSON_AddItemToArray(list, item);
    }
    cJSON_AddItemToObject(object, "judgments", list);
    pov_judge_json_element(stream, object, &first);
    fputc('\n', stream);
}
