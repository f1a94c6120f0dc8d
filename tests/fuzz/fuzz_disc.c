#include "calib/tags/disc_file.h"
#include "calib/turntable/turn_angles.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* A measured turntable, and a list of angles: what the bytes are not is refused. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_disc disc;
    static pov_turn_angles angles;
    pov_status status = pov_disc_file_parse(&disc, "turntable.yaml", (const char *)bytes, length);
    if (status.code == POV_OK ? disc.tags.len < 1 || !pov_rot_is_valid(disc.T_table_disc.T.R, 1e-9)
                              : disc.tags.len != 0)
        abort();
    status = pov_turn_angles_parse(&angles, "angles.csv", (const char *)bytes, length);
    if (status.code == POV_OK ? angles.len < 1 : angles.len != 0)
        abort();
    for (int i = 0; i < angles.len; i++)
        if (!isfinite(angles.angles[i].angle_rad) ||
            pov_turn_angles_find(&angles, angles.angles[i].name) != &angles.angles[i])
            abort();
    return 0;
}
