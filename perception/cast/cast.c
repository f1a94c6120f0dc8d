#include "perception/cast/cast.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Position of something seen through the camera: own 3x3 covariance turned into the table frame, and how it moves
 * with the camera's pose error. */
int pov_cast_member_count(const pov_cast_member *member)
{
    const int count = member->found_by == POV_FOUND_BY_MODEL    ? member->model_count
                      : member->found_by == POV_FOUND_BY_BALL   ? member->ball_count
                      : member->found_by == POV_FOUND_ENROLLED  ? member->object_count
                      : member->found_by == POV_FOUND_BY_PERSON ? member->person_count
                                                                : 1;
    return count > 1 ? count : 1;
}

void pov_cast_member_name(char name[POV_NAME_CAPACITY], const pov_cast_member *member, int index)
{
    if (pov_cast_member_count(member) == 1)
        snprintf(name, POV_NAME_CAPACITY, "%s", member->entity.name);
    else
        snprintf(name, POV_NAME_CAPACITY, "%.*s_%u", POV_NAME_CAPACITY - 5, member->entity.name,
                 (unsigned)(unsigned char)(index + 1));
}

static pov_position seen_position(const pov_pose *T_table_camera, pov_vec3 pos_camera_m,
                                  const double *cov_camera_m2)
{
    pov_position position = {.mean_m = pov_transform_apply(T_table_camera->T, pos_camera_m)};
    pov_sandwich(&position.own_cov_m2[0][0], &T_table_camera->T.R.m[0][0], cov_camera_m2, 3, 3);
    pov_vec3 p = pov_vec3_sub(position.mean_m, T_table_camera->T.t_m); /* rot moves it by rot x p */
    const double J[3][6] = {{0, p.z, -p.y, 1, 0, 0}, {-p.z, 0, p.x, 0, 1, 0}, {p.y, -p.x, 0, 0, 0, 1}};
    memcpy(position.per_camera_pose, J, sizeof J);
    return position;
}

static void place_ball(pov_entity *entity, const pov_ball *ball, const pov_pose *T_table_camera)
{
    entity->seen = true;
    if (!T_table_camera)
        return;
    entity->placed = true;
    entity->position = seen_position(T_table_camera, ball->pos_camera_m, &ball->cov_camera_m2[0][0]);
    memcpy(entity->position.per_camera_pose, ball->per_camera_pose, sizeof ball->per_camera_pose);
}

/* The direction on the ground of a body's x axis as one mode; kappa from the rotation's covariance in the
 * table. */
static pov_heading_mode heading_of(const pov_pose *T_table_entity, double weight)
{
    double x = T_table_entity->T.R.m[0][0], y = T_table_entity->T.R.m[1][0], z = T_table_entity->T.R.m[2][0];
    double length2 = x * x + y * y, gradient[3] = {-x * z / length2, -y * z / length2, 1}, variance = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            variance += gradient[i] * T_table_entity->cov[i][j] * gradient[j];
    return (pov_heading_mode){weight, atan2(y, x), pov_kappa_from_std(sqrt(fmax(0, variance)))};
}

/* A body's x axis has no direction on the ground then. */
static bool stands_upright(const pov_pose *T_table_entity)
{
    return hypot(T_table_entity->T.R.m[0][0], T_table_entity->T.R.m[1][0]) < 1e-9;
}

static const pov_tag *find_tag(const pov_tags *tags, const pov_cast_member *member)
{
    const pov_tag *found = NULL;
    for (int i = 0; i < tags->len; i++) {
        const pov_tag *tag = &tags->tags[i];
        if (tag->family == member->tag_family && tag->id == member->tag_id &&
            (!found || tag->decision_margin > found->decision_margin))
            found = tag;
    }
    return found;
}

static void place_tagged(pov_entity *entity, const pov_cast_member *member, const pov_tag_poses *poses,
                         const pov_pose *T_table_camera)
{
    bool has_front = entity->heading.len > 0, upright = false;
    entity->heading.len = 0;
    for (int i = 0; i < poses->len; i++) {
        pov_pose T_camera_entity = pov_pose_mul(&poses->T_camera_tag[i], &member->T_tag_entity);
        pov_pose T_table_entity = pov_pose_mul(T_table_camera, &T_camera_entity);
        upright = upright || stands_upright(&T_table_entity);
        if (has_front)
            entity->heading.mode[entity->heading.len++] = heading_of(&T_table_entity, poses->probability[i]);
        if (i > 0)
            continue;
        double cov[3][3];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                cov[r][c] = T_camera_entity.cov[3 + r][3 + c];
        entity->placed = true;
        entity->position = seen_position(T_table_camera, T_camera_entity.T.t_m, &cov[0][0]);
        entity->R_table_box = T_table_entity.T.R;
    }
    if (upright)
        entity->heading.len = 0;
}

static void find_tagged(pov_entity *entity, const pov_cast_member *member, const pov_tags *tags,
                        const pov_camera *camera, const pov_pose *T_table_camera)
{
    const pov_tag *tag = find_tag(tags, member);
    pov_tag_poses poses;
    if (!tag || pov_tag_pose_estimate(&poses, camera, tag, member->tag_edge_m) != POV_OK)
        return;
    entity->seen = true;
    if (T_table_camera)
        place_tagged(entity, member, &poses, T_table_camera);
}

/* From left to right in the camera's image; 0 where nobody knows where the camera is. */
static double azimuth_of(const pov_pose *T_table_camera, pov_vec3 pos_m)
{
    if (!T_table_camera)
        return 0;
    const pov_vec3 seen_m = pov_transform_apply(pov_transform_inverse(T_table_camera->T), pos_m);
    return atan2(seen_m.x, seen_m.z);
}

static void place_enrolled(pov_entity *entity, const pov_object_finding *finding)
{
    entity->seen = finding->found;
    if (!finding->found)
        return;
    entity->placed = true;
    entity->position = finding->position;
    entity->size_m = finding->size_m;
    entity->R_table_box = finding->R_table_box;
    entity->heading = finding->heading;
}

/* Those found, numbered from left to right as the camera sees them, or the one, found or not. */
static pov_status add_enrolled(pov_scene *scene, const pov_findings *findings, const pov_cast_member *member,
                               const pov_pose *T_table_camera)
{
    const pov_object_finding *found[POV_OBJECT_MAX];
    double rightward[POV_OBJECT_MAX];
    int len = 0;
    const int count = pov_cast_member_count(member);
    for (int i = member->object_kind; i < member->object_kind + count && i < findings->objects.len; i++) {
        const pov_object_finding *finding = &findings->objects.findings[i];
        if (count > 1 && !finding->found)
            continue;
        const double at = finding->found ? azimuth_of(T_table_camera, finding->position.mean_m) : 0;
        int place = len++;
        for (; place > 0 && rightward[place - 1] > at; place--) {
            found[place] = found[place - 1];
            rightward[place] = rightward[place - 1];
        }
        found[place] = finding;
        rightward[place] = at;
    }
    for (int i = 0; i < (count > 1 ? len : 1); i++) {
        pov_entity entity = member->entity;
        pov_id id;
        pov_cast_member_name(entity.name, member, i);
        if (i < len)
            place_enrolled(&entity, found[i]);
        POV_TRY(pov_scene_add(scene, &id, &entity));
    }
    return pov_ok();
}

static double azimuth_rad(const pov_ball *ball)
{
    return atan2(ball->pos_camera_m.x, ball->pos_camera_m.z);
}

/* The balls of a kind in the order of their places in the image, from left to right. */
static int balls_of_kind(int order[POV_BALL_MAX], const pov_balls *balls, int kind)
{
    int len = 0;
    for (int i = 0; i < balls->len; i++) {
        if (balls->balls[i].kind != kind)
            continue;
        int at = len++;
        for (; at > 0 && azimuth_rad(&balls->balls[order[at - 1]]) > azimuth_rad(&balls->balls[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return len;
}

static pov_status add_balls(pov_scene *scene, pov_findings *findings, const pov_cast_member *member,
                            const pov_pose *T_table_camera)
{
    int order[POV_BALL_MAX], len = balls_of_kind(order, &findings->balls, member->ball_kind);
    int expected = member->ball_count > 1 && len < member->ball_count ? len : member->ball_count;
    for (int i = 0; i < expected; i++) {
        pov_entity entity = member->entity;
        pov_id id;
        pov_cast_member_name(entity.name, member, i);
        if (i < len)
            place_ball(&entity, &findings->balls.balls[order[i]], T_table_camera);
        POV_TRY(pov_scene_add(scene, &id, &entity));
        if (i < len)
            findings->ball_entity[order[i]] = id;
    }
    return pov_ok();
}

/* Like balls: those found, numbered from left to right, or the one, found or not. */
static pov_status add_found(pov_scene *scene, pov_entity *entities, int found, const pov_cast_member *member)
{
    const bool numbered = pov_cast_member_count(member) > 1;
    if (found == 0)
        entities[0] = member->entity;
    for (int i = 0; i < (numbered ? found : 1); i++) {
        pov_id id;
        pov_cast_member_name(entities[i].name, member, i);
        POV_TRY(pov_scene_add(scene, &id, &entities[i]));
    }
    return pov_ok();
}

static pov_status add_modelled(pov_scene *scene, const pov_findings *findings, const pov_cast_member *member,
                               const pov_camera *camera)
{
    pov_entity entities[POV_MODEL_COUNT_MAX];
    const int found = pov_model_look_entities(entities, &findings->looks, &member->entity, &member->model,
                                              camera, pov_cast_member_count(member));
    return add_found(scene, entities, found, member);
}

static pov_status add_people(pov_scene *scene, const pov_findings *findings, const pov_cast_member *member,
                             const pov_camera *camera, const pov_pose *T_table_camera)
{
    pov_entity entities[POV_PERSON_MAX];
    const pov_people_expected expected = {&member->entity, &member->person, pov_cast_member_count(member)};
    const int found =
        pov_person_look_entities(entities, &findings->people, &expected, camera, T_table_camera);
    return add_found(scene, entities, found, member);
}

pov_status pov_cast_build_scene(const pov_cast *cast, pov_scene *scene, pov_findings *findings,
                                const pov_camera *camera, const pov_pose *T_table_camera)
{
    pov_scene_clear(scene);
    for (int i = 0; i < POV_BALL_MAX; i++)
        findings->ball_entity[i] = POV_ID_NONE;
    if (T_table_camera)
        POV_TRY(pov_scene_add_camera(scene, T_table_camera));
    for (int i = 0; i < cast->len; i++) {
        const pov_cast_member *member = &cast->members[i];
        if (member->found_by == POV_FOUND_BY_BALL) {
            POV_TRY(add_balls(scene, findings, member, T_table_camera));
            continue;
        }
        if (member->found_by == POV_FOUND_BY_MODEL) {
            POV_TRY(add_modelled(scene, findings, member, camera));
            continue;
        }
        if (member->found_by == POV_FOUND_ENROLLED) {
            POV_TRY(add_enrolled(scene, findings, member, T_table_camera));
            continue;
        }
        if (member->found_by == POV_FOUND_BY_PERSON) {
            POV_TRY(add_people(scene, findings, member, camera, T_table_camera));
            continue;
        }
        pov_entity entity = member->entity;
        pov_id id;
        if (member->found_by == POV_FOUND_BY_TAG)
            find_tagged(&entity, member, &findings->tags, camera, T_table_camera);
        POV_TRY(pov_scene_add(scene, &id, &entity));
    }
    return pov_ok();
}
