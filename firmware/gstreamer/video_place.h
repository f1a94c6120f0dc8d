/** The port that a camera of the kernel is plugged into: it stays the same while the number of the device changes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { POV_VIDEO_PLACE_CAPACITY = 512 };

typedef struct {
    char port[POV_VIDEO_PLACE_CAPACITY]; /* its folder in /sys; "": unknown */
    int index; /* of the port's devices: a camera has one for images, one for data about them */
} pov_video_place;

/** The place of a device (/dev/video0). Unknown for a link (/dev/v4l/by-id/...), which names its camera by itself, and for a device
 *  of no port. */
pov_video_place pov_video_place_of(const char *device);

/** The device that is now at a place. False: none; *device is then as it was. */
bool pov_video_place_device(char *device, size_t capacity, const pov_video_place *place);
