/* SPHERE's reasoning tasks: what could be hidden, what can be moved, and the intermediate questions about what is seen (Zhang
 * et al. 2025, section 3.2.1); "Given that for the question: ... The answer is: ..." is section 4.3's. */
#include "compare/questions_sphere.h"

#include <math.h>

static const char *const yes_no[] = {"yes", "no"};

static const char *seen_from(pov_questions *q, pov_id viewer)
{
    return viewer == q->scene->camera
               ? "From the perspective of the viewer"
               : pov_questions_text(q, "From the perspective of %s", pov_questions_the(q, viewer));
}

/* "" unless it is to be told. */
static const char *given(pov_questions *q, const char *question, const char *first, const char *second,
                         const char *answer)
{
    if (q->asking->guidance != POV_GUIDED_STEP)
        return "";
    return pov_questions_text(q, "Given that for the question: %s %s or %s? The answer is: %s. ", question,
                              pov_questions_capital(q, first), pov_questions_capital(q, second),
                              pov_questions_capital(q, answer));
}

/* Who hides must be the bigger one. */
static const char *hiding_step(pov_questions *q, pov_id hider, pov_id thing)
{
    pov_choice choice;
    const char *const words[] = {pov_questions_bare(q, hider), pov_questions_bare(q, thing),
                                 "they are similar in size"};
    if (pov_sphere_bigger(&choice, q->scene, hider, thing) != POV_OK)
        return "";
    return given(q, "Which object is bigger?", words[0],
                 pov_questions_text(q, "%s or %s", words[1], pov_questions_capital(q, words[2])),
                 words[pov_questions_likeliest(choice.p, choice.len)]);
}

static void ask_hiding(pov_questions *q, pov_id viewer, pov_id hider, pov_id thing)
{
    pov_vec3 size_m = q->scene->entities[thing].size_m;
    pov_choice choice;
    if (viewer == thing || !(size_m.x > 0) ||
        pov_sphere_could_hide(&choice, q->scene, viewer, hider, size_m) != POV_OK)
        return;
    const sphere_ask ask = {"occlusion",
                            pov_questions_name(q, viewer),
                            thing,
                            hider,
                            viewer,
                            pov_questions_text(q, "%s, could another %s be hidden behind %s?",
                                               seen_from(q, viewer), pov_questions_bare(q, thing),
                                               pov_questions_the(q, hider)),
                            yes_no,
                            hiding_step(q, hider, thing)};
    pov_sphere_ask_choice(q, &ask, &choice);
}

static const char *moving_step(pov_questions *q, pov_id viewer, pov_id id, pov_move move,
                               const pov_move_answer *answer)
{
    static const char *const places[] = {"directly to the left of", "directly to the right of",
                                         "directly behind", "directly in front of"};
    bool blocked = answer->p_hits > 0.5 && answer->obstacle != POV_ID_NONE;
    const char *thing = blocked ? pov_questions_bare(q, answer->obstacle) : "an object";
    return given(q,
                 pov_questions_text(q, "%s, what is %s %s?", seen_from(q, viewer), places[move],
                                    pov_questions_the(q, id)),
                 "empty space", thing, blocked ? thing : "empty space");
}

static void ask_moves(pov_questions *q, pov_id viewer, pov_id id)
{
    static const char *const ways[] = {"to the left", "to the right", "away", "closer"};
    static const char *const parts[] = {"left", "right", "away", "closer"};
    const pov_moving moving = POV_MOVING_DEFAULT;
    for (int move = 0; move < POV_MOVE_COUNT; move++) {
        pov_move_answer answer;
        if (pov_sphere_can_move(&answer, q->scene, id, viewer, (pov_move)move, 1, &moving) != POV_OK)
            continue;
        const sphere_ask ask = {
            "manipulation",
            pov_questions_text(q, "%s.%s", pov_questions_name(q, viewer), parts[move]),
            id,
            POV_ID_NONE,
            viewer,
            pov_questions_text(
                q,
                "%s, can %s be moved %s by as much as its own extent without hitting anything or "
                "leaving what it stands on?",
                seen_from(q, viewer), pov_questions_the(q, id), ways[move]),
            yes_no,
            moving_step(q, viewer, id, (pov_move)move, &answer)};
        pov_sphere_ask_choice(q, &ask, &answer.possible);
    }
}

void pov_sphere_ask_reasoning(pov_questions *q, pov_id viewer)
{
    const pov_asking *asking = q->asking;
    for (pov_id id = 0; id < q->scene->len; id++) {
        if (id == viewer || !pov_questions_is_thing(q, id))
            continue;
        for (pov_id thing = 0; thing < q->scene->len; thing++)
            if (pov_questions_wants(q, thing, id))
                ask_hiding(q, viewer, id, thing);
        if ((asking->referent == POV_ID_NONE || asking->referent == id) &&
            asking->guidance != POV_GUIDED_FACTS)
            ask_moves(q, viewer, id);
    }
}
