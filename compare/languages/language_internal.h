/** What the language files' own sources share; nobody else includes this. */
#ifndef POV_COMPARE_LANGUAGES_LANGUAGE_INTERNAL_H
#define POV_COMPARE_LANGUAGES_LANGUAGE_INTERNAL_H

#include "compare/languages/language.h"
#include "config/yaml/yaml_file.h"

enum { POV_LANGUAGE_FILES_MAX = 3 };

struct pov_languages {
    int len, file_len;
    pov_language list[POV_LANGUAGES_MAX];
    pov_yaml_file *files[POV_LANGUAGE_FILES_MAX]; /* hold the texts */
    pov_noun *nouns[POV_LANGUAGES_MAX];           /* of each language */
};

/* NULL if there is none. */
const pov_language *pov_languages_have(const pov_languages *languages, const char *code);

typedef enum {
    POV_ROLE_REFERENT,
    POV_ROLE_RELATUM,
    POV_ROLE_VIEWER,
    POV_ROLE_OBJECT,
    POV_ROLE_RELATION,
    POV_ROLE_NONE
} pov_sentence_role;

/* "{relatum.gen}" in a pattern, and the text before it. */
typedef struct {
    pov_sentence_role role; /* POV_ROLE_NONE: unknown, or no slot */
    const char *before, *form;
    size_t before_len, form_len;
} pov_pattern_slot;

/* Takes the next slot; false, with the text that is left, if there is none. A brace that is not closed: a slot of
 * POV_ROLE_NONE with form NULL, and `rest` stays. */
bool pov_pattern_next(pov_pattern_slot *slot, const char **rest);
/* The number of the form that a slot asks for, the first if it names none; -1: unknown. */
int pov_pattern_form(const pov_language *language, const pov_pattern_slot *slot);

#endif
