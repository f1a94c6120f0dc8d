/** The interface of all sources of images: a folder, a camera, a recording or a simulator. */
#pragma once

#include "perception/image/image.h"
#include "perception/status.h"

typedef struct {
    uint64_t delivered;
    uint64_t lost;       /* taken by the device but never delivered: bus, buffers or a slow reader */
    uint64_t skipped;    /* files that could not be used */
    uint64_t reconnects; /* times the device went and came back */
    int waiting;         /* read, and not delivered yet */
    int late;            /* images in a row, up to the last, that were there before they were asked for */
    const char *silence; /* why no image comes, borrowed; NULL: nothing is known of that */
    int64_t expected;    /* images this source will deliver in all; -1: no end known */
} pov_image_source_statistics;

typedef struct pov_image_source pov_image_source;

/** A backend: `impl` is its own state. Semantics as the functions below. */
typedef struct {
    const char *name;
    pov_status (*next)(void *impl, pov_image *image, int timeout_ms);
    pov_image_source_statistics (*statistics)(const void *impl);
    void (*destroy)(void *impl);
    bool (*exchange)(void *impl, uint8_t **pixels, size_t *capacity); /* NULL: it cannot */
} pov_image_source_backend;

/** Wraps a backend; takes ownership of `impl`. */
POV_MUST_USE pov_status pov_image_source_new(pov_image_source **source,
                                             const pov_image_source_backend *backend, void *impl);
void pov_image_source_destroy(pov_image_source **source);

/** The next image, borrowed until the next call. Waits at most timeout_ms.
 *  Returns: POV_OK; POV_TIMEOUT; POV_END; POV_SKIPPED (message names the file and what is wrong; ask again);
 *           POV_ERROR (the source is of no more use). */
POV_MUST_USE pov_status pov_image_source_next(pov_image_source *source, pov_image *image, int timeout_ms);

/** Takes the last image's memory, from malloc, for other memory, of any capacity: its pixels stay where they are for as long as the
 *  caller likes. False: this source cannot, copy them. */
bool pov_image_source_exchange(pov_image_source *source, uint8_t **pixels, size_t *capacity);

pov_image_source_statistics pov_image_source_statistics_of(const pov_image_source *source);
