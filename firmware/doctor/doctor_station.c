#include "config/models/model_file.h"
#include "config/yaml/yaml_file.h"
#include "firmware/clock.h"
#include "firmware/doctor/doctor.h"
#include "firmware/run/pose_warnings.h"
#include "firmware/sources/folder_source.h"
#include "firmware/turntable/turntable.h"
#include "firmware/vlm/vlm_open.h"
#include "perception/models/detector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALIBRATION_OLD_DAYS = 180, LISTEN_MS = 3000, LOOKED_AT_MAX = 8 };

static const int64_t day_ns = (int64_t)86400 * 1000000000;

/* The day in the part of the file that tells where its numbers come from; false if it tells none. */
static bool read_date(char date[11], const char *path)
{
    pov_yaml_file *file;
    const char *text = "";
    if (pov_yaml_open(&file, path).code != POV_OK)
        return false;
    pov_yaml_string(&text, pov_yaml_get(pov_yaml_get(pov_yaml_root(file), "calibration"), "date"));
    snprintf(date, 11, "%s", text);
    pov_yaml_close(&file);
    return strlen(date) == 10;
}

static void check_calibration(pov_checks *checks, const pov_station *station)
{
    char date[11];
    struct tm day = {.tm_isdst = -1};
    if (!*station->calibration.path) {
        pov_check_add(
            checks, "calibration", POV_CHECK_NOTE,
            "none, but a guess from a field of view: places are rough; 'pov calib camera' measures");
        return;
    }
    if (!read_date(date, station->calibration.path) || !strptime(date, "%Y-%m-%d", &day)) {
        pov_check_add(checks, "calibration", POV_CHECK_OK, "%.300s, which tells no date",
                      station->calibration.path);
        return;
    }
    const int64_t days = (pov_clock_unix_ns() - (int64_t)timegm(&day) * 1000000000) / day_ns;
    const bool old = days > CALIBRATION_OLD_DAYS;
    pov_check_add(checks, "calibration", old ? POV_CHECK_NOTE : POV_CHECK_OK, "%.300s, of %s%s",
                  station->calibration.path, date,
                  old ? ": months old; has anybody touched lens or focus? 'pov calib camera' measures anew"
                      : "");
}

static void check_images(pov_checks *checks, const pov_station_source *source)
{
    if (source->kind != POV_SOURCE_FOLDER)
        return;
    if (!*source->folder) {
        pov_check_add(checks, "images", POV_CHECK_NOTE,
                      "the station names none; run it with --images DIR or --camera ID");
        return;
    }
    pov_image_source *images;
    const pov_folder_source_config config = {.path = source->folder};
    const pov_status status = pov_folder_source_new(&images, &config);
    if (status.code == POV_OK)
        pov_check_add(checks, "images", POV_CHECK_OK, "%lld in %.300s",
                      (long long)pov_image_source_statistics_of(images).expected, source->folder);
    else
        pov_check_add(checks, "images", POV_CHECK_WRONG, "%s", status.message);
    pov_image_source_destroy(&images);
}

static bool is_of_camera(const pov_image *image, const pov_camera *camera)
{
    return image->width_px == camera->width_px && image->height_px == camera->height_px;
}

/* A map that says it is exact, held against the first images of a folder. */
static pov_status look_at_tags(pov_map_doubt *doubt, const pov_station *station)
{
    const pov_folder_source_config config = {.path = station->source.folder};
    pov_image_source *images;
    pov_tag_detector *detector = NULL;
    pov_tags *tags = malloc(sizeof *tags);
    POV_REQUIRE(tags);
    pov_status status = pov_folder_source_new(&images, &config);
    if (status.code == POV_OK)
        status = pov_tag_detector_new(&detector, &station->finders.tags.detector);
    for (int i = 0; i < LOOKED_AT_MAX && status.code == POV_OK && doubt->looks < POV_MAP_DOUBT_LOOKS; i++) {
        pov_image image;
        const pov_code next = pov_image_source_next(images, &image, 0).code;
        if (next == POV_END)
            break;
        if (next != POV_OK || !is_of_camera(&image, &station->camera))
            continue;
        status = pov_tag_detector_run(detector, tags, &image);
        if (status.code == POV_OK)
            pov_map_doubt_look(doubt, &station->camera, tags, &station->finders.tags.map);
    }
    pov_tag_detector_destroy(&detector);
    pov_image_source_destroy(&images);
    free(tags);
    return status;
}

static void check_tag_map(pov_checks *checks, const pov_station *station)
{
    char text[POV_MESSAGE_CAPACITY];
    pov_map_doubt doubt = {0};
    if (station->finders.tags.map.len == 0 || !*station->calibration.path ||
        station->source.kind != POV_SOURCE_FOLDER || !*station->source.folder ||
        look_at_tags(&doubt, station).code != POV_OK)
        return;
    if (pov_map_doubt_text(text, &doubt))
        pov_check_add(checks, "tag map", POV_CHECK_NOTE, "%s", text);
    else if (doubt.fits > 0)
        pov_check_add(checks, "tag map", POV_CHECK_OK,
                      "%d tags; it says it is exact, and %d of %d images fit it",
                      station->finders.tags.map.len, doubt.fits, doubt.fits + doubt.looks);
}

static void check_turntable(pov_checks *checks, const pov_station_turntable *where)
{
    pov_serial_line *line = NULL;
    pov_turntable *table = NULL;
    pov_turntable_status found;
    if (!where->device[0])
        return;
    pov_status status = pov_serial_line_new_device(&line, where->device, where->baud);
    if (status.code == POV_OK)
        status = pov_turntable_new(&table, line, &where->config);
    if (status.code == POV_OK)
        status = pov_turntable_ask(table, &found);
    if (status.code == POV_OK)
        pov_check_add(checks, "turntable", found.ready ? POV_CHECK_OK : POV_CHECK_NOTE,
                      "GRBL %.31s at %.200s, %s. %.120s", found.version, where->device,
                      pov_grbl_state_name(found.state), found.advice);
    else
        pov_check_add(checks, "turntable", POV_CHECK_WRONG, "%s", status.message);
    pov_turntable_destroy(&table);
    pov_serial_line_destroy(&line);
}

/* Is it what its contract says, and how long does it take to look at an image? */
static void check_model(pov_checks *checks, const char *contract)
{
    pov_detector *detector;
    pov_status status = pov_model_open(&detector, contract);
    const int64_t start_ns = pov_clock_monotonic_ns();
    if (status.code == POV_OK)
        status = pov_detector_check_golden(detector, &pov_detector_contract(detector)->golden);
    const double took_ms = (double)(pov_clock_monotonic_ns() - start_ns) * 1e-6;
    if (status.code == POV_OK)
        pov_check_add(checks, "model", POV_CHECK_OK, "%.250s: as its contract says, %.1f ms a look", contract,
                      took_ms);
    else
        pov_check_add(checks, "model", POV_CHECK_WRONG, "%s", status.message);
    pov_detector_destroy(&detector);
}

static void check_networks(pov_checks *checks, const pov_network_settings *networks)
{
    for (int i = 0; i < networks->len; i++) {
        check_model(checks, networks->networks[i].detector);
        if (*networks->networks[i].heading)
            check_model(checks, networks->networks[i].heading);
    }
}

/* How long OpenCV's HOG looks for people; what is in the image hardly matters. */
static pov_status time_hog(double *took_s, pov_person_detector *detector, int width_px, int height_px)
{
    pov_people people;
    uint8_t *pixels = malloc((size_t)width_px * (size_t)height_px * 3);
    POV_REQUIRE(pixels);
    const pov_image image = {
        .pixels = pixels, .width_px = width_px, .height_px = height_px, .stride_bytes = 3 * width_px};
    pov_golden_image_fill(pixels, width_px, height_px, 1);
    const int64_t start_ns = pov_clock_monotonic_ns();
    const pov_status status = pov_person_detector_run(detector, &people, &image, NULL, 0);
    *took_s = (double)(pov_clock_monotonic_ns() - start_ns) * 1e-9;
    free(pixels);
    return status;
}

static void check_people(pov_checks *checks, const pov_station *station)
{
    const int width_px = station->camera.width_px > 0 ? station->camera.width_px : 1280;
    const int height_px = station->camera.height_px > 0 ? station->camera.height_px : 720;
    const bool by_network = *station->finders.networks.people.network_class != '\0';
    double took_s = 0;
    pov_person_detector *detector = NULL;
    if (!station->finders.networks.wants_people)
        return;
    pov_status status =
        pov_person_detector_new(&detector, &station->finders.networks.people, width_px, height_px);
    if (status.code == POV_OK && !by_network)
        status = time_hog(&took_s, detector, width_px, height_px);
    pov_person_detector_destroy(&detector);
    if (status.code != POV_OK)
        pov_check_add(checks, "people", POV_CHECK_WRONG, "%s", status.message);
    else if (by_network)
        pov_check_add(checks, "people", POV_CHECK_OK, "by the models' class '%s'%s",
                      station->finders.networks.people.network_class,
                      station->finders.networks.people.without_faces ? ", without faces and headings"
                                                                     : ", faces by cascades");
    else
        pov_check_add(checks, "people", POV_CHECK_NOTE,
                      "by OpenCV's HOG, %.2f s an image of %d x %d. " POV_PEOPLE_ADVICE, took_s, width_px,
                      height_px);
}

static bool has_proxy(void)
{
    return getenv("http_proxy") || getenv("https_proxy") || getenv("all_proxy") || getenv("ALL_PROXY");
}

static void check_vlm(pov_checks *checks, const char *path)
{
    pov_vlm_config *config = malloc(sizeof *config);
    pov_vlm_warnings *warnings = malloc(sizeof *warnings);
    POV_REQUIRE(config && warnings);
    pov_status keys = pov_vlm_open_of_station(config, path);
    if (keys.code == POV_OK)
        keys = pov_vlm_config_load_keys(config, warnings);
    if (keys.code != POV_OK)
        pov_check_add(checks, "vlm", POV_CHECK_WRONG, "%s", keys.message);
    for (int i = 0; i < config->client.endpoint_len; i++) {
        const char *url = config->client.endpoints[i].url;
        if (has_proxy() && !pov_vlm_url_is_own(url))
            continue;
        const pov_status status = pov_check_listens(url, LISTEN_MS);
        if (status.code == POV_OK)
            pov_check_add(checks, "vlm", POV_CHECK_OK, "%.200s: somebody listens; 'pov vlm check' asks it",
                          url);
        else
            pov_check_add(checks, "vlm", POV_CHECK_WRONG, "%s", status.message);
    }
    free(config);
    free(warnings);
}

bool pov_check_station(pov_checks *checks, pov_station *station, const char *path)
{
    const pov_status status = pov_station_read(station, path);
    if (status.code != POV_OK) {
        pov_check_add(checks, "station", POV_CHECK_WRONG, "%s", status.message);
        return false;
    }
    pov_check_add(checks, "station", POV_CHECK_OK, "%.300s is good", path);
    check_calibration(checks, station);
    check_images(checks, &station->source);
    check_tag_map(checks, station);
    check_turntable(checks, &station->turntable);
    check_networks(checks, &station->finders.networks);
    check_people(checks, station);
    check_vlm(checks, path);
    return true;
}
