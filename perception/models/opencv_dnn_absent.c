/* Stands where opencv_dnn_shim.cpp does in a build without POV_WITH_MODELS. */
#include "perception/models/opencv_dnn_shim.h"

static pov_status complain(void)
{
    return pov_error(
        "this pov was built without networks: build it again with -DPOV_WITH_MODELS=ON (docs/INSTALL.md)");
}

pov_status pov_network_new(pov_network **network, const void *onnx, size_t length)
{
    (void)onnx;
    (void)length;
    *network = NULL;
    return complain();
}

void pov_network_destroy(pov_network **network)
{
    (void)network;
}

pov_status pov_network_set_input(pov_network *network, const char *name, const pov_tensor *input)
{
    (void)network;
    (void)name;
    (void)input;
    return complain();
}

pov_status pov_network_run(pov_network *network, pov_tensor *outputs, const char *const names[], int len)
{
    (void)network;
    (void)outputs;
    (void)names;
    (void)len;
    return complain();
}
