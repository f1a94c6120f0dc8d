#include "compare/answers/released_reading.h"

#include "perception/status.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SPELT_MAX = 20 };

/* In lower case, ASCII. */
static char *copy_lower(const char *text)
{
    char *copy = strdup(text);
    POV_REQUIRE_MEMORY(copy);
    for (char *c = copy; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return copy;
}

static char *strip_blanks(char *text)
{
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text + strspn(text, " \t\n\v\f\r");
}

/* ---- FoREST ---- */

/* In the order in which the scripts look for them. */
static const char *const relation_names[] = {"left", "right", "front", "back", "behind"};
static const pov_relation relations[] = {POV_LEFT_OF, POV_RIGHT_OF, POV_IN_FRONT_OF, POV_BEHIND, POV_BEHIND};
static const char *const frame_names[] = {"internal intrinsic", "internal relative", "external relative",
                                          "external intrinsic"};
static const pov_forest_frame frames[] = {POV_INTERNAL_INTRINSIC, POV_INTERNAL_RELATIVE,
                                          POV_EXTERNAL_RELATIVE, POV_EXTERNAL_INTRINSIC};

/* The first of four names that stands anywhere in the label; or the name that the label is. `label`: what is read, the caller's to
 * free. */
static int find_name(char **label, const char *answer, const char *const names[])
{
    const char *mark = strcasestr(answer, "answer:"), *category = strcasestr(answer, "category:");
    char *text = copy_lower(mark       ? mark + strlen("answer:")
                            : category ? category + strlen("category:")
                                       : answer);
    const size_t stop = strcspn(text, ".");
    const bool stops = mark && text[stop];
    const char *first = mark || category ? strip_blanks(text) : text;
    memmove(text, first, strlen(first) + 1);
    if (stops && stop < strlen(text)) /* counted before the spaces were dropped, as theirs is */
        text[stop] = '\0';
    *label = text;
    for (int k = 0; k < 4; k++)
        if (mark || !category ? strstr(text, names[k]) != NULL : strcmp(text, names[k]) == 0)
            return k;
    return -1;
}

pov_answer_kind pov_released_relation(pov_relation *relation, const char *answer)
{
    char *label;
    int k = find_name(&label, answer, relation_names);
    size_t length = 0;
    for (const char *c = label; *c; c++) /* stops do not count */
        if (*c != '.')
            label[length++] = *c;
    label[length] = '\0';
    for (int i = 0; i < 5 && k < 0; i++)
        k = strcmp(label, relation_names[i]) == 0 ? i : -1;
    free(label);
    *relation = relations[k < 0 ? 0 : k];
    return k < 0 ? POV_ANSWER_UNCLEAR : POV_ANSWER_GIVEN;
}

pov_answer_kind pov_released_frame(pov_forest_frame *frame, const char *answer)
{
    char *label;
    const int k = find_name(&label, answer, frame_names);
    free(label);
    *frame = frames[k < 0 ? 0 : k];
    return k < 0 ? POV_ANSWER_UNCLEAR : POV_ANSWER_GIVEN;
}

/* ---- SPHERE ---- */

static const char *const spelt[SPELT_MAX + 1] = {
    "zero",     "one",     "two",     "three",     "four",     "five",     "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};

/* Up to `length`, without signs, in lower case. */
static char *clean_text(const char *raw, size_t length)
{
    char *text = strndup(raw, length), *end = text;
    POV_REQUIRE_MEMORY(text);
    for (const char *c = text; *c; c++)
        if (!ispunct((unsigned char)*c))
            *end++ = (char)tolower((unsigned char)*c);
    *end = '\0';
    return text;
}

typedef struct {
    char *text; /* the words lie in it */
    const char **word;
    int len;
} word_list;

/* Cuts a text's first `length` bytes into words without signs, numbers up to twenty spelt out, "a" and "the" left out. */
static word_list cut_words(const char *raw, size_t length)
{
    word_list list = {.text = clean_text(raw, length)};
    char *rest = list.text;
    list.word = pov_allocate(strlen(list.text) / 2 + 1, sizeof *list.word);
    for (char *word; (word = strsep(&rest, " \t\n\v\f\r"));) {
        char *end;
        const long number = strtol(word, &end, 10);
        if (!*word || strcmp(word, "a") == 0 || strcmp(word, "the") == 0)
            continue;
        const bool spell =
            isdigit((unsigned char)*word) && !*end && number <= SPELT_MAX && (*word != '0' || !word[1]);
        list.word[list.len++] = spell ? spelt[number] : word;
    }
    return list;
}

static void free_words(word_list *list)
{
    free(list->text);
    free(list->word);
}

/* Singular and plural are the same. */
static bool is_same(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b), shorter = n < m ? n : m;
    return strncmp(a, b, shorter) == 0 &&
           (n == m || (shorter > 2 && (strcmp(a + shorter, "s") == 0 || strcmp(b + shorter, "s") == 0)));
}

typedef struct {
    int length, start, end; /* words in common, in the same order; the answer's first and last of them */
} match;

/* The longest common subsequence. */
static match match_words(const word_list *answer, const word_list *option)
{
    const int n = answer->len, m = option->len;
    match *row = pov_allocate(2 * ((size_t)m + 1), sizeof *row), *before = row + m + 1;
    for (int j = 0; j <= m; j++)
        row[j] = (match){0, n, n};
    for (int i = 0; i < n; i++) {
        memcpy(before, row, ((size_t)m + 1) * sizeof *row);
        for (int j = 0; j < m; j++)
            if (is_same(answer->word[i], option->word[j]))
                row[j + 1] = (match){before[j].length + 1, before[j].length ? before[j].start : i, i};
            else
                row[j + 1] = before[j + 1].length >= row[j].length ? before[j + 1] : row[j];
    }
    const match all = row[m];
    free(row);
    return all;
}

/* The only one of `values` that is the largest, or -1. */
static int find_only_largest(const double values[], int len)
{
    int best = 0, count = 0;
    for (int k = 1; k < len; k++)
        best = values[k] > values[best] ? k : best;
    for (int k = 0; k < len; k++)
        count += values[k] == values[best];
    return count == 1 ? best : -1;
}

pov_answer_kind pov_released_option(int *option, const char *answer, const char *const options[], int len)
{
    enum { SHARE, EARLY_START, EARLY_END, RULES };
    double values[RULES][POV_ANSWER_OPTIONS_MAX] = {{0}}, most = 0;
    POV_REQUIRE(len <= POV_ANSWER_OPTIONS_MAX);
    word_list words = cut_words(answer, strcspn(answer, ".!?"));
    for (int k = 0; k < len; k++) {
        word_list own = cut_words(options[k], SIZE_MAX);
        const match found = match_words(&words, &own);
        values[SHARE][k] = own.len ? (double)found.length / own.len : 0;
        values[EARLY_START][k] = -found.start;
        values[EARLY_END][k] = -found.end;
        most = values[SHARE][k] > most ? values[SHARE][k] : most;
        free_words(&own);
    }
    free_words(&words);
    *option = -1;
    for (int rule = 0; rule < RULES && most > 0 && *option < 0; rule++)
        *option = find_only_largest(values[rule], len);
    return *option < 0 ? POV_ANSWER_UNCLEAR : POV_ANSWER_GIVEN;
}

pov_answer_kind pov_released_count(double *count, const char *answer)
{
    char *text = clean_text(answer, SIZE_MAX), *rest = text;
    double found = -1;
    for (char *word; found < 0 && (word = strsep(&rest, " \t\n\v\f\r"));) {
        const bool digits = *word && strspn(word, "0123456789") == strlen(word);
        found = digits ? strtod(word, NULL) : strcmp(word, "no") == 0 ? 0 : -1;
        for (int k = 0; k <= SPELT_MAX && found < 0; k++)
            found = strcmp(word, spelt[k]) == 0 ? k : -1;
    }
    free(text);
    *count = found < 0 ? 0 : found;
    return found < 0 ? POV_ANSWER_UNCLEAR : POV_ANSWER_GIVEN;
}

/* ---- VSR ---- */

pov_answer_kind pov_released_label(bool *label, const char *answer)
{
    char *text = copy_lower(answer);
    const char *word = strip_blanks(text);
    *label = strcmp(word, "true") == 0 || strcmp(word, "1") == 0;
    const bool given = *label || strcmp(word, "false") == 0 || strcmp(word, "0") == 0;
    free(text);
    return given ? POV_ANSWER_GIVEN : POV_ANSWER_UNCLEAR;
}
