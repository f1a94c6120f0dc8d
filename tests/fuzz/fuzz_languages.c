#include "compare/languages/language.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* A file that is read without complaint makes sentences. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_languages *languages;
    pov_status status = pov_languages_parse(&languages, "languages.yaml", (const char *)bytes, length);
    if ((status.code == POV_OK) != (languages != NULL))
        abort();
    for (int i = 0; languages && i < pov_languages_len(languages); i++) {
        const pov_language *language = pov_languages_at(languages, i);
        const pov_noun *noun = pov_language_noun_at(language, 0);
        const pov_sentence_nouns nouns = {noun, noun, noun, noun};
        char sentence[POV_SENTENCE_CAPACITY];
        for (int j = 0; noun && j < 16; j++)
            pov_language_ask(language, sentence, (pov_prompt)(j / 4), (pov_relation)(j % 4), &nouns);
        if (noun)
            pov_language_ask_present(language, sentence, &nouns);
    }
    pov_languages_destroy(&languages);
    return 0;
}
