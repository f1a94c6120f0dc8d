/** A file of a model's answers, read and scored: what `pov score` prints and `pov report` shows. */
#ifndef POV_FIRMWARE_ANSWERS_H
#define POV_FIRMWARE_ANSWERS_H

#include "compare/comfort_tables.h"
#include "compare/paper_scores.h"
#include "compare/sheet.h"
#include "config/read_file.h"

enum {
    POV_ANSWERS_COMFORT = POV_PAPER_COUNT, /* beside pov_paper */
    POV_ANSWERS_BY_COLUMNS,                /* the paper that the columns tell */
    POV_ANSWERS_WORDS_MAX = 32
};

typedef struct {
    int paper;
    pov_comfort_options comfort;
    pov_convention convention;       /* by which egocentric and addressee's answers are judged */
    pov_bootstrap_options bootstrap; /* the other papers' */
    const char *yes[POV_ANSWERS_WORDS_MAX], *no[POV_ANSWERS_WORDS_MAX]; /* each ended by NULL */
} pov_answers_options;

void pov_answers_options_default(pov_answers_options *options);

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

typedef struct {
    const char *path;
    int paper; /* pov_paper, or POV_ANSWERS_COMFORT */
    pov_bytes bytes;
    pov_table *table;           /* NULL: the layout of COMFORT's authors */
    pov_comfort_data *comfort;  /* COMFORT */
    pov_comfort_tables *tables; /* COMFORT, [group] */
    pov_paper_scores scores;    /* the others */
} pov_answers;

/** Reads and scores. Errors name file, line and column. On error nothing is left to free. `path` is borrowed. */
POV_MUST_USE pov_status pov_answers_read(pov_answers *answers, const char *path,
                                         const pov_answers_options *options);
void pov_answers_free(pov_answers *answers);
/** Adds its tables to a sheet. */
void pov_answers_print(pov_sheet *sheet, const pov_answers *answers);

#endif
