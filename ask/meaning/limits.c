/* Limits of a noun phrase: relations, seeing, superlatives. */
#include "ask/meaning/measure.h"
#include "ask/meaning/reference_internal.h"
#include "perception/scene/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const pov_relation_info *pov_relation_read(const pov_node *node)
{
    for (const pov_item *item = node ? node->items : NULL; item; item = item->next) {
        if (item->kind == POV_ITEM_TAG && item->text[0] == '=')
            return pov_relation_lookup(item->text + 1);
        if (item->kind == POV_ITEM_NODE &&
            (strncmp(item->node->name, "REL", 3) == 0 || strncmp(item->node->name, "DIRECTION", 9) == 0)) {
            const pov_relation_info *found = pov_relation_read(item->node);
            if (found)
                return found;
        }
    }
    return NULL;
}

/* Not that of a relatum: "left of the box on the left side of the table". */
static const pov_node *find_part(const pov_node *node)
{
    const pov_node *found = node && strncmp(node->name, "RELPART", 7) == 0 ? node : NULL;
    for (const pov_item *item = node ? node->items : NULL; item && !found; item = item->next)
        if (item->kind == POV_ITEM_NODE && strncmp(item->node->name, "REL", 3) == 0 &&
            strcmp(item->node->name, "RELATUM") != 0)
            found = find_part(item->node);
    return found;
}

void pov_area_read(pov_area *area, const pov_node *node)
{
    const pov_node *said = find_part(node);
    *area = (pov_area){0};
    if (!said)
        return;
    const pov_node *part = pov_node_find(said, "AREAPART");
    area->part = pov_node_has(part, "corner") ? POV_PART_CORNER
                 : pov_node_has(part, "edge") ? POV_PART_EDGE
                                              : POV_PART_HALF;
    area->is_side = pov_node_has(part, "side");
    area->by_viewer = pov_node_has(said, "near") || pov_node_has(pov_node_find(said, "RELEND"), "near");
    area->across = pov_relation_read(pov_node_find(said, "ACROSS"));
}

const pov_node *pov_relatum_node(const pov_node *node)
{
    const pov_node *named = pov_node_find(node, "RELATUM");
    return named ? named : pov_node_find(node, "OFTABLE");
}

bool pov_relation_says(const pov_node *node, const char *tag)
{
    bool says = pov_node_has(node, tag);
    for (const pov_item *item = node->items; item && !says; item = item->next)
        says = item->kind == POV_ITEM_NODE &&
               (strncmp(item->node->name, "REL", 3) == 0 || strcmp(item->node->name, "AT") == 0 ||
                strcmp(item->node->name, "FACES") == 0) &&
               strcmp(item->node->name, "RELATUM") != 0 && pov_relation_says(item->node, tag);
    return says;
}

/* People point with their hands; a car points where its front does. */
static pov_status choose_aim(const pov_relation_info **relation, const pov_match *m, const pov_context *c,
                             const pov_node *limit)
{
    bool may_be_person = false;
    for (pov_id id = 0; id < c->scene->len; id++)
        may_be_person = may_be_person || (m->truth[id] > 0 && pov_is_person(c->scene, id));
    if (!pov_relation_says(limit, "points"))
        return pov_ok();
    *relation = pov_request_facing(may_be_person ? POV_AIM_HAND : POV_AIM_FRONT);
    return may_be_person ? pov_request_check_hands(c->scene, POV_ID_NONE) : pov_ok();
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

static pov_status add_relatum(pov_id relata[POV_RELATA_MAX], int *len, pov_id id)
{
    if (*len == POV_RELATA_MAX)
        return pov_error("more than %d entities to locate it by", POV_RELATA_MAX);
    relata[(*len)++] = id;
    return pov_ok();
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
            for (pov_id id = 0; id < c->scene->len; id++)
                if (meant.fits[id])
                    POV_TRY(add_relatum(relata, len, id));
        } else
            POV_TRY(add_relatum(relata, len, pov_meant_best(&meant)));
    }
    return *len >= wanted ? pov_ok() : pov_error("that needs %d things; join them by \"and\"", wanted);
}

/* "right behind the book" is straight behind it, and close to it. Chosen: a hand's span; the cosine's power. */
static const double tight_reach_m = 0.15, tight_power = 8;

static const pov_area no_area = {.part = POV_PART_NONE};

static double distance_m(const pov_scene *scene, pov_id a, pov_id b)
{
    return pov_vec3_norm(
        pov_vec3_sub(scene->entities[a].position.mean_m, scene->entities[b].position.mean_m));
}

static void limit_by_relation(pov_match *m, pov_context *c, const pov_query *like, const pov_area *area,
                              const pov_hypothesis *h, bool negated, bool tight)
{
    m->by_frame =
        m->by_frame || like->relation->frame == POV_FRAME_AXES || like->relation->frame == POV_FRAME_VIEWER;
    if (m->by_frame)
        m->relatum = like->relatum[0];
    int candidates = 0;
    for (pov_id id = 0; id < c->scene->len; id++)
        candidates += m->truth[id] > 0;
    pov_moment_hurry(c->moment, candidates);
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
        (void)pov_area_relation(&judgment, c->moment, &query, area);
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
            m->example[id] *= pow(fmax(0.01, cos(theta_rad)), tight ? tight_power : 2);
        if (tight)
            m->example[id] *= exp(-distance_m(c->scene, id, query.relatum[0]) / tight_reach_m);
    }
    pov_moment_hurry(c->moment, 0);
}

static pov_status limit_by_seeing(pov_match *m, pov_context *c, const pov_node *limit)
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
            bool known = id != viewer && pov_moment_look(c->moment, &looked, viewer, id) == POV_OK;
            m->truth[id] *= !known ? 0 : hidden ? 1 - looked.sees.p : looked.sees.p;
        }
    }
    return pov_ok();
}

/* -1: the last. */
bool pov_rank_read(int *rank, const pov_node *ordinal)
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
    static const char *const names[] = {"near",    "far",      "leftmost",  "rightmost",
                                        "biggest", "smallest", "tallest",   "shortest",
                                        "highest", "lowest",   "frontmost", "backmost"};
    const pov_node *edge = pov_node_find(node, "EDGE"), *ext = edge ? edge : pov_node_find(node, "EXT"),
                   *ordinal = pov_node_find(node, "ORDINAL");
    *middle = pov_node_has(ext, "middle");
    if (!ordinal || !pov_rank_read(rank, ordinal))
        *rank = 0;
    *extreme = POV_LEFTMOST;
    for (int i = 0; i < POV_EXTREME_COUNT; i++)
        if (pov_node_has(ext, names[i])) {
            *extreme = (pov_extreme)i;
            return true;
        }
    return *middle;
}

/* The most of those that fit so far; of "the two cups on the left" the first `number`. */
static void limit_to_most(pov_match *m, const pov_context *c, pov_request *asked, bool middle, int number,
                          const pov_hypothesis *h)
{
    int fitting = 0;
    pov_most most;
    bool needs_viewer = pov_measure_needs_viewer(asked);
    m->by_frame = m->by_frame || needs_viewer;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++) {
        asked->candidate[id] = id < c->scene->len && m->truth[id] > POV_FITS_P;
        fitting += asked->candidate[id];
    }
    if (fitting == 1 && asked->rank == 0 && number <= 1)
        return;
    if (middle && fitting % 2 == 1)
        asked->rank = fitting / 2;
    else if (asked->rank < 0)
        asked->rank = fitting - 1;
    if ((middle && fitting % 2 == 0) || (needs_viewer && h->viewer == POV_ID_NONE)) {
        memset(m->truth, 0, sizeof m->truth);
        return;
    }
    memset(m->truth, 0, sizeof m->truth);
    m->is_shared = number <= 1;
    const double enough =
        0.5; /* of several that are alike each is as likely as another: asked back, not refused */
    for (int k = 0; k < (number > 1 ? number : 1); k++, asked->rank++) {
        pov_measure_most(&most, c->scene, asked, needs_viewer ? h->viewer : POV_ID_NONE);
        for (int i = 0; i < most.len && number > 1; i++)
            m->truth[most.id[i]] += most.p[i];
        for (int i = 0; i < most.len && number <= 1; i++)
            m->truth[most.id[i]] = most.p[0] < enough ? enough * most.p[i] / most.p[0] : most.p[i];
    }
}

static pov_status limit_by_extreme(pov_match *m, pov_context *c, const pov_node *limit,
                                   const pov_node *target, const pov_node *ordinal, int number,
                                   const pov_hypothesis *h)
{
    pov_request asked = {0};
    bool middle;
    int rank;
    if (!pov_extreme_read(&asked.extreme, &asked.rank, &middle, limit))
        middle = pov_node_has(limit, "middle");
    if (ordinal && pov_rank_read(&rank, ordinal))
        asked.rank = rank;
    else if (asked.rank == 0)
        asked.rank = c->rank;
    if (target) {
        pov_meant meant;
        POV_TRY(pov_reference_find(&meant, c, target->items->node, POV_ROLE_COUNT));
        asked.relatum[asked.relatum_len++] = pov_meant_best(&meant);
        m->truth[asked.relatum[0]] = 0;
    }
    limit_to_most(m, c, &asked, middle, number, h);
    return pov_ok();
}

static void limit_by_words(pov_match *m, const pov_context *c, const pov_node *words, bool excluded)
{
    pov_description d = {0};
    pov_description_read(&d, words);
    for (pov_id id = 0; id < c->scene->len; id++)
        if (pov_description_fits(c, id, &d) == excluded)
            m->truth[id] = 0;
}

static pov_status limit_to_other_than(pov_match *m, pov_context *c, const pov_node *phrase)
{
    pov_meant meant;
    POV_TRY(pov_reference_find(&meant, c, phrase, POV_ROLE_COUNT));
    for (pov_id id = 0; id < c->scene->len; id++)
        m->truth[id] = meant.fits[id] ? 0 : m->truth[id];
    return pov_ok();
}

static pov_status limit_by_own_side(pov_match *m, pov_context *c, const pov_node *limit,
                                    const pov_hypothesis *h)
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
    limit_by_relation(m, c, &query, &no_area, h, pov_node_has(pov_node_find(limit, "THAT"), "neg"), false);
    m->by_frame = by_frame;
    m->own = true;
    return pov_ok();
}

/* Prefers what the viewer's looks meet, among those that may be meant. */
static void prefer_straight_ahead(pov_match *m, const pov_scene *scene, pov_id viewer, pov_aim aim)
{
    bool candidate[POV_ENTITY_MAX];
    double share[POV_ENTITY_MAX];
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        candidate[id] = m->truth[id] > POV_FITS_P;
    pov_measure_ahead(share, scene, viewer, aim, candidate);
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        m->example[id] *= share[id];
}

/* "the cup straight ahead": before its viewer, who is not named. */
static void limit_to_ahead(pov_match *m, pov_context *c, const pov_node *limit, const pov_hypothesis *h)
{
    pov_query query = pov_query_of_pair(pov_relation_info_of(POV_IN_FRONT_OF), 0, h->viewer);
    m->by_frame = true;
    if (h->viewer == POV_ID_NONE) {
        memset(m->truth, 0, sizeof m->truth);
        return;
    }
    query.perspective = POV_INTRINSIC;
    query.viewer = POV_ID_NONE;
    const bool negated = pov_node_has(pov_node_find(limit, "THAT"), "neg");
    limit_by_relation(m, c, &query, &no_area, h, negated, false);
    m->relatum = POV_ID_NONE;
    if (!negated)
        prefer_straight_ahead(m, c->scene, h->viewer, POV_AIM_FRONT);
}

static bool is_nearness(const pov_relation_info *relation)
{
    static const char *const names[] = {"near", "next_to", "close_to", "by", "beside", NULL};
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], relation->name) == 0)
            return true;
    return false;
}

/* "the thing left of the mug", of which there are two: each as likely as it is meant. Who says so means that there is such a thing: a
 * mug that has none on its left is not the one (Dale & Haddock 1991). */
static pov_status limit_by_one_relatum(pov_match *m, pov_context *c, const pov_node *limit,
                                       const pov_relation_info *relation, const pov_hypothesis *h)
{
    pov_meant meant;
    pov_match sum = {.own = m->own, .relatum = m->relatum};
    const bool negated = pov_node_has(pov_node_find(limit, "THAT"), "neg") || pov_node_has(limit, "neg");
    double weights = 0;
    POV_TRY(find_relatum(&meant, c, pov_relatum_node(limit)->items->node, h));
    for (pov_id relatum = 0; relatum < c->scene->len; relatum++) {
        pov_match one = *m;
        pov_area area;
        const pov_relation_info *of_part = relation;
        if (meant.q[relatum] < 0.05)
            continue;
        pov_area_read(&area, limit);
        pov_area_settle(&area, &of_part, c->scene, relatum);
        const pov_query query = pov_query_of_pair(of_part, 0, relatum);
        const bool tight = pov_node_find(limit, "INTENSE") != NULL && !negated,
                   ahead = tight && of_part->projective == POV_IN_FRONT_OF &&
                           c->scene->entities[relatum].can_see; /* "right in front of me" */
        limit_by_relation(&one, c, &query, &area, h, negated, tight && !ahead);
        if (ahead)
            prefer_straight_ahead(&one, c->scene, relatum, POV_AIM_FRONT);
        double most_of_one = 0;
        for (pov_id id = 0; id < c->scene->len; id++)
            most_of_one = fmax(most_of_one, one.truth[id]);
        const double weight = meant.q[relatum] * (negated ? 1 : fmax(1e-9, most_of_one));
        weights += weight;
        for (pov_id id = 0; id < c->scene->len; id++) {
            sum.truth[id] += weight * one.truth[id];
            sum.example[id] += weight * one.example[id];
        }
        sum.relatum = one.relatum != POV_ID_NONE ? one.relatum : sum.relatum;
        sum.by_frame = sum.by_frame || one.by_frame || meant.by_frame;
        sum.undefined = sum.undefined || one.undefined;
    }
    /* "the mug near bob": if none is near, the nearest is meant */
    double most = 0;
    for (pov_id id = 0; id < c->scene->len; id++) {
        sum.truth[id] /= weights;
        sum.example[id] /= weights;
        most = fmax(most, sum.truth[id]);
    }
    int candidates = 0;
    for (pov_id id = 0; id < c->scene->len; id++)
        candidates += m->truth[id] > 0;
    if (most < POV_FITS_P && is_nearness(relation) && candidates > 1 && !negated) {
        pov_request asked = {.extreme = POV_NEAREST, .relatum_len = 1, .relatum = {pov_meant_best(&meant)}};
        m->truth[asked.relatum[0]] = 0;
        limit_to_most(m, c, &asked, false, 0, h);
        return pov_ok();
    }
    *m = sum;
    return pov_ok();
}

static void limit_by_aim(pov_match *m, pov_context *c, pov_id viewer, pov_aim aim)
{
    for (pov_id id = 0; id < c->scene->len; id++) {
        pov_judgment judged;
        const pov_query facing = pov_query_of_pair(pov_request_facing(aim), viewer, id);
        if (m->truth[id] <= 0 || id == viewer) {
            m->truth[id] = 0;
            continue;
        }
        (void)pov_moment_relation(c->moment, &judged, &facing);
        const pov_belief looks =
            aim == POV_AIM_HAND ? judged.belief : pov_request_looking(judged.belief, c->moment, viewer, id);
        m->truth[id] *= looks.verdict == POV_VERDICT_UNDEFINED ? 0 : looks.p;
    }
    prefer_straight_ahead(m, c->scene, viewer, aim);
}

bool pov_limits_by_hand(pov_match *m, pov_context *c, pov_id who)
{
    pov_match pointed = *m;
    bool any = false;
    if (c->scene->entities[who].pointing.len == 0)
        return false;
    limit_by_aim(&pointed, c, who, POV_AIM_HAND);
    for (pov_id id = 0; id < c->scene->len; id++)
        any = any || pointed.truth[id] > 0.5;
    if (any)
        *m = pointed;
    return any;
}

/* "the one that bob is looking at", "points at" */
static pov_status limit_by_facing(pov_match *m, pov_context *c, const pov_node *limit)
{
    pov_meant who;
    POV_TRY(pov_reference_find(&who, c, pov_node_find(limit, "VIEWER")->items->node, POV_ROLE_COUNT));
    const pov_id viewer = pov_meant_best(&who);
    const pov_aim aim = pov_node_has(limit, "points") ? POV_AIM_HAND : POV_AIM_GAZE;
    if (aim == POV_AIM_HAND)
        POV_TRY(pov_request_check_hands(c->scene, viewer));
    limit_by_aim(m, c, viewer, aim);
    return pov_ok();
}

static pov_status apply_limit(pov_match *m, pov_context *c, const pov_node *limit, const pov_node *ordinal,
                              int number, const pov_hypothesis *h)
{
    const pov_node *words = pov_node_find(limit, "DESCWORDS"), *words2 = pov_node_find(limit, "DESCWORDS2");
    if (pov_node_has(limit, "own"))
        return limit_by_own_side(m, c, limit, h);
    if (pov_node_has(limit, "ahead")) {
        limit_to_ahead(m, c, limit, h);
        return pov_ok();
    }
    if (pov_node_has(limit, "seen"))
        return limit_by_seeing(m, c, limit);
    if (pov_node_has(limit, "faced"))
        return limit_by_facing(m, c, limit);
    if (pov_node_has(limit, "except"))
        return limit_to_other_than(m, c, pov_node_find(limit, "NPX"));
    if (words) {
        limit_by_words(m, c, words, pov_node_has(limit, "excluded"));
        if (words2)
            limit_by_words(m, c, words2, pov_node_has(limit, "excluded"));
        return pov_ok();
    }
    const pov_relation_info *relation = pov_relation_read(limit);
    if (!relation) {
        pov_match most = *m;
        POV_TRY(limit_by_extreme(&most, c, limit, pov_node_find(limit, "TARGET"), ordinal, number, h));
        const bool negated = pov_node_has(pov_node_find(limit, "THAT"), "neg");
        for (pov_id id = 0; id < c->scene->len && negated; id++) /* "the cup that is not nearest to me" */
            most.truth[id] = m->truth[id] * (1 - most.truth[id]);
        *m = most;
        return pov_ok();
    }
    pov_id relata[POV_RELATA_MAX];
    int len;
    POV_TRY(choose_aim(&relation, m, c, limit));
    if (relation->relata_min == 1)
        return limit_by_one_relatum(m, c, limit, relation, h);
    POV_TRY(find_relata(relata, &len, c, limit, relation->relata_min, h));
    pov_query query = pov_query_of_pair(relation, 0, relata[0]);
    query.relatum_len = len;
    memcpy(query.relatum, relata, sizeof query.relatum);
    limit_by_relation(m, c, &query, &no_area, h, pov_node_has(pov_node_find(limit, "THAT"), "neg"), false);
    return pov_ok();
}

/* In one frame. */
pov_status pov_limits_apply(pov_match *m, pov_context *c, const pov_description *d, const bool *candidate,
                            const pov_hypothesis *h)
{
    *m = (pov_match){.relatum = POV_ID_NONE};
    for (pov_id id = 0; id < c->scene->len; id++) {
        m->truth[id] = candidate[id];
        m->example[id] = 1;
    }
    for (int i = 0; i < d->limit_len; i++)
        if (pov_relation_read(d->limit[i]) || !pov_node_find(d->limit[i], "EXTREME"))
            POV_TRY(apply_limit(m, c, d->limit[i], d->ordinal, d->number, h));
    for (int i = 0; i < d->limit_len; i++)
        if (!pov_relation_read(d->limit[i]) && pov_node_find(d->limit[i], "EXTREME"))
            POV_TRY(apply_limit(m, c, d->limit[i], d->ordinal, d->number, h));
    for (int i = 0; i < d->extreme_len; i++)
        POV_TRY(limit_by_extreme(m, c, d->extreme[i], d->target,
                                 pov_node_find(d->extreme[i], "ORDINAL") ? NULL : d->ordinal, d->number, h));
    return pov_ok();
}
