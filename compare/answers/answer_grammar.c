/* Numbers are those of docs/SCORES.md, "How words are read". */
#include "compare/answers/answer_parse_internal.h"

#include "perception/status.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef pov_answer_span span;
typedef pov_mention mention;
typedef pov_answer_reading reading;

enum { WORDS_MAX = 2048 }; /* of all classes */

/* Chosen. */
enum {
    ARTICLES_MAX = 4,    /* "or to the left" */
    ADVERBS_MAX = 4,     /* "cannot be very reliably told" */
    SET_WORDS_MAX = 6,   /* "in front of the minifigure and to its left" */
    TAG_LENGTH_MAX = 24, /* "<final answer>" */
    MARKS_MAX = 8,       /* marks that lead nowhere */
    NOUN_WORDS_MAX = 3,  /* "left-hand side image" */
    ASIDE_WORDS_MAX = 8  /* "the answer to the question of where it is: left" */
};

/* ---- words ---- */

static uint32_t at(const reading *r, int place)
{
    return pov_reading_at(r, place);
}

static bool is_letter(const reading *r, int place)
{
    return pov_answer_is_letter(at(r, place));
}

/* ASCII only. */
static bool is_one_of(uint32_t c, const char *signs)
{
    return c > 0 && c < 0x80 && strchr(signs, (int)c);
}

static bool is_blank(uint32_t c)
{
    return is_one_of(c, " \"'`#$") || c == 0x201c || c == 0x201d;
}

int pov_reading_skip_blanks(const reading *r, int place)
{
    while (is_blank(at(r, place)))
        place++;
    return place;
}

/* Over line breaks as well. */
static int skip_space(const reading *r, int place)
{
    while (at(r, place) == '\n' || is_blank(at(r, place)))
        place++;
    return place;
}

int pov_reading_skip_word(const reading *r, int place)
{
    while (is_letter(r, place) ||
           (at(r, place) == '\'' && is_letter(r, place - 1) && is_letter(r, place + 1)))
        place++;
    return place;
}

static int skip_next_word(const reading *r, int place)
{
    return pov_reading_skip_blanks(r, pov_reading_skip_word(r, place));
}

/* True if a word or sign may begin here: not the "s" of "car's". */
static bool may_begin(const reading *r, int place)
{
    return pov_answer_is_spaceless(at(r, place)) ||
           !((is_letter(r, place - 1) && !pov_answer_is_spaceless(at(r, place - 1))) ||
             (at(r, place - 1) == '\'' && is_letter(r, place - 2)));
}

static bool has(const reading *r, int place, pov_word_class words)
{
    return pov_reading_has(r, place, words);
}

/* The next of a list of words, or NULL. */
static const char *next_of(const char *word)
{
    const char *end = strchr(word, '|');
    return end ? end + 1 : NULL;
}

/* The length of the longest word of a class. */
int pov_reading_length(const reading *r, int place, pov_word_class words)
{
    int longest = 0;
    for (const char *word = has(r, place, words) ? POV_WORDS[words] : NULL; word; word = next_of(word)) {
        const int length = pov_answer_word_at(&r->text, place, word);
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* The byte by which a code point begins in UTF-8. */
static unsigned lead_byte(uint32_t c)
{
    return c < 0x80 ? c : c < 0x800 ? 0xc0 | c >> 6 : c < 0x10000 ? 0xe0 | c >> 12 : 0xf0 | (c >> 18 & 7);
}

/* All words of all classes by their first byte: few are compared at a place. */
static void find_words(reading *r)
{
    struct {
        const char *word;
        int class, next;
    } entry[WORDS_MAX];
    int first[256] = {0}, len = 1; /* 0: none */
    for (int k = 0; k < POV_WORD_CLASSES; k++)
        for (const char *word = POV_WORDS[k]; word; word = next_of(word), len++) {
            POV_REQUIRE(len < WORDS_MAX);
            int *head = &first[(unsigned char)*word];
            entry[len].word = word;
            entry[len].class = k;
            entry[len].next = *head;
            *head = len;
        }
    for (int i = 0; i < r->text.len; i++) {
        for (int e = may_begin(r, i) ? first[lead_byte(at(r, i))] : 0; e; e = entry[e].next)
            r->classes[i] |= (uint64_t)(pov_answer_word_at(&r->text, i, entry[e].word) > 0) << entry[e].class;
    }
}

static bool has_any(const reading *r, span s, pov_word_class words)
{
    while (s.from < s.to && !has(r, s.from, words))
        s.from++;
    return s.from < s.to;
}

bool pov_reading_follows(const reading *r, int place, pov_word_class words, pov_word_class passed,
                         int words_max)
{
    for (int i = pov_answer_previous_word(&r->text, place), n = 0; i >= 0 && n <= words_max; n++) {
        if (has(r, i, words))
            return true;
        if (!has(r, i, passed))
            return false;
        i = pov_answer_previous_word(&r->text, i);
    }
    return false;
}

bool pov_reading_is_after(const reading *r, int place, pov_word_class words)
{
    return pov_reading_follows(r, place, words, words, 0);
}

bool pov_reading_is_negated(const reading *r, int place)
{
    const int before = pov_answer_previous_word(&r->text, place);
    const bool no =
        before >= 0 && before + 3 == place && pov_answer_word_at(&r->text, before, "no"); /* not "No, ..." */
    return no || pov_reading_follows(r, place, POV_WORD_NEGATION, POV_WORD_SMALL, 4);
}

bool pov_reading_stands_alone(const reading *r, int place, int length)
{
    const bool quoted = at(r, place - 1) != ' ' && is_blank(at(r, place - 1));
    int before = place - 1;
    while (!quoted && is_blank(at(r, before)))
        before--;
    return !is_letter(r, before) &&
           !is_letter(r, quoted ? place + length : pov_reading_skip_blanks(r, place + length));
}

bool pov_reading_names(const reading *r, span s, const char *const words[])
{
    for (int i = s.from; i < s.to; i++)
        if (!r->off[i] && may_begin(r, i) && pov_answer_any_at(&r->text, i, words) &&
            !pov_reading_is_negated(r, i))
            return true;
    return false;
}

static bool find_mention(mention *found, const reading *r, int place, bool loose)
{
    return may_begin(r, place) && r->of->find(found, r, place, loose);
}

/* ---- 1: the text ---- */

static span find_said(const char *answer)
{
    span said = {0, (int)strnlen(answer, INT32_MAX)};
    for (const pov_thought_marks *m = POV_THOUGHT_MARKS; m->end; m++)
        for (const char *next = answer; (next = strcasestr(next, m->end));) {
            next += strlen(m->end);
            said.from = next - answer > said.from ? (int)(next - answer) : said.from;
        }
    for (const pov_thought_marks *m = POV_THOUGHT_MARKS; m->end; m++) {
        const char *begin = m->begin ? strcasestr(answer + said.from, m->begin) : NULL;
        said.to = begin && begin - answer < said.to ? (int)(begin - answer) : said.to;
    }
    return said;
}

void pov_answer_said(size_t *from, size_t *length, const char *answer)
{
    const span said = find_said(answer);
    *from = (size_t)said.from;
    *length = said.to > said.from ? (size_t)(said.to - said.from) : 0;
}

/* "Answer:", "**Answer**:", "the answer is:": the place behind the colon; NULL: it is something else. */
static const char *skip_answer_mark(const char *text, const char *end)
{
    static const char word[] = "answer", verb[] = "is";
    const size_t len = strlen(word), verb_len = strlen(verb);
    if ((size_t)(end - text) < len || strncasecmp(text, word, len) != 0)
        return NULL;
    for (text += len; text < end && strchr(" *_", *text);)
        text++;
    if ((size_t)(end - text) > verb_len && strncasecmp(text, verb, verb_len) == 0)
        for (text += verb_len; text < end && strchr(" *_", *text);)
            text++;
    return text < end && *text == ':' ? text + 1 : NULL;
}

static const char *find_last_line(const char *text, const char **end)
{
    while (*end > text && isspace((unsigned char)(*end)[-1]))
        (*end)--;
    const char *line = *end;
    while (line > text && line[-1] != '\n')
        line--;
    return line;
}

void pov_answer_concluded(size_t *from, size_t *length, bool *marked, const char *answer)
{
    pov_answer_said(from, length, answer);
    const char *start = answer + *from, *end = start + *length, *found = NULL, *behind;
    for (const char *at = start; at < end; at++)
        if ((at == start || !isalpha((unsigned char)at[-1])) && (behind = skip_answer_mark(at, end)))
            found = behind;
    *marked = found != NULL;
    if (!found)
        found = find_last_line(start, &end);
    while (found < end && (isspace((unsigned char)*found) || *found == '*' || *found == '_'))
        found++;
    *from = (size_t)(found - answer);
    *length = (size_t)(end - found);
}

/* ---- 4: text that names nothing ---- */

/* "not sure"; "cannot be told"; "I can't ...", unless "see any" follows, which is an answer. */
static bool refuses_at(const reading *r, int place)
{
    if (has(r, place, POV_WORD_REFUSAL))
        return true;
    const int own = pov_reading_length(r, place, POV_WORD_OWN_INABILITY),
              length = own ? own : pov_reading_length(r, place, POV_WORD_INABILITY);
    int i = pov_reading_skip_blanks(r, place + length);
    for (int words = 0; length && words < ADVERBS_MAX; words++, i = skip_next_word(r, i)) {
        if (own && has(r, i, POV_WORD_SEEING))
            return has(r, i, POV_WORD_SEEING_IMAGES);
        if (!own && has(r, i, POV_WORD_TELLING))
            return true;
    }
    return own > 0;
}

static bool text_refuses(const reading *r, span s)
{
    while (s.from < s.to && !refuses_at(r, s.from))
        s.from++;
    return s.from < s.to;
}

/* A clause ends before "but" and the like; one that begins with "although", at its comma. */
static bool ends_clause(const reading *r, int place, bool subordinate)
{
    return at(r, place) == ';' || has(r, place, POV_WORD_CONTRAST) || (subordinate && at(r, place) == ',');
}

static void turn_off(reading *r, span s)
{
    for (int i = s.from; i < s.to; i++)
        r->off[i] = true;
}

/* The end of what a comparison names: "than B is", "compared to B, ..." */
static int skip_compared(const reading *r, int place, int end)
{
    int i = place + pov_reading_length(r, place, POV_WORD_COMPARED);
    for (int from = skip_space(r, i); i < end; i++)
        if (is_one_of(at(r, i), ",;:()") || at(r, i) == 0xff0c ||
            (i > from &&
             (has(r, i, POV_WORD_VERB) || has(r, i, POV_WORD_CONTRAST) || has(r, i, POV_WORD_SO))))
            break;
    return i;
}

/* "not the mug or the bowl": names nothing. Returns where the negated part ends; one negation in it does for all. */
static int mark_negated_choice(reading *r, int place, int end)
{
    bool choice = false;
    int i = place;
    for (; i < end && !is_one_of(at(r, i), ",;:()") && !has(r, i, POV_WORD_CONTRAST); i++)
        choice |= pov_answer_word_at(&r->text, i, "or") || pov_answer_word_at(&r->text, i, "nor");
    if (choice)
        turn_off(r, (span){place, i});
    return i;
}

/* What is compared with, what is rejected, "B is ruled out", and all of what is negated together, "not A or B". */
static void mark_others(reading *r, span sentence)
{
    int clause = sentence.from, compared = 0, negated = 0; /* the last two: where the last such part ends */
    for (int i = sentence.from; i < sentence.to; i++) {
        if (has(r, i, POV_WORD_COMPARED) && i >= compared) {
            compared = skip_compared(r, i, sentence.to);
            turn_off(r, (span){i, compared});
        }
        if (has(r, i, POV_WORD_REJECTED)) {
            turn_off(r, (span){clause, i});
            clause = i;
        }
        if (has(r, i, POV_WORD_NEGATION) && i >= negated)
            negated = mark_negated_choice(r, i + pov_reading_length(r, i, POV_WORD_NEGATION), sentence.to);
        clause = is_one_of(at(r, i), ",;:") ? i : clause;
    }
}

/* The mark of a list's item, "A.", "(a)", "A:", that is number `number` of its list: the place behind it, or 0. */
static int skip_item_letter(const reading *r, int place, int number)
{
    const bool bracket = at(r, place) == '(';
    place += bracket;
    if (at(r, place) != 'a' + (uint32_t)number || is_letter(r, place - 1) ||
        !(bracket ? at(r, place + 1) == ')' : is_one_of(at(r, place + 1), ".:)")))
        return 0;
    return pov_reading_skip_blanks(r, place + 2);
}

/* "A: yes / B: no", from its first letter on: the place behind a list of what may be answered, or 0. */
static int skip_choices(const reading *r, int place)
{
    mention one;
    int end = 0, number = 0;
    for (int item; number < POV_ANSWER_OPTIONS_MAX && (item = skip_item_letter(r, place, number)) &&
                   find_mention(&one, r, item, true);
         number++) {
        place = end = one.place + one.length;
        while (place < r->text.len &&
               (at(r, place) == '\n' || is_blank(at(r, place)) || is_one_of(at(r, place), ".,;/|-")))
            place++;
        if (has(r, place, POV_WORD_LINK))
            place = skip_next_word(r, place);
    }
    return number > 1 ? end : 0;
}

static void mark_choices(reading *r)
{
    for (int i = 0, end; i < r->text.len; i++)
        if ((at(r, i) == 'a' || at(r, i) == '(') && (end = skip_choices(r, i))) {
            turn_off(r, (span){i, end});
            for (int k = i; k < end; k++)
                r->open[k] = true;
            i = end - 1;
        }
}

/* True if two answers stand in a span; `loose`: found loosely, too. */
static bool names_two(const reading *r, span s, bool loose)
{
    mention one, first = {.length = 0};
    for (int i = s.from; i < s.to; i++) {
        if (r->off[i] || !(find_mention(&one, r, i, false) || (loose && find_mention(&one, r, i, true))))
            continue;
        if (first.length && first.value != one.value)
            return true;
        first = one;
        i = one.place + one.length - 1;
    }
    return false;
}

static bool begins_clause(const reading *r, span sentence, int place);
static bool concludes_at(const reading *r, span sentence, int place);

/* Two premises, in one sentence or in two, are no answer. */
static void mark_premises(reading *r)
{
    span before = {0, 0};
    for (span s = {0, 0}; s.to < r->text.len;) {
        s = (span){s.to, pov_answer_sentence_end(&r->text, s.to)};
        const int next = s.to;
        int premises = 0;
        for (int i = s.from; i < s.to; i++)
            if (concludes_at(r, s, i))
                s.to = i;
        for (int i = s.from; i < s.to; i++)
            premises +=
                has(r, i, POV_WORD_IF) &&
                (begins_clause(r, s, i) || has(r, pov_answer_previous_word(&r->text, i), POV_WORD_LINK));
        const bool two =
            premises > 1 || (premises && r->of->several == POV_TWO_ARE_NONE && names_two(r, s, false));
        const span all = {premises && before.to > before.from ? before.from : s.from, s.to};
        for (int i = all.from; i < all.to && (two || all.from < s.from); i++)
            r->off[i] = r->open[i] = true;
        before = premises ? s : (span){0, 0};
        s.to = next;
    }
}

/* "The left one is identical to the right one": two that are alike, of which none is named; what says so may be an option. */
static void mark_equals(reading *r, span clause)
{
    if (!r->of->things || !has_any(r, clause, POV_WORD_EQUAL) || !names_two(r, clause, true))
        return;
    for (int i = clause.from; i < clause.to; i++)
        if (has(r, i, POV_WORD_EQUAL) && !pov_reading_is_negated(r, i)) {
            turn_off(r, (span){clause.from, i});
            turn_off(r, (span){i + pov_reading_length(r, i, POV_WORD_EQUAL), clause.to});
            return;
        }
}

static void mark_clauses(reading *r)
{
    mention option; /* "none of these" may be one */
    for (int from = 0, end, to; from < r->text.len; from = end) {
        end = pov_answer_sentence_end(&r->text, from);
        mark_others(r, (span){from, end});
        for (; from < end; from = to) {
            const bool subordinate = has(r, skip_space(r, from), POV_WORD_SUBORDINATION);
            for (to = from + 1; to < end && !ends_clause(r, to, subordinate);)
                to++;
            bool off = text_refuses(r, (span){from, to}) || has_any(r, (span){from, to}, POV_WORD_EVASION);
            for (int i = from; i < to; i++) {
                off = off ||
                      (has(r, i, POV_WORD_WHETHER) && !(r->of->counts && has(r, i, POV_WORD_REMAINING)) &&
                       !find_mention(&option, r, i, false));
                r->off[i] |= off;
            }
            mark_equals(r, (span){from, to});
        }
    }
    mark_choices(r);
    mark_premises(r);
}

/* "or", "/", "and the": the place behind the words that join two answers, or 0. */
static int skip_link(const reading *r, int place)
{
    while (is_blank(at(r, place)) || at(r, place) == ',')
        place++;
    const int length = is_one_of(at(r, place), "/&|+") ? 1 : pov_reading_length(r, place, POV_WORD_LINK);
    place = pov_reading_skip_blanks(r, place + length);
    for (int words = 0; length && words < ARTICLES_MAX && has(r, place, POV_WORD_SMALL); words++)
        place = skip_next_word(r, place);
    return length ? place : 0;
}

/* ", the": the place behind a comma and articles, or 0. */
static int skip_comma(const reading *r, int place)
{
    if (at(r, place) != ',')
        return 0;
    place = pov_reading_skip_blanks(r, place + 1);
    for (int words = 0; words < ARTICLES_MAX && has(r, place, POV_WORD_SMALL); words++)
        place = skip_next_word(r, place);
    return place;
}

/* Past an answer's noun: "left image", "left-hand side image". */
static int skip_noun(const reading *r, int place)
{
    int end = place, words = 0;
    while (words < NOUN_WORDS_MAX && (at(r, end) == ' ' || at(r, end) == '-') && is_letter(r, end + 1) &&
           !has(r, end + 1, POV_WORD_LINK) && !has(r, end + 1, POV_WORD_VERB) &&
           !has(r, end + 1, POV_WORD_CLAUSE)) {
        end = pov_reading_skip_word(r, end + 1);
        words++;
    }
    return end;
}

/* True if what stands at `place` is the text of a span, or "one". */
static bool repeats_noun(const reading *r, span noun, int place)
{
    if (noun.to == noun.from || has(r, pov_reading_skip_blanks(r, place), POV_WORD_ONE))
        return true;
    for (int i = noun.from; i < noun.to; i++)
        if (at(r, i) != at(r, place + i - noun.from))
            return false;
    return true;
}

/* "left or right", "the mug, the bowl and the pan": adds the other answers; false: there are none. Commas alone list three or more. */
static bool is_choice(mention *found, const reading *r, int end, bool loose)
{
    mention next;
    bool differ = false, linked = false;
    int commas = 0, length = found->length;
    for (int place = found->place + length; place < end; place = next.place + next.length) {
        const int noun = skip_noun(r, place), link = skip_link(r, noun),
                  comma = link || linked ? 0 : skip_comma(r, noun);
        if (!(link || comma) || !find_mention(&next, r, link ? link : comma, loose) || next.place >= end ||
            !repeats_noun(r, (span){place, noun}, next.place + next.length))
            break;
        differ |= next.value != found->value;
        linked |= link > 0;
        commas += comma > 0;
        length = next.place + next.length - found->place;
    }
    if (!differ || (!linked && commas < 2))
        return false;
    found->length = length;
    return true;
}

/* The next direction of a set: "front and to the left", "front-left"; `comma`: of a list, "front, left". */
static bool find_next_part(mention *next, bool *comma, const reading *r, span s)
{
    bool linked = false;
    *comma = false;
    for (int words = 0; s.from < s.to && words <= SET_WORDS_MAX;) {
        if (find_mention(next, r, s.from, false)) {
            *comma &= !linked;
            return words == 0 || linked;
        }
        if (is_letter(r, s.from)) {
            const bool link = has(r, s.from, POV_WORD_LINK);
            linked |= link;
            words += !link && !has(r, s.from, POV_WORD_SMALL);
            if (has(r, s.from, POV_WORD_CLAUSE))
                return false;
            s.from = pov_reading_skip_word(r, s.from);
        } else {
            *comma |= at(r, s.from) == ',';
            if (!is_blank(at(r, s.from)) && !is_one_of(at(r, s.from), ",-/&+"))
                return false;
            s.from++;
        }
    }
    return false;
}

/* Adds the other parts of a set, up to a comma. False: there are so many, behind commas too, that the text lists options. */
static bool join_parts(mention *found, const reading *r, int end)
{
    mention next;
    unsigned parts = (unsigned)found->value, listed = parts;
    bool comma = false, further;
    span rest = {found->place + found->length, end};
    for (; find_next_part(&next, &further, r, rest); rest.from = next.place + next.length) {
        comma |= further;
        listed |= (unsigned)next.value;
        if (!comma) {
            parts = listed;
            found->length = next.place + next.length - found->place;
        }
    }
    const bool is_list = __builtin_popcount(listed) > 2;
    found->length = is_list ? rest.from - found->place : found->length;
    found->value = parts;
    return !is_list;
}

/* ---- naming ---- */

/* The first answer that a span names. */
static bool name_in(mention *found, const reading *r, span s, bool loose)
{
    for (int i = s.from; i < s.to; i++) {
        if (r->off[i] || !find_mention(found, r, i, loose))
            continue;
        if (r->of->several == POV_TWO_ARE_NONE    ? !is_choice(found, r, s.to, loose)
            : r->of->several == POV_TWO_ARE_A_SET ? join_parts(found, r, s.to)
                                                  : true)
            return true;
        i = found->place + found->length - 1;
    }
    return false;
}

static bool name_in_any_way(mention *found, const reading *r, span s)
{
    return name_in(found, r, s, false) || name_in(found, r, s, true);
}

static bool guess_in(mention *found, const reading *r, span s)
{
    return r->of->guess && r->of->guess(found, r, s);
}

/* True if a span is one answer and nothing else but small words. */
static bool is_only(mention *found, const reading *r, span s)
{
    const bool set = r->of->several == POV_TWO_ARE_A_SET;
    mention next;
    found->length = 0;
    for (int i = s.from; i < s.to;) {
        if (find_mention(&next, r, i, false) || find_mention(&next, r, i, true)) {
            if (r->off[i])
                return false;
            if (found->length && !set && next.value != found->value)
                return false;
            next.value = found->length && set ? (unsigned)next.value | (unsigned)found->value : next.value;
            *found = next;
            i = next.place + next.length;
        } else {
            if (is_letter(r, i) && !has(r, i, POV_WORD_SMALL) && !has(r, i, POV_WORD_FILLER))
                return false;
            i = is_letter(r, i) ? pov_reading_skip_word(r, i) : i + 1;
        }
    }
    return found->length && !text_refuses(r, s) && !(set && __builtin_popcount((unsigned)found->value) > 2);
}

/* Past "- ", "1. ". */
static int skip_bullet(const reading *r, int place)
{
    int i = place = pov_reading_skip_blanks(r, place);
    while (at(r, i) >= '0' && at(r, i) <= '9')
        i++;
    const bool is_bullet = i > place ? is_one_of(at(r, i), ".)") : at(r, i) == '-' || at(r, i) == 0x2022;
    return is_bullet && at(r, i + 1) == ' ' ? pov_reading_skip_blanks(r, i + 1) : place;
}

static bool is_dash(const reading *r, int place)
{
    return at(r, place) == 0x2013 || at(r, place) == 0x2014 ||
           (at(r, place) == '-' && at(r, place - 1) == ' ' && at(r, place + 1) == ' ');
}

static bool ends_chunk(const reading *r, int place)
{
    const uint32_t c = at(r, place);
    return is_one_of(c, ",:;!\n([") || is_dash(r, place) || c == 0xff0c || c == 0x3002 || c == 0xff01 ||
           c == 0x60c || c == 0x964 || (c == '.' && !is_letter(r, place + 1));
}

/* 3.1: "No, ...", "On the left.", "(B) ..." */
static bool name_at_beginning(mention *found, const reading *r, span s)
{
    span chunk = {skip_bullet(r, s.from), 0};
    while (chunk.from < s.to && !is_letter(r, chunk.from))
        chunk.from++;
    for (chunk.to = chunk.from; chunk.to < s.to && !ends_chunk(r, chunk.to);)
        chunk.to++;
    return at(r, chunk.to - 1) != '?' && is_only(found, r, chunk);
}

/* 6 */
static pov_answer_kind fail_in(const reading *r, span s)
{
    return text_refuses(r, s) || has_any(r, s, POV_WORD_APOLOGY) ? POV_ANSWER_REFUSED
           : r->text.len                                         ? POV_ANSWER_UNCLEAR
                                                                 : POV_ANSWER_MISSING;
}

/* ---- 2: the marked answer ---- */

/* A verb's may lead nowhere: "the answer is based on ..." */
typedef enum { UNMARKED, BY_VERB, BY_SIGN } mark;

/* Up to the bracket that closes the one at `open`. */
static span find_bracketed(const reading *r, int open)
{
    const uint32_t opening = at(r, open), closing = opening + (opening == '(' ? 1 : 2); /* (), [], {} */
    int end = open + 1;
    for (int depth = 1; end < r->text.len; end++) {
        depth += (at(r, end) == opening) - (at(r, end) == closing);
        if (depth == 0)
            break;
    }
    return (span){open + 1, end};
}

/* A JSON value: text, list, object, or a word. A single quote within a text does not end it. */
static span find_value(const reading *r, int place)
{
    while (at(r, place) == ' ')
        place++;
    const uint32_t quote = at(r, place);
    if (is_one_of(quote, "[{"))
        return find_bracketed(r, place);
    const bool quoted = is_one_of(quote, "\"'");
    int end = place + quoted;
    for (; end < r->text.len; end++)
        if (quoted ? at(r, end) == quote && (quote == '"' || !is_letter(r, end + 1))
                   : is_one_of(at(r, end), ",}\n"))
            break;
    return (span){place + quoted, end};
}

/* The rest of a sentence, or of the next line; not the explanation behind it. */
static span find_rest(const reading *r, int place)
{
    span s = {skip_bullet(r, skip_space(r, place)), 0};
    s.to = pov_answer_sentence_end(&r->text, s.from);
    for (int i = s.from; i < s.to; i++)
        if (has(r, i, POV_WORD_EXPLANATION) && at(r, skip_next_word(r, i)) == ':')
            s.to = i;
    return s;
}

/* Past "(yes or no)", "to your question". */
static int skip_aside(const reading *r, int place)
{
    int i = place;
    if (at(r, i) == '(')
        return pov_reading_skip_blanks(r, find_bracketed(r, i).to + 1);
    if (!has(r, i, POV_WORD_ASIDE))
        return place;
    for (int words = 0; words < ASIDE_WORDS_MAX && is_letter(r, i); words++, i = skip_next_word(r, i))
        if (has(r, i, POV_WORD_VERB))
            return i;
    return at(r, i) == ':' ? i : place;
}

static bool is_separator(const reading *r, int place)
{
    const uint32_t c = at(r, place);
    return is_one_of(c, ":=") || c == 0xff1a || c == 0x2192 || is_dash(r, place);
}

/* "<answer>", "<|begin_of_box|>", not "</answer>" or "<|end_of_box|>": the place behind it, or 0. */
static int skip_tag(const reading *r, int noun, int end)
{
    const int first = noun - TAG_LENGTH_MAX;
    while (is_one_of(at(r, end), " |"))
        end++;
    while (noun > first && (is_letter(r, noun - 1) || at(r, noun - 1) == ' '))
        noun--;
    const bool opens = is_one_of(at(r, noun - 1), "<|") && !has(r, noun, POV_WORD_END);
    return opens && at(r, end) == '>' ? end + 1 : 0;
}

/* "answer": the place behind a key's colon, or 0. */
static int skip_key(const reading *r, int place)
{
    const int noun = pov_reading_length(r, place, POV_WORD_NOUN), quote = place + noun;
    int i = quote + 1;
    while (at(r, i) == ' ')
        i++;
    return noun && is_one_of(at(r, quote), "\"'") && at(r, i) == ':' ? i + 1 : 0;
}

/* The span that a noun at [noun, end) marks as the answer. `strong`: it marks an answer before a verb, too. */
static mark find_marked_by(span *s, const reading *r, int noun, int end, bool strong)
{
    const int tag = skip_tag(r, noun, end);
    if (tag) {
        for (*s = (span){tag, tag}; s->to < r->text.len && at(r, s->to) != '<';)
            s->to++;
        return BY_SIGN;
    }
    int i = pov_reading_skip_blanks(r, end);
    if (r->open[noun])
        return UNMARKED;
    const bool bracket = at(r, i) == ']';
    i = skip_aside(r, pov_reading_skip_blanks(r, i + bracket));
    if (is_separator(r, i) || bracket || at(r, i) == '\n') {
        *s = find_rest(r, i + is_separator(r, i));
        return BY_SIGN;
    }
    const int verb = pov_reading_length(r, i, POV_WORD_VERB);
    if (!strong || !(verb || has(r, i, POV_WORD_OPEN)))
        return UNMARKED;
    i = pov_reading_skip_blanks(r, i + verb);
    *s = find_rest(r, i + (verb && is_separator(r, i)));
    return BY_VERB;
}

static mark find_mark_at(span *s, const reading *r, int place)
{
    const int noun = pov_reading_length(r, place, POV_WORD_NOUN),
              total = r->of->counts ? pov_reading_length(r, place, POV_WORD_TOTAL) : 0,
              choice = pov_reading_length(r, place, POV_WORD_CHOICE),
              boxed = pov_reading_length(r, place, POV_WORD_BOXED);
    if (noun || total || choice)
        return find_marked_by(s, r, place,
                              place + (noun    ? noun
                                       : total ? total
                                               : choice),
                              noun || total || pov_reading_is_after(r, place, POV_WORD_CALLED));
    if (!boxed || at(r, place + boxed) != '{')
        return UNMARKED;
    *s = find_bracketed(r, place + boxed);
    return BY_SIGN;
}

/* A span is read by its beginning, then its sentences up to the first that names an answer or refuses. */
static pov_answer_kind read_marked(mention *found, const reading *r, span s)
{
    if (name_at_beginning(found, r, s))
        return POV_ANSWER_GIVEN;
    for (span rest = s; rest.from < s.to; rest.from = rest.to) {
        rest.to = pov_answer_sentence_end(&r->text, rest.from);
        rest.to = rest.to < s.to ? rest.to : s.to;
        if (name_in_any_way(found, r, rest) || guess_in(found, r, rest))
            return POV_ANSWER_GIVEN;
        if (text_refuses(r, rest))
            return POV_ANSWER_REFUSED;
    }
    return fail_in(r, s);
}

/* The last mark, of JSON the last key; a verb's mark that leads nowhere only if there is no other. False: there is none. */
static bool read_last_mark(pov_answer_kind *kind, mention *found, const reading *r)
{
    bool settled = false;
    int marks = 0;
    *kind = POV_ANSWER_UNCLEAR;
    for (int i = r->text.len - 1; i >= 0; i--) {
        span s;
        const int key = skip_key(r, i);
        if (key) {
            *kind = read_marked(found, r, find_value(r, key));
            return true;
        }
        const mark m = settled || marks == MARKS_MAX ? UNMARKED : find_mark_at(&s, r, i);
        if (m == UNMARKED)
            continue;
        marks++;
        *kind = read_marked(found, r, s);
        settled = m == BY_SIGN || *kind != POV_ANSWER_UNCLEAR;
    }
    return marks > 0;
}

/* ---- 3: without a mark ---- */

static bool is_question(const reading *r, span sentence)
{
    while (sentence.to > sentence.from && !is_letter(r, sentence.to - 1)) {
        const uint32_t c = at(r, --sentence.to);
        if (c == '?' || c == 0xff1f || c == 0x61f)
            return true;
    }
    return false;
}

typedef struct {
    int place; /* -1: there is none */
    pov_answer_kind kind;
    mention found;
} conclusion;

/* Takes a span that begins later than the conclusion so far, if it names an answer (`whole`: and nothing else) or refuses. */
static void take_conclusion(conclusion *last, const reading *r, span s, bool whole)
{
    mention one;
    if (s.from <= last->place)
        return;
    const bool names = name_in_any_way(&one, r, s);
    if (whole ? is_only(&one, r, s) : names)
        *last = (conclusion){s.from, POV_ANSWER_GIVEN, one};
    else if (!names && text_refuses(r, s))
        *last = (conclusion){s.from, POV_ANSWER_REFUSED, {0}};
}

static bool begins_clause(const reading *r, span sentence, int place)
{
    int before = place;
    while (before > sentence.from && (at(r, before - 1) == '\n' || is_blank(at(r, before - 1))))
        before--;
    return before == sentence.from || ends_chunk(r, place - 2);
}

static bool concludes_at(const reading *r, span sentence, int place)
{
    return has(r, place, POV_WORD_THEREFORE) ||
           (has(r, place, POV_WORD_SO) && !has(r, place, POV_WORD_NOT_SO) &&
            begins_clause(r, sentence, place));
}

/* True if a span that begins a line is the text's last sentence. */
static bool is_last_sentence(const reading *r, span s)
{
    int from = s.from;
    while (from > 0 && is_blank(at(r, from - 1)))
        from--;
    return s.to >= r->end - 1 && from > 0 && at(r, from - 1) == '\n' &&
           pov_answer_sentence_end(&r->text, s.from) >= r->end;
}

/* 3.3: from `start` on, the last of bold type, the last sentence, and what follows "therefore", up to the next. */
static pov_answer_kind read_conclusion(mention *found, const reading *r, int start)
{
    conclusion last = {.place = -1, .kind = POV_ANSWER_UNCLEAR};
    for (int k = 0; k < r->text.bold_len; k++)
        if (r->text.bold[k].from >= start)
            take_conclusion(&last, r, r->text.bold[k], !is_last_sentence(r, r->text.bold[k]));
    for (span s = {start, start}; s.to < r->text.len;) {
        s = (span){s.to, pov_answer_sentence_end(&r->text, s.to)};
        if (is_question(r, s))
            continue;
        if (s.to >= r->end)
            take_conclusion(&last, r, s, true);
        for (int i = s.from, begin = -1; i <= s.to; i++)
            if (i == s.to || concludes_at(r, s, i)) {
                if (begin >= 0)
                    take_conclusion(&last, r, (span){begin, i}, false);
                begin = i;
            }
    }
    *found = last.found;
    return last.kind;
}

/* 3.4: strictly, then loosely, then by a guess at the first sentence. After a sentence that cannot tell, only strictly. */
static bool name_in_sentences(mention *found, const reading *r, int start)
{
    for (int round = 0; round < 3; round++)
        for (span s = {start, start}; s.to < r->text.len;) {
            s = (span){s.to, pov_answer_sentence_end(&r->text, s.to)};
            if (is_question(r, s))
                continue;
            if (round < 2 ? name_in(found, r, s, round) : guess_in(found, r, s))
                return true;
            if (round == 2 || (round == 1 && text_refuses(r, s)))
                return false;
        }
    return false;
}

/* "None of the options is right", unless that is an option. */
static bool says_none_fits(const reading *r, span s)
{
    mention option;
    while (s.from < s.to && !(has(r, s.from, POV_WORD_NONE_FITS) && !find_mention(&option, r, s.from, false)))
        s.from++;
    return s.from < s.to && !r->of->counts;
}

static pov_answer_kind read_unmarked(mention *found, const reading *r, int start, bool plain)
{
    pov_answer_kind kind;
    const span rest = {start, r->text.len};
    if (name_at_beginning(found, r, rest))
        return POV_ANSWER_GIVEN;
    if (plain && (kind = read_conclusion(found, r, start)) != POV_ANSWER_UNCLEAR)
        return kind;
    if (says_none_fits(r, rest))
        return POV_ANSWER_UNCLEAR;
    return plain && name_in_sentences(found, r, start) ? POV_ANSWER_GIVEN : fail_in(r, rest);
}

/* 3.1: the text after the last "wait" or "actually" that begins a clause. */
static bool read_correction(mention *found, const reading *r)
{
    int start = 0;
    for (span s = {0, 0}; s.to < r->text.len;) {
        s = (span){s.to, pov_answer_sentence_end(&r->text, s.to)};
        for (int i = s.from; i < s.to; i++)
            if (has(r, i, POV_WORD_CORRECTION) && begins_clause(r, s, i))
                for (start = i + pov_reading_length(r, i, POV_WORD_CORRECTION);
                     start < r->text.len && (is_one_of(at(r, start), ",.:;!-\n") || is_blank(at(r, start)));)
                    start++;
    }
    return start > 0 && read_unmarked(found, r, start, true) == POV_ANSWER_GIVEN;
}

/* "nan", "None", an engine's own text: nothing came. "none" may be a number. */
static bool is_no_answer(const reading *r)
{
    static const char *const nothing[] = {"nan", "null", "none", NULL};
    const int length = pov_answer_any_at(&r->text, 0, nothing);
    return has(r, skip_space(r, 0), POV_WORD_FAILURE) ||
           (length == r->text.len && !(r->of->counts && at(r, 0) == 'n' && at(r, 1) == 'o'));
}

static void begin_reading(reading *r, const char *text, size_t length)
{
    pov_answer_fold(&r->text, text, length);
    r->classes = pov_allocate((size_t)r->text.len + 1, sizeof *r->classes);
    r->off = pov_allocate((size_t)r->text.len + 1, sizeof *r->off);
    r->open = pov_allocate((size_t)r->text.len + 1, sizeof *r->open);
    for (r->end = r->text.len; r->end > 0 && (at(r, r->end - 1) == '\n' || is_blank(at(r, r->end - 1)));)
        r->end--;
    find_words(r);
}

static void end_reading(reading *r)
{
    pov_answer_text_free(&r->text);
    free(r->classes);
    free(r->off);
    free(r->open);
}

pov_answer_kind pov_reading_answer(mention *found, const char *answer, const pov_vocabulary *of, bool plain)
{
    reading r = {.of = of};
    pov_answer_kind kind;
    const span said = find_said(answer);
    begin_reading(&r, answer + said.from, (size_t)(said.to - said.from));
    mark_clauses(&r);
    if (is_no_answer(&r))
        kind = POV_ANSWER_MISSING;
    else if (!read_last_mark(&kind, found, &r))
        kind = plain && read_correction(found, &r) ? POV_ANSWER_GIVEN : read_unmarked(found, &r, 0, plain);
    end_reading(&r);
    return kind;
}

bool pov_answer_is_failure(const char *text)
{
    reading r = {.of = NULL};
    begin_reading(&r, text, SIZE_MAX);
    const bool failed = has(&r, skip_space(&r, 0), POV_WORD_FAILURE);
    end_reading(&r);
    return failed;
}

bool pov_reading_refuses(const char *text)
{
    reading r = {.of = NULL};
    begin_reading(&r, text, SIZE_MAX);
    const bool refuses = fail_in(&r, (span){0, r.text.len}) == POV_ANSWER_REFUSED;
    end_reading(&r);
    return refuses;
}
