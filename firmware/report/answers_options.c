#include "firmware/report/answers_options.h"

#include <string.h>

const char *pov_answers_paper_names(int i)
{
    return i < POV_PAPER_COUNT        ? pov_paper_name((pov_paper)i)
           : i == POV_ANSWERS_COMFORT ? "comfort"
           : i == POV_ANSWERS_VISOR   ? "visor"
                                      : NULL;
}

const char *pov_answers_convention_names(int i)
{
    return i < POV_CONVENTION_COUNT ? pov_convention_name((pov_convention)i) : NULL;
}

pov_status pov_answers_take_released(void *value, const char *text)
{
    (void)text;
    ((pov_answers_options *)value)->comfort.formulas = POV_FORMULAS_RELEASED;
    return pov_ok();
}

/* Splits "ja,richtig" in place. */
pov_status pov_answers_take_words(void *value, const char *text)
{
    const char **words = value;
    char *rest = (char *)text;
    int len = 0;
    while (words[len])
        len++;
    if (!text[strspn(text, ", ")])
        return pov_error("names no word: give at least one, as --yes ja,jawohl");
    for (char *word; (word = strsep(&rest, ","));) {
        if (len == POV_ANSWERS_WORDS_MAX - 1)
            return pov_error("takes %d words at most", POV_ANSWERS_WORDS_MAX - 1);
        if (*word)
            words[len++] = word;
    }
    return pov_ok();
}

pov_status pov_answers_take_resamples(void *value, const char *text)
{
    static const pov_option bounds = {.kind = POV_OPTION_WHOLE, .low = 100, .high = 1000000};
    pov_answers_options *options = value;
    POV_TRY(pov_option_take_text(&options->bootstrap.resamples, &bounds, text));
    options->comfort.bootstrap.resamples = options->bootstrap.resamples;
    return pov_ok();
}

pov_status pov_answers_take_seed(void *value, const char *text)
{
    static const pov_option bounds = {.kind = POV_OPTION_COUNT, .high = INFINITY};
    pov_answers_options *options = value;
    POV_TRY(pov_option_take_text(&options->bootstrap.seed, &bounds, text));
    options->comfort.bootstrap.seed = options->bootstrap.seed;
    return pov_ok();
}
