/** Candidate balls: circles drawn through the borders of regions of the right colour. */
#ifndef POV_PERCEPTION_BALLS_BALL_SEARCH_H
#define POV_PERCEPTION_BALLS_BALL_SEARCH_H

#include "perception/balls/ball_view.h"

enum { POV_BALL_GUESS_MAX = 64 };

/** A circle that may be a ball's outline, to a pixel or two. */
typedef struct {
    double x_px, y_px, radius_px;
    double score; /* share of its border that parts ball-coloured from other pixels, and a little for its
                     filling */
} pov_ball_guess;

/** Best first. */
typedef struct {
    int len;
    pov_ball_guess guess[POV_BALL_GUESS_MAX];
} pov_ball_guesses;

typedef struct pov_ball_search pov_ball_search;

POV_MUST_USE pov_status pov_ball_search_new(pov_ball_search **search, const pov_ball_detector_config *config,
                                            const pov_camera *camera);
void pov_ball_search_destroy(pov_ball_search **search);

/** Labels each pixel with the kinds it may belong to (none inside the masks) and guesses circles for each
 * kind. Returns: the labelled view, valid until the next run. Out: guesses, one list for each kind. In:
 * T_table_camera may be NULL; with it, kinds of known height are sought only in the size they must have. */
pov_ball_view pov_ball_search_run(pov_ball_search *search, pov_ball_guesses *guesses, const pov_image *image,
                                  const pov_transform *T_table_camera);

#endif
