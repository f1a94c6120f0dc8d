#include "ask/grammar/sentence.h"

#include "config/files/utf8.h"

#include <stdio.h>
#include <string.h>

/* Costs of a slip. An unusual reading costs 1 to 3, an unknown word 8. Chosen. */
enum { MENDED_NOUN_COST = 3, MENDED_WORD_COST = 4, SHORT_WORD_COST = 1, SHORT_WORD = 3 };
/* An utterance of more bytes is no question. Chosen: 64 words of 20 letters. */
enum { TEXT_MAX = 1280 };

void pov_vocabulary_add(pov_vocabulary *vocabulary, const char *word)
{
    for (int i = 0; i < vocabulary->len; i++)
        if (strcmp(vocabulary->word[i], word) == 0)
            return;
    if (vocabulary->len < POV_VOCABULARY_MAX && *word != '\0')
        snprintf(vocabulary->word[vocabulary->len++], POV_WORD_CAPACITY, "%s", word);
}

bool pov_is_one_edit(const char *a, const char *b)
{
    size_t len_a = strlen(a), len_b = strlen(b), head = 0, tail = 0;
    while (a[head] != '\0' && a[head] == b[head])
        head++;
    while (tail + head < len_a && tail + head < len_b && a[len_a - 1 - tail] == b[len_b - 1 - tail])
        tail++;
    size_t left_a = len_a - head - tail, left_b = len_b - head - tail;
    if (left_a == 2 && left_b == 2)
        return a[head] == b[head + 1] && a[head + 1] == b[head];
    return left_a <= 1 && left_b <= 1 && left_a + left_b > 0;
}

bool pov_is_noun(const char *word, const char *one, bool *several)
{
    static const struct {
        const char *one, *several;
    } irregular[] = {{"man", "men"},      {"woman", "women"},   {"child", "children"}, {"mouse", "mice"},
                     {"knife", "knives"}, {"person", "people"}, {"foot", "feet"},      {"goose", "geese"}};
    size_t length = strlen(one);
    *several = false;
    if (strcmp(word, one) == 0)
        return true;
    *several = true;
    for (size_t i = 0; i < sizeof irregular / sizeof *irregular; i++)
        if (strcmp(one, irregular[i].one) == 0 && strcmp(word, irregular[i].several) == 0)
            return true;
    if (length > 1 && one[length - 1] == 'y' && strncmp(word, one, length - 1) == 0 &&
        strcmp(word + length - 1, "ies") == 0)
        return true;
    return strncmp(word, one, length) == 0 &&
           (strcmp(word + length, "s") == 0 || strcmp(word + length, "es") == 0);
}

/* Is a slip of one taken for the other? Of two letters none but a swap, or one that is missing. */
static bool is_slip(const char *word, const char *known)
{
    size_t length = strlen(word), wanted = strlen(known);
    if (wanted < 2 || length < 2 || (length == 2 && wanted == 2 && word[0] != known[1]) ||
        (length > 2 && wanted == 2))
        return false;
    return pov_is_one_edit(word, known);
}

static void add_meaning(pov_word_meaning *list, int *len, pov_word_meaning meaning)
{
    if (*len < POV_MEANINGS_MAX)
        list[(*len)++] = meaning;
}

static void mend(pov_sentence_word *out, const char *word, const pov_grammar *grammar,
                 const pov_vocabulary *vocabulary)
{
    int more = strlen(word) <= SHORT_WORD ? SHORT_WORD_COST : 0;
    for (int i = 0; i < vocabulary->len; i++)
        if (is_slip(word, vocabulary->word[i]))
            add_meaning(out->noun, &out->noun_len, (pov_word_meaning){i, MENDED_NOUN_COST + more, false});
    for (int i = 0; i < pov_grammar_words(grammar); i++)
        if (!pov_grammar_is_known_only(grammar, i) && is_slip(word, pov_grammar_word(grammar, i)))
            add_meaning(out->grammar, &out->len, (pov_word_meaning){i, MENDED_WORD_COST + more, false});
}

static void look_up(pov_sentence_word *out, const char *word, const pov_grammar *grammar,
                    const pov_vocabulary *vocabulary, bool mends)
{
    *out = (pov_sentence_word){0};
    int found = pov_grammar_find_word(grammar, word);
    bool exists = found >= 0;
    if (exists && !pov_grammar_is_known_only(grammar, found))
        add_meaning(out->grammar, &out->len, (pov_word_meaning){found, 0, false});
    for (int i = 0; i < vocabulary->len; i++) {
        bool several;
        if (pov_is_noun(word, vocabulary->word[i], &several))
            add_meaning(out->noun, &out->noun_len, (pov_word_meaning){i, 0, several});
    }
    out->unknown = out->len == 0 && out->noun_len == 0;
    if (out->unknown && !exists && mends)
        mend(out, word, grammar, vocabulary);
}

static pov_status check_text(const char *text)
{
    size_t length = strnlen(text, TEXT_MAX + 1);
    if (length > TEXT_MAX)
        return pov_error("the utterance is too long: over %d bytes", TEXT_MAX);
    for (const char *c = text; *c != '\0'; c++)
        if (((unsigned char)*c < ' ' && *c != '\t' && *c != '\r' && *c != '\n') || *c == 0x7f)
            return pov_error("the utterance has a control character, byte 0x%02x", (unsigned char)*c);
    return pov_utf8_is_valid(text) ? pov_ok() : pov_error("the utterance is not UTF-8");
}

pov_status pov_sentence_read(pov_sentence *sentence, const pov_grammar *grammar,
                             const pov_vocabulary *vocabulary, const char *text, bool mends)
{
    sentence->words.len = 0;
    POV_TRY(check_text(text));
    if (!pov_words_split(&sentence->words, text)) {
        sentence->words.len = 0;
        return pov_error("the utterance is too long: over %d words, or one of over %d letters", POV_WORDS_MAX,
                         POV_WORD_CAPACITY - 3);
    }
    for (int i = 0; i < sentence->words.len; i++)
        look_up(&sentence->word[i], sentence->words.word[i], grammar, vocabulary, mends);
    return pov_ok();
}

void pov_sentence_cut(pov_sentence *sentence, int at, int count)
{
    int behind = sentence->words.len - at - count;
    memmove(sentence->word + at, sentence->word + at + count, (size_t)behind * sizeof *sentence->word);
    pov_words_cut(&sentence->words, at, count);
}
