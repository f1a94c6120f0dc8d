/** The station file's `turntable`: where it is and how it is mounted. */
#ifndef POV_FIRMWARE_STATION_STATION_TURNTABLE_H
#define POV_FIRMWARE_STATION_STATION_TURNTABLE_H

#include "config/yaml/yaml_file.h"
#include "firmware/turntable/turntable.h"
#include "perception/cast/disc.h"

typedef struct {
    char device[256]; /* "": no motor */
    int baud;
    pov_turntable_config config;
    bool measured; /* by pov calib turntable: its tags tell its angle */
    pov_disc disc;
} pov_station_turntable;
#define POV_STATION_TURNTABLE_DEFAULT                                                                        \
    {                                                                                                        \
        .device = "", .baud = 115200, .config = POV_TURNTABLE_DEFAULT                                        \
    }

/** Reads the mapping; complaints go to its file. */
void pov_station_turntable_read(pov_station_turntable *turntable, pov_yaml_node node);

#endif
