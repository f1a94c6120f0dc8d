#include "ask/grammar/grammar_internal.h"

#include "ask/grammar/grammar_builtin.h"
#include "config/files/grow.h"
#include "config/files/utf8.h"
#include "perception/hash.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_CAPACITY = 48 };
/* -------- tables -------- */

static unsigned hash_of(const char *text)
{
    return pov_hash32_text(POV_HASH32_START, text) % POV_WORDS_BUCKETS;
}

int pov_grammar_find_word(const pov_grammar *g, const char *word)
{
    int at = g->bucket[hash_of(word)];
    while (at >= 0 && strcmp(g->words[at].text, word) != 0)
        at = g->words[at].next;
    return at;
}

static int add_word(pov_grammar *g, const char *word, bool in_rule)
{
    int found = pov_grammar_find_word(g, word);
    if (found >= 0) {
        g->words[found].in_rule = g->words[found].in_rule || in_rule;
        return found;
    }
    char *text = strdup(word);
    if (!text || !pov_grow(&g->words, &g->word_capacity, g->word_len, sizeof *g->words)) {
        free(text);
        g->out_of_memory = true;
        return 0;
    }
    unsigned bucket = hash_of(word);
    g->words[g->word_len] = (pov_known_word){text, in_rule, g->bucket[bucket]};
    g->bucket[bucket] = g->word_len;
    return g->word_len++;
}

static int add_text(pov_grammar *g, char ***list, int *len, int *capacity, const char *text)
{
    for (int i = 0; i < *len; i++)
        if (strcmp((*list)[i], text) == 0)
            return i;
    char *copy = strdup(text);
    if (!copy || !pov_grow(list, capacity, *len, sizeof **list)) {
        free(copy);
        g->out_of_memory = true;
        return 0;
    }
    (*list)[*len] = copy;
    return (*len)++;
}

int pov_grammar_find_rule(const pov_grammar *g, const char *name)
{
    for (int i = 0; i < g->rule_len; i++)
        if (strcmp(g->rules[i].name, name) == 0)
            return i;
    return -1;
}

static int add_rule(pov_grammar *g, const char *name)
{
    int found = pov_grammar_find_rule(g, name);
    if (found >= 0)
        return found;
    char *copy = strdup(name);
    if (!copy || !pov_grow(&g->rules, &g->rule_capacity, g->rule_len, sizeof *g->rules)) {
        free(copy);
        g->out_of_memory = true;
        return 0;
    }
    g->rules[g->rule_len] = (pov_grammar_rule){.name = copy};
    return g->rule_len++;
}

/* -------- a run that is being read -------- */

typedef struct {
    pov_symbol *list;
    int len, capacity;
} symbol_run;

typedef struct {
    pov_alternative *list;
    int len, capacity;
} alternative_run;

static void push_symbol(pov_grammar *g, symbol_run *run, pov_symbol symbol)
{
    if (pov_grow(&run->list, &run->capacity, run->len, sizeof *run->list))
        run->list[run->len++] = symbol;
    else
        g->out_of_memory = true;
}

/* Moves the symbols to the grammar as one alternative. */
static void close_alternative(pov_grammar *g, alternative_run *alternatives, symbol_run *run)
{
    pov_alternative alternative = {g->symbol_len, run->len};
    for (int i = 0; i < run->len; i++) {
        if (!pov_grow(&g->symbols, &g->symbol_capacity, g->symbol_len, sizeof *g->symbols)) {
            g->out_of_memory = true;
            return;
        }
        g->symbols[g->symbol_len++] = run->list[i];
    }
    run->len = 0;
    if (pov_grow(&alternatives->list, &alternatives->capacity, alternatives->len, sizeof *alternatives->list))
        alternatives->list[alternatives->len++] = alternative;
    else
        g->out_of_memory = true;
}

/* Moves the alternatives to the grammar; returns the first. */
static int close_alternatives(pov_grammar *g, const alternative_run *run)
{
    int first = g->alternative_len;
    for (int i = 0; i < run->len; i++) {
        if (!pov_grow(&g->alternatives, &g->alternative_capacity, g->alternative_len,
                      sizeof *g->alternatives)) {
            g->out_of_memory = true;
            return first;
        }
        g->alternatives[g->alternative_len++] = run->list[i];
    }
    return first;
}

/* -------- the text -------- */

typedef struct {
    pov_grammar *grammar;
    const char *name, *at, *end;
    int line;
    bool lists_words; /* the rule that is read lists words that exist; no utterance is read by it */
    bool completes;   /* takes only rules that are used, but lacking */
    char token[NAME_CAPACITY];
    pov_status status;
} grammar_reader;

static void complain(grammar_reader *r, const char *what)
{
    if (r->status.code == POV_OK)
        r->status = pov_error("%s:%d: %s at \"%s\"", r->name, r->line, what, r->token);
}

static void skip_blank(grammar_reader *r)
{
    while (r->at < r->end && (isspace((unsigned char)*r->at) || *r->at == '#')) {
        if (*r->at == '#') {
            const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
            r->at = end ? end : r->end;
        } else
            r->line += *r->at++ == '\n';
    }
}

/* A sign, or what stands between blanks and signs. "" at the end. */
static void next_token(grammar_reader *r)
{
    size_t length = 0;
    skip_blank(r);
    const char *signs = r->at < r->end && *r->at == '@' ? "|;()[]{}" : "=|;()[]{}"; /* "@=left_of" */
    if (r->at < r->end && *r->at == '\0')
        complain(r, "a zero byte stands");
    if (r->at < r->end && strchr(signs, *r->at))
        r->token[length++] = *r->at++;
    else
        while (r->at < r->end && !isspace((unsigned char)*r->at) && !strchr(signs, *r->at)) {
            if (length + 1 < sizeof r->token)
                r->token[length++] = *r->at;
            r->at++;
        }
    r->token[r->status.code == POV_OK ? length : 0] = '\0';
}

static bool read_alternatives(grammar_reader *r, alternative_run *alternatives, char closing);

static void read_group(grammar_reader *r, symbol_run *run, char opening)
{
    alternative_run alternatives = {0};
    char closing = opening == '(' ? ')' : opening == '[' ? ']' : '}';
    if (read_alternatives(r, &alternatives, closing)) {
        int first = close_alternatives(r->grammar, &alternatives);
        push_symbol(r->grammar, run,
                    (pov_symbol){.kind = POV_SYMBOL_GROUP,
                                 .index = first,
                                 .len = alternatives.len,
                                 .optional = opening != '(',
                                 .repeated = opening == '{'});
    }
    free(alternatives.list);
}

static void read_symbol(grammar_reader *r, symbol_run *run)
{
    pov_grammar *g = r->grammar;
    const char *token = r->token;
    pov_symbol symbol = {.kind = POV_SYMBOL_WORD};
    if (strchr("([{", *token)) {
        read_group(r, run, *token);
        return;
    }
    if (*token == '@') {
        symbol.kind = POV_SYMBOL_TAG;
        symbol.index = add_text(g, &g->tags, &g->tag_len, &g->tag_capacity, token + 1);
    } else if (*token == '!') {
        symbol.kind = POV_SYMBOL_COST;
        symbol.index = atoi(token + 1);
    } else if (*token == '%') {
        symbol.kind = strcmp(token, "%noun") == 0      ? POV_SYMBOL_NOUN
                      : strcmp(token, "%unknown") == 0 ? POV_SYMBOL_UNKNOWN
                      : strcmp(token, "%any") == 0     ? POV_SYMBOL_ANY
                      : strcmp(token, "%number") == 0  ? POV_SYMBOL_NUMBER
                                                       : POV_SYMBOL_PAUSE;
        if (symbol.kind == POV_SYMBOL_PAUSE && strcmp(token, "%pause") != 0)
            complain(r, "no such class of words");
    } else if (isupper((unsigned char)*token)) {
        symbol.kind = POV_SYMBOL_RULE;
        symbol.index = add_rule(g, token);
    } else
        symbol.index = add_word(g, token, !r->lists_words);
    push_symbol(g, run, symbol);
}

/* To the closing sign, which is taken. False: it is not there. */
static bool read_alternatives(grammar_reader *r, alternative_run *alternatives, char closing)
{
    symbol_run run = {0};
    for (;;) {
        next_token(r);
        if (r->token[0] == '\0' || (strchr("=;)]}", r->token[0]) && r->token[0] != closing)) {
            complain(r, "a rule or bracket does not end");
            break;
        }
        if (r->token[0] == '|' || r->token[0] == closing) {
            close_alternative(r->grammar, alternatives, &run);
            if (r->token[0] == closing)
                break;
        } else
            read_symbol(r, &run);
    }
    free(run.list);
    return r->status.code == POV_OK;
}

/* Rules that only list words: no utterance is read by them. */
static bool is_list(const char *name)
{
    static const char *const lists[] = {"KNOWN",   "ALIKE",  "ENDING", "BEGINNING",
                                        "WRITING", "FILLER", "NOREL",  "APART"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(name, lists[i]) == 0)
            return true;
    return false;
}

static void read_rule(grammar_reader *r)
{
    alternative_run alternatives = {0};
    char name[NAME_CAPACITY];
    snprintf(name, sizeof name, "%s", r->token);
    next_token(r);
    if (r->token[0] != '=' || !isupper((unsigned char)name[0])) {
        complain(r, "expected NAME = ... ;");
        return;
    }
    const int line = r->line;
    r->lists_words = is_list(name);
    const int known = pov_grammar_find_rule(r->grammar, name);
    if (r->completes && (known < 0 || r->grammar->rules[known].defined)) {
        while (r->token[0] != ';' && r->token[0] != '\0')
            next_token(r);
        return;
    }
    int rule = add_rule(r->grammar, name);
    if (r->grammar->rules[rule].defined) {
        snprintf(r->token, sizeof r->token, "%s", name);
        complain(r, "a rule is there twice");
        return;
    }
    if (read_alternatives(r, &alternatives, ';')) {
        int first = close_alternatives(r->grammar, &alternatives);
        pov_grammar_rule *defined = &r->grammar->rules[rule];
        defined->first = first;
        defined->len = alternatives.len;
        defined->line = line;
        defined->is_common = r->completes;
        defined->defined = true;
    }
    free(alternatives.list);
}

/* Takes the rules that are lacking from those that languages have in common, until none is found there. */
static void complete_rules(grammar_reader *r)
{
    pov_grammar *g = r->grammar;
    r->completes = true;
    for (int lacking = 0, before = -1; lacking != before && r->status.code == POV_OK;) {
        before = lacking;
        lacking = 0;
        r->name = pov_builtin_common.name;
        r->at = (const char *)pov_builtin_common.text;
        r->end = r->at + pov_builtin_common.length;
        r->line = 1;
        for (next_token(r); r->token[0] != '\0' && r->status.code == POV_OK; next_token(r))
            read_rule(r);
        for (int i = 0; i < g->rule_len; i++)
            lacking += g->rules[i].defined;
    }
}

static pov_writing read_writing(const pov_grammar *g)
{
    static const char *const names[] = {"plain", "contracted", "elided", "unspaced"};
    const int rule = pov_grammar_find_rule(g, "WRITING");
    if (rule < 0 || g->rules[rule].len == 0 || g->alternatives[g->rules[rule].first].len == 0)
        return POV_WRITING_PLAIN;
    const pov_symbol *symbol = &g->symbols[g->alternatives[g->rules[rule].first].first];
    int i = 0;
    while (i < 3 && symbol->kind == POV_SYMBOL_WORD && strcmp(names[i], g->words[symbol->index].text) != 0)
        i++;
    return (pov_writing)i;
}

pov_writing pov_grammar_writing(const pov_grammar *g)
{
    return g->writing;
}

/* The words of a rule that lists them; NULL behind the last. */
static const char *listed_at(const pov_grammar *g, int rule, int index)
{
    if (rule < 0 || index >= g->rules[rule].len)
        return NULL;
    const pov_alternative *a = &g->alternatives[g->rules[rule].first + index];
    return a->len == 1 && g->symbols[a->first].kind == POV_SYMBOL_WORD
               ? g->words[g->symbols[a->first].index].text
               : "";
}

/* Is the word an alternative of a rule that lists words? */
static bool is_listed(const pov_grammar *g, int rule, const char *word)
{
    const char *text;
    for (int i = 0; (text = listed_at(g, rule, i)) != NULL; i++)
        if (strcmp(text, word) == 0)
            return true;
    return false;
}

bool pov_grammar_is_filler(const pov_grammar *g, const char *word)
{
    return is_listed(g, g->filler, word);
}

const char *pov_grammar_apart(const pov_grammar *g, int index)
{
    return listed_at(g, g->apart, index);
}

/* -------- forms of a word -------- */

/* A shorter stem would fit too much: one letter, unless it is a syllable as in Korean; unless whole words change: "man", "men". Chosen. */
enum { LEAST_STEM_LETTERS = 2, LEAST_SYLLABLE_BYTES = 3, WHOLE_WORD_LETTERS = 3 };

static bool is_stem(const char *word, size_t length)
{
    return length >= LEAST_SYLLABLE_BYTES || pov_utf8_count(word, length) >= LEAST_STEM_LETTERS;
}

static const char *ending_of(const pov_grammar *g, const pov_symbol *symbol)
{
    const char *text = g->words[symbol->index].text;
    return strcmp(text, "-") == 0 ? "" : text;
}

/* Does `word` end in one of the endings behind the stem that both have? */
static bool ends_alike(const pov_grammar *g, const pov_alternative *endings, const char *word, size_t stem,
                       bool *several)
{
    *several = false;
    for (int i = 0; i < endings->len; i++) {
        const pov_symbol *symbol = &g->symbols[endings->first + i];
        if (symbol->kind == POV_SYMBOL_TAG)
            *several = true;
        else if (symbol->kind == POV_SYMBOL_WORD && strcmp(word + stem, ending_of(g, symbol)) == 0)
            return true;
    }
    return false;
}

static bool is_inflected(const pov_grammar *g, const char *word, const char *known, bool *several)
{
    const int rule = g->ending;
    *several = false;
    if (*word != *known) /* most, at once */
        return false;
    const size_t length = strlen(known);
    size_t same = 0;
    while (known[same] != '\0' && known[same] == word[same])
        same++;
    for (int a = 0; rule >= 0 && same > 0 && a < g->rules[rule].len; a++) {
        const pov_alternative *endings = &g->alternatives[g->rules[rule].first + a];
        for (int i = 0; i < endings->len; i++) {
            const pov_symbol *symbol = &g->symbols[endings->first + i];
            if (symbol->kind != POV_SYMBOL_WORD)
                continue;
            const char *ending = ending_of(g, symbol);
            const size_t ending_length = strlen(ending);
            if (ending_length > length || strcmp(known + length - ending_length, ending) != 0)
                continue;
            const size_t stem = length - ending_length;
            if (stem <= same &&
                (is_stem(known, stem) || pov_utf8_count(ending, ending_length) >= WHOLE_WORD_LETTERS) &&
                ends_alike(g, endings, word, stem, several))
                return true;
        }
    }
    *several = false;
    return false;
}

bool pov_grammar_any_form(const pov_grammar *g, const char *known,
                          bool (*fits)(const char *form, const void *context), const void *context)
{
    const size_t length = strlen(known);
    const char *text;
    if (fits(known, context))
        return true;
    for (int i = 0; (text = listed_at(g, g->beginning, i)) != NULL; i++) {
        char form[2 * POV_WORD_CAPACITY];
        snprintf(form, sizeof form, "%s%s", text, known);
        if (fits(form, context))
            return true;
    }
    for (int a = 0; g->ending >= 0 && a < g->rules[g->ending].len; a++) {
        const pov_alternative *endings = &g->alternatives[g->rules[g->ending].first + a];
        for (int i = 0; i < endings->len; i++) {
            const pov_symbol *from = &g->symbols[endings->first + i];
            const char *ending = from->kind == POV_SYMBOL_WORD ? ending_of(g, from) : "\n";
            const size_t ending_length = strlen(ending);
            if (ending_length > length || !is_stem(known, length - ending_length) ||
                strcmp(known + length - ending_length, ending) != 0)
                continue;
            for (int k = 0; k < endings->len; k++) {
                const pov_symbol *to = &g->symbols[endings->first + k];
                char form[POV_WORD_CAPACITY];
                if (to->kind != POV_SYMBOL_WORD || k == i)
                    continue;
                snprintf(form, sizeof form, "%.*s%s", (int)(length - ending_length), known, ending_of(g, to));
                if (fits(form, context))
                    return true;
            }
        }
    }
    return false;
}

bool pov_grammar_is_form(const pov_grammar *g, const char *word, const char *known, bool *several)
{
    const char *text;
    *several = false;
    if (strcmp(word, known) == 0 || is_inflected(g, word, known, several))
        return true;
    for (int i = 0; (text = listed_at(g, g->beginning, i)) != NULL; i++) {
        const size_t length = strlen(text);
        if (length > 0 && strncmp(word, text, length) == 0 &&
            (strcmp(word + length, known) == 0 || is_inflected(g, word + length, known, several)))
            return true;
    }
    return false;
}

/* -------- relations -------- */

/* Prepositions with other meanings, too: they cost, so that they count only where nothing else fits. */
static bool is_vague(const char *phrase)
{
    static const char *const vague[] = {"to",    "from",      "at",   "with",      "by",        "up", "down",
                                        "after", "following", "past", "away from", "away_from", NULL};
    int i = 0;
    while (vague[i] && strcmp(vague[i], phrase) != 0)
        i++;
    return vague[i] != NULL;
}

/* Does a phrase begin with the words of an alternative of NOREL? */
static bool is_left_out(const pov_grammar *g, const char *phrase)
{
    const int rule = pov_grammar_find_rule(g, "NOREL");
    for (int i = 0; rule >= 0 && i < g->rules[rule].len; i++) {
        const pov_alternative *words = &g->alternatives[g->rules[rule].first + i];
        const char *at = phrase;
        bool begins = words->len > 0;
        for (int k = 0; k < words->len && begins; k++) {
            const pov_symbol *symbol = &g->symbols[words->first + k];
            const char *word = symbol->kind == POV_SYMBOL_WORD ? g->words[symbol->index].text : "";
            const size_t length = strlen(word);
            begins =
                length > 0 && strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0');
            at += begins ? length + (at[length] == ' ') : 0;
        }
        if (begins)
            return true;
    }
    return false;
}

static void push_phrase(pov_grammar *g, alternative_run *alternatives, const char *phrase,
                        const pov_relation_info *relation)
{
    symbol_run run = {0};
    char text[80], tag[NAME_CAPACITY], *rest = NULL;
    if (is_left_out(g, phrase))
        return;
    snprintf(text, sizeof text, "%s", strncmp(phrase, "is ", 3) == 0 ? phrase + 3 : phrase);
    for (char *word = strtok_r(text, " _-", &rest); word; word = strtok_r(NULL, " _-", &rest))
        push_symbol(g, &run, (pov_symbol){.kind = POV_SYMBOL_WORD, .index = add_word(g, word, true)});
    snprintf(tag, sizeof tag, "=%s", relation->name);
    push_symbol(g, &run,
                (pov_symbol){.kind = POV_SYMBOL_TAG,
                             .index = add_text(g, &g->tags, &g->tag_len, &g->tag_capacity, tag)});
    const char *what = strncmp(phrase, "look", 4) == 0    ? "looks"
                       : strncmp(phrase, "point", 5) == 0 ? "points"
                                                          : NULL;
    if (what)
        push_symbol(g, &run,
                    (pov_symbol){.kind = POV_SYMBOL_TAG,
                                 .index = add_text(g, &g->tags, &g->tag_len, &g->tag_capacity, what)});
    if (is_vague(phrase))
        push_symbol(g, &run, (pov_symbol){.kind = POV_SYMBOL_COST, .index = 3});
    close_alternative(g, alternatives, &run);
    free(run.list);
}

static void push_relation(pov_grammar *g, alternative_run *alternatives, const pov_relation_info *relation)
{
    push_phrase(g, alternatives, relation->name, relation);
    for (int k = 0; k < POV_PHRASES_MAX && relation->phrases[k]; k++)
        if (strcmp(relation->phrases[k], relation->name) != 0)
            push_phrase(g, alternatives, relation->phrases[k], relation);
}

/* By the number of relata; 0: the directions. A grammar that names its own relations, or uses none, keeps to that. */
static void add_relations(pov_grammar *g, const char *rule_name, int relata)
{
    alternative_run alternatives = {0};
    const int rule = pov_grammar_find_rule(g, rule_name);
    if (rule < 0 || g->rules[rule].defined)
        return;
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        if (relata > 0 ? relation->relata_min == relata : relation->projective != POV_RELATION_COUNT)
            push_relation(g, &alternatives, relation);
    }
    int first = close_alternatives(g, &alternatives);
    g->rules[rule].first = first;
    g->rules[rule].len = alternatives.len;
    g->rules[rule].defined = true;
    free(alternatives.list);
}

/* -------- the whole -------- */

/* May a run take no word? Rules are taken to take some: an optional rule stands in brackets. */
static bool begins_with_itself(const pov_grammar *g, int rule, const pov_alternative *alternative,
                               bool *on_path)
{
    for (int i = 0; i < alternative->len; i++) {
        const pov_symbol *symbol = &g->symbols[alternative->first + i];
        bool takes_word = symbol->kind != POV_SYMBOL_TAG && symbol->kind != POV_SYMBOL_COST &&
                          symbol->kind != POV_SYMBOL_PAUSE;
        if (symbol->kind == POV_SYMBOL_RULE) {
            const pov_grammar_rule *next = &g->rules[symbol->index];
            if (symbol->index == rule || on_path[symbol->index])
                return symbol->index == rule;
            on_path[symbol->index] = true;
            for (int k = 0; k < next->len; k++)
                if (begins_with_itself(g, rule, &g->alternatives[next->first + k], on_path))
                    return true;
        }
        for (int k = 0; symbol->kind == POV_SYMBOL_GROUP && k < symbol->len; k++)
            if (begins_with_itself(g, rule, &g->alternatives[symbol->index + k], on_path))
                return true;
        if (takes_word && !symbol->optional)
            return false;
    }
    return false;
}

static pov_status check_rules(const pov_grammar *g, const char *name)
{
    for (int i = 0; i < g->rule_len; i++)
        if (!g->rules[i].defined)
            return pov_error("%s: the rule %s is used, but not defined", name, g->rules[i].name);
    bool *on_path = calloc((size_t)g->rule_len + 1, sizeof *on_path);
    if (!on_path)
        return pov_error("out of memory");
    pov_status status = pov_ok();
    for (int i = 0; i < g->rule_len && status.code == POV_OK; i++) {
        memset(on_path, 0, (size_t)g->rule_len * sizeof *on_path);
        for (int k = 0; k < g->rules[i].len && status.code == POV_OK; k++)
            if (begins_with_itself(g, i, &g->alternatives[g->rules[i].first + k], on_path))
                status = pov_error("%s: the rule %s begins with itself; write {...} for what repeats", name,
                                   g->rules[i].name);
    }
    free(on_path);
    return status;
}

pov_status pov_grammar_new(pov_grammar **grammar, const char *name, const char *text, size_t length)
{
    *grammar = NULL;
    pov_grammar *g = calloc(1, sizeof *g);
    if (!g)
        return pov_error("out of memory");
    for (int i = 0; i < POV_WORDS_BUCKETS; i++)
        g->bucket[i] = -1;
    grammar_reader r = {
        .grammar = g, .name = name, .at = text, .end = text + length, .line = 1, .status = pov_ok()};
    (void)add_rule(g, "START");
    for (next_token(&r); r.token[0] != '\0' && r.status.code == POV_OK; next_token(&r))
        read_rule(&r);
    complete_rules(&r);
    g->writing = read_writing(g);
    g->ending = pov_grammar_find_rule(g, "ENDING");
    g->beginning = pov_grammar_find_rule(g, "BEGINNING");
    g->filler = pov_grammar_find_rule(g, "FILLER");
    g->apart = pov_grammar_find_rule(g, "APART");
    add_relations(g, "RELATION1", 1);
    add_relations(g, "RELATION2", 2);
    add_relations(g, "RELATION3", 3);
    add_relations(g, "DIRECTIONS", 0);
    pov_status status = g->out_of_memory ? pov_error("out of memory") : r.status;
    POV_THEN(status, check_rules(g, name));
    POV_THEN(status, pov_grammar_read_phrases(g, name, text, length));
    if (status.code == POV_OK)
        *grammar = g;
    else
        pov_grammar_destroy(&g);
    return status;
}

void pov_grammar_destroy(pov_grammar **grammar)
{
    pov_grammar *g = *grammar;
    if (!g)
        return;
    for (int i = 0; i < g->rule_len; i++)
        free((char *)g->rules[i].name);
    for (int i = 0; i < g->word_len; i++)
        free(g->words[i].text);
    for (int i = 0; i < g->tag_len; i++)
        free(g->tags[i]);
    for (int i = 0; i < g->said_len; i++)
        free(g->said[i]);
    free(g->said);
    free(g->translations);
    free(g->rules);
    free(g->alternatives);
    free(g->symbols);
    free(g->words);
    free(g->tags);
    free(g);
    *grammar = NULL;
}

int pov_grammar_rules(const pov_grammar *g)
{
    return g->rule_len;
}

const pov_grammar_rule *pov_grammar_rule_at(const pov_grammar *g, int rule)
{
    return &g->rules[rule];
}

const pov_alternative *pov_grammar_alternative_at(const pov_grammar *g, int index)
{
    return &g->alternatives[index];
}

const pov_symbol *pov_grammar_symbol_at(const pov_grammar *g, int index)
{
    return &g->symbols[index];
}

const char *pov_grammar_tag(const pov_grammar *g, int tag)
{
    return g->tags[tag];
}

const char *pov_grammar_word(const pov_grammar *g, int word)
{
    return g->words[word].text;
}

int pov_grammar_words(const pov_grammar *g)
{
    return g->word_len;
}

void pov_grammar_set_dictionary(pov_grammar *g, const char *text, size_t length)
{
    g->dictionary = text;
    g->dictionary_length = length;
}

/* The line that holds the byte `at` begins there. */
static size_t line_at(const pov_grammar *g, size_t at)
{
    while (at > 0 && g->dictionary[at - 1] != '\n')
        at--;
    return at;
}

/* Less than 0: the word comes before the line; more: behind it. */
static int compare_line(const pov_grammar *g, size_t line, const char *word)
{
    const char *at = g->dictionary + line, *end = g->dictionary + g->dictionary_length;
    while (at < end && *at != '\n' && *at == *word) {
        at++;
        word++;
    }
    const int letter = at < end && *at != '\n' ? (unsigned char)*at : 0;
    return (int)(unsigned char)*word - letter;
}

bool pov_grammar_is_in_dictionary(const pov_grammar *g, const char *word)
{
    size_t low = 0, high = g->dictionary_length; /* by bisection; comments, which begin with #, come first */
    while (low < high) {
        const size_t middle = low + (high - low) / 2, line = line_at(g, middle);
        const int order = compare_line(g, line, word);
        if (order == 0)
            return true;
        if (order < 0)
            high = line;
        else {
            const char *end = memchr(g->dictionary + middle, '\n', g->dictionary_length - middle);
            low = end ? (size_t)(end - g->dictionary) + 1 : g->dictionary_length;
        }
    }
    return false;
}

bool pov_grammar_is_known_only(const pov_grammar *g, int word)
{
    return !g->words[word].in_rule;
}

bool pov_grammar_name(char out[32], const char *text, size_t length)
{
    static const char key[] = "\n#= LANGUAGE => ";
    const char *at = memmem(text, length, key, sizeof key - 1), *end = text + length;
    at = at ? at + sizeof key - 1 : end;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    snprintf(out, 32, "%.*s", (int)((stop ? stop : end) - at), at);
    return at < end;
}

const char *pov_grammar_help(const char *text, size_t length, int index)
{
    static char help[160];
    const char *end = text + length;
    for (const char *line = text, *stop; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        if (end - line < 3 || strncmp(line, "#: ", 3) != 0 || index-- > 0)
            continue;
        snprintf(help, sizeof help, "%.*s", (int)(stop - line - 3), line + 3);
        return help;
    }
    return NULL;
}
