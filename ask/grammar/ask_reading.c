#include "ask/grammar/ask_reading.h"
#include "config/files/nearest_name.h"

#include "config/yaml/yaml_file.h"

#include <stdio.h>
#include <string.h>

enum { TOKEN_CAPACITY = 320, CHOICES_MAX = 32 };

/* Splits a token's alternatives in place. */
static int split_choices(const char *choices[CHOICES_MAX], char *token)
{
    int len = 0;
    for (char *rest = token; rest; len++) {
        POV_REQUIRE(len < CHOICES_MAX);
        choices[len] = rest;
        rest = strchr(rest, '|');
        if (rest)
            *rest++ = '\0';
    }
    return len;
}

/* The longest; a name in capitals stands for its own alternatives. */
static int match_choices(const pov_reading *r, const char *text)
{
    char token[TOKEN_CAPACITY];
    const char *choices[CHOICES_MAX];
    int longest = 0;
    POV_REQUIRE(strlen(text) < sizeof token);
    strcpy(token, text);
    int len = split_choices(choices, token);
    for (int i = 0; i < len; i++) {
        const pov_slot *slot = pov_slot_of(choices[i]);
        int length = slot && slot->choices ? match_choices(r, slot->choices)
                                           : pov_words_match(r->words, r->at, choices[i]);
        longest = length > longest ? length : longest;
    }
    return longest;
}

bool pov_reading_takes(pov_reading *r, const char *text)
{
    int length = match_choices(r, text);
    r->at += length;
    return length > 0;
}

/* Equal but for one letter more, less or other. */
int pov_reading_likeness(const char *word, const char *nearest)
{
    size_t same = 0, tail = 0;
    if (!nearest)
        return 0;
    size_t longer = strlen(word), shorter = strlen(nearest);
    while (word[same] != '\0' && word[same] == nearest[same])
        same++;
    while (tail + same < longer && tail + same < shorter &&
           word[longer - 1 - tail] == nearest[shorter - 1 - tail])
        tail++;
    return longer <= same + tail + 1 && shorter <= same + tail + 1 ? 2 : 1;
}

static pov_status take_literal(pov_reading *r, const char *text)
{
    char token[TOKEN_CAPACITY];
    const char *choices[CHOICES_MAX];
    if (pov_reading_takes(r, text))
        return pov_ok();
    if (r->quiet)
        return pov_status_of(POV_ERROR);
    const pov_slot *slot = pov_slot_of(text);
    strcpy(token, slot ? slot->choices : text);
    int len = split_choices(choices, token);
    slot = pov_slot_of(choices[0]);
    if (slot && slot->choices) /* "IS|has" */
        return take_literal(r, choices[0]);
    if (r->at >= r->words->len)
        return pov_error("the question ends where \"%s\" should be", choices[0]);
    const char *word = r->words->word[r->at], *nearest = pov_nearest_name(word, choices, len);
    r->near_miss = pov_reading_likeness(word, nearest);
    return nearest ? pov_error("\"%s\" is not understood: did you mean \"%s\"?", word, nearest)
                   : pov_error("\"%s\" stands where \"%s\" should be", word, choices[0]);
}

static pov_status take_token(pov_reading *r, const char *token)
{
    const pov_slot *slot = pov_slot_of(token);
    if (slot && slot->take)
        return slot->take(r);
    return take_literal(r, token);
}

/* What may be left out is, if it cannot be read; but a viewpoint is all that is left to be read. */
static pov_status take_optional(pov_reading *r, char *token)
{
    pov_reading tried = *r;
    pov_request before = *r->question;
    token[strlen(token) - 1] = '\0';
    tried.quiet = r->quiet || strcmp(token + 1, "VIEWPOINT") != 0;
    pov_status status = take_token(&tried, token + 1);
    tried.quiet = r->quiet;
    if (status.code != POV_OK && strcmp(token + 1, "VIEWPOINT") != 0) {
        *r->question = before;
        return pov_ok();
    }
    *r = tried;
    return status;
}

pov_status pov_reading_take(pov_reading *r, const char *pattern)
{
    int noun_left_out = -1;
    while (*pattern != '\0') {
        char token[TOKEN_CAPACITY];
        size_t length = strcspn(pattern, " ");
        POV_REQUIRE(length < sizeof token);
        memcpy(token, pattern, length);
        token[length] = '\0';
        pattern += length + (pattern[length] == ' ');
        int start = r->at;
        bool is_noun = strcmp(token, "[NOUN]") == 0;
        pov_status status = token[0] == '[' ? take_optional(r, token) : take_token(r, token);
        if (status.code != POV_OK && start == noun_left_out && r->at == start && !r->near_miss)
            return take_token(r, "NOUN"); /* "which glorp is": tells what is wrong with the glorp */
        POV_TRY(status);
        noun_left_out = is_noun && r->at == start ? start : noun_left_out;
    }
    return pov_ok();
}

/* -------- an example -------- */

typedef struct {
    char *text;
    size_t capacity, length;
    pov_id next; /* of the things not yet named */
} example;

static void add(example *e, const char *words)
{
    if (*words == '\0' || e->length >= e->capacity)
        return;
    e->length += (size_t)snprintf(e->text + e->length, e->capacity - e->length, "%s", e->length ? " " : "");
    for (; *words != '\0' && *words != '|' && e->length + 1 < e->capacity; words++)
        e->text[e->length++] = *words == '_' ? ' ' : *words;
    e->text[e->length < e->capacity ? e->length : e->capacity - 1] = '\0';
}

static const char *next_thing(example *e, const pov_scene *scene)
{
    while (e->next < scene->len && (e->next == scene->camera || scene->entities[e->next].addressee))
        e->next++;
    return e->next < scene->len ? scene->entities[e->next++].name : "box";
}

static const char *some_viewer(const pov_scene *scene)
{
    const char *viewer = "you";
    for (pov_id id = scene->len - 1; id >= 0; id--)
        if (scene->entities[id].addressee)
            viewer = scene->entities[id].name;
    return viewer;
}

static void add_owner(example *e, const pov_scene *scene)
{
    char owner[POV_NAME_CAPACITY + sizeof "'s"];
    const char *viewer = some_viewer(scene);
    snprintf(owner, sizeof owner, "%s's", viewer);
    add(e, strcmp(viewer, "you") == 0 ? "your" : owner);
}

static void add_token(example *e, const pov_scene *scene, const char *token)
{
    char first[TOKEN_CAPACITY];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(token, "|"), token);
    const pov_slot *slot = pov_slot_of(first);
    if (!slot)
        add(e, first);
    else if (slot->choices)
        add(e, slot->choices);
    else if (slot->example)
        add(e, slot->example);
    else if (strcmp(slot->name, "TARGET") == 0 || strcmp(slot->name, "VIEWED") == 0) {
        add(e, strcmp(slot->name, "TARGET") == 0 ? "to" : "for");
        add(e, some_viewer(scene));
    } else if (strcmp(slot->name, "VIEWER") == 0)
        add(e, some_viewer(scene));
    else if (strcmp(slot->name, "WHOSE") == 0)
        add_owner(e, scene);
    else if (strcmp(slot->name, "NOUN") == 0)
        add(e, "thing");
    else {
        add(e, "the");
        add(e, next_thing(e, scene));
    }
}

void pov_form_example(char *text, size_t capacity, const pov_scene *scene, const char *pattern)
{
    example e = {text, capacity, 0, 0};
    text[0] = '\0';
    for (bool first = true; *pattern != '\0'; first = false) {
        char token[TOKEN_CAPACITY];
        size_t length = strcspn(pattern, " ");
        bool optional = pattern[0] == '[', asks = first && strncmp(pattern, "[IS]", 4) == 0;
        snprintf(token, sizeof token, "%.*s", (int)length, pattern);
        if (asks)
            add(&e, "is");
        else if (!optional)
            add_token(&e, scene, token);
        pattern += length + (pattern[length] == ' ');
    }
}
