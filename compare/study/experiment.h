/** The plan of an experiment: scenes, variants, facings and repetitions, each a sweep; what is asked about each, and of whom.
 *  docs/EXPERIMENT.md lists the keys. */
#pragma once

#include "compare/study/protocol.h"
#include "config/files/text.h"
#include "config/files/write_file.h"

enum {
    POV_EXPERIMENT_SCENES_MAX = 64,
    POV_EXPERIMENT_LOOKS_MAX = 32, /* variants, or facings, of a scene */
    POV_EXPERIMENT_MODELS_MAX = 32,
    POV_EXPERIMENT_CELLS_MAX = 10000
};

/** A variant or a facing of a scene. */
typedef struct {
    const char *id, *about;          /* about "": nothing to say */
    char station[POV_PATH_CAPACITY]; /* in place of the scene's; "": that */
    const char *world;               /* the simulated world's variant; "": none */
    pov_wanted_scene wanted;         /* what stands elsewhere, or faces elsewhere, than in the scene */
} pov_experiment_look;

typedef struct {
    const char *id, *about;
    char station[POV_PATH_CAPACITY]; /* "": it is simulated */
    const char *world, *pairs;       /* world: "": a station's; pairs "": the station's */
    pov_wanted_scene wanted;
    pov_experiment_look *variants, *facings;
    int variant_len, facing_len; /* 0: there is one, without a name */
} pov_experiment_scene;

/** Asked by a file or URL, or one that is simulated. */
typedef struct {
    char vlm[POV_PATH_CAPACITY];
    const char *model, *simulated; /* "": none */
} pov_experiment_model;

/** A sweep: numbers of its scene, variant and facing (0 also if there are none), and of its repetition. */
typedef struct {
    int scene, variant, facing, repetition;
} pov_experiment_cell;

typedef struct {
    const char *title;
    int seed, repetitions;
    int angles; /* 0: as many as `pov sweep` takes by itself */
    /** Options of `pov sweep`, with commas: "en,de"; "": its own default. */
    pov_text questions, languages, guided, prompting, system, order;
    bool flip, circular;
    const char *size; /* of simulated images */
    pov_experiment_scene scenes[POV_EXPERIMENT_SCENES_MAX];
    pov_experiment_model models[POV_EXPERIMENT_MODELS_MAX];
    int scene_len, model_len;
    pov_experiment_cell *cells; /* in the order in which they are done */
    int cell_len;
    pov_yaml_file *file; /* holds the texts */
} pov_experiment;

/** Errors name file, line and key. */
POV_MUST_USE pov_status pov_experiment_new(pov_experiment **experiment, const char *path);
/** The same from memory; `name` stands for the path in messages. */
POV_MUST_USE pov_status pov_experiment_parse(pov_experiment **experiment, const char *name, const char *text,
                                             size_t length);
void pov_experiment_destroy(pov_experiment **experiment);

/** "ball-car.red.left.r2": its folder's name. The parts that a scene lacks are left out. */
void pov_experiment_name(pov_text *name, const pov_experiment *experiment, const pov_experiment_cell *cell);
/** What has to stand on the table: the scene's things, with places and fronts of its variant and its facing. */
void pov_experiment_wanted(pov_wanted_scene *wanted, const pov_experiment *experiment,
                           const pov_experiment_cell *cell);
/** The variant or facing of a cell; NULL: its scene has none. */
const pov_experiment_look *pov_experiment_variant(const pov_experiment *experiment,
                                                  const pov_experiment_cell *cell);
const pov_experiment_look *pov_experiment_facing(const pov_experiment *experiment,
                                                 const pov_experiment_cell *cell);
/** The order in which the models are asked about a cell. */
void pov_experiment_order_models(int order[POV_EXPERIMENT_MODELS_MAX], const pov_experiment *experiment,
                                 int cell);
