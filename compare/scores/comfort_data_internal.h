/** Gathering curves: shared by the two readers of COMFORT's answers. */
#ifndef POV_COMPARE_SCORES_COMFORT_DATA_INTERNAL_H
#define POV_COMPARE_SCORES_COMFORT_DATA_INTERNAL_H

#include "compare/scores/comfort_data.h"
#include "compare/statistics/name_set.h"

struct pov_comfort_data {
    pov_name_set *names;      /* of models, languages, scenes, variants */
    pov_name_set *scene_keys; /* a scene's name and how its parties face */
    pov_name_set *curve_keys; /* numbered as the curves are while they are gathered */
    pov_name_set *group_keys;
    pov_name_set *presence_keys;
    pov_comfort_curve *curves;
    int *group_of;                 /* [curve] */
    int (*row)[POV_CURVE_SAMPLES]; /* [curve] of the table, of each sample, plus 1; 0: none */
    int curves_capacity;
    pov_comfort_group *groups;
    int groups_capacity;
    pov_presence_group *presences;
    int presences_capacity;
};

/** Whose curve it is; numbers of `names`. */
typedef struct {
    int model, language, has_front, prompt, scene, variant, relation;
} pov_curve_key;

POV_MUST_USE pov_status pov_comfort_data_start(pov_comfort_data **data);
POV_MUST_USE pov_status pov_comfort_data_name(pov_comfort_data *data, int *number, const char *name);
/** A scene by name; whose parties face otherwise is another. */
POV_MUST_USE pov_status pov_comfort_data_scene(pov_comfort_data *data, int *scene, const char *name,
                                               pov_facings facings);
/** The curve of a key, all NaN if new. */
POV_MUST_USE pov_status pov_comfort_data_curve(pov_comfort_data *data, int *curve, const pov_curve_key *key,
                                               pov_facings facings);
/** The group of answers to "is there any X?"; empty if new. */
POV_MUST_USE pov_status pov_comfort_data_presence_of(pov_comfort_data *data, pov_presence_group **found,
                                                     int model, int language, bool has_front);
/** Puts each group's curves together; names can be looked up from now on. */
POV_MUST_USE pov_status pov_comfort_data_finish(pov_comfort_data *data);

#endif
