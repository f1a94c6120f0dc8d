/** Coordinate frames of a robot, as others tell of them: each is in its parent, for ever or with a history of a few seconds. Pure.
 *
 *  A place at a time between two that were told is interpolated; nothing is ever extrapolated. */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/status.h"

#include <stdint.h>

enum { POV_FRAME_NAME_CAPACITY = 128, POV_FRAME_MAX = 2000 /* a humanoid has some 100; chosen */ };

typedef struct pov_frame_tree pov_frame_tree;

/** gap_max_ns: between two places of a frame that are interpolated. NULL: no memory. */
pov_frame_tree *pov_frame_tree_new(int64_t gap_max_ns);
void pov_frame_tree_destroy(pov_frame_tree **tree);

typedef struct {
    const char *parent, *child;
    pov_transform T_parent_child;
    int64_t stamp_ns;
    bool is_static; /* it stays there; the stamp does not count */
} pov_frame_told;
/** A frame that changes its parent, or whose time jumps back by more than it remembers, begins again.
 *  Returns: false: it has no name, is its own parent, is as old as the oldest that is kept, or there are POV_FRAME_MAX already. */
bool pov_frame_tree_add(pov_frame_tree *tree, const pov_frame_told *told);

int pov_frame_tree_len(const pov_frame_tree *tree);

typedef struct {
    pov_transform T_to_from;
    double rate[6]; /* of its error state, a second: how fast it moves at that time */
} pov_frame_place;
/** Where `from` is in `to` at a time.
 *  Returns: POV_OK; POV_TIMEOUT: a frame between them is known until before that time only; POV_ERROR: a frame is missing, they are not
 *           in one tree, or a frame is known from after that time only, or with a gap there. The message names the frame. */
POV_MUST_USE pov_status pov_frame_tree_find(const pov_frame_tree *tree, pov_frame_place *place,
                                            const char *to, const char *from, int64_t stamp_ns);

/** The newest time at which `from` is known in `to`; INT64_MIN: it is not. */
int64_t pov_frame_tree_newest(const pov_frame_tree *tree, const char *to, const char *from);
