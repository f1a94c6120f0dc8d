/** Candidate balls: circles drawn through the borders of regions of the right colour. */
#pragma once

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

/** An image to search or to fit balls in, valid until the next one is begun. */
pov_ball_view pov_ball_search_begin(pov_ball_search *search, const pov_image *image);

/** A part of the image to search, and the effort. */
typedef struct {
    pov_rectangle area; /* of the image: borders that begin there */
    bool only_top;      /* only those whose uppermost pixel lies there */
    uint16_t kinds;     /* bit k: kind k is sought */
    int tries_max;      /* circles, of each kind */
} pov_ball_part;

/** The whole image, all kinds. */
pov_ball_part pov_ball_part_whole(const pov_ball_search *search);

/** Guesses circles for each kind that the part names; the others' lists are cleared.
 *  Out: guesses, one list for each kind. In: view from pov_ball_search_begin; a search of the whole image labels it.
 *  T_table_camera may be NULL; with it, kinds of known height are sought only in the size they must have. */
void pov_ball_search_run(pov_ball_search *search, pov_ball_guesses *guesses, pov_ball_view *view,
                         const pov_ball_part *part, const pov_transform *T_table_camera);

/** The score that a search gives such a circle. */
double pov_ball_circle_score(const pov_ball_search *search, const pov_ball_view *view, int kind,
                             const pov_ball_guess *circle);
