#include "firmware/recording/recorder.h"

#include "config/files/write_file.h"
#include "firmware/clock.h"
#include "firmware/picture/image_file.h"
#include "firmware/picture/jpeg_encoder.h"
#include "firmware/recording/ring.h"
#include "firmware/recording/station_files.h"
#include "perception/version.h"
#include "protocol/foxglove/foxglove_views.h"
#include "protocol/observation/message.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    IMAGES_QUEUED_MAX = 8,               /* a quarter of a second at 30/s; chosen */
    MESSAGES_QUEUED_MAX = 256,           /* two seconds and more at 30/s; chosen */
    MESSAGE_BYTES_QUEUED_MAX = 32 << 20, /* chosen */
    PATIENCE_MS = 10000,                 /* chosen: disks of laptops that wake up take as long */
    FLUSH_MS = 1000,                     /* the most that a power cut costs */
    HELD_WRITTEN_AT_ONCE = 4             /* of a black box, for each item that comes; chosen */
};
static const int64_t STARVED_NS = 10000000000; /* no images for so long after a write failed; chosen */
static const int64_t RESAMPLED_NS =
    10000000000; /* images: changed keeps one that often in any case; chosen */

/* What came, without its bytes. */
typedef struct {
    pov_recorded topic;
    int64_t log_ns;
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

enum { CELLS_X = 32, CELLS_Y = 24, CELL_SAMPLES = 4 }; /* of images: changed; 16 samples a cell */

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
    bool has_camera;
    pov_camera camera;
    bool has_news;
    char news[POV_MESSAGE_CAPACITY];
    /* the caller's */
    uint8_t kept[CELLS_Y][CELLS_X];
    bool has_kept;
    int64_t kept_ns;
    /* the thread's */
    char path[POV_RECORD_PATH_CAPACITY + 64]; /* of the current file */
    int descriptor;
    uint64_t at; /* bytes in it */
    pov_mcap_writer *writer;
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
    bool is_new; /* since the last flush: there is something to sync */
    int64_t flushed_ns, failed_ns;
    bool has_failed;         /* said so; until writing works again */
    uint64_t pending_images; /* in the chunk that is being filled */
    uint64_t lost_before;    /* by the writer */
    bool has_items;
    uint64_t given_images;   /* to the writer */
    uint64_t refused_images; /* not given to it: the disk was full just before, or memory */
    uint64_t failed_images, failed_messages, written_bytes, written_messages;
    int files;
    bool lacks_index;
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

/* ---- the file ---- */

/* All or nothing: what was written of a failed write is cut off again. */
static pov_status write_file(void *context, const void *bytes, size_t len)
{
    pov_recorder *recorder = context;
    for (size_t done = 0; done < len;) {
        const ssize_t put = pwrite(recorder->descriptor, (const char *)bytes + done, len - done,
                                   (off_t)(recorder->at + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            const int why = put < 0 ? errno : ENOSPC;
            if (ftruncate(recorder->descriptor, (off_t)recorder->at) != 0)
                return pov_error("%s: cannot be written or cut: %s", recorder->path, strerror(why));
            return pov_error("%s: cannot be written: %s", recorder->path, strerror(why));
        }
        done += (size_t)put;
    }
    recorder->at += len;
    recorder->is_new = true;
    return pov_ok();
}

static bool is_file_name(const char *path)
{
    const size_t len = strlen(path);
    return len > 5 && strcmp(path + len - 5, ".mcap") == 0;
}

/* FILE.mcap, FILE_001.mcap, ...; in a folder pov_20261123T063000Z_000.mcap, ... */
static void name_file(pov_recorder *recorder)
{
    const char *base = recorder->config.path;
    if (is_file_name(base)) {
        if (recorder->files == 0)
            snprintf(recorder->path, sizeof recorder->path, "%s", base);
        else
            snprintf(recorder->path, sizeof recorder->path, "%.*s_%03d.mcap", (int)strlen(base) - 5, base,
                     recorder->files);
        return;
    }
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", &utc);
    snprintf(recorder->path, sizeof recorder->path, "%s/pov_%s_%03d.mcap", base, date, recorder->files);
}

static pov_status attach_file(void *context, const char *name, const pov_bytes *bytes)
{
    pov_recorder *recorder = context;
    return pov_mcap_writer_attachment(recorder->writer,
                                      &(pov_mcap_attachment){.log_ns = pov_clock_unix_ns(),
                                                             .name = name,
                                                             .media_type = "application/octet-stream",
                                                             .bytes = bytes->data,
                                                             .len = bytes->length});
}

static pov_status write_session(pov_recorder *recorder)
{
    char date[32], schema[16], coding[32];
    pov_clock_date(date);
    snprintf(schema, sizeof schema, "%d", POV_SCHEMA_VERSION);
    snprintf(coding, sizeof coding, recorder->config.jpeg_quality ? "jpeg %d" : "png",
             recorder->config.jpeg_quality);
    const pov_mcap_pair pairs[] = {{"version", POV_VERSION},
                                   {"schema_version", schema},
                                   {"started", date},
                                   {"station", recorder->session.station},
                                   {"source", recorder->session.source},
                                   {"video", recorder->session.is_video ? "true" : "false"},
                                   {"images", pov_record_images_name((int)recorder->config.images)},
                                   {"coding", coding},
                                   {"because", recorder->why}};
    return pov_mcap_writer_metadata(recorder->writer, POV_RECORDING_SESSION, pairs,
                                    sizeof pairs / sizeof *pairs - !*recorder->why);
}

static pov_status fill_beginning(pov_recorder *recorder)
{
    const pov_mcap_sink sink = {recorder, write_file};
    pov_mcap_writer_config config = POV_MCAP_WRITER_DEFAULT;
    config.library = "pov " POV_VERSION;
    POV_TRY(pov_mcap_writer_new(&recorder->writer, &sink, &config));
    POV_TRY(write_session(recorder));
    POV_TRY(pov_station_files(recorder->session.station, attach_file, recorder));
    return pov_recording_begin(recorder->writer);
}

static pov_status begin_file(pov_recorder *recorder)
{
    name_file(recorder);
    recorder->at = 0;
    recorder->descriptor = open(recorder->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (recorder->descriptor < 0)
        return pov_error("%s: cannot be recorded to: %s", recorder->path,
                         errno == EEXIST ? "there is such a file; name another" : strerror(errno));
    flock(recorder->descriptor, LOCK_EX | LOCK_NB); /* nobody mends it meanwhile */
    pov_status status = fill_beginning(recorder);
    if (status.code == POV_OK && !pov_write_name(recorder->path))
        status = pov_error("%s: cannot be recorded to: %s", recorder->path, strerror(errno));
    if (status.code != POV_OK) {
        pov_mcap_writer_destroy(&recorder->writer);
        close(recorder->descriptor);
        recorder->descriptor = -1;
        unlink(recorder->path);
        return status;
    }
    recorder->files++;
    recorder->lost_before = recorder->pending_images = 0;
    return status;
}

static void say_news(pov_recorder *recorder, const char *text)
{
    pthread_mutex_lock(&recorder->lock);
    snprintf(recorder->news, sizeof recorder->news, "%s", text);
    recorder->has_news = true;
    pthread_mutex_unlock(&recorder->lock);
}

/* The outcome of a call that may have written the chunk. */
static void note_write(pov_recorder *recorder, uint64_t bytes_before, pov_status status)
{
    const uint64_t lost = pov_mcap_writer_lost(recorder->writer);
    char text[POV_MESSAGE_CAPACITY];
    if (lost > recorder->lost_before) {
        recorder->failed_images += recorder->pending_images;
        const uint64_t of_images = 2 * recorder->pending_images; /* with their headers */
        if (lost - recorder->lost_before > of_images)
            recorder->failed_messages += lost - recorder->lost_before - of_images;
    }
    if (lost > recorder->lost_before || pov_mcap_writer_bytes(recorder->writer) > bytes_before)
        recorder->pending_images = 0;
    recorder->lost_before = lost;
    if (status.code != POV_OK) {
        recorder->failed_ns = pov_clock_monotonic_ns();
        if (!recorder->has_failed) {
            snprintf(text, sizeof text, "%.200s; the recording lacks what cannot be written, judging goes on",
                     status.message);
            say_news(recorder, text);
        }
        recorder->has_failed = true;
    } else if (recorder->has_failed && pov_mcap_writer_bytes(recorder->writer) > bytes_before) {
        recorder->has_failed = false;
        snprintf(text, sizeof text, "%.200s: can be written again", recorder->path);
        say_news(recorder, text);
    }
}

static void add_message(pov_recorder *recorder, const pov_mcap_message *message)
{
    const uint64_t before = pov_mcap_writer_bytes(recorder->writer);
    recorder->pending_images += message->channel == POV_RECORDED_IMAGE + 1;
    note_write(recorder, before, pov_mcap_writer_message(recorder->writer, message));
}

static bool take_camera(pov_recorder *recorder, pov_camera *camera)
{
    pthread_mutex_lock(&recorder->lock);
    const bool has_camera = recorder->has_camera;
    *camera = recorder->camera;
    pthread_mutex_unlock(&recorder->lock);
    return has_camera;
}

/* Behind what was written last: times of a recording do not run back. */
static void record_camera(pov_recorder *recorder)
{
    const int64_t now_ns = recorder->ring ? recorder->written_ns : pov_clock_unix_ns();
    pov_mcap_message message = {.log_ns = now_ns, .publish_ns = now_ns};
    pov_camera camera;
    if (take_camera(recorder, &camera) &&
        pov_recording_pack_calibration(recorder->packer, &message, &camera, now_ns).code == POV_OK)
        add_message(recorder, &message);
}

static void end_file(pov_recorder *recorder)
{
    if (!recorder->writer)
        return;
    record_camera(recorder);
    const uint64_t before = pov_mcap_writer_bytes(recorder->writer);
    const pov_status status = pov_mcap_writer_end(recorder->writer);
    note_write(recorder, before, status);
    const bool on_disk = fsync(recorder->descriptor) == 0;
    recorder->lacks_index |= status.code != POV_OK || !on_disk;
    recorder->written_messages += pov_mcap_writer_messages(recorder->writer);
    recorder->written_bytes += recorder->at;
    pov_mcap_writer_destroy(&recorder->writer);
    close(recorder->descriptor);
    recorder->descriptor = -1;
}

/* Recordings of the folder that were last written to so long ago. */
static void remove_old(const pov_recorder *recorder)
{
    if (recorder->config.keep_hours <= 0 || is_file_name(recorder->config.path))
        return;
    DIR *folder = opendir(recorder->config.path);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct stat status;
        char path[POV_RECORD_PATH_CAPACITY + 300];
        if (strncmp(entry->d_name, "pov_2", 5) != 0 || !is_file_name(entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%s", recorder->config.path, entry->d_name);
        if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && strcmp(path, recorder->path) != 0 &&
            (double)(time(NULL) - status.st_mtime) > 3600 * recorder->config.keep_hours)
            unlink(path);
    }
    closedir(folder);
}

/* A new file, if this one is large enough. */
static void split_file(pov_recorder *recorder)
{
    if (recorder->config.split_mb <= 0 || recorder->at < (uint64_t)recorder->config.split_mb << 20)
        return;
    end_file(recorder);
    const pov_status status = begin_file(recorder); /* else again each second */
    if (status.code != POV_OK)
        say_news(recorder, status.message);
    remove_old(recorder);
}

/* ---- on the thread ---- */

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

/* After a failed write the little that fits is for messages. */
static bool is_starved(const pov_recorder *recorder)
{
    return recorder->failed_ns != 0 && pov_clock_monotonic_ns() - recorder->failed_ns < STARVED_NS;
}

static void record_image(pov_recorder *recorder, item *taken)
{
    pov_mcap_message message = {
        .sequence = taken->of.sequence, .log_ns = taken->of.log_ns, .publish_ns = taken->of.image.capture_ns};
    taken->of.image.bytes = taken->bytes;
    taken->of.image.len = taken->of.len;
    if (is_starved(recorder) || code_image(recorder, taken).code != POV_OK ||
        pov_recording_pack_header(recorder->packer, &message, &taken->of.image).code != POV_OK) {
        recorder->refused_images++;
        return;
    }
    add_message(recorder, &message);
    if (pov_recording_pack_image(recorder->packer, &message, &taken->of.image).code != POV_OK) {
        recorder->refused_images++;
        return;
    }
    recorder->given_images++;
    message.is_coded = true;
    add_message(recorder, &message);
}

/* The observation as Foxglove shows it, after the transforms that it needs. */
static void record_views(pov_recorder *recorder, const item *taken)
{
    pov_message decoded = {.observation = recorder->observation};
    pov_camera camera;
    if (pov_codec_decode(recorder->codec, &decoded, taken->bytes, taken->of.len).code != POV_OK)
        return;
    const bool has_camera = take_camera(recorder, &camera);
    for (pov_recorded topic = POV_RECORDED_TRANSFORMS; topic <= POV_RECORDED_ANNOTATIONS; topic++) {
        pov_mcap_message message = {.channel = (uint16_t)(topic + 1),
                                    .sequence = decoded.observation->image.sequence,
                                    .log_ns = taken->of.log_ns,
                                    .publish_ns = decoded.observation->image.capture_ns};
        if (topic == POV_RECORDED_TRANSFORMS)
            pov_foxglove_transforms(recorder->foxglove, &message.bytes, &message.len, decoded.observation);
        else if (topic == POV_RECORDED_THINGS)
            pov_foxglove_scene(recorder->foxglove, &message.bytes, &message.len, decoded.observation);
        else if (has_camera)
            pov_foxglove_annotations(recorder->foxglove, &message.bytes, &message.len, decoded.observation,
                                     &camera);
        if (message.bytes)
            add_message(recorder, &message);
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
    recorder->written_ns = taken->of.log_ns;
    if (!recorder->writer) {
        recorder->refused_images += taken->of.topic == POV_RECORDED_IMAGE;
        recorder->failed_messages += taken->of.topic != POV_RECORDED_IMAGE;
    } else if (taken->of.topic == POV_RECORDED_IMAGE) {
        record_image(recorder, taken);
    } else if (taken->of.topic != POV_RECORDED_LOG && taken->of.topic != POV_RECORDED_MARKER) {
        if (taken->of.topic == POV_RECORDED_OBSERVATION)
            record_views(recorder, taken);
        add_message(recorder, &message);
    } else if (pov_recording_pack_line(recorder->packer, &message, taken->of.topic, taken->of.severity,
                                       (const char *)taken->bytes)
                   .code == POV_OK) {
        add_message(recorder, &message);
    }
}

/* ---- the black box ---- */

/* Takes the oldest out of the ring; into the file, if it is wanted. */
static void release_oldest(pov_recorder *recorder)
{
    const facts *oldest = pov_ring_oldest(recorder->ring);
    item released = {.of = *oldest, .bytes = (uint8_t *)(oldest + 1)}; /* writing only reads */
    if (recorder->keeps)
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
        recorder->failed_messages += !is_image;
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
    const pov_status status = begin_file(recorder); /* else again each second */
    if (status.code != POV_OK)
        say_news(recorder, status.message);
    remove_old(recorder);
}

static bool has_wanted(const pov_recorder *recorder)
{
    const facts *oldest = recorder->keeps ? pov_ring_oldest(recorder->ring) : NULL;
    return oldest && oldest->log_ns <= recorder->until_ns;
}

/* Some of what is held; after the last second the file is ended. */
static void write_held(pov_recorder *recorder, int count)
{
    for (; recorder->writer && count > 0 && has_wanted(recorder); count--)
        release_oldest(recorder);
    if (!recorder->keeps || has_wanted(recorder) || pov_clock_unix_ns() <= recorder->until_ns)
        return;
    end_file(recorder);
    recorder->keeps = false;
}

static void record_item(pov_recorder *recorder, item *taken)
{
    if (!recorder->ring) {
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
    if (!recorder->writer) {
        if (!recorder->ring || recorder->keeps)
            (void)begin_file(recorder).code;
        return;
    }
    record_camera(recorder);
    const uint64_t before = pov_mcap_writer_bytes(recorder->writer);
    note_write(recorder, before, pov_mcap_writer_flush(recorder->writer));
    if (recorder->is_new && fdatasync(recorder->descriptor) == 0)
        recorder->is_new = false;
    split_file(recorder);
}

/* The next item; NULL: none came until the next flush. *stops: nothing comes any more. */
static item *take_item(pov_recorder *recorder, bool *stops)
{
    const bool has_backlog = recorder->writer && has_wanted(recorder);
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
    queued->of.log_ns = pov_clock_unix_ns();
    pthread_mutex_lock(&recorder->lock);
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

/* Whether the image differs from the one kept last: the mean of 16 green samples, in any of 768 cells. */
static bool is_changed(pov_recorder *recorder, const pov_image *image)
{
    enum { STEP = 6 }; /* of 255; the mean's noise is 1 at a sensor's noise of 4: chosen */
    uint8_t cells[CELLS_Y][CELLS_X];
    bool changed = !recorder->has_kept || image->mid_exposure_ns - recorder->kept_ns > RESAMPLED_NS;
    for (int y = 0; y < CELLS_Y; y++)
        for (int x = 0; x < CELLS_X; x++) {
            int sum = 0;
            for (int k = 0; k < CELL_SAMPLES * CELL_SAMPLES; k++) {
                const int column = ((x * CELL_SAMPLES + k % CELL_SAMPLES) * 2 + 1) * image->width_px /
                                   (2 * CELL_SAMPLES * CELLS_X);
                const int row = ((y * CELL_SAMPLES + k / CELL_SAMPLES) * 2 + 1) * image->height_px /
                                (2 * CELL_SAMPLES * CELLS_Y);
                sum += image->pixels[(ptrdiff_t)row * image->stride_bytes + 3 * column + 1];
            }
            cells[y][x] = (uint8_t)(sum / (CELL_SAMPLES * CELL_SAMPLES));
            changed |= abs(cells[y][x] - recorder->kept[y][x]) > STEP;
        }
    if (changed) {
        memcpy(recorder->kept, cells, sizeof cells);
        recorder->has_kept = true;
        recorder->kept_ns = image->mid_exposure_ns;
    }
    return changed;
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
        (recorder->config.images == POV_RECORD_CHANGED && !is_changed(recorder, image)))
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

void pov_recorder_camera(pov_recorder *recorder, const pov_camera *camera)
{
    pthread_mutex_lock(&recorder->lock);
    recorder->camera = *camera;
    recorder->has_camera = true;
    pthread_mutex_unlock(&recorder->lock);
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
    pov_mcap_writer_destroy(&self->writer);
    if (self->descriptor >= 0)
        close(self->descriptor);
    pov_recording_packer_destroy(&self->packer);
    pov_codec_destroy(&self->codec);
    free(self->observation);
    pov_foxglove_destroy(&self->foxglove);
    pov_ring_destroy(&self->ring);
    pov_jpeg_encoder_destroy(&self->jpeg);
    pov_bytes_free(&self->png);
    pthread_cond_destroy(&self->changed);
    pthread_cond_destroy(&self->has_room);
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
    if (!is_file_name(recorder->config.path))
        POV_TRY(pov_write_folder(recorder->config.path));
    remove_old(recorder);
    if (is_black_box(&recorder->config))
        POV_TRY(pov_ring_new(&recorder->ring, (size_t)recorder->config.memory_mb << 20));
    else
        POV_TRY(begin_file(recorder));
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
    made->last = &made->first;
    made->images.max = IMAGES_QUEUED_MAX;
    made->messages.max = MESSAGES_QUEUED_MAX;
    made->descriptor = -1;
    pthread_mutex_init(&made->lock, NULL);
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
    const pov_record_statistics all = {.images = self->given_images - self->failed_images,
                                       .messages = self->written_messages,
                                       .images_lost =
                                           self->images_lost + self->refused_images + self->failed_images,
                                       .messages_lost = self->messages_lost + self->failed_messages,
                                       .bytes = self->written_bytes,
                                       .files = self->files};
    if (statistics)
        *statistics = all;
    pov_status status = pov_ok();
    if (self->lacks_index || all.images_lost + all.messages_lost > 0)
        status = pov_error("%s: the disk was too slow or full: %" PRIu64 " images and %" PRIu64
                           " messages are not in the recording%s",
                           self->path, all.images_lost, all.messages_lost,
                           self->lacks_index ? ", and it has no index: 'pov replay --repair' adds it" : "");
    if (!self->has_items && self->files > 0)
        unlink(self->path);
    destroy_recorder(recorder);
    return status;
}
