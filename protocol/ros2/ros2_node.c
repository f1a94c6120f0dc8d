#include "protocol/ros2/ros2_node.h"

#include "protocol/ros2/cdr_writer.h"
#include "protocol/ros2/dds_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUID_BYTES = 16, DDS_NAME_CAPACITY = 512, LONG_ID_BYTES = 24 };

typedef struct {
    dds_entity_t entity;
    struct ddsi_sertype *type; /* borrowed: the topic has it */
    bool is_writer;
    uint8_t guid[GUID_BYTES];
} endpoint;

struct pov_ros2_node {
    pov_dds_library dds;
    char space[256], name[256];
    bool has_long_ids;
    dds_entity_t domain, participant, waitset; /* domain: 0 if another node of this process made it */
    int len;
    endpoint endpoints[POV_ROS2_ENDPOINT_MAX];
    int discovery; /* the publisher of ros_discovery_info */
    pov_cdr_writer cdr;
    struct ddsi_serdata *taken; /* whose bytes are lent */
};

pov_status pov_ros2_library_find(void)
{
    pov_dds_library library;
    return pov_dds_library_load(&library);
}

static pov_status explain_failure(const pov_ros2_node *node, const char *what, dds_return_t code)
{
    return pov_error("ROS 2: %.300s: %s", what, node->dds.dds_strretcode(code));
}

/* ---- names ---- */

/* "/pov/say" -> "rt/pov/say"; what DDS itself and rmw have for themselves stays. */
static void name_topic(char to[DDS_NAME_CAPACITY], const char *topic)
{
    snprintf(to, DDS_NAME_CAPACITY, "%s%s", *topic == '/' ? "rt" : "", topic);
}

/* "std_msgs/String" -> "std_msgs::msg::dds_::String_". */
static void name_type(char to[DDS_NAME_CAPACITY], const char *type)
{
    const int package = (int)strcspn(type, "/");
    snprintf(to, DDS_NAME_CAPACITY, "%.*s::msg::dds_::%s_", package, type, type + package + 1);
}

/* "std_msgs::msg::dds_::String_" -> "std_msgs/String"; what is not of ROS 2 stays. */
static void read_type(char *to, size_t capacity, const char *name)
{
    static const char middle[] = "::msg::dds_::";
    const char *found = strstr(name, middle);
    const size_t len = strlen(name);
    if (!found || name[len - 1] != '_')
        snprintf(to, capacity, "%s", name);
    else
        snprintf(to, capacity, "%.*s/%.*s", (int)(found - name), name,
                 (int)(name + len - 1 - (found + sizeof middle - 1)), found + sizeof middle - 1);
}

/* ---- joining and leaving ---- */

static pov_status join_domain(pov_ros2_node *node, const pov_ros2_node_config *config)
{
    const dds_entity_t domain = node->dds.dds_create_domain((dds_domainid_t)config->domain, config->config);
    if (domain < 0 && domain != DDS_RETCODE_PRECONDITION_NOT_MET)
        return pov_error("ROS 2: domain %d cannot be joined (%s): check the network's interfaces, "
                         "CYCLONEDDS_URI and ROS_DOMAIN_ID",
                         config->domain, node->dds.dds_strretcode(domain));
    node->domain = domain > 0 ? domain : 0;
    dds_qos_t *qos = node->dds.dds_create_qos();
    static const char enclave[] = "enclave=/;"; /* tools of ROS list only participants with one */
    node->dds.dds_qset_userdata(qos, enclave, sizeof enclave - 1);
    node->participant = node->dds.dds_create_participant((dds_domainid_t)config->domain, qos, NULL);
    node->dds.dds_delete_qos(qos);
    if (node->participant < 0)
        return explain_failure(node, "no participant", node->participant);
    node->waitset = node->dds.dds_create_waitset(node->participant);
    return node->waitset < 0 ? explain_failure(node, "no waitset", node->waitset) : pov_ok();
}

pov_status pov_ros2_node_new(pov_ros2_node **node, const pov_ros2_node_config *config)
{
    pov_ros2_node *made = *node = calloc(1, sizeof *made);
    if (!made)
        return pov_error("out of memory for a node of ROS 2");
    snprintf(made->space, sizeof made->space, "%s", config->space);
    snprintf(made->name, sizeof made->name, "%s", config->name);
    made->has_long_ids = config->has_long_ids;
    pov_status status = pov_dds_library_load(&made->dds);
    if (status.code != POV_OK) {
        free(made);
        *node = NULL;
        return status;
    }
    status = join_domain(made, config);
    POV_THEN(status,
             pov_ros2_node_publish(made, &made->discovery,
                                   &(pov_ros2_endpoint){.topic = "ros_discovery_info",
                                                        .type = "rmw_dds_common/ParticipantEntitiesInfo",
                                                        .depth = 1,
                                                        .is_latched = true}));
    if (status.code != POV_OK)
        pov_ros2_node_destroy(node);
    return status;
}

void pov_ros2_node_destroy(pov_ros2_node **node)
{
    pov_ros2_node *gone = *node;
    if (!gone)
        return;
    if (gone->taken)
        gone->dds.ddsi_serdata_unref(gone->taken);
    if (gone->participant > 0)
        gone->dds.dds_delete(gone->participant);
    if (gone->domain > 0)
        gone->dds.dds_delete(gone->domain);
    pov_cdr_free(&gone->cdr);
    free(gone);
    *node = NULL;
}

/* ---- endpoints ---- */

/* A writer waits a little for a slow reader; what does not fit then is left out, and told. Chosen. */
enum { WAIT_FOR_READER_MS = 20 };

static dds_qos_t *make_qos(const pov_ros2_node *node, const pov_ros2_endpoint *wanted)
{
    dds_qos_t *qos = node->dds.dds_create_qos();
    node->dds.dds_qset_reliability(
        qos, wanted->is_best_effort ? DDS_RELIABILITY_BEST_EFFORT : DDS_RELIABILITY_RELIABLE,
        DDS_MSECS(WAIT_FOR_READER_MS));
    node->dds.dds_qset_durability(qos, wanted->is_latched ? DDS_DURABILITY_TRANSIENT_LOCAL
                                                          : DDS_DURABILITY_VOLATILE);
    node->dds.dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, wanted->depth);
    node->dds.dds_qset_ignorelocal(qos, DDS_IGNORELOCAL_PROCESS);
    node->dds.dds_qset_writer_data_lifecycle(qos, false);
    return qos;
}

static pov_status make_endpoint(pov_ros2_node *node, endpoint *made, const pov_ros2_endpoint *wanted)
{
    char topic_name[DDS_NAME_CAPACITY], type_name[DDS_NAME_CAPACITY];
    name_topic(topic_name, wanted->topic);
    name_type(type_name, wanted->type);
    made->type = pov_dds_type_new(&node->dds, type_name);
    if (!made->type)
        return pov_error("out of memory for a topic of ROS 2");
    dds_qos_t *qos = make_qos(node, wanted);
    const dds_entity_t topic =
        node->dds.dds_create_topic_sertype(node->participant, topic_name, &made->type, NULL, NULL, NULL);
    made->entity = topic;
    if (topic > 0)
        made->entity = made->is_writer ? node->dds.dds_create_writer(node->participant, topic, qos, NULL)
                                       : node->dds.dds_create_reader(node->participant, topic, qos, NULL);
    node->dds.dds_delete_qos(qos);
    if (made->entity < 0)
        return explain_failure(node, wanted->topic, made->entity);
    dds_guid_t guid;
    const dds_return_t got = node->dds.dds_get_guid(made->entity, &guid);
    memcpy(made->guid, &guid, sizeof made->guid);
    return got < 0 ? explain_failure(node, wanted->topic, got) : pov_ok();
}

static pov_status add_endpoint(pov_ros2_node *node, int *id, const pov_ros2_endpoint *wanted, bool is_writer)
{
    if (node->len == POV_ROS2_ENDPOINT_MAX)
        return pov_error("ROS 2: more than %d topics", POV_ROS2_ENDPOINT_MAX);
    endpoint *made = &node->endpoints[node->len];
    made->is_writer = is_writer;
    POV_TRY(make_endpoint(node, made, wanted));
    *id = node->len++;
    return pov_ok();
}

pov_status pov_ros2_node_publish(pov_ros2_node *node, int *id, const pov_ros2_endpoint *wanted)
{
    return add_endpoint(node, id, wanted, true);
}

pov_status pov_ros2_node_subscribe(pov_ros2_node *node, int *id, const pov_ros2_endpoint *wanted)
{
    POV_TRY(add_endpoint(node, id, wanted, false));
    const dds_entity_t ready = node->dds.dds_create_readcondition(node->endpoints[*id].entity, DDS_ANY_STATE);
    if (ready < 0)
        return explain_failure(node, wanted->topic, ready);
    const dds_return_t attached = node->dds.dds_waitset_attach(node->waitset, ready, ready);
    return attached < 0 ? explain_failure(node, wanted->topic, attached) : pov_ok();
}

static void put_ids(pov_ros2_node *node, bool of_writers)
{
    const size_t id_bytes = node->has_long_ids ? LONG_ID_BYTES : GUID_BYTES;
    uint32_t count = 0;
    for (int i = 0; i < node->len; i++)
        count += i != node->discovery && node->endpoints[i].is_writer == of_writers;
    pov_cdr_put_whole(&node->cdr, count, 4);
    for (int i = 0; i < node->len; i++) {
        uint8_t id[LONG_ID_BYTES] = {0};
        if (i == node->discovery || node->endpoints[i].is_writer != of_writers)
            continue;
        memcpy(id, node->endpoints[i].guid, GUID_BYTES);
        pov_cdr_put_bytes(&node->cdr, id, id_bytes);
    }
}

pov_status pov_ros2_node_announce(pov_ros2_node *node)
{
    uint8_t id[LONG_ID_BYTES] = {0};
    dds_guid_t guid;
    const dds_return_t got = node->dds.dds_get_guid(node->participant, &guid);
    if (got < 0)
        return explain_failure(node, "no id", got);
    memcpy(id, &guid, GUID_BYTES);
    pov_cdr_begin(&node->cdr);
    pov_cdr_put_bytes(&node->cdr, id, node->has_long_ids ? LONG_ID_BYTES : GUID_BYTES);
    pov_cdr_put_whole(&node->cdr, 1, 4); /* nodes */
    pov_cdr_put_text(&node->cdr, node->space);
    pov_cdr_put_text(&node->cdr, node->name);
    put_ids(node, false);
    put_ids(node, true);
    if (node->cdr.failed)
        return pov_error("out of memory for a node of ROS 2");
    return pov_ros2_node_write(node, node->discovery, node->cdr.bytes, node->cdr.len);
}

int pov_ros2_node_peers(pov_ros2_node *node, int id)
{
    const endpoint *of = &node->endpoints[id];
    if (of->is_writer) {
        dds_publication_matched_status_t status;
        return node->dds.dds_get_publication_matched_status(of->entity, &status) < 0
                   ? 0
                   : (int)status.current_count;
    }
    dds_subscription_matched_status_t status;
    return node->dds.dds_get_subscription_matched_status(of->entity, &status) < 0 ? 0
                                                                                  : (int)status.current_count;
}

int pov_ros2_node_mismatches(pov_ros2_node *node, int id)
{
    const endpoint *of = &node->endpoints[id];
    if (of->is_writer) {
        dds_offered_incompatible_qos_status_t status;
        return node->dds.dds_get_offered_incompatible_qos_status(of->entity, &status) < 0
                   ? 0
                   : (int)status.total_count;
    }
    dds_requested_incompatible_qos_status_t status;
    return node->dds.dds_get_requested_incompatible_qos_status(of->entity, &status) < 0
               ? 0
               : (int)status.total_count;
}

/* ---- others ---- */

static bool is_of_others(const dds_builtintopic_endpoint_t *found, const dds_guid_t *own)
{
    return memcmp(&found->participant_key, own, sizeof *own) != 0 &&
           strncmp(found->topic_name, "rt/", 3) == 0;
}

static pov_ros2_seen describe_endpoint(const pov_ros2_node *node, const dds_builtintopic_endpoint_t *found,
                                       bool is_publisher)
{
    dds_reliability_kind_t reliability = DDS_RELIABILITY_BEST_EFFORT;
    dds_durability_kind_t durability = DDS_DURABILITY_VOLATILE;
    dds_duration_t wait;
    pov_ros2_seen seen = {.is_publisher = is_publisher};
    node->dds.dds_qget_reliability(found->qos, &reliability, &wait);
    node->dds.dds_qget_durability(found->qos, &durability);
    seen.is_best_effort = reliability == DDS_RELIABILITY_BEST_EFFORT;
    seen.is_latched = durability != DDS_DURABILITY_VOLATILE;
    snprintf(seen.topic, sizeof seen.topic, "%.200s", found->topic_name + 2);
    read_type(seen.type, sizeof seen.type, found->type_name);
    return seen;
}

static pov_status look_at(pov_ros2_node *node, dds_entity_t topic, pov_ros2_seen *seen, int *len,
                          int *left_out, int capacity)
{
    dds_guid_t own;
    void *sample[1] = {NULL};
    dds_sample_info_t info;
    dds_return_t got = node->dds.dds_get_guid(node->participant, &own);
    if (got < 0)
        return explain_failure(node, "no id", got);
    const dds_entity_t reader = node->dds.dds_create_reader(node->participant, topic, NULL, NULL);
    if (reader < 0)
        return explain_failure(node, "the domain's list of topics", reader);
    while ((got = node->dds.dds_take(reader, sample, &info, 1, 1)) > 0) {
        const dds_builtintopic_endpoint_t *found = sample[0];
        if (info.valid_data && info.instance_state == DDS_IST_ALIVE && is_of_others(found, &own)) {
            if (*len < capacity)
                seen[(*len)++] = describe_endpoint(node, found, topic == DDS_BUILTIN_TOPIC_DCPSPUBLICATION);
            else
                ++*left_out;
        }
        (void)node->dds.dds_return_loan(reader, sample, got);
        sample[0] = NULL;
    }
    (void)node->dds.dds_delete(reader);
    return got < 0 ? explain_failure(node, "the domain's list of topics", got) : pov_ok();
}

pov_status pov_ros2_node_look(pov_ros2_node *node, pov_ros2_seen *seen, int *len, int *left_out, int capacity)
{
    *len = *left_out = 0;
    POV_TRY(look_at(node, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, seen, len, left_out, capacity));
    return look_at(node, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, seen, len, left_out, capacity);
}

/* ---- messages ---- */

pov_status pov_ros2_node_write(pov_ros2_node *node, int id, const uint8_t *bytes, size_t len)
{
    enum { HEADER_BYTES = 4 };
    POV_REQUIRE(len >= HEADER_BYTES);
    const endpoint *to = &node->endpoints[id];
    struct ddsi_serdata *sample = pov_dds_sample_new(to->type, bytes, len);
    if (!sample)
        return pov_error("out of memory for a message of ROS 2");
    const dds_return_t sent = node->dds.dds_writecdr(to->entity, sample);
    if (sent == DDS_RETCODE_TIMEOUT)
        return pov_status_of(POV_TIMEOUT);
    return sent < 0 ? explain_failure(node, "a message cannot be sent", sent) : pov_ok();
}

pov_status pov_ros2_node_take(pov_ros2_node *node, int id, const uint8_t **bytes, size_t *len)
{
    for (;;) {
        dds_sample_info_t info;
        if (node->taken)
            node->dds.ddsi_serdata_unref(node->taken);
        node->taken = NULL;
        const dds_return_t got =
            node->dds.dds_takecdr(node->endpoints[id].entity, &node->taken, 1, &info, DDS_ANY_STATE);
        if (got < 0)
            return explain_failure(node, "messages cannot be taken", got);
        if (got == 0)
            return pov_status_of(POV_TIMEOUT);
        if (!info.valid_data)
            continue; /* a publisher went away */
        pov_dds_sample_bytes(node->taken, bytes, len);
        return pov_ok();
    }
}

void pov_ros2_node_wait(pov_ros2_node *node, int timeout_ms)
{
    dds_attach_t ready;
    (void)node->dds.dds_waitset_wait(node->waitset, &ready, 1, DDS_MSECS(timeout_ms));
}
