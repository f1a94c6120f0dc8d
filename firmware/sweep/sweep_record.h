/** Puts judged images into a log: the image to its file, what was judged of it, and the questions about it. */
#pragma once

#include "firmware/comparison/curve_places.h"
#include "firmware/comparison/image_record.h"
#include "firmware/sweep/sweep_stop.h"

typedef struct {
    pov_image_record kept;
    int64_t run; /* in its log */
    const pov_question_choice *asking;
    pov_curve_places places;
    int stop_max, taken_len;
    bool *taken; /* [stop_max] */
} pov_sweep_record;

/** Opens the folder's log. Start from {0}; arguments are borrowed. End it also after an error. */
POV_MUST_USE pov_status pov_sweep_record_begin(pov_sweep_record *record, const pov_log_folder *folder,
                                               const pov_question_choice *asking, const pov_judging *judging,
                                               int stop_max);

typedef struct {
    const char *config; /* JSON: two that are alike take the same images and ask the same */
    bool simulated;
    bool resume; /* go on with what the log holds; else that is an error */
} pov_sweep_kind;

/** Takes up the run that the log holds if it is of this kind; begins a new one if it holds none, or not one image.
 *  Returns: POV_ERROR that tells how another run differs. */
POV_MUST_USE pov_status pov_sweep_record_take_up(pov_sweep_record *record, const pov_sweep_kind *kind);
void pov_sweep_record_end(pov_sweep_record *record);

typedef struct {
    const pov_image *image;
    const pov_observation *observation;
    const pov_scene *truth; /* NULL: unknown */
    int stop;
    double turn_deg;   /* NaN: nothing turned it */
    double wanted_deg; /* the angle that this stop is for; NaN: any */
    bool off_curves;   /* it was chosen for what it tells: it belongs on no curve of COMFORT */
    bool (*wants)(const void *context, const pov_log_question *question); /* as in pov_recorded_shot */
    const void *context;
} pov_sweep_shot;

/** Out: entry: its texts but `name` are gone; asked: the questions about it, borrowed until the next image. */
POV_MUST_USE pov_status pov_sweep_record_image(pov_sweep_record *record, pov_log_image *entry,
                                               pov_image_asked *asked, const pov_sweep_shot *shot);
