/* ViewSpatial-Bench's five kinds of questions (Li et al. 2025): where things are and how they face for the camera; for a person: how
 * the head is turned, where things are; and for somebody who would stand at a thing. Wordings are the benchmark's short patterns; that
 * of heads is pov's own. The camera's directions go ahead of it: "front" is farther away. */
#include "compare/questions/lettered.h"
#include "perception/papers/vpt.h"
#include "perception/relations/expectation/bearing.h"

#include <math.h>
#include <stdlib.h>

static const pov_lettered_frame of_camera = {POV_EGOCENTRIC, POV_TRANSLATED},
                                of_person = {POV_ADDRESSEE, POV_NO_CONVENTION},
                                of_thing = {POV_INTRINSIC, POV_NO_CONVENTION},
                                of_other_person = {POV_ADDRESSEE, POV_TRANSLATED};

#define FORMS(LIST) (int)(sizeof(LIST) / sizeof *(LIST))

static bool has_front(const pov_questions *q, pov_id id)
{
    return id != POV_ID_NONE && q->scene->entities[id].heading.len > 0;
}

static bool is_person(const pov_questions *q, pov_id id)
{
    return pov_vpt_is_figure(q->scene, id) && pov_questions_is_thing(q, id) && has_front(q, id);
}

/* ---- for the camera ---- */

/* Worlds hold whose heading counts, from where, to where. */
static int direction_in_world(const pov_world *world, const void *context)
{
    (void)context;
    const pov_vec3 v = pov_vec3_sub(world->box[2].centre_m, world->box[1].centre_m);
    return isnan(world->yaw_rad[0]) ? -1 : pov_space_direction_of(pov_see_vector(v, world->yaw_rad[0]));
}

static pov_code find_space_directions(double p[], const pov_questions *q, pov_id whose, pov_id from,
                                      pov_id to)
{
    const pov_id ids[] = {whose, from, to};
    return pov_class_shares(p, POV_SPACE_DIRECTIONS, q->scene,
                            &(pov_class_query){ids, 3, direction_in_world, NULL});
}

static void ask_direction_for_camera(pov_questions *q, pov_id referent, pov_id relatum)
{
    static const char *const forms[] = {"Could you tell me the location of {A} in comparison to {B}?",
                                        "Where is {A} in relation to {B}?",
                                        "Where is {A} located compared to {B} from the camera's perspective?",
                                        "Can you describe the position of {A} relative to {B}?",
                                        "How is {A} positioned with respect to {B}?"};
    const char *const names[3] = {pov_questions_the(q, referent), pov_questions_the(q, relatum), NULL};
    double p[POV_SPACE_DIRECTIONS];
    const pov_lettered_ask ask = {.task = "Camera perspective - Relative Direction",
                                  .slug = "camera_direction",
                                  .part = "",
                                  .referent = referent,
                                  .relatum = relatum,
                                  .viewer = q->scene->camera,
                                  .text =
                                      pov_lettered_fill(q, "camera_direction", forms, FORMS(forms), names),
                                  .words = POV_SPACE_WORDS,
                                  .len = POV_SPACE_DIRECTIONS,
                                  .draws = true};
    if (find_space_directions(p, q, q->scene->camera, relatum, referent) != POV_OK ||
        !pov_lettered_ask_one(q, &ask, of_camera, p))
        return;
    const pov_id person = pov_lettered_person(q, (pov_id[3]){referent, relatum, POV_ID_NONE});
    if (person != POV_ID_NONE && find_space_directions(p, q, person, relatum, referent) == POV_OK)
        pov_lettered_add_frame(q, &ask, of_other_person, p);
}

/* Worlds hold the camera and what faces somewhere. Facing the camera is "back": its front is ahead of the camera. */
static int facing_in_world(const pov_world *world, const void *context)
{
    (void)context;
    const double turn_rad = world->yaw_rad[1] - world->yaw_rad[0];
    return isnan(turn_rad) ? -1 : pov_sector_of(cos(turn_rad), -sin(turn_rad), POV_EIGHTHS);
}

static void ask_facing(pov_questions *q, pov_id id)
{
    static const char *const forms[] = {
        "Taking the camera's viewpoint as the front, which way is {A} facing in the image?"};
    const char *const names[3] = {pov_questions_the(q, id), NULL, NULL};
    const pov_id ids[] = {q->scene->camera, id};
    const double front[POV_EIGHTHS] = {1};
    double p[POV_EIGHTHS];
    const pov_lettered_ask ask = {.task = "Camera perspective - Object View Orientation",
                                  .slug = "camera_facing",
                                  .part = "",
                                  .referent = id,
                                  .relatum = POV_ID_NONE,
                                  .viewer = q->scene->camera,
                                  .text = pov_lettered_fill(q, "camera_facing", forms, FORMS(forms), names),
                                  .words = POV_EIGHTH_WORDS,
                                  .len = POV_EIGHTHS,
                                  .draws = true};
    if (pov_class_shares(p, POV_EIGHTHS, q->scene, &(pov_class_query){ids, 2, facing_in_world, NULL}) ==
            POV_OK &&
        pov_lettered_ask_one(q, &ask, of_camera, p))
        pov_lettered_add_frame(q, &ask, is_person(q, id) ? of_person : of_thing,
                               front); /* it faces its own front */
}

/* ---- for a person ---- */

/* P that the head is turned so against the body. */
static void find_head_sectors(double p[POV_EIGHTHS], const pov_entity *person)
{
    enum { EDGES = 6 };
    /* counter-clockwise from the right; what is beyond 90 degrees has no word */
    static const double edges_rad[EDGES] = {-90 * POV_DEG, -60 * POV_DEG, -20 * POV_DEG,
                                            20 * POV_DEG,  60 * POV_DEG,  90 * POV_DEG};
    static const int sector[EDGES - 1] = {2, 1, 0, 7, 6}; /* of POV_EIGHTH_WORDS */
    double share[EDGES];
    for (int i = 0; i < POV_EIGHTHS; i++)
        p[i] = 0;
    for (int m = 0; m < person->head_heading.len; m++) {
        const pov_heading_mode *mode = &person->head_heading.mode[m];
        const double std_rad =
            mode->kappa > 0 ? fmin(1 / sqrt(mode->kappa), POV_EVEN_STD_RAD) : POV_EVEN_STD_RAD;
        const pov_bearing turn = pov_bearing_to_direction(mode->yaw_rad, std_rad, &person->heading);
        pov_bearing_sectors(share, &turn, edges_rad, EDGES);
        for (int i = 0; i < EDGES - 1; i++)
            p[sector[i]] += mode->weight * share[i];
    }
}

static void ask_head(pov_questions *q, pov_id id)
{
    static const char *const forms[] = {
        "Taking the direction of {A}'s body as the front, which way is the head of {A} turned?"};
    const pov_entity *person = &q->scene->entities[id];
    const char *const names[3] = {pov_questions_the(q, id), NULL, NULL};
    double p[POV_EIGHTHS];
    const pov_lettered_ask ask = {.task = "Person perspective - Object View Orientation",
                                  .slug = "person_head",
                                  .part = "",
                                  .referent = id,
                                  .relatum = POV_ID_NONE,
                                  .viewer = id,
                                  .text = pov_lettered_fill(q, "person_head", forms, FORMS(forms), names),
                                  .words = POV_EIGHTH_WORDS,
                                  .len = POV_EIGHTHS,
                                  .draws = true};
    if (person->head_heading.len == 0)
        return;
    find_head_sectors(p, person);
    if (!pov_lettered_ask_one(q, &ask, of_person, p) || q->scene->camera == POV_ID_NONE)
        return;
    pov_scene *looking =
        pov_allocate(1, sizeof *looking); /* the head's front for the body's: how it faces for the camera */
    *looking = *q->scene;
    looking->entities[id].heading = person->head_heading;
    looking->entities[id].heading_ties = (pov_heading_ties){{0}, {0}};
    const pov_id ids[] = {q->scene->camera, id};
    if (pov_class_shares(p, POV_EIGHTHS, looking, &(pov_class_query){ids, 2, facing_in_world, NULL}) ==
        POV_OK)
        pov_lettered_add_frame(q, &ask, of_camera, p);
    free(looking);
}

/* Asks where a thing is for a viewer who stands somewhere; beside it, by the camera's axes from the same place. */
static void ask_direction_for(pov_questions *q, const pov_lettered_ask *ask, pov_id viewer, pov_id at)
{
    double p[POV_EIGHTHS];
    if (pov_lettered_sectors(p, POV_EIGHTHS, q, viewer, at, ask->referent) == POV_OK &&
        pov_lettered_ask_one(q, ask, of_person, p) && has_front(q, q->scene->camera) &&
        pov_lettered_sectors(p, POV_EIGHTHS, q, q->scene->camera, at, ask->referent) == POV_OK)
        pov_lettered_add_frame(q, ask, of_camera, p);
}

static void ask_direction_for_person(pov_questions *q, pov_id referent, pov_id person)
{
    static const char *const forms[] = {
        "From the perspective of {A}, where is {B} located relative to them?"};
    const char *const names[3] = {pov_questions_the(q, person), pov_questions_the(q, referent), NULL};
    const pov_lettered_ask ask = {.task = "Person perspective - Relative Direction",
                                  .slug = "person_direction",
                                  .part = "",
                                  .referent = referent,
                                  .relatum = person,
                                  .viewer = person,
                                  .text =
                                      pov_lettered_fill(q, "person_direction", forms, FORMS(forms), names),
                                  .words = POV_EIGHTH_WORDS,
                                  .len = POV_EIGHTHS,
                                  .draws = true};
    ask_direction_for(q, &ask, person, person);
}

/* ---- for somebody who would stand at a thing ---- */

static const char *const standing[] = {"If you stand at {A} facing {B}, where is {C}?",
                                       "Imagine standing at {A} looking towards {B}, where is {C}?",
                                       "When positioned at {A} facing {B}, where can you find {C}?",
                                       "Standing at {A}, gazing at {B}, where should {C} be?"};

/* Worlds hold where one stands, what one faces, and what is asked about. */
static int direction_when_standing(const pov_world *world, const void *context)
{
    (void)context;
    const pov_vec3 ahead = pov_vec3_sub(world->box[1].centre_m, world->box[0].centre_m),
                   v = pov_vec3_sub(world->box[2].centre_m, world->box[0].centre_m);
    if (hypot(ahead.x, ahead.y) < 1e-9)
        return -1;
    const pov_seen_vector seen = pov_see_vector(v, atan2(ahead.y, ahead.x));
    return pov_sector_of(seen.forward, seen.right, POV_EIGHTHS);
}

static void ask_direction_when_standing(pov_questions *q, pov_id at, pov_id facing, pov_id referent)
{
    const char *const names[3] = {pov_questions_the(q, at), pov_questions_the(q, facing),
                                  pov_questions_the(q, referent)};
    const pov_id ids[] = {at, facing, referent};
    double p[POV_EIGHTHS];
    if (pov_lettered_is_carried(q, at, facing) || pov_lettered_is_carried(q, at, referent))
        return;
    const pov_lettered_ask ask = {.task = "Person perspective - Scene Simulation Relative Direction",
                                  .slug = "standing",
                                  .part = pov_questions_text(q, "facing_%s", pov_questions_name(q, facing)),
                                  .referent = referent,
                                  .relatum = at,
                                  .viewer = POV_ID_NONE,
                                  .text = pov_lettered_fill(q, "standing", standing, FORMS(standing), names),
                                  .words = POV_EIGHTH_WORDS,
                                  .len = POV_EIGHTHS,
                                  .draws = true};
    if (pov_class_shares(p, POV_EIGHTHS, q->scene,
                         &(pov_class_query){ids, 3, direction_when_standing, NULL}) == POV_OK &&
        pov_lettered_ask_one(q, &ask, of_person, p) && has_front(q, q->scene->camera) &&
        pov_lettered_sectors(p, POV_EIGHTHS, q, q->scene->camera, at, referent) == POV_OK)
        pov_lettered_add_frame(q, &ask, of_camera, p);
}

/* Of a scene with imagined viewers (`--imagine`) their places only; else every place and every direction. */
static bool wants_place(const pov_questions *q, pov_id at, pov_id facing)
{
    bool imagines = false;
    for (pov_id id = 0; id < q->scene->len; id++) {
        const pov_entity *viewer = &q->scene->entities[id];
        imagines |= viewer->is_imagined;
        if (viewer->is_imagined && viewer->imagined_at == at && viewer->imagined_facing == facing)
            return true;
    }
    return !imagines;
}

static void ask_when_standing(pov_questions *q, pov_id at, pov_id referent)
{
    for (pov_id facing = 0; facing < q->scene->len; facing++)
        if (facing != at && facing != referent && pov_questions_is_thing(q, facing) &&
            wants_place(q, at, facing))
            ask_direction_when_standing(q, at, facing, referent);
}

/* ---- all ---- */

void pov_questions_ask_viewspatial(pov_questions *q)
{
    const bool looks = has_front(q, q->scene->camera);
    pov_questions_find_nouns(q, q->asking->language);
    for (pov_id a = 0; a < q->scene->len; a++) {
        const bool is_one = pov_questions_is_thing(q, a) && q->asking->relatum == POV_ID_NONE &&
                            (q->asking->referent == POV_ID_NONE || q->asking->referent == a);
        if (is_one && looks && has_front(q, a))
            ask_facing(q, a);
        if (is_one && is_person(q, a))
            ask_head(q, a);
        for (pov_id b = 0; b < q->scene->len; b++) {
            if (!pov_questions_wants(q, a, b))
                continue;
            if (looks)
                ask_direction_for_camera(q, a, b);
            if (is_person(q, b) && !pov_lettered_is_carried(q, a, b))
                ask_direction_for_person(q, a, b);
            ask_when_standing(q, b, a);
        }
    }
}
