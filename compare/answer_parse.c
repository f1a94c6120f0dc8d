#include "compare/answer_parse.h"

#include "compare/answer_said.h"
#include "perception/status.h"

#include <string.h>

static const char *const english_yes[] = {"yes",    "yeah",        "yep",        "true",         "correct",
                                          "indeed", "affirmative", "i think so", "i believe so", NULL};
static const char *const english_no[] = {
    "no",    "nope",           "false",         "incorrect",      "wrong",         "negative",
    "not",   "isn't",          "aren't",        "doesn't",        "don't",         "cannot",
    "can't", "absolutely not", "certainly not", "definitely not", "of course not", NULL};
const pov_yes_no_words POV_YES_NO_ENGLISH = {english_yes, english_no};

static const char *const kind_names[] = {"given", "refused", "unclear", "missing"};
_Static_assert(sizeof kind_names / sizeof *kind_names == POV_ANSWER_KINDS, "a name for each kind");

const char *pov_answer_kind_name(pov_answer_kind kind)
{
    POV_REQUIRE(kind >= 0 && kind < POV_ANSWER_KINDS);
    return kind_names[kind];
}

/* ---- yes or no ---- */

static int longest_word_at(const pov_answer_text *text, int place, const char *const *words)
{
    int longest = 0;
    for (; *words; words++) {
        int length = pov_answer_word_at(text, place, *words);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static bool is_around(uint32_t c)
{
    return c == ' ' || c == '"' || c == '\'' || c == '`';
}

/* Without a letter beside it, but for what spaces keep apart: "No.", "... behind: no", not "no cup". */
static bool stands_alone(const pov_answer_text *text, int place, int length)
{
    const bool quoted = place > 0 && text->c[place - 1] != ' ' && is_around(text->c[place - 1]);
    int before = place - 1, after = place + length;
    while (!quoted && before >= 0 && text->c[before] == ' ')
        before--;
    while (!quoted && after < text->len && text->c[after] == ' ')
        after++;
    return (before < 0 || !pov_answer_is_letter(text->c[before])) &&
           (after == text->len || !pov_answer_is_letter(text->c[after]));
}

/* A sign that is a word in itself where it begins a clause, but elsewhere part of others: to be, there is, not. */
static bool is_part_of_others(const pov_answer_text *text, int place, int length)
{
    return length == 1 && pov_answer_is_spaceless(text->c[place]) && place > 0 &&
           pov_answer_is_letter(text->c[place - 1]);
}

typedef struct {
    int place, length;
    bool yes;
} decision;

static bool decides_at(decision *found, const pov_answer_text *text, int place, const pov_yes_no_words *words)
{
    static const char *const assurances[] = {"absolutely", "certainly", "definitely",
                                             "of course",  "sure",      NULL};
    const int yes = longest_word_at(text, place, words->yes), no = longest_word_at(text, place, words->no);
    *found = (decision){place, yes > no ? yes : no, yes > no};
    if (yes != no)
        return !is_part_of_others(text, place, found->length);
    if (words->yes != english_yes || yes)
        return false;
    *found = (decision){place, longest_word_at(text, place, assurances), true};
    return found->length && stands_alone(text, place, found->length);
}

/* "yes or no", "yes/no", "yes and no": neither. The place after it, or 0. */
static int after_choice(const pov_answer_text *text, const decision *one, const pov_yes_no_words *words)
{
    static const char *const links[] = {"or", "and", "oder", "und", "ou", "et", "o", "y", "e", "или", "и"};
    decision other;
    int i = one->place + one->length;
    while (i < text->len && (text->c[i] == ' ' || text->c[i] == ',' || text->c[i] == '"'))
        i++;
    if (i < text->len && text->c[i] == '/') {
        i++;
    } else {
        if (!pov_answer_is_one_of(text, i, links, 11))
            return 0;
        while (i < text->len && pov_answer_is_letter(text->c[i]))
            i++;
    }
    while (i < text->len && (text->c[i] == ' ' || text->c[i] == '"'))
        i++;
    if (i >= text->len || !decides_at(&other, text, i, words) || other.yes == one->yes)
        return 0;
    return i + other.length;
}

/* The first that stands alone, if `alone`; else the first. */
static bool find_decision(decision *found, const pov_answer_text *text, const pov_yes_no_words *words,
                          bool alone)
{
    for (int i = 0; i < text->len; i++) {
        if (!decides_at(found, text, i, words))
            continue;
        const int after = after_choice(text, found, words);
        if (after)
            i = after - 1;
        else if (!alone || stands_alone(text, i, found->length))
            return true;
    }
    return false;
}

static bool begins(const pov_answer_text *text, const decision *found)
{
    for (int i = 0; i < found->place; i++)
        if (pov_answer_is_letter(text->c[i]))
            return false;
    return true;
}

static pov_answer_kind read_yes_no(void *result, const pov_answer_text *text, bool concluded,
                                   const void *with)
{
    const pov_answer_kind failure = pov_answer_failure(text);
    decision found;
    bool *yes = result;
    const bool alone = find_decision(&found, text, with, true);
    if (!alone && !find_decision(&found, text, with, false))
        return failure;
    if (!alone && failure == POV_ANSWER_REFUSED && (concluded || !begins(text, &found)))
        return POV_ANSWER_REFUSED;
    *yes = found.yes;
    return POV_ANSWER_GIVEN;
}

pov_answer_kind pov_answer_yes_no(bool *yes, const char *answer, const pov_yes_no_words *words)
{
    *yes = false;
    return pov_answer_read_said(yes, answer, read_yes_no, words);
}

/* ---- numbers ---- */

typedef struct {
    const char *word;
    int value;
} number_word;

static const number_word small_numbers[] = {
    {"zero", 0},     {"none", 0},     {"nothing", 0},    {"one", 1},       {"single", 1},    {"two", 2},
    {"three", 3},    {"four", 4},     {"five", 5},       {"six", 6},       {"seven", 7},     {"eight", 8},
    {"nine", 9},     {"ten", 10},     {"eleven", 11},    {"twelve", 12},   {"thirteen", 13}, {"fourteen", 14},
    {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20},
    {"thirty", 30},  {"forty", 40},   {"fifty", 50},     {"sixty", 60},    {"seventy", 70},  {"eighty", 80},
    {"ninety", 90}};
enum { SMALL_NUMBERS = sizeof small_numbers / sizeof *small_numbers };

static bool is_digit(const pov_answer_text *text, int place)
{
    return place >= 0 && place < text->len && text->c[place] >= '0' && text->c[place] <= '9';
}

/* Digits with commas between thousands and a decimal point; the place after them, or `place` if there are none. */
static int read_digits(double *number, const pov_answer_text *text, int place)
{
    int i = place;
    *number = 0;
    for (; is_digit(text, i) || (i > place && i < text->len && text->c[i] == ',' && is_digit(text, i + 1) &&
                                 is_digit(text, i + 2) && is_digit(text, i + 3) && !is_digit(text, i + 4));
         i++)
        if (text->c[i] != ',')
            *number = *number * 10 + (text->c[i] - '0');
    if (i > place && i < text->len && text->c[i] == '.' && is_digit(text, i + 1))
        for (double scale = 0.1; is_digit(text, ++i); scale /= 10)
            *number += scale * (text->c[i] - '0');
    return i;
}

/* A word for a number at `place`, with its length; 0: none. */
static int small_number_at(int *value, const pov_answer_text *text, int place)
{
    for (int i = 0; i < SMALL_NUMBERS; i++) {
        int length = pov_answer_word_at(text, place, small_numbers[i].word);
        if (length) {
            *value = small_numbers[i].value;
            return length;
        }
    }
    return 0;
}

static int after_gap(const pov_answer_text *text, int place)
{
    while (place < text->len && (text->c[place] == ' ' || text->c[place] == '-'))
        place++;
    int length = pov_answer_word_at(text, place, "and");
    return length && place + length < text->len ? place + length + 1 : place;
}

/* "two hundred and thirty-one thousand and five" */
static int read_number_words(double *number, const pov_answer_text *text, int place)
{
    int value, end = place, length, before = 1000;
    double thousands = 0, group = 0;
    for (int i = place; i < text->len; i = after_gap(text, end)) {
        if ((length = small_number_at(&value, text, i)) &&
            (before == 1000 || before == 100 || (before >= 20 && before < 100 && value < 10))) {
            group += value;
            before = value;
        } else if (end > place && group < 10 && (length = pov_answer_word_at(text, i, "hundred"))) {
            group *= 100;
            before = 100;
        } else if (end > place && thousands == 0 && (length = pov_answer_word_at(text, i, "thousand"))) {
            thousands = group * 1000;
            group = 0;
            before = 1000;
        } else {
            break;
        }
        end = i + length;
    }
    *number = thousands + group;
    return end;
}

/* "No", unless it is an exclamation before the answer: "No, there are three". */
static bool is_no(const pov_answer_text *text, int place)
{
    int length = pov_answer_word_at(text, place, "no");
    return length && !(place + length < text->len && text->c[place + length] == ',');
}

static pov_answer_kind read_number(void *result, const pov_answer_text *text, bool concluded,
                                   const void *with)
{
    static const char *const no_any[] = {"isn't any", "aren't any", "not any", "don't see any",
                                         "do not see any"};
    double *number = result;
    (void)concluded, (void)with;
    for (int i = 0; i < text->len; i++) {
        bool starts = i == 0 || !pov_answer_is_letter(text->c[i - 1]);
        if (!starts)
            continue;
        int end = read_digits(number, text, i);
        if (end > i && !(end < text->len && pov_answer_is_letter(text->c[end])))
            return POV_ANSWER_GIVEN;
        if (end == i && (read_number_words(number, text, i) > i || is_no(text, i) ||
                         pov_answer_is_one_of(text, i, no_any, 5)))
            return POV_ANSWER_GIVEN;
    }
    *number = 0;
    bool only_no = pov_answer_word_at(text, 0, "no") > 0 && pov_answer_failure(text) != POV_ANSWER_REFUSED;
    return only_no ? POV_ANSWER_GIVEN : pov_answer_failure(text);
}

pov_answer_kind pov_answer_number(double *number, const char *answer)
{
    *number = 0;
    return pov_answer_read_said(number, answer, read_number, NULL);
}
