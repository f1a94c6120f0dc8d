/** Shared by all subcommands: exit codes, complaints, and stopping on request. */
#pragma once

#include "perception/status.h"

enum { POV_EXIT_OK = 0, POV_EXIT_WORLD = 1, POV_EXIT_USAGE = 2 };

/** Prints "pov: message" to stderr; returns POV_EXIT_WORLD. */
int pov_cli_fail(pov_status status);
/** Returns POV_EXIT_OK for POV_OK; fails likewise with any other status. */
int pov_cli_exit(pov_status status);
/** Prints "pov: warning: message" to stderr. */
void pov_cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Some of an input that the user named cannot be read, and is left out. Where no message follows, pov_cli_warn tells of it. Any thread. */
void pov_cli_note_damage(const char *message);
/** Returns the exit code of a command that succeeded with `code`: 1, after a message, if damage was noted. */
int pov_cli_exit_of_damaged(int code);
/** From now on each warning, without its beginning, is also told to `hear`; NULL: no more. */
void pov_cli_hear_warnings(void (*hear)(void *context, const char *text), void *context);
/** Prints "pov <command>: message" and where to find help to stderr; returns POV_EXIT_USAGE. */
int pov_cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** A file that may not grow (ulimit -f) is from now on an error of its writer's, instead of the end by SIGXFSZ. */
void pov_cli_ignore_full_files(void);
/** SIGINT, SIGTERM and SIGHUP (unless it is ignored) from now on ask to stop instead of killing; a second one kills.
 *  SIGPIPE is ignored. */
void pov_cli_catch_signals(void);
bool pov_cli_stop_requested(void);
