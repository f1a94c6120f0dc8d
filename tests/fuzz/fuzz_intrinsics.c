#include "calib/camera/intrinsics_file.h"

#include "perception/lens/lens_sense.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_camera camera;
    pov_intrinsics_trust trust;
    pov_status status = pov_intrinsics_parse_trust(&camera, &trust, "cam.yaml", (const char *)bytes, length);
    if (status.code == POV_OK && (trust.covariance.len < 0 || trust.covariance.len > POV_LENS_PARAMETER_MAX))
        abort();
    if (status.code == POV_OK ? pov_camera_check(&camera).code != POV_OK : !isnan(camera.fx_px))
        abort();
    if (status.code == POV_OK && pov_lens_check(&camera).code != POV_OK)
        abort();
    pov_lens_oddities oddities;
    if (status.code == POV_OK)
        pov_lens_find_oddities(&oddities, &camera, trust.is_cropped);
    return 0;
}
