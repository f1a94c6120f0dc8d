/** A subcommand of `pov`: what it is called, what it takes, what it does; its command line read, its help told. */
#pragma once

#include "firmware/cli.h"
#include "firmware/options.h"

#include <stdio.h>

/** Or a part of a subcommand. Help fills its texts to the width of a terminal, but for lines that begin with a space. */
typedef struct pov_command {
    const char *name;                  /* "calib camera" */
    const char *summary;               /* for the list of commands */
    int (*run)(int argc, char **argv); /* argv[0]: its own name. NULL: it only has parts */
    const char *usage;                 /* what stands after its name, a line each */
    const char *about, *notes;         /* before and after the options */
    const pov_option *options;
    struct { /* the words that are not options */
        int min, max;
        const char *wanted; /* the complaint if there are too few or many */
        pov_names *names;   /* for shells to complete, */
        pov_offer *offer;
        bool only_names;  /* else files, too */
        pov_names *forms; /* what may be said, for help */
    } words;
    const char *examples;                   /* a line each */
    const char *exits;                      /* what 0 and 1 mean */
    const struct pov_command *const *parts; /* ended by NULL */
} pov_command;

enum { POV_GO_ON = -1 }; /* beside cli.h's exit codes */

enum { POV_COMMAND_OPTIONS_MAX = 64 };

typedef struct {
    int len;
    char **word;
    const pov_command *command;
    bool given[POV_COMMAND_OPTIONS_MAX]; /* of its options */
} pov_words;

/** The first of some options (names, blanks between) that the command line has; NULL: none. For what only works in a mode that the
 *  command line alone does not tell; else an option's `with` and `without` say it. */
const char *pov_words_given(const pov_words *words, const char *names);

/** Reads a command line: options into `values`, which holds the defaults, and `words`, which are moved to argv's beginning.
 *  A word such as -90 is not an option. Options may be shortened as long as only one can be meant.
 *  Returns: POV_GO_ON; POV_EXIT_OK: --help was asked for and printed; POV_EXIT_USAGE, with a complaint on stderr. */
int pov_command_read(void *values, pov_words *words, const pov_command *command, int argc, char **argv);

/** Returns from the caller with the exit code of `call` unless that is POV_GO_ON. */
#define POV_OR_EXIT(call)                                                                                    \
    do {                                                                                                     \
        const int pov_exit_code = (call);                                                                    \
        if (pov_exit_code != POV_GO_ON)                                                                      \
            return pov_exit_code;                                                                            \
    } while (0)

/** --help. values: the defaults; NULL: not told. command_help.c */
void pov_command_print_help(FILE *stream, const pov_command *command, const void *values);

/** Runs the command, or the part of it that argv[1] names; without either a complaint that lists the parts. */
int pov_command_run_or_part(const pov_command *command, int argc, char **argv);

/** "camera" of "calib camera". */
const char *pov_command_last_name(const pov_command *command);
/** The part of that name, or NULL. */
const pov_command *pov_command_part(const pov_command *command, const char *name);

/** Prints completions of `current` after these words, one a line: CANDIDATE, a tab, its description; or @files.
 *  command_completion.c */
void pov_command_complete(FILE *stream, const pov_command *command, const char *current,
                          const pov_words *words);
