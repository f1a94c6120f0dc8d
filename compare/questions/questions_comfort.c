/* COMFORT's questions (Zhang et al. 2025, sections 3.1 to 3.3): four relations by four prompts about each pair, and the
 * presence of each thing. */
#include "compare/questions/question_internal.h"

#include "perception/geometry/random.h"

#include <assert.h>
#include <math.h>

/* -------- golds -------- */

/* By the hemisphere, with the graded truth by the cosine. */
static void add_gold(pov_questions *q, const pov_query *query, bool asked)
{
    const pov_judging *judging = &q->asking->judging;
    pov_query by_cosine = *query;
    pov_judgment judgment, cosine;
    pov_gold *gold = pov_questions_gold(q);
    by_cosine.acceptance = POV_COSINE;
    gold->perspective = query->perspective;
    gold->convention = query->convention;
    gold->axis = query->viewer == POV_ID_NONE ? POV_AXIS_COUNT : query->axis;
    gold->asked = asked;
    if (pov_relation_evaluate(&judgment, q->scene, query, judging) != POV_OK ||
        pov_relation_evaluate(&cosine, q->scene, &by_cosine, judging) != POV_OK)
        return;
    double p_yes = judgment.belief.p;
    gold->defined = true;
    gold->sure = judgment.belief.verdict != POV_ABSTAIN;
    gold->answers = p_yes > 0.5 ? 1u : 2u;
    gold->p = fmax(p_yes, 1 - p_yes);
    gold->p_std = judgment.belief.p_std;
    gold->cosine = cosine.belief.p;
}

/* The reading that the prompt asks for; English, asked without a perspective, prefers the camera's. */
static pov_perspective asked_perspective(pov_prompt prompt)
{
    return prompt == POV_PROMPT_ADDRESSEE ? POV_ADDRESSEE
           : prompt == POV_PROMPT_RELATUM ? POV_INTRINSIC
                                          : POV_EGOCENTRIC;
}

static void add_viewer_golds(pov_questions *q, pov_query query, bool asked)
{
    pov_convention usual = q->asking->language->convention;
    if (usual == POV_NO_CONVENTION)
        usual = POV_REFLECTED; /* as the paper assumes (section 4.2) */
    for (int convention = 0; convention < POV_CONVENTION_COUNT; convention++)
        for (int axis = 0; axis < POV_AXIS_COUNT; axis++) {
            query.convention = (pov_convention)convention;
            query.axis = (pov_axis)axis;
            add_gold(q, &query, asked && query.convention == usual && query.axis == POV_AXIS_USUAL);
        }
}

/* Every frame that the sentence may mean; a relatum without a front has an intrinsic one that is undefined. */
static void add_golds(pov_questions *q, const pov_question *question, pov_id addressee)
{
    pov_perspective asked = asked_perspective(question->prompt);
    pov_query query = {.referent = question->referent,
                       .relatum = {question->relatum},
                       .relatum_len = 1,
                       .relation = pov_relation_info_of(question->relation),
                       .acceptance = POV_HEMISPHERE};
    if (q->scene->camera != POV_ID_NONE) {
        query.perspective = POV_EGOCENTRIC;
        query.viewer = q->scene->camera;
        add_viewer_golds(q, query, asked == POV_EGOCENTRIC);
    }
    if (addressee != POV_ID_NONE && addressee != query.referent && addressee != query.relatum[0]) {
        query.perspective = POV_ADDRESSEE;
        query.viewer = addressee;
        add_viewer_golds(q, query, asked == POV_ADDRESSEE);
    }
    query.perspective = POV_INTRINSIC;
    query.viewer = POV_ID_NONE;
    query.convention = POV_NO_CONVENTION;
    query.axis = POV_HEADING;
    add_gold(q, &query, asked == POV_INTRINSIC);
}

/* -------- where the parties are -------- */

/* The direction on the ground from one to another; NaN if there is none. */
static double yaw_between(const pov_scene *scene, pov_id from, pov_id to)
{
    if (from == POV_ID_NONE || to == POV_ID_NONE)
        return NAN;
    pov_vec3 a = scene->entities[from].position.mean_m, b = scene->entities[to].position.mean_m;
    return atan2(b.y - a.y, b.x - a.x);
}

static double front_yaw(const pov_scene *scene, pov_id id)
{
    const pov_heading_mode *mode =
        id == POV_ID_NONE ? NULL : pov_heading_heaviest(&scene->entities[id].heading);
    return mode ? mode->yaw_rad : NAN;
}

/* A curve over phi is scored by the same axis as gold: an addressee's usual one. In COMFORT's scenes, where she looks straight
 * at the relatum, it is her heading. */
static double sight_yaw(const pov_scene *scene, pov_id addressee, pov_id relatum)
{
    static_assert(POV_AXIS_USUAL == POV_SIGHT_LINE, /* NOLINT(misc-redundant-expression): it is to stay so */
                  "the line to the relatum");
    return yaw_between(scene, addressee, relatum);
}

static double wrapped_degrees(double angle_rad)
{
    double turn = fmod(pov_degrees(angle_rad), 360);
    return turn < 0 ? turn + 360 : turn;
}

/* A direction in the terms of phi. */
static double from_camera_deg(const pov_scene *scene, double yaw_rad, pov_id relatum)
{
    return wrapped_degrees(yaw_rad - yaw_between(scene, relatum, scene->camera));
}

static void set_layout(const pov_questions *q, pov_question *question, pov_id addressee)
{
    double to_camera = yaw_between(q->scene, question->relatum, q->scene->camera);
    question->phi_rad =
        remainder(yaw_between(q->scene, question->relatum, question->referent) - to_camera, 2 * POV_PI);
    pov_id relatum = question->relatum;
    question->facings.addressee_deg =
        from_camera_deg(q->scene, sight_yaw(q->scene, addressee, relatum), relatum);
    question->facings.relatum_deg = from_camera_deg(q->scene, front_yaw(q->scene, relatum), relatum);
}

/* -------- relations -------- */

static const char *const prompt_words[] = {"none", "camera", "addressee", "relatum"};

static void ask_relation(pov_questions *q, pov_id referent, pov_id relatum, pov_id addressee,
                         pov_prompt prompt, pov_relation relation)
{
    const pov_language *language = q->asking->language;
    bool names_addressee = prompt == POV_PROMPT_ADDRESSEE;
    char sentence[POV_SENTENCE_CAPACITY];
    const pov_sentence_nouns nouns = {.referent = pov_questions_noun(q, referent),
                                      .relatum = pov_questions_noun(q, relatum),
                                      .viewer = names_addressee ? pov_questions_noun(q, addressee) : NULL};
    if (!nouns.referent || !nouns.relatum || (names_addressee && !nouns.viewer))
        return;
    pov_language_ask(language, sentence, prompt, relation, &nouns);
    pov_question *question = pov_questions_add(q);
    question->id = pov_questions_text(
        q, "comfort/%s:%s/%s/%s%s%s/%s%s", pov_questions_name(q, referent), pov_questions_name(q, relatum),
        pov_relation_name(relation), prompt_words[prompt], names_addressee ? ":" : "",
        names_addressee ? pov_questions_name(q, addressee) : "", language->code, pov_questions_guided(q));
    question->task = "relation";
    question->language = language->code;
    question->kind = POV_QUESTION_YES_NO;
    question->referent = referent;
    question->relatum = relatum;
    question->viewer = names_addressee ? addressee : POV_ID_NONE;
    question->relation = relation;
    question->prompt = prompt;
    set_layout(q, question, addressee);
    question->text = pov_questions_text(q, "%s%s", pov_questions_facts(q, referent, relatum), sentence);
    add_golds(q, question, addressee);
}

static void ask_relations(pov_questions *q, pov_id referent, pov_id relatum, pov_id addressee,
                          pov_prompt prompt)
{
    for (int relation = POV_LEFT_OF; relation <= POV_BEHIND; relation++)
        ask_relation(q, referent, relatum, addressee, prompt, (pov_relation)relation);
}

static bool is_addressee(const pov_questions *q, pov_id id)
{
    return q->scene->entities[id].addressee && pov_questions_is_thing(q, id);
}

/* The viewer whose frame counts when the question names none. */
static pov_id first_addressee(const pov_questions *q, pov_id referent, pov_id relatum)
{
    for (pov_id id = 0; id < q->scene->len; id++)
        if (is_addressee(q, id) && id != referent && id != relatum)
            return id;
    return POV_ID_NONE;
}

/* A prompt is asked where someone has that perspective: "from the ball's viewpoint" has no answer. */
static void ask_pair(pov_questions *q, pov_id referent, pov_id relatum)
{
    const bool *wanted = q->asking->prompt;
    pov_id usual = first_addressee(q, referent, relatum);
    if (wanted[POV_PROMPT_NONE])
        ask_relations(q, referent, relatum, usual, POV_PROMPT_NONE);
    if (wanted[POV_PROMPT_CAMERA] && q->scene->camera != POV_ID_NONE)
        ask_relations(q, referent, relatum, usual, POV_PROMPT_CAMERA);
    for (pov_id id = 0; id < q->scene->len; id++)
        if (wanted[POV_PROMPT_ADDRESSEE] && is_addressee(q, id) && id != referent && id != relatum)
            ask_relations(q, referent, relatum, id, POV_PROMPT_ADDRESSEE);
    if (wanted[POV_PROMPT_RELATUM] && q->scene->entities[relatum].heading.len > 0)
        ask_relations(q, referent, relatum, usual, POV_PROMPT_RELATUM);
}

/* -------- presence -------- */

static void ask_presence(pov_questions *q, const pov_noun *noun, const char *name, pov_id id)
{
    const pov_language *language = q->asking->language;
    char sentence[POV_SENTENCE_CAPACITY];
    const pov_sentence_nouns nouns = {.object = noun};
    pov_language_ask_present(language, sentence, &nouns);
    pov_question *question = pov_questions_add(q);
    question->id = pov_questions_text(q, "comfort/any/%s/%s", name, language->code);
    question->task = "presence";
    question->language = language->code;
    question->kind = POV_QUESTION_YES_NO;
    question->referent = id;
    if (q->asking->relatum != POV_ID_NONE) /* presence is scored with the set that the pair is of */
        question->facings.relatum_deg =
            from_camera_deg(q->scene, front_yaw(q->scene, q->asking->relatum), q->asking->relatum);
    question->text = pov_questions_text(q, "%s", sentence);
    pov_gold *gold = pov_questions_gold(q);
    gold->asked = gold->defined = gold->sure = true;
    gold->answers = id == POV_ID_NONE ? 2u : 1u;
    gold->p = 1;
    gold->p_std = 0;
}

/* One absent thing for each present one, as the paper's F1 needs; the seed chooses. */
static void ask_absent(pov_questions *q, int wanted)
{
    const pov_noun *absent[POV_LANGUAGE_NOUNS_MAX];
    int len = pov_questions_absent(q, absent);
    uint64_t state = q->asking->seed;
    for (; len > 0 && wanted > 0; wanted--) {
        int pick = (int)(pov_random_next(&state) % (uint64_t)len);
        ask_presence(q, absent[pick], absent[pick]->id, POV_ID_NONE);
        absent[pick] = absent[--len];
    }
}

/* Things that the language has no word for are left out: they need not be of the pair that is asked about. */
static void ask_presences(pov_questions *q)
{
    int present = 0;
    for (pov_id id = 0; id < q->scene->len; id++)
        if (pov_questions_is_thing(q, id) && q->nouns[id].id) {
            ask_presence(q, &q->nouns[id], pov_questions_name(q, id), id);
            present++;
        }
    ask_absent(q, present);
}

void pov_questions_ask_comfort(pov_questions *q)
{
    const pov_asking *asking = q->asking;
    POV_REQUIRE(asking->language);
    pov_questions_find_nouns(q, asking->language);
    for (pov_id referent = 0; referent < q->scene->len; referent++)
        for (pov_id relatum = 0; relatum < q->scene->len; relatum++)
            if (pov_questions_wants(q, referent, relatum))
                ask_pair(q, referent, relatum);
    if (asking->guidance == POV_GUIDED_NOT)
        ask_presences(q);
}
