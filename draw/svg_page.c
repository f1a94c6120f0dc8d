#include "draw/svg_page.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdlib.h>

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

/* ---- what is near ---- */

static const double near_medians = 20; /* then what is near still takes a thumb's breadth of the page */

static pov_vec2 ground_of(const pov_entity *entity)
{
    return (pov_vec2){entity->position.mean_m.x, entity->position.mean_m.y};
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Between the two in the middle, the lower; reorders the values. */
static double median(double *values, int len)
{
    qsort(values, (size_t)len, sizeof *values, compare);
    return len > 0 ? values[(len - 1) / 2] : 0;
}

static int placed(const pov_entity *entities[POV_ENTITY_MAX], const pov_scene *scene)
{
    int len = 0;
    for (int i = 0; i < scene->len; i++)
        if (scene->entities[i].placed)
            entities[len++] = &scene->entities[i];
    return len;
}

static pov_vec2 middle_of(const pov_entity *const entities[], int len)
{
    double x[POV_ENTITY_MAX], y[POV_ENTITY_MAX];
    for (int i = 0; i < len; i++) {
        x[i] = entities[i]->position.mean_m.x;
        y[i] = entities[i]->position.mean_m.y;
    }
    return (pov_vec2){median(x, len), median(y, len)};
}

static double distance_m(const pov_svg_page *page, const pov_entity *entity)
{
    const pov_vec2 at = ground_of(entity);
    return hypot(at.x - page->centre_m.x, at.y - page->centre_m.y);
}

static void find_near(pov_svg_page *page, const pov_scene *scene, const pov_query *shown)
{
    const pov_entity *entities[POV_ENTITY_MAX];
    double distances_m[POV_ENTITY_MAX], pair_m = 0;
    const int len = placed(entities, scene);
    page->centre_m = middle_of(entities, len);
    if (shown) {
        const pov_vec2 a = ground_of(&scene->entities[shown->referent]),
                       b = ground_of(&scene->entities[shown->relatum]);
        page->centre_m = (pov_vec2){(a.x + b.x) / 2, (a.y + b.y) / 2};
        pair_m = hypot(a.x - b.x, a.y - b.y) / 2;
    }
    for (int i = 0; i < len; i++)
        distances_m[i] = distance_m(page, entities[i]);
    const double median_m = median(distances_m, len);
    page->near_m = median_m > 0 ? fmax(fmax(1, near_medians * median_m), 2 * pair_m) : INFINITY;
}

bool pov_svg_page_is_near(const pov_svg_page *page, const pov_entity *entity)
{
    return distance_m(page, entity) <= page->near_m;
}

pov_vec2 pov_svg_page_border(const pov_svg_page *page, pov_vec2 ground_m)
{
    const double inset_px = 12, half_x_px = page->width_px / 2 - inset_px,
                 half_y_px = (page->height_px - POV_SVG_FOOT_PX) / 2 - inset_px;
    const pov_vec2 p = pov_svg_page_at(page, ground_m), middle = {half_x_px + inset_px, half_y_px + inset_px},
                   way = {p.x - middle.x, p.y - middle.y};
    const double share = fmin(1, fmin(half_x_px / fabs(way.x), half_y_px / fabs(way.y)));
    return (pov_vec2){middle.x + share * way.x, middle.y + share * way.y};
}

/* ---- what is shown ---- */

/* What reaches far, by its size or its errors, is not shown whole. */
static double reach_m(const pov_svg_page *page, const pov_scene *scene, const pov_entity *entity)
{
    const double reach_m = fmax(pov_vec3_norm(entity->size_m) / 2, 2 * widest_deviation_m(scene, entity));
    return reach_m <= page->near_m ? reach_m : page->near_m / near_medians;
}

static void frame(pov_svg_page *page, const pov_scene *scene)
{
    page->low = (pov_vec2){INFINITY, INFINITY};
    page->high = (pov_vec2){-INFINITY, -INFINITY};
    for (int i = 0; i < scene->len; i++) {
        const pov_entity *entity = &scene->entities[i];
        if (entity->placed && pov_svg_page_is_near(page, entity))
            include_point(page, ground_of(entity), reach_m(page, scene, entity));
    }
    if (!(page->low.x <= page->high.x))
        page->low = page->high = (pov_vec2){0, 0};
    double pad_m = fmax(0.25, 0.08 * fmax(page->high.x - page->low.x, page->high.y - page->low.y));
    page->low = (pov_vec2){page->low.x - pad_m, page->low.y - pad_m};
    page->high = (pov_vec2){page->high.x + pad_m, page->high.y + pad_m};
}

pov_svg_page pov_svg_page_of(const pov_scene *scene, const pov_query *shown)
{
    pov_svg_page page = {.up_yaw_rad = scene->has_north ? scene->north_yaw_rad : POV_PI / 2};
    find_near(&page, scene, shown);
    frame(&page, scene);
    double wide_m = page.high.x - page.low.x, tall_m = page.high.y - page.low.y;
    page.width_px = page_px * fmin(3, fmax(1, sqrt((double)scene->len / crowd)));
    double inner_px = page.width_px - 2 * POV_SVG_MARGIN_PX,
           rest_px = 2 * POV_SVG_MARGIN_PX + POV_SVG_FOOT_PX;
    page.height_px = fmin(page.width_px, fmax(0.52 * page.width_px, inner_px * tall_m / wide_m + rest_px));
    page.scale_px_m = fmin(inner_px / wide_m, (page.height_px - rest_px) / tall_m);
    return page;
}
