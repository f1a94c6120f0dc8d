#include "firmware/ros2/ros2_station.h"

#include "firmware/clock.h"
#include "firmware/picture/known_cameras.h"
#include "firmware/picture/waiting.h"
#include "firmware/thread_priority.h"
#include "protocol/observation/message.h"
#include "protocol/ros2/ros2_messages.h"
#include "protocol/ros2/ros2_read.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMAGES_WAITING_MAX = 2, /* to be coded; chosen: more would be old video */
    JPEG_QUALITY = 80,
    QUESTIONS_WAITING_MAX = 10, /* chosen: they come from people */
    LOOK_MS = 100               /* between two looks for readers */
};

struct pov_ros2_station {
    pov_ros2_settings settings;
    int domain;
    pov_ros2_node *node;
    pov_known_cameras cameras;
    /* of the topics that each camera has for itself, all of them; of the others the first camera's only */
    int publishers[POV_CAMERA_MAX][POV_ROS2_COUNT], questions, typed_questions;
    atomic_uint wanted[POV_CAMERA_MAX]; /* topics that somebody reads, a bit each */
    atomic_bool is_asked;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of all up to `statistics` */
    pthread_cond_t changed;
    bool stops;
    pov_waiting_ring images, messages;
    pov_ros2_statistics statistics;
    /* the coding thread's */
    pov_waiting image, message; /* that are being coded */
    pov_codec *codec;
    pov_observation *observation;
    pov_ros2_packer *packer;
    pov_recording_packer *calibrations;
    pov_jpeg_encoder *jpeg;
};

/* Whose publisher of a topic it is: the camera's own, or the one of all. */
static int owner_of(pov_ros2_topic topic, int camera)
{
    return pov_ros2_is_of_camera(topic) ? camera : 0;
}

static bool is_read(const pov_ros2_station *station, pov_ros2_topic topic, int camera)
{
    return (station->wanted[owner_of(topic, camera)] >> topic & 1u) != 0;
}

static bool wants_of_camera(const pov_ros2_station *station, pov_recorded wire, int camera)
{
    for (pov_ros2_topic topic = 0; topic < POV_ROS2_COUNT; topic++)
        if (is_read(station, topic, camera) && pov_ros2_is_made_of(topic, wire))
            return true;
    return false;
}

bool pov_ros2_station_wants(const pov_ros2_station *station, pov_recorded wire)
{
    bool wants = false;
    for (int i = 0; i < station->cameras.len; i++)
        wants |= wants_of_camera(station, wire, i);
    return wants;
}

/* ---- the coding thread ---- */

static void send_packed(pov_ros2_station *station, pov_ros2_topic topic, int camera,
                        const pov_mcap_message *message, pov_status packed)
{
    if (packed.code == POV_SKIPPED)
        return;
    if (packed.code == POV_OK)
        packed = pov_ros2_node_write(station->node, station->publishers[owner_of(topic, camera)][topic],
                                     message->bytes, message->len);
    pthread_mutex_lock(&station->lock);
    station->statistics.sent += packed.code == POV_OK;
    station->statistics.lost += packed.code != POV_OK;
    pthread_mutex_unlock(&station->lock);
}

/* A camera_info of the image's own stamp goes with each image. */
static void code_image(pov_ros2_station *station)
{
    pov_waiting *taken = &station->image;
    const int of = taken->camera;
    pov_mcap_message message = {.log_ns = taken->now_ns}, calibration = message;
    pov_camera camera;
    pov_ros2_packer_camera(station->packer, pov_known_cameras_name(&station->cameras, of)->id);
    if (is_read(station, POV_ROS2_IMAGE, of) && pov_waiting_code_image(taken, station->jpeg).code == POV_OK)
        send_packed(station, POV_ROS2_IMAGE, of, &message,
                    pov_ros2_image(station->packer, &message, &taken->image));
    if (is_read(station, POV_ROS2_CAMERA, of) && pov_known_cameras_take(&camera, &station->cameras, of) &&
        pov_recording_pack_calibration(station->calibrations, &calibration, &camera,
                                       &pov_recorded_only_camera, taken->now_ns)
                .code == POV_OK)
        send_packed(station, POV_ROS2_CAMERA, of, &message,
                    pov_ros2_camera(station->packer, &message, calibration.bytes, calibration.len,
                                    taken->image.capture_ns));
}

static void code_message(pov_ros2_station *station)
{
    const pov_waiting *taken = &station->message;
    pov_message decoded = {.observation = station->observation};
    if (pov_codec_decode(station->codec, &decoded, taken->bytes, taken->len).code != POV_OK)
        return;
    const int of = decoded.kind == POV_MESSAGE_OBSERVATION
                       ? pov_known_cameras_find(&station->cameras, decoded.observation->image.camera)
                       : 0;
    pov_ros2_packer_camera(station->packer, pov_known_cameras_name(&station->cameras, of)->id);
    for (pov_ros2_topic topic = 0; topic < POV_ROS2_COUNT; topic++) {
        pov_mcap_message message = {.log_ns = taken->now_ns};
        if (is_read(station, topic, of) && pov_ros2_is_made_of(topic, taken->topic))
            send_packed(station, topic, of, &message,
                        pov_ros2_pack(station->packer, &message, topic, &decoded));
    }
}

static void look_for_readers_of(pov_ros2_station *station, int camera, pov_ros2_statistics *found)
{
    unsigned wanted = 0;
    for (pov_ros2_topic topic = 0; topic < POV_ROS2_COUNT; topic++) {
        const int publisher = station->publishers[camera][topic];
        if (owner_of(topic, camera) != camera)
            continue;
        const int others = pov_ros2_node_mismatches(station->node, publisher);
        if (pov_ros2_node_peers(station->node, publisher) > 0)
            wanted |= 1u << topic;
        if (others > 0 && !*found->mismatched)
            snprintf(found->mismatched, sizeof found->mismatched, "%s", pov_ros2_topic_at(topic)->name);
        found->mismatches += others;
    }
    station->wanted[camera] = wanted;
}

/* DDS matches and loses readers by itself. */
static void look_for_readers(pov_ros2_station *station)
{
    pov_ros2_statistics found = {0};
    for (int i = 0; i < station->cameras.len; i++)
        look_for_readers_of(station, i, &found);
    station->is_asked = pov_ros2_node_peers(station->node, station->questions) > 0 ||
                        pov_ros2_node_peers(station->node, station->typed_questions) > 0;
    pthread_mutex_lock(&station->lock);
    station->statistics.mismatches = found.mismatches;
    if (*found.mismatched)
        memcpy(station->statistics.mismatched, found.mismatched, sizeof found.mismatched);
    pthread_mutex_unlock(&station->lock);
}

typedef struct {
    bool has_image, has_message;
} work;

/* Waits for something to code, or until it is time to look. False: the station stops, and nothing waits. */
static bool take_work(pov_ros2_station *station, work *next)
{
    const struct timespec until = pov_clock_deadline(LOOK_MS);
    pthread_mutex_lock(&station->lock);
    for (int failed = 0;
         failed == 0 && !station->stops && station->images.len == 0 && station->messages.len == 0;)
        failed = pthread_cond_timedwait(&station->changed, &station->lock, &until);
    *next = (work){.has_image = pov_waiting_swap_first(&station->images, &station->image),
                   .has_message = pov_waiting_swap_first(&station->messages, &station->message)};
    const bool goes_on = !station->stops || next->has_image || next->has_message;
    pthread_mutex_unlock(&station->lock);
    return goes_on;
}

static void *code_all(void *argument)
{
    pov_ros2_station *station = argument;
    int64_t looked_ns = 0;
    work next;
    pov_thread_works_behind();
    while (take_work(station, &next)) {
        const int64_t now_ns = pov_clock_monotonic_ns();
        if (now_ns - looked_ns >= INT64_C(1000000) * LOOK_MS) {
            looked_ns = now_ns;
            look_for_readers(station);
        }
        if (next.has_image)
            code_image(station);
        if (next.has_message)
            code_message(station);
    }
    return NULL;
}

/* ---- the pipeline's side ---- */

void pov_ros2_station_image(pov_ros2_station *station, const pov_image *image)
{
    if (!wants_of_camera(station, POV_RECORDED_IMAGE, image->camera))
        return;
    pthread_mutex_lock(&station->lock);
    if (pov_waiting_add_image(&station->images, image))
        pthread_cond_signal(&station->changed);
    pthread_mutex_unlock(&station->lock);
}

void pov_ros2_station_message(pov_ros2_station *station, pov_recorded wire, const uint8_t *bytes, size_t len,
                              int64_t capture_ns)
{
    if (!pov_ros2_station_wants(station, wire))
        return;
    pthread_mutex_lock(&station->lock);
    pov_waiting *made = pov_waiting_reserve(&station->messages, len);
    if (made) {
        made->topic = wire;
        made->now_ns = capture_ns;
        memcpy(made->bytes, bytes, len);
        pthread_cond_signal(&station->changed);
    }
    pthread_mutex_unlock(&station->lock);
}

void pov_ros2_station_camera(pov_ros2_station *station, const pov_camera *camera, int index)
{
    (void)pov_known_cameras_tell(&station->cameras, camera, index);
}

bool pov_ros2_station_is_asked(const pov_ros2_station *station)
{
    return station->is_asked;
}

char *pov_ros2_station_hear(pov_ros2_station *station, int timeout_ms)
{
    const uint8_t *bytes;
    size_t len, text_len;
    const char *text;
    pov_ros2_node_wait(station->node, timeout_ms);
    if (pov_ros2_node_take(station->node, station->typed_questions, &bytes, &len).code == POV_OK)
        return pov_ros2_read_ask(bytes, len);
    if (pov_ros2_node_take(station->node, station->questions, &bytes, &len).code != POV_OK ||
        pov_ros2_read_string(&text, &text_len, bytes, len).code != POV_OK)
        return NULL;
    return strndup(text, text_len);
}

pov_ros2_statistics pov_ros2_station_statistics(pov_ros2_station *station)
{
    pthread_mutex_lock(&station->lock);
    pov_ros2_statistics all = station->statistics;
    all.lost += station->images.lost + station->messages.lost;
    pthread_mutex_unlock(&station->lock);
    return all;
}

void pov_ros2_station_print(const pov_ros2_station *station)
{
    const char *space = station->settings.space;
    fprintf(stderr, "ROS 2: node %s%s%s in domain %d\n", space, space[1] ? "/" : "", station->settings.node,
            station->domain);
}

/* ---- coming and going ---- */

static pov_status open_publisher(pov_ros2_station *station, pov_ros2_topic topic, int camera)
{
    char name[2 * POV_ROS2_NAME_CAPACITY];
    const pov_ros2_topic_info *info = pov_ros2_topic_at(topic);
    if (pov_ros2_is_of_camera(topic) && station->cameras.len > 1)
        pov_ros2_settings_resolve_of_camera(name, &station->settings, info->name,
                                            pov_known_cameras_name(&station->cameras, camera)->id);
    else
        pov_ros2_settings_resolve(name, &station->settings, info->name);
    return pov_ros2_node_publish(
        station->node, &station->publishers[camera][topic],
        &(pov_ros2_endpoint){.topic = name,
                             .type = info->type,
                             .depth = info->depth,
                             .is_latched = info->is_latched,
                             .is_best_effort =
                                 topic == POV_ROS2_IMAGE && station->settings.are_images_best_effort});
}

static pov_status open_publishers(pov_ros2_station *station)
{
    char name[2 * POV_ROS2_NAME_CAPACITY];
    for (int i = 0; i < station->cameras.len; i++)
        for (pov_ros2_topic topic = 0; topic < POV_ROS2_COUNT; topic++)
            if (owner_of(topic, i) == i)
                POV_TRY(open_publisher(station, topic, i));
    pov_ros2_settings_resolve(name, &station->settings, "/pov/ask");
    POV_TRY(pov_ros2_node_subscribe(
        station->node, &station->questions,
        &(pov_ros2_endpoint){.topic = name, .type = "std_msgs/String", .depth = QUESTIONS_WAITING_MAX}));
    pov_ros2_settings_resolve(name, &station->settings, "/pov/msgs/ask");
    POV_TRY(pov_ros2_node_subscribe(
        station->node, &station->typed_questions,
        &(pov_ros2_endpoint){.topic = name, .type = "pov_msgs/Ask", .depth = QUESTIONS_WAITING_MAX}));
    return pov_ros2_node_announce(station->node);
}

static pov_status set_up(pov_ros2_station *station, const pov_ros2_settings *settings)
{
    pov_mcap_message root = {.log_ns = 0};
    station->settings = *settings;
    station->images.max = IMAGES_WAITING_MAX;
    station->messages.max = POV_WAITING_MAX;
    station->observation = calloc(1, sizeof *station->observation);
    if (!station->observation)
        return pov_error("out of memory for ROS 2");
    POV_TRY(pov_codec_new(&station->codec));
    POV_TRY(pov_recording_packer_new(&station->calibrations));
    POV_TRY(pov_ros2_packer_new(&station->packer, &settings->frames));
    POV_TRY(pov_jpeg_encoder_new(&station->jpeg, JPEG_QUALITY));
    POV_TRY(pov_ros2_settings_domain(&station->domain, settings));
    POV_TRY(pov_ros2_settings_join(&station->node, settings, ""));
    POV_TRY(open_publishers(station));
    const pov_status packed = pov_ros2_root(station->packer, &root, pov_clock_unix_ns());
    send_packed(station, POV_ROS2_ROOT, 0, &root, packed);
    station->has_thread = pthread_create(&station->thread, NULL, code_all, station) == 0;
    return station->has_thread ? pov_ok() : pov_error("no thread for ROS 2");
}

pov_status pov_ros2_station_new(pov_ros2_station **station, const pov_ros2_settings *settings,
                                const pov_recorded_camera *cameras, int len)
{
    *station = calloc(1, sizeof **station);
    if (!*station)
        return pov_error("out of memory for ROS 2");
    pov_known_cameras_begin(&(*station)->cameras, cameras, len);
    pthread_mutex_init(&(*station)->lock, NULL);
    pov_clock_condition_init(&(*station)->changed);
    const pov_status status = set_up(*station, settings);
    if (status.code != POV_OK)
        pov_ros2_station_destroy(station);
    return status;
}

void pov_ros2_station_destroy(pov_ros2_station **station)
{
    pov_ros2_station *gone = *station;
    if (!gone)
        return;
    pthread_mutex_lock(&gone->lock);
    gone->stops = true;
    pthread_cond_signal(&gone->changed);
    pthread_mutex_unlock(&gone->lock);
    if (gone->has_thread)
        pthread_join(gone->thread, NULL);
    pov_ros2_node_destroy(&gone->node);
    pov_waiting_free(&gone->images);
    pov_waiting_free(&gone->messages);
    free(gone->image.bytes);
    free(gone->message.bytes);
    free(gone->observation);
    pov_codec_destroy(&gone->codec);
    pov_recording_packer_destroy(&gone->calibrations);
    pov_ros2_packer_destroy(&gone->packer);
    pov_jpeg_encoder_destroy(&gone->jpeg);
    pov_known_cameras_end(&gone->cameras);
    pthread_cond_destroy(&gone->changed);
    pthread_mutex_destroy(&gone->lock);
    free(gone);
    *station = NULL;
}
