/** libcamera behind a C header: it adapts, decides nothing, and lets no exception through.
 *
 *  One object is libcamera's camera manager and at most one open camera. libcamera allows one manager in a
 * process. Calls come from one thread, except pov_libcamera_requeue, which any thread may call; events come
 * on libcamera's. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "perception/status.h"

enum {
    POV_LIBCAMERA_CAMERAS_MAX = 16,
    POV_LIBCAMERA_MODES_MAX = 96,
    POV_LIBCAMERA_PLANES_MAX = 3,
    POV_LIBCAMERA_ID_CAPACITY = 192,
    POV_LIBCAMERA_FORMAT_CAPACITY = 16
};

typedef struct {
    char pixel_format[POV_LIBCAMERA_FORMAT_CAPACITY]; /* libcamera's name: "MJPEG", "YUYV", "NV12", ... */
    int width_px, height_px;
} pov_libcamera_mode;

/** The range of a control; min = max = 0: the camera does not have it. */
typedef struct {
    double min, max;
} pov_libcamera_range;

typedef struct {
    char id[POV_LIBCAMERA_ID_CAPACITY]; /* the same after a restart, as long as it stays in the same socket */
    char model[64];
    char location[16]; /* "front", "back", "external" or "" */
    pov_libcamera_range exposure_s, gain;
    int mode_len, mode_left_out;
    pov_libcamera_mode modes[POV_LIBCAMERA_MODES_MAX];
} pov_libcamera_camera;

typedef struct {
    int len, left_out;
    pov_libcamera_camera cameras[POV_LIBCAMERA_CAMERAS_MAX];
} pov_libcamera_list;

typedef struct {
    pov_libcamera_mode mode;
    double exposure_s; /* 0: automatic */
    double gain;       /* 0: automatic */
    int buffer_count;
} pov_libcamera_settings;

typedef enum { POV_YCBCR_BT601, POV_YCBCR_BT709 } pov_ycbcr_encoding;

/** The layout of the open camera's buffers. */
typedef struct {
    pov_libcamera_mode mode;
    int stride_bytes; /* of the first plane */
    pov_ycbcr_encoding encoding;
    bool full_range; /* 0..255 rather than 16..235 and 16..240 */
} pov_libcamera_stream;

typedef struct {
    const uint8_t *data;
    size_t len;
} pov_libcamera_plane;

/** One filled buffer. It is ours until pov_libcamera_requeue(slot) gives it back. */
typedef struct {
    int slot;
    bool usable;          /* false: the device reported an error */
    uint32_t sequence;    /* the device's count; a gap is an image lost before it reached us */
    int64_t timestamp_ns; /* CLOCK_MONOTONIC or CLOCK_BOOTTIME, by driver: start of the exposure */
    int64_t exposure_ns;  /* 0: not known */
    int plane_len;
    pov_libcamera_plane planes[POV_LIBCAMERA_PLANES_MAX];
} pov_libcamera_capture;

/** Called on libcamera's thread: be quick, do not call back other than pov_libcamera_requeue. */
typedef struct {
    void *context;
    void (*completed)(void *context, const pov_libcamera_capture *capture);
    void (*unplugged)(void *context); /* the open camera is gone; destroy the whole object soon */
} pov_libcamera_events;

typedef struct pov_libcamera pov_libcamera;

/** Starts libcamera. chatty: let libcamera write its log to stderr. */
POV_MUST_USE pov_status pov_libcamera_new(pov_libcamera **library, const pov_libcamera_events *events,
                                          bool chatty);
void pov_libcamera_destroy(pov_libcamera **library);
const char *pov_libcamera_version(void);

POV_MUST_USE pov_status pov_libcamera_list_cameras(pov_libcamera *library, pov_libcamera_list *list);

/** Opens the camera called `id` exactly and starts it.
 *  Returns: POV_OK; POV_ERROR if it is gone, taken, or lacks the mode or a control that is asked for. */
POV_MUST_USE pov_status pov_libcamera_open(pov_libcamera *library, pov_libcamera_stream *stream,
                                           const char *id, const pov_libcamera_settings *settings);
/** Stops and lets go; no event of the camera comes after it returns. Nothing happens if none is open. */
void pov_libcamera_close(pov_libcamera *library);

/** Brackets the reading of a capture's planes, where caches are not coherent with the device. */
void pov_libcamera_read_begin(pov_libcamera *library, int slot);
void pov_libcamera_read_end(pov_libcamera *library, int slot);
void pov_libcamera_requeue(pov_libcamera *library, int slot);

#ifdef __cplusplus
}
#endif
