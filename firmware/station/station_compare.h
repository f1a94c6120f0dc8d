/** The section `compare` of a station file: models that are asked while the station runs. docs/LIVE.md describes every key. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "firmware/station/question_choice.h"
#include "perception/image/image.h"

enum { POV_COMPARED_MODEL_MAX = 8, POV_COMPARING_PATH_CAPACITY = 1024 };

typedef struct {
    bool is_named; /* the file has the section */
    char camera
        [POV_IMAGE_NAME_CAPACITY]; /* of several, the id of the one whose images are asked about; "": the first */
    double every_s;                /* an image so often; 0: not by time */
    bool on_change;                /* when a judgment flips */
    double turned_rad;             /* when the scene has turned so far about the camera; 0: not by its turn */
    pov_question_choice choice;
    int model_len;                                                    /* 0: the station's own section `vlm` */
    char models[POV_COMPARED_MODEL_MAX][POV_COMPARING_PATH_CAPACITY]; /* files with a section `vlm` each */
    int in_flight_max, waiting_max;                                   /* questions, of each model */
    double stale_after_s;
    int image_max; /* then asking ends; 0: no limit */
    double cost_max,
        cost_per_image; /* of all models together; in the money of the prices; INFINITY: no limit */
    char log[POV_COMPARING_PATH_CAPACITY]; /* folder; "": none is kept */
} pov_station_comparing;

/** Chosen: a question every two seconds keeps up with a table that turns in a minute; 64 waiting questions are three images. */
#define POV_STATION_COMPARING_DEFAULT                                                                        \
    {                                                                                                        \
        .every_s = 2, .on_change = true, .choice = POV_QUESTION_CHOICE_DEFAULT, .in_flight_max = 16,         \
        .waiting_max = 64, .stale_after_s = 60, .cost_max = INFINITY                                         \
    }

/** Without the section: the defaults. Complaints stick to the file. */
void pov_station_read_comparing(pov_station_comparing *comparing, const pov_cast *cast, pov_yaml_node node);

/** [referent, relatum], of the cast. station.c */
void pov_station_read_pair(char pair[2][POV_NAME_CAPACITY], const pov_cast *cast, pov_yaml_node node);
