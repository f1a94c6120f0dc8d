/** What a station file says that can hardly be so. Told, not refused: a camera may be odd. */
#pragma once

#include "firmware/station/station.h"

typedef void pov_station_tell(void *context, const char *text);

/** Tells each doubt, a sentence without a stop: an unusual lens; a camera that is below the table, upside down, far away, or looks
 *  away from all that is surveyed or lies on the table; a rotation that would do so transposed; tags and things of a size that
 *  nothing of their class has, or that may be in millimetres. */
void pov_station_find_doubts(const pov_station *station, pov_station_tell *tell, void *context);
