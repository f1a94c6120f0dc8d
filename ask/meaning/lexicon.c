#include "ask/meaning/lexicon.h"
#include "perception/hash.h"

#include <stdio.h>
#include <string.h>

static bool is_word_for_people(const char *word)
{
    static const char *const words[] = {"person", "man",    "woman", "child",      "boy",
                                        "girl",   "figure", "human", "minifigure", NULL};
    for (int i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

bool pov_is_person(const pov_scene *scene, pov_id id)
{
    const pov_entity *entity = &scene->entities[id];
    return id != scene->camera &&
           (is_word_for_people(entity->class_name) || entity->addressee || entity->can_see);
}

const char *pov_name_thing(char text[64], const pov_scene *scene, pov_id id)
{
    const pov_entity *entity = &scene->entities[id];
    const bool own_name = pov_is_person(scene, id) && strcmp(entity->name, entity->class_name) != 0 &&
                          !is_word_for_people(entity->name);
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

static void add_word(pov_lexicon *lexicon, pov_thing_words *thing, const char *word, bool several)
{
    const int at = pov_vocabulary_add(&lexicon->vocabulary, word, several);
    for (int i = 0; i < thing->len; i++)
        if (thing->word[i] == at)
            return;
    if (at >= 0 && thing->len < POV_THING_WORDS_MAX)
        thing->word[thing->len++] = (uint16_t)at;
    else if (*word != '\0')
        lexicon->left_out++;
}

static void add_words(pov_lexicon *lexicon, pov_thing_words *thing, const char *text, bool several)
{
    pov_words words;
    for (int i = 0; pov_words_split(&words, text, POV_WRITING_PLAIN) && i < words.len; i++)
        add_word(lexicon, thing, words.word[i], several);
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
    pov_thing_words *thing = &lexicon->thing[id];
    thing->len = 0;
    add_words(lexicon, thing, entity->name, false);
    thing->name_len = thing->len;
    add_words(lexicon, thing, entity->class_name, false);
    add_words(lexicon, thing, entity->about, false);
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
                add_word(lexicon, &lexicon->thing[id], group[i], false);
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

/* "rubber duck => Gummiente (f)": whatever has all the English words goes by the other language's, too. */
static void add_translations(pov_lexicon *lexicon, const pov_scene *scene, const pov_grammar *language)
{
    const pov_translation *t;
    for (int i = 0; (t = pov_grammar_translation_at(language, i)) != NULL; i++) {
        pov_words english;
        char text[sizeof t->english];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(t->english, "("), t->english); /* "red (f)" */
        if (!pov_words_split(&english, text, POV_WRITING_PLAIN))
            continue;
        for (pov_id id = 0; id < scene->len; id++) {
            int had = 0;
            for (int k = 0; k < english.len; k++)
                had += has_word(&lexicon->thing[id], find_word(&lexicon->vocabulary, english.word[k]));
            if (had < english.len || english.len == 0)
                continue;
            add_words(lexicon, &lexicon->thing[id], t->word, false);
            add_words(lexicon, &lexicon->thing[id], t->several, true);
        }
    }
}

/* -------- names in a language -------- */

static const pov_translation *find_translation(const pov_grammar *language, const char *english)
{
    const pov_translation *t;
    for (int i = 0; (t = pov_grammar_translation_at(language, i)) != NULL; i++)
        if (strcmp(t->english, english) == 0)
            return t;
    return NULL;
}

/* "red mug": the noun, with the adjective that its gender asks for before or behind it. A number stays ("mug 2"). */
static bool translate_name(char text[POV_SPOKEN_CAPACITY], const char *english, const pov_grammar *language)
{
    char words[64], key[80];
    const char *number = english + strcspn(english, "0123456789"), *blank = *number ? " " : "";
    size_t length = (size_t)(number - english);
    while (length > 0 && english[length - 1] == ' ')
        length--;
    snprintf(words, sizeof words, "%.*s", (int)length, english);
    const pov_translation *noun = find_translation(language, words);
    if (noun) {
        snprintf(text, POV_SPOKEN_CAPACITY, "%s%s%s", noun->word, blank, number);
        return true;
    }
    char *behind = strchr(words, ' ');
    if (!behind)
        return false;
    *behind = '\0';
    noun = find_translation(language, behind + 1);
    snprintf(key, sizeof key, "%s (%s)", words, noun ? noun->gender : "");
    const pov_translation *adjective = find_translation(language, key);
    adjective = adjective ? adjective : find_translation(language, words);
    if (!noun || !adjective)
        return false;
    const bool follows = strcmp(pov_grammar_say(language, "ADJECTIVE NOUN"), "NOUN ADJECTIVE") == 0,
               joined = pov_grammar_writing(language) == POV_WRITING_UNSPACED;
    snprintf(text, POV_SPOKEN_CAPACITY, "%s%s%s%s%s", (follows ? noun : adjective)->word, joined ? "" : " ",
             (follows ? adjective : noun)->word, blank, number);
    return true;
}

const char *pov_name_thing_in(char text[POV_SPOKEN_CAPACITY], const pov_scene *scene, pov_id id,
                              const pov_grammar *language)
{
    const pov_entity *entity = &scene->entities[id];
    char name[64];
    int alike = 0;
    pov_name_thing(name, scene, id);
    const char *words = strncmp(name, "the ", 4) == 0 ? name + 4 : name;
    for (pov_id other = 0; other < scene->len; other++)
        alike += strcmp(scene->entities[other].class_name, entity->class_name) == 0;
    if (words == name || !(translate_name(text, words, language) ||
                           (alike == 1 && translate_name(text, entity->class_name, language))))
        memmove(text, words, strlen(words) + 1);
    return text;
}

/* -------- the lexicon -------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return pov_hash_value(pov_hash_text(hash, text), 0xff);
}

void pov_lexicon_read(pov_lexicon *lexicon, const pov_scene *scene, const pov_grammar *language)
{
    uint64_t hash = POV_HASH_START ^ (uint64_t)(scene->len * 257 + scene->camera);
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        hash = hash_text(hash_text(hash_text(hash, entity->name), entity->class_name), entity->about);
    }
    if (hash == lexicon->hash)
        return;
    lexicon->hash = hash;
    lexicon->vocabulary.len = lexicon->left_out = 0;
    for (pov_id id = 0; id < scene->len; id++) {
        lexicon->thing[id].len = lexicon->thing[id].name_len = 0;
        if (id != scene->camera)
            read_thing(lexicon, id, &scene->entities[id]);
    }
    add_translations(lexicon, scene, language);
    add_likes(lexicon, scene, language, lexicon->vocabulary.len);
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
