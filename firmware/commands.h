/** The subcommands of `pov`, and their parts. */
#pragma once

#include "firmware/command.h"

extern const pov_command pov_command_demo, pov_command_init, pov_command_run, pov_command_listen;
extern const pov_command pov_command_replay, pov_command_info, pov_command_diff, pov_command_export,
    pov_command_cut, pov_command_import, pov_command_merge;
extern const pov_command pov_command_judge, pov_command_ask, pov_command_convert, pov_command_template,
    pov_command_relations, pov_command_questions;
extern const pov_command pov_command_sweep, pov_command_compare, pov_command_score, pov_command_report,
    pov_command_card;
extern const pov_command pov_command_tags, pov_command_enrol, pov_command_sim;
extern const pov_command pov_command_calib, pov_command_calib_camera, pov_command_calib_tags,
    pov_command_calib_turntable, pov_command_calib_cameras;
extern const pov_command pov_command_turntable, pov_command_turntable_simulate;
extern const pov_command pov_command_model, pov_command_model_check, pov_command_model_run,
    pov_command_model_try, pov_command_model_compare, pov_command_model_seal;
extern const pov_command pov_command_vlm, pov_command_vlm_check, pov_command_vlm_sim;
extern const pov_command pov_command_study, pov_command_experiment, pov_command_keys;
extern const pov_command pov_command_cameras, pov_command_doctor;
