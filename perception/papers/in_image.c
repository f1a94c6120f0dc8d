#include "perception/papers/in_image.h"

double pov_in_image(const pov_occlusion *occlusion, pov_id id, const pov_seeing *seeing, double min_fraction)
{
    const pov_scene *scene = pov_occlusion_scene(occlusion);
    pov_seeing showing = *seeing;
    pov_visibility visibility;
    showing.min_fraction = min_fraction;
    if (scene->camera == POV_ID_NONE || !scene->entities[scene->camera].can_see ||
        pov_visibility_evaluate(occlusion, &visibility, scene->camera, id, &showing) != POV_OK)
        return 1;
    return visibility.sees.p;
}
