#include "protocol/ros2/ros2_messages.h"

#include <stdio.h>
#include <string.h>

/* ---- schemas ---- */

/* Definitions as of ROS 2 Humble; vision_msgs 4; pov_msgs: share/ros2/pov_msgs/msg. */
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
    {"geometry_msgs/PoseStamped", "std_msgs/Header header\ngeometry_msgs/Pose pose\n"},
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
    {"builtin_interfaces/Duration", "int32 sec\nuint32 nanosec\n"},
    {"std_msgs/ColorRGBA", "float32 r\nfloat32 g\nfloat32 b\nfloat32 a\n"},
    {"visualization_msgs/UVCoordinate", "float32 u\nfloat32 v\n"},
    {"visualization_msgs/MeshFile", "string filename\nuint8[] data\n"},
    {"visualization_msgs/Marker",
     "std_msgs/Header header\nstring ns\nint32 id\nint32 type\nint32 action\ngeometry_msgs/Pose pose\n"
     "geometry_msgs/Vector3 scale\nstd_msgs/ColorRGBA color\nbuiltin_interfaces/Duration lifetime\n"
     "bool frame_locked\ngeometry_msgs/Point[] points\nstd_msgs/ColorRGBA[] colors\n"
     "string texture_resource\nsensor_msgs/CompressedImage texture\n"
     "visualization_msgs/UVCoordinate[] uv_coordinates\nstring text\nstring mesh_resource\n"
     "visualization_msgs/MeshFile mesh_file\nbool mesh_use_embedded_materials\n"},
    {"visualization_msgs/MarkerArray", "visualization_msgs/Marker[] markers\n"},
    {"diagnostic_msgs/KeyValue", "string key\nstring value\n"},
    {"diagnostic_msgs/DiagnosticStatus", "byte level\nstring name\nstring message\nstring hardware_id\n"
                                         "diagnostic_msgs/KeyValue[] values\n"},
    {"diagnostic_msgs/DiagnosticArray",
     "std_msgs/Header header\ndiagnostic_msgs/DiagnosticStatus[] status\n"},
    {"pov_msgs/Judgment", "string referent\nstring[] relata\nstring relation\nstring perspective\n"
                          "string viewer\nstring convention\nstring acceptance\nstring verdict\n"
                          "float64 p\nfloat64 p_std\n"},
    {"pov_msgs/Judgments", "std_msgs/Header header\npov_msgs/Judgment[] judgments\n"},
    {"pov_msgs/Sight", "string viewer\nstring target\nstring verdict\nfloat64 p\n"
                       "float64 fraction_visible\nfloat64 fraction_expected\nstring cause\n"
                       "string[] occluders\n"},
    {"pov_msgs/Sights", "std_msgs/Header header\npov_msgs/Sight[] sights\n"},
};
enum { DEFINITIONS = sizeof definitions / sizeof *definitions };

static const struct {
    pov_ros2_topic_info info;
    unsigned made_of; /* a bit for each pov_recorded */
} topics[POV_ROS2_COUNT] = {
    [POV_ROS2_IMAGE] = {{"/pov/image/compressed", "sensor_msgs/CompressedImage", 5, false},
                        1u << POV_RECORDED_IMAGE},
    [POV_ROS2_CAMERA] = {{"/pov/camera_info", "sensor_msgs/CameraInfo", 5, false}, 1u << POV_RECORDED_IMAGE},
    [POV_ROS2_TRANSFORMS] = {{"/tf", "tf2_msgs/TFMessage", 100, false}, 1u << POV_RECORDED_OBSERVATION},
    [POV_ROS2_ROOT] = {{"/tf_static", "tf2_msgs/TFMessage", 1, true}, 0},
    [POV_ROS2_CAMERA_POSE] = {{"/pov/camera_pose", "geometry_msgs/PoseWithCovarianceStamped", 10, false},
                              1u << POV_RECORDED_OBSERVATION},
    [POV_ROS2_DETECTIONS] = {{"/pov/detections", "vision_msgs/Detection3DArray", 10, false},
                             1u << POV_RECORDED_OBSERVATION},
    [POV_ROS2_MARKERS] = {{"/pov/markers", "visualization_msgs/MarkerArray", 10, false},
                          1u << POV_RECORDED_OBSERVATION},
    [POV_ROS2_JUDGMENTS] = {{"/pov/judgments", "std_msgs/String", 10, false}, 1u << POV_RECORDED_OBSERVATION},
    [POV_ROS2_VISIBILITY] = {{"/pov/visibility", "std_msgs/String", 10, false},
                             1u << POV_RECORDED_OBSERVATION},
    [POV_ROS2_HEALTH] = {{"/pov/health", "std_msgs/String", 10, false}, 1u << POV_RECORDED_HEALTH},
    [POV_ROS2_REPLY] = {{"/pov/reply", "std_msgs/String", 10, false}, 1u << POV_RECORDED_ASK},
    [POV_ROS2_VLM] = {{"/pov/vlm", "std_msgs/String", 10, false}, 1u << POV_RECORDED_VLM},
    [POV_ROS2_GOAL] = {{"/pov/goal", "geometry_msgs/PoseStamped", 10, false}, 1u << POV_RECORDED_ASK},
    [POV_ROS2_JUDGMENT_LIST] = {{"/pov/msgs/judgments", "pov_msgs/Judgments", 10, false},
                                1u << POV_RECORDED_OBSERVATION},
    [POV_ROS2_SIGHT_LIST] = {{"/pov/msgs/visibility", "pov_msgs/Sights", 10, false},
                             1u << POV_RECORDED_OBSERVATION},
    [POV_ROS2_DIAGNOSTICS] = {{"/diagnostics", "diagnostic_msgs/DiagnosticArray", 10, false},
                              1u << POV_RECORDED_HEALTH},
};

const pov_ros2_topic_info *pov_ros2_topic_at(pov_ros2_topic topic)
{
    return &topics[topic].info;
}

bool pov_ros2_is_of_camera(pov_ros2_topic topic)
{
    return topic == POV_ROS2_IMAGE || topic == POV_ROS2_CAMERA || topic == POV_ROS2_CAMERA_POSE;
}

bool pov_ros2_is_made_of(pov_ros2_topic topic, pov_recorded wire)
{
    return (topics[topic].made_of >> wire & 1) != 0;
}

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

static void write_schema(char name[POV_ROS2_NAME_CAPACITY], char text[POV_ROS2_SCHEMA_CAPACITY],
                         const char *type)
{
    bool used[DEFINITIONS] = {false};
    const int of = find_definition(type, strlen(type)), package = (int)strcspn(type, "/");
    snprintf(name, POV_ROS2_NAME_CAPACITY, "%.*s/msg%s", package, type, type + package);
    int len = snprintf(text, POV_ROS2_SCHEMA_CAPACITY, "%s", definitions[of].fields);
    mark_used(used, of);
    for (int i = 0; i < DEFINITIONS; i++)
        if (used[i])
            len +=
                snprintf(text + len, POV_ROS2_SCHEMA_CAPACITY - (size_t)len,
                         "================================================================================\n"
                         "MSG: %s\n%s",
                         definitions[i].type, definitions[i].fields);
}

void pov_ros2_schema(char name[POV_ROS2_NAME_CAPACITY], char text[POV_ROS2_SCHEMA_CAPACITY],
                     pov_ros2_topic topic)
{
    write_schema(name, text, topics[topic].info.type);
}

enum { QOS_CAPACITY = 512 };

/* As rosbag2 writes what a publisher offers: keep last, reliable, no deadlines. */
static void write_qos(char text[QOS_CAPACITY], const pov_ros2_topic_info *topic)
{
    snprintf(text, QOS_CAPACITY,
             "- history: 1\n  depth: %d\n  reliability: 1\n  durability: %d\n"
             "  deadline:\n    sec: 9223372036\n    nsec: 854775807\n"
             "  lifespan:\n    sec: 9223372036\n    nsec: 854775807\n"
             "  liveliness: 1\n"
             "  liveliness_lease_duration:\n    sec: 9223372036\n    nsec: 854775807\n"
             "  avoid_ros_namespace_conventions: false",
             topic->depth, topic->is_latched ? 1 : 2);
}

pov_status pov_ros2_begin(pov_mcap_writer *writer)
{
    char name[POV_ROS2_NAME_CAPACITY], text[POV_ROS2_SCHEMA_CAPACITY], qos[QOS_CAPACITY];
    for (int i = 0; i < POV_ROS2_COUNT; i++) {
        const pov_ros2_topic_info *topic = &topics[i].info;
        int first = 0; /* of this type */
        while (strcmp(topics[first].info.type, topic->type) != 0)
            first++;
        write_schema(name, text, topic->type);
        if (first == i)
            POV_TRY(pov_mcap_writer_schema(writer, &(pov_mcap_schema){(uint16_t)(i + 1), name, "ros2msg",
                                                                      (const uint8_t *)text, strlen(text)}));
        write_qos(qos, topic);
        POV_TRY(pov_mcap_writer_channel(writer, &(pov_mcap_channel){.id = (uint16_t)(i + 1),
                                                                    .schema = (uint16_t)(first + 1),
                                                                    .topic = topic->name,
                                                                    .encoding = "cdr",
                                                                    .key = "offered_qos_profiles",
                                                                    .value = qos}));
    }
    return pov_ok();
}
