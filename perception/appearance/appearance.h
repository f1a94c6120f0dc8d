/** The looks of one object from all around, learnt from views of it as it turned once; and the angle at which a picture shows
 *  it.
 *
 *  The views, made alike in place and size by their silhouettes, are points on a closed curve in the space that they span
 *  (Murase & Nayar 1995, section 3); so are the silhouettes' boxes. A smooth curve goes through both. A query is explained
 *  by the place on the curve, a shift, a size and a light that together leave least: no grid of angles bounds how exact the
 *  answer is. Angles grow as those given with the views do. */
#pragma once

#include "perception/appearance/appearance_patch.h"
#include "perception/scene/scene.h"

enum {
    POV_VIEW_MAX = 180,
    POV_VIEW_MIN = 8,
    POV_APPEARANCE_DIMENSION_MAX = 40,
    POV_APPEARANCE_BOX = 4, /* silhouette: centre x, y in patch pixels; log of width, of height */
    POV_SYMMETRY_ALL = 0    /* order of an object of revolution */
};

typedef struct {
    double angle_rad;
    pov_patch patch;
} pov_view;

/** An object's looks as a file keeps them. 0.4 MB: not for the stack. */
typedef struct {
    int view_len, dimension;
    int symmetry; /* looks the same `symmetry` times a turn; 1: never, POV_SYMMETRY_ALL: from everywhere */
    bool has_front;
    double front_rad; /* the view in which its front looks at the camera */
    double widening; /* deviations of the angle, relative to those that independent pixel noise would cause */
    double doubt; /* by how much the evidence of single pixels for one view against another is overstated */
    double local_doubt
        [POV_VIEW_MAX]; /* so many times more so of answers near each view; 1 or more, times widening^2 too */
    double residual;    /* typical mean square of what a view leaves unexplained, in units of weight */
    double unexplained; /* the same as a share of the view's own contrast */
    double expected_error_rad,
        worst_error_rad; /* of each half of the views by the other; the mean without those mixed up; NAN: no front */
    pov_patch_square square; /* of the images it was learnt from, what the patches show */
    int image_width_px, image_height_px;
    double angle_rad[POV_VIEW_MAX]; /* increasing, within one turn */
    float box[POV_VIEW_MAX][POV_APPEARANCE_BOX];
    float weight[POV_PATCH_AREA]; /* 1 / standard deviation of a pixel about the curve */
    float mean[POV_PATCH_AREA];
    float axis[POV_APPEARANCE_DIMENSION_MAX][POV_PATCH_AREA]; /* orthonormal */
    float place[POV_VIEW_MAX][POV_APPEARANCE_DIMENSION_MAX];  /* of the views along the axes */
} pov_appearance_data;

/** Learns the curve. Symmetry is 1, widening and doubts 1 and the errors unknown until tried: appearance_trial.h.
 *  In: views in order of angle.
 *  Returns: POV_ERROR if there are too few or too many, two have one angle, or all are blank. */
POV_MUST_USE pov_status pov_appearance_learn(pov_appearance_data *data, const pov_view *views, int len);

/** The object in a picture, provided that it shows the object. */
typedef struct {
    pov_heading view; /* the angle, best fit first; len 0: looks the same from everywhere */
    double
        p_object; /* that it is this object at all, against anything else, both being as likely beforehand */
    double fraction_seen; /* of it, not hidden by something else */
    double shift_px[2];   /* patch pixels, and size: how the picture differs from the views */
    double scale;
    double residual; /* mean square left unexplained, as in the data */
    double unexplained;
} pov_likeness;

typedef struct pov_appearance pov_appearance;

/** Prepares for queries; keeps nothing of `data`. */
pov_appearance *pov_appearance_new(const pov_appearance_data *data);
void pov_appearance_destroy(pov_appearance **appearance);

/** Explains a patch. Best modes first; O(some thousand pixel operations x modes), no allocation. */
void pov_appearance_match(pov_appearance *appearance, pov_likeness *likeness, const pov_patch *patch);
