/** The pixels that a print is fitted to, and the normal equations of the fit. */
#pragma once

#include "perception/tags/tag_print.h"

enum { POV_PRINT_PAD = 2, POV_PRINT_GRID = POV_TAG_PRINT_SIDE_MAX + 2 * POV_PRINT_PAD };
enum {
    POV_PRINT_SIGHT = 2,
    POV_PRINT_AROUND = 2 * POV_PRINT_SIGHT + 1
}; /* cells that a blur is seen to reach */
enum { POV_PRINT_SAMPLE_MAX = 1200, POV_PRINT_CANDIDATE_MAX = 6000 };

/** The print with two cells of nothing around it. */
typedef struct {
    int side;         /* with padding */
    float half, edge; /* of the side and of the square in its middle, in cells */
    bool white[POV_PRINT_GRID][POV_PRINT_GRID];
    uint32_t around[POV_PRINT_GRID]
                   [POV_PRINT_GRID]; /* bit POV_PRINT_AROUND * (SIGHT + down) + SIGHT + across: white there */
    uint16_t differ[POV_PRINT_GRID]
                   [POV_PRINT_GRID]; /* bit 3 * (1 + down) + 1 + across: that neighbour's colour does */
    uint16_t unknown[POV_PRINT_GRID]
                    [POV_PRINT_GRID]; /* likewise: that neighbour, or the cell, is not printed */
} pov_print_cells;

/** A pixel: from the square's middle, and how much it has of the bows along its rows and columns and of the square of its
 *  distance, in half-edges. */
typedef struct {
    float x_px, y_px, bow_u, bow_v, distance2, light;
    bool white;
} pov_print_sample;

/** Room for candidates; at most POV_PRINT_SAMPLE_MAX in the end. */
typedef struct {
    int len;
    pov_print_sample list[POV_PRINT_CANDIDATE_MAX];
} pov_print_samples;

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

/** Out: the matrix that takes pixels to the square. */
void pov_print_place_inverse(double inverse[9], const double p[8]);

/** Sums over every `every`-th sample, the print being at p. Cauchy's weights reduce outliers; samples that are not on the
 *  print from there are left out. */
void pov_print_linearise(pov_print_equations *sum, const pov_print_cells *cells,
                         const double p[POV_PRINT_PARAMETERS], const pov_print_samples *taken, int every);
