/** The configuration of a run in a log: all that decides about its images and questions, as JSON. */
#pragma once

#include "firmware/station/question_choice.h"
#include "firmware/station/station.h"

typedef struct {
    const char *station_path;
    const pov_station *station;
    const pov_question_choice *choice;
    int64_t
        live_since_ns; /* when a live run began, of which no two are alike; 0: a sweep, as the next two say */
    int angle_len;
    bool by_hand;
    bool turning;  /* the table turns on while images are taken */
    bool adaptive; /* angles and questions are chosen by the answers */
} pov_run_config;

/** Two that are alike take the same images and ask the same. The caller's to free(). */
POV_MUST_USE pov_status pov_run_config_write(char **json, const pov_run_config *run);

/** The same of images that no station took: `key` names their source, `value` all of it that decides about them. */
POV_MUST_USE pov_status pov_run_config_write_of(char **json, const char *key, const char *value, int images,
                                                const pov_question_choice *choice);

/** An error that tells how the configuration of a folder's sweep differs from this one's, as options are named:
 *  "--angles (12 then, 36 now)". */
POV_MUST_USE pov_status pov_run_config_differs(const char *folder, const char *then, const char *now);
/** Its variant and seed, and, if `papers`, those whose questions it asks. */
void pov_run_config_choice(pov_question_choice *choice, const char *json, bool papers);
/** The pairs of such a configuration. */
POV_MUST_USE pov_status pov_run_config_pairs(pov_question_choice *choice, const char *json);
