/** Model contracts as files (docs/MODELS.md), and the ONNX models they name. */
#ifndef POV_CALIB_MODEL_FILE_H
#define POV_CALIB_MODEL_FILE_H

#include "perception/detector.h"

enum { POV_MODEL_PATH_CAPACITY = 1024, POV_MODEL_BYTES_MAX = 512 << 20 };

/** A contract, the file it speaks of, and that file's SHA-256 as the contract has it. */
typedef struct {
    pov_model_contract contract;
    char onnx_path[POV_MODEL_PATH_CAPACITY];
    char sha256[65];
    int opset;
} pov_model_file;

/** Reads a contract. Errors name file, line and key. */
POV_MUST_USE pov_status pov_model_file_read(pov_model_file *file, const char *path);
POV_MUST_USE pov_status pov_model_file_parse(pov_model_file *file, const char *name, const char *text,
                                             size_t length);

/** Reads the contract and its model, compares them (hash, opset, names, shapes), and runs the golden image: a detector
 *  that does what its contract says, or POV_ERROR that says what differs. A contract without golden numbers is refused. */
POV_MUST_USE pov_status pov_model_open(pov_detector **detector, const char *contract_path);

#endif
