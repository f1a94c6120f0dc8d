#include "protocol/recording/ring.h"

#include <stdalign.h>
#include <stdlib.h>

/* Strings lie in [first, next); once they are wrapped, in [first, end) and [0, next). */
struct pov_ring {
    unsigned char *bytes;
    size_t capacity, first, next, end;
    int len;
    bool is_wrapped;
};

enum { HEAD_BYTES = alignof(max_align_t) }; /* before each string: what it takes, as a size_t */

pov_status pov_ring_new(pov_ring **ring, size_t bytes)
{
    pov_ring *made = *ring = calloc(1, sizeof *made);
    if (made)
        made->bytes = malloc(bytes); /* the system gives its pages as they are used */
    if (!made || !made->bytes) {
        pov_ring_destroy(ring);
        return pov_error("recording: no memory for %zu MiB of the last seconds; make memory_mb smaller",
                         bytes >> 20);
    }
    made->capacity = bytes;
    return pov_ok();
}

void pov_ring_destroy(pov_ring **ring)
{
    if (!*ring)
        return;
    free((*ring)->bytes);
    free(*ring);
    *ring = NULL;
}

/* Turns to the beginning where the end has no room. */
static bool find_room(pov_ring *ring, size_t taken)
{
    if (ring->len == 0) {
        ring->first = ring->next = 0;
        ring->is_wrapped = false;
    }
    if (ring->is_wrapped)
        return ring->first - ring->next >= taken;
    if (ring->capacity - ring->next >= taken)
        return true;
    if (ring->first < taken)
        return false;
    ring->end = ring->next;
    ring->next = 0;
    ring->is_wrapped = true;
    return true;
}

void *pov_ring_add(pov_ring *ring, size_t len)
{
    if (len > ring->capacity)
        return NULL;
    const size_t taken = (len + 2 * HEAD_BYTES - 1) / HEAD_BYTES * HEAD_BYTES;
    if (!find_room(ring, taken))
        return NULL;
    unsigned char *head = ring->bytes + ring->next;
    *(size_t *)(void *)head = taken;
    ring->next += taken;
    ring->len++;
    return head + HEAD_BYTES;
}

const void *pov_ring_oldest(const pov_ring *ring)
{
    return ring->len ? ring->bytes + ring->first + HEAD_BYTES : NULL;
}

void pov_ring_drop(pov_ring *ring)
{
    if (ring->len == 0)
        return;
    ring->first += *(const size_t *)(const void *)(ring->bytes + ring->first);
    ring->len--;
    if (ring->is_wrapped && ring->first == ring->end) {
        ring->first = 0;
        ring->is_wrapped = false;
    }
}
