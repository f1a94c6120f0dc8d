/* The papers' questions, put to a scene. */
#include "firmware/judge_teller.h"

#include "perception/forest.h"
#include "perception/sphere_tasks.h"
#include "perception/vpt.h"
#include "perception/vsr.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ENTITIES_MAX = 12 }; /* questions about three of them go with the cube */

const char *pov_question_set_name(pov_question_set set)
{
    static const char *const names[] = {"forest", "vpt", "sphere", "vsr"};
    static_assert(sizeof names / sizeof *names == POV_QUESTIONS_COUNT, "one name a set");
    POV_REQUIRE(set < POV_QUESTIONS_COUNT);
    return names[set];
}

static bool is_thing(const pov_scene *scene, pov_id id)
{
    return id != scene->camera && scene->entities[id].placed;
}

/* -------- FoREST -------- */

static const char *const relation_words[] = {"left", "right", "front", "back"};

/* A container is what the referent would fit into: side by side, each of them shorter. */
static bool is_container(const pov_scene *scene, pov_id relatum, pov_id referent)
{
    double in[3], out[3];
    memcpy(in, &scene->entities[referent].size_m, sizeof in);
    memcpy(out, &scene->entities[relatum].size_m, sizeof out);
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++) {
            double a = fmin(in[i], in[j]), b = fmin(out[i], out[j]);
            in[j] = fmax(in[i], in[j]);
            out[j] = fmax(out[i], out[j]);
            in[i] = a;
            out[i] = b;
        }
    return in[0] > 0 && in[0] < out[0] && in[1] < out[1] && in[2] < out[2];
}

/* The relation that the referent is nearest to being the best example of. */
static void tell_words(pov_teller *t, pov_id referent, pov_id relatum, pov_asked whose)
{
    bool by_camera = whose == POV_ASK_CAMERA;
    pov_judging judging = POV_JUDGING_DEFAULT;
    pov_judgment best = {.theta_rad = NAN, .belief.p = NAN};
    for (int relation = POV_LEFT_OF; relation <= POV_BEHIND; relation++) {
        pov_judgment judgment;
        pov_query query = {.referent = referent,
                           .relatum = relatum,
                           .relation = (pov_relation)relation,
                           .perspective = by_camera ? POV_EGOCENTRIC : POV_INTRINSIC,
                           .viewer = by_camera ? t->scene->camera : POV_ID_NONE,
                           .convention = by_camera ? POV_REFLECTED : POV_NO_CONVENTION,
                           .axis = by_camera ? POV_SIGHT_LINE : POV_HEADING};
        (void)pov_relation_evaluate(&judgment, t->scene, &query, &judging);
        if (isnan(best.theta_rad) || fabs(judgment.theta_rad) < fabs(best.theta_rad))
            best = judgment;
    }
    pov_tell(t, relation_words[best.query.relation], best.belief.p,
             "Where is the %s of the %s, in the %s's words?", pov_teller_name(t, referent),
             pov_teller_name(t, relatum), by_camera ? "camera" : pov_teller_name(t, relatum));
}

static void tell_frames(pov_teller *t, pov_id referent, pov_id relatum, pov_relatum_case which)
{
    char list[120] = "";
    for (int frame = 0; frame < POV_FOREST_FRAME_COUNT; frame++)
        if (pov_forest_frame_applies((pov_forest_frame)frame, which))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
                     pov_forest_frame_name((pov_forest_frame)frame));
    pov_tell(t, list, 1, "Which frames of reference can the %s of the %s be meant in (case %s)?",
             pov_teller_name(t, referent), pov_teller_name(t, relatum), pov_relatum_case_name(which));
}

/* With the likeliest facing: the answers are as sure as that is. */
static void tell_ambiguous(pov_teller *t, pov_id referent, pov_id relatum, pov_relatum_case which,
                           const double p_facing[POV_FACING_COUNT])
{
    pov_facing facing = POV_FACES_TOWARD;
    for (int i = 0; i < POV_FACING_COUNT; i++)
        facing = p_facing[i] > p_facing[facing] ? (pov_facing)i : facing;
    for (int relation = POV_LEFT_OF; relation <= POV_BEHIND; relation++) {
        bool valid[POV_RELATION_COUNT];
        char list[40] = "";
        pov_forest_answers(valid, (pov_relation)relation, which, POV_ASK_CAMERA,
                           which.has_front ? &facing : NULL);
        for (int i = POV_LEFT_OF; i <= POV_BEHIND; i++)
            if (valid[i])
                snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
                         relation_words[i]);
        pov_tell(t, list, which.has_front ? p_facing[facing] : 1,
                 "The %s is said to be %s of the %s. Where may that be, in the camera's words?",
                 pov_teller_name(t, referent), relation_words[relation], pov_teller_name(t, relatum));
    }
}

static void tell_forest_pair(pov_teller *t, pov_id referent, pov_id relatum)
{
    double p[POV_FACING_COUNT];
    pov_relatum_case which = {t->scene->entities[relatum].heading.len > 0,
                              is_container(t->scene, relatum, referent)};
    bool faces = pov_facing_in_scene(p, t->scene, relatum) == POV_OK;
    t->task = "facing";
    if (faces) {
        pov_facing best = POV_FACES_TOWARD;
        for (int i = 0; i < POV_FACING_COUNT; i++)
            best = p[i] > p[best] ? (pov_facing)i : best;
        pov_tell(t, pov_facing_name(best), p[best], "How does the %s face the camera?",
                 pov_teller_name(t, relatum));
    }
    t->task = "relation";
    tell_words(t, referent, relatum, POV_ASK_CAMERA);
    if (which.has_front)
        tell_words(t, referent, relatum, POV_ASK_RELATUM);
    t->task = "frames";
    tell_frames(t, referent, relatum, which);
    t->task = "ambiguous";
    if (faces || !which.has_front)
        tell_ambiguous(t, referent, relatum, which, p);
}

static void tell_forest(pov_teller *t)
{
    for (pov_id referent = 0; referent < t->scene->len; referent++)
        for (pov_id relatum = 0; relatum < t->scene->len; relatum++)
            if (referent != relatum && is_thing(t->scene, referent) && is_thing(t->scene, relatum))
                tell_forest_pair(t, referent, relatum);
}

/* -------- visual perspective taking -------- */

static void tell_direction(pov_teller *t, const pov_vpt_direction *direction, const char *const words[],
                           const char *question, pov_id a, pov_id b)
{
    char list[40] = "";
    for (int i = 0; i < POV_VPT_DIRECTIONS; i++)
        if (direction->gold[i])
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "", words[i]);
    pov_tell(t, list, direction->p_gold, question, pov_teller_name(t, a),
             pov_teller_name(t, b)); /* NOLINT: formats are ours */
}

static void tell_vpt_pair(pov_teller *t, const pov_occlusion *occlusion, pov_id figure, pov_id object)
{
    static const char *const compass[] = {"north", "east", "south", "west"};
    static const char *const sides[] = {"front", "right", "back", "left"};
    const pov_vpt_options options = POV_VPT_OPTIONS_DEFAULT;
    pov_vpt_answers a;
    char number[16];
    pov_vpt_answer(&a, occlusion, figure, object, &options);
    t->task = "Q1";
    snprintf(number, sizeof number, "%d", a.objects);
    pov_tell(t, number, 1, "How many objects are there that are no figures?");
    t->task = "Q2";
    snprintf(number, sizeof number, "%d", a.figures);
    pov_tell(t, number, 1, "How many figures are there?");
    t->task = "Q3";
    pov_tell(t, a.p_same_surface >= 0.5 ? "yes" : "no", fmax(a.p_same_surface, 1 - a.p_same_surface),
             "Are the %s and the %s on the same surface?", pov_teller_name(t, figure),
             pov_teller_name(t, object));
    t->task = "Q4";
    tell_direction(t, &a.where, compass, "With north at the image's top, where is the %2$s from the %1$s?",
                   figure, object);
    t->task = "Q5";
    tell_direction(t, &a.facing, compass, "With north at the image's top, which way does the %s face?",
                   figure, object);
    t->task = "Q6";
    pov_tell(t, a.sees.sees.p >= 0.5 ? "yes" : "no", fmax(a.sees.sees.p, 1 - a.sees.sees.p),
             "Does the %s see the %s?", pov_teller_name(t, figure), pov_teller_name(t, object));
    t->task = "Q7";
    tell_direction(t, &a.for_figure, sides, "From the perspective of the %s, where is the %s?", figure,
                   object);
}

static pov_status tell_vpt(pov_teller *t)
{
    pov_occlusion *occlusion;
    POV_TRY(pov_occlusion_new(&occlusion));
    pov_status status = pov_occlusion_update(occlusion, t->scene);
    for (pov_id figure = 0; status.code == POV_OK && figure < t->scene->len; figure++)
        for (pov_id object = 0; object < t->scene->len; object++)
            if (figure != object && pov_vpt_is_figure(t->scene, figure) && is_thing(t->scene, figure) &&
                is_thing(t->scene, object))
                tell_vpt_pair(t, occlusion, figure, object);
    pov_occlusion_destroy(&occlusion);
    return status;
}

/* -------- SPHERE -------- */

static const char *const position_words[][2] = {{"left", "right"}, {"front", "behind"}, {"above", "below"}};

static void tell_positions(pov_teller *t, pov_id a, pov_id b)
{
    pov_choice choice;
    for (int kind = 0; kind < POV_POSITION_COUNT; kind++) {
        const char *const *words = position_words[kind];
        t->task = "position_ego";
        if (pov_sphere_position_egocentric(&choice, t->scene, (pov_position_kind)kind, b, a) == POV_OK)
            POV_TELL_CHOICE(t, &choice, words,
                            "If you are the %s, where is the %s relative to you? %s or %s?",
                            pov_teller_name(t, b), pov_teller_name(t, a), words[0], words[1]);
        t->task = "position_allo";
        if (pov_sphere_position_allocentric(&choice, t->scene, (pov_position_kind)kind, a, b) == POV_OK)
            POV_TELL_CHOICE(t, &choice, words,
                            "For the viewer, where is the %s relative to the %s? %s or %s?",
                            pov_teller_name(t, a), pov_teller_name(t, b), words[0], words[1]);
    }
}

static void tell_sizes(pov_teller *t, pov_id a, pov_id b)
{
    pov_choice choice;
    const char *const words[] = {pov_teller_name(t, a), pov_teller_name(t, b), "similar in size"};
    const char *const by_distance[] = {"the closer", "the farther", "similar in size"};
    t->task = "size";
    if (pov_sphere_bigger(&choice, t->scene, a, b) == POV_OK)
        POV_TELL_CHOICE(t, &choice, words, "Which is bigger, the %s or the %s?", pov_teller_name(t, a),
                        pov_teller_name(t, b));
    t->task = "distance_size";
    if (pov_sphere_bigger_by_distance(&choice, t->scene, a, b) == POV_OK)
        POV_TELL_CHOICE(t, &choice, by_distance,
                        "Which of the %s and the %s is bigger, the closer or the farther?",
                        pov_teller_name(t, a), pov_teller_name(t, b));
}

static void tell_distances(pov_teller *t, pov_id a, pov_id b)
{
    t->task = "distance";
    for (pov_id from = 0; from < t->scene->len; from++) {
        pov_choice choice;
        const char *const words[] = {pov_teller_name(t, a), pov_teller_name(t, b)};
        if (from != a && from != b && pov_sphere_nearer(&choice, t->scene, a, b, from) == POV_OK)
            POV_TELL_CHOICE(t, &choice, words, "Which is nearer to the %s, the %s or the %s?",
                            pov_teller_name(t, from), pov_teller_name(t, a), pov_teller_name(t, b));
    }
}

static bool is_first_of_class(const pov_scene *scene, pov_id id)
{
    bool first = is_thing(scene, id);
    for (pov_id other = 0; other < id && first; other++)
        first = !is_thing(scene, other) ||
                strcmp(scene->entities[other].class_name, scene->entities[id].class_name) != 0;
    return first;
}

static void tell_count(pov_teller *t, const pov_count *count, const char *question, const char *class_name,
                       const char *a, const char *b)
{
    char number[16];
    if (count->len == 1 && a[0] != '\0')
        return; /* there is nothing else of this class */
    snprintf(number, sizeof number, "%d", count->likeliest);
    pov_tell(t, number, count->p[count->likeliest], question, class_name, a,
             b); /* NOLINT: formats are ours */
}

static void tell_counts_about(pov_teller *t, const char *class_name, pov_id relatum)
{
    static const char *const sides[][2] = {
        {"to the left", "to the right"}, {"in front", "behind"}, {"above", "below"}};
    pov_count count;
    for (int side = 0; side < 4; side++) {
        pov_position_kind kind = (pov_position_kind)(side / 2);
        const char *words = sides[side / 2][side % 2];
        t->task = "position_count";
        if (t->scene->camera != POV_ID_NONE &&
            pov_sphere_count_positioned(&count, t->scene, class_name, kind, side % 2 == 0, t->scene->camera,
                                        relatum) == POV_OK)
            tell_count(t, &count, "For the viewer, how many of class %1$s are %3$s of the %2$s?", class_name,
                       pov_teller_name(t, relatum), words);
        if (pov_sphere_count_positioned(&count, t->scene, class_name, kind, side % 2 == 0, relatum,
                                        relatum) == POV_OK)
            tell_count(t, &count, "If you are the %2$s, how many of class %1$s are %3$s?", class_name,
                       pov_teller_name(t, relatum), words);
    }
    t->task = "distance_count";
    if (t->scene->camera != POV_ID_NONE &&
        pov_sphere_count_distant(&count, t->scene, class_name, t->scene->camera, relatum, true) == POV_OK)
        tell_count(t, &count, "How many of class %1$s are farther from the %3$s than the %2$s?", class_name,
                   pov_teller_name(t, relatum), "viewer");
}

static void tell_counts(pov_teller *t, pov_id of)
{
    const char *class_name = t->scene->entities[of].class_name;
    pov_count count;
    if (!is_first_of_class(t->scene, of))
        return;
    pov_sphere_count(&count, t->scene, class_name);
    t->task = "count";
    tell_count(t, &count, "How many of class %s are there?%s%s", class_name, "", "");
    for (pov_id relatum = 0; relatum < t->scene->len; relatum++)
        if (is_thing(t->scene, relatum))
            tell_counts_about(t, class_name, relatum);
}

/* Could the one hide behind the other? */
static void tell_hiding(pov_teller *t, pov_id viewer, pov_id hider, pov_id thing)
{
    static const char *const words[] = {"yes", "no"};
    pov_vec3 size_m = t->scene->entities[thing].size_m;
    pov_choice choice;
    t->task = "occlusion";
    if (viewer != thing && size_m.x > 0 &&
        pov_sphere_could_hide(&choice, t->scene, viewer, hider, size_m) == POV_OK)
        POV_TELL_CHOICE(t, &choice, words, "Could another %s be hidden from the %s behind the %s?",
                        pov_teller_name(t, thing), pov_teller_name(t, viewer), pov_teller_name(t, hider));
}

static void tell_moves(pov_teller *t, pov_id viewer, pov_id id)
{
    static const char *const words[] = {"yes", "no"};
    static const char *const ways[] = {"to the left", "to the right", "away", "closer"};
    const pov_moving moving = POV_MOVING_DEFAULT;
    t->task = "manipulation";
    for (int move = 0; move < POV_MOVE_COUNT; move++) {
        pov_move_answer answer;
        if (pov_sphere_can_move(&answer, t->scene, id, viewer, (pov_move)move, 1, &moving) == POV_OK)
            POV_TELL_CHOICE(t, &answer.possible, words, "From the %s, can the %s move %s by its own extent?",
                            pov_teller_name(t, viewer), pov_teller_name(t, id), ways[move]);
    }
}

static void tell_reasoning(pov_teller *t, pov_id viewer)
{
    for (pov_id a = 0; a < t->scene->len; a++) {
        if (a == viewer || !is_thing(t->scene, a))
            continue;
        for (pov_id b = 0; b < t->scene->len; b++)
            if (a != b && is_thing(t->scene, b))
                tell_hiding(t, viewer, a, b);
        tell_moves(t, viewer, a);
    }
}

static void tell_sphere(pov_teller *t)
{
    const pov_scene *scene = t->scene;
    for (pov_id a = 0; a < scene->len; a++) {
        for (pov_id b = 0; b < scene->len && is_thing(scene, a); b++) {
            if (a == b || !is_thing(scene, b))
                continue;
            tell_positions(t, a, b);
            if (a < b) {
                tell_distances(t, a, b);
                tell_sizes(t, a, b);
            }
        }
        tell_counts(t, a);
    }
    for (pov_id viewer = 0; viewer < scene->len; viewer++)
        if (viewer == scene->camera || pov_vpt_is_figure(scene, viewer))
            tell_reasoning(t, viewer);
}

/* -------- VSR -------- */

/* A caption that is true in neither frame is told as such; what geometry cannot decide is undefined. */
static void tell_caption(pov_teller *t, const pov_relation_question *caption)
{
    static const char *const words[] = {"false", "true in the viewer's frame only",
                                        "true in the intrinsic frame only", "true", "undefined"};
    static_assert(sizeof words / sizeof *words == POV_VSR_FRAMES_COUNT, "words for every case");
    const pov_relation_judging judging = POV_RELATION_JUDGING_DEFAULT;
    pov_vsr_judgment judgment;
    (void)pov_vsr_judge(&judgment, t->scene, caption, &judging);
    double p = judgment.frames == POV_VSR_NEITHER ? 1 - judgment.p_true : judgment.p_true;
    pov_tell(t, words[judgment.frames], p, "The %s is %s the %s.", pov_teller_name(t, caption->referent),
             caption->relation->phrases[0], pov_teller_name(t, caption->relatum[0]));
}

static void tell_captions(pov_teller *t, pov_id referent, pov_id relatum)
{
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_question caption = {.relation = pov_relation_registry_at(i),
                                               .referent = referent,
                                               .relatum_len = 1,
                                               .relatum = {relatum},
                                               .viewer = POV_ID_NONE};
        t->task = pov_category_name(caption.relation->category);
        if (caption.relation->vsr == POV_VSR_USED && caption.relation->relata_min == 1)
            tell_caption(t, &caption);
    }
}

static void tell_vsr(pov_teller *t)
{
    for (pov_id referent = 0; referent < t->scene->len; referent++)
        for (pov_id relatum = 0; relatum < t->scene->len; relatum++)
            if (referent != relatum && is_thing(t->scene, referent) && is_thing(t->scene, relatum))
                tell_captions(t, referent, relatum);
}

/* -------- all -------- */

pov_status pov_judge_print_questions(FILE *stream, const pov_scene *scene, pov_question_set set,
                                     pov_output_form form)
{
    pov_teller t = {.stream = stream, .scene = scene, .form = form, .first = true};
    pov_status status = pov_ok();
    if (scene->len > ENTITIES_MAX)
        return pov_error("%d entities are too many for all the questions; leave all but %d out", scene->len,
                         ENTITIES_MAX);
    if (form == POV_OUTPUT_JSON)
        fprintf(stream, "{\"questions\":[");
    if (form == POV_OUTPUT_CSV)
        fputs("task,question,answer,p\n", stream);
    if (set == POV_QUESTIONS_FOREST)
        tell_forest(&t);
    else if (set == POV_QUESTIONS_VPT)
        status = tell_vpt(&t);
    else if (set == POV_QUESTIONS_SPHERE)
        tell_sphere(&t);
    else
        tell_vsr(&t);
    if (form == POV_OUTPUT_JSON)
        fputs("]}\n", stream);
    return status;
}
