/* What geometry knows about two things, in words (FoREST's spatial-guided prompting: Premsri & Kordjamshidi 2025, section
 * 4.3: whose direction, inside or outside, how far). */
#include "compare/questions/question_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

/* Eighths of a circle about a front, counter-clockwise. */
static const char *const sides[] = {
    "in front of", "in front and to the left of", "to the left of",  "behind and to the left of",
    "behind",      "behind and to the right of",  "to the right of", "in front and to the right of"};

static bool holds(const pov_questions *q, const char *relation, pov_id referent, pov_id relatum)
{
    const pov_query query = pov_query_of_pair(pov_relation_lookup(relation), referent, relatum);
    pov_judgment judgment;
    return pov_relation_evaluate(&judgment, q->scene, &query, &q->asking->relations) == POV_OK &&
           judgment.belief.p > 0.5;
}

/* The side that it is on for somebody; NULL if that is not known. The judgment's angle is from "in front of". */
static const char *side(const pov_questions *q, pov_query query)
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

/* What stands on the other is on no side of it. */
static const char *direction(pov_questions *q, const pov_query *query, const char *whose)
{
    bool carried = holds(q, "on", query->referent, query->relatum[0]) ||
                   holds(q, "supports", query->referent, query->relatum[0]);
    const char *where = carried ? NULL : side(q, *query);
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
    bool inside = holds(q, "inside", referent, relatum);
    const char *place = inside                                    ? "inside"
                        : holds(q, "on", referent, relatum)       ? "on"
                        : holds(q, "supports", referent, relatum) ? "under"
                                                                  : "outside";
    const char *word = holds(q, "touching", referent, relatum)   ? ", touching"
                       : holds(q, "near", referent, relatum)     ? ", near"
                       : holds(q, "far_from", referent, relatum) ? ", far"
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
        camera = direction(q, &query, "the observer");
    query.perspective = POV_ADDRESSEE;
    for (query.viewer = 0; query.viewer < scene->len && !*addressee; query.viewer++)
        if (scene->entities[query.viewer].addressee && query.viewer != referent && query.viewer != relatum)
            addressee = direction(q, &query, pov_questions_the(q, query.viewer));
    query.perspective = POV_INTRINSIC;
    query.convention = POV_NO_CONVENTION;
    query.viewer = POV_ID_NONE;
    own = direction(q, &query, pov_questions_text(q, "%s itself", pov_questions_the(q, relatum)));
    return pov_questions_text(q, "Given:%s%s%s%s ", camera, addressee, own,
                              topology_and_distance(q, referent, relatum));
}
