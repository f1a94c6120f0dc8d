#include "firmware/judge/judge_pairs.h"
#include "config/files/nearest_name.h"

#include "config/yaml/yaml_file.h"

#include <string.h>

enum { PAIR_CAPACITY = (POV_RELATA_MAX + 1) * (POV_NAME_CAPACITY + 1) };

static pov_status find_entity(pov_id *id, const pov_scene *scene, const char *name)
{
    const char *names[POV_ENTITY_MAX];
    *id = pov_scene_find(scene, name);
    if (*id != POV_ID_NONE)
        return pov_ok();
    for (int i = 0; i < scene->len; i++)
        names[i] = scene->entities[i].name;
    const char *nearest = pov_nearest_name(name, names, scene->len);
    return pov_error("--pairs: the scene has no '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
                     nearest ? nearest : "; its ids are in the file", nearest ? "'?" : "");
}

static bool is_every(const char *name)
{
    return strcmp(name, "*") == 0;
}

static pov_status add_relatum(pov_located *located, const pov_scene *scene, const char *name)
{
    pov_id id;
    POV_TRY(find_entity(&id, scene, name));
    bool twice = id == located->referent;
    for (int i = 0; i < located->relatum_len; i++)
        twice = twice || id == located->relatum[i];
    if (twice)
        return pov_error("--pairs: '%s' cannot be located by itself; name different entities", name);
    if (located->relatum_len == POV_RELATA_MAX)
        return pov_error("--pairs: more than %d entities to locate it by", POV_RELATA_MAX);
    located->relatum[located->relatum_len++] = id;
    return pov_ok();
}

/* "car", or "car+box"; an id may have a "+" of its own. */
static pov_status read_relata(pov_located *located, const pov_scene *scene, char *relata)
{
    if (pov_scene_find(scene, relata) != POV_ID_NONE)
        return add_relatum(located, scene, relata);
    for (char *next; relata; relata = next) {
        next = strchr(relata, '+');
        if (next)
            *next++ = '\0';
        POV_TRY(add_relatum(located, scene, relata));
    }
    return pov_ok();
}

static pov_status visit_pair(const char *referent, char *relata, const pov_scene *scene,
                             pov_located_visit visit, void *context)
{
    for (pov_id a = 0; a < scene->len; a++)
        for (pov_id b = 0; b < scene->len; b++) {
            pov_located located = {.referent = a, .relatum_len = 1, .relatum = {b}};
            bool skipped = (is_every(referent) && a == scene->camera) ||
                           (is_every(relata) && b == scene->camera) || a == b ||
                           (!is_every(referent) && a != pov_scene_find(scene, referent)) ||
                           (!is_every(relata) && b != pov_scene_find(scene, relata));
            if (!skipped)
                visit(context, &located);
        }
    return pov_ok();
}

static pov_status read_pair(char *pair, const pov_scene *scene, pov_located_visit visit, void *context)
{
    char *colon = strchr(pair, ':');
    pov_located located = {.referent = POV_ID_NONE};
    if (!colon || strchr(colon + 1, ':'))
        return pov_error("--pairs: '%s' is no pair; write e.g. ball:car, for the ball as located by the car",
                         pair);
    *colon = '\0';
    if (!is_every(pair))
        POV_TRY(find_entity(&located.referent, scene, pair));
    if (!is_every(colon + 1) && is_every(pair))
        POV_TRY(find_entity(&located.relatum[0], scene, colon + 1));
    if (is_every(pair) || is_every(colon + 1))
        return visit_pair(pair, colon + 1, scene, visit, context);
    POV_TRY(read_relata(&located, scene, colon + 1));
    visit(context, &located);
    return pov_ok();
}

pov_status pov_judge_pairs_visit(const char *list, const pov_scene *scene, pov_located_visit visit,
                                 void *context)
{
    char pair[PAIR_CAPACITY];
    if (*list == '\0')
        list = "*:*";
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        if (length >= sizeof pair)
            return pov_error("--pairs: '%.40s...' is too long for a pair", list);
        memcpy(pair, list, length);
        pair[length] = '\0';
        POV_TRY(read_pair(pair, scene, visit, context));
        list += length + (list[length] == ',');
    }
    return pov_ok();
}

/* Grows the set by entities behind the last. */
static void grow_list(pov_located *located, const pov_scene *scene, int relatum_len, pov_located_visit visit,
                      void *context)
{
    if (located->relatum_len == relatum_len) {
        visit(context, located);
        return;
    }
    pov_id last = located->relatum_len ? located->relatum[located->relatum_len - 1] : -1;
    for (pov_id id = last + 1; id < scene->len; id++) {
        if (id == located->referent || id == scene->camera)
            continue;
        located->relatum[located->relatum_len++] = id;
        grow_list(located, scene, relatum_len, visit, context);
        located->relatum_len--;
    }
}

void pov_judge_sets_visit(const pov_scene *scene, int relatum_len, pov_located_visit visit, void *context)
{
    for (pov_id referent = 0; referent < scene->len; referent++) {
        pov_located located = {.referent = referent};
        if (referent != scene->camera)
            grow_list(&located, scene, relatum_len, visit, context);
    }
}
