/* VSR's captions (Liu, Emerson & Collier 2023, sections 3.1 and 3.2): "The ENT1 (is) RELATION the ENT2.", true if it is so from
 * either the intrinsic or the relative frame. The caption is asked about as their validators were (figure 16). */
#include "compare/questions/question_internal.h"

#include "perception/papers/vsr.h"

#include <math.h>
#include <string.h>

/* The verb is in the phrase: "contains", "consists of", "has as a part". */
static bool has_verb(const pov_relation_info *relation)
{
    static const char *const verbs[] = {"contains", "consists_of", "has_as_a_part"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(relation->name, verbs[i]) == 0)
            return true;
    return false;
}

static void add_frame(pov_questions *q, const pov_belief *belief, pov_perspective perspective)
{
    bool defined = belief->verdict != POV_VERDICT_UNDEFINED;
    pov_gold *gold =
        pov_questions_answer(q, belief->p > 0.5 ? 1u : 2u, defined ? fmax(belief->p, 1 - belief->p) : NAN);
    gold->asked = false;
    gold->sure = defined && belief->verdict != POV_ABSTAIN;
    gold->p_std = belief->p_std;
    gold->perspective = perspective;
    if (perspective == POV_EGOCENTRIC) {
        gold->convention = POV_REFLECTED;
        gold->axis = POV_AXIS_USUAL;
    }
}

static void ask_caption(pov_questions *q, const pov_query *caption)
{
    const pov_relation_info *relation = caption->relation;
    pov_id referent = caption->referent, relatum = caption->relatum[0];
    pov_vsr_judgment judgment;
    (void)pov_vsr_judge(&judgment, q->scene, caption, &q->asking->relations);
    const char *text = pov_questions_text(q, "Caption: %s %s%s %s. The caption is: True or False?",
                                          pov_questions_capital(q, pov_questions_the(q, referent)),
                                          has_verb(relation) ? "" : "is ", relation->phrases[0],
                                          pov_questions_the(q, relatum));
    pov_questions_about(q, relation->name, referent, relatum, POV_QUESTION_TRUE_FALSE, text);
    double p = judgment.frames == POV_VSR_UNDEFINED ? NAN : judgment.p_true;
    pov_questions_answer(q, p > 0.5 ? 1u : 2u, fmax(p, 1 - p));
    if (relation->frame == POV_FRAME_NONE)
        return;
    add_frame(q, &judgment.relative, POV_EGOCENTRIC);
    add_frame(q, &judgment.intrinsic, POV_INTRINSIC);
}

/* Captions name two things: "between" and "among" would need more. */
static void ask_pair(pov_questions *q, pov_id referent, pov_id relatum)
{
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_query caption = pov_query_of_pair(pov_relation_registry_at(i), referent, relatum);
        if (caption.relation->vsr == POV_VSR_USED && caption.relation->relata_min == 1)
            ask_caption(q, &caption);
    }
}

void pov_questions_ask_vsr(pov_questions *q)
{
    pov_questions_find_nouns(q, q->asking->language);
    for (pov_id referent = 0; referent < q->scene->len; referent++)
        for (pov_id relatum = 0; relatum < q->scene->len; relatum++)
            if (pov_questions_wants(q, referent, relatum))
                ask_pair(q, referent, relatum);
}
