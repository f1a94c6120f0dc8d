/* References: Universal Serial Bus 2.0, chapter 9; USB Device Class Definition for Video Devices 1.0a, chapter 3. */
#include "tests/virtual_camera/uvc_descriptors.h"

#include <assert.h>
#include <string.h>

#define U16(x) (x) & 255, (x) >> 8 & 255
#define U24(x) U16(x), (x) >> 16 & 255
#define U32(x) U24(x), (x) >> 24 & 255

enum {
    STANDARD_DEVICE = 1,
    STANDARD_CONFIGURATION = 2,
    STANDARD_STRING = 3,
    STANDARD_INTERFACE = 4,
    STANDARD_ENDPOINT = 5,
    STANDARD_ASSOCIATION = 11,
    CLASS_INTERFACE = 0x24,
    VIDEO_CLASS = 14,
    VIDEO_CONTROL = 1,
    VIDEO_STREAMING = 2,
    VIDEO_COLLECTION = 3,
    /* lengths */
    CONTROL_LEN = 13 + 18 + 11 + 9,
    COLOR_LEN = 6,
    FRAME_LEN = 30,
    YUYV_LEN = 27 + 2 * FRAME_LEN + COLOR_LEN,
    MJPEG_LEN = 11 + FRAME_LEN + COLOR_LEN,
    STREAMING_LEN = 15 + YUYV_LEN + MJPEG_LEN,
    CONFIGURATION_LEN = 9 + 8 + 9 + CONTROL_LEN + 9 + STREAMING_LEN + 7
};

const pov_uvc_frame pov_uvc_frames[POV_UVC_FORMAT_COUNT][POV_UVC_FRAME_COUNT] = {{{640, 480}, {320, 240}},
                                                                                 {{640, 480}, {0, 0}}};

/* A line is a descriptor. */
/* clang-format off */
static const uint8_t device[] = {
    18, STANDARD_DEVICE, U16(0x0200), 0xEF, 2, 1, 64, /* class by interface association */
    U16(0x1d6b), U16(0x0104), U16(0x0100),            /* Linux Foundation, multifunction composite gadget */
    1, 2, 3, 1,
};

/* One frame size with one interval. */
#define FRAME(subtype, index, width, height)                                                                 \
    FRAME_LEN, CLASS_INTERFACE, subtype, index, 0, U16(width), U16(height), U32((width) * (height)*2 * 8 * 30), \
        U32((width) * (height)*2 * 8 * 30), U32((width) * (height)*2), U32(POV_UVC_INTERVAL_100NS), 1,          \
        U32(POV_UVC_INTERVAL_100NS)

/* BT.709 primaries and transfer, BT.601 matrix: what sRGB cameras send. */
#define COLOR COLOR_LEN, CLASS_INTERFACE, 0x0D, 1, 1, 4

static const uint8_t configuration[] = {
    9, STANDARD_CONFIGURATION, U16(CONFIGURATION_LEN), 2, 1, 0, 0x80, 250, /* two interfaces, bus powered */
    8, STANDARD_ASSOCIATION, 0, 2, VIDEO_CLASS, VIDEO_COLLECTION, 0, 0,

    9, STANDARD_INTERFACE, 0, 0, 0, VIDEO_CLASS, VIDEO_CONTROL, 0, 0,
    13, CLASS_INTERFACE, 1, U16(0x0100), U16(CONTROL_LEN), U32(6000000), 1, 1,          /* UVC 1.0 */
    18, CLASS_INTERFACE, 2, POV_UVC_CAMERA_TERMINAL, U16(0x0201), 0, 0, U16(0), U16(0), U16(0),
    3, U24(1 << 1 | 1 << 3),                                                            /* AE mode, exposure time */
    11, CLASS_INTERFACE, 5, POV_UVC_PROCESSING_UNIT, POV_UVC_CAMERA_TERMINAL, U16(0),
    2, U16(0x0200), 0,                                                                  /* gain */
    9, CLASS_INTERFACE, 3, 3, U16(0x0101), 0, POV_UVC_PROCESSING_UNIT, 0,

    9, STANDARD_INTERFACE, 1, 0, 1, VIDEO_CLASS, VIDEO_STREAMING, 0, 0,
    15, CLASS_INTERFACE, 1, POV_UVC_FORMAT_COUNT, U16(STREAMING_LEN), 0x80 | POV_UVC_BULK_ENDPOINT, 0, 3, 0, 0, 0, 1,
    0, 0,
    27, CLASS_INTERFACE, 4, 1, 2, 'Y', 'U', 'Y', '2', 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71,
    16, 1, 0, 0, 0, 0,
    FRAME(5, 1, 640, 480), FRAME(5, 2, 320, 240), COLOR,
    11, CLASS_INTERFACE, 6, 2, 1, 1, 1, 0, 0, 0, 0,
    FRAME(7, 1, 640, 480), COLOR,
    7, STANDARD_ENDPOINT, 0x80 | POV_UVC_BULK_ENDPOINT, 2, U16(512), 0,
};
/* clang-format on */
static_assert(sizeof configuration == CONFIGURATION_LEN, "the lengths that the descriptors state add up");

static const uint8_t *string_descriptor(size_t *len, uint8_t scratch[64], unsigned index)
{
    static const uint8_t english[] = {4, STANDARD_STRING, U16(0x0409)};
    static const char *const texts[] = {"pov", "Simulated webcam", "1"};
    if (index == 0) {
        *len = sizeof english;
        return english;
    }
    if (index > sizeof texts / sizeof *texts)
        return NULL;
    const char *text = texts[index - 1];
    *len = 2 + 2 * strlen(text);
    scratch[0] = (uint8_t)*len;
    scratch[1] = STANDARD_STRING;
    for (size_t i = 0; text[i]; i++) {
        scratch[2 + 2 * i] = (uint8_t)text[i]; /* UTF-16LE */
        scratch[3 + 2 * i] = 0;
    }
    return scratch;
}

const uint8_t *pov_uvc_descriptor(size_t *len, uint8_t scratch[64], unsigned value)
{
    switch (value >> 8) {
    case STANDARD_DEVICE:
        *len = sizeof device;
        return device;
    case STANDARD_CONFIGURATION:
        *len = sizeof configuration;
        return configuration;
    case STANDARD_STRING:
        return string_descriptor(len, scratch, value & 255);
    default:
        return NULL;
    }
}
