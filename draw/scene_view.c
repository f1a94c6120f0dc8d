#include "draw/scene_view.h"

#include "draw/canvas.h"
#include "perception/geometry/box.h"
#include "perception/visibility/occlusion.h"
#include "perception/visibility/visibility_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = POV_SCENE_VIEW_WIDTH_PX, HEIGHT = POV_SCENE_VIEW_HEIGHT_PX };

static const pov_colour paper = {245, 245, 240}, sky = {214, 226, 238},
                        tiles[2] = {{224, 222, 214}, {206, 203, 193}}, ink = {30, 30, 30};

/* Okabe & Ito 2008, for things whose name says no colour. */
static const pov_colour palette[] = {{230, 159, 0}, {86, 180, 233}, {0, 158, 115},   {240, 228, 66},
                                     {0, 114, 178}, {213, 94, 0},   {204, 121, 167}, {140, 140, 140}};

/* Of "red_ball", or of the class. */
static pov_colour colour_of(const pov_scene *scene, pov_id id)
{
    const char *const names[] = {scene->entities[id].name, scene->entities[id].class_name};
    pov_colour colour;
    for (int i = 0; i < 2; i++)
        for (const char *at = names[i]; *at; at += strcspn(at, "_"), at += *at == '_') {
            char word[POV_NAME_CAPACITY];
            const size_t len = strcspn(at, "_");
            memcpy(word, at, len);
            word[len] = '\0';
            if (pov_colour_from_name(&colour, word))
                return colour;
        }
    return palette[(size_t)id % (sizeof palette / sizeof *palette)];
}

static void put_pixel(pov_canvas *canvas, int x, int y, pov_colour colour)
{
    uint8_t *p = canvas->pixels + (size_t)y * (size_t)canvas->stride_bytes + 3 * (size_t)x;
    p[0] = colour.red;
    p[1] = colour.green;
    p[2] = colour.blue;
}

static pov_canvas begin_canvas(uint8_t *pixels)
{
    return (pov_canvas){
        .pixels = pixels, .width_px = WIDTH, .height_px = HEIGHT, .stride_bytes = 3 * WIDTH, .unit_px = 1};
}

static void end_canvas(pov_canvas *canvas, pov_image *image)
{
    pov_canvas_place_labels(canvas, (pov_rectangle){0, 0, WIDTH, HEIGHT});
    *image = (pov_image){.pixels = canvas->pixels,
                         .width_px = WIDTH,
                         .height_px = HEIGHT,
                         .stride_bytes = canvas->stride_bytes};
}

/* Beside a thing that reaches so far about its place. */
static void add_label(pov_canvas *canvas, pov_vec2 at, double reach_px, const char *name)
{
    pov_canvas_label label = {.anchor_px = at, .distance_px = reach_px, .colour = paper};
    size_t i = 0;
    for (; name[i] && i + 1 < sizeof label.text; i++)
        label.text[i] = name[i] == '_' ? ' ' : name[i];
    label.text[i] = '\0';
    pov_canvas_label_at(canvas, &label);
}

/* ---- a view ---- */

typedef struct {
    const pov_scene *scene;
    const pov_occlusion *occlusion;
    pov_canvas *canvas;
    pov_id viewer;
    bool is_abstract;
    pov_vec3 eye_m;
    pov_rot R_table_view; /* x right, y down, z forward */
    double focal_px, ground_m, tile_m;
    pov_id seen[HEIGHT][WIDTH];
} view;

static bool is_shown(const view *v, pov_id id)
{
    return id != v->viewer && id != v->scene->camera && pov_entity_has_body(&v->scene->entities[id]) &&
           !v->scene->entities[id].is_hypothetical;
}

static pov_vec3 ray_of(const view *v, double x, double y)
{
    const pov_vec3 in_view = {(x - (WIDTH - 1) / 2.0) / v->focal_px, (y - (HEIGHT - 1) / 2.0) / v->focal_px,
                              1};
    return pov_vec3_unit(pov_rot_apply(v->R_table_view, in_view));
}

static bool project_point(pov_vec2 *at, const view *v, pov_vec3 p)
{
    const pov_vec3 seen = pov_rot_apply(pov_rot_transpose(v->R_table_view), pov_vec3_sub(p, v->eye_m));
    if (seen.z < 1e-3)
        return false;
    *at = (pov_vec2){v->focal_px * seen.x / seen.z + (WIDTH - 1) / 2.0,
                     v->focal_px * seen.y / seen.z + (HEIGHT - 1) / 2.0};
    return true;
}

/* Forward along the gaze, tilted to the middle of what is ahead. */
static bool aim_view(view *v)
{
    const pov_entity *viewer = &v->scene->entities[v->viewer];
    const pov_heading_mode *gaze = pov_heading_heaviest(pov_entity_aim(viewer, POV_AIM_GAZE));
    double forward_m = 0, up_m = 0;
    if (!viewer->placed || !gaze)
        return false;
    v->eye_m =
        viewer->can_see ? pov_gaze_of(v->scene, v->viewer, gaze->yaw_rad).eye_m : viewer->position.mean_m;
    for (pov_id id = 0; id < v->scene->len; id++) {
        const pov_vec3 to = pov_vec3_sub(v->scene->entities[id].position.mean_m, v->eye_m);
        const double ahead_m = to.x * cos(gaze->yaw_rad) + to.y * sin(gaze->yaw_rad);
        if (!is_shown(v, id) || ahead_m <= 0)
            continue;
        forward_m += ahead_m;
        up_m += to.z;
    }
    const double tilt_rad = forward_m > 0 ? atan2(up_m, forward_m) : 0;
    const pov_vec3 ahead = {cos(tilt_rad) * cos(gaze->yaw_rad), cos(tilt_rad) * sin(gaze->yaw_rad),
                            sin(tilt_rad)},
                   right = {sin(gaze->yaw_rad), -cos(gaze->yaw_rad), 0}, down = pov_vec3_cross(ahead, right);
    const pov_vec3 axes[3] = {right, down, ahead};
    for (int k = 0; k < 3; k++) {
        v->R_table_view.m[0][k] = axes[k].x;
        v->R_table_view.m[1][k] = axes[k].y;
        v->R_table_view.m[2][k] = axes[k].z;
    }
    v->focal_px = WIDTH / 2.0 / tan(POV_SCENE_VIEW_HALF_RAD);
    return true;
}

/* The ground is where the lowest body ends; its tiles are a tenth of what the scene spans. */
static void find_ground(view *v)
{
    double low_m = INFINITY, span_m = 0;
    for (pov_id id = 0; id < v->scene->len; id++) {
        const pov_entity *entity = &v->scene->entities[id];
        if (id == v->scene->camera || !pov_entity_has_body(entity))
            continue;
        const pov_box box = pov_entity_box(entity);
        low_m = fmin(low_m, box.centre_m.z - pov_box_half_extent_m(&box, (pov_vec3){0, 0, 1}));
        span_m = fmax(span_m, pov_vec3_norm(pov_vec3_sub(box.centre_m, v->eye_m)));
    }
    v->ground_m = low_m;
    v->tile_m = span_m > 0 ? span_m / 5 : 1;
}

static pov_colour background_of(const view *v, pov_vec3 ray)
{
    if (ray.z >= -1e-6 || !isfinite(v->ground_m) || v->eye_m.z <= v->ground_m)
        return sky;
    const double far_m = (v->ground_m - v->eye_m.z) / ray.z;
    const double tile =
        floor((v->eye_m.x + far_m * ray.x) / v->tile_m) + floor((v->eye_m.y + far_m * ray.y) / v->tile_m);
    return far_m > 40 * v->tile_m ? sky : tiles[fabs(fmod(tile, 2)) > 0.5];
}

static void look_at_row(view *v, int y)
{
    for (int x = 0; x < WIDTH; x += POV_RAY_LANES) {
        pov_id first[POV_RAY_LANES];
        pov_near_bodies all = {.len = POV_NEAR_MAX + 1};
        pov_ray_bundle rays = {
            .near = &all, .eye_m = v->eye_m, .ignored = {v->viewer, POV_ID_NONE, POV_ID_NONE}};
        for (int i = 0; i < POV_RAY_LANES; i++) {
            const pov_vec3 ray = ray_of(v, x + i, y);
            rays.wanted[i] = true;
            rays.reach_m[i] = 1e4f;
            rays.direction[0][i] = (float)ray.x;
            rays.direction[1][i] = (float)ray.y;
            rays.direction[2][i] = (float)ray.z;
        }
        pov_occlusion_first(v->occlusion, first, &rays);
        for (int i = 0; i < POV_RAY_LANES; i++)
            v->seen[y][x + i] = first[i] != POV_ID_NONE && is_shown(v, first[i]) ? first[i] : POV_ID_NONE;
    }
}

static void paint_row(const view *v, int y)
{
    for (int x = 0; x < WIDTH; x++) {
        const pov_id id = v->seen[y][x];
        const bool is_edge = (x > 0 && v->seen[y][x - 1] != id) || (y > 0 && v->seen[y - 1][x] != id);
        put_pixel(v->canvas, x, y,
                  is_edge             ? ink
                  : id == POV_ID_NONE ? background_of(v, ray_of(v, x, y))
                                      : colour_of(v->scene, id));
    }
}

/* On the ground, from below the middle to a body's length ahead. */
static void draw_front(const view *v, pov_id id)
{
    const pov_entity *entity = &v->scene->entities[id];
    const pov_heading_mode *front = pov_heading_heaviest(&entity->heading);
    const pov_vec3 centre = entity->position.mean_m;
    const double reach_m = front ? fmax(entity->size_m.x, entity->size_m.y) : 0;
    pov_vec2 line[5];
    bool all = front != NULL;
    for (int i = 0; all && i < 5; i++) {
        static const double ahead[] = {0.5, 1.1, 0.9, 1.1, 0.9}, aside[] = {0, 0, 0.12, 0, -0.12};
        const double c = cos(front->yaw_rad), s = sin(front->yaw_rad), a = ahead[i] * reach_m,
                     b = aside[i] * reach_m;
        all = project_point(&line[i], v,
                            (pov_vec3){centre.x + a * c - b * s, centre.y + a * s + b * c, v->ground_m});
    }
    if (all)
        pov_canvas_polyline(v->canvas, line, 5, (pov_stroke){.colour = ink, .thickness = 2});
}

static void name_things(const view *v)
{
    for (pov_id id = 0; id < v->scene->len; id++) {
        double sum_x = 0;
        int len = 0, top = HEIGHT;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                if (v->seen[y][x] == id) {
                    sum_x += x;
                    top = y < top ? y : top;
                    len++;
                }
        if (len == 0 || v->is_abstract)
            continue;
        draw_front(v, id);
        add_label(v->canvas, (pov_vec2){sum_x / len, top}, 4, v->scene->entities[id].name);
    }
}

static pov_status draw_view(pov_image *image, uint8_t *pixels, const pov_scene *scene, pov_id viewer,
                            bool is_abstract)
{
    pov_occlusion *occlusion;
    view *v = pov_allocate(1, sizeof *v);
    pov_canvas *canvas = pov_allocate(1, sizeof *canvas);
    *canvas = begin_canvas(pixels);
    v->scene = scene;
    v->viewer = viewer;
    v->is_abstract = is_abstract;
    v->canvas = canvas;
    pov_status status = aim_view(v) ? pov_occlusion_new(&occlusion) : pov_status_of(POV_UNDEFINED);
    if (status.code == POV_OK) {
        v->occlusion = occlusion;
        find_ground(v);
        status = pov_occlusion_update(occlusion, scene);
        for (int y = 0; y < HEIGHT && status.code == POV_OK; y++)
            look_at_row(v, y);
        for (int y = 0; y < HEIGHT && status.code == POV_OK; y++)
            paint_row(v, y);
        name_things(v);
        pov_occlusion_destroy(&occlusion);
        end_canvas(canvas, image);
    }
    free(canvas);
    free(v);
    return status;
}

pov_status pov_scene_view_draw(pov_image *image, uint8_t *pixels, const pov_scene *scene, pov_id viewer)
{
    return draw_view(image, pixels, scene, viewer, false);
}

/* ---- spheres ---- */

static const char *const sphere_colours[] = {"red",    "blue",  "green", "yellow",  "purple",
                                             "orange", "white", "cyan",  "magenta", "black",
                                             "brown",  "pink",  "grey"};

static bool has_sphere(const pov_scene *scene, pov_id viewer, pov_id id)
{
    return id != viewer && id != scene->camera && pov_entity_has_body(&scene->entities[id]) &&
           !scene->entities[id].is_hypothetical;
}

const char *pov_scene_sphere_colour(const pov_scene *scene, pov_id viewer, pov_id id)
{
    size_t number = 0;
    for (pov_id before = 0; before < id; before++)
        number += has_sphere(scene, viewer, before);
    return has_sphere(scene, viewer, id) && number < sizeof sphere_colours / sizeof *sphere_colours
               ? sphere_colours[number]
               : NULL;
}

static void make_sphere(pov_entity *thing, const char *colour)
{
    const double diameter_m = cbrt(thing->size_m.x * thing->size_m.y * thing->size_m.z);
    thing->size_m = (pov_vec3){diameter_m, diameter_m, diameter_m};
    thing->shape = POV_SHAPE_SPHERE;
    thing->mesh = NULL;
    thing->class_name[0] = '\0';
    snprintf(thing->name, sizeof thing->name, "%s", colour);
}

pov_status pov_scene_spheres_draw(pov_image *image, uint8_t *pixels, const pov_scene *scene, pov_id viewer)
{
    pov_scene *abstract = pov_allocate(1, sizeof *abstract);
    *abstract = *scene;
    for (pov_id id = 0; id < scene->len; id++) {
        const char *colour = pov_scene_sphere_colour(scene, viewer, id);
        if (colour)
            make_sphere(&abstract->entities[id], colour);
        else if (has_sphere(scene, viewer, id))
            abstract->entities[id].is_hypothetical = true;
    }
    const pov_status status = draw_view(image, pixels, abstract, viewer, true);
    free(abstract);
    return status;
}

/* ---- a map ---- */

typedef struct {
    pov_vec2 middle_m;
    double up_yaw_rad, px_per_m; /* up_yaw: the direction that is up in the picture */
} map;

static pov_vec2 on_map(const map *m, double x_m, double y_m)
{
    const double dx = x_m - m->middle_m.x, dy = y_m - m->middle_m.y, c = cos(m->up_yaw_rad),
                 s = sin(m->up_yaw_rad);
    return (pov_vec2){(WIDTH - 1) / 2.0 + m->px_per_m * (dx * s - dy * c),
                      (HEIGHT - 1) / 2.0 - m->px_per_m * (dx * c + dy * s)};
}

static bool is_mapped(const pov_scene *scene, pov_id id)
{
    return scene->entities[id].placed && !scene->entities[id].is_hypothetical;
}

/* The camera may be far away: then an arrow at the foot stands for it. */
static map place_map(const pov_scene *scene)
{
    static const double margin = 0.38; /* of the height; chosen: names fit beside the outermost things */
    map m = {.up_yaw_rad = POV_PI / 2};
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, reach_m = 1e-3;
    if (scene->camera != POV_ID_NONE)
        m.up_yaw_rad = pov_heading_heaviest(&scene->entities[scene->camera].heading)->yaw_rad;
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_vec3 p = scene->entities[id].position.mean_m;
        if (!is_mapped(scene, id) || id == scene->camera)
            continue;
        low[0] = fmin(low[0], p.x);
        high[0] = fmax(high[0], p.x);
        low[1] = fmin(low[1], p.y);
        high[1] = fmax(high[1], p.y);
    }
    m.middle_m = (pov_vec2){isfinite(low[0]) ? (low[0] + high[0]) / 2 : 0,
                            isfinite(low[1]) ? (low[1] + high[1]) / 2 : 0};
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *e = &scene->entities[id];
        if (is_mapped(scene, id) && id != scene->camera)
            reach_m = fmax(reach_m,
                           hypot(e->position.mean_m.x - m.middle_m.x, e->position.mean_m.y - m.middle_m.y) +
                               hypot(e->size_m.x, e->size_m.y) / 2);
    }
    m.px_per_m = margin * HEIGHT / reach_m;
    return m;
}

static bool is_inside(const pov_vec2 *corners, int len, double x, double y)
{
    int left = 0;
    for (int i = 0; i < len; i++) {
        const pov_vec2 a = corners[i], b = corners[(i + 1) % len];
        left += (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) > 0;
    }
    return left == 0 || left == len;
}

static void draw_outline(pov_canvas *canvas, const map *m, const pov_scene *scene, pov_id id)
{
    const pov_box box = pov_entity_box(&scene->entities[id]);
    const pov_footprint footprint = pov_box_footprint(&box);
    pov_vec2 corners[16];
    double low_px[2] = {WIDTH, HEIGHT}, high_px[2] = {0, 0};
    for (int i = 0; i < footprint.len; i++) {
        corners[i] = on_map(m, footprint.corner_m[i].x, footprint.corner_m[i].y);
        low_px[0] = fmin(low_px[0], corners[i].x);
        low_px[1] = fmin(low_px[1], corners[i].y);
        high_px[0] = fmax(high_px[0], corners[i].x);
        high_px[1] = fmax(high_px[1], corners[i].y);
    }
    for (int y = (int)fmax(0, low_px[1]); y < HEIGHT && y <= high_px[1]; y++)
        for (int x = (int)fmax(0, low_px[0]); x < WIDTH && x <= high_px[0]; x++)
            if (is_inside(corners, footprint.len, x, y))
                put_pixel(canvas, x, y, colour_of(scene, id));
    pov_canvas_polyline(canvas, corners, footprint.len,
                        (pov_stroke){.colour = ink, .thickness = 1, .closed = true});
}

/* An arrow of a length in pixels, from a point in a direction of the table. */
static void draw_arrow(pov_canvas *canvas, const map *m, pov_vec2 from, double yaw_rad, double from_px,
                       double to_px)
{
    const double turn = m->up_yaw_rad - yaw_rad; /* clockwise from up */
    const pov_vec2 along = {sin(turn), -cos(turn)}, across = {-along.y, along.x};
    const double head_px = 6;
    const pov_vec2 tip = {from.x + to_px * along.x, from.y + to_px * along.y};
    const pov_vec2 line[] = {
        {from.x + from_px * along.x, from.y + from_px * along.y},
        tip,
        {tip.x - head_px * (along.x - across.x), tip.y - head_px * (along.y - across.y)},
        tip,
        {tip.x - head_px * (along.x + across.x), tip.y - head_px * (along.y + across.y)}};
    pov_canvas_polyline(canvas, line, 5, (pov_stroke){.colour = ink, .thickness = 2});
}

static void map_entity(pov_canvas *canvas, const map *m, const pov_scene *scene, pov_id id)
{
    const pov_entity *e = &scene->entities[id];
    const pov_heading_mode *front = pov_heading_heaviest(&e->heading);
    const pov_vec2 at = on_map(m, e->position.mean_m.x, e->position.mean_m.y);
    if (pov_entity_has_body(e))
        draw_outline(canvas, m, scene, id);
    if (front) {
        const double half_px = m->px_per_m * fmax(e->size_m.x, e->size_m.y) / 2;
        draw_arrow(canvas, m, at, front->yaw_rad, 0, fmax(half_px, 6) + 18);
    }
    add_label(canvas, at, 4 + m->px_per_m * fmin(e->size_m.x, e->size_m.y) / 2, e->name);
}

void pov_scene_map_draw(pov_image *image, uint8_t *pixels, const pov_scene *scene)
{
    const map m = place_map(scene);
    pov_canvas *canvas = pov_allocate(1, sizeof *canvas);
    *canvas = begin_canvas(pixels);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            put_pixel(canvas, x, y, paper);
    for (pov_id id = 0; id < scene->len; id++)
        if (is_mapped(scene, id) && id != scene->camera)
            map_entity(canvas, &m, scene, id);
    if (scene->camera != POV_ID_NONE) {
        const pov_vec2 foot = {(WIDTH - 1) / 2.0, HEIGHT - 12};
        draw_arrow(canvas, &m, foot, m.up_yaw_rad, 0, 24);
        add_label(canvas, (pov_vec2){foot.x + 44, foot.y - 8}, 0, "camera");
    }
    end_canvas(canvas, image);
    free(canvas);
}
