#include "calib/turntable/turntable_calibration.h"

#include <math.h>

double pov_turntable_ring_scale(const pov_disc *disc, const pov_tag_map *ring)
{
    double measured_m = 0, mapped_m = 0;
    for (int i = 0; i < disc->tags.len; i++)
        for (int k = 0; k < i; k++) {
            const pov_tag_map_entry *a = &disc->tags.tags[i], *b = &disc->tags.tags[k];
            const pov_tag_map_entry *mapped_a = pov_tag_map_find(ring, a->family, a->id),
                                    *mapped_b = pov_tag_map_find(ring, b->family, b->id);
            if (!mapped_a || !mapped_b)
                continue;
            measured_m += pov_vec3_norm(pov_vec3_sub(a->T_table_tag.T.t_m, b->T_table_tag.T.t_m));
            mapped_m += pov_vec3_norm(pov_vec3_sub(mapped_a->T_table_tag.T.t_m, mapped_b->T_table_tag.T.t_m));
        }
    return mapped_m > 0 ? measured_m / mapped_m : NAN;
}
