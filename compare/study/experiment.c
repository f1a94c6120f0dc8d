#include "compare/study/experiment.h"

#include "perception/geometry/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* A list of words as an option takes them. */
static void read_list(pov_text *list, pov_yaml_node node)
{
    const int len = pov_yaml_exists(node) ? pov_yaml_length_within(node, 64, "words") : 0;
    for (int i = 0; i < len; i++)
        pov_text_add(list, "%s%s", i > 0 ? "," : "", pov_yaml_id(pov_yaml_at(node, i)));
}

static void read_path(char path[POV_PATH_CAPACITY], pov_yaml_node node)
{
    if (pov_yaml_exists(node))
        pov_yaml_relative_path(path, POV_PATH_CAPACITY, node);
}

static int read_looks(pov_experiment_look **list, pov_yaml_node node, const char *what)
{
    const int len = pov_yaml_exists(node) ? pov_yaml_length_within(node, POV_EXPERIMENT_LOOKS_MAX, what) : 0;
    pov_experiment_look *looks = *list = pov_allocate((size_t)len + 1, sizeof *looks);
    for (int i = 0; i < len; i++) {
        pov_experiment_look *look = &looks[i];
        pov_yaml_node item = pov_yaml_at(node, i), id = pov_yaml_need(item, "id", "its short name");
        look->id = pov_yaml_id(id);
        look->about = pov_yaml_text(pov_yaml_get(item, "about"));
        look->world = pov_yaml_text(pov_yaml_get(item, "world"));
        read_path(look->station, pov_yaml_get(item, "station"));
        pov_yaml_node things = pov_yaml_get(item, "things");
        if (pov_yaml_exists(things))
            pov_wanted_scene_read_things(&look->wanted, things);
        for (int k = 0; k < i && !pov_yaml_failed(node.file); k++)
            if (strcmp(looks[k].id, look->id) == 0)
                pov_yaml_complain(id, "duplicate id '%s': ids must be unique", look->id);
    }
    return len;
}

/* The things of a variant and of a facing join those of the scene. */
static void check_things(const pov_experiment_scene *scene, pov_yaml_node node)
{
    int more[2] = {0};
    for (int i = 0; i < scene->variant_len; i++)
        more[0] = scene->variants[i].wanted.len > more[0] ? scene->variants[i].wanted.len : more[0];
    for (int i = 0; i < scene->facing_len; i++)
        more[1] = scene->facings[i].wanted.len > more[1] ? scene->facings[i].wanted.len : more[1];
    if (!pov_yaml_failed(node.file) && scene->wanted.len + more[0] + more[1] > POV_WANTED_THING_MAX)
        pov_yaml_complain(node, "the scene, a variant and a facing together name more than %d things",
                          POV_WANTED_THING_MAX);
}

/* A simulated world and a station exclude each other, in a scene and in its variants. */
static void check_scene(const pov_experiment_scene *scene, pov_yaml_node node, const char *station)
{
    if (*scene->world && *scene->station)
        pov_yaml_complain(node, "'station' and 'world' exclude each other");
    for (int i = 0; i < scene->variant_len; i++)
        if (*scene->world && *scene->variants[i].station)
            pov_yaml_complain(node, "variant %s has a station, but the scene is a simulated world",
                              scene->variants[i].id);
        else if (!*scene->world && *scene->variants[i].world)
            pov_yaml_complain(node,
                              "variant %s names a world's variant, but the scene is not a simulated world",
                              scene->variants[i].id);
    for (int i = 0; i < scene->facing_len; i++)
        if (*scene->facings[i].station)
            pov_yaml_complain(node, "facing %s: a station belongs to a variant", scene->facings[i].id);
    bool all_have = scene->variant_len > 0;
    for (int i = 0; i < scene->variant_len; i++)
        all_have &= *scene->variants[i].station != '\0';
    if (!*scene->world && !*scene->station && !*station && !all_have)
        pov_yaml_complain(node, "expected 'station', here or at the top of the file, or 'world'");
}

static void read_scenes(pov_experiment *e, pov_yaml_node node, const char *station)
{
    const int len = pov_yaml_length_within(node, POV_EXPERIMENT_SCENES_MAX, "scenes");
    for (int i = 0; i < len && !pov_yaml_failed(e->file); i++) {
        pov_experiment_scene *scene = &e->scenes[i];
        pov_yaml_node item = pov_yaml_at(node, i), id = pov_yaml_need(item, "id", "the scene's short name");
        scene->id = pov_yaml_id(id);
        scene->about = pov_yaml_text(pov_yaml_get(item, "about"));
        scene->world = pov_yaml_text(pov_yaml_get(item, "world"));
        scene->pairs = pov_yaml_text(pov_yaml_get(item, "pairs"));
        read_path(scene->station, pov_yaml_get(item, "station"));
        pov_yaml_bool(&scene->wanted.alone, pov_yaml_get(item, "alone"));
        pov_yaml_node things = pov_yaml_get(item, "things");
        if (pov_yaml_exists(things))
            pov_wanted_scene_read_things(&scene->wanted, things);
        scene->variant_len = read_looks(&scene->variants, pov_yaml_get(item, "variants"), "variants");
        scene->facing_len = read_looks(&scene->facings, pov_yaml_get(item, "facings"), "facings");
        check_scene(scene, item, station);
        check_things(scene, item);
        if (!*scene->world && !*scene->station)
            snprintf(scene->station, sizeof scene->station, "%s", station);
        for (int k = 0; k < i && !pov_yaml_failed(e->file); k++)
            if (strcmp(e->scenes[k].id, scene->id) == 0)
                pov_yaml_complain(id, "duplicate id '%s': ids must be unique", scene->id);
        e->scene_len = i + 1;
    }
}

/* Answers of two models of one name could not be told apart. */
static bool is_same_model(const pov_experiment_model *a, const pov_experiment_model *b)
{
    const char *names[] = {*a->model ? a->model : a->simulated, *b->model ? b->model : b->simulated};
    const bool same_name = strcmp(names[0], names[1]) == 0;
    return same_name && (strcmp(a->vlm, b->vlm) == 0 || *names[0]);
}

static void read_models(pov_experiment *e, pov_yaml_node node)
{
    const int len = pov_yaml_length_within(node, POV_EXPERIMENT_MODELS_MAX, "models");
    for (int i = 0; i < len && !pov_yaml_failed(e->file); i++) {
        pov_experiment_model *m = &e->models[i];
        pov_yaml_node item = pov_yaml_at(node, i), vlm = pov_yaml_get(item, "vlm");
        m->simulated = pov_yaml_text(pov_yaml_get(item, "simulated"));
        m->model = pov_yaml_text(pov_yaml_get(item, "model"));
        const char *place = pov_yaml_text(vlm);
        if (strstr(place, "://"))
            snprintf(m->vlm, sizeof m->vlm, "%s", place);
        else
            read_path(m->vlm, vlm);
        if (!pov_yaml_failed(e->file) && (*m->simulated != '\0') == pov_yaml_exists(vlm))
            pov_yaml_complain(item, "expected 'vlm: FILE|URL' or 'simulated: BIAS'");
        for (int k = 0; k < i && !pov_yaml_failed(e->file); k++)
            if (is_same_model(&e->models[k], m))
                pov_yaml_complain(
                    item, "is the same model as an earlier one: give it another 'model', or leave it out");
        e->model_len = i + 1;
    }
}

/* ---- the order ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    return pov_random_mix(a * POV_RANDOM_STEP + b + 1);
}

/* Method: Fisher & Yates. */
static void shuffle_cells(pov_experiment_cell *cells, int len, uint64_t seed)
{
    uint64_t state = seed;
    for (int i = len - 1; i > 0; i--) {
        const int k = (int)(pov_random_next(&state) % (uint64_t)(i + 1));
        const pov_experiment_cell kept = cells[i];
        cells[i] = cells[k];
        cells[k] = kept;
    }
}

static int at_least_one(int len)
{
    return len > 0 ? len : 1;
}

/* Repetitions are blocks: an experiment that ends early has all placements about equally often. */
static void order_cells(pov_experiment *e)
{
    int len = 0, in_block = 0;
    for (int s = 0; s < e->scene_len; s++)
        in_block += at_least_one(e->scenes[s].variant_len) * at_least_one(e->scenes[s].facing_len);
    e->cells = pov_allocate((size_t)(in_block * e->repetitions) + 1, sizeof *e->cells);
    for (int r = 0; r < e->repetitions; r++) {
        for (int s = 0; s < e->scene_len; s++)
            for (int v = 0; v < at_least_one(e->scenes[s].variant_len); v++)
                for (int f = 0; f < at_least_one(e->scenes[s].facing_len); f++)
                    e->cells[len++] = (pov_experiment_cell){s, v, f, r};
        shuffle_cells(e->cells + len - in_block, in_block, mix((uint64_t)e->seed, (uint64_t)r));
    }
    e->cell_len = len;
}

void pov_experiment_order_models(int order[POV_EXPERIMENT_MODELS_MAX], const pov_experiment *experiment,
                                 int cell)
{
    uint64_t state = mix((uint64_t)experiment->seed, ((uint64_t)cell + 1) << 32);
    for (int i = 0; i < experiment->model_len; i++)
        order[i] = i;
    for (int i = experiment->model_len - 1; i > 0; i--) {
        const int k = (int)(pov_random_next(&state) % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

static void count_cells(const pov_experiment *e, pov_yaml_node root)
{
    long cells = 0;
    for (int s = 0; s < e->scene_len; s++)
        cells += (long)at_least_one(e->scenes[s].variant_len) * at_least_one(e->scenes[s].facing_len);
    if (!pov_yaml_failed(e->file) && cells * e->repetitions > POV_EXPERIMENT_CELLS_MAX)
        pov_yaml_complain(root, "%ld sweeps are more than %d: divide the plan", cells * e->repetitions,
                          POV_EXPERIMENT_CELLS_MAX);
}

/* ---- the whole ---- */

static void read_plan(pov_experiment *e)
{
    pov_yaml_node root = pov_yaml_root(e->file);
    char station[POV_PATH_CAPACITY] = "";
    e->title = pov_yaml_text(pov_yaml_get(root, "title"));
    e->seed = 1;
    e->repetitions = 1;
    e->size = pov_yaml_text(pov_yaml_get(root, "size"));
    pov_yaml_integer(&e->seed, pov_yaml_get(root, "seed"), 0, 1000000000);
    pov_yaml_integer(&e->repetitions, pov_yaml_get(root, "repetitions"), 1, 1000);
    pov_yaml_integer(&e->angles, pov_yaml_get(root, "angles"), 1, 10000);
    read_list(&e->questions, pov_yaml_get(root, "questions"));
    read_list(&e->languages, pov_yaml_get(root, "languages"));
    read_list(&e->guided, pov_yaml_get(root, "guided"));
    read_list(&e->prompting, pov_yaml_get(root, "prompting"));
    read_list(&e->system, pov_yaml_get(root, "system"));
    read_list(&e->order, pov_yaml_get(root, "order"));
    pov_yaml_bool(&e->flip, pov_yaml_get(root, "flip"));
    pov_yaml_bool(&e->circular, pov_yaml_get(root, "circular"));
    read_path(station, pov_yaml_get(root, "station"));
    read_models(e, pov_yaml_need(root, "models", "who is asked about each sweep"));
    read_scenes(e, pov_yaml_need(root, "scenes", "what is put on the table"), station);
    count_cells(e, root);
}

pov_status pov_experiment_parse(pov_experiment **experiment, const char *name, const char *text,
                                size_t length)
{
    pov_experiment *e = *experiment = pov_allocate(1, sizeof *e);
    pov_status status = pov_yaml_parse(&e->file, name, text, length);
    if (status.code == POV_OK) {
        read_plan(e);
        status = pov_yaml_finish(e->file);
    }
    if (status.code == POV_OK)
        order_cells(e);
    else
        pov_experiment_destroy(experiment);
    return status;
}

pov_status pov_experiment_new(pov_experiment **experiment, const char *path)
{
    return pov_experiment_parse(experiment, path, NULL, 0);
}

void pov_experiment_destroy(pov_experiment **experiment)
{
    pov_experiment *e = *experiment;
    if (!e)
        return;
    pov_text_free(&e->questions);
    pov_text_free(&e->languages);
    pov_text_free(&e->guided);
    pov_text_free(&e->prompting);
    pov_text_free(&e->system);
    pov_text_free(&e->order);
    for (int i = 0; i < POV_EXPERIMENT_SCENES_MAX; i++) {
        free(e->scenes[i].variants);
        free(e->scenes[i].facings);
    }
    free(e->cells);
    pov_yaml_close(&e->file);
    free(e);
    *experiment = NULL;
}

/* ---- a cell ---- */

const pov_experiment_look *pov_experiment_variant(const pov_experiment *experiment,
                                                  const pov_experiment_cell *cell)
{
    const pov_experiment_scene *scene = &experiment->scenes[cell->scene];
    return scene->variant_len > 0 ? &scene->variants[cell->variant] : NULL;
}

const pov_experiment_look *pov_experiment_facing(const pov_experiment *experiment,
                                                 const pov_experiment_cell *cell)
{
    const pov_experiment_scene *scene = &experiment->scenes[cell->scene];
    return scene->facing_len > 0 ? &scene->facings[cell->facing] : NULL;
}

void pov_experiment_name(pov_text *name, const pov_experiment *experiment, const pov_experiment_cell *cell)
{
    const pov_experiment_look *variant = pov_experiment_variant(experiment, cell),
                              *facing = pov_experiment_facing(experiment, cell);
    pov_text_set(name, "%s", experiment->scenes[cell->scene].id);
    if (variant)
        pov_text_add(name, ".%s", variant->id);
    if (facing)
        pov_text_add(name, ".%s", facing->id);
    pov_text_add(name, ".r%d", cell->repetition + 1);
}

static void put_thing(pov_wanted_scene *wanted, const pov_wanted_thing *thing)
{
    for (int i = 0; i < wanted->len; i++) {
        pov_wanted_thing *known = &wanted->things[i];
        if (strcmp(known->id, thing->id) != 0)
            continue;
        const pov_wanted_thing before = *known;
        *known = *thing;
        if (!thing->has_place) {
            known->has_place = before.has_place;
            known->has_height = before.has_height;
            known->at_m = before.at_m;
            known->within_m = before.within_m;
        }
        if (!thing->has_front) {
            known->has_front = before.has_front;
            known->front_rad = before.front_rad;
            known->within_rad = before.within_rad;
        }
        return;
    }
    POV_REQUIRE(wanted->len < POV_WANTED_THING_MAX);
    wanted->things[wanted->len++] = *thing;
}

void pov_experiment_wanted(pov_wanted_scene *wanted, const pov_experiment *experiment,
                           const pov_experiment_cell *cell)
{
    const pov_experiment_look *const looks[] = {pov_experiment_variant(experiment, cell),
                                                pov_experiment_facing(experiment, cell)};
    *wanted = experiment->scenes[cell->scene].wanted;
    for (int i = 0; i < 2; i++)
        for (int k = 0; looks[i] && k < looks[i]->wanted.len; k++)
            put_thing(wanted, &looks[i]->wanted.things[k]);
}
