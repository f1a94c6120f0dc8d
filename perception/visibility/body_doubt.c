#include "perception/visibility/body_doubt.h"
#include "perception/hash.h"

#include <string.h>

bool pov_body_is_doubtful(const pov_entity *entity)
{
    return entity->shape == POV_SHAPE_BOX && entity->shape_doubt > 0;
}

/* In [0, 1), and little alike for names that are (by the name, so that the order of entities does not matter). */
static double share_of_name(const char *name)
{
    return pov_hash32_text(POV_HASH32_START, name) / 4294967296.0;
}

static double shift_point(double point, double shift)
{
    return point + shift < 1 ? point + shift : point + shift - 1;
}

static void draw_inset(pov_inset *inset, double doubt, const double *point, double shift)
{
    const bool is_well_filled = shift_point(point[6], shift) < POV_SHAPE_WELL_FILLED_SHARE;
    const double deepest = doubt * (is_well_filled ? POV_SHAPE_WELL_FILLED : 1);
    for (int k = 0; k < 3; k++) {
        inset->low[k] = (float)(deepest * shift_point(point[k], shift));
        inset->high[k] = (float)(deepest * shift_point(point[3 + k], shift));
    }
}

void pov_insets_of(pov_inset insets[POV_ENTITY_MAX], const pov_scene *scene,
                   const pov_id slots[POV_INSET_SLOTS], const double *point)
{
    const double *last = point + (POV_INSET_SLOTS - 1) * POV_INSET_DIMENSIONS;
    memset(insets, 0, (size_t)scene->len * sizeof *insets);
    for (pov_id id = 0; id < scene->len; id++)
        if (pov_body_is_doubtful(&scene->entities[id]))
            draw_inset(&insets[id], scene->entities[id].shape_doubt, last,
                       share_of_name(scene->entities[id].name));
    for (int slot = 0; slot < POV_INSET_SLOTS; slot++)
        if (slots[slot] != POV_ID_NONE && pov_body_is_doubtful(&scene->entities[slots[slot]]))
            draw_inset(&insets[slots[slot]], scene->entities[slots[slot]].shape_doubt,
                       point + slot * POV_INSET_DIMENSIONS, 0);
}

void pov_inset_box(pov_vec3 *size_m, pov_vec3 *centre_m, const pov_entity *entity, const pov_inset *inset)
{
    const pov_vec3 size = entity->size_m;
    const float *low = inset->low, *high = inset->high;
    const pov_vec3 shift = {(double)(low[0] - high[0]) * size.x / 2, (double)(low[1] - high[1]) * size.y / 2,
                            (double)(low[2] - high[2]) * size.z / 2};
    *size_m = (pov_vec3){size.x * (double)(1 - low[0] - high[0]), size.y * (double)(1 - low[1] - high[1]),
                         size.z * (double)(1 - low[2] - high[2])};
    *centre_m = pov_vec3_add(entity->position.mean_m, pov_rot_apply(entity->R_table_box, shift));
}

pov_ray_body pov_ray_body_inset(const pov_ray_body *body, const pov_inset *inset)
{
    pov_ray_body drawn = *body;
    if (body->shape != POV_SHAPE_BOX)
        return drawn;
    for (int k = 0; k < 3; k++) {
        const double shift = (double)((inset->low[k] - inset->high[k]) * body->half_m[k]);
        drawn.half_m[k] = body->half_m[k] * (1 - inset->low[k] - inset->high[k]);
        drawn.centre_m.x += shift * (double)body->R_body_table[k][0];
        drawn.centre_m.y += shift * (double)body->R_body_table[k][1];
        drawn.centre_m.z += shift * (double)body->R_body_table[k][2];
    }
    return drawn;
}
