#include "compare/answers/answer_text.h"

#include "config/files/grow.h"
#include "config/files/utf8.h"
#include "perception/status.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- code points ---- */

/* Reads one and steps over it. */
static uint32_t next_code_point(const char **utf8)
{
    const unsigned char *s = (const unsigned char *)*utf8;
    const size_t length = pov_utf8_character_length(*utf8);
    *utf8 += length > 0 ? length : 1;
    uint32_t c = length > 1 ? s[0] & (0x7fu >> length) : s[0];
    for (size_t i = 1; i < length; i++)
        c = c << 6 | (s[i] & 0x3f);
    return length > 0 ? c : 0xfffd;
}

static bool is_between(uint32_t c, uint32_t first, uint32_t last)
{
    return c >= first && c <= last;
}

/* Blocks whose capitals and small letters take turns: capitals are even, or odd where the second is true. */
static uint32_t lower_of_pair(uint32_t c, bool odd_capitals)
{
    return (c & 1) == odd_capitals ? c + 1 : c;
}

/* Greek capitals are written with accents or without. The letter without, or 0. */
static uint32_t greek_bare(uint32_t c)
{
    static const struct {
        uint16_t accented, bare;
    } vowels[] = {{0x386, 0x3b1}, {0x388, 0x3b5}, {0x389, 0x3b7}, {0x38a, 0x3b9}, {0x38c, 0x3bf},
                  {0x38e, 0x3c5}, {0x38f, 0x3c9}, {0x390, 0x3b9}, {0x3aa, 0x3b9}, {0x3ab, 0x3c5},
                  {0x3ac, 0x3b1}, {0x3ad, 0x3b5}, {0x3ae, 0x3b7}, {0x3af, 0x3b9}, {0x3b0, 0x3c5},
                  {0x3ca, 0x3b9}, {0x3cb, 0x3c5}, {0x3cc, 0x3bf}, {0x3cd, 0x3c5}, {0x3ce, 0x3c9},
                  {0x3c2, 0x3c3}};
    for (size_t i = 0; i < sizeof vowels / sizeof *vowels; i++)
        if (vowels[i].accented == c)
            return vowels[i].bare;
    return 0;
}

static uint32_t lower_letter(uint32_t c)
{
    if (is_between(c, 0x386, 0x3ce) && greek_bare(c))
        return greek_bare(c);
    if (is_between(c, 'A', 'Z') || (is_between(c, 0xc0, 0xde) && c != 0xd7) || is_between(c, 0x391, 0x3a9) ||
        is_between(c, 0x410, 0x42f))
        return c + 32;
    if (c == 0x130 ||
        c == 0x131) /* Turkish tells I with a dot from one without, as capitals elsewhere do not */
        return 'i';
    if (is_between(c, 0x139, 0x148) || is_between(c, 0x179, 0x17e))
        return lower_of_pair(c, true);
    if ((is_between(c, 0x100, 0x177) && c != 0x138) || is_between(c, 0x1e00, 0x1eff))
        return lower_of_pair(c, false);
    if (is_between(c, 0x400, 0x40f))
        return c + 80;
    return c;
}

static uint32_t fold_letter(uint32_t c)
{
    if (c == 0x2018 || c == 0x2019 || c == 0x2bc)
        return '\'';
    if (c == 0xa0 || c == 0x3000 || (c < ' ' && c != '\n') || c == '*' || c == '_')
        return ' ';
    return lower_letter(c);
}

static bool is_space(uint32_t c)
{
    return c == ' ' || c == '\n';
}

bool pov_answer_is_letter(uint32_t c)
{
    if (c < 0x80)
        return is_between(c, 'a', 'z') || is_between(c, 'A', 'Z') || is_between(c, '0', '9');
    bool punctuation = is_between(c, 0x80, 0xa9) || c == 0xab || c == 0xb7 || c == 0xbb || c == 0xbf ||
                       c == 0x60c || c == 0x61b || c == 0x61f || c == 0x6d4 || is_between(c, 0x964, 0x965) ||
                       c == 0x589 || is_between(c, 0x1361, 0x1368) || is_between(c, 0x2000, 0x206f) ||
                       is_between(c, 0x2190, 0x2bff) || is_between(c, 0xfe00, 0xfe0f) ||
                       is_between(c, 0x1f000, 0x1faff) || is_between(c, 0x3000, 0x303f) ||
                       is_between(c, 0xff01, 0xff0f) || is_between(c, 0xff1a, 0xff20) || c == 0xfffd;
    return !punctuation;
}

/* Thai to Myanmar, Khmer, kana, Chinese characters. */
bool pov_answer_is_spaceless(uint32_t c)
{
    return is_between(c, 0xe00, 0x109f) || is_between(c, 0x1780, 0x17ff) || is_between(c, 0x3040, 0x30ff) ||
           is_between(c, 0x3400, 0x9fff);
}

static size_t count_letters(const char *s, const char *end)
{
    size_t count = 0;
    while (s + count < end && (s[count] | 0x20) >= 'a' && (s[count] | 0x20) <= 'z')
        count++;
    return count;
}

/* "\n" written out is a line break, "\boxed" stays, other commands and escapes are space. */
static uint32_t skip_escape(const char **utf8, const char *end)
{
    static const char boxed[] = "boxed";
    const char *name = *utf8 + 1;
    const size_t letters = count_letters(name, end);
    if (letters > 0 && *name == 'n') {
        *utf8 = name + 1;
        return '\n';
    }
    *utf8 = letters == strlen(boxed) && strncmp(name, boxed, letters) == 0 ? name
            : letters > 0                                                  ? name + letters
                                                                           : name + (name < end);
    return ' ';
}

/* "<point x="3">" becomes "<point>". A tag ends on its line. */
static void skip_attributes(const char **utf8, const char *end)
{
    const char *close = *utf8;
    while (close < end && *close != '>' && *close != '<' && *close != '\n')
        close++;
    if (close < end && *close == '>')
        *utf8 = close;
}

typedef struct {
    bool in_tag; /* within its name */
    int bold;    /* where bold type began; -1: nowhere */
} fold_state;

static void turn_bold(pov_answer_text *text, fold_state *state)
{
    if (state->bold >= 0) {
        POV_REQUIRE_MEMORY(pov_grow(&text->bold, &text->bold_capacity, text->bold_len, sizeof *text->bold));
        text->bold[text->bold_len++] = (pov_answer_span){state->bold, text->len};
    }
    state->bold = state->bold < 0 ? text->len : -1;
}

/* Runs of space are one space, or one line break if there is any. */
static void add_code_point(pov_answer_text *text, uint32_t c, bool capital)
{
    const uint32_t last = text->len > 0 ? text->c[text->len - 1] : '\n';
    if (!is_space(c) || !is_space(last)) {
        text->capital[text->len] = capital;
        text->c[text->len++] = c;
    } else if (c == '\n' && text->len > 0) {
        text->c[text->len - 1] = c;
    }
}

void pov_answer_fold(pov_answer_text *text, const char *utf8, size_t length)
{
    const size_t bytes = strnlen(utf8, length < INT_MAX ? length : INT_MAX);
    const char *end = utf8 + bytes;
    fold_state state = {.bold = -1};
    *text = (pov_answer_text){.c = malloc((bytes + 1) * sizeof *text->c), /* as many code points at most */
                              .capital = malloc(bytes + 1)};
    POV_REQUIRE_MEMORY(text->c && text->capital);
    while (utf8 < end) {
        if (*utf8 == '<')
            state.in_tag = count_letters(utf8 + 1 + (utf8 + 1 < end && utf8[1] == '/'), end) > 0;
        if (state.in_tag && *utf8 == ' ')
            skip_attributes(&utf8, end);
        if (*utf8 == '>' || *utf8 == ' ' || *utf8 == '\n')
            state.in_tag = false;
        if (end - utf8 > 1 && (strncmp(utf8, "**", 2) == 0 || strncmp(utf8, "__", 2) == 0)) {
            turn_bold(text, &state);
            utf8++;
        }
        const bool capital = is_between((unsigned char)*utf8, 'A', 'Z');
        add_code_point(text, *utf8 == '\\' ? skip_escape(&utf8, end) : fold_letter(next_code_point(&utf8)),
                       capital);
    }
    if (text->len > 0 && is_space(text->c[text->len - 1]))
        text->len--;
    for (int k = 0; k < text->bold_len; k++)
        if (text->bold[k].to > text->len)
            text->bold[k].to = text->len;
}

void pov_answer_text_free(pov_answer_text *text)
{
    free(text->c);
    free(text->capital);
    free(text->bold);
    *text = (pov_answer_text){.c = NULL};
}

/* ---- words ---- */

enum { WORD_LENGTH_MAX = 64 }; /* chosen; sentences of scripts without spaces are longer */

static bool is_apart(uint32_t inside, uint32_t outside)
{
    return !pov_answer_is_letter(outside) || !pov_answer_is_letter(inside) ||
           pov_answer_is_spaceless(inside) || pov_answer_is_spaceless(outside);
}

/* Compare the first letter first: most words are absent. Beyond ASCII only i's and apostrophes fold to it. */
static inline bool may_begin(uint32_t c, const char *word)
{
    const unsigned char first = (unsigned char)*word;
    return c >= 0x80 ? first >= 0x80 : first < 0x80 ? (first | 0x20u) == (c | 0x20) : c == 'i' || c == '\'';
}

int pov_answer_word_at(const pov_answer_text *text, int place, const char *word)
{
    int i = place;
    if (place >= text->len || !may_begin(text->c[place], word))
        return 0;
    while (*word && *word != '|') {
        if (i >= text->len || text->c[i] != fold_letter(next_code_point(&word)))
            return 0;
        i++;
    }
    if (i == place || (place > 0 && !is_apart(text->c[place], text->c[place - 1])) ||
        (i < text->len && !is_apart(text->c[i - 1], text->c[i])))
        return 0;
    return i - place;
}

int pov_answer_any_at(const pov_answer_text *text, int place, const char *const words[])
{
    int longest = 0;
    for (; *words; words++) {
        const int length = pov_answer_word_at(text, place, *words);
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* "1. a dog", "B. left": the mark of a list's item does not end a sentence. */
static bool ends_item_number(const pov_answer_text *text, int from, int place)
{
    bool digits = true;
    int i = place, letters;
    for (; i > from && place - i < 3 && pov_answer_is_letter(text->c[i - 1]); i--)
        digits &= is_between(text->c[i - 1], '0', '9');
    letters = place - i;
    if (place + 1 >= text->len || text->c[place + 1] != ' ' || !(letters == 1 || (digits && letters == 2)))
        return false;
    while (i > from && !pov_answer_is_letter(text->c[i - 1]))
        i--;
    return i == from;
}

static bool ends_sentence(const pov_answer_text *text, int from, int place)
{
    const uint32_t c = text->c[place];
    if (c == '\n' || c == 0x3002 || c == 0xff01 || c == 0xff1f || c == 0x964 || c == 0x61f)
        return true;
    if (c == '.' &&
        ((place > 1 && text->c[place - 2] == '.') || ends_item_number(text, from, place))) /* "i.e." */
        return false;
    return (c == '!' || c == '?' || c == '.') &&
           (place + 1 == text->len || !pov_answer_is_letter(text->c[place + 1]));
}

int pov_answer_sentence_end(const pov_answer_text *text, int from)
{
    for (int i = from; i < text->len; i++)
        if (ends_sentence(text, from, i))
            return i + 1;
    return text->len;
}

int pov_answer_previous_word(const pov_answer_text *text, int place)
{
    int i = place - 1;
    while (i >= 0 && !pov_answer_is_letter(text->c[i]))
        i--;
    for (int letters = 1; i > 0 && letters < WORD_LENGTH_MAX &&
                          (pov_answer_is_letter(text->c[i - 1]) || text->c[i - 1] == '\'');
         letters++)
        i--;
    return i;
}
