#include "firmware/ros2/ros2_look.h"

#include "firmware/clock.h"
#include "protocol/ros2/ros2_read.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_S = 3, SEEN_MAX = 2000, MISMATCHES_MAX = 8 };

/* Adds a word to a list of at most that length; it ends with dots if more do not fit. */
static void add_word(char *text, size_t capacity, const char *word)
{
    enum { DOTS = 8 };
    const size_t len = strlen(text);
    if (len > 0 && text[len - 1] == '.')
        return;
    if (len + strlen(word) + DOTS > capacity)
        snprintf(text + len, capacity - len, ", ...");
    else
        snprintf(text + len, capacity - len, "%s%s", len ? ", " : "", word);
}

static void list_topics(pov_ros2_look *look, const pov_ros2_seen *seen, int len, int left_out)
{
    char names[POV_ROS2_LINE_CAPACITY] = "";
    int count = 0;
    for (int i = 0; i < len; i++) {
        int first = 0;
        while (strcmp(seen[first].topic, seen[i].topic) != 0)
            first++;
        if (first < i)
            continue;
        count++;
        add_word(names, sizeof names, seen[i].topic);
    }
    snprintf(look->topics, sizeof look->topics, "%d topic%s%s%.400s%s", count, count == 1 ? "" : "s",
             count ? ": " : "", names, left_out ? "; more were not looked at" : "");
}

static void find_mismatches(pov_ros2_look *look, const pov_ros2_seen *seen, int len)
{
    for (int r = 0; r < len; r++)
        for (int w = 0; w < len; w++) {
            const pov_ros2_seen *reader = &seen[r], *writer = &seen[w];
            if (reader->is_publisher || !writer->is_publisher || strcmp(reader->topic, writer->topic) != 0)
                continue;
            const bool lacks_reliability = !reader->is_best_effort && writer->is_best_effort,
                       lacks_latch = reader->is_latched && !writer->is_latched;
            if (!lacks_reliability && !lacks_latch)
                continue;
            if (look->mismatch_len == MISMATCHES_MAX)
                look->mismatches_left_out++;
            else
                snprintf(look->mismatches[look->mismatch_len++], POV_ROS2_LINE_CAPACITY,
                         "%s: a reader wants %s%s%s, its publisher offers %s: set the reader's QoS to that",
                         reader->topic, lacks_reliability ? "reliable" : "",
                         lacks_reliability && lacks_latch ? ", " : "", lacks_latch ? "transient local" : "",
                         lacks_reliability && lacks_latch ? "best effort, volatile"
                         : lacks_latch                    ? "volatile"
                                                          : "best effort");
        }
}

enum { NODES_MAX = 256 };

typedef struct {
    int len;
    bool are_more;
    char names[NODES_MAX][2 * POV_ROS2_TEXT_CAPACITY];
} heard_nodes;

/* A node tells of itself again whenever it changes. */
static bool add_node(heard_nodes *heard, const char *name)
{
    for (int i = 0; i < heard->len; i++)
        if (strcmp(heard->names[i], name) == 0)
            return false;
    if (heard->len == NODES_MAX) {
        heard->are_more = true;
        return false;
    }
    snprintf(heard->names[heard->len++], sizeof heard->names[0], "%s", name);
    return true;
}

static void hear_nodes(pov_ros2_look *look, pov_ros2_node *node, int id)
{
    char names[POV_ROS2_LINE_CAPACITY] = "", name[2 * POV_ROS2_TEXT_CAPACITY];
    heard_nodes *heard = pov_allocate(1, sizeof *heard);
    const uint8_t *bytes;
    size_t len;
    const int64_t deadline_ns = pov_clock_monotonic_ns() + LOOK_S * INT64_C(1000000000);
    while (pov_clock_monotonic_ns() < deadline_ns) {
        pov_ros2_node_wait(node, 100);
        while (pov_ros2_node_take(node, id, &bytes, &len).code == POV_OK)
            if (pov_ros2_read_node(name, bytes, len).code == POV_OK && add_node(heard, name))
                add_word(names, sizeof names, name);
    }
    snprintf(look->nodes, sizeof look->nodes, "%s%d node%s%s%.400s", heard->are_more ? "over " : "",
             heard->len, heard->len == 1 ? "" : "s", heard->len ? ": " : "", names);
    free(heard);
}

/* "sensor_msgs/Image" -> "sensor_msgs/msg/Image", as ros2 topic list -t has it. */
static void print_type(char *to, size_t capacity, const char *type)
{
    const int package = (int)strcspn(type, "/");
    if (type[package])
        snprintf(to, capacity, "%.*s/msg%.40s", package < 36 ? package : 36, type, type + package);
    else
        snprintf(to, capacity, "%.70s", type);
}

/* Publishers of a type, each topic once. */
static void list_others(char *names, size_t capacity, const pov_ros2_seen *seen, int len, const char *type)
{
    *names = '\0';
    for (int i = 0; i < len; i++) {
        bool is_new = seen[i].is_publisher && strcmp(seen[i].type, type) == 0;
        for (int k = 0; k < i && is_new; k++)
            is_new = !seen[k].is_publisher || strcmp(seen[k].topic, seen[i].topic) != 0 ||
                     strcmp(seen[k].type, type) != 0;
        if (is_new)
            add_word(names, capacity, seen[i].topic);
    }
}

/* The publisher of the topic that comes nearest to what is wanted; NULL: there is none. */
static const pov_ros2_seen *find_publisher(const pov_ros2_seen *seen, int len,
                                           const pov_ros2_endpoint *wanted)
{
    const pov_ros2_seen *found = NULL;
    for (int i = 0; i < len; i++)
        if (seen[i].is_publisher && strcmp(seen[i].topic, wanted->topic) == 0 &&
            (!found || strcmp(seen[i].type, wanted->type) == 0))
            found = &seen[i];
    return found;
}

pov_status pov_ros2_look_for(bool *is_hopeless, pov_ros2_node *node, const pov_ros2_endpoint *wanted)
{
    char type[80], other[80], names[120];
    int len = 0, left_out = 0;
    pov_ros2_seen *seen = pov_allocate(SEEN_MAX, sizeof *seen);
    pov_status why = pov_ros2_node_look(node, seen, &len, &left_out, SEEN_MAX);
    const pov_ros2_seen *found = find_publisher(seen, len, wanted);
    *is_hopeless = found && strcmp(found->type, wanted->type) != 0;
    list_others(names, sizeof names, seen, len, wanted->type);
    print_type(type, sizeof type, wanted->type);
    print_type(other, sizeof other, found ? found->type : "");
    if (why.code == POV_OK && found && !*is_hopeless)
        why = !wanted->is_best_effort && found->is_best_effort
                  ? pov_error("its publisher offers best effort only: leave out reliable: true")
                  : pov_error("it is published, but nothing is sent there");
    else if (why.code == POV_OK) {
        const char *problem = found ? "is published as" : "is not published by anybody";
        why = pov_error("it %s%s%s; %s %s%s%s", problem, found ? " " : "", other,
                        *names ? "topics of" : "no topic of", type, *names ? ": " : " is there", names);
    }
    free(seen);
    return why;
}

/* Cyclone takes the first that is up, multicast before others, unless it is told. */
static void list_interfaces(pov_ros2_look *look)
{
    char names[POV_ROS2_LINE_CAPACITY] = "", one[IF_NAMESIZE + INET_ADDRSTRLEN + 32],
         address[INET_ADDRSTRLEN];
    struct ifaddrs *all = NULL;
    const bool is_local = pov_ros2_settings_is_local();
    const char *said = getenv("CYCLONEDDS_URI"), *peers = getenv("ROS_STATIC_PEERS");
    if (getifaddrs(&all) != 0)
        all = NULL;
    for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
        if (!at->ifa_addr || at->ifa_addr->sa_family != AF_INET || !(at->ifa_flags & IFF_UP) ||
            (is_local && !(at->ifa_flags & IFF_LOOPBACK)))
            continue;
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)at->ifa_addr)->sin_addr, address,
                  sizeof address);
        snprintf(one, sizeof one, "%s %s%s", at->ifa_name, address,
                 at->ifa_flags & IFF_MULTICAST ? "" : " (no multicast)");
        add_word(names, sizeof names, one);
    }
    freeifaddrs(all);
    snprintf(look->interfaces, sizeof look->interfaces, "interfaces: %.280s%s%s%.80s%s",
             *names ? names : "none is up", is_local ? "; kept to this machine by the environment" : "",
             peers && *peers ? "; ROS_STATIC_PEERS: " : "", peers && *peers ? peers : "",
             said && *said ? "; CYCLONEDDS_URI may choose others" : "");
}

pov_status pov_ros2_look_around(pov_ros2_look *look, const pov_ros2_settings *settings)
{
    pov_ros2_node *node;
    int id, len = 0, left_out = 0;
    *look = (pov_ros2_look){.mismatch_len = 0};
    list_interfaces(look);
    POV_TRY(pov_ros2_settings_join(&node, settings, "_doctor"));
    pov_ros2_seen *seen = pov_allocate(SEEN_MAX, sizeof *seen);
    pov_status status =
        pov_ros2_node_subscribe(node, &id,
                                &(pov_ros2_endpoint){.topic = "ros_discovery_info",
                                                     .type = "rmw_dds_common/ParticipantEntitiesInfo",
                                                     .depth = 1000,
                                                     .is_latched = true});
    if (status.code == POV_OK)
        hear_nodes(look, node, id);
    POV_THEN(status, pov_ros2_node_look(node, seen, &len, &left_out, SEEN_MAX));
    list_topics(look, seen, len, left_out);
    find_mismatches(look, seen, len);
    free(seen);
    pov_ros2_node_destroy(&node);
    return status;
}
