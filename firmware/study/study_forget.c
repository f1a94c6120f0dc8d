#include "firmware/study/study_forget.h"

#include "config/files/read_file.h"
#include "firmware/clock.h"
#include "firmware/picture/image_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- images ---- */

/* A participant's images are named PSEUDONYM.POSITION..., also those that a crash left without a row or half written. */
static bool is_image_of(const char *name, const char *participant)
{
    const size_t len = strlen(participant);
    const char *own = name[0] == '.' ? name + 1 : name;
    return strncmp(own, participant, len) == 0 && own[len] == '.';
}

static pov_status remove_images(pov_withdrawal *w, const pov_log_folder *folder, const char *participant)
{
    char path[POV_LOG_PATH_CAPACITY + 300];
    snprintf(path, sizeof path, "%s/images", folder->path);
    DIR *directory = opendir(path);
    if (!directory)
        return errno == ENOENT ? pov_ok() : pov_error("%s: %s", path, strerror(errno));
    pov_status status = pov_ok();
    for (const struct dirent *entry; status.code == POV_OK && (entry = readdir(directory));) {
        if (!is_image_of(entry->d_name, participant))
            continue;
        if (unlinkat(dirfd(directory), entry->d_name, 0) == 0)
            w->files_removed++;
        else
            status = pov_error("%s/%s: cannot be removed: %s", path, entry->d_name, strerror(errno));
    }
    fsync(dirfd(directory));
    closedir(directory);
    return status;
}

/* ---- the proof ---- */

typedef struct {
    pov_withdrawal *w;
    const char *participant;
    size_t root_len;
    pov_bytes bytes;
} search;

static void note_remains(search *s, const char *path)
{
    if (s->w->found_len < POV_REMAINS_MAX)
        snprintf(s->w->found[s->w->found_len++], sizeof s->w->found[0], "%s", path + s->root_len + 1);
}

/* Not as a part of a longer name. */
static bool holds_name(const pov_bytes *bytes, const char *name)
{
    const size_t len = strlen(name);
    const unsigned char *at = bytes->data, *end = bytes->data + bytes->length;
    while ((at = memmem(at, (size_t)(end - at), name, len))) {
        const int before = at > bytes->data ? at[-1] : ' ', after = at + len < end ? at[len] : ' ';
        if (!isalnum(before) && !isalnum(after) && !strchr("_-", before) && !strchr("_-", after))
            return true;
        at++;
    }
    return false;
}

static bool holds_remains(search *s, const char *path)
{
    char hash[POV_DIGEST_CAPACITY];
    const char *dot = strrchr(path, '.');
    const bool is_image =
        dot && strcmp(dot, ".png") == 0; /* compressed: three letters may be in it by chance */
    pov_digest(hash, s->bytes.data, s->bytes.length);
    for (const char *word = s->w->rows.words; word && *word; word += strlen(word) + 1)
        if (strcmp(word, hash) == 0 ||
            (!is_image && memmem(s->bytes.data, s->bytes.length, word, strlen(word))))
            return true;
    return !is_image && !pov_log_folder_is_log(path) && holds_name(&s->bytes, s->participant);
}

static pov_status search_folder(search *s, const char *folder)
{
    char path[2 * POV_LOG_PATH_CAPACITY];
    struct dirent **entries;
    const int len = scandir(folder, &entries, NULL, alphasort);
    if (len < 0)
        return pov_error("%s: %s", folder, strerror(errno));
    pov_status status = pov_ok();
    for (int i = 0; i < len; i++) {
        struct stat info;
        const char *name = entries[i]->d_name;
        const bool skipped = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        if (!skipped && status.code == POV_OK &&
            snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
            status = pov_error("%s: this path is too long", folder);
        if (!skipped && status.code == POV_OK && lstat(path, &info) == 0) {
            if (S_ISDIR(info.st_mode)) {
                status = search_folder(s, path);
            } else if (is_image_of(name, s->participant)) {
                note_remains(s, path);
            } else if (S_ISREG(info.st_mode) && info.st_size > 0) {
                status = pov_read_file(&s->bytes, path, (size_t)info.st_size, "a file");
                s->w->files++;
                s->w->bytes += (int64_t)s->bytes.length;
                if (status.code == POV_OK && holds_remains(s, path))
                    note_remains(s, path);
            }
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

pov_status pov_study_forget(pov_withdrawal *withdrawal, const pov_log_folder *folder, const char *participant)
{
    pov_study_log *log;
    *withdrawal = (pov_withdrawal){.words = 0};
    POV_TRY(pov_study_log_new(&log, folder->log_path, POV_LOG_MUST_EXIST));
    pov_status status = pov_study_log_forget(log, &withdrawal->rows, participant, pov_clock_unix_ns());
    pov_study_log_destroy(&log);
    withdrawal->was_there = status.code == POV_OK;
    if (status.code == POV_UNDEFINED)
        status = pov_ok();
    if (status.code == POV_OK)
        status = remove_images(withdrawal, folder, participant);
    search s = {.w = withdrawal, .participant = participant, .root_len = strlen(folder->path)};
    if (status.code == POV_OK)
        status = search_folder(&s, folder->path);
    for (const char *word = withdrawal->rows.words; word && *word; word += strlen(word) + 1)
        withdrawal->words++;
    pov_bytes_free(&s.bytes);
    free(withdrawal->rows.words);
    withdrawal->rows.words = NULL;
    return status;
}
