/* The sentences and words of replies in a grammar's language. */
#include "ask/grammar/grammar_internal.h"

#include "config/files/grow.h"
#include "config/files/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pattern with fewer letters of its own ("%s is") is like too much. Chosen. */
enum { LEAST_LITERAL = 10 };

/* "%s" and "%.2f" of a format, one after the other. */
static const char *next_conversion(const char *format, size_t *length)
{
    const char *at = strchr(format, '%');
    *length = at ? strspn(at + 1, ".0123456789") + 2 : 0;
    return at;
}

static bool has_same_conversions(const char *a, const char *b)
{
    for (size_t in_a, in_b;;) {
        a = next_conversion(a, &in_a);
        b = next_conversion(b, &in_b);
        if (!a || !b)
            return !a && !b;
        if (in_a != in_b || strncmp(a, b, in_a) != 0 || a[in_a - 1] == '\0')
            return false;
        a += in_a;
        b += in_b;
    }
}

static char *copy_trimmed(const char *from, const char *until)
{
    while (from < until && *from == ' ')
        from++;
    while (until > from && (until[-1] == ' ' || until[-1] == '\r'))
        until--;
    return strndup(from, (size_t)(until - from));
}

/* "Tasse (f), Tassen": copies what stands before " (", between the brackets, and behind the comma. An English adjective has the bracket
 * itself: "red (f) => rote". */
static bool read_translation(pov_translation *t, const char *english, const char *said)
{
    const char *open = strstr(said, " ("), *close = open ? strchr(open, ')') : NULL;
    const bool adjective = !open && strstr(english, " (");
    if (strchr(english, '%') || (!adjective && (!close || (close[1] != '\0' && close[1] != ','))))
        return false;
    return pov_text_fits(t->english, sizeof t->english, english) &&
           pov_text_fits_as(t->word, sizeof t->word, "%.*s",
                            (int)(adjective ? strlen(said) : (size_t)(open - said)), said) &&
           pov_text_fits_as(t->gender, sizeof t->gender, "%.*s", adjective ? 0 : (int)(close - open - 2),
                            said + (adjective ? 0 : open + 2 - said)) &&
           pov_text_fits(t->several, sizeof t->several,
                         !adjective && close[1] == ',' ? close + 2 + (close[2] == ' ') : "");
}

pov_status pov_grammar_read_phrases(pov_grammar *g, const char *name, const char *text, size_t length)
{
    int number = 0;
    for (const char *line = text, *end = text + length, *stop; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        number++;
        if (stop - line < 3 || strncmp(line, "#= ", 3) != 0)
            continue;
        const char *arrow = memmem(line, (size_t)(stop - line), "=>", 2);
        char *english = copy_trimmed(line + 3, arrow ? arrow : stop),
             *said = copy_trimmed(arrow ? arrow + 2 : stop, stop);
        const bool fits = english && said && arrow && has_same_conversions(english, said);
        if (!pov_grow(&g->said, &g->said_capacity, g->said_len + 1, sizeof *g->said)) {
            free(english);
            free(said);
            return pov_error("out of memory");
        }
        g->said[g->said_len++] = english;
        g->said[g->said_len++] = said;
        if (!fits)
            return pov_error("%s:%d: expected #= ENGLISH => TRANSLATION, with the same %% in both", name,
                             number);
        pov_translation translation;
        if (!read_translation(&translation, english, said))
            continue;
        if (!pov_grow(&g->translations, &g->translation_capacity, g->translation_len,
                      sizeof *g->translations))
            return pov_error("out of memory");
        g->translations[g->translation_len++] = translation;
    }
    return pov_ok();
}

const char *pov_grammar_say(const pov_grammar *g, const char *english)
{
    for (int i = 0; g && i + 1 < g->said_len; i += 2)
        if (strcmp(g->said[i], english) == 0)
            return g->said[i + 1];
    return english;
}

/* Parts of a text in the places of a pattern's conversions. */
enum { PARTS_MAX = 6 };
typedef struct {
    const char *at[PARTS_MAX];
    size_t length[PARTS_MAX];
    size_t literal; /* bytes that the pattern has itself */
} pattern_parts;

static bool match_pattern(pattern_parts *parts, const char *pattern, const char *text)
{
    *parts = (pattern_parts){0};
    for (int part = 0;; part++) {
        size_t conversion;
        const char *next = next_conversion(pattern, &conversion);
        const size_t literal = next ? (size_t)(next - pattern) : strlen(pattern);
        if (strncmp(text, pattern, literal) != 0 || (!next && text[literal] != '\0'))
            return false;
        parts->literal += literal;
        if (!next || part == PARTS_MAX)
            return !next;
        text += literal;
        pattern = next + conversion;
        const size_t following = strcspn(pattern, "%");
        char stop[128];
        snprintf(stop, sizeof stop, "%.*s", (int)following, pattern);
        const char *end = following > 0 ? strstr(text, stop) : text + strlen(text);
        if (!end)
            return false;
        parts->at[part] = text;
        parts->length[part] = (size_t)(end - text);
        text = end;
    }
}

void pov_grammar_say_like(const pov_grammar *g, char *out, size_t capacity, const char *said)
{
    pattern_parts best = {.literal = LEAST_LITERAL}, parts;
    const char *format = said;
    for (int i = 0; g && i + 1 < g->said_len; i += 2)
        if (match_pattern(&parts, g->said[i], said) && parts.literal > best.literal) {
            best = parts;
            format = g->said[i + 1];
        }
    size_t length = 0, conversion;
    out[0] = '\0';
    for (int part = 0; length < capacity; part++) {
        const char *next = format == said ? NULL : next_conversion(format, &conversion);
        length += (size_t)snprintf(out + length, capacity - length, "%.*s",
                                   (int)(next ? (size_t)(next - format) : strlen(format)), format);
        if (!next || length >= capacity)
            return;
        length +=
            (size_t)snprintf(out + length, capacity - length, "%.*s", (int)best.length[part], best.at[part]);
        format = next + conversion;
    }
}

const pov_translation *pov_grammar_translation_at(const pov_grammar *g, int index)
{
    return g && index < g->translation_len ? &g->translations[index] : NULL;
}
