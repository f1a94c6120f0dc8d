#include "sim/worlds/world_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Properties of every world. */
static bool is_sound(const pov_world *world)
{
    bool good = world->thing_len <= POV_WORLD_THING_MAX && world->image_len > 0 &&
                pov_camera_check(&world->camera.lens).code == POV_OK;
    for (int i = 0; i < world->thing_len; i++) {
        const pov_entity *entity = &world->things[i].entity;
        good = good && *entity->name && pov_catalogue_find(entity->class_name) && entity->size_m.x > 0 &&
               isfinite(entity->position.mean_m.z) && pov_rot_is_valid(entity->R_table_box, 1e-6);
    }
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_world world;
    static pov_scene scene;
    static const char *const variants[] = {NULL, "a", "a+b"};
    const char *variant = variants[length % 3];
    if (pov_world_file_parse(&world, "world.yaml", (const char *)bytes, length, variant).code != POV_OK)
        return 0;
    if (!is_sound(&world))
        abort();
    if (world.generator.kind == POV_GENERATOR_NONE)
        pov_world_scene(&scene, &world, pov_world_turn_rad(&world, 7));
    return 0;
}
