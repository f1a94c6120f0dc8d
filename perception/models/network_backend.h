/** The functions that a library gives to perception/models/network.h to run networks; each has one adapter, opencv_dnn_shim.cpp and
 *  onnxruntime_network.c. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include "perception/models/network.h"

/** `impl` is its own state. Semantics as the functions of network.h. */
typedef struct {
    const char *name;
    /** POV_ERROR: this build, or this machine, lacks the library; how to get it, and no other function is called. NULL: it is
     *  there. */
    pov_status (*find)(void);
    int opset_max;
    /** In: engine: a provider without default. Out: report: `on`, `instead_of`; cleared before. On error *impl stays NULL. */
    pov_status (*load)(void **impl, pov_engine_report *report, const pov_onnx_model *model,
                       pov_provider provider);
    pov_status (*set_input)(void *impl, const char *name, const pov_tensor *input);
    pov_status (*run)(void *impl, pov_tensor *outputs, const char *const names[], int len);
    void (*destroy)(void *impl);
} pov_network_backend;

extern const pov_network_backend pov_opencv_backend, pov_onnxruntime_backend;

#ifdef __cplusplus
}
#endif
