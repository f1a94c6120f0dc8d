#include "ask/grammar/sentence.h"

#include "config/files/utf8.h"

#include <stdio.h>
#include <string.h>

/* Costs of a slip. An unusual reading costs 1 to 3, an unknown word 8. Chosen. */
enum { MENDED_NOUN_COST = 3, MENDED_WORD_COST = 4, SHORT_WORD_COST = 1, SHORT_WORD = 3 };
/* So many words are said twice by somebody who begins again. Chosen. */
enum { REPEATED_WORDS_MAX = 4 };
/* An utterance of more bytes is not a question. Chosen: 64 words of 20 letters. */
enum { TEXT_MAX = 1280 };

int pov_vocabulary_add(pov_vocabulary *vocabulary, const char *word, bool several)
{
    for (int i = 0; i < vocabulary->len; i++)
        if (strcmp(vocabulary->word[i], word) == 0)
            return i;
    if (vocabulary->len == POV_VOCABULARY_MAX || *word == '\0')
        return -1;
    vocabulary->several[vocabulary->len] = several;
    snprintf(vocabulary->word[vocabulary->len], POV_WORD_CAPACITY, "%s", word);
    return vocabulary->len++;
}

/* The bytes of the letter that ends at `end`. */
static size_t last_letter(const char *text, size_t end)
{
    size_t length = 1;
    while (length < end && ((unsigned char)text[end - length] & 0xc0) == 0x80)
        length++;
    return length;
}

bool pov_is_one_edit(const char *a, const char *b)
{
    size_t len_a = strlen(a), len_b = strlen(b), head = 0;
    if (len_a > len_b + 3 || len_b > len_a + 3) /* a letter has 4 bytes at most */
        return false;
    while (a[head] != '\0' && a[head] == b[head])
        head++;
    while (head > 0 && (((unsigned char)a[head] & 0xc0) == 0x80 || ((unsigned char)b[head] & 0xc0) == 0x80))
        head--;
    for (size_t letter; len_a > head && len_b > head; len_a -= letter, len_b -= letter) {
        letter = last_letter(a, len_a);
        if (letter != last_letter(b, len_b) || memcmp(a + len_a - letter, b + len_b - letter, letter) != 0)
            break;
    }
    const char *left_a = a + head, *left_b = b + head;
    const size_t bytes_a = len_a - head, bytes_b = len_b - head, letters_a = pov_utf8_count(left_a, bytes_a),
                 letters_b = pov_utf8_count(left_b, bytes_b);
    if (letters_a == 2 && letters_b == 2 && bytes_a == bytes_b) {
        const size_t first = bytes_a - last_letter(left_a, bytes_a);
        return memcmp(left_a, left_b + bytes_b - first, first) == 0 &&
               memcmp(left_a + first, left_b, bytes_a - first) == 0;
    }
    return letters_a <= 1 && letters_b <= 1 && letters_a + letters_b > 0;
}

/* Is a slip of one taken for the other? Of two letters none but a swap, or one that is missing. */
static bool is_slip(const char *word, const char *known)
{
    size_t length = pov_utf8_count(word, strlen(word)), wanted = pov_utf8_count(known, strlen(known));
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

static bool is_slip_of(const char *form, const void *word)
{
    return is_slip(word, form);
}

static void mend(pov_sentence_word *out, const char *word, const pov_grammar *grammar,
                 const pov_vocabulary *vocabulary)
{
    int more = pov_utf8_count(word, strlen(word)) <= SHORT_WORD ? SHORT_WORD_COST : 0;
    for (int i = 0; i < vocabulary->len; i++)
        if (pov_grammar_any_form(grammar, vocabulary->word[i], is_slip_of, word))
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
    bool exists = found >= 0 || pov_grammar_is_in_dictionary(grammar, word);
    if (found >= 0 && !pov_grammar_is_known_only(grammar, found))
        add_meaning(out->grammar, &out->len, (pov_word_meaning){found, 0, false});
    for (int i = 0; i < vocabulary->len; i++) {
        bool several;
        if (pov_grammar_is_form(grammar, word, vocabulary->word[i], &several))
            add_meaning(out->noun, &out->noun_len,
                        (pov_word_meaning){i, 0, several || vocabulary->several[i]});
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

/* -------- words without blanks between them -------- */

/* Costs of a word that is known, and of a letter that is a part of none: as few words as possible. */
enum { KNOWN_WORD_COST = 1, UNKNOWN_LETTER_COST = 3 };

static bool is_known(const char *word, const pov_grammar *grammar, const pov_vocabulary *vocabulary)
{
    const int found = pov_grammar_find_word(grammar, word);
    bool several, known = found >= 0 && !pov_grammar_is_known_only(grammar, found);
    for (int i = 0; i < vocabulary->len && !known; i++)
        known = pov_grammar_is_form(grammar, word, vocabulary->word[i], &several);
    return known;
}

/* Is it a word of the scene's things? */
static bool is_name(const char *word, const pov_grammar *grammar, const pov_vocabulary *vocabulary)
{
    bool several;
    for (int i = 0; i < vocabulary->len; i++)
        if (pov_grammar_is_form(grammar, word, vocabulary->word[i], &several))
            return true;
    return false;
}

/* The letters [at, end) as one word; false: too long, or a pause is between them. */
static bool join_letters(char word[POV_WORD_CAPACITY], const pov_words *letters, int at, int end)
{
    size_t length = 0;
    for (int i = at; i < end; i++) {
        const size_t more = strlen(letters->word[i]);
        if ((i > at && letters->paused[i]) || length + more >= POV_WORD_CAPACITY)
            return false;
        memcpy(word + length, letters->word[i], more);
        length += more;
    }
    word[length] = '\0';
    return true;
}

/* Joins letters to words: the cheapest way through all of them (Viterbi). Unknown neighbours become one word. */
static void join_words(pov_words *words, const pov_grammar *grammar, const pov_vocabulary *vocabulary)
{
    int cost[POV_WORDS_MAX + 1] = {0}, from[POV_WORDS_MAX + 1] = {0}, len = 0;
    bool known[POV_WORDS_MAX + 1] = {false};
    char word[POV_WORD_CAPACITY];
    const pov_words letters = *words;
    for (int end = 1; end <= letters.len; end++) {
        cost[end] = cost[end - 1] + UNKNOWN_LETTER_COST;
        from[end] = end - 1;
        for (int at = end - 1; at >= 0 && join_letters(word, &letters, at, end); at--)
            if (cost[at] + KNOWN_WORD_COST < cost[end] && is_known(word, grammar, vocabulary)) {
                cost[end] = cost[at] + KNOWN_WORD_COST;
                from[end] = at;
                known[end] = true;
            }
        while (!known[end] && from[end] > 0 && !known[from[end]] &&
               join_letters(word, &letters, from[from[end]], end))
            from[end] = from[from[end]];
    }
    int ends[POV_WORDS_MAX];
    for (int end = letters.len; end > 0; end = from[end])
        ends[len++] = end;
    words->len = len;
    for (int i = 0; i < len; i++) {
        const int end = ends[len - 1 - i];
        (void)join_letters(words->word[i], &letters, from[end], end);
        words->paused[i] = letters.paused[from[end]];
    }
    words->paused[len] = letters.paused[letters.len];
}

/* "والكوب" is "و الكوب", if the rest is known, and the whole is not. */
static void part_words(pov_words *words, const pov_grammar *grammar, const pov_vocabulary *vocabulary)
{
    const char *part;
    for (int i = 0; i < words->len && words->len < POV_WORDS_MAX; i++)
        for (int k = 0; (part = pov_grammar_apart(grammar, k)) != NULL; k++) {
            char *word = words->word[i];
            const size_t length = strlen(part);
            if (strncmp(word, part, length) != 0 || word[length] == '\0' ||
                is_known(word, grammar, vocabulary) || !is_known(word + length, grammar, vocabulary))
                continue;
            memmove(words->word + i + 1, words->word + i, (size_t)(words->len - i) * sizeof *words->word);
            memmove(words->paused + i + 1, words->paused + i,
                    (size_t)(words->len - i + 1) * sizeof *words->paused);
            memmove(words->word[i + 1], words->word[i + 1] + length, strlen(words->word[i + 1]) - length + 1);
            snprintf(words->word[i], sizeof words->word[i], "%s", part);
            words->paused[i + 1] = false;
            words->len++;
            break;
        }
}

/* "redcup" is "red cup", where the scene has both words, as a recogniser may write them in one. */
static void part_names(pov_words *words, const pov_grammar *grammar, const pov_vocabulary *vocabulary)
{
    enum { LEAST = 3 }; /* letters of a part. Chosen: "pen" */
    for (int i = 0; i < words->len && words->len < POV_WORDS_MAX; i++) {
        const size_t length = strlen(words->word[i]);
        if (length < 2 * (size_t)LEAST || is_known(words->word[i], grammar, vocabulary))
            continue;
        for (size_t at = LEAST; at + LEAST <= length; at++) {
            char head[POV_WORD_CAPACITY];
            snprintf(head, sizeof head, "%.*s", (int)at, words->word[i]);
            if (!is_name(head, grammar, vocabulary) || !is_name(words->word[i] + at, grammar, vocabulary))
                continue;
            memmove(words->word + i + 1, words->word + i, (size_t)(words->len - i) * sizeof *words->word);
            memmove(words->paused + i + 1, words->paused + i,
                    (size_t)(words->len - i + 1) * sizeof *words->paused);
            memmove(words->word[i + 1], words->word[i + 1] + at, length - at + 1);
            strcpy(words->word[i], head);
            words->paused[i + 1] = false;
            words->len++;
            break;
        }
    }
}

static bool is_slip_of_name(const char *word, const pov_grammar *grammar, const pov_vocabulary *vocabulary)
{
    for (int i = 0; i < vocabulary->len; i++)
        if (pov_grammar_any_form(grammar, vocabulary->word[i], is_slip_of, word))
            return true;
    return false;
}

/* "tea pot" is "teapot", where the scene has that word and not these. */
static void join_names(pov_words *words, const pov_grammar *grammar, const pov_vocabulary *vocabulary,
                       bool mends)
{
    char word[POV_WORD_CAPACITY];
    for (int i = 0; i + 1 < words->len; i++) {
        if (words->paused[i + 1] || is_known(words->word[i], grammar, vocabulary) ||
            is_known(words->word[i + 1], grammar, vocabulary) || !join_letters(word, words, i, i + 2) ||
            !(is_name(word, grammar, vocabulary) || (mends && is_slip_of_name(word, grammar, vocabulary))))
            continue;
        const bool paused = words->paused[i];
        pov_words_cut(words, i, 1);
        words->paused[i] = paused;
        strcpy(words->word[i], word);
    }
}

/* Does it begin twice with the same words? */
static bool repeats(const pov_words *words, int count)
{
    int same = 0;
    while (same < count && count + same < words->len &&
           strcmp(words->word[same], words->word[count + same]) == 0)
        same++;
    return same == count;
}

/* "the um the red cup" is "the red cup". */
static void drop_fillers(pov_words *words, const pov_grammar *grammar)
{
    for (int i = words->len - 1; i >= 0 && words->len > 1; i--)
        if (pov_grammar_is_filler(grammar, words->word[i]) ||
            (i + 1 < words->len && strcmp(words->word[i], words->word[i + 1]) == 0)) {
            const bool paused = words->paused[i];
            pov_words_cut(words, i, 1);
            words->paused[i] = paused; /* "the, uh, the toaster" has no pause that tells */
        }
    for (int count = 2; count <= REPEATED_WORDS_MAX; count++) /* "give me, give me the cup" */
        if (repeats(words, count))
            pov_words_cut(words, 0, count);
}

pov_status pov_sentence_read(pov_sentence *sentence, const pov_grammar *grammar,
                             const pov_vocabulary *vocabulary, const char *text, bool mends)
{
    const pov_writing writing = pov_grammar_writing(grammar);
    sentence->words.len = 0;
    POV_TRY(check_text(text));
    if (!pov_words_split(&sentence->words, text, writing)) {
        sentence->words.len = 0;
        return pov_error("the utterance is too long: over %d words, or one of over %d bytes", POV_WORDS_MAX,
                         POV_WORD_CAPACITY - 4);
    }
    if (writing == POV_WRITING_UNSPACED)
        join_words(&sentence->words, grammar, vocabulary);
    part_words(&sentence->words, grammar, vocabulary);
    part_names(&sentence->words, grammar, vocabulary);
    join_names(&sentence->words, grammar, vocabulary, mends);
    drop_fillers(&sentence->words, grammar);
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
