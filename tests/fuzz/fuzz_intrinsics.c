#include "calib/intrinsics_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_camera camera;
    pov_status status = pov_intrinsics_parse(&camera, "cam.yaml", (const char *)bytes, length);
    if (status.code == POV_OK ? pov_camera_check(&camera).code != POV_OK : !isnan(camera.fx_px))
        abort();
    return 0;
}
