#include "firmware/run/merge.h"

#include "compare/log/log_pictures.h"
#include "compare/vlm/vlm_truth.h"
#include "config/files/text.h"
#include "config/files/write_file.h"
#include "firmware/cli.h"
#include "firmware/comparison/log_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Not to the disk one by one: reach_disk does that for the whole folder, which nobody sees before. */
static pov_status write_image(const char *path, const pov_bytes *bytes)
{
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(bytes->data, 1, bytes->length, file) == bytes->length;
    return (file && fclose(file) == 0) && written
               ? pov_ok()
               : pov_error("%s: cannot be written: %s", path, strerror(errno));
}

/* All that was written to the folder's file system. */
static pov_status reach_disk(const char *folder)
{
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool good = file >= 0 && syncfs(file) == 0;
    const int error = errno;
    if (file >= 0)
        close(file);
    return good ? pov_ok() : pov_error("%s: cannot be brought to the disk: %s", folder, strerror(error));
}

/* Only images that are what the log says, at the places where pov puts them. */
static pov_status bring_image(const char *folder, const char *from, const pov_log_image *image)
{
    char old[POV_PATH_CAPACITY], new[POV_PATH_CAPACITY];
    pov_bytes bytes = {0};
    const char *name = image->path + strlen("images/");
    if (pov_log_image_is_none(image->path, image->sha256))
        return pov_ok();
    if (!*image->path)
        return pov_error("%s: was heard ('pov listen --log'), and has no images; merge the station's own log",
                         from);
    if (strncmp(image->path, "images/", strlen("images/")) != 0 || strchr(name, '/'))
        return pov_error("%s: the log names an image '%.200s', which no log of pov does", from, image->path);
    POV_TRY(pov_path_join(old, from, image->path));
    POV_TRY(pov_path_join(new, folder, image->path));
    if (access(new, F_OK) == 0)
        return pov_ok();
    POV_TRY(pov_log_folder_load(&bytes, from, image->path, image->sha256));
    const pov_status status = link(old, new) == 0 ? pov_ok() : write_image(new, &bytes);
    pov_bytes_free(&bytes);
    return status;
}

typedef struct {
    const char *folder, *from;
} carrying;

static pov_status bring_picture(void *context, const pov_log_picture *picture)
{
    const carrying *c = context;
    pov_log_image image = {.path = picture->path};
    memcpy(image.sha256, picture->sha256, sizeof image.sha256);
    return bring_image(c->folder, c->from, &image);
}

static pov_status bring_images(pov_answer_log *log, const char *folder, const char *from, int64_t after)
{
    pov_log_image image = {.id = after};
    pov_status status;
    while ((status = pov_answer_log_image(log, &image, image.id)).code == POV_OK)
        POV_TRY(bring_image(folder, from, &image));
    if (status.code != POV_END)
        return status;
    carrying c = {folder, from};
    return pov_log_each_picture(log, after, bring_picture, &c);
}

/* Lines about images of other parts do no harm. */
static pov_status bring_truth(const char *folder, const char *from)
{
    char path[POV_PATH_CAPACITY], block[1 << 16];
    POV_TRY(pov_path_join(path, from, POV_VLM_TRUTH_FILE));
    FILE *in = fopen(path, "rb");
    if (!in)
        return errno == ENOENT ? pov_ok() : pov_error("%s: %s", path, strerror(errno));
    const pov_status status = pov_path_join(path, folder, POV_VLM_TRUTH_FILE);
    FILE *out = status.code == POV_OK ? fopen(path, "ab") : NULL;
    size_t got;
    while (out && (got = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, got, out);
    const bool good = out && !ferror(in) && !ferror(out);
    fclose(in);
    if (status.code != POV_OK)
        return status;
    return (!out || fclose(out) == 0) && good ? pov_ok()
                                              : pov_error("%s: cannot be written: %s", path, strerror(errno));
}

static int64_t last_image(pov_answer_log *log)
{
    int64_t last;
    return pov_log_read_number(pov_answer_log_file(log), &last, "SELECT coalesce(max(id), 0) FROM images")
                       .code == POV_OK
               ? last
               : 0;
}

pov_status pov_merge_folder(pov_answer_log *log, pov_log_merged *merged, const char *folder, const char *from,
                            pov_log_part part)
{
    char path[POV_LOG_PATH_CAPACITY + 16];
    const int64_t before = last_image(log);
    pov_log_folder_path(path, from);
    POV_TRY(pov_answer_log_merge(log, merged, path, part));
    POV_TRY(bring_images(log, folder, from, before));
    return bring_truth(folder, from);
}

/* A folder that is being merged into holds this file: one that is left of a merge that was killed is told by it from all others. */
static void name_mark(char path[POV_LOG_PATH_CAPACITY + 16], const char *folder)
{
    snprintf(path, POV_LOG_PATH_CAPACITY + 16, "%s/merging", folder);
}

static pov_status mark_folder(const char *folder)
{
    char path[POV_LOG_PATH_CAPACITY + 16];
    name_mark(path, folder);
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return pov_error("%s: cannot be written: %s", path, strerror(errno));
    close(file);
    return pov_ok();
}

static pov_status unmark_folder(const char *folder)
{
    char path[POV_LOG_PATH_CAPACITY + 16];
    name_mark(path, folder);
    return unlink(path) == 0 ? pov_ok() : pov_error("%s: cannot be removed: %s", path, strerror(errno));
}

/* Removes what a merge left that was killed. */
static pov_status clear_stopped(const char *beside)
{
    char path[POV_LOG_PATH_CAPACITY + 16];
    struct stat info;
    pov_log_folder folder;
    name_mark(path, beside);
    if (lstat(beside, &info) != 0)
        return pov_ok();
    if (!S_ISDIR(info.st_mode) || lstat(path, &info) != 0)
        return pov_error("%s: is there already, and no merge that was stopped left it; rename it", beside);
    POV_TRY(pov_log_folder_open(&folder, beside, "pov merge", true)); /* nobody is at work in it */
    pov_remove_folder(beside);
    pov_log_folder_close(&folder);
    pov_cli_warn("%s, of a merge that was stopped, was removed", beside);
    return pov_ok();
}

pov_status pov_merge_make(const char *out, pov_merge_fill *fill, const void *context)
{
    char beside[POV_LOG_PATH_CAPACITY];
    struct stat info;
    pov_log_folder folder;
    pov_answer_log *log = NULL;
    if (stat(out, &info) == 0)
        return pov_error("%s: is there already; name a new folder", out);
    if (!pov_text_fits_as(beside, sizeof beside, "%s.merging", out))
        return pov_error("%.150s: this path is too long; name a folder with a shorter one", out);
    POV_TRY(clear_stopped(beside));
    POV_TRY(pov_log_folder_open(&folder, beside, "pov merge", true));
    pov_status status = mark_folder(beside);
    POV_THEN(status, pov_answer_log_new(&log, folder.log_path, POV_LOG_MAY_CREATE));
    /* A merge that is killed leaves nothing, so its rows need not reach the disk before all have come. */
    POV_THEN(status, pov_log_execute(pov_answer_log_file(log), "PRAGMA synchronous = OFF"));
    POV_THEN(status, fill(log, beside, context));
    pov_answer_log_destroy(&log);
    POV_THEN(status, reach_disk(beside));
    POV_THEN(status, unmark_folder(beside));
    pov_log_folder_close(&folder);
    if (status.code == POV_OK && rename(beside, out) != 0)
        status = pov_error("%s: %s", out, strerror(errno));
    if (status.code != POV_OK)
        pov_remove_folder(beside);
    return status;
}

/* ---- one shard of a folder ---- */

typedef struct {
    const char *from;
    pov_log_survey whole;
    pov_log_part part;
} taken_shard;

static pov_status fill_with_shard(pov_answer_log *log, const char *folder, const void *context)
{
    const taken_shard *taken = context;
    pov_log_merged merged;
    return pov_merge_folder(log, &merged, folder, taken->from, taken->part);
}

/* The number of the shard's first stop; -1: the shard has no image. */
static pov_status find_first_stop(int64_t *stop, const taken_shard *taken)
{
    char path[POV_LOG_PATH_CAPACITY + 16], sql[120];
    pov_answer_log *log;
    pov_log_folder_path(path, taken->from);
    snprintf(
        sql, sizeof sql,
        "SELECT coalesce(min(stop), -1) FROM (SELECT stop FROM images ORDER BY stop LIMIT %lld OFFSET %lld)",
        (long long)taken->part.len, (long long)taken->part.first);
    POV_TRY(pov_answer_log_new(&log, path, POV_LOG_READ));
    const pov_status status = pov_log_read_number(pov_answer_log_file(log), stop, sql);
    pov_answer_log_destroy(&log);
    return status;
}

static pov_status check_is_shard(const char *out, const taken_shard *taken)
{
    char path[POV_LOG_PATH_CAPACITY + 16];
    pov_log_survey held;
    int64_t first_stop;
    pov_log_folder_path(path, out);
    POV_TRY(pov_answer_log_survey(&held, path));
    POV_TRY(find_first_stop(&first_stop, taken));
    return strcmp(held.config_hash, taken->whole.config_hash) == 0 && held.images == taken->part.len &&
                   held.first_stop == first_stop
               ? pov_ok()
               : pov_error("%s: holds another sweep than %s, or another shard of it; name a new folder", out,
                           taken->from);
}

pov_status pov_merge_take_shard(const char *out, const char *from, const pov_shard *which)
{
    char path[POV_LOG_PATH_CAPACITY + 16];
    taken_shard taken = {.from = from};
    int64_t end;
    pov_log_folder_path(path, from);
    POV_TRY(pov_answer_log_survey(&taken.whole, path));
    pov_shard_range(which, &taken.part.first, &end, taken.whole.images);
    taken.part.len = end - taken.part.first;
    return access(out, F_OK) == 0 ? check_is_shard(out, &taken)
                                  : pov_merge_make(out, fill_with_shard, &taken);
}
