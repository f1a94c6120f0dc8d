#include "firmware/sources/remote_source.h"

#include "firmware/clock.h"
#include "firmware/keys/door.h"
#include "firmware/sources/clock_window.h"
#include "firmware/sources/remote_view.h"
#include "protocol/observation/message.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    VIEW_BYTES_MAX = 512 << 10, /* a scene and tags with all their lists full take about 250 kB */
    /* Of what waits, so that the newest is used; chosen: all that a connection's buffers hold of views. */
    MESSAGES_A_LOOK = 2048,
    BYTES_A_LOOK = 16 << 20
};
static const int64_t old_max_ns = 10000000000,
                     young_max_ns = 100000000; /* of a view when it is sent; chosen */
static const int64_t tell_again_ns = 60000000000, open_again_ns = 2000000000; /* chosen */
static const int64_t uncompared_ns = 3000000000;                              /* told then; chosen */
static const double map_least_m = 0.005, map_deviations = 4; /* maps that differ by less are one; chosen */

typedef struct {
    pov_remote_config config;
    const pov_cast *cast;
    const pov_tag_map *map;
    pov_subscriber *subscriber;
    pov_codec *codec;
    pov_observation *observation;
    uint8_t *newest; /* of VIEW_BYTES_MAX */
    size_t newest_len;
    int64_t received_ns; /* by the UNIX clock: the newest */
    pov_clock_window clock;
    int64_t next_ns;             /* not looked for before, by the monotonic clock */
    int64_t mapped_ns;           /* since when its tags are in no map of ours; 0: they are */
    int64_t capture_ns, sent_ns; /* of the last view, by the other's clock */
    bool is_shut_out;            /* by keys that do not fit */
    bool has_view, is_pending;   /* is_pending: something was told before it */
    bool told_uncompared, is_foreign;
    char camera[POV_NAME_CAPACITY]; /* heard of */
    bool has_camera;
    uint64_t delivered, lost;
    uint32_t sequence;                                     /* of the view, of that camera */
    int64_t told_ns, told_map_ns, told_cast_ns, opened_ns; /* by the monotonic clock; 0: never */
    char silence[POV_TROUBLE_CAPACITY];
    pov_remote_view view;
} pov_remote;

/* ---- the station file ---- */

void pov_remote_read(pov_remote_config *config, pov_yaml_node node)
{
    double offset_ms = 0, std_ms = 0;
    config->rate_max_hz = 60;
    pov_yaml_copy_filled(
        config->endpoint, sizeof config->endpoint,
        pov_yaml_need(node, "endpoint", "where that station publishes, as endpoint: tcp://other:5570"));
    pov_yaml_copy_name(config->camera, sizeof config->camera, pov_yaml_get(node, "camera"));
    pov_yaml_copy_filled(config->server, sizeof config->server, pov_yaml_get(node, "server"));
    pov_yaml_relative_path(config->keys, sizeof config->keys, pov_yaml_get(node, "keys"));
    pov_yaml_number(&config->rate_max_hz, pov_yaml_get(node, "rate_max_hz"), 0.1, 1000);
    const pov_yaml_node clock = pov_yaml_get(node, "clock");
    config->has_clock = pov_yaml_exists(clock);
    if (!config->has_clock)
        return;
    pov_yaml_number(&offset_ms,
                    pov_yaml_need(clock, "offset_ms", "how far that machine's clock is ahead of this one's"),
                    -1e9, 1e9);
    pov_yaml_number(&std_ms, pov_yaml_need(clock, "std_ms", "how well that is known, one standard deviation"),
                    0, 1e6);
    config->clock_offset_s = 1e-3 * offset_ms;
    config->clock_std_s = 1e-3 * std_ms;
}

/* ---- maps and casts ---- */

static double corner_off_m(const pov_observed_tag *tag, const pov_tag_map_entry *entry)
{
    double off_m = 0;
    for (int i = 0; i < 4; i++) {
        const pov_vec3 own = pov_transform_apply(entry->T_table_tag.T, pov_tag_corner(entry->edge_m, i));
        off_m = fmax(off_m, pov_vec3_norm(pov_vec3_sub(own, tag->map_corner_m[i])));
    }
    return off_m;
}

/* Both maps may have been surveyed, each as well as this one says. */
static double allowed_m(const pov_tag_map_entry *entry)
{
    double variance = 0;
    for (int i = 0; i < 3; i++)
        variance += entry->T_table_tag.cov[3 + i][3 + i] +
                    entry->T_table_tag.cov[i][i] * entry->edge_m * entry->edge_m / 2;
    return fmax(map_least_m, map_deviations * sqrt(2 * variance));
}

const pov_observed_tag *pov_remote_map_differs(const pov_observation *view, const pov_tag_map *map,
                                               int *compared, double *off_m)
{
    const pov_observed_tag *worst = NULL;
    *compared = 0;
    *off_m = 0;
    for (int i = 0; i < view->tag_len; i++) {
        const pov_observed_tag *tag = &view->tags[i];
        const pov_tag_map_entry *entry =
            tag->is_mapped ? pov_tag_map_find(map, tag->tag.family, tag->tag.id) : NULL;
        if (!entry)
            continue;
        ++*compared;
        const double off = corner_off_m(tag, entry);
        if (off > allowed_m(entry) && off > *off_m) {
            worst = tag;
            *off_m = off;
        }
    }
    return worst;
}

static void watch_map(pov_remote *self, char text[POV_TROUBLE_CAPACITY])
{
    int compared, mapped = 0;
    double off_m;
    *text = '\0';
    if (self->map->len == 0)
        return;
    const pov_observed_tag *worst = pov_remote_map_differs(self->observation, self->map, &compared, &off_m);
    for (int i = 0; i < self->observation->tag_len; i++)
        mapped += self->observation->tags[i].is_mapped;
    if (compared > 0)
        self->is_foreign = worst != NULL;
    const int64_t now_ns = pov_clock_monotonic_ns();
    if (compared > 0 || mapped == 0)
        self->mapped_ns = 0;
    else if (self->mapped_ns == 0)
        self->mapped_ns = now_ns;
    if (worst)
        snprintf(text, POV_TROUBLE_CAPACITY,
                 "the tag map there has tag %s:%d %.0f mm from where this station's has it: the scene does "
                 "without this "
                 "camera; give both the same tags.map",
                 pov_tag_family_name(worst->tag.family), worst->tag.id, 1e3 * off_m);
    else if (self->mapped_ns != 0 && now_ns - self->mapped_ns > uncompared_ns)
        snprintf(text, POV_TROUBLE_CAPACITY,
                 "the tags that it sees are in the map there, and none of them in this station's: whether "
                 "both have one "
                 "table frame is not checked; give both the same tags.map");
}

static void watch_cast(pov_remote *self, char text[POV_TROUBLE_CAPACITY])
{
    pov_cast_difference d;
    pov_scene *scene = pov_allocate(1, sizeof *scene);
    const pov_status status = pov_cast_adopt(self->cast, scene, &d, &self->observation->scene, NULL);
    free(scene);
    *text = '\0';
    if (status.code != POV_OK || !*d.name)
        return;
    if (d.is_unknown)
        snprintf(text, POV_TROUBLE_CAPACITY,
                 "'%s' is in the cast there, and not in this station's: left out; give both the same cast",
                 d.name);
    else if (strcmp(d.own_class, d.their_class) != 0)
        snprintf(text, POV_TROUBLE_CAPACITY,
                 "'%s' is of class '%s' there, of class '%s' here: not taken from this camera; give both the "
                 "same cast",
                 d.name, d.their_class, d.own_class);
    else
        snprintf(text, POV_TROUBLE_CAPACITY,
                 "'%s' has the size %g x %g x %g m there, %g x %g x %g m here: not taken from this camera; "
                 "give both the "
                 "same cast",
                 d.name, d.their_size_m.x, d.their_size_m.y, d.their_size_m.z, d.own_size_m.x, d.own_size_m.y,
                 d.own_size_m.z);
}

/* ---- messages ---- */

static void sleep_ns(int64_t duration_ns)
{
    if (duration_ns > 0)
        nanosleep(&(struct timespec){.tv_sec = duration_ns / 1000000000, .tv_nsec = duration_ns % 1000000000},
                  NULL);
}

static void explain_silence(pov_remote *self, const char *why)
{
    if (why)
        snprintf(self->silence, sizeof self->silence, "%.60s: %.190s", self->config.endpoint, why);
    else
        snprintf(self->silence, sizeof self->silence,
                 "nothing came from %.60s for two seconds; the other cameras go on. Does pov run there, and "
                 "publish on "
                 "this endpoint%s%.31s%s?",
                 self->config.endpoint, *self->config.camera ? ", with a camera '" : "", self->config.camera,
                 *self->config.camera ? "' of its own" : "");
}

/* Now and then. */
static bool may_tell(int64_t *told_ns)
{
    const int64_t now_ns = pov_clock_monotonic_ns();
    if (*told_ns != 0 && now_ns - *told_ns < tell_again_ns)
        return false;
    *told_ns = now_ns;
    return true;
}

/* Something is wrong with the messages. */
static pov_status tell(pov_remote *self, const char *text)
{
    self->lost++;
    explain_silence(self, text);
    if (!may_tell(&self->told_ns))
        return pov_status_of(POV_TIMEOUT);
    return pov_status_with(POV_SKIPPED, "%s: %s", self->config.endpoint, text);
}

static pov_status open_subscriber(pov_remote *self)
{
    char topic[sizeof POV_TOPIC_CAMERA + POV_NAME_CAPACITY + 1];
    const pov_remote_config *config = &self->config;
    const pov_door_client client = {.server = *config->server ? config->server : NULL,
                                    .keys = *config->keys ? config->keys : NULL};
    snprintf(topic, sizeof topic, POV_TOPIC_CAMERA "%s%s", config->camera, *config->camera ? "/" : "");
    self->opened_ns = pov_clock_monotonic_ns();
    return pov_door_subscribe(&self->subscriber, &client, config->endpoint, topic);
}

/* libzmq does not try again where keys did not fit; they may have been mended. */
static pov_status open_again(pov_remote *self)
{
    if (self->subscriber &&
        (!self->is_shut_out || pov_clock_monotonic_ns() - self->opened_ns < open_again_ns))
        return pov_ok();
    self->is_shut_out = false;
    pov_subscriber_destroy(&self->subscriber);
    return open_subscriber(self);
}

static void take_bytes(pov_remote *self, const uint8_t *bytes, size_t len)
{
    self->received_ns = pov_clock_unix_ns();
    self->lost += self->newest_len > 0;
    self->newest_len = len;
    if (len <= VIEW_BYTES_MAX)
        memcpy(self->newest, bytes, len);
}

/* The newest of what has come. */
static pov_status receive(pov_remote *self, int timeout_ms)
{
    const uint8_t *bytes;
    size_t len, taken = 0;
    self->newest_len = 0;
    pov_status status = open_again(self);
    if (status.code != POV_OK)
        sleep_ns(timeout_ms * INT64_C(1000000));
    POV_THEN(status, pov_subscriber_next(self->subscriber, &bytes, &len, timeout_ms));
    for (int i = 0; status.code == POV_OK; i++) {
        take_bytes(self, bytes, len);
        if (i == MESSAGES_A_LOOK || (taken += len) > BYTES_A_LOOK)
            break;
        status = pov_subscriber_next(self->subscriber, &bytes, &len, 0);
    }
    if (self->newest_len > 0)
        return pov_ok();
    self->is_shut_out |= status.code == POV_ERROR;
    if (status.code == POV_ERROR || status.code == POV_SKIPPED)
        return tell(self, status.message);
    return pov_status_of(POV_TIMEOUT);
}

static pov_status check_camera(pov_remote *self)
{
    const char *of = self->observation->image.camera;
    char text[POV_TROUBLE_CAPACITY];
    if (*self->config.camera && strcmp(of, self->config.camera) != 0)
        return tell(self, "it sent another camera's view than the one that was asked for");
    if (!self->has_camera)
        memcpy(self->camera, of, sizeof self->camera);
    self->has_camera = true;
    if (strcmp(of, self->camera) == 0)
        return pov_ok();
    snprintf(text, sizeof text,
             "that station has several cameras, '%s' and '%s': say which, as station: {camera: %s}",
             self->camera, of, self->camera);
    self->has_camera = *self->config.camera; /* it may have been given another file meanwhile */
    return tell(self, text);
}

/* By its own clock. */
static pov_status check_times(pov_remote *self, int64_t capture_ns, int64_t sent_ns)
{
    char text[POV_TROUBLE_CAPACITY];
    const bool is_set_back = sent_ns < self->sent_ns;
    if (sent_ns <= 0 || capture_ns <= 0)
        return tell(self, "its messages do not say when they were sent");
    if (sent_ns - capture_ns > old_max_ns || capture_ns - sent_ns > young_max_ns) {
        snprintf(text, sizeof text,
                 "its images were taken %.1f s before they were sent: a film, a recording or a folder has "
                 "times of its own, "
                 "at which cameras cannot be compared",
                 1e-9 * ((double)sent_ns - (double)capture_ns));
        return tell(self, text);
    }
    if (self->has_view && capture_ns <= self->capture_ns && !is_set_back) {
        self->lost++;
        return pov_status_of(POV_TIMEOUT);
    }
    if (is_set_back)
        self->clock = (pov_clock_window){0};
    self->capture_ns = capture_ns;
    self->sent_ns = sent_ns;
    return pov_ok();
}

static pov_status decode(pov_remote *self)
{
    pov_message message = {.observation = self->observation};
    if (self->newest_len > VIEW_BYTES_MAX)
        return tell(self, "a message is larger than any view of a camera");
    const pov_status status = pov_codec_decode(self->codec, &message, self->newest, self->newest_len);
    if (status.code != POV_OK)
        return tell(self, status.message);
    if (message.kind != POV_MESSAGE_OBSERVATION)
        return tell(self, "a message is no view of a camera");
    self->lost += message.lost;
    POV_TRY(check_camera(self));
    POV_TRY(check_times(self, self->observation->image.capture_ns, message.sent_ns));
    /* differences of times that anybody may have written: within 64 bits, as both are positive */
    pov_clock_window_add(&self->clock, pov_clock_monotonic_ns(), self->received_ns - message.sent_ns);
    return pov_ok();
}

/* ---- as a source ---- */

static int64_t set_clock(pov_remote *self)
{
    pov_clock_offset offset =
        pov_clock_window_offset(&self->clock, pov_subscriber_round_trip_s(self->subscriber));
    if (self->config.has_clock)
        offset =
            (pov_clock_offset){true, (int64_t)(-1e9 * self->config.clock_offset_s), self->config.clock_std_s};
    self->view.clock_offset_s = -1e-9 * (double)offset.add_ns;
    self->view.clock_std_s = offset.std_s;
    return offset.add_ns;
}

static pov_status deliver(pov_remote *self, pov_image *image)
{
    const pov_image_header *header = &self->observation->image;
    self->is_pending = false;
    self->has_view = true;
    self->delivered++;
    self->next_ns = pov_clock_monotonic_ns() + (int64_t)(1e9 / self->config.rate_max_hz);
    explain_silence(self, NULL);
    *image = (pov_image){.view = &self->view,
                         .width_px = header->width_px,
                         .height_px = header->height_px,
                         .sequence = header->sequence,
                         .mid_exposure_ns = header->capture_ns + set_clock(self)};
    memcpy(image->name, header->name, sizeof image->name);
    return pov_ok();
}

/* What differs is told, and the view comes with the next call. */
static pov_status watch_differences(pov_remote *self)
{
    char map[POV_TROUBLE_CAPACITY], cast[POV_TROUBLE_CAPACITY];
    watch_map(self, map);
    watch_cast(self, cast);
    if (*map || !self->is_foreign) /* a view without tags says nothing new of the map */
        memcpy(self->view.trouble, *map ? map : cast, sizeof map);
    self->view.is_foreign = self->is_foreign;
    const bool tells_map = *map && may_tell(&self->told_map_ns),
               tells_cast = *cast && may_tell(&self->told_cast_ns);
    self->is_pending = tells_map || tells_cast;
    if (!self->is_pending)
        return pov_ok();
    return pov_status_with(POV_SKIPPED, "%s: %s%s%s", self->config.endpoint, tells_map ? map : "",
                           tells_map && tells_cast ? "; " : "", tells_cast ? cast : "");
}

static pov_status take_next(void *impl, pov_image *image, int timeout_ms)
{
    pov_remote *self = impl;
    if (self->is_pending)
        return deliver(self, image);
    const int64_t wait_ns = self->next_ns - pov_clock_monotonic_ns(), most_ns = timeout_ms * INT64_C(1000000);
    if (wait_ns > 0) {
        sleep_ns(wait_ns < most_ns ? wait_ns : most_ns);
        if (wait_ns > most_ns)
            return pov_status_of(POV_TIMEOUT);
        timeout_ms = 0;
    }
    POV_TRY(receive(self, timeout_ms));
    self->next_ns = pov_clock_monotonic_ns() +
                    (int64_t)(1e9 / self->config.rate_max_hz); /* of what cannot be used, too */
    POV_TRY(decode(self));
    POV_TRY(watch_differences(self));
    return deliver(self, image);
}

static pov_image_source_statistics statistics(const void *impl)
{
    const pov_remote *self = impl;
    return (pov_image_source_statistics){
        .delivered = self->delivered, .lost = self->lost, .silence = self->silence, .expected = -1};
}

static void destroy(void *impl)
{
    pov_remote *self = impl;
    pov_subscriber_destroy(&self->subscriber);
    pov_codec_destroy(&self->codec);
    free(self->observation);
    free(self->newest);
    free(self);
}

static const pov_image_source_backend backend = {
    .name = "station", .next = take_next, .statistics = statistics, .destroy = destroy};

pov_status pov_remote_source_new(pov_image_source **source, const pov_remote_config *config,
                                 const pov_cast *cast, const pov_tag_map *map)
{
    pov_remote *self = pov_allocate(1, sizeof *self);
    *self = (pov_remote){.config = *config, .cast = cast, .map = map};
    self->observation = pov_allocate(1, sizeof *self->observation);
    self->newest = pov_allocate(1, VIEW_BYTES_MAX);
    self->view =
        (pov_remote_view){.observation = self->observation, .clock_offset_s = NAN, .clock_std_s = NAN};
    explain_silence(self, NULL);
    pov_status status = pov_codec_new(&self->codec);
    POV_THEN(status, open_subscriber(self));
    if (status.code == POV_OK)
        return pov_image_source_new(source, &backend, self);
    destroy(self);
    *source = NULL;
    return status;
}
