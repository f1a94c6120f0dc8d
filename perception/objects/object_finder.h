/** Finds enrolled objects on a table: place, heading, visible share, and the probability that it is the object at all.
 *
 *  The table's plane is known, so only places on it are searched: coarsely by a few large patches of colour, then by a fit of
 *  the portraits' points. In a video, an object is followed from where it was, and the table is searched in parts. */
#pragma once

#include "perception/appearance/portrait.h"
#include "perception/geometry/camera.h"
#include "perception/image/image.h"
#include "perception/scene/scene.h"
#include "perception/tasks.h"
#include "perception/tracking/memory.h"

enum { POV_OBJECT_MAX = 16, POV_OBJECT_OTHERS_MAX = 256 };

/** A part of the table, in its frame. */
typedef struct {
    pov_vec2 low_m, high_m;
} pov_object_area;

typedef struct {
    const pov_portraits *portraits;      /* read by pov_object_finder_new, not kept */
    double stands_on_m, stands_on_std_m; /* height of what it stands on */
    bool is_another;                     /* of the same make as the one before it: two mugs alike */
} pov_object_kind;

typedef struct {
    int kind_len;
    pov_object_kind kinds[POV_OBJECT_MAX];
    bool has_area; /* else all of the plane that is in view is searched */
    pov_object_area area;
    const pov_workers *workers; /* look for kinds side by side; NULL: one after another */
} pov_object_finder_config;

typedef struct {
    bool found;
    pov_position position; /* of its box's middle, in the table frame */
    pov_vec3 size_m; /* of its box; x along its front, or along the camera's direction when it was enrolled */
    pov_rot R_table_box;
    pov_heading heading; /* of its front; len 0: it has none */
    double fraction_visible;
    double p_kind
        [POV_OBJECT_MAX]; /* that the thing there is this kind or another of its make; with p_none they sum to 1 */
    double p_none;
} pov_object_finding;

typedef struct {
    int len;
    pov_object_finding findings[POV_OBJECT_MAX]; /* one a kind, in the configuration's order */
} pov_object_findings;

/** A part of an image that is known to show something else: a tag of the map, say. */
typedef struct {
    pov_vec2 corner_px[4]; /* of a convex quadrilateral, in order */
    double depth_m;        /* of its middle, along the camera's axis */
} pov_object_other;

typedef struct {
    int len;
    pov_object_other others[POV_OBJECT_OTHERS_MAX];
} pov_object_others;

typedef struct pov_object_finder pov_object_finder;

/** Allocates all work space for images of the camera's size. POV_ERROR names a kind without portraits. */
POV_MUST_USE pov_status pov_object_finder_new(pov_object_finder **finder,
                                              const pov_object_finder_config *config,
                                              const pov_camera *camera);
void pov_object_finder_destroy(pov_object_finder **finder);

/** Finds each kind once at most. Kinds of one make may be swapped. In: image of the camera's size (else POV_SKIPPED);
 *  T_table_camera, NULL when unknown: then nothing is found; others, or NULL; memory of pov_object_memory's shape, or NULL: then
 *  the whole table is searched. */
POV_MUST_USE pov_status pov_object_finder_run(pov_object_finder *finder, pov_object_findings *findings,
                                              const pov_image *image, const pov_pose *T_table_camera,
                                              const pov_object_others *others, pov_memory *memory);
/** Then, when nobody waits for the image any more: searches a part of it, whose find the next image reports, and notes all for the
 *  next. Same image. Without this call nothing of the image is remembered. */
void pov_object_finder_remember(pov_object_finder *finder, const pov_image *image, pov_memory *memory);
extern const pov_memory_shape pov_object_memory;
