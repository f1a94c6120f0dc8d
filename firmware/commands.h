/** The subcommands of `pov`. Each gets argv[0] = its own name and returns an exit code of cli.h. */
#ifndef POV_FIRMWARE_COMMANDS_H
#define POV_FIRMWARE_COMMANDS_H

int pov_command_run(int argc, char **argv);
int pov_command_listen(int argc, char **argv);
int pov_command_cameras(int argc, char **argv);
int pov_command_doctor(int argc, char **argv);
int pov_command_demo(int argc, char **argv);
int pov_command_judge(int argc, char **argv);
int pov_command_ask(int argc, char **argv);
int pov_command_convert(int argc, char **argv);
int pov_command_template(int argc, char **argv);
int pov_command_relations(int argc, char **argv);
int pov_command_questions(int argc, char **argv);
int pov_command_score(int argc, char **argv);
int pov_command_sweep(int argc, char **argv);
int pov_command_compare(int argc, char **argv);
int pov_command_report(int argc, char **argv);
int pov_command_sim(int argc, char **argv);
int pov_command_tags(int argc, char **argv);
int pov_command_enrol(int argc, char **argv);
int pov_command_model(int argc, char **argv);
/** pov model check, run, seal */
int pov_command_model_check(int argc, char **argv);
int pov_command_model_run(int argc, char **argv);
int pov_command_model_seal(int argc, char **argv);
int pov_command_turntable(int argc, char **argv);
int pov_command_vlm_sim(int argc, char **argv);
int pov_command_vlm(int argc, char **argv);
/** pov vlm check */
int pov_command_vlm_check(int argc, char **argv);
int pov_command_calib(int argc, char **argv);
/** pov calib camera */
int pov_command_calib_camera(int argc, char **argv);
int pov_command_calib_tags(int argc, char **argv);
/** pov calib turntable */
int pov_command_calib_turntable(int argc, char **argv);
/** pov turntable simulate */
int pov_command_turntable_simulate(int argc, char **argv);

#endif
