/* Sentences from patterns, and finding languages and nouns. */
#include "compare/languages/language.h"

#include "compare/languages/language_builtin.h"
#include "config/files/nearest_name.h"
#include "config/files/text.h"
#include "config/yaml/yaml_file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FILES_MAX = POV_LANGUAGES_MAX };

struct pov_languages {
    int len, file_len, builtin_len;
    pov_language list[POV_LANGUAGES_MAX];
    pov_yaml_file *files[FILES_MAX];    /* hold the texts */
    pov_noun *nouns[POV_LANGUAGES_MAX]; /* of each language */
};

typedef enum {
    ROLE_REFERENT,
    ROLE_RELATUM,
    ROLE_VIEWER,
    ROLE_OBJECT,
    ROLE_RELATION,
    ROLE_NONE
} sentence_role;

/* "{relatum.gen}" in a pattern, and the text before it. */
typedef struct {
    sentence_role role; /* ROLE_NONE: unknown, or no slot */
    const char *before, *form;
    size_t before_len, form_len;
} pattern_slot;

int pov_languages_builtin(const pov_languages *languages)
{
    return languages->builtin_len;
}

int pov_languages_len(const pov_languages *languages)
{
    return languages->len;
}

const pov_language *pov_languages_at(const pov_languages *languages, int index)
{
    POV_REQUIRE(index >= 0 && index < languages->len);
    return &languages->list[index];
}

static const pov_language *find_language(const pov_languages *languages, const char *code)
{
    for (int i = 0; i < languages->len; i++)
        if (strcasecmp(languages->list[i].code, code) == 0)
            return &languages->list[i];
    return NULL;
}

pov_status pov_languages_find(const pov_language **language, const pov_languages *languages, const char *code)
{
    const char *codes[POV_LANGUAGES_MAX];
    *language = find_language(languages, code);
    if (*language)
        return pov_ok();
    for (int i = 0; i < languages->len; i++)
        codes[i] = languages->list[i].code;
    const char *nearest = pov_nearest_name(code, codes, languages->len);
    return pov_error("there is no language \"%s\"%s%s%s; 'pov questions --languages' lists them", code,
                     nearest ? "; the nearest is \"" : "", nearest ? nearest : "", nearest ? "\"" : "");
}

bool pov_language_is_english(const pov_language *language)
{
    while (language && language->base)
        language = language->base;
    return !language || strcmp(language->code, "en") == 0;
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

/* Text that does not fit is cut off, at the end of a character. */
static void append_text(sentence_end *end, const char *text, size_t len)
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

/* Takes the next slot; false, with the text that is left, if there is none. A brace that is not closed: a slot of
 * ROLE_NONE with form NULL, and `rest` stays. */
static bool next_slot(pattern_slot *slot, const char **rest)
{
    static const char *const names[] = {"referent", "relatum", "viewer", "object", "relation"};
    const char *open = strchr(*rest, '{'), *close = open ? strchr(open, '}') : NULL;
    *slot = (pattern_slot){.role = ROLE_NONE, .before = *rest, .before_len = strlen(*rest)};
    if (!open)
        return false;
    slot->before_len = (size_t)(open - *rest);
    slot->form = close;
    if (!close)
        return true;
    size_t name_len = strcspn(open + 1, ".}");
    for (int i = 0; i < ROLE_NONE; i++)
        if (strlen(names[i]) == name_len && strncmp(names[i], open + 1, name_len) == 0)
            slot->role = (sentence_role)i;
    slot->form = open + 1 + name_len;
    slot->form += *slot->form == '.';
    slot->form_len = (size_t)(close - slot->form);
    *rest = close + 1;
    return true;
}

/* The number of the form that a slot asks for, the first if it names none; -1: unknown. */
static int form_of_slot(const pov_language *language, const pattern_slot *slot)
{
    if (slot->form_len == 0)
        return 0;
    for (int i = 0; i < language->form_len; i++)
        if (strlen(language->form[i]) == slot->form_len &&
            strncmp(language->form[i], slot->form, slot->form_len) == 0)
            return i;
    return -1;
}

static const pov_noun *noun_of(const pov_sentence_nouns *nouns, sentence_role role)
{
    const pov_noun *const by_role[] = {nouns->referent, nouns->relatum, nouns->viewer, nouns->object};
    POV_REQUIRE(role < ROLE_RELATION && by_role[role]);
    return by_role[role];
}

/* Patterns were checked when they were read. `relation` NULL: the pattern is a relation's own. */
static void fill_pattern(sentence_end *end, const pov_language *language, const char *pattern,
                         const char *relation, const pov_sentence_nouns *nouns)
{
    pattern_slot slot;
    while (next_slot(&slot, &pattern)) {
        append_text(end, slot.before, slot.before_len);
        if (slot.role == ROLE_RELATION) {
            POV_REQUIRE(relation);
            fill_pattern(end, language, relation, NULL, nouns);
            continue;
        }
        const char *word = noun_of(nouns, slot.role)->words[form_of_slot(language, &slot)];
        append_text(end, word, strlen(word));
    }
    append_text(end, slot.before, slot.before_len);
}

void pov_language_ask(const pov_language *language, char sentence[POV_SENTENCE_CAPACITY], pov_prompt prompt,
                      pov_relation relation, const pov_sentence_nouns *nouns)
{
    POV_REQUIRE(prompt < POV_PROMPT_COUNT && relation <= POV_BEHIND);
    sentence_end end = {sentence, 0};
    *sentence = '\0';
    fill_pattern(&end, language, language->ask[prompt], language->relation[relation], nouns);
}

void pov_language_ask_present(const pov_language *language, char sentence[POV_SENTENCE_CAPACITY],
                              const pov_sentence_nouns *nouns)
{
    sentence_end end = {sentence, 0};
    *sentence = '\0';
    fill_pattern(&end, language, language->present, NULL, nouns);
}

/* ---- the file ---- */

enum { LENGTH_MAX = 200 }; /* bytes of a word or pattern */

/* One entry of `languages` being read. */
typedef struct {
    pov_languages *all;
    pov_language *language;
    pov_yaml_node node;
} entry;

static unsigned bit_of_role(sentence_role role)
{
    return 1u << role;
}

/* A key that a paraphrase may leave to its base. */
static pov_yaml_node get(const entry *e, pov_yaml_node node, const char *key, const char *hint)
{
    return e->language->base ? pov_yaml_get(node, key) : pov_yaml_need(node, key, hint);
}

static void read_text(const char **text, pov_yaml_node node)
{
    pov_yaml_string(text, node);
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return;
    if (**text == '\0')
        pov_yaml_complain(node, "is empty");
    else if (strlen(*text) > LENGTH_MAX)
        pov_yaml_complain(node, "is longer than %d bytes", LENGTH_MAX);
    else if (strpbrk(*text, "\r\n"))
        pov_yaml_complain(node, "has more than one line");
}

/* -------- patterns -------- */

static void check_slot(const entry *e, pov_yaml_node node, const pattern_slot *slot, unsigned allowed)
{
    if (!slot->form)
        pov_yaml_complain(node, "a '{' is not closed");
    else if (slot->role == ROLE_NONE || !(allowed & bit_of_role(slot->role)))
        pov_yaml_complain(node, "has a slot that is not one of this pattern's; they are %s%s%s%s%s",
                          allowed & bit_of_role(ROLE_REFERENT) ? " {referent.FORM}" : "",
                          allowed & bit_of_role(ROLE_RELATUM) ? " {relatum.FORM}" : "",
                          allowed & bit_of_role(ROLE_VIEWER) ? " {viewer.FORM}" : "",
                          allowed & bit_of_role(ROLE_OBJECT) ? " {object.FORM}" : "",
                          allowed & bit_of_role(ROLE_RELATION) ? " {relation}" : "");
    else if (slot->role == ROLE_RELATION && slot->form_len > 0)
        pov_yaml_complain(node, "{relation} has no forms");
    else if (slot->role != ROLE_RELATION && form_of_slot(e->language, slot) < 0)
        pov_yaml_complain(node, "the form \"%.*s\" is not in the list `form`", (int)slot->form_len,
                          slot->form);
}

/* Reads a pattern that has slots of the roles allowed, and at least those needed. */
static void read_pattern(const entry *e, const char **pattern, pov_yaml_node node, unsigned needed,
                         unsigned allowed)
{
    read_text(pattern, node);
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return;
    const char *rest = *pattern;
    unsigned found = 0;
    pattern_slot slot;
    while (next_slot(&slot, &rest) && !pov_yaml_failed(node.file)) {
        check_slot(e, node, &slot, allowed);
        found |= bit_of_role(slot.role);
    }
    if (!pov_yaml_failed(node.file) && memchr(slot.before, '}', slot.before_len))
        pov_yaml_complain(node, "a '}' closes nothing");
    if (needed & ~found)
        pov_yaml_complain(node, "does not say what it is about: it needs%s%s%s%s",
                          needed & ~found & bit_of_role(ROLE_REFERENT) ? " {referent.FORM}" : "",
                          needed & ~found & bit_of_role(ROLE_RELATUM) ? " {relatum.FORM}" : "",
                          needed & ~found & bit_of_role(ROLE_OBJECT) ? " {object.FORM}" : "",
                          needed & ~found & bit_of_role(ROLE_RELATION) ? " {relation}" : "");
}

static void read_patterns(const entry *e)
{
    static const char *const prompts[] = {"none", "camera", "addressee", "relatum"};
    static_assert(sizeof prompts / sizeof *prompts == POV_PROMPT_COUNT, "one key a prompt");
    const unsigned question = bit_of_role(ROLE_REFERENT) | bit_of_role(ROLE_RELATION),
                   relatum = bit_of_role(ROLE_RELATUM), viewer = bit_of_role(ROLE_VIEWER);
    pov_language *language = e->language;
    pov_yaml_node ask = get(e, e->node, "ask", "a pattern for each prompt"),
                  relation = get(e, e->node, "relation", "a pattern for each relation");
    for (int i = 0; i < POV_PROMPT_COUNT && pov_yaml_exists(ask); i++)
        read_pattern(e, &language->ask[i], get(e, ask, prompts[i], "a question's pattern"), question,
                     question | (i == POV_PROMPT_ADDRESSEE ? viewer : 0) | relatum);
    for (int i = 0; i < POV_COMFORT_RELATIONS && pov_yaml_exists(relation); i++)
        read_pattern(e, &language->relation[i],
                     get(e, relation, pov_relation_name((pov_relation)i), "a relation's pattern"), relatum,
                     relatum);
    read_pattern(e, &language->present, get(e, e->node, "present", "the pattern of \"is there any\""),
                 bit_of_role(ROLE_OBJECT), bit_of_role(ROLE_OBJECT));
}

/* -------- words -------- */

/* Returns how many, at most `max`. */
static int read_list(const char **words, pov_yaml_node list, int max)
{
    int len = pov_yaml_length(list);
    if (pov_yaml_exists(list) && (len < 1 || len > max)) {
        pov_yaml_complain(list, "has %d entries; 1 to %d are possible", len, max);
        return 0;
    }
    for (int i = 0; i < len; i++)
        read_text(&words[i], pov_yaml_at(list, i));
    return len;
}

static void read_yes_no(const char **words, pov_yaml_node list)
{
    int len = read_list(words, list, POV_LANGUAGE_WORDS_MAX);
    if (pov_yaml_exists(list))
        words[len] = NULL;
}

static void read_noun(const entry *e, pov_noun *noun, pov_yaml_node node)
{
    const char *words[1 + POV_LANGUAGE_FORMS_MAX] = {""};
    int len = read_list(words, node, 1 + POV_LANGUAGE_FORMS_MAX);
    if (len != 1 + e->language->form_len)
        pov_yaml_complain(node, "has %d words; a noun's id and its %d forms are needed", len,
                          e->language->form_len);
    noun->id = words[0];
    memcpy(noun->words, words + 1, sizeof noun->words);
}

static void read_nouns(const entry *e)
{
    pov_yaml_node list = get(e, e->node, "nouns", "the things' names");
    int len = pov_yaml_length(list);
    if (len > POV_LANGUAGE_NOUNS_MAX)
        pov_yaml_complain(list, "has %d entries; at most %d are possible", len, POV_LANGUAGE_NOUNS_MAX);
    if (len == 0 || pov_yaml_failed(list.file))
        return;
    pov_noun *nouns = calloc((size_t)len, sizeof *nouns);
    if (!nouns) {
        pov_yaml_complain(list, "no memory left to read on");
        return;
    }
    for (int i = 0; i < len; i++)
        read_noun(e, &nouns[i], pov_yaml_at(list, i));
    e->language->nouns = e->all->nouns[e->language - e->all->list] = nouns;
    e->language->noun_len = len;
}

/* -------- languages -------- */

/* A paraphrase takes everything it does not define from its base. */
static void inherit_base(const entry *e)
{
    pov_yaml_node of = pov_yaml_get(e->node, "of");
    const char *code = NULL;
    pov_yaml_string(&code, of);
    if (!code)
        return;
    const pov_language *base = find_language(e->all, code);
    if (!base) {
        pov_yaml_complain(of, "no language \"%s\" comes before this one", code);
        return;
    }
    const char *own_code = e->language->code;
    *e->language = *base;
    e->language->base = base;
    e->language->code = own_code;
    e->language->noun_len = 0;
    e->language->nouns = NULL;
}

bool pov_language_code_is_sound(const char *code)
{
    return *code != '\0' && strlen(code) < POV_LANGUAGE_CODE_CAPACITY &&
           strspn(code, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == strlen(code);
}

static void read_code(const entry *e)
{
    pov_yaml_node node = pov_yaml_need(e->node, "code", "a short name, e.g. de");
    const char *code = "";
    pov_yaml_string(&code, node);
    if (pov_yaml_failed(node.file))
        return;
    if (!pov_language_code_is_sound(code))
        pov_yaml_complain(node, "a code has 1 to %d of the characters a-z, 0-9, '-' and '_'",
                          POV_LANGUAGE_CODE_CAPACITY - 1);
    else if (find_language(e->all, code))
        pov_yaml_complain(node, "the language \"%s\" is there already", code);
    e->language->code = code;
}

static void read_convention(const entry *e)
{
    static const char *const names[] = {"translated", "rotated", "reflected", "unstated"};
    static_assert(sizeof names / sizeof *names == POV_NO_CONVENTION + 1, "one name a convention");
    pov_yaml_node node = get(e, e->node, "convention", "translated, rotated, reflected or unstated");
    int convention = e->language->convention;
    pov_yaml_choice(&convention, node, names, POV_NO_CONVENTION + 1);
    e->language->convention = (pov_convention)convention;
    if (pov_yaml_exists(node) && convention != POV_NO_CONVENTION)
        read_text(&e->language->citation, pov_yaml_need(e->node, "citation", "who states the convention"));
    else
        read_text(&e->language->citation, pov_yaml_get(e->node, "citation"));
}

static void read_language(const entry *e)
{
    pov_language *language = e->language;
    *language = (pov_language){.code = "", .convention = POV_NO_CONVENTION};
    read_code(e);
    inherit_base(e);
    read_text(&language->name, get(e, e->node, "name", "the language's name"));
    read_text(&language->source, pov_yaml_need(e->node, "source", "whose wording: a paper, or ours"));
    pov_yaml_bool(&language->right_to_left, pov_yaml_get(e->node, "right_to_left"));
    read_convention(e);
    read_yes_no(language->yes, get(e, e->node, "yes", "the words for yes"));
    read_yes_no(language->no, get(e, e->node, "no", "the words for no"));
    pov_yaml_node form =
        language->base ? (pov_yaml_node){0} : pov_yaml_need(e->node, "form", "the names of the nouns' forms");
    if (!language->base)
        language->form_len = read_list(language->form, form, POV_LANGUAGE_FORMS_MAX);
    read_patterns(e);
    read_nouns(e);
}

static void read_all(pov_languages *all, pov_yaml_file *file)
{
    pov_yaml_node root = pov_yaml_root(file), list = pov_yaml_need(root, "languages", "a list of languages");
    int len = pov_yaml_length(list);
    pov_yaml_get(root, "about");
    if (len > POV_LANGUAGES_MAX - all->len)
        pov_yaml_complain(list, "%d languages are too many: %d are possible, and there are %d already", len,
                          POV_LANGUAGES_MAX, all->len);
    for (int i = 0; i < len && !pov_yaml_failed(file); i++) {
        entry e = {all, &all->list[all->len], pov_yaml_at(list, i)};
        read_language(&e);
        all->len++;
    }
}

/* text NULL: the file of that name. */
static pov_status add_text(pov_languages *all, const char *name, const char *text, size_t length)
{
    pov_yaml_file *file;
    if (all->file_len == FILES_MAX)
        return pov_error("%s: more than %d files of languages: put several into one", name, FILES_MAX);
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    all->files[all->file_len++] = file;
    read_all(all, file);
    return pov_yaml_finish(file);
}

static pov_status add_builtin(pov_languages *all)
{
    pov_status status = pov_ok();
    for (const pov_embedded_file *file = POV_BUILTIN_LANGUAGES; file->name && status.code == POV_OK; file++)
        status = add_text(all, file->name, (const char *)file->bytes, file->len);
    return status;
}

/* ---- the user's own ---- */

/* By the environment; NULL: no folder is named. */
static const char *named_folder(void)
{
    const char *named = getenv("POV_LANGUAGES");
    return named && *named ? named : NULL;
}

/* Returns the usual place, for the caller to free; NULL: there is no home. */
static char *usual_folder(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    return config && *config ? pov_text_new("%s/pov/languages", config)
           : home && *home   ? pov_text_new("%s/.config/pov/languages", home)
                             : NULL;
}

static int is_yaml(const struct dirent *item)
{
    const size_t length = strlen(item->d_name);
    return length > 5 && strcmp(item->d_name + length - 5, ".yaml") == 0;
}

/* A folder that is not named need not be there; `sudo -u` and services see the home of somebody else, which they may not enter. */
static bool is_none(int cause, bool is_named)
{
    return !is_named && (cause == ENOENT || cause == ENOTDIR || cause == EACCES);
}

static pov_status add_folder(pov_languages *all, const char *folder, bool is_named)
{
    struct dirent **entries = NULL;
    const int len = scandir(folder, &entries, is_yaml, alphasort);
    const int cause = errno;
    pov_status status = pov_ok();
    for (int i = 0; i < len; i++) {
        char *path = pov_text_new("%s/%s", folder, entries[i]->d_name);
        POV_THEN(status, add_text(all, path, NULL, 0));
        free(path);
        free(entries[i]);
    }
    free(entries);
    return len < 0 && !is_none(cause, is_named)
               ? pov_error("%s: %s: the folder of your own languages cannot be read", folder, strerror(cause))
               : status;
}

static pov_status add_users(pov_languages *all)
{
    const char *named = named_folder();
    char *usual = named ? NULL : usual_folder();
    const pov_status status =
        named || usual ? add_folder(all, named ? named : usual, named != NULL) : pov_ok();
    free(usual);
    return status;
}

static pov_status start_languages(pov_languages **languages)
{
    *languages = calloc(1, sizeof **languages);
    return *languages ? pov_ok() : pov_error("no memory for languages");
}

static pov_status kept_if_good(pov_languages **languages, pov_status status)
{
    if (status.code != POV_OK)
        pov_languages_destroy(languages);
    return status;
}

pov_status pov_languages_new(pov_languages **languages, const char *path)
{
    POV_TRY(start_languages(languages));
    pov_status status = add_builtin(*languages);
    (*languages)->builtin_len = (*languages)->len;
    POV_THEN(status, add_users(*languages));
    if (status.code == POV_OK && path)
        status = add_text(*languages, path, NULL, 0);
    return kept_if_good(languages, status);
}

pov_status pov_languages_parse(pov_languages **languages, const char *name, const char *text, size_t length)
{
    POV_TRY(start_languages(languages));
    return kept_if_good(languages, add_text(*languages, name, text, length));
}

void pov_languages_destroy(pov_languages **languages)
{
    if (!*languages)
        return;
    for (int i = 0; i < POV_LANGUAGES_MAX; i++)
        free((*languages)->nouns[i]);
    for (int i = 0; i < (*languages)->file_len; i++)
        pov_yaml_close(&(*languages)->files[i]);
    free(*languages);
    *languages = NULL;
}
