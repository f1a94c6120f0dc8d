/** A scene and the rays through it, new for each test. Include after cmocka.h. */
#pragma once

#include "perception/visibility/occlusion.h"
#include "tests/support/visible_scene.h"

#include <math.h>

static pov_occlusion *occlusion;
static pov_scene scene;

static inline int set_up(void **state)
{
    (void)state;
    pov_scene_clear(&scene);
    return pov_occlusion_new(&occlusion).code == POV_OK ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    pov_occlusion_destroy(&occlusion);
    return 0;
}

/** An eye at the origin that sees all around. */
static inline pov_id eye_at_origin(void)
{
    return test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0, test_all_around());
}

/** The point at this azimuth (from +x, counter-clockwise), elevation (rad) and distance (m) from the origin. */
static inline pov_vec3 toward(double azimuth, double elevation, double distance)
{
    return (pov_vec3){distance * cos(elevation) * cos(azimuth), distance * cos(elevation) * sin(azimuth),
                      distance * sin(elevation)};
}
