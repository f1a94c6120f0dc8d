#include "perception/carving/object_carve.h"

#include "perception/image/image_pyramid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COARSE = 64, FINE = 88, SIDE = POV_PORTRAIT_SIDE, MARCH = 160, SUB = 2, BORDER_PX = 8, ALIGN_PX = 32 };

static const int empty_seen_max = 1;          /* images that may be wrong about a place; chosen */
static const double least_share = 1.0 / 2000; /* of the room, that an object fills; chosen */
static const int differs_least = 15;      /* levels by which a pixel differs from the empty table; chosen */
static const double differs_share = 0.07; /* added to them, of the background's light; chosen */
enum { SPECK_PX = 12, HOLE_PX = 25 }; /* connected pixels: fewer are noise; more are a real hole. Chosen. */

/* Boxes of space, in the frame of the turning table at angle 0, about its axis. */
typedef struct {
    int side;
    pov_vec3 low_m;
    double step_m;
    uint8_t *full;
} grid;

typedef struct {
    const pov_turn_shot *shots;
    int len;
    const pov_turn_stage *stage;
    uint8_t **masks;
} evidence;

/* ---- silhouettes ---- */

/* Out: the pixel of the empty table's image with the same background. The disc's background turned with it. */
static bool find_background(pov_vec2 *there, const pov_turn_shot *shot, const pov_turn_shot *empty,
                            const pov_turn_stage *stage, pov_vec2 pixel)
{
    pov_vec3 ray;
    if (pov_camera_unproject(&shot->camera, &ray, NULL, pixel) != POV_OK)
        return false;
    const pov_vec3 eye_m = shot->T_table_camera.t_m, along = pov_rot_apply(shot->T_table_camera.R, ray);
    const double far = (stage->axis_m.z - eye_m.z) / along.z;
    pov_vec3 on_m = pov_vec3_add(eye_m, pov_vec3_scale(along, far));
    if (!(far > 0) || !isfinite(far) || far > 1e3)
        on_m = pov_vec3_add(eye_m, pov_vec3_scale(along, 1e3));
    const pov_vec3 off_m = pov_vec3_sub(on_m, stage->axis_m);
    if (hypot(off_m.x, off_m.y) < stage->disc_m)
        on_m = pov_vec3_add(stage->axis_m, pov_rot_apply(pov_rot_yaw(empty->angle_rad - shot->angle_rad),
                                                         (pov_vec3){off_m.x, off_m.y, 0}));
    return pov_camera_project(&empty->camera, there, NULL,
                              pov_transform_apply(pov_transform_inverse(empty->T_table_camera), on_m)) ==
           POV_OK;
}

static const uint8_t *pixel_at(const pov_image *image, int x, int y)
{
    return image->pixels + (size_t)y * (size_t)image->stride_bytes + 3 * (size_t)x;
}

/* Differs from all nine pixels about `there`: an edge in the background may be a pixel off. */
static bool differs_from(const uint8_t *rgb, const pov_image *empty, pov_vec2 there)
{
    const int x0 = (int)lround(there.x), y0 = (int)lround(there.y);
    for (int y = y0 - 1; y <= y0 + 1; y++)
        for (int x = x0 - 1; x <= x0 + 1; x++) {
            if (x < 0 || y < 0 || x >= empty->width_px || y >= empty->height_px)
                return false;
            const uint8_t *other = pixel_at(empty, x, y);
            bool same = true;
            for (int c = 0; c < 3; c++)
                same = same && abs(rgb[c] - other[c]) <= differs_least + differs_share * other[c];
            if (same)
                return false;
        }
    return true;
}

/* Marks the connected pixels that equal `start`, and lists them in `queue`. Returns their number. */
static int flood_fill(uint8_t *mask, int *queue, int width, int height, int start, uint8_t mark)
{
    const uint8_t from = mask[start];
    int len = 1;
    queue[0] = start;
    mask[start] = mark;
    for (int i = 0; i < len; i++) {
        const int x = queue[i] % width, y = queue[i] / width;
        const int next[4] = {x > 0 ? queue[i] - 1 : -1, x < width - 1 ? queue[i] + 1 : -1,
                             y > 0 ? queue[i] - width : -1, y < height - 1 ? queue[i] + width : -1};
        for (int k = 0; k < 4; k++)
            if (next[k] >= 0 && mask[next[k]] == from) {
                mask[next[k]] = mark;
                queue[len++] = next[k];
            }
    }
    return len;
}

enum { BACKGROUND, FOREGROUND, OUTSIDE, KEPT };

static void clean_mask(uint8_t *mask, int *queue, int width, int height)
{
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, y = i / width;
        const bool at_border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
        if (mask[i] == BACKGROUND && at_border)
            flood_fill(mask, queue, width, height, i, OUTSIDE);
    }
    for (int i = 0; i < width * height; i++)
        if (mask[i] == BACKGROUND || mask[i] == FOREGROUND) {
            const bool is_hole = mask[i] == BACKGROUND;
            const int len = flood_fill(mask, queue, width, height, i, KEPT);
            for (int k = 0; k < len && (is_hole ? len > HOLE_PX : len < SPECK_PX); k++)
                mask[queue[k]] = OUTSIDE;
        }
    for (int i = 0; i < width * height; i++)
        mask[i] = mask[i] != OUTSIDE;
}

/* 1 where the shot differs from the empty table: the object or its shadow. `queue`: room for each pixel. */
static void find_mask(uint8_t *mask, int *queue, const pov_turn_shot *shot, const pov_turn_shot *empty,
                      const pov_turn_stage *stage)
{
    const int width = shot->image.width_px, height = shot->image.height_px;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            pov_vec2 there;
            mask[y * width + x] = find_background(&there, shot, empty, stage, (pov_vec2){x, y}) &&
                                  differs_from(pixel_at(&shot->image, x, y), &empty->image, there);
        }
    clean_mask(mask, queue, width, height);
}

/* ---- room ---- */

void pov_turn_room(int rectangle_px[4], const pov_camera *camera, const pov_transform *T_table_camera,
                   const pov_turn_stage *stage)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const pov_transform T_camera_table = pov_transform_inverse(*T_table_camera);
    memset(rectangle_px, 0, 4 * sizeof *rectangle_px);
    for (int i = 0; i < 48; i++) {
        const double angle = i / 2 * (2 * POV_PI / 24), radius_m = 0.5 * stage->room_m;
        const pov_vec3 point_m =
            pov_vec3_add(stage->axis_m,
                         (pov_vec3){radius_m * cos(angle), radius_m * sin(angle), i % 2 ? stage->room_m : 0});
        pov_vec2 pixel;
        if (pov_camera_project(camera, &pixel, NULL, pov_transform_apply(T_camera_table, point_m)) != POV_OK)
            return;
        const double at[2] = {pixel.x, pixel.y};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    const int size[2] = {camera->width_px, camera->height_px};
    int from[2], to[2];
    for (int k = 0; k < 2; k++) {
        from[k] = (int)fmax(0, floor(low[k] - BORDER_PX)) / ALIGN_PX * ALIGN_PX;
        to[k] = (int)fmin(size[k], ceil(high[k] + BORDER_PX));
        if (to[k] - from[k] < ALIGN_PX)
            return;
    }
    rectangle_px[0] = from[0];
    rectangle_px[1] = from[1];
    rectangle_px[2] = to[0] - from[0];
    rectangle_px[3] = to[1] - from[1];
}

/* ---- carving ---- */

static pov_vec3 centre_of(const grid *g, int i)
{
    const int x = i % g->side, y = i / g->side % g->side, z = i / (g->side * g->side);
    return (pov_vec3){g->low_m.x + (x + 0.5) * g->step_m, g->low_m.y + (y + 0.5) * g->step_m,
                      g->low_m.z + (z + 0.5) * g->step_m};
}

static void carve_grid(grid *g, const evidence *e)
{
    const int boxes = g->side * g->side * g->side;
    uint8_t *empties = g->full + boxes;
    memset(empties, 0, (size_t)boxes);
    memset(g->full, 1, (size_t)boxes);
    for (int k = 0; k < e->len; k++) {
        const pov_turn_shot *shot = &e->shots[k];
        const pov_transform T_table_turning = {pov_rot_yaw(shot->angle_rad), e->stage->axis_m};
        const pov_transform T =
            pov_transform_mul(pov_transform_inverse(shot->T_table_camera), T_table_turning);
        for (int i = 0; i < boxes; i++) {
            pov_vec2 pixel;
            if (!g->full[i] || pov_camera_project(&shot->camera, &pixel, NULL,
                                                  pov_transform_apply(T, centre_of(g, i))) != POV_OK)
                continue;
            const int x = (int)lround(pixel.x), y = (int)lround(pixel.y);
            if (x < 0 || y < 0 || x >= shot->image.width_px || y >= shot->image.height_px)
                continue;
            if (!e->masks[k][y * shot->image.width_px + x] && ++empties[i] > empty_seen_max)
                g->full[i] = 0;
        }
    }
}

/* Keeps the largest connected piece. Returns its number of boxes. */
static int keep_largest(grid *g, int *queue)
{
    const int side = g->side, boxes = side * side * side;
    int best = 0;
    uint8_t best_mark = 0, mark = 1;
    for (int start = 0; start < boxes; start++) {
        if (g->full[start] != 1 || mark == 255)
            continue;
        int len = 1;
        queue[0] = start;
        g->full[start] = ++mark;
        for (int i = 0; i < len; i++) {
            const int at[3] = {queue[i] % side, queue[i] / side % side, queue[i] / (side * side)},
                      step[3] = {1, side, side * side};
            for (int k = 0; k < 6; k++) {
                const int axis = k / 2, to = at[axis] + (k % 2 ? 1 : -1),
                          next = queue[i] + (k % 2 ? 1 : -1) * step[axis];
                if (to >= 0 && to < side && g->full[next] == 1) {
                    g->full[next] = mark;
                    queue[len++] = next;
                }
            }
        }
        if (len > best) {
            best = len;
            best_mark = mark;
        }
    }
    for (int i = 0; i < boxes; i++)
        g->full[i] = best > 0 && g->full[i] == best_mark;
    return best;
}

static void find_bounds(const grid *g, pov_vec3 *low_m, pov_vec3 *high_m)
{
    *low_m = (pov_vec3){INFINITY, INFINITY, INFINITY};
    *high_m = (pov_vec3){-INFINITY, -INFINITY, -INFINITY};
    const double half = 0.5 * g->step_m;
    for (int i = 0; i < g->side * g->side * g->side; i++) {
        if (!g->full[i])
            continue;
        const pov_vec3 p = centre_of(g, i);
        *low_m =
            (pov_vec3){fmin(low_m->x, p.x - half), fmin(low_m->y, p.y - half), fmin(low_m->z, p.z - half)};
        *high_m =
            (pov_vec3){fmax(high_m->x, p.x + half), fmax(high_m->y, p.y + half), fmax(high_m->z, p.z + half)};
    }
}

static pov_status carve_twice(grid *g, const evidence *e, int *queue)
{
    pov_vec3 low_m, high_m;
    const double room_m = e->stage->room_m;
    *g = (grid){COARSE, {-0.5 * room_m, -0.5 * room_m, 0}, room_m / COARSE, g->full};
    carve_grid(g, e);
    if (keep_largest(g, queue) < least_share * COARSE * COARSE * COARSE)
        return pov_error(
            "nothing differs from the empty table; does the object stand on the middle of the "
            "turntable, is the room (%g m) not far too large for it, and is the table of another colour?",
            room_m);
    find_bounds(g, &low_m, &high_m);
    if (fmax(fmax(high_m.x, -low_m.x), fmax(high_m.y, -low_m.y)) > 0.5 * room_m - 1.5 * g->step_m ||
        high_m.z > room_m - 1.5 * g->step_m)
        return pov_error("something reaches beyond the room of %g m: give a larger one, set the object on "
                         "the middle of the "
                         "turntable, and let nothing else stand near it",
                         room_m);
    const double side_m =
        fmax(fmax(high_m.x - low_m.x, high_m.y - low_m.y), high_m.z - low_m.z) + 3 * g->step_m;
    *g = (grid){FINE,
                {0.5 * (low_m.x + high_m.x - side_m), 0.5 * (low_m.y + high_m.y - side_m), 0},
                side_m / FINE,
                g->full};
    carve_grid(g, e);
    if (keep_largest(g, queue) == 0)
        return pov_error("the object's outlines contradict one another; are the angles right, and did it not "
                         "move on the table?");
    return pov_ok();
}

/* ---- portraits ---- */

static bool is_full(const grid *g, pov_vec3 point_m)
{
    const int x = (int)floor((point_m.x - g->low_m.x) / g->step_m),
              y = (int)floor((point_m.y - g->low_m.y) / g->step_m),
              z = (int)floor((point_m.z - g->low_m.z) / g->step_m);
    return x >= 0 && y >= 0 && z >= 0 && x < g->side && y < g->side && z < g->side &&
           g->full[(z * g->side + y) * g->side + x];
}

/* Distance along a ray at which the body begins, within a radius of `place_m`; NAN: the ray misses it. */
static double depth_along(const grid *g, const pov_transform *T_turning_object, pov_vec3 place_m,
                          pov_vec3 along, double radius_m)
{
    for (int i = 0; i <= MARCH; i++) {
        const double depth_m = radius_m * (2.0 * i / MARCH - 1);
        const pov_vec3 point_m = pov_vec3_add(place_m, pov_vec3_scale(along, depth_m));
        if (is_full(g, pov_transform_apply(*T_turning_object, point_m)))
            return depth_m;
    }
    return NAN;
}

static uint8_t depth_of_pixel(const grid *g, const pov_transform *T_turning_object,
                              const pov_portrait_window *window, pov_vec3 eye_m, int i)
{
    double sum_m = 0;
    const double radius_m = pov_vec3_norm(window->right_m) * (SIDE - 4) / 2;
    const int row = i / SIDE, column = i % SIDE;
    for (int k = 0; k < SUB * SUB; k++) {
        const double right = (k % SUB + 0.5) / SUB - 0.5, down = (k >= SUB ? 1.5 : 0.5) / SUB - 0.5;
        const pov_vec3 place_m = pov_portrait_place(window, column + right, row + down);
        sum_m +=
            depth_along(g, T_turning_object, place_m, pov_vec3_unit(pov_vec3_sub(place_m, eye_m)), radius_m);
    }
    if (isnan(sum_m))
        return 0;
    const double depth = sum_m / (SUB * SUB * radius_m);
    return (uint8_t)lround(1 + fmin(1, fmax(0, 0.5 * (depth + 1))) * POV_PORTRAIT_DEPTHS);
}

/* The object's place and frame. */
typedef struct {
    const grid *g;
    pov_vec3 foot_m; /* in the turning table's frame */
    double yaw_rad;  /* of its x axis at angle 0 */
} body;

static pov_status paint_portrait(pov_portrait *portrait, const body *b, const pov_portraits *portraits,
                                 const evidence *e, int index)
{
    const pov_turn_shot *shot = &e->shots[index];
    pov_image_pyramid pyramid;
    const pov_transform T_turning_object = {pov_rot_yaw(b->yaw_rad), b->foot_m},
                        T_table_turning = {pov_rot_yaw(shot->angle_rad), e->stage->axis_m};
    const pov_transform T_camera_object = pov_transform_mul(
        pov_transform_inverse(shot->T_table_camera), pov_transform_mul(T_table_turning, T_turning_object));
    portrait->angle_rad = shot->angle_rad;
    portrait->eye_m = pov_transform_inverse(T_camera_object).t_m;
    const pov_portrait_window window =
        pov_portrait_window_of(portrait->eye_m, portraits->radius_m, portraits->height_m);
    const double distance_m = pov_vec3_norm(pov_vec3_sub(window.middle_m, portrait->eye_m));
    const int level =
        pov_image_pyramid_level(2 * portraits->radius_m / SIDE * shot->camera.fx_px / distance_m);
    POV_TRY(pov_image_pyramid_new(&pyramid, shot->image.width_px, shot->image.height_px));
    pov_image_pyramid_set(&pyramid, &shot->image, NULL);
    for (int i = 0; i < POV_PORTRAIT_AREA; i++) {
        pov_vec2 pixel;
        float rgb[3];
        const int row = i / SIDE;
        const pov_vec3 place_m = pov_portrait_place(&window, i % SIDE, row);
        portrait->depth[i] = depth_of_pixel(b->g, &T_turning_object, &window, portrait->eye_m, i);
        if (portrait->depth[i] == 0 ||
            pov_camera_project(&shot->camera, &pixel, NULL, pov_transform_apply(T_camera_object, place_m)) !=
                POV_OK ||
            !pov_image_pyramid_at(&pyramid, rgb, level, pixel.x, pixel.y) ||
            !e->masks[index][(int)lround(pixel.y) * shot->image.width_px + (int)lround(pixel.x)])
            portrait->depth[i] = 0;
        for (int c = 0; c < 3 && portrait->depth[i] > 0; c++)
            portrait->colour[i][c] = (uint8_t)lroundf(rgb[c]);
    }
    pov_image_pyramid_free(&pyramid);
    return pov_ok();
}

static void measure_body(pov_portraits *portraits, body *b, const grid *g, const evidence *e)
{
    pov_vec3 low_m, high_m;
    double squares_m2 = 0;
    const pov_vec3 eye_m = e->shots[0].T_table_camera.t_m, axis_m = e->stage->axis_m;
    find_bounds(g, &low_m, &high_m);
    b->g = g;
    b->foot_m = (pov_vec3){0.5 * (low_m.x + high_m.x), 0.5 * (low_m.y + high_m.y), 0};
    b->yaw_rad = atan2(eye_m.y - axis_m.y, eye_m.x - axis_m.x);
    portraits->height_m = high_m.z;
    for (int i = 0; i < g->side * g->side * g->side; i++) {
        const pov_vec3 p = pov_vec3_sub(centre_of(g, i), b->foot_m);
        const double up_m = p.z - 0.5 * high_m.z;
        if (g->full[i])
            squares_m2 = fmax(squares_m2, p.x * p.x + p.y * p.y + up_m * up_m);
    }
    portraits->radius_m = sqrt(squares_m2) + g->step_m;
}

static pov_object_stand stand_of(const body *b, const pov_turn_stage *stage)
{
    const pov_transform T_turning_object = {pov_rot_yaw(b->yaw_rad), b->foot_m},
                        T_table_turning = {pov_rot_identity(), stage->axis_m};
    return (pov_object_stand){stage->axis_m, pov_transform_mul(T_table_turning, T_turning_object)};
}

static pov_status carve_from_masks(pov_portraits *portraits, pov_object_stand *stand, const evidence *e)
{
    const size_t boxes = (size_t)FINE * FINE * FINE;
    grid g = {.full = malloc(2 * boxes)};
    int *queue = malloc(boxes * sizeof *queue);
    body b;
    pov_status status = g.full && queue ? carve_twice(&g, e, queue) : pov_error("out of memory");
    if (status.code == POV_OK) {
        measure_body(portraits, &b, &g, e);
        *stand = stand_of(&b, e->stage);
        for (int i = 0; i < e->len && status.code == POV_OK; i += 2)
            status = paint_portrait(&portraits->portraits[portraits->len++], &b, portraits, e, i);
    }
    free(g.full);
    free(queue);
    return status;
}

static pov_status find_masks(evidence *e, const pov_turn_shots *turn)
{
    e->masks = calloc((size_t)turn->len, sizeof *e->masks);
    bool whole = e->masks;
    for (int i = 0; i < turn->len && whole; i++) {
        const pov_turn_shot *shot = &turn->shots[i];
        const size_t area = (size_t)shot->image.width_px * (size_t)shot->image.height_px;
        int *queue = malloc(area * sizeof *queue);
        e->masks[i] = malloc(area);
        whole = queue && e->masks[i];
        if (whole)
            find_mask(e->masks[i], queue, shot, &turn->empty, e->stage);
        free(queue);
    }
    return whole ? pov_ok() : pov_error("out of memory");
}

pov_status pov_object_carve(pov_portraits *portraits, pov_object_stand *stand, const pov_turn_shots *turn,
                            const pov_turn_stage *stage)
{
    memset(portraits, 0, sizeof *portraits);
    if (turn->len < 2 * POV_PORTRAIT_MIN || turn->len > 2 * POV_PORTRAIT_MAX)
        return pov_error("%d images of the turn; %d to %d are of use", turn->len, 2 * POV_PORTRAIT_MIN,
                         2 * POV_PORTRAIT_MAX);
    evidence e = {turn->shots, turn->len, stage, NULL};
    portraits->symmetry = 1;
    portraits->widening_place = portraits->widening_yaw = 1;
    portraits->scatter = 6;
    portraits->error_m = portraits->error_rad = NAN;
    pov_status status = find_masks(&e, turn);
    POV_THEN(status, carve_from_masks(portraits, stand, &e));
    for (int i = 0; i < turn->len && e.masks; i++)
        free(e.masks[i]);
    free(e.masks);
    return status;
}
