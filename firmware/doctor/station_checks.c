#include "firmware/doctor/checks.h"

#include "config/yaml/yaml_file.h"
#include "firmware/clock.h"
#include "firmware/doctor/station_look.h"
#include "firmware/model/model_trial.h"
#include "firmware/ros2/ros2_look.h"
#include "firmware/run/observation_warnings.h"
#include "firmware/run/pace.h"
#include "firmware/run/station_runner.h"
#include "firmware/sources/folder_source.h"
#include "firmware/sources/remote_view.h"
#include "firmware/station/station_doubts.h"
#include "firmware/turntable/serial_device.h"
#include "firmware/vlm/vlm_open.h"
#include "perception/models/detector.h"
#include "protocol/turntable/turntable.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- servers ---- */

typedef struct {
    char host[256], port[8];
} place;

/* "https://host:port/..., http://[::1]/..." */
static bool parse_place(place *where, const char *url)
{
    const bool secure = strncmp(url, "https://", 8) == 0;
    const char *rest = strstr(url, "://");
    snprintf(where->port, sizeof where->port, "%s", secure ? "443" : "80");
    if (!rest)
        return false;
    rest += 3;
    const bool bracketed = *rest == '[';
    rest += bracketed;
    const size_t host_len = strcspn(rest, bracketed ? "]" : ":/");
    if (host_len == 0 || host_len >= sizeof where->host)
        return false;
    memcpy(where->host, rest, host_len);
    where->host[host_len] = '\0';
    rest += host_len + (bracketed && rest[host_len] == ']');
    return *rest != ':' || sscanf(rest, ":%7[0-9]", where->port) == 1;
}

/* 0, or an errno. */
static int try_address(const struct addrinfo *address, int timeout_ms)
{
    const int line = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (line < 0)
        return errno;
    int error = connect(line, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        struct pollfd ready = {.fd = line, .events = POLLOUT};
        socklen_t size = sizeof error;
        if (poll(&ready, 1, timeout_ms) <= 0)
            error = ETIMEDOUT;
        else
            getsockopt(line, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    close(line);
    return error;
}

/* Checks that a server listens at a URL's host and port. Errors say why not. */
static pov_status check_listens(const char *url, int timeout_ms)
{
    place where;
    if (!parse_place(&where, url))
        return pov_error("%s is not a URL", url);
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses;
    const int unknown = getaddrinfo(where.host, where.port, &wanted, &addresses);
    if (unknown)
        return pov_error("%s: no such host as '%s' (%s); check the URL, the network, the name server", url,
                         where.host, gai_strerror(unknown));
    int error = ETIMEDOUT;
    for (const struct addrinfo *each = addresses; each && error; each = each->ai_next)
        error = try_address(each, timeout_ms);
    freeaddrinfo(addresses);
    return error ? pov_error("%s: no server listens there (%s); start the model's server, or correct the URL",
                             url, strerror(error))
                 : pov_ok();
}

/* ---- the station ---- */

enum { CALIBRATION_OLD_DAYS = 180, LISTEN_MS = 3000, LOOKED_AT_MAX = 10 };

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
                  old ? ": months old; has anybody touched lens or focus? 'pov calib camera' measures again"
                      : "");
}

/* A stream through GStreamer must deliver an image. */
static void check_stream(pov_checks *checks, const pov_station_source *source)
{
    pov_image_source *images = NULL;
    pov_image image = {.width_px = 0};
    pov_status status = pov_station_open_source(&images, source);
    POV_THEN(status, pov_image_source_next(images, &image, 10000));
    if (status.code == POV_OK)
        pov_check_add(checks, "images", POV_CHECK_OK, "%.200s: %d x %d", image.name, image.width_px,
                      image.height_px);
    else
        pov_check_add(checks, "images", POV_CHECK_WRONG, "%s",
                      *status.message ? status.message : "no image came within 10 s");
    pov_image_source_destroy(&images);
}

static void check_images(pov_checks *checks, const pov_station_source *source)
{
    if (source->kind >= POV_SOURCE_GSTREAMER) {
        check_stream(checks, source);
        return;
    }
    if (source->kind != POV_SOURCE_FOLDER)
        return;
    if (!*source->folder) {
        pov_check_add(checks, "images", POV_CHECK_NOTE,
                      "the station names none; run it with --images DIR or --camera ID");
        return;
    }
    pov_image_source *images;
    const pov_folder_source_config config = {.path = source->folder, .camera = checks->camera};
    const pov_status status = pov_folder_source_new(&images, &config);
    if (status.code == POV_OK)
        pov_check_add(checks, "images", POV_CHECK_OK, "%lld in %.300s",
                      (long long)pov_image_source_statistics_of(images).expected, source->folder);
    else
        pov_check_add(checks, "images", POV_CHECK_WRONG, "%s", status.message);
    pov_image_source_destroy(&images);
}

/* The map against the images: whether its tags are there, fit one another, and are as exact as it says. */
static void check_tag_map(pov_checks *checks, const pov_station_look *look, int mapped_len)
{
    char text[POV_MESSAGE_CAPACITY];
    if (look->tagged == 0 && pov_tag_diagnosis_text(text, &look->diagnosis, mapped_len))
        pov_check_add(checks, mapped_len > 0 ? "tag map" : "tags", POV_CHECK_WRONG, "%s", text);
    else if (mapped_len == 0)
        return;
    else if (look->tagged == 0)
        pov_check_add(
            checks, "tag map", POV_CHECK_NOTE,
            "none of its %d tags is in the first %d image%s: let one be in view whole, with its white "
            "border, 25 px large or more",
            mapped_len, look->images, look->images == 1 ? "" : "s");
    else if (pov_map_mistake_text(text, look->mistake))
        pov_check_add(checks, "tag map", POV_CHECK_WRONG, "%s", text);
    else if (pov_map_doubt_text(text, &look->doubt))
        pov_check_add(checks, "tag map", POV_CHECK_NOTE, "%s", text);
    else if (look->doubt.fits > 0)
        pov_check_add(checks, "tag map", POV_CHECK_OK,
                      "%d tags; it says it is exact, and %d of %d images fit it", mapped_len,
                      look->doubt.fits, look->doubt.fits + look->doubt.looks);
    else
        pov_check_add(checks, "tag map", POV_CHECK_OK, "%d tags; %d of %d images show some of them",
                      mapped_len, look->tagged, look->images);
}

/* "; a disc of its colour, 34 px in radius, is there, but ..." */
static void describe_disc(char text[200], const pov_station *station, const pov_station_look *look,
                          int member)
{
    const pov_cast_member *ball = &station->cast.members[member];
    const double given_m =
        station->finders.balls.kinds[ball->found_by == &pov_found_by_ball ? ball->kind : 0].radius_m;
    const double px = look->disc_px[member], fits_m = look->disc_radius_m[member];
    text[0] = '\0';
    const bool has_size = fabs(fits_m / given_m - 1) < 0.1; /* not the size keeps it from being found */
    if (px > 0 && (isnan(fits_m) || has_size))
        snprintf(text, 200, "; a disc of its colour, %.0f px in radius, is there, but %s", px,
                 has_size ? "it is not taken for the ball: is it shaded like one?"
                          : "does not fit its radius and height");
    else if (px > 0)
        snprintf(
            text, 200,
            "; a disc of its colour, %.0f px in radius, is there, but a radius of %.3g m does not fit there: "
            "on the table it would be %.2g m",
            px, given_m, fits_m);
}

/* Each thing that is looked for, and in how many images it is found: first those that are in none. */
static void check_cast(pov_checks *checks, const pov_station *station, const pov_station_look *look)
{
    char found[POV_MESSAGE_CAPACITY] = "", disc[200];
    int len = 0;
    for (int i = 0; i < station->cast.len; i++) {
        const pov_cast_member *member = &station->cast.members[i];
        if (!member->found_by)
            continue;
        if (strlen(found) + 2 * POV_NAME_CAPACITY > sizeof found) { /* another line */
            pov_check_add(checks, "cast", POV_CHECK_OK, "%s", found);
            found[0] = '\0';
            len = 0;
        }
        if (look->found[i] > 0) {
            const size_t length = strlen(found);
            snprintf(found + length, sizeof found - length, "%s%s: %d of %d", len++ ? ", " : "",
                     member->entity.name, (int)look->found[i], look->images);
            continue;
        }
        describe_disc(disc, station, look, i);
        pov_check_add(checks, "cast", POV_CHECK_NOTE, "%s: in none of %d image%s%s", member->entity.name,
                      look->images, look->images == 1 ? "" : "s", disc);
    }
    if (len > 0)
        pov_check_add(checks, "cast", POV_CHECK_OK, "%s", found);
}

/* A pose that the file gives, as 'pov calib cameras' writes it. */
static void check_given_pose(pov_checks *checks, const pov_station *station, const pov_station_look *look)
{
    const pov_pose *given = &station->place.T_table_camera;
    const pov_pose_offset *off = &look->given;
    if (!station->place.is_given || !off->is_known)
        return;
    pov_check_add(
        checks, "pose", off->exceeds_stated ? POV_CHECK_WRONG : POV_CHECK_OK,
        "the tags put the camera %.1f mm and %.2f deg from its given pose, which states %.1f mm and "
        "%.2f deg%s",
        1e3 * off->position_m, pov_degrees(off->rotation_rad), 1e3 * sqrt(given->cov[3][3]),
        pov_degrees(sqrt(given->cov[0][0])),
        off->exceeds_stated ? ": more than both state of themselves. It, or tags, moved: 'pov calib "
                              "cameras' measures it again; or state truer deviations"
                            : ": within what both state of themselves");
}

static void check_first_images(pov_checks *checks, const pov_station *station)
{
    pov_station_look *look = pov_allocate(1, sizeof *look);
    const pov_status status = pov_station_look_at(look, station, LOOKED_AT_MAX);
    if (status.code == POV_OK) {
        check_tag_map(checks, look, station->finders.tags.map.len);
        check_given_pose(checks, station, look);
        check_cast(checks, station, look);
    } else if (status.code == POV_ERROR)
        pov_check_add(checks, "cast", POV_CHECK_NOTE, "not looked for: %s", status.message);
    free(look);
}

/* Only of a station that uses it. */
static void check_ros2(pov_checks *checks, const pov_station *station)
{
    const pov_ros2_settings *settings = &station->ros2;
    int domain;
    if (!settings->is_wanted && station->source.kind != POV_SOURCE_ROS2 && !station->place.tf.is_wanted &&
        station->finders.heard.len == 0)
        return;
    pov_ros2_look *look = pov_allocate(1, sizeof *look);
    pov_status status = pov_ros2_settings_domain(&domain, settings);
    POV_THEN(status, pov_ros2_look_around(look, settings));
    if (status.code == POV_OK) {
        pov_check_add(checks, "ROS 2", POV_CHECK_OK, "domain %d, in three seconds: %.300s", domain,
                      look->nodes);
        pov_check_add(checks, "ROS 2", POV_CHECK_OK, "%s", look->topics);
        pov_check_add(checks, "ROS 2", POV_CHECK_OK, "%.390s", look->interfaces);
        for (int i = 0; i < look->mismatch_len; i++)
            pov_check_add(checks, "ROS 2", POV_CHECK_NOTE, "%s", look->mismatches[i]);
        if (look->mismatches_left_out > 0)
            pov_check_add(checks, "ROS 2", POV_CHECK_NOTE,
                          "%d other pairs of a reader and a publisher do not match",
                          look->mismatches_left_out);
    } else {
        pov_check_add(checks, "ROS 2", POV_CHECK_WRONG, "%s", status.message);
    }
    free(look);
}

/* Stamps of several machines are compared only as well as their clocks agree. */
static void check_clock(pov_checks *checks)
{
    const double error_s = pov_clock_error_s();
    if (isnan(error_s))
        pov_check_add(
            checks, "clock", POV_CHECK_NOTE,
            "nothing synchronises this machine's clock: stamps of a robot's other computers may be off; "
            "start chrony or ptp4l with phc2sys");
    else
        pov_check_add(checks, "clock", POV_CHECK_OK,
                      "synchronised; the kernel estimates its error at %.3f ms", 1e3 * error_s);
}

/* Examines the robot's transforms, where the camera's pose comes from them. */
static void check_transforms(pov_checks *checks, const pov_station *station)
{
    static const char name[] = "transforms";
    const char *frame = station->place.tf.frame;
    pov_told_look look;
    if (!station->place.tf.is_wanted)
        return;
    const pov_status status = pov_station_look_told(&look, station);
    if (status.code != POV_OK)
        pov_check_add(checks, name, POV_CHECK_WRONG, "%s", status.message);
    else if (look.told == 0)
        pov_check_add(checks, name, POV_CHECK_WRONG,
                      "'%s' is told of in none of %d images (%d frames are known): %.250s", frame,
                      look.images, look.frames, look.why);
    else
        pov_check_add(checks, name, look.told == look.images ? POV_CHECK_OK : POV_CHECK_NOTE,
                      "'%s' is told of in %d of %d images, last at (%.3f, %.3f, %.3f) m in the table's "
                      "frame; %d frames are "
                      "known%s%.150s",
                      frame, look.told, look.images, look.camera_m.x, look.camera_m.y, look.camera_m.z,
                      look.frames, *look.why ? ". Else: " : "", look.why);
    if (status.code == POV_OK && look.offset.is_known)
        pov_check_add(checks, name, look.offset.disagrees ? POV_CHECK_WRONG : POV_CHECK_OK,
                      "the tags put the camera %.1f mm and %.2f deg from there%s",
                      1e3 * look.offset.position_m, pov_degrees(look.offset.rotation_rad),
                      look.offset.disagrees
                          ? ", more than both state of themselves: calibrate the camera on the robot "
                            "(hand-eye) again, or correct ros2.root or the tag map"
                          : ", within what both state of themselves");
}

/* A driver of ROS 2 may tell it. False: it does not. */
static bool check_lens(pov_checks *checks, pov_station *station)
{
    if (!station->source.ros2.lacks_lens)
        return true;
    const pov_status status = pov_ros2_source_ask_lens(&station->camera, &station->source.ros2);
    station->source.ros2.lacks_lens = status.code != POV_OK;
    if (status.code == POV_OK)
        pov_check_add(checks, "lens", POV_CHECK_OK, "%.100s tells it, of images of %d x %d",
                      station->source.ros2.camera_info, station->camera.width_px, station->camera.height_px);
    else
        pov_check_add(checks, "lens", POV_CHECK_WRONG, "%s", status.message);
    return status.code == POV_OK;
}

static void add_doubt(void *checks, const char *text)
{
    pov_check_add(checks, "station", POV_CHECK_NOTE, "%s", text);
}

static void check_turntable(pov_checks *checks, const pov_station_turntable *where)
{
    pov_serial_line *line = NULL;
    pov_turntable *table = NULL;
    pov_turntable_status found;
    if (!where->device[0])
        return;
    pov_status status = pov_serial_line_new_device(&line, where->device, where->baud);
    POV_THEN(status, pov_turntable_new(&table, line, &where->config));
    POV_THEN(status, pov_turntable_ask(table, &found));
    if (status.code == POV_OK)
        pov_check_add(checks, "turntable", found.ready ? POV_CHECK_OK : POV_CHECK_NOTE,
                      "GRBL %.31s at %.200s, %s. %.120s", found.version, where->device,
                      pov_grbl_state_name(found.state), found.advice);
    else
        pov_check_add(checks, "turntable", POV_CHECK_WRONG, "%s", status.message);
    pov_turntable_destroy(&table);
    pov_serial_line_destroy(&line);
}

/* One look at an image, after the first, which is slower. */
static pov_status time_look(double *took_ms, pov_detector *detector)
{
    const int64_t start_ns = pov_clock_monotonic_ns();
    const pov_status status = pov_detector_check_golden(detector, &pov_detector_contract(detector)->golden);
    *took_ms = (double)(pov_clock_monotonic_ns() - start_ns) * 1e-6;
    return status;
}

/* "; by OpenCV 4.6.0: 12.1 ms": the library that it does not run on, if that is there and can run it. */
static void time_other_library(char *text, size_t capacity, const char *contract, pov_engine engine)
{
    const bool by_opencv = engine.backend == POV_BACKEND_OPENCV;
    const pov_engine other = {by_opencv ? POV_BACKEND_ONNXRUNTIME : POV_BACKEND_OPENCV, POV_PROVIDER_CPU};
    pov_detector *detector = NULL;
    double took_ms;
    *text = '\0';
    pov_status status = pov_engine_find(other.backend);
    POV_THEN(status, pov_model_open_tried(&detector, contract, other));
    POV_THEN(status, time_look(&took_ms, detector));
    if (status.code == POV_OK)
        snprintf(text, capacity, "; by %s: %.1f ms", pov_detector_engine(detector)->on, took_ms);
    else if (pov_engine_find(other.backend).code == POV_OK)
        snprintf(text, capacity, "; %s does not run it", pov_engine_library(other));
    pov_detector_destroy(&detector);
}

/* Is it what its contract says, and how long does each library take to look at an image? */
static void check_model(pov_checks *checks, const char *contract, pov_engine engine)
{
    pov_detector *detector;
    double took_ms;
    char other[100];
    pov_status status = pov_model_open_tried(&detector, contract, engine);
    POV_THEN(status, time_look(&took_ms, detector));
    if (status.code == POV_OK) {
        const pov_engine_report *report = pov_detector_engine(detector);
        time_other_library(other, sizeof other, contract, report->engine);
        pov_check_add(checks, "model", *report->instead_of ? POV_CHECK_NOTE : POV_CHECK_OK,
                      "%.250s: as its contract says, %.1f ms a look (%s)%s%s%s", contract, took_ms,
                      report->on, other, *report->instead_of ? "; " : "", report->instead_of);
    } else {
        pov_check_add(checks, "model", POV_CHECK_WRONG, "%s", status.message);
    }
    pov_detector_destroy(&detector);
}

static void check_networks(pov_checks *checks, const pov_network_settings *networks)
{
    for (int i = 0; i < networks->len; i++) {
        check_model(checks, networks->networks[i].detector, networks->engine);
        if (*networks->networks[i].heading)
            check_model(checks, networks->networks[i].heading, networks->engine);
        if (*networks->networks[i].points)
            check_model(checks, networks->networks[i].points, networks->engine);
    }
}

/* The time that OpenCV's HOG takes to look for people; the image's content hardly matters. */
static pov_status time_hog(double *took_s, pov_person_detector *detector, int width_px, int height_px)
{
    pov_people people;
    uint8_t *pixels = malloc((size_t)width_px * (size_t)height_px * 3);
    POV_REQUIRE_MEMORY(pixels);
    const pov_image image = {
        .pixels = pixels, .width_px = width_px, .height_px = height_px, .stride_bytes = 3 * width_px};
    pov_golden_image_fill(pixels, width_px, height_px, 1);
    const int64_t start_ns = pov_clock_monotonic_ns();
    const pov_status status = pov_person_detector_run(detector, &people, &image, NULL, NULL);
    *took_s = (double)(pov_clock_monotonic_ns() - start_ns) * 1e-9;
    free(pixels);
    return status;
}

static const char *how_faces_are_found(const pov_person_detector_config *people)
{
    if (people->without_faces)
        return "without faces and headings";
    return people->faces_by_network
               ? "faces and headings by a network"
               : "faces by cascades, which miss profiles: add a network of faces (docs/MODELS.md)";
}

static void check_people(pov_checks *checks, const pov_station *station)
{
    const int width_px = station->camera.width_px > 0 ? station->camera.width_px : 1280;
    const int height_px = station->camera.height_px > 0 ? station->camera.height_px : 720;
    const pov_person_detector_config *people = &station->finders.networks.people;
    const bool by_network = *people->network_class != '\0' || people->faces_by_network;
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
        pov_check_add(checks, "people", POV_CHECK_OK, "%s%s, %s",
                      *people->network_class ? "bodies by the models' class " : "no network finds bodies",
                      people->network_class, how_faces_are_found(people));
    else
        pov_check_add(checks, "people", POV_CHECK_NOTE,
                      "by OpenCV's HOG, %.2f s an image of %d x %d. " POV_PEOPLE_ADVICE, took_s, width_px,
                      height_px);
}

/* A folder's images are read as fast as they are judged, the first ones again after the last. */
static pov_status measure_pace(pov_pace *pace, pov_station *station)
{
    pov_image_source *source;
    pov_station_source images = station->source;
    images.rate_hz = 0;
    images.loop = images.simulator.loop = true;
    if (pov_station_open_source(&source, &images).code != POV_OK)
        return pov_status_of(POV_TIMEOUT); /* the checks of images and cameras say why */
    const pov_status status = pov_pace_measure(pace, station, source);
    pov_image_source_destroy(&source);
    return status;
}

static void tell_rate(pov_checks *checks, pov_station *station, const char *how, double wanted_hz)
{
    char text[POV_MESSAGE_CAPACITY], advice[POV_MESSAGE_CAPACITY];
    pov_pace pace;
    const pov_status status = measure_pace(&pace, station);
    if (status.code == POV_TIMEOUT)
        return;
    if (status.code != POV_OK) {
        pov_check_add(checks, "rate", POV_CHECK_NOTE, "not measured: %s", status.message);
        return;
    }
    if (pov_source_is_camera(station->source.kind))
        wanted_hz = pov_pace_images_hz(&pace);
    const bool is_late = wanted_hz > pov_pace_rate_hz(&pace);
    pov_pace_text(text, &pace);
    pov_pace_advice(advice, &pace, station, wanted_hz);
    if (is_late)
        pov_check_add(checks, "rate", POV_CHECK_NOTE, "%s%s; images will come at %.1f/s. To keep up: %s", how,
                      text, wanted_hz, advice);
    else
        pov_check_add(checks, "rate", POV_CHECK_OK, "%s%s", how, text);
}

static void check_rate(pov_checks *checks, pov_station *station)
{
    static const double as_video_hz = 30; /* any: images are not waited for */
    pov_station_source *source = &station->source;
    if (source->kind == POV_SOURCE_FOLDER && !*source->folder)
        return;
    if (source->kind != POV_SOURCE_FOLDER || source->rate_hz > 0) {
        tell_rate(checks, station, "",
                  source->kind == POV_SOURCE_SIMULATOR ? source->simulator.rate_hz : source->rate_hz);
        return;
    }
    tell_rate(checks, station, "each image for itself, ", 0);
    source->rate_hz = as_video_hz;
    tell_rate(checks, station, "as video (--rate), ", 0);
    source->rate_hz = 0;
}

static bool has_proxy(void)
{
    return getenv("http_proxy") || getenv("https_proxy") || getenv("all_proxy") || getenv("ALL_PROXY");
}

static void check_vlm(pov_checks *checks, const char *path)
{
    pov_vlm_config *config = malloc(sizeof *config);
    pov_vlm_warnings *warnings = malloc(sizeof *warnings);
    POV_REQUIRE_MEMORY(config && warnings);
    pov_status keys = pov_vlm_open_of_station(config, path);
    POV_THEN(keys, pov_vlm_config_load_keys(config, warnings));
    if (keys.code != POV_OK)
        pov_check_add(checks, "vlm", POV_CHECK_WRONG, "%s", keys.message);
    for (int i = 0; i < config->client.endpoint_len; i++) {
        const char *url = config->client.endpoints[i].url;
        if (has_proxy() && !pov_vlm_url_is_own(url))
            continue;
        const pov_status status = check_listens(url, LISTEN_MS);
        if (status.code == POV_OK)
            pov_check_add(checks, "vlm", POV_CHECK_OK, "%.200s: a server listens; 'pov vlm check' tests it",
                          url);
        else
            pov_check_add(checks, "vlm", POV_CHECK_WRONG, "%s", status.message);
    }
    free(config);
    free(warnings);
}

enum { VIEW_WAIT_MS = 5000, VIEW_LOOKS = 15 };

static void tell_view(pov_checks *checks, const pov_remote_config *config, const pov_image *image)
{
    const pov_remote_view *view = image->view;
    const pov_image_header *header = &view->observation->image;
    pov_check_add(checks, "station", POV_CHECK_OK, "%.200s%s%s sends: image of %d x %d, its pose: %s",
                  config->endpoint, *header->camera ? ", camera " : "", header->camera, header->width_px,
                  header->height_px, pov_pose_source_name(header->pose_source));
    pov_check_add(checks, "clock", POV_CHECK_OK, "its clock is %+.2f ms from this machine's, +- %.2f ms (%s)",
                  1e3 * view->clock_offset_s, 1e3 * view->clock_std_s,
                  config->has_clock ? "as the station file says" : "measured");
    if (*view->trouble)
        pov_check_add(checks, "station", view->is_foreign ? POV_CHECK_WRONG : POV_CHECK_NOTE, "%s",
                      view->trouble);
}

/* A camera in another process: what comes from there. */
static void check_remote(pov_checks *checks, const pov_station *station)
{
    pov_image_source *source;
    pov_image image, last;
    const pov_remote_config *config = &station->source.remote;
    const int64_t end_ns = pov_clock_monotonic_ns() + VIEW_WAIT_MS * INT64_C(1000000);
    char told[POV_MESSAGE_CAPACITY] = "";
    int looks = 0;
    pov_status status = pov_remote_source_new(&source, config, &station->cast, &station->finders.tags.map);
    while (status.code != POV_ERROR && looks < VIEW_LOOKS && pov_clock_monotonic_ns() < end_ns) {
        status = pov_image_source_next(source, &image, 100);
        if (status.code == POV_SKIPPED)
            snprintf(told, sizeof told, "%s", status.message);
        if (status.code != POV_OK)
            continue;
        last = image;
        looks++;
    }
    if (looks > 0)
        tell_view(checks, config, &last);
    else if (status.code == POV_ERROR)
        pov_check_add(checks, "station", POV_CHECK_WRONG, "%s", status.message);
    else
        pov_check_add(checks, "station", POV_CHECK_WRONG, "%s",
                      *told ? told : pov_image_source_statistics_of(source).silence);
    pov_image_source_destroy(&source);
}

/* Its lens, its images, and what these show. */
static bool check_camera(pov_checks *checks, pov_station *station)
{
    if (station->source.kind == POV_SOURCE_STATION) {
        check_remote(checks, station);
        return true;
    }
    const bool is_lens_told = station->source.ros2.lacks_lens;
    if (!check_lens(checks, station))
        return false;
    pov_station_find_doubts(station, add_doubt, checks);
    if (!is_lens_told)
        check_calibration(checks, station);
    const int wrong = pov_checks_wrong(checks);
    check_images(checks, &station->source);
    if (pov_checks_wrong(checks) == wrong) /* it needs images, too */
        check_transforms(checks, station);
    check_first_images(checks, station);
    return true;
}

/* The station's camera is then one that libcamera finds, where it has one: for the check of devices. */
static bool check_cameras(pov_checks *checks, pov_station *station)
{
    int libcamera = 0;
    bool is_good = true;
    for (int i = 0; i < station->camera_len && is_good; i++) {
        pov_station_look_through(station, i);
        checks->camera = *station->cameras[i].id ? station->cameras[i].id : NULL;
        is_good = check_camera(checks, station);
        pov_station_keep_camera(station);
        libcamera = station->source.kind == POV_SOURCE_LIBCAMERA ? i : libcamera;
    }
    checks->camera = NULL;
    pov_station_look_through(station, libcamera);
    return is_good;
}

bool pov_check_station(pov_checks *checks, pov_station *station, const char *path)
{
    const pov_status status = pov_station_parse(station, path, NULL, 0);
    if (status.code != POV_OK) {
        pov_check_add(checks, "station", POV_CHECK_WRONG, "%s", status.message);
        return false;
    }
    pov_check_add(checks, "station", POV_CHECK_OK, "%.300s is good", path);
    check_ros2(checks, station);
    check_clock(checks);
    if (!check_cameras(checks, station))
        return false;
    check_turntable(checks, &station->turntable);
    check_networks(checks, &station->finders.networks);
    check_people(checks, station);
    if (station->camera_len == 1 && station->source.kind != POV_SOURCE_STATION)
        check_rate(checks, station);
    else
        pov_check_add(checks, "rate", POV_CHECK_NOTE,
                      "not measured: the %d cameras share this machine; 'pov run' tells the rate of each",
                      station->camera_len);
    check_vlm(checks, path);
    return true;
}
