#include "protocol/tasks/task_ledger.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY = -1 };

typedef enum { FREE, WAITING, LEASED } task_state;

typedef struct {
    task_state state;
    uint64_t ticket, order; /* lower orders wait in front */
    int worker, leases;
    int64_t until_ns;
} task;

typedef struct {
    size_t identity_len; /* 0: nobody */
    unsigned char identity[POV_TASK_IDENTITY_CAPACITY];
    int capacity, leased;
    int64_t until_ns;
} worker;

struct pov_task_ledger {
    pov_task_ledger_config config;
    task *tasks;
    worker *workers;
    uint64_t next_order;
    int64_t answered, again, repeated;
};

pov_status pov_task_ledger_new(pov_task_ledger **ledger, const pov_task_ledger_config *config)
{
    POV_REQUIRE(config->task_max > 0 && config->worker_max > 0 && config->lease_ns > 0 &&
                config->lease_max > 0);
    pov_task_ledger *l = *ledger = calloc(1, sizeof *l);
    if (l) {
        l->config = *config;
        l->tasks = calloc((size_t)config->task_max, sizeof *l->tasks);
        l->workers = calloc((size_t)config->worker_max, sizeof *l->workers);
    }
    if (l && l->tasks && l->workers)
        return pov_ok();
    pov_task_ledger_destroy(ledger);
    return pov_error("out of memory for %d tasks", config->task_max);
}

void pov_task_ledger_destroy(pov_task_ledger **ledger)
{
    if (!*ledger)
        return;
    free((*ledger)->tasks);
    free((*ledger)->workers);
    free(*ledger);
    *ledger = NULL;
}

/* ---- tasks ---- */

static int find_task(const pov_task_ledger *ledger, uint64_t ticket)
{
    for (int i = 0; i < ledger->config.task_max; i++)
        if (ledger->tasks[i].state != FREE && ledger->tasks[i].ticket == ticket)
            return i;
    return -1;
}

int pov_task_ledger_put(pov_task_ledger *ledger, uint64_t ticket)
{
    if (find_task(ledger, ticket) >= 0)
        return -1;
    for (int i = 0; i < ledger->config.task_max; i++)
        if (ledger->tasks[i].state == FREE) {
            ledger->tasks[i] =
                (task){.state = WAITING, .ticket = ticket, .order = ledger->next_order++, .worker = NOBODY};
            return i;
        }
    return -1;
}

static void end_lease(pov_task_ledger *ledger, task *t)
{
    if (t->state != LEASED)
        return;
    ledger->workers[t->worker].leased--;
    t->worker = NOBODY;
    t->state = WAITING;
}

static void lease_came_to_nothing(pov_task_ledger *ledger, task *t)
{
    end_lease(ledger, t);
    ledger->again++;
}

/* ---- workers ---- */

static int find_worker(const pov_task_ledger *ledger, const void *identity, size_t len)
{
    for (int i = 0; i < ledger->config.worker_max; i++)
        if (ledger->workers[i].identity_len == len && memcmp(ledger->workers[i].identity, identity, len) == 0)
            return i;
    return -1;
}

static int note_worker(pov_task_ledger *ledger, const void *identity, size_t len)
{
    const int known = find_worker(ledger, identity, len);
    for (int i = 0; known < 0 && i < ledger->config.worker_max; i++)
        if (ledger->workers[i].identity_len == 0) {
            ledger->workers[i] = (worker){.identity_len = len};
            memcpy(ledger->workers[i].identity, identity, len);
            return i;
        }
    return known;
}

void pov_task_ledger_lose(pov_task_ledger *ledger, int index)
{
    for (int i = 0; i < ledger->config.task_max; i++)
        if (ledger->tasks[i].state == LEASED && ledger->tasks[i].worker == index)
            lease_came_to_nothing(ledger, &ledger->tasks[i]);
    ledger->workers[index].identity_len = 0;
}

/** A worker that was silent for too long, and still is at work on what nobody else has been given yet, gets it back. */
static void renew_lease(pov_task_ledger *ledger, uint64_t ticket, int index, int64_t now_ns)
{
    const int slot = find_task(ledger, ticket);
    task *t = &ledger->tasks[slot < 0 ? 0 : slot];
    if (slot < 0 || (t->state == LEASED && t->worker != index))
        return;
    if (t->state == WAITING) {
        t->state = LEASED;
        t->worker = index;
        ledger->workers[index].leased++;
    }
    t->until_ns = now_ns + ledger->config.lease_ns;
}

void pov_task_ledger_report(pov_task_ledger *ledger, const void *identity, size_t identity_len, int capacity,
                            const uint64_t *held, size_t held_len, int64_t now_ns)
{
    if (identity_len == 0 || identity_len > POV_TASK_IDENTITY_CAPACITY)
        return;
    const int index = note_worker(ledger, identity, identity_len);
    if (index < 0)
        return;
    if (capacity <= 0) {
        pov_task_ledger_lose(ledger, index);
        return;
    }
    ledger->workers[index].capacity = capacity;
    ledger->workers[index].until_ns = now_ns + ledger->config.lease_ns;
    for (size_t i = 0; i < held_len; i++)
        renew_lease(ledger, held[i], index, now_ns);
}

void pov_task_ledger_expire(pov_task_ledger *ledger, int64_t now_ns)
{
    for (int i = 0; i < ledger->config.worker_max; i++)
        if (ledger->workers[i].identity_len > 0 && ledger->workers[i].until_ns <= now_ns)
            pov_task_ledger_lose(ledger, i);
    for (int i = 0; i < ledger->config.task_max; i++)
        if (ledger->tasks[i].state == LEASED && ledger->tasks[i].until_ns <= now_ns)
            lease_came_to_nothing(ledger, &ledger->tasks[i]);
}

/* ---- assigning and answering ---- */

static int longest_waiting(const pov_task_ledger *ledger)
{
    int best = -1;
    for (int i = 0; i < ledger->config.task_max; i++) {
        const task *t = &ledger->tasks[i];
        if (t->state == WAITING && t->leases < ledger->config.lease_max &&
            (best < 0 || t->order < ledger->tasks[best].order))
            best = i;
    }
    return best;
}

static int freest_worker(const pov_task_ledger *ledger)
{
    int best = -1;
    double best_share = 0;
    for (int i = 0; i < ledger->config.worker_max; i++) {
        const worker *w = &ledger->workers[i];
        const double share = w->identity_len ? 1 - (double)w->leased / w->capacity : 0;
        if (share > best_share) {
            best = i;
            best_share = share;
        }
    }
    return best;
}

bool pov_task_ledger_assign(pov_task_ledger *ledger, int *slot, int *index, int64_t now_ns)
{
    *slot = longest_waiting(ledger);
    *index = freest_worker(ledger);
    if (*slot < 0 || *index < 0)
        return false;
    task *t = &ledger->tasks[*slot];
    t->state = LEASED;
    t->worker = *index;
    t->leases++;
    t->until_ns = now_ns + ledger->config.lease_ns;
    ledger->workers[*index].leased++;
    return true;
}

bool pov_task_ledger_answer(pov_task_ledger *ledger, int *slot, uint64_t ticket)
{
    *slot = find_task(ledger, ticket);
    if (*slot < 0) {
        ledger->repeated++;
        return false;
    }
    end_lease(ledger, &ledger->tasks[*slot]);
    ledger->tasks[*slot].state = FREE;
    ledger->answered++;
    return true;
}

bool pov_task_ledger_give_up(pov_task_ledger *ledger, int *slot, uint64_t *ticket)
{
    for (int i = 0; i < ledger->config.task_max; i++)
        if (ledger->tasks[i].state == WAITING && ledger->tasks[i].leases >= ledger->config.lease_max) {
            *slot = i;
            *ticket = ledger->tasks[i].ticket;
            ledger->tasks[i].state = FREE;
            return true;
        }
    return false;
}

const void *pov_task_ledger_identity(const pov_task_ledger *ledger, size_t *len, int index)
{
    *len = ledger->workers[index].identity_len;
    return ledger->workers[index].identity;
}

pov_task_counts pov_task_ledger_counts(const pov_task_ledger *ledger)
{
    pov_task_counts counts = {
        .answered = ledger->answered, .again = ledger->again, .repeated = ledger->repeated};
    for (int i = 0; i < ledger->config.task_max; i++) {
        counts.waiting += ledger->tasks[i].state == WAITING;
        counts.leased += ledger->tasks[i].state == LEASED;
    }
    for (int i = 0; i < ledger->config.worker_max; i++)
        counts.workers += ledger->workers[i].identity_len > 0;
    return counts;
}
