#include "calib/tags/tag_map_file.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_tag_map map;
    pov_status status = pov_tag_map_parse(&map, "map.yaml", (const char *)bytes, length);
    if (status.code == POV_OK ? map.len < 1 : map.len != 0)
        abort();
    for (int i = 0; i < map.len; i++)
        if (!pov_rot_is_valid(map.tags[i].T_table_tag.T.R, 1e-9) || !(map.tags[i].edge_m > 0))
            abort();
    return 0;
}
