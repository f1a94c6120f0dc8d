#include "firmware/study/experiment_check.h"

#include "compare/languages/language.h"
#include "compare/vlm/vlm_config.h"
#include "firmware/simulate/simulator.h"
#include "firmware/station/question_choice.h"
#include "firmware/station/station.h"
#include "firmware/vlm/command_vlm_sim.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists of words ---- */

static void check_languages(pov_yaml_node list)
{
    pov_languages *languages;
    const pov_language *found;
    const char *code;
    pov_yaml_complain_of(list, pov_languages_new(&languages, NULL));
    for (int i = 0; i < pov_yaml_length(list); i++) {
        pov_yaml_node item = pov_yaml_at(list, i);
        code = "";
        pov_yaml_string(&code, item);
        pov_yaml_complain_of(item, pov_languages_find(&found, languages, code));
    }
    pov_languages_destroy(&languages);
}

/* Fills what is asked of every sweep. */
static void check_lists(pov_question_choice *choice, const pov_experiment *e, pov_yaml_node root)
{
    const struct {
        const char *key;
        const pov_text *list;
        pov_option_take *take;
    } lists[] = {{"questions", &e->questions, pov_choice_take_benchmarks},
                 {"languages", &e->languages, pov_choice_take_languages},
                 {"guided", &e->guided, pov_choice_take_guidance},
                 {"prompting", &e->prompting, pov_choice_take_prompting},
                 {"system", &e->system, pov_choice_take_system},
                 {"order", &e->order, pov_choice_take_order}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].list->len > 0)
            pov_yaml_complain_of(pov_yaml_get(root, lists[i].key),
                                 lists[i].take(choice, pov_text_of(lists[i].list)));
    pov_yaml_node languages = pov_yaml_get(root, "languages");
    if (pov_yaml_exists(languages))
        check_languages(languages);
    choice->flip = e->flip;
    choice->circular = e->circular;
    pov_choice_settle_conditions(choice);
    pov_yaml_complain_of(root, pov_choice_check(choice));
}

/* ---- simulated things ---- */

#ifdef POV_WITH_SIM

static void check_size(const pov_experiment *e, pov_yaml_node node)
{
    pov_simulator_config config = {0};
    if (*e->size)
        pov_yaml_complain_of(node, pov_simulator_take_size(&config, e->size));
}

static void check_bias(const char *bias, pov_yaml_node node)
{
    const char *names[64];
    int len = 0, value;
    for (const char *name; len < 64 && (name = pov_vlm_sim_bias_names(len)); len++)
        names[len] = name;
    if (*bias)
        pov_yaml_choice(&value, node, names, len);
}

static bool stands_there(const pov_world *world, const char *id)
{
    for (int i = 0; i < world->thing_len; i++)
        if (strcmp(world->things[i].entity.name, id) == 0)
            return true;
    return world->generator.kind != POV_GENERATOR_NONE; /* new ones for each image */
}

typedef struct {
    pov_world *world;
    bool found[POV_CHOICE_PAIR_MAX][2]; /* of the pairs' things, in the world or a variant of it */
} world_check;

static void look_into(world_check *w, const pov_question_choice *choice, const char *name,
                      const char *variant, pov_yaml_node node)
{
    const pov_status status = pov_simulator_read_world(w->world, name, variant);
    pov_yaml_complain_of(node, status);
    for (int i = 0; status.code == POV_OK && i < choice->pair_len; i++)
        for (int k = 0; k < 2; k++)
            w->found[i][k] |= stands_there(w->world, choice->pairs[i][k]);
}

/* The world with each variant and each facing. */
static void check_world(const pov_question_choice *choice, const pov_experiment_scene *scene,
                        pov_yaml_node item)
{
    const struct {
        pov_yaml_node list;
        const pov_experiment_look *looks;
        int len;
    } lists[] = {{pov_yaml_get(item, "variants"), scene->variants, scene->variant_len},
                 {pov_yaml_get(item, "facings"), scene->facings, scene->facing_len}};
    world_check w = {.world = pov_allocate(1, sizeof *w.world)};
    look_into(&w, choice, scene->world, NULL, pov_yaml_get(item, "world"));
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < lists[i].len && !pov_yaml_failed(item.file); k++)
            if (*lists[i].looks[k].world)
                look_into(&w, choice, scene->world, lists[i].looks[k].world,
                          pov_yaml_get(pov_yaml_at(lists[i].list, k), "world"));
    for (int i = 0; i < choice->pair_len; i++)
        for (int k = 0; k < 2; k++)
            if (!w.found[i][k])
                pov_yaml_complain(pov_yaml_get(item, "pairs"), "the world %s has no '%s'", scene->world,
                                  choice->pairs[i][k]);
    free(w.world);
}

#else

static void refuse(pov_yaml_node node)
{
    if (pov_yaml_exists(node))
        pov_yaml_complain(node, "this pov was built without the simulator: build it again with "
                                "-DPOV_WITH_SIM=ON (docs/INSTALL.md)");
}

static void check_size(const pov_experiment *e, pov_yaml_node node)
{
    (void)e;
    refuse(node);
}

static void check_bias(const char *bias, pov_yaml_node node)
{
    (void)bias;
    refuse(node);
}

static void check_world(const pov_question_choice *choice, const pov_experiment_scene *scene,
                        pov_yaml_node item)
{
    (void)choice;
    (void)scene;
    refuse(pov_yaml_get(item, "world"));
}

#endif

/* ---- stations ---- */

static void check_station(const pov_experiment *e, const pov_question_choice *asked, const char *path,
                          pov_yaml_node node, pov_yaml_node pairs)
{
    pov_question_choice choice = *asked;
    pov_station *station = pov_allocate(1, sizeof *station);
    const pov_status status = pov_station_read(station, path);
    pov_yaml_complain_of(node, status);
    if (status.code == POV_OK) {
        const pov_source_kind kind = station->source.kind;
        pov_yaml_complain_of(
            pov_yaml_exists(pairs) ? pairs : node,
            pov_choice_settle_pairs(&choice, &station->cast, station->judge.pairs, station->judge.pair_len));
        if (e->angles > 0 && kind == POV_SOURCE_FOLDER)
            pov_yaml_complain(pov_yaml_get(pov_yaml_root(e->file), "angles"),
                              "each image of a folder is a stop, as those of %s: leave 'angles' out", path);
    }
    free(station);
}

static void check_stations(const pov_experiment *e, const pov_question_choice *asked,
                           const pov_experiment_scene *scene, pov_yaml_node item)
{
    pov_yaml_node pairs = pov_yaml_get(item, "pairs"), own = pov_yaml_get(item, "station"),
                  usual = pov_yaml_get(pov_yaml_root(e->file), "station"),
                  variants = pov_yaml_get(item, "variants");
    bool is_used = scene->variant_len == 0;
    for (int i = 0; i < scene->variant_len && !pov_yaml_failed(e->file); i++)
        if (*scene->variants[i].station)
            check_station(e, asked, scene->variants[i].station,
                          pov_yaml_get(pov_yaml_at(variants, i), "station"), pairs);
        else
            is_used = true;
    if (is_used && !pov_yaml_failed(e->file))
        check_station(e, asked, scene->station, pov_yaml_exists(own) ? own : usual, pairs);
}

/* ---- models ---- */

static void check_model(const pov_experiment_model *model, pov_yaml_node item)
{
    pov_yaml_node vlm = pov_yaml_get(item, "vlm");
    check_bias(model->simulated, pov_yaml_get(item, "simulated"));
    if (strstr(model->vlm, "://")) {
        if (strncmp(model->vlm, "http://", 7) != 0 && strncmp(model->vlm, "https://", 8) != 0)
            pov_yaml_complain(vlm, "a URL begins with http:// or https://");
    } else if (*model->vlm) {
        pov_vlm_config *config = pov_allocate(1, sizeof *config);
        pov_yaml_complain_of(vlm, pov_vlm_config_open(config, model->vlm));
        free(config);
    }
}

/* ---- the whole ---- */

static void check_scene(const pov_experiment *e, const pov_question_choice *asked, int i, pov_yaml_node item)
{
    const pov_experiment_scene *scene = &e->scenes[i];
    pov_question_choice choice = *asked;
    if (*scene->pairs)
        pov_yaml_complain_of(pov_yaml_get(item, "pairs"), pov_choice_take_pairs(&choice, scene->pairs));
    pov_yaml_complain_of(item, pov_choice_check(&choice));
    if (*scene->world)
        check_world(&choice, scene, item);
    else
        check_stations(e, &choice, scene, item);
}

pov_status pov_experiment_check(const pov_experiment *experiment)
{
    pov_question_choice choice = POV_QUESTION_CHOICE_DEFAULT;
    pov_yaml_node root = pov_yaml_root(experiment->file), scenes = pov_yaml_get(root, "scenes"),
                  models = pov_yaml_get(root, "models");
    check_lists(&choice, experiment, root);
    check_size(experiment, pov_yaml_get(root, "size"));
    for (int i = 0; i < experiment->model_len; i++)
        check_model(&experiment->models[i], pov_yaml_at(models, i));
    for (int i = 0; i < experiment->scene_len && !pov_yaml_failed(experiment->file); i++)
        check_scene(experiment, &choice, i, pov_yaml_at(scenes, i));
    return pov_yaml_finish(experiment->file);
}
