#include "compare/vlm/yes_no.h"

#include "compare/answers/answer_text.h"
#include "config/files/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Servers round logarithms; beyond this, the probabilities of one place are no distribution. */
static const double SUM_MAX = 1.01;

enum { SAID_CAPACITY = 204 }; /* of the answer in a cause */
enum { SPACE_SENTENCEPIECE = 0x2581, SPACE_BYTE_LEVEL = 0x121, NEWLINE_BYTE_LEVEL = 0x10b };

POV_ENUM_NAMES(pov_yes_no_kind_name, pov_yes_no_kind, POV_YES_NO_KINDS, "tokens", "text", "refused",
               "low_mass", "unclear", "missing")

static void fail_reading(pov_yes_no *result, pov_yes_no_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fail_reading(pov_yes_no *result, pov_yes_no_kind kind, const char *format, ...)
{
    va_list arguments;
    char text[sizeof result->cause]; /* with a token's bytes, perhaps a part of a character */
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pov_utf8_copy(result->cause, sizeof result->cause, text);
    result->kind = kind;
    result->p = NAN;
}

/* ---- letters of tokens ---- */

/* U+0120 and U+010A have been folded to their small letters. */
static bool is_around(uint32_t c)
{
    return !pov_answer_is_letter(c) || c == SPACE_SENTENCEPIECE || c == SPACE_BYTE_LEVEL ||
           c == NEWLINE_BYTE_LEVEL;
}

/** The folded token's letters, without spaces and signs around them. */
static void fold_token(pov_answer_text *letters, const char *token)
{
    pov_answer_fold(letters, token, SIZE_MAX);
    int first = 0;
    while (first < letters->len && is_around(letters->c[first]))
        first++;
    letters->len -= first;
    memmove(letters->c, letters->c + first, (size_t)letters->len * sizeof *letters->c);
    while (letters->len > 0 && is_around(letters->c[letters->len - 1]))
        letters->len--;
}

/** How much of a word the letters are. */
typedef enum { APART, BEGINNING, WHOLE } likeness;

static likeness compare_word(const pov_answer_text *letters, const char *word)
{
    pov_answer_text folded;
    pov_answer_fold(&folded, word, SIZE_MAX);
    const bool begins = letters->len > 0 && letters->len <= folded.len &&
                        memcmp(letters->c, folded.c, (size_t)letters->len * sizeof *letters->c) == 0;
    const likeness like = !begins ? APART : letters->len == folded.len ? WHOLE : BEGINNING;
    pov_answer_text_free(&folded);
    return like;
}

static likeness compare_all(const pov_answer_text *letters, const char *const *words)
{
    likeness most = APART;
    for (; *words; words++) {
        const likeness one = compare_word(letters, *words);
        most = one > most ? one : most;
    }
    return most;
}

/* ---- sides ---- */

typedef enum { NEITHER, YES, NO } side;

static side side_of_beginning(const char *token, const pov_yes_no_words *words)
{
    pov_answer_text letters;
    fold_token(&letters, token);
    const likeness yes = compare_all(&letters, words->yes), no = compare_all(&letters, words->no);
    pov_answer_text_free(&letters);
    if (yes == no)
        return NEITHER;
    if (yes == WHOLE || no == WHOLE)
        return yes == WHOLE ? YES : NO;
    if (yes != APART && no != APART)
        return NEITHER;
    return yes == BEGINNING ? YES : NO;
}

/** Reads the tokens generated from `first` on; `whole`: the first word among them has surely ended. */
static side side_of_generated(bool *whole, const pov_vlm_answer *answer, int first,
                              const pov_yes_no_words *words)
{
    char joined[POV_VLM_POSITION_MAX * POV_VLM_TOKEN_CAPACITY];
    size_t len = 0;
    for (int i = first; i < answer->position_len; i++)
        len += (size_t)snprintf(joined + len, sizeof joined - len, "%s", answer->positions[i].chosen.text);
    pov_answer_text text;
    pov_answer_fold(&text, joined, SIZE_MAX);
    int start = 0, end;
    while (start < text.len && is_around(text.c[start]))
        start++;
    for (end = start; end < text.len && !is_around(text.c[end]);)
        end++;
    *whole = end < text.len || strcmp(answer->finish_reason, "stop") == 0;
    text.len -= start;
    memmove(text.c, text.c + start, (size_t)text.len * sizeof *text.c);
    /* A marker of a space ends a word as a space does. */
    if (end - start < text.len && pov_answer_is_letter(text.c[end - start]))
        text.len = end - start;
    const int yes = pov_answer_any_at(&text, 0, words->yes), no = pov_answer_any_at(&text, 0, words->no);
    pov_answer_text_free(&text);
    return yes == no ? NEITHER : yes > no ? YES : NO;
}

static side side_of_chosen(const pov_vlm_answer *answer, int place, const pov_yes_no_words *words)
{
    bool whole;
    const side generated = side_of_generated(&whole, answer, place, words);
    return generated != NEITHER || whole ? generated
                                         : side_of_beginning(answer->positions[place].chosen.text, words);
}

/* ---- sums ---- */

static int first_with_letters(const pov_vlm_answer *answer)
{
    for (int i = 0; i < answer->position_len; i++) {
        pov_answer_text letters;
        fold_token(&letters, answer->positions[i].chosen.text);
        const bool has_letter = letters.len > 0;
        pov_answer_text_free(&letters);
        if (has_letter)
            return i;
    }
    return -1;
}

typedef struct {
    double by_side[3];
} side_sums;

static void add_place(side_sums *sums, const pov_vlm_answer *answer, int place, const pov_yes_no_words *words)
{
    const pov_vlm_position *position = &answer->positions[place];
    sums->by_side[side_of_chosen(answer, place, words)] += exp(position->chosen.logprob);
    for (int i = 0; i < position->likely_len; i++) {
        const pov_vlm_token *token = &position->likely[i];
        if (strcmp(token->text, position->chosen.text) != 0)
            sums->by_side[side_of_beginning(token->text, words)] += exp(token->logprob);
    }
}

/* "; cut at 16 tokens", if it was. */
static void describe_cut(char cut[80], const pov_vlm_answer *answer)
{
    cut[0] = '\0';
    if (strcmp(answer->finish_reason, "length") != 0)
        return;
    if (answer->token_max > 0)
        snprintf(cut, 80, "; cut at %d tokens: raise answer_tokens_max", answer->token_max);
    else
        snprintf(cut, 80, "; cut by its length: raise answer_tokens_max");
}

static void read_words(pov_yes_no *result, const pov_vlm_answer *answer, pov_answer_kind kind, bool yes,
                       const char *cause)
{
    char said[SAID_CAPACITY], cut[80];
    pov_utf8_shorten(said, sizeof said, answer->text);
    describe_cut(cut, answer);
    if (kind == POV_ANSWER_MISSING)
        fail_reading(result, POV_YES_NO_MISSING, "%s%s",
                     strchr(answer->text, '<')
                         ? "it thought aloud and came to no answer: raise answer_tokens_max, or turn its "
                           "thinking off"
                         : "the answer is empty",
                     cut);
    else if (kind == POV_ANSWER_UNCLEAR)
        fail_reading(result, POV_YES_NO_UNCLEAR, "neither yes nor no: %s%s", said, cut);
    else
        *result = (pov_yes_no){.kind = POV_YES_NO_TEXT, .p = yes ? 1 : 0, .mass = NAN};
    if (kind == POV_ANSWER_GIVEN && *cause)
        snprintf(result->cause, sizeof result->cause, "%s: its words count", cause);
}

static void read_tokens(pov_yes_no *result, const pov_vlm_answer *answer, int place,
                        const pov_yes_no_rule *rule)
{
    if (place < 0) {
        fail_reading(result, answer->text[0] ? POV_YES_NO_UNCLEAR : POV_YES_NO_MISSING,
                     "none of the first %d tokens holds a letter", answer->position_len);
        return;
    }
    side_sums sums = {{0}};
    add_place(&sums, answer, place, rule->token_words);
    result->mass = sums.by_side[YES] + sums.by_side[NO];
    const double sum = result->mass + sums.by_side[NEITHER];
    bool yes;
    if (!(result->mass >= rule->mass_min) &&
        pov_answer_begins_yes_no(&yes, answer->text, &POV_YES_NO_ENGLISH_TOKENS)) {
        sums = (side_sums){{0}};
        add_place(&sums, answer, place, &POV_YES_NO_ENGLISH_TOKENS);
        result->mass = sums.by_side[YES] + sums.by_side[NO];
    }
    if (!(sum <= SUM_MAX))
        fail_reading(result, POV_YES_NO_UNCLEAR, "the probabilities of token %d add up to %g", place + 1,
                     sum);
    else if (!(result->mass >= rule->mass_min) || result->mass <= 0)
        fail_reading(
            result, POV_YES_NO_LOW_MASS,
            "yes and no have %.3f of the probability, less than %.3f; it began with '%s' (a system prompt or "
            "\"Answer yes or no.\" may help, or logprobs: off to score from the text)",
            result->mass, rule->mass_min, answer->positions[place].chosen.text);
    else
        result->p = sums.by_side[YES] / result->mass;
}

void pov_yes_no_read(pov_yes_no *result, const pov_vlm_answer *answer, const pov_yes_no_rule *rule)
{
    bool yes = false;
    char said[SAID_CAPACITY];
    const pov_answer_kind words = pov_answer_yes_no(&yes, answer->text, rule->text_words);
    const int place = first_with_letters(answer);
    pov_utf8_shorten(said, sizeof said, answer->text);
    *result = (pov_yes_no){.kind = POV_YES_NO_TOKENS, .p = NAN, .mass = NAN};
    if (answer->refused)
        fail_reading(result, POV_YES_NO_REFUSED, "the server refuses: %s", said);
    else if (words == POV_ANSWER_REFUSED) /* whatever its first token: "No se puede determinar" */
        fail_reading(result, POV_YES_NO_REFUSED, "the model refuses: %s", said);
    else if (answer->position_len == 0)
        read_words(result, answer, words, yes, answer->tokens_cause);
    else if (place >= 0 && answer->positions[place].likely_len == 0)
        read_words(result, answer, words, yes,
                   "the server names no other tokens that were likely beside the one that it chose");
    else
        read_tokens(result, answer, place, rule);
}
