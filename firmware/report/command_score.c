#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/report/answers_options.h"

#include <getopt.h>
#include <stdio.h>

static const char help[] =
    "Usage: pov score ANSWERS [--paper NAME] [OPTIONS]\n"
    "\n"
    "Scores a model's answers as the papers do, with bootstrap intervals. ANSWERS is CSV whose first line\n"
    "names the columns, or JSON lines, one answer a line; or, for COMFORT, the layout of its authors'\n"
    "scripts. The columns of each paper: docs/SCORES.md.\n"
    "\n" POV_ANSWERS_HELP "  --json              one JSON object instead of tables\n"
    "  --help              this text\n"
    "\n"
    "Examples:\n"
    "  pov score answers.csv\n"
    "  pov score answers.jsonl --paper vsr --json\n"
    "  pov score antworten.csv --yes ja,richtig --no nein,falsch\n"
    "Exit codes: 0 done, 1 the file is not as it should be, 2 wrong usage.\n";

static pov_status print_scores(const char *path, const pov_answers_options *options, bool json)
{
    pov_answers answers;
    POV_TRY(pov_answers_read(&answers, path, options));
    pov_sheet_write(answers.sheet, stdout, json);
    pov_answers_free(&answers);
    return pov_ok();
}

int pov_command_score(int argc, char **argv)
{
    static const struct option long_options[] = {POV_ANSWERS_LONG_OPTIONS,
                                                 {"json", no_argument, NULL, 'j'},
                                                 {"help", no_argument, NULL, 'h'},
                                                 {NULL, 0, NULL, 0}};
    pov_answers_options options;
    bool json = false;
    pov_answers_options_default(&options);
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1;) {
        int code = POV_EXIT_OK;
        if (option == 'h') {
            fputs(help, stdout);
            return POV_EXIT_OK;
        }
        if (option == '?')
            return pov_cli_usage(argv[0], "unknown option or missing value: \"%s\"", argv[optind - 1]);
        if (option == 'j')
            json = true;
        else
            code = pov_answers_take_option(&options, argv[0], option, optarg);
        if (code != POV_EXIT_OK)
            return code;
    }
    if (argc - optind != 1)
        return pov_cli_usage(argv[0], "expected one file of answers");
    if (options.paper < POV_ANSWERS_COMFORT && options.comfort.formulas == POV_FORMULAS_RELEASED)
        return pov_cli_usage(argv[0], "--released is about COMFORT's formulas");
    pov_status status = print_scores(argv[optind], &options, json);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
