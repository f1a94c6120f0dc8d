/* Stands where opencv_dnn_shim.cpp does in a build without POV_WITH_MODELS. */
#include "perception/models/network_backend.h"

static pov_status find_none(void)
{
    return pov_error("this pov was built without OpenCV's dnn, which runs networks: build it again with "
                     "-DPOV_WITH_MODELS=ON (docs/INSTALL.md)");
}

const pov_network_backend pov_opencv_backend = {.name = "OpenCV", .find = find_none};
