/** A goal: the region of a support where a thing is to be put, in a frame of reference. Pure. */
#pragma once

#include "ask/meaning/reference.h"
#include "ask/talk/talk.h"

enum { POV_HULL_MAX = POV_GOAL_CORNERS_MAX };

typedef struct {
    pov_id object;
    const pov_relation_info *relation;
    pov_area area;
    int relatum_len;
    pov_id relatum[POV_RELATA_MAX]; /* the object itself: it is moved that way from where it is */
    bool onto, into;                /* the first relatum carries or holds it */
    bool middle, on_edge;           /* of the first relatum */
    bool on_ground;                 /* on what carries everything, which is no entity: no relatum */
    bool by_own_front;              /* of the relatum, whoever looks */
    double step_m;                  /* how far it is moved; 0: as usual */
    bool is_exact; /* "10 cm": at step_m from the relatum's outline, or from where it is, and nowhere else */
} pov_goal_asked;

typedef struct {
    bool possible;
    bool is_defined; /* the relation can be judged in this frame */
    pov_hypothesis frame;
    double
        p; /* that the relation holds at the position, under the scene's errors; NAN: only a distance is wanted */
    pov_vec3
        position_m; /* free, and reached by the support: of the region's places the one nearest to its mean */
    double covariance_m2[2][2];
    int hull_len;
    double
        hull_m[POV_HULL_MAX]
              [2]; /* counter-clockwise, about the places that are at least a quarter as good as the best */
} pov_goal_region;

/** What the object stands on, and so on down: the last that is an entity. POV_ID_NONE: it stands on none. */
pov_id pov_goal_lowest_support(const pov_scene *scene, pov_id id);
/** Can the object stand on, or lie in, what it is to be put on or into? By their sizes; true where these are not known. */
bool pov_goal_fits(const pov_scene *scene, const pov_goal_asked *asked);
/** Looks for places where the object stands wholly on its support, free of other things, and the relation holds, near the
 *  relatum. In: imagined: memory for a scene. Out: possible false if there are none. */
void pov_goal_find(pov_goal_region *region, const pov_context *context, const pov_goal_asked *asked,
                   const pov_hypothesis *frame, pov_scene *imagined);
