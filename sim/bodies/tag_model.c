#include "sim/bodies/tag_model.h"

#include "perception/tags/tag_print.h"

#include <string.h>

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
    pov_status status = pov_tag_print_make(&print, family, id);
    if (status.code == POV_OK)
        status = pov_model_new(model);
    if (status.code != POV_OK)
        return status;
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
