/** The predicted pixels of a print, and the normal equations of its fit. For tag_print_fit.c. */
#ifndef POV_PERCEPTION_TAGS_TAG_PRINT_EQUATIONS_H
#define POV_PERCEPTION_TAGS_TAG_PRINT_EQUATIONS_H

#include "perception/tags/tag_print_samples.h"

/** The unknowns. PROJECTIVITY: eight numbers that take the square [-1, 1]^2 to pixels about its middle. BOW: bending of the
 *  four edges along x and y. CUBIC: share of the cubed distance from the middle that is added to places. BLACK, WHITE: light
 *  of the cells. BLUR: its standard deviation. SMEAR: share by which its variance is larger along x than along y, and along
 *  one diagonal than along the other. SPREAD: how far black reaches into white. SLOPE, FADING: share by which light grows
 *  toward the square's right and lower edge, and with the squares and the product of both. Bow and cube follow a lens' radial
 *  distortion to the third order. */
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

/** Sums over every `every`-th sample, the print being at p. Cauchy's weights reduce outliers; samples that are not on the
 *  print from there are left out. */
void pov_print_linearise(pov_print_equations *sum, const pov_print_cells *cells,
                         const double p[POV_PRINT_PARAMETERS], const pov_print_samples *taken, int every);

#endif
