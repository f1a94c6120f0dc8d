/** Draws into a copy of an image what was found in it, and beside it, in words, what follows.
 *
 *  In the picture: tags (outline, id, coloured by what became of them), balls' exact outlines, table axes,
 * other entities as boxes or spheres, headings as arrows on the ground; without a camera pose, the boxes in which
 * detectors found things and people. In a margin at its right: the image, its pose, entities, and the relations that
 * hold. Small images are enlarged so that labels are legible. */
#pragma once
#include "draw/canvas.h"
#include "perception/balls/ball_detector.h"
#include "perception/geometry/camera.h"
#include "perception/geometry/tag.h"
#include "perception/image/image.h"
#include "perception/observation/observation.h"
#include "perception/tags/tag_pose.h"

/** The findings of an image as lines and labels in its pixels, for any drawing backend: tags (outline and id,
 *  coloured by what became of them), balls' exact outlines, the table's axes, other entities as boxes or spheres,
 *  headings as arrows; and the boxes of detections without a position, if the camera's pose is unknown. */

enum { POV_OVERLAY_EDGE_PIECES_MAX = 24, POV_OVERLAY_OUTLINE_POINTS_MAX = 120 };

/** The findings of an image; NULL parts are not drawn. */
typedef struct {
    const pov_image *image;
    const pov_camera *camera;           /* needed for anything but tags */
    const pov_observation *observation; /* pose, entities, judgments */
    const pov_tags *tags;
    const pov_camera_pose *camera_pose; /* the tags' outcomes; NULL: unknown */
    const pov_balls *balls;
    const pov_ball_kind *ball_kinds; /* of balls' `kind`; needed for their outlines */
    const pov_id *ball_entity;       /* which entity each ball is; NULL: labelled by kind */
} pov_annotation;

/** The drawing backend. */
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
/** The part of the image that an entity takes, whether or not others hide it. False: it is not known, or outside. */
bool pov_overlay_box(pov_pixel_box *box, const pov_annotation *what, pov_id id);

typedef struct pov_annotator pov_annotator;

/** Allocates all it needs for images of this size. */
pov_annotator *pov_annotator_new(int width_px, int height_px);
/** For thumbnails: no margin, and lines and labels so large that they are legible where the picture is shrunk to
 *  `shown_width_px`. */
pov_annotator *pov_annotator_new_for_thumbnails(int width_px, int height_px, int shown_width_px);
void pov_annotator_destroy(pov_annotator **annotator);

/** Out: picture with margin, its pixels borrowed until the next call; name, sequence and time as the image's.
 *  Returns POV_SKIPPED if the image is not of the annotator's size. */
POV_MUST_USE pov_status pov_annotator_draw(pov_annotator *annotator, pov_image *picture,
                                           const pov_annotation *annotation);
