/** Cables that could be swapped without anything showing it. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "firmware/station/station.h"

/** Given poses that look alike from another side of the table: images under another's name would agree, on a scene that is turned. With a tag
 *  map, such cameras get `needs_witness`: their poses do not hold before a tag has confirmed one of them. Without one, it is a complaint
 *  at `cameras`, unless one of the cameras is said not to be swappable. */
void pov_station_check_swaps(pov_station *station, pov_yaml_node cameras);
