/** What the turntable's least squares is made of: a tag in a view, with derivatives. */
#ifndef POV_CALIB_TURNTABLE_TURNTABLE_SOLVER_INTERNAL_H
#define POV_CALIB_TURNTABLE_TURNTABLE_SOLVER_INTERNAL_H

#include "calib/turntable/turntable_solver.h"

/** Unknowns: of the disc, its lean and place across its axis; of a view, camera and angle. Rows: two for each corner. */
enum { POV_TURN_DISC = 4, POV_TURN_OWN = 7, POV_TURN_ROWS = 8 };

typedef struct {
    double residual[POV_TURN_ROWS]; /* seen less predicted, in units of the corners' own deviation */
    double per_own[POV_TURN_ROWS][POV_TURN_OWN], per_disc[POV_TURN_ROWS][POV_TURN_DISC],
        per_tag[POV_TURN_ROWS][6];
} pov_turn_equations;

/** A sighting against the problem. `own`: a view's unknowns; 1: its camera is fixed, and the angle comes first.
 *  Returns the squared distance; infinite if the tag cannot be seen so. */
double pov_turn_compare(pov_turn_equations *equations, const pov_turn_problem *problem,
                        const pov_turn_view *view, const pov_turn_sighting *sighting, int own);

#endif
