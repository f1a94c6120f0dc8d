#include "ask/meaning/moment.h"

#include "config/files/grow.h"
#include "perception/hash.h"
#include "perception/relations/relation_panel.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* An image of 20 things has 380 pairs; a dialogue asks for few relations. Chosen: 1 MB. */
enum { MANY = 8, JUDGMENTS = 2048, LOOKS = 1024, PANELS = 4 };

typedef struct {
    const pov_relation_info *relation;
    pov_relation_panel *panel;
} one_panel;

struct pov_moment {
    bool started, hurried;
    pov_judging judging;
    pov_occlusion *occlusion; /* has a copy of the scene */
    pov_visibility *known;    /* a station's */
    int known_len, known_capacity, next_panel;
    bool has_judgment[JUDGMENTS], is_hurried[JUDGMENTS],
        has_look[LOOKS]; /* by a hash of what was asked; a newer one takes an older one's place */
    pov_judgment judgments[JUDGMENTS];
    pov_visibility looks[LOOKS];
    one_panel panels[PANELS];
};

pov_status pov_moment_new(pov_moment **moment)
{
    *moment = calloc(1, sizeof **moment);
    if (!*moment)
        return pov_error("out of memory");
    const pov_status status = pov_occlusion_new(&(*moment)->occlusion);
    if (status.code != POV_OK)
        pov_moment_destroy(moment);
    return status;
}

static void forget_panels(pov_moment *m)
{
    for (int i = 0; i < PANELS; i++) {
        pov_relation_panel_destroy(&m->panels[i].panel);
        m->panels[i].relation = NULL;
    }
}

void pov_moment_destroy(pov_moment **moment)
{
    if (!*moment)
        return;
    forget_panels(*moment);
    pov_occlusion_destroy(&(*moment)->occlusion);
    free((*moment)->known);
    free(*moment);
    *moment = NULL;
}

/* -------- the scene -------- */

static bool are_same_bytes(const void *a, const void *b, size_t length)
{
    return memcmp(a, b, length) == 0;
}

static bool is_same_scene(const pov_scene *a, const pov_scene *b)
{
    return a->len == b->len && a->camera == b->camera && a->has_north == b->has_north &&
           a->north_yaw_rad == b->north_yaw_rad &&
           are_same_bytes(a->camera_pose_cov, b->camera_pose_cov, sizeof a->camera_pose_cov) &&
           are_same_bytes(a->entities, b->entities, (size_t)b->len * sizeof *b->entities);
}

static bool are_same_looks(const pov_moment *m, const pov_visibility *known, int len)
{
    return m->known_len == len && (len == 0 || are_same_bytes(m->known, known, (size_t)len * sizeof *known));
}

pov_status pov_moment_start(pov_moment *m, const pov_scene *scene, const pov_judging *judging,
                            const pov_visibility *known, int known_len)
{
    const bool same_judging = are_same_bytes(&m->judging, judging, sizeof *judging);
    if (m->started && same_judging && is_same_scene(pov_occlusion_scene(m->occlusion), scene) &&
        are_same_looks(m, known, known_len))
        return pov_ok();
    m->started = false;
    if (!same_judging)
        forget_panels(m);
    m->judging = *judging;
    memset(m->has_judgment, 0, sizeof m->has_judgment);
    memset(m->has_look, 0, sizeof m->has_look);
    for (m->known_len = 0; m->known_len < known_len; m->known_len++) {
        if (!pov_grow(&m->known, &m->known_capacity, m->known_len, sizeof *m->known))
            return pov_error("out of memory");
        m->known[m->known_len] = known[m->known_len];
    }
    POV_TRY(pov_occlusion_update(m->occlusion, scene));
    m->started = true;
    return pov_ok();
}

const pov_scene *pov_moment_scene(const pov_moment *m)
{
    return pov_occlusion_scene(m->occlusion);
}

pov_status pov_moment_imagine(pov_moment *m, const pov_scene *scene)
{
    const pov_judging judging = m->judging;
    return pov_moment_start(m, scene, &judging, NULL, 0);
}

/* -------- relations -------- */

static unsigned hash_query(const pov_query *query)
{
    unsigned hash = POV_HASH32_START;
    const unsigned parts[] = {(unsigned)((uintptr_t)query->relation >> 4),
                              (unsigned)query->referent,
                              (unsigned)query->viewer,
                              (unsigned)query->relatum_len,
                              (unsigned)query->perspective,
                              (unsigned)query->convention,
                              (unsigned)query->axis,
                              (unsigned)query->acceptance};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = pov_hash32_value(hash, parts[i]);
    for (int i = 0; i < query->relatum_len; i++)
        hash = pov_hash32_value(hash, (unsigned)query->relatum[i]);
    return hash;
}

static bool is_same_query(const pov_query *a, const pov_query *b)
{
    return a->relation == b->relation && a->referent == b->referent && a->viewer == b->viewer &&
           a->perspective == b->perspective && a->convention == b->convention && a->axis == b->axis &&
           a->acceptance == b->acceptance && a->relatum_len == b->relatum_len &&
           memcmp(a->relatum, b->relatum, (size_t)b->relatum_len * sizeof *b->relatum) == 0;
}

static pov_relation_panel *find_panel(pov_moment *m, const pov_relation_info *relation)
{
    for (int i = 0; i < PANELS; i++)
        if (m->panels[i].relation == relation && m->panels[i].panel)
            return m->panels[i].panel;
    one_panel *taken = &m->panels[m->next_panel++ % PANELS];
    pov_judging one = m->judging;
    for (int i = 0; i < pov_relation_registry_len(); i++)
        one.other[i] = pov_relation_registry_at(i) == relation;
    pov_relation_panel_destroy(&taken->panel);
    taken->relation = relation;
    return pov_relation_panel_new(&taken->panel, &one).code == POV_OK ? taken->panel : NULL;
}

/* Most pairs are clear in their whole spread, which a panel sees without drawing from it. False: it is not a question for a panel. */
static bool judge_by_panel(pov_moment *m, pov_judgment *judgment, const pov_query *query)
{
    const pov_scene *scene = pov_moment_scene(m);
    const pov_id relatum = query->relatum[0];
    if (query->relation->projective != POV_RELATION_COUNT || query->relation->frame != POV_FRAME_NONE ||
        query->relation->relata_min != 1 || query->relatum_len != 1 || query->referent == relatum ||
        query->referent < 0 || query->referent >= scene->len || relatum < 0 || relatum >= scene->len)
        return false;
    if (scene->entities[query->referent].is_hypothetical) /* not located: pov_relation_evaluate tells */
        return false;
    pov_relation_panel *panel = find_panel(m, query->relation);
    pov_judgment_list list = {.judgments = judgment, .capacity = 1};
    if (!panel)
        return false;
    pov_relation_panel_hurry(panel, m->hurried);
    pov_relation_panel_pair(panel, &list, scene, query->referent, relatum);
    judgment->query = *query;
    return list.len == 1;
}

pov_code pov_moment_relation(pov_moment *m, pov_judgment *judgment, const pov_query *asked)
{
    pov_query wanted = *asked, *query = &wanted;
    wanted.acceptance = (pov_acceptance)0;
    while (wanted.acceptance + 1 < POV_ACCEPTANCE_COUNT && !m->judging.acceptance[wanted.acceptance])
        wanted.acceptance++;
    const unsigned at = hash_query(query) % JUDGMENTS;
    if (!m->has_judgment[at] || (m->is_hurried[at] && !m->hurried) ||
        !is_same_query(&m->judgments[at].query, query)) {
        if (!judge_by_panel(m, &m->judgments[at], query))
            (void)pov_relation_evaluate(&m->judgments[at], pov_moment_scene(m), query, &m->judging);
        m->has_judgment[at] = true;
        m->is_hurried[at] = m->hurried;
    }
    *judgment = m->judgments[at];
    return judgment->belief.verdict == POV_VERDICT_UNDEFINED ? POV_UNDEFINED : POV_OK;
}

void pov_moment_hurry(pov_moment *m, int judged)
{
    m->hurried = judged > MANY;
}

/* -------- looks -------- */

pov_code pov_moment_look(pov_moment *m, pov_visibility *visibility, pov_id viewer, pov_id target)
{
    const pov_seeing seeing = POV_SEEING_DEFAULT;
    const unsigned at = ((unsigned)viewer * 31 + (unsigned)target) % LOOKS;
    for (int i = 0; i < m->known_len; i++)
        if (m->known[i].viewer == viewer && m->known[i].target == target) {
            *visibility = m->known[i];
            return visibility->sees.verdict == POV_VERDICT_UNDEFINED ? POV_UNDEFINED : POV_OK;
        }
    if (!m->has_look[at] || m->looks[at].viewer != viewer || m->looks[at].target != target) {
        (void)pov_visibility_evaluate(m->occlusion, &m->looks[at], viewer, target, &seeing);
        m->has_look[at] = true;
    }
    *visibility = m->looks[at];
    return visibility->sees.verdict == POV_VERDICT_UNDEFINED ? POV_UNDEFINED : POV_OK;
}
