/** What was found in an image, as lines and labels in its pixels, for whatever draws them: tags (outline and id, coloured
 *  by what became of them), balls' exact outlines, the table's axes, other entities as boxes or spheres, headings as arrows; and
 *  the boxes that detectors found of what has no place, as no camera pose is known. */
#ifndef POV_FIRMWARE_PICTURE_OVERLAY_H
#define POV_FIRMWARE_PICTURE_OVERLAY_H

#include "draw/canvas.h"
#include "firmware/picture/annotate.h"

enum { POV_OVERLAY_EDGE_PIECES_MAX = 24, POV_OVERLAY_OUTLINE_POINTS_MAX = 120 };

/** What draws. */
typedef struct {
    void *user;
    /** Through `len` points; one that is not finite leaves a gap. */
    void (*line)(void *user, const pov_vec2 *points_px, int len, pov_stroke stroke);
    void (*label)(void *user, const pov_canvas_label *label);
    int enlargement;    /* of the image */
    int edge_pieces;    /* of a straight edge, which the lens may bend */
    int outline_points; /* of a ball */
} pov_overlay_sink;

void pov_overlay_draw(const pov_overlay_sink *sink, const pov_annotation *what);

#endif
