/** The parts of `pov study` that have files of their own, and what they share. */
#pragma once

#include "firmware/command.h"
#include "firmware/dashboard/dashboard.h"

extern const pov_command pov_command_study_rate, pov_command_study_questions, pov_command_study_forget;

/** `pov study questions` with VSR's captions alone, for a rater. Returns: the exit code. */
int pov_study_validate(const char *path, const char *rater, bool json, const pov_dashboard_place *dashboard);

/** The folder of recordings in that of a study. */
#define POV_STUDY_RECORDINGS "recordings"

/** The study's page in the browser, if a place is named. */
POV_MUST_USE pov_status pov_study_open_page(pov_dashboard **dashboard, const pov_dashboard_place *place);
/** Waits a second unless a stop was asked for: pages ask every 0.4 s, and the last state is to reach them. */
void pov_study_close_page(pov_dashboard **dashboard);
