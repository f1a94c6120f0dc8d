/** Measures of a scene that answer questions: distances, superlatives, fronts. Table frame. */
#pragma once

#include "ask/meaning/request.h"

typedef struct {
    double mean, std; /* NaN: not known */
} pov_measure;

/** Distances between two entities, under the errors of their poses: between the centres, and between the surfaces (0 where
 *  they touch; NaN if one has no size; the camera is a point). False: one is not placed. */
bool pov_measure_distance(pov_measure *centre_m, pov_measure *gap_m, const pov_scene *scene, pov_id a,
                          pov_id b);

/** The candidates for a superlative, with their probabilities. */
typedef struct {
    int len; /* likeliest first; only those with p > 0 */
    pov_id id[POV_ENTITY_MAX];
    double p[POV_ENTITY_MAX];
    pov_verdict verdict; /* on the first: POV_TRUE if its p is at least 0.95 */
    bool is_tie;         /* several are exactly equal in it, in every world */
    int left_out;        /* candidates that are not placed, have no size, or are not ahead of the viewer */
} pov_most;

/** By question.extreme and .rank among the candidates. Near and far: by the gap between the surfaces, to the relatum, or else to
 *  `viewer`; a person is an upright line there, from which a hand reaches; left and right: by the bearing about the viewer's heading, of what is ahead. POV_ID_NONE where no viewer is needed.
 *  Method: the share of the scene's possible worlds (possible_world.h). len 0: none can be told. */
void pov_measure_most(pov_most *most, const pov_scene *scene, const pov_request *question, pov_id viewer);
/** Does it depend on who looks? Left and right do; near and far without a relatum. */
bool pov_measure_needs_viewer(const pov_request *question);

/** A front as a viewer sees it (FoREST's bins: within 40 degrees toward or away, else to a side). */
typedef enum { POV_FACES_TOWARD, POV_FACES_LEFT, POV_FACES_AWAY, POV_FACES_RIGHT, POV_FACES_COUNT } pov_faces;
/** "toward", "left", "away", "right". */
const char *pov_faces_name(pov_faces value);
/** The likeliest, and its probability. False: no heading, or one is not placed. */
bool pov_measure_faces(pov_faces *faces, double *p, const pov_scene *scene, pov_id id, pov_id viewer);

/** P that `viewer` is on a side (one of four of 180 degrees) of `id`, by its own front; NaN if it has none. */
double pov_measure_side(const pov_scene *scene, pov_id id, pov_relation side, pov_id viewer);

/** Tells what a viewer has straight ahead, or looks at. Its directions are spread by the doubt about its heading and about what is meant by
 *  straight (5 degrees); each meets the nearest candidate there, or else the one least beside it. Seen from above.
 *  A candidate's share is that of the directions that meet it.
 *  Out: share: sums to 1; all 0 where there is no heading, or no candidate is placed. */
void pov_measure_ahead(double share[POV_ENTITY_MAX], const pov_scene *scene, pov_id viewer, pov_aim aim,
                       const bool *candidate);

/** "north", "north-east", ... of a direction. */
const char *pov_measure_compass(const pov_scene *scene, double yaw_rad);
