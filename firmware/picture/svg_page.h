/** Where the ground lands on the page of a drawing: north, or table +y without it, is up. */
#ifndef POV_FIRMWARE_PICTURE_SVG_PAGE_H
#define POV_FIRMWARE_PICTURE_SVG_PAGE_H

#include "perception/scene/scene.h"

#define POV_SVG_MARGIN_PX 70.0
#define POV_SVG_FOOT_PX   70.0 /* below the ground, for the scale and the caption */

typedef struct {
    double up_yaw_rad, scale_px_m, width_px, height_px;
    pov_vec2 low, high; /* of what is shown, along the page's right and up, metres */
} pov_svg_page;

/** A page that holds every entity with its errors at two standard deviations; larger where there are more names. */
pov_svg_page pov_svg_page_of(const pov_scene *scene);

/** Ground coordinates (table frame, metres) along the page's right and up, metres. */
pov_vec2 pov_svg_page_turned(const pov_svg_page *page, pov_vec2 ground_m);
/** The same in pixels from the page's top left corner, y down. */
pov_vec2 pov_svg_page_at(const pov_svg_page *page, pov_vec2 ground_m);

#endif
