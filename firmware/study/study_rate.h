/** A rater's session: what was said in each trial, without its condition, participant or the robot's reading, in an order of
 *  the rater's own; the label is kept. */
#ifndef POV_FIRMWARE_STUDY_STUDY_RATE_H
#define POV_FIRMWARE_STUDY_STUDY_RATE_H

#include "firmware/dashboard/dashboard.h"
#include "firmware/run/log_folder.h"

typedef struct {
    const pov_log_folder *folder;
    const char *rater;
    bool json;
    pov_dashboard *dashboard; /* NULL: lines of standard input only */
} pov_study_rate_options;

/** Runs until all trials have the rater's label, or the lines end. Out: how many this session labelled, how many are left,
 *  and how many lines were no label. */
POV_MUST_USE pov_status pov_study_rate(int *labelled, int *left, int *refused,
                                       const pov_study_rate_options *options);

#endif
