#include "firmware/report/answers_options.h"

#include "firmware/cli.h"

#include <stdlib.h>
#include <string.h>

static int take_paper(pov_answers_options *options, const char *command, const char *name)
{
    options->paper = POV_ANSWERS_COMFORT;
    if (strcmp(name, "comfort") == 0)
        return POV_EXIT_OK;
    for (int i = 0; i < POV_PAPER_COUNT; i++)
        if (strcmp(name, pov_paper_name((pov_paper)i)) == 0) {
            options->paper = i;
            return POV_EXIT_OK;
        }
    return pov_cli_usage(command, "--paper takes comfort, forest, vsr, vpt, sphere, not '%s'", name);
}

static int take_convention(pov_answers_options *options, const char *command, const char *name)
{
    for (int i = 0; i < POV_CONVENTION_COUNT; i++)
        if (strcmp(name, pov_convention_name((pov_convention)i)) == 0) {
            options->convention = (pov_convention)i;
            return POV_EXIT_OK;
        }
    return pov_cli_usage(command, "--convention takes translated, rotated, reflected, not '%s'", name);
}

/* Splits "ja,richtig" in place. */
static int take_words(const char *words[POV_ANSWERS_WORDS_MAX], const char *command, char *text)
{
    int len = 0;
    while (words[len])
        len++;
    for (char *word; (word = strsep(&text, ","));) {
        if (len == POV_ANSWERS_WORDS_MAX - 1)
            return pov_cli_usage(command, "more than %d words", POV_ANSWERS_WORDS_MAX - 1);
        if (*word)
            words[len++] = word;
    }
    return POV_EXIT_OK;
}

static int take_number(long *value, const char *command, const char *option, const char *text, long high)
{
    const long low = strcmp(option, "--resamples") == 0 ? 100 : 0;
    char *end;
    *value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || *value < low || *value > high)
        return pov_cli_usage(command, "%s takes a number from %ld to %ld, not '%s'", option, low, high, text);
    return POV_EXIT_OK;
}

int pov_answers_take_option(pov_answers_options *options, const char *command, int option, char *value)
{
    long number = 0;
    int code = POV_EXIT_OK;
    switch (option) {
    case 'p':
        return take_paper(options, command, value);
    case 'c':
        return take_convention(options, command, value);
    case 'y':
        return take_words(options->yes, command, value);
    case 'n':
        return take_words(options->no, command, value);
    case 'r':
        options->comfort.formulas = POV_FORMULAS_RELEASED;
        return code;
    case 'b':
        code = take_number(&number, command, "--resamples", value, 1000000);
        options->comfort.bootstrap.resamples = options->bootstrap.resamples = (int)number;
        return code;
    case 's':
        code = take_number(&number, command, "--seed", value, 1L << 62);
        options->comfort.bootstrap.seed = options->bootstrap.seed = (uint64_t)number;
        return code;
    default:
        return POV_EXIT_USAGE;
    }
}
