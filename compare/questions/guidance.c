/* Guidance comes before a question (`--guided`): facts, a second image, or a map that the model draws. */
#include "compare/questions/prompting.h"
#include "compare/questions/question_internal.h"
#include "config/files/json_value.h"
#include "draw/scene_view.h"

#include <cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pov_guidance_shows(pov_guidance guidance)
{
    return guidance == POV_GUIDED_VIEW || guidance == POV_GUIDED_MAP || guidance == POV_GUIDED_ABSTRACT;
}

static bool is_from_viewer(pov_guidance guidance)
{
    return guidance == POV_GUIDED_VIEW || guidance == POV_GUIDED_ABSTRACT;
}

bool pov_guidance_applies(pov_guidance guidance, pov_benchmark benchmark, const pov_language *language)
{
    if (guidance == POV_GUIDED_STEP)
        return benchmark == POV_BENCHMARK_VPT || benchmark == POV_BENCHMARK_SPHERE;
    if (is_from_viewer(guidance) && benchmark == POV_BENCHMARK_MINDCUBE)
        return false;
    if (guidance == POV_GUIDED_COGMAP && benchmark < POV_BENCHMARK_CHOICES)
        return false;
    return guidance == POV_GUIDED_NOT || pov_language_is_english(language);
}

bool pov_guidance_goes_with(pov_guidance guidance, pov_prompting prompting)
{
    return guidance != POV_GUIDED_COGMAP || prompting == POV_PROMPTING_ZERO_SHOT;
}

void pov_questions_complain_of_guidance(pov_questions *q)
{
    const pov_asking *asking = q->asking;
    const char *name = pov_guidance_name(asking->guidance), *paper = pov_benchmark_name(asking->benchmark);
    if (!pov_guidance_goes_with(asking->guidance, asking->prompting))
        pov_questions_complain(
            q, "%s: the model draws a map, then answers: it goes with zero-shot only, not with %s", name,
            pov_prompting_name(asking->prompting));
    else if (asking->guidance == POV_GUIDED_STEP)
        pov_questions_complain(q, "%s has no intermediate step; it can be guided by facts", paper);
    else if (asking->guidance == POV_GUIDED_COGMAP && asking->benchmark < POV_BENCHMARK_CHOICES)
        pov_questions_complain(q, "%s: %s's answers have no letters, behind which a map could stand", name,
                               paper);
    else if (asking->benchmark == POV_BENCHMARK_MINDCUBE)
        pov_questions_complain(
            q,
            "%s: mindcube asks what the camera sees, from several places, nobody else: it can be "
            "guided by map and cogmap",
            name);
    else
        pov_questions_complain(q, "%s: told in English only, not in %s", name, asking->language->name);
}

/* ---- second images ---- */

pov_id pov_guidance_viewer(const pov_scene *scene)
{
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *e = &scene->entities[id];
        if (e->addressee && e->placed && !e->is_imagined && id != scene->camera &&
            pov_entity_aim(e, POV_AIM_GAZE)->len > 0)
            return id;
    }
    return POV_ID_NONE;
}

/* A view helps with questions that are asked from there, or from nowhere; a map is drawn before a choice. */
bool pov_questions_can_guide(const pov_questions *q, const pov_question *question)
{
    const pov_guidance guidance = q->asking->guidance;
    if (guidance == POV_GUIDED_COGMAP)
        return question->lettered && question->kind == POV_QUESTION_OPTION;
    if (!pov_guidance_shows(guidance))
        return true;
    const pov_id viewer = q->scene && is_from_viewer(guidance) ? pov_guidance_viewer(q->scene) : POV_ID_NONE;
    const bool is_view =
        guidance == POV_GUIDED_MAP ||
        (viewer != POV_ID_NONE && (question->viewer == POV_ID_NONE || question->viewer == viewer));
    return question->needs_image && is_view;
}

/* "the red sphere is the ball, the blue one the car"; things beyond the last colour are named, too. */
static const char *list_spheres(pov_questions *q, pov_id viewer)
{
    const char *list = "", *rest = "";
    for (pov_id id = 0; id < q->scene->len; id++) {
        const char *colour = pov_scene_sphere_colour(q->scene, viewer, id);
        if (!colour && pov_questions_is_thing(q, id) && id != viewer)
            rest = pov_questions_text(q, "%s%s %s", rest, *rest ? "," : "", pov_questions_the(q, id));
        if (colour)
            list = pov_questions_text(q, "%s%s the %s %s %s", list, *list ? "," : "", colour,
                                      *list ? "one" : "sphere is", pov_questions_the(q, id));
    }
    return *rest ? pov_questions_text(q, "%s; not shown:%s", list, rest) : list;
}

/* Tells the model what the second image shows. */
static const char *introduce_second(pov_questions *q, const pov_question *question)
{
    const char *which = question->view_len > 0 ? "Before the question: the last image"
                                               : "Two images are given. The second one";
    if (q->asking->guidance == POV_GUIDED_MAP)
        return pov_questions_text(q,
                                  "%s shows the same scene from above, with names; arrows show where "
                                  "fronts are, and at its foot where the camera%s is and looks. ",
                                  which, question->view_len > 0 ? " of the image before it" : "");
    const pov_id viewer = pov_guidance_viewer(q->scene);
    const char *who = pov_questions_the(q, viewer);
    if (q->asking->guidance == POV_GUIDED_VIEW)
        return pov_questions_text(q, "%s shows the same scene as %s sees it. ", which, who);
    return pov_questions_text(
        q, "%s shows the same scene as %s sees it, with a sphere in each thing's place:%s. ", which, who,
        list_spheres(q, viewer));
}

/* ---- a map that the model draws ---- */

enum { GRID = 10 };

/* Places on the grid: the camera looks up it, and all things have room within its outermost cells. */
typedef struct {
    double up_yaw_rad, middle[2], cells_per_m;
} grid;

static void see_from_camera(double at[2], const pov_scene *scene, pov_id id, double up_yaw_rad)
{
    const pov_vec3 p = scene->entities[id].position.mean_m;
    at[0] = p.x * sin(up_yaw_rad) - p.y * cos(up_yaw_rad);
    at[1] = -p.x * cos(up_yaw_rad) - p.y * sin(up_yaw_rad);
}

static grid place_grid(const pov_questions *q)
{
    const pov_heading_mode *ahead = q->scene->camera == POV_ID_NONE
                                        ? NULL
                                        : pov_heading_heaviest(&q->scene->entities[q->scene->camera].heading);
    grid g = {.up_yaw_rad = ahead ? ahead->yaw_rad : POV_PI / 2};
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, at[2];
    for (pov_id id = 0; id < q->scene->len; id++) {
        see_from_camera(at, q->scene, id, g.up_yaw_rad);
        for (int k = 0; k < 2 && pov_questions_is_thing(q, id); k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    for (int k = 0; k < 2; k++)
        g.middle[k] = (low[k] + high[k]) / 2;
    g.cells_per_m = (GRID - 2) / fmax(fmax(high[0] - low[0], high[1] - low[1]), 1e-6);
    return g;
}

/* "up" if a front is ahead of the camera; NULL: it has none. */
static const char *facing_on_grid(const pov_entity *entity, double up_yaw_rad)
{
    static const char *const words[] = {"up", "left", "down", "right"};
    const pov_heading_mode *front = pov_heading_heaviest(&entity->heading);
    if (!front)
        return NULL;
    const int quarter = (int)lround((front->yaw_rad - up_yaw_rad) / (POV_PI / 2));
    return words[(quarter % 4 + 4) % 4];
}

/* The right map, in MindCube's form; with tenths of cells, as a model's need not be. */
static const char *draw_map(pov_questions *q)
{
    const grid g = place_grid(q);
    cJSON *root = cJSON_CreateObject(), *objects = cJSON_AddArrayToObject(root, "objects");
    for (pov_id id = 0; id < q->scene->len; id++) {
        double at[2];
        if (!pov_questions_is_thing(q, id))
            continue;
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(objects, one);
        cJSON_AddStringToObject(one, "name", pov_questions_bare(q, id));
        cJSON *position = cJSON_AddArrayToObject(one, "position");
        see_from_camera(at, q->scene, id, g.up_yaw_rad);
        for (int k = 0; k < 2; k++)
            cJSON_AddItemToArray(
                position, cJSON_CreateNumber(
                              round(10 * ((GRID - 1) / 2.0 + g.cells_per_m * (at[k] - g.middle[k]))) / 10));
        const char *facing = facing_on_grid(&q->scene->entities[id], g.up_yaw_rad);
        if (facing)
            cJSON_AddStringToObject(one, "facing", facing);
    }
    char *printed = cJSON_PrintUnformatted(root);
    const char *text = pov_questions_text(q, "%s", printed);
    cJSON_free(printed);
    cJSON_Delete(root);
    return text;
}

static const char *list_things(pov_questions *q)
{
    const char *list = "";
    for (pov_id id = 0; id < q->scene->len; id++)
        if (pov_questions_is_thing(q, id))
            list = pov_questions_text(q, "%s%s%s", list, *list ? ", " : "", pov_questions_bare(q, id));
    return list;
}

static void ask_for_map(pov_questions *q, pov_question *question)
{
    question->cogmap = draw_map(q);
    question->token_max = POV_PROMPTING_COT_TOKENS;
    question->text = pov_questions_text(
        q,
        "%s\nFirst draw a map of the scene as seen from above, on a grid of %d by %d cells. [0, 0] is its "
        "cell at the "
        "top left, x goes to the right, y goes down, and the camera%s looks up the map. On it are: %s. Give "
        "the direction "
        "that a thing faces (up, right, down, left) if it has a front. Write the map as JSON, then reply "
        "with one "
        "option, in this form:\n<cogmap>{\"objects\": [{\"name\": \"mug\", \"position\": [2, 7], \"facing\": "
        "\"up\"}]}</cogmap>\n<answer>A. Above</answer>",
        question->text, GRID, GRID, question->view_len > 0 ? " of the last image" : "", list_things(q));
}

void pov_questions_guide(pov_questions *q, pov_question *question)
{
    if (pov_guidance_shows(q->asking->guidance))
        question->text = pov_questions_text(q, "%s%s", introduce_second(q, question), question->text);
    if (q->asking->guidance == POV_GUIDED_COGMAP)
        ask_for_map(q, question);
}

/* ---- facts ---- */

/* Eighths of a circle about a front, counter-clockwise. */
static const char *const sides[] = {
    "in front of", "in front and to the left of", "to the left of",  "behind and to the left of",
    "behind",      "behind and to the right of",  "to the right of", "in front and to the right of"};

static bool relation_holds(const pov_questions *q, const char *relation, pov_id referent, pov_id relatum)
{
    const pov_query query = pov_query_of_pair(pov_relation_lookup(relation), referent, relatum);
    pov_judgment judgment;
    return pov_relation_evaluate(&judgment, q->scene, &query, &q->asking->relations) == POV_OK &&
           judgment.belief.p > 0.5;
}

/* The side that it is on for somebody; NULL if that is not known. The judgment's angle is from "in front of". */
static const char *side_word(const pov_questions *q, pov_query query)
{
    pov_judgment front;
    query.relation = pov_relation_info_of(POV_IN_FRONT_OF);
    query.acceptance = POV_HEMISPHERE;
    if (pov_relation_evaluate(&front, q->scene, &query, &q->asking->judging) != POV_OK)
        return NULL;
    /* Reflected, left is clockwise of the front, as the viewer faces it. */
    double turn = query.convention == POV_REFLECTED ? -front.theta_rad : front.theta_rad;
    int eighth = (int)lround(turn / (POV_PI / 4));
    return sides[(eighth % 8 + 8) % 8];
}

/* A thing that stands on another is on no side of it. */
static const char *describe_direction(pov_questions *q, const pov_query *query, const char *whose)
{
    bool carried = relation_holds(q, "on", query->referent, query->relatum[0]) ||
                   relation_holds(q, "supports", query->referent, query->relatum[0]);
    const char *where = carried ? NULL : side_word(q, *query);
    return where ? pov_questions_text(q, " Relative to %s, %s is %s %s.", whose,
                                      pov_questions_the(q, query->referent), where,
                                      pov_questions_the(q, query->relatum[0]))
                 : "";
}

/* " The ball is outside the car. It is 3.1 m away from it, far." */
static const char *topology_and_distance(pov_questions *q, pov_id referent, pov_id relatum)
{
    pov_vec3 a = q->scene->entities[referent].position.mean_m,
             b = q->scene->entities[relatum].position.mean_m;
    double distance_m = hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
    char distance[32];
    snprintf(distance, sizeof distance, distance_m < 99.5 ? "%.2g" : "%.0f", distance_m);
    bool inside = relation_holds(q, "inside", referent, relatum);
    const char *place = inside                                             ? "inside"
                        : relation_holds(q, "on", referent, relatum)       ? "on"
                        : relation_holds(q, "supports", referent, relatum) ? "under"
                                                                           : "outside";
    const char *word = relation_holds(q, "touching", referent, relatum)   ? ", touching"
                       : relation_holds(q, "near", referent, relatum)     ? ", near"
                       : relation_holds(q, "far_from", referent, relatum) ? ", far"
                                                                          : "";
    const char *the = pov_questions_the(q, referent), *of = pov_questions_the(q, relatum);
    return pov_questions_text(q, " %c%s is %s %s; their centres are %s m apart%s.",
                              toupper((unsigned char)*the), the + (*the != '\0'), place, of, distance,
                              inside ? "" : word);
}

const char *pov_questions_facts(pov_questions *q, pov_id referent, pov_id relatum)
{
    const pov_scene *scene = q->scene;
    pov_query query = pov_query_of_pair(NULL, referent, relatum);
    const char *camera = "", *addressee = "", *own = "";
    if (q->asking->guidance != POV_GUIDED_FACTS)
        return "";
    query.viewer = scene->camera;
    query.axis = POV_AXIS_USUAL;
    query.convention = POV_REFLECTED;
    query.perspective = POV_EGOCENTRIC;
    if (scene->camera != POV_ID_NONE)
        camera = describe_direction(q, &query, "the observer");
    query.perspective = POV_ADDRESSEE;
    for (query.viewer = 0; query.viewer < scene->len && !*addressee; query.viewer++)
        if (scene->entities[query.viewer].addressee && query.viewer != referent && query.viewer != relatum)
            addressee = describe_direction(q, &query, pov_questions_the(q, query.viewer));
    query.perspective = POV_INTRINSIC;
    query.convention = POV_NO_CONVENTION;
    query.viewer = POV_ID_NONE;
    own = describe_direction(q, &query, pov_questions_text(q, "%s itself", pov_questions_the(q, relatum)));
    return pov_questions_text(q, "Given:%s%s%s%s ", camera, addressee, own,
                              topology_and_distance(q, referent, relatum));
}
