#include "calib/tags/tag_survey_internal.h"

#include "perception/tags/tag_fit.h"

#include <math.h>

enum { JUDGE_MAX = 16, CANDIDATE_MAX = 4 * JUDGE_MAX };

/* A pose is taken once it is so much better than any other, in -2 log likelihood: odds of 100 to 1. */
static const double DECISIVE = 9.21;
/* Candidates nearer to one another than this, in their own covariance, are the same pose. */
static const double SAME_DISTANCE2 = 25;
/* Corners of a tag that is not where it should be lie anywhere within 200 px, each way: -2 log density of eight numbers,
 * in the units of pov_tag_misfit. */
static const double STRAY_COST = 81.2;

/* Deviations below this make no stray: residuals so small are not normally distributed. Chosen. */
static const double SIEVE_STD_MIN_PX = 0.1;

static double sieve_std_px(const pov_tag_survey *s)
{
    return fmax(s->corner_std_px, SIEVE_STD_MIN_PX);
}

/* ---- where images were taken from ----------------------------------------------------------------------------------- */

/* By numbers of their own: what is carried is in a view more than once. */
static void gather_tags(pov_tag_survey *s, const pov_survey_view *view)
{
    s->seen.len = 0;
    for (int i = 0; i < view->seen_len; i++) {
        const pov_survey_sighting *seen = &s->sightings[view->first_sighting + i];
        if (!s->placed[seen->tag] || seen->is_twice)
            continue;
        pov_tag *tag = &s->seen.tags[s->seen.len];
        pov_tag_map_entry *entry = &s->map.tags[s->seen.len];
        *tag = seen->seen;
        *entry = pov_survey_entry_of(&s->report, seen);
        tag->corner_std_px = sieve_std_px(s);
        tag->id = entry->id = s->seen.len++;
        tag->family = entry->family = POV_TAG36H11;
    }
    s->map.len = s->seen.len;
}

static void mark_used(pov_tag_survey *s, pov_survey_view *view)
{
    view->used_len = view->located && s->pose.used_len >= pov_survey_tags_min(s) ? s->pose.used_len : 0;
    for (int i = 0, k = 0; i < view->seen_len; i++) {
        pov_survey_sighting *seen = &s->sightings[view->first_sighting + i];
        seen->used = false;
        if (s->placed[seen->tag] && !seen->is_twice)
            seen->used = s->pose.outcome[k++] == POV_TAG_USED && view->used_len > 0;
    }
}

static void find_places(pov_survey_places *places, const pov_camera_pose *pose)
{
    *places = (pov_survey_places){1, {pose->T_table_camera}, {-2 * log(pose->probability)}};
    if (!pose->has_alternative)
        return;
    places->T_table_camera[1] = pose->alternative_T_table_camera;
    places->cost[1] = -2 * log(1 - pose->probability);
    places->len = 2;
}

/* Spreads links from tag to tag through shared views. Tags without a link to the map have no place in it. */
static bool spread_links(const pov_tag_survey *s, bool linked[POV_TAG_MAP_MAX])
{
    bool spread = false;
    for (int v = 0; v < s->report.view_len; v++) {
        const pov_survey_sighting *seen = &s->sightings[s->views[v].first_sighting];
        bool any = false;
        for (int i = 0; i < s->views[v].seen_len; i++)
            any |= seen[i].used && linked[seen[i].tag];
        for (int i = 0; i < s->views[v].seen_len && any; i++) {
            spread |= seen[i].used && !linked[seen[i].tag];
            linked[seen[i].tag] |= seen[i].used;
        }
    }
    return spread;
}

static bool unplace_unlinked(pov_tag_survey *s)
{
    bool linked[POV_TAG_MAP_MAX], lost = false;
    for (int t = 0; t < s->report.tag_len; t++)
        linked[t] = s->tags[t].is_known || pov_survey_is_held(s, t);
    while (spread_links(s, linked))
        ;
    for (int t = 0; t < s->report.tag_len; t++) {
        lost |= s->placed[t] && !linked[t];
        s->placed[t] = s->placed[t] && linked[t];
    }
    return lost;
}

void pov_survey_locate_view(pov_tag_survey *s, int v)
{
    pov_survey_view *view = &s->views[v];
    gather_tags(s, view);
    view->located = s->seen.len > 0 && pov_camera_pose_estimate(&s->pose, &s->config.cameras[view->camera],
                                                                &s->seen, &s->map) == POV_OK;
    s->places[v].len = 0;
    view->is_ambiguous = false;
    if (view->located) {
        view->T_table_camera = s->pose.T_table_camera;
        find_places(&s->places[v], &s->pose);
        view->is_ambiguous = s->places[v].len > 1 && s->places[v].cost[1] - s->places[v].cost[0] < DECISIVE;
    }
    mark_used(s, view);
}

void pov_survey_locate(pov_tag_survey *s)
{
    do {
        for (int v = 0; v < s->report.view_len; v++)
            pov_survey_locate_view(s, v);
    } while (unplace_unlinked(s));
}

double pov_survey_distance2(const pov_tag_survey *s, const pov_survey_sighting *seen)
{
    pov_tag tag = seen->seen;
    const pov_tag_map_entry entry = pov_survey_entry_of(&s->report, seen);
    const pov_tag_sighting sighting = {&tag, &entry, true};
    tag.corner_std_px = sieve_std_px(s);
    return pov_tag_misfit_of(pov_survey_camera_of(s, seen), &sighting, &s->views[seen->view].T_table_camera,
                             false)
        .distance2;
}

bool pov_survey_fits(const pov_tag_survey *s, const pov_survey_sighting *seen)
{
    return pov_survey_distance2(s, seen) < POV_TAG_DISTANCE2_MAX;
}

void pov_survey_sift(pov_tag_survey *s)
{
    for (int v = 0; v < s->report.view_len; v++) {
        pov_survey_view *view = &s->views[v];
        pov_survey_sighting *seen = &s->sightings[view->first_sighting];
        if (view->used_len == 0)
            continue;
        view->used_len = 0;
        for (int i = 0; i < view->seen_len; i++) {
            seen[i].used = s->placed[seen[i].tag] && !seen[i].is_twice && pov_survey_fits(s, &seen[i]);
            view->used_len += seen[i].used;
        }
        for (int i = 0; i < view->seen_len && view->used_len < pov_survey_tags_min(s); i++)
            seen[i].used = false;
        view->used_len = view->used_len < pov_survey_tags_min(s) ? 0 : view->used_len;
    }
    if (unplace_unlinked(s))
        pov_survey_locate(s);
}

/* ---- where a tag may be --------------------------------------------------------------------------------------------- */

/* The images that judge a tag's candidates: evenly spread over those that see it. */
static int find_judges(int judges[JUDGE_MAX], const pov_tag_survey *s, int tag)
{
    int all = 0, taken = 0, len = 0;
    for (int i = 0; i < s->report.sighting_len; i++)
        all += s->sightings[i].tag == tag && !s->sightings[i].is_twice && s->places[s->sightings[i].view].len;
    for (int i = 0; i < s->report.sighting_len && len < JUDGE_MAX; i++) {
        if (s->sightings[i].tag != tag || s->sightings[i].is_twice || !s->places[s->sightings[i].view].len)
            continue;
        if (all <= JUDGE_MAX || taken * JUDGE_MAX / all >= len)
            judges[len++] = i;
        taken++;
    }
    return len;
}

/* A tag's possible place, by one image. */
typedef struct {
    pov_pose T_table_tag;
    int judge;       /* whose it is */
    double own_cost; /* what that judge makes of it */
    double cost;     /* what all do */
} candidate;

/* Both ways that the tag, and the camera, may be tilted. */
static int find_candidates(candidate candidates[CANDIDATE_MAX], const pov_tag_survey *s, const int *judges,
                           int judge_len)
{
    int len = 0;
    for (int k = 0; k < judge_len; k++) {
        const pov_survey_sighting *seen = &s->sightings[judges[k]];
        const pov_survey_places *places = &s->places[seen->view];
        pov_tag tag = seen->seen;
        pov_tag_poses poses;
        tag.corner_std_px = s->corner_std_px;
        if (pov_tag_pose_estimate(&poses, pov_survey_camera_of(s, seen), &tag, seen->edge_m) != POV_OK)
            continue;
        const pov_pose T_tag_body = pov_pose_exact(pov_transform_inverse(seen->T_body_tag));
        for (int i = 0; i < places->len * poses.len; i++) {
            const int place = i / poses.len, pose = i % poses.len;
            const pov_pose T_table_tag =
                pov_pose_mul(&places->T_table_camera[place], &poses.T_camera_tag[pose]);
            candidates[len++] = (candidate){
                pov_pose_mul(&T_table_tag, &T_tag_body), k,
                places->cost[place] - 2 * log(poses.probability[pose]) + 16 * log(s->corner_std_px), 0};
        }
    }
    return len;
}

static double judge_cost(const pov_tag_survey *s, const pov_survey_sighting *seen,
                         const pov_pose *T_table_body)
{
    const pov_survey_places *places = &s->places[seen->view];
    const pov_pose T_body_tag = pov_pose_exact(seen->T_body_tag);
    pov_tag_map_entry entry = {.edge_m = seen->edge_m};
    pov_tag tag = seen->seen;
    const pov_tag_sighting sighting = {&tag, &entry, true};
    double least = STRAY_COST;
    tag.corner_std_px = s->corner_std_px;
    entry.T_table_tag = pov_pose_mul(T_table_body, &T_body_tag);
    for (int i = 0; i < places->len; i++) {
        pov_tag_misfit misfit =
            pov_tag_misfit_of(pov_survey_camera_of(s, seen), &sighting, &places->T_table_camera[i], true);
        least = fmin(least, misfit.distance2 + misfit.log_determinant + places->cost[i]);
    }
    return least;
}

/* An image cannot judge its own candidate but by how well that explains the image alone. */
static void judge_candidate(candidate *c, const pov_tag_survey *s, const int *judges, int judge_len)
{
    c->cost = c->own_cost;
    for (int k = 0; k < judge_len; k++)
        if (k != c->judge)
            c->cost += judge_cost(s, &s->sightings[judges[k]], &c->T_table_tag);
}

/* The best of those that are not the pose of `other` (NULL: of all), or NULL. */
static const candidate *best_of(const candidate *candidates, int len, const candidate *other)
{
    const candidate *best = NULL;
    for (int i = 0; i < len; i++) {
        const candidate *c = &candidates[i];
        if ((!best || c->cost < best->cost) &&
            (!other || pov_pose_distance2(&c->T_table_tag, &other->T_table_tag) > SAME_DISTANCE2))
            best = c;
    }
    return best;
}

bool pov_survey_place_tag(pov_tag_survey *s, int tag)
{
    candidate candidates[CANDIDATE_MAX];
    int judges[JUDGE_MAX], judge_len = find_judges(judges, s, tag);
    int len = find_candidates(candidates, s, judges, judge_len);
    for (int i = 0; i < len; i++)
        judge_candidate(&candidates[i], s, judges, judge_len);
    const candidate *best = best_of(candidates, len, NULL),
                    *second = best ? best_of(candidates, len, best) : NULL;
    if (!best)
        return false;
    s->tags[tag].outcome = POV_SURVEY_AMBIGUOUS;
    if (second && second->cost - best->cost < DECISIVE)
        return false;
    s->tags[tag].entry.T_table_tag = best->T_table_tag;
    return true;
}

int pov_survey_grow(pov_tag_survey *s)
{
    bool taken[POV_TAG_MAP_MAX] = {false};
    int count = 0;
    for (int t = 0; t < s->report.tag_len; t++) {
        if (s->placed[t] || s->tags[t].outcome == POV_SURVEY_MOVED)
            continue;
        s->tags[t].outcome = POV_SURVEY_NOT_LINKED;
        taken[t] = pov_survey_place_tag(s, t);
        count += taken[t];
    }
    for (int t = 0; t < s->report.tag_len; t++)
        s->placed[t] |= taken[t];
    return count;
}
