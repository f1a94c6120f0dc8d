#include "compare/languages/language_check.h"

#include <stdio.h>
#include <string.h>

static bool has_a_form(const pov_language *language, const char *sentence, const pov_noun *noun)
{
    for (int i = 0; i < language->form_len; i++)
        if (*noun->words[i] && strstr(sentence, noun->words[i]))
            return true;
    return false;
}

static pov_status check_sentence(const pov_language *language, const char *sentence, const pov_noun *noun)
{
    const char *wrong = strstr(sentence, POV_LANGUAGE_BLANK)            ? "a place is left blank"
                        : strpbrk(sentence, "{}")                       ? "it has a brace"
                        : strstr(sentence, "  ")                        ? "it has two blanks in a row"
                        : *sentence == '\0'                             ? "it is empty"
                        : strlen(sentence) > POV_SENTENCE_CAPACITY - 10 ? "it is too long"
                        : !has_a_form(language, sentence, noun)         ? "it does not name the thing"
                                                                        : NULL;
    return wrong ? pov_error("%s: \"%.200s\" (about %s): %s", language->code, sentence, noun->id, wrong)
                 : pov_ok();
}

static pov_status check_pair(const pov_language *language, const pov_sentence_nouns *nouns)
{
    char sentences[POV_PROMPT_COUNT * POV_COMFORT_RELATIONS][POV_SENTENCE_CAPACITY];
    int len = 0;
    for (int prompt = 0; prompt < POV_PROMPT_COUNT; prompt++)
        for (int relation = POV_LEFT_OF; relation <= POV_BEHIND; relation++) {
            char *sentence = sentences[len++];
            pov_language_ask(language, sentence, (pov_prompt)prompt, (pov_relation)relation, nouns);
            POV_TRY(check_sentence(language, sentence, nouns->referent));
            POV_TRY(check_sentence(language, sentence, nouns->relatum));
            if (prompt == POV_PROMPT_ADDRESSEE)
                POV_TRY(check_sentence(language, sentence, nouns->viewer));
            for (int i = 0; i < len - 1; i++)
                if (nouns->relatum != nouns->viewer && strcmp(sentences[i], sentence) == 0)
                    return pov_error(
                        "%s: \"%.200s\" is asked for two relations or viewpoints: an answer to one "
                        "would count for the other",
                        language->code, sentence);
        }
    return pov_ok();
}

static pov_status check_sentences(const pov_language *language)
{
    const pov_noun *a, *b, *viewer = pov_language_noun(language, "woman", "");
    char sentence[POV_SENTENCE_CAPACITY];
    viewer = viewer ? viewer : pov_language_noun_at(language, 0);
    for (int i = 0; (a = pov_language_noun_at(language, i)); i++) {
        pov_language_ask_present(language, sentence, &(pov_sentence_nouns){.object = a});
        POV_TRY(check_sentence(language, sentence, a));
        for (int k = 0; (b = pov_language_noun_at(language, k)); k++)
            if (a != b)
                POV_TRY(check_pair(language,
                                   &(pov_sentence_nouns){.referent = a, .relatum = b, .viewer = viewer}));
    }
    return pov_ok();
}

/* ---- yes and no ---- */

static pov_status check_word(const pov_language *language, const pov_yes_no_words *words, const char *word,
                             bool is_yes)
{
    char answer[256];
    bool yes = !is_yes;
    if (strstr(word, POV_LANGUAGE_BLANK))
        return pov_error("%s: a word for %s is left blank", language->code, is_yes ? "yes" : "no");
    snprintf(answer, sizeof answer, "%s.", word);
    return pov_answer_yes_no(&yes, answer, words) == POV_ANSWER_GIVEN && yes == is_yes
               ? pov_ok()
               : pov_error("%s: \"%s\" is not read as %s: it means something else, or is a word for both",
                           language->code, word, is_yes ? "yes" : "no");
}

static pov_status check_neutral(const pov_language *language, const pov_yes_no_words *words, const char *text)
{
    bool yes;
    return pov_answer_yes_no(&yes, text, words) != POV_ANSWER_GIVEN
               ? pov_ok()
               : pov_error("%s: \"%s\" is read as %s, so an answer in these words would be: leave out that "
                           "word for %s",
                           language->code, text, yes ? "yes" : "no", yes ? "yes" : "no");
}

static pov_status check_yes_no(const pov_language *language)
{
    const pov_yes_no_words words = pov_language_words(language);
    const pov_noun *noun;
    for (const char *const *word = words.yes; *word; word++)
        POV_TRY(check_word(language, &words, *word, true));
    for (const char *const *word = words.no; *word; word++)
        POV_TRY(check_word(language, &words, *word, false));
    for (int i = 0; (noun = pov_language_noun_at(language, i)); i++)
        for (int f = 0; f < language->form_len; f++)
            POV_TRY(check_neutral(language, &words, noun->words[f]));
    for (int relation = 0; relation < POV_COMFORT_RELATIONS; relation++)
        POV_TRY(check_neutral(language, &words, language->relation[relation]));
    return pov_ok();
}

pov_status pov_language_check(const pov_language *language)
{
    POV_TRY(check_yes_no(language));
    return check_sentences(language);
}
