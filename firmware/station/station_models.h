/** The models part of a station file. */
#ifndef POV_FIRMWARE_STATION_STATION_MODELS_H
#define POV_FIRMWARE_STATION_STATION_MODELS_H

#include "config/yaml/yaml_file.h"
#include "perception/cast/cast.h"

enum { POV_STATION_MODEL_PATH_CAPACITY = 1024 };

/** A detector's contract, and that of a network that tells the headings of what it finds. */
typedef struct {
    char detector[POV_STATION_MODEL_PATH_CAPACITY];
    char heading[POV_STATION_MODEL_PATH_CAPACITY]; /* "": none */
} pov_station_model;

typedef struct {
    int len;
    pov_station_model models[POV_MODEL_MAX];
    bool in_background; /* images do not wait for them, nor for the person detector */
} pov_station_models;

/** Reads the mapping under `models`, and the contracts it names. Complaints stick to the file. */
void pov_station_models_read(pov_station_models *models, pov_yaml_node node);

/** Complains, at `cast`, of a class that no model finds and of one that two entities are found by. */
void pov_station_models_check_cast(const pov_station_models *models, const pov_cast *cast,
                                   pov_yaml_node node);

/** Chooses how people are found: by what a detector calls them, if one knows them under the name that the configuration
 *  has, or as `person`; else by HOG. Complains, at `cast`, of a name that no detector knows. */
void pov_station_models_find_people(const pov_station_models *models, pov_person_detector_config *people,
                                    pov_yaml_node cast);

#endif
