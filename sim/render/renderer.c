#include "sim/render/renderer_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rays of a lens ---- */

enum { PADDING = 64 }; /* columns and rows beyond the ring, for tiles that hang over */

static void destroy_ray_table(ray_table *table)
{
    for (int k = 0; k < 3; k++)
        free(table->direction[k]);
    *table = (ray_table){0};
}

static void set_direction(const ray_table *table, int x, int y)
{
    pov_vec3 direction = {NAN, NAN, NAN};
    if (x <= table->camera.width_px && y <= table->camera.height_px &&
        pov_camera_unproject(&table->camera, &direction, NULL, (pov_vec2){x, y}) != POV_OK)
        direction = (pov_vec3){NAN, NAN, NAN};
    const size_t i = (size_t)(y + 1) * (size_t)table->stride + (size_t)(x + 1);
    table->direction[0][i] = (float)direction.x;
    table->direction[1][i] = (float)direction.y;
    table->direction[2][i] = (float)direction.z;
}

static pov_status make_ray_table(ray_table *table, const pov_camera *camera)
{
    pov_status status = pov_camera_check(camera);
    if (status.code != POV_OK)
        return status;
    if (table->stride > 0 && pov_camera_hash(camera) == pov_camera_hash(&table->camera))
        return pov_ok();
    destroy_ray_table(table);
    const int stride = camera->width_px + PADDING, rows = camera->height_px + PADDING;
    for (int k = 0; k < 3; k++)
        table->direction[k] = malloc((size_t)stride * (size_t)rows * sizeof *table->direction[k]);
    if (!table->direction[0] || !table->direction[1] || !table->direction[2]) {
        destroy_ray_table(table);
        return pov_error("renderer: out of memory for a camera of %d x %d pixels", camera->width_px,
                         camera->height_px);
    }
    table->stride = stride;
    table->rows = rows;
    table->camera = *camera;
    for (int y = -1; y < rows - 1; y++)
        for (int x = -1; x < stride - 1; x++)
            set_direction(table, x, y);
    return pov_ok();
}

/* ---- the renderer ---- */

/* A tile is drawn from rays through its pixels' centres and those of a ring around it, in blocks of one packet each.
 * Tiles and blocks lie on a grid fixed to the image, so that a pixel does not depend on which rows are asked for. */
enum {
    BLOCK_PX = 4,
    TILE_WIDTH_PX = 126,
    TILE_HEIGHT_PX = POV_RENDERER_BAND_PX,
    RAY_COLUMNS = TILE_WIDTH_PX + 2,
    RAY_ROWS = TILE_HEIGHT_PX + 2
};
static_assert(RAY_COLUMNS % BLOCK_PX == 0 && RAY_ROWS % BLOCK_PX == 0, "a tile is whole blocks");

/* Neighbouring pixels that differ by more, in the square root of light (about as the eye perceives it), have an edge between
 * them. Chosen. */
static const float CONTRAST = 0.03F;

typedef struct {
    int left_px, top_px;    /* of the first pixel; the ring lies outside */
    int first_row, end_row; /* that are asked for, counted from the ring's top row: 1 .. TILE_HEIGHT_PX + 1 */
    float light[3][RAY_ROWS][RAY_COLUMNS];
    triangle_name met[RAY_ROWS][RAY_COLUMNS];
    render_shadow shadow[RAY_ROWS][RAY_COLUMNS]; /* of the block */
    bool has_edge[RAY_ROWS][RAY_COLUMNS];
} image_tile;

pov_status pov_renderer_new(pov_renderer **renderer)
{
    *renderer = pov_allocate(1, sizeof **renderer);
    render_lamp_set(&(*renderer)->lamp, &POV_LIGHTING_DEFAULT);
    pov_status status = render_scene_new(&(*renderer)->scene);
    if (status.code != POV_OK)
        pov_renderer_destroy(renderer);
    return status;
}

void pov_renderer_destroy(pov_renderer **renderer)
{
    if (!*renderer)
        return;
    destroy_ray_table(&(*renderer)->table);
    render_scene_destroy(&(*renderer)->scene);
    free(*renderer);
    *renderer = NULL;
}

pov_status pov_renderer_set(pov_renderer *renderer, const pov_instance *instances, int instance_len,
                            const pov_lighting *lighting)
{
    render_lamp_set(&renderer->lamp, lighting);
    return render_scene_set(&renderer->scene, instances, instance_len);
}

void pov_renderer_light(pov_renderer *renderer, const pov_lighting *lighting)
{
    render_lamp_set(&renderer->lamp, lighting);
}

pov_status pov_renderer_move(pov_renderer *renderer, const pov_transform *T_table_model, int len)
{
    POV_REQUIRE(len == renderer->scene.instance_len);
    return render_scene_move(&renderer->scene, T_table_model);
}

pov_status pov_renderer_look(pov_renderer *renderer, const pov_camera *camera, pov_transform T_table_camera)
{
    renderer->T_table_camera = T_table_camera;
    return make_ray_table(&renderer->table, camera);
}

/* ---- rays ---- */

/** Turns a packet's directions from the camera frame to the table's and sends it from the eye. */
static void packet_aim(ray_packet *packet, const float camera[3][LANES], pov_transform T_table_camera)
{
    struct RTCRay16 *ray = &packet->embree.ray;
    float *const table[3] = {ray->dir_x, ray->dir_y, ray->dir_z};
    for (int k = 0; k < 3; k++) {
        const double *R = T_table_camera.R.m[k];
        const float rx = (float)R[0], ry = (float)R[1], rz = (float)R[2];
        for (int i = 0; i < LANES; i++)
            table[k][i] = rx * camera[0][i] + ry * camera[1][i] + rz * camera[2][i];
    }
    const pov_vec3 eye = T_table_camera.t_m;
    for (int i = 0; i < LANES; i++) {
        ray->org_x[i] = (float)eye.x;
        ray->org_y[i] = (float)eye.y;
        ray->org_z[i] = (float)eye.z;
        ray->tnear[i] = 0;
        ray->tfar[i] = INFINITY;
        ray->time[i] = 0;
        ray->mask[i] = UINT32_MAX;
        ray->id[i] = 0;
        ray->flags[i] = 0;
        packet->wanted[i] = camera[2][i] == camera[2][i] ? -1 : 0;
        if (!packet
                 ->wanted[i]) /* Embree as Debian builds it aborts at NaN, on arm64 also of rays not wanted */
            ray->dir_x[i] = ray->dir_y[i] = ray->dir_z[i] = 1;
    }
}

/** Mixes bits: Wellons 2018, "lowbias32". */
static uint32_t mixed(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return x ^ (x >> 16);
}

/* ---- pixels' centres ---- */

static void write_truth(const pov_renderer *renderer, pov_rendering *rendering, const image_tile *tile,
                        const ray_packet *packet, int lane, float z, int column, int row)
{
    const int width_px = renderer->table.camera.width_px, height_px = renderer->table.camera.height_px;
    const int x = tile->left_px + column - 1, y = tile->top_px + row - 1;
    if (column < 1 || column > TILE_WIDTH_PX || row < tile->first_row || row >= tile->end_row ||
        x >= width_px || y >= height_px)
        return;
    const size_t pixel = (size_t)y * (size_t)width_px + (size_t)x;
    const bool met = packet->wanted[lane] && packet->embree.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID;
    if (rendering->label)
        rendering->label[pixel] =
            met ? (int16_t)renderer->scene.instances[packet->embree.hit.geomID[lane]].label
                : POV_LABEL_NOTHING;
    if (rendering->depth_m)
        rendering->depth_m[pixel] = met ? packet->embree.ray.tfar[lane] * z : INFINITY;
}

/** In half shadow each pixel must look at all of the lamp; a block has looked at sixteen points of it. */
static void remember_hit(image_tile *tile, const ray_packet *packet, int lane, render_shadow shadow,
                         int column, int row)
{
    const struct RTCHit16 *hit = &packet->embree.hit;
    tile->met[row][column] = (triangle_name){hit->geomID[lane], hit->primID[lane]};
    tile->shadow[row][column] = shadow;
    tile->has_edge[row][column] = shadow == SHADOW_HALF;
}

static void draw_block(const pov_renderer *renderer, pov_rendering *rendering, image_tile *tile, int column,
                       int row)
{
    float camera[3][LANES], light[3][LANES];
    ray_packet packet;
    const ray_table *table = &renderer->table;
    const int x = tile->left_px + column, y = tile->top_px + row; /* in the table, which has the ring */
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < BLOCK_PX; i++)
            memcpy(&camera[k][BLOCK_PX * i],
                   &table->direction[k][(size_t)(y + i) * (size_t)table->stride + (size_t)x],
                   BLOCK_PX * sizeof(float));
    packet_aim(&packet, (const float(*)[LANES])camera, renderer->T_table_camera);
    render_scene_meet(&renderer->scene, &packet);
    if (rendering->label || rendering->depth_m)
        for (int i = 0; i < LANES; i++)
            write_truth(renderer, rendering, tile, &packet, i, camera[2][i], column + i % BLOCK_PX,
                        row + i / BLOCK_PX);
    if (!rendering->light)
        return;
    const render_shadow shadow = render_shade(renderer, light, &packet,
                                              mixed((uint32_t)(x / BLOCK_PX) + 0x9e3779b9U * (uint32_t)y), 1);
    for (int i = 0; i < LANES; i++)
        remember_hit(tile, &packet, i, shadow, column + i % BLOCK_PX, row + i / BLOCK_PX);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < BLOCK_PX; i++)
            memcpy(&tile->light[k][row + i][column], &light[k][BLOCK_PX * i], BLOCK_PX * sizeof(float));
}

/* ---- edges ---- */

/** |sqrt(b) - sqrt(a)| > CONTRAST, where they are near to each other. */
static bool is_contrast(float a, float b)
{
    return (b - a) * (b - a) > 2 * CONTRAST * CONTRAST * (a + b);
}

/** Marks pixels of which one of the four neighbours differs: with a straight edge through a pixel, one always does. */
static void find_edges(image_tile *tile)
{
    for (int k = 0; k < 3; k++)
        for (int row = tile->first_row; row < tile->end_row; row++) {
            const float *above = tile->light[k][row - 1], *here = tile->light[k][row],
                        *below = tile->light[k][row + 1];
            for (int x = 1; x <= TILE_WIDTH_PX; x++) {
                const int contrasts = is_contrast(here[x], above[x]) + is_contrast(here[x], below[x]) +
                                      is_contrast(here[x], here[x - 1]) + is_contrast(here[x], here[x + 1]);
                tile->has_edge[row][x] |= contrasts > 0;
            }
        }
}

/** Sixteen rays over the pixel's area: a (0, 2)-net in base 2, so that each sixteenth of the area in any of five
 *  shapes has one, digitally shifted by pixel (Owen 2003, section 3). Directions are linear within a pixel to 1 / (8 f^2). */
static void spread_rays(const ray_table *table, float camera[3][LANES], int x, int y, uint32_t random)
{
    static const uint8_t REVERSED[LANES] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    const size_t at = (size_t)(y + 1) * (size_t)table->stride + (size_t)(x + 1);
    const uint32_t shift_x = random & 15, shift_y = random >> 4 & 15;
    const float fine_x = (float)(random >> 8 & 255) / 256 + 1.0F / 512,
                fine_y = (float)(random >> 16 & 255) / 256 + 1.0F / 512;
    float dx[LANES], dy[LANES];
    for (uint32_t i = 0; i < LANES; i++) {
        dx[i] = ((float)(i ^ shift_x) + fine_x) / LANES - 0.5F;
        dy[i] = ((float)(REVERSED[i] ^ shift_y) + fine_y) / LANES - 0.5F;
    }
    for (int k = 0; k < 3; k++) {
        const float *here = &table->direction[k][at];
        const float by_x = (here[1] - here[-1]) / 2, by_y = (here[table->stride] - here[-table->stride]) / 2;
        for (int i = 0; i < LANES; i++)
            camera[k][i] = *here + dx[i] * by_x + dy[i] * by_y;
    }
}

static float lanes_mean(const float values[LANES])
{
    float sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += values[i];
    return sum / LANES;
}

static bool is_same(triangle_name a, triangle_name b)
{
    return a.instance == b.instance && a.triangle == b.triangle;
}

/** True if a pixel's neighbours show the same triangle: then so does all of its area, which lies between their centres. */
static bool is_within_triangle(const image_tile *tile, int column, int row)
{
    const triangle_name here = tile->met[row][column];
    return here.instance != RTC_INVALID_GEOMETRY_ID && is_same(here, tile->met[row - 1][column]) &&
           is_same(here, tile->met[row + 1][column]) && is_same(here, tile->met[row][column - 1]) &&
           is_same(here, tile->met[row][column + 1]);
}

static bool is_in_light(const image_tile *tile, int column, int row)
{
    return tile->shadow[row][column] == SHADOW_NONE && tile->shadow[row - 1][column] == SHADOW_NONE &&
           tile->shadow[row + 1][column] == SHADOW_NONE && tile->shadow[row][column - 1] == SHADOW_NONE &&
           tile->shadow[row][column + 1] == SHADOW_NONE;
}

static void draw_edge(const pov_renderer *renderer, float light[3], const image_tile *tile, int column,
                      int row)
{
    float camera[3][LANES], lanes[3][LANES];
    ray_packet packet;
    const int x = tile->left_px + column - 1, y = tile->top_px + row - 1;
    const bool is_within = is_within_triangle(tile, column, row);
    const uint32_t random = mixed((uint32_t)x + 0x9e3779b9U * (uint32_t)y);
    spread_rays(&renderer->table, camera, x, y, random);
    packet_aim(&packet, (const float(*)[LANES])camera, renderer->T_table_camera);
    if (is_within)
        render_scene_meet_triangle(&renderer->scene, &packet, tile->met[row][column]);
    else
        render_scene_meet(&renderer->scene, &packet);
    render_shade(renderer, lanes, &packet, mixed(random),
                 is_within && is_in_light(tile, column, row) ? 0 : LAMP_SETS);
    for (int k = 0; k < 3; k++)
        light[k] = lanes_mean(lanes[k]);
}

/* ---- tiles ---- */

static void write_light(const pov_renderer *renderer, pov_rendering *rendering, const image_tile *tile)
{
    const pov_camera *camera = &renderer->table.camera;
    for (int row = tile->first_row; row < tile->end_row; row++)
        for (int column = 1; column <= TILE_WIDTH_PX && tile->left_px + column <= camera->width_px;
             column++) {
            const int x = tile->left_px + column - 1, y = tile->top_px + row - 1;
            float *light = rendering->light[(size_t)y * (size_t)camera->width_px + (size_t)x];
            if (tile->has_edge[row][column])
                draw_edge(renderer, light, tile, column, row);
            else
                for (int k = 0; k < 3; k++)
                    light[k] = tile->light[k][row][column];
        }
}

static void draw_tile(const pov_renderer *renderer, pov_rendering *rendering, image_tile *tile)
{
    const int first = (tile->first_row - 1) / BLOCK_PX * BLOCK_PX;
    for (int row = first; row < tile->end_row + 1; row += BLOCK_PX)
        for (int column = 0; column < RAY_COLUMNS; column += BLOCK_PX)
            if (tile->left_px + column <= renderer->table.camera.width_px + 1)
                draw_block(renderer, rendering, tile, column, row);
    if (!rendering->light)
        return;
    find_edges(tile);
    write_light(renderer, rendering, tile);
}

static int clamped(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

void pov_renderer_draw(const pov_renderer *renderer, pov_rendering *rendering, int first_row, int end_row)
{
    const pov_camera *camera = &renderer->table.camera;
    POV_REQUIRE(renderer->table.stride > 0 && first_row >= 0 && end_row <= camera->height_px);
    image_tile tile = {.top_px = first_row / TILE_HEIGHT_PX * TILE_HEIGHT_PX};
    for (; tile.top_px < end_row; tile.top_px += TILE_HEIGHT_PX) {
        tile.first_row = clamped(first_row - tile.top_px, 0, TILE_HEIGHT_PX) + 1;
        tile.end_row = clamped(end_row - tile.top_px, 0, TILE_HEIGHT_PX) + 1;
        for (tile.left_px = 0; tile.left_px < camera->width_px; tile.left_px += TILE_WIDTH_PX)
            draw_tile(renderer, rendering, &tile);
    }
}
