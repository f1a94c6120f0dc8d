/** Spatial templates as a file: `good_edge_deg`, `good_fall_deg`, `acceptable_edge_deg`, `acceptable_fall_deg`,
 *  `acceptable_level`, and, where distance matters, `reach_m` (perception/relations/expectation/template.h says what they mean). */
#pragma once

#include "perception/relations/expectation/template.h"

#include <stddef.h>

/** Errors name file, line and key. On error *regions is cleared to NaN. */
POV_MUST_USE pov_status pov_template_read(pov_template *regions, const char *path);
/** The same from memory; `name` stands for the path in messages. */
POV_MUST_USE pov_status pov_template_parse(pov_template *regions, const char *name, const char *text,
                                           size_t length);
/** Written whole or not at all. `comment` (may be NULL) becomes its first lines. */
POV_MUST_USE pov_status pov_template_write(const char *path, const pov_template *regions,
                                           const char *comment);
