/** Many pictures on one: thumbnails in rows, each with its name under it. */
#pragma once

#include "perception/image/image.h"
#include "perception/status.h"

enum { POV_CONTACT_SHEET_MAX = 144 };

typedef struct pov_contact_sheet pov_contact_sheet;

/** Allocates a sheet for at most `capacity` (1..POV_CONTACT_SHEET_MAX) thumbnails of at most this size. */
pov_contact_sheet *pov_contact_sheet_new(int capacity, int width_px, int height_px);
/** The same with captions of up to `lines` lines. */
pov_contact_sheet *pov_contact_sheet_new_with_captions(int capacity, int width_px, int height_px, int lines);
/** The same with so many columns and rows. */
pov_contact_sheet *pov_contact_sheet_new_in_rows(int rows, int columns, int width_px, int height_px,
                                                 int lines);
void pov_contact_sheet_destroy(pov_contact_sheet **sheet);

/** Appends a picture, shrunk or enlarged to fit, captioned with its name. Returns false, adding nothing, if
 * full. */
bool pov_contact_sheet_add(pov_contact_sheet *sheet, const pov_image *image);
/** The same with another caption, whose lines end in line feeds. */
bool pov_contact_sheet_add_captioned(pov_contact_sheet *sheet, const pov_image *image, const char *caption);

/** The sheet with the rows filled so far; pixels are the sheet's own. Its name is "contact sheet". */
pov_image pov_contact_sheet_image(const pov_contact_sheet *sheet);
