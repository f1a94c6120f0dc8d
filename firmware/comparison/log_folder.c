#include "firmware/comparison/log_folder.h"

#include "compare/log/answer_log.h"
#include "compare/vlm/vlm_truth.h"
#include "config/files/write_file.h"
#include "firmware/cli.h"
#include "firmware/picture/image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

pov_status pov_log_folder_damage(const char *log_path, const pov_log_damage *damage)
{
    char text[POV_LOG_DAMAGE_CAPACITY + 60];
    pov_log_damage_describe(text, damage);
    return damage->rows > 0 ? pov_error("%.120s: %s; they are left out", log_path, text) : pov_ok();
}

void pov_log_folder_warn(const char *log_path, const pov_log_damage *damage)
{
    const pov_status status = pov_log_folder_damage(log_path, damage);
    if (status.code != POV_OK) {
        pov_cli_warn("%s", status.message);
        pov_cli_note_damage(status.message);
    }
}

/* Every SQLite file begins so. */
bool pov_log_folder_is_log(const char *path)
{
    static const unsigned char sign[16] = "SQLite format 3";
    unsigned char head[sizeof sign];
    size_t length = sizeof head;
    return pov_read_file_start(head, &length, path, SIZE_MAX, "a log").code == POV_OK &&
           length == sizeof head && memcmp(head, sign, sizeof sign) == 0;
}

/* Before anything is written beside it. */
static pov_status find_log(const pov_log_folder *folder, const char *maker)
{
    struct stat info;
    if (stat(folder->log_path, &info) != 0)
        return pov_error("%s: %s; '%s' makes logs", folder->log_path, strerror(errno), maker);
    return pov_log_folder_is_log(folder->log_path)
               ? pov_ok()
               : pov_error("%s: is not a log of pov, but another kind of file; name a folder that '%s' made",
                           folder->log_path, maker);
}

/* The folder itself, or that of the log which was named instead. */
static pov_status find_folder(pov_log_folder *folder, const char *path, const char *maker, bool make)
{
    struct stat info;
    const bool is_there = stat(path, &info) == 0;
    folder->is_new = !is_there;
    if (strlen(path) > POV_LOG_PATH_CAPACITY - 64)
        return pov_error("%.60s...: this path is too long", path);
    snprintf(folder->path, sizeof folder->path, "%s", path);
    snprintf(folder->log_path, sizeof folder->log_path, "%s/" POV_LOG_NAME, path);
    if (!is_there && !make)
        return pov_error("%s: %s; '%s' makes it", path, strerror(errno), maker);
    if (is_there && S_ISREG(info.st_mode) && !make) {
        char *slash = strrchr(folder->path, '/');
        snprintf(folder->log_path, sizeof folder->log_path, "%s", path);
        if (slash)
            slash[slash == folder->path] = '\0';
        else
            snprintf(folder->path, sizeof folder->path, ".");
    } else if (is_there && !S_ISDIR(info.st_mode)) {
        return pov_error("%s: is a file, not a folder; name a new one", path);
    }
    return make ? pov_ok() : find_log(folder, maker);
}

void pov_log_folder_path(char log_path[POV_LOG_PATH_CAPACITY + 16], const char *path)
{
    struct stat info;
    const bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    snprintf(log_path, POV_LOG_PATH_CAPACITY + 16, "%.*s%s", POV_LOG_PATH_CAPACITY - 1, path,
             is_folder ? "/" POV_LOG_NAME : "");
}

pov_status pov_log_folder_open(pov_log_folder *folder, const char *path, const char *maker, bool make)
{
    char name[POV_LOG_PATH_CAPACITY + 32];
    folder->lock = -1;
    POV_TRY(find_folder(folder, path, maker, make));
    if (make) {
        POV_TRY(pov_write_folder(folder->path));
        snprintf(name, sizeof name, "%s/images", folder->path);
        POV_TRY(pov_write_folder(name));
    }
    snprintf(name, sizeof name, "%s/lock", folder->path);
    folder->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (folder->lock < 0)
        return pov_error("%s: cannot be written: %s", name, strerror(errno));
    if (flock(folder->lock, LOCK_EX | LOCK_NB) == 0)
        return pov_ok();
    const pov_status status =
        pov_error("%s: another pov is at work in this folder; wait for it, or end it", folder->path);
    pov_log_folder_close(folder);
    return status;
}

void pov_log_folder_close(pov_log_folder *folder)
{
    if (folder->lock >= 0)
        close(folder->lock);
    folder->lock = -1;
}

static bool holds_questions(const char *log_path)
{
    pov_answer_log *log;
    pov_log_counts counts = {.questions = 0};
    if (access(log_path, F_OK) != 0)
        return false;
    pov_status status = pov_answer_log_new(&log, log_path, POV_LOG_MUST_EXIST);
    POV_THEN(status, pov_answer_log_count(log, &counts, 0));
    pov_answer_log_destroy(&log);
    return status.code != POV_OK || counts.questions > 0;
}

void pov_log_folder_close_failed(pov_log_folder *folder)
{
    if (folder->lock >= 0 && folder->is_new && !holds_questions(folder->log_path))
        pov_remove_folder(folder->path);
    pov_log_folder_close(folder);
}

pov_status pov_log_folder_store(const pov_log_folder *folder, pov_stored_image *stored,
                                const pov_image *image, const char *name)
{
    char path[POV_LOG_PATH_CAPACITY + sizeof stored->path];
    snprintf(stored->path, sizeof stored->path, "images/%s.png", name);
    snprintf(path, sizeof path, "%s/%s", folder->path, stored->path);
    POV_TRY(pov_image_file_write_png(path, image));
    POV_TRY(pov_read_file(&stored->bytes, path, POV_IMAGE_FILE_BYTES_MAX, "an image"));
    pov_digest(stored->sha256, stored->bytes.data, stored->bytes.length);
    return pov_ok();
}

/* Links and ".." resolved. */
static bool is_within(const char *folder, const char *path)
{
    char *whole_folder = realpath(folder, NULL), *whole_path = realpath(path, NULL);
    const size_t len = whole_folder ? strlen(whole_folder) : 0;
    const bool within =
        len > 0 && whole_path && strncmp(whole_path, whole_folder, len) == 0 && whole_path[len] == '/';
    free(whole_folder);
    free(whole_path);
    return within;
}

pov_status pov_log_folder_load(pov_bytes *bytes, const char *folder, const char *path, const char *sha256)
{
    char full[POV_LOG_PATH_CAPACITY + 256], found[POV_DIGEST_CAPACITY];
    if (!*path)
        return pov_error("%s: was heard ('pov listen --log'), and images do not come with messages: use the "
                         "station's own log",
                         folder);
    if (snprintf(full, sizeof full, "%s/%s", folder, path) >= (int)sizeof full)
        return pov_error("%s: an image's path of %zu bytes is too long", folder, strlen(path));
    if (access(full, F_OK) == 0 && !is_within(folder, full))
        return pov_error(
            "%s: the log names an image outside its folder, which no log of pov does; nothing was read",
            full);
    POV_TRY(pov_read_file(bytes, full, POV_IMAGE_FILE_BYTES_MAX, "an image"));
    pov_digest(found, bytes->data, bytes->length);
    if (strcmp(found, sha256) == 0)
        return pov_ok();
    pov_bytes_free(bytes);
    return pov_error("%s: is not the image that was stored: its SHA-256 is %.12s..., the log has %.12s...; "
                     "put a copy in its place",
                     full, found, sha256);
}

/* ---- what a simulated VLM answers from ---- */

/* The length without a last line that was cut off when its writer was killed. */
static off_t whole_lines(int file)
{
    char block[4096];
    off_t end = lseek(file, 0, SEEK_END);
    while (end > 0) {
        const off_t start = end > (off_t)sizeof block ? end - (off_t)sizeof block : 0;
        const ssize_t length = pread(file, block, (size_t)(end - start), start);
        const char *newline = length > 0 ? memrchr(block, '\n', (size_t)length) : NULL;
        if (newline || length <= 0)
            return newline ? start + (newline - block) + 1 : end;
        end = start;
    }
    return 0;
}

static bool write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(file, text, length);
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

pov_status pov_log_folder_append_truth(const pov_log_folder *folder, const char *lines)
{
    char path[POV_LOG_PATH_CAPACITY + 32];
    if (!lines || !*lines)
        return pov_ok();
    snprintf(path, sizeof path, "%s/" POV_VLM_TRUTH_FILE, folder->path);
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const off_t end = file < 0 ? 0 : whole_lines(file);
    const bool good = file >= 0 && ftruncate(file, end) == 0 && lseek(file, end, SEEK_SET) == end &&
                      write_all(file, lines, strlen(lines));
    const pov_status status = good ? pov_ok() : pov_error("%s: cannot be written: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return status;
}
