/** A pseudo-terminal on which something simulated answers as a serial device would. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

/** The simulated device; `impl` is its own state. */
typedef struct {
    void (*receive)(void *impl, const char *bytes, size_t length, int64_t now_ns);
    size_t (*send)(void *impl, char *bytes, size_t capacity, int64_t now_ns);
    int64_t (*due_ns)(void *impl); /* when it wants to send; INT64_MAX: only after receiving */
} pov_pty_behaviour;

typedef struct pov_pty_device pov_pty_device;

/** Opens a pseudo-terminal, and makes `link` a symbolic link to it (NULL: none; an older link is replaced). impl stays the
 *  caller's. */
POV_MUST_USE pov_status pov_pty_device_new(pov_pty_device **device, const pov_pty_behaviour *behaviour,
                                           void *impl, const char *link);
/** Unplugs it, and removes the link. */
void pov_pty_device_destroy(pov_pty_device **device);

/** "/dev/pts/3" */
const char *pov_pty_device_path(const pov_pty_device *device);
/** Passes bytes both ways, for at most timeout_ms. */
POV_MUST_USE pov_status pov_pty_device_serve(pov_pty_device *device, int timeout_ms);
