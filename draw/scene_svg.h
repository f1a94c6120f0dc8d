/** A scene drawn from above as an SVG: boxes with names, fronts, sight lines, fields of view, where a relation holds. */
#pragma once

#include "perception/relations/relation.h"
#include "perception/status.h"

/** A place where a thing is to be put, and the region about it that would do as well. */
typedef struct {
    pov_id object;
    pov_vec2 place_m;
    int corner_len;
    const double *corners_m; /* of a convex polygon, in order: x, y, x, y, ... */
} pov_scene_svg_goal;

/** Writes the drawing to `path`, whole or not at all (a temporary file beside it, then a rename).
 *  In:      acceptance: the judgment whose region is shaded about its relatum, darkest where it holds most; NULL: none.
 *           goal: drawn as a region, with an arrow to it from where the thing is; NULL: none.
 *  Shows:   the ground from above, north (or +y, without north) up; positions' ellipses at two standard deviations;
 *           what is far is an arrow at the border with its distance (svg_page.h);
 *           entities without a position are named at the foot. Colours differ in lightness too (Okabe & Ito 2008). */
POV_MUST_USE pov_status pov_scene_svg_write(const char *path, const pov_scene *scene,
                                            const pov_judgment *acceptance, const pov_scene_svg_goal *goal);
