/** The subcommands of `pov`, and their parts. */
#ifndef POV_FIRMWARE_COMMANDS_H
#define POV_FIRMWARE_COMMANDS_H

#include "firmware/command.h"

int pov_command_run(int argc, char **argv);
extern const pov_command pov_command_listen;
extern const pov_command pov_command_cameras;
extern const pov_command pov_command_doctor;
int pov_command_demo(int argc, char **argv);
extern const pov_command pov_command_judge;
extern const pov_command pov_command_ask;
extern const pov_command pov_command_convert;
extern const pov_command pov_command_template;
extern const pov_command pov_command_relations;
extern const pov_command pov_command_questions;
int pov_command_score(int argc, char **argv);
int pov_command_sweep(int argc, char **argv);
int pov_command_compare(int argc, char **argv);
int pov_command_report(int argc, char **argv);
int pov_command_sim(int argc, char **argv);
extern const pov_command pov_command_tags;
int pov_command_enrol(int argc, char **argv);
extern const pov_command pov_command_model;
/** pov model check, run, seal */
extern const pov_command pov_command_model_check;
extern const pov_command pov_command_model_run;
extern const pov_command pov_command_model_seal;
int pov_command_turntable(int argc, char **argv);
int pov_command_vlm_sim(int argc, char **argv);
int pov_command_vlm(int argc, char **argv);
/** pov vlm check */
int pov_command_vlm_check(int argc, char **argv);
extern const pov_command pov_command_calib;
/** pov calib camera */
extern const pov_command pov_command_calib_camera;
extern const pov_command pov_command_calib_tags;
/** pov calib turntable */
extern const pov_command pov_command_calib_turntable;
/** pov turntable simulate */
int pov_command_turntable_simulate(int argc, char **argv);

#endif
