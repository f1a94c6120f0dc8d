/* Answers about seeing. */
#include "ask/answering/answering_internal.h"
#include "ask/meaning/measure.h"
#include "ask/meaning/reference.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

/* -------- does she see it? -------- */

static bool looks(const pov_scene *scene, const pov_request *question, pov_id viewer)
{
    if (question->viewer != POV_ID_NONE)
        return viewer == question->viewer || (question->way == POV_WAY_BOTH && viewer == question->other);
    return scene->entities[viewer].can_see && viewer != question->referent;
}

static int look(pov_visibility looked[POV_ENTITY_MAX], const pov_answering *a, const pov_request *question)
{
    int len = 0;
    if (question->way == POV_WAY_EACH_OTHER) {
        const pov_id pair[] = {question->viewer, question->other};
        for (; len < 2; len++)
            (void)pov_moment_look(a->moment, &looked[len], pair[len], pair[1 - len]);
        return len;
    }
    for (pov_id viewer = 0; viewer < a->scene->len; viewer++)
        if (looks(a->scene, question, viewer))
            (void)pov_moment_look(a->moment, &looked[len++], viewer, question->referent);
    return len;
}

static const char *sum_up(const pov_visibility *looked, int len, const pov_request *question)
{
    bool all = question->way == POV_WAY_BOTH || question->way == POV_WAY_EACH_OTHER;
    int count[POV_VERDICT_COUNT] = {0};
    for (int i = 0; i < len; i++)
        count[looked[i].sees.verdict]++;
    if (all && count[POV_FALSE])
        return "no";
    if (all && count[POV_VERDICT_UNDEFINED])
        return "undefined";
    if (count[POV_TRUE] && count[POV_FALSE])
        return "depends";
    if (count[POV_ABSTAIN])
        return "abstain";
    if (count[POV_TRUE] + count[POV_FALSE] == 0)
        return "undefined";
    return (count[POV_TRUE] > 0) != question->negated ? "yes" : "no";
}

/* Hidden, and mostly by the one that was named. */
static const char *hidden_by(const pov_visibility *looked, const pov_request *question)
{
    bool first = looked->occluder_len > 0 && looked->occluders[0].id == question->other;
    if (looked->sees.verdict == POV_VERDICT_UNDEFINED)
        return "undefined";
    if (looked->sees.verdict == POV_ABSTAIN)
        return "abstain";
    return looked->sees.verdict == POV_FALSE && looked->cause == POV_CAUSE_HIDDEN && first ? "yes" : "no";
}

/* The face is seen from its side of the thing, by who sees the thing. */
static const char *sees_side(double p_side, const pov_visibility *looked)
{
    const char *seen = looked->sees.verdict == POV_FALSE     ? "no"
                       : looked->sees.verdict == POV_TRUE    ? "yes"
                       : looked->sees.verdict == POV_ABSTAIN ? "abstain"
                                                             : "undefined";
    if (isnan(p_side))
        return "undefined";
    return p_side <= 0.05 ? "no" : p_side < 0.95 && strcmp(seen, "yes") == 0 ? "abstain" : seen;
}

static double probability(const pov_visibility *looked, int len, const pov_request *question, double p_side)
{
    if (question->way == POV_WAY_SIDE)
        return len == 1 ? looked->sees.p * p_side : NAN;
    if (len != 1)
        return NAN;
    return question->negated ? 1 - looked->sees.p : looked->sees.p;
}

cJSON *pov_answering_sees(const pov_answering *a)
{
    const pov_request *question = a->question;
    pov_visibility looked[POV_ENTITY_MAX];
    bool by_side = question->way == POV_WAY_SIDE;
    int len = look(looked, a, question);
    double p_side =
        by_side ? pov_measure_side(a->scene, question->referent, question->side, question->viewer) : NAN;
    const char *answer = by_side                                   ? sees_side(p_side, looked)
                         : question->way == POV_WAY_BY && len == 1 ? hidden_by(looked, question)
                                                                   : sum_up(looked, len, question);
    cJSON *object = pov_answering_begin(a, answer, probability(looked, len, question, p_side));
    if (by_side) {
        pov_json_add_text(object, "side", pov_relation_name(question->side));
        pov_json_add_number(object, "p_on_side", p_side);
    }
    pov_answering_looks(a, object, looked, len);
    return object;
}

/* -------- what is in the way? -------- */

/* The first in the way; if nothing is, and it is not seen, why not. */
static const char *obstacle(const pov_answering *a, const pov_visibility *looked)
{
    if (looked->sees.verdict == POV_VERDICT_UNDEFINED)
        return "undefined";
    return looked->occluder_len ? pov_answering_name(a, looked->occluders[0].id) : "nothing";
}

cJSON *pov_answering_hides(const pov_answering *a)
{
    pov_visibility looked[POV_ENTITY_MAX];
    char answer[POV_ANSWER_CAPACITY] = "";
    int len = look(looked, a, a->question);
    for (int i = 0; i < len; i++)
        pov_answering_agree(answer, obstacle(a, &looked[i]));
    cJSON *object = pov_answering_begin(a, answer, NAN);
    pov_answering_looks(a, object, looked, len);
    return object;
}

/* -------- which things are seen? by whom? -------- */

static pov_verdict look_at(pov_visibility *looked, pov_moment *moment, pov_id viewer, pov_id target)
{
    (void)pov_moment_look(moment, looked, viewer, target);
    return looked->sees.verdict;
}

static pov_verdict opposite(pov_verdict verdict)
{
    return verdict == POV_TRUE ? POV_FALSE : verdict == POV_FALSE ? POV_TRUE : verdict;
}

static pov_verdict both(pov_verdict a, pov_verdict b)
{
    if (a == POV_FALSE || b == POV_FALSE)
        return POV_FALSE;
    return a == POV_TRUE ? b : a;
}

typedef struct {
    pov_names sure, perhaps;
    int undefined_len, len;
    pov_visibility looked[2 * POV_ENTITY_MAX];
} sighting;

static void note(const pov_answering *a, sighting *s, pov_id id, pov_verdict verdict)
{
    if (verdict == POV_TRUE)
        pov_answering_list(a, &s->sure, id);
    if (verdict == POV_ABSTAIN)
        pov_answering_list(a, &s->perhaps, id);
    s->undefined_len += verdict == POV_VERDICT_UNDEFINED;
}

static void find_viewers(const pov_answering *a, sighting *s, const pov_request *question)
{
    bool counted = question->way == POV_WAY_WHO_COUNTED;
    for (pov_id viewer = 0; viewer < a->scene->len; viewer++) {
        if (viewer == question->referent || !a->scene->entities[viewer].can_see ||
            (counted && !question->candidate[viewer]))
            continue;
        pov_verdict sees = look_at(&s->looked[s->len++], a->moment, viewer, question->referent);
        note(a, s, viewer, question->negated ? opposite(sees) : sees);
    }
}

/* SAME: what one of the two sees and the other does not. */
static void find_seen(const pov_answering *a, sighting *s, const pov_request *question)
{
    for (pov_id id = 0; id < a->scene->len; id++) {
        if (!question->candidate[id] || id == question->viewer || id == question->other)
            continue;
        pov_verdict sees = look_at(&s->looked[s->len++], a->moment, question->viewer, id);
        if (question->other != POV_ID_NONE) {
            pov_verdict other = look_at(&s->looked[s->len++], a->moment, question->other, id);
            pov_verdict only = both(sees, opposite(other)), only_other = both(opposite(sees), other);
            sees = question->way == POV_WAY_EXCEPT                ? only
                   : only == POV_TRUE || only_other == POV_TRUE   ? POV_TRUE
                   : only == POV_FALSE && only_other == POV_FALSE ? POV_FALSE
                   : only == POV_VERDICT_UNDEFINED || only_other == POV_VERDICT_UNDEFINED
                       ? POV_VERDICT_UNDEFINED
                       : POV_ABSTAIN;
        }
        note(a, s, id, question->negated ? opposite(sees) : sees);
    }
}

/* "2", or "1 to 2" if one is too close to say. */
static void count_up(char text[32], const sighting *s)
{
    if (s->perhaps.len > 0)
        snprintf(text, 32, "%d to %d", s->sure.len, s->sure.len + s->perhaps.len);
    else
        snprintf(text, 32, "%d", s->sure.len);
}

static const char *same(const sighting *s)
{
    return s->sure.len > 0        ? "no"
           : s->perhaps.len > 0   ? "abstain"
           : s->undefined_len > 0 ? "undefined"
                                  : "yes";
}

static const char *describe(char number[32], const sighting *s, const pov_request *question)
{
    if (s->len == 0 && question->way != POV_WAY_WHO_COUNTED && question->way != POV_WAY_COUNTED)
        return question->way == POV_WAY_SAME ? "undefined" : "none";
    if (s->undefined_len > 0 && s->undefined_len + s->sure.len + s->perhaps.len == s->undefined_len &&
        s->undefined_len == s->len)
        return "undefined";
    if (question->way == POV_WAY_SAME)
        return same(s);
    if (question->way == POV_WAY_COUNTED || question->way == POV_WAY_WHO_COUNTED) {
        count_up(number, s);
        return number;
    }
    return s->sure.len > 0 ? s->sure.text : s->perhaps.len > 0 ? "abstain" : "none";
}

cJSON *pov_answering_seen(const pov_answering *a)
{
    const pov_request *question = a->question;
    sighting s;
    char number[32];
    s.len = s.undefined_len = s.sure.len = s.perhaps.len = 0;
    s.sure.text[0] = s.perhaps.text[0] = '\0';
    if (question->way == POV_WAY_WHO || question->way == POV_WAY_WHO_COUNTED)
        find_viewers(a, &s, question);
    else
        find_seen(a, &s, question);
    cJSON *object = pov_answering_begin(a, describe(number, &s, question), NAN);
    pov_answering_ids(a, object, "holds_of", &s.sure);
    pov_answering_ids(a, object, "perhaps_of", &s.perhaps);
    pov_answering_looks(a, object, s.looked, s.len);
    return object;
}
