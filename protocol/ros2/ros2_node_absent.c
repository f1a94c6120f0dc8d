#include "perception/status.h"
#include "protocol/ros2/ros2_node.h"

#include <stdlib.h>

/* Nothing but the first two is ever called. */

static pov_status explain_absence(void)
{
    return pov_error("this pov was built without ROS 2: install cyclonedds-dev and build it with "
                     "-DPOV_WITH_ROS2=ON (docs/INSTALL.md)");
}

pov_status pov_ros2_library_find(void)
{
    return explain_absence();
}

pov_status pov_ros2_node_new(pov_ros2_node **node, const pov_ros2_node_config *config)
{
    (void)config;
    *node = NULL;
    return explain_absence();
}

void pov_ros2_node_destroy(pov_ros2_node **node)
{
    *node = NULL;
}

pov_status pov_ros2_node_publish(pov_ros2_node *node, int *id, const pov_ros2_endpoint *wanted)
{
    (void)node, (void)id, (void)wanted;
    return explain_absence();
}

pov_status pov_ros2_node_subscribe(pov_ros2_node *node, int *id, const pov_ros2_endpoint *wanted)
{
    (void)node, (void)id, (void)wanted;
    return explain_absence();
}

pov_status pov_ros2_node_announce(pov_ros2_node *node)
{
    (void)node;
    return explain_absence();
}

int pov_ros2_node_peers(pov_ros2_node *node, int id)
{
    (void)node, (void)id;
    return 0;
}

int pov_ros2_node_mismatches(pov_ros2_node *node, int id)
{
    (void)node, (void)id;
    return 0;
}

pov_status pov_ros2_node_look(pov_ros2_node *node, pov_ros2_seen *seen, int *len, int *left_out, int capacity)
{
    (void)node, (void)seen, (void)capacity;
    *len = *left_out = 0;
    return explain_absence();
}

pov_status pov_ros2_node_write(pov_ros2_node *node, int id, const uint8_t *bytes, size_t len)
{
    (void)node, (void)id, (void)bytes, (void)len;
    return explain_absence();
}

pov_status pov_ros2_node_take(pov_ros2_node *node, int id, const uint8_t **bytes, size_t *len)
{
    (void)node, (void)id, (void)bytes, (void)len;
    return explain_absence();
}

void pov_ros2_node_wait(pov_ros2_node *node, int timeout_ms)
{
    (void)node, (void)timeout_ms;
}
