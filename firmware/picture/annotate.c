#include "firmware/picture/annotate.h"

#include "draw/canvas.h"
#include "firmware/picture/annotation_margin.h"
#include "firmware/picture/overlay.h"

#include <math.h>
#include <stdlib.h>

enum { LEGIBLE_WIDTH_PX = 720 };

struct pov_annotator {
    int width_px, height_px; /* of the images */
    int enlargement;
    int margin_px;
    pov_canvas canvas;
};

/* A thumbnail's text is as large, where it is shown, as a large picture's. */
static pov_status new_annotator(pov_annotator **annotator, int width_px, int height_px, int shown_width_px)
{
    POV_REQUIRE(width_px > 0 && height_px > 0 && width_px <= POV_IMAGE_SIDE_MAX_PX &&
                height_px <= POV_IMAGE_SIDE_MAX_PX);
    *annotator = calloc(1, sizeof **annotator);
    if (*annotator == NULL)
        return pov_error("out of memory for annotated images");
    pov_annotator *a = *annotator;
    a->width_px = width_px;
    a->height_px = height_px;
    int longest_px = width_px > height_px ? width_px : height_px;
    a->enlargement = longest_px >= LEGIBLE_WIDTH_PX ? 1 : (LEGIBLE_WIDTH_PX + longest_px - 1) / longest_px;
    a->canvas.unit_px = shown_width_px > 0 ? (double)a->enlargement * width_px / shown_width_px
                                           : fmax(1, a->enlargement * longest_px / 1280.0);
    a->margin_px = shown_width_px > 0 ? 0 : (int)(470 * a->canvas.unit_px);
    a->canvas.width_px = a->enlargement * width_px + a->margin_px;
    a->canvas.height_px = a->enlargement * height_px;
    a->canvas.stride_bytes = 3 * a->canvas.width_px;
    a->canvas.pixels = calloc((size_t)a->canvas.height_px, (size_t)a->canvas.stride_bytes);
    if (a->canvas.pixels == NULL) {
        pov_annotator_destroy(annotator);
        return pov_error("out of memory for annotated images of %d x %d px", width_px, height_px);
    }
    return pov_ok();
}

pov_status pov_annotator_new(pov_annotator **annotator, int width_px, int height_px)
{
    return new_annotator(annotator, width_px, height_px, 0);
}

pov_status pov_annotator_new_for_thumbnails(pov_annotator **annotator, int width_px, int height_px,
                                            int shown_width_px)
{
    POV_REQUIRE(shown_width_px > 0);
    return new_annotator(annotator, width_px, height_px, shown_width_px);
}

void pov_annotator_destroy(pov_annotator **annotator)
{
    if (*annotator != NULL)
        free((*annotator)->canvas.pixels);
    free(*annotator);
    *annotator = NULL;
}

/* ---- drawing ---- */

static void draw_line(void *canvas, const pov_vec2 *points_px, int len, pov_stroke stroke)
{
    pov_canvas_polyline(canvas, points_px, len, stroke);
}

static void draw_label(void *canvas, const pov_canvas_label *label)
{
    pov_canvas_label_at(canvas, label);
}

pov_status pov_annotator_draw(pov_annotator *annotator, pov_image *picture, const pov_annotation *annotation)
{
    pov_annotator *a = annotator;
    const pov_image *image = annotation->image;
    *picture = *image;
    picture->pixels = NULL;
    if (image->width_px != a->width_px || image->height_px != a->height_px)
        return pov_status_with(POV_SKIPPED, "%s: %d x %d px, not %d x %d px like the others: not annotated",
                               image->name, image->width_px, image->height_px, a->width_px, a->height_px);
    pov_rectangle inside = {0, 0, a->width_px * a->enlargement, a->height_px * a->enlargement};
    pov_canvas_image(&a->canvas, inside, image);
    const pov_overlay_sink sink = {.user = &a->canvas,
                                   .line = draw_line,
                                   .label = draw_label,
                                   .enlargement = a->enlargement,
                                   .edge_pieces = POV_OVERLAY_EDGE_PIECES_MAX,
                                   .outline_points = POV_OVERLAY_OUTLINE_POINTS_MAX};
    pov_overlay_draw(&sink, annotation);
    pov_canvas_place_labels(&a->canvas, inside);
    pov_rectangle margin = {inside.width_px, 0, a->margin_px, inside.height_px};
    if (a->margin_px > 0)
        pov_annotation_margin_draw(&a->canvas, margin, annotation);
    picture->pixels = a->canvas.pixels;
    picture->width_px = a->canvas.width_px;
    picture->height_px = a->canvas.height_px;
    picture->stride_bytes = a->canvas.stride_bytes;
    return pov_ok();
}
