#include "perception/objects/object_settle.h"

#include <math.h>
#include <stddef.h>

static const double overlap_share = 0.6, apart_share = 1.5;
static const double alike_score = 0.85;
static const double rival_worth = 1; /* the best of many wrong places may be so much better than the others */
static const double claiming_evidence = 14; /* what is surely there has what it shows to itself */

static bool overlap(const object_kind *a, const object_fit *fit, const object_kind *b)
{
    return hypot(fit->place.x_m - b->fit.place.x_m, fit->place.y_m - b->fit.place.y_m) <
           overlap_share * fmin(a->model->radius_m, b->model->radius_m);
}

static bool is_free(const object_kind *kinds, int len, const object_kind *k, const object_fit *fit)
{
    for (int i = 0; i < len; i++)
        if (kinds[i].has_fit && overlap(k, fit, &kinds[i]))
            return false;
    return true;
}

static double weight_of(const object_hunter *hunter, const object_kind *k, const object_fit *fit)
{
    return fit->evidence + object_hunt_worth(hunter, k, fit);
}

static const object_fit *better(const object_fit *a, const object_fit *b)
{
    return !a || (b && b->evidence > a->evidence) ? b : a;
}

/* Where one kind is most likely of all that is free; NULL: nowhere. */
static const object_fit *likeliest(const object_hunter *hunter, const object_kind *kinds, int len,
                                   const object_kind *k)
{
    const object_fit *there = k->is_held && is_free(kinds, len, k, &k->held) ? &k->held : NULL,
                     *elsewhere = NULL;
    for (int n = 0; n < k->fit_len; n++) {
        const object_fit *fit = &k->fits[n];
        if (!is_free(kinds, len, k, fit))
            continue;
        if (object_hold_is_at(&k->hold, k->model, &fit->place))
            there = better(there, fit);
        else
            elsewhere = better(elsewhere, fit);
    }
    return there && elsewhere && weight_of(hunter, k, there) >= elsewhere->evidence
               ? there
               : better(elsewhere, there);
}

/* The kind not yet placed that has most evidence for a place still free takes it, and so on. */
void object_settle(object_hunter *hunter, object_claims *claims, object_kind *kinds, int len,
                   const object_view *view)
{
    for (int round = 0; round < len; round++) {
        object_kind *best = NULL;
        const object_fit *best_fit = NULL;
        for (int i = 0; i < len; i++) {
            const object_fit *fit = kinds[i].has_fit ? NULL : likeliest(hunter, kinds, len, &kinds[i]);
            if (fit && (!best || fit->evidence > best_fit->evidence)) {
                best = &kinds[i];
                best_fit = fit;
            }
        }
        if (!best)
            return;
        best->fit = *best_fit;
        best->has_fit = true;
        if (best->fit.evidence < claiming_evidence)
            continue;
        object_claims_add(claims, view, best->model, &best->fit);
        for (int i = 0; i < len; i++)
            if (!kinds[i].has_fit)
                object_hunt_reconsider(hunter, &kinds[i], view);
    }
}

static double odds_of(const object_fit *rival)
{
    return exp(fmin(300, rival->evidence + rival_worth));
}

/* What is nearer shares a part of what is seen. */
static bool is_apart(const object_fit *fit, const object_kind *own)
{
    return hypot(fit->place.x_m - own->fit.place.x_m, fit->place.y_m - own->fit.place.y_m) >
           apart_share * own->model->radius_m;
}

/* What looks like it there is another of its make. */
static bool is_of_another(const object_kind *kinds, int len, const object_kind *own, const object_fit *fit)
{
    for (int i = 0; i < len; i++)
        if (&kinds[i] != own && kinds[i].make == own->make && kinds[i].has_fit && !is_apart(fit, &kinds[i]))
            return true;
    return false;
}

/* Of each kind there is one: what speaks for it being elsewhere speaks against its being here. */
static double odds_elsewhere(const object_kind *kinds, int len, const object_kind *own)
{
    double sum = own->searched_all ? 0 : own->odds_elsewhere;
    for (int i = 0; i < own->fit_len; i++)
        if (is_free(kinds, len, own, &own->fits[i]) && is_apart(&own->fits[i], own) &&
            !is_of_another(kinds, len, own, &own->fits[i]))
            sum = own->searched_all ? sum + odds_of(&own->fits[i]) : fmax(sum, odds_of(&own->fits[i]));
    return sum;
}

/* That it is where it was, for a kind that may be elsewhere. */
static double odds_where_it_was(const object_hunter *hunter, const object_kind *kinds, int len,
                                const object_kind *own)
{
    if (!own->is_held || !is_apart(&own->held, own) || !is_free(kinds, len, own, &own->held))
        return 0;
    return exp(fmin(300, weight_of(hunter, own, &own->held)));
}

/* Only what looks like it at first sight is fitted. */
static double evidence_of(object_hunter *hunter, const object_kind *kind, const object_fit *fit, double score,
                          const object_view *view)
{
    object_place turn = fit->place;
    object_fit other;
    turn.z_m = kind->z_m;
    object_scan_place(view, kind->model, &turn, 1, 1);
    if (turn.score < alike_score * score)
        return -INFINITY;
    object_hunt_fit(hunter, &other, view, kind->model, &turn);
    return other.evidence;
}

void object_settle_odds(pov_object_finding *finding, object_hunter *hunter, object_kind *kinds, int len,
                        int own, const object_view *view)
{
    const object_fit *fit = &kinds[own].fit;
    const double score = object_scan_score(view, kinds[own].model, &fit->place);
    object_view without_own = *view;
    without_own.set_aside = kinds[own].model;
    kinds[own].odds_elsewhere = odds_elsewhere(kinds, len, &kinds[own]);
    const double stay = object_hunt_stay(hunter, &kinds[own], fit),
                 beyond = object_hunt_worth(hunter, &kinds[own], fit) - stay;
    const double none = exp(object_hunt_least_evidence) + kinds[own].odds_elsewhere * exp(-beyond) +
                        odds_where_it_was(hunter, kinds, len, &kinds[own]);
    double odds[POV_OBJECT_MAX], sum = none;
    for (int i = 0; i < len; i++) {
        const bool is_alike = i != own && kinds[i].make == kinds[own].make;
        const double evidence = i == own   ? fit->evidence + stay
                                : is_alike ? -INFINITY
                                           : evidence_of(hunter, &kinds[i], fit, score, &without_own);
        odds[i] = exp(fmin(300, evidence));
        sum += odds[i];
    }
    for (int i = 0; i < len; i++)
        finding->p_kind[i] = odds[i] / sum;
    finding->p_none = none / sum;
}
