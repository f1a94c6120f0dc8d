/* Gathers answers into curves: from tables and layouts (comfort_data.c), and for baselines (comfort_baseline.c). */
#pragma once

#include "compare/languages/language.h"
#include "compare/scores/comfort_data.h"
#include "compare/statistics/name_set.h"

struct pov_comfort_data {
    pov_name_set *names;      /* of models, languages, scenes, variants */
    pov_name_set *scene_keys; /* a scene's name and how its parties face */
    pov_name_set *curve_keys; /* numbered as the curves are while they are gathered */
    pov_name_set *group_keys;
    pov_name_set *presence_keys;
    pov_name_set *stated_keys; /* languages whose convention the file states */
    int *stated;               /* [language of them] */
    int stated_capacity;
    char *simulated; /* NULL: nothing is said */
    pov_comfort_curve *curves;
    int *group_of;                 /* [curve] */
    int (*row)[POV_CURVE_SAMPLES]; /* [curve] of the table, of each sample, plus 1; 0: none */
    int curves_capacity;
    pov_comfort_group *groups;
    int groups_capacity;
    pov_presence_group *presences;
    int presences_capacity;
};

/* Identifies a curve; numbers of `names`. */
typedef struct {
    int model, language, has_front, prompt, scene, variant, relation, run;
} pov_curve_key;

pov_comfort_data *pov_comfort_data_start(void);
int pov_comfort_data_add_name(pov_comfort_data *data, const char *name);
/** The curve of a key, all NaN and nothing asked if new. */
int pov_comfort_data_need_curve(pov_comfort_data *data, const pov_curve_key *key, pov_facings facings);
/** The group of answers to "is there any X?"; empty if new. */
pov_presence_group *pov_comfort_data_need_presence(pov_comfort_data *data, int model, int language,
                                                   bool has_front);
/** States a language's convention. Returns: the one stated before, if there is one. */
pov_convention pov_comfort_data_state(pov_comfort_data *data, int language, pov_convention convention);
/** Puts each group's curves together; names can be looked up from now on. `languages` NULL: all is English. */
void pov_comfort_data_finish(pov_comfort_data *data, const pov_languages *languages);
