/** Cameras and films through GStreamer, as image sources. */
#pragma once

#include "firmware/libcamera/libcamera_shim.h"
#include "perception/image/image_source.h"

#include <stddef.h>

enum { POV_GSTREAMER_TEXT_CAPACITY = 2048 };

typedef enum {
    POV_GSTREAMER_PIPELINE, /* a live camera, as GStreamer's own language describes it */
    POV_GSTREAMER_V4L2,     /* a camera of the kernel: its device */
    POV_GSTREAMER_RTSP,     /* a network camera: its URL, which may hold user and password */
    POV_GSTREAMER_FILM      /* the path of a film */
} pov_gstreamer_kind;

typedef struct {
    pov_gstreamer_kind kind;
    char text[POV_GSTREAMER_TEXT_CAPACITY]; /* pipeline, device, URL or path */
    int width_px, height_px;                /* preferred, where the camera has a choice; 0: none */
    double from_s, to_s;                    /* of a film; to_s 0: to its end */
} pov_gstreamer_source_config;

/** Opens and starts it; a camera's first image has come when this returns.
 *
 *  A camera is lost and found again as by pov_plugged_source_new. Its newest two images wait; older ones count as lost, as
 *  do those that its driver says it lost. mid_exposure_ns is the buffer's time on the pipeline's clock, which is
 *  CLOCK_MONOTONIC, as CLOCK_REALTIME: of v4l2src the driver's stamp, of rtspsrc the arrival. Half of the exposure is missing in it.
 *  A pipeline that is not live runs in real time.
 *
 *  A film's images all come, each as soon as it is asked for, upright by the film's own rotation. mid_exposure_ns is the time when the film was begun, if it
 *  tells one (else 0, the UNIX epoch), and the image's time in the film. The last call returns POV_END; before it POV_SKIPPED if the film ends much earlier than it says.
 *
 *  Pixels are GStreamer's own buffers, borrowed without a copy.
 *  Returns: POV_OK; POV_ERROR that names element and package if one is missing or failed, and never shows user or password. */
POV_MUST_USE pov_status pov_gstreamer_source_open(pov_image_source **source,
                                                  const pov_gstreamer_source_config *config);

/** The cameras that GStreamer's device monitor finds. An id is a device to open as POV_GSTREAMER_V4L2. */
POV_MUST_USE pov_status pov_gstreamer_list_cameras(pov_libcamera_list *list);

/** Whether GStreamer has this element here. */
bool pov_gstreamer_has(const char *element);

/* ---- the parts that need no GStreamer ---- */

/** A camera as a command line says it: a device (/dev/...), a URL (rtsp://...) or a pipeline ("... ! ..."). False: it is none
 *  of these, but libcamera's; *config is then as it was. */
bool pov_gstreamer_words(pov_gstreamer_source_config *config, const char *words);

/** Whether a file begins as films do: MP4 and QuickTime, Matroska and WebM, Ogg, AVI, MPEG transport stream. */
bool pov_film_is_one(const char *path);

/** Takes every user and password out of a text, in place: user:password before a host becomes three stars, as does the value of user-pw=
 *  Returns: the new length, never longer. */
size_t pov_credentials_hide(char *text, size_t length);

/** A URL in parts. */
typedef struct {
    char user[256], password[256];              /* "": none; percent-encoding undone */
    char location[POV_GSTREAMER_TEXT_CAPACITY]; /* the URL without them */
    char shown[POV_LIBCAMERA_ID_CAPACITY];      /* without them, query and fragment */
} pov_stream_url;

/** Returns: POV_OK; POV_ERROR, which shows no part of the URL, if it is not an rtsp:// or rtsps:// with a host. */
POV_MUST_USE pov_status pov_stream_url_read(pov_stream_url *url, const char *text);

/** The Debian package with an element. */
const char *pov_gstreamer_package(const char *element);

/** Why an element of this class (gst-inspect-1.0's "Klass") may not be in a station's pipeline; NULL: it may. docs/SECURITY.md. */
const char *pov_gstreamer_refusal(const char *element, const char *klass, bool is_sink);
