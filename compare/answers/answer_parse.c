/* The kinds of questions and their vocabularies. compare/answers/answer_grammar.c has the grammar. */
#include "compare/answers/answer_parse.h"

#include "compare/answers/answer_parse_internal.h"
#include "perception/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef pov_mention mention;
typedef pov_answer_reading reading;

enum { WORD_CAPACITY = 64, SUM_PARTS_MAX = 16, COUNTED_MAX = 80 /* code points */ };

POV_ENUM_NAMES(pov_answer_kind_name, pov_answer_kind, POV_ANSWER_KINDS, "given", "refused", "unclear",
               "missing", "low_mass", "not_asked")

pov_answer_kind pov_answer_kind_said(const char *name)
{
    for (int k = POV_ANSWER_REFUSED; k < POV_ANSWER_KINDS; k++)
        if (strcmp(name, pov_answer_kind_name((pov_answer_kind)k)) == 0)
            return (pov_answer_kind)k;
    return POV_ANSWER_MISSING;
}

static uint32_t at(const reading *r, int place)
{
    return pov_reading_at(r, place);
}

static bool has(const reading *r, int place, pov_word_class words)
{
    return pov_reading_has(r, place, words);
}

/* ---- yes or no ---- */

static bool is_english(const pov_yes_no_words *words)
{
    for (const char *const *word = words->yes; *word; word++)
        if (strcmp(*word, "yes") == 0)
            return true;
    return false;
}

static bool find_yes_no_of(mention *found, const reading *r, int place, const pov_yes_no_words *words,
                           bool loose)
{
    const int yes = pov_answer_any_at(&r->text, place, words->yes),
              no = pov_answer_any_at(&r->text, place, words->no);
    const bool alone = yes == no, sign = pov_answer_is_spaceless(at(r, place));
    *found = (mention){place, yes > no ? yes : no, yes > no};
    if (alone && !yes && is_english(words)) {
        *found = (mention){place, pov_reading_length(r, place, POV_WORD_CERTAIN), 1};
    }
    /* A sign that is a word in itself where it begins a clause is elsewhere part of others; "I'm" is no Hausa "I". */
    if (!found->length || (alone && yes) ||
        (sign && found->length == 1 && pov_answer_is_letter(at(r, place - 1))) ||
        (at(r, place + found->length) == '\'' && pov_answer_is_letter(at(r, place + found->length + 1))) ||
        has(r, place, POV_WORD_NO_IDIOM))
        return false;
    return (loose && !alone) || pov_reading_stands_alone(r, place, found->length);
}

static bool find_yes_no(mention *found, const reading *r, int place, bool loose)
{
    return find_yes_no_of(found, r, place, r->of->words, loose);
}

static pov_answer_kind read_yes_no(bool *yes, const char *answer, const pov_yes_no_words *words, bool plain)
{
    const pov_vocabulary of = {.find = find_yes_no, .words = words, .several = POV_TWO_ARE_NONE};
    mention found = {0};
    const pov_answer_kind kind = pov_reading_answer(&found, answer, &of, plain);
    *yes = kind == POV_ANSWER_GIVEN && found.value > 0;
    return kind;
}

bool pov_answer_begins_yes_no(bool *yes, const char *answer, const pov_yes_no_words *words)
{
    return read_yes_no(yes, answer, words, false) == POV_ANSWER_GIVEN;
}

pov_answer_kind pov_answer_yes_no(bool *yes, const char *answer, const pov_yes_no_words *words)
{
    const pov_answer_kind kind = read_yes_no(yes, answer, words, true);
    const bool again = kind == POV_ANSWER_UNCLEAR && !is_english(words);
    return again && pov_answer_begins_yes_no(yes, answer, &POV_YES_NO_ENGLISH_TOKENS) ? POV_ANSWER_GIVEN
                                                                                      : kind;
}

/* ---- numbers ---- */

static bool is_digit(const reading *r, int place)
{
    return at(r, place) >= '0' && at(r, place) <= '9';
}

/* Digits with commas between thousands and a decimal point; their length. */
static int read_digits(double *number, const reading *r, int place)
{
    int i = place;
    *number = 0;
    for (; is_digit(r, i) || (i > place && at(r, i) == ',' && is_digit(r, i + 1) && is_digit(r, i + 2) &&
                              is_digit(r, i + 3) && !is_digit(r, i + 4));
         i++)
        if (at(r, i) != ',')
            *number = *number * 10 + (at(r, i) - '0');
    if (i > place && at(r, i) == '.' && is_digit(r, i + 1))
        for (double scale = 0.1; is_digit(r, ++i); scale /= 10)
            *number += scale * (at(r, i) - '0');
    return pov_answer_is_letter(at(r, i)) ? 0 : i - place;
}

/* Past what a sum's number counts: "4 cups", "4 (on the floor)". */
static int skip_counted(const reading *r, int place)
{
    int end = pov_reading_skip_blanks(r, place);
    if (at(r, end) == '(') {
        while (end < place + COUNTED_MAX && at(r, end) && at(r, end) != ')' && at(r, end) != '\n')
            end++;
        return pov_reading_skip_blanks(r, end + 1);
    }
    const bool sign = at(r, end) == 'x' && !pov_answer_is_letter(at(r, end + 1));
    return sign ? end : pov_reading_skip_blanks(r, pov_reading_skip_word(r, end));
}

/* "4 + 3 = 7": the result and the length; 0: it is not a sum. */
static int read_sum(double *number, const reading *r, int place)
{
    double part;
    int length, i = place, parts = 0;
    for (; parts < SUM_PARTS_MAX && (length = read_digits(&part, r, i)); parts++) {
        const int sign = skip_counted(r, i + length);
        if (at(r, sign) == '=' && parts > 0) {
            i = pov_reading_skip_blanks(r, sign + 1);
            length = read_digits(number, r, i);
            return length ? i + length - place : 0;
        }
        if (!(at(r, sign) < 0x80 && strchr("+-*/x", (int)at(r, sign))) && at(r, sign) != 0x2212 &&
            at(r, sign) != 0xd7)
            return 0;
        i = pov_reading_skip_blanks(r, sign + 1);
    }
    return 0;
}

static int small_number_at(int *value, const reading *r, int place)
{
    int length = 0;
    for (const pov_number_word *w = POV_NUMBER_WORDS; w->word && !length; w++)
        if ((length = pov_answer_word_at(&r->text, place, w->word)))
            *value = w->value;
    return length;
}

static int skip_gap(const reading *r, int place)
{
    while (at(r, place) == '-' || at(r, place) == ' ')
        place++;
    const int length = pov_answer_word_at(&r->text, place, "and");
    return length ? pov_reading_skip_blanks(r, place + length) : place;
}

/* "two hundred and thirty-one thousand and five"; its length. */
static int read_number_words(double *number, const reading *r, int place)
{
    int value, end = place, length, before = 1000;
    double thousands = 0, group = 0;
    for (int i = place; i < r->text.len; i = skip_gap(r, end)) {
        if ((length = small_number_at(&value, r, i)) &&
            (before == 1000 || before == 100 || (before >= 20 && before < 100 && value < 10))) {
            group += value;
            before = value;
        } else if (end > place && group < 10 && (length = pov_answer_word_at(&r->text, i, "hundred"))) {
            group *= 100;
            before = 100;
        } else if (end > place && thousands == 0 && (length = pov_answer_word_at(&r->text, i, "thousand"))) {
            thousands = group * 1000;
            group = 0;
            before = 1000;
        } else {
            break;
        }
        end = i + length;
    }
    *number = thousands + group;
    return end - place;
}

/* "1. a cup" on a line, "step 2", "image 3", "the one", "one of them" */
static bool counts_nothing(const reading *r, int place, int end)
{
    int before = place - 1;
    while (at(r, before) == ' ')
        before--;
    const int after = pov_reading_skip_blanks(r, end + 1);
    const bool begins_line = before < 0 || at(r, before) == '\n',
               ends_line = after >= r->text.len || at(r, after) == '\n';
    return (is_digit(r, place) && begins_line && !ends_line && (at(r, end) == '.' || at(r, end) == ')')) ||
           pov_reading_is_after(r, place, POV_WORD_NUMBERED) || has(r, place, POV_WORD_ONE_OF) ||
           (has(r, place, POV_WORD_ONE) && pov_reading_is_after(r, place, POV_WORD_BEFORE_PRONOUN));
}

/* "no cups", "not any", but not "No, there are three": its length. */
static int read_none(const reading *r, int place)
{
    const int no = pov_answer_word_at(&r->text, place, "no"),
              any = pov_reading_length(r, place, POV_WORD_ANY);
    if (no)
        return at(r, place + no) == ',' || has(r, place, POV_WORD_NO_COUNT) ? 0 : no;
    return any && pov_reading_follows(r, place, POV_WORD_NEGATION, POV_WORD_BEFORE_ANY, 2) ? any : 0;
}

static bool find_number(mention *found, const reading *r, int place, bool loose)
{
    (void)loose;
    *found = (mention){place, read_none(r, place), 0};
    if (found->length)
        return true;
    found->length = read_sum(&found->value, r, place);
    if (!found->length)
        found->length = is_digit(r, place) ? read_digits(&found->value, r, place)
                                           : read_number_words(&found->value, r, place);
    return found->length && !counts_nothing(r, place, place + found->length);
}

/* "No, ..." without a number */
static bool guess_number(mention *found, const reading *r, pov_answer_span s)
{
    *found = (mention){s.from, pov_answer_word_at(&r->text, s.from, "no"), 0};
    return found->length;
}

pov_answer_kind pov_answer_number(double *number, const char *answer)
{
    static const pov_vocabulary of = {
        .find = find_number, .guess = guess_number, .several = POV_FIRST_COUNTS, .counts = true};
    mention found = {0};
    const pov_answer_kind kind = pov_reading_answer(&found, answer, &of, true);
    *number = kind == POV_ANSWER_GIVEN ? found.value : 0;
    return kind;
}

/* ---- options ---- */

typedef struct {
    const char *const *words;
    int len, yes, no; /* those that are "yes" and "no", if both are: else -1 */
    bool labelled;    /* "A is closer", "B is closer": told apart by one letter each */
    char label[POV_ANSWER_OPTIONS_MAX];
    int side
        [POV_ANSWER_OPTIONS_MAX]; /* the class of "left" and the like, if an option is nothing else; else -1 */
} option_list;

/* Past an article. */
static const char *skip_article(const char *option)
{
    static const char *const articles[] = {"the ", "a ", "an "};
    option += strspn(option, " ");
    for (int i = 0; i < 3; i++)
        if (strncasecmp(option, articles[i], strlen(articles[i])) == 0)
            return option + strlen(articles[i]);
    return option;
}

/* "facing left" is an orientation, not a position. */
static bool is_faced(const reading *r, int place)
{
    return pov_reading_follows(r, place, POV_WORD_FACING, POV_WORD_SMALL, 3);
}

/* "the left image", "the left-hand side photo", "or the right one", not "the left image border": a picture's name. */
static bool is_image_name(const reading *r, int place, int length)
{
    int i = place + length;
    for (int n = 0; n < 2; n++) {
        i = at(r, i) == '-' ? i + 1 : pov_reading_skip_blanks(r, i);
        if (pov_answer_word_at(&r->text, i, "hand") || pov_answer_word_at(&r->text, i, "side"))
            i = pov_reading_skip_word(r, i);
    }
    i = pov_reading_skip_blanks(r, i);
    const bool other =
        has(r, i, POV_WORD_ONE) && pov_reading_follows(r, place, POV_WORD_LINK, POV_WORD_SMALL, 2);
    const int noun = pov_reading_length(r, i, other ? POV_WORD_ONE : POV_WORD_IMAGE),
              after = pov_reading_skip_blanks(r, i + noun);
    static const char *const part[] = {"border", "edge",   "boundary", "margin", "half",
                                       "side",   "corner", "third",    NULL};
    if (noun && !pov_answer_any_at(&r->text, after, part))
        return true;
    for (int n = 0, before = pov_answer_previous_word(&r->text, place); n < 3 && before >= 0; n++) {
        const int of = pov_reading_length(r, before, POV_WORD_IMAGE_OF);
        if (of && pov_reading_skip_blanks(r, before + of) == place)
            return true;
        before = pov_answer_previous_word(&r->text, before);
    }
    return false;
}

/* True if a word of a class covers the word at `place` and begins up to three words before it; what follows is not a noun. */
static bool is_within(const reading *r, int place, int length, pov_word_class words)
{
    for (int i = place, n = 0; i >= 0 && n < 3; n++, i = pov_answer_previous_word(&r->text, i)) {
        const int end = i + pov_reading_length(r, i, words);
        if (end > place + length ||
            (end == place + length && !pov_answer_is_letter(at(r, pov_reading_skip_blanks(r, end)))))
            return true;
    }
    return false;
}

/* "Right, the dog is on the left." */
static bool is_interjection(const reading *r, int place, int length)
{
    const int comma = place + length, next = pov_reading_skip_blanks(r, comma + 1);
    const bool begins = place == 0 || at(r, place - 1) == '\n';
    return begins && at(r, comma) == ',' && !has(r, next, POV_WORD_CLAUSE) &&
           pov_reading_names(r, (pov_answer_span){next, pov_answer_sentence_end(&r->text, next)},
                             (const char *const[]){"left", "front", "behind", NULL});
}

/* "only one cup is left", "the option left": remaining. */
static bool is_remainder(const reading *r, int place)
{
    if (at(r, place - 1) == ' ' && pov_answer_is_letter(at(r, place - 2)) &&
        pov_reading_is_after(r, place, POV_WORD_REMAINDER))
        return true;
    const int after = pov_reading_skip_blanks(r, place + (int)strlen("left"));
    int i = pov_answer_previous_word(&r->text, place);
    if (i < 0 || !has(r, i, POV_WORD_VERB) || pov_answer_is_letter(at(r, after)))
        return false;
    for (int n = 0; n < 4 && (i = pov_answer_previous_word(&r->text, i)) >= 0; n++)
        if (has(r, i, POV_WORD_REMAINING))
            return true;
    return false;
}

/* "right in front", "right behind": directly so; "all right", "the right answer", "you are right"; "one is left". */
static bool is_other_sense(const reading *r, int place, int length)
{
    if (pov_answer_word_at(&r->text, place, "left") == length)
        return is_remainder(r, place);
    return pov_answer_word_at(&r->text, place, "right") == length &&
           (has(r, pov_reading_skip_blanks(r, place + length), POV_WORD_AFTER_ADVERB) ||
            is_within(r, place, length, POV_WORD_RIGHT_IDIOM) || is_interjection(r, place, length));
}

/* Signs of scripts without spaces do not belong to a letter of ours. */
static bool is_letter_apart(const reading *r, int place)
{
    int before = place - 1, after = place + 1;
    while (at(r, before) == ' ')
        before--;
    while (at(r, after) == ' ')
        after++;
    return (!pov_answer_is_letter(at(r, before)) || pov_answer_is_spaceless(at(r, before))) &&
           (!pov_answer_is_letter(at(r, after)) || pov_answer_is_spaceless(at(r, after)));
}

static bool is_single_letter(const reading *r, int place)
{
    const uint32_t c = at(r, place), next = at(r, place + 1);
    return c >= 'a' && c <= 'z' && (!pov_answer_is_letter(next) || pov_answer_is_spaceless(next)) &&
           !(next == '\'' && pov_answer_is_letter(at(r, place + 2)));
}

/* "(b)", "b.", "option b", "b" and nothing else, "B because ..." */
static bool find_letter(mention *found, const reading *r, int place, int len)
{
    const uint32_t c = at(r, place), next = at(r, place + 1);
    *found = (mention){place, 1, (double)c - 'a'};
    if (!is_single_letter(r, place) || c >= 'a' + (uint32_t)len ||
        pov_reading_is_after(r, place, POV_WORD_LINK))
        return false;
    return is_letter_apart(r, place) || pov_reading_stands_alone(r, place, 1) || next == ')' || next == '.' ||
           next == ':' || pov_reading_is_after(r, place, POV_WORD_LETTER_NOUN) ||
           (r->text.capital[place] && (pov_reading_is_after(r, place, POV_WORD_BEFORE_LETTER) ||
                                       has(r, pov_reading_skip_blanks(r, place + 1), POV_WORD_AFTER_LETTER)));
}

/* ---- options that one letter each tells apart ---- */

/* The only word of an option that is a single letter; NULL: there is none, or several. */
static const char *find_label(const char *option)
{
    const char *label = NULL;
    for (const char *word = option; *(word += strspn(word, " ")); word += strcspn(word, " "))
        if (strcspn(word, " ") == 1 && (*word | 0x20) >= 'a' && (*word | 0x20) <= 'z') {
            if (label)
                return NULL;
            label = word;
        }
    return label;
}

/* True if all options are alike but for one letter, which is another one in each. */
static bool find_labels(option_list *list)
{
    const char *first = list->len > 1 ? find_label(list->words[0]) : NULL;
    for (int k = 0; k < list->len && first; k++) {
        const char *label = find_label(list->words[k]);
        const size_t before = (size_t)(first - list->words[0]);
        if (!label || (size_t)(label - list->words[k]) != before || strcasecmp(label + 1, first + 1) != 0 ||
            strncasecmp(list->words[k], list->words[0], before) != 0)
            return false;
        list->label[k] = (char)(*label | 0x20);
        for (int j = 0; j < k; j++)
            if (list->label[j] == list->label[k])
                return false;
    }
    return first != NULL;
}

/* The option whose label stands at `place`, as a letter does: not the article; -1: none. */
static int label_at(const reading *r, const option_list *options, int place)
{
    const int next = pov_reading_skip_blanks(r, place + 1);
    if (!is_single_letter(r, place) || pov_answer_is_letter(at(r, place - 1)))
        return -1;
    const bool article =
        at(r, place) == 'a' && pov_answer_is_letter(at(r, next)) &&
        (!r->text.capital[place] || (pov_answer_previous_word(&r->text, place) < 0 &&
                                     !has(r, next, POV_WORD_VERB) && !has(r, next, POV_WORD_AFTER_LABEL)));
    for (int k = 0; k < options->len && !article; k++)
        if ((uint32_t)options->label[k] == at(r, place))
            return k;
    return -1;
}

/* Cuts the next word off; false: there is none. A word too long is cut. */
static bool cut_word(char word[WORD_CAPACITY], const char **rest)
{
    *rest += strspn(*rest, " ");
    const size_t length = strcspn(*rest, " ");
    snprintf(word, WORD_CAPACITY, "%.*s", (int)length, *rest);
    *rest += length;
    return length > 0;
}

static bool is_of_class(const char *word, pov_word_class words)
{
    const size_t length = strlen(word);
    const char *one = POV_WORDS[words];
    while (one && (strncasecmp(one, word, length) != 0 || !strchr("|", one[length])))
        one = strchr(one, '|') ? strchr(one, '|') + 1 : NULL;
    return one;
}

/* The next word of an option that is neither a verb nor small; false: there is none. */
static bool cut_telling_word(char word[WORD_CAPACITY], const char **rest)
{
    while (cut_word(word, rest))
        if (!is_of_class(word, POV_WORD_VERB) && !is_of_class(word, POV_WORD_SMALL))
            return true;
    return false;
}

/* "B is closer", "B appears to be closer": the words behind the label, in their order, before another label or a negation. */
static bool is_said_of(const reading *r, const option_list *options, int place, const char *rest)
{
    char word[WORD_CAPACITY];
    bool wanted = cut_telling_word(word, &rest);
    const int end = pov_answer_sentence_end(&r->text, place);
    for (int i = place + 1; i < end && wanted; i++) {
        if (r->off[i] || pov_answer_is_letter(at(r, i - 1)))
            continue;
        if (label_at(r, options, i) >= 0 || has(r, i, POV_WORD_NEGATION) || at(r, i) == ';')
            return false;
        if (pov_answer_word_at(&r->text, i, word))
            wanted = cut_telling_word(word, &rest);
    }
    return !wanted;
}

/* "The point closer to the camera is B": the words behind the label stand before it, and a verb between. */
static bool is_said_before(const reading *r, const option_list *options, int place, const char *rest)
{
    char word[WORD_CAPACITY];
    int from = place, i = place;
    bool linked = false;
    while (from > 0 && at(r, from - 1) != '\n' && at(r, from - 1) != '.' && at(r, from - 1) != '?' &&
           place - from < 400)
        from--;
    for (int n = 0; n < 4 && !linked && (i = pov_answer_previous_word(&r->text, i)) >= from; n++)
        if (label_at(r, options, i) >= 0 || has(r, i, POV_WORD_NEGATION))
            return false;
        else
            linked = has(r, i, POV_WORD_VERB) || has(r, i, POV_WORD_MAKING);
    while (linked && cut_telling_word(word, &rest))
        linked = pov_reading_names(r, (pov_answer_span){from, i}, (const char *const[]){word, NULL});
    return linked;
}

/* "A or B ...", "points A and B", "image A and image B", "A, B" */
static bool is_one_of_several(const reading *r, const option_list *options, int place)
{
    const int next = pov_reading_skip_blanks(r, place + 2);
    if (at(r, place + 1) == ',' && label_at(r, options, next) >= 0 &&
        !pov_answer_is_letter(at(r, pov_reading_skip_blanks(r, next + 1))))
        return true;
    if (at(r, place - 1) == ' ' && at(r, place - 2) == ',' && label_at(r, options, place - 3) >= 0 &&
        at(r, place - 3) != at(r, place))
        return true;
    const int link = pov_reading_skip_blanks(r, place + 1);
    if (has(r, link, POV_WORD_LINK))
        for (int n = 0, i = link; n < 2; n++) {
            i = pov_reading_skip_blanks(r, pov_reading_skip_word(r, i));
            if (label_at(r, options, i) >= 0)
                return at(r, i) != at(r, place);
        }
    for (int n = 0, i = pov_answer_previous_word(&r->text, place);
         n < 2 && i >= 0 && label_at(r, options, i) < 0; n++, i = pov_answer_previous_word(&r->text, i))
        if (has(r, i, POV_WORD_LINK)) {
            const int other = pov_answer_previous_word(&r->text, i);
            return other >= 0 && label_at(r, options, other) >= 0;
        }
    return false;
}

/* "B", "Point B.", "the answer is B", "so B": nothing else is said. */
static bool is_label_alone(const reading *r, int place)
{
    int before = place - 1, after = place + 1;
    const int word = pov_answer_previous_word(&r->text, place);
    while (at(r, after) == ' ' || at(r, after) == '"' || at(r, after) == '.')
        after++;
    if (after < r->text.len && (pov_answer_is_letter(at(r, after)) || at(r, after) == ','))
        return false;
    while (at(r, before) == ' ' || at(r, before) == '"')
        before--;
    if (!pov_answer_is_letter(at(r, before)) || pov_answer_is_spaceless(at(r, before)))
        return at(r, before) != ',';
    return pov_reading_follows(r, place, POV_WORD_NOUN, POV_WORD_VERB, 1) ||
           pov_reading_is_after(r, place, POV_WORD_THEREFORE) ||
           pov_reading_is_after(r, place, POV_WORD_SO) ||
           (!has(r, word, POV_WORD_LINK) && !has(r, word, POV_WORD_VERB) &&
            (word == 0 || at(r, word - 1) != ' '));
}

/* A label with what its option says of it; marked, "(B)", an option's letter; alone, the label, or else the letter. */
static bool find_labelled(mention *found, const reading *r, int place)
{
    const option_list *options = r->of->words;
    *found = (mention){place, 1, (double)at(r, place) - 'a'};
    if (!is_single_letter(r, place) || pov_answer_is_letter(at(r, place - 1)))
        return false;
    const bool is_option = at(r, place) < 'a' + (uint32_t)options->len,
               is_marked = at(r, place + 1) == ')' || pov_reading_is_after(r, place, POV_WORD_LETTER_NOUN);
    const int label = label_at(r, options, place);
    if (is_option && (is_marked || (label < 0 && is_letter_apart(r, place))))
        return true;
    if (label < 0 || pov_reading_is_negated(r, place) || is_one_of_several(r, options, place))
        return false;
    char word[WORD_CAPACITY];
    const char *text = find_label(options->words[label]), *rest = text + 1, *telling = rest;
    const int whole = pov_answer_word_at(&r->text, place, text);
    *found = (mention){place, whole ? whole : 1, label};
    return (whole > 1) || is_label_alone(r, place) || !cut_telling_word(word, &telling) ||
           is_said_of(r, options, place, rest) || is_said_before(r, options, place, rest);
}

/* ---- options that are a side ---- */

/* The class of the only word of an option but small ones, if that is a side; else -1. */
static int find_side_class(const char *option)
{
    int class = -1, words = 0;
    char word[WORD_CAPACITY];
    while (cut_word(word, &option)) {
        if (is_of_class(word, POV_WORD_SMALL))
            continue;
        words++;
        for (int k = POV_WORD_IS_LEFT; k <= POV_WORD_IS_BEHIND; k++)
            class = is_of_class(word, (pov_word_class)k) ? k : class;
    }
    return words == 1 ? class : -1;
}

/* "the second image", where an option is "image 2": the length, or 0. */
static int find_ordinal(const reading *r, int place, const char *option)
{
    const char *number = strrchr(option, ' ');
    char noun[WORD_CAPACITY];
    int length = 0;
    if (!number || strspn(number + 1, "0123456789") != strlen(number + 1) || number - option >= WORD_CAPACITY)
        return 0;
    snprintf(noun, sizeof noun, "%.*s", (int)(number - option), option);
    for (const pov_number_word *w = POV_ORDINALS; w->word && !length; w++)
        length = w->value == atoi(number) ? pov_answer_word_at(&r->text, place, w->word) : 0;
    const int next = pov_reading_skip_blanks(r, place + length),
              thing = pov_answer_any_at(&r->text, next, (const char *const[]){noun, "one", NULL});
    return length && thing ? next + thing - place : 0;
}

static bool find_option(mention *found, const reading *r, int place, bool loose)
{
    const option_list *options = r->of->words;
    *found = (mention){place, 0, -1};
    if (options->labelled)
        return find_labelled(found, r, place);
    for (int k = 0; k < options->len; k++) {
        const char *word = skip_article(options->words[k]);
        const int exact = pov_answer_word_at(&r->text, place, word),
                  own = exact ? exact : find_ordinal(r, place, word),
                  side = options->side[k] < 0
                             ? 0
                             : pov_reading_length(r, place, (pov_word_class)options->side[k]),
                  length = own > side ? own : side;
        if (length > found->length && (options->yes < 0 || (k != options->yes && k != options->no)))
            *found = (mention){place, length, k};
    }
    if (found->length)
        return !pov_reading_is_negated(r, place) && !is_other_sense(r, place, found->length) &&
               (loose || !(is_faced(r, place) || (options->side[(int)found->value] >= 0 &&
                                                  is_image_name(r, place, found->length))));
    if (options->yes >= 0 && find_yes_no_of(found, r, place, &POV_YES_NO_ENGLISH, loose)) {
        found->value = found->value > 0 ? options->yes : options->no;
        return true;
    }
    return loose && find_letter(found, r, place, options->len);
}

/* True if no other option has the word, and the word distinguishes things. */
static bool is_own_word(const option_list *options, int option, const char *word)
{
    char one[WORD_CAPACITY];
    for (int k = 0; k < options->len; k++)
        for (const char *rest = skip_article(options->words[k]); k != option && cut_word(one, &rest);)
            if (strcasecmp(one, word) == 0)
                return false;
    return !is_of_class(word, POV_WORD_SMALL);
}

/* The only option of which a word that no other has is there, or else the only one of which all words are. */
static bool guess_option(mention *found, const reading *r, pov_answer_span s)
{
    const option_list *options = r->of->words;
    if (options->labelled)
        return false;
    int own = 0, whole = 0, last_own = -1, last_whole = -1;
    for (int k = 0; k < options->len; k++) {
        char word[WORD_CAPACITY], plural[WORD_CAPACITY + 1];
        bool has_own = false, has_all = true;
        for (const char *rest = skip_article(options->words[k]); cut_word(word, &rest);) {
            snprintf(plural, sizeof plural, "%ss", word); /* towards, chairs */
            const bool named = pov_reading_names(r, s, (const char *const[]){word, plural, NULL});
            has_own |= named && is_own_word(options, k, word);
            has_all &= named;
        }
        own += has_own;
        whole += has_all;
        last_own = has_own ? k : last_own;
        last_whole = has_all ? k : last_whole;
    }
    *found = (mention){s.from, 0, own == 1 ? last_own : last_whole};
    return own == 1 || whole == 1;
}

pov_answer_kind pov_answer_option(int *option, const char *answer, const char *const options[], int len)
{
    option_list list = {.words = options, .len = len, .yes = -1, .no = -1};
    POV_REQUIRE(len <= POV_ANSWER_OPTIONS_MAX);
    list.labelled = find_labels(&list);
    for (int k = 0; k < len; k++) {
        list.side[k] = find_side_class(options[k]);
        list.yes = strcasecmp(options[k], "yes") == 0 ? k : list.yes;
        list.no = strcasecmp(options[k], "no") == 0 ? k : list.no;
    }
    list.yes = list.no < 0 ? -1 : list.yes;
    const pov_vocabulary of = {.find = find_option,
                               .guess = guess_option,
                               .words = &list,
                               .several = POV_TWO_ARE_NONE,
                               .things = list.yes < 0};
    mention found = {0};
    const pov_answer_kind kind = pov_reading_answer(&found, answer, &of, true);
    *option = kind == POV_ANSWER_GIVEN ? (int)found.value : -1;
    for (int k = 0; k < len && kind == POV_ANSWER_REFUSED && *option < 0; k++)
        if (pov_reading_refuses(options[k])) /* "not sure" */
            *option = k;
    return *option >= 0 ? POV_ANSWER_GIVEN : kind;
}

/* ---- directions ---- */

/* "assuming the top of the image is north": the question's own words. */
static bool repeats_premise(const reading *r, int place)
{
    bool top = false;
    for (int i = place, words = 0; words < 10; words++) {
        const int word = pov_answer_previous_word(&r->text, i);
        if (word < 0 ||
            pov_reading_skip_blanks(r, pov_reading_skip_word(r, word)) < i) /* a sign, a sentence's end */
            return top && has(r, i, POV_WORD_TOP_SUBJECT); /* "The top of the image is north." */
        i = word;
        if (top && has(r, i, POV_WORD_PREMISE))
            return true;
        top |= words < 7 && has(r, i, POV_WORD_TOP);
    }
    return false;
}

static int find_direction_word(unsigned *parts, const reading *r, int place, const pov_direction_word *words)
{
    int longest = 0;
    for (; words->word; words++) {
        const int length = pov_answer_word_at(&r->text, place, words->word);
        *parts = length > longest ? words->parts : *parts;
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* "N", "SW" and nothing else. */
static int find_initials(unsigned *parts, const reading *r, int place)
{
    static const char letters[] = "nesw";
    int length = 0;
    for (; length < 2 && pov_answer_is_letter(at(r, place + length)); length++) {
        const char *letter =
            at(r, place + length) < 0x80 ? strchr(letters, (int)at(r, place + length)) : NULL;
        if (!letter)
            return 0;
        *parts |= 1u << (letter - letters);
    }
    return pov_reading_stands_alone(r, place, length) ? length : 0;
}

static bool find_cardinal(mention *found, const reading *r, int place, bool loose)
{
    unsigned parts = 0;
    const int word = find_direction_word(&parts, r, place, POV_CARDINAL_WORDS),
              length = word ? word : find_initials(&parts, r, place);
    (void)loose;
    *found = (mention){place, length, parts};
    return length && !pov_reading_is_negated(r, place) && !repeats_premise(r, place);
}

static bool find_side(mention *found, const reading *r, int place, bool loose)
{
    unsigned parts = 0;
    const int length = find_direction_word(&parts, r, place, POV_SIDE_WORDS);
    (void)loose;
    *found = (mention){place, length, parts};
    return length && !pov_reading_is_negated(r, place) && !is_other_sense(r, place, length) &&
           !is_faced(r, place) && !is_image_name(r, place, length);
}

pov_answer_kind pov_answer_directions(bool directions[4], const char *answer, pov_answer_circle circle)
{
    const pov_vocabulary of = {.find = circle == POV_ANSWER_CARDINALS ? find_cardinal : find_side,
                               .several = POV_TWO_ARE_A_SET};
    mention found = {0};
    const pov_answer_kind kind = pov_reading_answer(&found, answer, &of, true);
    for (int k = 0; k < 4; k++)
        directions[k] = kind == POV_ANSWER_GIVEN && ((unsigned)found.value >> k & 1);
    return kind;
}
