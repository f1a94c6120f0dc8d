/** Drawing that stays legible on light and dark pictures: anti-aliased lines with a dark rim, labels that do
 * not overlap, text. Pixels as in pov_image: (0, 0) is the centre of the top-left one; anything may lie
 * outside. */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/image/colour.h"
#include "perception/image/image.h"

#include <stdint.h>

enum { POV_CANVAS_LABEL_MAX = 320, POV_CANVAS_CLEAR_MAX = 64, POV_CANVAS_TEXT_CAPACITY = 128 };

typedef struct {
    pov_vec2 anchor_px;
    double distance_px; /* kept between the anchor and the label's box; 0: the label may cover its anchor */
    pov_vec2 toward;    /* where from the anchor the label is best; zero: upward */
    pov_colour colour;
    char text[POV_CANVAS_TEXT_CAPACITY];
} pov_canvas_label;

/** A drawing surface; `pixels` belong to the caller. `unit_px` scales lines and text: 1 suits about 720 to
 * 1280 px. */
typedef struct {
    uint8_t *pixels;
    int width_px, height_px, stride_bytes;
    double unit_px;
    int label_len;
    pov_canvas_label labels[POV_CANVAS_LABEL_MAX];
    int clear_len;
    pov_rectangle clear[POV_CANVAS_CLEAR_MAX];
} pov_canvas;

/** The look of a line: `thickness` in units. */
typedef struct {
    pov_colour colour;
    double thickness;
    bool closed;
} pov_stroke;

/** Draws lines through `count` points. A point that is not finite leaves a gap. */
void pov_canvas_polyline(pov_canvas *canvas, const pov_vec2 *points_px, int count, pov_stroke stroke);
/** Mixes `opacity` (0..1) of a colour into a rectangle. */
void pov_canvas_fill(pov_canvas *canvas, pov_rectangle area, pov_colour colour, double opacity);

/** Copies an image, scaled to fill `place`, which must lie within the canvas. */
void pov_canvas_image(pov_canvas *canvas, pov_rectangle place, const pov_image *image);

/** Text in UTF-8, its baseline starting at a point; longer than the capacity it is cut, between letters. Without cairo on the system
 * (draw/cairo_loaded.h), letters beyond ASCII show as '?'. */
void pov_canvas_text(pov_canvas *canvas, const char *text, pov_vec2 baseline_px, pov_colour colour);
double pov_canvas_text_width_px(const pov_canvas *canvas, const char *text);
/** From one line's baseline to the next. */
double pov_canvas_line_height_px(const pov_canvas *canvas);

/** Remembers a label for pov_canvas_place_labels; one over the capacity, or at no finite place, is not drawn.
 */
void pov_canvas_label_at(pov_canvas *canvas, const pov_canvas_label *label);
/** An area, such as a thing in the picture, that labels keep off, but for one of over half of the picture; except those that may cover
 * their anchor. One over the capacity is not kept. */
void pov_canvas_keep_clear(pov_canvas *canvas, pov_rectangle area);
/** Places and draws the remembered labels within `area`, each as near its anchor as those before it and the clear areas allow, with a line
 *  to it where that is not beside it; then forgets them and the clear areas.
 *  Returns: how many labels found no free place, and are left out. */
int pov_canvas_place_labels(pov_canvas *canvas, pov_rectangle area);
