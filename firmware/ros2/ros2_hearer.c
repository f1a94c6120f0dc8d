#include "firmware/ros2/ros2_hearer.h"

#include "firmware/cli.h"
#include "firmware/clock.h"
#include "perception/tracking/frame_tree.h"
#include "protocol/ros2/ros2_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRANSFORMS_WAITING_MAX = 2000, /* messages: a second of a large robot's; chosen */
    POSES_WAITING_MAX = 100,       /* chosen: as of a camera at 100 Hz */
    POSES_KEPT = 2 * POV_HEARD_MAX,
    DISCOVERY_MS = 3000 /* until then other nodes may still be unknown, as to pov_ros2_look_around */
};
static const int64_t told_again_ns = INT64_C(10000000000); /* between two words about what is wrong; chosen */
static const double lag_s = 0.5; /* a robot's transforms come after its other messages by less; chosen */
static const double far_m = 1e5; /* bound for lengths in the station file; chosen */

/* ---- the station file ---- */

void pov_ros2_camera_tf_read(pov_ros2_camera_tf *tf, pov_yaml_node node)
{
    double rotation_std_deg = 0;
    *tf = (pov_ros2_camera_tf){.is_wanted = pov_yaml_exists(node),
                               .wait_s = 0.1,
                               .gap_max_s = 0.5}; /* chosen: transforms of 2 Hz and more */
    if (!tf->is_wanted)
        return;
    pov_ros2_settings_read_frame(
        tf->frame,
        pov_yaml_need(node, "frame", "the camera's optical frame, as frame: camera_color_optical_frame"));
    pov_yaml_number(&tf->position_std_m,
                    pov_yaml_need(node, "position_std_m",
                                  "how well the robot knows the camera's place, one "
                                  "standard deviation, as 0.005"),
                    1e-6, far_m);
    pov_yaml_number(&rotation_std_deg,
                    pov_yaml_need(node, "rotation_std_deg",
                                  "how well the robot knows the camera's direction, one "
                                  "standard deviation, as 0.5"),
                    1e-4, 180);
    tf->rotation_std_rad = rotation_std_deg * POV_DEG;
    pov_yaml_number(&tf->stamp_std_s, pov_yaml_get(node, "stamp_std_s"), 0, 10);
    pov_yaml_number(&tf->wait_s, pov_yaml_get(node, "wait_s"), 0, 10);
    pov_yaml_number(&tf->gap_max_s, pov_yaml_get(node, "gap_max_s"), 1e-3, 5);
}

/* ---- what is kept ---- */

/* A pose that a topic told of, as it came. */
typedef struct {
    int source; /* index of pov_ros2_things */
    pov_ros2_header header;
    pov_transform T_frame_thing;
    bool has_cov;
    double cov[6][6];
} told_pose;

typedef struct {
    int id;     /* of the node's subscription */
    int source; /* the first of the things that this topic tells of */
} topic;

struct pov_ros2_hearer {
    const pov_ros2_settings *settings;
    const pov_ros2_camera_tf *camera;
    const pov_ros2_things *things;
    pov_ros2_node *node;
    pov_frame_tree *tree;
    int transforms, fixed; /* subscriptions */
    int topic_len;
    topic topics[POV_HEARD_MAX];
    int pose_len;
    told_pose poses[POSES_KEPT];
    bool takes_fixed;              /* the transforms that are being taken are of /tf_static */
    int taking;                    /* the topic whose message is being taken */
    uint64_t taken, taken_in_vain; /* transforms, so far and when a wait for one was in vain */
    bool has_news;
    int64_t told_ns, begun_ns;
    uint64_t wrong; /* messages and transforms that are not used */
    char news[POV_MESSAGE_CAPACITY];
};

bool pov_ros2_hears(const pov_ros2_hearer_config *config)
{
    return config->camera->is_wanted || config->things->len > 0;
}

/* Not each of them: a driver may send a hundred a second. */
static void note_wrong(pov_ros2_hearer *hearer, const char *format, const char *name, const char *why)
{
    char what[330];
    const int64_t now_ns = pov_clock_monotonic_ns();
    hearer->wrong++;
    if (hearer->wrong > 1 && now_ns - hearer->told_ns < told_again_ns)
        return;
    hearer->told_ns = now_ns;
    snprintf(what, sizeof what, format, name, why);
    snprintf(hearer->news, sizeof hearer->news, "%s (%llu messages so far were not used as they are)", what,
             (unsigned long long)hearer->wrong);
    hearer->has_news = true;
}

static const char *frame_of(const char *name)
{
    return name + (*name == '/'); /* as ROS 1 had them */
}

static void take_transform(void *context, const pov_ros2_transform *told)
{
    pov_ros2_hearer *hearer = context;
    if (!told->is_valid)
        note_wrong(hearer, "ROS 2: the transform to '%.100s' is left out: %.180s", told->child,
                   "its numbers are not finite, or its quaternion does not have length 1");
    else if (!pov_frame_tree_add(hearer->tree, &(pov_frame_told){.parent = frame_of(told->header.frame),
                                                                 .child = frame_of(told->child),
                                                                 .T_parent_child = told->T_parent_child,
                                                                 .stamp_ns = told->header.stamp_ns,
                                                                 .is_static = hearer->takes_fixed}))
        note_wrong(hearer, "ROS 2: the transform to '%.100s' is left out: %.180s", told->child,
                   "it names no parent, or itself, or too many frames are told of, or names of more than 127 "
                   "characters, or it is seconds older than the one before it");
    else
        hearer->taken++;
}

/* The newest of each thing; detections of one message come together. */
static void keep_pose(pov_ros2_hearer *hearer, const told_pose *told)
{
    int kept = 0, of_source = 0;
    const int max = hearer->things->things[told->source].count;
    for (int i = 0; i < hearer->pose_len; i++) {
        const told_pose *old = &hearer->poses[i];
        if (old->source == told->source && old->header.stamp_ns != told->header.stamp_ns)
            continue;
        of_source += old->source == told->source;
        hearer->poses[kept++] = *old;
    }
    hearer->pose_len = kept;
    if (of_source < max && kept < POSES_KEPT)
        hearer->poses[hearer->pose_len++] = *told;
    else
        note_wrong(hearer, "ROS 2: %.100s tells of %.180s", hearer->things->things[told->source].name,
                   "more things of that kind than the station's count: raise the count of that entity");
}

static bool shares_topic(const pov_ros2_hearer *hearer, int a, int b)
{
    const pov_ros2_thing *one = &hearer->things->things[a], *other = &hearer->things->things[b];
    return one->kind == other->kind && strcmp(one->name, other->name) == 0;
}

static void take_detection(void *context, const pov_ros2_detection *found)
{
    pov_ros2_hearer *hearer = context;
    const pov_ros2_things *things = hearer->things;
    const int first = hearer->topics[hearer->taking].source;
    if (!found->is_valid) {
        note_wrong(hearer, "ROS 2: a detection of '%.100s' is left out: %.180s", found->class_id,
                   "its numbers are not finite, or its quaternion does not have length 1");
        return;
    }
    for (int i = first; i < things->len; i++) {
        const pov_ros2_thing *thing = &things->things[i];
        if (!shares_topic(hearer, first, i) ||
            (*thing->class_id && strcmp(thing->class_id, found->class_id) != 0) ||
            (*thing->id && strcmp(thing->id, found->id) != 0))
            continue;
        told_pose told = {.source = i,
                          .header = found->header,
                          .T_frame_thing = found->T_frame_box,
                          .has_cov = found->has_cov};
        memcpy(told.cov, found->cov, sizeof told.cov);
        keep_pose(hearer, &told);
        return;
    }
}

static pov_status take_pose(pov_ros2_hearer *hearer, const uint8_t *bytes, size_t len)
{
    pov_ros2_pose pose;
    POV_TRY(pov_ros2_read_pose(&pose, bytes, len));
    const int first = hearer->topics[hearer->taking].source;
    for (int i = first; i < hearer->things->len; i++)
        if (shares_topic(hearer, first, i))
            keep_pose(hearer,
                      &(told_pose){.source = i, .header = pose.header, .T_frame_thing = pose.T_frame_pose});
    return pov_ok();
}

static void take_messages(pov_ros2_hearer *hearer)
{
    const uint8_t *bytes;
    size_t len;
    pov_status status;
    for (int fixed = 1; fixed >= 0 && hearer->tree; fixed--) {
        hearer->takes_fixed = fixed;
        const int id = fixed ? hearer->fixed : hearer->transforms;
        while (pov_ros2_node_take(hearer->node, id, &bytes, &len).code == POV_OK)
            if ((status = pov_ros2_read_transforms(take_transform, hearer, bytes, len)).code != POV_OK)
                note_wrong(hearer, "ROS 2: %.20s: %.180s", fixed ? "/tf_static" : "/tf", status.message);
    }
    for (int i = 0; i < hearer->topic_len; i++) {
        const pov_ros2_thing *thing = &hearer->things->things[hearer->topics[i].source];
        hearer->taking = i;
        while (pov_ros2_node_take(hearer->node, hearer->topics[i].id, &bytes, &len).code == POV_OK) {
            status = thing->kind == POV_ROS2_THING_POSE
                         ? take_pose(hearer, bytes, len)
                         : pov_ros2_read_detections(take_detection, hearer, bytes, len);
            if (status.code != POV_OK)
                note_wrong(hearer, "ROS 2: %.100s: %.180s", thing->name, status.message);
        }
    }
}

/* ---- what is told ---- */

/* Finds a frame's pose in the table's frame. */
static pov_status place_frame(const pov_ros2_hearer *hearer, pov_frame_place *place, const char *frame,
                              int64_t stamp_ns)
{
    const pov_ros2_frames *frames = &hearer->settings->frames;
    const bool has_root = frames->root[0] != '\0';
    *place = (pov_frame_place){.T_to_from = pov_transform_identity()};
    if (strcmp(frame, frames->table) == 0)
        return pov_ok();
    const pov_transform T_table_root =
        has_root ? pov_transform_inverse(frames->T_root_table) : place->T_to_from;
    if (!has_root || strcmp(frame, frames->root) != 0)
        POV_TRY(pov_frame_tree_find(hearer->tree, place, has_root ? frames->root : frames->table, frame,
                                    stamp_ns));
    place->T_to_from = pov_transform_mul(T_table_root, place->T_to_from);
    for (int i = 0; i < 6; i += 3) {
        const pov_vec3 turned =
            pov_rot_apply(T_table_root.R, (pov_vec3){place->rate[i], place->rate[i + 1], place->rate[i + 2]});
        place->rate[i] = turned.x;
        place->rate[i + 1] = turned.y;
        place->rate[i + 2] = turned.z;
    }
    return pov_ok();
}

/* Its stated deviations, and what an error of the stamp moves. */
static void state_deviation(pov_pose *pose, double position_std_m, double rotation_std_rad,
                            const double rate[6], double stamp_std_s)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            pose->cov[i][j] = (i == j ? pow(i < 3 ? rotation_std_rad : position_std_m, 2) : 0) +
                              stamp_std_s * stamp_std_s * rate[i] * rate[j];
}

static pov_status place_camera(const pov_ros2_hearer *hearer, pov_pose *T_table_camera, int64_t stamp_ns)
{
    const pov_ros2_camera_tf *camera = hearer->camera;
    pov_frame_place place;
    POV_TRY(place_frame(hearer, &place, camera->frame, stamp_ns));
    T_table_camera->T = place.T_to_from;
    state_deviation(T_table_camera, camera->position_std_m, camera->rotation_std_rad, place.rate,
                    camera->stamp_std_s);
    return pov_ok();
}

static void hear_camera(pov_ros2_hearer *hearer, pov_heard *heard, int64_t stamp_ns)
{
    const int64_t discovered_ns = hearer->begun_ns + DISCOVERY_MS * INT64_C(1000000);
    const int64_t waited_ns = pov_clock_monotonic_ns() + (int64_t)(1e9 * hearer->camera->wait_s);
    pov_status status;
    while ((status = place_camera(hearer, &heard->T_table_camera, stamp_ns)).code != POV_OK) {
        const bool is_new = pov_clock_monotonic_ns() < discovered_ns && !pov_cli_stop_requested();
        if (!is_new && (status.code != POV_TIMEOUT || hearer->taken == hearer->taken_in_vain))
            break;
        const int64_t left_ms = ((is_new ? discovered_ns : waited_ns) - pov_clock_monotonic_ns()) / 1000000;
        if (left_ms <= 0) {
            hearer->taken_in_vain = hearer->taken;
            break;
        }
        pov_ros2_node_wait(hearer->node, left_ms < 100 ? (int)left_ms : 100);
        take_messages(hearer);
    }
    heard->has_camera = status.code == POV_OK;
    if (!heard->has_camera)
        snprintf(heard->camera_why, sizeof heard->camera_why, "%s", status.message);
}

static void add_thing(pov_heard *heard, const pov_ros2_hearer *hearer, int source, pov_pose *T_table_told)
{
    const pov_pose center =
        pov_pose_exact((pov_transform){pov_rot_identity(), hearer->things->things[source].center_m});
    if (heard->len < POV_HEARD_MAX)
        heard->things[heard->len++] = (pov_heard_thing){source, pov_pose_mul(T_table_told, &center)};
}

/* A frame that was told before the image counts where it was told last, until it is stale: others' frames come at their own pace. Its
 * covariance grows by how far it may have moved since. */
static void hear_frame(pov_ros2_hearer *hearer, pov_heard *heard, int source, int64_t stamp_ns)
{
    const pov_ros2_thing *thing = &hearer->things->things[source];
    pov_frame_place place;
    double age_s = 0;
    pov_status status = place_frame(hearer, &place, thing->name, stamp_ns);
    if (status.code == POV_TIMEOUT) {
        const int64_t newest_ns = pov_frame_tree_newest(
            hearer->tree,
            hearer->settings->frames.root[0] ? hearer->settings->frames.root : hearer->settings->frames.table,
            thing->name);
        age_s = 1e-9 * (double)(stamp_ns - newest_ns);
        if (age_s <= thing->stale_after_s)
            status = place_frame(hearer, &place, thing->name, newest_ns);
    }
    if (status.code != POV_OK)
        return;
    pov_pose told = {.T = place.T_to_from};
    state_deviation(&told, thing->position_std_m, thing->rotation_std_rad, place.rate, age_s);
    add_thing(heard, hearer, source, &told);
}

static void hear_pose(pov_ros2_hearer *hearer, pov_heard *heard, const told_pose *told, int64_t stamp_ns)
{
    const pov_ros2_thing *thing = &hearer->things->things[told->source];
    pov_frame_place place;
    if (fabs(1e-9 * (double)(stamp_ns - told->header.stamp_ns)) > thing->stale_after_s)
        return;
    const pov_status status =
        place_frame(hearer, &place, frame_of(told->header.frame), told->header.stamp_ns);
    if (status.code == POV_TIMEOUT && 1e-9 * (double)(stamp_ns - told->header.stamp_ns) < lag_s)
        return; /* the robot tells where it was in a moment */
    if (status.code != POV_OK) {
        note_wrong(hearer, "ROS 2: %.100s cannot be placed: %.180s", thing->name, status.message);
        return;
    }
    pov_pose T_frame_thing = {.T = told->T_frame_thing};
    const pov_pose T_table_frame = pov_pose_exact(place.T_to_from);
    state_deviation(&T_frame_thing, thing->position_std_m, thing->rotation_std_rad, place.rate, 0);
    if (told->has_cov)
        memcpy(T_frame_thing.cov, told->cov, sizeof told->cov);
    pov_pose T_table_thing = pov_pose_mul(&T_table_frame, &T_frame_thing);
    add_thing(heard, hearer, told->source, &T_table_thing);
}

void pov_ros2_hearer_tell(pov_ros2_hearer *hearer, pov_heard *heard, int64_t stamp_ns)
{
    *heard = (pov_heard){.has_camera = false};
    take_messages(hearer);
    if (hearer->camera->is_wanted)
        hear_camera(hearer, heard, stamp_ns);
    for (int i = 0; i < hearer->things->len; i++)
        if (hearer->things->things[i].kind == POV_ROS2_THING_FRAME)
            hear_frame(hearer, heard, i, stamp_ns);
    for (int i = 0; i < hearer->pose_len; i++)
        hear_pose(hearer, heard, &hearer->poses[i], stamp_ns);
}

bool pov_ros2_hearer_news(pov_ros2_hearer *hearer, char text[POV_MESSAGE_CAPACITY])
{
    if (!hearer->has_news)
        return false;
    hearer->has_news = false;
    snprintf(text, POV_MESSAGE_CAPACITY, "%s", hearer->news);
    return true;
}

int pov_ros2_hearer_frames(const pov_ros2_hearer *hearer)
{
    return pov_frame_tree_len(hearer->tree);
}

/* ---- coming and going ---- */

static pov_status subscribe(pov_ros2_hearer *hearer)
{
    const pov_ros2_things *things = hearer->things;
    POV_TRY(pov_ros2_node_subscribe(hearer->node, &hearer->transforms,
                                    &(pov_ros2_endpoint){.topic = "/tf",
                                                         .type = "tf2_msgs/TFMessage",
                                                         .depth = TRANSFORMS_WAITING_MAX,
                                                         .is_best_effort = true}));
    POV_TRY(pov_ros2_node_subscribe(hearer->node, &hearer->fixed,
                                    &(pov_ros2_endpoint){.topic = "/tf_static",
                                                         .type = "tf2_msgs/TFMessage",
                                                         .depth = TRANSFORMS_WAITING_MAX,
                                                         .is_latched = true}));
    for (int i = 0; i < things->len; i++) {
        const pov_ros2_thing *thing = &things->things[i];
        bool is_new = thing->kind != POV_ROS2_THING_FRAME;
        for (int k = 0; k < i && is_new; k++)
            is_new = !shares_topic(hearer, k, i);
        if (!is_new)
            continue;
        topic *made = &hearer->topics[hearer->topic_len++];
        made->source = i;
        POV_TRY(pov_ros2_node_subscribe(hearer->node, &made->id,
                                        &(pov_ros2_endpoint){.topic = thing->name,
                                                             .type = thing->kind == POV_ROS2_THING_POSE
                                                                         ? "geometry_msgs/PoseStamped"
                                                                         : "vision_msgs/Detection3DArray",
                                                             .depth = POSES_WAITING_MAX,
                                                             .is_best_effort = true}));
    }
    return pov_ros2_node_announce(hearer->node);
}

pov_status pov_ros2_hearer_new(pov_ros2_hearer **hearer, const pov_ros2_hearer_config *config)
{
    pov_ros2_hearer *made = *hearer = calloc(1, sizeof *made);
    if (!made)
        return pov_error("out of memory for transforms of ROS 2");
    made->settings = config->settings;
    made->camera = config->camera;
    made->things = config->things;
    made->taken_in_vain = UINT64_MAX;
    made->begun_ns = pov_clock_monotonic_ns();
    made->tree = pov_frame_tree_new((int64_t)(1e9 * config->camera->gap_max_s));
    pov_status status = made->tree ? pov_ok() : pov_error("out of memory for transforms of ROS 2");
    POV_THEN(status, pov_ros2_settings_join(&made->node, config->settings, "_tf"));
    POV_THEN(status, subscribe(made));
    if (status.code != POV_OK)
        pov_ros2_hearer_destroy(hearer);
    return status;
}

void pov_ros2_hearer_destroy(pov_ros2_hearer **hearer)
{
    if (!*hearer)
        return;
    pov_ros2_node_destroy(&(*hearer)->node);
    pov_frame_tree_destroy(&(*hearer)->tree);
    free(*hearer);
    *hearer = NULL;
}
