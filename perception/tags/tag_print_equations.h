/** How a print's pixels should look, and the normal equations of a fit to how they do. For tag_print_fit.c. */
#ifndef POV_PERCEPTION_TAGS_TAG_PRINT_EQUATIONS_H
#define POV_PERCEPTION_TAGS_TAG_PRINT_EQUATIONS_H

#include "perception/tags/tag_print_samples.h"

/** What is fitted: eight numbers of the projectivity that takes the square [-1, 1]^2 to pixels about its middle, how far its
 *  edges bow along x and y, how much of the cube of their distance from the middle is added to places, light of black and
 *  white cells, the blur's standard deviation, by which share
 *  its variance is larger along x than along y, and along the one diagonal than the other, how far black reaches into white, by which share of itself the light grows
 *  toward the square's right and lower edge, and with squares and product of both. With bows and cube a lens' radial
 *  distortion is followed to the third order. */
enum {
    POV_PRINT_BOW = 8,
    POV_PRINT_CUBIC = 12,
    POV_PRINT_BLACK,
    POV_PRINT_WHITE,
    POV_PRINT_BLUR,
    POV_PRINT_SMEAR,
    POV_PRINT_SPREAD = POV_PRINT_SMEAR + 2,
    POV_PRINT_SLOPE,
    POV_PRINT_FADING = POV_PRINT_SLOPE + 2,
    POV_PRINT_PARAMETERS = POV_PRINT_FADING + 3
};

typedef struct {
    double information[POV_PRINT_PARAMETERS * POV_PRINT_PARAMETERS], gradient[POV_PRINT_PARAMETERS];
    double cost, squared, weight; /* Cauchy's cost, weighted squares, weights */
    double neighbours;            /* products of adjacent residuals */
} pov_print_equations;

/** Of every `every`-th sample, where the print is at p; those that Cauchy's weights call strangers count little, those that
 *  are not on the print from there do not count. */
void pov_print_linearise(pov_print_equations *sum, const pov_print_cells *cells,
                         const double p[POV_PRINT_PARAMETERS], const pov_print_samples *taken, int every);

#endif
