/** Answers of the registry's relations, directions and views, with random values. */
#pragma once

#include "perception/observation/observation.h"
#include "tests/support/random_tag.h"

#include <math.h>

static inline pov_belief test_random_belief(test_random *random)
{
    pov_belief belief = {.p = test_random_between(random, 0, 1),
                         .p_std = test_random_between(random, 0, 0.5),
                         .verdict = (pov_verdict)test_random_index(random, POV_VERDICT_COUNT)};
    if (belief.verdict == POV_VERDICT_UNDEFINED)
        belief.p = belief.p_std = NAN;
    return belief;
}

static inline pov_judgment test_random_other_judgment(test_random *random, int entities)
{
    const pov_relation_info *relation;
    do
        relation = pov_relation_registry_at(test_random_index(random, pov_relation_registry_len()));
    while (relation->projective != POV_RELATION_COUNT);
    pov_query query = {
        .relation = relation,
        .referent = test_random_index(random, entities),
        .relatum_len =
            relation->relata_min + test_random_index(random, POV_RELATA_MAX - relation->relata_min + 1),
        .perspective = (pov_perspective)test_random_index(random, POV_PERSPECTIVE_COUNT),
        .viewer = test_random_index(random, 2) ? POV_ID_NONE : test_random_index(random, entities),
        .convention = (pov_convention)test_random_index(random, POV_CONVENTION_COUNT + 1),
    };
    query.axis = query.viewer == POV_ID_NONE ? POV_HEADING : POV_SIGHT_LINE;
    for (int i = 0; i < query.relatum_len; i++)
        query.relatum[i] = test_random_index(random, entities);
    return (pov_judgment){.query = query,
                          .belief = test_random_belief(random),
                          .theta_rad = NAN,
                          .theta_std_rad = NAN,
                          .flip_distance_m = NAN,
                          .p_internal = NAN};
}

static inline pov_observed_direction test_random_direction(test_random *random, int entities)
{
    pov_observed_direction direction = {
        .viewer = test_random_index(random, entities),
        .target = test_random_index(random, entities),
        .side = {.bearing_rad = test_random_between(random, -POV_PI, POV_PI),
                 .side = (pov_side)test_random_index(random, POV_SIDE_COUNT),
                 .quarter = (pov_side)(2 * test_random_index(random, POV_SIDE_COUNT / 2)),
                 .verdict = test_random_index(random, 2) ? POV_TRUE : POV_ABSTAIN}};
    bool defined = test_random_index(random, 4) > 0;
    if (!defined) {
        direction.side.bearing_rad = NAN;
        direction.side.side = direction.side.quarter = POV_SIDE_UNDEFINED;
        direction.side.verdict = POV_VERDICT_UNDEFINED;
    }
    for (int i = 0; i < POV_SIDE_COUNT; i++)
        direction.side.p[i] = defined ? test_random_between(random, 0, 1) : NAN;
    for (int i = 0; i < POV_SIDE_COUNT / 2; i++)
        direction.side.p_quarter[i] = defined ? test_random_between(random, 0, 1) : NAN;
    return direction;
}

static inline void test_random_order(test_random *random, pov_order *order, int entities, int len)
{
    order->len = len;
    for (int i = 0; i < len; i++)
        order->places[i] = (pov_place){.id = test_random_index(random, entities),
                                       .bearing_rad = test_random_between(random, -POV_PI, POV_PI),
                                       .distance_m = test_random_between(random, 0, 9),
                                       .p_swapped = test_random_between(random, 0, 1),
                                       .is_uncertain = test_random_index(random, 2) == 1};
}

static inline void test_random_view(test_random *random, pov_observed_view *view, int entities, int len)
{
    view->viewer = test_random_index(random, entities);
    test_random_order(random, &view->left_to_right, entities, len);
    test_random_order(random, &view->near_to_far, entities, len);
}

static inline void test_random_answers(test_random *random, pov_observation *observation, int entities)
{
    observation->others_truncated = test_random_index(random, 2) == 1;
    observation->directions_truncated = test_random_index(random, 2) == 1;
    observation->views_truncated = test_random_index(random, 2) == 1;
    const int others = entities > 0 ? test_random_index(random, 20) : 0;
    observation->direction_len = entities > 0 ? test_random_index(random, 6) : 0;
    observation->view_len = entities > 0 ? test_random_index(random, 3) : 0;
    for (int i = 0; i < others && observation->judgment_len < POV_JUDGMENT_MAX; i++)
        observation->judgments[observation->judgment_len++] = test_random_other_judgment(random, entities);
    for (int i = 0; i < observation->direction_len; i++)
        observation->directions[i] = test_random_direction(random, entities);
    for (int i = 0; i < observation->view_len; i++)
        test_random_view(random, &observation->views[i], entities, test_random_index(random, 4));
}
