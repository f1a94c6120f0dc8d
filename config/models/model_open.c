#include "config/models/model_file.h"

#include "config/models/onnx_file.h"

#include <string.h>

static pov_status compare(const pov_model_file *file, const pov_bytes *onnx, const pov_onnx_summary *summary)
{
    char digest[POV_DIGEST_CAPACITY];
    pov_digest(digest, onnx->data, onnx->length);
    if (strcmp(digest, file->sha256) != 0)
        return pov_error("sha256: %s has %s; it is not the model this contract was written for",
                         file->onnx_path, digest);
    if (summary->opset != file->opset)
        return pov_error("opset: the contract says %d, the model has %d", file->opset, summary->opset);
    return pov_ok();
}

pov_status pov_model_open_unproven(pov_detector **detector, const char *contract_path)
{
    pov_model_file file;
    pov_bytes onnx;
    pov_onnx_summary summary;
    *detector = NULL;
    POV_TRY(pov_model_file_read(&file, contract_path));
    POV_TRY(pov_onnx_file_read(&onnx, &summary, file.onnx_path));
    pov_status status = compare(&file, &onnx, &summary);
    if (status.code == POV_OK)
        status = pov_detector_new(detector, &file.contract, onnx.data, onnx.length);
    pov_bytes_free(&onnx);
    return status.code == POV_OK ? status : pov_error("%s: %s", contract_path, status.message);
}

static pov_status prove(pov_detector *detector)
{
    const pov_golden *golden = &pov_detector_contract(detector)->golden;
    if (golden->len == 0)
        return pov_error(
            "golden: missing; look at what it finds with pov model run, then seal it: pov model seal");
    return pov_detector_check_golden(detector, golden);
}

pov_status pov_model_open(pov_detector **detector, const char *contract_path)
{
    POV_TRY(pov_model_open_unproven(detector, contract_path));
    const pov_status status = prove(*detector);
    if (status.code == POV_OK)
        return status;
    pov_detector_destroy(detector);
    return pov_error("%s: %s", contract_path, status.message);
}
