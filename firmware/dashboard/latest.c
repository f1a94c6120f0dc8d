#include "firmware/dashboard/latest.h"

#include "firmware/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

typedef struct {
    void *bytes;
    size_t len, capacity;
    int users;
} slot;

struct pov_latest {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    slot *slots; /* one a reader, the current one, and one to write to: one is always free */
    int slot_len, current, readers, reader_max;
    uint64_t version;
    bool closed;
};

pov_status pov_latest_new(pov_latest **latest, int reader_max)
{
    pov_latest *l = *latest = calloc(1, sizeof *l);
    if (!l)
        return pov_error("out of memory");
    pov_clock_condition_init(&l->changed);
    pthread_mutex_init(&l->lock, NULL);
    l->current = NONE;
    l->reader_max = reader_max;
    l->slot_len = reader_max + 2;
    l->slots = calloc((size_t)l->slot_len, sizeof *l->slots);
    if (l->slots)
        return pov_ok();
    pov_latest_destroy(latest);
    return pov_error("out of memory");
}

void pov_latest_destroy(pov_latest **latest)
{
    pov_latest *l = *latest;
    if (!l)
        return;
    POV_REQUIRE(l->readers == 0);
    for (int i = 0; l->slots && i < l->slot_len; i++)
        free(l->slots[i].bytes);
    free(l->slots);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
    free(l);
    *latest = NULL;
}

static int free_slot(pov_latest *latest)
{
    pthread_mutex_lock(&latest->lock);
    int found = NONE;
    for (int i = 0; i < latest->slot_len && found == NONE; i++)
        if (i != latest->current && latest->slots[i].users == 0)
            found = i;
    pthread_mutex_unlock(&latest->lock);
    POV_REQUIRE(found != NONE);
    return found;
}

pov_status pov_latest_write(pov_latest *latest, const void *bytes, size_t len)
{
    const int index = free_slot(latest); /* only the writer touches it until it is current */
    slot *s = &latest->slots[index];
    if (len > s->capacity) {
        void *grown = realloc(s->bytes, len);
        if (!grown)
            return pov_error("out of memory for %zu bytes", len);
        s->bytes = grown;
        s->capacity = len;
    }
    memcpy(s->bytes, bytes, len);
    s->len = len;
    pthread_mutex_lock(&latest->lock);
    latest->current = index;
    latest->version++;
    pthread_cond_broadcast(&latest->changed);
    pthread_mutex_unlock(&latest->lock);
    return pov_ok();
}

bool pov_latest_enter(pov_latest *latest)
{
    pthread_mutex_lock(&latest->lock);
    const bool room = latest->readers < latest->reader_max && !latest->closed;
    if (room && latest->readers++ == 0)
        latest->current = NONE;
    pthread_mutex_unlock(&latest->lock);
    return room;
}

void pov_latest_leave(pov_latest *latest)
{
    pthread_mutex_lock(&latest->lock);
    latest->readers--;
    pthread_mutex_unlock(&latest->lock);
}

int pov_latest_readers(pov_latest *latest)
{
    pthread_mutex_lock(&latest->lock);
    const int readers = latest->readers;
    pthread_mutex_unlock(&latest->lock);
    return readers;
}

static bool has_newer(const pov_latest *latest, uint64_t seen)
{
    return latest->current != NONE && latest->version > seen;
}

pov_latest_view pov_latest_take(pov_latest *latest, uint64_t seen, int timeout_ms)
{
    pov_latest_view view = {.slot = NONE, .version = seen};
    const struct timespec deadline = pov_clock_deadline(timeout_ms);
    pthread_mutex_lock(&latest->lock);
    while (!latest->closed && !has_newer(latest, seen))
        if (pthread_cond_timedwait(&latest->changed, &latest->lock, &deadline) != 0)
            break;
    if (!latest->closed && has_newer(latest, seen)) {
        slot *s = &latest->slots[latest->current];
        s->users++;
        view = (pov_latest_view){s->bytes, s->len, latest->version, latest->current};
    }
    pthread_mutex_unlock(&latest->lock);
    return view;
}

void pov_latest_give_back(pov_latest *latest, const pov_latest_view *view)
{
    if (view->slot == NONE)
        return;
    pthread_mutex_lock(&latest->lock);
    latest->slots[view->slot].users--;
    pthread_mutex_unlock(&latest->lock);
}

void pov_latest_close(pov_latest *latest)
{
    pthread_mutex_lock(&latest->lock);
    latest->closed = true;
    pthread_cond_broadcast(&latest->changed);
    pthread_mutex_unlock(&latest->lock);
}
