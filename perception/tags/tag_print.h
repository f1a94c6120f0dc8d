/** Tags as they are printed: libapriltag's own drawings. */
#pragma once

#include "perception/geometry/tag.h"
#include "perception/status.h"

#include <stdint.h>

enum { POV_TAG_PRINT_SIDE_MAX = 12 };

/** A square drawing, one pixel a cell, rows top to bottom: 0 black, 255 white. */
typedef struct {
    int side_cells, edge_cells; /* edge: of the square in its middle whose corners are detected */
    uint8_t grey[POV_TAG_PRINT_SIDE_MAX][POV_TAG_PRINT_SIDE_MAX];
} pov_tag_print;

/** Returns: POV_ERROR naming the family's last id if there is no such id. */
POV_MUST_USE pov_status pov_tag_print_make(pov_tag_print *print, pov_tag_family family, int id);

/** libapriltag's table of a family; NULL if memory runs out. */
struct apriltag_family *pov_tag_family_create(pov_tag_family family);
void pov_tag_family_destroy(pov_tag_family family, struct apriltag_family *table);
/** As pov_tag_print_make, of a table at hand. */
POV_MUST_USE pov_status pov_tag_print_draw(pov_tag_print *print, struct apriltag_family *table, int id);
