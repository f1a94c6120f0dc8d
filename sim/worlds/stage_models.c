#include "sim/worlds/stage_models.h"

#include "perception/tags/tag_print.h"
#include "sim/bodies/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTURE_PX = 512 };

static double fraction_of(double x)
{
    return x - floor(x);
}

/* Value noise: smooth in x and y, repeats with `period`. */
static double lattice_value(int x, int y, int period)
{
    uint32_t h = (uint32_t)((x % period + period) % period) * 0x9e3779b1U ^
                 (uint32_t)((y % period + period) % period) * 0x85ebca77U;
    h = (h ^ (h >> 16)) * 0x7feb352dU;
    h = (h ^ (h >> 15)) * 0x846ca68bU;
    return (double)((h ^ (h >> 16)) & 0xffff) / 0xffff;
}

static double noise_at(double x, double y, int period)
{
    const int column = (int)floor(x), row = (int)floor(y);
    double u = fraction_of(x), v = fraction_of(y);
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    const double above =
        (1 - u) * lattice_value(column, row, period) + u * lattice_value(column + 1, row, period);
    const double below =
        (1 - u) * lattice_value(column, row + 1, period) + u * lattice_value(column + 1, row + 1, period);
    return (1 - v) * above + v * below;
}

/* Boards along u, each of its own shade, with grain. */
static double wood_shade(double u, double v)
{
    enum { BOARDS = 4 };
    const int board = (int)(v * BOARDS);
    const double across = fraction_of(v * BOARDS), own = lattice_value(board, 7, 64);
    const double grain = noise_at(u * 4 + own * 8, v * 64, 64), fine = noise_at(u * 16, v * 256, 256);
    const double seam = across < 0.012 || across > 0.988 ? 0.72 : 1;
    return seam * (0.86 + 0.12 * own + 0.14 * (grain - 0.5) + 0.06 * (fine - 0.5));
}

static double tile_shade(double u, double v)
{
    const double x = fraction_of(u * 2), y = fraction_of(v * 2);
    const bool dark = ((int)(u * 2) + (int)(v * 2)) % 2 != 0;
    return x < 0.01 || y < 0.01 ? 0.7 : dark ? 0.88 : 1;
}

static void paint_texture(uint8_t *pixels, pov_surface_look look)
{
    for (int y = 0; y < TEXTURE_PX; y++)
        for (int x = 0; x < TEXTURE_PX; x++) {
            const double u = (x + 0.5) / TEXTURE_PX, v = (y + 0.5) / TEXTURE_PX;
            const double shade = look == POV_SURFACE_WOOD ? wood_shade(u, v) : tile_shade(u, v);
            for (int k = 0; k < 3; k++)
                pixels[3 * (y * TEXTURE_PX + x) + k] = (uint8_t)lround(255 * fmin(fmax(shade, 0), 1));
        }
}

static pov_status ground_texture(pov_model *model, int *index, pov_surface_look look)
{
    *index = POV_TEXTURE_NONE;
    if (look == POV_SURFACE_PLAIN)
        return pov_ok();
    uint8_t *pixels = pov_allocate((size_t)3 * TEXTURE_PX * TEXTURE_PX, 1);
    paint_texture(pixels, look);
    const pov_texture texture = {.width_px = TEXTURE_PX, .height_px = TEXTURE_PX, .pixels = pixels};
    *index = pov_model_add_texture(model, &texture);
    free(pixels);
    return pov_ok();
}

pov_status pov_stage_ground_new(pov_model **model, const pov_world_surface *surface)
{
    pov_material material = {.gloss = 0.02F, .gloss_exponent = 20};
    *model = pov_model_new();
    const pov_status status = ground_texture(*model, &material.texture, surface->look);
    if (status.code != POV_OK) {
        pov_model_destroy(model);
        return status;
    }
    pov_albedo_from_srgb(material.albedo, surface->colour);
    const int index = pov_model_add_material(*model, &material);
    const double tile_m = fmin(1, fmin(surface->size_m.x, surface->size_m.y) / 2); /* the texture once */
    uint32_t corners[4];
    for (int i = 0; i < 4; i++) {
        const float x = (float)((i == 1 || i == 2 ? 0.5 : -0.5) * surface->size_m.x),
                    y = (float)((i >= 2 ? 0.5 : -0.5) * surface->size_m.y);
        const float position_m[3] = {x, y, -(float)POV_STAGE_PAPER_M}, normal[3] = {0, 0, 1},
                    uv[2] = {x / (float)tile_m, -y / (float)tile_m};
        corners[i] = (uint32_t)pov_model_add_vertex(*model, position_m, normal, uv);
    }
    pov_model_add_triangle(*model, (const uint32_t[]){corners[0], corners[1], corners[2]}, index);
    pov_model_add_triangle(*model, (const uint32_t[]){corners[0], corners[2], corners[3]}, index);
    return pov_ok();
}

pov_status pov_stage_disc_new(pov_model **model, const pov_world_turntable *turntable)
{
    const double top_m = turntable->height_m - POV_STAGE_PAPER_M, r_m = turntable->radius_m;
    const double bevel_m = fmin(0.003, top_m / 4);
    *model = pov_model_new();
    const pov_brush brush = pov_brush_new(*model, turntable->colour, 0.05);
    const pov_vec2 profile_m[] = {
        {0, 0}, {0.96 * r_m, 0}, {r_m, bevel_m}, {r_m, top_m - bevel_m}, {r_m - bevel_m, top_m}, {0, top_m}};
    pov_shape_lathe(brush, profile_m, sizeof profile_m / sizeof *profile_m, 96);
    return pov_ok();
}

/* ---- printed tags ---- */

/* Ink is not black, paper not white. */
static const uint8_t INK = 40, PAPER = 240;

enum { MARGIN_MAX = 8, SIDE_MAX = POV_TAG_PRINT_SIDE_MAX + 2 * MARGIN_MAX };

static void add_print(pov_model *model, const pov_tag_print *print, int margin_cells)
{
    const int side = print->side_cells + 2 * margin_cells;
    uint8_t pixels[SIDE_MAX * SIDE_MAX * 3];
    memset(pixels, PAPER, sizeof pixels);
    for (int y = 0; y < print->side_cells; y++)
        for (int x = 0; x < print->side_cells; x++)
            memset(&pixels[3 * ((y + margin_cells) * side + x + margin_cells)],
                   print->grey[y][x] ? PAPER : INK, 3);
    const int texture = pov_model_add_texture(model, &(pov_texture){side, side, pixels, true});
    pov_model_add_material(model,
                           &(pov_material){.albedo = {1, 1, 1}, .gloss_exponent = 1, .texture = texture});
}

pov_status pov_tag_model_new(pov_model **model, pov_tag_family family, int id, double edge_m,
                             int margin_cells)
{
    POV_REQUIRE(margin_cells >= 0 && margin_cells <= MARGIN_MAX && edge_m > 0);
    static const float NORMAL[3] = {0, 0, 1};
    pov_tag_print print;
    *model = NULL;
    POV_TRY(pov_tag_print_make(&print, family, id));
    *model = pov_model_new();
    add_print(*model, &print, margin_cells);
    const double size_m = edge_m * (print.side_cells + 2 * margin_cells) / print.edge_cells;
    for (int i = 0; i < 4; i++) {
        const pov_vec3 corner = pov_tag_corner(size_m, i);
        const float position[3] = {(float)corner.x, (float)corner.y, 0};
        pov_model_add_vertex(*model, position, NORMAL, (float[2]){corner.x > 0, corner.y < 0});
    }
    pov_model_add_triangle(*model, (uint32_t[3]){0, 1, 2}, 0);
    pov_model_add_triangle(*model, (uint32_t[3]){0, 2, 3}, 0);
    return pov_ok();
}
