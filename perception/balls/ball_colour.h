/** Colours of balls under any light: what of a colour shading leaves alone. */
#ifndef POV_PERCEPTION_BALLS_BALL_COLOUR_H
#define POV_PERCEPTION_BALLS_BALL_COLOUR_H

#include "perception/balls/ball_detector.h"

/** Lightness, purity (chroma by lightness) and hue in Oklab (Ottosson 2020). More or less of the same light
 * changes lightness only; a highlight or a pale surface lowers purity. */
typedef struct {
    double lightness, purity, hue_rad;
} pov_tint;

/** Of linear light, each channel in [0, 1]. */
pov_tint pov_tint_of_linear(const double rgb[3]);
pov_tint pov_tint_of(pov_colour colour);

/** False for black, grey, white and the palest colours: such a ball cannot be told by its hue. */
bool pov_colour_has_hue(pov_colour colour);

/** How unlike a ball's named colour a tint is: 0 the same, 1 at the edge of what may be that ball, lit
 * somehow. */
double pov_tint_distance(const pov_tint *tint, const pov_tint *named);

enum { POV_COLOUR_TABLE_BITS = 6, POV_COLOUR_TABLE_SIZE = 1 << (3 * POV_COLOUR_TABLE_BITS) };

/** Which kinds a pixel may belong to, looked up by its leading bits; and sRGB's decoding. */
typedef struct {
    uint16_t kinds[POV_COLOUR_TABLE_SIZE]; /* bit k: kind k */
    uint16_t vivid[POV_COLOUR_TABLE_SIZE]; /* likewise, only colours about as pure as the named one */
    float linear[256];
} pov_colour_table;

void pov_colour_table_fill(pov_colour_table *table, const pov_ball_kind *kinds, int kind_len);

/** Index of a pixel in the tables. */
static inline int pov_colour_table_index(const uint8_t *rgb)
{
    enum { DROP = 8 - POV_COLOUR_TABLE_BITS };
    int red = rgb[0] >> DROP, green = rgb[1] >> DROP, blue = rgb[2] >> DROP;
    return ((red << POV_COLOUR_TABLE_BITS | green) << POV_COLOUR_TABLE_BITS) | blue;
}

#endif
