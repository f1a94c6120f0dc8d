#include "firmware/recording/recorder.h"

#include "firmware/clock.h"
#include "firmware/picture/image_file.h"
#include "firmware/picture/jpeg_encoder.h"
#include "firmware/picture/known_cameras.h"
#include "firmware/recording/kept_image.h"
#include "firmware/recording/record_file.h"
#include "protocol/foxglove/foxglove_views.h"
#include "protocol/observation/message.h"
#include "protocol/recording/ring.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMAGES_QUEUED_MAX = 8,               /* a quarter of a second at 30/s; chosen */
    MESSAGES_QUEUED_MAX = 256,           /* two seconds and more at 30/s; chosen */
    MESSAGE_BYTES_QUEUED_MAX = 32 << 20, /* chosen */
    PATIENCE_MS = 10000,                 /* chosen: disks of laptops that wake up take as long */
    FLUSH_MS = 1000,                     /* the most that a power cut costs */
    HELD_WRITTEN_AT_ONCE = 4             /* of a black box, for each item that comes; chosen */
};
/* A message's facts, without its bytes. */
typedef struct {
    pov_recorded topic;
    int camera;     /* of an image: its place in the station */
    int64_t log_ns; /* by read_log_clock */
    uint32_t sequence;
    size_t len;
    bool is_pixels; /* bytes are rows of RGB without gaps */
    bool is_cause;  /* a log line: the black box is to keep the seconds around it */
    char severity[8];
    pov_recorded_image image; /* its bytes are the item's */
} facts;

/* A queued item with a buffer that grows and is kept. */
typedef struct item {
    struct item *next;
    facts of;
    uint8_t *bytes;
    size_t capacity;
} item;

/* Free items in a stack: as few as are needed at once have memory. */
typedef struct {
    item *free;
    int queued, max;
} pool;

struct pov_recorder {
    pov_record_config config;
    pov_record_session session;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of all up to `news` */
    pthread_cond_t changed, has_room;
    bool stops;
    item *first, **last;
    pool images, messages;
    size_t message_bytes;
    uint64_t images_lost, messages_lost; /* for want of room in the queue */
    pov_known_cameras cameras;
    bool has_news;
    char news[POV_MESSAGE_CAPACITY];
    int64_t log_clock_ns; /* what is added to the monotonic clock */
    /* the caller's */
    pov_kept_image kept[POV_CAMERA_MAX]; /* of each camera */
    /* the thread's */
    pov_record_file *file;
    pov_recording_packer *packer;
    pov_codec *codec;
    pov_observation *observation;
    pov_foxglove *foxglove;
    pov_jpeg_encoder *jpeg;
    pov_bytes png;
    pov_ring *ring; /* of a black box: facts, each with its bytes behind it; NULL: all is recorded */
    bool keeps;     /* there was a cause: what is held is written, up to until_ns */
    int64_t until_ns, written_ns;
    char why[POV_MESSAGE_CAPACITY];
    int64_t flushed_ns;
    bool has_items;
    bool
        has_observed; /* an observation was written since the last image: the next one's image is not in the file */
    bool lacks_image[2];     /* the next observation, the next scene of the ring: its image was dropped */
    uint64_t given_images;   /* to the writer */
    uint64_t refused_images; /* not given to it: the disk was full just before, or memory */
    uint64_t refused_messages;
};

const char *pov_record_images_name(int images)
{
    static const char *const names[] = {"all", "changed", "never"};
    return names[images];
}

const char *pov_record_cause_name(int cause)
{
    static const char *const names[] = {"disagreement", "moved_tag", "lost", "key"};
    static_assert(sizeof names / sizeof *names == POV_RECORD_CAUSE_COUNT, "each cause has a name");
    return names[cause];
}

/* Whether only the seconds around causes are recorded. */
static bool is_black_box(const pov_record_config *config)
{
    bool is_one = false;
    for (int i = 0; i < POV_RECORD_CAUSE_COUNT; i++)
        is_one |= config->when[i];
    return is_one;
}

/* The system's clock, but when that is set back: then on at the pace of time. Under the lock. */
static int64_t read_log_clock(pov_recorder *recorder)
{
    const int64_t monotonic_ns = pov_clock_monotonic_ns(), ahead_ns = pov_clock_unix_ns() - monotonic_ns;
    if (ahead_ns > recorder->log_clock_ns)
        recorder->log_clock_ns = ahead_ns;
    return monotonic_ns + recorder->log_clock_ns;
}

/* ---- on the thread ---- */

static int64_t log_time_ns(pov_recorder *recorder)
{
    pthread_mutex_lock(&recorder->lock);
    const int64_t now_ns = read_log_clock(recorder);
    pthread_mutex_unlock(&recorder->lock);
    return now_ns;
}

static void say_news(pov_recorder *recorder, const char *text)
{
    pthread_mutex_lock(&recorder->lock);
    snprintf(recorder->news, sizeof recorder->news, "%s", text);
    recorder->has_news = true;
    pthread_mutex_unlock(&recorder->lock);
}

/* Behind what was written last: times of a recording do not run back. */
static void record_cameras(pov_recorder *recorder)
{
    const int64_t now_ns = recorder->ring ? recorder->written_ns : log_time_ns(recorder);
    pov_camera camera;
    for (int i = 0; i < recorder->cameras.len; i++) {
        pov_mcap_message message = {.log_ns = now_ns, .publish_ns = now_ns};
        if (pov_known_cameras_take(&camera, &recorder->cameras, i) &&
            pov_recording_pack_calibration(recorder->packer, &message, &camera,
                                           pov_known_cameras_name(&recorder->cameras, i), now_ns)
                    .code == POV_OK)
            pov_record_file_add(recorder->file, &message);
    }
}

/* On failure again each second, by flush_file. */
static void begin_file(pov_recorder *recorder)
{
    const pov_status status = pov_record_file_begin(recorder->file, recorder->why);
    if (status.code != POV_OK)
        say_news(recorder, status.message);
}

static void end_file(pov_recorder *recorder)
{
    if (!pov_record_file_is_open(recorder->file))
        return;
    record_cameras(recorder);
    pov_record_file_end(recorder->file);
}

/* POV_OK: the item's image is that of a file now. */
static pov_status code_image(pov_recorder *recorder, item *taken)
{
    if (!taken->of.is_pixels)
        return pov_ok();
    const pov_image image = {.pixels = taken->bytes,
                             .width_px = taken->of.image.width_px,
                             .height_px = taken->of.image.height_px,
                             .stride_bytes = 3 * taken->of.image.width_px};
    if (recorder->config.jpeg_quality)
        return pov_jpeg_encoder_run(recorder->jpeg, &taken->of.image.bytes, &taken->of.image.len, &image);
    POV_TRY(pov_image_file_encode_png(&recorder->png, &image));
    taken->of.image.bytes = recorder->png.data;
    taken->of.image.len = recorder->png.length;
    return pov_ok();
}

static void record_image(pov_recorder *recorder, item *taken)
{
    pov_mcap_message message = {
        .sequence = taken->of.sequence, .log_ns = taken->of.log_ns, .publish_ns = taken->of.image.capture_ns};
    const pov_recorded_camera *of = pov_known_cameras_name(&recorder->cameras, taken->of.camera);
    taken->of.image.bytes = taken->bytes;
    taken->of.image.len = taken->of.len;
    if (pov_record_file_is_starved(recorder->file) || code_image(recorder, taken).code != POV_OK ||
        pov_recording_pack_header(recorder->packer, &message, &taken->of.image, of).code != POV_OK) {
        recorder->refused_images++;
        return;
    }
    pov_record_file_add(recorder->file, &message);
    if (pov_recording_pack_image(recorder->packer, &message, &taken->of.image, of).code != POV_OK) {
        recorder->refused_images++;
        return;
    }
    recorder->given_images++;
    message.is_coded = true;
    pov_record_file_add(recorder->file, &message);
}

/* The observation as Foxglove shows it, after the transforms that it needs. */
static void record_views(pov_recorder *recorder, const item *taken)
{
    pov_message decoded = {.observation = recorder->observation};
    pov_camera camera;
    if (pov_codec_decode(recorder->codec, &decoded, taken->bytes, taken->of.len).code != POV_OK)
        return;
    const int index = pov_known_cameras_find(&recorder->cameras, decoded.observation->image.camera);
    const bool is_known = pov_known_cameras_take(&camera, &recorder->cameras, index);
    for (pov_recorded topic = POV_RECORDED_TRANSFORMS; topic <= POV_RECORDED_ANNOTATIONS; topic++) {
        pov_mcap_message message = {.sequence = decoded.observation->image.sequence,
                                    .log_ns = taken->of.log_ns,
                                    .publish_ns = decoded.observation->image.capture_ns};
        pov_foxglove_view(recorder->foxglove, &message, topic, decoded.observation,
                          pov_known_cameras_name(&recorder->cameras, index), is_known ? &camera : NULL);
        if (message.bytes)
            pov_record_file_add(recorder->file, &message);
    }
}

static void write_item(pov_recorder *recorder, item *taken)
{
    pov_mcap_message message = {.channel = (uint16_t)(taken->of.topic + 1),
                                .sequence = taken->of.sequence,
                                .log_ns = taken->of.log_ns,
                                .publish_ns = taken->of.log_ns,
                                .bytes = taken->bytes,
                                .len = taken->of.len};
    recorder->has_items = true;
    recorder->has_observed = taken->of.topic == POV_RECORDED_OBSERVATION ||
                             (recorder->has_observed && taken->of.topic != POV_RECORDED_IMAGE);
    recorder->written_ns = taken->of.log_ns;
    if (!pov_record_file_is_open(recorder->file)) {
        recorder->refused_images += taken->of.topic == POV_RECORDED_IMAGE;
        recorder->refused_messages += taken->of.topic != POV_RECORDED_IMAGE;
    } else if (taken->of.topic == POV_RECORDED_IMAGE) {
        record_image(recorder, taken);
    } else if (taken->of.topic != POV_RECORDED_LOG && taken->of.topic != POV_RECORDED_MARKER) {
        if (taken->of.topic == POV_RECORDED_OBSERVATION)
            record_views(recorder, taken);
        pov_record_file_add(recorder->file, &message);
    } else if (pov_recording_pack_line(recorder->packer, &message, taken->of.topic, taken->of.severity,
                                       (const char *)taken->bytes)
                   .code == POV_OK) {
        pov_record_file_add(recorder->file, &message);
    }
}

/* ---- the black box ---- */

/* Whether the message is of an image that was dropped just before: it goes, too. */
static bool is_left_over(pov_recorder *recorder, pov_recorded topic)
{
    bool *lacks_image = recorder->lacks_image;
    if (topic == POV_RECORDED_IMAGE)
        lacks_image[0] = lacks_image[1] = !recorder->keeps;
    if (topic != POV_RECORDED_OBSERVATION && topic != POV_RECORDED_SCENE)
        return false;
    const bool is_one = lacks_image[topic == POV_RECORDED_SCENE];
    lacks_image[topic == POV_RECORDED_SCENE] = false;
    return is_one;
}

/* Takes the oldest out of the ring; into the file, if it is wanted. */
static void release_oldest(pov_recorder *recorder)
{
    const facts *oldest = pov_ring_oldest(recorder->ring);
    item released = {.of = *oldest, .bytes = (uint8_t *)(oldest + 1)}; /* writing only reads */
    if (!is_left_over(recorder, oldest->topic) && recorder->keeps)
        write_item(recorder, &released);
    pov_ring_drop(recorder->ring);
}

static void forget_old(pov_recorder *recorder, int64_t now_ns)
{
    const int64_t from_ns = now_ns - (int64_t)(1e9 * recorder->config.before_s);
    for (const facts *oldest;
         !recorder->keeps && (oldest = pov_ring_oldest(recorder->ring)) && oldest->log_ns < from_ns;)
        release_oldest(recorder);
}

static void hold_item(pov_recorder *recorder, item *taken)
{
    const bool is_image = taken->of.topic == POV_RECORDED_IMAGE;
    const uint8_t *bytes = taken->bytes;
    if (is_image) {
        taken->of.image.bytes = taken->bytes;
        taken->of.image.len = taken->of.len;
        if (code_image(recorder, taken).code != POV_OK) {
            recorder->refused_images++;
            return;
        }
        bytes = taken->of.image.bytes;
    }
    const size_t len = is_image ? taken->of.image.len : taken->of.len;
    facts *held;
    while (!(held = pov_ring_add(recorder->ring, sizeof *held + len)) && pov_ring_oldest(recorder->ring))
        release_oldest(recorder);
    if (!held) {
        recorder->refused_images += is_image;
        recorder->refused_messages += !is_image;
        return;
    }
    *held = taken->of;
    held->len = len;
    held->is_pixels = false;
    if (len)
        memcpy(held + 1, bytes, len);
}

static void begin_keeping(pov_recorder *recorder, const item *cause)
{
    recorder->until_ns = cause->of.log_ns + (int64_t)(1e9 * recorder->config.after_s);
    if (recorder->keeps)
        return;
    recorder->keeps = true;
    snprintf(recorder->why, sizeof recorder->why, "%s", (const char *)cause->bytes);
    begin_file(recorder);
}

static bool has_wanted(const pov_recorder *recorder)
{
    const facts *oldest = recorder->keeps ? pov_ring_oldest(recorder->ring) : NULL;
    return oldest && oldest->log_ns <= recorder->until_ns;
}

/* Some of what is held; after the last second the file is ended. */
static void write_held(pov_recorder *recorder, int count)
{
    for (; pov_record_file_is_open(recorder->file) && count > 0 && has_wanted(recorder); count--)
        release_oldest(recorder);
    if (!recorder->keeps || has_wanted(recorder) || log_time_ns(recorder) <= recorder->until_ns)
        return;
    end_file(recorder);
    recorder->keeps = false;
}

/* An image and what was judged of it go to one file. */
static void begin_next_if_large(pov_recorder *recorder, const item *taken)
{
    const bool begins = taken->of.topic == POV_RECORDED_IMAGE ||
                        (taken->of.topic == POV_RECORDED_OBSERVATION && recorder->has_observed);
    if (!begins || !pov_record_file_is_open(recorder->file) || !pov_record_file_is_large(recorder->file))
        return;
    end_file(recorder);
    begin_file(recorder);
}

static void record_item(pov_recorder *recorder, item *taken)
{
    if (!recorder->ring) {
        begin_next_if_large(recorder, taken);
        write_item(recorder, taken);
        return;
    }
    forget_old(recorder, taken->of.log_ns);
    if (taken->of.is_cause)
        begin_keeping(recorder, taken);
    hold_item(recorder, taken);
}

/* Each second: what was recorded so far is then safe from kill -9 and a power cut. */
static void flush_file(pov_recorder *recorder)
{
    const int64_t now_ns = pov_clock_monotonic_ns();
    if (now_ns - recorder->flushed_ns < INT64_C(1000000) * FLUSH_MS)
        return;
    recorder->flushed_ns = now_ns;
    if (!pov_record_file_is_open(recorder->file)) {
        if (!recorder->ring || recorder->keeps)
            (void)pov_record_file_begin(recorder->file, recorder->why).code;
        return;
    }
    record_cameras(recorder);
    pov_record_file_flush(recorder->file);
}

/* The next item; NULL: none came until the next flush. *stops: nothing comes any more. */
static item *take_item(pov_recorder *recorder, bool *stops)
{
    const bool has_backlog = pov_record_file_is_open(recorder->file) && has_wanted(recorder);
    const struct timespec until = pov_clock_deadline(has_backlog ? 0 : FLUSH_MS);
    pthread_mutex_lock(&recorder->lock);
    for (int failed = 0; !recorder->first && !recorder->stops && failed == 0;)
        failed = pthread_cond_timedwait(&recorder->changed, &recorder->lock, &until);
    item *taken = recorder->first;
    if (taken) {
        recorder->first = taken->next;
        if (!recorder->first)
            recorder->last = &recorder->first;
    }
    *stops = recorder->stops && !taken;
    pthread_mutex_unlock(&recorder->lock);
    return taken;
}

static void give_back(pov_recorder *recorder, item *done)
{
    pthread_mutex_lock(&recorder->lock);
    pool *home = done->of.topic == POV_RECORDED_IMAGE ? &recorder->images : &recorder->messages;
    if (home == &recorder->messages)
        recorder->message_bytes -= done->of.len;
    done->next = home->free;
    home->free = done;
    home->queued--;
    pthread_cond_signal(&recorder->has_room);
    pthread_mutex_unlock(&recorder->lock);
}

static void *record_all(void *argument)
{
    pov_recorder *recorder = argument;
    for (bool stops = false; !stops;) {
        item *taken = take_item(recorder, &stops);
        if (taken) {
            record_item(recorder, taken);
            give_back(recorder, taken);
        }
        write_held(recorder, HELD_WRITTEN_AT_ONCE);
        flush_file(recorder);
        char news[POV_MESSAGE_CAPACITY];
        if (pov_record_file_news(recorder->file, news))
            say_news(recorder, news);
    }
    write_held(recorder, INT_MAX);
    while (has_wanted(recorder)) /* the file could not be made: these are counted as lost */
        release_oldest(recorder);
    end_file(recorder);
    return NULL;
}

/* ---- on the caller's thread ---- */

/* Under the lock. */
static bool has_place(const pov_recorder *recorder, const pool *home, size_t len)
{
    return home->queued < home->max &&
           (home == &recorder->images || recorder->message_bytes + len <= MESSAGE_BYTES_QUEUED_MAX);
}

/* A free item with room for `len` bytes; NULL: the queue is full. */
static item *reserve_item(pov_recorder *recorder, pool *home, size_t len)
{
    const struct timespec until = pov_clock_deadline(PATIENCE_MS);
    pthread_mutex_lock(&recorder->lock);
    for (int failed = 0; recorder->session.is_patient && failed == 0 && !has_place(recorder, home, len);)
        failed = pthread_cond_timedwait(&recorder->has_room, &recorder->lock, &until);
    const bool fits = has_place(recorder, home, len);
    item *made = home->free;
    if (!fits)
        made = NULL;
    else if (made)
        home->free = made->next;
    else
        made = calloc(1, sizeof *made);
    if (made) {
        home->queued++;
        recorder->message_bytes += home == &recorder->messages ? len : 0;
    }
    pthread_mutex_unlock(&recorder->lock);
    if (!made)
        return NULL;
    made->of = (facts){.len = len};
    made->of.topic = home == &recorder->images ? POV_RECORDED_IMAGE : POV_RECORDED_COUNT;
    if (!made->bytes || len > made->capacity) {
        uint8_t *grown = realloc(made->bytes, len + 1);
        if (!grown) {
            give_back(recorder, made);
            return NULL;
        }
        made->bytes = grown;
        made->capacity = len + 1;
    }
    return made;
}

static void queue_item(pov_recorder *recorder, item *queued)
{
    queued->next = NULL;
    pthread_mutex_lock(&recorder->lock);
    queued->of.log_ns = read_log_clock(recorder);
    *recorder->last = queued;
    recorder->last = &queued->next;
    pthread_cond_signal(&recorder->changed);
    pthread_mutex_unlock(&recorder->lock);
}

static void lose(pov_recorder *recorder, uint64_t *count)
{
    pthread_mutex_lock(&recorder->lock);
    if (recorder->images_lost + recorder->messages_lost == 0) {
        snprintf(recorder->news, sizeof recorder->news,
                 "%.200s: the disk is too slow for the recording, which lacks images from here on; judging "
                 "goes on",
                 recorder->config.path);
        recorder->has_news = true;
    }
    ++*count;
    pthread_mutex_unlock(&recorder->lock);
}

void pov_recorder_message(pov_recorder *recorder, pov_recorded topic, const uint8_t *bytes, size_t len)
{
    item *queued = reserve_item(recorder, &recorder->messages, len);
    if (!queued) {
        lose(recorder, &recorder->messages_lost);
        return;
    }
    queued->of.topic = topic;
    queued->of.sequence = 0;
    if (len)
        memcpy(queued->bytes, bytes, len);
    queue_item(recorder, queued);
}

static void queue_line(pov_recorder *recorder, const facts *of, const char *text)
{
    const size_t len = strlen(text) + 1;
    item *queued = reserve_item(recorder, &recorder->messages, len);
    if (!queued)
        return;
    queued->of = *of;
    queued->of.len = len;
    memcpy(queued->bytes, text, len);
    queue_item(recorder, queued);
}

void pov_recorder_log(pov_recorder *recorder, const char *severity, const char *text)
{
    facts of = {.topic = POV_RECORDED_LOG};
    snprintf(of.severity, sizeof of.severity, "%s", severity);
    queue_line(recorder, &of, text);
}

void pov_recorder_mark(pov_recorder *recorder, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (!recorder)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    queue_line(recorder, &(facts){.topic = POV_RECORDED_MARKER, .severity = "info"}, text);
}

bool pov_recorder_waits_for(const pov_recorder *recorder, pov_record_cause cause)
{
    return recorder && recorder->config.when[cause];
}

void pov_recorder_keep(pov_recorder *recorder, const char *why)
{
    if (is_black_box(&recorder->config))
        queue_line(recorder, &(facts){.topic = POV_RECORDED_LOG, .severity = "info", .is_cause = true}, why);
}

static void copy_pixels(item *to, const pov_image *image)
{
    const size_t row = 3 * (size_t)image->width_px;
    for (int y = 0; y < image->height_px; y++)
        memcpy(to->bytes + (size_t)y * row, image->pixels + (ptrdiff_t)y * image->stride_bytes, row);
}

void pov_recorder_image(pov_recorder *recorder, const pov_image *image)
{
    if (recorder->config.images == POV_RECORD_NEVER ||
        (recorder->config.images == POV_RECORD_CHANGED &&
         !pov_kept_image_changes(&recorder->kept[image->camera], image)))
        return;
    const size_t len =
        image->coded ? image->coded_len : 3 * (size_t)image->width_px * (size_t)image->height_px;
    item *queued = reserve_item(recorder, &recorder->images, len);
    if (!queued) {
        lose(recorder, &recorder->images_lost);
        return;
    }
    queued->of.is_pixels = !image->coded;
    queued->of.sequence = image->sequence;
    queued->of.camera = image->camera;
    queued->of.image = (pov_recorded_image){.sequence = image->sequence,
                                            .capture_ns = image->mid_exposure_ns,
                                            .width_px = image->width_px,
                                            .height_px = image->height_px};
    memcpy(queued->of.image.name, image->name, sizeof queued->of.image.name);
    if (image->coded)
        memcpy(queued->bytes, image->coded, len);
    else
        copy_pixels(queued, image);
    queue_item(recorder, queued);
}

void pov_recorder_camera(pov_recorder *recorder, const pov_camera *camera, int index)
{
    (void)pov_known_cameras_tell(&recorder->cameras, camera, index);
}

bool pov_recorder_news(pov_recorder *recorder, char text[POV_MESSAGE_CAPACITY])
{
    pthread_mutex_lock(&recorder->lock);
    const bool has_news = recorder->has_news;
    if (has_news)
        memcpy(text, recorder->news, sizeof recorder->news);
    recorder->has_news = false;
    pthread_mutex_unlock(&recorder->lock);
    return has_news;
}

/* ---- beginning and end ---- */

static void free_items(item *first)
{
    while (first) {
        item *next = first->next;
        free(first->bytes);
        free(first);
        first = next;
    }
}

static void destroy_recorder(pov_recorder **recorder)
{
    pov_recorder *self = *recorder;
    free_items(self->first);
    free_items(self->images.free);
    free_items(self->messages.free);
    pov_record_file_destroy(&self->file);
    pov_recording_packer_destroy(&self->packer);
    pov_codec_destroy(&self->codec);
    free(self->observation);
    pov_foxglove_destroy(&self->foxglove);
    pov_ring_destroy(&self->ring);
    pov_jpeg_encoder_destroy(&self->jpeg);
    pov_bytes_free(&self->png);
    pthread_cond_destroy(&self->changed);
    pthread_cond_destroy(&self->has_room);
    pov_known_cameras_end(&self->cameras);
    pthread_mutex_destroy(&self->lock);
    free(self);
    *recorder = NULL;
}

static pov_status start_recorder(pov_recorder *recorder)
{
    POV_TRY(pov_recording_packer_new(&recorder->packer));
    POV_TRY(pov_codec_new(&recorder->codec));
    POV_TRY(pov_foxglove_new(&recorder->foxglove));
    recorder->observation = calloc(1, sizeof *recorder->observation);
    if (!recorder->observation)
        return pov_error("recording: out of memory");
    if (recorder->config.jpeg_quality)
        POV_TRY(pov_jpeg_encoder_new(&recorder->jpeg, recorder->config.jpeg_quality));
    POV_TRY(pov_record_file_new(&recorder->file, &recorder->config, &recorder->session));
    if (is_black_box(&recorder->config))
        POV_TRY(pov_ring_new(&recorder->ring, (size_t)recorder->config.memory_mb << 20));
    else
        POV_TRY(pov_record_file_begin(recorder->file, ""));
    recorder->flushed_ns = pov_clock_monotonic_ns();
    recorder->has_thread = pthread_create(&recorder->thread, NULL, record_all, recorder) == 0;
    return recorder->has_thread ? pov_ok()
                                : pov_error("recording: no thread; raise the limit of processes (ulimit -u)");
}

pov_status pov_recorder_new(pov_recorder **recorder, const pov_record_config *config,
                            const pov_record_session *session)
{
    pov_recorder *made = *recorder = calloc(1, sizeof *made);
    if (!made)
        return pov_error("recording: out of memory");
    made->config = *config;
    made->session = *session;
    made->has_observed = true;
    made->log_clock_ns = INT64_MIN;
    made->last = &made->first;
    made->images.max = IMAGES_QUEUED_MAX;
    made->messages.max = MESSAGES_QUEUED_MAX;
    pthread_mutex_init(&made->lock, NULL);
    pov_known_cameras_begin(&made->cameras, session->cameras, session->camera_len);
    pov_clock_condition_init(&made->changed);
    pov_clock_condition_init(&made->has_room);
    const pov_status status = start_recorder(made);
    if (status.code != POV_OK)
        destroy_recorder(recorder);
    return status;
}

pov_status pov_recorder_end(pov_recorder **recorder, pov_record_statistics *statistics)
{
    pov_recorder *self = *recorder;
    if (!self)
        return pov_ok();
    pthread_mutex_lock(&self->lock);
    self->stops = true;
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    const pov_record_file_counts disk = pov_record_file_count(self->file);
    const pov_record_statistics all = {
        .images = self->given_images - disk.failed_images,
        .messages = disk.messages,
        .images_lost = self->images_lost + self->refused_images + disk.failed_images,
        .messages_lost = self->messages_lost + self->refused_messages + disk.failed_messages,
        .bytes = disk.bytes,
        .files = disk.files};
    if (statistics)
        *statistics = all;
    pov_status status = pov_ok();
    if (disk.lacks_index || all.images_lost + all.messages_lost > 0)
        status = pov_error("%s: the disk was too slow or full: %" PRIu64 " images and %" PRIu64
                           " messages are not in the recording%s",
                           pov_record_file_path(self->file), all.images_lost, all.messages_lost,
                           disk.lacks_index ? ", and it has no index: 'pov replay --repair' adds it" : "");
    if (!self->has_items && disk.files > 0)
        pov_record_file_remove_last(self->file);
    destroy_recorder(recorder);
    return status;
}
