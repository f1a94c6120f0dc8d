#include "ask/meaning/reference.h"

#include "ask/meaning/measure.h"
#include "perception/scene/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below, a description does not fit. */
static const double p_fits = 0.5;
/* Priors of frames before a dialogue tells (chosen after Levinson 2003 and Carlson-Radvansky & Irwin 1994: English speakers use the
 * relative frame most, and the object's own where it has a front). In replies seen. */
static const double prior_of_frame[POV_PERSPECTIVE_COUNT] = {0.30, 0.45, 0.25, 1.0};

/* -------- words of things -------- */

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
    return text;
}

/* Its id, class and words about it, split. */
typedef struct {
    pov_words name, all;
} thing_words;

static void split_thing(thing_words *words, const pov_entity *entity)
{
    char text[2 * POV_NAME_CAPACITY + POV_ABOUT_CAPACITY + 4];
    snprintf(text, sizeof text, "%s %s %s", entity->name, entity->class_name, entity->about);
    if (!pov_words_split(&words->name, entity->name))
        words->name.len = 0;
    if (!pov_words_split(&words->all, text))
        words->all.len = 0;
}

void pov_vocabulary_of(pov_vocabulary *vocabulary, const pov_scene *scene)
{
    vocabulary->len = 0;
    for (pov_id id = 0; id < scene->len; id++) {
        thing_words words;
        split_thing(&words, &scene->entities[id]);
        for (int i = 0; i < words.all.len && id != scene->camera; i++)
            pov_vocabulary_add(vocabulary, words.all.word[i]);
    }
}

static bool has_word(const pov_words *words, const char *word)
{
    for (int i = 0; i < words->len; i++)
        if (strcmp(words->word[i], word) == 0)
            return true;
    return false;
}

/* -------- a description -------- */

enum { DESCRIBING_MAX = 8, LIMITS_MAX = 6 };

typedef struct {
    int word_len, unknown_len, said_len, limit_len, extreme_len;
    const char *word[DESCRIBING_MAX], *said[2 * DESCRIBING_MAX]; /* said: the unknown ones, too */
    const pov_node *limit[LIMITS_MAX], *extreme[LIMITS_MAX], *ordinal;
    bool one, thing, person, some, all, several, other, pronoun;
} description;

static bool is_named(const pov_node *node, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(node->name, *names) == 0)
            return true;
    return false;
}

static void read_tag(description *d, const char *tag)
{
    static const struct {
        const char *tag;
        size_t at;
    } flags[] = {{"one", offsetof(description, one)},       {"thing", offsetof(description, thing)},
                 {"person", offsetof(description, person)}, {"some", offsetof(description, some)},
                 {"all", offsetof(description, all)},       {"several", offsetof(description, several)},
                 {"other", offsetof(description, other)}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(flags[i].tag, tag) == 0)
            *(bool *)((char *)d + flags[i].at) = true;
}

static void read_description(description *d, const pov_node *node)
{
    static const char *const within[] = {"DESC", "DESCR", "DET",       "MOD",        "HEAD",
                                         "WORD", "OPEN",  "NP",        "NPR",        "NPO",
                                         "NPX",  "NAMED", "DESCWORDS", "DESCWORDS2", NULL};
    for (const pov_item *item = node->items; item; item = item->next) {
        if (item->kind == POV_ITEM_TAG)
            read_tag(d, item->text);
        else if (item->kind == POV_ITEM_NOUN && d->word_len < DESCRIBING_MAX) {
            d->word[d->word_len++] = d->said[d->said_len++] = item->text;
            d->several = d->several || item->several;
        } else if (item->kind == POV_ITEM_UNKNOWN && d->unknown_len < DESCRIBING_MAX) {
            d->said[d->said_len++] = item->text;
            d->unknown_len++;
        } else if (item->kind != POV_ITEM_NODE)
            continue;
        else if (strcmp(item->node->name, "POST") == 0) {
            if (d->limit_len < LIMITS_MAX)
                d->limit[d->limit_len++] = item->node;
        } else if (strcmp(item->node->name, "EXTREME") == 0) {
            if (d->extreme_len < LIMITS_MAX)
                d->extreme[d->extreme_len++] = item->node;
        } else if (strcmp(item->node->name, "ORDINAL") == 0)
            d->ordinal = item->node;
        else if (is_named(item->node, within))
            read_description(d, item->node);
    }
}

/* "the green mug" as it was said. */
static void join_words(char *text, size_t capacity, const description *d)
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

/* Those of which some word is true: of "green mug" the mugs. */
static pov_status no_such_thing(const pov_context *c, const description *d)
{
    char said[120], list[240];
    bool like[POV_ENTITY_MAX] = {false}, some = false;
    join_words(said, sizeof said, d);
    for (pov_id id = 0; id < c->scene->len; id++) {
        thing_words words;
        split_thing(&words, &c->scene->entities[id]);
        for (int i = 0; i < d->word_len; i++)
            like[id] = like[id] || (id != c->scene->camera && has_word(&words.all, d->word[i]));
        some = some || like[id];
    }
    list_things(list, sizeof list, c->scene, some ? like : NULL);
    return pov_error("I know no \"%s\" here; there %s %s", said, strchr(list, ',') ? "are" : "is",
                     *list ? list : "nothing");
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

static bool fits_words(const pov_scene *scene, pov_id id, const description *d)
{
    thing_words words;
    split_thing(&words, &scene->entities[id]);
    bool fits = id != scene->camera && (d->word_len > 0 || !pov_is_surface(&scene->entities[id]));
    for (int i = 0; i < d->word_len && fits; i++)
        fits = has_word(&words.all, d->word[i]);
    if (d->thing || d->person || (d->one && d->word_len == 0))
        fits = fits && pov_is_person(scene, id) == d->person;
    return fits;
}

/* "chair" where there are chair and chair-2: by its whole id. */
static bool is_whole_name(const pov_scene *scene, pov_id id, const description *d)
{
    thing_words words;
    split_thing(&words, &scene->entities[id]);
    bool same = words.name.len == d->word_len && d->word_len > 0;
    for (int i = 0; i < d->word_len && same; i++)
        same = strcmp(words.name.word[i], d->word[i]) == 0;
    return same && !d->several && !d->some && !d->all && !d->other;
}

/* By words alone. */
static pov_status find_candidates(bool candidate[POV_ENTITY_MAX], const pov_context *c, const description *d,
                                  bool by_name)
{
    bool some = false, same_kind = d->other && d->word_len == 0 && c->it != POV_ID_NONE;
    if (d->unknown_len > 0)
        return no_such_thing(c, d);
    memset(candidate, 0, POV_ENTITY_MAX * sizeof *candidate);
    for (pov_id id = 0; id < c->scene->len; id++) {
        bool offered = c->offered_len == 0 || d->word_len > 0;
        for (int i = 0; i < c->offered_len; i++)
            offered = offered || c->offered[i] == id;
        candidate[id] = fits_words(c->scene, id, d) && offered && !(d->other && c->before[id]) &&
                        (!same_kind || strcmp(c->scene->entities[id].class_name,
                                              c->scene->entities[c->it].class_name) == 0);
        some = some || candidate[id];
    }
    for (pov_id id = 0; id < c->scene->len && by_name; id++)
        if (candidate[id] && is_whole_name(c->scene, id, d)) {
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

/* -------- frames of reference -------- */

int pov_hypotheses_of(pov_hypothesis list[POV_HYPOTHESES_MAX], const pov_context *c)
{
    int len = 0;
    if (c->is_intrinsic) {
        list[0] = (pov_hypothesis){POV_INTRINSIC, POV_ID_NONE, 1};
        return 1;
    }
    if (c->has_view) {
        list[0] = (pov_hypothesis){c->view == c->scene->camera ? POV_EGOCENTRIC : POV_ADDRESSEE, c->view, 1};
        return 1;
    }
    double counted = 0;
    for (int i = 0; i < POV_PERSPECTIVE_COUNT; i++)
        counted += c->said_in[i];
    int addressees = 0;
    for (pov_id id = 0; id < c->scene->len; id++)
        addressees += c->scene->entities[id].addressee;
    for (pov_id viewer = pov_viewer_next(c->scene, POV_ID_NONE);
         viewer != POV_ID_NONE && len < POV_HYPOTHESES_MAX - 1; viewer = pov_viewer_next(c->scene, viewer)) {
        pov_perspective perspective = pov_viewer_perspective(c->scene, viewer);
        double share = perspective == POV_ADDRESSEE ? 1.0 / addressees : 1;
        list[len++] =
            (pov_hypothesis){perspective, viewer,
                             share * (prior_of_frame[perspective] + c->said_in[perspective]) / (1 + counted)};
    }
    list[len++] =
        (pov_hypothesis){POV_INTRINSIC, POV_ID_NONE,
                         (prior_of_frame[POV_INTRINSIC] + c->said_in[POV_INTRINSIC]) / (1 + counted)};
    return len;
}

/* -------- limits: relations, seeing, the most -------- */

/* What fits how well, in one frame. */
typedef struct {
    double truth[POV_ENTITY_MAX];   /* P */
    double example[POV_ENTITY_MAX]; /* how good an example it is, to 1 */
    bool by_frame, undefined;
} match;

const pov_relation_info *pov_relation_read(const pov_node *node)
{
    for (const pov_item *item = node ? node->items : NULL; item; item = item->next) {
        if (item->kind == POV_ITEM_TAG && item->text[0] == '=')
            return pov_relation_lookup(item->text + 1);
        if (item->kind == POV_ITEM_NODE &&
            (strncmp(item->node->name, "REL", 3) == 0 || strcmp(item->node->name, "DIRECTION") == 0)) {
            const pov_relation_info *found = pov_relation_read(item->node);
            if (found)
                return found;
        }
    }
    return NULL;
}

static void query_in(pov_query *query, const pov_context *c, const pov_hypothesis *h)
{
    if (query->relation->frame == POV_FRAME_AXES || query->relation->frame == POV_FRAME_VIEWER) {
        bool own = h->viewer == POV_ID_NONE || h->viewer == query->relatum[0];
        query->perspective = own ? POV_INTRINSIC : h->perspective;
        query->viewer = own ? POV_ID_NONE : h->viewer;
        if (!own) {
            query->convention = c->convention;
            query->axis = c->axis;
        }
    }
}

/* In a frame, what a relation is to. */
static pov_status find_relatum(pov_meant *meant, pov_context *c, const pov_node *phrase,
                               const pov_hypothesis *h)
{
    pov_context one = *c; /* who sees left and right so sees the relatum's too */
    one.has_view = h->viewer != POV_ID_NONE;
    one.view = h->viewer;
    pov_status status = pov_reference_find(meant, &one, phrase, POV_ROLE_COUNT);
    c->person = one.person;
    return status;
}

/* Several, where a relation wants several and one phrase names them all: "between the mugs". */
static pov_status find_relata(pov_id relata[POV_RELATA_MAX], int *len, pov_context *c, const pov_node *limit,
                              int wanted, const pov_hypothesis *h)
{
    *len = 0;
    for (const pov_item *item = limit->items; item; item = item->next) {
        pov_meant meant;
        if (item->kind != POV_ITEM_NODE || strcmp(item->node->name, "RELATUM") != 0)
            continue;
        POV_TRY(find_relatum(&meant, c, item->node->items->node, h));
        int fitting = 0;
        for (pov_id id = 0; id < c->scene->len; id++)
            fitting += meant.fits[id];
        if (wanted > 1 && fitting >= wanted - *len && (meant.several || meant.all)) {
            for (pov_id id = 0; id < c->scene->len && *len < POV_RELATA_MAX; id++)
                if (meant.fits[id])
                    relata[(*len)++] = id;
        } else if (*len < POV_RELATA_MAX)
            relata[(*len)++] = pov_meant_best(&meant);
    }
    return *len >= wanted ? pov_ok() : pov_error("that needs %d things; join them by \"and\"", wanted);
}

static void limit_by_relation(match *m, pov_context *c, const pov_query *like, const pov_hypothesis *h,
                              bool negated)
{
    m->by_frame =
        m->by_frame || like->relation->frame == POV_FRAME_AXES || like->relation->frame == POV_FRAME_VIEWER;
    for (pov_id id = 0; id < c->scene->len; id++) {
        pov_query query = *like;
        pov_judgment judgment;
        bool self = id == h->viewer;
        for (int i = 0; i < query.relatum_len; i++)
            self = self || query.relatum[i] == id;
        if (m->truth[id] <= 0)
            continue;
        query.referent = id;
        if (query.perspective != POV_INTRINSIC || query.relation->frame != POV_FRAME_AXES)
            query_in(&query, c, h);
        (void)pov_relation_evaluate(&judgment, c->scene, &query, c->judging);
        bool under = query.relation->projective != POV_RELATION_COUNT &&
                     pov_support_likeliest(c->scene, query.relatum[0]) == id;
        double p = self || under || judgment.belief.verdict == POV_VERDICT_UNDEFINED ? 0 : judgment.belief.p;
        m->undefined = m->undefined || judgment.belief.verdict == POV_VERDICT_UNDEFINED;
        if (negated) {
            m->truth[id] *= self || judgment.belief.verdict == POV_VERDICT_UNDEFINED ? 0 : 1 - p;
            continue;
        }
        m->truth[id] *= p;
        double theta_rad = judgment.theta_rad;
        if (!isnan(theta_rad)) /* good, acceptable, bad: as cosine falls (Logan & Sadler 1996) */
            m->example[id] *= pow(fmax(0.01, cos(theta_rad)), 2);
    }
}

static pov_status limit_by_seeing(match *m, pov_context *c, const pov_node *limit)
{
    bool hidden = pov_node_has(limit, "hidden") != pov_node_has(limit, "neg");
    if (pov_node_has(limit, "pos"))
        hidden = false;
    for (const pov_item *item = limit->items; item; item = item->next) {
        pov_meant seer;
        if (item->kind != POV_ITEM_NODE || strncmp(item->node->name, "VIEWER", 6) != 0)
            continue;
        POV_TRY(pov_reference_find(&seer, c, item->node->items->node, POV_ROLE_COUNT));
        pov_id viewer = pov_meant_best(&seer);
        if (!c->scene->entities[viewer].can_see) {
            char name[64];
            return pov_error("I do not know what %s can see", pov_name_thing(name, c->scene, viewer));
        }
        for (pov_id id = 0; id < c->scene->len; id++) {
            pov_visibility looked;
            if (m->truth[id] <= 0)
                continue;
            bool known = id != viewer && pov_sights_look(c->sights, &looked, viewer, id) == POV_OK;
            m->truth[id] *= !known ? 0 : hidden ? 1 - looked.sees.p : looked.sees.p;
        }
    }
    return pov_ok();
}

/* -1: the last. */
static bool read_rank(int *rank, const pov_node *ordinal)
{
    for (int i = 0; i < 5; i++) {
        char tag[8];
        snprintf(tag, sizeof tag, "rank%d", i);
        if (pov_node_has(ordinal, tag)) {
            *rank = i;
            return true;
        }
    }
    *rank = -1;
    return pov_node_has(ordinal, "last");
}

bool pov_extreme_read(pov_extreme *extreme, int *rank, bool *middle, const pov_node *node)
{
    static const char *const names[] = {"near",     "far",     "leftmost", "rightmost", "biggest",
                                        "smallest", "tallest", "shortest", "highest",   "lowest"};
    const pov_node *ext = pov_node_find(node, "EXT"), *ordinal = pov_node_find(node, "ORDINAL");
    *middle = pov_node_has(ext, "middle");
    if (!ordinal || !read_rank(rank, ordinal))
        *rank = 0;
    *extreme = POV_LEFTMOST;
    for (int i = 0; i < POV_EXTREME_COUNT; i++)
        if (pov_node_has(ext, names[i])) {
            *extreme = (pov_extreme)i;
            return true;
        }
    return *middle;
}

/* The most of those that fit so far. */
static void limit_to_most(match *m, const pov_context *c, pov_request *asked, bool middle,
                          const pov_hypothesis *h)
{
    int fitting = 0;
    pov_most most;
    bool needs_viewer = pov_measure_needs_viewer(asked);
    m->by_frame = m->by_frame || needs_viewer;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++) {
        asked->candidate[id] = id < c->scene->len && m->truth[id] > p_fits;
        fitting += asked->candidate[id];
    }
    if (fitting == 1 && asked->rank == 0)
        return;
    if (middle && fitting % 2 == 1)
        asked->rank = fitting / 2;
    else if (asked->rank < 0)
        asked->rank = fitting - 1;
    if ((middle && fitting % 2 == 0) || (needs_viewer && h->viewer == POV_ID_NONE)) {
        memset(m->truth, 0, sizeof m->truth);
        return;
    }
    pov_measure_most(&most, c->scene, asked, needs_viewer ? h->viewer : POV_ID_NONE);
    memset(m->truth, 0, sizeof m->truth);
    for (int i = 0; i < most.len; i++)
        m->truth[most.id[i]] = most.p[i];
}

static pov_status limit_by_extreme(match *m, pov_context *c, const pov_node *limit, const pov_node *target,
                                   const pov_node *ordinal, const pov_hypothesis *h)
{
    pov_request asked = {0};
    bool middle;
    int rank;
    if (!pov_extreme_read(&asked.extreme, &asked.rank, &middle, limit)) {
        asked.extreme =
            pov_node_has(pov_node_find(limit, "EDGE"), "rightmost") ? POV_RIGHTMOST : POV_LEFTMOST;
        middle = pov_node_has(limit, "middle");
    }
    if (ordinal && read_rank(&rank, ordinal))
        asked.rank = rank;
    if (target) {
        pov_meant meant;
        POV_TRY(pov_reference_find(&meant, c, target->items->node, POV_ROLE_COUNT));
        asked.relatum[asked.relatum_len++] = pov_meant_best(&meant);
        m->truth[asked.relatum[0]] = 0;
    }
    limit_to_most(m, c, &asked, middle, h);
    return pov_ok();
}

static void limit_by_words(match *m, const pov_context *c, const pov_node *words, bool excluded)
{
    description d = {0};
    read_description(&d, words);
    for (pov_id id = 0; id < c->scene->len; id++)
        if (fits_words(c->scene, id, &d) == excluded)
            m->truth[id] = 0;
}

static pov_status limit_to_other_than(match *m, pov_context *c, const pov_node *phrase)
{
    pov_meant meant;
    POV_TRY(pov_reference_find(&meant, c, phrase, POV_ROLE_COUNT));
    for (pov_id id = 0; id < c->scene->len; id++)
        m->truth[id] = meant.fits[id] ? 0 : m->truth[id];
    return pov_ok();
}

static pov_status limit_by_own_side(match *m, pov_context *c, const pov_node *limit, const pov_hypothesis *h)
{
    pov_meant whose;
    POV_TRY(pov_reference_find(&whose, c, pov_node_find(limit, "WHOSE")->items->node, POV_ROLE_COUNT));
    const pov_node *side = pov_node_find(limit, "SIDE");
    pov_relation relation = pov_node_has(limit, "own_back") ? POV_BEHIND
                            : pov_node_has(side, "right")   ? POV_RIGHT_OF
                                                            : POV_LEFT_OF;
    pov_query query = pov_query_of_pair(pov_relation_info_of(relation), 0, pov_meant_best(&whose));
    query.perspective = POV_INTRINSIC;
    query.viewer = POV_ID_NONE;
    bool by_frame = m->by_frame;
    limit_by_relation(m, c, &query, h, pov_node_has(limit, "neg"));
    m->by_frame = by_frame;
    return pov_ok();
}

static bool is_nearness(const pov_relation_info *relation)
{
    static const char *const names[] = {"near", "next_to", "close_to", "by", "beside", NULL};
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], relation->name) == 0)
            return true;
    return false;
}

/* "the thing left of the mug", of which there are two: each as likely as it is meant. */
static pov_status limit_by_one_relatum(match *m, pov_context *c, const pov_node *limit,
                                       const pov_relation_info *relation, const pov_hypothesis *h)
{
    pov_meant meant;
    match sum = {0};
    POV_TRY(find_relatum(&meant, c, pov_node_find(limit, "RELATUM")->items->node, h));
    for (pov_id relatum = 0; relatum < c->scene->len; relatum++) {
        match one = *m;
        pov_query query = pov_query_of_pair(relation, 0, relatum);
        if (meant.q[relatum] < 0.05)
            continue;
        limit_by_relation(&one, c, &query, h, pov_node_has(pov_node_find(limit, "THAT"), "neg"));
        for (pov_id id = 0; id < c->scene->len; id++) {
            sum.truth[id] += meant.q[relatum] * one.truth[id];
            sum.example[id] += meant.q[relatum] * one.example[id];
        }
        sum.by_frame = sum.by_frame || one.by_frame || meant.by_frame;
        sum.undefined = sum.undefined || one.undefined;
    }
    /* "the mug near bob": if none is near, the nearest is meant */
    double most = 0;
    for (pov_id id = 0; id < c->scene->len; id++)
        most = fmax(most, sum.truth[id]);
    if (most < p_fits && is_nearness(relation) && !pov_node_has(pov_node_find(limit, "THAT"), "neg")) {
        pov_request asked = {.extreme = POV_NEAREST, .relatum_len = 1, .relatum = {pov_meant_best(&meant)}};
        m->truth[asked.relatum[0]] = 0;
        limit_to_most(m, c, &asked, false, h);
        return pov_ok();
    }
    *m = sum;
    return pov_ok();
}

static pov_status apply_limit(match *m, pov_context *c, const pov_node *limit, const pov_node *ordinal,
                              const pov_hypothesis *h)
{
    const pov_node *words = pov_node_find(limit, "DESCWORDS"), *words2 = pov_node_find(limit, "DESCWORDS2");
    if (pov_node_has(limit, "own"))
        return limit_by_own_side(m, c, limit, h);
    if (pov_node_has(limit, "seen"))
        return limit_by_seeing(m, c, limit);
    if (pov_node_has(limit, "except"))
        return limit_to_other_than(m, c, pov_node_find(limit, "NPX"));
    if (words) {
        limit_by_words(m, c, words, pov_node_has(limit, "excluded"));
        if (words2)
            limit_by_words(m, c, words2, pov_node_has(limit, "excluded"));
        return pov_ok();
    }
    const pov_relation_info *relation = pov_relation_read(limit);
    if (!relation)
        return limit_by_extreme(m, c, limit, pov_node_find(limit, "TARGET"), ordinal, h);
    pov_id relata[POV_RELATA_MAX];
    int len;
    if (relation->relata_min == 1)
        return limit_by_one_relatum(m, c, limit, relation, h);
    POV_TRY(find_relata(relata, &len, c, limit, relation->relata_min, h));
    pov_query query = pov_query_of_pair(relation, 0, relata[0]);
    query.relatum_len = len;
    memcpy(query.relatum, relata, sizeof query.relatum);
    limit_by_relation(m, c, &query, h, pov_node_has(pov_node_find(limit, "THAT"), "neg"));
    return pov_ok();
}

/* In one frame. */
static pov_status match_description(match *m, pov_context *c, const description *d, const bool *candidate,
                                    const pov_hypothesis *h)
{
    *m = (match){0};
    for (pov_id id = 0; id < c->scene->len; id++) {
        m->truth[id] = candidate[id];
        m->example[id] = 1;
    }
    for (int i = 0; i < d->limit_len; i++)
        if (pov_relation_read(d->limit[i]) || !pov_node_find(d->limit[i], "EXTREME"))
            POV_TRY(apply_limit(m, c, d->limit[i], d->ordinal, h));
    for (int i = 0; i < d->limit_len; i++)
        if (!pov_relation_read(d->limit[i]) && pov_node_find(d->limit[i], "EXTREME"))
            POV_TRY(apply_limit(m, c, d->limit[i], d->ordinal, h));
    for (int i = 0; i < d->extreme_len; i++)
        POV_TRY(limit_by_extreme(m, c, d->extreme[i], NULL,
                                 pov_node_find(d->extreme[i], "ORDINAL") ? NULL : d->ordinal, h));
    return pov_ok();
}

/* -------- the frames together -------- */

static pov_status add_frame(pov_meant *meant, const match *m, const pov_hypothesis *h)
{
    double sum = 0, most = 0, *q = meant->frame_q[meant->frame_len];
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++) {
        q[id] = m->truth[id] > 0.05 ? m->truth[id] * m->example[id] : 0;
        meant->fits[id] = meant->fits[id] || m->truth[id] > p_fits;
        meant->truth[id] = fmax(meant->truth[id], m->truth[id]);
        sum += q[id];
    }
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        most = fmax(most, m->truth[id]);
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        q[id] = most > 0.3 ? q[id] / sum : 0;
    meant->frame[meant->frame_len] = *h;
    meant->frame[meant->frame_len++].prior *= most; /* who describes a thing means that there is one */
    meant->by_frame = meant->by_frame || m->by_frame;
    return pov_ok();
}

/* Frames in which nothing fits are not those that the speaker means. */
static bool mix_frames(pov_meant *meant)
{
    double sum = 0;
    for (int f = 0; f < meant->frame_len; f++) {
        double any = 0;
        for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
            any += meant->frame_q[f][id];
        meant->frame[f].prior = any > 0 ? meant->frame[f].prior : 0;
        sum += meant->frame[f].prior;
    }
    for (int f = 0; f < meant->frame_len && sum > 0; f++) {
        meant->frame[f].prior /= sum;
        for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
            meant->q[id] += meant->frame[f].prior * meant->frame_q[f][id];
    }
    return sum > 0;
}

/* Of one sex, by class, if that is known. */
static bool may_be(const pov_scene *scene, pov_id id, bool he, bool she)
{
    const char *class_name = scene->entities[id].class_name;
    bool woman = strcmp(class_name, "woman") == 0 || strcmp(class_name, "girl") == 0,
         man = strcmp(class_name, "man") == 0 || strcmp(class_name, "boy") == 0;
    return !(he && woman) && !(she && man);
}

static void remember(pov_context *c, pov_id id)
{
    if (id == POV_ID_NONE || !pov_is_person(c->scene, id))
        return;
    c->person = id;
    if (may_be(c->scene, id, true, false))
        c->he = id;
    if (may_be(c->scene, id, false, true))
        c->she = id;
}

static pov_status mean_one(pov_meant *meant, pov_context *c, pov_id id)
{
    POV_REQUIRE(id >= 0);
    meant->q[id] = 1;
    meant->fits[id] = true;
    meant->truth[id] = 1;
    meant->pronoun = true;
    meant->frame_len = 0;
    remember(c, id);
    return pov_ok();
}

static pov_status find_me(pov_id *me, const pov_context *c)
{
    *me = c->me;
    for (pov_id id = 0; id < c->scene->len && c->me == POV_ID_NONE; id++)
        if (c->scene->entities[id].addressee) {
            if (*me != POV_ID_NONE)
                return pov_error("there are several addressees, e.g. %s and %s; say from which",
                                 c->scene->entities[*me].name, c->scene->entities[id].name);
            *me = id;
        }
    return *me != POV_ID_NONE
               ? pov_ok()
               : pov_error("the scene has no addressee; mark one with addressee: true, or name an entity");
}

pov_status pov_reference_me(pov_meant *meant, pov_context *c)
{
    pov_id id;
    *meant = (pov_meant){0};
    POV_TRY(find_me(&id, c));
    return mean_one(meant, c, id);
}

static pov_status find_pronoun(pov_meant *meant, pov_context *c, const pov_node *pronoun)
{
    pov_id id = POV_ID_NONE;
    bool he = pov_node_has(pronoun, "he"), she = pov_node_has(pronoun, "she");
    if (pov_node_has(pronoun, "me")) {
        POV_TRY(find_me(&id, c));
        return mean_one(meant, c, id);
    }
    if (pov_node_has(pronoun, "you")) {
        id = c->you != POV_ID_NONE ? c->you : c->scene->camera;
        return id != POV_ID_NONE ? mean_one(meant, c, id)
                                 : pov_error("the scene has no camera; give its position_m and look_at_m");
    }
    if (pov_node_has(pronoun, "it") || pov_node_has(pronoun, "that"))
        id = c->it;
    else
        id = he ? c->he : she ? c->she : c->person;
    if (id == POV_ID_NONE)
        return pov_error(he || she || pov_node_has(pronoun, "they") ? "who is meant? say the name"
                                                                    : "what is meant? name the thing");
    return mean_one(meant, c, id);
}

/* "the second" of what was asked back. */
static pov_status find_ordinal(pov_meant *meant, pov_context *c, const description *d)
{
    int rank;
    if (read_rank(&rank, d->ordinal) && rank < 0)
        rank = c->offered_len - 1;
    if (rank < 0 || rank >= c->offered_len)
        return pov_error("counted from where? say e.g. \"the second from the left\"");
    return mean_one(meant, c, c->offered[rank]);
}

static void keep_fixed(pov_meant *meant, const pov_context *c, pov_role role)
{
    int count = 0;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++) {
        meant->fits[id] = c->only[role][id];
        meant->truth[id] = meant->fits[id];
        count += meant->fits[id];
    }
    for (pov_id id = 0; id < POV_ENTITY_MAX && count > 0; id++)
        meant->q[id] = meant->fits[id] ? 1.0 / count : 0;
}

static pov_status nothing_fits(const pov_context *c, const description *d, const bool *candidate)
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

pov_status pov_reference_find(pov_meant *meant, pov_context *c, const pov_node *phrase, pov_role role)
{
    description d = {0};
    bool candidate[POV_ENTITY_MAX];
    pov_hypothesis frames[POV_HYPOTHESES_MAX];
    *meant = (pov_meant){0};
    if (role < POV_ROLE_COUNT && c->fixed[role]) {
        keep_fixed(meant, c, role);
        remember(c, pov_meant_best(meant));
        return pov_ok();
    }
    const pov_node *pronoun =
        phrase->items && phrase->items->kind == POV_ITEM_NODE ? phrase->items->node : NULL;
    if (pronoun && strcmp(pronoun->name, "PRONOUN") == 0)
        return find_pronoun(meant, c, pronoun);
    read_description(&d, phrase);
    if (d.ordinal && d.extreme_len == 0 && d.limit_len == 0)
        return find_ordinal(meant, c, &d);
    POV_TRY(find_candidates(candidate, c, &d, d.limit_len == 0 && role != POV_ROLE_NOUN));
    for (pov_id id = 0; id < POV_ENTITY_MAX && role == POV_ROLE_WANTED; id++)
        candidate[id] = candidate[id] && !c->excluded[id];
    meant->some = d.some;
    meant->all = d.all;
    meant->several = d.several;
    int len = pov_hypotheses_of(frames, c);
    for (int f = 0; f < len; f++) {
        match m;
        POV_TRY(match_description(&m, c, &d, candidate, &frames[f]));
        POV_TRY(add_frame(meant, &m, &frames[f]));
        if (!m.by_frame)
            break;
    }
    if (!mix_frames(meant))
        return nothing_fits(c, &d, candidate);
    pov_id best = pov_meant_best(meant);
    if (meant->q[best] > 0.99)
        remember(c, best);
    return pov_ok();
}

pov_status pov_reference_candidates(bool candidate[POV_ENTITY_MAX], pov_context *c, const pov_node *phrase,
                                    pov_role role)
{
    pov_meant meant;
    pov_status status = pov_reference_find(&meant, c, phrase, role);
    memcpy(candidate, meant.fits, sizeof meant.fits);
    return status;
}

pov_status pov_reference_nouns(bool candidate[POV_ENTITY_MAX], const pov_context *c, const pov_node *phrase)
{
    description d = {0};
    read_description(&d, phrase);
    POV_TRY(find_candidates(candidate, c, &d, false));
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        candidate[id] = candidate[id] && !c->excluded[id];
    return pov_ok();
}

pov_id pov_meant_best(const pov_meant *meant)
{
    pov_id best = POV_ID_NONE;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        if (meant->q[id] > 0 && (best == POV_ID_NONE || meant->q[id] > meant->q[best]))
            best = id;
    return best;
}
