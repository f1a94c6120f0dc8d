/** Options that say which tags there are. */
#pragma once

#include "calib/tags/camera_views.h"
#include "firmware/options.h"

/** Of a pov_survey_config: a size, or that of some (12=0.03, 20-31=30mm); may be given more than once. */
pov_option_take pov_tag_size_take;
/** Of a pov_survey_config: the tag that the table frame is about. */
pov_option_take pov_tag_fix_take;

typedef struct {
    int len;
    pov_carried carried[POV_CARRIED_MAX];
} pov_carried_list;
/** Of such a list; may be given more than once. */
pov_option_take pov_carried_take;
