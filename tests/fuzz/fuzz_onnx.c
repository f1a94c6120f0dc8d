/* An ONNX file: any bytes give a summary, of which a contract may be guessed, or a complaint. */
#include "config/models/model_guess.h"
#include "perception/models/model_contract.h"
#include "tests/fuzz/formats/parts.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    return fuzz_mutate_protobuf(bytes, length, capacity, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pov_onnx_summary summary;
    pov_model_contract contract;
    char remarks[POV_REMARKS_CAPACITY];
    if (pov_onnx_summary_read(&summary, data, size).code != POV_OK)
        return 0;
    POV_REQUIRE(summary.opset >= POV_ONNX_OPSET_MIN && summary.opset <= POV_ONNX_OPSET_MAX);
    if (pov_model_guess(&contract, remarks, &summary, NULL).code == POV_OK)
        POV_REQUIRE(pov_model_contract_check(&contract).code == POV_OK);
    POV_REQUIRE(memchr(remarks, '\0', sizeof remarks));
    return 0;
}
