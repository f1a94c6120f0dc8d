/** `pov calib tags`: what its parts share. */
#ifndef POV_FIRMWARE_CALIB_CALIB_TAGS_H
#define POV_FIRMWARE_CALIB_CALIB_TAGS_H

#include "calib/tags/tag_survey.h"

#include <stdio.h>

/** Tables for a person. */
void pov_calib_tags_print_text(FILE *stream, const pov_survey_report *report);
/** One object, one line. */
void pov_calib_tags_print_json(FILE *stream, const pov_survey_report *report, const pov_camera *camera);
/** A page that stands alone. `date`: ISO 8601. */
void pov_calib_tags_print_html(FILE *stream, const pov_survey_report *report, const pov_camera *camera,
                               const char *date);

/** Standard deviations of a pose, in its worst direction. */
double pov_calib_tags_position_std_m(const pov_pose *pose);
double pov_calib_tags_rotation_std_rad(const pov_pose *pose);

#endif
