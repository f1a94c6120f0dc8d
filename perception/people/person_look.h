/** The people found in one image, and which of them an entity of the cast is. Pure. */
#ifndef POV_PERCEPTION_PEOPLE_PERSON_LOOK_H
#define POV_PERCEPTION_PEOPLE_PERSON_LOOK_H

#include "perception/people/person_place.h"

/** One look at one image, which may be older than the one that is judged. */
typedef struct {
    pov_people people;
    double age_s; /* how much older */
    bool has_pose;
    pov_pose T_table_camera; /* then; valid if has_pose and age_s is not 0 */
} pov_person_look;

/** Whom an entry of the cast expects: at most `max` (up to POV_PERSON_MAX), each like `like`. */
typedef struct {
    const pov_entity *like;
    const pov_person_build *build;
    int max;
} pov_people_expected;

/** The best people that can be placed (all, while no pose is known), from left to right: seen, and placed. Whom an older
 *  look found may have walked since: the covariance grows.
 *  In: T_table_camera: of the judged image, or NULL; an older look has its own.
 *  Out: entities; returns how many. */
int pov_person_look_entities(pov_entity *entities, const pov_person_look *look,
                             const pov_people_expected *expected, const pov_camera *camera,
                             const pov_pose *T_table_camera);

#endif
