#include "perception/models/network.h"

#include "perception/models/network_backend.h"

#include <stdlib.h>
#include <string.h>

struct pov_network {
    const pov_network_backend *backend;
    void *impl;
    pov_engine_report report;
};

static const pov_network_backend *const backends[] = {
    [POV_BACKEND_OPENCV] = &pov_opencv_backend,
    [POV_BACKEND_ONNXRUNTIME] = &pov_onnxruntime_backend,
};
_Static_assert(sizeof backends / sizeof *backends == POV_BACKEND_COUNT, "a table for each backend");

const char *pov_backend_name(int backend)
{
    static const char *const names[] = {"default", "opencv", "onnxruntime"};
    _Static_assert(sizeof names / sizeof *names == POV_BACKEND_COUNT, "a name for each");
    return backend >= 0 && backend < POV_BACKEND_COUNT ? names[backend] : NULL;
}

const char *pov_provider_name(int provider)
{
    static const char *const names[] = {"default", "cpu", "cuda", "tensorrt"};
    _Static_assert(sizeof names / sizeof *names == POV_PROVIDER_COUNT, "a name for each");
    return provider >= 0 && provider < POV_PROVIDER_COUNT ? names[provider] : NULL;
}

pov_engine pov_engine_merge(pov_engine engine, pov_engine other)
{
    if (other.backend != POV_BACKEND_DEFAULT)
        engine.backend = other.backend;
    if (other.provider != POV_PROVIDER_DEFAULT)
        engine.provider = other.provider;
    return engine;
}

static pov_status find_library(const pov_network_backend *backend)
{
    return backend->find ? backend->find() : pov_ok();
}

pov_status pov_engine_find(pov_backend backend)
{
    return find_library(backends[pov_engine_resolve((pov_engine){.backend = backend}).backend]);
}

pov_engine pov_engine_resolve(pov_engine engine)
{
    if (engine.backend == POV_BACKEND_DEFAULT) {
        const bool only_runtime = find_library(&pov_opencv_backend).code != POV_OK &&
                                  find_library(&pov_onnxruntime_backend).code == POV_OK;
        engine.backend = only_runtime ? POV_BACKEND_ONNXRUNTIME : POV_BACKEND_OPENCV;
    }
    if (engine.provider == POV_PROVIDER_DEFAULT)
        engine.provider = POV_PROVIDER_CPU;
    return engine;
}

const char *pov_engine_library(pov_engine engine)
{
    return backends[pov_engine_resolve(engine).backend]->name;
}

pov_status pov_network_new(pov_network **network, const pov_onnx_model *model, pov_engine engine)
{
    const pov_engine resolved = pov_engine_resolve(engine);
    const pov_network_backend *backend = backends[resolved.backend];
    *network = NULL;
    POV_TRY(find_library(backend));
    if (model->opset > backend->opset_max)
        return pov_error("opset %d; export the model with an opset of %d to %d, best 12%s", model->opset,
                         POV_ONNX_OPSET_MIN, backend->opset_max,
                         resolved.backend == POV_BACKEND_OPENCV ? ", or run it by backend: onnxruntime" : "");
    pov_network *made = pov_allocate(1, sizeof *made);
    made->backend = backend;
    made->report.engine = resolved;
    const pov_status status = backend->load(&made->impl, &made->report, model, resolved.provider);
    if (status.code == POV_OK)
        *network = made;
    else
        free(made);
    return status;
}

void pov_network_destroy(pov_network **network)
{
    if (!network || !*network)
        return;
    (*network)->backend->destroy((*network)->impl);
    free(*network);
    *network = NULL;
}

const pov_engine_report *pov_network_report(const pov_network *network)
{
    return &network->report;
}

pov_status pov_network_set_input(pov_network *network, const char *name, const pov_tensor *input)
{
    return network->backend->set_input(network->impl, name, input);
}

pov_status pov_network_run(pov_network *network, pov_tensor *outputs, const char *const names[], int len)
{
    POV_REQUIRE(len <= POV_NETWORK_OUTPUT_MAX);
    memset(outputs, 0, (size_t)len * sizeof *outputs);
    return network->backend->run(network->impl, outputs, names, len);
}
