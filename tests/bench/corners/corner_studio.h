/** Images of one printed tag as many kinds of camera take it, and where its corners truly are. */
#pragma once

#include "perception/geometry/tag.h"
#include "perception/image/image.h"
#include "perception/tags/tag_print.h"
#include "sim/render/sensor.h"
#include "tests/support/random.h"

enum { CORNER_STUDIO_SIDE_MAX_PX = 500 };

/** How a tag is looked at. */
typedef struct {
    const char *name, *preset;         /* preset: of pov_sensor_preset */
    double defocus_px;                 /* in its place, unless 0 */
    int jpeg_quality;                  /* likewise */
    double tilt_min_deg, tilt_max_deg; /* of the print against the line of sight */
    double motion_px;                  /* of the image while the shutter is open */
    double sharpened; /* that much of what pixels differ from their neighbours is added in the end */
    double k1, k2;    /* of the lens */
} corner_look;

typedef struct corner_studio corner_studio;

corner_studio *corner_studio_new(void);
void corner_studio_destroy(corner_studio **studio);
/** Hangs a tag somewhere, whose edge would be `edge_px` long seen from the front.
 *  Out: truth_px: its corners, in pixels of the images to be taken. */
void corner_studio_hang(corner_studio *studio, pov_vec2 truth_px[4], const pov_tag_print *print,
                        const corner_look *look, double edge_px, test_random *random);
/** Takes an image of it; each has other noise. Borrowed until the next. */
pov_image corner_studio_shoot(corner_studio *studio, const corner_look *look, test_random *random);
