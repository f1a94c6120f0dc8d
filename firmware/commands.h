/** The subcommands of `pov`. Each gets argv[0] = its own name and returns one of cli.h's exit codes. */
#ifndef POV_FIRMWARE_COMMANDS_H
#define POV_FIRMWARE_COMMANDS_H

int pov_command_cameras(int argc, char **argv);
int pov_command_listen(int argc, char **argv);

#endif
