#include "firmware/judge_more.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int columns = 100;

/* -------- relations -------- */

int pov_judge_graded(pov_relation_answer graded[POV_GRADED_MAX], const pov_scene *scene, pov_id referent,
                     pov_id relatum, double abstain_margin)
{
    pov_relation_judging judging = POV_RELATION_JUDGING_DEFAULT;
    int len = 0;
    judging.abstain_margin = abstain_margin;
    for (int i = 0; i < pov_relation_registry_len() && len < POV_GRADED_MAX; i++) {
        pov_relation_question question = {.relation = pov_relation_registry_at(i),
                                          .referent = referent,
                                          .relatum_len = 1,
                                          .relatum = {relatum},
                                          .perspective = POV_ABSOLUTE,
                                          .viewer = POV_ID_NONE,
                                          .convention = POV_NO_CONVENTION,
                                          .axis = POV_HEADING};
        if (question.relation->frame == POV_FRAME_NONE && question.relation->relata_min == 1 &&
            pov_relation_judge(&graded[len], scene, &question, &judging) == POV_OK)
            len++;
    }
    return len;
}

void pov_judge_print_graded(FILE *stream, const pov_relation_answer *graded, int len)
{
    int column = 0;
    for (int i = 0; i < len; i++) {
        const pov_relation_answer *answer = &graded[i];
        char item[64];
        if (answer->belief.verdict == POV_FALSE)
            continue;
        int width = snprintf(item, sizeof item, "%s%s %.3f", answer->belief.verdict == POV_ABSTAIN ? "?" : "",
                             answer->question.relation->name, answer->belief.p);
        if (column > 0 && column + 2 + width >= columns) {
            fputs(",\n                  ", stream);
            column = 18;
        } else {
            fputs(column == 0 ? "  in every frame: " : ", ", stream);
            column += column == 0 ? 18 : 2;
        }
        fputs(item, stream);
        column += width;
    }
    if (column > 0)
        fputc('\n', stream);
}

static void add_number(cJSON *object, const char *name, double value)
{
    cJSON_AddItemToObject(object, name, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

static void print_element(FILE *stream, cJSON *object, bool *first)
{
    char *text = cJSON_PrintUnformatted(object);
    POV_REQUIRE(text);
    fprintf(stream, "%s%s", *first ? "" : ",", text);
    *first = false;
    free(text);
    cJSON_Delete(object);
}

void pov_judge_print_graded_json(FILE *stream, const pov_scene *scene, const pov_relation_answer *graded,
                                 int len, bool first)
{
    for (int i = 0; i < len; i++) {
        const pov_relation_question *question = &graded[i].question;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "referent", scene->entities[question->referent].name);
        cJSON_AddStringToObject(object, "relatum", scene->entities[question->relatum[0]].name);
        cJSON_AddStringToObject(object, "relation", question->relation->name);
        add_number(object, "p", graded[i].belief.p);
        add_number(object, "p_std", graded[i].belief.p_std);
        cJSON_AddStringToObject(object, "verdict", pov_verdict_name(graded[i].belief.verdict));
        print_element(stream, object, &first);
    }
}

/* -------- visibility -------- */

typedef struct {
    FILE *stream;
    const pov_scene *scene;
    bool first;
} sights;

typedef void (*print_sight)(sights *all, const pov_visibility *visibility);

static void print_sight_text(sights *all, const pov_visibility *visibility)
{
    static const char *const words[] = {"no", "yes", "?", "undefined"};
    const pov_entity *e = all->scene->entities;
    char pair[100];
    if (all->first)
        fputs("\nwho sees whom\n", all->stream);
    all->first = false;
    snprintf(pair, sizeof pair, "%s sees %s", e[visibility->viewer].name, e[visibility->target].name);
    fprintf(all->stream, "  %-40.40s  %-3s", pair, words[visibility->sees.verdict]);
    if (visibility->sees.verdict != POV_VERDICT_UNDEFINED)
        fprintf(all->stream, " %.3f    %3.0f %% of it", visibility->sees.p,
                100 * visibility->fraction_visible);
    if (visibility->cause != POV_CAUSE_NONE)
        fprintf(all->stream, "; %s", pov_cause_name(visibility->cause));
    if (visibility->occluder_len > 0)
        fprintf(all->stream, "; %.20s hides %.0f %%", e[visibility->occluders[0].id].name,
                100 * visibility->occluders[0].share);
    fputc('\n', all->stream);
}

static void print_sight_json(sights *all, const pov_visibility *visibility)
{
    const pov_entity *e = all->scene->entities;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "viewer", e[visibility->viewer].name);
    cJSON_AddStringToObject(object, "target", e[visibility->target].name);
    add_number(object, "p", visibility->sees.p);
    cJSON_AddStringToObject(object, "verdict", pov_verdict_name(visibility->sees.verdict));
    add_number(object, "fraction_visible", visibility->fraction_visible);
    cJSON_AddStringToObject(object, "cause", pov_cause_name(visibility->cause));
    cJSON *occluders = cJSON_AddArrayToObject(object, "occluders");
    for (int i = 0; i < visibility->occluder_len; i++) {
        cJSON *occluder = cJSON_CreateObject();
        cJSON_AddStringToObject(occluder, "id", e[visibility->occluders[i].id].name);
        add_number(occluder, "share", visibility->occluders[i].share);
        cJSON_AddItemToArray(occluders, occluder);
    }
    print_element(all->stream, object, &all->first);
}

static pov_status print_sights(FILE *stream, const pov_scene *scene, print_sight print)
{
    static const pov_seeing seeing = POV_SEEING_DEFAULT;
    sights all = {.stream = stream, .scene = scene, .first = true};
    pov_occlusion *occlusion;
    POV_TRY(pov_occlusion_new(&occlusion));
    pov_status status = pov_occlusion_update(occlusion, scene);
    for (pov_id viewer = 0; status.code == POV_OK && viewer < scene->len; viewer++)
        for (pov_id target = 0; target < scene->len; target++) {
            pov_visibility visibility;
            if (!scene->entities[viewer].can_see || viewer == target || target == scene->camera)
                continue;
            (void)pov_visibility_evaluate(occlusion, &visibility, viewer, target, &seeing);
            print(&all, &visibility);
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
