/** A network that runs: one interface to the libraries that run ONNX models. */
#pragma once

#include "perception/models/onnx_summary.h"
#include "perception/models/tensor.h"
#include "perception/status.h"

#include <stddef.h>

enum { POV_NETWORK_OUTPUT_MAX = POV_ONNX_OUTPUT_MAX };

typedef enum {
    POV_BACKEND_DEFAULT, /* OpenCV, or ONNX Runtime in a build without OpenCV's dnn */
    POV_BACKEND_OPENCV,
    POV_BACKEND_ONNXRUNTIME,
    POV_BACKEND_COUNT
} pov_backend;

/** ONNX Runtime's execution providers. */
typedef enum {
    POV_PROVIDER_DEFAULT, /* the CPU */
    POV_PROVIDER_CPU,
    POV_PROVIDER_CUDA,
    POV_PROVIDER_TENSORRT, /* with CUDA for the operators that TensorRT lacks */
    POV_PROVIDER_COUNT
} pov_provider;

/** The library that runs a network, and the device on which it does. */
typedef struct {
    pov_backend backend;
    pov_provider provider;
} pov_engine;

/** "default", "opencv", ...: names in files and options; NULL for what is none. */
const char *pov_backend_name(int backend);
const char *pov_provider_name(int provider);

/** Takes from `other` what is not the default there. */
pov_engine pov_engine_merge(pov_engine engine, pov_engine other);
/** With the default backend replaced by the one that it stands for in this build. */
pov_engine pov_engine_resolve(pov_engine engine);
/** POV_ERROR: this build, or this machine, lacks the library; how to get it. */
POV_MUST_USE pov_status pov_engine_find(pov_backend backend);
/** "OpenCV", "ONNX Runtime". */
const char *pov_engine_library(pov_engine engine);

/** The processor that a network runs on, as far as the library tells. */
typedef struct {
    pov_engine engine;    /* no defaults */
    char on[64];          /* "ONNX Runtime 1.21.0, cuda" */
    char instead_of[200]; /* why it is not the provider that was wished for; "": it is */
} pov_engine_report;

/** A model in memory. */
typedef struct {
    const void *bytes;
    size_t length;
    int opset;
} pov_onnx_model;

typedef struct pov_network pov_network;

/** Loads a model, and copies what it needs of it. A provider that cannot be had is replaced by the CPU, which the report says.
 *  POV_ERROR says what the library says (the operator that it lacks, say), or that this build lacks the backend, and how to get it. */
POV_MUST_USE pov_status pov_network_new(pov_network **network, const pov_onnx_model *model,
                                        pov_engine engine);
void pov_network_destroy(pov_network **network);

const pov_engine_report *pov_network_report(const pov_network *network);

/** Gives an input its numbers; they are copied, and converted to what the network takes. */
POV_MUST_USE pov_status pov_network_set_input(pov_network *network, const char *name,
                                              const pov_tensor *input);

/** Runs it. Out: a tensor for each of the outputs named, borrowed until the next run. Needs: len up to
 *  POV_NETWORK_OUTPUT_MAX. */
POV_MUST_USE pov_status pov_network_run(pov_network *network, pov_tensor *outputs, const char *const names[],
                                        int len);
