#include "perception/cast/scene_tracker.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_GROUP = -1 };

static const double lift_m = 0.05; /* by which a hand lifts what it moves, root mean square */

struct pov_scene_tracker {
    pov_cast cast;
    int group_of[POV_CAST_MAX], member_of[POV_TRACK_GROUP_MAX];
    pov_tracker *tracker;
    double (*per_camera_pose)[3][6]; /* of each track, when it was last seen */
    pov_scene found;                 /* the image's own */
    int sighting_len;
    pov_sighting sightings[POV_SIGHTING_MAX];
    pov_id entity_of_sighting[POV_SIGHTING_MAX];
    int track_of_sighting[POV_SIGHTING_MAX];
    bool has_time, is_late;
    int64_t now_ns;
    int64_t look_ns[POV_CAST_MAX]; /* of each member: the image that it was last looked for in */
};

static void forget_looks(pov_scene_tracker *t)
{
    for (int i = 0; i < POV_CAST_MAX; i++)
        t->look_ns[i] = INT64_MIN;
}

pov_status pov_scene_tracker_new(pov_scene_tracker **tracker, const pov_cast *cast)
{
    pov_scene_tracker *t = *tracker = pov_allocate(1, sizeof *t);
    pov_track_group groups[POV_CAST_MAX];
    int group_len = 0;
    t->cast = *cast;
    forget_looks(t);
    for (int i = 0; i < cast->len; i++) {
        const pov_cast_member *member = &cast->members[i];
        t->group_of[i] = NO_GROUP;
        if (!member->found_by)
            continue;
        t->group_of[i] = group_len;
        t->member_of[group_len] = i;
        groups[group_len++] =
            (pov_track_group){pov_cast_member_count(member), member->found_by->is_identified};
    }
    pov_status status = pov_tracker_new(&t->tracker, groups, group_len);
    if (status.code == POV_OK)
        t->per_camera_pose =
            pov_allocate((size_t)pov_tracker_track_count(t->tracker) + 1, sizeof *t->per_camera_pose);
    else
        pov_scene_tracker_destroy(tracker);
    return status;
}

void pov_scene_tracker_destroy(pov_scene_tracker **tracker)
{
    if (!tracker || !*tracker)
        return;
    pov_tracker_destroy(&(*tracker)->tracker);
    free((*tracker)->per_camera_pose);
    free(*tracker);
    *tracker = NULL;
}

/* -------- what the image shows -------- */

static double sight_rad(const pov_scene *scene, pov_vec3 at_m)
{
    if (scene->camera == POV_ID_NONE)
        return NAN;
    pov_vec3 sight = pov_vec3_sub(at_m, scene->entities[scene->camera].position.mean_m);
    return atan2(sight.y, sight.x);
}

static void make_sighting(pov_scene_tracker *t, pov_id id, int group, bool camera_still)
{
    const pov_entity *entity = &t->found.entities[id];
    if (t->sighting_len == POV_SIGHTING_MAX || !entity->seen || !entity->placed)
        return;
    pov_sighting *sighting = &t->sightings[t->sighting_len];
    *sighting = (pov_sighting){.group = group,
                               .pos_m = entity->position.mean_m,
                               .heading = entity->heading,
                               .R_table_box = entity->R_table_box,
                               .sight_rad = sight_rad(&t->found, entity->position.mean_m)};
    pov_scene_position_cov(&t->found, sighting->cov_m2, &entity->position);
    if (camera_still) {
        double whole_m2 = sighting->cov_m2[0][0] + sighting->cov_m2[1][1];
        memcpy(sighting->cov_m2, entity->position.own_cov_m2, sizeof sighting->cov_m2);
        sighting->camera_var_m2 = (whole_m2 - sighting->cov_m2[0][0] - sighting->cov_m2[1][1]) / 2;
    }
    t->entity_of_sighting[t->sighting_len++] = id;
}

/* A detector in the background repeats its detections until it has searched the next image: they count once. */
static bool is_new(const pov_scene_tracker *t, const pov_entity *entity, int64_t *look_ns)
{
    if (t->is_late)
        return entity->look_age_s == 0;
    static const int64_t slack_ns = 1000000;
    int64_t taken_ns = t->now_ns - llround(1e9 * entity->look_age_s);
    if (taken_ns <= *look_ns + slack_ns)
        return false;
    *look_ns = taken_ns;
    return true;
}

static void sight_all(pov_scene_tracker *t, const pov_scene_moment *moment)
{
    t->sighting_len = 0;
    for (int i = 0; i < t->cast.len; i++) {
        const pov_cast_member *member = &t->cast.members[i];
        int64_t look_ns = t->look_ns[i];
        for (int k = 0; t->group_of[i] != NO_GROUP && k < pov_cast_member_count(member); k++) {
            char name[POV_NAME_CAPACITY];
            pov_cast_member_name(name, member, k);
            pov_id id = pov_scene_find(&t->found, name);
            int64_t last_ns = look_ns;
            if (id == POV_ID_NONE || !is_new(t, &t->found.entities[id], &last_ns))
                continue;
            t->look_ns[i] = last_ns;
            make_sighting(t, id, t->group_of[i], moment->camera_still);
        }
    }
}

/* -------- what there is -------- */

static void set_place(pov_entity *entity, const pov_scene_tracker *t, const pov_track_report *report,
                      int track, const pov_scene_moment *moment)
{
    const double *mean = report->place.mean;
    if (entity->placed && !moment->camera_still)
        return;
    entity->placed = true;
    entity->position.mean_m = (pov_vec3){mean[0], mean[1], mean[2]};
    memcpy(entity->position.own_cov_m2, report->place.cov, sizeof entity->position.own_cov_m2);
    if (!moment->camera_still)
        memset(entity->position.per_camera_pose, 0, sizeof entity->position.per_camera_pose);
    else
        memcpy(entity->position.per_camera_pose, t->per_camera_pose[track],
               sizeof entity->position.per_camera_pose);
}

/* A hand may lift a thing. If it is found by the height of its support, it is then nearer along the camera's line of sight. */
static void allow_for_a_lift(pov_entity *entity, const pov_scene *found, const pov_track_report *report)
{
    if (found->camera == POV_ID_NONE)
        return;
    const pov_vec3 sight =
        pov_vec3_sub(entity->position.mean_m, found->entities[found->camera].position.mean_m);
    const double by_height[3] = {sight.x / sight.z, sight.y / sight.z, 1};
    for (int i = 0; i < 3 && sight.z < 0; i++)
        for (int j = 0; j < 3; j++)
            entity->position.own_cov_m2[i][j] +=
                report->by_itself_p * lift_m * lift_m * by_height[i] * by_height[j];
}

/* The box turns with the front. */
static void set_heading(pov_entity *entity, const pov_track_report *report)
{
    entity->R_table_box = report->R_table_box;
    if (!report->has_heading)
        return;
    entity->heading = report->heading;
    entity->has_turn_rate = true;
    entity->turn_rate_rad_s = report->turn_rate_rad_s;
    entity->turn_rate_std_rad_s = report->turn_rate_std_rad_s;
    pov_rot R = report->R_table_box;
    double off_rad = pov_heading_heaviest(&report->heading)->yaw_rad - atan2(R.m[1][0], R.m[0][0]);
    entity->R_table_box = pov_rot_mul(pov_rot_yaw(off_rad), R);
}

/* A table's turn takes the camera's error of a place on into its velocity. */
static void set_velocity(pov_entity *entity, const pov_scene *found, const pov_track_report *report)
{
    double(*place)[6] = entity->position.per_camera_pose, rate = report->carried_rad_s;
    double per_camera_pose[2][6], cov[4];
    entity->has_velocity = true;
    entity->velocity_m_s =
        (pov_vec3){report->place.velocity[0], report->place.velocity[1], report->place.velocity[2]};
    memcpy(entity->velocity_cov_m2_s2, report->place.velocity_cov, sizeof entity->velocity_cov_m2_s2);
    if (rate == 0 || found->camera == POV_ID_NONE)
        return;
    for (int k = 0; k < 6; k++) {
        per_camera_pose[0][k] = -rate * place[1][k];
        per_camera_pose[1][k] = rate * place[0][k];
    }
    pov_sandwich(cov, &per_camera_pose[0][0], &found->camera_pose_cov[0][0], 2, 6);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            entity->velocity_cov_m2_s2[i][j] += cov[2 * i + j];
}

static void set_track(pov_entity *entity, const pov_scene_tracker *t, const pov_cast_member *member,
                      int track, const pov_scene_moment *moment)
{
    pov_track_report report;
    pov_tracker_report(t->tracker, &report, track);
    if (report.state == POV_TRACK_NONE)
        return;
    entity->track = (pov_entity_track){.tracked = true,
                                       .lost = report.state == POV_TRACK_LOST,
                                       .age_s = report.age_s,
                                       .hidden_s = report.hidden_s,
                                       .other_p = report.other_p,
                                       .motion = report.motion};
    if (report.state == POV_TRACK_LOST)
        return;
    set_place(entity, t, &report, track, moment);
    if (entity->seen && member->found_by->is_placed_on_plane)
        allow_for_a_lift(entity, &t->found, &report);
    set_heading(entity, &report);
    set_velocity(entity, &t->found, &report);
}

static pov_id sighted_as(const pov_scene_tracker *t, int track)
{
    for (int i = 0; i < t->sighting_len; i++)
        if (t->track_of_sighting[i] == track)
            return t->entity_of_sighting[i];
    return POV_ID_NONE;
}

static pov_id append_entity(pov_scene *scene, const pov_entity *entity)
{
    POV_REQUIRE(scene->len < POV_ENTITY_MAX);
    scene->entities[scene->len] = *entity;
    return scene->len++;
}

/* False for an entity that was never found, or is lost: the scene leaves it out if there are others like it. */
static bool is_there(const pov_scene_tracker *t, int track)
{
    pov_track_report report;
    pov_tracker_report(t->tracker, &report, track);
    return report.state == POV_TRACK_SEEN || report.state == POV_TRACK_HIDDEN;
}

/* Entity `k` of a member as it was found, where there was no place to follow. */
static pov_id find_unplaced(const pov_scene_tracker *t, const pov_cast_member *member, int k)
{
    char name[POV_NAME_CAPACITY];
    pov_cast_member_name(name, member, k);
    const pov_id id = pov_scene_find(&t->found, name);
    return id == POV_ID_NONE || (t->found.entities[id].placed && pov_cast_member_count(member) > 1)
               ? POV_ID_NONE
               : id;
}

static void add_member(pov_scene_tracker *t, pov_scene *scene, pov_id renamed[POV_ENTITY_MAX], int i,
                       const pov_scene_moment *moment)
{
    const pov_cast_member *member = &t->cast.members[i];
    int first = pov_tracker_first(t->tracker, t->group_of[i]);
    for (int k = 0; k < pov_cast_member_count(member); k++) {
        pov_id found = sighted_as(t, first + k);
        if (found == POV_ID_NONE && (pov_cast_member_count(member) == 1 || !is_there(t, first + k)))
            found = find_unplaced(t, member, k);
        if ((found == POV_ID_NONE && !is_there(t, first + k)) || scene->len == POV_ENTITY_MAX)
            continue;
        pov_entity entity = found == POV_ID_NONE ? member->entity : t->found.entities[found];
        pov_cast_member_name(entity.name, member, k);
        if (entity.seen && entity.placed)
            memcpy(t->per_camera_pose[first + k], entity.position.per_camera_pose,
                   sizeof t->per_camera_pose[0]);
        set_track(&entity, t, member, first + k, moment);
        pov_id id = append_entity(scene, &entity);
        if (found != POV_ID_NONE)
            renamed[found] = id;
    }
}

static void set_time(pov_scene_tracker *t, int64_t now_ns)
{
    t->is_late = t->has_time && pov_motion_is_late(now_ns, t->now_ns);
    if (t->has_time && now_ns <= t->now_ns && !t->is_late)
        forget_looks(t);
    t->has_time = true;
    if (!t->is_late)
        t->now_ns = now_ns;
}

void pov_scene_tracker_run(pov_scene_tracker *t, pov_scene *scene, pov_id renamed[POV_ENTITY_MAX],
                           const pov_scene_moment *moment)
{
    set_time(t, moment->now_ns);
    t->found = *scene;
    sight_all(t, moment);
    pov_tracker_step(t->tracker, t->track_of_sighting, moment->now_ns, moment->table, t->sightings,
                     t->sighting_len);
    for (int i = 0; i < POV_ENTITY_MAX; i++)
        renamed[i] = POV_ID_NONE;
    scene->len = 0;
    if (t->found.camera != POV_ID_NONE)
        scene->camera = renamed[t->found.camera] = append_entity(scene, &t->found.entities[t->found.camera]);
    for (int i = 0; i < t->cast.len; i++) {
        if (t->group_of[i] != NO_GROUP) {
            add_member(t, scene, renamed, i, moment);
            continue;
        }
        pov_id id = pov_scene_find(&t->found, t->cast.members[i].entity.name);
        if (id != POV_ID_NONE)
            renamed[id] = append_entity(scene, &t->found.entities[id]);
    }
}
