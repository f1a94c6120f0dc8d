#include "ask/grammar/words.h"

#include "config/files/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Signs that part words; those that also pause stand first. */
static const char *const signs[] = {"\u3001", "\u3002", "\uff0c", "\uff1f", "\uff01", "\uff1b", "\uff1a",
                                    "\u060c", "\u061b", "\u061f", "\u0964", "\u2026", "\u2013", "\u2014",
                                    "\u00bf", "\u00a1", "\u201c", "\u201d", "\u201e", "\u2018", "\u00ab",
                                    "\u00bb", "\u300c", "\u300d", "\u3000", "\""};
enum { SIGNS = sizeof signs / sizeof *signs, PAUSING_SIGNS = 14 };

/* SIGNS: none. */
static int find_sign(const char *text)
{
    int i = (unsigned char)*text < 0x80 && *text != '"' ? SIGNS : 0; /* most letters, at once */
    while (i < SIGNS && strncmp(text, signs[i], strlen(signs[i])) != 0)
        i++;
    return i;
}

/* A full stop ends a sentence, a colon a clause; within a word they are a part of it. */
static bool is_pause(const char *text)
{
    return strchr(",?!;", *text) != NULL || find_sign(text) < PAUSING_SIGNS ||
           ((*text == '.' || *text == ':') && (text[1] == '\0' || isspace((unsigned char)text[1])));
}

static bool parts_words(const char *text)
{
    return *text == '\0' || isspace((unsigned char)*text) || strchr("-_", *text) != NULL || is_pause(text) ||
           find_sign(text) < SIGNS;
}

/* "-10": a number below zero, behind a blank. */
static bool is_minus(const char *text)
{
    return *text == '-' && isdigit((unsigned char)text[1]);
}

static const char *skip_to_word(const char *text, bool *paused)
{
    for (const char *begin = text; *text != '\0' && parts_words(text);) {
        if (text > begin && isspace((unsigned char)text[-1]) && is_minus(text))
            break;
        *paused = *paused || is_pause(text);
        text += find_sign(text) < SIGNS ? strlen(signs[find_sign(text)]) : 1;
    }
    return text;
}

/* Copies a word in small letters, "'" for a typographer's; NULL if it is too long. */
static const char *read_word(char word[POV_WORD_CAPACITY], const char *text, pov_writing writing)
{
    size_t length = 0;
    if (is_minus(text))
        word[length++] = *text++;
    while (!parts_words(text)) {
        const size_t taken = pov_utf8_character_length(text);
        if (writing == POV_WRITING_UNSPACED && length > 0 && (taken > 1 || (unsigned char)word[0] > 0x7f))
            break;
        if (length + 4 >= POV_WORD_CAPACITY && taken > 1)
            break; /* letters of a language without blanks, read as of one with blanks */
        if (length + 4 >= POV_WORD_CAPACITY || taken == 0)
            return NULL;
        const bool apostrophe = strncmp(text, "\u2019", 3) == 0 || *text == '\'';
        if (apostrophe)
            word[length++] = '\'';
        else
            length += pov_utf8_small(word + length, text);
        text += taken;
        if (apostrophe && writing == POV_WRITING_ELIDED && length > 1)
            break;
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

/* A recogniser writes "where s" and "anna s". */
static const char *word_of_s(const pov_words *words)
{
    static const char *const askers[] = {"where", "what", "who", "that", "there", "it",
                                         "how",   "here", "he",  "she",  NULL};
    return words->len > 0 && is_one_of(words->word[words->len - 1], askers) ? "is" : "";
}

/* "the or- the orange": a word that its speaker broke off is none. */
static bool is_cut_off(const char *behind)
{
    return *behind == '-' && (behind[1] == '\0' || isspace((unsigned char)behind[1]));
}

/* "10cm" is "10 cm". Returns the unit; NULL. */
static const char *unit_of(const char *word)
{
    static const char *const units[] = {"cm", "mm", "m", "in", NULL};
    const size_t digits = strspn(word, "0123456789.");
    return digits > 0 && is_one_of(word + digits, units) ? word + digits : NULL;
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

bool pov_words_split(pov_words *words, const char *text, pov_writing writing)
{
    words->len = 0;
    for (;;) {
        char word[POV_WORD_CAPACITY];
        bool paused = false;
        text = skip_to_word(text, &paused);
        words->paused[words->len] = paused;
        if (*text == '\0')
            return true;
        text = read_word(word, text, writing);
        if (!text)
            return false;
        if (is_cut_off(text))
            continue;
        const char *second = writing == POV_WRITING_CONTRACTED ? second_word(word) : "";
        const char *unit = writing == POV_WRITING_CONTRACTED ? unit_of(word) : NULL;
        if (unit) {
            char number[POV_WORD_CAPACITY];
            second = unit;
            snprintf(number, sizeof number, "%.*s", (int)(unit - word), word);
            if (!append(words, number, paused) || !append(words, second, false))
                return false;
            continue;
        }
        if (writing == POV_WRITING_CONTRACTED && strcmp(word, "s") == 0)
            strcpy(word, word_of_s(words));
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
