/** Answers by class: of all the worlds that a scene may be, the share in which each of several answers is the right one. And the
 *  classes that benchmarks of perspective use: eight sectors about a front, four sides, directions in space. Pure. */
#pragma once

#include "perception/scene/possible_world.h"

/** The right answer's number in one world; -1: there is none, or it lies on an edge between two. */
typedef int (*pov_class_of_world)(const pov_world *world, const void *context);

typedef struct {
    const pov_id *ids; /* of the world's entities, in order */
    int id_len;
    pov_class_of_world class_of;
    const void *context; /* passed on */
} pov_class_query;

/** p[i] = P(answer i is right); they sum to 1 less the worlds that have none. Within 0.03 (possible_world.h). Exact scenes: 1 for one.
 *  Returns: POV_UNDEFINED, and NaN, if one of them is not placed. */
pov_code pov_class_shares(double p[], int len, const pov_scene *scene, const pov_class_query *query);

/** Clockwise from the front, as seen from above. */
enum { POV_EIGHTHS = 8, POV_QUARTERS = 4 };
extern const char *const POV_EIGHTH_WORDS[POV_EIGHTHS];   /* "front", "front-right", ..., "front-left" */
extern const char *const POV_QUARTER_WORDS[POV_QUARTERS]; /* "front", "right", "back", "left" */
/** The sector, of `len` equal ones whose first is about forward; -1: v is zero, or within a nanoradian of an edge. */
int pov_sector_of(double forward, double right, int len);

/** Components of a vector seen along a heading. */
typedef struct {
    double forward, right, up;
} pov_seen_vector;
pov_seen_vector pov_see_vector(pov_vec3 v, double yaw_rad);

/** Directions in space for somebody who looks horizontally: six simple ones, and the twelve pairs of them. */
enum { POV_SPACE_DIRECTIONS = 18 };
extern const char
    *const POV_SPACE_WORDS[POV_SPACE_DIRECTIONS]; /* "left", ..., "back-left", ..., "down-right" */
/** A component counts from sin(22.5 degrees) of the length on, so that on the ground the directions are the eight sectors; of three
 *  the largest two. -1 as above. */
int pov_space_direction_of(pov_seen_vector v);
