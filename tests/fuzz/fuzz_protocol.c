/* Protocols of studies: any bytes either parse, and plan, or give an error. */
#include "compare/study/protocol.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pov_protocol *protocol;
    pov_plan *plan = malloc(sizeof *plan);
    if (plan && pov_protocol_parse(&protocol, "fuzz.yaml", (const char *)data, size).code == POV_OK)
        pov_protocol_plan(plan, protocol, protocol->participant_len - 1);
    pov_protocol_destroy(&protocol);
    free(plan);
    return 0;
}
