#include "perception/papers/vsr.h"

#include <math.h>
#include <stddef.h>

static const pov_belief no_belief = {NAN, NAN, POV_VERDICT_UNDEFINED};

static pov_belief believe(const pov_scene *scene, const pov_relation_question *question,
                          const pov_relation_judging *judging)
{
    pov_relation_answer answer;
    (void)pov_relation_judge(&answer, scene, question, judging);
    return answer.belief;
}

static pov_belief in_relative_frame(const pov_scene *scene, pov_relation_question question,
                                    const pov_relation_judging *judging)
{
    if (question.viewer == POV_ID_NONE)
        question.viewer = scene->camera;
    if (question.viewer == POV_ID_NONE)
        return no_belief;
    question.perspective = question.viewer == scene->camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
    question.convention = POV_REFLECTED;
    question.axis = POV_AXIS_USUAL;
    return believe(scene, &question, judging);
}

static pov_belief in_intrinsic_frame(const pov_scene *scene, pov_relation_question question,
                                     const pov_relation_judging *judging)
{
    question.viewer = POV_ID_NONE;
    question.perspective = POV_INTRINSIC;
    question.convention = POV_NO_CONVENTION;
    question.axis = POV_HEADING;
    return believe(scene, &question, judging);
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

pov_code pov_vsr_judge(pov_vsr_judgment *judgment, const pov_scene *scene,
                       const pov_relation_question *caption, const pov_relation_judging *judging)
{
    judgment->relative = judgment->intrinsic = no_belief;
    pov_frame_need frame = caption->relation->frame;
    if (frame == POV_FRAME_AXES || frame == POV_FRAME_VIEWER)
        judgment->relative = in_relative_frame(scene, *caption, judging);
    if (frame == POV_FRAME_AXES)
        judgment->intrinsic = in_intrinsic_frame(scene, *caption, judging);
    if (frame == POV_FRAME_NONE)
        judgment->relative = judgment->intrinsic = believe(scene, caption, judging);
    judgment->p_true =
        fmax(judgment->relative.p, judgment->intrinsic.p); /* of a NaN and a number, the number */
    judgment->frames = frames_of(judgment);
    return judgment->frames == POV_VSR_UNDEFINED ? POV_UNDEFINED : POV_OK;
}
