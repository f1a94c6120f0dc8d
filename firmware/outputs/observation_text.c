#include "firmware/outputs/observation_text.h"

#include "config/files/json_value.h"
#include "config/files/utf8.h"
#include "perception/geometry/geom.h"
#include "perception/hash.h"

#include <cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static void print_time(FILE *stream, int64_t time_ns)
{
    int64_t ms = time_ns / 1000000;
    time_t seconds = (time_t)(ms / 1000);
    struct tm utc;
    char text[32];
    if (time_ns < 0 || gmtime_r(&seconds, &utc) == NULL ||
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc) == 0)
        return;
    fprintf(stream, "  %s.%03dZ", text, (int)(ms % 1000));
}

/* The speed of a moving entity; how long a hidden one was not detected. */
static void print_motion(FILE *stream, const pov_entity *entity)
{
    if (!entity->track.tracked)
        return;
    if (entity->track.lost)
        fputs(", lost", stream);
    else if (entity->track.motion != POV_AT_REST)
        fprintf(stream, ", at %.2f m/s%s", pov_vec3_norm(entity->velocity_m_s),
                entity->track.motion == POV_CARRIED ? " with the table" : "");
    if (entity->track.hidden_s > 0)
        fprintf(stream, ", hidden for %.1f s", entity->track.hidden_s);
}

static void print_heading(FILE *stream, const pov_heading *heading)
{
    for (int i = 0; i < heading->len; i++) {
        if (i > 0 && heading->mode[i].kappa > 0 && heading->mode[i - 1].kappa > 0 &&
            fabs(pov_angle_wrap(heading->mode[i].yaw_rad - heading->mode[i - 1].yaw_rad)) < 0.05 * POV_DEG)
            continue; /* it reads the same */
        fputs(i == 0 ? ", heading " : " or ", stream);
        if (heading->mode[i].kappa > 0)
            fprintf(stream, "%.1f deg", pov_degrees(heading->mode[i].yaw_rad));
        else
            fputs("any", stream);
    }
}

static void print_entity(FILE *stream, const pov_scene *scene, const pov_entity *entity)
{
    fprintf(stream, "  %-16s %-12s ", entity->name, entity->class_name);
    if (entity->placed) {
        double cov_m2[3][3];
        pov_scene_position_cov(scene, cov_m2, &entity->position);
        double std_m = sqrt(cov_m2[0][0] + cov_m2[1][1] + cov_m2[2][2]);
        pov_vec3 mean_m = pov_vec3_rounded(entity->position.mean_m, 1e-3);
        fprintf(stream, "at (%.3f, %.3f, %.3f) m +- %.4f", mean_m.x, mean_m.y, mean_m.z, std_m);
    } else {
        fputs(entity->seen ? "not placed" : "not found", stream);
    }
    print_heading(stream, &entity->heading);
    print_motion(stream, entity);
    if (entity->look_age_s > 0)
        fprintf(stream, ", seen %.2f s ago", entity->look_age_s);
    fprintf(stream, "%s%s\n", entity->seen && !(entity->look_age_s > 0) ? ", seen" : "",
            entity->addressee ? ", addressee" : "");
}

static int count_tags(const pov_observation *observation, pov_tag_outcome outcome)
{
    int count = 0;
    for (int i = 0; i < observation->tag_len; i++)
        count += observation->tags[i].outcome == outcome;
    return count;
}

/* " (tag36h11 5, tag36h11 9)": the first few of this outcome. */
static void print_tag_names(FILE *stream, const pov_observation *observation, pov_tag_outcome outcome)
{
    enum { NAMED_MAX = 12 };
    int named = 0;
    for (int i = 0; i < observation->tag_len && named <= NAMED_MAX; i++) {
        const pov_tag *tag = &observation->tags[i].tag;
        if (observation->tags[i].outcome != outcome)
            continue;
        fputs(named == 0 ? " (" : ", ", stream);
        if (named++ < NAMED_MAX)
            fprintf(stream, "%s %d", pov_tag_family_name(tag->family), tag->id);
        else
            fputs("...", stream);
    }
    fputc(')', stream);
}

/* Named are those that nothing came of. */
static void print_tags(FILE *stream, const pov_observation *observation)
{
    static const char *const words[POV_TAG_OUTCOME_COUNT] = {[POV_TAG_USED] = "used",
                                                             [POV_TAG_NOT_IN_MAP] = "not in map",
                                                             [POV_TAG_REJECTED] = "rejected",
                                                             [POV_TAG_TURNS] = "on the turntable"};
    if (observation->tag_len == 0)
        return;
    fprintf(stream, "  tags: %d seen", observation->tag_len);
    if (count_tags(observation, POV_TAG_SEEN) == observation->tag_len)
        print_tag_names(stream, observation, POV_TAG_SEEN);
    for (int outcome = 0; outcome < POV_TAG_OUTCOME_COUNT; outcome++) {
        int count = words[outcome] ? count_tags(observation, (pov_tag_outcome)outcome) : 0;
        if (count > 0)
            fprintf(stream, ", %d %s", count, words[outcome]);
        if (count > 0 && outcome != POV_TAG_USED && outcome != POV_TAG_TURNS)
            print_tag_names(stream, observation, (pov_tag_outcome)outcome);
    }
    fputs(observation->tags_truncated ? "; and more than fit\n" : "\n", stream);
}

static void print_turntable(FILE *stream, const pov_observed_turntable *turntable)
{
    if (turntable->known)
        fprintf(stream, "  turntable at %.2f deg +- %.2f, by %d tag%s\n", pov_degrees(turntable->angle_rad),
                pov_degrees(turntable->std_rad), turntable->tag_len, turntable->tag_len == 1 ? "" : "s");
}

/* Differ in relation and axis only. */
static bool same_viewpoint(const pov_query *a, const pov_query *b)
{
    return a->referent == b->referent && a->relatum[0] == b->relatum[0] && a->perspective == b->perspective &&
           a->viewer == b->viewer && a->convention == b->convention && a->acceptance == b->acceptance;
}

/* The relations that hold in a frame, "?" before one too close to say; returns the index after the frame's last. */
static int name_relations(char words[96], const pov_observation *observation, int first)
{
    const pov_judgment *judgments = observation->judgments;
    size_t length = 0;
    words[0] = '\0';
    int i = first;
    for (; i < observation->directed_len && same_viewpoint(&judgments[i].query, &judgments[first].query) &&
           judgments[i].query.axis == judgments[first].query.axis;
         i++) {
        pov_verdict verdict = judgments[i].belief.verdict;
        if ((verdict == POV_TRUE || verdict == POV_ABSTAIN) && length < 96)
            length +=
                (size_t)snprintf(words + length, 96 - length, "%s%s", verdict == POV_ABSTAIN ? " ?" : " ",
                                 judgments[i].query.relation->name);
    }
    return i;
}

/* The first judgment of this viewpoint by the other axis; -1: there is none. */
static int find_other_axis(const pov_observation *observation, int first)
{
    const pov_query *query = &observation->judgments[first].query;
    for (int i = 0; i < observation->directed_len; i++) {
        const pov_query *other = &observation->judgments[i].query;
        if (same_viewpoint(other, query) && other->axis != query->axis)
            return i;
    }
    return -1;
}

/* A viewpoint whose axes agree is one row; where they differ, or one is judged alone, each row names its axis. */
static void print_frame(FILE *stream, const pov_observation *observation, int first, const char *words)
{
    const pov_query *query = &observation->judgments[first].query;
    const int other = query->viewer == POV_ID_NONE ? -1 : find_other_axis(observation, first);
    char viewpoint[POV_NAME_CAPACITY + 48], other_words[96] = "";
    if (other >= 0)
        name_relations(other_words, observation, other);
    const bool agree = strcmp(words, other_words) == 0;
    if (agree && other < first)
        return; /* its row is there */
    pov_query_viewpoint(viewpoint, sizeof viewpoint - 16, &observation->scene, query);
    if (query->viewer != POV_ID_NONE && !agree)
        strcat(viewpoint, query->axis == POV_SIGHT_LINE ? ", sight line" : ", heading");
    fprintf(stream, "    %-34s", viewpoint);
    if (query->acceptance != POV_HEMISPHERE)
        fprintf(stream, " %s", pov_acceptance_name(query->acceptance));
    fprintf(stream, "%s\n", words);
}

static bool same_pair(const pov_query *a, const pov_query *b)
{
    return a->referent == b->referent && a->relatum[0] == b->relatum[0];
}

/* Judgments that abstain only because of the calibration's uncertainty. */
static void print_doubts(FILE *stream, const pov_observation *observation)
{
    int len = 0;
    for (int i = 0; i < observation->directed_len; i++)
        len += observation->judgments[i].doubt == POV_DOUBT_CALIBRATION;
    if (len > 0)
        fprintf(stream,
                "  %d judgment%s too close to say only because the camera's calibration is uncertain\n", len,
                len == 1 ? " is" : "s are");
}

/* Frames in which nothing holds are left out: what is false or undefined is the rest. */
static void print_judgments(FILE *stream, const pov_observation *observation)
{
    const pov_scene *scene = &observation->scene;
    const pov_query *pair = NULL;
    for (int i = 0; i < observation->directed_len;) {
        const pov_query *query = &observation->judgments[i].query;
        const int first = i;
        char words[96];
        i = name_relations(words, observation, i);
        if (!words[0])
            continue;
        if (!pair || !same_pair(pair, query))
            fprintf(stream, "  %s to %s:\n", scene->entities[query->referent].name,
                    scene->entities[query->relatum[0]].name);
        pair = query;
        print_frame(stream, observation, first, words);
    }
    if (observation->directed_truncated)
        fprintf(stream, "  ... and more than fit into one message\n");
    print_doubts(stream, observation);
}

/* "cup, ?ball 0.40, not car (hidden by cup)" */
static void print_sight(FILE *stream, const pov_scene *scene, const pov_visibility *sight)
{
    const char *target = scene->entities[sight->target].name;
    if (sight->sees.verdict == POV_TRUE)
        fprintf(stream, "%s", target);
    else if (sight->sees.verdict == POV_ABSTAIN)
        fprintf(stream, "?%s %.2f", target, sight->sees.p);
    else if (sight->occluder_len > 0 && sight->cause == POV_CAUSE_HIDDEN)
        fprintf(stream, "not %s (hidden by %s)", target, scene->entities[sight->occluders[0].id].name);
    else
        fprintf(stream, "not %s (%s)", target, pov_cause_name(sight->cause));
}

static void print_sights(FILE *stream, const pov_observation *observation)
{
    const pov_visibility *sights = observation->sights;
    for (int i = 0; i < observation->sight_len; i++) {
        bool same_viewer = i > 0 && sights[i].viewer == sights[i - 1].viewer;
        if (!same_viewer)
            fprintf(stream, "%s  %s sees: ", i == 0 ? "" : "\n",
                    observation->scene.entities[sights[i].viewer].name);
        else
            fputs(", ", stream);
        print_sight(stream, &observation->scene, &sights[i]);
    }
    if (observation->sight_len > 0)
        fputs(observation->sights_truncated ? "; and more than fit\n" : "\n", stream);
}

/* -------- other relations -------- */

static bool holds_or_abstains(const pov_judgment *judgment)
{
    return judgment->belief.verdict == POV_TRUE || judgment->belief.verdict == POV_ABSTAIN;
}

static bool same_entities(const pov_query *a, const pov_query *b)
{
    bool same = a->referent == b->referent && a->relatum_len == b->relatum_len && a->viewer == b->viewer &&
                a->perspective == b->perspective;
    for (int i = 0; i < a->relatum_len && same; i++)
        same = a->relatum[i] == b->relatum[i];
    return same;
}

/* "cup and car and box, seen by anna:" */
static void print_entities(FILE *stream, const pov_scene *scene, const pov_query *query)
{
    fprintf(stream, "  %s and", scene->entities[query->referent].name);
    for (int i = 0; i < query->relatum_len; i++)
        fprintf(stream, "%s %s", i ? "," : "", scene->entities[query->relatum[i]].name);
    if (query->viewer != POV_ID_NONE)
        fprintf(stream, ", for %s", scene->entities[query->viewer].name);
    else if (query->perspective == POV_INTRINSIC)
        fprintf(stream, ", by the front of %s", scene->entities[query->relatum[0]].name);
    fputc(':', stream);
}

/* Relations that hold, and with "?" those that abstain; the others are false or undefined. */
static void print_others(FILE *stream, const pov_observation *observation)
{
    const pov_query *last = NULL;
    for (int i = observation->directed_len; i < observation->judgment_len; i++) {
        const pov_judgment *judgment = &observation->judgments[i];
        if (!holds_or_abstains(judgment))
            continue;
        bool more = last && same_entities(last, &judgment->query);
        if (last && !more)
            fputc('\n', stream);
        if (!more)
            print_entities(stream, &observation->scene, &judgment->query);
        fprintf(stream, " %s%s", judgment->belief.verdict == POV_ABSTAIN ? "?" : "",
                judgment->query.relation->name);
        last = &judgment->query;
    }
    if (last)
        fputc('\n', stream);
    if (observation->others_truncated)
        fprintf(stream, "  ... and more relations than fit into one message\n");
}

/* -------- where things are for a viewer -------- */

/* "cup front-left, ?ball right 0.61" */
static void print_directions(FILE *stream, const pov_observation *observation)
{
    pov_id last = POV_ID_NONE;
    for (int i = 0; i < observation->direction_len; i++) {
        const pov_observed_direction *direction = &observation->directions[i];
        const pov_entity *entities = observation->scene.entities;
        if (direction->side.verdict == POV_VERDICT_UNDEFINED)
            continue;
        if (direction->viewer == last)
            fputs(", ", stream);
        else
            fprintf(stream, "%s  for %s: ", last == POV_ID_NONE ? "" : "\n",
                    entities[direction->viewer].name);
        last = direction->viewer;
        bool sure = direction->side.verdict == POV_TRUE;
        fprintf(stream, "%s%s %s", sure ? "" : "?", entities[direction->target].name,
                pov_side_name(direction->side.side));
        if (!sure)
            fprintf(stream, " %.2f", direction->side.p[direction->side.side]);
    }
    if (last != POV_ID_NONE)
        fputs(observation->directions_truncated ? "; and more than fit\n" : "\n", stream);
}

/* "ball, cup ?, car": a "?" where the two beside it may be the other way round. */
static void print_order(FILE *stream, const pov_scene *scene, const char *what, const pov_order *order)
{
    fprintf(stream, "%s", what);
    for (int i = 0; i < order->len; i++)
        fprintf(stream, "%s %s%s", i ? "," : "", scene->entities[order->places[i].id].name,
                order->places[i].is_uncertain ? " ?" : "");
}

/* One thing is in order anyhow. */
static void print_views(FILE *stream, const pov_observation *observation)
{
    for (int i = 0; i < observation->view_len; i++) {
        const pov_observed_view *view = &observation->views[i];
        if (view->left_to_right.len < 2)
            continue;
        fprintf(stream, "  ahead of %s", observation->scene.entities[view->viewer].name);
        print_order(stream, &observation->scene, ", left to right:", &view->left_to_right);
        print_order(stream, &observation->scene, "; near to far:", &view->near_to_far);
        fputc('\n', stream);
    }
}

void pov_text_observation(FILE *stream, const pov_observation *observation)
{
    const pov_image_header *image = &observation->image;
    pov_utf8_print(stream, image->name);
    if (*image->camera)
        fprintf(stream, " of camera %s", image->camera);
    fprintf(stream, "  #%" PRIu32, image->sequence);
    print_time(stream, image->capture_ns);
    fprintf(stream, "  %d x %d px  camera pose: %s\n", image->width_px, image->height_px,
            pov_pose_source_name(image->pose_source));
    print_tags(stream, observation);
    print_turntable(stream, &observation->turntable);
    for (int i = 0; i < observation->scene.len; i++)
        print_entity(stream, &observation->scene, &observation->scene.entities[i]);
    if (observation->directed_len > 0)
        print_judgments(stream, observation);
    print_others(stream, observation);
    print_sights(stream, observation);
    print_directions(stream, observation);
    print_views(stream, observation);
    fputc('\n', stream);
}

/* ---- changes ---- */

enum { CHANGES_MAX = 4 }; /* in a line; chosen: more are not read as they pass */

static uint64_t hash_cast(const pov_observation *observation)
{
    uint64_t hash = POV_HASH_START ^ (uint64_t)observation->directed_len;
    for (pov_id id = 0; id < observation->scene.len; id++)
        hash = pov_hash_value(pov_hash_text(hash, observation->scene.entities[id].name), 0);
    return hash;
}

static bool is_usual(const pov_query *query)
{
    return query->acceptance == POV_HEMISPHERE &&
           (query->viewer == POV_ID_NONE
                ? query->perspective == POV_INTRINSIC
                : query->axis == POV_AXIS_USUAL && query->convention == POV_REFLECTED);
}

/* False: the line is full. */
static bool begin_change(FILE *stream, int *len)
{
    if (++*len <= CHANGES_MAX)
        fputs(*len == 1 ? "  " : "; ", stream);
    return *len <= CHANGES_MAX;
}

/* "ball left of car for anna", "ball behind car by its own front" */
static void print_direction(FILE *stream, int *len, const pov_scene *scene, const pov_query *query)
{
    const bool is_own = query->viewer == POV_ID_NONE;
    char words[32];
    snprintf(words, sizeof words, "%s", query->relation->name);
    for (char *c = words; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    if (begin_change(stream, len))
        fprintf(stream, "%s %s %s%s%s", scene->entities[query->referent].name, words,
                scene->entities[query->relatum[0]].name, is_own ? " by its own front" : " for ",
                is_own ? "" : scene->entities[query->viewer].name);
}

static void note_state(pov_text_state *state, const pov_observation *observation, uint64_t cast)
{
    state->has = true;
    state->cast = cast;
    for (pov_id id = 0; id < observation->scene.len; id++)
        state->seen[id] = observation->scene.entities[id].seen;
    for (int i = 0; i < observation->directed_len; i++)
        state->verdict[i] = (uint8_t)observation->judgments[i].belief.verdict;
}

void pov_text_changes(FILE *stream, pov_text_state *state, const pov_observation *observation)
{
    const pov_scene *scene = &observation->scene;
    const uint64_t cast = hash_cast(observation);
    const bool is_same = state->has && state->cast == cast;
    int len = 0;
    pov_utf8_print(stream, observation->image.name);
    if (*observation->image.camera)
        fprintf(stream, " of camera %s", observation->image.camera);
    for (pov_id id = 0; id < scene->len; id++)
        if (id != scene->camera && scene->entities[id].seen != (is_same && state->seen[id]) &&
            begin_change(stream, &len))
            fprintf(stream, "%s %s", scene->entities[id].name,
                    scene->entities[id].seen ? "is seen" : "is not seen any more");
    for (int i = 0; is_same && i < observation->directed_len; i++) {
        const pov_judgment *judgment = &observation->judgments[i];
        if (judgment->belief.verdict == POV_TRUE && is_usual(&judgment->query) &&
            state->verdict[i] != POV_TRUE)
            print_direction(stream, &len, scene, &judgment->query);
    }
    if (len > CHANGES_MAX)
        fprintf(stream, "; %d more", len - CHANGES_MAX);
    fputs(len == 0 ? "  as before\n" : "\n", stream);
    note_state(state, observation, cast);
}

void pov_text_health(FILE *stream, const pov_health *health)
{
    fprintf(stream, "health:");
    print_time(stream, health->now_ns);
    fprintf(stream,
            "  images: %" PRIu64 " processed, %" PRIu64 " skipped, %" PRIu64 " lost; reconnects: %" PRIu64,
            health->images_processed, health->images_skipped, health->images_lost, health->camera_reconnects);
    if (!isnan(health->rate_hz))
        fprintf(stream, "; %.1f images/s", health->rate_hz);
    if (!isnan(health->latency_p50_s) && !isnan(health->latency_p99_s))
        fprintf(stream, "; latency %.1f ms (p99 %.1f ms)", 1e3 * health->latency_p50_s,
                1e3 * health->latency_p99_s);
    fprintf(stream, "; subscribers: %" PRIu32 "; messages: %" PRIu64 " sent, %" PRIu64 " lost",
            health->subscribers, health->messages_sent, health->messages_lost);
    if (health->refused > 0)
        fprintf(stream, "; %" PRIu64 " refused", health->refused);
    fputc('\n', stream);
}

static void print_member(FILE *stream, const cJSON *reply, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(reply, key));
    pov_utf8_print(stream, text ? text : "");
}

static void put_asked_gold(FILE *stream, const pov_comparison *comparison)
{
    for (int i = 0; i < comparison->gold_len; i++) {
        const pov_compared_gold *gold = &comparison->golds[i];
        if (gold->asked && gold->sure)
            fprintf(stream, "; geometry says %s%s%s", gold->answer, *gold->frame ? ", " : "", gold->frame);
        else if (gold->asked)
            fputs("; geometry abstains", stream);
    }
}

void pov_text_comparison(FILE *stream, const pov_comparison *comparison)
{
    const char *agreement = pov_agreement_name(comparison->agreement);
    fprintf(stream, "%s: %s: ", comparison->image_name, comparison->model);
    pov_utf8_print(stream, comparison->prompt);
    if (comparison->status == POV_COMPARISON_ASKED) {
        fputs(" ...\n", stream);
        return;
    }
    fputs(" -> ", stream);
    pov_utf8_print(stream,
                   comparison->status == POV_COMPARISON_FAILED ? comparison->cause : comparison->answer);
    if (comparison->status != POV_COMPARISON_ANSWERED)
        fprintf(stream, " (%s)", pov_comparison_status_name(comparison->status));
    if (!isnan(comparison->p))
        fprintf(stream, " (P %.2f)", comparison->p);
    put_asked_gold(stream, comparison);
    fprintf(stream, "%s\n",
            agreement == NULL                     ? ""
            : comparison->agreement == POV_AGREES ? ": agrees"
                                                  : ": DISAGREES");
}

void pov_text_exchange(FILE *stream, const pov_exchange *exchange)
{
    cJSON *reply = pov_json_parse_text(exchange->reply);
    pov_utf8_print(stream, *exchange->speaker ? exchange->speaker : "somebody");
    fputs(": ", stream);
    print_member(stream, reply, "utterance");
    fputs("\n  ", stream);
    print_member(stream, reply, "outcome");
    fputs(": ", stream);
    print_member(stream, reply, "say");
    fputc('\n', stream);
    cJSON_Delete(reply);
}
