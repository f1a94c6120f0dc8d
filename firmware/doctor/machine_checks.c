#include "firmware/doctor/checks.h"

#include "draw/cairo_loaded.h"
#include "firmware/keys/door.h"
#include "firmware/libcamera/libcamera_source.h"
#include "protocol/links/publisher.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static void check_processor(pov_checks *checks)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pov_check_add(checks, "processor", POV_CHECK_OK, "%ld core%s", cores, cores == 1 ? "" : "s");
}

static void check_memory(pov_checks *checks)
{
    const double total_gb = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;
    const bool little = total_gb < 0.9;
    pov_check_add(checks, "memory", little ? POV_CHECK_NOTE : POV_CHECK_OK, "%.1f GB%s", total_gb,
                  little ? "; a station at 1280 x 720 with a dashboard wants one" : "");
}

static void check_disk(pov_checks *checks)
{
    struct statvfs disk;
    if (statvfs(".", &disk) != 0)
        return;
    const double free_gb = (double)disk.f_bavail * (double)disk.f_frsize / 1e9;
    pov_check_add(checks, "disk", free_gb < 1 ? POV_CHECK_WRONG : POV_CHECK_OK, "%.1f GB free here%s",
                  free_gb, free_gb < 1 ? "; annotated images and sweeps need more: free some" : "");
}

/* Without any font cairo draws with one of its own, crudely. */
static bool has_fonts(void)
{
    if (pov_cairo_load().code != POV_OK)
        return false;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *drawing = cairo_create(surface);
    const bool has = cairo_scaled_font_get_type(cairo_get_scaled_font(drawing)) == CAIRO_FONT_TYPE_FT;
    cairo_destroy(drawing);
    cairo_surface_destroy(surface);
    return has;
}

static void check_fonts(pov_checks *checks)
{
    if (has_fonts())
        pov_check_add(checks, "fonts", POV_CHECK_OK, "there are some for the text on printed tags");
    else
        pov_check_add(checks, "fonts", POV_CHECK_NOTE,
                      "none, so the text on printed tags is crude: sudo apt-get install fonts-dejavu-core");
}

/* The libraries that run networks. */
static void check_libraries(pov_checks *checks)
{
    for (int backend = POV_BACKEND_DEFAULT + 1; backend < POV_BACKEND_COUNT; backend++) {
        const pov_status status = pov_engine_find(backend);
        pov_check_add(checks, "networks", status.code == POV_OK ? POV_CHECK_OK : POV_CHECK_NOTE, "%s",
                      status.code == POV_OK ? pov_engine_library((pov_engine){.backend = backend})
                                            : status.message);
    }
}

static bool is_serial(const char *name)
{
    return strncmp(name, "ttyUSB", 6) == 0 || strncmp(name, "ttyACM", 6) == 0;
}

static void check_serial(pov_checks *checks)
{
    int len = 0, closed_to_us = 0;
    char first[300] = "";
    DIR *devices = opendir("/dev");
    for (const struct dirent *entry; devices && (entry = readdir(devices));) {
        char path[300];
        if (!is_serial(entry->d_name))
            continue;
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        const bool closed = access(path, R_OK | W_OK) != 0;
        if (len++ == 0 || (closed && closed_to_us == 0)) /* the first, or the first that is closed */
            memcpy(first, path, sizeof first);
        closed_to_us += closed;
    }
    if (devices)
        closedir(devices);
    if (len == 0)
        pov_check_add(
            checks, "serial", POV_CHECK_NOTE,
            "no /dev/ttyUSB* or ttyACM*: no motor's controller is plugged in (a table may be turned by "
            "hand)");
    else if (closed_to_us > 0)
        pov_check_add(checks, "serial", POV_CHECK_NOTE,
                      "%s may not be opened by this user; join the group 'dialout' (sudo usermod -aG dialout "
                      "$USER, then log in again)",
                      first);
    else
        pov_check_add(checks, "serial", POV_CHECK_OK, "%d line%s: %s%s", len, len == 1 ? "" : "s", first,
                      len == 1 ? "" : ", ...");
}

void pov_check_machine(pov_checks *checks)
{
    check_processor(checks);
    check_memory(checks);
    check_disk(checks);
    check_fonts(checks);
    check_libraries(checks);
    check_serial(checks);
}

/* Advises a source for the cameras of this machine. */
static void check_cameras(pov_checks *checks, bool needs_libcamera)
{
    static pov_libcamera_list list;
    const pov_check_outcome without = needs_libcamera ? POV_CHECK_WRONG : POV_CHECK_NOTE;
    const pov_status status = pov_libcamera_source_list(&list);
    const int by_libcamera = list.len;
    const pov_status other = pov_gstreamer_list_cameras(&list);
    if (by_libcamera > 0)
        pov_check_add(checks, "cameras", POV_CHECK_OK,
                      "%d found by libcamera, %d by GStreamer; 'pov cameras' lists them; take source: "
                      "libcamera, which knows exposure times",
                      by_libcamera, list.len);
    else if (list.len > 0)
        pov_check_add(checks, "cameras", needs_libcamera ? POV_CHECK_WRONG : POV_CHECK_OK,
                      "%d found by GStreamer, none by libcamera; 'pov cameras' lists them; take 'camera: "
                      "{source: v4l2, device: %.100s}'",
                      list.len, list.cameras[0].id);
    else if (pov_gstreamer_has("nvarguscamerasrc"))
        pov_check_add(checks, "cameras", without,
                      "a Jetson's cameras come through GStreamer: take 'camera: {source: gstreamer, "
                      "pipeline: \"nvarguscamerasrc ! nvvidconv\"}'");
    else
        pov_check_add(checks, "cameras", without, "%s",
                      status.code != POV_OK  ? status.message
                      : other.code != POV_OK ? other.message
                                             : pov_libcamera_source_explain_none().message);
}

/* publish: of a station; NULL: the default endpoint. */
static void check_endpoint(pov_checks *checks, const pov_station_publishing *publish, bool needed)
{
    pov_publisher *publisher = NULL;
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    pov_door_config door_config = {.keys = ""};
    if (publish) {
        config.endpoint = publish->endpoint;
        door_config.keys = publish->keys;
        door_config.insecure = publish->insecure;
    }
    door_config.endpoint = config.endpoint;
    pov_door door;
    pov_status status = pov_door_choose(&door, &door_config);
    config.keys = door.keys[0] ? door.keys : NULL;
    POV_THEN(status, pov_publisher_new(&publisher, &config));
    if (status.code == POV_OK) {
        const char *news = pov_publisher_news(publisher);
        pov_check_add(checks, "endpoint", POV_CHECK_OK, "%s can be bound, for %s", config.endpoint, door.who);
        if (news)
            pov_check_add(checks, "keys", POV_CHECK_WRONG, "skipped keys of peers: %s", news);
        pov_publisher_destroy(&publisher);
    } else {
        pov_check_add(checks, "endpoint", needed ? POV_CHECK_WRONG : POV_CHECK_NOTE, "%s", status.message);
    }
}

void pov_check_devices(pov_checks *checks, const pov_station *station)
{
    check_cameras(checks, station && station->source.kind == POV_SOURCE_LIBCAMERA);
    check_endpoint(checks, station ? &station->publish : NULL, station != NULL);
}
