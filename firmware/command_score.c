#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/score_print.h"

#include "config/read_file.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pov score ANSWERS [--paper NAME] [OPTIONS]\n"
    "\n"
    "Scores a model's answers as the papers do, with bootstrap intervals. ANSWERS is CSV whose first line\n"
    "names the columns, or JSON lines, one answer a line; or, for COMFORT, the layout of its authors'\n"
    "scripts. The columns of each paper: docs/SCORES.md.\n"
    "\n"
    "  --paper NAME        comfort (default), forest, vsr, vpt, sphere\n"
    "  --released          COMFORT's formulas as its authors' released scripts compute them\n"
    "  --convention NAME   what is right for a viewer: translated, rotated, reflected (default, as English)\n"
    "  --yes W,... --no W,...   words for yes and no in the answers' language, beside the English ones\n"
    "  --resamples N       of the bootstrap; default 10000, COMFORT 2000\n"
    "  --seed N            of the bootstrap; default 1\n"
    "  --json              one JSON object instead of tables\n"
    "  --help              this text\n"
    "\n"
    "Examples:\n"
    "  pov score answers.csv\n"
    "  pov score answers.jsonl --paper vsr --json\n"
    "  pov score antworten.csv --yes ja,richtig --no nein,falsch\n"
    "Exit codes: 0 done, 1 the file is not as it should be, 2 wrong usage.\n";

enum { BYTES_MAX = 1 << 29, WORDS_MAX = 32, COMFORT = POV_PAPER_COUNT };

typedef struct {
    const char *path;
    int paper; /* pov_paper, or COMFORT */
    bool json;
    pov_score_options score;                    /* comfort.bootstrap: COMFORT's */
    pov_bootstrap_options bootstrap;            /* the others' */
    const char *yes[WORDS_MAX], *no[WORDS_MAX]; /* each ended by NULL */
} score_options;

/* ---- scoring ---- */

static pov_status score_comfort(pov_score_sheet *sheet, const score_options *options,
                                const pov_comfort_data *data)
{
    if (pov_comfort_data_groups(data) == 0)
        return pov_error("%s: holds no answer to a question about a relation", options->path);
    return pov_score_print_comfort(sheet, data, &options->score);
}

static pov_status score_layout(pov_score_sheet *sheet, const score_options *options, const pov_bytes *bytes)
{
    pov_comfort_data *data;
    POV_TRY(pov_comfort_data_parse(&data, options->path, (const char *)bytes->data, bytes->length));
    pov_status status = score_comfort(sheet, options, data);
    pov_comfort_data_destroy(&data);
    return status;
}

static pov_status score_table(pov_score_sheet *sheet, const score_options *options, const pov_table *table)
{
    const pov_yes_no_words words = {options->yes, options->no};
    pov_status status;
    if (options->paper == COMFORT) {
        pov_comfort_data *data;
        POV_TRY(pov_comfort_data_new(&data, table, &words));
        status = score_comfort(sheet, options, data);
        pov_comfort_data_destroy(&data);
        return status;
    }
    pov_paper_scores scores;
    POV_TRY(pov_paper_scores_new(&scores, (pov_paper)options->paper, table, &words, &options->bootstrap));
    pov_score_print_paper(sheet, (pov_paper)options->paper, &scores);
    pov_paper_scores_free(&scores);
    return pov_ok();
}

static pov_status score_bytes(pov_score_sheet *sheet, const score_options *options, const pov_bytes *bytes)
{
    if (options->paper == COMFORT && pov_comfort_data_is_layout((const char *)bytes->data, bytes->length))
        return score_layout(sheet, options, bytes);
    pov_table *table;
    POV_TRY(pov_table_parse(&table, options->path, (const char *)bytes->data, bytes->length));
    pov_status status = pov_table_len(table) ? score_table(sheet, options, table)
                                             : pov_error("%s: has no answers", options->path);
    pov_table_destroy(&table);
    return status;
}

static int score(const score_options *options)
{
    pov_bytes bytes = {0};
    pov_score_sheet *sheet = NULL;
    pov_status status = pov_read_file(&bytes, options->path, BYTES_MAX, "a file of answers");
    if (status.code == POV_OK)
        status = pov_score_sheet_new(&sheet, options->json);
    if (status.code == POV_OK)
        status = score_bytes(sheet, options, &bytes);
    if (status.code == POV_OK)
        pov_score_sheet_destroy(&sheet);
    pov_bytes_free(&bytes);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

/* ---- the command line ---- */

static int take_paper(score_options *options, const char *name)
{
    options->paper = COMFORT;
    if (strcmp(name, "comfort") == 0)
        return POV_EXIT_OK;
    for (int i = 0; i < POV_PAPER_COUNT; i++)
        if (strcmp(name, pov_paper_name((pov_paper)i)) == 0) {
            options->paper = i;
            return POV_EXIT_OK;
        }
    return pov_cli_usage("score", "--paper takes comfort, forest, vsr, vpt, sphere, not '%s'", name);
}

static int take_convention(score_options *options, const char *name)
{
    for (int i = 0; i < POV_CONVENTION_COUNT; i++)
        if (strcmp(name, pov_convention_name((pov_convention)i)) == 0) {
            options->score.convention = (pov_convention)i;
            return POV_EXIT_OK;
        }
    return pov_cli_usage("score", "--convention takes translated, rotated, reflected, not '%s'", name);
}

/* Splits "ja,richtig" in place. */
static int take_words(const char *words[WORDS_MAX], char *text)
{
    int len = 0;
    while (words[len])
        len++;
    for (char *word; (word = strsep(&text, ","));) {
        if (len == WORDS_MAX - 1)
            return pov_cli_usage("score", "more than %d words", WORDS_MAX - 1);
        if (*word)
            words[len++] = word;
    }
    return POV_EXIT_OK;
}

static int take_number(long *value, const char *option, const char *text, long low, long high)
{
    char *end;
    *value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || *value < low || *value > high)
        return pov_cli_usage("score", "%s takes a number from %ld to %ld, not '%s'", option, low, high, text);
    return POV_EXIT_OK;
}

static int take_option(score_options *options, int option, const char *given)
{
    pov_bootstrap_options *bootstrap = &options->score.comfort.bootstrap;
    long number = 0;
    int code = POV_EXIT_OK;
    switch (option) {
    case 'p':
        return take_paper(options, optarg);
    case 'c':
        return take_convention(options, optarg);
    case 'y':
        return take_words(options->yes, optarg);
    case 'n':
        return take_words(options->no, optarg);
    case 'r':
        options->score.comfort.formulas = POV_FORMULAS_RELEASED;
        return code;
    case 'j':
        options->json = true;
        return code;
    case 'b':
        code = take_number(&number, "--resamples", optarg, 100, 1000000);
        bootstrap->resamples = options->bootstrap.resamples = (int)number;
        return code;
    case 's':
        code = take_number(&number, "--seed", optarg, 0, 1L << 62);
        bootstrap->seed = options->bootstrap.seed = (uint64_t)number;
        return code;
    default:
        return pov_cli_usage("score", "unknown option or missing value: \"%s\"", given);
    }
}

static void take_defaults(score_options *options)
{
    const pov_bootstrap_options usual = POV_BOOTSTRAP_DEFAULT;
    *options = (score_options){.paper = COMFORT,
                               .score = {.comfort = POV_COMFORT_OPTIONS_DEFAULT, .convention = POV_REFLECTED},
                               .bootstrap = usual};
    for (int i = 0; POV_YES_NO_ENGLISH.yes[i]; i++)
        options->yes[i] = POV_YES_NO_ENGLISH.yes[i];
    for (int i = 0; POV_YES_NO_ENGLISH.no[i]; i++)
        options->no[i] = POV_YES_NO_ENGLISH.no[i];
}

int pov_command_score(int argc, char **argv)
{
    static const struct option long_options[] = {{"paper", required_argument, NULL, 'p'},
                                                 {"released", no_argument, NULL, 'r'},
                                                 {"convention", required_argument, NULL, 'c'},
                                                 {"yes", required_argument, NULL, 'y'},
                                                 {"no", required_argument, NULL, 'n'},
                                                 {"resamples", required_argument, NULL, 'b'},
                                                 {"seed", required_argument, NULL, 's'},
                                                 {"json", no_argument, NULL, 'j'},
                                                 {"help", no_argument, NULL, 'h'},
                                                 {NULL, 0, NULL, 0}};
    score_options options;
    take_defaults(&options);
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return POV_EXIT_OK;
        }
        int code = take_option(&options, option, argv[optind - 1]);
        if (code != POV_EXIT_OK)
            return code;
    }
    if (argc - optind != 1)
        return pov_cli_usage(argv[0], "expected one file of answers");
    if (options.paper != COMFORT && options.score.comfort.formulas == POV_FORMULAS_RELEASED)
        return pov_cli_usage(argv[0], "--released is about COMFORT's formulas");
    options.path = argv[optind];
    return score(&options);
}
