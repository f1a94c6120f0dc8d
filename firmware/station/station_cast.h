/** The cast part of a station file. */
#ifndef POV_FIRMWARE_STATION_STATION_CAST_H
#define POV_FIRMWARE_STATION_STATION_CAST_H

#include "config/yaml_file.h"
#include "perception/cast.h"

/** Reads the sequence under `cast`; balls' kinds go to the ball detector's configuration. Complaints stick to
 * the file. */
void pov_station_cast_read(pov_cast *cast, pov_ball_detector_config *balls, pov_yaml_node node);

/** Is there an entity of that name, numbered ones ("ball_2") included? */
bool pov_station_cast_has(const pov_cast *cast, const char *name);

#endif
