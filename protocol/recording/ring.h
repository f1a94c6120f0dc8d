/** A queue of byte strings in memory of a fixed size: each lies in one piece, and room is made by dropping the oldest. */
#pragma once

#include "perception/status.h"

#include <stddef.h>

typedef struct pov_ring pov_ring;

/** Takes this many bytes, those of its own bookkeeping included. */
POV_MUST_USE pov_status pov_ring_new(pov_ring **ring, size_t bytes);
void pov_ring_destroy(pov_ring **ring);

/** Room for a string at the end, aligned for any type. NULL: it does not fit; drop the oldest, or if there is none, it never
 *  will. */
void *pov_ring_add(pov_ring *ring, size_t len);
/** The oldest; NULL: there is none. */
const void *pov_ring_oldest(const pov_ring *ring);
void pov_ring_drop(pov_ring *ring);
