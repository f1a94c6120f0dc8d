/** The expected degree of a direction when positions are Gaussian and headings von Mises: deterministic, pure.
 *
 *  The angle is theta = arg(v) - arg(axis), of the vector v (relatum to referent) against an axis of one of two kinds:
 *  a sight line, itself the difference of two uncertain positions; or a heading.
 *  Methods, their errors and their sources: docs/UNCERTAINTY.md. No allocation. */
#pragma once

#include "perception/relations/expectation/template.h"
#include "perception/scene/scene.h"

/** Two plane vectors with a joint Gaussian error, m and m^2: cov over (axis.x, axis.y, v.x, v.y). */
typedef struct {
    pov_vec2 axis_m, v_m;
    double cov_m2[4][4];
} pov_sight;

/** Four directions a quarter-turn apart, counter-clockwise from above: ahead of the axis, left, back, right. */
typedef enum { POV_AHEAD, POV_TO_LEFT, POV_BACK, POV_TO_RIGHT, POV_QUARTER_COUNT } pov_quarter;

/** Acceptance about each quarter's direction: its mean in [0, 1] and standard deviation. */
typedef struct {
    double mean[POV_QUARTER_COUNT], std[POV_QUARTER_COUNT];
} pov_expected;

/* In each of the following, `heading` NULL stands for the sight line; else sight's axis is the unit vector of its heaviest
 * mode: its covariance with v (the blocks beside the diagonal) is that of the modes' errors with v, its own is not looked
 * at. Cosine and template take it into account where both are narrow. All agree with Monte-Carlo sampling within 0.005. */

/** 1 iff |theta - quarter| < 90 degrees; exactly +-90 degrees without noise counts as 0. */
void pov_expect_hemisphere(pov_expected *expected, const pov_sight *sight, const pov_heading *heading);
/** (cos(theta - quarter) + 1) / 2. */
void pov_expect_cosine(pov_expected *expected, const pov_sight *sight, const pov_heading *heading);
/** A spatial template of theta - quarter and |v|. */
void pov_expect_template(pov_expected *expected, const pov_sight *sight, const pov_heading *heading,
                         const pov_template *regions);
