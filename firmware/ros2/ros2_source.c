#include "firmware/ros2/ros2_source.h"

#include "calib/camera/intrinsics_file.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/picture/image_file.h"
#include "firmware/plugged/plugged_source.h"
#include "firmware/ros2/ros2_look.h"
#include "protocol/ros2/ros2_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMAGES_KEPT = 2,
    LENS_WAIT_MS = 10000,
    DISCOVERY_MS = 3000 /* then the domain's topics are known, as to pov_ros2_look_around */
};
static const int64_t ns_per_ms = 1000000;

/* ---- the station file ---- */

void pov_ros2_source_read(pov_ros2_source_config *config, pov_yaml_node node)
{
    *config = (pov_ros2_source_config){.is_reliable = false};
    if (!pov_yaml_exists(node))
        return;
    pov_ros2_settings_read_topic(
        config->image, pov_yaml_need(node, "image", "the topic, as image: /camera/color/image_raw"));
    pov_ros2_settings_read_topic(config->camera_info, pov_yaml_get(node, "camera_info"));
    pov_yaml_bool(&config->is_reliable, pov_yaml_get(node, "reliable"));
}

/* ---- the lens ---- */

/* As `ros2 topic echo` prints it: one reader knows the models of all files. */
static int write_lens(char *text, size_t capacity, const pov_ros2_camera_info *info)
{
    int len = snprintf(text, capacity, "height: %u\nwidth: %u\ndistortion_model: '%s'\nd: [", info->height_px,
                       info->width_px, info->model);
    for (int i = 0; i < info->coefficient_len; i++)
        len += snprintf(text + len, capacity - (size_t)len, "%s%.17g", i ? ", " : "", info->coefficients[i]);
    len += snprintf(text + len, capacity - (size_t)len, "]\nk: [");
    for (int i = 0; i < 9; i++)
        len += snprintf(text + len, capacity - (size_t)len, "%s%.17g", i ? ", " : "", info->k[i]);
    return len + snprintf(text + len, capacity - (size_t)len, "]\n");
}

/* The calibration is of the whole sensor; images are a region of it, whose pixels were averaged. */
static pov_status take_region(pov_camera *camera, const pov_ros2_camera_info *info)
{
    const uint32_t width = info->region_width_px ? info->region_width_px : info->width_px,
                   height = info->region_height_px ? info->region_height_px : info->height_px;
    const uint64_t right = (uint64_t)info->region_x_px + width, bottom = (uint64_t)info->region_y_px + height;
    if (right > info->width_px || bottom > info->height_px || width < info->binning_x ||
        height < info->binning_y)
        return pov_error("its region and binning lie outside its %u x %u pixels", info->width_px,
                         info->height_px);
    const double bx = info->binning_x, by = info->binning_y;
    camera->width_px = (int)(width / info->binning_x);
    camera->height_px = (int)(height / info->binning_y);
    camera->fx_px /= bx;
    camera->fy_px /= by;
    camera->cx_px = (camera->cx_px + 0.5 - info->region_x_px) / bx - 0.5; /* (0, 0) is a pixel's centre */
    camera->cy_px = (camera->cy_px + 0.5 - info->region_y_px) / by - 0.5;
    return pov_ok();
}

pov_status pov_ros2_lens_of(pov_camera *camera, const uint8_t *bytes, size_t len)
{
    char text[2048];
    pov_ros2_camera_info info;
    POV_TRY(pov_ros2_read_camera_info(&info, bytes, len));
    if (strspn(info.model, "abcdefghijklmnopqrstuvwxyz_") != strlen(info.model))
        return pov_error("its model of distortion is not one of ROS");
    for (int i = 0; i < 9 + info.coefficient_len; i++)
        if (!isfinite(i < 9 ? info.k[i] : info.coefficients[i - 9]))
            return pov_error("it holds numbers that are not finite");
    const int text_len = write_lens(text, sizeof text, &info);
    POV_TRY(pov_intrinsics_parse(camera, "camera_info", text, (size_t)text_len));
    return take_region(camera, &info);
}

pov_status pov_ros2_source_ask_lens(pov_camera *camera, const pov_ros2_source_config *config)
{
    pov_ros2_node *node;
    int id;
    const uint8_t *bytes;
    size_t len;
    POV_TRY(pov_ros2_settings_join(&node, &config->settings, "_lens"));
    const pov_ros2_endpoint wanted = {
        .topic = config->camera_info, .type = "sensor_msgs/CameraInfo", .depth = 1, .is_best_effort = true};
    pov_status status = pov_ros2_node_subscribe(node, &id, &wanted);
    POV_THEN(status, pov_ros2_node_announce(node));
    const int64_t deadline_ns = pov_clock_monotonic_ns() + LENS_WAIT_MS * ns_per_ms;
    bool is_hopeless;
    while (status.code == POV_OK &&
           (status = pov_ros2_node_take(node, id, &bytes, &len)).code == POV_TIMEOUT &&
           pov_clock_monotonic_ns() < deadline_ns && !pov_cli_stop_requested()) {
        pov_ros2_node_wait(node, 100);
        status = pov_ok();
    }
    if (status.code == POV_TIMEOUT && pov_cli_stop_requested())
        status = pov_error("stopped before the lens was told");
    else if (status.code == POV_TIMEOUT)
        status = pov_error("nothing came within %d s: %.300s", LENS_WAIT_MS / 1000,
                           pov_ros2_look_for(&is_hopeless, node, &wanted).message);
    else if (status.code == POV_OK)
        status = pov_ros2_lens_of(camera, bytes, len);
    pov_ros2_node_destroy(&node);
    return status.code == POV_OK ? status : pov_error("%.100s: %s", config->camera_info, status.message);
}

/* ---- images ---- */

typedef struct {
    pov_ros2_source_config config;
    bool is_compressed;
    pov_ros2_node *node;
    int id;
    uint32_t sequence;
    pov_image_file *decoder;
    uint8_t *pixels;
    size_t capacity;
    bool has_first; /* the image that came while it was opened */
    pov_image first;
} ros2_camera;

static const char *id_of(const void *camera)
{
    return ((const ros2_camera *)camera)->config.image;
}

static pov_ros2_endpoint want_images(const ros2_camera *c)
{
    return (pov_ros2_endpoint){.topic = c->config.image,
                               .type = c->is_compressed ? "sensor_msgs/CompressedImage" : "sensor_msgs/Image",
                               .depth = IMAGES_KEPT,
                               .is_best_effort = !c->config.is_reliable};
}

static pov_status join(ros2_camera *c)
{
    const pov_ros2_endpoint wanted = want_images(c);
    POV_TRY(pov_ros2_settings_join(&c->node, &c->config.settings, "_camera"));
    POV_TRY(pov_ros2_node_subscribe(c->node, &c->id, &wanted));
    return pov_ros2_node_announce(c->node);
}

static pov_status explain_silence(void *camera)
{
    ros2_camera *c = camera;
    const pov_ros2_endpoint wanted = want_images(c);
    bool is_hopeless;
    return pov_ros2_look_for(&is_hopeless, c->node, &wanted);
}

/* While nobody is heard: POV_ERROR if waiting does not help; else it says what it waits for. */
static pov_status tell_of_silence(ros2_camera *c)
{
    const pov_ros2_endpoint wanted = want_images(c);
    bool is_hopeless;
    const pov_status why = pov_ros2_look_for(&is_hopeless, c->node, &wanted);
    if (is_hopeless)
        return pov_error("camera %.100s: %s", c->config.image, why.message);
    pov_cli_warn("camera %s: %s; waiting for it", c->config.image, why.message);
    return pov_ok();
}

static pov_status decode_raw(ros2_camera *c, pov_image *image, const uint8_t *bytes, size_t len)
{
    pov_ros2_raw_image raw;
    POV_TRY(pov_ros2_read_image(&raw, bytes, len));
    const size_t size = 3 * (size_t)raw.width_px * (size_t)raw.height_px;
    if (size > c->capacity || !c->pixels) {
        free(c->pixels);
        c->pixels = malloc(size);
        c->capacity = c->pixels ? size : 0;
    }
    if (!c->pixels)
        return pov_error("out of memory for an image");
    pov_ros2_image_to_rgb(c->pixels, &raw);
    *image = (pov_image){.pixels = c->pixels,
                         .width_px = raw.width_px,
                         .height_px = raw.height_px,
                         .stride_bytes = 3 * raw.width_px,
                         .mid_exposure_ns = raw.header.stamp_ns};
    return pov_ok();
}

static pov_status decode_compressed(ros2_camera *c, pov_image *image, const uint8_t *bytes, size_t len)
{
    pov_ros2_coded_image coded;
    POV_TRY(pov_ros2_read_compressed(&coded, bytes, len));
    POV_TRY(pov_image_file_decode(c->decoder, image, c->config.image, coded.data, coded.len));
    image->coded = coded.data;
    image->coded_len = coded.len;
    image->mid_exposure_ns = coded.header.stamp_ns;
    return pov_ok();
}

static pov_status take_image(void *camera, pov_image *image, int64_t deadline_ns)
{
    ros2_camera *c = camera;
    const uint8_t *bytes;
    size_t len;
    if (c->has_first) {
        c->has_first = false;
        *image = c->first;
        return pov_ok();
    }
    pov_status status;
    while ((status = pov_ros2_node_take(c->node, c->id, &bytes, &len)).code == POV_TIMEOUT) {
        const int64_t left_ms = (deadline_ns - pov_clock_monotonic_ns()) / ns_per_ms;
        if (pov_ros2_node_peers(c->node, c->id) == 0)
            return pov_status_with(POV_END, "is not published any more: its driver has ended");
        if (left_ms <= 0)
            return status;
        pov_ros2_node_wait(c->node, left_ms < 100 ? (int)left_ms : 100);
    }
    POV_TRY(status);
    status = c->is_compressed ? decode_compressed(c, image, bytes, len) : decode_raw(c, image, bytes, len);
    if (status.code != POV_OK)
        memset(image, 0, sizeof *image);
    image->sequence = c->sequence++;
    *image->name = '\0';
    return status.code == POV_OK ? status : pov_status_with(POV_SKIPPED, "%s", status.message);
}

static pov_status open_camera(void *camera, bool *found, int64_t deadline_ns)
{
    ros2_camera *c = camera;
    *found = true;
    if (!c->node) {
        const pov_status joined = join(c);
        if (joined.code != POV_OK) {
            pov_ros2_node_destroy(&c->node);
            return joined;
        }
    }
    pov_status status = pov_status_of(POV_TIMEOUT);
    const int64_t discovered_ns = pov_clock_monotonic_ns() + DISCOVERY_MS * ns_per_ms;
    bool is_told = false;
    c->sequence = 0;
    while (status.code != POV_OK && pov_clock_monotonic_ns() < deadline_ns) {
        pov_ros2_node_wait(c->node, 50);
        if (pov_cli_stop_requested())
            return pov_error("camera %s: stopped before its first image", c->config.image);
        if (!is_told && pov_clock_monotonic_ns() >= discovered_ns) {
            is_told = true;
            POV_TRY(tell_of_silence(c));
        }
        if (pov_ros2_node_peers(c->node, c->id) > 0)
            status = take_image(c, &c->first, pov_clock_monotonic_ns() + 50 * ns_per_ms);
        if (status.code == POV_SKIPPED)
            return pov_error("camera %s: %s", c->config.image, status.message);
    }
    c->has_first = status.code == POV_OK;
    return c->has_first ? status : pov_status_of(POV_TIMEOUT);
}

/* The node stays: so it hears its driver come back. */
static void close_camera(void *camera)
{
    ((ros2_camera *)camera)->has_first = false;
}

static void destroy_camera(void *camera)
{
    ros2_camera *c = camera;
    pov_ros2_node_destroy(&c->node);
    pov_image_file_destroy(&c->decoder);
    free(c->pixels);
    free(c);
}

static const pov_plugged_camera camera_kind = {.open = open_camera,
                                               .take = take_image,
                                               .close = close_camera,
                                               .id = id_of,
                                               .explain_silence = explain_silence,
                                               .destroy = destroy_camera};

static bool ends_with(const char *text, const char *end)
{
    const size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

pov_status pov_ros2_source_open(pov_image_source **source, const pov_ros2_source_config *config)
{
    *source = NULL;
    if (config->lacks_lens)
        return pov_error(
            "%s tells the lens to 'pov run' only: save it (ros2 topic echo --once %s > camera.yaml), "
            "and name it as camera.calibration",
            config->camera_info, config->camera_info);
    ros2_camera *made = calloc(1, sizeof *made);
    if (!made)
        return pov_error("out of memory for a camera");
    made->config = *config;
    made->is_compressed = ends_with(config->image, "/compressed");
    const pov_status status = pov_image_file_new(&made->decoder);
    if (status.code != POV_OK) {
        free(made);
        return status;
    }
    return pov_plugged_source_new(source, &camera_kind, made);
}
