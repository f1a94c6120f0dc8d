#include "ask/grammar/chart.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Memory for one sentence; a sentence that wants more is not understood. Measured: the worst of the tests takes 3 MB. */
enum { ARENA_BYTES = 16 << 20 };

/* One way to have taken words up to `at`; its parts, the last first. */
typedef struct link {
    const pov_item *item;
    const struct link *before;
    int mended_at; /* the word that slipped; -1: none */
    const char *mended_as;
} link;

typedef struct {
    int at, cost;
    const link *last;
} state;

typedef struct {
    int len, capacity;
    state *list;
} states;

/* All results of a rule that begin at one word. */
typedef struct {
    bool done, open;
    int len;
    struct found {
        const pov_node *node;
        const link *parts;
    } * list;
} entry;

struct pov_chart {
    char *arena;
    size_t used;
    const pov_grammar *grammar;
    const pov_vocabulary *vocabulary;
    const pov_sentence *sentence;
    int rule_len, stuck_at, columns;
    entry *entries; /* by rule and word: `columns` of each rule */
};

/* -------- memory -------- */

static void *take_bytes(pov_chart *c, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (c->used + bytes > ARENA_BYTES)
        return NULL;
    void *taken = c->arena + c->used;
    c->used += bytes;
    return taken;
}

pov_status pov_chart_new(pov_chart **chart)
{
    *chart = calloc(1, sizeof **chart);
    if (*chart)
        (*chart)->arena = malloc(ARENA_BYTES); /* pages are used only as they are needed */
    if (*chart && (*chart)->arena)
        return pov_ok();
    pov_chart_destroy(chart);
    return pov_error("out of memory");
}

void pov_chart_destroy(pov_chart **chart)
{
    if (!*chart)
        return;
    free((*chart)->arena);
    free(*chart);
    *chart = NULL;
}

/* -------- ways -------- */

/* Keeps the cheapest few that get to the same word. */
static void add_state(pov_chart *c, states *out, state added)
{
    int same = 0, worst = -1;
    for (int i = 0; i < out->len; i++)
        if (out->list[i].at == added.at) {
            same++;
            if (worst < 0 || out->list[i].cost >= out->list[worst].cost)
                worst = i;
        }
    if (same >= POV_READINGS_KEPT) {
        if (added.cost < out->list[worst].cost)
            out->list[worst] = added;
        return;
    }
    if (out->len == out->capacity) {
        int capacity = out->capacity ? 2 * out->capacity : 8;
        state *list = take_bytes(c, (size_t)capacity * sizeof *list);
        if (!list)
            return;
        if (out->len > 0)
            memcpy(list, out->list, (size_t)out->len * sizeof *list);
        out->list = list;
        out->capacity = capacity;
    }
    out->list[out->len++] = added;
}

static const link *link_item(pov_chart *c, const link *before, pov_item item)
{
    pov_item *copy = take_bytes(c, sizeof *copy);
    link *added = take_bytes(c, sizeof *added);
    if (!copy || !added)
        return before;
    *copy = item;
    *added = (link){copy, before, -1, NULL};
    return added;
}

static const link *link_mended(pov_chart *c, const link *before, int at, const char *as)
{
    link *added = take_bytes(c, sizeof *added);
    if (!added)
        return before;
    *added = (link){NULL, before, at, as};
    return added;
}

/* -------- symbols -------- */

static const entry *read_rule_at(pov_chart *c, int rule, int at);
static void follow_alternative(pov_chart *c, states *out, const pov_alternative *alternative, state from);

static void note_stuck(pov_chart *c, int at)
{
    if (at > c->stuck_at)
        c->stuck_at = at;
}

static void follow_word(pov_chart *c, states *out, int word, state from)
{
    const pov_sentence_word *read = &c->sentence->word[from.at];
    note_stuck(c, from.at);
    for (int i = 0; i < read->len; i++) {
        if (read->grammar[i].index != word)
            continue;
        state next = {from.at + 1, from.cost + read->grammar[i].cost, from.last};
        if (read->grammar[i].cost > 0)
            next.last = link_mended(c, from.last, from.at, pov_grammar_word(c->grammar, word));
        add_state(c, out, next);
    }
}

static void follow_noun(pov_chart *c, states *out, state from)
{
    const pov_sentence_word *read = &c->sentence->word[from.at];
    note_stuck(c, from.at);
    for (int i = 0; i < read->noun_len; i++) {
        const char *text = c->vocabulary->word[read->noun[i].index];
        const link *last = from.last;
        if (read->noun[i].cost > 0)
            last = link_mended(c, last, from.at, text);
        last = link_item(c, last,
                         (pov_item){.kind = POV_ITEM_NOUN, .text = text, .several = read->noun[i].several});
        add_state(c, out, (state){from.at + 1, from.cost + read->noun[i].cost, last});
    }
}

/* "12", "2.5" */
static bool is_number(const char *word)
{
    const size_t digits = strspn(word, "0123456789.,");
    return digits > 0 && word[digits] == '\0' && word[0] >= '0' && word[0] <= '9';
}

static void follow_symbol_once(pov_chart *c, states *out, const pov_symbol *symbol, state from)
{
    bool at_end = from.at >= c->sentence->words.len;
    switch (symbol->kind) {
    case POV_SYMBOL_TAG:
        from.last =
            link_item(c, from.last,
                      (pov_item){.kind = POV_ITEM_TAG, .text = pov_grammar_tag(c->grammar, symbol->index)});
        add_state(c, out, from);
        break;
    case POV_SYMBOL_COST:
        from.cost += symbol->index;
        add_state(c, out, from);
        break;
    case POV_SYMBOL_PAUSE:
        if (c->sentence->words.paused[from.at])
            add_state(c, out, from);
        break;
    case POV_SYMBOL_GROUP:
        for (int i = 0; i < symbol->len; i++)
            follow_alternative(c, out, pov_grammar_alternative_at(c->grammar, symbol->index + i), from);
        break;
    case POV_SYMBOL_RULE: {
        const entry *e = read_rule_at(c, symbol->index, from.at);
        for (int i = 0; i < e->len; i++) {
            const pov_node *node = e->list[i].node;
            add_state(c, out,
                      (state){node->end, from.cost + node->cost,
                              link_item(c, from.last, (pov_item){.kind = POV_ITEM_NODE, .node = node})});
        }
        break;
    }
    default:
        if (!at_end && symbol->kind == POV_SYMBOL_WORD)
            follow_word(c, out, symbol->index, from);
        else if (!at_end && symbol->kind == POV_SYMBOL_NOUN)
            follow_noun(c, out, from);
        else if (!at_end &&
                 (symbol->kind == POV_SYMBOL_ANY ||
                  (symbol->kind == POV_SYMBOL_NUMBER && is_number(c->sentence->words.word[from.at])) ||
                  (symbol->kind == POV_SYMBOL_UNKNOWN && c->sentence->word[from.at].unknown))) {
            pov_item_kind kind = symbol->kind == POV_SYMBOL_UNKNOWN ? POV_ITEM_UNKNOWN : POV_ITEM_ANY;
            from.last =
                link_item(c, from.last, (pov_item){.kind = kind, .text = c->sentence->words.word[from.at]});
            from.at++;
            add_state(c, out, from);
        } else
            note_stuck(c, from.at);
    }
}

static void follow_symbol(pov_chart *c, states *out, const pov_symbol *symbol, state from)
{
    states round = {0}, next = {0};
    if (symbol->optional)
        add_state(c, out, from);
    follow_symbol_once(c, &round, symbol, from);
    for (;;) {
        for (int i = 0; i < round.len; i++)
            add_state(c, out, round.list[i]);
        if (!symbol->repeated || round.len == 0)
            return;
        next = (states){0};
        for (int i = 0; i < round.len; i++)
            if (round.list[i].at > from.at) /* what takes no word does not repeat */
                follow_symbol_once(c, &next, symbol, round.list[i]);
        states progress = {0};
        for (int i = 0; i < next.len; i++)
            add_state(c, &progress, next.list[i]);
        int least = INT_MAX;
        for (int i = 0; i < round.len; i++)
            least = round.list[i].at < least ? round.list[i].at : least;
        from.at = least;
        round = progress;
    }
}

/* Does it begin with a word that is not there? Most do; this saves the states of each. */
static bool begins_otherwise(pov_chart *c, const pov_alternative *alternative, int at)
{
    const pov_symbol *first =
        alternative->len > 0 ? pov_grammar_symbol_at(c->grammar, alternative->first) : NULL;
    if (!first || first->kind != POV_SYMBOL_WORD || first->optional)
        return false;
    note_stuck(c, at);
    if (at >= c->sentence->words.len)
        return true;
    const pov_sentence_word *read = &c->sentence->word[at];
    int i = 0;
    while (i < read->len && read->grammar[i].index != first->index)
        i++;
    return i == read->len;
}

static void follow_alternative(pov_chart *c, states *out, const pov_alternative *alternative, state from)
{
    states now = {0};
    if (begins_otherwise(c, alternative, from.at))
        return;
    add_state(c, &now, from);
    for (int i = 0; i < alternative->len && now.len > 0; i++) {
        const pov_symbol *symbol = pov_grammar_symbol_at(c->grammar, alternative->first + i);
        states next = {0};
        for (int k = 0; k < now.len; k++)
            follow_symbol(c, &next, symbol, now.list[k]);
        now = next;
    }
    for (int k = 0; k < now.len; k++)
        add_state(c, out, now.list[k]);
}

/* -------- rules -------- */

/* The parts in their order. */
static const pov_item *order_items(pov_chart *c, const link *last)
{
    const pov_item *first = NULL;
    for (; last; last = last->before) {
        if (!last->item)
            continue;
        pov_item *copy = take_bytes(c, sizeof *copy);
        if (!copy)
            return first;
        *copy = *last->item;
        copy->next = first;
        first = copy;
    }
    return first;
}

static const entry *read_rule_at(pov_chart *c, int rule, int at)
{
    static const entry none = {0};
    const pov_grammar_rule *r = pov_grammar_rule_at(c->grammar, rule);
    entry *e = &c->entries[(size_t)rule * (size_t)c->columns + (size_t)at];
    if (e->done || e->open)
        return e->done ? e : &none;
    e->open = true;
    states found = {0};
    for (int i = 0; i < r->len; i++)
        follow_alternative(c, &found, pov_grammar_alternative_at(c->grammar, r->first + i),
                           (state){at, 0, NULL});
    e->list = take_bytes(c, (size_t)(found.len + 1) * sizeof *e->list);
    for (int i = 0; i < found.len && e->list; i++) {
        pov_node *node = take_bytes(c, sizeof *node);
        if (!node)
            break;
        *node =
            (pov_node){r->name, at, found.list[i].at, found.list[i].cost, order_items(c, found.list[i].last)};
        e->list[e->len++] = (struct found){node, found.list[i].last};
    }
    e->done = true;
    return e;
}

int pov_chart_read(pov_chart *c, const pov_node *nodes[POV_READINGS_KEPT], const pov_grammar *grammar,
                   const pov_vocabulary *vocabulary, const pov_sentence *sentence, const char *rule_name,
                   int at, bool whole)
{
    int rule = pov_grammar_find_rule(grammar, rule_name), len = 0, end = sentence->words.len;
    c->used = 0;
    c->grammar = grammar;
    c->vocabulary = vocabulary;
    c->sentence = sentence;
    c->rule_len = pov_grammar_rules(grammar);
    c->stuck_at = at;
    c->columns = end + 1;
    size_t bytes = (size_t)c->rule_len * (size_t)c->columns * sizeof *c->entries;
    c->entries = take_bytes(c, bytes);
    if (rule < 0 || !c->entries)
        return 0;
    memset(c->entries, 0, bytes);
    const entry *e = read_rule_at(c, rule, at);
    if (!whole) {
        end = at;
        for (int i = 0; i < e->len; i++)
            end = e->list[i].node->end > end ? e->list[i].node->end : end;
    }
    for (int i = 0; i < e->len; i++) {
        const pov_node *node = e->list[i].node;
        int place = len;
        if (node->end != end || node->end == at)
            continue;
        for (; place > 0 && nodes[place - 1]->cost > node->cost; place--)
            if (place < POV_READINGS_KEPT)
                nodes[place] = nodes[place - 1];
        if (place < POV_READINGS_KEPT)
            nodes[place] = node;
        len += len < POV_READINGS_KEPT;
    }
    return len;
}

int pov_chart_stuck_at(const pov_chart *c)
{
    return c->stuck_at;
}

/* -------- nodes -------- */

static const link *parts_of(const pov_chart *c, const pov_node *node)
{
    int rule = pov_grammar_find_rule(c->grammar, node->name);
    const entry *e = &c->entries[(size_t)rule * (size_t)c->columns + (size_t)node->begin];
    for (int i = 0; i < e->len; i++)
        if (e->list[i].node == node)
            return e->list[i].parts;
    return NULL;
}

void pov_chart_mended(const pov_chart *c, pov_mended *mended, const pov_node *node)
{
    for (const link *l = parts_of(c, node); l; l = l->before) {
        if (l->item && l->item->kind == POV_ITEM_NODE)
            pov_chart_mended(c, mended, l->item->node);
        if (l->mended_at < 0 || mended->len == (int)(sizeof mended->list / sizeof *mended->list))
            continue;
        strcpy(mended->list[mended->len].read, c->sentence->words.word[l->mended_at]);
        strcpy(mended->list[mended->len++].as, l->mended_as);
    }
}

bool pov_node_has(const pov_node *node, const char *tag)
{
    for (const pov_item *item = node ? node->items : NULL; item; item = item->next)
        if (item->kind == POV_ITEM_TAG && strcmp(item->text, tag) == 0)
            return true;
    return false;
}

const pov_node *pov_node_find(const pov_node *node, const char *name)
{
    if (!node || strcmp(node->name, name) == 0)
        return node;
    for (const pov_item *item = node->items; item; item = item->next) {
        const pov_node *found = item->kind == POV_ITEM_NODE ? pov_node_find(item->node, name) : NULL;
        if (found)
            return found;
    }
    return NULL;
}
