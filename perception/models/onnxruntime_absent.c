/* Stands where onnxruntime_network.c does in a build without ONNX Runtime. */
#include "perception/models/network_backend.h"

static pov_status find_none(void)
{
    return pov_error("backend: this pov was built without ONNX Runtime: run ./dev onnxruntime (or install "
                     "Debian 13's libonnxruntime-dev), and build pov again (docs/MODELS.md); 'opencv' is "
                     "there for networks whose operators OpenCV knows");
}

const pov_network_backend pov_onnxruntime_backend = {.name = "ONNX Runtime", .find = find_none};
