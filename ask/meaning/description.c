/* Noun phrases: their words, and the things that these fit. */
#include "ask/meaning/reference_internal.h"

#include <stdio.h>
#include <string.h>

static bool is_named(const pov_node *node, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(node->name, *names) == 0)
            return true;
    return false;
}

static void read_tag(pov_description *d, const char *tag)
{
    static const struct {
        const char *tag;
        size_t at;
    } flags[] = {
        {"one", offsetof(pov_description, one)},       {"thing", offsetof(pov_description, thing)},
        {"person", offsetof(pov_description, person)}, {"some", offsetof(pov_description, some)},
        {"all", offsetof(pov_description, all)},       {"several", offsetof(pov_description, several)},
        {"other", offsetof(pov_description, other)},   {"single", offsetof(pov_description, single)}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(flags[i].tag, tag) == 0)
            *(bool *)((char *)d + flags[i].at) = true;
    if (tag[0] == 'n' && tag[1] >= '2' && tag[1] <= '9' && tag[2] == '\0')
        d->number = tag[1] - '0';
}

void pov_description_read(pov_description *d, const pov_node *node)
{
    static const char *const within[] = {"DESC",  "DESCR",     "DET",        "MOD",      "HEAD", "WORD",
                                         "OPEN",  "NP",        "NPR",        "NPO",      "NPX",  "PLAIN",
                                         "NAMED", "DESCWORDS", "DESCWORDS2", "NUMBERED", NULL};
    for (const pov_item *item = node->items; item; item = item->next) {
        if (item->kind == POV_ITEM_TAG)
            read_tag(d, item->text);
        else if (item->kind == POV_ITEM_NOUN) {
            d->word[d->word_len++] = d->said[d->said_len++] = item->text;
            d->several = d->several || item->several;
        } else if (item->kind == POV_ITEM_UNKNOWN) {
            d->said[d->said_len++] = item->text;
            d->unknown_len++;
        } else if (item->kind != POV_ITEM_NODE)
            continue;
        else if (strcmp(item->node->name, "POST") == 0) {
            const pov_item *inner = item->node->items;
            const bool seen =
                inner && inner->kind == POV_ITEM_NODE && strcmp(inner->node->name, "SEENPOST") == 0;
            d->limit[d->limit_len++] = seen ? inner->node : item->node;
        } else if (strcmp(item->node->name, "EXTREME") == 0) {
            d->extreme[d->extreme_len++] = item->node;
        } else if (strcmp(item->node->name, "TOTARGET") == 0)
            d->target = pov_node_find(item->node, "TARGET");
        else if (strcmp(item->node->name, "ORDINAL") == 0)
            d->ordinal = item->node;
        else if (is_named(item->node, within))
            pov_description_read(d, item->node);
    }
}

/* "the green mug" as it was said. */
static void join_words(char *text, size_t capacity, const pov_description *d)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < d->said_len && length < capacity; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%s", length ? " " : "", d->said[i]);
}

static void list_things(char *text, size_t capacity, const pov_scene *scene, const bool *only)
{
    size_t length = 0;
    int listed = 0;
    text[0] = '\0';
    for (pov_id id = 0; id < scene->len; id++) {
        char name[64];
        if (id == scene->camera || (only && !only[id]))
            continue;
        if (length + 72 > capacity || listed == 12) {
            snprintf(text + length, capacity - length, ", ...");
            return;
        }
        length += (size_t)snprintf(text + length, capacity - length, "%s%s", listed++ ? ", " : "",
                                   pov_name_thing(name, scene, id));
    }
}

/* Lists the things that some of the words fit: of "green mug" the mugs. */
static pov_status no_such_thing(const pov_context *c, const pov_description *d)
{
    char said[120], list[240];
    bool like[POV_ENTITY_MAX] = {false}, some = false;
    if (d->said_len == 0)
        return pov_error("which one is meant? name the thing"); /* "the other one" */
    join_words(said, sizeof said, d);
    for (pov_id id = 0; id < c->scene->len; id++) {
        for (int i = 0; i < d->word_len; i++)
            like[id] = like[id] || pov_lexicon_has(c->lexicon, id, d->word[i]);
        some = some || like[id];
    }
    list_things(list, sizeof list, c->scene, some ? like : NULL);
    return pov_error(pov_grammar_say(c->language, strchr(list, ',') ? "I know no \"%s\" here; there are %s"
                                                                    : "I know no \"%s\" here; there is %s"),
                     said, *list ? list : "nothing");
}

bool pov_description_fits(const pov_context *c, pov_id id, const pov_description *d)
{
    if (c->scene->entities[id].is_hypothetical) /* nobody is there: only its name means it */
        return d->word_len > 0 && pov_lexicon_is_name(c->lexicon, id, d->word, d->word_len);
    bool fits = id != c->scene->camera && (d->word_len > 0 || !pov_is_surface(&c->scene->entities[id]));
    for (int i = 0; i < d->word_len && fits; i++)
        fits = pov_lexicon_has(c->lexicon, id, d->word[i]);
    if (d->thing || d->person || (d->one && d->word_len == 0))
        fits = fits && pov_is_person(c->scene, id) == d->person;
    return fits;
}

/* By words alone. */
pov_status pov_description_candidates(bool candidate[POV_ENTITY_MAX], const pov_context *c,
                                      const pov_description *d, bool by_name)
{
    bool some = false, same_kind = d->other && d->word_len == 0 && c->it != POV_ID_NONE;
    if (d->unknown_len > 0)
        return no_such_thing(c, d);
    memset(candidate, 0, POV_ENTITY_MAX * sizeof *candidate);
    for (pov_id id = 0; id < c->scene->len; id++) {
        bool offered = c->offered_len == 0 || d->word_len > 0;
        for (int i = 0; i < c->offered_len; i++)
            offered = offered || c->offered[i] == id;
        candidate[id] = pov_description_fits(c, id, d) && offered && !(d->other && c->before[id]) &&
                        (!same_kind || strcmp(c->scene->entities[id].class_name,
                                              c->scene->entities[c->it].class_name) == 0);
        some = some || candidate[id];
    }
    /* "chair" where there are chair and chair-2: by its whole id */
    by_name = by_name && !d->several && !d->some && !d->all && !d->other;
    for (pov_id id = 0; id < c->scene->len && by_name; id++)
        if (candidate[id] && pov_lexicon_is_name(c->lexicon, id, d->word, d->word_len)) {
            memset(candidate, 0, POV_ENTITY_MAX * sizeof *candidate);
            candidate[id] = true;
        }
    /* "the small one" of what was asked back; "red" of these rather than of all */
    int offered_fit = 0;
    for (int i = 0; i < c->offered_len; i++)
        offered_fit += candidate[c->offered[i]];
    for (pov_id id = 0; id < c->scene->len && offered_fit > 0; id++) {
        bool offered = false;
        for (int i = 0; i < c->offered_len; i++)
            offered = offered || c->offered[i] == id;
        candidate[id] = candidate[id] && offered;
    }
    if (d->other && !c->any_before && !some)
        return pov_error("I do not know which other one you mean; say what it is");
    return some ? pov_ok() : no_such_thing(c, d);
}

pov_status pov_description_refuse(const pov_context *c, const pov_description *d, const bool *candidate)
{
    char said[120], list[240];
    join_words(said, sizeof said, d);
    list_things(list, sizeof list, c->scene, candidate);
    return pov_error("no %s here fits that%s%s",
                     *said       ? said
                     : d->person ? "person"
                                 : "thing",
                     *list ? "; there are " : "", list);
}
