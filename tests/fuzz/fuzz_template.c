#include "config/scene/template_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_template regions;
    pov_status status = pov_template_parse(&regions, "template.yaml", (const char *)bytes, length);
    if ((status.code == POV_OK) != isfinite(regions.good_edge_rad))
        abort();
    return 0;
}
