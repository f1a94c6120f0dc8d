// How much of a mug a person sees while a box is pushed in front of it.
//   c++ -std=c++20 visible_share.cpp $(pkg-config --cflags --libs pov) -o visible_share
#include <cmath>
#include <cstdio>
#include <memory>
#include <pov.h>

static pov_id add(pov_scene &scene, const char *name, pov_vec3 position_m, pov_vec3 size_m)
{
    pov_entity entity = pov_entity_named(name, name);
    pov_id id = POV_ID_NONE;
    entity.placed = true;
    entity.position.mean_m = position_m;
    entity.size_m = size_m;
    return pov_scene_add(&scene, &id, &entity).code == POV_OK ? id : POV_ID_NONE;
}

int main()
{
    const auto scene = std::make_unique<pov_scene>();
    const pov_seeing seeing = POV_SEEING_DEFAULT;
    pov_scene_clear(scene.get());
    const pov_id anna = add(*scene, "anna", {-1.5, 0, 0.8}, {0.3, 0.5, 1.6});
    const pov_id mug = add(*scene, "mug", {0.5, 0, 0.05}, {0.1, 0.1, 0.1});
    const pov_id box = add(*scene, "box", {0.2, -0.4, 0.2}, {0.1, 0.2, 0.4});
    pov_entity &person = scene->entities[anna];
    person.heading = pov_heading_single(0, pov_kappa_from_std(0.01)); // she looks along +x
    person.can_see = true;
    person.field = {.half_horizontal_rad = POV_PI / 2,
                    .half_vertical_rad = POV_PI / 3,
                    .far_m = INFINITY,
                    .eye_m = {0.1, 0, 0.7}};
    pov_occlusion *occlusion = nullptr;
    if (pov_occlusion_new(&occlusion).code != POV_OK)
        return 1;
    for (double y_m = -0.4; y_m <= 0.01; y_m += 0.1) {
        pov_visibility sees;
        scene->entities[box].position.mean_m.y = y_m;
        if (pov_occlusion_update(occlusion, scene.get()).code == POV_OK &&
            pov_visibility_evaluate(occlusion, &sees, anna, mug, &seeing) == POV_OK)
            std::printf("box at %.1f m: %3.0f %% of the mug visible, P(seen) = %.3f\n", y_m,
                        100 * sees.fraction_visible, sees.sees.p);
    }
    pov_occlusion_destroy(&occlusion);
}
