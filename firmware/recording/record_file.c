#include "firmware/recording/record_file.h"

#include "config/files/write_file.h"
#include "firmware/clock.h"
#include "firmware/recording/station_files.h"
#include "perception/version.h"
#include "protocol/observation/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t STARVED_NS = 10000000000; /* no images for so long after a write failed; chosen */

/* A file of the station, as it was when the recording began. */
typedef struct {
    char *name;
    pov_bytes bytes;
} station_file;

struct pov_record_file {
    pov_record_config config;
    pov_record_session session;
    station_file station[POV_STATION_FILES_MAX];
    int station_len;
    int64_t start_ns;
    char path[POV_RECORD_PATH_CAPACITY + 64];
    int descriptor;
    uint64_t at; /* bytes in the open file */
    pov_mcap_writer *writer;
    bool is_new; /* since the last flush: there is something to sync */
    int64_t failed_ns;
    bool has_failed;         /* said so; until writing works again */
    uint64_t pending_images; /* in the chunk that is being filled */
    uint64_t lost_before;    /* by the writer */
    pov_record_file_counts counts;
    int taken; /* numbers that were passed over: such files were there */
    bool has_news;
    char news[POV_MESSAGE_CAPACITY];
};

/* All or nothing: what was written of a failed write is cut off again. */
static pov_status write_bytes(void *context, const void *bytes, size_t len)
{
    pov_record_file *file = context;
    for (size_t done = 0; done < len;) {
        const ssize_t put =
            pwrite(file->descriptor, (const char *)bytes + done, len - done, (off_t)(file->at + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            const int why = put < 0 ? errno : ENOSPC;
            if (ftruncate(file->descriptor, (off_t)file->at) != 0)
                return pov_error("%s: cannot be written or cut: %s", file->path, strerror(why));
            return pov_error("%s: cannot be written: %s", file->path, strerror(why));
        }
        done += (size_t)put;
    }
    file->at += len;
    file->is_new = true;
    return pov_ok();
}

static bool is_file_name(const char *path)
{
    const size_t len = strlen(path);
    return len > 5 && strcmp(path + len - 5, ".mcap") == 0;
}

/* FILE.mcap, FILE_001.mcap, ...; in a folder pov_20261123T063000Z_000.mcap, ... */
static void name_file(pov_record_file *file)
{
    const char *base = file->config.path;
    const int number = file->counts.files + file->taken;
    if (is_file_name(base)) {
        if (number == 0)
            snprintf(file->path, sizeof file->path, "%s", base);
        else
            snprintf(file->path, sizeof file->path, "%.*s_%03d.mcap", (int)strlen(base) - 5, base, number);
        return;
    }
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", &utc);
    snprintf(file->path, sizeof file->path, "%s/pov_%s_%03d.mcap", base, date, number);
}

static pov_status keep_file(void *context, const char *name, const pov_bytes *bytes)
{
    pov_record_file *file = context;
    station_file *kept = &file->station[file->station_len];
    kept->name = strdup(name);
    kept->bytes = (pov_bytes){.data = malloc(bytes->length + 1), .length = bytes->length};
    file->station_len++;
    if (!kept->name || !kept->bytes.data)
        return pov_error("recording: out of memory for the station's file %s", name);
    memcpy(kept->bytes.data, bytes->data, bytes->length);
    return pov_ok();
}

static void forget_station(pov_record_file *file)
{
    for (int i = 0; i < file->station_len; i++) {
        free(file->station[i].name);
        free(file->station[i].bytes.data);
    }
    file->station_len = 0;
}

static pov_status attach_station(pov_record_file *file)
{
    for (int i = 0; i < file->station_len; i++) {
        const station_file *kept = &file->station[i];
        POV_TRY(pov_mcap_writer_attachment(file->writer,
                                           &(pov_mcap_attachment){.log_ns = file->start_ns,
                                                                  .name = kept->name,
                                                                  .media_type = "application/octet-stream",
                                                                  .bytes = kept->bytes.data,
                                                                  .len = kept->bytes.length}));
    }
    return pov_ok();
}

static pov_status write_session(pov_record_file *file, const char *why)
{
    char date[32], schema[16], coding[32];
    pov_clock_date(date);
    snprintf(schema, sizeof schema, "%d", POV_SCHEMA_VERSION);
    snprintf(coding, sizeof coding, file->config.jpeg_quality ? "jpeg %d" : "png", file->config.jpeg_quality);
    const pov_mcap_pair pairs[] = {{"version", POV_VERSION},
                                   {"schema_version", schema},
                                   {"started", date},
                                   {"station", file->session.station},
                                   {"source", file->session.source},
                                   {"video", file->session.is_video ? "true" : "false"},
                                   {"images", pov_record_images_name((int)file->config.images)},
                                   {"coding", coding},
                                   {"because", why}};
    return pov_mcap_writer_metadata(file->writer, POV_RECORDING_SESSION, pairs,
                                    sizeof pairs / sizeof *pairs - !*why);
}

static void say_news(pov_record_file *file, const char *format, const char *about)
{
    snprintf(file->news, sizeof file->news, format, about);
    file->has_news = true;
}

static pov_status fill_beginning(pov_record_file *file, const char *why)
{
    const pov_mcap_sink sink = {file, write_bytes};
    pov_mcap_writer_config config = POV_MCAP_WRITER_DEFAULT;
    config.library = "pov " POV_VERSION;
    POV_TRY(pov_mcap_writer_new(&file->writer, &sink, &config));
    POV_TRY(write_session(file, why));
    POV_TRY(attach_station(file));
    return pov_recording_begin(file->writer, file->session.cameras, file->session.camera_len);
}

static void close_file(pov_record_file *file)
{
    pov_mcap_writer_destroy(&file->writer);
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

/* Recordings of the folder that were last written to so long ago. */
static void remove_old(const pov_record_file *file)
{
    if (file->config.keep_hours <= 0 || is_file_name(file->config.path))
        return;
    DIR *folder = opendir(file->config.path);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct stat status;
        char path[POV_RECORD_PATH_CAPACITY + 300];
        if (strncmp(entry->d_name, "pov_2", 5) != 0 || !is_file_name(entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%s", file->config.path, entry->d_name);
        if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && strcmp(path, file->path) != 0 &&
            (double)(time(NULL) - status.st_mtime) > 3600 * file->config.keep_hours)
            unlink(path);
    }
    closedir(folder);
}

/* A number that an earlier recording, or another station's, has taken is passed over; the name that was asked for is not. */
static void open_next(pov_record_file *file)
{
    enum { TAKEN_MAX = 1000 };
    const bool is_numbered = file->counts.files > 0 || !is_file_name(file->config.path);
    do {
        name_file(file);
        file->descriptor = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    } while (file->descriptor < 0 && errno == EEXIST && is_numbered && file->taken++ < TAKEN_MAX);
}

static pov_status make_file(pov_record_file *file, const char *why)
{
    open_next(file);
    file->at = 0;
    if (file->descriptor < 0)
        return errno == EEXIST ? pov_error("%s: there is such a file; name another", file->path)
                               : pov_write_refused(file->path);
    flock(file->descriptor, LOCK_EX | LOCK_NB); /* nobody mends it meanwhile */
    pov_status status = fill_beginning(file, why);
    if (status.code == POV_OK && !pov_write_name(file->path))
        status = pov_write_refused(file->path);
    if (status.code != POV_OK) {
        close_file(file);
        unlink(file->path);
        return status;
    }
    if (file->config.split_mb == 0 && !*why) /* the only one */
        forget_station(file);
    file->counts.files++;
    file->lost_before = file->pending_images = 0;
    return status;
}

/* The outcome of a call that may have written the chunk. */
static void note_write(pov_record_file *file, uint64_t bytes_before, pov_status status)
{
    const uint64_t lost = pov_mcap_writer_lost(file->writer) - file->lost_before,
                   of_images = 2 * file->pending_images; /* with their headers */
    const bool was_written = pov_mcap_writer_bytes(file->writer) > bytes_before;
    if (lost > 0) {
        file->counts.failed_images += file->pending_images;
        file->counts.failed_messages += lost > of_images ? lost - of_images : 0;
    }
    if (lost > 0 || was_written)
        file->pending_images = 0;
    file->lost_before += lost;
    if (status.code != POV_OK) {
        file->failed_ns = pov_clock_monotonic_ns();
        if (!file->has_failed)
            say_news(file, "%.200s; the recording lacks what cannot be written, judging goes on",
                     status.message);
        file->has_failed = true;
    } else if (file->has_failed && was_written) {
        file->has_failed = false;
        say_news(file, "%.200s: can be written again", file->path);
    }
}

pov_status pov_record_file_begin(pov_record_file *file, const char *why)
{
    const pov_status status = make_file(file, why);
    remove_old(file);
    return status;
}

bool pov_record_file_is_open(const pov_record_file *file)
{
    return file->writer;
}

void pov_record_file_add(pov_record_file *file, const pov_mcap_message *message)
{
    const uint64_t before = pov_mcap_writer_bytes(file->writer);
    file->pending_images += pov_recorded_of_channel(message->channel) == POV_RECORDED_IMAGE;
    note_write(file, before, pov_mcap_writer_message(file->writer, message));
}

void pov_record_file_flush(pov_record_file *file)
{
    const uint64_t before = pov_mcap_writer_bytes(file->writer);
    note_write(file, before, pov_mcap_writer_flush(file->writer));
    if (file->is_new && fdatasync(file->descriptor) == 0)
        file->is_new = false;
}

void pov_record_file_end(pov_record_file *file)
{
    const uint64_t before = pov_mcap_writer_bytes(file->writer);
    const pov_status status = pov_mcap_writer_end(file->writer);
    note_write(file, before, status);
    const bool on_disk = fsync(file->descriptor) == 0;
    file->counts.lacks_index |= status.code != POV_OK || !on_disk;
    file->counts.messages += pov_mcap_writer_messages(file->writer);
    file->counts.bytes += file->at;
    close_file(file);
}

bool pov_record_file_is_large(const pov_record_file *file)
{
    return file->config.split_mb > 0 && file->at >= (uint64_t)file->config.split_mb << 20;
}

bool pov_record_file_is_starved(const pov_record_file *file)
{
    return file->failed_ns != 0 && pov_clock_monotonic_ns() - file->failed_ns < STARVED_NS;
}

void pov_record_file_remove_last(const pov_record_file *file)
{
    unlink(file->path);
}

const char *pov_record_file_path(const pov_record_file *file)
{
    return file->path;
}

pov_record_file_counts pov_record_file_count(const pov_record_file *file)
{
    return file->counts;
}

bool pov_record_file_news(pov_record_file *file, char text[POV_MESSAGE_CAPACITY])
{
    const bool has_news = file->has_news;
    if (has_news)
        memcpy(text, file->news, sizeof file->news);
    file->has_news = false;
    return has_news;
}

pov_status pov_record_file_new(pov_record_file **file, const pov_record_config *config,
                               const pov_record_session *session)
{
    pov_record_file *made = *file = calloc(1, sizeof *made);
    if (!made)
        return pov_error("recording: out of memory");
    made->config = *config;
    made->session = *session;
    made->descriptor = -1;
    made->start_ns = pov_clock_unix_ns();
    pov_status status = is_file_name(config->path) ? pov_ok() : pov_write_folder(config->path);
    POV_THEN(status, pov_station_files(session->station, keep_file, made));
    if (status.code != POV_OK)
        pov_record_file_destroy(file);
    else
        remove_old(made);
    return status;
}

void pov_record_file_destroy(pov_record_file **file)
{
    if (!*file)
        return;
    close_file(*file);
    forget_station(*file);
    free(*file);
    *file = NULL;
}
