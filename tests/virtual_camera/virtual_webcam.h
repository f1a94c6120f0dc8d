/** A USB webcam that exists only in software: it speaks UVC over USB/IP to the kernel's vhci-hcd (modprobe
 * vhci-hcd, root), which makes an ordinary /dev/video* of it. A simulated thing; its USB name says so.
 *
 *  What the picture shows is up to a callback; time comes from the caller, who polls the descriptor. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

#define POV_VIRTUAL_WEBCAM_RATE_HZ 30

typedef enum { POV_VIRTUAL_WEBCAM_YUYV, POV_VIRTUAL_WEBCAM_MJPEG } pov_virtual_webcam_format;

/** The host's request, and the number of the picture. */
typedef struct {
    pov_virtual_webcam_format format;
    int width_px, height_px; /* YUYV and MJPEG: 640 x 480; YUYV: 320 x 240, too */
    uint32_t number;         /* of 1 / RATE_HZ periods since it was plugged in */
    bool exposure_automatic;
    int exposure_100us, gain; /* 1..1000 and 0..255, as last set */
} pov_virtual_webcam_picture;

/** Writes the picture to `bytes`; returns its length, for YUYV 2 * width * height. */
typedef size_t (*pov_virtual_webcam_draw)(void *context, uint8_t *bytes, size_t capacity,
                                          const pov_virtual_webcam_picture *picture);

typedef struct pov_virtual_webcam pov_virtual_webcam;

/** A webcam that is not plugged in yet. */
POV_MUST_USE pov_status pov_virtual_webcam_new(pov_virtual_webcam **webcam, pov_virtual_webcam_draw draw,
                                               void *context);
void pov_virtual_webcam_destroy(pov_virtual_webcam **webcam);

/** Plugs it into vhci-hcd's first port, or pulls it out; nothing happens if it is already so. */
POV_MUST_USE pov_status pov_virtual_webcam_plug(pov_virtual_webcam *webcam, int64_t now_ns);
POV_MUST_USE pov_status pov_virtual_webcam_unplug(pov_virtual_webcam *webcam);

/** The next `count` pictures are sent with the error mark of a picture damaged on the way. */
void pov_virtual_webcam_spoil(pov_virtual_webcam *webcam, int count);
/** Show `count` more pictures, then none; negative: without end, as at first. */
void pov_virtual_webcam_show(pov_virtual_webcam *webcam, int count);

/** To poll for reading; -1 while it is not plugged in. */
int pov_virtual_webcam_fd(const pov_virtual_webcam *webcam);
/** When serve wants to be called at the latest; INT64_MAX: only when the descriptor is readable. */
int64_t pov_virtual_webcam_due_ns(const pov_virtual_webcam *webcam);

/** Answers one message of the host if there is one, and sends the picture that is due.
 *  Returns: POV_OK; POV_END if the host has cut the connection (it is unplugged then); POV_ERROR. */
POV_MUST_USE pov_status pov_virtual_webcam_serve(pov_virtual_webcam *webcam, int64_t now_ns);
