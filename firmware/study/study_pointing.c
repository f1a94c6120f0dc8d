#include "firmware/study/study_pointing.h"

#include "ask/meaning/lexicon.h"
#include "ask/meaning/request.h"
#include "config/files/json_value.h"
#include "perception/relations/relation.h"

#include <cjson/cJSON.h>

/* P of "pointing at" from which a thing may be meant, as `pov ask` has it for "that one". */
static const double may_be_meant_p = 0.5;

/* POV_ID_NONE: nobody's hand points, or several people's. */
static pov_id find_pointer(const pov_scene *scene)
{
    pov_id only = POV_ID_NONE;
    int len = 0;
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        if (entity->pointing.len > 0 && entity->addressee)
            return id;
        if (entity->pointing.len > 0) {
            only = id;
            len++;
        }
    }
    return len == 1 ? only : POV_ID_NONE;
}

static double pointed_p(const pov_scene *scene, pov_id who, pov_id id)
{
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    const pov_query query = pov_query_of_pair(pov_request_facing(POV_AIM_HAND), who, id);
    pov_judgment judgment;
    return pov_relation_evaluate(&judgment, scene, &query, &judging) == POV_OK ? judgment.belief.p : 0;
}

static bool may_be_pointed_at(const pov_scene *scene, pov_id who, pov_id id)
{
    const pov_entity *entity = &scene->entities[id];
    return id != who && id != scene->camera && entity->placed && !pov_is_surface(entity);
}

static char *write_reading(const pov_scene *scene, pov_id who, const double p[POV_ENTITY_MAX])
{
    cJSON *object = cJSON_CreateObject(), *list;
    pov_json_add_text(object, "points", scene->entities[who].name);
    list = cJSON_AddArrayToObject(object, "pointed_at");
    for (pov_id id = 0; id < scene->len; id++) {
        if (!may_be_pointed_at(scene, who, id))
            continue;
        cJSON *item = cJSON_CreateObject();
        pov_json_add_text(item, "id", scene->entities[id].name);
        cJSON_AddItemToObject(item, "p", pov_json_rounded(p[id], 4));
        cJSON_AddItemToArray(list, item);
    }
    char *text = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    return text;
}

pov_status pov_study_pointed(const char **pick, char **reading, const pov_scene *scene)
{
    double p[POV_ENTITY_MAX] = {0};
    pov_id fits[2] = {POV_ID_NONE, POV_ID_NONE}, nearest = POV_ID_NONE;
    const pov_id who = find_pointer(scene);
    int len = 0;
    *reading = NULL;
    *pick = NULL;
    if (who == POV_ID_NONE)
        return pov_status_with(POV_UNDEFINED,
                               "pick pointed: no arm of the addressee is seen to point; pick an id");
    for (pov_id id = 0; id < scene->len; id++) {
        if (!may_be_pointed_at(scene, who, id))
            continue;
        p[id] = pointed_p(scene, who, id);
        if (nearest == POV_ID_NONE || p[id] > p[nearest])
            nearest = id;
        if (p[id] > may_be_meant_p && len++ < 2)
            fits[len - 1] = id;
    }
    if (nearest == POV_ID_NONE)
        return pov_status_with(POV_UNDEFINED, "pick pointed: nothing is there to point at; pick an id");
    if (len > 1)
        return pov_status_with(POV_UNDEFINED,
                               "pick pointed: %s may point at '%s' (P = %.2f) or '%s' (%.2f); pick an id",
                               scene->entities[who].name, scene->entities[fits[0]].name, p[fits[0]],
                               scene->entities[fits[1]].name, p[fits[1]]);
    if (len == 0)
        return pov_status_with(POV_UNDEFINED,
                               "pick pointed: %s points at nothing surely, at '%s' with P = %.2f; pick an id",
                               scene->entities[who].name, scene->entities[nearest].name, p[nearest]);
    *pick = scene->entities[fits[0]].name;
    *reading = write_reading(scene, who, p);
    return *reading ? pov_ok() : pov_error("out of memory");
}
