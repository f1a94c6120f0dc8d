/** What a station file says of its camera: where images come from, the lens, where it stands. */
#ifndef POV_FIRMWARE_STATION_STATION_CAMERA_H
#define POV_FIRMWARE_STATION_STATION_CAMERA_H

#include "config/yaml/yaml_file.h"
#include "firmware/station/station.h"

/** Reads the mapping under `camera`. Complaints stick to the file. */
void pov_station_camera_read(pov_station *station, pov_yaml_node camera);

#endif
