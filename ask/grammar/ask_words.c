#include "ask/grammar/ask_words.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const char *skip_quote(const char *text)
{
    static const char *const quotes[] = {"\xe2\x80\x9c", "\xe2\x80\x9d", "\""};
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++)
        if (strncmp(text, quotes[i], strlen(quotes[i])) == 0)
            return text + strlen(quotes[i]);
    return text;
}

/* A full stop ends a sentence, a colon a clause; within a word they are a part of it. */
static bool is_pause(const char *text)
{
    return strchr(",?!;", *text) != NULL ||
           ((*text == '.' || *text == ':') && (text[1] == '\0' || isspace((unsigned char)text[1])));
}

static bool parts_words(const char *text)
{
    return *text == '\0' || isspace((unsigned char)*text) || strchr("-_", *text) != NULL || is_pause(text) ||
           skip_quote(text) != text;
}

static const char *skip_to_word(const char *text, bool *paused)
{
    while (*text != '\0' && parts_words(text)) {
        *paused = *paused || is_pause(text);
        const char *behind = skip_quote(text);
        text = behind > text ? behind : text + 1;
    }
    return text;
}

/* Copies a word, "'" for a typographer's; NULL if it is too long. */
static const char *read_word(char word[POV_WORD_CAPACITY], const char *text)
{
    size_t length = 0;
    while (!parts_words(text)) {
        bool curly = strncmp(text, "\xe2\x80\x99", 3) == 0;
        if (length + 1 == POV_WORD_CAPACITY)
            return NULL;
        word[length++] = curly ? '\'' : (char)tolower((unsigned char)*text);
        text += curly ? 3 : 1;
    }
    word[length] = '\0';
    return text;
}

/* -------- contractions -------- */

static const struct {
    const char *ending, *second; /* "" leaves one word */
} endings[] = {{"n't", "not"},  {"'re", "are"}, {"'m", "am"}, {"'ll", "will"},
               {"'d", "would"}, {"s'", ""},     {"'s", ""}};
enum { ENDINGS = sizeof endings / sizeof *endings };

static bool is_one_of(const char *word, const char *const list[])
{
    int i = 0;
    while (list[i] && strcmp(word, list[i]) != 0)
        i++;
    return list[i] != NULL;
}

/* "where's" is "where is"; "anna's" is hers. */
static const char *second_word(char *word)
{
    static const char *const askers[] = {"where", "what", "who", "that", "there", "it",
                                         "how",   "here", "he",  "she",  NULL};
    size_t length = strlen(word);
    for (int i = 0; i < ENDINGS; i++) {
        size_t ending = strlen(endings[i].ending);
        if (length <= ending || strcmp(word + length - ending, endings[i].ending) != 0)
            continue;
        word[length - ending + (strcmp(endings[i].ending, "s'") == 0)] = '\0';
        if (strcmp(word, "ca") == 0)
            strcpy(word, "can"); /* "can't" */
        return strcmp(endings[i].ending, "'s") == 0 && is_one_of(word, askers) ? "is" : endings[i].second;
    }
    if (strcmp(word, "cannot") == 0) {
        word[3] = '\0';
        return "not";
    }
    return "";
}

static bool append(pov_words *words, const char *word, bool paused)
{
    if (*word == '\0')
        return true;
    if (words->len == POV_WORDS_MAX)
        return false;
    strcpy(words->word[words->len], word);
    words->paused[words->len++] = paused;
    return true;
}

bool pov_words_split(pov_words *words, const char *text)
{
    words->len = 0;
    for (;;) {
        char word[POV_WORD_CAPACITY];
        bool paused = false;
        text = skip_to_word(text, &paused);
        words->paused[words->len] = paused;
        if (*text == '\0')
            return true;
        text = read_word(word, text);
        if (!text)
            return false;
        const char *second = second_word(word);
        if (!append(words, word, paused) || !append(words, second, false))
            return false;
    }
}

static bool is_plain(const char *phrase)
{
    for (; *phrase != '\0'; phrase++)
        if (!isalnum((unsigned char)*phrase) && !strchr(" -_", *phrase))
            return false;
    return true;
}

static const char *skip_gap(const char *phrase)
{
    return phrase + strspn(phrase, " -_");
}

/* Behind a word of the phrase, if it is `word`; else NULL. */
static const char *match_word(const char *phrase, const char *word)
{
    while (*word != '\0' && tolower((unsigned char)*phrase) == *word)
        phrase++, word++;
    return *word == '\0' && !isalnum((unsigned char)*phrase) ? phrase : NULL;
}

/* As below, without a copy: nearly all phrases are letters and gaps, and there are many. */
static int match_plain(const pov_words *words, int at, const char *phrase)
{
    int count = 0;
    for (phrase = skip_gap(phrase); *phrase != '\0'; phrase = skip_gap(phrase), count++) {
        phrase = at + count < words->len ? match_word(phrase, words->word[at + count]) : NULL;
        if (!phrase)
            return 0;
    }
    return count;
}

int pov_words_match(const pov_words *words, int at, const char *phrase)
{
    pov_words sought;
    if (is_plain(phrase))
        return match_plain(words, at, phrase);
    if (!pov_words_split(&sought, phrase) || at + sought.len > words->len)
        return 0;
    for (int i = 0; i < sought.len; i++)
        if (strcmp(words->word[at + i], sought.word[i]) != 0)
            return 0;
    return sought.len;
}

void pov_words_skip(const pov_words *words, int *at, const char *skipped)
{
    pov_words list;
    bool found = pov_words_split(&list, skipped);
    while (found && *at < words->len) {
        found = false;
        for (int i = 0; i < list.len; i++)
            found = found || strcmp(words->word[*at], list.word[i]) == 0;
        *at += found;
    }
}

void pov_words_cut(pov_words *words, int at, int count)
{
    int behind = words->len - at - count;
    memmove(words->word + at, words->word + at + count, (size_t)behind * sizeof *words->word);
    memmove(words->paused + at, words->paused + at + count, (size_t)(behind + 1) * sizeof *words->paused);
    words->paused[at] = true;
    words->len -= count;
}
