/** The results of `pov enrol` and their report. Private to command_enrol*.c. */
#pragma once

#include "firmware/enrol/enrol_images.h"
#include "firmware/enrol/enrol_plot.h"
#include "firmware/enrol/enrol_turn.h"
#include "perception/appearance/appearance_trial.h"

#include <stddef.h>

enum { ENROL_PATH_CAPACITY = 1024, ENROL_HELP_MAX = 8, ENROL_HELP_CAPACITY = 200 };

typedef struct {
    const char *name;                /* as given */
    const char *images;              /* the folder; or: */
    const char *station;             /* the station file */
    pov_enrol_turn_options turn;     /* at the station */
    char model[ENROL_PATH_CAPACITY]; /* NAME.pov */
    char plot[ENROL_PATH_CAPACITY], sheet[ENROL_PATH_CAPACITY];
    bool angle_from_name, check, json;
    double front_rad; /* NAN: not given */
    const char *out;
} enrol_options;

/* Advice on making an object's heading easier to estimate. */
typedef struct {
    int len;
    char lines[ENROL_HELP_MAX][ENROL_HELP_CAPACITY];
} enrol_help;

/* An image whose angle is known, asked. */
typedef struct {
    const char *image;
    double angle_rad,
        error_rad; /* turned by a symmetry counts as right; NAN: looks the same from everywhere */
    pov_likeness likeness;
} enrol_answer;

typedef struct {
    int len;
    enrol_answer answers[POV_VIEW_MAX];
    double mean_rad, worst_rad, within_two_std, query_s;
} enrol_check;

/* The result: portraits only at a station, else NULL. */
typedef struct {
    const pov_appearance_data *data;
    const pov_portraits *portraits;
    const pov_trial *trial;
    size_t bytes;
} enrol_result;

/* Prints to stdout, as text or as one JSON object. */
void pov_enrol_report_print(const enrol_options *options, const enrol_result *result);
void pov_enrol_check_print(const enrol_options *options, const pov_appearance_data *data,
                           const enrol_check *check);

/* Sets the front, if there is one to set. */
void pov_enrol_set_front(pov_appearance_data *data, const enrol_options *options);
POV_MUST_USE pov_status pov_enrol_write_plot(const enrol_options *options, const pov_trial *trial);

/* At a station: learns, or measures. */
POV_MUST_USE pov_status pov_enrol_at_station(const enrol_options *options, pov_appearance_data *data);
POV_MUST_USE pov_status pov_enrol_check_at_station(const enrol_options *options);
