#include "ask/grammar/words.h"

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

/* The small letter of a capital; of letters beyond ASCII those of Latin-1. */
static size_t lower(char *out, const char *text)
{
    if ((unsigned char)text[0] == 0xc3 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] <= 0x9e) {
        out[0] = text[0];
        out[1] = (char)((unsigned char)text[1] + 0x20);
        return 2;
    }
    out[0] = (char)tolower((unsigned char)*text);
    return 1;
}

/* Copies a word, "'" for a typographer's; NULL if it is too long. */
static const char *read_word(char word[POV_WORD_CAPACITY], const char *text)
{
    size_t length = 0;
    while (!parts_words(text)) {
        bool curly = strncmp(text, "\xe2\x80\x99", 3) == 0;
        if (length + 2 >= POV_WORD_CAPACITY)
            return NULL;
        size_t taken = curly ? 1 : lower(word + length, text);
        word[length] = curly ? '\'' : word[length];
        length += taken;
        text += curly ? 3 : taken;
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
    /* typed without the apostrophe: "isnt", "wheres" */
    static const char *const nots[] = {"isnt", "arent",  "dont",    "doesnt",  "didnt",
                                       "cant", "cannot", "couldnt", "wouldnt", "shouldnt",
                                       "wont", "wasnt",  "werent",  NULL};
    if (is_one_of(word, nots)) {
        word[length - (strcmp(word, "cannot") == 0 ? 3 : strcmp(word, "cant") == 0 ? 1 : 2)] = '\0';
        return "not";
    }
    if (length > 2 && word[length - 1] == 's') {
        word[length - 1] = '\0';
        if (is_one_of(word, askers) && strcmp(word, "it") != 0)
            return "is";
        word[length - 1] = 's';
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

void pov_words_cut(pov_words *words, int at, int count)
{
    int behind = words->len - at - count;
    memmove(words->word + at, words->word + at + count, (size_t)behind * sizeof *words->word);
    memmove(words->paused + at, words->paused + at + count, (size_t)(behind + 1) * sizeof *words->paused);
    words->paused[at] = true;
    words->len -= count;
}
