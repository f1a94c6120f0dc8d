/** An image prepared for balls: labelled by tint, in linear light, with masks. */
#pragma once

#include "perception/balls/ball_kind.h"
#include "perception/geometry/camera.h"

#include <stddef.h>

/** Lightness, purity (chroma by lightness) and hue in Oklab (Ottosson 2020). More or less of the same light
 * changes lightness only; a highlight or a pale surface lowers purity. */
typedef struct {
    double lightness, purity, hue_rad;
    double hue[2]; /* its cosine and sine; 0 for grey */
} pov_tint;

/** Linear light: red, green and blue in [0, 1], and 0. One vector instruction works on all. */
typedef float pov_light __attribute__((vector_size(16)));

double pov_light_distance(pov_light a, pov_light b);

pov_tint pov_tint_of_light(pov_light light);
pov_tint pov_tint_of(pov_colour colour);
/** Whether light has at least such a purity and less than such a lightness, and a hue nearer than 25 degrees to that of `ball`:
 *  faster than by pov_tint_of_light. */
bool pov_light_is_like(pov_light light, const pov_tint *ball, double purity_min, double lightness_max);

/** False for black, grey, white and the palest colours: a ball of such a colour cannot be detected by hue. */
bool pov_colour_has_hue(pov_colour colour);

/** Distance of a tint from a ball's named colour: 0 the same, 1 the largest that light explains. */
double pov_tint_distance(const pov_tint *tint, const pov_tint *named);

enum { POV_COLOUR_TABLE_BITS = 6, POV_COLOUR_TABLE_SIZE = 1 << (3 * POV_COLOUR_TABLE_BITS) };

/** The kinds that a pixel may belong to, by its leading bits; and sRGB's decoding. */
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

typedef struct {
    const pov_image *image;
    const uint16_t
        *labels; /* of each pixel, rows of width_px; NULL: a pixel is labelled when it is asked for */
    const pov_colour_table *table;
    const pov_camera *camera;
    const pov_ball_detector_config *config;
    uint16_t common; /* kinds of which only vivid pixels count */
} pov_ball_view;

/** Label by colour alone, without masks; bit k: the pixel may belong to kind k. */
static inline uint16_t pov_ball_label_of(const pov_colour_table *table, uint16_t common, const uint8_t *rgb)
{
    const int i = pov_colour_table_index(rgb);
    return (uint16_t)((table->kinds[i] & ~common) | (table->vivid[i] & common));
}

/** Bilinear; false if the pixel is masked or outside the image. */
bool pov_ball_view_sample(const pov_ball_view *view, pov_light *light, pov_vec2 pixel);

/** Places on a line through the image, `step` apart. */
typedef struct {
    pov_vec2 first, step;
} pov_ball_line;

/** Whether none of the first `len` places is masked or outside the image. */
bool pov_ball_view_is_open(const pov_ball_view *view, const pov_ball_line *line, int len);
/** The light at places first .. end - 1 of an open line, bilinear, to the same elements of `lights`. */
void pov_ball_view_sample_line(const pov_ball_view *view, pov_light *lights, const pov_ball_line *line,
                               int first, int end);

/** Label at the nearest pixel; false outside the image. */
bool pov_ball_view_is_kind(const pov_ball_view *view, int kind, pov_vec2 pixel);

/** Whether the nearest pixel is masked or outside the image. */
bool pov_ball_view_is_hidden(const pov_ball_view *view, pov_vec2 pixel);

/** Whether a pixel is masked. */
bool pov_ball_view_is_masked(const pov_ball_view *view, int x, int y);

/** Label of a pixel of the image; 0 where it is masked. */
static inline uint16_t pov_ball_view_label(const pov_ball_view *view, int x, int y)
{
    if (view->labels)
        return view->labels[(size_t)y * (size_t)view->camera->width_px + (size_t)x];
    if (view->config->mask_len > 0 && pov_ball_view_is_masked(view, x, y))
        return 0;
    return pov_ball_label_of(view->table, view->common,
                             view->image->pixels + (size_t)y * (size_t)view->image->stride_bytes +
                                 3 * (size_t)x);
}
