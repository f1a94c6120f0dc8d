#include "firmware/ask/ask_words.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static bool parts_words(char c)
{
    return isspace((unsigned char)c) || strchr("-_,?!", c) != NULL;
}

bool pov_words_split(pov_words *words, const char *text)
{
    words->len = 0;
    while (*text != '\0') {
        size_t length = 0;
        for (; *text != '\0' && parts_words(*text); text++)
            ;
        if (*text == '\0')
            break;
        if (words->len == POV_WORDS_MAX)
            return false;
        char *word = words->word[words->len];
        for (; *text != '\0' && !parts_words(*text); text++) {
            bool possessive = text[0] == '\'' && text[1] == 's' && (text[2] == '\0' || parts_words(text[2]));
            if (possessive) {
                text += 2;
                break;
            }
            if (length + 1 == POV_WORD_CAPACITY)
                return false;
            word[length++] = (char)tolower((unsigned char)*text);
        }
        word[length] = '\0';
        words->len += length > 0;
    }
    return true;
}

int pov_words_match(const pov_words *words, int at, const char *phrase)
{
    pov_words sought;
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
