/* Options, letters and cognitive maps: the first byte says what a text is read as. What is accepted is within bounds. */
#include "compare/answers/letter_reading.h"
#include "compare/scores/cogmap_score.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_share(double value)
{
    if (!(value >= 0 && value <= 1 + 1e-9))
        abort();
}

static void read_lists(const char *text)
{
    pov_choice_list list;
    size_t stem;
    for (int at_end = 0; at_end < 2; at_end++) {
        const bool read =
            at_end ? pov_choice_list_read_end(&list, &stem, text) : pov_choice_list_read(&list, text);
        if (read != (list.len > 0) || (at_end && stem > strlen(text)))
            abort();
        for (int i = 0; i < list.len; i++)
            if (pov_choice_list_double(&list) < 0 && pov_choice_list_find(&list, list.text[i]) != i)
                abort();
        (void)pov_choice_list_gold(&list, text);
        pov_choice_list_free(&list);
    }
}

/* An answer, after a line of options. */
static void read_answer(const char *text)
{
    pov_choice_list list;
    int option;
    char *options = strndup(text, strcspn(text, "\n"));
    (void)pov_choice_list_read(&list, options);
    for (int rule = POV_LETTERS_USUAL; rule <= POV_LETTERS_MINDCUBE; rule++) {
        const pov_answer_kind kind = pov_answer_letter(&option, text, &list, (pov_letter_rule)rule);
        if ((kind == POV_ANSWER_GIVEN) != (option >= 0) || (list.len > 0 && option >= list.len))
            abort();
    }
    pov_choice_list_free(&list);
    free(options);
}

/* Two maps: the drawn one in the first line. */
static void compare_maps(const char *text)
{
    const char *newline = strchr(text, '\n');
    char *drawn = strndup(text, newline ? (size_t)(newline - text) : strlen(text));
    pov_cogmap_grade grade;
    if (pov_cogmap_compare(&grade, drawn, newline ? newline + 1 : text).code == POV_OK) {
        check_share(grade.coverage);
        check_share(grade.directional);
        check_share(grade.facing);
        check_share(grade.overall);
    }
    free(drawn);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length == 0)
        return 0;
    char *text = malloc(length);
    memcpy(text, bytes + 1, length - 1);
    text[length - 1] = '\0';
    if (bytes[0] % 3 == 0)
        read_lists(text);
    else if (bytes[0] % 3 == 1)
        read_answer(text);
    else
        compare_maps(text);
    free(text);
    return 0;
}
