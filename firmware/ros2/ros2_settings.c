#include "firmware/ros2/ros2_settings.h"

#include "perception/geometry/geom.h"
#include "protocol/ros2/ros2_messages.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOMAIN_MAX = 232 }; /* DDS has ports for no more */

static const char *const distributions[] = {"humble", "iron", "jazzy", "kilted", "rolling"};
enum { DISTRIBUTIONS = sizeof distributions / sizeof *distributions };

/* ---- the station file ---- */

/* Letters, digits and underscores between slashes; no part begins with a digit. */
static bool is_ros_name(const char *name, bool is_full)
{
    if (is_full != (*name == '/'))
        return false;
    if (is_full && !name[1])
        return true;
    for (const char *part = name + is_full;; part++) {
        if (isdigit((unsigned char)*part) || *part == '/' || !*part)
            return false;
        part += strspn(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (!*part)
            return true;
        if (*part != '/' || !is_full)
            return false;
    }
}

static void read_name(char name[POV_ROS2_NAME_CAPACITY], pov_yaml_node node, bool is_full)
{
    pov_yaml_copy_string(name, POV_ROS2_NAME_CAPACITY, node);
    if (pov_yaml_exists(node) && !pov_yaml_failed(node.file) && !is_ros_name(name, is_full))
        pov_yaml_complain(
            node,
            "'%s' is not a valid name in ROS 2: %s of letters, digits and _, none of which begins "
            "with a digit",
            name, is_full ? "a slash, then parts" : "a word");
}

void pov_ros2_settings_read_topic(char name[POV_ROS2_NAME_CAPACITY], pov_yaml_node node)
{
    read_name(name, node, true);
}

void pov_ros2_settings_read_frame(char name[POV_ROS2_NAME_CAPACITY], pov_yaml_node node)
{
    pov_yaml_copy_string(name, POV_ROS2_NAME_CAPACITY, node);
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return;
    bool is_name = *name && *name != '/';
    for (const char *c = name; *c; c++)
        is_name &= !isspace((unsigned char)*c) && !iscntrl((unsigned char)*c);
    if (!is_name)
        pov_yaml_complain(node,
                          "'%s' is not a frame's name: tf2 wants one without blanks, which does not begin "
                          "with a slash",
                          name);
}

/* Each frame has one parent: root, table, camera. */
static void check_frames(const pov_ros2_frames *frames, pov_yaml_node node)
{
    const pov_yaml_node camera = pov_yaml_get(node, "camera_frame"),
                        table = pov_yaml_get(node, "table_frame"), root = pov_yaml_get(node, "root");
    if (strcmp(frames->table, frames->camera) == 0)
        pov_yaml_complain(pov_yaml_exists(camera) ? camera : table,
                          "the table's frame and the camera's are both '%s': a frame is not its own parent; "
                          "give them two names",
                          frames->table);
    const bool is_camera = strcmp(frames->root, frames->camera) == 0;
    if (pov_yaml_exists(root) && (is_camera || strcmp(frames->root, frames->table) == 0))
        pov_yaml_complain(pov_yaml_get(root, "frame"),
                          "the root frame is '%s', which is the %s own frame: a loop; name the frame that "
                          "the table stands in, as map",
                          frames->root, is_camera ? "camera's" : "table's");
}

static void read_root(pov_ros2_frames *frames, pov_yaml_node root)
{
    double yaw_deg = 0, pitch_deg = 0, roll_deg = 0;
    const double far_m = 1e5;
    frames->T_root_table = pov_transform_identity();
    if (!pov_yaml_exists(root))
        return;
    pov_ros2_settings_read_frame(
        frames->root, pov_yaml_need(root, "frame", "the parent of the table's frame, as frame: map"));
    pov_yaml_vec3(&frames->T_root_table.t_m, pov_yaml_get(root, "position_m"), -far_m, far_m);
    pov_yaml_number(&yaw_deg, pov_yaml_get(root, "yaw_deg"), -360, 360);
    pov_yaml_number(&pitch_deg, pov_yaml_get(root, "pitch_deg"), -360, 360);
    pov_yaml_number(&roll_deg, pov_yaml_get(root, "roll_deg"), -360, 360);
    frames->T_root_table.R = pov_rot_mul(pov_rot_yaw(yaw_deg * POV_DEG),
                                         pov_rot_mul(pov_rot_exp((pov_vec3){0, pitch_deg * POV_DEG, 0}),
                                                     pov_rot_exp((pov_vec3){roll_deg * POV_DEG, 0, 0})));
}

/* Those that are published, and then those that are heard. */
static const char *const heard[] = {"/pov/ask", "/pov/msgs/ask"};
enum { TOPICS = POV_ROS2_COUNT + sizeof heard / sizeof *heard };

static const char *name_topic(int topic)
{
    return topic < POV_ROS2_COUNT ? pov_ros2_topic_at((pov_ros2_topic)topic)->name
                                  : heard[topic - POV_ROS2_COUNT];
}

static bool is_topic(const char *name)
{
    for (int i = 0; i < TOPICS; i++)
        if (strcmp(name_topic(i), name) == 0)
            return true;
    return false;
}

/* The topic that has the same name as another one in the end; NULL: each has its own. */
static const char *find_clash(const pov_ros2_settings *settings, const char *from)
{
    char name[2 * POV_ROS2_NAME_CAPACITY], other[2 * POV_ROS2_NAME_CAPACITY];
    pov_ros2_settings_resolve(name, settings, from);
    for (int i = 0; i < TOPICS; i++) {
        pov_ros2_settings_resolve(other, settings, name_topic(i));
        if (strcmp(name_topic(i), from) != 0 && strcmp(name, other) == 0)
            return name_topic(i);
    }
    return NULL;
}

static void check_remap(const pov_ros2_settings *settings, int i, pov_yaml_node pair)
{
    const char *from = settings->remaps[i][0];
    if (!is_topic(from))
        pov_yaml_complain(pov_yaml_get(pair, "from"),
                          "'%s' is not a topic of pov: docs/ROS2.md lists them, without the namespace", from);
    for (int k = 0; k < i; k++)
        if (strcmp(settings->remaps[k][0], from) == 0)
            pov_yaml_complain(pov_yaml_get(pair, "from"), "duplicate topic '%s': it is remapped above", from);
    const char *clash = find_clash(settings, from);
    if (clash)
        pov_yaml_complain(pov_yaml_get(pair, "to"),
                          "'%s' is the name of %s, too: two topics cannot share a name",
                          settings->remaps[i][1], clash);
}

static void read_remaps(pov_ros2_settings *settings, pov_yaml_node remaps)
{
    const int len = pov_yaml_length(remaps);
    if (len > POV_ROS2_REMAP_MAX) {
        pov_yaml_complain(remaps, "at most %d topics", POV_ROS2_REMAP_MAX);
        return;
    }
    for (int i = 0; i < len; i++) {
        const pov_yaml_node pair = pov_yaml_at(remaps, i);
        read_name(settings->remaps[i][0],
                  pov_yaml_need(pair, "from", "the topic's name, as from: /pov/markers"), true);
        read_name(settings->remaps[i][1], pov_yaml_need(pair, "to", "its new name, as to: /scene"), true);
    }
    settings->remap_len = len;
    for (int i = 0; i < len && !pov_yaml_failed(remaps.file); i++)
        check_remap(settings, i, pov_yaml_at(remaps, i));
}

void pov_ros2_settings_read(pov_ros2_settings *settings, pov_yaml_node node)
{
    *settings = (pov_ros2_settings){
        .domain = -1, .space = "/", .node = "pov", .distribution = -1, .frames = POV_ROS2_FRAMES_DEFAULT};
    settings->frames.T_root_table = pov_transform_identity();
    settings->is_wanted = pov_yaml_exists(node);
    if (!settings->is_wanted)
        return;
    const pov_yaml_node publish = pov_yaml_get(node, "publish");
    pov_yaml_bool(&settings->is_wanted, publish);
    settings->off_line = settings->is_wanted ? 0 : pov_yaml_line(publish);
    pov_yaml_integer(&settings->domain, pov_yaml_get(node, "domain"), 0, DOMAIN_MAX);
    read_name(settings->space, pov_yaml_get(node, "namespace"), true);
    read_name(settings->node, pov_yaml_get(node, "node"), false);
    pov_yaml_choice(&settings->distribution, pov_yaml_get(node, "distribution"), distributions,
                    DISTRIBUTIONS);
    pov_yaml_bool(&settings->are_images_best_effort, pov_yaml_get(node, "best_effort_images"));
    pov_ros2_settings_read_frame(settings->frames.table, pov_yaml_get(node, "table_frame"));
    pov_ros2_settings_read_frame(settings->frames.camera, pov_yaml_get(node, "camera_frame"));
    read_root(&settings->frames, pov_yaml_get(node, "root"));
    if (!pov_yaml_failed(node.file))
        check_frames(&settings->frames, node);
    read_remaps(settings, pov_yaml_get(node, "remap"));
}

/* ---- the environment ---- */

static const char *text_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? text : "";
}

pov_status pov_ros2_settings_domain(int *domain, const pov_ros2_settings *settings)
{
    const char *text = text_of("ROS_DOMAIN_ID");
    char *end;
    *domain = settings->domain;
    if (*domain >= 0)
        return pov_ok();
    const long value = strtol(text, &end, 10);
    if (*end || value < 0 || value > DOMAIN_MAX)
        return pov_error("ROS_DOMAIN_ID is '%.40s', which is not a number from 0 to %d", text, DOMAIN_MAX);
    *domain = (int)value;
    return pov_ok();
}

bool pov_ros2_settings_is_local(void)
{
    return strcmp(text_of("ROS_LOCALHOST_ONLY"), "1") == 0 ||
           strcmp(text_of("ROS_AUTOMATIC_DISCOVERY_RANGE"), "LOCALHOST") == 0;
}

/* The hosts of ROS_STATIC_PEERS, between semicolons, as a fragment; "": there are none. False: one of them is not a name or an address, or they
 * are too many. */
static bool write_peers(char *text, size_t capacity)
{
    static const char begin[] =
        ",<CycloneDDS><Domain id=\"any\"><Discovery><ParticipantIndex>auto</ParticipantIndex>"
        "<MaxAutoParticipantIndex>60</MaxAutoParticipantIndex><Peers>",
                      end[] = "</Peers></Discovery></Domain></CycloneDDS>";
    const char *peers = text_of("ROS_STATIC_PEERS");
    size_t len = 0;
    *text = '\0';
    while (*(peers += strspn(peers, "; "))) {
        const size_t name_len = strcspn(peers, "; ");
        if (strspn(peers, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-_") < name_len ||
            len + name_len + sizeof begin + sizeof end + 32 > capacity)
            return false;
        len += (size_t)snprintf(text + len, capacity - len, "%s<Peer address=\"%.*s\"/>",
                                len == 0 ? begin : "", (int)name_len, peers);
        peers += name_len;
    }
    if (len > 0)
        snprintf(text + len, capacity - len, "%s", end);
    return true;
}

/* ROS 2's own variables as fragments of Cyclone's configuration; CYCLONEDDS_URI comes last and wins. */
static pov_status write_config(char config[POV_ROS2_CONFIG_CAPACITY])
{
    static const char
        bound[] = /* of a sample: larger ones from outside are refused; chosen: a raw 8K image */
        "<CycloneDDS><Domain id=\"any\"><Internal><MaxSampleSize>100 MB</MaxSampleSize></Internal></Domain>"
        "</CycloneDDS>";
    static const char local[] =
        ",<CycloneDDS><Domain id=\"any\"><General><Interfaces><NetworkInterface "
        "address=\"127.0.0.1\"/></Interfaces></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
        "<MaxAutoParticipantIndex>60</MaxAutoParticipantIndex><Peers><Peer address=\"127.0.0.1\"/>"
        "</Peers><SPDPInterval>1s</SPDPInterval></Discovery></Domain></CycloneDDS>"; /* loopback has no multicast */
    static const char silent[] =
        ",<CycloneDDS><Domain id=\"any\"><General><AllowMulticast>false</AllowMulticast>"
        "</General></Domain></CycloneDDS>";
    const char *range = text_of("ROS_AUTOMATIC_DISCOVERY_RANGE"), *said = text_of("CYCLONEDDS_URI");
    const bool is_local = pov_ros2_settings_is_local();
    char peers[POV_ROS2_CONFIG_CAPACITY / 2];
    if (!write_peers(peers, sizeof peers))
        return pov_error("ROS_STATIC_PEERS is not a list of at most some forty names or addresses with ; "
                         "between them: '%.100s'",
                         text_of("ROS_STATIC_PEERS"));
    const int len =
        snprintf(config, POV_ROS2_CONFIG_CAPACITY, "%s%s%s%s%s%s", bound, is_local ? local : "",
                 strcmp(range, "OFF") == 0 ? silent : "", is_local ? "" : peers, *said ? "," : "", said);
    return len < POV_ROS2_CONFIG_CAPACITY
               ? pov_ok()
               : pov_error(
                     "CYCLONEDDS_URI is longer than %d characters: put it into a file and name that, as "
                     "CYCLONEDDS_URI=file:///etc/cyclonedds.xml",
                     POV_ROS2_CONFIG_CAPACITY - (int)(sizeof bound + sizeof local + sizeof silent));
}

pov_status pov_ros2_settings_join(pov_ros2_node **node, const pov_ros2_settings *settings, const char *suffix)
{
    char config[POV_ROS2_CONFIG_CAPACITY], name[POV_ROS2_NAME_CAPACITY + 16];
    int domain;
    *node = NULL;
    POV_TRY(pov_ros2_settings_domain(&domain, settings));
    POV_TRY(write_config(config));
    snprintf(name, sizeof name, "%s%s", settings->node, suffix);
    const bool has_long_ids = settings->distribution >= 0 ? settings->distribution == 0
                                                          : strcmp(text_of("ROS_DISTRO"), "humble") == 0;
    return pov_ros2_node_new(node, &(pov_ros2_node_config){.domain = domain,
                                                           .space = settings->space,
                                                           .name = name,
                                                           .config = config,
                                                           .has_long_ids = has_long_ids});
}

/* NULL: it keeps its name. */
static const char *find_remap(const pov_ros2_settings *settings, const char *topic)
{
    for (int i = 0; i < settings->remap_len; i++)
        if (strcmp(settings->remaps[i][0], topic) == 0)
            return settings->remaps[i][1];
    return NULL;
}

void pov_ros2_settings_resolve(char name[2 * POV_ROS2_NAME_CAPACITY], const pov_ros2_settings *settings,
                               const char *topic)
{
    const char *remapped = find_remap(settings, topic);
    const bool is_shared = strncmp(topic, "/pov/", 5) != 0; /* by all of a robot's nodes: /tf */
    snprintf(name, 2 * POV_ROS2_NAME_CAPACITY, "%s%s",
             remapped || is_shared || !settings->space[1] ? "" : settings->space,
             remapped ? remapped : topic);
}

void pov_ros2_settings_resolve_of_camera(char name[2 * POV_ROS2_NAME_CAPACITY],
                                         const pov_ros2_settings *settings, const char *topic, const char *id)
{
    const char *remapped = find_remap(settings, topic);
    if (remapped)
        snprintf(name, 2 * POV_ROS2_NAME_CAPACITY, "/%s%s", id, remapped);
    else
        snprintf(name, 2 * POV_ROS2_NAME_CAPACITY, "%s/pov/%s%s", settings->space[1] ? settings->space : "",
                 id, topic + strlen("/pov"));
}
