/** The command line of `pov judge`. */
#ifndef POV_FIRMWARE_JUDGE_JUDGE_OPTIONS_H
#define POV_FIRMWARE_JUDGE_JUDGE_OPTIONS_H

#include "ask/print/judge_print.h"
#include "ask/print/judge_relations.h"
#include "firmware/command.h"

/** Texts point into argv; "" or NULL: not given. */
typedef struct {
    const char *path, *pairs, *relations, *frames, *acceptance, *draw, *regions_path;
    bool json, csv;
    pov_output_form form;
    pov_relation_choice choice; /* of the registry, and of frames */
    pov_judging judging;        /* of relations with a direction; the template's regions are read */
    bool judges_directions;     /* at least one direction is chosen */
} pov_judge_options;

/** The table, for getting at its help. */
extern const pov_option pov_judge_option_table[];

/** Reads the command line, and the template's file that it names. Returns POV_GO_ON, or an exit code of cli.h, with
 *  a message on stderr: POV_EXIT_USAGE; POV_EXIT_WORLD if the template's file is invalid. */
int pov_judge_options_parse(pov_judge_options *options, int argc, char **argv);

#endif
