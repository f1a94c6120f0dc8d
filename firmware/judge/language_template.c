#include "firmware/judge/language_template.h"

#include "compare/languages/language_check.h"

static void write_place(FILE *stream, int indent, const char *key, const char *english)
{
    fprintf(stream, "%*s# %s\n%*s%s: \"" POV_LANGUAGE_BLANK "\"\n", indent, "", english, indent, "", key);
}

static void write_nouns(FILE *stream, const pov_language *english)
{
    const pov_noun *noun;
    fputs("    nouns:                              # an id, then its forms in the order of 'form'\n", stream);
    for (int i = 0; (noun = pov_language_noun_at(english, i)); i++)
        fprintf(stream, "      - [%s, \"" POV_LANGUAGE_BLANK "\"]   # %s\n", noun->id, noun->words[0]);
}

void pov_language_template_write(FILE *stream, const char *code, const pov_language *english)
{
    static const char *const prompts[] = {"none", "camera", "addressee", "relatum"};
    static const char *const relations[] = {"left_of", "right_of", "in_front_of", "behind"};
    fputs(
        "# Fill in each place that reads \"" POV_LANGUAGE_BLANK "\"; the line before it is English. Then\n"
        "#   pov questions --languages --language-file FILE\n"
        "# checks every sentence. Keep the slots in braces; {referent}, {relatum} and {viewer} are nouns in\n"
        "# their first form, {relatum.FORM} in another one (docs/LANGUAGES.md).\n"
        "languages:\n",
        stream);
    fprintf(
        stream,
        "  - code: %s\n"
        "    name: \"" POV_LANGUAGE_BLANK "\"                         # the language's name in English\n"
        "    source: \"" POV_LANGUAGE_BLANK "\"                       # who worded it\n"
        "    right_to_left: false\n"
        "    # translated, rotated or reflected only where literature states it for this language: then add\n"
        "    # citation: \"who states it\". Answers are judged by it; 'unstated' is judged as reflected.\n"
        "    convention: unstated\n"
        "    yes: [\"" POV_LANGUAGE_BLANK "\"]                        # words that mean nothing else\n"
        "    no: [\"" POV_LANGUAGE_BLANK "\"]\n"
        "    form: [plain]                       # one form; or cases, articles: [nom, gen], 8 at most\n"
        "    ask:\n",
        code);
    for (int p = 0; p < POV_PROMPT_COUNT; p++)
        write_place(stream, 6, prompts[p], english->ask[p]);
    fputs("    relation:\n", stream);
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
        write_place(stream, 6, relations[r], english->relation[r]);
    write_place(stream, 4, "present", english->present);
    write_nouns(stream, english);
}
