/** Points that fill a unit cube more evenly than random ones: deterministic quadrature in several dimensions. Pure. */
#pragma once

enum { POV_LATTICE_DIMENSIONS_MAX = 90, POV_LATTICE_POINTS_MAX = 1 << 20 };

/** Point `index` of an embedded rank-1 lattice, folded (the tent transform) and in (0, 1)^dimensions. The first 2^m points
 *  are a lattice rule for every m, so a mean may go on where it stopped.
 *  Method: generating vector exod2_base2_m20_CKN of Cools, Kuo & Nuyens 2006; Hickernell 2002 for the fold. */
void pov_lattice_point(double *point, int dimensions, int index);

/** Inverse of the standard normal distribution; p in (0, 1); relative error below 1e-9. */
double pov_normal_quantile(double p);
