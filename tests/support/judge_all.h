/** All relations of the registry that take one relatum, for a pair, each judged alone. */
#pragma once

#include "perception/relations/relation.h"

/* Synonyms share a predicate: "near", "by", "close to". */
static inline const pov_judgment *test_judged_already(const pov_judgment *judgments, int len,
                                                      const pov_query *query)
{
    for (int i = 0; i < len; i++) {
        const pov_query *known = &judgments[i].query;
        if (known->relation->evaluate == query->relation->evaluate &&
            known->relation->frame == query->relation->frame && known->perspective == query->perspective &&
            known->viewer == query->viewer)
            return &judgments[i];
    }
    return NULL;
}

static inline int test_judge_next(pov_judgment *judgments, int len, int capacity, const pov_scene *scene,
                                  const pov_query *query, const pov_judging *judging)
{
    const pov_judgment *known = test_judged_already(judgments, len, query);
    POV_REQUIRE(len < capacity);
    if (known)
        judgments[len] = *known;
    else
        (void)pov_relation_evaluate(&judgments[len], scene, query, judging);
    judgments[len].query = *query;
    return len + 1;
}

/** Those of POV_FRAME_NONE once, the others in every frame the scene offers: each viewer with the reflected convention by
 *  its sight line, the relatum's front, north. Returns their number. */
static inline int test_judge_all(pov_judgment *judgments, int capacity, const pov_scene *scene,
                                 pov_id referent, pov_id relatum, const pov_judging *judging)
{
    int len = 0;
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        const pov_frame_need frame = relation->frame;
        pov_query query = pov_query_of_pair(relation, referent, relatum);
        if (relation->relata_min != 1)
            continue;
        query.convention = POV_REFLECTED;
        query.axis = POV_SIGHT_LINE;
        for (pov_id viewer = 0; viewer < scene->len; viewer++) {
            if ((frame != POV_FRAME_AXES && frame != POV_FRAME_VIEWER) || viewer == referent ||
                viewer == relatum || !(viewer == scene->camera || scene->entities[viewer].addressee))
                continue;
            query.perspective = viewer == scene->camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
            query.viewer = viewer;
            len = test_judge_next(judgments, len, capacity, scene, &query, judging);
        }
        query = pov_query_of_pair(relation, referent, relatum);
        if (frame == POV_FRAME_AXES)
            query.perspective = POV_INTRINSIC;
        if (frame != POV_FRAME_VIEWER && (frame != POV_FRAME_NORTH || scene->has_north))
            len = test_judge_next(judgments, len, capacity, scene, &query, judging);
    }
    return len;
}
