/** A serial line to a device, behind one interface: a real one (firmware/turntable/serial_device.h), or a test's. Every call has
 *  a time limit; the line brings its own clock, so that a test's needs no waiting. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

/** A backend: `impl` is its own state. Semantics as the functions below. */
typedef struct {
    pov_status (*open)(void *impl);
    pov_status (*write)(void *impl, const char *bytes, size_t length, int64_t until_ns);
    pov_status (*read)(void *impl, size_t *length, char *bytes, size_t capacity, int64_t until_ns);
    int64_t (*now_ns)(void *impl);
    void (*wait)(void *impl, int64_t until_ns);
    void (*destroy)(void *impl);
} pov_serial_backend;

typedef struct pov_serial_line pov_serial_line;

/** Wraps a backend; takes ownership of `impl`. The name is for messages. */
POV_MUST_USE pov_status pov_serial_line_new(pov_serial_line **line, const pov_serial_backend *backend,
                                            void *impl, const char *name);
void pov_serial_line_destroy(pov_serial_line **line);

/** Opens it, or closes and opens it again; what had come before is dropped. */
POV_MUST_USE pov_status pov_serial_line_open(pov_serial_line *line);
/** Returns: POV_OK; POV_TIMEOUT (the device takes nothing); POV_END (it is gone: open again); POV_ERROR. */
POV_MUST_USE pov_status pov_serial_line_write(pov_serial_line *line, const char *bytes, size_t length,
                                              int64_t until_ns);
/** Reads 1 to `capacity` bytes; waits for the first until until_ns. Returns as above. */
POV_MUST_USE pov_status pov_serial_line_read(pov_serial_line *line, size_t *length, char *bytes,
                                             size_t capacity, int64_t until_ns);
/** Monotonic. */
int64_t pov_serial_line_now_ns(const pov_serial_line *line);
void pov_serial_line_wait(pov_serial_line *line, int64_t until_ns);
const char *pov_serial_line_name(const pov_serial_line *line);
