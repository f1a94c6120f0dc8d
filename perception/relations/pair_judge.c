#include "perception/relations/pair_judge.h"

#include "perception/relations/relation_internal.h"

/* ---- what is wanted ---- */

static void want_in(pov_wanted_judgments *wanted, const pov_judging *judging,
                    const pov_relation_info *const infos[POV_RELATION_COUNT], pov_convention convention,
                    pov_relation first, int relations)
{
    for (int relation = (int)first; relation < (int)first + relations; relation++)
        for (int acceptance = 0; acceptance < POV_ACCEPTANCE_COUNT; acceptance++)
            if (judging->relation[relation] && judging->acceptance[acceptance])
                wanted->list[wanted->len++] =
                    (pov_wanted_judgment){infos[relation], convention, (pov_acceptance)acceptance,
                                          pov_relation_quarter((pov_relation)relation, convention)};
}

static void want_all(pov_pair_judge *judge)
{
    const pov_judging *judging = judge->judging;
    const pov_relation_info *infos[POV_RELATION_COUNT];
    for (int relation = 0; relation < POV_RELATION_COUNT; relation++)
        infos[relation] = pov_relation_info_of((pov_relation)relation);
    judge->relative.len = judge->intrinsic.len = judge->absolute.len = 0;
    for (int convention = 0; convention < POV_CONVENTION_COUNT; convention++)
        want_in(&judge->relative, judging, infos, (pov_convention)convention, POV_LEFT_OF, 4);
    want_in(&judge->intrinsic, judging, infos, POV_NO_CONVENTION, POV_LEFT_OF, 4);
    want_in(&judge->absolute, judging, infos, POV_NO_CONVENTION, POV_NORTH_OF, 4);
}

static const pov_wanted_judgments *wanted_in(const pov_pair_judge *judge, pov_perspective perspective)
{
    if (pov_is_relative(perspective))
        return &judge->relative;
    return perspective == POV_INTRINSIC ? &judge->intrinsic : &judge->absolute;
}

/* ---- axes ---- */

static bool turns_with_relatum(const pov_relatum_axis *axis)
{
    return axis->perspective == POV_INTRINSIC || axis->axis == POV_SIGHT_LINE;
}

static void add_axis(pov_pair_judge *judge, pov_perspective perspective, pov_id viewer, pov_axis kind)
{
    pov_relatum_axis *axis = &judge->axis[judge->axis_len++];
    *axis = (pov_relatum_axis){.perspective = perspective, .viewer = viewer, .axis = kind};
    if (!turns_with_relatum(axis))
        pov_axis_find(axis, &judge->north, judge->scene, POV_ID_NONE);
}

static void add_viewer(pov_pair_judge *judge, pov_id viewer)
{
    for (int axis = 0; axis < POV_AXIS_COUNT; axis++)
        if (judge->judging->axis[axis])
            add_axis(judge, pov_viewer_perspective(judge->scene, viewer), viewer, (pov_axis)axis);
}

static void add_axes(pov_pair_judge *judge)
{
    judge->axis_len = 0;
    for (pov_id viewer = pov_viewer_next(judge->scene, POV_ID_NONE); viewer != POV_ID_NONE;
         viewer = pov_viewer_next(judge->scene, viewer))
        add_viewer(judge, viewer);
    add_axis(judge, POV_INTRINSIC, POV_ID_NONE, POV_HEADING);
    if (judge->scene->has_north)
        add_axis(judge, POV_ABSOLUTE, POV_ID_NONE, POV_HEADING);
}

static void turn_to(pov_pair_judge *judge, pov_id relatum)
{
    judge->relatum = relatum;
    for (int i = 0; i < judge->axis_len; i++)
        if (turns_with_relatum(&judge->axis[i]))
            pov_axis_find(&judge->axis[i], &judge->north, judge->scene, relatum);
}

void pov_pair_judge_prepare(pov_pair_judge *judge, const pov_scene *scene, const pov_judging *judging)
{
    judge->scene = scene;
    judge->judging = judging;
    judge->relatum = POV_ID_NONE;
    want_all(judge);
    add_axes(judge);
}

/* ---- judgments ---- */

/* Judgments written while there is room, all counted. */
typedef struct {
    pov_judgment *next;
    int room, len;
} judgment_list;

static void give_wanted(judgment_list *list, const pov_axis_beliefs *beliefs, const pov_pair *pair,
                        const pov_relatum_axis *axis, const pov_wanted_judgments *wanted)
{
    const pov_query query = {.referent = pair->referent,
                             .relatum = {pair->relatum},
                             .relatum_len = 1,
                             .viewer = axis->viewer,
                             .perspective = axis->perspective,
                             .axis = axis->axis};
    const int fits = wanted->len < list->room ? wanted->len : list->room;
    pov_judgment *judgment = list->next;
    for (const pov_wanted_judgment *one = wanted->list; one < wanted->list + fits; one++, judgment++) {
        judgment->query = query;
        judgment->query.relation = one->relation;
        judgment->query.convention = one->convention;
        judgment->query.acceptance = one->acceptance;
        pov_judgment_fill(judgment, beliefs, pair, one->acceptance, one->quarter);
    }
    list->next = judgment;
    list->room -= fits;
    list->len += wanted->len;
}

int pov_pair_judge_run(pov_pair_judge *judge, pov_judgment *judgments, int capacity, pov_id referent,
                       pov_id relatum)
{
    POV_REQUIRE(pov_is_id(judge->scene, referent) && pov_is_id(judge->scene, relatum));
    judgment_list list = {judgments, capacity > 0 ? capacity : 0, 0};
    pov_axis_beliefs beliefs;
    pov_pair pair;
    if (relatum != judge->relatum)
        turn_to(judge, relatum);
    pov_pair_find(&pair, judge->scene, referent, relatum);
    for (int i = 0; i < judge->axis_len; i++) {
        const pov_relatum_axis *axis = &judge->axis[i];
        if (axis->viewer == relatum || (axis->viewer == referent && !judge->judging->own_view))
            continue;
        pov_axis_judge(&beliefs, &pair, axis, judge->judging, judge->judging->acceptance);
        give_wanted(&list, &beliefs, &pair, axis, wanted_in(judge, axis->perspective));
    }
    return list.len;
}

int pov_relation_evaluate_pair(pov_judgment *judgments, int capacity, const pov_scene *scene, pov_id referent,
                               pov_id relatum, const pov_judging *judging)
{
    pov_pair_judge judge;
    pov_pair_judge_prepare(&judge, scene, judging);
    return pov_pair_judge_run(&judge, judgments, capacity, referent, relatum);
}
