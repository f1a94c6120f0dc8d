/** A survey of tags as text, JSON and a page. */
#pragma once

#include "calib/tags/camera_views.h"

#include <stdio.h>

void pov_survey_report_text(FILE *stream, const pov_survey_report *report);
/** One object, one line. */
void pov_survey_report_json(FILE *stream, const pov_survey_report *r, const pov_camera *camera);
/** A page that stands alone. `date`: ISO 8601. */
void pov_survey_report_page(FILE *stream, const pov_survey_report *r, const pov_camera *camera,
                            const char *date);

/** Standard deviations of a pose, in its worst direction. */
double pov_survey_position_std_m(const pov_pose *pose);
double pov_survey_rotation_std_rad(const pov_pose *pose);

/** Where the cameras of a station are: a survey by cameras that stay, one view each in their order, and what they showed in each image. */
typedef struct {
    const pov_survey_report *survey;
    int camera_len, image_len, note_len;
    const char *const *names;
    const pov_camera *cameras;
    const pov_camera_image *images;
    const char (*notes)[POV_CAMERA_VIEWS_TEXT];
} pov_camera_survey;

/** Says why a camera has no place, and what to do; false: it has one. The survey must have a map. */
bool pov_camera_survey_why(char why[POV_SURVEY_WHY_CAPACITY], const pov_survey_report *report, int camera);

void pov_camera_survey_text(FILE *stream, const pov_camera_survey *survey);
void pov_camera_survey_json(FILE *stream, const pov_camera_survey *survey);
void pov_camera_survey_page(FILE *stream, const pov_camera_survey *survey, const char *date);
