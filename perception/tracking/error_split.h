/** Splits a claimed covariance into a part that fluctuates from image to image and a part that lasts.
 *
 *  A finder claims the covariance of one image's finding. The next image of a still scene has much of the same error: lens,
 *  light, pixel grid and surveyed height are the same. Averaging removes only the fluctuating part. The scatter of a still
 *  thing's findings measures that part; the rest of the claimed covariance lasts.
 *
 *  The share is a matrix in whitened coordinates (those of the claimed covariance's Cholesky factor): a height that is known
 *  beforehand may last while a bearing fluctuates. Pure. */
#pragma once

enum { POV_ERROR_SPLIT_MAX = 6 };

typedef struct {
    int n;
    double share[POV_ERROR_SPLIT_MAX * POV_ERROR_SPLIT_MAX]; /* n x n; identity: all of it fluctuates */
    double weight; /* number of images in the mean, the prior's included */
} pov_error_split;

/** The prior: a quarter fluctuates, with the weight of eight images. */
void pov_error_split_start(pov_error_split *split, int n);
/** Learns from the innovation of a still thing. scale: its expected variance, in units of one image's fluctuation. claimed:
 *  n x n, positive definite. */
void pov_error_split_learn(pov_error_split *split, const double *innovation, const double *claimed,
                           double scale);
/** Splits a claimed covariance. While the share is uncertain, the two parts together exceed the claim. If findings fluctuate more
 *  than claimed, the larger covariance is used and no part lasts. */
void pov_error_split_apply(const pov_error_split *split, double *fluctuating, double *lasting,
                           const double *claimed);
/** For a moving thing: half of the error that lasts at rest changes with its place. */
pov_error_split pov_error_split_in_motion(const pov_error_split *split);
