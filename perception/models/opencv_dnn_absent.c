/* Stands where opencv_dnn_shim.cpp does in a build without POV_WITH_MODELS. */
#include "perception/models/network_backend.h"

const pov_network_backend pov_opencv_backend = {
    .name = "OpenCV",
    .missing = "this pov was built without OpenCV's dnn, which runs networks: build it again with "
               "-DPOV_WITH_MODELS=ON (docs/INSTALL.md)",
};
