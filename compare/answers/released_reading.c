#include "compare/answers/released_reading.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TEXT_CAPACITY = 16384, WORDS_MAX = 256, OPTION_WORDS_MAX = 64, SPELT_MAX = 20 };

/* In lower case, ASCII; longer texts are cut. */
static void copy_lower(char copy[TEXT_CAPACITY], const char *text)
{
    snprintf(copy, TEXT_CAPACITY, "%s", text);
    for (char *c = copy; *c; c++)
        *c = (char)tolower((unsigned char)*c);
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

/* The first of four names that stands anywhere in the label; or the name that the label is. `label`: what is read. */
static int find_name(char label[TEXT_CAPACITY], const char *answer, const char *const names[])
{
    const char *mark = strcasestr(answer, "answer:"), *category = strcasestr(answer, "category:");
    char text[TEXT_CAPACITY];
    copy_lower(text, mark ? mark + strlen("answer:") : category ? category + strlen("category:") : answer);
    const size_t stop = strcspn(text, ".");
    const bool stops = mark && text[stop];
    snprintf(label, TEXT_CAPACITY, "%s", mark || category ? strip_blanks(text) : text);
    if (stops && stop < strlen(label)) /* counted before the spaces were dropped, as theirs is */
        label[stop] = '\0';
    for (int k = 0; k < 4; k++)
        if (mark || !category ? strstr(label, names[k]) != NULL : strcmp(label, names[k]) == 0)
            return k;
    return -1;
}

pov_answer_kind pov_released_relation(pov_relation *relation, const char *answer)
{
    char label[TEXT_CAPACITY];
    int k = find_name(label, answer, relation_names);
    size_t length = 0;
    for (const char *c = label; *c; c++) /* stops do not count */
        if (*c != '.')
            label[length++] = *c;
    label[length] = '\0';
    for (int i = 0; i < 5 && k < 0; i++)
        k = strcmp(label, relation_names[i]) == 0 ? i : -1;
    *relation = relations[k < 0 ? 0 : k];
    return k < 0 ? POV_ANSWER_UNCLEAR : POV_ANSWER_GIVEN;
}

pov_answer_kind pov_released_frame(pov_forest_frame *frame, const char *answer)
{
    char label[TEXT_CAPACITY];
    const int k = find_name(label, answer, frame_names);
    *frame = frames[k < 0 ? 0 : k];
    return k < 0 ? POV_ANSWER_UNCLEAR : POV_ANSWER_GIVEN;
}

/* ---- SPHERE ---- */

static const char *const spelt[SPELT_MAX + 1] = {
    "zero",     "one",     "two",     "three",     "four",     "five",     "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};

/* Without signs, in lower case. */
static void clean_text(char text[TEXT_CAPACITY], const char *raw)
{
    size_t length = 0;
    for (; *raw && length < TEXT_CAPACITY - 1; raw++)
        if (!ispunct((unsigned char)*raw))
            text[length++] = (char)tolower((unsigned char)*raw);
    text[length] = '\0';
}

/* Cuts a text into its words, numbers up to twenty spelt out, "a" and "the" left out. */
static int cut_words(const char *words[], int words_max, char *text)
{
    int len = 0;
    for (char *word; (word = strsep(&text, " \t\n\v\f\r")) && len < words_max;) {
        char *end;
        const long number = strtol(word, &end, 10);
        if (!*word || strcmp(word, "a") == 0 || strcmp(word, "the") == 0)
            continue;
        const bool spell =
            isdigit((unsigned char)*word) && !*end && number <= SPELT_MAX && (*word != '0' || !word[1]);
        words[len++] = spell ? spelt[number] : word;
    }
    return len;
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
static match match_words(const char *const answer[], int n, const char *const option[], int m)
{
    match row[OPTION_WORDS_MAX + 1], before[OPTION_WORDS_MAX + 1];
    for (int j = 0; j <= m; j++)
        row[j] = (match){0, n, n};
    for (int i = 0; i < n; i++) {
        memcpy(before, row, sizeof row);
        for (int j = 0; j < m; j++)
            if (is_same(answer[i], option[j]))
                row[j + 1] = (match){before[j].length + 1, before[j].length ? before[j].start : i, i};
            else
                row[j + 1] = before[j + 1].length >= row[j].length ? before[j + 1] : row[j];
    }
    return row[m];
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
    char sentence[TEXT_CAPACITY], text[TEXT_CAPACITY];
    const char *words[WORDS_MAX];
    double values[RULES][OPTION_WORDS_MAX] = {{0}}, most = 0;
    snprintf(sentence, sizeof sentence, "%.*s", (int)strcspn(answer, ".!?"), answer);
    clean_text(text, sentence);
    const int n = cut_words(words, WORDS_MAX, text);
    for (int k = 0; k < len; k++) {
        char own[TEXT_CAPACITY];
        const char *own_words[OPTION_WORDS_MAX];
        clean_text(own, options[k]);
        const int m = cut_words(own_words, OPTION_WORDS_MAX, own);
        const match found = match_words(words, n, own_words, m);
        values[SHARE][k] = m ? (double)found.length / m : 0;
        values[EARLY_START][k] = -found.start;
        values[EARLY_END][k] = -found.end;
        most = values[SHARE][k] > most ? values[SHARE][k] : most;
    }
    *option = -1;
    for (int rule = 0; rule < RULES && most > 0 && *option < 0; rule++)
        *option = find_only_largest(values[rule], len);
    return *option < 0 ? POV_ANSWER_UNCLEAR : POV_ANSWER_GIVEN;
}

pov_answer_kind pov_released_count(double *count, const char *answer)
{
    char text[TEXT_CAPACITY], *rest = text;
    clean_text(text, answer);
    for (char *word; (word = strsep(&rest, " \t\n\v\f\r"));) {
        const bool digits = *word && strspn(word, "0123456789") == strlen(word);
        *count = digits ? strtod(word, NULL) : strcmp(word, "no") == 0 ? 0 : -1;
        for (int k = 0; k <= SPELT_MAX && *count < 0; k++)
            *count = strcmp(word, spelt[k]) == 0 ? k : -1;
        if (*count >= 0)
            return POV_ANSWER_GIVEN;
    }
    *count = 0;
    return POV_ANSWER_UNCLEAR;
}

/* ---- VSR ---- */

pov_answer_kind pov_released_label(bool *label, const char *answer)
{
    char text[TEXT_CAPACITY];
    copy_lower(text, answer);
    const char *word = strip_blanks(text);
    *label = strcmp(word, "true") == 0 || strcmp(word, "1") == 0;
    return *label || strcmp(word, "false") == 0 || strcmp(word, "0") == 0 ? POV_ANSWER_GIVEN
                                                                          : POV_ANSWER_UNCLEAR;
}
