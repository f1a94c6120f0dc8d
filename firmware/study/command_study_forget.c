/* pov study forget: removes all that a study holds of a participant, and searches every file for what might be left. */
#include "firmware/study/command_study.h"

#include "compare/log/study_log.h"
#include "config/files/json_value.h"
#include "config/files/read_file.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/comparison/log_folder.h"

#include <cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POV_REMAINS_MAX = 16 };

/** The removed rows and files, and the proof: how many bytes were searched for how many words and hashes, and the files that still
 *  hold one. */
typedef struct {
    pov_forgotten rows; /* its words are freed */
    bool was_there;     /* in the log */
    int files_removed;
    int words, files;
    int64_t bytes;
    int found_len;
    char found[POV_REMAINS_MAX][POV_LOG_PATH_CAPACITY]; /* files, relative to the folder */
} pov_withdrawal;

/* ---- images ---- */

/* A participant's images and recordings are named PSEUDONYM.POSITION..., PSEUDONYM.NUMBER..., also those that a crash left without a row or half written. */
static bool is_image_of(const char *name, const char *participant)
{
    const size_t len = strlen(participant);
    const char *own = name[0] == '.' ? name + 1 : name;
    return strncmp(own, participant, len) == 0 && own[len] == '.';
}

static pov_status remove_files(pov_withdrawal *w, const pov_log_folder *folder, const char *inside,
                               const char *participant)
{
    char path[POV_LOG_PATH_CAPACITY + 300];
    snprintf(path, sizeof path, "%s/%s", folder->path, inside);
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
    const bool is_image = /* or a recording: compressed, and three letters may be in it by chance */
        dot && (strcmp(dot, ".png") == 0 || strcmp(dot, ".mcap") == 0);
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

/* Removes a participant's rows and images, then searches all files in the folder: for the words and hashes that only the
 *  participant had, for the pseudonym, and for files that are one of the images. May be repeated. */
static pov_status study_forget(pov_withdrawal *withdrawal, const pov_log_folder *folder,
                               const char *participant)
{
    pov_study_log *log;
    *withdrawal = (pov_withdrawal){.words = 0};
    POV_TRY(pov_study_log_new(&log, folder->log_path, POV_LOG_MUST_EXIST));
    pov_status status = pov_study_log_forget(log, &withdrawal->rows, participant, pov_clock_unix_ns());
    pov_study_log_destroy(&log);
    withdrawal->was_there = status.code == POV_OK;
    if (status.code == POV_UNDEFINED)
        status = pov_ok();
    POV_THEN(status, remove_files(withdrawal, folder, "images", participant));
    POV_THEN(status, remove_files(withdrawal, folder, POV_STUDY_RECORDINGS, participant));
    search s = {.w = withdrawal, .participant = participant, .root_len = strlen(folder->path)};
    POV_THEN(status, search_folder(&s, folder->path));
    for (const char *word = withdrawal->rows.words; word && *word; word += strlen(word) + 1)
        withdrawal->words++;
    pov_bytes_free(&s.bytes);
    free(withdrawal->rows.words);
    withdrawal->rows.words = NULL;
    return status;
}

/* ---- forget ---- */

typedef struct {
    bool json;
} forget_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_FLAG(forget_options, json, "json", "one JSON object"),
    POV_OPTIONS_END,
};

const pov_command pov_command_study_forget = {
    .name = "study forget",
    .summary = "a participant withdraws: remove everything, and prove it",
    .run = run,
    .usage = "DIR P07 [OPTIONS]",
    .about =
        "Removes a participant's images, words, times and ratings, overwrites their rows in the log, and "
        "then searches every file in the folder for this participant's own words, for the pseudonym, and "
        "for the images. May be repeated. Copies and backups elsewhere are yours to remove.",
    .options = option_table,
    .words = {.min = 2, .max = 2, .wanted = "expected the study's folder and a pseudonym"},
    .examples = "pov study forget mugs P07",
    .exits = "0 nothing is left; 1 something is (the message says where), or a file failed",
};

static void print_withdrawal(const pov_withdrawal *w, const char *name)
{
    printf("%s: %s; %d trials, %d events, %d images in the log, and %d image files were removed\n"
           "searched %d files (%lld bytes) for %d words and hashes of %s alone: %s\n",
           name, w->was_there ? "forgotten" : "not in the log", w->rows.trials, w->rows.events,
           w->rows.images, w->files_removed, w->files, (long long)w->bytes, w->words, name,
           w->found_len ? "FOUND" : "nothing is left");
    if (w->rows.shared_words > 0)
        printf("%d utterances were not searched for: others said the same, or the protocol has them\n",
               w->rows.shared_words);
    for (int i = 0; i < w->found_len; i++)
        printf("  %s\n", w->found[i]);
}

static void print_withdrawal_json(const pov_withdrawal *w, const char *name)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "participant", name);
    cJSON_AddBoolToObject(object, "was_there", w->was_there);
    cJSON_AddNumberToObject(object, "trials", w->rows.trials);
    cJSON_AddNumberToObject(object, "events", w->rows.events);
    cJSON_AddNumberToObject(object, "images", w->rows.images);
    cJSON_AddNumberToObject(object, "image_files", w->files_removed);
    cJSON_AddNumberToObject(object, "words_searched", w->words);
    cJSON_AddNumberToObject(object, "words_of_others_too", w->rows.shared_words);
    cJSON_AddNumberToObject(object, "files_searched", w->files);
    cJSON_AddNumberToObject(object, "bytes_searched", (double)w->bytes);
    cJSON *found = cJSON_AddArrayToObject(object, "found");
    for (int i = 0; i < w->found_len; i++)
        cJSON_AddItemToArray(found, cJSON_CreateString(w->found[i]));
    pov_json_print_line(stdout, object);
}

static int run(int argc, char **argv)
{
    forget_options o = {.json = false};
    pov_words words;
    pov_log_folder folder;
    POV_OR_EXIT(pov_command_read(&o, &words, &pov_command_study_forget, argc, argv));
    pov_withdrawal *w = malloc(sizeof *w);
    POV_REQUIRE_MEMORY(w);
    pov_status status = pov_log_folder_open(&folder, words.word[0], "pov study run", false);
    POV_THEN(status, study_forget(w, &folder, words.word[1]));
    if (status.code == POV_OK && o.json)
        print_withdrawal_json(w, words.word[1]);
    else if (status.code == POV_OK)
        print_withdrawal(w, words.word[1]);
    if (status.code == POV_OK && w->found_len > 0)
        status = pov_error("%s: %s is still in %d files, listed above; remove them, or export again",
                           folder.path, words.word[1], w->found_len);
    else if (status.code == POV_OK && !w->was_there && w->files_removed == 0)
        status = pov_error("%s: nobody is called '%s'; nothing was removed", folder.path, words.word[1]);
    pov_log_folder_close(&folder);
    free(w);
    return pov_cli_exit(status);
}
