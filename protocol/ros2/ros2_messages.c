#include "protocol/ros2/ros2_messages.h"

#include "config/files/json_value.h"
#include "foxglove/foxglove.pb-c.h"
#include "perception/geometry/quaternion.h"
#include "perception/visibility/visibility_field.h"
#include "protocol/observation/json.h"
#include "protocol/ros2/cdr_writer.h"

#include <cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pov_ros2_packer {
    pov_cdr_writer cdr;
    pov_ros2_frames frames;
    char camera[POV_ROS2_NAME_CAPACITY + POV_IMAGE_NAME_CAPACITY]; /* the frame of the camera at hand */
    FILE *lines; /* of JSON, each in the place of the one before */
    char *line;
    size_t line_len;
};

pov_status pov_ros2_packer_new(pov_ros2_packer **packer, const pov_ros2_frames *frames)
{
    const pov_ros2_frames preset = POV_ROS2_FRAMES_DEFAULT;
    *packer = calloc(1, sizeof **packer);
    if (!*packer)
        return pov_error("out of memory for messages of ROS 2");
    (*packer)->frames = frames ? *frames : preset;
    pov_ros2_packer_camera(*packer, "");
    (*packer)->lines = open_memstream(&(*packer)->line, &(*packer)->line_len);
    if ((*packer)->lines)
        return pov_ok();
    pov_ros2_packer_destroy(packer);
    return pov_error("out of memory for messages of ROS 2");
}

void pov_ros2_packer_destroy(pov_ros2_packer **packer)
{
    if (*packer) {
        pov_cdr_free(&(*packer)->cdr);
        if ((*packer)->lines)
            (void)fclose((*packer)->lines);
        free((*packer)->line);
    }
    free(*packer);
    *packer = NULL;
}

void pov_ros2_packer_camera(pov_ros2_packer *packer, const char *id)
{
    snprintf(packer->camera, sizeof packer->camera, "%s%s%s", id, *id ? "_" : "", packer->frames.camera);
}

static pov_status end_message(const pov_ros2_packer *packer, pov_mcap_message *message, pov_ros2_topic topic)
{
    message->channel = (uint16_t)(topic + 1);
    message->bytes = packer->cdr.bytes;
    message->len = packer->cdr.len;
    message->is_coded = topic == POV_ROS2_IMAGE;
    return packer->cdr.failed ? pov_error("out of memory for a message of ROS 2") : pov_ok();
}

/* ---- parts ---- */

static void put_header(pov_cdr_writer *to, int64_t ns, const char *frame)
{
    const int64_t second_ns = 1000000000, second = ns / second_ns - (ns % second_ns < 0);
    pov_cdr_put_whole(to, (uint32_t)(int32_t)second, 4);
    pov_cdr_put_whole(to, (uint32_t)(ns - second * second_ns), 4);
    pov_cdr_put_text(to, frame);
}

static void put_vector(pov_cdr_writer *to, pov_vec3 v)
{
    pov_cdr_put_numbers(to, (const double[]){v.x, v.y, v.z}, 3);
}

static void put_pose(pov_cdr_writer *to, pov_transform T)
{
    double q[4];
    pov_rot_quaternion(q, T.R);
    put_vector(to, T.t_m);
    pov_cdr_put_numbers(to, q, 4);
}

static pov_transform pose_of(const pov_entity *entity)
{
    return (pov_transform){entity->R_table_box, entity->position.mean_m};
}

static bool is_thing(const pov_observation *observation, int i)
{
    return observation->scene.entities[i].placed && i != observation->scene.camera;
}

static uint32_t count_things(const pov_observation *observation)
{
    uint32_t count = 0;
    for (int i = 0; i < observation->scene.len; i++)
        count += is_thing(observation, i);
    return count;
}

static bool has_camera_pose(const pov_observation *observation)
{
    return isfinite(observation->image.T_table_camera.T.t_m.x) &&
           isfinite(observation->image.T_table_camera.T.R.m[0][0]);
}

/* ROS has the position first, pov the rotation; both turn about the fixed axes of the parent. */
static void put_camera_covariance(pov_cdr_writer *to, const double cov[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            pov_cdr_put_number(to, cov[(i + 3) % 6][(j + 3) % 6]);
}

/* The message has the heading's spread only: the heading counts as independent of the position. */
static void put_entity_covariance(pov_cdr_writer *to, const pov_scene *scene, const pov_entity *entity)
{
    double position[3][3], all[6][6] = {{0}};
    const pov_heading_mode *front = pov_heading_heaviest(&entity->heading);
    pov_scene_position_cov(scene, position, &entity->position);
    for (int i = 0; i < 3; i++)
        memcpy(all[i], position[i], sizeof position[i]);
    all[5][5] = POV_EVEN_STD_RAD * POV_EVEN_STD_RAD;
    if (front && front->kappa > 0)
        all[5][5] = fmin(all[5][5], 1 / front->kappa);
    pov_cdr_put_numbers(to, &all[0][0], 36);
}

/* ---- the camera ---- */

pov_status pov_ros2_image(pov_ros2_packer *packer, pov_mcap_message *message, const pov_recorded_image *image)
{
    const bool is_png = image->len >= 4 && memcmp(image->bytes, "\x89PNG", 4) == 0;
    pov_cdr_begin(&packer->cdr);
    put_header(&packer->cdr, image->capture_ns, packer->camera);
    pov_cdr_put_text(&packer->cdr, is_png ? "png" : "jpeg");
    pov_cdr_put_whole(&packer->cdr, image->len, 4);
    pov_cdr_put_bytes(&packer->cdr, image->bytes, image->len);
    return end_message(packer, message, POV_ROS2_IMAGE);
}

/* The lens' name in sensor_msgs/distortion_models.hpp. */
static const char *model_of(const Foxglove__CameraCalibration *wire)
{
    return strcmp(wire->distortion_model, "kannala_brandt") == 0 ? "equidistant" : wire->distortion_model;
}

pov_status pov_ros2_camera(pov_ros2_packer *packer, pov_mcap_message *message, const uint8_t *calibration,
                           size_t len, int64_t capture_ns)
{
    enum { PARAMETERS_MAX = 16, REGION_WORDS = 4, BINNING_WORDS = 2 };
    pov_cdr_writer *to = &packer->cdr;
    Foxglove__CameraCalibration *wire = foxglove__camera_calibration__unpack(NULL, len, calibration);
    if (!wire || wire->n_k != 9 || wire->n_r != 9 || wire->n_p != 12 || wire->n_d > PARAMETERS_MAX) {
        if (wire)
            foxglove__camera_calibration__free_unpacked(wire, NULL);
        return pov_status_with(POV_SKIPPED, "a calibration is damaged");
    }
    pov_cdr_begin(to);
    put_header(to, capture_ns, packer->camera);
    pov_cdr_put_whole(to, wire->height, 4);
    pov_cdr_put_whole(to, wire->width, 4);
    pov_cdr_put_text(to, model_of(wire));
    pov_cdr_put_whole(to, wire->n_d, 4);
    pov_cdr_put_numbers(to, wire->d, (int)wire->n_d);
    pov_cdr_put_numbers(to, wire->k, 9);
    pov_cdr_put_numbers(to, wire->r, 9);
    pov_cdr_put_numbers(to, wire->p, 12);
    for (int i = 0; i < BINNING_WORDS + REGION_WORDS; i++) /* zeros: no binning, the whole image */
        pov_cdr_put_whole(to, 0, 4);
    pov_cdr_put_whole(to, 0, 1);
    foxglove__camera_calibration__free_unpacked(wire, NULL);
    return end_message(packer, message, POV_ROS2_CAMERA);
}

/* ---- frames ---- */

static void put_transform(pov_ros2_packer *packer, int64_t ns, const char *kind, const char *name,
                          pov_transform T)
{
    char child[sizeof packer->camera + POV_NAME_CAPACITY];
    snprintf(child, sizeof child, "%s%s", kind, name);
    put_header(&packer->cdr, ns, packer->frames.table);
    pov_cdr_put_text(&packer->cdr, child);
    put_pose(&packer->cdr, T);
}

static pov_status pack_transforms(pov_ros2_packer *packer, const pov_observation *observation)
{
    const pov_scene *scene = &observation->scene;
    const int64_t ns = observation->image.capture_ns;
    uint32_t count = has_camera_pose(observation);
    for (int i = 0; i < scene->len; i++)
        if (is_thing(observation, i))
            count += 1 + (scene->entities[i].heading.len > 0);
    pov_cdr_put_whole(&packer->cdr, count, 4);
    if (has_camera_pose(observation))
        put_transform(packer, ns, packer->camera, "", observation->image.T_table_camera.T);
    for (int i = 0; i < scene->len; i++) {
        const pov_entity *entity = &scene->entities[i];
        if (!is_thing(observation, i))
            continue;
        put_transform(packer, ns, "entity/", entity->name, pose_of(entity));
        if (entity->heading.len > 0)
            put_transform(packer, ns, "viewer/", entity->name,
                          (pov_transform){pov_rot_yaw(pov_heading_heaviest(&entity->heading)->yaw_rad),
                                          entity->position.mean_m});
    }
    return pov_ok();
}

pov_status pov_ros2_root(pov_ros2_packer *packer, pov_mcap_message *message, int64_t now_ns)
{
    if (!*packer->frames.root)
        return pov_status_of(POV_SKIPPED);
    pov_cdr_begin(&packer->cdr);
    pov_cdr_put_whole(&packer->cdr, 1, 4);
    put_header(&packer->cdr, now_ns, packer->frames.root);
    pov_cdr_put_text(&packer->cdr, packer->frames.table);
    put_pose(&packer->cdr, packer->frames.T_root_table);
    return end_message(packer, message, POV_ROS2_ROOT);
}

static pov_status pack_camera_pose(pov_ros2_packer *packer, const pov_observation *observation)
{
    const pov_pose *pose = &observation->image.T_table_camera;
    if (!has_camera_pose(observation))
        return pov_status_of(POV_SKIPPED);
    put_header(&packer->cdr, observation->image.capture_ns, packer->frames.table);
    put_pose(&packer->cdr, pose->T);
    put_camera_covariance(&packer->cdr, pose->cov);
    return pov_ok();
}

/* ---- things ---- */

static pov_status pack_detections(pov_ros2_packer *packer, const pov_observation *observation)
{
    pov_cdr_writer *to = &packer->cdr;
    const pov_scene *scene = &observation->scene;
    put_header(to, observation->image.capture_ns, packer->frames.table);
    pov_cdr_put_whole(to, count_things(observation), 4);
    for (int i = 0; i < scene->len; i++) {
        const pov_entity *entity = &scene->entities[i];
        if (!is_thing(observation, i))
            continue;
        put_header(to, observation->image.capture_ns, packer->frames.table);
        pov_cdr_put_whole(to, 1, 4);
        pov_cdr_put_text(to, entity->class_name);
        pov_cdr_put_number(to, entity->seen ? 1 : 0);
        put_pose(to, pose_of(entity));
        put_entity_covariance(to, scene, entity);
        put_pose(to, pose_of(entity));
        put_vector(to, entity->size_m);
        pov_cdr_put_text(to, entity->name);
    }
    return pov_ok();
}

/* ---- markers ---- */

typedef enum { ARROW = 0, CUBE = 1, SPHERE = 2, LINE_LIST = 5, TEXT = 9 } marker_type;
typedef enum { ADD = 0, DELETE_ALL = 3 } marker_action;

typedef struct {
    double r, g, b, a;
} color;

typedef struct {
    const char *space; /* markers of a namespace can be switched off together */
    int id;
    marker_type type;
    marker_action action;
    pov_transform T_table_marker;
    pov_vec3 size_m;
    color color;
    const char *text;
    int point_len; /* of LINE_LIST: each two points have one colour */
    const pov_vec3 *points;
    const color *colors;
} marker;

static void put_color(pov_cdr_writer *to, color c)
{
    const double parts[] = {c.r, c.g, c.b, c.a};
    for (int i = 0; i < 4; i++)
        pov_cdr_put_short_number(to, parts[i]);
}

static void put_marker(pov_ros2_packer *packer, int64_t ns, const marker *m)
{
    pov_cdr_writer *to = &packer->cdr;
    put_header(to, ns, packer->frames.table);
    pov_cdr_put_text(to, m->space);
    pov_cdr_put_whole(to, (uint32_t)m->id, 4);
    pov_cdr_put_whole(to, m->type, 4);
    pov_cdr_put_whole(to, m->action, 4);
    put_pose(to, m->T_table_marker);
    put_vector(to, m->size_m);
    put_color(to, m->color);
    pov_cdr_put_whole(to, 0, 4); /* for ever: the next array removes it */
    pov_cdr_put_whole(to, 0, 4);
    pov_cdr_put_whole(to, 0, 1); /* not locked to its frame */
    pov_cdr_put_whole(to, (uint32_t)m->point_len, 4);
    for (int i = 0; i < m->point_len; i++)
        put_vector(to, m->points[i]);
    pov_cdr_put_whole(to, (uint32_t)m->point_len, 4);
    for (int i = 0; i < m->point_len; i++)
        put_color(to, m->colors[i / 2]);
    pov_cdr_put_text(to, ""); /* no texture: its name, image with header, format, bytes; coordinates */
    put_header(to, 0, "");
    pov_cdr_put_text(to, "");
    pov_cdr_put_whole(to, 0, 4);
    pov_cdr_put_whole(to, 0, 4);
    pov_cdr_put_text(to, m->text ? m->text : "");
    pov_cdr_put_text(to, ""); /* no mesh: its name, file's name and bytes, materials */
    pov_cdr_put_text(to, "");
    pov_cdr_put_whole(to, 0, 4);
    pov_cdr_put_whole(to, 0, 1);
}

static double longest_side(const pov_entity *entity)
{
    return fmax(fmax(entity->size_m.x, entity->size_m.y), entity->size_m.z);
}

/* The wire says nothing of shapes: things called balls are drawn as such. */
static bool is_ball(const pov_entity *entity)
{
    return strstr(entity->class_name, "ball") && entity->size_m.x == entity->size_m.y &&
           entity->size_m.x == entity->size_m.z;
}

static pov_transform place_without_turn(pov_vec3 at)
{
    return (pov_transform){pov_rot_identity(), at};
}

static void put_entity_markers(pov_ros2_packer *packer, int64_t ns, int id, const pov_entity *entity)
{
    const double side_m = fmax(longest_side(entity), 0.02); /* of what has no size; chosen */
    const double alpha = entity->seen ? 0.8 : 0.3;
    const pov_heading_mode *front = pov_heading_heaviest(&entity->heading);
    pov_vec3 above = entity->position.mean_m;
    above.z += 0.7 * entity->size_m.z + 0.25 * side_m;
    if (longest_side(entity) > 0)
        put_marker(packer, ns,
                   &(marker){.space = "box",
                             .id = id,
                             .type = is_ball(entity) ? SPHERE : CUBE,
                             .T_table_marker = pose_of(entity),
                             .size_m = entity->size_m,
                             .color = entity->addressee ? (color){0.95, 0.6, 0.1, alpha}
                                                        : (color){0.2, 0.55, 0.9, alpha}});
    put_marker(packer, ns,
               &(marker){.space = "name",
                         .id = id,
                         .type = TEXT,
                         .T_table_marker = place_without_turn(above),
                         .size_m = {0, 0, 0.25 * side_m},
                         .color = {1, 1, 1, 1},
                         .text = entity->name});
    if (front)
        put_marker(packer, ns,
                   &(marker){.space = "front",
                             .id = id,
                             .type = ARROW,
                             .T_table_marker = {pov_rot_yaw(front->yaw_rad), entity->position.mean_m},
                             .size_m = {1.2 * side_m, 0.08 * side_m, 0.08 * side_m},
                             .color = {0.9, 0.1, 0.1, 1}});
}

/* A line more: from, to. */
static int add_line(pov_vec3 *points, int len, pov_vec3 from, pov_vec3 to)
{
    points[len] = from;
    points[len + 1] = to;
    return len + 2;
}

/* What a viewer sees straight ahead of it, level and upright: two edges and the arc between them, each. */
static void put_field_marker(pov_ros2_packer *packer, const pov_observation *observation, int id)
{
    enum { STEPS = 16, POINTS = 2 * 2 * (STEPS + 2) };
    static const double length_m = 0.4; /* chosen: as far as a hand reaches across a table */
    const pov_entity *viewer = &observation->scene.entities[id];
    const pov_heading_mode *mode =
        pov_heading_heaviest(viewer->head_heading.len > 0 ? &viewer->head_heading : &viewer->heading);
    const pov_gaze gaze = pov_gaze_of(&observation->scene, (pov_id)id, mode ? mode->yaw_rad : 0);
    const double radius_m = fmin(length_m, viewer->field.far_m);
    pov_vec3 points[POINTS];
    color colors[POINTS / 2];
    int len = 0;
    for (int upright = 0; upright < 2; upright++) {
        const double half_rad = upright ? viewer->field.half_vertical_rad : viewer->field.half_horizontal_rad;
        pov_vec3 last = gaze.eye_m;
        for (int i = 0; i <= STEPS; i++) {
            const double angle_rad = half_rad * (2.0 * i / STEPS - 1), side_m = radius_m * sin(angle_rad);
            const pov_vec3 ahead_m = {radius_m * cos(angle_rad), upright ? 0 : side_m, upright ? side_m : 0},
                           point = pov_vec3_add(gaze.eye_m, pov_rot_apply(gaze.R_table_gaze, ahead_m));
            len = add_line(points, len, last, point);
            last = point;
        }
        len = add_line(points, len, last, gaze.eye_m);
    }
    for (int i = 0; i < len / 2; i++)
        colors[i] = viewer->addressee ? (color){0.95, 0.6, 0.1, 0.8} : (color){0.6, 0.6, 0.6, 0.8};
    put_marker(packer, observation->image.capture_ns,
               &(marker){.space = "field",
                         .id = id,
                         .type = LINE_LIST,
                         .T_table_marker = place_without_turn((pov_vec3){0, 0, 0}),
                         .size_m = {0.002, 0, 0}, /* width of the lines; chosen */
                         .color = {1, 1, 1, 1},
                         .point_len = len,
                         .points = points,
                         .colors = colors});
}

/* Green: it sees the target; red: it does not; yellow: unsure. */
static void put_sight_marker(pov_ros2_packer *packer, const pov_observation *observation)
{
    static const color colors_of[POV_VERDICT_COUNT] = {[POV_FALSE] = {0.9, 0.1, 0.1, 0.6},
                                                       [POV_TRUE] = {0.1, 0.8, 0.2, 0.6},
                                                       [POV_ABSTAIN] = {0.9, 0.8, 0.1, 0.6},
                                                       [POV_VERDICT_UNDEFINED] = {0.5, 0.5, 0.5, 0.3}};
    const pov_scene *scene = &observation->scene;
    pov_vec3 points[2 * POV_SIGHT_MAX];
    color colors[POV_SIGHT_MAX];
    int len = 0;
    for (int i = 0; i < observation->sight_len; i++) {
        const pov_visibility *sight = &observation->sights[i];
        const pov_entity *viewer = &scene->entities[sight->viewer], *target = &scene->entities[sight->target];
        if (!viewer->placed || !target->placed)
            continue;
        points[2 * len] = viewer->position.mean_m;
        points[2 * len + 1] = target->position.mean_m;
        colors[len++] = colors_of[sight->sees.verdict];
    }
    put_marker(packer, observation->image.capture_ns,
               &(marker){.space = "sight",
                         .type = LINE_LIST,
                         .T_table_marker = place_without_turn((pov_vec3){0, 0, 0}),
                         .size_m = {0.003, 0, 0}, /* width of the lines; chosen */
                         .color = {1, 1, 1, 1},
                         .point_len = 2 * len,
                         .points = points,
                         .colors = colors});
}

static bool has_field(const pov_entity *entity)
{
    return entity->placed && entity->can_see;
}

static pov_status pack_markers(pov_ros2_packer *packer, const pov_observation *observation)
{
    const pov_scene *scene = &observation->scene;
    const int64_t ns = observation->image.capture_ns;
    uint32_t count = 2; /* what removes all, and the lines of sight */
    for (int i = 0; i < scene->len; i++)
        if (is_thing(observation, i))
            count += (longest_side(&scene->entities[i]) > 0) + 1u + (scene->entities[i].heading.len > 0);
    for (int i = 0; i < scene->len; i++)
        count += has_field(&scene->entities[i]);
    pov_cdr_put_whole(&packer->cdr, count, 4);
    put_marker(packer, ns,
               &(marker){.space = "",
                         .action = DELETE_ALL,
                         .T_table_marker = place_without_turn((pov_vec3){0, 0, 0})});
    for (int i = 0; i < scene->len; i++)
        if (is_thing(observation, i))
            put_entity_markers(packer, ns, i, &scene->entities[i]);
    for (int i = 0; i < scene->len; i++)
        if (has_field(&scene->entities[i]))
            put_field_marker(packer, observation, i);
    put_sight_marker(packer, observation);
    return pov_ok();
}

/* ---- typed lists: share/ros2/pov_msgs ---- */

static const char *name_of(const pov_scene *scene, pov_id id)
{
    return id == POV_ID_NONE ? "" : scene->entities[id].name;
}

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

static pov_status pack_judgment_list(pov_ros2_packer *packer, const pov_observation *observation)
{
    pov_cdr_writer *to = &packer->cdr;
    const pov_scene *scene = &observation->scene;
    put_header(to, observation->image.capture_ns, packer->frames.table);
    pov_cdr_put_whole(to, (uint32_t)observation->judgment_len, 4);
    for (int i = 0; i < observation->judgment_len; i++) {
        const pov_judgment *judgment = &observation->judgments[i];
        const pov_query *query = &judgment->query;
        const bool has_frame = query->relation->frame != POV_FRAME_NONE,
                   is_direction = query->relation->projective != POV_RELATION_COUNT;
        pov_cdr_put_text(to, name_of(scene, query->referent));
        pov_cdr_put_whole(to, (uint32_t)query->relatum_len, 4);
        for (int j = 0; j < query->relatum_len; j++)
            pov_cdr_put_text(to, name_of(scene, query->relatum[j]));
        pov_cdr_put_text(to, query->relation->name);
        pov_cdr_put_text(to, has_frame ? pov_perspective_name(query->perspective) : "");
        pov_cdr_put_text(to, name_of(scene, query->viewer));
        pov_cdr_put_text(to, text_or_none(pov_convention_name(query->convention)));
        pov_cdr_put_text(to, is_direction ? pov_acceptance_name(query->acceptance) : "");
        pov_cdr_put_text(to, pov_verdict_name(judgment->belief.verdict));
        pov_cdr_put_number(to, judgment->belief.p);
        pov_cdr_put_number(to, judgment->belief.p_std);
    }
    return pov_ok();
}

static pov_status pack_sight_list(pov_ros2_packer *packer, const pov_observation *observation)
{
    pov_cdr_writer *to = &packer->cdr;
    const pov_scene *scene = &observation->scene;
    put_header(to, observation->image.capture_ns, packer->frames.table);
    pov_cdr_put_whole(to, (uint32_t)observation->sight_len, 4);
    for (int i = 0; i < observation->sight_len; i++) {
        const pov_visibility *sight = &observation->sights[i];
        pov_cdr_put_text(to, name_of(scene, sight->viewer));
        pov_cdr_put_text(to, name_of(scene, sight->target));
        pov_cdr_put_text(to, pov_verdict_name(sight->sees.verdict));
        pov_cdr_put_number(to, sight->sees.p);
        pov_cdr_put_number(to, sight->fraction_visible);
        pov_cdr_put_number(to, sight->fraction_expected);
        pov_cdr_put_text(to, pov_cause_name(sight->cause));
        pov_cdr_put_whole(to, (uint32_t)sight->occluder_len, 4);
        for (int j = 0; j < sight->occluder_len; j++)
            pov_cdr_put_text(to, name_of(scene, sight->occluders[j].id));
    }
    return pov_ok();
}

/* ---- health ---- */

static void put_value(pov_cdr_writer *to, const char *key, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    pov_cdr_put_text(to, key);
    pov_cdr_put_text(to, text);
}

static pov_status pack_diagnostics(pov_ros2_packer *packer, const pov_health *health)
{
    enum { OK, WARN };
    pov_cdr_writer *to = &packer->cdr;
    const struct {
        const char *key, *format;
        double value;
    } values[] = {{"rate [Hz]", "%.1f", health->rate_hz},
                  {"latency, median [ms]", "%.1f", 1e3 * health->latency_p50_s},
                  {"latency, p99 [ms]", "%.1f", 1e3 * health->latency_p99_s},
                  {"images judged", "%.0f", (double)health->images_processed},
                  {"images skipped", "%.0f", (double)health->images_skipped},
                  {"images lost", "%.0f", (double)health->images_lost},
                  {"camera reconnects", "%.0f", (double)health->camera_reconnects},
                  {"tags that moved", "%.0f", (double)health->moved_tag_len},
                  {"tags from transforms [mm]", "%.1f", 1e3 * health->tf_off_m},
                  {"tags from transforms [deg]", "%.2f", pov_degrees(health->tf_off_rad)},
                  {"error of the clock [ms]", "%.3f", 1e3 * health->clock_error_s}};
    enum { VALUES = sizeof values / sizeof *values };
    const char *finding = "judges images";
    if (health->rate_hz == 0)
        finding = "no image was judged of late: look at the camera and its driver";
    if (health->moved_tag_len > 0)
        finding = "tags are not where the map has them: survey again (pov calib tags)";
    if (health->tf_disagrees)
        finding = "transforms and tags disagree about the camera's pose: calibrate it on the robot again";
    if (*health->tf_missing)
        finding = health->tf_missing;
    const bool is_well =
        health->rate_hz != 0 && health->moved_tag_len == 0 && !health->tf_disagrees && !*health->tf_missing;
    put_header(to, health->now_ns, "");
    pov_cdr_put_whole(to, 1, 4);
    pov_cdr_put_whole(to, is_well ? OK : WARN, 1);
    pov_cdr_put_text(to, "pov: station");
    pov_cdr_put_text(to, finding);
    pov_cdr_put_text(to, "");
    pov_cdr_put_whole(to, VALUES, 4);
    for (int i = 0; i < VALUES; i++)
        put_value(to, values[i].key, values[i].format, values[i].value);
    return pov_ok();
}

/* ---- lines of JSON ---- */

/* The observation's line without what the topic of judgments has. */
static pov_status write_visibility(FILE *stream, pov_observation *observation)
{
    const int judgments = observation->judgment_len, directions = observation->direction_len,
              views = observation->view_len, tags = observation->tag_len;
    observation->judgment_len = observation->direction_len = observation->view_len = observation->tag_len = 0;
    const pov_status status = pov_json_write_observation(stream, observation);
    observation->judgment_len = judgments;
    observation->direction_len = directions;
    observation->view_len = views;
    observation->tag_len = tags;
    return status;
}

static pov_status write_json(FILE *stream, pov_ros2_topic topic, const pov_message *decoded)
{
    switch (topic) {
    case POV_ROS2_JUDGMENTS:
        return pov_json_write_observation(stream, decoded->observation);
    case POV_ROS2_VISIBILITY:
        return write_visibility(stream, decoded->observation);
    case POV_ROS2_HEALTH:
        return pov_json_write_health(stream, &decoded->health);
    case POV_ROS2_REPLY:
        return pov_json_write_exchange(stream, &decoded->exchange);
    default:
        return pov_json_write_comparison(stream, &decoded->comparison);
    }
}

static pov_status pack_json(pov_ros2_packer *packer, pov_ros2_topic topic, const pov_message *decoded)
{
    rewind(packer->lines);
    POV_TRY(write_json(packer->lines, topic, decoded));
    pov_cdr_put_text_of(&packer->cdr, packer->line, packer->line_len - 1); /* without the line's end */
    return pov_ok();
}

/* ---- goals ---- */

/* Of an instruction in several steps, the first goal. */
static const cJSON *find_goal(const cJSON *reply)
{
    const cJSON *goal = cJSON_GetObjectItemCaseSensitive(reply, "goal"), *step;
    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(reply, "steps"))
    {
        if (!cJSON_IsObject(goal))
            goal = cJSON_GetObjectItemCaseSensitive(step, "goal");
    }
    return cJSON_IsObject(goal) ? goal : NULL;
}

static pov_status put_goal(pov_ros2_packer *packer, const cJSON *reply)
{
    const cJSON *goal = find_goal(reply), *at = cJSON_GetObjectItemCaseSensitive(goal, "position_m");
    const cJSON *image = cJSON_GetObjectItemCaseSensitive(reply, "image");
    const double yaw_rad = pov_json_number_of(goal, "yaw_rad"),
                 capture_ns = pov_json_number_of(image, "capture_ns");
    if (cJSON_GetArraySize(at) != 3)
        return pov_status_of(POV_SKIPPED);
    const pov_vec3 place = {cJSON_GetArrayItem(at, 0)->valuedouble, cJSON_GetArrayItem(at, 1)->valuedouble,
                            cJSON_GetArrayItem(at, 2)->valuedouble};
    put_header(&packer->cdr, fabs(capture_ns) < 9e18 ? (int64_t)capture_ns : 0, packer->frames.table);
    put_pose(&packer->cdr, (pov_transform){pov_rot_yaw(isfinite(yaw_rad) ? yaw_rad : 0), place});
    return pov_ok();
}

static pov_status pack_goal(pov_ros2_packer *packer, const pov_exchange *exchange)
{
    cJSON *reply = pov_json_parse_text(exchange->reply);
    const pov_status status = put_goal(packer, reply);
    cJSON_Delete(reply);
    return status;
}

/* ---- all ---- */

static bool is_kind(const pov_message *decoded, pov_ros2_topic topic)
{
    static const pov_recorded wire[] = {[POV_MESSAGE_OBSERVATION] = POV_RECORDED_OBSERVATION,
                                        [POV_MESSAGE_HEALTH] = POV_RECORDED_HEALTH,
                                        [POV_MESSAGE_EXCHANGE] = POV_RECORDED_ASK,
                                        [POV_MESSAGE_COMPARISON] = POV_RECORDED_VLM};
    return pov_ros2_is_made_of(topic, wire[decoded->kind]);
}

static pov_status pack_content(pov_ros2_packer *packer, pov_ros2_topic topic, const pov_message *decoded)
{
    switch (topic) {
    case POV_ROS2_TRANSFORMS:
        return pack_transforms(packer, decoded->observation);
    case POV_ROS2_CAMERA_POSE:
        return pack_camera_pose(packer, decoded->observation);
    case POV_ROS2_DETECTIONS:
        return pack_detections(packer, decoded->observation);
    case POV_ROS2_MARKERS:
        return pack_markers(packer, decoded->observation);
    case POV_ROS2_JUDGMENT_LIST:
        return pack_judgment_list(packer, decoded->observation);
    case POV_ROS2_SIGHT_LIST:
        return pack_sight_list(packer, decoded->observation);
    case POV_ROS2_GOAL:
        return pack_goal(packer, &decoded->exchange);
    case POV_ROS2_DIAGNOSTICS:
        return pack_diagnostics(packer, &decoded->health);
    default:
        return pack_json(packer, topic, decoded);
    }
}

pov_status pov_ros2_pack(pov_ros2_packer *packer, pov_mcap_message *message, pov_ros2_topic topic,
                         const pov_message *decoded)
{
    if (!is_kind(decoded, topic))
        return pov_status_of(POV_SKIPPED);
    pov_cdr_begin(&packer->cdr);
    POV_TRY(pack_content(packer, topic, decoded));
    return end_message(packer, message, topic);
}
