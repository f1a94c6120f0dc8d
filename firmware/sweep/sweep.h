/** A sweep: turn, wait until all stands still, shoot, judge, ask, and keep it all in a log; from where it stopped last. */
#pragma once

#include "compare/vlm/vlm_config.h"
#include "firmware/comparison/image_questions.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/dashboard/dashboard.h"
#include "firmware/shard.h"

#include <stdio.h>

enum { POV_SWEEP_STOP_MAX = 10000 };

typedef struct {
    const char *station_path;
    pov_station *station; /* the sweep switches its tracking off, and fits a guessed camera to the images */
    int angle_len;        /* stops of a whole turn; a folder's images are all taken */
    bool by_hand;
    double tolerance_rad; /* by hand: so near an angle counts as there */
    double adaptive_deg; /* asks until each flip is known to this standard deviation; 0: at angle_len stops */
    double turning_deg_s; /* the table turns on at this speed while images are taken; 0: it stops for each */
    double exposure_s;    /* of a camera that does not tell it; 0: unknown */
    double blur_max_px;   /* while it turns on: images that are more blurred do not count */
    pov_shard shard;      /* takes only these stops */
    bool resume;          /* goes on with what the folder holds; else that is an error */
    pov_question_choice asking;
    const pov_vlm_config *vlm; /* with its keys; NULL: no model is asked, the questions wait */
    FILE *text;                /* what happens, for people; NULL: nothing */
    pov_dashboard *dashboard;  /* shows it too; NULL: none */
    pov_recorder *recorder;    /* gets each image, and questions with their answers; NULL: none */
    bool no_publish;           /* nothing goes out, whatever endpoints the station names */
    double pace_s;             /* a simulated world takes so long from stop to stop, for people to watch */
} pov_sweep_options;

/** COMFORT's questions, in English, at 36 stops. Lacks the station. */
#define POV_SWEEP_OPTIONS_DEFAULT                                                                            \
    {                                                                                                        \
        .angle_len = 36, .tolerance_rad = 2 * POV_PI / 180, .blur_max_px = 3,                                \
        .asking = POV_QUESTION_CHOICE_DEFAULT                                                                \
    }

typedef struct {
    int taken, wanted;       /* images in the log, and in all of the shard; wanted -1: not known */
    int blurred;             /* stops without an image since all that passed were too blurred */
    int64_t pending, failed; /* questions without a result; with one that is no answer */
    int64_t model;           /* its number in the log; 0: no model was asked */
    pov_status asking;       /* POV_END: why asking ended early */
} pov_sweep_summary;

/** Runs until all images are taken and their questions answered, or a stop is asked for. The log is then complete.
 *  In: folder: open. Returns: POV_ERROR naming what failed; the summary holds anyway. */
POV_MUST_USE pov_status pov_sweep_run(pov_sweep_summary *summary, const pov_log_folder *folder,
                                      const pov_sweep_options *options);
