/** Layouts as language models write them (FoREST, section 4.2: Premsri & Kordjamshidi 2025): a box for each of two things on
 *  a picture of 512 x 512 px, in lists, tuples, JSON or prose. Pure. docs/SCORES.md has the grammar. */
#pragma once

#include "compare/answers/answer_parse.h"

enum { POV_LAYOUT_SIDE_PX = 512 };

/** Edges in px from the picture's top left. */
typedef struct {
    double left_px, top_px, right_px, bottom_px;
} pov_layout_box;

/** Other ways to write boxes than (x, y, width, height) in pixels. */
typedef enum {
    POV_LAYOUT_HEIGHT_FIRST, /* the answer says so: "(x, y, height, width)" */
    POV_LAYOUT_CORNERS,      /* it says so, or keys do: "x1, y1, x2, y2" */
    POV_LAYOUT_SHARES,       /* of the picture's side: every number is 1 at most, or has a % */
    POV_LAYOUT_SWAPPED, /* nothing says so, but as written a box sticks out of the picture, and with width and height
                                swapped it would not: it is read as written */
    POV_LAYOUT_OUTSIDE, /* a box sticks out of the picture either way */
    POV_LAYOUT_REMARKS
} pov_layout_remark;
/** "height_first", ... */
const char *pov_layout_remark_name(pov_layout_remark value);

typedef struct {
    pov_layout_box locatum, relatum;
    bool remarks[POV_LAYOUT_REMARKS];
} pov_box_layout;

/** The last box of each thing, by its name ("the tabby cat" is a cat). POV_ANSWER_UNCLEAR: one of them has none, or one
 *  without area. The model's thoughts (<think> ... </think>) are not read. */
pov_answer_kind pov_box_layout_read(pov_box_layout *layout, const char *answer, const char *locatum,
                                    const char *relatum);

/** True if the locatum is left (right) of the relatum by their centres: by more than 1 px, as in pictures. */
bool pov_box_layout_is_left(const pov_box_layout *layout);
bool pov_box_layout_is_right(const pov_box_layout *layout);
