#include "ask/meaning/reference_internal.h"

#include <math.h>
#include <string.h>

/* Priors of frames before a dialogue tells (chosen after Levinson 2003 and Carlson-Radvansky & Irwin 1994: English speakers use the
 * relative frame most, and the object's own where it has a front). In replies seen. */
static const double prior_of_frame[POV_PERSPECTIVE_COUNT] = {0.30, 0.45, 0.25, 1.0};
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

/* -------- the frames together -------- */

static pov_status add_frame(pov_meant *meant, const pov_match *m, const pov_hypothesis *h)
{
    double sum = 0, most = 0, all = 0, *q = meant->frame_q[meant->frame_len];
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++) {
        q[id] = m->truth[id] > 0.05 ? m->truth[id] * m->example[id] : 0;
        meant->frame_fits[meant->frame_len][id] = m->truth[id] > POV_FITS_P;
        meant->fits[id] = meant->fits[id] || m->truth[id] > POV_FITS_P;
        meant->truth[id] = fmax(meant->truth[id], m->truth[id]);
        sum += q[id];
    }
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++) {
        most = fmax(most, m->truth[id]);
        all += m->truth[id];
    }
    const double some = m->is_shared ? fmin(1, all) : most;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        q[id] = most > 0.3 ? q[id] / sum : 0;
    meant->frame[meant->frame_len] = *h;
    meant->frame[meant->frame_len++].prior *= some; /* who describes a thing means that there is one */
    meant->by_frame = meant->by_frame || m->by_frame;
    meant->own = meant->own || m->own;
    if (m->relatum != POV_ID_NONE)
        meant->relatum = m->relatum;
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

/* The class may tell a person's sex. */
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

pov_status pov_reference_you(pov_meant *meant, pov_context *c)
{
    const pov_id id = c->you != POV_ID_NONE ? c->you : c->scene->camera;
    *meant = (pov_meant){.relatum = POV_ID_NONE};
    return id != POV_ID_NONE ? mean_one(meant, c, id)
                             : pov_error("the scene has no camera; give its position_m and look_at_m");
}

pov_status pov_reference_it(pov_meant *meant, pov_context *c)
{
    *meant = (pov_meant){0};
    return c->it != POV_ID_NONE ? mean_one(meant, c, c->it) : pov_error("what is meant? name the thing");
}

pov_id pov_reference_only_other(const pov_context *c, bool he, bool she)
{
    pov_id me = POV_ID_NONE, only = POV_ID_NONE;
    if (find_me(&me, c).code != POV_OK)
        me = POV_ID_NONE;
    for (pov_id id = 0; id < c->scene->len; id++) {
        if (id == me || id == c->scene->camera || !pov_is_person(c->scene, id) ||
            !may_be(c->scene, id, he, she))
            continue;
        if (only != POV_ID_NONE)
            return POV_ID_NONE;
        only = id;
    }
    return only;
}

/* "that one", with a hand that points: whatever thing it points at. False: no hand does. */
static bool find_pointed(pov_meant *meant, pov_context *c)
{
    pov_match m = {.relatum = POV_ID_NONE};
    const pov_hypothesis any = {.perspective = POV_INTRINSIC, .viewer = POV_ID_NONE, .prior = 1};
    pov_id me;
    if (find_me(&me, c).code != POV_OK)
        return false;
    for (pov_id id = 0; id < c->scene->len; id++)
        m.truth[id] = m.example[id] = id != me && id != c->scene->camera && c->scene->entities[id].placed &&
                                      !pov_is_surface(&c->scene->entities[id]) && !c->excluded[id];
    return pov_limits_by_hand(&m, c, me) && add_frame(meant, &m, &any).code == POV_OK && mix_frames(meant);
}

/* "that cup" */
static void limit_by_gesture(pov_match *m, pov_context *c, const pov_node *phrase)
{
    pov_id me;
    const pov_node *determiner = pov_node_find(phrase, "DET");
    if (determiner && pov_node_has(determiner, "deictic") && find_me(&me, c).code == POV_OK)
        (void)pov_limits_by_hand(m, c, me);
}

static pov_status find_pronoun(pov_meant *meant, pov_context *c, const pov_node *pronoun)
{
    pov_id id = POV_ID_NONE;
    if (pov_node_has(pronoun, "that") && find_pointed(meant, c)) {
        remember(c, pov_meant_best(meant));
        return pov_ok();
    }
    bool he = pov_node_has(pronoun, "he"), she = pov_node_has(pronoun, "she");
    if (pov_node_has(pronoun, "me")) {
        POV_TRY(find_me(&id, c));
        return mean_one(meant, c, id);
    }
    if (pov_node_has(pronoun, "you"))
        return pov_reference_you(meant, c);
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
static pov_status find_ordinal(pov_meant *meant, pov_context *c, const pov_description *d)
{
    int rank;
    if (pov_rank_read(&rank, d->ordinal) && rank < 0)
        rank = c->offered_len - 1;
    if (c->offered_len == 0 && rank > 0 && d->word_len > 0) {
        POV_TRY(pov_description_candidates(meant->unfit, c, d, false));
        meant->rank = rank;
    }
    if (rank < 0 || rank >= c->offered_len)
        return pov_error("counted from where? say e.g. \"the second from the left\"");
    return mean_one(meant, c, c->offered[rank]);
}

/* Are there more viewers than hypotheses, and none is named? */
static bool has_too_many_viewers(const pov_context *c)
{
    int count = 0;
    for (pov_id id = pov_viewer_next(c->scene, POV_ID_NONE); id != POV_ID_NONE;
         id = pov_viewer_next(c->scene, id))
        count++;
    return count >= POV_HYPOTHESES_MAX && !c->has_view && !c->is_intrinsic;
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

/* "both cups", where there are three, are not all of them; nor need the frames of reference agree on which two are on the left. */
static pov_status check_number(const pov_meant *meant, pov_role role)
{
    int most = 0;
    for (int f = 0; f < meant->frame_len; f++) {
        int fitting = 0;
        for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
            fitting += meant->frame_fits[f][id];
        if (meant->number == 0 || fitting == meant->number)
            return pov_ok();
        most = fitting > most ? fitting : most;
    }
    return role == POV_ROLE_WANTED && most > meant->number
               ? pov_ok() /* asked back */
               : pov_error("you say %d, and %d fit", meant->number, most);
}

/* "the cups on the left": how many of them? */
static bool lacks_number(const pov_description *d)
{
    bool counts = d->extreme_len > 0;
    for (int i = 0; i < d->limit_len; i++)
        counts = counts || pov_node_find(d->limit[i], "EDGE");
    return counts && d->several && !d->single && !d->all && d->number == 0 &&
           !(d->one && d->some); /* "one of the cups on the left" */
}

static void leave_out_located(bool candidate[POV_ENTITY_MAX], pov_id located)
{
    int others = 0;
    for (pov_id id = 0; id < POV_ENTITY_MAX; id++)
        others += candidate[id] && id != located;
    if (located != POV_ID_NONE && others > 0)
        candidate[located] = false;
}

pov_status pov_reference_find(pov_meant *meant, pov_context *c, const pov_node *phrase, pov_role role)
{
    pov_description d = {0};
    bool candidate[POV_ENTITY_MAX];
    pov_hypothesis frames[POV_HYPOTHESES_MAX];
    *meant = (pov_meant){.relatum = POV_ID_NONE};
    if (role < POV_ROLE_COUNT && c->fixed[role]) {
        keep_fixed(meant, c, role);
        remember(c, pov_meant_best(meant));
        return pov_ok();
    }
    const pov_node *pronoun =
        phrase->items && phrase->items->kind == POV_ITEM_NODE ? phrase->items->node : NULL;
    if (pronoun && strcmp(pronoun->name, "PRONOUN") == 0)
        return find_pronoun(meant, c, pronoun);
    if (pronoun && strcmp(pronoun->name, "TABLE") == 0)
        return mean_one(meant, c, pov_area_table(c->scene));
    pov_description_read(&d, phrase);
    if (d.ordinal && d.extreme_len == 0 && d.limit_len == 0)
        return find_ordinal(meant, c, &d);
    POV_TRY(pov_description_candidates(candidate, c, &d, d.limit_len == 0 && role != POV_ROLE_NOUN));
    for (pov_id id = 0; id < POV_ENTITY_MAX && role == POV_ROLE_WANTED; id++)
        candidate[id] = candidate[id] && !c->excluded[id];
    if (role == POV_ROLE_RELATUM && c->has_located)
        leave_out_located(candidate, c->located);
    meant->some = d.some;
    meant->all = d.all;
    meant->several = d.several && !d.single && !(d.some && d.one); /* "one of the cups" */
    meant->number = d.number;
    const bool chooses = role == POV_ROLE_WANTED || c->offered_len > 0; /* or answers "which one?" */
    if (chooses && lacks_number(&d))
        return pov_error("how many of them? say e.g. the two on the left");
    int len = pov_hypotheses_of(frames, c);
    for (int f = 0; f < len; f++) {
        pov_match m;
        POV_TRY(pov_limits_apply(&m, c, &d, candidate, &frames[f]));
        if (m.by_frame && has_too_many_viewers(c))
            return pov_error("from whose side? there are more than %d viewers; say e.g. \"as I see it\"",
                             POV_HYPOTHESES_MAX - 1);
        limit_by_gesture(&m, c, phrase);
        POV_TRY(add_frame(meant, &m, &frames[f]));
        if (!m.by_frame)
            break;
    }
    if (!mix_frames(meant)) {
        memcpy(meant->unfit, candidate, sizeof meant->unfit);
        return pov_description_refuse(c, &d, candidate);
    }
    POV_TRY(check_number(meant, role));
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
    pov_description d = {0};
    pov_description_read(&d, phrase);
    POV_TRY(pov_description_candidates(candidate, c, &d, false));
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
