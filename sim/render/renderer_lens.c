#include "sim/render/renderer_internal.h"

#include <math.h>
#include <stdlib.h>

enum { PADDING = 64 }; /* columns and rows beyond the ring, for tiles that hang over */

void ray_table_destroy(ray_table *table)
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

pov_status ray_table_make(ray_table *table, const pov_camera *camera)
{
    pov_status status = pov_camera_check(camera);
    if (status.code != POV_OK)
        return status;
    if (table->stride > 0 && pov_camera_hash(camera) == pov_camera_hash(&table->camera))
        return pov_ok();
    ray_table_destroy(table);
    const int stride = camera->width_px + PADDING, rows = camera->height_px + PADDING;
    for (int k = 0; k < 3; k++)
        table->direction[k] = malloc((size_t)stride * (size_t)rows * sizeof *table->direction[k]);
    if (!table->direction[0] || !table->direction[1] || !table->direction[2]) {
        ray_table_destroy(table);
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
