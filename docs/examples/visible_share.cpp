// How much of a mug a person sees while a box is pushed in front of it.
//   c++ -std=c++20 visible_share.cpp $(pkg-config --cflags --libs pov) -o visible_share
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <pov.h>

static void check(const pov_status &status)
{
    if (status.code != POV_OK)
        std::exit((std::fprintf(stderr, "%s\n", status.message), 1));
}

int main()
{
    pov_scene *scene = nullptr;
    int16_t anna, mug, box;
    check(pov_scene_new(&scene));
    const pov_entity person = {.placed = 1, .has_front = 1, .position_m = {-1.5, 0, 0.8}, .size_m = {0.3, 0.5, 1.6},
                               .yaw_rad = 0, .kappa = pov_kappa_from_std(0.01)}; // she looks along +x
    const pov_field sees = {.half_horizontal_rad = M_PI / 2, .half_vertical_rad = M_PI / 3, .near_m = 0, .far_m = INFINITY,
                            .eye_m = {0.1, 0, 0.7}, .shape = POV_FIELD_CONE};
    check(pov_entity_add(scene, &anna, "anna", "person", &person));
    check(pov_entity_set_field(scene, anna, &sees));
    const pov_entity small = {.placed = 1, .position_m = {0.5, 0, 0.05}, .size_m = {0.1, 0.1, 0.1}};
    const pov_entity high = {.placed = 1, .position_m = {0.2, -0.4, 0.2}, .size_m = {0.1, 0.2, 0.4}};
    check(pov_entity_add(scene, &mug, "mug", "mug", &small));
    check(pov_entity_add(scene, &box, "box", "box", &high));
    for (double y_m = -0.4; y_m <= 0.01; y_m += 0.1) {
        const double at_m[3] = {0.2, y_m, 0.2};
        pov_visibility seen;
        pov_visibilities room = {&seen, 1, 0};
        check(pov_scene_move(scene, &box, 1, at_m, nullptr));
        check(pov_look(scene, &room, anna, mug, nullptr));
        std::printf("box at %.1f m: %3.0f %% of the mug visible, P(seen) = %.3f\n", y_m, 100 * seen.fraction_visible, seen.p);
    }
    pov_scene_destroy(&scene);
}
