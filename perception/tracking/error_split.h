/** Which part of a claimed error is drawn anew in each image, and which part lasts.
 *
 *  A finder says how far off one image's finding may be. A second image of a still scene has much of the same error: the
 *  lens, the light, the pixels' grid and the surveyed height are the same. Averaging takes away only what fluctuates. How
 *  much that is can be seen: it is what a still thing's findings scatter by. The rest of what was claimed lasts.
 *
 *  The share is a matrix in the coordinates in which the claimed error is one unit in each direction (those of its
 *  Cholesky factor), so that a height that is known beforehand may last while a bearing fluctuates. Pure. */
#ifndef POV_PERCEPTION_TRACKING_ERROR_SPLIT_H
#define POV_PERCEPTION_TRACKING_ERROR_SPLIT_H

enum { POV_ERROR_SPLIT_MAX = 6 };

typedef struct {
    int n;
    double share[POV_ERROR_SPLIT_MAX * POV_ERROR_SPLIT_MAX]; /* n x n; identity: all of it fluctuates */
    double weight; /* of how many images the share is the mean, the prior's included */
} pov_error_split;

/** Before anything is seen: a quarter fluctuates, as sure as after eight images. */
void pov_error_split_start(pov_error_split *split, int n);
/** Takes in that a still thing was found `innovation` from where it was thought to be; `scale` is what that should
 *  vary by, in units of one image's fluctuation. claimed: n x n, positive definite. */
void pov_error_split_learn(pov_error_split *split, const double *innovation, const double *claimed,
                           double scale);
/** Splits a claimed covariance. The two are more than their sum by as much as the share is not known yet. What fluctuates
 *  more than was claimed is believed, and nothing lasts then. */
void pov_error_split_apply(const pov_error_split *split, double *fluctuating, double *lasting,
                           const double *claimed);
/** For what moves: half of what lasts while it is still changes with its place. */
pov_error_split pov_error_split_in_motion(const pov_error_split *split);

#endif
