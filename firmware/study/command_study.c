#include "compare/log/study_log.h"
#include "compare/study/protocol.h"
#include "compare/study/study_results.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/read_file.h"
#include "config/files/write_file.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/dashboard/dashboard.h"
#include "firmware/picture/image_thumbnail.h"
#include "firmware/run/log_folder.h"
#include "firmware/run/station_runner.h"
#include "firmware/study/study_session.h"
#include "firmware/study/study_voice.h"

#include <cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { POV_REMAINS_MAX = 16 };
/* The folder of recordings in that of a study. */
#define POV_STUDY_RECORDINGS "recordings"

/** What was removed, and the proof: how much was searched for how many words and hashes, and where one was found. */
typedef struct {
    pov_forgotten rows; /* its words are freed */
    bool was_there;     /* in the log */
    int files_removed;
    int words, files;
    int64_t bytes;
    int found_len;
    char found[POV_REMAINS_MAX][POV_LOG_PATH_CAPACITY]; /* files, relative to the folder */
} pov_withdrawal;

typedef struct {
    const pov_log_folder *folder;
    const char *rater;
    bool json;
    pov_dashboard *dashboard; /* NULL: lines of standard input only */
} pov_study_rate_options;

/* Withdrawal: removes all that a study holds of a participant, and searches every file for what might be left. */

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
    if (status.code == POV_OK)
        status = remove_files(withdrawal, folder, "images", participant);
    if (status.code == POV_OK)
        status = remove_files(withdrawal, folder, POV_STUDY_RECORDINGS, participant);
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

/* A rater's session: what was said in each trial, without its condition, participant or the robot's reading, in an order of
 *  the rater's own; the label is kept. */

enum { PICTURE_PX = 640, WAIT_MS = 50 };

/* A trial as the rater sees it. */
typedef struct {
    int64_t trial;
    uint64_t rank; /* its place in the rater's order */
    cJSON *shown;
    char path[128], sha256[POV_DIGEST_CAPACITY]; /* of the image */
} item;

typedef struct {
    const pov_study_rate_options *options;
    pov_study_log *log;
    cJSON *labels;
    item *items;
    int len, capacity, at;
    pov_image_thumbnail *thumbnail;
} rating;

/* A number that depends on rater and trial alone: FNV-1a, mixed. */
static uint64_t rank_of(const char *rater, int64_t trial)
{
    uint64_t hash = 14695981039346656037u;
    for (; *rater; rater++)
        hash = (hash ^ (unsigned char)*rater) * 1099511628211u;
    hash = (hash ^ (uint64_t)trial) * 1099511628211u;
    return (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u;
}

static int compare_items(const void *a, const void *b)
{
    const item *one = a, *other = b;
    return (one->rank > other->rank) - (one->rank < other->rank);
}

static pov_status is_rated(rating *r, bool *rated, int64_t trial)
{
    pov_log_rating row;
    pov_status status;
    *rated = false;
    for (int i = 0; (status = pov_study_log_next_rating(r->log, &row, trial, i)).code == POV_OK; i++)
        *rated = *rated || strcmp(row.rater, r->options->rater) == 0;
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status show_trial(rating *r, const pov_log_trial *trial)
{
    pov_log_event event = {.id = 0};
    pov_log_study_image image = {.id = 0};
    if (!pov_grow(&r->items, &r->capacity, r->len, sizeof *r->items))
        return pov_error("out of memory");
    item *it = &r->items[r->len++];
    *it = (item){
        .trial = trial->id, .rank = rank_of(r->options->rater, trial->id), .shown = cJSON_CreateObject()};
    cJSON_AddStringToObject(it->shown, "state", "rating");
    cJSON_AddStringToObject(it->shown, "instruction", trial->say);
    cJSON_AddStringToObject(it->shown, "task", trial->show);
    cJSON_AddStringToObject(it->shown, "target", trial->target);
    cJSON *said = cJSON_AddArrayToObject(it->shown, "said"),
          *picked = cJSON_AddArrayToObject(it->shown, "picked");
    int64_t told = 0;
    pov_status status;
    while ((status = pov_study_log_next_event(r->log, &event, trial->id, event.id)).code == POV_OK) {
        if (strcmp(event.kind, "said") == 0 || strcmp(event.kind, "pick") == 0)
            cJSON_AddItemToArray(strcmp(event.kind, "said") == 0 ? said : picked,
                                 cJSON_CreateString(event.text));
        if (event.reading && !told)
            told = event.image;
    }
    if (status.code != POV_END)
        return status;
    while ((status = pov_study_log_next_image(r->log, &image, trial->id, image.id)).code == POV_OK)
        if (image.id == told || !it->path[0]) {
            snprintf(it->path, sizeof it->path, "%s", image.path);
            memcpy(it->sha256, image.sha256, sizeof it->sha256);
        }
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status collect_items(rating *r)
{
    pov_log_trial trial = {.id = 0};
    pov_status status;
    bool rated;
    while ((status = pov_study_log_next_trial(r->log, &trial, trial.id)).code == POV_OK) {
        if (!trial.outcome || strcmp(trial.outcome, "done") != 0)
            continue;
        POV_TRY(is_rated(r, &rated, trial.id));
        if (!rated)
            POV_TRY(show_trial(r, &trial));
    }
    if (r->len > 0)
        qsort(r->items, (size_t)r->len, sizeof *r->items, compare_items);
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status read_labels(rating *r)
{
    const char *design, *version;
    bool simulated;
    const pov_status status = pov_study_log_design(r->log, &design, &version, &simulated);
    if (status.code != POV_OK)
        return status.code == POV_END ? pov_error("%s: holds no study yet", r->options->folder->path)
                                      : status;
    cJSON *root = cJSON_Parse(design);
    r->labels = cJSON_DetachItemFromObject(root, "labels");
    cJSON_Delete(root);
    return r->labels ? pov_ok() : pov_error("%s: its design has no labels", r->options->folder->path);
}

/* A small picture as a data URI, without the file's name, which tells the participant; "" if there is none. */
static const char *picture_of(rating *r, const item *it)
{
    char path[POV_LOG_PATH_CAPACITY + 160];
    const char *uri = "";
    pov_bytes bytes = {0};
    if (!it->path[0])
        return "";
    snprintf(path, sizeof path, "%s/%s", r->options->folder->path, it->path);
    pov_status status = pov_log_folder_load(&bytes, r->options->folder->path, it->path, it->sha256);
    pov_bytes_free(&bytes);
    if (status.code == POV_OK)
        status = pov_image_thumbnail_make(r->thumbnail, &uri, path);
    if (status.code != POV_OK)
        pov_cli_warn("%s", status.message);
    return status.code == POV_OK ? uri : "";
}

static void show_page(rating *r)
{
    if (!r->options->dashboard)
        return;
    cJSON *state = r->at < r->len ? cJSON_Duplicate(r->items[r->at].shown, true) : cJSON_CreateObject();
    if (r->at >= r->len)
        cJSON_AddStringToObject(state, "state", "finished");
    cJSON_AddNumberToObject(state, "left", r->len - r->at);
    cJSON_AddItemToObject(state, "labels", cJSON_Duplicate(r->labels, true));
    cJSON_AddStringToObject(state, "picture", r->at < r->len ? picture_of(r, &r->items[r->at]) : "");
    char *text = cJSON_PrintUnformatted(state);
    if (text)
        pov_dashboard_show_study(r->options->dashboard, text);
    free(text);
    cJSON_Delete(state);
}

static void tell_item(const rating *r)
{
    char words[400];
    if (r->at >= r->len)
        return;
    cJSON *shown = cJSON_Duplicate(r->items[r->at].shown, true);
    if (r->options->json) {
        cJSON_AddNumberToObject(shown, "left", r->len - r->at);
        pov_json_print_line(stdout, shown);
    } else {
        char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(shown, "said"));
        snprintf(words, sizeof words, "%d left; instruction: %.100s; task: %.100s; said: %.100s",
                 r->len - r->at, cJSON_GetStringValue(cJSON_GetObjectItem(shown, "instruction")),
                 cJSON_GetStringValue(cJSON_GetObjectItem(shown, "task")), text ? text : "");
        puts(words);
        free(text);
        cJSON_Delete(shown);
    }
    fflush(stdout);
}

static bool is_label(const rating *r, const char *text)
{
    const cJSON *label;
    cJSON_ArrayForEach(label, r->labels) if (strcmp(label->valuestring, text) == 0) return true;
    return false;
}

static pov_status label_item(rating *r, const char *text)
{
    const pov_log_rating row = {.trial = r->items[r->at].trial,
                                .at_ns = pov_clock_unix_ns(),
                                .rater = r->options->rater,
                                .label = text};
    POV_TRY(pov_study_log_rate(r->log, &row));
    if (r->options->json) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "kept", text);
        pov_json_print_line(stdout, object);
    }
    r->at++;
    show_page(r);
    tell_item(r);
    return pov_ok();
}

static pov_status take_labels(rating *r, int *labelled, int *refused)
{
    pov_lines input = {.fd = STDIN_FILENO};
    char line[POV_LINE_CAPACITY];
    show_page(r);
    tell_item(r);
    while (r->at < r->len && !pov_cli_stop_requested()) {
        bool has = pov_lines_take(&input, line, WAIT_MS);
        if (!has && r->options->dashboard)
            has = pov_dashboard_take_line(r->options->dashboard, line, sizeof line);
        if (!has && input.ended && !r->options->dashboard)
            break;
        if (!has && input.ended)
            nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000}, NULL);
        if (!has || !*line)
            continue;
        if (is_label(r, line)) {
            POV_TRY(label_item(r, line));
            ++*labelled;
        } else {
            char *labels = cJSON_PrintUnformatted(r->labels);
            pov_cli_warn("'%.40s' is no label; the protocol has %s", line, labels ? labels : "");
            free(labels);
            ++*refused;
        }
    }
    return pov_ok();
}

/* Runs until all trials have the rater's label, or the lines end. Out: how many this session labelled, how many are left,
 *  and how many lines were no label. */
static pov_status study_rate(int *labelled, int *left, int *refused, const pov_study_rate_options *options)
{
    rating r = {.options = options};
    *labelled = *left = *refused = 0;
    POV_TRY(pov_study_log_new(&r.log, options->folder->log_path, POV_LOG_MUST_EXIST));
    pov_status status = pov_image_thumbnail_new(&r.thumbnail, PICTURE_PX);
    if (status.code == POV_OK)
        status = read_labels(&r);
    if (status.code == POV_OK)
        status = collect_items(&r);
    if (status.code == POV_OK)
        status = take_labels(&r, labelled, refused);
    *left = r.len - r.at;
    for (int i = 0; i < r.len; i++)
        cJSON_Delete(r.items[i].shown);
    free(r.items);
    cJSON_Delete(r.labels);
    pov_image_thumbnail_destroy(&r.thumbnail);
    pov_study_log_destroy(&r.log);
    return status;
}

/* ---- plan ---- */

typedef struct {
    const char *participant;
    bool json;
} plan_options;

static int run_plan(int argc, char **argv);

static const pov_option plan_table[] = {
    POV_TEXT(plan_options, participant, "participant", "P07", "this one only"),
    POV_FLAG(plan_options, json, "json", "a JSON object for each trial, on a line of its own"),
    POV_OPTIONS_END,
};

static const pov_command command_plan = {
    .name = "study plan",
    .summary = "each participant's order of conditions and trials",
    .run = run_plan,
    .usage = "PROTOCOL.yaml [OPTIONS]",
    .about =
        "Checks a protocol, and prints who gets what in which order. The order depends on the file alone.",
    .options = plan_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one protocol file"},
    .examples = "pov study plan mugs.yaml\npov study plan mugs.yaml --participant P07",
    .exits = "0 done; 1 the protocol is wrong",
};

static void print_planned(const pov_protocol *p, const char *participant, const pov_plan *plan, int i,
                          bool json)
{
    const pov_planned_trial *planned = &plan->list[i];
    const pov_study_trial *trial = &p->trials[planned->trial];
    const char *scene = trial->scene >= 0 ? p->scenes[trial->scene].id : "";
    if (!json) {
        if (planned->after_break)
            printf("%-8s        break\n", participant);
        printf("%-8s %5d  %-16s %-16s %-12s %s\n", participant, i + 1, p->conditions[planned->condition].id,
               trial->id, scene, *trial->say ? trial->say : "(speaks freely)");
        return;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "participant", participant);
    cJSON_AddNumberToObject(object, "position", i + 1);
    cJSON_AddStringToObject(object, "condition", p->conditions[planned->condition].id);
    cJSON_AddStringToObject(object, "trial", trial->id);
    cJSON_AddStringToObject(object, "scene", scene);
    cJSON_AddStringToObject(object, "say", trial->say);
    cJSON_AddBoolToObject(object, "after_break", planned->after_break);
    pov_json_print_line(stdout, object);
}

static int run_plan(int argc, char **argv)
{
    plan_options options = {0};
    pov_words words;
    pov_protocol *protocol;
    int only = -1;
    const int code = pov_command_read(&options, &words, &command_plan, argc, argv);
    if (code != POV_GO_ON)
        return code;
    pov_status status = pov_protocol_new(&protocol, words.word[0]);
    if (status.code == POV_OK && options.participant)
        status = pov_protocol_find(protocol, &only, options.participant);
    pov_plan *plan = malloc(sizeof *plan);
    POV_REQUIRE_MEMORY(plan);
    if (status.code == POV_OK && !options.json)
        printf("%-8s %5s  %-16s %-16s %-12s %s\n", "who", "place", "condition", "trial", "scene",
               "instruction");
    for (int i = 0; status.code == POV_OK && i < protocol->participant_len; i++) {
        if (only >= 0 && i != only)
            continue;
        pov_protocol_plan(plan, protocol, i);
        for (int k = 0; k < plan->len; k++)
            print_planned(protocol, protocol->participants[i], plan, k, options.json);
    }
    free(plan);
    pov_protocol_destroy(&protocol);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

/* ---- run, next ---- */

typedef struct {
    const char *log, *participant, *images, *camera;
    bool resume, record, json;
    pov_dashboard_place dashboard;
} run_options;

static int run_session(int argc, char **argv);

static int run_next(int argc, char **argv);

#define SESSION_OPTIONS                                                                                      \
    POV_PATH(run_options, log, "log", "DIR", "the folder of the study: its log and images",                  \
             .required = true),                                                                              \
        POV_TEXT(run_options, participant, "participant", "P07", "a pseudonym of the protocol",              \
                 .required = true),                                                                          \
        POV_PATH(run_options, images, "images", "DIR", "images taken before, one a look"),                   \
        POV_TEXT(run_options, camera, "camera", "ID", "another camera than the station's, or 'any'"),        \
        POV_FLAG(run_options, json, "json", "a JSON object a line")
static const pov_option run_table[] = {
    SESSION_OPTIONS,
    POV_FLAG(run_options, resume, "resume", "go on with what the log has of the participant"),
    POV_FLAG(run_options, record, "record",
             "record the trials, too: DIR/recordings/P07.1.mcap (docs/RECORDING.md)"),
    POV_TAKEN(run_options, dashboard.at, "dashboard", "[HOST:]PORT", pov_http_place_take,
              "a page for the experimenter, as 'pov run --dashboard' has one"),
    POV_OPTIONS_END,
};

static const pov_option next_table[] = {
    SESSION_OPTIONS,
    POV_OPTIONS_END,
};

static const pov_command command_run = {
    .name = "study run",
    .summary = "one participant's session",
    .run = run_session,
    .usage = "STATION.yaml PROTOCOL.yaml --log DIR --participant P07 [OPTIONS]",
    .about = "Leads through a participant's trials, and keeps images, judgments, words and times. Lines on "
             "standard input lead it, typed or from a script; a blank line starts and stops. Everything that "
             "it reports "
             "as kept is on the disk; after a crash the same command with --resume goes on.",
    .options = run_table,
    .words = {.min = 2, .max = 2, .wanted = "expected a station file and a protocol file"},
    .notes = "  consent        the participant agreed; without it there is no trial\n"
             "  look, turn DEG take an image (after turning the table), and check the scene\n"
             "  start [anyway] start the next trial, if the scene is right\n"
             "  said WORDS     what the participant said; the reply is the robot's reading\n"
             "  pick ID        what the participant picked or pointed at\n"
             "  mark NAME      a marker\n"
             "  note WORDS     a note of the experimenter's\n"
             "  stop, abandon  end the trial: done, or to be repeated\n"
             "  state, quit",
    .examples = "pov study run my_table.yaml mugs.yaml --log mugs --participant P07 --dashboard 8080\n"
                "pov study run my_table.yaml mugs.yaml --log mugs --participant P07 --resume < lines.txt",
    .exits = "0 ended as asked; 1 a file or device failed, or a line was refused",
};

static const pov_command command_next = {
    .name = "study next",
    .summary = "check the scene on the table for the next trial",
    .run = run_next,
    .usage = "STATION.yaml PROTOCOL.yaml --log DIR --participant P07 [OPTIONS]",
    .about = "Takes an image, and compares the scene thing by thing with the one that the participant's next "
             "trial wants.",
    .options = next_table,
    .words = {.min = 2, .max = 2, .wanted = "expected a station file and a protocol file"},
    .examples = "pov study next my_table.yaml mugs.yaml --log mugs --participant P07",
    .exits = "0 the scene is right; 1 it is not, or a file or device failed",
};

static pov_status open_page(pov_dashboard **dashboard, const pov_dashboard_place *place)
{
    *dashboard = NULL;
    if (!*place->at.address)
        return pov_ok();
    POV_TRY(pov_dashboard_new(dashboard, place));
    pov_dashboard_print_place(*dashboard, "page", "study.html");
    return pov_ok();
}

/* Pages ask every 0.4 s: the last state is to reach them. */
static void close_page(pov_dashboard **dashboard)
{
    if (*dashboard && !pov_cli_stop_requested())
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    pov_dashboard_destroy(dashboard);
}

/* P07.1.mcap, or the next that is not there. */
static pov_status begin_recording(pov_study_session_options *session, const char *station_path)
{
    pov_record_config *record = &session->station->record;
    char folder[POV_RECORD_PATH_CAPACITY];
    memset(record->when, 0, sizeof record->when); /* trials are recorded whole */
    snprintf(folder, sizeof folder, "%.900s/" POV_STUDY_RECORDINGS, session->folder->path);
    POV_TRY(pov_write_folder(folder));
    int number = 1;
    do
        snprintf(record->path, sizeof record->path, "%.920s/%.64s.%d.mcap", folder, session->participant,
                 number++);
    while (access(record->path, F_OK) == 0);
    return pov_station_record(&session->recorder, session->station, station_path,
                              pov_pipeline_video_source(&session->station->source));
}

static pov_status lead_session(const run_options *o, const pov_words *words,
                               pov_study_session_options *session, pov_study_summary *summary)
{
    pov_log_folder folder = {.lock = -1};
    pov_protocol *protocol = NULL;
    POV_TRY(pov_station_read(session->station, words->word[0]));
    pov_station_source_replace(&session->station->source, o->images, o->camera);
    session->station->source.rate_hz = 0;
    pov_status status = pov_protocol_new(&protocol, words->word[1]);
    if (status.code == POV_OK)
        status = pov_log_folder_open(&folder, o->log, "pov study run", true);
    if (status.code == POV_OK)
        status = open_page(&session->dashboard, &o->dashboard);
    session->protocol = protocol;
    session->folder = &folder;
    if (status.code == POV_OK && o->record)
        status = begin_recording(session, words->word[0]);
    if (status.code == POV_OK)
        status = pov_study_session_run(summary, session);
    close_page(&session->dashboard);
    pov_log_folder_close(&folder);
    pov_protocol_destroy(&protocol);
    return status;
}

static int finish_session(const run_options *o, const pov_study_summary *summary, bool once)
{
    if (once)
        return summary->scene_right ? POV_EXIT_OK : POV_EXIT_WORLD;
    if (!o->json)
        fprintf(stderr, "%s: %d of %d trials are done\n", o->participant, summary->done, summary->wanted);
    return summary->refused == 0
               ? POV_EXIT_OK
               : pov_cli_fail(pov_error("%d lines were refused; see the warnings", summary->refused));
}

static int start_session(const pov_command *command, bool once, int argc, char **argv)
{
    run_options o = {.resume = once};
    pov_study_summary summary = {0};
    pov_words words;
    const int code = pov_command_read(&o, &words, command, argc, argv);
    if (code != POV_GO_ON)
        return code;
    if (o.images && o.camera)
        return pov_cli_usage(command->name, "--images and --camera exclude each other");
    pov_cli_catch_signals();
    pov_station *station = malloc(sizeof *station);
    POV_REQUIRE_MEMORY(station);
    pov_study_session_options session = {
        .station = station, .participant = o.participant, .resume = o.resume, .json = o.json, .once = once};
    const pov_status status = lead_session(&o, &words, &session, &summary);
    free(station);
    const int result = status.code == POV_OK ? finish_session(&o, &summary, once) : pov_cli_fail(status);
    return pov_station_record_end(&session.recorder, result, !o.json);
}

static int run_session(int argc, char **argv)
{
    return start_session(&command_run, false, argc, argv);
}

static int run_next(int argc, char **argv)
{
    return start_session(&command_next, true, argc, argv);
}

/* ---- forget ---- */

typedef struct {
    bool json;
} forget_options;

static int run_forget(int argc, char **argv);

static const pov_option forget_table[] = {
    POV_FLAG(forget_options, json, "json", "one JSON object"),
    POV_OPTIONS_END,
};

static const pov_command command_forget = {
    .name = "study forget",
    .summary = "a participant withdraws: remove everything, and prove it",
    .run = run_forget,
    .usage = "DIR P07 [OPTIONS]",
    .about =
        "Removes a participant's images, words, times and ratings, overwrites what the log held of them, and "
        "then searches every file in the folder for what only this participant said, for the pseudonym, and "
        "for the images. May be repeated. Copies and backups elsewhere are yours to remove.",
    .options = forget_table,
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

static int run_forget(int argc, char **argv)
{
    forget_options o = {.json = false};
    pov_words words;
    pov_log_folder folder;
    const int code = pov_command_read(&o, &words, &command_forget, argc, argv);
    if (code != POV_GO_ON)
        return code;
    pov_withdrawal *w = malloc(sizeof *w);
    POV_REQUIRE_MEMORY(w);
    pov_status status = pov_log_folder_open(&folder, words.word[0], "pov study run", false);
    if (status.code == POV_OK)
        status = study_forget(w, &folder, words.word[1]);
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
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

/* ---- rate ---- */

typedef struct {
    const char *rater;
    bool json;
    pov_dashboard_place dashboard;
} rate_options;

static int run_rate(int argc, char **argv);

static const pov_option rate_table[] = {
    POV_TEXT(rate_options, rater, "rater", "NAME", "who rates: a pseudonym", .required = true),
    POV_TAKEN(rate_options, dashboard.at, "dashboard", "[HOST:]PORT", pov_http_place_take,
              "a page with the image and a button for each label"),
    POV_FLAG(rate_options, json, "json", "a JSON object a line"),
    POV_OPTIONS_END,
};

static const pov_command command_rate = {
    .name = "study rate",
    .summary = "label trials, without knowing their condition",
    .run = run_rate,
    .usage = "DIR --rater NAME [OPTIONS]",
    .about = "Shows what was said and picked in each trial that is done, in an order of the rater's own, and "
             "takes one of the protocol's labels for it, a line each. Condition, participant and the robot's "
             "reading are not shown. A label is kept before the next trial is shown.",
    .options = rate_table,
    .words = {.min = 1, .max = 1, .wanted = "expected the study's folder"},
    .examples = "pov study rate mugs --rater anna --dashboard 8080",
    .exits = "0 ended as asked; 1 a file failed, or a line was no label",
};

static int run_rate(int argc, char **argv)
{
    rate_options o = {.json = false};
    pov_words words;
    pov_log_folder folder;
    int labelled = 0, left = 0, refused = 0;
    const int code = pov_command_read(&o, &words, &command_rate, argc, argv);
    if (code != POV_GO_ON)
        return code;
    pov_cli_catch_signals();
    pov_study_rate_options options = {.folder = &folder, .rater = o.rater, .json = o.json};
    pov_status status = pov_log_folder_open(&folder, words.word[0], "pov study run", false);
    if (status.code == POV_OK)
        status = open_page(&options.dashboard, &o.dashboard);
    if (status.code == POV_OK)
        status = study_rate(&labelled, &left, &refused, &options);
    close_page(&options.dashboard);
    pov_log_folder_close(&folder);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (!o.json)
        fprintf(stderr, "%s: %d trials labelled, %d left\n", o.rater, labelled, left);
    return refused == 0 ? POV_EXIT_OK
                        : pov_cli_fail(pov_error("%d lines were no label; see the warnings", refused));
}

/* ---- export ---- */

typedef struct {
    const char *out;
    bool json;
} export_options;

static int run_export(int argc, char **argv);

static const pov_option export_table[] = {
    POV_PATH(export_options, out, "out", "FOLDER", "where the tables go", .required = true),
    POV_FLAG(export_options, json, "json", "the scores as one JSON object"),
    POV_OPTIONS_END,
};

static const pov_command command_export = {
    .name = "study export",
    .summary = "tidy tables for R and pandas, and the scores",
    .run = run_export,
    .usage = "DIR --out FOLDER [OPTIONS]",
    .about = "Writes trials.csv, judgments.csv, events.csv and ratings.csv, a row each; docs/STUDY.md "
             "explains the columns. Prints the frames meant, the robot's part, and the raters' agreement. "
             "'pov report DIR' makes a page of it.",
    .options = export_table,
    .words = {.min = 1, .max = 1, .wanted = "expected the study's folder"},
    .examples = "pov study export mugs --out tables",
    .exits = "0 done; 1 a file failed",
};

static pov_status write_tables(pov_study_log *log, const char *out)
{
    char path[POV_PATH_CAPACITY];
    pov_write_file file;
    POV_TRY(pov_write_folder(out));
    for (int i = 0; i < POV_STUDY_TABLES; i++) {
        if (snprintf(path, sizeof path, "%s/%s.csv", out, pov_study_table_name(i)) >= (int)sizeof path)
            return pov_error("%s: this path is too long", out);
        POV_TRY(pov_write_file_begin(&file, path));
        POV_TRY(pov_write_file_end(&file, pov_study_write_csv(log, file.stream, i)));
    }
    return pov_ok();
}

static pov_status print_scores(pov_study_log *log, bool json)
{
    pov_study_results *results;
    POV_TRY(pov_study_results_new(&results, log));
    pov_sheet *sheet = pov_sheet_new();
    pov_study_scores(sheet, results);
    pov_sheet_write(sheet, stdout, json);
    pov_sheet_destroy(&sheet);
    pov_study_results_destroy(&results);
    return pov_ok();
}

static int run_export(int argc, char **argv)
{
    export_options o = {.json = false};
    pov_words words;
    char path[POV_LOG_PATH_CAPACITY + 16];
    pov_study_log *log = NULL;
    const int code = pov_command_read(&o, &words, &command_export, argc, argv);
    if (code != POV_GO_ON)
        return code;
    pov_log_folder_path(path, words.word[0]);
    pov_status status = pov_study_log_new(&log, path, POV_LOG_READ);
    if (status.code == POV_OK) {
        pov_log_folder_warn(path, pov_study_log_damage(log));
        status = write_tables(log, o.out);
    }
    if (status.code == POV_OK)
        status = print_scores(log, o.json);
    pov_study_log_destroy(&log);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}

/* ---- the whole ---- */

static const pov_command *const parts[] = {&command_plan,   &command_run,    &command_next, &command_rate,
                                           &command_export, &command_forget, NULL};

const pov_command pov_command_study = {
    .name = "study",
    .summary = "an instruction study: plan, run, rate, export",
    .usage = "PART [OPTIONS]",
    .about = "A study in which people instruct a robot, or follow its instructions (docs/STUDY.md).",
    .parts = parts,
    .exits = "0 done; 1 a file, device or connection failed",
};
