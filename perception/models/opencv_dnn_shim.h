/** OpenCV's dnn, which has no C interface, behind one: it adapts, decides nothing, and lets no exception through. */
#ifndef POV_PERCEPTION_MODELS_OPENCV_DNN_SHIM_H
#define POV_PERCEPTION_MODELS_OPENCV_DNN_SHIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "perception/models/tensor.h"
#include "perception/status.h"

enum { POV_NETWORK_OUTPUT_MAX = 8 };

typedef struct pov_network pov_network;

/** Reads an ONNX model from memory, for the CPU. POV_ERROR says what OpenCV says: the operator that it lacks, say. */
POV_MUST_USE pov_status pov_network_new(pov_network **network, const void *onnx, size_t length);
void pov_network_destroy(pov_network **network);

/** Gives an input its numbers; they are copied. */
POV_MUST_USE pov_status pov_network_set_input(pov_network *network, const char *name,
                                              const pov_tensor *input);

/** Runs it. Out: a tensor for each of the outputs named, borrowed until the next run. Needs: len up to
 *  POV_NETWORK_OUTPUT_MAX. */
POV_MUST_USE pov_status pov_network_run(pov_network *network, pov_tensor *outputs, const char *const names[],
                                        int len);

#ifdef __cplusplus
}
#endif

#endif
