#include "firmware/picture/svg_page.h"

#include "perception/linalg.h"

#include <math.h>

static const double page_px = 1000, crowd = 24; /* entities whose names fit on such a page */

pov_vec2 pov_svg_page_turned(const pov_svg_page *page, pov_vec2 ground_m)
{
    double right = page->up_yaw_rad - POV_PI / 2, c = cos(right), s = sin(right);
    return (pov_vec2){c * ground_m.x + s * ground_m.y, -s * ground_m.x + c * ground_m.y};
}

pov_vec2 pov_svg_page_at(const pov_svg_page *page, pov_vec2 ground_m)
{
    pov_vec2 p = pov_svg_page_turned(page, ground_m);
    double spare_px =
        page->width_px - 2 * POV_SVG_MARGIN_PX - (page->high.x - page->low.x) * page->scale_px_m;
    double spare_y_px = page->height_px - 2 * POV_SVG_MARGIN_PX - POV_SVG_FOOT_PX -
                        (page->high.y - page->low.y) * page->scale_px_m;
    return (pov_vec2){POV_SVG_MARGIN_PX + spare_px / 2 + (p.x - page->low.x) * page->scale_px_m,
                      POV_SVG_MARGIN_PX + spare_y_px / 2 + (page->high.y - p.y) * page->scale_px_m};
}

static void include_point(pov_svg_page *page, pov_vec2 ground_m, double radius_m)
{
    pov_vec2 p = pov_svg_page_turned(page, ground_m);
    page->low = (pov_vec2){fmin(page->low.x, p.x - radius_m), fmin(page->low.y, p.y - radius_m)};
    page->high = (pov_vec2){fmax(page->high.x, p.x + radius_m), fmax(page->high.y, p.y + radius_m)};
}

static double widest_deviation_m(const pov_scene *scene, const pov_entity *entity)
{
    double cov_m2[3][3], values[2], first[2];
    pov_scene_position_cov(scene, cov_m2, &entity->position);
    pov_symmetric2_eigen(values, first, cov_m2[0][0], cov_m2[0][1], cov_m2[1][1]);
    return sqrt(fmax(0, values[0]));
}

static void frame(pov_svg_page *page, const pov_scene *scene)
{
    page->low = (pov_vec2){INFINITY, INFINITY};
    page->high = (pov_vec2){-INFINITY, -INFINITY};
    for (int i = 0; i < scene->len; i++) {
        const pov_entity *entity = &scene->entities[i];
        double reach_m = pov_vec3_norm(entity->size_m) / 2;
        if (entity->placed)
            include_point(page, (pov_vec2){entity->position.mean_m.x, entity->position.mean_m.y},
                          fmax(reach_m, 2 * widest_deviation_m(scene, entity)));
    }
    if (!(page->low.x <= page->high.x))
        page->low = page->high = (pov_vec2){0, 0};
    double pad_m = fmax(0.25, 0.08 * fmax(page->high.x - page->low.x, page->high.y - page->low.y));
    page->low = (pov_vec2){page->low.x - pad_m, page->low.y - pad_m};
    page->high = (pov_vec2){page->high.x + pad_m, page->high.y + pad_m};
}

pov_svg_page pov_svg_page_of(const pov_scene *scene)
{
    pov_svg_page page = {.up_yaw_rad = scene->has_north ? scene->north_yaw_rad : POV_PI / 2};
    frame(&page, scene);
    double wide_m = page.high.x - page.low.x, tall_m = page.high.y - page.low.y;
    page.width_px = page_px * fmin(3, fmax(1, sqrt((double)scene->len / crowd)));
    double inner_px = page.width_px - 2 * POV_SVG_MARGIN_PX,
           rest_px = 2 * POV_SVG_MARGIN_PX + POV_SVG_FOOT_PX;
    page.height_px = fmin(page.width_px, fmax(0.52 * page.width_px, inner_px * tall_m / wide_m + rest_px));
    page.scale_px_m = fmin(inner_px / wide_m, (page.height_px - rest_px) / tall_m);
    return page;
}
