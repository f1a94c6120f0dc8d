/** Putting things on a target's pages; for the targets themselves. */
#ifndef POV_CALIB_BOARDS_TARGET_PAGE_H
#define POV_CALIB_BOARDS_TARGET_PAGE_H

#include "calib/boards/target.h"

static const double POV_TARGET_MARGIN_MM = 10; /* what printers leave white, and some air */
static const double POV_TARGET_FOOT_MM = 16;   /* the ruler */
static const double POV_TARGET_HEAD_MM = 8;    /* the caption */

/** Room between margins, caption and ruler. */
typedef struct {
    double x_mm, y_mm, width_mm, height_mm;
} pov_target_room;

/** An empty target for pages of this paper, turned to landscape if asked. */
void pov_target_clear(pov_target *target, const pov_paper *paper, bool landscape);
pov_target_room pov_target_room_of(const pov_paper *paper, bool landscape);
/** Adds a page with a caption and a ruler; returns its number. POV_TARGET_PAGE_MAX is for the caller to keep to. */
int pov_target_add_page(pov_target *target, const char *caption);

void pov_target_add_mark(pov_target *target, const pov_target_mark *mark);
void pov_target_add_line(pov_target *target, int page, pov_target_line_kind kind, pov_vec2 from_mm,
                         pov_vec2 to_mm);
void pov_target_add_text(pov_target *target, const pov_target_text *text);

/** Prints a tag on a page, with its id below, and enters it into the map. */
POV_MUST_USE pov_status pov_target_add_tag(pov_target *target, const pov_target_tags *tags, int index,
                                           int page, pov_vec2 centre_mm, double turn_rad,
                                           pov_transform T_target_tag);
/** Side of a tag with the white (or data) cells about its edge. */
POV_MUST_USE pov_status pov_target_tag_side(double *side_mm, const pov_target_tags *tags);

#endif
