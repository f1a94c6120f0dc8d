#include "protocol/ros2/ros2_messages.h"

#include "foxglove/foxglove.pb-c.h"
#include "perception/geometry/quaternion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- schemas ---- */

/* Definitions as of ROS 2 Humble; vision_msgs 4. */
static const struct {
    const char *type, *fields;
} definitions[] = {
    {"builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n"},
    {"std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n"},
    {"std_msgs/String", "string data\n"},
    {"sensor_msgs/CompressedImage", "std_msgs/Header header\nstring format\nuint8[] data\n"},
    {"sensor_msgs/RegionOfInterest",
     "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify\n"},
    {"sensor_msgs/CameraInfo",
     "std_msgs/Header header\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] d\n"
     "float64[9] k\nfloat64[9] r\nfloat64[12] p\nuint32 binning_x\nuint32 binning_y\n"
     "sensor_msgs/RegionOfInterest roi\n"},
    {"geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n"},
    {"geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n"},
    {"geometry_msgs/Quaternion", "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n"},
    {"geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"},
    {"geometry_msgs/PoseWithCovariance", "geometry_msgs/Pose pose\nfloat64[36] covariance\n"},
    {"geometry_msgs/PoseWithCovarianceStamped",
     "std_msgs/Header header\ngeometry_msgs/PoseWithCovariance pose\n"},
    {"geometry_msgs/Transform", "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n"},
    {"geometry_msgs/TransformStamped",
     "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n"},
    {"tf2_msgs/TFMessage", "geometry_msgs/TransformStamped[] transforms\n"},
    {"vision_msgs/ObjectHypothesis", "string class_id\nfloat64 score\n"},
    {"vision_msgs/ObjectHypothesisWithPose",
     "vision_msgs/ObjectHypothesis hypothesis\ngeometry_msgs/PoseWithCovariance pose\n"},
    {"vision_msgs/BoundingBox3D", "geometry_msgs/Pose center\ngeometry_msgs/Vector3 size\n"},
    {"vision_msgs/Detection3D", "std_msgs/Header header\nvision_msgs/ObjectHypothesisWithPose[] results\n"
                                "vision_msgs/BoundingBox3D bbox\nstring id\n"},
    {"vision_msgs/Detection3DArray", "std_msgs/Header header\nvision_msgs/Detection3D[] detections\n"},
};
enum { DEFINITIONS = sizeof definitions / sizeof *definitions };

static const struct {
    const char *topic, *type;
} topics[POV_ROS2_COUNT] = {
    [POV_ROS2_IMAGE] = {"/camera/image_raw/compressed", "sensor_msgs/CompressedImage"},
    [POV_ROS2_CAMERA] = {"/camera/camera_info", "sensor_msgs/CameraInfo"},
    [POV_ROS2_TRANSFORMS] = {"/tf", "tf2_msgs/TFMessage"},
    [POV_ROS2_CAMERA_POSE] = {"/camera/pose", "geometry_msgs/PoseWithCovarianceStamped"},
    [POV_ROS2_DETECTIONS] = {"/detections", "vision_msgs/Detection3DArray"},
    [POV_ROS2_JUDGMENTS] = {"/judgments", "std_msgs/String"},
    [POV_ROS2_HEALTH] = {"/health", "std_msgs/String"},
    [POV_ROS2_EXCHANGES] = {"/ask", "std_msgs/String"},
};

static int find_definition(const char *type, size_t len)
{
    int i = 0;
    while (strlen(definitions[i].type) != len || memcmp(definitions[i].type, type, len) != 0)
        i++;
    return i;
}

/* The types that a definition names, at any depth. */
static void mark_used(bool used[DEFINITIONS], int of)
{
    for (const char *line = definitions[of].fields; *line; line = strchr(line, '\n') + 1) {
        const size_t len = strcspn(line, " [");
        if (!memchr(line, '/', len))
            continue;
        const int i = find_definition(line, len);
        used[i] = true;
        mark_used(used, i);
    }
}

enum { SCHEMA_CAPACITY = 8192, NAME_CAPACITY = 64 };

static void write_schema(char name[NAME_CAPACITY], char text[SCHEMA_CAPACITY], const char *type)
{
    bool used[DEFINITIONS] = {false};
    const int of = find_definition(type, strlen(type)), package = (int)strcspn(type, "/");
    snprintf(name, NAME_CAPACITY, "%.*s/msg%s", package, type, type + package);
    int len = snprintf(text, SCHEMA_CAPACITY, "%s", definitions[of].fields);
    mark_used(used, of);
    for (int i = 0; i < DEFINITIONS; i++)
        if (used[i])
            len +=
                snprintf(text + len, SCHEMA_CAPACITY - (size_t)len,
                         "================================================================================\n"
                         "MSG: %s\n%s",
                         definitions[i].type, definitions[i].fields);
}

/* As rosbag2 writes what a publisher's system defaults are: any history, reliable, volatile, no deadlines. */
static const char qos[] = "- history: 3\n  depth: 0\n  reliability: 1\n  durability: 2\n"
                          "  deadline:\n    sec: 9223372036\n    nsec: 854775807\n"
                          "  lifespan:\n    sec: 9223372036\n    nsec: 854775807\n"
                          "  liveliness: 1\n"
                          "  liveliness_lease_duration:\n    sec: 9223372036\n    nsec: 854775807\n"
                          "  avoid_ros_namespace_conventions: false";

pov_status pov_ros2_begin(pov_mcap_writer *writer)
{
    char name[NAME_CAPACITY], text[SCHEMA_CAPACITY];
    for (int i = 0; i < POV_ROS2_COUNT; i++) {
        int first = 0; /* of this type */
        while (strcmp(topics[first].type, topics[i].type) != 0)
            first++;
        write_schema(name, text, topics[i].type);
        if (first == i)
            POV_TRY(pov_mcap_writer_schema(writer, &(pov_mcap_schema){(uint16_t)(i + 1), name, "ros2msg",
                                                                      (const uint8_t *)text, strlen(text)}));
        POV_TRY(pov_mcap_writer_channel(writer, &(pov_mcap_channel){.id = (uint16_t)(i + 1),
                                                                    .schema = (uint16_t)(first + 1),
                                                                    .topic = topics[i].topic,
                                                                    .encoding = "cdr",
                                                                    .key = "offered_qos_profiles",
                                                                    .value = qos}));
    }
    return pov_ok();
}

/* ---- CDR, little endian ---- */

struct pov_ros2_packer {
    uint8_t *bytes;
    size_t len, capacity;
    bool failed; /* for want of memory */
};

pov_status pov_ros2_packer_new(pov_ros2_packer **packer)
{
    *packer = calloc(1, sizeof **packer);
    return *packer ? pov_ok() : pov_error("out of memory for messages of ROS 2");
}

void pov_ros2_packer_destroy(pov_ros2_packer **packer)
{
    if (*packer)
        free((*packer)->bytes);
    free(*packer);
    *packer = NULL;
}

static void put_bytes(pov_ros2_packer *p, const void *bytes, size_t len)
{
    if (p->len + len > p->capacity) {
        const size_t capacity = 2 * (p->len + len) + 1024;
        uint8_t *grown = realloc(p->bytes, capacity);
        p->failed |= !grown;
        if (!grown)
            return;
        p->bytes = grown;
        p->capacity = capacity;
    }
    if (len > 0)
        memcpy(p->bytes + p->len, bytes, len);
    p->len += len;
}

/* A number stands at a multiple of its size, counted from behind the first four bytes. */
static void put_whole(pov_ros2_packer *p, uint64_t value, size_t size)
{
    enum { HEADER = 4 };
    uint8_t bytes[16] = {0};
    const size_t gap = (size - (p->len - HEADER) % size) % size;
    for (size_t i = 0; i < size; i++)
        bytes[gap + i] = (uint8_t)(value >> 8 * i);
    put_bytes(p, bytes, gap + size);
}

static void put_number(pov_ros2_packer *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_whole(p, bits, 8);
}

static void put_numbers(pov_ros2_packer *p, const double *values, int len)
{
    for (int i = 0; i < len; i++)
        put_number(p, values[i]);
}

static void put_text(pov_ros2_packer *p, const char *text, size_t len)
{
    put_whole(p, len + 1, 4);
    put_bytes(p, text, len);
    put_bytes(p, "", 1);
}

static void begin_message(pov_ros2_packer *p)
{
    static const uint8_t little_endian[4] = {0, 1, 0, 0};
    p->len = 0;
    p->failed = false;
    put_bytes(p, little_endian, sizeof little_endian);
}

static pov_status end_message(const pov_ros2_packer *p, pov_mcap_message *message, pov_ros2_topic topic)
{
    message->channel = (uint16_t)(topic + 1);
    message->bytes = p->bytes;
    message->len = p->len;
    message->is_coded = topic == POV_ROS2_IMAGE;
    return p->failed ? pov_error("out of memory for a message of ROS 2") : pov_ok();
}

/* ---- parts ---- */

/* Names of frames end as REP 103 has it: x right, y down, z forward. */
static const char camera_frame[] = "camera_optical_frame", root_frame[] = "table";

static void put_header(pov_ros2_packer *p, int64_t ns, const char *frame)
{
    const int64_t second_ns = 1000000000, second = ns / second_ns - (ns % second_ns < 0);
    put_whole(p, (uint32_t)(int32_t)second, 4);
    put_whole(p, (uint32_t)(ns - second * second_ns), 4);
    put_text(p, frame, strlen(frame));
}

static void put_vector(pov_ros2_packer *p, pov_vec3 v)
{
    put_numbers(p, (const double[]){v.x, v.y, v.z}, 3);
}

static void put_pose(pov_ros2_packer *p, pov_transform T)
{
    double q[4];
    pov_rot_quaternion(q, T.R);
    put_vector(p, T.t_m);
    put_numbers(p, q, 4);
}

static pov_transform pose_of(const pov_entity *entity)
{
    return (pov_transform){entity->R_table_box, entity->position.mean_m};
}

static bool is_thing(const pov_observation *observation, int i)
{
    return observation->scene.entities[i].placed && i != observation->scene.camera;
}

static bool has_camera_pose(const pov_observation *observation)
{
    return isfinite(observation->image.T_table_camera.T.t_m.x) &&
           isfinite(observation->image.T_table_camera.T.R.m[0][0]);
}

/* ROS has the position first, pov the rotation; both turn about the fixed axes of the parent. */
static void put_camera_covariance(pov_ros2_packer *p, const double cov[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            put_number(p, cov[(i + 3) % 6][(j + 3) % 6]);
}

/* The message has the heading's spread only: the heading counts as independent of the position. */
static void put_entity_covariance(pov_ros2_packer *p, const pov_scene *scene, const pov_entity *entity)
{
    double position[3][3], all[6][6] = {{0}};
    const pov_heading_mode *front = pov_heading_heaviest(&entity->heading);
    pov_scene_position_cov(scene, position, &entity->position);
    for (int i = 0; i < 3; i++)
        memcpy(all[i], position[i], sizeof position[i]);
    all[5][5] = POV_EVEN_STD_RAD * POV_EVEN_STD_RAD;
    if (front && front->kappa > 0)
        all[5][5] = fmin(all[5][5], 1 / front->kappa);
    put_numbers(p, &all[0][0], 36);
}

/* ---- messages ---- */

pov_status pov_ros2_image(pov_ros2_packer *packer, pov_mcap_message *message, const pov_recorded_image *image)
{
    const bool is_png = image->len >= 4 && memcmp(image->bytes, "\x89PNG", 4) == 0;
    const char *format = is_png ? "png" : "jpeg";
    begin_message(packer);
    put_header(packer, image->capture_ns, camera_frame);
    put_text(packer, format, strlen(format));
    put_whole(packer, image->len, 4);
    put_bytes(packer, image->bytes, image->len);
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
    Foxglove__CameraCalibration *wire = foxglove__camera_calibration__unpack(NULL, len, calibration);
    if (!wire || wire->n_k != 9 || wire->n_r != 9 || wire->n_p != 12 || wire->n_d > PARAMETERS_MAX) {
        if (wire)
            foxglove__camera_calibration__free_unpacked(wire, NULL);
        return pov_status_with(POV_SKIPPED, "a calibration is damaged");
    }
    begin_message(packer);
    put_header(packer, capture_ns, camera_frame);
    put_whole(packer, wire->height, 4);
    put_whole(packer, wire->width, 4);
    put_text(packer, model_of(wire), strlen(model_of(wire)));
    put_whole(packer, wire->n_d, 4);
    put_numbers(packer, wire->d, (int)wire->n_d);
    put_numbers(packer, wire->k, 9);
    put_numbers(packer, wire->r, 9);
    put_numbers(packer, wire->p, 12);
    for (int i = 0; i < BINNING_WORDS + REGION_WORDS; i++) /* zeros: no binning, the whole image */
        put_whole(packer, 0, 4);
    put_whole(packer, 0, 1);
    foxglove__camera_calibration__free_unpacked(wire, NULL);
    return end_message(packer, message, POV_ROS2_CAMERA);
}

static void put_transform(pov_ros2_packer *p, int64_t ns, const char *kind, const char *name, pov_transform T)
{
    char child[2 * POV_NAME_CAPACITY];
    snprintf(child, sizeof child, "%s%s", kind, name);
    put_header(p, ns, root_frame);
    put_text(p, child, strlen(child));
    put_pose(p, T);
}

pov_status pov_ros2_transforms(pov_ros2_packer *packer, pov_mcap_message *message,
                               const pov_observation *observation)
{
    const pov_scene *scene = &observation->scene;
    const int64_t ns = observation->image.capture_ns;
    uint32_t count = has_camera_pose(observation);
    for (int i = 0; i < scene->len; i++)
        if (is_thing(observation, i))
            count += 1 + (scene->entities[i].heading.len > 0);
    begin_message(packer);
    put_whole(packer, count, 4);
    if (has_camera_pose(observation))
        put_transform(packer, ns, camera_frame, "", observation->image.T_table_camera.T);
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
    return end_message(packer, message, POV_ROS2_TRANSFORMS);
}

pov_status pov_ros2_camera_pose(pov_ros2_packer *packer, pov_mcap_message *message,
                                const pov_observation *observation)
{
    const pov_pose *pose = &observation->image.T_table_camera;
    if (!has_camera_pose(observation))
        return pov_status_of(POV_SKIPPED);
    begin_message(packer);
    put_header(packer, observation->image.capture_ns, root_frame);
    put_pose(packer, pose->T);
    put_camera_covariance(packer, pose->cov);
    return end_message(packer, message, POV_ROS2_CAMERA_POSE);
}

static void put_detection(pov_ros2_packer *p, int64_t ns, const pov_scene *scene, const pov_entity *entity)
{
    put_header(p, ns, root_frame);
    put_whole(p, 1, 4);
    put_text(p, entity->class_name, strlen(entity->class_name));
    put_number(p, entity->seen ? 1 : 0);
    put_pose(p, pose_of(entity));
    put_entity_covariance(p, scene, entity);
    put_pose(p, pose_of(entity));
    put_vector(p, entity->size_m);
    put_text(p, entity->name, strlen(entity->name));
}

pov_status pov_ros2_detections(pov_ros2_packer *packer, pov_mcap_message *message,
                               const pov_observation *observation)
{
    const pov_scene *scene = &observation->scene;
    uint32_t count = 0;
    for (int i = 0; i < scene->len; i++)
        count += is_thing(observation, i);
    begin_message(packer);
    put_header(packer, observation->image.capture_ns, root_frame);
    put_whole(packer, count, 4);
    for (int i = 0; i < scene->len; i++)
        if (is_thing(observation, i))
            put_detection(packer, observation->image.capture_ns, scene, &scene->entities[i]);
    return end_message(packer, message, POV_ROS2_DETECTIONS);
}

pov_status pov_ros2_text(pov_ros2_packer *packer, pov_mcap_message *message, pov_ros2_topic topic,
                         const char *json, size_t len)
{
    begin_message(packer);
    put_text(packer, json, len);
    return end_message(packer, message, topic);
}
