/* Sentences from patterns, and finding languages and nouns. */
#include "compare/languages/language_internal.h"
#include "config/files/nearest_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int pov_languages_len(const pov_languages *languages)
{
    return languages->len;
}

const pov_language *pov_languages_at(const pov_languages *languages, int index)
{
    POV_REQUIRE(index >= 0 && index < languages->len);
    return &languages->list[index];
}

const pov_language *pov_languages_have(const pov_languages *languages, const char *code)
{
    for (int i = 0; i < languages->len; i++)
        if (strcasecmp(languages->list[i].code, code) == 0)
            return &languages->list[i];
    return NULL;
}

pov_status pov_languages_find(const pov_language **language, const pov_languages *languages, const char *code)
{
    const char *codes[POV_LANGUAGES_MAX];
    *language = pov_languages_have(languages, code);
    if (*language)
        return pov_ok();
    for (int i = 0; i < languages->len; i++)
        codes[i] = languages->list[i].code;
    const char *nearest = pov_nearest_name(code, codes, languages->len);
    return pov_error("there is no language \"%s\"%s%s%s; 'pov questions --languages' lists them", code,
                     nearest ? "; the nearest is \"" : "", nearest ? nearest : "", nearest ? "\"" : "");
}

pov_yes_no_words pov_language_words(const pov_language *language)
{
    return (pov_yes_no_words){language->yes, language->no};
}

/* -------- nouns -------- */

/* "rubber duck", "Rubber-Duck" and "rubber_duck" are one. */
static bool is_same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char x = *a == ' ' || *a == '-' ? '_' : *a, y = *b == ' ' || *b == '-' ? '_' : *b;
        if (strncasecmp(&x, &y, 1) != 0)
            return false;
    }
    return *a == *b;
}

const pov_noun *pov_language_noun_at(const pov_language *language, int index)
{
    for (; language; language = language->base) {
        if (index < language->noun_len)
            return &language->nouns[index];
        index -= language->noun_len;
    }
    return NULL;
}

static const pov_noun *noun_called(const pov_language *language, const char *name)
{
    const pov_noun *noun;
    for (int i = 0; (noun = pov_language_noun_at(language, i)); i++)
        if (is_same(noun->id, name))
            return noun;
    return NULL;
}

const pov_noun *pov_language_noun(const pov_language *language, const char *name, const char *class_name)
{
    const pov_noun *noun = noun_called(language, name);
    return noun ? noun : noun_called(language, class_name);
}

/* -------- sentences -------- */

typedef struct {
    char *text;
    size_t len;
} sentence_end;

/* What does not fit is left out, and so is all that follows; a character is never split. */
static void append(sentence_end *end, const char *text, size_t len)
{
    size_t room = POV_SENTENCE_CAPACITY - 1 - end->len;
    if (len > room) {
        len = room;
        while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
            len--;
    }
    memcpy(end->text + end->len, text, len);
    end->len += len;
    end->text[end->len] = '\0';
}

bool pov_pattern_next(pov_pattern_slot *slot, const char **rest)
{
    static const char *const names[] = {"referent", "relatum", "viewer", "object", "relation"};
    const char *open = strchr(*rest, '{'), *close = open ? strchr(open, '}') : NULL;
    *slot = (pov_pattern_slot){.role = POV_ROLE_NONE, .before = *rest, .before_len = strlen(*rest)};
    if (!open)
        return false;
    slot->before_len = (size_t)(open - *rest);
    slot->form = close;
    if (!close)
        return true;
    size_t name_len = strcspn(open + 1, ".}");
    for (int i = 0; i < POV_ROLE_NONE; i++)
        if (strlen(names[i]) == name_len && strncmp(names[i], open + 1, name_len) == 0)
            slot->role = (pov_sentence_role)i;
    slot->form = open + 1 + name_len;
    slot->form += *slot->form == '.';
    slot->form_len = (size_t)(close - slot->form);
    *rest = close + 1;
    return true;
}

int pov_pattern_form(const pov_language *language, const pov_pattern_slot *slot)
{
    if (slot->form_len == 0)
        return 0;
    for (int i = 0; i < language->form_len; i++)
        if (strlen(language->form[i]) == slot->form_len &&
            strncmp(language->form[i], slot->form, slot->form_len) == 0)
            return i;
    return -1;
}

static const pov_noun *noun_of(const pov_sentence_nouns *nouns, pov_sentence_role role)
{
    const pov_noun *const by_role[] = {nouns->referent, nouns->relatum, nouns->viewer, nouns->object};
    POV_REQUIRE(role < POV_ROLE_RELATION && by_role[role]);
    return by_role[role];
}

/* Patterns were checked when they were read. `relation` NULL: the pattern is a relation's own. */
static void fill(sentence_end *end, const pov_language *language, const char *pattern, const char *relation,
                 const pov_sentence_nouns *nouns)
{
    pov_pattern_slot slot;
    while (pov_pattern_next(&slot, &pattern)) {
        append(end, slot.before, slot.before_len);
        if (slot.role == POV_ROLE_RELATION) {
            POV_REQUIRE(relation);
            fill(end, language, relation, NULL, nouns);
            continue;
        }
        const char *word = noun_of(nouns, slot.role)->words[pov_pattern_form(language, &slot)];
        append(end, word, strlen(word));
    }
    append(end, slot.before, slot.before_len);
}

void pov_language_ask(const pov_language *language, char sentence[POV_SENTENCE_CAPACITY], pov_prompt prompt,
                      pov_relation relation, const pov_sentence_nouns *nouns)
{
    POV_REQUIRE(prompt < POV_PROMPT_COUNT && relation <= POV_BEHIND);
    sentence_end end = {sentence, 0};
    *sentence = '\0';
    fill(&end, language, language->ask[prompt], language->relation[relation], nouns);
}

void pov_language_ask_present(const pov_language *language, char sentence[POV_SENTENCE_CAPACITY],
                              const pov_sentence_nouns *nouns)
{
    sentence_end end = {sentence, 0};
    *sentence = '\0';
    fill(&end, language, language->present, NULL, nouns);
}
