#include "perception/papers/vsr.h"

#include <math.h>

static const pov_belief no_belief = {NAN, NAN, POV_VERDICT_UNDEFINED};

static pov_belief judge_belief(const pov_scene *scene, const pov_query *query, const pov_judging *judging)
{
    pov_judgment judgment;
    (void)pov_relation_evaluate(&judgment, scene, query, judging);
    return judgment.belief;
}

static pov_belief in_relative_frame(const pov_scene *scene, pov_query query, const pov_judging *judging)
{
    if (query.viewer == POV_ID_NONE)
        query.viewer = scene->camera;
    if (query.viewer == POV_ID_NONE)
        return no_belief;
    query.perspective = query.viewer == scene->camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
    query.convention = POV_REFLECTED;
    query.axis = POV_AXIS_USUAL;
    return judge_belief(scene, &query, judging);
}

static pov_belief in_intrinsic_frame(const pov_scene *scene, pov_query query, const pov_judging *judging)
{
    query.viewer = POV_ID_NONE;
    query.perspective = POV_INTRINSIC;
    query.convention = POV_NO_CONVENTION;
    query.axis = POV_HEADING;
    return judge_belief(scene, &query, judging);
}

static pov_vsr_frames frames_of(const pov_vsr_judgment *judgment)
{
    bool relative = judgment->relative.p > 0.5, intrinsic = judgment->intrinsic.p > 0.5;
    if (isnan(judgment->p_true))
        return POV_VSR_UNDEFINED;
    if (relative && intrinsic)
        return POV_VSR_BOTH;
    return relative ? POV_VSR_RELATIVE_ONLY : intrinsic ? POV_VSR_INTRINSIC_ONLY : POV_VSR_NEITHER;
}

pov_code pov_vsr_judge(pov_vsr_judgment *judgment, const pov_scene *scene, const pov_query *caption,
                       const pov_judging *judging)
{
    judgment->relative = judgment->intrinsic = no_belief;
    pov_frame_need frame = caption->relation->frame;
    if (frame == POV_FRAME_AXES || frame == POV_FRAME_VIEWER)
        judgment->relative = in_relative_frame(scene, *caption, judging);
    if (frame == POV_FRAME_AXES)
        judgment->intrinsic = in_intrinsic_frame(scene, *caption, judging);
    if (frame == POV_FRAME_NONE)
        judgment->relative = judgment->intrinsic = judge_belief(scene, caption, judging);
    judgment->p_true =
        fmax(judgment->relative.p, judgment->intrinsic.p); /* of a NaN and a number, the number */
    judgment->frames = frames_of(judgment);
    return judgment->frames == POV_VSR_UNDEFINED ? POV_UNDEFINED : POV_OK;
}
