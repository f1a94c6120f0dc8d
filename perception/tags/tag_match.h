/** Whether a known tag is where it is expected, without a search of the image: its print is laid over the pixels. */
#pragma once

#include "perception/geometry/tag.h"
#include "perception/image/grey.h"
#include "perception/tags/tag_print_fit.h"

/** The cells of a tag, from the upper left corner of the square whose corners are detected: column and row of each cell's
 *  middle, and whether it is printed white. */
typedef struct {
    pov_print_cells cells;
    int edge_cells, len;
    bool dark_outside; /* of that square, white inside: tagStandard41h12 and its like */
    struct {
        float column, row;
        bool white;
    } cell[POV_TAG_PRINT_SIDE_MAX * POV_TAG_PRINT_SIDE_MAX];
} pov_tag_pattern;

void pov_tag_pattern_make(pov_tag_pattern *pattern, const pov_tag_print *print);

/** A tag, and how its print looked in the last image. */
typedef struct {
    pov_tag tag;
    pov_tag_look look;
} pov_followed_tag;

/** Finds the tag of this pattern whose corners are near tag.corner_px, shifted by at most `reach_px` along each axis.
 *  Out:     followed: look; of tag: corner_px, corner_std_px, decision_margin, bits_corrected. Unchanged if false.
 *  Returns: false if there is no such tag, or not one whose print can be fitted, or more than `bits_max` cells differ.
 *  Method:  the shift with the largest contrast between white and black cells; pov_tag_print_fit; then every cell is
 *           read at its middle. Corners are as accurate as those of a whole search. */
bool pov_tag_match(pov_followed_tag *followed, const pov_tag_pattern *pattern, const pov_grey *grey,
                   double reach_px, int bits_max);
