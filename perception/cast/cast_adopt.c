#include "perception/cast/cast.h"

#include <math.h>
#include <string.h>

/* Bodies that two stations measured, each by itself, are of one size within this; chosen. */
static const double same_share = 0.05, same_m = 0.002;

static bool is_like(double a, double b)
{
    return fabs(a - b) <= fmax(same_m, same_share * fmax(a, b));
}

static bool is_same_thing(const pov_entity *own, const pov_entity *their)
{
    return strcmp(own->class_name, their->class_name) == 0 && is_like(own->size_m.x, their->size_m.x) &&
           is_like(own->size_m.y, their->size_m.y) && is_like(own->size_m.z, their->size_m.z);
}

static void note_difference(pov_cast_difference *difference, const pov_entity *own, const pov_entity *their)
{
    if (*difference->name)
        return;
    memcpy(difference->name, their->name, sizeof difference->name);
    memcpy(difference->their_class, their->class_name, sizeof difference->their_class);
    difference->their_size_m = their->size_m;
    difference->is_unknown = own == NULL;
    if (!own)
        return;
    memcpy(difference->own_class, own->class_name, sizeof difference->own_class);
    difference->own_size_m = own->size_m;
}

/* Numbers beyond all that is on a table are finite, and their squares are not. */
static bool is_within(const void *numbers, size_t bytes, double most)
{
    const double *number = numbers;
    for (size_t i = 0; i < bytes / sizeof *number; i++)
        if (!(fabs(number[i]) <= most))
            return false;
    return true;
}
#define IS_WITHIN(member, most) is_within(&(member), sizeof(member), most)

static bool is_pose_sane(const pov_pose *pose, const double cov[6][6])
{
    return IS_WITHIN(pose->T.t_m, 1e5) && is_within(cov, 36 * sizeof cov[0][0], 1e6);
}

static bool is_sane(const pov_entity *entity)
{
    return (!entity->placed ||
            (IS_WITHIN(entity->position.mean_m, 1e5) && IS_WITHIN(entity->position.own_cov_m2, 1e6) &&
             IS_WITHIN(entity->position.per_camera_pose, 1e5))) &&
           IS_WITHIN(entity->heading_ties, 1e5) &&
           (!entity->has_velocity ||
            (IS_WITHIN(entity->velocity_m_s, 1e3) && IS_WITHIN(entity->velocity_cov_m2_s2, 1e6))) &&
           (!entity->has_turn_rate ||
            (fabs(entity->turn_rate_rad_s) < 1e3 && entity->turn_rate_std_rad_s < 1e3));
}

/* What an image tells of a thing; its body stays this cast's. */
static void take_look(pov_entity *entity, const pov_entity *their, bool is_placed)
{
    entity->seen = their->seen;
    entity->look_age_s = their->look_age_s;
    if (!is_placed || !is_sane(their))
        return;
    entity->placed = their->placed;
    entity->position = their->position;
    entity->R_table_box = their->R_table_box;
    if (their->heading.len > 0) {
        entity->heading = their->heading;
        entity->heading_ties = their->heading_ties;
    }
    entity->head_heading = their->head_heading;
    entity->arms_seen = their->arms_seen;
    entity->pointing = their->pointing;
    entity->has_velocity = their->has_velocity;
    entity->velocity_m_s = their->velocity_m_s;
    memcpy(entity->velocity_cov_m2_s2, their->velocity_cov_m2_s2, sizeof entity->velocity_cov_m2_s2);
    entity->has_turn_rate = their->has_turn_rate;
    entity->turn_rate_rad_s = their->turn_rate_rad_s;
    entity->turn_rate_std_rad_s = their->turn_rate_std_rad_s;
    entity->track = their->track;
}

static pov_status add_member(pov_scene *scene, pov_cast_difference *difference, const pov_cast_member *member,
                             const pov_scene *theirs, bool is_placed)
{
    const int count = member->found_by ? pov_cast_member_count(member) : 1;
    for (int k = 0; k < count; k++) {
        pov_entity entity = member->entity;
        pov_id added;
        pov_cast_member_name(entity.name, member, k);
        const pov_id id = member->found_by ? pov_scene_find(theirs, entity.name) : POV_ID_NONE;
        if (id != POV_ID_NONE && is_same_thing(&entity, &theirs->entities[id]))
            take_look(&entity, &theirs->entities[id], is_placed);
        else if (id != POV_ID_NONE)
            note_difference(difference, &entity, &theirs->entities[id]);
        else if (count > 1)
            continue;
        POV_TRY(pov_scene_add(scene, &added, &entity));
    }
    return pov_ok();
}

pov_status pov_cast_adopt(const pov_cast *cast, pov_scene *scene, pov_cast_difference *difference,
                          const pov_scene *theirs, const pov_pose *T_table_camera)
{
    const bool is_placed = T_table_camera && is_pose_sane(T_table_camera, theirs->camera_pose_cov);
    *difference = (pov_cast_difference){.name = ""};
    pov_scene_clear(scene);
    if (is_placed) {
        POV_TRY(pov_scene_add_camera(scene, T_table_camera));
        memcpy(scene->camera_pose_cov, theirs->camera_pose_cov, sizeof scene->camera_pose_cov);
    }
    for (int i = 0; i < cast->len; i++)
        POV_TRY(add_member(scene, difference, &cast->members[i], theirs, is_placed));
    for (int i = 0; i < theirs->len; i++)
        if (i != theirs->camera && !pov_cast_has(cast, theirs->entities[i].name))
            note_difference(difference, NULL, &theirs->entities[i]);
    return pov_ok();
}
