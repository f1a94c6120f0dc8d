/** A station file's text from the answers of a set-up: each answer changes its own keys, and leaves all else as it was written. */
#pragma once

#include "config/setup/setup_steps.h"
#include "perception/geometry/geom.h"

/** The simulated lab that stands in where there is no camera, and the board that is shown to its camera. */
#define POV_SETUP_PRACTICE_WORLD      "lab"
#define POV_SETUP_PRACTICE_BOARD      "lab-board"
#define POV_SETUP_PRACTICE_TABLE      "lab-turntable"
#define POV_SETUP_PRACTICE_BOARD_TEXT "aprilgrid:3x3:100mm:30mm"

/** A click, in the table frame. */
typedef struct {
    bool has_place, has_front;
    pov_vec3 position_m;
    double position_std_m, front_rad, front_std_rad;
    char color[8]; /* "#rrggbb" of the image there */
} pov_setup_click;

/** A station file's first line; to be freed. */
char *pov_setup_text_new(void);

/** Each edits the text; on error it is not to be used. Paths are taken as they are: relative to the station file. */
POV_MUST_USE pov_status pov_setup_edit_camera(char **text, const pov_setup_answers *answers);
POV_MUST_USE pov_status pov_setup_edit_lens(char **text, const pov_setup_answers *answers,
                                            const char *calibration);
/** map NULL: none. */
POV_MUST_USE pov_status pov_setup_edit_tags(char **text, const char *map);
POV_MUST_USE pov_status pov_setup_edit_turntable(char **text, const pov_setup_answers *answers);
/** calibration: the file that 'pov calib turntable' wrote. */
POV_MUST_USE pov_status pov_setup_edit_measured(char **text, const char *calibration);
/** click: NULL, or what the points of the answers mean. */
POV_MUST_USE pov_status pov_setup_edit_thing(char **text, const pov_setup_answers *answers,
                                             const pov_setup_click *click);
POV_MUST_USE pov_status pov_setup_edit_person(char **text, const pov_setup_answers *answers,
                                              const pov_setup_click *click);
/** key_file: "" for none. */
POV_MUST_USE pov_status pov_setup_edit_vlm(char **text, const pov_setup_answers *answers,
                                           const char *key_file);
/** Removes a thing from the cast. */
POV_MUST_USE pov_status pov_setup_edit_remove(char **text, const char *id);

/** POV_ERROR if a thing cannot be called so. */
POV_MUST_USE pov_status pov_setup_id_check(const char *id);

/** "LxWxH" in millimetres, or one number for all three. */
POV_MUST_USE pov_status pov_setup_size_parse(double size_m[3], const char *text);
