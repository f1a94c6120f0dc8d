/** A situation of predicate.h under a scene's uncertainty: draws of it at the points of a unit cube. Pure. */
#pragma once

#include "perception/geometry/lattice.h"
#include "perception/relations/expectation/heading_quantile.h"
#include "perception/relations/relation.h"

#define POV_SPREAD_DEVIATIONS 4.5 /* P beyond: 7e-6 a coordinate; chosen */

enum {
    POV_SITUATION_OTHERS_MAX = POV_RELATA_MAX + 1,
    POV_SITUATION_DIMENSIONS_MAX = 36,
    POV_SITUATION_HEADINGS_MAX = POV_RELATA_MAX + 2,
    POV_SITUATION_COORDINATES_MAX = 3 * POV_SITUATION_OTHERS_MAX + POV_SITUATION_HEADINGS_MAX
};

/** The error of a velocity: columns of its covariance's square root. */
typedef struct {
    int factor_len;
    pov_vec3 factor_m_s[3];
} pov_velocity_posterior;

/** Positions are relative to the relatum's, which stays at its mean: errors that it shares with the others cancel. Coordinates of
 *  the covariance: the others' positions, then the yaws of the headings that err with positions or with the camera's pose. */
typedef struct {
    const pov_scene *scene;
    const pov_query *query;
    int dimensions; /* of the cube; 0: everything is known exactly */
    int others;     /* the referent, the further relata, the viewer */
    pov_id other[POV_SITUATION_OTHERS_MAX];
    unsigned affords, other_affords[POV_SITUATION_OTHERS_MAX]; /* the relatum, the others: affordance.h */
    double mean_m[POV_SITUATION_COORDINATES_MAX];
    int factor_len; /* columns of the covariance's square root that are not zero */
    double factor_m[POV_SITUATION_COORDINATES_MAX][POV_SITUATION_COORDINATES_MAX]; /* [column][row] */
    bool axis_by_heading; /* the viewer's heading stands for its sight line */
    int heading_len;
    pov_id heading_id[POV_SITUATION_HEADINGS_MAX];
    pov_heading_quantile heading[POV_SITUATION_HEADINGS_MAX]; /* without the tied error */
    int tied_at[POV_SITUATION_HEADINGS_MAX];                  /* its coordinate; 0: none */
    pov_velocity_posterior velocity[2]; /* of the referent, the relatum; independent of where they are */
} pov_situation_posterior;

/** False if an entity is not placed or has no proper box, or the frame that the query needs is not there.
 *  The scene and the query are borrowed. */
bool pov_situation_posterior_of(pov_situation_posterior *posterior, const pov_scene *scene,
                                const pov_query *query);
/** The situation at a point of the cube; without dimensions, at the means. */
void pov_situation_posterior_draw(const pov_situation_posterior *posterior, pov_situation *situation,
                                  const double *point);
/** The same, with the normal quantiles of the point's coordinates at hand. */
void pov_situation_posterior_draw_at(const pov_situation_posterior *posterior, pov_situation *situation,
                                     const double *point, const double *normals);
/** The situation at the means, with a spread that holds all draws within POV_SPREAD_DEVIATIONS of each of its errors:
 *  each error exceeds it with a probability below 2e-4. Headings that are wide or have several modes are left open. */
void pov_situation_posterior_spread(const pov_situation_posterior *posterior, pov_situation *situation);
