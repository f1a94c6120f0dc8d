#include "perception/relations/relation_choice.h"

#include <string.h>

typedef struct {
    const pov_relation_choice *choice;
    const pov_scene *scene;
    const pov_located *located;
    pov_relation_visit visit;
    void *context;
} judging_pass;

static bool is_chosen(const pov_relation_choice *choice, int index)
{
    return choice->relation[index] && !pov_relation_is_direction(pov_relation_registry_at(index));
}

/* "between" takes two; "among" three or more. */
static bool takes_relata(const pov_relation_info *relation, int relatum_len)
{
    return relation->relata_min == relatum_len ||
           (relation->relata_min > 2 && relation->relata_min < relatum_len);
}

bool pov_relation_choice_needs(const pov_relation_choice *choice, int relatum_len, bool more)
{
    bool needed = false;
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        int least = pov_relation_registry_at(i)->relata_min;
        needed = needed || (is_chosen(choice, i) && (more ? least >= relatum_len : least == relatum_len));
    }
    return needed;
}

static void judge_in_frame(const judging_pass *pass, pov_frame_need need, const pov_query *frame)
{
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        pov_query query = *frame;
        pov_judgment judgment;
        query.relation = pov_relation_registry_at(i);
        if (!is_chosen(pass->choice, i) || query.relation->frame != need ||
            !takes_relata(query.relation, pass->located->relatum_len))
            continue;
        query.acceptance = pass->choice->acceptance;
        query.referent = pass->located->referent;
        query.relatum_len = pass->located->relatum_len;
        memcpy(query.relatum, pass->located->relatum, sizeof query.relatum);
        (void)pov_relation_evaluate(&judgment, pass->scene, &query, &pass->choice->judging);
        pass->visit(pass->context, &judgment);
    }
}

/* Its own front is the intrinsic frame. */
static bool is_relatum(const pov_located *located, pov_id id)
{
    bool found = false;
    for (int i = 0; i < located->relatum_len; i++)
        found = found || id == located->relatum[i];
    return found;
}

static void judge_for_viewer(const judging_pass *pass, pov_perspective perspective, pov_id viewer)
{
    const pov_relation_choice *choice = pass->choice;
    pov_query frame = {.perspective = perspective, .viewer = viewer};
    for (int convention = 0; convention < POV_CONVENTION_COUNT; convention++)
        for (int axis = 0; axis < POV_AXIS_COUNT; axis++) {
            frame.convention = (pov_convention)convention;
            frame.axis = (pov_axis)axis;
            if (choice->convention[convention] && choice->axis[axis])
                judge_in_frame(pass, POV_FRAME_AXES, &frame);
        }
    frame.convention = POV_NO_CONVENTION;
    frame.axis = POV_AXIS_USUAL;
    judge_in_frame(pass, POV_FRAME_VIEWER, &frame);
}

void pov_relation_choice_judge(const pov_relation_choice *choice, const pov_scene *scene,
                               const pov_located *located, pov_relation_visit visit, void *context)
{
    const judging_pass pass = {choice, scene, located, visit, context};
    pov_query frame = {.viewer = POV_ID_NONE,
                       .convention = POV_NO_CONVENTION,
                       .axis = POV_HEADING,
                       .perspective = POV_ABSOLUTE};
    judge_in_frame(&pass, POV_FRAME_NONE, &frame);
    for (pov_id viewer = pov_viewer_next(scene, POV_ID_NONE); viewer != POV_ID_NONE;
         viewer = pov_viewer_next(scene, viewer)) {
        pov_perspective perspective = pov_viewer_perspective(scene, viewer);
        if (!is_relatum(located, viewer) && choice->perspective[perspective])
            judge_for_viewer(&pass, perspective, viewer);
    }
    frame.perspective = POV_INTRINSIC;
    if (choice->perspective[POV_INTRINSIC])
        judge_in_frame(&pass, POV_FRAME_AXES, &frame);
}
