/** A simulated camera as an image source. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "firmware/simulate/simulator.h"
#include "firmware/sources/shared_start.h"
#include "perception/image/image_source.h"

#include <stdint.h>

/** As the station file's camera.simulator says; "" and 0: the world's own. */
typedef struct {
    char world[1024]; /* a shipped world's name, or a path */
    char variant[256], sensor[16];
    bool has_seed;
    uint64_t seed;
    int width_px, height_px;
    double around_rad; /* the camera is carried round by so much */
    double rate_hz;    /* 0: as fast as they are asked for */
    bool loop;
    pov_shared_start *start; /* set when it is opened: of several cameras; NULL: its own */
    pov_simulator_bodies bodies;
} pov_simulator_source_config;

/** Reads the mapping; complaints go to its file. A world that ends in .yaml is a path relative to it. */
void pov_simulator_source_read(pov_simulator_source_config *config, pov_yaml_node node);

/** Without a rate, the world's images one by one, once or in a loop. With a rate, the world moves as time passes, and
 *  goes on for ever; an image that could not be drawn in time is lost. Images are named simulated_0000.png and so on.
 *  Errors: those of the world's file. */
POV_MUST_USE pov_status pov_simulator_source_new(pov_image_source **source,
                                                 const pov_simulator_source_config *config);
