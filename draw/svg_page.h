/** Where the ground lands on the page of a drawing: north, or table +y without it, is up. */
#ifndef POV_DRAW_SVG_PAGE_H
#define POV_DRAW_SVG_PAGE_H

#include "perception/relations/relation.h"

#define POV_SVG_MARGIN_PX 70.0
#define POV_SVG_FOOT_PX   70.0 /* below the ground, for the scale and the caption */

typedef struct {
    double up_yaw_rad, scale_px_m, width_px, height_px;
    pov_vec2 low, high; /* of what is shown, along the page's right and up, metres */
    pov_vec2 centre_m;  /* on the ground, of what is near */
    double near_m;      /* how far from there that is */
} pov_svg_page;

/** A page that holds every near entity with its errors at two standard deviations; larger where there are more names.
 *  In:  shown: two that it is about, near whatever their distance; NULL: none.
 *  Near is what is within a metre, or 20 times the entities' median distance, of those, or of where most are. */
pov_svg_page pov_svg_page_of(const pov_scene *scene, const pov_query *shown);

bool pov_svg_page_is_near(const pov_svg_page *page, const pov_entity *entity);
/** Where the line to a far point leaves the page, with room for an arrow's head; in pixels as below. */
pov_vec2 pov_svg_page_border(const pov_svg_page *page, pov_vec2 ground_m);

/** Ground coordinates (table frame, metres) along the page's right and up, metres. */
pov_vec2 pov_svg_page_turned(const pov_svg_page *page, pov_vec2 ground_m);
/** The same in pixels from the page's top left corner, y down. */
pov_vec2 pov_svg_page_at(const pov_svg_page *page, pov_vec2 ground_m);

#endif
