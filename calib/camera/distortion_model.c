#include "calib/camera/distortion_model.h"

#include <assert.h>

const char *const pov_distortion_model_names[] = {"plumb_bob", "rational_polynomial", "equidistant"};

/* Coefficients that a model has in ROS, and at least needs. */
static const struct {
    pov_lens lens;
    int least, most;
} models[] = {[POV_PLUMB_BOB] = {POV_LENS_BROWN_CONRADY, 4, 5},
              [POV_RATIONAL_POLYNOMIAL] = {POV_LENS_BROWN_CONRADY, 8, 8},
              [POV_EQUIDISTANT] = {POV_LENS_EQUIDISTANT, 4, 4}};
static_assert(sizeof models / sizeof *models == POV_DISTORTION_MODEL_COUNT, "every model has its counts");

enum { RATIONAL = 8, THIN_PRISM = 12, TILTED = 14 }; /* coefficients of OpenCV's larger models */

bool pov_distortion_infer(pov_distortion_model *model, int length)
{
    *model = length == 5 ? POV_PLUMB_BOB : POV_RATIONAL_POLYNOMIAL;
    return length == 5 || length == RATIONAL || length == THIN_PRISM || length == TILTED;
}

static void complain_of_coefficient(pov_yaml_node node, pov_distortion_model model,
                                    const double *coefficients, int at, int length)
{
    if (model != POV_EQUIDISTANT && at >= RATIONAL && (length == THIN_PRISM || length == TILTED))
        pov_yaml_complain(
            node,
            "has %d coefficients: 8 of a rational model, %s, which pov has no model for; calibrate with 8 or "
            "5 "
            "coefficients (OpenCV: without %s), or with 'pov calib camera'",
            length, length == TILTED ? "4 of a thin prism and 2 of a tilted sensor" : "and 4 of a thin prism",
            length == TILTED ? "CALIB_THIN_PRISM_MODEL and CALIB_TILTED_MODEL" : "CALIB_THIN_PRISM_MODEL");
    else
        pov_yaml_complain(node, "coefficient %d is %g; %s has only %d, the others must be 0", at + 1,
                          coefficients[at], pov_distortion_model_names[model], models[model].most);
}

void pov_distortion_take(pov_camera *camera, pov_yaml_node node, pov_distortion_model model,
                         const double *coefficients, int length)
{
    if (length < models[model].least)
        pov_yaml_complain(node, "has %d coefficients; %s needs %d", length, pov_distortion_model_names[model],
                          models[model].least);
    for (int i = models[model].most; i < length; i++)
        if (coefficients[i] != 0)
            complain_of_coefficient(node, model, coefficients, i, length);
    camera->lens = models[model].lens;
    for (int i = 0; i < models[model].most; i++)
        camera->distortion[i] = i < length ? coefficients[i] : 0;
}
