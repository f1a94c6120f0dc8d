#include "ask/talk/language_contract.h"

#include "ask/grammar/grammar_builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each alternative of a rule with a tag (NULL: each) needs, or has within one of its parts, the rules or tags (@) of one of the lists that
 * a "|" parts. */
typedef struct {
    const char *rule, *tag, *needs;
} contract_row;

static const contract_row rows[] = {
    {"COMPARE", NULL,
     "@same|@measure|@more_than|@less_than|@more_things|@fewer_things|@as_many_things|@rests"},
    {"COMPARE", "same", "PART PART2|BOTHPARTS"},
    {"COMPARE", "measure", "PART"},
    {"COMPARE", "more_than", "PART AMOUNT"},
    {"COMPARE", "less_than", "PART AMOUNT"},
    {"COMPARE", "more_things", "MANY MANY2"},
    {"COMPARE", "fewer_things", "MANY MANY2"},
    {"COMPARE", "as_many_things", "MANY MANY2"},
    {"COMPARE", "rests", "PART"},
    {"COMPARE", "far", "FROMPART"},
    {"COMPARE", "near", "FROMPART"},
    {"CAMERA", NULL, "THING"},
    {"AMOUNT", NULL, "NUMBER UNIT"},
    {"POST", "own", "WHOSE"},
    {"POST", "faced", "VIEWER"},
    {"POST", "except", "NPX"},
    {"POST", "rel", "RELATUM|OFTABLE"},
    {"RELFROM", NULL, "RELATUM"},
    {"STRONGVIEW", NULL, "VIEWER_|STANDAT|@mine|@yours"},
    {"WEAKVIEW", NULL, "VIEWER_"},
    {"STANDING", NULL, "STANDAT"},
    {"GOALREL", "own", "WHOSE"},
    {"GOALREL", "own_shift", "WHOSE SIDE"},
    {"GOALREL", "own_front", "WHOSE"},
    {"GOALREL", "toward", "RELATUM"},
    {"GOALREL", "away_from", "RELATUM"},
    {"GOALREL", "shift", "SIDE|@forward|@backward|@closer|@away"},
    {"FRAGMENT", "fragment", "NP|NPR|PLACED"},
    {"FRAGMENT", "also", "NP|NPR"},
    {"FRAGMENT", "correct", "NP|NPR"},
    {"FRAGMENT", "correct_not", "NPX"},
    {"FRAGMENT", "fragment_own", "OWNER"},
    {"FRAGMENT", "fragment_side", "SIDE"},
    {"FRAGMENT", "also_from", "RELATUM"},
    {"FRAGMENT", "correct_recipient", "TOWHOM"},
    {"FRAGMENT", "correct_goal", "GOALREL"},
    {"INSTRUCTION", "except", "NPX"},
    {"INSTRUCTION", "pair", "EACH1 EACH2"},
};

/* Parts whose meaning is that of the phrase that they begin with. */
static const char *const parts[] = {"THING",     "SEER",      "OTHER",     "NOUN",     "RELATUM", "WHOSE",
                                    "TARGET",    "VIEWER",    "VIEWER2",   "VIEWER_",  "WANTED",  "OBJECT",
                                    "PART",      "PART2",     "BOTHPARTS", "FROMPART", "MANY",    "MANY2",
                                    "NPX",       "OWNER",     "SOURCE",    "EACH1",    "EACH2",   "STANDAT",
                                    "STANDFACE", "AREAWHOSE", "OFTABLE",   NULL};

typedef struct {
    const pov_grammar *grammar;
    bool *visited; /* rules */
} rule_search;

/* Does an alternative have the rule, or the tag, itself or within its parts? */
static bool has(rule_search *s, const pov_alternative *alternative, const char *wanted, bool within_parts)
{
    const pov_grammar *g = s->grammar;
    for (int i = 0; i < alternative->len; i++) {
        const pov_symbol *symbol = pov_grammar_symbol_at(g, alternative->first + i);
        if (symbol->kind == POV_SYMBOL_TAG && wanted[0] == '@' &&
            strcmp(pov_grammar_tag(g, symbol->index), wanted + 1) == 0)
            return true;
        for (int k = 0; symbol->kind == POV_SYMBOL_GROUP && k < symbol->len; k++)
            if (has(s, pov_grammar_alternative_at(g, symbol->index + k), wanted, within_parts))
                return true;
        if (symbol->kind != POV_SYMBOL_RULE)
            continue;
        const pov_grammar_rule *rule = pov_grammar_rule_at(g, symbol->index);
        if (strcmp(rule->name, wanted) == 0)
            return true;
        for (int k = 0; k < rule->len && within_parts && !s->visited[symbol->index]; k++) {
            s->visited[symbol->index] = k + 1 == rule->len;
            if (has(s, pov_grammar_alternative_at(g, rule->first + k), wanted, true))
                return true;
        }
    }
    return false;
}

static bool reaches(const pov_grammar *g, bool *visited, const pov_alternative *alternative,
                    const char *wanted)
{
    memset(visited, 0, (size_t)pov_grammar_rules(g) * sizeof *visited);
    return has(&(rule_search){g, visited}, alternative, wanted, true);
}

static bool has_itself(const pov_grammar *g, const pov_alternative *alternative, const char *tag)
{
    char wanted[32] = "@";
    strncat(wanted, tag, sizeof wanted - 2);
    return has(&(rule_search){g, NULL}, alternative, wanted, false);
}

/* Is one of the lists complete? */
static bool meets(const pov_grammar *g, bool *visited, const pov_alternative *alternative, const char *needs)
{
    bool whole = true;
    for (const char *at = needs;; at += strspn(at, " ")) {
        char wanted[32] = "";
        const size_t length = strcspn(at, " |");
        strncat(wanted, at, length < sizeof wanted ? length : sizeof wanted - 1);
        whole = whole && reaches(g, visited, alternative, wanted);
        at += length;
        if (*at == ' ')
            continue;
        if (whole || *at == '\0')
            return whole;
        whole = true;
        at++;
    }
}

static const char *file_of(const pov_grammar_rule *rule, const char *name)
{
    return rule->is_common ? pov_builtin_common.name : name;
}

static pov_status refuse_rule(const pov_grammar_rule *rule, const char *name, const char *tag,
                              const char *needs)
{
    char lists[160];
    size_t length = 0;
    for (const char *at = needs; *at != '\0' && length + 8 < sizeof lists; at++)
        length += (size_t)snprintf(lists + length, sizeof lists - length,
                                   *at == '|'   ? ", or "
                                   : *at == ' ' ? " and "
                                                : "%c",
                                   *at);
    return pov_error("%s:%d: an alternative of the rule %s%s%s lacks %s; see share/languages/ask/en.ebnf",
                     file_of(rule, name), rule->line, rule->name, tag ? " with @" : "", tag ? tag : "",
                     lists);
}

/* Phrases come first in the parts that are known by them. */
static pov_status check_parts(const pov_grammar *g, const char *name)
{
    for (int i = 0; parts[i]; i++) {
        const int at = pov_grammar_find_rule(g, parts[i]);
        const pov_grammar_rule *rule = at >= 0 ? pov_grammar_rule_at(g, at) : NULL;
        for (int k = 0; rule && k < rule->len; k++) {
            const pov_alternative *a = pov_grammar_alternative_at(g, rule->first + k);
            const bool begins = a->len > 0 && pov_grammar_symbol_at(g, a->first)->kind == POV_SYMBOL_RULE;
            if (!begins && !has_itself(g, a, "here"))
                return pov_error("%s:%d: the rule %s must begin with a phrase, e.g. NP or NPR", name,
                                 rule->line, rule->name);
        }
    }
    return pov_ok();
}

pov_status pov_language_rules_check(const pov_grammar *g, const char *name)
{
    bool *visited = calloc((size_t)pov_grammar_rules(g) + 1, sizeof *visited);
    if (!visited)
        return pov_error("out of memory");
    pov_status status = check_parts(g, name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status.code == POV_OK; i++) {
        const int at = pov_grammar_find_rule(g, rows[i].rule);
        const pov_grammar_rule *rule = at >= 0 ? pov_grammar_rule_at(g, at) : NULL;
        for (int k = 0; rule && k < rule->len && status.code == POV_OK; k++) {
            const pov_alternative *a = pov_grammar_alternative_at(g, rule->first + k);
            if ((!rows[i].tag || has_itself(g, a, rows[i].tag)) && !meets(g, visited, a, rows[i].needs))
                status = refuse_rule(rule, name, rows[i].tag, rows[i].needs);
        }
    }
    free(visited);
    return status;
}
