/** Cameras as image sources, through libcamera. At most one such source in a process (libcamera's rule). */
#pragma once

#include "firmware/libcamera/libcamera_shim.h"
#include "perception/image/image_source.h"

typedef struct {
    char camera[POV_LIBCAMERA_ID_CAPACITY]; /* libcamera's id, a part of one camera's id or model, or "any" */
    int width_px, height_px;                /* 0: the camera's largest size up to 1280 x 720 */
    char pixel_format[POV_LIBCAMERA_FORMAT_CAPACITY]; /* libcamera's name; "auto": see below */
    double exposure_s;                                /* 0: automatic */
    double gain;                                      /* analogue; 0: automatic */
} pov_libcamera_source_config;
/* "auto" is the first offered of NV12, YUYV, UYVY, RGB and R8 up to 640 x 480; above, MJPEG if offered,
 * because USB 2 carries larger raw images at a few a second only. */
#define POV_LIBCAMERA_SOURCE_CONFIG_DEFAULT                                                                  \
    ((pov_libcamera_source_config){.camera = "any", .pixel_format = "auto"})

/** Opens and starts a camera.
 *  Returns: POV_OK; POV_ERROR if there is no such camera, it is taken, or lacks what `config` asks for.
 *  Method:  libcamera's buffers queue on its thread, the newest two wait; older ones go back unread and count
 * as lost, as do gaps in the device's own count. next() converts to RGB on the caller's thread. next() of an
 * unplugged camera returns POV_SKIPPED once, then POV_TIMEOUT until it is back; then POV_SKIPPED once more,
 * and images again, numbered on without a gap. It is taken for the same camera if it has the same id, or the
 * same model and still fits `config->camera` alone (another socket). mid_exposure_ns = device timestamp +
 * exposure / 2 + (CLOCK_REALTIME - device clock, measured again for each image). The timestamp is the start of
 * the exposure by libcamera's definition; where neither the device nor `config` tells the exposure, half of
 * it is missing. A rolling shutter's rows are later by their own readout time. */
POV_MUST_USE pov_status pov_libcamera_source_open(pov_image_source **source,
                                                  const pov_libcamera_source_config *config);

/** Lists the cameras there are now. Not while a source is open. */
POV_MUST_USE pov_status pov_libcamera_source_list(pov_libcamera_list *list);

/** Why there might be no camera here, and what to check; one line. */
pov_status pov_libcamera_source_explain_none(void);

/** The one camera that `selector` means: exact id, or "any" for the first, or a part of one camera's id or
 * model. Returns: POV_OK; POV_ERROR that names the cameras there are, if none or several fit. */
POV_MUST_USE pov_status pov_libcamera_source_select(const pov_libcamera_camera **camera,
                                                    const pov_libcamera_list *list, const char *selector);

/** Size and pixel format by the rules above; fails if nothing the camera offers can be read. */
POV_MUST_USE pov_status pov_libcamera_source_choose_mode(pov_libcamera_mode *mode,
                                                         const pov_libcamera_camera *camera,
                                                         const pov_libcamera_source_config *config);
