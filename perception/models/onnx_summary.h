/** A summary of an ONNX file, read before it is run: a bounded reader of the few fields needed (onnx.proto3). Pure. */
#pragma once

#include "perception/models/tensor.h"
#include "perception/status.h"

#include <stddef.h>

enum {
    POV_ONNX_INPUT_MAX = 4,
    POV_ONNX_OUTPUT_MAX = 16,
    POV_ONNX_OPSET_MIN = 7, /* neither OpenCV nor ONNX Runtime knows older ones: docs/MODELS.md */
    POV_ONNX_OPSET_MAX = 64 /* chosen: far beyond today's 24; network.h's backends know their own */
};

/** Borrowed text, not ended by '\0'; length 0: there is none. */
typedef struct {
    const char *text;
    size_t length;
} pov_onnx_text;

typedef struct {
    int ir_version, opset;
    int node_len;
    int input_len, output_len; /* of the graph; weights that are listed as inputs, as is legal, not counted */
    pov_tensor_shape inputs[POV_ONNX_INPUT_MAX], outputs[POV_ONNX_OUTPUT_MAX];
    pov_onnx_text producer;
    /* Metadata, as Ultralytics writes it: what each class is called, "detect" or "pose", "[17, 3]", "[640, 640]". */
    pov_onnx_text class_names, task, keypoint_shape, image_size;
} pov_onnx_summary;

/** Reads a model from memory; texts are borrowed from `bytes`. POV_ERROR, the summary cleared: not an ONNX model (says at
 *  which byte), cut off, without a graph, an opset out of range, weights in another file, too many inputs or outputs. */
POV_MUST_USE pov_status pov_onnx_summary_read(pov_onnx_summary *summary, const void *bytes, size_t length);
