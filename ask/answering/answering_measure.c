/* Answers about distances and fronts. */
#include "ask/answering/answering_internal.h"
#include "ask/meaning/measure.h"
#include "ask/meaning/reference.h"
#include "config/files/json_value.h"
#include "perception/visibility/layout.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

cJSON *pov_answering_distance(const pov_answering *a)
{
    pov_measure centre_m, gap_m;
    char answer[40];
    bool known =
        pov_measure_distance(&centre_m, &gap_m, a->scene, a->question->referent, a->question->relatum[0]);
    snprintf(answer, sizeof answer, known ? "%.3g m" : "undefined",
             isnan(gap_m.mean) ? centre_m.mean : gap_m.mean);
    cJSON *object = pov_answering_begin(a, answer, NAN);
    pov_json_add_number(object, "centre_distance_m", centre_m.mean);
    pov_json_add_number(object, "centre_distance_std_m", centre_m.std);
    pov_json_add_number(object, "gap_m", gap_m.mean);
    pov_json_add_number(object, "gap_std_m", gap_m.std);
    return object;
}

/* -------- what is ahead of it -------- */

typedef struct {
    pov_id id;
    double bearing_rad;
    pov_belief belief;
} ahead;

/* Things within the cone of the registry's "facing", the straightest first; of what is looked at only what is seen. */
static int find_ahead(ahead found[POV_ENTITY_MAX], const pov_answering *a, const pov_request *question)
{
    pov_id id = question->referent;
    const pov_layout usual = POV_LAYOUT_DEFAULT;
    int len = 0;
    for (pov_id other = 0; other < a->scene->len; other++) {
        pov_judgment answer;
        pov_side_judgment side;
        const pov_query facing = pov_query_of_pair(pov_relation_lookup("facing"), id, other);
        if (other == id || pov_moment_relation(a->moment, &answer, &facing) != POV_OK)
            continue;
        if (question->looks)
            answer.belief = pov_request_looking(answer.belief, a->moment, id, other);
        if (answer.belief.p <= 0.5 ||
            pov_layout_side(&side, a->scene, id, other, usual.abstain_margin) != POV_OK)
            continue;
        int at = len++;
        for (; at > 0 && fabs(side.bearing_rad) < fabs(found[at - 1].bearing_rad); at--)
            found[at] = found[at - 1];
        found[at] = (ahead){other, side.bearing_rad, answer.belief};
    }
    return len;
}

/* Is it better than what was found before? Things rather than the camera; of what is looked at, what is surely seen. */
static bool is_better(const pov_answering *a, const pov_request *question, const ahead *one,
                      const ahead *best)
{
    bool camera = one->id == a->scene->camera, doubtful = one->belief.verdict == POV_ABSTAIN;
    if (!best || camera != (best->id == a->scene->camera))
        return !best || !camera;
    return question->looks && best->belief.verdict == POV_ABSTAIN && !doubtful;
}

/* The likeliest candidate ("who": people, and the camera); NULL: there is none. */
static const ahead *straightest(const pov_answering *a, const pov_request *question, const ahead *found,
                                int len)
{
    const ahead *best = NULL;
    for (int i = 0; i < len; i++)
        if ((question->candidate[found[i].id] || found[i].id == a->scene->camera) &&
            is_better(a, question, &found[i], best))
            best = &found[i];
    return best;
}

static const char *name_what_is_faced(const pov_answering *a, const pov_request *question, const ahead *first)
{
    bool asks_who = true;
    if (first)
        return question->looks && first->belief.verdict == POV_ABSTAIN ? "abstain"
                                                                       : pov_answering_name(a, first->id);
    for (pov_id id = 0; id < a->scene->len; id++)
        asks_who = asks_who && (!question->candidate[id] || pov_is_person(a->scene, id));
    return asks_who ? "nobody" : "nothing";
}

/* -------- how it faces for each viewer -------- */

static bool is_viewer(const pov_answering *a, const pov_request *question, pov_id viewer)
{
    if (question->viewer != POV_ID_NONE)
        return viewer == question->viewer;
    return viewer != question->referent &&
           (viewer == a->scene->camera || a->scene->entities[viewer].addressee);
}

static const char *describe_faces(char text[48], const pov_answering *a, pov_faces faces, pov_id viewer)
{
    const char *name = pov_answering_name(a, viewer);
    if (faces == POV_FACES_TOWARD || faces == POV_FACES_AWAY)
        snprintf(text, 48, "%s%s", faces == POV_FACES_AWAY ? "away from " : "toward ", name);
    else
        snprintf(text, 48, "to the %s of %s", pov_faces_name(faces), name);
    return text;
}

static void add_viewers(const pov_answering *a, cJSON *object)
{
    cJSON *list = cJSON_AddArrayToObject(object, "for");
    for (pov_id viewer = 0; viewer < a->scene->len; viewer++) {
        pov_faces faces;
        double p;
        if (!is_viewer(a, a->question, viewer) ||
            !pov_measure_faces(&faces, &p, a->scene, a->question->referent, viewer))
            continue;
        cJSON *item = cJSON_CreateObject();
        pov_json_add_text(item, "viewer", pov_answering_name(a, viewer));
        pov_json_add_text(item, "faces", pov_faces_name(faces));
        pov_json_add_number(item, "p", p);
        cJSON_AddItemToArray(list, item);
    }
}

static double std_rad(const pov_heading_mode *mode)
{
    return mode->kappa >= 1e10 ? 0 : fmin(1 / sqrt(mode->kappa), POV_EVEN_STD_RAD);
}

/* 270: counter-clockwise from above. */
static void add_heading(const pov_answering *a, cJSON *object, const pov_heading_mode *mode)
{
    double yaw_deg = pov_degrees(pov_angle_wrap(mode->yaw_rad));
    pov_json_add_number(object, "heading_deg", yaw_deg + (yaw_deg < -0.5 ? 360 : 0));
    pov_json_add_number(object, "heading_std_deg", pov_degrees(std_rad(mode)));
    pov_json_add_text(object, "compass", pov_measure_compass(a->scene, mode->yaw_rad));
}

static const char *facing_answer(char text[48], const pov_answering *a, const pov_request *question,
                                 const ahead *found, int len)
{
    const pov_heading_mode *mode = pov_heading_heaviest(&a->scene->entities[question->referent].heading);
    const ahead *first = straightest(a, question, found, len);
    if (!mode)
        return "undefined";
    if (question->way == POV_WAY_WHAT)
        return name_what_is_faced(a, question, first);
    if (a->scene->has_north)
        return pov_measure_compass(a->scene, mode->yaw_rad);
    pov_faces faces;
    double p;
    if (question->viewer != POV_ID_NONE &&
        pov_measure_faces(&faces, &p, a->scene, question->referent, question->viewer))
        return describe_faces(text, a, faces, question->viewer);
    snprintf(text, 48, first ? "toward %s" : "nothing is ahead",
             first ? pov_answering_name(a, first->id) : "");
    return text;
}

/* -------- one another -------- */

static cJSON *answer_each_other(const pov_answering *a)
{
    const pov_request *question = a->question;
    const pov_id pair[] = {question->viewer, question->other};
    const char *answer = "yes";
    pov_belief beliefs[2];
    for (int i = 0; i < 2; i++) {
        pov_judgment judged;
        const pov_query facing = pov_query_of_pair(pov_relation_lookup("facing"), pair[i], pair[1 - i]);
        (void)pov_moment_relation(a->moment, &judged, &facing);
        beliefs[i] = question->looks ? pov_request_looking(judged.belief, a->moment, pair[i], pair[1 - i])
                                     : judged.belief;
    }
    if (beliefs[0].verdict == POV_FALSE || beliefs[1].verdict == POV_FALSE)
        answer = "no";
    else if (beliefs[0].verdict == POV_VERDICT_UNDEFINED || beliefs[1].verdict == POV_VERDICT_UNDEFINED)
        answer = "undefined";
    else if (beliefs[0].verdict == POV_ABSTAIN || beliefs[1].verdict == POV_ABSTAIN)
        answer = "abstain";
    cJSON *object = pov_answering_begin(a, answer, beliefs[0].p * beliefs[1].p),
          *list = cJSON_AddArrayToObject(object, "facing");
    for (int i = 0; i < 2; i++) {
        cJSON *item = pov_answering_add(a, list, pair[i], beliefs[i].p);
        pov_json_add_text(item, "faces", pov_answering_name(a, pair[1 - i]));
    }
    return object;
}

cJSON *pov_answering_facing(const pov_answering *a)
{
    const pov_request *question = a->question;
    ahead found[POV_ENTITY_MAX];
    char text[48];
    if (question->way == POV_WAY_EACH_OTHER)
        return answer_each_other(a);
    const pov_heading_mode *mode = pov_heading_heaviest(&a->scene->entities[question->referent].heading);
    int len = mode ? find_ahead(found, a, question) : 0;
    cJSON *object = pov_answering_begin(a, facing_answer(text, a, question, found, len), NAN);
    if (mode) {
        add_heading(a, object, mode);
        add_viewers(a, object);
    }
    cJSON *list = cJSON_AddArrayToObject(object, "ahead");
    for (int i = 0; i < len; i++) {
        cJSON *item = pov_answering_add(a, list, found[i].id, found[i].belief.p);
        pov_json_add_number(item, "bearing_deg", pov_degrees(found[i].bearing_rad));
    }
    return object;
}
