#include "compare/answer_said.h"

#include <string.h>

enum { CONCLUSIONS_MAX = 8 };

static const char *const refusals[] = {
    "i cannot",      "i can't",         "i can not",     "i am unable",        "i'm unable",
    "i'm not able",  "i am not able",   "unable to",     "i'm sorry",          "i am sorry",
    "sorry",         "i apologize",     "as an ai",      "cannot determine",   "can't determine",
    "not determine", "be determined",   "cannot tell",   "can't tell",         "cannot answer",
    "can't answer",  "not possible to", "impossible to", "don't know",         "do not know",
    "not sure",      "not clear",       "unclear",       "enough information", "insufficient information",
    "no way to",     "not possess",     "cannot assist", "can't assist"};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

pov_answer_kind pov_answer_failure(const pov_answer_text *text)
{
    for (int i = 0; i < REFUSALS; i++)
        if (pov_answer_find(text, 0, text->len, refusals[i]) >= 0)
            return POV_ANSWER_REFUSED;
    return text->len ? POV_ANSWER_UNCLEAR : POV_ANSWER_MISSING;
}

void pov_answer_part(pov_answer_text *part, const pov_answer_text *text, int from, int to)
{
    part->len = to > from ? to - from : 0;
    memmove(part->c, text->c + from, (size_t)part->len * sizeof *part->c);
}

bool pov_answer_is_one_of(const pov_answer_text *text, int place, const char *const words[], int len)
{
    for (int i = 0; i < len; i++)
        if (pov_answer_word_at(text, place, words[i]))
            return true;
    return false;
}

/* ---- thoughts ---- */

typedef struct {
    const char *begin, *end;
} thought_marks;

/* As Qwen, DeepSeek and others, Kimi, and Magistral mark what they think. */
static const thought_marks thoughts[] = {{"<think>", "</think>"},
                                         {"<thinking>", "</thinking>"},
                                         {"<thought>", "</thought>"},
                                         {"<reasoning>", "</reasoning>"},
                                         {"\u25c1think\u25b7", "\u25c1/think\u25b7"},
                                         {"[THINK]", "[/THINK]"}};
enum { THOUGHTS = sizeof thoughts / sizeof *thoughts };

static const char *after_thoughts(const char *answer)
{
    for (int i = 0; i < THOUGHTS; i++) {
        const char *next, *said = NULL;
        for (next = answer; (next = strstr(next, thoughts[i].end)); said = next)
            next += strlen(thoughts[i].end);
        if (said)
            return said;
        if ((next = strstr(answer, thoughts[i].begin)))
            return next + strlen(next);
    }
    return answer;
}

/* ---- conclusions ---- */

static bool is_around(uint32_t c)
{
    return c == ' ' || c == '\n' || c == '"' || c == '\'' || c == '`' || c == '#' || c == '$';
}

static int past_around(const pov_answer_text *text, int place)
{
    while (place < text->len && is_around(text->c[place]))
        place++;
    return place;
}

/* Past "(yes or no)". */
static int past_parentheses(const pov_answer_text *text, int place)
{
    if (place >= text->len || text->c[place] != '(')
        return place;
    for (int i = place; i < text->len && text->c[i] != '\n'; i++)
        if (text->c[i] == ')')
            return past_around(text, i + 1);
    return place;
}

/* "answer: ", "answer\n", "answer is "; where what is concluded starts, or -1. */
static int conclusion_at(const pov_answer_text *text, int place)
{
    static const char *const nouns[] = {"answer", "conclusion", "verdict", "option", "choice", "boxed"};
    static const char *const verbs[] = {"is", "would be", "will be", "must be", "should be"};
    if (!pov_answer_is_one_of(text, place, nouns, 6))
        return -1;
    while (place < text->len && pov_answer_is_letter(text->c[place]))
        place++;
    const int said = past_around(text, place);
    bool ends_line = false;
    for (int i = place; i < said; i++)
        ends_line |= text->c[i] == '\n';
    place = past_parentheses(text, said);
    if (place >= text->len)
        return -1;
    for (int i = 0; i < 5; i++) {
        int length = pov_answer_word_at(text, place, verbs[i]);
        if (length) {
            place = past_around(text, place + length);
            return place < text->len && text->c[place] == ':' ? past_around(text, place + 1) : place;
        }
    }
    const uint32_t c = text->c[place];
    return c == ':' || c == '=' || c == '{' || c == 0xff1a ? past_around(text, place + 1)
           : ends_line                                     ? place
                                                           : -1;
}

pov_answer_kind pov_answer_read_said(void *result, const char *answer, pov_answer_reader *read,
                                     const void *with)
{
    pov_answer_text text, part;
    pov_answer_fold(&text, after_thoughts(answer));
    for (int place = text.len - 1, tried = 0; place >= 0 && tried < CONCLUSIONS_MAX; place--) {
        int start = conclusion_at(&text, place);
        if (start < 0)
            continue;
        tried++;
        pov_answer_part(&part, &text, start, pov_answer_sentence_end(&text, start));
        if (read(result, &part, true, with) == POV_ANSWER_GIVEN)
            return POV_ANSWER_GIVEN;
    }
    return read(result, &text, false, with);
}
