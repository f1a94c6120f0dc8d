/* Judgments and visibilities as the records of pov.h. Both libraries have this file. */
#include "perception/library/library.h"

_Static_assert(POV_OCCLUDERS_MAX == 8, "as pov.h says");

void pov_library_judgment(pov_public_judgment *to, const pov_judgment *from)
{
    const pov_query *query = &from->query;
    *to = (pov_public_judgment){.p = from->belief.p,
                                .p_std = from->belief.p_std,
                                .theta_rad = from->theta_rad,
                                .theta_std_rad = from->theta_std_rad,
                                .flip_distance_m = from->flip_distance_m,
                                .p_internal = from->p_internal,
                                .relation = (int16_t)pov_relation_registry_index(query->relation),
                                .referent = (int16_t)query->referent,
                                .viewer = (int16_t)query->viewer,
                                .relatum_len = (int8_t)query->relatum_len,
                                .perspective = (int8_t)query->perspective,
                                .convention = (int8_t)query->convention,
                                .axis = (int8_t)query->axis,
                                .acceptance = (int8_t)query->acceptance,
                                .containment = (int8_t)from->containment,
                                .doubt = (int8_t)from->doubt,
                                .verdict = (int8_t)from->belief.verdict};
    for (int i = 0; i < POV_RELATA_MAX; i++)
        to->relata[i] = (int16_t)(i < query->relatum_len ? query->relatum[i] : POV_ID_NONE);
}

void pov_library_visibility(pov_public_visibility *to, const pov_visibility *from)
{
    *to = (pov_public_visibility){.p = from->sees.p,
                                  .p_std = from->sees.p_std,
                                  .fraction_visible = from->fraction_visible,
                                  .fraction_expected = from->fraction_expected,
                                  .fraction_hidden = from->fraction_hidden,
                                  .fraction_out_of_view = from->fraction_out_of_view,
                                  .fraction_out_of_range = from->fraction_out_of_range,
                                  .size_rad = from->size_rad,
                                  .viewer = (int16_t)from->viewer,
                                  .target = (int16_t)from->target,
                                  .verdict = (int8_t)from->sees.verdict,
                                  .cause = (int8_t)from->cause};
    for (int i = 0; i < POV_OCCLUDERS_MAX; i++) {
        const bool hides = i < from->occluder_len;
        to->occluder[i] = (int16_t)(hides ? from->occluders[i].id : POV_ID_NONE);
        to->occluder_share[i] = hides ? from->occluders[i].share : 0;
    }
}
