#include "config/scene/scene_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "perception/geometry/linalg.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Properties of every scene. */
static bool is_sound(const pov_entity *entity)
{
    double weights = 0;
    for (int i = 0; i < entity->heading.len; i++)
        weights += entity->heading.mode[i].weight;
    return entity->name[0] != '\0' && pov_rot_is_valid(entity->R_table_box, 1e-6) && entity->size_m.x >= 0 &&
           entity->placed == !isnan(entity->position.mean_m.x) &&
           entity->position.own_cov_m2[0][0] >= -1e-6 &&
           (entity->heading.len == 0 || fabs(weights - 1) < 1e-9) &&
           (!entity->can_see || entity->field.half_horizontal_rad > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_scene scene;
    pov_status status = pov_scene_file_parse(&scene, "scene.yaml", (const char *)bytes, length);
    if (status.code != POV_OK && scene.len != 0)
        abort();
    for (int i = 0; i < scene.len; i++)
        if (!is_sound(&scene.entities[i]) || pov_scene_find(&scene, scene.entities[i].name) != i)
            abort();
    return 0;
}
