/** Model contracts as files (docs/MODELS.md), and the ONNX models they speak of. */
#pragma once

#include "config/files/digest.h"
#include "config/files/read_file.h"
#include "config/yaml/yaml_file.h"
#include "perception/models/detector.h"
#include "perception/models/onnx_summary.h"

enum { POV_MODEL_PATH_CAPACITY = 4096 };

typedef struct {
    pov_model_contract contract;
    char onnx_path[POV_MODEL_PATH_CAPACITY];
    char sha256[POV_DIGEST_CAPACITY];
    int opset;
} pov_model_file;

/** Reads a contract; golden.len 0 if it has no golden numbers. Errors name file, line and key. */
POV_MUST_USE pov_status pov_model_file_read(pov_model_file *file, const char *path);
/** The same from memory; `name` stands for the path. */
POV_MUST_USE pov_status pov_model_file_parse(pov_model_file *file, const char *name, const char *text,
                                             size_t length);
/** Reads the keys `backend` and `provider` of a mapping; the default of each where it is missing. */
void pov_model_read_engine(pov_engine *engine, pov_yaml_node node);
/** Reads a contract and its model, and compares them: hash, opset, names, shapes. Runs nothing. In: engine: instead of the
 *  contract's, where it is not the default. */
POV_MUST_USE pov_status pov_model_open_unproven(pov_detector **detector, const char *contract_path,
                                                pov_engine engine);
/** As the contract's golden numbers, those that the model gives on this machine, written into the file in place of others;
 *  the rest of the file stays as it is. Out: golden. */
POV_MUST_USE pov_status pov_model_seal(pov_golden *golden, const char *contract_path);
/** The same as unproven, and proves it by its golden numbers: a detector that does what its contract says, or POV_ERROR that says
 *  what differs. A contract without golden numbers is refused. */
POV_MUST_USE pov_status pov_model_open(pov_detector **detector, const char *contract_path, pov_engine engine);

/* ---- the ONNX model ---- */

enum { POV_ONNX_BYTES_MAX = 512 << 20 };

/** Reads a model; the summary borrows from `bytes`. Errors name the path. A file that does not begin as a model does is
 *  refused before it is read. On error `bytes` is freed. */
POV_MUST_USE pov_status pov_onnx_file_read(pov_bytes *bytes, pov_onnx_summary *summary, const char *path);
