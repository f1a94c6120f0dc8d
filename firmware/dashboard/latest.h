/** The latest value of one writer thread for several readers: a slow reader misses values, and never holds up the
 *  writer. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pov_latest pov_latest;

/** Borrowed bytes, unchanged until given back. */
typedef struct {
    const void *bytes; /* NULL: nothing newer */
    size_t len;
    uint64_t version; /* counts from 1 */
    int slot;
} pov_latest_view;

POV_MUST_USE pov_status pov_latest_new(pov_latest **latest, int reader_max);
/** All readers must have left. */
void pov_latest_destroy(pov_latest **latest);

/** Copies. Memory grows with the largest yet and is kept; POV_ERROR without any. One thread writes. */
POV_MUST_USE pov_status pov_latest_write(pov_latest *latest, const void *bytes, size_t len);

/** False if reader_max read already. The first to come finds nothing from before it came. */
POV_MUST_USE bool pov_latest_enter(pov_latest *latest);
void pov_latest_leave(pov_latest *latest);
int pov_latest_readers(pov_latest *latest);

/** Waits for something newer than version `seen`. Without it by the timeout, or once closed: bytes is NULL. */
pov_latest_view pov_latest_take(pov_latest *latest, uint64_t seen, int timeout_ms);
void pov_latest_give_back(pov_latest *latest, const pov_latest_view *view);

/** Wakes readers up; none waits any more. */
void pov_latest_close(pov_latest *latest);
