#include "firmware/sources/folder_source.h"

#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/gstreamer/gstreamer_source.h"
#include "firmware/picture/image_file.h"
#include "firmware/sources/recording_source.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const int64_t NS_PER_S = 1000000000;

typedef struct {
    char *path;
    bool is_folder;
    struct dirent **entries; /* of a folder */
    int count;               /* of images */
    double rate_hz;
    bool loop, live;

    pov_image_file *decoder;
    int next; /* file of this round */
    int delivered_in_round;
    uint32_t sequence;
    bool started;
    pov_shared_start *start;    /* of several cameras; NULL: its own */
    int64_t start_ns;           /* CLOCK_REALTIME of sequence 0 */
    int64_t start_monotonic_ns; /* the same moment on the monotonic clock */
    pov_image_source_statistics statistics;
} image_folder;

/* ---- the list ---- */

static const char *skip_zeros(const char *digits)
{
    while (*digits == '0' && isdigit((unsigned char)digits[1]))
        digits++;
    return digits;
}

/* Compares the numbers that both begin with, however long, and moves on to what follows them. */
static int compare_numbers(const char **a, const char **b)
{
    *a = skip_zeros(*a);
    *b = skip_zeros(*b);
    size_t a_length = strspn(*a, "0123456789"), b_length = strspn(*b, "0123456789");
    int order =
        a_length != b_length ? (a_length > b_length) - (a_length < b_length) : strncmp(*a, *b, a_length);
    *a += a_length;
    *b += b_length;
    return order;
}

/* Numbers within names by value, all else by byte; names that differ only in leading zeros by byte too. */
static int compare_names(const char *first, const char *second)
{
    const char *a = first, *b = second;
    while (*a && *b) {
        int order = (unsigned char)*a - (unsigned char)*b;
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b))
            order = compare_numbers(&a, &b);
        else
            a++, b++;
        if (order != 0)
            return order;
    }
    return *a || *b ? (*a != '\0') - (*b != '\0') : strcmp(first, second);
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return compare_names((*a)->d_name, (*b)->d_name);
}

/* By extension only: a file that claims to be an image and is none is reported, not passed over. */
static int is_image(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || entry->d_name[0] == '.')
        return false;
    return strcasecmp(dot, ".png") == 0 || strcasecmp(dot, ".jpg") == 0 || strcasecmp(dot, ".jpeg") == 0;
}

/* Other formats of images, which are not read. */
static int is_other_image(const struct dirent *entry)
{
    static const char *const endings[] = {".webp", ".bmp", ".tif", ".tiff", ".gif", ".heic", ".heif", ".avif",
                                          ".jp2",  ".ppm", ".pgm", ".pnm",  ".dng", ".jxl",  ".raw",  ".exr"};
    const char *dot = strrchr(entry->d_name, '.');
    bool is_one = false;
    for (size_t i = 0; dot && entry->d_name[0] != '.' && i < sizeof endings / sizeof *endings; i++)
        is_one |= strcasecmp(dot, endings[i]) == 0;
    return is_one;
}

static void warn_of_other_images(const image_folder *folder)
{
    struct dirent **others = NULL;
    const int len = scandir(folder->path, &others, is_other_image, compare_entries);
    if (len > 0)
        pov_cli_warn("%s: %d image%s left out, which %s neither PNG nor JPEG (%s%s): convert them",
                     folder->path, len, len == 1 ? " is" : "s are", len == 1 ? "is" : "are",
                     others[0]->d_name, len > 1 ? ", ..." : "");
    for (int i = 0; i < len; i++)
        free(others[i]);
    free(others);
}

static pov_status list_images(image_folder *folder, bool is_known)
{
    struct stat stat_buffer;
    int failed = stat(folder->path, &stat_buffer);
    if (failed && errno == ENOENT)
        return pov_error("%s: no such folder or file; name a folder of PNG or JPEG images, or one image",
                         folder->path);
    if (failed)
        return pov_error("%s: cannot be read: %s", folder->path, strerror(errno));
    if (!S_ISDIR(stat_buffer.st_mode) && !S_ISREG(stat_buffer.st_mode))
        return pov_error("%s: is a device or pipe; name a folder of PNG or JPEG images, or one image",
                         folder->path);
    folder->is_folder = S_ISDIR(stat_buffer.st_mode);
    folder->count =
        folder->is_folder ? scandir(folder->path, &folder->entries, is_image, compare_entries) : 1;
    if (folder->count < 0) {
        folder->count = 0;
        return pov_error("%s: cannot be read: %s", folder->path, strerror(errno));
    }
    if (folder->is_folder && !is_known)
        warn_of_other_images(folder);
    if (folder->count == 0)
        return pov_error("%s: holds no image; expected files that end in .png, .jpg or .jpeg", folder->path);
    return pov_ok();
}

/* ---- the source ---- */

static int64_t offset_ns(const image_folder *folder, uint32_t sequence)
{
    return llround((double)sequence * (double)NS_PER_S / folder->rate_hz);
}

static void skip_missed(image_folder *folder)
{
    const int64_t elapsed_ns = pov_clock_monotonic_ns() - folder->start_monotonic_ns;
    while (folder->next + 1 < folder->count && offset_ns(folder, folder->sequence + 1) <= elapsed_ns) {
        folder->next++;
        folder->sequence++;
        folder->statistics.lost++;
    }
}

/* Sleeps until the next image is due or the time is up; a signal ends the sleep. True if it is due. */
static bool wait_until_due(const image_folder *folder, int timeout_ms)
{
    int64_t due_ns = folder->start_monotonic_ns + offset_ns(folder, folder->sequence);
    int64_t limit_ns = pov_clock_monotonic_ns() + (int64_t)timeout_ms * 1000000;
    int64_t until_ns = due_ns < limit_ns ? due_ns : limit_ns;
    struct timespec until = {.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    return pov_clock_monotonic_ns() >= due_ns;
}

static void start_clock(image_folder *folder)
{
    if (folder->started)
        return;
    folder->started = true;
    pov_shared_start_take(folder->start, &folder->start_monotonic_ns, &folder->start_ns);
}

/* POV_OK if there is a file to read. */
static pov_status begin_round(image_folder *folder)
{
    if (folder->next < folder->count)
        return pov_ok();
    if (!folder->loop)
        return pov_status_of(POV_END);
    if (folder->delivered_in_round == 0)
        return pov_error("%s: none of its %d images can be used", folder->path, folder->count);
    folder->next = 0;
    folder->delivered_in_round = 0;
    return pov_ok();
}

static pov_status read_file(image_folder *folder, pov_image *image, int index)
{
    char path[4096];
    int length = folder->is_folder
                     ? snprintf(path, sizeof path, "%s/%s", folder->path, folder->entries[index]->d_name)
                     : snprintf(path, sizeof path, "%s", folder->path);
    if (length >= (int)sizeof path)
        return pov_error("%.100s...: the path is too long", folder->path);
    return pov_image_file_read(folder->decoder, image, path);
}

static pov_status folder_next(void *impl, pov_image *image, int timeout_ms)
{
    image_folder *folder = impl;
    start_clock(folder);
    POV_TRY(begin_round(folder));
    if (folder->live)
        skip_missed(folder);
    if (folder->rate_hz > 0 && !wait_until_due(folder, timeout_ms))
        return pov_status_of(POV_TIMEOUT);
    int64_t capture_ns =
        folder->rate_hz > 0 ? folder->start_ns + offset_ns(folder, folder->sequence) : pov_clock_unix_ns();
    uint32_t sequence = folder->sequence++;
    pov_status status = read_file(folder, image, folder->next++);
    if (status.code != POV_OK) {
        folder->statistics.skipped++;
        pov_cli_note_damage(status.message);
        status.code = POV_SKIPPED;
        return status;
    }
    image->mid_exposure_ns = capture_ns;
    image->sequence = sequence;
    folder->statistics.delivered++;
    folder->delivered_in_round++;
    return status;
}

static pov_image_source_statistics folder_statistics(const void *impl)
{
    const image_folder *folder = impl;
    return folder->statistics;
}

static void folder_destroy(void *impl)
{
    image_folder *folder = impl;
    for (int i = 0; folder->entries && i < folder->count; i++)
        free(folder->entries[i]);
    free(folder->entries);
    free(folder->path);
    pov_image_file_destroy(&folder->decoder);
    free(folder);
}

static bool folder_exchange(void *impl, uint8_t **pixels, size_t *capacity)
{
    pov_image_file_exchange(((image_folder *)impl)->decoder, pixels, capacity);
    return true;
}

static const pov_image_source_backend folder_backend = {.name = "folder",
                                                        .next = folder_next,
                                                        .statistics = folder_statistics,
                                                        .destroy = folder_destroy,
                                                        .exchange = folder_exchange};

static pov_status open_folder(image_folder *folder, const pov_folder_source_config *config)
{
    if (!(config->rate_hz >= 0 && config->rate_hz <= 1e6))
        return pov_error("%s: rate_hz is %g; give 0 (as fast as possible) or more", config->path,
                         config->rate_hz);
    folder->path = strdup(config->path);
    if (!folder->path)
        return pov_error("%s: out of memory", config->path);
    folder->rate_hz = config->rate_hz;
    folder->loop = config->loop;
    folder->start = config->start;
    folder->live = config->live && config->rate_hz > 0;
    POV_TRY(list_images(folder, config->is_known));
    folder->statistics.expected = config->loop ? -1 : folder->count;
    return pov_image_file_new(&folder->decoder);
}

static pov_status open_film(pov_image_source **source, const char *path)
{
    pov_gstreamer_source_config film = {.kind = POV_GSTREAMER_FILM};
    if (snprintf(film.text, sizeof film.text, "%s", path) >= (int)sizeof film.text)
        return pov_error("%.100s...: the path is too long", path);
    return pov_gstreamer_source_open(source, &film);
}

pov_status pov_folder_source_new(pov_image_source **source, const pov_folder_source_config *config)
{
    *source = NULL;
    const bool is_recording = pov_recording_is_one(config->path),
               is_film = !is_recording && pov_film_is_one(config->path);
    if ((is_recording || is_film) && (config->rate_hz > 0 || config->loop))
        return pov_error("%s: a %s has its own times, and ends: leave out the rate and the loop%s",
                         config->path, is_film ? "film" : "recording",
                         is_film ? "" : " ('pov replay' has --rate and --loop)");
    if (is_film)
        return open_film(source, config->path);
    if (is_recording)
        return pov_recording_source_new(source, config->path, config->camera ? config->camera : "");
    image_folder *impl = calloc(1, sizeof *impl);
    if (!impl)
        return pov_error("%s: out of memory", config->path);
    pov_status status = open_folder(impl, config);
    if (status.code != POV_OK) {
        folder_destroy(impl);
        return status;
    }
    return pov_image_source_new(source, &folder_backend, impl);
}

pov_status pov_folder_source_visit(const char *path,
                                   pov_status (*visit)(void *context, const pov_image *image), void *context)
{
    pov_image_source *source;
    const pov_folder_source_config config = {.path = path};
    POV_TRY(pov_folder_source_new(&source, &config));
    pov_status status = pov_ok();
    while (status.code == POV_OK && !pov_cli_stop_requested()) {
        pov_image image;
        status = pov_image_source_next(source, &image, 0);
        if (status.code == POV_OK)
            status = visit(context, &image);
        else if (status.code == POV_SKIPPED) {
            pov_cli_warn("%s", status.message);
            status = pov_ok();
        }
    }
    pov_image_source_destroy(&source);
    return status.code == POV_END ? pov_ok() : status;
}
