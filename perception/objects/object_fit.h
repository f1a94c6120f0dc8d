/** An object's place and turn fitted to an image: its points are projected, the light on each colour is fitted along; parts
 *  that do not fit (something stands before them) lose their weight. Private to object_*.c. */
#pragma once

#include "perception/objects/object_view.h"

enum { OBJECT_FIT_UNKNOWNS = 9 }; /* x, y, yaw; three gains; three offsets */

typedef struct {
    object_place place;
    object_cover cover;       /* hidden cells have no weight */
    double light[6];          /* gains, offsets */
    double cost;              /* sum over pixels, as if their errors were independent */
    double residual;          /* levels, root mean square over what is seen */
    double cov[3][3];         /* of x, y, yaw, widened */
    double evidence, visible; /* by object_verdict.h */
} object_fit;

typedef struct object_fitter object_fitter; /* work space */

POV_MUST_USE pov_status pov_object_fitter_new(object_fitter **fitter);
void pov_object_fitter_destroy(object_fitter **fitter);

/** A few coarse steps, for choosing among many places. */
void pov_object_fit_roughly(object_fitter *fitter, object_fit *fit, const object_view *view,
                            const object_model *model);

/** Fits from a place. `finely`: from nearby; else from as far as a coarse grid's step. */
void pov_object_fit_run(object_fitter *fitter, object_fit *fit, const object_view *view,
                        const object_model *model, bool finely);
