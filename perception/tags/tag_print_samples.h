/** The pixels that determine a print's place: those beside its boundaries of black and white. For tag_print_fit.c. */
#ifndef POV_PERCEPTION_TAGS_TAG_PRINT_SAMPLES_H
#define POV_PERCEPTION_TAGS_TAG_PRINT_SAMPLES_H

#include "perception/geometry/geom.h"
#include "perception/image/grey.h"
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

void pov_print_cells_make(pov_print_cells *cells, const pov_tag_print *print);

/** The projectivity of the square [-1, 1]^2 to corners about `middle`: ((p0 u + p1 v + p2) / w, (p3 u + p4 v + p5) / w),
 *  w = p6 u + p7 v + 1 (Heckbert 1989, section 2.2). */
void pov_print_place(double p[8], const pov_vec2 corner[4], pov_vec2 middle);
/** A matrix that takes pixels to the square. */
void pov_print_place_inverse(double inverse[9], const double p[8]);
/** Mean square of half an edge. */
double pov_print_half_edge2_px2(const double p[8]);

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

/** Pixels worth looking at, evenly about the whole print. white: of the cell that each lies in. */
void pov_print_samples_gather(pov_print_samples *taken, const pov_print_cells *cells, const double p[8],
                              pov_vec2 middle, const pov_grey *grey);

#endif
