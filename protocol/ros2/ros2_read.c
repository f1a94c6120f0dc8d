#include "protocol/ros2/ros2_read.h"

#include "perception/image/image.h"
#include "protocol/ros2/cdr_reader.h"
#include "protocol/ros2/ros2_read_internal.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AREA_MAX_PX = 1 << 26 /* as image files' */ };

/* ---- images ---- */

typedef enum { PACKED, GREY, UYVY, YUYV, BAYER } layout;

static const struct {
    const char *name;
    layout layout;
    int bytes_per_px;
    int channel[3];   /* PACKED: the places of red, green and blue */
    int red_x, red_y; /* BAYER: where red is in each 2 x 2 */
} formats[] = {
    {"rgb8", PACKED, 3, {0, 1, 2}, 0, 0},  {"bgr8", PACKED, 3, {2, 1, 0}, 0, 0},
    {"rgba8", PACKED, 4, {0, 1, 2}, 0, 0}, {"bgra8", PACKED, 4, {2, 1, 0}, 0, 0},
    {"8UC3", PACKED, 3, {2, 1, 0}, 0, 0},  {"mono8", GREY, 1, {0}, 0, 0},
    {"8UC1", GREY, 1, {0}, 0, 0},          {"yuv422", UYVY, 2, {0}, 0, 0},
    {"uyvy", UYVY, 2, {0}, 0, 0},          {"yuv422_yuy2", YUYV, 2, {0}, 0, 0},
    {"yuyv", YUYV, 2, {0}, 0, 0},          {"bayer_rggb8", BAYER, 1, {0}, 0, 0},
    {"bayer_bggr8", BAYER, 1, {0}, 1, 1},  {"bayer_grbg8", BAYER, 1, {0}, 1, 0},
    {"bayer_gbrg8", BAYER, 1, {0}, 0, 1},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static pov_status check_shape(pov_ros2_raw_image *image, uint32_t width, uint32_t height, uint32_t step,
                              uint32_t data_len)
{
    if (width < 1 || height < 1 || width > POV_IMAGE_SIDE_MAX_PX || height > POV_IMAGE_SIDE_MAX_PX ||
        (uint64_t)width * height > AREA_MAX_PX)
        return pov_error("an image of %u x %u pixels: at most %d million are taken, of at most %d a side",
                         width, height, AREA_MAX_PX / 1000000, POV_IMAGE_SIDE_MAX_PX);
    if (formats[image->format].layout == UYVY || formats[image->format].layout == YUYV)
        if (width % 2)
            return pov_error("an image of %s with an odd width, %u", formats[image->format].name, width);
    if (formats[image->format].layout == BAYER && (width < 2 || height < 2))
        return pov_error("a Bayer image of %u x %u pixels", width, height);
    if (step < width * (uint32_t)formats[image->format].bytes_per_px || (uint64_t)step * height > data_len)
        return pov_error("an image of %u x %u pixels in %s with rows of %u bytes, and %u bytes in all", width,
                         height, formats[image->format].name, step, data_len);
    image->width_px = (int)width;
    image->height_px = (int)height;
    image->step_bytes = step;
    return pov_ok();
}

pov_status pov_ros2_read_image(pov_ros2_raw_image *image, const uint8_t *bytes, size_t len)
{
    pov_cdr_reader r = pov_cdr_read(bytes, len);
    char encoding[POV_ROS2_TEXT_CAPACITY];
    *image = (pov_ros2_raw_image){.format = 0};
    pov_ros2_take_header(&r, &image->header);
    const uint32_t height = pov_cdr_take_count(&r), width = pov_cdr_take_count(&r);
    pov_ros2_take_word(&r, encoding);
    (void)pov_cdr_take_whole(&r, 1); /* the byte order of samples of 16 bits */
    const uint32_t step = pov_cdr_take_count(&r), data_len = pov_cdr_take_count(&r);
    image->data = pov_cdr_take_bytes(&r, data_len);
    if (r.failed)
        return pov_ros2_too_short("sensor_msgs/Image");
    while (image->format < FORMATS && strcmp(formats[image->format].name, encoding) != 0)
        image->format++;
    if (image->format == FORMATS)
        return pov_error("an image in the encoding '%s': known are rgb8, bgr8, rgba8, bgra8, mono8, yuv422, "
                         "yuv422_yuy2 and bayer_....8; let the driver send one of them, or compressed images",
                         encoding);
    return check_shape(image, width, height, step, data_len);
}

static uint8_t limit(int value)
{
    return (uint8_t)pov_clamp(value, 0, 255);
}

/* BT.601 in studio range, in 1/1048576, rounded. */
static void put_yuv(uint8_t rgb[3], int y, int u, int v)
{
    enum {
        ONE = 1 << 20,
        LUMA = 1220542,
        RED_V = 1673527,
        GREEN_V = -852492,
        GREEN_U = -409993,
        BLUE_U = 2116026
    };
    const int luma = (y > 16 ? y - 16 : 0) * LUMA + ONE / 2;
    u -= 128;
    v -= 128;
    rgb[0] = limit((luma + RED_V * v) >> 20);
    rgb[1] = limit((luma + GREEN_V * v + GREEN_U * u) >> 20);
    rgb[2] = limit((luma + BLUE_U * u) >> 20);
}

static void convert_yuv_row(uint8_t *rgb, const uint8_t *from, int width, bool is_uyvy)
{
    for (int x = 0; x < width; x += 2, from += 4, rgb += 6) {
        const int u = from[is_uyvy ? 0 : 1], v = from[is_uyvy ? 2 : 3];
        put_yuv(rgb, from[is_uyvy ? 1 : 0], u, v);
        put_yuv(rgb + 3, from[is_uyvy ? 3 : 2], u, v);
    }
}

/* A neighbour beyond the edge is the one of the same colour on this side. */
static int sample(const pov_ros2_raw_image *image, int x, int y)
{
    x = x < 0 ? -x : x >= image->width_px ? 2 * image->width_px - 2 - x : x;
    y = y < 0 ? -y : y >= image->height_px ? 2 * image->height_px - 2 - y : y;
    return image->data[(size_t)y * image->step_bytes + (size_t)x];
}

static void convert_bayer_row(uint8_t *rgb, const pov_ros2_raw_image *image, int y)
{
    const int red_x = formats[image->format].red_x, red_y = formats[image->format].red_y;
    for (int x = 0; x < image->width_px; x++, rgb += 3) {
        const bool on_red_row = (y & 1) == red_y, on_red_column = (x & 1) == red_x;
        const int here = sample(image, x, y), beside = sample(image, x - 1, y) + sample(image, x + 1, y),
                  above = sample(image, x, y - 1) + sample(image, x, y + 1);
        if (on_red_row != on_red_column) { /* green */
            rgb[0] = (uint8_t)(((on_red_row ? beside : above) + 1) / 2);
            rgb[1] = (uint8_t)here;
            rgb[2] = (uint8_t)(((on_red_row ? above : beside) + 1) / 2);
            continue;
        }
        const int corners = sample(image, x - 1, y - 1) + sample(image, x + 1, y - 1) +
                            sample(image, x - 1, y + 1) + sample(image, x + 1, y + 1);
        rgb[on_red_row ? 0 : 2] = (uint8_t)here;
        rgb[1] = (uint8_t)((beside + above + 2) / 4);
        rgb[on_red_row ? 2 : 0] = (uint8_t)((corners + 2) / 4);
    }
}

static void convert_packed_row(uint8_t *rgb, const uint8_t *from, int width, int format)
{
    const int size = formats[format].bytes_per_px, *channel = formats[format].channel;
    for (int x = 0; x < width; x++, from += size, rgb += 3)
        for (int c = 0; c < 3; c++)
            rgb[c] = from[channel[c]];
}

void pov_ros2_image_to_rgb(uint8_t *rgb, const pov_ros2_raw_image *image)
{
    const layout kind = formats[image->format].layout;
    for (int y = 0; y < image->height_px; y++, rgb += 3 * (size_t)image->width_px) {
        const uint8_t *from = image->data + (size_t)y * image->step_bytes;
        if (kind == BAYER)
            convert_bayer_row(rgb, image, y);
        else if (kind == UYVY || kind == YUYV)
            convert_yuv_row(rgb, from, image->width_px, kind == UYVY);
        else
            convert_packed_row(rgb, from, image->width_px,
                               image->format); /* grey: each channel is the first */
    }
}

pov_status pov_ros2_read_compressed(pov_ros2_coded_image *image, const uint8_t *bytes, size_t len)
{
    pov_cdr_reader r = pov_cdr_read(bytes, len);
    size_t format_len;
    *image = (pov_ros2_coded_image){.len = 0};
    pov_ros2_take_header(&r, &image->header);
    (void)pov_cdr_take_text(&r, &format_len); /* drivers disagree on it; the file tells what it is */
    const uint32_t data_len = pov_cdr_take_count(&r);
    image->data = pov_cdr_take_bytes(&r, data_len);
    image->len = data_len;
    return r.failed ? pov_ros2_too_short("sensor_msgs/CompressedImage") : pov_ok();
}

/* ---- the camera ---- */

pov_status pov_ros2_read_camera_info(pov_ros2_camera_info *info, const uint8_t *bytes, size_t len)
{
    pov_cdr_reader r = pov_cdr_read(bytes, len);
    double unused[12];
    *info = (pov_ros2_camera_info){.height_px = 0};
    pov_ros2_take_header(&r, &info->header);
    info->height_px = pov_cdr_take_count(&r);
    info->width_px = pov_cdr_take_count(&r);
    pov_ros2_take_word(&r, info->model);
    const uint32_t coefficients = pov_cdr_take_count(&r);
    if (!r.failed && coefficients > POV_ROS2_COEFFICIENTS_MAX)
        return pov_error("a sensor_msgs/CameraInfo with %u coefficients of distortion; at most %d are known",
                         coefficients, POV_ROS2_COEFFICIENTS_MAX);
    info->coefficient_len = r.failed ? 0 : (int)coefficients;
    pov_cdr_take_numbers(&r, info->coefficients, info->coefficient_len);
    pov_cdr_take_numbers(&r, info->k, 9);
    pov_cdr_take_numbers(&r, unused, 9);
    pov_cdr_take_numbers(&r, unused, 12);
    info->binning_x = pov_cdr_take_count(&r);
    info->binning_y = pov_cdr_take_count(&r);
    info->binning_x += info->binning_x == 0; /* 0 and 1 are none */
    info->binning_y += info->binning_y == 0;
    info->region_x_px = pov_cdr_take_count(&r);
    info->region_y_px = pov_cdr_take_count(&r);
    info->region_height_px = pov_cdr_take_count(&r);
    info->region_width_px = pov_cdr_take_count(&r);
    (void)pov_cdr_take_whole(&r, 1);
    return r.failed ? pov_ros2_too_short("sensor_msgs/CameraInfo") : pov_ok();
}

static void skip_ids(pov_cdr_reader *r, size_t id_bytes)
{
    const uint32_t count = pov_cdr_take_count(r);
    (void)pov_cdr_take_bytes(r, count * id_bytes);
}

/* Whether all of it is as long as it says, with ids of that length. */
static bool read_node(char name[2 * POV_ROS2_TEXT_CAPACITY], uint32_t *nodes, pov_cdr_reader r,
                      size_t id_bytes)
{
    char space[POV_ROS2_TEXT_CAPACITY], word[POV_ROS2_TEXT_CAPACITY];
    (void)pov_cdr_take_bytes(&r, id_bytes);
    *nodes = pov_cdr_take_count(&r);
    for (uint32_t i = 0; i < *nodes && !r.failed; i++) {
        pov_ros2_take_word(&r, space);
        pov_ros2_take_word(&r, word);
        if (i == 0)
            snprintf(name, 2 * POV_ROS2_TEXT_CAPACITY, "%s%s%s", space, space[0] && space[1] ? "/" : "",
                     word);
        skip_ids(&r, id_bytes);
        skip_ids(&r, id_bytes);
    }
    return !r.failed && r.len - r.at < 4; /* padding */
}

pov_status pov_ros2_read_node(char name[2 * POV_ROS2_TEXT_CAPACITY], const uint8_t *bytes, size_t len)
{
    uint32_t nodes = 0;
    *name = '\0';
    if (!read_node(name, &nodes, pov_cdr_read(bytes, len), 16) &&
        !read_node(name, &nodes, pov_cdr_read(bytes, len), 24))
        return pov_ros2_too_short("rmw_dds_common/ParticipantEntitiesInfo");
    return nodes > 0 ? pov_ok() : pov_status_of(POV_SKIPPED);
}

pov_status pov_ros2_read_string(const char **text, size_t *text_len, const uint8_t *bytes, size_t len)
{
    pov_cdr_reader r = pov_cdr_read(bytes, len);
    *text = pov_cdr_take_text(&r, text_len);
    return r.failed ? pov_ros2_too_short("std_msgs/String") : pov_ok();
}

static bool add_text(cJSON *request, const char *key, pov_cdr_reader *r)
{
    size_t len;
    const char *text = pov_cdr_take_text(r, &len);
    char *copy = strndup(text, len);
    const bool is_added = copy && (!*copy || cJSON_AddStringToObject(request, key, copy));
    free(copy);
    return is_added && !r->failed;
}

char *pov_ros2_read_ask(const uint8_t *bytes, size_t len)
{
    pov_cdr_reader r = pov_cdr_read(bytes, len);
    cJSON *request = cJSON_CreateObject();
    bool is_whole = request && add_text(request, "utterance", &r) && add_text(request, "speaker", &r) &&
                    add_text(request, "session", &r);
    if (is_whole && pov_cdr_take_whole(&r, 1) != 0)
        is_whole = cJSON_AddTrueToObject(request, "forget") != NULL;
    char *text = is_whole && !r.failed ? cJSON_PrintUnformatted(request) : NULL;
    cJSON_Delete(request);
    return text;
}
