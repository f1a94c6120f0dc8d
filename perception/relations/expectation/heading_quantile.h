/** Draws from a heading distribution by its quantile function. Pure. */
#pragma once

#include "perception/scene/scene.h"

enum { POV_QUANTILE_KNOTS = 129, POV_QUANTILE_NARROW_KAPPA = 50 };

/** Made from a pov_heading; plain data. */
typedef struct {
    int len;
    double below[POV_HEADING_MODES_MAX]; /* weight of the modes before */
    pov_heading_mode mode[POV_HEADING_MODES_MAX];
    double cumulative[POV_HEADING_MODES_MAX][POV_QUANTILE_KNOTS]; /* of wide modes, over the circle */
} pov_heading_quantile;

/** In: a heading with at least one mode, kappa >= 0, weights > 0 in sum. */
void pov_heading_quantile_of(pov_heading_quantile *quantile, const pov_heading *heading);
/** True if every draw gives the same. */
bool pov_heading_quantile_is_exact(const pov_heading_quantile *quantile);
/** The yaw for u in (0, 1): uniform u gives the mixture. Narrow modes (from POV_QUANTILE_NARROW_KAPPA) are drawn as normals of the same
 *  deviation, wide ones from a table. */
double pov_heading_quantile_at(const pov_heading_quantile *quantile, double u);
