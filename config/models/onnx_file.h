/** ONNX models as files: read whole once their beginning and what they say of themselves are in order. */
#ifndef POV_CONFIG_MODELS_ONNX_FILE_H
#define POV_CONFIG_MODELS_ONNX_FILE_H

#include "config/files/read_file.h"
#include "perception/models/onnx_summary.h"

enum { POV_ONNX_BYTES_MAX = 512 << 20 };

/** Reads a model; the summary borrows from `bytes`. Errors name the path. A file that does not begin as a model does is
 *  refused before it is read. On error `bytes` is freed. */
POV_MUST_USE pov_status pov_onnx_file_read(pov_bytes *bytes, pov_onnx_summary *summary, const char *path);

#endif
