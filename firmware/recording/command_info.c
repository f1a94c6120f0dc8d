#include "config/files/json_value.h"
#include "config/files/utf8.h"
#include "config/files/write_file.h"
#include "firmware/commands.h"
#include "protocol/recording/recording.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct {
    bool json;
    const char *extract;
} info_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_FLAG(info_options, json, "json", "one JSON object instead of text"),
    POV_PATH(info_options, extract, "extract", "DIR",
             "also write the attached files there: the station file, and the files it names"),
    POV_OPTIONS_END,
};

const pov_command pov_command_info = {
    .name = "info",
    .summary = "list the contents of a recording",
    .run = run,
    .usage = "FILE.mcap [OPTIONS]",
    .about = "Lists the contents of a recording: its time, messages, images, gaps, damage, the version and "
             "station that made it, "
             "and its attached files.",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one recording"},
    .examples = "pov info monday.mcap\n"
                "pov info monday.mcap --extract monday && pov run monday/station.yaml --images monday.mcap",
    .exits = "0 done; 1 it is not a recording, is damaged, or a file cannot be written",
};

/* Facts that need a look at every message. */
typedef struct {
    uint64_t images, image_bytes, lost_images; /* numbers that are missing between images */
    uint64_t gaps;                             /* places where they are missing */
    int64_t last_capture_ns, longest_at_ns;
    double longest_ns; /* the longest time between two images, and when it began */
    uint64_t warnings;
} facts;

/* The number of the last image, of each camera. */
typedef struct {
    bool has_image;
    char camera[POV_IMAGE_NAME_CAPACITY];
    uint32_t sequence;
} last_number;

/* Several cameras number their images each by itself. Of more cameras than a station has, the rest are one. */
static last_number *find_number(last_number numbers[POV_CAMERA_MAX], const char *camera)
{
    int i = 0;
    while (i < POV_CAMERA_MAX - 1 && numbers[i].has_image && strcmp(numbers[i].camera, camera) != 0)
        i++;
    memcpy(numbers[i].camera, camera, sizeof numbers[i].camera);
    return &numbers[i];
}

static void count_image(facts *all, const pov_recorded_image *image, last_number *last)
{
    const double since_ns = (double)image->capture_ns - (double)all->last_capture_ns;
    if (last->has_image) {
        const uint32_t missing = image->sequence > last->sequence ? image->sequence - last->sequence - 1 : 0;
        all->lost_images += missing;
        all->gaps += missing > 0;
    }
    if (all->images > 0 && since_ns > all->longest_ns) {
        all->longest_ns = since_ns;
        all->longest_at_ns = all->last_capture_ns;
    }
    last->has_image = true;
    last->sequence = image->sequence;
    all->last_capture_ns = image->capture_ns;
    all->images++;
    all->image_bytes += image->len;
}

static pov_status look_at_all(facts *all, pov_recording *recording)
{
    last_number numbers[POV_CAMERA_MAX] = {0};
    *all = (facts){0};
    while (!pov_cli_stop_requested()) {
        pov_recorded_event event;
        const pov_status status = pov_recording_next(recording, &event);
        if (status.code == POV_END)
            break;
        if (status.code == POV_SKIPPED)
            continue;
        POV_TRY(status);
        if (event.topic == POV_RECORDED_IMAGE)
            count_image(all, &event.image, find_number(numbers, event.image.camera));
        all->warnings += event.topic == POV_RECORDED_LOG;
    }
    return pov_ok();
}

/* ---- attached files ---- */

enum { FOLDERS_MAX = 16 }; /* of an attached file, one in the other; chosen: stations use one or two */

/* "a/b.yaml", not "/etc/passwd", "../b" or "a/../../b". */
static bool is_safe(const char *name)
{
    if (!*name || *name == '/')
        return false;
    int folders = 0;
    for (const char *part = name;; part++, folders++) {
        const size_t len = strcspn(part, "/");
        if (len == 0 || (len == 1 && *part == '.') || (len == 2 && strncmp(part, "..", 2) == 0) ||
            folders > FOLDERS_MAX)
            return false;
        part += len;
        if (!*part)
            return true;
    }
}

/* Folders on the way to a file that are not links: what lies there may be of others. */
static pov_status make_folders(const char *folder, const char *name)
{
    char path[POV_PATH_CAPACITY];
    struct stat info;
    POV_TRY(pov_write_folder(folder));
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)(slash - name), name);
        if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
            return pov_error("%s: is a link, which is not followed; name a new folder for --extract", path);
        POV_TRY(pov_write_folder(path));
    }
    return pov_ok();
}

/* Nothing that is there is written over: the recording may be of a stranger, or the file changed since. */
static pov_status write_attachment(const char *folder, const pov_mcap_attachment *attachment)
{
    char path[POV_PATH_CAPACITY];
    struct stat info;
    pov_write_file file;
    POV_TRY(make_folders(folder, attachment->name));
    snprintf(path, sizeof path, "%s/%s", folder, attachment->name);
    if (lstat(path, &info) == 0)
        return pov_error("%s: is there already; name a new folder for --extract", path);
    POV_TRY(pov_write_file_begin(&file, path));
    return pov_write_file_end(&file, pov_write_file_bytes(&file, attachment->bytes, attachment->len));
}

static pov_status extract_all(pov_mcap_reader *reader, const char *folder)
{
    pov_mcap_attachment attachment;
    uint64_t left_out = 0;
    for (int i = 0; i < pov_mcap_reader_contents(reader)->attachment_len; i++) {
        const char *name = pov_mcap_reader_contents(reader)->attachments[i].name;
        if (!is_safe(name) || strlen(folder) + strlen(name) + 2 > POV_PATH_CAPACITY) {
            if (left_out++ < 10)
                pov_cli_warn("the attached file '%.200s' would lie outside of %s, or in more than %d folders",
                             name, folder, FOLDERS_MAX);
            continue;
        }
        POV_TRY(pov_mcap_reader_attachment(reader, &attachment, i));
        POV_TRY(write_attachment(folder, &attachment));
    }
    return left_out == 0
               ? pov_ok()
               : pov_error("%s: %" PRIu64 " attached files were not written, for their names are not safe",
                           pov_mcap_reader_input(reader)->name, left_out);
}

/* ---- output ---- */

static const char *const session_keys[] = {"version", "station", "source", "video",
                                           "started", "images",  "coding", "because"};
enum { SESSION_KEYS = sizeof session_keys / sizeof *session_keys };

static const char *schema_name(const pov_mcap_reader *reader, const pov_mcap_channel *channel)
{
    const pov_mcap_schema *schema = pov_mcap_reader_schema(reader, channel->schema);
    return schema ? schema->name : "";
}

static void name_time(char text[40], int64_t ns)
{
    const time_t second = (time_t)(ns < 0 ? 0 : ns / 1000000000);
    struct tm utc;
    char date[24];
    gmtime_r(&second, &utc);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text, 40, "%s.%03dZ", date, (int)(ns < 0 ? 0 : ns % 1000000000 / 1000000));
}

static pov_status print_json(pov_recording *recording, const facts *all)
{
    pov_mcap_reader *reader = pov_recording_reader(recording);
    const pov_mcap_contents *contents = pov_mcap_reader_contents(reader);
    cJSON *object = cJSON_CreateObject(), *session = cJSON_AddObjectToObject(object, "session"),
          *topics = cJSON_AddArrayToObject(object, "topics"),
          *images = cJSON_AddObjectToObject(object, "images"),
          *files = cJSON_AddArrayToObject(object, "attachments");
    for (int i = 0; i < SESSION_KEYS; i++) {
        const char *value;
        POV_TRY(pov_mcap_reader_metadata(reader, &value, POV_RECORDING_SESSION, session_keys[i]));
        pov_json_add_text(session, session_keys[i], *value ? value : NULL);
    }
    for (int i = 0; i < contents->channel_len; i++) {
        cJSON *topic = cJSON_CreateObject();
        pov_json_add_text(topic, "topic", contents->channels[i].topic);
        pov_json_add_text(topic, "schema", schema_name(reader, &contents->channels[i]));
        pov_json_add_number(topic, "messages", (double)contents->channel_messages[i]);
        cJSON_AddItemToArray(topics, topic);
    }
    pov_json_add_number(images, "count", (double)all->images);
    pov_json_add_number(images, "bytes", (double)all->image_bytes);
    pov_json_add_number(images, "gaps", (double)all->gaps);
    pov_json_add_number(images, "missing", (double)all->lost_images);
    pov_json_add_number(images, "longest_gap_s", 1e-9 * all->longest_ns);
    for (int i = 0; i < contents->attachment_len; i++) {
        cJSON *file = cJSON_CreateObject();
        pov_json_add_text(file, "name", contents->attachments[i].name);
        pov_json_add_number(file, "bytes", (double)contents->attachments[i].size);
        cJSON_AddItemToArray(files, file);
    }
    pov_json_add_number(object, "messages", (double)contents->messages);
    pov_json_add_number(object, "seconds", 1e-9 * ((double)contents->last_ns - (double)contents->first_ns));
    pov_json_add_number(object, "bytes", (double)pov_mcap_reader_input(reader)->size);
    cJSON_AddBoolToObject(object, "indexed", contents->is_indexed);
    pov_json_add_number(object, "damaged", (double)pov_recording_damaged_places(recording));
    pov_json_print_line(stdout, object);
    return pov_ok();
}

/* Names may come from strangers. */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pov_utf8_print(stdout, text);
}

static pov_status print_text(pov_mcap_reader *reader, const facts *all)
{
    const pov_mcap_contents *contents = pov_mcap_reader_contents(reader);
    char first[40], last[40];
    name_time(first, contents->first_ns);
    name_time(last, contents->last_ns);
    say("%s: %.1f MB", pov_mcap_reader_input(reader)->name,
        1e-6 * (double)pov_mcap_reader_input(reader)->size);
    if (contents->messages)
        say(", %s to %s (%.1f s)", first, last,
            1e-9 * ((double)contents->last_ns - (double)contents->first_ns));
    say("\n");
    for (int i = 0; i < SESSION_KEYS; i++) {
        const char *value;
        POV_TRY(pov_mcap_reader_metadata(reader, &value, POV_RECORDING_SESSION, session_keys[i]));
        if (*value)
            say("%s%s %s", i ? ", " : "  ", session_keys[i], value);
        if (i == SESSION_KEYS - 1)
            say("\n");
    }
    for (int i = 0; i < contents->channel_len; i++)
        say("  %-20s %8" PRIu64 "  %s\n", contents->channels[i].topic, contents->channel_messages[i],
            schema_name(reader, &contents->channels[i]));
    if (all->images) {
        say("images: %" PRIu64 ", %.1f kB each, ", all->images,
            1e-3 * (double)all->image_bytes / (double)all->images);
        if (all->gaps)
            say("%" PRIu64 " missing in %" PRIu64 " gaps", all->lost_images, all->gaps);
        else
            say("none missing");
        if (all->longest_ns) {
            name_time(first, all->longest_at_ns);
            say("; longest time between two: %.3f s, after %s", 1e-9 * all->longest_ns, first);
        }
        say("\n");
    }
    for (int i = 0; i < contents->attachment_len; i++)
        say("%s%s (%" PRIu64 " bytes)", i ? ", " : "attached: ", contents->attachments[i].name,
            contents->attachments[i].size);
    if (contents->attachment_len)
        say("\n");
    return pov_ok();
}

static pov_status tell_all(pov_recording *recording, const info_options *options)
{
    pov_mcap_reader *reader = pov_recording_reader(recording);
    const pov_mcap_contents *contents = pov_mcap_reader_contents(reader);
    facts all;
    POV_TRY(look_at_all(&all, recording));
    POV_TRY(options->json ? print_json(recording, &all) : print_text(reader, &all));
    if (options->extract)
        POV_TRY(extract_all(reader, options->extract));
    if (!contents->is_indexed)
        pov_cli_warn("%s has no index, as its end is missing or damaged; 'pov replay --repair' adds it",
                     pov_mcap_reader_input(reader)->name);
    return pov_recording_damage(recording);
}

static int run(int argc, char **argv)
{
    info_options options = {0};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_info, argc, argv));
    pov_cli_catch_signals();
    pov_recording *recording;
    pov_status status = pov_recording_open(&recording, words.word[0]);
    POV_THEN(status, tell_all(recording, &options));
    pov_recording_close(&recording);
    return pov_cli_exit(status);
}
