/* How far, and which way something faces. */
#include "ask/answering/answering_internal.h"
#include "ask/meaning/measure.h"
#include "ask/meaning/reference.h"
#include "config/files/json_value.h"
#include "perception/visibility/layout.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

void pov_answering_distance(const pov_answering *a, const pov_request *question)
{
    pov_measure centre_m, gap_m;
    char answer[40];
    bool known = pov_measure_distance(&centre_m, &gap_m, a->scene, question->referent, question->relatum[0]);
    snprintf(answer, sizeof answer, known ? "%.3g m" : "undefined",
             isnan(gap_m.mean) ? centre_m.mean : gap_m.mean);
    cJSON *object = pov_answering_begin(a, question, answer, NAN);
    if (object) {
        pov_json_add_number(object, "centre_distance_m", centre_m.mean);
        pov_json_add_number(object, "centre_distance_std_m", centre_m.std);
        pov_json_add_number(object, "gap_m", gap_m.mean);
        pov_json_add_number(object, "gap_std_m", gap_m.std);
    } else {
        fprintf(pov_answering_asked(a, question), "%s\n", answer);
        if (!known)
            fputs("  one of them has no position\n", a->stream);
        else
            fprintf(a->stream, "  %-36s  %.3f +- %.3f m\n", "between the centres", centre_m.mean,
                    centre_m.std);
        if (!isnan(gap_m.mean))
            fprintf(a->stream, "  %-36s  %.3f +- %.3f m\n", "between the surfaces", gap_m.mean, gap_m.std);
    }
    pov_answering_end(a, object);
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

static void tell_ahead(const pov_answering *a, cJSON *object, const pov_request *question, const ahead *found,
                       int len)
{
    cJSON *list = object ? cJSON_AddArrayToObject(object, "ahead") : NULL;
    for (int i = 0; i < len; i++) {
        double bearing_deg = pov_degrees(found[i].bearing_rad);
        if (!list) {
            fprintf(a->stream, "  %s %-30.30s  P = %.4f; ", question->looks ? "looks at" : "faces",
                    pov_answering_name(a, found[i].id), found[i].belief.p);
            if (fabs(bearing_deg) < 0.5)
                fputs("straight ahead\n", a->stream);
            else
                fprintf(a->stream, "%.0f deg to the %s\n", fabs(bearing_deg),
                        bearing_deg < 0 ? "right" : "left");
            continue;
        }
        cJSON *item = cJSON_CreateObject();
        pov_json_add_text(item, "id", pov_answering_name(a, found[i].id));
        pov_json_add_number(item, "p", found[i].belief.p);
        pov_json_add_number(item, "bearing_deg", bearing_deg);
        cJSON_AddItemToArray(list, item);
    }
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

static void tell_for_viewers(const pov_answering *a, cJSON *object, const pov_request *question)
{
    cJSON *list = object ? cJSON_AddArrayToObject(object, "for") : NULL;
    for (pov_id viewer = 0; viewer < a->scene->len; viewer++) {
        pov_faces faces;
        double p;
        char text[48];
        if (!is_viewer(a, question, viewer) ||
            !pov_measure_faces(&faces, &p, a->scene, question->referent, viewer))
            continue;
        if (!list) {
            fprintf(a->stream, "  %-36.36s  P = %.4f\n", describe_faces(text, a, faces, viewer), p);
            continue;
        }
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

/* "270 deg", counter-clockwise from above; with a north "south". */
static void tell_heading(const pov_answering *a, cJSON *object, const pov_heading_mode *mode)
{
    double yaw_deg = pov_degrees(pov_angle_wrap(mode->yaw_rad));
    double std_deg = pov_degrees(std_rad(mode));
    yaw_deg += yaw_deg < -0.5 ? 360 : 0;
    if (object) {
        pov_json_add_number(object, "heading_deg", yaw_deg);
        pov_json_add_number(object, "heading_std_deg", std_deg);
        pov_json_add_text(object, "compass", pov_measure_compass(a->scene, mode->yaw_rad));
        return;
    }
    fprintf(a->stream, "  its front points to %.1f +- %.1f deg, counter-clockwise from above\n", yaw_deg,
            std_deg);
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

static void tell_each_other(const pov_answering *a, const pov_request *question)
{
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
    cJSON *object = pov_answering_begin(a, question, answer, beliefs[0].p * beliefs[1].p);
    cJSON *list = object ? cJSON_AddArrayToObject(object, "facing") : NULL;
    if (!object)
        fprintf(pov_answering_asked(a, question), "%s\n", answer);
    for (int i = 0; i < 2; i++) {
        if (!list) {
            fprintf(a->stream, "  %s %s %s: P = %.4f\n", pov_answering_name(a, pair[i]),
                    question->looks ? "looks at" : "faces", pov_answering_name(a, pair[1 - i]), beliefs[i].p);
            continue;
        }
        cJSON *item = cJSON_CreateObject();
        pov_json_add_text(item, "id", pov_answering_name(a, pair[i]));
        pov_json_add_text(item, "faces", pov_answering_name(a, pair[1 - i]));
        pov_json_add_number(item, "p", beliefs[i].p);
        cJSON_AddItemToArray(list, item);
    }
    pov_answering_end(a, object);
}

void pov_answering_facing(const pov_answering *a, const pov_request *question)
{
    ahead found[POV_ENTITY_MAX];
    char text[48];
    if (question->way == POV_WAY_EACH_OTHER) {
        tell_each_other(a, question);
        return;
    }
    const pov_heading_mode *mode = pov_heading_heaviest(&a->scene->entities[question->referent].heading);
    int len = mode ? find_ahead(found, a, question) : 0;
    const char *answer = facing_answer(text, a, question, found, len);
    cJSON *object = pov_answering_begin(a, question, answer, NAN);
    if (!object)
        fprintf(pov_answering_asked(a, question), "%s%s\n", answer, mode ? "" : ": it has no front");
    if (mode) {
        tell_heading(a, object, mode);
        tell_for_viewers(a, object, question);
    }
    tell_ahead(a, object, question, found, len);
    pov_answering_end(a, object);
}
