#include "ask/print/judge_sight.h"

#include "config/files/json_value.h"

#include <cJSON.h>

/* The causes that the scene's author can mend are said at more length than their names. */
static const char *cause_words(pov_cause cause)
{
    switch (cause) {
    case POV_CAUSE_NOT_A_VIEWER:
        return "nothing says what the viewer sees: give it sees";
    case POV_CAUSE_NO_BODY:
        return "the target has no size_m";
    case POV_CAUSE_NOT_PLACED:
        return "one of them has no position_m";
    case POV_CAUSE_UNKNOWN_GAZE:
        return "the viewer has no front_deg, or hardly one";
    case POV_CAUSE_OUT_OF_VIEW:
        return "out of view";
    case POV_CAUSE_BEHIND:
        return "behind the viewer";
    default:
        return pov_cause_name(cause);
    }
}

void pov_judge_describe_sight(FILE *stream, const pov_scene *scene, const pov_visibility *visibility)
{
    static const char *const words[] = {"no", "yes", "?", "undefined"};
    fprintf(stream, "%-3s", words[visibility->sees.verdict]);
    if (visibility->sees.verdict != POV_VERDICT_UNDEFINED)
        fprintf(stream, " %.3f    %3.0f %% of it", visibility->sees.p, 100 * visibility->fraction_visible);
    if (visibility->cause != POV_CAUSE_NONE)
        fprintf(stream, "; %s", cause_words(visibility->cause));
    if (visibility->occluder_len > 0)
        fprintf(stream, "; %.20s hides %.0f %%", scene->entities[visibility->occluders[0].id].name,
                100 * visibility->occluders[0].share);
}

cJSON *pov_judge_sight_object(const pov_scene *scene, const pov_visibility *visibility)
{
    const pov_entity *e = scene->entities;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "viewer", e[visibility->viewer].name);
    cJSON_AddStringToObject(object, "target", e[visibility->target].name);
    pov_json_add_number(object, "p", visibility->sees.p);
    cJSON_AddStringToObject(object, "verdict", pov_verdict_name(visibility->sees.verdict));
    pov_json_add_number(object, "fraction_visible", visibility->fraction_visible);
    cJSON_AddStringToObject(object, "cause", pov_cause_name(visibility->cause));
    cJSON *occluders = cJSON_AddArrayToObject(object, "occluders");
    for (int i = 0; i < visibility->occluder_len; i++) {
        cJSON *occluder = cJSON_CreateObject();
        cJSON_AddStringToObject(occluder, "id", e[visibility->occluders[i].id].name);
        pov_json_add_number(occluder, "share", visibility->occluders[i].share);
        cJSON_AddItemToArray(occluders, occluder);
    }
    return object;
}

/* -------- all of a scene -------- */

typedef void (*print_sight)(FILE *stream, const pov_scene *scene, const pov_visibility *visibility,
                            bool *first);

static void print_sight_text(FILE *stream, const pov_scene *scene, const pov_visibility *visibility,
                             bool *first)
{
    const pov_entity *e = scene->entities;
    char pair[100];
    if (*first)
        fputs("\nwho sees whom\n", stream);
    *first = false;
    snprintf(pair, sizeof pair, "%s sees %s", e[visibility->viewer].name, e[visibility->target].name);
    fprintf(stream, "  %-40.40s  ", pair);
    pov_judge_describe_sight(stream, scene, visibility);
    fputc('\n', stream);
}

static void print_sight_json(FILE *stream, const pov_scene *scene, const pov_visibility *visibility,
                             bool *first)
{
    pov_json_print_element(stream, pov_judge_sight_object(scene, visibility), first);
}

static pov_status print_sights(FILE *stream, const pov_scene *scene, print_sight print)
{
    static const pov_seeing seeing = POV_SEEING_DEFAULT;
    pov_occlusion *occlusion;
    bool first = true;
    POV_TRY(pov_occlusion_new(&occlusion));
    pov_status status = pov_occlusion_update(occlusion, scene);
    for (pov_id viewer = 0; status.code == POV_OK && viewer < scene->len; viewer++)
        for (pov_id target = 0; target < scene->len; target++) {
            pov_visibility visibility;
            if (!scene->entities[viewer].can_see || viewer == target || target == scene->camera ||
                scene->entities[target].is_imagined)
                continue;
            (void)pov_visibility_evaluate(occlusion, &visibility, viewer, target, &seeing);
            print(stream, scene, &visibility, &first);
        }
    pov_occlusion_destroy(&occlusion);
    return status;
}

pov_status pov_judge_print_visibility(FILE *stream, const pov_scene *scene)
{
    return print_sights(stream, scene, print_sight_text);
}

pov_status pov_judge_print_visibility_json(FILE *stream, const pov_scene *scene)
{
    return print_sights(stream, scene, print_sight_json);
}
