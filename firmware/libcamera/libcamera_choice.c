/* The choice of the camera and its mode: the parts of libcamera_source.h that need no device. */
#include "firmware/libcamera/camera_pixels.h"
#include "firmware/libcamera/libcamera_source.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_WIDTH_MAX_PX = 1280, DEFAULT_HEIGHT_MAX_PX = 720, RAW_PIXELS_MAX = 640 * 480 };

static int count_devices(int *closed_to_us)
{
    glob_t found = {0};
    *closed_to_us = 0;
    if (glob("/dev/video*", 0, NULL, &found) != 0)
        return 0;
    int count = (int)found.gl_pathc;
    for (int i = 0; i < count; i++)
        if (access(found.gl_pathv[i], R_OK | W_OK) != 0)
            ++*closed_to_us;
    globfree(&found);
    return count;
}

pov_status pov_libcamera_source_explain_none(void)
{
    int closed_to_us, count = count_devices(&closed_to_us);
    if (count == 0)
        return pov_error(
            "no cameras found: this machine has no /dev/video*; plug one in and check that the kernel "
            "sees it (lsusb, dmesg)");
    if (closed_to_us > 0)
        return pov_error(
            "no cameras found: %d of %d devices /dev/video* may not be opened by this user; join the "
            "group 'video' (sudo usermod -aG video $USER, then log in again)",
            closed_to_us, count);
    return pov_error(
        "no cameras found: libcamera %s knows none of the %d devices /dev/video*; run with POV_DEBUG=1 "
        "to see why",
        pov_libcamera_version(), count);
}

static void name_cameras(char *names, size_t capacity, const pov_libcamera_list *list)
{
    size_t len = 0;
    names[0] = '\0';
    for (int i = 0; i < list->len && len < capacity; i++)
        len += (size_t)snprintf(names + len, capacity - len, "%s%s", i ? ", " : "", list->cameras[i].id);
}

pov_status pov_libcamera_source_select(const pov_libcamera_camera **camera, const pov_libcamera_list *list,
                                       const char *selector)
{
    *camera = NULL;
    if (list->len == 0)
        return pov_libcamera_source_explain_none();
    if (strcmp(selector, "any") == 0) {
        *camera = &list->cameras[0];
        return pov_ok();
    }
    int fitting = 0;
    for (int i = 0; i < list->len; i++) {
        const pov_libcamera_camera *candidate = &list->cameras[i];
        if (strcmp(candidate->id, selector) == 0) {
            *camera = candidate;
            return pov_ok();
        }
        if (strstr(candidate->id, selector) || strstr(candidate->model, selector)) {
            *camera = candidate;
            fitting++;
        }
    }
    if (fitting == 1)
        return pov_ok();
    *camera = NULL;
    char names[256];
    name_cameras(names, sizeof names, list);
    return pov_error("%s camera fits \"%s\"; there are: %s", fitting ? "more than one" : "no", selector,
                     names);
}

static bool fits_size(const pov_libcamera_mode *mode, int width_px, int height_px)
{
    if (width_px > 0 && height_px > 0)
        return mode->width_px == width_px && mode->height_px == height_px;
    return mode->width_px <= DEFAULT_WIDTH_MAX_PX && mode->height_px <= DEFAULT_HEIGHT_MAX_PX;
}

/* Lower is better: JPEG before raw for large images, after it for small ones. */
static int rank_of(const pov_libcamera_mode *mode)
{
    static const char *const raw[] = {"NV12",   "YUYV",   "UYVY",     "NV21",     "YVYU",     "VYUY",
                                      "BGR888", "RGB888", "XBGR8888", "XRGB8888", "ABGR8888", "ARGB8888"};
    int raw_len = (int)(sizeof raw / sizeof *raw);
    if (strcmp(mode->pixel_format, "MJPEG") == 0)
        return mode->width_px * mode->height_px > RAW_PIXELS_MAX ? -1 : raw_len;
    for (int i = 0; i < raw_len; i++)
        if (strcmp(mode->pixel_format, raw[i]) == 0)
            return i;
    return raw_len + 1;
}

static bool is_better(const pov_libcamera_mode *mode, const pov_libcamera_mode *best)
{
    int area = mode->width_px * mode->height_px, best_area = best->width_px * best->height_px;
    return area != best_area ? area > best_area : rank_of(mode) < rank_of(best);
}

static const pov_libcamera_mode *best_mode(const pov_libcamera_camera *camera,
                                           const pov_libcamera_source_config *config, bool any_format)
{
    const pov_libcamera_mode *best = NULL;
    for (int i = 0; i < camera->mode_len; i++) {
        const pov_libcamera_mode *offered = &camera->modes[i];
        if (!pov_camera_pixels_knows(offered->pixel_format) ||
            !fits_size(offered, config->width_px, config->height_px) ||
            (!any_format && strcmp(offered->pixel_format, config->pixel_format) != 0))
            continue;
        if (!best || is_better(offered, best))
            best = offered;
    }
    return best;
}

pov_status pov_libcamera_source_choose_mode(pov_libcamera_mode *mode, const pov_libcamera_camera *camera,
                                            const pov_libcamera_source_config *config)
{
    bool any_format = strcmp(config->pixel_format, "auto") == 0;
    bool size_given = config->width_px > 0 && config->height_px > 0;
    *mode = (pov_libcamera_mode){.width_px = config->width_px, .height_px = config->height_px};
    if (!any_format && !pov_camera_pixels_knows(config->pixel_format))
        return pov_error(
            "camera %s: pov cannot read pixel format \"%s\"; MJPEG, YUYV, NV12, BGR888 and R8 are among "
            "those it can",
            camera->id, config->pixel_format);
    if (!any_format && size_given) { /* libcamera may offer sizes that it does not list */
        memcpy(mode->pixel_format, config->pixel_format, sizeof mode->pixel_format);
        return pov_ok();
    }
    const pov_libcamera_mode *best = best_mode(camera, config, any_format);
    if (!best && size_given)
        return pov_error(
            "camera %s does not offer %dx%d in a pixel format that pov can read; 'pov cameras' lists "
            "what it offers",
            camera->id, config->width_px, config->height_px);
    if (!best)
        return pov_error(
            "camera %s offers no size up to %dx%d in pixel format \"%s\"; 'pov cameras' lists what it "
            "offers",
            camera->id, DEFAULT_WIDTH_MAX_PX, DEFAULT_HEIGHT_MAX_PX, config->pixel_format);
    *mode = *best;
    return pov_ok();
}
