/** Distortion as files of cameras give it: a model's name, and its coefficients in OpenCV's order. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "perception/geometry/camera.h"

enum { POV_COEFFICIENTS_MAX = 14 }; /* OpenCV's most: rational, thin prism and tilt */

typedef enum {
    POV_PLUMB_BOB,
    POV_RATIONAL_POLYNOMIAL,
    POV_EQUIDISTANT,
    POV_DISTORTION_MODEL_COUNT
} pov_distortion_model;

/** ROS's names. */
extern const char *const pov_distortion_model_names[POV_DISTORTION_MODEL_COUNT];

/** The model that alone has so many coefficients; false: several have, or none. */
bool pov_distortion_infer(pov_distortion_model *model, int length);

/** Gives the camera this distortion. Complains of `node` if the model has not so many coefficients. */
void pov_distortion_take(pov_camera *camera, pov_yaml_node node, pov_distortion_model model,
                         const double *coefficients, int length);
