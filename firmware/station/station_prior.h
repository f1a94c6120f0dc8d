/** What a station file knows of its camera's pose before tags are seen. */
#ifndef POV_FIRMWARE_STATION_STATION_PRIOR_H
#define POV_FIRMWARE_STATION_STATION_PRIOR_H

#include "config/yaml/yaml_file.h"
#include "perception/tags/camera_prior.h"

/** Reads the mapping under `camera.prior`, if it exists. Complaints stick to the file. */
void pov_station_prior_read(pov_camera_prior *prior, pov_yaml_node node);

#endif
