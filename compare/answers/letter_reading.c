#include "compare/answers/letter_reading.h"

#include "compare/answers/answer_parse_internal.h"
#include "perception/status.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { UNKNOWN_LETTERS = 5 /* of a question whose options are not known: MindCube's have up to five */ };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Full-width signs are no letters, though they are not ASCII. */
static bool is_beside_word(const char *text, size_t at, bool before)
{
    if (before) {
        if (at == 0)
            return false;
        if (at >= 3 &&
            (strncmp(text + at - 3, "\uff08", 3) == 0 || strncmp(text + at - 3, "\uff1a", 3) == 0 ||
             strncmp(text + at - 3, "\u3002", 3) == 0 || strncmp(text + at - 3, "\u201c", 3) == 0))
            return false;
        return is_word(text[at - 1]);
    }
    const char *after = text + at + 1;
    static const char *const signs[] = {"\uff0e", "\uff1a", "\uff09", "\u3001",
                                        "\uff0c", "\u3002", "\u201d", "\u2019"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(after, signs[i], 3) == 0)
            return false;
    return is_word(*after) || (*after == '\'' && isalpha((unsigned char)after[1]));
}

/* The number of a letter that stands alone at a place; -1: there is none. */
static int letter_at(const char *text, size_t at, int len)
{
    const int letter = toupper((unsigned char)text[at]) - 'A';
    return letter >= 0 && letter < len && !is_beside_word(text, at, true) && !is_beside_word(text, at, false)
               ? letter
               : -1;
}

/* ---- the usual reading ---- */

/* "b." "(b)" "b:" "b" and nothing else on the line: a small letter that is no word. */
static bool is_marked(const char *text, size_t at)
{
    const char before = at > 0 ? text[at - 1] : '\n', after = text[at + 1];
    const bool begins =
        before == '\n' || before == '(' || before == '*' || before == '"' || before == '\'' || at == 0;
    return (begins && (after == '\0' || strchr(".):*\"'\n", after) != NULL)) ||
           (before == '(' && after == ')');
}

static int first_letter(const char *text, int len)
{
    for (size_t at = 0; text[at]; at++) {
        const int letter = letter_at(text, at, len);
        if (letter >= 0 && (isupper((unsigned char)text[at]) || is_marked(text, at)))
            return letter;
    }
    return -1;
}

/* The last part between two marks, or behind the first if it never ends. False: there is none. */
static bool cut_between(char *text, const char *begin, const char *end)
{
    char *found = NULL;
    for (char *at = text; (at = strcasestr(at, begin)); at += strlen(begin))
        found = at;
    if (!found)
        return false;
    memmove(text, found + strlen(begin), strlen(found + strlen(begin)) + 1);
    char *stop = end ? strcasestr(text, end) : NULL;
    if (stop)
        *stop = '\0';
    return true;
}

static pov_answer_kind read_usual(int *option, const char *answer, const pov_choice_list *options)
{
    size_t from, length;
    const int len = options->len ? options->len : UNKNOWN_LETTERS;
    pov_answer_said(&from, &length, answer);
    char *text = strndup(answer + from, length);
    POV_REQUIRE_MEMORY(text);
    (void)cut_between(text, "</cogmap>", NULL); /* a map that stands before it */
    if (!cut_between(text, "<answer>", "<") && !cut_between(text, "\\boxed{", "}"))
        (void)cut_between(text, "answer:", NULL);
    *option = first_letter(text, len);
    if (*option < 0)
        *option = pov_choice_list_find(options, text);
    const bool is_empty = text[strspn(text, " \t\r\n")] == '\0' || pov_answer_is_failure(text);
    free(text);
    return *option >= 0                  ? POV_ANSWER_GIVEN
           : is_empty                    ? POV_ANSWER_MISSING
           : pov_reading_refuses(answer) ? POV_ANSWER_REFUSED
                                         : POV_ANSWER_UNCLEAR;
}

/* ---- the scripts' readings ---- */

/* \b([A-D])\b of either case in the last line (ZJU-REAL/ViewSpatial-Bench, evaluate.py). */
static int read_viewspatial(const char *answer, int len)
{
    const char *newline = strrchr(answer, '\n'), *line = newline ? newline + 1 : answer;
    for (size_t at = 0; line[at]; at++) {
        const bool alone = (at == 0 || !is_word(line[at - 1])) && !is_word(line[at + 1]);
        const int letter = toupper((unsigned char)line[at]) - 'A';
        if (alone && letter >= 0 && letter < len)
            return letter;
    }
    return -1;
}

static int capital(char c, int len)
{
    return c >= 'A' && c < 'A' + len ? c - 'A' : -1;
}

/* Behind a phrase, and colons and spaces, of which there is one at least. */
static int letter_behind(const char *text, const char *phrase, int len)
{
    for (const char *at = text; (at = strstr(at, phrase)); at++) {
        const char *behind = at + strlen(phrase);
        const size_t blanks = strspn(behind, ": \t\r\n");
        if (blanks > 0 && capital(behind[blanks], len) >= 0)
            return capital(behind[blanks], len);
    }
    return -1;
}

/* lmms-eval's patterns for 3DSRBench, in their order. */
static int read_3dsrbench(const char *answer, int len)
{
    const char *text = answer + strspn(answer, " \t\r\n\v\f");
    int letter = capital(*text, len);
    if (letter >= 0 &&
        (text[1] == '.' || text[1] == ')' || text[1] == '\0' || isspace((unsigned char)text[1])))
        return letter;
    const char *const phrases[] = {"nswer", "he answer is", "y answer is"};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if ((letter = letter_behind(text, phrases[i], len)) >= 0)
            return letter;
    for (const char *at = text; *at; at++)
        if (*at == '(' && (letter = capital(at[1], len)) >= 0 && at[2] == ')')
            return letter;
    for (const char *at = text; *at; at++)
        if ((letter = capital(*at, len)) >= 0 && at[1] == '.')
            return letter;
    for (size_t at = 0; text[at]; at++)
        if ((letter = capital(text[at], len)) >= 0 && (at == 0 || !is_word(text[at - 1])) &&
            !is_word(text[at + 1]))
            return letter;
    return -1;
}

/* The last "B."; else the last letter that stands alone (mll-lab-nu/MindCube, extractors.py; its patterns between find letters that stand
 * alone, too). */
static int read_mindcube(const char *answer, int len)
{
    int found = -1;
    for (const char *at = answer; *at; at++)
        found = capital(*at, len) >= 0 && at[1] == '.' ? capital(*at, len) : found;
    for (size_t at = strlen(answer); at > 0 && found < 0; at--)
        if (capital(answer[at - 1], len) >= 0 && (at == 1 || !is_word(answer[at - 2])) &&
            !is_word(answer[at]))
            found = capital(answer[at - 1], len);
    return found;
}

pov_answer_kind pov_answer_letter(int *option, const char *answer, const pov_choice_list *options,
                                  pov_letter_rule rule)
{
    enum { SCRIPTS_LETTERS = 4 /* A to D, however many options there are */ };
    if (rule == POV_LETTERS_USUAL)
        return read_usual(option, answer, options);
    *option = rule == POV_LETTERS_VIEWSPATIAL ? read_viewspatial(answer, SCRIPTS_LETTERS)
              : rule == POV_LETTERS_3DSRBENCH ? read_3dsrbench(answer, SCRIPTS_LETTERS)
                                              : read_mindcube(answer, UNKNOWN_LETTERS);
    if (options->len > 0 && *option >= options->len)
        *option = -1;
    return *option >= 0 ? POV_ANSWER_GIVEN : POV_ANSWER_UNCLEAR;
}
