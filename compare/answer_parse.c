#include "compare/answer_parse.h"

#include "compare/answer_text.h"
#include "perception/status.h"

#include <string.h>

static const char *const english_yes[] = {"yes", "yeah", "yep", "true", "correct", "indeed", NULL};
static const char *const english_no[] = {"no",     "nope",    "false",  "incorrect", "not", "isn't",
                                         "aren't", "doesn't", "cannot", "can't",     NULL};
const pov_yes_no_words POV_YES_NO_ENGLISH = {english_yes, english_no};

static const char *const refusals[] = {
    "i cannot",      "i can't",         "i can not",     "i am unable",        "i'm unable",
    "i'm not able",  "i am not able",   "unable to",     "i'm sorry",          "i am sorry",
    "sorry",         "i apologize",     "as an ai",      "cannot determine",   "can't determine",
    "not determine", "be determined",   "cannot tell",   "can't tell",         "cannot answer",
    "can't answer",  "not possible to", "impossible to", "don't know",         "do not know",
    "not sure",      "not clear",       "unclear",       "enough information", "insufficient information",
    "no way to",     "not possess",     "cannot assist", "can't assist"};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

static const char *const kind_names[] = {"given", "refused", "unclear", "missing"};
_Static_assert(sizeof kind_names / sizeof *kind_names == POV_ANSWER_KINDS, "a name for each kind");

const char *pov_answer_kind_name(pov_answer_kind kind)
{
    POV_REQUIRE(kind >= 0 && kind < POV_ANSWER_KINDS);
    return kind_names[kind];
}

/* What an answer without what was asked for is. */
static pov_answer_kind kind_of_failure(const pov_answer_text *text)
{
    for (int i = 0; i < REFUSALS; i++)
        if (pov_answer_find(text, 0, text->len, refusals[i]) >= 0)
            return POV_ANSWER_REFUSED;
    return text->len ? POV_ANSWER_UNCLEAR : POV_ANSWER_MISSING;
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

static bool begins_at(const pov_answer_text *text, int place)
{
    for (int i = 0; i < place; i++)
        if (pov_answer_is_letter(text->c[i]))
            return false;
    return true;
}

pov_answer_kind pov_answer_yes_no(bool *yes, const char *answer, const pov_yes_no_words *words)
{
    pov_answer_text text;
    *yes = false;
    pov_answer_fold(&text, answer);
    pov_answer_kind failure = kind_of_failure(&text);
    for (int i = 0; i < text.len; i++) {
        int yes_length = longest_word_at(&text, i, words->yes);
        int no_length = longest_word_at(&text, i, words->no);
        if (yes_length == no_length)
            continue;
        if (failure == POV_ANSWER_REFUSED && !begins_at(&text, i))
            return POV_ANSWER_REFUSED;
        *yes = yes_length > no_length;
        return POV_ANSWER_GIVEN;
    }
    return failure;
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

pov_answer_kind pov_answer_number(double *number, const char *answer)
{
    pov_answer_text text;
    *number = 0;
    pov_answer_fold(&text, answer);
    for (int i = 0; i < text.len; i++) {
        bool starts = i == 0 || !pov_answer_is_letter(text.c[i - 1]);
        if (!starts)
            continue;
        int end = read_digits(number, &text, i);
        if (end > i && !(end < text.len && pov_answer_is_letter(text.c[end])))
            return POV_ANSWER_GIVEN;
        if (end == i && (read_number_words(number, &text, i) > i || is_no(&text, i)))
            return POV_ANSWER_GIVEN;
    }
    *number = 0;
    bool only_no = pov_answer_word_at(&text, 0, "no") > 0 && kind_of_failure(&text) != POV_ANSWER_REFUSED;
    return only_no ? POV_ANSWER_GIVEN : kind_of_failure(&text);
}

/* ---- options ---- */

/* Past an article. */
static const char *bare(const char *option)
{
    static const char *const articles[] = {"the ", "a ", "an ", "The ", "A ", "An "};
    while (*option == ' ')
        option++;
    for (int i = 0; i < 6; i++)
        if (strncmp(option, articles[i], strlen(articles[i])) == 0)
            return option + strlen(articles[i]);
    return option;
}

/* "(b) ...", "b.", "b" and nothing else. */
static bool take_letter(int *option, const pov_answer_text *text, int len)
{
    int i = text->len && text->c[0] == '(';
    if (i >= text->len || text->c[i] < 'a' || text->c[i] >= 'a' + (uint32_t)len || len > 26)
        return false;
    *option = (int)(text->c[i] - 'a');
    return i + 1 == text->len || text->c[i + 1] == ')' || text->c[i + 1] == '.' || text->c[i + 1] == ':';
}

static bool is_one_of(const pov_answer_text *text, int place, const char *const words[], int len)
{
    for (int i = 0; i < len; i++)
        if (pov_answer_word_at(text, place, words[i]))
            return true;
    return false;
}

/* "not left", "not to the left", "rather than to its left" */
static bool is_negated(const pov_answer_text *text, int place)
{
    static const char *const passed[] = {"to",  "on",  "in",  "at",    "the", "a",
                                         "its", "his", "her", "their", "of"};
    static const char *const negations[] = {"not", "than", "isn't", "neither", "nor", "never"};
    for (int i = pov_answer_previous_word(text, place), words = 0; i >= 0 && words < 4; words++) {
        if (is_one_of(text, i, negations, 6))
            return true;
        if (!is_one_of(text, i, passed, 11))
            return false;
        i = pov_answer_previous_word(text, i);
    }
    return false;
}

static bool take_contained(int *option, const pov_answer_text *text, const char *const options[], int len)
{
    int end = pov_answer_sentence_end(text, 0);
    for (int i = 0; i < end; i++) {
        int longest = 0;
        for (int k = 0; k < len; k++) {
            int length = pov_answer_word_at(text, i, bare(options[k]));
            if (length > longest && !is_negated(text, i)) {
                longest = length;
                *option = k;
            }
        }
        if (longest)
            return true;
    }
    return false;
}

/* Share of an option's words that the sentence has, articles aside. */
static double words_in_common(const pov_answer_text *text, const char *option)
{
    char words[256];
    int total = 0, common = 0, end = pov_answer_sentence_end(text, 0);
    strncpy(words, bare(option), sizeof words - 1);
    words[sizeof words - 1] = '\0';
    for (char *rest = words, *word; (word = strsep(&rest, " "));) {
        if (*word == '\0')
            continue;
        total++;
        common += pov_answer_find(text, 0, end, word) >= 0;
    }
    return total ? (double)common / total : 0;
}

static bool take_most_common(int *option, const pov_answer_text *text, const char *const options[], int len)
{
    double best = 0.5;
    bool alone = false;
    for (int k = 0; k < len; k++) {
        double share = words_in_common(text, options[k]);
        if (share > best)
            *option = k;
        alone = share > best || (alone && share < best);
        best = share > best ? share : best;
    }
    return alone;
}

pov_answer_kind pov_answer_option(int *option, const char *answer, const char *const options[], int len)
{
    pov_answer_text text;
    pov_answer_fold(&text, answer);
    int same = -1, start = pov_answer_word_at(&text, 0, "the") ? 4 : 0;
    for (int k = 0; k < len; k++) {
        int end = start + pov_answer_word_at(&text, start, bare(options[k]));
        if (end > start && (end == text.len || (end + 1 == text.len && !pov_answer_is_letter(text.c[end]))))
            same = k;
    }
    *option = same;
    if (same >= 0 || take_letter(option, &text, len) || take_contained(option, &text, options, len) ||
        take_most_common(option, &text, options, len))
        return POV_ANSWER_GIVEN;
    *option = -1;
    return kind_of_failure(&text);
}

/* ---- directions ---- */

enum { FIRST = 1, SECOND = 2, THIRD = 4, FOURTH = 8, DIRECTION_WORDS = 32 };

typedef struct {
    const char *word;
    unsigned parts;
} direction_word;

static const direction_word cardinals[DIRECTION_WORDS] = {{"north", FIRST},
                                                          {"northern", FIRST},
                                                          {"northward", FIRST},
                                                          {"northwards", FIRST},
                                                          {"east", SECOND},
                                                          {"eastern", SECOND},
                                                          {"eastward", SECOND},
                                                          {"eastwards", SECOND},
                                                          {"south", THIRD},
                                                          {"southern", THIRD},
                                                          {"southward", THIRD},
                                                          {"southwards", THIRD},
                                                          {"west", FOURTH},
                                                          {"western", FOURTH},
                                                          {"westward", FOURTH},
                                                          {"westwards", FOURTH},
                                                          {"northeast", FIRST | SECOND},
                                                          {"northeastern", FIRST | SECOND},
                                                          {"southeast", THIRD | SECOND},
                                                          {"southeastern", THIRD | SECOND},
                                                          {"southwest", THIRD | FOURTH},
                                                          {"southwestern", THIRD | FOURTH},
                                                          {"northwest", FIRST | FOURTH},
                                                          {"northwestern", FIRST | FOURTH}};

static const direction_word sides[DIRECTION_WORDS] = {
    {"front", FIRST},  {"ahead", FIRST}, {"forward", FIRST},  {"right", SECOND}, {"back", THIRD},
    {"behind", THIRD}, {"rear", THIRD},  {"backward", THIRD}, {"left", FOURTH}};

/* "assuming the top of the image is north": the question's own words. */
static bool repeats_premise(const pov_answer_text *text, int start, int place)
{
    static const char *const premises[] = {"assuming",    "assume", "if", "since",   "given",
                                           "considering", "with",   "as", "because", "where"};
    bool top = false;
    int i = pov_answer_previous_word(text, place);
    for (int words = 0; i >= start && words < 10; words++, i = pov_answer_previous_word(text, i)) {
        if (top && is_one_of(text, i, premises, 10))
            return true;
        top |= words < 7 && pov_answer_word_at(text, i, "top");
    }
    return false;
}

/* "right in front", "right behind": directly so. */
static bool means_directly(const pov_answer_text *text, int place, const direction_word *word)
{
    static const char *const followers[] = {"in",     "behind", "ahead", "next",
                                            "beside", "before", "there", "now"};
    int after = place + (int)strlen(word->word) + 1;
    return strcmp(word->word, "right") == 0 && after < text->len && text->c[after - 1] == ' ' &&
           is_one_of(text, after, followers, 8);
}

static unsigned parts_at(const pov_answer_text *text, int start, int place, pov_answer_circle circle)
{
    const direction_word *words = circle == POV_ANSWER_CARDINALS ? cardinals : sides;
    for (int k = 0; k < DIRECTION_WORDS && words[k].word; k++)
        if (pov_answer_word_at(text, place, words[k].word)) {
            bool passed = is_negated(text, place) || means_directly(text, place, &words[k]) ||
                          (circle == POV_ANSWER_CARDINALS && repeats_premise(text, start, place));
            return passed ? 0 : words[k].parts;
        }
    return 0;
}

pov_answer_kind pov_answer_directions(bool directions[4], const char *answer, pov_answer_circle circle)
{
    pov_answer_text text;
    unsigned parts = 0;
    pov_answer_fold(&text, answer);
    for (int start = 0; start < text.len && !parts;) {
        int end = pov_answer_sentence_end(&text, start);
        for (int i = start; i < end; i++)
            parts |= parts_at(&text, start, i, circle);
        start = end;
    }
    for (int k = 0; k < 4; k++)
        directions[k] = parts >> k & 1;
    return parts ? POV_ANSWER_GIVEN : kind_of_failure(&text);
}
