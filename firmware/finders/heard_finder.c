/* Things that other nodes of ROS 2 tell of: nothing is looked for in images. */
#include "firmware/finders/finders.h"

#include <string.h>

static const double far_m = 1e5; /* bound for lengths in the station file; chosen */

static pov_ros2_thing *add_thing(pov_finder_settings *settings, pov_cast_member *member, pov_yaml_node node)
{
    pov_ros2_things *things = &settings->heard;
    if (things->len == POV_HEARD_MAX) {
        pov_yaml_complain(node, "at most %d entities are told of by other nodes of ROS 2", POV_HEARD_MAX);
        return &things->things[POV_HEARD_MAX - 1]; /* the file is refused */
    }
    member->kind = things->len;
    things->things[things->len] = (pov_ros2_thing){.count = 1, .stale_after_s = 1};
    return &things->things[things->len++];
}

static void read_trust(pov_ros2_thing *thing, pov_cast_member *member, pov_yaml_node node)
{
    bool has_front = false;
    double rotation_std_deg = 180;
    pov_yaml_node rotation = pov_yaml_get(node, "rotation_std_deg");
    pov_yaml_bool(&has_front, pov_yaml_get(node, "has_front"));
    pov_yaml_number(
        &thing->position_std_m,
        pov_yaml_need(node, "position_std_m", "how well its place is known, one standard deviation, as 0.05"),
        1e-6, far_m);
    if (has_front)
        rotation = pov_yaml_need(node, "rotation_std_deg",
                                 "how well its front is known, one standard deviation, as 5");
    pov_yaml_number(&rotation_std_deg, rotation, 1e-4, 180);
    thing->rotation_std_rad = rotation_std_deg * POV_DEG;
    pov_yaml_number(&thing->stale_after_s, pov_yaml_get(node, "stale_after_s"), 1e-3, 5);
    pov_yaml_vec3(&thing->center_m, pov_yaml_get(node, "center_m"), -far_m, far_m);
    if (has_front)
        member->entity.heading = pov_heading_single(0, 0);
}

static void read_frame(pov_cast_member *member, pov_finder_settings *settings, pov_yaml_node node)
{
    pov_ros2_thing *thing = add_thing(settings, member, node);
    thing->kind = POV_ROS2_THING_FRAME;
    pov_ros2_settings_read_frame(thing->name,
                                 pov_yaml_need(node, "frame", "its frame in /tf, as frame: person_1"));
    read_trust(thing, member, node);
}

static void read_topic(pov_cast_member *member, pov_finder_settings *settings, pov_yaml_node node)
{
    pov_yaml_node pose = pov_yaml_get(node, "pose"), detections = pov_yaml_get(node, "detections");
    pov_ros2_thing *thing = add_thing(settings, member, node);
    const bool is_pose = pov_yaml_exists(pose);
    if (is_pose == pov_yaml_exists(detections)) {
        pov_yaml_complain(node,
                          "give either pose (a topic of geometry_msgs/PoseStamped) or detections (one of "
                          "vision_msgs/Detection3DArray), as pose: /mug");
        return;
    }
    thing->kind = is_pose ? POV_ROS2_THING_POSE : POV_ROS2_THING_DETECTION;
    pov_ros2_settings_read_topic(thing->name, is_pose ? pose : detections);
    if (!is_pose) {
        pov_yaml_copy_filled(thing->class_id, sizeof thing->class_id, pov_yaml_get(node, "class"));
        pov_yaml_copy_filled(thing->id, sizeof thing->id, pov_yaml_get(node, "id"));
        pov_yaml_integer(&thing->count, pov_yaml_get(node, "count"), 1, POV_HEARD_MAX);
    }
    member->count = thing->count;
    read_trust(thing, member, node);
}

static bool wants_nothing(const pov_finder_settings *settings)
{
    (void)settings;
    return false;
}

const pov_finder pov_heard_finder = {
    .readers = {{&pov_found_by_tf, "tf", "frame: the frame of /tf that it is", read_frame},
                {&pov_found_by_topic, "topic", "pose or detections: the topic that tells of it", read_topic}},
    .is_wanted = wants_nothing,
};
