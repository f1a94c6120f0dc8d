/* One of several options; directions. */
#include "compare/answer_said.h"

#include <stdio.h>
#include <string.h>

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

/* "(b) ...", "b.", "option b", "b" and nothing else. */
static bool take_letter(int *option, const pov_answer_text *text, int len)
{
    int i = pov_answer_word_at(text, 0, "option");
    i += i > 0 && i < text->len; /* a space */
    i += i < text->len && text->c[i] == '(';
    if (i >= text->len || text->c[i] < 'a' || text->c[i] >= 'a' + (uint32_t)len || len > 26)
        return false;
    *option = (int)(text->c[i] - 'a');
    return i + 1 == text->len || text->c[i + 1] == ')' || text->c[i + 1] == '.' || text->c[i + 1] == ':';
}

/* "not left", "not to the left", "rather than to its left" */
static bool is_negated(const pov_answer_text *text, int place)
{
    static const char *const passed[] = {"to",  "on",  "in",  "at",    "the", "a",
                                         "its", "his", "her", "their", "of"};
    static const char *const negations[] = {"not", "than", "isn't", "neither", "nor", "never"};
    for (int i = pov_answer_previous_word(text, place), words = 0; i >= 0 && words < 4; words++) {
        if (pov_answer_is_one_of(text, i, negations, 6))
            return true;
        if (!pov_answer_is_one_of(text, i, passed, 11))
            return false;
        i = pov_answer_previous_word(text, i);
    }
    return false;
}

/* "facing left" tells where something looks, not where something is. */
static bool is_faced(const pov_answer_text *text, int place)
{
    static const char *const passed[] = {"to", "the", "its", "toward", "towards"};
    static const char *const verbs[] = {"facing", "faces", "face", "faced", "looking", "looks"};
    int i = pov_answer_previous_word(text, place);
    for (int words = 0; i >= 0 && words < 3 && pov_answer_is_one_of(text, i, passed, 5); words++)
        i = pov_answer_previous_word(text, i);
    return i >= 0 && pov_answer_is_one_of(text, i, verbs, 6);
}

/* "right in front", "right behind": directly so. */
static bool means_directly(const pov_answer_text *text, int place, int length)
{
    static const char *const followers[] = {"in",     "behind", "ahead", "next",
                                            "beside", "before", "there", "now"};
    const int after = place + length + 1;
    return pov_answer_word_at(text, place, "right") == length && after < text->len &&
           text->c[after - 1] == ' ' && pov_answer_is_one_of(text, after, followers, 8);
}

typedef struct {
    const char *const *words;
    int len;
} option_list;

/* The longest option at a place, with its length; 0: none. */
static int option_at(int *option, const pov_answer_text *text, int place, const option_list *options)
{
    int longest = 0;
    for (int k = 0; k < options->len; k++) {
        int length = pov_answer_word_at(text, place, bare(options->words[k]));
        if (length > longest) {
            longest = length;
            *option = k;
        }
    }
    return longest;
}

/* "left or right", "behind the hydrant or the tree": neither. The place after another option, or 0. */
static int after_choice(const pov_answer_text *text, int place, int option, const option_list *options)
{
    static const char *const articles[] = {"the", "a", "an", "to", "on", "behind", "its"};
    int other;
    while (place < text->len && text->c[place] == ' ')
        place++;
    if (place < text->len && text->c[place] == '/')
        place++;
    else if (pov_answer_word_at(text, place, "or"))
        place += 2;
    else
        return 0;
    for (;;) {
        while (place < text->len && (text->c[place] == ' ' || text->c[place] == '"'))
            place++;
        const int length = place < text->len ? option_at(&other, text, place, options) : 0;
        if (length)
            return other == option ? 0 : place + length;
        if (place >= text->len || !pov_answer_is_one_of(text, place, articles, 7))
            return 0;
        while (place < text->len && pov_answer_is_letter(text->c[place]))
            place++;
    }
}

static bool take_contained(int *option, const pov_answer_text *text, const option_list *options,
                           bool also_faced)
{
    for (int i = 0; i < text->len; i++) {
        const int length = option_at(option, text, i, options);
        if (!length || is_negated(text, i) || means_directly(text, i, length) ||
            (!also_faced && is_faced(text, i)))
            continue;
        const int after = after_choice(text, i + length, *option, options);
        if (!after)
            return true;
        i = after - 1;
    }
    return false;
}

/* ---- words in common ---- */

enum { WORD_CAPACITY = 64 };

/* Cuts the next word off; false: there is none. A word too long is cut. */
static bool next_word(char word[WORD_CAPACITY], const char **rest)
{
    *rest += strspn(*rest, " ");
    const size_t length = strcspn(*rest, " ");
    snprintf(word, WORD_CAPACITY, "%.*s", (int)length, *rest);
    *rest += length;
    return length > 0;
}

static bool has_word(const char *option, const char *word)
{
    char one[WORD_CAPACITY];
    for (const char *rest = bare(option); next_word(one, &rest);)
        if (strcmp(one, word) == 0)
            return true;
    return false;
}

/* Nothing is told apart by these. */
static bool is_small_word(const char *word)
{
    static const char *const small[] = {"the", "a",  "an",  "of", "to",  "from", "in",  "on",
                                        "at",  "is", "are", "it", "and", "you",  "than"};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (strcmp(word, small[i]) == 0)
            return true;
    return false;
}

static bool is_own_word(const option_list *options, int option, const char *word)
{
    for (int k = 0; k < options->len; k++)
        if (k != option && has_word(options->words[k], word))
            return false;
    return !is_small_word(word);
}

static bool names_word(const pov_answer_text *text, const char *word)
{
    char plural[WORD_CAPACITY + 1];
    snprintf(plural, sizeof plural, "%ss", word); /* towards, chairs */
    for (int i = 0; i < text->len; i++)
        if ((pov_answer_word_at(text, i, word) || pov_answer_word_at(text, i, plural)) &&
            !is_negated(text, i))
            return true;
    return false;
}

typedef struct {
    double share; /* of the option's words, articles aside */
    bool own;     /* with one that no other option has */
} likeness;

static likeness compare_words(const pov_answer_text *text, const option_list *options, int option)
{
    char word[WORD_CAPACITY];
    int total = 0, common = 0;
    likeness found = {0, false};
    for (const char *rest = bare(options->words[option]); next_word(word, &rest); total++)
        if (names_word(text, word)) {
            common++;
            found.own |= is_own_word(options, option, word);
        }
    found.share = total ? (double)common / total : 0;
    return found;
}

static bool take_most_common(int *option, const pov_answer_text *text, const option_list *options)
{
    double best = 0.5;
    int own = 0, last = -1;
    bool alone = false;
    for (int k = 0; k < options->len; k++) {
        const likeness found = compare_words(text, options, k);
        if (found.own) {
            own++;
            last = k;
        }
        if (found.share > best)
            *option = k;
        alone = found.share > best || (alone && found.share < best);
        best = found.share > best ? found.share : best;
    }
    if (!alone && own == 1)
        *option = last;
    return alone || own == 1;
}

/* The option and nothing else. */
static bool take_same(int *option, const pov_answer_text *text, const option_list *options)
{
    int same = -1, start = pov_answer_word_at(text, 0, "the") ? 4 : 0;
    for (int k = 0; k < options->len; k++) {
        int end = start + pov_answer_word_at(text, start, bare(options->words[k]));
        if (end > start &&
            (end == text->len || (end + 1 == text->len && !pov_answer_is_letter(text->c[end]))))
            same = k;
    }
    if (same >= 0)
        *option = same;
    return same >= 0;
}

/* The first sentence that is not the question again. */
static void first_sentence(pov_answer_text *sentence, const pov_answer_text *text)
{
    int start = 0, end = pov_answer_sentence_end(text, 0);
    while (end < text->len && text->c[end - 1] == '?') {
        start = end;
        end = pov_answer_sentence_end(text, start);
    }
    while (start < end && text->c[start] == ' ')
        start++;
    pov_answer_part(sentence, text, start, end);
}

static pov_answer_kind read_option(void *result, const pov_answer_text *text, bool concluded,
                                   const void *with)
{
    const option_list *options = with;
    pov_answer_text sentence;
    (void)concluded;
    first_sentence(&sentence, text);
    if (take_same(result, text, options) || take_letter(result, text, options->len) ||
        take_contained(result, &sentence, options, false) ||
        take_contained(result, &sentence, options, true) || take_most_common(result, &sentence, options))
        return POV_ANSWER_GIVEN;
    return pov_answer_failure(text);
}

pov_answer_kind pov_answer_option(int *option, const char *answer, const char *const options[], int len)
{
    const option_list list = {options, len};
    const pov_answer_kind kind = pov_answer_read_said(option, answer, read_option, &list);
    if (kind != POV_ANSWER_GIVEN)
        *option = -1;
    return kind;
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
    static const char *const subjects[] = {"the", "top"};
    bool top = false;
    int i = pov_answer_previous_word(text, place), before = -1;
    for (int words = 0; i >= start && words < 10; words++, i = before) {
        before = pov_answer_previous_word(text, i);
        if (top && pov_answer_is_one_of(text, i, premises, 10))
            return true;
        top |= words < 7 && pov_answer_word_at(text, i, "top");
        if (top && before < start &&
            pov_answer_is_one_of(text, i, subjects, 2)) /* "The top of the image is north." */
            return true;
    }
    return false;
}

static unsigned parts_at(const pov_answer_text *text, int start, int place, pov_answer_circle circle)
{
    const direction_word *words = circle == POV_ANSWER_CARDINALS ? cardinals : sides;
    for (int k = 0; k < DIRECTION_WORDS && words[k].word; k++)
        if (pov_answer_word_at(text, place, words[k].word)) {
            bool passed = is_negated(text, place) ||
                          means_directly(text, place, (int)strlen(words[k].word)) ||
                          (circle == POV_ANSWER_CARDINALS ? repeats_premise(text, start, place)
                                                          : is_faced(text, place));
            return passed ? 0 : words[k].parts;
        }
    return 0;
}

/* "N", "SW" and nothing else. */
static unsigned initials(const pov_answer_text *text)
{
    static const char letters[] = "nesw";
    unsigned parts = 0;
    int len = text->len;
    while (len > 0 && !pov_answer_is_letter(text->c[len - 1]))
        len--;
    for (int i = 0; i < len; i++) {
        const char *letter = text->c[i] < 0x80 ? strchr(letters, (int)text->c[i]) : NULL;
        if (!letter || len > 2)
            return 0;
        parts |= 1u << (letter - letters);
    }
    return parts;
}

static pov_answer_kind read_directions(void *result, const pov_answer_text *text, bool concluded,
                                       const void *with)
{
    const pov_answer_circle circle = *(const pov_answer_circle *)with;
    bool *directions = result;
    unsigned parts = circle == POV_ANSWER_CARDINALS ? initials(text) : 0;
    (void)concluded;
    for (int start = 0; start < text->len && !parts;) {
        int end = pov_answer_sentence_end(text, start);
        for (int i = start; i < end; i++)
            parts |= parts_at(text, start, i, circle);
        start = end;
    }
    for (int k = 0; k < 4; k++)
        directions[k] = parts >> k & 1;
    return parts ? POV_ANSWER_GIVEN : pov_answer_failure(text);
}

pov_answer_kind pov_answer_directions(bool directions[4], const char *answer, pov_answer_circle circle)
{
    return pov_answer_read_said(directions, answer, read_directions, &circle);
}
