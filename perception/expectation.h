/** Expectations of an angle's acceptance when positions are Gaussian and headings von Mises: deterministic, pure.
 *
 *  The angle is theta = arg(v) - arg(a) - offset, of the vector v (relatum to referent) against an axis a turned by an
 *  offset. Two kinds of axis: a sight line, itself the difference of two uncertain positions; or a heading. */
#ifndef POV_PERCEPTION_EXPECTATION_H
#define POV_PERCEPTION_EXPECTATION_H

#include "perception/scene.h"

/** Two plane vectors with a joint Gaussian error, m and m^2: cov over (axis.x, axis.y, v.x, v.y). */
typedef struct {
    pov_vec2 axis_m, v_m;
    double cov_m2[4][4];
} pov_sight;

/** P(cos theta > 0); exactly +-90 degrees without noise counts as 0.
 *  Method: the sign of cos theta is that of a quadratic form in the four Gaussian coordinates; its distribution by
 *  inversion of the characteristic function (Imhof 1961, one-dimensional). Exact to 1e-4. */
double pov_expect_hemisphere_sight(const pov_sight *sight, double offset_rad);
/** The same against a heading (independent of v). Method: closed form over v, quadrature over the von Mises. */
double pov_expect_hemisphere_heading(const pov_heading *heading, const pov_sight *sight, double offset_rad);

/** E[cos theta] and E[cos^2 theta]. */
typedef struct {
    double cosine, cosine_squared;
} pov_cosine_moments;
pov_cosine_moments pov_expect_cosine_sight(const pov_sight *sight, double offset_rad);
/** Closed form over the heading: trigonometric moments of the von Mises (Mardia & Jupp 2000, eq. 3.5.24). */
pov_cosine_moments pov_expect_cosine_heading(const pov_heading *heading, const pov_sight *sight,
                                             double offset_rad);

#endif
