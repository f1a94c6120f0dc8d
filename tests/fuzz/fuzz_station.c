/* Any bytes as a station file: it is read or refused, never more. */
#include "firmware/station/station.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static pov_station station;
    pov_status status = pov_station_parse(&station, "fuzz/station.yaml", (const char *)data, size);
    POV_REQUIRE(status.code == POV_OK || (status.code == POV_ERROR && status.message[0]));
    return 0;
}
