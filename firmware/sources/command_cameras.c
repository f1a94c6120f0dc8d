#include "config/files/json_value.h"
#include "firmware/commands.h"
#include "firmware/gstreamer/gstreamer_source.h"
#include "firmware/libcamera/camera_pixels.h"
#include "firmware/libcamera/libcamera_source.h"

#include <cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool json;
} cameras_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_FLAG(cameras_options, json, "json", "one JSON object a line for each camera"),
    POV_OPTIONS_END,
};

const pov_command pov_command_cameras = {
    .name = "cameras",
    .summary = "list the cameras of this machine",
    .run = run,
    .usage = "[--json]",
    .about =
        "Lists the cameras that libcamera and GStreamer find, with the ids, sizes and pixel formats to use "
        "in a station file. A camera of the kernel is found by both; take libcamera where it has the camera.",
    .options = option_table,
    .notes = "POV_DEBUG=1 shows what libcamera and GStreamer say of it.",
    .examples = "pov cameras --json | head -1",
    .exits = "0 at least one camera; 1 none",
};

/* The station's `source` for it: GStreamer's monitor also knows cameras that are not devices. */
static const char *source_of(const pov_libcamera_camera *camera, bool by_gstreamer)
{
    return !by_gstreamer ? "libcamera" : strncmp(camera->id, "/dev/", 5) == 0 ? "v4l2" : "gstreamer";
}

static void print_modes(const pov_libcamera_camera *camera, bool by_gstreamer)
{
    const char *format = "";
    for (int i = 0; i < camera->mode_len; i++) {
        const pov_libcamera_mode *mode = &camera->modes[i];
        if (strcmp(format, mode->pixel_format) != 0)
            printf("%s  %-9s", i ? "\n" : "", mode->pixel_format);
        format = mode->pixel_format;
        printf(" %dx%d", mode->width_px, mode->height_px);
        if (!by_gstreamer && !pov_camera_pixels_knows(format))
            printf(" (unreadable)");
    }
    printf("\n");
    if (camera->mode_left_out > 0)
        printf("  and %d more\n", camera->mode_left_out);
}

static void print_range(const char *name, pov_libcamera_range range, const char *unit)
{
    if (range.max > 0)
        printf("  %s %g to %g%s, or automatic\n", name, range.min, range.max, unit);
    else
        printf("  %s automatic only\n", name);
}

static void print_camera(const pov_libcamera_camera *camera, bool by_gstreamer)
{
    printf("%s\n  %s%s%s\n  source: %s\n", camera->id, camera->model[0] ? camera->model : "unnamed model",
           camera->location[0] ? ", " : "", camera->location, source_of(camera, by_gstreamer));
    if (!by_gstreamer) {
        print_range("exposure", camera->exposure_s, " s");
        print_range("gain", camera->gain, "");
    }
    print_modes(camera, by_gstreamer);
}

static void add_range(cJSON *object, const char *name, pov_libcamera_range range)
{
    if (!(range.max > 0)) {
        cJSON_AddNullToObject(object, name);
        return;
    }
    cJSON *limits = cJSON_AddArrayToObject(object, name);
    cJSON_AddItemToArray(limits, cJSON_CreateNumber(range.min));
    cJSON_AddItemToArray(limits, cJSON_CreateNumber(range.max));
}

static void add_modes(cJSON *object, const pov_libcamera_camera *camera, bool by_gstreamer)
{
    cJSON *modes = cJSON_AddArrayToObject(object, "modes");
    for (int i = 0; i < camera->mode_len; i++) {
        cJSON *mode = cJSON_CreateObject();
        cJSON_AddStringToObject(mode, "pixel_format", camera->modes[i].pixel_format);
        cJSON_AddNumberToObject(mode, "width_px", camera->modes[i].width_px);
        cJSON_AddNumberToObject(mode, "height_px", camera->modes[i].height_px);
        cJSON_AddBoolToObject(mode, "readable",
                              by_gstreamer || pov_camera_pixels_knows(camera->modes[i].pixel_format));
        cJSON_AddItemToArray(modes, mode);
    }
    cJSON_AddNumberToObject(object, "modes_left_out", camera->mode_left_out);
}

static void print_camera_json(const pov_libcamera_camera *camera, bool by_gstreamer)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "source", source_of(camera, by_gstreamer));
    cJSON_AddStringToObject(object, "id", camera->id);
    cJSON_AddStringToObject(object, "model", camera->model);
    cJSON_AddStringToObject(object, "location", camera->location);
    add_range(object, "exposure_s", camera->exposure_s);
    add_range(object, "gain", camera->gain);
    add_modes(object, camera, by_gstreamer);
    pov_json_print_line(stdout, object);
}

static int print_list(const pov_libcamera_list *list, bool json, bool by_gstreamer)
{
    for (int i = 0; i < list->len; i++)
        (json ? print_camera_json : print_camera)(&list->cameras[i], by_gstreamer);
    if (list->left_out > 0)
        pov_cli_warn("%d more cameras are not listed", list->left_out);
    return list->len;
}

static int list_cameras(bool json)
{
    pov_libcamera_list *list = malloc(sizeof *list);
    if (!list)
        return pov_cli_fail(pov_error("cameras: out of memory"));
    pov_status status = pov_libcamera_source_list(list);
    int len = print_list(list, json, false);
    const pov_status other = pov_gstreamer_list_cameras(list);
    len += print_list(list, json, true);
    free(list);
    if (len > 0)
        return POV_EXIT_OK;
    if (status.code == POV_OK)
        status = other.code == POV_OK ? pov_libcamera_source_explain_none() : other;
    return pov_cli_fail(status);
}

static int run(int argc, char **argv)
{
    cameras_options given = {false};
    pov_words words;
    const int code = pov_command_read(&given, &words, &pov_command_cameras, argc, argv);
    return code == POV_GO_ON ? list_cameras(given.json) : code;
}
