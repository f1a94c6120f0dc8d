/** A node of ROS 2 by Eclipse Cyclone DDS, which is loaded when the first node is made: messages go out and come in as bytes of CDR. DDS has
 *  threads of its own; once a node is announced, one thread may write and another one take. */
#pragma once

#include "perception/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POV_ROS2_ENDPOINT_MAX = 48 };

typedef struct {
    int domain;         /* ROS_DOMAIN_ID */
    const char *space;  /* the node's namespace: "/", "/robot1" */
    const char *name;   /* "pov" */
    const char *config; /* for Cyclone, as CYCLONEDDS_URI: fragments between commas, the later ones win */
    bool has_long_ids;  /* ROS 2 Humble and older: ids of 24 bytes in ros_discovery_info, later 16 */
} pov_ros2_node_config;

typedef struct {
    const char *topic; /* "/pov/judgments" */
    const char *type;  /* "std_msgs/String" */
    int depth;
    bool is_latched, is_best_effort;
} pov_ros2_endpoint;

typedef struct pov_ros2_node pov_ros2_node;

/** Whether the library is there; POV_ERROR says how to get it. */
POV_MUST_USE pov_status pov_ros2_library_find(void);

/** Joins the domain. POV_ERROR: no library, or DDS says why not. */
POV_MUST_USE pov_status pov_ros2_node_new(pov_ros2_node **node, const pov_ros2_node_config *config);
void pov_ros2_node_destroy(pov_ros2_node **node);

/** Adds a publisher or a subscription: at most POV_ROS2_ENDPOINT_MAX of both; `id` names it from now on. */
POV_MUST_USE pov_status pov_ros2_node_publish(pov_ros2_node *node, int *id, const pov_ros2_endpoint *wanted);
POV_MUST_USE pov_status pov_ros2_node_subscribe(pov_ros2_node *node, int *id,
                                                const pov_ros2_endpoint *wanted);
/** Tells the others of the node and all its endpoints (ros_discovery_info): `ros2 node list` has it then. */
POV_MUST_USE pov_status pov_ros2_node_announce(pov_ros2_node *node);

/** Any thread. Peers that read what is published there, or publish what is subscribed to; DDS counts them as matched. */
int pov_ros2_node_peers(pov_ros2_node *node, int id);
/** Peers of the topic whose QoS does not match, so far. */
int pov_ros2_node_mismatches(pov_ros2_node *node, int id);

/** A publisher or subscription of another node. */
typedef struct {
    char topic[256]; /* "/pov/judgments" */
    char type[128];  /* "std_msgs/String" */
    bool is_publisher, is_latched, is_best_effort;
} pov_ros2_seen;
/** Those of ROS 2 in the domain that were discovered so far. Out: len, at most capacity; left_out: as many more. */
POV_MUST_USE pov_status pov_ros2_node_look(pov_ros2_node *node, pov_ros2_seen *seen, int *len, int *left_out,
                                           int capacity);

/** Sends a message: bytes of CDR with its header. POV_TIMEOUT: a reader that wants all of them is behind, this one was left out. */
POV_MUST_USE pov_status pov_ros2_node_write(pov_ros2_node *node, int id, const uint8_t *bytes, size_t len);

/** The oldest message that waits, borrowed until the next call. POV_TIMEOUT: there is none. */
POV_MUST_USE pov_status pov_ros2_node_take(pov_ros2_node *node, int id, const uint8_t **bytes, size_t *len);
/** Waits until a subscription has a message, or for so long. */
void pov_ros2_node_wait(pov_ros2_node *node, int timeout_ms);
