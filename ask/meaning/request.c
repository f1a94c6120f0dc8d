/* Questions as judgments, and what they add up to. */
#include "ask/meaning/request.h"

#include "perception/geometry/box.h"
#include "perception/scene/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

POV_ENUM_NAMES(pov_request_kind_name, pov_request_kind, POV_REQUEST_KIND_COUNT, "relation", "sees", "hides",
               "where", "order", "which", "count", "place", "extreme", "seen", "distance", "facing")

pov_belief pov_request_looking(pov_belief facing, pov_moment *moment, pov_id viewer, pov_id target)
{
    pov_visibility looked;
    if (!pov_moment_scene(moment)->entities[viewer].can_see || facing.verdict == POV_VERDICT_UNDEFINED ||
        pov_moment_look(moment, &looked, viewer, target) != POV_OK)
        return facing;
    bool is_worse = looked.sees.verdict == POV_FALSE ||
                    (looked.sees.verdict == POV_ABSTAIN && facing.verdict == POV_TRUE);
    facing.p = fmin(facing.p, looked.sees.p); /* "and", as the predicates have it */
    facing.verdict = is_worse ? looked.sees.verdict : facing.verdict;
    return facing;
}

const pov_relation_info *pov_request_facing(pov_aim aim)
{
    static const char *const names[POV_AIM_COUNT] = {"facing", "looking_at", "pointing_at"};
    return pov_relation_lookup(names[aim]);
}

pov_status pov_request_check_hands(const pov_scene *scene, pov_id who)
{
    bool seen = false;
    for (pov_id id = 0; id < scene->len; id++)
        seen = seen || ((who == POV_ID_NONE || id == who) && scene->entities[id].arms_seen);
    return seen ? pov_ok() : pov_error("%s", POV_NO_HANDS);
}

void pov_request_judge(pov_judgment *judgment, pov_moment *moment, const pov_request *question,
                       const pov_query *frame)
{
    pov_query query = *frame;
    query.referent = question->referent;
    if (query.relation == pov_request_facing(POV_AIM_FRONT))
        query.relation = pov_request_facing(question->aim);
    (void)pov_area_relation(judgment, moment, &query, &question->area);
    if (question->looks)
        judgment->belief =
            pov_request_looking(judgment->belief, moment, question->referent, question->relatum[0]);
}

/* -------- frames -------- */

static pov_query frame_of(const pov_request *question, pov_perspective perspective, pov_id viewer)
{
    pov_query frame = pov_query_of_pair(question->relation, question->referent, question->relatum[0]);
    frame.relatum_len = question->relatum_len;
    memcpy(frame.relatum, question->relatum, sizeof frame.relatum);
    frame.perspective = perspective;
    frame.viewer = viewer;
    if (viewer != POV_ID_NONE) {
        frame.convention = question->convention;
        frame.axis = question->axis;
    }
    return frame;
}

static bool is_relatum(const pov_request *question, pov_id id)
{
    bool found = false;
    for (int i = 0; i < question->relatum_len; i++)
        found = found || id == question->relatum[i];
    return found;
}

int pov_request_frames(pov_query frames[POV_REPLY_MAX], const pov_scene *scene, const pov_request *question)
{
    int len = 0;
    if (!question->any_perspective) {
        frames[0] = frame_of(question, question->perspective, question->viewer);
        return 1;
    }
    for (pov_id viewer = pov_viewer_next(scene, POV_ID_NONE); viewer != POV_ID_NONE;
         viewer = pov_viewer_next(scene, viewer))
        if (viewer != question->referent && !is_relatum(question, viewer))
            frames[len++] = frame_of(question, pov_viewer_perspective(scene, viewer), viewer);
    if (question->relation->frame == POV_FRAME_AXES)
        frames[len++] = frame_of(question, POV_INTRINSIC, POV_ID_NONE);
    return len;
}

/* -------- one of several -------- */

static bool is_better(const pov_judgment *a, const pov_judgment *b)
{
    bool sure_a = a->belief.verdict == POV_TRUE, sure_b = b->belief.verdict == POV_TRUE;
    if (sure_a != sure_b)
        return sure_a;
    if (fabs(a->belief.p - b->belief.p) > 1e-6)
        return a->belief.p > b->belief.p;
    return fabs(a->theta_rad) < fabs(b->theta_rad); /* never, where there is no direction */
}

static void insert(pov_pick *pick, const pov_judgment *judgment)
{
    int at = pick->len++;
    for (; at > 0 && is_better(judgment, &pick->judgments[at - 1]); at--)
        pick->judgments[at] = pick->judgments[at - 1];
    pick->judgments[at] = *judgment;
}

/* A support is never left of the thing that stands on it, wherever its middle is. */
static bool stands_under(const pov_request *question, const pov_scene *scene, pov_id id)
{
    bool directed = question->relation->projective != POV_RELATION_COUNT;
    return directed && pov_support_likeliest(scene, question->relatum[0]) == id;
}

static double distance_m(const pov_scene *scene, const pov_judgment *judgment)
{
    return pov_vec3_norm(pov_vec3_sub(scene->entities[judgment->query.referent].position.mean_m,
                                      scene->entities[judgment->query.relatum[0]].position.mean_m));
}

/* "right in front of it": what is straight there, the nearest first. */
static void keep_straightest(pov_pick *pick, const pov_scene *scene)
{
    /* chosen: half of an eighth, as "in front" of eight sides; where something is straight there, only what is */
    static const double ahead_rad = 25 * POV_DEG, straight_rad = 10 * POV_DEG;
    double least_rad = INFINITY;
    int kept = 0;
    for (int i = 0; i < pick->len; i++)
        least_rad = fmin(least_rad, fabs(pick->judgments[i].theta_rad));
    const double limit_rad = least_rad <= straight_rad ? straight_rad : ahead_rad;
    for (int i = 0; i < pick->len; i++) {
        const pov_judgment judgment = pick->judgments[i];
        if (!isnan(judgment.theta_rad) && fabs(judgment.theta_rad) > limit_rad)
            continue;
        int at = kept++;
        for (; at > 0 && distance_m(scene, &judgment) < distance_m(scene, &pick->judgments[at - 1]); at--)
            pick->judgments[at] = pick->judgments[at - 1];
        pick->judgments[at] = judgment;
    }
    pick->len = kept;
}

void pov_request_pick(pov_pick *pick, pov_moment *moment, const pov_request *question, const pov_query *frame)
{
    const pov_scene *scene = pov_moment_scene(moment);
    pov_request about = *question;
    pick->len = pick->candidate_len = pick->undefined_len = 0;
    int candidates = 0;
    for (pov_id id = 0; id < scene->len; id++)
        candidates += question->candidate[id];
    pov_moment_hurry(moment, candidates);
    for (pov_id id = 0; id < scene->len; id++) {
        pov_judgment judgment;
        if (!question->candidate[id] || id == scene->camera || id == frame->viewer ||
            is_relatum(question, id) || stands_under(question, scene, id))
            continue;
        about.referent = id;
        pov_request_judge(&judgment, moment, &about, frame);
        pick->candidate_len++;
        pick->undefined_len += judgment.belief.verdict == POV_VERDICT_UNDEFINED;
        if (judgment.belief.verdict == POV_TRUE || judgment.belief.verdict == POV_ABSTAIN)
            insert(pick, &judgment);
    }
    pov_moment_hurry(moment, 0);
    if (question->tight)
        keep_straightest(pick, scene);
}

static double top_or_bottom_m(const pov_scene *scene, pov_id id, int sign)
{
    const pov_entity *e = &scene->entities[id];
    const pov_box box = {e->position.mean_m, pov_vec3_scale(e->size_m, 0.5), e->R_table_box};
    const double half_m = pov_box_half_extent_m(&box, (pov_vec3){0, 0, 1});
    return box.centre_m.z + (isfinite(half_m) ? sign * half_m : 0);
}

int pov_higher_of(const pov_scene *scene, pov_id a, pov_id b)
{
    for (int sign = 1; sign >= -1; sign -= 2) {
        const pov_id upper = sign > 0 ? a : b, lower = sign > 0 ? b : a;
        const double gap_m = top_or_bottom_m(scene, upper, -1) - top_or_bottom_m(scene, lower, 1);
        if (gap_m >= -POV_SUPPORT_SLACK_M &&
            scene->entities[upper].position.mean_m.z > scene->entities[lower].position.mean_m.z)
            return sign;
    }
    return 0;
}

static void explain_coincidence(char *reason, size_t capacity, const pov_scene *scene, pov_id a, pov_id b)
{
    const int higher = pov_higher_of(scene, a, b);
    if (higher == 0)
        snprintf(reason, capacity, "the two are at one place, within their noise");
    else
        snprintf(reason, capacity, "%s is right %s %s", scene->entities[a].name,
                 higher > 0 ? "above" : "below", scene->entities[b].name);
}

static const pov_entity *first_not_placed(const pov_scene *scene, const pov_query *query)
{
    const pov_entity *e = scene->entities;
    if (!e[query->referent].placed)
        return &e[query->referent];
    for (int i = 0; i < query->relatum_len; i++)
        if (!e[query->relatum[i]].placed)
            return &e[query->relatum[i]];
    return query->viewer != POV_ID_NONE && !e[query->viewer].placed ? &e[query->viewer] : NULL;
}

void pov_judgment_explain(char *reason, size_t capacity, const pov_scene *scene, const pov_judgment *judgment)
{
    const pov_query *query = &judgment->query;
    const pov_relation_info *relation = query->relation;
    reason[0] = '\0';
    if (judgment->belief.verdict != POV_VERDICT_UNDEFINED)
        return;
    const pov_entity *lost = first_not_placed(scene, query);
    if (lost)
        snprintf(reason, capacity, "%s has no position", lost->name);
    else if (query->perspective == POV_INTRINSIC && scene->entities[query->relatum[0]].heading.len == 0)
        snprintf(reason, capacity, "%s has no front", scene->entities[query->relatum[0]].name);
    else if (relation->frame == POV_FRAME_NORTH && !scene->has_north)
        snprintf(reason, capacity, "the scene has no north_deg");
    else if (query->viewer != POV_ID_NONE && scene->entities[query->viewer].heading.len == 0 &&
             query->axis == POV_HEADING)
        snprintf(reason, capacity, "%s has no heading", scene->entities[query->viewer].name);
    else if (relation->projective == POV_RELATION_COUNT)
        snprintf(reason, capacity,
                 "geometry does not decide it, or a size, front or velocity it needs is not known");
    else
        explain_coincidence(reason, capacity, scene, query->referent, query->relatum[0]);
}

void pov_side_explain(char *reason, size_t capacity, const pov_scene *scene, pov_id viewer, pov_id thing)
{
    const pov_entity *v = &scene->entities[viewer], *t = &scene->entities[thing];
    if (!v->placed || !t->placed)
        snprintf(reason, capacity, "%s has no position", v->placed ? t->name : v->name);
    else if (v->heading.len == 0)
        snprintf(reason, capacity, "%s has no front", v->name);
    else
        explain_coincidence(reason, capacity, scene, thing, viewer);
}
