/** The station file's `turntable`: where it is and how it is mounted. */
#ifndef POV_FIRMWARE_STATION_STATION_TURNTABLE_H
#define POV_FIRMWARE_STATION_STATION_TURNTABLE_H

#include "config/yaml_file.h"
#include "firmware/turntable/turntable.h"

typedef struct {
    char device[256]; /* "": the station has no turntable */
    int baud;
    pov_turntable_config config;
} pov_station_turntable;
#define POV_STATION_TURNTABLE_DEFAULT                                                                        \
    {                                                                                                        \
        .device = "", .baud = 115200, .config = POV_TURNTABLE_DEFAULT                                        \
    }

/** Reads the mapping; complaints go to its file. */
void pov_station_turntable_read(pov_station_turntable *turntable, pov_yaml_node node);

#endif
