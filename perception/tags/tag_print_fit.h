/** Sub-pixel corners of a tag whose print is known: the whole print, as optics blur it, is fitted to its pixels. */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/image/grey.h"
#include "perception/tags/tag_print_equations.h"

/** Moves corners that are within a pixel or so of a tag's own to where the print explains its pixels best.
 *  In and out: corner_px, in a tag's order (pov_tag). Unchanged if false.
 *  Out:        std_px: standard deviation of a corner's coordinate, of all four, as the residuals have it.
 *  Returns:    false if the pixels are not of this print: hidden, hardly any contrast, too few.
 *  Method:  least squares (Levenberg-Marquardt, Cauchy's weights) in light over at most 1200 pixels beside the boundaries
 *           of black and white: the square's projectivity, how its edges bow (a lens, a bent print), two levels and how they
 *           fade, blur, which may be wider one way, and how far black spreads into white. That is what ink, overexposure,
 *           sharpening and unknown tone curves do to edges; black cells and white ones tell it from the size of the print.
 *           No allocation; 180 KiB of stack. */
bool pov_tag_print_fit(pov_vec2 corner_px[4], double *std_px, const pov_tag_print *print,
                       const pov_grey *grey);

/** The cells of a print, which take a tenth of a fit's time to make. */
void pov_print_cells_make(pov_print_cells *cells, const pov_tag_print *print);
/** All that a fit finds but the print's place. Zero: nothing is known. */
typedef struct {
    bool is_known;
    double of[POV_PRINT_PARAMETERS - POV_PRINT_BOW];
} pov_tag_look;

/** As pov_tag_print_fit, of cells at hand. In and out: look: the last image's saves most of the fit's iterations; only the first
 *  fit of a print, without one, begins with a rough search. Unchanged if false. */
bool pov_print_cells_fit(pov_vec2 corner_px[4], double *std_px, pov_tag_look *look,
                         const pov_print_cells *cells, const pov_grey *grey);
