/** Position and heading of a person, from the detections and the heights of people. Pure. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/people/person_detector.h"
#include "perception/scene/scene.h"

/** Prior of a person: height, and the height of the floor under the soles in the table frame. */
typedef struct {
    double height_m, height_std_m;
    double stands_on_m;
} pov_person_build;

/** Position of the middle between crown and soles, by least squares over soles, crown, face and height. A box that may be
 *  cut: ends at the image's rim tell nothing; if soles and crown fit no place, the legs are taken to be hidden, and crown,
 *  width and face tell it.
 *  Out: entity's position, headings of body and head, which way an arm points, box, and that it is placed. Returns POV_UNDEFINED, entity untouched, if no place fits
 *  what was found. */
pov_code pov_person_place(pov_entity *entity, const pov_person *person, const pov_person_build *build,
                          const pov_camera *camera, const pov_pose *T_table_camera);

/** Heading of a person who is seen along a direction: `to_camera_rad` is the yaw from the person to the camera. Wide on
 *  purpose: see docs/STATION.md. */
pov_heading pov_person_heading(const pov_person *person, double to_camera_rad);

/** One look at one image, which may be older than the one that is judged. */
typedef struct {
    pov_people people;
    double age_s; /* how much older */
    bool has_pose;
    pov_pose T_table_camera; /* then; valid if has_pose and age_s is not 0 */
} pov_person_look;

/** The people whom an entry of the cast expects: at most `max` (up to POV_PERSON_MAX), each like `like`. */
typedef struct {
    const pov_entity *like;
    const pov_person_build *build;
    int max;
} pov_people_expected;

/** The best people that can be placed (all, while no pose is known), from left to right: seen, and placed. People of an
 *  older look may have walked since: the covariance grows.
 *  In: T_table_camera: of the judged image, or NULL; an older look has its own.
 *  Out: entities; returns how many. */
int pov_person_look_entities(pov_entity *entities, const pov_person_look *look,
                             const pov_people_expected *expected, const pov_camera *camera,
                             const pov_pose *T_table_camera);
