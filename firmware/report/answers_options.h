/** Options of the commands that read answers. */
#ifndef POV_FIRMWARE_REPORT_ANSWERS_OPTIONS_H
#define POV_FIRMWARE_REPORT_ANSWERS_OPTIONS_H

#include "compare/answers.h"

/** Options that commands about answers share, for getopt_long: their values, entries and help. */
#define POV_ANSWERS_LONG_OPTIONS                                                                             \
    {"paper", required_argument, NULL, 'p'}, {"released", no_argument, NULL, 'r'},                           \
        {"convention", required_argument, NULL, 'c'}, {"yes", required_argument, NULL, 'y'},                 \
        {"no", required_argument, NULL, 'n'}, {"resamples", required_argument, NULL, 'b'},                   \
    {                                                                                                        \
        "seed", required_argument, NULL, 's'                                                                 \
    }
#define POV_ANSWERS_HELP                                                                                     \
    "  --paper NAME        comfort, forest, vsr, vpt, sphere; default: as the columns tell\n"                \
    "  --released          COMFORT's formulas as its authors' released scripts compute them\n"               \
    "  --convention NAME   what is right for a viewer: translated, rotated, reflected (default, as "         \
    "English)\n"                                                                                             \
    "  --yes W,... --no W,...   words for yes and no in the answers' language, beside the English ones\n"    \
    "  --resamples N       of the bootstrap; default 10000, COMFORT 2000\n"                                  \
    "  --seed N            of the bootstrap; default 1\n"
/** Takes one of them; returns an exit code of cli.h, POV_EXIT_USAGE with a complaint if it is none of them. `value` is cut
 *  in place and kept. */
int pov_answers_take_option(pov_answers_options *options, const char *command, int option, char *value);

#endif
