#include "draw/scene_svg.h"

#include "config/files/markup.h"
#include "config/files/write_file.h"
#include "draw/svg.h"
#include "perception/geometry/box.h"
#include "perception/geometry/linalg.h"
#include "perception/geometry/ranked.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Okabe & Ito 2008: told apart by everybody, and in grey by their lightness. */
#define COLOUR_THING    "#56606b"
#define COLOUR_PERSON   "#d55e00"
#define COLOUR_CAMERA   "#000000"
#define COLOUR_REFERENT "#009e73"
#define COLOUR_RELATUM  "#0072b2"
#define COLOUR_REGION   "#56b4e9"
#define COLOUR_FIELD    "#e69f00"

#define MARGIN_PX 70.0
#define FOOT_PX   70.0 /* below the ground, for the scale and the caption */

static const double label_px = 17; /* height of a name's line; chosen */
enum { FEW = 8 };                  /* entities whose names need no lines to them */

/* ==== the page: where the ground lands; north, or table +y without it, is up ==== */

typedef struct {
    double up_yaw_rad, scale_px_m, width_px, height_px;
    pov_vec2 low, high; /* of what is shown, along the page's right and up, metres */
    pov_vec2 centre_m;  /* on the ground, of what is near */
    double near_m;      /* how far from there that is */
} ground_page;

static const double page_px = 1000, crowd = 24; /* entities whose names fit on such a page */

/* Ground coordinates (table frame, metres) along the page's right and up, metres. */
static pov_vec2 turn_ground(const ground_page *page, pov_vec2 ground_m)
{
    double right = page->up_yaw_rad - POV_PI / 2, c = cos(right), s = sin(right);
    return (pov_vec2){c * ground_m.x + s * ground_m.y, -s * ground_m.x + c * ground_m.y};
}

/* The same in pixels from the page's top left corner, y down. */
static pov_vec2 place_on_page(const ground_page *page, pov_vec2 ground_m)
{
    pov_vec2 p = turn_ground(page, ground_m);
    double spare_px = page->width_px - 2 * MARGIN_PX - (page->high.x - page->low.x) * page->scale_px_m;
    double spare_y_px =
        page->height_px - 2 * MARGIN_PX - FOOT_PX - (page->high.y - page->low.y) * page->scale_px_m;
    return (pov_vec2){MARGIN_PX + spare_px / 2 + (p.x - page->low.x) * page->scale_px_m,
                      MARGIN_PX + spare_y_px / 2 + (page->high.y - p.y) * page->scale_px_m};
}

static void include_point(ground_page *page, pov_vec2 ground_m, double radius_m)
{
    pov_vec2 p = turn_ground(page, ground_m);
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

static pov_vec2 ground_of(pov_vec3 p)
{
    return (pov_vec2){p.x, p.y};
}

/* Between the two in the middle, the lower; reorders the values. */
static double median_of(double *values, int len)
{
    return len > 0 ? pov_ranked(values, len, (len - 1) / 2) : 0;
}

static int list_placed(const pov_entity *entities[POV_ENTITY_MAX], const pov_scene *scene)
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
    return (pov_vec2){median_of(x, len), median_of(y, len)};
}

static double distance_m(const ground_page *page, const pov_entity *entity)
{
    const pov_vec2 at = ground_of(entity->position.mean_m);
    return hypot(at.x - page->centre_m.x, at.y - page->centre_m.y);
}

static void find_near(ground_page *page, const pov_scene *scene, const pov_query *shown)
{
    const pov_entity *entities[POV_ENTITY_MAX];
    double distances_m[POV_ENTITY_MAX], pair_m = 0;
    const int len = list_placed(entities, scene);
    page->centre_m = middle_of(entities, len);
    if (shown) {
        const pov_vec2 a = ground_of(scene->entities[shown->referent].position.mean_m),
                       b = ground_of(scene->entities[shown->relatum[0]].position.mean_m);
        page->centre_m = (pov_vec2){(a.x + b.x) / 2, (a.y + b.y) / 2};
        pair_m = hypot(a.x - b.x, a.y - b.y) / 2;
    }
    for (int i = 0; i < len; i++)
        distances_m[i] = distance_m(page, entities[i]);
    const double median_m = median_of(distances_m, len);
    page->near_m = median_m > 0 ? fmax(fmax(1, near_medians * median_m), 2 * pair_m) : INFINITY;
}

static bool is_near_entity(const ground_page *page, const pov_entity *entity)
{
    return distance_m(page, entity) <= page->near_m;
}

/* The point where the line to a far point leaves the page, with room for an arrow's head; pixels. */
static pov_vec2 border_toward(const ground_page *page, pov_vec2 ground_m)
{
    const double inset_px = 12, half_x_px = page->width_px / 2 - inset_px,
                 half_y_px = (page->height_px - FOOT_PX) / 2 - inset_px;
    const pov_vec2 p = place_on_page(page, ground_m), middle = {half_x_px + inset_px, half_y_px + inset_px},
                   way = {p.x - middle.x, p.y - middle.y};
    const double share = fmin(1, fmin(half_x_px / fabs(way.x), half_y_px / fabs(way.y)));
    return (pov_vec2){middle.x + share * way.x, middle.y + share * way.y};
}

/* ---- what is shown ---- */

/* An entity with a large size or error is not shown whole. */
static double reach_m(const ground_page *page, const pov_scene *scene, const pov_entity *entity)
{
    const double reach_m = fmax(pov_vec3_norm(entity->size_m) / 2, 2 * widest_deviation_m(scene, entity));
    return reach_m <= page->near_m ? reach_m : page->near_m / near_medians;
}

static void frame_near(ground_page *page, const pov_scene *scene)
{
    page->low = (pov_vec2){INFINITY, INFINITY};
    page->high = (pov_vec2){-INFINITY, -INFINITY};
    for (int i = 0; i < scene->len; i++) {
        const pov_entity *entity = &scene->entities[i];
        if (entity->placed && is_near_entity(page, entity))
            include_point(page, ground_of(entity->position.mean_m), reach_m(page, scene, entity));
    }
    if (!(page->low.x <= page->high.x))
        page->low = page->high = (pov_vec2){0, 0};
    double pad_m = fmax(0.25, 0.08 * fmax(page->high.x - page->low.x, page->high.y - page->low.y));
    page->low = (pov_vec2){page->low.x - pad_m, page->low.y - pad_m};
    page->high = (pov_vec2){page->high.x + pad_m, page->high.y + pad_m};
}

/* A page that holds every near entity with its errors at two standard deviations; larger where there are more names.
 * `shown`: two entities that are near whatever their distance; NULL: none. An entity is near within a metre, or 20 times
 * the median distance of all, of those two or of the middle of all. */
static ground_page lay_out_page(const pov_scene *scene, const pov_query *shown)
{
    ground_page page = {.up_yaw_rad = scene->has_north ? scene->north_yaw_rad : POV_PI / 2};
    find_near(&page, scene, shown);
    frame_near(&page, scene);
    double wide_m = page.high.x - page.low.x, tall_m = page.high.y - page.low.y;
    page.width_px = page_px * fmin(3, fmax(1, sqrt((double)scene->len / crowd)));
    double inner_px = page.width_px - 2 * MARGIN_PX, rest_px = 2 * MARGIN_PX + FOOT_PX;
    page.height_px = fmin(page.width_px, fmax(0.52 * page.width_px, inner_px * tall_m / wide_m + rest_px));
    page.scale_px_m = fmin(inner_px / wide_m, (page.height_px - rest_px) / tall_m);
    return page;
}

/* ==== the drawing ==== */

typedef struct {
    FILE *stream;
    const pov_scene *scene;
    const pov_judgment *acceptance;
    const pov_scene_svg_goal *goal;
    ground_page page;
    pov_svg_labels labels;
    int fading_len; /* gradients so far */
} drawing;

static pov_vec2 on_page(const drawing *d, pov_vec2 ground_m)
{
    return place_on_page(&d->page, ground_m);
}

static bool is_placed(const drawing *d, pov_id id)
{
    return d->scene->entities[id].placed;
}

static bool is_near(const drawing *d, pov_id id)
{
    return is_placed(d, id) && is_near_entity(&d->page, &d->scene->entities[id]);
}

/* A far entity is only an arrow at the page's border. */
static bool is_far(const drawing *d, pov_id id)
{
    return is_placed(d, id) && !is_near(d, id);
}

/* -------- shapes -------- */

static void draw_line(const drawing *d, pov_vec2 a_px, pov_vec2 b_px, const char *style)
{
    pov_svg_line(d->stream, a_px.x, a_px.y, b_px.x, b_px.y, style);
}

/* A sector of a disc about a point of the ground, from one direction counter-clockwise through `angle_rad`. */
static void draw_sector(drawing *d, pov_vec2 centre_m, double from_rad, double angle_rad, double radius_m,
                        const char *style)
{
    pov_vec2 centre = on_page(d, centre_m);
    int steps = (int)ceil(angle_rad / 0.05) + 1;
    fprintf(d->stream, "<path d=\"M%.1f %.1f", centre.x, centre.y);
    for (int i = 0; i <= steps; i++) {
        pov_vec2 p = on_page(d, pov_svg_beside(centre_m, from_rad + angle_rad * i / steps, radius_m));
        fprintf(d->stream, "L%.1f %.1f", p.x, p.y);
    }
    fprintf(d->stream, "Z\" %s/>\n", style);
}

/* -------- what lies beneath -------- */

static void draw_grid(drawing *d)
{
    double step_m = pov_svg_round_length(70 / d->page.scale_px_m);
    pov_vec2 origin = on_page(d, (pov_vec2){0, 0});
    double step_px = step_m * d->page.scale_px_m;
    const char *style = "stroke=\"#eceff1\" stroke-width=\"1\"";
    double height_px = d->page.height_px - FOOT_PX;
    for (int i = (int)ceil(-origin.x / step_px); origin.x + i * step_px < d->page.width_px; i++)
        draw_line(d, (pov_vec2){origin.x + i * step_px, 0}, (pov_vec2){origin.x + i * step_px, height_px},
                  style);
    for (int i = (int)ceil(-origin.y / step_px); origin.y + i * step_px < height_px; i++)
        draw_line(d, (pov_vec2){0, origin.y + i * step_px},
                  (pov_vec2){d->page.width_px, origin.y + i * step_px}, style);
}

/* Shaded by (cos theta + 1) / 2 on the side where it holds, with the hemisphere's boundary and the prototype. */
static void draw_acceptance(drawing *d)
{
    const pov_judgment *judgment = d->acceptance;
    if (!judgment || isnan(judgment->theta_rad))
        return;
    pov_vec2 relatum = ground_of(d->scene->entities[judgment->query.relatum[0]].position.mean_m);
    pov_vec2 referent = ground_of(d->scene->entities[judgment->query.referent].position.mean_m);
    double best_rad = atan2(referent.y - relatum.y, referent.x - relatum.x) - judgment->theta_rad;
    double radius_m = 2 * hypot(d->page.width_px, d->page.height_px) / d->page.scale_px_m;
    enum { STEPS = 60 };
    for (int i = 0; i < STEPS; i++) {
        char style[120];
        double step = POV_PI / STEPS, theta = -POV_PI / 2 + i * step;
        snprintf(style, sizeof style, "fill=\"" COLOUR_REGION "\" fill-opacity=\"%.3f\"",
                 0.42 * pow((cos(theta + step / 2) + 1) / 2, 2));
        draw_sector(d, relatum, best_rad + theta, step, radius_m, style);
    }
    const char *boundary = "stroke=\"" COLOUR_RELATUM "\" stroke-width=\"1.6\" stroke-dasharray=\"9 6\"";
    draw_line(d, on_page(d, pov_svg_beside(relatum, best_rad + POV_PI / 2, radius_m)),
              on_page(d, pov_svg_beside(relatum, best_rad - POV_PI / 2, radius_m)), boundary);
    draw_line(d, on_page(d, relatum), on_page(d, pov_svg_beside(relatum, best_rad, radius_m)),
              "stroke=\"" COLOUR_RELATUM "\" stroke-width=\"1\" stroke-dasharray=\"2 5\"");
}

static void draw_goal(drawing *d)
{
    const pov_scene_svg_goal *goal = d->goal;
    if (!goal)
        return;
    fputs("<polygon points=\"", d->stream);
    for (int i = 0; i < goal->corner_len; i++) {
        const pov_vec2 p = on_page(d, (pov_vec2){goal->corners_m[2 * i], goal->corners_m[2 * i + 1]});
        fprintf(d->stream, "%s%.1f,%.1f", i ? " " : "", p.x, p.y);
    }
    fputs("\" fill=\"" COLOUR_REGION "\" fill-opacity=\"0.45\" stroke=\"" COLOUR_RELATUM
          "\" stroke-width=\"1.6\" stroke-dasharray=\"9 6\"/>\n",
          d->stream);
}

/* Above the bodies: from where the thing is to where it goes. */
static void draw_way(drawing *d)
{
    const pov_scene_svg_goal *goal = d->goal;
    if (!goal || !is_placed(d, goal->object))
        return;
    pov_svg_arrow(d->stream, on_page(d, ground_of(d->scene->entities[goal->object].position.mean_m)),
                  on_page(d, goal->place_m), COLOUR_RELATUM, 1);
}

static pov_vec2 eye_of(const pov_entity *entity)
{
    pov_vec3 offset = pov_rot_apply(entity->R_table_box, entity->field.eye_m);
    return ground_of(pov_vec3_add(entity->position.mean_m, offset));
}

/* A fill that fades away: what goes on beyond the page has no rim. */
static void begin_fading(char *style, size_t capacity, drawing *d, pov_vec2 centre_m, double radius_m,
                         double opacity)
{
    const pov_vec2 centre = on_page(d, centre_m);
    fprintf(
        d->stream,
        "<radialGradient id=\"field%d\" gradientUnits=\"userSpaceOnUse\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">"
        "<stop offset=\"0\" stop-color=\"" COLOUR_FIELD "\" stop-opacity=\"%.3f\"/>"
        "<stop offset=\"1\" stop-color=\"" COLOUR_FIELD "\" stop-opacity=\"0\"/></radialGradient>\n",
        ++d->fading_len, centre.x, centre.y, radius_m * d->page.scale_px_m, opacity);
    snprintf(style, capacity, "fill=\"url(#field%d)\"", d->fading_len);
}

static void draw_field(drawing *d, const pov_entity *entity)
{
    if (!entity->can_see || !entity->placed)
        return;
    double view_m = 0.45 * fmin(d->page.width_px, d->page.height_px) / d->page.scale_px_m;
    double radius_m = fmin(entity->field.far_m, view_m),
           half = fmin(POV_PI, entity->field.half_horizontal_rad);
    const bool ends = entity->field.far_m <= view_m;
    for (int i = 0; i < entity->heading.len; i++) {
        char style[160];
        const double weight = entity->heading.mode[i].weight;
        if (ends)
            snprintf(style, sizeof style,
                     "fill=\"" COLOUR_FIELD "\" fill-opacity=\"%.3f\" stroke=\"" COLOUR_FIELD
                     "\" stroke-opacity=\"0.7\" stroke-width=\"1.2\"",
                     0.12 * weight);
        else
            begin_fading(style, sizeof style, d, eye_of(entity), radius_m, 0.3 * weight);
        draw_sector(d, eye_of(entity), entity->heading.mode[i].yaw_rad - half, 2 * half, radius_m, style);
    }
}

static bool is_viewer(const pov_scene *scene, pov_id id)
{
    return id == scene->camera || scene->entities[id].addressee;
}

/* Off the page on the way to what is far: drawings reach no further than their programs can count. */
static pov_vec2 beyond_page(const drawing *d, pov_vec2 from_px, pov_vec2 to_px)
{
    return pov_svg_beside(from_px, atan2(to_px.y - from_px.y, to_px.x - from_px.x),
                          2 * hypot(d->page.width_px, d->page.height_px));
}

/* To the pair that is judged, else to everything: what a viewer's axes turn on. */
static void draw_sight_lines(drawing *d, pov_id viewer)
{
    const pov_scene *scene = d->scene;
    const pov_query *query = d->acceptance ? &d->acceptance->query : NULL;
    if (!is_viewer(scene, viewer))
        return;
    for (pov_id id = 0; id < scene->len; id++) {
        if (id == viewer || is_viewer(scene, id) || !scene->entities[id].placed ||
            (!is_near(d, viewer) && !is_near(d, id)) ||
            (query && (id != query->relatum[0] || (query->viewer != POV_ID_NONE && query->viewer != viewer))))
            continue;
        const pov_vec2 eye = on_page(d, eye_of(&scene->entities[viewer])),
                       target = on_page(d, ground_of(scene->entities[id].position.mean_m));
        draw_line(
            d, is_near(d, viewer) ? eye : beyond_page(d, target, eye),
            is_near(d, id) ? target : beyond_page(d, eye, target),
            query
                ? "stroke=\"#37474f\" stroke-width=\"1.6\" stroke-dasharray=\"1 4\" stroke-linecap=\"round\""
                : "stroke=\"#90a4ae\" stroke-width=\"1\" stroke-dasharray=\"1 4\" stroke-linecap=\"round\"");
    }
}

/* -------- entities -------- */

static const char *colour_of(const drawing *d, pov_id id)
{
    if (d->acceptance && id == d->acceptance->query.referent)
        return COLOUR_REFERENT;
    if (d->acceptance && id == d->acceptance->query.relatum[0])
        return COLOUR_RELATUM;
    if (id == d->scene->camera)
        return COLOUR_CAMERA;
    return d->scene->entities[id].addressee ? COLOUR_PERSON : COLOUR_THING;
}

static void draw_ellipse(drawing *d, const pov_entity *entity)
{
    double cov_m2[3][3], values[2], first[2];
    pov_scene_position_cov(d->scene, cov_m2, &entity->position);
    pov_symmetric2_eigen(values, first, cov_m2[0][0], cov_m2[0][1], cov_m2[1][1]);
    double a_px = 2 * sqrt(fmax(0, values[0])) * d->page.scale_px_m,
           b_px = 2 * sqrt(fmax(0, values[1])) * d->page.scale_px_m;
    pov_vec2 centre = on_page(d, ground_of(entity->position.mean_m));
    pov_vec2 axis = turn_ground(&d->page, (pov_vec2){first[0], first[1]});
    if (a_px < 0.5)
        return;
    fprintf(d->stream,
            "<ellipse rx=\"%.1f\" ry=\"%.1f\" transform=\"translate(%.1f %.1f) rotate(%.1f)\" fill=\"none\" "
            "stroke=\"#cc79a7\" stroke-width=\"1.6\" stroke-dasharray=\"4 3\"/>\n",
            a_px, b_px, centre.x, centre.y, -pov_degrees(atan2(axis.y, axis.x)));
}

static bool is_round(const pov_entity *entity)
{
    return entity->shape == POV_SHAPE_SPHERE || entity->shape == POV_SHAPE_CAPSULE;
}

static void draw_body(drawing *d, pov_id id)
{
    const pov_entity *entity = &d->scene->entities[id];
    const char *colour = colour_of(d, id);
    pov_vec2 centre = on_page(d, ground_of(entity->position.mean_m));
    bool flat = entity->size_m.x <= 0;
    char style[160];
    snprintf(style, sizeof style,
             "fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\" stroke-width=\"%d\" stroke-linejoin=\"round\"",
             colour, flat ? "1" : "0.22", colour, flat ? 0 : 2);
    if (flat) {
        pov_svg_circle(d->stream, centre.x, centre.y, 6, style, NULL);
    } else if (is_round(entity)) {
        pov_svg_circle(d->stream, centre.x, centre.y, entity->size_m.x / 2 * d->page.scale_px_m, style, NULL);
    } else {
        const pov_box box = pov_entity_box(entity);
        pov_footprint footprint = pov_box_footprint(&box);
        for (int i = 0; i < footprint.len; i++)
            footprint.corner_m[i] = on_page(d, footprint.corner_m[i]);
        pov_svg_polygon(d->stream, footprint.corner_m, footprint.len, style, NULL);
    }
}

/* Half of what it takes of the page, right and up. */
static pov_vec2 half_on_page(const drawing *d, const pov_entity *entity)
{
    const pov_box box = pov_entity_box(entity);
    double right = d->page.up_yaw_rad - POV_PI / 2;
    pov_vec3 right_dir = {cos(right), sin(right), 0}, up_dir = {-sin(right), cos(right), 0};
    double x_m = pov_box_half_extent_m(&box, right_dir), y_m = pov_box_half_extent_m(&box, up_dir);
    if (is_round(entity))
        x_m = y_m = entity->size_m.x / 2;
    return (pov_vec2){fmax(6, x_m * d->page.scale_px_m), fmax(6, y_m * d->page.scale_px_m)};
}

static pov_vec2 arrow_head(const drawing *d, const pov_entity *entity, int mode)
{
    double length_px = fmax(6, entity->size_m.x / 2 * d->page.scale_px_m) + 26;
    return on_page(d, pov_svg_beside(ground_of(entity->position.mean_m), entity->heading.mode[mode].yaw_rad,
                                     length_px / d->page.scale_px_m));
}

static void draw_front(drawing *d, pov_id id)
{
    const pov_entity *entity = &d->scene->entities[id];
    pov_vec2 centre_m = ground_of(entity->position.mean_m);
    for (int i = 0; i < entity->heading.len; i++)
        pov_svg_arrow(d->stream, on_page(d, centre_m), arrow_head(d, entity, i), colour_of(d, id),
                      0.3 + 0.7 * entity->heading.mode[i].weight);
}

/* -------- what is far -------- */

enum { FAR_ARROW_PX = 30 };

static pov_vec2 far_arrow_head(const drawing *d, pov_id id)
{
    return border_toward(&d->page, ground_of(d->scene->entities[id].position.mean_m));
}

static pov_vec2 far_arrow_tail(const drawing *d, pov_id id)
{
    const pov_vec2 head = far_arrow_head(d, id),
                   far = on_page(d, ground_of(d->scene->entities[id].position.mean_m));
    return pov_svg_beside(head, atan2(head.y - far.y, head.x - far.x), FAR_ARROW_PX);
}

static void draw_far(drawing *d, pov_id id)
{
    const pov_vec2 head = far_arrow_head(d, id), tail = far_arrow_tail(d, id);
    pov_svg_arrow(d->stream, tail, head, colour_of(d, id), 1);
    pov_svg_label_avoid(&d->labels, (pov_vec2){(head.x + tail.x) / 2, (head.y + tail.y) / 2},
                        (pov_vec2){fabs(head.x - tail.x) / 2 + 5, fabs(head.y - tail.y) / 2 + 5});
}

/* -------- names -------- */

/* "anna"; "tower, 500 m" of what is far, from the middle of the judged pair or of what is near. */
static void name_of(const drawing *d, char text[POV_NAME_CAPACITY + 32], pov_id id)
{
    const pov_entity *entity = &d->scene->entities[id];
    const pov_vec2 at = ground_of(entity->position.mean_m);
    int length = snprintf(text, POV_NAME_CAPACITY + 32, "%s", entity->name);
    const double far_m = hypot(at.x - d->page.centre_m.x, at.y - d->page.centre_m.y);
    if (is_far(d, id))
        snprintf(text + length, 32, far_m < 10 ? ", %.1f m" : ", %.0f m", far_m);
}

static pov_svg_label place_name(drawing *d, pov_id id, const char *text)
{
    const pov_entity *entity = &d->scene->entities[id];
    if (is_far(d, id))
        return pov_svg_label_place(&d->labels, far_arrow_tail(d, id), (pov_vec2){6, 6}, text, label_px);
    const pov_vec2 centre = on_page(d, ground_of(entity->position.mean_m));
    const pov_svg_label label =
        pov_svg_label_place(&d->labels, centre, half_on_page(d, entity), text, label_px);
    char style[80];
    if (d->scene->len > FEW) {
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"0.8\"", colour_of(d, id));
        draw_line(d, centre, label.centre_px, style);
    }
    return label;
}

/* Names last, over lines that lead to what they name where there are many. */
static void draw_names(drawing *d)
{
    pov_svg_label labels[POV_ENTITY_MAX];
    char text[POV_NAME_CAPACITY + 32];
    for (int pass = 0; pass < 2; pass++)
        for (pov_id id = 0; id < d->scene->len; id++) {
            if (!is_placed(d, id))
                continue;
            name_of(d, text, id);
            if (pass == 0)
                labels[id] = place_name(d, id, text);
            else
                pov_svg_label_write(d->stream, &labels[id], text, colour_of(d, id));
        }
}

/* -------- the foot -------- */

static void draw_scale(drawing *d)
{
    double length_m = pov_svg_round_length(150 / d->page.scale_px_m), y = d->page.height_px - 30,
           x = MARGIN_PX / 2;
    double end = x + length_m * d->page.scale_px_m;
    fprintf(d->stream,
            "<path d=\"M%.1f %.1fV%.1fH%.1fV%.1f\" fill=\"none\" stroke=\"#000\" stroke-width=\"2\"/>\n", x,
            y - 7, y, end, y - 7);
    pov_svg_text(d->stream, (x + end) / 2, y + 18, "text-anchor=\"middle\" font-size=\"15\"", "%g %s",
                 length_m >= 0.1 ? length_m : length_m * 1000, length_m >= 0.1 ? "m" : "mm");
}

static void draw_north(drawing *d)
{
    double x = d->page.width_px - 40;
    if (!d->scene->has_north)
        return;
    pov_svg_arrow(d->stream, (pov_vec2){x, 84}, (pov_vec2){x, 38}, "#000", 1);
    pov_svg_text(d->stream, x, 30, "text-anchor=\"middle\" font-size=\"18\" font-weight=\"bold\"", "N");
}

/* "ball left of car (woman, reflected): ✓ yes, P = 0.998" */
static void draw_caption(drawing *d)
{
    static const char *const words[] = {"✕ no", "✓ yes", "? too close to say", "– undefined"};
    const pov_judgment *judgment = d->acceptance;
    if (d->goal) {
        fprintf(d->stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" font-size=\"16\">",
                d->page.width_px - MARGIN_PX / 2, d->page.height_px - 26);
        pov_markup_text(d->stream, d->scene->entities[d->goal->object].name);
        fprintf(d->stream, " goes to x = %.2f m, y = %.2f m</text>\n", d->goal->place_m.x,
                d->goal->place_m.y);
        return;
    }
    if (!judgment)
        return;
    const pov_query *query = &judgment->query;
    const pov_entity *e = d->scene->entities;
    char viewpoint[POV_NAME_CAPACITY + 32];
    pov_query_viewpoint(viewpoint, sizeof viewpoint, d->scene, query);
    fprintf(d->stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" font-size=\"18\">",
            d->page.width_px - MARGIN_PX / 2, d->page.height_px - 26);
    pov_markup_text(d->stream, e[query->referent].name);
    fputc(' ', d->stream);
    for (const char *c = query->relation->name; *c; c++)
        fputc(*c == '_' ? ' ' : *c, d->stream);
    fputc(' ', d->stream);
    pov_markup_text(d->stream, e[query->relatum[0]].name);
    fputs(" (", d->stream);
    pov_markup_text(d->stream, viewpoint);
    fprintf(d->stream, "): <tspan font-weight=\"bold\">%s</tspan>", words[judgment->belief.verdict]);
    if (judgment->belief.verdict != POV_VERDICT_UNDEFINED)
        fprintf(d->stream, ", P = %.3f", judgment->belief.p);
    fputs("</text>\n", d->stream);
}

static void draw_missing(drawing *d)
{
    bool first = true;
    for (int i = 0; i < d->scene->len; i++) {
        if (d->scene->entities[i].placed)
            continue;
        fprintf(d->stream, first ? "<text x=\"%.1f\" y=\"26\" font-size=\"15\">without a position: " : ", ",
                MARGIN_PX / 2);
        pov_markup_text(d->stream, d->scene->entities[i].name);
        first = false;
    }
    if (!first)
        fputs("</text>\n", d->stream);
}

/* -------- the whole -------- */

typedef void (*draw_one)(drawing *d, pov_id id);
typedef bool (*is_of)(const drawing *d, pov_id id);

static void draw_each(drawing *d, is_of which, draw_one draw)
{
    for (pov_id id = 0; id < d->scene->len; id++)
        if (which(d, id))
            draw(d, id);
}

static void draw_field_of(drawing *d, pov_id id)
{
    draw_field(d, &d->scene->entities[id]);
}

static void draw_ellipse_of(drawing *d, pov_id id)
{
    draw_ellipse(d, &d->scene->entities[id]);
}

static void avoid_body(drawing *d, pov_id id)
{
    const pov_entity *entity = &d->scene->entities[id];
    pov_svg_label_avoid(&d->labels, on_page(d, ground_of(entity->position.mean_m)), half_on_page(d, entity));
    for (int i = 0; i < entity->heading.len; i++) /* and its arrows' heads */
        pov_svg_label_avoid(&d->labels, arrow_head(d, entity, i), (pov_vec2){12, 12});
}

static void draw_ground(drawing *d)
{
    fprintf(d->stream, "<clipPath id=\"ground\"><rect width=\"%.0f\" height=\"%.0f\"/></clipPath>\n",
            d->page.width_px, d->page.height_px - FOOT_PX);
    fputs("<g clip-path=\"url(#ground)\">\n", d->stream);
    draw_grid(d);
    draw_acceptance(d);
    draw_goal(d);
    draw_each(d, is_near, draw_field_of);
    draw_each(d, is_placed, draw_sight_lines);
    draw_each(d, is_near, draw_body);
    draw_each(d, is_near, draw_ellipse_of);
    draw_each(d, is_near, draw_front);
    draw_each(d, is_far, draw_far);
    draw_way(d);
    draw_each(d, is_near, avoid_body);
    draw_names(d);
    fputs("</g>\n", d->stream);
}

static void draw_scene(FILE *stream, const pov_scene *scene, const pov_judgment *acceptance,
                       const pov_scene_svg_goal *goal)
{
    drawing d = {.stream = stream,
                 .scene = scene,
                 .acceptance = acceptance,
                 .goal = goal,
                 .page = lay_out_page(scene, acceptance ? &acceptance->query : NULL)};
    d.labels.width_px = d.page.width_px;
    d.labels.height_px = d.page.height_px - FOOT_PX;
    pov_svg_begin_file(stream, d.page.width_px, d.page.height_px, false);
    draw_ground(&d);
    draw_scale(&d);
    draw_north(&d);
    draw_caption(&d);
    draw_missing(&d);
    pov_svg_end(stream);
}

pov_status pov_scene_svg_write(const char *path, const pov_scene *scene, const pov_judgment *acceptance,
                               const pov_scene_svg_goal *goal)
{
    pov_write_file file;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    if (dot && strcasecmp(dot, ".svg") != 0)
        return pov_error("%s: the drawing is SVG: give it a name that ends in .svg, not %s", path, dot);
    POV_TRY(pov_write_file_begin(&file, path));
    draw_scene(file.stream, scene, acceptance, goal);
    return pov_write_file_end(&file, pov_ok());
}
