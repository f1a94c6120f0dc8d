/** Where the answers about a referent that goes round turn from no to yes and back: a Bayesian estimate from answers so far, as in adaptive
 *  psychometric methods (Kontsevich & Tyler 1999; Watson 2017), on a grid over the middle and half-width of the angles of yes, the
 *  slope and the lapse rate:
 *
 *      P(yes at phi) = lapse / 2 + (1 - lapse) / (1 + exp((|phi - middle| - half) / width)),
 *
 *  |.| the shorter way round. Pure. Memory: 86 kB each. */
#pragma once

#include <stdbool.h>

/** What the answers mean at each point of the grid; one for all estimates. 1.3 MB. */
typedef struct pov_flip_grid pov_flip_grid;

pov_flip_grid *pov_flip_grid_new(void);
void pov_flip_grid_destroy(pov_flip_grid **grid);

typedef struct pov_flip pov_flip;

/** Nothing is known: every point of the grid is as likely. */
pov_flip *pov_flip_new(void);
void pov_flip_destroy(pov_flip **flip);

/** An answer. In: p: of yes; in_words: it is 0 or 1, by the words of the answer. A probability tells more, also one of 0 or 1, as of a server that
 *  lists no other word: it counts as eight answers of which that share said yes (chosen: its scatter about the curve is then 0.18 at one
 *  half). To the nearest degree. About 15 us. */
void pov_flip_add(pov_flip *flip, const pov_flip_grid *grid, double phi_deg, double p, bool in_words);

/** The two angles at which P(yes) crosses one half, with their standard deviations, at least what the grid's steps allow. */
typedef struct {
    double to_yes_deg, to_yes_std_deg; /* counter-clockwise: from no to yes; in [0, 360) */
    double to_no_deg, to_no_std_deg;
    double width_deg, width_low_deg,
        width_high_deg;                  /* of the slope, and its central 95 %, of the grid's four */
    double lapse, lapse_low, lapse_high; /* of its three */
} pov_flips;

/** False: not known to 30 degrees yet; always yes, always no, or by chance, has none. 0.2 ms at most. */
bool pov_flip_find(pov_flips *flips, const pov_flip *flip);

/** What an answer at each of `len` angles, 360 / len degrees apart, would tell about the estimate: mutual information in bits, of one in
 *  words. About 40 us each. */
void pov_flip_gains(double gains[], int len, const pov_flip *flip, const pov_flip_grid *grid);

/** The same of known probabilities at equal steps round the circle, by interpolation; NaN: unknown. False: they do not cross one half
 *  just twice. Deviations are 0. */
bool pov_flip_cross(pov_flips *flips, const double p[], int len);
