/* What people say around a question. */
#include "ask/grammar/ask_words.h"

#include <stddef.h>
#include <string.h>

static const char *const openings[] = {"please",
                                       "kindly",
                                       "ok",
                                       "okay",
                                       "hey",
                                       "hi",
                                       "hello",
                                       "well",
                                       "so",
                                       "and",
                                       "now",
                                       "tell me",
                                       "tell us",
                                       "say",
                                       "could you tell me",
                                       "could you please tell me",
                                       "can you tell me",
                                       "can you please tell me",
                                       "would you tell me",
                                       "could you say",
                                       "can you say",
                                       "would you say that",
                                       "would you say",
                                       "i would like to know",
                                       "i want to know",
                                       "i wonder",
                                       "do you know",
                                       "do you think that",
                                       "do you think",
                                       "is it true that",
                                       "is it correct that",
                                       "is it the case that",
                                       "true or false",
                                       "yes or no",
                                       "if it is true that",
                                       "whether",
                                       NULL};

/* "if" alone opens "if I were anna" too; behind "tell me" it asks. */
static const char *const askers[] = {"if", "whether", "that", NULL};

static const char *const closings[] = {"please",
                                       "true or false",
                                       "yes or no",
                                       "or not",
                                       "right now",
                                       "at the moment",
                                       "thanks",
                                       "thank you",
                                       "answer the question directly",
                                       "please use terms such as front left right or back",
                                       "in the scene",
                                       "in the image",
                                       "in the picture",
                                       "in the photo",
                                       "in the room",
                                       NULL};

static const char *const tags[] = {"left or right", "right", "correct", "yes", "no", "ok", "eh",
                                   "true",          NULL};

static int match_any(const pov_words *words, int at, const char *const phrases[])
{
    int longest = 0;
    for (int i = 0; phrases[i]; i++) {
        int length = pov_words_match(words, at, phrases[i]);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void trim_front(pov_words *words)
{
    for (int length; (length = match_any(words, 0, openings)) > 0 && length < words->len;) {
        bool tells = length > 1;
        pov_words_cut(words, 0, length);
        if (tells && (length = match_any(words, 0, askers)) > 0)
            pov_words_cut(words, 0, length);
    }
}

/* "isn't it", "can he": behind a comma, an auxiliary, perhaps "not", a pronoun. */
static int match_tag(const pov_words *words, int at)
{
    static const char *const auxiliaries[] = {"is",    "are",   "does", "do", "can",
                                              "could", "would", "will", NULL};
    static const char *const pronouns[] = {"it", "he", "she", "they", "we", "you", "i", "there", NULL};
    int end = at + match_any(words, at, auxiliaries);
    if (end == at)
        return match_any(words, at, tags);
    end += pov_words_match(words, end, "not");
    int pronoun = match_any(words, end, pronouns);
    return pronoun ? end + pronoun - at : 0;
}

static bool trim_one_from_back(pov_words *words)
{
    for (int at = 1; at < words->len; at++) {
        int length = match_any(words, at, closings);
        if (length == 0 && words->paused[at])
            length = match_tag(words, at);
        if (length > 0 && at + length == words->len) {
            pov_words_cut(words, at, length);
            return true;
        }
    }
    return false;
}

void pov_words_trim(pov_words *words)
{
    trim_front(words);
    while (trim_one_from_back(words))
        ;
}
