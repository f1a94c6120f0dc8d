/* A model's contract as a file: any bytes give a contract that passes its check, or a complaint. */
#include "config/models/model_file.h"
#include "perception/models/model_contract.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pov_model_file file;
    const pov_status status = pov_model_file_parse(&file, "fuzz.yaml", (const char *)data, size);
    if (status.code == POV_OK) {
        POV_REQUIRE(pov_model_contract_check(&file.contract).code == POV_OK);
        POV_REQUIRE(pov_model_rows(&file.contract) > 0);
    } else {
        POV_REQUIRE(status.message[0] != '\0');
    }
    return 0;
}
