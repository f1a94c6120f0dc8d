/** A survey of tags as text, JSON and a page. */
#pragma once

#include "calib/tags/tag_survey.h"

#include <stdio.h>

void pov_survey_report_text(FILE *stream, const pov_survey_report *report);
/** One object, one line. */
void pov_survey_report_json(FILE *stream, const pov_survey_report *r, const pov_camera *camera);
/** A page that stands alone. `date`: ISO 8601. */
void pov_survey_report_page(FILE *stream, const pov_survey_report *r, const pov_camera *camera,
                            const char *date);
