/** Printed targets: what is on each page, in millimetres from the page's top-left corner (x right, y down), and the map
 *  that says where its tags then are. */
#pragma once

#include "perception/geometry/tag.h"
#include "perception/tags/tag_print.h"

enum {
    POV_TARGET_PAGE_MAX = 32,
    POV_TARGET_MARK_MAX = 2048,
    POV_TARGET_LINE_MAX = 4096,
    POV_TARGET_TEXT_MAX = 1024
};

typedef struct {
    const char *name; /* "a4" */
    double width_mm, height_mm;
} pov_paper;
/** a3, a4, a5, letter, tabloid; NULL for another name. */
const pov_paper *pov_paper_find(const char *name);

/** A square of cells: a tag, a marker, or one black cell. */
typedef struct {
    int page;
    pov_vec2 centre_mm;
    double turn_rad; /* clockwise as one sees the page */
    double cell_mm;
    pov_tag_print print;
} pov_target_mark;

typedef enum { POV_TARGET_CUT, POV_TARGET_FOLD, POV_TARGET_RULE } pov_target_line_kind;
typedef struct {
    int page;
    pov_target_line_kind kind;
    pov_vec2 from_mm, to_mm;
} pov_target_line;

/** Words about a point: `align` 0 begins there, 0.5 is centred on it, 1 ends there. */
typedef struct {
    int page;
    pov_vec2 at_mm;
    double height_mm, turn_rad, align;
    char words[160];
} pov_target_text;

typedef struct {
    double page_width_mm, page_height_mm;
    int page_len, mark_len, line_len, text_len;
    pov_target_mark marks[POV_TARGET_MARK_MAX];
    pov_target_line lines[POV_TARGET_LINE_MAX];
    pov_target_text texts[POV_TARGET_TEXT_MAX];
    pov_tag_map map;     /* of its tags, in the target's own frame; empty for boards without tags */
    char map_about[200]; /* where that frame is */
} pov_target;

/** The parts of all targets of tags. */
typedef struct {
    const pov_paper *paper;
    pov_tag_family family;
    int first_id;
    double edge_mm; /* of the square whose corners are detected */
} pov_target_tags;

/** Rows and columns of tags on one page, `gap_mm` between their black squares. Frame: the middle of the page, x right,
 *  y up the page, z out of it.
 *  Each returns POV_ERROR saying what does not fit and what would. */
POV_MUST_USE pov_status pov_target_sheet(pov_target *target, const pov_target_tags *tags, int columns,
                                         int rows, double gap_mm);
/** A flat ring of `count` tags for a turntable's disc, their tops toward its middle; cut into sectors that fit the page.
 *  Frame: the disc's centre, z up; tag i's middle is at azimuth 360 i / count from x, counter-clockwise, at `radius_mm`. */
POV_MUST_USE pov_status pov_target_ring(pov_target *target, const pov_target_tags *tags, int count,
                                        double radius_mm);
/** A cube to cut out, fold and glue, with six tags. Frame: its centre; the first four tags face +x, +y, -x, -y, upright;
 *  the fifth is on top, the last below. */
POV_MUST_USE pov_status pov_target_cube(pov_target *target, const pov_target_tags *tags, double side_mm);
/** Kalibr's arrangement of tags with black squares at the corners between them. Frame: as the sheet's, but from the
 *  lower left tag's lower left corner. */
POV_MUST_USE pov_status pov_target_aprilgrid(pov_target *target, const pov_target_tags *tags, int columns,
                                             int rows, double gap_per_edge);

/** The cells of a ChArUco board's marker, black border included. */
typedef pov_status (*pov_marker_print)(pov_tag_print *print, int id, const void *dictionary);
typedef struct {
    const pov_paper *paper;
    int columns, rows;
    double square_mm, marker_mm;
    bool
        before_4_6; /* OpenCV's older pattern: in a board with an even number of rows the first square is white */
    pov_marker_print marker;
    const void *dictionary; /* handed to `marker` */
    const char *name;       /* of the dictionary, for the caption */
} pov_target_charuco_board;
POV_MUST_USE pov_status pov_target_charuco(pov_target *target, const pov_target_charuco_board *board);
