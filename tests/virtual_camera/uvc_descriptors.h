/** The virtual webcam's descriptors for the host: USB 2.0 and UVC 1.0. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    POV_UVC_CAMERA_TERMINAL = 1,
    POV_UVC_PROCESSING_UNIT = 2,
    POV_UVC_BULK_ENDPOINT = 1,
    POV_UVC_INTERVAL_100NS = 333333,
    POV_UVC_PAYLOAD_BYTES = 16384, /* of one bulk transfer, header included: what Linux asks for at once */
    POV_UVC_FORMAT_COUNT = 2,
    POV_UVC_FRAME_COUNT = 2
};

typedef struct {
    int width_px, height_px; /* 0: no such frame */
} pov_uvc_frame;

/** By bFormatIndex - 1 (YUYV, MJPEG) and bFrameIndex - 1. */
extern const pov_uvc_frame pov_uvc_frames[POV_UVC_FORMAT_COUNT][POV_UVC_FRAME_COUNT];

/** The descriptor that GET_DESCRIPTOR's wValue names, or NULL; strings are written to `scratch`. */
const uint8_t *pov_uvc_descriptor(size_t *len, uint8_t scratch[64], unsigned value);
