#include "firmware/outputs/line_output.h"

#include "firmware/cli.h"
#include "firmware/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    BLOCKS_MAX = 64,            /* chosen: two seconds of a camera */
    FILE_BYTES_A_WRITE = 65536, /* a pipe takes PIPE_BUF without blocking once poll says that it takes any */
    SLICE_MS = 50               /* longest time until a stop is noticed; chosen */
};
static const int64_t patience_ns =
    1000000000; /* after a request to stop; chosen: less than two seconds with the draining of the wire */

typedef struct {
    char *bytes;
    size_t len, capacity;
} block;

struct pov_line_output {
    int descriptor;
    size_t write_max;
    bool loses;
    FILE *stream; /* of the block in the making */
    char *made;
    size_t made_len;
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    block blocks[BLOCKS_MAX]; /* a ring */
    int first, len;
    bool writes_first; /* the thread is at the first block: it stays */
    bool ending;
    int error; /* errno of a write that failed; 0 */
    uint64_t lost;
};

/* -------- the thread -------- */

static bool is_ending(pov_line_output *o)
{
    pthread_mutex_lock(&o->lock);
    const bool ending = o->ending;
    pthread_mutex_unlock(&o->lock);
    return ending;
}

/* False: no more can be written, or nobody waits for it any longer. */
static bool write_block(pov_line_output *o, const block *b)
{
    for (size_t done = 0; done < b->len;) {
        struct pollfd ready = {.fd = o->descriptor, .events = POLLOUT};
        const bool takes_more = poll(&ready, 1, SLICE_MS) > 0;
        if (is_ending(o))
            return false;
        if (!takes_more)
            continue;
        const size_t left = b->len - done;
        const ssize_t written =
            write(o->descriptor, b->bytes + done, left < o->write_max ? left : o->write_max);
        if (written < 0 && errno != EINTR && errno != EAGAIN) {
            pthread_mutex_lock(&o->lock);
            o->error = errno;
            pthread_mutex_unlock(&o->lock);
            return false;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool take_block(pov_line_output *o, block *taken)
{
    pthread_mutex_lock(&o->lock);
    while (o->len == 0 && !o->ending)
        pthread_cond_wait(&o->changed, &o->lock);
    const bool any = o->len > 0;
    o->writes_first = any;
    *taken = o->blocks[o->first];
    pthread_mutex_unlock(&o->lock);
    return any;
}

static void remove_block(pov_line_output *o)
{
    pthread_mutex_lock(&o->lock);
    o->writes_first = false;
    o->first = (o->first + 1) % BLOCKS_MAX;
    o->len--;
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

static void *run_writer(void *user)
{
    pov_line_output *o = user;
    block taken;
    while (take_block(o, &taken)) {
        const bool goes_on = write_block(o, &taken);
        remove_block(o);
        if (!goes_on)
            break;
    }
    return NULL;
}

/* -------- the caller -------- */

/* Under the lock; for a slice. */
static void wait_for_change(pov_line_output *o)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += SLICE_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&o->changed, &o->lock, &until);
}

static pov_status explain_error(int error)
{
    return error == 0       ? pov_ok()
           : error == EPIPE ? pov_status_of(POV_END)
                            : pov_error("standard output: not all could be written: %s", strerror(error));
}

/* The oldest block that the thread is not at. Its memory goes to the end of the ring, for the next. */
static void lose_oldest(pov_line_output *o)
{
    const int skipped = o->writes_first;
    const block lost = o->blocks[(o->first + skipped) % BLOCKS_MAX];
    for (int i = skipped; i + 1 < o->len; i++)
        o->blocks[(o->first + i) % BLOCKS_MAX] = o->blocks[(o->first + i + 1) % BLOCKS_MAX];
    o->blocks[(o->first + o->len - 1) % BLOCKS_MAX] = lost;
    o->len--;
    o->lost++;
}

static pov_status fill_block(block *b, const char *bytes, size_t len)
{
    if (len > b->capacity) {
        char *larger = realloc(b->bytes, len);
        if (!larger)
            return pov_error("out of memory for the output");
        b->bytes = larger;
        b->capacity = len;
    }
    memcpy(b->bytes, bytes, len);
    b->len = len;
    return pov_ok();
}

static pov_status queue_block(pov_line_output *o)
{
    while (o->len == BLOCKS_MAX && o->error == 0) {
        if (o->loses)
            lose_oldest(o);
        else if (pov_cli_stop_requested())
            return pov_status_of(POV_END);
        else
            wait_for_change(o);
    }
    POV_TRY(explain_error(o->error));
    POV_TRY(fill_block(&o->blocks[(o->first + o->len) % BLOCKS_MAX], o->made, o->made_len));
    o->len++;
    pthread_cond_broadcast(&o->changed);
    return pov_ok();
}

pov_status pov_line_output_commit(pov_line_output *output)
{
    if (fflush(output->stream) != 0)
        return pov_error("out of memory for the output");
    pthread_mutex_lock(&output->lock);
    const pov_status status = queue_block(output);
    pthread_mutex_unlock(&output->lock);
    rewind(output->stream);
    return status;
}

FILE *pov_line_output_stream(pov_line_output *output)
{
    return output->stream;
}

uint64_t pov_line_output_lost(pov_line_output *output)
{
    pthread_mutex_lock(&output->lock);
    const uint64_t lost = output->lost;
    pthread_mutex_unlock(&output->lock);
    return lost;
}

pov_status pov_line_output_finish(pov_line_output *output)
{
    int64_t asked_ns = 0;
    pthread_mutex_lock(&output->lock);
    while (output->len > 0 && output->error == 0) {
        const int64_t now_ns = pov_clock_monotonic_ns();
        if (asked_ns == 0 && pov_cli_stop_requested())
            asked_ns = now_ns;
        if (asked_ns > 0 && now_ns - asked_ns > patience_ns)
            break;
        wait_for_change(output);
    }
    output->lost += (uint64_t)(output->error == 0 ? output->len : 0);
    const pov_status status = explain_error(output->error);
    output->ending = true;
    pthread_cond_broadcast(&output->changed);
    pthread_mutex_unlock(&output->lock);
    return status;
}

/* -------- coming and going -------- */

static pov_status open_output(pov_line_output *o)
{
    struct stat facts;
    pthread_condattr_t monotonic;
    o->write_max =
        fstat(o->descriptor, &facts) == 0 && S_ISREG(facts.st_mode) ? FILE_BYTES_A_WRITE : PIPE_BUF;
    pthread_mutex_init(&o->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&o->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    o->stream = open_memstream(&o->made, &o->made_len);
    o->has_thread = o->stream && pthread_create(&o->thread, NULL, run_writer, o) == 0;
    return o->has_thread ? pov_ok() : pov_error("no thread for the output: %s", strerror(errno));
}

pov_status pov_line_output_new(pov_line_output **output, int descriptor, bool loses)
{
    *output = calloc(1, sizeof **output);
    if (!*output)
        return pov_error("out of memory for the output");
    (*output)->descriptor = descriptor;
    (*output)->loses = loses;
    const pov_status status = open_output(*output);
    if (status.code != POV_OK)
        pov_line_output_destroy(output);
    return status;
}

void pov_line_output_destroy(pov_line_output **output)
{
    pov_line_output *o = *output;
    if (!o)
        return;
    if (o->has_thread) {
        const pov_status status = o->ending ? pov_ok() : pov_line_output_finish(o);
        (void)status;
        pthread_join(o->thread, NULL);
    }
    if (o->stream)
        fclose(o->stream);
    free(o->made);
    for (int i = 0; i < BLOCKS_MAX; i++)
        free(o->blocks[i].bytes);
    pthread_cond_destroy(&o->changed);
    pthread_mutex_destroy(&o->lock);
    free(o);
    *output = NULL;
}
