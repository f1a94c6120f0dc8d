/* Stands where onnxruntime_network.c does in a build without ONNX Runtime. */
#include "perception/models/network_backend.h"

const pov_network_backend pov_onnxruntime_backend = {
    .name = "ONNX Runtime",
    .missing = "backend: this pov was built without ONNX Runtime: install libonnxruntime-dev (Debian 13), or "
               "Microsoft's release, and build pov again with -DPOV_WITH_ONNXRUNTIME=ON (docs/INSTALL.md); "
               "'opencv' is there for networks whose operators OpenCV knows",
};
