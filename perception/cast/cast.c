#include "perception/cast/cast.h"

#include "perception/geometry/linalg.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int pov_cast_member_count(const pov_cast_member *member)
{
    return member->count > 1 ? member->count : 1;
}

void pov_cast_member_name(char name[POV_NAME_CAPACITY], const pov_cast_member *member, int index)
{
    if (pov_cast_member_count(member) == 1)
        snprintf(name, POV_NAME_CAPACITY, "%s", member->entity.name);
    else
        snprintf(name, POV_NAME_CAPACITY, "%.*s_%u", POV_NAME_CAPACITY - 5, member->entity.name,
                 (unsigned)(unsigned char)(index + 1));
}

bool pov_cast_has(const pov_cast *cast, const char *name)
{
    for (int i = 0; i < cast->len; i++)
        for (int k = 0; k < pov_cast_member_count(&cast->members[i]); k++) {
            char its[POV_NAME_CAPACITY];
            pov_cast_member_name(its, &cast->members[i], k);
            if (strcmp(its, name) == 0)
                return true;
        }
    return false;
}

static bool is_seen(const pov_cast_member *member, const pov_scene *scene)
{
    for (int k = 0; k < pov_cast_member_count(member); k++) {
        char name[POV_NAME_CAPACITY];
        pov_cast_member_name(name, member, k);
        for (int i = 0; i < scene->len; i++)
            if (scene->entities[i].seen && strcmp(scene->entities[i].name, name) == 0)
                return true;
    }
    return false;
}

void pov_cast_count_seen(uint64_t found[POV_CAST_MAX], const pov_cast *cast, const pov_scene *scene)
{
    for (int i = 0; i < cast->len; i++)
        found[i] += is_seen(&cast->members[i], scene);
}

/* Position of something seen through the camera: own 3x3 covariance turned into the table frame, and how it moves
 * with the camera's pose error. */
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

static pov_vec3 front_of(pov_rot R_table_entity)
{
    return (pov_vec3){R_table_entity.m[0][0], R_table_entity.m[1][0], R_table_entity.m[2][0]};
}

/* The direction on the ground of a body's x axis as one mode; kappa from the rotation's covariance in the
 * table. */
static pov_heading_mode heading_of(const pov_pose *T_table_entity, double weight)
{
    const pov_vec3 front = front_of(T_table_entity->T.R);
    double gradient[3], variance = 0;
    pov_yaw_gradient(gradient, front);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            variance += gradient[i] * T_table_entity->cov[i][j] * gradient[j];
    return (pov_heading_mode){weight, atan2(front.y, front.x), pov_kappa_from_std(sqrt(fmax(0, variance)))};
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

/* Ties the front's error to the camera's, and to the position's error that the tag's own pose causes. */
static void tie_heading(pov_entity *entity, pov_rot R_table_camera, const pov_pose *T_camera_entity)
{
    double gradient[3], turned[6][6], J[6][6] = {{0}};
    pov_yaw_gradient(gradient, front_of(entity->R_table_box));
    entity->heading_ties = (pov_heading_ties){.per_camera_pose = {gradient[0], gradient[1], gradient[2]}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[i][j] = J[3 + i][3 + j] = R_table_camera.m[i][j];
    pov_sandwich(turned[0], J[0], T_camera_entity->cov[0], 6, 6);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            entity->heading_ties.with_position_m[j] += gradient[i] * turned[i][3 + j];
}

/* A place that may also be another becomes one as wide as both together: their mean and covariance. */
static void mix_place(pov_position *position, const pov_position *other, double probability)
{
    const pov_vec3 apart_m = pov_vec3_sub(other->mean_m, position->mean_m);
    const double d[3] = {apart_m.x, apart_m.y, apart_m.z}, first = 1 - probability;
    position->mean_m = pov_vec3_add(position->mean_m, pov_vec3_scale(apart_m, probability));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            position->own_cov_m2[i][j] = first * position->own_cov_m2[i][j] +
                                         probability * other->own_cov_m2[i][j] +
                                         first * probability * d[i] * d[j];
}

static pov_position place_of(const pov_pose *T_table_camera, const pov_pose *T_camera_entity)
{
    double cov[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            cov[r][c] = T_camera_entity->cov[3 + r][3 + c];
    return seen_position(T_table_camera, T_camera_entity->T.t_m, &cov[0][0]);
}

/* If two poses fit, box and ties are those of the likelier one. */
static void place_tagged(pov_entity *entity, const pov_cast_member *member, const pov_tag_poses *poses,
                         const pov_pose *T_table_camera)
{
    bool has_front = entity->heading.len > 0, upright = false;
    entity->heading.len = 0;
    for (int i = 0; i < poses->len; i++) {
        pov_pose T_camera_entity = pov_pose_mul(&poses->T_camera_tag[i], &member->T_tag_entity);
        pov_pose T_table_entity = pov_pose_mul(T_table_camera, &T_camera_entity);
        const pov_position place = place_of(T_table_camera, &T_camera_entity);
        upright = upright || stands_upright(&T_table_entity);
        if (has_front)
            entity->heading.mode[entity->heading.len++] = heading_of(&T_table_entity, poses->probability[i]);
        if (i > 0) {
            mix_place(&entity->position, &place, poses->probability[i]);
            continue;
        }
        entity->placed = true;
        entity->position = place;
        entity->R_table_box = T_table_entity.T.R;
        tie_heading(entity, T_table_camera->T.R, &T_camera_entity);
    }
    if (upright)
        entity->heading.len = 0;
}

static int gather_tagged(pov_entity entities[POV_FOUND_MAX], pov_findings *findings,
                         const pov_cast_member *member, const pov_cast_view *view)
{
    const pov_tag *tag = find_tag(&findings->tags, member);
    pov_tag_poses poses;
    if (!tag || pov_tag_pose_estimate(&poses, view->camera, tag, member->tag_edge_m) != POV_OK)
        return 0;
    entities[0] = member->entity;
    entities[0].seen = true;
    if (view->T_table_camera)
        place_tagged(&entities[0], member, &poses, view->T_table_camera);
    return 1;
}

/* From left to right in the camera's image; 0 where nobody knows where the camera is. */
static double azimuth_of(const pov_pose *T_table_camera, pov_vec3 pos_m)
{
    if (!T_table_camera)
        return 0;
    const pov_vec3 seen_m = pov_transform_apply(pov_transform_inverse(T_table_camera->T), pos_m);
    return atan2(seen_m.x, seen_m.z);
}

/* It turns with the table as the camera has it. */
static pov_entity place_enrolled(const pov_entity *like, const pov_object_finding *finding,
                                 const pov_pose *T_table_camera)
{
    pov_entity entity = *like;
    entity.seen = entity.placed = true;
    entity.position = finding->position;
    entity.size_m = finding->size_m;
    entity.R_table_box = finding->R_table_box;
    entity.heading = finding->heading;
    if (T_table_camera)
        pov_heading_tie_to_camera(&entity, (const double[3]){0, 0, 1}, T_table_camera);
    return entity;
}

static int gather_enrolled(pov_entity entities[POV_FOUND_MAX], pov_findings *findings,
                           const pov_cast_member *member, const pov_cast_view *view)
{
    const int end = member->kind + pov_cast_member_count(member);
    double rightward[POV_OBJECT_MAX];
    int len = 0;
    for (int i = member->kind; i < end && i < findings->objects.len; i++) {
        const pov_object_finding *finding = &findings->objects.findings[i];
        if (!finding->found)
            continue;
        const double at = azimuth_of(view->T_table_camera, finding->position.mean_m);
        int place = len++;
        for (; place > 0 && rightward[place - 1] > at; place--) {
            entities[place] = entities[place - 1];
            rightward[place] = rightward[place - 1];
        }
        entities[place] = place_enrolled(&member->entity, finding, view->T_table_camera);
        rightward[place] = at;
    }
    return len;
}

static int gather_things(pov_entity entities[POV_FOUND_MAX], const pov_findings *findings,
                         const pov_cast_member *member)
{
    double column_px[POV_FOUND_MAX];
    int len = 0;
    for (int i = 0; i < findings->thing_len; i++) {
        const pov_found_thing *thing = &findings->things[i];
        if (thing->found_by != member->found_by || thing->kind != member->kind ||
            len == pov_cast_member_count(member))
            continue;
        int at = len++;
        for (; at > 0 && column_px[at - 1] > thing->middle_px; at--) {
            entities[at] = entities[at - 1];
            column_px[at] = column_px[at - 1];
        }
        column_px[at] = thing->middle_px;
        entities[at] = member->entity;
        entities[at].seen = true;
        entities[at].placed = thing->placed;
        entities[at].position = thing->position;
        if (thing->heading.len > 0)
            entities[at].heading = thing->heading;
        if (thing->placed && thing->heading.len > 0)
            entities[at].R_table_box = pov_rot_yaw(pov_heading_heaviest(&thing->heading)->yaw_rad);
    }
    return len;
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

static int gather_balls(pov_entity entities[POV_FOUND_MAX], pov_findings *findings,
                        const pov_cast_member *member, const pov_cast_view *view)
{
    int order[POV_BALL_MAX], len = balls_of_kind(order, &findings->balls, member->kind);
    const int max = pov_cast_member_count(member);
    len = len < max ? len : max;
    for (int i = 0; i < len; i++) {
        entities[i] = member->entity;
        place_ball(&entities[i], &findings->balls.balls[order[i]], view->T_table_camera);
        findings->ball_entity[order[i]] = (pov_id)(view->first + i);
    }
    return len;
}

static int gather_modelled(pov_entity entities[POV_FOUND_MAX], pov_findings *findings,
                           const pov_cast_member *member, const pov_cast_view *view)
{
    return pov_model_look_entities(entities, &findings->looks, &member->entity, &member->model, view->camera,
                                   pov_cast_member_count(member));
}

static int gather_people(pov_entity entities[POV_FOUND_MAX], pov_findings *findings,
                         const pov_cast_member *member, const pov_cast_view *view)
{
    const pov_people_expected expected = {&member->entity, &member->person, pov_cast_member_count(member)};
    return pov_person_look_entities(entities, &findings->people, &expected, view->camera,
                                    view->T_table_camera);
}

/* It has its place in the table, whatever the camera does. */
static pov_entity place_heard(const pov_entity *like, const pov_pose *T_table_thing)
{
    pov_entity entity = *like;
    entity.seen = entity.placed = true;
    entity.position = (pov_position){.mean_m = T_table_thing->T.t_m};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            entity.position.own_cov_m2[i][j] = T_table_thing->cov[3 + i][3 + j];
    entity.R_table_box = T_table_thing->T.R;
    if (like->heading.len > 0) {
        entity.heading.len = stands_upright(T_table_thing) ? 0 : 1;
        entity.heading.mode[0] = heading_of(T_table_thing, 1);
    }
    return entity;
}

static int gather_heard(pov_entity entities[POV_FOUND_MAX], pov_findings *findings,
                        const pov_cast_member *member, const pov_cast_view *view)
{
    const pov_heard *heard = &findings->heard;
    int len = 0;
    (void)view;
    for (int i = 0; i < heard->len && len < pov_cast_member_count(member); i++)
        if (heard->things[i].kind == member->kind)
            entities[len++] = place_heard(&member->entity, &heard->things[i].T_table_thing);
    return len;
}

const pov_found_by pov_found_by_ball = {.name = "ball", .gather = gather_balls};
const pov_found_by pov_found_by_tag = {.name = "tag", .is_identified = true, .gather = gather_tagged};
const pov_found_by pov_found_by_model = {.name = "model", .gather = gather_modelled};
const pov_found_by pov_found_by_enrolled = {
    .name = "enrolled", .is_placed_on_plane = true, .gather = gather_enrolled};
const pov_found_by pov_found_by_person = {.name = "person", .gather = gather_people};
const pov_found_by pov_found_by_tf = {.name = "tf", .is_identified = true, .gather = gather_heard};
const pov_found_by pov_found_by_topic = {.name = "topic", .gather = gather_heard};

static_assert((int)POV_BALL_MAX <= (int)POV_FOUND_MAX && (int)POV_OBJECT_MAX <= (int)POV_FOUND_MAX &&
                  (int)POV_MODEL_COUNT_MAX <= (int)POV_FOUND_MAX &&
                  (int)POV_PERSON_MAX <= (int)POV_FOUND_MAX && (int)POV_HEARD_MAX <= (int)POV_FOUND_MAX,
              "room for all that a finder finds");

/* The entities found, numbered where there may be several; a single one is there whether it is found or not. */
static pov_status add_member(pov_scene *scene, pov_findings *findings, const pov_cast_member *member,
                             const pov_cast_view *view)
{
    pov_entity entities[POV_FOUND_MAX];
    const bool numbered = pov_cast_member_count(member) > 1;
    const int found = !member->found_by          ? 0
                      : member->found_by->gather ? member->found_by->gather(entities, findings, member, view)
                                                 : gather_things(entities, findings, member);
    if (found == 0)
        entities[0] = member->entity;
    for (int i = 0; i < (numbered ? found : 1); i++) {
        pov_id id;
        pov_cast_member_name(entities[i].name, member, i);
        POV_TRY(pov_scene_add(scene, &id, &entities[i]));
    }
    return pov_ok();
}

pov_status pov_cast_build_scene(const pov_cast *cast, pov_scene *scene, pov_findings *findings,
                                const pov_camera *camera, const pov_pose *T_table_camera)
{
    pov_cast_view view = {.camera = camera, .T_table_camera = T_table_camera};
    pov_scene_clear(scene);
    for (int i = 0; i < POV_BALL_MAX; i++)
        findings->ball_entity[i] = POV_ID_NONE;
    if (T_table_camera)
        POV_TRY(pov_scene_add_camera(scene, T_table_camera));
    for (int i = 0; i < cast->len; i++) {
        view.first = (pov_id)scene->len;
        POV_TRY(add_member(scene, findings, &cast->members[i], &view));
    }
    return pov_ok();
}
