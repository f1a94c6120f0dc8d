#include "ask/meaning/lexicon.h"

#include <stdio.h>
#include <string.h>

bool pov_is_person(const pov_scene *scene, pov_id id)
{
    static const char *const classes[] = {"person", "man",    "woman", "child",      "boy",
                                          "girl",   "figure", "human", "minifigure", NULL};
    const pov_entity *entity = &scene->entities[id];
    if (id == scene->camera)
        return false;
    for (int i = 0; classes[i]; i++)
        if (strcmp(entity->class_name, classes[i]) == 0)
            return true;
    return entity->addressee || entity->can_see;
}

const char *pov_name_thing(char text[64], const pov_scene *scene, pov_id id)
{
    const pov_entity *entity = &scene->entities[id];
    bool own_name = pov_is_person(scene, id) && strcmp(entity->name, entity->class_name) != 0;
    if (id == scene->camera)
        return strcpy(text, "me");
    snprintf(text, 64, "%s%s", own_name ? "" : "the ", entity->name);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '_' || *c == '-' ? ' ' : *c;
    if (own_name && text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - 'a' + 'A');
    return text;
}

bool pov_is_surface(const pov_entity *entity)
{
    static const char *const classes[] = {"table",     "desk",     "floor", "ground", "counter",
                                          "turntable", "tabletop", "room",  NULL};
    for (int i = 0; classes[i]; i++)
        if (strcmp(entity->class_name, classes[i]) == 0)
            return true;
    return false;
}

/* -------- words -------- */

static int find_word(const pov_vocabulary *vocabulary, const char *word)
{
    int at = 0;
    while (at < vocabulary->len && strcmp(vocabulary->word[at], word) != 0)
        at++;
    return at < vocabulary->len ? at : -1;
}

static void add_word(pov_lexicon *lexicon, pov_thing_words *thing, const char *word)
{
    pov_vocabulary_add(&lexicon->vocabulary, word);
    const int at = find_word(&lexicon->vocabulary, word);
    for (int i = 0; i < thing->len; i++)
        if (thing->word[i] == at)
            return;
    if (at >= 0 && thing->len < POV_THING_WORDS_MAX)
        thing->word[thing->len++] = (uint16_t)at;
}

static bool has_word(const pov_thing_words *thing, int word)
{
    for (int i = 0; i < thing->len; i++)
        if (thing->word[i] == word)
            return true;
    return false;
}

static void read_thing(pov_lexicon *lexicon, pov_id id, const pov_entity *entity)
{
    char text[POV_NAME_CAPACITY + POV_ABOUT_CAPACITY + 4];
    pov_words words;
    pov_thing_words *thing = &lexicon->thing[id];
    thing->len = thing->name_len = 0;
    for (int i = 0; pov_words_split(&words, entity->name) && i < words.len; i++)
        add_word(lexicon, thing, words.word[i]);
    thing->name_len = thing->len;
    snprintf(text, sizeof text, "%s %s", entity->class_name, entity->about);
    for (int i = 0; pov_words_split(&words, text) && i < words.len; i++)
        add_word(lexicon, thing, words.word[i]);
}

/* -------- words that people use for others -------- */

/* The words of one alternative of ALIKE. */
static int read_group(const char *group[POV_THING_WORDS_MAX], const pov_grammar *language, int alternative)
{
    const pov_alternative *a = pov_grammar_alternative_at(language, alternative);
    int len = 0;
    for (int i = 0; i < a->len && len < POV_THING_WORDS_MAX; i++) {
        const pov_symbol *symbol = pov_grammar_symbol_at(language, a->first + i);
        if (symbol->kind == POV_SYMBOL_WORD)
            group[len++] = pov_grammar_word(language, symbol->index);
    }
    return len;
}

/* A word that some thing is called by itself is left to that thing. `own`: the number of words that the scene has itself. */
static void add_group(pov_lexicon *lexicon, const pov_scene *scene, const char *const *group, int len,
                      int own)
{
    int known[POV_THING_WORDS_MAX];
    bool some = false;
    for (int i = 0; i < len; i++) {
        known[i] = find_word(&lexicon->vocabulary, group[i]);
        known[i] = known[i] < own ? known[i] : -1;
        some = some || known[i] >= 0;
    }
    for (pov_id id = 0; id < scene->len && some; id++) {
        bool member = false;
        for (int i = 0; i < len; i++)
            member = member || (known[i] >= 0 && has_word(&lexicon->thing[id], known[i]));
        for (int i = 0; i < len && member; i++)
            if (known[i] < 0)
                add_word(lexicon, &lexicon->thing[id], group[i]);
    }
}

static void add_likes(pov_lexicon *lexicon, const pov_scene *scene, const pov_grammar *language, int own)
{
    const int found = pov_grammar_find_rule(language, "ALIKE");
    const pov_grammar_rule *rule = found < 0 ? NULL : pov_grammar_rule_at(language, found);
    for (int i = 0; rule && i < rule->len; i++) {
        const char *group[POV_THING_WORDS_MAX];
        add_group(lexicon, scene, group, read_group(group, language, rule->first + i), own);
    }
}

/* -------- the lexicon -------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u; /* FNV-1a */
    return (hash ^ 0xff) * 1099511628211u;
}

void pov_lexicon_read(pov_lexicon *lexicon, const pov_scene *scene, const pov_grammar *const *languages,
                      int len)
{
    uint64_t hash = 14695981039346656037u ^ (uint64_t)(scene->len * 257 + scene->camera);
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        hash = hash_text(hash_text(hash_text(hash, entity->name), entity->class_name), entity->about);
    }
    if (hash == lexicon->hash)
        return;
    lexicon->hash = hash;
    lexicon->vocabulary.len = 0;
    for (pov_id id = 0; id < scene->len; id++) {
        lexicon->thing[id].len = lexicon->thing[id].name_len = 0;
        if (id != scene->camera)
            read_thing(lexicon, id, &scene->entities[id]);
    }
    const int own = lexicon->vocabulary.len;
    for (int i = 0; i < len; i++)
        add_likes(lexicon, scene, languages[i], own);
}

bool pov_lexicon_has(const pov_lexicon *lexicon, pov_id id, const char *word)
{
    return has_word(&lexicon->thing[id], find_word(&lexicon->vocabulary, word));
}

bool pov_lexicon_is_name(const pov_lexicon *lexicon, pov_id id, const char *const *word, int len)
{
    const pov_thing_words *thing = &lexicon->thing[id];
    bool same = thing->name_len == len && len > 0;
    for (int i = 0; i < len && same; i++)
        same = strcmp(lexicon->vocabulary.word[thing->word[i]], word[i]) == 0;
    return same;
}
