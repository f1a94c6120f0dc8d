/** The subcommands of `pov`, and their parts. */
#ifndef POV_FIRMWARE_COMMANDS_H
#define POV_FIRMWARE_COMMANDS_H

#include "firmware/command.h"

extern const pov_command pov_command_run;
extern const pov_command pov_command_listen;
extern const pov_command pov_command_cameras;
extern const pov_command pov_command_doctor;
extern const pov_command pov_command_demo;
extern const pov_command pov_command_judge;
extern const pov_command pov_command_ask;
extern const pov_command pov_command_convert;
extern const pov_command pov_command_template;
extern const pov_command pov_command_relations;
extern const pov_command pov_command_questions;
extern const pov_command pov_command_score;
extern const pov_command pov_command_sweep;
extern const pov_command pov_command_compare;
extern const pov_command pov_command_report;
extern const pov_command pov_command_sim;
extern const pov_command pov_command_tags;
int pov_command_enrol(int argc, char **argv);
extern const pov_command pov_command_model;
/** pov model check, run, seal */
extern const pov_command pov_command_model_check;
extern const pov_command pov_command_model_run;
extern const pov_command pov_command_model_seal;
extern const pov_command pov_command_turntable;
extern const pov_command pov_command_vlm_sim;
extern const pov_command pov_command_vlm;
/** pov vlm check */
extern const pov_command pov_command_vlm_check;
extern const pov_command pov_command_calib;
/** pov calib camera */
extern const pov_command pov_command_calib_camera;
extern const pov_command pov_command_calib_tags;
/** pov calib turntable */
extern const pov_command pov_command_calib_turntable;
/** pov turntable simulate */
extern const pov_command pov_command_turntable_simulate;

#endif
